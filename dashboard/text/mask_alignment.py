"""Words of the view on causal masks whose queries and keys differ in number."""

from dashboard.text import Text

QUERIES = Text(zh="查询个数 N", en="queries N")
QUERIES_HELP = Text(
    zh="这一次送进来几个新词元，1 到 12。逐个解码时是 1。",
    en="How many new tokens come in at once, 1 to 12. It is 1 when one token is decoded at a time.",
)
KEYS = Text(zh="键个数 M", en="keys M")
KEYS_HELP = Text(
    zh="缓存里的加上新来的一共几个键，1 到 12。两张图的阶梯都跟着变。",
    en="How many keys there are, cached and new, 1 to 12. The steps of both pictures follow.",
)
PRESETS = {
    "decode": Text(zh="解码：1 个查询，5 个键", en="decoding: 1 query, 5 keys"),
    "chunk": Text(zh="一段：2 个查询，5 个键", en="a chunk: 2 queries, 5 keys"),
    "more": Text(zh="4 个查询，2 个键", en="4 queries, 2 keys"),
    "square": Text(zh="一样多：4 和 4", en="as many: 4 and 4"),
}
NOTE = Text(
    zh="q 和 k 全是 0，v 是手写的（%(values)s），每个查询对看得见的键一视同仁。is_causal=True 那张由 torch %(version)s 的 "
    "F.scaled_dot_product_attention（SDPA）当场算出。",
    en="q and k are zeros and v is made by hand (%(values)s), so a query weighs the keys it sees alike. What is_causal=True "
    "gives is computed now by F.scaled_dot_product_attention (SDPA) of torch %(version)s.",
)
CACHE = Text(
    zh="逐个词元生成（解码）时，旧词元的键存着不重算（缓存），只有新词元发出查询，所以查询比键少。",
    en="When text is written token by token (decoding), the keys of old tokens are stored (cached) and only new tokens ask: that "
    "is how there come to be fewer queries than keys.",
)
BLIND_SIGN = Text(zh="⊘：这一行什么键也看不到。", en="⊘: this row sees no key.")
PICTURES = Text(zh="阶梯从哪个角开始", en="From which corner the steps start")
CORNERS = {
    "top_left": Text(zh="左上对齐：键 ≤ 查询", en="top left: key ≤ query"),
    "bottom_right": Text(
        zh="右下对齐：键 ≤ 查询 + (M − N)，M − N = %(offset)s",
        en="bottom right: key ≤ query + (M − N), M − N = %(offset)s",
    ),
}
NAMES = {
    "top_left": Text(zh="左上对齐", en="top left"),
    "bottom_right": Text(zh="右下对齐", en="bottom right"),
}
TORCH = Text(zh="SDPA，is_causal=True 的输出", en="output of SDPA with is_causal=True")
OUT = Text(zh="输出", en="output")
WEIGHT = Text(zh="权重", en="weight")

SAME = Text(
    zh="查询和键一样多（%(n)d 个），M − N = 0，两个角是同一张掩码。一旦不一样多，就得说清楚从哪个角开始。",
    en="As many queries as keys, N = M = %(n)d: M − N = 0, and both corners give the same mask. As soon as the numbers differ, it "
    "must be said from which corner.",
)
DECODE = Text(
    zh="只有 1 个新查询、%(keys)d 个键：左上对齐让它只看键 1，得 %(left)s；右下对齐让它看全部 %(keys)d 个键，得 %(right)s。"
    "新词元在最后，过去全在它前面，所以解码要右下对齐。",
    en="With 1 new query on %(keys)d keys, top left lets it see key 1 alone and gives %(left)s; bottom right lets it see all "
    "%(keys)d and gives %(right)s. The new token comes last, with the whole past before it: decoding needs bottom right.",
)
FEWER = Text(
    zh="%(queries)d 个新查询接在 %(cached)d 个缓存的键后面。最后一个查询：左上对齐看 %(left_keys)d 个键，得 %(left)s；"
    "右下对齐看全部 %(keys)d 个键，得 %(right)s。左上对齐丢掉了 %(lost)d 对本该看得见的。",
    en="%(queries)d new queries come after the cached keys (%(cached)d). Top left lets the last query see %(left_keys)d keys and "
    "gives %(left)s; bottom right lets it see all %(keys)d and gives %(right)s. Of the pairs that bottom right allows, top "
    "left drops %(lost)d.",
)
MORE = Text(
    zh="查询比键多：右下对齐时 M − N = %(offset)s，站在第一个键之前、什么也看不到的是：%(queries)s。"
    "本实验室的核心给出 %(zeros)s，不是 NaN。左上对齐没有看不到键的查询，但从查询 %(keys)d 起每一行都看全部的键。",
    en="There are more queries than keys. From the bottom right M − N = %(offset)s. Before the first key, seeing "
    "nothing: %(queries)s. This lab's core answers %(zeros)s there, not NaN. From the top left no query is blind, but from "
    "query %(keys)d on every row sees every key.",
)
TORCH_SAID = Text(
    zh="is_causal=True 没有说从哪个角，量出来的输出与%(corner)s相同。要另一个角，就自己把掩码交给 attn_mask（见下面的代码）。",
    en="is_causal=True does not say from which corner; measured, its output is that of %(corner)s. For the other corner hand "
    "over a mask as attn_mask (code below).",
)
TORCH_EITHER = Text(
    zh="is_causal=True 的输出与两个角都相同：在这个大小上分不出来。",
    en="The output of is_causal=True is that of both corners: at this size they cannot be told apart.",
)
TORCH_NEITHER = Text(
    zh="is_causal=True 的输出与两个角都不同。",
    en="The output of is_causal=True is that of neither corner.",
)
TORCH_REFUSED = Text(
    zh="is_causal=True 被拒绝，原话是：%(said)s。", en="is_causal=True is refused, in these words: %(said)s."
)
WHY = Text(
    zh="为什么会有两个角：掩码只说“不看自己之后的键”，而这要先知道查询 1 站在第几个键上。左上对齐认定它站在键 1；"
    "右下对齐认定最后一个查询站在最后一个键。一样多时两种说法重合，所以训练时用错了也看不出来，到解码才出错。",
    en="Why there are two: a causal mask says only “no key after yourself”, and for that one must know at which key query 1 "
    "stands. Top left takes it to stand at key 1, bottom right takes the last query to stand at the last key. With as many "
    "queries as keys both agree, so a wrong choice goes unseen in training and shows when decoding.",
)

QUESTION = Text(
    zh="取随机的词元，共 %(tokens)d 个（种子 %(seed)d），先带因果掩码一次算完，再重算：%(feeds)s哪种对齐给出同样的结果？",
    en="Take random tokens, %(tokens)d in all (seed %(seed)d), and compute them in one causal pass. Then again: %(feeds)s Which "
    "corner gives the same results?",
)
# How the tokens are fed anew: one that is all there is, all, only the last, or the last few.
FEEDS = {
    "single": Text(zh="只送这一个词元，没有缓存。", en="feed this one token, with nothing cached."),
    "all": Text(
        zh="全部一起送；或者从头一个一个送，每次带上到那时为止缓存的键。",
        en="feed all together; or feed all one after another, each with the keys cached by then.",
    ),
    "last": Text(
        zh="只送最后一个，带上缓存的键；或者从头一个一个送，每次带上到那时为止缓存的键。",
        en="feed only the last, with the cached keys; or feed all one after another, each with the keys cached by then.",
    ),
    "few": Text(
        zh="最后 %(new)d 个一起送，带上缓存的键；或者从头一个一个送，每次带上到那时为止缓存的键。",
        en="feed the last %(new)d together, with the cached keys; or feed all one after another, each with the keys cached by "
        "then.",
    ),
}
ANSWER = Text(
    zh="与一次算完的最大差（float64）：%(each)s。%(verdict)s",
    en="Largest difference from the one pass (float64): %(each)s. %(verdict)s",
)
ANSWER_EACH = {
    "single": Text(zh="%(corner)s，%(at_once)s", en="%(corner)s, %(at_once)s"),
    "all": Text(
        zh="%(corner)s，全部一起 %(at_once)s，从头一个一个 %(by_token)s",
        en="%(corner)s, all together %(at_once)s, from the start one by one %(by_token)s",
    ),
    "last": Text(
        zh="%(corner)s，只送最后一个 %(at_once)s，从头一个一个 %(by_token)s",
        en="%(corner)s, only the last %(at_once)s, from the start one by one %(by_token)s",
    ),
    "few": Text(
        zh="%(corner)s，最后 %(new)d 个一起 %(at_once)s，从头一个一个 %(by_token)s",
        en="%(corner)s, the last %(new)d together %(at_once)s, from the start one by one %(by_token)s",
    ),
}
BETWEEN = Text(zh="；", en="; ")
ONLY_RIGHT = Text(zh="两样都对得上的只有右下对齐。", en="Only bottom right agrees both times.")
ONLY_ONE_TOKEN = Text(zh="只有一个词元时两个角是一回事。", en="With a single token the two corners are one.")
NEITHER = Text(zh="两种对齐都没有两次对上。", en="Neither corner agrees both times.")

CODE = Text(
    zh="右下对齐的掩码，用在任何 N 和 M 上；输出就是上面右下对齐那张。",
    en="The mask from the bottom right, for any N and M; its output is the one shown above for that corner.",
)
