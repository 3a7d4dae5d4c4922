"""A sweep says how far it has come once a reader has waited, and nothing before."""

import pytest

from dashboard.panels import one_by_one as sweep


class Bar:
    """What stands in the place of Streamlit's bar."""

    def __init__(self) -> None:
        self.shown: list[tuple[float, str]] = []
        self.is_gone = False

    def progress(self, share: float, text: str) -> None:
        self.shown.append((share, text))

    def empty(self) -> None:
        self.is_gone = True


@pytest.fixture
def bars(monkeypatch) -> list[Bar]:
    made: list[Bar] = []
    monkeypatch.setattr(sweep.st, "empty", lambda: made.append(Bar()) or made[-1])
    return made


def test_a_quick_sweep_says_nothing(bars) -> None:
    assert sweep.one_by_one((1, 2, 3), lambda width: -width, str) == [-1, -2, -3]
    assert not bars


def test_a_slow_sweep_says_the_share_of_the_work_that_is_done_and_goes(bars, monkeypatch) -> None:
    monkeypatch.setattr(sweep, "PATIENCE_S", -1.0)
    records = sweep.one_by_one((1, 2, 3), str, lambda width: f"at {width}", cost=lambda width: width**2)
    assert records == ["1", "2", "3"]
    (bar,) = bars
    assert bar.shown == [(0.0, "at 1"), (1 / 14, "at 2"), (5 / 14, "at 3")]
    assert bar.is_gone
