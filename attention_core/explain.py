"""Say which numbers make one cell of a traced head, as data: a page prints the terms, a test adds them up."""

import math
from dataclasses import dataclass, fields

from attention_core.trace import SingleHeadTrace

_MATRICES = tuple(field.name for field in fields(SingleHeadTrace) if field.name not in ("allowed", "scale"))
# Each projection by the matrices it multiplies.
_PROJECTIONS = {"q": ("x", "w_q"), "k": ("x", "w_k"), "v": ("x", "w_v"), "projected": ("out", "w_o")}


@dataclass(frozen=True)
class Cell:
    """Point at one number: the trace field it stands in, where, and what it is."""

    name: str
    row: int
    column: int
    value: float


@dataclass(frozen=True)
class Product:
    """Multiply two cells.

    Attributes:
        value: left times right.
    """

    left: Cell
    right: Cell
    value: float


@dataclass(frozen=True)
class Exponential:
    """Raise e to one masked score, its row's maximum taken off first.

    Attributes:
        value: exp(source − row maximum); exactly 0 where the source is −∞.
    """

    source: Cell
    value: float


@dataclass(frozen=True)
class Given:
    """A cell nothing else makes: an input, or one a reader has edited."""

    cell: Cell

    @property
    def sources(self) -> tuple[Cell, ...]:
        """Name the cells this one is made from: none."""
        return ()


@dataclass(frozen=True)
class Sum:
    """A cell that adds others: an input vector from embedding and position."""

    cell: Cell
    terms: tuple[Cell, ...]

    @property
    def sources(self) -> tuple[Cell, ...]:
        """Name the cells this one is made from."""
        return self.terms


@dataclass(frozen=True)
class Dot:
    """A cell that multiplies pairs and adds them: a projection, a score, an output.

    Attributes:
        total: The products added up; equals the cell's value but for rounding.
    """

    cell: Cell
    products: tuple[Product, ...]
    total: float

    @property
    def sources(self) -> tuple[Cell, ...]:
        """Name the cells this one is made from, pair by pair."""
        return tuple(cell for product in self.products for cell in (product.left, product.right))


@dataclass(frozen=True)
class Scaling:
    """A score times the scale, 1/√d_k unless another was chosen."""

    cell: Cell
    source: Cell
    scale: float

    @property
    def sources(self) -> tuple[Cell, ...]:
        """Name the cell this one is made from."""
        return (self.source,)


@dataclass(frozen=True)
class Masking:
    """A scaled score kept where the query may see the key, −∞ where it may not."""

    cell: Cell
    source: Cell
    is_allowed: bool

    @property
    def sources(self) -> tuple[Cell, ...]:
        """Name the cell this one is made from."""
        return (self.source,)


@dataclass(frozen=True)
class Softmax:
    """One exponential's share of its row.

        weight = exponentials[column] / total

    Attributes:
        row_maximum: What is taken off before each exponential; −∞ where the query sees no key.
        exponentials: One for each key, in order.
        total: Their sum; 0 where the query sees no key, and then each weight is 0 by our own choice.
    """

    cell: Cell
    row_maximum: float
    exponentials: tuple[Exponential, ...]
    total: float

    @property
    def sees_nothing(self) -> bool:
        """Say whether this query may see no key at all."""
        return self.total == 0

    @property
    def sources(self) -> tuple[Cell, ...]:
        """Name the cells this one is made from: its row of masked scores."""
        return tuple(exponential.source for exponential in self.exponentials)


Explanation = Given | Sum | Dot | Scaling | Masking | Softmax


def explain(trace: SingleHeadTrace, name: str, row: int, column: int) -> Explanation:
    """Give the terms that make one cell.

    Args:
        name: A matrix of the trace by its field name.

    Returns:
        Terms whose cells are of the same trace, so that each can be explained in turn, down to a Given. An x
        cell that is no longer embedding + position was edited and is a Given.

    Raises:
        ValueError: the trace has no such matrix, or the matrix no such cell.

    Example:
        >>> import torch
        >>> from attention_core.single_head import trace_single_head
        >>> trace = trace_single_head({"scaled": torch.zeros(1, 2), "v": torch.tensor([[1.0], [3.0]])})
        >>> [product.value for product in explain(trace, "out", 0, 0).products]
        [0.5, 1.5]
    """
    cell = _cell(trace, name, row, column)
    if name == "x":
        return _explain_x(trace, cell)
    if name in _PROJECTIONS and getattr(trace, _PROJECTIONS[name][0]) is not None:
        return _dot(trace, cell, *_PROJECTIONS[name])
    if name == "scores":
        return _explain_score(trace, cell)
    if name == "scaled" and trace.scores is not None:
        return Scaling(cell, _cell(trace, "scores", row, column), trace.scale)
    if name == "masked":
        is_allowed = trace.allowed is None or bool(trace.allowed[row, column])
        return Masking(cell, _cell(trace, "scaled", row, column), is_allowed)
    if name == "weights":
        return _explain_weight(trace, cell)
    if name == "out":
        return _dot(trace, cell, "weights", "v")
    return Given(cell)


def _cell(trace: SingleHeadTrace, name: str, row: int, column: int) -> Cell:
    held = [known for known in _MATRICES if getattr(trace, known) is not None]
    if name not in held:
        raise ValueError(f"name must be a matrix that the trace holds, one of {held}, got {name!r}")
    matrix = getattr(trace, name)
    rows, columns = matrix.shape
    if not (0 <= row < rows and 0 <= column < columns):
        raise ValueError(f"{name} has {rows} rows and {columns} columns, got row {row}, column {column}")
    return Cell(name, row, column, float(matrix[row, column]))


def _explain_x(trace: SingleHeadTrace, cell: Cell) -> Sum | Given:
    if trace.embedding is None or trace.position is None:
        return Given(cell)
    at = (cell.row, cell.column)
    # The trace's own addition: Python's would round a float32 sum differently.
    if trace.x[at] != trace.embedding[at] + trace.position[at]:
        return Given(cell)
    return Sum(cell, tuple(_cell(trace, name, *at) for name in ("embedding", "position")))


def _dot(trace: SingleHeadTrace, cell: Cell, left: str, right: str) -> Dot:
    """Pair the row of the left matrix with the column of the right one."""
    return _paired(
        cell,
        [
            (_cell(trace, left, cell.row, j), _cell(trace, right, j, cell.column))
            for j in range(getattr(trace, right).shape[0])
        ],
    )


def _explain_score(trace: SingleHeadTrace, cell: Cell) -> Dot:
    """Pair the query's row with the key's row."""
    return _paired(
        cell,
        [
            (_cell(trace, "q", cell.row, j), _cell(trace, "k", cell.column, j))
            for j in range(trace.q.shape[1])
        ],
    )


def _paired(cell: Cell, pairs: list[tuple[Cell, Cell]]) -> Dot:
    products = tuple(Product(left, right, left.value * right.value) for left, right in pairs)
    return Dot(cell, products, sum(product.value for product in products))


def _explain_weight(trace: SingleHeadTrace, cell: Cell) -> Softmax:
    masked = [_cell(trace, "masked", cell.row, m) for m in range(trace.masked.shape[1])]
    row_maximum = max(source.value for source in masked)
    exponentials = tuple(
        Exponential(source, 0.0 if source.value == -math.inf else math.exp(source.value - row_maximum))
        for source in masked
    )
    return Softmax(cell, row_maximum, exponentials, sum(exponential.value for exponential in exponentials))
