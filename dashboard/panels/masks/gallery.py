"""Masks by rule, by hand or from a file: what they allow and cost, and who can influence whom (M6)."""

from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st
import torch

from attention_core.mask_csv import read_mask_csv, write_mask_csv
from attention_core.mask_facts import layers_until, measure_mask, reach
from attention_core.patterns import PATTERNS, Parameter
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import source
from dashboard.grid import as_bits, compact, grid_part
from dashboard.grid.bench import Area, Offer, Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.grid.picture import PIXELS_LIMIT
from dashboard.number_table import grid_labels
from dashboard.panels.masks.gallery_fields import FILE, MOST_PIXELS_OF_TWO, MOST_REACHED, field_name
from dashboard.panels.masks.gallery_model import Drawn, draw_mask, flip, kinds, side_of_image
from dashboard.panels.masks.gallery_readings import facts, image, marks, note, question_parts, readings
from dashboard.panels.masks.gallery_table import edit_as_table
from dashboard.panels.masks.gallery_upload import ask_for_file
from dashboard.text import Language, Text
from dashboard.text import mask_gallery as words

SHARES = tuple(step / 20 for step in range(21))


@controls.fragment
def gallery(state: State) -> bool:
    """Choose, join, draw or upload a mask; see what it allows and who can influence whom through it.

    The code stands inside the fragment, for it follows the pattern.
    """
    is_shown = patterned(state)
    made = [PATTERNS[kind].constructor for kind in kinds(state) if kind != FILE]
    read = [read_mask_csv] if FILE in kinds(state) else []
    source([*dict.fromkeys(made), *read, measure_mask, reach, layers_until], state.language)
    return is_shown


def patterned(state: State) -> bool:
    """Ask for mask and layers; show both pictures and what they say; tell whether there is a mask to show."""
    from_file = ask(state)
    if state["gallery_pattern"] == FILE and from_file is None:
        return False
    drawn = draw_mask(state, from_file)
    n, layers, has_residual = len(drawn.allowed), state["gallery_layers"], state["gallery_residual"]
    reached = reach(drawn.allowed, layers, has_residual=has_residual) if n <= MOST_REACHED else None
    language = state.language
    pictures = {"mask": mask_part(state, drawn, is_alone=reached is None)}
    if reached is not None:
        pictures["field"] = field_part(state, reached)
    noted = " · ".join([note(state, drawn), *marks(pictures, language)])
    parts: dict[str, tuple[Area, Part]] = {
        "address": ("top", controls.address_part(state)),
        "note": ("top", said_part(words.FACTS, [noted], language, "note")),
        "mask": ("top", pictures["mask"]),
    }
    if "field" in pictures:
        parts["field"] = ("top", pictures["field"])
    parts |= {
        "said": ("below", said_part(words.PATTERN, readings(state, drawn, reached), language)),
        "facts": ("below", said_part(words.FACTS, facts(state, drawn), language)),
        **question_parts(state, drawn),
    }
    show_bench("bench.gallery", parts)
    edit_as_table(state, from_file, drawn)
    ask_widths(state)
    return True


def said_part(label: Text, said: list[str], language: Language, kind: str = "prose") -> Part:
    """Describe sentences."""
    return lines_part(label.say(language), [Line(prose(text), kind) for text in said])


def ask(state: State) -> torch.Tensor | None:
    """Show the controls; give the mask of the reader's file where that is the pattern."""
    with st.container(horizontal=True):
        names = {**words.PATTERNS, FILE: words.FILE_PATTERN}
        pattern = words.PATTERN, words.PATTERN_HELP, names
        controls.choose(state, "gallery_pattern", *pattern, in_sidebar=True, width=190)
        controls.whole_number(state, "gallery_n", words.N, words.N_HELP, width=150)
        ask_parameters(state, 0)
    from_file = ask_for_file(state) if state["gallery_pattern"] == FILE else None
    with st.container(horizontal=True):
        controls.slider(state, "gallery_layers", words.LAYERS, words.LAYERS_HELP, width=220)
        controls.toggle(state, "gallery_residual", words.RESIDUAL, words.RESIDUAL_HELP)
        controls.choose(state, "gallery_join", words.JOIN, words.JOIN_HELP, words.JOINS)
        if state["gallery_join"] != "alone":
            second = words.SECOND, words.SECOND_HELP, words.PATTERNS
            controls.choose(state, "gallery_second", *second, in_sidebar=True, width=190)
            ask_parameters(state, 1)
    offer_changes(state)
    return from_file


def offer_changes(state: State) -> None:
    """Offer to take back what was flipped, and as many tokens as an image has patches."""
    language, count, side = state.language, len(state["gallery_cells"]), side_of_image(state)
    if count:
        label = words.REMOVE_CELLS.say(language, count=count)
        controls.button(label, "gallery.remove.cells", state.reset, ("gallery_cells",))
    if side:
        st.caption("  \n".join(image(state)))
        label = words.REDRAW.say(language, n=side)
        controls.button(label, "gallery.take.image", state.put, "gallery_n", side)


def ask_widths(state: State) -> None:
    """Ask for the widths that FLOPs are counted with; folded away."""
    with controls.disclosure(words.WIDTHS.say(state.language), "gallery.widths") as is_open:
        if is_open:
            with st.container(horizontal=True):
                controls.whole_number(state, "gallery_d_k", words.D_K, words.WIDTH_HELP, width=240)
                controls.whole_number(state, "gallery_d_v", words.D_V, words.WIDTH_HELP, width=240)


def ask_parameters(state: State, place: int) -> None:
    """Show a control for each parameter of the first or the second pattern."""
    kind = kinds(state)[place]
    for parameter in () if kind == FILE else PATTERNS[kind].parameters:
        ask_parameter(state, place, kind, parameter)


def ask_parameter(state: State, place: int, kind: str, parameter: Parameter) -> None:
    """Show the control that fits a parameter: a switch, a slider, or a box where the range is too wide for one."""
    field = field_name(place, kind, parameter.name)
    own = f"{kind}.{parameter.name}"
    name = own if own in words.PARAMETERS else parameter.name
    said = words.PARAMETERS[name], words.PARAMETER_HELP[name]
    if isinstance(parameter.default, bool):
        controls.toggle(state, field, *said)
    elif isinstance(parameter.default, float):
        controls.steps(state, field, *said, SHARES, "{:g}".format, width=190)
    elif parameter.name == "seed":
        controls.whole_number(state, field, *said, width=130)
    else:
        # Beyond the side a whole number changes nothing any more. One that is larger stays, for when N grows again.
        highest = max(state["gallery_n"], state[field])
        controls.slider(state, field, *said, highest=highest, width=190)


def mask_part(state: State, drawn: Drawn, *, is_alone: bool) -> Part:
    """Describe the mask; its cells can be flipped where each is drawn by itself."""
    language = state.language
    labels = replace(
        grid_labels(language, "query", "key"),
        value=words.SEEN.say(language),
        footer=words.KEYS_SEEN.say(language),
        edited=words.FLIPPED.say(language),
        keys=words.FLIP_KEYS.say(language),
    )
    return bits_part(
        drawn.allowed,
        most_pixels=PIXELS_LIMIT if is_alone else MOST_PIXELS_OF_TWO,
        title=words.MASK_TITLE.say(language),
        labels=labels,
        role="mask",
        edited=drawn.flipped,
        on_pick=partial(flip, state) if len(drawn.allowed) <= MOST_PIXELS_OF_TWO else None,
    )


def field_part(state: State, reached: torch.Tensor) -> Part:
    """Describe who can influence whom."""
    language, layers = state.language, state["gallery_layers"]
    labels = replace(
        grid_labels(language, "query", "key"),
        value=words.REACHED.say(language),
        footer=words.INPUTS.say(language),
    )
    title = (
        words.FIELD_TITLE_ONE.say(language) if layers == 1 else words.FIELD_TITLE.say(language, layers=layers)
    )
    return bits_part(reached, most_pixels=MOST_PIXELS_OF_TWO, title=title, labels=labels)


def bits_part(bits: torch.Tensor, *, title: str, most_pixels: int, **described: Any) -> Part:
    """Describe a matrix of yes and no: 1 and 0 in its cells, each row's count at its end, a file of 0 and 1."""
    n = len(bits)
    part = grid_part(
        bits.double().numpy(),
        title=f"{title}  {n} × {n}",
        scale="sequential",
        masked=(~bits).numpy(),
        footer=[str(count) for count in bits.sum(dim=-1).tolist()],
        most_pixels=most_pixels,
        **described,
    )
    # Yes and no need no scale.
    data = {**part.data, "ends": []}
    if part.data["mode"] == "cells":
        return as_bits(replace(part, data=data))
    caption = f"{described['labels'].download_csv}: {title}"
    return compact(replace(part, data=data, offer=Offer(caption, lambda: write_mask_csv(bits))))
