"""The arithmetic of the picked cell in every attention that is compared, down to its products."""

from collections.abc import Callable, Sequence

from attention_core.variant_cells import OutStory, PairStory, explain_out, explain_share
from attention_core.variant_runs import VariantRun
from dashboard import controls
from dashboard.controls import State
from dashboard.grid.lines import Line, Piece, lines_part, prose, word
from dashboard.number_format import MINUS, significant
from dashboard.panels.qkv.explanation import in_parentheses
from dashboard.panels.variants.compare_model import Compared
from dashboard.panels.variants.compare_pictures import Hands, Parts, Picked, mixing_of, named
from dashboard.roles import Theme, hue
from dashboard.text import Language
from dashboard.text import variant_compare as words


def cell_parts(state: State, now: Compared, picked: Picked, hands: Hands) -> Parts:
    """Describe how the picked cell came about: which it is, its arithmetic in each attention, the differences."""
    language, theme = state.language, controls.theme()
    label = words.ARITHMETIC.say(language)
    told = {"cell": lines_part(label, head_lines(state, now, picked))}
    for slot, run in now.runs():
        name = words.SLOT_NAME.say(language, **named(slot, language))
        lines = [Line([Piece(name)], "heading")]
        at = run, now.head, picked.row, picked.column
        explain = share_lines if picked.cell_in == "weights" else out_lines
        lines += explain(*at, theme, language)
        told[f"cell.{slot.letter.lower()}"] = lines_part(name, lines, opener(lines, picked, hands))
    notes = change_lines(now, picked.row, picked.column, theme) if picked.cell_in == "out" else []
    notes.append(Line([Piece(words.OPENS.say(language))], "note"))
    told["cell.end"] = lines_part(label, notes)
    return {name: ("left", part) for name, part in told.items()}


def opener(lines: Sequence[Line], picked: Picked, hands: Hands) -> Callable[[int, int], None]:
    """Give what opens a share that was picked in an output; its name ends with its key, counted from 1."""

    def pick(line: int, place: int) -> None:
        hands.pair(picked.row, int(str(lines[line].pieces[place].cell).rsplit(" ", 1)[1]) - 1)

    return pick


def head_lines(state: State, now: Compared, picked: Picked) -> list[Line]:
    """Say which cell this is, and that the link's is not there, where it is not."""
    language, tokens = state.language, now.tokens
    fields = {"query": word(f"{picked.row + 1} {tokens[picked.row]}"), "head": now.head + 1}
    if picked.cell_in == "weights":
        said = words.PAIR.say(language, key=word(f"{picked.column + 1} {tokens[picked.column]}"), **fields)
    else:
        said = words.OUT_CELL.say(language, column=picked.column + 1, **fields)
    lines = [Line(prose(said), "heading")]
    asked = state["cell"]
    if asked not in ((picked.row, picked.column), state.fields["cell"].default):
        moved = words.CELL_MOVED.say(language, row=asked[0] + 1, column=asked[1] + 1)
        lines.append(Line([Piece(moved)], "note"))
    return lines


def share_lines(
    run: VariantRun, head: int, query: int, key: int, theme: Theme, language: Language
) -> list[Line]:
    """Write how a query's weight for a key came about, or what stands in the place of one."""
    if run.name == "low_rank":
        return short_lines(run, head, query, key, theme, language)
    story = explain_share(run, head, query, key)
    if not story.is_seen:
        is_after = run.inputs.is_causal and key > query
        return [Line(prose((words.AFTER if is_after else words.OUTSIDE).say(language)), "prose")]
    if run.name == "linear":
        return linear_lines(story, theme, language)
    return softmax_lines(story, run.name, theme, language)


def linear_lines(story: PairStory, theme: Theme, language: Language) -> list[Line]:
    """Write a share of linear attention: a product of features over all of them."""
    if not story.total:
        return [Line(prose(words.NOTHING_SEEN.say(language)), "prose")]
    share = f"φ(q) · φ(k) / Σ = {significant(story.own)} / {significant(story.total)} = "
    return [
        Line([Piece(words.NEVER.say(language))], "note"),
        Line([Piece(share), number(story.share, "weights", theme)]),
        products_line("φ(q) · φ(k)", story, ("q", "k"), theme),
    ]


def softmax_lines(story: PairStory, name: str, theme: Theme, language: Language) -> list[Line]:
    """Write a weight from its softmax down to the products of its score: the longest line comes last."""
    total = significant(story.total)
    if story.sink is not None:
        total = f"({significant(story.total - story.sink)} + {words.SINK_TERM.say(language)} {significant(story.sink)})"
    weight = (
        f"exp(s {MINUS} max) / Σ = exp({significant(story.scaled)} {MINUS} {in_parentheses(story.largest)}) / {total}"
        f" = {significant(story.own)} / {total} = "
    )
    lines = [Line([Piece(weight), number(story.share, "weights", theme)])]
    bias = "" if story.bias is None else f" + {in_parentheses(story.bias)}"
    if story.factor != 1 or bias:
        factor = f" × {significant(story.factor)}"
        scaled = f"s = {in_parentheses(story.score)}{factor}{bias} = {significant(story.scaled)}"
        lines.append(Line([Piece(scaled)]))
    sign, hues = SCORES.get(name, ("q · k", ("q", "k")))
    return [*lines, products_line(sign, story, hues, theme)]


# How a score is written, and the roles of its two sides.
SCORES = {
    "multiplicative": ("q W · k", ("q", "k")),
    "additive": ("tanh(q W₁ + k W₂) · w", (None, None)),
    "cosine": ("q/|q| · k/|k|", ("q", "k")),
    "rotary": ("R q · R k", ("q", "k")),
}


def short_lines(
    run: VariantRun, head: int, query: int, key: int, theme: Theme, language: Language
) -> list[Line]:
    """Write what of a value is in an output by way of short keys, and the weight of the one that holds most of its key."""
    weights, mixing = run.trace.attention.weights[head, query], mixing_of(run)[:, key]
    pairs = list(zip(weights.tolist(), mixing.tolist(), strict=True))
    share = sum(weight * part for weight, part in pairs)
    most = int(mixing.abs().argmax())
    story = explain_share(run, head, query, most)
    pieces = [Piece("Σ w × E ="), *products(pairs, ("weights", None), theme), Piece("=")]
    return [
        Line([Piece(words.NEVER.say(language))], "note"),
        Line([*pieces, number(share, "weights", theme)]),
        Line([Piece(words.THROUGH_SHORT.say(language))], "note"),
        Line([Piece(words.OF_SHORT.say(language, short=most + 1))], "note"),
        *softmax_lines(story, run.name, theme, language),
    ]


def out_lines(
    run: VariantRun, head: int, query: int, column: int, theme: Theme, language: Language
) -> list[Line]:
    """Write how a number of an output came about."""
    story = explain_out(run, head, query, column)
    if story.divisor == 0:
        return [Line(prose(words.NOTHING_SEEN.say(language)), "prose")]
    pairs = list(zip(story.left, story.right, strict=True))
    if run.name == "linear":
        sign, roles, opens = "φ(q) · S / φ(q) · Σφ(k)", ("q", None), False
    elif run.name == "low_rank":
        sign, roles, opens = "Σ w · v", ("weights", "v"), False
    else:
        sign, roles, opens = "Σ w · v", ("weights", "v"), True
    if opens:
        kept = [(place, *pair) for place, pair in enumerate(pairs) if pair[0]]
        body = share_products(kept, theme)
    else:
        body = products(pairs, roles, theme)
    return [Line([Piece(f"{sign} ="), *divided(body, story), Piece("="), number(story.value, "out", theme)])]


def divided(body: list[Piece], story: OutStory) -> list[Piece]:
    """Put a sum over its divisor, where it has one."""
    if story.divisor is None:
        return body or [Piece("0")]
    return [Piece("("), *body, Piece(f") / {significant(story.divisor)}")]


def change_lines(now: Compared, row: int, column: int, theme: Theme) -> list[Line]:
    """Write the differences from the first attention."""
    if now.first is None:
        return []
    base = float(now.first.out[now.head, row, column])
    lines = []
    for slot, run in now.runs():
        if slot.letter == "A":
            continue
        own = float(run.out[now.head, row, column])
        text = f"{slot.letter} {MINUS} A = {in_parentheses(own)} {MINUS} {in_parentheses(base)} = "
        lines.append(Line([Piece(text), Piece(significant(own - base))]))
    return lines


def number(value: float, name: str, theme: Theme) -> Piece:
    """Write a result in its role's hue."""
    return Piece(significant(value), hue=hue(name, theme))


def products_line(sign: str, story: PairStory, roles: tuple[str | None, str | None], theme: Theme) -> Line:
    """Write a score as the products that it sums."""
    pairs = list(zip(story.left, story.right, strict=True))
    end = [Piece("="), Piece(significant(story.score))]
    return Line([Piece(f"{sign} ="), *products(pairs, roles, theme), *end])


def products(
    pairs: Sequence[tuple[float, float]], roles: tuple[str | None, str | None], theme: Theme
) -> list[Piece]:
    """Write products with plus signs between them."""
    left, right = (None if role is None else hue(role, theme) for role in roles)
    pieces: list[Piece] = []
    for place, (one, other) in enumerate(pairs):
        pieces += [Piece("+")] * (place > 0)
        pieces += [
            Piece(in_parentheses(one), hue=left),
            Piece("×"),
            Piece(in_parentheses(other), hue=right),
        ]
    return pieces


def share_products(kept: Sequence[tuple[int, float, float]], theme: Theme) -> list[Piece]:
    """Write shares times values; a share can be picked, and its name ends with its key."""
    pieces: list[Piece] = []
    for nth, (place, share, value) in enumerate(kept):
        pieces += [Piece("+")] * (nth > 0)
        shown = in_parentheses(share)
        pieces += [
            Piece(shown, cell=f"w {place + 1}", hue=hue("weights", theme)),
            Piece("×"),
            Piece(in_parentheses(value), hue=hue("v", theme)),
        ]
    return pieces
