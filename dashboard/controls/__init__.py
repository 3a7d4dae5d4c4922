"""The only input widgets, and the only place that reads and writes a page's link.

A page's values live in one plain dictionary a lesson in the visitor's session. Widgets are seeded from it and
report into it, so a value outlives a hidden widget, another page and a change of language. The link mirrors it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.link import Choice, Field, Notice, read_link, write_link
from dashboard.text import LANGUAGES, Language, Text

_FOLDER = Path(__file__).parent
_strip = st.components.v2.component(
    "attention_lab_strip",
    js=(_FOLDER / "strip.js").read_text(encoding="utf-8"),
    css=(_FOLDER / "strip.css").read_text(encoding="utf-8"),
)

ALWAYS_WRITTEN = frozenset({"lang"})
_ACTED = "controls.acted"
_SLUG = "controls.slug"
_WRITTEN = "controls.written"


class State:
    """The values of one lesson for one visitor, and what its link could not take over."""

    def __init__(self, slug: str, fields: Mapping[str, Field]) -> None:
        self.slug = slug
        self.fields = fields
        self.values: dict[str, Any] = st.session_state.setdefault(f"lesson:{slug}", {})

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    @property
    def language(self) -> Language:
        """The language of this visit."""
        return self.values["lang"]

    def key(self, name: str) -> str:
        """Name the widget of a field."""
        return f"{self.slug}.{name}"

    def put(self, name: str, value: Any) -> None:
        """Change one value, as an action of the reader, and write the link."""
        st.session_state[_ACTED] = True
        self.values[name] = value
        self.write()

    def reset(self, names: Sequence[str]) -> None:
        """Give fields back their defaults."""
        for name in names:
            self.put(name, self.fields[name].default)

    @property
    def query(self) -> tuple[dict[str, str], tuple[str, ...]]:
        """The link's query, and the fields that were too large for it."""
        return write_link(self.values, self.fields, ALWAYS_WRITTEN)

    def write(self) -> None:
        """Bring the address bar in line with the values."""
        query, _ = self.query
        st.session_state[_WRITTEN] = query
        if st.query_params.to_dict() != query:
            st.query_params.from_dict(query)


def open_state(slug: str, fields_in: Callable[[Language], Mapping[str, Field]]) -> tuple[State, list[Notice]]:
    """Read a page's values from its link or from what the visitor left here, and write the link.

    The link speaks on the first visit, when it brings values to a page just opened, and after the browser's
    Back and Forward: that is, when it differs from what was last written although no widget was touched.

    Args:
        fields_in: The page's fields in one language: some defaults, such as a first sentence, depend on it.
    """
    query = {name: st.query_params.get_all(name) for name in st.query_params}
    language = visit_language()
    acted = st.session_state.pop(_ACTED, False)
    is_same_page = st.session_state.get(_SLUG) == slug
    st.session_state[_SLUG] = slug
    kept = st.session_state.get(f"lesson:{slug}")
    moved = {name: given[-1] for name, given in query.items()} != st.session_state.get(_WRITTEN)
    speaks = (
        kept is None
        or (not is_same_page and query.keys() - {"lang"})
        or (not acted and is_same_page and moved)
    )
    notices: list[Notice] = st.session_state.get(f"notices:{slug}", [])
    if speaks:
        fields = _with_language(language, fields_in)
        values, notices = read_link(query, fields)
        state = State(slug, fields)
        state.values.update(values)
    else:
        state = State(slug, _with_language(language, fields_in))
        state.values.update({name: field.default for name, field in state.fields.items() if name not in kept})
        state.values["lang"] = language
        if acted:
            notices = []
    st.session_state["lang"] = state.language
    st.session_state[f"notices:{slug}"] = notices
    state.write()
    return state, notices


def _with_language(
    language: Language, fields_in: Callable[[Language], Mapping[str, Field]]
) -> Mapping[str, Field]:
    return {"lang": Choice(language, LANGUAGES), **fields_in(language)}


def visit_language() -> Language:
    """The language of this run, before any page is opened: navigation and tab titles need it."""
    query = {name: st.query_params.get_all(name) for name in st.query_params}
    return st.session_state["lang"] if _was_touched() else _language_of(query)


def _was_touched() -> bool:
    """Tell whether a widget brought this run, so that the address bar may lag behind."""
    return st.session_state.get(_ACTED, False) and "lang" in st.session_state


def _language_of(query: Mapping[str, Sequence[str]]) -> Language:
    """The link's language, else the one chosen in this visit, else the browser's."""
    for candidate in [
        *query.get("lang", [])[-1:],
        st.session_state.get("lang"),
        (st.context.locale or "")[:2],
    ]:
        if candidate in LANGUAGES:
            return candidate
    return "en"


def _seed(state: State, name: str, value: Any, part: str | None = None) -> dict[str, Any]:
    """Arguments that tie a widget to its field: key, starting value, report.

    Args:
        part: The part of the page that alone follows the field, if not the whole page does.
    """
    key = state.key(name)
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value
    return {"key": key, "on_change": _report, "args": (state, name, part)}


def _report(state: State, name: str, part: str | None) -> None:
    value = st.session_state[state.key(name)]
    if value is not None:
        state.put(name, value)
    if part is not None:
        st.rerun(part)


def language_switch() -> None:
    """Offer the languages; every page shows this."""
    key = "lang.choice"
    if st.session_state.get(key) != st.session_state["lang"]:
        st.session_state[key] = st.session_state["lang"]
    st.segmented_control(
        "语言 / Language",
        LANGUAGES,
        key=key,
        required=True,
        format_func={"zh": "中文", "en": "English"}.__getitem__,
        on_change=_switch_language,
        label_visibility="collapsed",
    )


def _switch_language() -> None:
    st.session_state[_ACTED] = True
    st.session_state["lang"] = st.session_state["lang.choice"]


def slider(
    state: State,
    name: str,
    label: Text,
    help_text: Text,
    *,
    highest: int | None = None,
    part: str | None = None,
) -> int:
    """A whole number on a slider. Its range follows the field, or a bound that another control narrows."""
    field = state.fields[name]
    top = field.highest if highest is None else min(field.highest, highest)
    value = max(field.lowest, min(state[name], top))
    state.values[name] = value
    if top <= field.lowest:
        return value
    language, range_key = state.language, f"range:{state.key(name)}"
    if st.session_state.get(range_key) != top:
        st.session_state[range_key] = top
        st.session_state[state.key(name)] = value
    return st.slider(
        label.say(language),
        field.lowest,
        top,
        help=help_text.say(language),
        **_seed(state, name, value, part),
    )


def whole_number(state: State, name: str, label: Text, help_text: Text) -> int:
    """A whole number to type, such as a seed."""
    field, language = state.fields[name], state.language
    st.number_input(
        label.say(language),
        field.lowest,
        field.highest,
        step=1,
        help=help_text.say(language),
        **_seed(state, name, state[name]),
    )
    return state[name]


def choose(
    state: State,
    name: str,
    label: Text,
    help_text: Text,
    options: Mapping[str, Text | str],
    *,
    in_sidebar: bool = False,
    hide_label: bool = False,
) -> str:
    """One of a few ids, shown by translated labels: a list in the sidebar, buttons beside a picture."""
    language = state.language
    labels = {
        option: text if isinstance(text, str) else text.say(language) for option, text in options.items()
    }
    if state[name] not in labels:
        state.values[name] = next(iter(labels))
    arguments = _seed(state, name, state[name]) | {
        "help": help_text.say(language),
        "format_func": labels.__getitem__,
    }
    if in_sidebar:
        st.selectbox(label.say(language), list(labels), **arguments)
    else:
        visibility = "collapsed" if hide_label else "visible"
        st.segmented_control(
            label.say(language), list(labels), required=True, label_visibility=visibility, **arguments
        )
    return state[name]


def choose_place(state: State, name: str, label: Text, help_text: Text, names: Sequence[str]) -> int:
    """One of the places of a sentence, from a list; the field counts from 1.

    Returns:
        The place counted from 0, moved to the last one if the sentence has become shorter.
    """
    state.values[name] = min(state[name], len(names))
    st.selectbox(
        label.say(state.language),
        range(1, len(names) + 1),
        format_func=lambda place: names[place - 1],
        help=help_text.say(state.language),
        **_seed(state, name, state[name]),
    )
    return state[name] - 1


def toggle(state: State, name: str, label: Text, help_text: Text) -> bool:
    """Yes or no."""
    language = state.language
    st.toggle(label.say(language), help=help_text.say(language), **_seed(state, name, state[name]))
    return state[name]


def line(state: State, name: str, label: Text, help_text: Text, placeholder: Text) -> str:
    """A line of the reader's own text. It is kept as typed, however long."""
    language = state.language
    st.text_input(
        label.say(language),
        help=help_text.say(language),
        placeholder=placeholder.say(language),
        **_seed(state, name, state[name]),
    )
    return state[name]


def button(
    label: str, key: str, action: Callable[..., None], *args: Any, help_text: str | None = None
) -> bool:
    """A button whose action runs before the page is drawn again."""
    return st.button(label, key=key, on_click=_act, args=(action, *args), help=help_text)


def fragment(part: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a part of a page that runs alone when a widget inside it, or a control that names it, is touched."""

    def wrap(body: Callable[..., None]) -> Callable[..., None]:
        @wraps(body)
        def run(*args: Any) -> None:
            body(*args)
            st.session_state.pop(_ACTED, None)

        return st.fragment(run, key=part)

    return wrap


def _act(action: Callable[..., None], *args: Any) -> None:
    st.session_state[_ACTED] = True
    action(*args)


@contextmanager
def disclosure(label: str, key: str) -> Iterator[bool]:
    """A part that is folded away and computed only while it is open.

    Example:
        with disclosure("Table", "table") as is_open:
            if is_open:
                ...
    """
    box = st.expander(label, key=key, on_change=_mark_acted)
    with box:
        yield bool(box.open)


def _mark_acted() -> None:
    st.session_state[_ACTED] = True


def theme() -> str:
    """The theme in which this visit is drawn: light or dark."""
    return "dark" if st.context.theme.type == "dark" else "light"


@dataclass(frozen=True)
class Stage:
    """One stage on a strip: its id, what is written on it, its full name and its role's hue."""

    id: str
    name: str
    shape: str
    title: str
    hue: str | None


def strip(state: State, name: str, chosen: str, label: Text, stages: Sequence[Stage]) -> None:
    """A strip of stages in order, with live shapes; `chosen` is drawn as chosen, a pick writes the field."""
    key = state.key(f"strip.{name}")
    allowed = {stage.id for stage in stages}

    def choose() -> None:
        picked = getattr(st.session_state.get(key), "choose", None)
        if isinstance(picked, str) and picked in allowed:
            state.put(name, picked)

    data = {
        "label": label.say(state.language),
        "chosen": chosen,
        "stages": [asdict(stage) for stage in stages],
    }
    _strip(key=key, data=data, on_choose_change=choose)


def free_text(
    key: str, label: str, typed: str, action: Callable[[str], None], *, help_text: str | None = None
) -> None:
    """A short text that is judged when it is committed; it shows `typed` until then."""
    if st.session_state.get(key) != typed:
        st.session_state[key] = typed
    st.text_input(label, key=key, help=help_text, on_change=lambda: _act(action, st.session_state[key]))
