"""Words that the views of the mask lesson share."""

from dashboard.text import Text, mask_blind, mask_buffer, mask_ways

TITLE = Text(zh="掩码实验室：谁能看见谁", en="Mask lab: who may see whom")
CLAIM = Text(
    zh="掩码是一张是非表：第 i 行第 j 列说查询 i 能不能看键 j。它要在 softmax 之前起作用，而每个库的写法都不同。"
    "下面每个数都当场算出；换一种写法，改一个被挡住的词元，就看得出掩码有没有挡住。",
    en="A mask is a table of yes and no: row i, column j says whether query i may see key j. It has to act before softmax, and "
    "every library writes it differently. Every number here is computed on the spot; try another way of masking, change a "
    "hidden token, and see whether the mask holds.",
)

VIEW = Text(zh="看什么", en="View")
VIEW_HELP = Text(zh="每个按钮是一组实验。", en="Each button is a group of experiments.")
VIEWS: dict[str, Text] = {
    "compare": Text(zh="四种掩码并排", en="Masks side by side"),
    "ways": mask_ways.VIEW,
    "blind": mask_blind.VIEW,
    "converter": Text(zh="写法转换", en="Converter"),
    "gallery": Text(zh="图案与感受野", en="Patterns and reach"),
    "alignment": Text(zh="因果对齐", en="Causal corner"),
    "buffer": mask_buffer.VIEW,
}

QUERY = Text(zh="查询 %(number)d", en="query %(number)d")
BETWEEN_QUERIES = Text(zh="、", en=", ")
LEADS: dict[str, Text] = {
    "compare": Text(
        zh="同样的分数，盖上不同的掩码。先看“允许的对”，再看“权重”：不许看的，一点权重也没有。",
        en="The same scores under different masks. Look at “allowed” first, then at “weights”: what may not be seen gets none.",
    ),
    "ways": Text(
        zh="同一张掩码有好几种盖法，哪些真的挡住了？换一种写法，看斜纹格里还有没有权重；再改一个被挡住的词元，看谁的输出动了。",
        en="One mask can be applied in several ways: which of them really hide? Change the way and see whether striped cells "
        "still hold a weight; then change a hidden token and see whose output moves.",
    ),
    "blind": Text(
        zh="一个查询一个键也看不到时，各家给出不同的结果。",
        en="When a query may see no key at all, libraries answer differently.",
    ),
    "converter": Text(
        zh="同一张掩码，有的调用把 True 当能看，有的当挡住。选写法，再选调用，看交对了没有。",
        en="One mask, but some calls read True as may see and others as hidden. Choose how it is written, then the call, and "
        "see whether they agree.",
    ),
    "gallery": Text(
        zh="选一个图案：一层里谁能看见谁，几层之后谁能影响谁，能省多少计算。",
        en="Choose a pattern: whom a token sees in one layer, who can influence it after several, and what it saves.",
    ),
    "alignment": Text(
        zh="查询和键一样多时，因果掩码只有一种；不一样多时，斜线从左上角起还是到右下角止，结果不同。",
        en="With as many queries as keys there is one causal mask. Otherwise it matters whether the diagonal starts in the top "
        "left corner or ends in the bottom right one.",
    ),
    "buffer": Text(
        zh="掩码存成参数会被训练改掉，存成缓冲区不会。走一步看看。",
        en="Kept as a parameter a mask is changed by training, kept as a buffer it is not. Take one step and see.",
    ),
}

MORE_SENTENCES = Text(zh="同一批的其他句子", en="More sentences of the batch")
MORE_SENTENCES_HELP = Text(
    zh="句子之间用竖线 | 隔开，一批最多 8 句。短的句子用填充词元补到一样长。",
    en="Put a bar | between sentences; a batch has up to 8. Shorter ones are filled up with padding tokens.",
)
MORE_SENTENCES_PLACEHOLDER = Text(zh="句子之间用 | 隔开", en="a bar | between sentences")
MORE_SENTENCES_FIRST = Text(zh="猫 跑 了", en="the dog ran")
NOTHING_IN_SENTENCE = Text(
    zh="第 %(place)d 句 %(text)s 里没有词元，没有放进这一批。",
    en="Sentence %(place)d, %(text)s, has no token and is not in the batch.",
)
CUT_CHARACTERS = Text(
    zh="第 %(place)d 句有 %(value)d 个字符，最多 %(limit)d 个：只用前一段，你的文字还在框里。",
    en="Sentence %(place)d has %(value)d characters; %(limit)d is the most. Its beginning is used, your text is still in the "
    "box.",
)
CUT_TOKENS = Text(
    zh="第 %(place)d 句有 %(value)d 个词元，最多 %(limit)d 个：只用前一段，你的文字还在框里。",
    en="Sentence %(place)d has %(value)d tokens; %(limit)d is the most. Its beginning is used, your text is still in the box.",
)
TOO_MANY_SENTENCES = Text(
    zh="一批最多 %(limit)d 句，这里有 %(value)d 句：后面的没有放进来，你的文字还在框里。",
    en="A batch has at most %(limit)d sentences, here are %(value)d: the last ones are left out, your text is still in the "
    "box.",
)
