"""Words of the view that measures how far attentions lie from full attention."""

from dashboard.text import Text

LINES = Text(zh="画哪几条线", en="lines")
LINES_HELP = Text(
    zh="每条线是一种注意力。没有大小可调的（线性）是平的。",
    en="A line an attention. Those without a size (linear) are flat.",
)
NAMES = {
    "window": Text(zh="窗口", en="window"),
    "dilated": Text(zh="空洞窗口（s = 2）", en="dilated window (s = 2)"),
    "block": Text(zh="分块", en="blocks"),
    "strided": Text(zh="跨步", en="strided"),
    "global_window": Text(zh="窗口 + 1 个全局", en="window + 1 global"),
    "low_rank_pooled": Text(zh="低秩（取平均）", en="low rank (means)"),
    "low_rank_drawn": Text(zh="低秩（随机矩阵）", en="low rank (random)"),
    "linear_elu": Text(zh="线性（elu + 1）", en="linear (elu + 1)"),
    "linear_relu": Text(zh="线性（relu）", en="linear (relu)"),
}
LINE = Text(zh="注意力", en="attention")
AXIS = Text(zh="横轴", en="horizontal axis")
AXIS_HELP = Text(
    zh="让大小（窗口宽、块长、步长、秩）变，或者让 N 变。",
    en="What changes: the size (width of a window, length of a block, stride, rank), or N.",
)
AXES = {
    "size": Text(zh="大小：w、b、步长、r", en="size: w, b, stride, r"),
    "n": Text(zh="N（位置）", en="N (positions)"),
}
N = Text(zh="N（位置）", en="N (positions)")
N_HELP = Text(
    zh="随机的 q、k、v 有几个位置，最多 512。", en="Positions of the random q, k and v, at most 512."
)
SIZE = Text(zh="大小", en="size")
SIZE_HELP = Text(
    zh="窗口宽、块长、步长和秩都用它，1 到 512。",
    en="What width, block, stride and rank are, 1 to 512.",
)
SHARPNESS = Text(zh="分数乘以", en="scores times")
SHARPNESS_HELP = Text(
    zh="所有分数都乘上它：越大，softmax 越尖。你的句子的分数也一起乘。",
    en="All scores are multiplied by it: the larger, the sharper softmax. Scores of your sentence as well.",
)
NEARNESS = Text(zh="邻近相似 a", en="nearness a")
NEARNESS_HELP = Text(
    zh="相邻位置的 q 和 k 有多像：0 时谁和谁都不近；a 越大，分数越偏向近处。只影响随机的 q、k。",
    en="How alike q and k of neighbours are: at 0 nothing is near to anything; the larger a, the more scores prefer near keys. For "
    "the random q and k alone.",
)
Y_TITLE = Text(zh="相对误差", en="relative error")
OWN = Text(zh="你的句子", en="your sentence")
OWN_SAID = Text(zh="N = %(n)d，所有头", en="N = %(n)d, all heads")
ZEROS = Text(zh="输出全是 0", en="an output of zeros")
ALT = Text(
    zh="折线图：%(lines)s 的相对误差随%(axis)s的变化，竖短线是 %(draws)d 次抽样的最低到最高，菱形是你的句子，虚线是输出全为 0 的误差 1。数在下面的表里。",
    en="Lines: relative error of %(lines)s against %(axis)s, upright strokes from the lowest to the highest draw of %(draws)d, diamonds for your "
    "sentence, a dashed rule at 1, the error of an output of zeros. The numbers are in the table below.",
)
NO_LINES = Text(zh="没有选任何线。", en="No line is chosen.")
SHOW_ALL = Text(zh="画开始时的那几条", en="Draw the first lines again")
NO_CAUSAL_FORM = Text(
    zh="没有画：%(lines)s。低秩注意力没有因果形式，而侧栏里开着因果掩码。",
    en="Not drawn: %(lines)s. Low-rank attention has no causal form, and the causal mask is on in the sidebar.",
)
MEASURING = Text(zh="正在测 %(at)s", en="measuring %(at)s")

NOTE = Text(
    zh="测得：随机的 q、k、v（种子 %(first)d 到 %(last)d，1 个头，d_k = %(d_k)d，float64），%(mask)s，%(fixed)s；线是 %(draws)d 次的平均 · "
    "相对误差 = |输出 − 完整注意力的输出| / |完整注意力的输出| · 菱形：你的句子（随机权重，种子 %(seed)d）",
    en="measured: random q, k and v (seeds %(first)d to %(last)d, one head, d_k = %(d_k)d, float64), %(mask)s, %(fixed)s; lines are means of "
    "%(draws)d draws · relative error = |output − full's output| / |full's output| · diamonds: your sentence (random weights, seed %(seed)d)",
)
FIXED_N = Text(zh="N = %(n)s", en="N = %(n)s")
FIXED_SIZE = Text(zh="大小 = %(size)s", en="size = %(size)s")
SAID = Text(zh="读出什么", en="What to read off")
JOIN = Text(zh="、", en=", ")
SEMICOLON = Text(zh="；", en="; ")
VALUE = Text(zh="%(line)s %(error)s", en="%(line)s %(error)s")
VANISH = Text(
    zh="大小到了 N = %(n)s，就和完整注意力一样，误差是 0（测得最多 %(most)s）：%(lines)s。",
    en="At size N = %(n)s each of these is full attention and its error 0 (measured: at most %(most)s): %(lines)s.",
)
FALL = Text(zh="大小每加一档，误差都降：%(lines)s。", en="The error falls with every larger size: %(lines)s.")
FALL_NOT = Text(
    zh="大小加上去，误差有时不降：%(lines)s。",
    en="The error does not fall with every larger size: %(lines)s.",
)
STRIDED = Text(
    zh="跨步在步长 1 时看得见每一个键，误差也是 0；两头都是完整注意力，中间才省。",
    en="Strided sees every key at a stride of 1 too, where its error is 0 as well: it is full attention at both ends and saves between them.",
)
DILATED = Text(
    zh="空洞窗口夹在中间的键永远看不见，大小等于 N 时误差还有 %(error)s。",
    en="A dilated window never sees the keys between: at a size of N its error is still %(error)s.",
)
DRAWN = Text(
    zh="随机矩阵混出来的低秩，r = N 时误差还有 %(error)s：r = N 也不是单位矩阵，要靠训练。",
    en="Low rank with a random matrix still has an error of %(error)s at r = N, where it is no identity: it takes training.",
)
FLAT = Text(
    zh="线性注意力没有大小可调，误差降不下去：%(lines)s。它是另一个函数。",
    en="Linear attention has no size by which its error would vanish: %(lines)s. It is another function.",
)
GROWS = Text(
    zh="N 从 %(first)s 到 %(last)s：%(lines)s。",
    en="From N = %(first)s to %(last)s: %(lines)s.",
)
FROM_TO = Text(zh="%(line)s从 %(start)s 到 %(end)s", en="%(line)s from %(start)s to %(end)s")
ABOVE_ONE = Text(
    zh="有的地方误差超过 1，还不如什么也不输出：%(lines)s。这里的 v 是互不相干的随机向量：看的键不同，输出就指向别处；平均的键少，输出还更长。",
    en="In places the error is above 1, worse than an output of zeros: %(lines)s. Values are random here "
    "and unrelated: a mean over other keys points elsewhere, and one over fewer keys is longer.",
)
NONE_ABOVE = Text(
    zh="没有哪条线超过 1，也就是输出全为 0 的误差。",
    en="No line is above 1, the error of an output of zeros.",
)
OWN_ERRORS = Text(
    zh="你的句子（N = %(n)d，大小 %(size)d，分数乘以 %(sharpness)s）：%(lines)s。",
    en="Your sentence (N = %(n)d, size %(size)d, scores times %(sharpness)s): %(lines)s.",
)
QUESTION = Text(
    zh="把邻近相似调到 0，让谁和谁都不近：大小 16 的窗口，误差比输出全为 0 大还是小？先猜（打开时当场测，N = %(n)s）。",
    en="With a nearness of 0, where nothing is near to anything: is the error of a window of 16 larger or smaller than that of an output of "
    "zeros? Guess first (it is measured when you open this, at N = %(n)s).",
)
ANSWER_MORE = Text(
    zh="更大：%(error)s（%(low)s 到 %(high)s），全 0 是 1。窗口只在分数真的偏向近处时才是好的近似；a = %(nearness)s 时它的误差是 %(near)s。",
    en="Larger: %(error)s (%(low)s to %(high)s), against 1. A window comes near full attention only where scores do prefer near keys; at "
    "a = %(nearness)s its error is %(near)s.",
)
ANSWER_LESS = Text(
    zh="更小：%(error)s（%(low)s 到 %(high)s），全 0 是 1；a = %(nearness)s 时它的误差是 %(near)s。",
    en="Smaller: %(error)s (%(low)s to %(high)s), against 1; at a = %(nearness)s its error is %(near)s.",
)
CSV = {
    "line": Text(zh="注意力", en="attention"),
    "whose": Text(zh="谁的", en="of"),
    "n": Text(zh="N", en="N"),
    "size": Text(zh="大小", en="size"),
    "mean": Text(zh="平均相对误差", en="mean relative error"),
    "lowest": Text(zh="最低", en="lowest"),
    "highest": Text(zh="最高", en="highest"),
}
DRAWS = Text(zh="随机，%(draws)d 次", en="random, %(draws)d draws")
