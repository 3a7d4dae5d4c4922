"""One projection for all heads beside one for each: the same numbers, and where rounding parts them (H5)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st
import torch
from torch import Tensor

from attention_core.components import DTYPES, DTypeName
from attention_core.experiments.one_projection import (
    Comparison,
    Form,
    Orders,
    add_in_order,
    compare_orders,
    compare_projections,
    draw_projection,
    project_each,
    project_once,
)
from attention_core.multi_head import split_heads
from dashboard import controls
from dashboard.cached import shared
from dashboard.controls import State
from dashboard.frame import source
from dashboard.grid import coloured_in, compact, grid_part
from dashboard.grid.bench import Area, Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.grid.picture import half_width
from dashboard.number_format import significant
from dashboard.number_table import grid_labels, table_part
from dashboard.panels.heads.legal import has_legal_heads
from dashboard.panels.heads.projection_said import question_parts, say_projections
from dashboard.text import Language
from dashboard.text import head_projections as words
from dashboard.text.heads import HEAD_MOVED

Parts = dict[str, tuple[Area, Part]]

FIELDS = {"h": "projections_h", "d_model": "projections_d_model"}
# Where the table counts differences in steps of the type: small whole numbers and halves.
STEPS_COLUMN = 2
SLIDER_WIDTH, NUMBER_WIDTH = 150, 130


@dataclass(frozen=True)
class Setting:
    """Sizes, seed and type, as the caches take them."""

    n: int
    d_model: int
    n_heads: int
    seed: int
    dtype: DTypeName


@dataclass(frozen=True, eq=False)
class Compared:
    """The numbers in float64, and what each form makes of them in the type.

    Attributes:
        orders: In every type, what adding backwards changes.
    """

    x: Tensor
    w_q: Tensor
    forms: dict[Form, Comparison]
    orders: dict[DTypeName, Orders]


def projections(state: State) -> None:
    """Show the view; below it the functions that ran."""
    compare_matrices(state)
    ran = [draw_projection, project_once, project_each, add_in_order, compare_orders, compare_projections]
    source(ran, state.language)


@controls.fragment
def compare_matrices(state: State) -> bool:
    """Ask for the sizes and the type; show what is multiplied, what comes out for one head, and all forms."""
    language, row = state.language, st.container(horizontal=True)  # filled last: see controls.fragment
    if not has_legal_heads(state, FIELDS):
        with row:
            choose(state)
        return False
    names = ("n", "d_model", "h", "seed", "dtype")
    setting = Setting(*(state[f"projections_{name}"] for name in names))
    found, wish = compared(setting), state.narrow("projections_head", setting.n_heads)
    head = state["projections_head"]
    said = [Line(prose(text), "prose") for text in say_projections(found.forms, found.orders, language)]
    parts: Parts = {
        "address": ("top", controls.address_part(state)),
        "note": ("top", note_part(setting, wish, head, language)),
        **matrix_parts(found, setting, head, language, partial(pick_head, state, setting)),
        "forms": ("below", forms_part(found.forms, language)),
        "said": ("end", lines_part(words.VIEW.say(language), said)),
    }
    asked = question_parts(found.forms["matmul"], found.orders, language)
    show_bench("bench.projections", parts | asked)
    with row:
        choose(state)
    return True


def choose(state: State) -> None:
    """Ask for the sizes and the type; the head is picked in the large matrix."""
    controls.slider(state, "projections_d_model", words.D_MODEL, words.D_MODEL_HELP, width=SLIDER_WIDTH)
    controls.slider(state, "projections_h", words.H, words.H_HELP, width=SLIDER_WIDTH)
    controls.slider(state, "projections_n", words.N, words.N_HELP, width=SLIDER_WIDTH)
    types = words.DTYPE, words.DTYPE_HELP, {name: name for name in DTYPES}
    controls.choose(state, "projections_dtype", *types, in_sidebar=True, width=NUMBER_WIDTH)
    controls.whole_number(state, "projections_seed", words.SEED, words.SEED_HELP, width=NUMBER_WIDTH)


# Of the largest sizes some 100 KiB.
@shared(64)
def compared(setting: Setting) -> Compared:
    """Project in each form in the chosen type, and add in two orders in every type."""
    n, d_model, seed = setting.n, setting.d_model, setting.seed
    x, w_q = draw_projection(n, d_model, torch.Generator().manual_seed(seed))
    forms = compare_projections(
        n=n,
        d_model=d_model,
        n_heads=setting.n_heads,
        generator=torch.Generator().manual_seed(seed),
        dtypes=(setting.dtype,),
    )
    orders = {name: compare_orders(x.to(dtype), w_q.to(dtype)) for name, dtype in DTYPES.items()}
    return Compared(x, w_q, {record.form: record for record in forms}, orders)


def pick_head(state: State, setting: Setting, _row: int, column: int) -> None:
    """Take the head that a column of the large matrix belongs to."""
    state.put("projections_head", column // (setting.d_model // setting.n_heads) + 1)


def note_part(setting: Setting, wish: int, head: int, language: Language) -> Part:
    """Say where the numbers come from, and that there is no such head as the one asked for."""
    note = words.NOTE.say(language, seed=setting.seed, dtype=setting.dtype, version=torch.__version__)
    notes = [note] if wish == head else [note, HEAD_MOVED.say(language, given=wish, used=head)]
    return lines_part(words.VIEW.say(language), [Line(prose(text), "note") for text in notes])


def matrix_parts(
    found: Compared,
    setting: Setting,
    head: int,
    language: Language,
    on_pick: Callable[[int, int], None],
) -> Parts:
    """Describe x and the large matrix, and for one head the small one and what comes out of both."""
    d_model, n_heads = setting.d_model, setting.n_heads
    d_h, dtype = d_model // n_heads, DTYPES[setting.dtype]
    own = range((head - 1) * d_h, head * d_h)
    sizes = {"n": setting.n, "d_model": d_model, "h": n_heads, "d_h": d_h, "head": head}
    w_q, matmul = found.w_q.to(dtype), found.forms["matmul"]
    of_w = {"symbol": "W^Q", "role": "q", "domain": half_width(found.w_q.numpy())}
    of_q = {"symbol": "Q", "role": "q", "row": "token"}
    of_q["domain"] = half_width(matmul.big.heads.double().numpy())
    heads = [words.HEAD_COLUMN.say(language, head=column // d_h + 1) for column in range(d_model)]
    texts = {name: text.say(language, **sizes) for name, text in words.MATRICES.items()}
    drawn = {
        "x": (found.x.to(dtype), {"role": "x", "row": "token", "symbol": "X"}),
        "w.big": (w_q, of_w | {"columns": heads, "on_pick": on_pick}),
        "w.small": (split_heads(w_q, n_heads)[head - 1], of_w),
        "q.big": (matmul.big.heads[head - 1], of_q),
        "q.small": (matmul.small.heads[head - 1], of_q),
        "apart": (matmul.apart[:, own.start : own.stop], {"role": "difference", "row": "token"}),
    }
    parts = {
        name: matrix_part(numbers, texts[name], language, **described)
        for name, (numbers, described) in drawn.items()
    }
    parts["w.big"] = coloured_in(parts["w.big"], own)
    return {name: ("below", part) for name, part in parts.items()}


def matrix_part(
    numbers: Tensor,
    title: str,
    language: Language,
    *,
    row: str = "row",
    columns: list[str] | None = None,
    **described: Any,
) -> Part:
    """Describe one matrix, coloured on both sides of 0."""
    value = described.get("symbol") or words.DIFFERENCE.say(language)
    part = grid_part(
        numbers.double().numpy(),
        title=title,
        labels=replace(grid_labels(language, row, "column"), value=value),
        column_labels=columns,
        scale="diverging",
        **described,
    )
    return compact(part)


def forms_part(records: dict[Form, Comparison], language: Language) -> Part:
    """Describe the table with a row for each form."""
    rows = [
        [
            record.difference,
            record.relative_difference,
            record.difference / record.step if record.step else 0.0,
            record.n_different,
            record.big.n_products,
            record.small.n_products,
            record.big.n_parameters,
            record.small.n_parameters,
        ]
        for record in records.values()
    ]
    part = table_part(
        rows,
        words.TABLE.say(language),
        language,
        rows=[words.FORMS[form].say(language) for form in records],
        columns=[text.say(language) for text in words.COLUMNS],
        verdicts=[", ".join(map(str, record.small.widths)) for record in records.values()],
        verdict=words.WIDTHS.say(language),
    )
    texts = [
        str(one) if isinstance(one, int) else f"{one:.3g}" if place == STEPS_COLUMN else significant(one)
        for row in rows
        for place, one in enumerate(row)
    ]
    own = {**part.data["words"], "row": words.FORM_ROW.say(language)}
    return replace(part, data={**part.data, "texts": texts, "words": own})
