"""Words of the view that lays four masks over the same scores."""

from dashboard.text import Text

ROLE = Text(zh="注意力用在哪里", en="where the attention stands")
ROLE_HELP = Text(
    zh="编码器读整句，解码器逐个生成，交叉注意力让目标句去看源句。各自需要的掩码在图上打 ✓。",
    en="An encoder reads whole sentences, a decoder writes token by token, cross-attention lets a target read a source. The "
    "mask that each needs bears a ✓.",
)
ROLES = {
    "encoder": Text(zh="编码器", en="encoder"),
    "decoder": Text(zh="解码器", en="decoder"),
    "cross": Text(zh="交叉注意力", en="cross-attention"),
}
TARGET = Text(zh="目标句（查询来自这里）", en="Target sentence (its tokens are the queries)")
TARGET_FIRST = Text(zh="它 跑 了", en="it ran away")

KINDS = {
    "none": Text(zh="无掩码", en="no mask"),
    "causal": Text(zh="因果", en="causal"),
    "padding": Text(zh="填充", en="padding"),
    "causal_padding": Text(zh="因果 + 填充", en="causal + padding"),
}
COLUMN_HELP = Text(zh="显示或收起这种掩码。", en="Show or hide this mask.")
NO_COLUMN = Text(
    zh="至少要有一种掩码：开关都关着，先显示%(role)s需要的那一种。",
    en="At least one mask is shown: all switches are off, so here is the one that the %(role)s needs.",
)
SHOW_ALL = Text(zh="全部显示", en="Show all masks")
WITH = Text(zh="差值以谁为准", en="difference from")
WITH_HELP = Text(
    zh="差 = 这种掩码 − 选中的掩码。表里的两个最大差和“差”这两步都用它。",
    en="Difference = a mask − the chosen one. The table's last two columns and the two steps named difference use it.",
)
STAGE = Text(zh="看哪一步", en="step")
STAGE_HELP = Text(zh="每张图同时换到这一步。", en="All pictures change to this step at once.")
STAGES = {
    "allowed": Text(zh="允许的对", en="allowed"),
    "scaled": Text(zh="缩放后的分数", en="scaled scores"),
    "masked": Text(zh="掩码后的分数", en="masked scores"),
    "weights": Text(zh="权重", en="weights"),
    "out": Text(zh="输出", en="output"),
    "difference": Text(zh="权重的差", en="difference of weights"),
    "difference_out": Text(zh="输出的差", en="difference of outputs"),
}
STAGE_MEANINGS = {
    "allowed": Text(
        zh="1 = 这个查询可以看这个键，0 = 不可以。", en="1: the query may see the key; 0: it may not."
    ),
    "scaled": Text(
        zh="q·k ÷ √d_k。掩码还没有起作用，几张图相同。",
        en="q·k ÷ √d_k. No mask has acted yet: all pictures are the same.",
    ),
    "masked": Text(
        zh="不许看的对换成 −∞，其余不动；这一步在 softmax 之前。",
        en="Pairs that are not allowed become −∞, the others stay; this comes before softmax.",
    ),
    "weights": Text(
        zh="对每一行做 softmax：e 的 −∞ 次方是 0，剩下的重新分到和为 1。行末是行和。",
        en="Softmax of each row: e to the −∞ is 0, and what is left shares 1. At a row's end stands its sum.",
    ),
    "out": Text(zh="权重乘值再相加，每行一个输出。", en="Values times weights, summed: one output a row."),
    "difference": Text(zh="权重减去“%(other)s”的权重。", en="Weights less those under “%(other)s”."),
    "difference_out": Text(zh="输出减去“%(other)s”的输出。", en="Outputs less those under “%(other)s”."),
}
SENTENCE = Text(zh="看第几句", en="sentence")
SENTENCE_HELP = Text(
    zh="一批里的哪一句；整批补到同样长。", en="Which sentence of the batch; all are filled up to one length."
)
SENTENCE_MOVED = Text(
    zh="没有第 %(given)d 句，改看第 %(used)d 句。",
    en="There is no sentence %(given)d; sentence %(used)d is shown.",
)

NOTE = Text(
    zh="随机权重（种子 %(seed)d）· float64 · 第 %(place)d 句，共 %(count)d 句：%(sentence)s · 词元 %(real)d 个，填充 <pad> %(filler)d 个",
    en="random weights (seed %(seed)d) · float64 · sentence %(place)d of %(count)d: %(sentence)s · tokens: %(real)d, "
    "filler <pad>: %(filler)d",
)
NOTE_FILLER_ROWS = Text(
    zh="没有颜色的行：查询是填充，不计入。",
    en="Rows without colour: the query is filler and does not count.",
)
NOTE_CROSS = Text(
    zh="%(queries)d 个查询来自目标句，键和值来自源句。",
    en="queries from the target sentence: %(queries)d, keys and values from the source.",
)
GRID_TITLE = Text(
    zh="%(mark)s%(kind)s · 允许 %(pairs)d/%(all)d", en="%(mark)s%(kind)s · %(pairs)d of %(all)d allowed"
)
FILLER_ROW = Text(zh="填充的查询，不计入", en="a filler query, not counted")
QUANTITIES = {
    "allowed": Text(zh="允许", en="allowed"),
    "scaled": Text(zh="分数", en="score"),
    "masked": Text(zh="分数", en="score"),
    "weights": Text(zh="权重", en="weight"),
    "out": Text(zh="输出", en="output"),
    "difference": Text(zh="差", en="difference"),
    "difference_out": Text(zh="差", en="difference"),
}
TABLE = Text(
    zh="每种掩码的数（熵、权重和差只算真查询；差以“%(other)s”为准）",
    en="The masks in numbers (entropy, weights and differences of real queries; differences from “%(other)s”)",
)
PAIRS = Text(zh="允许的对（真查询的）", en="allowed pairs (of real queries)")
PAIRS_CELL = Text(zh="%(all)d（%(real)d）", en="%(all)d (%(real)d)")
TABLE_COLUMNS = (
    Text(zh="平均熵", en="mean entropy"),
    Text(zh="平均最大权重", en="mean largest weight"),
    Text(zh="给填充的权重", en="weight on filler"),
    Text(zh="权重最大差", en="largest weight difference"),
    Text(zh="输出最大差", en="largest output difference"),
)
SAID = Text(zh="怎么读", en="How to read it")

PADDING_SEE = Text(
    zh="填充掩码挡住 %(filler)d 个填充键。没有它，%(queries)d 个真查询平均把 %(share)s 的权重给了填充，最多的一个给了 %(most)s；"
    "有了它，平均是 %(after)s。",
    en="The padding mask hides the keys of filler: %(filler)d here. Without it the real queries, %(queries)d of them, give "
    "filler %(share)s of their weight on average and %(most)s at most; with it the average is %(after)s.",
)
PADDING_NOTHING = Text(
    zh="这一句没有填充，填充掩码在这里什么也不挡。给这一批加一句更长的，或换看一句短的，就能看到它起作用。",
    en="This sentence has no filler, so the padding mask hides nothing here. Put a longer sentence into the batch, or look at "
    "a shorter one, to see it act.",
)
CAUSAL_SEE = Text(
    zh="因果掩码挡住对角线以上的 %(hidden)d 对（triu，diagonal=1），留下 %(n)d·(%(n)d+1)/2 = %(pairs)d 对。没有它，真查询平均把 "
    "%(share)s 的权重给了%(later)s；有了它，对角线以上的权重最大是 %(above)s，权重成了下三角，每行的和仍是 1，"
    "最多偏离 %(off)s。",
    en="The causal mask hides the pairs above the diagonal (triu, diagonal=1), %(hidden)d here, and leaves "
    "%(n)d·(%(n)d+1)/2 = %(pairs)d. Without it real queries give %(later)s %(share)s of their weight "
    "on average; with it the largest weight above the diagonal is %(above)s: weights are lower triangular, and every row still "
    "sums to 1, off by %(off)s at most.",
)
LATER = Text(zh="后面的词元", en="later tokens")
LATER_AND_FILLER = Text(zh="后面的词元（填充也算）", en="later tokens, filler among them,")
CAUSAL_ONE = Text(
    zh="这里只有一个词元，后面没有别的，因果掩码什么也不挡。",
    en="There is one token and nothing after it: the causal mask hides nothing.",
)
CAUSAL_ABSENT = Text(
    zh="这里没有因果的两种：第一个目标词元写出来之前，源句已经整句在那里，没有什么要瞒住。两句可以不一样长"
    "（%(queries)d 个查询，%(keys)d 个键），挡填充用的是源句的长度，不是目标句的。",
    en="The two causal masks are not offered here: the whole source is there before the first target token is written, and "
    "nothing of it is to be hidden. The two may differ in length (queries: %(queries)d, keys: %(keys)d); the filler that is "
    "hidden is the source's, not the target's.",
)
WHY = Text(
    zh="为什么在 softmax 之前：−∞ 变成的权重正好是 0，分母里也没有它，所以留下的权重之和仍是 1，只是按同样的比例变大。",
    en="Why before softmax: −∞ becomes a weight of exactly 0 and adds nothing to the denominator, so the weights that are left "
    "still sum to 1; they grow, and keep their ratios.",
)
LARGEST = Text(
    zh="显示的掩码里，按权重差得最多的是%(pairs)s：权重最多差 %(weight)s，它们的输出最多差 %(out)s。",
    en="Of the masks shown, by weight these lie farthest apart: %(pairs)s. Their weights differ by up to %(weight)s, their "
    "outputs by up to %(out)s.",
)
APART = Text(zh="“%(first)s”和“%(second)s”", en="“%(first)s” and “%(second)s”")
BETWEEN_PAIRS = Text(zh="，还有", en="; ")
ALL_EQUAL = Text(
    zh="显示的几种掩码，真查询的权重完全相同。",
    en="Under all masks shown the real queries have the same weights.",
)
FILLER_ROWS = Text(
    zh="最后 %(filler)d 行的查询自己就是填充（<pad>）。挡键的掩码清不掉它们：在“%(kind)s”下行和仍是 %(sum)s。"
    "它们的输出没有意义，损失和平均都不要算上；这里的熵和最大权重已经排除。",
    en="In the last rows, %(filler)d of them, the query itself is filler, <pad>. A mask on keys does not clear them: under "
    "“%(kind)s” they still sum to %(sum)s. Their outputs mean nothing and belong in no loss and no mean; entropy and largest "
    "weight here leave them out.",
)
BEHIND = Text(
    zh="填充都在句尾，对真查询来说就是“未来”：因果掩码已经挡住它们，加不加填充掩码，真查询的输出最多差 %(out)s；"
    "不同的是填充行里的 %(pairs)d 对。填充若放在句首，就不是这样了。",
    en="Filler stands at the end, so for real queries it is the future: the causal mask hides it already, and with or without "
    "the padding mask their outputs differ by at most %(out)s. What differs are pairs of filler rows, %(pairs)d. Filler in front "
    "would be another matter.",
)
MARK = Text(zh="（✓）", en=" (✓)")
NEEDS = {
    "encoder": Text(
        zh="编码器可以看整句，只要挡住填充：它用“%(kind)s”%(mark)s。",
        en="An encoder may see the whole sentence and only has to hide filler: it uses “%(kind)s”%(mark)s.",
    ),
    "decoder": Text(
        zh="解码器不能看还没写出来的词元；一批句子长短不一，还要挡住填充：它用“%(kind)s”%(mark)s。",
        en="A decoder may not see what is not written yet, and in a batch it hides filler too: it uses “%(kind)s”%(mark)s.",
    ),
    "cross": Text(
        zh="交叉注意力挡住源句的填充：它用“%(kind)s”%(mark)s。",
        en="Cross-attention hides the source's filler: it uses “%(kind)s”%(mark)s.",
    ),
}

QUESTION = Text(
    zh="这一批再来一句更长的，比现在最长的还多 %(more)d 个词元，第 %(place)d 句就多了 %(more)d 个填充。它的真词元的输出会变吗？",
    en="A further sentence joins the batch, longer than the longest by %(more)d, so sentence %(place)d gets as many more tokens of "
    "filler. Do the outputs of its real tokens change?",
)
QUESTION_CROSS = Text(
    zh="这一批源句再来一句更长的，比现在最长的还多 %(more)d 个词元，第 %(place)d 句就多了 %(more)d 个填充。目标句的输出会变吗？",
    en="A further source joins the batch, longer than the longest by %(more)d, so source %(place)d gets as many more tokens of "
    "filler. Do the target's outputs change?",
)
ANSWER = Text(
    zh="把填充从 %(before)d 个加到 %(after)d 个重算一遍，输出的最大变化：%(changes)s。一句话的结果不该取决于同批还有谁，"
    "所以填充要挡住。",
    en="Computed anew with %(after)d tokens of filler instead of %(before)d, outputs change by at most: %(changes)s. What a "
    "sentence gives must not depend on who else is in the batch, so filler has to be hidden.",
)
WITH_ROUNDING = Text(
    zh="%(answer)s小于 1e−12 的变化是 float64 的舍入，不是漏看。",
    en="%(answer)s A change below 1e−12 is rounding in float64 and no leak.",
)
CHANGE = Text(zh="%(kind)s %(change)s", en="%(kind)s %(change)s")
JOIN = Text(zh="，", en=", ")
