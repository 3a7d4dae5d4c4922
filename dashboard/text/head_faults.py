"""Words of the view that lays five wrong ways beside the right one (H4)."""

from dashboard.text import Text

VIEW = Text(zh="形状对，数不对", en="Right shape, wrong numbers")

WAY = Text(zh="哪种错", en="fault")
WAY_HELP = Text(
    zh="同样的权重、同样的输入，只改这一步。表里始终有全部写法。",
    en="The same weights and input; only this step differs. The table always has all of them.",
)
BATCH = Text(zh="B（批里几个样本）", en="B (items)")
BATCH_HELP = Text(
    zh="一批里有几个样本，1 到 4。取 1 会藏住一种错。",
    en="Items in the batch, 1 to 4. 1 hides one of the faults.",
)
N = Text(zh="N（位置数）", en="N (positions)")
N_HELP = Text(zh="每个样本有几个位置，1 到 8。", en="Positions of each item, 1 to 8.")
D_MODEL = Text(zh="d_model（宽度）", en="d_model (width)")
D_MODEL_HELP = Text(zh="1 到 24，要能被 h 整除。", en="1 to 24; h has to divide it.")
H = Text(zh="h（头数）", en="h (heads)")
H_HELP = Text(zh="1 到 8，要整除 d_model。", en="1 to 8; has to divide d_model.")
SEED = Text(zh="种子", en="seed")
SEED_HELP = Text(zh="矩阵和输入由它抽出。", en="Matrices and input are drawn from it.")

NOTE = Text(
    zh="随机权重和输入（种子 %(seed)d） · float64 · 因果掩码，挡住的分数填 −1e9 · 虚线框：与该有的不符 · 代码里的 H 就是 h",
    en="random weights and input (seed %(seed)d) · float64 · causal mask, hidden scores filled with −1e9 · dashed: not as it should be · "
    "H in the code is h",
)
WRONG_LINE = Text(zh="错：%(line)s", en="wrong: %(line)s")
RIGHT_LINE = Text(zh="对：%(line)s", en="right: %(line)s")

WAYS = {
    "split_by_view": Text(zh="用 view 拆头", en="split by view"),
    "merge_without_transpose": Text(zh="合并前不转置", en="merge without transpose"),
    "heads_before_batch": Text(zh="头排到批前面", en="heads before batch"),
    "softmax_over_heads": Text(zh="在头上做 softmax", en="softmax over heads"),
    "viewed_both_ways": Text(zh="拆和合都用 view", en="both views at once"),
}
RIGHT = Text(zh="正确写法", en="right")

# Pictures.
OUT_RIGHT = Text(zh="正确的输出（第 1 个样本）", en="Right output (item 1)")
OUT_VALUE = Text(zh="输出", en="output")
OUT_WRONG = Text(zh="这种错的输出（第 1 个样本），形状相同", en="Output of this fault (item 1), same shape")
REACH = Text(zh="这种错：改一个词元，哪些行跟着变", en="This fault: which rows change when a token changes")
REACH_VALUE = Text(zh="这一行最多变多少", en="how far the row changes")
ITEMS = Text(
    zh="这种错：改一个样本，哪些样本跟着变", en="This fault: which items change when an item changes"
)
ITEMS_VALUE = Text(zh="这个样本最多变多少", en="how far the item changes")
OUTPUT_ROW = Text(zh="输出行", en="output row")
CHANGED_TOKEN = Text(zh="改了的词元", en="token changed")
OUTPUT_ITEM = Text(zh="输出的样本", en="output item")
CHANGED_ITEM = Text(zh="改了的样本", en="item changed")
FORBIDDEN = Text(zh="因果掩码不许", en="forbidden by the causal mask")
OTHER_ITEM = Text(zh="别的样本，不该影响它", en="another item: should not change it")
NOT_RIGHT = Text(zh="与该有的不符", en="not as it should be")
HAND_X = Text(
    zh="x = 0 … %(last)d，h = 2：紫色该归头 1，橙色该归头 2",
    en="x = 0 … %(last)d, h = 2: violet belongs to head 1, orange to head 2",
)
HAND_HEADS = Text(
    zh="要合并的 0 … %(last)d：头 1 紫色，头 2 橙色",
    en="0 … %(last)d to merge: head 1 violet, head 2 orange",
)
HAND_SPLIT = (Text(zh="拆得对", en="Split right"), Text(zh="这种错拆出来的", en="Split by this fault"))
HAND_MERGED = (Text(zh="合得对", en="Merged right"), Text(zh="这种错合出来的", en="Merged by this fault"))
HAND_AXES = {
    "item": Text(zh="样本", en="item"),
    "head": Text(zh="头", en="head"),
    "position": Text(zh="位置", en="position"),
}
WEIGHTS_RIGHT = Text(zh="头 1 的权重：正确", en="Weights of head 1: right")
WEIGHT = Text(zh="权重", en="weight")
WEIGHTS_WRONG = Text(zh="头 1 的权重：在头上 softmax", en="Weights of head 1: softmax over heads")

# The table.
TABLE = Text(zh="哪种检查抓得住哪种错（加框的抓住了）", en="Which check catches which fault (framed: caught)")
SHAPE = Text(zh="形状", en="shape")
WAY_ROW = Text(zh="写法", en="way")
CHECK_COLUMN = Text(zh="检查", en="check")
CHECKS = {
    "difference": Text(
        zh="与 MultiHeadAttention 的输出最多差", en="largest difference from MultiHeadAttention"
    ),
    "leak": Text(zh="泄漏：后面的词元影响前面的行", en="leak: a later token changes a row"),
    "reach": Text(zh="漏看：该影响却没影响的对数", en="cut off: pairs that should act and do not"),
    "items": Text(zh="串样本：一个样本影响另一个", en="mixing: one item changes another"),
    "literal": Text(zh="手算对照：只比拆与合", en="by hand: split and merge alone"),
    "sums": Text(zh="行和：与 1 最多差", en="row sums: off 1 by"),
    "trip": Text(zh="往返：merge(split(x)) = x", en="round trip: merge(split(x)) = x"),
}
CAUGHT = Text(zh="抓住", en="caught")
MISSED = Text(zh="没抓住", en="missed")
PASSES = Text(zh="通过", en="passes")
CAUGHT_FRAME = Text(zh="抓住了", en="caught")

# What is said.
NAMES = {
    "leak": Text(zh="泄漏", en="leak"),
    "reach": Text(zh="漏看", en="cut off"),
    "items": Text(zh="串样本", en="mixing"),
    "literal": Text(zh="手算对照", en="by hand"),
    "sums": Text(zh="行和", en="row sums"),
    "trip": Text(zh="往返", en="round trip"),
}
BETWEEN = Text(zh="、", en=", ")
BETWEEN_PAIRS = Text(zh="；", en="; ")
PAIR = Text(zh="%(one)s + %(other)s", en="%(one)s + %(other)s")

DIFFERS = Text(
    zh="两个输出的形状都是 %(shape)s，形状检查永远看不出来；数却不同：第 1 个样本里最多差 %(first)s，整批里最多差 %(all)s。",
    en="Both outputs have the shape %(shape)s, so a check of shapes never tells them apart. The numbers differ: by up to "
    "%(first)s in item 1, by up to %(all)s in the batch.",
)
HARMLESS = Text(
    zh="两个输出的形状都是 %(shape)s，数也相同（最多差 %(all)s）：%(sizes)s 时，这种错什么也没改变。代码还是错的，换个大小就露出来。",
    en="Both outputs have the shape %(shape)s, and here the same numbers too (apart by at most %(all)s): with %(sizes)s this fault "
    "changes nothing. The code is still wrong and shows it at other sizes.",
)
CATCHES_NOT = Text(
    zh="这里没有一种检查抓得住它：只有一个头、一个位置，怎么做 softmax 权重都是 1。",
    en="No check catches it here: with one head and one position the weight is 1 whichever way softmax runs.",
)
WHY = Text(zh="为什么：", en="Why:")
WHY_ELSEWHERE = Text(zh="换个大小为什么就错：", en="Why it is wrong at other sizes:")
WHYS = {
    "split_by_view": Text(
        zh="%(opening)sview 只给内存里的数换一组轴，不挪动它们。内存里先是位置 1 的全部，再是位置 2；直接写成 (B, H, N, d_k)，"
        "头 1 拿到的就是一个样本的前 N·d_k 个数，而不是每个位置里属于它的 d_k 列。输出的一行于是由别的位置拼成，"
        "其中可能有后面的。",
        en="%(opening)s view gives the numbers in memory new axes and moves none of them. Memory holds all of position 1, then position "
        "2. With axes (B, H, N, d_k) head 1 gets the first N·d_k numbers of an item, and not its d_k columns of "
        "every position. A row of the output is then put together from other positions, later ones perhaps among them.",
    ),
    "merge_without_transpose": Text(
        zh="%(opening)s每个头都算对了，可内存里先是头 1 的全部位置，再是头 2。直接 reshape 成 (B, N, H·d_v)，输出第 1 行顺着读下去，"
        "拿到的是头 1 的前几个位置，而不是每个头的位置 1。",
        en="%(opening)s every head is right, but memory holds all positions of head 1, then those of head 2. Reshaped to (B, N, H·d_v), "
        "output row 1 reads on from there: it gets the first positions of head 1, and not position 1 of every head.",
    ),
    "heads_before_batch": Text(
        zh="%(opening)s三个轴的批量乘法要把头并进批里，第 b·H + h 行是样本 b 的头 h。permute(2, 0, 1, 3) 先排头，成了第 h·B + b 行。"
        "每一行自己的注意力没有错，所以不泄漏，行和也是 1；合并时却按“先样本后头”来读，就把不同样本的头拼到了一起。",
        en="%(opening)s batched products of three axes need heads folded into the batch, row b·H + h for head h of item b. permute(2, 0, 1, "
        "3) lays heads first: row h·B + b. Each row attends rightly by itself, so nothing leaks and rows sum to 1; but merging "
        "reads items first, and joins heads of different items.",
    ),
    "softmax_over_heads": Text(
        zh="%(opening)sdim=1 是头，dim=-1 才是键。沿着头归一，同一对查询和键的 h 个权重之和是 1，一行的和就不管了。"
        "被挡住的一对在每个头里都是 −1e9，softmax 平分，每个头得 1/h，于是看不见的值也混了进来。",
        en="%(opening)s dim=1 is the axis of heads, dim=-1 that of keys. Over heads the h weights of one query and key share 1, and a row "
        "may sum to anything. A hidden pair is −1e9 in every head, so softmax gives each of them 1/h, and hidden "
        "values are mixed in.",
    ),
    "viewed_both_ways": Text(
        zh="%(opening)s第二个 view 正好撤销第一个，拆散的数全回到原位，两个错互为逆。每个头拿到句子里自己的一段，约 N/h 个位置，"
        "只在这一段里做因果注意力：没有谁看到后面，却也看不到段外的过去。",
        en="%(opening)s the second view undoes the first, and all that was cut apart is back in its place; each is the other's inverse. Each "
        "head has a stretch of the sentence to itself, about N/h positions, and attends causally inside it: none looks ahead, "
        "and none sees the past outside its stretch.",
    ),
}
INFINITE = Text(
    zh="把 −1e9 换成 −∞：一对被挡住，就在每个头里都被挡住，h 个 −∞ 的 softmax 是 0 ÷ 0，输出的 %(all)d 个数里有 %(nan)d 个是 NaN。"
    "NaN 一眼看得见，−1e9 却悄悄给出数来。",
    en="With −∞ in place of −1e9: a pair that is hidden is hidden in every head, and softmax of h times −∞ is 0 ÷ 0. NaN "
    "among the numbers of the output: %(nan)d of %(all)d. NaN is easy to see; −1e9 gives numbers without a word.",
)
INFINITE_NONE = Text(
    zh="只有一个位置时没有被挡住的对，填 −1e9 还是 −∞ 都一样。",
    en="With one position no pair is hidden, and it makes no difference whether −1e9 or −∞ is filled in.",
)
COMES_BACK = {True: Text(zh="通过", en="passes"), False: Text(zh="不通过", en="fails")}
ROUND_TRIPS = Text(
    zh="往返检查 merge(split(x)) = x：只有拆用 view，%(split)s；只有合不转置，%(merge)s；两处都错，反而%(both)s：两个错正好抵消。",
    en="The round trip merge(split(x)) = x: split by view alone %(split)s, merge without transpose alone %(merge)s, both together "
    "%(both)s, since each undoes the other.",
)
SIZES = Text(
    zh="大小取 1 会藏住错：h = 1 或 N = 1 时，两种 view（一起用也一样）碰巧都对；h = 1 或 B = 1 时，头排到批前面也碰巧对。"
    "所以写测试时，每个大小都要大于 1，而且各不相同。",
    en="Sizes of 1 hide faults: with h = 1 or N = 1 the two views, alone or together, happen to be right, and with h = 1 or B = 1 so "
    "is heads before batch. In a test take every size above 1, and no two alike.",
)

QUESTION = Text(
    zh="形状检查之外，只许留两种检查。哪两种合起来，能抓住这里的五种错写？",
    en="Beside the check of shapes you may keep two checks. Which two together catch all five wrong ways here?",
)
ANSWER = Text(
    zh="能抓全的有：%(pairs)s。这是从上面的表里数出来的；单独一种抓不全。",
    en="These do: %(pairs)s. This is counted from the table above; no single check catches all.",
)
ANSWER_NONE = Text(
    zh="没有哪两种够。这几个大小下，逃过所有检查的是：%(ways)s。",
    en="No two are enough. What escapes every check at these sizes: %(ways)s.",
)
