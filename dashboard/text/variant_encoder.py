"""Words of the view in which a decoder reads an encoder."""

from dashboard.text import Text

FIRST_SENTENCE = Text(
    zh="她 昨天 在 我们 公园 那条 老 狗 看见",
    en="she yesterday in our park the old dog saw",
)
SENTENCE = Text(
    zh="编码器读的句子（开头给的这句是德语从句的词序，动词在最后）",
    en="Sentence for the encoder (the first one has German order: the verb last)",
)
TAKE_OWN = Text(zh="用前面的句子：%(sentence)s", en="Take the sentence of the other views: %(sentence)s")

ORDER = Text(zh="解码器按什么顺序写", en="order of the decoder")
ORDER_HELP = Text(
    zh="一条规则：解码器第几步要源句的第几个位置。句尾的标点不动。",
    en="A rule: which place of the source each step of the decoder wants. Signs at the end stay there.",
)
ORDERS: dict[str, Text] = {
    "verb_forward": Text(zh="末词移到第 2 位（德 → 英）", en="last word to place 2 (German → English)"),
    "verb_back": Text(zh="第 2 个词移到最后（英 → 德）", en="second word to the end (English → German)"),
    "reverse": Text(zh="倒着写", en="reversed"),
    "copy": Text(zh="照抄", en="as it stands"),
    "every_second": Text(zh="隔一个词写一个", en="every second word"),
}
D_MODEL = Text(zh="d（向量宽度）", en="d (width)")
D_MODEL_HELP = Text(
    zh="词向量和编码器状态有多少个数。定长向量交给解码器的就是这 d 个数；图和曲线都会变。",
    en="How many numbers a word's vector and a state of the encoder have. The fixed vector is these d numbers; all pictures change.",
)
SHARPNESS = Text(zh="查询的锐度", en="sharpness")
SHARPNESS_HELP = Text(
    zh="查询乘的倍数。0 时各处权重相同，越大越集中在要的位置上。只影响注意力。",
    en="What queries are multiplied by. At 0 all places weigh the same; the larger, the more goes to the place that is wanted. "
    "Changes attention alone.",
)
KEEP = Text(zh="每步保留", en="kept a step")
KEEP_HELP = Text(
    zh="编码器每读一个词，旧状态乘上这个数。1 表示什么都不忘；小于 1 时，先读的词先被盖住。只影响定长向量。",
    en="With each word that is read, the old state is multiplied by this. At 1 nothing is forgotten; below, words that were read early "
    "drown first. Changes the fixed vector alone.",
)
STEP = Text(zh="解码到第几步", en="decoder step")
STEP_HELP = Text(
    zh="图上画出到这一步为止的每一行。点某一行就回到那一步。",
    en="Rows up to this step are drawn. Picking a row goes back to it.",
)
STEP_MOVED = Text(
    zh="没有第 %(given)d 步，现在是第 %(used)d 步。", en="There is no step %(given)d; step %(used)d is shown."
)
NEXT = Text(zh="写下一个词", en="next word")
AGAIN = Text(zh="从第一步起", en="from step 1")
IN_SIDEBAR = Text(
    zh="每步保留和种子在侧栏：点左上角的 »。",
    en="What is kept a step and the seed are in the sidebar: tap » at the top left.",
)
SEED_HELP = Text(
    zh="决定词向量和编码器的矩阵 R。同一种子、同一个词，向量永远相同。",
    en="Decides the words' vectors and the encoder's matrix R. The same seed and word always give the same vector.",
)

NOTE = Text(
    zh="手工给定的权重 · 词向量和 R 随机（种子 %(seed)d）· 没有训练 · float64",
    en="hand-made weights · words' vectors and R random (seed %(seed)d) · nothing is trained · float64",
)
SUM = Text(
    zh="到第 %(steps)d 步为止读对：定长向量 %(fixed)d/%(steps)d，注意力 %(attended)d/%(steps)d。编码器交出：定长向量 %(d)d 个数，"
    "注意力 %(n)d × %(d)d = %(all)d 个数。",
    en="Read right up to step %(steps)d: fixed vector %(fixed)d of %(steps)d, attention %(attended)d of %(steps)d. The encoder hands on "
    "%(d)d numbers as a fixed vector, %(n)d × %(d)d = %(all)d for attention.",
)

WEIGHTS = Text(
    zh="注意力的权重：%(rows)d 个查询 × %(columns)d 个键",
    en="weights of attention: queries × keys = %(rows)d × %(columns)d",
)
WEIGHT = Text(zh="权重", en="weight")
STEP_AXIS = Text(zh="解码步", en="decoder step")
STATE_AXIS = Text(zh="编码器状态", en="encoder state")
WORD_AXIS = Text(zh="词", en="word")
NUMBER_AXIS = Text(zh="第几个数", en="number")
PICK_KEYS = Text(
    zh="点一行回到那一步，或用方向键和回车", en="click or tap a row to go to its step; arrow keys, Enter"
)

COSINES = Text(
    zh="第 %(step)d 步：和每个词的余弦，最大的被读出",
    en="step %(step)d: cosine with each word; the largest is read",
)
COSINE = Text(zh="余弦", en="cosine")
READS = Text(zh="读出", en="reads")
WAYS = {
    "fixed": Text(zh="定长向量", en="fixed vector"),
    "attended": Text(zh="注意力", en="attention"),
}
RIGHT = Text(zh="✓ %(word)s", en="✓ %(word)s")
WRONG = Text(zh="✗ %(word)s", en="✗ %(word)s")
WANTED = Text(zh="▸ %(word)s", en="▸ %(word)s")

THEORY_TITLE = Text(zh="理论", en="theory")
READ = Text(zh="每一步读出的词", en="What each step reads")
READ_COLUMNS = {
    "fixed": Text(zh="定长向量", en="fixed vector"),
    "attended": Text(zh="注意力", en="attention"),
    "crosstalk": Text(zh="串扰", en="cross-talk"),
    "steps": Text(zh="循环步数", en="recurrent steps"),
}

VECTORS = Text(
    zh="第 %(step)d 步手里的方向（%(word)s），长度都化为 1",
    en="directions at step %(step)d (%(word)s), all made length 1",
)
VECTOR_VALUE = Text(zh="数值", en="value")
# As the core gives them.
VECTOR_ROWS = (
    Text(zh="原词", en="the word itself"),
    Text(zh="最后状态", en="last state"),
    Text(zh="转回来", en="turned back"),
    Text(zh="上下文", en="context"),
)

SAID = Text(zh="怎么读", en="How to read it")
STEP_SAID = Text(zh="这一步", en="This step")
WHY = Text(zh="为什么", en="Why")
HEADING = Text(
    zh="第 %(step)d 步要的是位置 %(place)d 的 %(word)s", en="Step %(step)d wants place %(place)d, %(word)s"
)
ONLY_WORD = Text(
    zh="句子里只有 %(word)s 这一个词可选，怎么读都对。写几个不同的词再看。",
    en="%(word)s is the only word to choose from, so that any reading is right. Write several different words.",
)
FIXED = {
    True: Text(
        zh="从最后的状态读出 %(read)s，对。转回来以后和它的余弦是 %(own)s，别的词最大是 %(other)s 的 %(next)s。",
        en="From the last state it reads %(read)s, which is right. Turned back, the state has a cosine of %(own)s with it; of the others "
        "%(other)s comes nearest, with %(next)s.",
    ),
    False: Text(
        zh="从最后的状态读出 %(read)s，错：余弦 %(next)s，而 %(wanted)s 是 %(own)s，别的词的串扰盖过了它。",
        en="From the last state it reads %(read)s, which is wrong: the cosine with it is %(next)s, with %(wanted)s %(own)s. The "
        "cross-talk of other words is stronger.",
    ),
}
ATTENDED = {
    True: Text(
        zh="用注意力读出 %(read)s，对。这个位置的权重是 %(weight)s，上下文和它的余弦是 %(own)s。",
        en="By attention it reads %(read)s, which is right. Its place has a weight of %(weight)s, and the context a cosine of %(own)s with "
        "it.",
    ),
    False: Text(
        zh="用注意力读出 %(read)s，错：余弦 %(next)s，而 %(wanted)s 是 %(own)s。要的位置权重是 %(weight)s，其余的权重把别的词带了进来。",
        en="By attention it reads %(read)s, which is wrong: the cosine with it is %(next)s, with %(wanted)s %(own)s. The place that is "
        "wanted has a weight of %(weight)s; the rest brings other words in.",
    ),
}
HOW_FIXED = Text(
    zh="定长向量这样读：编码器每读一个词，先用矩阵 R 把旧状态转一下，再加上这个词的向量；解码器把最后的状态转回要的位置，读出余弦最大的词。",
    en="How the fixed vector is read: with each word the encoder turns its old state by a matrix R and adds the word's vector; the decoder "
    "turns the last state back to the place it wants and takes the word with the largest cosine.",
)
NOTHING_ELSE = Text(
    zh="只有一个词元，状态里没有别的词。", en="There is one token: the state holds no other word."
)
CROSSTALK = Text(
    zh="转回来的状态和要的词作点积，它自己那份是 1，其余 %(others)s加上 %(now)s，这就是串扰。各步的均方根是 %(rms)s；理论是 %(formula)s = %(expected)s。",
    en="The dot product of the state turned back and the wanted word has 1 from the word itself; the other %(others)s %(now)s: that is the "
    "cross-talk. Its root mean square over the steps is %(rms)s; in theory %(formula)s = %(expected)s.",
)
OTHERS_ONE = Text(zh="1 个词元", en="token adds")
OTHERS_SEVERAL = Text(zh="%(n)d 个词元", en="%(n)d tokens add")
FORMULA_KEEPS = Text(zh="√((N − 1)/d)", en="√((N − 1)/d)")
FORMULA_FADES = Text(
    zh="√(各步平均的 Σ 保留^(2(m − k))/d)", en="√(mean over the steps of Σ kept^(2(m − k))/d)"
)
REPEATED = Text(
    zh="理论假定词各不相同，这里有重复的。",
    en="Theory takes all words to be different; here some are repeated.",
)
KEEPS = Text(
    zh="这个编码器什么都不忘，R 只是旋转，所以远近一样；串扰全来自 %(n)d 个词元共用 %(d)d 个数。把“每步保留”调到 1 以下，先读的词就先被盖住。",
    en="This encoder forgets nothing, for R only turns: near and far are alike, and all cross-talk comes from %(n)d tokens sharing %(d)d numbers. "
    "Let it keep less than 1 a step, and the words it read early drown first.",
)
FADES = Text(
    zh="每步只留 %(keep)s，先读的词就被后读的盖住：串扰的标准差在理论上，末位 %(last)s，首位 %(first)s。",
    en="Keeping %(keep)s a step, it covers what it read early with what came later: in theory the standard deviation of the cross-talk is "
    "%(last)s at the last place and %(first)s at the first.",
)
PATH = Text(
    zh="从读到 %(word)s（位置 %(place)d）到写出它（第 %(step)d 步），要经过 %(between)d 个循环步；按这个顺序，最短 %(least)d 步，最长 %(most)d 步。用注意力，每个词都只有 1 步。",
    en="From reading %(word)s (place %(place)d) to writing it (step %(step)d), recurrent steps: %(between)d. In this order the least is "
    "%(least)d and the most %(most)d. By attention it is 1 for every word.",
)
PATH_ALIKE = Text(
    zh="从读到一个词到写出它，要经过的循环步在这个顺序里每个词都是 %(between)d；用注意力都是 1。",
    en="From reading a word to writing it, recurrent steps: %(between)d for every word in this order. By attention it is 1.",
)
BOTH_WAYS = Text(
    zh="%(word)s 在句尾、第二个就要写，只隔 %(short)d 步；反过来（英 → 德），第二个读到的词最后才写，要隔 %(long)d 步，句子每多一个词就多两步。",
    en="The last word, %(word)s, is written second: recurrent steps %(short)d. The other way round (English → German) the word that was read "
    "second is written last: %(long)d, and two more with each further word.",
)
NOTHING_MOVES = Text(
    zh="这句话太短，这条规则没有移动任何词。", en="The sentence is too short for this rule to move a word."
)
THEORY = Text(
    zh="按理论，d = %(d)d 时要读对至少九成五，不同的词最多 %(most)s 个；要读对至少一半，最多 %(half)s 个。你的句子 N = %(n)d：理论 %(expected)s，"
    "这里各步全部算完读对 %(share)s。",
    en="In theory d = %(d)d is enough to read at least 95 percent of up to %(most)s, and at least half of up to %(half)s. Your sentence has "
    "N = %(n)d: %(expected)s in theory, %(share)s here over all steps.",
)
WORDS_ONE = Text(zh="1", en="1 word")
WORDS_SEVERAL = Text(zh="%(n)d", en="%(n)d different words")
CAUSAL = Text(
    zh="对编码器不需要因果掩码：解码器开始时，%(n)d 个状态都已经有了。加上因果掩码，会在 %(hidden)d/%(steps)d 步里挡住要的位置，注意力只能读对 %(right)d/%(steps)d。",
    en="Towards the encoder no causal mask is needed: when the decoder begins, all its states are there (here %(n)d). A causal mask would "
    "hide the wanted place in %(hidden)d of %(steps)d steps; attention would then read %(right)d of %(steps)d right.",
)
CAUSAL_HARMLESS = Text(
    zh="对编码器不需要因果掩码：解码器开始时，%(n)d 个状态都已经有了。这个顺序里没有哪一步要的位置在它之后，所以因果掩码也挡不住要的词；换一个顺序就会。",
    en="Towards the encoder no causal mask is needed: when the decoder begins, all its states are there (here %(n)d). In this order no step "
    "wants a place after its own number, so that a causal mask would not hide a wanted word; other orders of longer sentences do.",
)

MADE = Text(
    zh="哪些是手工做的，哪些不是这样", en="What is made by hand here, and what is not so in trained models"
)
MADE_ENCODER = Text(
    zh="编码器：状态 = 保留 × 旧状态 × R + 词向量，R 是随机的正交矩阵，逆就是转置。词向量长 1，方向随机。解码器把最后的状态乘 R 的转置，转回要的位置，"
    "再找余弦最大的词。训练出来的循环网络有非线性，R 也不是纯旋转。",
    en="Encoder: state = kept × old state × R + the word's vector; R is a random orthogonal matrix, whose inverse is its transpose. Words' "
    "vectors have length 1 and random directions. The decoder turns the last state back to the place it wants, by the transpose of R, and "
    "reads the word with the largest cosine. Trained recurrent networks are not linear, and their R does more than turn.",
)
MADE_ATTENTION = Text(
    zh="注意力：查询是“要的位置”的正弦编码乘锐度，键是每个位置的编码（宽 %(code)d），值是词向量，除以 √%(code)d。哪一步要哪个位置由规则给定；"
    "训练出来的解码器由自己的状态算出查询（Bahdanau 等 2014 用加性打分）。每一步都单独读，读错了不影响下一步。",
    en="Attention: queries are the sinusoidal code of the wanted place times the sharpness, keys the codes of all places (width %(code)d), "
    "values the words' vectors; scores are divided by √%(code)d. A rule says which place a step wants; a trained decoder makes its query of "
    "its own state (Bahdanau et al. 2014 score additively). Each step reads by itself: a mistake does not reach the next.",
)
MADE_ROOM = Text(
    zh="%(d)d 个 float64 共有 %(room)s 比特，从 %(vocab)d 个词里选 %(n)d 次需要 %(needed)s 比特。%(verdict)s",
    en="%(d)d float64 numbers have %(room)s bits; %(n)d choices out of %(vocab)d need %(needed)s. %(verdict)s",
)
ROOM_ENOUGH = Text(
    zh="地方是够的：把所有可能的句子试一遍也许能读出来，一次矩阵乘法加最近的词却读不出来。训练过的网络介于两者之间。",
    en="There is room: a search through all possible sentences might find this one, where one product and the nearest word do not. A trained "
    "network lies between.",
)
ROOM_SHORT = Text(zh="地方不够，怎么读都不行。", en="There is no room for it, however it is read.")

QUESTION = Text(
    zh="同一句话、同一种子，换别的 d：定长向量从哪里起全部读对？注意力呢？先猜，再看（打开时当场算）。",
    en="Same sentence and seed, other d: where does the fixed vector read every word right, and where attention? Guess first (it is run when "
    "you open this).",
)
ANSWER_EACH = Text(
    zh="d = %(d)d：定长向量 %(fixed)d，注意力 %(attended)d",
    en="d = %(d)d: fixed vector %(fixed)d, attention %(attended)d",
)
ANSWER = Text(
    zh="%(steps)d 步里读对：%(each)s。%(fixed)s%(attended)s",
    en="Right out of %(steps)d: %(each)s. %(fixed)s %(attended)s",
)
ALL_AT = {
    "fixed": Text(
        zh="定长向量全部读对：d = %(widths)s。", en="The fixed vector reads all right at d = %(widths)s."
    ),
    "attended": Text(zh="注意力全部读对：d = %(widths)s。", en="Attention does at d = %(widths)s."),
}
ALL_NOWHERE = {
    "fixed": Text(
        zh="定长向量在这些 d 下都不能全部读对。", en="The fixed vector reads all right at none of these d."
    ),
    "attended": Text(
        zh="注意力在这些 d 下也都不能全部读对：锐度不够。",
        en="Attention does so at none of them: it is not sharp enough.",
    ),
}
JOIN = Text(zh="、", en=", ")
SEMICOLON = Text(zh="；", en="; ")

# The chart.
CHART = Text(zh="读对的份额与句长", en="Words read right against the length of the sentence")
CHART_NOTE = Text(
    zh="测量：每个点 %(seeds)d 个种子，词各不相同，竖线是平均值 ±2 个标准误；虚线是理论。你的 d = %(d)d，注意力用现在的锐度。"
    "大的三角（注意力）和菱形（定长向量）是你的句子：一句话、一个种子。",
    en="Measured: each point is the mean over %(seeds)d seeds with different words, bars are ±2 standard errors; dashes are theory. Your d is "
    "%(d)d, and attention has the present sharpness. The large triangle (attention) and diamond (fixed vector) are your sentence: one "
    "sentence, one seed.",
)
N_TITLE = Text(zh="N（句子里的词元）", en="N (tokens of the sentence)")
SHARE_TITLE = Text(zh="读对的份额", en="share read right")
ATTENDED_LINE = Text(zh="注意力，你的 d", en="attention, your d")
FIXED_LINE = Text(zh="定长，你的 d", en="fixed, your d")
OTHER_LINE = Text(zh="定长，d = %(d)d", en="fixed, d = %(d)d")
ALT = Text(
    zh="读对的份额随 N（%(first)d 到 %(last)d，对数轴）的变化。定长向量：你的 d 和 d = %(widths)s 各一条线，N 越大越低，附理论虚线；注意力一条线；再加你的句子的两个点。",
    en="The share read right against N from %(first)d to %(last)d, on a logarithmic axis: for the fixed vector a line each for your d and "
    "for d = %(widths)s, which fall as N grows, with theory as dashes; one line for attention; and two marks for your sentence.",
)
APART = Text(
    zh="在这张图的定长向量各点上，测量和理论最多差 %(apart)s（%(at)s）。",
    en="Over all points of the fixed vector in this chart measurement and theory differ by %(apart)s at most (%(at)s).",
)
AT = Text(zh="d = %(d)d，N = %(n)d", en="d = %(d)d, N = %(n)d")
TABLE_COLUMNS = {
    "way": Text(zh="做法", en="way"),
    "share": Text(zh="读对", en="read right"),
    "error": Text(zh="标准误", en="standard error"),
    "expected": Text(zh="理论", en="theory"),
    "crosstalk": Text(zh="串扰的方差", en="variance of cross-talk"),
    "expected_crosstalk": Text(zh="串扰的方差，理论", en="variance of cross-talk, theory"),
}
