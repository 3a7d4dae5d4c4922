"""The controls: what a visitor chose outlives a narrower range, a hidden widget and a change of language."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from dashboard import controls
from dashboard.text import frame as frame_words


def run(script: Callable[[], None], **query: str | list[str]) -> AppTest:
    at = AppTest.from_function(script, default_timeout=30)
    at.query_params.update(query)
    return at.run()


def page() -> None:
    """A page with one control of each kind."""
    import streamlit as st

    from dashboard import controls
    from dashboard.link import Choice, Decimal, Flag, Integer, Line
    from dashboard.text import Text

    label = Text(zh="标签", en="label")
    fields = {
        "n": Integer(4, 1, 64),
        "kind": Choice("a", ("a", "b")),
        "on": Flag(False),
        "seed": Integer(0, 0, 9999),
        "place": Integer(2, 1, 64),
        "text": Line("cat", 512),
        "width": Integer(4, 1, 64),
        "std": Decimal(1.0, 0.0, 10.0),
    }
    state, notices = controls.open_state(st.session_state.get("slug", "bed"), lambda _: fields)
    controls.language_switch()
    st.session_state.setdefault("top", 64)
    st.session_state.setdefault("names", ["x", "y", "z"])
    names = {"a": Text(zh="甲", en="first"), "b": "B"}
    if st.session_state.get("is_shown", True):
        controls.slider(state, "n", label, label, highest=st.session_state["top"])
    controls.whole_number(state, "seed", label, label)
    controls.choose(state, "kind", label, label, names, in_sidebar=True)
    controls.toggle(state, "on", label, label)
    controls.choose_place(state, "place", label, label, st.session_state["names"])
    controls.line(state, "text", label, label, label)
    controls.steps(state, "width", label, label, (1, 2, 4, 8))
    controls.any_number(state, "width", label, label)
    controls.decimal(state, "std", label, label, 0.5)
    controls.button("reset", "reset", state.reset, ("n", "seed"))
    with controls.disclosure("more", "open.more") as is_open:
        if is_open:
            st.caption("unfolded")
    st.session_state["told"] = [(notice.problem, notice.name) for notice in notices]
    st.session_state["query"] = state.query


def values(at: AppTest) -> dict:
    return at.session_state["lesson:bed"]


@pytest.mark.parametrize(
    ("top", "value", "chosen", "after"),
    [(10, 10, None, 50), (64, 50, None, 50), (2, 2, 1, 1), (1, 1, None, 50), (0, 1, None, 50)],
)
def test_a_slider_in_a_narrower_range_says_so_and_comes_back_unless_another_was_chosen(
    top: int, value: int, chosen: int | None, after: int
) -> None:
    at = run(page, n="50")
    at.session_state["top"] = top
    for _ in range(2):
        at.run()
        assert not at.exception
        assert values(at)["n"] == value
        assert [slider.value for slider in at.slider] == ([value] if top > 1 else [])
        said = frame_words.NUMBER_MOVED.say("en", given=50, used=value)
        assert [caption.value for caption in at.caption] == ([said] if value < 50 else [])
        # What comes back here comes back to whoever opens the link.
        assert at.session_state["query"][0]["n"] == "50"
    if chosen is not None:
        at.slider[0].set_value(chosen).run()
        assert not at.caption
        assert at.session_state["query"][0]["n"] == str(chosen)
    at.session_state["top"] = 64
    at.run()
    assert not at.exception
    assert at.slider[0].value == values(at)["n"] == after
    assert not at.caption


def test_a_default_beyond_a_narrower_range_is_moved_without_a_word() -> None:
    at = run(page)
    at.session_state["top"] = 3
    at.run()
    assert (at.slider[0].value, values(at)["n"]) == (3, 3)
    assert not at.caption
    assert "n" not in at.session_state["query"][0]


def test_a_slider_that_was_hidden_comes_back_with_its_value() -> None:
    at = run(page)
    at.slider[0].set_value(9).run()
    for is_shown in (False, True):
        at.session_state["is_shown"] = is_shown
        at.run()
    assert at.slider[0].value == values(at)["n"] == 9


def test_every_control_reports_into_the_state_and_the_link() -> None:
    at = run(page)
    at.number_input[0].set_value(12).run()
    at.selectbox(key="bed.kind").select("b").run()
    at.toggle[0].set_value(True).run()
    at.selectbox(key="bed.place").select(3).run()
    at.text_input[0].set_value("$5 & ü=?").run()
    query, left_out = at.session_state["query"]
    expected = {"lang": "en", "seed": "12", "kind": "b", "on": "1", "place": "3", "text": "$5 & ü=?"}
    assert query == expected
    assert left_out == ()
    again = run(page, **query)
    assert not again.exception
    assert values(again) == values(at)


def test_a_value_between_the_stops_has_its_own_and_its_box_is_empty_again() -> None:
    at = run(page)
    at.text_input(key="bed.width.any").set_value(" 5 ").run()
    slider = at.select_slider(key="bed.width")
    assert (slider.value, slider.options) == (5, ["1", "2", "4", "5", "8"])
    assert at.text_input(key="bed.width.any").value == ""
    slider.set_value(8).run()
    assert values(at)["width"] == 8
    assert at.select_slider(key="bed.width").options == ["1", "2", "4", "8"]


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize(
    ("typed", "used", "left", "named"),
    [
        ("1e9", 64, "", ("1000000000", "64")),
        ("-3", 1, "", ("-3", "1")),
        ("2.6", 3, "", ("2.6", "3")),
        ("<b>$x$", 4, "<b>$x$", ("4", "1", "64")),
        ("nan", 4, "nan", ("4",)),
        ("  ", 4, "  ", ()),
    ],
)
def test_a_typed_number_becomes_the_nearest_legal_one_and_what_is_none_stays_in_the_box(
    language: str, typed: str, used: int, left: str, named: tuple[str, ...]
) -> None:
    at = run(page, lang=language)
    at.text_input(key="bed.width.any").set_value(typed).run()
    assert not at.exception
    assert values(at)["width"] == at.select_slider(key="bed.width").value == used
    assert at.text_input(key="bed.width.any").value == left
    notes = [caption.value for caption in at.caption]
    assert len(notes) == bool(named)
    assert all(number in notes[0] for number in named)
    at.select_slider(key="bed.width").set_value(8).run()
    assert not at.caption, "it is about a value that is no longer there"


def test_a_fraction_is_kept_as_typed_and_an_emptied_one_stays_legal() -> None:
    at = run(page, std="2.25")
    box = at.number_input(key="bed.std")
    assert box.value == 2.25
    box.set_value(0.1).run()
    assert values(at)["std"] == 0.1
    at.number_input(key="bed.std").set_value(None).run()
    assert not at.exception
    assert values(at)["std"] == at.number_input(key="bed.std").value == 0.1


@pytest.mark.parametrize(
    ("name", "typed", "taken", "said"),
    [
        ("seed", -3, 0, "It takes whole numbers from 0 to 9999; -3 became the nearest, 0."),
        (
            "seed",
            1234567890,
            9999,
            "It takes whole numbers from 0 to 9999; 1234567890 became the nearest, 9999.",
        ),
        ("seed", 12.5, 12, "It takes whole numbers from 0 to 9999; 12.5 became the nearest, 12."),
        ("seed", 12.75, 13, "It takes whole numbers from 0 to 9999; 12.75 became the nearest, 13."),
        ("seed", -0.25, 0, "It takes whole numbers from 0 to 9999; -0.25 became the nearest, 0."),
        ("seed", 0.1, 0, "It takes whole numbers from 0 to 9999; 0.1 became the nearest, 0."),
        (
            "seed",
            9999.0000001,
            9999,
            "It takes whole numbers from 0 to 9999; 9999.0000001 became the nearest, 9999.",
        ),
        ("std", 1e9, 10.0, "It may be 0 to 10; 1000000000 became the nearest, 10."),
    ],
)
def test_a_number_out_of_range_or_not_whole_becomes_the_nearest_and_that_is_said(
    name, typed, taken, said
) -> None:
    """H2: no number that was typed is changed without a word."""
    at = run(page)
    at.number_input(key=f"bed.{name}").set_value(typed).run()
    assert not at.exception
    value = values(at)[name]
    assert value == at.number_input(key=f"bed.{name}").value == taken
    assert type(value) is type(taken)
    assert said in [caption.value for caption in at.caption]
    at.number_input(key=f"bed.{name}").set_value(2).run()
    assert values(at)[name] == 2
    assert not any("nearest" in caption.value for caption in at.caption)


def test_a_place_moves_to_the_last_one_when_the_sentence_gets_shorter() -> None:
    at = run(page, place="3")
    at.session_state["names"] = ["x"]
    at.run()
    assert not at.exception
    assert at.selectbox(key="bed.place").value == values(at)["place"] == 1
    assert [caption.value for caption in at.caption] == ["There is no token 3; token 1 is shown."]


@pytest.mark.parametrize(("chosen", "after"), [(None, 3), (1, 1)])
def test_a_place_comes_back_with_the_longer_sentence_unless_another_was_chosen(
    chosen: int | None, after: int
) -> None:
    at = run(page, place="3")
    at.session_state["names"] = ["x", "y"]
    for _ in range(2):
        at.run()
        assert at.selectbox(key="bed.place").value == values(at)["place"] == 2
    if chosen is not None:
        at.selectbox(key="bed.place").select(chosen).run()
    at.session_state["names"] = ["x", "y", "z"]
    at.run()
    assert not at.exception
    assert at.selectbox(key="bed.place").value == values(at)["place"] == after
    assert not at.caption


def test_an_emptied_number_changes_nothing() -> None:
    at = run(page, seed="7")
    at.number_input[0].set_value(None).run()
    assert not at.exception
    assert values(at)["seed"] == at.number_input[0].value == 7


def test_switching_the_language_translates_labels_and_keeps_values() -> None:
    at = run(page, lang="zh", n="9", kind="a")
    assert at.slider[0].label == "标签"
    assert at.selectbox(key="bed.kind").options == ["甲", "B"]
    at.button_group(key="lang.choice").set_value("en").run()
    assert at.slider[0].label == "label"
    assert at.selectbox(key="bed.kind").options == ["first", "B"]
    assert (at.slider[0].value, values(at)["kind"], values(at)["lang"]) == (9, "a", "en")


def test_a_list_is_sent_its_value_again_where_its_labels_are_new() -> None:
    at = run(page, lang="en")
    for key in ("bed.kind", "bed.place"):
        assert at.run().selectbox(key=key).proto.set_value is False, "nothing new, nothing sent"
    at.button_group(key="lang.choice").set_value("zh").run()
    assert (at.selectbox(key="bed.kind").proto.set_value, at.selectbox(key="bed.kind").value) == (True, "a")
    at.session_state["names"] = ["x", "other", "z"]
    at.run()
    assert (at.selectbox(key="bed.place").proto.set_value, at.selectbox(key="bed.place").value) == (True, 2)
    assert at.run().selectbox(key="bed.place").proto.set_value is False


def test_reset_gives_the_named_fields_their_defaults_and_no_others() -> None:
    at = run(page, n="9", seed="5", text="dog")
    at.button(key="reset").click().run()
    assert (values(at)["n"], values(at)["seed"], values(at)["text"]) == (4, 0, "dog")
    assert (at.slider[0].value, at.number_input[0].value) == (4, 0)


def test_notices_stay_until_the_reader_acts() -> None:
    at = run(page, n="99", on="maybe", stranger="1")
    told = [("out_of_range", "n"), ("malformed", "on"), ("unknown", "stranger")]
    assert sorted(at.session_state["told"]) == sorted(told)
    at.run()
    assert sorted(at.session_state["told"]) == sorted(told)
    at.toggle[0].set_value(True).run()
    assert at.session_state["told"] == []


@pytest.mark.parametrize(
    ("given", "language"), [("zh", "zh"), ("en", "en"), (["en", "zh"], "zh"), ("fr", "en"), ("", "en")]
)
def test_the_links_language_counts_and_an_unknown_one_becomes_a_known_one(given, language: str) -> None:
    at = run(page, lang=given)
    assert not at.exception
    assert values(at)["lang"] == language


def test_a_folded_part_is_computed_only_while_it_is_open() -> None:
    at = run(page)
    assert len(at.caption) == 0
    at.button(key="open.more").click().run()
    assert [caption.value for caption in at.caption] == ["unfolded"]
    at.button(key="open.more").click().run()
    assert len(at.caption) == 0


def test_a_text_that_is_too_long_for_the_link_is_kept_and_named() -> None:
    at = run(page)
    at.text_input[0].set_value("x" * 10_000).run()
    query, left_out = at.session_state["query"]
    assert at.text_input[0].value == "x" * 10_000
    assert "text" not in query
    assert left_out == ("text",)


def test_a_lone_surrogate_in_a_text_becomes_the_sign_for_an_unknown_character() -> None:
    at = run(page)
    at.session_state["lesson:bed"]["text"] = "a\ud800b"
    at.run()
    assert not at.exception
    assert at.text_input[0].value == "a\N{REPLACEMENT CHARACTER}b"


def test_the_echo_of_a_replaced_value_is_no_wish_of_the_reader(monkeypatch) -> None:
    at = run(page, n="9")
    at.button(key="reset").click().run()
    at.slider[0].set_value(9).run()  # as the browser does that had not yet heard of the reset
    assert values(at)["n"] == at.slider[0].value == 4
    at.slider[0].set_value(7).run()
    assert values(at)["n"] == 7
    at.button(key="reset").click().run()
    monkeypatch.setattr(controls, "ECHO_S", 0.0)
    at.slider[0].set_value(7).run()  # later it is a wish
    assert values(at)["n"] == 7


def test_a_sentence_given_on_one_page_is_there_on_the_next_unless_a_link_brings_its_own() -> None:
    at = run(page, text="a dog")
    at.session_state["slug"] = "other"
    at.run()
    assert at.session_state["lesson:other"]["text"] == "a dog"
    at.text_input[0].set_value("a bird").run()
    at.session_state["slug"] = "bed"
    at.query_params.clear()
    at.run()
    assert values(at)["text"] == "a bird"
    at.session_state["slug"] = "other"
    at.query_params["text"] = "a fish"
    at.run()
    assert at.session_state["lesson:other"]["text"] == "a fish"


def near_stops() -> None:
    """A page whose value lies just beside a stop."""
    from dashboard import controls
    from dashboard.link import Decimal
    from dashboard.text import Text

    label = Text(zh="标签", en="label")
    state, _ = controls.open_state("bed", lambda _: {"heat": Decimal(4.0, 0.01, 1000.0)})
    controls.steps(state, "heat", label, label, (0.01, 1.0), "{:.3g}".format)


def test_two_stops_that_look_alike_are_told_apart() -> None:
    at = run(near_stops, heat="0.010000001")
    assert at.select_slider[0].options == ["0.01", "0.010000001", "1"]
    assert at.select_slider[0].value == 0.010000001


def test_yes_or_no_may_be_taken_back_soon(monkeypatch) -> None:
    at = run(page)
    clock = [100.0]
    monkeypatch.setattr("dashboard.controls.time.monotonic", lambda: clock[0])
    at.session_state["lesson:bed"] = {**values(at), "on": True}
    at.run()
    assert at.toggle[0].value is True
    clock[0] += controls.FLAG_ECHO_S + 0.01
    at.toggle[0].set_value(False).run()
    assert values(at)["on"] is False


def full_once() -> None:
    """A page on a device that is full, in a run that an action of the reader began, as a fragment's is."""
    import streamlit as st
    import torch

    from dashboard import controls
    from dashboard.link import Place

    fields = {"device": Place("cpu", ("cpu", "cuda"), ("cpu", "cuda"))}
    state, notices = controls.open_state("full", lambda _: fields)
    st.session_state["told"] = [(notice.problem, notice.used) for notice in notices]
    with controls.going_on_on_the_cpu():
        if state["device"] == "cuda":
            st.session_state["controls.acted"] = True
            raise torch.OutOfMemoryError("CUDA out of memory")
        st.session_state["drawn on"] = state["device"]


def test_a_full_device_in_a_run_of_the_readers_own_is_told_of_until_the_next_action() -> None:
    at = run(full_once, device="cuda")
    assert not at.exception
    assert at.session_state["drawn on"] == "cpu"
    assert at.session_state["told"] == [("out_of_memory", "cpu")]
    assert at.session_state["controls.shared"]["device"] == "cpu"
    at.run()
    assert at.session_state["told"] == [("out_of_memory", "cpu")]
