"""Words of the view that follows one word through two sentences."""

from dashboard.text import Text

SECOND = Text(zh="第二句", en="Second sentence")
WORD = Text(zh="两句都有的词", en="word in both sentences")
WORD_HELP = Text(
    zh="两句里都出现的词，第几次出现就和第几次出现配成一对；括号里是它在两句中的位置。",
    en="A word that both sentences hold: its first occurrence with the first, the second with the second. In brackets its places.",
)
WORD_AT = Text(zh="%(token)s（%(first)d，%(second)d）", en="%(token)s (%(first)d, %(second)d)")
MOVED = Text(
    zh="没有第 %(given)d 对，改看第 %(used)d 对。", en="There is no pair %(given)d; pair %(used)d is shown."
)
METER = Text(zh="量什么", en="measure")
METER_HELP = Text(
    zh="距离随向量的长短变，余弦只看方向。",
    en="A distance grows with the vectors' lengths, a cosine looks at their directions alone.",
)
METERS = {
    "distances": Text(zh="距离", en="distance"),
    "cosines": Text(zh="余弦", en="cosine"),
}
AXES = {
    "distances": Text(zh="两个向量的距离", en="distance of the two"),
    "cosines": Text(zh="两个向量的余弦", en="cosine of the two"),
}
SENTENCES = (
    Text(zh="第一句", en="sentence 1"),
    Text(zh="第二句", en="sentence 2"),
)
POINT = Text(zh="%(kind)s · 第 %(layer)d 层之后", en="%(kind)s · after layer %(layer)d")
POINT_BARE = Text(zh="%(kind)s · 裸（第 0 层）", en="%(kind)s · bare (layer 0)")
VALUE = Text(zh="第 %(layer)d 层 · %(value)s", en="layer %(layer)d · %(value)s")
PLANE_ALT = Text(
    zh="同一个词在两句话里的路，画在一个平面里：每层一点，0 是裸的，最后一点标着最后一层。数在下面的表里。",
    en="The word's path in each sentence, in one plane: a point a layer, 0 where it is bare, the last one with its number. The numbers "
    "are in the table below.",
)
LINES_ALT = Text(
    zh="一条线：横轴是层，纵轴是%(axis)s。数在表里，开头和最后的数在下面的话里。",
    en="One line: layers across, the %(axis)s up. The numbers are in the table, the first and the last in the sentences below.",
)
NONE_SHARED = Text(
    zh="两句话没有一个共同的词，没法比。试试这一对：",
    en="No word stands in both sentences, so there is nothing to follow. Try this pair:",
)
TAKE_PAIR = Text(zh="用这两句：%(first)s / %(second)s", en="Take: %(first)s / %(second)s")

TABLE = Text(zh="%(token)s 在两句里，层层相比", en="%(token)s in both sentences, layer by layer")
COLUMNS = {
    "distances": Text(zh="距离", en="distance"),
    "cosines": Text(zh="余弦", en="cosine"),
    "first_length": Text(zh="第一句里的长", en="length in the first"),
    "second_length": Text(zh="第二句里的长", en="length in the second"),
}

BARE_EQUAL = Text(
    zh="%(token)s 的嵌入在两句里一样（相差 %(bare)s），加上位置以后也一样：进入第一层的是同一个向量。",
    en="The embedding of %(token)s is the same in both (%(bare)s apart), and so it is with its position: one and the same vector enters "
    "the first layer.",
)
BARE_APART = Text(
    zh="%(token)s 的嵌入在两句里一样（相差 %(bare)s）；但它站在第 %(first)d 和第 %(second)d 位，位置不同，进入第一层时已经相差 %(input)s。"
    "关掉位置编码，就从 0 开始。",
    en="The embedding of %(token)s is the same in both (%(bare)s apart). But it stands at places %(first)d and %(second)d, and with "
    "positions its vectors enter %(input)s apart. Without positions they would begin at 0.",
)
DIFFERENT = Text(
    zh="第 1 层之后相差 %(one)s，第 %(n)d 层之后相差 %(last)s（余弦 %(cosine)s）。",
    en="They lie %(one)s apart after layer 1 and %(last)s after layer %(n)d (cosine %(cosine)s).",
)
DIFFERENT_ONE = Text(
    zh="1 层之后相差 %(one)s（余弦 %(cosine)s）。",
    en="After the one layer they lie %(one)s apart (cosine %(cosine)s).",
)
CONTEXT = Text(
    zh="进去的是同一个向量，所以分开它们的只能是各自句子里的别的词。",
    en="The same vector went in, so what parts them can only be the other words of each sentence.",
)
STAYS = Text(
    zh="第 %(n)d 层之后还是没有分开（相差 %(last)s）：这个词在两句里看得见同样的词，穿上的也就一样。",
    en="After layer %(n)d nothing parts them (%(last)s): in both sentences the word sees the same words, and takes on the same.",
)
STAYS_EQUAL = Text(
    zh="第 %(n)d 层之后还是没有分开（相差 %(last)s），虽然两句的词不同：这一层层里，别的词的数没有传到它这里。例如 d_model = 1 时，"
    "一个数归一化之后总是 0。",
    en="After layer %(n)d nothing parts them (%(last)s), although the sentences differ: through these layers no number of the other "
    "words came to it. With d_model = 1, for example, a single number normalised is always 0.",
)
PLANE = Text(
    zh="平面按两句所有词元、所有层一起定一次，留住方差的 %(kept)s；图上是这个词的两条路。",
    en="The plane is fitted once to all tokens of both sentences at all depths and keeps %(kept)s of their variance; drawn are the "
    "word's two paths.",
)

QUESTION = Text(
    zh="把两个句子里的位置编码关掉（其余不变），这个词在第 0 层和第 %(n)d 层各相差多少？先猜。",
    en="Without positions, all else the same: how far apart is the word at layer 0, and how far at layer %(n)d? Guess first.",
)
ANSWER = Text(
    zh="第 0 层 %(bare)s，第 %(n)d 层 %(last)s。",
    en="At layer 0 %(bare)s, at layer %(n)d %(last)s.",
)
ANSWER_DIFFERS = Text(
    zh="裸向量只由词决定；让它们分开的是语境，不是位置。",
    en=" The bare vector is the word's alone; what parts them is their context, not their places.",
)
ANSWER_SAME = Text(
    zh="没有位置，也就没有什么把它们分开。",
    en=" Without positions nothing parts them here.",
)
QUESTION_PAST = Text(
    zh="位置编码现在关着。打开正弦位置，这个词在第 0 层和第 %(n)d 层各相差多少？先猜。",
    en="Positions are off at present. With sinusoidal ones: how far apart is the word at layer 0, and how far at layer %(n)d? Guess "
    "first.",
)
ANSWER_AT_SAME = Text(
    zh="它在两句里站的位置相同，所以第 0 层仍是 0。",
    en=" It stands at the same place in both, so layer 0 stays 0.",
)
ANSWER_AT_OTHER = Text(
    zh="它在两句里站的位置不同，所以一进来就分开了。",
    en=" It stands at different places, so the two enter apart.",
)
