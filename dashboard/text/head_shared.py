"""Words of the view in which query heads share heads of keys and values."""

from dashboard.text import Text
from dashboard.text.head_ledger import PRESETS

PRESET_NAMES = {
    "small": Text(zh="小例子：h = 4，h_kv = 2", en="small: h = 4, h_kv = 2"),
    "gpt2_small": PRESETS["gpt2_small"],
    "llama3_8b": PRESETS["llama3_8b"],
}
D_MODEL = Text(zh="d_model", en="d_model")
D_MODEL_HELP = Text(
    zh="词向量的宽度，1 到 65 536。每个头宽 d_model ÷ h。",
    en="Width of a word's vector, 1 to 65,536. A head is d_model ÷ h wide.",
)
H = Text(zh="h（查询头）", en="h (query heads)")
H_HELP = Text(
    zh="1 到 128，要整除 d_model。表里列出 h 的每个因数。",
    en="1 to 128; it has to divide d_model. The table has a row for each divisor of h.",
)
N = Text(zh="N（缓存里的词元）", en="N (tokens in the cache)")
N_HELP = Text(
    zh="一条序列已经读过、写过多少词元。", en="How many tokens of one sequence have been read and written."
)
LAYERS = Text(zh="层数", en="layers")
LAYERS_HELP = Text(zh="每一层有自己的键和值。", en="Every layer keeps keys and values of its own.")
DTYPE = Text(zh="缓存里数的类型", en="type of the cached numbers")
DTYPE_HELP = Text(zh="一个数占 8、4、2 还是 2 字节。", en="A number takes 8, 4, 2 or 2 bytes.")
H_KV = Text(zh="h_kv（键值头）", en="h_kv (heads of keys and values)")
H_KV_HELP = Text(
    zh="要整除 h。h_kv = h 是 MHA，1 是 MQA，中间是 GQA。图和下面的话都用它。",
    en="It has to divide h. h_kv = h is MHA, 1 is MQA, between is GQA. The picture and the sentences use it.",
)
KV_DIVIDES = Text(
    zh="h_kv 要整除 h：%(h)d ÷ %(kv)d 余 %(rest)d，查询头分不成一样大的组。",
    en="h_kv has to divide h: %(h)d ÷ %(kv)d leaves %(rest)d, so query heads make no equal groups.",
)
KV_TOO_MANY = Text(
    zh="h_kv 要整除 h，所以不能比 h 多：%(kv)d 个键值头，只有 %(h)d 个查询头。",
    en="h_kv has to divide h and so cannot be larger: %(kv)d heads of keys and values against h = %(h)d.",
)
NONE_TAKEN = Text(
    zh="表里是能整除的，没有替它选哪一个。",
    en="The table lists the values that do; none of them was taken in its place.",
)

TABLE = Text(zh="h 的每个因数作 h_kv", en="Every divisor of h as h_kv")
PICK_KEYS = Text(
    zh="点一行就用它的 h_kv；方向键移动，回车选中",
    en="pick a row to take its h_kv; arrow keys move, Enter picks",
)
KIND = Text(zh="种类", en="kind")
COLUMNS = (
    Text(zh="h_kv", en="h_kv"),
    Text(zh="W^Q", en="W^Q"),
    Text(zh="W^K, W^V", en="W^K, W^V"),
    Text(zh="每层参数", en="parameters a layer"),
    Text(zh="每词元缓存，字节", en="cache per token, bytes"),
    Text(zh="缓存，N = %(n)s", en="cache at N = %(n)s"),
    Text(zh="与 MHA 之比", en="against MHA"),
)
BYTES = Text(zh="%(n)s 字节", en="%(n)s bytes")

SAID = Text(zh="谁读谁", en="Who reads whom")
NOTE = Text(
    zh="形状、参数和字节读自跑过的层（torch %(version)s，meta 设备：只有形状，不占内存），一条序列，不带偏置；字节是全部 %(layers)d 层的。",
    en="Shapes, parameters and bytes are read from layers that ran (torch %(version)s, device meta: shapes without memory), "
    "one sequence, no bias; bytes are those of all layers (%(layers)d).",
)
PICTURE = Text(zh="%(kind)s：谁读谁（1 = 读）", en="%(kind)s: who reads whom (1: reads)")
QUERY_HEAD = Text(zh="查询头", en="query head")
KV_HEAD = Text(zh="键值头", en="key/value head")

READS = {
    "MHA": Text(
        zh="MHA：h_kv = h = %(h)d，每个查询头读自己的键值头：(%(reads)s)。下标从 0 数，图上从 1 数。",
        en="MHA: h_kv = h = %(h)d, and every query head reads its own: (%(reads)s). The list counts from 0, the picture from 1.",
    ),
    "GQA": Text(
        zh="GQA：%(h)d 个查询头依次读键值头 (%(reads)s)：相邻的一组共用一个，每组 %(group)d 个查询头。下标从 0 数，图上从 1 数。这是量出来的："
        "第 i 个键值头的值全是 i，看每个查询头读出几。",
        en="GQA: the query heads, %(h)d of them, read (%(reads)s): neighbours share, in groups of %(group)d. The list counts from 0, "
        "the picture from 1. It is measured: the values of head i are all i, and each query head gives what it read.",
    ),
    "MQA": Text(
        zh="MQA：%(h)d 个查询头都读同一个键值头：(%(reads)s)。下标从 0 数，图上从 1 数。",
        en="MQA: the query heads, %(h)d of them, all read the same: (%(reads)s). The list counts from 0, the picture from 1.",
    ),
}
TILED = Text(
    zh="代码里要用 repeat_interleave：整块重复（repeat）会读成 (%(tiled)s)，形状一样，读错了头。",
    en="The code needs repeat_interleave: repeat would read (%(tiled)s), of the same shape and from the wrong heads.",
)
COST = Text(
    zh="一个词元留下 2 · %(layers)d · %(kv)d · %(d_k)d · %(size)d = %(token)s 字节（键和值 · 层数 · h_kv · 头宽 · 一个数的字节）；"
    "N = %(n)s 时是 %(cache)s。",
    en="A token leaves 2 · %(layers)d · %(kv)d · %(d_k)d · %(size)d = %(token)s bytes behind (keys and values · layers · h_kv · "
    "width of a head · bytes of a number); at N = %(n)s that is %(cache)s.",
)
SAVES = Text(
    zh="换成 MHA，一个词元要 %(token)s 字节，一共 %(cache)s：现在的缓存是它的 %(ratio)s。每层的 W^K 和 W^V 一共从 %(before)s 个数减到 %(after)s 个。",
    en="With MHA a token takes %(token)s bytes and the whole cache %(cache)s: this one is %(ratio)s of that. W^K and W^V of a "
    "layer together shrink from %(before)s numbers to %(after)s.",
)
SAVES_NOTHING = Text(
    zh="这就是 MHA，什么也没省；每层的 W^K 和 W^V 一共 %(before)s 个数。",
    en="This is MHA and saves nothing; W^K and W^V of a layer together have %(before)s numbers.",
)
STAYS = Text(
    zh="不变的是 W^Q（%(w_q)s）和 W^O（%(w_o)s）：每个查询头还有自己的查询、自己的权重图。W^K、W^V 是 %(w_k)s。",
    en="What stays is W^Q (%(w_q)s) and W^O (%(w_o)s): each query head keeps its own queries and its own map of weights. W^K and "
    "W^V are %(w_k)s.",
)
EQUAL = Text(
    zh="在小模型上量输出的最大差（d_model = %(d_model)d，h = %(h)d，N = %(n)d，float64，数取 1/8 的倍数，投影和分数没有舍入）：%(found)s。",
    en="Largest difference of outputs, measured on a small layer (d_model = %(d_model)d, h = %(h)d, N = %(n)d, float64, multiples "
    "of 1/8, so that projections and scores are exact): %(found)s.",
)
FOUND = {
    "MHA": Text(zh="h_kv = %(kv)d 与 MHA 差 %(tied)s", en="h_kv = %(kv)d against MHA %(tied)s"),
    "GQA": Text(
        zh="h_kv = %(kv)d 与“每组的键值头绑成一样”的 MHA 差 %(tied)s，与不绑的差 %(untied)s",
        en="h_kv = %(kv)d against MHA whose heads are tied within each group %(tied)s, against MHA untied %(untied)s",
    ),
    "MQA": Text(
        zh="h_kv = %(kv)d 与“所有键值头绑成一样”的 MHA 差 %(tied)s，与不绑的差 %(untied)s",
        en="h_kv = %(kv)d against MHA with all heads tied %(tied)s, against MHA untied %(untied)s",
    ),
}
JOIN = Text(zh="；", en="; ")
QUALITY = Text(
    zh="少几个键值头会不会写得更差，这里看不出来：形状和字节不用训练就知道，质量要训练后再比。",
    en="Whether fewer heads of keys and values write worse is not shown here: shapes and bytes need no training, quality does.",
)

QUESTION = Text(
    zh="给缓存 %(memory)s，MHA 能放多长的上下文？h_kv = %(kv)d 呢？",
    en="A cache may take %(memory)s. How long a context fits with MHA, and how long with h_kv = %(kv)d?",
)
QUESTION_ALONE = Text(
    zh="给缓存 %(memory)s，能放多长的上下文？", en="A cache may take %(memory)s. How long a context fits?"
)
ANSWER = Text(
    zh="%(memory)s 除以一个词元的字节，取整：%(each)s。一条序列，全部 %(layers)d 层；模型的权重还没算进去。",
    en="%(memory)s over the bytes of a token, rounded down: %(each)s. That is one sequence in all layers (%(layers)d); the model's "
    "weights come on top.",
)
FITS = Text(
    zh="%(kind)s（h_kv = %(kv)d）%(token)s 字节，放得下 %(tokens)s 个词元",
    en="%(kind)s (h_kv = %(kv)d) %(token)s bytes, tokens that fit: %(tokens)s",
)
CODE = Text(
    zh="跑的时候，每个键值头要给它那一组查询头各用一次：",
    en="In the run each head of keys and values serves every query head of its group:",
)
