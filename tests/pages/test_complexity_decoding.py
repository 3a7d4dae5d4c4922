"""Claim C5 as it stands on the page: writing token by token, by formula and measured, with a cache and without."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from attention_core.cost import Setting, count
from attention_core.decode_cost import (
    CACHE_KINDS,
    Writing,
    cache_bytes,
    list_places,
    list_slots,
    look_at_step,
)
from attention_core.experiments.decoding import (
    MAX_N,
    DecodingPlan,
    Stretch,
    collect,
    list_octaves,
    write_in_stretches,
)
from dashboard.number_format import significant
from dashboard.panels.complexity.decoding import RAN, steps_part
from dashboard.panels.complexity.decoding_run import task_of
from dashboard.panels.complexity.decoding_said import slots_part
from dashboard.panels.long_run import Found
from dashboard.text import LANGUAGES
from dashboard.text import complexity_decoding as words
from tests.dashboard.light_worker import MACHINE
from tests.pages.reading import (
    CHINESE,
    chart_of,
    dangers,
    drawings,
    hidden,
    labels,
    sentences,
    told,
    wrong_language,
)

SMALL = {"decode_n": "40", "d_model": "64", "h": "4", "h_kv": "2"}
AT_SMALL = Setting(n=40, d_model=64, n_heads=4, n_kv_heads=2)
# What is really written here is tiny: many small calls of torch are slow where others use the machine too.
TINY = {"decode_n": "20", "d_model": "16", "h": "4", "h_kv": "2", "dtype": "float64"}
PLAN = DecodingPlan(n=20, d_model=16, n_heads=4, n_kv_heads=2, dtype="float64")
LLAMA = {"decode_n": "8192", "d_model": "4096", "h": "32", "h_kv": "8", "dtype": "float16"}


@pytest.fixture
def opened(look_at):
    def open_it(language="en", *, is_touched=False, **query):
        at = look_at("complexity", is_touched=is_touched, lang=language, view="decoding", **query)
        assert not list(dangers(at))
        assert not wrong_language(at, language)
        return at

    return open_it


@pytest.fixture(scope="module")
def runs() -> dict[tuple, tuple[Stretch, ...]]:
    """Texts that were really written, by the plan and how many stretches of it."""
    return {}


@pytest.fixture
def measured(opened, runs):
    """A function that opens the page of a visitor who has measured a text, all of it or so many stretches."""

    def open_it(plan: DecodingPlan, parts: int | None = None, language="en", **query) -> AppTest:
        if (plan, parts) not in runs:
            runs[plan, parts] = tuple(write_in_stretches(plan))[:parts]
        found = Found(
            task_of(plan),
            "done" if parts is None else "stopped",
            runs[plan, parts],
            when="2026-11-30 12:00 UTC",
            machine=MACHINE,
        )
        at = opened(language, is_touched=True, **query)
        at.session_state["long_run:decoding"] = found
        at.run()
        assert not at.exception
        assert not list(dangers(at))
        return at

    return open_it


def said(at) -> str:
    return "\n".join(told(at))


def rows(at, name: str, what="texts") -> list[list[str]]:
    shown = drawings(at)[name]
    wide = shown["sides"][1]
    return [shown[what][start : start + wide] for start in range(0, len(shown[what]), wide)]


def every_writing() -> Iterator[tuple[dict[str, str], Writing]]:
    for cache in CACHE_KINDS:
        for width in (None, 7, 300):
            if width or cache != "rolling":
                query = {"cache": cache} | ({"windowed": "1", "width": str(width)} if width else {})
                yield query, Writing(AT_SMALL, width, cache)


@pytest.mark.parametrize(("query", "writing"), list(every_writing()))
def test_C5_every_cell_is_the_cores_and_the_lines_go_through_them(opened, query, writing: Writing) -> None:
    at = opened(**SMALL, **query)
    found = rows(at, "steps", "exact")
    assert len(found) == len(list_places(40))
    frame, alt = chart_of(at, "cost")
    for place, (asked, cached, again, ratio) in zip(list_places(40), found, strict=True):
        keys = min(place, writing.width) if writing.cache == "rolling" else place
        flops = [
            count(name, "flops", replace(AT_SMALL, n=n)) for name, n in (("cached", keys), ("full", place))
        ]
        assert [int(asked), int(cached), int(again)] == [keys, *flops]
        assert float(ratio) == pytest.approx(flops[1] / flops[0])
        here = frame[(frame["size"] == place) & frame["mark"].isna()]
        assert dict(zip(here["variant"], here["cost"], strict=True)) == {
            words.WITH.en: flops[0],
            words.WITHOUT.en: flops[1],
        }
    assert significant(int(found[-1][2])) in alt
    assert f"has {cache_bytes(writing):,} bytes" in said(at)


def test_C5_figures_worked_by_hand(opened) -> None:
    # d_model 2, one head, 4 tokens: projections 4·2·2·2 = 32 FLOPs a row, products 4·2 = 8 a pair.
    text = said(opened(decode_n="4", d_model="2", h="1"))
    assert "All 4 tokens: 208 FLOPs with the cache, 368" not in text
    assert "All 4 tokens: 208 FLOPs with the cache, 560 without, 2.69 times as many." in text
    assert "2·layers·B·h_kv·d_k·N·e = 2 · 1 · 1 · 1 · 2 · 4 · 4 = 64 bytes" in text
    # 8 key/value heads of 128 in 2 bytes: 4096 bytes a token and layer, 32 MiB for 8192.
    text = said(opened(**LLAMA))
    assert "2 · 1 · 1 · 8 · 128 · 8,192 · 2 = 33,554,432 bytes" in text
    assert "(32.0 MiB)" in text
    assert "4.00 times as large, 134,217,728 bytes" in text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("query", "writing"), list(every_writing()))
def test_C5_the_opened_step_says_what_it_reads_and_writes(opened, language, query, writing: Writing) -> None:
    for token in (1, 25):
        text = said(opened(language, **SMALL, **query, token=token))
        step = look_at_step(writing, token)
        new, kv = "(2, 1, 16)", {"growing": token}.get(writing.cache, writing.n_slots)
        kind = "over" if step.pushed_out else writing.cache
        fields = {"new": new, "after": f"(2, {kv}, 16)", "before": f"(2, {token - 1}, 16)"}
        fields |= {"slot": step.slot + 1, "slots": writing.n_slots, "pushed": step.pushed_out}
        wrote = words.WROTE[kind]
        assert wrote.say(language, **{name: fields[name] for name in wrote.fields(language)}) in text
        if token == 1:
            assert words.SEES_ONE.say(language) in text
            continue
        seen = {"asked": step.n_asked, "first": step.first_seen, "t": 25}
        if step.n_seen == step.n_asked:
            assert words.SEES_ALL.say(language, **seen) in text
        else:
            assert words.SEES_SOME.say(language, **seen, hidden=18, seen=7) in text
        assert f"(4, 1, {step.n_asked})" in text
        assert "(4, 25, 25)" in text


def test_C5_slots_are_drawn_with_what_the_window_hides(opened) -> None:
    for query, writing in every_writing():
        shown = drawings(opened(**SMALL, **query, token="25"))["slots"]
        slots = list_slots(writing, 25)
        assert shown["texts"] == ["–" if held is None else str(held) for held in slots]
        first = look_at_step(writing, 25).first_seen
        assert hidden(shown)[0].tolist() == [held is None or held < first for held in slots]
    assert "slots" not in drawings(opened())
    # A list of so many would fill the memory.
    for cache, token in (("reserved", 1), ("growing", 2**50)):
        assert not slots_part(Writing(replace(AT_SMALL, n=2**50), cache=cache), token, "en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_C5_what_a_rolling_cache_saves_and_needs(opened, language: str) -> None:
    window = {"windowed": "1", "width": "8"}
    # 2·2·16·4 = 256 bytes a token: 10,240 for 40 tokens, 2,048 for 8.
    saved = words.ROLLING_SAVES.say(language, w=8, saved="8,192", whole="10,240", times="5.00")
    assert saved in said(opened(language, **SMALL, **window, cache="rolling"))
    would = words.ROLLING_WOULD_SAVE.say(language, w=8, kept="2,048", saved="8,192")
    assert would in said(opened(language, **SMALL, **window))
    nothing = words.ROLLING_SAVES_NOTHING.say(language, w=40, n=40)
    assert nothing in said(opened(language, **SMALL, windowed="1", width="40", cache="rolling"))
    assert words.ROLLING_NEEDS.say(language) in said(opened(language, **SMALL))


@pytest.mark.parametrize("language", LANGUAGES)
def test_C5_the_question_is_answered_by_the_core(opened, language: str) -> None:
    text = said(opened(language, **SMALL))
    cache = words.ANSWER_CACHE.say(language, before="10,240", after="20,480", times="2.00")
    assert cache in text
    for has_cache, name in ((True, "cached"), (False, "full")):
        before, after = (count(name, "flops", replace(AT_SMALL, n=n)) for n in (40, 80))
        fields = {"before": f"{before:,}", "after": f"{after:,}", "times": significant(after / before)}
        assert words.ANSWER_STEP.say(language, way=words.WAYS[has_cache].say(language), **fields) in text
    same = words.ANSWER_SAME.say(language, before="2,048", w=8)
    assert same in said(opened(language, **SMALL, windowed="1", width="8", cache="rolling"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_C5_illegal_sizes_are_named_and_the_nearest_legal_are_buttons(opened, language: str) -> None:
    at = opened(language, decode_n="abc", h="7", h_kv="2", is_touched=True)
    assert len(at.error) == 3
    assert "steps" not in drawings(at)
    assert not [button for button in at.button if button.key == "decoding.start"]
    at = opened(language, **(SMALL | {"h": "5"}), is_touched=True)
    assert at.text_input(key="complexity.h").value == "5"
    take = next(button for button in at.button if button.key and button.key.endswith("n_heads.4"))
    take.click().run()
    assert not at.error
    assert "steps" in drawings(at)


@pytest.mark.parametrize("language", LANGUAGES)
def test_C5_a_rolling_cache_without_a_window_is_refused_with_two_ways_out(opened, language: str) -> None:
    for name in ("window", "reserved"):
        at = opened(language, **SMALL, cache="rolling", is_touched=True)
        assert [error.value for error in at.error] == [words.NO_WINDOW.say(language)]
        assert "steps" not in drawings(at)
        at.button(key=f"decoding.take.{name}").click().run()
        assert not at.error
        assert "steps" in drawings(at)
        assert at.toggle(key="complexity.windowed").value == (name == "window")
        assert at.selectbox(key="complexity.cache").value == ("rolling" if name == "window" else "reserved")


@pytest.mark.parametrize("language", LANGUAGES)
def test_C5_what_is_too_much_to_run_is_named_and_the_formulas_stand(opened, language: str) -> None:
    cases = {
        "n": ({"decode_n": "5000", "d_model": "64", "h": "4"}, "5,000", "1,024", "1024"),
        "d_model": ({"d_model": "2000", "h": "8"}, "2,000", "1,024", "1024"),
        "flops": ({"decode_n": "600", "d_model": "1024"}, "1,808,115,712,000", "500,000,000,000", None),
        "half": ({"dtype": "float16"}, "float16", "20,000,000,000", None),
        "scores": ({"decode_n": "1000", "d_model": "64", "h": "8"}, "2,670,668,000", "1,500,000,000", None),
    }
    for rule, (query, value, most, nearest) in cases.items():
        at = opened(language, **query, is_touched=True)
        (error,) = at.error
        assert value in error.value, rule
        assert most in error.value
        assert "steps" in drawings(at)
        assert "decoding.start" not in [button.key for button in at.button]
        button = at.button(key="decoding.take.nearest")
        assert nearest is None or button.label.endswith(nearest)
        button.click().run()
        assert not at.error
        assert at.button(key="decoding.start")


@pytest.mark.parametrize("language", LANGUAGES)
def test_C5_times_totals_and_bytes_are_those_that_were_measured(measured, language: str) -> None:
    at = measured(PLAN, language=language, **TINY)
    found = collect(tuple(at.session_state["long_run:decoding"].records))
    octaves = list_octaves(found)
    frame, alt = chart_of(at, "median_us")
    with_cache = frame[frame["way"] == words.WITH.say(language)]
    assert with_cache["median_us"].tolist() == [1e6 * one.cached.median_s for one in octaves]
    assert with_cache["highest_us"].tolist() == [1e6 * one.cached.highest_s for one in octaves]
    for row, octave in zip(rows(at, "times"), octaves, strict=True):
        assert row[0] == significant(1e6 * octave.cached.median_s)
        assert row[2] == significant(1e6 * octave.recomputed.median_s)
        assert row[4] == significant(octave.recomputed.median_s / octave.cached.median_s)
    assert rows(at, "times")[-1][2] in alt
    text = said(at)
    totals = {"cached": significant(sum(found.cached_s)), "again": significant(sum(found.recomputed_s))}
    again, cached = (
        sum(count(name, "flops", replace(PLAN.writing.setting, n=n)) for n in range(1, 21))
        for name in ("full", "cached")
    )
    times = {"times": significant(found.speedup), "flops": significant(again / cached)}
    assert words.TOOK.say(language, n=20, **totals, **times) in text
    bytes_fields = {"found": "2,560", "formula": "2·layers·B·h_kv·d_k·N·e", "expected": "2,560"}
    assert words.BYTES_SAME.say(language, numbers="2 · 1 · 1 · 2 · 4 · 20 · 8", **bytes_fields) in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_C5_outputs_are_the_same_and_the_fault_of_positions_is_not(measured, language: str) -> None:
    for query, width, cache in (({}, None, "growing"), ({"windowed": "1", "width": "7"}, 7, "rolling")):
        plan = replace(PLAN, width=width, cache=cache)
        at = measured(plan, language=language, **TINY, cache=cache, **query)
        found = collect(tuple(at.session_state["long_run:decoding"].records))
        assert max(found.difference, found.to_whole) < 1e-14 < 1e-2 < found.restarted
        fields = {"difference": found.difference, "whole": found.to_whole, "eps": 2.0**-52}
        same = {name: significant(value) for name, value in fields.items()}
        assert words.SAME.say(language, dtype="float64", **same) in told(at)
        assert words.FAULT.say(language, restarted=significant(found.restarted)) in told(at)
        assert words.MOVED.say(language) not in sentences(at)


@pytest.mark.parametrize("language", LANGUAGES)
def test_C5_a_text_that_was_stopped_says_how_far_it_came(measured, language: str) -> None:
    at = measured(replace(PLAN, cache="growing"), 6, language, **TINY)
    found = collect(tuple(at.session_state["long_run:decoding"].records))
    assert found.n == 6
    fields = {"cached": sum(found.cached_s), "again": sum(found.recomputed_s), "times": found.speedup}
    shown = {name: significant(value) for name, value in fields.items()}
    assert words.TOOK_SO_FAR.say(language, n=6, all=20, **shown) in told(at)
    assert "= 2 · 1 · 1 · 2 · 4 · 6 · 8 = 768" in said(at)
    # The axis is that of the whole text, so that points do not move while others come.
    assert '"domain":[1,20]' in at.get("vega_lite_chart")[1].proto.spec.replace(" ", "")
    # It was another cache than the controls name.
    assert words.MOVED.say(language) in sentences(at)
    assert any(words.CACHES["growing"].say(language) in line for line in told(at) if "20" in line)


@pytest.mark.parametrize("language", LANGUAGES)
def test_C5_the_last_doubling_is_set_beside_the_flops(measured, runs, language: str) -> None:
    # Tokens 4 to 7 against 8 to 15, at their middles 5.5 and 11.5; 3 µs a token with the cache, t² µs without.
    parts = [Stretch(t - 1, (3e-6,), (t * t * 1e-6,), 0.0, 0.0, 0.5, 2560) for t in range(1, 21)]
    runs[PLAN, 20] = tuple(parts)
    setting = PLAN.writing.setting

    def grown(name: str) -> str:
        before, after = (
            sum(count(name, "flops", replace(setting, n=n)) for n in around) for around in ((5, 6), (11, 12))
        )
        return significant(after / before)

    fields = {
        "a": "4–7",
        "b": "8–15",
        "cached": "1.00",
        "again": significant((11**2 + 12**2) / (5**2 + 6**2)),
        "cached_flops": grown("cached"),
        "again_flops": grown("full"),
    }
    assert words.DOUBLED.say(language, **fields) in told(measured(PLAN, 20, language, **TINY))


@pytest.mark.parametrize("language", LANGUAGES)
def test_C5_outputs_and_bytes_that_do_not_agree_are_not_called_the_same(
    measured, runs, language: str
) -> None:
    runs[PLAN, 1] = (Stretch(0, (1e-6,) * 20, (1e-6,) * 20, 0.25, 0.125, 0.5, 2561),)
    lines = told(measured(PLAN, 1, language, **TINY))
    fields = {"difference": "0.250", "whole": "0.125", "eps": significant(2**-52), "dtype": "float64"}
    assert words.NOT_SAME.say(language, **fields) in lines
    sizes = {"formula": "2·layers·B·h_kv·d_k·N·e", "numbers": "2 · 1 · 1 · 2 · 4 · 20 · 8"}
    assert words.BYTES_OTHER.say(language, found="2,561", expected="2,560", **sizes) in lines


@pytest.mark.parametrize("language", LANGUAGES)
def test_C5_one_token_alone_claims_nothing_that_needs_two(measured, language: str) -> None:
    plan = DecodingPlan(n=1, d_model=8, n_heads=2)
    at = measured(plan, language=language, decode_n="1", d_model="8", h="2")
    assert words.FAULT_HIDDEN.say(language) in told(at)
    assert words.TOTAL_ONE.say(language, cached="544") in told(at)
    assert len(rows(at, "times")) == len(rows(at, "steps")) == 1
    assert words.DOUBLED.say(language, **dict.fromkeys(words.DOUBLED.fields(language), "1"))[:12] not in said(
        at
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_C5_hostile_links_and_extremes(opened, language: str) -> None:
    hostile = {"cache": "$x$", "windowed": "yes", "dtype": "<b>", "token": "1e99", "width": "nan"}
    assert str(MAX_N) in words.N_HELP.say(language)
    at = opened(language, **hostile, decode_n="<img src=x>")
    assert len(at.warning) == 5
    assert len(at.error) == 1
    at = opened(
        language, decode_n="1048576", d_model="65536", h="1024", h_kv="1", dtype="float64", token="1048576"
    )
    assert "steps" in drawings(at)
    assert len(rows(at, "steps")) == 21
    for width in ("1", "65536"):
        at = opened(language, decode_n="1", d_model="1", h="1", windowed="1", width=width, cache="rolling")
        assert drawings(at)["slots"]["texts"] == ["1"]
    if language == "en":
        english = [*told(at), *labels(at), *drawings(at)["steps"]["column_names"]]
        assert not [text for text in english if CHINESE.search(text)]


def test_C5_a_token_beyond_the_text_is_said_and_comes_back(opened) -> None:
    at = opened(decode_n="9", token="200", is_touched=True)
    assert at.slider(key="complexity.token").value == 9
    assert any("200" in caption.value for caption in at.caption)
    at.text_input(key="complexity.decode_n").set_value("300").run()
    assert at.slider(key="complexity.token").value == 200


class Values(dict):
    """Values of a page without a page."""

    language = "en"

    def put(self, name, value) -> None:
        self[name] = value


def test_C5_picking_a_row_opens_its_step_and_the_code_is_shown(opened) -> None:
    state = Values(token=1)
    for row, place in enumerate(list_places(40)):
        steps_part(state, Writing(AT_SMALL)).hear("pick", {"row": row, "column": 1})
        assert state["token"] == place
    at = opened(is_touched=True)
    at.button(key="open.source").click().run()
    shown = at.code[0].value
    assert all(f" {one.__name__}" in shown for one in RAN)
