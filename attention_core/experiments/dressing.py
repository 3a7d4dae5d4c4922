"""Claim P8: a word enters bare, the same in any sentence, and each layer dresses it in what stands around it."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.layers import DressedSentence, run_layer
from attention_core.principal_plane import PrincipalPlane, fit_plane
from attention_core.variants.cosine import to_unit


@dataclass(frozen=True)
class FollowedWord:
    """One place in each of two sentences, depth by depth; the bare vectors come first.

    Attributes:
        token: None where the two places hold different words.
        bare_distance: Between the rows of the embedding, before positions: 0 for the same word.
        distances: Between the two vectors; grows with their lengths too.
        cosines: Of the angle between them, whatever their lengths; 0 where one is zero.
        is_bare_equal: The two enter the first layer equal: the same word without positions, or at the same place.
    """

    token: str | None
    first_place: int
    second_place: int
    bare_distance: float
    distances: tuple[float, ...]
    cosines: tuple[float, ...]
    is_bare_equal: bool


@dataclass(frozen=True, eq=False)
class LaidOut:
    """Sentences in one plane, fitted once to all their vectors, bare and dressed.

    Attributes:
        places: Of each sentence, where its tokens lie at each depth.
        shares: Of each depth, over all sentences, how much of the vectors' distance from the centre the plane shows.
    """

    plane: PrincipalPlane
    places: tuple[Float[Tensor, "depths _ 2"], ...]
    shares: tuple[float, ...]


def cosines_to_bare(vectors: Float[Tensor, "depths N d_model"]) -> Float[Tensor, "depths N"]:
    """Say how far each token has turned from its bare vector, depth by depth.

        cosines[l, n] = vectors[l, n] · vectors[0, n] / (|vectors[l, n]| |vectors[0, n]|)

    Returns:
        Row 0 is 1; 0 where a vector is zero and has no direction.

    Example:
        >>> cosines_to_bare(torch.tensor([[[2.0, 0.0]], [[0.0, 1.0]], [[-1.0, 0.0]]])).flatten().tolist()
        [1.0, 0.0, -1.0]
    """
    return _cosine(vectors, vectors[:1])


def distances_to_bare(vectors: Float[Tensor, "depths N d_model"]) -> Float[Tensor, "depths N"]:
    """Say how far each token has moved from its bare vector, depth by depth.

        distances[l, n] = |vectors[l, n] − vectors[0, n]|

    Example:
        >>> distances_to_bare(torch.tensor([[[2.0, 0.0]], [[2.0, 3.0]]])).flatten().tolist()
        [0.0, 3.0]
    """
    return (vectors - vectors[:1]).norm(dim=-1)


def heaviest_keys(sentence: DressedSentence, layer: int, query: int) -> tuple[tuple[int, float], ...]:
    """List the tokens that a query looked at in one layer, by the mean of its weights over the heads.

    Args:
        layer: From 0, as query.

    Returns:
        Place and weight, the largest first, the earlier of equals; without those that the mask hides.

    Raises:
        ValueError: a layer or a query that there is not.

    Example:
        >>> from attention_core.layers import Design, dress
        >>> found = heaviest_keys(dress(("the", "cat", "ran"), Design(n_layers=1), seed=0), 0, 2)
        >>> len(found), round(sum(weight for _, weight in found), 9), found[0][1] >= found[1][1]
        (3, 1.0, True)
    """
    weights = _layer_of(sentence, layer, query).mean(dim=0)[query]
    hidden = [] if sentence.allowed is None else (~sentence.allowed[query]).nonzero().flatten().tolist()
    shares = [pair for pair in enumerate(weights.tolist()) if pair[0] not in hidden]
    return tuple(sorted(shares, key=lambda pair: -pair[1]))


def moved_if_weighed_again(sentence: DressedSentence, layer: int, query: int) -> float:
    """Let a layer weigh what it made, and say how much of a query's weight would lie on other keys.

        moved = mean over heads of ½ Σ |again[m] − weights[m]|,  again from what the layer left

    Args:
        layer: From 0, as query.

    Returns:
        0 where the weights agree with the vectors that they lead to, as in a self-consistent theory; at most 1.

    Raises:
        ValueError: a layer or a query that there is not.

    Example:
        >>> from attention_core.layers import Design, dress
        >>> moved_if_weighed_again(dress(("cat",), Design(n_layers=1), seed=0), 0, 0)
        0.0

    Source: our own choice. ½ Σ |difference| is the total variation distance.
    """
    weights = _layer_of(sentence, layer, query)
    again = run_layer(sentence, layer, sentence.trace.vectors[layer + 1]).attention.attention.weights
    return float((again - weights)[:, query].abs().sum(dim=-1).mean() / 2)


def _layer_of(sentence: DressedSentence, layer: int, query: int) -> Float[Tensor, "H N N"]:
    """Give the weights of one layer, once layer and query are there."""
    for name, value, n in (
        ("layer", layer, sentence.design.n_layers),
        ("query", query, len(sentence.tokens)),
    ):
        if not 0 <= value < n:
            raise ValueError(f"{name} must be from 0 to {n - 1}, got {value}")
    return sentence.trace.weights[layer]


def follow_word(
    one: DressedSentence, other: DressedSentence, first_place: int, second_place: int
) -> FollowedWord:
    """Follow a word of one sentence beside a word of another, through the same layers.

    Args:
        one: Dressed by the same design and seed as other.

    Returns:
        For the same word, without positions or at the same place, distances begin at 0; from the first layer on each
        holds its own sentence. Under a causal mask a word after the same beginning stays equal.

    Raises:
        ValueError: sentences that went through different layers, or a place outside its sentence.

    Example:
        >>> from attention_core.layers import Design, dress
        >>> pair = [dress(words, Design(n_layers=2), seed=0) for words in (("cats", "sleep"), ("cats", "hunt"))]
        >>> found = follow_word(*pair, 0, 0)
        >>> found.token, found.is_bare_equal, found.distances[0], found.distances[1] > 0.1
        ('cats', True, 0.0, True)

    Source: Ethayarajh 2019, section 3, self-similarity: the mean of such cosines over many sentences.
    """
    _check_alike(one, other)
    for sentence, place in ((one, first_place), (other, second_place)):
        if not 0 <= place < len(sentence.tokens):
            raise ValueError(f"a place must be from 0 to {len(sentence.tokens) - 1}, got {place}")
    first, second = one.trace.vectors[:, first_place], other.trace.vectors[:, second_place]
    is_same = one.tokens[first_place] == other.tokens[second_place]
    return FollowedWord(
        token=one.tokens[first_place] if is_same else None,
        first_place=first_place,
        second_place=second_place,
        bare_distance=float(torch.dist(one.embedding[first_place], other.embedding[second_place])),
        distances=tuple((first - second).norm(dim=-1).tolist()),
        cosines=tuple(_cosine(first, second).tolist()),
        is_bare_equal=torch.equal(first[0], second[0]),
    )


def lay_out(*sentences: DressedSentence) -> LaidOut:
    """Lay the tokens of sentences, at every depth, into the plane in which they differ most.

    Raises:
        ValueError: no token at all, or sentences that went through different layers.

    Example:
        >>> from attention_core.layers import Design, dress
        >>> found = lay_out(dress(("the", "cat", "ran"), Design(n_layers=2), seed=0))
        >>> tuple(found.places[0].shape), len(found.shares)
        ((3, 3, 2), 3)
    """
    _check_alike(*sentences)
    together = torch.cat([sentence.trace.vectors for sentence in sentences], dim=1)
    plane = fit_plane(together)
    places = tuple(plane.place(sentence.trace.vectors) for sentence in sentences)
    return LaidOut(plane, places, tuple(map(plane.share_of, together)))


def _check_alike(*sentences: DressedSentence) -> None:
    """Refuse sentences whose vectors have nothing to do with one another."""
    layers = list(dict.fromkeys((sentence.design, sentence.seed) for sentence in sentences))
    if len(layers) != 1:
        named = ", ".join(f"{design} of seed {seed}" for design, seed in layers) or "no sentence"
        raise ValueError(f"all sentences need the same design and seed, got {named}")


def _cosine(one: Float[Tensor, "*#B d_model"], other: Float[Tensor, "*#B d_model"]) -> Float[Tensor, "..."]:
    return (to_unit(one) * to_unit(other)).sum(dim=-1)
