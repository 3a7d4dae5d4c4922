"""Attention rollout (P8): its definition by loops, and words it gives a share although they change nothing."""

import pytest
import torch
from torch.testing import assert_close

from attention_core import masks
from attention_core.embedding import embed
from attention_core.experiments.rollout import (
    SILENCES,
    RolloutCheck,
    check_queries,
    check_rollout,
    rank_agreement,
    roll_out,
    silence_stack,
)
from attention_core.layers import NORMS, Design, draw_stack
from attention_core.single_head import draw_position

LAYERS, H, N = 3, 2, 5
WORDS = ("the", "cat", "saw", "a", "dog")


def random_weights(seed: int = 0, *, allowed: torch.Tensor | None = None) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    scores = 2 * torch.randn(LAYERS, H, N, N, generator=generator, dtype=torch.float64)
    return scores.masked_fill(~(masks.full(N) if allowed is None else allowed), -torch.inf).softmax(dim=-1)


def by_loops(weights: list) -> list:
    rolled = [[float(n == m) for m in range(N)] for n in range(N)]
    for heads in weights:
        mixing = [
            [0.5 * sum(head[n][m] for head in heads) / len(heads) + 0.5 * (n == m) for m in range(N)]
            for n in range(N)
        ]
        mixing = [[number / sum(row) for number in row] for row in mixing]
        rolled = [[sum(row[j] * rolled[j][m] for j in range(N)) for m in range(N)] for row in mixing]
    return rolled


@pytest.mark.parametrize("is_causal", [False, True])
def test_P8_rollout_agrees_with_the_loops_and_its_rows_sum_to_1(is_causal):
    weights = random_weights(allowed=masks.causal(N) if is_causal else None)
    rolled = roll_out(weights)
    for layer in range(LAYERS):
        expected = torch.tensor(by_loops(weights[: layer + 1].tolist()), dtype=torch.float64)
        assert_close(rolled[layer], expected, rtol=1e-12, atol=1e-13)
    assert_close(rolled.sum(dim=-1), torch.ones(LAYERS, N, dtype=torch.float64), rtol=0, atol=1e-12)
    assert not is_causal or not rolled.triu(1).any()


def test_P8_rollout_without_residual_is_the_product_of_the_heads_means():
    weights = random_weights()
    first, second, third = weights.mean(dim=1)
    assert_close(roll_out(weights, has_residual=False)[-1], third @ second @ first, rtol=1e-12, atol=1e-13)


def test_P8_rollout_of_no_layer_of_no_word_and_of_a_query_that_sees_nothing_is_defined():
    assert roll_out(torch.zeros(0, 2, 3, 3)).shape == (0, 3, 3)
    assert roll_out(torch.zeros(2, 2, 0, 0)).shape == (2, 0, 0)
    weights = torch.zeros(2, 1, 2, 2)
    assert roll_out(weights)[-1].tolist() == [[1, 0], [0, 1]]
    assert roll_out(weights, has_residual=False)[-1].tolist() == [[0, 0], [0, 0]]


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("silence", SILENCES)
def test_P8_rollout_gives_words_a_share_that_change_nothing_when_replaced(silence, norm):
    design = Design(n_layers=3, norm=norm)
    silent = check_rollout(WORDS, design, seed=0, query=4, silence=silence)
    others = silent.shares[:4]
    assert float(silent.shares.sum()) == pytest.approx(1, abs=1e-12)
    assert float(others.max()) > 0.1, "rollout says that the word matters"
    assert float(silent.effects[:4].max()) < 1e-12, "and it changes nothing"
    assert float(silent.effects[4]) > 0.1, "while the query's own word does"


def ranked(shares, effects, query=0):
    return rank_agreement(RolloutCheck(None, query, torch.tensor(shares), torch.tensor(effects)))


def test_P8_rank_agreement_is_worked_out_by_hand_with_ties_and_without_an_order_it_has_no_number():
    assert ranked([0.4, 0.1, 0.2, 0.3], [9.0, 1.0, 2.0, 3.0]).coefficient == 1
    assert ranked([0.4, 0.1, 0.2, 0.3], [0.0, 3.0, 2.0, 1.0]).coefficient == -1
    # Ranks 1, 2½, 2½, 4 against 1, 2, 3, 4: 4.5 / √(4.5 · 5).
    tied = ranked([0.2, 0.1, 0.2, 0.2, 0.3], [0.0, 1.0, 2.0, 3.0, 4.0])
    assert tied.coefficient == pytest.approx(4.5 / 22.5**0.5, abs=1e-12)
    assert ranked([0.4, 0.3, 0.3], [0.0, 1.0, 2.0]).coefficient is None, "rollout has no order"
    assert ranked([0.4, 0.6], [0.0, 1.0]) == rank_agreement(
        RolloutCheck(None, 0, torch.tensor([0.5, 0.5]), torch.tensor([2.0, 1.0]))
    ), "one word has none"
    assert ranked([0.4, 0.2, 0.0, 0.4], [1.0, 1.0, 9.0, 2.0]).places == (1, 3), "what is hidden is not ranked"


@pytest.mark.parametrize("seed", range(3))
def test_P8_with_equal_weights_and_equal_rollout_one_word_moves_the_output_and_the_other_does_not(seed):
    design = Design(n_layers=1, has_ffn=False)
    drawn, silent = (
        check_rollout(WORDS, design, seed=seed, query=4, silence=silence) for silence in (None, "zero_values")
    )
    assert torch.equal(drawn.shares, silent.shares)
    assert float(drawn.effects.min()) > 0.01
    assert silent.effects[:4].tolist() == [0, 0, 0, 0]


def test_P8_a_word_that_the_mask_hides_has_neither_share_nor_effect():
    found = check_rollout(WORDS, Design(), seed=0, query=2, allowed=masks.causal(N))
    assert found.shares[3:].tolist() == found.effects[3:].tolist() == [0, 0]
    assert (found.shares[:3] > 0).all()
    assert (found.effects[:3] > 0).all()


def test_P8_all_queries_at_once_are_each_query_by_itself():
    sizes = {"seed": 2, "replacement": "owl", "allowed": masks.window(N, N, 2)}
    together = check_queries(WORDS, Design(n_layers=2), **sizes)
    assert [check.query for check in together] == list(range(N))
    stack, position = draw_stack(Design(n_layers=2), 2), draw_position("sinusoidal", N, 16, 2)
    before = stack(embed(WORDS, 2, 16) + position, allowed=sizes["allowed"]).vectors[-1]
    for query, check in enumerate(together):
        alone = check_rollout(WORDS, Design(n_layers=2), query=query, **sizes)
        assert torch.equal(check.shares, alone.shares)
        assert torch.equal(check.effects, alone.effects)
        for place in range(N):
            others = [*WORDS[:place], "owl", *WORDS[place + 1 :]]
            after = stack(embed(others, 2, 16) + position, allowed=sizes["allowed"]).vectors[-1]
            expected = (after - before)[query].norm() / before[query].norm()
            assert_close(check.effects[place], expected.detach(), rtol=0, atol=1e-12)


def test_P8_silenced_heads_still_weigh_every_word():
    x = torch.randn(N, 16, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    for silence in SILENCES:
        trace = silence_stack(draw_stack(Design(), seed=0), silence)(x)
        assert (trace.weights > 0).all()
        assert not (trace.attention_out.abs() > 1e-12).any()


@pytest.mark.usefixtures("unchecked")
def test_P8_faults_of_the_caller_are_refused_with_both_values():
    with pytest.raises(ValueError, match="from 0 to 4, got 5"):
        check_rollout(WORDS, Design(), seed=0, query=5)
    with pytest.raises(ValueError, match="n_heads must be even, got 1"):
        check_rollout(WORDS, Design(n_heads=1), seed=0, query=0, silence="cancelling_heads")
    with pytest.raises(ValueError, match="zero_values, cancelling_heads, got 'mute'"):
        silence_stack(draw_stack(Design(), seed=0), "mute")
