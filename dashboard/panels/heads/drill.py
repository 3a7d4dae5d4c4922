"""The drill: one row of a small ledger is blank; what the reader fills in is judged axis by axis (H1)."""

from dataclasses import dataclass, field
from functools import partial
from typing import Literal

import streamlit as st
import torch

from attention_core.drill import (
    MAX_ANSWER,
    MAX_SEED,
    N_QUESTIONS,
    Drill,
    Verdict,
    draw_drill,
    judge,
    read_shape,
)
from attention_core.ledger import build_ledger
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import code_span, source
from dashboard.grid.bench import Area, Part, show_bench
from dashboard.grid.lines import Line, Piece, lines_part, prose, word
from dashboard.link import sendable, shorten
from dashboard.panels.heads.ledger_said import meaning_of, shape_of
from dashboard.panels.heads.ledger_sizes import fill_boxes
from dashboard.text import Language, Text
from dashboard.text import head_drill as words
from dashboard.text import head_ledger as ledger_words

KEPT = "heads.drill"
MOST_ROUNDS = 32
LONGEST_SHOWN = 40


@dataclass
class Round:
    """What a visitor did with the questions of one seed, by their place from 0.

    Attributes:
        typed: What stands in the box.
        tries: How often a shape was handed in.
        outcomes: Of the questions that are done with: right at once, right later, or shown.
    """

    seed: int
    typed: dict[int, str] = field(default_factory=dict)
    tries: dict[int, int] = field(default_factory=dict)
    outcomes: dict[int, Literal["first", "later", "shown"]] = field(default_factory=dict)

    def count(self, *outcomes: str) -> int:
        """Count the questions that ended in one of these ways."""
        return sum(outcome in outcomes for outcome in self.outcomes.values())


def drill(state: State) -> None:
    """Show the view; below it the functions that ran."""
    drill_bench(state)
    source([draw_drill, judge, read_shape, build_ledger], state.language)


@controls.fragment
def drill_bench(state: State) -> bool:
    """Ask for the shape of one row, judge what is handed in, and keep the score."""
    language, place, now = state.language, place_of(state), round_of(state)
    asked = draw_drill(now.seed, place)
    parts: dict[str, tuple[Area, Part]] = {
        "address": ("top", controls.address_part(state)),
        "question": ("top", question_part(state, asked, now)),
        "help": ("end", help_part(asked, language)),
    }
    show_bench("bench.drill", parts)
    controls.free_text(
        "heads.drill.answer",
        words.ANSWER.say(language),
        now.typed.get(place, ""),
        partial(hand_in, state),
        help_text=words.ANSWER_HELP.say(language),
        longest=MAX_ANSWER,
    )
    say_verdict(asked, now, language)
    with st.container(horizontal=True, gap="small"):
        if place not in now.outcomes:
            controls.button(words.SHOW.say(language), "drill.show", show_answer, state)
        if place > 0:
            controls.button(words.BACK.say(language), "drill.back", state.put, "drill_place", place)
        following = next_to(now, place)
        if following is not None:
            controls.button(words.NEXT.say(language), "drill.next", state.put, "drill_place", following + 1)
        controls.button(words.NEW_ROUND.say(language), "drill.new", new_round, state)
    return True


def place_of(state: State) -> int:
    """Give the place of the present question, from 0."""
    return state["drill_place"] - 1


def round_of(state: State) -> Round:
    """Give what this visit did with the present seed; the rounds it did last are kept for a way back to their seed."""
    rounds: dict[int, Round] = st.session_state.setdefault(KEPT, {})
    now = rounds.setdefault(state["drill_seed"], Round(state["drill_seed"]))
    while len(rounds) > MOST_ROUNDS:
        del rounds[next(seed for seed in rounds if seed != now.seed)]
    return now


def hand_in(state: State, text: str) -> None:
    """Take an answer. A question that is done with stays so, and what holds no shape is no answer."""
    now, place, typed = round_of(state), place_of(state), sendable(text)
    now.typed[place] = typed
    if place in now.outcomes or read_shape(typed) is None:
        return
    now.tries[place] = now.tries.get(place, 0) + 1
    if judge(draw_drill(now.seed, place), typed).is_right:
        now.outcomes[place] = "first" if now.tries[place] == 1 else "later"


def show_answer(state: State) -> None:
    """Give a question up."""
    round_of(state).outcomes.setdefault(place_of(state), "shown")


def new_round(state: State) -> None:
    """Go on to the next seed."""
    state.put("drill_seed", (state["drill_seed"] + 1) % (MAX_SEED + 1))
    state.put("drill_place", 1)


def next_open(now: Round, place: int) -> int | None:
    """Give the next question that is not done with, from the first again after the last; None where there is none.

    Example:
        >>> next_open(Round(0, outcomes={1: "first"}), 0), next_open(Round(0), 9)
        (2, 0)
    """
    others = ((place + step) % N_QUESTIONS for step in range(1, N_QUESTIONS))
    return next((other for other in others if other not in now.outcomes), None)


def next_to(now: Round, place: int) -> int | None:
    """Give where Next leads: to an open question, or through a round that is over; None from its last one.

    Example:
        >>> over = Round(0, outcomes=dict.fromkeys(range(N_QUESTIONS), "first"))
        >>> next_to(over, 0), next_to(over, N_QUESTIONS - 1), next_to(Round(0), 9)
        (1, None, 0)
    """
    is_over = len(now.outcomes) == N_QUESTIONS
    return next_open(now, place) if not is_over else place + 1 if place + 1 < N_QUESTIONS else None


def question_part(state: State, asked: Drill, now: Round) -> Part:
    """Ask for the shape, and say the score so far; once the question is done with, lead on to the ledger."""
    step, sizes, language = asked.step, asked.sizes, state.language
    title = words.TITLE.say(language, place=asked.place + 1, count=N_QUESTIONS)
    names = ("batch", "n", "d_model", "n_heads", "kv_heads")
    blank = words.BLANK.say(
        language,
        symbol=step.symbol,
        name=ledger_words.STEPS[step.name].say(language),
        line=word(step.line),
    )
    lines = [
        Line(prose(words.NOTE.say(language, seed=asked.seed, version=torch.__version__)), "note"),
        Line(prose(say_score(now, language)), "prose"),
        Line(prose(title), "heading"),
        Line(prose(words.SIZES.say(language, **{name: getattr(sizes, name) for name in names})), "prose"),
        Line(prose(blank), "prose"),
    ]
    if asked.place in now.outcomes:
        lines.append(Line([Piece(words.LEDGER.say(language), is_link=True)], "prose"))
    return lines_part(title, lines, lambda _line, _place: open_ledger(state, asked))


def open_ledger(state: State, asked: Drill) -> None:
    """Show the ledger at the sizes of a question, its row explained."""
    fill_boxes(state, asked.sizes, 1)
    state.put("ledger_row", asked.step.name)
    state.put("view", "ledger")


def say_score(now: Round, language: Language) -> str:
    """Say how the round stands, or ended."""
    score = {"right": now.count("first", "later"), "first": now.count("first")}
    if len(now.outcomes) == N_QUESTIONS:
        return words.OVER.say(language, count=N_QUESTIONS, **score)
    left = N_QUESTIONS - len(now.outcomes)
    return words.SCORE.say(language, shown=now.count("shown"), left=left, **score)


def help_part(asked: Drill, language: Language) -> Part:
    """Describe the rows before the blank one, folded away."""
    lines = []
    for row in build_ledger(asked.sizes).rows:
        if row.step.name == asked.step.name:
            break
        fields = {"symbol": row.step.symbol, "line": word(row.step.line), "shape": shape_of(row)}
        lines.append(Line(prose(words.HELP_ROW.say(language, **fields)), "prose"))
    return lines_part(words.HELP_ROWS.say(language), lines, is_folded=True)


def say_verdict(asked: Drill, now: Round, language: Language) -> None:
    """Say what is wrong with what was handed in; the answer once the question is done with."""
    outcome, typed = now.outcomes.get(asked.place), now.typed.get(asked.place, "")
    if outcome is not None:
        text = text_when_done(asked, outcome, typed)
        said = text.say(
            language,
            axes=code_span(f"[{', '.join(asked.step.axes)}]"),
            shape=code_span(str(list(asked.answer))),
            meaning=meaning_of(asked.step.name, language),
        )
        (st.success if text is words.RIGHT else st.info)(said)
    elif typed.strip():
        st.error(told_verdict(judge(asked, typed), typed, language))


def text_when_done(asked: Drill, outcome: str, typed: str) -> Text:
    """Choose how the answer is given, so that it does not seem to judge something else that was typed since."""
    if outcome == "shown":
        return words.SHOWN
    return words.RIGHT if not typed.strip() or judge(asked, typed).is_right else words.DONE


def told_verdict(verdict: Verdict, typed: str, language: Language) -> str:
    """Write what is wrong, without any right size; the reader's text is shown literally."""
    if verdict.kind == "not_numbers":
        return words.NOT_NUMBERS.say(language, typed=code_span(shorten(typed, LONGEST_SHOWN)))
    if verdict.kind == "wrong_count":
        return words.WRONG_COUNT.say(language, given=len(verdict.given), needed=verdict.n_axes)
    axes = (
        words.WRONG_AXIS.say(
            language,
            place=axis.index + 1,
            count=verdict.n_axes,
            symbol=axis.symbol,
            given=code_span(shorten(str(axis.given), LONGEST_SHOWN)),
        )
        for axis in verdict.wrong
    )
    return words.WRONG_AXES.say(language, axes=words.BETWEEN.say(language).join(axes))
