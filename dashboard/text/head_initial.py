"""Words of the view that begins the same matrix in four ways."""

from dashboard.text import Text

VIEW = Text(zh="初始权重", en="Initial weights")
D_MODEL = Text(zh="d_model（矩阵是 d_model × d_model）", en="d_model (matrices are d_model × d_model)")
D_MODEL_HELP = Text(
    zh="两张表、直方图和句子换到这个宽度；折线图总是画全部宽度。",
    en="Tables, histogram and sentences change to this width; the lines always show all widths.",
)
START = Text(zh="初始化方式", en="initialisation")
START_HELP = Text(
    zh="直方图和句子换到这种初始化；图和表里四种都在。",
    en="Histogram and sentences change to this one; lines and tables hold all four.",
)
STARTS = {
    "linear": Text(zh="nn.Linear", en="nn.Linear"),
    "rand": Text(zh="nn.Parameter(rand)", en="nn.Parameter(rand)"),
    "xavier_uniform": Text(zh="Xavier 均匀", en="Xavier uniform"),
    "kaiming_uniform": Text(zh="Kaiming 均匀", en="Kaiming uniform"),
}
METER = Text(zh="折线图画什么", en="meter")
METER_HELP = Text(zh="折线图和最后一张表换成这个量。", en="The lines and the last table change to it.")
METERS = {
    "scaled_std": Text(zh="分数的标准差", en="std of scores"),
    "largest_weight": Text(zh="最大权重", en="largest weight"),
    "entropy_share": Text(zh="熵的比例", en="entropy share"),
    "dead_share": Text(zh="饱和的行（占比）", en="saturated rows (share)"),
    "w_q_gradient": Text(zh="W^Q 的梯度", en="gradient at W^Q"),
    "x_gradient": Text(zh="X 的梯度", en="gradient at X"),
}
SEED = Text(zh="种子", en="seed")
SEED_HELP = Text(
    zh="换一个数，输入和所有矩阵都重新抽取；没测过的种子要等几秒。",
    en="Another number draws inputs and all matrices anew; a seed that nobody measured yet takes seconds.",
)
MEASURING = Text(
    zh="正在测 d_model = %(d_model)d，测到 %(last)d 为止",
    en="measuring d_model = %(d_model)d, up to %(last)d",
)

NOTE = Text(
    zh="当场算出 · 随机（种子 %(seed)d）· %(tokens)d 个标准正态的词元，一个头，d_k = d_model · %(trials)d 次抽取，四种初始化用同样的输入和同样的"
    "随机数 · %(device)s · torch %(version)s",
    en="computed here · random (seed %(seed)d) · %(tokens)d tokens, standard normal; one head, d_k = d_model · draws: %(trials)d, "
    "with the same inputs and the same random numbers for all four · %(device)s · torch %(version)s",
)
D_MODEL_TITLE = Text(zh="d_model", en="d_model")
LINES_ALT = Text(
    zh="折线图：%(meter)s 随 d_model 从 %(first)d 到 %(last)d 的变化。%(curves)s。",
    en="Lines: %(meter)s against d_model from %(first)d to %(last)d. %(curves)s.",
)
CURVE_ALT = Text(zh="%(start)s：从 %(first)s 到 %(last)s", en="%(start)s: from %(first)s to %(last)s")
NO_PLACE_FOR_ZERO = Text(
    zh="对数轴上没有 0 的位置：值是 0 的点没有画，数在表里。",
    en="A logarithmic axis has no place for 0: such points are not drawn; the table has them.",
)
HISTOGRAM_TITLE = Text(zh="初始权重", en="initial weight")
SHARE_TITLE = Text(zh="占比", en="share")
MEASURED = Text(zh="抽到的", en="drawn")
THEORY = Text(zh="理论：均匀分布", en="theory: uniform")
HISTOGRAM_ALT = Text(
    zh="直方图：%(start)s 在 d_model = %(d_model)d 的初始权重，理论上在 %(lower)s 到 %(upper)s 之间均匀分布，每格 %(expected)s；"
    "实际各格从 %(least)s 到 %(most)s。",
    en="Histogram: initial weights of %(start)s at d_model = %(d_model)d, in theory uniform from %(lower)s to %(upper)s with a "
    "share of %(expected)s a bar; drawn were %(least)s to %(most)s.",
)
HISTOGRAM_TABLE = Text(zh="直方图", en="histogram")
HISTOGRAM_COLUMNS = (
    Text(zh="从", en="from"),
    Text(zh="到", en="to"),
    Text(zh="抽到的占比", en="share drawn"),
    Text(zh="理论占比", en="share by theory"),
)

WEIGHTS_TABLE = Text(
    zh="权重本身，d_model = %(d_model)d：实测与理论",
    en="The weights at d_model = %(d_model)d, measured and by theory",
)
WEIGHTS_COLUMNS = (
    Text(zh="均值", en="mean"),
    Text(zh="理论均值", en="mean, theory"),
    Text(zh="标准差", en="std"),
    Text(zh="理论标准差", en="std, theory"),
    Text(zh="最小", en="lowest"),
    Text(zh="理论下界", en="lower bound, theory"),
    Text(zh="最大", en="highest"),
    Text(zh="理论上界", en="upper bound, theory"),
)
EFFECTS_TABLE = Text(
    zh="注意力因此怎样，d_model = %(d_model)d（梯度：Σ out·g 的，g 随机，取各次抽取的中位数；其余取平均）",
    en="What attention makes of them at d_model = %(d_model)d (gradients: of Σ out·g with a random g, median of the draws; else their mean)",
)
SCALED_THEORY = Text(zh="理论标准差", en="std of scores, theory")
WIDTHS_TABLE = Text(zh="%(meter)s：各个 d_model", en="%(meter)s at each d_model")

SAID = Text(zh="怎么读", en="How to read it")
NAMES = Text(
    zh="nn.Linear 的每个权重在 ±1/√fan_in 之间均匀抽取，d_model = %(d_model)d 时是 ±%(bound)s。它调用的是 kaiming_uniform_，但 a = √5，"
    "所以既不是 Xavier（方阵上 ±%(xavier)s，%(xavier_times)s 倍），也不是平常说的 Kaiming（a = 0，±%(kaiming)s，%(kaiming_times)s 倍）。",
    en="nn.Linear draws each weight uniformly within ±1/√fan_in, which is ±%(bound)s at d_model = %(d_model)d. It calls "
    "kaiming_uniform_, but with a = √5, so this is neither Xavier (on a square matrix ±%(xavier)s, %(xavier_times)s times as far) "
    "nor what is known as Kaiming (a = 0: ±%(kaiming)s, %(kaiming_times)s times).",
)
EFFECT = Text(
    zh="%(start)s，d_model = %(d_model)d：不同词元之间的分数，标准差 %(std)s（理论 %(expected)s）；一行里最大的权重平均 %(largest)s"
    "（%(tokens)d 个键平分时是 %(even)s）。饱和的行：雅可比范数小于 %(limit)s，分数再变，权重几乎不动。",
    en="%(start)s at d_model = %(d_model)d: scores between different tokens have a std of %(std)s (theory %(expected)s), and the "
    "largest weight of a row is %(largest)s on average (%(even)s if all %(tokens)d keys got the same). A row is saturated where "
    "its Jacobian has a norm below %(limit)s: its weights hardly answer to its scores.",
)
WIDER = Text(
    zh="d_model 从 %(first)d 到 %(last)d：nn.Parameter(rand) 的分数标准差从 %(rand_first)s 到 %(rand_last)s，理论上随 "
    "d_model·√d_k 长；nn.Linear 从 %(linear_first)s 到 %(linear_last)s，理论上不管多宽都是 %(linear_theory)s。",
    en="From d_model %(first)d to %(last)d the std of scores goes from %(rand_first)s to %(rand_last)s with nn.Parameter(rand), by "
    "theory like d_model·√d_k, and from %(linear_first)s to %(linear_last)s with nn.Linear, by theory %(linear_theory)s at any "
    "width.",
)
WHY = {
    "linear": Text(
        zh="为什么：均值是 0，q 的每个分量加起来是 d_model 项互相抵消的和；方差 1/(3·d_model) 让它不随宽度变大。分数小，"
        "开始时 softmax 近乎均匀，梯度传得过去。",
        en="Why: the mean is 0, so the d_model terms of each component of q cancel in part, and a variance of 1/(3·d_model) keeps "
        "it the same at any width. Scores are small, softmax begins nearly uniform, and gradients pass.",
    ),
    "rand": Text(
        zh="为什么：0 到 1 之间的数均值是 1/2，q 和 k 的每个分量里都有同一个 Σx/2，q·k 把它加了 d_k 遍，分数大到 softmax 差不多只选一个键。"
        "W^Q 的梯度里乘着 k，k 大，没饱和时梯度也大；饱和以后，剩多少全看有没有两个键碰巧打平，所以不一定随宽度平稳变小："
        "d_model 从 %(first)d 到 %(last)d，依次是 %(gradients)s。",
        en="Why: numbers from 0 to 1 have the mean 1/2, so every component of q and k holds the same Σx/2, and q·k adds it up d_k "
        "times: scores are so large that softmax all but picks one key. The gradient at W^Q has k as a factor, and is large "
        "where softmax is not saturated; where it is, what is left hangs on two keys that nearly tie, and need not fall steadily: "
        "from d_model %(first)d to %(last)d, %(gradients)s.",
    ),
    "xavier_uniform": Text(
        zh="为什么：Xavier 的方差是 2/(fan_in + fan_out)，方阵上就是 1/d_model：输入是标准正态时，q 的每个分量方差是 1，"
        "正好是 √d_k 这个除数假定的情形，分数的标准差在 1 左右。",
        en="Why: Xavier's variance is 2/(fan_in + fan_out), which is 1/d_model for a square matrix. On standard normal inputs each "
        "component of q then has variance 1, which is what dividing by √d_k assumes, and scores have a std near 1.",
    ),
    "kaiming_uniform": Text(
        zh="为什么：Kaiming 的方差是 2/fan_in，多出的 2 倍是留给 ReLU 的（它把方差减半）。q 和 k 前面没有 ReLU，"
        "所以两边各多 2 倍，分数的标准差在 2 左右。",
        en="Why: Kaiming's variance is 2/fan_in; the factor 2 makes up for a ReLU, which halves the variance. There is none before q "
        "and k, so both keep it, and scores have a std near 2.",
    ),
}

QUESTION = Text(
    zh="有人说“nn.Linear 更快”。同样的数，nn.Linear 和 x @ w，在这台服务器上谁快？",
    en="“Linear is faster”, some say. With the same numbers, which is faster on this server, nn.Linear or x @ w?",
)
ANSWER = Text(
    zh="nn.Linear 的时间除以 x @ w 的时间，中位数（四分位）：%(each)s。两个四分位都在 1 的同一边，中位数又差 %(felt)s 以上，才算更快或更慢；"
    "两个四分位离 1 都不到 %(felt)s，才算没有差别。两者做的是同一个矩阵乘法，结果最多差 %(difference)s；时间若有差别，来自调用"
    "模块的开销，或权重在内存里的排法。%(when)s 实测，%(machine)s，torch %(torch)s，线程数 %(threads)d，x 有 %(n)d 行，"
    "每个宽度 %(repeats)d 次，两种轮流；一小时内所有访客看到同一次测量。",
    en="Time of nn.Linear over that of x @ w, median (quartiles): %(each)s. Faster or slower: both quartiles on one side of 1 and the "
    "median at least %(felt)s off; no difference: both quartiles within %(felt)s of 1. Both make the same matrix product, with "
    "results that differ by at most %(difference)s; what difference in time there is comes from calling a module, or from how "
    "the weight lies in memory. Measured %(when)s on %(machine)s, torch %(torch)s, threads: %(threads)d, rows of x: %(n)d, "
    "%(repeats)d runs a width in turns. All visitors of this hour share one measurement.",
)
EACH = Text(
    zh="d_model %(d_model)d 是 %(ratio)s（%(lower)s–%(upper)s），%(verdict)s",
    en="d_model %(d_model)d: %(ratio)s (%(lower)s–%(upper)s), %(verdict)s",
)
BETWEEN = Text(zh="；", en="; ")
BETWEEN_NUMBERS = Text(zh="、", en=", ")
VERDICTS = {
    "faster": Text(zh="更快", en="faster"),
    "slower": Text(zh="更慢", en="slower"),
    "no difference": Text(zh="没有差别", en="no difference"),
    "unclear": Text(zh="说不准", en="cannot be told"),
}

STORAGE = Text(zh="存的是转置", en="What is stored is the transpose")
INPUTS = Text(zh="输入的宽度", en="inputs")
OUTPUTS = Text(zh="输出的宽度", en="outputs")
SIZES_HELP = Text(
    zh="nn.Linear(输入, 输出)。两个相等时，忘记转置也不会报错。",
    en="nn.Linear(inputs, outputs). Where both are equal, a forgotten transpose raises nothing.",
)
STORED = Text(
    zh="nn.Linear(%(inputs)d, %(outputs)d).weight 的形状是 %(linear)s，输出在前；从右边乘的矩阵是 %(parameter)s，输入在前。"
    "linear(x) 算的是 x @ weight.T：两者最多差 %(difference)s。",
    en="nn.Linear(%(inputs)d, %(outputs)d).weight has the shape %(linear)s, outputs first; a matrix that is multiplied from the right "
    "has %(parameter)s, inputs first. linear(x) is x @ weight.T: they differ by at most %(difference)s.",
)
REFUSED = Text(
    zh="忘了转置写成 x @ weight，torch 当场拒绝：%(error)s。",
    en="Without the transpose, x @ weight, torch refuses: %(error)s.",
)
WRONG = Text(
    zh="这里 weight 是方阵，忘了转置写成 x @ weight，什么错也不报，数却不对：最多差 %(difference)s。注意力里的 W^Q 往往正是方阵。",
    en="Here weight is square: without the transpose, x @ weight raises nothing and gives other numbers, off by up to "
    "%(difference)s. W^Q is often square.",
)
ALIKE = Text(
    zh="1 × 1 的矩阵转置还是自己，所以 x @ weight 也对：最多差 %(difference)s。换一个别的大小就不是了。",
    en="A 1 × 1 matrix is its own transpose, so x @ weight is right too: off by at most %(difference)s. At other sizes it is not.",
)
