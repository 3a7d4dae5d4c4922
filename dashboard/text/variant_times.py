"""Words of the measurement that times attentions beside full attention."""

from dashboard.text import Text

TITLE = Text(
    zh="在服务器上计时：选中的注意力和完整注意力", en="Time the chosen attentions beside full attention"
)
LENGTH = Text(zh="N（位置）", en="N (positions)")
LENGTH_HELP = Text(
    zh="计时用随机数，不用你的句子：句子太短，差别看不出来。",
    en="Timed on random numbers and not on your sentence, which is too short for differences to show.",
)
SIZE = Text(zh="w、b、步长和 r", en="w, b, stride and r")
SIZE_HELP = Text(
    zh="计时的时候，窗口、块长、步长和秩都用这个数，1 到 1024。",
    en="What window, block, stride and rank are in the measurement, 1 to 1024.",
)
LEAD = Text(
    zh="h = %(h)d，d_k = %(d_k)d，float32，%(mask)s；每种和完整注意力轮流跑 %(repeats)d 次，比值是前后相邻两次之比的中位数。",
    en="h = %(h)d, d_k = %(d_k)d, float32, %(mask)s; each in turns with full attention, %(repeats)d times; a ratio is the median over "
    "neighbouring runs.",
)
NOTHING = Text(
    zh="三处都是完整注意力，没有别的可比。选一种别的。",
    en="All that is chosen is full attention; choose another one to time beside it.",
)
TOO_LARGE = Text(
    zh="N = %(n)s 时大约要占 %(memory)s，最多 %(most)s。",
    en="At N = %(n)s it would hold about %(memory)s; the most is %(most)s.",
)
TAKE = Text(zh="用 N = %(n)s", en="Take N = %(n)s")
MOVED = Text(zh="下面是按先前的设置测的。", en="What is below was measured with the settings before.")
TABLE = Text(zh="N = %(n)s，毫秒和比值", en="N = %(n)s, milliseconds and ratios")
ATTENTION = Text(zh="注意力", en="attention")
COLUMNS = (
    Text(zh="完整，ms", en="full, ms"),
    Text(zh="它，ms", en="own, ms"),
    Text(zh="完整 ÷ 它", en="full ÷ own"),
    Text(zh="最低到最高", en="lowest to highest"),
    Text(zh="FLOPs 之比", en="ratio of FLOPs"),
    Text(zh="相对误差", en="relative error"),
)
SAID = Text(zh="怎么读", en="How to read it")
FASTER = Text(
    zh="%(name)s：快，完整注意力的时间是它的 %(ratio)s×（%(low)s 到 %(high)s）；按 FLOPs 该是 %(flops)s×。",
    en="%(name)s is faster: full attention takes %(ratio)s× as long (%(low)s to %(high)s); by FLOPs it would be %(flops)s×.",
)
SLOWER = Text(
    zh="%(name)s：在这里更慢，完整注意力的时间只是它的 %(ratio)s×（%(low)s 到 %(high)s）；按 FLOPs 该是 %(flops)s×。",
    en="%(name)s is slower here: full attention takes only %(ratio)s× as long (%(low)s to %(high)s); by FLOPs it would be %(flops)s×.",
)
UNCLEAR = Text(
    zh="%(name)s：看不出快慢，比值从 %(low)s 到 %(high)s，1 在中间；按 FLOPs 该是 %(flops)s×。",
    en="%(name)s is neither faster nor slower for certain: ratios run from %(low)s to %(high)s, on both sides of 1; by FLOPs it would "
    "be %(flops)s×.",
)
ALL_SCORES = Text(
    zh="FLOPs 一样多或更多的，本来就没有少算；少算分数的那几种要切块、搬动、补齐，N 短的时候不一定划算。",
    en="Where FLOPs are as many or more, nothing was saved to begin with. Those with fewer scores have to cut, move and fill up "
    "pieces, which at small N can cost more than it saves.",
)
RANDOM = Text(
    zh="误差是在随机的 q、k、v 上的（种子 0），不是你的句子。",
    en="Errors are on random q, k and v (seed 0), not on your sentence.",
)
