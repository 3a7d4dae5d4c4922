"""The principal plane: against covariances, hand numbers, and where there is nothing to lay out."""

import pytest
import torch
from torch.testing import assert_close

from attention_core.layers import Design, dress
from attention_core.principal_plane import fit_plane

N, D_MODEL = 7, 5


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_P8_the_shares_are_those_of_the_covariances_largest_eigenvalues():
    x = random(N, D_MODEL) * torch.tensor([5.0, 1.0, 3.0, 0.5, 2.0], dtype=torch.float64) + 9
    plane = fit_plane(x)
    eigenvalues = torch.linalg.eigvalsh(x.T.cov()).flip(0)
    expected = eigenvalues[:2] / eigenvalues.sum()
    assert plane.shares == pytest.approx(expected.tolist(), rel=1e-11)
    assert plane.kept == pytest.approx(float(expected.sum()), rel=1e-11)
    assert plane.kept == pytest.approx(plane.share_of(x), rel=1e-11)
    assert_close(plane.axes.T @ plane.axes, torch.eye(2, dtype=torch.float64), rtol=0, atol=1e-12)
    placed = plane.place(x)
    assert_close(placed.mean(dim=0), torch.zeros(2, dtype=torch.float64), rtol=0, atol=1e-12)
    assert_close(placed.T.cov().diagonal(), eigenvalues[:2], rtol=1e-11, atol=0)


def test_P8_in_two_dimensions_nothing_is_lost_and_distances_stay():
    x = random(N, 2)
    plane = fit_plane(x)
    assert plane.kept == pytest.approx(1, abs=1e-12)
    assert_close(torch.cdist(plane.place(x), plane.place(x)), torch.cdist(x, x), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("seed", range(5))
def test_P8_the_picture_turns_round_for_no_order_of_the_vectors_and_no_rounding(seed):
    x = random(N, D_MODEL, seed=seed)
    plane = fit_plane(x)
    order = torch.randperm(N, generator=torch.Generator().manual_seed(seed))
    assert_close(fit_plane(x[order]).axes, plane.axes, rtol=0, atol=1e-11)
    assert_close(fit_plane(x + 1e-9 * random(N, D_MODEL, seed=9)).axes, plane.axes, rtol=0, atol=1e-6)
    assert_close(fit_plane(-x).axes, plane.axes, rtol=0, atol=1e-11)


def test_P8_of_two_components_as_large_the_first_is_positive():
    for first in (1.0, -1.0):
        x = torch.tensor([[first, -first], [-first, first]]) * (1 + torch.tensor([0.0, 1e-7]))
        assert fit_plane(x).axes[0, 0] > 0


@pytest.mark.parametrize("n", [1, 2, 40])
def test_P8_equal_vectors_lie_in_one_point_and_nothing_is_lost(n):
    x = random(1, D_MODEL).expand(n, D_MODEL) * 1e3
    plane = fit_plane(x)
    assert (plane.shares, plane.kept) == ((0.0, 0.0), 1.0)
    assert not plane.axes.any()
    assert plane.place(x).tolist() == [[0, 0]] * n


def test_P8_vectors_on_a_line_leave_the_second_axis_empty():
    x = torch.arange(4.0, dtype=torch.float64)[:, None] * random(D_MODEL) + 100
    plane = fit_plane(x)
    assert plane.shares == (1.0, 0.0)
    assert not plane.axes[:, 1].any()
    one = fit_plane(torch.tensor([[1.0], [4.0]]))
    assert one.place(torch.tensor([[1.0], [4.0]])).tolist() == [[-1.5, 0], [1.5, 0]]


def test_P8_bare_and_dressed_share_one_plane():
    vectors = dress(("the", "cat", "ran"), Design(n_layers=3), seed=0).trace.vectors
    plane = fit_plane(vectors)
    assert plane.place(vectors).shape == (4, 3, 2)
    assert torch.equal(plane.place(vectors)[0], plane.place(vectors[0]))
    assert all(0 <= plane.share_of(at_depth) <= 1 for at_depth in vectors)


@pytest.mark.parametrize("shape", [(0, 5), (3, 0), (0, 2, 0)])
def test_nothing_to_lay_out_is_refused(shape):
    with pytest.raises(ValueError, match=r"at least 1 vector of width 1, got shape"):
        fit_plane(torch.zeros(shape))


def test_numbers_that_are_none_are_refused():
    with pytest.raises(ValueError, match="must be finite, got 2 that are not"):
        fit_plane(torch.tensor([[1.0, torch.nan], [torch.inf, 0.0]]))
