"""Sizes: the rule that is broken, both values, the nearest legal choices against a search of all, the row that breaks."""

from dataclasses import replace

import pytest
import torch

from attention_core.ledger import list_steps
from attention_core.sizes import MAX_BATCH, MAX_HEADS, MAX_N, MAX_WIDTH, Sizes, find_faults


def choices_of(fault) -> dict[str, list[int]]:
    found = {}
    for choice in fault.choices:
        found.setdefault(choice.name, []).append(choice.value)
    return found


def only_fault(sizes: Sizes):
    (fault,) = find_faults(sizes)
    return fault


@pytest.mark.parametrize(
    "sizes",
    [
        Sizes(2, 5, 12, 3),
        Sizes(1, 1, 1, 1, 1),
        Sizes(1, 8192, 4096, 32, 8),
        Sizes(2, 5, 12, 12, 1),
        Sizes(MAX_BATCH, MAX_N, MAX_WIDTH, MAX_HEADS, MAX_HEADS),
    ],
)
def test_H2_legal_sizes_have_no_fault(sizes):
    assert find_faults(sizes) == ()


def test_H2_heads_that_do_not_divide_the_width():
    fault = only_fault(Sizes(2, 5, 12, 5))
    assert (fault.rule, fault.names, fault.values) == ("heads_divide_width", ("d_model", "n_heads"), (12, 5))
    assert choices_of(fault) == {"d_model": [10, 15], "n_heads": [4, 6]}
    assert all(choice.is_enough for choice in fault.choices)
    assert fault.bound is None


def test_H2_key_heads_that_do_not_divide_the_heads():
    fault = only_fault(Sizes(2, 5, 24, 6, 4))
    assert (fault.rule, fault.values) == ("kv_heads_divide_heads", (6, 4))
    assert choices_of(fault) == {"n_heads": [4, 8], "n_kv_heads": [3, 6]}


@pytest.mark.parametrize("d_model", [1, 12, 30])
def test_H2_nearest_heads_are_those_that_a_search_finds(d_model):
    divisors = [h for h in range(1, d_model + 1) if d_model % h == 0]
    for n_heads in range(2, 34, 5):
        faults = find_faults(Sizes(2, 5, d_model, n_heads))
        if n_heads in divisors:
            assert not faults
            continue
        below = [h for h in divisors if h < n_heads][-1:]
        above = [h for h in divisors if h > n_heads][:1]
        assert choices_of(faults[0])["n_heads"] == below + above
        lower = d_model // n_heads * n_heads
        assert choices_of(faults[0])["d_model"] == [width for width in (lower, lower + n_heads) if width]


def test_H2_a_choice_that_breaks_nothing_else_comes_before_a_nearer_one():
    # 6 divides 12 and is nearer to 8, but 4 key heads do not divide it.
    fault = only_fault(Sizes(2, 5, 12, 8, 4))
    assert [(c.value, c.is_enough) for c in fault.choices if c.name == "n_heads"] == [(4, True), (12, True)]


def test_H2_a_choice_that_leaves_another_fault_says_so():
    fault = only_fault(Sizes(2, 5, 12, 8, 8))
    enough = {(choice.name, choice.value): choice.is_enough for choice in fault.choices}
    assert enough == {
        ("d_model", 8): True,
        ("d_model", 16): True,
        ("n_heads", 6): False,
        ("n_heads", 12): False,
    }


@pytest.mark.parametrize(
    ("sizes", "rule", "name", "value", "bound", "choice"),
    [
        (Sizes(2, 5, 12, 0), "at_least_one", "n_heads", 0, 1, 1),
        (Sizes(2, 5, 12, -7), "at_least_one", "n_heads", -7, 1, 1),
        (Sizes(2, 5, 0, 8), "at_least_one", "d_model", 0, 1, 8),
        (Sizes(2, 5, 12, 3, 0), "at_least_one", "n_kv_heads", 0, 1, 1),
        (Sizes(0, 5, 12, 3), "at_least_one", "batch", 0, 1, 1),
        (Sizes(2, -(10**30), 12, 3), "at_least_one", "n", -(10**30), 1, 1),
        (Sizes(2, 5, 768, 10**9), "at_most", "n_heads", 10**9, MAX_HEADS, 768),
        (Sizes(2, 5, 10**30, 7), "at_most", "d_model", 10**30, MAX_WIDTH, 65534),
        (Sizes(2, 5, 12, 6, 10**9), "at_most", "n_kv_heads", 10**9, MAX_HEADS, 6),
        (Sizes(10**9, 5, 12, 3), "at_most", "batch", 10**9, MAX_BATCH, MAX_BATCH),
        (Sizes(2, MAX_N + 1, 12, 3), "at_most", "n", MAX_N + 1, MAX_N, MAX_N),
    ],
)
def test_H2_zero_negative_and_huge_values(sizes, rule, name, value, bound, choice):
    fault = only_fault(sizes)
    assert (fault.rule, fault.names, fault.values, fault.bound) == (rule, (name,), (value,), bound)
    assert choices_of(fault) == {name: [choice]}
    assert find_faults(replace(sizes, **{name: choice})) == ()


@pytest.mark.parametrize("value", [0, 2**40])
@pytest.mark.parametrize(
    ("name", "row"),
    [("batch", "x"), ("n", "x"), ("d_model", "x"), ("n_heads", "q_cut"), ("n_kv_heads", "k_cut")],
)
def test_H2_a_size_out_of_bounds_names_the_first_row_that_needs_it(name, value, row):
    (fault,) = find_faults(replace(Sizes(2, 5, 768, 12, 6), **{name: value}))
    assert (fault.names, fault.row) == ((name,), row)


@pytest.mark.parametrize(
    "sizes", [Sizes(2, 5, 768, 10**9, 7), Sizes(2, 5, 768, 7, 10**9), Sizes(2, 5, 0, 5, 2)]
)
def test_H2_a_divisor_is_judged_only_between_numbers_within_their_bounds(sizes):
    rules = [fault.rule for fault in find_faults(sizes)]
    assert ("heads_divide_width" in rules, "kv_heads_divide_heads" in rules) == {
        10**9: (False, False),
        7: (True, False),
        5: (False, True),
    }[sizes.n_heads]


def test_H2_heads_are_cut_before_key_heads():
    faults = find_faults(Sizes(2, 5, 12, 5, 0))
    assert [(fault.rule, fault.row) for fault in faults] == [
        ("heads_divide_width", "q_cut"),
        ("at_least_one", "k_cut"),
    ]


def test_H2_several_faults_come_in_the_order_of_the_ledger():
    faults = find_faults(Sizes(0, 5, 12, 5, 2))
    assert [fault.row for fault in faults] == ["x", "q_cut", "k_repeated"]
    assert [fault.rule for fault in faults] == ["at_least_one", "heads_divide_width", "kv_heads_divide_heads"]
    assert choices_of(faults[0]) == {"batch": [1]}
    assert choices_of(faults[1]) == {"d_model": [10, 15], "n_heads": [4, 6]}
    assert choices_of(faults[2]) == {"n_heads": [4, 6], "n_kv_heads": [1, 5]}
    assert not any(choice.is_enough for fault in faults for choice in fault.choices)


def test_H2_every_choice_keeps_its_rule_and_is_a_legal_size():
    for sizes in (Sizes(2, 5, 30, 12, 8), Sizes(2, 5, 24, 10, 4), Sizes(1, 1, 0, 0, 0), Sizes(2, 5, 7, 9)):
        for fault in find_faults(sizes):
            assert fault.choices
            for choice in fault.choices:
                left = find_faults(replace(sizes, **{choice.name: choice.value}))
                assert (fault.rule, fault.names) not in {(other.rule, other.names) for other in left}
                assert choice.is_enough == (not left)


@pytest.mark.parametrize(
    "sizes",
    [Sizes(2, 5, 12, 5), Sizes(2, 5, 7, 2), Sizes(2, 5, 24, 6, 4), Sizes(2, 5, 24, 3, 6), Sizes(2, 5, 9, 0)],
)
def test_H2_ledger_breaks_at_the_row_that_is_named(sizes):
    """Run the lines: the first that fails, or gives another shape than its symbols say, is the row."""
    h, h_kv = sizes.n_heads, sizes.kv_heads
    d_k = sizes.d_model // h if h else 0
    size_of = {"B": 2, "N": 5, "d_model": sizes.d_model, "h": h, "h_kv": h_kv, "d_k": d_k}
    width, kv_width = sizes.d_model, d_k * h_kv if h_kv != h else sizes.d_model
    size_of |= {"h·d_k": width, "h_kv·d_k": kv_width}
    known = {"torch": torch, "dtype": torch.float32} | size_of
    known |= {"w_q": torch.ones(width, width), "w_o": torch.ones(width, width)}
    known |= {name: torch.ones(width, kv_width) for name in ("w_k", "w_v")}
    for step in list_steps(sizes):
        try:
            exec(step.line, known)
        except (RuntimeError, ZeroDivisionError):
            break
        if tuple(known[step.name].shape) != tuple(size_of[axis] for axis in step.axes):
            break
    assert step.name == find_faults(sizes)[0].row


@pytest.mark.parametrize("wrong", [{"n": 5.0}, {"n_heads": True}, {"batch": "2"}, {"d_model": None}])
def test_what_is_no_whole_number_is_refused(wrong, unchecked):
    name, value = next(iter(wrong.items()))
    with pytest.raises(ValueError, match=f"{name} must be a whole number, got {value!r}"):
        Sizes(**{"batch": 2, "n": 5, "d_model": 12, "n_heads": 3} | wrong)


def test_an_unknown_dtype_is_refused(unchecked):
    with pytest.raises(ValueError, match=r"dtype must be .*got 'int8'"):
        Sizes(2, 5, 12, 3, dtype="int8")
