"""Words that the views of the heads lesson share."""

from dashboard.text import Text

TITLE = Text(zh="多头：形状、拆分与用处", en="Heads: shapes, splits and what they are for")
CLAIM = Text(
    zh="多头注意力把 d_model 拆成 h 份，每个头用自己的一份做一次注意力，再拼回来乘 W^O。顺序要记住：拆分、转置、注意力、转置回来、合并、W^O。"
    "形状对了，数不一定对；下面每个形状都从跑过的张量上读出来，每种错都当场跑给你看。",
    en="Multi-head attention cuts d_model into h pieces; each head attends with its own, and the pieces are joined and multiplied by "
    "W^O. The order to remember: split, transpose, attend, transpose back, merge, W^O. A right shape can hold wrong numbers: "
    "every shape here is read from a tensor that ran, and every fault is run before your eyes.",
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
    "growth": Text(zh="四步长成", en="Grown in four steps"),
    "shared": Text(zh="几个头共用键值", en="Shared keys and values"),
}
LEADS: dict[str, Text] = {
    "ledger": Text(
        zh="从 X 到 W^O 一步一行：形状、步长、参数、计算量。先看预设，再换成自己的大小；不合法的大小会指出断在哪一行。",
        en="From X to W^O, one step a row: shape, strides, parameters, cost. Look at a preset, then try sizes of your own; where "
        "a size is not legal, the row at which it breaks is marked.",
    ),
    "drill": Text(
        zh="账本里空了一行，你来填它的形状。十题一轮，填错会说是哪一维。",
        en="One row of the ledger is blank: fill in its shape. Ten in a row; a wrong answer is told which axis is wrong.",
    ),
    "heads": Text(
        zh="同一句话，每个头各有一张权重图。看看哪几个头往回看得远，哪几个只看自己。",
        en="One sentence, one picture of weights for each head. See which heads look far back and which look at themselves.",
    ),
    "output": Text(
        zh="把 W^O 置零、换成单位矩阵，或关掉一个头，看输出动了多少。",
        en="Set W^O to zero or to the identity, or switch one head off, and see how far the output moves.",
    ),
    "faults": Text(
        zh="四种常见写法，形状全对，数却不对。看哪种检查抓得住哪种错。",
        en="Four common ways to write it: every shape is right and the numbers are not. See which check catches which.",
    ),
    "projections": Text(
        zh="一个大的 W^Q 和 h 个小的，算出来一样吗？差多少，为什么？",
        en="One large W^Q or h small ones: do they give the same, and if not, how far apart and why?",
    ),
    "initial": Text(
        zh="同样大小的矩阵，初始化不同，分数、权重和梯度就不同。",
        en="The same matrix begun in different ways: scores, weights and gradients differ.",
    ),
    "dropout": Text(
        zh="训练时丢掉一部分权重，行和不再是 1；评估时一个也不丢。",
        en="In training some weights are dropped and rows no longer sum to 1; in evaluation none is.",
    ),
    "growth": Text(
        zh="点积、可学的 W、因果、多头：同一句话走四步，看每一步改了什么，解决了什么。",
        en="Dot products, trainable W, causal, heads: one sentence in four steps; see what each changes and what it solves.",
    ),
    "shared": Text(
        zh="键和值的头少几个，缓存就小几倍。哪个查询头读哪个键值头？",
        en="With fewer heads for keys and values the cache shrinks. Which query head reads which?",
    ),
}

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
    en="h has to divide d_model: %(d_model)d ÷ %(h)d leaves %(rest)d, so there are no %(h)d heads of equal width. Nothing was "
    "computed with another value.",
)
TAKE_VALUE = Text(zh="用 %(name)s = %(value)d", en="Take %(name)s = %(value)d")
TAKE_PARTLY = Text(
    zh="用 %(name)s = %(value)d（还有别的错）", en="Take %(name)s = %(value)d (another fault remains)"
)
