"""Long work beside the server: one at a time in a process of its own, in a queue, and stopped at once.

A visitor who is gone is known by Streamlit's own list of sessions: one whose WebSocket has been closed is not on it. A
hidden tab keeps its WebSocket.
"""

import itertools
import json
import os
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from queue import Empty, SimpleQueue
from types import MappingProxyType
from typing import Any, Literal

import streamlit as st
from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from attention_core.worker import write_request

State = Literal["waiting", "running", "done", "stopped", "gone", "late", "failed"]
ROOT = Path(__file__).parents[1]
MOST_WAITING, MOST_KEPT, MOST_ITEMS, MOST_FINISHED = 16, 64, 4096, 32
# How long a visitor may be away, as when a connection breaks and comes back, before the work ends.
AWAY_S = 5.0
LIMIT_S = 90.0
# The process has so long to load what it needs; that is nobody's work.
START_S = 60.0
TICK_S = 0.05


@dataclass(frozen=True)
class Job:
    """Work that somebody asked for, as it stands.

    Attributes:
        owner: The session that asked.
        ahead: How many others run or wait before it.
        items: What it has given so far: plain values, records as mappings of their fields.
        error: Its words, where it failed.
        seconds: How long it has run.
        when: The time, in UTC, at which it began; empty before.
        machine: What it runs on, by the fields of `attention_core.device.Machine`; None before it begins.
    """

    number: int
    owner: str
    state: State
    items: tuple[Any, ...] = ()
    error: str = ""
    ahead: int = 0
    seconds: float = 0.0
    when: str = ""
    machine: Mapping[str, str | int] | None = None

    @property
    def is_over(self) -> bool:
        """Tell whether nothing more will come."""
        return self.state not in ("waiting", "running")


def say_now() -> str:
    """Say when it is, to the minute, the same for visitors of all places."""
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")


class Full(Exception):
    """As many wait as may."""


@dataclass(eq=False)
class _Entry:
    job: Job
    work: Callable[..., Iterable[Any]]
    arguments: tuple[Any, ...]
    key: Hashable
    away_since: float | None = None
    items: list[Any] = field(default_factory=list)
    begun: float | None = None

    def seconds(self) -> float:
        """Say how long it has run."""
        if self.begun is None or self.job.is_over:
            return self.job.seconds
        return time.monotonic() - self.begun


class _Worker:
    """The process and what it has said."""

    def __init__(self, module: str) -> None:
        # attention_core.worker: nothing of Streamlit is loaded there.
        paths = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        self.process = subprocess.Popen(
            [sys.executable, "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": paths},
            cwd=ROOT,
        )
        self.said: SimpleQueue[tuple[str, Any]] = SimpleQueue()
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()

    def _listen(self) -> None:
        with self.process.stdout as answers, suppress(OSError, ValueError):
            for line in answers:
                self.said.put(tuple(json.loads(line)))
        self.process.wait()
        self.said.put(("error", "the process ended"))

    def ask(self, work: Callable[..., Iterable[Any]], arguments: tuple[Any, ...]) -> None:
        self.process.stdin.write(write_request(work, arguments))
        self.process.stdin.flush()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        with suppress(OSError):
            self.process.stdin.close()
        self.listener.join()


class Runner:
    """The queue of a server.

    Args:
        is_here: Says of a session whether its visitor is still there.
        limit_s: The longest that one may run, counted from when its process takes it up.
        module: What the process runs.
    """

    def __init__(
        self,
        is_here: Callable[[str], bool],
        limit_s: float = LIMIT_S,
        away_s: float = AWAY_S,
        module: str = "attention_core.worker",
    ) -> None:
        self._module = module
        self._is_here, self._limit_s, self._away_s = is_here, limit_s, away_s
        self._numbers = itertools.count(1)
        self._entries: OrderedDict[int, _Entry] = OrderedDict()
        self._finished: OrderedDict[Hashable, Job] = OrderedDict()
        self._changed = threading.Condition()
        self._worker: _Worker | None = None
        self._is_closed = False
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def warm(self) -> None:
        """Start the process before somebody waits for it; where the system refuses, the next to ask hears why."""
        with self._changed, suppress(OSError):
            self._ready()

    def submit(
        self, owner: str, work: Callable[..., Iterable[Any]], *arguments: Any, key: Hashable = None
    ) -> Job:
        """Ask for work; what the same visitor asked for before is stopped.

        Args:
            work: A function that the process has in its table, where its name is looked up.
            key: What the result depends on. Once all of it is there it is kept for others under this; None keeps nothing.

        Raises:
            Full: too many wait.
        """
        with self._changed:
            for entry in self._entries.values():
                if entry.job.owner == owner and not entry.job.is_over:
                    self._end(entry, "stopped")
            if sum(not entry.job.is_over for entry in self._entries.values()) >= MOST_WAITING:
                raise Full
            job = Job(next(self._numbers), owner, "waiting")
            self._entries[job.number] = _Entry(job, work, arguments, key)
            while len(self._entries) > MOST_KEPT and next(iter(self._entries.values())).job.is_over:
                self._entries.popitem(last=False)
            self._changed.notify_all()
        return self.look(job.number) or job

    def look(self, number: int) -> Job | None:
        """Say how a job stands; None where it is long over."""
        with self._changed:
            entry = self._entries.get(number)
            if entry is None:
                return None
            before = itertools.takewhile(lambda other: other is not entry, self._entries.values())
            ahead = 0 if entry.job.is_over else sum(not other.job.is_over for other in before)
            return replace(entry.job, items=tuple(entry.items), ahead=ahead, seconds=entry.seconds())

    def finished(self, key: Hashable) -> Job | None:
        """Give the latest job that was done to its end under this key, whoever asked; None where none is kept."""
        with self._changed:
            return self._finished.get(key)

    def count_active(self) -> int:
        """Say how many run or wait."""
        with self._changed:
            return sum(not entry.job.is_over for entry in self._entries.values())

    def stop(self, number: int, owner: str) -> None:
        """End a job of this visitor's; what it has given stays."""
        with self._changed:
            entry = self._entries.get(number)
            if entry is not None and entry.job.owner == owner and not entry.job.is_over:
                self._end(entry, "stopped")

    def close(self) -> None:
        """End everything."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        self._thread.join(timeout=5)
        with self._changed:
            self._kill()

    def _ready(self) -> _Worker:
        if self._worker is not None and self._worker.process.poll() is not None:
            self._kill()
        if self._worker is None:
            self._worker = _Worker(self._module)
        return self._worker

    def _kill(self) -> None:
        if self._worker is not None:
            self._worker.kill()
            self._worker = None

    def _end(self, entry: _Entry, state: State, error: str = "") -> None:
        """Close a job. Unless it was done, its process is killed, and the next one is made ready: work that failed may have
        left a device in a state in which nothing runs any more.
        """
        was_running = entry.job.state == "running"
        entry.job = replace(entry.job, state=state, error=error, seconds=entry.seconds())
        if state == "done" and entry.key is not None:
            self._finished.pop(entry.key, None)
            self._finished[entry.key] = replace(entry.job, items=tuple(entry.items))
            while len(self._finished) > MOST_FINISHED:
                self._finished.popitem(last=False)
        if was_running and state != "done":
            self._kill()
            self.warm()
        self._changed.notify_all()

    def _serve(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._is_closed or self._waiting() is not None)
                if self._is_closed:
                    return
                entry = self._waiting()
                entry.job = replace(entry.job, state="running")
                try:
                    worker = self._ready()
                    worker.ask(entry.work, entry.arguments)
                except (
                    Exception
                ) as error:  # it cannot start, died just now, or cannot be sent this: the queue goes on
                    self._kill()
                    self._end(entry, "failed", f"{type(error).__name__}: {error}")
            if entry.job.state == "running":
                self._watch(entry, worker)

    def _waiting(self) -> _Entry | None:
        return next((entry for entry in self._entries.values() if entry.job.state == "waiting"), None)

    def _watch(self, entry: _Entry, worker: _Worker) -> None:
        """Take in what a job gives until it is over, for whatever reason."""
        asked = time.monotonic()
        while True:
            try:
                said = worker.said.get(timeout=TICK_S)
            except Empty:
                said = None
            with self._changed:
                if self._is_closed or entry.job.state != "running":
                    return
                self._hear(entry, said)
                if entry.job.state == "running":
                    self._drop_who_left()
                if entry.job.state == "running":
                    self._drop_what_is_late(entry, asked)
                if entry.job.state != "running":
                    return

    def _hear(self, entry: _Entry, said: tuple[str, Any] | None) -> None:
        if said is None:
            return
        kind, value = said
        if kind == "begun":
            entry.begun = time.monotonic()
            entry.job = replace(entry.job, when=say_now(), machine=MappingProxyType(value))
        elif kind == "item" and len(entry.items) < MOST_ITEMS:
            entry.items.append(value)
        elif kind == "item":
            self._end(entry, "late")
        else:
            self._end(entry, "done" if kind == "end" else "failed", value or "")

    def _drop_what_is_late(self, entry: _Entry, asked: float) -> None:
        """End work that runs for too long, and a process that does not take it up."""
        if entry.begun is None and time.monotonic() - asked > START_S:
            self._end(entry, "failed", f"the process did not start within {START_S:g} s")
        elif entry.begun is not None and entry.seconds() > self._limit_s:
            self._end(entry, "late")

    def _drop_who_left(self) -> None:
        """End the jobs of visitors who have been away for too long."""
        now = time.monotonic()
        for entry in list(self._entries.values()):
            if entry.job.is_over:
                continue
            if self._is_here(entry.job.owner):
                entry.away_since = None
            elif entry.away_since is None:
                entry.away_since = now
            elif now - entry.away_since > self._away_s:
                self._end(entry, "gone")


@st.cache_resource(show_spinner=False, on_release=Runner.close)
def runner() -> Runner:
    """Give the server's only queue."""
    return Runner(lambda session: Runtime.exists() and Runtime.instance().is_active_session(session))


def visitor() -> str:
    """Name the session of the visit that runs now, as Streamlit's own list of sessions does."""
    context = get_script_run_ctx()
    return "" if context is None else context.session_id
