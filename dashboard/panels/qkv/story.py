"""One query's way: its scores against each key, its weights, the mix of values, the arrows."""

import numpy as np
import pandas as pd
import streamlit as st

from attention_core.experiments.alignment import measure_alignment
from attention_core.explain import explain
from attention_core.plane import query_plane
from dashboard import controls
from dashboard.charts.bars import bars_frame, weight_bars
from dashboard.charts.plane import arrows, arrows_frame
from dashboard.controls import State
from dashboard.frame import code_span, table
from dashboard.number_format import significant
from dashboard.panels.qkv.matrices import show_array, show_table
from dashboard.panels.qkv.model import Model, build
from dashboard.panels.qkv.question import ask
from dashboard.roles import HUES
from dashboard.text import qkv as words


def story(state: State) -> None:
    """Follow one query token through retrieval."""
    model = build(state)
    language = state.language
    names = [f"{place} {token}" for place, token in enumerate(model.queries, 1)]
    n = controls.choose_place(state, "query", words.QUERY, words.QUERY_HELP, names)
    weights = model.trace.weights[n]
    best = int(weights.argmax())
    said = {
        "token": code_span(model.queries[n]),
        "best": code_span(model.keys[best]),
        "value": significant(float(weights[best])),
    }
    st.markdown(words.STORY.say(language, **said))
    frame = story_frame(model, n)
    left, right = st.columns(2, gap="medium")
    with left:
        show_bars(state, model, n, said)
        show_terms(state, model, n, frame)
    with right:
        if model.trace.q is None:
            st.info(words.NO_QK.say(language))
        else:
            show_plane(state, model, n)
    show_mix(state, model, n)
    if "cosine" in frame:
        ask_length(state, model, n, frame, said)


def story_frame(model: Model, n: int) -> pd.DataFrame:
    """Tabulate what one query meets at each key, from the explanation of its weights."""
    trace = model.trace
    softmax = explain(trace, "weights", n, 0)
    columns: dict[str, list] = {"key": [f"{m} {token}" for m, token in enumerate(model.keys, 1)]}
    if trace.q is not None:
        alignment = measure_alignment(trace.q[n], trace.k)
        columns["length"] = alignment.lengths.tolist()
        columns["cosine"] = alignment.cosines.tolist()
        columns["scores"] = trace.scores[n].tolist()
    columns["scaled"] = trace.masked[n].tolist()
    columns["exponential"] = [exponential.value for exponential in softmax.exponentials]
    columns["weights"] = trace.weights[n].tolist()
    return pd.DataFrame(columns)


def show_bars(state: State, model: Model, n: int, said: dict[str, str]) -> None:
    """Draw the weights of one query."""
    language = state.language
    spec = weight_bars(words.GRID_KEY.say(language), words.NAMES["weights"].say(language), len(model.keys))
    st.vega_lite_chart(
        bars_frame(model.keys, model.trace.weights[n].tolist()),
        spec,
        key="chart.bars",
        alt=words.BARS_ALT.say(language, **said).replace("`", ""),
    )


def show_terms(state: State, model: Model, n: int, frame: pd.DataFrame) -> None:
    """List each key's numbers and their sums, with the same as CSV."""
    language = state.language
    head = tuple(words.STORY_COLUMNS[column].say(language) for column in frame)
    show_table(
        state,
        frame.drop(columns="key").to_numpy(),
        words.STORY_TABLE.say(language),
        key="grid.terms",
        rows=model.keys,
        columns=head[1:],
        row="key",
    )
    total, one = frame["exponential"].sum(), frame["weights"].sum()
    st.markdown(words.SUMS.say(language, total=significant(total), sum=significant(one)))
    table(frame.set_axis(head, axis=1), "query", language)


def show_plane(state: State, model: Model, n: int) -> None:
    """Draw the query and all keys as arrows."""
    language = state.language
    theme = controls.theme()
    q, k = model.trace.q[n], model.trace.k
    plane = query_plane(q, k)
    d_k = q.shape[0]
    titles = (
        (words.AXIS_FIRST, words.AXIS_SECOND) if plane.is_exact else (words.AXIS_ALONG, words.AXIS_BESIDE)
    )
    query, key = words.NAMES["q"].say(language), words.NAMES["k"].say(language)
    st.markdown(f"**{words.PLANE.say(language)}**")
    names = [f"q{n + 1} {model.queries[n]}", *(f"k{m} {token}" for m, token in enumerate(model.keys, 1))]
    tips = [tuple(plane.query.tolist()), *map(tuple, plane.keys.tolist())]
    frame = arrows_frame(tips, names, [query, *[key] * len(model.keys)])
    st.vega_lite_chart(
        frame,
        arrows(*(title.say(language) for title in titles), query, key, HUES["q"][theme], HUES["k"][theme]),
        key="chart.plane",
        width="content",
        alt=words.PLANE_ALT.say(language, token=model.queries[n], n=len(model.keys)),
    )
    if plane.is_exact:
        st.caption(words.PLANE_EXACT.say(language))
    else:
        kept = significant(100 * plane.kept)
        st.caption(
            words.PLANE_PROJECTED.say(language, d_k=d_k, length=significant(float(q.norm())), kept=kept)
        )
    shown = frame[frame["part"] == "tip"][["name", "x", "y"]]
    table(shown.set_axis(["", *(title.say(language) for title in titles)], axis=1), "arrows", language)


def show_mix(state: State, model: Model, n: int) -> None:
    """Show weight times value for each key, and their sum."""
    language = state.language
    made = [explain(model.trace, "out", n, j) for j in range(model.trace.v.shape[1])]
    contributions = np.array([[product.value for product in one.products] for one in made]).T
    out = model.trace.out[n : n + 1].numpy()
    reach = max(float(np.abs(numbers).max()) for numbers in (contributions, out)) or 1.0
    left, right = st.columns(2, gap="medium")
    with left:
        show_array(
            state,
            contributions,
            words.MIX.say(language),
            key="grid.mix",
            rows=model.keys,
            row="key",
            role="v",
            domain=reach,
        )
    with right:
        show_array(
            state,
            out,
            words.MIX_SUM.say(language),
            key="grid.mixed",
            rows=model.queries[n : n + 1],
            row="query",
            role="out",
            domain=reach,
        )


def ask_length(state: State, model: Model, n: int, frame: pd.DataFrame, said: dict[str, str]) -> None:
    """Ask whether alignment or length decided; the answer is computed."""
    language = state.language
    seen = [m for m in range(len(model.keys)) if frame["weights"][m] > 0]
    aligned = max(seen, key=lambda m: frame["cosine"][m])
    best = int(model.trace.weights[n].argmax())
    answer = words.ANSWER_SAME if model.keys[aligned] == model.keys[best] else words.ANSWER_OTHER
    fields = {"aligned": code_span(model.keys[aligned]), "best": said["best"]}
    ask(
        words.QUESTION_LENGTH.say(language, **said),
        answer.say(language, cosine=significant(frame["cosine"][aligned]), **fields),
        language,
    )
