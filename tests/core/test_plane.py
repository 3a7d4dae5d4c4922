"""A query and its keys in a plane: exact where it can be, and dot products that can always be read off."""

import torch

from attention_core.experiments.alignment import attend_at_angles, measure_alignment
from attention_core.plane import query_plane

M, D_K = 7, 11


def vectors(d_k: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(3)
    q = torch.randn(d_k, generator=generator, dtype=torch.float64)
    return q, torch.randn(M, d_k, generator=generator, dtype=torch.float64)


def test_P3_a_plane_of_two_dimensions_is_the_space_itself() -> None:
    q, k = vectors(2)
    plane = query_plane(q, k)
    assert plane.is_exact
    assert torch.equal(plane.query, q)
    assert torch.equal(plane.keys, k)
    assert plane.kept == 1.0


def test_P3_one_dimension_becomes_arrows_along_the_first_axis() -> None:
    q, k = vectors(1)
    plane = query_plane(q, k)
    assert plane.is_exact
    assert torch.equal(plane.keys[:, :1], k)
    assert not plane.keys[:, 1].any()


def test_P3_in_a_projection_the_first_coordinate_times_the_length_of_q_is_the_score() -> None:
    q, k = vectors(D_K)
    plane = query_plane(q, k)
    assert not plane.is_exact
    torch.testing.assert_close(plane.query, torch.stack([q.norm(), torch.tensor(0.0, dtype=torch.float64)]))
    torch.testing.assert_close(plane.keys[:, 0] * q.norm(), k @ q, rtol=1e-12, atol=1e-12)
    assert 0 < plane.kept < 1


def test_a_query_of_zeros_and_keys_of_zeros_have_a_plane_too() -> None:
    q, k = vectors(D_K)
    assert torch.isfinite(query_plane(torch.zeros_like(q), k).keys).all()
    plane = query_plane(q, torch.zeros_like(k))
    assert not plane.keys.any()
    assert plane.kept == 1.0


def test_P3_a_score_is_the_product_of_two_lengths_and_a_cosine() -> None:
    q, k = vectors(D_K)
    alignment = measure_alignment(q, k)
    product = alignment.query_length * alignment.lengths * alignment.cosines
    torch.testing.assert_close(product, k @ q, rtol=1e-12, atol=1e-12)
    longer = measure_alignment(q, 2 * k)
    torch.testing.assert_close(longer.cosines, alignment.cosines, rtol=1e-12, atol=1e-12)
    assert alignment.best_aligned == int(torch.nn.functional.cosine_similarity(k, q[None]).argmax())


def test_a_vector_of_zeros_has_no_direction_and_cosine_zero() -> None:
    q, k = vectors(D_K)
    k[2] = 0
    assert measure_alignment(q, k).cosines[2] == 0
    assert not measure_alignment(torch.zeros_like(q), k).cosines.any()


def test_P3_equal_angles_give_equal_weights_and_one_key_that_stands_out_takes_all() -> None:
    for degrees in (0.0, 5.0, 90.0, 180.0):
        weights = attend_at_angles([degrees] * 3).weights
        torch.testing.assert_close(weights, torch.full((1, 3), 1 / 3, dtype=torch.float64))
    assert attend_at_angles([0.0, 90.0, 90.0]).weights[0, 0] > 0.99
