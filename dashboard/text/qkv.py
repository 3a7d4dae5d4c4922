"""Words of the QKV lesson."""

from dashboard.text import Text

TITLE = Text(zh="查询、键、值：一步一步看注意力", en="Query, key, value: attention step by step")
CLAIM = Text(
    zh="每个词元拿自己的**查询** *q* 去比所有的**键** *k*，按相似程度分配**权重**，再按权重混合**值** *v*。"
    "下面每个数都是当场算出来的，点任何一格都能追到输入。",
    en="Each token compares its **query** *q* with every **key** *k*, turns the matches into **weights** and mixes the "
    "**values** *v* by them. Every number below is computed on the spot; pick any cell and trace it to the inputs.",
)

# The controls.
SENTENCE = Text(zh="你的句子", en="Your sentence")
SENTENCE_HELP = Text(
    zh="最多 512 个字符、64 个词元。英文等按空格分词；汉字和假名一字一个词元，"
    "除非你在两个汉字词之间加了空格（猫 追逐 老鼠 是三个词元）；"
    "泰文一个字符一个词元，韩文按空格；标点、表情各算一个。改了句子，下面的一切都跟着变。",
    en="At most 512 characters and 64 tokens. Words are split at spaces; Chinese characters and kana are one token each "
    "unless you put a space between two Chinese words (猫 追逐 老鼠 is three tokens); Thai is one character a token, "
    "Korean goes by spaces; each punctuation mark or emoji is a token. Everything below follows the sentence.",
)
SENTENCE_PLACEHOLDER = Text(zh="输入一句话，按回车", en="Type a sentence and press Enter")
FIRST_SENTENCE = Text(zh="猫 看见 狗 ， 狗 没 看见 猫", en="the cat saw the dog and ran away")
SECOND_SENTENCE = Text(zh="猫 追 狗 ， 猫 跑 了", en="the dog saw a big cat")
TIRED_SENTENCE = Text(
    zh="小猫 没有 跳上 桌子 ， 因为 它 太 累 了",
    en="the kitten did not jump on the table because it was too tired",
)
HIGH_SENTENCE = Text(
    zh="小猫 没有 跳上 桌子 ， 因为 它 太 高 了",
    en="the kitten did not jump on the table because it was too high",
)
SOURCE = Text(zh="数字从哪来", en="Source of the numbers")
SOURCE_HELP = Text(
    zh="自己的句子（随机的权重），或者笔记里的三个算例（手工给定的数）。换了来源，整条流水线都会换。",
    en="Your own sentence with random weights, or one of three worked examples with hand-made numbers. The whole "
    "pipeline changes with it.",
)
SOURCES = {
    "own": Text(zh="自己的句子", en="own sentence"),
    "e1": Text(zh="算例一：三个词，宽度 2", en="E1: three words, width 2"),
    "e2": Text(zh="算例二：猫 追逐 老鼠", en="E2: cat chases mouse"),
    "e3": Text(zh="算例三：一次 softmax", en="E3: one softmax"),
}
MORE_SETTINGS = Text(zh="更多设置", en="More settings")
SEED = Text(zh="种子", en="seed")
SEED_HELP = Text(
    zh="决定嵌入和 W 的随机数。同一种子、同一个词，向量永远相同。",
    en="Decides the random embeddings and W. The same seed and word always give the same vector.",
)
D_MODEL = Text(zh="d_model（输入宽度）", en="d_model (input width)")
D_MODEL_HELP = Text(
    zh="X 有多少列，也就是每个词元的向量有多长。",
    en="How many columns X has: the length of each token's vector.",
)
D_K = Text(zh="d_k（查询和键的宽度）", en="d_k (query and key width)")
D_K_HELP = Text(
    zh="Q 和 K 有多少列。分数要除以 √d_k。", en="How many columns Q and K have. Scores are divided by √d_k."
)
D_V = Text(zh="d_v（值的宽度）", en="d_v (value width)")
D_V_HELP = Text(zh="V 和输出有多少列。", en="How many columns V and the output have.")
POSITIONS = Text(zh="位置编码", en="positions")
POSITIONS_HELP = Text(
    zh="加到嵌入上的向量，告诉模型词元站在第几位。“可学习”的位置在训练前是随机的。",
    en="Vectors added to the embeddings that tell where a token stands. “Learned” positions are random before training.",
)
POSITION_NAMES = {
    "none": Text(zh="无", en="none"),
    "sinusoidal": Text(zh="正弦", en="sinusoidal"),
    "learned": Text(zh="可学习", en="learned"),
}
CAUSAL = Text(zh="因果掩码", en="causal mask")
CAUSAL_HELP = Text(
    zh="打开后，每个词元只能看自己和前面的词元。",
    en="When on, each token sees only itself and what comes before it.",
)
EMPTY_TEXT = Text(
    zh="还没有词元。输入一句话，或者用这一句：", en="No token yet. Type a sentence, or take this one:"
)
TOO_MANY_CHARACTERS = Text(
    zh="一句最多 %(limit)d 个字符，这里有 %(value)d 个。你的文字还在框里；可以只取前一段：",
    en="A sentence may have %(limit)d characters; this one has %(value)d. Your text is still in the box; its beginning "
    "fits:",
)
TOO_MANY_TOKENS = Text(
    zh="一句最多 %(limit)d 个词元，这里有 %(value)d 个。你的文字还在框里；可以只取前一段：",
    en="A sentence may have %(limit)d tokens; this one has %(value)d. Your text is still in the box; its beginning fits:",
)
TAKE_BEGINNING = Text(zh="只取前 %(n)d 个词元", en="Take the first %(n)d tokens")
IT_NOTE = Text(
    zh="随机的权重分不清“它”指谁：把“累”换成“高”，“它”这一行会变，但与意思无关。只有训练过的模型才学得会，那是训练一课的内容。",
    en="Random weights cannot tell what “it” refers to: change “tired” to “high” and its row moves, but not because of the "
    "meaning. Only a trained model learns that; it is the subject of the lesson on training.",
)
EXAMPLE_SENTENCES = Text(zh="换一句试试", en="Try another sentence")
IT_WORDS = frozenset({"它", "it", "It"})
TRY_TIRED = Text(zh="试试：它太累了", en="Try: it was too tired")
TRY_HIGH = Text(zh="试试：它太高了", en="Try: it was too high")

VIEW = Text(zh="看什么", en="View")
VIEW_HELP = Text(zh="看注意力的七种角度。", en="Seven ways to look at attention.")
VIEWS = {
    "pipeline": Text(zh="流水线", en="Pipeline"),
    "query": Text(zh="一个查询", en="One query"),
    "sentences": Text(zh="两句话", en="Two sentences"),
    "shuffle": Text(zh="打乱词序", en="Shuffle"),
    "plain": Text(zh="去掉 W", en="Without W"),
    "loops": Text(zh="循环与矩阵", en="Loop or matrix"),
    "textbook": Text(zh="核对教科书", en="Check the textbook"),
}

# The pipeline.
STAGE = Text(zh="流水线的各步（行 × 列）", en="Stages of the pipeline (rows × columns)")
NAMES = {
    "embedding": Text(zh="嵌入", en="embedding"),
    "position": Text(zh="位置", en="position"),
    "x": Text(zh="输入 X", en="input X"),
    "w_q": Text(zh="W^Q", en="W^Q"),
    "w_k": Text(zh="W^K", en="W^K"),
    "w_v": Text(zh="W^V", en="W^V"),
    "q": Text(zh="查询 Q", en="query Q"),
    "k": Text(zh="键 K", en="key K"),
    "v": Text(zh="值 V", en="value V"),
    "scores": Text(zh="分数", en="scores"),
    "scaled": Text(zh="缩放后的分数", en="scaled"),
    "masked": Text(zh="掩码后的分数", en="masked"),
    "weights": Text(zh="权重 A", en="weights A"),
    "out": Text(zh="输出", en="out"),
    "w_o": Text(zh="W^O", en="W^O"),
    "projected": Text(zh="投影后的输出", en="projected"),
}
QUANTITIES = {
    "weights": Text(zh="权重", en="weight"),
    "scores": Text(zh="分数", en="score"),
    "difference": Text(zh="差", en="difference"),
    "v": Text(zh="权重 × 值", en="weight × value"),
    "out": Text(zh="输出", en="out"),
}
PARAMETERS = Text(zh="参数", en="parameters")
TABLE_E = Text(zh="嵌入表 E（每个编号一行，从 0 数起）", en="embedding table E (one row per id, from 0)")
ID_ROW = Text(zh="编号 %(id)d：%(token)s", en="id %(id)d: %(token)s")

STRIP = {
    "embedding": Text(zh="嵌入", en="embedding"),
    "position": Text(zh="位置", en="position"),
    "x": Text(zh="X", en="X"),
    "q": Text(zh="Q", en="Q"),
    "k": Text(zh="K", en="K"),
    "v": Text(zh="V", en="V"),
    "scores": Text(zh="分数", en="scores"),
    "scaled": Text(zh="缩放", en="scaled"),
    "masked": Text(zh="掩码", en="masked"),
    "weights": Text(zh="权重", en="weights"),
    "out": Text(zh="输出", en="out"),
    "projected": Text(zh="投影", en="projected"),
}

READINGS = {
    "embedding": Text(
        zh="词元的编号是 T = [%(ids)s]：%(n)d 个词元，其中 %(unique)d 个不同，所以嵌入表有 %(unique)d 行。相同的词元取到相同的一行，"
        "它站在哪里、前后是谁，这时都还看不出来。",
        en="The tokens' ids are T = [%(ids)s]: %(n)d tokens, %(unique)d of them different, so the table has %(unique)d rows. Equal tokens fetch the same "
        "row: where a token stands and what surrounds it cannot be seen yet.",
    ),
    "position": Text(
        zh="位置编码：%(kind)s。第 %(row)d 行只由位置决定，换成别的词也不变。",
        en="Positions: %(kind)s. Row %(row)d belongs to the place; any other word there would get the same.",
    ),
    "x": Text(
        zh="X 是嵌入加位置：%(n)d 行，每行 %(width)d 个数。后面的一切都从 X 算起。",
        en="X is embedding plus position: %(n)d rows of %(width)d numbers. All that follows is computed from X.",
    ),
    "q": Text(
        zh="第 %(row)d 行是 %(token)s 的查询：它在找什么。所有行用的是同一个 W^Q。",
        en="Row %(row)d is the query of %(token)s: what it looks for. Every row uses the same W^Q.",
    ),
    "k": Text(
        zh="第 %(row)d 行是 %(token)s 的键：它拿什么给别人比对。所有行用的是同一个 W^K。",
        en="Row %(row)d is the key of %(token)s: what it offers to be matched by. Every row uses the same W^K.",
    ),
    "v": Text(
        zh="第 %(row)d 行是 %(token)s 的值：被选中时它交出什么。所有行用的是同一个 W^V。",
        en="Row %(row)d is the value of %(token)s: what it hands over when attended to. Every row uses the same W^V.",
    ),
    "scores": Text(
        zh="查询 %(token)s 与键 %(best)s 的分数最高：%(value)s。点积随方向一致而变大，也随长度变大。",
        en="Query %(token)s scores highest with key %(best)s: %(value)s. A dot product grows with alignment and with "
        "length.",
    ),
    "scaled": Text(
        zh="每个分数都除以 √%(d_k)d = %(root)s。%(token)s 这一行的次序不变，最高仍是 %(best)s（%(value)s），分数之间的差距也除以 %(root)s。",
        en="Each score is divided by √%(d_k)d = %(root)s. The order of row %(token)s stays, %(best)s still leads with "
        "%(value)s, and every gap is divided by %(root)s too.",
    ),
    "masked": Text(
        zh="%(pairs)d 对里有 %(hidden)d 对是未来，换成 −∞。softmax 之后它们的权重恰好是 0。",
        en="%(hidden)d of %(pairs)d pairs lie in the future and become −∞. After softmax their weight is exactly 0.",
    ),
    "weights": Text(
        zh="%(token)s 把最大的权重 %(value)s 给了 %(best)s。每一行加起来都是 1（这一行：%(sum)s）。",
        en="%(token)s gives its largest weight, %(value)s, to %(best)s. Every row adds up to 1 (this one: %(sum)s).",
    ),
    "out": Text(
        zh="第 %(row)d 行是 %(n)d 个值按 %(token)s 的权重混合的结果，权重最大的是 %(best)s（%(value)s）。出力多少还要看值有多大：权重 × 值。",
        en="Row %(row)d mixes %(n)d values by the weights of %(token)s; %(best)s has the largest weight "
        "(%(value)s). How much it contributes depends on its value too: weight × value.",
    ),
    "projected": Text(
        zh="乘上 W^O，形状回到 %(n)d × %(width)d，和 X 一样，于是可以再来一层。只有一个头，所以不必先拼接。",
        en="W^O brings the shape back to %(n)d × %(width)d, that of X, so that another layer can follow. With one head "
        "there is nothing to concatenate first.",
    ),
}
GIVEN_READINGS = {
    "x": Text(
        zh="这个算例的 X 是手工给定的：%(n)d 行，每行 %(width)d 个数。后面的一切都从 X 算起。",
        en="X of this example is given by hand: %(n)d rows of %(width)d numbers. All that follows is computed from it.",
    ),
    "q": Text(
        zh="第 %(row)d 行是 %(token)s 的查询：它在找什么。这个算例直接给出 q，没有 W。",
        en="Row %(row)d is the query of %(token)s: what it looks for. This example gives q itself; there is no W.",
    ),
    "k": Text(
        zh="第 %(row)d 行是 %(token)s 的键：它拿什么给别人比对。这个算例直接给出 k，没有 W。",
        en="Row %(row)d is the key of %(token)s: what it offers to be matched by. This example gives k itself; there is no W.",
    ),
    "v": Text(
        zh="第 %(row)d 行是 %(token)s 的值：被选中时它交出什么。这个算例直接给出 v，没有 W。",
        en="Row %(row)d is the value of %(token)s: what it hands over when attended to. This example gives v itself; there is "
        "no W.",
    ),
}
W_READING = Text(
    zh="%(name)s 有 %(rows)d 行 %(width)d 列：每一列是一个方向，把输入的 %(rows)d 个数变成结果的 1 个数。所有词元、所有句子用的都是它。",
    en="%(name)s has %(rows)d rows and %(width)d columns: each column turns the %(rows)d numbers of its input into one number "
    "of the result. All tokens and all sentences share it.",
)
E3_READING = Text(
    zh="这个算例从缩放后的一行分数开始：没有词、没有 X，只有一次 softmax 和一次加权。",
    en="This example begins with one row of scaled scores: no words and no X, one softmax and one weighted sum.",
)
STAGE_MOVED = Text(
    zh="现在的设置下没有“%(given)s”这一步，改看“%(used)s”。",
    en="There is no stage “%(given)s” with these settings; “%(used)s” is shown.",
)
CELL_MOVED = Text(
    zh="没有第 %(row)d 行第 %(column)d 列，改看最近的一格。",
    en="There is no row %(row)d, column %(column)d; the nearest cell is shown.",
)
INPUTS = Text(
    zh="用到的格子在下面的矩阵里用虚线框出。点数字或格子可以往回追。",
    en="The cells it uses are dashed in the matrices below. Pick a number or a cell to trace back.",
)
SOFTMAX_NOTE = Text(
    zh="%(maximum)s 是这一行最大的分数：先减去它，结果不变，而 exp 不会溢出。%(total)s 是这一行各个 exp 的和。",
    en="%(maximum)s is the largest score of the row: taking it away changes nothing and keeps exp from overflowing. "
    "%(total)s is the sum of the row's exponentials.",
)
ARITHMETIC = Text(zh="这一格怎么来的", en="How this cell comes about")
STEPS = Text(zh="逐项列出，并追到输入", en="Term by term, and down to the inputs")
TRAIL = Text(zh="顺着最大的一项追到输入：", en="Down to the inputs, along the largest term:")
GIVEN_RANDOM = Text(zh="由种子 %(seed)d 抽出的随机数。", en="A random number drawn from seed %(seed)d.")
GIVEN_HAND = Text(zh="手工给定的数。", en="A number given by hand.")
GIVEN_EDITED = Text(zh="你改过的数。", en="A number that you changed.")
GIVEN_EMBEDDING = Text(
    zh="嵌入表 E 里编号 %(id)d（%(token)s）那一行的第 %(column)d 个数：由种子 %(seed)d 和这个词抽出的随机数。",
    en="Number %(column)d in the row of id %(id)d (%(token)s) of table E: drawn at random from seed %(seed)d and the word.",
)
GIVEN_POSITION = {
    "none": Text(zh="位置关着：第 %(row)d 位加 0。", en="Positions are off: place %(row)d adds 0."),
    "sinusoidal": Text(
        zh="%(function)s(%(place)d / 10000^(%(even)d/%(width)d)) = %(function)s(%(angle)s)。第 %(row)d 个词元的位置从 0 数是 %(place)d；"
        "偶数列用 sin，奇数列用 cos（也从 0 数）。",
        en="%(function)s(%(place)d / 10000^(%(even)d/%(width)d)) = %(function)s(%(angle)s). Token %(row)d stands at place %(place)d, "
        "counted from 0; even columns take sin, odd ones cos, counted from 0 as well.",
    ),
    "learned": Text(
        zh="第 %(row)d 位的“可学习”位置：还没有训练，所以是由种子 %(seed)d 抽出的随机数。",
        en="The “learned” position of place %(row)d: nothing has been trained, so it is a random number drawn from seed "
        "%(seed)d.",
    ),
}
NEW_VALUE = Text(zh="把 %(cell)s 改成", en="Change %(cell)s to")
NEW_VALUE_HELP = Text(
    zh="输入一个数，按回车；也可以在格子里直接改。后面的步骤会跟着变。",
    en="Type a number and press Enter, or edit the cell in the grid. Every later stage follows.",
)
NOT_A_NUMBER = Text(
    zh="%(given)s 不是 −1000000 到 1000000 之间的数，%(cell)s 仍是 %(value)s。",
    en="%(given)s is not a number from −1,000,000 to 1,000,000; %(cell)s is still %(value)s.",
)
TOO_MANY_EDITS = Text(
    zh="改动太多，链接最多装 2048 字节；%(cell)s 没有改。先恢复几格。",
    en="Too many edits: a link holds 2,048 bytes of them, so %(cell)s was not changed. Restore some cells first.",
)
RESTORE_CELL = Text(zh="恢复这一格", en="Restore this cell")
RESTORE_ALL = Text(zh="恢复全部 %(n)d 格改动", en="Restore all %(n)d edited cells")
DORMANT = Text(
    zh="有 %(n)d 处改动在现在的矩阵之外，先留着；矩阵变大后会再生效。",
    en="Edits outside the present matrices: %(n)d. They are kept and count again when the matrices grow.",
)

# The words of a grid.
TOO_MANY_SHORT = Text(
    zh="%(given)s 没有写入：改动太多，链接装不下", en="%(given)s was not written: too many edits for the link"
)
RULE = Text(
    zh="分词规则：以空格分词的文字（英文、韩文等）一词一个词元；汉字、假名、泰文一字一个，"
    "两个汉字词之间有空格时按空格；标点和表情各算一个；空格不是词元。",
    en="How text is cut: one token a word where words have spaces (English, Korean …); one a character in Chinese, kana "
    "and Thai, but words where you put a space between two Chinese words; punctuation marks and emoji stand alone; "
    "white space is no token.",
)
REFUSED_SHORT = Text(zh="%(given)s 不是可用的数", en="%(given)s is not a usable number")
MASKED_CELL = Text(
    zh="键 %(key)d 在查询 %(query)d 的后面，因果掩码不让它看：分数换成 −∞，exp(−∞) = 0。",
    en="Key %(key)d stands after query %(query)d, so the causal mask hides it: the score becomes −∞, and exp(−∞) = 0.",
)
EXAMPLE_WORDS = {
    "A": Text(zh="A", en="A"),
    "B": Text(zh="B", en="B"),
    "C": Text(zh="C", en="C"),
    "cat": Text(zh="猫", en="cat"),
    "chases": Text(zh="追逐", en="chases"),
    "mouse": Text(zh="老鼠", en="mouse"),
    "query": Text(zh="查询", en="query"),
    "first": Text(zh="第一", en="first"),
    "second": Text(zh="第二", en="second"),
    "third": Text(zh="第三", en="third"),
}

# One query.
QUERY = Text(zh="看哪个查询", en="Which query")
QUERY_HELP = Text(
    zh="选一个词元，看它怎样去找别的词元。", en="Pick a token and watch it look for the others."
)
STORY = Text(
    zh="像查资料：查询是你要找的，键是每本书的书名，值是书里的内容。%(token)s 拿查询去比看得见的 %(seen)d 个键，"
    "最合的是 %(best)s（权重 %(value)s），然后按权重把这些值混在一起，而不是只取一个。",
    en="As in a library: the query is what you look for, a key is a title, a value what the book holds. %(token)s "
    "compares its query with the keys it may see (%(seen)d); the best fit is %(best)s (weight %(value)s). It then mixes all "
    "their values by weight instead of taking one.",
)
STORY_GIVEN = Text(
    zh="这个算例的分数是给定的：没有查询和键可比。softmax 把最大的权重 %(value)s 给了 %(best)s，再按权重把 %(seen)d 个值混在一起。",
    en="The scores of this example are given; there is no query to compare. Softmax gives the largest weight, %(value)s, to "
    "%(best)s, and the %(seen)d values are mixed by weight.",
)
STORY_IMAGES = Text(
    zh="换个比方也行：搜索引擎（搜索词、网页标题、网页内容）；鸡尾酒会（人人都在说，也都在听）；看画的眼睛（不会在每一处停得一样久）。",
    en="Other images serve as well: a search engine (search words, page titles, pages); a cocktail party (everyone both speaks "
    "and listens); an eye on a painting (it does not rest on every spot alike).",
)
AND = Text(zh="、", en=" and ")
STORY_TABLE = Text(zh="这个查询遇到每个键", en="how this query meets each key")
STORY_COLUMNS = {
    "key": Text(zh="键", en="key"),
    "length": Text(zh="键的长度", en="length of k"),
    "cosine": Text(zh="cos(q, k)", en="cos(q, k)"),
    "scores": Text(zh="分数 q·k", en="scores q·k"),
    "scaled": Text(zh="缩放后", en="scaled"),
    "masked": Text(zh="掩码后", en="masked"),
    "exponential": Text(zh="exp(分数 − 最大)", en="exp(score − max)"),
    "weights": Text(zh="权重", en="weights"),
}
SUMS = Text(
    zh="指数加起来是 %(total)s；每个指数除以它就是权重，权重的和是 %(sum)s。",
    en="The exponentials add up to %(total)s; each divided by that is a weight, and the weights add up to %(sum)s.",
)
BARS_ALT = Text(
    zh="查询 %(token)s 给每个键的权重，横条从 0 到 1。最长的是 %(best)s：%(value)s。",
    en="Weights of query %(token)s over the keys, bars from 0 to 1. The longest is %(best)s: %(value)s.",
)
PLANE = Text(zh="查询和键的箭头", en="The query and the keys as arrows")
PLANE_UNNAMED = Text(
    zh="有 %(n)d 个名字会盖住别的名字，没有写出来；把鼠标移到箭头尖，或看下面的表格。",
    en="Names that would cover others are left out (%(n)d); point at an arrow's tip, or see the table.",
)
PLANE_HIDDEN = Text(
    zh="被掩码的 %(n)d 个键没有画出来。", en="The %(n)d keys that the mask hides are not drawn."
)
PLANE_EXACT = Text(
    zh="d_k ≤ 2，图上就是向量本身，没有投影。",
    en="With d_k ≤ 2 these are the vectors themselves; nothing is projected.",
)
PLANE_PROJECTED = Text(
    zh="d_k = %(d_k)d，这是投影：横轴沿着 q，所以键的横坐标乘以 |q| = %(length)s 恰好就是 q·k；"
    "纵轴取键剩余部分最长的方向。图上留住了键的长度平方的 %(kept)s%%。",
    en="With d_k = %(d_k)d this is a projection: the horizontal axis runs along q, so a key's horizontal coordinate times "
    "|q| = %(length)s is exactly q·k. The vertical axis is the direction in which the rest of the keys is longest. The "
    "picture keeps %(kept)s%% of the keys' squared length.",
)
PLANE_ALT = Text(
    zh="从原点出发的箭头：查询 %(token)s 和 %(n)d 个键。",
    en="Arrows from the origin: query %(token)s and %(n)d keys.",
)
AXIS_ALONG = Text(zh="沿着 q", en="along q")
AXIS_BESIDE = Text(zh="与 q 垂直", en="at right angles to q")
AXIS_FIRST = Text(zh="第 1 个分量", en="component 1")
AXIS_SECOND = Text(zh="第 2 个分量", en="component 2")
MIX = Text(zh="每个键出的力：权重 × 值", en="What each key contributes: weight × value")
MIX_SUM = Text(zh="加起来就是输出", en="Added up, this is the output")
QUESTION_LENGTH = Text(
    zh="如果所有键一样长，%(token)s 最看重的还会是 %(best)s 吗？",
    en="If all keys were equally long, would %(token)s still look at %(best)s most?",
)
ANSWER_SAME = Text(
    zh="会。方向最一致的也是 %(aligned)s：cos = %(cosine)s。",
    en="Yes. It is also the best aligned: cos = %(cosine)s for %(aligned)s.",
)
ANSWER_OTHER = Text(
    zh="不会。方向最一致的是 %(aligned)s（cos = %(cosine)s，长度 %(length)s）；现在 %(best)s 领先（cos = %(best_cosine)s），靠的是长度 "
    "%(best_length)s。",
    en="No. The best aligned is %(aligned)s (cos = %(cosine)s, length %(length)s); %(best)s (cos = %(best_cosine)s) leads by "
    "its length, %(best_length)s.",
)
ANSWER_TIE = Text(
    zh="那就分不出高下：%(aligned)s 的方向同样一致（cos = %(cosine)s）。现在 %(best)s 领先，靠的是长度 %(best_length)s。",
    en="There would be a tie: %(aligned)s are equally aligned (cos = %(cosine)s). What lets %(best)s lead is its length, "
    "%(best_length)s.",
)
NO_QK = Text(
    zh="这个算例从缩放后的分数开始，没有 q 和 k，所以没有箭头图。",
    en="This example begins with scaled scores; it has no q and k, hence no arrows.",
)

QUESTION_RATIO = Text(
    zh="%(token)s 给第 %(best)s 个键的权重是第 %(least)s 个的 %(ratio)s 倍。这个倍数从哪来？",
    en="%(token)s gives key %(best)s %(ratio)s times the weight of key %(least)s. Where does the factor come from?",
)
ANSWER_RATIO = Text(
    zh="只看两个分数之差：%(high)s − %(low)s = %(gap)s，e 的 %(gap)s 次方是 %(ratio)s。整行都加 5，倍数不变，权重也不变。",
    en="From the difference of the two scaled scores alone: %(high)s − %(low)s = %(gap)s, and e to the power %(gap)s is "
    "%(ratio)s. Add 5 to the whole row and neither the factor nor any weight changes.",
)

# Two sentences.
QUESTION_POSITIONS = Text(
    zh="如果关掉位置，%(token)s 的三个距离里哪些会变成 0？",
    en="With positions off, which of the three distances of %(token)s would be 0?",
)
ANSWER_POSITIONS = Text(
    zh="前两个：%(bare)s、%(input)s。第三个是 %(dressed)s：周围的词不同，混出来的就不同。",
    en="The first two: %(bare)s, %(input)s. The third is %(dressed)s: other words around it, another mixture.",
)
SECOND = Text(zh="第二句话", en="A second sentence")
NEEDS_OWN = Text(
    zh="这一节要用你自己的句子；现在的数字来自算例。",
    en="This view needs your own sentence; the numbers now come from an example.",
)
USE_OWN = Text(zh="改用自己的句子", en="Use my own sentence")
SAME_W = Text(
    zh="两句话用的是同一组 W（最大差 %(w)s）：那是**参数**，学好就固定。权重 A 却是每句各算一遍：那是**用法**。",
    en="Both sentences use the same W (largest difference %(w)s): those are **parameters**, fixed once learnt. The weights "
    "A are computed anew for each: that is their **use**.",
)
FIRST_A = Text(zh="第一句的权重 A", en="weights A of the first")
SECOND_A = Text(zh="第二句的权重 A", en="weights A of the second")
SHARED = Text(zh="两句里都有的词（各自的位置）", en="Words that both sentences hold (their places)")
SHARED_NONE = Text(
    zh="两句话没有相同的词。让第二句也用到第一句里的一个词。",
    en="The sentences share no word. Use a word of the first one in the second.",
)
SHARED_ROW = Text(
    zh="%(token)s（第 %(first)d、%(second)d 位）", en="%(token)s (places %(first)d, %(second)d)"
)
SHARED_COLUMNS = {
    "bare": Text(zh="嵌入之间的距离", en="distance of embeddings"),
    "input": Text(zh="X 之间的距离", en="distance of X"),
    "dressed": Text(zh="注意力之后的距离", en="distance after attention"),
}
DRESSED = Text(
    zh="%(token)s 的嵌入在两句里完全相同（距离 %(bare)s）；作为输入 X（位置编码：%(kind)s）距离 %(input)s；经过注意力，"
    "它带上了各自的上下文，距离 %(dressed)s。前者叫裸向量，后者叫缀饰向量。",
    en="%(token)s has the same embedding in both (distance %(bare)s). As input X (positions: %(kind)s) the distance is "
    "%(input)s. After attention it holds the context of its sentence: %(dressed)s. Bare vector before, dressed vector after.",
)
DRESSED_ALIKE = Text(
    zh="%(token)s 的嵌入在两句里完全相同（距离 %(bare)s），作为输入 X（位置编码：%(kind)s）距离 %(input)s，经过注意力之后距离还是 %(dressed)s："
    "它在两句里看见的词一样。换掉它看得见的一个词再看。",
    en="%(token)s has the same embedding in both (distance %(bare)s). As input X (positions: %(kind)s) the distance is "
    "%(input)s, and after attention still %(dressed)s: it sees the same words in both sentences. Change one of the words "
    "it sees.",
)
SHARED_W = Text(zh="两句共用的 W", en="The W that both share")
IMAGE_LIMIT = Text(
    zh="“裸”与“缀饰”借自场论，只是个比方：这里没有传播子，也没有戴森方程，只有一次加权平均。",
    en="“Bare” and “dressed” are borrowed from field theory as an image only: there is no propagator and no Dyson equation "
    "here, just a weighted mean.",
)
LAYERS_DISTANCE = Text(
    zh="再往上叠几层，%(token)s 在两句里的距离：%(distances)s。第 0 层是 X；每一层把注意力的输出加到它的输入上，所以这里是两者之和的距离。",
    en="With more layers on top, the distance of %(token)s between the sentences: %(distances)s. Layer 0 is X; each layer "
    "adds attention's output to its input, so this is the distance of the sums.",
)

# Shuffle.
SHUFFLE = Text(zh="换一种打乱法", en="Shuffle again")
SHUFFLED = Text(zh="打乱后的句子：%(tokens)s", en="The shuffled sentence: %(tokens)s")
SHUFFLE_VERDICT_SAME = Text(
    zh="现在的设置（位置：%(positions)s，因果掩码：%(causal)s）下，打乱只是让权重的行和列、输出的行跟着换位置：权重最多差 %(weights)s，"
    "输出最多差 %(output)s。",
    en="With the present settings (positions: %(positions)s, causal mask: %(causal)s) shuffling only moves rows and columns of "
    "the weights and rows of the output along: they differ by at most %(weights)s and %(output)s.",
)
SHUFFLE_BAG = Text(
    zh="没有位置、没有掩码，注意力看到的是一堆词，不是一句话。",
    en="Without positions and mask attention sees a bag of words, not a sentence.",
)
SHUFFLE_VERDICT_OTHER = Text(
    zh="现在的设置（位置：%(positions)s，因果掩码：%(causal)s）下，打乱改变了结果：权重最多差 %(weights)s，输出最多差 %(output)s。词序有了意义。",
    en="With the present settings (positions: %(positions)s, causal mask: %(causal)s) shuffling changes the result: the "
    "weights differ by up to %(weights)s, the output by up to %(output)s. Order has a meaning.",
)

ON = Text(zh="开", en="on")
OFF = Text(zh="关", en="off")
MOVED_A = Text(zh="原来的权重，行列换位", en="weights of the original, rows and columns moved")
SHUFFLED_A = Text(zh="打乱后重新算的权重", en="weights of the shuffled sentence")
DIFFERENCE = Text(zh="两者之差", en="their difference")
SHUFFLE_TABLE = Text(zh="六种设置", en="All six settings")
SHUFFLE_ROW = Text(
    zh="位置：%(positions)s，掩码：%(causal)s", en="positions: %(positions)s, mask: %(causal)s"
)
SHUFFLE_COLUMNS = {
    "weights": Text(zh="权重的最大差", en="largest difference of weights"),
    "output": Text(zh="输出的最大差", en="largest difference of output"),
    "verdict": Text(zh="打乱只换位置？", en="only moved?"),
}
YES = Text(zh="是", en="yes")
NO = Text(zh="否", en="no")
ONE_TOKEN = Text(zh="一个词元没法打乱；至少写两个。", en="One token cannot be shuffled; write at least two.")

QUESTION_MASK = Text(
    zh="没有位置、只有因果掩码时，打乱也会改变权重。掩码怎么知道次序？",
    en="Without positions but with the causal mask, shuffling changes the weights all the same. How does the mask know the "
    "order?",
)
ANSWER_MASK = Text(
    zh="它按位置数人数：第 1 个词元只看见 1 个键，第 %(n)d 个看见 %(n)d 个。换了位置，看见的人就不同，权重最多差 %(difference)s。",
    en="It counts: token 1 sees 1 key, token %(n)d sees %(n)d. Moved elsewhere a token sees others, and the weights differ "
    "by up to %(difference)s.",
)

# Without W.
QUESTION_SELF = Text(
    zh="没有参数时，%(n)d 个词元里有几个最看重自己？",
    en="Without parameters, how many of the %(n)d tokens look at themselves most?",
)
ANSWER_SELF = Text(
    zh="%(plain)d 个。x·x 是长度的平方，别的向量要更长又更一致才能超过它。有 W 时是 %(trainable)d 个。",
    en="%(plain)d. x·x is the squared length; another vector must be longer and well aligned to beat it. With W it is "
    "%(trainable)d.",
)
PLAIN_READING = Text(
    zh="没有参数时 q = k = v = x。分数是对称的：甲对乙是多少，乙对甲就是多少（最大不对称 %(plain)s）。"
    "有了 W，不对称可达 %(trainable)s：“找什么”和“给人看什么”可以分开学。两种权重最多差 %(weights)s。",
    en="Without parameters q = k = v = x. Scores are symmetric: what one token scores with another, the other scores with it "
    "(largest asymmetry %(plain)s). With W the asymmetry reaches %(trainable)s: what a token seeks and what it offers can be "
    "learnt apart. The weights differ by up to %(weights)s.",
)
PLAIN_A = Text(zh="没有参数的权重", en="weights without parameters")
TRAINABLE_A = Text(zh="有 W 的权重", en="weights with W")
PLAIN_SCORES = Text(zh="没有参数的分数（对称）", en="scores without parameters (symmetric)")
TRAINABLE_SCORES = Text(zh="有 W 的分数", en="scores with W")
NEEDS_X = Text(
    zh="这一节需要 X 和 W；现在的算例从更后面的一步开始。",
    en="This view needs X and W; the present example begins further down.",
)

# Loop or matrix.
CHANGED_QUERY = Text(zh="改动哪个查询", en="Which query to change")
CHANGED_QUERY_HELP = Text(
    zh="给这个查询的每个数加 1，键和值不动，看哪些行跟着动。",
    en="Adds 1 to each number of this query, keys and values kept, and shows which rows move.",
)
REACH = Text(
    zh="给 %(token)s 的查询每个数加 1，键和值不动：注意力的 %(n)d 行输出动了 %(attention)d 行；依次读这些查询的 RNN，"
    "%(n)d 个状态动了 %(rnn)d 个。注意力的各行互不等待，所以一次矩阵乘法就能全做完；RNN 的每一步都要等上一步。",
    en="Add 1 to each number of the query of %(token)s, keys and values kept: of %(n)d output rows attention moves "
    "%(attention)d; an RNN that reads the same queries in order moves %(rnn)d of its %(n)d states. Rows of attention do "
    "not wait for one another, so one matrix product makes them all; each step of an RNN needs the one before.",
)
REACH_TABLE = Text(zh="每一行动了多少（最大的一个数）", en="How far each row moves (its largest number)")
REACH_COLUMNS = {
    "attention": Text(zh="注意力的输出", en="output of attention"),
    "rnn": Text(zh="RNN 的状态", en="state of the RNN"),
}
NO_QUERIES = Text(
    zh="这个算例从缩放后的分数开始，没有查询可改。",
    en="This example begins with scaled scores; it has no query to change.",
)
FORMS_HERE = Text(
    zh="三种写法，同一个结果：与矩阵乘法相比，逐个查询的循环最多差 %(loop)s，einsum 最多差 %(einsum)s。",
    en="Three ways to write it, one result: against the matrix product the loop over queries differs by at most %(loop)s, "
    "einsum by at most %(einsum)s.",
)
QUESTION_INPUT = Text(
    zh="如果改的不是 %(token)s 的查询，而是它的输入 x，注意力的输出会动几行？",
    en="If you changed the input x of %(token)s instead of its query, how many output rows of attention would move?",
)
ANSWER_INPUT = Text(
    zh="%(rows)d 行。x 也决定它的键和值，凡是看得见它的查询都跟着动。各行互不等待，不等于互不相干。",
    en="%(rows)d. Its key and its value come from x too, so every query that sees it moves. Rows do not wait for one "
    "another; that does not mean they ignore one another.",
)
MEASURE = Text(zh="在这台机器上测时间", en="Measure on this machine")
MEASURING = Text(zh="正在测四种写法……", en="Timing four ways of writing it …")
MEASURED_BEFORE = Text(
    zh="这是 d_k = %(measured)d 时测的；要测 d_k = %(now)d，请再按一次。",
    en="Measured at d_k = %(measured)d. Press again to measure d_k = %(now)d.",
)
MEASURED_AT = Text(
    zh="用随机数实测于 %(when)s，%(machine)s，torch %(torch)s，单线程，d_k = %(d_k)d，每点 %(repeats)d 次取中位数。一小时内所有访客看到同一次测量。",
    en="Measured with random numbers %(when)s on %(machine)s, torch %(torch)s, one thread, d_k = "
    "%(d_k)d, median of %(repeats)d runs a point. All visitors of this hour share one measurement.",
)
FORMS = {
    "loop": Text(zh="Python 循环", en="Python loop"),
    "matmul": Text(zh="矩阵乘法", en="matmul"),
    "einsum": Text(zh="einsum", en="einsum"),
    "rnn": Text(zh="RNN", en="RNN"),
}
N_TITLE = Text(zh="词元数 N", en="tokens N")
TIME_TITLE = Text(zh="时间（微秒）", en="time (µs)")
TIME_COLUMNS = (
    Text(zh="中位数（微秒）", en="median (µs)"),
    Text(zh="最快（微秒）", en="fastest (µs)"),
    Text(zh="最慢（微秒）", en="slowest (µs)"),
)
FORM_TITLE = Text(zh="写法", en="form")
TIMINGS_ALT = Text(
    zh="四种写法的时间随词元数的变化，双对数坐标。N = %(n)d 时循环用 %(loop)s 微秒，矩阵乘法用 %(matmul)s 微秒。",
    en="Time of four forms against the number of tokens, both axes logarithmic. At N = %(n)d the loop takes %(loop)s µs, "
    "matmul %(matmul)s µs.",
)
EQUAL_FORMS = Text(
    zh="循环、矩阵乘法、einsum 的结果最多差 %(difference)s。N = %(n)d 时循环的时间是矩阵乘法的 %(ratio)s 倍。",
    en="Loop, matmul and einsum differ by at most %(difference)s. At N = %(n)d the loop takes %(ratio)s times as long as "
    "matmul.",
)
EINSUM_VERDICT = Text(
    zh="“einsum 更快”？N = %(n)d 时它的时间是矩阵乘法的 %(ratio)s 倍（四分位 %(lower)s–%(upper)s）：%(verdict)s。",
    en="“einsum is faster”? At N = %(n)d it takes %(ratio)s times as long as matmul (quartiles %(lower)s–%(upper)s): "
    "%(verdict)s.",
)
VERDICTS = {
    "faster": Text(zh="更快", en="faster"),
    "slower": Text(zh="更慢", en="slower"),
    "no difference": Text(zh="没有差别", en="no difference"),
}

# Check the textbook.
TEXTBOOK = Text(
    zh="左边是笔记里印的数，右边是从同样的输入当场算出的数。“跟着错”是说：这一步没有算错，用的却是前面印错的数。",
    en="Printed numbers of published notes beside the ones computed here from the same inputs. “Carried over” means: wrong, "
    "but it does follow from the wrong numbers printed before it.",
)
TEXTBOOK_COLUMNS = {
    "cell": Text(zh="数", en="number"),
    "verdict": Text(zh="判断", en="verdict"),
    "printed": Text(zh="印的", en="printed"),
    "computed": Text(zh="算出的", en="computed"),
    "followed": Text(zh="照前一步算", en="from printed"),
}
TEXTBOOK_VERDICTS = {
    "right": Text(zh="✓ 对", en="✓ right"),
    "last_digit": Text(zh="≈ 末位凑整", en="≈ last digit adjusted"),
    "carried": Text(zh="✗ 跟着错", en="✗ carried over"),
    "slip": Text(zh="✗ 此步错", en="✗ wrong here"),
}
TEXTBOOK_STORIES = {
    "e1": Text(
        zh="算例一成立：%(right)d 个印出的数都对，另有 %(bent)d 个末位被凑过，好让那一行加起来正好是 1。",
        en="E1 holds: %(right)d printed numbers agree; the last digit of %(bent)d was adjusted so that a row adds up to 1.",
    ),
    "e2": Text(
        zh="算例二错在最早的一步：%(slips)d 个数不是 X·W 的结果，只有 %(right)d 个对。后面的分数、权重和输出"
        "（%(carried)d 个）都跟着这些错的 Q、K、V 算，一步没错，全部不对。",
        en="E2 goes wrong at the first step: %(slips)d printed numbers are not X·W, only %(right)d are right. Scores, weights "
        "and output after it (%(carried)d numbers) follow faithfully from the wrong Q, K, V, and are wrong.",
    ),
    "e3": Text(
        zh="算例三的 softmax 算错了 %(slips)d 个权重：exp 的比例不是印的那样。输出的 %(carried)d 个数是从错的权重来的。",
        en="E3 has %(slips)d weights of its softmax wrong: the exponentials are not in that proportion. The %(carried)d "
        "numbers of its output come from the wrong weights.",
    ),
}
OPEN_EXAMPLE = Text(zh="在流水线里打开这个算例", en="Open this example in the pipeline")
CLAIM_ABSORBED = Text(
    zh="笔记里的一句话：“A 吸收了 C 的信息”。追一追：A 的输出第二个分量是 %(total)s，其中 %(b)s 来自 B，%(c)s 来自 C"
    "（各自四舍五入）。B 出的和 C 差不多，不能只提 C。",
    en="A sentence of the notes: “A has absorbed information from C”. Trace it: of A's second output component, %(total)s, "
    "%(b)s came from B and %(c)s from C (each rounded). B gave about as much, so C alone is half the story.",
)
CLAIM_ANGLE = Text(
    zh="笔记里的另一句：“夹角小，权重就尖”。q 长 %(length)s，三个键长 1，与 q 的夹角都是 %(angle)d°：缩放后的分数都是 %(score)s，"
    "权重是 %(same)s，均匀。只让一个键对准 q、其余两个垂直，权重是 %(one)s。要的是一个键突出，不是夹角小。",
    en="Another: “sharp weights come from small angles”. q has length %(length)s, the three keys have length 1, all at "
    "%(angle)d° from q: every scaled score is %(score)s and the weights are %(same)s, uniform. With one key along q and two at "
    "right angles they are %(one)s. One key must stand out; small angles alone do nothing.",
)
CLAIM_SIDES = Text(
    zh="再一句：同一份笔记里有时写 x·W，有时写 W·x。这里的向量是行，所以写 x·W。取算例二的 x₁ 和 W^Q 左上角的 2 × 2 块："
    "x·W = %(row)s，W·x = %(column)s，数不一样；Wᵀ·x = %(turned)s 才与 x·W 相同。方阵换边不报错，只会给出别的数。",
    en="And one more: the same notes write x·W here and W·x there. Vectors are rows in this lab, so it is x·W. Take x₁ of E2 "
    "and the 2 × 2 corner of its W^Q: x·W = %(row)s but W·x = %(column)s; Wᵀ·x = %(turned)s is what equals x·W. A square "
    "matrix on the wrong side raises no error, it only gives other numbers.",
)
ANGLE = Text(zh="三个键与 q 的夹角（度）", en="angle of all three keys to q (degrees)")
ANGLE_HELP = Text(
    zh="三个键一起转：分数会变，看权重变不变。",
    en="Turns all three keys together: the scores move; see whether the weights do.",
)
REPRODUCE_HELP = Text(
    zh="这段脚本只用 torch，按现在的设置打印流水线的全部矩阵，再打印当前视图自己比较的数，一位不少。"
    "测得的时间和别的设置下的结果不在其中。",
    en="This script needs torch only. For the present settings it prints every matrix of the pipeline, then the numbers "
    "that the present view compares, all unrounded. Measured times and results for other settings are not in it.",
)
