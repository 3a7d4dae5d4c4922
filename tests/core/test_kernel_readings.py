"""What timed kernels say beside formulas (C2, C3): bytes that formulas foresee, powers, speed-ups, what fits."""

import pytest

from attention_core.components import spacing_at
from attention_core.cost import count
from attention_core.estimate import Power
from attention_core.experiments.timed_kernels import (
    KERNELS,
    Absent,
    Chosen,
    Plan,
    Point,
    Prediction,
    Rates,
    count_moved,
    count_records,
    measure_plan,
    predict,
    read_record,
)
from attention_core.kernel_readings import (
    FITTED,
    Fit,
    extrapolate,
    fit_growth,
    fitting_lengths,
    foresee_bytes,
    foresee_seconds,
    speed_ups,
)

RATES = Rates(1e9, 1e9)


def point(kernel: str, n: int, median_s: float, peak: int | None = 1) -> Point:
    return Point(kernel, n, median_s, median_s, median_s, 1, peak, None, 0)


def test_C2_a_plan_gives_rates_a_record_for_each_kernel_and_length_and_torchs_choice():
    plan = Plan(kernels=("math", "linear", "flash"), lengths=(16, 8, 16), mask="explicit", repeats=1)
    records = list(measure_plan(plan))
    assert len(records) == count_records(plan) == 8
    assert isinstance(records[0], Rates)
    chosen = records[-1]
    assert isinstance(chosen, Chosen)
    assert dict(chosen.by_mask)["explicit"] == chosen.plain
    assert {one.n for one in records if isinstance(one, Absent)} == {8, 16}
    assert {(one.kernel, one.n) for one in records if isinstance(one, Point)} == {
        (kernel, n) for kernel in ("math", "flash") for n in (8, 16)
    }


def test_records_are_made_of_their_fields_and_strangers_are_refused():
    for record in (RATES, point("math", 8, 1.0), Absent("math", 8, "x"), Chosen("math", (), "a", "b", ())):
        assert read_record(**vars(record)) == record
    with pytest.raises(ValueError, match="got kernel, stranger"):
        read_record(kernel="math", stranger=1)


def test_C3_bytes_by_formula_are_what_the_definition_takes_and_far_from_what_flash_takes():
    plan = Plan(kernels=("traced", "flash"), lengths=(512,), repeats=1)
    peaks = {one.kernel: one.peak_bytes for one in measure_plan(plan) if isinstance(one, Point)}
    setting = plan.setting(512)
    assert foresee_bytes("traced", setting) == (3 * 4 * 512**2 + 512 * 64 * 4) * 4
    assert peaks["traced"] == pytest.approx(foresee_bytes("traced", setting), rel=0.01)
    assert foresee_bytes("flash", setting) == 512 * 256 * 4 + 4 * 4 * 512
    assert foresee_bytes("flash", setting) <= peaks["flash"] < foresee_bytes("traced", setting) / 10


def test_C2_time_by_formula_is_the_products_alone_and_layers_project_besides():
    setting = Plan().setting(1024)
    assert foresee_seconds("flash", setting, RATES) == 4 * 1024**2 * 256 / 1e9
    more = foresee_seconds("module", setting, RATES) - foresee_seconds("flash", setting, RATES)
    assert more == pytest.approx(8 * 1024 * 256**2 / 1e9)


def test_C3_moved_bytes_of_a_layer_are_those_of_the_formula_and_kernels_leave_projections_out():
    setting = Plan().setting(1024)
    assert count_moved("module_weights", setting) == count("full", "moved_bytes", setting)
    assert count_moved("traced", setting) == (6 * 4 * 1024**2 + 4 * 2 * 1024 * 256) * 4


def test_C2_a_power_is_fitted_through_the_longest_lengths():
    lengths = (16, 32, 64, 128, 256)
    points = [point("math", n, 1.0 if n == 16 else n**1.5) for n in lengths]
    fit = fit_growth("math", "time", points, Plan())
    assert fit.lengths == lengths[-FITTED:]
    assert fit.power.exponent == pytest.approx(1.5)
    assert fit.power.standard_error == pytest.approx(0, abs=1e-12)
    assert fit.expected == 2.0


def test_C2_too_few_points_give_no_power():
    assert fit_growth("math", "time", [point("math", 8, 1.0)], Plan()).power is None
    assert fit_growth("math", "memory", [point("math", n, 1.0, None) for n in (8, 16)], Plan()).power is None
    assert extrapolate(Fit("math", (), None, None), 8) is None
    assert extrapolate(Fit("math", (8, 16), Power(2.0, None, 0.5), 2.0), 4) == 8.0


def test_C3_speed_ups_need_the_definition_at_the_same_length():
    points = [point("traced", 8, 4.0), point("flash", 8, 2.0), point("flash", 16, 1.0)]
    assert speed_ups(points) == {("traced", 8): 1.0, ("flash", 8): 2.0}
    assert speed_ups(points[1:]) == {}


@pytest.mark.parametrize("most", [Prediction(2.0, 2**40), Prediction(1e9, 2**22)], ids=["time", "memory"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_C2_the_lengths_that_fit_do_and_one_more_does_not(kernel, most):
    plan = Plan(kernels=(kernel,), lengths=(16, 64, 256, 1024, 4096, 2**14))
    kept = fitting_lengths(plan, RATES, most)
    assert 0 < len(kept) < len(plan.lengths)
    assert kept == plan.lengths[: len(kept)]
    for more in (0, 1):
        foreseen = predict(Plan(kernels=(kernel,), lengths=plan.lengths[: len(kept) + more]), RATES)
        is_within = foreseen.seconds <= most.seconds and foreseen.peak_bytes <= most.peak_bytes
        assert is_within == (more == 0)


def test_the_spacing_of_numbers_is_that_of_their_type():
    assert [spacing_at(1, dtype) for dtype in ("float64", "float32", "bfloat16")] == [2**-52, 2**-23, 2**-7]
