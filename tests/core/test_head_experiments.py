"""Claims H3 to H5 and W^O: heads read by loops, faults caught by checks, one projection against many, ablation."""

import math
from functools import cache

import pytest
import torch
from torch import nn

from attention_core.components import DTYPES, spacing_at
from attention_core.experiments import head_output, one_projection
from attention_core.experiments.head_facts import (
    METERS,
    attend_sentence,
    compare_heads,
    join_heads,
    name_by_place,
    read_heads,
    read_uniform,
    summarise_over_heads,
    trace_head,
)
from attention_core.experiments.head_output import compare_w_o, contribute, measure_head_output, replace_w_o
from attention_core.experiments.one_projection import (
    FORMS,
    MAX_TURNS,
    add_in_order,
    compare_orders,
    compare_projections,
    draw_projection,
    project_each,
    project_once,
)
from attention_core.experiments.reshape_faults import (
    CHECKS,
    STEPS,
    TOLERANCE,
    WAYS,
    compare_faults,
    hand_literal,
    run_way,
    take_round_trips,
)
from attention_core.masks import causal, padding
from attention_core.multi_head import MultiHeadAttention, merge_heads, split_heads
from attention_core.single_head import own_sentence, trace_single_head

B, H, N, M, D_K, D_V = 2, 3, 5, 7, 11, 13
WORDS = ("the", "cat", "ran", "it", "the")
VIEWING = ("split_by_view", "merge_without_transpose")


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def randn(*shape, seed=0):
    return torch.randn(*shape, generator=seeded(seed), dtype=torch.float64)


def close(actual, expected, tolerance=1e-12):
    """Raise with both where they differ; the caller asserts what comes back, so that a test shows what it tests."""
    expected = torch.as_tensor(expected, dtype=torch.float64)
    torch.testing.assert_close(actual.double(), expected, rtol=0, atol=tolerance)
    return True


# H3: what heads look at


def meters_by_loops(rows, offset, counted):
    """The meters again, weight by weight, over the queries that count."""
    found = {meter: [] for meter in METERS}
    for n, row in enumerate(rows):
        if not counted[n]:
            continue
        place = n + offset
        found["entropy"].append(-sum(a * math.log(a) for a in row if a > 0))
        found["distance_back"].append(sum(a * (place - m) for m, a in enumerate(row)))
        found["distance"].append(sum(a * abs(place - m) for m, a in enumerate(row)))
        for meter, key in (("on_self", place), ("on_first", 0), ("on_previous", place - 1)):
            if 0 <= key < len(row):
                found[meter].append(row[key])
    return {meter: sum(x) / len(x) if x else None for meter, x in found.items()}


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize(("n", "m"), [(N, N), (N, M), (M, N)])
def test_H3_each_meter_is_what_loops_give(n, m, is_causal):
    allowed = causal(n, m) if is_causal else None
    scores = 2 * randn(H, n, m)
    weights = scores if allowed is None else scores.masked_fill(~allowed, -math.inf)
    weights = weights.softmax(dim=-1).nan_to_num()
    facts = read_heads(weights, allowed)
    counted = [True] * n if allowed is None else allowed.any(dim=-1).tolist()
    assert [head.head for head in facts.by_head] == [0, 1, 2]
    for head, rows in zip(facts.by_head, weights.tolist(), strict=True):
        assert head.n_queries == sum(counted)
        for meter, expected in meters_by_loops(rows, m - n, counted).items():
            assert getattr(head, meter) == pytest.approx(expected, abs=1e-12), meter


def test_H3_heads_made_by_hand_read_as_what_they_are():
    eye = torch.eye(3)
    back, ahead = eye.roll(-1, dims=1), eye.roll(1, dims=1)
    back[0], ahead[2] = eye[0], eye[2]  # the first has nobody before it, the last nobody after it
    own, looks_ahead, alike = read_heads(torch.stack([eye, ahead, torch.full((3, 3), 1 / 3)])).by_head
    assert (own.on_self, own.entropy, own.distance) == (1, 0, 0)
    assert (looks_ahead.distance_back, looks_ahead.distance) == pytest.approx((-2 / 3, 2 / 3))
    assert alike.entropy == pytest.approx(math.log(3))
    assert (alike.distance_back, alike.distance) == pytest.approx((0, 8 / 9))
    previous = read_heads(back[None]).by_head[0]
    assert (previous.on_previous, previous.on_first, previous.distance_back) == pytest.approx(
        (1, 2 / 3, 2 / 3)
    )


def test_H3_under_a_causal_mask_both_distances_are_one():
    found = attend_sentence(WORDS, seed=1, d_model=12, n_heads=H, is_causal=True)
    assert all(head.distance == head.distance_back > 0 for head in found.facts.by_head)


def test_H3_filler_and_queries_without_keys_count_in_no_mean():
    allowed = causal(N).clone()
    allowed[1] = False
    weights = randn(H, N, N).masked_fill(~allowed, -math.inf).softmax(dim=-1).nan_to_num()
    is_padded = torch.tensor([False, False, False, True, True])
    facts = read_heads(weights, allowed, is_padded=is_padded)
    counted = [True, False, True, False, False]
    assert facts.is_counted.tolist() == [counted] * H
    assert facts.by_query.isnan().all(dim=-1).tolist() == [[not each for each in counted]] * H
    expected = meters_by_loops(weights[0].tolist(), 0, counted)
    assert facts.by_head[0].entropy == pytest.approx(expected["entropy"], abs=1e-12)
    assert facts.by_head[0].on_previous == pytest.approx(expected["on_previous"], abs=1e-12)
    nobody = read_heads(weights, allowed, is_padded=torch.ones(N, dtype=torch.bool)).by_head[2]
    assert (nobody.n_queries, *(getattr(nobody, meter) for meter in METERS)) == (0, *[None] * len(METERS))


def test_H3_without_a_mask_a_row_of_zeros_is_a_query_without_keys():
    facts = read_heads(torch.tensor([[[0.0, 0.0], [0.5, 0.5]]]))
    assert facts.is_counted.tolist() == [[False, True]]
    assert facts.by_head[0].entropy == pytest.approx(math.log(2))


def test_H3_each_head_may_have_a_mask_of_its_own():
    allowed = torch.stack([causal(N), ~causal(N)])
    weights = (
        torch.zeros(2, N, N, dtype=torch.float64)
        .masked_fill(~allowed, -math.inf)
        .softmax(dim=-1)
        .nan_to_num()
    )
    facts = read_heads(weights, allowed)
    assert [head.n_queries for head in facts.by_head] == [N, N - 1]
    assert facts.by_head[0].distance_back > 0 > facts.by_head[1].distance_back
    # The last query sees no key in head 1: no two heads can be compared there.
    assert close(compare_heads(facts), torch.tensor([[0.0, 1.0], [1.0, 0.0]]))


def test_H3_meters_of_several_heads_are_taken_over_those_that_have_them():
    allowed = torch.stack([causal(3), torch.zeros(3, 3, dtype=torch.bool), ~causal(3)])
    weights = (
        torch.zeros(3, 3, 3, dtype=torch.float64)
        .masked_fill(~allowed, -math.inf)
        .softmax(dim=-1)
        .nan_to_num()
    )
    facts = read_heads(weights, allowed)
    back, none, ahead = (head.distance_back for head in facts.by_head)
    assert (back, none, ahead) == (0.5, None, -1.25)
    assert summarise_over_heads(facts, "mean")["distance_back"] == (0.5 - 1.25) / 2
    assert summarise_over_heads(facts, "max")["distance_back"] == 0.5


def test_H3_the_place_of_the_first_query_may_be_told():
    weights = torch.full((1, 2, 4), 0.25, dtype=torch.float64)
    last, first, beyond = (read_heads(weights, offset=offset).by_head[0] for offset in (None, 0, 4))
    for facts, offset in ((last, 2), (first, 0), (beyond, 4)):
        expected = meters_by_loops(weights[0].tolist(), offset, [True, True])
        assert {meter: getattr(facts, meter) for meter in METERS} == pytest.approx(expected)
    assert (last.distance_back, first.distance_back, beyond.distance_back) == (1, -1, 3)
    assert beyond.on_self is None


def test_H3_a_lone_token_has_itself_and_nobody_before_it():
    found = attend_sentence(("a",), seed=0, d_model=1, n_heads=1, is_causal=True)
    (head,) = found.facts.by_head
    assert (head.entropy, head.distance, head.on_self, head.on_first, head.on_previous) == (0, 0, 1, 1, None)
    assert close(merge_heads(found.attention.out) @ found.w_o, found.x @ found.w_v[0] @ found.w_o)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_H3_facts_are_of_float64_whatever_the_weights_are(dtype):
    weights = (3 * randn(H, 64, 64)).softmax(dim=-1).to(dtype)
    facts = read_heads(weights)
    assert facts.by_query.dtype is torch.float64
    expected = meters_by_loops(weights[2].double().tolist(), 0, [True] * 64)
    assert {meter: getattr(facts.by_head[2], meter) for meter in METERS} == pytest.approx(expected, rel=1e-12)


def test_H3_weights_of_a_trained_module_go_through_the_same_view():
    module = nn.MultiheadAttention(12, H, batch_first=True, dtype=torch.float32)
    x = randn(1, N, 12).float()
    _, weights = module(x, x, x, attn_mask=~causal(N), average_attn_weights=False)
    facts = read_heads(weights[0], causal(N))
    assert facts.by_head[1].entropy == pytest.approx(
        meters_by_loops(weights[0, 1].tolist(), 0, [True] * N)["entropy"], abs=1e-6
    )


@pytest.mark.parametrize("is_causal", [False, True])
def test_H3_one_head_of_a_sentence_can_be_followed_to_its_weights(is_causal) -> None:
    found = attend_sentence(WORDS, seed=2, d_model=12, n_heads=3, is_causal=is_causal)
    for head in range(3):
        trace = trace_head(found, head)
        torch.testing.assert_close(trace.weights, found.attention.weights[head], rtol=0, atol=1e-12)
        torch.testing.assert_close(trace.scores, found.attention.scores[head], rtol=0, atol=1e-12)
        assert trace.w_q is not None
        assert (trace.allowed is None) == (not is_causal)
    for head in (-1, 3):
        with pytest.raises(ValueError, match=f"got {head}"):
            trace_head(found, head)


def test_H3_a_sentence_gives_the_single_head_first_and_heads_of_their_own():
    sizes = {"seed": 3, "d_model": 12, "d_k": 4, "positions": "learned"}
    found = attend_sentence(WORDS, n_heads=H, is_causal=True, **sizes)
    single = trace_single_head(own_sentence(WORDS, d_v=4, **sizes), is_causal=True)
    assert close(found.attention.weights[0], single.weights)
    assert close(found.w_o[:4] * math.sqrt(H), single.w_o)
    fewer = attend_sentence(WORDS, n_heads=2, is_causal=True, **sizes)
    assert close(found.attention.weights[:2], fewer.attention.weights)
    assert float((found.attention.weights[0] - found.attention.weights[1]).abs().max()) > 0.01
    assert len({head.entropy for head in found.facts.by_head}) == H
    drawn = [getattr(found, name)[head] for name in ("w_q", "w_k", "w_v") for head in range(H)]
    assert len({tuple(matrix.flatten().tolist()) for matrix in drawn}) == 3 * H


def test_H3_a_sentence_is_what_the_layer_gives_with_the_same_matrices():
    found = attend_sentence(WORDS, seed=0, d_model=12, n_heads=H, is_causal=True)
    layer = MultiHeadAttention(12, H, generator=seeded(), dtype=torch.float64)
    side_by_side = {
        name: getattr(found, name).movedim(0, 1).flatten(1).clone() for name in ("w_q", "w_k", "w_v")
    }
    layer.load_state_dict(side_by_side | {"w_o": found.w_o})
    trace = layer(found.x, allowed=causal(5))
    assert close(trace.attention.weights, found.attention.weights)
    assert close(trace.out, merge_heads(found.attention.out) @ found.w_o)


def test_H3_uniform_weights_are_read_beside_the_heads():
    found = attend_sentence(WORDS, seed=0, d_model=12, n_heads=H, is_causal=True).uniform.by_head[0]
    assert found.entropy == pytest.approx(sum(math.log(n) for n in range(1, 6)) / 5)
    assert found.on_self == pytest.approx(sum(1 / n for n in range(1, 6)) / 5)
    open_ = attend_sentence(WORDS, seed=0, d_model=12, n_heads=H).uniform.by_head[0]
    assert (open_.entropy, open_.distance_back) == pytest.approx((math.log(5), 0))


def test_H3_a_head_is_named_by_the_place_that_gets_most_of_its_weight():
    n = 3
    stays, first = torch.eye(n), torch.eye(n)[[0, 0, 0]]
    before, ahead = torch.eye(n)[[2, 0, 1]], torch.eye(n)[[1, 2, 0]]
    half = (stays + ahead) / 2
    facts = read_heads(torch.stack([stays, first, before, ahead, half]))
    alike = read_uniform(n).by_head[0]
    assert [name_by_place(head, alike) for head in facts.by_head] == [
        "on_self",
        "on_first",
        "on_previous",
        None,
        None,  # exactly half is not most
    ]
    # Under a causal mask equal weights give the first of two tokens 3/4; that is no choice of a head.
    masked = read_uniform(2, causal(2)).by_head[0]
    assert masked.on_first == 0.75
    assert name_by_place(masked, masked) is None


def test_H3_heads_are_joined_only_by_name_and_the_mean_hides_them():
    weights = torch.stack([torch.eye(2), torch.eye(2).flip(0)])
    mean, largest = join_heads(weights, "mean"), join_heads(weights, "max")
    assert mean.weights.tolist() == [[0.5, 0.5]] * 2
    assert mean.row_sums.tolist() == [1, 1]
    assert (largest.over, largest.row_sums.tolist()) == ("max", [2, 2])
    facts = read_heads(weights)
    assert summarise_over_heads(facts, "mean")["on_self"] == 0.5
    assert summarise_over_heads(facts, "max")["on_self"] == 1
    assert summarise_over_heads(facts, "mean")["entropy"] == 0
    assert read_heads(mean.weights[None]).by_head[0].entropy == pytest.approx(math.log(2))


def test_H3_heads_are_as_far_apart_as_loops_say():
    allowed = causal(N).clone()
    allowed[1] = False
    weights = randn(H, N, N).masked_fill(~allowed, -math.inf).softmax(dim=-1).nan_to_num()
    apart = compare_heads(read_heads(weights, allowed))
    queries = [n for n in range(N) if n != 1]
    for g in range(H):
        for h in range(H):
            each = [sum((weights[g, n] - weights[h, n]).abs().tolist()) / 2 for n in queries]
            assert float(apart[g, h]) == pytest.approx(sum(each) / len(each), abs=1e-12)
    blind = read_heads(torch.zeros(2, 1, 1))
    assert compare_heads(blind).isnan().all()


def test_H3_weighing_all_keys_alike_is_read_by_hand():
    free, behind = (read_uniform(3, allowed).by_head[0] for allowed in (None, causal(3)))
    assert (free.on_self, free.distance_back, free.entropy) == pytest.approx((1 / 3, 0, math.log(3)))
    # Rows 1; ½ ½; ⅓ ⅓ ⅓: distances 0, ½, 1; on itself 1, ½, ⅓.
    assert (behind.distance_back, behind.on_self) == pytest.approx((1 / 2, 11 / 18))
    assert behind.entropy == pytest.approx((math.log(2) + math.log(3)) / 3)


def test_H3_a_sentence_may_be_as_long_as_a_text():
    assert attend_sentence(["a"] * 64, seed=0, d_model=1, n_heads=1).x.shape == (64, 1)


def test_H3_no_token_has_no_facts():
    found = attend_sentence((), seed=0, d_model=6, n_heads=2)
    assert [head.entropy for head in found.facts.by_head] == [None, None]
    assert summarise_over_heads(found.facts, "max") == dict.fromkeys(METERS)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: read_heads(torch.full((1, 2, 2), 0.4)), "must sum to 1"),
        (lambda: read_heads(torch.tensor([[[0.5, 0.499]]])), "must sum to 1"),
        (lambda: read_heads(torch.zeros(1, 2, 2), causal(2)), "must sum to 1"),
        (lambda: summarise_over_heads(read_heads(torch.eye(2)[None]), "median"), "got median"),
        (lambda: read_heads(torch.full((1, 1, 1), math.nan)), "no NaN"),
        (lambda: read_heads(torch.tensor([[[1.5, -0.5]]])), "at least 0"),
        (lambda: read_heads(torch.full((1, 2, 2), 0.5), causal(2)), "hidden key"),
        (lambda: read_heads(torch.full((1, 2, 2), 0.5), padding([[1], [2]], 2)), "must broadcast"),
        (lambda: read_heads(torch.full((1, 2, 2), 0.5), torch.ones(2, 2)), "must be torch.bool.*float32"),
        (lambda: read_heads(torch.eye(2)[None], is_padded=torch.tensor([True])), r"shape \(2,\).*of \(1,\)"),
        (lambda: read_heads(torch.eye(2)[None], is_padded=torch.zeros(2)), "must be bool.*float32"),
        (lambda: read_heads(torch.zeros(0, 2, 2)), "1 to 64 heads, got 0"),
        (lambda: join_heads(torch.zeros(0, 2, 2), "mean"), "got 0"),
        (lambda: join_heads(torch.eye(2)[None], "median"), "got median"),
        (lambda: attend_sentence(WORDS, seed=0, d_model=12, n_heads=5), "multiple of n_heads .* 12 and 5"),
        (lambda: attend_sentence(WORDS, seed=0, d_model=12, n_heads=0), "got 0"),
        (lambda: attend_sentence(["a"] * 65, seed=0, d_model=12, n_heads=1), "at most 64 tokens, got 65"),
        (lambda: attend_sentence(WORDS, seed=0, d_model=65, n_heads=1), "got 65"),
    ],
)
def test_H3_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# H4: faults of reshaping


@cache
def faults(seed=0, **sizes):
    return {record.way: record for record in compare_faults(generator=seeded(seed), **sizes)}


def caught(record):
    return [check for check in CHECKS if record.caught[check]]


@pytest.mark.parametrize(
    "sizes",
    [
        {},
        {"seed": 1},
        {"batch": 3, "n": 3, "d_model": 12, "n_heads": 3},  # N = H = B: every wrong shape fits
        {"batch": 2, "n": 7, "d_model": 10, "n_heads": 5},
        {"n": 2, "d_model": 4, "n_heads": 2},
    ],
)
def test_H4_each_fault_has_the_right_shape_and_wrong_numbers_and_its_checks(sizes):
    found = faults(**sizes)
    assert tuple(found) == WAYS
    for way, record in found.items():
        assert record.has_right_shape, way
        assert (record.out_difference > 0.05) == (way not in ("right", "folded")), way
    without_reach = {
        way: [check for check in caught(record) if check != "reach"] for way, record in found.items()
    }
    assert without_reach == {
        "right": [],
        "folded": [],
        "split_by_view": ["leak", "literal"],
        "merge_without_transpose": ["leak", "literal"],
        "heads_before_batch": ["items", "literal"],
        "softmax_over_heads": ["leak", "sums"],
        "viewed_both_ways": ["literal"],
    }


def test_H4_two_views_together_do_not_leak_but_cut_the_sentence_into_stretches():
    found = faults(n=6, n_heads=2, ways=("right", "viewed_both_ways"))
    both = found["viewed_both_ways"]
    assert caught(both) == ["reach", "literal"]
    assert both.passes_round_trip
    # Each head is causal attention within half of the sentence.
    assert (both.moved > 1e-9).tolist() == torch.block_diag(causal(3), causal(3)).bool().tolist()
    assert both.n_unreached == 9
    assert (found["right"].moved > 1e-9).tolist() == causal(6).tolist()


@pytest.mark.parametrize(
    ("size", "harmless"),
    [
        ({"n": 1}, (*VIEWING, "viewed_both_ways")),
        ({"batch": 1}, ("heads_before_batch",)),
        ({"n_heads": 1}, (*VIEWING, "heads_before_batch", "viewed_both_ways")),
    ],
)
def test_H4_a_size_of_1_hides_faults_from_all_but_the_literal(size, harmless):
    found = faults(**size)
    for way in WAYS[2:]:
        assert (found[way].out_difference < 1e-12) == (way in harmless), way
        if way in harmless:
            assert caught(found[way]) == ["literal"]


def test_H4_the_right_ways_are_the_layer_itself():
    layer = MultiHeadAttention(12, H, generator=seeded(), dtype=torch.float64).requires_grad_(False)
    x = randn(B, N, 12)
    trace = layer(x, allowed=causal(N))
    for way in ("right", "folded"):
        out, weights = run_way(way, layer, x, causal(N))
        assert close(out, trace.out)
        assert close(weights, trace.attention.weights)


def test_H4_numbers_of_the_record_are_what_they_say():
    generator = seeded(5)  # the layer is drawn first, x after it
    layer = MultiHeadAttention(12, H, generator=generator, dtype=torch.float64).requires_grad_(False)
    x = torch.randn(2, 5, 12, generator=generator, dtype=torch.float64)
    found = faults(seed=5, ways=("heads_before_batch", "split_by_view"))
    record = found["heads_before_batch"]
    assert torch.equal(run_way("heads_before_batch", layer, x, causal(5))[0], record.out)
    apart = (record.out - layer(x, allowed=causal(5)).out).abs()
    assert (record.first_difference, record.out_difference) == (float(apart[0].max()), float(apart.max()))
    assert record.first_difference < record.out_difference
    other = x.clone()
    other[1] += 1
    moved = (run_way("heads_before_batch", layer, other, causal(5))[0] - record.out).abs()
    assert close(record.moved_items[:, 1], moved.amax(dim=(1, 2)))
    assert record.mixing == max(float(record.moved_items[0, 1]), float(record.moved_items[1, 0])) > 0.05
    token = x.clone()
    token[0, 4] += 1
    for way, one in found.items():
        moved = (run_way(way, layer, token, causal(5))[0] - one.out)[0].abs().amax(dim=-1)
        assert close(one.moved[:, 4], moved)
        assert one.leak == float(one.moved.triu(diagonal=1).max())


@pytest.mark.parametrize("seed", [0, 1])
def test_H4_what_counts_as_moved_lies_far_from_rounding_and_from_every_fault(seed):
    for record in faults(seed=seed).values():
        for size in (record.leak, record.mixing, record.sums_difference, record.out_difference):
            assert size < TOLERANCE / 1000 or size > 1000 * TOLERANCE


def test_H4_the_largest_sizes_run():
    found = faults(batch=4, n=16, d_model=64, n_heads=16, ways=("right", "split_by_view"))
    assert (caught(found["right"]), found["right"].weights.shape) == ([], (4, 16, 16, 16))
    assert caught(found["split_by_view"])


def test_H4_softmax_over_heads_sums_to_1_over_heads_and_is_nan_behind_minus_inf():
    record = faults()["softmax_over_heads"]
    assert close(record.weights.sum(dim=1), torch.ones(2, 5, 5))
    assert close(record.weights[:, :, 0, 1:], torch.full((2, 3, 4), 1 / 3, dtype=torch.float64))
    assert record.sums_difference > 0.1
    hidden = faults(penalty=-math.inf)
    assert hidden["softmax_over_heads"].n_nan == 2 * 4 * 12
    assert caught(hidden["softmax_over_heads"]) == ["leak", "items", "sums"]  # NaN is no number that is small
    assert [hidden[way].n_nan for way in WAYS if way != "softmax_over_heads"] == [0] * 6
    assert caught(hidden["right"]) == []


def test_H4_softmax_over_two_heads_by_hand():
    masked = torch.tensor([[[[1.0, 2.0, 3.0]], [[0.0, 0.0, 0.0]]]], dtype=torch.float64)
    wrong, right = (STEPS[way].weigh(masked)[0, :, 0] for way in ("softmax_over_heads", "right"))
    assert wrong.sum(dim=-1).tolist() == pytest.approx([2.5644, 0.4356], abs=5e-5)
    expected = [[0.0900306, 0.2447285, 0.6652410], [1 / 3] * 3]
    assert close(right, expected, tolerance=1e-7)
    assert torch.equal(STEPS["softmax_over_heads"].weigh(masked[:, :1]), torch.ones(1, 1, 1, 3).double())


def test_H4_the_hand_literal_is_split_by_hand():
    x, heads = hand_literal()
    assert x.tolist() == [[[0, 1, 2, 3], [4, 5, 6, 7]], [[8, 9, 10, 11], [12, 13, 14, 15]]]
    assert torch.equal(split_heads(x, 2), heads)
    assert STEPS["split_by_view"].split(x, 2)[0].tolist() == [[[0, 1], [2, 3]], [[4, 5], [6, 7]]]
    merged = STEPS["merge_without_transpose"].merge(heads, 2)
    assert merged[0].tolist() == [[0, 1, 4, 5], [2, 3, 6, 7]]
    assert STEPS["heads_before_batch"].split(x, 2)[1].tolist() == [[8, 9], [12, 13]]
    assert STEPS["folded"].split(x, 2)[1].tolist() == [[2, 3], [6, 7]]


@pytest.mark.parametrize(
    ("way", "steps"),
    [
        ("right", {}),
        ("folded", {}),
        ("split_by_view", {"split": "right"}),
        ("merge_without_transpose", {"merge": "right"}),
        ("heads_before_batch", {"split": "folded"}),
        ("softmax_over_heads", {"weigh": "right"}),
        ("viewed_both_ways", {"split": "right", "merge": "right"}),
    ],
)
def test_H4_the_lines_shown_are_the_lines_that_run(way, steps):
    lines = faults()[way].lines
    assert len(lines) == len(steps)
    heads = randn(B, H, N, D_K)
    names = {"x": merge_heads(heads), "heads": heads, "masked": heads}
    names |= {"B": B, "N": N, "H": H, "d_k": D_K, "d_v": D_K}
    for (step, other), shown in zip(steps.items(), lines, strict=True):
        assert shown.wrong != shown.right
        for line, ran in ((shown.wrong, way), (shown.right, other)):
            argument = names[next(name for name in ("x", "heads", "masked") if line.startswith(f"{name}."))]
            given = (argument,) if step == "weigh" else (argument, H)
            assert torch.equal(eval(line, {}, names), getattr(STEPS[ran], step)(*given))


def test_H4_the_round_trip_hides_two_faults_made_together():
    trips = take_round_trips(randn(B, N, 12), 3)
    assert [(trip.is_identity, trip.n_wrong) for trip in trips] == [
        (True, 0),
        (False, 1),
        (False, 1),
        (True, 2),
        (True, 0),
        (False, 1),
    ]
    hidden = trips[3]
    assert (hidden.split, hidden.merge) == ("x.view(B, H, N, d_k)", "heads.reshape(B, N, H * d_v)")
    passes = {way: record.passes_round_trip for way, record in faults().items()}
    assert [way for way in WAYS[2:] if passes[way]] == ["softmax_over_heads", "viewed_both_ways"]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"n": 17}, "n must be from 1 to 16, got 17"),
        ({"batch": 0}, "batch must be from 1 to 4, got 0"),
        ({"n_heads": 17, "d_model": 34}, "n_heads must be from 1 to 16, got 17"),
        ({"d_model": 128, "n_heads": 2}, "d_model must be from 1 to 64, got 128"),
        ({"n_heads": 5}, "multiple of n_heads"),
        ({"ways": ("middle",)}, "got middle"),
    ],
)
def test_H4_what_does_not_fit_is_refused(sizes, message):
    with pytest.raises(ValueError, match=message):
        faults(**sizes)
    with pytest.raises(ValueError, match="got 12 and 5"):
        take_round_trips(randn(B, N, 12), 5)


# H5: one projection against many


def projections(**sizes):
    generator = seeded(sizes.pop("seed", 0))
    return {
        (record.dtype, record.form): record for record in compare_projections(generator=generator, **sizes)
    }


@pytest.mark.parametrize(
    "sizes",
    [
        {},
        {"n": 7, "d_model": 66, "n_heads": 6},
        {"n": 3, "d_model": 26, "n_heads": 26},
        {"n": 1, "d_model": 1, "n_heads": 1},
        {"n": 1, "d_model": 12, "n_heads": 1},
    ],
)
def test_H5_one_projection_equals_many_exactly_in_a_fixed_order_and_by_rounding_else(sizes):
    for (dtype, form), record in projections(dtypes=tuple(DTYPES), **sizes).items():
        if form == "fixed_order":
            assert record.difference == record.n_different == record.relative_difference == 0
            assert torch.equal(record.big.heads, record.small.heads)
        assert record.difference <= record.bound
        assert record.difference == float(
            (record.big.heads.double() - record.small.heads.double()).abs().max()
        )
        assert record.big.heads.dtype == DTYPES[dtype]
        assert record.relative_difference == pytest.approx(
            record.difference / float(record.big.heads.double().abs().max())
        )
        if dtype in ("float64", "float32"):
            assert record.relative_difference < 64 * torch.finfo(DTYPES[dtype]).eps


def test_H5_forms_agree_with_the_definition_head_by_head():
    x, w = randn(N, 12), randn(12, 12, seed=1)
    expected = torch.stack([x @ w[:, 4 * head : 4 * head + 4] for head in range(3)])
    w_heads = split_heads(w, 3)
    for form in FORMS:
        assert close(project_each(x, w_heads, form), expected)
        assert close(project_once(x, w, 3, form), expected)


def test_H5_a_fixed_order_adds_from_the_first_to_the_last():
    # In any other order 2^53 would swallow no 1, or both.
    x = torch.tensor([[1.0, 2.0**53, 1.0, -(2.0**53)]], dtype=torch.float64)
    assert add_in_order(x, torch.ones(4, 1, dtype=torch.float64)).tolist() == [[0.0]]
    assert add_in_order(x[:, [1, 3, 0, 2]], torch.ones(4, 1, dtype=torch.float64)).tolist() == [[2.0]]


def test_H5_parameters_are_as_many_and_products_are_counted():
    found = projections(dtypes=("float64",), n=7, d_model=30, n_heads=5)
    for record in found.values():
        assert record.big.n_parameters == record.small.n_parameters == 900
    counts = {form: (r.big.n_products, r.small.n_products, r.small.widths) for (_, form), r in found.items()}
    assert counts == {
        "matmul": (1, 5, (6,)),
        "batched": (1, 1, (6,)),
        "einsum": (1, 1, (30,)),
        "fixed_order": (30, 150, (6,)),
    }
    assert found["float64", "matmul"].small.calls["aten.mm"] == 5
    assert found["float64", "matmul"].big.widths == (30,)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"n": 65}, "n must be from 1 to 64, got 65"),
        ({"d_model": 1025, "n_heads": 1}, "got 1025"),
        ({"n_heads": 0}, "got 0"),
        ({"n_heads": 5}, "multiple of n_heads, got 12 and 5"),
        ({"d_model": 1024, "n_heads": 32}, f"at most {MAX_TURNS}, got 1024 · 32"),
        ({"dtypes": ("int8",)}, "got int8"),
        ({"forms": ("loop",)}, "got loop"),
    ],
)
def test_H5_what_does_not_fit_is_refused_before_anything_is_drawn(sizes, message):
    generator = seeded()
    with pytest.raises(ValueError, match=message):
        compare_projections(generator=generator, **sizes)
    assert torch.equal(generator.get_state(), seeded().get_state())


@pytest.mark.usefixtures("unchecked")
def test_H5_a_form_that_is_none_is_not_taken_for_another():
    with pytest.raises(ValueError, match="matmul, batched, einsum, fixed_order, got loop"):
        project_once(randn(N, 12), randn(12, 12), 3, "loop")


def test_H5_what_lies_apart_is_laid_side_by_side_and_measured_in_steps_of_the_type():
    (record,) = projections(dtypes=("float32",), forms=("matmul",), n=7, d_model=30, n_heads=5).values()
    x, w = draw_projection(7, 30, seeded())
    x, w = x.float(), w.float()
    small = torch.cat([x @ w[:, 6 * head : 6 * head + 6].contiguous() for head in range(5)], dim=1)
    assert torch.equal(record.apart, (x @ w).double() - small.double())
    assert record.difference == float(record.apart.abs().max())
    assert record.n_different == int(record.apart.count_nonzero())
    summed = max(
        sum(abs(float(x[n, i]) * float(w[i, j])) for i in range(30)) for n in range(7) for j in range(30)
    )
    assert record.bound == pytest.approx(2 * 30 * 2**-24 * summed)
    largest = (x @ w).abs().max()
    assert record.step == float(torch.nextafter(largest, torch.tensor(torch.inf)) - largest)


def test_H5_the_numbers_of_float64_are_rounded_to_the_type_and_no_further():
    x, w = draw_projection(5, 12, seeded())
    for (dtype, _), record in projections(dtypes=tuple(DTYPES), forms=("matmul",)).items():
        expected = x.to(DTYPES[dtype]) @ w.to(DTYPES[dtype])
        assert torch.equal(record.big.heads, split_heads(expected, 3))


def test_H5_turns_are_bounded_only_where_they_are_made():
    (record,) = projections(n=1, d_model=1024, n_heads=64, dtypes=("float32",), forms=("batched",)).values()
    assert record.small.heads.shape == (64, 1, 16)


def test_H5_what_differs_is_counted_whatever_its_sign(monkeypatch):
    def off(x, w_heads, form):
        return project_each(x, w_heads, form) + torch.tensor([0.5, 0.0, -0.5, 0.0])

    monkeypatch.setattr(one_projection, "project_each", off)
    (record,) = projections(dtypes=("float32",), forms=("fixed_order",)).values()
    assert record.n_different == 5 * 3 * 2
    assert record.difference == pytest.approx(0.5, abs=1e-6)


def test_H5_what_comes_out_is_about_as_large_as_what_goes_in():
    x, w = draw_projection(64, 256, seeded())
    assert (float(x.std()), float((x @ w).std())) == pytest.approx((1, 1), rel=0.05)


def test_H5_the_order_of_a_sum_matters_and_the_more_so_in_a_coarse_type():
    for dtype, one in (
        ("float16", 2.0**11),
        ("bfloat16", 2.0**8),
        ("float32", 2.0**24),
        ("float64", 2.0**53),
    ):
        x = torch.tensor([[one, 1.0, 1.0]], dtype=DTYPES[dtype])
        orders = compare_orders(x, torch.ones(3, 2, dtype=DTYPES[dtype]))
        assert (orders.difference, orders.n_different) == (2.0, 2)
        assert spacing_at(one, dtype) == spacing_at(-one, dtype) == 2.0
        assert spacing_at(0.0, dtype) == 0
        of_two = compare_orders(x[:, :2], torch.ones(2, 2, dtype=DTYPES[dtype]))
        assert (of_two.difference, of_two.n_different) == (0.0, 0)
    assert not compare_orders(
        torch.ones(1, 3, dtype=torch.float64), torch.ones(3, 1, dtype=torch.float64)
    ).is_rounded_once
    assert compare_orders(torch.ones(1, 3), torch.ones(3, 1)).is_rounded_once


# W^O: what each head adds


def outputs(d_model=12, n_heads=H, d_v=None, use_bias=True):
    layer = MultiHeadAttention(
        d_model, n_heads, d_v=d_v, use_bias=use_bias, generator=seeded(1), dtype=torch.float64
    )
    trace = layer(randn(B, N, d_model), allowed=causal(N))
    return trace, layer.w_o, layer.b_o


@pytest.mark.parametrize("d_v", [None, 5])
def test_w_o_contributions_of_the_heads_sum_to_the_layers_output(d_v):
    trace, w_o, b_o = outputs(d_v=d_v)
    found = measure_head_output(trace.attention.out, w_o, b_o)
    assert close(found.out, trace.out.detach())
    width = d_v or 4
    for head in range(H):
        rows = w_o[width * head : width * (head + 1)].detach()
        assert close(found.contributions[:, head], trace.attention.out[:, head].detach() @ rows)
        assert found.norms[head] == pytest.approx(float(found.contributions[:, head].norm()))
    assert close(found.contributions.sum(dim=1) + b_o.detach(), trace.out.detach())
    assert found.sum_difference < 1e-14
    assert float(found.shares.sum()) == pytest.approx(1)
    assert float(found.pulls.sum()) == pytest.approx(1)
    assert found.shares.tolist() == pytest.approx((found.norms / found.norms.sum()).tolist())


def test_w_o_without_a_head_exactly_its_contribution_is_missing():
    trace, w_o, b_o = outputs()
    found = measure_head_output(trace.attention.out, w_o, b_o)
    for head, ablation in enumerate(found.ablations):
        heads = trace.attention.out.detach().clone()
        heads[:, head] = 0
        expected = merge_heads(heads) @ w_o.detach() + b_o.detach()
        assert ablation.head == head
        assert close(ablation.out, expected)
        moved = expected - found.out
        assert ablation.largest_change == pytest.approx(float(moved.abs().max()))
        assert ablation.relative_change == pytest.approx(float(moved.norm() / found.out.norm()))
        assert ablation.difference < 1e-14
        assert ablation.n_columns == 12
        assert close(ablation.by_column, moved.abs().amax(dim=(0, 1)))


def test_w_o_zeros_leave_the_bias_and_the_identity_leaves_the_heads_side_by_side():
    trace, w_o, b_o = outputs()
    own, zero, identity = compare_w_o(trace.attention.out, w_o, b_o)
    assert (own.kind, zero.kind, identity.kind) == ("own", "zero", "identity")
    assert torch.equal(zero.out, b_o.detach().expand(B, N, 12))
    assert zero.shares is zero.pulls is None
    assert [ablation.largest_change for ablation in zero.ablations] == [0] * H
    assert close(identity.out, trace.merged.detach() + b_o.detach())
    reached = [(ablation.by_column > 0).tolist() for ablation in identity.ablations]
    assert reached == [[4 * head <= column < 4 * head + 4 for column in range(12)] for head in range(H)]
    assert [ablation.n_columns for ablation in identity.ablations] == [4] * H
    silent = measure_head_output(trace.attention.out, w_o, kind="zero")
    assert silent.ablations[0].relative_change is None
    trace, w_o, b_o = outputs(d_v=5)
    assert [record.kind for record in compare_w_o(trace.attention.out, w_o, b_o)] == ["own", "zero"]


def test_w_o_contributions_that_are_not_those_of_the_heads_would_be_seen(monkeypatch):
    monkeypatch.setattr(head_output, "contribute", lambda heads, w_o: contribute(heads.flip(-3), w_o))
    trace, w_o, b_o = outputs()
    found = measure_head_output(trace.attention.out, w_o, b_o)
    assert found.sum_difference > 0.01
    assert all(ablation.difference > 0.01 for ablation in (found.ablations[0], found.ablations[-1]))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_w_o_numbers_are_of_float64_whatever_the_inputs_are(dtype):
    heads, w_o, b_o = (randn(*shape).to(dtype) for shape in ((1, 1, 4), (4, 3), (3,)))
    found = measure_head_output(heads, w_o, b_o)
    assert found.out.dtype is found.norms.dtype is torch.float64
    assert close(found.out, heads[0].double() @ w_o.double() + b_o.double(), 1e-15)
    assert found.shares.tolist() == found.pulls.tolist() == [1]


def test_w_o_heads_that_cancel_pull_against_each_other():
    heads = torch.tensor([[[3.0]], [[-1.0]]])
    found = measure_head_output(heads, torch.ones(2, 1))
    assert found.out.tolist() == [[2]]
    assert found.pulls.tolist() == [1.5, -0.5]
    assert [ablation.largest_change for ablation in found.ablations] == [3, 1]
    assert [ablation.relative_change for ablation in found.ablations] == [1.5, 0.5]
    assert found.shares.tolist() == [0.75, 0.25]
    nothing = measure_head_output(torch.tensor([[[1.0]], [[-1.0]]]), torch.ones(2, 1))
    assert nothing.pulls is None
    assert nothing.shares.tolist() == [0.5, 0.5]
    assert nothing.ablations[0].relative_change is None


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: measure_head_output(randn(2, 3, 4), randn(7, 8)), r"2 · 4, got 7"),
        (lambda: measure_head_output(randn(2, 3, 4), randn(8)), r"two axes.*\(8,\)"),
        (lambda: measure_head_output(randn(2, 3, 4), randn(8, 5), randn(8)), r"shape \(5,\).*got \(8,\)"),
        (lambda: measure_head_output(randn(2, 3, 4), randn(8, 5), randn(1)), r"shape \(5,\).*got \(1,\)"),
        (lambda: measure_head_output(randn(65, 1, 1), randn(65, 8)), "n_heads must be from 1 to 64, got 65"),
        (lambda: measure_head_output(randn(1, 65, 1), randn(1, 8)), "n must be from 1 to 64, got 65"),
        (lambda: measure_head_output(randn(1, 1, 1), randn(1, 1025)), "got 1025"),
        (lambda: measure_head_output(randn(2, 3), randn(2, 3)), "axis of heads"),
        (
            lambda: measure_head_output(randn(32, 64, 32), randn(1024, 1024)),
            "at most 2147483648 multiply-adds, got 2214592512",
        ),
        (lambda: measure_head_output(randn(0, 2, 3, 4), randn(8, 8)), "batch must be from 1 to 8, got 0"),
        (lambda: measure_head_output(randn(3, 3, 1, 1, 1), randn(1, 8)), "batch must be from 1 to 8, got 9"),
        (
            lambda: measure_head_output(randn(2, 3, 4), randn(8, 5), kind="identity"),
            "got 8 rows and 5 columns",
        ),
        (lambda: replace_w_o(randn(2, 2), "random"), "got random"),
    ],
)
def test_w_o_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
