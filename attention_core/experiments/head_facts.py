"""Claim H3: heads look at different places; what each head of one input looks at, in numbers, one head at a time."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core.embedding import embed, projection
from attention_core.masks import causal, full
from attention_core.sharpness import entropy
from attention_core.single_head import Positions, draw_position, trace_from_inputs
from attention_core.steps import scaled_dot_product_attention, weigh
from attention_core.tokens import MAX_TOKENS
from attention_core.trace import AttentionTrace, SingleHeadTrace

Meter = Literal["entropy", "distance_back", "distance", "on_self", "on_first", "on_previous"]
METERS: tuple[Meter, ...] = get_args(Meter)
Place = Literal["on_self", "on_first", "on_previous"]
PLACES: tuple[Place, ...] = get_args(Place)
Over = Literal["mean", "max"]
OVERS: tuple[Over, ...] = get_args(Over)
MAX_HEADS = 64
# A head is called by a place that gets more than this share of its weight.
NAMING_SHARE = 0.5


@dataclass(frozen=True)
class HeadSummary:
    """What one head looks at: means over the queries that count, None where no query does.

    Attributes:
        head: From 0.
        n_queries: How many count: they see a key and are no filler.
        entropy: In nats.
        distance_back: Σ A[n, m] · (place of n − m), with its sign: above 0 where the head looks back, below 0 where
            it looks ahead; behind and ahead cancel.
        distance: The same without sign, Σ A[n, m] · |place of n − m|. Equal to distance_back under a causal mask.
        on_self: Weight on the query's own token.
        on_first: Weight on key 0.
        on_previous: Weight on the token before the query's, over the queries that have one.
    """

    head: int
    n_queries: int
    entropy: float | None
    distance_back: float | None
    distance: float | None
    on_self: float | None
    on_first: float | None
    on_previous: float | None


@dataclass(frozen=True, eq=False)
class HeadFacts:
    """What all heads of one attention look at.

    Attributes:
        weights: As given.
        is_counted: The queries that see a key in this head and are no filler.
        by_query: Each row's meters, in the order of METERS; NaN where a query does not count or has no such token.
        by_head: The means of by_query, head by head.
    """

    weights: Float[Tensor, "H N M"]
    is_counted: Bool[Tensor, "H N"]
    by_query: Float[Tensor, "H N meters"]
    by_head: tuple[HeadSummary, ...]


@dataclass(frozen=True, eq=False)
class HeadsAsOne:
    """The maps of all heads drawn as one: a choice that must be named, since it hides what the heads are for.

    Attributes:
        row_sums: 1 for the mean where every head sees a key. For max between 1 and the number of heads: its rows are
            no weights, so they have no entropy.
    """

    over: Over
    weights: Float[Tensor, "N M"]
    row_sums: Float[Tensor, " N"]


@dataclass(frozen=True, eq=False)
class SentenceHeads:
    """Several heads on one sentence, with projections that are drawn at random: nothing here has learnt anything.

    Attributes:
        w_q: Of each head, as w_k and w_v.
        w_o: The rows of head h are h · d_v to (h + 1) · d_v.
        uniform: The facts of a head that weighs all keys it may see alike. What a head shows beyond these is its
            own; what it shares with them comes from the mask.
    """

    tokens: tuple[str, ...]
    x: Float[Tensor, "N d_model"]
    w_q: Float[Tensor, "H d_model d_k"]
    w_k: Float[Tensor, "H d_model d_k"]
    w_v: Float[Tensor, "H d_model d_v"]
    w_o: Float[Tensor, "H_d_v d_model"]
    allowed: Bool[Tensor, "N M"] | None
    attention: AttentionTrace
    facts: HeadFacts
    uniform: HeadFacts


def read_heads(
    weights: Float[Tensor, "H N M"],
    allowed: Bool[Tensor, "*#H #N #M"] | None = None,
    *,
    is_padded: Bool[Tensor, " N"] | None = None,
    offset: int | None = None,
) -> HeadFacts:
    """Read off what each head looks at, from weights of any origin: drawn, trained or edited.

    Args:
        weights: After softmax, before dropout.
        allowed: The mask that made them, for all heads or one for each. None: whatever has weight.
        is_padded: The queries that are filler; no mean counts them.
        offset: Place of query 0 among the keys. None: the last query stands at the last key.

    Returns:
        Facts by head, never averaged over heads. float64 whatever the weights are.

    Raises:
        ValueError: no head or too many, a negative weight or NaN, a row that does not sum to 1 (or to 0 where its
            query sees no key), weight on a hidden key, a mask that is not bool or does not broadcast, or filler
            that is not told for each query.

    Example:
        >>> looks_back = torch.tensor([[[1.0, 0.0], [1.0, 0.0]]])
        >>> read_heads(looks_back).by_head[0]
        HeadSummary(head=0, n_queries=2, entropy=0.0, distance_back=0.5, distance=0.5, on_self=0.5, on_first=1.0, \
on_previous=1.0)

    Source: mean distance is that of Vig & Belinkov 2019, section 4.2, with a sign besides, which is our choice.
    """
    H, N, M = weights.shape
    if not 1 <= H <= MAX_HEADS:
        raise ValueError(f"there must be 1 to {MAX_HEADS} heads, got {H}")
    wide = weights.detach().double()
    sees_key = _seeing(wide, allowed, torch.finfo(weights.dtype).eps)
    if is_padded is not None and (is_padded.dtype is not torch.bool or is_padded.shape != (N,)):
        raise ValueError(
            f"is_padded must be bool of shape {(N,)}, one a query, got {is_padded.dtype} of {tuple(is_padded.shape)}"
        )
    is_counted = sees_key if is_padded is None else sees_key & ~is_padded
    offset = M - N if offset is None else offset
    place = torch.arange(N, device=wide.device) + offset
    back = place[:, None] - torch.arange(M, device=wide.device)
    by_query = torch.stack(
        [
            entropy(wide),
            (wide * back).sum(dim=-1),
            (wide * back.abs()).sum(dim=-1),
            _weight_at(wide, place),
            _weight_at(wide, torch.zeros_like(place)),
            _weight_at(wide, place - 1),
        ],
        dim=-1,
    ).masked_fill(~is_counted[..., None], math.nan)
    by_head = tuple(_summarise(head, is_counted[head], by_query[head]) for head in range(H))
    return HeadFacts(weights, is_counted, by_query, by_head)


def summarise_over_heads(facts: HeadFacts, over: Over) -> dict[Meter, float | None]:
    """Take the mean or the largest of each meter over the heads that have it.

    Example:
        >>> facts = read_heads(torch.tensor([[[1.0, 0.0]], [[0.5, 0.5]]]))
        >>> [summarise_over_heads(facts, over)["on_first"] for over in OVERS]
        [0.75, 1.0]

    Raises:
        ValueError: neither mean nor max.
    """
    _check_over(over)
    found = {}
    for meter in METERS:
        numbers = [number for head in facts.by_head if (number := getattr(head, meter)) is not None]
        joined = sum(numbers) / len(numbers) if numbers and over == "mean" else max(numbers, default=None)
        found[meter] = joined
    return found


def name_by_place(head: HeadSummary, uniform: HeadSummary) -> Place | None:
    """Name the place to which most of a head's weight goes; None where no place gets most.

    Args:
        uniform: A head that weighs alike all keys it may see. What it gives a place is no sign of a choice.

    Returns:
        The place with the largest share, of those that get more than NAMING_SHARE and more than `uniform` gives them.

    Example:
        >>> back, alike = [[1.0, 0.0], [0.9, 0.1]], [[1.0, 0.0], [0.5, 0.5]]
        >>> facts = read_heads(torch.tensor([back, alike]), causal(2))
        >>> [name_by_place(head, read_uniform(2, causal(2)).by_head[0]) for head in facts.by_head]
        ['on_first', None]

    Source: our own choice. Places are what can be read off one sentence; a relation of words takes many.
    """
    shares = {place: getattr(head, place) for place in PLACES}
    most = {
        place: share
        for place, share in shares.items()
        if share is not None and share > max(NAMING_SHARE, getattr(uniform, place))
    }
    return max(most, key=most.__getitem__, default=None)


def join_heads(weights: Float[Tensor, "H N M"], over: Over) -> HeadsAsOne:
    """Draw the maps of all heads as one map, by their mean or by the largest weight of each pair.

    Raises:
        ValueError: neither mean nor max, or no head.

    Example:
        >>> stays, swaps = [[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]
        >>> [join_heads(torch.tensor([stays, swaps]), over).weights.tolist() for over in OVERS]
        [[[0.5, 0.5], [0.5, 0.5]], [[1.0, 1.0], [1.0, 1.0]]]
    """
    _check_over(over)
    if not weights.shape[0]:
        raise ValueError(f"there must be 1 to {MAX_HEADS} heads, got {weights.shape[0]}")
    joined = weights.mean(dim=0) if over == "mean" else weights.amax(dim=0)
    return HeadsAsOne(over, joined, joined.sum(dim=-1))


def read_uniform(n: int, allowed: Bool[Tensor, "N N"] | None = None) -> HeadFacts:
    """Read off one head of self-attention that weighs alike all keys it may see: what the mask alone brings.

    Example:
        >>> read_uniform(2).by_head[0].on_self, read_uniform(2, causal(2)).by_head[0].on_self
        (0.5, 0.75)
    """
    alike = weigh(torch.zeros(1, n, n, dtype=torch.float64), full(n) if allowed is None else allowed)
    return read_heads(alike, allowed)


def compare_heads(facts: HeadFacts) -> Float[Tensor, "H H"]:
    """Say how far apart each two heads are: the share of a query's weight that lies on other keys, on average.

        apart[g, h] = mean over queries n of ½ Σ_m |A_g[n, m] − A_h[n, m]|

    Returns:
        0 for heads with the same weights, 1 for heads that share no key; over the queries that count in both heads,
        NaN where there is none.

    Example:
        >>> stays, swaps, alike = [[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]], [[0.5, 0.5], [0.5, 0.5]]
        >>> compare_heads(read_heads(torch.tensor([stays, swaps, alike])))[0].tolist()
        [0.0, 1.0, 0.5]

    Source: the total variation distance of two distributions.
    """
    wide, counted = facts.weights.detach().double(), facts.is_counted
    by_query = torch.stack([(wide - head).abs().sum(dim=-1) / 2 for head in wide])
    both = counted[:, None] & counted[None]
    return (by_query * both).sum(dim=-1) / both.sum(dim=-1)


def attend_sentence(
    tokens: Sequence[str],
    *,
    seed: int,
    d_model: int,
    n_heads: int,
    d_k: int | None = None,
    positions: Positions = "sinusoidal",
    is_causal: bool = False,
) -> SentenceHeads:
    """Run several heads on a reader's sentence, with random projections.

    Args:
        d_k: Width of one head's queries, keys and values. None: d_model / n_heads.

    Returns:
        float64. Head 0 is the head of `own_sentence` with the same settings; a head keeps its numbers whatever the
        number of heads, w_o up to the factor 1/√n_heads.

    Raises:
        ValueError: too many tokens, no head or too many, a d_model that n_heads does not divide where d_k is not
            given, a width that is not from 1 to MAX_WIDTH, or an unknown kind of positions.

    Example:
        >>> found = attend_sentence(("the", "cat", "ran"), seed=0, d_model=6, n_heads=2, is_causal=True)
        >>> tuple(found.attention.weights.shape), found.facts.by_head[1].n_queries
        ((2, 3, 3), 3)
    """
    n = len(tokens)
    if n > MAX_TOKENS:
        raise ValueError(f"a sentence has at most {MAX_TOKENS} tokens, got {n}")
    if not 1 <= n_heads <= MAX_HEADS:
        raise ValueError(f"there must be 1 to {MAX_HEADS} heads, got {n_heads}")
    if d_k is None and d_model % n_heads:
        raise ValueError(
            f"d_model must be a multiple of n_heads where d_k is not given, got {d_model} and {n_heads}"
        )
    d_k = d_model // n_heads if d_k is None else d_k
    embedding = embed(tokens, seed, d_model)
    x = embedding + draw_position(positions, n, d_model, seed).to(embedding.dtype)
    w_q, w_k, w_v = (_draw(name, seed, n_heads, d_model, d_k) for name in ("w_q", "w_k", "w_v"))
    w_o = _draw("w_o", seed, n_heads, d_k, d_model).flatten(0, 1) / math.sqrt(n_heads)
    allowed = causal(n) if is_causal else None
    attention = scaled_dot_product_attention(x @ w_q, x @ w_k, x @ w_v, allowed=allowed)
    facts, uniform = read_heads(attention.weights, allowed), read_uniform(n, allowed)
    return SentenceHeads(tuple(tokens), x, w_q, w_k, w_v, w_o, allowed, attention, facts, uniform)


def trace_head(found: SentenceHeads, head: int) -> SingleHeadTrace:
    """Follow one head of a sentence from x to its output, so that each of its weights can be explained.

    Args:
        head: From 0.

    Raises:
        ValueError: a head that there is not.

    Example:
        >>> found = attend_sentence(("the", "cat"), seed=0, d_model=6, n_heads=2)
        >>> bool((trace_head(found, 1).weights - found.attention.weights[1]).abs().max() < 1e-12)
        True
    """
    if not 0 <= head < len(found.w_q):
        raise ValueError(f"head must be from 0 to {len(found.w_q) - 1}, got {head}")
    is_causal = found.allowed is not None
    return trace_from_inputs(
        found.w_q[head], found.w_k[head], found.w_v[head], x=found.x, is_causal=is_causal
    )


def _draw(name: str, seed: int, n_heads: int, rows: int, columns: int) -> Float[Tensor, "H _ _"]:
    """Draw one matrix for each head; the first head's is the single head's."""
    names = [name, *(f"{name} of head {head}" for head in range(1, n_heads))]
    return torch.stack([projection(own_name, seed, rows, columns) for own_name in names])


def _seeing(
    weights: Float[Tensor, "H N M"], allowed: Bool[Tensor, "..."] | None, eps: float
) -> Bool[Tensor, "H N"]:
    """Say which queries see a key, and refuse what are no weights under this mask."""
    if not bool((weights >= 0).all()):
        raise ValueError(f"weights must be at least 0 and no NaN, got {weights.min()}")
    sees_key = weights.any(dim=-1)
    if allowed is not None:
        if allowed.dtype is not torch.bool:
            raise ValueError(f"the mask must be torch.bool, True = may see, got {allowed.dtype}")
        try:
            allowed = allowed.expand(weights.shape)
        except RuntimeError as error:
            sizes = tuple(weights.shape), tuple(allowed.shape)
            raise ValueError(f"the mask must broadcast to weights of {sizes[0]}, got {sizes[1]}") from error
        hidden = weights.masked_fill(allowed, 0.0)
        if bool(hidden.any()):
            raise ValueError(f"a hidden key must have no weight, got {hidden.max()}")
        sees_key = allowed.any(dim=-1)
    off = (weights.sum(dim=-1) - sees_key.double()).abs()
    if off.numel() and float(off.max()) > (weights.shape[-1] + 8) * eps:
        raise ValueError(f"a row of weights must sum to 1, got one that is off by {off.max()}")
    return sees_key


def _weight_at(weights: Float[Tensor, "H N M"], keys: Int[Tensor, " N"]) -> Float[Tensor, "H N"]:
    """Take one weight of each row; NaN where there is no such key."""
    H, N, M = weights.shape
    is_there = (keys >= 0) & (keys < M)
    if not M:
        return weights.new_full((H, N), math.nan)
    index = keys.clamp(0, M - 1).expand(H, N)[..., None]
    return weights.gather(-1, index)[..., 0].masked_fill(~is_there, math.nan)


def _summarise(head: int, is_counted: Bool[Tensor, " N"], by_query: Float[Tensor, "N meters"]) -> HeadSummary:
    means = by_query.nanmean(dim=0).tolist()
    numbers = {meter: None if math.isnan(mean) else mean for meter, mean in zip(METERS, means, strict=True)}
    return HeadSummary(head, int(is_counted.sum()), **numbers)


def _check_over(over: str) -> None:
    if over not in OVERS:
        raise ValueError(f"heads are taken together by {' or '.join(OVERS)}, got {over}")
