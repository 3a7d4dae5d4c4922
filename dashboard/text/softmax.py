"""Words of the scaling lesson's views of softmax itself: temperature and overflow."""

from dashboard.text import Text

# A row of numbers that a reader types.
ROW = Text(zh="一行分数", en="a row of scores")
ROW_HELP = Text(
    zh="2 到 64 个数，用逗号或空格隔开，每个数的绝对值不超过一百万。图和数都跟着变。",
    en="2 to 64 numbers with commas or spaces between them, each at most a million in size. Pictures and numbers follow.",
)
SCORES_HELP = Text(
    zh="1 到 64 个数，用逗号或空格隔开，每个数的绝对值不超过 1e38。四种数值类型、三种写法都会重算。",
    en="1 to 64 numbers with commas or spaces between them, each at most 1e38 in size. All three forms are run again in all "
    "four number types.",
)
ROW_EMPTY = Text(zh="例如 32, 0, 0", en="such as 32, 0, 0")
UNREADABLE = Text(
    zh="读不成数：%(pieces)s。一个数写成 −0.5、3 或 1e3 这样，数与数之间用逗号或空格隔开。",
    en="Not a number: %(pieces)s. A number is written like −0.5, 3 or 1e3, with commas or spaces in between.",
)
TOO_LARGE = Text(
    zh="绝对值最大 %(largest)s，这里有 %(pieces)s。",
    en="A number may be at most %(largest)s in size; here stands %(pieces)s.",
)
TOO_MANY = Text(
    zh="最多 %(most)d 个数，这里有 %(found)d 个。", en="At most %(most)d numbers; here are %(found)d."
)
TOO_FEW = Text(
    zh="至少 %(fewest)d 个数，这里读到 %(found)d 个。",
    en="At least %(fewest)d; numbers read here: %(found)d.",
)
AND_MORE = Text(zh="%(pieces)s 等 %(found)d 处", en="%(pieces)s and others, %(found)d in all")
TAKE_ROW = Text(zh="改用 %(row)s", en="Take %(row)s")
TAKE_LONG_ROW = Text(zh="改用 %(row)s…（共 %(found)d 个数）", en="Take %(row)s… (%(found)d numbers)")

# Temperature.
TEMPERATURE = Text(zh="温度 T", en="temperature T")
TEMPERATURE_HELP = Text(
    zh="每个分数先除以 T，再做 softmax。要填别的值，用上面的框。饱和那一页里自己定的除数也是它。",
    en="Every score is divided by T before softmax. The box above takes any other value. It is also your own divisor in the "
    "saturation view.",
)
ANY_TEMPERATURE_HELP = Text(
    zh="填 0.01 到 1000 的任何数，按回车，滑块移到那里。",
    en="Type anything from 0.01 to 1000 and press Enter; the slider goes there.",
)
ANY_TEMPERATURE = Text(zh="T，任意值", en="T, any value")
PRESETS = {
    "notes": Text(zh="[32, 0, 0]，T = 1", en="[32, 0, 0], T = 1"),
    "e3": Text(zh="[2, −1, 0.5]，T = 1", en="[2, −1, 0.5], T = 1"),
    "near": Text(zh="两个相近，T = 0.1", en="two near ties, T = 0.1"),
    "equal": Text(zh="全部相等，T = 1", en="all equal, T = 1"),
    "drawn": Text(zh="随机 q·k，T = √1024", en="random q·k, T = √1024"),
}
METER = Text(
    zh="熵是 %(entropy)s，最多 log %(n)d = %(most)s，相当于 %(effective)s 个键均分。",
    en="In numbers: entropy %(entropy)s, at most log %(n)d = %(most)s, as if %(effective)s keys shared alike.",
)
KEY = Text(zh="键（分数）", en="key (score)")
WEIGHT = Text(zh="权重", en="weight")
WEIGHTS_TITLE = Text(zh="softmax(分数 ÷ T)，T = %(t)s", en="softmax(scores ÷ T), T = %(t)s")
CURVES = {
    "largest": Text(zh="最大权重", en="largest weight"),
    "entropy": Text(zh="熵 / log N", en="entropy / log N"),
    "gradient": Text(zh="梯度 ÷ 梯度的最大值", en="gradient ÷ its largest"),
}
CURVE_TITLE = Text(zh="各自的比例", en="share, each of its own")
CURVES_ALT = Text(
    zh="温度从 %(lowest)s 到 %(highest)s（对数轴）：最大权重从 %(cold)s 到 %(hot)s，熵 / log N 从 %(cold_entropy)s 到 %(hot_entropy)s；"
    "梯度在 T = %(peak)s 处最大。",
    en="Temperature from %(lowest)s to %(highest)s on a logarithmic axis: the largest weight goes from %(cold)s to %(hot)s, "
    "entropy / log N from %(cold_entropy)s to %(hot_entropy)s; the gradient is largest at T = %(peak)s.",
)
TYPED = Text(
    zh="手工给定的分数 · 没有随机数 · float64 · 当场计算",
    en="scores given by hand · nothing random · float64 · computed just now",
)
DRAWN = Text(
    zh="随机抽样的分数（种子 %(seed)d，d_k = %(d_k)d），取四位有效数字 · float64 · 当场计算",
    en="scores of random draws (seed %(seed)d, d_k = %(d_k)d), to four digits · float64 · computed just now",
)
SEE = Text(
    zh="T = %(t)s 时，分数最大的 k%(first)d 得到 %(largest)s 的权重，熵占上限的 %(share)s。"
    "k%(first)d 的权重对各分数的梯度，范数是 %(gradient)s。",
    en="At T = %(t)s, k%(first)d with the largest score has a weight of %(largest)s, and the entropy is %(share)s of its limit. "
    "The gradient of k%(first)d's weight by the scores has norm %(gradient)s.",
)
STRETCH = Text(
    zh="最大的两个分数是 k%(first)d 的 %(a)s 和 k%(second)d 的 %(b)s，相差 %(gap)s。两个权重直接相除得 %(ratio)s；"
    "按 exp(差 ÷ T) = exp(%(gap)s ÷ %(t)s) 算，得 %(expected)s。softmax 把差变成倍数，T 决定倍数多大。",
    en="The two largest scores, %(a)s of k%(first)d and %(b)s of k%(second)d, lie %(gap)s apart. Dividing their weights gives "
    "%(ratio)s; exp(gap ÷ T) = exp(%(gap)s ÷ %(t)s) gives %(expected)s. Softmax turns gaps into ratios, and T sets how large.",
)
STRETCH_BEYOND = Text(
    zh="最大的两个分数是 k%(first)d 的 %(a)s 和 k%(second)d 的 %(b)s，相差 %(gap)s。两个权重的比是 exp(%(gap)s ÷ %(t)s)，"
    "float64 已经写不下这么大的数。",
    en="The two largest scores, %(a)s of k%(first)d and %(b)s of k%(second)d, lie %(gap)s apart. Their weights stand as "
    "exp(%(gap)s ÷ %(t)s) to 1, more than float64 can write.",
)
TIED = Text(
    zh="k%(first)d 和 k%(second)d 的分数同为 %(a)s，差是 0，exp(0) = 1：无论 T 多大，两者的权重都一样。",
    en="k%(first)d and k%(second)d both score %(a)s: a gap of 0, and exp(0) = 1, so their weights are equal at every T.",
)
ORDER = Text(
    zh="权重的次序和分数的次序一致，改变 T 不会改变它。",
    en="The weights stand in the order of the scores; no T changes that.",
)
PEAK = Text(
    zh="这个梯度在 T = %(peak)s 处最大，范数 %(norm)s；现在是它的 %(share)s 倍。再冷，一个键几乎独占，softmax 不再回应分数；"
    "再热，分数都要除以很大的 T，梯度也跟着变小。",
    en="That gradient is largest at T = %(peak)s, with norm %(norm)s; now it is %(share)s of that. Colder, one key has nearly "
    "everything and softmax no longer answers to the scores; hotter, every score is divided by a large T, and so is the gradient.",
)
PEAK_TIED = Text(
    zh="最大的分数不止一个，再冷也没有哪个键独占。这个梯度在曲线最冷的一端 T = %(peak)s 处最大，范数 %(norm)s；现在是它的 %(share)s 倍。"
    "T 越大，除得越多，它越小。",
    en="Several keys share the largest score, so no key takes everything however cold it is. The gradient is largest at the cold "
    "end of the curve, T = %(peak)s, with norm %(norm)s; now it is %(share)s of that. A larger T divides it by more.",
)
PEAK_OUTSIDE = Text(
    zh="曲线还没到峰就结束了：这个梯度在端点 T = %(peak)s 处最大，范数 %(norm)s；现在是它的 %(share)s 倍。",
    en="The curve ends before the peak: the gradient is largest at its end, T = %(peak)s, with norm %(norm)s; now it is %(share)s "
    "of that.",
)
NO_GRADIENT = Text(
    zh="从 T = %(lowest)s 到 %(highest)s，float64 里这个梯度处处是 0：分数差得太远，最大的键一直独占。所以图中没有梯度这条线。",
    en="From T = %(lowest)s to %(highest)s the gradient is 0 in float64: the scores lie so far apart that one key has everything "
    "all along. The picture has no line for it.",
)
ROOT = Text(
    zh="这一行是 d_k = %(d_k)d 时没有缩放的 q·k。注意力用的温度就是 √d_k = %(root)d。",
    en="This row holds unscaled q·k at d_k = %(d_k)d. The temperature that attention uses is √d_k = %(root)d.",
)
QUESTION_HALF = Text(
    zh="T 是多少时，最大的权重正好是一半？",
    en="At which T is the largest weight exactly one half?",
)
ANSWER_HALF = Text(
    zh="T = %(t)s。这时 Σ exp((s − 最大值) ÷ T) = 2，最大的权重是 1 ÷ 2；各键的权重是 %(weights)s。",
    en="T = %(t)s. There Σ exp((s − largest) ÷ T) = 2, so the largest weight is 1 ÷ 2; the weights are %(weights)s.",
)
ANSWER_ALWAYS = Text(
    zh="%(ties)d 个键并列最大，权重相等，所以无论 T 多大，每个都不超过 1 ÷ %(ties)d。",
    en="%(ties)d keys share the largest score and have equal weights: none is above 1 ÷ %(ties)d at any T.",
)
ANSWER_NEVER = Text(
    zh="只有两个键，永远降不到：分数大的那个总比一半多。T = %(t)s 时它是 %(largest)s。",
    en="With two keys, never: the one with the larger score keeps more than half. At T = %(t)s it has %(largest)s.",
)
KEYS_TITLE = Text(zh="逐键的数", en="Key by key")
CURVES_NAME = Text(zh="随温度的变化", en="Against temperature")
KEY_COLUMNS = (
    Text(zh="分数 s", en="score s"),
    Text(zh="s ÷ T", en="s ÷ T"),
    Text(zh="权重", en="weight"),
    Text(zh="梯度", en="gradient"),
)
CURVE_COLUMNS = (
    Text(zh="T", en="T"),
    Text(zh="最大权重", en="largest weight"),
    Text(zh="熵", en="entropy"),
    Text(zh="熵 / log N", en="entropy / log N"),
    Text(zh="等效键数", en="effective keys"),
    Text(zh="梯度的范数", en="gradient norm"),
)

# Overflow.
DTYPE = Text(zh="数值类型", en="number type")
DTYPE_HELP = Text(
    zh="下面逐步列出哪种类型的计算过程；点表格里的一行也行。",
    en="Whose steps are listed below; picking a row of the table does the same.",
)
FORM = Text(zh="写法", en="form")
FORM_HELP = Text(
    zh="softmax 的三种写法，数学上相等。",
    en="Three ways of writing softmax; on paper they are equal.",
)
FORMS = {
    "naive": Text(zh="按定义", en="as defined"),
    "shifted": Text(zh="先减最大值", en="minus max"),
    "log": Text(zh="log-softmax", en="log-softmax"),
}
STEPS = {
    "scores": Text(zh="分数 s", en="scores s"),
    "shifted": Text(zh="s − max", en="s − max"),
    "exps": Text(zh="exp", en="exp"),
    "total": Text(zh="Σ exp", en="Σ exp"),
    "log_weights": Text(zh="log 权重", en="log weights"),
    "weights": Text(zh="权重", en="weights"),
}
FAULTS = {"inf": "∞", "nan": "NaN", "sunk": "−∞"}
RUNS_TITLE = Text(zh="权重：四种类型 × 三种写法", en="Weights: four types × three forms")
RUNS_FIRST = Text(
    zh="权重：四种类型 × 三种写法（%(found)d 个里的前 %(shown)d 个）",
    en="Weights: four types × three forms (first %(shown)d of %(found)d)",
)
OUTCOME = Text(zh="结果", en="outcome")
FAULT_AT = Text(zh="%(step)s 出现 %(fault)s", en="%(fault)s at %(step)s")
FINE = Text(zh="相差 %(difference)s", en="off by %(difference)s")
STEPS_OF = Text(zh="逐步：%(dtype)s，%(form)s", en="Step by step: %(dtype)s, %(form)s")
FIRST_HERE = Text(zh="← 这里先出现 %(fault)s", en="← %(fault)s begins here")
RUNS_NOTE = Text(
    zh="手工给定的分数 · 每一步都在所标的类型里当场算出（CPU）· “相差”是与 float64 里先减最大值的最大差",
    en="scores given by hand · every step run just now in the type named (CPU) · off by: the largest difference from minus max in float64",
)
RUN_FINE = Text(
    zh="%(dtype)s，%(form)s：没有一步出现 ∞ 或 NaN，权重与 float64 里先减最大值的最多差 %(difference)s。",
    en="%(dtype)s, %(form)s: no step gives ∞ or NaN; no weight is more than %(difference)s from that of minus max in float64.",
)
RUN_FAULTS = {
    "scores": Text(
        zh="%(dtype)s 连分数都装不下：%(largest)s 在里面就是 %(held)s，还没做 softmax 就坏了，哪种写法都救不了。",
        en="%(dtype)s cannot hold the scores themselves: %(largest)s is %(held)s in it before softmax begins, and no form helps.",
    ),
    "sunk": Text(
        zh="%(smallest)s 在 %(dtype)s 里成了 −∞；它的权重本来就小到记成 0，结果不受影响，与 float64 的最多差 %(difference)s。",
        en="%(smallest)s becomes −∞ in %(dtype)s. Its weight is 0 either way, so the result stands: at most %(difference)s from that "
        "of float64.",
    ),
    "sunk_lost": Text(
        zh="%(smallest)s 在 %(dtype)s 里成了 −∞，权重也就成了 0。可在 float64 里，这样沉下去的键一共有 %(sunk)s 的权重：结果与 float64 的最多差 "
        "%(difference)s。",
        en="%(smallest)s becomes −∞ in %(dtype)s, and its weight 0. In float64 the keys that sink so have a weight of %(sunk)s between them, and "
        "the result is up to %(difference)s away from it.",
    ),
    "exps": Text(
        zh="%(dtype)s，%(form)s：exp(%(top)s) 是 ∞，因为 %(dtype)s 里 exp 的自变量最多 %(limit)s。∞ 再相除，%(n)d 个权重里有 %(lost)d 个是 NaN。",
        en="%(dtype)s, %(form)s: exp(%(top)s) is ∞, because exp fits into %(dtype)s only up to an argument of %(limit)s. Dividing "
        "by ∞ leaves NaN in %(lost)d of %(n)d weights.",
    ),
    "total": Text(
        zh="%(dtype)s，%(form)s：每个 exp 都装得下，加起来却成了 ∞，除以它，权重全成了 0。",
        en="%(dtype)s, %(form)s: each exp fits, but their sum is ∞, and dividing by it makes every weight 0.",
    ),
    "weights": Text(
        zh="%(dtype)s，%(form)s：最大的分数是 %(top)s，exp 已经小到记成 0，和也是 0，权重就是 0 ÷ 0 = NaN。",
        en="%(dtype)s, %(form)s: even for the largest score, %(top)s, exp is so small that it is kept as 0; so is the sum, and the "
        "weights are 0 ÷ 0 = NaN.",
    ),
}
WHY_SHIFT = Text(
    zh="分子分母同乘 exp(−max)，权重不变；最大的指数成了 0，exp 都不超过 1，和至少是 1。只要分数本身装得下，exp 就不会是 ∞，也不会有 0 ÷ 0。",
    en="Multiplying numerator and denominator by exp(−max) leaves the weights as they are. The largest exponent is then 0: no exp "
    "is above 1 and the sum is at least 1. As long as the type holds the scores, no exp is ∞ and 0 ÷ 0 does not come up.",
)
TORCH = Text(
    zh="torch.softmax 已经减了最大值：刚才在 %(dtype)s 里对这一行运行它，与“先减最大值”最多差 %(difference)s。",
    en="torch.softmax subtracts the maximum already: run on this row in %(dtype)s just now, it differs from that form by at "
    "most %(difference)s.",
)
TORCH_LOST = Text(
    zh="torch.softmax 也减最大值，可在 %(dtype)s 里最大的分数本身就是 ∞ 或 −∞，减它自己得 NaN。",
    en="torch.softmax subtracts the maximum too, but in %(dtype)s the largest score is infinite itself, and minus itself it is NaN.",
)
LIMITS_TITLE = Text(zh="exp 装得下的最大自变量", en="The largest argument of exp that fits")
LIMITS_COLUMNS = (
    Text(zh="试出来的 x", en="x, by trying"),
    Text(zh="理论：log(最大数)", en="theory: log(largest)"),
    Text(zh="exp(x)", en="exp(x)"),
)
LIMITS_SEE = Text(
    zh="%(dtype)s 里 exp(%(largest)s) 还装得下，下一个数 %(next)s 的 exp 就是 ∞。",
    en="In %(dtype)s exp(%(largest)s) still fits; of the next number, %(next)s, it is ∞.",
)
BFLOAT16 = Text(
    zh="bfloat16 的范围和 float32 一样大（exp 到 %(limit)s），但只有两三位有效数字：最大的分数 %(top)s 在它里面是 %(held)s。",
    en="bfloat16 reaches as far as float32 (exp up to %(limit)s) but keeps two or three digits: the largest score, %(top)s, is "
    "%(held)s in it.",
)
STEPS_TABLE = Text(zh="每一步的数", en="every step")
STEPS_COLUMNS = (
    Text(zh="类型", en="type"),
    Text(zh="写法", en="form"),
    Text(zh="步骤", en="step"),
    Text(zh="第几个", en="place"),
    Text(zh="数", en="number"),
)
QUESTION_SHIFT = Text(
    zh="每个分数都加 1000，权重会变吗？按定义算和先减最大值算，结果一样吗？",
    en="Add 1000 to every score. Do the weights change, and do both forms still agree?",
)
ANSWER_SHIFT = Text(
    zh="用 float64 当场再算。按定义：%(naive)s。先减最大值：%(shifted)s，与原来最多差 %(difference)s。"
    "权重只取决于分数之差，定义里的 exp(s) 却要装下整个分数。",
    en="Run again just now in float64. As defined: %(naive)s. Minus max: %(shifted)s, at most %(difference)s from before. Weights "
    "depend on the gaps alone, but exp(s) in the definition has to hold the whole score.",
)

# Scaling q before the product.
ORDER_TITLE = Text(zh="一个分数，两种次序", en="One score in both orders")
ORDER_HEADING = Text(zh="先缩放 q，再做乘积", en="Scale q before the product")
SIZE = Text(zh="q、k 每个分量的大小", en="size of each component of q and k")
SIZE_HELP = Text(
    zh="q 和 k 的每个分量都取这个数，0 到 1000000；于是 q·k = d_k × 大小²。",
    en="Every component of q and k is this number, 0 to 1 000 000, so q·k = d_k × size².",
)
D_K = Text(zh="d_k", en="d_k")
D_K_HELP = Text(zh="q 和 k 的宽度，1 到 4096。", en="Width of q and k, 1 to 4096.")
ORDER_COLUMNS = (
    Text(zh="q·k", en="q·k"),
    Text(zh="(q·k) ÷ √d_k", en="(q·k) ÷ √d_k"),
    Text(zh="(q ÷ √d_k)·k", en="(q ÷ √d_k)·k"),
    Text(zh="应为", en="expected"),
)
CURED = Text(zh="先缩放 q 就装得下", en="fits if q is scaled first")
FITS = Text(zh="两种次序都装得下", en="fits in both orders")
LOST = Text(zh="两种次序都装不下", en="fits in neither")
UNDERFLOW = Text(zh="太小，成了 0", en="too small, becomes 0")
ORDER_UNDERFLOW = Text(
    zh="这里分数小到 float16 记成 0，这叫下溢；它不像 ∞ 那样毁掉整行，但这个分数的信息没有了。",
    en="Here the score is so small that float16 keeps it as 0, an underflow: it does not spoil the row as ∞ does, but what the "
    "score said is lost.",
)
ORDER_NOTE = Text(
    zh="手工给定的 q、k · 在所标的类型里当场计算（CPU）",
    en="q and k given by hand · run just now in the type named (CPU)",
)
ORDER_SEE = Text(
    zh="q·k = %(d_k)d × %(size)s² = %(score)s，缩放后是 %(expected)s；float16 最大只到 %(largest)s。",
    en="q·k = %(d_k)d × %(size)s² = %(score)s, and scaled %(expected)s; the largest number of float16 is %(largest)s.",
)
ORDER_CURED = Text(
    zh="float16 里 q·k 已经是 ∞，再除以 √d_k 还是 ∞。先除 q，同一个分数就是 %(before)s。两种次序在纸上相等，只是中间那个数是原来的 1/√d_k。",
    en="In float16 q·k is ∞, and ∞ divided by √d_k stays ∞. Divide q first and the same score is %(before)s. On paper both orders "
    "are equal; only the number in between is 1/√d_k of what it was.",
)
ORDER_FITS = Text(
    zh="这里 q·k 在 float16 里也装得下，两种次序都行。把分量调大，就能看到 ∞。",
    en="Here q·k fits even into float16, so either order will do. Make the components larger to meet ∞.",
)
ORDER_LOST = Text(
    zh="这里缩放后的分数本身就超出 float16，换次序也没用，要用范围更大的类型。",
    en="Here the scaled score itself is beyond float16: the order cannot help, a type with a wider range can.",
)
LAB_FLOAT32 = Text(
    zh="这个实验室自己的注意力遇到半精度时，分数一律用 float32 算，就是为了避开这一点。",
    en="This lab's own attention computes the scores of half-precision inputs in float32 for this reason.",
)
