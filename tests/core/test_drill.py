"""The drill: ten different questions of every seed, right answers from the ledger, any typing of them judged by axis."""

import pytest

from attention_core import drill as drill_module
from attention_core.drill import MAX_SEED, N_QUESTIONS, Drill, draw_drill, judge, read_shape
from attention_core.ledger import Step, list_steps
from attention_core.sizes import Sizes, find_faults

HEADS = Drill(0, 0, Sizes(2, 5, 12, 3), Step("q_heads", "Q_h", ("B", "h", "N", "d_k"), ""), (2, 3, 5, 4))


def shape_of(step: Step, sizes: Sizes) -> tuple[int, ...]:
    """Work a step's shape out from its symbols."""
    d_k = sizes.d_model // sizes.n_heads
    size_of = {"B": sizes.batch, "N": sizes.n, "d_model": sizes.d_model, "h": sizes.n_heads, "d_k": d_k}
    size_of |= {"h_kv": sizes.kv_heads, "h·d_k": sizes.d_model, "h_kv·d_k": sizes.kv_heads * d_k}
    return tuple(size_of[axis] for axis in step.axes)


@pytest.mark.parametrize("seed", [0, 7, 17, MAX_SEED])
def test_ten_in_a_row_are_ten_different_steps_of_small_legal_layers(seed):
    drills = [draw_drill(seed, place) for place in range(N_QUESTIONS)]
    assert len({drill.step.name for drill in drills}) == N_QUESTIONS == 10
    assert len({drill.sizes for drill in drills}) >= 8, (
        "sizes that a reader could keep from the last question"
    )
    for drill in drills:
        assert find_faults(drill.sizes) == ()
        assert drill.answer == shape_of(drill.step, drill.sizes)
        assert max(drill.answer) <= 64


@pytest.mark.parametrize("is_grouped", [False, True])
def test_no_two_axes_of_a_question_could_be_swapped_unseen(is_grouped):
    found = drill_module._small_sizes(is_grouped=is_grouped)
    assert len(set(found)) == len(found) > 100
    for sizes in found:
        for step in list_steps(sizes):
            assert len(set(shape_of(step, sizes))) == len(set(step.axes)), (sizes, step.name)


def test_a_seed_gives_the_same_questions_and_another_seed_others():
    again = [[draw_drill(seed, place) for place in range(4)] for seed in (3, 3, 4)]
    assert again[0] == again[1]
    assert [drill.step.name for drill in again[0]] != [drill.step.name for drill in again[2]]
    assert [drill.sizes for drill in again[0]] != [drill.sizes for drill in again[2]]


def test_repeated_heads_are_asked_of_grouped_layers_only():
    drills = [draw_drill(seed, place) for seed in (3, 5) for place in range(N_QUESTIONS)]
    repeated = [drill for drill in drills if drill.step.name.endswith("_repeated")]
    assert repeated
    assert all(drill.sizes.kv_heads < drill.sizes.n_heads for drill in repeated)


@pytest.mark.parametrize(("seed", "place"), [(-1, 0), (MAX_SEED + 1, 0), (0, -1), (0, N_QUESTIONS)])
def test_a_question_that_is_none_is_refused(seed, place):
    with pytest.raises(ValueError, match=r"must lie within 0 and \d+, got"):
        draw_drill(seed, place)


@pytest.mark.parametrize(
    "answer",
    [
        "2,3,5,4",
        "[2, 3, 5, 4]",
        "(2 3 5 4)",
        "  2   3 5\t4 \n",
        "2，3，5，4",
        "２，３，５，４",
        "（2、3、5、4）",
        "【2，3，5，4】",
        "torch.Size([2, 3, 5, 4])",
        "2×3×5×4",
        "2 x 3 x 5 x 4",
        "2*3*5*4",
        "2; 3; 5; 4",
        "{[2, 3, 5, 4]}",
        "(2, 3, 5, 4,)",
        "02, 3, 5, 4",
    ],
)
def test_a_right_answer_is_right_however_it_is_typed(answer):
    verdict = judge(HEADS, answer)
    assert verdict.is_right
    assert (verdict.given, verdict.wrong) == ((2, 3, 5, 4), ())


def test_the_wrong_axes_are_named():
    verdict = judge(HEADS, "2, 5, 3, 4")
    assert (verdict.kind, verdict.is_right) == ("wrong_axes", False)
    assert [(axis.index, axis.symbol, axis.given) for axis in verdict.wrong] == [(1, "h", 5), (2, "N", 3)]
    for minus in "-−－":
        last = judge(HEADS, f"2, 3, 5, {minus}4").wrong
        assert [(axis.index, axis.symbol, axis.given) for axis in last] == [(3, "d_k", -4)]


@pytest.mark.parametrize(
    ("answer", "given"), [("2,5,12", (2, 5, 12)), ("2,3,5,4,1", (2, 3, 5, 4, 1)), ("60", (60,))]
)
def test_another_number_of_axes_is_said_and_no_axis_blamed(answer, given):
    verdict = judge(HEADS, answer)
    assert (verdict.kind, verdict.given, verdict.n_axes, verdict.wrong) == ("wrong_count", given, 4, ())


@pytest.mark.parametrize(
    "answer",
    [
        *("", "   ", ",", "()", "[", "2,,3", "[2,3,5,4", "2,3,5,4)", "(2,3,5,4]"),
        *("B, h, N, d_k", "2,3,5,d_k", "2.0,3,5,4", "1e3", "0x2,3,5,4", "2_0,3", "1+1,3,5,4", "٢,٣,٥,٤"),
        *("__import__('os').getcwd()", "[2,3,5,4][0]", "2,3,5,4;import os", "NaN", "None", "9" * 201),
    ],
)
def test_what_is_no_list_of_numbers_is_said_to_be_none(answer):
    assert judge(HEADS, answer).kind == "not_numbers"
    assert read_shape(answer) is None
