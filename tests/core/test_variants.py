"""Window and linear attention: against dense attention, loops, each other, hand-worked numbers and their cost."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from attention_core import masks, reference
from attention_core.cost import Setting, list_terms
from attention_core.steps import scaled_dot_product_attention
from attention_core.variants.linear import CHUNK, FEATURES, attend_linear, map_features, step_linear
from attention_core.variants.window import attend_window

B, H, D_K, D_V = 2, 3, 11, 13


def drawn(
    n: int, m: int | None = None, *, seed: int = 0, requires_grad: bool = False
) -> tuple[torch.Tensor, ...]:
    generator = torch.Generator().manual_seed(seed)
    m = n if m is None else m
    shapes = ((B, H, n, D_K), (B, H, m, D_K), (B, H, m, D_V))
    return tuple(
        torch.randn(shape, generator=generator, dtype=torch.float64).requires_grad_(requires_grad)
        for shape in shapes
    )


@pytest.mark.parametrize("is_causal", [True, False])
@pytest.mark.parametrize("width", [1, 2, 5, 8])
@pytest.mark.parametrize("n", [1, 4, 5, 6, 7, 8, 9, 15, 16, 17])
def test_C4_a_window_in_chunks_is_dense_attention_with_that_mask(n, width, is_causal):
    q, k, v = drawn(n)
    ours = attend_window(q, k, v, width, is_causal=is_causal)
    dense = scaled_dot_product_attention(q, k, v, allowed=masks.window(n, n, width, is_causal=is_causal))
    torch.testing.assert_close(ours.out, dense.out, rtol=0, atol=1e-12)
    assert int(ours.allowed.sum()) == int(masks.window(n, n, width, is_causal=is_causal).sum())


@pytest.mark.parametrize("is_causal", [True, False])
def test_C4_a_window_has_the_gradients_of_dense_attention(is_causal):
    grads = []
    for attend in (
        lambda q, k, v: attend_window(q, k, v, 4, is_causal=is_causal).out,
        lambda q, k, v: (
            scaled_dot_product_attention(q, k, v, allowed=masks.window(11, 11, 4, is_causal=is_causal)).out
        ),
    ):
        x = drawn(11, requires_grad=True)
        attend(*x).sin().sum().backward()
        grads.append([each.grad for each in x])
    for ours, theirs in zip(*grads, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


def test_C4_a_window_counts_the_query_itself():
    q = k = torch.zeros(6, 1, dtype=torch.float64)
    v = torch.eye(6, dtype=torch.float64)
    seen = (attend_window(q, k, v, 3).out > 0).sum(dim=-1).tolist()
    assert seen == [1, 2, 3, 3, 3, 3]


def test_C4_a_window_never_holds_n_times_n():
    q, k, v = (torch.zeros(512, 2) for _ in "qkv")
    assert attend_window(q, k, v, 8).weights.numel() == 512 * 16


@pytest.mark.parametrize(("n", "width"), [(12, 4), (13, 4), (3, 8)])
def test_C4_flops_of_a_window_are_those_by_formula(n, width):
    q, k, v = drawn(n)
    with FlopCounterMode(display=False) as counter:
        attend_window(q, k, v, width)
    setting = Setting(n=n, d_model=H * D_K, n_heads=H, batch=B, d_v=D_V, width=width)
    terms = {term.name: term.value for term in list_terms("window", "flops", setting)}
    assert counter.get_total_flops() == terms["scores"] + terms["out_heads"]


@pytest.mark.usefixtures("unchecked")
def test_C4_windows_that_cannot_be_are_refused():
    q, k, v = drawn(3)
    with pytest.raises(ValueError, match="width counts the query itself and must be at least 1, got 0"):
        attend_window(q, k, v, 0)
    with pytest.raises(ValueError, match="as many keys and values as queries, got 3, 2 and 2"):
        attend_window(q, k[..., :2, :], v[..., :2, :], 2)


def looped(q, k, v, feature, is_causal):
    phi_q, phi_k = map_features(q, feature), map_features(k, feature)
    heads = [
        reference.linear_attention(*(x.flatten(0, 1)[place].tolist() for x in (phi_q, phi_k, v)), is_causal)
        for place in range(B * H)
    ]
    return torch.tensor(heads, dtype=torch.float64).unflatten(0, (B, H))


@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize(
    ("n", "m", "is_causal"), [(1, 1, True), (5, 7, False), (9, 9, True), (CHUNK + 2, CHUNK + 2, True)]
)
def test_C4_linear_attention_is_its_definition_in_loops(n, m, is_causal, feature):
    q, k, v = drawn(n, m)
    out = attend_linear(q, k, v, feature=feature, is_causal=is_causal).out
    torch.testing.assert_close(out, looped(q, k, v, feature, is_causal), rtol=0, atol=1e-10)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("feature", FEATURES)
@pytest.mark.parametrize("is_causal", [True, False])
def test_V5_linear_attention_in_its_three_forms_is_its_loops_with_their_gradients(is_causal, feature):
    # The loops add and multiply alone, so that tensors of one number pass through them with their gradients.
    x = [each[0, 0].detach().requires_grad_() for each in drawn(6)]
    phi_q, phi_k = (map_features(each, feature) for each in x[:2])
    rows = reference.linear_attention(
        *([list(row) for row in each] for each in (phi_q, phi_k, x[2])), is_causal
    )
    products = phi_q @ phi_k.T
    products = products.tril() if is_causal else products
    forms = [
        torch.stack([torch.stack(row) for row in rows]),
        products / products.sum(dim=-1, keepdim=True).clamp(min=1e-300) @ x[2],
        attend_linear(*x, feature=feature, is_causal=is_causal).out,
    ]
    grads = [torch.autograd.grad(out.sin().sum(), x, retain_graph=True) for out in forms]
    for out, grad in zip(forms[1:], grads[1:], strict=True):
        torch.testing.assert_close(out, forms[0], rtol=0, atol=1e-10)
        for ours, looped in zip(grad, grads[0], strict=True):
            torch.testing.assert_close(ours, looped, rtol=0, atol=1e-10)


def recurrent(q, k, v, feature):
    state = k.new_zeros(B, H, D_K, D_V)
    key_sum, rows = k.new_zeros(B, H, D_K), []
    for n in range(q.shape[-2]):
        out, state, key_sum = step_linear(*(x[..., n, :] for x in (q, k, v)), state, key_sum, feature=feature)
        rows.append(out)
    return torch.stack(rows, dim=-2), state, key_sum


@pytest.mark.parametrize("n", [1, CHUNK - 1, CHUNK, CHUNK + 1])
def test_C4_linear_attention_in_parallel_and_step_by_step_agree_with_their_gradients(n):
    x, y = drawn(n, requires_grad=True), drawn(n, requires_grad=True)
    whole = attend_linear(*x, is_causal=True)
    steps, state, key_sum = recurrent(*y, "elu")
    torch.testing.assert_close(whole.out, steps, rtol=0, atol=1e-10)
    torch.testing.assert_close(whole.state, state, rtol=0, atol=1e-10)
    torch.testing.assert_close(whole.key_sum, key_sum, rtol=0, atol=1e-10)
    whole.out.sin().sum().backward()
    steps.sin().sum().backward()
    for ours, theirs in zip(x, y, strict=True):
        torch.testing.assert_close(ours.grad, theirs.grad, rtol=0, atol=1e-9)


@pytest.mark.parametrize("feature", FEATURES)
def test_C4_causal_linear_attention_on_numbers_worked_by_hand(feature):
    one = torch.ones(1, H, 3, 1, dtype=torch.float64)
    v = torch.tensor([2.0, 10.0, 50.0], dtype=torch.float64)[:, None].expand(1, H, 3, 1)
    out = attend_linear(one, one, v, feature=feature, is_causal=True).out
    expected = torch.tensor([2.0, 6.0, 62 / 3], dtype=torch.float64).expand(1, H, 3)
    torch.testing.assert_close(out[..., 0], expected)


@pytest.mark.parametrize("is_causal", [True, False])
def test_C4_a_mean_of_equal_values_is_that_value(is_causal):
    q, k, _ = drawn(7)
    v = torch.full((B, H, 7, D_V), 3.5, dtype=torch.float64)
    torch.testing.assert_close(attend_linear(q, k, v, is_causal=is_causal).out, v)


def test_C4_a_query_without_positive_features_sees_nothing():
    q = torch.tensor([[-1.0, -2.0], [1.0, 1.0]], dtype=torch.float64)
    k, v = torch.ones(2, 2, dtype=torch.float64), torch.full((2, 3), 4.0, dtype=torch.float64)
    trace = attend_linear(q, k, v, feature="relu")
    assert trace.normaliser.tolist() == [0, 4]
    assert trace.out.tolist() == [[0, 0, 0], [4, 4, 4]]


def test_C4_flops_of_linear_attention_are_those_by_formula_and_grow_with_n():
    counted = []
    for n in (16, 32):
        with FlopCounterMode(display=False) as counter:
            attend_linear(*drawn(n))
        setting = Setting(n=n, d_model=H * D_K, n_heads=H, batch=B, d_v=D_V)
        terms = {term.name: term.value for term in list_terms("linear", "flops", setting)}
        assert counter.get_total_flops() == sum(terms[name] for name in ("state", "out_heads", "normaliser"))
        counted.append(counter.get_total_flops())
    assert counted[1] == 2 * counted[0]


@pytest.mark.usefixtures("unchecked")
def test_C4_linear_attention_refuses_what_it_cannot_do():
    q, k, v = drawn(2, 3)
    with pytest.raises(ValueError, match="causal needs as many keys as queries, got 2 queries and 3 keys"):
        attend_linear(q, k, v, is_causal=True)
    with pytest.raises(ValueError, match="features are elu or relu, got exp"):
        attend_linear(q, k, v, feature="exp")
