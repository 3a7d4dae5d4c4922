"""Claim S4 as it stands on the page: a temperature sets how sharp the weights are; and the rows that readers type."""

import math

import numpy as np
import pytest

from attention_core.experiments.scaling import draw_sample_row
from attention_core.experiments.temperature import measure_temperatures, sweep_temperatures
from dashboard.charts.temperature import temperature_curves
from dashboard.number_format import significant
from dashboard.panels.scaling.rows import RULES, read_row, write_row
from dashboard.text import LANGUAGES
from dashboard.text import softmax as words
from tests.pages.reading import chart_of, dangers, drawings, labels, numbers, sentences, wrong_language

DRAWN = draw_sample_row(1024, n_keys=8, seed=0).scores
ROWS = {
    "notes": ([32, 0, 0], 1),
    "e3": ([2, -1, 0.5], 1),
    "near": ([3, 2.9, 0], 0.1),
    "equal": ([1, 1, 1, 1], 1),
}


def said(at) -> str:
    """Everything that the lines of the view say."""
    parts = [part for part in drawings(at).values() if "lines" in part]
    return "\n".join("".join(p["text"] for p in line["pieces"]) for part in parts for line in part["lines"])


def opened(open_page, row: str, temperature: object = 4, language: str = "en"):
    at = open_page("scaling", lang=language, view="temperature", row=row, temperature=str(temperature))
    assert not at.exception
    return at


def table_of(at) -> np.ndarray:
    """Scores / T, weights and gradients, one column each."""
    return numbers(drawings(at)["keys"]).T


def put(at, key: str, value: str):
    next(box for box in at.text_input if box.key == key).set_value(value).run()
    assert not at.exception
    return at


def press(at, key: str):
    next(button for button in at.button if button.key == key).click().run()
    assert not at.exception
    return at


@pytest.mark.parametrize(
    ("row", "temperature", "weights"),
    [
        ("32, 0, 0", 1, (1, 0, 0)),
        ("32, 0, 0", 32, (0.576, 0.212, 0.212)),
        ("2, -1, 0.5", 1, (0.786, 0.039, 0.175)),
        ("7 7 7 7", 0.01, (0.25,) * 4),
        ("1, 0", 1000, (0.50025, 0.49975)),
    ],
)
def test_s4_the_weights_of_the_notes_stand_in_the_table(open_page, row, temperature, weights) -> None:
    at = opened(open_page, row, temperature)
    scaled, shown, gradient = table_of(at)
    given = read_row(row, RULES["row"]).numbers
    (record,) = measure_temperatures(given, [temperature])
    assert shown.tolist() == list(record.weights)
    assert np.allclose(shown, weights, atol=5e-4)
    assert np.allclose(scaled, np.array(given) / temperature)
    assert gradient.tolist() == list(record.gradient)
    assert drawings(at)["keys"]["row_names"] == [f"{score:g}".replace("-", "−") for score in given]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("temperature", [0.01, 4, 32, 1000])
def test_s4_what_is_said_is_what_the_core_measures(open_page, language: str, temperature: float) -> None:
    at = opened(open_page, "32, 0, 0", temperature, language)
    (record,) = measure_temperatures([32, 0, 0], [temperature])
    sweep, text = sweep_temperatures([32, 0, 0]), said(at)
    for value in (record.largest_weight, record.entropy_share, record.gradient_norm):
        assert significant(value) in text
    assert f"T = {temperature:g}" in text
    assert f"T = {significant(sweep.peak.temperature)}" in text
    assert words.ORDER.say(language) in text
    if temperature > 0.1:
        assert text.count(significant(math.exp(32 / temperature))) >= 2, "divided, and by theory"
    else:
        assert f"exp(32 ÷ {temperature:g})" in text
    assert significant(record.effective_keys) in text
    assert not wrong_language(at, language)


def test_s4_bars_and_curves_carry_the_numbers_of_the_core(open_page) -> None:
    at = opened(open_page, "32, 0, 0", 32)
    (record,) = measure_temperatures([32, 0, 0], [32])
    bars = drawings(at)["weights"]
    assert numbers(bars).tolist() == [list(record.weights)]
    assert bars["is_bars"]
    assert bars["column_names"] == ["32", "0", "0"]
    sweep = sweep_temperatures([32, 0, 0])
    curve, alt = chart_of(at, "curve")
    expected = {
        "largest": [r.largest_weight for r in sweep.records],
        "entropy": [r.entropy_share for r in sweep.records],
        "gradient": list(sweep.gradient_shares),
    }
    for name, text in words.CURVES.items():
        assert curve[curve["curve"] == text.en]["value"].tolist() == expected[name]
    assert significant(sweep.peak.temperature) in alt


def test_s4_the_curves_are_compiled_once_and_have_fixed_names() -> None:
    spec = temperature_curves("T", "y", ("a", "b", "c"), 1, 2)
    assert spec is temperature_curves("T", "y", ("a", "b", "c"), 1, 2)
    assert not {"data", "datasets", "config"} & spec.keys()
    for channel in ("color", "strokeDash"):
        assert spec["encoding"][channel]["scale"]["domain"] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("32, 0, 0", "46.17"),
        ("4, 4, 0", "1 ÷ 2"),
        ("5, 5, 5, 0", "1 ÷ 3"),
        ("32, 0", "0.507999"),
        ("1000000, 0, 0", "1.443e6"),
    ],
)
def test_s4_the_question_is_answered_by_the_core_and_by_hand(open_page, row: str, expected: str) -> None:
    answer = drawings(opened(open_page, row))["answer"]["lines"][0]["pieces"]
    assert expected in "".join(piece["text"] for piece in answer)
    assert significant(1 / (1 + math.exp(-32 / 1000)), 6) == "0.507999"
    assert significant(32 / math.log(2), 4) == "46.17"


@pytest.mark.parametrize("language", LANGUAGES)
def test_s4_rows_whose_gradient_has_no_peak_on_the_curve_say_so(open_page, language: str) -> None:
    for row, text in (
        ("1, 1, 1", words.PEAK_TIED),
        ("0.001, 0", words.PEAK_OUTSIDE),
        ("1000000, -1000000", words.NO_GRADIENT),
    ):
        at = opened(open_page, row, 0.01, language)
        assert text.say(language, **dict.fromkeys(text.fields("en"), "…")).split("…")[0] in said(at)


def test_s4_presets_take_a_row_and_a_temperature(open_page) -> None:
    at = opened(open_page, "5, 6", 9)
    for name, (row, temperature) in ROWS.items():
        press(at, f"preset.{name}")
        assert table_of(at)[1].tolist() == list(measure_temperatures(row, [temperature])[0].weights)
    press(at, "preset.drawn")
    scaled, weights, _ = table_of(at)
    assert np.allclose(scaled, DRAWN.numpy() / 32, rtol=5e-4)
    assert np.allclose(weights, (DRAWN / 32).softmax(dim=-1).numpy(), atol=1e-3)
    assert "√d_k = 32" in said(at)
    assert "seed 0, d_k = 1024" in said(at)
    press(at, "preset.notes")
    assert "√d_k" not in said(at)
    assert words.TYPED.en in said(at)


def test_s4_any_temperature_can_be_typed(open_page) -> None:
    at = opened(open_page, "32, 0, 0", 7.25)
    assert at.select_slider[0].value == 7.25
    at.text_input(key="scaling.temperature.any").set_value("0.03").run()
    assert at.select_slider[0].value == 0.03
    assert "T = 0.03" in said(at)
    at.select_slider[0].set_value(500.0).run()
    assert "T = 500" in said(at)
    assert not at.exception


def test_s4_sixty_four_keys_and_the_extremes(open_page) -> None:
    row = [((-1) ** m) * m * 15_000 for m in range(64)]
    for temperature in (0.01, 1000):
        at = opened(open_page, ", ".join(map(str, row)), temperature)
        assert table_of(at)[1].tolist() == list(measure_temperatures(row, [temperature])[0].weights)
        assert not at.error


BAD = {
    "": (0, 0, 0),
    "   ": (0, 0, 0),
    "nan, inf, -inf": (3, 0, 0),
    "🐱, 😀": (2, 0, 0),
    "<b>1</b>, <script>": (2, 0, 0),
    "$x$, `a`, **b**": (3, 0, 0),
    "1e9, 2": (0, 1, 2),
    "-1e400, 2": (0, 1, 2),
    "5": (0, 0, 1),
    "1;2;" * 40: (0, 0, 80),
    "x" * 10_000: (1, 0, 0),
    "9" * 10_000: (0, 1, 1),
    "1, " * 3333: (0, 0, 3333),
    "0x10 1_0 --1": (3, 0, 0),
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("view", ["temperature", "overflow"])
def test_s4_s6_what_is_no_row_is_named_kept_and_put_right(open_page, language: str, view: str) -> None:
    name = {"temperature": "row", "overflow": "scores"}[view]
    rules = RULES[{"temperature": "row", "overflow": "scores"}[view]]
    at = open_page("scaling", lang=language, view=view)
    for text in BAD:
        reading = read_row(text, rules)
        put(at, f"scaling.{name}", text)
        assert next(box for box in at.text_input if box.key == f"scaling.{name}").value == text
        assert len(at.error) == (0 if reading.is_legal else 1)
        assert not wrong_language(at, language)
        assert not list(dangers(at))
        if reading.is_legal:
            continue
        assert "keys" not in drawings(at), "no picture of a row that nobody gave"
        assert "runs" not in drawings(at)
        press(at, f"take.{name}")
        taken = at.session_state["lesson:scaling"][name]
        assert read_row(taken, rules).is_legal
        assert not at.error
        assert at.get("bidi_component")


def test_s4_each_rule_is_said_with_both_values() -> None:
    from dashboard.panels.scaling.rows import faults

    for text, (unreadable, too_large, found) in BAD.items():
        reading = read_row(text, RULES["row"])
        assert (len(reading.unreadable), len(reading.too_large), len(reading.numbers)) == (
            unreadable,
            too_large,
            found,
        )
        message = "\n".join(faults(reading, RULES["row"], "en"))
        if too_large:
            assert "at most 1e6 in size" in message
        if found > 64:
            assert f"At most 64 numbers; here are {found}" in message
        if found < 2:
            assert f"At least 2; numbers read here: {found}" in message
        assert len(message) < 400


@pytest.mark.parametrize(
    "text",
    [
        "32, 0, -0.5",
        "32 0 −0.5",
        "[32; 0; -.5]",
        "３２，０，－０．５",
        "32、0、-0.5",
        "(3.2e1,0,-0.50,)",
        "\t32,,0,\u3000-0.5 ",
    ],
)
def test_s4_a_row_is_read_however_it_is_separated(text: str) -> None:
    reading = read_row(text, RULES["row"])
    assert reading.is_legal
    assert reading.numbers == (32, 0, -0.5)
    assert read_row(write_row(reading.numbers), RULES["row"]).numbers == reading.numbers


def test_s4_the_nearest_row_keeps_what_can_be_kept() -> None:
    assert read_row("5", RULES["row"]).nearest == (5, 0)
    assert read_row("1e9, x, -1e9, 2", RULES["row"]).nearest == (1e6, -1e6, 2)
    assert read_row("1, " * 70, RULES["row"]).nearest == (1,) * 64
    stray = read_row("1, 2, x", RULES["row"])
    assert (stray.is_legal, stray.nearest) == (False, (1, 2))


def test_s4_a_row_too_long_for_the_link_says_so(open_page) -> None:
    at = opened(open_page, "1, 2")
    long = ", ".join(["-12.3456789012"] * 64)
    put(at, "scaling.row", long)
    assert not at.error
    assert any("link" in text for text in sentences(at))
    put(at, "scaling.row", "1, 2")
    assert not any("link" in text for text in sentences(at))


@pytest.mark.parametrize("language", LANGUAGES)
def test_s4_tables_and_code_unfold(open_page, language: str) -> None:
    state = {f"is_open:open.{name}": True for name in ("table.temperatures", "source")}
    at = opened(open_page, "32, 0, 0", 4, language)
    for name, value in state.items():
        at.session_state[name] = value
    at.run()
    assert not at.exception
    (curve,) = (frame.value for frame in at.dataframe)
    assert curve.iloc[:, 1].tolist() == [r.largest_weight for r in sweep_temperatures([32, 0, 0]).records]
    assert "def weigh_at" in at.code[0].value
    assert words.TEMPERATURE.say(language) in [*labels(at), *(one.label for one in at.select_slider)]


@pytest.mark.parametrize("row", ["1e-313, 0, 0", "5e-324, 0, 0, 0", "1e-300, 1e-301, 0"])
def test_s4_gaps_of_any_size_have_their_halving_temperature_at_once(open_page, row: str) -> None:
    at = opened(open_page, row, 1)
    assert "0.500" in said(at) or "T = 0" in said(at)


def test_s4_a_tie_of_two_is_answered_as_a_tie(open_page) -> None:
    assert "2 keys share the largest score" in said(opened(open_page, "1, 1", 4))


def test_a_long_unreadable_row_is_refused_at_once(open_page) -> None:
    import time

    started = time.monotonic()
    assert not read_row("1" * 50_000 + "x", RULES["row"]).numbers
    assert time.monotonic() - started < 5, (
        "a generous ceiling: a pattern that goes back and forth takes minutes"
    )
