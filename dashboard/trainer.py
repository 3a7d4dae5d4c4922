"""Runs that are trained beside the server, piece by piece, so that visitors can watch, pause, step and stop them.

A run holds a slot while it goes; those that find none wait in a queue. A piece takes and returns the whole run, so where a
process dies the run goes on from its last piece, and no other run hears of it.
"""

import itertools
import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field, replace
from typing import Literal

from attention_core.training.checkpoint import load_run
from attention_core.training.chunk import MOST_STEPS_AT_ONCE, Chunk, go_on
from attention_core.training.loop import StepRecord
from attention_core.training.recipe import Recipe
from dashboard.training_pool import Pool

# paused: as many steps as were asked for are done.
State = Literal["waiting", "running", "paused", "ended", "failed"]
# Why a run has ended: its loss is no number any more, or it may take no more steps, or no more time.
Reason = Literal["", "loss", "steps", "time"]
LANES = 2  # runs of one visitor, side by side
MOST_STEPS, MOST_SECONDS = 5000, 300.0
MOST_RUNS, MOST_LOOKS, MOST_RESTARTS = 64, 64, 3
MOST_STATE_BYTES = 2**29  # of all runs together
# A piece is so long, that a page hears of it more than five times a second.
PIECE_S, TICK_S, AWAY_S = 0.15, 0.05, 5.0


@dataclass(frozen=True)
class Look:
    """What the watched example looked like after a piece.

    Attributes:
        step: After how many steps.
        weights: As `attention_core.training.chunk.read_look` reads them.
    """

    step: int
    weights: bytes
    shape: tuple[int, int, int, int]
    answers: tuple[int, ...]


@dataclass(frozen=True)
class Training:
    """A run as it stands.

    Attributes:
        goal: How many steps it shall have.
        begun_at: How many it had already when it came, as a file.
        ahead: How many wait before it.
        restarts: How often its process died and another one went on.
        seconds: How long it has been computed on.
        error: Its words, where it failed.
    """

    number: int
    recipe: Recipe
    state: State
    goal: int
    begun_at: int = 0
    records: tuple[StepRecord, ...] = ()
    looks: tuple[Look, ...] = ()
    reason: Reason = ""
    ahead: int = 0
    restarts: int = 0
    seconds: float = 0.0
    error: str = ""

    @property
    def step(self) -> int:
        """How many steps are done."""
        return self.records[-1].step if self.records else self.begun_at


class Full(Exception):
    """As many runs are kept as may, or as many bytes."""


@dataclass(eq=False)
class _Entry:
    """A run, and what only the trainer knows of it."""

    owner: str
    lane: int
    run: Training
    written: bytes | None
    watched: int = 0
    wants_look: bool = True
    steps_per_s: float = math.inf
    records: list[StepRecord] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)
    asked: int = 0
    next_piece: float = 0.0
    away_since: float | None = None
    slot: int | None = None
    piece: Future[Chunk] | None = None
    begun: float = 0.0

    @property
    def step(self) -> int:
        return self.records[-1].step if self.records else self.run.begun_at


class Trainer:
    """The runs of a server.

    Args:
        is_here: Says of a session whether its visitor is still there.
        away_s: How long a visitor may be away before the runs are forgotten.
    """

    def __init__(self, pool: Pool, is_here: Callable[[str], bool], away_s: float = AWAY_S) -> None:
        self._pool, self._is_here, self._away_s = pool, is_here, away_s
        self._numbers, self._asked = itertools.count(1), itertools.count(1)
        self._entries: dict[int, _Entry] = {}
        # Pieces whose run was stopped: nobody wants what they give, but they hold their slot until they end.
        self._unwanted: dict[int, Future[Chunk]] = {}
        self._changed = threading.Condition()
        self._is_closed = False
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def start(self, owner: str, lane: int, recipe: Recipe, written: bytes | None = None) -> Training:
        """Make a run that takes no step yet, but looks at its example; the visitor's earlier one in that lane is forgotten.

        Args:
            lane: From 0 to LANES − 1.
            written: A run as a file, which goes on; its own recipe counts.

        Raises:
            Full: too much is kept.
            ValueError: a lane or a file that is none.
        """
        if not 0 <= lane < LANES:
            raise ValueError(f"lane must lie within 0 and {LANES - 1}, got {lane}")
        begun_at = 0
        if written is not None:
            loaded = load_run(written)
            recipe, begun_at = loaded.recipe, loaded.step
        with self._changed:
            for entry in [e for e in self._entries.values() if (e.owner, e.lane) == (owner, lane)]:
                self._forget(entry)
            kept = sum(len(entry.written or b"") for entry in self._entries.values())
            if len(self._entries) >= MOST_RUNS or kept > MOST_STATE_BYTES:
                raise Full
            run = Training(next(self._numbers), recipe, "waiting", begun_at, begun_at)
            self._entries[run.number] = _Entry(owner, lane, run, written, asked=next(self._asked))
            self._changed.notify_all()
        return run

    def go(self, number: int, owner: str, n_steps: int, steps_per_s: float = math.inf) -> None:
        """Ask for so many steps more, at most so many a second."""
        with self._changed:
            entry = self._own(number, owner)
            if entry is None or entry.run.state not in ("paused", "waiting", "running"):
                return
            most = entry.run.begun_at + MOST_STEPS
            goal = min(most, entry.step + max(0, n_steps))
            if entry.run.state == "paused":
                entry.asked = next(self._asked)
            state = "waiting" if entry.slot is None else "running"
            entry.run = replace(entry.run, state=state, goal=goal)
            entry.steps_per_s, entry.next_piece = steps_per_s, 0.0
            self._settle(entry)
            self._changed.notify_all()

    def pause(self, number: int, owner: str) -> None:
        """End a run's steps for now; a piece that has begun is still taken in."""
        with self._changed:
            entry = self._own(number, owner)
            if entry is not None and entry.run.state in ("waiting", "running"):
                entry.run = replace(entry.run, goal=entry.step)
                self._settle(entry)

    def watch(self, number: int, owner: str, watched: int) -> None:
        """Look at another of the held-out examples from now on; what was looked at before is forgotten."""
        with self._changed:
            entry = self._own(number, owner)
            if entry is None or entry.watched == watched or entry.run.state in ("ended", "failed"):
                return
            entry.watched, entry.looks, entry.wants_look = watched, [], True
            if entry.run.state == "paused":
                entry.asked, entry.run = next(self._asked), replace(entry.run, state="waiting")
            self._changed.notify_all()

    def look(self, number: int, owner: str) -> Training | None:
        """Say how a visitor's run stands; None where there is none."""
        with self._changed:
            entry = self._own(number, owner)
            if entry is None:
                return None
            waits = entry.run.state == "waiting"
            before = [e for e in self._entries.values() if e.run.state == "waiting" and e.asked < entry.asked]
            return replace(
                entry.run,
                records=tuple(entry.records),
                looks=tuple(entry.looks),
                ahead=len(before) if waits else 0,
            )

    def written(self, number: int, owner: str) -> bytes | None:
        """Give a visitor's run as its last piece left it; None where there is none, or before its first."""
        with self._changed:
            entry = self._own(number, owner)
            return None if entry is None else entry.written

    def forget(self, number: int, owner: str) -> None:
        """Put a visitor's run away."""
        with self._changed:
            entry = self._own(number, owner)
            if entry is not None:
                self._forget(entry)

    def count_active(self) -> int:
        """Say how many run or wait."""
        with self._changed:
            return sum(entry.run.state in ("waiting", "running") for entry in self._entries.values())

    def close(self) -> None:
        """End everything."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        self._thread.join(timeout=5)
        self._pool.close()

    def _own(self, number: int, owner: str) -> _Entry | None:
        entry = self._entries.get(number)
        return entry if entry is not None and entry.owner == owner else None

    def _forget(self, entry: _Entry) -> None:
        self._free(entry)
        del self._entries[entry.run.number]

    def _free(self, entry: _Entry) -> None:
        """Take a run off its slot; a piece that it has there ends by itself."""
        if entry.piece is not None and entry.slot is not None:
            self._unwanted[entry.slot] = entry.piece
        entry.slot = entry.piece = None

    def _end(self, entry: _Entry, state: State, *, reason: Reason = "", error: str = "") -> None:
        entry.run = replace(entry.run, state=state, reason=reason, error=error)
        self._free(entry)

    def _settle(self, entry: _Entry) -> None:
        """Pause a run that is where it shall be, and end one that may not go on; one with a piece on its way goes on."""
        if entry.piece is not None or entry.run.state not in ("waiting", "running"):
            return
        if entry.records and not entry.records[-1].is_finite:
            self._end(entry, "ended", reason="loss")
        elif entry.step >= entry.run.begun_at + MOST_STEPS:
            self._end(entry, "ended", reason="steps")
        elif entry.run.seconds > MOST_SECONDS:
            self._end(entry, "ended", reason="time")
        elif entry.step >= entry.run.goal and not entry.wants_look:
            self._end(entry, "paused")

    def _serve(self) -> None:
        while True:
            with self._changed:
                self._changed.wait(TICK_S if self._entries or self._unwanted else None)
                if self._is_closed:
                    return
                self._take_in()
                self._drop_who_left()
                self._hand_out()

    def _take_in(self) -> None:
        """Take in the pieces that are there."""
        self._unwanted = {slot: piece for slot, piece in self._unwanted.items() if not piece.done()}
        for entry in list(self._entries.values()):
            if entry.piece is not None and entry.piece.done():
                piece, entry.piece = entry.piece, None
                seconds = entry.run.seconds + time.monotonic() - entry.begun
                entry.run = replace(entry.run, seconds=seconds)
                self._hear(entry, piece)
                self._settle(entry)

    def _hear(self, entry: _Entry, piece: Future[Chunk]) -> None:
        """Add what a piece gave; where it died with its process, let another one try."""
        try:
            chunk = piece.result()
        except ValueError as error:
            self._end(entry, "failed", error=str(error))
        except (Exception, CancelledError) as error:
            self._pool.renew(entry.slot)
            entry.run = replace(entry.run, restarts=entry.run.restarts + 1)
            entry.wants_look = not entry.looks
            if entry.run.restarts > MOST_RESTARTS:
                self._end(entry, "failed", error=f"{type(error).__name__}: {error}")
        else:
            entry.written = chunk.state
            entry.records += chunk.records
            entry.looks.append(Look(entry.step, chunk.look, chunk.look_shape, chunk.answers))
            if len(entry.looks) > MOST_LOOKS:
                del entry.looks[1:-1:2]  # every second one; the first and the last stay

    def _hand_out(self) -> None:
        """Give free slots to those who wait longest, and the next piece to every run that has a slot."""
        taken = {entry.slot for entry in self._entries.values()} | set(self._unwanted)
        free = [slot for slot in range(self._pool.n_slots) if slot not in taken]
        waiting = [entry for entry in self._entries.values() if entry.run.state == "waiting"]
        for entry, slot in zip(sorted(waiting, key=lambda entry: entry.asked), free, strict=False):
            entry.slot, entry.run = slot, replace(entry.run, state="running")
        now = time.monotonic()
        for entry in self._entries.values():
            if entry.run.state == "running" and entry.piece is None and now >= entry.next_piece:
                self._send_piece(entry, now)

    def _send_piece(self, entry: _Entry, now: float) -> None:
        n_steps = 0 if entry.wants_look else min(entry.run.goal - entry.step, MOST_STEPS_AT_ONCE)
        if entry.steps_per_s < math.inf:
            n_steps = min(n_steps, max(1, round(entry.steps_per_s * PIECE_S)))
            entry.next_piece = now + n_steps / entry.steps_per_s
        entry.begun, entry.wants_look = now, False
        arguments = (entry.run.recipe, entry.written, n_steps, PIECE_S, entry.watched)
        try:
            entry.piece = self._pool.executor(entry.slot).submit(go_on, *arguments)
        except Exception as error:  # the process has died since its last piece
            entry.piece = Future()
            entry.piece.set_exception(error)
        entry.piece.add_done_callback(lambda _: self._wake())

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _drop_who_left(self) -> None:
        """Forget the runs of visitors who have been away for too long."""
        now = time.monotonic()
        for entry in list(self._entries.values()):
            if self._is_here(entry.owner):
                entry.away_since = None
            elif entry.away_since is None:
                entry.away_since = now
            elif now - entry.away_since > self._away_s:
                self._forget(entry)
