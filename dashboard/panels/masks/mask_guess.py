"""A mask that does not say how it is written: the one reading that is possible, or both."""

from dataclasses import replace

import streamlit as st
import torch
from torch import Tensor

from attention_core.conventions import AmbiguousMaskError, Convention, MaskValueError, guess_convention
from attention_core.experiments.mask_feeds import weigh_reading
from dashboard import controls
from dashboard.controls import State
from dashboard.grid import compact, grid_part
from dashboard.grid.bench import Area, Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.number_format import significant
from dashboard.number_table import grid_labels
from dashboard.panels.masks.mask_box import offer, typed_numbers
from dashboard.panels.masks.typed_mask import brief, nearest_mask, write_drawn
from dashboard.text import Language
from dashboard.text import mask_converter as words

# From here on a negative number is one that people write for −∞; −∞ itself is no number that a mask may not hold.
LARGE_NEGATIVE = -100.0
EXAMPLES = {
    "floats": "0.0 0.0 1.0",
    "integers": "0 1 1 / 0 0 1 / 0 0 0",
    "infinite": "0.0 -inf / 0.0 0.0",
    "large": "0.0 -1e9 / 0.0 0.0",
    "bool": "True False / True True",
}


def guess_bench(state: State) -> None:
    """Ask for an unlabelled mask and show what it may mean."""
    language = state.language
    st.subheader(words.GUESS_HEADING.say(language), anchor=False)
    reading = typed_numbers(state)
    with st.container(horizontal=True, gap="small"):
        for name, text in EXAMPLES.items():
            label = f"[{text}]".replace("-", "−")
            controls.button(label, f"guess.{name}", state.put, "converter_guess", text)
    if reading.mask is None:
        return
    try:
        readings = [guess_convention(reading.mask)]
    except AmbiguousMaskError as refusal:
        readings = list(refusal.readings)
    except MaskValueError as refusal:
        say_value(state, reading.mask, refusal)
        return
    show_bench("bench.guess", guess_parts(reading.mask, readings, language))
    with st.container(horizontal=True, gap="small"):
        for name in readings:
            label = words.TAKE_READING[name].say(language)
            controls.button(label, f"take.reading.{name}", take, state, reading.mask, name)


def say_value(state: State, mask: Tensor, refusal: MaskValueError) -> None:
    """Name the number that no mask holds, and offer the nearest mask."""
    row, column = refusal.place
    told = {"row": row + 1, "column": column + 1, "value": brief(refusal.value, 6)}
    said = [words.BAD_VALUE.say(state.language, **told)]
    if refusal.value <= LARGE_NEGATIVE:
        said.append(words.LARGE_NEGATIVE.say(state.language))
    st.error("  \n".join(said))
    offer(state, "converter_guess", nearest_mask(mask))


def take(state: State, mask: Tensor, reading: Convention) -> None:
    """Draw the mask as it is read, and write it that way."""
    allowed, _ = weigh_reading(mask, reading)
    state.put("converter_mask", write_drawn(tuple(map(tuple, allowed.tolist()))))
    state.put("converter_as", reading)


def guess_parts(mask: Tensor, readings: list[Convention], language: Language) -> dict[str, tuple[Area, Part]]:
    """Describe each reading by who sees whom and how keys of equal score are weighed."""
    dtype = str(mask.dtype).removeprefix("torch.")
    rows, columns = mask.shape
    said = [Line(prose(words.READ_AS.say(language, dtype=dtype, rows=rows, columns=columns)), "note")]
    said.append(Line(prose(say_readings(mask, readings, language)), "prose"))
    if not all(bool(weigh_reading(mask, name)[0].any(dim=-1).all()) for name in readings):
        said.insert(1, Line(prose(words.BLIND_ROW.say(language)), "note"))
    parts: dict[str, tuple[Area, Part]] = {}
    for name in readings:
        allowed, weights = weigh_reading(mask, name)
        shown = f"[{', '.join(significant(one, 4) for one in weights[0].tolist())}]"
        is_sure = name == "additive" and len(readings) == 1
        reading = words.ADDITIVE_ALONE if is_sure else words.READINGS[name]
        said.append(Line(prose(reading.say(language, weights=shown)), "prose"))
        labels = replace(grid_labels(language, "query", "key"), value=words.WEIGHT.say(language))
        part = grid_part(
            weights.double().numpy(),
            title=words.READING_TITLES[name].say(language),
            labels=labels,
            role="weights",
            scale="sequential",
            masked=(~allowed).numpy(),
            footer=[significant(float(total)) for total in weights.sum(dim=-1)],
        )
        parts[f"reading.{name}"] = ("below", compact(part))
    return {"guess": ("top", lines_part(words.GUESS_HEADING.say(language), said)), **parts}


def say_readings(mask: Tensor, readings: list[Convention], language: Language) -> str:
    """Say whether there is one reading, or two, and whether these make the same of this mask."""
    if len(readings) == 1:
        return words.GUESSED[readings[0]].say(language)
    (allowed, weights), (other_allowed, other_weights) = (weigh_reading(mask, one) for one in readings)
    is_alike = torch.equal(allowed, other_allowed) and torch.allclose(weights, other_weights)
    found = words.VALUES_FOUND[bool((mask == 0).any()), bool((mask == 1).any())].say(language)
    text = words.AMBIGUOUS_ALIKE if is_alike else words.AMBIGUOUS
    return text.say(language, dtype=str(mask.dtype).removeprefix("torch."), values=found)
