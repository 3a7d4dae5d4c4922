"""The only input widgets, and the only place that reads and writes a page's link.

A page's values live in one plain dictionary a lesson in the visitor's session. Widgets are seeded from it and
report into it, so a value outlives a hidden widget, another page and a change of language. The link mirrors it.
"""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import wraps
from typing import Any, Literal
from urllib.parse import urlencode

import streamlit as st
from streamlit.errors import StreamlitAPIException

from attention_core import device
from dashboard.grid.bench import Part, show_part
from dashboard.link import (
    STANDARD,
    Choice,
    Decimal,
    Field,
    Flag,
    Integer,
    Notice,
    Place,
    Some,
    number,
    read_link,
    sendable,
    write_link,
)
from dashboard.text import LANGUAGES, Language, Text
from dashboard.text import frame as words

ALWAYS_WRITTEN = frozenset({"lang"})
# Fields that mean the same on every page: what the reader gives on one, the next one shows.
SHARED = frozenset({"text", "device"})
# Those that the lab computes on: in float64, which Apple's has not.
DEVICES: dict[device.Kind, str] = {"cpu": "CPU", "cuda": "CUDA"}
_SHARED = "controls.shared"
# Somewhat longer than Streamlit's server waits before it sends again.
SEND_S = 0.012
# How long after a widget's value was replaced its old one is taken for an echo.
ECHO_S = 1.0
# Of yes or no there is only the old value to go back to: a reader who does so takes at least this long.
FLAG_ECHO_S = 0.3
_ECHO = "controls.echo"
_WISHES = "controls.wishes"
_LEFT_OUT = "controls.left_out"
_ACTED = "controls.acted"
_SLUG = "controls.slug"
_SEEN = "controls.seen"
_WHOLE = "controls.whole"
# What the controls show that the page and each of its fragments drew: by fragment, "" for the page, and by field.
_DRAWN = "controls.drawn"
_drawing: ContextVar[str] = ContextVar("drawing", default="")


class State:
    """The values of one lesson for one visitor, and what its link could not take over.

    Attributes:
        alone: The fragment that the next controls run alone; None for the whole page, or the fragment they stand in.
    """

    def __init__(self, slug: str, fields: Mapping[str, Field]) -> None:
        self.slug = slug
        self.fields = fields
        self.values: dict[str, Any] = st.session_state.setdefault(f"lesson:{slug}", {})
        self.alone: str | None = None

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
        """Change one value, as an action of the reader."""
        st.session_state[_ACTED] = True
        self.values[name] = value
        st.session_state.get(f"{_WISHES}:{self.slug}", {}).pop(name, None)
        if name in SHARED:
            st.session_state.setdefault(_SHARED, {})[name] = value

    def narrow(self, name: str, highest: int) -> int:
        """Move a number into a range that something else on the page narrows; it comes back once the range allows.

        Controls whose range narrows call this themselves; where none is shown, the page calls it.

        Returns:
            What the reader last asked for, or what a link or the default gives.
        """
        wishes = st.session_state.setdefault(f"{_WISHES}:{self.slug}", {})
        wish = wishes.get(name, self.values[name])
        if wish > highest:
            wishes[name] = wish
        else:
            wishes.pop(name, None)
        self.values[name] = max(self.fields[name].lowest, min(wish, highest))
        return wish

    def reset(self, names: Sequence[str]) -> None:
        """Give fields back their defaults."""
        for name in names:
            self.put(name, self.fields[name].default)

    def defaults(self) -> dict[str, Any]:
        """Give every field its default, for what the reader's settings do not reach."""
        return {name: field.default for name, field in self.fields.items()}

    def left_out(self) -> tuple[str, ...]:
        """Name the fields that are too large for the link, for a page that says so outside of its fragment."""
        st.session_state[f"{_LEFT_OUT}:{self.slug}"] = self.query[1]
        return self.query[1]

    @property
    def query(self) -> tuple[dict[str, str], tuple[str, ...]]:
        """The link's query, and the fields that were too large for it.

        Of a number that is moved into a narrower range at present it holds what was asked for, as the page does.
        """
        wishes = st.session_state.get(f"{_WISHES}:{self.slug}", {})
        return write_link(self.values | wishes, self.fields, ALWAYS_WRITTEN)


def address_part(state: State) -> Part:
    """Describe what brings the address bar in line with the values.

    The browser's own history is used and not `st.query_params`, which adds an entry for every step of a slider and
    redraws the whole page to do so.
    """
    query, _ = state.query
    data = {"query": urlencode(query), "slug": state.slug, "number": time.time_ns() // 1_000_000}
    return Part("address", data)


def open_state(slug: str, fields_in: Callable[[Language], Mapping[str, Field]]) -> tuple[State, list[Notice]]:
    """Read a page's values from its link, or from what the visitor left here.

    The link speaks on the first visit, and when it brings values to a page just opened: a link from another page,
    or the browser's Back and Forward.

    Args:
        fields_in: The page's fields in one language: some defaults, such as a first sentence, depend on it.
    """
    query = {name: st.query_params.get_all(name) for name in st.query_params}
    st.session_state.update({_WHOLE: True, _DRAWN: {}})
    language = visit_language()
    acted = st.session_state.pop(_ACTED, False)
    is_same_page = st.session_state.get(_SLUG) == slug
    st.session_state[_SLUG] = slug
    kept = st.session_state.get(f"lesson:{slug}")
    notices: list[Notice] = [] if acted else st.session_state.get(f"notices:{slug}", [])
    fields = with_language(language, fields_in)
    if kept is None or (not is_same_page and query.keys() - {"lang"}):
        values, notices = read_link(query, fields)
        st.session_state.pop(f"{_WISHES}:{slug}", None)
        _let_the_address_bar_lead()
    else:
        values = kept_values(slug, fields)
    state = State(slug, fields)
    state.values.update(values, lang=language)
    if not is_same_page:
        _share(state, query)
    st.session_state[f"notices:{slug}"] = notices
    return state, notices


def _share(state: State, query: Mapping[str, Sequence[str]]) -> None:
    """On opening a page take over what the reader gave on another one, unless a link brings its own."""
    shared = st.session_state.setdefault(_SHARED, {})
    for name in SHARED & state.fields.keys():
        if name in query:
            shared[name] = state[name]
        elif name in shared:
            state.values[name] = shared[name]


def _let_the_address_bar_lead() -> None:
    """Make Streamlit's front end forget the query it remembers after Back: it would send that from then on."""
    if st.session_state.get(_SEEN) and len(st.query_params):
        st.query_params.clear()
    st.session_state[_SEEN] = True


def with_language(
    language: Language, fields_in: Callable[[Language], Mapping[str, Field]]
) -> Mapping[str, Field]:
    """Give a page's fields in one language, the language itself among them."""
    return {"lang": Choice(language, LANGUAGES), **fields_in(language)}


def kept_values(slug: str, fields: Mapping[str, Field]) -> dict[str, Any]:
    """Give what the visitor left on a page, defaults where nothing is left."""
    kept = st.session_state.get(f"lesson:{slug}", {})
    return {name: kept.get(name, field.default) for name, field in fields.items()}


def visit_language() -> Language:
    """The language of this visit: the one chosen in it, else the link's, else the browser's."""
    if "lang" not in st.session_state:
        candidates = [*st.query_params.get_all("lang")[-1:], (st.context.locale or "")[:2]]
        st.session_state["lang"] = next((one for one in candidates if one in LANGUAGES), "en")
    return st.session_state["lang"]


def device_field() -> Place:
    """Make the field of lessons whose numbers can come from any device."""
    kinds = tuple(found.kind for found in device.list_devices() if found.kind in DEVICES)
    return Place(device.CPU, kinds, tuple(DEVICES))


def where(kind: str) -> str:
    """Name a device, and the machine's part where it is not the processor.

    Example:
        >>> where("cpu")
        'CPU'
    """
    return DEVICES[kind] if kind == device.CPU else f"{DEVICES[kind]} ({device.find_device(kind).name})"


def device_switch(state: State, reach: Text) -> None:
    """Offer the devices; where there is but one, say what another would need.

    Args:
        reach: Says what is computed there.
    """
    language, names = state.language, {kind: DEVICES[kind] for kind in state.fields["device"].options}
    if len(names) > 1:
        choose(state, "device", words.DEVICE, reach, names)
        return
    choose(state, "device", words.DEVICE, reach, DEVICES, is_disabled=True)
    cuda = device.cuda_of_build()
    text = words.NO_GPU if cuda else words.NO_CUDA
    st.caption(text.say(language, torch=device.version_of_build(), cuda=cuda))


@contextmanager
def going_on_on_the_cpu() -> Iterator[None]:
    """Run a page or a part of it; where the reader's device has no memory left, run the page again on the processor."""
    try:
        yield
        return
    except Exception as error:
        slug = st.session_state.get(_SLUG)
        kind = st.session_state.get(f"lesson:{slug}", {}).get("device", device.CPU)
        if kind == device.CPU or not device.is_out_of_memory(error, kind):
            raise
        device.free(kind, error)
    _take_the_cpu(slug, device.find_device(kind))
    st.rerun()


def _take_the_cpu(slug: str, full: device.Device) -> None:
    """Compute on the processor from now on; the page says why until the reader's next action."""
    size = "" if full.memory_bytes is None else f" ({full.memory_bytes / 2**30:.0f} GiB)"
    st.session_state[f"lesson:{slug}"]["device"] = device.CPU
    st.session_state.setdefault(_SHARED, {})["device"] = device.CPU
    notice = Notice("out_of_memory", "device", f"{full.name}{size}", device.CPU)
    st.session_state[f"notices:{slug}"] = [notice]
    st.session_state.pop(_ACTED, None)


def _seed(state: State, name: str, value: Any, standard: str | None = None) -> dict[str, Any]:
    """Arguments that tie a widget to its field: key, starting value, report."""
    key = state.key(name)
    _show(key, value)
    if state.alone is None:
        st.session_state.setdefault(_DRAWN, {}).setdefault(_drawing.get(), {})[name] = state[name]
    return {"key": key, "on_change": _report, "args": (state, name, standard, state.alone)}


@contextmanager
def running_alone(state: State, body: Callable[[State], None]) -> Iterator[None]:
    """Let controls that stand outside of a fragment run it alone, for nothing else on the page depends on them.

    A control inside of the fragment answers sooner: of one that stands outside, Streamlit begins a run of the whole
    page before it hears that only a part is wanted. Streamlit then forgets every file of the page that the fragment
    does not name again: what is offered for download or shown as an image must stand in the fragment.

    Args:
        body: The fragment. While it is not shown the controls run the whole page.
    """
    state.alone = body.__name__
    try:
        yield
    finally:
        state.alone = None


def _show(key: str, value: Any) -> None:
    """Give a widget the value it is to show, and remember the one that the browser still has."""
    if key in st.session_state:
        if st.session_state[key] == value:
            return
        st.session_state[f"{_ECHO}:{key}"] = (st.session_state[key], time.monotonic())
    st.session_state[key] = value


def _is_echo(key: str, within_s: float = ECHO_S) -> bool:
    """Tell whether a widget reports what it showed before its value was replaced.

    The browser sends the values of all widgets with every event: an event on its way while one is being replaced
    brings the old value back, which no reader entered.
    """
    old = st.session_state.get(f"{_ECHO}:{key}")
    return old is not None and old[0] == st.session_state[key] and time.monotonic() - old[1] < within_s


def _report(state: State, name: str, standard: str | None, alone: str | None) -> None:
    key, field = state.key(name), state.fields[name]
    if _is_echo(key, FLAG_ECHO_S if isinstance(field, Flag) else ECHO_S):
        return
    value = st.session_state[key]
    # After a switch of language the browser may still send a list's old label, which no option has now.
    is_stale = isinstance(field, Choice) and value not in field.options
    if isinstance(field, Integer | Decimal):
        kind = int if isinstance(field, Integer) else (int, float)
        is_stale = not isinstance(value, kind) or not field.lowest <= value <= field.highest
    if isinstance(field, Some):
        is_stale = not isinstance(value, list) or not {*value} <= {*field.options}
        value = value if is_stale else field.sort(value)
    if value is not None and not is_stale:
        state.put(name, STANDARD if value == standard else value)
    if alone is not None:
        _run_named(alone)


def run_alone(body: Callable[[State], None]) -> None:
    """Run a fragment in place of the one in which the reader acted; the last thing that an action does."""
    _run_named(body.__name__)


def _run_named(name: str) -> None:
    with suppress(StreamlitAPIException):  # said where the fragment is not shown
        st.rerun(name)


def language_switch() -> None:
    """Offer the languages; every page shows this."""
    key = "lang.choice"
    _show(key, st.session_state["lang"])
    st.segmented_control(
        words.LANGUAGE.say(st.session_state["lang"]),
        LANGUAGES,
        key=key,
        required=True,
        format_func=words.LANGUAGE_NAMES.__getitem__,
        on_change=_switch_language,
        label_visibility="collapsed",
    )


def _switch_language() -> None:
    if not _is_echo("lang.choice"):
        st.session_state[_ACTED] = True
        st.session_state["lang"] = st.session_state["lang.choice"]


def slider(
    state: State,
    name: str,
    label: Text,
    help_text: Text,
    *,
    highest: int | None = None,
    moved: Text = words.NUMBER_MOVED,
    width: int | Literal["stretch"] = "stretch",
) -> int:
    """A whole number on a slider. Its range follows the field, or a bound that another control narrows.

    Args:
        highest: What narrows the range at present; a number above it is moved there, and comes back once it can.
        moved: Says so.
    """
    field = state.fields[name]
    top = field.highest if highest is None else min(field.highest, highest)
    wish = state.narrow(name, top)
    if top > field.lowest:
        language, value, range_key = state.language, state[name], f"range:{state.key(name)}"
        if st.session_state.get(range_key) != top:
            st.session_state[range_key] = top
            _show(state.key(name), value)
            st.session_state[state.key(name)] = value  # a new range makes Streamlit forget it
        said = {"label": label.say(language), "help": help_text.say(language)}
        st.slider(min_value=field.lowest, max_value=top, width=width, **said, **_seed(state, name, value))
    _say_narrowed(state, name, wish, moved)
    return state[name]


def _say_narrowed(state: State, name: str, wish: int, moved: Text) -> None:
    """Say that a number was moved into a narrower range; a default that nobody asked for goes without saying."""
    if wish != state[name] and wish != state.fields[name].default:
        st.caption(moved.say(state.language, given=wish, used=state[name]))


def steps(
    state: State,
    name: str,
    label: Text,
    help_text: Text | None,
    values: Sequence[float],
    said: Callable[[Any], str] = str,
    *,
    width: int | Literal["stretch"] = "stretch",
) -> Any:
    """A number on a slider that stops at chosen values; a value between them has a stop of its own.

    Args:
        help_text: None where the page says it in a line of its own, which the browser draws in less time than the icon.
    """
    language, stops = state.language, sorted({*values, state[name]})
    labels = [said(stop) for stop in stops]

    def tell(stop: float) -> str:
        # Two stops that look alike in a few digits get all of them.
        return said(stop) if labels.count(said(stop)) == 1 else repr(stop)

    st.select_slider(
        label.say(language),
        stops,
        format_func=tell,
        help=help_text and help_text.say(language),
        width=width,
        **_seed(state, name, state[name]),
    )
    return state[name]


def any_number(state: State, name: str, label: Text, help_text: Text) -> None:
    """A box that takes any number for a field which a slider shows. It stands empty again once a number is taken.

    What is no number stays in the box, and what is out of range becomes the nearest in it; both are said.
    """
    field, language = state.fields[name], state.language
    key = f"{state.key(name)}.any"
    text, note = st.session_state.get(f"typed:{key}", ("", None))
    _show(key, text)
    st.text_input(
        label.say(language),
        key=key,
        help=help_text.say(language),
        placeholder=f"{field.lowest:g} – {field.highest:g}",
        on_change=_take_number,
        args=(state, name, key),
    )
    if note is None or note[0] != state[name]:
        return
    if note[1] is None:
        st.caption(words.NO_NUMBER.say(language, **_bounds(field, note[0])))
    else:
        _say_nearest(language, field, *note)


def _take_number(state: State, name: str, key: str) -> None:
    if _is_echo(key):
        return
    st.session_state[_ACTED] = True
    field, text = state.fields[name], sendable(st.session_state[key])
    value = number(text, math.inf)
    if value is None:
        note = (state[name], None) if text.strip() else None
        st.session_state[f"typed:{key}"] = (text, note)
        return
    near = _nearest(field, value)
    st.session_state[f"typed:{key}"] = ("", None if near == value else (near, value))
    state.put(name, near)


def decimal(
    state: State,
    name: str,
    label: Text,
    help_text: Text,
    step: float,
    *,
    width: int | Literal["stretch"] = "stretch",
) -> float:
    """A number to type, with a fraction."""
    language = state.language
    st.number_input(
        label.say(language),
        value=None,  # an emptied box is then nothing, and not the least that is allowed
        step=step,
        format="%.6g",
        help=help_text.say(language),
        width=width,
        **_seed(state, name, float(state[name])) | {"on_change": _report_number},
    )
    _say_moved(state, name)
    return state[name]


def whole_number(
    state: State,
    name: str,
    label: Text,
    help_text: Text,
    *,
    width: int | Literal["stretch"] = "stretch",
) -> int:
    """A whole number to type, such as a seed.

    The box takes fractions, so that one is answered: of whole numbers alone, the browser cuts them without a word.
    """
    st.number_input(
        label.say(state.language),
        value=None,
        step=1.0,
        format="%.15g",
        help=help_text.say(state.language),
        width=width,
        **_seed(state, name, float(state[name])) | {"on_change": _report_number},
    )
    _say_moved(state, name)
    return state[name]


def _report_number(state: State, name: str, _standard: str | None, alone: str | None) -> None:
    """Take a number that was typed; the nearest legal one where it is out of range or not whole, which is said.

    Streamlit's own bounds would keep the number to themselves: a red box, and English words for who points at it.
    """
    key = state.key(name)
    value, moved_key = st.session_state[key], f"moved:{key}"
    was_moved = st.session_state.pop(moved_key, None) is not None
    if value is None or math.isnan(value) or _is_echo(key):
        return
    near = _nearest(state.fields[name], value)
    state.put(name, near)
    if near != value:
        st.session_state[moved_key] = (near, value)
    elif alone is not None and not was_moved:
        _run_named(alone)


def _say_moved(state: State, name: str) -> None:
    """Say that a typed number was out of range or not whole, and what is used in its place."""
    near, given = st.session_state.get(f"moved:{state.key(name)}", (None, None))
    if given is not None and near == state[name]:
        _say_nearest(state.language, state.fields[name], near, given)


def _nearest(field: Integer | Decimal, value: float) -> float:
    near = min(max(value, field.lowest), field.highest)
    return round(near) if isinstance(field, Integer) else near


def _say_nearest(language: Language, field: Integer | Decimal, near: float, given: float) -> None:
    said = words.NEAREST_WHOLE_TAKEN if isinstance(field, Integer) else words.NEAREST_TAKEN
    st.caption(said.say(language, given=_digits(given), **_bounds(field, near)))


def _bounds(field: Integer | Decimal, used: float) -> dict[str, str]:
    return {"lowest": _digits(field.lowest), "highest": _digits(field.highest), "used": _digits(used)}


def _digits(value: float) -> str:
    return "∞" if math.isinf(value) else f"{value:.15g}"


def choose(
    state: State,
    name: str,
    label: Text,
    help_text: Text,
    options: Mapping[str, Text | str],
    *,
    in_sidebar: bool = False,
    hide_label: bool = False,
    width: int | Literal["stretch"] = "stretch",
    standard: str | None = None,
    is_disabled: bool = False,
) -> str:
    """One of a few ids, shown by translated labels: a list in the sidebar, buttons beside a picture.

    Args:
        standard: What a field with the value STANDARD stands for at present. It keeps that value until the reader
            chooses something else, and gets it back when the reader chooses this. A value that is not among the
            options is kept too, for when it is, and this is shown.
        width: Of a list, in pixels; buttons are as wide as their labels. In a row of controls it makes a container
            around the control unnecessary: the browser goes through every container of a page at each run.
        is_disabled: Buttons are shown and cannot be pressed.
    """
    language = state.language
    labels = {
        option: text if isinstance(text, str) else text.say(language) for option, text in options.items()
    }
    shown = state[name]
    if shown not in labels:
        shown = next(iter(labels)) if standard is None else standard
    if standard is None:
        state.values[name] = shown
    arguments = _seed(state, name, shown, standard) | {
        "help": help_text.say(language),
        "format_func": labels.__getitem__,
    }
    if in_sidebar:
        _send_new_label(state.key(name), list(labels.values()))
        st.selectbox(label.say(language), list(labels), width=width, **arguments)
    else:
        visibility = "collapsed" if hide_label else "visible"
        said = {"label_visibility": visibility, "disabled": is_disabled}
        st.segmented_control(label.say(language), list(labels), required=True, **said, **arguments)
    return shown


def choose_some(
    state: State, name: str, label: Text, help_text: Text, options: Mapping[str, Text | str]
) -> tuple[str, ...]:
    """Some of a few ids, or none, as buttons that stay pressed."""
    language = state.language
    labels = {
        option: text if isinstance(text, str) else text.say(language) for option, text in options.items()
    }
    st.pills(
        label.say(language),
        list(options),
        selection_mode="multi",
        help=help_text.say(language),
        format_func=labels.__getitem__,
        **_seed(state, name, [option for option in options if option in state[name]]),
    )
    return state[name]


def _send_new_label(key: str, labels: Sequence[str]) -> None:
    """Where a list's labels have changed, send its value once more: the browser keeps showing the old label else."""
    said_key = f"labels:{key}"
    if st.session_state.get(said_key, labels) != labels:
        st.session_state[key] = st.session_state[key]
    st.session_state[said_key] = labels


def choose_place(
    state: State,
    name: str,
    label: Text,
    help_text: Text,
    names: Sequence[str],
    *,
    moved: Text = words.PLACE_MOVED,
    width: int | Literal["stretch"] = "stretch",
) -> int:
    """One of several things in a row, such as the tokens of a sentence, from a list; the field counts from 1.

    Args:
        moved: Says that there is no such thing at present, and that the last one is shown.

    Returns:
        The place counted from 0, moved to the last one while there are fewer.
    """
    wish = state.narrow(name, len(names))
    arguments = _seed(state, name, state[name])
    _send_new_label(state.key(name), list(names))
    st.selectbox(
        label.say(state.language),
        range(1, len(names) + 1),
        format_func=lambda place: names[place - 1],
        help=help_text.say(state.language),
        width=width,
        **arguments,
    )
    # After the box: in a row of controls it would push the box into the next one.
    _say_narrowed(state, name, wish, moved)
    return state[name] - 1


def toggle(state: State, name: str, label: Text, help_text: Text) -> bool:
    """Yes or no."""
    language = state.language
    st.toggle(label.say(language), help=help_text.say(language), **_seed(state, name, state[name]))
    return state[name]


def line(
    state: State,
    name: str,
    label: Text,
    help_text: Text,
    placeholder: Text,
    *,
    width: int | Literal["stretch"] = "stretch",
) -> str:
    """A line of the reader's own text. It is kept as typed, however long, but for lone surrogates."""
    language = state.language
    state.values[name] = sendable(state[name])
    st.text_input(
        label.say(language),
        help=help_text.say(language),
        placeholder=placeholder.say(language),
        width=width,
        **_seed(state, name, state[name]),
    )
    return state[name]


def button(
    label: str, key: str, action: Callable[..., None], *args: Any, help_text: str | None = None
) -> bool:
    """A button whose action runs before the page is drawn again."""
    return st.button(label, key=key, on_click=_act, args=(action, *args), help=help_text)


def fragment(body: Callable[[State], bool | None]) -> Callable[[State], None]:
    """Make a part of a page that runs alone when a widget inside it is touched, and keeps the address in line.

    Where a part is to answer soon it makes a container for its controls, shows its bench and fills the container last: fields
    are up to date before a control is drawn, and Streamlit's front end draws at once what arrives within ten milliseconds, but
    the rest when the run has ended.

    Args:
        body: Draws the part. It returns True when it has shown `address_part` itself.
    """

    @wraps(body)
    def run(state: State) -> None:
        if _is_page_behind(state, body.__name__):
            st.rerun()
        st.session_state.setdefault(_DRAWN, {}).pop(body.__name__, None)
        drawing = _drawing.set(body.__name__)
        try:
            with going_on_on_the_cpu():
                is_addressed = body(state)
        finally:
            _drawing.reset(drawing)
        if not is_addressed:
            show_part("address", address_part(state))
        st.session_state.pop(_ACTED, None)
        said = st.session_state.get(f"{_LEFT_OUT}:{state.slug}")
        if said is not None and said != state.query[1]:
            st.rerun()  # what the link leaves out is said outside of this part

    return st.fragment(run, key=body.__name__)


def picture_goes_ahead() -> None:
    """Wait, in a fragment that runs alone, until the server has sent what was drawn so far.

    It sends every ten milliseconds what has come together since. What arrives together the browser lays out together before
    it paints, so a picture that comes with a bench behind it is seen later. What follows is not: while this waits the
    browser draws the picture, and the server has its processor for others.
    """
    if not st.session_state.get(_WHOLE):
        time.sleep(SEND_S)


def _is_page_behind(state: State, own: str) -> bool:
    """Tell whether a control outside of a fragment that runs alone no longer shows what its field holds.

    Where a box is left by a click on a control that stands elsewhere, the browser reports both and asks for a run of the
    box's fragment alone.
    """
    if st.session_state.get(_WHOLE):
        return False
    elsewhere = [shown for owner, shown in st.session_state.get(_DRAWN, {}).items() if owner != own]
    is_other = any(state[name] != value for shown in elsewhere for name, value in shown.items())
    return is_other or st.session_state["lang"] != state["lang"]


def end_run() -> None:
    """Note that the whole page has been drawn; what runs from now on is a fragment."""
    st.session_state[_WHOLE] = False


def _act(action: Callable[..., None], *args: Any) -> None:
    st.session_state[_ACTED] = True
    action(*args)


@contextmanager
def disclosure(label: str, key: str) -> Iterator[bool]:
    """A part that is folded away and computed only while it is open.

    A button and not `st.expander`, which the browser redraws at every run at several times the cost.

    Example:
        with disclosure("Table", "table") as is_open:
            if is_open:
                ...
    """
    is_open = bool(st.session_state.get(f"is_open:{key}"))
    st.button(f"{'▾' if is_open else '▸'} {label}", key=key, type="tertiary", on_click=_unfold, args=(key,))
    if not is_open:
        yield False
        return
    with st.container():
        yield True


def _unfold(key: str) -> None:
    st.session_state[_ACTED] = True
    st.session_state[f"is_open:{key}"] = not st.session_state.get(f"is_open:{key}", False)


def theme() -> str:
    """The theme in which this visit is drawn: light or dark."""
    return "dark" if st.context.theme.type == "dark" else "light"


def free_text(
    key: str,
    label: str,
    typed: str,
    action: Callable[[str], None],
    *,
    help_text: str | None = None,
    height: int | None = None,
    longest: int | None = None,
) -> None:
    """A text that is judged when it is committed; it shows `typed` until then.

    Args:
        height: Of a box for several lines, in pixels; None for one line.
        longest: How many characters the box takes.
    """
    _show(key, typed)

    def commit() -> None:
        if not _is_echo(key):
            _act(action, st.session_state[key])

    if height is None:
        st.text_input(label, key=key, help=help_text, on_change=commit, max_chars=longest)
    else:
        st.text_area(label, key=key, help=help_text, on_change=commit, height=height, max_chars=longest)
