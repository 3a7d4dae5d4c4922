"""The device switch: where it stands, what it reaches, and what happens on a server without, or without memory left."""

import re
from collections.abc import Callable, Iterator

import pytest
import torch
from streamlit.testing.v1 import AppTest

from attention_core import device
from dashboard import cached, controls, runs
from dashboard.catalog import LESSONS
from dashboard.panels.complexity import fields as complexity
from dashboard.panels.heads import initial_model
from dashboard.panels.heads import settings as heads
from dashboard.panels.qkv import views as qkv
from dashboard.panels.scaling import sample
from dashboard.panels.scaling import settings as scaling
from dashboard.text import LANGUAGES
from dashboard.text import frame as words
from tests.pages.reading import dangers, sentences, told, wrong_language

CPU = device.Device("cpu", "CPU", None)
CUDA = device.Device("cuda", "Test <GPU>", 3 * 2**30)
# What the pages of these lessons call with a device, by module.
COMPUTING = {
    cached: (
        "check_up",
        "measure_dot_products",
        "measure_independence",
        "sweep_divisors",
        "sweep_variance",
        "time_products",
    ),
    initial_model: ("measure_starts",),
    sample: ("draw_sample_row",),
}
ON_DEVICE = {
    "scaling": scaling.ON_DEVICE,
    "heads": heads.ON_DEVICE,
    "qkv": qkv.ON_DEVICE,
    "complexity": complexity.ON_DEVICE,
}
VIEWS = [(slug, view) for slug, views in ON_DEVICE.items() for view in sorted(views)]
CHEAP = {"heads": {"initial_d_model": "64"}}
# Settings that must outlive a device which the link gets wrong, by lesson.
BESIDE = {
    "scaling": {"trials": "7", "seed": "912"},
    "heads": {"initial_d_model": "64", "initial_seed": "913"},
    "qkv": {"d_k": "3"},
    "complexity": {"dtype": "bfloat16", "heads": "2"},
}
# What a link may hold instead of a device, and what is said of it.
GIVEN = (
    ("cuda", "absent"),
    ("CUDA", "malformed"),
    ("cuda:7", "malformed"),
    ("xpu", "malformed"),
    ("<b>", "malformed"),
    ("", "malformed"),
    (("cpu", "cuda"), "absent"),
    (("cuda", "cpu"), "repeated"),
)
OTHERS = (
    ("scaling", "temperature"),
    ("heads", "ledger"),
    ("qkv", "pipeline"),
    ("complexity", "growth"),
    ("masks", "ways"),
)


@pytest.fixture(autouse=True)
def few_widths(monkeypatch) -> None:
    """The wide ones take seconds."""
    monkeypatch.setattr(initial_model, "D_MODELS", (8, 16))


@pytest.fixture(autouse=True)
def quick_queue(monkeypatch) -> Iterator[None]:
    """The process for long work takes seconds to start, and nothing here is run there."""
    made = runs.Runner(lambda _who: True, module="tests.dashboard.light_worker")
    monkeypatch.setattr(runs, "runner", lambda: made)
    yield
    made.close()


@pytest.fixture
def no_gpu(monkeypatch) -> None:
    monkeypatch.setattr(device, "list_devices", lambda: (CPU,))


@pytest.fixture
def ran_on(monkeypatch) -> list[str]:
    """A server with a second device, which is the processor by another name; where each measurement was asked for."""
    asked: list[str] = []
    monkeypatch.setattr(device, "list_devices", lambda: (CPU, CUDA))

    def on_the_cpu(measure: Callable) -> Callable:
        def run(*args: object, device: str = "cpu", **kwargs: object) -> object:
            asked.append(device)
            return measure(*args, **kwargs)

        return run

    for module, names in COMPUTING.items():
        for name in names:
            monkeypatch.setattr(module, name, on_the_cpu(getattr(module, name)))
    return asked


def switches(at: AppTest) -> list:
    return [group for group in at.button_group if group.key.endswith(".device")]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("slug", "view"), VIEWS)
def test_without_cuda_the_switch_is_disabled_and_says_what_is_needed(
    open_page, no_gpu, slug: str, view: str, language: str
) -> None:
    at = open_page(slug, lang=language, view=view, **CHEAP.get(slug, {}))
    assert not at.exception
    (switch,) = switches(at)
    assert switch.disabled
    assert switch.value == "cpu"
    text = words.NO_GPU if torch.version.cuda else words.NO_CUDA
    assert text.say(language, torch=torch.__version__, cuda=torch.version.cuda) in sentences(at)
    assert at.sidebar.button_group[-1].key == switch.key


@pytest.mark.parametrize(("slug", "view"), OTHERS)
def test_a_view_whose_numbers_come_from_the_processor_alone_shows_no_switch(
    look_at, no_gpu, slug: str, view: str
) -> None:
    assert switches(look_at(slug, lang="en", view=view)) == []


def test_an_example_without_queries_has_nothing_to_time(open_page, no_gpu) -> None:
    assert switches(open_page("qkv", lang="en", view="loops", source="e3")) == []


def test_a_build_with_cuda_that_finds_no_gpu_says_so(open_page, no_gpu, monkeypatch) -> None:
    monkeypatch.setattr(device, "cuda_of_build", lambda: "13.0")
    said = words.NO_GPU.say("en", torch=torch.__version__, cuda="13.0")
    assert said in sentences(open_page("scaling", lang="en"))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("slug", ["scaling", "heads", "qkv", "complexity"])
def test_a_link_that_asks_for_cuda_where_there_is_none_gets_the_cpu_and_a_notice(
    open_page, no_gpu, slug: str, language: str
) -> None:
    at = open_page(slug, lang=language, device="cuda")
    assert not at.exception
    expected = words.NOTICES["absent"].say(language, name="`device`", given="`cuda`", used="`cpu`")
    assert [warning.value for warning in at.warning] == [expected]
    assert at.session_state[f"lesson:{slug}"]["device"] == "cpu"
    assert wrong_language(at, language) == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("slug", "view"), [next(one for one in VIEWS if one[0] == slug) for slug in ON_DEVICE]
)
def test_whatever_device_a_link_holds_the_view_goes_on_on_the_cpu_and_keeps_its_settings(
    open_page, no_gpu, slug: str, view: str, language: str
) -> None:
    for given, problem in GIVEN:
        at = open_page(slug, lang=language, view=view, device=given, **BESIDE[slug])
        assert not at.exception
        (warning,) = at.warning
        last = given if isinstance(given, str) else given[-1]
        fields = {"name": "`device`", "given": f"`{last or '∅'}`", "used": "`cpu`"}
        assert warning.value == words.NOTICES[problem].say(language, **fields)
        kept = at.session_state[f"lesson:{slug}"]
        assert {name: str(kept[name]) for name in BESIDE[slug]} == BESIDE[slug]
        assert (kept["view"], kept["device"]) == (view, "cpu")
        (switch,) = switches(at)
        assert (switch.value, switch.disabled) == ("cpu", True)
        assert wrong_language(at, language) == []
        assert list(dangers(at)) == []


@pytest.mark.parametrize("given", ["mps", "CUDA", "cuda:1", "", "<b>", "x" * 9000])
def test_a_link_with_a_device_that_is_none_is_told_so(open_page, ran_on, given: str) -> None:
    at = open_page("scaling", lang="en", trials="5", device=given)
    assert not at.exception
    assert len(at.warning) == 1
    assert at.session_state["lesson:scaling"]["device"] == "cpu"
    assert list(dangers(at)) == []


@pytest.mark.parametrize(
    ("slug", "query"),
    [
        ("scaling", {"view": "variance", "trials": "6", "seed": "901"}),
        ("scaling", {"view": "saturation", "trials": "6", "seed": "902", "guess": "shown"}),
        ("scaling", {"view": "clinic", "layers": "2", "seed": "903"}),
        ("heads", {"view": "initial", "initial_seed": "904", **CHEAP["heads"]}),
    ],
)
def test_a_view_is_computed_where_the_link_says_with_the_same_numbers(
    open_page, ran_on, slug: str, query: dict[str, str]
) -> None:
    there = open_page(slug, lang="en", device="cuda", **query)
    assert not there.exception
    assert set(ran_on) == {"cuda"}
    here = open_page(slug, lang="en", **query)
    assert set(ran_on) == {"cuda", "cpu"}
    assert [said.replace("CUDA", "CPU") for said in told(there)] == told(here)
    assert "CUDA" in " ".join(told(there) + sentences(there))
    assert not there.warning


def test_the_forms_are_timed_where_the_reader_says_and_the_caption_names_it(
    open_page, ran_on, monkeypatch
) -> None:
    monkeypatch.setattr(cached, "TIMED_LENGTHS", (4, 8))
    monkeypatch.setattr("dashboard.panels.qkv.loops.TIMED_LENGTHS", (4, 8))
    cached.measured_forms.clear()
    at = open_page("qkv", lang="en", view="loops", d_k="3", device="cuda")
    at.button(key="measure.forms").click().run()
    assert not at.exception
    assert ran_on == ["cuda"]
    assert any(CUDA.name in caption.value for caption in at.caption)
    cached.measured_forms.clear()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_switch_is_pressed_kept_in_the_link_and_taken_along_to_other_lessons(
    open_page, go_to, ran_on, language: str
) -> None:
    at = open_page("scaling", lang=language, trials="5", seed=f"905{LANGUAGES.index(language)}")
    assert set(ran_on) <= {"cpu"}
    (switch,) = switches(at)
    assert not switch.disabled
    switch.set_value("cuda").run()
    assert not at.exception
    assert ran_on[-1] == "cuda"
    assert "device=cuda" in address_of(at)
    go_to(at, "heads")
    assert at.session_state["lesson:heads"]["device"] == "cuda"


def address_of(at: AppTest) -> str:
    return re.search(r'"query":\s*"([^"]*)"', " ".join(e.proto.json for e in at.get("bidi_component")))[1]


# The sweep is drawn by the page, the histogram by its fragment.
@pytest.mark.parametrize(("full", "seed"), [("sweep_variance", "906"), ("measure_dot_products", "907")])
@pytest.mark.parametrize("language", LANGUAGES)
def test_where_memory_runs_out_the_page_goes_on_on_the_cpu_and_says_so(
    open_page, ran_on, monkeypatch, language: str, full: str, seed: str
) -> None:
    measure, freed = getattr(cached, full), []

    def run_out(*args: object, device: str, **kwargs: object) -> object:
        if device == "cuda" and kwargs["trials"] > 5:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
        return measure(*args, **kwargs)

    monkeypatch.setattr(cached, full, run_out)
    monkeypatch.setattr(device, "free", lambda kind, failed: freed.append((kind, type(failed))))
    at = open_page("scaling", lang=language, device="cuda", trials="5", seed=seed)
    assert not at.warning
    at.number_input(key="scaling.trials").set_value(6).run()
    assert not at.exception
    assert freed == [("cuda", torch.OutOfMemoryError)]
    expected = {"name": "`device`", "given": "`Test <GPU> (3 GiB)`", "used": "`cpu`"}
    assert [warning.value for warning in at.warning] == [
        words.NOTICES["out_of_memory"].say(language, **expected)
    ]
    assert at.session_state["lesson:scaling"]["device"] == "cpu"
    assert switches(at)[0].value == "cpu"
    assert list(dangers(at)) == []
    at.number_input(key="scaling.trials").set_value(7).run()
    assert not at.warning


@pytest.mark.parametrize(
    ("slug", "query", "module", "full"),
    [
        (
            "scaling",
            {"view": "saturation", "trials": "6", "seed": "921", "guess": "shown"},
            cached,
            "sweep_divisors",
        ),
        ("scaling", {"view": "saturation", "trials": "6", "seed": "922"}, sample, "draw_sample_row"),
        ("scaling", {"view": "clinic", "layers": "2", "seed": "923"}, cached, "check_up"),
        (
            "heads",
            {"view": "initial", "initial_seed": "924", **CHEAP["heads"]},
            initial_model,
            "measure_starts",
        ),
        ("complexity", {"view": "measure", "dtype": "float64", "heads": "2"}, cached, "measure_rates"),
    ],
)
def test_wherever_memory_runs_out_the_view_goes_on_on_the_cpu_with_its_settings(
    open_page, ran_on, monkeypatch, slug: str, query: dict[str, str], module: object, full: str
) -> None:
    measure, freed = getattr(module, full), []

    def run_out(*args: object, **kwargs: object) -> object:
        if "cuda" in (*args, kwargs.get("device")):
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
        return measure(*args, **kwargs)

    monkeypatch.setattr(module, full, run_out)
    monkeypatch.setattr(device, "free", lambda kind, failed: freed.append((kind, type(failed))))
    at = open_page(slug, lang="en", device="cuda", **query)
    assert not at.exception
    assert freed == [("cuda", torch.OutOfMemoryError)]
    fields = {"name": "`device`", "given": "`Test <GPU> (3 GiB)`", "used": "`cpu`"}
    assert [warning.value for warning in at.warning] == [words.NOTICES["out_of_memory"].say("en", **fields)]
    kept = at.session_state[f"lesson:{slug}"]
    assert {name: str(kept[name]) for name in query} == query
    assert kept["device"] == "cpu"


def test_where_memory_runs_out_while_the_forms_are_timed_they_are_timed_on_the_cpu(
    open_page, ran_on, monkeypatch
) -> None:
    monkeypatch.setattr(cached, "TIMED_LENGTHS", (4, 8))
    monkeypatch.setattr("dashboard.panels.qkv.loops.TIMED_LENGTHS", (4, 8))
    measure = cached.measure_independence

    def run_out(*args: object, device: str, **kwargs: object) -> object:
        if device == "cuda":
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
        return measure(*args, device=device, **kwargs)

    monkeypatch.setattr(cached, "measure_independence", run_out)
    cached.measured_forms.clear()
    at = open_page("qkv", lang="en", view="loops", d_k="3", device="cuda")
    at.button(key="measure.forms").click().run()
    assert not at.exception
    assert len(at.warning) == 1
    assert at.session_state["lesson:qkv"]["timed_d_k"] == 3
    assert any("on `CPU, " in caption.value for caption in at.caption)
    cached.measured_forms.clear()


@pytest.mark.parametrize(
    ("error", "seed"), [(RuntimeError("CUDA error: an illegal memory access"), "908"), (MemoryError(), "909")]
)
def test_an_error_that_is_not_of_the_devices_memory_stays_one(
    open_page, ran_on, monkeypatch, error: Exception, seed: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(cached, "sweep_variance", fail)
    at = open_page("scaling", lang="en", device="cuda", trials="5", seed=seed)
    assert len(at.exception) == 1
    assert at.session_state["lesson:scaling"]["device"] == "cuda"


def test_every_lesson_with_the_field_knows_its_views(no_gpu) -> None:
    assert set(ON_DEVICE) <= {lesson.slug for lesson in LESSONS}
    assert set(controls.DEVICES) == {"cpu", "cuda"}
