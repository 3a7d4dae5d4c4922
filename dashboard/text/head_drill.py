"""Words of the drill: a row of the ledger is blank, and the reader fills in its shape."""

from dashboard.text import Text

TITLE = Text(zh="第 %(place)d 题，共 %(count)d 题", en="Question %(place)d of %(count)d")
SIZES = Text(
    zh="B = %(batch)d，N = %(n)d，d_model = %(d_model)d，h = %(n_heads)d，键和值的头 h_kv = %(kv_heads)d；每个头宽 d_k = d_model ÷ h。",
    en="B = %(batch)d, N = %(n)d, d_model = %(d_model)d, h = %(n_heads)d, heads of keys and values h_kv = %(kv_heads)d; a head is "
    "d_k = d_model ÷ h wide.",
)
BLANK = Text(
    zh="账本这一行空着：%(symbol)s（%(name)s），%(line)s 的形状是什么？",
    en="This row of the ledger is blank: %(symbol)s (%(name)s). What is the shape of %(line)s?",
)
NOTE = Text(
    zh="大小随机抽出（种子 %(seed)d）；正确的形状读自跑过的层（torch %(version)s，meta 设备）。刷新页面就重新计分。",
    en="Sizes are drawn with the seed %(seed)d; the right shape is read from a layer that ran (torch %(version)s, meta device). "
    "Reloading the page starts the score anew.",
)
SCORE = Text(
    zh="这一轮：答对 %(right)d 题（%(first)d 题一次答对），看了答案 %(shown)d 题，还剩 %(left)d 题。",
    en="This round: %(right)d right (%(first)d at the first try), %(shown)d shown, %(left)d open.",
)
OVER = Text(
    zh="一轮答完了：%(count)d 题里答对 %(right)d 题，其中 %(first)d 题一次答对。",
    en="The round is over: %(right)d of %(count)d right, %(first)d at the first try.",
)
HELP_ROWS = Text(zh="提示：前面各行的形状", en="Help: the shapes of the rows before")
HELP_ROW = Text(zh="%(symbol)s：%(line)s，形状 %(shape)s", en="%(symbol)s: %(line)s has the shape %(shape)s")
ANSWER = Text(
    zh="这一行的形状，写成 4, 9 这样（回车提交）",
    en="the shape of this row, in the form 4, 9 (Enter hands it in)",
)
ANSWER_HELP = Text(
    zh="从第一维写起，整数之间用逗号、空格或 × 隔开，带不带括号都行，全角也行。",
    en="From the first axis on: whole numbers with commas, spaces or × between them, in brackets or not.",
)
NOT_NUMBERS = Text(
    zh="读不出形状：%(typed)s。请写整数，中间用逗号隔开，带不带方括号都行。这不算作答一次。",
    en="No shape can be read from %(typed)s. Write whole numbers with commas between them, in square brackets or not. This does not count as a try.",
)
WRONG_COUNT = Text(
    zh="维数不对：写了 %(given)d 维，这一行有 %(needed)d 维。",
    en="The number of axes is wrong: %(given)d given, and this row has %(needed)d.",
)
WRONG_AXES = Text(zh="还不对：%(axes)s。", en="Not yet: %(axes)s.")
WRONG_AXIS = Text(
    zh="%(count)d 维里的第 %(place)d 维（%(symbol)s）不是 %(given)s",
    en="axis %(place)d of %(count)d (%(symbol)s) is not %(given)s",
)
BETWEEN = Text(zh="，", en=", ")
RIGHT = Text(zh="对了：%(axes)s = %(shape)s。%(meaning)s", en="Right: %(axes)s = %(shape)s. %(meaning)s")
DONE = Text(
    zh="这题已经答对过：%(axes)s = %(shape)s，后来写的不再计分。%(meaning)s",
    en="You had this right already: %(axes)s = %(shape)s; what you typed since does not count. %(meaning)s",
)
SHOWN = Text(
    zh="答案：%(axes)s = %(shape)s，这题不算答对。%(meaning)s",
    en="The answer is %(axes)s = %(shape)s; this one does not count as right. %(meaning)s",
)
SHOW = Text(zh="看答案（不算答对）", en="Show the answer (does not count)")
LEDGER = Text(zh="在账本里看这组大小", en="See these sizes in the ledger")
BACK = Text(zh="上一题", en="Back")
NEXT = Text(zh="下一题", en="Next")
NEW_ROUND = Text(zh="换一轮", en="New round")
