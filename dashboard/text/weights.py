"""Words that open a picked weight of a head down to its multiplications."""

from dashboard.text import Text

ARITHMETIC = Text(zh="这个权重怎么算出来", en="How this weight comes about")
WHOSE = Text(zh="查询 %(query)s → 键 %(key)s（%(name)s）", en="query %(query)s → key %(key)s (%(name)s)")
OPENS = Text(
    zh="点一格权重换一对词元；点一个 q 或 k，展开它的乘法。",
    en="Pick another weight for another pair, a q or k to open its multiplications.",
)
IS_X = Text(
    zh="第 1 步没有 W，q 和 k 就是 x。点一格权重换一对词元。",
    en="Step 1 has no W: q and k are x. Pick another weight for another pair.",
)
HIDDEN = Text(
    zh="键在查询后面：因果掩码把它的分数换成 −∞，而 exp(−∞) = 0。",
    en="The key comes after the query: the causal mask puts −∞ in place of its score, and exp(−∞) = 0.",
)
ROW = Text(zh="这一行 softmax 的每一项", en="Every term of this row's softmax")
IN_HEADS = Text(zh="同一对词元，各个头：", en="The same pair in each head:")
IN_STEPS = Text(zh="同一对词元，各步：", en="The same pair in each step:")
JOINED = {
    "mean": Text(zh="各头平均", en="mean over heads"),
    "max": Text(zh="各头最大", en="max over heads"),
}
JOINED_END = {
    "mean": Text(zh="加起来 ÷ %(h)d =", en="sum ÷ %(h)d ="),
    "max": Text(zh="最大的：", en="the largest:"),
}
