"""Claims P7 and P8: the learnt matrices stay as they are, the weights are new for each sentence, and so is
what a word becomes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.single_head import (
    Positions,
    draw_matrices,
    own_sentence,
    trace_from_inputs,
    trace_single_head,
)
from attention_core.trace import SingleHeadTrace


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


def compare_sentences(
    first: Sequence[str],
    second: Sequence[str],
    *,
    seed: int = 0,
    d_model: int = 8,
    d_k: int = 4,
    d_v: int = 4,
    positions: Positions = "none",
    is_causal: bool = False,
) -> SentencePair:
    """Run two sentences through the same matrices and see what stays and what is new.

    Returns:
        Both traces and the words they share. A word that stands in a sentence more than once is paired with the
        other sentence's in order: first with first, second with second.
    """
    sizes = {"seed": seed, "d_model": d_model, "d_k": d_k, "d_v": d_v, "positions": positions}
    traces = [
        trace_single_head(own_sentence(tokens, **sizes), is_causal=is_causal) for tokens in (first, second)
    ]
    return compare_traces(*traces, first, second)


def compare_traces(
    one: SingleHeadTrace, other: SingleHeadTrace, first: Sequence[str], second: Sequence[str]
) -> SentencePair:
    """Compare two passes that began with x, such as a page's with the reader's edits in them.

    Args:
        first: The tokens of the first pass, one a row.

    Returns:
        As `compare_sentences`.
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
        shared_words=tuple(
            _shared_word(one, other, first[n], n, m) for n, m in _shared_places(first, second)
        ),
    )


def distances_by_layer(
    first: Sequence[str],
    second: Sequence[str],
    first_place: int,
    second_place: int,
    *,
    n_layers: int = 4,
    seed: int = 0,
    d_model: int = 8,
    d_k: int = 4,
    d_v: int = 4,
    positions: Positions = "none",
    is_causal: bool = False,
) -> tuple[float, ...]:
    """Follow two tokens, one of each sentence, through layers of attention, and measure how far apart they are.

        x of the next layer = x + projected

    Args:
        n_layers: Layers, each with matrices of its own; the first has those of `compare_sentences`.

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
    for tokens, place in zip((first, second), places, strict=True):
        if not 0 <= place < len(tokens):
            raise ValueError(f"a place must be from 0 to {len(tokens) - 1}, got {place}")
    sizes = {"seed": seed, "d_model": d_model, "d_k": d_k, "d_v": d_v}
    xs = [own_sentence(tokens, **sizes, positions=positions)["x"] for tokens in (first, second)]
    distances = [_distance(xs, places)]
    for layer in range(n_layers):
        matrices = draw_matrices(layer=layer, **sizes)
        xs = [x + trace_from_inputs(x=x, **matrices, is_causal=is_causal).projected for x in xs]
        distances.append(_distance(xs, places))
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


def _shared_places(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int]]:
    """Pair the places of equal tokens: first with first, second with second."""
    waiting: dict[str, list[int]] = {}
    for place, token in enumerate(second):
        waiting.setdefault(token, []).append(place)
    return [(place, waiting[token].pop(0)) for place, token in enumerate(first) if waiting.get(token)]


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
