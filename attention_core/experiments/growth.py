"""Claim H8: attention in four steps of one growth, each of which solves a problem that the step before it has."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.embedding import MAX_WIDTH
from attention_core.masks import causal
from attention_core.multi_head import MultiHeadAttention
from attention_core.sharpness import entropy
from attention_core.single_head import trace_from_inputs, trace_from_qkv
from attention_core.tokens import MAX_TOKENS
from attention_core.trace import SingleHeadTrace

StepName = Literal["plain", "trainable", "causal", "multi_head"]
STEPS: tuple[StepName, ...] = get_args(StepName)
# no_context: a vector holds nothing of the other words. fixed_likeness: what two words are to each other is the same
# both ways and cannot be learnt. sees_future: earlier words depend on later ones. one_relation: a single map.
Problem = Literal["no_context", "fixed_likeness", "sees_future", "one_relation"]
MATRICES = ("w_q", "w_k", "w_v", "w_o")
# Sums of another order round otherwise, by some 1e-15; a real difference is far above this.
ROUNDING = 1e-9
# Added to each number of a token that is changed.
CHANGE = 1.0

# Each is a whole program over x, w_q, w_k, w_v, w_o, h (the number of heads) and torch; it leaves weights and out behind.
PROGRAMS: dict[StepName, str] = {
    "plain": """\
q, k, v = x, x, x
scores = q @ k.transpose(-2, -1)
scaled = scores / k.shape[-1] ** 0.5
weights = scaled.softmax(dim=-1)
out = weights @ v
""",
    "trainable": """\
q, k, v = x @ w_q, x @ w_k, x @ w_v
scores = q @ k.transpose(-2, -1)
scaled = scores / k.shape[-1] ** 0.5
weights = scaled.softmax(dim=-1)
out = weights @ v
""",
    "causal": """\
q, k, v = x @ w_q, x @ w_k, x @ w_v
scores = q @ k.transpose(-2, -1)
scaled = scores / k.shape[-1] ** 0.5
future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(diagonal=1)
masked = scaled.masked_fill(future, -torch.inf)
weights = masked.softmax(dim=-1)
out = weights @ v
""",
    "multi_head": """\
q, k, v = x @ w_q, x @ w_k, x @ w_v
q, k, v = (part.unflatten(-1, (h, -1)).transpose(-3, -2) for part in (q, k, v))
scores = q @ k.transpose(-2, -1)
scaled = scores / k.shape[-1] ** 0.5
future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(diagonal=1)
masked = scaled.masked_fill(future, -torch.inf)
weights = masked.softmax(dim=-1)
out = weights @ v
out = out.transpose(-3, -2).flatten(-2)
projected = out @ w_o
""",
}


@dataclass(frozen=True, eq=False)
class Attended:
    """What one step makes of x, with an axis for its heads: a single one until the last step.

    Attributes:
        out: All heads side by side, before w_o: as wide as x in every step.
        projected: out · w_o; None before the last step.
        scale: What the scores were multiplied by.
        n_parameters: Numbers that the step could learn.
    """

    scores: Float[Tensor, "H N N"]
    weights: Float[Tensor, "H N N"]
    out: Float[Tensor, "N d_model"]
    projected: Float[Tensor, "N d_model"] | None
    scale: float
    n_parameters: int


Attend = Callable[[Float[Tensor, "N d_model"]], Attended]


@dataclass(frozen=True)
class Meters:
    """What is measured at every step alike, and at x itself before the first.

    Attributes:
        asymmetry: Largest |scores[n, m] − scores[m, n]|; 0 where likeness is all that counts.
        on_itself: Words that weigh themselves most; of several heads, the mean.
        future_weight: Largest weight above the diagonal.
        moved_by_others: Largest move of a word's output when another word is changed; 0 where words keep to
            themselves.
        moved_by_later: The same when a later word is changed; 0 where nothing sees the future.
        n_maps: Weight matrices that differ from each other.
        entropy: Of a row of weights, in nats; mean over rows and heads.
        self_weight: What a word gives to itself; mean over rows and heads.
    """

    asymmetry: float
    on_itself: float
    future_weight: float
    moved_by_others: float
    moved_by_later: float
    n_maps: int
    n_parameters: int
    entropy: float
    self_weight: float


@dataclass(frozen=True)
class Solved:
    """One problem, in the numbers that show it before a step and after it.

    Attributes:
        before: The meter that shows the problem: moved_by_others, asymmetry, moved_by_later or n_maps.
        is_solved: The problem was there before and is gone. False too where a sentence is too short to have it, or
            there is one head only.
    """

    problem: Problem
    before: float
    after: float
    is_solved: bool


@dataclass(frozen=True, eq=False)
class Step:
    """One step of the growth.

    Attributes:
        largest_weight_change: Against the step before, head by head; for the first, against words that look at
            themselves alone.
        largest_out_change: Against the step before; for the first, against x.
    """

    name: StepName
    attended: Attended
    meters: Meters
    solved: Solved
    largest_weight_change: float
    largest_out_change: float
    program: str
    added: tuple[str, ...]


def grow(
    x: Float[Tensor, "N d_model"],
    w_q: Float[Tensor, "d_model d_model"],
    w_k: Float[Tensor, "d_model d_model"],
    w_v: Float[Tensor, "d_model d_model"],
    w_o: Float[Tensor, "d_model d_model"],
    n_heads: int,
) -> tuple[Step, ...]:
    """Take one sentence through plain, trainable, causal and multi-head attention.

    Args:
        x: As `own_sentence` gives it, with matrices of d_k = d_v = d_model: all steps share them, so that only what a
            step adds tells it from the one before.

    Returns:
        Four steps. Theory: plain has symmetric scores, and words are mostly most like themselves; trainable matrices
        break the symmetry; after the mask nothing moves an earlier word; n_heads maps in the end.

    Raises:
        ValueError: no token or more than MAX_TOKENS, a width that is not from 1 to MAX_WIDTH, matrices that are not d_model × d_model,
            a width that n_heads does not divide.

    Example:
        >>> from attention_core.single_head import own_sentence
        >>> widths = {"d_model": 8, "d_k": 8, "d_v": 8}
        >>> given = own_sentence(("the", "cat", "sat"), seed=0, positions="none", **widths)
        >>> steps = grow(*(given[name] for name in ("x", "w_q", "w_k", "w_v", "w_o")), n_heads=2)
        >>> [(step.solved.problem, step.solved.is_solved) for step in steps][1:]
        [('fixed_likeness', True), ('sees_future', True), ('one_relation', True)]

    Cost: N + 1 runs of each step.
    Source: Raschka 2024, "Build a Large Language Model (from Scratch)", chapter 3. There the plain products are not
        scaled; here they are, as in `compare_with_simplified`, so that a step adds one thing, and because products of
        wide standard normal vectors leave each word to itself otherwise. Leaving w_o out of `out`, so that steps can be
        subtracted, is our choice too.
    """
    matrices = dict(zip(MATRICES, (w_q, w_k, w_v, w_o), strict=True))
    _check(x, matrices, n_heads)
    steps: list[Step] = []
    before, last = _bare_meters(len(x)), (torch.eye(len(x), dtype=x.dtype), x)
    for name in STEPS:
        attend = attend_by(name, **matrices, n_heads=n_heads)
        attended = attend(x)
        meters = _read(attended, attend, x)
        steps.append(
            Step(
                name=name,
                attended=attended,
                meters=meters,
                solved=_judge(name, before, meters, n_heads),
                largest_weight_change=_largest(attended.weights - last[0]),
                largest_out_change=_largest(attended.out - last[1]),
                program=PROGRAMS[name],
                added=added_lines(name),
            )
        )
        before, last = meters, (attended.weights, attended.out)
    return tuple(steps)


def attend_by(
    name: StepName,
    w_q: Float[Tensor, "d_model d_model"],
    w_k: Float[Tensor, "d_model d_model"],
    w_v: Float[Tensor, "d_model d_model"],
    w_o: Float[Tensor, "d_model d_model"],
    n_heads: int,
) -> Attend:
    """Make the function of x that one step is; the matrices that it does not use yet are left alone.

    Raises:
        ValueError: a step that is none.

    Example:
        >>> x, one = torch.zeros(2, 4), torch.eye(4)
        >>> attend_by("causal", one, one, one, one, 2)(x).weights.tolist()
        [[[1.0, 0.0], [0.5, 0.5]]]
    """
    if name not in STEPS:
        raise ValueError(f"name must be one of {', '.join(STEPS)}, got {name}")
    if name == "plain":
        return lambda x: _single_head(trace_from_qkv(x, x, x), 0)
    if name == "multi_head":
        layer = MultiHeadAttention(len(w_q), n_heads, generator=torch.Generator(), dtype=w_q.dtype)
        layer.load_state_dict({"w_q": w_q, "w_k": w_k, "w_v": w_v, "w_o": w_o})
        return lambda x: _several_heads(layer, x)
    n_parameters, is_causal = w_q.numel() + w_k.numel() + w_v.numel(), name == "causal"
    return lambda x: _single_head(trace_from_inputs(w_q, w_k, w_v, x=x, is_causal=is_causal), n_parameters)


def trace_step(
    name: StepName,
    x: Float[Tensor, "N d_model"],
    w_q: Float[Tensor, "d_model d_model"],
    w_k: Float[Tensor, "d_model d_model"],
    w_v: Float[Tensor, "d_model d_model"],
    n_heads: int = 1,
    head: int = 0,
) -> SingleHeadTrace:
    """Follow one head of one step, so that each of its weights can be explained.

    Args:
        n_heads: Of the last step; the others have one.
        head: From 0; its columns of the matrices are taken.

    Returns:
        The weights of `attend_by` up to rounding. In the plain step q, k and v are x, and there is no matrix.

    Raises:
        ValueError: a head that there is not, or widths that do not fit.

    Example:
        >>> x, one = torch.eye(2), torch.eye(2)
        >>> trace_step("multi_head", x, one, one, one, n_heads=2, head=1).q.tolist()
        [[0.0], [1.0]]
    """
    if name == "plain":
        return trace_from_qkv(x, x, x)
    n_heads, head = (n_heads, head) if name == "multi_head" else (1, 0)
    if n_heads < 1 or w_q.shape[1] % n_heads:
        raise ValueError(f"d_model must be a multiple of n_heads, got {w_q.shape[1]} and {n_heads}")
    if not 0 <= head < n_heads:
        raise ValueError(f"head must be from 0 to {n_heads - 1}, got {head}")
    own = (w.unflatten(-1, (n_heads, -1))[:, head] for w in (w_q, w_k, w_v))
    return trace_from_inputs(*own, x=x, is_causal=name != "trainable")


def moved_by_next(
    longer: Float[Tensor, "N d_model"],
    w_q: Float[Tensor, "d_model d_model"],
    w_k: Float[Tensor, "d_model d_model"],
    w_v: Float[Tensor, "d_model d_model"],
    w_o: Float[Tensor, "d_model d_model"],
    n_heads: int,
) -> dict[StepName, float]:
    """Measure at each step how far the outputs of a sentence move when one more word comes after it.

    Args:
        longer: The sentence with that word at its end.

    Returns:
        Largest moves. Theory: 0 after the mask, up to rounding, as sums are then of another length.

    Raises:
        ValueError: as for grow, of the sentence without that word; no word beside the last.

    Example:
        >>> one = torch.eye(2)
        >>> moved = moved_by_next(torch.tensor([[1.0, 0.0], [0.0, 1.0]]), one, one, one, one, 1)
        >>> {name: round(move, 3) for name, move in moved.items()}
        {'plain': 0.33, 'trainable': 0.33, 'causal': 0.0, 'multi_head': 0.0}
    """
    if len(longer) < 2:
        raise ValueError(f"there must be a word before the last, got {len(longer)} in all")
    matrices = dict(zip(MATRICES, (w_q, w_k, w_v, w_o), strict=True))
    _check(longer[:-1], matrices, n_heads)
    moved = {}
    for name in STEPS:
        attend = attend_by(name, **matrices, n_heads=n_heads)
        moved[name] = _largest(attend(longer).out[:-1] - attend(longer[:-1]).out)
    return moved


def added_lines(name: StepName) -> tuple[str, ...]:
    """Give the lines of a step's program that the program before it does not have.

    Example:
        >>> added_lines("causal")[-1]
        'weights = masked.softmax(dim=-1)'
    """
    place = STEPS.index(name)
    known = PROGRAMS[STEPS[place - 1]].splitlines() if place else []
    return tuple(line for line in PROGRAMS[name].splitlines() if line not in known)


def _single_head(trace: SingleHeadTrace, n_parameters: int) -> Attended:
    return Attended(trace.scores[None], trace.weights[None], trace.out, None, trace.scale, n_parameters)


def _several_heads(layer: MultiHeadAttention, x: Float[Tensor, "N d_model"]) -> Attended:
    with torch.no_grad():
        trace = layer(x, allowed=causal(len(x)))
    return Attended(
        trace.attention.scores,
        trace.attention.weights,
        trace.merged,
        trace.out,
        trace.q_heads.shape[-1] ** -0.5,
        sum(w.numel() for w in layer.parameters()),
    )


def _bare_meters(n: int) -> Meters:
    """Read the meters of x itself: each word is its own output, as if its only weight were on itself."""
    return Meters(0.0, float(n), 0.0, 0.0, 0.0, 0, 0, entropy=0.0, self_weight=1.0)


def _read(attended: Attended, attend: Attend, x: Float[Tensor, "N d_model"]) -> Meters:
    """Read the meters; each word is changed once, and what the others' outputs do is looked at."""
    N, scores, weights = len(x), attended.scores, attended.weights
    places = torch.arange(N)
    moves = torch.zeros(N, N, dtype=x.dtype)
    for m in range(N):
        changed = x.clone()
        changed[m] += CHANGE
        moves[:, m] = (attend(changed).out - attended.out).abs().amax(dim=-1)
    return Meters(
        asymmetry=_largest(scores - scores.transpose(-2, -1)),
        on_itself=float((weights.argmax(dim=-1) == places).sum() / len(weights)),
        future_weight=_largest(weights.triu(diagonal=1)),
        moved_by_others=_largest(moves - moves.diagonal().diag()),
        moved_by_later=_largest(moves.triu(diagonal=1)),
        n_maps=_count_maps(weights),
        n_parameters=attended.n_parameters,
        entropy=float(entropy(weights).mean()),
        self_weight=float(weights.diagonal(dim1=-2, dim2=-1).mean()),
    )


def _count_maps(weights: Float[Tensor, "H N N"]) -> int:
    """Count the weight matrices that differ from all before them."""
    kept: list[Float[Tensor, "N N"]] = []
    for matrix in weights:
        if all(_largest(matrix - other) > ROUNDING for other in kept):
            kept.append(matrix)
    return len(kept)


def _judge(name: StepName, before: Meters, after: Meters, n_heads: int) -> Solved:
    """Say from the meters whether a step solved its problem."""
    if name == "plain":
        was, now = before.moved_by_others, after.moved_by_others
        return Solved("no_context", was, now, was == 0 < ROUNDING < now)
    if name == "trainable":
        was, now = before.asymmetry, after.asymmetry
        is_learnt = before.n_parameters == 0 < after.n_parameters
        return Solved("fixed_likeness", was, now, is_learnt and was <= ROUNDING < now)
    if name == "causal":
        was, now = before.moved_by_later, after.moved_by_later
        return Solved("sees_future", was, now, was > ROUNDING and now == 0 == after.future_weight)
    was, now = before.n_maps, after.n_maps
    return Solved("one_relation", float(was), float(now), was == 1 < now == n_heads)


def _check(x: Float[Tensor, "N d_model"], matrices: dict[str, Float[Tensor, "_ _"]], n_heads: int) -> None:
    """Refuse what no step could take, before any is run."""
    N, d_model = x.shape
    if not 1 <= N <= MAX_TOKENS:
        raise ValueError(f"a sentence has 1 to {MAX_TOKENS} tokens, got {N}")
    if not 1 <= d_model <= MAX_WIDTH:
        raise ValueError(f"d_model must be from 1 to {MAX_WIDTH}, got {d_model}")
    for name, w in matrices.items():
        if w.shape != (d_model, d_model):
            raise ValueError(f"{name} must be {d_model} × {d_model}, got {tuple(w.shape)}")
    if n_heads < 1 or d_model % n_heads:
        raise ValueError(f"d_model must be a multiple of n_heads, got {d_model} and {n_heads}")


def _largest(difference: Float[Tensor, "..."]) -> float:
    return float(difference.abs().max()) if difference.numel() else 0.0
