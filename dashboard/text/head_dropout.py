"""Words of the view that drops attention weights."""

from dashboard.text import Text

VIEW = Text(zh="权重上的 dropout", en="Dropout on weights")
P = Text(zh="p（每个权重被丢掉的概率）", en="p (chance that a weight is dropped)")
P_HELP = Text(
    zh="只在训练时起作用，模型里常取 0.1 到 0.25。种子不变时，p 变大，丢掉的只多不少：原来丢掉的还在其中。",
    en="Acts in training alone; models mostly take 0.1 to 0.25. The same draw with a larger p drops what the smaller one did, and more.",
)
MODE = Text(zh="模式", en="mode")
MODE_HELP = Text(
    zh="训练（model.train()）时丢，评估（model.eval()）时不丢。",
    en="Weights are dropped in training, model.train(), and none in evaluation, model.eval().",
)
MODES = {"train": Text(zh="训练", en="training"), "eval": Text(zh="评估", en="evaluation")}
DRAW = Text(zh="第几次抽取（抽取的种子）", en="draw (its seed)")
DRAW_HELP = Text(
    zh="换一个数就换一次抽取：丢掉的是另一些权重。同一个数总是丢掉同样的权重。",
    en="Another number is another draw, which drops other weights. The same number always drops the same.",
)
HEAD = Text(zh="看哪个头", en="head")
HEAD_HELP = Text(zh="左右两张图都换到这个头。", en="Both pictures change to this head.")
HEAD_NAME = Text(zh="头 %(head)d", en="head %(head)d")

NOTE = Text(
    zh="投影是随机的（种子 %(seed)d），没有训练过 · float64 · 头 %(head)d，共 %(heads)d 个 · torch %(version)s",
    en="random projections (seed %(seed)d), nothing is trained · float64 · head %(head)d of %(heads)d · torch %(version)s",
)
LEGEND = Text(
    zh="第二张图里打斜纹的格子：这次抽取丢掉的权重，值是 0。",
    en="Hatched in the second picture: dropped in this draw, the weight is 0.",
)
LEGEND_CAUSAL = Text(
    zh="打斜纹的格子权重是 0：第二张图里带虚线框的是这次抽取丢掉的，不带框的是因果掩码挡住的。",
    en="A hatched cell has the weight 0: in the second picture those with a dashed frame were dropped in this draw, those "
    "without one are hidden by the causal mask.",
)
LEGEND_EVAL = Text(
    zh="评估模式：第二张图就是第一张，一个权重也不丢。",
    en="Evaluation: the second picture is the first, no weight is dropped.",
)
LEGEND_NONE = Text(zh="这次抽取一个权重也没丢。", en="This draw dropped no weight.")
LEGEND_MASKED = Text(zh="打斜纹的格子被因果掩码挡住。", en=" Hatched: hidden by the causal mask.")
LEGEND_SUMS = Text(zh="行名旁边是行和。", en=" Beside a row's name stands its sum.")
BEFORE = Text(zh="权重（dropout 之前）", en="weights before dropout")
AFTER = Text(zh="第 %(draw)d 次抽取之后，p = %(p)s", en="weights after draw %(draw)d, p = %(p)s")
AFTER_EVAL = Text(zh="评估时用的权重", en="weights in evaluation")
WEIGHT = Text(zh="权重", en="weight")
DROPPED_CELL = Text(zh="这次丢掉", en="dropped in this draw")
ZERO_CELL = Text(zh="权重是 0", en="the weight is 0")
NOTHING_LEFT = Text(zh="这一行一个也没剩", en="nothing of this row is left")

TABLE = Text(
    zh="训练时多次抽取的平均，与没丢时的权重相比（p = %(p)s）",
    en="Training: the mean over n draws beside the undropped weights (p = %(p)s)",
)
DRAWS_ROW = Text(zh="%(draws)d 次", en="n = %(draws)d")
COLUMNS = (
    Text(zh="最大偏差", en="largest deviation"),
    Text(zh="最大权重的标准差（理论）", en="std of the largest weight's mean (theory)"),
    Text(zh="均方根偏差", en="root mean square deviation"),
    Text(zh="均方根（理论）", en="root mean square (theory)"),
)

SAID = Text(zh="怎么读", en="How to read it")
DROPPED = Text(
    zh="第 %(draw)d 次抽取：大于 0 的权重有 %(n)d 个，置零 %(dropped)d 个，占 %(share)s；多抽几次，平均占 p = %(p)s。"
    "留下的都乘 1/(1 − p) = %(factor)s。",
    en="Draw %(draw)d: weights above 0: %(n)d; set to 0: %(dropped)d, a share of %(share)s. On average over draws the share is "
    "p = %(p)s. What is kept is multiplied by 1/(1 − p) = %(factor)s.",
)
# What all rows have, by whether it is the same.
OF_ROWS = {
    False: Text(zh="%(low)s 到 %(high)s", en="%(low)s to %(high)s"),
    True: Text(zh="每行都是 %(low)s", en="%(low)s in every row"),
}
ROWS = Text(
    zh="这次抽取之后的行和：%(sums)s；每行只是平均起来才是 1。单次抽取里，一行的和偏离 1 的标准差是 "
    "√(p/(1 − p)·Σ权重²)，这里是 %(strays)s：一行的权重越集中，和就晃得越厉害。",
    en="Row sums after this draw: %(sums)s; a row sums to 1 on average only. In one draw its sum strays from 1 by a standard "
    "deviation of √(p/(1 − p)·Σ weight²), here %(strays)s, more where fewer keys share a row's weight.",
)
ROWS_AT_ZERO = Text(
    zh="p = 0：训练时也一个不丢，行和：%(sums)s。把 p 调大，就能看到区别。",
    en="With p = 0 nothing is dropped in training either; row sums: %(sums)s. Raise p to see a difference.",
)
EVAL_SHOWN = Text(
    zh="评估模式下 p = %(p)s 不起作用：不丢，也不放大。两张图的最大差是 %(difference)s，行和：%(sums)s。",
    en="In evaluation p = %(p)s does nothing: no weight is dropped and none enlarged. The two pictures differ by at most "
    "%(difference)s; row sums: %(sums)s.",
)
MEAN = Text(
    zh="训练时平均下来什么也没少：抽 %(few)d 次，平均与没丢时最多差 %(first)s；抽 %(many)d 次，最多差 %(last)s"
    "（理论：按 1/√次数缩小，到 1/%(root)s）。%(last)s 是表里旁边那个标准差的 %(stds)s 倍，%(verdict)s",
    en="On average training loses nothing. Draws: %(few)d, mean off by at most %(first)s; draws: %(many)d, mean off by at most "
    "%(last)s (theory: like 1/√draws, to 1/%(root)s). In standard deviations, as the table has them, %(last)s is %(stds)s: "
    "%(verdict)s",
)
BY_CHANCE = {
    True: Text(
        zh="%(most)d 倍以内都可能是偶然，换一次抽取就是另一个数。",
        en="up to %(most)d may be chance, and another draw gives another number.",
    ),
    False: Text(
        zh="超过 %(most)d 倍，不像是偶然，换一次抽取再看。",
        en="more than %(most)d is hardly chance; try another draw.",
    ),
}
MEAN_ROUNDING = Text(
    zh="训练时平均下来什么也没少：抽 %(few)d 次，平均与没丢时最多差 %(first)s；抽 %(many)d 次，最多差 %(last)s，不过是舍入。",
    en="On average training loses nothing. Draws: %(few)d, mean off by at most %(first)s; draws: %(many)d, mean off by at most "
    "%(last)s, no more than rounding.",
)
LAYER = Text(
    zh="整层也一样：这句话上的一层多头注意力（另抽的权重，不加掩码），评估时跑两遍，输出最多差 %(eval_twice)s，"
    "与没有 dropout 的同一层最多差 %(eval_plain)s。",
    en="The same holds for a whole layer of multi-head attention on this sentence (weights of its own, no mask): two runs in "
    "evaluation differ by at most %(eval_twice)s, and from the layer without dropout by at most %(eval_plain)s. ",
)
TRAINED_TWICE = {
    "differs": Text(
        zh="训练时跑两遍，最多差 %(difference)s。", en="Two runs in training differ by up to %(difference)s."
    ),
    "alike": Text(
        zh="训练时跑两遍，这次碰巧丢的是同样的权重，最多差 %(difference)s；句子一长，就难得碰巧。",
        en="Two runs in training happened to drop the same weights and differ by at most %(difference)s; in a long sentence "
        "that is rare.",
    ),
    "at_zero": Text(
        zh="p = 0 时训练也一个不丢，跑两遍最多差 %(difference)s。",
        en="With p = 0 training drops nothing either: two runs differ by at most %(difference)s.",
    ),
}
TRAP = Text(
    zh="陷阱：F.scaled_dot_product_attention 不知道现在是训练还是评估，给它 dropout_p 它就丢。",
    en="The trap: F.scaled_dot_product_attention knows no mode; given a dropout_p it drops. ",
)
TRAPPED = {
    "differs": Text(
        zh="Careless 评估时照样把 dropout_p 交出去，用这个头的 q、k、v（不加掩码）跑两遍，输出最多差 %(careless)s；"
        "Careful 只在 self.training 时交，最多差 %(careful)s。两段代码在页末的“%(code)s”里。",
        en="Careless hands dropout_p over in evaluation too, and two of its outputs on this head's q, k and v (no mask) differ by up "
        "to %(careless)s; those of Careful, which hands it over only while self.training, by %(careful)s. Both stand at the end of the page, under "
        "“%(code)s”.",
    ),
    "alike": Text(
        zh="Careless 评估时照样把 dropout_p 交出去，用这个头的 q、k、v（不加掩码）跑两遍，这次碰巧丢的是同样的权重，两遍一样，"
        "可与不丢的输出还是最多差 %(careless_plain)s；Careful 只在 self.training 时交，最多差 %(careful_plain)s。"
        "两段代码在页末的“%(code)s”里。",
        en="Careless hands dropout_p over in evaluation too. On this head's q, k and v (no mask) two of its runs happened to drop the "
        "same weights and are equal, but still differ from the output without dropout by up to %(careless_plain)s; Careful, which "
        "hands it over only while self.training, by at most %(careful_plain)s. Both stand at the end of the page, under “%(code)s”.",
    ),
    "at_zero": Text(
        zh="p = 0 时看不出来：Careless 和 Careful 与不丢的输出最多差 %(careless_plain)s 和 %(careful_plain)s。",
        en="With p = 0 it does not show: Careless and Careful differ from the output without dropout by at most %(careless_plain)s "
        "and %(careful_plain)s.",
    ),
}
WHY = Text(
    zh="为什么要乘 1/(1 − p)：一个权重 w 以 1 − p 的概率变成 w/(1 − p)，以 p 的概率变成 0，平均正好是 w。"
    "放大在训练时已经做完，评估时就什么也不用改。",
    en="Why 1/(1 − p): a weight w becomes w/(1 − p) with probability 1 − p and 0 with probability p, which is w on average. "
    "Training has done the correction, so evaluation needs none.",
)

QUESTION = Text(
    zh="PyTorch 的 F.scaled_dot_product_attention 用自己的随机数，丢掉的是另一些权重。取 dropout_p = %(p)s，抽 %(draws)d 次，"
    "它的平均权重会和没丢时一样吗？",
    en="PyTorch's F.scaled_dot_product_attention draws numbers of its own and drops other weights. With dropout_p = %(p)s and "
    "%(draws)d draws, does the mean of its weights come to the undropped ones?",
)
ANSWER = Text(
    zh="%(verdict)s用这个头的 q、k（不加掩码），值取单位矩阵，它的输出就是权重。抽 %(draws)d 次，平均与没丢时最多差 "
    "%(torch)s，这里的代码最多差 %(core)s；最大权重的平均按理论有 %(std)s 的标准差。均方根偏差：PyTorch %(torch_rms)s，"
    "这里 %(core_rms)s，理论 %(expected)s。它丢掉的占 %(share)s。dropout_p = 0 时两边的输出最多差 %(plain)s。",
    en="%(verdict)sOn this head's q and k (no mask) and with the identity for values its output is the weights. Over %(draws)d "
    "draws their mean is off by at most %(torch)s, that of the code here by at most %(core)s; by theory the mean of the largest "
    "weight has a standard deviation of %(std)s. Root mean square: PyTorch %(torch_rms)s, here %(core_rms)s, theory "
    "%(expected)s. The share it dropped: %(share)s. With dropout_p = 0 both outputs differ by at most %(plain)s.",
)
VERDICTS = {
    "same": Text(zh="一样，差的是抽样的误差。", en="Yes, up to chance. "),
    "off": Text(
        zh="这一次偏差超过了五个标准差；换一次抽取再看。",
        en="This time it is off by more than five standard deviations; try another draw. ",
    ),
    "nothing": Text(zh="p = 0 时什么也不丢，当然一样。", en="With p = 0 nothing is dropped, so yes. "),
}
