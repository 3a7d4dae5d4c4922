"""How costs grow along one size: where a line is drawn, its value and slope there, which lines are parallel."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal

from attention_core.cost import (
    QUANTITIES,
    VARIANTS,
    Axis,
    Factor,
    Quantity,
    Setting,
    Term,
    count,
    intensity,
    split_flops,
)
from attention_core.sizes import MAX_BATCH, MAX_HEADS, MAX_WIDTH

Measure = Quantity | Literal["intensity"]
MEASURES: tuple[Measure, ...] = (*QUANTITIES, "intensity")
# Of axes that double from their least value on. N does so too, and ends at a round number.
LEAST_N, MOST_DRAWN_N = 16, 10**6
MOST_LAYERS = 1024
# So many times the present size, only the fastest-growing term is left, whatever the other sizes are.
FAR = 2**100
# What other terms still add to a slope there is less than this many digits show.
FAR_DIGITS = 4
# Symbols that a sum is written as a product with, where all its terms have them.
OUTSIDE = ("layers", "B", "e")
# Sizes of whole budgets.
GIB, TERA = 2**30, 10**12


def evaluate(variant: str, measure: Measure, setting: Setting) -> int | Fraction:
    """Give a quantity, or FLOPs over bytes moved, exactly.

    Example:
        >>> evaluate("full", "parameters", Setting(n=1, d_model=64, n_heads=1))
        16384
        >>> evaluate("cached", "intensity", Setting(n=1, d_model=1, n_heads=1, element_bytes=1))
        Fraction(3, 5)
    """
    return intensity(variant, setting) if measure == "intensity" else count(variant, measure, setting)


def list_stops(setting: Setting, axis: Axis) -> tuple[int, ...]:
    """List legal sizes along an axis, the present one among them.

    Example:
        >>> setting = Setting(n=24, d_model=48, n_heads=4, n_kv_heads=2)
        >>> list_stops(setting, "n")[:4], list_stops(setting, "n")[-2:]
        ((16, 24, 32, 64), (524288, 1000000))
        >>> list_stops(setting, "n_heads")
        (2, 4, 6, 8, 12, 16, 24, 48)
    """
    if axis == "n_heads":
        step = setting.n_kv_heads or 1
        heads = range(step, min(setting.d_model, MAX_HEADS) + 1, step)
        found = {h for h in heads if setting.d_model % h == 0}
    elif axis == "n":
        found = {*_doubled(LEAST_N, MOST_DRAWN_N), MOST_DRAWN_N}
    else:
        least = setting.n_heads if axis == "d_model" else 1
        found = {*_doubled(least, {"d_model": MAX_WIDTH, "batch": MAX_BATCH, "n_layers": MOST_LAYERS}[axis])}
    return tuple(sorted(found | {getattr(setting, axis)}))


def _doubled(least: int, most: int) -> list[int]:
    return [least << power for power in range(64) if least << power <= most]


def trace_line(
    variant: str, measure: Measure, setting: Setting, axis: Axis, stops: Sequence[int]
) -> tuple[int | Fraction, ...]:
    """Give the exact value at each size along an axis.

    Example:
        >>> trace_line("full", "score_bytes", Setting(n=1, d_model=4, n_heads=1, element_bytes=1), "n", (1, 2, 4))
        (3, 12, 48)
    """
    return tuple(evaluate(variant, measure, replace(setting, **{axis: stop})) for stop in stops)


def times_doubled(
    variant: str, measure: Measure, setting: Setting, axis: Axis, *, from_far: bool = False
) -> Fraction | None:
    """Say how many times the value it is after this size doubles.

    Args:
        from_far: Begin at FAR times the present size, where the fastest-growing term alone is left.

    Returns:
        None where twice the size is not legal: as many heads do not divide d_model. 1 where the value is 0 at both.

    Example:
        >>> setting = Setting(n=1024, d_model=512, n_heads=8)
        >>> times_doubled("full", "flops", setting, "n")
        Fraction(3, 1)
        >>> times_doubled("full", "flops", setting, "n_heads", from_far=True) is None
        True
    """
    size = getattr(setting, axis) * (FAR if from_far else 1)
    if axis == "n_heads" and setting.d_model % (2 * size):
        return None
    before, after = trace_line(variant, measure, setting, axis, (size, 2 * size))
    return Fraction(after) / before if before else Fraction(1)


def slope(
    variant: str, measure: Measure, setting: Setting, axis: Axis, *, from_far: bool = False
) -> float | None:
    """Say how steep a line is between this size and twice it, both axes logarithmic; None as `times_doubled`.

    Args:
        from_far: As `times_doubled`; rounded to FAR_DIGITS.

    Example:
        >>> setting = Setting(n=1024, d_model=512, n_heads=8)
        >>> [round(slope("full", "flops", setting, "n", from_far=far), 3) for far in (False, True)]
        [1.585, 2.0]
    """
    times = times_doubled(variant, measure, setting, axis, from_far=from_far)
    if times is None:
        return None
    steep = math.log2(times)
    return round(steep, FAR_DIGITS) + 0.0 if from_far else steep  # + 0.0: no zero with a minus


def group_parallel(measure: Measure, setting: Setting, axis: Axis) -> dict[float, tuple[str, ...]]:
    """Put variants together whose lines are parallel far out, the steepest first; none where no size is far out.

    Example:
        >>> groups = group_parallel("score_bytes", Setting(n=1024, d_model=512, n_heads=8), "n")
        >>> list(groups), groups[2.0], groups[0.0]
        ([2.0, 1.0, 0.0], ('full', 'causal', 'causal_useful'), ('fused', 'linear'))
    """
    groups: dict[float, tuple[str, ...]] = {}
    for name in VARIANTS:
        steep = slope(name, measure, setting, axis, from_far=True)
        if steep is not None:
            groups[steep] = (*groups.get(steep, ()), name)
    return dict(sorted(groups.items(), reverse=True))


def count_pairs(variant: str, setting: Setting) -> int | None:
    """Count the scores that one head of one sequence computes; None where it computes none.

    Example:
        >>> [count_pairs("full", Setting(n=n, d_model=1, n_heads=1)) for n in (1000, 100_000)]
        [1000000, 10000000000]
        >>> [count_pairs(name, Setting(n=1024, d_model=1, n_heads=1)) for name in ("causal_useful", "linear")]
        [524800, None]
    """
    computed = VARIANTS[variant].computed
    return None if computed is None else computed(setting).value


def count_scores(variant: str, setting: Setting) -> int | None:
    """Count the scores of all heads, sequences and layers; None where a variant computes none.

    Example:
        >>> count_scores("full", Setting(n=1000, d_model=512, n_heads=8, batch=2))
        16000000
    """
    pairs = count_pairs(variant, setting)
    return None if pairs is None else pairs * setting.batch * setting.n_heads * setting.n_layers


def list_letters(variant: str, setting: Setting) -> dict[str, int]:
    """Give the sizes that stand inside a variant's count of pairs, by their letters.

    Example:
        >>> setting = Setting(n=100, d_model=1, n_heads=1, width=128)
        >>> list_letters("window", setting), list_letters("dilated", setting), list_letters("full", setting)
        ({'w': 100}, {'w': 100, 's': 4}, {})
    """
    letters = {
        "window": {"w": min(setting.width, setting.n)},
        "block": {"b": setting.block},
        "dilated": {"w": min(setting.width, setting.n), "s": setting.dilation},
    }
    return letters.get(variant, {})


def share_of_pairs(variant: str, setting: Setting) -> Fraction | None:
    """Divide the scores that a variant computes by those of full attention.

    Example:
        >>> share_of_pairs("causal_useful", Setting(n=3, d_model=1, n_heads=1))
        Fraction(2, 3)
    """
    pairs = count_pairs(variant, setting)
    return None if pairs is None else Fraction(pairs, setting.n**2)


def compare_products(setting: Setting) -> Fraction:
    """Divide the FLOPs of full attention's two products by those of its four projections.

    Example:
        >>> compare_products(Setting(n=4096, d_model=512, n_heads=8))
        Fraction(4, 1)
    """
    projections, products = split_flops(setting)
    return Fraction(products, projections)


def collect_terms(terms: Sequence[Term], setting: Setting) -> tuple[Term, ...]:
    """Put terms together that differ by a number alone, h·d_k written as d_model.

    Returns:
        Terms whose values have the same sum; the name of one joins those of the terms that it replaces.

    Example:
        >>> from attention_core.cost import list_terms
        >>> setting = Setting(n=1024, d_model=512, n_heads=8)
        >>> [term.formula for term in collect_terms(list_terms("full", "flops", setting), setting)]
        ['8·B·N·d_model²·layers', '4·B·N²·d_model·layers']
    """
    collected: dict[tuple[Factor, ...], tuple[int, list[str]]] = {}
    for term in terms:
        number = math.prod(factor.value for factor in term.factors if factor.symbol.isdecimal())
        letters = _sorted_letters([f for f in term.factors if not f.symbol.isdecimal()], setting)
        before, names = collected.get(letters, (0, []))
        collected[letters] = (before + number, [*names, term.name])
    return tuple(
        Term(" + ".join(names), (*((Factor(str(number), number),) if number > 1 else ()), *letters))
        for letters, (number, names) in collected.items()
    )


def _sorted_letters(factors: Sequence[Factor], setting: Setting) -> tuple[Factor, ...]:
    """Write a product of letters in one way: shared names where sizes are shared, powers as powers."""
    known = {factor.symbol: factor.value for factor in factors}
    same = {"d_v": "d_k"} if setting.d_v is None else {}
    same |= {"h_kv": "h"} if setting.n_kv_heads is None else {}
    times = Counter(same.get(factor.symbol, factor.symbol) for factor in factors)
    values = known | {same[symbol]: value for symbol, value in known.items() if symbol in same}
    pairs = min(times["h"], times["d_k"])
    times.subtract({"h": pairs, "d_k": pairs})
    times["d_model"] += pairs
    values["d_model"] = setting.d_model
    order = ("B", "h", "h_kv", "N", "N²", "d_model", "d_k", "r")
    symbols = sorted(+times, key=lambda symbol: (symbol in {"e", "layers"}, _place(symbol, order)))
    return tuple(_power(symbol, values[symbol], times[symbol]) for symbol in symbols)


def _place(symbol: str, order: Sequence[str]) -> tuple[int, str]:
    """Sort by an order; what is not in it is a count of pairs and stands where N² does."""
    if symbol in {"e", "layers"}:
        return 0, symbol
    return (order.index(symbol), symbol) if symbol in order else (order.index("N²"), symbol)


def _power(symbol: str, value: int, times: int) -> Factor:
    written = f"({symbol})" if "·" in symbol and not symbol.startswith("(") else symbol
    return Factor(written + {1: "", 2: "²", 3: "³"}[times], value**times)


def write_sum(terms: Sequence[Term]) -> str:
    """Write terms as a sum, what all of them have of OUTSIDE before it.

    Example:
        >>> from attention_core.cost import list_terms
        >>> setting = Setting(n=1024, d_model=512, n_heads=8)
        >>> write_sum(collect_terms(list_terms("full", "flops", setting), setting))
        'layers·B·(8·N·d_model² + 4·N²·d_model)'
        >>> write_sum(())
        '0'
    """
    if not terms:
        return "0"
    common = [symbol for symbol in OUTSIDE if all(symbol in _symbols(term) for term in terms)]
    inner = [[symbol for symbol in _symbols(term) if symbol not in common] for term in terms]
    if len(inner) == 1:
        numbers = [symbol for symbol in inner[0] if symbol.isdecimal()]
        return "·".join([*numbers, *common, *inner[0][len(numbers) :]])
    joined = " + ".join("·".join(symbols) or "1" for symbols in inner)
    return "·".join([*common, f"({joined})"]) if common else joined


def _symbols(term: Term) -> list[str]:
    return [factor.symbol for factor in term.factors]


def in_whole(amount: float, unit: int) -> int:
    """Turn a number of units as it was typed into a whole number, rounded down.

    Example:
        >>> in_whole(0.1, 10), in_whole(0.3, GIB), in_whole(1.5, TERA)
        (1, 322122547, 1500000000000)
    """
    return math.floor(Fraction(repr(amount)) * unit)
