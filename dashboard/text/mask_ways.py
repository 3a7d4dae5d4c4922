"""Words of the mask lesson's view of the ways to apply a mask, and of its leak meter."""

from dashboard.text import Text, mask_blind

VIEW = Text(zh="怎样盖上掩码", en="Ways to mask")
NOTE = Text(
    zh="权重矩阵随机（种子 %(seed)d）· 各种写法都在 %(dtype)s 里当场运行，torch %(version)s · 正确答案用 float64 · "
    "空行：什么键也看不到的查询",
    en="random weight matrices (seed %(seed)d) · every way run just now in %(dtype)s, torch %(version)s · right answer in "
    "float64 · blind row: of a query that sees no key",
)

BLIND_SIGN = Text(zh="⊘：这一行什么键也看不到。", en="⊘: this row sees no key.")

# Controls.
MASK = Text(zh="掩码", en="mask")
MASK_HELP = Text(
    zh="谁可以看谁。下面每种写法都用同一个掩码、同一组分数。",
    en="Who may see whom. Every way below gets this mask and the same scores.",
)
MASKS = {
    "causal": Text(zh="因果：看不到后面", en="causal: not the future"),
    "window": Text(zh="因果窗口，宽 %(size)d", en="causal window of %(size)d"),
    "block": Text(zh="每 %(size)d 个一块", en="blocks of %(size)d"),
    "others": Text(zh="只看别的词元", en="only the others"),
    "future": Text(zh="写反了：只看后面", en="inverted: only the future"),
    "gallery": Text(zh="“图案与感受野”里的那张", en="the one under “Patterns and reach”"),
}
NO_GALLERY = {
    "none": Text(
        zh="“图案与感受野”里选的是文件，可是这次访问还没有上传过。请去那里上传一张至少 %(n)d 行 %(n)d 列的掩码（这句话有 %(n)d 个词元），或者换一张：",
        en="Under “Patterns and reach” a file is chosen, and none has been uploaded in this visit. Upload a mask of at least %(n)d "
        "× %(n)d there (tokens in the sentence: %(n)d), or take another mask:",
    ),
    "refused": Text(
        zh="在“图案与感受野”里上传的文件读不成掩码。%(fault)s请改好文件再去那里上传（这句话有 %(n)d 个词元，至少要 %(n)d 行 %(n)d 列），或者换一张：",
        en="The file uploaded under “Patterns and reach” could not be read as a mask. %(fault)s Mend it and upload it there again "
        "(tokens in the sentence: %(n)d, so at least %(n)d × %(n)d), or take another mask:",
    ),
    "small": Text(
        zh="这句话有 %(n)d 个词元，所以“图案与感受野”里的掩码至少要有 %(n)d 行 %(n)d 列，现在的 %(name)s 是 %(side)d 行 %(side)d 列。"
        "请去那里换一张大些的，把句子写短，或者换一张：",
        en="Tokens in the sentence: %(n)d, so the mask under “Patterns and reach” needs at least %(n)d × %(n)d; %(name)s has "
        "%(side)d × %(side)d. Give a larger one there, shorten the sentence, or take another mask:",
    ),
}
TAKE_MASK = Text(zh="用“%(mask)s”", en="Take “%(mask)s”")
DTYPE = Text(zh="数值类型", en="number type")
DTYPE_HELP = Text(
    zh="分数、掩码、softmax 和输出都用这种类型计算。",
    en="Scores, mask, softmax and output are all computed in this type.",
)
WAY = Text(zh="写法", en="way")
WAY_HELP = Text(
    zh="右边的图画哪种写法，最后的逐对检查查哪种写法；点表格的一行也行。",
    en="Which way the picture on the right shows and the test of every pair tries; picking a row of a table does the same.",
)
KEY = Text(zh="改哪个词元", en="token to change")
KEY_HELP = Text(
    zh="改动这个位置的键和值；不许看它的查询，输出本应一点不动。点权重图的一列也行。",
    en="Its key and value are changed; outputs of queries that may not see it should not move at all. Picking a column of the "
    "weights does the same.",
)
CHANGE = Text(zh="加上多少", en="what is added")
CHANGE_HELP = Text(zh="加到这个词元的每个分量上。", en="It is added to each component of the token's rows.")
CHANGES = {"one": "1", "big": "1e10", "nan": "NaN", "inf": "∞"}
PART = Text(zh="加在哪里", en="added to")
PART_HELP = Text(
    zh="键决定分数，值进入输出；两处分开改，就看得出泄漏从哪里来。",
    en="The key makes the scores and the value goes into the output: changed apart, they show where a leak comes from.",
)
PARTS = {
    "both": Text(zh="键 k 和值 v", en="key k and value v"),
    "k": Text(zh="只加键 k", en="key k alone"),
    "v": Text(zh="只加值 v", en="value v alone"),
}
SAID_PARTS = {
    "both": Text(zh="键和值", en="key and the value"),
    "k": Text(zh="键", en="key"),
    "v": Text(zh="值", en="value"),
}
TEST = Text(zh="逐对检查“%(way)s”有没有泄漏", en="Test every hidden pair under “%(way)s”")

WAYS = {
    "minus_inf": Text(zh="填 −∞（空行给 0）", en="fill −∞ (blind row: 0)"),
    "fill_1e9": Text(zh="填 −1e9", en="fill −1e9"),
    "add_1e9": Text(zh="加 −1e9", en="add −1e9"),
    "dtype_min": Text(zh="填该类型的最小数", en="fill the type's minimum"),
    "zero": Text(zh="分数 × 0", en="scores × 0"),
    "after_softmax": Text(zh="权重 × 0", en="weights × 0"),
    "renormalised": Text(zh="权重 × 0，再 ÷ 行和", en="weights × 0, ÷ row sum"),
}
LIBRARIES = ("core", "sdpa_math", "sdpa_fused", "mha_with_weights", "mha")
KERNELS = {
    "filled_softmax": Text(zh="填 −∞（空行给 NaN）", en="fill −∞ (blind row: NaN)"),
    "added_softmax": Text(zh="加 −∞（空行给 NaN）", en="add −∞ (blind row: NaN)"),
    **{name: mask_blind.KERNELS[name] for name in LIBRARIES},
}

# Pictures and tables.
RIGHT_TITLE = Text(zh="正确的权重（float64，填 −∞）", en="Right weights (float64, −∞)")
CHOSEN_TITLE = Text(zh="权重：%(way)s，%(dtype)s", en="Weights: %(way)s, %(dtype)s")
WEIGHT = Text(zh="权重", en="weight")
WAYS_TITLE = Text(zh="同一个掩码的七种写法，%(dtype)s", en="One mask, seven ways, %(dtype)s")
WAYS_COLUMNS = (
    Text(zh="最小行和", en="least row sum"),
    Text(zh="最大行和", en="largest row sum"),
    Text(zh="被挡的最大权重", en="largest hidden weight"),
    Text(zh="权重差", en="weights off by"),
    Text(zh="输出差", en="output off by"),
)
VERDICT = Text(zh="结果", en="outcome")
RIGHT = Text(zh="守住了", en="holds")
FAULTS = {
    "refused": Text(zh="torch 拒绝", en="torch refuses"),
    "nan": Text(zh="出现 NaN", en="NaN"),
    "hidden": Text(zh="被挡的键有权重", en="hidden keys weigh"),
    "sums": Text(zh="行和不是 1", en="rows do not sum to 1"),
}
REFUSED_HERE = Text(
    zh="“%(way)s”在 %(dtype)s 里没有权重可画。torch %(version)s 说：%(said)s",
    en="“%(way)s” gives no weights to draw in %(dtype)s. torch %(version)s says: %(said)s",
)

# What the ways do, with the numbers now.
SAID = Text(zh="读数", en="What it says")
PLACE = Text(zh="%(place)d（%(token)s）", en="%(place)d (%(token)s)")
HOLDS = Text(
    zh="softmax 之前填 −∞，被挡的权重最大是 %(hidden)s；看得到键的查询，行和最小 %(least)s，最大 %(most)s。",
    en="With −∞ filled in before softmax, the largest hidden weight is %(hidden)s, and the rows of queries that see a key sum to "
    "%(least)s at least and %(most)s at most.",
)
ZERO = Text(
    zh="0 不是 −∞。分数乘 0 以后，查询 %(query)s仍把 %(weight)s 的权重给了它不许看的键 %(key)s：被挡的分数变成 0，而 e⁰ = 1，"
    "照样参加归一。",
    en="0 is not −∞. With scores multiplied by 0, query %(query)s still gives key %(key)s, which it may not see, a weight of "
    "%(weight)s: the hidden score became 0, and e⁰ = 1 takes its share of the row.",
)
AFTER = Text(
    zh="softmax 以后再乘 0，查询 %(query)s那行的和只剩 %(sum)s：被挡的键早已分走 %(missing)s，擦掉它们并不会把这一份还回来。",
    en="With weights multiplied by 0 after softmax, the row of query %(query)s sums to %(sum)s: hidden keys had already taken "
    "%(missing)s, and wiping them out does not give it back.",
)
RENORMALISED = Text(
    zh="再除以剩下的和，权重就回来了，与正确答案最多差 %(difference)s。",
    en="Dividing by what is left brings the weights back, to within %(difference)s of the right ones.",
)
RENORMALISED_NAN = Text(
    zh="“权重 × 0，再 ÷ 行和”有的行救不回来：那里剩下的和是 0，0 ÷ 0 = NaN。",
    en="“Weights × 0, ÷ row sum” fails in a row that has nothing left: 0 ÷ 0 = NaN.",
)
HALF = Text(
    zh="−1e9 只在装得下它的类型里能用。float16 最大到 %(largest)s：填 −1e9，torch %(version)s 拒绝，原话是 %(said)s；"
    "加 −1e9 不报错，因为它先变成了 %(held)s。",
    en="−1e9 works where the type can hold it. float16 ends at %(largest)s: asked to fill −1e9, torch %(version)s refuses and "
    "says %(said)s; adding −1e9 passes, because it has become %(held)s by then.",
)
PRINTED = Text(
    zh="书上常印的 scores.masked_fill(mask == 0, -1e9) 就是“填 −1e9”。在 %(dtype)s 里，它的权重与正确答案最多差 %(weights)s，"
    "输出差 %(out)s；填 −∞ 的差是 %(ours)s 和 %(our_out)s。",
    en="The line often printed, scores.masked_fill(mask == 0, -1e9), is “fill −1e9”. In %(dtype)s its weights are off the right "
    "ones by at most %(weights)s and its output by %(out)s; filling −∞ is off by %(ours)s and %(our_out)s.",
)
PRINTED_REFUSED = Text(
    zh="书上常印的 scores.masked_fill(mask == 0, -1e9) 就是“填 −1e9”。在 %(dtype)s 里它根本跑不了；填 −∞ 照常，权重差 %(ours)s。",
    en="The line often printed, scores.masked_fill(mask == 0, -1e9), is “fill −1e9”. In %(dtype)s it does not run at all; filling "
    "−∞ does, its weights off by %(ours)s.",
)
BLIND = Text(
    zh="查询 %(query)s一个键也看不到。填 −∞ 的写法在这里约定给 0；填有限的数，被挡的键反而得到权重：填最小数时，最大的是 %(weight)s。",
    en="Query %(query)s may see no key at all. Filling −∞ gives zeros there, by our convention; a finite fill hands weight to "
    "hidden keys instead: up to %(weight)s with the type's minimum.",
)
NOTHING_HIDDEN = Text(
    zh="这个掩码在 %(n)d 个词元里什么也没挡住，所以各种写法没有区别，也没有泄漏可测。换一个掩码；有的掩码，把句子写长些也行。",
    en="In a sentence of length %(n)d this mask hides nothing, so the ways do not differ and there is no leak to measure. Take "
    "another mask; with some a longer sentence will do.",
)

# Leak meter.
ALL_SEE = Text(
    zh="每个查询都可以看键 %(place)d，被挡住的查询有 %(hidden)d 个，至少要 %(least)d 个才有泄漏可测。",
    en="Every query may see key %(place)d. Queries that it is hidden from: %(hidden)d; a leak needs at least %(least)d.",
)
TAKE_KEY = Text(zh="改词元 %(place)d", en="Change token %(place)d")
LEAK = Text(zh="泄漏计", en="Leak meter")
LEAK_IS = Text(
    zh="改一个被挡住的词元；不许看它的查询，输出若动了，就是泄漏。",
    en="Change a hidden token. If the output of a query that may not see it moves, the mask leaks.",
)
SDPA = Text(
    zh="表里的 SDPA 是 F.scaled_dot_product_attention。",
    en="SDPA in the table is F.scaled_dot_product_attention.",
)
LEAK_TITLE = Text(
    zh="%(key)s 加 %(change)s 后，不许看它的查询，输出动了多少",
    en="How far outputs that may not see %(key)s move when %(change)s is added",
)
STILL = Text(zh="正好 0", en="exactly 0")
ROUNDING = Text(zh="只有舍入", en="rounding only")
LEAKS = Text(zh="泄漏 %(found)d / %(hidden)d", en="leaks in %(found)d of %(hidden)d")
WAS_NAN = Text(zh="改前就是 NaN", en="NaN before")
OF_HIDDEN = Text(zh="%(said)s：%(found)d / %(hidden)d", en="%(said)s in %(found)d of %(hidden)d")
LEAK_SEE = Text(
    zh="词元 %(key)s的%(part)s每个分量加上 %(change)s，%(dtype)s。不许看它的查询有 %(hidden)d 个（共 %(n)d 个）。"
    "%(ways)d 种算法中，%(still)d 种的这些输出正好动 0，%(rounding)d 种只差舍入，%(leaking)d 种泄漏，%(refused)d 种被 torch 拒绝。",
    en="To each component of the %(part)s of token %(key)s, %(change)s is added, in %(dtype)s. Queries that may not see it: "
    "%(hidden)d of %(n)d. How their outputs moved, counted over %(ways)d computations: exactly 0 in %(still)d, by rounding "
    "alone in %(rounding)d, a leak in %(leaking)d, refused by torch in %(refused)d.",
)
QUOTED = Text(zh="“%(name)s”", en="“%(name)s”")
COMMA = Text(zh="、", en=", ")
SEMICOLON = Text(zh="；", en="; ")
WHO_LEAKS = Text(zh="泄漏的是：%(names)s。", en="Leaking: %(names)s.")
SAY_WAS_NAN = Text(
    zh="%(names)s的“–”是还没改就已经是 NaN 的输出，说不上动没动：查询一个键也看不到时，它们给的就是 NaN。",
    en="With %(names)s, – is an output that was NaN before anything was changed, so it is neither still nor moved: NaN is what "
    "comes out for a query that sees no key.",
)
ALL_WERE_NAN = Text(
    zh="其中 %(ways)d 种没有别的输出可测，不算在上面任何一种里。",
    en="In none of these counts, as nothing else can be measured there: %(ways)d.",
)
HELD = Text(
    zh="%(dtype)s 写不下 %(change)s，它到了那里就是 %(held)s。",
    en="%(dtype)s cannot hold %(change)s; it arrives there as %(held)s.",
)
VALUE_NAN = Text(
    zh="掩码挡不住值里的 %(change)s：权重就算正好是 0，也有 0 · %(change)s = %(product)s；输出是所有值的加权和，一项是 NaN，整个和就是 NaN。"
    "所以填充的位置要放有限的数，不能指望掩码去清理。",
    en="No mask stops %(change)s in a value: even for a weight of exactly 0, 0 · %(change)s = %(product)s, and an output is the "
    "weighted sum of all values, so one NaN makes all of it NaN. Filler must hold finite numbers; a mask does not clean up.",
)
VALUE_INF = Text(
    zh="%(names)s让某些输出变成了 ∞：被挡的键在那里有权重，正数 · %(change)s = %(product)s。",
    en="With %(names)s an output becomes ∞: there the hidden key has a weight, and a positive number · %(change)s = %(product)s.",
)
KEY_NAN = Text(
    zh="键里有 NaN，每个查询给它的分数就都是 NaN。",
    en="NaN in a key makes its score NaN for every query.",
)
KEY_INF = Text(
    zh="键里有 ∞，分数就由查询的正负号决定：分量全负是 −∞，全正是 ∞，有正有负是 ∞ − ∞ = NaN。"
    "被挡的 %(hidden)d 个查询里，%(minus)d 个的分数是 −∞，%(plus)d 个是 ∞，%(nan)d 个是 NaN。",
    en="∞ in a key makes its score follow the signs in the query: −∞ where all components are negative, ∞ where all are positive, "
    "∞ − ∞ = NaN where there are both. Queries that may not see it: %(hidden)d; the score is −∞ for %(minus)d, ∞ for "
    "%(plus)d, NaN for %(nan)d.",
)
FILLED = Text(
    zh="填，不管原来是什么分数，都整个盖掉：%(names)s正好动 0。",
    en="Filling overwrites the score, whatever it is: nothing moves with %(names)s.",
)
ADDED = Text(zh="加，分数还留着：%(sums)s。", en="Adding leaves the score in: %(sums)s.")
ADDED_INF = Text(
    zh="%(score)s − ∞ = %(sum)s，权重照样是 0",
    en="%(score)s − ∞ = %(sum)s is a weight of 0, as it should be",
)
ADDED_NAN = Text(
    zh="%(score)s − ∞ = %(sum)s，softmax 再把整行变成 NaN",
    en="%(score)s − ∞ = %(sum)s, and softmax makes the whole row NaN",
)
ADDED_BOTH = Text(
    zh="%(score)s − ∞ = %(sum)s，而 %(score)s − 1e9 = %(less)s，softmax 都把整行变成 NaN",
    en="%(score)s − ∞ = %(sum)s and %(score)s − 1e9 = %(less)s, and softmax makes the whole row NaN of either",
)
ADDED_LEAKS = Text(zh="泄漏的有%(names)s。", en="It leaks with %(names)s.")
ADDED_HOLDS = Text(zh="不泄漏的有%(names)s。", en="It does not leak with %(names)s.")
MULTIPLIED = Text(
    zh="乘 0 也消不掉它：0 · %(change)s = %(product)s；乘在权重上的，分数更是先进了 softmax。泄漏的有%(names)s。",
    en="Multiplying by 0 does not remove it: 0 · %(change)s = %(product)s, and where weights are multiplied the score has been in "
    "softmax by then. It leaks with %(names)s.",
)
BLIND_LEAKS = Text(
    zh="查询 %(query)s一个键也看不到。填进或加上的数若是有限的，被挡的键在那一行就仍有权重，改动也就漏了过去：%(names)s。",
    en="Query %(query)s sees no key. Where the number filled in or added is finite, hidden keys still have weights in that row, and "
    "the change comes through: %(names)s.",
)
BY_TORCH = Text(
    zh="把布尔掩码交给 torch 自己的 SDPA 和 nn.MultiheadAttention，量得出来的 %(ways)d 种调用里有 %(found)d 种泄漏。",
    en="A bool mask handed to torch's own SDPA and nn.MultiheadAttention: calls that leak here, of those that can be measured: "
    "%(found)d of %(ways)d.",
)
TORCH_ADDS = Text(
    zh="它们在里面把布尔掩码换成加上去的 −∞。",
    en="Inside, they turn a bool mask into −∞ that is added.",
)
MODULE_FIRST = Text(
    zh="nn.MultiheadAttention 先让键乘上自己的矩阵（这里是单位矩阵），其中已有 0 · %(change)s = %(product)s，所以连上面分数是 −∞ 的查询也动了。",
    en="nn.MultiheadAttention first multiplies the key by a matrix of its own, here the identity; 0 · %(change)s = %(product)s in that "
    "product, so even a query with a score of −∞ above moves.",
)
ZERO_BY_VALUE = Text(
    zh="只改键，“分数 × 0”看不出毛病：被挡的分数不管原来多大，都成了 0。它的权重仍在，改值就会漏出来。",
    en="With the key alone changed, “scores × 0” looks sound: a hidden score is 0 whatever it was. Its weight is still "
    "there, and a change of the value comes through.",
)
TOO_WEAK = Text(
    zh="加 −1e9 输给了大数：这个键的分数比 1e9 还大，减掉 1e9 仍是那一行最大的。",
    en="Adding −1e9 loses to a large number: this key's score is so large that 1e9 less still leaves it on top of a row.",
)
NOTHING_LEFT = Text(
    zh="“权重 × 0，再 ÷ 行和”出现 NaN：被挡的键先拿走整行的权重，乘 0 以后一点不剩，0 ÷ 0 = NaN。",
    en="“Weights × 0, ÷ row sum” gives NaN: the hidden key took the whole row first, multiplying by 0 left nothing, and 0 ÷ 0 = NaN.",
)

# Test of every pair.
TESTED = Text(
    zh="q、k、v 另抽（float64，种子 %(seed)d），逐个换掉键和值，看哪些查询的输出动了。掩码挡住 %(hidden)d 对。",
    en="On other draws of q, k and v (float64, seed %(seed)d) each key and value is replaced in turn, to see which outputs move. "
    "Pairs that the mask hides: %(hidden)d.",
)
TEST_HOLDS = Text(
    zh="没有一对泄漏，许可的也都有影响。",
    en="None of them leaks, and every allowed pair has an influence.",
)
TEST_LEAKS = Text(
    zh="其中 %(found)d 对泄漏：%(pairs)s（查询 ← 键）。",
    en="Leaking: %(found)d, namely %(pairs)s (query ← key).",
)
TEST_MISSING = Text(
    zh="许可却没有影响的有 %(found)d 对：%(pairs)s。",
    en="Allowed and yet without influence: %(found)d, namely %(pairs)s.",
)
TEST_NAN = Text(
    zh="查询 %(queries)s 还没改就不是数。",
    en="No number even before a change: the output of query %(queries)s.",
)

# Question.
QUESTION = Text(
    zh="分数是 %(scores)s，只许看前 %(n)d 个键。正确的权重是什么？分数乘 0 呢？softmax 以后再乘 0，这一行的和是多少？",
    en="The scores are %(scores)s, and only the first %(n)d keys may be seen. What are the right weights? What does multiplying the "
    "scores by 0 give? And what does the row sum to if the weights are multiplied by 0 after softmax?",
)
ANSWER = Text(
    zh="正确：%(right)s。分数乘 0：%(zero)s，后 %(n_hidden)d 个键各拿到 %(share)s，因为它们的分数变成 0，而 e⁰ = 1。softmax 后乘 0：和是 %(sum)s，"
    "剩下的 %(missing)s 给了被挡的键。",
    en="Right: %(right)s. Scores multiplied by 0: %(zero)s; the last %(n_hidden)d keys get %(share)s each, for their scores are 0 now "
    "and e⁰ = 1. After softmax: the row sums to %(sum)s, and the other %(missing)s went to hidden keys.",
)
