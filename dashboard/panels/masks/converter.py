"""One mask in the four ways libraries write it, and what comes of handing it to a call that reads it otherwise (M5)."""

import math
from dataclasses import replace

import streamlit as st
import torch
from torch import Tensor

from attention_core.consumers import feed
from attention_core.conventions import CONVENTIONS, Convention, write_mask
from attention_core.experiments.mask_feeds import Call, Fed, feed_mask, values_of
from attention_core.steps import scaled_dot_product_attention
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import asked_parts, source
from dashboard.grid import compact, grid_part
from dashboard.grid.bench import Area, Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose, word
from dashboard.link import shorten
from dashboard.number_format import significant
from dashboard.number_table import grid_labels
from dashboard.panels.masks.converter_code import TAKES, snippet
from dashboard.panels.masks.mask_box import drawn_mask
from dashboard.panels.masks.mask_guess import guess_bench
from dashboard.panels.masks.model import name_queries
from dashboard.panels.masks.typed_mask import Rows, brief, toggled, vector, write_drawn
from dashboard.text import Language
from dashboard.text import mask_converter as words

LONGEST_REFUSAL = 160


def converter(state: State) -> None:
    """Show the view; below it the functions that ran."""
    convert(state)
    source([write_mask, feed_mask, feed, scaled_dot_product_attention], state.language)


@controls.fragment
def convert(state: State) -> bool:
    """Ask for a mask, a way to write it and a call; show what comes of it, and what an unlabelled mask may mean."""
    rows = drawn_mask(state)
    with st.container(horizontal=True, gap="small"):
        for name, text in words.PRESETS.items():
            controls.button(text.say(state.language), f"converter.{name}", take_preset, state, name, rows)
    with st.container(horizontal=True):
        ways = words.CONVENTION, words.CONVENTION_HELP, words.CONVENTIONS
        controls.choose(state, "converter_as", *ways, in_sidebar=True, width=230)
        calls = words.CALL, words.CALL_HELP, words.CALL_NAMES
        controls.choose(state, "converter_to", *calls, in_sidebar=True, width=380)
    parts: dict[str, tuple[Area, Part]] = {"address": ("top", controls.address_part(state))}
    if rows is None:
        show_bench("bench.converter", parts)
    else:
        fed = feed_mask(torch.tensor(rows), state["converter_as"], state["converter_to"])
        show_bench("bench.converter", parts | converted(state, rows, fed))
        show_code(state, rows, fed)
    guess_bench(state)
    return True


def take_preset(state: State, name: str, rows: Rows | None) -> None:
    """Put a mask of the size at hand into the box."""
    n_queries, n_keys = (len(rows), len(rows[0])) if rows else (3, 3)
    allowed = torch.ones(n_queries, n_keys, dtype=torch.bool)
    if name == "causal":
        allowed = allowed.tril(n_keys - n_queries)
    elif name == "padding":
        allowed[:, -1] = False
    elif name == "blind":
        allowed[-1] = False
    state.put("converter_mask", write_drawn(tuple(map(tuple, allowed.tolist()))))


def converted(state: State, rows: Rows, fed: Fed) -> dict[str, tuple[Area, Part]]:
    """Describe the four ways, the answer beside what was meant, what it says, and the question."""
    language = state.language
    notes = [Line(prose(text), "note") for text in say_note(rows, language)]
    parts: dict[str, tuple[Area, Part]] = {"note": ("top", lines_part(words.WHO_TAKES.say(language), notes))}
    for convention in CONVENTIONS:
        parts[convention] = ("top", written_part(state, rows, convention, handed_over(fed)))
    takers = [Line(prose(text), "note") for text in say_takers(language)]
    parts["takers"] = ("top", lines_part(words.WHO_TAKES.say(language), takers))
    hidden = ~torch.tensor(rows)
    meant = weights_part(words.MEANT.say(language), fed.meant_weights, fed.meant_out, hidden, language)
    parts["meant"] = ("left", meant)
    if fed.weights is not None and fed.outcome.out is not None:
        used = weights_part(words.USED.say(language), fed.weights, fed.outcome.out, hidden, language)
        parts["used"] = ("left", used)
    said = [Line(prose(text), "prose") for text in say_fed(state, fed)]
    heading = Line(prose(words.TITLE.say(language)), "heading")
    parts["said"] = ("right", lines_part(words.TITLE.say(language), [heading, *said]))
    return parts | question_parts(state, rows)


def say_note(rows: Rows, language: Language) -> list[str]:
    """Say what is the reader's, what is made up, and what the mark at a row means where there is one."""
    n_keys = len(rows[0])
    keys = words.ONE_KEY.say(language) if n_keys == 1 else words.SOME_KEYS.say(language, n_keys=n_keys)
    values = ", ".join(vector(row) for row in values_of(n_keys).tolist())
    note = words.NOTE.say(language, keys=keys, values=values, version=torch.__version__)
    return [note] if all(map(any, rows)) else [note, words.BLIND_ROW.say(language)]


def is_too_many_rows(fed: Fed) -> bool:
    """Tell whether the call takes one row for all queries and the mask has several: nothing is handed over then."""
    return fed.consumer.has_one_row and len(fed.mask.unique(dim=0)) > 1


def handed_over(fed: Fed) -> Convention | None:
    """Name the way in which the mask was handed over; None where none was."""
    return None if is_too_many_rows(fed) else fed.convention


def written_part(state: State, rows: Rows, convention: Convention, handed: Convention | None = None) -> Part:
    """Describe what a tensor in one convention really holds; a pick changes the pair in all of them."""
    language = state.language
    allowed = torch.tensor(rows)
    mask = write_mask(allowed, convention)
    title, labels = words.GRIDS[convention].say(language), grid_labels(language, "query", "key")

    def pick(row: int, column: int) -> None:
        state.put("converter_mask", write_drawn(toggled(rows, row, column)))

    part = grid_part(
        mask.double().numpy(),
        title=words.HANDED_OVER.say(language, grid=title) if convention == handed else title,
        labels=replace(labels, value=words.STORED.say(language), keys=words.FLIP_KEYS.say(language)),
        masked=(~allowed).numpy(),
        role="mask",
        on_pick=pick,
    )
    told = [str(one) if isinstance(one, bool) else brief(one) for one in mask.flatten().tolist()]
    return compact(replace(part, data={**part.data, "texts": told}))


def say_takers(language: Language) -> list[str]:
    """Say for each way which calls take it."""
    said = []
    for convention in CONVENTIONS:
        calls = words.BETWEEN.say(language).join(
            call_name(call, language) for call, takes in TAKES.items() if convention in takes
        )
        if calls:
            name = words.CONVENTIONS[convention].say(language)
            said.append(words.TAKEN_BY.say(language, convention=name, calls=calls))
        else:
            said.append(words.TAKEN_BY_NONE.say(language, grid=words.GRIDS[convention].say(language)))
    return said


def call_name(call: Call, language: Language) -> str:
    """Name a call where it is met first."""
    name = words.CALL_NAMES[call]
    return name if isinstance(name, str) else name.say(language)


def weights_part(title: str, weights: Tensor, out: Tensor, hidden: Tensor, language: Language) -> Part:
    """Describe weights with each query's output at the end of its row; the cells that the mask hides are crossed."""
    labels = grid_labels(language, "query", "key")
    return compact(
        grid_part(
            weights.double().numpy(),
            title=title,
            labels=replace(labels, value=words.WEIGHT.say(language), footer=words.OUT.say(language)),
            role="weights",
            scale="sequential",
            masked=hidden.numpy(),
            footer=[vector(row) for row in out.tolist()],
        )
    )


def places(numbers: tuple[int, ...], language: Language) -> str:
    """Name queries or keys as readers count them."""
    return ", ".join(str(one + 1) for one in numbers) or words.NONE.say(language)


def say_fed(state: State, fed: Fed) -> list[str]:
    """Say what the call took the mask for, what came of it, and why."""
    language = state.language
    if is_too_many_rows(fed):
        taken = words.WOULD_TAKE[fed.consumer.convention].say(language)
        return [taken, say_refusal(fed, language)]
    text = words.TAKES_ONLY if fed.weights is None else words.TAKES
    given, taken = (words.CONVENTIONS[one].say(language) for one in (fed.convention, fed.consumer.convention))
    said = [text.say(language, given=given, call=words.CALLS[state["converter_to"]], taken=taken)]
    if fed.outcome.out is None or fed.weights is None:
        said.append(say_refusal(fed, language))
    elif fed.differing:
        said += say_wrong(fed, fed.weights, fed.outcome.out, language)
    else:
        said.append(say_right(fed, language))
        said += say_blind(fed, fed.outcome.out, language)
    return [*said, (words.WHY if fed.differing else words.WHY_ELSEWHERE).say(language), say_product(language)]


def say_product(language: Language) -> str:
    """Say how bool becomes floats that can be added, with what either way gives."""
    product = torch.tensor(0.0) * -math.inf
    chosen = write_mask(torch.tensor([True]), "additive")[0]
    numbers = {"product": significant(float(product)), "chosen": significant(float(chosen))}
    return words.PRODUCT.say(language, **numbers)


def say_right(fed: Fed, language: Language) -> str:
    """Say that the output is what the mask meant, of the queries that may see a key: others have no right answer."""
    may_see = fed.meant_weights.sum(dim=-1) > 0
    if not fed.is_intended:
        return words.LUCK.say(language, difference=significant(fed.largest_difference, 2))
    if not bool(may_see.any()):
        return words.RIGHT_BLIND.say(language)
    text = words.RIGHT if bool(may_see.all()) else words.RIGHT_SEEING
    return text.say(language, difference=significant(fed.largest_difference, 2))


def say_refusal(fed: Fed, language: Language) -> str:
    """Give a call's own words; they may quote anything."""
    told = word(shorten(" ".join((fed.outcome.refusal or "").split()), LONGEST_REFUSAL))
    if is_too_many_rows(fed):
        return words.REFUSED_ROWS.say(language, said=told, found=len(fed.mask.unique(dim=0)))
    return words.REFUSED.say(language, said=told)


def say_wrong(fed: Fed, weights: Tensor, out: Tensor, language: Language) -> list[str]:
    """Name what went wrong with the numbers of the first query that it befell."""
    counts = {
        "rows": len(out),
        "differing": len(fed.differing),
        "leaks": len(fed.leaks),
        "lost": len(fed.lost),
    }
    said = [words.WRONG.say(language, **counts)]
    allowed, first = fed.meant_weights > 0, fed.differing[0]
    if fed.convention == "binary":
        leaked = float(weights[first][~allowed[first]].sum())
        told = {"e": significant(math.e, 4), "query": first + 1, "weights": vector(weights[first].tolist())}
        return [*said, words.ADDED.say(language, **told, leaked=significant(leaked))]
    is_causal = (
        bool((allowed == torch.ones_like(allowed).tril()).all()) and allowed.shape[0] == allowed.shape[1] > 1
    )
    if not fed.is_intended:
        said.append((words.INVERTED_CAUSAL if is_causal else words.INVERTED).say(language))
    seen, meant = (where[first].nonzero().flatten().tolist() for where in (weights > 0, allowed))
    told = {"query": first + 1, "seen": places(seen, language), "got": vector(out[first].tolist())}
    if meant:
        expected = {"meant": places(meant, language), "expected": vector(fed.meant_out[first].tolist())}
        said.append(words.FIRST_WRONG.say(language, **told, **expected))
    else:
        said.append(words.FIRST_SEES.say(language, **told))
    if fed.blinded:
        got = vector(out[fed.blinded[0]].tolist())
        said.append(words.BLINDED.say(language, queries=name_queries(fed.blinded, language), got=got))
    return said


def say_blind(fed: Fed, out: Tensor, language: Language) -> list[str]:
    """Say what became of the queries that may see nothing."""
    blind = tuple((fed.meant_weights.sum(dim=-1) == 0).nonzero().flatten().tolist())
    if not blind:
        return []
    told = {"queries": name_queries(blind, language), "got": vector(out[blind[0]].tolist())}
    return [words.NO_RIGHT_ANSWER.say(language, **told)]


def verdict(fed: Fed, language: Language) -> str:
    """Say in a word what came of handing a mask over."""
    if fed.outcome.out is None:
        return words.VERDICTS["refused"].say(language)
    if fed.differing:
        return words.VERDICTS["wrong"].say(language, differing=len(fed.differing))
    return words.VERDICTS["right" if fed.is_intended else "luck"].say(language)


def question_parts(state: State, rows: Rows) -> dict[str, tuple[Area, Part]]:
    """Ask which of the four ways the chosen call understands; all four are run."""
    language, call = state.language, state["converter_to"]
    each = [
        words.ANSWER_EACH.say(
            language,
            convention=words.CONVENTIONS[convention].say(language),
            verdict=verdict(feed_mask(torch.tensor(rows), convention, call), language),
        )
        for convention in CONVENTIONS
    ]
    joint = words.BETWEEN.say(language)
    answer = words.ANSWER.say(language, each=joint.join(each))
    return asked_parts(words.QUESTION.say(language, call=words.CALLS[call]), answer, language)


def show_code(state: State, rows: Rows, fed: Fed) -> None:
    """Offer the code that hands the mask over rightly."""
    language = state.language
    if fed.consumer.has_one_row and len(set(rows)) > 1:
        st.caption(words.CODE_NONE.say(language))
        return
    given = words.CONVENTIONS[fed.convention].say(language)
    st.caption(words.CODE.say(language, given=given))
    st.code(snippet(rows, fed.convention, state["converter_to"]), language="python")
