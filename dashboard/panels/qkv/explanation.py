"""The arithmetic of one cell as formula, numbers and table."""

from dataclasses import replace

from attention_core.explain import Cell, Dot, Explanation, Masking, Scaling, Softmax, Sum, explain
from dashboard.frame import in_table, markdown_table
from dashboard.number_format import MINUS, significant
from dashboard.panels.qkv.model import Model
from dashboard.roles import Theme, hue

SYMBOLS = {
    "embedding": r"\mathrm{embedding}",
    "position": r"\mathrm{position}",
    "x": "x",
    "w_q": "w^Q",
    "w_k": "w^K",
    "w_v": "w^V",
    "w_o": "w^O",
    "q": "q",
    "k": "k",
    "v": "v",
    "scores": r"\mathrm{scores}",
    "scaled": r"\mathrm{scaled}",
    "masked": r"\mathrm{masked}",
    "weights": r"\mathrm{weights}",
    "out": r"\mathrm{out}",
    "projected": r"\mathrm{projected}",
}
PLAIN = {"w_q": "W^Q", "w_k": "W^K", "w_v": "W^V", "w_o": "W^O"}
WRITTEN_OUT = 4


def name_of(cell: Cell) -> str:
    """Name a cell in plain text, counted from 1.

    Example:
        >>> name_of(Cell("w_q", 0, 1, 0.5))
        'W^Q[1, 2]'
    """
    return f"{PLAIN.get(cell.name, cell.name)}[{cell.row + 1}, {cell.column + 1}]"


def latex_number(value: float) -> str:
    """Write a number for a formula; a negative one stands in parentheses.

    Example:
        >>> latex_number(-0.5), latex_number(1e9), latex_number(float("-inf"))
        ('(-0.500)', '1 \\\\times 10^{9}', '(-\\\\infty)')
    """
    text = significant(value).replace(MINUS, "-").replace("∞", r"\infty")
    if "e" in text:
        mantissa, power = text.split("e")
        text = rf"{mantissa} \times 10^{{{power}}}"
    return f"({text})" if text.startswith("-") else text


def symbol(name: str, row: int | str, column: int | str, theme: Theme) -> str:
    """Write a cell's symbol in its role's hue."""
    plain = f"{SYMBOLS[name]}_{{{row},{column}}}"
    colour = hue(name, theme)
    return plain if colour is None else rf"\textcolor{{{colour}}}{{{plain}}}"


def formula(explanation: Explanation, theme: Theme) -> str:
    """Write what one cell is, in symbols."""
    cell = explanation.cell
    left = symbol(cell.name, cell.row + 1, cell.column + 1, theme)
    n, m = cell.row + 1, cell.column + 1
    match explanation:
        case Sum(terms=terms):
            return f"{left} = " + " + ".join(symbol(term.name, n, m, theme) for term in terms)
        case Dot(products=products):
            first = products[0]
            right = (
                symbol(first.right.name, m, "j", theme)
                if cell.name == "scores"
                else symbol(first.right.name, "j", m, theme)
            )
            return rf"{left} = \sum_{{j=1}}^{{{len(products)}}} {symbol(first.left.name, n, 'j', theme)}\,{right}"
        case Scaling(source=source, scale=scale):
            return rf"{left} = \frac{{{symbol(source.name, n, m, theme)}}}{{\sqrt{{d_k}}}},\quad \sqrt{{d_k}} = {latex_number(1 / scale)}"
        case Masking(source=source, is_allowed=is_allowed):
            return f"{left} = {symbol(source.name, n, m, theme)}" if is_allowed else rf"{left} = -\infty"
        case Softmax(exponentials=exponentials):
            source = exponentials[0].source.name
            largest = rf"\max_i {symbol(source, n, 'i', theme)}"
            return (
                rf"{left} = \frac{{\exp({symbol(source, n, m, theme)} - {largest})}}"
                rf"{{\sum_{{j=1}}^{{{len(exponentials)}}} \exp({symbol(source, n, 'j', theme)} - {largest})}}"
            )
    return f"{left} = {latex_number(cell.value)}"


def numbers(explanation: Explanation) -> str | None:
    """Write the same in numbers; long sums are shortened, the table has every term."""
    cell = explanation.cell
    match explanation:
        case Sum(terms=terms):
            return f"{' + '.join(latex_number(term.value) for term in terms)} = {latex_number(cell.value)}"
        case Dot(products=products):
            written = [
                rf"{latex_number(p.left.value)} \times {latex_number(p.right.value)}"
                for p in products[:WRITTEN_OUT]
            ]
            if len(products) > WRITTEN_OUT:
                written.append(r"\dots")
            return f"{' + '.join(written)} = {latex_number(cell.value)}"
        case Scaling(source=source, scale=scale):
            return rf"{latex_number(source.value)} / {latex_number(1 / scale)} = {latex_number(cell.value)}"
        case Softmax(exponentials=exponentials, total=total, row_maximum=row_maximum):
            if explanation.sees_nothing:
                return None
            own = exponentials[cell.column]
            return (
                rf"\frac{{\exp({latex_number(own.source.value)} - {latex_number(row_maximum)})}}{{{latex_number(total)}}}"
                rf" = \frac{{{latex_number(own.value)}}}{{{latex_number(total)}}} = {latex_number(cell.value)}"
            )
    return None


def terms_table(explanation: Explanation, model: Model) -> str | None:
    """List every term as a Markdown table."""
    match explanation:
        case Dot(products=products):
            first = products[0]
            rows = [
                (
                    name_of(p.left),
                    significant(p.left.value),
                    name_of(p.right),
                    significant(p.right.value),
                    significant(p.value),
                )
                for p in products
            ]
            head = (
                PLAIN.get(first.left.name, first.left.name),
                "",
                PLAIN.get(first.right.name, first.right.name),
                "",
                "×",
            )
            return markdown_table(head, rows, ("Σ", "", "", "", significant(explanation.total)))
        case Softmax(exponentials=exponentials, total=total):
            weights = [e.value / total if total else 0.0 for e in exponentials]
            rows = [
                (
                    f"{m + 1} {in_table(model.keys[m])}",
                    significant(e.source.value),
                    significant(e.value),
                    significant(w),
                )
                for m, (e, w) in enumerate(zip(exponentials, weights, strict=True))
            ]
            return markdown_table(
                ("", exponentials[0].source.name, "exp(· − max)", "weights"),
                rows,
                ("Σ", "", significant(total), significant(sum(weights))),
            )
    return None


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
