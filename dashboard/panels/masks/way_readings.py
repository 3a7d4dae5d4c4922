"""What the ways to mask do to the weights and the output, in sentences with their numbers (M2, M3)."""

import math
from collections.abc import Sequence
from functools import lru_cache

import torch

from attention_core.components import DTYPES
from attention_core.experiments.masking import WayRecord, compare_ways, name_fault
from dashboard.grid.lines import word
from dashboard.link import shorten
from dashboard.number_format import NOTHING, significant
from dashboard.panels.masks.way_setting import Setting, joined
from dashboard.text import Language
from dashboard.text import mask_ways as words

LONGEST_SAID = 100


def of_way(records: Sequence[WayRecord], way: str) -> WayRecord:
    """Find the record of one way."""
    return next(record for record in records if record.way == way)


def quoted(record: WayRecord) -> str:
    """Cut what torch said to its beginning, set apart."""
    return word(shorten(" ".join(record.refused.split()), LONGEST_SAID))


def readings(setting: Setting, records: Sequence[WayRecord]) -> list[str]:
    """Say what the ways do to these weights, with their numbers."""
    if not setting.hidden_pairs:
        return [words.NOTHING_HIDDEN.say(setting.language, n=setting.n), say_half(setting.language)]
    return [
        *say_right(setting, of_way(records, "minus_inf")),
        *say_zero(setting, of_way(records, "zero")),
        *say_after(setting, of_way(records, "after_softmax"), of_way(records, "renormalised")),
        *say_blind(setting, of_way(records, "dtype_min")),
        say_half(setting.language),
        say_printed(setting, of_way(records, "fill_1e9"), of_way(records, "minus_inf")),
    ]


def say_right(setting: Setting, record: WayRecord) -> list[str]:
    """Cite what filling −∞ keeps: nothing for hidden keys, and the sum of each row."""
    sums = record.row_sums.double()[setting.allowed.any(dim=-1)]
    if not len(sums):
        return []
    ends = {"least": significant(float(sums.min())), "most": significant(float(sums.max()))}
    return [words.HOLDS.say(setting.language, hidden=significant(record.largest_hidden_weight), **ends)]


def say_zero(setting: Setting, record: WayRecord) -> list[str]:
    """Cite the largest weight that a hidden key got from a score of 0."""
    hidden = record.weights.double().masked_fill(setting.allowed, -math.inf)
    query, key = divmod(int(hidden.argmax()), setting.n)
    weight = float(hidden[query, key])
    if not weight > 0:
        return []
    named = {"query": setting.place(query), "key": setting.place(key)}
    return [words.ZERO.say(setting.language, **named, weight=significant(weight))]


def say_after(setting: Setting, record: WayRecord, renormalised: WayRecord) -> list[str]:
    """Cite the smallest row sum that softmax left to a query with keys, and what dividing by the sums does."""
    language, said = setting.language, []
    if name_fault(record, setting.allowed) == "sums":
        # A query without keys has no right sum.
        sums = record.row_sums.double().masked_fill(~setting.allowed.any(dim=-1), math.inf)
        query = int(sums.argmin())
        left = float(sums[query])
        cited = {"sum": significant(left), "missing": significant(1 - left)}
        said.append(words.AFTER.say(language, query=setting.place(query), **cited))
    difference = renormalised.weights_difference
    if difference is None:
        said.append(words.RENORMALISED_NAN.say(language))
    elif said:
        said.append(words.RENORMALISED.say(language, difference=significant(difference, 2)))
    return [joined(said, language)] if said else []


def say_blind(setting: Setting, record: WayRecord) -> list[str]:
    """Say what a finite fill does where a query may see no key."""
    if not setting.blind:
        return []
    weight = significant(record.largest_hidden_weight)
    return [words.BLIND.say(setting.language, query=setting.place(setting.blind[0]), weight=weight)]


@lru_cache(maxsize=2)
def say_half(language: Language) -> str:
    """Ask torch for −1e9 in float16, and say what it answers."""
    one, hidden = torch.ones(1, 1), torch.tensor([[False]])
    filled, added = compare_ways(one, one, one, hidden, "float16", ("fill_1e9", "add_1e9"))
    return words.HALF.say(
        language,
        largest=f"{torch.finfo(DTYPES['float16']).max:g}",
        version=torch.__version__,
        said=quoted(filled) if filled.refused else NOTHING,
        held=significant(float(added.masked)),
    )


def say_printed(setting: Setting, printed: WayRecord, ours: WayRecord) -> str:
    """Compare the line that is often printed with filling −∞ in the same type."""
    our_weights = significant(ours.weights_difference, 2)
    if printed.refused:
        return words.PRINTED_REFUSED.say(setting.language, dtype=setting.dtype, ours=our_weights)
    return words.PRINTED.say(
        setting.language,
        dtype=setting.dtype,
        weights=significant(printed.weights_difference, 2),
        out=significant(printed.out_difference, 2),
        ours=our_weights,
        our_out=significant(ours.out_difference, 2),
    )
