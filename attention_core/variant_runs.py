"""Every attention of the lab on the same queries, keys and values, told in one way: its weights, its outputs, its cost."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core import masks, patterns
from attention_core.chunks import cut_near
from attention_core.cost import PROJECTIONS, Setting, list_terms
from attention_core.embedding import MAX_WIDTH, projection
from attention_core.kv_sharing import pool_heads
from attention_core.steps import scaled_dot_product_attention
from attention_core.trace import AttentionTrace
from attention_core.variants import additive, block, dilated, global_window, linear, multiplicative, strided
from attention_core.variants.additive import AdditiveTrace, attend_additive
from attention_core.variants.alibi import attend_alibi, geometric_slopes, head_slopes
from attention_core.variants.block import attend_block
from attention_core.variants.cosine import attend_cosine
from attention_core.variants.dilated import attend_dilated
from attention_core.variants.dot_product import attend_dot
from attention_core.variants.global_window import attend_global_window
from attention_core.variants.linear import Feature, LinearTrace, attend_linear
from attention_core.variants.low_rank import LowRankTrace, attend_low_rank, draw_mixture, pool_positions
from attention_core.variants.multiplicative import MultiplicativeTrace, attend_multiplicative
from attention_core.variants.rotary import BASE, Pairing, attend_rotary
from attention_core.variants.sink import attend_sink
from attention_core.variants.strided import attend_strided
from attention_core.variants.window import attend_window

Name = Literal[
    "full",
    "dot_product",
    "multiplicative",
    "additive",
    "cosine",
    "alibi",
    "rotary",
    "sink",
    "window",
    "dilated",
    "block",
    "strided",
    "global_window",
    "grouped",
    "low_rank",
    "linear",
]
NAMES: tuple[Name, ...] = get_args(Name)
# itself: what others are compared with. exact: dense attention with a mask of its own, fewer scores computed.
# approximation: made to come near full attention. function: another function of the same q, k and v.
Kind = Literal["itself", "exact", "approximation", "function"]
KINDS: Mapping[Name, Kind] = {
    "full": "itself",
    **dict.fromkeys(("window", "dilated", "block", "strided", "global_window"), "exact"),
    **dict.fromkeys(("grouped", "low_rank"), "approximation"),
    **dict.fromkeys(
        ("dot_product", "multiplicative", "additive", "cosine", "alibi", "rotary", "sink", "linear"),
        "function",
    ),
}
# These never have a weight for each pair of a query and a key.
WITHOUT_WEIGHTS: frozenset[Name] = frozenset({"low_rank", "linear"})
# program: as the source's program makes them. sentence: as its text says, for any number of heads.
Slopes = Literal["program", "sentence"]
# pooled: the mean over neighbours. drawn: at random, as before training.
Mixture = Literal["pooled", "drawn"]
Rule = Literal["even_width", "no_causal_form", "kv_heads_divide"]


@dataclass(frozen=True)
class Choices:
    """What variants can be given besides q, k and v; each uses what it needs.

    Attributes:
        width: Keys to one side, the query itself counted.
        d_q: How many of a query's numbers additive and multiplicative attention are given, at most all there are.
        seed: Of the matrices that additive, multiplicative and low-rank attention draw.
    """

    width: int = 2
    dilation: int = 2
    block: int = 3
    stride: int = 2
    n_global: int = 1
    feature: Feature = "elu"
    rank: int = 3
    mixture: Mixture = "pooled"
    n_kv_heads: int = 1
    sink: float = 0.0
    temperature: float = 1.0
    slopes: Slopes = "program"
    pairing: Pairing = "half"
    base: float = BASE
    d_a: int = 8
    d_q: int = MAX_WIDTH
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Inputs:
    """Queries, keys and values of all heads, and who may see whom.

    Attributes:
        allowed: The causal mask; None where every pair is allowed.
    """

    q: Float[Tensor, "H N d_k"]
    k: Float[Tensor, "H N d_k"]
    v: Float[Tensor, "H N d_v"]
    is_causal: bool

    @property
    def allowed(self) -> Bool[Tensor, "N N"] | None:
        """Give the mask that all variants share."""
        return masks.causal(self.q.shape[-2]) if self.is_causal else None

    @property
    def n(self) -> int:
        """Count the positions."""
        return self.q.shape[-2]


@dataclass(frozen=True, eq=False)
class VariantRun:
    """One variant on one set of inputs.

    Attributes:
        trace: The variant's own record.
        shares: How much of each value is in each output. Weights, where the variant has one for each pair; where it has
            them in pieces, those pieces laid out; else what its outputs hold, which it never writes down.
        seen: Which query's output can hold something of which value; None for every pair.
        out: Of all heads, before W^O.
    """

    name: Name
    inputs: Inputs
    choices: Choices
    trace: object
    shares: Float[Tensor, "H N M"]
    seen: Bool[Tensor, "N N"] | None
    out: Float[Tensor, "H N d_v"]

    @property
    def has_weights(self) -> bool:
        """Tell whether it has a weight for each pair that is seen."""
        return self.name not in WITHOUT_WEIGHTS

    @property
    def n_seen(self) -> int:
        """Count the pairs that are seen, in one head."""
        return self.inputs.n**2 if self.seen is None else int(self.seen.sum())


@dataclass(frozen=True)
class Refusal:
    """Why a variant cannot run.

    Attributes:
        values: Those that break the rule: d_k; none; h and h_kv.
    """

    rule: Rule
    values: tuple[int, ...] = ()


def find_refusal(name: Name, inputs: Inputs, choices: Choices) -> Refusal | None:
    """Say why a variant cannot run on these inputs; None where it can.

    Example:
        >>> x = torch.zeros(3, 2, 5)
        >>> find_refusal("rotary", Inputs(x, x, x, is_causal=False), Choices())
        Refusal(rule='even_width', values=(5,))
    """
    n_heads, _, d_k = inputs.q.shape
    if name == "rotary" and d_k % 2:
        return Refusal("even_width", (d_k,))
    if name == "low_rank" and inputs.is_causal:
        return Refusal("no_causal_form")
    if name == "grouped" and n_heads % choices.n_kv_heads:
        return Refusal("kv_heads_divide", (n_heads, choices.n_kv_heads))
    return None


def run_variant(name: Name, inputs: Inputs, choices: Choices) -> VariantRun:
    """Run one variant, and read off how much of each value is in each output.

    Returns:
        Shares that the variant itself computed: what it gives for an identity matrix in the place of the values.

    Raises:
        ValueError: what `find_refusal` tells, or what the variant says of its choices.

    Example:
        >>> x = torch.zeros(1, 3, 2)
        >>> run = run_variant("window", Inputs(x, x, x, is_causal=True), Choices(width=2))
        >>> run.shares[0].tolist(), run.n_seen
        ([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.0, 0.5, 0.5]], 5)
    """
    refusal = find_refusal(name, inputs, choices)
    if refusal is not None:
        raise ValueError(f"{name} cannot run: {refusal.rule}, got {refusal.values}")
    trace = ATTEND[name](inputs, choices, inputs.v)
    if KINDS[name] == "exact" or name in WITHOUT_WEIGHTS:
        identity = torch.eye(inputs.n, dtype=inputs.v.dtype).expand(len(inputs.v), -1, -1)
        shares = ATTEND[name](inputs, choices, identity).out
    else:
        shares = getattr(trace, "attention", trace).weights
    return VariantRun(name, inputs, choices, trace, shares, find_seen(name, inputs, choices), trace.out)


def find_seen(name: Name, inputs: Inputs, choices: Choices) -> Bool[Tensor, "N N"] | None:
    """Say which pairs a variant can see; None for every pair.

    Example:
        >>> x = torch.zeros(1, 3, 2)
        >>> find_seen("block", Inputs(x, x, x, is_causal=False), Choices(block=2)).int().tolist()
        [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    """
    rules = {
        "window": lambda: patterns.window(choices.width),
        "dilated": lambda: patterns.dilated(choices.width, choices.dilation),
        "block": lambda: patterns.block(choices.block),
        "strided": lambda: patterns.strided(choices.stride, is_causal=False),
        "global_window": lambda: patterns.window(choices.width) | patterns.global_tokens(choices.n_global),
    }
    if name not in rules:
        return inputs.allowed
    pairs = rules[name]()(*patterns.place_sides(inputs.n, inputs.n, 0)).expand(inputs.n, inputs.n)
    return pairs if inputs.allowed is None else pairs & inputs.allowed


def attend_densely(run: VariantRun) -> AttentionTrace:
    """Give dense attention with the pairs that a variant sees as its mask: what an exact variant has to equal.

    Example:
        >>> x = torch.zeros(1, 3, 2)
        >>> run = run_variant("window", Inputs(x, x, x, is_causal=True), Choices(width=2))
        >>> bool((attend_densely(run).out == run.out).all())
        True
    """
    inputs = run.inputs
    return scaled_dot_product_attention(inputs.q, inputs.k, inputs.v, allowed=run.seen)


def relative_error(out: Float[Tensor, "*B N d_v"], full: Float[Tensor, "*B N d_v"]) -> float | None:
    """Say how far outputs lie from others, beside how large those are; None where those are all 0.

        |out − full| / |full|, each the root of the sum of squares

    Example:
        >>> relative_error(torch.tensor([[3.0, 8.0]]), torch.tensor([[3.0, 4.0]]))
        0.8
    """
    size = float(full.norm())
    return float((out - full).norm()) / size if size else None


def count_scores(name: Name, n: int, choices: Choices, *, is_causal: bool) -> int:
    """Count the scores that a variant computes in one head, those of filling and those that a mask hides among them.

    Example:
        >>> count_scores("window", 12, Choices(width=3), is_causal=True), count_scores("linear", 12, Choices(), is_causal=True)
        (72, 0)
    """
    counts: Mapping[Name, Callable[[], int]] = {
        "window": lambda: cut_near(n, choices.width, is_causal=is_causal).n_pairs,
        "dilated": lambda: dilated.count_pairs(n, choices.width, choices.dilation, is_causal=is_causal),
        "block": lambda: block.count_pairs(n, choices.block),
        "strided": lambda: strided.count_pairs(n, choices.stride, is_causal=is_causal),
        "global_window": lambda: global_window.count_pairs(
            n, choices.width, choices.n_global, is_causal=is_causal
        ),
        "low_rank": lambda: n * choices.rank,
        "linear": lambda: 0,
    }
    return counts[name]() if name in counts else n**2


def count_flops(name: Name, inputs: Inputs, choices: Choices) -> int:
    """Count the FLOPs of a variant's matrix products in all heads, from q, k and v to the outputs.

    Returns:
        A multiply-add as 2; masks, softmax, feature maps, turned and divided vectors are not counted.

    Example:
        >>> x = torch.zeros(2, 12, 4)
        >>> [count_flops(name, Inputs(x, x, x, is_causal=True), Choices(width=3)) for name in ("full", "window")]
        [4608, 2304]
    """
    n_heads, n, d_k = inputs.q.shape
    d_v, d_q = inputs.v.shape[-1], min(choices.d_q, d_k)
    if name == "additive":
        return n_heads * additive.count_flops(n, n, d_q, d_k, choices.d_a, d_v)
    if name == "multiplicative":
        return n_heads * multiplicative.count_flops(n, n, d_q, d_k, d_v)
    if name == "linear":
        return n_heads * linear.count_flops(n, d_k, d_v, is_causal=inputs.is_causal)
    if name == "low_rank":
        setting = Setting(n=n, d_model=n_heads * d_k, n_heads=n_heads, d_v=d_v, rank=choices.rank)
        terms = list_terms("low_rank", "flops", setting)
        return sum(term.value for term in terms if term.name not in PROJECTIONS)
    scores = count_scores(name, n, choices, is_causal=inputs.is_causal)
    return 2 * n_heads * scores * (d_k + d_v)


def give_queries(inputs: Inputs, choices: Choices) -> Float[Tensor, "H N d_q"]:
    """Give additive and multiplicative attention so many of a query's numbers: theirs may be of another width."""
    return inputs.q[..., : choices.d_q]


def draw_scorers(inputs: Inputs, choices: Choices, head: int) -> Mapping[str, Float[Tensor, "..."]]:
    """Draw the matrices by which one head of additive and of multiplicative attention compares.

    Returns:
        w_q, w_k and w_score of additive attention, w of multiplicative attention; each head's own, from the seed.
    """
    d_k, suffix = inputs.k.shape[-1], f" of head {head}"
    d_q, d_a, seed = min(choices.d_q, d_k), choices.d_a, choices.seed
    return {
        "w_q": projection(f"additive w_q{suffix}", seed, d_q, d_a),
        "w_k": projection(f"additive w_k{suffix}", seed, d_k, d_a),
        # Of the size of 1 each, not divided by a root: as large as the scores of the other variants.
        "w_score": projection(f"additive w_score{suffix}", seed, 1, d_a)[0],
        "w": projection(f"multiplicative w{suffix}", seed, d_q, d_k),
    }


def mix_positions(n: int, choices: Choices) -> Float[Tensor, "rank N"]:
    """Give the matrix by which low-rank attention makes few keys and values of many: one for both, and for all heads."""
    rank = min(choices.rank, n)
    if choices.mixture == "pooled":
        return pool_positions(rank, n)
    return draw_mixture(rank, n, torch.Generator().manual_seed(choices.seed))


def _full(inputs: Inputs, _choices: Choices, v: Float[Tensor, "H N d_v"]) -> AttentionTrace:
    return scaled_dot_product_attention(inputs.q, inputs.k, v, allowed=inputs.allowed)


def _dot_product(inputs: Inputs, _choices: Choices, v: Float[Tensor, "H N d_v"]) -> AttentionTrace:
    return attend_dot(inputs.q, inputs.k, v, allowed=inputs.allowed)


def _multiplicative(inputs: Inputs, choices: Choices, v: Float[Tensor, "H N d_v"]) -> MultiplicativeTrace:
    q = give_queries(inputs, choices)
    traces = [
        attend_multiplicative(
            q[head],
            inputs.k[head],
            v[head],
            draw_scorers(inputs, choices, head)["w"].to(q.dtype),
            allowed=inputs.allowed,
        )
        for head in range(len(q))
    ]
    attention = _stack([trace.attention for trace in traces])
    return MultiplicativeTrace(torch.stack([trace.projected_q for trace in traces]), attention)


def _additive(inputs: Inputs, choices: Choices, v: Float[Tensor, "H N d_v"]) -> AdditiveTrace:
    q = give_queries(inputs, choices)
    traces = []
    for head in range(len(q)):
        drawn = draw_scorers(inputs, choices, head)
        w = (drawn[name].to(q.dtype) for name in ("w_q", "w_k", "w_score"))
        traces.append(attend_additive(q[head], inputs.k[head], v[head], *w, allowed=inputs.allowed))
    return _stack(traces)


def _cosine(inputs: Inputs, choices: Choices, v: Float[Tensor, "H N d_v"]) -> object:
    temperature = choices.temperature
    return attend_cosine(inputs.q, inputs.k, v, temperature=temperature, allowed=inputs.allowed)


def _alibi(inputs: Inputs, choices: Choices, v: Float[Tensor, "H N d_v"]) -> object:
    slopes = (head_slopes if choices.slopes == "program" else geometric_slopes)(len(inputs.q))
    return attend_alibi(inputs.q, inputs.k, v, slopes=slopes, allowed=inputs.allowed)


def _rotary(inputs: Inputs, choices: Choices, v: Float[Tensor, "H N d_v"]) -> object:
    turn = {"pairing": choices.pairing, "base": choices.base}
    return attend_rotary(inputs.q, inputs.k, v, allowed=inputs.allowed, **turn)


def _sink(inputs: Inputs, choices: Choices, v: Float[Tensor, "H N d_v"]) -> object:
    return attend_sink(inputs.q, inputs.k, v, sink=choices.sink, allowed=inputs.allowed)


def _window(inputs: Inputs, choices: Choices, v: Float[Tensor, "H N d_v"]) -> object:
    return attend_window(inputs.q, inputs.k, v, choices.width, is_causal=inputs.is_causal)


def _dilated(inputs: Inputs, choices: Choices, v: Float[Tensor, "H N d_v"]) -> object:
    sizes = choices.width, choices.dilation
    return attend_dilated(inputs.q, inputs.k, v, *sizes, is_causal=inputs.is_causal)


def _block(inputs: Inputs, choices: Choices, v: Float[Tensor, "H N d_v"]) -> object:
    return attend_block(inputs.q, inputs.k, v, choices.block, is_causal=inputs.is_causal)


def _strided(inputs: Inputs, choices: Choices, v: Float[Tensor, "H N d_v"]) -> object:
    return attend_strided(inputs.q, inputs.k, v, choices.stride, is_causal=inputs.is_causal)


def _global_window(inputs: Inputs, choices: Choices, v: Float[Tensor, "H N d_v"]) -> object:
    sizes = choices.width, choices.n_global
    return attend_global_window(inputs.q, inputs.k, v, *sizes, is_causal=inputs.is_causal)


def _grouped(inputs: Inputs, choices: Choices, v: Float[Tensor, "H N d_v"]) -> AttentionTrace:
    k, v = (pool_heads(x, choices.n_kv_heads)[None] for x in (inputs.k, v))
    # Heads may be fewer in k and v where they are not the only leading axis.
    trace = scaled_dot_product_attention(inputs.q[None], k, v, allowed=inputs.allowed)
    return AttentionTrace(**{name: None if x is None else x[0] for name, x in vars(trace).items()})


def _low_rank(inputs: Inputs, choices: Choices, v: Float[Tensor, "H N d_v"]) -> LowRankTrace:
    w = mix_positions(inputs.n, choices).to(v.dtype)
    return attend_low_rank(inputs.q, inputs.k, v, w, w)


def _linear(inputs: Inputs, choices: Choices, v: Float[Tensor, "H N d_v"]) -> LinearTrace:
    return attend_linear(inputs.q, inputs.k, v, feature=choices.feature, is_causal=inputs.is_causal)


# Each gives a record with `out`.
ATTEND: Mapping[Name, Callable[[Inputs, Choices, Float[Tensor, "H N d_v"]], object]] = {
    "full": _full,
    "dot_product": _dot_product,
    "multiplicative": _multiplicative,
    "additive": _additive,
    "cosine": _cosine,
    "alibi": _alibi,
    "rotary": _rotary,
    "sink": _sink,
    "window": _window,
    "dilated": _dilated,
    "block": _block,
    "strided": _strided,
    "global_window": _global_window,
    "grouped": _grouped,
    "low_rank": _low_rank,
    "linear": _linear,
}


def _stack(traces: list) -> object:
    """Put the records of heads that ran one by one together."""
    first = traces[0]
    fields = {
        name: None if value is None else torch.stack([getattr(trace, name) for trace in traces])
        for name, value in vars(first).items()
    }
    return type(first)(**fields)
