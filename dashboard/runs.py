"""Long work beside the server: one at a time in a process of its own, in a queue, and stopped at once.

A visitor who is gone is known by Streamlit's own list of sessions: one whose WebSocket has been closed is not on it. A
hidden tab keeps its WebSocket.
"""

import itertools
import os
import pickle
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Literal

import streamlit as st
from streamlit.runtime import Runtime

State = Literal["waiting", "running", "done", "stopped", "gone", "late", "failed"]
ROOT = Path(__file__).parents[1]
MOST_WAITING, MOST_KEPT, MOST_ITEMS = 16, 64, 4096
# How long a visitor may be away, as when a connection breaks and comes back, before the work ends.
AWAY_S = 5.0
LIMIT_S = 90.0
TICK_S = 0.05


@dataclass(frozen=True)
class Job:
    """Work that somebody asked for, as it stands.

    Attributes:
        owner: The session that asked.
        ahead: How many others run or wait before it.
        items: What it has given so far.
        error: Its words, where it failed.
    """

    number: int
    owner: str
    state: State
    items: tuple[Any, ...] = ()
    error: str = ""
    ahead: int = 0

    @property
    def is_over(self) -> bool:
        """Tell whether nothing more will come."""
        return self.state not in ("waiting", "running")


class Full(Exception):
    """As many wait as may."""


@dataclass(eq=False)
class _Entry:
    job: Job
    work: Callable[..., Iterable[Any]]
    arguments: tuple[Any, ...]
    away_since: float | None = None
    items: list[Any] = field(default_factory=list)


class _Worker:
    """The process and what it has said."""

    def __init__(self) -> None:
        # attention_core.worker: nothing of Streamlit is loaded there.
        paths = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        self.process = subprocess.Popen(
            [sys.executable, "-m", "attention_core.worker"],
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
        with self.process.stdout as answers:
            try:
                while True:
                    self.said.put(pickle.load(answers))  # our own process
            except (EOFError, OSError, pickle.UnpicklingError):
                self.said.put(("error", "the process ended"))

    def ask(self, work: Callable[..., Iterable[Any]], arguments: tuple[Any, ...]) -> None:
        pickle.dump((work, arguments), self.process.stdin)
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
        limit_s: The longest that one may run.
    """

    def __init__(
        self, is_here: Callable[[str], bool], limit_s: float = LIMIT_S, away_s: float = AWAY_S
    ) -> None:
        self._is_here, self._limit_s, self._away_s = is_here, limit_s, away_s
        self._numbers = itertools.count(1)
        self._entries: OrderedDict[int, _Entry] = OrderedDict()
        self._changed = threading.Condition()
        self._worker: _Worker | None = None
        self._is_closed = False
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def warm(self) -> None:
        """Start the process before somebody waits for it."""
        with self._changed:
            self._ready()

    def submit(self, owner: str, work: Callable[..., Iterable[Any]], *arguments: Any) -> Job:
        """Ask for work; what the same visitor asked for before is stopped.

        Args:
            work: A function of a module, whose name the process looks up there.

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
            self._entries[job.number] = _Entry(job, work, arguments)
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
            return replace(entry.job, items=tuple(entry.items), ahead=ahead)

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
            self._worker = _Worker()
        return self._worker

    def _kill(self) -> None:
        if self._worker is not None:
            self._worker.kill()
            self._worker = None

    def _end(self, entry: _Entry, state: State, error: str = "") -> None:
        """Close a job; one that still runs is killed together with its process, and the next one is made ready."""
        was_running = entry.job.state == "running"
        entry.job = replace(entry.job, state=state, error=error)
        if was_running and state not in ("done", "failed"):
            self._kill()
            self._ready()
        self._changed.notify_all()

    def _serve(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._is_closed or self._waiting() is not None)
                if self._is_closed:
                    return
                entry = self._waiting()
                entry.job = replace(entry.job, state="running")
                worker = self._ready()
                try:
                    worker.ask(entry.work, entry.arguments)
                except Exception as error:  # it died just now, or the work cannot be sent: the queue goes on
                    self._kill()
                    self._end(entry, "failed", f"{type(error).__name__}: {error}")
            if entry.job.state == "running":
                self._watch(entry, worker)

    def _waiting(self) -> _Entry | None:
        return next((entry for entry in self._entries.values() if entry.job.state == "waiting"), None)

    def _watch(self, entry: _Entry, worker: _Worker) -> None:
        """Take in what a job gives until it is over, for whatever reason."""
        started = time.monotonic()
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
                if entry.job.state == "running" and time.monotonic() - started > self._limit_s:
                    self._end(entry, "late")
                if entry.job.state != "running":
                    return

    def _hear(self, entry: _Entry, said: tuple[str, Any] | None) -> None:
        if said is None:
            return
        kind, value = said
        if kind == "item" and len(entry.items) < MOST_ITEMS:
            entry.items.append(value)
        elif kind == "item":
            self._end(entry, "late")
        else:
            self._end(entry, "done" if kind == "end" else "failed", value or "")

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
