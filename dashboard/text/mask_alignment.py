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
    zh="q 和 k 全是 0，v 是手写的（%(values)s），每个查询对看得见的键一视同仁。is_causal=True 那张由 torch %(version)s 当场算出。",
    en="q and k are zeros and v is made by hand (%(values)s), so a query weighs the keys it sees alike. What is_causal=True "
    "gives is computed now by torch %(version)s.",
)
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
COMPONENT = Text(zh="分量 %(place)d", en="component %(place)d")

SAME = Text(
    zh="查询和键一样多（%(n)d 个），M − N = 0，两个角是同一张掩码。一旦不一样多，就得说清楚从哪个角开始。",
    en="There are as many queries as keys (%(n)d), M − N = 0, and both corners give the same mask. As soon as the numbers "
    "differ, it must be said from which corner.",
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
    en="%(queries)d new queries follow %(cached)d cached keys. Top left lets the last query see %(left_keys)d keys and "
    "gives %(left)s; bottom right lets it see all %(keys)d and gives %(right)s. Of the pairs that bottom right allows, top "
    "left drops %(lost)d.",
)
MORE = Text(
    zh="查询比键多：右下对齐时 M − N = %(offset)s，前 %(blind)d 个查询（%(queries)s）站在第一个键之前，什么也看不到；"
    "核心给它们 %(zeros)s，不是 NaN。左上对齐没有看不到键的查询，但从查询 %(keys)d 起每一行都看全部 %(keys)d 个键。",
    en="There are more queries than keys: from the bottom right M − N = %(offset)s, so the first %(blind)d queries "
    "(%(queries)s) stand before the first key and see nothing; the core gives them %(zeros)s, not NaN. From the top left no "
    "query is blind, but every row from query %(keys)d on sees all %(keys)d keys.",
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
    zh="随机的 %(tokens)d 个词元（种子 %(seed)d），先一次算完，再用缓存的键解码：最后 %(new)d 个一起，或一次一个。"
    "哪种对齐给出同样的最后几行？",
    en="Take %(tokens)d random tokens (seed %(seed)d), compute them in one causal pass, then decode on cached keys: the last "
    "%(new)d together, or one at a time. Which corner gives the same last rows?",
)
ANSWER = Text(
    zh="与一次算完的最大差（float64）：%(each)s。%(verdict)s",
    en="Largest difference from the one pass (float64): %(each)s. %(verdict)s",
)
ANSWER_EACH = Text(
    zh="%(corner)s，最后 %(new)d 个一起 %(at_once)s，一次一个 %(by_token)s",
    en="%(corner)s, the last %(new)d together %(at_once)s, one at a time %(by_token)s",
)
BETWEEN = Text(zh="；", en="; ")
ONLY_RIGHT = Text(zh="两样都对得上的只有右下对齐。", en="Only bottom right agrees both times.")
ONLY_ONE_TOKEN = Text(zh="只有一个词元时两个角是一回事。", en="With a single token the two corners are one.")
NEITHER = Text(zh="两种对齐都没有两次对上。", en="Neither corner agrees both times.")

CODE = Text(
    zh="右下对齐的掩码，用在任何 N 和 M 上；输出就是上面右下对齐那张。",
    en="The mask from the bottom right, for any N and M; its output is the one shown above for that corner.",
)
