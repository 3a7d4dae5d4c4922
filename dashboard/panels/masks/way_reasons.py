"""Why a change of a hidden token comes through some ways and not through others, as it was measured (M3)."""

import math
from collections.abc import Collection, Sequence

import torch

from attention_core.components import DTYPES
from attention_core.experiments.blind_rows import PENALTY, Kernel
from attention_core.experiments.masking import Leak, Way, measure_leak
from dashboard.number_format import significant
from dashboard.panels.masks.way_setting import Setting, joined
from dashboard.text import Text
from dashboard.text import mask_ways as words

FILLING = ("minus_inf", "fill_1e9", "dtype_min", "core", "filled_softmax")
ADDING = ("add_1e9", "added_softmax")
MULTIPLYING = ("zero", "after_softmax", "renormalised")
FINITE = ("fill_1e9", "add_1e9", "dtype_min")
MODULE = ("mha_with_weights", "mha")
TORCH = ("sdpa_math", "sdpa_fused", *MODULE)


def name_of(way: Way | Kernel, setting: Setting) -> str:
    """Name a way, or a function of a library."""
    return (words.WAYS.get(way) or words.KERNELS[way]).say(setting.language)


def named(leaks: Sequence[Leak], setting: Setting) -> str:
    """Name some ways in a sentence."""
    names = [words.QUOTED.say(setting.language, name=name_of(leak.way, setting)) for leak in leaks]
    return words.COMMA.say(setting.language).join(names)


def hidden_from(leak: Leak) -> list[int]:
    """List the queries that may not see the key."""
    return [n for n, is_hidden in enumerate(leak.is_hidden) if is_hidden]


def were_nan(leak: Leak) -> list[int]:
    """List those of them whose output was NaN before the change."""
    return [n for n in hidden_from(leak) if leak.moves and leak.moves[n] == "was_nan"]


# Of these nothing is known: torch did not answer, or the output was no number to begin with.
UNMEASURED = frozenset({"refused", "was_nan"})


def kind_of(leak: Leak) -> str:
    """Sort a way by what moved: refused, leaking, rounding, still, or was_nan where nothing can be measured."""
    if leak.refused:
        return "refused"
    if leak.leaks:
        return "leaking"
    moves = {leak.moves[n] for n in hidden_from(leak)} - {"was_nan"}
    if not moves:
        return "was_nan"
    return "rounding" if "rounding" in moves else "still"


def of_kind(leaks: Sequence[Leak], ways: Collection[str], kind: str) -> list[Leak]:
    """Pick those of some ways that came out alike."""
    return [leak for leak in leaks if leak.way in ways and kind_of(leak) == kind]


def say_named(text: Text, leaks: Sequence[Leak], setting: Setting, **fields: str) -> list[str]:
    """Say a sentence about some ways; nothing where there are none."""
    return [text.say(setting.language, names=named(leaks, setting), **fields)] if leaks else []


def held_in(setting: Setting, change: float) -> float:
    """Give what the type makes of a number."""
    return float(torch.tensor(change, dtype=torch.float64).to(DTYPES[setting.dtype]))


def reasons(setting: Setting, leaks: Sequence[Leak]) -> list[str]:
    """Say why these ways leak and those do not."""
    language, first = setting.language, leaks[0]
    held = held_in(setting, first.change)
    said = []
    if math.isfinite(first.change) and not math.isfinite(held):
        wrote = {"change": significant(first.change), "held": significant(held)}
        said.append(words.HELD.say(language, dtype=setting.dtype, **wrote))
    if math.isfinite(held):
        return [*said, *say_finite(setting, leaks), *say_blind(setting, leaks)]
    if first.part == "k":
        said += say_key(setting, leaks, held)
    else:
        said.append(say_value(setting, leaks, held))
    return [*said, say_torch(setting, leaks, held)]


def say_value(setting: Setting, leaks: Sequence[Leak], held: float) -> str:
    """Explain how NaN or ∞ comes through by the value, and where it comes as ∞."""
    language, change = setting.language, significant(held)
    said = [words.VALUE_NAN.say(language, change=change, product=significant(0 * held))]
    infinite = [leak for leak in leaks if any(leak.moves[n] == "inf" for n in leak.leaks)]
    said += say_named(words.VALUE_INF, infinite, setting, change=change, product=significant(1 * held))
    return joined(said, language)


def say_key(setting: Setting, leaks: Sequence[Leak], held: float) -> list[str]:
    """Explain what NaN or ∞ in a key does to its scores, and what each sort of way makes of them."""
    language, change = setting.language, significant(held)
    scores = [float(leaks[0].scores[n]) for n in hidden_from(leaks[0])]
    counts = {
        "hidden": len(scores),
        "minus": scores.count(-math.inf),
        "plus": scores.count(math.inf),
        "nan": sum(map(math.isnan, scores)),
    }
    said = words.KEY_NAN.say(language) if math.isnan(held) else words.KEY_INF.say(language, **counts)
    filled = say_named(words.FILLED, of_kind(leaks, FILLING, "still"), setting)
    multiplied = say_named(
        words.MULTIPLIED,
        of_kind(leaks, MULTIPLYING, "leaking"),
        setting,
        change=change,
        product=significant(0 * held),
    )
    return [
        joined([said, *filled], language),
        *say_adding(setting, leaks),
        *multiplied,
        *say_blind(setting, leaks),
    ]


def say_adding(setting: Setting, leaks: Sequence[Leak]) -> list[str]:
    """Explain what becomes of a spoilt score that is added to, for the queries here."""
    language = setting.language
    # A query without keys has no other score: −∞ is then no weight of 0.
    queries = [n for n in hidden_from(leaks[0]) if n not in setting.blind]
    scores = {significant(score): score for score in (float(leaks[0].scores[n]) for n in queries)}
    sums = [say_sum(score, setting) for score in scores.values()]
    if not sums:
        return []
    said = [words.ADDED.say(language, sums=words.SEMICOLON.say(language).join(sums))]
    said += say_named(words.ADDED_LEAKS, of_kind(leaks, ADDING, "leaking"), setting)
    said += say_named(words.ADDED_HOLDS, of_kind(leaks, ADDING, "still"), setting)
    return [joined(said, language)]


def say_sum(score: float, setting: Setting) -> str:
    """Say what adding −∞ makes of a spoilt score, and −1e9 where it makes something else."""
    total, less = score - math.inf, score + PENALTY
    text = words.ADDED_INF if math.isinf(total) else words.ADDED_NAN
    if math.isinf(less) != math.isinf(total):
        shown = {"score": significant(score), "sum": significant(total), "less": significant(less)}
        return words.ADDED_BOTH.say(setting.language, **shown)
    return text.say(setting.language, score=significant(score), sum=significant(total))


def say_torch(setting: Setting, leaks: Sequence[Leak], held: float) -> str:
    """Count torch's own functions that leak, and say what they do with the mask and the key."""
    language = setting.language
    by_torch = [leak for leak in leaks if leak.way in TORCH]
    found = of_kind(leaks, TORCH, "leaking")
    measured = [leak for leak in by_torch if kind_of(leak) not in UNMEASURED]
    said = [words.BY_TORCH.say(language, ways=len(measured), found=len(found))]
    if leaks[0].part != "k":
        return joined(said, language)
    if found:
        said.append(words.TORCH_ADDS.say(language))
    if any(leak.scores[n] == -math.inf for leak in found if leak.way in MODULE for n in leak.leaks):
        product = significant(0 * held)
        said.append(words.MODULE_FIRST.say(language, change=significant(held), product=product))
    return joined(said, language)


def say_blind(setting: Setting, leaks: Sequence[Leak]) -> list[str]:
    """Explain a leak at a query that sees no key, where a finite number stands for −∞."""

    def comes_through(leak: Leak) -> list[int]:
        spoilt = leak.part == "k" and not math.isfinite(held_in(setting, leak.change))
        return [n for n in leak.leaks if n in setting.blind and (not spoilt or leak.scores[n] == -math.inf)]

    through = [leak for leak in leaks if leak.way in FINITE and comes_through(leak)]
    if not through:
        return []
    query = setting.place(min(comes_through(through[0])))
    return say_named(words.BLIND_LEAKS, through, setting, query=query)


def say_finite(setting: Setting, leaks: Sequence[Leak]) -> list[str]:
    """Explain what a finite change shows."""
    by_way = {leak.way: leak for leak in leaks}
    added, zero, renormalised = (by_way[way] for way in ("add_1e9", "zero", "renormalised"))
    said = []
    if zero.part == "k" and kind_of(zero) == "still" and value_leaks(setting, zero):
        said.append(words.ZERO_BY_VALUE)
    if set(added.leaks) - set(setting.blind) and added.part != "v":
        said.append(words.TOO_WEAK)
    if any(renormalised.moves[n] == "nan" for n in renormalised.leaks):
        said.append(words.NOTHING_LEFT)
    return [text.say(setting.language) for text in said]


def value_leaks(setting: Setting, leak: Leak) -> bool:
    """Tell whether a change of the value comes through where one of the key does not."""
    tensors = (setting.q, setting.k, setting.v, setting.allowed)
    asked = {"key": leak.key, "change": leak.change, "part": "v"}
    return bool(measure_leak(*tensors, leak.way, setting.dtype, **asked).leaks)
