"""Claims C2 and C3: kernels measured on this machine, what is said of them, what is refused, whatever is chosen."""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace

import pytest
import streamlit as st

from attention_core import device
from attention_core.cost import count
from attention_core.experiments.timed_kernels import (
    KERNELS,
    Absent,
    Chosen,
    Plan,
    Point,
    Rates,
    Record,
    count_records,
    measure_plan,
    predict,
    probe_side,
    read_record,
)
from attention_core.kernel_readings import fit_growth, foresee_bytes, foresee_seconds
from dashboard import cached, runs
from dashboard.number_format import significant
from dashboard.panels.complexity.measure import RAN
from dashboard.panels.complexity.measure_settings import MOST
from dashboard.panels.long_run import Found, Task, provenance
from dashboard.text import LANGUAGES
from dashboard.text import complexity_measure as words
from dashboard.text import long_run as run_words
from tests.dashboard.light_worker import MACHINE
from tests.pages.reading import CHINESE, chart_of, dangers, drawings, labels, told, wrong_language

RATES = Rates(1e11, 1e11)
MIB = 2**20


@pytest.fixture(autouse=True)
def queue(monkeypatch, request) -> Iterator[runs.Runner]:
    """A queue whose process is quick to start, and rates that are the same on every machine.

    A test that measures names the process that can.
    """
    made = runs.Runner(lambda _who: True, module=getattr(request, "param", "tests.dashboard.light_worker"))
    monkeypatch.setattr(runs, "runner", lambda: made)
    monkeypatch.setattr(runs, "visitor", lambda: st.session_state.get("who", ""))
    monkeypatch.setattr(cached, "rates_of", lambda _dtype, _device: RATES)
    yield made
    made.close()


@pytest.fixture
def opened(look_at):
    def open_it(language="en", *, is_touched=False, **query):
        at = look_at("complexity", is_touched=is_touched, lang=language, view="measure", **query)
        return checked(at, language)

    return open_it


def checked(at, language):
    assert not at.exception
    assert not list(dangers(at))
    assert not wrong_language(at, language)
    return at


def seconds(kernel: str, n: int) -> float:
    """Times that are easy to check: the definition takes n² ns, flash half, linear and window in proportion to n."""
    return {"traced": n * n, "flash": n * n / 2, "linear": 64 * n, "window": 128 * n}.get(
        kernel, 2 * n * n
    ) * 1e-9


def records_of(plan: Plan, *, absent: tuple[str, ...] = ()) -> list[Record]:
    """What a run would give, with times and peaks worked by hand."""
    found: list[Record] = [RATES]
    for n in sorted(plan.lengths):
        for kernel in plan.kernels:
            if kernel in absent:
                found.append(Absent(kernel, n, "no <b>$kernel$"))
                continue
            once, peak = seconds(kernel, n), 4 * n * n if kernel == "traced" else 1024 * n
            difference = 0.5 if kernel in ("linear", "window") else 2.0**-23
            is_compared = n <= 512 and not kernel.startswith("module")
            ends = (0.5 * once, 2 * once)
            found.append(
                Point(kernel, n, once, *ends, plan.repeats, peak, difference if is_compared else None, 0)
            )
    by_mask = (("none", "flash"), ("causal", "flash"), ("explicit", "math"))
    return [*found, Chosen("flash", by_mask, "math", "math", (("efficient", "no <b>$kernel$"),))]


def show_run(at, plan: Plan, records: list[Record], language: str, state: runs.State = "done"):
    """Give the visitor a run and draw the page anew."""
    task = Task(measure_plan, (plan,), read_record, count_records(plan))
    found = Found(task, state, tuple(records), seconds=1.0, when="2026-11-30 18:00 UTC", machine=MACHINE)
    at.session_state["long_run:measure"] = found
    return checked(at.run(), language)


@pytest.fixture
def shown(opened) -> Callable:
    """A function that shows a run whose settings are those of the controls."""

    def show(language="en", plan=None, *, records=None, state="done", **query):
        plan = Plan() if plan is None else plan
        at = opened(language, is_touched=True, **query)
        return show_run(at, plan, records_of(plan) if records is None else records, language, state)

    return show


def said(at) -> str:
    return "\n".join(told(at))


def cells(at, part: str) -> dict[str, list[str]]:
    """A table by the names of its rows."""
    drawn = drawings(at)[part]
    n_columns = drawn["sides"][1]
    rows = [drawn["texts"][at : at + n_columns] for at in range(0, len(drawn["texts"]), n_columns)]
    return dict(zip(drawn["row_names"], rows, strict=True))


def name(kernel: str, language: str = "en") -> str:
    return words.NAMES[kernel].say(language)


@pytest.fixture
def gpu(monkeypatch) -> None:
    found = device.Device("cuda", "Test GPU", 2**30)
    monkeypatch.setattr(device, "list_devices", lambda: (device.Device("cpu", "CPU", None), found))


@pytest.mark.parametrize("language", LANGUAGES)
def test_C2_a_run_on_cuda_says_so_and_what_did_not_fit(shown, gpu, language):
    plan = Plan(device="cuda", lengths=(64, 128, 256))
    records = [record for record in records_of(plan) if getattr(record, "n", 0) < 256]
    full = [Absent(kernel, 256, "CUDA out of <memory>", is_full=True) for kernel in plan.kernels]
    query = {"device": "cuda", "lengths": "64,128,256"}
    at = shown(language, plan, records=[*records[:-1], *full, records[-1]], **query)
    text = said(at)
    assert words.MOVED_SINCE.say(language) not in [info.value for info in at.info]
    assert "CUDA (Test GPU)" in text
    assert f"{probe_side('cuda'):d} × {probe_side('cuda'):d}" in text
    assert f"{probe_side():d} × {probe_side():d}" not in text, "the processor's matrices"
    assert words.FASTER_WHERE[True].say(language) in text
    assert words.FASTER_WHERE[False].say(language) not in text
    fields = {"n": "256", "device": "CUDA (Test GPU)", "said": "CUDA out of <memory>"}
    assert text.count(words.REASON_FULL.say(language, **fields)) == len(plan.kernels)


def test_C2_the_plan_runs_where_the_reader_says(opened, gpu, monkeypatch):
    asked = []
    monkeypatch.setattr(cached, "rates_of", lambda _dtype, where: asked.append(where) or RATES)
    opened(is_touched=True, device="cuda", repeats="4")
    assert set(asked) == {"cuda"}
    opened(is_touched=True, repeats="4")
    assert asked[-1] == "cpu"


@pytest.mark.parametrize("language", LANGUAGES)
def test_C2_first_sight_says_what_is_foreseen_and_offers_to_start(opened, language):
    at = opened(language)
    foreseen = predict(Plan(), RATES)
    fields = {"seconds": significant(foreseen.seconds), "memory": "320 MiB"}
    captions = [one.value for one in at.caption]
    assert words.FORESEEN.say(language, **fields) in captions
    assert run_words.NOTHING.say(language) in captions
    assert at.button(key="measure.start").label == run_words.START.say(language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_C2_before_a_run_the_formulas_lines_stand_there_and_no_point(opened, language):
    at, plan = opened(language, is_touched=True), Plan()
    frame, alt = chart_of(at, "formula")
    assert list(frame.value.notna()) == [False] * (len(plan.kernels) * len(plan.lengths))
    for row in frame.itertuples():
        kernel = next(one for one in plan.kernels if name(one, language) == row.kernel)
        assert row.formula == pytest.approx(1e3 * foresee_seconds(kernel, plan.setting(row.n), RATES))
    assert significant(1e3 * foresee_seconds("linear", plan.setting(2048), RATES)) in alt
    note = words.NOTES_FORESEEN["time"].say(language, rate=significant(RATES.flops_a_s), side=probe_side())
    assert note in told(at)
    at.button_group(key="complexity.meter").set_value("memory").run()
    checked(at, language)
    frame, _ = chart_of(at, "formula")
    flash = frame[(frame.kernel == name("flash", language)) & (frame.n == 2048)].iloc[0]
    assert flash.formula == pytest.approx(foresee_bytes("flash", plan.setting(2048)) / MIB)
    assert words.NOTES_FORESEEN["memory"].say(language) in told(at)
    # The lines follow the settings, also where a run would be refused; without a kernel there is none.
    at.button_group(key="complexity.lengths").set_value(["64", "8192"]).run()
    assert at.error
    assert list(chart_of(checked(at, language), "formula")[0].n.unique()) == [64, 8192]
    at.button_group(key="complexity.kernels").set_value([]).run()
    assert not checked(at, language).get("vega_lite_chart")
    assert not [one for one in at.button_group if one.key == "complexity.meter"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_C2_a_run_on_its_way_keeps_its_own_lines_until_its_first_point(opened, queue, monkeypatch, language):
    at = opened(language, is_touched=True, lengths="64,128")
    for records in ([], [Rates(2e9, 1e9)]):
        job = runs.Job(1, "", "running", items=tuple(map(asdict, records)))
        monkeypatch.setattr(queue, "look", lambda _number, job=job: job)
        show_run(at, Plan(lengths=(256, 512), kernels=("math",)), [], language, "waiting")
        frame, _ = chart_of(at, "formula")
        assert list(frame.n) == [256, 512]
        assert [one.value for one in at.info] == [words.MOVED_SINCE.say(language)]
        rate = records[0] if records else RATES
        assert words.NOTES_FORESEEN["time"].say(
            language, rate=significant(rate.flops_a_s), side=probe_side()
        ) in told(at)
        assert frame.formula[0] == pytest.approx(1e3 * foresee_seconds("math", Plan().setting(256), rate))


@pytest.mark.parametrize("language", LANGUAGES)
def test_C2_points_lines_and_tables_are_the_numbers_of_the_run(shown, language):
    at, plan = shown(language), Plan()
    frame, alt = chart_of(at, "formula")
    assert len(frame) == len(plan.kernels) * len(plan.lengths)
    for row in frame.itertuples():
        kernel = next(one for one in plan.kernels if name(one, language) == row.kernel)
        once = 1e3 * seconds(kernel, row.n)
        assert (row.value, row.lowest, row.highest) == pytest.approx((once, once / 2, 2 * once))
        assert row.formula == pytest.approx(1e3 * foresee_seconds(kernel, plan.setting(row.n), RATES))
    assert significant(1e3 * seconds("traced", 2048)) in alt
    by_length = cells(at, "by_length")
    assert by_length[name("flash", language)] == [
        significant(1e3 * seconds("flash", n)) for n in plan.lengths
    ]
    details = cells(at, "details")[name("traced", language)]
    assert details[2] == significant(4 * 2048**2 / MIB)
    assert details[3] == significant(foresee_bytes("traced", plan.setting(2048)) / MIB) == "194"
    assert cells(at, "speed_ups")[name("flash", language)] == ["2.00"] * 6
    assert provenance(at.session_state["long_run:measure"], language) in "\n".join(
        one.value for one in at.caption
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_C3_sentences_cite_the_growth_of_memory_the_difference_and_the_speed(shown, language):
    text = said(shown(language))
    fields = {"first": "1,024", "last": "2,048", "longer": "2", "square": "4"}
    grown = {"traced": "4.00", "math": "2.00", "flash": "2.00", "linear": "2.00"}
    told_growth = [
        words.KERNEL_TIMES.say(language, kernel=name(kernel, language), times=times)
        for kernel, times in grown.items()
    ]
    between = "、" if language == "zh" else ", "
    assert words.GREW.say(language, **fields, kernels=between.join(told_growth)) in text
    assert words.EXACT_FUSED.say(language) in text
    assert "1.19e−7" in text
    assert f"{name('linear', language)} 0.500" in text
    assert f"{name('flash', language)} 2.00" in text
    full, fused = (count(kind, "moved_bytes", Plan().setting(2048)) for kind in ("full", "fused"))
    moved = re.search(r"419,430,400", text)
    assert moved
    assert full > fused
    assert (
        words.CASE.say(language, mask=words.MASKS["explicit"].say(language), kernel=name("math", language))
        in text
    )


def test_C2_exponents_are_fitted_with_their_error(shown):
    fits, plan = cells(shown(), "fits"), Plan()
    points = [record for record in records_of(plan) if isinstance(record, Point)]
    power = fit_growth("traced", "time", points, plan).power
    assert power.exponent == pytest.approx(2)
    time, time_formula, memory, memory_formula, lengths = fits[name("traced")]
    assert time.startswith("2.00 ± ")
    assert time_formula == "2.00"
    assert memory.startswith("2.00 ± ")
    assert memory_formula.startswith("1.9")
    assert lengths == "256, 512, 1,024, 2,048"
    assert fits[name("linear")][0].startswith("1.00 ± ")


def test_C3_a_fused_kernel_that_is_off_by_more_than_rounding_is_not_called_exact(shown):
    records = [
        replace(one, difference=0.01)
        if isinstance(one, Point) and one.kernel == "flash" and one.difference
        else one
        for one in records_of(Plan())
    ]
    text = said(shown(records=records))
    assert words.EXACT_FUSED.say("en") not in text
    assert f"{name('flash')} 0.0100" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_C2_time_and_memory_are_switched_without_another_run(shown, language):
    at = shown(language)
    at.button_group(key="complexity.meter").set_value("memory").run()
    checked(at, language)
    frame, _ = chart_of(at, "formula")
    row = frame[(frame.kernel == name("flash", language)) & (frame.n == 2048)].iloc[0]
    assert row.value == pytest.approx(2.0)
    assert row.formula == pytest.approx(foresee_bytes("flash", Plan().setting(2048)) / MIB)
    assert cells(at, "by_length")[name("flash", language)][-1] == "2.00"
    assert words.NOTE_MEMORY.say(language) in told(at)


@pytest.mark.parametrize("language", LANGUAGES)
def test_C2_a_run_that_has_given_only_some_of_it_is_shown_as_it_is(opened, language):
    at = opened(language, is_touched=True)
    for n_records in (0, 1, 2, 5, 7, 25):
        records = records_of(Plan())[:n_records]
        show_run(at, Plan(), records, language, "stopped")
        captions = "\n".join(one.value for one in at.caption)
        assert run_words.STOPPED.say(language, given=n_records, steps=26) in captions
        n_points = sum(isinstance(one, Point) for one in records)
        frame = chart_of(at, "formula")[0]
        assert frame.value.notna().sum() == n_points
        assert frame.formula.notna().sum() == 24
        if 0 < n_points <= 4:
            assert {"fits", "question"}.isdisjoint(drawings(at))


@pytest.mark.parametrize("language", LANGUAGES)
def test_C2_one_kernel_at_one_length_says_nothing_that_it_cannot_know(opened, language):
    at = opened(language, is_touched=True, lengths="64", repeats="1")
    for kernel in KERNELS:
        plan = Plan(kernels=(kernel,), lengths=(64,), repeats=1)
        at.session_state["lesson:complexity"]["kernels"] = (kernel,)
        show_run(at, plan, records_of(plan), language)
        assert not at.info
        text = said(at)
        assert {"fits", "speed_ups", "question"}.isdisjoint(drawings(at))
        assert words.NOTE_TIME_ONE.say(language, rate=significant(RATES.flops_a_s), side=probe_side()) in text
        assert (words.NO_BASE.say(language) in text) == (kernel != "traced")
        assert len(cells(at, "details")) == len(chart_of(at, "formula")[0]) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_C2_what_cannot_run_is_named_in_plain_words_and_in_torchs(shown, language):
    plan = Plan(kernels=("efficient", "linear"), lengths=(64, 128), mask="explicit")
    records = records_of(plan, absent=("efficient", "linear"))
    at = shown(language, plan, records=records, kernels="efficient,linear", lengths="64,128", mask="explicit")
    assert not at.get("vega_lite_chart")
    lines = [line for line in told(at) if name("efficient", language) in line]
    assert len(lines) == 1
    assert "no <b>$kernel$" in lines[0]
    reason = words.REASON_LINEAR.say(language)
    assert words.ABSENT.say(language, kernel=name("linear", language), reason=reason) in told(at)


@pytest.mark.parametrize("language", LANGUAGES)
def test_C2_a_result_says_its_settings_when_the_controls_have_moved_on(shown, language):
    at = shown(language)
    assert not at.info
    at.button_group(key="complexity.lengths").set_value(["64", "128"]).run()
    checked(at, language)
    assert [one.value for one in at.info] == [words.MOVED_SINCE.say(language)]
    assert cells(at, "by_length")[name("flash", language)][-1] == significant(1e3 * seconds("flash", 2048))
    assert at.button(key="measure.start").label == run_words.START.say(language)
    assert "B = 1, h = 4, d_k = 64" in said(at).replace("，", ", ")


def test_C2_a_result_survives_another_view_and_another_language(shown):
    at = shown()
    before = cells(at, "by_length")
    at.button_group(key="complexity.view").set_value("growth").run()
    assert "by_length" not in drawings(at)
    at.button_group(key="lang.choice").set_value("zh").run()
    at.button_group(key="complexity.view").set_value("measure").run()
    checked(at, "zh")
    assert list(cells(at, "by_length").values()) == list(before.values())
    assert not [text for text in labels(at) if text == run_words.AGAIN.en]


@pytest.mark.parametrize("language", LANGUAGES)
def test_C2_what_is_too_much_is_refused_with_both_values_and_the_lengths_that_fit(opened, language):
    at = opened(language, is_touched=True, lengths="64,4096,8192")
    foreseen = predict(Plan(lengths=(64, 4096, 8192)), RATES)
    assert foreseen.peak_bytes > MOST.peak_bytes
    (error,) = [one.value for one in at.error]
    assert "2.00 GiB" in error
    assert significant(foreseen.peak_bytes / 2**30) in error
    assert "measure.start" not in [button.key for button in at.button]
    button = at.button(key="measure.take.up_to")
    assert "4,096" in button.label
    button.click().run()
    checked(at, language)
    assert not at.error
    assert at.button_group(key="complexity.lengths").value == ["64", "4096"]
    assert at.button(key="measure.start")


@pytest.mark.parametrize("language", LANGUAGES)
def test_C2_only_the_limit_that_is_passed_is_named(opened, language):
    memory = opened(language, kernels="traced", lengths="64,8192", repeats="1").error[0].value
    time_ = opened(language, kernels="flash,efficient", lengths="64,8192", repeats="15").error[0].value
    assert ("GiB" in memory, " 60 " in memory) == (True, False)
    assert ("GiB" in time_, " 60 " in time_) == (False, True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_C2_where_not_even_the_shortest_fits_the_first_settings_are_offered(opened, monkeypatch, language):
    monkeypatch.setattr(cached, "rates_of", lambda _dtype, _device: Rates(1e5, 1e5))
    at = opened(language, is_touched=True, lengths="128", heads="16", d_k="100")
    (error,) = [one.value for one in at.error]
    assert words.NOTHING_FITS.say(language, n="128") in error
    at.button(key="measure.take.first").click().run()
    values = at.session_state["lesson:complexity"]
    assert (values["heads"], values["d_k"], len(values["lengths"])) == (4, 64, 6)


@pytest.mark.parametrize("language", LANGUAGES)
def test_C2_nothing_chosen_is_said_and_the_first_choice_offered(opened, language):
    at = opened(language, is_touched=True, kernels="", lengths="")
    assert [one.value for one in at.error] == [words.NO_KERNELS.say(language), words.NO_LENGTHS.say(language)]
    assert "measure.start" not in [button.key for button in at.button]
    at.button(key="measure.take.kernels").click().run()
    at.button(key="measure.take.lengths").click().run()
    checked(at, language)
    assert not at.error
    assert at.button_group(key="complexity.kernels").value == list(Plan().kernels)


@pytest.mark.parametrize("language", LANGUAGES)
def test_C2_hostile_links_are_read_with_notices(opened, language):
    at = opened(
        language,
        kernels="<b>,flash,flash",
        lengths="-1,64,1e9",
        dtype="$x$",
        mask="`",
        backward="2",
        heads="99999999999999999999",
        d_k="nan",
        sequences="0",
        repeats="abc",
        meter="<script>",
        at="3",
        width="-5",
    )
    assert len(at.warning) == 8
    assert not at.error
    if language == "en":
        assert not [text for text in [*told(at), *labels(at)] if CHINESE.search(text)]


def test_C2_extremes_of_every_size_are_refused_or_run(opened):
    most = {"heads": "16", "d_k": "128", "sequences": "8", "repeats": "15", "backward": "1"}
    at = opened(**most, kernels=",".join(KERNELS), lengths="64,8192", width="65536", dtype="float64")
    assert len(at.error) == 1
    least = dict.fromkeys(("heads", "d_k", "sequences", "repeats", "width"), "1")
    assert not opened(**least, lengths="64").error


def test_C2_folded_settings_are_read_and_the_code_is_shown(opened):
    at = opened(is_touched=True, dtype="bfloat16", heads="2")
    assert "bfloat16" in at.button(key="measure.further").label
    at.button(key="measure.further").click().run()
    at.number_input(key="complexity.heads").set_value(3).run()
    assert "h = 3" in at.button(key="measure.further").label
    at.button(key="open.source").click().run()
    assert all(f"def {function.__name__}(" in at.code[0].value for function in RAN)


def until_done(at, language="en"):
    end = time.monotonic() + 60
    while "measure.start" not in [button.key for button in at.button]:
        assert time.monotonic() < end
        time.sleep(0.3)
        checked(at.run(), language)
    return at


@pytest.mark.parametrize("queue", ["attention_core.worker"], indirect=True)
def test_C2_two_visitors_who_measure_at_once_get_their_own_numbers_and_one_waits(opened, queue):
    plans = {
        "a": Plan(kernels=("math", "flash"), lengths=(64, 128)),
        "b": Plan(kernels=("linear",), lengths=(64,)),
    }
    pages = {}
    for who, plan in plans.items():
        link = {"kernels": ",".join(plan.kernels), "lengths": ",".join(map(str, plan.lengths))}
        pages[who] = opened(is_touched=True, **link)
        pages[who].session_state["who"] = who
        pages[who].button(key="measure.start").click().run()
    progress = [one.proto.text for one in pages["b"].get("progress")]
    assert progress == [run_words.WAITING_ONE.en]
    for who, plan in plans.items():
        found = until_done(pages[who]).session_state["long_run:measure"]
        assert (found.state, found.task.arguments) == ("done", (plan,))
        points = [record for record in found.records if isinstance(record, Point)]
        assert [(point.kernel, point.n) for point in points] == [
            (kernel, n) for n in plan.lengths for kernel in plan.kernels
        ]
        assert all((point.difference < 1e-5) == (who == "a") for point in points)
        assert list(cells(pages[who], "by_length")) == [name(kernel) for kernel in plan.kernels]
    assert queue.count_active() == 0
