"""Claim H8 as it stands on the page: one sentence through four steps, what each changes and solves, its code."""

import math
import re

import numpy as np
import pytest
import torch

from attention_core.experiments.growth import MATRICES, PROGRAMS, STEPS, added_lines, grow
from attention_core.single_head import own_sentence
from dashboard.grid.bench import show_bench
from dashboard.number_format import significant
from dashboard.panels.heads import growth as view
from dashboard.panels.heads.fields import head_fields
from dashboard.text import LANGUAGES
from dashboard.text import head_growth as words
from dashboard.text import heads as lesson_words
from tests.pages.reading import dangers, drawings, hidden, labels, numbers, told, wrong_language

TEXT = "the dog saw a cat"
SIZES = {"seed": 3, "d_model": 6, "positions": "learned"}
QUERY = {"text": TEXT, "h": "2", **{name: str(value) for name, value in SIZES.items()}}


@pytest.fixture
def opened(look_at):
    return lambda language="en", **query: look_at("heads", lang=language, view="growth", **(QUERY | query))


def given_for(text=TEXT, d_model=6, **options):
    widths = {"d_model": d_model, "d_k": d_model, "d_v": d_model}
    return own_sentence(tuple(text.split()), **({**SIZES, **options} | widths))


def core(n_heads=2, **options):
    given = given_for(**options)
    return grow(given["x"], *(given[name] for name in MATRICES), n_heads=n_heads)


def maps(at):
    found = drawings(at)
    return {name: found[f"weights.{name}"] for name in STEPS}


def said(at):
    return "\n".join(told(at))


def test_H8_every_map_shows_the_weights_of_the_core(opened) -> None:
    steps, above = core(), np.triu(np.ones((5, 5), dtype=bool), k=1)
    for head in (1, 2):
        shown = maps(opened(growth_head=str(head)))
        for step in steps:
            place = head - 1 if step.name == "multi_head" else 0
            assert np.array_equal(numbers(shown[step.name]), step.attended.weights[place].numpy())
            is_masked = step.name in {"causal", "multi_head"}
            assert np.array_equal(hidden(shown[step.name]), above if is_masked else above & False)
        assert shown["multi_head"]["title"] == f"Step 4: head {head} of 2"
        assert shown["plain"]["row_names"] == TEXT.split()


@pytest.fixture
def shown(monkeypatch) -> dict:
    """The parts of the page as Python holds them, so that a test can do what a browser would."""
    parts: dict = {}

    def show(key: str, described: dict) -> None:
        parts.update(described)
        show_bench(key, described)

    monkeypatch.setattr(view, "show_bench", show)
    return parts


def test_H8_a_picked_weight_of_any_step_opens_down_to_its_multiplications(opened, shown) -> None:
    at, steps, given = opened(growth_head="2", is_touched=True), core(), given_for()
    x = given["x"]
    q, k = x @ given["w_q"], x @ given["w_k"]
    scores = (x[3] @ x[1], q[3] @ k[1], q[3] @ k[1], q[3, 3:] @ k[1, 3:])
    for place, (step, score) in enumerate(zip(steps, scores, strict=True)):
        shown[f"weights.{step.name}"][1].hear("pick", {"row": 3, "column": 1})
        at.run()
        assert at.session_state["lesson:heads"]["growth_step"] == step.name
        found = drawings(at)
        title, _, *lines = [
            "".join(piece["text"] for piece in line["pieces"]) for line in found["weight"]["lines"]
        ]
        assert all(part in title for part in ("4 a", "2 dog", f"step {place + 1}"))
        assert lines[2].startswith("scores[4, 2]=")
        assert lines[2].endswith(f"= {significant(float(score))}")
        weight = step.attended.weights[-1, 3, 1]
        assert lines[0].endswith(f"= {significant(float(weight))}")
        everywhere = [significant(float(one.attended.weights[-1, 3, 1])) for one in steps]
        assert [piece["text"] for piece in found["weight"]["lines"][1]["pieces"][1:]] == everywhere
        marks = [found[f"weights.{name}"]["title"].startswith("▸") for name in STEPS]
        assert list(shown).index("said") < list(shown).index("weights.plain"), (
            "what is said of a step stands over all"
        )
        assert shown["said"][0] == shown["weights.plain"][0] == "top"
        assert [found[f"weights.{name}"]["picked"] is not None for name in STEPS] == marks
        assert marks == [name == step.name for name in STEPS]
        is_open = any("cell" in piece for piece in found["weight"]["lines"][4]["pieces"])
        assert is_open == (step.name != "plain"), "q and k of the first step are x, and nothing is under them"
    shown["weight"][1].hear("pick", [1, 2])
    at.run()
    assert at.session_state["lesson:heads"]["growth_step"] == "trainable"


@pytest.mark.parametrize("language", LANGUAGES)
def test_H8_why_a_heads_weights_change_names_both_reasons(opened, language: str) -> None:
    text = said(opened(language, growth_step="multi_head"))
    assert "√3" in text
    assert "√6" in text
    assert not any(part in text for part in ("一种关系", "one kind of relation"))


def test_H8_each_step_leads_on_to_the_view_that_goes_on_with_it(opened) -> None:
    for step, label in (("trainable", "initial"), ("causal", "shared"), ("multi_head", "output")):
        at = opened(growth_step=step, is_touched=True)
        assert lesson_words.VIEWS[label].en in at.button(key="growth.next").label
        at.button(key="growth.next").click().run()
        assert not at.exception
        assert at.session_state["lesson:heads"]["view"] == label
    assert "growth.next" not in [button.key for button in opened(growth_step="plain").button]


def test_H8_two_equal_words_give_the_numbers_worked_by_hand(opened) -> None:
    at = opened(text="cat cat", positions="none")
    half, causal = [[0.5, 0.5], [0.5, 0.5]], [[1, 0], [0.5, 0.5]]
    for name, by_hand in zip(STEPS, (half, half, causal, causal), strict=True):
        assert numbers(maps(at)[name]) == pytest.approx(np.array(by_hand), abs=1e-15), name
    table = numbers(drawings(at)["numbers"])
    # Entropy ln 2 a row, or 0 and ln 2; on itself 1/2, or 1 and 1/2; parameters of three and four 6 × 6 matrices.
    assert table[:, 0] == pytest.approx([math.log(2)] * 2 + [math.log(2) / 2] * 2, abs=1e-12)
    assert table[:, 1] == pytest.approx([0.5, 0.5, 0.75, 0.75], abs=1e-12)
    assert table[:, 2] == pytest.approx([0.5, 0, 0.5, 0], abs=1e-12)
    assert table[:, 4].tolist() == [0, 108, 108, 144]


def test_H8_the_table_has_the_meters_of_each_step(opened) -> None:
    table = drawings(opened())["numbers"]
    for row, step in zip(numbers(table), core(), strict=True):
        meters = step.meters
        changes = [step.largest_weight_change, step.largest_out_change]
        assert row.tolist() == [meters.entropy, meters.self_weight, *changes, meters.n_parameters]
    assert table["row_names"] == [text.en for text in words.ROWS.values()]
    large = drawings(opened(d_model="64", h="4"))["numbers"]
    assert large["texts"][len(words.COLUMNS) - 1 :: len(words.COLUMNS)] == ["0", "12,288", "12,288", "16,384"]


def test_H8_each_step_says_its_problem_before_and_after(opened) -> None:
    for place, step in enumerate(core()):
        language = LANGUAGES[place % 2]
        at, solved = opened(language, growth_step=step.name), step.solved
        assert solved.is_solved
        write = (lambda x: str(int(x))) if step.name == "multi_head" else significant
        before, after = write(solved.before), write(solved.after)
        assert words.FACTS[solved.problem].say(language, before=before, after=after) in told(at)
        cell = drawings(at)["numbers"]["footer"][place]
        assert f"{before} → {after}" in cell
        assert cell.endswith(words.SOLVED.say(language))
        if place:
            assert significant(step.largest_weight_change) in said(at)
        assert significant(step.largest_out_change) in said(at)
    last = drawings(opened())["numbers"]["footer"]
    assert "1 → 2" in last[3], "one map becomes as many as heads"
    assert " → 0" in last[2], "nothing sees the future any more"


def test_H8_what_is_not_solved_is_not_called_solved(opened) -> None:
    def read(place, **query):
        at = opened(growth_step=STEPS[place], **query)
        return drawings(at)["numbers"]["footer"][place].endswith(words.NOT_SOLVED.en), said(at)

    for place, problem in enumerate(words.PROBLEMS):
        zero = "1" if problem == "one_relation" else "0"
        is_open, text = read(place, text="cat")
        assert is_open
        assert words.ONE_WORD[problem].say("en", before=zero, after=zero) in text
    _, text = read(3, text="cat", h="1")
    assert words.ONE_WORD["one_relation"].say("en", before=1, after=1) in text, "more heads alone do not help"
    is_open, text = read(3, h="1")
    assert is_open
    assert words.STILL_ONE.say("en", before=1, after=1) in text
    assert "a single piece is no cut at all" in text
    is_open, text = read(1, d_model="1", h="1")
    assert is_open
    assert "the order of a product does not matter" in text
    is_open, text = read(3, text="cat cat", positions="none")
    assert is_open
    assert words.PROBLEMS["one_relation"].en in text
    assert "1 → 1" in text


def test_H8_the_code_of_a_step_gives_the_numbers_on_the_page(opened) -> None:
    for step in STEPS:
        at = opened(growth_step=step, is_touched=True)
        assert at.code[0].value.strip() == "\n".join(added_lines(step)).strip()
        if step != "plain":
            at.button(key="open.growth").click().run()
        program = at.code[-1].value
        assert program.strip() == PROGRAMS[step].strip()
        names = {"torch": torch, "h": 2, **given_for()}
        exec(program, names)
        weights = names["weights"][0] if step == "multi_head" else names["weights"]
        assert weights.numpy() == pytest.approx(numbers(maps(at)[step]), abs=1e-14)


@pytest.mark.parametrize("language", LANGUAGES)
def test_H8_the_answer_is_what_one_more_word_moves(opened, language: str) -> None:
    at = opened(language, is_touched=True)
    asked = words.QUESTION.say(language, word="the")
    assert told(at)[-1] == asked, "the answer is not computed before it is wanted"
    at.session_state["is_open:answer:growth"] = True
    at.run()
    answer = told(at)[-1]
    short, long = core(), core(text=f"{TEXT} the")
    for before, after in zip(short, long, strict=True):
        moved = float((after.attended.out[:5] - before.attended.out).abs().max())
        (shown,) = re.findall(words.STEPS[before.name].say(language) + r"(?:，|, )([\d.e−]+)", answer)
        if before.name in {"plain", "trainable"}:
            assert moved > 0.01
            assert shown == significant(moved)
        else:
            assert float(shown.replace("−", "-")) < 1e-14
            assert moved < 1e-14


@pytest.mark.parametrize("language", LANGUAGES)
def test_H8_where_nothing_moves_without_a_mask_either_that_is_said(opened, language: str) -> None:
    for text, is_still in (("cat", True), ("cat cat", True), ("cat dog", False)):
        at = opened(language, text=text, positions="none", is_touched=True)
        at.session_state["is_open:answer:growth"] = True
        at.run()
        assert (words.NOTHING_MOVES.say(language) in told(at)[-1]) == is_still, text


def test_H8_the_mask_is_a_step_and_no_setting(opened) -> None:
    plain, causal = (maps(opened(is_causal=flag)) for flag in "01")
    assert [d["exact"] for d in plain.values()] == [d["exact"] for d in causal.values()]
    assert not hidden(causal["trainable"]).any()


@pytest.mark.parametrize("language", LANGUAGES)
def test_H2_an_illegal_h_is_named_and_the_nearest_is_taken(opened, language: str) -> None:
    at = opened(language, h="4", is_touched=True)
    assert lesson_words.H_DIVIDES.say(language, h=4, d_model=6, rest=2) in [e.value for e in at.error]
    assert not wrong_language(at, language)
    assert "weights.plain" not in drawings(at)
    at.button(key="take.h.3").click().run()
    assert not at.exception
    assert maps(at)["multi_head"]["title"] == words.HEAD_MAP.say(language, head=1, heads=3)


def test_H8_the_head_that_is_shown_is_one_of_h(opened) -> None:
    at = opened(h="3", growth_head="3", is_touched=True)
    assert maps(at)["multi_head"]["title"].endswith("head 3 of 3")
    at.slider(key="heads.h").set_value(2).run()
    assert not at.exception
    assert maps(at)["multi_head"]["title"].endswith("head 2 of 2")
    assert words.HEAD.en in labels(at)
    assert words.HEAD.en not in labels(opened(h="1"))


def test_H8_hostile_words_and_links_stay_words(opened) -> None:
    texts = ("<b>x</b> $5 `q` 🐱", "a " * 64, "%(n)s %d", "\u202eabc", "x" * 500)
    for text, language in zip(texts, ("zh", "en", "zh", "en", "zh"), strict=True):
        at = opened(language, text=text, h="3", growth_step="multi_head")
        assert not list(dangers(at))
        assert not wrong_language(at, language)
        assert maps(at)["plain"]["sides"][0] >= 1
    for language in LANGUAGES:
        at = opened(language, growth_step="<b>", growth_head="9e9", seed="🐱")
        assert "2" in maps(at)["multi_head"]["title"]
        assert not list(dangers(at))
        assert not wrong_language(at, language)


def test_H8_every_step_can_be_linked() -> None:
    assert head_fields("en")["growth_step"].options == tuple(words.STEPS) == STEPS
    assert list(words.DOES) == list(words.ROWS) == list(STEPS)
