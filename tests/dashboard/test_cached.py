"""Records that all visitors share: one measures, the others wait and get the same."""

import threading
import time

from dashboard.cached import shared


def test_two_visitors_at_once_measure_once_and_share_the_record() -> None:
    measured: list[tuple[float, ...]] = []

    @shared(4)
    def measure(row: tuple[float, ...]) -> list[float]:
        measured.append(row)
        time.sleep(0.2)
        return [2 * number for number in row]

    found: list[list[float]] = []
    visitors = [threading.Thread(target=lambda: found.append(measure((1.0, 2.0)))) for _ in range(5)]
    for visitor in visitors:
        visitor.start()
    for visitor in visitors:
        visitor.join()
    assert measured == [(1.0, 2.0)]
    assert found[0] == [2.0, 4.0]
    assert all(record is found[0] for record in found)


def test_no_more_records_are_kept_than_said() -> None:
    measured: list[int] = []

    @shared(2)
    def measure(width: int) -> int:
        measured.append(width)
        return width

    for width in (1, 2, 3, 3, 2, 1):
        assert measure(width) == width
    assert measured == [1, 2, 3, 1]
