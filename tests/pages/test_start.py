"""The start page in both languages, with any text."""

import pytest

from attention_core.tokens import tokenize
from dashboard.text import LANGUAGES
from dashboard.text import start as words
from tests.pages.reading import dangers, outside_code, sentences, wrong_language

TEXTS = {
    "ordinary": "我爱注意力 attention!",
    "one token": "cat",
    "64 tokens": "猫" * 64,
    "65 tokens": "猫" * 65,
    "10 000 characters": "x" * 10_000,
    "empty": "",
    "spaces": "   ",
    "html": "<img src=x onerror=alert(1)>",
    "dollars": "$5 and $6",
    "backticks": "a `b` ``c`` | d",
    "emoji": "👩‍👩‍👧 e\u0301 🇨🇳",
}
REFUSED = {"65 tokens", "10 000 characters"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_visit_shows_title_pipeline_readings_and_glossary(open_page, language: str) -> None:
    at = open_page("", lang=language)
    assert not at.exception
    assert not at.warning
    assert at.title[0].value == words.TITLE.say(language)
    said = "\n".join(sentences(at))
    for text in (words.CLAIM, words.PIPELINE, words.READING, words.GLOSSARY):
        assert text.say(language) in said


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", TEXTS)
def test_any_text_is_shown_literally_or_refused_kindly(open_page, language: str, name: str) -> None:
    text = TEXTS[name]
    at = open_page("", left_here={"text": text}, lang=language)
    refused = [error.value for error in at.error]
    assert not at.exception
    assert list(dangers(at)) == []
    assert wrong_language(at, language) == []
    assert len(refused) == (name in REFUSED)
    assert at.text_input[0].value == text, "nothing is cut silently"
    said = [sentence for sentence in sentences(at) if outside_code(sentence) != sentence]
    if text.strip() and name not in REFUSED:
        assert any(all(token.replace("`", "") in s for token in tokenize(text)) for s in said)


def test_a_lone_surrogate_does_no_harm(open_page) -> None:
    at = open_page("", left_here={"text": "a\ud800b \ud83d"}, lang="en")
    assert not at.exception
    assert list(dangers(at)) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_start_page_does_not_know_is_said_and_ignored(open_page, language: str) -> None:
    at = open_page("", lang=language, d_k="4", text=["cat", "dog"])
    assert not at.exception
    assert len(at.warning) == 2
    assert wrong_language(at, language) == []
    assert at.session_state["lesson:"]["text"] == "dog"
