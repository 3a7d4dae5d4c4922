"""What the comparison says in sentences, and what it asks."""

import math
from dataclasses import replace
from functools import lru_cache

from attention_core.experiments.linear_forms import LinearForms, compare_linear_forms
from attention_core.variant_runs import KINDS, Inputs, VariantRun, count_flops, relative_error
from attention_core.variants.linear import Feature
from dashboard.controls import State
from dashboard.frame import asked_and_measured
from dashboard.grid.lines import word
from dashboard.number_format import significant
from dashboard.panels.variants.compare_model import (
    Compared,
    Slot,
    Summary,
    choices_of,
    inputs_of,
    ran,
    summary,
)
from dashboard.panels.variants.compare_pictures import Parts, Picked, named
from dashboard.text import Language, Text
from dashboard.text import variant_compare as words

# No float64 outputs of this size differ by less for any other reason.
ROUNDING = 1e-12


def readings(state: State, now: Compared, picked: Picked) -> list[str]:
    """Say of each attention whether it is exact, an approximation or another function, by how much, and what it sees."""
    language = state.language
    said = []
    for slot, run in now.runs():
        found = summary(run.name, run.inputs, choices_of(state))
        sentences = [say_kind(slot, run, found, now, language)]
        # What is left out is said of those that leave something out.
        if KINDS[run.name] != "exact" or found.n_seen < now.full.n_seen:
            sentences.append(say_sees(run, now, picked, language))
        if slot.letter != "A" and now.slots[0].name == slot.name:
            sentences.insert(0, words.SAME_TWICE.say(language, slot=slot.letter))
        # Of one that hides nothing it has been said that it sees every key.
        if run.seen is not None and len(now.tokens) > 1:
            sentences.append(say_keys(run, now, picked, language))
        said.append(in_a_row(sentences, language))
    return said


def in_a_row(said: list[str], language: Language) -> str:
    """Put sentences one after the other."""
    return ("" if language == "zh" else " ").join(said)


def say_kind(slot: Slot, run: VariantRun, found: Summary, now: Compared, language: Language) -> str:
    """Say what a variant is to full attention, with the measured distance."""
    fields = named(slot, language)
    kind, error = KINDS[run.name], significant(found.error)
    is_equal = found.error is not None and found.error < ROUNDING
    if kind == "itself":
        return words.IS_ITSELF.say(language, slot=slot.letter)
    if kind == "exact":
        pairs = {"all": now.full.n_seen, "error": error}
        if len(now.tokens) == 1:
            return words.SEES_THE_PAIR.say(language, **fields, error=error)
        if found.n_seen == now.full.n_seen:
            return words.SEES_ALL.say(language, **fields, **pairs)
        apart = significant(found.apart)
        return words.IS_EXACT.say(language, **fields, **pairs, seen=found.n_seen, apart=apart)
    if kind == "approximation":
        text = words.IS_NEAR if is_equal else words.IS_APPROXIMATION
    else:
        text = words.IS_EQUAL_FUNCTION if is_equal else words.IS_FUNCTION
    return text.say(language, **fields, error=error)


def say_keys(run: VariantRun, now: Compared, picked: Picked, language: Language) -> str:
    """Count the keys that the picked query sees."""
    n, seen = len(now.tokens), int(run.seen[picked.row].sum())
    return words.SEES_KEYS.say(language, query=query_name(now, picked), n=n, seen=seen)


def query_name(now: Compared, picked: Picked) -> str:
    """Name the picked query."""
    return word(f"{picked.row + 1} {now.tokens[picked.row]}")


def say_sees(run: VariantRun, now: Compared, picked: Picked, language: Language) -> str:
    """Say what a variant can and cannot see, with the numbers of its settings."""
    text = special_case(run) or words.SEES[run.name]
    fields = numbers_of(run, now, picked)
    return text.say(language, **{name: fields[name] for name in text.fields(language)})


def special_case(run: VariantRun) -> Text | None:
    """Give what is said instead where the settings make a variant a simple one; None elsewhere."""
    choices, inputs = run.choices, run.inputs
    if run.name == "full" and inputs.is_causal:
        return words.FULL_CAUSAL
    if run.name == "grouped" and choices.n_kv_heads == len(inputs.q):
        return words.GROUPED_FULL
    if run.name == "low_rank" and choices.rank >= inputs.n and choices.mixture == "pooled":
        return words.LOW_RANK_FULL
    if run.name == "dilated" and choices.dilation == 1:
        return words.DILATED_ONE
    if run.name == "global_window" and choices.n_global == 0:
        return words.NO_GLOBAL
    if run.name == "low_rank" and inputs.n == 1:
        return words.LOW_RANK_ONE
    return None


def numbers_of(run: VariantRun, now: Compared, picked: Picked) -> dict[str, object]:
    """Give the numbers that sentences on a variant may name."""
    choices, inputs = run.choices, run.inputs
    d_k = inputs.q.shape[-1]
    fields: dict[str, object] = {
        "n": inputs.n,
        "h": len(inputs.q),
        "kv": choices.n_kv_heads,
        "d": d_k,
        "d_k": d_k,
        "d_q": min(choices.d_q, d_k),
        "d_a": choices.d_a,
        "width": choices.width,
        "dilation": choices.dilation,
        "stride": choices.stride,
        "n_global": min(choices.n_global, inputs.n),
        "rank": min(choices.rank, inputs.n),
        "head": now.head + 1,
        "query": query_name(now, picked),
    }
    return fields | measured_numbers(run, now, picked)


def measured_numbers(run: VariantRun, now: Compared, picked: Picked) -> dict[str, object]:
    """Give those that one variant's own run gives."""
    choices, inputs = run.choices, run.inputs
    if run.name == "additive":
        ratio = count_flops("additive", inputs, choices) / count_flops("full", inputs, choices)
        return {"times": significant(ratio)}
    if run.name == "cosine":
        # Above, what float64 can hold.
        most = 2 / choices.temperature
        return {"most": significant(math.exp(most))}
    if run.name == "alibi":
        slopes = [significant(slope) for slope in run.trace.slopes.tolist()]
        return {"slope": slopes[now.head], "slopes": ", ".join(slopes)}
    if run.name == "sink":
        return {"share": significant(float(run.trace.sink_weights[now.head, picked.row]))}
    if run.name == "linear":
        forms = _forms(inputs, choices.feature)
        return {"pairwise": significant(forms.pairwise), "recurrent": significant(forms.recurrent)}
    return {}


@lru_cache(maxsize=8)
def _forms(inputs: Inputs, feature: Feature) -> LinearForms:
    return compare_linear_forms(inputs.q, inputs.k, inputs.v, feature=feature, is_causal=inputs.is_causal)


def question_parts(state: State) -> Parts:
    """Ask how wide a window has to be; the answer runs every width, once the reader wants it."""
    question = words.QUESTION.say(state.language)
    return asked_and_measured("compare", question, lambda: say_widths(state), state.language)


def say_widths(state: State) -> str:
    """Give the window's error at every width up to the sentence's, of many some."""
    language, inputs, choices = state.language, inputs_of(state), choices_of(state)
    full, n = ran("full", inputs, choices), inputs.n
    if n == 1:
        error = relative_error(ran("window", inputs, replace(choices, width=1)).out, full.out)
        return words.ANSWER_ONE.say(language, error=significant(error))
    errors = []
    for width in widths_tried(n):
        run = ran("window", inputs, replace(choices, width=width))
        error = significant(relative_error(run.out, full.out))
        errors.append(words.WIDTH_ERROR.say(language, width=width, error=error))
    joined = words.JOIN.say(language).join(errors)
    return words.ANSWER.say(language, errors=joined, least=n, n=n)


def widths_tried(n: int) -> list[int]:
    """List widths: all up to a few, then doubled, and the last two.

    Example:
        >>> widths_tried(6), widths_tried(40)
        ([1, 2, 3, 4, 5, 6], [1, 2, 4, 8, 16, 32, 39, 40])
    """
    if n <= 8:
        return list(range(1, n + 1))
    doubled = [2**power for power in range(n.bit_length()) if 2**power < n - 1]
    return [*doubled, n - 1, n]
