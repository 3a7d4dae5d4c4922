"""Words of the view that writes a text token by token, with a cache of keys and values and without."""

from dashboard.text import Text

N = Text(zh="N（词元）", en="N (tokens)")
N_WRONG = Text(zh="⚠ N（词元）", en="⚠ N (tokens)")
N_HELP = Text(
    zh="这段文本要写多长，整数。公式多长都算；真的写一遍，最多 1024 个词元。",
    en="How long the text gets; a whole number. Formulas take any; a run here writes at most 1024 tokens.",
)
CACHE = Text(zh="缓存", en="cache")
CACHE_HELP = Text(
    zh="预留：一开始就给整段文本留好位置。逐步加长：每写一个词元，就搬进一块长一格的张量。滚动：只留最近 w 个词元，新的盖掉最旧的。",
    en="Reserved: room for the whole text is there from the start. Growing: with each token all moves into a tensor one longer. "
    "Rolling: the last w tokens are kept, and a new one takes the place of the oldest.",
)
CACHES = {
    "reserved": Text(zh="预留", en="reserved"),
    "growing": Text(zh="逐步加长", en="growing"),
    "rolling": Text(zh="滚动", en="rolling"),
}
WINDOWED = Text(zh="滑动窗口", en="window")
WINDOWED_HELP = Text(
    zh="打开后，每个词元只看最近 w 个，连自己在内。",
    en="With it on, a token sees the last w tokens, itself among them.",
)
WIDTH = Text(zh="w（窗口）", en="w (window)")
WIDTH_HELP = Text(
    zh="窗口里有几个词元，连自己在内，1 到 65536。",
    en="Tokens of the window, the token itself among them, 1 to 65536.",
)
DTYPE_HELP = Text(
    zh="每个数占几个字节、舍入有多大，都由它决定。处理器算 float16 很慢。",
    en="It decides how many bytes a number takes and how coarse rounding is. Processors are slow in float16.",
)
TOKEN = Text(zh="打开哪个词元的一步", en="token whose step is opened")
TOKEN_HELP = Text(
    zh="从 1 数起。换一个词元，看它问了哪些键，往缓存里写了什么。也可以在下面的表里点一行。",
    en="Counted from 1. See which keys it asks and what it writes to the cache; or pick a row of the table below.",
)
NO_WINDOW = Text(
    zh="滚动缓存只留窗口里的 w 个词元，所以要有窗口；现在的缓存是“滚动”，窗口是关着的。",
    en="A rolling cache keeps the w tokens of a window, so there has to be a window; the cache is “rolling” and the window is off.",
)
TAKE_WINDOW = Text(zh="打开窗口，w = %(w)s", en="Window on, w = %(w)s")
TAKE_RESERVED = Text(zh="改用“预留”", en="Take “reserved”")

WITH = Text(zh="有缓存", en="with the cache")
WITHOUT = Text(zh="没有缓存", en="without")
WAYS = {
    True: Text(zh="有缓存", en="With the cache"),
    False: Text(zh="没有缓存", en="Without a cache"),
}
FORM = Text(zh="做法", en="way")
T_AXIS = Text(zh="第 t 个词元", en="token t")
FLOPS_AXIS = Text(zh="写这个词元的 FLOPs（公式）", en="FLOPs of this token (formula)")
MARK = Text(zh="t = %(t)s", en="t = %(t)s")
FLOPS_ALT = Text(
    zh="折线图，两轴都是对数，由公式算出：写第 t 个词元要多少 FLOPs，t 从 1 到 %(n)s。有缓存：从 %(cached_first)s 到 %(cached_last)s；"
    "没有缓存：从 %(again_first)s 到 %(again_last)s。竖线在 t = %(t)s。",
    en="Lines on logarithmic axes, by formula: FLOPs of token t, from t = 1 to %(n)s. With the cache from %(cached_first)s to "
    "%(cached_last)s; without from %(again_first)s to %(again_last)s. A rule stands at t = %(t)s.",
)
FLOPS_TITLE = Text(zh="每个词元的 FLOPs", en="FLOPs of each token")

NOTE = Text(
    zh="这里都由公式算出，一层，一条序列（B = 1）。一次乘加算 2 FLOPs，只计矩阵乘法。没有缓存，就是每来一个词元把前面整段重算一遍：上面还有"
    "别的层时，它们要用每个位置的结果，所以不能只算最后一行。",
    en="By formula, for one layer and one sequence (B = 1). A multiply-add is 2 FLOPs, and only matrix products count. Without a cache "
    "every new token has the whole text so far computed again: layers above need the result at every position, so the last row "
    "alone would not do.",
)
TABLE = Text(
    zh="写第 t 个词元（公式）：N = %(n)s，d_model = %(d_model)s，h = %(h)s，h_kv = %(kv)s",
    en="Writing token t (formula): N = %(n)s, d_model = %(d_model)s, h = %(h)s, h_kv = %(kv)s",
)
PICK_KEYS = Text(
    zh="点一行打开那一步，或用方向键和回车", en="click or tap a row to open its step; arrow keys, Enter"
)
COLUMNS = {
    "asked": Text(zh="问的键", en="keys asked"),
    "cached": Text(zh="有缓存（FLOPs）", en="with the cache, FLOPs"),
    "again": Text(zh="没有缓存（FLOPs）", en="without, FLOPs"),
    "ratio": Text(zh="几倍", en="times"),
}

STEP = Text(zh="打开第 %(t)s 个词元的一步", en="The step of token %(t)s, opened")
SEES_ONE = Text(zh="它只问 1 个键：自己的。", en="It asks 1 key: its own.")
SEES_ALL = Text(
    zh="它问 %(asked)s 个键：第 %(first)s 到第 %(t)s 个词元的，连自己在内。",
    en="It asks %(asked)s keys: those of tokens %(first)s to %(t)s, its own among them.",
)
SEES_SOME = Text(
    zh="缓存里有 %(asked)s 个键，分数全都算；窗口外的 %(hidden)s 个再遮住，剩下第 %(first)s 到第 %(t)s 个词元的 %(seen)s 个。",
    en="The cache holds %(asked)s keys, and all their scores are computed. Of these the window hides %(hidden)s, which leaves "
    "%(seen)s: tokens %(first)s to %(t)s.",
)
WROTE = {
    "reserved": Text(
        zh="写进缓存：它自己的 k 和 v，各 (h_kv, 1, d_k) = %(new)s，放在 %(slots)s 格里的第 %(slot)s 格。K 和 V 从头到尾都是 %(after)s。",
        en="Written to the cache: its own k and v, (h_kv, 1, d_k) = %(new)s each, into slot %(slot)s of %(slots)s. K and V are "
        "%(after)s from the first token to the last.",
    ),
    "growing": Text(
        zh="写进缓存：它自己的 k 和 v，各 (h_kv, 1, d_k) = %(new)s，接在末尾。K 和 V 各从 %(before)s 变成 %(after)s，旧的内容全要搬一次。",
        en="Written to the cache: its own k and v, (h_kv, 1, d_k) = %(new)s each, at the end. K and V go from %(before)s to %(after)s "
        "each, and all that was in them is copied.",
    ),
    "rolling": Text(
        zh="写进缓存：它自己的 k 和 v，各 (h_kv, 1, d_k) = %(new)s，放在 %(slots)s 格里的第 %(slot)s 格，那里还空着。K 和 V 一直是 %(after)s。",
        en="Written to the cache: its own k and v, (h_kv, 1, d_k) = %(new)s each, into slot %(slot)s of %(slots)s, which was "
        "empty. K and V stay %(after)s.",
    ),
    "over": Text(
        zh="写进缓存：它自己的 k 和 v，各 (h_kv, 1, d_k) = %(new)s，放在 %(slots)s 格里的第 %(slot)s 格，盖掉第 %(pushed)s 个词元的，那个已经在窗口外。"
        "K 和 V 一直是 %(after)s。",
        en="Written to the cache: its own k and v, (h_kv, 1, d_k) = %(new)s each, into slot %(slot)s of %(slots)s, over those of "
        "token %(pushed)s, which no window reaches any more. K and V stay %(after)s.",
    ),
}
SLOTS = Text(
    zh="第 %(t)s 个词元这一步之后，缓存的每一格存着谁",
    en="Whose key and value each slot holds after token %(t)s",
)
SLOTS_ROW = Text(zh="缓存", en="cache")
SLOT = Text(zh="格", en="slot")
NOT_ASKED = Text(zh="空着，或被窗口遮住", en="empty, or hidden by the window")
JUST_WRITTEN = Text(zh="这一步写的", en="written by this step")
SHAPES = Text(
    zh="形状：x %(x)s → q (h, 1, d_k) = %(q)s；读 K、V 各 (h_kv, M, d_k) = %(read)s；分数和权重 (h, 1, M) = %(scores)s；输出 %(x)s。",
    en="Shapes: x %(x)s → q (h, 1, d_k) = %(q)s; K and V are read as (h_kv, M, d_k) = %(read)s each; scores and weights (h, 1, M) = "
    "%(scores)s; output %(x)s.",
)
SHAPES_AGAIN = Text(
    zh="没有缓存：x %(x)s，t 行全部再投影一遍，分数 (h, t, t) = %(scores)s，最后只要 1 行。",
    en="Without a cache: x %(x)s, all t rows are projected again, scores (h, t, t) = %(scores)s, and 1 row is wanted.",
)
STEP_FLOPS = Text(
    zh="%(way)s：%(formula)s = %(value)s FLOPs，这里 %(meaning)s。",
    en="%(way)s: %(formula)s = %(value)s FLOPs, where %(meaning)s.",
)
N_IS_KEYS = Text(zh="N 是问的键，%(n)s 个", en="N is the keys asked, %(n)s")
N_IS_TOKENS = Text(zh="N 是到此为止的词元，%(n)s 个", en="N is the tokens so far, %(n)s")

HELD = Text(
    zh="写完 N 个词元，缓存有 %(bytes)s 字节%(about)s",
    en="After N tokens the cache has %(bytes)s bytes%(about)s",
)
ABOUT = Text(zh="（%(readable)s）", en=" (%(readable)s)")
HELD_FORMULA = Text(
    zh="%(formula)s = %(numbers)s = %(value)s 字节", en="%(formula)s = %(numbers)s = %(value)s bytes"
)
FACTORS = {
    "2": Text(zh="2：键一份，值一份", en="2: keys and values"),
    "layers": Text(zh="layers：层数", en="layers: attention layers"),
    "B": Text(zh="B：序列数", en="B: sequences"),
    "h_kv": Text(zh="h_kv：键值头数", en="h_kv: heads of keys and values"),
    "d_k": Text(zh="d_k：一个头的宽度，d_model ÷ h", en="d_k: width of a head, d_model ÷ h"),
    "N": Text(zh="N：词元数", en="N: tokens"),
    "w": Text(zh="w：窗口里的词元数", en="w: tokens of the window"),
    "e": Text(zh="e：一个数的字节", en="e: bytes of a number"),
}
ROLLING_SAVES = Text(
    zh="滚动缓存只留 w = %(w)s 个词元，省下 %(saved)s 字节：整段要 %(whole)s，是它的 %(times)s 倍。条件是窗口不超过 w。",
    en="The rolling cache keeps w = %(w)s tokens and saves %(saved)s bytes: the whole text takes %(whole)s, %(times)s times as much. It "
    "needs a window of at most w.",
)
ROLLING_SAVES_NOTHING = Text(
    zh="窗口 w = %(w)s 不比 N = %(n)s 短，滚动缓存装的是整段，什么也没省。",
    en="The window, w = %(w)s, is no shorter than N = %(n)s: the rolling cache holds the whole text and saves nothing.",
)
ROLLING_WOULD_SAVE = Text(
    zh="有窗口 w = %(w)s，换成滚动缓存只要 %(kept)s 字节，省下 %(saved)s；每个词元也至多问 w 个键。",
    en="With the window of w = %(w)s a rolling cache would take %(kept)s bytes, %(saved)s less, and no token would ask more than w keys.",
)
ROLLING_NEEDS = Text(
    zh="没有窗口，最后一个词元还要问第 1 个，缓存一个也不能丢；滚动缓存要有窗口才行。",
    en="Without a window the last token still asks the first, so nothing may be dropped: a rolling cache needs a window.",
)
SHARED = Text(
    zh="%(kv)s 个键值头由 %(h)s 个查询头共用；要是各有各的，缓存是 %(times)s 倍，%(all)s 字节。",
    en="Query heads (%(h)s) share key/value heads (%(kv)s). With one for each the cache would be %(times)s times as large, %(all)s bytes.",
)
SHARED_ONE = Text(
    zh="只有 1 个键值头，由 %(h)s 个查询头共用；要是各有各的，缓存是 %(times)s 倍，%(all)s 字节。",
    en="Query heads (%(h)s) share a single key/value head. With one for each the cache would be %(times)s times as large, %(all)s bytes.",
)
TOTAL = Text(
    zh="整段 %(n)s 个词元：有缓存共 %(cached)s FLOPs，没有缓存共 %(again)s，是 %(times)s 倍。",
    en="All %(n)s tokens: %(cached)s FLOPs with the cache, %(again)s without, %(times)s times as many.",
)
TOTAL_ONE = Text(
    zh="只有 1 个词元：没有过去可存，两种做法都是 %(cached)s FLOPs。",
    en="With 1 token there is no past to keep: both ways take %(cached)s FLOPs.",
)
GROWS = Text(
    zh="t 从 %(half)s 到 %(last)s，长了一倍：有缓存的一步变成 %(cached)s 倍，没有缓存的变成 %(again)s 倍。t 很大时趋于 %(cached_far)s 倍和 %(again_far)s 倍："
    "一个随 %(cached_power)s，另一个随 t² 增长。",
    en="From t = %(half)s to %(last)s the text doubles: a step becomes %(cached)s times as dear with the cache and %(again)s times without. "
    "Far out these come to %(cached_far)s and %(again_far)s: one goes with %(cached_power)s, the other with t².",
)
PROJECTIONS_FIRST = Text(
    zh="现在还差得远：四次投影与 t 无关地每行都要做，t 不到 %(crossing)s 时，它们比分数和加权求和还多。",
    en="The text is still too short for that: each row has its four projections, however long the past is, and up to t = %(crossing)s "
    "they take more FLOPs than scores and weighted sums.",
)
POWER_T = Text(zh="t 增长", en="t")
POWER_NONE = Text(zh="w，不再随 t 变", en="w and no longer with t")

QUESTION = Text(
    zh="文本再长一倍，从 %(n)s 到 %(twice)s 个词元：缓存变成几倍？写最后一个词元的 FLOPs，有缓存和没有缓存各变成几倍？",
    en="The text gets twice as long, from %(n)s tokens to %(twice)s. By what factor does the cache grow? And the FLOPs of the last token, "
    "with the cache and without?",
)
ANSWER_CACHE = Text(
    zh="缓存从 %(before)s 到 %(after)s 字节，%(times)s 倍。",
    en="The cache goes from %(before)s to %(after)s bytes, %(times)s times.",
)
ANSWER_SAME = Text(
    zh="缓存不变，还是 %(before)s 字节：只留窗口里的 w = %(w)s 个词元。",
    en="The cache stays at %(before)s bytes: it keeps the w = %(w)s tokens of the window alone.",
)
ANSWER_STEP = Text(
    zh="%(way)s：从 %(before)s 到 %(after)s FLOPs，%(times)s 倍。",
    en="%(way)s: from %(before)s to %(after)s FLOPs, %(times)s times.",
)

TOO_MUCH = {
    "d_model": Text(
        zh="真的写一遍，d_model 最多 %(most)s，现在是 %(value)s。公式照样成立。",
        en="For a run d_model may be at most %(most)s and is %(value)s. The formulas hold all the same.",
    ),
    "n": Text(
        zh="真的写一遍，N 最多 %(most)s，现在是 %(value)s；这样的宽度和头数，能写的最长是 N = %(nearest)s。公式照样成立。",
        en="For a run N may be at most %(most)s and is %(value)s; at this width and with these heads the longest text is N = %(nearest)s. The formulas hold all the same.",
    ),
    "flops": Text(
        zh="真的写一遍太久：没有缓存的一边共要 %(value)s FLOPs，%(dtype)s 在这里最多 %(most)s。能写的最长是 N = %(nearest)s。",
        en="A run would take too long: without the cache it computes %(value)s FLOPs in all; in %(dtype)s at most %(most)s may be. The longest "
        "text is N = %(nearest)s.",
    ),
    "scores": Text(
        zh="真的写一遍太久：没有缓存的一边共要算 %(value)s 个分数，这里最多 %(most)s 个。能写的最长是 N = %(nearest)s。",
        en="A run would take too long: without the cache it computes %(value)s scores in all, and at most %(most)s may be. The longest "
        "text is N = %(nearest)s.",
    ),
}
RUN_LEAD = Text(
    zh="真的写一遍：随机的词元，一层随机初始化的注意力，每个词元有缓存、没有缓存各算一次，分别计时。",
    en="Write it on this server: random tokens, one layer with random weights, each token once with the cache and once without, both timed.",
)
MEASURED_AT = Text(
    zh="这次测的是 N = %(n)s，d_model = %(d_model)s，h = %(h)s，h_kv = %(kv)s，%(window)s，缓存“%(cache)s”，%(dtype)s；"
    "一层，一条序列，种子 %(seed)s。",
    en="Measured with N = %(n)s, d_model = %(d_model)s, h = %(h)s, h_kv = %(kv)s, %(window)s, cache “%(cache)s”, %(dtype)s; one layer, "
    "one sequence, seed %(seed)s.",
)
AT_WINDOW = Text(zh="窗口 w = %(w)s", en="window w = %(w)s")
AT_NO_WINDOW = Text(zh="没有窗口", en="no window")
MOVED = Text(
    zh="上面测的不是现在这组设置。",
    en="What is measured above is not what the controls say now.",
)
TIME_AXIS = Text(zh="写一个词元的时间（µs，实测）", en="time of a token, µs (measured)")
MIDDLE_AXIS = Text(zh="第 t 个词元（每段正中）", en="token t (middle of each stretch)")
TIMES_ALT = Text(
    zh="折线图，两轴都是对数，实测：写一个词元的时间（µs）。每个点是一段词元的中位数，竖线从最快到最慢。有缓存：第 %(first)s 个到第 %(last)s 个"
    "词元，从 %(cached_first)s 到 %(cached_last)s；没有缓存：从 %(again_first)s 到 %(again_last)s。",
    en="Lines on logarithmic axes, measured: time of a token in µs. Each point is the median of a stretch of tokens, its bar goes from the "
    "fastest to the slowest. With the cache, tokens %(first)s to %(last)s: from %(cached_first)s to %(cached_last)s; without: from "
    "%(again_first)s to %(again_last)s.",
)
TIMES = Text(zh="写一个词元的时间（实测，µs）", en="Time of a token (measured, µs)")
TIME_COLUMNS = {
    "cached": Text(zh="有缓存", en="with the cache"),
    "cached_ends": Text(zh="最快–最慢", en="fastest–slowest"),
    "again": Text(zh="没有缓存", en="without"),
    "again_ends": Text(zh="最快–最慢", en="fastest–slowest"),
    "ratio": Text(zh="几倍", en="times"),
}
ROW = Text(zh="词元", en="tokens")
TOOK_SO_FAR = Text(
    zh="写了 %(n)s 个词元，共 %(all)s 个：有缓存用了 %(cached)s 秒，没有缓存用了 %(again)s 秒，是 %(times)s 倍。",
    en="Tokens written: %(n)s of %(all)s. With the cache they took %(cached)s s, without %(again)s s: %(times)s times as long.",
)
TOOK = Text(
    zh="写完 %(n)s 个词元：有缓存用了 %(cached)s 秒，没有缓存用了 %(again)s 秒，是 %(times)s 倍。按公式，FLOPs 是 %(flops)s 倍。",
    en="Tokens written: all %(n)s. With the cache they took %(cached)s s, without %(again)s s: %(times)s times as long. FLOPs, by formula: "
    "%(flops)s times as many.",
)
DOUBLED = Text(
    zh="t 从 %(a)s 到 %(b)s，文本长了一倍。时间的中位数：有缓存变成 %(cached)s 倍（FLOPs %(cached_flops)s 倍），没有缓存变成 %(again)s 倍"
    "（FLOPs %(again_flops)s 倍）。时间不一定跟着 FLOPs 走：每次调用本身也要时间，与长度无关；大矩阵又放不进处理器的高速缓存。",
    en="From t = %(a)s to t = %(b)s the text doubles. Median times: %(cached)s times with the cache (FLOPs %(cached_flops)s times), "
    "%(again)s times without (FLOPs %(again_flops)s times). Time need not follow FLOPs: each call takes some "
    "time of its own, whatever the length, and large matrices do not fit into the caches of a processor.",
)
SAME = Text(
    zh="输出相同：有缓存与重算最多差 %(difference)s，与整段一次算完最多差 %(whole)s。%(dtype)s 的 1 与下一个数相差 %(eps)s，这是舍入。",
    en="The outputs are the same: with the cache and recomputed they differ by at most %(difference)s, with the cache and in one causal "
    "pass by at most %(whole)s. In %(dtype)s the number after 1 is %(eps)s away: this is rounding.",
)
NOT_SAME = Text(
    zh="有缓存与重算最多差 %(difference)s，与整段一次算完最多差 %(whole)s；%(dtype)s 的 1 与下一个数相差 %(eps)s，这比舍入大。",
    en="With the cache and recomputed, outputs differ by at most %(difference)s, with the cache and in one causal pass by at most "
    "%(whole)s. In %(dtype)s the number after 1 is %(eps)s away: this is more than rounding.",
)
FAULT = Text(
    zh="常见的错：每步只送来一个词元，位置就都当成 0。这样写，输出最多差 %(restarted)s，不是舍入。位置要接着往下数。",
    en="A known fault: each step brings one token, and every token is given position 0. Outputs are then off by as much as %(restarted)s, "
    "which is no rounding. Positions have to count on.",
)
FAULT_HIDDEN = Text(
    zh="常见的错：每步只送来一个词元，位置就都当成 0。只写 1 个词元看不出来，它的位置本来就是 0。",
    en="A known fault: each step brings one token, and every token is given position 0. With 1 token it does not show: its position is 0.",
)
BYTES_SAME = Text(
    zh="缓存的两个张量实有 %(found)s 字节，公式 %(formula)s = %(numbers)s = %(expected)s，一样。",
    en="The two tensors of the cache have %(found)s bytes, and %(formula)s = %(numbers)s = %(expected)s: the same.",
)
BYTES_OTHER = Text(
    zh="缓存的两个张量实有 %(found)s 字节，公式 %(formula)s = %(numbers)s = %(expected)s，不一样。",
    en="The two tensors of the cache have %(found)s bytes, but %(formula)s = %(numbers)s = %(expected)s: not the same.",
)
