"""Claim H8: the four steps of one growth by loops and by their own programs, and what each step solves."""

import itertools
import math
from dataclasses import replace
from functools import cache

import pytest
import torch

from attention_core import reference
from attention_core.experiments import growth
from attention_core.experiments.growth import (
    PROGRAMS,
    STEPS,
    added_lines,
    attend_by,
    grow,
    moved_by_next,
    trace_step,
)
from attention_core.single_head import own_sentence

NAMES = ("x", "w_q", "w_k", "w_v", "w_o")
SENTENCES = ("小猫没有跳上桌子", ("the", "cat", "that", "the", "dog", "saw", "ran"), "ab")


def given_for(tokens, d_model=12, seed=0):
    widths = {"d_model": d_model, "d_k": d_model, "d_v": d_model}
    drawn = own_sentence(tuple(tokens), seed=seed, positions="sinusoidal", **widths)
    return {name: drawn[name] for name in NAMES}


@cache
def grown(tokens=SENTENCES[0], n_heads=3, **options):
    return grow(**given_for(tokens, **options), n_heads=n_heads)


def close(actual, expected):
    expected = torch.as_tensor(expected, dtype=torch.float64)
    torch.testing.assert_close(actual, expected, rtol=1e-11, atol=1e-12)
    return True


# The numbers


@pytest.mark.parametrize("tokens", SENTENCES)
@pytest.mark.parametrize("place", range(4), ids=STEPS)
def test_H8_each_program_gives_the_numbers_of_its_step(tokens, place):
    given = given_for(tokens)
    step = grown(tokens)[place]
    made = {"torch": torch, "h": 3} | given
    exec(step.program, made)
    assert close(made["scores"].reshape(step.attended.scores.shape), step.attended.scores)
    assert close(made["weights"].reshape(step.attended.weights.shape), step.attended.weights)
    assert close(made["out"], step.attended.out)
    assert ("projected" in made) == (step.attended.projected is not None) == (step.name == "multi_head")
    if step.attended.projected is not None:
        assert close(made["projected"], step.attended.projected)


def test_H8_each_step_agrees_with_the_loops():
    given = given_for(SENTENCES[0])
    plain, trainable, causal, multi_head = (step.attended for step in grow(**given, n_heads=3))
    x, w_q, w_k, w_v, w_o = (given[name].tolist() for name in NAMES)
    qkv = [reference.product(x, w) for w in (w_q, w_k, w_v)]
    allowed = reference.causal(8, 8, 0)
    for attended, loops in (
        (plain, reference.attention(x, x, x)),
        (trainable, reference.attention(*qkv)),
        (causal, reference.attention(*qkv, allowed=allowed)),
    ):
        assert close(attended.scores[0], loops.scores)
        assert close(attended.weights[0], loops.weights)
        assert close(attended.out, loops.out)
    sizes = {"n_heads": 3, "n_kv_heads": 3, "allowed": allowed}
    assert close(multi_head.projected, reference.multi_head(x, x, w_q, w_k, w_v, w_o, **sizes))
    identity = torch.eye(12).tolist()
    assert close(multi_head.out, reference.multi_head(x, x, w_q, w_k, w_v, identity, **sizes))


def test_H8_plain_by_hand():
    one = torch.eye(2, dtype=torch.float64)
    step, *_ = grow(one, one, one, one, one, n_heads=1)
    assert step.attended.scores.tolist() == [[[1, 0], [0, 1]]]
    # softmax(1/√2, 0)
    weights = [[0.6697615493, 0.3302384507], [0.3302384507, 0.6697615493]]
    torch.testing.assert_close(
        step.attended.weights[0], torch.tensor(weights, dtype=torch.float64), rtol=0, atol=1e-10
    )
    assert (step.attended.scale, step.attended.n_parameters) == (2**-0.5, 0)


def test_H8_changes_are_those_between_neighbours():
    given = given_for(SENTENCES[0])
    steps = grow(**given, n_heads=3)
    assert [step.name for step in steps] == list(STEPS)
    plain = steps[0].attended.weights[0]
    assert steps[0].largest_weight_change == float((plain - torch.eye(8)).abs().max()) > 0.01
    assert steps[0].largest_out_change == float((steps[0].attended.out - given["x"]).abs().max())
    for before, after in itertools.pairwise(steps):
        weights = after.attended.weights - before.attended.weights
        assert after.largest_weight_change == float(weights.abs().max()) > 0.01
        assert (
            after.largest_out_change == float((after.attended.out - before.attended.out).abs().max()) > 0.01
        )
    assert [step.attended.weights.shape[0] for step in steps] == [1, 1, 1, 3]


def test_H8_scale_and_parameters_of_each_step():
    attended = [step.attended for step in grown()]
    assert [one.scale for one in attended] == pytest.approx([12**-0.5] * 3 + [0.5])
    assert [one.n_parameters for one in attended] == [0, 3 * 144, 3 * 144, 4 * 144]
    assert [step.meters.n_parameters for step in grown()] == [one.n_parameters for one in attended]


def test_H8_entropy_and_weight_on_itself_are_those_of_the_rows():
    for step in grown():
        rows = [row for head in step.attended.weights.tolist() for row in head]
        entropies = [-sum(a * math.log(a) for a in row if a) for row in rows]
        own = [row[place % 8] for place, row in enumerate(rows)]
        assert step.meters.entropy == pytest.approx(sum(entropies) / len(rows), abs=1e-12)
        assert step.meters.self_weight == pytest.approx(sum(own) / len(rows), abs=1e-12)
        is_largest = [row[place % 8] == max(row) for place, row in enumerate(rows)]
        assert step.meters.on_itself == pytest.approx(sum(is_largest) / (len(rows) / 8))
    # softmax(1/√2, 0) by hand, in each row
    one = torch.eye(2, dtype=torch.float64)
    plain = grow(one, one, one, one, one, n_heads=1)[0].meters
    assert plain.self_weight == pytest.approx(0.6697615493, abs=1e-10)
    assert plain.entropy == pytest.approx(0.6343473744, abs=1e-10)


# What each step solves


def test_H8_a_word_at_the_end_moves_the_others_until_the_mask():
    given = given_for((*SENTENCES[0], "了"))
    x = given["x"]
    matrices = {name: given[name] for name in NAMES[1:]}
    moved = moved_by_next(x, **matrices, n_heads=3)
    short = grow(given_for(SENTENCES[0])["x"], **matrices, n_heads=3)
    long = grow(x, **matrices, n_heads=3)
    for before, after in zip(short, long, strict=True):
        apart = float((after.attended.out[:8] - before.attended.out).abs().max())
        assert moved[before.name] == pytest.approx(apart, abs=1e-15)
    assert min(moved["plain"], moved["trainable"]) > 0.01
    assert max(moved["causal"], moved["multi_head"]) < 1e-14
    with pytest.raises(ValueError, match="got 1 in all"):
        moved_by_next(x[:1], **matrices, n_heads=3)


@pytest.mark.parametrize("tokens", SENTENCES)
@pytest.mark.parametrize("seed", [0, 1])
def test_H8_each_step_solves_its_problem(tokens, seed):
    steps = grown(tokens, seed=seed)
    plain, trainable, causal, multi_head = (step.meters for step in steps)
    assert [step.solved.problem for step in steps] == [
        "no_context",
        "fixed_likeness",
        "sees_future",
        "one_relation",
    ]
    assert all(step.solved.is_solved for step in steps)
    assert plain.moved_by_others > 0.01
    assert plain.asymmetry < 1e-12 < 0.1 < trainable.asymmetry
    assert plain.moved_by_later > 0
    assert trainable.moved_by_later > 1e-6
    assert causal.future_weight == causal.moved_by_later == 0
    assert multi_head.future_weight == multi_head.moved_by_later == 0
    assert causal.moved_by_others > 0.01
    assert (plain.n_maps, trainable.n_maps, causal.n_maps, multi_head.n_maps) == (1, 1, 1, 3)


def test_H8_words_are_most_like_themselves_until_matrices_are_learnt():
    plain, trainable, *_ = (step.meters for step in grown())
    assert plain.on_itself >= 7
    assert trainable.on_itself <= 4


def test_H8_the_numbers_of_a_problem_are_the_meters_around_the_step():
    steps = grown()
    meters = ("moved_by_others", "asymmetry", "moved_by_later", "n_maps")
    for place, (step, meter) in enumerate(zip(steps, meters, strict=True)):
        before = getattr(steps[place - 1].meters, meter) if place else 0.0
        assert (step.solved.before, step.solved.after) == (before, getattr(step.meters, meter))


def test_H8_moves_are_found_by_changing_one_word():
    given = given_for(SENTENCES[0])
    meters = grow(**given, n_heads=3)[1].meters
    attend = attend_by("trainable", **{name: given[name] for name in NAMES[1:]}, n_heads=3)
    out, later, others = attend(given["x"]).out, 0.0, 0.0
    for m in range(8):
        x = given["x"].clone()
        x[m] += growth.CHANGE
        moved = (attend(x).out - out).abs().amax(dim=-1).tolist()
        later = max([later, *moved[:m]])
        others = max([others, *moved[:m], *moved[m + 1 :]])
    assert (meters.moved_by_later, meters.moved_by_others) == (later, others)


def test_H8_one_head_is_the_step_before_and_solves_nothing():
    *_, causal, multi_head = grown(n_heads=1)
    assert multi_head.largest_weight_change < 1e-14
    assert multi_head.largest_out_change < 1e-13
    assert not multi_head.solved.is_solved
    assert multi_head.meters.n_maps == causal.meters.n_maps == 1


def test_H8_heads_with_equal_matrices_are_one_map():
    given = given_for(SENTENCES[0])
    for name in ("w_q", "w_k"):
        given[name] = given[name][:, :4].repeat(1, 3)
    last = grow(**given, n_heads=3)[-1]
    assert last.meters.n_maps == 1
    assert not last.solved.is_solved


def test_H8_heads_of_which_two_are_one_map_have_not_all_their_own():
    given = given_for(SENTENCES[0])
    for name in ("w_q", "w_k"):
        given[name][:, 4:8] = given[name][:, :4]
    last = grow(**given, n_heads=3)[-1]
    assert last.meters.n_maps == 2
    assert not last.solved.is_solved


@pytest.mark.parametrize(
    ("name", "meter", "before", "after", "is_solved"),
    [
        ("plain", "moved_by_others", 0.0, 1e-12, False),
        ("plain", "moved_by_others", 0.0, 0.1, True),
        ("trainable", "asymmetry", 1e-12, 0.1, True),
        ("trainable", "asymmetry", 1e-13, 1e-12, False),
        ("trainable", "asymmetry", 0.1, 0.2, False),
        ("causal", "moved_by_later", 0.1, 0.0, True),
        ("causal", "moved_by_later", 0.1, 1e-12, False),
        ("causal", "moved_by_later", 1e-12, 0.0, False),
    ],
)
def test_H8_rounding_is_no_problem_and_solves_none(name, meter, before, after, is_solved):
    bare = growth._bare_meters(3)
    was, now = (replace(bare, **{meter: value}) for value in (before, after))
    solved = growth._judge(name, was, replace(now, n_parameters=1), 3)
    assert (solved.before, solved.after, solved.is_solved) == (before, after, is_solved)


def test_H8_maps_that_differ_by_rounding_are_one():
    given = given_for(SENTENCES[0])
    for name in ("w_q", "w_k"):
        given[name] = given[name][:, :4].repeat(1, 3)
    for apart, n_maps in ((1e-13, 1), (1e-4, 3)):
        given["w_q"][:, 4:8] *= 1 + apart
        given["w_q"][:, 8:] *= 1 - apart
        *_, last = grow(**given, n_heads=3)
        assert 0 < float((last.attended.weights[0] - last.attended.weights[2]).abs().max()) < 1e-2
        assert last.meters.n_maps == n_maps


def test_H8_the_widest_sentence_grows():
    *_, last = grow(**given_for("ab", d_model=64), n_heads=64)
    assert (last.attended.weights.shape, last.attended.scale, last.meters.n_maps) == ((64, 2, 2), 1.0, 64)


def test_H8_symmetric_matrices_leave_likeness_as_it_was():
    given = given_for(SENTENCES[0])
    given["w_k"] = given["w_q"]
    _, trainable, *_ = grow(**given, n_heads=3)
    assert trainable.meters.asymmetry < 1e-12
    assert not trainable.solved.is_solved


def test_H8_a_mask_that_is_forgotten_is_not_called_solved(monkeypatch):
    real = growth.trace_from_inputs
    monkeypatch.setattr(growth, "trace_from_inputs", lambda *w, x, is_causal: real(*w, x=x))
    _, _, causal, _ = grow(**given_for(SENTENCES[0]), n_heads=3)
    assert causal.meters.future_weight > 0.01
    assert causal.meters.moved_by_later > 0.01
    assert not causal.solved.is_solved


def test_H8_one_word_has_none_of_the_problems():
    steps = grown("猫")
    assert not any(step.solved.is_solved for step in steps)
    assert [step.meters.moved_by_others for step in steps] == [0, 0, 0, 0]
    assert steps[-1].attended.weights.flatten().tolist() == [1, 1, 1]


# The programs


def test_H8_added_lines_are_the_programs_less_the_one_before():
    for place, name in enumerate(STEPS):
        lines = PROGRAMS[name].splitlines()
        before = PROGRAMS[STEPS[place - 1]].splitlines() if place else []
        assert set(added_lines(name)) == set(lines) - set(before)
        assert grown()[place].added == added_lines(name)
    assert added_lines("trainable") == ("q, k, v = x @ w_q, x @ w_k, x @ w_v",)
    assert len(added_lines("causal")) == 3
    assert added_lines("multi_head")[-1] == "projected = out @ w_o"


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({"n_heads": 5}, "got 12 and 5"),
        ({"n_heads": 0}, "got 12 and 0"),
        ({"x": torch.zeros(0, 12)}, "1 to 64 tokens, got 0"),
        ({"x": torch.zeros(65, 12)}, "1 to 64 tokens, got 65"),
        ({"x": torch.zeros(2, 65)}, "d_model must be from 1 to 64, got 65"),
        ({"x": torch.zeros(2, 0)}, "d_model must be from 1 to 64, got 0"),
        ({"w_v": torch.zeros(12, 6)}, r"w_v must be 12 × 12, got \(12, 6\)"),
    ],
)
def test_what_cannot_grow_is_refused_with_another_word_or_without(unchecked, changed, rule):
    given = given_for(SENTENCES[0]) | {"n_heads": 3} | changed
    with pytest.raises(ValueError, match=rule):
        grow(**given)
    longer = torch.cat([given.pop("x"), torch.zeros(1, changed.get("x", torch.zeros(1, 12)).shape[1])])
    if len(longer) > 1:
        with pytest.raises(ValueError, match=rule):
            moved_by_next(longer, **given)


def test_as_many_words_as_grow_may_have_another_after_them():
    moved = moved_by_next(torch.zeros(65, 2), *[torch.eye(2)] * 4, 1)
    assert moved == dict.fromkeys(STEPS, 0.0)


def test_a_step_that_is_none_is_refused(unchecked):
    with pytest.raises(ValueError, match="plain, trainable, causal, multi_head, got scaled"):
        attend_by("scaled", *[torch.eye(12)] * 4, 3)


@pytest.mark.parametrize("name", STEPS)
def test_H8_one_head_of_a_step_can_be_followed_to_the_weights_of_that_step(name) -> None:
    given = given_for(SENTENCES[0])
    step = grown()[STEPS.index(name)]
    matrices = {w: given[w] for w in ("x", "w_q", "w_k", "w_v")}
    for head, weights in enumerate(step.attended.weights):
        trace = trace_step(name, **matrices, n_heads=3, head=head)
        assert close(trace.weights, weights)
        assert close(trace.scores, step.attended.scores[head])
        assert (trace.w_q is None) == (name == "plain")
    for n_heads, head in ((3, 3), (3, -1), (5, 0), (0, 0)):
        with pytest.raises(ValueError, match=r"got"):
            trace_step("multi_head", **matrices, n_heads=n_heads, head=head)
