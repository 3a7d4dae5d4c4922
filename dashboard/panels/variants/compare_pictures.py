"""Pictures of the comparison: the weights of each attention or what stands in their place, outputs, differences."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from attention_core.variant_runs import KINDS, VariantRun, mix_positions
from dashboard.grid import GridLabels, compact, grid_part, thumbnail
from dashboard.grid.bench import Area, Part
from dashboard.grid.picture import half_width
from dashboard.number_format import significant
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
            parts |= linear_parts(now, slot, run, language)
        elif run.name == "low_rank":
            parts |= low_rank_parts(now, slot, run, picked, hands, language)
        else:
            part = _weights_part(run, now.tokens, now.head, slot.letter, picked, language, has_numbers)
            parts[f"weights.{key}"] = ("top", heard(part, hands.pair, now))
    return parts


def heard(part: Part, pick: Pick, now: Compared) -> Part:
    """Let a picture that is kept tell who looks at it now."""
    n = len(now.tokens)
    return replace(
        part, receivers={"pick": _receiver(part, lambda row, column: pick(row, min(column, n - 1)))}
    )


def _receiver(part: Part, pick: Pick) -> Callable[[object], None]:
    """Make a grid's own receiver, which refuses what no grid sends, call someone else."""
    described = grid_part(
        np.zeros(part.data["sides"]), title="", labels=grid_labels("en", "row", "column"), on_pick=pick
    )
    return described.receivers["pick"]


def named(slot: Slot, language: Language) -> dict[str, str]:
    """Name a slot and its attention, for a title."""
    return {"slot": slot.letter, "name": lesson_words.NAMES[slot.name].say(language)}


def weight_labels(language: Language) -> GridLabels:
    """Give the words of a picture of weights."""
    return replace(grid_labels(language, "query", "key"), value=words.WEIGHT.say(language))


@lru_cache(maxsize=32)
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


def linear_parts(now: Compared, slot: Slot, run: VariantRun, language: Language) -> Parts:
    """Describe what linear attention has in the place of weights: features, the state, the sum of keys."""
    key, feature = slot.letter.lower(), words.FEATURE_AXIS
    key_sum = run.trace.key_sum[now.head][:, None]
    state = picture(
        run.trace.state[now.head],
        words.STATE.say(language),
        language,
        words.SUM_VALUE,
        sides=(feature, words.VALUE_AXIS),
    )
    summed = picture(
        key_sum,
        words.KEY_SUM.say(language),
        language,
        words.SUM_VALUE,
        sides=(feature, "column"),
        scale="sequential",
        domain=half_width(key_sum.numpy()),
    )
    parts = feature_pictures(now, slot, run, language) | {"state": state, "key_sum": summed}
    return {f"{name}.{key}": ("top", part) for name, part in parts.items()}


def feature_pictures(now: Compared, slot: Slot, run: VariantRun, language: Language) -> dict[str, Part]:
    """Describe the features of queries and of keys, in one scale."""
    features = {"q": run.trace.phi_q[now.head], "k": run.trace.phi_k[now.head]}
    reach = half_width(torch.cat([*features.values()]).numpy())
    titles = {
        "q": words.NO_WEIGHTS.say(language, **named(slot, language)),
        "k": words.PHI_K.say(language),
    }
    return {
        f"phi_{role}": picture(
            phi,
            titles[role],
            language,
            words.FEATURE_VALUE,
            sides=("query" if role == "q" else "key", words.FEATURE_AXIS),
            rows=now.tokens,
            role=role,
            scale="sequential",
            domain=reach,
        )
        for role, phi in features.items()
    }


def low_rank_parts(
    now: Compared, slot: Slot, run: VariantRun, picked: Picked, hands: Hands, language: Language
) -> Parts:
    """Describe the weights over short keys, and how keys make those; a pick opens the first key of a short one."""
    head, key = now.head, slot.letter.lower()
    weights, mixing = run.trace.attention.weights[head], mixing_of(run)
    most = mixing.abs().argmax(dim=-1).tolist()
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
    small = picture(
        mixing,
        words.MIXING.say(language),
        language,
        words.MIXING_VALUE,
        sides=(words.SHORT_KEY, "key"),
        columns=now.tokens,
    )
    return {f"weights.{key}": ("top", compact(part)), f"mixing.{key}": ("top", small)}


def mixing_of(run: VariantRun) -> Tensor:
    """Give how much of each key is in each short key."""
    return mix_positions(run.inputs.n, run.choices)


def out_pictures(now: Compared, picked: Picked, hands: Hands, language: Language) -> Parts:
    """Describe each output small, and the differences from the first large, with the largest of each."""
    runs = [*now.runs()]
    if not runs:
        return {}
    reach = half_width(torch.stack([run.out[now.head] for _, run in runs]).numpy())
    sides = {"sides": ("token", words.VALUE_AXIS), "rows": now.tokens}
    shown = {"picked": picked.among("out"), "on_pick": hands.out}
    parts: Parts = {}
    for slot, run in runs:
        title = words.OUT.say(language, slot=slot.letter)
        drawn = {"role": "out", "domain": reach} | sides | shown
        part = picture(run.out[now.head], title, language, words.OUT_VALUE, **drawn)
        parts[f"out.{slot.letter.lower()}"] = ("top", part)
    if now.first is None:
        return parts
    changes = {slot: run.out[now.head] - now.first.out[now.head] for slot, run in runs if slot.letter != "A"}
    far = half_width(torch.stack([*changes.values()]).numpy()) if changes else 1.0
    for slot, change in changes.items():
        most = significant(float(change.abs().max()))
        title = words.CHANGE.say(language, slot=slot.letter, most=most)
        is_small = change.shape[-1] > MOST_OUT_WITH_NUMBERS
        drawn = {"role": "difference", "domain": far, "is_small": is_small} | sides | shown
        part = picture(change, title, language, words.CHANGE_VALUE, **drawn)
        parts[f"change.{slot.letter.lower()}"] = ("top", part)
    return parts


def given_pictures(now: Compared, language: Language) -> Parts:
    """Describe the queries, keys and values that all attentions get."""
    inputs, head = now.full.inputs, now.head
    reach = half_width(torch.cat([inputs.q[head], inputs.k[head], inputs.v[head]]).numpy())
    return {
        f"given.{name}": (
            "below",
            picture(
                getattr(inputs, name)[head],
                words.GIVEN[name].say(language, head=head + 1),
                language,
                words.GIVEN_VALUE,
                sides=("query" if name == "q" else "key", "column"),
                rows=now.tokens,
                role=name,
                domain=reach,
            ),
        )
        for name in ("q", "k", "v")
    }
