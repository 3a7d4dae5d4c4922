"""The timeline: every row opens and leads to where it can be tried."""

import pytest

from dashboard.panels.complexity.fields import complexity_fields
from dashboard.panels.variants import timeline as view
from dashboard.panels.variants.timeline import ELSEWHERE, ENTRIES, VARIANT_OF
from dashboard.text import LANGUAGES
from dashboard.text import variant_timeline as words
from tests.pages.reading import dangers, drawings, told, wrong_language


@pytest.fixture
def opened(look_at):
    def open_it(language="en", *, is_touched=False, **query):
        at = look_at("variants", is_touched=is_touched, lang=language, view="timeline", **query)
        assert not at.exception
        assert not list(dangers(at))
        assert not wrong_language(at, language)
        return at

    return open_it


def test_rows_stand_in_the_order_of_their_years():
    years = [int(year) for year in words.YEARS.values()]
    assert years == sorted(years)
    assert set(words.YEARS) == set(words.PAPERS) == set(words.SHORT) == set(words.MORE) == set(words.ONE)
    assert set(VARIANT_OF) | set(ELSEWHERE) | {"rnn"} == set(ENTRIES)
    assert not any(char.isdigit() for paper in words.PAPERS.values() for char in paper), (
        "the year has a column"
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_lists_all_and_the_opened_one_is_said(opened, language):
    at = opened(language, paper="linear")
    table = drawings(at)["papers"]
    assert table["row_names"] == [words.ONE[entry].say(language) for entry in ENTRIES]
    assert table["picked"] == ENTRIES.index("linear") * 3
    assert words.MORE["linear"].say(language) in told(at)


def test_each_attention_leads_to_the_view_side_by_side(opened):
    for entry in ("bahdanau", "one_kv"):
        at = opened(is_touched=True, paper=entry, h_kv="3")
        at.button(key=f"timeline.{entry}").click().run()
        state = at.session_state["lesson:variants"]
        assert (state["view"], state["b"]) == ("compare", VARIANT_OF[entry])
        assert "weights.b" in drawings(at)
        assert state["h_kv"] == (1 if entry == "one_kv" else 3)


def test_the_rnn_leads_to_the_encoder_and_costs_to_their_lesson(opened):
    at = opened(is_touched=True, paper="rnn")
    at.button(key="timeline.rnn").click().run()
    assert at.session_state["lesson:variants"]["view"] == "encoder"
    fields = complexity_fields("en")
    for entry, there in ELSEWHERE.items():
        links = [element.proto for element in opened(paper=entry).get("page_link")]
        assert there.label.en in links[-1].label
        for name, value in there.query.items():
            assert fields[name].read(value)[1] is None


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("query", [{"paper": "linformer", "is_causal": "1"}, {"paper": "sink", "text": "a"}])
def test_what_cannot_run_on_the_sentence_is_said(opened, language, query):
    lines = told(opened(language, **query))
    assert (words.OWN_REFUSED.say(language) in lines) == ("is_causal" in query)


def test_a_pick_opens_its_row(opened, monkeypatch):
    shown = {}
    real = view.show_bench
    monkeypatch.setattr(view, "show_bench", lambda key, parts: (shown.update(parts), real(key, parts)))
    at = opened(is_touched=True)
    shown["papers"][1].hear("pick", {"row": ENTRIES.index("fused"), "column": 0})
    at.run()
    assert words.MORE["fused"].en in told(at)
    assert "paper=fused" in drawings(at)["address"]["query"].split("&")
