"""Words of the view in which query heads share heads of keys and values."""

from dashboard.text import Text
from dashboard.text.head_ledger import PRESETS

PRESET_NAMES = {
    "small": Text(zh="小例子：h = 4，h_kv = 2", en="a small example: h = 4, h_kv = 2"),
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
    zh="一条序列里已经有多少个词元。", en="How many tokens of one sequence have been read and written."
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
    zh="点一行就用它的 h_kv，或用方向键和回车",
    en="click or tap a row to take its h_kv; arrow keys, Enter",
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
    zh="形状、参数和字节读自跑过的层（torch %(version)s，meta 设备：只有形状，不占内存）；一条序列，不带偏置，缓存是全部 %(layers)d 层的。",
    en="Shapes, parameters and bytes are read from layers that ran (torch %(version)s, on the meta device: shapes without memory); "
    "one sequence, no bias, the cache of all layers (%(layers)d).",
)
PICTURE = Text(zh="%(kind)s：谁读谁（1 = 读）", en="%(kind)s: who reads whom (1: reads)")
READ = Text(zh="读", en="reads")
QUERY_HEAD = Text(zh="查询头", en="query head")
KV_HEAD = Text(zh="键值头", en="key/value head")

READS = {
    "MHA": Text(
        zh="MHA：h_kv = h = %(h)d，每个查询头读自己的键值头：(%(reads)s)。",
        en="MHA: h_kv = h = %(h)d, and every query head reads its own: (%(reads)s).",
    ),
    "GQA": Text(
        zh="GQA：相邻的 %(group)d 个查询头一组，共用一个键值头。头 1 到头 %(h)d 依次读 (%(reads)s)：给每个键值头的值填上它的编号，看各查询头读出几，"
        "就是这串数。",
        en="GQA: neighbouring query heads share, in groups of %(group)d. Heads 1 to %(h)d read (%(reads)s). This is measured: the "
        "values of each K/V head are its own number, and every query head gives the number that it read.",
    ),
    "MQA": Text(
        zh="MQA：%(h)d 个查询头都读同一个键值头：(%(reads)s)。",
        en="MQA: all query heads, h = %(h)d, read the only K/V head: (%(reads)s).",
    ),
}
TILED = Text(
    zh="代码里要用 repeat_interleave。用 repeat 会读成 (%(tiled)s)：形状一样，头读错了。",
    en="The code needs repeat_interleave. With repeat they would read (%(tiled)s): the same shape, the wrong heads.",
)
COST = Text(
    zh="一个词元留下 2 · %(layers)d · %(kv)d · %(d_k)d · %(size)d = %(token)s 字节（键和值 · 层数 · h_kv · d_k · 一个数的字节）；"
    "N = %(n)s 时是 %(cache)s。",
    en="A token leaves 2 · %(layers)d · %(kv)d · %(d_k)d · %(size)d = %(token)s bytes behind (keys and values · layers · h_kv · "
    "d_k · bytes of a number); at N = %(n)s that is %(cache)s.",
)
SAVES = Text(
    zh="缓存是 MHA 的 %(ratio)s，MHA 要 %(cache)s。每层的 W^K 和 W^V 一共从 %(before)s 个数减到 %(after)s 个；W^Q 和 W^O 不变，"
    "每个查询头还有自己的查询、自己的权重图。",
    en="The cache is %(ratio)s of MHA's, which takes %(cache)s. W^K and W^V of a layer together shrink from %(before)s numbers to "
    "%(after)s; W^Q and W^O stay, and each query head keeps its own queries and its own map of weights.",
)
SAVES_NOTHING = Text(
    zh="这就是 MHA，什么也没省；每层的 W^K 和 W^V 一共 %(before)s 个数。",
    en="This is MHA and saves nothing; W^K and W^V of a layer together have %(before)s numbers.",
)
EQUAL = {
    "GQA": Text(
        zh="共用就是“同组的键值头完全相同”的 MHA：在小模型上（d_model = %(d_model)d，h = %(h)d，N = %(n)d，float64）输出的最大差是 %(tied)s；"
        "键值头各不相同的 MHA 与它差 %(untied)s。",
        en="Sharing is MHA whose K/V heads are alike within each group: on a small layer (d_model = %(d_model)d, h = %(h)d, N = %(n)d, "
        "float64) outputs differ by at most %(tied)s. From MHA whose heads all differ it is %(untied)s away.",
    ),
    "MQA": Text(
        zh="共用就是“所有键值头完全相同”的 MHA：在小模型上（d_model = %(d_model)d，h = %(h)d，N = %(n)d，float64）输出的最大差是 %(tied)s；"
        "键值头各不相同的 MHA 与它差 %(untied)s。",
        en="Sharing is MHA whose K/V heads are all alike: on a small layer (d_model = %(d_model)d, h = %(h)d, N = %(n)d, float64) "
        "outputs differ by at most %(tied)s. From MHA whose heads all differ it is %(untied)s away.",
    ),
}
JOIN = Text(zh="；", en="; ")
QUALITY = Text(
    zh="形状和字节不用训练就知道。键值头少了，模型会不会变差，要训练之后才比得出来，这里看不到。",
    en="Shapes and bytes can be known without training. Whether a model with fewer K/V heads is a worse one shows only after it, and "
    "not here.",
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
