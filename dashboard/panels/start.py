"""The start page: a first sentence, the pipeline as a picture, readings, glossary."""

from collections.abc import Mapping

import streamlit as st

from attention_core.tokens import MAX_CHARACTERS, tokenize
from dashboard.catalog import LESSONS
from dashboard.controls import State
from dashboard.frame import code_span
from dashboard.link import Field, Line
from dashboard.panels.qkv.settings import sentence
from dashboard.text import Language, glossary, start
from dashboard.text import qkv as qkv_words

QKV = next(lesson for lesson in LESSONS if lesson.slug == "qkv")


def start_fields(language: Language) -> Mapping[str, Field]:
    """List the fields of the start page's link."""
    return {"text": Line(qkv_words.FIRST_SENTENCE.say(language), MAX_CHARACTERS)}


def first_sentence(state: State) -> None:
    """Take a sentence, show its tokens, and lead into the lesson with it."""
    language = state.language
    if not sentence(state, "text", start.TRY):
        return
    tokens = tokenize(state["text"])
    st.markdown(start.TOKENS.say(language, n=len(tokens), tokens=" ".join(map(code_span, tokens))))
    st.caption(qkv_words.RULE.say(language))
    st.page_link(
        QKV.file,
        label=f"**{start.FOLLOW.say(language)}** →",
        query_params={"lang": language, "text": state["text"]},
    )


def pipeline_picture(state: State) -> None:
    """Draw the pipeline as boxes in order; each leads to its stage."""
    language = state.language
    st.subheader(start.PIPELINE.say(language), anchor="pipeline")
    st.caption(start.PIPELINE_HELP.say(language))
    with st.container(horizontal=True, gap="small"):
        for place, (stage, symbol, meaning) in enumerate(start.STEPS, 1):
            with st.container(border=True, width=210):
                st.page_link(
                    QKV.file,
                    label=f"{place}. **{symbol}**",
                    query_params={"lang": language, "text": state["text"], "stage": stage, "cell": "1.1"},
                )
                st.caption(meaning.say(language))


def readings(language: Language) -> None:
    """List what to read and what each is good for."""
    st.subheader(start.READING.say(language), anchor="reading")
    st.markdown("\n".join(f"- **{title}** — {use.say(language)}" for title, use in start.READINGS))


def terms(language: Language) -> None:
    """List the terms in both languages: the one place where they stand together."""
    st.subheader(start.GLOSSARY.say(language), anchor="glossary")
    head = [text.say(language) for text in start.GLOSSARY_COLUMNS]
    lines = [f"| {' | '.join(head)} |", "| --- | --- | --- | --- |"]
    for entry in glossary.GLOSSARY:
        lines.append(
            f"| {entry.term.zh} | {entry.term.en} | {entry.symbol} | {entry.meaning.say(language)} |"
        )
    st.markdown("\n".join(lines))
