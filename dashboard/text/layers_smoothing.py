"""Words of the view that measures how alike tokens become."""

from dashboard.text import Text

METER = Text(zh="量什么", en="measure")
METER_HELP = Text(
    zh="平均余弦：任意两个词元的方向有多像。自有份额：向量里有多少不是大家共有的。",
    en="Mean cosine: how alike any two tokens point. Own share: how much of the vectors is not common to all.",
)
METERS = {
    "cosines": Text(zh="平均余弦", en="mean cosine"),
    "own_shares": Text(zh="自有份额", en="own share"),
}
AXES = {
    "cosines": Text(zh="任意两个词元的余弦，平均", en="mean cosine of all pairs of tokens"),
    "own_shares": Text(zh="向量里不与别的词元共有的份额", en="share of the vectors that is a token's own"),
}
KINDS = {
    False: Text(zh="没有残差", en="without residual"),
    True: Text(zh="有残差", en="with residual"),
}
NOTE = Text(
    zh="测量：%(note)s · 种子 %(first)d 到 %(last)d 各抽一次词和权重，线是平均，带子是最小到最大",
    en="measured: %(note)s · words and weights drawn once for each seed, %(first)d to %(last)d; lines are means, bands go from the "
    "least to the largest",
)
CHART_ALT = Text(
    zh="两条线，横轴是层，纵轴是%(axis)s：一条有残差，一条没有；各有一条带子，是各种子从最小到最大。数在表里，最后一层的数在下面的话里。",
    en="Two lines, layers across, %(axis)s up: one with a residual, one without, each with a band from the least to the largest over the "
    "seeds. The numbers are in the table, those of the last layer in the sentences below.",
)
POINT = Text(
    zh="%(kind)s · 第 %(layer)d 层 · 平均 %(mean)s（%(low)s 到 %(high)s）",
    en="%(kind)s · layer %(layer)d · mean %(mean)s (%(low)s to %(high)s)",
)
TABLE = Text(zh="层层的%(meter)s", en="Layer by layer: %(meter)s")
COLUMNS = {
    "mean": Text(zh="%(kind)s：平均", en="%(kind)s: mean"),
    "low": Text(zh="最小", en="least"),
    "high": Text(zh="最大", en="largest"),
}

LAST = Text(
    zh="第 %(n)d 层之后，任意两个词元的余弦平均：没有残差 %(without)s（各种子 %(without_low)s 到 %(without_high)s），有残差 "
    "%(having)s（%(having_low)s 到 %(having_high)s）；裸向量是 %(bare)s。",
    en="After layer %(n)d the mean cosine of all pairs is %(without)s without residual (by seed from %(without_low)s to "
    "%(without_high)s) and %(having)s with it (%(having_low)s to %(having_high)s). Bare vectors: %(bare)s.",
)
SLOWER = Text(
    zh="在这个设置下，残差让词元变得一样的路慢了下来。",
    en="With these settings the residual slows the way to likeness.",
)
NOT_SLOWER = Text(
    zh="在这个设置下，看不出残差让它慢下来。", en="With these settings the residual does not slow it."
)
GOES_ON = Text(
    zh="但有残差也在往上走：第 %(n)d 层之后比裸的时候高 %(rise)s。慢，不等于不会发生。",
    en="But with it the cosine rises too: after layer %(n)d it stands %(rise)s above the bare vectors' mean. Slower is not never.",
)
NO_RISE = Text(
    zh="有残差时，第 %(n)d 层之后没有比裸的时候高（差 %(rise)s）：这里还看不到词元变得一样。",
    en="With it the cosine after layer %(n)d is no higher than the bare vectors' mean (it differs by %(rise)s): no growing alike is to "
    "be seen here.",
)
OWN = Text(
    zh="自有份额在同一处：没有残差 %(without)s，有残差 %(having)s。它到 0，就是所有词元成了同一个向量。",
    en="The own share there: %(without)s without residual, %(having)s with it. At 0 all tokens would be one vector.",
)
WHY = Text(
    zh="注意力的输出是值的加权平均，平均会把差别抹平；残差把没有混过的自己加回来。这里量的是随机的层，训练过的层可以不同。",
    en="What attention gives is a weighted mean of values, and means level differences; the residual adds back what was not mixed. "
    "Random layers are measured here; trained ones can differ.",
)
ONE_TOKEN = Text(
    zh="只有一个词元，没有另一个可以比：多写几个词再看。",
    en="There is one token and none to compare it with: type a few more words.",
)
ALL_SAME = Text(
    zh="所有词元都是同一个词，又没有位置编码：裸向量已经相同，没有差别可以抹平。换一句有几个不同词的话。",
    en="All tokens are one word and there are no positions: their bare vectors are equal already, so there is nothing to level. Take "
    "a sentence with several words.",
)

QUESTION = Text(
    zh="都有残差，L = %(n)d：三种归一化放法里，最后一层之后哪一种的词元最不像？先猜（打开时当场量）。",
    en="With a residual and L = %(n)d: with which placing of the norm do tokens stay least alike after the last layer? Guess first (it is "
    "measured when you open this).",
)
ANSWER = Text(
    zh="平均余弦：%(each)s。最不像的是%(best)s。差别要和各种子之间的散布比着看：%(spreads)s。",
    en="Mean cosine: %(each)s. Least alike: %(best)s. Weigh the differences against the spread over seeds: %(spreads)s.",
)
ANSWER_TIED = Text(zh="平均余弦：%(each)s。分不出先后。", en="Mean cosine: %(each)s. None stands out.")
EACH = Text(zh="%(norm)s %(mean)s", en="%(norm)s %(mean)s")
SPREAD = Text(zh="%(norm)s %(low)s 到 %(high)s", en="%(norm)s %(low)s to %(high)s")
