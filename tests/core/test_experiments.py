"""Each claim of the course notes, checked by the experiment that shows it."""

import math
from pathlib import Path

import pytest
import torch

from attention_core import experiments
from attention_core.experiments import EXPERIMENTS
from attention_core.experiments.equivariance import arrange, measure_equivariance, shuffle
from attention_core.experiments.independence import (
    FormTiming,
    attend_by_einsum,
    attend_by_loop,
    attend_by_matmul,
    compare_forms,
    differences_of_forms,
    measure_independence,
    measure_reach,
    scan_rnn,
)
from attention_core.experiments.reuse import (
    ROUNDING,
    clearest_word,
    compare_traces,
    compare_with_simplified,
    distances_by_layer,
)
from attention_core.masks import causal
from attention_core.measure import Timing
from attention_core.single_head import apply_edits, draw_matrices, own_sentence, trace_single_head

B, N, M, D_K, D_V = 2, 5, 7, 11, 13
WORDS = ("the", "cat", "saw", "a", "dog")
SIZES = {"d_model": 13, "d_k": 11, "d_v": 7}


def randn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def trace(words, *, is_causal=False, **sizes):
    return trace_single_head(
        own_sentence(words, **({"seed": 0, "positions": "none"} | sizes)), is_causal=is_causal
    )


def compare(first, second, **sizes):
    return compare_traces(trace(first, **sizes), trace(second, **sizes), first, second)


def equivariance(words, order, *, seed=0, **edited):
    given = own_sentence(words, seed=seed, positions="none", **SIZES)
    matrices = {name: given[name] for name in ("w_q", "w_k", "w_v", "w_o")}
    return measure_equivariance(
        given["embedding"], matrices | edited.pop("matrices", {}), order, seed=seed, **edited
    )


def timed(form, n, runs):
    return FormTiming(form, n, Timing(sorted(runs)[1], min(runs), max(runs), len(runs), tuple(runs)), 0.0)


@pytest.mark.parametrize("attend", [attend_by_loop, attend_by_matmul, attend_by_einsum])
def test_P5_loop_matmul_and_einsum_give_torchs_numbers(attend):
    q, k, v = randn(B, N, D_K), randn(B, M, D_K, seed=1), randn(B, M, D_V, seed=2)
    for allowed in (None, causal(N, M)):
        expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=allowed)
        torch.testing.assert_close(attend(q, k, v, allowed), expected, rtol=0, atol=1e-12)


def test_P5_a_state_of_the_rnn_needs_the_one_before_by_its_definition():
    x, w_x, w_h = randn(B, N, D_K), randn(D_K, D_K, seed=1), randn(D_K, D_K, seed=2)
    states = scan_rnn(x, w_x, w_h)
    torch.testing.assert_close(states[:, 0], (x[:, 0] @ w_x).tanh(), rtol=0, atol=1e-12)
    torch.testing.assert_close(states[:, 3], (x[:, 3] @ w_x + states[:, 2] @ w_h).tanh(), rtol=0, atol=1e-12)


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize(("n", "changed"), [(2, 0), (5, 3), (7, 1), (31, 30)])
def test_P5_a_changed_query_moves_its_row_of_attention_and_every_later_state_of_the_rnn(
    n, changed, is_causal
):
    q, k, v = randn(n, D_K), randn(n, D_K, seed=1), randn(n, D_V, seed=2)
    allowed = causal(n, n) if is_causal else None
    reach = measure_reach(q, k, v, changed, allowed=allowed)
    sees_one = is_causal and changed == 0
    assert (reach.attention > 0).nonzero().flatten().tolist() == ([] if sees_one else [changed])
    assert (reach.rnn > 0).nonzero().flatten().tolist() == list(range(changed, n))


def test_P5_with_one_key_even_the_changed_query_gets_the_same_answer():
    reach = measure_reach(randn(1, D_K), randn(1, D_K, seed=1), randn(1, D_V, seed=2))
    assert (reach.attention.tolist(), float(reach.rnn) > 0) == ([0.0], True)


@pytest.mark.parametrize("changed", [-1, 2])
def test_P5_a_query_that_is_none_is_refused(changed):
    with pytest.raises(ValueError, match=f"from 0 to 1, got {changed}"):
        measure_reach(randn(2, 3), randn(2, 3), randn(2, 3), changed)


@pytest.mark.parametrize("is_causal", [False, True])
def test_P5_the_forms_agree_on_any_numbers_masked_or_not(is_causal):
    q, k, v = randn(N, D_K), randn(M, D_K, seed=1), randn(M, D_V, seed=2)
    allowed = causal(N, M) if is_causal else None
    differences = differences_of_forms(q, k, v, allowed)
    assert set(differences) == {"loop", "einsum"}
    assert max(differences.values()) < 1e-12


def test_P5_all_four_are_timed_at_each_length_and_the_three_of_attention_agree():
    records = measure_independence((3, 5), d_k=7, repeats=3, batch=2)
    assert [(r.n, r.form) for r in records] == [
        (n, form) for n in (3, 5) for form in ("loop", "matmul", "einsum", "rnn")
    ]
    assert all(r.timing.repeats == 3 and r.timing.lowest_s > 0 for r in records)
    assert all(r.largest_difference < 1e-12 for r in records if r.form != "rnn")
    assert all(r.largest_difference is None for r in records if r.form == "rnn")


@pytest.mark.parametrize(
    ("mine", "others", "verdict"),
    [
        ([1.0, 1.1, 1.2, 1.1, 1.0], [2.0, 2.0, 2.0, 2.0, 2.0], "faster"),
        ([2.0, 2.2, 2.1, 2.0, 0.1], [1.0, 1.0, 1.0, 1.0, 1.0], "slower"),
        ([1.0, 1.4, 0.7, 1.2, 0.9], [1.0, 1.0, 1.0, 1.0, 1.0], "no difference"),
        ([0.8, 0.8, 0.8, 1.4, 1.4], [1.0, 1.0, 1.0, 1.0, 1.0], "no difference"),
        ([1.2, 1.2, 1.2, 0.6, 0.6], [1.0, 1.0, 1.0, 1.0, 1.0], "no difference"),
        ([1.03, 1.03, 1.03, 1.03, 1.03], [1.0, 1.0, 1.0, 1.0, 1.0], "no difference"),
        ([0.97, 0.97, 0.97, 0.97, 0.97], [1.0, 1.0, 1.0, 1.0, 1.0], "no difference"),
        # A slow moment that met both is no difference: runs are compared in pairs.
        ([1.0, 9.0, 1.0, 9.0, 1.0], [1.0, 9.0, 1.0, 9.0, 1.0], "no difference"),
    ],
)
def test_P5_the_verdict_follows_from_the_runs_and_may_be_no_difference(mine, others, verdict):
    comparison = compare_forms([timed("einsum", 5, mine), timed("matmul", 5, others)])[0]
    assert comparison.verdict == verdict
    assert comparison.lower_quartile <= comparison.ratio <= comparison.upper_quartile


def test_P5_a_length_at_which_one_form_is_missing_is_left_out():
    runs = [1.0, 1.0, 1.0]
    records = [timed("einsum", 3, runs), timed("matmul", 5, runs), timed("einsum", 5, runs)]
    assert [c.n for c in compare_forms(records)] == [5]


@pytest.mark.parametrize("broken", [{"ns": (3, 0)}, {"d_k": 0}, {"repeats": 1}, {"batch": 0}])
def test_P5_sizes_below_one_are_refused(broken):
    with pytest.raises(ValueError, match="must be at least 1 and repeats at least 2, got ns="):
        measure_independence(**{"ns": (3,), "repeats": 2, **broken})


@pytest.mark.parametrize("words", [WORDS, ("the", "cat", "saw", "the", "dog")])
def test_P6_only_without_positions_and_mask_does_shuffling_merely_shuffle(words):
    records = equivariance(words, (3, 0, 4, 2, 1), seed=3)
    settings = [(r.positions, r.is_causal) for r in records]
    assert settings == [(p, c) for p in ("none", "sinusoidal", "learned") for c in (False, True)]
    for record in records:
        is_bare = record.positions == "none" and not record.is_causal
        assert record.is_equivariant is is_bare
        assert (record.output_difference < 1e-12) is is_bare
        assert (record.weights_difference < 1e-12) is is_bare
        assert is_bare or record.output_difference > 1e-3


def test_P6_the_order_names_the_old_place_of_each_new_place():
    # A causal mask sees a cyclic shift: were rows and columns not shuffled alike, nothing would agree.
    record = equivariance(WORDS, (1, 2, 3, 4, 0))[0]
    assert record.is_equivariant


def test_P6_an_edited_number_of_x_moves_with_its_word():
    given = own_sentence(WORDS, seed=0, positions="sinusoidal", **SIZES)
    order, edits = [3, 0, 4, 2, 1], {(4, 1): 9.0, (0, 2): -7.0}
    x = arrange(given["embedding"], given["position"], order, edits)
    expected = given["embedding"][order] + given["position"]
    expected[2, 1], expected[1, 2] = 9.0, -7.0
    assert torch.equal(x, expected)
    bare, *others = equivariance(WORDS, order, edits=edits)
    assert bare.is_equivariant
    assert not any(record.is_equivariant for record in others)


def test_P6_the_table_follows_edited_matrices():
    order, plain = (3, 0, 4, 2, 1), equivariance(WORDS, (3, 0, 4, 2, 1))
    edited = equivariance(WORDS, order, matrices={"w_q": torch.zeros(13, 11, dtype=torch.float64)})
    assert [record.weights_difference for record in edited[::2]] == [0, 0, 0], "all scores are 0"
    assert plain[2].weights_difference > 1e-3


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 1, 2, 3, 3), (1, 2, 3, 4, 5), ()])
def test_P6_an_order_that_is_none_is_refused(order):
    with pytest.raises(ValueError, match="order must name each place from 0 to 4 once"):
        equivariance(WORDS, order)


@pytest.mark.parametrize("n", range(8))
def test_P6_a_shuffle_names_each_place_once_and_moves_something(n):
    for seed in range(20):
        order = shuffle(n, seed)
        assert sorted(order) == list(range(n))
        assert n < 2 or order != tuple(range(n))
    assert shuffle(n, 3) == shuffle(n, 3)


def test_P6_no_words_and_one_word_are_equivariant_in_every_setting():
    for words in ((), ("cat",)):
        records = equivariance(words, tuple(range(len(words))))
        assert all(record.is_equivariant for record in records)


def test_P7_two_sentences_share_the_matrices_and_have_weights_of_their_own():
    pair = compare(WORDS, ("a", "mouse", "ran", "from", "cat"), seed=3, **SIZES)
    assert pair.parameters_difference == 0
    assert torch.equal(pair.first.w_q, pair.second.w_q)
    assert pair.weights_difference > 0.01
    assert pair.weights_difference == float((pair.first.weights - pair.second.weights).abs().max())
    assert compare(WORDS, ("cat",), **SIZES).weights_difference is None


def test_P7_without_parameters_scores_are_symmetric_and_with_them_they_are_not():
    given = own_sentence(WORDS, seed=3, positions="none", **SIZES)
    pair = compare_with_simplified(given)
    assert pair.simplified_asymmetry < 1e-12
    assert pair.trainable_asymmetry > 0.1
    assert pair.weights_difference > 0.01
    assert torch.equal(pair.simplified.q, pair.trainable.x)
    assert pair.simplified.scale == pytest.approx(1 / math.sqrt(13))


def test_P7_the_comparison_without_parameters_follows_an_edit_of_x():
    given = own_sentence(WORDS, seed=3, positions="none", **SIZES)
    given["x"] = apply_edits(given["x"], {(1, 2): 9.0}).matrix
    pair = compare_with_simplified(given, is_causal=True)
    assert float(pair.simplified.k[1, 2]) == 9.0
    assert float(pair.simplified.weights[0, 1]) == 0


def test_P8_a_word_is_equal_bare_and_different_dressed_in_two_sentences():
    pair = compare(WORDS, ("a", "dog", "bit", "the", "cat"), seed=3, **SIZES)
    places = {(w.token, w.first_place, w.second_place) for w in pair.shared_words}
    assert places == {("the", 0, 3), ("cat", 1, 4), ("a", 3, 0), ("dog", 4, 1)}
    for word in pair.shared_words:
        assert word.bare_distance == 0
        assert word.input_distance == 0
        assert word.dressed_distance > 0.01


def test_P8_with_positions_only_a_word_at_the_same_place_enters_equal():
    pair = compare(WORDS, ("the", "dog", "saw"), seed=3, positions="sinusoidal", **SIZES)
    entered = {w.token: w.input_distance for w in pair.shared_words}
    assert entered["the"] == entered["saw"] == 0
    assert entered["dog"] > 0.1


def test_P8_repeated_words_are_paired_in_order():
    pair = compare(("a", "b", "a", "a"), ("a", "a", "c"), **SIZES)
    assert [(w.first_place, w.second_place) for w in pair.shared_words] == [(0, 0), (2, 1)]


def test_P8_the_clearest_word_enters_most_alike_and_of_those_leaves_most_unlike():
    one, other = (trace(words, is_causal=True, seed=3, **SIZES) for words in (WORDS, ("the", "dog", "saw")))
    words = compare_traces(one, other, WORDS, ("the", "dog", "saw")).shared_words
    assert {word.token for word in words if word.input_distance == 0} == {"the", "saw", "dog"}
    assert next(word.dressed_distance for word in words if word.token == "the") < ROUNDING
    clearest = clearest_word(words)
    assert clearest.dressed_distance == max(word.dressed_distance for word in words) > 0


def test_P8_the_same_sentence_twice_dresses_its_words_alike():
    pair = compare(WORDS, WORDS, **SIZES)
    assert all(word.dressed_distance == 0 for word in pair.shared_words)


def test_P8_the_distance_of_a_word_to_itself_opens_at_the_first_layer():
    other = ("a", "cat", "sat", "still")
    distances = distances_by_layer(
        trace(WORDS, seed=3, **SIZES), trace(other, seed=3, **SIZES), 1, 1, n_layers=3, seed=3
    )
    assert len(distances) == 4
    assert distances[0] == 0
    assert all(distance > 0.01 for distance in distances[1:])
    word = next(w for w in compare(WORDS, other, seed=3, **SIZES).shared_words if w.token == "cat")
    assert distances[1] == pytest.approx(word.dressed_distance, abs=1e-12)


def test_P8_each_layer_adds_what_its_own_matrices_make():
    sentences = (WORDS, ("a", "cat", "sat"))
    xs = [own_sentence(words, seed=3, positions="none", **SIZES)["x"] for words in sentences]
    expected = []
    for layer in range(3):
        expected.append(float((xs[0][2] - xs[1][1]).norm()))
        matrices = draw_matrices(seed=3, layer=layer, **SIZES)
        xs = [x + trace_single_head({"x": x, **matrices}).projected for x in xs]
    distances = distances_by_layer(
        *(trace(words, seed=3, **SIZES) for words in sentences), 2, 1, n_layers=2, seed=3
    )
    assert distances == pytest.approx(expected, abs=1e-12)
    assert len({float(draw_matrices(seed=3, layer=layer, **SIZES)["w_q"][0, 0]) for layer in range(3)}) == 3


def test_P8_under_a_causal_mask_a_word_after_the_same_beginning_stays_equal():
    other = ("the", "cat", "ran")
    distances = distances_by_layer(
        trace(WORDS, is_causal=True, **SIZES), trace(other, is_causal=True, **SIZES), 1, 1, n_layers=3
    )
    assert max(distances) < 1e-12


def test_P8_the_layers_begin_with_the_matrices_as_they_were_edited():
    first, second = (
        own_sentence(words, seed=3, positions="none", **SIZES) for words in (WORDS, ("a", "cat"))
    )
    edited = [{**given, "w_v": apply_edits(given["w_v"], {(0, 0): 9.0}).matrix} for given in (first, second)]
    one, other = (trace_single_head(given) for given in edited)
    distances = distances_by_layer(one, other, 1, 1, n_layers=1, seed=3)
    assert distances[1] == pytest.approx(float((one.projected[1] - other.projected[1]).norm()), abs=1e-12)


@pytest.mark.parametrize(
    ("places", "n_layers", "message"),
    [((5, 0), 1, "from 0 to 4, got 5"), ((0, -1), 1, "from 0 to 1, got -1"), ((0, 0), -1, "got -1")],
)
def test_P8_a_place_or_a_depth_that_is_none_is_refused(places, n_layers, message):
    with pytest.raises(ValueError, match=message):
        distances_by_layer(trace(WORDS, **SIZES), trace(("a", "cat"), **SIZES), *places, n_layers=n_layers)


def test_every_experiment_file_stands_in_the_table():
    files = {path.stem for path in Path(experiments.__file__).parent.glob("*.py")} - {"__init__"}
    assert {function.__module__.rsplit(".", 1)[1] for function in EXPERIMENTS.values()} == files
    assert {"P5", "P6", "P7", "P8"} <= set(EXPERIMENTS)
