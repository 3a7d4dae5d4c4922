"""The lessons in reading order: navigation, the start page, the README and the tests read this table."""

from dataclasses import dataclass

from dashboard.text import Text


@dataclass(frozen=True)
class Lesson:
    """One page of the lab.

    slug: its path in the URL; the start page has the empty one.
    file: its script, as `st.Page` in dashboard/main.py names it.
    """

    slug: str
    file: str
    title: Text
    section: Text


BEGIN = Text(zh="开始", en="Begin")
INSIDE = Text(zh="注意力的内部", en="Inside attention")
BEYOND = Text(zh="不止一种注意力", en="Beyond one attention")

LESSONS = (
    Lesson("", "../pages/start.py", Text(zh="注意力实验室", en="Attention Lab"), BEGIN),
    Lesson("qkv", "../pages/qkv.py", Text(zh="查询、键、值", en="Query, key, value"), INSIDE),
    Lesson("scaling", "../pages/scaling.py", Text(zh="为什么除以 √d_k", en="Why √d_k"), INSIDE),
    Lesson("masks", "../pages/masks.py", Text(zh="掩码实验室", en="Mask lab"), INSIDE),
    Lesson("heads", "../pages/heads.py", Text(zh="多头与形状", en="Heads and shapes"), INSIDE),
    Lesson("complexity", "../pages/complexity.py", Text(zh="代价", en="What it costs"), INSIDE),
    Lesson("variants", "../pages/variants.py", Text(zh="换一种注意力", en="Other attentions"), BEYOND),
    Lesson("layers", "../pages/layers.py", Text(zh="层层相叠", en="Layers"), BEYOND),
)
