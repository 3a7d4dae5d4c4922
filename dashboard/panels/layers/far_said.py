"""What a replaced word changes, in sentences: what the mask foretold, and what was measured."""

from functools import lru_cache

from torch import Tensor

from attention_core.experiments.changed_word import ChangedWord, change_word
from attention_core.layers import Design
from attention_core.mask_facts import layers_until
from attention_core.masks import causal, full, window
from attention_core.single_head import Positions
from dashboard.controls import State
from dashboard.grid.lines import word
from dashboard.number_format import significant
from dashboard.panels.layers.model import design_of, provenance, tokens_of
from dashboard.panels.layers.replacement import one_token
from dashboard.text import layers_far as words


def mask_of(n: int, width: int | None, *, is_causal: bool) -> Tensor:
    """Build the mask of the view; no width lets every token see all, or all before it."""
    if width is not None:
        return window(n, n, width, is_causal=is_causal)
    return causal(n) if is_causal else full(n)


def width_of(state: State) -> int | None:
    """Give the width of the window; None where there is none."""
    return state["far_width"] if state["far_has_window"] else None


def changed_word(state: State) -> ChangedWord:
    """Replace the word with the settings of the page."""
    return _changed(
        tokens_of(state["text"]),
        state["far_changed"] - 1,
        one_token(state["far_word"]),
        design_of(state),
        state["seed"],
        state["positions"],
        width_of(state),
        is_causal=state["is_causal"],
    )


@lru_cache(maxsize=64)
def _changed(
    tokens: tuple[str, ...],
    changed: int,
    replacement: str,
    design: Design,
    seed: int,
    positions: Positions,
    width: int | None,
    *,
    is_causal: bool,
) -> ChangedWord:
    allowed = mask_of(len(tokens), width, is_causal=is_causal)
    return change_word(tokens, changed, replacement, design, seed=seed, positions=positions, allowed=allowed)


def named(state: State, place: int) -> str:
    """Name a token by place and word, marked as the reader's own."""
    return word(f"{place + 1} {tokens_of(state['text'])[place]}")


def note(state: State) -> str:
    """Say what was measured, and the mask."""
    mask = words.MASKS[state["far_has_window"], state["is_causal"]]
    said = mask.say(state.language, width=state["far_width"])
    return words.NOTE.say(state.language, note=provenance(state), mask=said)


def readings(state: State, found: ChangedWord) -> list[str]:
    """Say when the watched token notices, how many never do, and the rule that foretells it."""
    language, total = state.language, len(found.first_depths)
    unseen = sum(depth is None for depth in found.first_depths)
    pairs = zip(found.first_depths, found.predicted, strict=True)
    apart = sum(one != other for one, other in pairs)
    n = state["n_layers"]
    some = words.SOME_UNSEEN.say(language, unseen=unseen, total=total, n=n)
    whether = (
        words.AGREES.say(language, total=total)
        if found.agrees
        else words.DISAGREES.say(language, apart=apart)
    )
    return [
        say_watched(state, found),
        some if unseen else words.ALL_SEEN.say(language, n=n),
        whether,
        *say_rule(state, found),
    ]


def say_watched(state: State, found: ChangedWord) -> str:
    """Say when the watched token notices, and by how much it moves."""
    language, place, n = state.language, state["far_token"] - 1, state["n_layers"]
    first, changes = found.first_depths[place], found.changes[:, place].tolist()
    token = named(state, place)
    if place == found.changed:
        return words.IS_CHANGED.say(language, token=token, change=significant(changes[0]))
    if first is None:
        return words.UNNOTICED.say(language, token=token, n=n)
    fields = {"change": significant(changes[first]), "last": significant(changes[-1])}
    return words.NOTICED.say(language, token=token, first=first, n=n, **fields)


def say_rule(state: State, found: ChangedWord) -> list[str]:
    """Say how far one layer carries, and whom a causal mask leaves out."""
    language, width, n = state.language, width_of(state), state["n_layers"]
    if width is None:
        rule = words.RULE_ALL.say(language)
    elif width == 1:
        rule = words.RULE_ITSELF.say(language)
    elif width == 2:
        rule = words.RULE_NEXT.say(language, n=n)
    else:
        step = width - 1
        rule = words.RULE_WINDOW.say(language, step=step, width=width, n=n, reach=step * n)
    is_behind = state["is_causal"] and found.changed > 0
    return [rule, *([words.BACKWARD.say(language, n=found.changed)] if is_behind else [])]


def farthest(state: State) -> int:
    """Give the place farthest from the replaced word, the later of two."""
    n, changed = len(tokens_of(state["text"])), state["far_changed"] - 1
    return max(range(n), key=lambda place: (abs(place - changed), place))


def question(state: State) -> str:
    """Ask how many layers it takes to the farthest token."""
    if len(tokens_of(state["text"])) == 1:
        return words.QUESTION_ONE.say(state.language)
    return words.QUESTION.say(state.language, place=farthest(state) + 1)


def answer(state: State) -> str:
    """Count the layers by the mask."""
    language, n = state.language, len(tokens_of(state["text"]))
    if n == 1:
        return words.ANSWER_ONE.say(language)
    allowed = mask_of(n, width_of(state), is_causal=state["is_causal"])
    needed = layers_until(
        allowed, farthest(state), state["far_changed"] - 1, has_residual=state["has_residual"]
    )
    if needed is None:
        return words.ANSWER_NEVER.say(language)
    return words.ANSWER.say(language, layers=needed, n=state["n_layers"])
