"""Claims V3 and V4: attention over few pairs is dense attention with that mask, and never holds N × N numbers."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

from attention_core import chunks, patterns, reference_scores
from attention_core.cost import Setting, list_terms
from attention_core.steps import scaled_dot_product_attention
from attention_core.variants.block import attend_block, count_pairs
from attention_core.variants.dilated import attend_dilated
from attention_core.variants.dilated import count_pairs as count_dilated
from attention_core.variants.global_window import attend_global_window
from attention_core.variants.global_window import count_pairs as count_global_window
from attention_core.variants.strided import attend_strided
from attention_core.variants.strided import count_pairs as count_strided
from attention_core.variants.window import attend_window

B, H, D_K, D_V = 2, 3, 11, 13
BLOCK = 5
LENGTHS = (1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 2 * BLOCK + 1)


@dataclass(frozen=True)
class Case:
    """A sparse form with its numbers, the rule of its mask, and the keys of each query by loops."""

    attend: Callable[..., object]
    numbers: tuple[int, ...]
    rule: patterns.Pattern
    keys: Callable[..., list[int]]
    count: Callable[..., int] | None = None


def global_window(width: int, n_global: int) -> patterns.Pattern:
    return patterns.window(width) | patterns.global_tokens(n_global)


CASES = {
    **{
        f"block {size}": Case(
            attend_block, (size,), patterns.block(size), reference_scores.block_keys, lambda n, *x: 0
        )
        for size in (1, BLOCK, 40)
    },
    **{
        f"dilated {width} {dilation}": Case(
            attend_dilated,
            (width, dilation),
            patterns.dilated(width, dilation),
            reference_scores.dilated_keys,
            count_dilated,
        )
        for width, dilation in ((1, 3), (2, 1), (3, 2), (4, 40), (40, 3))
    },
    **{
        f"strided {stride}": Case(
            attend_strided,
            (stride,),
            patterns.strided(stride, is_causal=False),
            reference_scores.strided_keys,
            count_strided,
        )
        for stride in (1, 3, BLOCK, 40)
    },
    **{
        f"global window {width} {n_global}": Case(
            attend_global_window,
            (width, n_global),
            global_window(width, n_global),
            reference_scores.global_window_keys,
            count_global_window,
        )
        for width, n_global in ((1, 0), (2, 1), (3, 4), (BLOCK, 2), (2, 40))
    },
}
every_form = pytest.mark.parametrize("name", CASES)
both_sides = pytest.mark.parametrize("is_causal", [True, False])


def drawn(n: int, *, requires_grad: bool = False) -> tuple[torch.Tensor, ...]:
    generator = torch.Generator().manual_seed(n)
    return tuple(
        torch.randn(B, H, n, d, generator=generator, dtype=torch.float64).requires_grad_(requires_grad)
        for d in (D_K, D_K, D_V)
    )


def dense(case: Case, n: int, is_causal: bool) -> Callable[..., torch.Tensor]:
    rule = case.rule & patterns.causal() if is_causal else case.rule
    return lambda q, k, v: scaled_dot_product_attention(q, k, v, allowed=rule.build(n)).out


def sparse(case: Case, is_causal: bool) -> Callable[..., torch.Tensor]:
    return lambda q, k, v: case.attend(q, k, v, *case.numbers, is_causal=is_causal).out


@both_sides
@every_form
@pytest.mark.parametrize("n", LENGTHS)
def test_V4_sparse_attention_is_dense_attention_with_that_mask_and_has_its_gradients(n, name, is_causal):
    found = []
    for attend in (sparse(CASES[name], is_causal), dense(CASES[name], n, is_causal)):
        x = drawn(n, requires_grad=True)
        out = attend(*x)
        out.sin().sum().backward()
        found.append([out, *(each.grad for each in x)])
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-10)


@both_sides
@every_form
@pytest.mark.parametrize("n", [BLOCK, 2 * BLOCK + 1])
def test_V4_sparse_attention_is_its_definition_in_loops(n, name, is_causal):
    case, (q, k, v) = CASES[name], drawn(n)
    ours = sparse(case, is_causal)(q, k, v)
    seen = [case.keys(query, n, *case.numbers) for query in range(n)]
    if is_causal:
        seen = [[key for key in keys if key <= query] for query, keys in enumerate(seen)]
    looped = reference_scores.sparse_attention(*(x[1, 2].tolist() for x in (q, k, v)), seen)
    torch.testing.assert_close(ours[1, 2].tolist(), looped, rtol=0, atol=1e-10)


@both_sides
@pytest.mark.parametrize("scores_at_once", [1, 200, 900])
@pytest.mark.parametrize("n", [0, 1, 2 * BLOCK + 1, 37])
def test_V3_V4_pieces_in_batches_are_pieces_all_at_once(n, scores_at_once, is_causal, monkeypatch):
    found = []
    for limit in (chunks.SCORES_AT_ONCE, scores_at_once):
        monkeypatch.setattr(chunks, "SCORES_AT_ONCE", limit)
        x = drawn(n, requires_grad=True)
        traces = attend_window(*x, 3, is_causal=is_causal), attend_dilated(*x, 2, 3, is_causal=is_causal)
        sum(trace.out.sin().sum() for trace in traces).backward()
        found.append([y for trace in traces for y in (trace.weights, trace.out)] + [each.grad for each in x])
    for whole, batched in zip(*found, strict=True):
        torch.testing.assert_close(batched, whole, rtol=0, atol=1e-12)


def test_V3_batches_of_pieces_are_no_larger_than_asked_and_leave_none_out(monkeypatch):
    monkeypatch.setattr(chunks, "SCORES_AT_ONCE", 6 * 3 * 9 * 2)
    batches = chunks.cut_near(31, 3, is_causal=True)._batches(B * H)
    assert [piece for batch in batches for piece in batch] == list(range(11))
    assert [len(batch) for batch in batches] == [3, 3, 3, 2]


class LargestTensor(TorchDispatchMode):
    """Write down the most numbers that any operation gives back."""

    n_numbers = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        found = func(*args, **(kwargs or {}))
        for each in found if isinstance(found, tuple | list) else (found,):
            if isinstance(each, torch.Tensor):
                self.n_numbers = max(self.n_numbers, each.numel())
        return found


FORMS = {
    "window": lambda q, k, v: attend_window(q, k, v, 8),
    "block": lambda q, k, v: attend_block(q, k, v, 8),
    "dilated": lambda q, k, v: attend_dilated(q, k, v, 8, 3),
    "strided": lambda q, k, v: attend_strided(q, k, v, 32),
    "global_window": lambda q, k, v: attend_global_window(q, k, v, 8, 2),
}


@pytest.mark.parametrize("name", FORMS)
def test_V3_V4_no_tensor_on_the_way_is_as_large_as_n_times_n(name):
    n, largest = 1021, LargestTensor()
    x = [each.requires_grad_() for each in torch.zeros(3, n, 2)[:, None].unbind(0)]
    with largest:
        FORMS[name](*x).out.sum().backward()
    assert n < largest.n_numbers < n * n / 8


def test_V4_what_looks_for_large_tensors_finds_the_dense_one():
    with LargestTensor() as largest:
        scaled_dot_product_attention(*torch.zeros(3, 64, 2))
    assert largest.n_numbers == 64 * 64


def counted(run: Callable[[], object]) -> int:
    with FlopCounterMode(display=False) as counter:
        run()
    return counter.get_total_flops()


@both_sides
@pytest.mark.parametrize("name", [name for name in CASES if not name.startswith("block")])
@pytest.mark.parametrize("n", [1, BLOCK, 12])
def test_V4_flops_of_sparse_attention_are_its_pairs_times_the_widths(n, name, is_causal):
    case = CASES[name]
    flops = counted(lambda: sparse(case, is_causal)(*drawn(n)))
    assert flops == 2 * B * H * case.count(n, *case.numbers, is_causal=is_causal) * (D_K + D_V)


@pytest.mark.parametrize("n", [4, BLOCK, 12, 15])
def test_V4_flops_of_blocks_are_those_by_formula(n):
    setting = Setting(n=n, d_model=H * D_K, n_heads=H, batch=B, d_v=D_V, block=BLOCK)
    terms = {term.name: term.value for term in list_terms("block", "flops", setting)}
    flops = counted(lambda: attend_block(*drawn(n), BLOCK))
    assert flops == terms["scores"] + terms["out_heads"]
    assert flops == 2 * B * H * count_pairs(n, BLOCK) * (D_K + D_V)


def test_V4_a_key_out_of_sight_moves_nothing():
    q, k, v = drawn(12)
    moved = k.clone()
    moved[..., 5, :] += 100.0
    before, after = (attend_block(q, keys, v, 4).out for keys in (k, moved))
    torch.testing.assert_close(before[..., :4, :], after[..., :4, :], rtol=0, atol=0)
    assert (before[..., 4:8, :] - after[..., 4:8, :]).abs().amax() > 0.1
    torch.testing.assert_close(before[..., 8:, :], after[..., 8:, :], rtol=0, atol=0)


def test_V4_weights_of_near_and_far_keys_sum_to_one():
    trace = attend_strided(*drawn(14), 4)
    sums = trace.near_weights.sum(dim=-1) + trace.far_weights.sum(dim=-1)
    expected = (torch.arange(16) < 14).double().view(4, 4).expand_as(sums)
    torch.testing.assert_close(sums, expected)


@pytest.mark.parametrize("name", FORMS)
def test_V3_V4_half_precision_is_weighed_in_float32(name):
    x = [each.bfloat16() for each in drawn(23)]
    ours, exact = FORMS[name](*x).out, FORMS[name](*(each.double() for each in x)).out
    assert ours.dtype == torch.bfloat16
    torch.testing.assert_close(ours.double(), exact, rtol=0, atol=0.02)


REFUSED = [
    (lambda q, k, v: attend_block(q, k, v, 0), "size must be at least 1, got 0"),
    (lambda q, k, v: attend_block(q, k, v, 2.5), "size must be a whole number, got 2.5"),
    (lambda q, k, v: attend_dilated(q, k, v, 0, 1), "the query itself and must be at least 1, got 0"),
    (lambda q, k, v: attend_dilated(q, k, v, 1, 0), "dilation must be at least 1, got 0"),
    (lambda q, k, v: attend_strided(q, k, v, 0), "stride must be at least 1, got 0"),
    (lambda q, k, v: attend_global_window(q, k, v, 0), "the query itself and must be at least 1, got 0"),
    (lambda q, k, v: attend_global_window(q, k, v, 1, -1), "count must be at least 0, got -1"),
    (lambda q, k, v: attend_strided(q[..., :0], k[..., :0], v, 2), "needs d_k ≥ 1, got d_k=0"),
    (lambda q, k, v: attend_block(q[..., :0], k[..., :0], v, 2), "needs d_k ≥ 1, got d_k=0"),
    (lambda q, k, v: attend_block(q[..., :3, :], k, v, 2), "keys and values as queries, got 3, 4 and 4"),
    (lambda q, k, v: attend_strided(q, k[..., :3], v, 2), "q and k must have one width, got 11 and 3"),
    (
        lambda q, k, v: attend_window(q, k[:, :1], v[:, :1], 2),
        r"the same leading axes, got \(2, 3\) and \(2, 1\)",
    ),
]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("attend", "rule"), REFUSED)
def test_V4_what_cannot_be_sparse_is_refused(attend, rule):
    with pytest.raises(ValueError, match=rule):
        attend(*drawn(4))
