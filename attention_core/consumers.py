"""Which call takes a mask in which convention, and what comes out when it is fed one in another."""

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

import torch
import torch.nn.functional as F
from jaxtyping import Float, Shaped
from torch import Tensor, nn
from torch.nn.utils import skip_init

from attention_core import steps
from attention_core.conventions import Convention

Run = Callable[
    [Float[Tensor, "N d_k"], Float[Tensor, "M d_k"], Float[Tensor, "M d_v"], Shaped[Tensor, "#N M"]],
    Float[Tensor, "N d_v"],
]


@dataclass(frozen=True)
class Consumer:
    """One way to hand a mask to an attention.

    Attributes:
        convention: What the call takes the mask for.
        call: The line that hands it over; mha is `identity_mha` of the width of q.
        run: Runs that line for one head.
        has_one_row: The mask hides keys from every query alike.
    """

    convention: Convention
    call: str
    run: Run
    has_one_row: bool = False


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a call answered: either its output, or the words in which it refused."""

    out: Float[Tensor, "N d_v"] | None
    refusal: str | None


def identity_mha(q: Float[Tensor, "N d_k"]) -> nn.MultiheadAttention:
    """Make torch's module for one head with projections that change nothing, of the width and type of q.

    Returns:
        A module without bias, dropout, gradients and random numbers: its attention is softmax(q kᵀ / √d_k) v, in training mode.

    Example:
        >>> x = torch.eye(2)
        >>> identity_mha(x)(x, x, x)[1].sum(dim=-1).tolist()
        [1.0, 1.0]
    """
    width = q.shape[-1]
    # The module draws its weights when it is made, from the generator that all share.
    mha = skip_init(nn.MultiheadAttention, width, 1, bias=False, dtype=q.dtype, device=q.device)
    mha.requires_grad_(False)
    identity = torch.eye(width, dtype=q.dtype, device=q.device)
    mha.in_proj_weight.copy_(identity.repeat(3, 1))
    mha.out_proj.weight.copy_(identity)
    return mha


def run_sdpa(
    q: Float[Tensor, "N d_k"],
    k: Float[Tensor, "M d_k"],
    v: Float[Tensor, "M d_v"],
    mask: Shaped[Tensor, "#N M"],
) -> Float[Tensor, "N d_v"]:
    """Hand a mask to PyTorch's function: bool says who may see, floats are added.

    Example:
        >>> q = k = torch.zeros(2, 1)
        >>> run_sdpa(q, k, torch.tensor([[1.0], [3.0]]), torch.tensor([[True, False], [True, True]])).tolist()
        [[1.0], [2.0]]
    """
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


def run_mha(
    q: Float[Tensor, "N d_k"],
    k: Float[Tensor, "M d_k"],
    v: Float[Tensor, "M d_v"],
    mask: Shaped[Tensor, "#N M"],
) -> Float[Tensor, "N d_v"]:
    """Hand a mask to PyTorch's module: bool says who is blocked, floats are added.

    Returns:
        The output, asked for with the weights: a query that sees nothing then gets NaN.

    Raises:
        ValueError: values of another width than the queries; the module has one width.

    Example:
        >>> q = k = torch.zeros(2, 1)
        >>> run_mha(q, k, torch.tensor([[1.0], [3.0]]), torch.tensor([[False, True], [False, False]])).tolist()
        [[1.0], [2.0]]
    """
    _check_one_width(q, v)
    mha = identity_mha(q)
    mask = mask.expand(len(q), len(k))
    return mha(q, k, v, attn_mask=mask)[0]


def run_mha_padding(
    q: Float[Tensor, "N d_k"],
    k: Float[Tensor, "M d_k"],
    v: Float[Tensor, "M d_v"],
    mask: Shaped[Tensor, "#N M"],
) -> Float[Tensor, "N d_v"]:
    """Hand PyTorch's module a mask of keys: bool says who is blocked, floats are added.

    Args:
        mask: One row, or rows that are all the same.

    Raises:
        ValueError: values of another width than the queries, or rows that differ.

    Example:
        >>> q, k = torch.zeros(1, 1), torch.zeros(2, 1)
        >>> run_mha_padding(q, k, torch.tensor([[1.0], [3.0]]), torch.tensor([[False, True]])).tolist()
        [[1.0]]
    """
    _check_one_width(q, v)
    n_different = len(mask.unique(dim=0))
    if n_different != 1:
        raise ValueError(f"key_padding_mask is one row for all queries, got {n_different} different rows")
    mha = identity_mha(q)
    return mha(q, k, v, key_padding_mask=mask[0])[0]


def run_core(
    q: Float[Tensor, "N d_k"],
    k: Float[Tensor, "M d_k"],
    v: Float[Tensor, "M d_v"],
    mask: Shaped[Tensor, "#N M"],
) -> Float[Tensor, "N d_v"]:
    """Hand our own core a mask of who may see; it takes nothing but bool.

    Example:
        >>> q, k = torch.zeros(1, 1), torch.zeros(2, 1)
        >>> run_core(q, k, torch.tensor([[1.0], [3.0]]), torch.tensor([[True, False]])).tolist()
        [[1.0]]
    """
    return steps.scaled_dot_product_attention(q, k, v, allowed=mask).out


def run_core_bias(
    q: Float[Tensor, "N d_k"],
    k: Float[Tensor, "M d_k"],
    v: Float[Tensor, "M d_v"],
    mask: Shaped[Tensor, "#N M"],
) -> Float[Tensor, "N d_v"]:
    """Hand our own core floats to add; it takes nothing but the type of q.

    Example:
        >>> q, k = torch.zeros(1, 1), torch.zeros(2, 1)
        >>> bias = torch.tensor([[0.0, -torch.inf]])
        >>> run_core_bias(q, k, torch.tensor([[1.0], [3.0]]), bias).tolist()
        [[1.0]]
    """
    return steps.scaled_dot_product_attention(q, k, v, bias=mask).out


_SDPA = "F.scaled_dot_product_attention(q, k, v, attn_mask=mask)"
_MHA = "mha(q, k, v, attn_mask=mask)[0]"
_MHA_PADDING = "mha(q, k, v, key_padding_mask=mask[0])[0]"
CONSUMERS: MappingProxyType[str, Consumer] = MappingProxyType(
    {
        "sdpa_bool": Consumer("allowed", _SDPA, run_sdpa),
        "sdpa_float": Consumer("additive", _SDPA, run_sdpa),
        "mha_bool": Consumer("blocked", _MHA, run_mha),
        "mha_float": Consumer("additive", _MHA, run_mha),
        "mha_padding_bool": Consumer("blocked", _MHA_PADDING, run_mha_padding, has_one_row=True),
        "mha_padding_float": Consumer("additive", _MHA_PADDING, run_mha_padding, has_one_row=True),
        "core": Consumer("allowed", "scaled_dot_product_attention(q, k, v, allowed=mask).out", run_core),
        "core_bias": Consumer(
            "additive", "scaled_dot_product_attention(q, k, v, bias=mask).out", run_core_bias
        ),
    }
)


def feed(
    consumer: Consumer,
    q: Float[Tensor, "N d_k"],
    k: Float[Tensor, "M d_k"],
    v: Float[Tensor, "M d_v"],
    mask: Shaped[Tensor, "#N M"],
) -> Outcome:
    """Hand a call a mask, in its own convention or in a wrong one, and take down what it answers.

    Args:
        mask: As it is: nothing is converted or checked before the call.

    Returns:
        The output, which may be wrong without any sign, or the words in which the call refused.

    Example:
        >>> q, k = torch.zeros(1, 1), torch.zeros(2, 1)
        >>> v = torch.tensor([[1.0], [3.0]])
        >>> feed(CONSUMERS["mha_bool"], q, k, v, torch.tensor([[True, False]])).out.tolist()
        [[3.0]]
        >>> feed(CONSUMERS["mha_bool"], q, k, v, torch.tensor([[1, 0]])).refusal
        'only bool and floating types of attn_mask are supported'
    """
    try:
        return Outcome(consumer.run(q, k, v, mask), None)
    except (RuntimeError, ValueError, TypeError, AssertionError) as error:
        return Outcome(None, str(error))


def _check_one_width(q: Float[Tensor, "N d_k"], v: Float[Tensor, "M d_v"]) -> None:
    """Refuse values that a module with identity projections cannot take."""
    if q.shape[-1] != v.shape[-1]:
        raise ValueError(f"nn.MultiheadAttention has one width, got d_k={q.shape[-1]} and d_v={v.shape[-1]}")
