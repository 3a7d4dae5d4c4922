"""A drill in shapes: one step of a small layer, its shape asked for, and the answer judged axis by axis."""

import re
import unicodedata
from dataclasses import dataclass
from itertools import product
from typing import Literal

import torch

from attention_core.ledger import Step, build_ledger
from attention_core.sizes import Sizes

N_QUESTIONS = 10
MAX_SEED = 2**32 - 1
MAX_ANSWER = 200  # characters
_BATCHES, _LENGTHS, _HEADS, _WIDTHS = (2, 3, 4), (3, 5, 6, 7), (2, 3, 4, 6, 8), (2, 3, 4, 5, 8)
# What may be asked for. x is given, and scaled has the shape of the scores.
_ASKED = (
    *("q", "k", "v", "q_cut", "k_cut", "v_cut", "q_heads", "k_heads", "v_heads"),
    *("k_repeated", "v_repeated", "scores", "weights", "out_heads", "turned", "merged", "out"),
)
_BRACKETS = {"(": ")", "[": "]", "{": "}", "【": "】"}
_LISTED = re.compile(r"\s*[,;、]\s*|\s+")
_TIMES = re.compile(r"\s*[×x*]\s*")
_NUMBER = re.compile(r"[-−]?[0-9]+")


@dataclass(frozen=True)
class Drill:
    """One question.

    Attributes:
        sizes: Legal, small, and so that axes of one shape are alike only where both are N.
        step: Whose shape is asked for.
        answer: Read from a run.
    """

    seed: int
    place: int
    sizes: Sizes
    step: Step
    answer: tuple[int, ...]


@dataclass(frozen=True)
class WrongAxis:
    """An axis that was given another size.

    Attributes:
        index: From 0.
        symbol: What the axis is.
    """

    index: int
    symbol: str
    given: int


@dataclass(frozen=True)
class Verdict:
    """What is right or wrong about an answer.

    Attributes:
        kind: wrong_count is another number of axes, which are then not compared.
        given: What was read; empty for not_numbers.
        n_axes: How many there should be.
    """

    kind: Literal["right", "wrong_axes", "wrong_count", "not_numbers"]
    given: tuple[int, ...]
    n_axes: int
    wrong: tuple[WrongAxis, ...] = ()

    @property
    def is_right(self) -> bool:
        """Whether every axis is right."""
        return self.kind == "right"


def draw_drill(seed: int, place: int) -> Drill:
    """Draw one of the ten questions of a seed.

    Args:
        seed: 0 to MAX_SEED.
        place: 0 to N_QUESTIONS − 1.

    Returns:
        The same question every time. The ten of one seed ask for ten different steps.

    Raises:
        ValueError: a seed or place outside its range.

    Example:
        >>> drill = draw_drill(seed=1, place=0)
        >>> drill == draw_drill(seed=1, place=0), len(drill.answer) == len(drill.step.axes)
        (True, True)
    """
    if not 0 <= seed <= MAX_SEED:
        raise ValueError(f"seed must lie within 0 and {MAX_SEED}, got {seed}")
    if not 0 <= place < N_QUESTIONS:
        raise ValueError(f"place must lie within 0 and {N_QUESTIONS - 1}, got {place}")
    generator = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(_ASKED), generator=generator).tolist()
    drawn = torch.rand(N_QUESTIONS, generator=generator, dtype=torch.float64).tolist()
    name = _ASKED[order[place]]
    fitting = _small_sizes(is_grouped=name.endswith("_repeated"))
    sizes = fitting[int(drawn[place] * len(fitting))]
    row = build_ledger(sizes).row(name)
    return Drill(seed, place, sizes, row.step, row.shape)


def judge(drill: Drill, answer: str) -> Verdict:
    """Judge what a reader typed; it is read as numbers and as nothing else.

    Args:
        answer: Sizes with commas or spaces between them, or with ×, in brackets or not, full-width or not.

    Example:
        >>> drill = Drill(0, 0, Sizes(2, 5, 12, 3), Step("q_heads", "Q_h", ("B", "h", "N", "d_k"), ""), (2, 3, 5, 4))
        >>> judge(drill, "（2，3，5，4）").kind
        'right'
        >>> [(axis.index, axis.symbol, axis.given) for axis in judge(drill, "[2, 5, 3, 4]").wrong]
        [(1, 'h', 5), (2, 'N', 3)]
    """
    given, n_axes = read_shape(answer), len(drill.answer)
    if given is None:
        return Verdict("not_numbers", (), n_axes)
    if len(given) != n_axes:
        return Verdict("wrong_count", given, n_axes)
    pairs = enumerate(zip(drill.step.axes, given, drill.answer, strict=True))
    wrong = tuple(WrongAxis(i, symbol, size) for i, (symbol, size, right) in pairs if size != right)
    return Verdict("wrong_axes" if wrong else "right", given, n_axes, wrong)


def read_shape(typed: str) -> tuple[int, ...] | None:
    """Read a shape as people type one; None for anything else.

    Example:
        >>> read_shape("2,3,5,4"), read_shape("torch.Size([2, 3])"), read_shape("2×3"), read_shape("2, d_k")
        ((2, 3, 5, 4), (2, 3), (2, 3), None)
    """
    if len(typed) > MAX_ANSWER:
        return None
    text = unicodedata.normalize("NFKC", typed).strip().removeprefix("torch.Size").strip()
    while text and _BRACKETS.get(text[0]) == text[-1]:
        text = text[1:-1].strip()
    separator = _TIMES if _TIMES.search(text) else _LISTED
    cells = separator.split(text.removesuffix(",").rstrip())
    if not all(_NUMBER.fullmatch(cell) for cell in cells):
        return None
    return tuple(int(cell.replace("−", "-")) for cell in cells)


def _small_sizes(*, is_grouped: bool) -> list[Sizes]:
    """List the sizes to draw from: in no shape are two axes alike that have different names.

    Args:
        is_grouped: Only those with fewer key/value heads than heads; else both kinds.
    """
    found = []
    for batch, n, n_heads, d_k in product(_BATCHES, _LENGTHS, _HEADS, _WIDTHS):
        for n_kv_heads in (count for count in range(1, n_heads + 1) if n_heads % count == 0):
            is_own = n_kv_heads == n_heads
            axes = [batch, n, n_heads, d_k, *([] if is_own else [n_kv_heads])]
            is_distinct = len(set(axes)) == len(axes) and not {n_heads * d_k, n_kv_heads * d_k} & {batch, n}
            if is_distinct and not (is_own and is_grouped):
                found.append(Sizes(batch, n, n_heads * d_k, n_heads, None if is_own else n_kv_heads))
    return found
