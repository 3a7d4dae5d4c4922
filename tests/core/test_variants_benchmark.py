"""The benchmark of the variants at a tiny size: it compares what it says it compares."""

import pytest

from benchmarks import variants


@pytest.mark.parametrize("name", ["window", "block"])
def test_V4_both_sides_attend_alike(name: str) -> None:
    dense, sparse = variants.both_ways(name, 260)
    assert variants.judge(float((dense() - sparse()).abs().max()), variants.RUNS[name][1]) == "the same"


def test_an_exponent_is_the_slope_and_other_outputs_are_said() -> None:
    assert variants.fit_exponent((1, 2, 4), (3.0, 12.0, 48.0)) == pytest.approx(2)
    assert variants.judge(0.1, variants.RUNS["window"][1]).startswith("OTHERS")
    assert variants.judge(0.1, None) == "another function"


def test_the_tables_have_a_row_for_each_variant(capsys: pytest.CaptureFixture[str]) -> None:
    variants.print_ratios(2, (16,))
    variants.print_exponents(2, (16, 32))
    printed = capsys.readouterr().out
    for name in variants.RUNS:
        assert printed.count(f"| {name} |") == 2
