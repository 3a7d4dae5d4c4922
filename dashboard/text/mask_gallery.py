"""Words of the gallery of masks: patterns, their parameters, what they allow, and how far they see."""

from dashboard.text import Text

PATTERN = Text(zh="图案", en="pattern")
PATTERN_HELP = Text(
    zh="谁能看见谁的规则。下面的两张图和所有数都跟着变。",
    en="The rule that says who sees whom. Both pictures and all numbers below follow.",
)
PATTERNS = {
    "full": Text(zh="全连接", en="full"),
    "causal": Text(zh="因果", en="causal"),
    "window": Text(zh="窗口", en="window"),
    "banded": Text(zh="带状", en="banded"),
    "block": Text(zh="分块", en="block"),
    "dilated": Text(zh="空洞窗口", en="dilated window"),
    "strided": Text(zh="跨步", en="strided"),
    "prefix": Text(zh="前缀", en="prefix"),
    "global_tokens": Text(zh="全局词元", en="global tokens"),
    "random": Text(zh="随机", en="random"),
    "patches": Text(zh="图像小块", en="image patches"),
}
FILE_PATTERN = Text(zh="来自文件（CSV）", en="from a file (CSV)")
N = Text(zh="N（词元数）", en="N (tokens)")
N_HELP = Text(zh="查询和键各有几个，1 到 2048。", en="How many queries, and as many keys: 1 to 2048.")

# Parameters, by the name in the core; "pattern.name" where one pattern means something else by it.
PARAMETERS = {
    "width": Text(zh="w（窗口宽度）", en="w (window width)"),
    "is_causal": Text(zh="只看过去", en="past only"),
    "below": Text(zh="往前几个", en="keys before"),
    "above": Text(zh="往后几个", en="keys after"),
    "size": Text(zh="块长", en="block size"),
    "dilation": Text(zh="间隔", en="dilation"),
    "stride": Text(zh="步长", en="stride"),
    "length": Text(zh="前缀长度", en="prefix length"),
    "count": Text(zh="全局词元数", en="global tokens"),
    "share": Text(zh="通过的概率", en="chance of a pair"),
    "seed": Text(zh="种子", en="seed"),
    "height": Text(zh="图像几行", en="rows of patches"),
    "patches.width": Text(zh="每行几块", en="patches in a row"),
    "radius": Text(zh="半径", en="radius"),
}
PARAMETER_HELP = {
    "width": Text(
        zh="往一边看几个键，自己算一个：1 就是只看自己。",
        en="How many keys to one side, the query's own position counted: 1 is only itself.",
    ),
    "is_causal": Text(zh="打开后，后面的键都看不见。", en="When on, keys after the query are hidden."),
    "below": Text(
        zh="自己之前的键数，自己不算，但总看得见。",
        en="Keys before the query. It always sees itself, not counted here.",
    ),
    "above": Text(zh="自己之后的键数，自己不算。", en="Keys after the query, itself not counted."),
    "size": Text(
        zh="一块里有几个位置；最后一块可以短一些。", en="Positions in a block; the last block may be shorter."
    ),
    "dilation": Text(
        zh="相邻两个看得见的键隔几步；1 就是普通窗口。",
        en="Steps from one visible key to the next; 1 is the plain window.",
    ),
    "stride": Text(
        zh="近处看几个键（自己算一个），远处每隔几步看一个。",
        en="Keys seen nearby, the query counted, and steps between the far ones.",
    ),
    "length": Text(
        zh="开头几个键人人可见；0 就是因果掩码。",
        en="How many first keys everybody sees; 0 is the causal mask.",
    ),
    "count": Text(
        zh="开头几个词元看得见所有、也被所有看见。",
        en="How many first tokens see everything and are seen by all.",
    ),
    "share": Text(
        zh="不在对角线上的一对被允许的概率。", en="The chance that a pair off the diagonal is allowed."
    ),
    "seed": Text(zh="换一个种子，换一张掩码。", en="Another seed draws another mask."),
    "height": Text(
        zh="图像切成几行小块；词元一行接一行排。", en="Rows of patches of the image; tokens run row by row."
    ),
    "patches.width": Text(zh="一行有几个小块。", en="How many patches stand in a row of the image."),
    "radius": Text(
        zh="上下左右各看几块：一个边长 2·半径 + 1 的正方形。",
        en="Patches to each side: a square whose side is 2·radius + 1.",
    ),
}

JOIN = Text(zh="再叠一个图案", en="join a second pattern")
JOIN_HELP = Text(
    zh="两条规则合成一张掩码：两条都允许（且）、至少一条允许（或）、第一条允许而第二条不允许（且非）。",
    en="Make one mask of two rules: both allow (and), at least one allows (or), the first allows and the second does not "
    "(and not).",
)
JOINS = {
    "alone": Text(zh="不叠", en="none"),
    "and": Text(zh="且", en="and"),
    "or": Text(zh="或", en="or"),
    "and_not": Text(zh="且非", en="and not"),
}
SECOND = Text(zh="第二个图案", en="second pattern")
SECOND_HELP = Text(zh="与第一个图案合成一张掩码。", en="Joined with the first pattern to one mask.")

LAYERS = Text(zh="L（层数）", en="L (layers)")
LAYERS_HELP = Text(
    zh="同一张掩码叠几层。右图画出叠完之后谁能影响谁。",
    en="How many layers with this mask stand on one another. The second picture shows who can influence whom after them.",
)
RESIDUAL = Text(zh="残差：输入加到输出上", en="residual: input added to output")
RESIDUAL_HELP = Text(
    zh="每层把输入加到输出上，词元自己的输入因此不会丢。",
    en="Each layer adds its input to its output, so that a token never loses its own.",
)
WIDTHS = Text(zh="FLOPs 按什么宽度算", en="Widths for the FLOPs")
D_K = Text(zh="d_k（一个头的查询和键）", en="d_k (one head's queries and keys)")
D_V = Text(zh="d_v（一个头的值）", en="d_v (one head's values)")
WIDTH_HELP = Text(
    zh="只影响 FLOPs 的计数，不影响掩码。", en="Changes the count of FLOPs alone, not the mask."
)

# Drawing by hand.
REMOVE_CELLS = Text(zh="撤销我改的 %(count)d 格", en="Undo my flips (%(count)d)")

# The mask as a table of text.
TABLE = Text(zh="把掩码当作表格来改", en="Edit the mask as a table")
TABLE_BOX = Text(
    zh="掩码：一行一个查询，1 看得见，0 看不见", en="mask: a query a line, 1 = may see, 0 = may not"
)
TABLE_HELP = Text(
    zh="改几个数字，或者粘贴一整张表：数字之间可以有逗号、空格、制表符，也可以什么都没有。离开输入框或按 Ctrl+Enter 就生效。"
    "与图案不同的格子算作你翻转的格子，写在链接里。最多 %(longest)s 个字符。",
    en="Change some digits or paste a whole table; commas, spaces, tabs or nothing may stand between cells. It takes effect when "
    "you leave the box or press Ctrl+Enter. Cells that differ from the pattern become flipped cells, and the link holds them. At most %(longest)s characters.",
)
TABLE_TOO_WIDE = Text(
    zh="表格最多改 N = %(most)d 的掩码，这里 N = %(n)d；更大的请用 CSV 文件。",
    en="A mask can be edited as a table up to N = %(most)d, and here N = %(n)d; for a larger one use a CSV file.",
)
TABLE_NAME = Text(zh="这张表", en="this table")
TABLE_DIFFERS = Text(
    zh="这张表与图案有 %(count)d 格不同，链接最多装 %(most)d 格%(outside)s。",
    en="Cells of this table that differ from the pattern: %(count)d; the link holds %(most)d at most%(outside)s.",
)
TABLE_OUTSIDE = Text(zh="，其中 %(count)d 格已经用在 N 之外", en=", %(count)d of which are in use beyond N")
TABLE_WAITS = Text(zh="这张表现在合得上了，但还没有用上。", en="This table fits now but is not in use yet.")
TAKE_TABLE = Text(zh="用这张表", en="Use this table")
TAKE_OWN = Text(zh="只用这张表（链接带不走）", en="Use this table alone (no link can hold it)")
TAKE_NEAREST = Text(zh="留下读得懂的格子，其余照图", en="Keep the cells that can be read, the rest as drawn")
DROP_TABLE = Text(zh="放弃，回到图上的掩码", en="Discard it and show the mask as drawn")
REDRAW = Text(zh="改成画 %(n)d 个词元", en="Take N = %(n)d")

# A file.
UPLOAD = Text(zh="掩码文件（CSV，0 和 1）", en="mask file (CSV of 0 and 1)")
UPLOAD_HELP = Text(
    zh="一行一个查询，一列一个键；1 或 true 是看得见，0 或 false 是看不见。格子用逗号分开；一个逗号也没有时，空格、制表符或分号也行。"
    "可以有一行表头和一列行名：里面有 0 和 1 以外的东西，或者表头从 0 数起（0, 1, …）。最大 %(limit)s。",
    en="A query a line, a key a column; 1 or true may see, 0 or false may not. Commas separate the cells; in a file without any, "
    "spaces, tabs or semicolons do. One header line and one column of labels are skipped where they hold anything else than 0 "
    "and 1, or where the header counts 0, 1, … At most %(limit)s.",
)
NO_FILE = Text(
    zh="这里还没有文件：请在上面传一个。每行一个查询，格子用逗号分开，例如 1,0 换行 1,1；行数和列数都是 N。"
    "最大 %(limit)s；更大的在框里标红，不会打开。文件只留在这次访问里：链接写得下“来自文件”，装不下文件。",
    en="There is no file here yet: upload one above. One row per query, cells separated by commas, for example 1,0 then 1,1; N "
    "rows and N columns. At most %(limit)s; a larger one turns red in the box and is not opened. It lives in this visit alone: "
    "a link can say “from a file” but cannot carry the file.",
)
TYPED = Text(zh="你填的表格", en="the table you typed")
FILE_KEPT = Text(
    zh="正在用 %(name)s，%(n)d × %(n)d。它只留在这次访问里，链接带不走它。",
    en="Using %(name)s, %(n)d × %(n)d. It lives in this visit alone; a link cannot carry it.",
)
FAULTS = {
    "too_large": Text(
        zh="%(name)s 有 %(value)s 字节，最多 %(limit)s 字节：没有打开它。",
        en="%(name)s has %(value)s bytes; %(limit)s is the most. It was not opened.",
    ),
    "not_utf8": Text(
        zh="%(name)s 不是 UTF-8 文本：第 %(byte)s 个字节读不成字符。请另存为 UTF-8 的 CSV。",
        en="%(name)s is no UTF-8 text: byte %(byte)s cannot be read as a character. Save it as CSV in UTF-8.",
    ),
    "not_csv": Text(
        zh="%(name)s 的第 %(line)d 行读不成 CSV：引号没有成对，或者一格太长。",
        en="Line %(line)d of %(name)s cannot be read as CSV: a quote is not closed, or a cell is too long.",
    ),
    "empty": Text(
        zh="%(name)s 里一格也没有；掩码要 %(n)d 行 %(n)d 列（N = %(n)d）。",
        en="There is no cell in %(name)s; the mask is %(n)d × %(n)d (N = %(n)d).",
    ),
    "wrong_shape": Text(
        zh="掩码要 %(n)d 行 %(n)d 列（N = %(n)d），%(name)s 有 %(rows)d 行 %(columns)d 列。",
        en="The mask is %(n)d × %(n)d (N = %(n)d); %(name)s is %(rows)d × %(columns)d (rows × columns).",
    ),
    "one_column": Text(
        zh="掩码要 %(n)d 行 %(n)d 列（N = %(n)d），%(name)s 里只找到一列（%(rows)d 行）：格子之间请用逗号分开。",
        en="The mask is %(n)d × %(n)d (N = %(n)d), and in %(name)s only one column was found (rows: %(rows)d): separate the cells "
        "by commas.",
    ),
    "ragged": Text(
        zh="掩码要 %(n)d 行 %(n)d 列（N = %(n)d），%(name)s 有 %(rows)d 行，各行长短不一。",
        en="The mask is %(n)d × %(n)d (N = %(n)d); the rows of %(name)s (%(rows)d) have different lengths.",
    ),
    "wrong_cell": Text(
        zh="一格只能是 0、1、true 或 false；%(name)s 的第 %(line)d 行第 %(column)d 列是 %(cell)s。",
        en="A cell must be 0, 1, true or false; line %(line)d, column %(column)d of %(name)s holds %(cell)s.",
    ),
}

# The pictures.
MASK_TITLE = Text(zh="掩码：谁看得见谁", en="mask: who sees whom")
FIELD_TITLE = Text(zh="%(layers)d 层之后：谁能影响谁", en="after %(layers)d layers: who can influence whom")
FIELD_TITLE_ONE = Text(zh="1 层之后：谁能影响谁", en="after 1 layer: who can influence whom")
SEEN = Text(zh="1 = 看得见", en="1 = may see")
REACHED = Text(zh="1 = 够得着", en="1 = can reach")
KEYS_SEEN = Text(zh="键数", en="keys")
INPUTS = Text(zh="输入数", en="inputs")
FLIPPED = Text(zh="你改过", en="flipped by you")
FLIP_KEYS = Text(zh="点一格，或按回车，就翻转它", en="click a cell, or press Enter, to flip it")

# What is said. The rules take the pattern's parameters by their names in the core.
# The note is put together from what is true of the mask on the screen.
NOTE_LOOK = Text(
    zh="有颜色的格（1）看得见，灰色花纹的格（0）看不见",
    en="coloured (1): may see · grey pattern (0): may not",
)
NOTE_RULE = Text(zh="掩码由一条规则定下", en="the mask follows one rule")
NOTE_RULES = Text(zh="掩码由两条规则合成", en="the mask joins two rules")
NOTE_FILE = Text(
    zh="掩码来自%(name)s，只留在这次访问里", en="the mask comes from %(name)s and lives in this visit alone"
)
NOTE_FILE_JOINED = Text(
    zh="掩码由%(name)s（只留在这次访问里）和一条规则合成",
    en="the mask joins %(name)s, which lives in this visit alone, with a rule",
)
NOTE_FLIPPED = Text(zh="另有 %(count)d 格由你翻转", en="then flipped by you, cells: %(count)d")
NOTE_SEEDS = Text(
    zh="其中随机的部分由种子 %(seeds)s 抽出", en="what is random in it is drawn with seed %(seeds)s"
)
# What stands before a row without a key: a sign where rows have numbers, a bar where they have none.
MARKS = {True: Text(zh="⊘", en="⊘"), False: Text(zh="行首的竖条", en="bar before a row")}
MARKED = {
    "mask": Text(zh="%(mark)s：这一行什么键也看不到", en="%(mark)s: this row sees no key"),
    "field": Text(
        zh="“谁能影响谁”图里的%(mark)s：没有输入够得着这一行",
        en="%(mark)s under “who can influence whom”: no input reaches this row",
    ),
}
NOTE_EXACT = Text(zh="所有数都数得精确，没有抽样", en="everything is counted exactly, nothing sampled")
YOUR_FILE = Text(zh="你的文件“%(name)s”", en="your file %(name)s")
RULES = {
    "full": Text(zh="全连接：每个查询看得见每个键。", en="Full: every query sees every key."),
    "causal": Text(zh="因果：查询 i 看得见键 j，只要 j ≤ i。", en="Causal: query i sees key j where j ≤ i."),
    "window": Text(
        zh="窗口：|j − i| < w，w = %(width)d，自己算在内。",
        en="Window: |j − i| < w with w = %(width)d, itself counted.",
    ),
    "banded": Text(
        zh="带状：−%(below)d ≤ j − i ≤ %(above)d，两边的宽度各自定。",
        en="Banded: −%(below)d ≤ j − i ≤ %(above)d, each side with its own width.",
    ),
    "block": Text(
        zh="分块：每 %(size)d 个位置一块，只看得见自己这一块。",
        en="Block: positions are cut into blocks of %(size)d, and a query sees its own block alone.",
    ),
    "dilated": Text(
        zh="空洞窗口：每隔 %(dilation)d 步看一个键，每边 %(width)d 个，自己算在内。",
        en="Dilated window: every key at a distance that %(dilation)d divides, %(width)d to a side, itself counted.",
    ),
    "strided": Text(
        zh="跨步：|j − i| < %(stride)d，或者 %(stride)d 整除 j − i。",
        en="Strided: |j − i| < %(stride)d, or %(stride)d divides j − i.",
    ),
    "prefix": Text(
        zh="前缀：长 %(length)d 的前缀里的键人人看得见，其余按 j ≤ i。",
        en="Prefix: everybody sees the keys in a prefix of length %(length)d; behind it j ≤ i.",
    ),
    "global_tokens": Text(
        zh="全局词元：编号不超过 %(count)d 的词元看得见所有，也被所有看见；其他词元只看得见它们，所以常和窗口用“或”叠在一起。",
        en="Global tokens: those numbered up to %(count)d see all and are seen by all; any other sees only them, which is why a "
        "window is usually joined by “or”.",
    ),
    "random": Text(
        zh="随机：每一对以概率 %(share)s 通过（种子 %(seed)d），每个词元总看得见自己。",
        en="Random: each pair passes with chance %(share)s (seed %(seed)d), and every token sees itself.",
    ),
    "patches": Text(
        zh="图像小块：词元是 %(height)d × %(width)d 的图像里一行接一行的小块，看得见行差和列差都不超过 %(radius)d 的小块。",
        en="Image patches: tokens are the patches of a %(height)d × %(width)d image, row by row, and each sees those at most "
        "%(radius)d away in row and in column.",
    ),
    "file": Text(zh="来自%(name)s。", en="From %(name)s."),
}
RUNS = Text(
    zh="图像里的一个正方形，在这条规则的一行里变成几段分开的键。",
    en="What is a square in the image becomes separate runs of keys in a row of this rule.",
)
PAST_ONLY = Text(
    zh="另外 j ≤ i：这条规则不许看后面。", en="And j ≤ i: this rule allows nothing that comes after."
)
JOINED = {
    "and": Text(zh="且（两条都要允许）：", en="And (both must allow):"),
    "or": Text(zh="或（有一条允许就行）：", en="Or (one is enough):"),
    "and_not": Text(zh="且非（去掉下面这条允许的）：", en="And not (without what this one allows):"),
}
OTHER_WINDOW = Text(
    zh="别处的窗口常常不算自己：这里的 w = %(width)d 就是自己和前面 %(before)d 个，在 flash-attn 的 window_size 或 ONNX 的 "
    "left_window_size 里要写 %(before)d。若把 %(width)d 填给它们，前几行的键数就从 %(ours)s 变成 %(theirs)s。",
    en="Elsewhere a window often does not count the query: w = %(width)d here is itself and %(before)d before, which flash-attn's "
    "window_size and ONNX's left_window_size call %(before)d. Give them %(width)d, and the first rows hold %(theirs)s keys instead of %(ours)s.",
)
OUTSIDE_IMAGE = Text(
    zh="图像有 %(patches)d 块，词元有 %(n)d 个：%(who)s",
    en="Patches in the image: %(patches)d; tokens: %(n)d. %(who)s",
)
TOO_MANY_TOKENS = Text(
    zh="多出的 %(count)d 个不在图像里：按这个图案，它们看不见谁，也不被看见。",
    en="Tokens outside the image: %(count)d; in this pattern they see nobody and nobody sees them.",
)
TOO_FEW_TOKENS = Text(
    zh="图像末尾的 %(count)d 块没有画出来。", en="Patches at the end that are not drawn: %(count)d."
)
FLIPPED_SAID = Text(
    zh="你翻转了 %(count)d 格（最多 %(most)d 格），都写在链接里。",
    en="Cells that you flipped: %(count)d (%(most)d at most); the link holds them.",
)
FLIPPED_OUTSIDE = Text(
    zh="其中 %(count)d 格在 N = %(n)d 之外，N 变大时又会出现。",
    en="Beyond N = %(n)d and back with a larger N: %(count)d of them.",
)
NO_MORE_FLIPS = Text(
    zh="已经到了 %(most)d 格：再点别的格不起作用，点改过的格可以改回去。",
    en="That is all %(most)d: clicks on other cells do nothing, clicks on flipped ones flip them back.",
)
CANNOT_FLIP = Text(
    zh="N = %(n)d 时一个像素代表好几格，不能点着改；N 不超过 %(most)d 才可以。",
    en="At N = %(n)d a pixel stands for several cells, so none can be flipped; up to N = %(most)d they can.",
)
FACTS = Text(zh="数一数", en="Counted")
PAIRS = Text(
    zh="允许 %(pairs)s 对，一共 %(all)s 对，占 %(share)s%%；最长的一行看得见 %(largest)d 个键。",
    en="Allowed pairs: %(pairs)s of %(all)s, %(share)s%%; keys in the largest row: %(largest)d.",
)
FLOPS = Text(
    zh="每一对都算要 %(dense)s FLOPs（浮点运算次数），允许的那些只要 %(useful)s：用密集矩阵算，%(wasted)s%% 的乘加算完就被掩码丢掉。"
    "按一个头 d_k = %(d_k)d、d_v = %(d_v)d 的两次乘积计，一次乘加算 2；softmax 不计。",
    en="Computing every pair takes %(dense)s FLOPs (additions and multiplications of floats), the allowed ones alone %(useful)s: a dense product throws %(wasted)s%% of its "
    "work away. Counted for the two products of one head, d_k = %(d_k)d and d_v = %(d_v)d, a multiply-add as 2, without softmax.",
)
ALL_SEE = Text(
    zh="每个词元至少看得见一个键，每个键也至少被一个词元看见。",
    en="Every token sees at least one key, and every key is seen by at least one token.",
)
BLIND = Text(
    zh="%(count)d 个词元什么也看不见：%(list)s。它们没有键可分权重，输出该是什么要事先说定。",
    en="Tokens that see nothing: %(count)d (%(list)s). They have no weights to share out; what they get has to be agreed on.",
)
UNSEEN = Text(
    zh="%(count)d 个词元没有人看见：%(list)s。", en="Tokens that nobody sees: %(count)d (%(list)s)."
)
FIELD = Text(
    zh="叠 %(layers)d 层，最后一个词元（第 %(n)d 个）可能依赖 %(n)d 个输入里的 %(size)d 个。",
    en="With L = %(layers)d the last token (number %(n)d) may depend on %(size)d of %(n)d inputs.",
)
FIELD_RANGE = Text(
    zh="所有词元里最少的依赖 %(least)d 个，最多的 %(most)d 个。",
    en="Over all tokens the fewest inputs are %(least)d, the most %(most)d.",
)
FORMULA = Text(
    zh="因果窗口的公式：L · (w − 1) + 1 = %(layers)d · (%(width)d − 1) + 1 = %(formula)d；输入一共只有 %(n)d 个，所以最多 %(capped)d。数出来的是 %(size)d。",
    en="The formula for a causal window: L · (w − 1) + 1 = %(layers)d · (%(width)d − 1) + 1 = %(formula)d; with N = %(n)d it is "
    "%(capped)d at most. Counted: %(size)d.",
)
# With and without a residual: the ways in which an input can reach an output.
WALK = {
    True: Text(
        zh="一层里，消息沿允许的一对走一步，或者靠残差留在原地；L 层最多走 L 步。",
        en="In one layer news travels one step along an allowed pair, or stays where it is through the residual; in L layers, L "
        "steps at most.",
    ),
    False: Text(
        zh="一层里，消息沿允许的一对走一步；L 层走 L 步。没有残差时，词元自己的输入在一层里只有两种办法留下来：看得见自己，"
        "或者至少有两个键可选（它的查询决定怎么分权重）。",
        en="In one layer news travels one step along an allowed pair; in L layers, L steps. Without a residual a token's own input "
        "stays within a layer in two ways only: it sees itself, or it has two keys or more to choose from, since its query "
        "decides between them.",
    ),
}
NO_WALK = {
    True: Text(
        zh="没有哪个词元看得见别的词元，所以多少层都没有消息可传：每个输出只可能依赖自己的输入，残差把它一层层带下去。",
        en="No token sees another one, so nothing travels between them through any number of layers: each output may depend on its "
        "own input alone, which the residual carries from layer to layer.",
    ),
    False: Text(
        zh="没有哪个词元看得见别的词元，所以多少层都没有消息可传；没有残差，只有看得见自己的词元，输出才可能依赖自己的输入。",
        en="No token sees another one, so nothing travels between them through any number of layers. Without a residual only a "
        "token that sees itself may depend on its own input.",
    ),
}
# With one token there is no other one: the same two, by whether it sees itself.
ONLY_TOKEN = {
    (True, True): Text(
        zh="只有一个词元，它看得见自己，还有残差：输出可能依赖的只有它自己的输入。",
        en="There is one token; it sees itself and has the residual, and its output may depend on its own input alone.",
    ),
    (True, False): Text(
        zh="只有一个词元，它看得见自己：输出可能依赖的只有它自己的输入。",
        en="There is one token; it sees itself, and its output may depend on its own input alone.",
    ),
    (False, True): Text(
        zh="只有一个词元，它什么也看不见：只有残差把它自己的输入带到输出。",
        en="There is one token and it sees nothing: only the residual carries its own input to the output.",
    ),
    (False, False): Text(
        zh="只有一个词元，它什么也看不见，也没有残差：输出不依赖任何输入。",
        en="There is one token, it sees nothing, and there is no residual: its output depends on no input.",
    ),
}
READ_FIELD = Text(
    zh="图里空着的格是肯定的：那个输入怎么改，那个输出都不动。填上的格只是可能：权重恰好为 0 或几项恰好抵消时也会不动。",
    en="An empty cell in the picture is certain: no change of that input moves that output. A filled one is a may: a weight can "
    "happen to be 0, or terms can cancel.",
)
NO_FIELD = Text(
    zh="N 超过 %(most)d 不画谁能影响谁：N = %(n)d 时每乘一次矩阵要 2·N³ = %(flops)s FLOPs，拖动滑块会等太久。只算最后一行就很快。",
    en="Beyond N = %(most)d the picture of who can influence whom is not computed: at N = %(n)d each product of matrices takes "
    "2·N³ = %(flops)s FLOPs, too long for a slider. The last token's row alone is quick.",
)
QUESTION = Text(
    zh="要叠几层，最后一个词元（第 %(n)d 个）的输出才可能受第一个词元的输入影响？",
    en="How many layers does it take until the last token's output (number %(n)d) may depend on the first token's input?",
)
QUESTION_ONE = Text(
    zh="只有一个词元。它的输出要几层之后才可能受自己的输入影响？",
    en="There is one token. After how many layers may its output depend on its own input?",
)
ANSWER_ONE = Text(zh="第 1 层起。", en="From layer 1 on.")
ANSWER_ONE_NEVER = Text(zh="多少层都不行。", en="No number of layers is enough.")
ANSWER = Text(
    zh="最少 %(layers)d 层：沿允许的一对一步一步走，数出来的。",
    en="%(layers)d at least, counted by walking along the allowed pairs.",
)
ANSWER_WINDOW = Text(
    zh="一层最多往回走 w − 1 = %(step)d 步，要走 %(way)d 步：%(way)d ÷ %(step)d 向上取整。",
    en="A layer goes back w − 1 = %(step)d at most, and the way is %(way)d: %(way)d ÷ %(step)d, rounded up.",
)
ANSWER_NEVER = Text(
    zh="多少层都不行：沿允许的一对走，从最后一个词元到不了第一个。",
    en="No number of layers is enough: along the allowed pairs no way leads from the last token to the first.",
)
