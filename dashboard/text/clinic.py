"""Words of the clinic: patients, causes, cures, meters, and what a check-up says."""

from dashboard.text import Text

# Patients and causes.
PATIENT = Text(zh="病人（症状）", en="patient (symptom)")
PATIENT_HELP = Text(
    zh="三种常见的毛病。选一个，病因里只列出会引起它的。",
    en="Three things that go wrong often. The list of causes holds those that bring on this one.",
)
SYMPTOMS = {
    "uniform": Text(zh="权重几乎均匀", en="weights almost uniform"),
    "one_hot": Text(zh="权重几乎独占", en="weights almost one-hot"),
    "gradient_gone": Text(zh="梯度消失", en="gradient gone"),
}
SHORT_SYMPTOMS = {
    "uniform": Text(zh="均匀", en="uniform"),
    "one_hot": Text(zh="独占", en="one-hot"),
    "gradient_gone": Text(zh="无梯度", en="no gradient"),
}
NO_SYMPTOM = Text(zh="没有症状", en="no symptom")
AND = Text(zh="、", en=", ")
CAUSE = Text(zh="病因", en="cause")
CAUSE_HELP = Text(
    zh="一摞健康的注意力层里只改这一处，其余照旧。",
    en="The one thing that is changed in an otherwise healthy stack of attention layers.",
)
NOT_THIS_PATIENTS = Text(
    zh="选定的病因“%(given)s”不会引起这个症状，这里用“%(used)s”。",
    en="The cause that was chosen (%(given)s) does not bring on this symptom; here it is: %(used)s.",
)
CAUSES = {
    "tiny_init": Text(zh="初始化太小", en="initial weights too small"),
    "huge_init": Text(zh="初始化太大", en="initial weights too large"),
    "small_embeddings": Text(zh="词嵌入太小", en="embeddings too small"),
    "large_embeddings": Text(zh="词嵌入太大", en="embeddings too large"),
    "small_keys": Text(zh="键太短", en="keys too short"),
    "large_keys": Text(zh="键太长", en="keys too long"),
    "standing_out": Text(zh="一个键特别突出", en="one key stands out"),
    "no_divisor": Text(zh="没有除以 √d_k", en="no divisor"),
    "divisor_d_k": Text(zh="误除以 d_k", en="divided by d_k"),
    "too_hot": Text(zh="温度太高", en="temperature too high"),
    "too_cold": Text(zh="温度太低", en="temperature too low"),
    "depth_without_residual": Text(zh="层数多而没有残差", en="depth without residual"),
}

# Controls.
ILL = Text(zh="有病", en="ill")
ILL_HELP = Text(
    zh="关掉，病因就拿走了：同样的随机数，一摞健康的层，作对照。",
    en="Off takes the cause away: the same draws in a healthy stack, for comparison.",
)
CURES = {
    "xavier": Text(zh="Xavier 初始化", en="Xavier init"),
    "scale": Text(zh="除以 √d_k", en="divide by √d_k"),
    "layer_norm": Text(zh="层归一化", en="layer norm"),
    "temperature": Text(zh="温度 1", en="temperature 1"),
    "residual": Text(zh="残差", en="residual"),
    "norms": Text(zh="向量恢复常长", en="normal vectors"),
}
CURE_HELPS = {
    "xavier": Text(
        zh="w_q、w_k、w_v、w_o 按方差 2 ÷（行数 + 列数）重新抽。",
        en="Draws w_q, w_k, w_v and w_o with variance 2 / (rows + columns).",
    ),
    "scale": Text(zh="除数换成 √d_k；温度不动。", en="Makes √d_k the divisor; the temperature stays."),
    "layer_norm": Text(
        zh="每一层之前，把每个词元的向量化成均值 0、方差 1。",
        en="Before each layer, brings every token's vector to mean 0 and variance 1.",
    ),
    "temperature": Text(
        zh="缩放后的分数不再另除一个数。", en="Scaled scores are not divided by anything more."
    ),
    "residual": Text(
        zh="每一层的输出加到输入上：x + layer(x)。",
        en="Adds what a layer gives to what it got: x + layer(x).",
    ),
    "norms": Text(
        zh="词嵌入的标准差恢复为 1，键不再乘倍数，第一个词元也不再放大。",
        en="Embeddings have standard deviation 1 again, keys are not multiplied, the first token is not enlarged.",
    ),
}
GIVE = Text(zh="用对症的疗法：%(cures)s", en="Give the cure for this cause: %(cures)s")
TAKE_AWAY = Text(zh="撤掉所有疗法", en="Take all cures away")
LAYERS = Text(zh="层数", en="layers")
LAYERS_HELP = Text(
    zh="叠几层注意力，1 到 8。有些症状要够深才出现。",
    en="How many attention layers are stacked, 1 to 8. Some symptoms need depth.",
)
SEED = Text(zh="种子", en="seed")
SEED_HELP = Text(
    zh="输入向量、矩阵和从上面来的梯度都由它抽出。",
    en="Draws the input vectors, the matrices and the gradient that comes from above.",
)
SIGN = Text(zh="看哪个指标", en="meter to watch")
SIGN_HELP = Text(
    zh="图里画它逐层的值：收治时、现在、健康的一摞。",
    en="Drawn layer by layer: as admitted, now, and in a healthy stack.",
)

# Meters.
METERS = {
    "largest_weight": Text(zh="最大权重", en="largest weight"),
    "entropy_share": Text(zh="熵 / log N", en="entropy / log N"),
    "one_hot_rows": Text(zh="独占的行", en="one-hot rows"),
    "jacobian_norm": Text(zh="softmax 的雅可比范数", en="Jacobian norm of softmax"),
    "scaled_std": Text(zh="缩放后分数的标准差", en="std of scaled scores"),
    "x_rms": Text(zh="输入的均方根", en="RMS of x"),
    "token_spread": Text(zh="词元间的差异", en="token spread"),
    "q_norm": Text(zh="‖q‖", en="‖q‖"),
    "k_norm": Text(zh="‖k‖", en="‖k‖"),
    "largest_k_norm": Text(zh="最长的 ‖k‖", en="longest ‖k‖"),
    "x_gradient": Text(zh="x 的梯度", en="gradient by x"),
    "q_gradient": Text(zh="w_q ÷ w_v 梯度", en="gradient w_q / w_v"),
}
METER_MEANINGS = {
    "largest_weight": Text(
        zh="每行最大的权重，取平均；最小是 1/%(n)d = %(uniform)s。",
        en="the largest weight of a row, averaged; it cannot be below 1/%(n)d = %(uniform)s.",
    ),
    "entropy_share": Text(
        zh="一行权重的熵除以 log %(n)d：1 是完全均匀，0 是一个键独占。",
        en="the entropy of a row of weights over log %(n)d: 1 is uniform, 0 is one key taking all.",
    ),
    "one_hot_rows": Text(
        zh="最大权重超过 %(peak)s 的行占多少。",
        en="the share of rows whose largest weight is above %(peak)s.",
    ),
    "jacobian_norm": Text(
        zh="权重对分数的导数有多大；权重独占时趋于 0。",
        en="how much weights answer to scores; it falls to 0 as rows become one-hot.",
    ),
    "scaled_std": Text(
        zh="softmax 拿到的分数散得多开；健康时约为 1。",
        en="how far the scores that softmax gets are spread; about 1 in health.",
    ),
    "x_rms": Text(zh="进入这一层的数有多大。", en="how large the numbers that enter the layer are."),
    "token_spread": Text(
        zh="各词元的向量离平均有多远，占自身长度的比例；0 表示词元全都一样。",
        en="how far the tokens' vectors lie from their mean, as a share of their length; at 0 all tokens are one.",
    ),
    "q_norm": Text(zh="查询的平均长度。", en="the mean length of a query."),
    "k_norm": Text(zh="键的平均长度。", en="the mean length of a key."),
    "largest_k_norm": Text(zh="最长的那个键的长度。", en="the length of the longest key."),
    "x_gradient": Text(
        zh="损失对这一层输入的梯度，与最上面的梯度相比。",
        en="the loss's gradient by what enters the layer, over that at the top of the stack.",
    ),
    "q_gradient": Text(
        zh="w_q 得到的梯度与 w_v 得到的之比：学“看哪里”比学“取什么”多得或少得多少。",
        en="the gradient that w_q gets over that of w_v: learning where to look beside learning what to take.",
    ),
}
METER_SAID = Text(zh="%(meter)s：%(meaning)s", en="%(meter)s: %(meaning)s")

# The chart.
LAYER_TITLE = Text(zh="层", en="layer")
KINDS = {
    "admitted": Text(zh="收治时", en="as admitted"),
    "now": Text(zh="现在", en="now"),
    "healthy": Text(zh="健康", en="healthy"),
}
ABOVE = Text(zh="高于 %(threshold)s：%(symptom)s", en="above %(threshold)s: %(symptom)s")
FROM = Text(zh="%(threshold)s 起：%(symptom)s", en="from %(threshold)s on: %(symptom)s")
BELOW = Text(zh="低于 %(threshold)s：%(symptom)s", en="below %(threshold)s: %(symptom)s")
BEGINS = {"uniform": ABOVE, "one_hot": FROM, "gradient_gone": BELOW}
CHART_ALT = Text(
    zh="%(meter)s，第 1 层到第 %(last)d 层：收治时从 %(admitted_first)s 到 %(admitted_last)s，现在从 %(now_first)s 到 %(now_last)s，"
    "健康的从 %(healthy_first)s 到 %(healthy_last)s。",
    en="%(meter)s, layer 1 to layer %(last)d: %(admitted_first)s to %(admitted_last)s as admitted, %(now_first)s to "
    "%(now_last)s now, %(healthy_first)s to %(healthy_last)s in health.",
)
NO_PLACE_FOR_ZERO = Text(
    zh="有几层的值正好是 0，对数轴上画不出来，表里有。",
    en="In some layers the meter is exactly 0, which a logarithmic axis cannot show; the tables have it.",
)
NOISE = Text(
    zh="小于 1e−14 的数已经淹没在 float64 的舍入里，只能说明几乎是 0，大小和先后都不可信。",
    en="Numbers below 1e−14 are lost in the rounding of float64: they say nearly 0, and neither their size nor their order can "
    "be trusted.",
)

# What a check-up says.
FINDINGS = Text(zh="检查结果", en="findings")
NOTE = Text(
    zh="随机（种子 %(seed)d）：%(n)d 个词元，d_model = %(d_model)d，%(heads)d 个头，%(layers)d 层，float64，%(device)s；一次前向、一次反向，当场量得",
    en="random (seed %(seed)d): %(n)d tokens, d_model = %(d_model)d, %(heads)d heads, layers: %(layers)d, float64, %(device)s; "
    "measured in one forward and one backward pass",
)
VERDICT = Text(zh="收治时：%(before)s → 现在：%(now)s", en="As admitted: %(before)s → now: %(now)s")
ONLY_VERDICT = Text(zh="收治时：%(before)s", en="As admitted: %(before)s")
WELL_VERDICT = Text(zh="健康对照：%(before)s", en="Healthy control: %(before)s")
SIGN_SAID = Text(
    zh="“%(meter)s”最坏的一层：收治时是第 %(before_layer)d 层的 %(before)s，现在是第 %(now_layer)d 层的 %(now)s（健康的是 %(healthy)s）。"
    "%(begins)s。",
    en="Worst layer by %(meter)s: %(before)s in layer %(before_layer)d as admitted, %(now)s in layer %(now_layer)d now "
    "(%(healthy)s in health). The symptom begins %(begins)s.",
)
SIGN_SAID_ONCE = Text(
    zh="“%(meter)s”最坏的一层：第 %(now_layer)d 层的 %(now)s（健康的是 %(healthy)s）。%(begins)s。",
    en="Worst layer by %(meter)s: %(now)s in layer %(now_layer)d (%(healthy)s in health). The symptom begins %(begins)s.",
)
BEGINS_SAID = {
    "uniform": Text(zh="高于 %(threshold)s 就算有症状", en="above %(threshold)s"),
    "one_hot": Text(zh="达到 %(threshold)s 就算有症状", en="at %(threshold)s"),
    "gradient_gone": Text(zh="低于 %(threshold)s 就算有症状", en="below %(threshold)s"),
}
FIRST_LOOK = Text(
    zh="先看除数和向量的长度：现在除数是 %(divisor)s（健康 %(healthy_divisor)s），第 1 层平均 ‖q‖ = %(q)s、‖k‖ = %(k)s，"
    "最长的键 %(longest)s（健康 %(healthy_q)s、%(healthy_k)s、%(healthy_longest)s）。"
    "缩放后的分数大约散开 ‖q‖·‖k‖ ÷ √d_k ÷ 除数，量得 %(scaled)s（健康 %(healthy_scaled)s）。",
    en="Look at the divisor and the vectors' norms first. The divisor now is %(divisor)s (%(healthy_divisor)s in health); in layer 1 the "
    "mean ‖q‖ is %(q)s, the mean ‖k‖ %(k)s, the longest key %(longest)s (%(healthy_q)s, %(healthy_k)s and %(healthy_longest)s in "
    "health). Scaled scores spread by about ‖q‖·‖k‖ / √d_k / divisor; measured: %(scaled)s (%(healthy_scaled)s in health).",
)
USEFUL = Text(zh="改动了病人的疗法：%(useful)s。", en="Cures that change something: %(useful)s.")
IDLE = Text(zh="找不到可改之处的疗法：%(idle)s。", en="Cures that find nothing to change: %(idle)s.")
NOT_HELPED = Text(
    zh="“%(symptom)s”还在。疗法只能修它碰到的那一处，病在别处就没用。",
    en="Still there: %(symptom)s. A cure mends what it touches, and the fault lies elsewhere.",
)
HELPED_LITTLE = Text(
    zh="改是改了，可是“%(symptom)s”还在（收治时：%(before)s）。",
    en="Something has changed, but this is still there: %(symptom)s (as admitted: %(before)s).",
)
NEW_SYMPTOM = Text(
    zh="换来了新的症状：“%(symptom)s”。叠得深，修好一处会露出另一处；少叠几层，或者再加一种疗法。",
    en="There is a new symptom instead: %(symptom)s. In a deep stack mending one fault can lay another open; take fewer "
    "layers, or one cure more.",
)
RECOVERED = Text(
    zh="病人好了：哪一层的指标都没有越过界限。",
    en="The patient has recovered: in no layer does a meter lie beyond its threshold.",
)
NEEDS_DEPTH = Text(
    zh="只有 %(layers)d 层时看不到“%(symptom)s”：%(meter)s最坏是 %(value)s，还没越过 %(threshold)s。同样的随机数，叠到 %(needed)d 层就出现了。",
    en="With %(layers)d layers this stack does not show the symptom (%(symptom)s): the worst %(meter)s is %(value)s, the threshold %(threshold)s. "
    "With the same draws it shows from %(needed)d layers on.",
)
NEVER_SHOWS = Text(
    zh="这些随机数下看不到“%(symptom)s”：%(meter)s最坏是 %(value)s，没有越过 %(threshold)s，叠到 8 层也一样。换个种子试试。",
    en="With these draws the stack does not show the symptom (%(symptom)s), with 8 layers neither: the worst %(meter)s is %(value)s, the "
    "threshold %(threshold)s. Try another seed.",
)
TAKE_LAYERS = Text(zh="改成 %(layers)d 层", en="Take %(layers)d layers")
SPREAD = Text(
    zh="词元间的差异：收治时从第 1 层的 %(first)s 变到第 %(last)d 层的 %(end)s，现在到那里是 %(now)s。",
    en="Token spread as admitted goes from %(first)s in layer 1 to %(end)s in layer %(last)d; now it is %(now)s there.",
)
ONE_TOKEN = Text(
    zh="没有残差，每一层都把词元平均一遍，到这里它们几乎成了同一个向量。",
    en="Without residual every layer averages the tokens, and by then they are all but one vector.",
)

# Why, by cause; with the numbers as admitted.
WHY = {
    "tiny_init": Text(
        zh="为什么：四个矩阵都只有 Xavier 的 %(init)s 倍。q 和 k 各缩一次，它们的乘积就缩两次：第 1 层缩放后的分数只散开 %(scaled)s，"
        "softmax 几乎分不出哪个键更合适，w_q 也就学不到东西。层归一化在矩阵之前，管不到矩阵的大小。",
        en="Why: all four matrices are %(init)s times as large as Xavier's. q shrinks and so does k, their product twice: scaled scores in "
        "layer 1 spread by %(scaled)s, softmax can hardly tell the keys apart, and w_q has next to nothing to learn from. A layer norm "
        "stands before the matrices and does not feel their size.",
    ),
    "huge_init": Text(
        zh="为什么：四个矩阵都是 Xavier 的 %(init)s 倍，分数大了这个倍数的平方：第 1 层散开 %(scaled)s。差这么多，softmax 每行只剩一个键。",
        en="Why: all four matrices are %(init)s times as large as Xavier's, and scores grow with the square of that: they spread by %(scaled)s "
        "in layer 1. At such gaps softmax leaves one key a row.",
    ),
    "small_embeddings": Text(
        zh="为什么：词嵌入的标准差是 %(embedding)s，前面又没有层归一化，q 和 k 跟着变短（第 1 层 ‖q‖ = %(q)s），分数只散开 %(scaled)s。",
        en="Why: embeddings have standard deviation %(embedding)s and no layer norm stands before the layers, so q and k are short too "
        "(‖q‖ = %(q)s in layer 1) and scaled scores spread by %(scaled)s only.",
    ),
    "large_embeddings": Text(
        zh="为什么：词嵌入的标准差是 %(embedding)s，前面又没有层归一化。第 1 层的分数散开 %(scaled)s，每层的输出又加大输入，"
        "到第 %(last)d 层散开 %(last_scaled)s；权重全压在一个键上，softmax 的导数随之变小，最后归零。",
        en="Why: embeddings have standard deviation %(embedding)s and no layer norm stands before the layers. Scaled scores spread by "
        "%(scaled)s in layer 1; each layer adds to its input, and in layer %(last)d they spread by %(last_scaled)s. Where one key has "
        "all the weight the derivative of softmax shrinks towards 0.",
    ),
    "small_keys": Text(
        zh="为什么：所有的键都乘了 %(keys)s，第 1 层 ‖k‖ = %(k)s，而 ‖q‖ = %(q)s。分数只散开 %(scaled)s。键在层归一化之后才变短，归一化看不见。",
        en="Why: every key is multiplied by %(keys)s; in layer 1 ‖k‖ is %(k)s while ‖q‖ is %(q)s, and scaled scores spread by %(scaled)s. Keys "
        "become short after the layer norm, which does not see it.",
    ),
    "large_keys": Text(
        zh="为什么：所有的键都乘了 %(keys)s，第 1 层 ‖k‖ = %(k)s，分数散开 %(scaled)s。键在层归一化之后才变长，归一化看不见。",
        en="Why: every key is multiplied by %(keys)s; in layer 1 ‖k‖ is %(k)s and scaled scores spread by %(scaled)s. Keys become long after the "
        "layer norm, which does not see it.",
    ),
    "standing_out": Text(
        zh="为什么：第一个词元的向量放大了 %(standout)s 倍，又没有层归一化。第 1 层里它的键长 %(longest)s，平均才 %(k)s："
        "与它同向的查询全给它，背向的一点不给。后面各层再把它传给所有词元。",
        en="Why: the first token's vector is %(standout)s times as long and no layer norm stands before the layers. Its key in layer 1 has "
        "length %(longest)s where the mean is %(k)s: queries that point its way give it everything, the others nothing. Later layers pass "
        "it on to all tokens.",
    ),
    "no_divisor": Text(
        zh="为什么：q·k 是 %(d_k)d 个乘积的和，没有除就进了 softmax，第 1 层散开 %(scaled)s，约等于 √%(d_k)d。",
        en="Why: q·k adds up %(d_k)d products and goes into softmax undivided; in layer 1 scores spread by %(scaled)s, about √%(d_k)d.",
    ),
    "divisor_d_k": Text(
        zh="为什么：该除以 √%(d_k)d，却除以 %(d_k)d，多除了一个 √%(d_k)d：第 1 层只散开 %(scaled)s。",
        en="Why: scores are divided by %(d_k)d where √%(d_k)d would do, once √%(d_k)d too much: in layer 1 they spread by %(scaled)s only.",
    ),
    "too_hot": Text(
        zh="为什么：除以 √d_k 之后又除以温度 %(temperature)s，第 1 层只散开 %(scaled)s。",
        en="Why: after √d_k scores are divided once more, by a temperature of %(temperature)s: in layer 1 they spread by %(scaled)s only.",
    ),
    "too_cold": Text(
        zh="为什么：除以 √d_k 之后又除以温度 %(temperature)s，等于放大，第 1 层散开 %(scaled)s。",
        en="Why: after √d_k scores are divided once more, by a temperature of %(temperature)s, which enlarges them: in layer 1 they spread by "
        "%(scaled)s.",
    ),
    "depth_without_residual": Text(
        zh="为什么：每层的输出直接顶替输入，而输出是词元的加权平均。平均一层又一层，词元越来越像；键都一样，分数就都一样，"
        "看哪里都没有差别。越像，w_q 剩下的梯度越少。",
        en="Why: what a layer gives replaces what it got, and it gives weighted averages of the tokens. Averaged layer after layer, tokens "
        "grow alike; with equal keys all scores are equal and where to look makes no difference. The more alike they are, the less gradient "
        "is left for w_q.",
    ),
}
WHY_WELL = Text(
    zh="为什么健康：矩阵按 Xavier 抽，向量先过层归一化，q 和 k 的长度都约为 √%(d_k)d，乘积散开约 √%(d_k)d，除数正好抵消：第 1 层散开 %(scaled)s。",
    en="Why it is well: Xavier matrices behind a layer norm give q and k a length of about √%(d_k)d, their products spread by about "
    "√%(d_k)d, and the divisor undoes just that: in layer 1 scaled scores spread by %(scaled)s.",
)

# Tables.
SIGNS_TITLE = Text(zh="各症状最坏的一层", en="worst layer for each symptom")
SIGN_ROWS = {
    "entropy_share": Text(zh="最高的熵 / log N", en="highest entropy / log N"),
    "one_hot_rows": Text(zh="最多的独占行", en="most one-hot rows"),
    "x_gradient": Text(zh="传到 x 的最低梯度", en="lowest gradient reaching x"),
    "q_gradient": Text(zh="w_q ÷ w_v 的最低梯度", en="lowest gradient of w_q over w_v"),
}
THRESHOLD = Text(zh="界限", en="threshold")
SIGN_VERDICT = Text(zh="判断", en="verdict")
SIGN_VERDICTS = {
    (False, False): Text(zh="正常", en="well"),
    (True, True): Text(zh="%(symptom)s：还在", en="%(symptom)s: still there"),
    (True, False): Text(zh="%(symptom)s：已好", en="%(symptom)s: cured"),
    (False, True): Text(zh="%(symptom)s：新出现", en="%(symptom)s: new"),
}
NOW_TITLE = Text(zh="现在，逐层", en="now, layer by layer")
ADMITTED_TITLE = Text(zh="收治时，逐层", en="as admitted, layer by layer")
LAYER_VERDICT = Text(zh="这一层", en="this layer")
LAYER_WELL = Text(zh="正常", en="well")
LAYER_NAME = Text(zh="层", en="layer")
STATE = Text(zh="状态", en="state")
ALL_METERS = Text(zh="全部指标", en="all meters")
EACH_CURE = Text(zh="逐个试六种疗法", en="Each of the six cures alone")
EACH_CURE_TITLE = Text(zh="病人只用一种疗法时最坏的一层", en="worst layer with one cure alone")

# The question.
WELL = Text(zh="健康对照", en="healthy control")
QUESTION = Text(
    zh="单靠层归一化，治得好这个病人吗（%(cause)s，%(layers)d 层）？",
    en="Does a layer norm alone cure this patient (%(cause)s, layers: %(layers)d)?",
)
ANSWER_CURES = Text(
    zh="治得好。只加层归一化再检查一遍：%(symptoms)s。最高的熵 / log N 是 %(entropy)s，独占的行最多 %(one_hot)s，最低的 w_q 与 w_v 的梯度比 %(gradient)s。",
    en="It does. Checked again with a layer norm and nothing else: %(symptoms)s. Highest entropy / log N %(entropy)s, most one-hot rows "
    "%(one_hot)s, lowest gradient w_q / w_v %(gradient)s.",
)
ANSWER_FAILS = Text(
    zh="治不好。只加层归一化再检查一遍：%(symptoms)s。最高的熵 / log N 是 %(entropy)s，独占的行最多 %(one_hot)s，最低的 w_q 与 w_v 的梯度比 %(gradient)s。",
    en="It does not. Checked again with a layer norm and nothing else: %(symptoms)s. Highest entropy / log N %(entropy)s, most one-hot "
    "rows %(one_hot)s, lowest gradient w_q / w_v %(gradient)s.",
)
ANSWER_BESIDE_RESIDUAL = Text(
    zh="%(said)s第 1 层是好了（熵 / log N 为 %(first_entropy)s），可它加到 x 上的东西比 x 大得多（均方根从 %(first_rms)s 到第 2 层的 %(second_rms)s），"
    "对各词元又差不多，于是词元变得相像，差异从 %(first_spread)s 到第 %(last)d 层的 %(last_spread)s。要把词嵌入恢复到常长。",
    en="%(said)s Layer 1 is mended (entropy / log N %(first_entropy)s). But what it adds is large beside x (RMS %(first_rms)s, in layer 2 "
    "%(second_rms)s) and nearly the same for all tokens, so they grow alike: token spread %(first_spread)s, in layer %(last)d "
    "%(last_spread)s. The embeddings themselves must have normal length.",
)
ANSWER_HAS_ONE = Text(
    zh="治不好：它本来就有层归一化，照样有“%(symptoms)s”。把它拿掉再检查一遍：%(without)s。",
    en="It does not: the patient has one already, and these symptoms all the same: %(symptoms)s. Checked again without it: %(without)s.",
)
ANSWER_NOT_ILL = Text(
    zh="没有什么要治：收治时就没有症状。同一摞层拿掉层归一化再检查一遍：%(without)s。",
    en="There is nothing to cure: the stack as admitted has no symptom. Checked again without its layer norm: %(without)s.",
)
