"""Where a token stands: the published formula, odd widths, and tables that keep their numbers."""

import pytest
import torch
from torch.testing import assert_close

from attention_core import positions, reference


@pytest.mark.parametrize(
    ("d_model", "row"),
    [
        (1, [0.841471]),
        (2, [0.841471, 0.540302]),
        (3, [0.841471, 0.540302, 0.002154]),
        (5, [0.841471, 0.540302, 0.025116, 0.999685, 0.000631]),
        (6, [0.841471, 0.540302, 0.046399, 0.998923, 0.002154, 0.999998]),
    ],
)
def test_row_of_position_one(d_model, row):
    ours = positions.sinusoidal(2, d_model)[1]
    assert_close(ours, torch.tensor(row, dtype=torch.float64), rtol=0, atol=1e-6)


@pytest.mark.parametrize("d_model", [1, 2, 5, 8, 13])
def test_sinusoidal_agrees_with_the_loops(d_model):
    expected = torch.tensor(reference.sinusoidal(7, d_model), dtype=torch.float64)
    assert_close(positions.sinusoidal(7, d_model), expected, rtol=1e-14, atol=1e-14)


def test_product_of_two_rows_depends_on_their_distance_alone_for_even_widths():
    table = positions.sinusoidal(11, 8)
    products = table @ table.T
    for distance in range(11):
        diagonal = products.diagonal(distance)
        assert_close(diagonal, diagonal[:1].expand_as(diagonal), rtol=1e-12, atol=1e-12)


def test_rows_can_start_later_as_in_decoding():
    expected = torch.tensor([[0.14112, -0.989992, 0.029996, 0.99955]], dtype=torch.float64)
    assert_close(positions.sinusoidal(1, 4, start=3), expected, rtol=0, atol=1e-6)
    assert torch.equal(positions.sinusoidal(2, 5, start=3), positions.sinusoidal(5, 5)[3:])


def test_no_positions_are_zeros():
    assert torch.equal(positions.no_positions(3, 5), torch.zeros(3, 5, dtype=torch.float64))


def test_learned_positions_follow_their_seed_and_nothing_else():
    torch.manual_seed(0)
    state = torch.get_rng_state()
    first = positions.learned(3, 5, seed=1)
    assert torch.equal(first, positions.learned(3, 5, seed=1))
    assert not torch.equal(first, positions.learned(3, 5, seed=2))
    assert torch.equal(state, torch.get_rng_state())


@pytest.mark.parametrize("d_model", [1, 5, 16, 63, 64])
@pytest.mark.parametrize("n", [1, 3, 64])
def test_learned_positions_keep_their_numbers_when_the_table_grows(n, d_model):
    assert torch.equal(positions.learned(n, d_model, seed=3), positions.learned(67, 64, seed=3)[:n, :d_model])


def test_learned_positions_are_standard_normal_and_differ_from_row_to_row():
    table = positions.learned(101, 61, seed=5)
    assert abs(table.mean().item()) < 0.05  # 1 / √6161 is 0.013
    assert abs(table.std().item() - 1) < 0.04
    assert not torch.equal(table[0], table[1])


def test_first_numbers_of_a_learned_table_are_the_same_in_every_process():
    expected = torch.randn(1, 64, generator=torch.Generator().manual_seed(0), dtype=torch.float64)[:, :2]
    assert torch.equal(positions.learned(1, 2, seed=0), expected)


@pytest.mark.parametrize(
    "make", [positions.no_positions, positions.sinusoidal, lambda *a, **k: positions.learned(*a, 0, **k)]
)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
@pytest.mark.parametrize("shape", [(0, 5), (3, 0), (0, 0), (3, 5)])
def test_shape_and_type_are_what_was_asked_for(make, dtype, shape):
    table = make(*shape, dtype=dtype)
    assert table.shape == shape
    assert table.dtype == dtype


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: positions.no_positions(-1, 2), "n=-1 and d_model=2"),
        (lambda: positions.sinusoidal(1, -2), "n=1 and d_model=-2"),
        (lambda: positions.learned(-3, 2, seed=0), "n=-3 and d_model=2"),
        (lambda: positions.sinusoidal(1, 2, start=-1), "start.*-1"),
    ],
)
def test_wrong_sizes_are_refused_with_the_values(make, message):
    with pytest.raises(ValueError, match=message):
        make()
