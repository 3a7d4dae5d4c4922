"""From the lesson's values to the batch that the masks are laid over."""

from attention_core.batch import MAX_SENTENCES, Batch, draw_batch
from attention_core.tokens import check_text, nearest_legal, tokenize
from dashboard.controls import State

SEPARATOR = "|"
D_MODEL = 6


def further_texts(state: State) -> list[str]:
    """Cut the reader's further sentences apart; empty ones are none."""
    texts = [text.strip() for text in state["more"].split(SEPARATOR)]
    return [text for text in texts if text]


def further_sentences(state: State) -> tuple[tuple[str, ...], ...]:
    """Give the tokens of the further sentences, as many and as much of each as a batch may have."""
    legal = [nearest_legal(text) for text in further_texts(state)]
    return tuple(tokens for tokens in map(tokenize, legal) if tokens)[: MAX_SENTENCES - 1]


def sentences_of(state: State) -> tuple[tuple[str, ...], ...]:
    """Give the tokens of every sentence, the reader's first in front; it must be one that can be shown."""
    return (tokenize(state["text"]), *further_sentences(state))


def batch_of(state: State) -> Batch:
    """Draw queries, keys and values of all sentences."""
    return drawn(state, sentences_of(state))


def first_of(state: State) -> Batch:
    """The same of the first sentence alone, without filler."""
    return drawn(state, (tokenize(state["text"]),))


def drawn(state: State, sentences: tuple[tuple[str, ...], ...]) -> Batch:
    """Draw queries, keys and values of some sentences with the reader's settings."""
    settings = {name: state[name] for name in ("seed", "d_k", "d_v", "positions")}
    return draw_batch(sentences, d_model=D_MODEL, **settings)


def is_legal(state: State) -> bool:
    """Tell whether the first sentence can be shown."""
    return check_text(state["text"]) is None
