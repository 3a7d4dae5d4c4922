"""Claim H5: one projection for all heads equals one for each; exactly so, where every sum is made in one order."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from attention_core.components import DTYPES, DTypeName, spacing_at
from attention_core.multi_head import merge_heads, split_heads

# matmul: one product for each head. batched: one batched product for all of them. einsum: heads as an index of the
# weight. fixed_order: products of single numbers, added one by one.
Form = Literal["matmul", "batched", "einsum", "fixed_order"]
FORMS: tuple[Form, ...] = get_args(Form)
MAX_TOKENS, MAX_HEADS, MAX_WIDTH = 64, 64, 1024
# Turns in Python that fixed_order may make for one type: one or two seconds.
MAX_TURNS = 2**14
PRODUCTS = ("aten.mm", "aten.bmm", "aten.addmm", "aten.baddbmm", "aten.mv", "aten.mul")
Project = Callable[[Float[Tensor, "N d_model"], Float[Tensor, "d_model _"]], Float[Tensor, "N _"]]


@dataclass(frozen=True, eq=False)
class Projection:
    """One way of projecting to all heads, and what came of it.

    Attributes:
        calls: How often each operation of torch was called, by name; those that only look at a tensor in another
            shape are among them.
        n_products: Those among them that multiply.
        widths: Columns of what they make, each number once. Where it is the width of all heads together, torch has
            made the one large product whatever was asked for.
        n_parameters: Of the weights it reads.
    """

    heads: Float[Tensor, "H N d_k"]
    calls: dict[str, int]
    n_products: int
    widths: tuple[int, ...]
    n_parameters: int


@dataclass(frozen=True, eq=False)
class Comparison:
    """One projection for all heads beside one for each, in one type.

    Attributes:
        form: How the products are made.
        big: In fixed_order the large product is made in that order too, else by one matmul.
        apart: The large product less the small ones, laid side by side, in float64.
        difference: The largest size in apart.
        step: From the largest number of big to its neighbour in the type; 0 where all are 0.
        relative_difference: It, over the largest number of big; 0 where all are 0.
        n_different: Numbers that are not the same to the last bit.
        bound: What two orders of the same sums may differ by at most, 2 · d_model · u · max Σ |x·w|, with u half the
            step from 1 to the next number of the type.
    """

    form: Form
    dtype: DTypeName
    big: Projection
    small: Projection
    apart: Float[Tensor, "N d_model"]
    difference: float
    step: float
    relative_difference: float
    n_different: int
    bound: float


@dataclass(frozen=True)
class Orders:
    """The same sums made from the first product to the last, and from the last to the first.

    Attributes:
        difference: The largest between them.
        n_different: Numbers that are not the same to the last bit.
        is_rounded_once: torch's own product is, to the last bit, the one that float32 makes, rounded once. True of
            float32 itself; for float64 it says nothing, and is False.
    """

    difference: float
    n_different: int
    is_rounded_once: bool


def add_in_order(x: Float[Tensor, "N d_model"], w: Float[Tensor, "d_model _"]) -> Float[Tensor, "N _"]:
    """Multiply matrices by adding one product after the other, in the order of d_model.

        out[n, i] = ((x[n, 0]·w[0, i] + x[n, 1]·w[1, i]) + x[n, 2]·w[2, i]) + …

    Returns:
        Numbers that depend on their own row and column alone, not on how many columns stand beside them: each step is
        one rounded product and one rounded sum.

    Example:
        >>> add_in_order(torch.tensor([[1.0, 2.0]]), torch.tensor([[1.0, 0.0], [0.0, 10.0]])).tolist()
        [[1.0, 20.0]]

    Source: IEEE 754 fixes the result of one product and of one sum, not the order of many; our choice is not to use
        addcmul, which may round once for both.
    """
    out = x.new_zeros(x.shape[0], w.shape[1])
    for column, row in zip(x[:, :, None].unbind(1), w.unbind(0), strict=True):
        out = out + column * row
    return out


def compare_orders(x: Float[Tensor, "N d_model"], w_q: Float[Tensor, "d_model _"]) -> Orders:
    """Make the same sums in two orders, and look whether torch's product was rounded once only.

    Returns:
        Theory: sums of two terms or fewer do not depend on the order; of more they may, and the coarser the type the
        more.

    Example:
        >>> x = torch.tensor([[2048.0, 1.0, 1.0]], dtype=torch.float16)  # whose neighbour is 2050
        >>> compare_orders(x, torch.ones(3, 1, dtype=torch.float16)).difference
        2.0
    """
    forth, back = add_in_order(x, w_q), add_in_order(x.flip(1), w_q.flip(0))
    apart = (forth.double() - back.double()).abs()
    is_wider = x.dtype == torch.float64
    is_rounded_once = not is_wider and torch.equal(x @ w_q, (x.float() @ w_q.float()).to(x.dtype))
    return Orders(float(apart.max()), int((apart != 0).sum()), is_rounded_once)


def draw_projection(
    n: int, d_model: int, generator: torch.Generator
) -> tuple[Float[Tensor, "N d_model"], Float[Tensor, "d_model H_d_k"]]:
    """Draw an input and the one large matrix, in float64; what comes out is about as large as what goes in."""
    x = torch.randn(n, d_model, generator=generator, dtype=torch.float64)
    return x, torch.randn(d_model, d_model, generator=generator, dtype=torch.float64) / d_model**0.5


def project_once(
    x: Float[Tensor, "N d_model"], w_q: Float[Tensor, "d_model H_d_k"], n_heads: int, form: Form
) -> Float[Tensor, "H N d_k"]:
    """Project by one large matrix and split.

    Raises:
        ValueError: an unknown form.
    """
    _check_form(form)
    product = add_in_order(x, w_q) if form == "fixed_order" else x @ w_q
    return split_heads(product, n_heads)


def project_each(
    x: Float[Tensor, "N d_model"], w_heads: Float[Tensor, "H d_model d_k"], form: Form
) -> Float[Tensor, "H N d_k"]:
    """Project by one small matrix for each head.

    Raises:
        ValueError: an unknown form.
    """
    _check_form(form)
    if form == "matmul":
        return torch.stack([x @ w for w in w_heads])
    if form == "batched":
        return torch.bmm(x.expand(len(w_heads), *x.shape), w_heads)
    if form == "einsum":
        return torch.einsum("nd,hdk->hnk", x, w_heads)
    return torch.stack([add_in_order(x, w) for w in w_heads])


def compare_projections(
    *,
    n: int = 5,
    d_model: int = 12,
    n_heads: int = 3,
    generator: torch.Generator,
    dtypes: Sequence[DTypeName] = ("float64", "float32"),
    forms: Sequence[Form] = FORMS,
) -> tuple[Comparison, ...]:
    """Compute the queries of all heads by one product and by one for each head, on the same numbers.

    Args:
        dtypes: In float32 and below the numbers are those of float64, rounded.

    Returns:
        One record for each type and form, in order. Theory: the same numbers are multiplied and added, so that only
        rounding can differ. fixed_order differs by exactly 0 in every type. matmul and batched need not: a library
        picks its blocks by the size of the product, and with them the order of the sum. einsum's 0 says little:
        torch lays the heads side by side and makes the one large product again, as its widths show.

    Raises:
        ValueError: a size outside its bounds, a d_model that n_heads does not divide, an unknown form or type, or
            more turns of fixed_order than MAX_TURNS.

    Example:
        >>> found = compare_projections(generator=torch.Generator().manual_seed(0), forms=("fixed_order", "matmul"))
        >>> for record in found:
        ...     print(record.form, record.small.n_parameters, record.difference <= record.bound)
        fixed_order 144 True
        matmul 144 True
        fixed_order 144 True
        matmul 144 True
        >>> found[0].difference, found[1].big.widths, found[1].small.n_products, found[1].small.widths
        (0.0, (12,), 3, (4,))

    Cost: 2 · 2·N·d_model² FLOPs for each form; fixed_order makes d_model turns in Python, once for the large matrix and
        once for each head.
    Source: the bound is Higham 2002, section 3.1, for each of the two sums.
    """
    _check_sizes(n, d_model, n_heads)
    if "fixed_order" in forms and d_model * n_heads > MAX_TURNS:
        raise ValueError(
            f"fixed_order needs d_model · n_heads of at most {MAX_TURNS}, got {d_model} · {n_heads}"
        )
    for dtype in dtypes:
        if dtype not in DTYPES:
            raise ValueError(f"a type is one of {', '.join(DTYPES)}, got {dtype}")
    for form in forms:
        _check_form(form)
    x, w_q = draw_projection(n, d_model, generator)
    return tuple(_compare(x, w_q, n_heads, dtype, form) for dtype in dtypes for form in forms)


class _Counting(TorchDispatchMode):
    """Count the operations of torch that are called while it is entered, in this thread."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: Counter[str] = Counter()
        self.widths: set[int] = set()

    def __torch_dispatch__(
        self, func: Callable[..., object], types: object, args: tuple = (), kwargs: dict | None = None
    ) -> object:
        name = str(func).rpartition(".")[0]
        made = func(*args, **(kwargs or {}))
        self.calls[name] += 1
        if name in PRODUCTS:
            self.widths.add(made.shape[-1])
        return made


def _project(run: Callable[[], Float[Tensor, "H N d_k"]], n_parameters: int) -> Projection:
    with _Counting() as counting:
        heads = run()
    calls = dict(counting.calls)
    n_products = sum(calls.get(name, 0) for name in PRODUCTS)
    return Projection(heads, calls, n_products, tuple(sorted(counting.widths)), n_parameters)


def _compare(
    x: Float[Tensor, "N d_model"],
    w_q: Float[Tensor, "d_model H_d_k"],
    n_heads: int,
    dtype: DTypeName,
    form: Form,
) -> Comparison:
    x, w_q = x.to(DTYPES[dtype]), w_q.to(DTYPES[dtype])
    w_heads = split_heads(w_q, n_heads).contiguous()
    big = _project(lambda: project_once(x, w_q, n_heads, form), w_q.numel())
    small = _project(lambda: project_each(x, w_heads, form), w_heads.numel())
    apart = merge_heads(big.heads.double()) - merge_heads(small.heads.double())
    difference, largest = float(apart.abs().max()), float(big.heads.double().abs().max())
    sums = float((x.double().abs() @ w_q.double().abs()).max())
    return Comparison(
        form=form,
        dtype=dtype,
        big=big,
        small=small,
        apart=apart,
        difference=difference,
        step=spacing_at(largest, dtype),
        relative_difference=difference / largest if largest else 0.0,
        n_different=int((apart != 0).sum()),
        bound=2 * x.shape[1] * torch.finfo(x.dtype).eps / 2 * sums,
    )


def _check_form(form: str) -> None:
    if form not in FORMS:
        raise ValueError(f"a form is one of {', '.join(FORMS)}, got {form}")


def _check_sizes(n: int, d_model: int, n_heads: int) -> None:
    for name, size, most in (
        ("n", n, MAX_TOKENS),
        ("d_model", d_model, MAX_WIDTH),
        ("n_heads", n_heads, MAX_HEADS),
    ):
        if not 1 <= size <= most:
            raise ValueError(f"{name} must be from 1 to {most}, got {size}")
    if d_model % n_heads:
        raise ValueError(f"d_model must be a multiple of n_heads, got {d_model} and {n_heads}")
