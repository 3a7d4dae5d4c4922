"""Claims V3, V4 and V5: errors vanish where every pair is seen, fall with the width on average, and linear's does not vanish."""

import pytest
import torch

from attention_core.experiments.approximation import (
    ERROR_LINES,
    SIZELESS,
    VANISHING,
    ErrorPlan,
    draw_inputs,
    errors_on,
    measure_errors,
    sharpen,
)
from attention_core.experiments.linear_forms import compare_linear_forms
from attention_core.experiments.timed_variants import (
    VariantPlan,
    longest_length,
    measure_variants,
    predict_bytes,
)
from attention_core.variant_runs import NAMES, Choices, Inputs
from attention_core.variants.linear import FEATURES

LOCAL = ErrorPlan(n=64, sharpness=2.0, nearness=0.9)


def means(plan: ErrorPlan, line: str, sizes: tuple[int, ...]) -> list[float]:
    return [at.mean for at in measure_errors(plan, (line,), sizes)]


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("n", [1, 2, 13])
def test_V3_V4_no_error_where_the_size_reaches_all_positions(n, is_causal):
    plan = ErrorPlan(n=n, is_causal=is_causal, n_draws=3)
    at_all = measure_errors(plan, ERROR_LINES, (n, n + 5))
    assert {at.line for at in at_all if at.highest < 1e-12} >= {at.line for at in at_all} & VANISHING
    assert any(at.line.startswith("low_rank") for at in at_all) != is_causal


def test_V3_the_error_of_a_window_falls_with_its_width_on_average():
    for line in ("window", "block", "global_window"):
        fell = means(LOCAL, line, (1, 2, 4, 8, 16, 32, 64))
        assert fell == sorted(fell, reverse=True), line
        assert fell[-1] < 1e-12 < fell[-2]


def test_V4_a_stride_of_one_sees_every_key_and_one_between_does_not():
    ends = means(LOCAL, "strided", (1, 8, 64))
    assert ends[0] < 1e-12
    assert ends[2] < 1e-12
    assert ends[1] > 0.1


def test_V4_a_dilated_window_never_sees_the_keys_between():
    assert means(LOCAL, "dilated", (64,))[0] > 0.1


def test_V5_no_size_makes_the_error_of_linear_attention_vanish():
    for line in SIZELESS:
        flat = means(LOCAL, line, (1, 8, 64))
        assert flat[0] > 0.3
        assert len(set(flat)) == 1


def test_V3_where_nothing_is_near_a_window_is_worse_than_an_output_of_zeros():
    far, near = (means(ErrorPlan(n=256, nearness=a), "window", (16,))[0] for a in (0.0, 0.95))
    assert far > 1 > near


def test_draws_are_seeded_and_sharpness_multiplies_all_scores():
    plan = ErrorPlan(n=5, n_draws=2)
    again = draw_inputs(plan, (0, 1))
    assert torch.equal(draw_inputs(plan, (1,)).q[0], again.q[1])
    sharp = sharpen(again, 3.0)
    torch.testing.assert_close(sharp.q @ sharp.k.mT, 3 * (again.q @ again.k.mT), rtol=0, atol=1e-12)
    assert torch.equal(sharp.v, again.v)


def test_numbers_have_variance_one_and_neighbours_are_as_alike_as_asked():
    inputs = draw_inputs(ErrorPlan(n=512, nearness=0.9), range(8))
    assert [float(x.var()) for x in (inputs.q, inputs.k, inputs.v)] == pytest.approx([1, 1, 1], abs=0.1)
    # E[q_n · k_m] = a · a^|n − m| for each number.
    for steps in (0, 1, 5):
        product = (inputs.q[:, : 512 - steps] * inputs.k[:, steps:]).mean()
        assert float(product) == pytest.approx(0.9 * 0.9**steps, abs=0.05)


def test_an_error_by_hand_and_draws_in_groups_give_those_one_by_one():
    x = torch.tensor([[[0.0], [0.0]]])
    v = torch.tensor([[[0.0], [2.0]]])
    # Full gives 1 and 1, a window of 1 gives 0 and 2: √2 / √2.
    assert errors_on(Inputs(x, x, v, is_causal=False), ("window",), (1,)) == {
        ("window", 1): pytest.approx(1.0)
    }
    plan = ErrorPlan(n=500, n_draws=3)
    at = measure_errors(plan, ("block",), (50,))[0]
    alone = [errors_on(draw_inputs(plan, (draw,)), ("block",), (50,))["block", 50] for draw in range(3)]
    assert (at.lowest, at.highest) == pytest.approx((min(alone), max(alone)), abs=1e-12)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        ({"n": 0}, "n must be"),
        ({"n": 2000}, "n must be"),
        ({"n": 5, "sharpness": 0.0}, "sharpness"),
        ({"n": 5, "nearness": 1.0}, "nearness"),
    ],
)
def test_plans_that_cannot_be_are_refused(wrong, rule):
    with pytest.raises(ValueError, match=rule):
        ErrorPlan(**wrong)


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("n", [1, 5, 70])
def test_V5_all_forms_of_linear_attention_agree(n, feature, is_causal):
    generator = torch.Generator().manual_seed(n)
    q, k, v = torch.randn(3, 2, n, 4, generator=generator, dtype=torch.float64).unbind(0)
    forms = compare_linear_forms(q, k, v, feature=feature, is_causal=is_causal)
    assert max(forms.pairwise, forms.recurrent) < 1e-12


def test_V1_every_attention_is_timed_beside_the_full_one():
    plan = VariantPlan(names=NAMES, n=16, n_heads=2, d_k=4, repeats=2)
    timed = list(measure_variants(plan, Choices(rank=3, n_kv_heads=1)))
    assert [one.name for one in timed] == list(NAMES)
    assert all(0 < one.lowest_ratio <= one.ratio <= one.highest_ratio for one in timed)
    by_name = {one.name: one for one in timed}
    assert by_name["full"].error == 0
    assert by_name["additive"].own_flops > by_name["full"].own_flops


def test_what_a_measurement_holds_is_foreseen_and_bounded():
    plan = VariantPlan(names=("additive",), n=4096)
    assert predict_bytes(plan, Choices()) > 2**30
    nearest = longest_length(plan, Choices(), 2**30, (128, 1024, 4096))
    assert nearest == 1024
    assert longest_length(plan, Choices(), 10, (128,)) is None
    with pytest.raises(ValueError, match="low_rank cannot run"):
        list(measure_variants(VariantPlan(names=("low_rank",), n=8, is_causal=True), Choices()))
