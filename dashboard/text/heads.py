"""Words that the views of the heads lesson share."""

from dashboard.text import Text

TITLE = Text(zh="多头：形状、拆分与用处", en="Heads: shapes, splits and what they are for")
CLAIM = Text(
    zh="多头注意力让 h 个头各做一次注意力。每个头都读完整的 x；拆成 h 份的是 q、k、v，每份宽 d_k = d_model ÷ h。各头的结果拼起来，再乘 W^O。"
    "形状对了，数不一定对：这里的形状都读自跑过的张量，每种错也都当场跑给你看。",
    en="In multi-head attention h heads attend side by side. Each reads all of x; it is q, k and v that are cut into h pieces of "
    "width d_k = d_model ÷ h. The results are joined and multiplied by W^O. A right shape can hold wrong numbers: every shape and "
    "every fault here comes from a run.",
)

VIEW = Text(zh="看什么", en="View")
VIEW_HELP = Text(zh="每个按钮是一组实验。", en="Each button is a group of experiments.")
VIEWS: dict[str, Text] = {
    "ledger": Text(zh="形状账本", en="Shape ledger"),
    "drill": Text(zh="填形状", en="Shape drill"),
    "heads": Text(zh="每个头看什么", en="What heads look at"),
    "output": Text(zh="W^O 混合什么", en="What W^O mixes"),
    "faults": Text(zh="形状对，数不对", en="Right shape, wrong numbers"),
    "projections": Text(zh="一个大矩阵，几个小矩阵", en="One matrix or many"),
    "initial": Text(zh="初始权重", en="Initial weights"),
    "dropout": Text(zh="权重上的 dropout", en="Dropout on weights"),
    "growth": Text(zh="从点积到多头", en="Grown in four steps"),
    "shared": Text(zh="几个头共用键值", en="Shared keys and values"),
}
LEADS: dict[str, Text] = {
    "ledger": Text(
        zh="从 X 到 W^O 一步一行：形状、步长、参数、计算量。换成自己的大小试试；不合法时会指出断在哪一行。",
        en="From X to W^O, one step a row: shape, strides, parameters, cost. Try sizes of your own; illegal ones show where they break.",
    ),
    "drill": Text(
        zh="账本里空了一行，你来填它的形状。十题一轮，填错会说是哪一维。",
        en="One row of the ledger is blank: fill in its shape. A round has ten; if you are wrong, you are told at which axis.",
    ),
    "heads": Text(
        zh="同一句话，每个头各有一张权重图，因为各有自己的 W^Q 和 W^K。这里的 W 是随机的，图上的样子还不是学来的。",
        en="One sentence, one map of weights for each head, because each has a W^Q and W^K of its own. Here they are random: what "
        "a map shows has not been learnt.",
    ),
    "output": Text(
        zh="把 W^O 置零、换成单位矩阵，或关掉一个头，看输出变了多少。",
        en="Set W^O to zero or to the identity, or switch one head off, and see how far the output moves.",
    ),
    "faults": Text(
        zh="五种常见的错写，输出的形状都对，只看形状查不出来。看哪种检查抓得住哪种错。",
        en="Five common mistakes that leave the shape of the output right, so that it gives nothing away. See which check catches which.",
    ),
    "projections": Text(
        zh="一个大的 W^Q 和 h 个小的，算出来一样吗？差多少，为什么？",
        en="One large W^Q or h small ones: do they give the same, and if not, how far apart and why?",
    ),
    "initial": Text(
        zh="同样大小的矩阵，初始化不同，分数、权重和梯度就不同。",
        en="One matrix, initialised in different ways: scores, weights and gradients differ.",
    ),
    "dropout": Text(
        zh="训练时，每个权重以概率 p 丢掉，留下的除以 1 − p：行和只是平均等于 1。评估时一个也不丢。",
        en="In training each weight is dropped with probability p and the others are divided by 1 − p: rows sum to 1 on average. In "
        "evaluation none is dropped.",
    ),
    "growth": Text(
        zh="点积、可学的 W、因果、多头：同一句话走四步，看每一步改了什么，解决了什么。",
        en="Dot products, trainable W, causal, heads: one sentence in four steps; see what each changes and what it solves.",
    ),
    "shared": Text(
        zh="几个查询头合用一个键值头，KV 缓存就小下来。哪个查询头读哪个键值头？",
        en="Where several query heads share one head of keys and values, the KV cache shrinks. Which query head reads which?",
    ),
}
# Shown on a phone alone, in the views whose controls stand in the sidebar.
IN_SIDEBAR = Text(
    zh="d_model、h 和种子在侧栏：点左上角的 »。",
    en="d_model, h and the seed are in the sidebar: tap » at the top left.",
)

HEADS = Text(zh="h（头数）", en="h (heads)")
HEADS_HELP = Text(
    zh="每个头的宽度是 d_model ÷ h，所以 h 要整除 d_model。",
    en="Each head is d_model ÷ h wide, so h has to divide d_model.",
)
HEAD_MOVED = Text(
    zh="没有头 %(given)d，现在看头 %(used)d。", en="There is no head %(given)d; head %(used)d is shown."
)
H_DIVIDES = Text(
    zh="h 要整除 d_model：%(d_model)d ÷ %(h)d 余 %(rest)d，拆不成 %(h)d 个一样宽的头。没有换成别的值来算。",
    en="h has to divide d_model: %(d_model)d ÷ %(h)d leaves %(rest)d, so it cannot be cut into %(h)d heads of equal width. Nothing "
    "was computed with another value.",
)
TAKE_VALUE = Text(zh="用 %(name)s = %(value)d", en="Take %(name)s = %(value)d")
TAKE_PARTLY = Text(
    zh="用 %(name)s = %(value)d（还有别的错）", en="Take %(name)s = %(value)d (another fault remains)"
)
