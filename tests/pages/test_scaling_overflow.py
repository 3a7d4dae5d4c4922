"""Claim S6 as it stands on the page: softmax must subtract the row maximum, and half precision scale q first."""

import math

import numpy as np
import pytest

from attention_core.components import DTYPES
from attention_core.experiments.overflow import (
    FORMS,
    compare_with_torch,
    measure_exp_limits,
    measure_scale_order,
    measure_softmaxes,
)
from dashboard.number_format import significant
from dashboard.text import LANGUAGES
from dashboard.text import softmax as words
from tests.pages.reading import drawings, numbers, told, wrong_language

PLACES = {place: index for index, place in enumerate((d, f) for d in DTYPES for f in FORMS)}


def opened(open_page, scores: str = "151.29, 150.29", language: str = "en", **query: str):
    at = open_page("scaling", lang=language, view="overflow", scores=scores, **query)
    assert not at.exception
    assert not wrong_language(at, language)
    return at


def said(at, *names: str) -> str:
    parts = [part for name, part in drawings(at).items() if "lines" in part and (not names or name in names)]
    return "\n".join(" ".join(p["text"] for p in line["pieces"]) for part in parts for line in part["lines"])


def run_of(at, dtype: str, form: str) -> tuple[list[float], str]:
    """The weights and the outcome of one row of the table."""
    part = drawings(at)["runs"]
    return numbers(part)[PLACES[dtype, form]].tolist(), part["footer"][PLACES[dtype, form]]


def press(at, key: str):
    next(button for button in at.button if button.key == key).click().run()
    assert not at.exception
    return at


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "scores", [[151.29, 150.29], [1e4, 0], [-1000] * 3, [12, 11], [89, 88], [7, 7, 7], [88.7, 88.7], [5]]
)
def test_s6_the_table_holds_every_run_of_the_core(open_page, language: str, scores: list[float]) -> None:
    at = opened(open_page, ", ".join(map(str, scores)), language)
    part = drawings(at)["runs"]
    runs = measure_softmaxes(scores)
    assert np.array_equal(numbers(part), [run.weights for run in runs], equal_nan=True)
    for run, outcome in zip(runs, part["footer"], strict=True):
        if run.first_fault_step is None:
            assert significant(run.largest_difference, 2) in outcome
        else:
            assert words.FAULTS[run.first_fault] in outcome
            assert words.STEPS[run.first_fault_step].say(language) in outcome
    assert part["texts"].count("NaN") == sum(math.isnan(w) for run in runs for w in run.weights)


def test_s6_the_notes_row_overflows_as_defined_and_not_minus_its_maximum(open_page) -> None:
    at = opened(open_page)
    weights, outcome = run_of(at, "float32", "naive")
    assert all(map(math.isnan, weights))
    assert outcome == "∞ at exp"
    for form in ("shifted", "log"):
        assert run_of(at, "float32", form)[0] == pytest.approx([0.7311, 0.2689], abs=5e-5)
    steps = said(at, "steps").splitlines()
    assert steps[0] == "Step by step: float32, as defined"
    assert steps[2] == "exp: ∞ ∞ ← ∞ begins here"
    assert steps[4] == "weights: NaN NaN"
    assert "exp(151.29) is ∞" in said(at, "said")
    assert "88.7" in said(at, "said")


def test_s6_far_scores_low_scores_and_equal_scores_by_hand(open_page) -> None:
    far, low = opened(open_page, "10000, 0"), opened(open_page, "-1000, -1000, -1000", run_dtype="float64")
    assert run_of(far, "float32", "shifted")[0] == [1, 0]
    assert run_of(low, "float64", "shifted")[0] == [1 / 3] * 3
    assert run_of(low, "float64", "naive")[1] == "NaN at weights"
    assert "0 ÷ 0 = NaN" in said(low, "said")
    assert said(low, "steps").splitlines()[3] == "Σ exp: 0"
    assert run_of(opened(open_page, "7, 7"), "float16", "naive")[0] == [0.5, 0.5]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("scores", "fault"), [("1e38, 0", "scores"), ("-1e38, 0", "sunk"), ("11, 11, 11", "total")]
)
def test_s6_what_float16_makes_of_a_row_is_said(open_page, language: str, scores: str, fault: str) -> None:
    at = opened(open_page, scores, language, run_dtype="float16", run_form="naive")
    text = words.RUN_FAULTS[fault]
    start = text.say(language, **dict.fromkeys(text.fields("en"), 0)).split("0")[-1]
    assert start in said(at, "said")
    lost = scores == "1e38, 0"
    assert (words.TORCH_LOST.say(language, dtype="float16") in said(at, "why")) == lost
    if fault == "sunk":
        assert run_of(at, "float16", "naive") == (
            [0, 1],
            words.FAULT_AT.say(language, step=words.STEPS["scores"].say(language), fault="−∞"),
        )


@pytest.mark.parametrize("dtype", DTYPES)
def test_s6_every_run_shows_its_steps_and_what_torch_does(open_page, dtype: str) -> None:
    at = opened(open_page, "12, 11, -3")
    for form in FORMS:
        next(g for g in at.button_group if g.key == "scaling.run_dtype").set_value(dtype)
        next(g for g in at.button_group if g.key == "scaling.run_form").set_value(form).run()
        assert not at.exception
        run = next(r for r in measure_softmaxes([12, 11, -3], [dtype]) if r.form == form)
        lines = said(at, "steps").splitlines()
        assert lines[0] == f"Step by step: {dtype}, {words.FORMS[form].en}"
        assert [line.split(":")[0] for line in lines[1:]] == [words.STEPS[step].en for step in run.steps]
        assert drawings(at)["runs"]["picked"] == PLACES[dtype, form] * 3
        difference = significant(compare_with_torch([12, 11, -3], dtype), 2)
        assert f"at most {difference}." in said(at, "why")


def test_s6_a_picked_row_shows_its_steps(open_page) -> None:
    from dashboard.controls import State
    from dashboard.panels.scaling.fields import scaling_fields
    from dashboard.panels.scaling.overflow import runs_part

    state = State("scaling", scaling_fields("en"))
    state.values.update({name: field.default for name, field in state.fields.items()}, lang="en")
    runs = measure_softmaxes([1, 2])
    runs_part(state, runs, runs[0]).hear("pick", {"row": PLACES["float16", "log"], "column": 1})
    assert (state["run_dtype"], state["run_form"]) == ("float16", "log")


def test_s6_the_limits_of_exp_are_measured_beside_theory(open_page) -> None:
    at = opened(open_page)
    shown = numbers(drawings(at)["limits"])
    for row, limit in zip(shown, measure_exp_limits(), strict=True):
        assert row.tolist() == [limit.largest, limit.expected, limit.exp_of_largest]
    texts = drawings(at)["limits"]["texts"]
    assert (texts[3], texts[9]) == ("88.7", "11.1")
    assert "88.7228317" in said(at, "why")
    assert "151.29, is 151 in it" in said(at, "why")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("d_k", "size", "float16", "text"),
    [
        (64, 40, [math.inf, math.inf, 12800, 12800], words.ORDER_CURED),
        (64, 2, [256, 32, 32, 32], words.ORDER_FITS),
        (64, 1_000_000, [math.inf, math.inf, math.inf, 8e12], words.ORDER_LOST),
        (1, 0, [0, 0, 0, 0], words.ORDER_FITS),
        (4096, 5, [math.inf, math.inf, 1600, 1600], words.ORDER_CURED),
    ],
)
def test_s6_scaling_q_first_cures_float16_where_it_can(open_page, language, d_k, size, float16, text) -> None:
    at = opened(open_page, language=language, d_k=str(d_k), size=str(size))
    part = drawings(at)["orders"]
    assert numbers(part)[3].tolist() == float16
    records = measure_scale_order([size] * d_k, [size] * d_k)
    assert numbers(part)[:, 1].tolist() == [record.scaled_after for record in records]
    fields = dict.fromkeys(text.fields("en"), f"{float16[2]:g}")
    assert text.say(language, **fields) in said(at, "order")
    verdicts = {words.ORDER_CURED: words.CURED, words.ORDER_FITS: words.FITS, words.ORDER_LOST: words.LOST}
    assert part["footer"] == [words.FITS.say(language)] * 3 + [verdicts[text].say(language)]


def test_s6_the_question_is_answered_by_a_run(open_page) -> None:
    high = said(opened(open_page), "answer")
    assert "As defined: [NaN, NaN]" in high
    assert "Minus max: [0.731, 0.269]" in high
    low = said(opened(open_page, "-1000, -1000, -1000"), "answer")
    assert "As defined: [0.333, 0.333, 0.333]" in low


def test_s6_presets_fill_the_box(open_page) -> None:
    at = opened(open_page, "3")
    for name, row in {
        "notes": [151.29, 150.29],
        "far": [1e4, 0],
        "low": [-1000] * 3,
        "small": [12, 11],
        "limit": [89, 88],
    }.items():
        press(at, f"preset.{name}")
        runs = measure_softmaxes(row)
        assert np.array_equal(numbers(drawings(at)["runs"]), [run.weights for run in runs], equal_nan=True)


def test_s6_sixty_four_scores_up_to_the_largest(open_page) -> None:
    row = [((-1) ** m) * m * 1.5e36 for m in range(64)]
    at = opened(open_page, ", ".join(map(str, row)))
    assert not at.error
    part = drawings(at)["runs"]
    assert part["sides"] == [12, 8]
    assert "first 8 of 64" in part["title"]
    assert len(said(at, "steps").splitlines()[1].split(" ")) == 64 + 2


def test_s6_a_refused_row_leaves_the_order_of_scaling_to_look_at(open_page) -> None:
    at = opened(open_page, "1e39")
    assert "1e38" in at.error[0].value
    assert "orders" in drawings(at)
    press(at, "take.scores")
    assert at.text_input[0].value == "1e+38"


def test_s6_the_table_says_infinity_and_nan(open_page) -> None:
    at = opened(open_page)
    at.session_state["is_open:open.table.softmaxes"] = True
    at.session_state["is_open:open.source"] = True
    at.run()
    frame = at.dataframe[0].value
    assert {"inf", "nan"} <= set(frame.iloc[:, 4])
    assert len(frame) == sum(
        len(v) for run in measure_softmaxes([151.29, 150.29]) for v in run.steps.values()
    )
    assert "def run_shifted" in at.code[0].value


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("scores", "form", "step", "fault"),
    [
        ("20, -100000", "naive", "exps", "inf"),
        ("-20, -100000", "naive", "weights", "nan"),
        ("-100000, -200000", "shifted", "scores", "nan"),
        ("20, -100000", "shifted", "scores", "inf"),
    ],
)
def test_s6_a_sunk_score_does_not_hide_what_goes_wrong_elsewhere(
    open_page, language: str, scores: str, form: str, step: str, fault: str
) -> None:
    at = open_page(
        "scaling", lang=language, view="overflow", scores=scores, run_dtype="float16", run_form=form
    )
    assert not at.exception
    given = [float(piece) for piece in scores.split(",")]
    run = next(run for run in measure_softmaxes(given, ["float16"]) if run.form == form)
    assert run.first_fault_step == step
    is_sunk = step == "scores" and math.isfinite(max(run.steps["scores"]))
    text = "".join(told(at))
    stands = {"en": "so the result stands", "zh": "结果不受影响"}[language]
    assert (stands in text) == is_sunk
    assert is_sunk == bool(np.isfinite(run.weights).all())


def test_s6_the_weights_that_are_lost_are_counted(open_page) -> None:
    at = open_page("scaling", lang="en", view="overflow", scores="151.29, 0, 1")
    assert any("leaves NaN in 1 of 3 weights" in line for line in told(at))


@pytest.mark.parametrize("language", LANGUAGES)
def test_s6_a_score_too_small_for_float16_is_an_underflow(open_page, language: str) -> None:
    at = open_page("scaling", lang=language, view="overflow", size="1e-8", d_k="1")
    assert words.ORDER_UNDERFLOW.say(language) in told(at)
    assert drawings(at)["orders"]["footer"][3] == words.UNDERFLOW.say(language)


def test_s6_the_script_button_follows_the_row(open_page) -> None:
    at = open_page("scaling", lang="en", view="overflow", scores="abc")
    keys = [button.key for button in at.button]
    assert "open.script.scaling" not in keys
    at.button(key="take.scores").click().run()
    assert "open.script.scaling" in [button.key for button in at.button]
