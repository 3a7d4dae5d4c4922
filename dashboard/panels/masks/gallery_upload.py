"""A mask from the reader's file: read once, when it arrives, and kept for the visit."""

import math
from dataclasses import dataclass

import streamlit as st
import torch

from attention_core.mask_csv import MAX_CSV_BYTES, MaskFileError, as_csv, read_mask_csv
from attention_core.patterns import MAX_SIDE
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import code_span
from dashboard.link import number, shorten
from dashboard.panels.masks.gallery_fields import FILE
from dashboard.panels.masks.gallery_model import draw_mask
from dashboard.text import Language
from dashboard.text import mask_gallery as words

KEY = "gallery.file"
KEPT = "gallery.upload"
MOST_MEGABYTES = -(-MAX_CSV_BYTES // 1024**2)
# As it is said: no more than it is.
LIMIT = f"{MAX_CSV_BYTES // 10**5 / 10} MB"


@dataclass(frozen=True)
class Upload:
    """A file and the mask in it, or why there is none.

    Attributes:
        name: None for a table that the reader typed in the place of a file.
        fault: As MaskFileError says it: which rule, and what the rule needs to be told.
    """

    name: str | None
    allowed: torch.Tensor | None
    fault: tuple[str, tuple[int | str, ...]] | None = None


def read_upload(name: str | None, data: bytes | str, n: int) -> Upload:
    """Read a file as a mask of n tokens, or else of as many as it has lines, with a header above or without.

    Returns:
        The mask, or the fault that says most: a wrong cell in a table of a square's shape, else the shape.
    """
    try:
        return Upload(name, read_mask_csv(data, n, n))
    except MaskFileError as error:
        fault = error.kind, error.values
    rows = {"wrong_shape": int(fault[1][0]), "wrong_cell": n}.get(fault[0], 0)
    for side in (rows, rows - 1):
        if not 1 <= side <= MAX_SIDE:
            continue
        try:
            return Upload(name, read_mask_csv(data, side, side))
        except MaskFileError as error:
            if error.kind != "wrong_shape" and not _is_wrong_number(fault):
                fault = error.kind, error.values
    return Upload(name, None, fault)


def _is_wrong_number(fault: tuple[str, tuple[object, ...]]) -> bool:
    """Tell whether a cell was refused that is a number: it stands in the mask, for names are none."""
    return fault[0] == "wrong_cell" and number(str(fault[1][-1]), math.inf) is not None


def with_commas(data: bytes) -> bytes | str:
    """Put commas into a file that has none: cells are as often kept apart by spaces, tabs or semicolons, or by nothing.

    Example:
        >>> with_commas(b"1 0\\n1 1"), with_commas(b"1,0\\n1,1")
        ('1,0\\n1,1', b'1,0\\n1,1')
    """
    try:
        separated = data if b"," in data else as_csv(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return data
    return separated if len(separated) <= MAX_CSV_BYTES else data


def keep_upload(upload: Upload) -> None:
    """Keep a mask for this visit."""
    st.session_state[KEPT] = upload


def kept_upload() -> Upload | None:
    """Give what this visit has uploaded."""
    return st.session_state.get(KEPT)


def ask_for_file(state: State) -> torch.Tensor | None:
    """Ask for the file and say what is wrong with it; give its mask where it has the chosen side."""
    language, n = state.language, state["gallery_n"]
    st.file_uploader(
        words.UPLOAD.say(language),
        type=["csv", "txt"],
        key=KEY,
        max_upload_size=MOST_MEGABYTES,
        help=words.UPLOAD_HELP.say(language, limit=LIMIT),
        on_change=_take,
        args=(state,),
    )
    upload = kept_upload()
    if upload is None:
        st.info(words.NO_FILE.say(language, limit=LIMIT))
        return None
    if upload.allowed is None:
        st.error(say_fault(upload, n, language))
        return None
    side = len(upload.allowed)
    if side != n:
        st.error(say_fault(upload, n, language))
        controls.button(words.REDRAW.say(language, n=side), "gallery.take.side", state.put, "gallery_n", side)
        return None
    st.caption(words.FILE_KEPT.say(language, name=shown_name(upload, language), n=n))
    return upload.allowed


def mask_for(state: State, n: int) -> torch.Tensor | None:
    """Give the gallery's mask for n tokens, elsewhere than in the gallery; None where its file is not here or smaller."""
    if state["gallery_pattern"] != FILE:
        return draw_mask(state, None, n).allowed
    kept = kept_upload()
    has_mask = kept is not None and kept.allowed is not None and len(kept.allowed) >= n
    return draw_mask(state, kept.allowed, n).allowed if has_mask else None


def shown_name(upload: Upload, language: Language) -> str:
    """Name a file in Markdown, literally."""
    return words.TYPED.say(language) if upload.name is None else code_span(shorten(upload.name))


def say_fault(upload: Upload, n: int, language: Language) -> str:
    """Say which rule a file breaks, with both values; one without a name is the table that is being typed."""
    name = words.TABLE_NAME.say(language) if upload.name is None else shown_name(upload, language)
    if upload.fault is None:
        side = len(upload.allowed)
        return words.FAULTS["wrong_shape"].say(language, name=name, n=n, rows=side, columns=side)
    kind, values = upload.fault
    if kind == "wrong_shape":
        kind = {-1: "ragged", 1: kind if upload.name is None else "one_column"}.get(values[1], kind)
        given = {"n": n, "rows": values[0]} | ({"columns": values[1]} if kind == "wrong_shape" else {})
    elif kind == "empty":
        given = {"n": n}
    elif kind == "too_large":
        given = {"value": f"{values[0]:,}", "limit": f"{values[1]:,}"}
    elif kind == "not_utf8":
        given = {"byte": f"{values[0] + 1:,}"}
    elif kind == "not_csv":
        given = {"line": values[0]}
    else:
        given = {"line": values[0], "column": values[1], "cell": code_span(values[2])}
    said = words.FAULTS[kind].say(language, name=name, **given)
    # Between Chinese words stands no space, as it does around a file's name.
    return said.replace(f"{name} ", name) if upload.name is None and language == "zh" else said


def _take(state: State) -> None:
    uploaded = st.session_state.get(KEY)
    if uploaded is None:
        st.session_state.pop(KEPT, None)
    elif uploaded.size > MAX_CSV_BYTES:
        fault = "too_large", (uploaded.size, MAX_CSV_BYTES)
        st.session_state[KEPT] = Upload(uploaded.name, None, fault)
    else:
        data = with_commas(uploaded.getvalue())
        st.session_state[KEPT] = read_upload(uploaded.name, data, state["gallery_n"])
