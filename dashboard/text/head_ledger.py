"""Words of the shape ledger: sizes and what is wrong with them, rows, totals, readings, handouts."""

from dashboard.text import Text

PRESETS = {
    "notes": Text(zh="小例子", en="a small example"),
    "gpt2_small": Text(zh="GPT-2 small", en="GPT-2 small"),
    "bert_base": Text(zh="BERT base", en="BERT base"),
    "llama3_8b": Text(zh="仿 Llama-3-8B", en="Llama-3-8B-like"),
}
# By whether a rule is broken in which the size takes part.
BOXES = {
    "batch": (Text(zh="B（句数）", en="B (batch)"), Text(zh="⚠ B（句数）", en="⚠ B (batch)")),
    "n": (Text(zh="N（位置）", en="N (positions)"), Text(zh="⚠ N（位置）", en="⚠ N (positions)")),
    "d_model": (Text(zh="d_model", en="d_model"), Text(zh="⚠ d_model", en="⚠ d_model")),
    "n_heads": (Text(zh="h（头数）", en="h (heads)"), Text(zh="⚠ h（头数）", en="⚠ h (heads)")),
    "n_kv_heads": (Text(zh="h_kv", en="h_kv"), Text(zh="⚠ h_kv", en="⚠ h_kv")),
}
BOX_HELPS = {
    "batch": Text(zh="一次送进来几句，整数。", en="How many sequences come in at once; a whole number."),
    "n": Text(zh="每句有几个位置，整数。", en="How many positions a sequence has; a whole number."),
    "d_model": Text(
        zh="每个位置的向量有多宽，要能被 h 整除。",
        en="How wide the vector of a position is; h has to divide it.",
    ),
    "n_heads": Text(
        zh="拆成几个头，要整除 d_model。可以填不合法的数，看断在哪一行。",
        en="Into how many heads it is cut; it has to divide d_model. Try an illegal number and see which row breaks.",
    ),
    "n_kv_heads": Text(
        zh="键和值有几个头，要整除 h。空着：和 h 一样多。",
        en="How many heads keys and values have; it has to divide h. Empty: as many as h.",
    ),
}
WHOLE = Text(zh="整数", en="a whole number")
AS_MANY = Text(zh="同 h", en="as h")
LAYERS = Text(zh="层数", en="layers")
LAYERS_HELP = Text(
    zh="模型里有几层这样的注意力。只影响下面的总数。",
    en="How many such layers the model has. Only the totals below depend on it.",
)
BIAS = Text(zh="偏置", en="bias")
BIAS_HELP = Text(
    zh="四次投影之后各加一个向量。GPT-2 和 BERT 有，Llama 没有。",
    en="A vector is added after each of the four projections. GPT-2 and BERT have it, Llama does not.",
)
DTYPE = Text(zh="数的类型", en="type of the numbers")
DTYPE_HELP = Text(
    zh="每个数占几个字节由它决定。半精度时分数用 float32 计算，S 那两行因此更大。",
    en="It decides how many bytes a number takes. In half precision scores are computed in float32, so the rows of S take more.",
)

FAULTS = {
    "unread": Text(
        zh="%(sign)s 要填一个整数，填的是 %(given)s。",
        en="%(sign)s has to be a whole number; %(given)s was given.",
    ),
    "at_least_one": Text(
        zh="%(sign)s 至少是 %(bound)s，填的是 %(given)s。",
        en="%(sign)s has to be at least %(bound)s; %(given)s was given.",
    ),
    "at_most": Text(
        zh="%(sign)s 在这里最多 %(bound)s，填的是 %(given)s。",
        en="%(sign)s may be at most %(bound)s here; %(given)s was given.",
    ),
    "heads_divide_width": Text(
        zh="h 要整除 d_model：%(first)d ÷ %(second)d 余 %(rest)d，拆不成 %(second)d 个一样宽的头。",
        en="h has to divide d_model: %(first)d ÷ %(second)d leaves %(rest)d, so it cannot be cut into %(second)d heads of "
        "equal width.",
    ),
    "kv_heads_divide_heads": Text(
        zh="h_kv 要整除 h：%(first)d ÷ %(second)d 余 %(rest)d，%(first)d 个查询头没法平均分给 %(second)d 个键值头。",
        en="h_kv has to divide h: %(first)d ÷ %(second)d leaves %(rest)d, so query heads (%(first)d) cannot share K/V heads "
        "(%(second)d) evenly.",
    ),
}
BREAKS_AT = Text(zh="断在第 %(place)d 行 %(symbol)s。", en="It breaks at row %(place)d, %(symbol)s.")

NOTE = Text(
    zh="形状、步长、字节都读自跑过的层（torch %(version)s，meta 设备：张量只有形状、不存数，多大都能跑）。",
    en="Shapes, strides and bytes are read from a layer that ran (torch %(version)s, on the meta device: its tensors have shapes "
    "and hold no numbers, so that any size runs).",
)
NOTE_STRIDES = Text(
    zh="步长：沿某一维走一格，内存里要跳过几个数。FLOPs 只计矩阵乘法，一次乘加算 2；缩放、softmax、加偏置不计。",
    en="Strides: how many numbers in memory one step along each axis skips. FLOPs are those of matrix products, 2 for a multiply-add; "
    "scaling, softmax and adding a bias are not counted.",
)
NOTE_BROKEN = Text(
    zh="这组大小不合法，什么都没有跑，也没有换成别的值。断点之前的行只有符号形状。",
    en="These sizes are not legal: nothing ran, with these or with other values. Rows before the break have symbols alone.",
)
WIDTH = Text(
    zh="每个头宽 d_k = d_model ÷ h = %(d_model)d ÷ %(h)d = %(d_k)d，键和值有 h_kv = %(kv)d 个头。",
    en="A head is d_k = d_model ÷ h = %(d_model)d ÷ %(h)d = %(d_k)d wide; keys and values have h_kv = %(kv)d of them.",
)
ORDER = Text(
    zh="要记住的顺序：拆分 %(q)s → %(cut)s，转置 → %(heads)s，注意力 → 权重 %(weights)s、输出 %(out)s，"
    "转置回来 → %(turned)s，合并 → %(merged)s，乘 W^O → %(y)s。",
    en="The order to remember: split %(q)s → %(cut)s, transpose → %(heads)s, attend → weights %(weights)s and output %(out)s, "
    "transpose back → %(turned)s, merge → %(merged)s, times W^O → %(y)s.",
)

TABLE = Text(zh="账本：一步一行", en="The ledger: a row a step")
TABLE_PRESET = Text(zh="账本：%(preset)s 的一层注意力", en="The ledger: one attention layer of %(preset)s")
TABLE_BROKEN = Text(
    zh="账本：断在第 %(place)d 行 %(symbol)s", en="The ledger: it breaks at row %(place)d, %(symbol)s"
)
STEP = Text(zh="步骤", en="step")
ROW = Text(zh="%(symbol)s · %(name)s", en="%(symbol)s · %(name)s")
COLUMNS = {
    "axes": Text(zh="符号形状", en="shape, symbols"),
    "shape": Text(zh="实际形状", en="shape, as run"),
    "strides": Text(zh="步长", en="strides"),
    "is_contiguous": Text(zh="连续", en="contiguous"),
    "elements": Text(zh="元素", en="elements"),
    "bytes": Text(zh="字节", en="bytes"),
    "parameters": Text(zh="参数", en="parameters"),
    "flops": Text(zh="FLOPs", en="FLOPs"),
}
NOT_COUNTED = Text(zh="不计", en="not counted")
YES = Text(zh="是", en="yes")
NO = Text(zh="否", en="no")
PICK_KEYS = Text(
    zh="点一行看它的代码，或用方向键和回车", en="click or tap a row for its code; arrow keys, Enter"
)
NO_SHAPE = Text(zh="没有形状", en="has no shape")
STEPS = {
    "x": Text(zh="输入", en="input"),
    "q": Text(zh="查询", en="queries"),
    "k": Text(zh="键", en="keys"),
    "v": Text(zh="值", en="values"),
    "q_cut": Text(zh="查询，拆分", en="queries, split"),
    "k_cut": Text(zh="键，拆分", en="keys, split"),
    "v_cut": Text(zh="值，拆分", en="values, split"),
    "q_heads": Text(zh="查询，转置", en="queries, transposed"),
    "k_heads": Text(zh="键，转置", en="keys, transposed"),
    "v_heads": Text(zh="值，转置", en="values, transposed"),
    "k_repeated": Text(zh="键，重复", en="keys, repeated"),
    "v_repeated": Text(zh="值，重复", en="values, repeated"),
    "scores": Text(zh="分数", en="scores"),
    "scaled": Text(zh="缩放后的分数", en="scaled scores"),
    "weights": Text(zh="权重", en="weights"),
    "out_heads": Text(zh="各头的输出", en="output by head"),
    "turned": Text(zh="转置回来", en="transposed back"),
    "merged": Text(zh="合并", en="merged"),
    "out": Text(zh="乘 W^O", en="times W^O"),
}
# What a step does, by its name; those of q, k and v share one.
MEANINGS = {
    "x": Text(
        zh="B 句话，每句 N 个位置，每个位置一个宽 d_model 的向量。",
        en="B sequences of N positions, each a vector of d_model.",
    ),
    "project": Text(
        zh="所有的头用一个大矩阵一次投影出来，还没有分开。",
        en="One large matrix projects for all heads at once; they are not apart yet.",
    ),
    "cut": Text(
        zh="只把最后一维改成两维：头和头里的宽度。数一个也没动，每个头是连在一起的 d_k 个数。",
        en="The last axis becomes two, head and width in a head. No number moves: a head is d_k neighbouring numbers.",
    ),
    "heads": Text(
        zh="把头换到位置前面：最后两维是 [N, d_k]，矩阵乘法只看最后两维，于是每个头各算各的。只换步长，数没有搬。",
        en="The head axis goes before the positions, and [N, d_k] come last: a matrix product works on the last two axes, so each "
        "head is computed by itself. Only strides change places; no number moves.",
    ),
    "repeated": Text(
        zh="每个键值头照抄 h ÷ h_kv 份，让每个查询头都有一个可读。",
        en="Each K/V head is copied h ÷ h_kv times, so that every query head has one to read.",
    ),
    "scores": Text(
        zh="每个头里，每个查询和每个键做点积，N × N 个数。",
        en="In every head each query meets each key in a dot product: N × N numbers.",
    ),
    "scaled": Text(zh="除以 √d_k，形状不变。", en="Divided by √d_k; the shape stays."),
    "weights": Text(
        zh="沿最后一维（键）做 softmax，每一行的和是 1。",
        en="Softmax along the last axis, the keys: every row sums to 1.",
    ),
    "out_heads": Text(
        zh="每个头用自己的权重混合自己的值。", en="Each head mixes its own values by its own weights."
    ),
    "turned": Text(
        zh="位置换回到头的前面，这样一个位置的 h 段能挨在一起。漏了这一步，合并的形状照样对，但只要头和位置都不止一个，数就错了。",
        en="Positions go before heads again, so that the h pieces of one position meet. Without this step the merge has the right "
        "shape and, with more than one head and one position, wrong numbers.",
    ),
    "merged": Text(
        zh="h 段首尾相接，拼成宽 h·d_k 的一个向量。",
        en="The h pieces are joined end to end into one vector of h·d_k.",
    ),
    "out": Text(
        zh="W^O 把各头的结果混合，回到宽度 d_model。",
        en="W^O mixes what the heads found, back at the width d_model.",
    ),
}
PICKED = Text(
    zh="第 %(place)d 行 · %(symbol)s · %(name)s：%(line)s",
    en="Row %(place)d · %(symbol)s · %(name)s: %(line)s",
)
SHAPE_SYMBOLS = Text(zh="形状 %(axes)s，没有跑。", en="Shape %(axes)s; it did not run.")
COUNT = Text(
    zh="元素：%(sides)s = %(elements)s，每个 %(size)d 字节（%(dtype)s）。",
    en="Elements: %(sides)s = %(elements)s, at %(size)d bytes each (%(dtype)s).",
)
SHARES = Text(
    zh="这 %(bytes)s 字节就是 %(owner)s 的内存，没有另占。",
    en="All %(bytes)s bytes are in the memory of %(owner)s.",
)
OWNS = Text(zh="共 %(bytes)s 字节，自己占一块内存。", en="In all %(bytes)s bytes, in memory of its own.")
PARAMETERS_OF = Text(
    zh="参数：%(inner)s · %(width)s = %(all)s。", en="Parameters: %(inner)s · %(width)s = %(all)s."
)
PARAMETERS_WITH_BIAS = Text(
    zh="参数：%(inner)s · %(width)s + %(width)s（偏置）= %(all)s。",
    en="Parameters: %(inner)s · %(width)s + %(width)s (bias) = %(all)s.",
)
FLOPS_OF = Text(
    zh="FLOPs：2 · %(elements)s · %(inner)s = %(all)s（2 · 元素 · 每个元素的乘加次数）。",
    en="FLOPs: 2 · %(elements)s · %(inner)s = %(all)s (2 · elements · multiply-adds for each).",
)
FLOPS_NOT_COUNTED = Text(
    zh="FLOPs 不计这一步：只计矩阵乘法。", en="Its FLOPs are not counted: only matrix products are."
)
# Where a step leads on, and the question that is answered there.
LINKS = {
    "projections": Text(zh="用一个大矩阵，还是 h 个小的？", en="One large matrix, or h small ones?"),
    "shared": Text(zh="键和值的头可以更少吗？", en="Can keys and values do with fewer heads?"),
    "faults": Text(zh="这一步写错会怎样？", en="What if this step is written wrongly?"),
    "heads": Text(zh="每个头看什么？", en="What do heads look at?"),
    "output": Text(zh="W^O 混合什么？", en="What does W^O mix?"),
}

SPLIT_BEFORE = Text(
    zh="拆分：q = 0 … %(last)d，一种颜色一个头",
    en="Split: q = 0 … %(last)d, a colour for each head",
)
SPLIT_AFTER = Text(zh="转置：同一个头的行排到一起", en="Transposed: the rows of a head together")
SPLIT = Text(zh="头和位置", en="head and position")
SPLIT_ROW = Text(zh="头%(head)d 位置%(position)d", en="head %(head)d pos %(position)d")
POSITION = Text(zh="位置", en="position")

TOTALS = Text(zh="总数", en="Totals")
NOTE_UNITS = Text(
    zh="总数里，KV 缓存以字节计；k、M、G、T 逐级乘 10³，KiB、MiB、GiB 逐级乘 2¹⁰。",
    en="In the totals the KV cache is in bytes; k, M, G, T go up by 10³; KiB, MiB, GiB by 2¹⁰.",
)
TOTAL_ROWS = {
    "parameters": Text(zh="参数", en="parameters"),
    "parameter_bytes": Text(zh="参数，字节", en="parameters, bytes"),
    "activation_bytes": Text(zh="各行自有，字节", en="own bytes of the rows"),
    "flops": Text(zh="FLOPs", en="FLOPs"),
    "cache_token": Text(zh="KV 缓存，每词元", en="KV cache per token"),
    "cache": Text(zh="KV 缓存，B·N 个", en="KV cache of B·N tokens"),
}
ONE_LAYER = Text(zh="1 层", en="1 layer")
ALL_LAYERS = Text(zh="%(layers)d 层", en="%(layers)d layers")
READABLE = Text(zh="约合", en="about")

SAID = Text(zh="账本说明什么", en="What the ledger says")
PARAMETERS = Text(
    zh="参数只在四行里：%(rows)s，加起来 %(sum)s；层自己用 numel() 数出 %(own)s，%(verdict)s。拆分、转置、合并没有参数。",
    en="Parameters sit in four rows, %(rows)s: %(sum)s together; the layer's own numel() counts %(own)s: %(verdict)s. Splitting, "
    "transposing and merging have none.",
)
AGREES = Text(zh="两边相等", en="equal")
DIFFERS = Text(zh="两边不等", en="not equal")
OWN_HEADS = Text(
    zh="h 等于 h_kv 时，换一个合法的 h 不改变参数个数。",
    en="As long as h_kv = h, another legal h does not change their number.",
)
SHARED_HEADS = Text(
    zh="K 和 V 只有 h_kv·d_k = %(narrow)s 宽，而不是 h·d_k = %(wide)s，所以参数更少。",
    en="K and V are only h_kv·d_k = %(narrow)s wide and not h·d_k = %(wide)s, so they take fewer.",
)
MEMORY = {
    "larger": Text(
        zh="S 有 B·h·N² = %(scores)s 个数，X 有 B·N·d_model = %(x)s 个：N = %(n)s 大于 d_k = %(d_k)s 时 S 更大，N 翻倍 S 变四倍。",
        en="Numbers in S: B·h·N² = %(scores)s; in X: B·N·d_model = %(x)s. S is larger because N = %(n)s is above d_k = "
        "%(d_k)s. Twice the N makes S four times as large.",
    ),
    "smaller": Text(
        zh="S 有 B·h·N² = %(scores)s 个数，X 有 B·N·d_model = %(x)s 个：N = %(n)s 还小于 d_k = %(d_k)s，S 更小；但 N 翻倍 S 变四倍。",
        en="Numbers in S: B·h·N² = %(scores)s; in X: B·N·d_model = %(x)s. S is smaller because N = %(n)s is below d_k = "
        "%(d_k)s. Yet twice the N makes S four times as large.",
    ),
    "equal": Text(
        zh="S 有 B·h·N² = %(scores)s 个数，X 有 B·N·d_model = %(x)s 个，一样多，因为 N = %(n)s 正好等于 d_k = %(d_k)s；N 翻倍 S 变四倍。",
        en="Numbers in S: B·h·N² = %(scores)s; in X, B·N·d_model = %(x)s: as many, because N = %(n)s equals d_k = %(d_k)s. "
        "Twice the N makes S four times as large.",
    ),
}
FLOPS = Text(
    zh="一层 %(all)s 次浮点运算：四次投影 %(projections)s（%(share)s%%，随 N 增长），两次头内的乘积 %(products)s（%(rest)s%%，随 N² 增长）。",
    en="One layer takes %(all)s FLOPs: the four projections %(projections)s (%(share)s%%, growing with N), the two products "
    "inside heads %(products)s (%(rest)s%%, growing with N²).",
)
CACHE = Text(
    zh="逐词生成时留着 K_h 和 V_h 不重算（KV 缓存）：每个词元 2 · %(layers)d · %(kv)d · %(d_k)d · %(size)d = %(token)s 字节"
    "（键和值 · 层数 · h_kv · d_k · 一个数的字节），B·N = %(positions)s 个位置共 %(all)s 字节。",
    en="When text is written token by token, K_h and V_h are kept and not computed anew (the KV cache): "
    "2 · %(layers)d · %(kv)d · %(d_k)d · %(size)d = %(token)s bytes a token (keys and values · layers · h_kv · d_k · bytes of a "
    "number), %(all)s bytes for B·N = %(positions)s.",
)
CACHE_SHARED = Text(
    zh="每个查询头都有自己的键值头时，是这里的 %(times)d 倍。",
    en="With a K/V head for every query head it is %(times)d times as much.",
)
WHY = Text(
    zh="为什么要转置：矩阵乘法只认最后两维。[B, h, N, d_k] 把 B 和 h 都放在前面，h 个头就是 h 次互不相干的小注意力。",
    en="Why transpose: a matrix product takes the last two axes as its matrices. With [B, h, N, d_k] both B and h stand in front, "
    "and the heads are small attentions that know nothing of each other.",
)
QUESTION = Text(
    zh="哪些行不连续？合并时因此要付什么代价？",
    en="Which rows are not contiguous, and what does the merge pay for it?",
)
ANSWER = Text(
    zh="%(rows)s。转置只交换步长：%(row)s 的步长是 %(strides)s，连续的话该是 %(even)s。",
    en="%(rows)s. A transpose only swaps strides: %(row)s has %(strides)s where contiguous would be %(even)s.",
)
ANSWER_COPIES = Text(
    zh="合并要求一个位置的 h 段在内存里挨着，%(turned)s 做不到，所以 reshape 复制了 %(bytes)s 字节；换成 view 会报错。",
    en="A merge needs the h pieces of one position to be neighbours in memory. In %(turned)s they are not, so reshape copies "
    "%(bytes)s bytes; view would raise an error.",
)
ANSWER_SHARES = Text(
    zh="这里 d_k = %(d_k)d，一段只有一个数，合并不用复制：%(merged)s 就是 %(owner)s 的内存换了步长 %(strides)s。"
    "d_k 是 2 以上时 reshape 只能复制。",
    en="With d_k = %(d_k)d a piece is a single number, and the merge copies nothing: %(merged)s looks at the memory of %(owner)s by "
    "the strides %(strides)s. With d_k of 2 or more reshape has to copy.",
)
ANSWER_NONE = Text(
    zh="这里一行也没有：h = %(h)d、N = %(n)d，转置要交换的这两维至少有一维长 1，内存里的次序不变，合并也就不用复制。把 h 和 N 都调到 2 以上再看。",
    en="None here: of the two axes that a transpose swaps, h = %(h)d and N = %(n)d, at least one has length 1, so the order in memory "
    "stays and the merge copies nothing. Take h and N of 2 or more and look again.",
)
BETWEEN = Text(zh="、", en=", ")
OR = Text(zh=" 或 ", en=" or ")
QUESTION_BROKEN = Text(zh="为什么断在这里，而不是更早？", en="Why does it break there, and not earlier?")
ANSWERS_BROKEN = {
    "x": Text(
        zh="这已经是第一行：输入自己的 B、N 或 d_model 就不合法。",
        en="This is the first row already: B, N or d_model of the input itself is not legal.",
    ),
    "q_cut": Text(
        zh="投影只是一次矩阵乘法，不用知道有几个头。直到拆分，才要把 d_model 分成 h 份。",
        en="The projection is one matrix product and need not know of heads. Only the split has to cut d_model into h pieces.",
    ),
    "k_cut": Text(
        zh="键的投影也只是一次矩阵乘法。直到拆分，才真的要数出 h_kv 个头。",
        en="The projection of keys is one matrix product too. Only the split has to count out h_kv heads.",
    ),
    "k_repeated": Text(
        zh="键和值各自拆成 h_kv 个头没有问题。直到每个查询头要领一个键值头，才发现分不平均。",
        en="Keys and values can be cut into h_kv heads. Only when each query head takes a K/V head do the numbers not come out.",
    ),
}
CODE = Text(
    zh="同样的一遍，可以直接运行（在 meta 设备上，不占内存）：",
    en="The same run as a script (on the meta device, so that it takes no memory):",
)
CSV = Text(zh="下载讲义：CSV", en="Handout: CSV")
MARKDOWN = Text(zh="下载讲义：Markdown", en="Handout: Markdown")
HANDOUT_COLUMNS = {
    "step": STEP,
    "symbol": Text(zh="符号", en="symbol"),
    **COLUMNS,
    "shares_with": Text(zh="共用内存", en="shares memory with"),
    "own_bytes": Text(zh="自有字节", en="own bytes"),
    "not_counted": NOT_COUNTED,
    "dtype": Text(zh="类型", en="type"),
    "line": Text(zh="代码", en="line"),
    "total": Text(zh="合计", en="total"),
    "yes": YES,
    "no": NO,
}
HANDOUT_SIZES = Text(
    zh="B = %(batch)d，N = %(n)d，d_model = %(d_model)d，h = %(n_heads)d，h_kv = %(kv_heads)d，d_k = %(d_k)d，"
    "偏置：%(bias)s，%(dtype)s，torch %(version)s",
    en="B = %(batch)d, N = %(n)d, d_model = %(d_model)d, h = %(n_heads)d, h_kv = %(kv_heads)d, d_k = %(d_k)d, "
    "bias: %(bias)s, %(dtype)s, torch %(version)s",
)
HANDOUT_BYTES = Text(
    zh="自有字节：和别的行共用内存的行是 0，所以合计里每块内存只算一次。",
    en="Own bytes: 0 for a row that shares the memory of another, so the total counts all memory once.",
)
