"""Five wrong ways that keep the shape, each beside the right one, and the check that catches it (H4)."""

from dataclasses import dataclass, replace

import streamlit as st
import torch
from torch import Tensor

from attention_core.experiments.reshape_faults import (
    STEPS,
    TOLERANCE,
    WayRecord,
    compare_faults,
    hand_literal,
    run_way,
    take_round_trips,
)
from attention_core.masks import causal
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import source
from dashboard.grid import compact, grid_part
from dashboard.grid.bench import Area, Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose, word
from dashboard.grid.picture import half_width
from dashboard.number_format import significant
from dashboard.number_table import grid_labels
from dashboard.panels.heads.fault_model import SHOWN, records_of, setting_of
from dashboard.panels.heads.fault_said import checks_part, question_parts, say_fault
from dashboard.panels.heads.legal import has_legal_heads
from dashboard.text import Language, Text
from dashboard.text import head_faults as words

Parts = dict[str, tuple[Area, Part]]

FIELDS = {"h": "faults_h", "d_model": "faults_d_model"}
# Two columns: a pair of grids in a row that wraps would part where a third one fits.
SIDES: dict[str, Area] = {"right": "left", "wrong": "right"}
LIST_WIDTH, NUMBER_WIDTH = 210, 130


@dataclass(frozen=True)
class Pair:
    """The chosen way beside the right one."""

    right: WayRecord
    wrong: WayRecord
    language: Language


def faults(state: State) -> None:
    """Show the view; below it the functions that ran."""
    lay_beside(state)
    steps = [step for way in SHOWN for step in vars(STEPS[way]).values()]
    source([*dict.fromkeys(steps), run_way, compare_faults, take_round_trips], state.language)


@controls.fragment
def lay_beside(state: State) -> bool:
    """Ask for the fault and the sizes; show the small example, both outputs, who moves whom, and every check."""
    language, row = state.language, st.container(horizontal=True)  # filled last: see controls.fragment
    if not has_legal_heads(state, FIELDS):
        with row:
            choose(state)
        return False
    setting = setting_of(state)
    records = {record.way: record for record in records_of(setting)}
    pair = Pair(records["right"], records[state["faults_way"]], language)
    said = [Line(prose(text), "prose") for text in say_fault(pair.wrong, setting, language)]
    parts: Parts = {
        "address": ("top", controls.address_part(state)),
        "note": ("top", note_part(pair.wrong, setting.seed, language)),
        **literal_parts(pair),
        **out_parts(pair),
        "reach": ("below", reach_part(pair)),
        **items_parts(pair),
        "checks": ("below", checks_part(tuple(records.values()), language)),
        "said": ("end", lines_part(words.VIEW.say(language), said)),
    }
    show_bench("bench.faults", parts | question_parts(tuple(records.values()), language))
    with row:
        choose(state)
    return True


def choose(state: State) -> None:
    """Ask for the fault and the sizes."""
    ways = words.WAY, words.WAY_HELP, words.WAYS
    controls.choose(state, "faults_way", *ways, in_sidebar=True, width=LIST_WIDTH)
    controls.slider(state, "faults_batch", words.BATCH, words.BATCH_HELP, width=NUMBER_WIDTH)
    controls.slider(state, "faults_n", words.N, words.N_HELP, width=NUMBER_WIDTH)
    controls.slider(state, "faults_d_model", words.D_MODEL, words.D_MODEL_HELP, width=NUMBER_WIDTH)
    controls.slider(state, "faults_h", words.H, words.H_HELP, width=NUMBER_WIDTH)
    controls.whole_number(state, "faults_seed", words.SEED, words.SEED_HELP, width=NUMBER_WIDTH)


def note_part(record: WayRecord, seed: int, language: Language) -> Part:
    """Say where the numbers come from, and set each wrong line over the right one."""
    lines = [Line(prose(words.NOTE.say(language, seed=seed)), "note")]
    for line in record.lines:
        lines.append(Line(prose(words.WRONG_LINE.say(language, line=word(line.wrong))), "prose"))
        lines.append(Line(prose(words.RIGHT_LINE.say(language, line=word(line.right))), "prose"))
    return lines_part(words.VIEW.say(language), lines, has_own_row=True)


def out_parts(pair: Pair) -> Parts:
    """Describe both outputs of the first item in one scale."""
    right, wrong = pair.right.out[0], pair.wrong.out[0]
    reach = half_width(torch.stack((right, wrong)).numpy())
    labels = grid_labels(pair.language, "token", "column")
    labels = replace(labels, value=words.OUT_VALUE.say(pair.language))
    return {
        f"out.{name}": (
            SIDES[name],
            compact(
                grid_part(
                    out.numpy(),
                    title=title.say(pair.language),
                    labels=labels,
                    role="out",
                    scale="diverging",
                    domain=reach,
                )
            ),
        )
        for name, title, out in (("right", words.OUT_RIGHT, right), ("wrong", words.OUT_WRONG, wrong))
    }


def reach_part(pair: Pair) -> Part:
    """Describe how far each token moves each row; what is forbidden is hatched, what is off is framed."""
    own = {"row": words.OUTPUT_ROW, "column": words.CHANGED_TOKEN}
    own |= {"value": words.REACH_VALUE, "masked": words.FORBIDDEN}
    moved = pair.wrong.moved
    return moves_part(moved, causal(len(moved)), words.REACH, own, pair.language)


def items_parts(pair: Pair) -> Parts:
    """Describe how far each item moves each other, for the way that lays items wrongly; the table has it for all."""
    if pair.wrong.way != "heads_before_batch":
        return {}
    own = {"row": words.OUTPUT_ITEM, "column": words.CHANGED_ITEM}
    own |= {"value": words.ITEMS_VALUE, "masked": words.OTHER_ITEM}
    moved = pair.wrong.moved_items
    same = torch.eye(len(moved), dtype=torch.bool)
    return {"items": ("below", moves_part(moved, same, words.ITEMS, own, pair.language))}


def moves_part(
    moved: Tensor, expected: Tensor, title: Text, own: dict[str, Text], language: Language
) -> Part:
    """Describe who moves whom, framed wherever it is not as expected.

    Args:
        own: The words of the grid that are its own, by their names in GridLabels.
    """
    said = {name: text.say(language) for name, text in own.items()}
    is_moved = moved > TOLERANCE
    part = grid_part(
        moved.numpy(),
        title=title.say(language),
        labels=replace(grid_labels(language, "row", "column"), marked=words.NOT_RIGHT.say(language), **said),
        role="difference",
        scale="sequential",
        domain=float(moved.max()) or None,
        masked=(~expected & ~is_moved).numpy(),
        marked=[tuple(cell) for cell in (is_moved != expected).nonzero().tolist()],
    )
    return compact(part)


def literal_parts(pair: Pair) -> Parts:
    """Describe what was split or merged by hand beside what the chosen way makes of it; for softmax, row sums."""
    way, language = pair.wrong.way, pair.language
    if way == "softmax_over_heads":
        return weights_parts(pair)
    x, heads = hand_literal()
    n_heads = heads.shape[1]
    n_shown = len(x) if way == "heads_before_batch" else 1
    if way == "merge_without_transpose":
        given, right, wrong = heads, x, STEPS[way].merge(heads, n_heads)
        title, titles = words.HAND_HEADS, words.HAND_MERGED
    else:
        given, right, wrong = x, heads, STEPS[way].split(x, n_heads).reshape(heads.shape)
        title, titles = words.HAND_X, words.HAND_SPLIT
    given, right, wrong = (numbers[:n_shown] for numbers in (given, right, wrong))
    off = [tuple(cell) for cell in (flat(right) != flat(wrong)).nonzero().tolist()]
    said = (title.say(language, last=int(given.max())), *(text.say(language) for text in titles))
    return {
        f"hand.{name}": ("top", hand_part(numbers, text, framed, language))
        for name, numbers, text, framed in zip(
            ("given", "right", "wrong"), (given, right, wrong), said, ([], [], off), strict=True
        )
    }


def flat(numbers: Tensor) -> Tensor:
    """Lay all matrices under one another."""
    return numbers.flatten(0, -2)


def hand_part(numbers: Tensor, title: str, off: list[tuple[int, ...]], language: Language) -> Part:
    """Describe whole numbers, written as such, in the colour of the head that they belong to."""
    owner, reach = hand_owners()
    names = ["item", "head", "position"] if numbers.ndim > 3 else ["item", "position"]
    skipped = 1 if len(numbers) == 1 else 0
    axes = "·".join(words.HAND_AXES[name].say(language) for name in names[skipped:])
    sides = [torch.arange(side) + 1 for side in numbers.shape[skipped:-1]]
    places = torch.cartesian_prod(*sides).reshape(-1, len(sides)).tolist()
    own = {"row": axes, "marked": words.NOT_RIGHT.say(language)}
    part = grid_part(
        owner[flat(numbers).long()].numpy(),
        title=title,
        labels=replace(grid_labels(language, "row", "column"), **own),
        row_labels=["·".join(map(str, place)) for place in places] if len(sides) > 1 else None,
        role="x",
        scale="diverging",
        domain=reach,
        marked=off,
    )
    texts = [str(int(number)) for number in numbers.flatten().tolist()]
    return compact(replace(part, data={**part.data, "texts": texts, "exact": texts, "ends": []}))


def hand_owners() -> tuple[Tensor, float]:
    """Give for each number by hand a shade: head 1 on one side of 0, head 2 on the other, a later item farther off."""
    heads = hand_literal()[1]
    owner = torch.zeros(heads.numel(), dtype=torch.float64)
    for item, of_item in enumerate(heads, start=1):
        for sign, of_head in zip((1, -1), of_item, strict=True):
            owner[of_head.flatten().long()] = sign * item
    return owner, 2.0 * len(heads)


def weights_parts(pair: Pair) -> Parts:
    """Describe the first head's weights of the first item, with the sum of each row."""
    parts: Parts = {}
    titles = {"right": words.WEIGHTS_RIGHT, "wrong": words.WEIGHTS_WRONG}
    own = {"marked": words.NOT_RIGHT.say(pair.language), "value": words.WEIGHT.say(pair.language)}
    seen = causal(pair.right.moved.shape[0])
    for name, record in (("right", pair.right), ("wrong", pair.wrong)):
        weights = record.weights[0, 0]
        is_off = (weights != 0) & ~seen
        part = grid_part(
            weights.numpy(),
            title=titles[name].say(pair.language),
            labels=replace(grid_labels(pair.language, "query", "key"), **own),
            role="weights",
            scale="sequential",
            masked=(~seen & ~is_off).numpy(),
            marked=[tuple(cell) for cell in is_off.nonzero().tolist()],
            footer=[significant(total) for total in weights.sum(dim=-1).tolist()],
        )
        parts[f"hand.{name}"] = ("top", compact(part))
    return parts
