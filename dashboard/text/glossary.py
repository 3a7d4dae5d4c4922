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
        Text(zh="填充", en="padding, filler"),
        "`<pad>`",
        Text(
            zh="补在短句子后面的词元，使一批句子一样长；它们不带内容，填充掩码把它们的键挡住。",
            en="Tokens that bring short sentences of a batch to one length. They hold nothing, and a padding mask hides their keys.",
        ),
    ),
    Term(
        Text(zh="因果掩码", en="causal mask"),
        "$m \\le n$",
        Text(
            zh="挡住未来：一个词元只看自己和前面的词元。",
            en="Hides the future: a token sees itself and those before it.",
        ),
    ),
    Term(
        Text(zh="加性掩码", en="additive mask"),
        "$0,\\ -\\infty$",
        Text(
            zh="加到分数上的浮点数：0 不改变什么，−∞ 挡住这一对。",
            en="Floats added to scores: 0 changes nothing, −∞ hides the pair.",
        ),
    ),
    Term(
        Text(zh="全空的行", en="blind row"),
        "⊘",
        Text(
            zh="一个键也看不到的查询那一行；softmax 在这里是 0 ÷ 0，各家的结果不同。",
            en="The row of a query that sees no key; softmax is 0 ÷ 0 there, and libraries differ.",
        ),
    ),
    Term(
        Text(zh="不是数", en="NaN, not a number"),
        "$0 \\div 0$",
        Text(
            zh="浮点数里没有答案的算式的结果；加它、乘它，还是它。",
            en="What floating point gives where there is no answer; plus or times anything it stays NaN.",
        ),
    ),
    Term(
        Text(zh="缩放点积注意力", en="SDPA"),
        "$\\mathrm{softmax}(\\cdot)\\,V$",
        Text(
            zh="从 Q、K、V 到输出的整个计算；PyTorch 的函数是 `F.scaled_dot_product_attention`。",
            en="Scaled dot-product attention: all steps from Q, K, V to the output. PyTorch's function is `F.scaled_dot_product_attention`.",
        ),
    ),
    Term(
        Text(zh="感受野、够得着", en="receptive field, reach"),
        "$A^L > 0$",
        Text(
            zh="叠了 $L$ 层之后，哪些词元能影响这一个：隔着别的词元也算。",
            en="Which tokens can influence a token after $L$ layers, by way of others too.",
        ),
    ),
    Term(
        Text(zh="键值缓存", en="KV cache"),
        "$K$, $V$",
        Text(
            zh="生成时存下旧词元的键和值，不再重算；只有新词元发出查询。",
            en="Keys and values of old tokens, stored while text is written; only new tokens ask.",
        ),
    ),
    Term(
        Text(zh="浮点运算次数", en="FLOPs"),
        "$2\\,N M d_k$",
        Text(
            zh="要做多少次加法和乘法；一次乘加算 2 次。记号里是算全部分数要的次数。",
            en="How many additions and multiplications it takes; a multiply-add counts as 2. The symbol is the count for all scores.",
        ),
    ),
    Term(
        Text(zh="计算强度", en="arithmetic intensity"),
        "$I$",
        Text(
            zh="浮点运算次数除以内存读写的字节数：搬一个字节能算多少次。",
            en="FLOPs over bytes moved to and from memory: how much is computed with each byte.",
        ),
    ),
    Term(
        Text(zh="激活", en="activations"),
        "$x$, $Q$, $A$, …",
        Text(
            zh="前向一遍算出来的张量；训练时要留着，反向传播求梯度时用。",
            en="What a forward pass computes; in training it is kept, for the backward pass needs it for gradients.",
        ),
    ),
    Term(
        Text(zh="内存读写量", en="memory traffic"),
        "GiB",
        Text(
            zh="每一步从主存读入、写回主存的字节；1 GiB = 2³⁰ 字节。",
            en="Bytes that each step reads from main memory and writes back to it; 1 GiB = 2³⁰ bytes.",
        ),
    ),
    Term(
        Text(zh="增长的指数", en="exponent of growth"),
        "$N^p$",
        Text(
            zh="N 翻倍，量变成 $2^p$ 倍，$p$ 就是指数；两轴都取对数，它是线的斜率。",
            en="Where a doubled N makes a quantity $2^p$ times as large, $p$ is the exponent: the slope of its line on two logarithmic axes.",
        ),
    ),
    Term(
        Text(zh="融合注意力", en="fused attention"),
        "FlashAttention",
        Text(
            zh="结果和逐步计算相同，但一小块一小块地算，N × N 的分数从不整张存下来。",
            en="The same result as step by step, made chunk by chunk: the N × N scores are never stored as a whole.",
        ),
    ),
    Term(
        Text(zh="指数和的对数", en="log-sum-exp"),
        "$\\log \\sum_m e^{s_m}$",
        Text(
            zh="一行分数的 softmax 分母取对数；留下它一个数，反向传播就能重算这一行的权重。",
            en="The logarithm of a row's softmax denominator; with this one number the backward pass can make the row's weights again.",
        ),
    ),
    Term(
        Text(zh="滑动窗口", en="window"),
        "$n - m \\lt w$",
        Text(
            zh="每个查询只看最近的 $w$ 个键，连自己在内。",
            en="A query sees the last $w$ keys alone, its own among them.",
        ),
    ),
    Term(
        Text(zh="空洞窗口", en="dilated window"),
        "$n,\\ n - s,\\ n - 2s$",
        Text(
            zh="窗口里的键每隔 $s$ 个位置取一个：同样多的键，看得更远。",
            en="A window of keys that stand $s$ positions apart: as many keys reach further back.",
        ),
    ),
    Term(
        Text(zh="分块注意力", en="block attention"),
        "$\\lfloor n/b \\rfloor = \\lfloor m/b \\rfloor$",
        Text(
            zh="序列切成长 $b$ 的块，查询只看自己那一块里的键。",
            en="The sequence is cut into blocks of $b$, and a query sees the keys of its own block.",
        ),
    ),
    Term(
        Text(zh="线性注意力", en="linear attention"),
        "$\\varphi(q)\\,(\\varphi(K)^\\top V)$",
        Text(
            zh="用特征映射 $\\varphi$ 代替 softmax，先把键和值乘在一起：代价随 N 成正比。",
            en="A feature map $\\varphi$ in place of softmax lets keys and values be multiplied first: the cost is in proportion to N.",
        ),
    ),
    Term(
        Text(zh="低秩注意力", en="low-rank attention"),
        "$N \\rightarrow r$",
        Text(
            zh="先把 N 个键和值压成 $r$ 个，再照常算。",
            en="N keys and values are first made into $r$, then attended to as usual.",
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
        Text(zh="Kaiming 初始化", en="Kaiming init"),
        "$2 / n$",
        Text(
            zh="方差只看输入宽度 $n$；那个 2 是为 ReLU 砍掉一半而补的。",
            en="Initial matrices whose variance follows the width $n$ of the input alone; the 2 makes up for the half that ReLU cuts off.",
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
        Text(zh="前置归一化、后置归一化", en="pre-norm, post-norm"),
        "$x + f(\\mathrm{norm}(x))$",
        Text(
            zh="前置：每个部分先归一化再读，残差原样加回；后置：先加残差，再归一化。",
            en="Pre: each part reads a normalised copy and the residual stays as it was. Post: the sum with the residual is normalised.",
        ),
    ),
    Term(
        Text(zh="前馈部分", en="feed-forward part"),
        "$\\mathrm{act}(x W_1)\\,W_2$",
        Text(
            zh="注意力之后的两层小网络，每个词元各算各的，中间宽 $4\\,d_{model}$。",
            en="Two layers after attention, applied to each token by itself, $4\\,d_{model}$ wide in between.",
        ),
    ),
    Term(
        Text(zh="过度平滑", en="over-smoothing"),
        "$\\cos \\rightarrow 1$",
        Text(
            zh="层叠得多了，词元的向量越来越像，最后分不出彼此。",
            en="With many layers the vectors of tokens grow alike, until they cannot be told apart.",
        ),
    ),
    Term(
        Text(zh="权重连乘", en="attention rollout"),
        "$A_L \\cdots A_1$",
        Text(
            zh="把各层权重（和残差的一半）乘起来，给每个输入词元一份；只看权重，不看值。",
            en="The product of all layers' weights, half of each kept for the residual: a share for each input token. It reads weights, not values.",
        ),
    ),
    Term(
        Text(zh="主轴", en="principal axis"),
        "PCA",
        Text(
            zh="一群向量散得最开的方向；画在前两条主轴上，丢掉的方差最少。",
            en="The direction along which vectors spread most; the plane of the first two loses the least variance.",
        ),
    ),
    Term(
        Text(zh="秩相关", en="rank correlation"),
        "$\\rho$",
        Text(
            zh="两串数的名次合到什么程度：1 是次序相同，−1 是相反（Spearman）。",
            en="How far two lists of numbers agree in their order: 1 the same, −1 reversed (Spearman).",
        ),
    ),
    Term(
        Text(zh="参数矩阵", en="weight parameters"),
        "$W^Q$ $W^K$ $W^V$ $W^O$",
        Text(zh="训练时学得、用的时候不再变的矩阵。", en="Matrices learnt in training and fixed in use."),
    ),
    Term(
        Text(zh="参数", en="parameter"),
        "`nn.Parameter`",
        Text(
            zh="优化器在训练中改动的张量。",
            en="A tensor that the optimiser changes in training.",
        ),
    ),
    Term(
        Text(zh="缓冲区", en="buffer"),
        "`register_buffer`",
        Text(
            zh="模块带着走、训练却不改的张量，例如掩码。",
            en="A tensor that goes with its module but is not trained, such as a mask.",
        ),
    ),
    Term(
        Text(zh="状态字典", en="state_dict"),
        "`state_dict()`",
        Text(
            zh="存盘用的表：名字对应张量，有参数和要保存的缓冲区。",
            en="The table that is saved, from names to tensors: parameters, and buffers that are to be kept.",
        ),
    ),
    Term(
        Text(zh="输出", en="out"),
        r"$A V$",
        Text(zh="值按权重混合的结果，每个查询一行。", en="The values mixed by the weights, one row a query."),
    ),
    Term(
        Text(zh="头", en="head"),
        "$h$",
        Text(
            zh="一组 Q、K、V 加一次注意力；多头就是几组并排再拼起来。",
            en="One set of Q, K, V with its attention; several stand side by side and are joined.",
        ),
    ),
    Term(
        Text(zh="拆头、合并", en="split, merge"),
        "$d_{model} = h\\,d_k$",
        Text(
            zh="拆头：把宽 $d_{model}$ 的向量按列分给 $h$ 个头；合并：把各头的输出按列拼回去。",
            en="Split: the columns of a vector of width $d_{model}$ are dealt to $h$ heads. Merge: the heads' outputs are put side by side again.",
        ),
    ),
    Term(
        Text(zh="输出投影", en="output projection"),
        "$W^O$",
        Text(
            zh="乘在合并之后的矩阵；只有它能把一个头的结果写进别的头的列。",
            en="The matrix after the merge; it alone carries what one head found into the columns of the others.",
        ),
    ),
    Term(
        Text(zh="多头注意力", en="MHA"),
        "$h_{kv} = h$",
        Text(
            zh="每个查询头都有自己的键值头。",
            en="Multi-head attention: each query head has keys and values of its own.",
        ),
    ),
    Term(
        Text(zh="分组查询注意力", en="GQA"),
        "$1 \\lt h_{kv} \\lt h$",
        Text(
            zh="相邻的几个查询头共用一个键值头，键值缓存按同样的比例变小。",
            en="Grouped-query attention: neighbouring query heads share keys and values, and the KV cache shrinks as much.",
        ),
    ),
    Term(
        Text(zh="多查询注意力", en="MQA"),
        "$h_{kv} = 1$",
        Text(
            zh="全部查询头共用一个键值头：缓存最小。",
            en="Multi-query attention: all query heads share one head of keys and values, the smallest cache.",
        ),
    ),
    Term(
        Text(zh="丢弃", en="dropout"),
        "$a / (1 - p)$",
        Text(
            zh="训练时以概率 $p$ 把一个权重换成 0，留下的除以 $1 - p$；求值时什么也不做。",
            en="In training each weight becomes 0 with probability $p$ and the kept ones are divided by $1 - p$; in evaluation nothing happens.",
        ),
    ),
    Term(
        Text(zh="步幅", en="stride"),
        "`stride()`",
        Text(
            zh="沿一个轴走一格，在内存里要跳过几个数；`transpose` 只换步幅，不搬数。",
            en="How many numbers in memory one step along an axis skips. `transpose` changes strides and moves nothing.",
        ),
    ),
    Term(
        Text(zh="连续", en="contiguous"),
        "`is_contiguous()`",
        Text(
            zh="数在内存里的顺序就是按轴读的顺序；只有这样 `view` 才不用搬数。",
            en="Numbers lie in memory in the order in which the axes read them; `view` needs strides that allow it, as these do.",
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
    Term(
        Text(zh="加性注意力", en="additive attention"),
        r"$w^T \tanh(W_1 q + W_2 k)$",
        Text(
            zh="分数由一层小网络给出，查询和键可以不一样宽。",
            en="Scores come from a small network, so that queries and keys may differ in width.",
        ),
    ),
    Term(
        Text(zh="乘性注意力", en="multiplicative attention"),
        r"$q W k^T$",
        Text(
            zh="分数是点积，中间可以夹一个学来的矩阵。",
            en="Scores are dot products, with a learned matrix between where one is wanted.",
        ),
    ),
    Term(
        Text(zh="特征映射", en="feature map"),
        r"$\varphi$",
        Text(
            zh="代替指数的函数，值不小于 0；权重成了特征的乘积，键和值就能先加起来。",
            en="What stands in the place of the exponential, 0 or more: weights become products of features, and keys and values can be summed first.",
        ),
    ),
    Term(
        Text(zh="汇点", en="attention sink"),
        r"$e^{s} / (e^{\text{sink}} + \sum e^{s})$",
        Text(
            zh="只分走权重、没有值的一项，或者起这种作用的开头词元；有了它，一行权重可以加不到 1。",
            en="A term that takes weight and has no value, or first tokens that serve as one: a row may then sum to less than 1.",
        ),
    ),
    Term(
        Text(zh="旋转位置", en="rotary positions, RoPE"),
        r"$R_n q \cdot R_m k$",
        Text(
            zh="把查询和键按位置转一个角度，分数只看两者隔多远。",
            en="Queries and keys are turned by their positions, so that scores hang on the distance alone.",
        ),
    ),
    Term(
        Text(zh="线性偏置", en="ALiBi"),
        r"$-m |n - j|$",
        Text(
            zh="每个头按距离从分数里扣，斜率 $m$ 各头不同，不加位置向量。",
            en="Each head takes off a score what distance costs, by a slope $m$ of its own; no position vectors are added.",
        ),
    ),
    Term(
        Text(zh="相对误差", en="relative error"),
        r"$\lVert o - o_{full} \rVert / \lVert o_{full} \rVert$",
        Text(
            zh="和基准差多少，用基准的大小来量；输出全是 0 时正好是 1。",
            en="The distance from the measure over the measure's own size; an output of zeros has 1.",
        ),
    ),
    Term(
        Text(zh="交叉注意力", en="cross-attention"),
        "$q$ | $k, v$",
        Text(
            zh="查询来自解码器，键和值来自编码器：一个序列去读另一个。",
            en="Queries come from a decoder, keys and values from an encoder: one sequence reads another.",
        ),
    ),
    Term(
        Text(zh="串扰", en="cross-talk"),
        r"$\sum_{k \ne m}$",
        Text(
            zh="几个词叠在同一个向量里，读其中一个时别的词带来的干扰。",
            en="What other words add when one is read out of a vector that holds several.",
        ),
    ),
)
