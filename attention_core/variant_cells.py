"""Which numbers made one weight or one output of any variant, as data: a page prints the terms, a test adds them up."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.kv_sharing import pool_heads
from attention_core.variant_runs import VariantRun, draw_scorers
from attention_core.variants.linear import map_features


@dataclass(frozen=True)
class PairStory:
    """How a query's share of one key came about.

    Attributes:
        left, right: What is multiplied pair by pair to make the score: numbers of a query and of a key as the variant
            compares them, their features, or the tanh of both and the score's vector.
        factor: What the score is multiplied by; None of linear attention, whose products are weighed as they are.
        bias: Added then; None where nothing is.
        is_seen: False where a mask or the variant's own rule leaves this key out.
        largest: What is taken off before each exponential; None of linear attention.
        own: This key's exponential, or its product of features.
        total: Those of all keys that the query sees, and the sink's.
        sink: The sink's exponential; None where there is none.
        share: own / total; 0 where the query sees nothing.
    """

    left: tuple[float, ...]
    right: tuple[float, ...]
    score: float
    factor: float | None
    bias: float | None
    is_seen: bool
    largest: float | None
    own: float
    total: float
    sink: float | None
    share: float

    @property
    def scaled(self) -> float:
        """Give the score as it enters the exponential."""
        return self.score * (1.0 if self.factor is None else self.factor) + (self.bias or 0.0)


@dataclass(frozen=True)
class OutStory:
    """How one number of an output came about.

    Attributes:
        left, right: What is multiplied pair by pair: shares and values, or features of the query and the state.
        divisor: What their sum is divided by; None where shares sum up as they are.
    """

    left: tuple[float, ...]
    right: tuple[float, ...]
    divisor: float | None
    value: float


def count_keys(run: VariantRun) -> int:
    """Count the keys that queries are compared with: short ones, of low-rank attention."""
    return run.trace.k_short.shape[-2] if run.name == "low_rank" else run.inputs.n


def explain_share(run: VariantRun, head: int, query: int, key: int) -> PairStory:
    """Give the terms that make one weight; of linear attention, what stands in the place of one.

    Args:
        key: Of low-rank attention, one of its short keys.

    Raises:
        ValueError: no such head, query or key.

    Example:
        >>> from attention_core.variant_runs import Choices, Inputs, run_variant
        >>> x = torch.ones(1, 2, 4)
        >>> story = explain_share(run_variant("full", Inputs(x, x, x, is_causal=False), Choices()), 0, 1, 0)
        >>> story.score, story.factor, story.own, story.total, story.share
        (4.0, 0.5, 1.0, 2.0, 0.5)
    """
    n_heads, n = run.inputs.q.shape[:2]
    n_keys = count_keys(run)
    if not (0 <= head < n_heads and 0 <= query < n and 0 <= key < n_keys):
        raise ValueError(
            f"there are {n_heads} heads, {n} queries and {n_keys} keys, got {head}, {query} and {key}"
        )
    left, right = _compared(run, head, query)
    scores = (left * right).sum(dim=-1)
    seen = torch.ones(n_keys, dtype=torch.bool)
    if run.seen is not None and run.name != "low_rank":
        seen = run.seen[query]
    factor, bias = _factor(run), _bias(run, head, query)
    if factor is None:
        weighed, largest, sink = scores.masked_fill(~seen, 0.0), None, None
    else:
        masked = (scores * factor + (0.0 if bias is None else bias)).masked_fill(~seen, -math.inf)
        sink_score = run.choices.sink if run.name == "sink" else None
        largest = max(float(masked.max()), -math.inf if sink_score is None else sink_score)
        weighed = (masked - largest).exp()
        sink = None if sink_score is None else math.exp(sink_score - largest)
    total = float(weighed.sum()) + (sink or 0.0)
    own = float(weighed[key])
    return PairStory(
        left=tuple(left[key].tolist()),
        right=tuple(right[key].tolist()),
        score=float(scores[key]),
        factor=factor,
        bias=None if bias is None else float(bias[key]),
        is_seen=bool(seen[key]),
        largest=largest,
        own=own,
        total=total,
        sink=sink,
        share=own / total if total else 0.0,
    )


def explain_out(run: VariantRun, head: int, query: int, column: int) -> OutStory:
    """Give the terms that make one number of an output.

    Raises:
        ValueError: no such head, query or column.

    Example:
        >>> from attention_core.variant_runs import Choices, Inputs, run_variant
        >>> x = torch.ones(1, 2, 4)
        >>> explain_out(run_variant("linear", Inputs(x, x, x, is_causal=True), Choices()), 0, 1, 3)
        OutStory(left=(2.0, 2.0, 2.0, 2.0), right=(4.0, 4.0, 4.0, 4.0), divisor=32.0, value=1.0)
    """
    n_heads, n, d_v = run.out.shape
    if not (0 <= head < n_heads and 0 <= query < n and 0 <= column < d_v):
        raise ValueError(
            f"there are {n_heads} heads, {n} queries and {d_v} columns, got {head}, {query} and {column}"
        )
    value = float(run.out[head, query, column])
    if run.name == "linear":
        phi_k, v = run.trace.phi_k[head], run.inputs.v[head, :, column]
        last = query + 1 if run.inputs.is_causal else n
        state = phi_k[:last].T @ v[:last]
        left = run.trace.phi_q[head, query]
        return OutStory(
            tuple(left.tolist()), tuple(state.tolist()), float(run.trace.normaliser[head, query]), value
        )
    if run.name == "low_rank":
        left, right = run.trace.attention.weights[head, query], run.trace.v_short[head, :, column]
    else:
        left, right = run.shares[head, query], own_values(run)[head, :, column]
    return OutStory(tuple(left.tolist()), tuple(right.tolist()), None, value)


def own_keys(run: VariantRun) -> Float[Tensor, "H N d_k"]:
    """Give the keys that each head reads: its own, or its group's."""
    return _shared(run, run.inputs.k)


def own_values(run: VariantRun) -> Float[Tensor, "H N d_v"]:
    """Give the values that each head mixes: its own, or its group's."""
    return _shared(run, run.inputs.v)


def _shared(run: VariantRun, x: Float[Tensor, "H N d_v"]) -> Float[Tensor, "H N d_v"]:
    if run.name != "grouped":
        return x
    pooled = pool_heads(x, run.choices.n_kv_heads)
    return pooled.repeat_interleave(len(x) // len(pooled), dim=0)


def _compared(
    run: VariantRun, head: int, query: int
) -> tuple[Float[Tensor, "M d_k"], Float[Tensor, "M d_k"]]:
    """Give what is multiplied for each key of one query: on the left the query's side, on the right the key's."""
    trace, name = run.trace, run.name
    if name == "additive":
        from_hidden = trace.hidden[head, query]
        return from_hidden, _score_vector(run, head).expand_as(from_hidden)
    if name == "linear":
        feature = run.choices.feature
        left, right = (map_features(x[head], feature) for x in (run.inputs.q, run.inputs.k))
    elif name == "cosine":
        left, right = trace.unit_q[head], trace.unit_k[head]
    elif name == "rotary":
        left, right = trace.turned_q[head], trace.turned_k[head]
    elif name == "multiplicative":
        left, right = trace.projected_q[head], run.inputs.k[head]
    elif name == "low_rank":
        left, right = run.inputs.q[head], trace.k_short[head]
    else:
        left, right = run.inputs.q[head], own_keys(run)[head]
    return left[query].expand_as(right), right


def _score_vector(run: VariantRun, head: int) -> Float[Tensor, " d_a"]:
    return draw_scorers(run.inputs, run.choices, head)["w_score"].to(run.inputs.q.dtype)


def _factor(run: VariantRun) -> float | None:
    """Give what scores are multiplied by before the exponential."""
    if run.name == "linear":
        return None
    if run.name in ("dot_product", "multiplicative", "additive"):
        return 1.0
    if run.name == "cosine":
        return 1 / run.choices.temperature
    return run.inputs.q.shape[-1] ** -0.5


def _bias(run: VariantRun, head: int, query: int) -> Float[Tensor, " M"] | None:
    return run.trace.bias[head, query] if run.name == "alibi" else None
