"""The leak meter: change a token, and see how far outputs move that may not see it (M3)."""

import math
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st
import torch

from attention_core.components import DTYPES
from attention_core.experiments.blind_rows import KERNELS, Kernel
from attention_core.experiments.masking import WAYS, Leak, Way, attend_by, find_leaks, measure_leak
from dashboard import controls
from dashboard.controls import State
from dashboard.grid import grid_part
from dashboard.grid.bench import Area, Part
from dashboard.grid.lines import Line, Piece, lines_part, prose
from dashboard.grid.picture import visible
from dashboard.number_format import significant
from dashboard.number_table import grid_labels
from dashboard.panels.masks.way_setting import Setting, joined, without_numbers
from dashboard.text import Language
from dashboard.text import mask_ways as words

CHANGE_OF = {"one": 1.0, "big": 1e10, "nan": math.nan, "inf": math.inf}
ALL: tuple[Way | Kernel, ...] = (*WAYS, *(kernel for kernel in KERNELS if kernel not in WAYS))
ADDING = ("add_1e9", "added_softmax")
TORCH = ("sdpa_math", "sdpa_fused", "mha_with_weights", "mha")
MOST_PAIRS = 6
LEAST = 1


def choose_change(state: State, setting: Setting) -> bool:
    """Ask which token is changed and how; tell whether the mask hides it from a query.

    Where it does not, say so and offer the nearest token that it does.
    """
    language = setting.language
    names = [f"{at} {visible(token)}" for at, token in enumerate(setting.tokens, 1)]
    with st.container(horizontal=True):
        controls.choose(
            state, "way_change", words.CHANGE, words.CHANGE_HELP, words.CHANGES, in_sidebar=True, width=130
        )
        controls.choose(
            state, "way_part", words.PART, words.PART_HELP, words.PARTS, in_sidebar=True, width=200
        )
        key = controls.choose_place(state, "way_key", words.KEY, words.KEY_HELP, names)
        controls.toggle(state, "way_test", words.TEST, words.TEST_HELP)
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


def leak_parts(state: State, setting: Setting) -> dict[str, tuple[Area, Part]]:
    """Describe what moved in every way, what that says, and the test of every pair."""
    language, key = setting.language, state["way_key"] - 1
    change = CHANGE_OF[state["way_change"]]
    asked = {"key": key, "change": change, "part": state["way_part"]}
    tensors = (setting.q, setting.k, setting.v, setting.allowed)
    leaks = [measure_leak(*tensors, way, setting.dtype, **asked) for way in ALL]
    texts = [*say_leaks(state, setting, leaks), *reasons(setting, leaks)]
    texts += say_test(setting) if state["way_test"] else []
    return {"leaks": ("below", leaks_part(state, setting, leaks)), **leaked_part(texts, language)}


def pair_parts(state: State, setting: Setting) -> dict[str, tuple[Area, Part]]:
    """Describe the test of every pair where no output is hidden from the key that is changed."""
    return leaked_part(say_test(setting), setting.language) if state["way_test"] else {}


def leaked_part(texts: Sequence[str], language: Language) -> dict[str, tuple[Area, Part]]:
    """Describe what leaked, in sentences under a heading."""
    heading = Line([Piece(words.LEAK.say(language))], "heading")
    lines = [heading, *(Line(prose(text), "prose") for text in texts)]
    return {"leaked": ("below", lines_part(words.LEAK.say(language), lines))}


def name_of(way: Way | Kernel, setting: Setting) -> str:
    """Name a way, or a function of a library."""
    return (words.WAYS.get(way) or words.KERNELS[way]).say(setting.language)


def leaks_part(state: State, setting: Setting, leaks: Sequence[Leak]) -> Part:
    """Describe how far each output moved that may not see the key; picking the row of a way chooses it."""
    language, key = setting.language, leaks[0].key
    watched = [n for n, is_hidden in enumerate(leaks[0].is_hidden) if is_hidden]
    values = [
        [math.nan] * len(watched) if leak.refused else leak.moved.double()[watched].tolist() for leak in leaks
    ]

    def pick(row: int, _: int) -> None:
        if ALL[row] in WAYS:
            state.put("way", ALL[row])

    title = words.LEAK_TITLE.say(
        language, key=f"{key + 1} {visible(setting.tokens[key])}", change=words.CHANGES[state["way_change"]]
    )
    part = grid_part(
        values,
        title=title,
        labels=replace(grid_labels(language, "row", "query"), footer=words.VERDICT.say(language)),
        row_labels=[name_of(leak.way, setting) for leak in leaks],
        column_labels=[f"{n + 1} {visible(setting.tokens[n])}" for n in watched],
        picked=(ALL.index(setting.way), 0),
        on_pick=pick,
        footer=[outcome(leak, setting) for leak in leaks],
    )
    return without_numbers(part, [leak.refused is not None for leak in leaks])


def kind_of(leak: Leak) -> str:
    """Sort a way by what moved: refused, leaking, rounding or still."""
    if leak.refused:
        return "refused"
    if leak.leaks:
        return "leaking"
    moves = {move for move, is_hidden in zip(leak.moves, leak.is_hidden, strict=True) if is_hidden}
    return "rounding" if "rounding" in moves else "still"


def outcome(leak: Leak, setting: Setting) -> str:
    """Say in a few words what became of a way."""
    kind = kind_of(leak)
    if kind == "leaking":
        hidden = sum(leak.is_hidden)
        return words.LEAKS.say(setting.language, found=len(leak.leaks), hidden=hidden)
    said = {"refused": words.FAULTS["refused"], "rounding": words.ROUNDING, "still": words.STILL}
    return said[kind].say(setting.language)


def named(leaks: Sequence[Leak], setting: Setting) -> str:
    """Name some ways in a sentence."""
    names = [words.QUOTED.say(setting.language, name=name_of(leak.way, setting)) for leak in leaks]
    return words.COMMA.say(setting.language).join(names)


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
    leaking = [leak for leak, kind in zip(leaks, kinds, strict=True) if kind == "leaking"]
    # More than half are named by the table alone.
    if not 0 < 2 * len(leaking) <= len(leaks):
        return [see]
    return [joined([see, words.WHO_LEAKS.say(language, names=named(leaking, setting))], language)]


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
        return [*said, *say_finite(setting, leaks)]
    why = why_nan(setting, leaks, held)
    by_torch = [leak for leak in leaks if leak.way in TORCH]
    found = sum(kind_of(leak) == "leaking" for leak in by_torch)
    torch_says = words.BY_TORCH.say(language, ways=len(by_torch), found=found)
    return [*said, joined([*why, torch_says], language)]


def why_nan(setting: Setting, leaks: Sequence[Leak], held: float) -> list[str]:
    """Explain how NaN or ∞ comes through, by the value or by the score."""
    language, shown = setting.language, significant(held)
    if leaks[0].part != "k":
        return [words.VALUE_NAN.say(language, change=shown, product=significant(0 * held))]
    still = [leak for leak in leaks if kind_of(leak) == "still"]
    leaking = [leak for leak in leaks if kind_of(leak) == "leaking" and leak.way in ADDING]
    if not (still and leaking):
        return []
    names = {"still": named(still, setting), "leaking": named(leaking, setting)}
    difference = significant(held - math.inf)
    return [words.KEY_NAN.say(language, change=shown, difference=difference, **names)]


def say_finite(setting: Setting, leaks: Sequence[Leak]) -> list[str]:
    """Explain what a finite change shows."""
    by_way = {leak.way: leak for leak in leaks}
    added, zero, renormalised = (by_way[way] for way in ("add_1e9", "zero", "renormalised"))
    said = []
    if zero.part == "k" and kind_of(zero) == "still":
        said.append(words.ZERO_BY_VALUE)
    if set(added.leaks) - set(setting.blind) and added.part != "v":
        said.append(words.TOO_WEAK)
    if any(renormalised.moves[n] == "nan" for n in renormalised.leaks):
        said.append(words.NOTHING_LEFT)
    return [text.say(setting.language) for text in said]


def say_test(setting: Setting) -> list[str]:
    """Try every pair under the chosen way, in a type that tells a small weight from none."""
    language, attend = setting.language, attend_by(setting.way)
    found = find_leaks(
        lambda q, k, v: attend(q, k, v, setting.allowed), setting.n, setting.n, setting.allowed, setting.seed
    )
    tested = words.TESTED.say(
        language, way=setting.way_name(), seed=setting.seed, hidden=setting.hidden_pairs
    )
    said = [tested]
    for pairs, text in ((found.leaking, words.TEST_LEAKS), (found.missing, words.TEST_MISSING)):
        if pairs:
            said.append(text.say(language, found=len(pairs), pairs=pairs_named(pairs)))
    if found.without_numbers:
        queries = ", ".join(str(n + 1) for n in found.without_numbers[:MOST_PAIRS])
        said.append(words.TEST_NAN.say(language, queries=queries))
    if len(said) == 1:
        said.append(words.TEST_HOLDS.say(language))
    return [joined(said, language)]


def pairs_named(pairs: Sequence[tuple[int, int]]) -> str:
    """Name the first few pairs, counted from 1."""
    shown = ", ".join(f"{query + 1} ← {key + 1}" for query, key in pairs[:MOST_PAIRS])
    return f"{shown}, …" if len(pairs) > MOST_PAIRS else shown
