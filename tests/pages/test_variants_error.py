"""Claims V3, V4 and V5 as they stand on the page: errors against size and length, the own sentence, what is said."""

import pytest

from attention_core.experiments.approximation import ERROR_LINES, ErrorPlan, measure_errors
from dashboard import cached
from dashboard.number_format import significant
from dashboard.panels.variants import error_model
from dashboard.panels.variants.error_model import LENGTHS, N_DRAWS
from dashboard.text import LANGUAGES
from dashboard.text import variant_error as words
from tests.pages.reading import chart_of, dangers, drawings, told, wrong_language

FIRST = {"sharpness": 2.0, "nearness": 0.9}
SMALL = {"error_n": "16"}


@pytest.fixture
def opened(look_at):
    def open_it(language="en", *, is_touched=False, **query):
        at = look_at("variants", is_touched=is_touched, lang=language, view="error", **query)
        assert not at.exception
        assert not list(dangers(at))
        assert not wrong_language(at, language)
        return at

    return open_it


def points(at, line, part="drawn"):
    frame = chart_of(at, "line")[0]
    return frame[(frame.line == words.NAMES[line].en) & (frame.part == part)]


def test_V3_V4_V5_the_first_sight_draws_the_cores_means_with_their_ends(opened):
    at = opened()
    for line in ("window", "block", "low_rank_pooled", "linear_elu"):
        sizes = tuple(2**power for power in range(9))
        expected = measure_errors(ErrorPlan(n=256, **FIRST), (line,), sizes)
        drawn = points(at, line)
        assert drawn["size"].tolist() == list(sizes)
        assert drawn.error.tolist() == pytest.approx([one.mean for one in expected], abs=1e-12)
        assert drawn.low.tolist() == pytest.approx([one.lowest for one in expected], abs=1e-12)
        assert drawn.high.tolist() == pytest.approx([one.highest for one in expected], abs=1e-12)
    assert points(at, "window").error.iloc[-1] < 1e-12
    text = "\n".join(told(at))
    assert "At size N = 256 each of these is full attention" in text
    assert "The error falls with every larger size: window, blocks, low rank (means)." in text
    flat = significant(points(at, "linear_elu").error.iloc[0])
    assert f"linear (elu + 1) {flat}" in text


def test_the_own_sentence_is_drawn_where_it_is_and_said_at_half_its_length(opened):
    at = opened(**SMALL)
    own = points(at, "window", "own")
    assert own["size"].tolist() == [1, 2, 4, 6]
    assert own.error.iloc[-1] < 1e-12
    assert any(text.startswith("Your sentence (N = 6, size 2, scores times 2)") for text in told(at))
    along = opened(error_axis="n", error_size="2")
    assert points(along, "window", "own")["size"].tolist() == [6]
    assert any("(N = 6, size 2," in text for text in told(along))


def test_V3_against_n_the_error_grows_from_nothing(opened):
    at = opened(error_axis="n", nearness="0", sharpness="1", error_lines="window")
    drawn = points(at, "window")
    assert tuple(drawn["size"]) == LENGTHS
    assert drawn.error.iloc[0] < 1e-12
    assert drawn.error.is_monotonic_increasing
    last = significant(drawn.error.iloc[-1])
    assert any(f"window from {significant(drawn.error.iloc[0])} to {last}" in text for text in told(at))
    assert any(text.startswith("In places the error is above 1") for text in told(at))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_line_is_said_by_what_it_can_do(opened, language):
    at = opened(language, **SMALL, error_lines=",".join(ERROR_LINES))
    text = "\n".join(told(at))
    measured = {one.line: one for one in measure_errors(ErrorPlan(n=16, **FIRST), ERROR_LINES, (16,))}
    assert words.STRIDED.say(language) in text
    assert words.DILATED.say(language, error=significant(measured["dilated"].mean)) in text
    assert words.DRAWN.say(language, error=significant(measured["low_rank_drawn"].mean)) in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_under_a_causal_mask_low_rank_is_left_out_and_that_is_said(opened, language):
    at = opened(language, **SMALL, is_causal="1")
    name = words.NAMES["low_rank_pooled"].say(language)
    assert [one.value for one in at.info] == [words.NO_CAUSAL_FORM.say(language, lines=name)]
    assert name not in set(chart_of(at, "line")[0].line)


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_lines_nothing_is_drawn_and_a_button_brings_them_back(opened, language):
    at = opened(language, is_touched=True, **SMALL, error_lines="")
    assert not at.get("vega_lite_chart")
    assert words.NO_LINES.say(language) in [one.value for one in at.info]
    at.button(key="error.lines").click().run()
    assert at.get("vega_lite_chart")
    alone = opened(language, **SMALL, error_lines="low_rank_pooled", is_causal="1")
    assert not alone.get("vega_lite_chart")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("query", [{"error_n": "1"}, {"text": "a"}, {"error_n": "2", "is_causal": "1"}])
def test_the_smallest_sizes_are_drawn_and_said(opened, language, query):
    at = opened(language, **(SMALL | query))
    assert drawings(at)["said"]["lines"]
    assert not [text for text in told(at) if "nan" in text.lower()]


def test_V3_the_answer_measures_a_window_where_nothing_is_near(opened):
    at = opened(is_touched=True)
    at.session_state["is_open:answer:error"] = True
    at.run()
    far = measure_errors(ErrorPlan(n=256, sharpness=2.0, nearness=0.0), ("window",), (16,))[0]
    near = measure_errors(ErrorPlan(n=256, **FIRST), ("window",), (16,))[0]
    expected = words.ANSWER_MORE.say(
        "en",
        error=significant(far.mean),
        low=significant(far.lowest),
        high=significant(far.highest),
        nearness="0.9",
        near=significant(near.mean),
    )
    assert expected in told(at)


def test_the_table_holds_every_number_that_is_drawn(opened):
    at = opened(is_touched=True, **SMALL, error_lines="window,linear_elu")
    at.button(key="open.table.errors").click().run()
    (table,) = at.dataframe
    frame = table.value
    assert len(frame) == len(chart_of(at, "line")[0]) - 1, "the rule at 1 is no number of these"
    assert {words.DRAWS.say("en", draws=N_DRAWS), words.OWN.en} == set(frame[words.CSV["whose"].en])


def test_the_server_measures_the_first_sight_before_anybody_asks(opened, monkeypatch):
    error_model.measure_defaults()
    asked = []
    monkeypatch.setattr(
        error_model, "errors_at", lambda plan, size: asked.append((plan, size)) or kept(plan, size)
    )
    kept = cached.errors_at
    before = kept.cache_info().misses
    opened(is_touched=True)
    assert len(asked) == 9
    assert kept.cache_info().misses == before


def test_hostile_links_become_legal(opened):
    at = opened(**SMALL, sharpness="1e9", nearness="1", error_size="0", error_lines="<b>", error_axis="x")
    assert len(at.warning) == 5
    state = at.session_state["lesson:variants"]
    assert (state["sharpness"], state["nearness"], state["error_size"]) == (16.0, 0.99, 1)
