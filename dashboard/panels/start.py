"""The start page: a first sentence, the pipeline as a picture, readings, glossary."""

from collections.abc import Mapping, Sequence

import streamlit as st

from attention_core.single_head import own_sentence, trace_single_head
from attention_core.tokens import MAX_CHARACTERS, check_text, tokenize
from dashboard import controls
from dashboard.catalog import LESSONS
from dashboard.controls import State
from dashboard.frame import code_span
from dashboard.link import Field, Line, write_link
from dashboard.panels.qkv.fields import qkv_fields
from dashboard.panels.sentence import sentence
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
        query_params=lesson_query(state, "embedding"),
    )


def pipeline_picture(state: State) -> None:
    """Draw the pipeline as boxes in order, with this sentence's shapes; each leads to its stage."""
    language = state.language
    st.subheader(start.PIPELINE.say(language), anchor="pipeline")
    st.caption(start.PIPELINE_HELP.say(language))
    shapes = shapes_of(tokenize(state["text"]), language) if check_text(state["text"]) is None else {}
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
        for place, (stage, symbol, meaning) in enumerate(start.STEPS, 1):
            if place > 1:
                st.markdown("→", width="content")
            with st.container(border=True, width=205, gap="xsmall"):
                st.page_link(
                    QKV.file,
                    label=f"{place}. {symbol}",
                    query_params=lesson_query(state, stage),
                )
                st.caption(f"{meaning.say(language)}  \n{shapes.get(stage, '')}")


def lesson_query(state: State, stage: str) -> dict[str, str]:
    """Lead to a stage with this sentence, and with all that the reader has set there before."""
    fields = controls.with_language(state.language, qkv_fields)
    kept = controls.kept_values(QKV.slug, fields)
    here = {"lang": state.language, "text": state["text"], "view": "pipeline", "stage": stage, "cell": (0, 0)}
    query, _ = write_link(kept | here, fields, frozenset({"lang", "text", "stage"}))
    return query


def shapes_of(tokens: Sequence[str], language: Language) -> Mapping[str, str]:
    """Write the shape of each stage of a sentence, with the widths that the lesson has."""
    kept = controls.kept_values(QKV.slug, controls.with_language(language, qkv_fields))
    sizes = {name: kept[name] for name in ("seed", "d_model", "d_k", "d_v", "positions")}
    trace = trace_single_head(own_sentence(tokens, **sizes))
    return {stage: " × ".join(map(str, getattr(trace, stage).shape)) for stage, _, _ in start.STEPS}


def readings(language: Language) -> None:
    """List what to read and what each is good for."""
    st.subheader(start.READING.say(language), anchor="reading")
    lines = [
        start.READING_LINE.say(language, title=title, url=url, use=use.say(language))
        for title, url, use in start.READINGS
    ]
    st.markdown("\n".join(lines))


def terms(language: Language) -> None:
    """List the terms in both languages: the one place where they stand together."""
    st.subheader(start.GLOSSARY.say(language), anchor="glossary")
    head = [text.say(language) for text in start.GLOSSARY_COLUMNS]
    rows = [
        (f"{entry.term.zh} {entry.term.en}", entry.symbol, entry.meaning.say(language))
        for entry in glossary.GLOSSARY
    ]
    lines = [" | ".join(("", *line, "")) for line in (head, ["---"] * 3, *rows)]
    st.markdown("\n".join(line.strip() for line in lines))
