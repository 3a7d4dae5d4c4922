"""Words of the view that follows a sentence from bare to dressed."""

from dashboard.text import Text

LAYER = Text(zh="看到第几层之后", en="after layer")
LAYER_HELP = Text(
    zh="箭头指到这一层之后的位置；0 是裸的，还没有箭头。平面不随它改变。",
    en="Arrows lead to where this layer leaves each token; 0 is bare and has no arrow. The plane stays the same.",
)
BARE = Text(zh="裸", en="bare")
DRESSED = Text(zh="这一层之后", en="after the layer")
CHOSEN = Text(zh="选中的词元", en="the chosen token")
OTHERS = Text(zh="其余词元", en="the others")
COSINE = Text(zh="与自己裸向量的余弦", en="cosine with its own bare vector")
PLANE_ALT = Text(
    zh="全部词元在一个平面里，圆点是裸的位置，菱形是选中那一层之后的位置，连线从前者到后者，选中的词元加粗。数在下面的表里。",
    en="All tokens in one plane: circles where they are bare, diamonds where the chosen layer leaves them, a line from one to "
    "the other, the chosen token drawn larger. The numbers are in the table below.",
)
LINES_ALT = Text(
    zh="每个词元一条线：横轴是层，纵轴是它与自己裸向量的余弦，都从 1 开始；选中的词元画得最粗，虚线标出选中的层。数在表里。",
    en="A line for each token: layers across, its cosine with its own bare vector up, all beginning at 1. The chosen token's line is "
    "thickest, a dashed rule marks the chosen layer. The numbers are in the table.",
)
UNNAMED = Text(
    zh="有 %(n)d 个名字会盖住别的名字，没有写出来；把鼠标移到点上，或看表。",
    en="Names that would cover others are left out (%(n)d): point at a mark, or see the table.",
)

TABLE = Text(zh="第 %(layer)d 层之后的每个词元", en="Every token after layer %(layer)d")
TABLE_BARE = Text(zh="每个词元，还没有进任何一层", en="Every token before any layer")
PICK_KEYS = Text(
    zh="点一行，或用方向键和回车，换一个词元", en="pick a row, or use arrow keys and Enter: another token"
)
COLUMNS = {
    "distance": Text(zh="离裸向量", en="distance from bare"),
    "cosine": Text(zh="余弦", en="cosine"),
    "bare_length": Text(zh="裸向量长", en="bare length"),
    "length": Text(zh="现在长", en="present length"),
    "x": Text(zh="平面 x", en="plane x"),
    "y": Text(zh="平面 y", en="plane y"),
}
ALL_LAYERS = Text(zh="所有词元、所有层", en="all tokens, all layers")

AT_BARE = Text(
    zh="第 0 层：%(token)s 还是裸的，什么也没有混进来；距离是 0，余弦是 1。把层往后拖。",
    en="Layer 0: %(token)s is bare, nothing has been mixed in. Its distance is 0, its cosine 1. Move the layer on.",
)
MOVED = Text(
    zh="第 %(layer)d 层之后，%(token)s 离裸向量 %(distance)s，余弦 %(cosine)s；向量的长从 %(before)s 变成 %(after)s。",
    en="After layer %(layer)d, %(token)s lies %(distance)s from its bare vector, at a cosine of %(cosine)s; its length went "
    "from %(before)s to %(after)s.",
)
# By whether there are several heads.
TOOK = {
    True: Text(
        zh="在第 %(layer)d 层，它的权重（%(h)d 个头平均）给了：%(keys)s。",
        en="In layer %(layer)d its weights, averaged over the heads (h = %(h)d), went to %(keys)s.",
    ),
    False: Text(
        zh="在第 %(layer)d 层，它的权重给了：%(keys)s。",
        en="In layer %(layer)d its weights went to %(keys)s.",
    ),
}
KEY = Text(zh="%(token)s %(share)s", en="%(token)s (%(share)s)")
REST = Text(zh="其余 %(n)d 个合计 %(share)s", en="the other %(n)d together (%(share)s)")
TOOK_ITSELF = Text(
    zh="在第 %(layer)d 层，它只看得见自己，权重是 1：没有从别的词取到东西，变的只是它自己的向量。",
    en="In layer %(layer)d it sees itself alone, with weight 1: nothing came from other words, and its own vector alone was "
    "transformed.",
)
FARTHEST = Text(
    zh="走得最远的是 %(most)s（%(far)s），最近的是 %(least)s（%(near)s）。",
    en="Farthest from bare: %(most)s (%(far)s); nearest: %(least)s (%(near)s).",
)
KEPT = Text(
    zh="平面只按全部 %(n)d 层（连裸的）的向量定一次，留住它们方差的 %(kept)s（横 %(first)s，纵 %(second)s）；第 %(layer)d 层的向量离中心的"
    "平方距离，图上看得见 %(own)s。看不见的部分，表里的距离和余弦都算了进去。",
    en="The plane is fitted once to the vectors of all depths together (%(n)d, bare included). It keeps %(kept)s of their variance: "
    "%(first)s across, %(second)s up. Of the squared distances of depth %(layer)d from its centre it shows %(own)s. Distances "
    "and cosines in the table count what the plane does not show.",
)

IMAGE = Text(zh="一个比方，和它在哪里不成立", en="An image, and where it ends")
IMAGE_LINES = (
    Text(
        zh="物理里有个说法：一个粒子走进介质，会拖着周围的反应一起走，裸粒子就成了缀饰粒子。“裸”和“穿上”借的就是这个样子：词走进句子，带上了语境。",
        en="Physics speaks of a particle that enters a medium and drags the medium's answer along: a bare particle becomes a dressed "
        "one. “Bare” and “dressed” are borrowed from there: a word enters a sentence and takes on its context.",
    ),
    Text(
        zh="比方到此为止。那里粒子和它引起的反应互相决定，要解到两边相符（自洽）；这里没有方程要解：每一层的权重只从进来的向量算一次，"
        "算完就往下走。层是一层接一层，不是一个方程的展开。",
        en="There the image ends. In physics particle and answer determine each other, and one solves until both agree: they are "
        "self-consistent. Here nothing is solved. Each layer computes its weights once, from the vectors that came in, and goes on. "
        "Layers follow one another; they are no expansion of an equation.",
    ),
)
IMAGE_COMPUTED = Text(
    zh="算给你看：让第 %(layer)d 层用它自己的输出再算一次权重，%(token)s 的权重会有 %(moved)s 挪到别的键上（各头平均）。自洽的话应是 0。",
    en="Computed: if layer %(layer)d weighed what it has just made, %(moved)s of the weight of %(token)s would lie on other keys "
    "(mean over the heads). Self-consistency would be 0.",
)
IMAGE_ALONE = Text(
    zh="算给你看：让第 %(layer)d 层用它自己的输出再算一次权重，%(token)s 的权重一点也不挪（%(moved)s）。但这里它的权重只能如此，"
    "例如只有一个看得见的键，或所有键都一样。换个词元再看。",
    en="Computed: if layer %(layer)d weighed what it has just made, none of the weight of %(token)s would move (%(moved)s). Here its "
    "weights could be no others: it has a single key to see, or keys that are all alike. Look at another token.",
)

QUESTION = {
    True: Text(
        zh="拿掉残差，%(token)s 到第 %(n)d 层之后，和裸向量的余弦会更大还是更小？先猜。",
        en="Take the residual away: will the cosine of %(token)s with its bare vector after layer %(n)d be larger or smaller? Guess "
        "first.",
    ),
    False: Text(
        zh="加上残差，%(token)s 到第 %(n)d 层之后，和裸向量的余弦会更大还是更小？先猜。",
        en="Put the residual back: will the cosine of %(token)s with its bare vector after layer %(n)d be larger or smaller? Guess "
        "first.",
    ),
}
ANSWER = Text(
    zh="有残差 %(having)s，没有残差 %(without)s：%(verdict)s",
    en="With the residual %(having)s, without it %(without)s: %(verdict)s",
)
VERDICTS = {
    "larger": Text(
        zh="残差把输入原样加回来，裸的方向就留下得多。",
        en="a residual adds the input back as it is, so more of the bare direction remains.",
    ),
    "smaller": Text(
        zh="这里反而是没有残差的更接近裸的方向。W 是随机的，一个词元可以碰巧如此；换个种子或词元再看。",
        en="here the stack without it happens to lie nearer to the bare direction. With random W a single token can do so by chance; "
        "try another seed or token.",
    ),
    "equal": Text(zh="看不出差别。", en="no difference to be seen."),
}
