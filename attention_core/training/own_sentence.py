"""A reader's own sentence for the pronoun's task: cut into words that the model has learnt, or what stands against it."""

from dataclasses import dataclass
from typing import Literal

from attention_core.tokens import MAX_CHARACTERS
from attention_core.training.tasks.pronoun import Words

FaultKind = Literal["unknown", "too_long", "no_pronoun", "many_pronouns", "too_many_characters"]
# What may stand between words and is none.
BETWEEN = " \t\r\n\u3000,.!?;:。！？；：、"


@dataclass(frozen=True)
class SentenceFault:
    """Why a sentence cannot be read.

    Attributes:
        unknown: Pieces that are no words of the model, each once, in order.
        value: How many tokens, pronouns or characters there are.
        limit: How many there may be.
    """

    kind: FaultKind
    unknown: tuple[str, ...] = ()
    value: int = 0
    limit: int = 0


def read_sentence(text: str, words: Words, longest: int) -> tuple[str, ...] | SentenceFault:
    """Cut a text into the words of a task; of several that fit, the longest.

    Args:
        longest: How many tokens the model reads.

    Returns:
        The words, among them the pronoun once; or what stands against it. Letters may be large or small. Signs between words are
        passed over but where the task knows them as words.

    Example:
        >>> from attention_core.training.tasks.pronoun import CHINESE, ENGLISH
        >>> read_sentence("小狗没有爬上书架，因为它太高了。", CHINESE, 10)
        ('小狗', '没有', '爬上', '书架', '，', '因为', '它', '太', '高', '了')
        >>> read_sentence("The hippo was too tired because it was hungry", ENGLISH, 12).unknown
        ('hippo',)
    """
    if len(text) > MAX_CHARACTERS:
        return SentenceFault("too_many_characters", value=len(text), limit=MAX_CHARACTERS)
    found, unknown = _cut(text.lower(), words.vocab)
    if unknown:
        return SentenceFault("unknown", unknown=tuple(dict.fromkeys(unknown)))
    if len(found) > longest:
        return SentenceFault("too_long", value=len(found), limit=longest)
    n_pronouns = found.count(words.pronoun)
    if n_pronouns != 1:
        return SentenceFault("many_pronouns" if n_pronouns else "no_pronoun", value=n_pronouns, limit=1)
    return tuple(found)


def _cut(text: str, vocab: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Find known words from the left, and the pieces that are none."""
    by_length = sorted(vocab, key=len, reverse=True)
    found: list[str] = []
    unknown: list[str] = []
    place = 0
    while place < len(text):
        word = next((word for word in by_length if _stands(word, text, place)), None)
        if word is not None:
            found.append(word)
            place += len(word)
        elif text[place] in BETWEEN:
            place += 1
        else:
            end = _end_of_unknown(text, place, by_length)
            unknown.append(text[place:end])
            place = end
    return found, unknown


def _stands(word: str, text: str, place: int) -> bool:
    """Tell whether a word begins here; a word of Latin letters must also end and begin as one."""
    end = place + len(word)
    if text[place:end] != word:
        return False
    return not word.isascii() or not (_is_letter(text, place - 1) or _is_letter(text, end))


def _is_letter(text: str, place: int) -> bool:
    return 0 <= place < len(text) and text[place].isascii() and text[place].isalnum()


def _end_of_unknown(text: str, place: int, by_length: list[str]) -> int:
    """Find where a piece ends that is no word: before the next known word or sign."""
    end = place + 1
    while end < len(text) and text[end] not in BETWEEN:
        if any(_stands(word, text, end) for word in by_length):
            break
        end += 1
    return end
