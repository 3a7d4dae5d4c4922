"""Bare and dressed (P8): one word in two sentences, layer by layer, in numbers and in a plane."""

import math

import pytest
import torch
from torch.testing import assert_close

from attention_core import masks
from attention_core.experiments.dressing import (
    cosines_to_bare,
    distances_to_bare,
    follow_word,
    heaviest_keys,
    lay_out,
    moved_if_weighed_again,
)
from attention_core.experiments.reuse import shared_places
from attention_core.layers import NORMS, Design, dress, run_layer

FIRST = ("the", "bank", "lent", "me", "money")
SECOND = ("the", "bank", "of", "a", "river", "floods")
MOVED = ("a", "river", "has", "a", "bank")


def pair(first=FIRST, second=SECOND, *, positions="none", allowed=None, **design):
    return [
        dress(words, Design(**design), seed=3, positions=positions, allowed=allowed)
        for words in (first, second)
    ]


@pytest.mark.parametrize("has_residual", [True, False])
@pytest.mark.parametrize("norm", NORMS)
def test_P8_a_word_enters_equal_and_every_layer_leaves_it_different(norm, has_residual):
    one, other = pair(norm=norm, has_residual=has_residual, n_layers=3)
    found = follow_word(one, other, 1, 1)
    assert (found.token, found.is_bare_equal, found.bare_distance) == ("bank", True, 0)
    assert found.distances[0] == 0
    assert found.cosines[0] == pytest.approx(1, abs=1e-12)
    assert all(distance > 0.01 for distance in found.distances[1:])
    assert all(cosine < 0.9999 for cosine in found.cosines[1:])
    for depth, distance in enumerate(found.distances):
        assert distance == pytest.approx(
            math.dist(one.trace.vectors[depth, 1].tolist(), other.trace.vectors[depth, 1].tolist()), abs=1e-12
        )


def test_P8_positions_tell_a_word_from_itself_only_at_another_place():
    for positions, second, place, is_equal in (
        ("none", MOVED, 4, True),
        ("sinusoidal", MOVED, 4, False),
        ("learned", MOVED, 4, False),
        ("sinusoidal", SECOND, 1, True),
    ):
        found = follow_word(*pair(second=second, positions=positions), 1, place)
        assert found.bare_distance == 0
        assert found.is_bare_equal is is_equal
        assert (found.distances[0] == 0) is is_equal
        assert found.distances[1] > 0.01


def test_P8_under_a_causal_mask_a_word_after_the_same_beginning_stays_equal():
    sentences = [
        dress(words, Design(), seed=3, allowed=masks.causal(len(words))) for words in (FIRST, SECOND)
    ]
    assert max(follow_word(*sentences, 1, 1).distances) == pytest.approx(0, abs=1e-12)


def test_P8_places_of_shared_words_are_paired_and_other_words_have_no_name():
    assert shared_places(FIRST, SECOND) == [(0, 0), (1, 1)]
    found = follow_word(*pair(), 0, 1)
    assert found.token is None
    assert not found.is_bare_equal
    assert found.bare_distance > 0.1


def test_P8_cosines_to_the_bare_vector_begin_at_1_and_fall():
    one, _ = pair(n_layers=6)
    cosines = cosines_to_bare(one.trace.vectors)
    assert_close(cosines[0], torch.ones(5, dtype=torch.float64))
    means = cosines.mean(dim=-1)
    assert 0.2 < means[1] < 0.99
    assert means[6] < means[1]
    expected = torch.nn.functional.cosine_similarity(one.trace.vectors, one.trace.vectors[:1], dim=-1)
    assert_close(cosines, expected, rtol=0, atol=1e-12)
    assert cosines_to_bare(torch.zeros(3, 2, 5)).tolist() == [[0, 0]] * 3


def test_P8_distances_to_bare_begin_at_0_and_are_lengths_of_differences():
    one, _ = pair(n_layers=3)
    vectors, found = one.trace.vectors, distances_to_bare(one.trace.vectors)
    assert found[0].tolist() == [0] * 5
    for depth in range(1, 4):
        for place in range(5):
            expected = math.dist(vectors[depth, place].tolist(), vectors[0, place].tolist())
            assert float(found[depth, place]) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("is_causal", [False, True])
def test_P8_the_keys_a_word_took_from_are_the_mean_over_heads_the_largest_first(is_causal):
    allowed = masks.causal(5) if is_causal else None
    one = dress(FIRST, Design(n_layers=2, d_model=6, n_heads=3), seed=3, allowed=allowed)
    for layer, query in ((0, 0), (1, 2), (1, 4)):
        found = heaviest_keys(one, layer, query)
        means = [
            sum(float(one.trace.weights[layer, head, query, key]) for head in range(3)) / 3
            for key in range(5)
        ]
        assert sorted(key for key, _ in found) == list(range(query + 1 if is_causal else 5))
        assert all(share == pytest.approx(means[key], abs=1e-15) for key, share in found)
        assert [share for _, share in found] == sorted((share for _, share in found), reverse=True)
        assert sum(share for _, share in found) == pytest.approx(1, abs=1e-12)
    same = dress(("a", "a", "a"), Design(n_layers=1), seed=0, positions="none")
    assert [key for key, _ in heaviest_keys(same, 0, 1)] == [0, 1, 2], "the earlier of equals"


def test_P8_weights_are_computed_once_and_would_not_be_those_of_what_they_make():
    one = dress(FIRST, Design(n_layers=2), seed=3)
    for layer in range(2):
        again = run_layer(one, layer, one.trace.vectors[layer + 1]).attention.attention.weights
        for query in range(5):
            apart = (again[:, query] - one.trace.weights[layer, :, query]).abs().sum(dim=-1) / 2
            found = moved_if_weighed_again(one, layer, query)
            assert found == pytest.approx(float(apart.mean()), abs=1e-15)
            assert 0.001 < found <= 1
    first_word = dress(FIRST, Design(n_layers=1), seed=3, allowed=masks.causal(5))
    assert moved_if_weighed_again(first_word, 0, 0) == 0, "one key has all the weight either way"
    for function in (heaviest_keys, moved_if_weighed_again):
        with pytest.raises(ValueError, match="layer must be from 0 to 1, got 2"):
            function(one, 2, 0)
        with pytest.raises(ValueError, match="query must be from 0 to 4, got 5"):
            function(one, 0, 5)


def test_P8_two_sentences_lie_in_one_plane_in_which_equal_bare_words_coincide():
    one, other = pair(n_layers=3)
    found = lay_out(one, other)
    assert [tuple(places.shape) for places in found.places] == [(4, 5, 2), (4, 6, 2)]
    assert torch.equal(found.places[0][0, 1], found.places[1][0, 1])
    assert (found.places[0][3, 1] - found.places[1][3, 1]).norm() > 0.01
    assert 0 < found.plane.kept < 1
    assert all(0 < share < 1 for share in found.shares)
    assert found.plane.shares[0] >= found.plane.shares[1] > 0


def test_P8_faults_of_the_caller_are_refused_with_both_values():
    one, other = pair(n_layers=1)
    with pytest.raises(ValueError, match="from 0 to 4, got 5"):
        follow_word(one, other, 5, 0)
    with pytest.raises(ValueError, match="from 0 to 5, got -1"):
        follow_word(one, other, 0, -1)
    deeper, drawn_anew = dress(SECOND, Design(n_layers=2), seed=3), dress(SECOND, one.design, seed=4)
    with pytest.raises(ValueError, match=r"same design and seed, got Design\(n_layers=1.*n_layers=2"):
        follow_word(one, deeper, 0, 0)
    with pytest.raises(ValueError, match=r"of seed 3, .* of seed 4"):
        lay_out(one, drawn_anew)
    with pytest.raises(ValueError, match="got no sentence"):
        lay_out()
    with pytest.raises(ValueError, match="at least 1 vector"):
        lay_out(dress((), Design(), seed=0))
