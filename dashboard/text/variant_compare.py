"""Words of the view that puts attentions side by side."""

from dashboard.text import Text

HEAD = Text(zh="第几个头", en="head")
HEAD_HELP = Text(
    zh="图和表换成这个头。",
    en="Pictures and tables show this head.",
)
WEIGHTS = Text(zh="完整注意力的权重，头 %(head)d", en="weights of full attention, head %(head)d")
WEIGHT = Text(zh="权重", en="weight")
