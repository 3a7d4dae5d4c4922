"""The model that learns: its fast way is its recorded way, its weights are drawn by name, and recipes refuse nonsense."""

import pytest
import torch
from torch.testing import assert_close

from attention_core.training.model import TokenModel
from attention_core.training.recipe import DIVISORS, Recipe

B, N, N_WORDS = 3, 7, 11
KINDS = {
    "causal": {},
    "sees all": {"is_causal": False},
    "post": {"norm": "post"},
    "no norm": {"norm": "none"},
    "no residual": {"has_residual": False},
    "no feed-forward": {"has_ffn": False, "n_layers": 3},
    "sinusoidal": {"positions": "sinusoidal"},
    "no positions": {"positions": "none"},
    "not scaled": {"divisor": "one"},
}


def made(**fields) -> TokenModel:
    return TokenModel(Recipe("recall", **({"d_model": 12, "n_heads": 3} | fields)), N_WORDS, N)


def tokens() -> torch.Tensor:
    return torch.randint(N_WORDS, (B, N), generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("kind", KINDS)
def test_the_fast_way_gives_the_logits_of_the_recorded_one(kind):
    model = made(**KINDS[kind]).double()
    trace = model.trace(tokens())
    assert_close(model(tokens()), trace.logits, rtol=0, atol=1e-10)
    assert trace.stack.weights.shape == (model.recipe.n_layers, B, 3, N, N)


def test_a_shorter_text_gets_the_beginning_of_the_positions_and_of_the_mask():
    model = made()
    assert_close(model(tokens()[:, :4]), model(tokens())[:, :4], rtol=0, atol=1e-5)


def test_M7_what_is_causal_does_not_see_what_comes_after_and_what_leaks_does():
    changed = tokens()
    changed[:, -1] = (changed[:, -1] + 1) % N_WORDS
    for is_causal in (True, False):
        model = made(is_causal=is_causal)
        is_same = torch.equal(model(tokens())[:, :-1], model(changed)[:, :-1])
        assert is_same is is_causal


def test_S7_the_divisor_is_what_scores_are_divided_by():
    scales = {divisor: Recipe("recall", d_model=64, n_heads=4, divisor=divisor).scale for divisor in DIVISORS}
    assert scales == {"sqrt_d_k": 1 / 4, "one": 1.0, "d_k": 1 / 16}
    for divisor, scale in scales.items():
        trace = (
            made(d_model=64, n_heads=4, divisor=divisor).trace(tokens()).stack.blocks[0].attention.attention
        )
        assert_close(trace.scaled, trace.scores * scale)


def test_T6_weights_are_dropped_while_training_and_never_while_testing():
    model = made(dropout_p=0.5)
    first, again, other = (model(tokens(), torch.Generator().manual_seed(seed)) for seed in (1, 1, 2))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    model.eval()
    assert_close(model(tokens()), model.trace(tokens()).logits, rtol=0, atol=1e-5)


def test_T6_with_dropout_so_small_that_nothing_is_dropped_the_logits_are_those_without():
    for is_causal in (True, False):
        dropping = made(dropout_p=1e-12, is_causal=is_causal)(tokens(), torch.Generator().manual_seed(0))
        assert_close(dropping, made(is_causal=is_causal)(tokens()), rtol=0, atol=1e-5)


def test_dropout_without_a_generator_is_refused():
    with pytest.raises(ValueError, match=r"dropout_p=0\.5 needs a generator"):
        made(dropout_p=0.5)(tokens())


def test_models_that_differ_in_one_thing_begin_with_the_same_numbers():
    model = made()
    for fields in (
        {"n_layers": 3},
        {"divisor": "one"},
        {"n_heads": 1},
        {"has_ffn": False},
        {"is_causal": False},
    ):
        other = dict(made(**fields).named_parameters())
        for name, p in model.named_parameters():
            assert name not in other or torch.equal(p, other[name]), (fields, name)
    assert not torch.equal(model.table, made(seed=1).table)


def test_tracing_leaves_the_mode_and_the_gradients_as_they_were():
    model = made()
    assert not model.trace(tokens()).logits.requires_grad
    assert model.training
    assert not model.eval().trace(tokens()).logits.requires_grad
    assert not model.training


def test_a_text_that_is_too_long_is_refused_with_both_lengths():
    with pytest.raises(ValueError, match="at most 7 tokens, got 8"):
        made()(torch.zeros(1, 8, dtype=torch.long))


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"n_layers": 0}, "n_layers must be a whole number from 1 to 4, got 0"),
        ({"d_model": 257}, "d_model must be a whole number from 1 to 256, got 257"),
        ({"d_model": 10, "n_heads": 3}, "multiple of n_heads, got d_model=10 and n_heads=3"),
        ({"seed": -1}, "seed must be a whole number from 0 to 9999, got -1"),
        ({"batch": 2.5}, r"batch must be a whole number from 1 to 256, got 2\.5"),
        ({"learning_rate": float("nan")}, "learning_rate must be a number"),
        ({"learning_rate": float("inf")}, "learning_rate must be a number"),
        ({"dropout_p": 1.0}, r"dropout_p must be a number from 0 to below 1, got 1\.0"),
        ({"is_causal": "yes"}, "is_causal must be true or false, got 'yes'"),
        ({"divisor": "two"}, "divisor must be one of sqrt_d_k, one, d_k, got 'two'"),
        ({"norm": []}, r"norm must be one of pre, post, none, got \[\]"),
    ],
)
def test_a_recipe_refuses_what_is_out_of_its_range(fields, rule, unchecked):
    with pytest.raises(ValueError, match=rule):
        Recipe("recall", **fields)
