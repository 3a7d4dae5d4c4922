"""A reader's words reach the page as text, and what a link got wrong is said in the reader's language."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.frame import code_span, markdown_table, say_notice
from dashboard.link import Notice
from dashboard.text import frame as words


@given(st.text())
def test_a_code_span_opens_and_closes_with_a_fence_that_the_text_does_not_hold(text: str) -> None:
    span = code_span(text)
    fence = re.match("`+", span).group()
    assert span.endswith(fence)
    inside = span[len(fence) : -len(fence)]
    assert fence not in re.findall("`+", inside)
    assert "\n" not in span
    assert span.encode()


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("<img src=x onerror=alert(1)>", "`<img src=x onerror=alert(1)>`"),
        ("$5 and $6", "`$5 and $6`"),
        (":material/home:", "`:material/home:`"),
        ("", "`∅`"),
        ("\ud800", "`?`"),
        ("``", "``` `` ```"),
    ],
)
def test_html_formulas_and_directives_stay_what_they_are(text: str, span: str) -> None:
    assert code_span(text) == span


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("problem", words.NOTICES)
def test_every_notice_names_the_field_and_both_values(problem: str, language: str) -> None:
    said = say_notice(Notice(problem, "d_k", "<b>99</b>", "64"), language)
    assert "`d_k`" in said
    assert "`<b>99</b>`" in said
    assert "`64`" in said or problem == "unknown"


def test_a_table_has_a_foot_where_one_is_given() -> None:
    assert markdown_table(("a",), [("1",)], ("Σ",)).splitlines() == ["| a |", "| --- |", "| 1 |", "| Σ |"]
