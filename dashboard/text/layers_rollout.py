"""Words of the view that sets attention rollout beside what replacing words really changes."""

from dashboard.text import Text

QUERY = Text(zh="看哪个词元", en="token asked about")
QUERY_HELP = Text(
    zh="rollout 给这个词元的结果分份额；替换也在它的向量上量。点表里的一列也可以。",
    en="Rollout splits this token's result into shares, and the effect of replacing is measured on its vector. Picking a column "
    "does the same.",
)
WORD = Text(zh="换成哪个词", en="replace by")
WORD_HELP = Text(
    zh="一个词元，任何文字。它逐个顶替句子里的每个词，一次只换一个。",
    en="One token, any text. It takes the place of each word of the sentence, one at a time.",
)
SILENCE = Text(zh="反例怎么做", en="the counterexample")
SILENCE_HELP = Text(
    zh="让注意力照样给权重，却什么也带不走：W^V 全是 0，或每两个头一正一反正好抵消。",
    en="Attention that weighs as before and carries nothing: W^V is 0, or heads cancel in pairs.",
)
SILENCES = {
    "zero_values": Text(zh="W^V = 0", en="W^V = 0"),
    "cancelling_heads": Text(zh="两头相消", en="heads that cancel"),
}
ODD_HEADS = Text(
    zh="h = %(h)d 是奇数，头不能两两相消；反例用 W^V = 0。",
    en="h = %(h)d is odd, so heads cannot cancel in pairs; the counterexample has W^V = 0.",
)

TABLE = Text(
    zh="%(token)s 的结果从哪里来：每个词的份额", en="Where %(token)s has its result from: each word's share"
)
SHARE = Text(zh="份额", en="share")
TOTAL = Text(zh="合计", en="sum")
ROWS = {
    "shares": Text(zh="rollout 说的", en="rollout says"),
    "effects": Text(zh="换词量到的", en="replacing measures"),
    "silent_shares": Text(zh="反例：rollout 说的", en="silenced: rollout says"),
    "silent_effects": Text(zh="反例：换词量到的", en="silenced: replacing measures"),
}
ALL = Text(zh="份额和变化的大小", en="shares and sizes of the changes")
ALL_COLUMNS = {
    "share": Text(zh="rollout 份额", en="rollout share"),
    "effect": Text(zh="换词的变化 |Δ| ÷ |向量|", en="change when replaced, |Δ| ÷ |vector|"),
    "silent_share": Text(zh="反例的 rollout 份额", en="rollout share, silenced"),
    "silent_effect": Text(zh="反例的变化", en="change, silenced"),
}
PICK_KEYS = Text(
    zh="点一列，或用方向键和回车，换一个词元", en="pick a column, or use arrow keys and Enter: another token"
)

NOTE = Text(
    zh="测量：%(note)s · 换上的词 %(word)s · 最后一层",
    en="measured: %(note)s · replaced by %(word)s · at the last layer",
)
WHAT = Text(
    zh="rollout：每层取各头权重的平均%(half)s，再从第一层连乘到第 %(n)d 层。“换词量到的”是把每个词真的换掉，量这个词元最后的向量变了多少；"
    "为了能比，也化成加起来是 1 的份额。",
    en="Rollout takes the mean of each layer's weights over the heads%(half)s and multiplies from layer 1 to layer %(n)d. For the second row "
    "each word is really replaced and the change of this token's last vector measured; so that both can be compared it is "
    "brought to shares that sum to 1.",
)
# By whether there is a residual.
HALVES = {
    True: Text(
        zh="（和单位矩阵各占一半，代表残差）", en=" (half of each row goes to the identity, for the residual)"
    ),
    False: Text(zh="（没有残差，不加单位矩阵）", en=" (no identity, for there is no residual)"),
}
TOP_SAME = Text(
    zh="除了自己，rollout 给得最多的是 %(first)s（%(share)s）；换掉它，变化也最大。",
    en="Apart from the token itself rollout gives most to %(first)s (%(share)s); replacing it changes most, too.",
)
TOP_APART = Text(
    zh="除了自己，rollout 给得最多的是 %(first)s（%(share)s）；换掉后变化最大的却是 %(second)s。",
    en="Apart from the token itself rollout gives most to %(first)s (%(share)s); yet replacing %(second)s changes most.",
)
AGREE = Text(
    zh="另外 %(n)d 个词的名次合到 %(rho)s（Spearman 秩相关：1 是次序相同，0 是无关，−1 是正好相反）。",
    en="On the order of the other words (%(n)d) the two agree to %(rho)s (Spearman's rank correlation: 1 the same order, 0 unrelated, "
    "−1 reversed).",
)
NO_ORDER = Text(
    zh="另外的词里可排名次的不到两个，或者份额全都一样：没有次序可比。",
    en="Fewer than two other words can be ranked, or all their numbers are equal: there is no order to compare.",
)
ALONE = Text(
    zh="%(token)s 看不见别的词元：它的结果全部来自自己，没有别的词可比。",
    en="%(token)s sees no other token: its result is all its own, and there are no other words to compare.",
)
SELF_REPLACED = Text(
    zh="句子里本来就有 %(word)s：在那里换上的是同一个词，变化是 0，不说明问题。",
    en="%(word)s stands in the sentence already: there it is replaced by itself, and a change of 0 says nothing.",
)
SILENT = Text(
    zh="反例：%(way)s，注意力什么也带不走。rollout 照样把 %(share)s 分给别的词，换掉其中任何一个，%(token)s 的向量变化都恰好是 0。",
    en="The counterexample: with %(way)s attention carries nothing. Rollout still gives %(share)s to other words; replacing any of "
    "them changes the vector of %(token)s by exactly 0.",
)
SILENT_ROUNDING = Text(
    zh="反例：%(way)s，注意力什么也带不走。rollout 照样把 %(share)s 分给别的词，换掉其中任何一个，%(token)s 的向量最多变 %(most)s，只是舍入。",
    en="The counterexample: with %(way)s attention carries nothing. Rollout still gives %(share)s to other words; replacing any of "
    "them changes the vector of %(token)s by %(most)s at most, which is rounding.",
)
SILENT_ALONE = Text(
    zh="反例在这里看不出什么：%(token)s 看不见别的词元。换一个词元，或关掉因果掩码。",
    en="The counterexample shows nothing here: %(token)s sees no other token. Take another token, or switch the causal mask off.",
)
WAYS = {
    "zero_values": Text(zh="W^V 全是 0", en="W^V all 0"),
    "cancelling_heads": Text(zh="每两个头一正一反", en="heads that cancel in pairs"),
}
LIMIT = Text(
    zh="rollout 只看权重：不看值的大小，不看 W^V、W^O、前馈和归一化，“各占一半”也不是量出来的。名次合得好时它是线索，不是证据。",
    en="Rollout reads weights alone: not how large values are, not W^V, W^O, feed-forward part or norm, and its one half is measured on "
    "nothing. Where the orders agree it is a clue, not evidence.",
)

QUESTION = Text(
    zh="对句子里每个词元都这样比一遍，名次的相关平均有多高？先猜。",
    en="Do this for every token of the sentence: how high is the rank correlation on average? Guess first.",
)
ANSWER = Text(
    zh="有次序可比的词元有 %(n)d 个：平均 %(mean)s，最低 %(least)s（%(worst)s），最高 %(most)s（%(best)s）。",
    en="Tokens with an order to compare: %(n)d. On average %(mean)s, lowest %(least)s (%(worst)s), highest %(most)s (%(best)s).",
)
ANSWER_ONE = Text(
    zh="只有 %(best)s 有次序可比：%(most)s。", en="Only %(best)s has an order to compare: %(most)s."
)
ANSWER_NONE = Text(
    zh="没有一个词元有次序可比：要有两个以上看得见的别的词，而且数不全相同。",
    en="No token has an order to compare: that takes two other words in sight, with numbers that are not all equal.",
)
