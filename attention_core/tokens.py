"""Cut a reader's text into tokens, by rules short enough to stand beside the text box."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import regex

MAX_CHARACTERS = 512
MAX_TOKENS = 64

_CLUSTER = regex.compile(r"\X")

# What a cluster is, decided by the first line that fits all of it.
_KIND = regex.compile(
    r"""
      (?P<b> \r\n | [\n\v\f\r\x85\u2028\u2029] )              # line break
    | (?P<g> [\p{White_Space}\p{Cc}\u200B] \p{Default_Ignorable_Code_Point}* )
    | (?P<i> \p{Default_Ignorable_Code_Point}+ )              # invisible: soft hyphen, direction mark
    | (?P<E> .*[\p{Ideographic}\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}\p{Yi}ーｰ].* )
    | (?P<S> .*[\p{Line_Break=SA}\u20E3].* )                  # Thai and its like; keycap emoji
    | (?P<D> .*\p{Nd}.* )
    | (?P<L> .*[\p{L}\p{N}].* )
    | (?P<A> ['’＇·\u05F3\u05F4] )                            # joins letters
    | (?P<P> [.,．\u066B\u066C] )                             # joins digits
    | (?P<O> .* )                                             # punctuation, symbols, emoji, the rest
    """,
    regex.VERBOSE | regex.DOTALL,
)
_WORD = r"[LD](?:[LD]|[Ai](?=[LD])|(?<=D)P(?=D))*"
_CHARACTER_TOKENS = regex.compile(_WORD + r"|[ESAPO]")
_SPACED_TOKENS = regex.compile(_WORD + r"|E+|[SAPO]")
_SPACE_BETWEEN_WORDS = regex.compile(r"Eg+E")


@dataclass(frozen=True)
class TextFault:
    """Why a text cannot be shown.

    Attributes:
        value: What the text has: characters (code points) or tokens.
        limit: The most it may have; for an empty text, the fewest.
    """

    kind: Literal["too_many_characters", "too_many_tokens", "empty"]
    value: int
    limit: int


def tokenize(text: str) -> tuple[str, ...]:
    """Cut a text into words, characters and signs, never inside what a reader sees as one character.

    Args:
        text: Any string; lone surrogates and control characters do no harm.

    Returns:
        The tokens in order, each a piece of the text as it stands (no change of case or of Unicode form).
        - Scripts that put spaces between words, Hangul among them: a token is a word. Digits belong to words.
          An apostrophe between letters and a decimal point or comma between digits stay inside.
        - Chinese and kana: one character is a token. If a space stands between two such characters anywhere
          in the text, the reader has marked words: then each unbroken run of them is a token. A line break
          marks nothing.
        - Thai, Lao, Khmer, Burmese: one grapheme cluster is a token, since spaces end phrases there.
        - Each punctuation mark, symbol or emoji is a token, joined emoji, skin tones and flags being one.
        - White space, control characters and what has no shape of its own are never tokens; an invisible sign
          inside a word stays in it, any other ends the token.

    Example:
        >>> tokenize("The cat's 3.14, no?")
        ('The', "cat's", '3.14', ',', 'no', '?')
        >>> tokenize("我爱注意力 attention!")
        ('我', '爱', '注', '意', '力', 'attention', '!')
        >>> tokenize("猫 追逐 老鼠")
        ('猫', '追逐', '老鼠')

    Source: grapheme clusters as in Unicode Standard Annex 29. The rest is our own choice: a trained model
        would cut by frequency (byte-pair encoding), which no reader can predict by looking at the text.
    """
    return tuple(text[start:end] for start, end in _spans(text))


def check_text(text: str) -> TextFault | None:
    """Say whether a text can be shown, without an exception and without reading a huge one through.

    Example:
        >>> check_text("the cat") is None
        True
        >>> check_text(" ")
        TextFault(kind='empty', value=0, limit=1)
        >>> check_text("a" * 600)
        TextFault(kind='too_many_characters', value=600, limit=512)
    """
    if len(text) > MAX_CHARACTERS:
        return TextFault("too_many_characters", len(text), MAX_CHARACTERS)
    n_tokens = len(_spans(text))
    if n_tokens > MAX_TOKENS:
        return TextFault("too_many_tokens", n_tokens, MAX_TOKENS)
    return None if n_tokens else TextFault("empty", 0, 1)


def nearest_legal(text: str) -> str:
    """Keep the longest beginning of a text that stays within both limits and cuts no grapheme cluster.

    Returns:
        The text itself if it is within the limits. Empty where nothing before the limit is a token.

    Example:
        >>> len(nearest_legal("爱" * 100)), nearest_legal("the cat")
        (64, 'the cat')
    """
    end = 0
    for cluster in _CLUSTER.finditer(text[: MAX_CHARACTERS + 1]):
        if cluster.end() <= MAX_CHARACTERS:
            end = cluster.end()
    prefix = text[:end]
    # Dropping the only space between two Chinese words makes each of their characters a token: look again.
    while len(spans := _spans(prefix)) > MAX_TOKENS:
        prefix = prefix[: spans[MAX_TOKENS][0]]
    return prefix if _spans(prefix) else ""


def ids(tokens: Sequence[str]) -> tuple[int, ...]:
    """Number the tokens of one sentence by first appearance; a repeated token has one number.

    Example:
        >>> ids(("the", "cat", "saw", "the", "dog"))
        (0, 1, 2, 0, 3)
    """
    number: dict[str, int] = {}
    return tuple(number.setdefault(token, len(number)) for token in tokens)


def _spans(text: str) -> list[tuple[int, int]]:
    """Find where each token starts and ends.

    Each grapheme cluster becomes one letter that names its kind; tokens are then patterns over those letters.
    """
    clusters = list(_CLUSTER.finditer(text))
    kinds = "".join(_KIND.fullmatch(cluster.group()).lastgroup for cluster in clusters)
    rule = _SPACED_TOKENS if _SPACE_BETWEEN_WORDS.search(kinds) else _CHARACTER_TOKENS
    return [(clusters[t.start()].start(), clusters[t.end() - 1].end()) for t in rule.finditer(kinds)]
