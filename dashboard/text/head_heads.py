"""Words of the view that shows what each head looks at."""

from dashboard.text import Text

OVER = Text(zh="大图画什么", en="large picture")
OVER_HELP = Text(
    zh="一个头自己的权重，或者所有头合成一张。合成的图会写明是平均还是最大；小图永远是一个头一张。",
    en="One head's own weights, or all heads as one picture, which then says whether it is their mean or their largest. The "
    "small pictures are always one head each.",
)
OVERS = {
    "each": Text(zh="一个头", en="one head"),
    "mean": Text(zh="各头平均", en="mean over heads"),
    "max": Text(zh="各头最大", en="max over heads"),
}
HEAD = Text(zh="放大第几个头", en="head")
HEAD_HELP = Text(
    zh="大图和下面逐个查询的表换成这个头。点一张小图也可以。",
    en="The large picture and the table of its queries show this head. Picking a small picture does the same.",
)

STRETCH = Text(zh="颜色用满", en="stretch colours")
STRETCH_HELP = Text(
    zh="颜色的尽头从 1 换成一个小一些的数，绝大多数权重不超过它，每张图都一样；更大的权重和尽头同色。句子一长，权重都小，打开它才看得清。",
    en="The end of every picture's scale becomes a smaller number that nearly all weights stay below; larger weights have the end's "
    "colour. In a long sentence all weights are small: this makes them visible.",
)
STRETCHED = Text(
    zh="颜色到 %(reach)s 为止：%(share)s 的权重不超过它，更大的同色",
    en="colours end at %(reach)s: %(share)s of the weights stay below it, larger ones have its colour",
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
    "mean": Text(
        zh="%(h)d 个头的平均（不是哪一个头的权重）", en="mean over heads, h = %(h)d (no head's own weights)"
    ),
    "max": Text(
        zh="每一格取各头里最大的权重，h = %(h)d（不是权重）",
        en="largest weight of any head, h = %(h)d (no weights)",
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
ALIKE_ROW = Text(zh="一视同仁的权重", en="equal weights")
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
    zh="往回看得最远的：%(heads)s，平均 %(back)s 格；最不往回看的：%(others)s，%(least)s 格。",
    en="Farthest back: %(heads)s, by %(back)s places on average; least far back: %(others)s, by %(least)s.",
)
AHEAD = Text(
    zh="没有哪个头总体上往回看。往前看得最少的：%(heads)s，平均 %(back)s 格；最多的：%(others)s，%(least)s 格。",
    en="On balance no head looks back. Least far ahead: %(heads)s, at %(back)s places on average; farthest ahead: %(others)s, "
    "at %(least)s.",
)
MINUS = Text(zh="负号表示总体上往前看。", en="A minus means ahead, on balance.")
ALIKE_BACK = {
    True: Text(
        zh="同一张因果掩码下，一视同仁的权重也往回看 %(alike)s 格：那一部分是掩码带来的，不算头的本事。",
        en="Under the same causal mask equal weights look back by %(alike)s: that much comes from the mask and says nothing about "
        "a head.",
    ),
    False: Text(
        zh="没有掩码时，一视同仁的权重往前往后一样多，两边相消，平均 0 格。",
        en="Without a mask equal weights look ahead as far as back, which cancels to 0 places on average.",
    ),
}
ON_SELF = Text(
    zh="最看自己的：%(heads)s，平均把 %(most)s 的权重给了查询自己；最少的：%(others)s，%(least)s。一视同仁是 %(alike)s。",
    en="Most on itself: %(heads)s, with %(most)s of the weight on the query's own token on average; least: %(others)s, with "
    "%(least)s. Equal weights give %(alike)s.",
)
APART_TWO = Text(
    zh="两个头相差 %(far)s：平均每个查询有这么大一份权重放在别的键上（0 是完全一样，1 是没有共同的键）。",
    en="The two heads are %(far)s apart: on average that share of a query's weight lies on other keys (0: the same; 1: no key in "
    "common).",
)
APART = Text(
    zh="相差最大的一对：头 %(far_pair)s，%(far)s；最小的一对：头 %(near_pair)s，%(near)s。意思是平均每个查询有这么大一份权重放在别的键上"
    "（0 是完全一样，1 是没有共同的键）。",
    en="Farthest apart: heads %(far_pair)s, by %(far)s; closest: heads %(near_pair)s, by %(near)s. On average that share of a "
    "query's weight lies on other keys (0: the same; 1: no key in common).",
)
AND = Text(zh=" 和 ", en=" and ")
ONE_TOKEN = Text(
    zh="只有一个词元：每个头都只有一个键，权重都是 1。多写几个词元才看得出差别。",
    en="There is one token: a head has one key, with weight 1. Heads can differ from two tokens on.",
)
ONE_HEAD = Text(
    zh="只有一个头，没有可比的：它平均往回看 %(back)s 格，给自己 %(most)s；一视同仁的权重是 %(alike_back)s 格和 %(alike_self)s。把 h 调大再看。",
    en="There is one head and none to compare it with: it looks back by %(back)s places on average and gives its own token "
    "%(most)s; equal weights: %(alike_back)s and %(alike_self)s. Choose a larger h.",
)
NO_DIFFERENCE = Text(
    zh="%(h)d 个头的权重在这里完全一样（最多差 %(far)s）：往回看 %(back)s 格，给自己 %(most)s。词元和位置都分不出彼此时，哪个头也分不开它们。",
    en="All heads, h = %(h)d, have the same weights here (at most %(far)s apart): back by %(back)s places, %(most)s on itself. Where "
    "nothing tells tokens apart, no head can.",
)
EACH = Text(
    zh="每张图只属于一个头，没有平均过：一平均，两个相反的头就会像一个什么也不看的头。",
    en="Each picture is one head by itself, averaged with none: the mean of two opposite heads looks like a head that looks at "
    "nothing in particular.",
)
MEAN = Text(
    zh="大图是平均：它的熵平均 %(joined)s，而各头自己的熵平均是 %(own)s。平均图的熵从不小于各头熵的平均，看上去总比头本身更散。",
    en="The large picture is a mean: its rows have an entropy of %(joined)s on average, the heads' own average %(own)s. A mean "
    "never has less, so it looks more spread than the heads it is made of.",
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
    zh="这些头的 W^Q、W^K 是用种子 %(seed)d 随机抽的，什么也没学过：谁往回看、谁看自己，在这里都是碰巧，换个种子就换一批。",
    en="W^Q and W^K of these heads are drawn with seed %(seed)d and have learnt nothing: who looks back and who looks at itself is "
    "chance, and another seed gives others.",
)
TRAINED = Text(
    zh="训练好的模型里，人们找到过跟着某种关系走的头：盯着前一个词，从动词找主语，从代词找它指的名字，把意思相近或相反的词连起来，把括号配成对。"
    "也有很多头说不出在做什么。几个头像一层卷积的几个滤波器：各自找各自的，找什么由训练决定。",
    en="In trained models heads were found that follow a relation: to the word just before, from a verb to its subject, from a "
    "pronoun to the name it stands for, between words of like or opposite meaning, from one bracket to its partner. Of many others "
    "nobody can say what they do. Heads are like the filters of a convolution: each searches for its own, and training decides what.",
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
COUNT = Text(zh="%(heads)s × %(count)d", en="%(heads)s × %(count)d")
QUESTION_ALIKE = Text(
    zh="这里没有可比的头。那么一视同仁的权重平均往回看几格，给自己多少？",
    en="There are no heads to compare here. How far back do equal weights look on average, and how much do they give the "
    "query itself?",
)
ANSWER_ALIKE = Text(
    zh="往回看 %(back)s 格，给自己 %(most)s（%(mask)s）。每个头都要和这两个数比，而不是和 0 比。",
    en="They look back by %(back)s places and give it %(most)s (%(mask)s). A head is to be compared with these two numbers, not "
    "with 0.",
)
