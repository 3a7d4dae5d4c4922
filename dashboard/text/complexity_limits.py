"""Words of the view that says how long a sequence can be."""

from dashboard.text import Text

PRESETS = {
    "laptop": Text(
        zh="笔记本：%(memory)s GiB，%(speed)s TFLOP/s", en="a laptop: %(memory)s GiB, %(speed)s TFLOP/s"
    ),
    "large": Text(
        zh="一块大 GPU：%(memory)s GiB，%(speed)s TFLOP/s",
        en="one large GPU: %(memory)s GiB, %(speed)s TFLOP/s",
    ),
    "eight": Text(
        zh="八块这样的 GPU：%(memory)s GiB，%(speed)s TFLOP/s",
        en="eight of these: %(memory)s GiB, %(speed)s TFLOP/s",
    ),
}
MEMORY = Text(zh="内存（GiB）", en="memory (GiB)")
MEMORY_HELP = Text(
    zh="留给这些张量的内存，0.001 到 100000 GiB；模型和别的张量不算在内。",
    en="What these tensors may take, 0.001 to 100000 GiB; the model and other tensors come on top.",
)
SPEED = Text(zh="速度（TFLOP/s）", en="speed (TFLOP/s)")
SPEED_HELP = Text(
    zh="机器真正跑得出的速度，0.001 到 100000 TFLOP/s；比标称的峰值低。",
    en="What the machine sustains, 0.001 to 100000 TFLOP/s; less than the peak that is advertised.",
)
NOTE_PRESETS = Text(
    zh="几个按钮上的机器是取整的例子，不是某一款产品。",
    en="The machines on the buttons are round examples and no product.",
)

TABLE = Text(
    zh="最大的 N：%(memory)s GiB，或 %(speed)s TFLOP/s 一秒",
    en="The largest N: in %(memory)s GiB, or in one second at %(speed)s TFLOP/s",
)
PICK_KEYS = Text(
    zh="点一行看 N 为什么到那里为止，或用方向键和回车",
    en="click or tap a row to see where its N ends; arrow keys, Enter",
)
COLUMNS = {
    "score_bytes": Text(zh="存分数", en="storing scores"),
    "kept_bytes": Text(zh="存反向所需", en="keeping for backward"),
    "flops": Text(zh="前向算一秒", en="a forward pass of 1 s"),
}
ROWS = {
    "cached": Text(zh="KV 缓存*", en="KV cache*"),
}
NO_BOUND = Text(zh="不受限", en="no bound")
STAR = Text(
    zh="* KV 缓存这一行：第二列是缓存本身，第三列是一秒内算完一个新词元。不受限：这个量是 0，与 N 无关。",
    en="* For the KV cache the second column is the cache itself, the third one new token within a second. No bound: the "
    "quantity is 0 whatever N is.",
)
BUDGETS = Text(
    zh="%(memory)s GiB 是 %(bytes)s 字节；%(speed)s TFLOP/s 一秒是 %(flops)s FLOPs。每格是不超过它的最大整数 N。",
    en="%(memory)s GiB are %(bytes)s bytes; one second at %(speed)s TFLOP/s is %(flops)s FLOPs. Each cell is the largest whole N "
    "within them.",
)
ABOUT = Text(
    zh="三列分别是：存分数，即分数、缩放后的分数、权重，三份都存着；存反向所需，即反向传播要用的全部，三份里只有权重；前向算一秒，只计矩阵乘法。",
    en="The columns: storing scores is scores, scaled scores and weights, all three of them; keeping for backward is all that the "
    "backward pass needs, of these three the weights alone; a forward pass of 1 s is its matrix products.",
)
PICKED = Text(zh="%(variant)s：N 恰好到哪里", en="%(variant)s: where N ends")
EDGE = Text(
    zh="%(column)s：N = %(n)s 要 %(at)s %(unit)s，还在 %(budget)s 之内；N = %(next)s 要 %(beyond)s，超了。",
    en="%(column)s: N = %(n)s takes %(at)s %(unit)s, within %(budget)s; N = %(next)s takes %(beyond)s, too many.",
)
EDGE_NONE = Text(
    zh="%(column)s：N = 1 就要 %(beyond)s %(unit)s，已经超过 %(budget)s。",
    en="%(column)s: N = 1 takes %(beyond)s %(unit)s already, more than %(budget)s.",
)
EDGE_ZERO = Text(
    zh="%(column)s：这个量总是 %(at)s，N 不受限。",
    en="%(column)s: it is always %(at)s, so there is no bound on N.",
)
MEMORY_BINDS = Text(
    zh="“完整”要为反向留下权重，N 到 %(full)s 为止；“融合”不存权重，到 %(fused)s，是 %(times)s 倍。结果是一样的。",
    en="Full attention keeps its weights for backward and ends at N = %(full)s; fused stores none and reaches %(fused)s, %(times)s "
    "times as long, with the same result.",
)
TIME_BINDS = Text(
    zh="时间上二者没有差别：一秒内都到 N = %(full)s（融合 %(fused)s），因为 FLOPs 一样多。窗口每个查询最多看 w = %(w)s 个键，到 %(window)s。",
    en="In time the two are alike: one second ends at N = %(full)s (fused: %(fused)s), for they take as many FLOPs. A window, "
    "here w = %(w)s, reaches %(window)s.",
)
WINDOW_SHORT = Text(
    zh="并没有更长：按段算，每个查询要算多到 2·w 个分数，N 和 w 相比还不够长，省不下来。",
    en=" That is no further: in chunks a query computes up to 2·w scores, and N is too short beside w for this to save any.",
)
MEMORY_ALIKE = Text(
    zh="这么多内存里，“完整”到 N = %(full)s，“融合”到 %(fused)s：N 只有这么长，权重在为反向留下的里面占不了多少。",
    en="In this memory full attention ends at N = %(full)s and fused at %(fused)s: at such an N weights are a small part of what "
    "is kept for backward.",
)
CACHE = Text(
    zh="KV 缓存每个词元 %(token)s 字节，装得下 N = %(n)s（B = %(sequences)s，%(layers)s 层，h_kv = %(kv)s）。",
    en="The KV cache takes %(token)s bytes for each position, with B = %(sequences)s, layers = %(layers)s and h_kv = %(kv)s, and "
    "holds N = %(n)s.",
)
NOTHING_FITS = Text(
    zh="%(column)s：连 N = 1 也放不下的有 %(names)s。",
    en="%(column)s: not even N = 1 is possible for %(names)s.",
)
QUESTION = Text(
    zh="内存加倍，“%(variant)s”能长几倍？速度加倍呢？",
    en="With twice the memory, how many times as long can “%(variant)s” be? And with twice the speed?",
)
ANSWER = Text(
    zh="%(column)s：N 从 %(before)s 到 %(after)s，%(times)s 倍。",
    en="%(column)s: N goes from %(before)s to %(after)s, %(times)s times.",
)
ANSWER_UNBOUND = Text(zh="%(column)s：本来就不受限。", en="%(column)s: there was no bound anyway.")
ANSWER_ZERO = Text(zh="%(column)s：N 从 0 到 %(after)s。", en="%(column)s: N goes from 0 to %(after)s.")
WHY = Text(
    zh="随 N² 增长的量，预算加倍 N 只到 √2 = %(root)s 倍；随 N 增长的量，到 2 倍；两者相加的量在中间。N 是整数，N 小的时候会有出入。",
    en="Where a quantity grows with N², twice the budget gives √2 = %(root)s times the N; where it grows with N, twice; a sum of "
    "both is in between. N is whole, so for small ones it is off.",
)
