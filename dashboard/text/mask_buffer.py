"""Words of the mask lesson's view of how a module keeps its mask."""

from dashboard.text import Text

VIEW = Text(zh="掩码存在哪里", en="Where a mask is kept")

KEEPING = Text(zh="模块怎样存掩码", en="how the module keeps its mask")
KEEPING_HELP = Text(
    zh="同一个因果自注意力模块，只换存掩码的办法。",
    en="The same module of causal self-attention; only the way it keeps its mask differs.",
)
KEEPINGS = {
    "buffer": Text(zh="缓冲区（布尔）", en="buffer (bool)"),
    "unsaved_buffer": Text(zh="不保存的缓冲区（布尔）", en="unsaved buffer (bool)"),
    "float_buffer": Text(zh="缓冲区（浮点 0 与 −∞）", en="buffer (floats, 0 and −∞)"),
    "attribute": Text(zh="普通属性（布尔）", en="plain attribute (bool)"),
    "parameter": Text(zh="参数（浮点 0 与 −∞）", en="parameter (floats, 0 and −∞)"),
}
DTYPE = Text(zh="之后用 .to() 转成", en="then moved by .to() to")
DTYPE_HELP = Text(
    zh="走完一步之后，把模块的一份副本转成这个类型。",
    en="After the step a copy of the module is moved to this type.",
)
RATE = Text(zh="学习率", en="learning rate")
RATE_HELP = Text(
    zh="SGD 走一步：w 减去学习率乘梯度。0 到 100；太大时损失会变大。",
    en="One step of SGD: w minus rate times gradient. 0 to 100; too large a rate makes the loss grow.",
)
N = Text(zh="N（词元数）", en="N (tokens)")
N_HELP = Text(zh="掩码是 N × N，1 到 8。", en="The mask is N × N, 1 to 8.")
SEED = Text(zh="种子", en="seed")
SEED_HELP = Text(zh="矩阵、输入和目标都由它抽出。", en="Matrices, input and target are drawn from it.")

NOTE = Text(
    zh="矩阵、输入和目标随机抽出（种子 %(seed)d） · 刚刚在 CPU 上用 torch %(version)s 真的走了一步",
    en="matrices, input and target at random (seed %(seed)d) · one real step, taken just now on the CPU by torch %(version)s",
)
BEFORE = Text(zh="走一步之前的掩码", en="The mask before the step")
AFTER = Text(zh="走一步之后的掩码", en="The mask after the step")

COLUMNS = (
    Text(zh="名字", en="name"),
    Text(zh="身份", en="kept as"),
    Text(zh="形状", en="shape"),
    Text(zh="类型", en="type"),
    Text(zh="这一步最多改了", en="moved by the step, at most"),
    Text(zh="在 state_dict 里", en="in state_dict"),
    Text(zh=".to(%(dtype)s) 之后", en="after .to(%(dtype)s)"),
    Text(zh='.to("meta") 之后在', en='after .to("meta") on'),
)
KINDS = {
    "parameter": Text(zh="参数", en="parameter"),
    "buffer": Text(zh="缓冲区", en="buffer"),
    "attribute": Text(zh="属性", en="attribute"),
}
YES = Text(zh="是", en="yes")
NO = Text(zh="否", en="no")

STEP = Text(
    zh="损失从 %(before)s 到 %(after)s。优化器改了的：%(changed)s；掩码最多改了 %(mask)s。state_dict 里有 %(saved)s。",
    en="The loss went from %(before)s to %(after)s. The optimiser changed %(changed)s; the mask moved by at most %(mask)s. "
    "state_dict holds %(saved)s.",
)
NOTHING = Text(zh="无", en="no tensor")
BETWEEN = Text(zh="、", en=", ")
HOLDS = Text(
    zh="因果掩码没有变：走一步之后挡住的还是那 %(pairs)d 对，一个数也没动。",
    en="The causal mask is as it was: no number moved, and as many pairs are hidden after the step as before (%(pairs)d).",
)
TRAINED = Text(
    zh="掩码被训练了：看得见的格子本该是 0，现在最远到 %(change)s，每个分数都可能多出一个没人要的偏移，再走一步还会再变。"
    "挡住的格子（%(pairs)d 对）还是 −∞，只因那里权重是 0，梯度也就是 0。",
    en="The mask was trained: allowed cells should be 0 and are now up to %(change)s away, an offset on scores that nobody asked "
    "for and that a further step changes again. What is hidden (pairs: %(pairs)d) is still −∞ only because a weight of 0 has a "
    "gradient of 0.",
)
BROKEN = Text(
    zh="因果掩码变了：之前挡住 %(before)d 对，之后 %(after)d 对。",
    en="The causal mask has changed: %(before)d pairs were hidden before, %(after)d after.",
)
UNMOVED = Text(
    zh="掩码是参数，优化器也管着它，只是这一步没有动：%(reason)s。",
    en="The mask is a parameter and in the optimiser's hands; this step did not move it: %(reason)s.",
)
# By whether the rate is 0, and the gradient.
STILL = {
    (True, True): Text(zh="学习率和它的梯度都是 0", en="both the rate and its gradient are 0"),
    (True, False): Text(zh="学习率是 0", en="the rate is 0"),
    (False, True): Text(zh="它的梯度是 0", en="its gradient is 0"),
    (False, False): Text(
        zh="学习率乘梯度太小，加不进去", en="rate times gradient is too small to make a difference"
    ),
}
WHY = {
    "buffer": Text(
        zh="缓冲区归模块管，却不在 parameters() 里：优化器看不见它，.to() 和 state_dict 看得见。布尔掩码不是浮点，换类型时原样留下，"
        "所以 .to(%(dtype)s) 之后仍是 %(after)s。",
        en="A buffer belongs to the module but is not among parameters(): the optimiser does not see it, .to() and state_dict do. A "
        "bool mask is no float and is left alone by a change of type: after .to(%(dtype)s) it is %(after)s.",
    ),
    "unsaved_buffer": Text(
        zh="persistent=False 的缓冲区跟着模块走，但不写进 state_dict：掩码只由长度决定，随时能重造，存它只会让权重文件和长度绑在一起。"
        ".to(%(dtype)s) 之后仍是 %(after)s。",
        en="A buffer with persistent=False goes with the module but not into state_dict: length alone decides the mask, it can be "
        "made again at any time, and saving it ties the file to one length. After .to(%(dtype)s) it is %(after)s.",
    ),
    "float_buffer": Text(
        zh="浮点缓冲区不会被训练，但它是浮点，类型跟着模块走：.to(%(dtype)s) 之后是 %(after)s。−∞ 在每种浮点类型里都有，"
        "−1e9 在 float16 里就没有了。",
        en="A buffer of floats is not trained, but as floats it takes on the module's type: after .to(%(dtype)s) it is "
        "%(after)s. Every float type has −∞; −1e9 does not exist in float16.",
    ),
    "attribute": Text(
        zh="普通属性只有 Python 知道：它不在参数里，也不在缓冲区里，.to() 不带它走，state_dict 不存它。.to(%(dtype)s) 之后它是 %(after)s。",
        en="A plain attribute is known to Python alone: neither a parameter nor a buffer, so .to() leaves it behind and state_dict "
        "leaves it out. After .to(%(dtype)s) it is %(after)s.",
    ),
    "parameter": Text(
        zh="nn.Parameter 说的是“请训练我”：它在 parameters() 里，梯度算到它身上，优化器每一步都会按梯度改它。"
        "它的类型也跟着模块走：.to(%(dtype)s) 之后是 %(after)s。",
        en="nn.Parameter says: train me. It is among parameters(), so a gradient is computed for it, and every step moves it by "
        "rate times gradient. Its type goes with the module's: after .to(%(dtype)s) it is %(after)s.",
    ),
}
MOVED = Text(
    zh="把模块搬到另一个设备（这里用 meta，每台机器都有）：矩阵在 %(weights)s，掩码在 %(mask)s，模块还能跑。",
    en="Moved to another device (meta, which every machine has): the matrices are on %(weights)s, the mask is on %(mask)s, and "
    "the module runs.",
)
LEFT_BEHIND = Text(
    zh="把模块搬到另一个设备（这里用 meta，每台机器都有）：矩阵在 %(weights)s，掩码还在 %(mask)s，一跑就停：%(error)s",
    en="Moved to another device (meta, which every machine has): the matrices are on %(weights)s, the mask is still on %(mask)s, "
    "and a call stops: %(error)s",
)

QUESTION = Text(
    zh="把这个 state_dict 装进一个多一个词元（N = %(longer)d）的同样模块，装得进去吗？",
    en="Load this state_dict into the same module for one token more (N = %(longer)d). Does it go in?",
)
LOADS = Text(
    zh="装得进去。存下来的只有 %(saved)s，形状都与 N 无关；掩码不在文件里，按新的长度造。",
    en="It does. Only %(saved)s are saved, whose shapes do not depend on N; the mask is not in the file and is made for the new "
    "length.",
)
FAILS = Text(
    zh="装不进去。掩码存进去了，形状是 %(shape)s。torch 刚刚说：%(error)s",
    en="It does not. The mask is saved too, with shape %(shape)s. torch said just now: %(error)s",
)
