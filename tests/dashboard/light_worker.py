"""The process for long work without torch, so that a test that starts one is quick: `python -m tests.dashboard.light_worker`."""

import sys
import time
from dataclasses import dataclass

from attention_core.worker import end_now, serve, take_output

MACHINE = {"processor": "abacus", "cores": 2, "threads": 1, "python": "3", "torch": "none"}


@dataclass(frozen=True)
class Pair:
    """A record to send."""

    first: int
    rest: tuple[float, ...]


def pause(number: int, seconds: float | str) -> int:
    """Give a number after some time; refuse a time that is none, in its own words."""
    if isinstance(seconds, str):
        raise ValueError(f"no time: {seconds}")
    time.sleep(seconds)
    return number


if __name__ == "__main__":
    serve(sys.stdin.buffer, take_output(), lambda: MACHINE, at_end=end_now)
