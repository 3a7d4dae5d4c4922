"""Words of the scaling lesson."""

from dashboard.text import Text

TITLE = Text(zh="为什么除以 √d_k：量出来看", en="Why divide by √d_k: measure it")
CLAIM = Text(
    zh="*q*·*k* 是 d_k 个乘积的和，宽度越大，分数散得越开；softmax 把散开的分数变成一个键独占，梯度也随之消失。"
    "除以 √d_k 正好抵消。下面的每个数都当场算出，来自随机抽样或你给的一行分数，理论值写在旁边。",
    en="*q*·*k* adds up d_k products, so the wider the vectors, the farther scores spread; softmax turns a wide spread into "
    "one key that takes everything, and the gradient goes with it. √d_k undoes exactly that. Every number here is "
    "computed on the spot, from random draws or from scores you give, with the theory beside it.",
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
    zh="滑块停在 2 的幂上；边栏的框可以填 1 到 4096 的任何整数。下面的图和数都跟着变。",
    en="The slider stops at powers of two; a box in the sidebar takes any whole number from 1 to 4096. Pictures and numbers "
    "below follow.",
)
ANY_D_K = Text(zh="d_k，任意值", en="d_k, any value")
ANY_D_K_HELP = Text(
    zh="填一个整数，按回车：滑块移到那里，曲线里也多一个点。",
    en="Type a whole number and press Enter: the slider goes there, and the curves get a point there.",
)
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
    zh="这样设置最多 %(most)d 次试验（一次最多抽 %(numbers)s 个随机数，留下的数最多占 %(mib)d MiB），这里要 %(trials)d 次。",
    en="With these settings at most %(most)d trials fit (%(numbers)s random numbers at a time, %(mib)d MiB of what is kept); "
    "this asks for %(trials)d.",
)
TAKE_TRIALS = Text(zh="改成 %(trials)d 次试验", en="Take %(trials)d trials")
MEASURING = Text(zh="正在量 d_k = %(d_k)d（共到 %(last)d）", en="measuring d_k = %(d_k)d of %(last)d")
REPRODUCE_HELP = Text(
    zh="这段脚本只用 torch，按现在的设置重抽同样的随机数，打印当前视图的数，一位不少。思考题的答案和逐格的直方图不在其中；它在 CPU 上算。",
    en="This script needs torch only. It draws the same random numbers for the present settings and prints the numbers of "
    "the present view, unrounded. Answers to the questions and the bins of the histogram are not in it; it runs on the CPU.",
)
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
    "median": Text(zh="各种子：中位数和范围", en="over seeds: median and range"),
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
    zh="量得的方差离理论 %(errors)s 个标准误；三个以内很常见，再远就少有了。",
    en="The variance lies %(errors)s standard errors from theory; within three is common, farther is rare.",
)
VARIANCE_ROUNDED = Text(
    zh="分数在 %(mean)s 附近，%(dtype)s 里相邻两个数在那里相隔 %(spacing)s，而分数的标准差按理论只有 %(std)s：差别大半被舍入掉了，方差不能和理论比。"
    "换一个更精细的类型，或者把均值调小。",
    en="Scores lie around %(mean)s, where neighbouring numbers of %(dtype)s are %(spacing)s apart, and by theory their standard deviation is "
    "only %(std)s: rounding makes most of the difference, so the variance is not held against theory. Take a finer type, or smaller means.",
)
VARIANCE_CONSTANT = Text(
    zh="按理论分数不变：同样的分量总给出同一个数，没有什么散开，也就没有什么要除。",
    en="By theory the scores do not vary: such components always give the same number. Nothing spreads, and there is nothing to divide.",
)
VARIANCE_NOTHING = Text(
    zh="d_k = %(d_k)d 时 %(dtype)s 一个分数也装不下：%(scores)d 个全是 ±∞ 或 NaN，没有直方图可画。",
    en="At d_k = %(d_k)d %(dtype)s holds none of the scores: all %(scores)d are ±∞ or NaN, and there is no histogram to draw.",
)
VARIANCE_FEW = Text(
    zh="d_k = %(d_k)d：乘积太少，它们的和还不是正态分布。方差按理论已经对，形状要加得多了才像。",
    en="With d_k = %(d_k)d the sum has few products and is not normal yet: theory has its variance right already, its shape comes "
    "with more.",
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
VARIANCE_COMMON = Text(
    zh="k 的均值不是 0，或者与 q 相关：q·k 的方差里有 %(common)s 是同一个查询的所有键共有的，softmax 只看键之间的差，看不见它。",
    en="k has a mean other than 0, or goes with q: %(common)s of the variance of q·k is common to all keys of a query, and softmax, "
    "which sees differences between keys alone, does not see it.",
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
ANSWER_STD_MEAN = Text(
    zh="理论值是 %(expected)s，用 float64 当场再量一次得 %(measured)s。只有带 σ_q 的部分随平方变大，μ_q 带来的部分不变。",
    en="Theory says %(expected)s; measured again just now in float64: %(measured)s. The part with σ_q grows with its square, "
    "the part from μ_q stays.",
)
ANSWER_STD_TOGETHER = Text(
    zh="理论值是 %(expected)s，用 float64 当场再量一次得 %(measured)s。带 σ_q² 的部分随平方变大；两个均值与相关合起来的那一项只按 σ_q 变；"
    "μ_q 带来的部分不变。",
    en="Theory says %(expected)s; measured again just now in float64: %(measured)s. The parts with σ_q² grow with its square, the one of both "
    "means and the correlation with σ_q alone, and the part from μ_q stays.",
)
VARIANCE_ZERO = Text(
    zh="有的方差是 0：分量不变，或者只剩一个装得下的分数，或者数值类型把差别舍掉了。对数轴上没有 0，这些点不画，数字在表格里。",
    en="Some variance is 0: the components do not vary, or one score is left that fits, or the number type rounds the "
    "differences away. A logarithmic axis has no 0, so these points are not drawn; the table has them.",
)
QUESTION_STD = Text(
    zh="把 q 的标准差 σ_q 从 %(now)s 改成 %(std)s，d_k = %(d_k)d 时 q·k 的方差会变成多少？",
    en="Change the standard deviation σ_q of q from %(now)s to %(std)s. What becomes of the variance of q·k at d_k = "
    "%(d_k)d?",
)
ANSWER_STD = Text(
    zh="理论值是 %(expected)s，用 float64 当场再量一次得 %(measured)s。方差随标准差的平方变化。",
    en="Theory says %(expected)s; measured again just now in float64: %(measured)s. A variance goes with the square of the "
    "standard deviation.",
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

# Saturation.
DIVISOR = Text(zh="除以", en="divide by")
DIVISOR_HELP = Text(
    zh="样本行的“缩放后”用哪个除数。曲线里五个都有。T 是自己定的温度，在“更多设置”里改。",
    en="The divisor of the sample row's “after”. The curves show all five. T is a temperature of your own, set under “More settings”.",
)
DIVISORS = {
    "none": Text(zh="1（不除）", en="1 (none)"),
    "sqrt_d_k": Text(zh="√d_k", en="√d_k"),
    "d_k": Text(zh="d_k", en="d_k"),
    "sqrt_d_model": Text(zh="√d_model", en="√d_model"),
    "temperature": Text(zh="T", en="T"),
}
NAMED_DIVISORS = {
    "none": Text(zh="1（不除）", en="1 (none)"),
    "sqrt_d_k": Text(zh="√d_k", en="√d_k"),
    "d_k": Text(zh="d_k", en="d_k"),
    "sqrt_d_model": Text(zh="√d_model（h = %(heads)d）", en="√d_model (h = %(heads)d)"),
    "temperature": Text(zh="T = %(temperature)s", en="T = %(temperature)s"),
}
DIVISOR_TITLE = Text(zh="除数", en="divisor")
METER = Text(zh="量什么", en="meter")
METER_HELP = Text(zh="曲线画哪一个量。", en="Which quantity the curves show.")
METERS = {
    "largest_weight": Text(zh="最大权重", en="largest weight"),
    "entropy_share": Text(zh="熵 / log N", en="entropy / log N"),
    "effective_keys": Text(zh="有效键数 exp(熵)", en="effective keys, exp(entropy)"),
    "jacobian_norm": Text(zh="softmax 雅可比矩阵的范数", en="norm of softmax's Jacobian"),
    "q_gradient": Text(zh="传到 q 的梯度", en="gradient reaching q"),
    "k_gradient": Text(zh="传到 K 的梯度", en="gradient reaching K"),
}
METER_MEANINGS = {
    "largest_weight": Text(
        zh="一行里最大的权重：1/N 是一样看重，1 是一个键独占。",
        en="The largest weight of a row: 1/N where all keys are alike, 1 where one takes everything.",
    ),
    "entropy_share": Text(
        zh="1 是所有键平分，0 是一个键独占。",
        en="1 where all keys share alike, 0 where one takes everything.",
    ),
    "effective_keys": Text(
        zh="相当于在几个键之间平分：从 1 到 N。", en="As if so many keys shared alike: from 1 to N."
    ),
    "jacobian_norm": Text(
        zh="分数动一点，权重跟着动多少（弗罗贝尼乌斯范数）；0 就是 softmax 不再回应，梯度过不去。",
        en="How far the weights move when a score does (Frobenius norm); at 0 softmax no longer answers and no gradient "
        "passes.",
    ),
    "q_gradient": Text(
        zh="损失取输出在一个固定方向上的分量，反传到 q，看梯度有多长。",
        en="The loss is the output's part along a fixed direction; this is how long its gradient is when it reaches q.",
    ),
    "k_gradient": Text(
        zh="同一个损失反传到所有的键，看梯度有多长。",
        en="The same loss carried back to all keys: how long that gradient is.",
    ),
}
AVERAGE = Text(zh="各次试验取", en="over trials")
AVERAGE_HELP = Text(
    zh="平均数会被少数试验拉走，中位数不会。看梯度时两个都该看。",
    en="A few trials can make a mean; they cannot make a median. For gradients look at both.",
)
AVERAGES = {"mean": Text(zh="平均数", en="mean"), "median": Text(zh="中位数", en="median")}
SWEEP_ALT = Text(
    zh="%(meter)s 随 d_k 的变化，每个除数一条线，d_k 从 %(first)d 到 %(last)d：%(curves)s。%(verdict)s",
    en="%(meter)s against d_k, one line a divisor, from d_k = %(first)d to %(last)d: %(curves)s. %(verdict)s",
)
CURVE_ALT = Text(zh="%(divisor)s：%(first)s → %(last)s", en="%(divisor)s: %(first)s → %(last)s")
PEAKED_ALT = Text(
    zh="%(divisor)s：%(first)s → %(last)s，在 d_k = %(d_k)d 最高，%(top)s",
    en="%(divisor)s: %(first)s → %(last)s, highest at d_k = %(d_k)d with %(top)s",
)
WHISKERS = Text(zh="竖线是正负两个标准误。", en="Vertical bars are two standard errors each way.")
SAMPLE_SCORES = Text(zh="样本行：分数，从高到低", en="sample row: scores from high to low")
SAMPLE_WEIGHTS = Text(zh="样本行：权重", en="sample row: weights")
SAMPLE_UNSCALED = Text(zh="不缩放", en="unscaled")
SAMPLE_SCALED = Text(zh="÷ %(divisor)s", en="÷ %(divisor)s")
SAMPLE_NOTE = Text(
    zh="一个查询和它的键，随机抽一次（种子 %(seed)d）· %(dtype)s",
    en="one query and its keys, drawn once (seed %(seed)d) · %(dtype)s",
)
SAMPLE_SCORE = Text(zh="分数", en="score")
SAMPLE_WEIGHT = Text(zh="权重", en="weight")
SAMPLE_MORE = Text(
    zh="只画分数最高的 %(shown)d 个键；其余 %(others)d 个合计：不缩放 %(before)s，缩放后 %(after)s。",
    en="Only the %(shown)d keys with the highest scores are drawn; the other %(others)d have %(before)s unscaled and "
    "%(after)s scaled, all together.",
)
SAMPLE_LOST = Text(
    zh="这一行的分数装不进 %(dtype)s：%(lost)d 个是 ±∞ 或 NaN，softmax 给出 NaN，所以没有条形。",
    en="This row's scores do not fit into %(dtype)s: %(lost)d are ±∞ or NaN, softmax gives NaN, and there is no bar to "
    "draw.",
)
SAMPLE_DIVIDED_LOST = Text(
    zh="这一行的分数 %(dtype)s 装得下，除以 %(divisor)s 之后却有 %(lost)d 个是 ±∞，softmax 给出 NaN，所以那一行没有条形。",
    en="%(dtype)s holds this row's scores, but divided by %(divisor)s %(lost)d of them are ±∞, softmax gives NaN, and that row has "
    "no bar to draw.",
)
SAMPLE_SUNK = Text(
    zh="这一行有 %(lost)d 个分数在 %(dtype)s 里成了 −∞，它们的权重是 0。",
    en="%(lost)d scores of this row are −∞ in %(dtype)s; their weights are 0.",
)
PREDICT = Text(
    zh="先猜再看：d_k 从 1 加到 %(last)d，不缩放，%(meter)s（各次试验的%(average)s）会怎样？",
    en="Predict first: d_k grows from 1 to %(last)d and nothing is scaled. What becomes of the %(meter)s (%(average)s over "
    "trials)?",
)
PREDICT_HELP = Text(
    zh="猜了才看得到曲线和数。可以先拖下面的 d_k，看样本行怎么变。",
    en="Curves and numbers come after the guess. You may move d_k below first and watch the sample row.",
)
FATES = {
    "rises": Text(zh="变大", en="it rises"),
    "stays": Text(zh="差不多不变", en="it stays"),
    "falls": Text(zh="变小", en="it falls"),
}
SHOW_ANYWAY = Text(zh="不猜，直接看", en="show me")
GUESS_AGAIN = Text(zh="收起曲线，重新猜", en="hide the curves and guess again")
GUESS_LINE = Text(zh="你的猜测", en="your guess")
GUESSED = Text(
    zh="你猜“%(guess)s”，量得“%(fate)s”：%(average)s从 %(first)s 到 %(last)s。%(verdict)s",
    en="Your guess: %(guess)s. Measured: %(fate)s, the %(average)s from %(first)s to %(last)s. %(verdict)s",
)
GUESS_RIGHT = Text(zh="猜对了。", en="You were right.")
GUESS_WRONG = Text(zh="和猜的不一样。", en="That is not what you expected.")
GUESS_NO_NUMBER = Text(
    zh="曲线的一头没有数，没法和你的猜测比。",
    en="One end of the curve has no number to hold your guess against.",
)
STAYS_MEANS = Text(
    zh="（两头相差不到四分之一，就算不变。）",
    en="(“Stays” means that the ends differ by less than a quarter.)",
)
SATURATION_SEE = Text(
    zh="d_k = %(d_k)d、%(n)d 个键，%(trials)d 次试验的%(average)s。不缩放：最大权重 %(none_top)s，相当于 %(none_keys)s 个键在分，"
    "雅可比范数 %(none_norm)s。除以 √d_k：%(root_top)s，%(root_keys)s 个键，%(root_norm)s。",
    en="d_k = %(d_k)d, %(n)d keys, %(average)s over %(trials)d trials. Unscaled, the largest weight is %(none_top)s, as if "
    "%(none_keys)s keys shared, and the Jacobian's norm is %(none_norm)s. Divided by √d_k: %(root_top)s, %(root_keys)s keys, "
    "%(root_norm)s.",
)
SATURATION_WRONG = Text(
    zh="别的除数：除以 d_k，缩放后的分数散开 %(d_k_std)s，最大权重 %(d_k_top)s（平分是 %(uniform)s）；"
    "除以 √d_model（h = %(heads)d），散开 %(model_std)s，最大权重 %(model_top)s。",
    en="Other divisors: d_k leaves the scaled scores a spread of %(d_k_std)s and the largest weight at %(d_k_top)s (equal "
    "shares would be %(uniform)s); √d_model with h = %(heads)d leaves %(model_std)s and %(model_top)s.",
)
SATURATION_GRADIENT = Text(
    zh="%(meter)s：不缩放时中位数 %(none_median)s、平均数 %(none_mean)s；除以 √d_k 是 %(root_median)s 和 %(root_mean)s。",
    en="The %(meter)s has median %(none_median)s and mean %(none_mean)s unscaled, %(root_median)s and %(root_mean)s with "
    "√d_k.",
)
SATURATION_TIES = Text(
    zh="不缩放时平均数远高于中位数：多数行接近独占，传回来的很少；平均数靠少数“头两个键几乎并列”的试验撑着，"
    "d_k 越大它们越少，传回的却越大。",
    en="Unscaled, the mean lies far above the median: most rows are nearly one-hot and send little back, and the mean is "
    "held up by the few trials whose two best keys nearly tie. The wider the vectors, the fewer these are and the more each "
    "sends back.",
)
SATURATION_NOTHING = Text(
    zh="d_k = %(d_k)d 时没有一次试验能用 %(dtype)s 给出数：分数在除之前就溢出了。",
    en="At d_k = %(d_k)d no trial gives a number in %(dtype)s: the scores overflow before anything divides them.",
)
SATURATION_SOME = Text(
    zh="d_k = %(d_k)d 时 %(trials)d 次试验里有 %(lost)d 次（不缩放）溢出，没有算进去。",
    en="At d_k = %(d_k)d, %(lost)d of %(trials)d trials (unscaled) overflow and are left out.",
)
DIVIDED_LOST = Text(
    zh="除以 %(divisor)s 是放大：d_k = %(d_k)d 时装得下的分数除完又装不进 %(dtype)s，%(trials)d 次试验里有 %(lost)d 次给不出数，没有算进去。",
    en="Dividing by %(divisor)s enlarges: at d_k = %(d_k)d scores that fit before do not fit into %(dtype)s after it, and %(lost)d of "
    "%(trials)d trials give no number and are left out.",
)
DIVIDED_BEGINS = Text(
    zh="曲线里从 d_k = %(first)d 起有这种情况。", en="In the curves this begins at d_k = %(first)d."
)
SATURATION_WHY = Text(
    zh="softmax 不改次序，只拉开差距：分数差 Δ，权重就差 e^Δ 倍。不缩放的分数散开 %(none_std)s（理论 %(none_expected)s），"
    "除以 √d_k 后散开 %(root_std)s（理论 %(root_expected)s），不随宽度变。",
    en="Softmax keeps the order and stretches the gaps: scores Δ apart give weights e^Δ times apart. Unscaled scores spread "
    "by %(none_std)s (theory %(none_expected)s); divided by √d_k they spread by %(root_std)s (theory %(root_expected)s) "
    "at every width.",
)
SAMPLE_SEE = Text(
    zh="前两名的分数差 %(gap)s，所以权重之比不缩放是 e^%(gap)s = %(before)s 比 1，除以 %(divisor)s 后是 %(after)s 比 1；名次不变。",
    en="The two best scores are %(gap)s apart: their weights stand as e^%(gap)s = %(before)s to 1 unscaled, and as %(after)s to "
    "1 when divided by %(divisor)s. The order stays.",
)
SAMPLE_TIE = Text(
    zh="前两名的分数相等，权重也就相等，除以几都一样。",
    en="The two best scores are equal, and so are their weights, whatever divides them.",
)
SATURATION_OVERFLOW = Text(
    zh="%(dtype)s 装不下：d_k = %(d_k)d 时有 %(components)d 个分量、%(scores)d 个分数是 ±∞，%(nan)d 个分数是 NaN；"
    "%(trials)d 次试验里有 %(lost)d 次（不缩放）给不出数，没有算进去。曲线里从 d_k = %(first)d 起有这种情况。",
    en="%(dtype)s cannot hold them: at d_k = %(d_k)d, %(components)d components and %(scores)d scores are ±∞ and %(nan)d "
    "scores NaN; of %(trials)d trials %(lost)d (unscaled) give no number and are left out. In the curves this begins at "
    "d_k = %(first)d.",
)
METERS_TABLE = Text(
    zh="d_k = %(d_k)d，每个除数的量（%(average)s）",
    en="d_k = %(d_k)d: every meter of every divisor (%(average)s)",
)
METER_COLUMNS = (
    Text(zh="除以的数", en="divided by"),
    Text(zh="缩放后的标准差", en="std of scaled"),
    Text(zh="理论标准差", en="std by theory"),
    Text(zh="最大权重", en="largest weight"),
    Text(zh="熵 / log N", en="entropy / log N"),
    Text(zh="有效键数", en="effective keys"),
    Text(zh="雅可比范数", en="Jacobian norm"),
    Text(zh="到 q 的梯度", en="gradient at q"),
    Text(zh="到 K 的梯度", en="gradient at K"),
)
QUESTION_DIVISOR = Text(
    zh="d_k = 64 时该除以几？不用 √d_k 而用 d_k，缩放后的标准差剩多少？",
    en="What is the divisor at d_k = 64? And with d_k in place of √d_k, what spread is left?",
)
ANSWER_DIVISOR = Text(
    zh="√64 = %(root)s，缩放后的标准差量得 %(root_std)s。除以 64，量得 %(d_k_std)s，只有它的八分之一：最大权重平均 %(top)s，"
    "平分是 %(uniform)s。",
    en="√64 = %(root)s, which leaves a measured standard deviation of %(root_std)s. Divided by 64 it is %(d_k_std)s, an "
    "eighth of that: the largest weight is %(top)s on average, where equal shares would be %(uniform)s.",
)
ANSWER_FLOAT64 = Text(
    zh="这几个数用 float64 量：d_k = 64 时 %(dtype)s 已经溢出。",
    en="These were measured in float64: %(dtype)s overflows at d_k = 64 already.",
)
SWEEP_COLUMNS = (
    Text(zh="d_k", en="d_k"),
    Text(zh="除数", en="divisor"),
    Text(zh="除以的数", en="divided by"),
    Text(zh="量", en="meter"),
    Text(zh="平均数", en="mean"),
    Text(zh="标准误", en="standard error"),
    Text(zh="中位数", en="median"),
    Text(zh="给不出数的试验", en="trials without a number"),
)
SWEEP_TABLE = Text(zh="扫过的宽度", en="the sweep")

# Check the textbook.
TEXTBOOK = Text(
    zh="公开的笔记里能读到下面四种说法，每一种都在这里当场验算；后两种按你定的 d_k 算。",
    en="Four statements that published notes make, each checked here on the spot; the last two at the d_k you set.",
)
TEXTBOOK_SAYS = Text(zh="**笔记里说**：%(said)s", en="**The notes say**: %(said)s")
TEXTBOOK_FOUND = Text(zh="**不对**：%(found)s", en="**Not so**: %(found)s")
LIST_COMMA = Text(zh="、", en=", ")
KEY_WIDTH_SAID = Text(
    zh="GPT-2 的一个键通常有 1024 维，所以分数的标准差有 32。",
    en="a key of GPT-2 typically has 1024 numbers, so scores have a standard deviation of 32.",
)
KEY_WIDTH_FOUND = Text(
    zh="一个头的键只有 d_model / h 维：%(sizes)s。宽 64 时，量得 q·k 的标准差是 %(std_64)s（理论 %(expected_64)s）；宽 1024 时是 %(std_1024)s（理论 %(expected_1024)s）。"
    "1024 是 GPT-2 的上下文长度，也是 Medium 的 d_model。",
    en="a head's key has d_model / h numbers: %(sizes)s. At width 64 the measured standard deviation of q·k is %(std_64)s "
    "(theory %(expected_64)s), at 1024 it is %(std_1024)s (theory %(expected_1024)s). 1024 is GPT-2's context length, and the d_model of Medium.",
)
NAN_SAID = Text(
    zh="普通的 softmax 会给出 NaN，要用 log_softmax 再取指数。",
    en="plain softmax gives NaN; use log_softmax and take exp.",
)
NAN_FOUND = Text(
    zh="torch.softmax 自己就先减最大值：[10000, 0] 用 float32 得 %(softmax)s，和 log_softmax 再取指数的 %(log)s 一样。"
    "出 NaN 的是照定义手写的 exp / Σ exp：%(naive)s。整行都是 −∞ 时，两种写法都给 NaN：%(nothing)s 和 %(nothing_log)s。",
    en="torch.softmax subtracts the maximum itself: [10000, 0] in float32 gives %(softmax)s, as exp of log_softmax does, "
    "%(log)s. What gives NaN is exp / Σ exp written out: %(naive)s. A row of −∞ alone is NaN both ways: %(nothing)s and "
    "%(nothing_log)s.",
)
STABLE_SAID = Text(
    zh="换成数值稳定的 softmax，梯度就不会消失。",
    en="a numerically stabler softmax cures vanishing gradients.",
)
STABLE_FOUND = Text(
    zh="同一行分数（d_k = %(d_k)d，不缩放），雅可比范数：减最大值 %(shifted)s，log_softmax %(log)s。饱和是分数的事，怎么算都一样。",
    en="the same row of scores (d_k = %(d_k)d, unscaled) has Jacobian norm %(shifted)s with the maximum subtracted and "
    "%(log)s with log_softmax. Saturation lies in the scores, however softmax is computed.",
)
STABLE_SCALED = Text(
    zh="%(trials)d 次试验的平均：不缩放 %(none)s，除以 √d_k 之后 %(root)s。",
    en="The mean of %(trials)d trials is %(none)s unscaled and %(root)s divided by √d_k.",
)
STABLE_NOT_YET = Text(
    zh="%(trials)d 次试验的平均：不缩放 %(none)s，除以 √d_k 之后 %(root)s：这么窄，分数还没有饱和，把 d_k 调大再看。",
    en="The mean of %(trials)d trials is %(none)s unscaled and %(root)s divided by √d_k: at so small a width nothing is saturated yet. "
    "Make d_k larger.",
)
LENGTH_SAID = Text(
    zh="序列越长，不缩放的分数越大，会爆炸。", en="unscaled scores explode as the sequence gets longer."
)
LENGTH_FOUND = Text(
    zh="分数的标准差只看宽度（每个 %(trials)d 次试验）：d_k = %(d_k)d 时，16 个键是 %(short)s，512 个键是 %(long)s（理论都是 %(expected)s）；"
    "键还是 16 个、宽度换成 %(wide)d，是 %(wider)s。长度改变的是要在多少个键里分：最大权重从 %(short_top)s 变成 %(long_top)s。",
    en="their standard deviation goes with the width alone (%(trials)d trials each): at d_k = %(d_k)d it is %(short)s for 16 "
    "keys and %(long)s for 512 (theory %(expected)s for both); for 16 keys of width %(wide)d it is %(wider)s. What length "
    "changes is among how many keys the weights are shared: the largest goes from %(short_top)s to %(long_top)s.",
)
