"""Words of the view that compares one projection for all heads with one for each (H5)."""

from dashboard.text import Text

VIEW = Text(zh="一个大矩阵，几个小矩阵", en="One matrix or many")

D_MODEL = Text(zh="d_model（宽度）", en="d_model (width)")
D_MODEL_HELP = Text(
    zh="1 到 32，要能被 h 整除。每个数是 d_model 个乘积之和。",
    en="1 to 32; h has to divide it. Each number is a sum of d_model products.",
)
H = Text(zh="h（头数）", en="h (heads)")
H_HELP = Text(zh="1 到 16，要整除 d_model。", en="1 to 16; has to divide d_model.")
N = Text(zh="N（位置数）", en="N (positions)")
N_HELP = Text(zh="x 有几行，1 到 16。", en="Rows of x, 1 to 16.")
SEED = Text(zh="种子", en="seed")
SEED_HELP = Text(zh="x 和 W^Q 由它抽出。", en="x and W^Q are drawn from it.")
DTYPE = Text(zh="类型", en="type")
DTYPE_HELP = Text(
    zh="同样的 float64 数，舍入到这个类型再算。",
    en="The same float64 numbers, rounded to this type and then used.",
)
FORMS = {
    "matmul": Text(zh="逐头 matmul", en="matmul, head by head"),
    "batched": Text(zh="批量 bmm", en="one bmm"),
    "einsum": Text(zh="einsum", en="einsum"),
    "fixed_order": Text(zh="固定顺序相加", en="added in a fixed order"),
}
NOTE = Text(
    zh="随机的 x 和 W^Q（种子 %(seed)d）· %(dtype)s · 刚刚在 CPU 上用 torch %(version)s 算的",
    en="random x and W^Q (seed %(seed)d) · %(dtype)s · computed just now on the CPU by torch %(version)s",
)
HEAD_COLUMN = Text(zh="头%(head)d", en="h%(head)d")
MATRICES = {
    "x": Text(zh="输入：%(n)d × %(d_model)d", en="input: %(n)d × %(d_model)d"),
    "w.big": Text(
        zh="一个大矩阵：%(d_model)d × (%(h)d · %(d_h)d)，头 %(head)d 的列上色；点一列换头",
        en="one large matrix: %(d_model)d × (%(h)d · %(d_h)d), head %(head)d coloured; pick a column for its head",
    ),
    "w.small": Text(
        zh="头 %(head)d 的小矩阵：%(d_model)d × %(d_h)d",
        en="small matrix of head %(head)d: %(d_model)d × %(d_h)d",
    ),
    "q.big": Text(
        zh="= X 乘大矩阵，其中头 %(head)d 的列",
        en="= X times the large one, columns of head %(head)d",
    ),
    "q.small": Text(zh="= X 乘头 %(head)d 的小矩阵", en="= X times the small one of head %(head)d"),
    "apart": Text(zh="上面两个 Q 之差（大 − 小）", en="Difference of the two Q (large − small)"),
}
DIFFERENCE = Text(zh="差", en="difference")

TABLE = Text(
    zh="大矩阵对 h 个小矩阵，四种乘法", en="One large matrix against h small ones, multiplied in four ways"
)
FORM_ROW = Text(zh="乘法", en="form")
COLUMNS = (
    Text(zh="最多差", en="largest difference"),
    Text(zh="相对最大的数", en="relative to the largest"),
    Text(zh="合几个末位单位", en="in units of the last place"),
    Text(zh="不同的数", en="numbers that differ"),
    Text(zh="大：乘法次数", en="large: products"),
    Text(zh="小：乘法次数", en="small: products"),
    Text(zh="大：参数", en="large: parameters"),
    Text(zh="小：参数", en="small: parameters"),
)
WIDTHS = Text(zh="小：一次乘出的列数", en="small: columns a product makes")

SAME_SUMS = Text(
    zh="为什么该相等：Q 的第 c 列只用 W^Q 的第 c 列。把 %(width)d 列切成 %(h)d 份、每份 %(d_h)d 列，没有改动任何一个和；"
    "能不同的只有相加的顺序，也就是舍入。",
    en="Why they should be equal: column c of Q uses column c of W^Q alone. Cutting %(width)d columns into %(h)d times %(d_h)d changes "
    "no sum; only the order of adding, and so the rounding, can differ.",
)
SAME_SUMS_ONE = Text(
    zh="只有一个头：“小矩阵”就是大矩阵本身，没有什么可切。取 h 大于 1 再看。",
    en="With one head the small matrix is the large one and nothing is cut. Take an h above 1 to compare.",
)
FIXED = Text(
    zh="固定顺序相加：%(all)d 个数里不同的有 %(different)d 个，最多差 %(difference)s。每个数一步一步加，旁边有几列都一样，"
    "所以在每个类型里差都正好是 0。",
    en="Added in a fixed order: numbers that differ, %(different)d of %(all)d; the largest difference is %(difference)s. Each number is "
    "added up step by step, whatever columns stand beside it, so the difference is exactly 0 in every type.",
)
MATMUL = Text(
    zh="逐头 matmul：%(all)d 个数里不同的有 %(different)d 个，最多差 %(difference)s，合 %(steps)s 个末位单位（最大的数的）。换个顺序加，"
    "最多能差 %(bound)s，所以这只是舍入：矩阵库按乘积的大小分块，块一变，相加的顺序也变。",
    en="Matmul, head by head: numbers that differ, %(different)d of %(all)d, by at most %(difference)s; in units of the last place of the "
    "largest number, %(steps)s. Another order of adding can change up to %(bound)s, so this is rounding: a library picks its "
    "blocks by the size of the product, and with them the order of the sum.",
)
MATMUL_SAME = Text(
    zh="逐头 matmul：这里一个数也不差。这是这些大小、这台机器上的结果，不是保证：换个大小，相加的顺序就可能变。",
    en="Matmul, head by head: no number differs here. That is a result of these sizes on this machine and no promise: at other sizes "
    "the order of adding may change.",
)
ROUNDED_ONCE = Text(
    zh="%(dtype)s 还有一个原因：torch 给出的正好是 float32 的积再舍入一次，逐位相同；float32 里的小差别舍入之后看不见了。",
    en="In %(dtype)s there is one more reason: what torch gave is, bit by bit, the product of float32 rounded once, and small "
    "differences in float32 do not survive that.",
)
EINSUM_ONE = Text(
    zh="einsum 的 0 不算证据：torch 把各头并排，又乘了同一个大矩阵（一次乘出 %(made)d 列，不是 %(d_h)d 列），拿它和自己比当然一样。",
    en="The 0 of einsum is no evidence: torch laid the heads side by side and made the one large product again (columns it made: "
    "%(made)d, not %(d_h)d), which is compared with itself.",
)
EINSUM_STILL = Text(
    zh="einsum 差 %(difference)s，虽然它也并排乘了一个大矩阵（一次乘出 %(made)d 列）：内存排法不同，块就可能不同。",
    en="einsum differs by %(difference)s although it too made one large product (columns it made: %(made)d): laid out otherwise in "
    "memory, blocks may differ.",
)
EINSUM_SMALL = Text(
    zh="einsum 差 %(difference)s，它一次乘出的列数是 %(made)s。",
    en="einsum differs by %(difference)s; columns it made at a time: %(made)s.",
)
PRODUCTS = Text(
    zh="结果一样，代价不同：逐头 matmul，小矩阵要乘 %(small)d 次，大矩阵只要 %(big)d 次；所以实际代码多用一个大矩阵，算完再拆头。",
    en="Same result, other cost: head by head the small ones take %(small)d of torch's products, the large one %(big)d. So code mostly "
    "keeps one large matrix and splits heads afterwards.",
)

QUESTION = Text(
    zh="大矩阵的参数比 h 个小矩阵多吗？在 float16 里，相加的顺序要紧吗？",
    en="Has the large matrix more parameters than the h small ones? And does the order of adding matter in float16?",
)
ANSWER = Text(
    zh="参数一样多：%(d_model)d · %(width)d = %(big)d，%(h)d · (%(d_model)d · %(d_h)d) = %(small)d。%(orders)s",
    en="As many: %(d_model)d · %(width)d = %(big)d and %(h)d · (%(d_model)d · %(d_h)d) = %(small)d. %(orders)s",
)
ORDER_MATTERS = Text(
    zh="要紧：同样的积，从头加到尾和从尾加到头，%(all)d 个数里不同的个数（括号里是最大的差）：%(each)s。",
    en="It does matter. The same products added from last to first: numbers that differ, of %(all)d, and in brackets by how much at "
    "most: %(each)s.",
)
ORDER_DOES_NOT = Text(
    zh="顺序在这里不要紧：同样的积从头加到尾、再从尾加到头，float16 里 %(all)d 个数全部相同。%(reason)s",
    en="Here it does not: with the same products added from first to last and from last to first, no number changes in float16 "
    "(numbers compared: %(all)d). %(reason)s",
)
TOO_SHORT = Text(
    zh="d_model 不超过 2 时，和里最多两个积，a + b 就是 b + a；d_model 再大就要紧了。",
    en="With d_model of 2 or less a sum has two products at most, and a + b is b + a; with more it does matter.",
)
BY_CHANCE = Text(
    zh="换个种子或更大的 d_model，多半就会不同。",
    en="Another seed or a larger d_model may well show a difference.",
)
OF_TYPE = Text(
    zh="%(dtype)s %(different)d 个（%(difference)s）", en="%(dtype)s %(different)d (%(difference)s)"
)
BETWEEN = Text(zh="；", en="; ")
