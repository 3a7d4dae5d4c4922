"""Words of the start page."""

from dashboard.text import Text

TITLE = Text(zh="注意力实验室", en="Attention Lab")
CLAIM = Text(
    zh="这里的每个论断都是一个实验：你改一个数，看它是否成立。"
    "图里的每个数都当场算出，来自你自己的句子或一个写明的算例，每一格都能追到输入。"
    "每张图都写明权重是手工给定的、随机的，还是训练出来的。",
    en="Every claim here is an experiment: change something and see whether it holds. "
    "Every number is computed on the spot, from your own sentence or a named example, and every cell can be traced to its "
    "inputs. "
    "Each picture says whether its weights are hand-made, random or trained.",
)
TRY = Text(zh="先写一句话", en="Begin with a sentence")
TOKENS = Text(zh="会切成 %(n)d 个词元：%(tokens)s", en="It becomes %(n)d tokens: %(tokens)s")
FOLLOW = Text(zh="跟着这句话走一遍注意力", en="Follow this sentence through attention")
PIPELINE = Text(zh="一句话怎样走过注意力", en="How a sentence passes through attention")
PIPELINE_HELP = Text(
    zh="箭头是计算的次序，数字是这句话在每一步的形状。点一步，去看它的数。",
    en="Arrows give the order of computation, numbers this sentence's shape at each step. Each step leads to its numbers.",
)
STEPS = (
    ("embedding", r"$T \rightarrow E[T]$", Text(zh="词元查表，得到向量", en="look each token's vector up")),
    ("x", "$E[T] + P = X$", Text(zh="加上位置", en="add where it stands")),
    (
        "q",
        r"$X \rightarrow Q, K, V$",
        Text(zh="找什么、比什么、交什么", en="seek, offer, hand over"),
    ),
    ("scores", r"$QK^\top$", Text(zh="每个查询与每个键比较", en="every query meets every key")),
    ("scaled", r"$\div \sqrt{d_k}$", Text(zh="缩放", en="scale")),
    (
        "weights",
        r"$\mathrm{softmax} \rightarrow A$",
        Text(zh="每行变成权重，和为 1", en="each row sums to 1"),
    ),
    ("out", r"$A \cdot V$", Text(zh="按权重混合值", en="mix the values by weight")),
    ("projected", r"$\cdot\, W^O$", Text(zh="回到 X 的形状", en="back to the shape of X")),
)
READING = Text(zh="读物", en="Reading list")
READING_LINE = Text(zh="- [%(title)s](%(url)s)：%(use)s", en="- [%(title)s](%(url)s): %(use)s")
READINGS = (
    (
        "Vaswani et al. 2017, Attention Is All You Need",
        "https://arxiv.org/abs/1706.03762",
        Text(
            zh="公式和多头结构的出处；第 3.2 节就是这里的流水线。",
            en="Where the formula and the heads come from; section 3.2 is the pipeline shown here.",
        ),
    ),
    (
        "Bahdanau, Cho, Bengio 2014, Neural Machine Translation by Jointly Learning to Align and Translate",
        "https://arxiv.org/abs/1409.0473",
        Text(
            zh="注意力的起点：解码时回头看源句，而不是只靠一个固定向量。",
            en="Where attention began: the decoder looks back at the source instead of at one fixed vector.",
        ),
    ),
    (
        "Luong, Pham, Manning 2015, Effective Approaches to Attention-based Neural Machine Translation",
        "https://arxiv.org/abs/1508.04025",
        Text(
            zh="把打分换成点积，并比较全局与局部。",
            en="Scores by a dot product; global against local attention.",
        ),
    ),
    (
        "Dao et al. 2022, FlashAttention",
        "https://arxiv.org/abs/2205.14135",
        Text(
            zh="结果一样，但从不写出 N×N 的矩阵：读它来理解显存的代价。",
            en="The same result without ever writing the N×N matrix: read it to understand the cost of memory.",
        ),
    ),
    (
        "Alammar, The Illustrated Transformer",
        "https://jalammar.github.io/illustrated-transformer/",
        Text(zh="最好懂的图解，适合第一遍读。", en="The clearest pictures; a good first reading."),
    ),
    (
        "Raschka, Build a Large Language Model (from Scratch), ch. 3",
        "https://github.com/rasbt/LLMs-from-scratch",
        Text(zh="一步一步写出代码，适合边读边敲。", en="The code built up step by step; good to type along."),
    ),
    (
        "Transformer Explainer",
        "https://poloclub.github.io/transformer-explainer/",
        Text(
            zh="在浏览器里看 GPT-2 走一遍，看整体结构。",
            en="GPT-2 in the browser; good for the whole architecture.",
        ),
    ),
)
GLOSSARY = Text(zh="术语表", en="Glossary")
GLOSSARY_COLUMNS = (
    Text(zh="术语", en="term"),
    Text(zh="记号", en="symbol"),
    Text(zh="意思", en="meaning"),
)
