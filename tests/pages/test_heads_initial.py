"""Claim H6 as it stands on the page: four ways to begin a matrix, what is stored, and which product is faster."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from attention_core.device import Machine
from attention_core.estimate import Estimate
from attention_core.experiments.independence import judge_ratios
from attention_core.experiments.initial_weights import (
    D_MODELS,
    STARTS,
    STARTS_BY,
    ProductTiming,
    compare_storage,
    measure_starts,
)
from attention_core.measure import Timing
from dashboard.cached import Measured
from dashboard.number_format import significant
from dashboard.panels.heads import initial
from dashboard.panels.heads.initial_model import TOKENS, TRIALS
from dashboard.text import LANGUAGES
from dashboard.text import head_initial as words
from tests.pages.reading import chart_of, dangers, drawings, numbers, sentences, told, wrong_language

# By hand at d_model = 256: 1/√256; √(6/512); √(6/256).
BOUNDS = {"linear": 1 / 16, "xavier_uniform": 0.1082532, "kaiming_uniform": 0.1530931}
# Without a mean d_model · b²/3, whatever d_model is; the other is 256·√((1/12 + 1/4)² + 255/16).
SCORES = {"linear": 1 / 3, "rand": 1025.5544, "xavier_uniform": 1.0, "kaiming_uniform": 2.0}
PLACES = {start: place for place, start in enumerate(STARTS)}


@pytest.fixture
def opened(look_at):
    def open_it(language="en", **query):
        at = look_at("heads", lang=language, view="initial", **query)
        assert not list(dangers(at))
        assert not wrong_language(at, language)
        return at

    return open_it


@pytest.fixture(scope="module")
def records():
    return {record.start: record for record in measure_starts([256], n=TOKENS, trials=TRIALS)}


def unfolded(at) -> str:
    at.session_state["is_open:answer:initial"] = True
    at.run()
    (line,) = drawings(at)["answer"]["lines"]
    return "".join(piece["text"] for piece in line["pieces"])


def test_H6_the_weights_lie_within_the_bounds_worked_out_by_hand(opened, records) -> None:
    table = numbers(drawings(opened())["weights"])
    for start, bound in BOUNDS.items():
        mean, theory, std, std_theory, lowest, lower, highest, upper = table[PLACES[start]]
        assert (theory, lower, upper) == pytest.approx((0, -bound, bound), rel=1e-6)
        assert std_theory == pytest.approx(bound / math.sqrt(3), rel=1e-6)
        assert std == pytest.approx(std_theory, rel=0.01)
        assert abs(mean) < 0.01 * bound
        assert (lowest, highest) == pytest.approx((-bound, bound), rel=1e-3)
    rand = table[PLACES["rand"]]
    assert rand[[1, 3, 5, 7]] == pytest.approx([0.5, 1 / math.sqrt(12), 0, 1])
    assert rand[[0, 2, 4, 6]] == pytest.approx([0.5, 0.288675, 0, 1], abs=2e-3)
    measured = [[r.mean, r.std, r.lowest, r.highest] for r in records.values()]
    assert np.array_equal(table[:, ::2], measured)


def test_H6_scores_weights_and_gradients_are_the_cores_and_near_theory(opened, records) -> None:
    table = numbers(drawings(opened())["effects"])
    for start, expected in SCORES.items():
        std, theory, largest, entropy, dead, gradient, x_gradient = table[PLACES[start]]
        record = records[start]
        assert theory == pytest.approx(expected, rel=1e-6)
        assert std == pytest.approx(expected, rel=0.15)
        means = [record.scaled_std, record.largest_weight, record.entropy_share, record.dead_share]
        assert [std, largest, entropy, dead] == [estimate.mean for estimate in means]
        assert [gradient, x_gradient] == [record.w_q_gradient.median, record.x_gradient.median]
    linear, rand = table[PLACES["linear"]], table[PLACES["rand"]]
    assert (linear[2] < 0.2, linear[3] > 0.95, linear[4]) == (True, True, 0)
    assert (rand[2] > 0.95, rand[3] < 0.05, rand[4] > 0.9) == (True, True, True)
    assert rand[5] < 1e-3 * linear[5]


@pytest.mark.parametrize("language", LANGUAGES)
def test_H6_every_beginning_is_told_with_the_numbers_of_its_row(opened, records, language: str) -> None:
    for start, record in records.items():
        at = opened(language, initial_start=start)
        lines, row = told(at), numbers(drawings(at)["effects"])[PLACES[start]]
        gradients = numbers(drawings(opened(language, initial_meter="w_q_gradient"))["widths"])[PLACES[start]]
        listed = {"en": ", ", "zh": "、"}[language].join(map(significant, gradients))
        assert words.WHY[start].say(language, first=64, last=1024, gradients=listed) in lines
        names = ("std", "expected", "largest")
        said = dict(zip(names, map(significant, row), strict=False))
        sizes = {"d_model": 256, "tokens": 16, "even": "0.0625", "limit": "1e−6"}
        assert words.EFFECT.say(language, start=words.STARTS[start].say(language), **sizes, **said) in lines
        frame, alt = chart_of(at, "expected")
        assert significant(record.expected.upper) in alt
        assert frame["share"].sum() == pytest.approx(1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_H6_linear_is_named_as_neither_xavier_nor_plain_kaiming(opened, language: str) -> None:
    at = opened(language)
    said = words.NAMES.say(
        language,
        d_model=256,
        bound="0.0625",
        xavier="0.108",
        xavier_times=significant(math.sqrt(3)),
        kaiming="0.153",
        kaiming_times=significant(math.sqrt(6)),
    )
    assert said in told(at)
    assert any(torch.__version__ in text for text in told(at))


@pytest.mark.parametrize("meter", list(words.METERS))
def test_H6_the_lines_draw_the_meter_that_the_last_table_lists(opened, meter: str) -> None:
    at = opened(initial_meter=meter)
    shown = drawings(at)["widths"]
    table = numbers(shown)
    assert shown["column_names"] == [str(d_model) for d_model in D_MODELS]
    frame, alt = chart_of(at, "start")
    drawn = frame.pivot(index="start", columns="d_model", values="value").loc[shown["row_names"]].to_numpy()
    is_drawn = np.ones_like(table, dtype=bool) if meter in initial.SHARES else table > 0
    assert np.array_equal(drawn[is_drawn], table[is_drawn])
    assert np.isnan(drawn[~is_drawn]).all()
    assert words.METERS[meter].en in alt
    column = [*words.METERS].index(meter)
    effects = np.delete(numbers(drawings(at)["effects"]), 1, axis=1)
    assert np.array_equal(effects[:, column], table[:, 2])
    zeros = any(text == words.NO_PLACE_FOR_ZERO.en for text in sentences(at))
    assert zeros == (not is_drawn.all())


@pytest.mark.parametrize("language", LANGUAGES)
def test_H6_a_gradient_of_zero_is_listed_and_not_drawn(opened, monkeypatch, records, language: str) -> None:
    gone = replace(records["rand"], w_q_gradient=Estimate(0.0, 0.0, 0.0))
    monkeypatch.setattr(initial, "measure", lambda *_: {256: records | {"rand": gone}})
    at = opened(language, initial_meter="w_q_gradient", is_touched=True)
    frame, alt = chart_of(at, "start")
    assert frame["value"].isna().tolist() == [start == "rand" for start in STARTS]
    assert numbers(drawings(at)["widths"])[PLACES["rand"]] == [0]
    assert words.NO_PLACE_FOR_ZERO.say(language) in sentences(at)
    assert words.CURVE_ALT.say(language, start=words.STARTS["rand"].say(language), first="0", last="0") in alt


@pytest.mark.parametrize("language", LANGUAGES)
def test_H6_scores_of_rand_grow_with_the_width_and_those_of_linear_do_not(opened, language: str) -> None:
    at = opened(language)
    table = numbers(drawings(at)["widths"])
    linear, rand = table[PLACES["linear"]], table[PLACES["rand"]]
    assert linear == pytest.approx([1 / 3] * 5, rel=0.15)
    # Twice as wide: 2·√2 times as large. From 64 to 1024 that is 64.
    assert 64 / 2 < rand[-1] / rand[0] < 64 * 2
    ends = {
        "rand_first": rand[0],
        "rand_last": rand[-1],
        "linear_first": linear[0],
        "linear_last": linear[-1],
    }
    said = {name: significant(value) for name, value in ends.items()}
    assert words.WIDER.say(language, first=64, last=1024, linear_theory="0.333", **said) in told(at)


def test_H6_the_histogram_counts_one_matrix_and_theory_fills_its_bounds_alone(opened) -> None:
    frame, alt = chart_of(opened(initial_start="linear", initial_d_model="64"), "expected")
    assert frame["lower"].iloc[0] == pytest.approx(-0.125 * 1.2)
    inside = (frame["middle"].abs() < 0.125).to_numpy()
    assert np.allclose(frame["expected"], np.where(inside, 1 / 40, 0))
    assert not frame["share"][~inside].any()
    assert frame["share"].sum() == pytest.approx(1)
    assert np.abs(frame["share"][inside] - 1 / 40).max() < 0.008
    assert "from −0.125 to 0.125" in alt


@pytest.mark.parametrize("language", LANGUAGES)
def test_H6_linear_stores_the_transpose_and_says_so_when_it_is_forgotten(opened, language: str) -> None:
    lines = told(opened(language))
    shapes = {"inputs": 6, "outputs": 4, "linear": "(4, 6)", "parameter": "(6, 4)"}
    assert words.STORED.say(language, **shapes, difference="0") in lines
    # Four rows of six numbers times a matrix of 4 × 6.
    (refused,) = [line for line in lines if line.startswith(words.REFUSED.say(language, error="")[:8])]
    assert "4x6 and 4x6" in refused


@pytest.mark.parametrize("language", LANGUAGES)
def test_H6_a_square_weight_that_is_not_transposed_gives_other_numbers(opened, language: str) -> None:
    generator = torch.Generator().manual_seed(0)
    weight = STARTS_BY["linear"](5, 5, generator).T.double()
    x = torch.randn(4, 5, generator=generator, dtype=torch.float64)
    off = float((x @ weight.T - x @ weight).abs().max())
    assert off > 0.1
    lines = told(opened(language, initial_inputs="5", initial_outputs="5"))
    assert words.WRONG.say(language, difference=significant(off)) in lines
    lines = told(opened(language, initial_inputs="1", initial_outputs="1"))
    assert compare_storage(1, 1).untransposed_difference == 0
    assert words.ALIKE.say(language, difference="0") in lines


def test_H6_storage_is_judged_at_every_size() -> None:
    for inputs in (1, 2, 16):
        for outputs in (1, 2, 16):
            kind = words.REFUSED if inputs != outputs else words.WRONG if inputs > 1 else words.ALIKE
            said = initial.say_storage(inputs, outputs, "en")[1]
            assert said.startswith(kind.en[:30]), (inputs, outputs)


def planted(ratios) -> Measured[ProductTiming]:
    timing = Timing(1.0, 1.0, 1.0, 2, (1.0, 1.0))
    records = tuple(
        ProductTiming(
            d_model, {"linear": timing, "matmul": timing}, judge_ratios(64, [ratio] * 3), 1e-6 * d_model
        )
        for d_model, ratio in zip(D_MODELS, ratios, strict=True)
    )
    return Measured(records, "2001-02-03 04:05 UTC", Machine("toy abacus", 2, 3, "3.0", "9.9"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_H6_whether_linear_is_faster_is_said_as_it_was_measured(opened, monkeypatch, language: str) -> None:
    asked = []
    found = planted((2.0, 1.5, 1.0, 0.5, 1.001))
    monkeypatch.setattr(initial, "measured_products", lambda *given: asked.append(given) or found)
    at = opened(language, is_touched=True)
    assert not asked, "nothing is timed before it is asked for"
    said = unfolded(at)
    assert asked == [(D_MODELS, 64, 15, "cpu")]
    verdicts = ("slower", "slower", "no difference", "faster", "no difference")
    for d_model, ratio, verdict in zip(
        D_MODELS, ("2.00", "1.50", "1.00", "0.500", "1.00"), verdicts, strict=True
    ):
        one = {
            "ratio": ratio,
            "lower": ratio,
            "upper": ratio,
            "verdict": words.VERDICTS[verdict].say(language),
        }
        assert words.EACH.say(language, d_model=d_model, **one) in said
    for text in ("5%", "0.00102", "2001-02-03 04:05 UTC", "CPU, toy abacus", "torch 9.9"):
        assert text in said


def test_H6_no_difference_is_said_only_where_the_spread_allows_it() -> None:
    # Quartiles of three ratios lie half-way between them.
    for ratios, verdict in (
        ([0.3, 1.01, 2.5], "unclear"),
        ([1.03, 1.04, 1.1], "unclear"),
        ([0.99, 1.0, 1.02], "no difference"),
        ([1.06, 1.13, 1.32], "slower"),
        ([0.5, 0.6, 0.7], "faster"),
    ):
        assert initial.verdict_of(judge_ratios(512, ratios)) == verdict


def test_H6_both_products_are_timed_on_this_machine(opened) -> None:
    said = unfolded(opened(is_touched=True))
    assert all(f"d_model {d_model}: " in said for d_model in D_MODELS)
    assert torch.__version__ in said


@pytest.mark.parametrize("language", LANGUAGES)
def test_H6_whatever_the_link_holds(opened, language: str) -> None:
    given = {"initial_d_model": "5", "initial_start": "<b>", "initial_meter": "$x$", "initial_seed": "nan"}
    at = opened(language, **given, initial_inputs="0", initial_outputs="1e99")
    assert len(at.warning) == 6
    assert words.WEIGHTS_TABLE.say(language, d_model=64) == drawings(at)["weights"]["title"]
    at = opened(language, initial_d_model="100")
    assert drawings(at)["widths"]["column_names"] == ["64", "100", "128", "256", "512", "1024"]
    assert numbers(drawings(at)["weights"])[0, 7] == pytest.approx(0.1)
