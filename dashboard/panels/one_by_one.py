"""A sweep that is measured width by width, and says to a reader who waits how far it has come; lessons share it."""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

import streamlit as st

# How long a reader waits before being told how far it has come.
PATIENCE_S = 0.4

Record = TypeVar("Record")


def one_by_one(
    widths: Sequence[int],
    measure: Callable[[int], Record],
    said: Callable[[int], str],
    cost: Callable[[int], int] = int,
) -> list[Record]:
    """Measure width by width.

    Args:
        said: What a reader is told while a width is measured.
        cost: How much work a width is beside the others.
    """
    records, bar, started = [], None, time.monotonic()
    costs = [cost(width) for width in widths]
    for place, width in enumerate(widths):
        if bar is None and time.monotonic() - started > PATIENCE_S:
            bar = st.empty()
        if bar is not None:
            bar.progress(sum(costs[:place]) / sum(costs), text=said(width))
        records.append(measure(width))
    if bar is not None:
        bar.empty()
    return records
