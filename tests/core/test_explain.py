"""Every cell of every stage adds up from the terms that explain it, down to the inputs."""

import math

import pytest
import torch

from attention_core.explain import (
    Cell,
    Dot,
    Given,
    Masking,
    Scaling,
    Softmax,
    Sum,
    explain,
)
from attention_core.single_head import apply_edits, own_sentence, trace_single_head

TOKENS = ("the", "cat", "saw", "the", "dog")
STAGES = ("x", "q", "k", "v", "scores", "scaled", "masked", "weights", "out", "projected")
INPUTS = ("embedding", "position", "w_q", "w_k", "w_v", "w_o")
KINDS = {"x": Sum, "scaled": Scaling, "masked": Masking, "weights": Softmax}


def traced(is_causal=True):
    given = own_sentence(TOKENS, seed=3, d_model=13, d_k=11, d_v=7, positions="sinusoidal")
    return trace_single_head(given, is_causal=is_causal)


def cells(trace, name):
    rows, columns = getattr(trace, name).shape
    return [(row, column) for row in range(rows) for column in range(columns)]


def added_up(explanation):
    """Make the cell's value from the terms alone."""
    match explanation:
        case Given(cell):
            return cell.value
        case Sum(_, terms):
            return math.fsum(term.value for term in terms)
        case Dot(_, products, total):
            value = math.fsum(product.left.value * product.right.value for product in products)
            assert total == pytest.approx(value, abs=1e-13)
            assert value == pytest.approx(math.fsum(p.value for p in products), abs=1e-13)
            return value
        case Scaling(_, source, scale):
            return source.value * scale
        case Masking(_, source, is_allowed):
            return source.value if is_allowed else -math.inf
        case Softmax(cell, row_maximum, exponentials, total):
            assert row_maximum == max(e.source.value for e in exponentials)
            assert total == pytest.approx(math.fsum(e.value for e in exponentials), abs=1e-13)
            if explanation.sees_nothing:
                return 0.0
            for e in exponentials:
                assert e.value == pytest.approx(math.exp(e.source.value - row_maximum), abs=1e-15)
            return exponentials[cell.column].value / total
    raise AssertionError(explanation)


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("name", STAGES)
def test_the_terms_of_every_cell_add_up_to_its_value(name, is_causal):
    trace = traced(is_causal)
    for row, column in cells(trace, name):
        explanation = explain(trace, name, row, column)
        value = float(getattr(trace, name)[row, column])
        assert isinstance(explanation, KINDS.get(name, Dot))
        assert explanation.cell == Cell(name, row, column, value)
        assert added_up(explanation) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("name", STAGES)
def test_every_term_is_the_cell_it_points_at(name):
    trace = traced()
    for row, column in cells(trace, name):
        for source in explain(trace, name, row, column).sources:
            assert float(getattr(trace, source.name)[source.row, source.column]) == source.value


def test_an_output_can_be_followed_down_to_the_inputs():
    trace = traced()
    reached, open_cells = set(), [Cell("projected", 4, 2, float(trace.projected[4, 2]))]
    while open_cells:
        cell = open_cells.pop()
        if cell not in reached:
            reached.add(cell)
            open_cells += explain(trace, cell.name, cell.row, cell.column).sources
    assert {cell.name for cell in reached} == {*STAGES, *INPUTS}
    ends = {c.name for c in reached if not explain(trace, c.name, c.row, c.column).sources}
    assert ends == set(INPUTS)
    # The last query sees every word, so every number of the embedding takes part.
    assert sum(cell.name == "embedding" for cell in reached) == 5 * 13


def test_a_score_pairs_the_rows_of_query_and_key_not_a_column():
    products = explain(traced(), "scores", 1, 4).products
    assert [(p.left.name, p.left.row, p.left.column) for p in products] == [("q", 1, j) for j in range(11)]
    assert [(p.right.name, p.right.row, p.right.column) for p in products] == [("k", 4, j) for j in range(11)]


def test_a_hidden_pair_says_so_and_has_an_exponential_of_exactly_zero():
    trace = traced()
    masking = explain(trace, "masked", 1, 2)
    assert (masking.is_allowed, masking.cell.value) == (False, -math.inf)
    assert math.isfinite(masking.source.value)
    assert explain(trace, "masked", 2, 1).is_allowed
    softmax = explain(trace, "weights", 1, 0)
    assert [e.value == 0 for e in softmax.exponentials] == [False, False, True, True, True]
    assert not softmax.sees_nothing


def test_a_query_that_sees_nothing_has_total_zero_and_weight_zero():
    q = torch.ones(3, 2, dtype=torch.float64)
    trace = trace_single_head({"q": q, "k": q[:2], "v": q[:2]}, is_causal=True)
    softmax = explain(trace, "weights", 0, 1)
    assert softmax.sees_nothing
    assert (softmax.total, softmax.row_maximum, softmax.cell.value) == (0.0, -math.inf, 0.0)
    assert explain(trace, "out", 0, 0).total == 0.0


def test_an_edited_input_cell_is_given_and_its_neighbours_are_still_sums():
    given = own_sentence(TOKENS, seed=3, d_model=13, d_k=11, d_v=7, positions="sinusoidal")
    given["x"] = apply_edits(given["x"], {(1, 2): 9.0}).matrix
    trace = trace_single_head(given)
    assert explain(trace, "x", 1, 2) == Given(Cell("x", 1, 2, 9.0))
    assert isinstance(explain(trace, "x", 1, 3), Sum)


def test_a_float32_sum_is_not_taken_for_an_edit():
    given = own_sentence(TOKENS, seed=3, d_model=13, d_k=11, d_v=7, positions="sinusoidal")
    given = {name: matrix.float() for name, matrix in given.items() if name != "x"}
    trace = trace_single_head(given)
    assert all(isinstance(explain(trace, "x", *at), Sum) for at in cells(trace, "x"))


def test_what_a_pass_starts_from_is_given():
    matrix = torch.ones(2, 2, dtype=torch.float64)
    from_qkv = trace_single_head({"q": matrix, "k": matrix, "v": matrix})
    assert all(isinstance(explain(from_qkv, name, 1, 1), Given) for name in "qkv")
    from_scaled = trace_single_head({"scaled": matrix, "v": matrix})
    assert isinstance(explain(from_scaled, "scaled", 1, 1), Given)
    from_x = trace_single_head({"x": matrix, "w_q": matrix, "w_k": matrix, "w_v": matrix})
    assert isinstance(explain(from_x, "x", 1, 1), Given)


@pytest.mark.parametrize("name", ["attn", "allowed", "scale", "__class__", "scores", "x"])
def test_a_matrix_the_trace_does_not_hold_is_refused_by_name(name):
    matrix = torch.ones(2, 2, dtype=torch.float64)
    trace = trace_single_head({"scaled": matrix, "v": matrix}, is_causal=True)
    with pytest.raises(ValueError, match=f"name must be a matrix that the trace holds.*got '{name}'"):
        explain(trace, name, 0, 0)


@pytest.mark.parametrize("at", [(5, 0), (0, 5), (-1, 0), (0, -1)])
def test_a_cell_outside_the_matrix_is_refused_with_both_values(at):
    with pytest.raises(ValueError, match=f"5 rows and 5 columns, got row {at[0]}, column {at[1]}"):
        explain(traced(), "weights", *at)
