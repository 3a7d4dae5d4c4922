"""Claim P8, read wrongly: attention rollout multiplies the layers' weights, and never sees what was carried along."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.embedding import embed
from attention_core.layers import Design, Stack, draw_stack
from attention_core.single_head import Positions, draw_position

# zero_values: w_v is 0 in every layer. cancelling_heads: each second head is the one before it, with −w_o.
Silence = Literal["zero_values", "cancelling_heads"]
SILENCES: tuple[Silence, ...] = get_args(Silence)


@dataclass(frozen=True, eq=False)
class RolloutCheck:
    """What rollout says of one query, beside what happens when the words are really replaced, one at a time.

    Attributes:
        silence: How attention was kept from carrying anything; None where it was left as drawn.
        shares: Rollout's row of the query through all layers; sums to 1.
        effects: |change of the query's vector after the last layer| / |that vector|, for each word replaced.
    """

    silence: Silence | None
    query: int
    shares: Float[Tensor, " N"]
    effects: Float[Tensor, " N"]


@dataclass(frozen=True)
class RankAgreement:
    """How well two lists of numbers agree on which words count for more.

    Attributes:
        coefficient: From −1 (the order reversed) to 1 (the same order); None where there are fewer than two words, or
            where one list has a single number for all of them and so no order.
        places: The words that were ranked.
    """

    coefficient: float | None
    places: tuple[int, ...]


def rank_agreement(check: RolloutCheck) -> RankAgreement:
    """Say how far rollout puts the other words in the order in which they really count.

        coefficient = correlation of the ranks; numbers that are equal share the mean of their ranks

    Args:
        check: Of its words those are ranked that rollout gives a share, without the query's own: that one nearly
            always comes first in both lists.

    Example:
        >>> shares, effects = torch.tensor([0.1, 0.2, 0.3, 0.4]), torch.tensor([5.0, 7.0, 6.0, 9.0])
        >>> rank_agreement(RolloutCheck(None, 3, shares, effects))
        RankAgreement(coefficient=0.5, places=(0, 1, 2))

    Source: Spearman 1904.
    """
    places = tuple(
        place for place, share in enumerate(check.shares.tolist()) if share > 0 and place != check.query
    )
    one, other = (_centred_ranks(numbers[list(places)].double()) for numbers in (check.shares, check.effects))
    length = float((one @ one) * (other @ other)) ** 0.5
    if len(places) < 2 or not length:
        return RankAgreement(None, places)
    return RankAgreement(max(-1.0, min(1.0, float(one @ other) / length)), places)


def _centred_ranks(numbers: Float[Tensor, " N"]) -> Float[Tensor, " N"]:
    """Rank numbers, equals alike, so that the ranks' mean is 0."""
    below, alike = (numbers[:, None] > numbers).sum(dim=-1), (numbers[:, None] == numbers).sum(dim=-1)
    return (below + (alike - len(numbers)) / 2).to(numbers)


def roll_out(
    weights: Float[Tensor, "layers H N N"], *, has_residual: bool = True
) -> Float[Tensor, "layers N N"]:
    """Follow weights through layers: the share of each input in each token, if layers did nothing but mix.

        mixing = rows of (0.5 · mean over heads of weights + 0.5 · identity), made to sum to 1
        rollout of layer l = mixing[l] · rollout of layer l − 1

    Args:
        has_residual: False leaves the identity out, for layers that do not add their input to their output.

    Returns:
        Rows that sum to 1. A query that sees no key keeps what it was with residual, and gets zeros without.

    Example:
        >>> back = torch.tensor([[[1.0, 0.0], [1.0, 0.0]]])
        >>> roll_out(torch.stack([back, back]))[:, 1].tolist()
        [[0.5, 0.5], [0.75, 0.25]]

    Source: Abnar & Zuidema 2020, section 3. One half for the residual is theirs; it is not measured on anything.
    """
    mixing = weights.mean(dim=1)
    if has_residual:
        mixing = 0.5 * mixing + 0.5 * torch.eye(weights.shape[-1], dtype=weights.dtype, device=weights.device)
    sums = mixing.sum(dim=-1, keepdim=True)
    mixing = mixing / torch.where(sums > 0, sums, 1.0)
    rolled: list[Float[Tensor, "N N"]] = []
    for layer in mixing:
        rolled.append(layer @ rolled[-1] if rolled else layer)
    return torch.stack(rolled) if rolled else mixing


def silence_stack(stack: Stack, silence: Silence) -> Stack:
    """Rewrite a stack's weights so that its attention carries nothing, while it still weighs every word.

    Returns:
        The stack that was given.

    Raises:
        ValueError: an unknown way, or an odd number of heads where they are to cancel in pairs.
    """
    if silence not in SILENCES:
        raise ValueError(f"silence must be one of {', '.join(SILENCES)}, got {silence!r}")
    for block in stack.blocks:
        attention = block.attention
        if silence == "zero_values":
            attention.load_state_dict(attention.state_dict() | {"w_v": torch.zeros_like(attention.w_v)})
            continue
        if attention.n_heads % 2:
            raise ValueError(f"heads cancel in pairs: n_heads must be even, got {attention.n_heads}")
        d_k = attention.w_q.shape[-1] // attention.n_heads
        with torch.no_grad():
            for start in range(0, attention.w_q.shape[-1], 2 * d_k):
                first, second = slice(start, start + d_k), slice(start + d_k, start + 2 * d_k)
                for w in (attention.w_q, attention.w_k, attention.w_v):
                    w[:, second] = w[:, first]
                attention.w_o[second] = -attention.w_o[first]
    return stack


def check_rollout(
    tokens: Sequence[str],
    design: Design,
    *,
    seed: int,
    query: int,
    replacement: str = "?",
    positions: Positions = "sinusoidal",
    allowed: Bool[Tensor, "N N"] | None = None,
    silence: Silence | None = None,
) -> RolloutCheck:
    """Replace each word in turn, and set what it changes at the query beside what rollout gives it.

    Args:
        replacement: The word put in the place of another; it has vectors of its own.
        silence: Keep attention from carrying anything first. Then no word but the query's own can change its vector,
            and rollout, which reads the weights alone, gives them their shares all the same.

    Raises:
        ValueError: a query outside the sentence, or what `silence_stack` refuses.

    Example:
        >>> built = Design(n_layers=1, d_model=6, has_ffn=False)
        >>> found = check_rollout(("the", "cat", "ran"), built, seed=0, query=2, silence="zero_values")
        >>> bool(found.shares[0] > 0.05), float(found.effects[0])
        (True, 0.0)

    Source: the counterexample is our own choice; that weights need not say what matters is Jain & Wallace 2019, and
        that values weigh in is Kobayashi et al. 2020, section 2.
    """
    if not 0 <= query < len(tokens):
        raise ValueError(f"query must be from 0 to {len(tokens) - 1}, got {query}")
    settings = {"seed": seed, "replacement": replacement, "positions": positions}
    return check_queries(tokens, design, **settings, allowed=allowed, silence=silence)[query]


def check_queries(
    tokens: Sequence[str],
    design: Design,
    *,
    seed: int,
    replacement: str = "?",
    positions: Positions = "sinusoidal",
    allowed: Bool[Tensor, "N N"] | None = None,
    silence: Silence | None = None,
) -> tuple[RolloutCheck, ...]:
    """Do what `check_rollout` does for every query: a word that is replaced moves all of them in one pass.

    Raises:
        ValueError: what `silence_stack` refuses.

    Example:
        >>> found = check_queries(("the", "cat"), Design(n_layers=1, d_model=6), seed=0)
        >>> [check.query for check in found]
        [0, 1]

    Cost: N + 1 passes through the stack.
    """
    stack = draw_stack(design, seed)
    if silence is not None:
        silence_stack(stack, silence)
    position = draw_position(positions, len(tokens), design.d_model, seed)
    x, word = embed(tokens, seed, design.d_model) + position, embed((replacement,), seed, design.d_model)[0]
    with torch.no_grad():
        trace = stack(x, allowed=allowed)
        before = trace.vectors[-1]
        lengths = before.norm(dim=-1)
        effects = torch.zeros(len(tokens), len(tokens), dtype=x.dtype)  # a row a query, a column a word
        for place in range(len(tokens)):
            changed = x.clone()
            changed[place] = word + position[place]
            effects[:, place] = (stack(changed, allowed=allowed).vectors[-1] - before).norm(dim=-1)
    effects = effects / torch.where(lengths > 0, lengths, 1.0)[:, None]
    shares = roll_out(trace.weights, has_residual=design.has_residual)[-1]
    return tuple(RolloutCheck(silence, query, shares[query], effects[query]) for query in range(len(tokens)))
