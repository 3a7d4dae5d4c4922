"""Four ways to reshape heads wrongly, each beside the right one, and the check that catches it (H4)."""

from collections.abc import Mapping
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
from dashboard.grid import GridLabels, compact, grid_part
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
    """Ask for the fault and the sizes; show both outputs, who moves whom, the literal, and every check."""
    language = state.language
    with st.container(horizontal=True):
        ways = words.WAY, words.WAY_HELP, words.WAYS
        controls.choose(state, "faults_way", *ways, in_sidebar=True, width=LIST_WIDTH)
        controls.slider(state, "faults_batch", words.BATCH, words.BATCH_HELP, width=NUMBER_WIDTH)
        controls.slider(state, "faults_n", words.N, words.N_HELP, width=NUMBER_WIDTH)
        controls.slider(state, "faults_d_model", words.D_MODEL, words.D_MODEL_HELP, width=NUMBER_WIDTH)
        controls.slider(state, "faults_h", words.H, words.H_HELP, width=NUMBER_WIDTH)
        controls.whole_number(state, "faults_seed", words.SEED, words.SEED_HELP, width=NUMBER_WIDTH)
    if not has_legal_heads(state, FIELDS):
        return False
    setting = setting_of(state)
    records = {record.way: record for record in records_of(setting)}
    pair = Pair(records["right"], records[state["faults_way"]], language)
    said = [Line(prose(text), "prose") for text in say_fault(pair.wrong, setting, language)]
    parts: Parts = {
        "address": ("top", controls.address_part(state)),
        "note": ("top", note_part(pair.wrong, setting.seed, language)),
        **out_parts(pair),
        **items_parts(pair),
        **reach_parts(pair),
        "checks": ("below", checks_part(tuple(records.values()), pair.wrong.way, language)),
        **literal_parts(pair),
        "said": ("end", lines_part(words.VIEW.say(language), said)),
    }
    show_bench("bench.faults", parts | question_parts(tuple(records.values()), language))
    return True


def note_part(record: WayRecord, seed: int, language: Language) -> Part:
    """Say where the numbers come from, and set each wrong line over the right one."""
    lines = [Line(prose(words.NOTE.say(language, seed=seed)), "note")]
    for line in record.lines:
        lines.append(Line(prose(words.WRONG_LINE.say(language, line=word(line.wrong))), "prose"))
        lines.append(Line(prose(words.RIGHT_LINE.say(language, line=word(line.right))), "prose"))
    return lines_part(words.VIEW.say(language), lines)


def out_parts(pair: Pair) -> Parts:
    """Describe both outputs of the first item in one scale."""
    right, wrong = pair.right.out[0], pair.wrong.out[0]
    reach = half_width(torch.stack((right, wrong)).numpy())
    labels = grid_labels(pair.language, "token", "column")
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


def reach_parts(pair: Pair) -> Parts:
    """Describe how far each token moves each row; what is forbidden and still is hatched, what is off is framed."""
    own = {"row": words.OUTPUT_ROW, "column": words.CHANGED_TOKEN}
    own |= {"value": words.REACH_VALUE, "masked": words.FORBIDDEN}
    maps = {"right": pair.right.moved, "wrong": pair.wrong.moved}
    titles = {"right": words.REACH_RIGHT, "wrong": words.REACH_WRONG}
    drawn = moves_parts(maps, causal(len(pair.right.moved)), titles, own, pair.language)
    return {f"reach.{name}": ("below", part) for name, part in drawn.items()}


def items_parts(pair: Pair) -> Parts:
    """Describe how far each item moves each other, for the way that lays items wrongly; the table has it for all."""
    if pair.wrong.way != "heads_before_batch":
        return {}
    own = {"row": words.OUTPUT_ITEM, "column": words.CHANGED_ITEM}
    own |= {"value": words.ITEMS_VALUE, "masked": words.OTHER_ITEM}
    maps = {"right": pair.right.moved_items, "wrong": pair.wrong.moved_items}
    titles = {"right": words.ITEMS_RIGHT, "wrong": words.ITEMS_WRONG}
    same = torch.eye(len(pair.right.moved_items), dtype=torch.bool)
    drawn = moves_parts(maps, same, titles, own, pair.language)
    return {f"items.{name}": (SIDES[name], part) for name, part in drawn.items()}


def moves_parts(
    maps: Mapping[str, Tensor],
    expected: Tensor,
    titles: Mapping[str, Text],
    own: Mapping[str, Text],
    language: Language,
) -> dict[str, Part]:
    """Describe two maps of who moves whom in one scale.

    Args:
        own: The words of the grids that are their own, by their names in GridLabels.
    """
    said = {name: text.say(language) for name, text in own.items()}
    labels = replace(grid_labels(language, "row", "column"), marked=words.NOT_RIGHT.say(language), **said)
    most = max(float(moved.max()) for moved in maps.values())
    return {
        name: moves_part(moved, expected, titles[name].say(language), labels, most)
        for name, moved in maps.items()
    }


def moves_part(moved: Tensor, expected: Tensor, title: str, labels: GridLabels, most: float) -> Part:
    """Describe who moves whom, framed wherever it is not as expected."""
    is_moved = moved > TOLERANCE
    return compact(
        grid_part(
            moved.numpy(),
            title=title,
            labels=labels,
            role="difference",
            scale="sequential",
            domain=most or None,
            masked=(~expected & ~is_moved).numpy(),
            marked=[tuple(cell) for cell in (is_moved != expected).nonzero().tolist()],
        )
    )


def literal_parts(pair: Pair) -> Parts:
    """Describe what was split or merged by hand beside what the chosen way makes of it; for softmax, row sums."""
    way, language = pair.wrong.way, pair.language
    if way == "softmax_over_heads":
        return weights_parts(pair)
    x, heads = hand_literal()
    if way == "merge_without_transpose":
        merged = STEPS[way].merge(heads, heads.shape[1])[0]
        titles = words.HAND_MERGE_RIGHT.say(language), words.HAND_MERGE_WRONG.say(language)
        return hand_parts(x[0], merged, titles, None, language)
    n_shown = len(x) if way == "heads_before_batch" else 1
    split = STEPS[way].split(x, heads.shape[1]).reshape(heads.shape)[:n_shown]
    right = heads[:n_shown]
    last = int(right.max())
    titles = words.HAND_SPLIT_RIGHT.say(language, last=last), words.HAND_SPLIT_WRONG.say(language)
    return hand_parts(
        right.flatten(0, 2), split.flatten(0, 2), titles, hand_rows(right.shape, language), language
    )


def hand_rows(shape: torch.Size, language: Language) -> list[str]:
    """Name each row of heads laid under one another."""
    text = words.HAND_ITEM_ROW if shape[0] > 1 else words.HAND_ROW
    names = []
    for item, head, position in torch.cartesian_prod(
        *(torch.arange(side) + 1 for side in shape[:3])
    ).tolist():
        place = {"item": item, "head": head, "position": position}
        names.append(text.say(language, **{name: place[name] for name in text.fields(language)}))
    return names


def hand_parts(
    right: Tensor, wrong: Tensor, titles: tuple[str, str], rows: list[str] | None, language: Language
) -> Parts:
    """Describe two small grids, the numbers that are not by hand framed."""
    off = [tuple(cell) for cell in (right != wrong).nonzero().tolist()]
    right_part = hand_part(right, titles[0], rows, [], language)
    wrong_part = hand_part(wrong, titles[1], rows, off, language)
    return {"hand.right": ("below", right_part), "hand.wrong": ("below", wrong_part)}


def hand_part(
    numbers: Tensor, title: str, rows: list[str] | None, off: list[tuple[int, ...]], language: Language
) -> Part:
    """Describe whole numbers, written as such."""
    labels = replace(grid_labels(language, "row", "column"), marked=words.NOT_RIGHT.say(language))
    part = grid_part(numbers.numpy(), title=title, labels=labels, row_labels=rows, role="x", marked=off)
    texts = [str(int(number)) for number in numbers.flatten().tolist()]
    return compact(replace(part, data={**part.data, "texts": texts, "exact": texts}))


def weights_parts(pair: Pair) -> Parts:
    """Describe the first head's weights of the first item, with the sum of each row."""
    parts: Parts = {}
    titles = {"right": words.WEIGHTS_RIGHT, "wrong": words.WEIGHTS_WRONG}
    seen = causal(pair.right.moved.shape[0])
    for name, record in (("right", pair.right), ("wrong", pair.wrong)):
        weights = record.weights[0, 0]
        is_off = (weights != 0) & ~seen
        part = grid_part(
            weights.numpy(),
            title=titles[name].say(pair.language),
            labels=replace(
                grid_labels(pair.language, "query", "key"), marked=words.NOT_RIGHT.say(pair.language)
            ),
            role="weights",
            scale="sequential",
            masked=(~seen & ~is_off).numpy(),
            marked=[tuple(cell) for cell in is_off.nonzero().tolist()],
            footer=[significant(total) for total in weights.sum(dim=-1).tolist()],
        )
        parts[f"hand.{name}"] = ("below", compact(part))
    return parts
