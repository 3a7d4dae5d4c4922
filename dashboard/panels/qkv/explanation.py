"""The arithmetic of one cell as formula, numbers and table."""

import re
from dataclasses import replace

from attention_core.explain import Cell, Dot, Explanation, Masking, Scaling, Softmax, Sum, explain
from dashboard.grid.lines import Piece
from dashboard.grid.picture import visible
from dashboard.number_format import MINUS, significant
from dashboard.panels.qkv.fields import STAGES
from dashboard.panels.qkv.model import Model
from dashboard.roles import Theme, hue

SYMBOLS = {"w_q": "w^Q", "w_k": "w^K", "w_v": "w^V", "w_o": "w^O"} | {
    name: name for name in ("embedding", "position", "x", "q", "k", "v", *STAGES[6:])
}
FORMULAS = {
    "x": "x[n,j] = embedding[n,j] + position[n,j]",
    "q": "q[n,j] = Σᵢ x[n,i] · w_q[i,j]",
    "k": "k[m,j] = Σᵢ x[m,i] · w_k[i,j]",
    "v": "v[m,j] = Σᵢ x[m,i] · w_v[i,j]",
    "scores": "scores[n,m] = Σⱼ q[n,j] · k[m,j]",
    "scaled": "scaled[n,m] = scores[n,m] / √d_k",
    "masked": "masked[n,m] = scaled[n,m] (m ≤ n),  −∞ (m > n)",
    "weights": "weights[n,m] = exp(masked[n,m] − max) / Σⱼ exp(masked[n,j] − max)",
    "out": "out[n,j] = Σₘ weights[n,m] · v[m,j]",
    "projected": "projected[n,j] = Σᵢ out[n,i] · w_o[i,j]",
}
PLAIN = {"w_q": "W^Q", "w_k": "W^K", "w_v": "W^V", "w_o": "W^O"}


def name_of(cell: Cell) -> str:
    """Name a cell in plain text, counted from 1.

    Example:
        >>> name_of(Cell("w_q", 0, 1, 0.5))
        'W^Q[1, 2]'
    """
    return f"{PLAIN.get(cell.name, cell.name)}[{cell.row + 1}, {cell.column + 1}]"


def line_of(explanation: Explanation, theme: Theme) -> list[Piece]:
    """Write a cell's arithmetic in numbers; every number that stands in a cell names it."""
    cell = explanation.cell
    line = [Piece(significant(cell.value), name_of(cell), hue(cell.name, theme)), Piece("=")]
    match explanation:
        case Sum(terms=terms):
            line += _joined([[piece_of(term, theme)] for term in terms], "+")
        case Dot(products=products):
            pairs = [[piece_of(p.left, theme), Piece("×"), piece_of(p.right, theme)] for p in products]
            line += _joined(pairs, "+")
        case Scaling(source=source, scale=scale):
            line += [piece_of(source, theme), Piece(f"/ {significant(1 / scale)}")]
        case Masking(source=source, is_allowed=True):
            line += [piece_of(source, theme)]
        case Softmax(exponentials=exponentials, total=total, row_maximum=row_maximum) if total:
            own = exponentials[cell.column]
            line += [
                Piece("exp("),
                piece_of(own.source, theme),
                Piece(f"{MINUS} {in_parentheses(row_maximum)} )"),
            ]
            line += [Piece(f"/ {significant(total)} = {significant(own.value)} / {significant(total)}")]
        case _:
            return [*line, Piece(significant(cell.value))]
    return [*line, Piece(f"= {significant(cell.value)}")]


def piece_of(cell: Cell, theme: Theme) -> Piece:
    """Write a cell's number with its name."""
    return Piece(in_parentheses(cell.value), name_of(cell), hue(cell.name, theme))


def in_parentheses(value: float) -> str:
    """Write a number so that its minus is no operator.

    Example:
        >>> in_parentheses(-0.5), in_parentheses(0.5)
        ('(−0.500)', '0.500')
    """
    text = significant(value)
    return f"({text})" if text.startswith(MINUS) else text


def cells_of(explanation: Explanation) -> list[Cell]:
    """Name the cells of a line in the order in which they stand there."""
    if isinstance(explanation, Softmax):
        own = explanation.exponentials[explanation.cell.column].source if explanation.total else None
        return [explanation.cell, *([own] if own else [])]
    if isinstance(explanation, Masking) and not explanation.is_allowed:
        return [explanation.cell]
    return [explanation.cell, *explanation.sources]


def _joined(groups: list[list[Piece]], sign: str) -> list[Piece]:
    joined = groups[0]
    for group in groups[1:]:
        joined = [*joined, Piece(sign), *group]
    return joined


def formula(model: Model, name: str, theme: Theme) -> list[Piece]:
    """Write what any cell of a matrix is, in symbols in their roles' hues; empty where nothing makes it."""

    def spell(text: str) -> list[Piece]:
        """Read `name[row,column]` as a symbol, anything else as it stands."""
        pieces = []
        for part in re.split(r"(\w+\[\w,\w\])", text):
            match = re.fullmatch(r"(\w+)\[(\w),(\w)\]", part)
            if match:
                lowered = f"{SYMBOLS[match[1]]}_{{{match[2]},{match[3]}}}"
                pieces.append(Piece(lowered, hue=hue(match[1], theme), is_symbol=True))
            elif part:
                pieces.append(Piece(part))
        return pieces

    written = FORMULAS.get(name, "")
    if model.trace.allowed is None:
        written = written.replace("masked[", "scaled[")
    return spell(written)


def exponential_lines(explanation: Explanation, model: Model, theme: Theme) -> list[list[Piece]]:
    """Write one line for each exponential of a softmax: the key, its score, its exponential, its weight."""
    if not isinstance(explanation, Softmax):
        return []
    shared = f"{MINUS} {in_parentheses(explanation.row_maximum)} ) = "
    total = explanation.total
    return [
        [
            Piece(visible(model.keys[m]), is_word=True),
            Piece("exp("),
            piece_of(exponential.source, theme),
            Piece(f"{shared}{significant(exponential.value)}"),
            Piece(f"/ {significant(total)} = {significant(exponential.value / total if total else 0.0)}"),
        ]
        for m, exponential in enumerate(explanation.exponentials)
    ]


def explain_shown(model: Model, name: str, row: int, column: int) -> Explanation:
    """Explain a cell by the stages that are shown: without a mask, masked is scaled under another name."""
    made = explain(model.trace, name, row, column)
    if model.trace.allowed is None and isinstance(made, Softmax):
        exponentials = tuple(replace(e, source=replace(e.source, name="scaled")) for e in made.exponentials)
        return replace(made, exponentials=exponentials)
    return made


def trail(model: Model, cell: Cell) -> list[Explanation]:
    """Follow a cell to the inputs along the term that weighs most at each step.

    Returns:
        One explanation a step, the first for the cell itself, the last for a number that nothing made.
    """
    steps = [explain_shown(model, cell.name, cell.row, cell.column)]
    while steps[-1].sources:
        following = _heaviest(steps[-1])
        steps.append(explain_shown(model, following.name, following.row, following.column))
    return steps


def _heaviest(explanation: Explanation) -> Cell:
    """Choose the source that matters most: of a product the factor nearer to the words, so that the way goes on."""
    match explanation:
        case Dot(products=products):
            heaviest = max(products, key=lambda product: abs(product.value))
            return heaviest.left
        case Sum(terms=terms):
            return max(terms, key=lambda term: abs(term.value))
        case Softmax(exponentials=exponentials):
            return exponentials[explanation.cell.column].source
    return explanation.sources[0]
