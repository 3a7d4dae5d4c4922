"""Claims V1 to V5 as they stand on the page: attentions side by side, differences, one cell, the table, the refusals."""

import re

import numpy as np
import pytest
import torch

from attention_core.experiments.head_facts import attend_sentence
from attention_core.experiments.timed_variants import TimedVariant, VariantPlan, measure_variants
from attention_core.tokens import tokenize
from attention_core.variant_runs import (
    KINDS,
    NAMES,
    Choices,
    Inputs,
    count_flops,
    relative_error,
    run_variant,
)
from dashboard.grid.bench import show_bench
from dashboard.number_format import significant
from dashboard.panels.long_run import Found, Task
from dashboard.panels.variants import compare as view
from dashboard.panels.variants.compare_model import SETTINGS
from dashboard.panels.variants.compare_settings import asked_fields
from dashboard.text import LANGUAGES
from dashboard.text import variant_compare as words
from dashboard.text import variant_times as time_words
from dashboard.text import variants as lesson_words
from tests.dashboard.light_worker import MACHINE
from tests.pages.reading import dangers, drawings, hidden, labels, numbers, sentences, told, wrong_language

LONG = " ".join(f"w{place}" for place in range(64))
IN_FIELD = {"h_kv": "n_kv_heads"}


@pytest.fixture
def opened(look_at):
    def open_it(language="en", *, is_touched=False, **query):
        at = look_at("variants", is_touched=is_touched, lang=language, **query)
        return checked(at, language)

    return open_it


def checked(at, language):
    assert not at.exception
    assert not list(dangers(at))
    assert not wrong_language(at, language)
    return at


@pytest.fixture
def shown(monkeypatch) -> dict:
    """The parts of the page as Python holds them, so that a test can do what a browser would."""
    parts: dict = {}

    def show(key: str, described: dict) -> None:
        parts.update(described)
        show_bench(key, described)

    monkeypatch.setattr(view, "show_bench", show)
    return parts


def inputs_of(at) -> Inputs:
    state = at.session_state["lesson:variants"]
    sizes = {name: state[name] for name in ("seed", "d_model", "positions", "is_causal")}
    found = attend_sentence(tokenize(state["text"]), n_heads=state["h"], **sizes)
    return Inputs(*(found.x @ w for w in (found.w_q, found.w_k, found.w_v)), state["is_causal"])


def run_of(at, name, **changed):
    return run_variant(name, inputs_of(at), Choices(**changed))


def said(at, part):
    return "\n".join(
        "".join(piece["text"] for piece in line["pieces"]) for line in drawings(at)[part]["lines"]
    )


def test_the_first_sight_shows_full_window_and_linear_as_the_core_gives_them(opened):
    at = opened()
    drawn = drawings(at)
    window, full, linear = (run_of(at, name) for name in ("window", "full", "linear"))
    assert np.array_equal(numbers(drawn["weights.a"]), full.shares[0].numpy())
    assert np.array_equal(numbers(drawn["weights.b"]), window.shares[0].numpy())
    assert np.array_equal(hidden(drawn["weights.b"]), ~window.seen.numpy())
    assert "weights, in pieces" in drawn["weights.b"]["title"]
    assert "weights.c" not in drawn
    assert "no N × N weights" in drawn["phi_q.c"]["title"]
    assert {"phi_k.c", "state.c", "key_sum.c"} <= drawn.keys()
    change = window.out[0] - full.out[0]
    assert np.array_equal(numbers(drawn["change.b"]), change.numpy())
    assert significant(float(change.abs().max())) in drawn["change.b"]["title"]
    assert np.array_equal(numbers(drawn["change.c"]), (linear.out - full.out)[0].numpy())
    error = significant(relative_error(window.out, full.out))
    assert f"relative error against that is {error}" in said(at, "said")


@pytest.mark.parametrize("language", LANGUAGES)
def test_V1_V2_V3_V4_V5_the_table_has_every_attention_with_the_cores_numbers(opened, language):
    at = opened(language)
    table, inputs = drawings(at)["variants"], inputs_of(at)
    assert table["row_names"] == [lesson_words.NAMES[name].say(language) for name in NAMES]
    full = run_variant("full", inputs, Choices()).out
    wide = table["sides"][1]
    for place, name in enumerate(NAMES):
        row = table["texts"][place * wide : (place + 1) * wide]
        run = run_variant(name, inputs, Choices())
        assert row[1] == words.KINDS[KINDS[name]].say(language)
        assert row[3] == str(run.n_seen)
        assert row[5] == f"{count_flops(name, inputs, Choices()):,}"
        assert row[6] == significant(relative_error(run.out, full))
    assert table["picked"] == NAMES.index("window") * wide


def test_a_picked_row_of_the_table_becomes_b_and_stands_in_the_link(opened, shown):
    at = opened(is_touched=True)
    shown["variants"][1].hear("pick", {"row": NAMES.index("rotary"), "column": 2})
    at.run()
    assert "b=rotary" in drawings(at)["address"]["query"].split("&")
    assert np.array_equal(numbers(drawings(at)["weights.b"]), run_of(at, "rotary").shares[0].numpy())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_picked_weight_and_a_picked_output_open_in_every_attention(opened, shown, language):
    at = opened(language, is_touched=True, text="the dog saw a big cat")
    shown["weights.a"][1].hear("pick", {"row": 4, "column": 2})
    at.run()
    full, window = run_of(at, "full"), run_of(at, "window")
    assert "5 big" in said(at, "cell")
    assert "3 saw" in said(at, "cell")
    assert said(at, "cell.a").split("\n")[1].endswith(significant(float(full.shares[0, 4, 2])))
    assert said(at, "cell.b").split("\n")[1] == words.OUTSIDE.say(language)
    shown["change.b"][1].hear("pick", {"row": 4, "column": 1})
    at.run()
    assert {"cell=5.2", "cell_in=out"} <= set(drawings(at)["address"]["query"].split("&"))
    own, first = (float(run.out[0, 4, 1]) for run in (window, full))
    assert significant(own - first) in said(at, "cell.end")
    shares = [piece["text"] for piece in drawings(at)["cell.b"]["lines"][1]["pieces"] if "cell" in piece]
    assert shares == [significant(float(share)) for share in window.shares[0, 4] if share]
    shown["cell.b"][1].hear("pick", [1, 5])
    at.run()
    assert at.session_state["lesson:variants"]["cell_in"] == "weights"
    assert at.session_state["lesson:variants"]["cell"][0] == 4
    checked(at, language)


def test_V1_additive_says_its_widths_and_what_it_costs(opened):
    at = opened(c="additive", d_q="3")
    inputs = inputs_of(at)
    ratio = count_flops("additive", inputs, Choices(d_q=3)) / count_flops("full", inputs, Choices())
    text = said(at, "said")
    assert "given 3 of q's numbers, keys have 4" in text
    assert f"as {significant(ratio)} to 1" in text
    assert "tanh(q W₁ + k W₂) · w" in said(at, "cell.c")


def test_V4_exact_is_said_with_its_distance_and_a_wide_window_is_full_attention(opened):
    narrow, wide = opened(b="block", c="none"), opened(b="window", c="none", width="64")
    assert "exact for its mask" in said(narrow, "said")
    assert "(largest difference 0)" in said(narrow, "said")
    assert "of the 36 pairs that full attention sees it sees 18" in said(narrow, "said")
    assert "every pair that full attention sees, 36 in all" in said(wide, "said")


def test_keys_are_counted_only_where_some_are_hidden(opened):
    free, causal = said(opened(), "said"), said(opened(is_causal="1"), "said")
    assert free.count(words.SEES_KEYS.say("en", query=" 2 dog ", n=6, seen=3).split("sees")[1]) == 1
    assert "of the 6 keys" not in "".join(line for line in free.split("\n") if line.startswith(("A", "C")))
    assert causal.count("sees 2 of the 6 keys") == 3


def test_what_differs_and_what_is_said_come_before_what_they_are_made_of(opened):
    names = [*drawings(opened(b="low_rank"))]
    order = ["weights.a", "weights.b", "phi_q.c", "change.b", "change.c", "cell", "said", "out.a", "mixing.b"]
    assert sorted(order, key=names.index) == order
    assert min(map(names.index, ("mixing.b", "phi_k.c", "state.c", "given.q"))) > names.index("out.c")


def test_V5_the_forms_of_linear_attention_are_compared_on_the_page(opened):
    for feature in ("elu", "relu"):
        text = said(opened(feature=feature), "said")
        found = re.search(r"at most (\S+) from pair by pair, at most (\S+) from token by token", text)
        assert all(number == "0" or "e−" in number for number in found.groups())


def test_settings_that_make_one_attention_another_are_said_as_that(opened):
    plain = words.DILATED_ONE.say("en", width=2)
    assert plain in said(opened(b="dilated", c="none", dilation="1"), "said")
    assert words.NO_GLOBAL.say("en", width=2) in said(
        opened(b="global_window", c="none", n_global="0"), "said"
    )
    assert words.LOW_RANK_FULL.say("en", n=6) in said(opened(b="low_rank", c="none", rank="6"), "said")
    assert words.SEES["block"].en not in said(opened(b="block", c="none", block="6"), "said")
    assert words.FULL_CAUSAL.en in said(opened(is_causal="1"), "said")


def test_a_sink_has_a_column_of_its_own_and_low_rank_its_short_keys(opened):
    at = opened(b="sink", c="low_rank", rank="2", sink="1.5")
    drawn, run = drawings(at), run_of(at, "sink", sink=1.5)
    with_sink = torch.cat([run.shares[0], run.trace.sink_weights[0][:, None]], dim=-1)
    assert np.array_equal(numbers(drawn["weights.b"]), with_sink.numpy())
    assert drawn["weights.b"]["column_names"][-1] == words.SINK_COLUMN.en
    assert np.allclose(numbers(drawn["weights.b"]).sum(axis=1), 1)
    assert drawn["weights.c"]["sides"] == [6, 2]
    assert "N × r" in drawn["weights.c"]["title"]
    assert drawn["mixing.c"]["sides"] == [2, 6]


def test_picks_of_a_sink_and_of_a_short_key_stay_within_the_sentence(opened, shown):
    at = opened(is_touched=True, b="sink", c="low_rank", rank="2")
    shown["weights.b"][1].hear("pick", {"row": 0, "column": 6})
    assert at.run().session_state["lesson:variants"]["cell"] == (0, 5)
    shown["weights.c"][1].hear("pick", {"row": 3, "column": 1})
    assert at.run().session_state["lesson:variants"]["cell"] == (3, 3)
    checked(at, "en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_cannot_run_names_the_rule_and_is_put_right_by_a_button(opened, language):
    at = opened(language, is_touched=True, d_model="9", b="rotary", c="low_rank", is_causal="1")
    assert [one.value for one in at.error] == [
        words.REFUSED["even_width"].say(language, slot="B", first=3),
        words.REFUSED["no_causal_form"].say(language, slot="C"),
    ]
    row = drawings(at)["variants"]
    assert row["texts"][NAMES.index("rotary") * row["sides"][1] + 6] == "–"
    at.button(key="take.B.d_model.6").click().run()
    at.button(key="take.C.is_causal.False").click().run()
    checked(at, language)
    assert not at.error
    state = at.session_state["lesson:variants"]
    assert (state["d_model"], state["is_causal"]) == (6, False)
    assert {"weights.b", "weights.c"} <= drawings(at).keys()


def test_kv_heads_that_do_not_divide_are_refused_and_the_nearest_offered(opened):
    at = opened(is_touched=True, d_model="12", h="6", h_kv="4", b="grouped")
    assert words.REFUSED["kv_heads_divide"].say("en", slot="B", first=6, second=4) in at.error[0].value
    assert {"take.B.h_kv.3", "take.B.h_kv.6"} <= {button.key for button in at.button}
    at.button(key="take.B.h_kv.6").click().run()
    assert words.GROUPED_FULL.say("en", h=6) in said(at, "said")


def test_only_settings_of_the_chosen_attentions_that_change_something_are_asked_for(opened):
    asked = set(labels(opened(b="alibi", c="cosine")))
    assert {words.SLOPES.en, words.TEMPERATURE.en} <= asked
    assert words.WIDTH.en not in asked
    assert words.SLOPES.en not in labels(opened(b="alibi", h="4")), "both lists of slopes agree there"
    assert words.PAIRING.en not in labels(opened(b="rotary", d_model="6")), (
        "one pair has nothing to be paired with"
    )
    assert words.HEAD.en not in labels(opened(h="1"))
    assert {field for fields in SETTINGS.values() for field in fields} > set(
        asked_fields({"a": "full", "b": "window", "c": "none", "d_model": 12, "h": 3})
    )


@pytest.mark.parametrize(
    ("variant", "changed"),
    [
        ("window", {"width": 3}),
        ("dilated", {"dilation": 3}),
        ("block", {"block": 2}),
        ("strided", {"stride": 3}),
        ("global_window", {"n_global": 2}),
        ("linear", {"feature": "relu"}),
        ("low_rank", {"mixture": "drawn"}),
        ("grouped", {"h_kv": 3}),
        ("sink", {"sink": -2.0}),
        ("cosine", {"temperature": 0.2}),
        ("alibi", {"slopes": "sentence"}),
        ("rotary", {"pairing": "interleaved"}),
        ("rotary", {"base": 100.0}),
        ("additive", {"d_a": 3}),
        ("multiplicative", {"d_q": 2}),
    ],
)
def test_every_setting_changes_the_outputs_as_it_does_in_the_core(variant, changed):
    class Given(dict):
        """What the model reads of a state."""

        language = "en"

    from dashboard.panels.variants.compare_model import choices_of, ran
    from dashboard.panels.variants.compare_model import inputs_of as inputs_on_page
    from dashboard.panels.variants.fields import variant_fields

    first = {name: field.default for name, field in variant_fields("en").items()}
    state, other = Given(first), Given(first | changed)
    outs = [ran(variant, inputs_on_page(one), choices_of(one)).out for one in (state, other)]
    assert not torch.equal(*outs)
    named = {IN_FIELD.get(name, name): value for name, value in changed.items()}
    expected = run_variant(variant, inputs_on_page(state), Choices(**named)).out
    torch.testing.assert_close(outs[1], expected, rtol=0, atol=0)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "query",
    [
        {"text": "a", "b": "strided", "c": "linear", "is_causal": "1"},
        {"text": "a", "b": "low_rank", "c": "grouped", "h": "1", "d_model": "1", "mixture": "drawn"},
        {"text": "the the the the", "positions": "none", "b": "additive", "c": "alibi"},
        {"text": LONG, "h": "16", "d_model": "64", "b": "global_window", "c": "additive", "cell": "64.64"},
        {"text": "<b>x</b> $5 *a* 😀 `q`", "a": "sink", "b": "linear", "feature": "relu", "cell_in": "out"},
        {"a": "full", "b": "full", "c": "full"},
        {"a": "rotary", "d_model": "3", "b": "window"},
    ],
)
def test_extremes_are_shown_and_said(opened, language, query):
    at = opened(language, **query)
    drawn = drawings(at)
    assert drawn["variants"]["sides"][0] == len(NAMES)
    assert not [text for text in told(at) if "nan" in text.lower() or "%(" in text]
    assert not re.search(r"\b1 (?:keys|pairs|tokens)\b", "\n".join(told(at)))


def test_hostile_links_are_said_and_become_legal(opened):
    at = opened(a="<img>", width="NaN", sink="1e999", rank="999", cell="999.999", base="$", cell_in="")
    assert len(at.warning) == 7
    state = at.session_state["lesson:variants"]
    assert (state["a"], state["width"], state["sink"], state["rank"]) == ("full", 2, 20.0, 6)
    assert words.CELL_MOVED.say("en", row=64, column=64) in told(at)


def test_h_that_does_not_divide_and_no_text_are_said(opened):
    assert opened(h="5").error
    assert "variants" not in drawings(opened(text=""))


def test_V3_the_answer_runs_every_width(opened):
    at = opened(is_touched=True)
    assert not drawings(at)["answer"]["lines"]
    at.session_state["is_open:answer:compare"] = True
    at.run()
    text = said(at, "answer")
    full = run_of(at, "full").out
    for width in range(1, 7):
        error = relative_error(run_of(at, "window", width=width).out, full)
        assert words.WIDTH_ERROR.say("en", width=width, error=significant(error)) in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_V1_times_are_shown_beside_flops_and_no_faster_is_said_plainly(opened, language):
    at = opened(language, is_touched=True, b="window", c="additive")
    at.button(key="variants.times").click().run()
    plan, choices = VariantPlan(names=("window", "additive", "sink"), n=1024), Choices()
    fast = TimedVariant("window", 0.04, 0.01, 4.0, 3.0, 5.0, 800, 100, 0.9)
    slow = TimedVariant("additive", 0.04, 0.4, 0.1, 0.05, 0.2, 800, 1600, 1.0)
    same = TimedVariant("sink", 0.04, 0.04, 1.0, 0.9, 1.1, 800, 800, 0.2)
    task = Task(measure_variants, (plan, choices), TimedVariant, 3)
    at.session_state["long_run:variants"] = Found(
        task, "done", (fast, slow, same), seconds=1.0, when="2026-12-01 06:00 UTC", machine=MACHINE
    )
    checked(at.run(), language)
    lines = told(at)
    for text, one in ((time_words.FASTER, fast), (time_words.SLOWER, slow), (time_words.UNCLEAR, same)):
        fields = {
            "name": lesson_words.NAMES[one.name].say(language),
            "ratio": significant(one.ratio),
            "low": significant(one.lowest_ratio),
            "high": significant(one.highest_ratio),
            "flops": significant(one.full_flops / one.own_flops),
        }
        assert text.say(language, **{name: fields[name] for name in text.fields(language)}) in lines
    assert drawings(at)["times"]["texts"][:3] == ["40.0", "10.0", "4.00"]
    assert any(time_words.MOVED.say(language) in text for text in sentences(at))


def test_a_measurement_that_holds_too_much_is_refused_and_the_longest_that_fits_is_taken(opened):
    at = opened(is_touched=True, b="additive", c="none", d_a="16", time_n="4096")
    at.button(key="variants.times").click().run()
    (error,) = [one.value for one in at.error]
    assert "1.00 GiB" in error
    assert "variants.start" not in [button.key for button in at.button]
    at.button(key="variants.take.n").click().run()
    assert not at.error
    assert at.button(key="variants.start")
    assert int(at.session_state["lesson:variants"]["time_n"]) < 4096


def test_with_full_attention_alone_there_is_nothing_to_time(opened):
    at = opened(is_touched=True, b="full", c="none")
    at.button(key="variants.times").click().run()
    assert [one.value for one in at.info] == [time_words.NOTHING.en]
