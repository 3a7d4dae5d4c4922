"""Words around the script of the layers lesson."""

from dashboard.text import Text

HELP = Text(
    zh="只用 torch：抽同样的随机数，打印每一层的向量、每层每头的权重、离裸向量的距离和余弦，然后是这个视图自己的数。画图和句子里的话不在其中。",
    en="With torch alone it draws the same random numbers and prints the vectors of every layer, the weights of every layer and head, "
    "distances and cosines to the bare vectors, and then this view's own numbers. Pictures and sentences are left out.",
)
