"""The leak meter: change a token, and see how far outputs move that may not see it (M3)."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from attention_core.experiments.blind_rows import KERNELS, Kernel
from attention_core.experiments.masking import WAYS, Leak, Way, attend_by, find_leaks, measure_leaks
from dashboard import controls
from dashboard.controls import State
from dashboard.grid import grid_part, verdicts_first
from dashboard.grid.bench import Area, Part
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.grid.picture import visible
from dashboard.number_table import grid_labels
from dashboard.panels.masks.way_reasons import kind_of, name_of, named, reasons, were_nan
from dashboard.panels.masks.way_setting import Setting, joined, without_numbers
from dashboard.text import mask_ways as words

CHANGE_OF = {"one": 1.0, "big": 1e10, "nan": math.nan, "inf": math.inf}
ALL: tuple[Way | Kernel, ...] = (*WAYS, *(kernel for kernel in KERNELS if kernel not in WAYS))
MOST_PAIRS = 6
LEAST = 1


def choose_change(state: State, setting: Setting) -> bool:
    """Ask which token is changed and how; tell whether the mask hides it from a query.

    Where it does not, say so and offer the nearest token that it does.
    """
    language = setting.language
    names = [f"{at} {visible(token)}" for at, token in enumerate(setting.tokens, 1)]
    with st.container(horizontal=True):
        key = controls.choose_place(state, "way_key", words.KEY, words.KEY_HELP, names, width=200)
        changes = words.CHANGE, words.CHANGE_HELP, words.CHANGES
        controls.choose(state, "way_change", *changes, in_sidebar=True, width=130)
        parts = words.PART, words.PART_HELP, words.PARTS
        controls.choose(state, "way_part", *parts, in_sidebar=True, width=200)
    hidden_from = (~setting.allowed).sum(dim=0).tolist()
    if hidden_from[key] >= LEAST:
        return True
    others = [at for at, count in enumerate(hidden_from) if count >= LEAST]
    if others:
        nearest = min(others, key=lambda at: abs(at - key))
        st.info(words.ALL_SEE.say(language, place=key + 1, hidden=hidden_from[key], least=LEAST))
        controls.button(
            words.TAKE_KEY.say(language, place=nearest + 1), "take.key", state.put, "way_key", nearest + 1
        )
    return False


def leak_parts(state: State, setting: Setting, choose: Callable[[Way], None]) -> dict[str, tuple[Area, Part]]:
    """Describe what moved in every way, and what that says.

    Args:
        choose: Called with the way whose row was picked.
    """
    asked = {
        "key": state["way_key"] - 1,
        "change": CHANGE_OF[state["way_change"]],
        "part": state["way_part"],
    }
    leaks = measure_leaks(setting.q, setting.k, setting.v, setting.allowed, ALL, setting.dtype, **asked)
    said = [*say_leaks(state, setting, leaks), *reasons(setting, leaks)]
    lines = [Line(prose(text), "prose") for text in said]
    return {
        "leaks": ("below", leaks_part(state, setting, leaks, choose)),
        "leaked": ("below", lines_part(words.LEAK.say(setting.language), lines)),
    }


def pairs_part(state: State, setting: Setting) -> Part:
    """Describe the test of every pair, which runs while it is unfolded."""
    is_open = state["way_test"]
    label = words.TEST.say(setting.language, way=setting.way_name())
    lines = [Line(prose(text), "prose") for text in say_test(setting)] if is_open else []
    unfold = partial(state.put, "way_test")
    return lines_part(label, lines, is_folded=True, on_unfold=unfold, is_open=is_open)


def leaks_part(state: State, setting: Setting, leaks: Sequence[Leak], choose: Callable[[Way], None]) -> Part:
    """Describe how far each output moved that may not see the key; picking the row of a way chooses it."""
    language, key = setting.language, leaks[0].key
    watched = [n for n, is_hidden in enumerate(leaks[0].is_hidden) if is_hidden]
    were = [set(were_nan(leak)) for leak in leaks]
    changed = {
        "key": f"{key + 1} {visible(setting.tokens[key])}",
        "change": words.CHANGES[state["way_change"]],
    }
    part = grid_part(
        [[math.nan] * len(watched) if leak.refused else leak.moved[watched].tolist() for leak in leaks],
        title=words.LEAK_TITLE.say(language, **changed),
        labels=replace(grid_labels(language, "row", "query"), footer=words.VERDICT.say(language)),
        row_labels=[name_of(leak.way, setting) for leak in leaks],
        column_labels=[f"{n + 1} {visible(setting.tokens[n])}" for n in watched],
        picked=(ALL.index(setting.way), 0),
        on_pick=lambda row, _: choose(WAYS[row]) if row < len(WAYS) else None,
        footer=[outcome(leak, setting) for leak in leaks],
    )
    rows = zip(leaks, were, strict=True)
    return without_numbers(
        verdicts_first(part),
        [[leak.refused is not None or n in were_here for n in watched] for leak, were_here in rows],
    )


def outcome(leak: Leak, setting: Setting) -> str:
    """Say in a few words what became of a way, and of how many outputs where not of all."""
    kind, hidden = kind_of(leak), sum(leak.is_hidden)
    if kind == "leaking":
        return words.LEAKS.say(setting.language, found=len(leak.leaks), hidden=hidden)
    said = {"refused": words.FAULTS["refused"], "rounding": words.ROUNDING, "still": words.STILL}
    text = (said | {"was_nan": words.WAS_NAN})[kind].say(setting.language)
    unmeasured = len(were_nan(leak))
    if kind == "was_nan" or not unmeasured:
        return text
    return words.OF_HIDDEN.say(setting.language, said=text, found=hidden - unmeasured, hidden=hidden)


def say_leaks(state: State, setting: Setting, leaks: Sequence[Leak]) -> list[str]:
    """Say how many ways held, and which did not."""
    language, first = setting.language, leaks[0]
    kinds = [kind_of(leak) for leak in leaks]
    see = words.LEAK_SEE.say(
        language,
        key=setting.place(first.key),
        part=words.SAID_PARTS[first.part].say(language),
        change=words.CHANGES[state["way_change"]],
        dtype=setting.dtype,
        n=setting.n,
        hidden=sum(first.is_hidden),
        ways=len(leaks),
        **{kind: kinds.count(kind) for kind in ("still", "rounding", "leaking", "refused")},
    )
    said = [see]
    leaking = [leak for leak, kind in zip(leaks, kinds, strict=True) if kind == "leaking"]
    # More than half are named by the table alone.
    if 0 < 2 * len(leaking) <= len(leaks):
        said.append(words.WHO_LEAKS.say(language, names=named(leaking, setting)))
    were = [leak for leak in leaks if were_nan(leak)]
    if were:
        said.append(words.SAY_WAS_NAN.say(language, names=named(were, setting)))
    if "was_nan" in kinds:
        said.append(words.ALL_WERE_NAN.say(language, ways=kinds.count("was_nan")))
    return [joined(said, language)]


def say_test(setting: Setting) -> list[str]:
    """Try every pair under the chosen way, in a type that tells a small weight from none."""
    language, attend = setting.language, attend_by(setting.way)
    found = find_leaks(
        lambda q, k, v: attend(q, k, v, setting.allowed), setting.n, setting.n, setting.allowed, setting.seed
    )
    said = [words.TESTED.say(language, seed=setting.seed, hidden=setting.hidden_pairs)]
    for pairs, text in ((found.leaking, words.TEST_LEAKS), (found.missing, words.TEST_MISSING)):
        if pairs:
            said.append(text.say(language, found=len(pairs), pairs=pairs_named(pairs)))
    if found.without_numbers:
        said.append(
            words.TEST_NAN.say(language, queries=first_few([str(n + 1) for n in found.without_numbers]))
        )
    if len(said) == 1:
        said.append(words.TEST_HOLDS.say(language))
    return [joined(said, language)]


def pairs_named(pairs: Sequence[tuple[int, int]]) -> str:
    """Name the first few pairs, counted from 1."""
    return first_few([f"{query + 1} ← {key + 1}" for query, key in pairs])


def first_few(names: Sequence[str]) -> str:
    """List the first few names, and say that there are more."""
    shown = ", ".join(names[:MOST_PAIRS])
    return f"{shown}, …" if len(names) > MOST_PAIRS else shown
