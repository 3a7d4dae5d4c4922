"""Words of the view that changes one word and sees how far it reaches."""

from dashboard.text import Text

FIRST_WORD = Text(zh="猫", en="owl")
CHANGED = Text(zh="换掉哪个词", en="word to replace")
CHANGED_HELP = Text(
    zh="句子里的这个词会被换掉，别的都不动。", en="This word of the sentence is replaced, all others stay."
)
WORD = Text(zh="换成", en="replace by")
WORD_HELP = Text(zh="一个词元，和原来的不同。", en="One token, another one than stands there.")
WINDOW = Text(zh="滑动窗口", en="window")
WINDOW_HELP = Text(
    zh="打开：每个词元只看得见近处的键。关掉：看得见全部（或因果掩码许可的全部）。",
    en="On: each token sees only keys nearby. Off: all of them, or all that the causal mask shows.",
)
WIDTH = Text(zh="窗口宽度（含自己）", en="window width (itself counted)")
WIDTH_HELP = Text(
    zh="向一边看几个键，连自己在内。1 只看自己。",
    en="Keys to one side, its own among them. 1 sees itself alone.",
)
TOKEN = Text(zh="看哪个词元", en="token to watch")
TOKEN_HELP = Text(
    zh="话说的是这个词元。点图里它那一列也可以。",
    en="The sentences speak of this token. Picking its column does the same.",
)

TITLE = Text(zh="每层变了多少", en="Change at each layer")
CHANGE = Text(zh="变化的长度", en="length of the change")
ZERO = Text(zh="恰好是 0", en="exactly 0")
FORETOLD = Text(zh="掩码预言最早在这里", en="the mask foretells it for here")
PICK_KEYS = Text(zh="点一格，看那个词元；方向键和回车也行", en="pick a cell for its token; arrow keys, Enter")
FIRSTS = Text(zh="最早在第几层变", en="First layer with a change")
FIRST_ROWS = {
    "predicted": Text(zh="掩码预言", en="foretold by the mask"),
    "measured": Text(zh="量到", en="measured"),
}
NEVER = Text(zh="不变", en="never")

NOTE = Text(zh="测量：%(note)s · %(mask)s", en="measured: %(note)s · %(mask)s")
MASKS = {
    (False, False): Text(zh="每个词元都看得见全部", en="every token sees all"),
    (False, True): Text(zh="看得见自己和前面的全部", en="each sees itself and all before it"),
    (True, False): Text(zh="窗口宽 %(width)d，向两边", en="window of width %(width)d, to both sides"),
    (True, True): Text(zh="窗口宽 %(width)d，只向前面", en="window of width %(width)d, to what comes before"),
}
NOTICED = Text(
    zh="%(token)s 最早在第 %(first)d 层发觉：变化 %(change)s；到第 %(n)d 层之后 %(last)s。",
    en="%(token)s notices at layer %(first)d: it moves by %(change)s there, and by %(last)s after layer %(n)d.",
)
IS_CHANGED = Text(
    zh="%(token)s 就是被换掉的词：第 0 层就变了 %(change)s。",
    en="%(token)s is the word that was replaced: it moves by %(change)s at layer 0 already.",
)
UNNOTICED = Text(
    zh="%(token)s 到第 %(n)d 层之后一个数也没有动：变化恰好是 0，不是很小。",
    en="Not one number of %(token)s has moved after layer %(n)d: the change is exactly 0, not small.",
)
AGREES = Text(
    zh="掩码事先说出的层，和量到的，%(total)d 个词元全部相符。",
    en="For every token (%(total)d) the layer that the mask foretells is the one measured.",
)
DISAGREES = Text(
    zh="有 %(apart)d 个词元不在掩码说的那一层才变：掩码说的是“最早可能”。数碰巧相等，或变化小到 float64 记不下，就会更晚，或不变；没有许可的，"
    "绝不会变。例如 d_model = 1 时，一个数归一化之后总是 0。",
    en="Tokens that do not change at the foretold layer: %(apart)d. The mask says how early a change may come; where numbers happen to be "
    "equal, or a change is too small for float64, it comes later or never, and what the mask rules out never moves. With "
    "d_model = 1, for example, a single number normalised is always 0.",
)
RULE_WINDOW = Text(
    zh="每层最多传 %(step)d 个位置：宽 %(width)d 的窗口里，除去自己，一边还有 %(step)d 个。所以相隔 d 个位置的词元要 ⌈d ÷ %(step)d⌉ 层；%(n)d 层一共传 "
    "%(reach)d 个位置。",
    en="Each layer carries it %(step)d places at most, the keys to one side of a window of %(width)d, itself left out. A token d places "
    "away needs ⌈d ÷ %(step)d⌉ layers, and the whole stack (L = %(n)d) carries it %(reach)d places.",
)
RULE_NEXT = Text(
    zh="宽 2 的窗口里，除去自己，一边只有 1 个：每层最多传 1 个位置，所以相隔 d 个位置的词元要 d 层；一共 L = %(n)d 层，就传这么多个位置。",
    en="A window of 2 has one key to each side, itself left out, so each layer carries the change by one place. A token d places away "
    "needs d layers, and the whole stack carries it as many places as it has layers (L = %(n)d).",
)
RULE_ITSELF = Text(
    zh="宽 1 的窗口只看自己：多少层也传不出去。",
    en="A window of 1 sees itself alone: no number of layers carries anything on.",
)
RULE_ALL = Text(
    zh="没有窗口时，看得见它的词元第 1 层就发觉。",
    en="Without a window every token that sees the word notices in layer 1.",
)
BACKWARD = Text(
    zh="因果掩码不许往后看，所以站在它前面的词元（%(n)d 个）永远不会发觉。",
    en="The causal mask shows nothing that comes later, so the tokens before it (%(n)d) never notice.",
)
ALL_SEEN = Text(
    zh="每个词元都在 %(n)d 层之内发觉了。", en="Every token has noticed within the stack (L = %(n)d)."
)
SOME_UNSEEN = Text(
    zh="到第 %(n)d 层之后还没有发觉的词元：%(total)d 个里有 %(unseen)d 个。",
    en="Tokens that have not noticed by layer %(n)d: %(unseen)d of %(total)d.",
)
MASK_PAGE = Text(
    zh="在掩码实验室里看这张掩码能传多远 →", en="See how far this mask reaches, in the mask lab →"
)

QUESTION = Text(
    zh="最少要几层，才能让换掉的词传到离它最远的词元（第 %(place)d 个）？先按掩码想。",
    en="How many layers does it take, at least, until the change reaches the token farthest from it (place %(place)d)? Think of "
    "the mask first.",
)
ANSWER = Text(zh="%(layers)d 层。现在有 %(n)d 层。", en="Layers: %(layers)d. At present there are %(n)d.")
ANSWER_NEVER = Text(
    zh="多少层都不行：掩码里没有一条路从它走到那里。",
    en="No number of layers is enough: no chain of queries and keys leads there.",
)
QUESTION_ONE = Text(
    zh="句子里只有一个词元。换掉它，别的词元会怎样？",
    en="The sentence has one token. What does replacing it do to others?",
)
ANSWER_ONE = Text(zh="没有别的词元。多写几个词再看。", en="There are no others. Type a few more words.")
