"""Words of the view that grows attention in four steps."""

from dashboard.text import Text

STEP = Text(zh="看哪一步", en="step")
STEP_HELP = Text(
    zh="四步的图和表总是都在；这里选下面几句话、算式和代码讲哪一步。点一张图里的权重也可以。",
    en="Pictures and table always have all four steps; this chooses the one that the sentences, the arithmetic and the code are about. "
    "Picking a weight in a picture does the same.",
)
STEPS = {
    "plain": Text(zh="第 1 步：点积", en="Step 1: dot product"),
    "trainable": Text(zh="第 2 步：可学的 W", en="Step 2: trainable W"),
    "causal": Text(zh="第 3 步：因果掩码", en="Step 3: causal mask"),
    "multi_head": Text(zh="第 4 步：多头", en="Step 4: heads"),
}
PLACE = Text(zh="第 %(place)d 步", en="step %(place)d")
PLACE_HEAD = Text(zh="第 4 步，头 %(head)d", en="step 4, head %(head)d")
CHOSEN = Text(zh="▸ %(title)s", en="▸ %(title)s")
HEAD = Text(zh="第 4 步的图看第几个头", en="head shown of step 4")
HEAD_HELP = Text(
    zh="只换第 4 步的图；表里是所有头的平均。",
    en="Changes the picture of step 4 alone; the table has means over all heads.",
)

SAID = Text(zh="从点积到多头", en="Grown in four steps")
NOTE = Text(
    zh="%(sentence)s · 嵌入和 W 随机（种子 %(seed)d），没有训练过 · 位置：%(positions)s · 各步的 x 和 W 都相同 · 第 3、4 步自带因果掩码",
    en="%(sentence)s · embeddings and W at random (seed %(seed)d), untrained · positions: %(positions)s · the same x and W in all "
    "steps · steps 3 and 4 bring a causal mask of their own",
)
HEAD_MAP = Text(zh="第 4 步：头 %(head)d（共 %(heads)d 个）", en="Step 4: head %(head)d of %(heads)d")
WEIGHT = Text(zh="权重", en="weight")

TABLE = Text(zh="四步的数", en="The four steps in numbers")
MEANS = Text(
    zh="熵和给自己的权重是所有行（第 4 步还有 h = %(heads)d 个头）的平均；变化是与上一步相比的最大值，第 1 步与 x 本身相比（每个词元只看自己）。",
    en="Entropy and the weight on itself are means over all rows (in step 4 also over all heads, h = %(heads)d). Changes are the "
    "largest against the step before; in step 1 against x itself, where each token looks at itself alone.",
)
ROWS = {
    "plain": Text(zh="点积", en="dot product"),
    "trainable": Text(zh="可学的 W", en="trainable W"),
    "causal": Text(zh="因果掩码", en="causal mask"),
    "multi_head": Text(zh="多头", en="heads"),
}
COLUMNS = (
    Text(zh="熵（nat）", en="entropy (nats)"),
    Text(zh="给自己", en="on itself"),
    Text(zh="权重变化", en="weights changed"),
    Text(zh="输出变化", en="output changed"),
    Text(zh="参数", en="parameters"),
)
VERDICT = Text(zh="问题：检查，之前 → 之后", en="problem: check, before → after")
PROBLEMS = {
    "no_context": Text(zh="词元之间互不知道", en="no token knows of another"),
    "fixed_likeness": Text(
        zh="两个方向分数一样，也没有可学的数", en="one score for both ways, nothing to learn"
    ),
    "sees_future": Text(zh="看得见后面的词元", en="tokens see later ones"),
    "one_relation": Text(zh="只有一张权重图", en="a single map of weights"),
}
# What is measured of each problem.
CHECKS = {
    "no_context": Text(zh="改别的词元，输出动", en="moved by other tokens"),
    "fixed_likeness": Text(zh="两个方向的分数差", en="the two ways differ by"),
    "sees_future": Text(zh="改后面的词元，输出动", en="moved by later tokens"),
    "one_relation": Text(zh="不同的图", en="different maps"),
}
CELL = Text(
    zh="%(problem)s：%(check)s %(before)s → %(after)s，%(verdict)s",
    en="%(problem)s: %(check)s %(before)s → %(after)s, %(verdict)s",
)
SOLVED = Text(zh="解决了 ✓", en="solved ✓")
NOT_SOLVED = Text(zh="这里没解决", en="not solved here")

# What a step does, and how far that moves what the step before gave.
DOES = {
    "plain": Text(
        zh="每个词元拿自己的向量和所有词元的做点积，除以 √d_model，做 softmax，再按权重把向量混起来。没有可学的数；输出离 x 最远 %(out)s。",
        en="The dot products of each token's vector with every token's are divided by √d_model and put through softmax; by these "
        "weights the vectors are mixed. There is nothing to learn; outputs lie up to %(out)s from x.",
    ),
    "trainable": Text(
        zh="x 先乘 W^Q、W^K、W^V 得到 q、k、v，其余照旧。多了 %(parameters)s 个可学的数，这里还是随机的。"
        "和第 1 步比，权重最多变了 %(weights)s，输出最多变了 %(out)s。",
        en="x is first multiplied by W^Q, W^K and W^V, which gives q, k and v; the rest stays. There are %(parameters)s numbers to learn, "
        "random here. Against step 1, weights change by up to %(weights)s, outputs by up to %(out)s.",
    ),
    "causal": Text(
        zh="softmax 之前，把后面词元的分数换成 −∞，剩下的权重重新分到和为 1；参数一个没加。和第 2 步比，权重最多变了 %(weights)s，输出最多变了 %(out)s。",
        en="Before softmax the scores of later tokens become −∞, and the others share the weight anew; no parameter is added. Against "
        "step 2, weights change by up to %(weights)s, outputs by up to %(out)s.",
    ),
    "multi_head": Text(
        zh="q、k、v 各切成 %(heads)d 段，每段宽 %(d_k)d，各做一次注意力，拼回来再乘 W^O。一个头的权重变了，原因有两个：点积从 %(d_model)d 项变成 %(d_k)d 项，"
        "除数也从 √%(d_model)d 变成 √%(d_k)d。和第 3 步比，权重最多变了 %(weights)s，拼好、还没乘 W^O 的输出最多变了 %(out)s。",
        en="q, k and v are cut into %(heads)d pieces of width %(d_k)d; each attends by itself, and the results are joined and multiplied "
        "by W^O. A head's weights change for two reasons: its dot products have fewer terms (%(d_k)d, not %(d_model)d), and the divisor "
        "is √%(d_k)d, not √%(d_model)d. Against step 3, weights change by up to %(weights)s, outputs, joined but not yet multiplied "
        "by W^O, by up to %(out)s.",
    ),
}
ONE_HEAD = Text(
    zh="h = 1：只有一段，等于没切，权重和第 3 步最多差 %(weights)s，乘 W^O 之前的输出最多差 %(out)s。新的只有 W^O。",
    en="h = 1: a single piece is no cut at all. Weights lie at most %(weights)s from step 3, outputs before W^O at most %(out)s. "
    "W^O alone is new.",
)
# The problem of a step with its check, where it is solved.
FACTS = {
    "no_context": Text(
        zh="它解决的问题：在 x 里，词元之间互不知道。检查：把一个词元的每个数加 1，别的词元的输出最多动多少：之前 %(before)s，之后 %(after)s。",
        en="Its problem: in x no token knows of another. Check: add 1 to each number of one token; the outputs of the others move by at "
        "most %(before)s before this step, %(after)s after it.",
    ),
    "fixed_likeness": Text(
        zh="它解决的问题：点积不分方向，n 对 m 的分数就是 m 对 n 的分数，也没有可学的数。检查：两个方向的分数最多差多少：之前 %(before)s，之后 %(after)s。",
        en="Its problem: a dot product is the same both ways, n scores m as m scores n, and nothing in it can be learnt. Check: the "
        "two ways differ by at most %(before)s before this step, %(after)s after it.",
    ),
    "sees_future": Text(
        zh="它解决的问题：词元看得见后面的词元，而逐个生成时，后面的还没写出来。检查：改动后面的词元，前面的输出最多动多少：之前 %(before)s，之后 %(after)s。",
        en="Its problem: tokens see later ones, which do not exist yet when text is written token by token. Check: change a later token; "
        "outputs before it move by at most %(before)s before this step, %(after)s after it.",
    ),
    "one_relation": Text(
        zh="它解决的问题：只有一张权重图，一个词元要看几种关系，也只能按同一组权重去混。检查：互不相同的权重图有几张：之前 %(before)s，之后 %(after)s。"
        "这里不同只因为抽到的数不同；分工要靠训练。",
        en="Its problem: with one map a token mixes all that it needs from others by one set of weights. Check: maps that differ from "
        "each other, %(before)s before this step, %(after)s after it. Here they differ because their numbers were drawn so; a division "
        "of work takes training.",
    ),
}
# Why a problem is not solved at the present settings.
ONE_WORD = {
    "no_context": Text(
        zh="这一步是为了让词元知道别的词元。句子里只有一个词元，没有别的词元：%(before)s → %(after)s。写长一点再看。",
        en="This step lets a token know of others. The sentence has one token and no other: %(before)s → %(after)s. Write a longer one.",
    ),
    "fixed_likeness": Text(
        zh="这一步是为了让两个方向的分数可以不同。只有一个词元时只有一个分数，没有两个方向：%(before)s → %(after)s。写长一点再看。",
        en="This step lets the scores of the two ways differ. One token has one score and no second way: %(before)s → %(after)s. Write "
        "a longer sentence.",
    ),
    "sees_future": Text(
        zh="这一步是为了不让前面的词元看见后面的词元。只有一个词元，后面没有词元：%(before)s → %(after)s。写长一点再看。",
        en="This step hides later tokens from earlier ones. After a single token comes none: %(before)s → %(after)s. Write a longer "
        "sentence.",
    ),
    "one_relation": Text(
        zh="这一步是为了有几张不同的图。只有一个词元时，每个头的权重只能是 1：不同的图 %(before)s → %(after)s。写长一点再看。",
        en="This step is there for several maps. With one token the weight of every head is 1: different maps %(before)s → "
        "%(after)s. Write a longer sentence.",
    ),
}
ONE_NUMBER = Text(
    zh="这一步是为了让两个方向的分数可以不同。但 d_model = 1 时，分数是 w_q·w_k·x_n·x_m，数的乘法不分先后，两个方向还是一样："
    "%(before)s → %(after)s。把 d_model 调大再看。",
    en="This step lets the scores of the two ways differ. With d_model = 1 a score is w_q·w_k·x_n·x_m, and the order of "
    "a product does not matter, so both ways stay the same: %(before)s → %(after)s. Take a larger d_model.",
)
STILL_ONE = Text(
    zh="这一步是为了有几张不同的图。h = 1 时还是 1 张：不同的图 %(before)s → %(after)s。把 h 调大再看。",
    en="This step is there for several maps. With h = 1 there is still one: different maps %(before)s → %(after)s. Take a larger h.",
)
UNSEEN = Text(
    zh="这一步要解决的问题（%(problem)s）在这句话上看不出解决：%(before)s → %(after)s。词元的向量都一样，或差得太少时就会这样；换几个不同的词元再看。",
    en="The problem of this step (%(problem)s) is not seen to be solved on this sentence: %(before)s → %(after)s. That is so where "
    "the tokens' vectors are the same or nearly so; try tokens that differ.",
)
ROUNDING = Text(
    zh="小于 1e−9 的数是 float64 的舍入，当作 0。",
    en="A number below 1e−9 is rounding in float64 and counts as 0.",
)

QUESTION = Text(
    zh="在句末再写一个词元（再来一个 %(word)s），原来那些词元的输出在哪几步会变？",
    en="One more token is written at the end (%(word)s once more). At which steps do the outputs of the tokens before it change?",
)
ANSWER = Text(
    zh="原来那些词元的输出最多变多少：%(moves)s。有了因果掩码，后写的词元改不动前面的输出，所以前面的键和值算一次就可以存下来（KV 缓存）。",
    en="Their outputs change by at most: %(moves)s. Behind a causal mask no later token moves an earlier output, so keys and values "
    "can be computed once and kept (a KV cache).",
)
NOTHING_MOVES = Text(
    zh="这里没有掩码的两步也不变：所有词元的向量都一样，怎么混还是它，看不出掩码的用处。换一句词元不同的再看。",
    en="Here the two steps without a mask do not change them either: all tokens have the same vector, and any mixture of it is "
    "that vector. To see what the mask does, write tokens that differ.",
)
MOVE = Text(zh="%(step)s，%(move)s", en="%(step)s, %(move)s")
JOIN = Text(zh="；", en="; ")

ADDED = Text(
    zh="“%(step)s”新写或改过的行。x 是 N × d_model，w_q 到 w_o 是 d_model × d_model，h 是头数：",
    en="Lines that “%(step)s” adds or changes. x is N × d_model, w_q to w_o are d_model × d_model, h is the number of heads:",
)
WHOLE = Text(zh="这一步的整段程序", en="The whole program of this step")
# By the step: the view that goes on with what it brought.
NEXT = Text(zh="接着看：%(view)s", en="Go on: %(view)s")
