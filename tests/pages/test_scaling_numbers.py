"""S1 to S3 and the textbook: every number in a sentence, worked out anew with NumPy on the draws that the page makes."""

import math
import re

import numpy as np
import pytest
import torch

from attention_core.components import Components, draw_queries_and_keys, generator_for, trials_a_chunk
from attention_core.experiments.scaling import draw_sample_row, sweep_divisors
from dashboard.number_format import significant
from dashboard.text import LANGUAGES
from dashboard.text import scaling as words
from tests.pages.reading import charts, sentences, told

DIVISORS = ("none", "sqrt_d_k", "d_k", "sqrt_d_model")
SATURATED = {"view": "saturation", "guess": "shown"}


def drawn(d_k: int, n_keys: int, trials: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The queries and keys of a sweep, of mean 0 and variance 1, and the gradients by the weights."""
    generator, parts = generator_for(seed, d_k), []
    at_once = trials_a_chunk(n_keys, d_k)
    for start in range(0, trials, at_once):
        sizes = {"trials": min(at_once, trials - start), "n_keys": n_keys, "d_k": d_k}
        q, k = draw_queries_and_keys(Components(), generator=generator, **sizes)
        g = torch.randn(k.shape[:2], generator=generator).double()
        parts.append([part.numpy() for part in (q, k, g)])
    q, k, g = (np.concatenate(part) for part in zip(*parts, strict=True))
    return q, k, g


def softmax(scores: np.ndarray) -> np.ndarray:
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def jacobians(weights: np.ndarray) -> np.ndarray:
    """diag(a) − a·aᵀ of every row."""
    return weights[..., None] * np.eye(weights.shape[-1]) - weights[..., None] * weights[..., None, :]


def middle(values: np.ndarray) -> float:
    """The trial in the middle, or halfway between two."""
    return float(np.median(values))


def worked_out(d_k: int, n_keys: int, trials: int, *, heads: int = 8, seed: int = 0) -> dict[str, dict]:
    """The meters of each trial and the spread of the scaled scores, divisor by divisor."""
    q, k, g = drawn(d_k, n_keys, trials, seed)
    scores = np.einsum("bd,bmd->bm", q, k)
    found = {}
    for name, number in zip(DIVISORS, (1.0, math.sqrt(d_k), float(d_k), math.sqrt(heads * d_k)), strict=True):
        weights = softmax(scores / number)
        jacobian = jacobians(weights)
        back = np.einsum("bij,bj->bi", jacobian, g) / number
        found[name] = {
            "std": float((scores / number).std(ddof=1)),
            "top": weights.max(axis=1),
            "keys": np.exp(-(weights * np.log(weights)).sum(axis=1)),
            "norm": np.sqrt((jacobian**2).sum(axis=(1, 2))),
            "q_gradient": np.sqrt((np.einsum("bm,bmd->bd", back, k) ** 2).sum(axis=1)),
            "k_gradient": np.sqrt((back**2).sum(axis=1) * (q**2).sum(axis=1)),
        }
    return found


# S1


@pytest.mark.parametrize("language", ["en", "zh"])
def test_s1_every_number_of_the_variance_is_worked_out_anew(open_page, language: str) -> None:
    settings = {"d_k": "16", "trials": "300", "std_q": "2", "mean_q": "1", "seeds": "1"}
    at = open_page("scaling", lang=language, **settings)
    q, k, _ = drawn(16, 1, 300)
    k = k[:, 0]
    scores = ((2 * q + 1) * k).sum(axis=1)
    squares = (scores - scores.mean()) ** 2 * 300 / 299
    variance, error = squares.mean(), squares.std(ddof=1) / math.sqrt(300)
    said, theory = told(at), {"expected": "0", "expected_variance": "80.00"}
    of_mean = {"mean": significant(scores.mean())}
    of_mean |= {"mean_error": significant(scores.std(ddof=1) / math.sqrt(300))}
    of_variance = {"variance": significant(variance, 4), "variance_error": significant(error)}
    of_variance |= {"std": significant(math.sqrt(variance))}
    # By hand: one product has σ_q²σ_k² + μ_q²σ_k² = 4 + 1, and 16 of them have 80.
    assert words.VARIANCE_SEE.say(language, d_k=16, trials=300, **theory, **of_mean, **of_variance) in said
    assert words.VARIANCE_WHY.say(language, d_k=16, one="5.00", expected_variance="80.00") in said
    assert words.VARIANCE_NOT_UNIT.say(language, scaled="2.24") in said, "√5"
    far = significant(abs(variance - 80) / error, 2)
    assert words.VARIANCE_FAR.say(language, errors=far) in said
    alt = words.HISTOGRAM_ALT.say(
        language,
        d_k=16,
        mean=significant(scores.mean()),
        std=significant(math.sqrt(variance)),
        expected="0",
        expected_std="8.94",
    )
    assert alt in [one for _, one in charts(at)], "√80"
    wider = ((4 * q + 1) * k).sum(axis=1).var(ddof=1)
    assert words.QUESTION_STD.say(language, d_k=16, now="2.00", std="4.00") in said
    answer = words.ANSWER_STD_MEAN.say(language, expected="272.0", measured=significant(wider, 4))
    at.session_state["is_open:answer:variance"] = True
    assert answer in told(at.run()), "16·(16 + 1)"


# S2 and S3

AT_48 = {"view": "saturation", "guess": "shown", "reach": "64", "d_k": "48", "n": "6", "heads": "2"}
AT_48 |= {"trials": "50"}
OVER_TRIALS = {"mean": lambda values: significant(values.mean()), "median": lambda v: significant(middle(v))}


@pytest.mark.parametrize(("language", "average"), [("en", "median"), ("zh", "mean")])
def test_s2_s3_every_weight_told_of_a_width_is_worked_out_anew(
    open_page, language: str, average: str
) -> None:
    said = told(open_page("scaling", lang=language, average=average, **AT_48))
    over_trials, by_name = OVER_TRIALS[average], worked_out(48, 6, 50, heads=2)
    none, root, by_d_k, by_model = (by_name[name] for name in DIVISORS)
    read = {
        f"{side}_{short}": over_trials(meters[short])
        for side, meters in (("none", none), ("root", root))
        for short in ("top", "keys", "norm")
    }
    assert len(set(read.values())) == 6, "numbers that are alike could be exchanged unseen"
    name = words.AVERAGES[average].say(language)
    assert words.SATURATION_SEE.say(language, d_k=48, n=6, trials=50, average=name, **read) in said
    spreads = {"d_k_std": significant(by_d_k["std"]), "model_std": significant(by_model["std"])}
    tops = {"d_k_top": over_trials(by_d_k["top"]), "model_top": over_trials(by_model["top"])}
    assert words.SATURATION_WRONG.say(language, uniform="0.167", heads=2, **spreads, **tops) in said


@pytest.mark.parametrize(("language", "meter"), [("en", "q_gradient"), ("zh", "k_gradient")])
def test_s2_s3_every_gradient_and_spread_told_of_a_width_is_worked_out_anew(
    open_page, language: str, meter: str
) -> None:
    said = told(open_page("scaling", lang=language, meter=meter, **AT_48))
    by_name, at_64 = worked_out(48, 6, 50, heads=2), worked_out(64, 6, 50, heads=2)
    sides = {"none": by_name["none"], "root": by_name["sqrt_d_k"]}
    read = {f"{side}_median": significant(middle(one[meter])) for side, one in sides.items()}
    read |= {f"{side}_mean": significant(one[meter].mean()) for side, one in sides.items()}
    name = words.METERS[meter].say(language)
    assert words.SATURATION_GRADIENT.say(language, meter=name, **read) in said
    stds = {f"{side}_std": significant(one["std"]) for side, one in sides.items()}
    assert list(stds.values()) != ["6.93", "1.00"], "what is measured could be exchanged with theory unseen"
    theory = {"none_expected": "6.93", "root_expected": "1.00"}
    assert words.SATURATION_WHY.say(language, **stds, **theory) in said, "√48 and 1"
    answer = words.ANSWER_DIVISOR.say(
        language,
        root="8.00",
        root_std=significant(at_64["sqrt_d_k"]["std"]),
        d_k_std=significant(at_64["d_k"]["std"]),
        top=significant(at_64["d_k"]["top"].mean()),
        uniform="0.167",
    )
    assert answer in said


def test_s2_one_hot_rows_whose_mean_is_not_held_up_are_not_said_to_have_ties(open_page) -> None:
    none = worked_out(256, 16, 5, seed=3)["none"]
    assert middle(none["top"]) > 0.95
    assert none["q_gradient"].mean() < middle(none["q_gradient"])
    shown = {"view": "saturation", "guess": "shown", "reach": "64", "meter": "q_gradient"}
    said = told(open_page("scaling", lang="en", d_k="256", trials="5", seed="3", **shown))
    assert [line for line in said if significant(middle(none["q_gradient"])) in line]
    assert words.SATURATION_TIES.en not in said


def test_s2_what_is_said_of_the_sample_row_is_worked_out_anew(open_page) -> None:
    query = {"view": "saturation", "guess": "none", "d_k": "9", "n": "20", "seed": "3", "trials": "2"}
    q, k, _ = drawn(9, 20, 1, seed=3)
    scores = np.sort(k[0] @ q[0])[::-1]
    gap = scores[0] - scores[1]
    rest = [softmax(scores / number)[12:].sum() for number in (1, 9)]
    assert gap > 0.1
    for language in ("en", "zh"):
        said = told(open_page("scaling", lang=language, divisor="d_k", **query))
        see = {"gap": significant(gap), "before": significant(math.exp(gap)), "divisor": "d_k"}
        assert words.SAMPLE_SEE.say(language, **see, after=significant(math.exp(gap / 9))) in said
        more = {"before": significant(rest[0]), "after": significant(rest[1])}
        assert words.SAMPLE_MORE.say(language, shown=12, others=8, **more) in said


# Check the textbook


def spread_and_top(d_k: int, n_keys: int, trials: int) -> tuple[str, str]:
    """How far unscaled scores spread, and the mean of the largest weight."""
    q, k, _ = drawn(d_k, n_keys, trials, seed=7)
    scores = np.einsum("bd,bmd->bm", q, k)
    return significant(scores.std(ddof=1)), significant(softmax(scores).max(axis=1).mean())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_s1_s2_every_number_held_against_the_textbook_is_worked_out_anew(open_page, language: str) -> None:
    at = open_page("scaling", lang=language, view="textbook", d_k="100", seed="7")
    said = "\n".join(sentences(at))
    sizes = ["small 768 / 12 = 64", "medium 1024 / 16 = 64", "large 1280 / 20 = 64", "xl 1600 / 25 = 64"]
    stds = {f"std_{d_k}": spread_and_top(d_k, 16, 1000)[0] for d_k in (64, 1024)}
    known = {"sizes": {"en": ", ", "zh": "、"}[language].join(sizes), "expected_64": "8.00"}
    assert words.KEY_WIDTH_FOUND.say(language, expected_1024="32.0", **known, **stds) in said
    q, k, _ = drawn(100, 16, 1, seed=7)
    unscaled = significant(np.sqrt((jacobians(softmax(k[0] @ q[0])) ** 2).sum()))
    assert words.STABLE_FOUND.say(language, d_k=100, shifted=unscaled, log=unscaled) in said
    # By hand: eight million numbers make 155 trials of 513 vectors of width 100.
    few, many = (spread_and_top(100, n_keys, 155) for n_keys in (16, 512))
    known = {"trials": 155, "d_k": 100, "expected": "10.0", "wide": 1600}
    measured = {"short": few[0], "long": many[0], "wider": spread_and_top(1600, 16, 155)[0]}
    tops = {"short_top": few[1], "long_top": many[1]}
    assert words.LENGTH_FOUND.say(language, **known, **measured, **tops) in said


# What a fresh session found false beside the numbers on the screen.


@pytest.mark.parametrize("language", LANGUAGES)
def test_s2_what_only_a_temperature_overflows_is_named(open_page, language: str) -> None:
    query = {"dtype": "float16", "std_q": "100", "temperature": "0.01", "divisor": "temperature"}
    at = open_page("scaling", lang=language, view="saturation", guess="shown", trials="50", **query)
    settings = {"trials": 50, "components": Components(std_q=100), "dtype": "float16", "temperature": 0.01}
    none, *_, divided = sweep_divisors([64], **settings)
    assert divided.overflow.trials > none.overflow.trials == 0
    lost = {"d_k": 64, "dtype": "float16", "trials": 50, "lost": divided.overflow.trials}
    assert words.DIVIDED_LOST.say(language, divisor="T = 0.01", **lost) in told(at)
    assert sweep_divisors([128], **settings)[-1].overflow.trials == 50, "the first width that loses them all"
    (warning,) = [one.value for one in at.warning]
    lost_all = {**lost, "d_k": 128, "lost": 50}
    assert warning.startswith(words.DIVIDED_LOST.say(language, divisor="T = 0.01", **lost_all))
    row = draw_sample_row(
        64, components=Components(std_q=100), dtype="float16", temperature=0.01, divisors=["temperature"]
    )
    n_lost = int((~row.scaled[0].isfinite()).sum())
    assert bool(row.scores.isfinite().all())
    assert n_lost
    said = words.SAMPLE_DIVIDED_LOST.say(language, dtype="float16", divisor="T = 0.01", lost=n_lost)
    assert said in told(at)


@pytest.mark.parametrize(("d_k", "is_saturated"), [(512, True), (128, True), (4, False), (1, False)])
def test_s3_the_textbooks_cure_is_measured_over_many_trials(open_page, d_k: int, is_saturated: bool) -> None:
    at = open_page("scaling", lang="en", view="textbook", d_k=str(d_k))
    none, root = (record.jacobian_norm.mean for record in sweep_divisors([d_k])[:2])
    assert (none < root) is is_saturated
    text = words.STABLE_SCALED if is_saturated else words.STABLE_NOT_YET
    said = text.say("en", trials=1000, none=significant(none), root=significant(root))
    assert any(said in sentence for sentence in sentences(at))


def test_s1_a_variance_that_rounding_makes_is_not_held_against_theory(open_page) -> None:
    means = {"mean_q": "10", "mean_k": "10", "d_k": "4096"}
    said = told(open_page("scaling", lang="en", dtype="bfloat16", **means))
    # By hand: 4096·100 lies between 2^18 and 2^19, and bfloat16 keeps 8 bits: 2^(18 − 7) apart; √(4096·201) = 907.
    mean, spacing, std = map(significant, (409600.0, 2048.0, math.sqrt(4096 * 201)))
    rounded = words.VARIANCE_ROUNDED.say("en", mean=mean, dtype="bfloat16", spacing=spacing, std=std)
    assert rounded in said
    assert not any("standard errors from theory" in sentence for sentence in said)
    exact = told(open_page("scaling", lang="en", **means))
    assert any("standard errors from theory" in sentence for sentence in exact)
    assert rounded not in exact


def test_s1_scores_that_cannot_vary_are_not_explained_by_a_divisor(open_page) -> None:
    said = told(open_page("scaling", lang="en", distribution="signs", correlation="1", d_k="16"))
    assert words.VARIANCE_CONSTANT.en in said
    assert words.SIGNS_NOTE.en not in said
    assert not any("hence the divisor" in sentence for sentence in said)


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ({"mean_q": "1"}, words.ANSWER_STD_MEAN, 64 * (1 + 4)),
        ({"mean_q": "1", "mean_k": "1", "correlation": "1"}, words.ANSWER_STD_TOGETHER, 64 * (1 + 4 + 4 + 8)),
        ({"mean_k": "1"}, words.ANSWER_STD, 64 * (4 + 4)),
    ],
)
def test_s1_the_answer_names_the_parts_that_grow(open_page, query, text, expected) -> None:
    at = open_page("scaling", lang="en", **query)
    at.session_state["is_open:answer:variance"] = True
    (answer,) = [line for line in told(at.run()) if line.startswith("Theory says")]
    assert answer.startswith(f"Theory says {significant(expected, 4)};")
    assert answer.endswith(text.en.rsplit(". ", 1)[1])


@pytest.mark.parametrize(("scores", "is_lost"), [("-65519, -65520", True), ("0, -70000", False)])
def test_s6_a_sunk_score_is_harmless_only_where_it_weighed_nothing(
    open_page, scores: str, is_lost: bool
) -> None:
    at = open_page("scaling", lang="en", view="overflow", scores=scores, run_dtype="float16", run_form="log")
    said = " ".join(told(at))
    # By hand: 1 / (1 + e).
    assert ("have a weight of 0.269 between them" in said) is is_lost
    assert ("Its weight is 0 either way" in said) is not is_lost


@pytest.mark.parametrize("language", LANGUAGES)
def test_S2_where_the_type_overflows_the_answer_is_measured_in_float64_and_says_so(
    open_page, language: str
) -> None:
    wide = {"d_k": "64", "reach": "64", "n": "16", "std_q": "100", "std_k": "100", "trials": "100"}
    said = told(open_page("scaling", lang=language, dtype="float16", **SATURATED, **wide))
    (answer,) = [line for line in said if words.ANSWER_FLOAT64.say(language, dtype="float16") in line]
    components = Components(std_q=100.0, std_k=100.0)
    here = sweep_divisors(
        (64,), n_keys=16, trials=100, seed=0, components=components, n_heads=8, temperature=4.0
    )
    expected = here[DIVISORS.index("sqrt_d_k")].scaled_std
    assert 8500 < expected < 11_500, "√64 · 100² is 80 000, an eighth of it 10 000"
    assert significant(expected) in answer
    assert "–" not in answer
    fits = told(open_page("scaling", lang=language, dtype="float16", trials="100", **SATURATED))
    assert not [line for line in fits if words.ANSWER_FLOAT64.say(language, dtype="float16") in line]


@pytest.mark.parametrize("language", LANGUAGES)
def test_S2_scores_that_are_all_the_same_get_no_explanation_of_a_spread(open_page, language: str) -> None:
    zeros = {"std_q": "0", "std_k": "0", "trials": "20", "meter": "q_gradient"}
    said = told(open_page("scaling", lang=language, d_k="2", **SATURATED, **zeros))
    assert said.count(words.VARIANCE_CONSTANT.say(language)) == 2, "beside the meters and as the answer"
    assert words.SAMPLE_TIE.say(language) in said
    assert not [line for line in said if "e^" in line], "nothing is stretched"
    assert not [line for line in said if line.startswith(getattr(words.VARIANCE_NOT_UNIT, language)[:12])]


def test_S3_two_trials_have_one_middle_and_nothing_is_explained_by_few_of_them(open_page) -> None:
    few = {"d_k": "4096", "reach": "4096", "n": "2", "trials": "3", "distribution": "sparse"}
    for seed in range(4):
        said = told(open_page("scaling", lang="en", seed=str(seed), meter="q_gradient", **few, **SATURATED))
        assert words.SATURATION_TIES.en not in said
    two = {"d_k": "1", "n": "2", "trials": "2", "meter": "q_gradient"}
    said = " ".join(told(open_page("scaling", lang="en", **two, **SATURATED)))
    median, mean = re.search(r"reaching q has median (\S+) and mean (\S+) unscaled", said).groups()
    assert median == mean
