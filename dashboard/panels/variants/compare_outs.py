"""Outputs of each attention, how far they lie from the first one's, and the queries, keys and values that all get."""

from functools import lru_cache

import torch

from attention_core.variant_runs import Inputs, VariantRun
from dashboard.grid.bench import Part
from dashboard.grid.picture import half_width
from dashboard.number_format import significant
from dashboard.panels.variants.compare_model import Compared
from dashboard.panels.variants.compare_pictures import Hands, Parts, Picked, heard, picture
from dashboard.text import Language
from dashboard.text import variant_compare as words

# Columns whose numbers can stand beside each other.
MOST_WITH_NUMBERS = 16


def out_pictures(now: Compared, picked: Picked, hands: Hands, language: Language) -> Parts:
    """Describe each output, small."""
    by_letter = {slot.letter: run for slot, run in now.runs()}
    if not by_letter:
        return {}
    reach = half_width(torch.stack([run.out[now.head] for run in by_letter.values()]).numpy())
    at, shown = picked.among("out"), (now.tokens, now.head)
    return {
        f"out.{letter.lower()}": (
            "below",
            heard(_out_part(run, *shown, letter, reach, at, language), hands.out),
        )
        for letter, run in by_letter.items()
    }


def change_pictures(now: Compared, picked: Picked, hands: Hands, language: Language) -> Parts:
    """Describe how far the others' outputs lie from the first one's, with the largest difference of each."""
    by_letter = {slot.letter: run for slot, run in now.runs()}
    first = by_letter.pop("A", None)
    if first is None or not by_letter:
        return {}
    at, shown = picked.among("out"), (now.tokens, now.head)
    parts: Parts = {}
    changes = [run.out[now.head] - first.out[now.head] for run in by_letter.values()]
    far = half_width(torch.stack(changes).numpy())
    for letter, run in by_letter.items():
        part = _change_part(run, first, *shown, letter, far, at, language)
        parts[f"change.{letter.lower()}"] = ("top", heard(part, hands.out))
    return parts


@lru_cache(maxsize=16)
def _out_part(
    run: VariantRun,
    tokens: tuple[str, ...],
    head: int,
    letter: str,
    reach: float,
    at: tuple[int, int] | None,
    language: Language,
) -> Part:
    """Describe one output."""
    return picture(
        run.out[head],
        words.OUT.say(language, slot=letter),
        language,
        words.OUT_VALUE,
        sides=("token", words.VALUE_AXIS),
        rows=tokens,
        role="out",
        domain=reach,
        picked=at,
        on_pick=lambda _row, _column: None,
    )


@lru_cache(maxsize=16)
def _change_part(
    run: VariantRun,
    first: VariantRun,
    tokens: tuple[str, ...],
    head: int,
    letter: str,
    reach: float,
    at: tuple[int, int] | None,
    language: Language,
) -> Part:
    """Describe how far one output lies from the first."""
    change = run.out[head] - first.out[head]
    most = significant(float(change.abs().max()))
    return picture(
        change,
        words.CHANGE.say(language, slot=letter, most=most),
        language,
        words.CHANGE_VALUE,
        sides=("token", words.VALUE_AXIS),
        rows=tokens,
        is_small=change.shape[-1] > MOST_WITH_NUMBERS,
        role="difference",
        domain=reach,
        picked=at,
        on_pick=lambda _row, _column: None,
    )


@lru_cache(maxsize=8)
def given_pictures(inputs: Inputs, tokens: tuple[str, ...], head: int, language: Language) -> Parts:
    """Describe the queries, keys and values that all attentions get."""
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
                rows=tokens,
                role=name,
                domain=reach,
            ),
        )
        for name in ("q", "k", "v")
    }
