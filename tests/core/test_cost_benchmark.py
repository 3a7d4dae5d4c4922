"""The benchmark of the cost lesson at a tiny size: it compares what it says it compares."""

from dataclasses import replace

import pytest
import torch

from benchmarks import costs


def test_C5_both_sides_write_the_same_text() -> None:
    times, difference = costs.decode_times_s(replace(costs.DECODED, n=6, d_model=8, n_heads=2), texts=2)
    assert len(times) == 2
    assert min(seconds for pair in times for seconds in pair) > 0
    assert costs.same_outputs(difference).endswith("the same outputs\n")


def test_C3_both_sides_attend_alike() -> None:
    traced, fused = costs.both_ways(16)
    assert torch.allclose(traced(), fused(), atol=costs.ROUNDING)


def test_a_missed_bar_and_other_outputs_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    costs.print_ratio(("slow", "fast"), [(0.004, 0.001)] * 3, bar=5)
    printed = capsys.readouterr().out
    assert "| 4.0 | 1.0 | 4.0 | 4.0 to 4.0 | ≥ 5 | MISSED |" in printed
    costs.print_ratio(("slow", "fast"), [(0.004, 0.001)] * 3, bar=4)
    assert "holds" in capsys.readouterr().out
    assert "OTHER OUTPUTS" in costs.same_outputs(0.1)
