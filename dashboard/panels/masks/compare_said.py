"""What the comparison of masks says in sentences, and what it asks."""

from functools import partial

from attention_core.experiments.mask_columns import (
    PRESETS,
    Column,
    change_of_out,
    weigh_hidden,
)
from dashboard.controls import State
from dashboard.frame import asked_and_measured
from dashboard.grid.bench import Area, Part
from dashboard.number_format import significant
from dashboard.panels.masks.compare_model import MORE_FILLER, Compared, farthest, with_more_filler
from dashboard.text import Language
from dashboard.text import mask_compare as words

# No float64 output of this size changes less for any other reason.
ROUNDING = 1e-12


def readings(state: State, now: Compared, shown: list[Column]) -> list[str]:
    """Say what each mask hides, why that works, how far the columns lie apart, and what the role needs."""
    language: Language = state.language
    role = state["compare_role"]
    needed = words.KINDS[PRESETS[role]].say(language)
    mark = words.MARK.say(language) if PRESETS[role] in [column.kind for column in shown] else ""
    return [
        say_padding(now, language),
        say_causal(now, language),
        words.WHY.say(language),
        *say_filler_rows(now, PRESETS[role], language),
        *say_behind(now, language),
        *say_farthest(now, shown, language),
        words.NEEDS[role].say(language, kind=needed, mark=mark),
    ]


def say_padding(now: Compared, language: Language) -> str:
    """Say how much weight filler gets with and without the padding mask."""
    if not now.filler:
        return words.PADDING_NOTHING.say(language)
    hides = now.columns["padding"].allowed
    without = weigh_hidden(now.columns["none"], hides)
    return words.PADDING_SEE.say(
        language,
        filler=now.filler,
        queries=len(now.queries) - now.padded_queries,
        share=significant(without.mean),
        most=significant(without.largest),
        after=significant(weigh_hidden(now.columns["padding"], hides).mean),
    )


def say_causal(now: Compared, language: Language) -> str:
    """Say what the causal mask hides and that rows still sum to 1; why it is not offered, where it is not."""
    column = now.columns.get("causal")
    if column is None:
        return words.CAUSAL_ABSENT.say(language, queries=len(now.queries), keys=len(now.keys))
    if len(now.keys) == 1:
        return words.CAUSAL_ONE.say(language)
    sums = column.row_sums[~column.sees_nothing]
    later = words.LATER_AND_FILLER if now.filler else words.LATER
    return words.CAUSAL_SEE.say(
        language,
        hidden=column.allowed.numel() - column.n_pairs,
        n=len(now.keys),
        pairs=column.n_pairs,
        later=later.say(language),
        share=significant(weigh_hidden(now.columns["none"], column.allowed).mean),
        above=significant(float(column.weights[~column.allowed].max())),
        off=significant(float((sums - 1).abs().max())),
    )


def say_filler_rows(now: Compared, kind: str, language: Language) -> list[str]:
    """Say that a mask on keys leaves the rows of filler as they are."""
    if not now.padded_queries:
        return []
    column = now.columns[kind]
    return [
        words.FILLER_ROWS.say(
            language,
            filler=now.padded_queries,
            kind=words.KINDS[kind].say(language),
            sum=significant(float(column.row_sums[column.is_padded].max())),
        )
    ]


def say_behind(now: Compared, language: Language) -> list[str]:
    """Say that a causal mask hides filler at the end already."""
    if not now.filler or "causal" not in now.columns:
        return []
    found = now.apart("causal", "causal_padding")
    return [words.BEHIND.say(language, out=significant(found.largest_out), pairs=found.n_pairs)]


def say_farthest(now: Compared, shown: list[Column], language: Language) -> list[str]:
    """Name the columns that lie farthest apart, where two are shown."""
    found = farthest(now, shown)
    if not found:
        return []
    if found[0].largest_weight == 0:
        return [words.ALL_EQUAL.say(language)]
    pairs = [
        words.APART.say(
            language, first=words.KINDS[one.first].say(language), second=words.KINDS[one.second].say(language)
        )
        for one in found
    ]
    return [
        words.LARGEST.say(
            language,
            pairs=words.BETWEEN_PAIRS.say(language).join(pairs),
            weight=significant(found[0].largest_weight),
            out=significant(max(one.largest_out for one in found)),
        )
    ]


def question_parts(state: State, now: Compared) -> dict[str, tuple[Area, Part]]:
    """Ask what more filler changes; the answer attends again with more of it, once the reader wants it."""
    question = words.QUESTION_CROSS if state["compare_role"] == "cross" else words.QUESTION
    asked = question.say(state.language, more=MORE_FILLER, place=now.place + 1)
    return asked_and_measured("compare", asked, partial(say_change, state, now), state.language)


def say_change(state: State, now: Compared) -> str:
    """Say what more filler changes in each column."""
    language: Language = state.language
    then = with_more_filler(state, now)
    found = {kind: change_of_out(column, then.columns[kind]) for kind, column in now.columns.items()}
    changes = [
        words.CHANGE.say(language, kind=words.KINDS[kind].say(language), change=significant(change))
        for kind, change in found.items()
    ]
    answer = words.ANSWER.say(
        language,
        before=now.filler,
        after=then.filler,
        changes=words.JOIN.say(language).join(changes),
    )
    has_rounding = any(0 < change < ROUNDING for change in found.values())
    return words.WITH_ROUNDING.say(language, answer=answer) if has_rounding else answer
