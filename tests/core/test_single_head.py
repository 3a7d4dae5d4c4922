"""One head from whichever stage its inputs belong to, against the definition and by hand."""

import math

import pytest
import torch

from attention_core.embedding import embed
from attention_core.single_head import apply_edits, own_sentence, trace_single_head
from attention_core.trace import SingleHeadTrace

N, M, D_MODEL, D_K, D_V = 5, 7, 13, 11, 3
TOKENS = ("the", "cat", "saw", "the", "dog")
EXACT = {"rtol": 0, "atol": 1e-12}


def randn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def sentence(positions="sinusoidal", seed=3):
    return own_sentence(TOKENS, seed=seed, d_model=D_MODEL, d_k=D_K, d_v=D_V, positions=positions)


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("scale", [None, 0.25])
def test_P2_every_stage_follows_from_the_one_before_and_the_last_has_the_shape_of_x(is_causal, scale):
    given = sentence()
    trace = trace_single_head(given, is_causal=is_causal, scale=scale)
    torch.testing.assert_close(trace.x, given["embedding"] + given["position"], **EXACT)
    for name, w in (("q", "w_q"), ("k", "w_k"), ("v", "w_v")):
        torch.testing.assert_close(getattr(trace, name), trace.x @ given[w], **EXACT)
    torch.testing.assert_close(trace.scores, trace.q @ trace.k.T, **EXACT)
    expected_scale = 1 / math.sqrt(D_K) if scale is None else scale
    assert trace.scale == pytest.approx(expected_scale, rel=1e-15)
    torch.testing.assert_close(trace.scaled, trace.scores * expected_scale, **EXACT)
    future = torch.ones(N, N).triu(1).bool() & is_causal
    assert torch.equal(trace.masked, trace.scaled.masked_fill(future, -math.inf))
    torch.testing.assert_close(trace.weights, trace.masked.softmax(-1), **EXACT)
    torch.testing.assert_close(trace.out, trace.weights @ trace.v, **EXACT)
    torch.testing.assert_close(trace.projected, trace.out @ given["w_o"], **EXACT)
    assert trace.projected.shape == trace.x.shape
    assert (trace.allowed is None) is not is_causal


def test_P2_the_whole_pass_equals_torchs_own_attention():
    trace = trace_single_head(sentence(), is_causal=True)
    expected = torch.nn.functional.scaled_dot_product_attention(trace.q, trace.k, trace.v, is_causal=True)
    torch.testing.assert_close(trace.out, expected, **EXACT)


@pytest.mark.parametrize("is_causal", [False, True])
def test_P4_each_row_of_weights_sums_to_1_and_mixes_the_values(is_causal):
    trace = trace_single_head(sentence(), is_causal=is_causal)
    torch.testing.assert_close(trace.weights.sum(dim=-1), torch.ones(N, dtype=torch.float64), **EXACT)
    for n in range(N):
        mixed = sum(trace.weights[n, m] * trace.v[m] for m in range(N))
        torch.testing.assert_close(trace.out[n], mixed, **EXACT)


def test_a_pass_from_q_k_v_has_nothing_before_them():
    given = {"q": randn(N, D_K), "k": randn(M, D_K, seed=1), "v": randn(M, D_V, seed=2)}
    trace = trace_single_head(given, is_causal=True)
    for name in ("embedding", "position", "x", "w_q", "w_k", "w_v", "w_o", "projected"):
        assert getattr(trace, name) is None
    assert trace.weights.shape == (N, M)
    assert int((trace.weights[0] != 0).sum()) == M - N + 1


def test_a_pass_from_scaled_scores_has_no_scale_of_its_own():
    trace = trace_single_head({"scaled": randn(N, M), "v": randn(M, D_V, seed=2)}, is_causal=True)
    for name in ("q", "k", "scores", "scale", "x", "projected"):
        assert getattr(trace, name) is None
    torch.testing.assert_close(trace.weights.sum(-1), torch.ones(N, dtype=torch.float64), **EXACT)
    assert int((trace.masked == -math.inf).sum()) == 10
    torch.testing.assert_close(trace.out, trace.weights @ trace.v, **EXACT)


def test_with_q_k_v_all_x_a_head_needs_no_parameters():
    x = randn(N, D_K)
    trace = trace_single_head({"q": x, "k": x, "v": x}, scale=1.0)
    torch.testing.assert_close(trace.out, (x @ x.T).softmax(-1) @ x, **EXACT)


def test_x_as_given_counts_over_the_sum_and_the_sum_stands_in_without_it():
    given = sentence()
    edited = {**given, "x": apply_edits(given["x"], {(1, 2): 9.0}).matrix}
    assert float(trace_single_head(edited).x[1, 2]) == 9.0
    del edited["x"]
    assert torch.equal(trace_single_head(edited).x, given["x"])
    bare = {name: given[name] for name in ("x", "w_q", "w_k", "w_v")}
    trace = trace_single_head(bare)
    assert trace.embedding is None
    assert trace.projected is None
    assert torch.equal(trace.out, trace_single_head(given).out)


def test_given_matrices_are_never_changed():
    given = sentence()
    before = {name: matrix.clone() for name, matrix in given.items()}
    trace_single_head(given, is_causal=True)
    apply_edits(given["x"], {(0, 0): 1.0})
    assert all(torch.equal(given[name], before[name]) for name in given)


@pytest.mark.parametrize(
    "names", [(), ("x",), ("q", "k"), ("scaled",), ("x", "w_q", "w_k"), ("embedding", "w_q", "w_k", "w_v")]
)
def test_an_incomplete_set_is_refused_by_naming_what_is_there(names):
    given = {name: torch.zeros(2, 2) for name in names}
    with pytest.raises(ValueError, match=r"given must hold.*got \["):
        trace_single_head(given)


def test_a_projection_of_another_width_is_refused_with_both_values(unchecked):
    given = {**sentence(), "w_k": randn(7, D_K)}
    with pytest.raises(ValueError, match="w_k must have as many rows as x has columns: 7 and 13"):
        trace_single_head(given)


@pytest.mark.parametrize("positions", ["none", "sinusoidal", "learned"])
def test_P1_own_sentence_adds_positions_to_each_words_embedding(positions):
    given = sentence(positions)
    assert torch.equal(given["embedding"], embed(TOKENS, 3, D_MODEL))
    assert torch.equal(given["x"], given["embedding"] + given["position"])
    assert bool(given["position"].any()) is (positions != "none")
    shapes = {name: tuple(matrix.shape) for name, matrix in given.items()}
    assert shapes == {
        "embedding": (N, D_MODEL),
        "position": (N, D_MODEL),
        "x": (N, D_MODEL),
        "w_q": (D_MODEL, D_K),
        "w_k": (D_MODEL, D_K),
        "w_v": (D_MODEL, D_V),
        "w_o": (D_V, D_MODEL),
    }
    assert all(matrix.dtype == torch.float64 for matrix in given.values())


def test_the_same_word_at_two_places_differs_only_where_order_is_encoded():
    assert torch.equal(sentence("none")["x"][0], sentence("none")["x"][3])
    assert not torch.equal(sentence("sinusoidal")["x"][0], sentence("sinusoidal")["x"][3])
    assert not torch.equal(sentence("learned")["x"][0], sentence("learned")["x"][3])


def test_growing_d_k_keeps_the_queries_that_were_there():
    small = trace_single_head(sentence("none"))
    large = trace_single_head(
        own_sentence(TOKENS, seed=3, d_model=D_MODEL, d_k=D_K + 2, d_v=D_V, positions="none")
    )
    torch.testing.assert_close(large.q[:, :D_K], small.q, **EXACT)


def test_an_unknown_kind_of_positions_is_refused(unchecked):
    with pytest.raises(ValueError, match="positions must be none, sinusoidal or learned, got 'rotary'"):
        sentence("rotary")


def test_an_empty_sentence_gives_a_trace_without_rows():
    given = own_sentence((), seed=0, d_model=D_MODEL, d_k=D_K, d_v=D_V, positions="sinusoidal")
    trace = trace_single_head(given, is_causal=True)
    assert isinstance(trace, SingleHeadTrace)
    assert trace.projected.shape == (0, D_MODEL)
    assert trace.weights.shape == (0, 0)


def test_edits_outside_the_matrix_stay_dormant_and_never_raise():
    matrix = randn(2, 3)
    edits = {(0, 0): 1.0, (1, 2): -2.0, (2, 0): 3.0, (0, 3): 4.0, (-1, 0): 5.0, (0, -3): 6.0}
    edited = apply_edits(matrix, edits)
    assert edited.dormant == ((2, 0), (0, 3), (-1, 0), (0, -3))
    changed = edited.matrix != matrix
    assert changed.nonzero().tolist() == [[0, 0], [1, 2]]
    assert (float(edited.matrix[0, 0]), float(edited.matrix[1, 2])) == (1.0, -2.0)
    assert apply_edits(torch.zeros(0, 3), {(0, 0): 1.0}).dormant == ((0, 0),)
