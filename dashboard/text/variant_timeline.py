"""Words of the view that puts attentions in the order in which they were published."""

from dashboard.text import Text

TABLE = Text(zh="按发表的先后", en="In order of publication")
ENTRY = Text(zh="做法", en="step")
PICK_KEYS = Text(
    zh="点一行看它改了什么，或用方向键和回车", en="click or tap a row for what it changed; arrow keys, Enter"
)
COLUMNS = (
    Text(zh="年", en="year"),
    Text(zh="论文", en="paper"),
    Text(zh="改了什么", en="what it changed"),
)
NOTE = Text(
    zh="年份和论文出自文献；关于你的句子的数是当场算的（随机权重，种子 %(seed)d，%(mask)s）。",
    en="Years and papers are from the literature; numbers on your sentence are computed now (random weights, seed %(seed)d, %(mask)s).",
)
SAID = Text(zh="它改了什么", en="What it changed")
ONE = {
    "rnn": Text(zh="RNN 编码–解码", en="RNN enc.–dec."),
    "bahdanau": Text(zh="加性注意力", en="additive"),
    "luong": Text(zh="乘性注意力", en="multiplicative"),
    "transformer": Text(zh="Transformer", en="Transformer"),
    "sparse": Text(zh="稀疏注意力", en="sparse attention"),
    "one_kv": Text(zh="MQA", en="MQA"),
    "longformer": Text(zh="窗口 + 全局", en="window + global"),
    "linformer": Text(zh="低秩", en="low rank"),
    "linear": Text(zh="线性注意力", en="linear attention"),
    "rotary": Text(zh="旋转位置", en="rotary positions"),
    "alibi": Text(zh="ALiBi", en="ALiBi"),
    "fused": Text(zh="FlashAttention", en="FlashAttention"),
    "grouped": Text(zh="GQA", en="GQA"),
    "cache": Text(zh="KV 缓存", en="KV cache"),
    "sink": Text(zh="汇点", en="attention sinks"),
}
# Of publication; where a preprint came in an earlier year, of that.
YEARS = {
    "rnn": "2014",
    "bahdanau": "2014",
    "luong": "2015",
    "transformer": "2017",
    "sparse": "2019",
    "one_kv": "2019",
    "longformer": "2020",
    "linformer": "2020",
    "linear": "2020",
    "rotary": "2021",
    "alibi": "2021",
    "fused": "2022",
    "cache": "2022",
    "grouped": "2023",
    "sink": "2023",
}
PAPERS = {
    "rnn": "Sutskever et al.; Cho et al.",
    "bahdanau": "Bahdanau et al.",
    "luong": "Luong et al.",
    "transformer": "Vaswani et al.",
    "sparse": "Child et al.",
    "one_kv": "Shazeer",
    "longformer": "Beltagy et al.",
    "linformer": "Wang et al.",
    "linear": "Katharopoulos et al.",
    "rotary": "Su et al.",
    "alibi": "Press et al.",
    "fused": "Dao et al.",
    "cache": "Pope et al.",
    "grouped": "Ainslie et al.",
    "sink": "Xiao et al.",
}
SHORT = {
    "rnn": Text(zh="一句话压成一个定长向量", en="a sentence becomes one vector of fixed size"),
    "bahdanau": Text(
        zh="解码器每一步都看编码器的所有状态", en="the decoder looks at all encoder states, at every step"
    ),
    "luong": Text(zh="打分换成点积，中间可以夹一个矩阵", en="scores by a dot product, with a matrix between"),
    "transformer": Text(
        zh="不要 RNN，只要注意力；除以 √d_k；多头", en="no RNN, attention alone; division by √d_k; heads"
    ),
    "sparse": Text(zh="只看近处和每隔一个步长的", en="near keys and every stride-th alone"),
    "one_kv": Text(zh="所有查询头共用一个键值头", en="all query heads share one head of keys and values"),
    "longformer": Text(zh="窗口加上几个看见所有的词元", en="a window, and a few tokens that see all"),
    "linformer": Text(zh="先把 N 个键混成 r 个", en="N keys are first mixed into r"),
    "linear": Text(
        zh="用特征代替 exp，键和值加成一个状态", en="features for exp: keys and values sum up to one state"
    ),
    "rotary": Text(
        zh="q 和 k 按位置转，分数看相对位置", en="q and k are turned by position: scores see distances"
    ),
    "alibi": Text(
        zh="不加位置向量，远处的分数直接扣", en="no position vectors: distance is taken off the score"
    ),
    "fused": Text(zh="结果不变，但从不存下 N × N", en="the same result, N × N never stored"),
    "cache": Text(zh="写文本时旧的键和值不重算", en="old keys and values are kept while a text is written"),
    "grouped": Text(
        zh="几个查询头一组，共用键值头", en="query heads share heads of keys and values in groups"
    ),
    "sink": Text(
        zh="留住开头的词元，让多余的权重有处可去",
        en="first tokens are kept, so that spare weight has a place",
    ),
}
MORE = {
    "rnn": Text(
        zh="编码器逐词读完，最后的状态交给解码器。句子再长，也是这么宽的一个向量；靠前的词最容易丢。",
        en="The encoder reads word by word and hands its last state to the decoder: however long the sentence, one vector of that width; the "
        "words at the beginning are lost first.",
    ),
    "bahdanau": Text(
        zh="不再只交最后一个状态：解码器每写一个词，都用一个小网络给每个编码器状态打分，再按权重混合。q 和 k 可以不一样宽。",
        en="No longer the last state alone: for each word it writes, the decoder scores every encoder state by a small network and mixes them by "
        "weight. q and k may differ in width.",
    ),
    "luong": Text(
        zh="打分不用小网络，用点积或 q W k：一次矩阵乘法就算完所有分数。同一篇还比较了看全部和只看一段。",
        en="Scores come from a dot product or q W k instead of a network: one matrix product gives all. The paper also compares looking at "
        "everything with looking at a stretch.",
    ),
    "transformer": Text(
        zh="编码器和解码器里都不再有 RNN，词与词之间只有注意力，所以所有位置一起算；分数除以 √d_k，几个头并排。",
        en="No RNN is left in encoder or decoder: words meet by attention alone, so that all positions are computed at once. Scores are divided by "
        "√d_k, several heads work side by side.",
    ),
    "sparse": Text(
        zh="每个查询只看约 √N 个键：近处的，和每隔一个步长的。两层之内任何位置都能到达。",
        en="A query looks at about √N keys, near ones and every stride-th; any position can be reached within two layers.",
    ),
    "one_kv": Text(
        zh="写文本时要反复读键和值。只留一个键值头，要读的就是原来的 1/h；查询头照旧。",
        en="Writing a text reads keys and values again and again. With one head of them that is 1/h of what it was; query heads stay.",
    ),
    "longformer": Text(
        zh="长文里多数词看近处就够；给几个词元全局的视野，消息就能走远。代价随 N 增长。",
        en="In long texts near keys do for most words; a few tokens that see all carry messages far. The cost is proportional to N.",
    ),
    "linformer": Text(
        zh="权重矩阵往往接近低秩，所以把键和值沿位置混成 r 个再看。没有因果形式。",
        en="Matrices of weights are often near a low rank, so keys and values are mixed along the positions into r. There is no causal form.",
    ),
    "linear": Text(
        zh="权重换成 φ(q)·φ(k)，先加 φ(k)vᵀ，再让每个查询读：代价随 N 增长，也能当 RNN 一步一步跑。",
        en="Weights become φ(q)·φ(k): φ(k)vᵀ is summed first and read by every query. The cost is proportional to N, and it can run step by step "
        "as an RNN.",
    ),
    "rotary": Text(
        zh="位置不加在向量上，而是把 q 和 k 转一个角度；点积只看两者隔多远。",
        en="Positions are not added to vectors: q and k are turned by an angle, and their product hangs on how far apart they stand.",
    ),
    "alibi": Text(
        zh="每个头有一个斜率，离得越远扣得越多；比训练时更长的文本也没有没见过的位置。",
        en="Each head has a slope, by which distance costs; a text longer than those of training holds no unseen position.",
    ),
    "fused": Text(
        zh="同样的函数，同样的 FLOPs，分块算，在快的内存里做 softmax：省的是内存和搬运。",
        en="The same function and the same FLOPs, chunk by chunk, with softmax in fast memory: what it saves is memory and traffic.",
    ),
    "cache": Text(
        zh="自回归地写，旧词元的键和值不会变，存着就行；于是内存成了瓶颈，后来的分组键值头正是为它。这篇量了大模型推理时它占多少。",
        en="In writing word by word old keys and values do not change and are kept; memory then becomes the limit, for which heads were grouped "
        "later. The paper weighs it for large models.",
    ),
    "grouped": Text(
        zh="一个键值头太少，h 个太贵：分成几组，每组共用一个。旧模型的头取平均，再训练一小段就行。",
        en="One K/V head is too few and h are dear: query heads share in groups. Heads of an old model are averaged and trained on for a while.",
    ),
    "sink": Text(
        zh="softmax 的一行非加到 1 不可，多余的权重常常落在开头的词元上；窗口丢掉它们，输出就坏了。留着它们，或者给一个没有值的汇点。",
        en="A row of softmax has to sum to 1, and spare weight often falls on the first tokens; a window that drops them breaks. Keep them, or "
        "give a sink without a value.",
    ),
}
OWN = Text(
    zh="在你的句子上（N = %(n)d，设置同“并排比较”）：“%(name)s”算 %(scores)s 个分数，完整注意力算 %(all)s 个；和完整注意力的相对误差是 %(error)s。",
    en="On your sentence (N = %(n)d, settings as in the view side by side): scores that “%(name)s” computes: %(scores)s, "
    "full attention: %(all)s; relative error against full attention: %(error)s.",
)
OWN_FULL = Text(
    zh="在你的句子上（N = %(n)d）：它算 %(scores)s 个分数，其他的都和它比。",
    en="On your sentence (N = %(n)d) scores computed: %(scores)s; all others are compared with it.",
)
OWN_REFUSED = Text(
    zh="在你的句子上，现在的设置下它跑不了；去“并排比较”看原因。",
    en="On your sentence it cannot run with the present settings; the view side by side says why.",
)
GO_COMPARE = Text(zh="把“%(name)s”放到 B，并排比较", en="Compare side by side: %(name)s as B")
GO_ENCODER = Text(zh="去看解码器怎样读编码器", en="See a decoder read an encoder")
GO_FUSED = Text(
    zh="去看融合省了多少内存（代价课）", en="See what fusing saves of memory (the lesson on costs)"
)
GO_CACHE = Text(zh="去用 KV 缓存写一段（代价课）", en="Write with a KV cache (the lesson on costs)")
QUESTION = Text(
    zh="表里哪些改变了算出来的函数，哪些只改变了怎么算？",
    en="Which rows change the function that is computed, and which only how it is computed?",
)
ANSWER = Text(
    zh="只改怎么算的：FlashAttention 和 KV 缓存，输出只差舍入。给定掩码就精确的：%(exact)s，掩码本身是新的。近似：%(near)s。其余的是另一个函数：%(other)s。",
    en="Only how it is computed: FlashAttention, KV cache; outputs differ by rounding. Exact once the mask is given, which is new: %(exact)s. "
    "Approximations: %(near)s. Other functions: %(other)s.",
)
JOIN = Text(zh="、", en=", ")
