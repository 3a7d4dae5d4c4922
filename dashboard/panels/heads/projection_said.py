"""What is said of one projection against many: what differs, by how much, and why."""

from collections.abc import Mapping

from attention_core.components import DTypeName
from attention_core.experiments.one_projection import Comparison, Form, Orders
from dashboard.frame import asked_parts
from dashboard.grid.bench import Area, Part
from dashboard.number_format import significant
from dashboard.text import Language
from dashboard.text import head_projections as words

# Types that torch may add in float32.
NARROW = frozenset({"bfloat16", "float16"})


def say_projections(
    records: Mapping[Form, Comparison], orders: Mapping[DTypeName, Orders], language: Language
) -> list[str]:
    """Say what a fixed order gives, what matmul gives, what einsum's answer is worth, and why all should agree."""
    matmul = records["matmul"]
    n_heads, _, d_h = matmul.big.heads.shape
    said = [say_fixed(records["fixed_order"], language), say_matmul(matmul, orders, language)]
    if n_heads == 1 and not matmul.n_different:
        return [words.SAME_SUMS_ONE.say(language), said[0]]
    sizes = {"width": n_heads * d_h, "h": n_heads, "d_h": d_h}
    calls = {"small": matmul.small.n_products, "big": matmul.big.n_products}
    return [
        *said,
        say_einsum(records["einsum"], d_h, language),
        words.SAME_SUMS.say(language, **sizes),
        words.PRODUCTS.say(language, **calls),
    ]


def counts_of(record: Comparison) -> dict[str, object]:
    """Count the numbers that differ, and write how far."""
    return {
        "all": record.apart.numel(),
        "different": record.n_different,
        "difference": significant(record.difference),
    }


def say_fixed(record: Comparison, language: Language) -> str:
    """Say what adding in a fixed order gives."""
    return words.FIXED.say(language, **counts_of(record))


def say_matmul(record: Comparison, orders: Mapping[DTypeName, Orders], language: Language) -> str:
    """Say how far one product a head lies from the large one, in units of the last place; or that it does not."""
    if record.n_different:
        steps, bound = f"{record.difference / record.step:.3g}", significant(record.bound)
        return words.MATMUL.say(language, **counts_of(record), steps=steps, bound=bound)
    said = words.MATMUL_SAME.say(language)
    if record.dtype not in NARROW or not orders[record.dtype].is_rounded_once:
        return said
    between = "" if language == "zh" else " "
    return said + between + words.ROUNDED_ONCE.say(language, dtype=record.dtype)


def say_einsum(record: Comparison, d_h: int, language: Language) -> str:
    """Say what einsum's answer is worth, by the columns that it made at a time."""
    difference = significant(record.difference)
    if record.small.widths != record.big.widths:
        made = ", ".join(map(str, record.small.widths))
        return words.EINSUM_SMALL.say(language, difference=difference, made=made)
    (made,) = record.small.widths
    if record.n_different:
        return words.EINSUM_STILL.say(language, difference=difference, made=made)
    return words.EINSUM_ONE.say(language, made=made, d_h=d_h)


def question_parts(
    record: Comparison, orders: Mapping[DTypeName, Orders], language: Language
) -> dict[str, tuple[Area, Part]]:
    """Ask for parameters and for the order of adding; both are counted, the order in every type."""
    n_heads, n, d_h = record.big.heads.shape
    d_model = n_heads * d_h
    answer = words.ANSWER.say(
        language,
        d_model=d_model,
        width=d_model,
        h=n_heads,
        d_h=d_h,
        big=record.big.n_parameters,
        small=record.small.n_parameters,
        orders=say_orders(orders, n * d_model, d_model, language),
    )
    return asked_parts(words.QUESTION.say(language), answer, language)


def say_orders(found: Mapping[DTypeName, Orders], n_numbers: int, n_products: int, language: Language) -> str:
    """Say whether the order of adding matters in float16, and in the other types."""
    if not found["float16"].n_different:
        reason = words.TOO_SHORT if n_products <= 2 else words.BY_CHANCE
        return words.ORDER_DOES_NOT.say(language, all=n_numbers, reason=reason.say(language))
    each = words.BETWEEN.say(language).join(
        words.OF_TYPE.say(
            language, dtype=name, different=orders.n_different, difference=significant(orders.difference)
        )
        for name, orders in found.items()
    )
    return words.ORDER_MATTERS.say(language, all=n_numbers, each=each)
