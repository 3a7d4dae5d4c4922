"""What is said of a word in two sentences, and what is asked."""

from collections.abc import Sequence

from attention_core.experiments.dressing import FollowedWord, follow_word
from attention_core.experiments.reuse import ROUNDING
from attention_core.layers import DressedSentence
from dashboard.controls import State
from dashboard.grid.lines import word
from dashboard.number_format import significant
from dashboard.panels.layers.model import laid_out, own_stack, percent
from dashboard.text import layers_twice as words


def readings(state: State, both: Sequence[DressedSentence], found: FollowedWord) -> list[str]:
    """Say how the word enters, how far its two vectors part, why, and how much the plane shows."""
    kept = words.PLANE.say(state.language, kept=percent(laid_out(*both).plane.kept))
    return [say_bare(state, found), *say_apart(state, both, found), kept]


def say_bare(state: State, found: FollowedWord) -> str:
    """Say whether the two enter equal."""
    fields = {"token": word(found.token), "bare": significant(found.bare_distance)}
    if found.is_bare_equal:
        return words.BARE_EQUAL.say(state.language, **fields)
    places = {"first": found.first_place + 1, "second": found.second_place + 1}
    return words.BARE_APART.say(state.language, **fields, **places, input=significant(found.distances[0]))


def say_apart(state: State, both: Sequence[DressedSentence], found: FollowedWord) -> list[str]:
    """Say how far apart they end, and what that comes from."""
    language, n = state.language, state["n_layers"]
    last = found.distances[-1]
    if found.is_bare_equal and last <= ROUNDING:
        text = words.STAYS if sees_the_same(state, both, found) else words.STAYS_EQUAL
        return [text.say(language, n=n, last=significant(last))]
    fields = {"one": significant(found.distances[1]), "cosine": significant(found.cosines[-1])}
    if n == 1:
        told = words.DIFFERENT_ONE.say(language, **fields)
    else:
        told = words.DIFFERENT.say(language, **fields, n=n, last=significant(last))
    return [told, *([words.CONTEXT.say(language)] if found.is_bare_equal else [])]


def sees_the_same(state: State, both: Sequence[DressedSentence], found: FollowedWord) -> bool:
    """Tell whether the word sees the same words in both sentences, at the same places where places count."""
    at = (found.first_place, found.second_place)
    seen = [
        one.tokens[: place + 1] if state["is_causal"] else one.tokens
        for one, place in zip(both, at, strict=True)
    ]
    return seen[0] == seen[1] or (state["positions"] == "none" and sorted(seen[0]) == sorted(seen[1]))


def question(state: State) -> str:
    """Ask what positions have to do with it."""
    text = words.QUESTION_PAST if state["positions"] == "none" else words.QUESTION
    return text.say(state.language, n=state["n_layers"])


def answer(state: State, found: FollowedWord) -> str:
    """Send both sentences through again, with the other positions."""
    language = state.language
    positions = "sinusoidal" if state["positions"] == "none" else "none"
    both = [own_stack(state, text, positions=positions) for text in ("text", "twice_text")]
    other = follow_word(*both, found.first_place, found.second_place)
    ends = {"bare": significant(other.distances[0]), "last": significant(other.distances[-1])}
    told = words.ANSWER.say(language, n=state["n_layers"], **ends)
    if positions == "none":
        why = words.ANSWER_DIFFERS if other.distances[-1] > ROUNDING else words.ANSWER_SAME
    else:
        why = words.ANSWER_AT_SAME if other.is_bare_equal else words.ANSWER_AT_OTHER
    return told + why.say(language)
