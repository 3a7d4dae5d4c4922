"""Words of the view with the weights of each layer and head."""

from dashboard.text import Text

LAYER = Text(zh="第几层", en="layer")
LAYER_HELP = Text(
    zh="看哪一层的各个头。点下面的总表也可以。",
    en="Whose heads are shown. Picking a cell of the overview does the same.",
)
HEAD = Text(zh="放大第几个头", en="head")
HEAD_HELP = Text(
    zh="大图和算式换成这个头。点一张小图也可以。",
    en="The large picture and its arithmetic show this head. Picking a small picture does the same.",
)
LARGE = Text(zh="第 %(layer)d 层，头 %(head)d 的权重", en="weights of layer %(layer)d, head %(head)d")
NAME = Text(zh="第 %(layer)d 层，头 %(head)d", en="layer %(layer)d, head %(head)d")
IN_LAYERS = Text(zh="同一对词元，头 %(head)d 在各层：", en="The same pair in each layer, head %(head)d:")
OVERVIEW = Text(zh="每层每头的熵（nat），各行平均", en="Entropy by layer and head, in nats: mean over rows")
ENTROPY = Text(zh="熵", en="entropy")
HEAD_COLUMN = Text(zh="头", en="head")
OVERVIEW_KEYS = Text(
    zh="点一格，看那一层那个头；方向键和回车也行", en="pick a cell for its layer and head; arrow keys, Enter"
)

READS = {
    "bare": Text(
        zh="第 1 层读的是裸的词（加上位置）%(norm)s，所以它的权重只由词和位置决定。",
        en="Layer 1 reads the bare words with their positions%(norm)s: its weights depend on words and places alone.",
    ),
    "dressed": Text(
        zh="第 %(layer)d 层读的是第 %(before)d 层留下的向量%(norm)s，里面已经混进了别的词，所以它的权重随整句话变。",
        en="Layer %(layer)d reads what layer %(before)d left%(norm)s. Other words are mixed into that already, so its weights depend "
        "on the sentence.",
    ),
}
# By whether the norm stands before.
NORMED = {
    True: Text(zh="，先归一化", en=", normalised first"),
    False: Text(zh="，原样", en=", as they are"),
}
X_IS = Text(
    zh="下面算式里的 x 是这一层读的向量%(norm)s，q = x W^Q，k = x W^K。",
    en="In the arithmetic x is what this layer reads%(norm)s; q = x W^Q, k = x W^K.",
)
EVEN = Text(
    zh="头 %(head)d 在这一层的熵是 %(own)s；每个查询把看得见的键平分时是 %(even)s，只看一个键时是 0。",
    en="In this layer head %(head)d has an entropy of %(own)s on average; it is %(even)s where each query shares its weight equally "
    "among the keys it sees, 0 where it looks at one key.",
)
RANDOM = Text(
    zh="这些 W 是随机的：图上的样子是碰巧，不是学来的。",
    en="These W are random: what a map looks like is chance and was not learnt.",
)
ONE_TOKEN = Text(
    zh="只有一个词元：每层每头都只有一个键，权重都是 1。",
    en="There is one token: in every layer each head has one key, with weight 1.",
)

QUESTION = Text(
    zh="哪一层的权重平均起来最接近平分？先猜，再看上面的总表。",
    en="In which layer are the weights spread most evenly, on average over its heads? Guess, then look at the overview.",
)
ANSWER_ONE = Text(
    zh="只有一层：熵平均 %(most)s，平分是 %(even)s。把层数加大再看。",
    en="There is one layer, with an entropy of %(most)s; equal shares would be %(even)s. Choose more layers.",
)
# By whether one layer stands out.
ANSWER = {
    True: Text(
        zh="第 %(layer)d 层：熵平均 %(most)s；最不平均的是第 %(other)d 层，%(least)s。平分是 %(even)s。换个种子，答案会变。",
        en="Layer %(layer)d, with an entropy of %(most)s; least evenly: layer %(other)d, with %(least)s. Equal shares would be "
        "%(even)s. Another seed can give another answer.",
    ),
    False: Text(
        zh="分不出先后：每层的熵平均都是 %(most)s。平分是 %(even)s。",
        en="None stands out: every layer has %(most)s. Equal shares would be %(even)s.",
    ),
}
