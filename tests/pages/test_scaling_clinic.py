"""The clinic (S5): what the page says of a patient is what a check-up of the core says, before and after cures."""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from attention_core.experiments import clinic
from attention_core.experiments.clinic import (
    CAUSES,
    CURES,
    METERS,
    PATIENTS,
    THRESHOLDS,
    CheckUp,
    Setup,
    causes_of,
    cure,
    signs_of,
)
from dashboard.cached import checked_up
from dashboard.number_format import significant
from dashboard.text import LANGUAGES
from dashboard.text import clinic as words
from tests.pages.reading import dangers, drawings, labels, numbers, sentences, wrong_language

PARTS = ("meter", "said", "treated", "look", "why", "question", "answer")


@cache
def check_up(setup: Setup | None = None, seed: int = 0) -> CheckUp:
    """The core's own, once a test run: the page's come from the page's cache."""
    return clinic.check_up(setup, seed=seed)


def query(cause: str, patient: str | None = None, **more: object) -> dict[str, str]:
    chosen = {"view": "clinic", "patient": patient or CAUSES[cause].symptom, "cause": cause, **more}
    return {name: str(value) for name, value in chosen.items()}


def lines_of(drawing: dict) -> list[str]:
    return ["".join(piece["text"] for piece in line["pieces"]) for line in drawing["lines"]]


def told(at) -> str:
    drawn = drawings(at)
    return "\n".join(line for name in PARTS if name in drawn for line in lines_of(drawn[name]))


def verdict(at, language: str = "en") -> tuple[str, str]:
    """What the heading says of before and now."""
    heading = lines_of(drawings(at)["said"])[0]
    pattern = words.VERDICT.say(language, before="(.*)", now="(.*)")
    found = re.fullmatch(pattern, heading)
    if found:
        return found[1], found[2]
    only = re.fullmatch(words.ONLY_VERDICT.say(language, before="(.*)"), heading)
    return (only[1], only[1]) if only else ("", "")


def named(record: CheckUp, language: str = "en") -> str:
    names = [words.SYMPTOMS[symptom].say(language) for symptom in record.symptoms]
    return words.AND.say(language).join(names) or words.NO_SYMPTOM.say(language)


def meters_of(record: CheckUp) -> np.ndarray:
    return np.array([[getattr(layer, meter) for meter in METERS] for layer in record.layers])


def is_whole(at, language: str) -> bool:
    return not at.exception and not list(dangers(at)) and not wrong_language(at, language)


# The patients, their causes and their cures


@pytest.mark.parametrize("name", CAUSES)
def test_s5_a_patient_is_what_the_check_up_says_and_its_cures_bring_it_back(open_page, name: str) -> None:
    language = LANGUAGES[list(CAUSES).index(name) % 2]
    cause = CAUSES[name]
    ill, cured = check_up(cause.setup), check_up(cure(cause.setup, cause.cures))
    at = open_page("scaling", lang=language, **query(name))
    assert verdict(at, language) == (named(ill, language), named(ill, language))
    assert "treated" not in drawings(at) or name == "depth_without_residual"
    assert np.array_equal(numbers(drawings(at)["admitted"]), meters_of(ill))
    assert np.array_equal(numbers(drawings(at)["now"]), meters_of(ill))
    at.button(key="clinic.give").click().run()
    assert [at.session_state["lesson:scaling"][f"cure_{one}"] for one in CURES] == [
        one in cause.cures for one in CURES
    ]
    assert verdict(at, language) == (named(ill, language), words.NO_SYMPTOM.say(language))
    assert words.RECOVERED.say(language) in told(at)
    drawn = drawings(at)
    assert np.array_equal(numbers(drawn["now"]), meters_of(cured))
    assert np.array_equal(numbers(drawn["admitted"]), meters_of(ill))
    healthy = check_up()
    signs = [[sign.value for sign in signs_of(one.layers)] for one in (ill, cured, healthy)]
    limits = [threshold for _, threshold in THRESHOLDS.values()]
    assert np.array_equal(numbers(drawn["signs"]), np.array([*signs, limits]).T)
    assert is_whole(at, language)


@pytest.mark.parametrize(("symptom", "name"), PATIENTS.items())
@pytest.mark.parametrize("language", LANGUAGES)
def test_s5_each_of_the_three_patients_shows_its_symptom_layer_by_layer(
    open_page, symptom: str, name: str, language: str
) -> None:
    at = open_page("scaling", lang=language, view="clinic", patient=symptom)
    record = check_up(CAUSES[name].setup)
    said = drawings(at)
    for footer, layer in zip(said["now"]["footer"], record.layers, strict=True):
        for one, short in words.SHORT_SYMPTOMS.items():
            assert (short.say(language) in footer) == (one in layer.symptoms)
    assert any(words.SHORT_SYMPTOMS[symptom].say(language) in footer for footer in said["now"]["footer"])
    limit = {"uniform": "0.99", "one_hot": "0.33", "gradient_gone": "0.001"}[symptom]
    begins = words.BEGINS_SAID[symptom].say(language, threshold=limit)
    assert begins in lines_of(said["said"])[1], "the threshold stands beside the verdict"
    assert at.selectbox(key="scaling.cause").value == name
    assert words.SYMPTOMS[symptom].say(language) in verdict(at, language)[0]
    assert is_whole(at, language)


def test_s5_only_causes_that_show_the_patients_symptom_are_offered(open_page) -> None:
    at = open_page("scaling", lang="en", view="clinic")
    for symptom in PATIENTS:
        at.button_group(key="scaling.patient").set_value(symptom).run()
        offered = at.selectbox(key="scaling.cause").options
        assert offered == [words.CAUSES[name].en for name in causes_of(symptom)]
        assert at.selectbox(key="scaling.cause").value == PATIENTS[symptom], "it follows the patient"
        assert not at.exception


@pytest.mark.parametrize("language", LANGUAGES)
def test_s5_a_link_with_a_cause_of_another_patient_takes_the_standard_one(open_page, language: str) -> None:
    at = open_page("scaling", lang=language, **query("no_divisor", patient="uniform"))
    assert at.selectbox(key="scaling.cause").value == "tiny_init"
    assert verdict(at, language)[0] == named(check_up(CAUSES["tiny_init"].setup), language)
    assert is_whole(at, language)


def test_s5_a_cause_chosen_by_the_reader_stays_where_the_next_patient_shares_it(open_page) -> None:
    at = open_page("scaling", lang="en", **query("small_embeddings"))
    at.button_group(key="scaling.patient").set_value("gradient_gone").run()
    assert at.selectbox(key="scaling.cause").value == "small_embeddings"
    at.button_group(key="scaling.patient").set_value("one_hot").run()
    assert at.selectbox(key="scaling.cause").value == "no_divisor"
    chosen, used = (words.CAUSES[name].en for name in ("small_embeddings", "no_divisor"))
    assert words.NOT_THIS_PATIENTS.say("en", given=chosen, used=used) in sentences(at)
    at.button_group(key="scaling.patient").set_value("uniform").run()
    assert at.selectbox(key="scaling.cause").value == "small_embeddings"


# Cures that do not help


def test_s5_a_cure_that_touches_nothing_changes_no_number_and_is_said_to_find_nothing(open_page) -> None:
    at = open_page("scaling", lang="en", **query("no_divisor"))
    before = drawings(at)["now"]["exact"]
    for name in CURES:
        if name in CAUSES["no_divisor"].cures:
            continue
        at.toggle(key=f"scaling.cure_{name}").set_value(True).run()
        said = lines_of(drawings(at)["treated"])
        assert drawings(at)["now"]["exact"] == before
        assert said == [
            words.IDLE.say("en", idle=words.CURES[name].en),
            words.NOT_HELPED.say("en", symptom="weights almost one-hot"),
        ]
        assert verdict(at) == ("weights almost one-hot", "weights almost one-hot")
        at.toggle(key=f"scaling.cure_{name}").set_value(False).run()
    assert "treated" not in drawings(at)
    assert "The divisor now is 1 (8 in health)" in told(at)
    at.toggle(key="scaling.cure_scale").set_value(True).run()
    assert "The divisor now is 8 (8 in health)" in told(at)
    assert lines_of(drawings(at)["treated"])[0] == words.USEFUL.say("en", useful="divide by √d_k")


def test_s5_a_layer_norm_alone_does_not_cure_small_embeddings_and_normal_vectors_do(open_page) -> None:
    setup = CAUSES["small_embeddings"].setup
    half, cured = (check_up(cure(setup, [name])) for name in ("layer_norm", "norms"))
    at = open_page("scaling", lang="en", **query("small_embeddings", cure_layer_norm=1))
    assert verdict(at) == ("weights almost uniform, gradient gone", "weights almost uniform")
    assert np.array_equal(numbers(drawings(at)["now"]), meters_of(half))
    answer = lines_of(drawings(at)["answer"])[0]
    assert answer.startswith("It does not.")
    for number in (
        half.layers[0].x_rms,
        half.layers[1].x_rms,
        half.layers[0].token_spread,
        half.layers[-1].token_spread,
    ):
        assert significant(number) in answer
    at.toggle(key="scaling.cure_layer_norm").set_value(False).run()
    at.toggle(key="scaling.cure_norms").set_value(True).run()
    assert verdict(at)[1] == named(cured) == "no symptom"


@pytest.mark.parametrize(
    ("name", "begin"),
    [
        ("large_embeddings", "It does."),
        ("standing_out", "It does."),
        ("huge_init", "It does not"),
        ("tiny_init", "It does not"),
    ],
)
def test_s5_whether_a_layer_norm_alone_cures_is_a_check_up(open_page, name: str, begin: str) -> None:
    answer = lines_of(drawings(open_page("scaling", lang="en", **query(name)))["answer"])[0]
    assert answer.startswith(begin)
    setup = CAUSES[name].setup
    if setup.has_layer_norm:
        without = check_up(replace(setup, has_layer_norm=False))
        assert f"without it: {named(without)}." in answer
    else:
        assert check_up(cure(setup, ["layer_norm"])).symptoms == ()


def test_s5_every_cure_alone_is_listed_with_its_own_check_up(open_page) -> None:
    at = open_page("scaling", lang="en", **query("large_embeddings", cure_norms=1))
    at.button(key="open.clinic.cures").click().run()
    drawn = drawings(at)["grid.cures"]
    records = [check_up(cure(CAUSES["large_embeddings"].setup, [name])) for name in CURES]
    assert np.array_equal(numbers(drawn), [[sign.value for sign in signs_of(one.layers)] for one in records])
    assert drawn["footer"] == [named(record) for record in records]
    assert drawn["footer"].count("no symptom") == 2, "a layer norm, and vectors of normal length"


def test_s5_all_cures_together_cure_and_one_button_takes_them_away(open_page) -> None:
    given = {f"cure_{name}": 1 for name in CURES}
    at = open_page("scaling", lang="zh", **query("standing_out", patient="gradient_gone", **given))
    assert verdict(at, "zh") == ("权重几乎独占、梯度消失", "没有症状")
    assert np.array_equal(
        numbers(drawings(at)["now"]), meters_of(check_up(cure(CAUSES["standing_out"].setup, list(CURES))))
    )
    at.button(key="clinic.take").click().run()
    assert not any(at.session_state["lesson:scaling"][f"cure_{name}"] for name in CURES)
    assert verdict(at, "zh")[1] == "权重几乎独占、梯度消失"


# The healthy control, depth, draws


@pytest.mark.parametrize("language", LANGUAGES)
def test_s5_without_its_cause_the_patient_is_the_healthy_control(open_page, language: str) -> None:
    at = open_page("scaling", lang=language, **query("huge_init"))
    at.toggle(key="scaling.ill").set_value(False).run()
    drawn = drawings(at)
    assert np.array_equal(numbers(drawn["now"]), meters_of(check_up()))
    assert np.array_equal(numbers(drawn["admitted"]), meters_of(check_up()))
    heading = lines_of(drawn["said"])[0]
    assert heading == words.WELL_VERDICT.say(language, before=words.NO_SYMPTOM.say(language))
    assert words.WHY["huge_init"].say(language, init="10", scaled="1.02") not in told(at)
    assert words.WELL.say(language) in lines_of(drawn["question"])[1]
    assert is_whole(at, language)


def test_s5_too_few_layers_show_no_gone_gradient_and_the_page_says_how_many_do(open_page) -> None:
    deep = CAUSES["depth_without_residual"].setup
    at = open_page("scaling", lang="en", **query("depth_without_residual", layers=2))
    assert verdict(at)[0] == "no symptom"
    worst = min(layer.q_gradient for layer in check_up(replace(deep, n_layers=2)).layers)
    assert f"is {significant(worst)}, the threshold 0.001" in told(at)
    needed = next(n for n in range(2, 9) if "gradient_gone" in check_up(replace(deep, n_layers=n)).symptoms)
    assert f"it shows from {needed} layers on" in told(at)
    at.button(key="clinic.layers").click().run()
    assert at.slider(key="scaling.layers").value == needed
    assert "gradient gone" in verdict(at)[0]
    assert "clinic.layers" not in {button.key for button in at.button}


def test_s5_without_residual_all_tokens_become_one_by_the_sixth_layer(open_page) -> None:
    layers = check_up(CAUSES["depth_without_residual"].setup).layers
    assert layers[5].token_spread < 1e-12
    at = open_page("scaling", lang="en", **query("depth_without_residual"))
    assert f"to {significant(layers[5].token_spread)} in layer 6" in told(at)
    assert words.ONE_TOKEN.en in told(at)
    shallow = open_page("scaling", lang="en", **query("depth_without_residual", layers=3))
    assert words.ONE_TOKEN.en not in told(shallow)


@pytest.mark.parametrize("layers", [1, 8])
@pytest.mark.parametrize("language", LANGUAGES)
def test_s5_the_shallowest_and_the_deepest_stack_have_all_their_layers(
    open_page, layers: int, language: str
) -> None:
    at = open_page("scaling", lang=language, **query("large_embeddings", layers=layers, seed=9999))
    record = check_up(replace(CAUSES["large_embeddings"].setup, n_layers=layers), seed=9999)
    assert np.array_equal(numbers(drawings(at)["now"]), meters_of(record))
    assert len(at.get("vega_lite_chart")) == 1
    assert verdict(at, language)[0] == named(record, language)
    assert is_whole(at, language)


def test_s5_another_seed_is_another_patient_and_the_slider_reaches_its_ends(open_page) -> None:
    at = open_page("scaling", lang="en", **query("too_cold"))
    at.number_input(key="scaling.seed").set_value(7).run()
    at.slider(key="scaling.layers").set_value(1).run()
    record = check_up(replace(CAUSES["too_cold"].setup, n_layers=1), seed=7)
    assert np.array_equal(numbers(drawings(at)["now"]), meters_of(record))
    assert "random (seed 7)" in told(at)
    at.slider(key="scaling.layers").set_value(8).run()
    assert len(numbers(drawings(at)["now"])) == 8


# What is looked at first, the chart, the tables, links


@pytest.mark.parametrize("name", ["no_divisor", "divisor_d_k", "too_cold", "small_keys", "standing_out"])
def test_s5_the_divisor_and_the_norms_of_the_vectors_are_said_first(open_page, name: str) -> None:
    look = lines_of(drawings(open_page("scaling", lang="en", **query(name)))["look"])[0]
    record, healthy = check_up(CAUSES[name].setup), check_up()
    assert f"The divisor now is {record.divisor:g} (8 in health)" in look
    for layer in (record.layers[0], healthy.layers[0]):
        for number in (layer.q_norm, layer.k_norm, layer.largest_k_norm, layer.scaled_std):
            assert significant(number) in look


def test_s5_the_chart_draws_the_cores_numbers_of_all_three_stacks(open_page) -> None:
    at = open_page("scaling", lang="en", **query("large_keys", cure_norms=1))
    (chart,) = at.get("vega_lite_chart")
    frame = pa.ipc.open_stream(chart.proto.data.data).read_pandas()
    setup = CAUSES["large_keys"].setup
    for kind, record in zip(
        words.KINDS.values(), (check_up(setup), check_up(cure(setup, ["norms"])), check_up()), strict=True
    ):
        drawn = frame[frame["kind"] == kind.en]
        assert drawn["layer"].tolist() == [1, 2, 3, 4, 5, 6]
        assert drawn["value"].tolist() == [layer.one_hot_rows for layer in record.layers]
        ends = (record.layers[0].one_hot_rows, record.layers[-1].one_hot_rows)
        assert f"{significant(ends[0])} to {significant(ends[1])}" in chart.proto.alt
    assert frame["threshold"].dropna().tolist() == [1 / 3]


def test_s5_other_meters_can_be_drawn_and_zeros_off_its_axis_are_said(open_page) -> None:
    at = open_page("scaling", lang="en", **query("standing_out", patient="gradient_gone"))
    assert at.selectbox(key="scaling.sign").value == "q_gradient"
    for meter in ("q_norm", "x_gradient", "token_spread", "jacobian_norm", "entropy_share"):
        at.selectbox(key="scaling.sign").set_value(meter).run()
        assert not at.exception
        assert lines_of(drawings(at)["meter"])[1].startswith(words.METERS[meter].en)
        has_zero = any(getattr(layer, meter) == 0 for layer in check_up(CAUSES["standing_out"].setup).layers)
        is_even = meter in {"largest_weight", "entropy_share", "one_hot_rows", "jacobian_norm"}
        assert (words.NO_PLACE_FOR_ZERO.en in told(at)) == (has_zero and not is_even)
    at.selectbox(key="scaling.sign").set_value("q_gradient").run()
    assert words.NO_PLACE_FOR_ZERO.en in told(at)


@pytest.mark.parametrize("language", LANGUAGES)
def test_s5_the_table_of_all_meters_holds_the_three_stacks(open_page, language: str) -> None:
    at = open_page("scaling", lang=language, **query("too_hot", layers=2, cure_temperature=1))
    at.button(key="open.table.clinic").click().run()
    frame = at.dataframe[0].value
    setup = replace(CAUSES["too_hot"].setup, n_layers=2)
    records = (check_up(setup), check_up(replace(setup, temperature=1.0)), check_up(Setup(n_layers=2)))
    assert np.array_equal(frame.iloc[:, 2:].to_numpy(), np.vstack([meters_of(one) for one in records]))
    assert frame.iloc[:, 0].tolist() == [kind.say(language) for kind in words.KINDS.values() for _ in "12"]
    assert is_whole(at, language)


@pytest.mark.parametrize(
    "bad",
    [
        {"patient": "flu", "cause": "<b>x</b>", "ill": "maybe", "sign": "$x$"},
        {"layers": "99", "seed": "-1", "cure_xavier": "2"},
        {"layers": "0", "cause": "", "patient": ""},
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_s5_bad_links_are_named_and_a_legal_patient_is_shown(open_page, bad: dict, language: str) -> None:
    at = open_page("scaling", lang=language, view="clinic", **bad)
    assert at.warning
    assert is_whole(at, language)
    assert verdict(at, language)[0]


def test_s5_the_page_in_each_language_says_all_in_it(open_page) -> None:
    chinese = re.compile(r"[\u3400-\u9fff]")
    at = open_page("scaling", lang="en", **query("small_embeddings", cure_norms=1))
    said = [*sentences(at), *(label for label in labels(at)), told(at)]
    assert not [text for text in said if chinese.search(text)]
    at = open_page("scaling", lang="zh", **query("small_embeddings", cure_norms=1))
    assert all(chinese.search(line) for line in told(at).splitlines())


def test_a_check_up_is_computed_once_for_all_visitors() -> None:
    setup = Setup(n_layers=2)
    assert checked_up(setup, 3, "cpu") is checked_up(Setup(n_layers=2), 3, "cpu")
    assert checked_up(setup, 3, "cpu") == check_up(setup, seed=3)
