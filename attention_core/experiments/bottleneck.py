"""Claim V6: a sentence handed on as one vector is read through cross-talk; attention reads every state by itself."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.embedding import embed, projection
from attention_core.masks import causal
from attention_core.positions import sinusoidal
from attention_core.steps import scaled_dot_product_attention
from attention_core.tokens import ids
from attention_core.trace import AttentionTrace
from attention_core.variants.cosine import to_unit

# verb_forward: the last word moves to place 2; verb_back: that of place 2 moves behind the last word.
Order = Literal["verb_forward", "verb_back", "reverse", "copy", "every_second"]
ORDERS: tuple[Order, ...] = get_args(Order)
# Queries and keys say where, and are this wide whatever the words' width.
CODE_WIDTH = 64
# Directions in one dimension are two, and most words would share one.
MIN_WIDTH = 2
MIN_KEEP = 0.5


@dataclass(frozen=True, eq=False)
class ReadOut:
    """What a decoder reads, step by step: the nearest word of the sentence.

    Attributes:
        vectors: What each step has in hand.
        cosines: With each word of the vocabulary.
        read: The word with the largest cosine, as its number in the vocabulary.
        is_right: The word is the one that was wanted.
    """

    vectors: Float[Tensor, "N d_model"]
    cosines: Float[Tensor, "N vocab"]
    read: tuple[int, ...]
    is_right: tuple[bool, ...]

    @property
    def n_right(self) -> int:
        """Count the steps that read the word they wanted."""
        return sum(self.is_right)

    @property
    def share_right(self) -> float:
        """Give their share of all steps."""
        return self.n_right / len(self.is_right)


@dataclass(frozen=True, eq=False)
class Bottleneck:
    """One sentence through an encoder, and read by a decoder in two ways.

    Attributes:
        places: The place in the sentence that each decoder step wants.
        vocabulary: Each different word once, in the order of the sentence.
        wanted: The word that each step wants, as its number in the vocabulary.
        words: A vector of length 1 for each word of the vocabulary.
        states: The recurrent encoder's state after each word; the last one is all that the first way hands on.
        attention: Queries are the codes of the wanted places, keys the codes of all places, values the words' vectors.
        fixed: Read from the last state.
        attended: Read by attention over all places.
        causal: The same with a causal mask towards the encoder, which has no business there.
        crosstalk: What all other words add to the wanted word's product with the unrolled last state; its own part is 1.
        expected_variance: Of the cross-talk over draws of the words, in theory, for different words.
        n_steps_between: Recurrent steps from reading a word in the encoder to writing it in the decoder; with attention 1.
    """

    tokens: tuple[str, ...]
    places: tuple[int, ...]
    vocabulary: tuple[str, ...]
    wanted: tuple[int, ...]
    words: Float[Tensor, "vocab d_model"]
    states: Float[Tensor, "M d_model"]
    attention: AttentionTrace
    fixed: ReadOut
    attended: ReadOut
    causal: ReadOut
    crosstalk: tuple[float, ...]
    expected_variance: tuple[float, ...]
    n_steps_between: tuple[int, ...]

    def directions(self, step: int) -> Float[Tensor, "4 d_model"]:
        """Give what a step has to do with, each made length 1: the word it wants, the last state, that turned back, the context.

        Returns:
            Rows whose products are cosines: the third or fourth with the first is what the wanted word is read by.
        """
        word, last = self.words[self.wanted[step]], self.states[-1]
        return to_unit(torch.stack([word, last, self.fixed.vectors[step], self.attended.vectors[step]]))

    @property
    def crosstalk_rms(self) -> float:
        """Give the root mean square of the cross-talk over the steps."""
        return math.hypot(*self.crosstalk) / math.sqrt(len(self.crosstalk))

    @property
    def expected_rms(self) -> float:
        """Give the same in theory."""
        return math.sqrt(sum(self.expected_variance) / len(self.expected_variance))

    @property
    def n_bits(self) -> float:
        """Count the bits that tell a sentence of this length and vocabulary from all others."""
        return len(self.tokens) * math.log2(len(self.vocabulary))


def read_sentence(
    tokens: Sequence[str],
    order: Order,
    *,
    seed: int,
    d_model: int,
    sharpness: float | int = 32.0,
    keep: float | int = 1.0,
) -> Bottleneck:
    """Send a sentence through an encoder and read it in another order, from its last state and by attention.

    Args:
        sharpness: Queries are multiplied by it: 0 weighs all places alike.
        keep: What a state keeps of the one before, from MIN_KEEP to 1.

    Raises:
        ValueError: no token, an unknown order, or a number out of its range.

    Example:
        >>> found = read_sentence(("she", "the", "old", "dog", "saw"), "verb_forward", seed=0, d_model=8)
        >>> found.places, [found.vocabulary[word] for word in found.attended.read]
        ((0, 4, 1, 2, 3), ['she', 'saw', 'the', 'old', 'dog'])

    Source: the recurrent encoder-decoder is Sutskever, Vinyals, Le 2014, and attention over its states Bahdanau, Cho,
        Bengio 2015; weights made by hand, so that every number can be foreseen, are our own choice.
    """
    _check(tokens, d_model, sharpness, keep)
    places, numbers = make_order(tokens, order), ids(tokens)
    vocabulary = tuple(dict.fromkeys(tokens))
    wanted = tuple(numbers[place] for place in places)
    words = to_unit(embed(vocabulary, seed, d_model))
    embedding, recurrence = words[list(numbers)], orthogonal(projection("recurrence", seed, d_model, d_model))
    states = encode(embedding, recurrence, keep)
    unrolled = unroll(states[-1:], recurrence, len(tokens), keep)[0, list(places)]
    crosstalk = (unrolled * words[list(wanted)]).sum(dim=-1) - 1
    attention, masked = (
        attend_places(embedding, places, sharpness, is_causal=is_causal) for is_causal in (False, True)
    )
    variances = crosstalk_variance(len(tokens), d_model, keep)
    return Bottleneck(
        tokens=tuple(tokens),
        places=places,
        vocabulary=vocabulary,
        wanted=wanted,
        words=words,
        states=states,
        attention=attention,
        fixed=read_nearest(unrolled, words, wanted),
        attended=read_nearest(attention.out, words, wanted),
        causal=read_nearest(masked.out, words, wanted),
        crosstalk=tuple(crosstalk.tolist()),
        expected_variance=tuple(variances[list(places)].tolist()),
        n_steps_between=tuple(count_steps(len(tokens), place, step) for step, place in enumerate(places)),
    )


def make_order(tokens: Sequence[str], order: Order) -> tuple[int, ...]:
    """Say which place of the sentence each decoder step wants.

    Returns:
        Places counted from 0. Signs after the last word stay there when the verb moves: a word has a letter or a digit.

    Raises:
        ValueError: an unknown order.

    Example:
        >>> german = ("she", "the", "dog", "saw", ".")
        >>> make_order(german, "verb_forward"), make_order(german, "reverse"), make_order(german, "every_second")
        ((0, 3, 1, 2, 4), (4, 3, 2, 1, 0), (0, 2, 4))
    """
    if order not in ORDERS:
        raise ValueError(f"order must be one of {', '.join(ORDERS)}, got {order!r}")
    places = tuple(range(len(tokens)))
    verb = last_word(tokens)
    if order == "reverse":
        return places[::-1]
    if order == "every_second":
        return places[::2]
    if order == "copy" or verb < 2:
        return places
    if order == "verb_forward":
        return (0, verb, *range(1, verb), *places[verb + 1 :])
    return (0, *range(2, verb + 1), 1, *places[verb + 1 :])


def last_word(tokens: Sequence[str]) -> int:
    """Find the last token with a letter or a digit in it; the last token where none has.

    Example:
        >>> last_word(("she", "saw", ".")), last_word(("?", "!"))
        (1, 1)
    """
    found = [place for place, token in enumerate(tokens) if any(map(str.isalnum, token))]
    return found[-1] if found else len(tokens) - 1


def orthogonal(matrix: Float[Tensor, "*B d_model d_model"]) -> Float[Tensor, "*B d_model d_model"]:
    """Make a rotation, possibly with a reflection, of a matrix of normal numbers: all are equally likely.

    Returns:
        A matrix whose inverse is its transpose.

    Example:
        >>> orthogonal(torch.tensor([[3.0, 0.0], [0.0, -2.0]])).abs().tolist()
        [[1.0, 0.0], [0.0, 1.0]]

    Source: Mezzadri 2007, section 5: without the signs of the triangular factor not all are equally likely.
    """
    q, r = torch.linalg.qr(matrix)
    signs = r.diagonal(dim1=-2, dim2=-1).sign()
    return q * torch.where(signs == 0, 1.0, signs)[..., None, :]


def encode(
    embedding: Float[Tensor, "*B M d_model"],
    recurrence: Float[Tensor, "*B d_model d_model"],
    keep: float | int = 1.0,
) -> Float[Tensor, "*B M d_model"]:
    """Read a sentence word by word into a state of fixed size.

        state_t = keep · state_{t−1} R + word_t

    Returns:
        The state after each word.

    Example:
        >>> turn = torch.tensor([[0.0, 1.0], [-1.0, 0.0]])
        >>> encode(torch.tensor([[1.0, 0.0], [0.0, 0.0]]), turn).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
    """
    states, state = [], torch.zeros_like(embedding[..., :1, :])
    for place in range(embedding.shape[-2]):
        state = keep * (state @ recurrence) + embedding[..., place : place + 1, :]
        states.append(state)
    return torch.cat(states, dim=-2)


def unroll(
    last: Float[Tensor, "*B N d_model"],
    recurrence: Float[Tensor, "*B d_model d_model"],
    n: int,
    keep: float | int = 1.0,
) -> Float[Tensor, "*B N M d_model"]:
    """Turn last states back until the word of each place points as it did when it was read.

        unrolled[m] = last (Rᵀ / keep)^(n − 1 − m) = word_m + Σ_{k ≠ m} word_k (keep · R)^(m − k)

    Args:
        last: Any number of them, each of a sentence of its own.

    Returns:
        For each, the word of each place with all others on top.

    Example:
        >>> turn = torch.tensor([[0.0, 1.0], [-1.0, 0.0]])
        >>> unroll(encode(torch.tensor([[1.0, 0.0], [0.0, 0.0]]), turn)[-1:], turn, 2)[0, 0].tolist()
        [1.0, 0.0]
    """
    rows = [last]
    for _ in range(n - 1):
        rows.append(rows[-1] @ recurrence.transpose(-2, -1) / keep)
    return torch.stack(rows[::-1], dim=-2)


def attend_places(
    embedding: Float[Tensor, "M d_model"],
    places: Sequence[int],
    sharpness: float | int,
    *,
    is_causal: bool = False,
) -> AttentionTrace:
    """Let each decoder step ask for a place by its code, and gather the words that stand there and near.

        q_n = sharpness · code(place_n),  k_m = code(m),  v_m = word_m

    Args:
        is_causal: Hide from step n the places after n. Decoders do that among their own words; towards the encoder,
            which has read everything, it is a mistake.
    """
    n, dtype = len(embedding), embedding.dtype
    codes = sinusoidal(n, CODE_WIDTH, dtype=dtype)
    allowed = causal(len(places), n, offset=0) if is_causal else None
    return scaled_dot_product_attention(sharpness * codes[list(places)], codes, embedding, allowed=allowed)


def read_nearest(
    vectors: Float[Tensor, "N d_model"], words: Float[Tensor, "vocab d_model"], wanted: Sequence[int]
) -> ReadOut:
    """Read the word whose vector points most nearly the same way.

    Example:
        >>> read_nearest(torch.tensor([[2.0, 1.0]]), torch.eye(2), (1,)).is_right
        (False,)
    """
    cosines = to_unit(vectors) @ to_unit(words).transpose(-2, -1)
    read = tuple(cosines.argmax(dim=-1).tolist())
    return ReadOut(
        vectors, cosines, read, tuple(one == other for one, other in zip(read, wanted, strict=True))
    )


def crosstalk_variance(n: int, d_model: int, keep: float | int = 1.0) -> Float[Tensor, " M"]:
    """Foresee how strongly all other words disturb the word of each place, where its own part is 1.

        variance[m] = Σ_{k ≠ m} keep^(2(m − k)) / d_model,  (N − 1) / d_model with keep 1

    Returns:
        The variance, over random directions of different words, of what they add to the product with the wanted word.

    Example:
        >>> crosstalk_variance(9, 8).tolist()[0], crosstalk_variance(2, 4, keep=0.5).tolist()
        (1.0, [1.0, 0.0625])

    Source: two random directions in d dimensions have a product of mean 0 and variance 1/d, and the turned words are
        uncorrelated: Plate 1995, section VIII, reckons so for sums of words in one vector.
    """
    place = torch.arange(n, dtype=torch.float64)
    power = float(keep) ** (2 * (place[:, None] - place))
    return (power.sum(dim=-1) - 1) / d_model


def count_steps(n: int, place: int, step: int) -> int:
    """Count the recurrent steps that a word travels: to the end of the encoder, and to the decoder's step.

        (N − 1 − place) + (step + 1)

    Example:
        >>> count_steps(9, 8, 1), count_steps(9, 1, 8)
        (2, 16)
    """
    return n - place + step


def hidden_by_causal(places: Sequence[int]) -> tuple[int, ...]:
    """List the steps whose wanted place a causal mask towards the encoder would hide.

    Example:
        >>> hidden_by_causal((0, 3, 1, 2))
        (1,)
    """
    return tuple(step for step, place in enumerate(places) if place > step)


def _check(tokens: Sequence[str], d_model: int, sharpness: float | int, keep: float | int) -> None:
    if not tokens:
        raise ValueError("a sentence needs at least 1 token, got 0")
    if d_model < MIN_WIDTH:
        raise ValueError(f"d_model must be at least {MIN_WIDTH}, got {d_model}")
    if not 0 <= sharpness < math.inf:
        raise ValueError(f"sharpness must be finite and not negative, got {sharpness}")
    if not MIN_KEEP <= keep <= 1:
        raise ValueError(f"keep must be from {MIN_KEEP} to 1, got {keep}")
