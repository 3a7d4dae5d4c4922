"""Words that every page shares."""

from dashboard.text import Text

LANGUAGE = Text(zh="语言", en="Language")
LANGUAGE_NAMES = {"zh": "中文", "en": "English"}
COPY_LINK = Text(zh="复制链接", en="Copy link")
COPIED = Text(zh="已复制", en="Copied")
COPY_FAILED = Text(
    zh="浏览器不允许复制，请从地址栏复制", en="The browser refuses; copy it from the address bar"
)
LINK_HELP = Text(
    zh="链接里有这一页的全部设置，打开它的人会看到同样的数字。",
    en="The link holds every setting of this page: whoever opens it sees the same numbers.",
)
LEFT_OUT = Text(
    zh="链接装不下：%(names)s。别人打开链接时，这部分会是默认值。",
    en="Too large for the link: %(names)s. Whoever opens it finds the default there.",
)
RESET = Text(zh="恢复默认设置", en="Reset the settings")
TABLE = Text(zh="表格", en="Table")
TABLE_OF = Text(zh="表格：%(title)s", en="Table: %(title)s")
DOWNLOAD_CSV = Text(zh="下载 CSV", en="Download CSV")
REPRODUCE = Text(zh="用 Python 重现", en="Reproduce in Python")
DOWNLOAD_SCRIPT = Text(zh="下载脚本", en="Download the script")
SOURCE_CODE = Text(zh="运行的代码", en="The code that ran")

HAND_MADE = Text(zh="手工给定", en="hand-made")
RANDOM = Text(zh="随机（种子 %(seed)d）", en="random (seed %(seed)d)")
EDITED = Text(zh="已改动 %(n)d 格", en="%(n)d edited")
WEIGHTS_ARE = Text(zh="权重来源：%(kinds)s", en="weights: %(kinds)s")

NOTICES = {
    "malformed": Text(
        zh="链接里的 %(name)s=%(given)s 读不懂，改用 %(used)s。",
        en="The link says %(name)s=%(given)s, which cannot be read; %(used)s is used.",
    ),
    "out_of_range": Text(
        zh="链接里的 %(name)s=%(given)s 超出范围，改用 %(used)s。",
        en="The link says %(name)s=%(given)s, out of range; %(used)s is used.",
    ),
    "repeated": Text(
        zh="链接里 %(name)s 出现了不止一次，最后一次 %(given)s 有效（现为 %(used)s）。",
        en="The link gives %(name)s more than once; the last, %(given)s, counts (now %(used)s).",
    ),
    "unknown": Text(
        zh="链接里的 %(name)s=%(given)s 不是这一页的设置，已忽略。",
        en="The link says %(name)s=%(given)s, which is no setting of this page; ignored.",
    ),
    "too_long": Text(
        zh="链接里的 %(name)s 太长（%(given)s），改用 %(used)s。",
        en="The link's %(name)s is too long (%(given)s); %(used)s is used.",
    ),
    "absent": Text(
        zh="链接要用 %(name)s=%(given)s，这台服务器没有，改用 %(used)s。",
        en="The link asks for %(name)s=%(given)s, which this server does not have; %(used)s is used.",
    ),
    "out_of_memory": Text(
        zh="%(given)s 的内存不够，占用的已经释放；这一页改用 %(name)s=%(used)s 接着算。",
        en="%(given)s ran out of memory. What was held there is freed, and the page goes on with %(name)s=%(used)s.",
    ),
}
DEVICE = Text(zh="在哪里算", en="Computed on")
DRAWS_THERE = Text(
    zh="抽到的数在这里测量。随机数总在 CPU 上抽，所以换了地方，结果也一样，只差舍入。",
    en="What was drawn is measured there. Random numbers are always drawn on the CPU, so the results are the same wherever they "
    "are measured, up to rounding.",
)
BEGINNINGS_THERE = Text(
    zh="曲线、表格和计时在这里算；直方图和 nn.Linear 怎样存权重，总在 CPU 上算。随机数也总在 CPU 上抽，所以换了地方，结果也一样，只差舍入。",
    en="Curves, tables and times are computed there; the histogram, and how nn.Linear stores its weight, always on the CPU. Random "
    "numbers are drawn on the CPU too, so the results are the same wherever they are computed, up to rounding.",
)
TIMES_THERE = Text(
    zh="只有计时在这里跑；其余的数总在 CPU 上算。",
    en="Only what is timed runs there; all other numbers are computed on the CPU.",
)
NO_CUDA = Text(
    zh="CUDA 要有 NVIDIA 显卡和带 CUDA 的 PyTorch；这台服务器装的是 PyTorch %(torch)s，不带 CUDA。",
    en="CUDA needs an NVIDIA GPU and a PyTorch built with CUDA; this server's, %(torch)s, is built without.",
)
NO_GPU = Text(
    zh="CUDA 要有 NVIDIA 显卡和它的驱动；这台服务器的 PyTorch %(torch)s 带 CUDA %(cuda)s，但没找到能用的显卡。",
    en="CUDA needs an NVIDIA GPU and its driver; this server's PyTorch, %(torch)s, is built with CUDA %(cuda)s but finds no "
    "GPU that it can use.",
)
NUMBER_MOVED = Text(
    zh="现在最大只能到 %(used)d，先用它；%(given)d 留着，能用时再换回来。",
    en="At present %(used)d is the largest and is used; %(given)d comes back once it can.",
)
PLACE_MOVED = Text(
    zh="没有第 %(given)d 个词元，改看第 %(used)d 个。",
    en="There is no token %(given)d; token %(used)d is shown.",
)
NO_NUMBER = Text(
    zh="这不是数，仍用 %(used)s。可以填 %(lowest)s 到 %(highest)s。",
    en="That is no number; %(used)s stays. It may be %(lowest)s to %(highest)s.",
)
NEAREST_TAKEN = Text(
    zh="可以填 %(lowest)s 到 %(highest)s；%(given)s 换成了最近的 %(used)s。",
    en="It may be %(lowest)s to %(highest)s; %(given)s became the nearest, %(used)s.",
)
NEAREST_WHOLE_TAKEN = Text(
    zh="这里填 %(lowest)s 到 %(highest)s 的整数；%(given)s 换成了最近的 %(used)s。",
    en="It takes whole numbers from %(lowest)s to %(highest)s; %(given)s became the nearest, %(used)s.",
)
DEFAULT_WORD = Text(zh="默认值", en="the default")

GLOSSARY_LINK = Text(zh="[术语表](./?lang=zh#glossary)", en="[Glossary](./?lang=en#glossary)")

QUESTION = Text(zh="想一想", en="Check yourself")
ANSWER = Text(zh="看答案", en="Show the answer")
