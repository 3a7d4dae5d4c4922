"""The claims S1 to S3 as they stand on the scaling page, against the core and the notes; and what readers may do to it."""

import math

import numpy as np
import pytest

from attention_core.components import DTYPES, MAX_BYTES, Components
from attention_core.experiments.dot_products import bin_scores, measure_dot_products, sweep_variance
from attention_core.experiments.scaling import (
    DIVISORS,
    METERS,
    Saturation,
    draw_sample_row,
    fate_of,
    numbers_a_trial,
    sweep_divisors,
)
from attention_core.sharpness import jacobian_norm
from dashboard.number_format import significant
from dashboard.panels.scaling.fields import FATES, RESETTABLE, scaling_fields
from dashboard.panels.scaling.model import MOST_NUMBERS, SEED_STEP, measure_defaults, most_trials
from dashboard.panels.scaling.textbook import trials_at
from dashboard.text import LANGUAGES
from dashboard.text import scaling as words
from tests.pages.reading import chart_of, charts, dangers, drawings, numbers, sentences, told, wrong_language

WIDTHS = tuple(2**power for power in range(11))
SHOWN = {"view": "saturation", "guess": "shown"}


def meters_of(at) -> np.ndarray:
    """The table of all meters: a row a divisor."""
    return numbers(drawings(at)["meters"])


def expected_meters(d_k: int, average: str = "mean", **settings) -> np.ndarray:
    return np.array(
        [
            [
                record.divided_by,
                record.scaled_std,
                record.expected_std,
                *(getattr(getattr(record, meter), average) for meter in METERS),
            ]
            for record in sweep_divisors([d_k], **settings)
        ]
    )


# S1


@pytest.mark.parametrize("language", LANGUAGES)
def test_s1_the_histogram_and_what_is_said_of_it_are_the_cores(open_page, language: str) -> None:
    at = open_page("scaling", lang=language, d_k="256", seed="3")
    frame, alt = chart_of(at, "share")
    record = measure_dot_products(256, seed=3)
    bins = bin_scores(record)
    assert frame["share"].tolist() == [one.share for one in bins]
    assert frame["expected"].tolist() == [one.expected_share for one in bins]
    assert significant(math.sqrt(record.variance.mean)) in alt
    said = " ".join(told(at))
    for number in (record.variance.mean, record.variance.standard_error):
        assert significant(number, 4) in said or significant(number) in said
    assert "256.0" in said, "the variance that theory expects"


def test_s1_the_variance_grows_along_theorys_line_with_a_band_over_seeds(open_page) -> None:
    frame, alt = chart_of(open_page("scaling", lang="en", seeds="4"), "lowest")
    seeds = [SEED_STEP * repeat for repeat in range(4)]
    records = sweep_variance(WIDTHS, seeds=seeds)
    assert frame["d_k"].tolist() == list(WIDTHS)
    assert frame["expected"].tolist() == list(map(float, WIDTHS))
    for column in ("lowest", "median", "highest"):
        assert frame[column].tolist() == [getattr(record, column) for record in records]
    assert (frame["lowest"] <= frame["median"]).all()
    assert (frame["median"] <= frame["highest"]).all()
    assert "1024" in alt


def test_s1_at_1024_the_variance_is_within_three_standard_errors_of_1024(open_page) -> None:
    at = open_page("scaling", lang="en", d_k="1024")
    record = measure_dot_products(1024)
    assert abs(record.variance.mean - 1024) < 3 * record.variance.standard_error
    assert significant(record.variance.mean, 4) in " ".join(told(at))


def test_s1_means_and_spreads_have_a_theory_of_their_own(open_page) -> None:
    settings = {"mean_q": "1", "mean_k": "2", "std_q": "3", "std_k": "0.5", "distribution": "uniform"}
    at = open_page("scaling", lang="en", d_k="16", **settings)
    # By hand: d_k·(σ_q²σ_k² + σ_q²μ_k² + σ_k²μ_q²) = 16·(2.25 + 36 + 0.25), and d_k·μ_k²·σ_q² is common to all keys.
    said = " ".join(told(at))
    assert "theory 616.0" in said
    assert words.VARIANCE_COMMON.say("en", common="576") in said
    assert "theory 32.0" in said, "the mean: 16·1·2"


def test_s1_what_a_wider_q_does_is_measured_once_the_reader_unfolds_the_answer(open_page) -> None:
    at = open_page("scaling", lang="en", d_k="32", trials="200")
    assert drawings(at)["answer"]["lines"] == []
    at.session_state["is_open:answer:variance"] = True
    at.run()
    measured = measure_dot_products(32, trials=200, components=Components(std_q=2)).variance.mean
    # By hand: 32 · 2² · 1².
    assert words.ANSWER_STD.say("en", expected="128.0", measured=significant(measured, 4)) in told(at)


# S2 and S3


@pytest.mark.parametrize("average", ["mean", "median"])
def test_s2_s3_every_meter_of_every_divisor_is_the_cores(open_page, average: str) -> None:
    at = open_page("scaling", lang="en", d_k="100", average=average, heads="4", temperature="2.5", **SHOWN)
    expected = expected_meters(100, average, n_heads=4, temperature=2.5)
    assert np.array_equal(meters_of(at), expected)


@pytest.mark.parametrize(
    ("d_k", "unscaled", "norm", "scaled"),
    [(4, 0.42, 0.32, 0.234), (16, 0.68, 0.28, 0.245), (64, 0.84, None, 0.245), (1024, 0.962, 0.052, 0.245)],
)
def test_s2_unscaled_weights_go_one_hot_and_scaled_ones_stay(
    open_page, d_k: int, unscaled: float, norm: float | None, scaled: float
) -> None:
    table = meters_of(open_page("scaling", lang="en", d_k=str(d_k), **SHOWN))
    none, root = table[DIVISORS.index("none")], table[DIVISORS.index("sqrt_d_k")]
    largest, jacobian = 3 + METERS.index("largest_weight"), 3 + METERS.index("jacobian_norm")
    assert none[largest] == pytest.approx(unscaled, abs=0.02)
    assert root[largest] == pytest.approx(scaled, abs=0.02)
    assert norm is None or none[jacobian] == pytest.approx(norm, abs=0.01)


def test_s3_at_64_the_divisor_is_8_and_d_k_leaves_an_eighth(open_page) -> None:
    table = meters_of(open_page("scaling", lang="en", d_k="64", heads="4", **SHOWN))
    assert table[:, 0].tolist() == [1, 8, 64, 16, 4]
    spreads = dict(zip(DIVISORS, table[:, 1], strict=True))
    assert spreads["sqrt_d_k"] == pytest.approx(1, abs=0.02)
    assert spreads["d_k"] == pytest.approx(1 / 8, abs=0.003)
    assert spreads["sqrt_d_model"] == pytest.approx(1 / 2, abs=0.01)


@pytest.mark.parametrize("meter", METERS)
def test_s2_s3_the_curves_are_the_cores_for_every_divisor(open_page, meter: str) -> None:
    at = open_page("scaling", lang="en", trials="30", meter=meter, **SHOWN)
    frame, alt = chart_of(at, "divisor")
    records = sweep_divisors(WIDTHS, trials=30)
    average = "median" if "gradient" in meter else "mean"
    assert frame["value"].tolist() == [getattr(getattr(record, meter), average) for record in records]
    assert frame["divisor"].tolist() == ["1 (none)", "√d_k", "d_k", "√d_model (h = 8)", "T = 4"] * len(WIDTHS)
    last = records[-len(DIVISORS) :]
    for record in last:
        assert significant(getattr(getattr(record, meter), average)) in alt
    errors = [2 * getattr(record, meter).standard_error for record in records]
    assert average == "median" or np.allclose(frame["high"] - frame["value"], errors)


@pytest.mark.parametrize("divisor", DIVISORS)
def test_s2_the_sample_row_is_weighed_before_and_after(open_page, divisor: str) -> None:
    at = open_page("scaling", lang="en", d_k="32", divisor=divisor, seed="5", n="7", trials="9", **SHOWN)
    row = draw_sample_row(32, n_keys=7, seed=5, divisors=("none", divisor))
    order = row.scores.argsort(descending=True)
    drawn = drawings(at)
    assert np.array_equal(numbers(drawn["sample.weights"]), row.weights[:, order].numpy())
    assert np.array_equal(numbers(drawn["sample.scores"])[0], row.scores[order].numpy())
    assert drawn["sample.weights"]["column_names"] == [str(int(m) + 1) for m in order]
    assert drawn["sample.weights"]["is_bars"]
    weights = numbers(drawn["sample.weights"])
    assert (np.diff(weights, axis=1) <= 0).all(), "softmax keeps the order"


def test_s2_of_many_keys_the_first_are_drawn_and_the_others_are_summed(open_page) -> None:
    at = open_page("scaling", lang="en", d_k="4", n="512", trials="2", **SHOWN)
    weights = numbers(drawings(at)["sample.weights"])
    assert weights.shape == (2, 12)
    rest = [line for line in told(at) if "500" in line]
    assert [significant(1 - weights[side].sum()) in rest[0] for side in (0, 1)] == [True, True]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("d_k", [4, 512])
def test_s2_s3_what_is_said_of_each_divisor_is_what_was_measured_of_it(
    open_page, language: str, d_k: int
) -> None:
    at = open_page("scaling", lang=language, d_k=str(d_k), heads="2", trials="300", **SHOWN)
    records = dict(zip(DIVISORS, sweep_divisors([d_k], trials=300, n_heads=2), strict=True))
    none, root, by_d_k, by_model = (records[name] for name in ("none", "sqrt_d_k", "d_k", "sqrt_d_model"))
    assert words.SATURATION_SEE.say(
        language,
        d_k=d_k,
        n=16,
        trials=300,
        average=words.AVERAGES["mean"].say(language),
        none_top=significant(none.largest_weight.mean),
        none_keys=significant(none.effective_keys.mean),
        none_norm=significant(none.jacobian_norm.mean),
        root_top=significant(root.largest_weight.mean),
        root_keys=significant(root.effective_keys.mean),
        root_norm=significant(root.jacobian_norm.mean),
    ) in told(at)
    assert words.SATURATION_WRONG.say(
        language,
        d_k_std=significant(by_d_k.scaled_std),
        d_k_top=significant(by_d_k.largest_weight.mean),
        uniform="0.0625",
        heads=2,
        model_std=significant(by_model.scaled_std),
        model_top=significant(by_model.largest_weight.mean),
    ) in told(at)
    assert (words.SATURATION_TIES.say(language) in told(at)) == (d_k == 512), "at 4 rows are far from one-hot"


def test_s2_zeros_are_not_taken_for_rows_that_are_one_hot(open_page) -> None:
    at = open_page("scaling", lang="en", d_k="4", distribution="sparse", meter="k_gradient", **SHOWN)
    assert words.SATURATION_TIES.en not in told(at)


def test_s2_a_score_that_sinks_leaves_the_bars_and_is_named(open_page) -> None:
    query = {"d_k": "1024", "std_q": "40", "std_k": "40", "dtype": "float16", "seed": "2", "trials": "20"}
    at = open_page("scaling", lang="en", **query, **SHOWN)
    scores = draw_sample_row(1024, seed=2, components=Components(std_q=40, std_k=40), dtype="float16").scores
    assert scores.isneginf().any()
    assert not scores.isposinf().any()
    assert not np.isnan(numbers(drawings(at)["sample.weights"])).any()
    assert any("are −∞ in float16" in line for line in told(at))


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ({"std_q": "2"}, words.VARIANCE_NOT_UNIT.say("en", scaled="2.00")),
        ({"mean_k": "1"}, words.VARIANCE_COMMON.say("en", common="64.0")),
        # By hand: 64·((2·0.5 − 1)² + 0.25·2), the part that E[q·k | q] varies by.
        (
            {"mean_q": "2", "mean_k": "-1", "correlation": "0.5"},
            words.VARIANCE_COMMON.say("en", common="32.0"),
        ),
    ],
)
def test_s1_what_stands_in_the_way_of_root_d_k_is_said_in_both_views(
    open_page, query: dict, note: str
) -> None:
    for view in ("variance", "saturation"):
        assert note in told(open_page("scaling", lang="en", trials="20", **{**SHOWN, "view": view}, **query))


def test_s1_the_distance_from_theory_is_in_standard_errors_and_only_where_they_can_be_trusted(
    open_page,
) -> None:
    record = measure_dot_products(64)
    errors = abs(record.variance.mean - 64) / record.variance.standard_error
    far = words.VARIANCE_FAR.say("en", errors=significant(errors, 2))
    assert far in told(open_page("scaling", lang="en"))
    for query in ({"trials": "100"}, {"distribution": "sparse", "d_k": "8"}, {"trials": "2"}):
        assert not [line for line in told(open_page("scaling", lang="en", **query)) if "from theory;" in line]
    assert measure_dot_products(64, trials=2).variance.standard_error is None


# Predict first


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sweep_waits_for_a_guess_and_then_shows_both(open_page, language: str) -> None:
    at = open_page("scaling", lang=language, view="saturation", trials="50")
    assert not charts(at)
    assert any(words.METERS["largest_weight"].say(language) in said for said in sentences(at))
    at.button(key="guess.falls").click().run()
    frame, _ = chart_of(at, "divisor")
    guessed = frame[frame["part"] == "guess"]
    assert guessed["value"].tolist() == [frame["value"][0], 1 / 16], (
        "from where the curve begins to its floor"
    )
    assert words.GUESS_WRONG.say(language) in " ".join(sentences(at))
    at.button(key="guess.again").click().run()
    assert not charts(at)


@pytest.fixture(scope="module")
def both_ends() -> tuple[Saturation, ...]:
    """The core's own meters at the ends of the curve, once for all guesses: first those of 1, then those of 1024."""
    return sweep_divisors([1, 1024])


@pytest.mark.parametrize("guess", FATES)
@pytest.mark.parametrize("average", ["mean", "median"])
def test_a_guess_is_judged_by_the_ends_of_the_measured_curve(
    open_page, both_ends, guess: str, average: str
) -> None:
    query = {"meter": "q_gradient", "guess": f"q_gradient.{guess}", "average": average}
    at = open_page("scaling", lang="en", view="saturation", **query)
    first, last = (getattr(both_ends[place].q_gradient, average) for place in (0, len(DIVISORS)))
    fate = fate_of(first, last)
    assert fate == {"mean": "rises", "median": "falls"}[average], "the mean is held up by few trials"
    verdict = words.GUESS_RIGHT if guess == fate else words.GUESS_WRONG
    assert verdict.say("en") in " ".join(sentences(at))
    frame, _ = chart_of(at, "divisor")
    assert frame["value"].tolist()[-2] == first


def test_a_guess_about_one_meter_says_nothing_about_another(open_page) -> None:
    at = open_page(
        "scaling",
        lang="en",
        view="saturation",
        trials="9",
        guess="largest_weight.rises",
        meter="entropy_share",
    )
    frame, _ = chart_of(at, "divisor")
    assert set(frame["part"]) == {"measured"}
    assert not [said for said in sentences(at) if words.GUESS_RIGHT.say("en") in said]


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_to_be_guessed_is_not_told_before(open_page, language: str) -> None:
    at = open_page("scaling", lang=language, view="saturation")
    assert set(drawings(at)) == {"address", "help", "sample.weights", "sample.said", "sample.scores"}
    at.button(key="guess.shown").click().run()
    assert "meters" in drawings(at)


def test_s2_for_a_gradient_the_median_stands_until_the_reader_takes_the_mean(open_page) -> None:
    at = open_page("scaling", lang="en", meter="q_gradient", **SHOWN)
    said = " ".join(told(at))
    (none, root) = (sweep_divisors([64])[place].q_gradient for place in (0, 1))
    for number in (none.median, none.mean, root.median, root.mean):
        assert significant(number) in said
    assert words.SATURATION_TIES.en in said
    assert np.array_equal(meters_of(at), expected_meters(64, "median"))
    at.button_group(key="scaling.average").set_value("mean").run()
    assert np.array_equal(meters_of(at), expected_meters(64, "mean"))
    assert "mean over 1000 trials" in " ".join(told(at))
    at.selectbox(key="scaling.meter").select("largest_weight").run()
    assert at.session_state["lesson:scaling"]["average"] == "mean", "what the reader chose is kept"


def test_s1_where_no_score_fits_there_is_a_sentence_and_no_empty_picture(open_page) -> None:
    at = open_page("scaling", lang="en", d_k="4096", dtype="float16", mean_q="9", mean_k="9", trials="9")
    assert [chart for chart in charts(at) if "share" in chart[0]] == []
    assert words.VARIANCE_NOTHING.say("en", d_k=4096, dtype="float16", scores=9) in [
        warning.value for warning in at.warning
    ]


def test_s1_few_products_and_signs_are_explained_only_where_they_are_there(open_page) -> None:
    def said(**query: str) -> str:
        return " ".join(told(open_page("scaling", lang="en", trials="20", **query)))

    few = words.VARIANCE_FEW.say("en", d_k=4)
    assert few in said(d_k="4", distribution="signs")
    assert words.SIGNS_NOTE.en in said(d_k="4", distribution="signs")
    assert words.SIGNS_NOTE.en not in said(d_k="4", distribution="signs", std_q="2")
    assert "are few" not in said(d_k="8")


# Check the textbook


@pytest.mark.parametrize(("language", "d_k"), [("zh", 4), ("en", 1024)])
def test_s1_s2_s6_printed_statements_are_held_against_what_is_measured(
    open_page, language: str, d_k: int
) -> None:
    at = open_page("scaling", lang=language, view="textbook", d_k=str(d_k), n="7", trials="3", std_q="9")
    assert not at.exception
    said = "\n".join(sentences(at))
    other = {4: 64, 1024: 64}[d_k]
    n_trials = trials_at(d_k)
    few = ((d_k, 16, n_trials), (d_k, 512, n_trials), (other, 16, n_trials))
    for width, n, trials in ((64, 16, 1000), (1024, 16, 1000), *few):
        (record,) = sweep_divisors([width], n_keys=n, trials=trials, divisors=["none"])
        assert significant(record.scaled_std) in said, "the other views' settings do not reach in here"
    for name, size in (("small", "768 / 12 = 64"), ("medium", "1024 / 16 = 64"), ("xl", "1600 / 25 = 64")):
        assert f"{name} {size}" in said
    row = draw_sample_row(d_k, divisors=["none"])
    assert said.count(significant(float(jacobian_norm(row.weights[0])))) >= 2
    for record in sweep_divisors([d_k], divisors=["none", "sqrt_d_k"]):
        assert significant(record.jacobian_norm.mean) in said
    assert said.count("[NaN, NaN]") == 2, "a row of −∞ alone, either way"
    assert said.count("[1.00, 0]") == 2, "torch subtracts the maximum itself"
    assert said.count("[NaN, 0]") == 1, "the definition written out does not"
    at.select_slider(key="scaling.d_k").set_value(2).run()
    assert f"d_k = {d_k}" not in "\n".join(sentences(at))


# What readers do


EXTREMES = {
    "widest and most keys": {"d_k": "4096", "n": "512", "trials": "20"},
    "far apart": {"std_q": "100", "std_k": "100", "trials": "20"},
    "nothing varies": {"std_q": "0", "std_k": "0", "trials": "20"},
    "mostly zeros": {"distribution": "sparse", "d_k": "1", "n": "2", "trials": "20"},
    "copies": {"distribution": "signs", "correlation": "-1", "trials": "20"},
    "two trials": {"trials": "2", "seeds": "1"},
    "far from zero": {
        "mean_q": "-1000",
        "mean_k": "1000",
        "std_q": "1000",
        "trials": "20",
        "dtype": "bfloat16",
    },
    "too large for a half": {"std_q": "1000", "std_k": "1000", "trials": "20", "dtype": "float16"},
    "partly too large": {"std_q": "40", "std_k": "40", "trials": "20", "dtype": "float16", "d_k": "64"},
    "single": {"dtype": "float32", "std_q": "1000", "trials": "20"},
    "hottest": {"temperature": "1000", "heads": "64", "trials": "20", "divisor": "temperature"},
    "coldest": {"temperature": "0.01", "trials": "20", "divisor": "temperature"},
}


@pytest.mark.parametrize("view", ["variance", "saturation"])
@pytest.mark.parametrize("name", EXTREMES)
def test_extreme_settings_give_numbers_or_a_named_overflow(open_page, view: str, name: str) -> None:
    language = LANGUAGES[list(EXTREMES).index(name) % 2]
    at = open_page("scaling", lang=language, view=view, guess="shown", **EXTREMES[name])
    assert not at.exception
    assert not at.error
    assert wrong_language(at, language) == []
    dtype = EXTREMES[name].get("dtype", "float64")
    if view == "saturation":
        has_gap = bool(np.isnan(chart_of(at, "divisor")[0]["value"]).any())
        is_lost = bool(np.isnan(meters_of(at)).any())
        assert is_lost <= any(dtype in line for line in told(at)), "what is missing here is named here"
    else:
        has_gap = bool(np.isnan(chart_of(at, "lowest")[0]["median"].astype(float)).any())
    assert has_gap <= bool([*at.warning, *at.info]), "what is missing is named"
    assert all(dtype in warning.value for warning in at.warning)
    assert bool(at.warning) == (dtype == "float16")


def test_asking_for_too_much_is_refused_with_the_nearest_that_fits(open_page) -> None:
    at = open_page("scaling", lang="en", n="512", trials="20000", **SHOWN)
    most = MOST_NUMBERS // (513 * sum(WIDTHS))
    (error,) = at.error
    assert all(number in error.value for number in (f"{MOST_NUMBERS:,}", "20000", str(most)))
    assert not charts(at)
    assert at.select_slider(key="scaling.d_k").value == 64, "the width can still be changed"
    at.button(key="take.trials").click().run()
    assert not at.error
    assert at.session_state["lesson:scaling"]["trials"] == most
    assert charts(at)


@pytest.mark.parametrize(("n", "trials"), [("512", "20000"), ("100", "18000")])
def test_what_is_offered_instead_of_too_much_fits_what_the_core_keeps(open_page, n: str, trials: str) -> None:
    at = open_page("scaling", lang="zh", n=n, trials=trials, reach="64", d_k="64", **SHOWN)
    assert len(at.error) == 1
    assert not at.exception
    state = at.session_state["lesson:scaling"]
    assert most_trials(state) == MAX_BYTES // (8 * numbers_a_trial(int(n))), (
        "the core's limit is the lower one"
    )


def test_however_much_is_asked_for_two_trials_always_fit() -> None:
    widest = {"reach": "4096", "n": 512, "seeds": 20, "d_k": 4095}
    for view in ("variance", "saturation"):
        assert most_trials({**widest, "view": view}) >= 2


def test_any_width_can_be_typed_and_becomes_part_of_the_sweep(open_page) -> None:
    at = open_page("scaling", lang="en", trials="20", **SHOWN)
    at.text_input(key="scaling.d_k.any").set_value("100").run()
    assert at.select_slider(key="scaling.d_k").value == 100
    assert 100 in set(chart_of(at, "divisor")[0]["d_k"])
    assert np.array_equal(meters_of(at), expected_meters(100, trials=20))
    at.select_slider(key="scaling.d_k").set_value(128).run()
    assert 100 not in set(chart_of(at, "divisor")[0]["d_k"])


def test_all_settings_survive_the_other_language_and_can_be_reset(open_page) -> None:
    query = {
        "d_k": "32",
        "n": "9",
        "distribution": "sparse",
        "std_q": "2.5",
        "trials": "7",
        "dtype": "float32",
    }
    at = open_page("scaling", lang="en", **query, **SHOWN)
    before = dict(at.session_state["lesson:scaling"])
    at.button_group(key="lang.choice").set_value("zh").run()
    after = dict(at.session_state["lesson:scaling"])
    assert {**after, "lang": "en"} == before
    assert (after["d_k"], after["n"], after["std_q"], after["dtype"]) == (32, 9, 2.5, "float32")
    at.button(key="open.scaling").click().run()
    at.button(key="reset.scaling").click().run()
    fields = scaling_fields("zh")
    now = at.session_state["lesson:scaling"]
    assert all(now[name] == fields[name].default for name in RESETTABLE)


@pytest.mark.parametrize(
    ("name", "given", "used"),
    [
        ("std_q", "nan", 1.0),
        ("std_q", "1e400", 1000.0),
        ("mean_k", "-1e9", -1000.0),
        ("correlation", "2", 1.0),
        ("d_k", "1e9", 4096),
        ("d_k", "0", 1),
        ("n", "1", 2),
        ("trials", "99999999999", 20_000),
        ("distribution", "<b>", "normal"),
        ("dtype", "float128", "float64"),
        ("guess", "largest_weight.explodes", "none"),
        ("temperature", "0", 0.01),
        ("view", "$x$", "variance"),
    ],
)
def test_what_a_link_gets_wrong_becomes_the_nearest_legal_value(
    open_page, name: str, given: str, used: object
) -> None:
    language = LANGUAGES[len(given) % 2]
    cheap = {} if name == "trials" else {"trials": "5"}
    at = open_page("scaling", lang=language, **{**cheap, name: given})
    assert not at.exception
    assert at.session_state["lesson:scaling"][name] == used
    assert len(at.warning) == 1
    assert wrong_language(at, language) == []
    assert list(dangers(at)) == []


def test_every_number_type_has_its_own_numbers(open_page) -> None:
    tables = {
        dtype: meters_of(open_page("scaling", lang="en", d_k="16", trials="20", dtype=dtype, **SHOWN))
        for dtype in DTYPES
    }
    assert not np.array_equal(tables["float64"], tables["bfloat16"])
    for dtype, tolerance in (("float32", 1e-4), ("float16", 1e-2), ("bfloat16", 0.1)):
        assert np.allclose(tables[dtype], tables["float64"], rtol=tolerance, atol=tolerance)


def test_the_components_reach_the_core_as_set(open_page) -> None:
    settings = {"distribution": "signs", "mean_q": "0.5", "std_k": "2", "correlation": "0.25"}
    at = open_page("scaling", lang="en", d_k="8", trials="20", **settings, **SHOWN)
    components = Components("signs", mean_q=0.5, std_k=2.0, correlation=0.25)
    assert np.array_equal(meters_of(at), expected_meters(8, trials=20, components=components))


def test_the_first_visitor_finds_the_default_sweeps_measured(open_page, monkeypatch) -> None:
    measure_defaults()

    def measured_again(*_: object, **__: object) -> None:
        raise AssertionError("what every first visitor asks for was measured again")

    for name in ("sweep_divisors", "sweep_variance"):
        monkeypatch.setattr(f"dashboard.cached.{name}", measured_again)
    for view in ("variance", "saturation"):
        at = open_page("scaling", lang="zh", view=view, guess="shown")
        assert not at.exception
        assert charts(at)
    assert open_page("scaling", lang="zh", seed="77").exception, "the fault can be seen"


@pytest.mark.parametrize("view", ["variance", "saturation", "textbook"])
def test_the_code_that_ran_unfolds(open_page, view: str) -> None:
    at = open_page("scaling", lang="en", view=view, trials="20", guess="shown")
    at.button(key="open.source").click().run()
    assert not at.exception
    shown = {
        "variance": "def measure_dot_products",
        "saturation": "def read_meters",
        "textbook": "def run_naive",
    }
    assert shown[view] in at.code[0].value


@pytest.mark.parametrize("view", words.VIEWS)
def test_every_view_but_the_textbook_offers_its_script(open_page, view: str) -> None:
    at = open_page("scaling", lang="zh", view=view, trials="20", guess="shown")
    assert ("open.script.scaling" in [button.key for button in at.button]) == (view != "textbook")
    if view != "textbook":
        at.button(key="open.script.scaling").click().run()
        assert not at.exception
        assert "import torch" in at.code[0].value
