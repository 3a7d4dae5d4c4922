"""Words that the views of the complexity lesson share."""

from dashboard.text import Text

TITLE = Text(zh="代价：多少计算，多少内存", en="What attention costs")
CLAIM = Text(
    zh="每个查询都要和每个键比一次，所以分数有 N² 个：句子长一倍，分数就是四倍。计算量和内存都由公式给出，精确到一次运算、一个字节；"
    "换一种做法，先看变的是系数，还是指数。",
    en="Every query is compared with every key, so there are N² scores: a text twice as long has four times as many. Formulas give "
    "FLOPs and bytes as exact whole numbers. When attention is done in another way, ask whether that changes a factor or the "
    "exponent.",
)

VIEW = Text(zh="看什么", en="View")
VIEW_HELP = Text(zh="每个按钮是一组实验。", en="Each button is a group of experiments.")
VIEWS: dict[str, Text] = {
    "growth": Text(zh="怎样增长", en="How it grows"),
    "limits": Text(zh="N 能有多长", en="How long N can be"),
    "measure": Text(zh="在这台机器上测", en="Measured here"),
    "decoding": Text(zh="逐个生成", en="Token by token"),
}
LEADS: dict[str, Text] = {
    "growth": Text(
        zh="选一个量，选让哪个大小变，看各种注意力怎样增长。两轴都是对数：线的斜率就是指数。",
        en="Choose a quantity and the size that grows, and compare ways to attend. Both axes are logarithmic: the slope of a "
        "line is the exponent.",
    ),
    "limits": Text(
        zh="填上你的内存和速度，看每种注意力能处理多长的序列。",
        en="Enter your memory and speed, and see how long a sequence each way to attend can take.",
    ),
    "measure": Text(
        zh="在服务器上真的跑一遍：同一个注意力，几种内核，时间和内存，点在公式线的哪里。",
        en="Run it on the server: one attention, several kernels, their time and memory beside what formulas foresee.",
    ),
    "decoding": Text(
        zh="写文本时，旧词元的键和值不会再变。把它们存下来（KV 缓存），新词元只问一遍过去；不存，每来一个词元就要整段重算。",
        en="While text is written, keys and values of old tokens do not change. Kept in a KV cache, they are asked once by each new "
        "token; without it the whole text so far is computed again for every token.",
    ),
}

VARIANTS: dict[str, Text] = {
    "full": Text(zh="完整", en="full"),
    "causal": Text(zh="因果（全算）", en="causal (dense)"),
    "causal_useful": Text(zh="因果（只算有用）", en="causal (useful)"),
    "fused": Text(zh="融合", en="fused"),
    "window": Text(zh="滑动窗口", en="window"),
    "block": Text(zh="分块", en="blocks"),
    "dilated": Text(zh="空洞窗口", en="dilated"),
    "linear": Text(zh="线性注意力", en="linear"),
    "low_rank": Text(zh="低秩", en="low rank"),
    "cached": Text(zh="KV 缓存（一步）", en="KV cache (one step)"),
}
MEANINGS: dict[str, Text] = {
    "full": Text(
        zh="每个查询对每个键，一步一步算，每一步的结果都存下来。",
        en="Every query with every key, step by step, each result stored.",
    ),
    "causal": Text(
        zh="加了因果掩码，但分数照样全部算出来，再遮住一半：和“完整”一样贵。",
        en="With a causal mask, but all scores are computed and nearly half of them then hidden: as dear as full.",
    ),
    "causal_useful": Text(
        zh="只算因果掩码留下的那些分数，N(N+1)/2 个。",
        en="Only the scores that a causal mask leaves, N(N+1)/2 of them.",
    ),
    "fused": Text(
        zh="结果和“完整”相同，但一小块一小块地算，分数从不整张存下来；每行只留一个 log-sum-exp。",
        en="The same result as full, made chunk by chunk: scores are never stored, of each row only its log-sum-exp.",
    ),
    "window": Text(
        zh="每个查询只看最近的 w 个键。按宽 w 的段来算，每段对自己和前一段。",
        en="A query sees the last w keys. Computed in chunks of w, each with itself and the one before.",
    ),
    "block": Text(
        zh="序列切成长 b 的块，每块只看自己。",
        en="The sequence is cut into blocks of b that see only themselves.",
    ),
    "dilated": Text(
        zh="每个查询看过去的 w 个键，每隔 s 个取一个。",
        en="A query sees w keys of the past, one in every s positions.",
    ),
    "linear": Text(
        zh="不算分数：用特征映射 φ，先把键和值乘成一个 d_k × d_v 的状态，每个查询再读它。",
        en="No scores: with a feature map φ keys and values make one state of d_k × d_v, which every query reads.",
    ),
    "low_rank": Text(
        zh="先把 N 个键和值压成 r 个，再照常算。",
        en="N keys and values are first made into r, then attended to as usual.",
    ),
    "cached": Text(
        zh="旧词元的键和值都存着，只为一个新词元算：一步的代价，不是整段的。h_kv 小于 h 就是 GQA。",
        en="Keys and values of old tokens are stored and one new token attends: the cost of one step, not of the whole text. With "
        "h_kv below h this is GQA.",
    ),
}

D_MODEL_HELP = Text(zh="词向量的宽度，要能被 h 整除。", en="Width of a token's vector; h has to divide it.")
BOX_HELPS = {
    "batch": Text(zh="一次几条序列，整数。", en="How many sequences at once; a whole number."),
    "n": Text(zh="每条序列有几个位置，整数。", en="How many positions a sequence has; a whole number."),
    "d_model": D_MODEL_HELP,
    "n_heads": Text(
        zh="要整除 d_model；每个头宽 d_k = d_model ÷ h。",
        en="It has to divide d_model; a head is d_k = d_model ÷ h wide.",
    ),
    "n_kv_heads": Text(
        zh="键和值有几个头，要整除 h。空着：和 h 一样多。",
        en="How many heads keys and values have; it has to divide h. Empty: as many as h.",
    ),
}
MORE_SIZES = Text(zh="更多尺寸：B、h_kv、e、w、b、s、r", en="More sizes: B, h_kv, e, w, b, s, r")
LAYERS = Text(zh="层数", en="layers")
LAYERS_HELP = Text(zh="1 到 1024 层，每层一样。", en="1 to 1024 equal layers.")
BYTES = Text(zh="e（一个数）", en="e (bytes of a number)")
BYTES_HELP = Text(zh="一个数占几个字节。", en="How many bytes a number takes.")
BYTES_OPTIONS = {
    "8": Text(zh="8 字节（float64）", en="8 (float64)"),
    "4": Text(zh="4 字节（float32）", en="4 (float32)"),
    "2": Text(zh="2 字节（半精度）", en="2 (half precision)"),
    "1": Text(zh="1 字节", en="1"),
}
WIDTH = Text(zh="w（窗口）", en="w (window)")
WIDTH_HELP = Text(
    zh="滑动窗口和空洞窗口里有几个键，连自己在内，1 到 65536。",
    en="Keys of a window and of a dilated window, the query's own among them, 1 to 65536.",
)
BLOCK = Text(zh="b（块长）", en="b (block)")
BLOCK_HELP = Text(zh="分块注意力里一块有几个位置，1 到 65536。", en="Positions of a block, 1 to 65536.")
DILATION = Text(zh="s（间隔）", en="s (dilation)")
DILATION_HELP = Text(
    zh="空洞窗口里相邻两个键隔几个位置，1 到 65536。",
    en="Positions from one key of a dilated window to the next, 1 to 65536.",
)
RANK = Text(zh="r（秩）", en="r (rank)")
RANK_HELP = Text(
    zh="低秩注意力把键压成几个，1 到 65536。", en="How many keys low-rank attention makes of all, 1 to 65536."
)

NOTE = Text(
    zh="全部由公式算出，是精确的整数，没有测量。一次乘加算 2 FLOPs，只计矩阵乘法；softmax、掩码、缩放不计。",
    en="All of this comes from formulas and is exact; nothing is measured. A multiply-add is 2 FLOPs, and only matrix products "
    "count: softmax, masks and scaling do not.",
)
SAID = Text(zh="读出什么", en="What to read off")
BETWEEN = Text(zh="、", en=", ")
JOIN = Text(zh="；", en="; ")
VARIANT = Text(zh="做法", en="variant")
PICK_KEYS = Text(
    zh="点一行看它是什么、公式怎么来，或用方向键和回车",
    en="click or tap a row for what it is and its formula; arrow keys, Enter",
)
