"""What the measured errors say in sentences, and what they ask."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

from attention_core.experiments.approximation import SIZELESS, VANISHING, ErrorAt, ErrorLine
from dashboard.cached import errors_at
from dashboard.controls import State
from dashboard.frame import asked_and_measured
from dashboard.grid.bench import Area, Part
from dashboard.number_format import significant
from dashboard.panels.variants.error_model import Measured, own_size, plan_of
from dashboard.text import Language
from dashboard.text import variant_error as words

ASKED_SIZE = 16


def readings(state: State, found: Measured) -> list[str]:
    """Say where errors vanish, which fall and which cannot, where they are above 1, and what the own sentence has."""
    if not found.lines:
        return [words.NO_LINES.say(state.language)]
    language = state.language
    along = say_sizes(found, language) if found.axis == "size" else say_lengths(found, language)
    return [*along, say_above(found, language), say_own(state, found)]


def named(line: ErrorLine, language: Language) -> str:
    """Name a line."""
    return words.NAMES[line].say(language)


def listed(texts: Sequence[str], language: Language, join: Callable[..., str] = words.JOIN.say) -> str:
    """Put texts in a row."""
    return join(language).join(texts)


def valued(points: Sequence[ErrorAt], language: Language) -> str:
    """List lines with an error each."""
    return listed(
        [
            words.VALUE.say(language, line=named(at.line, language), error=significant(at.mean))
            for at in points
        ],
        language,
    )


def say_sizes(found: Measured, language: Language) -> list[str]:
    """Say what a larger size does to each kind of line."""
    last = {line: found.of(line)[-1] for line in found.lines}
    sized = [line for line in found.lines if line not in SIZELESS]
    said = []
    gone = [last[line] for line in sized if line in VANISHING]
    if gone:
        most = significant(max(at.highest for at in gone))
        lines = listed([named(at.line, language) for at in gone], language)
        said.append(words.VANISH.say(language, n=f"{found.plan.n:,}", lines=lines, most=most))
    if len(found.stops) > 1:
        said += say_slopes(found, sized, language)
    if "strided" in sized and found.stops[0] == 1:
        said.append(words.STRIDED.say(language))
    if "dilated" in sized and last["dilated"].mean > 0:
        said.append(words.DILATED.say(language, error=significant(last["dilated"].mean)))
    if "low_rank_drawn" in sized:
        said.append(words.DRAWN.say(language, error=significant(last["low_rank_drawn"].mean)))
    flat = [last[line] for line in found.lines if line in SIZELESS]
    if flat:
        said.append(words.FLAT.say(language, lines=valued(flat, language)))
    return said


def say_slopes(found: Measured, sized: Sequence[ErrorLine], language: Language) -> list[str]:
    """Name the lines whose mean falls from each stop to the next, and those where it does not."""

    def falls(line: ErrorLine) -> bool:
        means = [at.mean for at in found.of(line)]
        return all(after < before for before, after in pairwise(means))

    falling = [named(line, language) for line in sized if falls(line)]
    others = [named(line, language) for line in sized if not falls(line)]
    said = [words.FALL.say(language, lines=listed(falling, language))] if falling else []
    return said + ([words.FALL_NOT.say(language, lines=listed(others, language))] if others else [])


def say_lengths(found: Measured, language: Language) -> list[str]:
    """Say what more positions do to each line."""
    each = []
    for line in found.lines:
        first, *_, last = found.of(line)
        fields = {"start": significant(first.mean), "end": significant(last.mean)}
        each.append(words.FROM_TO.say(language, line=named(line, language), **fields))
    ends = {"first": f"{found.stops[0]:,}", "last": f"{found.stops[-1]:,}"}
    return [words.GROWS.say(language, lines=listed(each, language, words.SEMICOLON.say), **ends)]


def say_above(found: Measured, language: Language) -> str:
    """Name the lines that are above 1 somewhere, with the most that each reaches."""
    tops = [max(found.of(line), key=lambda at: at.mean) for line in found.lines]
    above = [at for at in tops if at.mean > 1]
    if not above:
        return words.NONE_ABOVE.say(language)
    return words.ABOVE_ONE.say(language, lines=valued(above, language))


def say_own(state: State, found: Measured) -> str:
    """Give the errors of the reader's own sentence at the present size."""
    return words.OWN_ERRORS.say(
        state.language,
        n=found.n_own,
        size=own_size(state, found.n_own),
        sharpness=f"{found.plan.sharpness:g}",
        lines=valued(found.own_now, state.language),
    )


def question_parts(state: State) -> dict[str, tuple[Area, Part]]:
    """Ask what a window is worth where nothing is near; the answer measures it, once the reader wants it."""
    question = words.QUESTION.say(state.language, n=f"{state['error_n']:,}")
    return asked_and_measured("error", question, lambda: say_window(state), state.language)


def say_window(state: State) -> str:
    """Give the window's error where nothing is near, and where as much is as the reader chose."""
    plan, language = plan_of(state), state.language
    far, near = (
        next(at for at in errors_at(one, ASKED_SIZE) if at.line == "window")
        for one in (replace(plan, nearness=0.0), plan)
    )
    text = words.ANSWER_MORE if far.mean > 1 else words.ANSWER_LESS
    return text.say(
        language,
        error=significant(far.mean),
        low=significant(far.lowest),
        high=significant(far.highest),
        nearness=f"{plan.nearness:g}",
        near=significant(near.mean),
    )
