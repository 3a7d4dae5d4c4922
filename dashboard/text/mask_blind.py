"""Words of the mask lesson's view of queries that see no key."""

from dashboard.text import Text

VIEW = Text(zh="什么都看不到的行", en="Rows that see nothing")

# The mask.
MASK = Text(zh="掩码，每行一个查询", en="mask, one row a query")
MASK_HELP = Text(
    zh="1 是看得见，0 是看不见；行与行之间用 / 隔开，最多 6 行 6 列。也可以直接点下面的格子。",
    en="1 may be seen, 0 may not; put / between rows, at most 6 rows and 6 columns. Clicking a cell below does the same.",
)
MASK_EMPTY = Text(zh="例如 111/000/101", en="such as 111/000/101")
NOT_A_CELL = Text(
    zh="格子只能是 0 或 1，这里有 %(cells)s。",
    en="A cell is 0 or 1; here stands %(cells)s.",
)
NO_CELL = Text(zh="掩码至少要有 1 格，这里读到 0 格。", en="A mask has at least 1 cell; cells read here: 0.")
TOO_MANY_QUERIES = Text(
    zh="最多 %(most)d 行，这里有 %(found)d 行。", en="At most %(most)d rows; here are %(found)d."
)
TOO_MANY_KEYS = Text(
    zh="一行最多 %(most)d 格，这里有 %(found)d 格。", en="At most %(most)d cells a row; here are %(found)d."
)
UNEVEN = Text(
    zh="每行要一样长，这里最短 %(shortest)d 格，最长 %(longest)d 格。",
    en="All rows have one length; cells in the shortest row: %(shortest)d, in the longest: %(longest)d.",
)
TAKE_MASK = Text(zh="改用 %(mask)s", en="Take %(mask)s")
PRESETS = {
    "one": Text(zh="一行全空", en="one blind row"),
    "all": Text(zh="全是填充", en="all padding"),
    "aligned": Text(zh="4 个查询对 2 个键", en="4 queries, 2 keys"),
    "none": Text(zh="没有空行", en="no blind row"),
}
MASK_TITLE = Text(zh="谁能看见谁（点格子切换）", en="Who may see whom (click a cell to switch it)")
SEEN = Text(zh="能看几个键", en="keys seen")

# What is attended on.
SCORES = Text(zh="缩放后的分数，每行相同", en="scaled scores, alike in every row")
SCORES_HELP = Text(
    zh="分数全相等时，“均分”和“没有掩码”看不出差别，换一行就分开了。",
    en="While all scores are equal, uniform and unmasked look alike; another row tells them apart.",
)
DTYPE = Text(zh="数值类型", en="number type")
DTYPE_HELP = Text(
    zh="每种写法都在这个类型里跑一遍。float16 放不下 −1e9。",
    en="Every way runs in this type. float16 cannot hold −1e9.",
)
NOTE = Text(
    zh="q、k、v 是手工给的 · 每种写法刚刚在 CPU 上用 torch %(version)s 跑过 · %(dtype)s · "
    "SDPA 是 F.scaled_dot_product_attention",
    en="q, k and v given by hand · every way run just now on the CPU by torch %(version)s · %(dtype)s · "
    "SDPA is F.scaled_dot_product_attention",
)
BLIND_SIGN = Text(zh="⊘：这一行什么键也看不到。", en="⊘: this row sees no key.")
VALUES = Text(zh="值：%(values)s。", en="Values: %(values)s.")

# The table.
KERNELS = {
    "core": Text(zh="本实验室的核心", en="this lab's core"),
    "filled_softmax": Text(zh="填 −∞ 再 softmax", en="softmax after filling −∞"),
    "added_softmax": Text(zh="加 −∞ 再 softmax", en="softmax after adding −∞"),
    "sdpa_math": Text(zh="SDPA 逐步算", en="SDPA math"),
    "sdpa_fused": Text(zh="SDPA 融合", en="SDPA fused"),
    "mha_with_weights": Text(zh="nn.MultiheadAttention 要权重", en="nn.MultiheadAttention with weights"),
    "mha": Text(zh="nn.MultiheadAttention 不要权重", en="nn.MultiheadAttention without weights"),
    "fill_1e9": Text(zh="填 −1e9 再 softmax", en="softmax after filling −1e9"),
    "add_1e9": Text(zh="加 −1e9 再 softmax", en="softmax after adding −1e9"),
}
ANSWERS = {
    "zeros": Text(zh="全零", en="zeros"),
    "nan": Text(zh="NaN", en="NaN"),
    "uniform": Text(zh="均分", en="uniform"),
    "unmasked": Text(zh="没有掩码", en="unmasked"),
    "other": Text(zh="别的", en="something else"),
}
REFUSED = Text(zh="拒绝", en="refused")
COLUMNS = (
    Text(zh="写法", en="way"),
    Text(zh="查询 %(query)d 的权重", en="weights of query %(query)d"),
    Text(zh="查询 %(query)d 的输出", en="output of query %(query)d"),
    Text(zh="叫什么", en="called"),
    Text(zh="输出之和的梯度", en="gradients of the sum of outputs"),
    Text(zh="其余行与本实验室的核心最多差", en="other rows, farthest from this lab's core"),
)
NOT_SHOWN = Text(zh="不给出", en="not shown")
FINITE = Text(zh="有限", en="finite")
NOT_FINITE = Text(zh="NaN：%(names)s", en="NaN in %(names)s")

# What is said.
SEE_BLIND = Text(
    zh="看不到任何键的：%(queries)s。同一个问题，回答各不相同：%(groups)s。",
    en="Sees no key: %(queries)s. The same question gets different answers: %(groups)s.",
)
GROUP = Text(zh="%(answer)s（%(kernels)s）", en="%(answer)s from %(kernels)s")
NO_ANSWER = Text(zh="不回答（%(kernels)s）", en="none from %(kernels)s")
BETWEEN_GROUPS = Text(zh="；", en="; ")
BETWEEN_NAMES = Text(zh="、", en=", ")
SAID = Text(
    zh="%(kernel)s 被 torch 拒绝，原话是：%(quote)s", en="torch refused %(kernel)s and said: %(quote)s"
)
NONE_BLIND = Text(
    zh="每个查询都看得到键，各种写法的输出与本实验室的核心最多只差 %(distance)s。把某一行的格子全点成 0，分歧就出来了。",
    en="Every query sees a key, and no way's output is farther than %(distance)s from that of this lab's core. Click all cells of a "
    "row to 0 and they disagree.",
)
ONE_KEY = Text(
    zh="这里只有一个键，“均分”和“没有掩码”都是 [1]，分不出来。",
    en="There is one key, so uniform and unmasked are both [1] and cannot be told apart.",
)
SAME_LOOK = Text(
    zh="这里的分数都相等，“均分”和“没有掩码”是同样的数；换成 [1, 2, 3] 再看。",
    en="These scores are all equal, so uniform and unmasked are the same numbers; take [1, 2, 3] to tell them apart.",
)
WHY = Text(
    zh="%(opening)s权重等于 exp(分数) 除以看得见的键的 exp 之和。一个键都看不见，分子和分母都是 0，0 ÷ 0 可以是任何数。",
    en="%(opening)s a weight is exp(score) over the sum of exp of the keys that are seen. With none, both are 0, "
    "and 0 ÷ 0 may be anything.",
)
WHY_UNIFORM = Text(
    zh="填 −1e9 时分母不为 0，只因被挡住的键又被算了进去。",
    en="With −1e9 the sum is not 0 only because hidden keys are counted again.",
)
BLIND_OPENING = Text(zh="为什么没有正确答案：", en="Why there is no right answer:")
IF_BLIND_OPENING = Text(
    zh="如果有一行什么都看不到：没有正确答案，因为",
    en="If a row sees nothing: there is no right answer, because",
)
NAN = Text(
    zh="NaN 从哪里来：一行全是 −∞，每个 exp 都是 0，和也是 0；浮点数把 0 ÷ 0 记作 NaN（not a number，不是数）。"
    "NaN 乘任何数、加任何数，还是 NaN。",
    en="Where NaN comes from: in a row of −∞ every exp is 0, and so is their sum. Floating point writes 0 ÷ 0 as NaN, “not a "
    "number”, and NaN times or plus anything is NaN again.",
)
HELD_AS_INFINITY = Text(
    zh="%(dtype)s 放不下 −1e9，加上去的其实是 −∞。",
    en="%(dtype)s cannot hold −1e9, so −∞ is what is added.",
)
NAN_IN_V = Text(
    zh="%(kernels)s：只有 v 的梯度是 NaN。分数被整个换掉，梯度传不回去，所以 q 和 k 的梯度有限；v 的梯度要乘这一行的权重，而权重是 NaN。",
    en="NaN in v alone (%(kernels)s): the scores were replaced and pass no gradient on, so q and k stay finite; the gradient of v "
    "is multiplied by the row's weights, which are NaN.",
)
NAN_IN_ALL = Text(
    zh="%(kernels)s：q、k、v 的梯度都是 NaN。加法让梯度照样传回分数，softmax 传回来的 NaN 就一直到了 q 和 k。",
    en="NaN in q, k, v (%(kernels)s): a sum passes the gradient on to the scores, so the NaN that comes back from softmax gets to "
    "q and k as well.",
)
OURS = Text(
    zh="本实验室的核心选全零：这一行的权重和是 %(sum)s，输出是 %(out)s，没有被挡住的值混进来，也不产生 NaN。代价是这一行的权重和不是 1，"
    "后面的代码要知道它什么也没看到。",
    en="This lab's core answers zeros: this row's weights add up to %(sum)s and its output is %(out)s. No hidden value gets in and no "
    "NaN comes out. The price: the row does not sum to 1, and what follows has to know that it saw nothing.",
)
PENALTY = Text(
    zh="加 −1e9 看类型。在一行全挡住、分数为 [1, 2, 3] 时刚刚量到：float32 得 %(narrow)s，float64 得 %(wide)s。float32 在 −1e9 旁边相邻两数差 "
    "%(narrow_step)s，1、2、3 加上去就没了；float64 只差 %(wide_step)s，三个分数还在，softmax 又减去共同的 −1e9，掩码等于没加。",
    en="Adding −1e9 depends on the type. Measured just now for a row with every key hidden and scores [1, 2, 3]: float32 "
    "gives %(narrow)s, float64 %(wide)s. Beside −1e9 float32 numbers are %(narrow_step)s apart, so 1, 2 and 3 vanish; in float64 they are %(wide_step)s apart, the "
    "scores survive, softmax takes the common −1e9 off again, and the mask is undone.",
)
LIVE_FINE = Text(
    zh="把空行排除在损失之外，各种写法的梯度都有限。",
    en="With blind rows left out of the loss, the gradients of all ways are finite.",
)
LIVE_NAN = Text(
    zh="空行会连累别人：损失只取看得见键的查询，梯度里还是出现 NaN：%(kernels)s。反向传播时空行收到的是 0，"
    "但 0 · NaN 还是 NaN；一个键、一个值的梯度是各行加起来的，混进一个 NaN 就去不掉了。",
    en="A blind row harms the others: with a loss over the queries that see a key alone, these still have NaN in their gradients: "
    "%(kernels)s. Going backwards the blind row receives 0, but 0 · NaN is NaN; the gradient of a key or a value is a sum over all "
    "rows, and one NaN in it stays.",
)
OF_INPUTS = Text(zh="%(kernel)s（%(names)s）", en="%(kernel)s (%(names)s)")

# The question.
QUESTION = Text(
    zh="softmax 之后把 NaN 换成 0（nan_to_num），损失里也不放空行。这样训练就没事了吗？",
    en="Replace NaN by 0 after softmax (nan_to_num) and leave the blind row out of the loss. Is training safe then?",
)
ANSWER = Text(
    zh="不。对上面的掩码刚刚量过：给所有分数乘同一个系数，看第一个看得见的权重对这个系数的导数（系数为 1 时）。"
    "先删掉空行：%(right)s；NaN 换成 0：%(cleaned)s；本实验室的核心：%(core)s。前向看不出问题，反向时 softmax 仍要用那行 NaN。要在 softmax 之前就不让空行进去。",
    en="No. Measured just now for the mask above: multiply all scores by one factor and take the derivative, by it (at 1), of the "
    "first weight that is seen. Without the blind rows: %(right)s; with NaN replaced by 0: %(cleaned)s; this lab's core: "
    "%(core)s. Nothing shows going forward, but going backward softmax still uses that row of NaN. Keep the blind row out before softmax.",
)
ANSWER_FINE = Text(
    zh="对上面的掩码看不出来，因为没有空行。给所有分数乘同一个系数，第一个看得见的权重对它的导数（系数为 1 时）：先删掉空行：%(right)s；"
    "NaN 换成 0：%(cleaned)s；本实验室的核心：%(core)s。点出一个空行再看。",
    en="The mask above does not tell: it has no blind row. Multiply all scores by one factor and take the derivative, by it (at 1), "
    "of the first weight that is seen. Without the blind rows: %(right)s; with NaN replaced by 0: %(cleaned)s; this lab's core: "
    "%(core)s. Make a row blind and look again.",
)
ANSWER_NOTHING = Text(
    zh="上面的掩码里没有一个看得见的格子，损失无从取起。留一个 1 再看。",
    en="In the mask above no pair is seen, so there is no loss to take. Leave one 1 and look again.",
)
