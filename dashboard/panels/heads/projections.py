"""One projection for all heads beside one for each: the same numbers, and where rounding parts them (H5)."""

from dataclasses import dataclass, replace

import streamlit as st
import torch
from torch import Tensor

from attention_core.components import DTYPES
from attention_core.experiments.one_projection import (
    Comparison,
    Form,
    add_in_order,
    compare_orders,
    compare_projections,
    draw_projection,
    project_each,
    project_once,
)
from attention_core.multi_head import split_heads
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import source
from dashboard.grid import compact, grid_part
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
# Up to these sizes all small matrices stand beside the large one; beyond, the chosen head's.
MOST_HEADS_SHOWN, MOST_WIDE_SHOWN = 4, 16
LIST_WIDTH, SLIDER_WIDTH, NUMBER_WIDTH = 210, 150, 130


@dataclass(frozen=True)
class Setting:
    """What is compared: the numbers in float64, the type, and how many heads."""

    x: Tensor
    w_q: Tensor
    dtype: str
    n_heads: int
    head: int
    seed: int
    language: Language


def projections(state: State) -> None:
    """Show the view; below it the functions that ran."""
    compare_matrices(state)
    ran = [draw_projection, project_once, project_each, add_in_order, compare_orders, compare_projections]
    source(ran, state.language)


@controls.fragment
def compare_matrices(state: State) -> bool:
    """Ask for the sizes and the type; show the matrices, their differences, and what each form gives."""
    language = state.language
    choose(state)
    if not has_legal_heads(state, FIELDS):
        return False
    setting = setting_of(state)
    records = compared(setting)
    said = [Line(prose(text), "prose") for text in say_projections(records, setting.x, setting.w_q, language)]
    parts: Parts = {
        "address": ("top", controls.address_part(state)),
        "note": ("top", note_part(setting)),
        **matrix_parts(setting),
        "apart": ("below", apart_part(records[state["projections_form"]], setting)),
        "forms": ("below", forms_part(records, language)),
        "said": ("end", lines_part(words.VIEW.say(language), said)),
    }
    asked = question_parts(records["matmul"], setting.x, setting.w_q, language)
    show_bench("bench.projections", parts | asked)
    return True


def choose(state: State) -> None:
    """Ask for the sizes, the type, the form and the head."""
    with st.container(horizontal=True):
        controls.slider(state, "projections_d_model", words.D_MODEL, words.D_MODEL_HELP, width=SLIDER_WIDTH)
        controls.slider(state, "projections_h", words.H, words.H_HELP, width=SLIDER_WIDTH)
        controls.slider(state, "projections_n", words.N, words.N_HELP, width=SLIDER_WIDTH)
        types = words.DTYPE, words.DTYPE_HELP, {name: name for name in DTYPES}
        controls.choose(state, "projections_dtype", *types, in_sidebar=True, width=NUMBER_WIDTH)
        controls.whole_number(state, "projections_seed", words.SEED, words.SEED_HELP, width=NUMBER_WIDTH)
        forms = words.FORM, words.FORM_HELP, words.FORMS
        controls.choose(state, "projections_form", *forms, in_sidebar=True, width=LIST_WIDTH)
        narrowed = {"highest": state["projections_h"], "moved": HEAD_MOVED}
        head = words.HEAD, words.HEAD_HELP
        controls.slider(state, "projections_head", *head, **narrowed, width=SLIDER_WIDTH)


def setting_of(state: State) -> Setting:
    """Draw the numbers that the state names."""
    seed, n, d_model = (state[f"projections_{name}"] for name in ("seed", "n", "d_model"))
    return Setting(
        *draw_projection(n, d_model, torch.Generator().manual_seed(seed)),
        dtype=state["projections_dtype"],
        n_heads=state["projections_h"],
        head=state["projections_head"],
        seed=seed,
        language=state.language,
    )


def compared(setting: Setting) -> dict[Form, Comparison]:
    """Project in each form in the chosen type."""
    n, d_model = setting.x.shape
    found = compare_projections(
        n=n,
        d_model=d_model,
        n_heads=setting.n_heads,
        generator=torch.Generator().manual_seed(setting.seed),
        dtypes=(setting.dtype,),
    )
    return {record.form: record for record in found}


def note_part(setting: Setting) -> Part:
    """Say where the numbers come from."""
    note = words.NOTE.say(setting.language, seed=setting.seed, dtype=setting.dtype, version=torch.__version__)
    return lines_part(words.VIEW.say(setting.language), [Line(prose(note), "note")])


def matrix_parts(setting: Setting) -> Parts:
    """Describe the large matrix, the columns of each head named, and the small ones beside it in the same scale."""
    language, w_q = setting.language, setting.w_q.to(DTYPES[setting.dtype])
    d_model, d_h = len(w_q), len(w_q) // setting.n_heads
    sizes = {"d_model": d_model, "d_h": d_h}
    own = range((setting.head - 1) * d_h, setting.head * d_h)
    big = w_part(
        w_q,
        words.BIG.say(language, **sizes, h=setting.n_heads),
        [column // d_h + 1 for column in range(d_model)],
        setting,
        marked=[(row, column) for row in range(d_model) for column in own] if setting.n_heads > 1 else [],
    )
    parts: Parts = {"w.big": ("below", big)}
    is_small = setting.n_heads <= MOST_HEADS_SHOWN and d_model <= MOST_WIDE_SHOWN
    for head in range(1, setting.n_heads + 1) if is_small else [setting.head]:
        w_head = split_heads(w_q, setting.n_heads)[head - 1]
        title = words.SMALL.say(language, **sizes, head=head)
        parts[f"w.{head}"] = ("below", w_part(w_head, title, [head] * d_h, setting))
    return parts


def w_part(
    w: Tensor,
    title: str,
    heads: list[int],
    setting: Setting,
    marked: list[tuple[int, int]] | None = None,
) -> Part:
    """Describe a weight matrix, each column under its head's name."""
    language = setting.language
    labels = replace(
        grid_labels(language, "row", "column"), marked=words.OF_HEAD.say(language, head=setting.head)
    )
    part = grid_part(
        w.double().numpy(),
        title=title,
        symbol="W^Q",
        labels=labels,
        column_labels=[words.HEAD_COLUMN.say(language, head=head) for head in heads],
        role="q",
        scale="diverging",
        domain=half_width(setting.w_q.numpy()),
        marked=marked or [],
    )
    return compact(part)


def apart_part(record: Comparison, setting: Setting) -> Part:
    """Describe the large product less the small ones, each column under its head's name."""
    language, d_h = setting.language, len(setting.w_q) // setting.n_heads
    title = words.APART.say(
        language, form=words.FORMS[record.form].say(language), difference=significant(record.difference)
    )
    part = grid_part(
        record.apart.numpy(),
        title=title,
        labels=replace(grid_labels(language, "token", "column"), value=words.APART_VALUE.say(language)),
        column_labels=[
            words.HEAD_COLUMN.say(language, head=column // d_h + 1) for column in range(len(setting.w_q))
        ],
        role="difference",
        scale="diverging",
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
