"""Pictures of the comparison: the weights of each attention or what stands in their place, outputs, differences."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import torch
from torch import Tensor

from attention_core.variant_runs import KINDS, VariantRun, mix_positions
from dashboard.grid import GridLabels, compact, grid_part, read_cell, thumbnail
from dashboard.grid.bench import Area, Part
from dashboard.grid.picture import half_width
from dashboard.number_table import grid_labels
from dashboard.panels.variants.compare_model import Compared, Slot
from dashboard.text import Language, Text
from dashboard.text import variant_compare as words
from dashboard.text import variants as lesson_words

Parts = dict[str, tuple[Area, Part]]
Pick = Callable[[int, int], None]

# Columns of all weights together whose numbers can stand beside each other in one row of the page.
MOST_WITH_NUMBERS = 14
MOST_OUT_WITH_NUMBERS = 16


@dataclass(frozen=True)
class Hands:
    """Who hears what a reader does with the pictures: a pick of a query and a key, or of a query and a column of v."""

    pair: Pick
    out: Pick


@dataclass(frozen=True)
class Picked:
    """The open cell: a query and a key where it stands in weights, a query and a column of v where in outputs."""

    cell_in: str
    row: int
    column: int

    def among(self, cell_in: str) -> tuple[int, int] | None:
        """Give the cell where it stands in this kind of picture."""
        return (self.row, self.column) if self.cell_in == cell_in else None


def weight_pictures(now: Compared, picked: Picked, hands: Hands, language: Language) -> Parts:
    """Describe what each attention weighs by, one after another."""
    parts: Parts = {}
    n_weighed = sum(run.has_weights for _, run in now.runs())
    has_numbers = len(now.tokens) * n_weighed <= MOST_WITH_NUMBERS
    for slot, run in now.runs():
        key = slot.letter.lower()
        if run.name == "linear":
            parts[f"phi_q.{key}"] = ("top", feature_picture(run, "q", now.tokens, now.head, slot, language))
        elif run.name == "low_rank":
            parts[f"weights.{key}"] = ("top", short_weights(now, slot, run, hands, language))
        else:
            part = _weights_part(run, now.tokens, now.head, slot.letter, picked, language, has_numbers)
            parts[f"weights.{key}"] = ("top", heard(part, partial(pick_within, hands, len(now.tokens))))
    return parts


def made_of_pictures(now: Compared, language: Language) -> Parts:
    """Describe what stands between q, k, v and the outputs where that is no matrix of weights."""
    parts: Parts = {}
    for slot, run in now.runs():
        key = slot.letter.lower()
        if run.name == "linear":
            parts |= _linear_parts(run, now.tokens, now.head, slot, language)
        elif run.name == "low_rank":
            parts[f"mixing.{key}"] = ("below", mixing_picture(now, slot, run, language))
    return parts


def pick_within(hands: Hands, n: int, row: int, column: int) -> None:
    """Open a pair; a sink, which stands behind the keys, opens the last one."""
    hands.pair(row, min(column, n - 1))


def heard(part: Part, pick: Pick) -> Part:
    """Let a picture that is kept tell who looks at it now; a pixel is a cell, for sentences are short."""
    rows, columns = part.data["sides"]

    def hear(event: object) -> None:
        place = read_cell(event, rows, columns)
        if place is not None:
            pick(*place)

    return replace(part, receivers={"pick": hear})


def named(slot: Slot, language: Language) -> dict[str, str]:
    """Name a slot and its attention, for a title."""
    return {"slot": slot.letter, "name": lesson_words.NAMES[slot.name].say(language)}


def weight_labels(language: Language) -> GridLabels:
    """Give the words of a picture of weights."""
    return replace(grid_labels(language, "query", "key"), value=words.WEIGHT.say(language))


@lru_cache(maxsize=12)
def _weights_part(
    run: VariantRun,
    tokens: tuple[str, ...],
    head: int,
    letter: str,
    picked: Picked,
    language: Language,
    has_numbers: bool,
) -> Part:
    """Describe the weights of one head; those of pieces laid out, a sink in a column of its own."""
    weights, hidden = run.shares[head], None if run.seen is None else ~run.seen
    columns = [*tokens]
    if run.name == "sink":
        weights = torch.cat([weights, run.trace.sink_weights[head][:, None]], dim=-1)
        columns.append(words.SINK_COLUMN.say(language))
        if hidden is not None:
            hidden = torch.cat([hidden, torch.zeros(len(tokens), 1, dtype=torch.bool)], dim=-1)
    title = words.LAID_OUT if KINDS[run.name] == "exact" else words.WEIGHTS
    part = grid_part(
        weights.numpy(),
        title=title.say(language, slot=letter, name=lesson_words.NAMES[run.name].say(language)),
        labels=weight_labels(language),
        row_labels=tokens,
        column_labels=columns,
        role="weights",
        scale="sequential",
        masked=None if hidden is None else hidden.numpy(),
        picked=picked.among("weights"),
        on_pick=lambda _row, _column: None,
        has_numbers=has_numbers,
    )
    return compact(part)


def picture(
    values: Tensor,
    title: str,
    language: Language,
    value: Text,
    *,
    sides: tuple[Text | str, Text | str],
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    is_small: bool = True,
    **more: object,
) -> Part:
    """Describe a small matrix of numbers with signs.

    Args:
        sides: What a row and a column are: a text, or the name of one that grids have.
    """
    labels = replace(grid_labels(language, "row", "column"), value=value.say(language))
    names = zip(("row", "column"), sides, strict=True)
    said = {
        name: grid_labels(language, side, side).row if isinstance(side, str) else side.say(language)
        for name, side in names
    }
    more.setdefault("scale", "diverging")
    part = grid_part(
        values.numpy(),
        title=title,
        labels=replace(labels, **said),
        row_labels=rows,
        column_labels=columns,
        has_numbers=not is_small,
        **more,
    )
    return thumbnail(part) if is_small else compact(part)


@lru_cache(maxsize=8)
def _linear_parts(
    run: VariantRun, tokens: tuple[str, ...], head: int, slot: Slot, language: Language
) -> Parts:
    """Describe what linear attention makes of keys and values: features, the state, the sum of keys."""
    key, feature = slot.letter.lower(), words.FEATURE_AXIS
    key_sum = run.trace.key_sum[head][:, None]
    state = picture(
        run.trace.state[head],
        words.STATE.say(language, slot=slot.letter),
        language,
        words.SUM_VALUE,
        sides=(feature, words.VALUE_AXIS),
    )
    summed = picture(
        key_sum,
        words.KEY_SUM.say(language, slot=slot.letter),
        language,
        words.SUM_VALUE,
        sides=(feature, "column"),
        scale="sequential",
        domain=half_width(key_sum.numpy()),
    )
    features = feature_picture(run, "k", tokens, head, slot, language)
    parts = {"phi_k": features, "state": state, "key_sum": summed}
    return {f"{name}.{key}": ("below", part) for name, part in parts.items()}


@lru_cache(maxsize=16)
def feature_picture(
    run: VariantRun, role: str, tokens: tuple[str, ...], head: int, slot: Slot, language: Language
) -> Part:
    """Describe the features of queries or of keys, both in one scale."""
    features = {"q": run.trace.phi_q[head], "k": run.trace.phi_k[head]}
    title = words.NO_WEIGHTS if role == "q" else words.PHI_K
    fields = named(slot, language)
    return picture(
        features[role],
        title.say(language, **{name: fields[name] for name in title.fields(language)}),
        language,
        words.FEATURE_VALUE,
        sides=("query" if role == "q" else "key", words.FEATURE_AXIS),
        rows=tokens,
        role=role,
        scale="sequential",
        domain=half_width(torch.cat([*features.values()]).numpy()),
    )


def short_weights(now: Compared, slot: Slot, run: VariantRun, hands: Hands, language: Language) -> Part:
    """Describe the weights over short keys; a pick opens the key of which a short one holds most."""
    weights = run.trace.attention.weights[now.head]
    most = mixing_of(run).abs().argmax(dim=-1).tolist()
    part = grid_part(
        weights.numpy(),
        title=words.SHORT_WEIGHTS.say(language, **named(slot, language)),
        labels=replace(weight_labels(language), column=words.SHORT_KEY.say(language)),
        row_labels=now.tokens,
        role="weights",
        scale="sequential",
        on_pick=lambda row, column: hands.pair(row, most[column]),
        has_numbers=weights.shape[-1] <= MOST_OUT_WITH_NUMBERS
        and len(now.tokens) <= 2 * MOST_OUT_WITH_NUMBERS,
    )
    return compact(part)


def mixing_picture(now: Compared, slot: Slot, run: VariantRun, language: Language) -> Part:
    """Describe how keys make short keys."""
    return picture(
        mixing_of(run),
        words.MIXING.say(language, slot=slot.letter),
        language,
        words.MIXING_VALUE,
        sides=(words.SHORT_KEY, "key"),
        columns=now.tokens,
    )


def mixing_of(run: VariantRun) -> Tensor:
    """Give how much of each key is in each short key."""
    return mix_positions(run.inputs.n, run.choices)
