"""Words of the view that puts attentions side by side."""

from dashboard.text import Text

SLOT_A = Text(zh="A", en="A")
SLOT_B = Text(zh="B", en="B")
SLOT_C = Text(zh="C", en="C")
SLOT_HELP = Text(
    zh="用哪一种注意力。差值图是 B − A 和 C − A。",
    en="Which attention. Differences are B − A and C − A.",
)
NO_SLOT = Text(zh="（不要）", en="(none)")
HEAD = Text(zh="第几个头", en="head")
HEAD_HELP = Text(
    zh="图和算式换成这个头；误差总是所有头一起算。",
    en="Pictures and arithmetic show this head; errors are over all heads.",
)

WIDTH = Text(zh="w（窗口）", en="w (window)")
WIDTH_HELP = Text(
    zh="向一边看几个键，连自己在内；不带因果掩码时两边都看。1 到 64。",
    en="Keys to one side, the query's own among them; without a causal mask it looks both ways. 1 to 64.",
)
DILATION = Text(zh="s（间隔）", en="s (dilation)")
DILATION_HELP = Text(
    zh="空洞窗口里相邻两个键隔几个位置，1 到 64；1 就是普通窗口。",
    en="Positions from one key of a dilated window to the next, 1 to 64; 1 is the plain window.",
)
BLOCK = Text(zh="b（块长）", en="b (block)")
BLOCK_HELP = Text(
    zh="一块有几个位置，1 到 64；每块只看自己。", en="Positions of a block, 1 to 64; it sees only itself."
)
STRIDE = Text(zh="步长", en="stride")
STRIDE_HELP = Text(
    zh="看最近几个键，再往外每隔这么多看一个，1 到 64。",
    en="It sees so many near keys, and every key that many steps further on. 1 to 64.",
)
GLOBAL = Text(zh="全局词元", en="global tokens")
GLOBAL_HELP = Text(
    zh="开头几个词元看所有词元，也被所有词元看见，0 到 64。",
    en="So many tokens at the beginning see all and are seen by all, 0 to 64.",
)
FEATURE = Text(zh="特征 φ", en="feature φ")
FEATURE_HELP = Text(
    zh="代替 exp 的特征映射：elu + 1 处处大于 0；relu 会把一半的数变成 0，查询的特征全是 0 时什么也看不到。",
    en="What stands in the place of exp. elu + 1 is above 0 everywhere; relu makes half of all numbers 0, and a query whose features "
    "are all 0 sees nothing.",
)
FEATURES = {"elu": Text(zh="elu + 1", en="elu + 1"), "relu": Text(zh="relu", en="relu")}
RANK = Text(zh="r（秩）", en="r (rank)")
RANK_HELP = Text(
    zh="把 N 个键和值混成几个，最多 N 个。",
    en="How many keys and values N of them are mixed into, at most N.",
)
MIXTURE = Text(zh="怎么混", en="mixed by")
MIXTURE_HELP = Text(
    zh="相邻几个取平均，r = N 时就是完整注意力；或者用随机矩阵，像训练之前那样，键和值共用一个。",
    en="The mean over neighbours, which at r = N is full attention; or a random matrix, as before training, one for keys and values.",
)
MIXTURES = {"pooled": Text(zh="取平均", en="means"), "drawn": Text(zh="随机矩阵", en="random matrix")}
KV_HEADS = Text(zh="h_kv（键值头）", en="h_kv (K/V heads)")
KV_HEADS_HELP = Text(
    zh="键和值剩几个头，要整除 h；每组的键和值取平均。",
    en="How many heads keys and values keep; it has to divide h. Those of a group are averaged.",
)
SINK = Text(zh="汇点的分数", en="sink's score")
SINK_HELP = Text(
    zh="汇点没有值，只分走权重。0 就是“softmax 加一”：分母多一个 exp(0) = 1。−20 到 20。",
    en="The sink has no value and only takes weight. 0 is softmax-off-by-one: exp(0) = 1 more in the denominator. −20 to 20.",
)
TEMPERATURE = Text(zh="τ（温度）", en="τ (temperature)")
TEMPERATURE_HELP = Text(
    zh="余弦除以它再做 softmax。1 时两个权重之比最多 e²；越小越尖。0.01 到 10。",
    en="Cosines are divided by it. At 1 no weight is more than e² times another; smaller is sharper. 0.01 to 10.",
)
SLOPES = Text(zh="斜率表", en="slopes")
SLOPES_HELP = Text(
    zh="h 不是 2 的幂时，论文的程序和论文的那句话给出不同的斜率。",
    en="Where h is no power of two, the paper's program and its sentence give different slopes.",
)
SLOPES_OPTIONS = {
    "program": Text(zh="照程序", en="as its program"),
    "sentence": Text(zh="照论文那句话", en="as its sentence"),
}
PAIRING = Text(zh="怎样配对", en="pairing")
PAIRING_HELP = Text(
    zh="第 i 个数和第 i + d_k/2 个一起转，或者相邻两个一起转。",
    en="Number i turns with number i + d_k/2, or neighbours turn together.",
)
PAIRINGS = {"half": Text(zh="隔半", en="half apart"), "interleaved": Text(zh="相邻", en="neighbours")}
BASE = Text(zh="底数", en="base")
BASE_HELP = Text(
    zh="第 i 对数每走一个位置转 1 / 底数^(2i/d_k) 弧度，2 到 1 000 000。",
    en="Pair i turns by 1 / base^(2i/d_k) radians a position. 2 to 1,000,000.",
)
D_A = Text(zh="d_a（隐藏宽度）", en="d_a (hidden)")
D_A_HELP = Text(
    zh="加性注意力的隐藏层有几个数，1 到 16；每对词元都要算这么多个 tanh。",
    en="Numbers of additive attention's hidden layer, 1 to 16: so many tanh for each pair.",
)
D_Q = Text(zh="d_q（查询宽度）", en="d_q (queries)")
D_Q_HELP = Text(
    zh="只给它 q 的前几个数，最多 d_k。加性和乘性注意力不要求 q 和 k 一样宽；点积要求。",
    en="How many numbers of q it is given, at most d_k. Additive and multiplicative attention take q and k of different widths; "
    "a dot product does not.",
)

NOTE = Text(
    zh="随机权重（种子 %(seed)d）· float64 · %(mask)s · h = %(h)d，每头宽 %(width)d · 各种注意力用同样的 q、k、v",
    en="random weights (seed %(seed)d) · float64 · %(mask)s · h = %(h)d, each head %(width)d wide · the same q, k and v for all",
)
MASKS = {
    True: Text(zh="因果掩码", en="causal mask"),
    False: Text(zh="无掩码", en="no mask"),
}
PICTURES = Text(zh="并排比较", en="Side by side")
WEIGHT = Text(zh="权重", en="weight")
WEIGHTS = Text(zh="%(slot)s %(name)s：权重", en="%(slot)s %(name)s: weights")
LAID_OUT = Text(
    zh="%(slot)s %(name)s：分片算的权重",
    en="%(slot)s %(name)s: weights, in pieces",
)
SINK_COLUMN = Text(zh="汇点", en="sink")
SHORT_WEIGHTS = Text(
    zh="%(slot)s %(name)s：权重只有 N × r",
    en="%(slot)s %(name)s: weights, N × r alone",
)
SHORT_KEY = Text(zh="短键", en="short key")
MIXING = Text(zh="%(slot)s：短键怎样由键混成", en="%(slot)s: how keys make short keys")
MIXING_VALUE = Text(zh="份额", en="share")
NO_WEIGHTS = Text(
    zh="%(slot)s %(name)s：φ(q)，没有 N × N 权重",
    en="%(slot)s %(name)s: φ(q), no N × N weights",
)
PHI_K = Text(zh="%(slot)s：φ(k)", en="%(slot)s: φ(k)")
STATE = Text(zh="%(slot)s：状态 Σ φ(k) vᵀ", en="%(slot)s: state Σ φ(k) vᵀ")
KEY_SUM = Text(zh="%(slot)s：Σ φ(k)", en="%(slot)s: Σ φ(k)")
FEATURE_AXIS = Text(zh="特征", en="feature")
VALUE_AXIS = Text(zh="v 的列", en="column of v")
FEATURE_VALUE = Text(zh="特征", en="feature")
SUM_VALUE = Text(zh="和", en="sum")
OUT = Text(zh="%(slot)s 的输出", en="output of %(slot)s")
OUT_VALUE = Text(zh="输出", en="output")
CHANGE = Text(zh="%(slot)s − A，最大差 %(most)s", en="%(slot)s − A, largest %(most)s")
CHANGE_VALUE = Text(zh="差", en="difference")
GIVEN = {
    "q": Text(zh="q，头 %(head)d", en="q, head %(head)d"),
    "k": Text(zh="k，头 %(head)d", en="k, head %(head)d"),
    "v": Text(zh="v，头 %(head)d", en="v, head %(head)d"),
}
GIVEN_VALUE = Text(zh="数", en="value")

REFUSED = {
    "even_width": Text(
        zh="%(slot)s：旋转位置让数一对一对地转，d_k 要是偶数，现在 d_k = d_model ÷ h = %(first)d。",
        en="%(slot)s: rotary positions turn numbers in pairs, so d_k has to be even; now d_k = d_model ÷ h = %(first)d.",
    ),
    "no_causal_form": Text(
        zh="%(slot)s：低秩注意力没有因果形式：每个短键都混着所有位置，后面的也在里面。",
        en="%(slot)s: low-rank attention has no causal form: a short key holds something of every position, of later ones too.",
    ),
    "kv_heads_divide": Text(
        zh="%(slot)s：h_kv 要整除 h：%(first)d ÷ %(second)d 除不尽。",
        en="%(slot)s: h_kv has to divide h: %(first)d ÷ %(second)d leaves a rest.",
    ),
}
TAKE = Text(zh="用 %(name)s = %(value)d", en="Take %(name)s = %(value)d")
NO_CAUSAL = Text(zh="去掉因果掩码", en="Take the causal mask off")

ARITHMETIC = Text(zh="这一格怎么算出来", en="How this cell comes about")
PAIR = Text(zh="查询 %(query)s → 键 %(key)s，头 %(head)d", en="query %(query)s → key %(key)s, head %(head)d")
OUT_CELL = Text(
    zh="%(query)s 的输出，第 %(column)d 个数，头 %(head)d",
    en="output of %(query)s, number %(column)d, head %(head)d",
)
CELL_MOVED = Text(
    zh="链接要的格子 [%(row)d, %(column)d] 这里没有，换成最近的一格。",
    en="There is no cell [%(row)d, %(column)d] here; the nearest is shown.",
)
SLOT_NAME = Text(zh="%(slot)s %(name)s", en="%(slot)s %(name)s")
OPENS = Text(
    zh="点一格权重、输出或差值，就换成它；点输出里的一个份额，就看它怎么来。",
    en="Pick a weight, an output or a difference to open it; in an output, pick a share to see where it comes from.",
)
AFTER = Text(
    zh="键在查询后面，因果掩码遮住了它：权重 0。",
    en="The key comes after the query and the causal mask hides it: weight 0.",
)
OUTSIDE = Text(zh="这个键不在它看的范围里：权重 0。", en="The key is outside of what it looks at: weight 0.")
NEVER = Text(
    zh="输出里有这么多 v，但它从不写下这个数：",
    en="So much of v is in the output, but this number is never written down:",
)
THROUGH_SHORT = Text(
    zh="通过 r 个短键：每个短键的权重 × 这个键在其中的份额。",
    en="Through r short keys: the weight of each × this key's share of it.",
)
OF_SHORT = Text(zh="其中短键 %(short)d 的权重：", en="Of these, the weight of short key %(short)d:")
NOTHING_SEEN = Text(
    zh="这个查询什么也看不到：分母是 0，输出记作 0。",
    en="This query sees nothing: the denominator is 0, and the output is taken as 0.",
)
SINK_TERM = Text(zh="汇点", en="sink")

TABLE = Text(
    zh="全部注意力，在这句话上（N = %(n)d，%(mask)s）",
    en="All attentions on this sentence (N = %(n)d, %(mask)s)",
)
ATTENTION = Text(zh="注意力", en="attention")
PICK_KEYS = Text(
    zh="点一行，它就成为 B；或用方向键和回车",
    en="click or tap a row to make it B; arrow keys, Enter",
)
COLUMNS = (
    Text(zh="算什么", en="what it computes"),
    Text(zh="是什么", en="what it is"),
    Text(zh="N × N 权重", en="N × N weights"),
    Text(zh="看见的对", en="pairs seen"),
    Text(zh="算的分数", en="scores computed"),
    Text(zh="FLOPs", en="FLOPs"),
    Text(zh="与完整的相对误差", en="relative error against full"),
)
YES = Text(zh="有", en="yes")
IN_PIECES = Text(zh="分片", en="in pieces")
NO = Text(zh="没有", en="no")
KINDS = {
    "itself": Text(zh="基准", en="the measure"),
    "exact": Text(zh="精确，按自己的掩码", en="exact for its mask"),
    "approximation": Text(zh="近似", en="approximation"),
    "function": Text(zh="另一个函数", en="another function"),
}
COMPUTES = {
    "full": Text(zh="softmax(q·k / √d_k) v", en="softmax(q·k / √d_k) v"),
    "dot_product": Text(zh="softmax(q·k) v", en="softmax(q·k) v"),
    "multiplicative": Text(zh="softmax(q W·k) v", en="softmax(q W·k) v"),
    "additive": Text(zh="softmax(w·tanh(q W₁ + k W₂)) v", en="softmax(w·tanh(q W₁ + k W₂)) v"),
    "cosine": Text(zh="softmax(cos(q, k) / τ) v", en="softmax(cos(q, k) / τ) v"),
    "alibi": Text(zh="softmax(q·k / √d_k − m·|n − j|) v", en="softmax(q·k / √d_k − m·|n − j|) v"),
    "rotary": Text(zh="softmax(Rₙq·Rⱼk / √d_k) v", en="softmax(Rₙq·Rⱼk / √d_k) v"),
    "sink": Text(zh="exp(s) / (exp(汇点) + Σ exp(s)) · v", en="exp(s) / (exp(sink) + Σ exp(s)) · v"),
    "window": Text(zh="只看 |n − j| < w", en="keys with |n − j| < w"),
    "dilated": Text(zh="只看 |n − j| = 0, s, …, (w − 1)·s", en="keys with |n − j| = 0, s, …, (w − 1)·s"),
    "block": Text(zh="只看同一块：⌊n/b⌋ = ⌊j/b⌋", en="keys of its block: ⌊n/b⌋ = ⌊j/b⌋"),
    "strided": Text(zh="近的，加上每隔一个步长的", en="near keys, and every stride-th"),
    "global_window": Text(zh="|n − j| < w，或者 n、j 在开头", en="|n − j| < w, or n or j at the beginning"),
    "grouped": Text(zh="每组的 k、v 取平均，再照常算", en="full, k and v averaged in groups"),
    "low_rank": Text(zh="softmax(q·(E k) / √d_k) (E v)", en="softmax(q·(E k) / √d_k) (E v)"),
    "linear": Text(zh="φ(q) Σφ(k)vᵀ / φ(q)·Σφ(k)", en="φ(q) Σφ(k)vᵀ / φ(q)·Σφ(k)"),
}

SAID = Text(zh="怎么读", en="How to read it")
SAME_TWICE = Text(
    zh="%(slot)s 和 A 是同一种注意力，差值全是 0。换一种再比。",
    en="%(slot)s is the same attention as A, so their difference is 0. Choose another.",
)
IS_ITSELF = Text(
    zh="%(slot)s 就是完整注意力，误差都对着它算：相对误差 = 输出之差的大小 ÷ 它的输出的大小，所有头一起算。",
    en="%(slot)s is full attention, against which errors are taken: relative error = size of the difference between outputs ÷ size of its "
    "output, over all heads.",
)
IS_EXACT = Text(
    zh="%(slot)s（%(name)s）按自己的掩码是精确的：它分片算，从不算出 N × N 整张，输出却和整张算完再遮住一样（最大差 %(apart)s）。"
    "不过完整注意力的 %(all)d 对里它只看 %(seen)d 对，所以和完整注意力的相对误差是 %(error)s。",
    en="%(slot)s (%(name)s) is exact for its mask: it works in pieces and never makes an N × N matrix, yet gives what the whole matrix "
    "under the same mask gives (largest difference %(apart)s). But of the %(all)d pairs that full attention sees it sees %(seen)d, and so "
    "its relative error against that is %(error)s.",
)
SEES_ALL = Text(
    zh="%(slot)s（%(name)s）在这里看得见完整注意力的全部 %(all)d 对，所以结果相同：相对误差 %(error)s。",
    en="%(slot)s (%(name)s) sees here every pair that full attention sees, %(all)d in all, and so gives the same: relative error %(error)s.",
)
SEES_THE_PAIR = Text(
    zh="%(slot)s（%(name)s）：只有一个词元，一对，大家都看得见。相对误差 %(error)s。",
    en="%(slot)s (%(name)s): with one token there is one pair, which all see. Relative error %(error)s.",
)
IS_APPROXIMATION = Text(
    zh="%(slot)s（%(name)s）是完整注意力的近似：这句话上相对误差 %(error)s。",
    en="%(slot)s (%(name)s) is an approximation of full attention: relative error %(error)s on this sentence.",
)
IS_NEAR = Text(
    zh="%(slot)s（%(name)s）是完整注意力的近似，在这里和它一样：相对误差 %(error)s。",
    en="%(slot)s (%(name)s) is an approximation of full attention and here equals it: relative error %(error)s.",
)
IS_FUNCTION = Text(
    zh="%(slot)s（%(name)s）是同样 q、k、v 的另一个函数，并不打算接近完整注意力；这里它们的相对差是 %(error)s。",
    en="%(slot)s (%(name)s) is another function of the same q, k and v, not meant to come near full attention; here the two differ by "
    "%(error)s, relative to full.",
)
IS_EQUAL_FUNCTION = Text(
    zh="%(slot)s（%(name)s）是另一个函数，但在这里给出和完整注意力一样的结果：相对差 %(error)s。",
    en="%(slot)s (%(name)s) is another function, but gives here what full attention gives: relative difference %(error)s.",
)
SEES_KEYS = Text(
    zh="查询 %(query)s 看得见 %(n)d 个键里的 %(seen)d 个。",
    en="Query %(query)s sees %(seen)d of the %(n)d keys.",
)
SEES = {
    "full": Text(zh="每个查询都看得见每个键。", en="Every query sees every key."),
    "dot_product": Text(
        zh="看得见的和完整注意力一样；分数没有除以 √d_k，d_k 越大权重越尖。",
        en="It sees what full attention sees. Scores are not divided by √d_k: the larger d_k, the sharper the weights.",
    ),
    "multiplicative": Text(
        zh="分数经过一个学来的矩阵 W（这里是随机的），所以 q 和 k 可以不一样宽；这里用了 q 的 %(d_q)d 个数，k 有 %(d_k)d 个。"
        "分数不缩放。",
        en="Scores pass a matrix W that is learned (drawn here), so that q and k may differ in width; here it is given %(d_q)d of q's "
        "numbers, and keys have %(d_k)d. Scores are not scaled.",
    ),
    "additive": Text(
        zh="分数由一层小网络给出（这里是随机的），q 和 k 可以不一样宽：用了 q 的 %(d_q)d 个数，k 有 %(d_k)d 个。"
        "每对词元要 %(d_a)d 个 tanh，矩阵乘积的 FLOPs 与完整注意力之比是 %(times)s。",
        en="A small network gives the scores (drawn here), and q and k may differ in width: it is given %(d_q)d of q's numbers, keys "
        "have %(d_k)d. Each pair takes d_a = %(d_a)d tanh, and the FLOPs of its matrix products are to those of full attention as %(times)s to 1.",
    ),
    "cosine": Text(
        zh="只看方向，不看长度：分数在 ±1 / τ 之间，两个权重之比最多 %(most)s。",
        en="Only directions count, not lengths: scores lie within ±1 / τ, and no weight is more than %(most)s times another.",
    ),
    "alibi": Text(
        zh="看得见的和完整注意力一样，但远处的分数要扣：头 %(head)d 每走一步扣 %(slope)s。各头的斜率：%(slopes)s。",
        en="It sees what full attention sees, but distance costs: in head %(head)d %(slope)s a step. Slopes of all heads: %(slopes)s.",
    ),
    "rotary": Text(
        zh="RoPE 把 q 和 k 按位置转过再比，长度不变，所以分数只和两者隔多远有关，和在句子哪里无关；v 不转。",
        en="RoPE turns q and k by their positions before they are compared, lengths unchanged: scores hang on how far apart the two "
        "stand, not on where; v is not turned.",
    ),
    "sink": Text(
        zh="每一行的权重加起来不到 1：在头 %(head)d 里，汇点分走查询 %(query)s 的 %(share)s，那一份没有值。",
        en="Rows sum to less than 1: in head %(head)d the sink takes %(share)s of query %(query)s, and has no value to give for it.",
    ),
    "window": Text(
        zh="离得不到 %(width)d 步的才看得见，更远的词要经过更多层才传得过来。",
        en="It sees keys fewer than w = %(width)d steps away; words farther off reach the query only through more layers.",
    ),
    "dilated": Text(
        zh="每隔 s = %(dilation)d 个位置看一个，看得远，但夹在中间的看不见。",
        en="It sees keys in steps of s = %(dilation)d: far, but not those between.",
    ),
    "block": Text(
        zh="同一块里的才看得见；隔壁块的第一个词，离得再近也看不见。",
        en="It sees its own block; the first word of the next one is out of sight, however near.",
    ),
    "strided": Text(
        zh="看得见近处不到 %(stride)d 步的，再加上每隔 %(stride)d 步的：两层就能到达任何位置。",
        en="It sees keys fewer than %(stride)d steps away and every key a multiple of that away: two layers reach any position.",
    ),
    "global_window": Text(
        zh="看得见近处的和开头 %(n_global)d 个；开头的看得见所有，别的词可以经它们转手。",
        en="It sees near keys and the global tokens at the beginning (%(n_global)d); those see all, so that others can pass by them.",
    ),
    "grouped": Text(
        zh="看得见的和完整注意力一样，但键和值从 h = %(h)d 个头按组平均成 h_kv = %(kv)d 个：键值缓存是原来的 %(kv)d/%(h)d。真正的模型带着共用的头"
        "再训练过。",
        en="It sees what full attention sees, but of h = %(h)d heads of keys and values the means of groups are left, h_kv = %(kv)d: the KV "
        "cache is %(kv)d/%(h)d of what it was. Real models are trained on with shared heads.",
    ),
    "low_rank": Text(
        zh="短键里混着不止一个位置，权重分不开它们：N = %(n)d 成了 r = %(rank)d，后面的词也混在里面。",
        en="Short keys mix positions, which weights can then not tell apart: of N = %(n)d there are r = %(rank)d left. Later words are "
        "among them.",
    ),
    "linear": Text(
        zh="每个键和值都加进同一个 %(d)d × %(d)d 的状态，句子再长也这么大；权重没法像 exp 那样尖。换两种写法结果相同："
        "逐对计算最多差 %(pairwise)s，逐词元循环最多差 %(recurrent)s。",
        en="Every key and value goes into one state of %(d)d × %(d)d numbers, however long the text, and weights cannot be as sharp as exp makes "
        "them. Its forms agree: at most %(pairwise)s from pair by pair, at most %(recurrent)s from token by token.",
    ),
}
GROUPED_FULL = Text(
    zh="h_kv = h = %(h)d：没有头共用，什么也没平均，就是完整注意力。",
    en="h_kv = h = %(h)d: no head is shared and nothing averaged, so this is full attention.",
)

QUESTION = Text(
    zh="窗口要多宽，结果才和完整注意力一样？先猜，再看（打开时当场重算）。",
    en="How wide must the window be to give what full attention gives? Guess first (it is run when you open this).",
)
ANSWER = Text(
    zh="%(errors)s。窗口到 w = %(least)d 为止才看得见每一对；这句话有 %(n)d 个词元。",
    en="%(errors)s. Only from w = %(least)d on does the window see every pair; the sentence has N = %(n)d tokens.",
)
WIDTH_ERROR = Text(zh="w = %(width)d：相对误差 %(error)s", en="w = %(width)d: relative error %(error)s")
JOIN = Text(zh="；", en="; ")
ANSWER_ONE = Text(
    zh="只有一个词元：w = 1 就看得见唯一的一对，相对误差 %(error)s。",
    en="There is one token: w = 1 sees the only pair, relative error %(error)s.",
)
FULL_CAUSAL = Text(
    zh="每个查询看得见自己和前面的每个键。", en="Every query sees its own key and all before it."
)
LOW_RANK_FULL = Text(
    zh="r = N = %(n)d：每个短键就是一个键，什么也没混。",
    en="r = N = %(n)d: each short key is one key, and nothing is mixed.",
)
LOW_RANK_ONE = Text(
    zh="只有一个词元，没有可混的；随机矩阵只是把它拉长或缩短。",
    en="There is one token and nothing to mix; the random matrix makes it longer or shorter.",
)
DILATED_ONE = Text(
    zh="s = 1 就是普通窗口：离得不到 %(width)d 步的都看得见。",
    en="s = 1 is the plain window: it sees keys fewer than w = %(width)d steps away.",
)
NO_GLOBAL = Text(
    zh="没有全局词元，就是普通窗口：离得不到 %(width)d 步的才看得见。",
    en="Without global tokens this is the plain window: it sees keys fewer than w = %(width)d steps away.",
)
