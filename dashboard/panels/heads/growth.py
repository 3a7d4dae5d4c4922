"""One sentence through four steps, each of which solves a problem of the one before (H8)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial

import streamlit as st
from torch import Tensor

from attention_core.experiments.growth import (
    MATRICES,
    ROUNDING,
    STEPS,
    Step,
    StepName,
    added_lines,
    attend_by,
    grow,
    moved_by_next,
    trace_step,
)
from attention_core.explain import explain
from attention_core.masks import causal
from attention_core.single_head import Positions, own_sentence
from attention_core.tokens import tokenize
from dashboard import controls
from dashboard.cached import grown
from dashboard.controls import State
from dashboard.frame import asked_and_measured, source
from dashboard.grid import compact, grid_part, verdicts_first
from dashboard.grid.bench import Area, Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose, word
from dashboard.link import shorten
from dashboard.number_format import significant
from dashboard.number_table import grid_labels, table_part
from dashboard.panels.heads.head_readings import in_a_row
from dashboard.panels.heads.legal import has_legal_heads
from dashboard.panels.heads.weight_said import Along, pick_pair, picked_pair, weight_parts
from dashboard.text import Language
from dashboard.text import head_growth as words
from dashboard.text import qkv as qkv_words
from dashboard.text import weights as weight_words
from dashboard.text.heads import HEAD_MOVED, VIEWS

MASKED = frozenset({"causal", "multi_head"})
HEAD_WIDTH = 270
GOES_ON = {"trainable": "initial", "causal": "shared", "multi_head": "output"}

Parts = dict[str, tuple[Area, Part]]


@controls.fragment
def growth(state: State) -> bool:
    """Show the weights of all steps, what each changes and solves, and the code of one."""
    if not has_legal_heads(state):
        return False
    language = state.language
    controls_place = st.container()  # filled last: see controls.fragment
    state.narrow("growth_head", state["h"])
    tokens = tuple(tokenize(state["text"]))
    steps = grown(tokens, state["seed"], state["d_model"], state["positions"], state["h"])
    chosen = steps[STEPS.index(state["growth_step"])]
    parts: Parts = {
        "address": ("top", controls.address_part(state)),
        "said": ("top", said_part(state, steps, tokens)),
    }
    for step in steps:
        parts[f"weights.{step.name}"] = ("top", weights_part(state, step, tokens))
    parts |= opened_parts(state, steps, tokens)
    parts["numbers"] = ("below", numbers_part(steps, language))
    means = words.MEANS.say(language, heads=state["h"])
    parts["means"] = ("below", lines_part(words.TABLE.say(language), [Line(prose(means), "note")]))
    show_bench("bench.growth", parts | question_parts(state, tokens))
    with controls_place:
        ask(state)
    show_code(chosen, language)
    go_on(state)
    source([own_sentence, attend_by, grow, trace_step, explain, moved_by_next, added_lines], language)
    return True


def ask(state: State) -> None:
    """Ask for a step, and for the head that is shown of the last."""
    controls.choose(state, "growth_step", words.STEP, words.STEP_HELP, words.STEPS)
    labels, narrowed = (words.HEAD, words.HEAD_HELP), {"highest": state["h"], "moved": HEAD_MOVED}
    controls.slider(state, "growth_head", *labels, **narrowed, width=HEAD_WIDTH)


def go_on(state: State) -> None:
    """Offer the view that goes on with what the chosen step brought."""
    view = GOES_ON.get(state["growth_step"])
    if view is not None:
        label = words.NEXT.say(state.language, view=VIEWS[view].say(state.language))
        controls.button(label, "growth.next", state.put, "view", view)


def said_part(state: State, steps: Sequence[Step], tokens: Sequence[str]) -> Part:
    """Say what the chosen step does and solves, over the pictures, and where all numbers come from."""
    language = state.language
    said = [Line(prose(text), "prose") for text in readings(steps, state["growth_step"], language)]
    lines = [*said, Line(prose(say_note(state, tokens)), "note")]
    return lines_part(words.SAID.say(language), lines, has_own_row=True)


def say_note(state: State, tokens: Sequence[str]) -> str:
    """Say where the numbers come from."""
    language = state.language
    positions = qkv_words.POSITION_NAMES[state["positions"]].say(language)
    sentence = word(shorten(" ".join(tokens)))
    return words.NOTE.say(language, sentence=sentence, seed=state["seed"], positions=positions)


@lru_cache(maxsize=4)
def given_for(tokens: tuple[str, ...], seed: int, d_model: int, positions: Positions) -> Mapping[str, Tensor]:
    """Draw what all steps share. Nobody writes into it."""
    return own_sentence(tokens, seed=seed, positions=positions, d_model=d_model, d_k=d_model, d_v=d_model)


def opened_parts(state: State, steps: Sequence[Step], tokens: tuple[str, ...]) -> Parts:
    """Open the picked pair of the chosen step, and say what it weighs in each step."""
    language, name, head = state.language, state["growth_step"], state["growth_head"] - 1
    given = given_for(tokens, state["seed"], state["d_model"], state["positions"])
    matrices = (given[matrix] for matrix in ("x", "w_q", "w_k", "w_v"))
    trace = trace_step(name, *matrices, n_heads=state["h"], head=head)
    row, column = picked_pair(state, len(tokens))
    names = [say_place(step, head, language) for step in STEPS]
    values = [float(step.attended.weights[shown_head(state, step.name), row, column]) for step in steps]
    lead = weight_words.IN_STEPS.say(language)
    along = Along(lead, names, values, lambda place: state.put("growth_step", STEPS[place]))
    return weight_parts(state, trace, tokens, names[STEPS.index(name)], along)


def say_place(step: StepName, head: int, language: Language) -> str:
    """Name a step in a few letters, the last with its head."""
    if step == "multi_head":
        return words.PLACE_HEAD.say(language, head=head + 1)
    return words.PLACE.say(language, place=STEPS.index(step) + 1)


def shown_head(state: State, step: StepName) -> int:
    """Give the head, from 0, whose map is drawn of a step."""
    return state["growth_head"] - 1 if step == "multi_head" else 0


def pick_weight(state: State, step: StepName, row: int, column: int) -> None:
    """Open a weight of one step's picture."""
    state.put("growth_step", step)
    pick_pair(state, row, column)


def weights_part(state: State, step: Step, tokens: Sequence[str]) -> Part:
    """Describe the weights of a step; of several heads, those of the one that the reader chose."""
    language, name = state.language, words.STEPS[step.name].say(state.language)
    head, is_chosen = shown_head(state, step.name), step.name == state["growth_step"]
    title = name
    if step.name == "multi_head":
        title = words.HEAD_MAP.say(language, head=head + 1, heads=len(step.attended.weights))
    hidden = ~causal(len(tokens)).numpy() if step.name in MASKED else None
    part = grid_part(
        step.attended.weights[head].numpy(),
        title=words.CHOSEN.say(language, title=title) if is_chosen else title,
        labels=replace(grid_labels(language, "query", "key"), value=words.WEIGHT.say(language)),
        row_labels=tokens,
        column_labels=tokens,
        role="weights",
        scale="sequential",
        masked=hidden,
        picked=picked_pair(state, len(tokens)) if is_chosen else None,
        on_pick=partial(pick_weight, state, step.name),
    )
    return compact(part)


def numbers_part(steps: Sequence[Step], language: Language) -> Part:
    """Describe the table with a row for each step, and at its end the problem that the step solves."""
    values = [
        [
            step.meters.entropy,
            step.meters.self_weight,
            step.largest_weight_change,
            step.largest_out_change,
            step.meters.n_parameters,
        ]
        for step in steps
    ]
    part = table_part(
        values,
        words.TABLE.say(language),
        language,
        rows=[words.ROWS[step.name].say(language) for step in steps],
        columns=[text.say(language) for text in words.COLUMNS],
        verdicts=[say_cell(step, language) for step in steps],
        verdict=words.VERDICT.say(language),
    )
    last = len(words.COLUMNS) - 1
    texts = [
        f"{int(float(exact)):,}" if place % len(words.COLUMNS) == last else text
        for place, (text, exact) in enumerate(zip(part.data["texts"], part.data["exact"], strict=True))
    ]
    return verdicts_first(replace(part, data={**part.data, "texts": texts}))


def before_and_after(step: Step) -> dict[str, str]:
    """Write what was checked of a step's problem; maps are counted, all else is measured."""
    write = (lambda number: str(int(number))) if step.solved.problem == "one_relation" else significant
    return {"before": write(step.solved.before), "after": write(step.solved.after)}


def say_cell(step: Step, language: Language) -> str:
    """Say in a few words which problem a step is for and whether it is solved here."""
    verdict = words.SOLVED if step.solved.is_solved else words.NOT_SOLVED
    named = {
        "problem": words.PROBLEMS[step.solved.problem].say(language),
        "check": words.CHECKS[step.solved.problem].say(language),
    }
    return words.CELL.say(language, **named, verdict=verdict.say(language), **before_and_after(step))


def readings(steps: Sequence[Step], name: str, language: Language) -> list[str]:
    """Say what one step does, and which problem that solves."""
    step = steps[STEPS.index(name)]
    texts = [say_step(step, language), say_problem(step, language)]
    shown = [step.solved.before, step.solved.after, step.largest_weight_change, step.largest_out_change]
    has_rounding = any(0 < number < ROUNDING for number in shown)
    return [*texts, words.ROUNDING.say(language)] if has_rounding else texts


def say_step(step: Step, language: Language) -> str:
    """Say what a step does, and how far that moves weights and outputs."""
    heads = len(step.attended.weights)
    fields = {
        "parameters": f"{step.meters.n_parameters:,}",
        "weights": significant(step.largest_weight_change),
        "out": significant(step.largest_out_change),
        "heads": heads,
        "d_model": step.attended.out.shape[-1],
        "d_k": step.attended.out.shape[-1] // heads,
    }
    is_uncut = step.name == "multi_head" and heads == 1
    return (words.ONE_HEAD if is_uncut else words.DOES[step.name]).say(language, **fields)


def say_problem(step: Step, language: Language) -> str:
    """Say which problem a step solves, with the numbers that show it, or why it is not solved here."""
    problem, measured = step.solved.problem, before_and_after(step)
    if step.solved.is_solved:
        return words.FACTS[problem].say(language, **measured)
    n_words, d_model = step.attended.out.shape
    if n_words == 1:
        return words.ONE_WORD[problem].say(language, **measured)
    if problem == "one_relation" and len(step.attended.weights) == 1:
        return words.STILL_ONE.say(language, **measured)
    if problem == "fixed_likeness" and d_model == 1:
        return words.ONE_NUMBER.say(language, **measured)
    named = words.PROBLEMS[problem].say(language)
    return words.UNSEEN.say(language, problem=named, **measured)


def question_parts(state: State, tokens: Sequence[str]) -> dict[str, tuple[Area, Part]]:
    """Ask what a further word changes; the answer attends with it, once the reader wants to know."""
    language = state.language
    question = words.QUESTION.say(language, word=word(shorten(tokens[0])))
    return asked_and_measured("growth", question, partial(say_moves, state, tokens), language)


def say_moves(state: State, tokens: Sequence[str]) -> str:
    """Say how far the outputs before a further word move at each step."""
    language = state.language
    given = given_for((*tokens, tokens[0]), state["seed"], state["d_model"], state["positions"])
    moved = moved_by_next(given["x"], *(given[name] for name in MATRICES), state["h"])
    moves = [
        words.MOVE.say(language, step=words.STEPS[name].say(language), move=significant(move))
        for name, move in moved.items()
    ]
    said = [words.ANSWER.say(language, moves=words.JOIN.say(language).join(moves))]
    if max(move for name, move in moved.items() if name not in MASKED) < ROUNDING:
        said.append(words.NOTHING_MOVES.say(language))
    if any(0 < move < ROUNDING for move in moved.values()):
        said.append(words.ROUNDING.say(language))
    return in_a_row(said, language)


def show_code(step: Step, language: Language) -> None:
    """Show the lines that a step adds, and on demand its whole program."""
    st.caption(words.ADDED.say(language, step=words.STEPS[step.name].say(language)))
    st.code("\n".join(step.added), language="python")
    if step.name == STEPS[0]:
        return
    with controls.disclosure(words.WHOLE.say(language), "open.growth") as is_open:
        if is_open:
            st.code(step.program.strip(), language="python")
