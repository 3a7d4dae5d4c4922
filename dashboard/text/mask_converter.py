"""Words of the view that writes one mask in four ways and hands it to the wrong call."""

from dashboard.text import Text

MASK = Text(zh="掩码：一行一个查询，1 能看，0 不能看", en="mask: a row per query, 1 = may see, 0 = may not")
MASK_HELP = Text(
    zh="行与行之间用 / 隔开，最多 6 行 6 列。也可以直接点下面的格子：点一下，能看变成不能看。",
    en="Put / between rows, at most 6 rows of 6. Or pick a cell below: each pick turns may see into may not, and back.",
)
MASK_EMPTY = Text(zh="例如 100/110/111", en="for example 100/110/111")
PRESETS = {
    "causal": Text(zh="因果", en="causal"),
    "padding": Text(zh="末键是填充", en="last key is padding"),
    "all": Text(zh="全能看", en="all"),
    "blind": Text(zh="末行全挡", en="last row blind"),
}
CONVENTION = Text(zh="掩码写成", en="the mask is written as")
CONVENTION_HELP = Text(
    zh="把上面的掩码按这种写法写出来，原样交给右边选的调用。",
    en="The mask above is written in this way and handed as it is to the call you choose.",
)
CONVENTIONS = {
    "allowed": Text(zh="布尔，True = 能看", en="bool, True = may see"),
    "blocked": Text(zh="布尔，True = 挡住", en="bool, True = blocked"),
    "additive": Text(zh="相加的浮点，0 / −∞", en="additive float, 0 / −∞"),
    "binary": Text(zh="0/1 浮点，1 = 能看", en="0/1 float, 1 = may see"),
}
CALL = Text(zh="交给哪个调用", en="the call it is handed to")
CALL_HELP = Text(
    zh="前三个是 PyTorch 的，后两个是本实验室的核心。每个调用自己认定 True 和数字是什么意思，不问你。",
    en="Three of PyTorch's and two of this lab's core. Each call has its own idea of what True and numbers mean, and does not "
    "ask.",
)
CALLS = {
    "sdpa": "F.scaled_dot_product_attention(attn_mask=)",
    "mha": "nn.MultiheadAttention(attn_mask=)",
    "mha_padding": "nn.MultiheadAttention(key_padding_mask=)",
    "core": "attention_core(allowed=)",
    "core_bias": "attention_core(bias=)",
}
# Where a call is met first: whose the last two are.
CALL_NAMES: dict[str, Text | str] = {
    **CALLS,
    "core": Text(
        zh="本实验室的核心 attention_core(allowed=)", en="this lab's core, attention_core(allowed=)"
    ),
    "core_bias": Text(zh="本实验室的核心 attention_core(bias=)", en="this lab's core, attention_core(bias=)"),
}

NOTE = Text(
    zh="掩码由你画；q 和 k 全是 0，v 是手写的（%(keys)s：%(values)s），每个查询对看得见的键一视同仁。"
    "各个调用当场运行，torch %(version)s。",
    en="The mask is yours; q and k are zeros and v is made by hand (%(keys)s: %(values)s), so a query weighs the "
    "keys it sees alike. Every call runs now, torch %(version)s.",
)
ONE_KEY = Text(zh="第 1 个键", en="key 1")
SOME_KEYS = Text(zh="第 1 到 %(n_keys)d 个键", en="keys 1 to %(n_keys)d")
BLIND_ROW = Text(zh="⊘：按掩码，这一行什么键也看不到。", en="⊘: by the mask, this row sees no key.")
GRIDS = {
    "allowed": Text(zh="True = 能看", en="True = may see"),
    "blocked": Text(zh="True = 挡住", en="True = blocked"),
    "additive": Text(zh="相加的浮点", en="additive float"),
    "binary": Text(zh="0/1 浮点", en="0/1 float"),
}
# A narrow title breaks before the arrow, not behind it.
HANDED_OVER = Text(zh="%(grid)s ←\u00a0交出去的", en="%(grid)s ←\u00a0given")
TAKEN_BY = Text(zh="收“%(convention)s”的：%(calls)s", en="“%(convention)s” is taken by: %(calls)s")
TAKEN_BY_NONE = Text(
    zh="没有调用按这个意思读“%(grid)s”：有的不报错，当加数用。先转换。",
    en="No call reads “%(grid)s” this way; some accept it without an error and add it to the scores. Convert it first.",
)
WHO_TAKES = Text(zh="同一张掩码，四种写法", en="One mask, four ways to write it")
USED = Text(zh="这个调用实际用的权重", en="weights the call really used")
MEANT = Text(zh="掩码本来的意思", en="what the mask meant")
OUT = Text(zh="输出", en="output")
WEIGHT = Text(zh="权重", en="weight")
FLIP_KEYS = Text(zh="点击或回车翻转", en="click or Enter flips")
STORED = Text(zh="存的值", en="stored value")

TITLE = Text(zh="交过去之后", en="What comes of it")
TAKES = Text(
    zh="你交的是“%(given)s”，%(call)s 把它当成“%(taken)s”。",
    en="You hand over “%(given)s”; %(call)s takes it for “%(taken)s”.",
)
# Of a call that refuses: it takes the mask for nothing.
TAKES_ONLY = Text(
    zh="你交的是“%(given)s”，%(call)s 只收“%(taken)s”。",
    en="You hand over “%(given)s”; %(call)s takes only “%(taken)s”.",
)
# Of rows that no key_padding_mask can hold; bool or floats.
WOULD_TAKE = {
    "blocked": Text(
        zh="这个调用把布尔读成“True = 挡住”，但它只收一行。",
        en="This call would read a bool as “True = blocked”, but it takes only one row.",
    ),
    "additive": Text(
        zh="这个调用把浮点加到分数上，但它只收一行。",
        en="This call would add floats to the scores, but it takes only one row.",
    ),
}
REFUSED = Text(
    zh="它拒绝了，原话是：%(said)s。拒绝是好结果：没有一个错数混进输出。",
    en="It refuses, in these words: %(said)s. A refusal is a good result: no wrong number gets into the output.",
)
REFUSED_ROWS = Text(
    zh="key_padding_mask 对所有查询只有一行；你的掩码有 %(found)d 种不同的行，没法这样写，所以没有交给 PyTorch。"
    "本实验室的核心说：%(said)s。",
    en="A key_padding_mask is one row for all queries; your mask has %(found)d different rows and cannot be one, so nothing "
    "was handed to PyTorch. This lab's core says: %(said)s.",
)
RIGHT = Text(
    zh="写法对得上，输出就是掩码的意思：与核心的最大差是 %(difference)s。",
    en="The two agree, and the output is what the mask meant: it differs from the core's by %(difference)s at most.",
)
RIGHT_SEEING = Text(
    zh="写法对得上。看得见键的查询，输出就是掩码的意思：与核心的最大差是 %(difference)s。",
    en="The two agree. Where a query may see a key, the output is what the mask meant: it differs from the core's by "
    "%(difference)s at most.",
)
RIGHT_BLIND = Text(
    zh="写法对得上：掩码要挡住所有的键，它就一个也没看。",
    en="The two agree: the mask hides every key, and the call sees none.",
)
LUCK = Text(
    zh="写法对不上，输出却是对的（最大差 %(difference)s）：这张掩码读错了也一样。换一张有键要挡的掩码就不会这么巧，而且没有任何警告。",
    en="The two do not agree and the output is right all the same (it differs by %(difference)s at most): this mask reads "
    "the same either way. One that hides a key will not, and nothing warns you.",
)
WRONG = Text(
    zh="没有报错，但 %(rows)d 个查询里有 %(differing)d 个的输出不是掩码的意思：%(leaks)d 个被挡住的位置得到了权重，"
    "%(lost)d 个能看的位置权重是 0 或 NaN。",
    en="No error, but outputs that the mask did not mean: %(differing)d of %(rows)d. Hidden pairs with a weight: %(leaks)d; "
    "allowed pairs whose weight is 0 or NaN: %(lost)d.",
)
FIRST_WRONG = Text(
    zh="查询 %(query)d 该看的键：%(meant)s，该得 %(expected)s；实际看的键：%(seen)s，得 %(got)s。",
    en="Query %(query)d. Keys it should see: %(meant)s, giving %(expected)s. Keys it sees: %(seen)s, giving %(got)s.",
)
FIRST_SEES = Text(
    zh="查询 %(query)d 什么也不该看；实际看的键：%(seen)s，得 %(got)s。",
    en="Query %(query)d should see nothing. Keys it sees: %(seen)s, giving %(got)s.",
)
INVERTED_CAUSAL = Text(
    zh="True 被反着读：因果掩码变成“只看未来”，每个查询都看不到自己和过去，只看得到后面的词元。",
    en="True is read the other way round: the causal mask lets every query see only the future, neither itself nor the past.",
)
INVERTED = Text(
    zh="True 被反着读：能看的全被挡住，该挡的全放行。",
    en="True is read the other way round: what may be seen is blocked and what is blocked is seen.",
)
BLINDED = Text(
    zh="%(queries)s因此什么也看不到，这个调用在那里的输出是 %(got)s。",
    en="Sees nothing because of it: %(queries)s; this call answers %(got)s there.",
)
ADDED = Text(
    zh="0 和 1 被加到分数上：能看的键只重了 e = %(e)s 倍，没有一个键被挡住。查询 %(query)d 的权重是 %(weights)s，"
    "该挡的键一共拿走 %(leaked)s。",
    en="0 and 1 are added to the scores: an allowed key weighs only e = %(e)s times as much and no key is hidden. Query "
    "%(query)d has the weights %(weights)s; the keys that should be hidden take %(leaked)s of it.",
)
NONE = Text(zh="（没有）", en="(none)")
NO_RIGHT_ANSWER = Text(
    zh="按掩码什么也不能看的：%(queries)s。那里没有正确答案，这里得 %(got)s。",
    en="May see nothing by the mask: %(queries)s; no answer is right there, and here it is %(got)s.",
)
BOOL_SAYS_NOTHING = (
    "布尔值不说自己是“能看”还是“挡住”，0/1 浮点不说自己是开关还是加数。同一个 PyTorch 里，"
    "scaled_dot_product_attention 的 True 是能看，nn.MultiheadAttention 的 True 是挡住；只有 0 / −∞ 的浮点两边读法一样。",
    "a bool does not say whether it means may see or blocked, and a 0/1 float does not say whether it is a switch or a "
    "summand. Inside one PyTorch, True means may see to scaled_dot_product_attention and blocked to nn.MultiheadAttention; "
    "only floats of 0 and −∞ are read alike by both.",
)
WHY = Text(zh=f"为什么会错：{BOOL_SAYS_NOTHING[0]}", en=f"Why it goes wrong: {BOOL_SAYS_NOTHING[1]}")
WHY_ELSEWHERE = Text(
    zh=f"为什么别处会错：{BOOL_SAYS_NOTHING[0]}", en=f"Why it goes wrong elsewhere: {BOOL_SAYS_NOTHING[1]}"
)
PRODUCT = Text(
    zh="把布尔变成相加的浮点，要用 torch.where 或 masked_fill 选择，不能用乘法：(1 − 掩码)·(−∞) 在能看的位置是 "
    "0·(−∞) = %(product)s，选择给出 %(chosen)s。",
    en="Turn bool into additive floats by choosing, with torch.where or masked_fill, not by multiplying: (1 − mask)·(−∞) is "
    "0·(−∞) = %(product)s at an allowed pair; choosing gives %(chosen)s.",
)

QUESTION = Text(
    zh="把这张掩码按四种写法各交一次给 %(call)s，哪几次的输出是掩码的意思？",
    en="Hand this mask to %(call)s in each of the four ways. Which of them come out as the mask meant?",
)
ANSWER = Text(zh="逐个运行：%(each)s。", en="Run one by one: %(each)s.")
ANSWER_EACH = Text(zh="%(convention)s：%(verdict)s", en="%(convention)s: %(verdict)s")
BETWEEN = Text(zh="；", en="; ")
VERDICTS = {
    "right": Text(zh="对", en="right"),
    "luck": Text(zh="碰巧对", en="right by luck"),
    "wrong": Text(
        zh="错，没有警告（%(differing)d 行不对）",
        en="wrong, without a warning (rows that differ: %(differing)d)",
    ),
    "refused": Text(zh="被拒绝", en="refused"),
}

CODE = Text(
    zh="这段代码收到“%(given)s”的掩码，转成这个调用要的写法再交过去，输出是掩码的意思。可以直接复制运行。",
    en="This code is given the mask as “%(given)s”, turns it into what the call takes, and hands it over; the output is what "
    "the mask means. Copy and run it.",
)
CODE_NONE = Text(
    zh="各行不同的掩码没法写成 key_padding_mask，所以这里没有代码：改用 attn_mask，或点“末键是填充”。",
    en="A mask with different rows cannot be a key_padding_mask, so there is no code here: use attn_mask, or take “last key is "
    "padding”.",
)

GUESS_HEADING = Text(zh="没有写明写法的掩码", en="A mask that does not say how it is written")
GUESS = Text(zh="粘贴一张掩码", en="paste a mask")
GUESS_HELP = Text(
    zh="True/False 或数字，行与行之间用 /、换行或方括号隔开，最多 6 行 6 列。没有小数点的是整数，有小数点的是浮点。",
    en="True/False or numbers, rows between / or line breaks or brackets, at most 6 rows of 6. Without a point they are "
    "integers, with one they are floats.",
)
GUESS_EMPTY = Text(zh="例如 0.0 -inf / 0.0 0.0", en="for example 0.0 -inf / 0.0 0.0")
READ_AS = Text(
    zh="读成 %(rows)d × %(columns)d 的 %(dtype)s。", en="Read as %(dtype)s, %(rows)d × %(columns)d."
)
GUESSED = {
    "additive": Text(
        zh="只有一种读法：相加的浮点，−∞ 挡住，0 不改变分数。",
        en="Only one reading is possible: additive floats; −∞ hides and 0 changes nothing.",
    ),
    "allowed": Text(
        zh="布尔：本站按 True = 能看读，和 scaled_dot_product_attention 一样。但张量里没有任何东西说它不是给 "
        "nn.MultiheadAttention 写的，那里 True 是挡住。",
        en="Bool: this lab reads True as may see, as scaled_dot_product_attention does. Nothing in the tensor tells whether it "
        "was made for nn.MultiheadAttention, where True is blocked.",
    ),
}
AMBIGUOUS = Text(
    zh="%(dtype)s 的张量，%(values)s，有两种互相矛盾的读法，所以核心拒绝替你猜：",
    en="%(dtype)s of %(values)s has two readings that contradict each other, so the core refuses to guess:",
)
AMBIGUOUS_ALIKE = Text(
    zh="%(dtype)s 的张量，%(values)s，有两种读法。这张掩码两种读法都看得见每个键，权重也一样，猜错没有后果；"
    "但同样写法的掩码里只要有一个 0，两种读法就会不同，所以核心照样拒绝替你猜：",
    en="%(dtype)s of %(values)s has two readings. Through either every key of this mask is seen, with the same weights, so a wrong "
    "guess does no harm. With one 0 in it they would differ, so the core refuses to guess all the same:",
)
VALUES_FOUND = {
    (True, True): Text(zh="0 和 1", en="0 and 1"),
    (True, False): Text(zh="全 0", en="0 alone"),
    (False, True): Text(zh="全 1", en="1 alone"),
}
ADDITIVE_ALONE = Text(
    zh="加数：−∞ 挡住这个键，别的数加到它的分数上。查询 1 的权重 %(weights)s。",
    en="a summand: −∞ hides its key, any other number is added to its score. Weights of query 1: %(weights)s.",
)
READINGS = {
    "binary": Text(
        zh="开关：1 = 能看，0 = 不能看。查询 1 的权重 %(weights)s。",
        en="a switch: 1 = may see, 0 = may not. Weights of query 1: %(weights)s.",
    ),
    "blocked": Text(
        zh="挡住：1 = 挡住，0 = 能看。查询 1 的权重 %(weights)s。",
        en="blocked: 1 = may not see, 0 = may. Weights of query 1: %(weights)s.",
    ),
    "additive": Text(
        zh="加数：它们加到分数上，每个键都看得见。查询 1 的权重 %(weights)s。",
        en="a summand: added to the scores, and every key is seen. Weights of query 1: %(weights)s.",
    ),
    "allowed": Text(
        zh="True = 能看。查询 1 的权重 %(weights)s。", en="True = may see. Weights of query 1: %(weights)s."
    ),
}
READING_TITLES = {
    "binary": Text(zh="读作开关：1 = 能看", en="read as a switch: 1 = may see"),
    "blocked": Text(zh="读作挡住：1 = 挡住", en="read as blocked: 1 = may not see"),
    "additive": Text(zh="读作加数", en="read as a summand"),
    "allowed": Text(zh="读作 True = 能看", en="read as True = may see"),
}
TAKE_READING = {
    "binary": Text(zh="按 1 = 能看 采用", en="Take it as 1 = may see"),
    "blocked": Text(zh="按 1 = 挡住 采用", en="Take it as 1 = blocked"),
    "additive": Text(zh="按加数采用", en="Take it as a summand"),
    "allowed": Text(zh="按 True = 能看 采用", en="Take it as True = may see"),
}
BAD_VALUE = Text(
    zh="第 %(row)d 行第 %(column)d 列是 %(value)s：掩码里只能有 0 和 −∞，或者 0 和 1。",
    en="Row %(row)d, column %(column)d holds %(value)s: a mask holds 0 and −∞, or 0 and 1.",
)
LARGE_NEGATIVE = Text(
    zh="很大的负数不是 −∞：整行都被挡时就看得出差别。",
    en="A large negative number is not −∞: a row with nothing to see tells them apart.",
)
FAULTS = {
    "empty": Text(
        zh="一个数也没有：至少要 1 行 1 列。", en="Nothing could be read: at least 1 row of 1 is needed."
    ),
    "unreadable": Text(
        zh="读不懂 %(pieces)s：这里只能有%(legal)s。",
        en="%(pieces)s cannot be read: only %(legal)s may stand here.",
    ),
    "ragged": Text(
        zh="每行要一样长，这里最短 %(narrow)d 个，最长 %(wide)d 个。",
        en="Rows must have one length; here the shortest has %(narrow)d and the longest %(wide)d.",
    ),
    "too_large": Text(
        zh="最多 %(most)d 行 %(most)d 列，这里有 %(rows)d 行 %(wide)d 列。",
        en="At most %(most)d × %(most)d (rows × columns); here it is %(rows)d × %(wide)d.",
    ),
    "too_long": Text(
        zh="最多读 %(longest)d 个字符，这里有 %(length)d 个。",
        en="At most %(longest)d characters are read; here are %(length)d.",
    ),
}
LEGAL_DRAWN = Text(zh="0、1 和 /", en="0, 1 and /")
LEGAL_NUMBERS = Text(zh="数字、inf，或者全是 True/False", en="numbers and inf, or True/False alone")
AND_MORE = Text(zh="%(pieces)s 等 %(found)d 处", en="%(pieces)s and others, %(found)d in all")
TAKE = Text(zh="改成 %(text)s", en="Take %(text)s")
