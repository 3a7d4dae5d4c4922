"""Words that the views of the lesson on other attentions share."""

from dashboard.text import Text

TITLE = Text(zh="换一种注意力", en="Other attentions")
CLAIM = Text(
    zh="同样的 q、k、v 可以经过许多种注意力。有的和完整的注意力结果相同，只是少算一些；有的只是近似；有的算的是另一个函数。属于哪一种、差多少，"
    "都用你的句子当场算。",
    en="The same q, k and v can go through many attentions. Some give what full attention gives and compute less, some come near it, "
    "some compute another function. Which is which, and how far apart they are, is computed on your own sentence.",
)

VIEW = Text(zh="看什么", en="View")
VIEW_HELP = Text(zh="每个按钮是一组实验。", en="Each button is a group of experiments.")
VIEWS: dict[str, Text] = {
    "compare": Text(zh="并排比较", en="Side by side"),
    "error": Text(zh="误差有多大", en="How far off"),
    "encoder": Text(zh="解码器读编码器", en="Decoder reads encoder"),
    "timeline": Text(zh="来历", en="Timeline"),
}
LEADS: dict[str, Text] = {
    "compare": Text(
        zh="选两三种注意力，喂进同样的 q、k、v，比较它们的权重、输出和代价。",
        en="Choose two or three attentions, give them the same q, k and v, and compare weights, outputs and costs.",
    ),
    "error": Text(
        zh="少看一些键，输出离完整注意力有多远？让窗口变宽、让句子变长、让分数变尖，各测八次。",
        en="How far from full attention are outputs that see fewer keys? Widen the window, lengthen the text, sharpen the scores; each is "
        "measured on eight draws.",
    ),
    "encoder": Text(
        zh="整句压成一个定长向量，词一多就互相盖住；交叉注意力让解码器每一步都能读编码器的每个状态。",
        en="In one vector of fixed size words drown one another; by cross-attention a decoder reads every state of the encoder.",
    ),
    "timeline": Text(
        zh="从一个定长向量说起，每一步改了什么？点一行看，再放到你的句子上试。",
        en="From one vector of fixed size on: what did each step change? Pick a row, then try it on your sentence.",
    ),
}
# Shown on a phone alone, in the views whose controls stand in the sidebar.
IN_SIDEBAR = Text(
    zh="d_model、h 和种子在侧栏：点左上角的 »。",
    en="d_model, h and the seed are in the sidebar: tap » at the top left.",
)

NAMES: dict[str, Text] = {
    "full": Text(zh="完整", en="full"),
    "dot_product": Text(zh="点积，不缩放", en="dot, unscaled"),
    "multiplicative": Text(zh="乘性", en="multiplicative"),
    "additive": Text(zh="加性", en="additive"),
    "cosine": Text(zh="余弦", en="cosine"),
    "alibi": Text(zh="ALiBi", en="ALiBi"),
    "rotary": Text(zh="旋转位置", en="rotary"),
    "sink": Text(zh="带汇点", en="with a sink"),
    "window": Text(zh="窗口", en="window"),
    "dilated": Text(zh="空洞窗口", en="dilated window"),
    "block": Text(zh="分块", en="blocks"),
    "strided": Text(zh="跨步", en="strided"),
    "global_window": Text(zh="窗口 + 全局", en="window + global"),
    "grouped": Text(zh="分组键值头", en="grouped heads"),
    "low_rank": Text(zh="低秩", en="low rank"),
    "linear": Text(zh="线性", en="linear"),
}
