"""The sizes of a multi-head attention: which are legal, which rule the others break, and what is legal nearby."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, get_args

DType = Literal["float64", "float32", "bfloat16", "float16"]
DTYPE_NAMES: tuple[DType, ...] = get_args(DType)
SizeName = Literal["batch", "n", "d_model", "n_heads", "n_kv_heads"]
Rule = Literal["at_least_one", "at_most", "heads_divide_width", "kv_heads_divide_heads"]

# The scores of the largest legal sizes have 2⁵⁸ elements: even in float64 their bytes still fit in 63 bits.
MAX_BATCH = 256
MAX_N = 2**20
MAX_WIDTH = 2**16
MAX_HEADS = 1024
MAX_SIZES: dict[SizeName, int] = {
    "batch": MAX_BATCH,
    "n": MAX_N,
    "d_model": MAX_WIDTH,
    "n_heads": MAX_HEADS,
    "n_kv_heads": MAX_HEADS,
}
# The row of the ledger that is the first to need each size.
_FIRST_ROWS: dict[SizeName, str] = {
    "batch": "x",
    "n": "x",
    "d_model": "x",
    "n_heads": "q_cut",
    "n_kv_heads": "k_cut",
}


@dataclass(frozen=True)
class Sizes:
    """What a self-attention with several heads is asked for; whole numbers, legal or not.

    Attributes:
        batch: Sequences.
        n: Positions, of queries and of keys.
        n_kv_heads: None: as many as n_heads.
        use_bias: A vector after each of the four projections.

    Raises:
        ValueError: a size that is no whole number, or an unknown dtype.
    """

    batch: int
    n: int
    d_model: int
    n_heads: int
    n_kv_heads: int | None = None
    use_bias: bool = False
    dtype: DType = "float32"

    def __post_init__(self) -> None:
        for name in MAX_SIZES:
            value = getattr(self, name)
            is_left_out = name == "n_kv_heads" and value is None
            if not is_left_out and type(value) is not int:
                raise ValueError(f"{name} must be a whole number, got {value!r}")
        if self.dtype not in DTYPE_NAMES:
            raise ValueError(f"dtype must be one of {', '.join(DTYPE_NAMES)}, got {self.dtype!r}")

    @property
    def kv_heads(self) -> int:
        """Heads of keys and values, counted."""
        return self.n_heads if self.n_kv_heads is None else self.n_kv_heads


@dataclass(frozen=True)
class Choice:
    """One size changed, the others as they are.

    Attributes:
        is_enough: No rule is broken any more; else the rule in question is kept and another one is not.
    """

    name: SizeName
    value: int
    is_enough: bool


@dataclass(frozen=True)
class Fault:
    """One rule that sizes break.

    Attributes:
        names: The sizes that the rule is about; values in the same order.
        bound: The least or the largest value, where the rule is a bound.
        row: The first row of the ledger that cannot have its shape.
        choices: For each of the names the nearest value below and the nearest above, where there is one.
    """

    rule: Rule
    names: tuple[SizeName, ...]
    values: tuple[int, ...]
    bound: int | None
    row: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True)
class _Broken:
    rule: Rule
    names: tuple[SizeName, ...]
    row: str


def find_faults(sizes: Sizes) -> tuple[Fault, ...]:
    """Say which rules sizes break, and what would be legal nearby. Nothing raises, nothing is changed.

    Returns:
        Faults in the order in which the ledger would meet them; none for legal sizes. A divisor is judged only where
        both of its numbers lie within their bounds.

    Example:
        >>> fault, = find_faults(Sizes(batch=2, n=5, d_model=12, n_heads=5))
        >>> fault.rule, fault.names, fault.values, fault.row
        ('heads_divide_width', ('d_model', 'n_heads'), (12, 5), 'q_cut')
        >>> [(choice.name, choice.value) for choice in fault.choices]
        [('d_model', 10), ('d_model', 15), ('n_heads', 4), ('n_heads', 6)]
    """
    return tuple(
        Fault(
            rule=broken.rule,
            names=broken.names,
            values=tuple(_value(sizes, name) for name in broken.names),
            bound={"at_least_one": 1, "at_most": MAX_SIZES[broken.names[0]]}.get(broken.rule),
            row=broken.row,
            choices=tuple(
                choice
                for name in broken.names
                for step in (-1, 1)
                if (choice := _nearest(sizes, broken, name, step)) is not None
            ),
        )
        for broken in _broken_rules(sizes)
    )


def refuse_faults(sizes: Sizes) -> None:
    """Raise where sizes break a rule.

    Raises:
        ValueError: the rules that are broken, with the values.
    """
    said = {
        "at_least_one": "{names[0]} must be at least 1, got {values[0]}",
        "at_most": "{names[0]} must be at most {bound}, got {values[0]}",
        "heads_divide_width": "n_heads must divide d_model, got d_model={values[0]} and n_heads={values[1]}",
        "kv_heads_divide_heads": "n_kv_heads must divide n_heads, got n_heads={values[0]} and n_kv_heads={values[1]}",
    }
    if faults := find_faults(sizes):
        raise ValueError("; ".join(said[fault.rule].format(**vars(fault)) for fault in faults))


def _value(sizes: Sizes, name: SizeName) -> int:
    return sizes.kv_heads if name == "n_kv_heads" else getattr(sizes, name)


def _broken_rules(sizes: Sizes) -> tuple[_Broken, ...]:
    """Name the broken rules, in the order of the rows where they break."""
    outside = {name: _Broken(rule, (name,), _FIRST_ROWS[name]) for name, rule in _out_of_bounds(sizes)}
    found = list(outside.values())
    if not {"d_model", "n_heads"} & outside.keys() and sizes.d_model % sizes.n_heads:
        found.append(_Broken("heads_divide_width", ("d_model", "n_heads"), "q_cut"))
    if not {"n_heads", "n_kv_heads"} & outside.keys() and sizes.n_heads % sizes.kv_heads:
        found.append(_Broken("kv_heads_divide_heads", ("n_heads", "n_kv_heads"), "k_repeated"))
    order = ("x", "q_cut", "k_cut", "k_repeated")
    return tuple(sorted(found, key=lambda broken: order.index(broken.row)))


def _out_of_bounds(sizes: Sizes) -> Iterator[tuple[SizeName, Rule]]:
    for name, largest in MAX_SIZES.items():
        if name == "n_kv_heads" and sizes.n_kv_heads is None:
            continue  # what is wrong with it is said of n_heads
        value = _value(sizes, name)
        if not 1 <= value <= largest:
            yield name, "at_least_one" if value < 1 else "at_most"


def _nearest(sizes: Sizes, broken: _Broken, name: SizeName, step: Literal[-1, 1]) -> Choice | None:
    """Walk from a size to the nearest value that breaks no rule; where none does, to one that keeps this rule."""
    start, largest = _value(sizes, name), MAX_SIZES[name]
    if (start < 1 and step < 0) or (start > largest and step > 0):
        return None
    first = min(max(start + step, 1), largest) if not 1 <= start <= largest else start + step
    fallback = None
    # Divisors lie within MAX_HEADS, and multiples of a divisor are no further apart.
    last = min(max(first + step * MAX_HEADS, 0), largest + 1)
    for value in range(first, last, step):
        left = _broken_rules(replace(sizes, **{name: value}))
        if not left:
            return Choice(name, value, is_enough=True)
        if fallback is None and (broken.rule, broken.names) not in {(b.rule, b.names) for b in left}:
            fallback = Choice(name, value, is_enough=False)
        if fallback is not None and any(name not in other.names for other in left):
            break  # that rule stays broken whatever this size is
    return fallback
