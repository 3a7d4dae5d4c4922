"""What the gallery says of the mask on the screen, with its numbers."""

from collections.abc import Mapping, Sequence

import torch

from attention_core.mask_facts import causal_window_field, layers_until, measure_mask, reach_of_query
from attention_core.patterns import window
from dashboard.controls import State
from dashboard.frame import asked_parts
from dashboard.grid.bench import Area, Part
from dashboard.grid.lines import word
from dashboard.link import shorten
from dashboard.number_format import significant
from dashboard.panels.masks.gallery_fields import FILE, MOST_CELLS, MOST_PIXELS_OF_TWO, MOST_REACHED
from dashboard.panels.masks.gallery_model import Drawn, kinds, plain_window, side_of_image, values_of
from dashboard.panels.masks.gallery_upload import kept_upload
from dashboard.text import Language
from dashboard.text import mask_gallery as words

MOST_LISTED = 8
# So many rows show where a window is cut off by the start.
ROWS_OF_WINDOW = 6


def note(state: State, drawn: Drawn) -> str:
    """Say how the picture is read and where its mask comes from: rules, a file, the reader's hand, chance."""
    language, used = state.language, kinds(state)
    if FILE in used:
        text = words.NOTE_FILE if len(used) == 1 else words.NOTE_FILE_JOINED
        said = [words.NOTE_LOOK.say(language), text.say(language, name=file_name(language))]
    else:
        text = words.NOTE_RULE if len(used) == 1 else words.NOTE_RULES
        said = [words.NOTE_LOOK.say(language), text.say(language)]
    seeds = [values_of(state, place)["seed"] for place, kind in enumerate(used) if kind == "random"]
    if seeds:
        said.append(words.NOTE_SEEDS.say(language, seeds=", ".join(map(str, seeds))))
    if drawn.flipped:
        said.append(words.NOTE_FLIPPED.say(language, count=len(drawn.flipped)))
    return " · ".join([*said, words.NOTE_EXACT.say(language)])


def marks(pictures: Mapping[str, Part], language: Language) -> list[str]:
    """Say what the mark before a row means, of the pictures, by their names, that have one."""
    said = []
    for name, part in pictures.items():
        if part.data["dead"]:
            mark = words.MARKS[part.data["mode"] == "cells"].say(language)
            said.append(words.MARKED[name].say(language, mark=mark))
    return said


def file_name(language: Language) -> str:
    """Name what was uploaded, literally, or the table that was typed in its place."""
    upload = kept_upload()
    if upload is None or upload.name is None:
        return words.TYPED.say(language)
    return words.YOUR_FILE.say(language, name=word(shorten(upload.name)))


def percent(share: float) -> str:
    """Write a share in percent; 100 is all of it and not nearly all."""
    said = significant(100 * share)
    return "> 99.9" if said == "100" and share < 1 else said


def facts(state: State, drawn: Drawn) -> list[str]:
    """Say what the mask allows, costs, and leaves out."""
    language = state.language
    measured = measure_mask(drawn.allowed, state["gallery_d_k"], state["gallery_d_v"])
    said = [
        words.PAIRS.say(
            language,
            pairs=f"{measured.pairs:,}",
            all=f"{measured.n_queries * measured.n_keys:,}",
            share=percent(measured.share),
            largest=measured.largest_row,
        ),
        words.FLOPS.say(
            language,
            dense=f"{measured.dense_flops:,}",
            useful=f"{measured.useful_flops:,}",
            wasted=percent(1 - measured.share),
            d_k=state["gallery_d_k"],
            d_v=state["gallery_d_v"],
        ),
    ]
    if not measured.blind and not measured.unseen:
        return [*said, words.ALL_SEE.say(language)]
    for places, text in ((measured.blind, words.BLIND), (measured.unseen, words.UNSEEN)):
        if places:
            said.append(text.say(language, count=len(places), list=listed(places)))
    return said


def in_a_row(said: Sequence[str], language: Language) -> str:
    """Put sentences behind one another; Chinese has no space between them."""
    return ("" if language == "zh" else " ").join(said)


def listed(places: Sequence[int]) -> str:
    """List the first few positions, as readers count."""
    return ", ".join(str(place + 1) for place in places[:MOST_LISTED]) + (
        ", …" if len(places) > MOST_LISTED else ""
    )


def readings(state: State, drawn: Drawn, reached: torch.Tensor | None) -> list[str]:
    """Say the rules, what the reader flipped, how far the last token sees, and why."""
    said = [rule(state, 0)]
    if len(kinds(state)) > 1:
        joined = words.JOINED[state["gallery_join"]].say(state.language)
        said.append(in_a_row([joined, rule(state, 1)], state.language))
    return [
        *said,
        *(image(state) if side_of_image(state) is None else ()),
        *other_window(state),
        *flipped(state, drawn),
        field(state, drawn, reached),
        *formula(state, drawn),
        *why(state, drawn, reached),
    ]


def rule(state: State, place: int) -> str:
    """Say the rule of the first or the second pattern."""
    language, values = state.language, dict(values_of(state, place))
    if "share" in values:
        values["share"] = f"{values['share']:g}"
    kind = kinds(state)[place]
    named = {"name": file_name(language)} if kind == FILE else {}
    said = [words.RULES[kind].say(language, **named, **values)]
    if values.get("is_causal"):
        said.append(words.PAST_ONLY.say(language))
    if kind == "patches" and has_runs(state, place):
        said.append(words.RUNS.say(language))
    return in_a_row(said, language)


def has_runs(state: State, place: int) -> bool:
    """Tell whether a square in the image leaves gaps in a row of the mask: at the image's edge, if not before."""
    values = values_of(state, place)
    rows = min(values["height"], -(-state["gallery_n"] // values["width"]))
    return rows > 1 and 0 < values["radius"] < values["width"] - 1


def image(state: State) -> list[str]:
    """Say what becomes of tokens without a patch, and of patches without a token."""
    language, n, said = state.language, state["gallery_n"], []
    for place, kind in enumerate(kinds(state)):
        if kind != "patches":
            continue
        values = values_of(state, place)
        patches = values["height"] * values["width"]
        text = words.TOO_MANY_TOKENS if n > patches else words.TOO_FEW_TOKENS
        if n != patches:
            who = text.say(language, count=abs(n - patches))
            said.append(words.OUTSIDE_IMAGE.say(language, patches=patches, n=n, who=who))
    return list(dict.fromkeys(said))


def other_window(state: State) -> list[str]:
    """Say what the convention that does not count the query makes of the same number."""
    if plain_window(state) is None:
        return []
    width = plain_window(state)
    counts = (
        window(wide, is_causal=True).build(min(ROWS_OF_WINDOW, state["gallery_n"])).sum(dim=-1).tolist()
        for wide in (width, width + 1)
    )
    ours, theirs = (", ".join(map(str, count)) for count in counts)
    if ours == theirs:
        return []  # the first rows are too short to tell
    return [words.OTHER_WINDOW.say(state.language, width=width, before=width - 1, ours=ours, theirs=theirs)]


def flipped(state: State, drawn: Drawn) -> list[str]:
    """Say how many cells the reader flipped, and where no more can be."""
    language, count, said = state.language, len(state["gallery_cells"]), []
    if count:
        said.append(words.FLIPPED_SAID.say(language, count=count, most=MOST_CELLS))
    if drawn.outside:
        said.append(words.FLIPPED_OUTSIDE.say(language, count=drawn.outside, n=state["gallery_n"]))
    if count >= MOST_CELLS:
        said.append(words.NO_MORE_FLIPS.say(language, most=MOST_CELLS))
    if state["gallery_n"] > MOST_PIXELS_OF_TWO:
        said.append(words.CANNOT_FLIP.say(language, n=state["gallery_n"], most=MOST_PIXELS_OF_TWO))
    return [in_a_row(said, language)] if said else []


def field(state: State, drawn: Drawn, reached: torch.Tensor | None) -> str:
    """Say how many inputs the last token depends on, and the fewest and most that any does."""
    language, n, layers = state.language, state["gallery_n"], state["gallery_layers"]
    size = last_field(state, drawn)
    if n == 1:
        sees_itself = bool(drawn.allowed[0, 0])
        return words.ONLY_TOKEN[sees_itself, state["gallery_residual"]].say(language)
    said = words.FIELD.say(language, layers=layers, n=n, size=size)
    if reached is None:
        flops = f"{2 * n**3:,}"
        return in_a_row([words.NO_FIELD.say(language, most=MOST_REACHED, n=n, flops=flops), said], language)
    sizes = reached.sum(dim=-1)
    least, most = int(sizes.min()), int(sizes.max())
    return in_a_row([said, words.FIELD_RANGE.say(language, least=least, most=most)], language)


def why(state: State, drawn: Drawn, reached: torch.Tensor | None) -> list[str]:
    """Say how an input gets to an output, and how the picture of it is read where it is drawn."""
    if len(drawn.allowed) == 1:
        return []
    others = drawn.allowed & ~torch.eye(len(drawn.allowed), dtype=torch.bool)
    ways = words.WALK if bool(others.any()) else words.NO_WALK
    said = [ways[state["gallery_residual"]].say(state.language)]
    return said if reached is None else [*said, words.READ_FIELD.say(state.language)]


def last_field(state: State, drawn: Drawn) -> int:
    """Count the inputs that the last token may depend on."""
    last = len(drawn.allowed) - 1
    settings = {"has_residual": state["gallery_residual"]}
    return int(reach_of_query(drawn.allowed, last, state["gallery_layers"], **settings).sum())


def formula(state: State, drawn: Drawn) -> list[str]:
    """Hold what was counted against the formula, where it applies."""
    width, layers, n = plain_window(state), state["gallery_layers"], state["gallery_n"]
    if width is None:
        return []
    expected = causal_window_field(width, layers)
    numbers = {"layers": layers, "width": width, "formula": expected, "n": n, "capped": min(expected, n)}
    return [words.FORMULA.say(state.language, **numbers, size=last_field(state, drawn))]


def question_parts(state: State, drawn: Drawn) -> dict[str, tuple[Area, Part]]:
    """Ask how many layers lead from the last token to the first; the answer is counted."""
    language, n, width = state.language, len(drawn.allowed), plain_window(state)
    layers = layers_until(drawn.allowed, n - 1, 0, has_residual=state["gallery_residual"])
    if n == 1:
        answer = words.ANSWER_ONE_NEVER if layers is None else words.ANSWER_ONE
        return asked_parts(words.QUESTION_ONE.say(language), answer.say(language), language)
    if layers is None:
        answer = words.ANSWER_NEVER.say(language)
    else:
        answer = words.ANSWER.say(language, layers=layers)
        if width is not None and 1 < width < n:
            way = words.ANSWER_WINDOW.say(language, step=width - 1, way=n - 1)
            answer = in_a_row([answer, way], language)
    return asked_parts(words.QUESTION.say(language, n=n), answer, language)
