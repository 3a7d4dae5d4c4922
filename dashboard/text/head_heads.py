"""Words of the view that shows what each head looks at."""

from dashboard.text import Text

OVER = Text(zh="大图画什么", en="large picture")
OVER_HELP = Text(
    zh="一个头自己的权重，或者所有头合成一张，写明是平均还是最大。两个相反的头一平均，就像一个什么也不看的头；所以小图永远是一个头一张。",
    en="One head's own weights, or all heads as one picture, which then says whether it is their mean or their largest. The mean of "
    "two opposite heads looks like a head that looks at nothing in particular, so the small pictures are always one head each.",
)
OVERS = {
    "each": Text(zh="一个头", en="one head"),
    "mean": Text(zh="各头平均", en="mean over heads"),
    "max": Text(zh="各头最大", en="max over heads"),
}
HEAD = Text(zh="放大第几个头", en="head")
HEAD_HELP = Text(
    zh="大图、算式和逐个查询的表换成这个头。点一张小图也可以。",
    en="The large picture, its arithmetic and the table of queries show this head. Picking a small picture does the same.",
)
STRETCH = Text(zh="颜色用满", en="stretch colours")
STRETCH_HELP = Text(
    zh="颜色的尽头从 1 换成一个小一些的数，绝大多数权重不超过它，每张图都一样；更大的权重和尽头同色。句子一长，权重都小，打开它才看得清。",
    en="The end of every picture's scale becomes a smaller number that nearly all weights stay below; larger weights have the end's "
    "colour. In a long sentence all weights are small: this makes them visible.",
)
STRETCHED = Text(
    zh="颜色到 %(reach)s 为止：至少 %(share)s 的权重不超过它，更大的同色",
    en="colours end at %(reach)s: at least %(share)s of the weights are no larger, any that are have its colour",
)

PICTURES = Text(zh="每个头的权重", en="The weights of each head")
NOTE = Text(
    zh="随机权重（种子 %(seed)d）· float64 · %(mask)s · h = %(h)d，每头宽 %(width)d",
    en="random weights (seed %(seed)d) · float64 · %(mask)s · h = %(h)d, each head %(width)d wide",
)
MASKS = {
    True: Text(zh="因果掩码", en="causal mask"),
    False: Text(zh="无掩码", en="no mask"),
}
HEAD_NAME = Text(zh="头 %(head)d", en="head %(head)d")
HEAD_TITLE = Text(zh="%(mark)s头 %(head)d", en="%(mark)shead %(head)d")
LARGE = {
    "each": Text(zh="头 %(head)d 的权重", en="weights of head %(head)d"),
    "mean": Text(zh="%(h)d 个头的平均（所有头合成一张）", en="mean over heads, h = %(h)d (all heads as one)"),
    "max": Text(
        zh="每一格取各头里最大的权重，h = %(h)d（行和不必是 1）",
        en="largest weight of any head, h = %(h)d (rows need not sum to 1)",
    ),
}
WEIGHT = Text(zh="权重", en="weight")
WEIGHT_OF_ANY = Text(zh="最大的权重", en="largest weight")

METERS = {
    "entropy": Text(zh="熵", en="entropy"),
    "distance_back": Text(zh="往回看几格（往前看算负）", en="places back (ahead: negative)"),
    "distance": Text(zh="离自己几格（不分前后）", en="places away (either way)"),
    "on_self": Text(zh="给自己", en="on itself"),
    "on_first": Text(zh="给第一个词元", en="on the first token"),
    "on_previous": Text(zh="给前一个词元", en="on the token before"),
}
NUMBERS = Text(
    zh="每个头看什么：各查询的平均（熵的单位是 nat）",
    en="What each head looks at: means over its queries (entropy in nats)",
)
MEAN_ROW = Text(zh="各头这一列的平均", en="mean of the heads above")
ALIKE_ROW = Text(zh="均匀权重", en="equal weights")
QUERIES = {
    "each": Text(zh="头 %(head)d，逐个查询", en="head %(head)d, query by query"),
    "mean": Text(zh="平均那张图，逐个查询", en="the mean picture, query by query"),
    "max": Text(zh="最大那张图，逐个查询", en="the picture of largest weights, query by query"),
}
ROW_SUM = Text(zh="行和", en="row sum")

SAID = Text(zh="怎么读", en="How to read it")
HEADS_ONE = Text(zh="头 %(names)s", en="head %(names)s")
HEADS_SEVERAL = Text(zh="头 %(names)s", en="heads %(names)s")
JOIN = Text(zh="、", en=", ")
FARTHEST = Text(
    zh="往回看得最远的是%(heads)s，平均 %(back)s 格；最少的是%(others)s，%(least)s 格。",
    en="Farthest back on average: %(heads)s, by %(back)s places; least: %(others)s, by %(least)s.",
)
AHEAD = Text(
    zh="总的来说没有哪个头往回看：往前看得最少的是%(heads)s，平均 %(back)s 格；最多的是%(others)s，%(least)s 格。",
    en="On balance no head looks back. Least far ahead on average: %(heads)s, at %(back)s places; farthest: %(others)s, at %(least)s.",
)
SAME_BACK = Text(
    zh="%(h)d 个头往回看得一样远，平均 %(back)s 格。",
    en="All heads, h = %(h)d, look equally far back: by %(back)s places on average.",
)
NO_HEAD = Text(zh="没有头往回看", en="no head on balance")
MINUS = Text(zh="负号表示往前看。", en="A minus means ahead.")
ALIKE_BACK = Text(
    zh="均匀权重在这张掩码下也往回看 %(alike)s 格，这一部分不是头学来的，是掩码给的。",
    en="Equal weights under this mask look back by %(alike)s as well: that much comes from the mask.",
)
ON_SELF = Text(
    zh="给自己权重最多的是%(heads)s，平均 %(most)s；最少的是%(others)s，%(least)s；均匀权重给 %(alike)s。",
    en="Most on itself: %(heads)s, with %(most)s of the weight; least: %(others)s, with %(least)s; equal weights give %(alike)s.",
)
SAME_SELF = Text(
    zh="%(h)d 个头给自己的权重一样多，平均 %(most)s；均匀权重给 %(alike)s。",
    en="All heads, h = %(h)d, give the query's own token equally much: %(most)s on average. Equal weights give %(alike)s.",
)
SAME_APART = Text(
    zh="任何两个头都差得一样多：一个查询平均有 %(far)s 的权重放在不同的键上。",
    en="Any two heads differ equally: %(far)s of a query's weight lies on different keys, on average.",
)
APART_TWO = Text(
    zh="两个头差多少：一个查询平均有 %(far)s 的权重放在不同的键上。",
    en="The two heads differ: %(far)s of a query's weight lies on different keys, on average.",
)
APART = Text(
    zh="差得最多的是头 %(far_pair)s：一个查询平均有 %(far)s 的权重放在不同的键上；差得最少的是头 %(near_pair)s，%(near)s。",
    en="Most unlike: heads %(far_pair)s, with %(far)s of a query's weight on different keys, on average; most alike: heads "
    "%(near_pair)s, with %(near)s.",
)
AND = Text(zh=" 和 ", en=" and ")
PLACES = {
    "on_self": Text(zh="自己", en="itself"),
    "on_first": Text(zh="第一个词元", en="the first token"),
    "on_previous": Text(zh="前一个词元", en="the token before"),
}
NAMED = Text(zh="头 %(head)d（%(place)s，%(share)s）", en="head %(head)d, %(place)s (%(share)s)")
SEMICOLON = Text(zh="；", en="; ")
# By whether there are heads without a name.
NAMES = {
    True: Text(
        zh="把一半以上的权重给同一处，而且给得比均匀权重多，就可以用这一处称呼这个头：%(names)s。%(h)d 个头里，没有这种称呼的有 %(rest)d 个。",
        en="A place that gets over half of a head's weight, and more than equal weights give it, can name the head: %(names)s. Without "
        "such a name: %(rest)d of %(h)d.",
    ),
    False: Text(
        zh="把一半以上的权重给同一处，而且给得比均匀权重多，就可以用这一处称呼这个头。这里每个头都有：%(names)s。",
        en="A place that gets over half of a head's weight, and more than equal weights give it, can name the head. Here each has such "
        "a name: %(names)s.",
    ),
}
NO_NAMES = Text(
    zh="%(h)d 个头里，没有一个把一半以上的权重给同一处（自己、前一个或第一个词元），而且给得比均匀权重多：哪个头也不能用一处来称呼。",
    en="No place (itself, the token before, the first token) gets over half of a head's weight and more than equal weights give it: "
    "none of the heads, h = %(h)d, can be named by one.",
)
ONE_TOKEN = Text(
    zh="只有一个词元：每个头都只有一个键，权重都是 1。多写几个词元才看得出差别。",
    en="There is one token: a head has one key, with weight 1. Heads can differ from two tokens on.",
)
ONE_HEAD = Text(
    zh="只有一个头，没有可比的：它平均往回看 %(back)s 格，给自己 %(most)s；均匀权重是 %(alike_back)s 格和 %(alike_self)s。把 h 调大再看。",
    en="There is one head and none to compare it with: it looks back by %(back)s places on average and gives its own token "
    "%(most)s; equal weights: %(alike_back)s and %(alike_self)s. Choose a larger h.",
)
NO_DIFFERENCE = Text(
    zh="%(h)d 个头的权重在这里完全一样（最多差 %(far)s）：往回看 %(back)s 格，给自己 %(most)s。词元和位置都分不出彼此时，哪个头也分不开它们。",
    en="All heads, h = %(h)d, have the same weights here (at most %(far)s apart): back by %(back)s places, %(most)s on itself. Where "
    "nothing tells tokens apart, no head can.",
)
MEAN = Text(
    zh="大图是平均：它各行的熵平均是 %(joined)s，各头自己的熵平均是 %(own)s。平均之后熵只会更大或不变，头与头差得越多，大得越多。",
    en="The large picture is a mean: its rows have an entropy of %(joined)s on average, the heads' own average %(own)s. A mean "
    "never has less, and the more the heads differ, the more it has.",
)
MAX = Text(
    zh="大图是最大：每一行加起来是 %(low)s 到 %(high)s，一般不是 1（在 1 和头数 %(h)d 之间）。既然不是一份分配，就没有熵可言。",
    en="The large picture is a maximum: its rows sum to between %(low)s and %(high)s, in general not to 1 (the bounds are 1 and "
    "the number of heads, %(h)d). What is no share of a whole has no entropy.",
)
MAX_SAME = Text(
    zh="大图是最大：这里每一行加起来仍是 1，因为各头的权重一样；头一不同，和就大于 1，也就没有熵可言。",
    en="The large picture is a maximum: here each row still sums to 1, since no head differs from another. As soon as heads differ "
    "the sums exceed 1, and what is no share of a whole has no entropy.",
)
RANDOM = Text(
    zh="这些头是用种子 %(seed)d 随机抽的，什么也没学过：哪个头怎么看，都是碰巧。",
    en="These heads are drawn at random (seed %(seed)d) and have learnt nothing: which one does what is chance.",
)
IN_TRAINED = Text(zh="训练好的模型里呢", en="And in trained models?")
TRAINED = Text(
    zh="训练好的模型里，人们找到过跟着某种关系走的头：盯着前一个词，从动词找主语，从代词找它指的名字"
    "（Clark 等 2019，BERT；Voita 等 2019，翻译模型）。意思相近或相反的词、配对的括号也常被提到。还有很多头，说不出在做什么。"
    "想在自己的句子上看训练好的头，可以用 BertViz（Vig 2019）。",
    en="In trained models heads were found that follow a relation: to the word just before, from a verb to its subject, from a "
    "pronoun to the name it stands for (Clark et al. 2019, BERT; Voita et al. 2019, translation). Words of like or opposite meaning "
    "and matching brackets are often named too. Of many heads nobody can say what they do. BertViz (Vig 2019) shows trained heads "
    "on a sentence of yours.",
)
FILTERS = Text(
    zh="几个头像一层卷积的几个滤波器：读的是同一个输入，各出一张图，找什么由训练决定。不同的是，滤波器的权重对每个位置、每句话都一样；"
    "头的权重由词元现算，改一个词就变。",
    en="Heads are like the filters of a convolution: all read one input, each makes a map of its own, and training decides of what. "
    "But a filter has the same weights at every place of every sentence; a head computes its weights from the tokens: change a word, "
    "and they change.",
)

QUESTION = Text(
    zh="同一句话，换 %(more)d 个别的种子，往回看得最远的还是同一个头吗？先猜，再看（打开时当场重算）。",
    en="Same sentence, %(more)d other seeds: is it the same head that looks farthest back? Guess first (it is run when you open "
    "this).",
)
ANSWER = Text(
    zh="种子 %(first)d 到 %(last)d，往回看得最远的：%(counts)s。头没有学过，编号不带角色；要谈一个头的角色，得看训练之后、许多句子上的结果。",
    en="Seeds %(first)d to %(last)d, farthest back: %(counts)s. Untrained heads have no role that goes with their number; a role "
    "can be spoken of after training, and over many sentences.",
)
COUNT = Text(zh="%(heads)s（%(count)d 次）", en="%(heads)s (%(count)d times)")
COUNT_ONE = Text(zh="%(heads)s（1 次）", en="%(heads)s (once)")
QUESTION_ALIKE = Text(
    zh="这里没有可比的头。那么均匀权重平均往回看几格，给自己多少？",
    en="There are no heads to compare here. How far back do equal weights look on average, and how much do they give the "
    "query itself?",
)
ANSWER_ALIKE = Text(
    zh="往回看 %(back)s 格，给自己 %(most)s（%(mask)s）。每个头都要和这两个数比，而不是和 0 比。",
    en="They look back by %(back)s places and give it %(most)s (%(mask)s). A head is to be compared with these two numbers, not "
    "with 0.",
)
