"""The receptive field (M6): the layer at which a token notices a changed word is the one the mask foretells."""

import math

import pytest
import torch

from attention_core import masks
from attention_core.experiments.changed_word import change_word
from attention_core.layers import NORMS, Design
from attention_core.mask_facts import reach

N = 11
WORDS = tuple(f"word{place}" for place in range(N))


def change(changed: int, *, allowed=None, positions="none", **design):
    return change_word(
        WORDS, changed, "other", Design(**design), seed=3, positions=positions, allowed=allowed
    )


@pytest.mark.parametrize("n_layers", [1, 2, 5, 12])
@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_M6_windows_of_w_reach_w_less_1_places_back_in_each_layer(width, n_layers):
    found = change(0, allowed=masks.window(N, N, width, is_causal=True), n_layers=n_layers)
    assert found.reach_back == min(N - 1, (width - 1) * n_layers)
    depths = [0 if n == 0 else math.ceil(n / (width - 1)) if width > 1 else math.inf for n in range(N)]
    assert found.first_depths == tuple(depth if depth <= n_layers else None for depth in depths)
    assert found.agrees


MASKS = {
    "full": None,
    "causal": masks.causal(N),
    "both sides": masks.window(N, N, 2),
    "blind to itself": masks.causal(N).tril(-1),
    "drawn": torch.rand(N, N, generator=torch.Generator().manual_seed(1)) < 0.2,
}


@pytest.mark.parametrize("has_residual", [True, False])
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", MASKS)
def test_M6_what_moves_is_what_powers_of_the_mask_allow(name, norm, has_residual):
    allowed = MASKS[name]
    for changed in (0, 4):
        found = change(changed, allowed=allowed, n_layers=3, norm=norm, has_residual=has_residual)
        assert found.agrees
        seen = masks.full(N) if allowed is None else allowed
        for depth in range(4):
            may_move = reach(seen, depth, has_residual=has_residual)[:, changed]
            assert not (found.changes[depth] > 0)[~may_move].any()
            if has_residual:
                assert torch.equal(found.changes[depth] > 0, may_move)


@pytest.mark.parametrize("positions", ["none", "sinusoidal", "learned"])
def test_M6_positions_do_not_change_who_reaches_whom(positions):
    found = change(2, allowed=masks.window(N, N, 3, is_causal=True), positions=positions, n_layers=3)
    assert found.first_depths == (None, None, 0, 1, 1, 2, 2, 3, 3, None, None)


def test_M6_with_everything_seen_all_notice_in_the_first_layer():
    found = change(5)
    assert found.first_depths == tuple(0 if n == 5 else 1 for n in range(N))
    assert found.reach_back == 5


def test_M6_the_norm_of_a_single_number_hides_the_change_that_the_mask_allows():
    found = change(0, norm="pre", d_model=1, n_heads=1, n_layers=1)
    assert found.first_depths == (0, *[None] * (N - 1))
    assert not found.agrees


def test_M6_faults_of_the_caller_are_refused_with_both_values():
    with pytest.raises(ValueError, match="from 0 to 10, got 11"):
        change(11)
    with pytest.raises(ValueError, match="another word than 'word0', got 'word0'"):
        change_word(WORDS, 0, "word0", Design(), seed=0)
