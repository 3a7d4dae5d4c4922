"""Words of the view that shows what W^O mixes."""

from dashboard.text import Text

W_O = Text(zh="W^O 用哪个", en="W^O")
W_O_HELP = Text(
    zh="随机抽的 W^O，全是 0 的，或者单位矩阵。换了它，头里面的数不变，只有输出变。",
    en="W^O as drawn, all zeros, or the identity. The numbers inside the heads stay; the output alone changes.",
)
KINDS = {
    "own": Text(zh="随机的", en="as drawn"),
    "zero": Text(zh="全是 0", en="zeros"),
    "identity": Text(zh="单位矩阵", en="identity"),
}
OFF = Text(zh="关掉哪个头", en="head switched off")
OFF_HELP = Text(
    zh="把这个头的输出换成 0，再乘 W^O；别的头不动。点一张“贡献”图也可以。",
    en="This head's output becomes 0 before W^O; the other heads stay as they are. Picking a contribution does the same.",
)
NOBODY = Text(zh="都开着", en="none")
HEAD_NAME = Text(zh="头 %(head)d", en="head %(head)d")
HEAD_MOVED = Text(
    zh="没有头 %(given)d，关掉的是头 %(used)d。",
    en="There is no head %(given)d; head %(used)d is switched off.",
)

PICTURES = Text(zh="每个头往输出里加了什么", en="What each head adds to the output")
NOTE = Text(
    zh="随机权重（种子 %(seed)d）· float64 · d_model = %(d_model)d，h = %(h)d，每头宽 %(width)d · %(mask)s · W^O：%(kind)s",
    en="random weights (seed %(seed)d) · float64 · d_model = %(d_model)d, h = %(h)d, each head %(width)d wide · %(mask)s · W^O: %(kind)s",
)
MATRIX = Text(zh="每一行属于一个头", en="each row belongs to a head")
MATRIX_VALUE = Text(zh="W^O", en="W^O")
MATRIX_ROW = Text(zh="头", en="head")
# By whether the head is switched off.
CONTRIBUTION = {
    False: Text(zh="头 %(head)d 的贡献", en="head %(head)d: contribution"),
    True: Text(zh="▸ 头 %(head)d 的贡献（关）", en="▸ head %(head)d: contribution (off)"),
}
OUT = Text(zh="输出（头都开着）", en="output, all heads on")
WITHOUT = Text(zh="输出（关掉头 %(head)d）", en="output without head %(head)d")
CHANGE = Text(zh="差：关掉头 %(head)d − 都开着", en="difference: without head %(head)d − all on")
OUTPUT = Text(zh="输出", en="output")
DIFFERENCE = Text(zh="差", en="difference")
REACH = Text(
    zh="关掉一个头，输出的每一列最多动多少",
    en="Largest change in each column of the output when a head is off",
)
MOVE = Text(zh="最大变动", en="largest change")

TABLE = Text(zh="每个头的贡献，和关掉它的后果", en="Each head's contribution, and what switching it off does")
COLUMNS = (
    Text(zh="贡献的长度", en="norm of the contribution"),
    Text(zh="占长度之和", en="share of the norms"),
    Text(zh="拉力（合起来是 1）", en="pull (together 1)"),
    Text(zh="关掉：单个数最多动", en="off: largest change of one number"),
    Text(zh="关掉：变动 ÷ 输出的长度", en="off: change ÷ norm of the output"),
    Text(zh="关掉：动了几列", en="off: columns that move"),
    Text(zh="变动 + 贡献，最大", en="change + contribution, largest"),
)

SAID = Text(zh="怎么读", en="How to read it")
WHY = Text(
    zh="长度为什么不能直接相加？训练好的模型里呢？", en="Why do lengths not add up? And in trained models?"
)
WHY_SQUARES = Text(zh="长度怎么相加？训练好的模型里呢？", en="How do lengths add up? And in trained models?")
WHY_TRAINED = Text(zh="训练好的模型里呢？", en="And in trained models?")
SUM = Text(
    zh="每个头的输出乘 W^O 里属于它的行（%(d_model)d 行里的 %(width)d 行），就是它的贡献。%(h)d 个贡献加起来等于输出，最多差 %(apart)s%(why)s。",
    en="A head's output times its own rows of W^O (%(width)d of %(d_model)d) is its contribution. All contributions, h = %(h)d, sum "
    "to the output: largest difference %(apart)s%(why)s.",
)
SUM_ONE = Text(
    zh="只有一个头：它的输出乘 W^O 就是整个输出，和它的贡献最多差 %(apart)s%(why)s。",
    en="There is one head: its output times W^O is the whole output, which differs from its contribution by %(apart)s at "
    "most%(why)s.",
)
ROUNDING = Text(zh="（舍入）", en=" (rounding)")
OWN = Text(
    zh="随机的 W^O 把头混在一起：关掉任何一个头，输出的 %(d_model)d 列里至少动 %(least)d 列。",
    en="W^O as drawn mixes the heads: whichever one is off, at least %(least)d of %(d_model)d output columns move.",
)
OWN_ALL = Text(
    zh="随机的 W^O 把头混在一起：关掉任何一个头，输出的每一列都动（d_model = %(d_model)d）。",
    en="W^O as drawn mixes the heads: whichever one is off, every column of the output moves (d_model = %(d_model)d).",
)
OWN_ONE = Text(
    zh="只有一个头，没有别的头可混；W^O 混合的是它自己的列（d_model = %(d_model)d）。",
    en="With one head there is no other to mix it with: W^O mixes the columns of that head (d_model = %(d_model)d).",
)
OWN_NUMBER = Text(
    zh="只有一个头，只有一列（d_model = %(d_model)d）：W^O 就是一个数，没有什么可混。",
    en="With one head of one column (d_model = %(d_model)d) W^O is a single number and mixes nothing.",
)
IDENTITY_ONE = Text(
    zh="W^O 是单位矩阵，头又只有一个：输出就是这个头的结果，一个数也没变。它动的列：%(columns)s。",
    en="With the identity and one head, the output is what that head gives, number by number. Columns that it moves: %(columns)s.",
)
IDENTITY = Text(
    zh="W^O 是单位矩阵时，输出就是各头的结果并排放着，谁也不混谁。每个头只动自己的列（%(blocks)s）。",
    en="With the identity the output is the heads' outputs side by side, and nothing is mixed. Each head moves its own columns "
    "alone (%(blocks)s).",
)
BLOCK = Text(zh="头 %(head)d：%(columns)s", en="head %(head)d: %(columns)s")
SEMICOLON = Text(zh="；", en="; ")
ZERO = Text(
    zh="W^O 全是 0：头照常算出权重和结果，但什么也传不到输出。输出里最大的数是 %(most)s，关掉哪个头都不动。",
    en="With zeros in W^O the heads compute as before and nothing comes through: the largest number of the output is %(most)s, and "
    "no head that is switched off moves it.",
)
OFF_NOW = Text(
    zh="关掉头 %(head)d，输出少掉的正好是它的贡献：单个数最多动 %(largest)s，整个变动的长度是输出的 %(relative)s 倍。乘 W^O 是线性的，头与头之间只相加。",
    en="Without head %(head)d the output lacks exactly its contribution: one number moves by %(largest)s at most, and the whole change "
    "is %(relative)s times as long as the output. Multiplying by W^O is linear: heads only add up.",
)
PULL = Text(
    zh="拉力是贡献里顺着输出方向的那一份，合起来是 1：最大的是%(heads)s（%(most)s），最小的是%(others)s（%(least)s）。",
    en="A head's pull is the share of the output that its contribution makes along the output's own direction. Largest: %(heads)s "
    "(%(most)s); smallest: %(others)s (%(least)s).",
)
AGAINST = Text(
    zh="拉力是负数的头和输出方向相反。",
    en="A head with a negative pull points against the output.",
)
SUM_OF_NORMS = Text(
    zh="各贡献的长度加起来是 %(norms)s，输出的长度却是 %(out)s：只有方向相同的向量，长度才能直接相加；方向相反的部分互相抵消。",
    en="The norms of the contributions add up to %(norms)s, yet the output's norm is %(out)s: lengths add up only where vectors point "
    "the same way, and opposite parts cancel.",
)
SUM_OF_SQUARES = Text(
    zh="各占各的列，所以互相垂直，谁也不抵消谁：长度的平方相加再开方，√Σ 长度² = %(root)s，就是输出的长度 %(out)s。",
    en="With columns of their own the contributions stand at right angles and none cancels another: the squares of the norms add up, "
    "√Σ norm² = %(root)s, and the output's norm is %(out)s.",
)
RANDOM = {
    "own": Text(
        zh="W^O 和别的矩阵一样，是用种子 %(seed)d 随机抽的：哪个头要紧，在这里是碰巧。",
        en="W^O is drawn with seed %(seed)d like the other matrices: which head matters is chance here.",
    ),
    "zero": Text(
        zh="头里面的矩阵是用种子 %(seed)d 随机抽的，没有学过什么；W^O 是手工放的。",
        en="The matrices inside the heads are drawn with seed %(seed)d and have learnt nothing; W^O is put there by hand.",
    ),
}
RANDOM["identity"] = RANDOM["zero"]
TRAINED = Text(
    zh="在训练好的模型里关掉一个头，量到的也只是现在的输出有多靠它：别的头没有重新训练过，没有机会补上。",
    en="In a trained model, too, this measures what the output leans on now: the other heads were not trained again and had no "
    "chance to make up for the one that is off.",
)

QUESTION = Text(
    zh="贡献最长的那个头，关掉它，输出动得也最多吗？",
    en="The head with the longest contribution: does the output move most when it is switched off?",
)
ANSWER_ZERO = Text(
    zh="这里没有最长的：W^O 全是 0，每个贡献的长度都是 %(norm)s，关掉哪个头，输出都动 %(largest)s。换一个 W^O 再问。",
    en="There is no longest one here: with zeros in W^O each contribution has norm %(norm)s, and switching any head off moves the "
    "output by %(largest)s. Choose another W^O and ask again.",
)
ANSWER_ONE = Text(
    zh="只有一个头，关掉它，输出全没了：长度 %(norm)s 的贡献就是整个输出，变动是输出长度的 %(relative)s 倍。",
    en="There is one head, and without it no output is left: its contribution, of norm %(norm)s, is all of it, and the change is "
    "%(relative)s times as long as the output.",
)
ANSWER = Text(
    zh="按长度量，是：最长的是%(longest)s（%(norm)s），关掉它变动的长度也最大（%(change)s），因为变动正好是负的贡献。"
    "按单个数最多动多少来量，%(verdict)s：排第一的是%(mover)s，%(largest)s。",
    en="Measured by length, yes: the longest is that of %(longest)s (%(norm)s), and switching it off gives the longest change too "
    "(%(change)s), since the change is minus the contribution. Measured by the largest change of one number, %(verdict)s: first "
    "comes %(mover)s, with %(largest)s.",
)
YES_HERE = Text(zh="这里也是", en="also yes here")
NOT_HERE = Text(zh="这里不是", en="not here")
