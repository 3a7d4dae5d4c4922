"""Long work of a view: start and stop, how it stands, what it has given so far.

It runs in the server's only queue (`dashboard.runs`), one at a time for all visitors, and the page is never blocked. What a
visitor's run has given stays in their session, whatever they look at in between. Work whose visitor is gone ends soon after
their WebSocket has closed; a hidden tab keeps it open and so does not end it.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from attention_core.worker import read_fields
from dashboard import controls, runs
from dashboard.frame import code_span
from dashboard.link import shorten
from dashboard.number_format import significant
from dashboard.text import Language
from dashboard.text import long_run as words

# How often a page looks while work goes on.
POLL_S = 0.5
LONGEST_ERROR = 300
# Of what the visitor's session keeps.
_KEPT, _FULL = "long_run:", ".full"


@dataclass(frozen=True)
class Task:
    """Work as a view asks for it.

    Attributes:
        work: A function that gives records one by one, of the table that the process has.
        arguments: Its arguments, plain values and records, hashable: the settings that the result depends on.
        record: The class of the records, or what makes one of a record's fields.
        steps: How many records it gives.
    """

    work: Callable[..., Iterable[Any]]
    arguments: tuple[Hashable, ...]
    record: Callable[..., Any]
    steps: int

    @property
    def key(self) -> Hashable:
        """What the result depends on."""
        return f"{self.work.__module__}.{self.work.__qualname__}", self.arguments


@dataclass(frozen=True)
class Found:
    """What a run has given so far.

    Attributes:
        task: That it was asked for, with its settings: those of the controls may be others by now.
        records: In the order in which they came.
        when, machine: Empty and None before it has begun.
        is_cached: It was made earlier on this server, and the visitor took it over.
    """

    task: Task
    state: runs.State
    records: tuple[Any, ...] = ()
    error: str = ""
    ahead: int = 0
    seconds: float = 0.0
    when: str = ""
    machine: Mapping[str, str | int] | None = None
    is_cached: bool = False
    number: int = 0

    @property
    def is_over(self) -> bool:
        """Tell whether nothing more will come."""
        return self.state not in ("waiting", "running")


Draw = Callable[[Found | None], None]


def long_run(
    name: str, task: Task | None, language: Language, draw: Draw, *, beside: Callable[[], None] | None = None
) -> None:
    """Offer a run and draw what it has given so far.

    It must stand in a fragment of its own or of a view.

    Args:
        name: Of the run in the visitor's session: one for each view that has one.
        task: What the present settings ask for; None where they cannot be run, which the view says.
        draw: Called with what the visitor's latest run has given, or with None before the first; again and again while it
            goes on, as a fragment inside of the view. No control that the link holds may stand in it.
        beside: Draws controls in the row of the buttons: of what is shown, which does not change what is run.
    """
    runs.runner().warm()  # while the reader looks at the settings
    found = latest(name)
    _offer(name, task, found, language, beside)
    if found is not None and not found.is_over:
        st.fragment(run_every=POLL_S)(_follow)(name, language, draw)
    else:
        with st.container():
            _tell(found, language)
            draw(found)


def latest(name: str) -> Found | None:
    """Give what the visitor's latest run of this name has given so far; None before the first."""
    found: Found | None = st.session_state.get(_kept(name))
    if found is None or found.is_over:
        return found
    job = runs.runner().look(found.number)
    # One that the queue has forgotten was over long before: what was seen of it stays.
    found = replace(found, state="stopped", ahead=0) if job is None else _found(found.task, job)
    st.session_state[_kept(name)] = found
    return found


def _found(task: Task, job: runs.Job, *, is_cached: bool = False) -> Found:
    return Found(
        task=task,
        state=job.state,
        records=tuple(_record(task, item) for item in job.items),
        error=job.error,
        ahead=job.ahead,
        seconds=job.seconds,
        when=job.when,
        machine=job.machine,
        is_cached=is_cached,
        number=job.number,
    )


def _record(task: Task, item: Any) -> Any:
    return read_fields(task.record, item) if isinstance(item, Mapping) else task.record(item)


def _kept(name: str) -> str:
    return f"{_KEPT}{name}"


def _has_another(name: str) -> bool:
    """Tell whether a run of the visitor's waits or goes on under another name: the queue has one for each visitor."""
    names = [str(key).removeprefix(_KEPT) for key in st.session_state if str(key).startswith(_KEPT)]
    others = [latest(one) for one in names if one != name and not one.endswith(_FULL)]
    return any(found is not None and not found.is_over for found in others)


def _start(name: str, task: Task) -> None:
    st.session_state.pop(f"{_kept(name)}{_FULL}", None)
    try:
        job = runs.runner().submit(runs.visitor(), task.work, *task.arguments, key=task.key)
    except runs.Full:
        st.session_state[f"{_kept(name)}{_FULL}"] = runs.runner().count_active()
    else:
        st.session_state[_kept(name)] = _found(task, job)


def _stop(name: str) -> None:
    found = latest(name)
    if found is not None:
        runs.runner().stop(found.number, runs.visitor())


def _take(name: str, task: Task) -> None:
    """Take over what was measured before; a run of one's own that waits or goes on ends."""
    job = runs.runner().finished(task.key)
    if job is not None:
        _stop(name)
        st.session_state[_kept(name)] = _found(task, job, is_cached=True)


def _offer(
    name: str,
    task: Task | None,
    found: Found | None,
    language: Language,
    beside: Callable[[], None] | None,
) -> None:
    """Offer to start or to stop, and a result of the same settings where there is one."""
    is_active = found is not None and not found.is_over
    with st.container(horizontal=True, vertical_alignment="center"):
        if is_active:
            help_text = words.STOP_HELP.say(language)
            controls.button(words.STOP.say(language), f"{name}.stop", _stop, name, help_text=help_text)
        elif task is not None:
            is_again = found is not None and found.task == task
            label = (words.AGAIN if is_again else words.START).say(language)
            help_text = words.START_HELP.say(language)
            controls.button(label, f"{name}.start", _start, name, task, help_text=help_text)
        if beside is not None:
            beside()
        if task is not None:
            _offer_finished(name, task, found, language)
    if task is not None and not is_active and _has_another(name):
        st.caption(words.STOPS_ANOTHER.say(language))
    refused = st.session_state.get(f"{_kept(name)}{_FULL}")
    if refused is not None and not is_active:
        st.warning(words.FULL.say(language, waiting=refused, most=runs.MOST_WAITING))


def _offer_finished(name: str, task: Task, found: Found | None, language: Language) -> None:
    """Offer what the server has for these settings to who has not got it, unless their own run is on its way."""
    kept = runs.runner().finished(task.key)
    is_shown = found is not None and found.task == task and found.state in ("running", "done")
    if kept is None or is_shown:
        return
    others = runs.runner().count_active() - (found is not None and not found.is_over)
    said = [words.OFFER.say(language, when=kept.when)]
    if others:
        busy = words.BUSY_ONE if others == 1 else words.BUSY
        said.append(busy.say(language, **({} if others == 1 else {"others": others})))
    st.caption(("" if language == "zh" else " ").join(said), width="content")
    controls.button(words.TAKE.say(language), f"{name}.take", _take, name, task)


def _follow(name: str, language: Language, draw: Draw) -> None:
    """Show how a run stands, as a fragment that runs again and again; once it is over the page is drawn without it."""
    found = latest(name)
    if found is None or found.is_over:
        st.rerun()
    _tell(found, language)
    draw(found)


def _tell(found: Found | None, language: Language) -> None:
    """Say how a run stands, and what it was measured on."""
    if found is None:
        st.caption(words.NOTHING.say(language))
        return
    given, steps = len(found.records), found.task.steps
    if not found.is_over:
        st.progress(min(1.0, given / steps), _progress(found, language))
    elif found.state == "failed":
        error = code_span(shorten(found.error, LONGEST_ERROR))
        st.error(words.FAILED.say(language, given=given, steps=steps, error=error))
    said = [_end(found, language)] if found.is_over and found.state != "failed" else []
    said += [words.CACHED.say(language)] if found.is_cached else []
    said += [provenance(found, language)] if found.machine is not None else []
    if said:
        st.caption("\n\n".join(said))


def _progress(found: Found, language: Language) -> str:
    if found.state == "waiting" and found.ahead:
        return (words.WAITING_ONE if found.ahead == 1 else words.WAITING).say(
            language, **({} if found.ahead == 1 else {"ahead": found.ahead})
        )
    if found.machine is None:
        return words.STARTING.say(language)
    seconds = significant(found.seconds)
    return words.RUNNING.say(language, given=len(found.records), steps=found.task.steps, seconds=seconds)


def _end(found: Found, language: Language) -> str:
    given = {"given": len(found.records)}
    counts = given | {"steps": found.task.steps}
    if found.state == "done":
        seconds = {"seconds": significant(found.seconds)}
        if given["given"] == 1:
            return words.DONE_ONE.say(language, **seconds)
        return words.DONE.say(language, **given, **seconds)
    if found.state == "gone":
        return words.GONE.say(language, **counts, away=runs.AWAY_S)
    if found.state == "late":
        return words.LATE.say(language, **counts, limit=runs.LIMIT_S)
    return words.STOPPED.say(language, **counts)


def provenance(found: Found, language: Language) -> str:
    """Say when a run began and on what it ran."""
    machine = dict(found.machine or {}) | {"processor": code_span(str(found.machine["processor"]))}
    return words.PROVENANCE.say(language, when=found.when, **machine)
