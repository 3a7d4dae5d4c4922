"""Claims P7 and P8: the learnt matrices stay as they are, the weights are new for each sentence, and so is
what a word becomes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.single_head import draw_matrices, trace_from_inputs, trace_single_head
from attention_core.trace import SingleHeadTrace

# Sums of another length round otherwise, by some 1e-15; a real distance is far above this.
ROUNDING = 1e-9


@dataclass(frozen=True)
class SharedWord:
    """A word that both sentences hold, and how far apart its two vectors are at three points.

    Attributes:
        bare_distance: Between the rows of the embedding: always 0.
        input_distance: Between the rows of x; 0 at the same place or without positions.
        dressed_distance: Between the rows of projected, which have taken in their sentence.
    """

    token: str
    first_place: int
    second_place: int
    bare_distance: float
    input_distance: float
    dressed_distance: float


@dataclass(frozen=True, eq=False)
class SentencePair:
    """Two sentences through one head.

    Attributes:
        parameters_difference: Largest difference between their w_q, w_k, w_v and w_o: 0.
        weights_difference: Largest difference between their weights; None where their lengths differ.
    """

    first: SingleHeadTrace
    second: SingleHeadTrace
    parameters_difference: float
    weights_difference: float | None
    shared_words: tuple[SharedWord, ...]


@dataclass(frozen=True, eq=False)
class SimplifiedPair:
    """Attention without parameters (q = k = v = x) beside the same x with trainable matrices.

    Attributes:
        simplified_asymmetry: Largest |scores[n, m] − scores[m, n]|; no more than rounding, since x·y = y·x.
        weights_difference: Largest difference between the two weights.
    """

    simplified: SingleHeadTrace
    trainable: SingleHeadTrace
    simplified_asymmetry: float
    trainable_asymmetry: float
    weights_difference: float


def compare_traces(
    one: SingleHeadTrace, other: SingleHeadTrace, first: Sequence[str], second: Sequence[str]
) -> SentencePair:
    """Compare two sentences that went through the same matrices: what stays and what is new.

    Args:
        one: The first sentence's pass, from x or from embedding and position, edits included.
        first: Its tokens, one a row.

    Returns:
        Both traces and the words they share. A word that stands in a sentence more than once is paired with the
        other sentence's in order: first with first, second with second.
    """
    parameters = [
        _largest(getattr(one, name) - getattr(other, name)) for name in ("w_q", "w_k", "w_v", "w_o")
    ]
    is_same_length = one.weights.shape == other.weights.shape
    return SentencePair(
        first=one,
        second=other,
        parameters_difference=max(parameters),
        weights_difference=_largest(one.weights - other.weights) if is_same_length else None,
        shared_words=tuple(_shared_word(one, other, first[n], n, m) for n, m in shared_places(first, second)),
    )


def shared_places(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int]]:
    """Pair the places of equal tokens of two sentences: first with first, second with second.

    Example:
        >>> shared_places(("a", "b", "a"), ("c", "a"))
        [(0, 1)]
    """
    waiting: dict[str, list[int]] = {}
    for place, token in enumerate(second):
        waiting.setdefault(token, []).append(place)
    return [(place, waiting[token].pop(0)) for place, token in enumerate(first) if waiting.get(token)]


def clearest_word(words: Sequence[SharedWord]) -> SharedWord:
    """Choose the word that shows the claim best: it enters most alike, and of those it leaves most unlike."""
    return min(words, key=lambda word: (word.input_distance, -word.dressed_distance))


def distances_by_layer(
    one: SingleHeadTrace,
    other: SingleHeadTrace,
    first_place: int,
    second_place: int,
    *,
    n_layers: int = 4,
    seed: int = 0,
) -> tuple[float, ...]:
    """Follow two tokens, one of each sentence, through layers of attention, and measure how far apart they are.

        x of the next layer = x + projected

    Args:
        one: The first sentence's pass through the first layer, with x and w_o; edits in it count.
        other: The second sentence's, through the same matrices.
        n_layers: Layers; each after the first draws matrices of its own, of the same widths.
        seed: For those.

    Returns:
        n_layers + 1 distances, the inputs' first. For the same word it starts at 0 without positions or at the
        same place; from the first layer on each token holds its own sentence.

    Raises:
        ValueError: n_layers below 0, or a place outside its sentence.

    Source: the residual sum is Vaswani et al. 2017, section 3.1. Layer norm and the feed-forward part are left
        out, so that only attention moves the vectors.
    """
    if n_layers < 0:
        raise ValueError(f"n_layers must be at least 0, got {n_layers}")
    places = (first_place, second_place)
    for trace, place in zip((one, other), places, strict=True):
        if not 0 <= place < trace.x.shape[0]:
            raise ValueError(f"a place must be from 0 to {trace.x.shape[0] - 1}, got {place}")
    widths = {"d_model": one.w_q.shape[0], "d_k": one.w_q.shape[1], "d_v": one.w_v.shape[1]}
    xs, added = [one.x, other.x], [one.projected, other.projected]
    distances = [_distance(xs, places)]
    for layer in range(1, n_layers + 1):
        xs = [x + projected for x, projected in zip(xs, added, strict=True)]
        distances.append(_distance(xs, places))
        matrices = draw_matrices(seed=seed, layer=layer, **widths)
        added = [
            trace_from_inputs(x=x, **matrices, is_causal=trace.allowed is not None).projected
            for x, trace in zip(xs, (one, other), strict=True)
        ]
    return tuple(distances)


def compare_with_simplified(
    given: Mapping[str, Float[Tensor, "..."]], *, is_causal: bool = False
) -> SimplifiedPair:
    """Run the same x without parameters and with trainable matrices.

    Args:
        given: x, w_q, w_k and w_v as for `trace_single_head`, edits included.

    Returns:
        Both traces, each with its own scale 1/√(width of its keys), so that only the matrices tell them apart.

    Source: Raschka 2024, "Build a Large Language Model (from Scratch)", sections 3.3 and 3.4. The scale in the
        simplified one is our choice.
    """
    trainable = trace_single_head(given, is_causal=is_causal)
    x = trainable.x
    simplified = trace_single_head({"q": x, "k": x, "v": x}, is_causal=is_causal)
    return SimplifiedPair(
        simplified=simplified,
        trainable=trainable,
        simplified_asymmetry=_largest(simplified.scores - simplified.scores.T),
        trainable_asymmetry=_largest(trainable.scores - trainable.scores.T),
        weights_difference=_largest(simplified.weights - trainable.weights),
    )


def _shared_word(one: SingleHeadTrace, other: SingleHeadTrace, token: str, n: int, m: int) -> SharedWord:
    distances = [
        float((getattr(one, name)[n] - getattr(other, name)[m]).norm())
        for name in ("embedding", "x", "projected")
    ]
    return SharedWord(token, n, m, *distances)


def _distance(xs: Sequence[Float[Tensor, "..."]], places: tuple[int, int]) -> float:
    return float(torch.dist(xs[0][places[0]], xs[1][places[1]]))


def _largest(difference: Float[Tensor, "..."]) -> float:
    return float(difference.abs().max()) if difference.numel() else 0.0
