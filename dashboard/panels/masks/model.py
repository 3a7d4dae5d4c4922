"""From the lesson's values to the batch that the masks are laid over."""

from collections.abc import Iterable
from functools import lru_cache

from attention_core.batch import MAX_SENTENCES, Batch, draw_batch
from attention_core.single_head import Positions
from attention_core.tokens import check_text, nearest_legal, tokenize
from dashboard.controls import State
from dashboard.text import Language
from dashboard.text import masks as words

SEPARATOR = "|"
D_MODEL = 6


def further_texts(state: State) -> list[str]:
    """Cut the reader's further sentences apart; empty ones are none."""
    return _cut_apart(state["more"])


def sentences_of(state: State) -> tuple[tuple[str, ...], ...]:
    """Give the tokens of every sentence, the reader's first in front; it must be one that can be shown.

    Of the further ones as many, and as much of each, as a batch may have.
    """
    return _tokenize_all(state["text"], state["more"])


def name_queries(places: Iterable[int], language: Language) -> str:
    """Name queries as readers count them, so that a number is not taken for a count."""
    return words.BETWEEN_QUERIES.say(language).join(
        words.QUERY.say(language, number=place + 1) for place in places
    )


def batch_of(state: State) -> Batch:
    """Draw queries, keys and values of all sentences."""
    return drawn(state, sentences_of(state))


def first_of(state: State) -> Batch:
    """The same of the first sentence alone, without filler."""
    return drawn(state, (tokenize(state["text"]),))


def drawn(state: State, sentences: tuple[tuple[str, ...], ...]) -> Batch:
    """Draw queries, keys and values of some sentences with the reader's settings."""
    return _draw(sentences, *(state[name] for name in ("seed", "d_k", "d_v", "positions")))


def is_legal(state: State) -> bool:
    """Tell whether the first sentence can be shown."""
    return check_text(state["text"]) is None


def _cut_apart(more: str) -> list[str]:
    return [text for text in map(str.strip, more.split(SEPARATOR)) if text]


# Most controls of the lesson leave the sentences as they are.
@lru_cache(maxsize=32)
def _tokenize_all(text: str, more: str) -> tuple[tuple[str, ...], ...]:
    further = [tokenize(nearest_legal(one)) for one in _cut_apart(more)]
    return (tokenize(text), *[tokens for tokens in further if tokens][: MAX_SENTENCES - 1])


@lru_cache(maxsize=8)
def _draw(
    sentences: tuple[tuple[str, ...], ...], seed: int, d_k: int, d_v: int, positions: Positions
) -> Batch:
    return draw_batch(sentences, seed=seed, d_model=D_MODEL, d_k=d_k, d_v=d_v, positions=positions)
