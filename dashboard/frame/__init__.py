"""What every lesson has around it: its opening, notices, the link, provenance, tables, code."""

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pandas as pd
import streamlit as st

from dashboard import controls
from dashboard.controls import State
from dashboard.grid.bench import Area, Part
from dashboard.grid.lines import Line, Piece, lines_part, prose
from dashboard.link import STANDARD, Field, Notice
from dashboard.text import Language, Text
from dashboard.text import frame as words

_HERE = Path(__file__).parent
_link = st.components.v2.component(
    "attention_lab_link",
    js=(_HERE / "link.js").read_text(encoding="utf-8"),
    css=(_HERE / "link.css").read_text(encoding="utf-8"),
    isolate_styles=False,  # its style sheet also narrows the page's margins, which no setting of Streamlit does
)


def code_span(text: str) -> str:
    """Write a reader's text as inline code: Markdown, HTML and LaTeX inside it stay what they are.

    Example:
        >>> code_span("$5"), code_span("a`b"), code_span("`")
        ('`$5`', '``a`b``', '`` ` ``')
    """
    shown = "".join(" " if character in "\r\n\t" else character for character in text) or "∅"
    shown = shown.encode(errors="replace").decode()
    longest = max((len(run) for run in _runs_of_backticks(shown)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def _runs_of_backticks(text: str) -> list[str]:
    runs, current = [], ""
    for character in text + " ":
        if character == "`":
            current += character
        elif current:
            runs.append(current)
            current = ""
    return runs


def markdown_table(
    head: tuple[str, ...], rows: list[tuple[str, ...]], foot: tuple[str, ...] | None = None
) -> str:
    """Lay texts out as a Markdown table, the first column to the left, the others to the right.

    Example:
        >>> print(markdown_table(("a", "b"), [("1", "2")]))
        | a | b |
        | --- | ---: |
        | 1 | 2 |
    """
    rule = tuple("---:" if column else "---" for column in range(len(head)))
    lines = [head, rule, *rows, *([foot] if foot else [])]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def open_lesson(
    slug: str, title: Text, claim: Text, fields_in: Callable[[Language], Mapping[str, Field]]
) -> State:
    """Begin a page: read its values, say its title and claim, and what its link got wrong."""
    state, notices = controls.open_state(slug, fields_in)
    language = state.language
    with st.sidebar:
        controls.language_switch()
        _link(
            key="link",
            data={
                "lang": language,
                "label": words.COPY_LINK.say(language),
                "help": words.LINK_HELP.say(language),
                "copied": words.COPIED.say(language),
                "failed": words.COPY_FAILED.say(language),
            },
        )
    st.title(title.say(language), anchor=False)
    st.markdown(f"{claim.say(language)} {words.GLOSSARY_LINK.say(language)}")
    for notice in notices:
        st.warning(say_notice(notice, language))
    return state


def say_notice(notice: Notice, language: Language) -> str:
    """Put what a link got wrong into words; the stranger's value is shown literally."""
    return words.NOTICES[notice.problem].say(
        language,
        name=code_span(notice.name),
        given=code_span(notice.given),
        used=words.DEFAULT_WORD.say(language) if notice.used in {"", STANDARD} else code_span(notice.used),
    )


def end_sidebar(state: State, on_device: Text | None = None) -> None:
    """Close the sidebar: the device, where a view's numbers depend on it, and what the link leaves out.

    Views that spell their numbers out cell by cell are computed on the processor: some hundred numbers, which any other
    device would take longer for, and the same to the last digit as those that the page's script prints.

    Args:
        on_device: What of the view in sight is computed on the reader's device; None for nothing.
    """
    with st.sidebar:
        if on_device is not None:
            controls.device_switch(state, on_device)
        say_left_out(state)


def say_left_out(state: State) -> None:
    """Name what the present link cannot hold."""
    left_out = state.left_out()
    if left_out:
        st.caption(words.LEFT_OUT.say(state.language, names=", ".join(map(code_span, left_out))))


def table(
    frame: Callable[[], pd.DataFrame], name: str, language: Language, title: Text | None = None
) -> None:
    """Offer a chart's numbers as a table and as CSV.

    Args:
        frame: Makes the table; asked only while it is shown.
        title: Whose numbers they are, where a view has several charts.
    """
    label = words.TABLE if title is None else words.TABLE_OF
    said = label.say(language) if title is None else label.say(language, title=title.say(language))
    with controls.disclosure(said, f"open.table.{name}") as is_open:
        if is_open:
            numbers = frame()
            st.dataframe(numbers, hide_index=True)
            csv = numbers.to_csv(index=False).encode("utf-8-sig")
            download(words.DOWNLOAD_CSV.say(language), csv, f"{name}.csv")


def reproduce(script: Callable[[], str], name: str, language: Language, help_text: str) -> None:
    """Offer the script that prints this page's present numbers, in a window over the page.

    Args:
        help_text: What the script prints and what not.
    """

    @st.dialog(words.REPRODUCE.say(language), width="large")
    def show() -> None:
        text = script()
        st.caption(help_text)
        download(words.DOWNLOAD_SCRIPT.say(language), text.encode(), f"{name}.py")
        st.code(text, language="python")

    if controls.button(words.REPRODUCE.say(language), f"open.script.{name}", lambda: None):
        show()


def download(label: str, data: bytes, file_name: str) -> None:
    """Offer a file."""
    mime = {"csv": "text/csv", "py": "text/x-python"}[file_name.rsplit(".", 1)[1]]
    st.download_button(
        label, data, file_name=file_name, mime=mime, key=f"download.{file_name}", on_click="ignore"
    )


def source(functions: list[Callable[..., object]], language: Language) -> None:
    """List the source of the functions that ran."""
    with controls.disclosure(words.SOURCE_CODE.say(language), "open.source") as is_open:
        if is_open:
            st.code("\n\n".join(inspect.getsource(function) for function in functions), language="python")


def ask(question: str, answer: str, language: Language) -> None:
    """Ask what the picture answers; the reader unfolds the answer, which is computed."""
    st.markdown(f"**{words.QUESTION.say(language)}** {question}")
    with st.expander(words.ANSWER.say(language)):
        st.markdown(answer)


def asked_parts(question: str, answer: str, language: Language) -> dict[str, tuple[Area, Part]]:
    """Ask at the end of a bench; the reader's own words are marked as for `prose`."""
    said = [Line(prose(answer), "prose")]
    return _asked(question, lines_part(words.ANSWER.say(language), said, is_folded=True), language)


def asked_and_measured(
    key: str, question: str, answer: Callable[[], str], language: Language
) -> dict[str, tuple[Area, Part]]:
    """Ask for what takes a measurement of its own: the answer is made while it is unfolded."""
    kept = f"is_open:answer:{key}"
    is_open = bool(st.session_state.get(kept))
    said = [Line(prose(answer()), "prose")] if is_open else []
    unfold = partial(st.session_state.__setitem__, kept)
    folded = lines_part(words.ANSWER.say(language), said, is_folded=True, on_unfold=unfold, is_open=is_open)
    return _asked(question, folded, language)


def _asked(question: str, answer: Part, language: Language) -> dict[str, tuple[Area, Part]]:
    label = words.QUESTION.say(language)
    asked = [Line([Piece(label)], "heading"), Line(prose(question), "prose")]
    return {"question": ("end", lines_part(label, asked)), "answer": ("end", answer)}
