"""How one weight of a head came about, down to its multiplications, and what the same pair weighs elsewhere."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from attention_core.explain import Explanation, Given, Softmax
from attention_core.trace import SingleHeadTrace
from dashboard import controls
from dashboard.controls import State
from dashboard.grid.bench import Area, Part
from dashboard.grid.lines import Line, Piece, lines_part, prose, word
from dashboard.number_format import significant
from dashboard.panels.qkv import explanation as arithmetic
from dashboard.panels.qkv.model import Model
from dashboard.roles import Theme, hue
from dashboard.text import qkv as qkv_words
from dashboard.text import weights as words

# What stands open beside the picked weight; no link holds it.
TERM, ROW = "open.term", "open.softmax"


@dataclass(frozen=True)
class Along:
    """One pair of tokens in several pictures.

    Attributes:
        lead: What the numbers are, before them.
        names: Of the pictures, one each.
        values: The pair's weight in each.
        go: Called with the place of the picture that the reader wants to see.
    """

    lead: str
    names: Sequence[str]
    values: Sequence[float]
    go: Callable[[int], None]

    def pieces(self) -> list[Piece]:
        """Write the numbers; each can be picked."""
        numbers = zip(self.values, self.names, strict=True)
        return [Piece(self.lead), *(Piece(significant(value), name) for value, name in numbers)]

    def open(self, place: int) -> None:
        """Go to the picture whose number stands at this place of the line."""
        self.go(place - 1)


def picked_pair(state: State, n: int) -> tuple[int, int]:
    """Find the picked pair, moved to the nearest that a sentence of n tokens has."""
    row, column = state["cell"]
    return min(row, n - 1), min(column, n - 1)


def pick_pair(state: State, row: int, column: int) -> None:
    """Open another pair of tokens."""
    state.put("cell", (row, column))
    state.values.pop(TERM, None)


def say_pair(state: State, tokens: Sequence[str], name: str) -> list[Line]:
    """Say whose weight for whom this is, and that the pair of the link is not there, where it is not."""
    language, (row, column) = state.language, picked_pair(state, len(tokens))
    pair = {
        "query": word(f"{row + 1} {tokens[row]}"),
        "key": word(f"{column + 1} {tokens[column]}"),
    }
    lines = [Line(prose(words.WHOSE.say(language, name=name, **pair)), "heading")]
    asked = state["cell"]
    if asked not in ((row, column), state.fields["cell"].default):
        moved = qkv_words.CELL_MOVED.say(language, row=asked[0] + 1, column=asked[1] + 1)
        lines.append(Line([Piece(moved)], "note"))
    return lines


def weight_parts(
    state: State, trace: SingleHeadTrace, tokens: Sequence[str], name: str, along: Along
) -> dict[str, tuple[Area, Part]]:
    """Describe how the picked weight came about, and on demand the whole row of its softmax.

    Args:
        trace: The head that gave it.
        name: The head or the step, as a reader calls it.
    """
    model = Model("own", tuple(tokens), tuple(tokens), trace, {}, ())
    at = picked_pair(state, len(tokens))
    made = [arithmetic.explain_shown(model, stage, *at) for stage in ("scores", "scaled", "weights")]
    return {
        "weight": ("right", weight_part(state, model, name, made, along)),
        "softmax": ("right", row_part(state, model, made[-1])),
    }


def weight_part(state: State, model: Model, name: str, made: Sequence[Explanation], along: Along) -> Part:
    """Describe a weight from its softmax down to the products of its score: the longest line comes last."""
    language, theme, (score, scaled, weight) = state.language, controls.theme(), made
    has_more = model.trace.w_q is not None
    lines = [*say_pair(state, model.queries, name), Line(along.pieces())]
    others = len(lines) - 1
    lines += [Line(spelt(weight, theme)), Line(spelt(scaled, theme))]
    lines.append(Line(spelt(score, theme, has_buttons=has_more)))
    products = len(lines) - 1
    term = opened_term(state, score) if has_more else None
    if term is not None:
        lines.append(Line(spelt(arithmetic.explain_shown(model, *term), theme)))
    notes = [words.HIDDEN] if is_hidden(model, weight) else []
    notes.append(words.OPENS if has_more else words.IS_X)
    lines += [Line([Piece(note.say(language))], "note") for note in notes]

    def pick(line: int, at: int) -> None:
        if line == others:
            along.open(at)
        elif line == products:
            nth = sum(piece.cell is not None for piece in lines[line].pieces[:at])
            cell = score.sources[nth]
            state.values[TERM] = (cell.name, cell.row, cell.column)

    return lines_part(words.ARITHMETIC.say(language), lines, pick)


def is_hidden(model: Model, weight: Explanation) -> bool:
    """Tell whether the mask hides the key from the query."""
    allowed = model.trace.allowed
    return allowed is not None and not bool(allowed[weight.cell.row, weight.cell.column])


def opened_term(state: State, score: Explanation) -> tuple[str, int, int] | None:
    """Find the factor of the score that the reader opened, as long as it is one of this score."""
    term = state.values.get(TERM)
    return term if term in [(cell.name, cell.row, cell.column) for cell in score.sources] else None


def spelt(made: Explanation, theme: Theme, *, has_buttons: bool = False) -> list[Piece]:
    """Write a cell's name and its arithmetic; what is under a number's button is said there."""
    _, *rest = arithmetic.line_of(made, theme)
    pieces = rest if has_buttons else [replace(piece, cell=None) for piece in rest]
    return [Piece(arithmetic.name_of(made.cell), hue=hue(made.cell.name, theme)), *pieces]


def row_part(state: State, model: Model, weight: Softmax | Given) -> Part:
    """Describe on demand every exponential of the weight's row; picking one opens its pair."""
    label, is_open = words.ROW.say(state.language), state.values.get(ROW, False)
    unfold = partial(state.values.__setitem__, ROW)
    lines = arithmetic.exponential_lines(weight, model, controls.theme()) if is_open else []

    def pick(line: int, _place: int) -> None:
        pick_pair(state, weight.cell.row, line)

    shown = [Line(pieces) for pieces in lines]
    return lines_part(label, shown, pick, is_folded=True, on_unfold=unfold, is_open=is_open)


def joined_part(state: State, over: str, value: float, tokens: Sequence[str], along: Along) -> Part:
    """Describe the mean or the largest of a pair's weights over all heads."""
    language, theme = state.language, controls.theme()
    title = words.JOINED[over].say(language)
    own = Piece(significant(value), hue=hue("weights", theme))
    end = words.JOINED_END[over].say(language, h=len(along.values))
    lines = [*say_pair(state, tokens, title), Line([*along.pieces(), Piece(end), own])]
    place = len(lines) - 1

    def pick(line: int, at: int) -> None:
        if line == place:
            along.open(at)

    return lines_part(words.ARITHMETIC.say(language), lines, pick)
