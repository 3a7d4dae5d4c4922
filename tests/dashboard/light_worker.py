"""The process for long work without torch, so that a test that starts one is quick: `python -m tests.dashboard.light_worker`."""

import itertools
import os
import sys
import time
from collections.abc import Iterable, Iterator
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


def count_to(n: int) -> Iterable[int]:
    return range(n)


def count_on() -> Iterator[int]:
    return itertools.count()


def sleep_each(seconds: tuple[float, ...]) -> Iterator[None]:
    return map(time.sleep, seconds)


def pause_each(numbers: tuple[int, ...], seconds: tuple[float | str, ...]) -> Iterator[int]:
    return map(pause, numbers, seconds)


def read_each(texts: tuple[str, ...]) -> Iterator[int]:
    return map(int, texts)


def pair_each(firsts: tuple[int, ...], rests: tuple[tuple[float, ...], ...]) -> Iterator[Pair]:
    return map(Pair, firsts, rests)


def split(pair: Pair) -> Iterator[float]:
    yield pair.first
    yield from pair.rest


def make_complex(number: int) -> Iterator[complex]:
    yield complex(number)


def print_each(texts: tuple[str, ...]) -> Iterator[int]:
    return (os.write(1, text.encode()) for text in texts)


WORK = (
    count_to,
    count_on,
    sleep_each,
    pause_each,
    read_each,
    pair_each,
    split,
    make_complex,
    print_each,
)


if __name__ == "__main__":
    from tests.dashboard import light_worker  # whose functions have the names that are asked for

    serve(sys.stdin.buffer, take_output(), light_worker.WORK, lambda: MACHINE, at_end=end_now)
