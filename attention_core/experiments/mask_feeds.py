"""Claim M5: the same mask means different things to different calls; some refuse a wrong one, others answer."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from jaxtyping import Bool, Float, Shaped
from torch import Tensor

from attention_core.consumers import CONSUMERS, Consumer, Outcome, feed
from attention_core.conventions import Convention, read_mask, write_mask
from attention_core.steps import scaled_dot_product_attention

# A call takes bool for one thing and floats for another; the core has a name for each.
Call = Literal["sdpa", "mha", "mha_padding", "core", "core_bias"]
CALLS: tuple[Call, ...] = get_args(Call)
MOST_SHOWN = 6
VALUES = ((1.0, 0.0), (0.0, 1.0), (4.0, 4.0), (8.0, 0.0), (0.0, 8.0), (16.0, 16.0))
CLOSE = 1e-5


@dataclass(frozen=True, eq=False)
class Fed:
    """What a call made of a mask, beside what the mask meant. All scores are 0.

    Attributes:
        mask: What was handed over, in the convention it was written in.
        consumer: The call, and what it takes a mask of that type for.
        weights: What the call weighed the keys with; None where it refused.
        meant_out: What our core answers to the mask as it was meant.
        leaks: Hidden pairs with a weight, from 0.
        lost: Allowed pairs without one.
        blinded: Queries that may see a key and saw none: all weights 0 or NaN.
        differing: Queries whose output is not what the mask meant. One that may see nothing has no right answer:
            zeros and NaN are both taken for seeing nothing.
        largest_difference: Between the outputs of the queries that may see a key and saw one.
    """

    mask: Shaped[Tensor, "N M"]
    convention: Convention
    consumer: Consumer
    outcome: Outcome
    weights: Float[Tensor, "N M"] | None
    meant_out: Float[Tensor, "N d_v"]
    meant_weights: Float[Tensor, "N M"]
    leaks: tuple[tuple[int, int], ...] = ()
    lost: tuple[tuple[int, int], ...] = ()
    blinded: tuple[int, ...] = ()
    differing: tuple[int, ...] = ()
    largest_difference: float = 0.0

    @property
    def is_intended(self) -> bool:
        """Tell whether the call takes masks of this type in the convention of this one."""
        return self.consumer.convention == self.convention


def consumer_of(call: Call, mask: Shaped[Tensor, "N M"]) -> Consumer:
    """Find what a call takes a mask of this type for.

    Example:
        >>> consumer_of("mha", torch.tensor([[True]])).convention, consumer_of("mha", torch.tensor([[0.0]])).convention
        ('blocked', 'additive')
    """
    kind = "bool" if mask.dtype == torch.bool else "float"
    return CONSUMERS.get(f"{call}_{kind}") or CONSUMERS[call]


def values_of(n_keys: int) -> Float[Tensor, "M 2"]:
    """Give the hand-made values of the first few keys.

    Raises:
        ValueError: fewer than 1 or more than MOST_SHOWN keys.

    Example:
        >>> values_of(3).tolist()
        [[1.0, 0.0], [0.0, 1.0], [4.0, 4.0]]
    """
    if not 1 <= n_keys <= MOST_SHOWN:
        raise ValueError(f"there are values for 1 to {MOST_SHOWN} keys, got {n_keys}")
    return torch.tensor(VALUES[:n_keys])


def feed_mask(allowed: Bool[Tensor, "N M"], convention: Convention, call: Call) -> Fed:
    """Write a mask in a convention, hand it to a call as it is, and compare with what it meant.

    Queries and keys are zeros, so that a query weighs the keys it sees alike. The weights are what the call
    answers for values that are the identity: no call is asked to show them.

    Example:
        >>> causal = torch.ones(3, 3, dtype=torch.bool).tril()
        >>> fed = feed_mask(causal, "blocked", "sdpa")
        >>> fed.outcome.out.tolist(), fed.blinded
        ([[2.0, 2.5], [4.0, 4.0], [0.0, 0.0]], (2,))
    """
    n_queries, n_keys = allowed.shape
    mask, values = write_mask(allowed, convention), values_of(n_keys)
    consumer = consumer_of(call, mask)
    outcome = feed(consumer, torch.zeros(n_queries, 2), torch.zeros(n_keys, 2), values, mask)
    wide = torch.zeros(n_queries, n_keys), torch.zeros(n_keys, n_keys), torch.eye(n_keys)
    weights = feed(consumer, *wide, mask).out
    meant = scaled_dot_product_attention(
        torch.zeros(n_queries, 2), torch.zeros(n_keys, 2), values, allowed=allowed
    )
    record = (mask, convention, consumer, outcome, weights, meant.out, meant.weights)
    if outcome.out is None or weights is None:
        return Fed(*record)
    return Fed(*record, **_compare(allowed, weights, outcome.out, meant.out))


def _compare(
    allowed: Bool[Tensor, "N M"],
    weights: Float[Tensor, "N M"],
    out: Float[Tensor, "N d_v"],
    meant: Float[Tensor, "N d_v"],
) -> dict[str, object]:
    """Name the pairs and the queries in which an answer is not what the mask meant."""
    sees = (weights > 0).any(dim=-1)  # a comparison with NaN is false
    may_see = allowed.any(dim=-1)
    gap = (out - meant).abs().amax(dim=-1).nan_to_num(nan=math.inf)
    is_right = torch.where(may_see, gap <= CLOSE, ~sees)
    both = may_see & sees
    return {
        "leaks": _pairs(~allowed & (weights > 0)),
        "lost": _pairs(allowed & ~(weights > 0)),
        "blinded": tuple((may_see & ~sees).nonzero().flatten().tolist()),
        "differing": tuple((~is_right).nonzero().flatten().tolist()),
        "largest_difference": float(gap[both].max()) if bool(both.any()) else 0.0,
    }


def _pairs(where: Bool[Tensor, "N M"]) -> tuple[tuple[int, int], ...]:
    return tuple((n, m) for n, m in where.nonzero().tolist())


def weigh_reading(
    mask: Shaped[Tensor, "N M"], reading: Convention
) -> tuple[Bool[Tensor, "N M"], Float[Tensor, "N M"]]:
    """Say who sees whom if a mask is read in a convention, and how keys of equal score are then weighed.

    Args:
        reading: As `guess_convention` names it. Read as additive, numbers other than −∞ hide nothing.

    Example:
        >>> allowed, weights = weigh_reading(torch.tensor([[0.0, 0.0, 1.0]]), "additive")
        >>> allowed.tolist(), [round(weight, 4) for weight in weights[0].tolist()]
        ([[True, True, True]], [0.2119, 0.2119, 0.5761])
    """
    n_queries, n_keys = mask.shape
    sides = torch.zeros(n_queries, 1), torch.zeros(n_keys, 1), torch.eye(n_keys)
    if reading == "additive":
        bias = mask.to(sides[0].dtype)
        return mask != -math.inf, scaled_dot_product_attention(*sides, bias=bias).weights
    allowed = read_mask(mask, reading)
    return allowed, scaled_dot_product_attention(*sides, allowed=allowed).weights
