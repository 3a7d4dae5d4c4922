"""How numbers are written."""

from decimal import ROUND_HALF_EVEN, Decimal

import numpy as np
import pytest

from dashboard.number_format import BINARY, DECIMAL, in_units, significant, significant_each


@pytest.mark.parametrize("digits", [1, 2, 3, 5])
def test_any_number_keeps_its_first_digits_and_is_rounded_once(digits: int) -> None:
    generator = np.random.default_rng(digits)
    sizes = 10 ** generator.uniform(-2.99, 4.9, size=2000)
    edges = [0.001, 0.00099995, 0.89, 0.9, 0.99, 0.995, 9.4, 9.96, 89.9, 90.0, 99.4, 99.96, 999.6, 99949.0]
    for value in [*(sizes * generator.choice([-1, 1], size=2000)).tolist(), *edges]:
        exact = Decimal(value)
        step = Decimal(1).scaleb(exact.adjusted() - digits + 1)
        rounded = exact.quantize(step, rounding=ROUND_HALF_EVEN)
        written = significant(value, digits)
        assert written[0] == "−" if value < 0 else written[0] in "0123456789"
        if "e" in written:
            assert abs(value) < 0.001 or abs(value) > 9.9e4
            continue
        assert not written.endswith(".")
        found = Decimal(written.replace("−", "-"))
        # Whole numbers are written out: 12 345 has five digits in any case.
        assert found == (rounded if step < 1 else exact.quantize(Decimal(1), rounding=ROUND_HALF_EVEN))
        if step < 1 and rounded.adjusted() == exact.adjusted():
            assert -found.as_tuple().exponent == -step.as_tuple().exponent


def test_many_numbers_are_written_as_each_of_them_is() -> None:
    generator = np.random.default_rng(0)
    values = 10 ** generator.uniform(-5, 6, size=(40, 40)) * generator.choice([-1, 0, 1], size=(40, 40))
    values[0, :12] = [0, -0.0, np.inf, -np.inf, np.nan, 0.001, 0.00099951, 89.999, 90, 99.96, 1e300, 5e-324]
    assert significant_each(values) == [significant(value) for value in values.ravel().tolist()]
    assert significant_each(np.zeros((0, 3))) == []


def test_counts_are_written_in_the_largest_unit_that_they_reach() -> None:
    for units, base, signs in ((BINARY, 2**10, "KMGTPEZY"), (DECIMAL, 10**3, "kMGTPEZY")):
        for power, sign in enumerate(signs, 1):
            size = base**power
            unit = f"{sign}iB" if units is BINARY else sign
            assert in_units(size, units) == f"1.00 {unit}"
            assert in_units(3 * size // 2, units) == f"1.50 {unit}"
            assert in_units(size - 1, units) == (f"1.00 {unit}" if power > 1 else "")
    assert in_units(0, BINARY) == in_units(999, DECIMAL) == in_units(1023, BINARY) == ""
    assert in_units(8192 * 131_072, BINARY) == "1.00 GiB"
