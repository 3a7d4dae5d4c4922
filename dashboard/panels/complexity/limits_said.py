"""What the view of limits says: where N ends for one variant, what binds, a question."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from attention_core.cost import MOST_N, VARIANTS, Quantity, Setting, count
from dashboard.cached import longest_n
from dashboard.controls import State
from dashboard.grid.bench import Part
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.number_format import significant
from dashboard.panels.complexity.growth_said import named
from dashboard.text import Language
from dashboard.text import complexity as lesson_words
from dashboard.text import complexity_growth as growth_words
from dashboard.text import complexity_limits as words

Budgets = Mapping[Quantity, int]


def typed(value: float) -> str:
    """Write a number as a reader would type it, with separators.

    Example:
        >>> typed(80.0), typed(0.25), typed(1e6)
        ('80', '0.25', '1,000,000')
    """
    return f"{int(value):,}" if float(value).is_integer() else repr(float(value))


def told_n(n: int, language: Language) -> str:
    """Write a largest N."""
    return words.NO_BOUND.say(language) if n == MOST_N else f"{n:,}"


def picked_part(state: State, setting: Setting, budgets: Budgets) -> Part:
    """Show for one variant that N is within each budget and N + 1 is not."""
    language, name = state.language, state["variant"]
    title = words.PICKED.say(language, variant=lesson_words.VARIANTS[name].say(language))
    lines = [
        Line(prose(title), "heading"),
        Line(prose(lesson_words.MEANINGS[name].say(language)), "prose"),
        *(
            Line(prose(say_edge(name, quantity, setting, budgets[quantity], language)), "prose")
            for quantity in words.COLUMNS
        ),
        Line(prose(words.STAR.say(language)), "note"),
    ]
    return lines_part(title, lines)


def say_edge(name: str, quantity: Quantity, setting: Setting, budget: int, language: Language) -> str:
    """Say what the largest N takes and what one more would."""
    n = longest_n(name, quantity, setting, budget)
    fields = {"column": words.COLUMNS[quantity].say(language)}
    if n == MOST_N:
        return words.EDGE_ZERO.say(language, **fields, at=count(name, quantity, setting))
    beyond = count(name, quantity, replace(setting, n=n + 1))
    fields |= {
        "unit": growth_words.UNITS[quantity].say(language),
        "budget": f"{budget:,}",
        "beyond": f"{beyond:,}",
    }
    if n == 0:
        return words.EDGE_NONE.say(language, **fields)
    at = count(name, quantity, replace(setting, n=n))
    return words.EDGE.say(language, **fields, n=f"{n:,}", at=f"{at:,}", next=f"{n + 1:,}")


def readings(state: State, setting: Setting, budgets: Budgets) -> list[str]:
    """Compare what binds in memory and in time, and say what a cache holds."""
    language = state.language
    kept = {name: longest_n(name, "kept_bytes", setting, budgets["kept_bytes"]) for name in VARIANTS}
    timed = {name: longest_n(name, "flops", setting, budgets["flops"]) for name in VARIANTS}
    said = []
    if kept["full"]:
        said.append(say_memory(kept["full"], kept["fused"], language))
    if timed["full"]:
        fields = {name: f"{timed[name]:,}" for name in ("full", "fused", "window")}
        short = "" if timed["window"] > timed["full"] else words.WINDOW_SHORT.say(language)
        said.append(words.TIME_BINDS.say(language, **fields, w=f"{setting.width:,}") + short)
    sizes = {"sequences": setting.batch, "layers": setting.n_layers, "kv": setting.kv_heads}
    said.append(
        words.CACHE.say(
            language,
            token=f"{count('cached', 'kept_bytes', replace(setting, n=1)):,}",
            n=f"{kept['cached']:,}",
            **{name: f"{size:,}" for name, size in sizes.items()},
        )
    )
    return said + say_none(setting, budgets, language)


def say_memory(full: int, fused: int, language: Language) -> str:
    """Compare how far full and fused attention reach within the memory."""
    fields, times = {"full": f"{full:,}", "fused": f"{fused:,}"}, significant(Fraction(fused, full))
    if fused <= full or times == significant(1):
        return words.MEMORY_ALIKE.say(language, **fields)
    return words.MEMORY_BINDS.say(language, **fields, times=times)


def say_none(setting: Setting, budgets: Budgets, language: Language) -> list[str]:
    """Name the variants for which not one position is possible."""
    said = []
    for quantity, column in words.COLUMNS.items():
        names = [name for name in VARIANTS if not longest_n(name, quantity, setting, budgets[quantity])]
        if names:
            fields = {"column": column.say(language), "names": named(names, language)}
            said.append(words.NOTHING_FITS.say(language, **fields))
    return said


def question(state: State) -> str:
    """Ask what twice the machine is worth to the variant that is picked."""
    language = state.language
    return words.QUESTION.say(language, variant=lesson_words.VARIANTS[state["variant"]].say(language))


def answer(state: State, setting: Setting, budgets: Budgets) -> str:
    """Double each budget."""
    language, name = state.language, state["variant"]
    said = [say_doubled(name, quantity, setting, budgets[quantity], language) for quantity in words.COLUMNS]
    said.append(words.WHY.say(language, root=significant(2**0.5)))
    return ("" if language == "zh" else " ").join(said)


def say_doubled(name: str, quantity: Quantity, setting: Setting, budget: int, language: Language) -> str:
    """Say how much longer N can be within twice one budget."""
    before, after = (longest_n(name, quantity, setting, times * budget) for times in (1, 2))
    column = words.COLUMNS[quantity].say(language)
    if before == MOST_N:
        return words.ANSWER_UNBOUND.say(language, column=column)
    fields = {"column": column, "after": f"{after:,}"}
    if before == 0:
        return words.ANSWER_ZERO.say(language, **fields)
    times = significant(Fraction(after, before))
    return words.ANSWER.say(language, **fields, before=f"{before:,}", times=times)
