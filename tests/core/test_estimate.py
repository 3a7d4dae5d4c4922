"""A power fitted to points: exact on exact ones, with the error of theory on noisy ones (C2)."""

import math

import numpy as np
import pytest

from attention_core.estimate import fit_power

SIZES = [64, 128, 256, 512, 1024, 2048]


@pytest.mark.parametrize(("exponent", "factor"), [(2, 3e-9), (1, 0.5), (0, 7.0), (-1, 2.0)])
def test_C2_points_on_a_line_give_that_line(exponent, factor):
    found = fit_power(SIZES, [factor * n**exponent for n in SIZES])
    assert found.exponent == pytest.approx(exponent, abs=1e-12)
    assert found.factor == pytest.approx(factor, rel=1e-9)
    assert found.standard_error == pytest.approx(0, abs=1e-7)


def test_C2_the_exponent_and_its_error_are_those_of_numpy():
    noise = [1.1, 0.9, 1.3, 0.8, 1.05, 0.95]
    values = [n**1.7 * by for n, by in zip(SIZES, noise, strict=True)]
    (slope, _), covariance = np.polyfit(np.log(SIZES), np.log(values), 1, cov=True)
    found = fit_power(SIZES, values)
    assert found.exponent == pytest.approx(slope)
    assert found.standard_error == pytest.approx(math.sqrt(covariance[0, 0]))


def test_two_points_have_no_error_and_what_is_no_line_is_refused():
    assert fit_power([1, 2], [1.0, 8.0]).standard_error is None
    for sizes, values in (([4], [1.0]), ([4, 4], [1.0, 2.0]), ([1, 2], [1.0])):
        with pytest.raises(ValueError, match="two sizes or more and a value for each"):
            fit_power(sizes, values)
    with pytest.raises(ValueError, match="must be above 0, got 0"):
        fit_power([1, 2], [0.0, 1.0])
