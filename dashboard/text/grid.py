"""Words of the grid: what its sides are, what its cells are, what a reader can do with them."""

from dashboard.text import Text

QUERY = Text(zh="查询", en="query")
KEY = Text(zh="键", en="key")
DIVISOR = Text(zh="除数", en="divisor")
TOKEN = Text(zh="词元", en="token")
ROW = Text(zh="行", en="row")
LAYER = Text(zh="层", en="layer")
COLUMN = Text(zh="列", en="column")
MASKED = Text(zh="被掩码", en="masked")
DEAD = Text(zh="看不到任何键", en="sees no key")
EDITED = Text(zh="改过", en="edited")
MARKED = Text(zh="参与当前算式", en="in the open arithmetic")
KEYS = Text(zh="点格子，或用方向键和回车", en="click or tap; arrow keys, Enter")
EDIT_KEYS = Text(
    zh="点格子，或用方向键和回车；双击或按数字键改数",
    en="click or tap; arrow keys, Enter; a double-click or a digit edits",
)
EDIT = Text(zh="新的数", en="new value")
EMPTY = Text(zh="这个矩阵没有格子", en="this matrix has no cells")
ABOUT = Text(zh="约", en="about")
POOLED = Text(
    zh="每个像素代表 %(rows)d × %(columns)d 格", en="each pixel stands for %(rows)d × %(columns)d cells"
)
PNG = Text(zh="下载 PNG", en="Download PNG")
CSV = Text(zh="下载 CSV", en="Download CSV")
SUM = Text(zh="行和", en="row sum")
