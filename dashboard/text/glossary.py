"""The lab's terms: the one place where both languages stand together."""

from dataclasses import dataclass

from dashboard.text import Text


@dataclass(frozen=True)
class Term:
    """One term in both languages, its symbol and its meaning."""

    term: Text
    symbol: str
    meaning: Text


GLOSSARY = (
    Term(
        Text(zh="词元", en="token"),
        "$T$",
        Text(
            zh="文字被切成的最小单位：一个词、一个汉字或一个标点。",
            en="The piece a text is cut into: a word, a character, a mark.",
        ),
    ),
    Term(
        Text(zh="嵌入", en="embedding"),
        "$E[T]$",
        Text(
            zh="词元编号在表 $E$ 里对应的那一行向量。",
            en="The row of table $E$ that belongs to a token's id.",
        ),
    ),
    Term(
        Text(zh="位置编码", en="positions"),
        "$P$",
        Text(
            zh="加到嵌入上的向量，使同一个词在不同位置有不同的输入。",
            en="Vectors added to embeddings so that a word's input depends on where it stands.",
        ),
    ),
    Term(
        Text(zh="查询", en="query"),
        "$q$",
        Text(zh="一个词元在找什么：$x W^Q$。", en="What a token looks for: $x W^Q$."),
    ),
    Term(
        Text(zh="键", en="key"),
        "$k$",
        Text(zh="一个词元拿什么给别人比对：$x W^K$。", en="What a token offers to be matched by: $x W^K$."),
    ),
    Term(
        Text(zh="值", en="value"),
        "$v$",
        Text(
            zh="一个词元被选中时交出什么：$x W^V$。", en="What a token hands over when attended to: $x W^V$."
        ),
    ),
    Term(
        Text(zh="分数", en="scores"),
        r"$QK^\top$",
        Text(zh="查询与键的点积，还没有缩放。", en="Dot products of queries and keys, before scaling."),
    ),
    Term(
        Text(zh="缩放后", en="scaled"),
        r"$QK^\top / \sqrt{d_k}$",
        Text(
            zh="分数除以 $\\sqrt{d_k}$，使方差不随宽度变大。",
            en="Scores divided by $\\sqrt{d_k}$, so that their variance does not grow with width.",
        ),
    ),
    Term(
        Text(zh="掩码", en="mask"),
        r"$-\infty$",
        Text(
            zh="规定谁能看谁；看不到的分数换成 −∞。",
            en="Who may see whom; a score that may not be seen becomes −∞.",
        ),
    ),
    Term(
        Text(zh="权重", en="weights"),
        "$A$",
        Text(
            zh="每行 softmax 的结果，和为 1；每个输入都不同。不要与学得的参数 W 混淆。",
            en="Softmax of each row, summing to 1, new for every input. Not the learnt parameters W.",
        ),
    ),
    Term(
        Text(zh="softmax（归一化指数）", en="softmax"),
        "$e^{s_m} / \\sum_j e^{s_j}$",
        Text(
            zh="把一行分数变成和为 1 的正数；分数差 1，权重就差 e ≈ 2.72 倍。",
            en="Turns a row of scores into positive numbers that sum to 1; a score higher by 1 weighs e ≈ 2.72 times as much.",
        ),
    ),
    Term(
        Text(zh="饱和", en="saturation"),
        "$A \\rightarrow$ 0, 1",
        Text(
            zh="softmax 的一行里一个权重接近 1，其余接近 0；这时分数再变，权重也几乎不动。",
            en="One weight of a row is nearly 1 and the others nearly 0; the weights hardly answer to the scores any more.",
        ),
    ),
    Term(
        Text(zh="温度", en="temperature"),
        "$T$",
        Text(
            zh="softmax 之前用来除分数的数：$T$ 小，权重尖；$T$ 大，权重平。",
            en="What scores are divided by before softmax: a small $T$ makes weights sharp, a large $T$ even.",
        ),
    ),
    Term(
        Text(zh="熵", en="entropy"),
        "$-\\sum_m a_m \\log a_m$",
        Text(
            zh="一行权重分得多平均：一个键独占时是 0，N 个键平分时是 log N。",
            en="How evenly a row is shared: 0 where one key takes everything, log N where N keys share alike.",
        ),
    ),
    Term(
        Text(zh="雅可比矩阵", en="Jacobian"),
        "$\\partial a_i / \\partial s_j$",
        Text(
            zh="每个分数动一点，每个权重动多少；梯度要穿过 softmax，就乘上它。",
            en="How far each weight moves when each score does; a gradient that passes softmax is multiplied by it.",
        ),
    ),
    Term(
        Text(zh="标准误", en="standard error"),
        "$s / \\sqrt{n}$",
        Text(
            zh="平均数大概差多少：标准差除以试验次数的平方根。",
            en="How far a mean is likely off: the standard deviation over the root of the number of trials.",
        ),
    ),
    Term(
        Text(zh="独占", en="one-hot"),
        "$(0, 1, 0)$",
        Text(
            zh="一行里一个权重是 1，其余是 0。",
            en="A row with one weight of 1 and all others 0.",
        ),
    ),
    Term(
        Text(zh="Xavier 初始化", en="Xavier init"),
        "$2 / (m + n)$",
        Text(
            zh="按行数、列数定方差来抽的初始矩阵，使信号一层层传下去不变大也不变小。",
            en="Initial matrices whose variance follows their rows and columns, so that signals neither grow nor shrink from layer to layer.",
        ),
    ),
    Term(
        Text(zh="层归一化", en="layer norm"),
        "$(x - \\mu) / \\sigma$",
        Text(
            zh="把一个词元的向量化成均值 0、方差 1。",
            en="Brings the vector of one token to mean 0 and variance 1.",
        ),
    ),
    Term(
        Text(zh="残差", en="residual"),
        "$x + f(x)$",
        Text(
            zh="把一层的输出加到它的输入上，梯度因此有一条直路。",
            en="Adds what a layer gives to what it got, which leaves gradients a straight way.",
        ),
    ),
    Term(
        Text(zh="参数矩阵", en="weight parameters"),
        "$W^Q$ $W^K$ $W^V$ $W^O$",
        Text(zh="训练时学得、用的时候不再变的矩阵。", en="Matrices learnt in training and fixed in use."),
    ),
    Term(
        Text(zh="输出", en="out"),
        r"$A V$",
        Text(zh="值按权重混合的结果，每个查询一行。", en="The values mixed by the weights, one row a query."),
    ),
    Term(
        Text(zh="头", en="head"),
        "$H$",
        Text(
            zh="一组 Q、K、V 加一次注意力；多头就是几组并排再拼起来。",
            en="One set of Q, K, V with its attention; several stand side by side and are joined.",
        ),
    ),
    Term(
        Text(zh="裸向量与缀饰向量", en="bare and dressed vector"),
        r"$x \rightarrow \tilde{x}$",
        Text(
            zh="进入注意力之前只认识自己的向量，与出来之后带上下文的向量。",
            en="A token's vector before attention, which knows only itself, and after, when it holds context.",
        ),
    ),
)
