"""Why the scores are divided by √d_k: the claims S1 to S6, each measured against its theory."""

import itertools
import math
import statistics
from dataclasses import replace
from fractions import Fraction

import pytest
import torch

from attention_core import components as drawing
from attention_core.components import (
    DISTRIBUTIONS,
    DTYPES,
    ZERO_SHARE,
    Components,
    bytes_of_trial,
    check_trials,
    common_variance,
    draw_queries_and_keys,
    expected_score,
    expected_variance,
    trials_a_chunk,
)
from attention_core.estimate import estimate
from attention_core.experiments.clinic import (
    CAUSES,
    CURES,
    PATIENTS,
    Setup,
    bytes_of_stack,
    causes_of,
    check_up,
    cure,
    divisor_of,
    draw_stack,
    run_stack,
    signs_of,
    symptoms_of,
)
from attention_core.experiments.dot_products import bin_scores, measure_dot_products, sweep_variance
from attention_core.experiments.overflow import (
    FORMS,
    compare_with_torch,
    measure_exp_limits,
    measure_scale_order,
    measure_softmaxes,
)
from attention_core.experiments.scaling import (
    DIVISORS,
    METERS,
    Overflow,
    divided_by,
    draw_sample_row,
    read_meters,
    sweep_divisors,
)
from attention_core.experiments.temperature import (
    compare_top_two,
    measure_temperatures,
    sweep_temperatures,
    temperature_for,
)
from attention_core.sharpness import entropy, jacobian_norm, scores_gradient

B, N, M, D_K = 3, 5, 7, 11


def randn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def draw(components, *, trials=2000, n_keys=3, d_k=5, seed=0, dtype="float64"):
    generator = torch.Generator().manual_seed(seed)
    sizes = {"trials": trials, "n_keys": n_keys, "d_k": d_k}
    return draw_queries_and_keys(components, **sizes, generator=generator, dtype=dtype)


@pytest.fixture(scope="module")
def swept():
    """The meters of 1000 trials with 16 keys, by width and divisor."""
    return {(r.d_k, r.divisor): r for r in sweep_divisors((1, 4, 16, 64, 256, 1024))}


def central_difference(loss, x, step=1e-6):
    """The gradient of loss by each number of x."""
    slopes = torch.zeros_like(x)
    for i in range(x.numel()):
        moved = torch.zeros(x.numel(), dtype=x.dtype)
        moved[i] = step
        moved = moved.reshape(x.shape)
        slopes.view(-1)[i] = (loss(x + moved) - loss(x - moved)) / (2 * step)
    return slopes


def test_S1_the_variance_at_1024_lies_within_three_standard_errors_of_1024():
    record = measure_dot_products(1024)
    assert record.expected_variance == 1024
    assert abs(record.variance.mean - 1024) < 3 * record.variance.standard_error
    assert abs(record.mean.mean) < 3 * record.mean.standard_error
    assert record.scores.shape == (1000, 1)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("correlation", [0.0, 0.5, -0.8])
@pytest.mark.parametrize("placed", [{}, {"mean_q": 2.0, "mean_k": -0.5, "std_q": 0.5, "std_k": 3.0}])
def test_S1_mean_and_variance_follow_theory_for_every_distribution(distribution, correlation, placed):
    components = Components(distribution, correlation=correlation, **placed)
    record = measure_dot_products(7, trials=40_000, seed=1, components=components)
    assert abs(record.mean.mean - expected_score(components, 7)) < 4 * record.mean.standard_error
    assert abs(record.variance.mean - expected_variance(components, 7)) < 4 * record.variance.standard_error


def test_S1_theory_by_hand():
    assert expected_variance(Components(), 64) == 64
    assert expected_variance(Components(std_q=2, std_k=3), 10) == 360
    assert expected_variance(Components(mean_q=1, mean_k=2, std_q=3, std_k=4), 1) == 16 + 36 + 144
    # Signs that always agree: q·k is d_k, whatever is drawn.
    assert expected_score(Components("signs", correlation=1), 9) == 9
    assert expected_variance(Components("signs", correlation=1), 9) == 0
    # The terms cancel here, and rounding would leave less than nothing: no root could be taken of it.
    assert expected_variance(Components("signs", 0.2, 0.2, 0.3, 0.3, -1), 9) == 0
    # The square of a normal number has variance 2.
    assert expected_variance(Components(correlation=1), 1) == 2


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("correlation", [0.0, 0.6, -0.6])
def test_S1_components_have_mean_0_variance_1_and_the_correlation_asked_for(distribution, correlation):
    q, k = draw(Components(distribution, correlation=correlation), trials=20_000)
    for side in (q, k):
        assert float(side.mean()) == pytest.approx(0, abs=0.02)
        assert float(side.var()) == pytest.approx(1, abs=0.05)
    assert float((q[:, None] * k).mean()) == pytest.approx(correlation, abs=0.03)


def test_S1_each_distribution_is_what_its_name_says():
    assert set(draw(Components("signs"))[1].unique().tolist()) == {-1.0, 1.0}
    uniform = draw(Components("uniform"))[1]
    assert 1.7 < float(uniform.abs().max()) <= math.sqrt(3)
    assert float((uniform.abs() < math.sqrt(3) / 2).double().mean()) == pytest.approx(0.5, abs=0.02)
    assert float((draw(Components("sparse"))[1] == 0).double().mean()) == pytest.approx(ZERO_SHARE, abs=0.01)
    assert float((draw(Components("normal"))[1].abs() < 1).double().mean()) == pytest.approx(0.683, abs=0.01)


def test_S1_the_standard_error_counts_trials_not_keys():
    # All keys of a trial are its query: 16 keys tell no more than one does.
    twins = Components(correlation=1)
    one, many = (measure_dot_products(3, n_keys=n, components=twins) for n in (1, 16))
    assert many.mean.standard_error == pytest.approx(one.mean.standard_error, rel=0.15)
    assert many.variance.standard_error == pytest.approx(one.variance.standard_error, rel=0.35)
    # Normal numbers: the standard error of their variance is √(2/trials) of it.
    wide = measure_dot_products(1024)
    assert wide.mean.standard_error == pytest.approx(math.sqrt(1024 / 1000), rel=0.1)
    assert wide.variance.standard_error == pytest.approx(1024 * math.sqrt(2 / 1000), rel=0.25)


@pytest.mark.parametrize("components", [Components(), Components("uniform", mean_q=3, std_k=2)])
def test_S1_the_histogram_follows_the_normal_at_a_large_width(components):
    record = measure_dot_products(256, trials=20_000, components=components)
    bins = bin_scores(record, 20)
    assert sum(b.share for b in bins) == pytest.approx(1)
    assert sum(b.expected_share for b in bins) == pytest.approx(1, abs=1e-4)
    for b in bins:
        error = math.sqrt(b.expected_share * (1 - b.expected_share) / 20_000)
        assert abs(b.share - b.expected_share) < 5 * error + 1e-4
        inside = (record.scores >= b.lower) & (record.scores < b.upper)
        assert float(inside.double().mean()) == pytest.approx(b.share, abs=1e-4)
    assert [b.upper for b in bins[:-1]] == pytest.approx([b.lower for b in bins[1:]])
    assert (bins[0].lower + bins[-1].upper) / 2 == pytest.approx(record.expected_mean, abs=1e-9)


def test_S1_the_histogram_leaves_no_score_out_and_stands_where_nothing_varies():
    sparse = measure_dot_products(1, trials=3000, components=Components("sparse"))
    assert sum(b.share for b in bin_scores(sparse, 5, reach=0.1)) == pytest.approx(1)
    constant = measure_dot_products(4, components=Components("signs", correlation=1))
    bins = bin_scores(constant, 3)
    assert [b.share for b in bins] == [0, 1, 0]
    assert [b.expected_share for b in bins] == [0, 1, 0]
    lost = measure_dot_products(64, components=Components(mean_q=40, mean_k=40), dtype="float16")
    assert bin_scores(lost) == ()


def test_S1_the_sweep_gives_each_seed_and_the_band_around_them():
    records = sweep_variance((1, 3, 64), seeds=(0, 1, 2), trials=200)
    assert [r.d_k for r in records] == [1, 3, 64]
    for record in records:
        assert record.expected_variance == record.d_k
        found = [variance.mean for variance in record.variances]
        assert len(set(found)) == 3
        assert (record.lowest, record.median, record.highest) == tuple(sorted(found))
    single = measure_dot_products(64, seed=1, trials=200)
    assert records[2].variances[1] == single.variance, "a width is the same alone and in a sweep"


def test_S1_the_product_of_float16_overflows_by_name():
    record = measure_dot_products(
        64, components=Components(mean_q=40, mean_k=40, std_q=0, std_k=0), dtype="float16"
    )
    assert record.overflowed == 1000
    assert record.mean.mean is record.variance.mean is None
    sweep = sweep_variance(
        (4, 64), seeds=(0, 1), components=Components(mean_q=40, mean_k=40), dtype="float16"
    )
    assert sweep[0].overflowed == 0
    assert sweep[0].median > 0
    assert (sweep[1].overflowed, sweep[1].median, sweep[1].lowest) == (2000, None, None)


@pytest.mark.parametrize(
    ("d_k", "unscaled", "scaled"),
    [(1, 0.208, 0.208), (4, 0.42, 0.234), (16, 0.68, 0.245), (64, 0.84, 0.245), (1024, 0.962, 0.245)],
)
def test_S2_the_largest_weight_goes_to_one_unscaled_and_stays_scaled(swept, d_k, unscaled, scaled):
    assert swept[d_k, "none"].largest_weight.mean == pytest.approx(unscaled, abs=0.02)
    assert swept[d_k, "sqrt_d_k"].largest_weight.mean == pytest.approx(scaled, abs=0.02)


@pytest.mark.parametrize(
    ("d_k", "unscaled", "scaled"),
    [(1, 0.283, 0.283), (4, 0.32, 0.297), (16, 0.28, 0.304), (1024, 0.052, 0.304)],
)
def test_S2_the_jacobian_dies_unscaled_and_stays_scaled(swept, d_k, unscaled, scaled):
    assert swept[d_k, "none"].jacobian_norm.mean == pytest.approx(unscaled, abs=0.01)
    assert swept[d_k, "sqrt_d_k"].jacobian_norm.mean == pytest.approx(scaled, abs=0.01)


@pytest.mark.parametrize("meter", ["q_gradient", "k_gradient"])
def test_S2_the_gradient_of_a_typical_trial_dies_unscaled_and_stays_scaled(swept, meter):
    unscaled = [getattr(swept[d_k, "none"], meter) for d_k in (16, 64, 256, 1024)]
    scaled = [getattr(swept[d_k, "sqrt_d_k"], meter) for d_k in (16, 64, 256, 1024)]
    medians = [gradient.median for gradient in unscaled]
    assert medians == sorted(medians, reverse=True)
    assert medians[-1] < 0.01 * medians[0]
    # Few trials, those with two keys level at the top, keep the mean up; the median does not see them.
    assert unscaled[-1].mean > 0.5
    assert max(g.median for g in scaled) < 1.1 * min(g.median for g in scaled)


def test_S2_the_spread_of_the_scaled_scores_is_what_theory_says(swept):
    for record in swept.values():
        assert record.expected_std == pytest.approx(math.sqrt(record.d_k) / record.divided_by)
        assert record.scaled_std == pytest.approx(record.expected_std, rel=0.06)


@pytest.mark.parametrize("divisor", DIVISORS)
def test_S2_gradients_and_jacobian_agree_with_central_differences(divisor):
    number = divided_by(divisor, D_K, n_heads=3, temperature=2.5)
    q, k, g = randn(D_K), randn(M, D_K, seed=1), randn(M, seed=2)

    def loss(q, k):
        return (g * (k @ q / number).softmax(dim=-1)).sum()

    weights = (k @ q / number).softmax(dim=-1)
    meters = read_meters(q[None], k[None], weights[None, None], g[None], [number])
    by_q = central_difference(lambda x: loss(x, k), q).norm()
    by_k = central_difference(lambda x: loss(q, x), k).norm()
    assert float(meters.q_gradient) == pytest.approx(float(by_q), rel=1e-6)
    assert float(meters.k_gradient) == pytest.approx(float(by_k), rel=1e-6)
    rows = [central_difference(lambda s, m=m: s.softmax(dim=-1)[m], k @ q / number) for m in range(M)]
    assert float(meters.jacobian_norm) == pytest.approx(float(torch.stack(rows).norm()), rel=1e-6)


def test_S2_gradients_agree_with_autograd_and_the_mean_of_a_sweep_is_theirs():
    q, k = randn(B, D_K).requires_grad_(), randn(B, M, D_K, seed=1).requires_grad_()
    g = randn(B, M, seed=2)
    weights = ((k @ q[..., None]).squeeze(-1) / 3.0).softmax(dim=-1)
    (weights * g).sum().backward()
    with torch.no_grad():
        meters = read_meters(q, k, weights[:, None], g, [3.0])
    torch.testing.assert_close(meters.q_gradient[:, 0], q.grad.norm(dim=-1))
    torch.testing.assert_close(meters.k_gradient[:, 0], k.grad.flatten(1).norm(dim=-1))


def test_S2_a_sweep_reads_what_plain_softmax_gives_on_the_same_draws():
    (record,) = sweep_divisors((D_K,), n_keys=M, trials=5, seed=3, divisors=("sqrt_d_k",))
    q, k = draw(Components(), trials=5, n_keys=M, d_k=D_K, seed=drawing.generator_for(3, D_K).initial_seed())
    weights = torch.einsum("bd,bmd->bm", q, k).div(math.sqrt(D_K)).softmax(dim=-1)
    shares = -(weights * weights.log()).sum(dim=-1)
    assert record.largest_weight.mean == pytest.approx(float(weights.amax(dim=-1).mean()))
    assert record.entropy_share.mean == pytest.approx(float((shares / math.log(M)).mean()))
    assert record.effective_keys.mean == pytest.approx(float(shares.exp().mean()))
    jacobians = torch.diag_embed(weights) - weights[:, :, None] * weights[:, None]
    assert record.jacobian_norm.mean == pytest.approx(float(jacobians.norm(dim=(1, 2)).mean()))


def exact_norm(weights):
    squares = sum(a * a for a in weights)
    inner = squares - 2 * sum(a**3 for a in weights) + squares**2
    return math.sqrt(inner)


def test_S2_the_jacobian_norm_keeps_its_digits_near_one_hot():
    for small in (0.3, 1e-6, 1e-12, 1e-30):
        others = [Fraction(small), Fraction(small) / 2]
        weights = [1 - sum(others), *others]
        given = torch.tensor([float(a) for a in weights], dtype=torch.float64)
        assert float(jacobian_norm(given)) == pytest.approx(exact_norm(weights), rel=1e-12, abs=0)


def test_S2_the_gradient_keeps_its_digits_near_one_hot():
    weights, g = torch.tensor([32.0, 0.0, 0.0], dtype=torch.float64).softmax(-1), randn(3)
    small = Fraction(math.exp(-32)) / (1 + 2 * Fraction(math.exp(-32)))
    a, values = (1 - 2 * small, small, small), [Fraction(x) for x in g.tolist()]
    mean = sum(x * y for x, y in zip(a, values, strict=True))
    exact = [float(x * (y - mean)) for x, y in zip(a, values, strict=True)]
    assert scores_gradient(weights, g).tolist() == pytest.approx(exact, rel=1e-9, abs=0)


@pytest.mark.parametrize("n_keys", [1, 2, 16])
def test_S2_alike_keys_have_the_meters_of_the_uniform_row(n_keys):
    weights = torch.full((n_keys,), 1 / n_keys, dtype=torch.float64)
    assert float(entropy(weights)) == pytest.approx(math.log(n_keys), abs=1e-12)
    assert float(jacobian_norm(weights)) == pytest.approx(math.sqrt(n_keys - 1) / n_keys, abs=1e-12)


def test_S3_each_divisor_is_the_number_it_stands_for():
    numbers = [divided_by(name, 64, n_heads=4, temperature=2.5) for name in DIVISORS]
    assert numbers == [1, 8, 64, 16, 2.5]


def test_S3_the_root_of_d_model_is_flatter_than_that_of_d_k():
    # Four heads of width 4 in a d_model of 16; one head would hide it.
    scores = torch.tensor([4.0, 0.0], dtype=torch.float64)
    rows = {name: scores / divided_by(name, 4, n_heads=4) for name in ("sqrt_d_k", "sqrt_d_model")}
    assert rows["sqrt_d_k"].softmax(-1).tolist() == pytest.approx([0.880797, 0.119203], abs=1e-6)
    assert rows["sqrt_d_model"].softmax(-1).tolist() == pytest.approx([0.731059, 0.268941], abs=1e-6)


def test_S3_too_large_a_divisor_makes_the_weights_alike(swept):
    at = {name: swept[1024, name] for name in DIVISORS}
    assert at["d_k"].largest_weight.mean == pytest.approx(1 / 16, abs=0.01)
    assert at["d_k"].entropy_share.mean == pytest.approx(1, abs=0.001)
    assert at["d_k"].effective_keys.mean == pytest.approx(16, abs=0.05)
    assert at["d_k"].q_gradient.median < 0.1 * at["sqrt_d_k"].q_gradient.median
    ordered = [
        at[name].largest_weight.mean for name in ("d_k", "sqrt_d_model", "sqrt_d_k", "temperature", "none")
    ]
    assert ordered == sorted(ordered)


def test_S3_the_weights_of_one_query_sum_to_one_over_its_keys():
    row = draw_sample_row(D_K, n_keys=M)
    assert row.weights.shape == (len(DIVISORS), M)
    assert row.weights.sum(dim=-1).tolist() == pytest.approx([1] * len(DIVISORS))
    torch.testing.assert_close(row.scaled[1], row.scores / math.sqrt(D_K))
    torch.testing.assert_close(row.weights[0], row.scores.softmax(dim=-1))


def test_S2_the_same_seed_gives_the_same_numbers_and_another_seed_others():
    first, again, other = (sweep_divisors((1, 5, 300), trials=50, seed=seed) for seed in (3, 3, 4))
    assert first == again
    assert first != other
    assert sweep_divisors((300,), trials=50, seed=3) == first[-len(DIVISORS) :], "a width is its own"
    (alone,) = sweep_divisors((300,), trials=50, seed=3, divisors=("d_k",))
    among = first[-len(DIVISORS) + DIVISORS.index("d_k")]
    assert alone.largest_weight == among.largest_weight, "divisors do not change the draws"
    assert alone.q_gradient.mean == pytest.approx(among.q_gradient.mean, rel=1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize(("d_k", "n_keys", "std"), [(1, 2, 1), (4096, 2, 100), (3, 512, 100), (1, 512, 0)])
def test_S2_extremes_give_numbers_or_a_named_overflow(dtype, distribution, d_k, n_keys, std):
    components = Components(distribution, std_q=std, std_k=std)
    records = sweep_divisors((d_k,), n_keys=n_keys, trials=5, components=components, dtype=dtype)
    for record in records:
        for meter in METERS:
            mean = getattr(record, meter).mean
            assert (mean is None) == (record.overflow.trials == 5)
            assert mean is None or math.isfinite(mean)
        assert record.overflow.trials > 0 or record.overflow.nan_weights == 0
    assert dtype == "float16" or all(r.overflow.trials == 0 for r in records)


def test_S2_half_precision_names_what_overflowed():
    wide, half = (
        sweep_divisors((64,), trials=20, components=Components(mean_q=40, mean_k=40), dtype=dtype)
        for dtype in ("float32", "float16")
    )
    assert all(record.overflow.infinite_scores == record.overflow.nan_scores == 0 for record in wide)
    for record in half:
        # The product is ∞; softmax makes ∞ − ∞ of it.
        assert record.overflow == Overflow(0, 320, 0, 320, 20)
        assert record.largest_weight.mean is record.scaled_std is None
    large = sweep_divisors((2,), trials=20, components=Components(mean_k=1e6), dtype="float16")
    assert large[0].overflow.infinite_components == 20 * 16 * 2


def test_S2_a_trial_whose_gradient_alone_is_lost_is_left_out_of_every_mean_and_counted():
    # Keys of −∞ get the weight 0, which is right, and 0 · ∞ in the gradient, which is no number.
    components = Components("sparse", mean_q=5, std_q=0, std_k=1e5)
    (record,) = sweep_divisors(
        (2,), n_keys=3, trials=400, components=components, divisors=("none",), dtype="float16"
    )
    assert 0 < record.overflow.nan_weights / 3 < record.overflow.trials < 400
    q, k = draw(components, trials=400, n_keys=3, d_k=2, seed=drawing.generator_for(0, 2).initial_seed())
    is_kept = (
        k.half().isfinite().all(dim=-1).all(dim=-1) & (k @ q[..., None]).half().isfinite().all(dim=1)[:, 0]
    )
    weights = (k @ q[..., None]).squeeze(-1)[is_kept].half().softmax(dim=-1).double()
    assert record.largest_weight.mean == pytest.approx(float(weights.amax(dim=-1).mean()), abs=0.02)


def test_S2_vectors_of_nothing_but_zeros_give_uniform_weights():
    (record,) = sweep_divisors(
        (1,), trials=50, components=Components("sparse", std_q=0), divisors=("sqrt_d_k",)
    )
    assert record.largest_weight.mean == 1 / 16
    assert (record.scaled_std, record.expected_std, record.q_gradient.mean > 0) == (0, 0, True)
    assert record.k_gradient.mean == 0


def test_S2_half_precision_rounds_and_does_not_change_the_claim():
    exact, *rounded = (
        sweep_divisors((64,), trials=200, divisors=("sqrt_d_k",), dtype=dtype)[0] for dtype in DTYPES
    )
    for record in rounded:
        assert record.overflow.trials == 0
        assert record.largest_weight.mean == pytest.approx(exact.largest_weight.mean, rel=0.01)
        assert record.largest_weight.mean != exact.largest_weight.mean


@pytest.mark.cuda
def test_S2_the_cuda_device_measures_what_the_cpu_does():
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    for dtype in ("float64", "float32"):
        cpu, cuda = (sweep_divisors((4, 64), trials=50, dtype=dtype, device=d) for d in ("cpu", "cuda"))
        for one, other in zip(cpu, cuda, strict=True):
            for meter in METERS:
                tolerance = 1e-9 if dtype == "float64" else 1e-4
                assert getattr(one, meter).mean == pytest.approx(getattr(other, meter).mean, rel=tolerance)


def test_S2_what_does_not_fit_is_refused_before_it_is_drawn_with_the_nearest_that_fits():
    with pytest.raises(
        ValueError, match="one trial must need at most 268435456 bytes, got n_keys=512 "
    ) as error:
        sweep_divisors((1, 10**6), n_keys=512)
    nearest = int(str(error.value).rpartition("d_k=")[2])
    assert bytes_of_trial(512, nearest) <= drawing.MAX_BYTES < bytes_of_trial(512, nearest + 1)
    with pytest.raises(ValueError, match="the nearest that fits is n_keys=") as error:
        trials_a_chunk(10**9, 1)
    nearest = int(str(error.value).rpartition("n_keys=")[2])
    assert bytes_of_trial(nearest, 1) <= drawing.MAX_BYTES < bytes_of_trial(nearest + 1, 1)
    with pytest.raises(
        ValueError, match=r"got trials=1000000000000 with .* the nearest that fits is trials="
    ):
        sweep_divisors((1,), trials=10**12)
    with pytest.raises(ValueError, match="the nearest that fits is trials=33554432"):
        check_trials(10**12, 1)
    check_trials(33554432, 1)
    assert trials_a_chunk(512, 4096) == 1


def test_S4_a_temperature_flattens_the_weights_and_keeps_their_order():
    records = measure_temperatures([32, 0, 0, -3], [0.1, 1, 2, 8, 32, 1e6])
    largest, spreads = ([getattr(r, name) for r in records] for name in ("largest_weight", "entropy_share"))
    assert largest == sorted(largest, reverse=True)
    assert spreads == sorted(spreads)
    assert all(r.weights[0] >= r.weights[1] == r.weights[2] >= r.weights[3] for r in records)
    assert records[1].weights == pytest.approx((1, 0, 0, 0), abs=1e-12)
    assert records[-1].weights == pytest.approx([0.25] * 4, abs=1e-4)
    assert all(sum(r.weights) == pytest.approx(1) for r in records)


def test_S4_the_row_of_the_notes_by_hand():
    (record,) = measure_temperatures([32, 0, 0], [32])
    total = math.e + 2
    assert record.weights == pytest.approx((math.e / total, 1 / total, 1 / total))
    assert record.entropy == pytest.approx(math.log(total) - math.e / total)
    assert record.effective_keys == pytest.approx(math.exp(record.entropy))
    first = math.e / total * (1 - math.e / total) / 32
    assert record.gradient == pytest.approx((first, -first / 2, -first / 2))
    assert record.gradient_norm == pytest.approx(first * math.sqrt(1.5))


@pytest.mark.parametrize("temperature", [0.5, 1.0, 7.0])
def test_S4_gradient_and_jacobian_agree_with_central_differences(temperature):
    scores, g = randn(M), randn(M, seed=1)
    (record,) = measure_temperatures(scores.tolist(), [temperature], g.tolist())
    by_scores = central_difference(lambda s: (g * (s / temperature).softmax(dim=-1)).sum(), scores)
    assert record.gradient == pytest.approx(by_scores.tolist(), abs=1e-9)
    assert record.gradient_norm == pytest.approx(float(by_scores.norm()), rel=1e-7)
    rows = [central_difference(lambda s, m=m: s.softmax(dim=-1)[m], scores / temperature) for m in range(M)]
    assert record.jacobian_norm == pytest.approx(float(torch.stack(rows).norm()), rel=1e-6)


def test_S4_equal_scores_share_at_any_temperature_and_one_score_has_everything():
    for record in measure_temperatures([7, 7], [1e-300, 1, 1e300]):
        assert (record.weights, record.entropy_share) == ((0.5, 0.5), pytest.approx(1))
    (alone,) = measure_temperatures([7], [2])
    assert (alone.weights, alone.entropy_share, alone.gradient_norm) == ((1.0,), None, 0.0)


def test_S4_a_temperature_too_small_for_the_scores_is_named_and_gives_numbers():
    tiny, enough = measure_temperatures([1e300, -1e300], [1e-300, 1])
    assert (tiny.overflowed, enough.overflowed) == (True, False)
    assert tiny.weights == enough.weights == (1, 0)
    assert tiny.gradient_norm == 0


def test_S4_the_gradient_of_two_scores_is_largest_where_theory_says():
    sweep = sweep_temperatures([5, 2])
    x = 3 / sweep.peak.temperature
    assert x * math.tanh(x / 2) == pytest.approx(1, abs=1e-3)
    assert max(sweep.gradient_shares) <= 1
    assert not sweep.is_at_end
    assert (sweep.records[0].temperature, sweep.records[-1].temperature) == (0.01, 1000)
    steps = [b.temperature / a.temperature for a, b in itertools.pairwise(sweep.records)]
    assert steps == pytest.approx([10**0.05] * 100)


def test_S4_a_gradient_that_grows_to_the_end_of_the_range_and_one_that_is_nowhere_are_told_apart():
    equal, far = sweep_temperatures([1, 1, 1]), sweep_temperatures([1e6, 0])
    assert equal.is_at_end
    assert equal.peak.temperature == 0.01
    assert (far.peak, far.gradient_shares, far.is_at_end) == (None, None, False)


def test_S4_the_temperature_that_brings_the_largest_weight_down_to_a_share_by_hand():
    assert temperature_for([32, 0, 0]) == pytest.approx(32 / math.log(2))
    assert temperature_for([0, 3, 0, 0], 0.75) == pytest.approx(3 / math.log(9))
    assert (temperature_for([4, 4, 0]), temperature_for([4, 0]), temperature_for([4])) == (
        0,
        math.inf,
        math.inf,
    )
    (record,) = measure_temperatures([2, -1, 0.5], [temperature_for([2, -1, 0.5])])
    assert record.largest_weight == pytest.approx(0.5, abs=1e-9)


@pytest.mark.parametrize("temperature", [0.01, 0.3, 4, 1000])
def test_S4_the_two_largest_weights_stand_as_the_exponential_of_their_gap(temperature):
    two = compare_top_two([1, -2, 3.5, 3, 1], temperature)
    assert (two.first, two.second, two.gap, two.is_in_order) == (2, 3, 0.5, True)
    assert two.ratio == pytest.approx(math.exp(0.5 / temperature))
    assert two.expected == pytest.approx(two.ratio)


def test_S4_a_second_weight_too_small_for_float64_makes_the_ratio_infinite():
    two = compare_top_two([1e6, 0], 0.01)
    assert (two.ratio, two.expected, two.is_in_order) == (math.inf, math.inf, True)
    assert compare_top_two([7, 7, 7], 0.01).ratio == 1


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_S5_a_healthy_stack_has_no_symptom_and_scores_that_spread_by_one(seed):
    record = check_up(seed=seed)
    assert record.symptoms == ()
    assert len(record.layers) == 6
    for layer in record.layers:
        assert layer.scaled_std == pytest.approx(1, abs=0.25)
        assert record.uniform_weight < layer.largest_weight < 0.5
        assert 0.5 < layer.entropy_share < 1
        assert layer.q_norm == pytest.approx(math.sqrt(64), rel=0.15)


@pytest.mark.parametrize("name", CAUSES)
@pytest.mark.parametrize("seed", [0, 1])
def test_S5_every_cause_shows_its_symptom_and_its_cure_removes_them_all(name, seed):
    cause = CAUSES[name]
    assert cause.symptom in check_up(cause.setup, seed=seed).symptoms
    assert check_up(cure(cause.setup, cause.cures), seed=seed).symptoms == ()


@pytest.mark.parametrize("name", CAUSES)
def test_S5_a_cause_names_all_symptoms_that_its_stack_shows(name):
    cause = CAUSES[name]
    assert set(cause.symptoms) == set(check_up(cause.setup).symptoms)
    assert len(set(cause.symptoms)) == len(cause.symptoms)
    assert cause.symptoms[0] == cause.symptom


@pytest.mark.parametrize("seed", [2, 3])
def test_S5_eight_layers_of_large_embeddings_always_lose_the_gradient(seed):
    deep = replace(CAUSES["large_embeddings"].setup, n_layers=8)
    assert "gradient_gone" not in check_up(CAUSES["large_embeddings"].setup, seed=seed).symptoms
    assert check_up(deep, seed=seed).symptoms == ("one_hot", "gradient_gone")


def test_S5_every_patient_has_its_standard_cause_first_where_that_is_its_main_one():
    for symptom, name in PATIENTS.items():
        offered = causes_of(symptom)
        assert name in offered
        is_main = [CAUSES[one].symptom == symptom for one in offered]
        assert is_main == sorted(is_main, reverse=True)
    assert set().union(*map(causes_of, PATIENTS)) == set(CAUSES)


def test_S5_a_sign_is_the_worst_layer_and_a_symptom_begins_where_the_thresholds_say():
    healthy = check_up().layers[0]
    edge = replace(healthy, entropy_share=0.99, one_hot_rows=1 / 3, x_gradient=1e-3, q_gradient=1e-3)
    assert symptoms_of((edge,)) == ("one_hot",), "only the share of rows counts from its threshold on"
    worse = replace(healthy, entropy_share=0.9901, x_gradient=0.9e-3)
    signs = {sign.meter: sign for sign in signs_of((healthy, worse, edge))}
    assert (signs["entropy_share"].layer, signs["entropy_share"].value) == (2, 0.9901)
    assert (signs["x_gradient"].layer, signs["x_gradient"].value) == (2, 0.9e-3)
    assert (signs["q_gradient"].layer, signs["q_gradient"].is_there) == (3, False)
    assert symptoms_of((healthy, worse, edge)) == ("uniform", "one_hot", "gradient_gone")
    record = check_up(CAUSES["standing_out"].setup)
    assert record.symptoms == symptoms_of(record.layers)


def test_S5_a_check_up_names_the_divisor_with_its_temperature():
    assert check_up().divisor == 8
    assert [check_up(CAUSES[name].setup).divisor for name in ("no_divisor", "divisor_d_k")] == [1, 64]
    assert divisor_of(Setup(divisor="sqrt_d_model", temperature=0.5, n_heads=4)) == 8


@pytest.mark.parametrize(("symptom", "name"), PATIENTS.items())
def test_S5_the_three_patients_are_cured_by_their_cure_and_by_no_other(symptom, name):
    cause = CAUSES[name]
    assert cause.symptom == symptom
    for other in set(CURES) - set(cause.cures):
        assert symptom in check_up(cure(cause.setup, [other])).symptoms


def test_S5_meters_say_what_each_patient_suffers_from():
    alike, sharp, gone = (check_up(CAUSES[PATIENTS[symptom]].setup) for symptom in PATIENTS)
    assert alike.layers[0].largest_weight == pytest.approx(alike.uniform_weight, abs=1e-3)
    assert sharp.layers[0].scaled_std == pytest.approx(8, rel=0.15), "√64 times too wide"
    assert sharp.layers[0].largest_weight > 0.8
    spreads = [layer.token_spread for layer in gone.layers]
    assert spreads == sorted(spreads, reverse=True)
    assert spreads[-1] < 1e-6, "without residual all tokens become one"
    assert gone.layers[-1].q_gradient < 1e-6


def test_S5_a_temperature_undoes_keys_that_are_too_large():
    large = CAUSES["large_keys"].setup
    tempered = replace(large, temperature=large.key_factor)
    assert check_up(tempered).symptoms == ()
    assert check_up(tempered).layers[0].largest_k_norm == check_up(large).layers[0].largest_k_norm


def test_S5_one_token_that_stands_out_is_seen_in_the_norms_of_the_keys():
    layer = check_up(CAUSES["standing_out"].setup).layers[0]
    assert layer.largest_k_norm > 10 * layer.k_norm
    healthy = check_up().layers[0]
    assert healthy.largest_k_norm < 2 * healthy.k_norm


@pytest.mark.parametrize("has_layer_norm", [False, True])
@pytest.mark.parametrize("has_residual", [False, True])
def test_S5_the_gradients_agree_with_central_differences(has_layer_norm, has_residual):
    sizes = {"n_layers": 2, "n": 3, "d_model": 4, "n_heads": 2}
    setup = Setup(has_layer_norm=has_layer_norm, has_residual=has_residual, key_factor=2.0, **sizes)
    x, layers, c = draw_stack(setup, seed=5)
    x, layers = x.detach(), [[w.detach() for w in matrices] for matrices in layers]

    def loss(x=x, **changed):
        first = [
            changed.get(name, w) for name, w in zip(("w_q", "w_k", "w_v", "w_o"), layers[0], strict=True)
        ]
        return (c * run_stack(x, [first, layers[1]], setup)[0][-1]).sum()

    by_x = central_difference(loss, x).norm()
    by_q = central_difference(lambda w: loss(w_q=w), layers[0][0]).norm()
    by_v = central_difference(lambda w: loss(w_v=w), layers[0][2]).norm()
    layer = check_up(setup, seed=5).layers[0]
    assert layer.x_gradient == pytest.approx(float(by_x / c.norm()), rel=1e-6)
    assert layer.q_gradient == pytest.approx(float(by_q / by_v), rel=1e-6)


def test_S5_the_same_seed_examines_the_same_patient():
    assert check_up(seed=3) == check_up(seed=3)
    assert check_up(seed=3) != check_up(seed=4)
    tiny, huge = (draw_stack(Setup(init=init), 3)[1][0][0].detach() for init in ("tiny", "huge"))
    torch.testing.assert_close(tiny / 0.02, huge / 10)


@pytest.mark.parametrize(
    "extreme",
    [
        {"init": "huge", "has_layer_norm": False, "n_layers": 8, "embedding_std": 1e6, "key_factor": 1e6},
        {
            "init": "tiny",
            "has_residual": False,
            "n_layers": 8,
            "embedding_std": 1e-6,
            "has_layer_norm": False,
        },
        {"standout": 1e6, "temperature": 1e-6, "divisor": "none", "has_layer_norm": False},
        {"standout": 1e-6, "temperature": 1e6, "divisor": "d_k"},
        {"n": 2, "d_model": 4, "n_heads": 4, "n_layers": 1},
    ],
)
def test_S5_extremes_give_numbers(extreme):
    for layer in check_up(Setup(**extreme)).layers:
        assert all(math.isfinite(number) for number in vars(layer).values())


def test_S5_a_stack_too_large_is_refused_before_it_is_drawn_with_the_nearest_that_fits():
    with pytest.raises(ValueError, match=r"must need at most 268435456 bytes, got .* n_layers=2$"):
        Setup(d_model=1024)
    assert bytes_of_stack(2, 16, 1024, 4) <= drawing.MAX_BYTES < bytes_of_stack(3, 16, 1024, 4)
    with pytest.raises(ValueError, match="n_layers=1 with d_model=") as error:
        Setup(d_model=2**40)
    width = int(str(error.value).rpartition("=")[2])
    assert bytes_of_stack(1, 16, width, 4) <= drawing.MAX_BYTES < bytes_of_stack(1, 16, width + 4, 4)
    with pytest.raises(ValueError, match=r"a smaller n$"):
        Setup(n=10**6)


def runs_of(scores):
    return {(run.dtype, run.form): run for run in measure_softmaxes(scores)}


def test_S6_naive_overflows_past_the_limit_of_exp_and_the_others_do_not():
    runs = runs_of([151.29, 150.29])
    assert set(runs) == {(dtype, form) for dtype in DTYPES for form in FORMS}
    for (dtype, form), run in runs.items():
        if form == "naive" and dtype != "float64":
            assert (run.first_fault_step, run.first_fault) == ("exps", "inf")
            assert all(math.isnan(weight) for weight in run.weights)
            assert run.largest_difference is None
        else:
            assert run.first_fault is None
            tolerance = {"float64": 1e-12, "float32": 1e-6}.get(dtype, 1e-2)
            assert run.weights == pytest.approx((0.731059, 0.268941), abs=max(tolerance, 1e-6))
            assert run.largest_difference <= tolerance


def test_S6_naive_divides_zero_by_zero_far_below_zero():
    runs = runs_of([-800, -808])
    for dtype in DTYPES:
        naive = runs[dtype, "naive"]
        assert (naive.first_fault_step, naive.first_fault) == ("weights", "nan")
        assert naive.steps["total"] == (0.0,)
        assert runs[dtype, "shifted"].weights == pytest.approx((0.99966, 0.00034), abs=4e-3)


def test_S6_a_shift_of_all_scores_changes_nothing_but_the_naive_form():
    near, far = (runs_of([shift + s for s in (0.0, 1.0, 2.0)]) for shift in (0, 1000))
    for form in ("shifted", "log"):
        assert far["float64", form].weights == pytest.approx(near["float64", form].weights, abs=1e-12)
    assert far["float64", "naive"].first_fault == "inf"


def test_S6_scores_that_a_type_cannot_hold_are_the_fault_and_no_form_helps():
    for scores in ([1e5, 1], [-1e5, -2e5]):
        runs = runs_of(scores)
        for form in FORMS:
            assert (runs["float16", form].first_fault_step, runs["float16", form].first_fault) == (
                "scores",
                "inf",
            )
        assert runs["float32", "shifted"].first_fault is None
    beyond = runs_of([6e4, -6e4])["float16", "shifted"]
    assert beyond.steps["shifted"][1] == -math.inf
    assert (beyond.first_fault, beyond.weights) == (None, (1, 0))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("scores", [[151.29, 150.29], [1e4, 0], [-1000] * 3, [0.5] * 64])
def test_S6_torch_subtracts_the_largest_score_already(dtype, scores):
    tolerance = {"float64": 1e-15, "float32": 1e-7, "bfloat16": 2**-8, "float16": 2**-11}[dtype]
    assert compare_with_torch(scores, dtype) <= tolerance


def test_S6_nothing_is_compared_where_a_weight_is_no_number():
    assert compare_with_torch([1e38, 0], "float16") is None


def test_S6_the_limit_of_exp_is_the_log_of_the_largest_number_of_the_type():
    limits = {limit.dtype: limit for limit in measure_exp_limits()}
    for limit in limits.values():
        kind = DTYPES[limit.dtype]
        assert torch.tensor(limit.largest, dtype=kind).exp().isfinite()
        assert torch.tensor(limit.next_number, dtype=kind).exp().isinf()
        assert limit.largest <= limit.expected <= limit.next_number
    assert limits["float32"].largest == pytest.approx(88.7228, abs=1e-4)
    assert limits["float16"].largest == pytest.approx(11.0859, abs=1e-4)
    assert limits["bfloat16"].largest == 88.5
    assert limits["float64"].largest == pytest.approx(709.7827, abs=1e-4)


def test_S6_float16_overflows_in_the_product_and_scaling_q_first_cures_it():
    records = {record.dtype: record for record in measure_scale_order([40] * 64, [40] * 64)}
    half = records["float16"]
    assert (half.score, half.scaled_after, half.scaled_before) == (math.inf, math.inf, 12800)
    assert half.is_cured
    for dtype in ("float64", "float32", "bfloat16"):
        assert (records[dtype].score, records[dtype].scaled_after) == (102400, 12800)
        assert not records[dtype].is_cured


def test_S6_a_score_too_large_in_either_order_is_not_called_cured():
    records = {record.dtype: record for record in measure_scale_order([1e20, 0], [1e20, 0])}
    assert records["float64"].scaled_before == pytest.approx(1e40 / math.sqrt(2))
    for dtype in ("float32", "bfloat16"):
        assert (records[dtype].scaled_before, records[dtype].is_cured) == (math.inf, False)
    assert not records["float16"].is_cured


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sweep_divisors((4,), n_keys=1), "n_keys must be at least 2, .* got 1"),
        (lambda: sweep_divisors((4,), trials=1), "trials must be at least 2, .* got 1"),
        (lambda: sweep_divisors((0,)), "at least 1, got n_keys=16 and d_k=0"),
        (lambda: sweep_divisors((4,), n_heads=0), "at least 1, got d_k=4 and n_heads=0"),
        (lambda: sweep_divisors((4,), temperature=0.0), "temperature must be from 1e-06 to 1e.06, got 0"),
        (lambda: sweep_divisors((4,), temperature=math.nan), "from 1e-06 to 1e.06, got nan"),
        (lambda: measure_dot_products(0), "got n_keys=1 and d_k=0"),
        (lambda: bin_scores(measure_dot_products(4), 0), "n_bins must be at least 1 .* got 0 and 4.0"),
        (lambda: sweep_variance((3, -1)), "got n_keys=1 and d_k=-1"),
        (lambda: measure_temperatures([]), "finite and at least one, got \\[\\]"),
        (lambda: measure_temperatures([1.0, math.inf]), "scores must be finite .* got .*inf"),
        (lambda: sweep_temperatures([1, 0], 2, 1), "must rise .* got 2 to 1 over 101"),
        (lambda: sweep_temperatures([1, 0], count=2), "at least 3 temperatures, got .* over 2"),
        (lambda: temperature_for([1, 0, 0], 1.0), "share must be between 0 and 1, got 1.0"),
        (lambda: compare_top_two([1], 1), "two scores are compared, got 1"),
        (lambda: measure_temperatures([1.0], [0.0]), "finite and above 0, got 0.0"),
        (lambda: measure_temperatures([1.0], [1.0], [1.0, 2.0]), "got 1 scores and 2 gradients"),
        (lambda: measure_softmaxes([]), "finite and at least one"),
        (lambda: measure_softmaxes([math.nan]), "finite .* got .*nan"),
        (lambda: measure_scale_order([1.0], [1.0, 2.0]), "one width of at least 1, got 1 and 2"),
        (lambda: measure_scale_order([1.0], [math.inf]), "q and k must be finite"),
        (lambda: Setup(init="zero"), "init must be one of xavier, tiny, huge, got zero"),
        (lambda: Setup(divisor="temperature"), "divisor must be one of none, .*, got temperature"),
        (lambda: Setup(key_factor=0.0), "key_factor must be from 1e-06 to 1e.06, got 0"),
        (lambda: Setup(temperature=math.nan), "temperature must be from .* got nan"),
        (lambda: Setup(n_layers=9), "n_layers must be from 1 to 8, .* got 9, 16 and 4"),
        (lambda: Setup(d_model=6), "d_model must be a multiple of n_heads, got 6 and 4"),
        (lambda: cure(Setup(), ["bleeding"]), "one of xavier, scale, .*, got bleeding"),
        (lambda: Components("cauchy"), "one of normal, uniform, signs, sparse, got cauchy"),
        (lambda: Components(mean_q=math.inf), "mean_q must be from -1e.30 to 1e.30, got inf"),
        (lambda: Components(std_k=-1.0), "std_k must be from 0 to 1e.30, got -1.0"),
        (lambda: Components(correlation=1.5), "from -1 to 1, got 1.5"),
    ],
)
def test_what_is_out_of_range_is_refused_with_the_rule_and_the_value(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_an_estimate_over_nothing_or_one_trial_says_so():
    nothing, one = estimate(torch.tensor([math.nan, math.inf])), estimate(torch.tensor([5.0]))
    assert (nothing.mean, nothing.standard_error, nothing.median) == (None, None, None)
    assert (one.mean, one.standard_error, one.median) == (5.0, None, 5.0)


@pytest.mark.parametrize(
    ("trials", "median"),
    [([1.0, 4.0], 2.5), ([9.0, 1.0, 2.0], 2.0), ([5.0, 1.0, 2.0, 100.0], 3.5), ([1e308, 1.5e308], 1.25e308)],
)
def test_the_median_lies_halfway_between_two_trials_in_the_middle(trials: list[float], median: float) -> None:
    assert estimate(torch.tensor(trials, dtype=torch.float64)).median == pytest.approx(median, rel=1e-15)


@pytest.mark.parametrize("cause", ["no_divisor", "large_keys", "depth_without_residual"])
def test_S5_meters_of_a_layer_are_means_over_its_heads_and_queries(cause: str) -> None:
    setup = replace(CAUSES[cause].setup, n_layers=2)
    record = check_up(setup, seed=3)
    x, layers, _ = draw_stack(setup, 3)
    entered, traces, keys = run_stack(x, layers, setup)
    for layer, meters in enumerate(record.layers):
        weights, (q, k) = traces[layer].weights.detach(), keys[layer]
        shares = -(weights * weights.clamp(min=1e-300).log()).sum(-1) / math.log(setup.n)
        assert meters.entropy_share == pytest.approx(float(shares.sum() / shares.numel()), rel=1e-9)
        assert meters.largest_weight == pytest.approx(float(weights.max(-1).values.sum()) / shares.numel())
        assert meters.q_norm == pytest.approx(float(q.square().sum(-1).sqrt().sum()) / q[..., 0].numel())
        assert meters.k_norm == pytest.approx(float(k.square().sum(-1).sqrt().sum()) / k[..., 0].numel())
        assert meters.largest_k_norm == pytest.approx(float(k.square().sum(-1).max()) ** 0.5)
        scaled = (q @ k.transpose(-1, -2) / record.divisor).flatten()
        assert meters.scaled_std == pytest.approx(float(scaled.std()))
        x = entered[layer].detach()
        assert meters.x_rms == pytest.approx(float(x.square().mean()) ** 0.5)
        rows = [row for head in weights.tolist() for row in head]
        assert meters.one_hot_rows == pytest.approx(sum(max(row) > 0.9 for row in rows) / len(rows))
        norms = [
            math.sqrt(sum((a * ((i == j) - b)) ** 2 for i, a in enumerate(row) for j, b in enumerate(row)))
            for row in rows
        ]
        assert meters.jacobian_norm == pytest.approx(sum(norms) / len(norms), rel=1e-6)
        mean = [sum(column) / setup.n for column in x.T.tolist()]
        apart = sum((a - b) ** 2 for row in x.tolist() for a, b in zip(row, mean, strict=True))
        whole = sum(a**2 for row in x.tolist() for a in row)
        assert meters.token_spread == pytest.approx(math.sqrt(apart / whole))


def test_S1_the_variance_of_several_keys_is_the_mean_over_them() -> None:
    record = measure_dot_products(8, n_keys=5, trials=400)
    centred = record.scores - record.scores.mean()
    expected = float(centred.square().sum()) / record.scores.numel() * 400 / 399
    assert record.variance.mean == pytest.approx(expected)
    assert abs(record.variance.mean - 8) < 4 * record.variance.standard_error
    by_trial = [sum(row) / 5 for row in record.scores.tolist()]
    assert record.mean.mean == pytest.approx(sum(by_trial) / 400)
    assert record.mean.standard_error == pytest.approx(statistics.stdev(by_trial) / 20)


def test_S1_the_part_of_the_variance_that_keys_share_is_that_of_the_mean_over_keys() -> None:
    for components in (
        Components(mean_q=2, mean_k=-1, correlation=0.5),
        Components("signs", mean_q=1, std_k=2, correlation=-0.5),
        Components("uniform", mean_k=3, std_q=0.5),
    ):
        scores = measure_dot_products(4, n_keys=400, trials=3000, components=components).scores
        by_query = scores.mean(dim=1)
        # The mean over 400 keys still varies by what is not shared, over 400.
        alone = (expected_variance(components, 4) - common_variance(components, 4)) / 400
        measured = float(by_query.var()) - alone
        assert measured == pytest.approx(common_variance(components, 4), rel=0.15)


def test_S4_a_gap_of_any_size_is_halved_in_a_bounded_number_of_steps() -> None:
    for gap in (5e-324, 1e-313, 1e-300, 1.0, 1e300):
        found = temperature_for([gap, 0, 0])
        assert found == pytest.approx(gap / math.log(2), rel=1e-9) or found in {5e-324, 1e-323}
