"""Words that the views of the layers lesson share."""

from dashboard.text import Text

TITLE = Text(zh="层层相叠：裸的词与穿上语境的词", en="Layers: bare and dressed")
CLAIM = Text(
    zh="进入第一层之前，一个词的向量是裸的，在哪句话里都一样；每一层的注意力都往里混入别的词。这里的层是随机抽的，什么也没学过。",
    en="Before the first layer a word's vector is bare, the same in any sentence. Each layer's attention mixes other words into it. "
    "The layers here are random and have learnt nothing.",
)

VIEW = Text(zh="看什么", en="View")
VIEW_HELP = Text(zh="每个按钮是一组实验。", en="Each button is a group of experiments.")
VIEWS: dict[str, Text] = {
    "stack": Text(zh="从裸到穿上", en="From bare to dressed"),
    "attention": Text(zh="每层每头的权重", en="Weights by layer and head"),
    "smoothing": Text(zh="词越来越像", en="Tokens grow alike"),
    "rollout": Text(zh="权重连乘，可信吗", en="Rollout, and its limit"),
    "twice": Text(zh="同词两句", en="One word, two sentences"),
    "far": Text(zh="改一个远处的词", en="Change a far word"),
}
LEADS: dict[str, Text] = {
    "stack": Text(
        zh="所有词元画在一个平面上，从裸的位置指到你选的那一层之后。拖动层，看谁走得远，又是从谁那里取来的。",
        en="All tokens in one plane, with an arrow from where each is bare to where the chosen layer leaves it. Move the layer: who "
        "goes far, and whom did it take from?",
    ),
    "attention": Text(
        zh="每层每个头各有一张权重图。选层和头，点一格，展开它的算式。",
        en="Each head of each layer has a map of weights. Choose layer and head, and open a cell down to its arithmetic.",
    ),
    "smoothing": Text(
        zh="只靠混合，词元会越来越像。同样的层，有残差和没有残差各叠一遍，用几个种子量出来。",
        en="Layers that mix make tokens alike. The same layers are stacked with a residual and without, for several seeds, and "
        "measured.",
    ),
    "rollout": Text(
        zh="把各层权重乘起来，算出每个词的一份（rollout）；再真的把词逐个换掉，看结果变了多少。两者合不合？",
        en="Rollout multiplies the layers' weights into a share for each word. Beside it, each word is really replaced: how far "
        "does the result move? Do the two agree?",
    ),
    "twice": Text(
        zh="同一个词放进两句话：进去时一样，出来时不一样。一层一层量它们离多远。",
        en="One word in two sentences: equal as it enters, different as it leaves. Measure how far apart, layer by layer.",
    ),
    "far": Text(
        zh="换掉一个词，看别的词元在第几层才发觉。掩码能事先说出答案。",
        en="Replace one word and see at which layer each token notices. The mask foretells it.",
    ),
}
# Shown on a phone alone, where the sidebar is closed.
IN_SIDEBAR = Text(
    zh="层数、宽度、归一化、残差和种子在侧栏：点左上角的 »。",
    en="Number of layers, widths, norm, residual and seed are in the sidebar: tap » at the top left.",
)

FIRST_SENTENCE = Text(zh="我 打 电话 给 我 妈妈", en="the bank of the river floods")
SECOND_SENTENCE = Text(zh="他 打 篮球 打 得 很 好", en="the bank lent me money")

LAYERS = Text(zh="L（层数）", en="L (layers)")
LAYERS_HELP = Text(
    zh="叠几层。前面各层的数不随层数改变。",
    en="How many layers stand on one another. A layer's numbers do not depend on how many follow.",
)
HEADS_HELP = Text(
    zh="每层几个头。每个头宽 d_model ÷ h，所以 h 要整除 d_model。",
    en="Heads in each layer. Each is d_model ÷ h wide, so h has to divide d_model.",
)
SEED_HELP = Text(
    zh="决定词、可学习的位置和每层的 W。同一种子，同样的数。",
    en="Decides the words, learned positions and every layer's W. The same seed gives the same numbers.",
)
NORM = Text(zh="层归一化", en="layer norm")
NORM_HELP = Text(
    zh="放在每个部分之前（前置），放在加上残差之后（后置），或不用。",
    en="Before each part (pre), after the residual was added (post), or none.",
)
NORMS = {
    "pre": Text(zh="前置", en="pre-norm"),
    "post": Text(zh="后置", en="post-norm"),
    "none": Text(zh="不用", en="none"),
}
RESIDUAL = Text(zh="残差", en="residual")
RESIDUAL_HELP = Text(
    zh="打开：每个部分把输出加到输入上。关掉：只留输出。",
    en="On: each part adds its output to its input. Off: only the output is kept.",
)
FFN = Text(zh="前馈部分", en="feed-forward part")
FFN_HELP = Text(
    zh="注意力之后再接一个两层的小网络，逐个词元各算各的。",
    en="After attention a small network of two layers, applied to each token by itself.",
)

NOTE = Text(
    zh="随机的词和权重（种子 %(seed)d）· float64 · %(layers)s · d_model = %(d_model)d · h = %(h)d · %(norm)s · %(residual)s · "
    "%(ffn)s · %(positions)s · %(mask)s",
    en="random words and weights (seed %(seed)d) · float64 · %(layers)s · d_model = %(d_model)d · h = %(h)d · %(norm)s · "
    "%(residual)s · %(ffn)s · %(positions)s · %(mask)s",
)
# By whether there is one layer.
N_LAYERS = {
    True: Text(zh="%(n)d 层", en="%(n)d layer"),
    False: Text(zh="%(n)d 层", en="%(n)d layers"),
}
NORM_SAID = {
    "pre": Text(zh="前置归一化", en="pre-norm"),
    "post": Text(zh="后置归一化", en="post-norm"),
    "none": Text(zh="无归一化", en="no norm"),
}
RESIDUAL_SAID = {
    True: Text(zh="有残差", en="residual"),
    False: Text(zh="无残差", en="no residual"),
}
BOTH_RESIDUALS = Text(zh="有残差和无残差", en="with and without residual")
FFN_SAID = {
    True: Text(zh="有前馈", en="feed-forward"),
    False: Text(zh="无前馈", en="no feed-forward"),
}
POSITIONS_SAID = {
    "none": Text(zh="无位置编码", en="no positions"),
    "sinusoidal": Text(zh="正弦位置", en="sinusoidal positions"),
    "learned": Text(zh="可学习位置（未训练）", en="learned positions (untrained)"),
}
MASKS_SAID = {
    True: Text(zh="因果掩码", en="causal mask"),
    False: Text(zh="无掩码", en="no mask"),
}

LAYER_AXIS = Text(zh="层（0 = 裸）", en="layer (0 = bare)")
AXIS_X = Text(zh="第一主轴", en="first principal axis")
AXIS_Y = Text(zh="第二主轴", en="second principal axis")
SAID = Text(zh="怎么读", en="How to read it")
WHERE_FROM = Text(zh="数从哪来", en="Where the numbers come from")
JOIN = Text(zh="、", en=", ")
AND = Text(zh=" 和 ", en=" and ")
DEPTH = Text(zh="层", en="layer")
LAYER_NAME = Text(zh="第 %(layer)d 层", en="layer %(layer)d")
BARE = Text(zh="裸", en="bare")
TOKEN = Text(zh="词元", en="token")
TOKEN_HELP = Text(
    zh="突出显示哪个词元，话也说它的。点表里的一行也可以。",
    en="Which token stands out and is spoken of. Picking a row of the table does the same.",
)

ONE_WORD = Text(
    zh="这里要填一个词元；%(given)s 有 %(n)d 个。你写的还在框里。",
    en="It takes one token; %(given)s has %(n)d. What you typed is still in the box.",
)
NO_WORD = Text(zh="这里要填一个词元，现在是空的。", en="It takes one token, and has none at present.")
TOO_LONG_WORD = Text(
    zh="一个词元最多 %(limit)d 个字符，这里有 %(n)d 个。你写的还在框里。",
    en="A token may have %(limit)d characters here; this has %(n)d. What you typed is still in the box.",
)
SAME_WORD = Text(
    zh="换上去的要是另一个词：这一处本来就是 %(given)s。",
    en="The replacement has to be another word: %(given)s stands there already.",
)
TAKE_WORD = Text(zh="用 %(word)s", en="Take %(word)s")
WORD_PLACEHOLDER = Text(zh="一个词元", en="one token")
