"""Three worked examples that published notes print, and what their printed numbers are worth."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.single_head import trace_single_head
from attention_core.steps import mask_scores, mix, scale_scores, score, weigh

Matrix = tuple[tuple[float, ...], ...]

_BEFORE_THE_MASK = ("q", "k", "v", "scores", "scaled")


@dataclass(frozen=True)
class PrintedNumber:
    """One number as notes print it, right or wrong."""

    name: str
    row: int
    column: int
    value: float
    decimals: int
    is_causal: bool = False


@dataclass(frozen=True)
class Example:
    """Inputs worked through by hand, with the numbers that notes print for them.

    Attributes:
        slug: Language-neutral name, as it stands in a link.
        query_ids: Names of the rows; a page translates them.
        given: Each input by its field name in the trace.
    """

    slug: str
    query_ids: tuple[str, ...]
    key_ids: tuple[str, ...]
    given: tuple[tuple[str, Matrix], ...]
    printed: tuple[PrintedNumber, ...]


@dataclass(frozen=True)
class CheckedNumber:
    """A printed number beside what is true.

    Attributes:
        computed: What the example's inputs give.
        from_printed: What follows from the wrong numbers printed before it.
        is_right: computed rounds to what is printed.
    """

    printed: PrintedNumber
    computed: float
    from_printed: float
    is_right: bool

    @property
    def verdict(self) -> Literal["right", "last_digit", "carried", "slip"]:
        """Tell where a mistake was made from where an earlier one is only carried on.

        Returns:
            - right: the number rounds to what is printed.
            - last_digit: it does not, yet misses by less than one unit of the last printed digit. Notes bend
              a digit so that a rounded row adds up to 1.
            - carried: wrong, but it follows from the printed numbers before it.
            - slip: it follows from nothing printed; here the mistake was made.
        """
        if self.is_right:
            return "right"
        if abs(self.computed - self.printed.value) < (1 - 1e-6) * 10**-self.printed.decimals:
            return "last_digit"
        return "carried" if _agrees(self.from_printed, self.printed) else "slip"


def matrices(example: Example) -> dict[str, Float[Tensor, "..."]]:
    """Make the inputs ready for `trace_single_head`, in float64.

    Example:
        >>> matrices(EXAMPLES["e3"])["scaled"].tolist()
        [[2.0, -1.0, 0.5]]
    """
    return {name: torch.tensor(matrix, dtype=torch.float64) for name, matrix in example.given}


def check_textbook(example: Example) -> tuple[CheckedNumber, ...]:
    """Compare every printed number with the computed one, and with what follows from misprints before it.

    Returns:
        One record for each printed number, in the example's order. At a tie either rounding counts as right.

    Example:
        >>> [(check.printed.value, check.verdict) for check in check_textbook(EXAMPLES["e3"])]
        [(0.7, 'slip'), (0.04, 'right'), (0.26, 'slip'), (0.03, 'carried'), (0.24, 'carried')]
    """
    computed, followed = {}, {}
    for is_causal in {number.is_causal for number in example.printed}:
        computed[is_causal] = trace_single_head(matrices(example), is_causal=is_causal)
        followed[is_causal] = follow_printed(example, is_causal=is_causal)
    checked = []
    for number in example.printed:
        at = (number.row, number.column)
        value = float(getattr(computed[number.is_causal], number.name)[at])
        from_printed = float(followed[number.is_causal][number.name][at])
        checked.append(CheckedNumber(number, value, from_printed, _agrees(value, number)))
    return tuple(checked)


def follow_printed(example: Example, *, is_causal: bool = False) -> dict[str, Float[Tensor, "..."]]:
    """Carry the printed mistakes on: run the steps, and after each put the wrong printed numbers in.

    Returns:
        What each step gives, by its name in the trace from q on, before its own misprints are put in. Printed
        numbers that do round from what the step gives change nothing, so no rounding adds up.

    Example:
        >>> [round(value, 4) for value in follow_printed(EXAMPLES["e2"])["scores"][0].tolist()]
        [0.1941, -0.2937, 0.5029]
    """
    trace = trace_single_head(matrices(example), is_causal=is_causal)
    printed = [n for n in example.printed if n.is_causal == is_causal or n.name in _BEFORE_THE_MASK]
    started = {name: getattr(trace, name) for name in ("q", "k", "v", "scaled")}
    followed = {name: matrix for name, matrix in started.items() if matrix is not None}

    def misprinted(name: str) -> Float[Tensor, "..."]:
        return _misprinted(name, followed[name], printed)

    if trace.scores is not None:
        followed["scores"] = score(misprinted("q"), misprinted("k"))
        followed["scaled"] = scale_scores(misprinted("scores"), trace.scale)
    followed["masked"] = mask_scores(misprinted("scaled"), trace.allowed)
    followed["weights"] = weigh(misprinted("scaled"), trace.allowed)
    followed["out"] = mix(misprinted("weights"), misprinted("v"))
    return followed


def _misprinted(
    name: str, matrix: Float[Tensor, "..."], printed: Sequence[PrintedNumber]
) -> Float[Tensor, "..."]:
    """Put the printed numbers in where the matrix does not round to them."""
    matrix = matrix.clone()
    for number in printed:
        at = (number.row, number.column)
        if number.name == name and not _agrees(float(matrix[at]), number):
            matrix[at] = number.value
    return matrix


def _agrees(value: float, number: PrintedNumber) -> bool:
    """Say whether a value rounds to the printed number; the slack forgives float64 at a tie."""
    return abs(value - number.value) <= 0.5 * 10**-number.decimals + 1e-9


def _row(
    name: str, row: int, values: Sequence[float], decimals: int, *, is_causal: bool = False
) -> tuple[PrintedNumber, ...]:
    return tuple(PrintedNumber(name, row, m, value, decimals, is_causal) for m, value in enumerate(values))


_THREE_WORDS: Matrix = ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0))

_E1 = Example(
    slug="e1",
    query_ids=("A", "B", "C"),
    key_ids=("A", "B", "C"),
    given=(("q", _THREE_WORDS), ("k", _THREE_WORDS), ("v", ((1.0, 0.0), (0.0, 1.0), (0.5, 0.5)))),
    printed=(
        *_row("scores", 0, (1.0, 0.0, 1.0), 0),
        *_row("scaled", 0, (0.707, 0.0, 0.707), 3),
        *_row("weights", 0, (0.40, 0.20, 0.40), 2),
        *_row("weights", 0, (0.401, 0.198, 0.401), 3),
        *_row("weights", 2, (0.248, 0.248, 0.504), 3),
        *_row("out", 0, (0.602, 0.398), 3),
        *_row("out", 1, (0.398, 0.602), 3),
        *_row("out", 2, (0.5, 0.5), 1),
        *_row("weights", 0, (1.0, 0.0, 0.0), 0, is_causal=True),
        *_row("weights", 1, (0.330, 0.670, 0.0), 3, is_causal=True),
        *_row("out", 1, (0.330, 0.670), 3, is_causal=True),
    ),
)

_E2 = Example(
    slug="e2",
    query_ids=("cat", "chases", "mouse"),
    key_ids=("cat", "chases", "mouse"),
    given=(
        ("x", ((1.0, 0.5, -0.2, 1.2), (0.3, -1.0, 0.8, 0.4), (-0.7, 0.6, 1.1, -0.5))),
        ("w_q", ((0.1, 0.4), (-0.2, 0.3), (0.5, -0.1), (0.2, 0.1))),
        ("w_k", ((-0.3, 0.2), (0.1, 0.5), (0.4, -0.2), (-0.1, 0.3))),
        ("w_v", ((0.2, -0.1), (0.3, 0.4), (-0.2, 0.1), (0.5, -0.3))),
    ),
    printed=(
        *_row("q", 0, (0.14, 0.69), 2),
        *_row("q", 1, (-0.38, 0.07), 2),
        *_row("q", 2, (0.25, -0.43), 2),
        *_row("k", 0, (-0.24, 0.33), 2),
        *_row("k", 1, (0.12, -0.45), 2),
        *_row("k", 2, (0.29, 0.67), 2),
        *_row("v", 0, (0.21, 0.02), 2),
        *_row("v", 1, (0.16, 0.31), 2),
        *_row("v", 2, (-0.25, 0.38), 2),
        *_row("scores", 0, (0.194, -0.294, 0.503), 3),
        *_row("scaled", 0, (0.137, -0.208, 0.356), 3),
        *_row("weights", 0, (0.339, 0.240, 0.421), 3),
        *_row("out", 0, (0.004, 0.241), 3),
    ),
)

_E3 = Example(
    slug="e3",
    query_ids=("query",),
    key_ids=("first", "second", "third"),
    given=(("scaled", ((2.0, -1.0, 0.5),)), ("v", ((0.1, 0.2), (0.3, -0.1), (-0.2, 0.4)))),
    printed=(*_row("weights", 0, (0.70, 0.04, 0.26), 2), *_row("out", 0, (0.03, 0.24), 2)),
)

EXAMPLES: dict[str, Example] = {example.slug: example for example in (_E1, _E2, _E3)}

# d_model and heads of each size. Source: Radford et al. 2019, table 2, and the heads of the released models.
GPT2_SIZES: dict[str, tuple[int, int]] = {
    "small": (768, 12),
    "medium": (1024, 16),
    "large": (1280, 20),
    "xl": (1600, 25),
}
