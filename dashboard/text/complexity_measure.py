"""Words of the view that measures kernels on this machine."""

from dashboard.text import Text

KERNELS = Text(zh="测哪几种", en="kernels")
KERNELS_HELP = Text(
    zh="每一种是算注意力的一个程序。“按定义”一步一步算，每步都存，torch math 也这样。torch flash 和 torch 省内存是融合的：一小块一小块地算，N × N 的分数"
    "从不整张存下。nn.MHA 是 nn.MultiheadAttention，连投影一起，“带权重”就把权重也交出来。滑动窗口和线性注意力算的是另一种注意力，更省。每一种都用同样的 "
    "Q、K、V，在每个 N 上轮流跑；这台机器跑不了的，测完会写明原因。",
    en="Each is a program that attends. “definition” goes step by step and stores each step, as torch math does. torch flash and torch "
    "efficient are fused: they go chunk by chunk and never store the N × N scores as a whole. nn.MHA is nn.MultiheadAttention with "
    "its projections, and with or without the weights handed out. window and linear attend in another, cheaper way. All get the same "
    "Q, K and V and take turns at each N; those that this machine cannot run are named with the reason.",
)
KERNEL = Text(zh="做法", en="kernel")
NAMES = {
    "traced": Text(zh="按定义", en="definition"),
    "math": Text(zh="torch math", en="torch math"),
    "flash": Text(zh="torch flash", en="torch flash"),
    "efficient": Text(zh="torch 省内存", en="torch efficient"),
    "module_weights": Text(zh="nn.MHA 带权重", en="nn.MHA weights"),
    "module": Text(zh="nn.MHA 不带权重", en="nn.MHA no weights"),
    "window": Text(zh="滑动窗口", en="window"),
    "linear": Text(zh="线性注意力", en="linear"),
}
LENGTHS = Text(zh="N 取哪些", en="lengths N")
LENGTHS_HELP = Text(
    zh="查询和键都是 N 个。短的先测，所以第一个点马上就有。",
    en="As many queries as keys. Short ones come first, so the first points are there at once.",
)
DTYPE = Text(zh="数的类型", en="number type")
DTYPE_HELP = Text(
    zh="处理器算半精度可能比 float32 慢得多。",
    en="Half precision may be much slower than float32 on a processor.",
)
MASK = Text(zh="掩码", en="mask")
MASK_HELP = Text(
    zh="“is_causal”只告诉 torch 要因果；“显式”把同一个掩码当作 N × N 的张量交给它。滑动窗口总是只看过去。",
    en="“is_causal” tells torch only that it is causal; “explicit” hands it the same mask as a tensor of N × N. A window always "
    "looks back alone.",
)
MASKS = {
    "none": Text(zh="无", en="none"),
    "causal": Text(zh="is_causal", en="is_causal"),
    "explicit": Text(zh="显式", en="explicit"),
}
BACKWARD = Text(zh="连反向传播一起测", en="with the backward pass")
BACKWARD_HELP = Text(
    zh="前向之后再求 Q、K、V 的梯度。公式线仍是前向的。",
    en="The gradients of Q, K and V after the forward pass. The formula's lines stay those of a forward pass.",
)
HEADS = Text(zh="h（头数）", en="h (heads)")
HEADS_HELP = Text(zh="1 到 16。", en="1 to 16.")
D_K = Text(zh="d_k（头宽）", en="d_k (width of a head)")
D_K_HELP = Text(zh="1 到 128，值也一样宽。", en="1 to 128; values are as wide.")
SEQUENCES = Text(zh="B（序列）", en="B (sequences)")
SEQUENCES_HELP = Text(zh="一次算几条，1 到 8。", en="Computed at once; 1 to 8.")
REPEATS = Text(zh="重复几次", en="repeats")
REPEATS_HELP = Text(
    zh="每个点计时几次，1 到 15，取中位数；之前还有一次热身，不算。",
    en="Timed runs of each point, 1 to 15, of which the median is taken; one run before them does not count.",
)
FURTHER = Text(
    zh="其他设置：%(device)s，%(dtype)s，掩码：%(mask)s，%(passes)s，h = %(heads)s，d_k = %(d_k)s，B = %(batch)s，重复 %(repeats)s 次%(width)s",
    en="Other settings: %(device)s, %(dtype)s, mask: %(mask)s, %(passes)s, h = %(heads)s, d_k = %(d_k)s, B = %(batch)s, repeats: %(repeats)s%(width)s",
)
METER = Text(zh="画什么", en="shown")
METER_HELP = Text(
    zh="每个点两样都测了，换着看不用重测。", en="Each point has both: nothing is measured again."
)
METERS = {"time": Text(zh="时间", en="time"), "memory": Text(zh="内存峰值", en="peak memory")}

NO_KERNELS = Text(
    zh="至少要选 1 种做法，现在选了 0 种。", en="At least 1 kernel has to be chosen; chosen are 0."
)
NO_LENGTHS = Text(
    zh="至少要选 1 个 N，现在选了 0 个。", en="At least 1 length N has to be chosen; chosen are 0."
)
TAKE_KERNELS = Text(zh="选上：%(names)s", en="Take %(names)s")
TAKE_LENGTHS = Text(zh="选上 N = %(lengths)s", en="Take N = %(lengths)s")
FORESEEN = Text(
    zh="预计约 %(seconds)s 秒，内存最多 %(memory)s（按公式和这台服务器做矩阵乘法的速度估的）。",
    en="This should take about %(seconds)s s and at most %(memory)s of memory, by formula and the speed at which this server multiplies "
    "matrices.",
)
TOO_LONG = Text(
    zh="预计要 %(seconds)s 秒，一次最多 %(most)s 秒。",
    en="This should take %(seconds)s s; a run may take at most %(most)s s.",
)
TOO_LARGE = Text(
    zh="预计要 %(memory)s 内存，最多可用 %(most)s。",
    en="This should take %(memory)s of memory; a run may take at most %(most)s.",
)
LARGEST = Text(
    zh="这些做法只测一个 N 的话，最长可以到 N = %(n)s。",
    en="With one length alone these kernels could go up to N = %(n)s.",
)
TAKE_UP_TO = Text(zh="只测到 N = %(n)s", en="Measure up to N = %(n)s")
NOTHING_FITS = Text(
    zh="连 N = %(n)s 也放不下：少选几种，或把头数、头宽、序列数、重复次数改小。",
    en="Not even N = %(n)s fits: choose fewer kernels, or smaller h, d_k, B or repeats.",
)
TAKE_FIRST = Text(zh="换回最初的设置", en="Take the first settings")

SETTINGS = Text(
    zh="结果的设置：%(device)s，%(dtype)s，B = %(batch)s，h = %(heads)s，d_k = %(d_k)s，掩码：%(mask)s，%(passes)s，重复 %(repeats)s 次%(width)s。",
    en="These results belong to: %(device)s, %(dtype)s, B = %(batch)s, h = %(heads)s, d_k = %(d_k)s, mask: %(mask)s, %(passes)s, repeats: "
    "%(repeats)s%(width)s.",
)
SETTINGS_WIDTH = Text(zh="，窗口 w = %(w)s", en=", window w = %(w)s")
PASSES = {
    False: Text(zh="只有前向", en="forward pass"),
    True: Text(zh="前向加反向", en="forward and backward pass"),
}
MOVED_SINCE = Text(
    zh="上面的设置后来改过，下面还是改之前的结果。",
    en="The settings above have been changed since: what follows belongs to those before.",
)
NOTE_TIME = Text(
    zh="点是实测：%(repeats)s 次的中位数，竖线从最快到最慢。线是公式：前向矩阵乘法的 FLOPs ÷ %(rate)s FLOP/s，后者是同一次测量里"
    "乘两个 %(side)d × %(side)d 矩阵的速度。乘法一样多的做法，线重合。",
    en="Points are measured: medians of %(repeats)s runs, with a bar from the fastest to the slowest. Lines are formula: FLOPs of the "
    "forward pass's matrix products, at the %(rate)s FLOP/s at which two matrices of %(side)d × %(side)d were multiplied in the same run. Kernels that multiply as much share a line.",
)
NOTE_TIME_ONE = Text(
    zh="点是实测，每个只跑了 1 次，看不出波动。线是公式：前向矩阵乘法的 FLOPs ÷ %(rate)s FLOP/s，后者是同一次测量里乘两个 %(side)d × %(side)d "
    "矩阵的速度。乘法一样多的做法，线重合。",
    en="Points are measured, of 1 run each, which shows no spread. Lines are formula: FLOPs of the forward pass's matrix products, at the "
    "%(rate)s FLOP/s at which two matrices of %(side)d × %(side)d were multiplied in the same run. Kernels that multiply as much share a line.",
)
NOTE_MEMORY = Text(
    zh="点是实测：输入之外，torch 的分配器同时给出的最多字节。线是公式：前向一遍，每一步的结果都存着。",
    en="Points are measured: the most that torch's allocator had given out at once, beyond the inputs. Lines are formula: a forward pass "
    "that stores the result of every step.",
)
NOTES_FORESEEN = {
    "time": Text(
        zh="还没有测过任何一个点，图上只有公式的线：前向矩阵乘法的 FLOPs ÷ %(rate)s FLOP/s，后者是这台服务器乘两个 %(side)d × %(side)d 矩阵的速度。"
        "softmax 和读写内存都不算在内，所以实测多半在线的上方；开始测量，点会一个个落进来。乘法一样多的做法，线重合。",
        en="No point has been measured yet: these are the formula's lines alone. FLOPs of the forward pass's matrix products, at the "
        "%(rate)s FLOP/s at which this server multiplies two matrices of %(side)d × %(side)d. Softmax and memory traffic are left out, so points "
        "will mostly lie above; once you start, they come in one by one. Kernels that multiply as much share a line.",
    ),
    "memory": Text(
        zh="还没有测过任何一个点，图上只有公式的线：输入之外，前向一遍、每一步的结果都存着要多少字节。开始测量，点会一个个落进来。存得一样多的做法，线重合。",
        en="No point has been measured yet: these are the formula's lines alone. Bytes beyond the inputs that a forward pass takes when it "
        "stores the result of every step. Once you start, points come in one by one. Kernels that store as much share a line.",
    ),
}
N_TITLE = Text(zh="N（位置）", en="N (positions)")
Y_TITLES = {
    "time": Text(zh="跑一次的时间（毫秒）", en="time of one run (ms)"),
    "memory": Text(zh="内存峰值（MiB）", en="peak memory (MiB)"),
}
FORMULA = Text(zh="公式", en="formula")
CHART_ALT = Text(
    zh="散点图，两轴都是对数：%(meter)s随 N 的变化，线是公式。%(curves)s。",
    en="Points on logarithmic axes: %(meter)s against N, with lines by formula. %(curves)s.",
)
FORESEEN_ALT = Text(
    zh="折线图，两轴都是对数，由公式算出：%(meter)s随 N 的变化。还没有测过任何一个点。%(curves)s。",
    en="Lines on logarithmic axes, by formula: %(meter)s against N. No point has been measured yet. %(curves)s.",
)
CURVE_ALT = Text(
    zh="%(kernel)s：N = %(first_n)s 时 %(first)s，N = %(last_n)s 时 %(last)s",
    en="%(kernel)s: %(first)s at N = %(first_n)s, %(last)s at N = %(last_n)s",
)
POINT_ALT = Text(zh="%(kernel)s：N = %(first_n)s 时 %(first)s", en="%(kernel)s: %(first)s at N = %(first_n)s")
CSV = {
    "kernel": Text(zh="做法", en="kernel"),
    "n": Text(zh="N", en="N"),
    "median": Text(zh="中位数（毫秒）", en="median (ms)"),
    "lowest": Text(zh="最快（毫秒）", en="fastest (ms)"),
    "highest": Text(zh="最慢（毫秒）", en="slowest (ms)"),
    "peak": Text(zh="内存峰值（MiB）", en="peak memory (MiB)"),
    "difference": Text(zh="与定义之差", en="difference from the definition"),
    "time_formula": Text(zh="时间，公式（毫秒）", en="time by formula (ms)"),
    "memory_formula": Text(zh="内存，公式（MiB）", en="memory by formula (MiB)"),
}

BY_LENGTH = {
    "time": Text(zh="中位数，毫秒", en="median time, ms"),
    "memory": Text(zh="内存峰值，MiB", en="peak memory, MiB"),
}
BY_LENGTH_KEYS = Text(
    zh="点一格，下一张表就换成那个 N；也可用方向键和回车",
    en="click or tap a cell, and the next table takes its N; arrow keys, Enter",
)
AT_LENGTH = Text(zh="N = %(n)s 的细节", en="details at N = %(n)s")
DETAILS = {
    "range": Text(zh="最快 – 最慢，毫秒", en="fastest – slowest, ms"),
    "beyond": Text(zh="时间 ÷ 公式", en="time ÷ formula"),
    "peak": Text(zh="峰值，MiB", en="peak, MiB"),
    "foreseen": Text(zh="公式，MiB", en="formula, MiB"),
    "difference": Text(zh="与定义之差（N ≤ %(longest)s）", en="difference (N ≤ %(longest)s)"),
    "moved": Text(zh="读写（公式），MiB", en="moved (formula), MiB"),
}
FITS = Text(
    zh="拟合出的指数（最长的几个 N，最多 %(most)d 个）", en="fitted exponents (the longest N, up to %(most)d)"
)
FIT_COLUMNS = {
    "time": Text(zh="时间", en="time"),
    "time_expected": Text(zh="时间，公式", en="time, formula"),
    "memory": Text(zh="内存", en="memory"),
    "memory_expected": Text(zh="内存，公式", en="memory, formula"),
    "lengths": Text(zh="所用的 N", en="N used"),
}
WITH_ERROR = Text(zh="%(value)s ± %(error)s", en="%(value)s ± %(error)s")
SPEED_UPS = Text(zh="比“按定义”快几倍", en="times as fast as the definition")

ABSENT = Text(zh="%(kernel)s没有测：%(reason)s", en="%(kernel)s was not measured: %(reason)s")
REASON_TORCH = Text(
    zh="这台机器上，torch 对这样的输入没有这个内核。torch 的原话：%(said)s",
    en="on this machine torch has no such kernel for these inputs. In torch's words: %(said)s",
)
REASON_FULL = Text(
    zh="N = %(n)s 时 %(device)s 的内存不够；占用的已经释放，测量接着做。torch 的原话：%(said)s",
    en="at N = %(n)s the memory of %(device)s ran out; what was held is freed, and the run went on. In torch's words: %(said)s",
)
REASON_LINEAR = Text(
    zh="线性注意力从不算 N × N 的分数，显式掩码没有东西可遮。选“无”或“is_causal”就能测。",
    en="linear attention never makes N × N scores that an explicit mask could hide. With “none” or “is_causal” it can run.",
)

GREW = Text(
    zh="N 从 %(first)s 到 %(last)s（%(longer)s 倍），内存峰值变成：%(kernels)s。随 N² 增长该是 %(square)s 倍，随 N 增长该是 %(longer)s 倍。",
    en="From N = %(first)s to N = %(last)s, %(longer)s times the length, peak memory became: %(kernels)s. What grows with N² becomes "
    "%(square)s times as much, what grows with N %(longer)s times.",
)
KERNEL_TIMES = Text(zh="%(kernel)s %(times)s 倍", en="%(kernel)s %(times)s times as much")
EXACT = Text(
    zh="和 float64 的定义相比（N 最大到 %(n)s），输出最多差：%(kernels)s。%(dtype)s 在 1 附近的间隔是 %(eps)s。",
    en="Against the definition in float64, up to N = %(n)s, outputs differ by at most: %(kernels)s. Near 1 the next %(dtype)s is "
    "%(eps)s away.",
)
EXACT_FUSED = Text(
    zh="融合内核从不存下 N × N 的分数，差的仍只是舍入：它是精确的，不是近似。",
    en="The fused kernel never stores N × N scores and yet differs by rounding alone: it is exact, no approximation.",
)
OTHERS_DIFFER = Text(
    zh="另一些算的本来就是别的东西：%(kernels)s。",
    en="Others compute something else to begin with: %(kernels)s.",
)
KERNEL_VALUE = Text(zh="%(kernel)s %(value)s", en="%(kernel)s %(value)s")
FASTER = Text(
    zh="N = %(n)s 时，“按定义”要 %(base)s 毫秒；同样的 N，快几倍：%(kernels)s。",
    en="At N = %(n)s the definition takes %(base)s ms. How many times as fast others are: %(kernels)s.",
)
FASTER_WHERE = {
    False: Text(
        zh="常说融合快 2–4 倍，那是在 GPU 上；这里是这台机器的处理器。",
        en="That a fused kernel is 2 to 4 times as fast is said of GPUs; this is the processor of this machine.",
    ),
    True: Text(
        zh="常说融合快 2–4 倍，说的是 GPU，这里正是。",
        en="That a fused kernel is 2 to 4 times as fast is said of GPUs, and this is one.",
    ),
}
NO_BASE = Text(
    zh="没有测“按定义”，所以没有快几倍可比。",
    en="The definition was not measured, so there is no speed-up to give.",
)
BEYOND = Text(
    zh="N = %(n)s 时，实测是公式线的几倍：%(kernels)s。",
    en="At N = %(n)s measured time is this many times the formula's: %(kernels)s.",
)
BEYOND_WHY = Text(
    zh="公式只算矩阵乘法；多出来的是 softmax、掩码和读写内存。",
    en="The formula counts matrix products alone; the rest goes into softmax, masks and memory traffic.",
)
BELOW_WHY = Text(
    zh="不到 1 倍，说明它做乘法比那两个 %(side)d × %(side)d 的矩阵还快：形状不同，或者那时机器更忙。",
    en="Below 1, a kernel multiplied faster than the two matrices of %(side)d × %(side)d were: shapes differ, or the machine was busier then.",
)
BEYOND_BACKWARD = Text(
    zh="N = %(n)s 时，前向加反向是公式线（只有前向）的几倍：%(kernels)s。",
    en="At N = %(n)s forward and backward pass take this many times the formula's forward pass: %(kernels)s.",
)
MOVED = Text(
    zh="按公式，N = %(n)s 时一步一步算要读写 %(full)s 字节，融合只要 %(fused)s 字节，前者是后者的 %(times)s 倍。",
    en="By formula, at N = %(n)s attention step by step moves %(full)s bytes and fused attention %(fused)s, a factor of %(times)s.",
)
CHOSEN = Text(
    zh="让 torch 自己挑，对这样的输入它用 %(plain)s。三种掩码：%(masks)s。权重带 dropout：%(dropout)s；掩码是要求梯度的浮点张量：%(learnt)s。",
    en="Left to itself, torch takes %(plain)s for these inputs. By mask: %(masks)s. With dropout of the weights: %(dropout)s; with a mask "
    "of floats that wants a gradient: %(learnt)s.",
)
CASE = Text(zh="“%(mask)s”用 %(kernel)s", en="%(mask)s %(kernel)s")
RULED_OUT = Text(
    zh="torch 自己的内核里，这里用不了的：%(kernel)s。torch 的原话：%(said)s",
    en="Of torch's own kernels, this one cannot run here: %(kernel)s. In torch's words: %(said)s",
)
NO_MEMORY = Text(zh="这里测不了内存峰值。", en="Peak memory cannot be watched here.")
QUESTION = Text(
    zh="N 再翻一倍，到 %(n)s，每种要多少时间、多少内存？",
    en="If N doubles once more, to %(n)s, how long would each take, and how much memory?",
)
ANSWER = Text(
    zh="按拟合的指数延长，N = %(n)s 时：%(kernels)s。这是外推，没有测。",
    en="Going on with the fitted exponents, at N = %(n)s: %(kernels)s. This is extrapolated, not measured.",
)
ANSWER_ONE = Text(
    zh="%(kernel)s %(seconds)s 毫秒、%(memory)s MiB", en="%(kernel)s %(seconds)s ms and %(memory)s MiB"
)
ANSWER_TIME = Text(zh="%(kernel)s %(seconds)s 毫秒", en="%(kernel)s %(seconds)s ms")
