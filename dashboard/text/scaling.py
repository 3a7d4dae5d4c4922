"""Words of the scaling lesson."""

from dashboard.text import Text

TITLE = Text(zh="为什么除以 √d_k：量出来看", en="Why divide by √d_k: measure it")
CLAIM = Text(
    zh="*q*·*k* 是 d_k 个乘积的和，宽度越大，分数散得越开；softmax 把散开的分数变成一个键独占，梯度也随之消失。"
    "除以 √d_k 正好抵消。下面的曲线都是当场随机抽样量出来的，理论值画在旁边。",
    en="*q*·*k* adds up d_k products, so the wider the vectors, the farther scores spread; softmax turns a wide spread into "
    "one key that takes everything, and the gradient goes with it. √d_k undoes exactly that. Every curve here is measured "
    "on random draws made for you, with the theory beside it.",
)

VIEW = Text(zh="看什么", en="View")
VIEW_HELP = Text(zh="六组实验。", en="Six groups of experiments.")
VIEWS = {
    "variance": Text(zh="q·k 的方差", en="Variance of q·k"),
    "saturation": Text(zh="softmax 饱和", en="Saturation"),
    "temperature": Text(zh="温度", en="Temperature"),
    "clinic": Text(zh="诊所", en="Clinic"),
    "overflow": Text(zh="溢出", en="Overflow"),
    "textbook": Text(zh="核对教科书", en="Check the textbook"),
}

# The settings of what is drawn.
D_K = Text(zh="d_k（查询和键的宽度）", en="d_k (query and key width)")
D_K_HELP = Text(
    zh="滑块停在 2 的幂上，右边的框可以填 1 到 4096 的任何整数。下面的图和数都跟着变。",
    en="The slider stops at powers of two; the box beside it takes any whole number from 1 to 4096. Pictures and numbers "
    "below follow.",
)
ANY_D_K = Text(zh="d_k，任意值", en="d_k, any value")
REACH = Text(zh="扫到多宽", en="sweep up to")
REACH_HELP = Text(
    zh="曲线从 d_k = 1 画到这里。越宽越慢。", en="Curves run from d_k = 1 to here. Wider takes longer."
)
N_KEYS = Text(zh="N（键的个数）", en="N (number of keys)")
N_KEYS_HELP = Text(
    zh="每次试验里一个查询面对几个键，2 到 512。", en="How many keys each query meets in a trial, 2 to 512."
)
DISTRIBUTION = Text(zh="分量的分布", en="distribution of components")
DISTRIBUTION_HELP = Text(
    zh="q 和 k 的每个分量怎样抽。四种分布都先化成均值 0、方差 1；稀疏的分量九成是 0。",
    en="How each component of q and k is drawn. All four have mean 0 and variance 1 before the settings below; of the "
    "sparse one nine in ten components are 0.",
)
DISTRIBUTIONS = {
    "normal": Text(zh="正态", en="normal"),
    "uniform": Text(zh="均匀", en="uniform"),
    "signs": Text(zh="±1", en="±1"),
    "sparse": Text(zh="稀疏", en="sparse"),
}
MEAN_Q = Text(zh="q 的均值 μ_q", en="mean of q, μ_q")
MEAN_K = Text(zh="k 的均值 μ_k", en="mean of k, μ_k")
MEAN_HELP = Text(
    zh="每个分量都加上它。均值不为 0 时，分数会整体平移，方差也变大。",
    en="Added to every component. With means other than 0 all scores shift and their variance grows.",
)
STD_Q = Text(zh="q 的标准差 σ_q", en="standard deviation of q, σ_q")
STD_K = Text(zh="k 的标准差 σ_k", en="standard deviation of k, σ_k")
STD_HELP = Text(
    zh="每个分量都乘上它。√d_k 假定它是 1。", en="Multiplies every component. √d_k takes it to be 1."
)
CORRELATION = Text(zh="q 与 k 的相关 ρ", en="correlation of q and k, ρ")
CORRELATION_HELP = Text(
    zh="q 和 k 同一位置的分量有多像，−1 到 1。0 就是互不相干。",
    en="How alike the components of q and k at the same place are, −1 to 1; 0 is independent.",
)
TRIALS = Text(zh="试验次数", en="trials")
TRIALS_HELP = Text(
    zh="每个宽度抽多少次。越多，误差越小，也越慢。",
    en="How many draws at each width. More make the error smaller and take longer.",
)
SEEDS = Text(zh="重复几组（种子）", en="repeats (seeds)")
SEEDS_HELP = Text(
    zh="换种子重复几遍；色带从最小画到最大。",
    en="The measurement is repeated with as many seeds; the band runs from the lowest to the highest.",
)
SEED = Text(zh="种子", en="seed")
SEED_HELP = Text(zh="同一种子，同样的随机数。", en="The same seed gives the same random numbers.")
DTYPE = Text(zh="数值类型", en="number type")
DTYPE_HELP = Text(
    zh="q、k、分数和权重用什么类型计算。半精度会舍入，也可能溢出。",
    en="In which type q, k, scores and weights are computed. Half precision rounds and may overflow.",
)
DEVICE = Text(zh="在哪里算", en="device")
DEVICE_HELP = Text(zh="随机数相同，只换计算的地方。", en="The same draws, computed elsewhere.")
DEVICES = {"cpu": "CPU", "cuda": "CUDA"}
NO_CUDA = Text(
    zh="链接要用 CUDA，这台服务器没有，改在 CPU 上算。",
    en="The link asks for CUDA; this server has none, so the CPU computes.",
)
HEADS = Text(zh="h（头数，用于 √d_model）", en="h (heads, for √d_model)")
HEADS_HELP = Text(
    zh="d_model = h · d_k。误用 √d_model 时，分数多除了 √h 倍。",
    en="d_model = h · d_k. Whoever divides by √d_model divides by √h too much.",
)
TEMPERATURE = Text(zh="温度 T", en="temperature T")
TEMPERATURE_HELP = Text(
    zh="自己定的除数，0.01 到 1000，不随宽度变。",
    en="A divisor of your own, 0.01 to 1000, the same at every width.",
)
MORE_SETTINGS = Text(zh="更多设置", en="More settings")
TOO_MUCH = Text(
    zh="一次最多抽 %(limit)s 个随机数，这里要 %(needed)s 个。最近的可行设置是 %(trials)d 次试验。",
    en="At most %(limit)s random numbers are drawn at a time; this asks for %(needed)s. The nearest that fits is "
    "%(trials)d trials.",
)
TAKE_TRIALS = Text(zh="改成 %(trials)d 次试验", en="Take %(trials)d trials")
MEASURING = Text(zh="正在量 d_k = %(d_k)d（共到 %(last)d）", en="measuring d_k = %(d_k)d of %(last)d")
MEASURED_ON = Text(
    zh="随机抽样（种子 %(seeds)s）· 每个宽度 %(trials)d 次试验 · %(dtype)s · %(device)s · 当场量得",
    en="random draws (seed %(seeds)s) · %(trials)d trials a width · %(dtype)s · %(device)s · measured just now",
)
D_K_TITLE = Text(zh="宽度 d_k", en="width d_k")

# Variance.
HISTOGRAM_TITLE = Text(zh="分数 q·k", en="score q·k")
SHARE_TITLE = Text(zh="所占比例", en="share of scores")
HISTOGRAM_KINDS = {
    "measured": Text(zh="量得", en="measured"),
    "normal": Text(zh="理论正态", en="normal of theory"),
}
HISTOGRAM_ALT = Text(
    zh="d_k = %(d_k)d 时 q·k 的直方图：均值 %(mean)s，标准差 %(std)s；理论正态的均值 %(expected)s，标准差 %(expected_std)s。",
    en="Histogram of q·k at d_k = %(d_k)d: mean %(mean)s, standard deviation %(std)s; the normal of theory has mean "
    "%(expected)s and standard deviation %(expected_std)s.",
)
VARIANCE_TITLE = Text(zh="q·k 的方差", en="variance of q·k")
VARIANCE_KINDS = {
    "median": Text(zh="各种子的中位数", en="median over seeds"),
    "theory": Text(zh="理论", en="theory"),
}
VARIANCE_ALT = Text(
    zh="q·k 的方差随 d_k 的变化，两轴都是对数：d_k = %(first)d 时 %(first_variance)s，d_k = %(last)d 时 %(last_variance)s；"
    "理论值是 %(first_expected)s 和 %(last_expected)s。",
    en="Variance of q·k against d_k on logarithmic axes: %(first_variance)s at d_k = %(first)d, %(last_variance)s at "
    "d_k = %(last)d; theory says %(first_expected)s and %(last_expected)s.",
)
VARIANCE_SEE = Text(
    zh="d_k = %(d_k)d 时，%(trials)d 个 q·k 的平均是 %(mean)s（标准误 %(mean_error)s，理论 %(expected)s），"
    "方差是 %(variance)s（标准误 %(variance_error)s，理论 %(expected_variance)s），也就是标准差约 %(std)s。",
    en="At d_k = %(d_k)d the mean of %(trials)d scores q·k is %(mean)s (standard error %(mean_error)s, theory "
    "%(expected)s), their variance %(variance)s (standard error %(variance_error)s, theory %(expected_variance)s): a "
    "standard deviation of about %(std)s.",
)
VARIANCE_FAR = Text(
    zh="量得的方差离理论 %(errors)s 个标准误；三个以内只是运气，再远就该怀疑理论或代码。",
    en="The variance lies %(errors)s standard errors from theory; within three is chance, farther is a reason to doubt the "
    "theory or the code.",
)
VARIANCE_UNFAIR = Text(
    zh="剩下的只是装得下的那些分数，不是公平的样本，所以不和理论比。",
    en="What is left are only the scores that fit: no fair sample, so it is not held against theory.",
)
VARIANCE_WHY = Text(
    zh="每个乘积 q_i·k_i 的方差是 %(one)s。d_k 个互不相干的乘积相加，方差也相加：%(d_k)d × %(one)s = %(expected_variance)s。"
    "标准差只按 √d_k 变大，所以除数是 √d_k。",
    en="One product q_i·k_i has variance %(one)s. d_k independent products are added, and so are their variances: "
    "%(d_k)d × %(one)s = %(expected_variance)s. The standard deviation grows with √d_k only, hence the divisor √d_k.",
)
VARIANCE_NOT_UNIT = Text(
    zh="一个乘积的方差不是 1：√d_k 就不再正好抵消，缩放后的标准差是 %(scaled)s。",
    en="One product's variance is not 1, so √d_k does not undo the spread: the scaled scores have standard deviation "
    "%(scaled)s.",
)
SIGNS_NOTE = Text(
    zh="±1 的和只能隔一个整数取值，直方图里的空格就是这么来的。",
    en="Sums of ±1 take every other whole number only; that is where the gaps in the histogram come from.",
)
VARIANCE_OVERFLOW = Text(
    zh="%(dtype)s 装不下：d_k = %(d_k)d 时，%(scores)d 个分数里有 %(lost)d 个是 ±∞ 或 NaN，没有算进均值和方差。",
    en="%(dtype)s cannot hold them: at d_k = %(d_k)d, %(lost)d of %(scores)d scores are ±∞ or NaN and are left out of mean "
    "and variance.",
)
SWEEP_OVERFLOW = Text(
    zh="曲线里，从 d_k = %(d_k)d 起有分数装不进 %(dtype)s，那些试验没有算进去。",
    en="In the curve, from d_k = %(d_k)d on scores do not fit into %(dtype)s; their trials are left out.",
)
QUESTION_DOUBLE = Text(
    zh="把 q 的标准差加倍，d_k = %(d_k)d 时 q·k 的方差会变成多少？",
    en="Double the standard deviation of q. What becomes of the variance of q·k at d_k = %(d_k)d?",
)
ANSWER_DOUBLE = Text(
    zh="σ_q = %(std)s 时理论值是 %(expected)s，用 float64 当场再量一次得 %(measured)s：方差随标准差的平方变化。",
    en="With σ_q = %(std)s theory says %(expected)s; measured again just now in float64: %(measured)s. A variance goes with the square "
    "of the standard deviation.",
)
HISTOGRAM_COLUMNS = (
    Text(zh="从", en="from"),
    Text(zh="到", en="to"),
    Text(zh="量得的比例", en="measured share"),
    Text(zh="理论正态的比例", en="share of the normal"),
)
VARIANCE_COLUMNS = (
    Text(zh="d_k", en="d_k"),
    Text(zh="最小", en="lowest"),
    Text(zh="中位数", en="median"),
    Text(zh="最大", en="highest"),
    Text(zh="理论", en="theory"),
    Text(zh="装不下的分数", en="scores that overflowed"),
)
