"""One query's way: its scores against each key, its weights, the mix of values, the arrows."""

from collections.abc import Callable, Sequence

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
from dashboard.frame import ask, code_span, table
from dashboard.grid.picture import visible
from dashboard.number_format import significant
from dashboard.number_table import show_table
from dashboard.panels.qkv.matrices import show_array
from dashboard.panels.qkv.model import Model, build
from dashboard.roles import HUES
from dashboard.text import Language
from dashboard.text import grid as grid_words
from dashboard.text import qkv as words

# Cosines that differ by less are one direction.
SAME_DIRECTION = 1e-9


def story(state: State) -> None:
    """Follow one query token through retrieval."""
    model = build(state)
    language = state.language
    names = [f"{place} {token}" for place, token in enumerate(model.queries, 1)]
    n = controls.choose_place(state, "query", words.QUERY, words.QUERY_HELP, names)
    weights = model.trace.weights[n]
    seen = seen_by(model, n)
    best = [m for m in seen if weights[m] == weights.max()]
    said = say_best(model, n, best, language, code_span)
    tale = words.STORY_GIVEN if model.trace.q is None else words.STORY
    st.markdown(tale.say(language, seen=len(seen), **said))
    frame = story_frame(model, n)
    left, right = st.columns(2, gap="medium")
    with left:
        show_bars(state, model, n, say_best(model, n, best, language, visible))
        show_terms(state, model, n, frame)
    with right:
        if model.trace.q is None:
            st.info(words.NO_QK.say(language))
        else:
            show_plane(state, model, n)
    show_mix(state, model, n)
    st.caption(words.STORY_IMAGES.say(language))
    if "cosine" in frame and len(best) == 1 < len(seen):
        ask_length(state, model, best[0], frame, said)


def say_best(
    model: Model, n: int, best: Sequence[int], language: Language, literal: Callable[[str], str]
) -> dict[str, str]:
    """Name a query, the keys that it weighs most, and their weight.

    Args:
        literal: How a token is set where it will stand: as code in Markdown, as itself in plain text.
    """
    return {
        "token": literal(model.queries[n]),
        "best": words.AND.say(language).join(literal(f"{m + 1} {model.keys[m]}") for m in best),
        "value": significant(float(model.trace.weights[n].max())),
    }


def seen_by(model: Model, n: int) -> list[int]:
    """Name the keys that a query may see."""
    allowed = model.trace.allowed
    return [m for m in range(len(model.keys)) if allowed is None or allowed[n, m]]


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
    columns["scaled"] = trace.scaled[n].tolist()
    if trace.allowed is not None:
        columns["masked"] = trace.masked[n].tolist()
    columns["exponential"] = [exponential.value for exponential in softmax.exponentials]
    columns["weights"] = trace.weights[n].tolist()
    return pd.DataFrame(columns)


def show_bars(state: State, model: Model, n: int, said: dict[str, str]) -> None:
    """Draw the weights of one query."""
    language = state.language
    spec = weight_bars(grid_words.KEY.say(language), words.NAMES["weights"].say(language), len(model.keys))
    st.vega_lite_chart(
        bars_frame(model.keys, model.trace.weights[n].tolist()),
        spec,
        key="chart.bars",
        alt=words.BARS_ALT.say(language, **said),
    )


def show_terms(state: State, model: Model, n: int, frame: pd.DataFrame) -> None:
    """List each key's numbers and their sums, with the same as CSV."""
    language = state.language
    head = tuple(words.STORY_COLUMNS[column].say(language) for column in frame)
    show_table(
        frame.drop(columns="key").to_numpy(),
        words.STORY_TABLE.say(language),
        language,
        key="grid.terms",
        rows=model.keys,
        columns=head[1:],
        row="key",
    )
    total, one = frame["exponential"].sum(), frame["weights"].sum()
    st.markdown(words.SUMS.say(language, total=significant(total), sum=significant(one)))


def show_plane(state: State, model: Model, n: int) -> None:
    """Draw the query and all keys as arrows."""
    language = state.language
    theme = controls.theme()
    seen = seen_by(model, n)
    q, k = model.trace.q[n], model.trace.k[seen]
    plane = query_plane(q, k)
    d_k = q.shape[0]
    titles = (
        (words.AXIS_FIRST, words.AXIS_SECOND) if plane.is_exact else (words.AXIS_ALONG, words.AXIS_BESIDE)
    )
    query, key = words.NAMES["q"].say(language), words.NAMES["k"].say(language)
    st.markdown(f"**{words.PLANE.say(language)}**")
    names = [f"q{n + 1} {model.queries[n]}", *(f"k{m + 1} {model.keys[m]}" for m in seen)]
    tips = [tuple(plane.query.tolist()), *map(tuple, plane.keys.tolist())]
    frame = arrows_frame(tips, names, [query, *[key] * len(seen)])
    st.vega_lite_chart(
        frame,
        arrows(*(title.say(language) for title in titles), query, key, HUES["q"][theme], HUES["k"][theme]),
        key="chart.plane",
        width="content",
        alt=words.PLANE_ALT.say(language, token=model.queries[n], n=len(seen)),
    )
    tips_frame = frame[frame["part"] == "tip"]
    if (tips_frame["label"] == "").any():
        st.caption(words.PLANE_UNNAMED.say(language, n=int((tips_frame["label"] == "").sum())))
    if len(seen) < len(model.keys):
        st.caption(words.PLANE_HIDDEN.say(language, n=len(model.keys) - len(seen)))
    if plane.is_exact:
        st.caption(words.PLANE_EXACT.say(language))
    else:
        kept = significant(100 * plane.kept)
        st.caption(
            words.PLANE_PROJECTED.say(language, d_k=d_k, length=significant(float(q.norm())), kept=kept)
        )
    shown = tips_frame[["name", "x", "y"]]
    table(
        lambda: shown.set_axis(["", *(title.say(language) for title in titles)], axis=1), "arrows", language
    )


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
            first_row=n + 1,
        )


def ask_length(state: State, model: Model, best: int, frame: pd.DataFrame, said: dict[str, str]) -> None:
    """Ask whether alignment or length lets one key lead; the answer is computed."""
    language = state.language
    seen = [m for m in range(len(model.keys)) if frame["weights"][m] > 0]
    highest = max(frame["cosine"][m] for m in seen)
    aligned = [m for m in seen if frame["cosine"][m] >= highest - SAME_DIRECTION]
    if aligned == [best]:
        answer = words.ANSWER_SAME
    else:
        answer = words.ANSWER_TIE if best in aligned else words.ANSWER_OTHER
    fields = {
        "aligned": words.AND.say(language).join(code_span(f"{m + 1} {model.keys[m]}") for m in aligned),
        "cosine": significant(highest),
        "length": significant(frame["length"][aligned[0]]),
        "best": said["best"],
        "best_cosine": significant(frame["cosine"][best]),
        "best_length": significant(frame["length"][best]),
    }
    ask(words.QUESTION_LENGTH.say(language, **said), answer.say(language, **fields), language)
