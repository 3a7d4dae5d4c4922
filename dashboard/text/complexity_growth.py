"""Words of the view that draws costs against a size."""

from dashboard.text import Text

MEASURE = Text(zh="画什么", en="quantity")
MEASURE_HELP = Text(zh="图、表和句子都换成这个量。", en="Chart, table and sentences change to it.")
MEASURES = {
    "flops": Text(zh="计算量", en="computation"),
    "score_bytes": Text(zh="分数占的内存", en="memory of scores"),
    "kept_bytes": Text(zh="为反向传播留下的内存", en="memory kept for backward"),
    "moved_bytes": Text(zh="内存读写量", en="memory traffic"),
    "parameters": Text(zh="参数", en="parameters"),
    "intensity": Text(zh="计算强度", en="arithmetic intensity"),
}
ABOUT = {
    "flops": Text(
        zh="矩阵乘法的浮点运算，前向一遍。",
        en="Floating-point operations of matrix products in one forward pass.",
    ),
    "score_bytes": Text(
        zh="每一步都存下来时，分数共存三份：分数、缩放后的分数、权重。",
        en="With every step stored there are three copies: scores, scaled scores, weights.",
    ),
    "kept_bytes": Text(
        zh="反向传播要用的前向结果，也叫激活；KV 缓存这一行是缓存本身。",
        en="The activations: what the backward pass needs of the forward pass. For the KV cache, the cache itself.",
    ),
    "moved_bytes": Text(
        zh="每一步从主存读入、写回主存的字节。",
        en="What every step reads from main memory and writes back to it.",
    ),
    "parameters": Text(
        zh="学得的数，与 B 和 N 无关（低秩除外）。",
        en="Learnt numbers; B and N do not matter, but for low rank.",
    ),
    "intensity": Text(
        zh="计算量除以内存读写量：搬一个字节能算多少次。它小，机器就在等内存。",
        en="FLOPs over bytes moved: how much is computed with each byte. Where it is low, a machine waits for its memory.",
    ),
}
# By whether the size is the number of heads, of which no large ones are.
EXPONENTS = {
    False: Text(
        zh="指数：%(sign)s 翻倍时这个量变成几倍，取 log₂，也就是线有多陡；1 是成正比，2 是成平方。“很大时”那一列是它的极限。",
        en="An exponent is log₂ of the factor by which the value grows as %(sign)s doubles: how steep the line is, 1 in "
        "proportion, 2 with the square. The column for large %(sign)s has its limit.",
    ),
    True: Text(
        zh="指数：%(sign)s 翻倍时这个量变成几倍，取 log₂，也就是线有多陡；1 是成正比。2·h 不能整除 d_model 时没有指数。",
        en="An exponent is log₂ of the factor by which the value grows as %(sign)s doubles: how steep the line is, 1 in "
        "proportion. Where 2·h does not divide d_model there is none.",
    ),
}
UNITS = {
    "flops": Text(zh="FLOPs", en="FLOPs"),
    **dict.fromkeys(("score_bytes", "kept_bytes", "moved_bytes"), Text(zh="字节", en="bytes")),
    "parameters": Text(zh="个", en="numbers"),
    "intensity": Text(zh="FLOPs/字节", en="FLOPs per byte"),
}
AXIS = Text(zh="让谁变", en="size that grows")
AXIS_HELP = Text(zh="横轴是它，其余大小不动。", en="It is the horizontal axis; the other sizes stay.")
AXES = {
    "n": Text(zh="N（位置）", en="N (positions)"),
    "d_model": Text(zh="d_model（宽度）", en="d_model (width)"),
    "n_heads": Text(zh="h（头数）", en="h (heads)"),
    "batch": Text(zh="B（序列）", en="B (sequences)"),
    "n_layers": Text(zh="层数", en="layers"),
}
SIGNS = {
    "n": Text(zh="N", en="N"),
    "d_model": Text(zh="d_model", en="d_model"),
    "n_heads": Text(zh="h", en="h"),
    "batch": Text(zh="B", en="B"),
    "n_layers": Text(zh="层数", en="layers"),
}
LINES = Text(zh="画哪几条线", en="lines")
LINES_HELP = Text(
    zh="只影响图；下面的表十种都有。选了“完整”，计算量随 N 变的图里还会分出投影和乘积两条线。",
    en="For the chart alone; the table below has all ten. With full, FLOPs against N are drawn in two parts as well: its "
    "projections and its products.",
)

PARTS = {
    "projections": Text(zh="完整：投影", en="full: projections"),
    "products": Text(zh="完整：乘积", en="full: products"),
}

Y_TITLE = Text(zh="%(measure)s（%(unit)s）", en="%(measure)s (%(unit)s)")
NOW = Text(zh="现在 %(sign)s = %(size)s", en="now %(sign)s = %(size)s")
CROSSING_MARK = Text(zh="相等：N = %(n)s", en="equal at N = %(n)s")
LINES_ALT = Text(
    zh="折线图，两轴都是对数：%(measure)s（%(unit)s）随 %(sign)s 从 %(first)s 到 %(last)s 的变化。%(curves)s。竖线：%(marks)s。数在下面的表里。",
    en="Lines on logarithmic axes: %(measure)s (%(unit)s) against %(sign)s from %(first)s to %(last)s. %(curves)s. Upright rules: "
    "%(marks)s. The numbers are in the table below.",
)
CURVE_ALT = Text(zh="%(variant)s：最后的指数 %(slope)s", en="%(variant)s: exponent %(slope)s in the end")
NOW_ALT = Text(zh="现在的 %(sign)s", en="the present %(sign)s")
CROSSING_ALT = Text(zh="投影和乘积相等的 N", en="the N at which projections and products are equal")
NO_LINES_SAID = Text(zh="图是空的：没有选任何线。", en="The chart is empty, for no line is chosen.")
NO_LINES = Text(zh="没有选任何线", en="No line is chosen")

TABLE = Text(
    zh="%(measure)s（%(unit)s），%(sizes)s",
    en="%(measure)s (%(unit)s) at %(sizes)s",
)
COLUMNS = {
    "value": Text(zh="值（%(unit)s）", en="value, %(unit)s"),
    "readable": Text(zh="约", en="about"),
    "slope": Text(zh="指数（%(sign)s 翻倍）", en="exponent as %(sign)s doubles"),
    "far": Text(zh="指数（%(sign)s 很大时）", en="exponent, large %(sign)s"),
    "formula": Text(zh="公式", en="formula"),
}
FORMULA_INTENSITY = Text(zh="计算量 ÷ 内存读写量", en="computation ÷ memory traffic")

PICKED = Text(
    zh="%(variant)s：%(measure)s = %(value)s %(unit)s", en="%(variant)s: %(measure)s = %(value)s %(unit)s"
)
IN_FULL = Text(zh="合并成 %(formula)s。每一项：", en="In short %(formula)s. Term by term:")
TERM = Text(
    zh="%(name)s：%(formula)s = %(numbers)s = %(value)s", en="%(name)s: %(formula)s = %(numbers)s = %(value)s"
)
NOTHING_COUNTED = Text(zh="一项也没有：分数从不存下来。", en="There is no term: scores are never stored.")
FACTORS = Text(zh="其中 %(factors)s。", en="Here %(factors)s.")
LETTER = Text(zh="%(symbol)s：%(meaning)s", en="%(symbol)s: %(meaning)s")
FACTOR = Text(zh="%(symbol)s = %(value)s（%(meaning)s）", en="%(symbol)s = %(value)s (%(meaning)s)")
QUOTIENT = Text(
    zh="%(flops)s FLOPs ÷ %(moved)s 字节 = %(value)s FLOPs/字节。两边的每一项，在“计算量”和“内存读写量”里看。",
    en="%(flops)s FLOPs ÷ %(moved)s bytes = %(value)s FLOPs per byte. The terms of both are under “computation” and “memory "
    "traffic”.",
)
MEANING_OF_FACTOR = {
    "B": Text(zh="序列数", en="sequences"),
    "N": Text(zh="位置数", en="positions"),
    "N²": Text(zh="每个头算的分数", en="scores of a head"),
    "d_model": Text(zh="词向量的宽度", en="width of a token's vector"),
    "h": Text(zh="头数", en="heads"),
    "h_kv": Text(zh="键值头数", en="heads of keys and values"),
    "d_k": Text(zh="一个头里查询和键的宽度", en="width of a head's queries and keys"),
    "d_v": Text(zh="一个头里值的宽度", en="width of a head's values"),
    "r": Text(zh="压成几个键", en="keys that are made of all"),
    "e": Text(zh="一个数的字节", en="bytes of a number"),
    "layers": Text(zh="层数", en="attention layers"),
}
LETTERS = {
    "w": Text(zh="窗口里的键数，不超过 N", en="keys of a window, at most N"),
    "b": Text(zh="一块的位置数", en="positions of a block"),
    "s": Text(zh="相邻两个键的间隔", en="steps from one key to the next"),
    "n": Text(zh="查询的编号，0 到 N − 1", en="number of the query, 0 to N − 1"),
}
PAIRS_MEANING = Text(zh="每个头算的分数", en="scores of a head")
NUMBER = Text(zh="%(number)s（%(meaning)s）", en="%(number)s (%(meaning)s)")
# By the quantity and the number that stands in its terms.
MEANING_OF_NUMBER = {
    ("flops", "2"): Text(zh="一次乘、一次加", en="a multiplication and an addition"),
    ("kept_bytes", "4"): Text(zh="float32 的字节", en="bytes of a float32"),
    ("moved_bytes", "2"): Text(
        zh="写一次、读一次；压缩用的矩阵有两个", en="written and read; of matrices that shorten there are two"
    ),
    ("moved_bytes", "3"): Text(zh="读写共三次", en="read or written three times"),
    ("moved_bytes", "4"): Text(zh="float32 的字节", en="bytes of a float32"),
    ("parameters", "2"): Text(zh="两个矩阵", en="two matrices"),
}
TERMS = {
    "x": Text(zh="输入 x", en="input x"),
    "q": Text(zh="查询 Q", en="queries Q"),
    "k": Text(zh="键 K", en="keys K"),
    "v": Text(zh="值 V", en="values V"),
    "scores": Text(zh="分数 QKᵀ", en="scores QKᵀ"),
    "scaled": Text(zh="缩放后的分数", en="scaled scores"),
    "weights": Text(zh="权重 A", en="weights A"),
    "out_heads": Text(zh="各头的输出", en="output by head"),
    "merged": Text(zh="合并的输出", en="merged output"),
    "out": Text(zh="输出（乘 W^O 之后）", en="output, times W^O"),
    "w_q": Text(zh="W^Q", en="W^Q"),
    "w_k": Text(zh="W^K", en="W^K"),
    "w_v": Text(zh="W^V", en="W^V"),
    "w_o": Text(zh="W^O", en="W^O"),
    "logsumexp": Text(zh="每行的 log-sum-exp", en="log-sum-exp of each row"),
    "state": Text(zh="状态 φ(K)ᵀV", en="state φ(K)ᵀV"),
    "normaliser": Text(zh="归一化的分母", en="normaliser"),
    "phi_q": Text(zh="φ(Q)", en="φ(Q)"),
    "phi_k": Text(zh="φ(K)", en="φ(K)"),
    "w_short": Text(zh="压缩用的矩阵", en="matrices that shorten"),
    "k_short": Text(zh="压缩后的键", en="shortened keys"),
    "v_short": Text(zh="压缩后的值", en="shortened values"),
    "k_cache": Text(zh="缓存的键", en="cached keys"),
    "v_cache": Text(zh="缓存的值", en="cached values"),
}

SCORES = Text(
    zh="%(few)s 个词元，一个头就有 %(few_pairs)s 个分数；%(many)s 个词元有 %(many_pairs)s 个：词元是 %(longer)s 倍，分数是 %(times)s 倍。"
    "现在这 %(sequences)s 条序列、%(heads)s 个头、%(layers)s 层，一共是 %(few_all)s 个和 %(many_all)s 个。",
    en="Of %(few)s tokens one head makes %(few_pairs)s scores, of %(many)s tokens %(many_pairs)s: %(longer)s times the tokens, "
    "%(times)s times the scores. With B = %(sequences)s, h = %(heads)s and layers = %(layers)s, as they are now, that is "
    "%(few_all)s and %(many_all)s.",
)
CROSSING = Text(
    zh="一层、一条序列里，四次投影要 8·N·d_model² FLOPs；两次乘积（QKᵀ 和 A·V）各要 2·h·N²·d_k，合起来 4·N²·d_model，因为不管几个头，h·d_k = d_model："
    "O(B·h·N²·d_k) = O(B·N²·d_model)。两边在 N = 2·d_model = %(crossing)s 处相等。现在 N = %(n)s，“完整”的乘积是投影的 %(ratio)s 倍。",
    en="In one layer and one sequence the four projections take 8·N·d_model² FLOPs. The two products, QKᵀ and A·V, take "
    "2·h·N²·d_k each, together 4·N²·d_model, for h·d_k = d_model however many heads there are: O(B·h·N²·d_k) = O(B·N²·d_model). "
    "Both are equal at N = 2·d_model = %(crossing)s. At the present N = %(n)s the products of full attention take %(ratio)s "
    "times what its projections take.",
)
CROSSING_SHARED = Text(
    zh="键值头只有 %(kv)s 个，投影便宜一些；一层、一条序列里，两次乘积的 4·N²·d_model FLOPs 提前到 N = %(crossing)s 就追上它们，不到 2·d_model = %(twice)s。现在 N = %(n)s，"
    "“完整”的乘积是投影的 %(ratio)s 倍。",
    en="With h_kv = %(kv)s the projections are cheaper, and the two products, 4·N²·d_model FLOPs in one layer and one sequence, "
    "catch up with them at N = %(crossing)s, before 2·d_model = %(twice)s. At the present N = %(n)s the products of full "
    "attention take %(ratio)s times what its projections take.",
)
PARALLEL = Text(
    zh="%(sign)s 很大时，同一个指数的线互相平行：%(groups)s。",
    en="Far out, where %(sign)s is large, lines with the same exponent are parallel: %(groups)s.",
)
ONE_GROUP = Text(zh="指数 %(slope)s：%(names)s", en="exponent %(slope)s: %(names)s")
HEADS_ALIKE = Text(
    zh="h 翻倍时的指数在表里；h 要整除 d_model，谈不上“很大”。d_model 不变，头越多就越窄，h·d_k 总是 d_model。",
    en="The table has the exponents where h doubles. h has to divide d_model, so nothing is far out. With d_model fixed, more "
    "heads are narrower ones: h·d_k is d_model all along.",
)
FIXED = Text(
    zh="固定的比例不改指数：N² = %(full)s 对查询和键，因果掩码留下 N(N+1)/2 = %(useful)s 对，N 大了就接近一半（这里占 %(share)s）；只算这些，线低一截，"
    "FLOPs 的指数还是 %(useful_slope)s。固定的个数才改：窗口里每个查询最多看 w = %(w)s 个键，指数是 %(window_slope)s。",
    en="A fixed share leaves the exponent alone: of all pairs of a query and a key, N² = %(full)s, a causal mask leaves N(N+1)/2 "
    "= %(useful)s, close to half where N is large (here %(share)s). Computing only these makes a lower line, and the exponent of "
    "its FLOPs is still %(useful_slope)s. A fixed number changes it: where the keys of a query are w = %(w)s at most, as in a "
    "window, the exponent is %(window_slope)s.",
)
CHUNKS = Text(
    zh="分块计算省内存，不省计算：“完整”要 %(full_flops)s FLOPs，“融合”要 %(fused_flops)s。存下的分数从 %(full_scores)s 字节变成 %(fused_scores)s，"
    "为反向留下的从 %(full_kept)s 变成 %(fused_kept)s，读写从 %(full_moved)s 变成 %(fused_moved)s。",
    en="Working in chunks saves memory and no FLOPs: full takes %(full_flops)s, fused %(fused_flops)s. Bytes of stored scores go "
    "from %(full_scores)s to %(fused_scores)s, those kept for backward from %(full_kept)s to %(fused_kept)s, those moved from "
    "%(full_moved)s to %(fused_moved)s.",
)
CHUNKS_SHORT = Text(
    zh="不过 N 这么小，“融合”每行留一个 4 字节的 log-sum-exp，不比省下的权重少，为反向留下的并没有减少。",
    en=" At so small an N, though, the log-sum-exp of 4 bytes a row that fused keeps is no less than the weights it does without.",
)
ON_ONE_ANOTHER = Text(
    zh="这些线处处重合：%(names)s。",
    en="These lines lie on one another all along: %(names)s.",
)
NO_PLACE_FOR_ZERO = Text(
    zh="%(names)s是 0，对数轴上没有位置，没有画。",
    en="A logarithmic axis has no place for 0: %(names)s not drawn.",
)

QUESTION = Text(
    zh="%(sign)s 从 %(size)s 翻倍到 %(twice)s：看%(measure)s，“%(variant)s”变成几倍？一直翻倍下去呢？",
    en="%(sign)s doubles from %(size)s to %(twice)s. By what factor does “%(variant)s” change (%(measure)s)? And as %(sign)s "
    "goes on doubling?",
)
QUESTION_ONCE = Text(
    zh="%(sign)s 从 %(size)s 翻倍到 %(twice)s：看%(measure)s，“%(variant)s”变成几倍？",
    en="%(sign)s doubles from %(size)s to %(twice)s. By what factor does “%(variant)s” change (%(measure)s)?",
)
ANSWER_ZERO = Text(zh="一直是 0。", en="It is 0 throughout.")
ANSWER = Text(
    zh="从 %(before)s 变成 %(after)s %(unit)s，%(times)s 倍，指数 log₂ %(times)s = %(slope)s。",
    en="From %(before)s to %(after)s %(unit)s: %(times)s times, an exponent of log₂ %(times)s = %(slope)s.",
)
ANSWER_FAR = Text(
    zh="一直翻倍，倍数趋于 %(times)s，指数趋于 %(slope)s：最后只剩增长最快的项。",
    en="Doubled on and on, the factor comes to %(times)s and the exponent to %(slope)s: only the fastest-growing terms are left.",
)
ANSWER_SETTLES = Text(
    zh="一直翻倍，倍数趋于 1，指数趋于 0：这个量趋于定值。",
    en="Doubled on and on, the factor comes to 1 and the exponent to 0: the value settles.",
)
ANSWER_SAME = Text(
    zh="不变：翻倍前后都是 %(value)s %(unit)s，倍数是 1，指数是 0。",
    en="It does not change: %(value)s %(unit)s before and after, a factor of 1 and an exponent of 0.",
)
ANSWER_NO_DOUBLE = Text(
    zh="h = %(twice)s 不能整除 d_model = %(d_model)s，这个长度翻不了倍。",
    en="It cannot: h = %(twice)s does not divide d_model = %(d_model)s.",
)
