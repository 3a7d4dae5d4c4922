"""The worked examples give the numbers recomputed by hand, and each printed number is judged fairly."""

import pytest
import torch

from attention_core.examples import EXAMPLES, check_textbook, follow_printed, matrices
from attention_core.single_head import trace_single_head


def traced(slug, is_causal=False):
    return trace_single_head(matrices(EXAMPLES[slug]), is_causal=is_causal)


def assert_prints(matrix, expected, decimals):
    expected = torch.tensor(expected, dtype=torch.float64)
    torch.testing.assert_close(matrix, expected, rtol=0, atol=0.5 * 10**-decimals + 1e-9)


def verdicts(slug):
    found = {}
    for check in check_textbook(EXAMPLES[slug]):
        key = check.printed.name, check.printed.row, check.printed.is_causal
        found.setdefault(key, []).append(check.verdict)
    return found


def test_E1_three_words_of_width_two():
    trace = traced("e1")
    assert trace.scores[0].tolist() == [1, 0, 1]
    assert_prints(trace.scaled[0], [0.707, 0, 0.707], 3)
    assert_prints(trace.weights, [[0.401, 0.198, 0.401], [0.198, 0.401, 0.401], [0.248, 0.248, 0.503]], 3)
    assert_prints(trace.out, [[0.602, 0.398], [0.398, 0.602], [0.5, 0.5]], 3)


def test_E1_with_a_causal_mask():
    trace = traced("e1", is_causal=True)
    assert_prints(trace.weights[:2], [[1, 0, 0], [0.330, 0.670, 0]], 3)
    assert trace.weights[0].tolist() == [1, 0, 0]
    assert_prints(trace.out[1], [0.330, 0.670], 3)


def test_E2_a_cat_chases_a_mouse():
    trace = traced("e2")
    assert_prints(trace.q, [[0.14, 0.69], [0.71, -0.22], [0.26, -0.26]], 9)
    assert_prints(trace.k, [[-0.45, 0.85], [0.09, -0.48], [0.76, -0.21]], 9)
    assert_prints(trace.v, [[0.99, -0.28], [-0.20, -0.47], [-0.43, 0.57]], 9)
    assert_prints(trace.scores[0], [0.5235, -0.3186, -0.0385], 4)
    assert_prints(trace.weights[0], [0.4498, 0.2480, 0.3023], 4)
    assert_prints(trace.out[0], [0.2657, -0.0702], 4)


def test_E3_a_softmax_and_its_mix():
    trace = traced("e3")
    assert_prints(trace.weights, [[0.786, 0.039, 0.175]], 3)
    assert_prints(trace.out, [[0.055, 0.223]], 3)


def test_E1_is_printed_right_but_for_a_digit_bent_to_make_a_row_add_up_to_1():
    wrong = [check for check in check_textbook(EXAMPLES["e1"]) if check.verdict != "right"]
    assert [(c.printed.name, c.printed.row, c.printed.column, c.printed.value) for c in wrong] == [
        ("weights", 2, 2, 0.504)
    ]
    assert wrong[0].verdict == "last_digit"
    assert not wrong[0].is_right
    assert wrong[0].computed == pytest.approx(0.503490, abs=1e-6)


def test_E2_slips_in_q_k_v_and_carries_them_to_the_end():
    assert verdicts("e2") == {
        ("q", 0, False): ["right"] * 2,
        ("q", 1, False): ["slip"] * 2,
        ("q", 2, False): ["slip"] * 2,
        **{(name, row, False): ["slip"] * 2 for name in "kv" for row in range(3)},
        ("scores", 0, False): ["carried"] * 3,
        ("scaled", 0, False): ["carried"] * 3,
        ("weights", 0, False): ["carried"] * 3,
        ("out", 0, False): ["carried"] * 2,
    }


def test_E2_from_the_printed_q_k_v_gives_the_printed_rest():
    followed = follow_printed(EXAMPLES["e2"])
    q = torch.tensor([0.14, 0.69], dtype=torch.float64)
    k = torch.tensor([[-0.24, 0.33], [0.12, -0.45], [0.29, 0.67]], dtype=torch.float64)
    v = torch.tensor([[0.21, 0.02], [0.16, 0.31], [-0.25, 0.38]], dtype=torch.float64)
    torch.testing.assert_close(followed["scores"][0], k @ q, rtol=0, atol=1e-12)
    weights = (k @ q / 2**0.5).softmax(-1)
    torch.testing.assert_close(followed["weights"][0], weights, rtol=0, atol=1e-12)
    torch.testing.assert_close(followed["out"][0], weights @ v, rtol=0, atol=1e-12)
    assert_prints(followed["out"][0], [0.004, 0.241], 3)


def test_E3_slips_in_the_softmax_and_carries_it_to_the_output():
    assert verdicts("e3") == {
        ("weights", 0, False): ["slip", "right", "slip"],
        ("out", 0, False): ["carried", "carried"],
    }
    assert_prints(follow_printed(EXAMPLES["e3"])["out"][0], [0.03, 0.24], 2)


def test_the_computed_and_the_followed_value_stand_beside_each_printed_one():
    check = next(c for c in check_textbook(EXAMPLES["e2"]) if c.printed.name == "out")
    assert check.printed.value == 0.004
    assert check.computed == pytest.approx(0.2657, abs=5e-5)
    assert check.from_printed == pytest.approx(0.0042, abs=5e-5)


@pytest.mark.parametrize("slug", EXAMPLES)
def test_the_labels_and_printed_cells_of_an_example_fit_its_matrices(slug):
    example = EXAMPLES[slug]
    assert example.slug == slug
    for is_causal in (False, True):
        trace = traced(slug, is_causal)
        assert trace.weights.shape == (len(example.query_ids), len(example.key_ids))
        for number in example.printed:
            matrix = getattr(trace, number.name)
            assert number.row < matrix.shape[0]
            assert number.column < matrix.shape[1]
            assert round(number.value, number.decimals) == number.value


def test_every_printed_number_of_the_notes_is_there():
    assert {slug: len(example.printed) for slug, example in EXAMPLES.items()} == {"e1": 29, "e2": 29, "e3": 5}


def test_examples_are_data_that_cannot_be_changed_by_a_visit():
    given = matrices(EXAMPLES["e1"])
    given["q"].zero_()
    assert float(matrices(EXAMPLES["e1"])["q"].sum()) == 4.0
    assert hash(EXAMPLES["e1"]) == hash(EXAMPLES["e1"])
