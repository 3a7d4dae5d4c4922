"""What the growth view says: the formula of one variant, what the lines show, a question."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from attention_core.cost import QUANTITIES, VARIANTS, Quantity, Setting, Term, crossing, list_terms
from attention_core.cost_lines import (
    collect_terms,
    compare_products,
    count_pairs,
    count_scores,
    evaluate,
    list_letters,
    share_of_pairs,
    slope,
    times_doubled,
    write_sum,
)
from dashboard.cached import costs_along, parallel_lines
from dashboard.controls import State
from dashboard.grid.bench import Part
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.number_format import BINARY, DECIMAL, MINUS, in_units, significant
from dashboard.text import Language
from dashboard.text import complexity as lesson_words
from dashboard.text import complexity_growth as words

# The two lengths of the claim.
FEW, MANY = 1000, 100_000
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def whole(value: int | Fraction) -> str:
    """Write a count with separators, and a ratio of counts to four digits.

    Example:
        >>> whole(33554432), whole(Fraction(1, 3)), whole(Fraction(6, 3))
        ('33,554,432', '0.3333', '2.000')
    """
    return f"{value:,}" if isinstance(value, int) else significant(float(value), 4)


def in_full(value: int | Fraction) -> str:
    """Write a count or a ratio of counts exactly, without separators."""
    return str(value)


def short(value: int | Fraction) -> str:
    """Write a number that may be whole.

    Example:
        >>> short(Fraction(1024)), short(Fraction(2048, 3))
        ('1,024', '682.7')
    """
    exact = Fraction(value)
    return f"{exact.numerator:,}" if exact.denominator == 1 else f"{float(exact):,.1f}"


def power_of_ten(value: int) -> str:
    """Write a count; where it is a power of ten, as one too.

    Example:
        >>> power_of_ten(1_000_000), power_of_ten(4096)
        ('1,000,000 = 10⁶', '4,096')
    """
    digits = str(value)
    is_power = digits.rstrip("0") == "1" and value > 1
    return f"{value:,}" + (f" = 10{str(len(digits) - 1).translate(RAISED)}" if is_power else "")


def readable(value: int | Fraction, measure: str) -> str:
    """Write a count in a unit that a reader can take in; nothing where it is small."""
    if isinstance(value, Fraction):
        return ""
    if measure.endswith("_bytes"):
        return in_units(value, BINARY)
    said = in_units(value, DECIMAL)
    return said and said + {"flops": "FLOPs"}.get(measure, "")


def named(variants: Sequence[str], language: Language) -> str:
    """List variants by their names."""
    return lesson_words.BETWEEN.say(language).join(
        lesson_words.VARIANTS[name].say(language) for name in variants
    )


def picked_part(state: State, setting: Setting) -> Part:
    """Write out the formula of one variant: every term with its factors, every factor with its meaning."""
    language, name, measure = state.language, state["variant"], state["measure"]
    title = words.PICKED.say(
        language,
        variant=lesson_words.VARIANTS[name].say(language),
        measure=words.MEASURES[measure].say(language),
        value=whole(evaluate(name, measure, setting)),
        unit=words.UNITS[measure].say(language),
    )
    lines = [
        Line(prose(title), "heading"),
        Line(prose(lesson_words.MEANINGS[name].say(language)), "prose"),
        *formula_lines(name, measure, setting, language),
    ]
    return lines_part(title, lines, has_own_row=True)


def formula_lines(name: str, measure: str, setting: Setting, language: Language) -> list[Line]:
    """Write the formula, its terms, and what the letters and numbers in it are."""
    if measure not in QUANTITIES:
        flops, moved = (evaluate(name, quantity, setting) for quantity in ("flops", "moved_bytes"))
        value = whole(evaluate(name, "intensity", setting))
        said = words.QUOTIENT.say(language, flops=f"{flops:,}", moved=f"{moved:,}", value=value)
        return [Line(prose(said), "prose")]
    terms = list_terms(name, measure, setting)
    if not terms:
        return [Line(prose(words.NOTHING_COUNTED.say(language)), "prose")]
    formula = write_sum(collect_terms(terms, setting))
    factors = say_factors(terms, measure, list_letters(name, setting), language)
    return [
        Line(prose(words.IN_FULL.say(language, formula=formula)), "prose"),
        *(term_line(term, language) for term in terms),
        Line(prose(words.FACTORS.say(language, factors=factors)), "prose"),
    ]


def term_line(term: Term, language: Language) -> Line:
    """Write one term in letters, in numbers and as a value."""
    said = words.TERM.say(
        language,
        name=words.TERMS[term.name].say(language),
        formula=term.formula,
        numbers=" · ".join(f"{factor.value:,}" for factor in term.factors),
        value=f"{term.value:,}",
    )
    return Line(prose(said), "prose")


def say_factors(
    terms: Sequence[Term], measure: Quantity, letters: Mapping[str, int], language: Language
) -> str:
    """Name every factor that stands in some term, once, and the letters inside of a count of pairs."""
    values = {factor.symbol: factor.value for term in terms for factor in term.factors}
    said = []
    for symbol, value in values.items():
        if symbol.isdecimal():
            meaning = words.MEANING_OF_NUMBER[measure, symbol].say(language)
            said.append(words.NUMBER.say(language, number=symbol, meaning=meaning))
        else:
            meaning = words.MEANING_OF_FACTOR.get(symbol, words.PAIRS_MEANING).say(language)
            said.append(words.FACTOR.say(language, symbol=symbol, value=f"{value:,}", meaning=meaning))
            if symbol not in words.MEANING_OF_FACTOR:
                said += say_letters(symbol, letters, language)
    return lesson_words.JOIN.say(language).join(said)


def say_letters(symbol: str, letters: Mapping[str, int], language: Language) -> list[str]:
    """Name the letters inside of a count of pairs that stand nowhere else."""
    said = [
        words.FACTOR.say(
            language, symbol=letter, value=f"{value:,}", meaning=words.LETTERS[letter].say(language)
        )
        for letter, value in letters.items()
    ]
    if "⌊n/" in symbol:
        said.append(words.LETTER.say(language, symbol="n", meaning=words.LETTERS["n"].say(language)))
    return said


def readings(state: State, setting: Setting) -> list[str]:
    """Say what the claim counts, where the lines cross, which are parallel, and what does not change a slope."""
    language = state.language
    return [
        say_scores(setting, language),
        say_crossing(setting, language),
        say_parallel(state, setting),
        say_fixed(setting, language),
        say_chunks(setting, language),
        *say_drawn(state, setting),
    ]


def say_scores(setting: Setting, language: Language) -> str:
    """Count the scores of a short and of a long text, in one head and in all."""
    few, many = replace(setting, n=FEW), replace(setting, n=MANY)
    pairs = [count_pairs("full", one) for one in (few, many)]
    scores = [count_scores("full", one) for one in (few, many)]
    return words.SCORES.say(
        language,
        few=f"{FEW:,}",
        many=f"{MANY:,}",
        few_pairs=power_of_ten(pairs[0]),
        many_pairs=power_of_ten(pairs[1]),
        longer=short(Fraction(MANY, FEW)),
        times=short(Fraction(pairs[1], pairs[0])),
        sequences=f"{setting.batch:,}",
        heads=f"{setting.n_heads:,}",
        layers=f"{setting.n_layers:,}",
        few_all=f"{scores[0]:,}",
        many_all=f"{scores[1]:,}",
    )


def say_crossing(setting: Setting, language: Language) -> str:
    """Say at which N the products take as many FLOPs as the projections, and how it is at present."""
    at, twice = crossing(setting), 2 * setting.d_model
    fields = {"crossing": short(at), "n": f"{setting.n:,}", "ratio": significant(compare_products(setting))}
    if at == twice:
        return words.CROSSING.say(language, **fields)
    return words.CROSSING_SHARED.say(language, **fields, kv=setting.kv_heads, twice=f"{twice:,}")


def say_parallel(state: State, setting: Setting) -> str:
    """Put together the variants whose lines are parallel far out."""
    language, axis = state.language, state["axis"]
    groups = parallel_lines(state["measure"], setting, axis)
    if not groups:
        return words.HEADS_ALIKE.say(language)
    said = [
        words.ONE_GROUP.say(language, slope=significant(steep), names=named(names, language))
        for steep, names in groups.items()
    ]
    sign = words.SIGNS[axis].say(language)
    return words.PARALLEL.say(language, sign=sign, groups=lesson_words.JOIN.say(language).join(said))


def say_fixed(setting: Setting, language: Language) -> str:
    """Compare a fixed share of the pairs with a fixed number of keys, by their FLOPs where N is large."""
    useful, window = (
        slope(name, "flops", setting, "n", from_far=True) for name in ("causal_useful", "window")
    )
    return words.FIXED.say(
        language,
        full=f"{count_pairs('full', setting):,}",
        useful=f"{count_pairs('causal_useful', setting):,}",
        share=significant(share_of_pairs("causal_useful", setting)),
        useful_slope=significant(useful),
        w=f"{setting.width:,}",
        window_slope=significant(window),
    )


def say_chunks(setting: Setting, language: Language) -> str:
    """Compare fused attention with the same done step by step."""
    fields = {
        f"{name}_{sign}": f"{evaluate(name, quantity, setting):,}"
        for name in ("full", "fused")
        for sign, quantity in (
            ("flops", "flops"),
            ("scores", "score_bytes"),
            ("kept", "kept_bytes"),
            ("moved", "moved_bytes"),
        )
    }
    full, fused = (evaluate(name, "kept_bytes", setting) for name in ("full", "fused"))
    said = words.CHUNKS.say(language, **fields)
    return said if fused < full else said + words.CHUNKS_SHORT.say(language)


def say_drawn(state: State, setting: Setting) -> list[str]:
    """Say which of the chosen lines lie on one another, and which have no place on the axis."""
    language, same = state.language, {}
    for name in VARIANTS:
        if name in state["lines"]:
            costs = costs_along(name, state["measure"], setting, state["axis"])
            same.setdefault(costs, []).append(name)
    hidden = [name for costs, names in same.items() if not any(costs) for name in names]
    groups = [names for costs, names in same.items() if any(costs) and len(names) > 1]
    join = lesson_words.JOIN.say(language)
    said = [] if same else [words.NO_LINES_SAID.say(language)]
    if groups:
        listed = join.join(named(names, language) for names in groups)
        said.append(words.ON_ONE_ANOTHER.say(language, names=listed))
    if hidden:
        said.append(words.NO_PLACE_FOR_ZERO.say(language, names=named(hidden, language)))
    return said


def question(state: State, setting: Setting) -> str:
    """Ask what doubling the size does to the variant that is picked."""
    language, size = state.language, getattr(setting, state["axis"])
    text = words.QUESTION_ONCE if state["axis"] == "n_heads" else words.QUESTION
    return text.say(
        language,
        sign=words.SIGNS[state["axis"]].say(language),
        size=f"{size:,}",
        twice=f"{2 * size:,}",
        variant=lesson_words.VARIANTS[state["variant"]].say(language),
        measure=words.MEASURES[state["measure"]].say(language),
    )


def answer(state: State, setting: Setting) -> str:
    """Double it, here and far out."""
    language, name, measure, axis = state.language, state["variant"], state["measure"], state["axis"]
    size = getattr(setting, axis)
    times = times_doubled(name, measure, setting, axis)
    if times is None:
        return words.ANSWER_NO_DOUBLE.say(language, twice=f"{2 * size:,}", d_model=f"{setting.d_model:,}")
    before = evaluate(name, measure, setting)
    if not before:
        return words.ANSWER_ZERO.say(language)
    unit, far = words.UNITS[measure].say(language), slope(name, measure, setting, axis, from_far=True)
    if times == 1 and not far:
        return words.ANSWER_SAME.say(language, value=whole(before), unit=unit)
    steep = slope(name, measure, setting, axis)
    said = words.ANSWER.say(
        language,
        before=whole(before),
        after=whole(evaluate(name, measure, replace(setting, **{axis: 2 * size}))),
        unit=unit,
        times=told_times(times, steep),
        slope=significant(steep),
    )
    last = say_far(far, language)
    return f"{said}{'' if language == 'zh' or not last else ' '}{last}"


def told_times(times: Fraction, steep: float) -> str:
    """Write a factor in as many digits as it takes to work out its exponent from what is written.

    Example:
        >>> told_times(Fraction(3), math.log2(3)), told_times(Fraction(1011, 1000), math.log2(1.011))
        ('3.00', '1.011')
    """
    written = (significant(times, digits) for digits in range(3, 16))
    wanted = significant(steep)
    return next(
        (one for one in written if significant(math.log2(as_float(one))) == wanted), significant(times)
    )


def as_float(written: str) -> float:
    """Read what `significant` wrote."""
    return float(written.replace(MINUS, "-"))


def say_far(steep: float | None, language: Language) -> str:
    """Say what one doubling after the other comes to; nothing where no size is far out."""
    if steep is None:
        return ""
    if not steep:
        return words.ANSWER_SETTLES.say(language)
    return words.ANSWER_FAR.say(language, times=significant(2**steep), slope=significant(steep))
