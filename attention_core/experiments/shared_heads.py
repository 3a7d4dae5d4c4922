"""Claim H9: fewer heads of keys and values make a smaller cache; which query head reads which of them."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from attention_core.kv_sharing import cache_bytes, cache_token_bytes
from attention_core.ledger import Ledger, build_ledger
from attention_core.masks import causal
from attention_core.multi_head import MultiHeadAttention
from attention_core.sizes import MAX_HEADS, DType, Sizes
from attention_core.steps import repeat_heads, scaled_dot_product_attention

Kind = Literal["MHA", "GQA", "MQA"]
# Of the layers that run on real numbers.
MAX_RUN_D_MODEL = 512
MAX_RUN_N = 64
PROJECTIONS = ("w_q", "w_k", "w_v", "w_o")


@dataclass(frozen=True)
class HeadSharing:
    """One layer with its heads of keys and values: shapes, parameters, cache.

    Attributes:
        kind: MHA where every query head has its own, MQA where all share one, GQA between; one head is MHA.
        shapes: Of w_q, w_k, w_v and w_o, inputs first.
        n_parameters: Of one layer, without bias; n_kv_parameters are those of w_k and w_v.
        reads: Which key/value head each query head reads.
        token_bytes: What one token adds to the cache of all layers.
        cache_bytes: Of the whole batch at n tokens.
        ratio: Its cache over MHA's.
    """

    kind: Kind
    n_heads: int
    n_kv_heads: int
    d_k: int
    shapes: dict[str, tuple[int, ...]]
    n_parameters: int
    n_kv_parameters: int
    reads: tuple[int, ...]
    token_bytes: int
    cache_bytes: int
    ratio: Fraction


@dataclass(frozen=True)
class Agreement:
    """One grouped layer beside three others that must agree with it.

    Attributes:
        to_tied: Largest difference of its output to that of MHA whose key/value heads are tied, so that each
            group's heads have equal columns in w_k and in w_v. Numbers are multiples of 1/8, so that projections and
            scores are exact, and so is this: theory 0.
        to_torch: Largest difference of the heads' outputs to F.scaled_dot_product_attention(enable_gqa=True);
            rounding.
        to_untied: Largest difference to MHA with w_k and w_v of its own: they are other layers, unless there is
            nothing to share.
        cached_bytes: What its keys and values of this input take, counted from the tensors themselves.
    """

    n_heads: int
    n_kv_heads: int
    to_tied: float
    to_torch: float
    to_untied: float
    cached_bytes: int


def legal_kv_heads(n_heads: int) -> tuple[int, ...]:
    """Name the numbers of key/value heads that divide the query heads, most first.

    Raises:
        ValueError: n_heads that is not from 1 to MAX_HEADS.

    Example:
        >>> legal_kv_heads(12)
        (12, 6, 4, 3, 2, 1)
    """
    if not 1 <= n_heads <= MAX_HEADS:
        raise ValueError(f"n_heads must be from 1 to {MAX_HEADS}, got {n_heads}")
    return tuple(n for n in range(n_heads, 0, -1) if n_heads % n == 0)


def kind_of(n_heads: int, n_kv_heads: int) -> Kind:
    """Name a way of sharing.

    Example:
        >>> kind_of(4, 4), kind_of(4, 2), kind_of(4, 1), kind_of(1, 1)
        ('MHA', 'GQA', 'MQA', 'MHA')
    """
    if n_kv_heads == n_heads:
        return "MHA"
    return "MQA" if n_kv_heads == 1 else "GQA"


def find_reads(n_heads: int, n_kv_heads: int) -> tuple[int, ...]:
    """Find which key/value head each query head reads, by attending to values that are their head's number.

    Raises:
        ValueError: n_heads that is not from 1 to MAX_HEADS, or no multiple of n_kv_heads.

    Example:
        >>> find_reads(4, 2), find_reads(4, 1)
        ((0, 0, 1, 1), (0, 0, 0, 0))
    """
    if n_kv_heads not in legal_kv_heads(n_heads):
        raise ValueError(
            f"n_heads must be a multiple of n_kv_heads, got n_heads={n_heads} and n_kv_heads={n_kv_heads}"
        )
    q, k = torch.zeros(1, n_heads, 1, 1), torch.zeros(1, n_kv_heads, 1, 1)
    numbers = torch.arange(n_kv_heads, dtype=q.dtype).reshape(k.shape)
    # With a single key every weight is 1: what comes out is the value itself.
    return tuple(int(number) for number in scaled_dot_product_attention(q, k, numbers).out.flatten().tolist())


def share_heads(
    d_model: int,
    n_heads: int,
    n_kv_heads: int,
    *,
    n_layers: int = 1,
    n: int = 1,
    batch: int = 1,
    dtype: DType = "float16",
) -> HeadSharing:
    """Describe a layer with some heads of keys and values, from its ledger: on meta, without numbers.

    Args:
        n: Tokens in the cache.
        dtype: Of the cache.

    Raises:
        ValueError: as for build_ledger and cache_bytes.

    Example:
        >>> sharing = share_heads(4096, 32, 8, n_layers=32, n=8192)
        >>> sharing.kind, sharing.shapes["w_k"], sharing.token_bytes, sharing.cache_bytes, sharing.ratio
        ('GQA', (4096, 1024), 131072, 1073741824, Fraction(1, 4))
    """
    sizes = Sizes(batch, n, d_model, n_heads, n_kv_heads, dtype=dtype)
    own = build_ledger(sizes)
    return _describe(own, build_ledger(replace(sizes, n_kv_heads=None)), n_layers)


def compare_sharing(
    d_model: int,
    n_heads: int,
    *,
    n_layers: int = 1,
    n: int = 1,
    batch: int = 1,
    dtype: DType = "float16",
) -> tuple[HeadSharing, ...]:
    """Describe a layer with each legal number of key/value heads, from MHA to MQA.

    Raises:
        ValueError: as for share_heads.

    Example:
        >>> [(s.kind, s.n_kv_heads, s.n_parameters) for s in compare_sharing(8, 4)]
        [('MHA', 4, 256), ('GQA', 2, 192), ('MQA', 1, 160)]

    Source: Shazeer 2019; Ainslie et al. 2023, section 2.2.
    """
    sizes = Sizes(batch, n, d_model, n_heads, dtype=dtype)
    full = build_ledger(sizes)
    ledgers = (build_ledger(replace(sizes, n_kv_heads=count)) for count in legal_kv_heads(n_heads))
    return tuple(_describe(ledger, full, n_layers) for ledger in ledgers)


def _describe(ledger: Ledger, full: Ledger, n_layers: int) -> HeadSharing:
    """Read a layer from its ledger.

    Args:
        full: Of the same layer as MHA.
    """
    sizes, cached = ledger.sizes, cache_bytes(ledger, n_layers)
    # What each matrix takes and makes: one is as wide as its rows are many, the other as its columns.
    ends = {"w_q": ("x", "q"), "w_k": ("x", "k"), "w_v": ("x", "v"), "w_o": ("merged", "out")}
    return HeadSharing(
        kind=kind_of(sizes.n_heads, sizes.kv_heads),
        n_heads=sizes.n_heads,
        n_kv_heads=sizes.kv_heads,
        d_k=ledger.d_k,
        shapes={name: tuple(ledger.row(end).shape[-1] for end in both) for name, both in ends.items()},
        n_parameters=ledger.parameters,
        n_kv_parameters=ledger.row("k").parameters + ledger.row("v").parameters,
        reads=find_reads(sizes.n_heads, sizes.kv_heads),
        token_bytes=cache_token_bytes(ledger, n_layers),
        cache_bytes=cached,
        ratio=Fraction(cached, cache_bytes(full, n_layers)),
    )


def longest_context(token_bytes: int, memory: int) -> int:
    """Count the tokens of one sequence whose keys and values fit into a memory of so many bytes.

    Raises:
        ValueError: token_bytes below 1, memory below 0.

    Example:
        >>> longest_context(131_072, 16 * 2**30)
        131072
    """
    if token_bytes < 1 or memory < 0:
        raise ValueError(
            f"token_bytes must be at least 1 and memory at least 0, got {token_bytes} and {memory}"
        )
    return memory // token_bytes


def check_sharing(
    d_model: int, n_heads: int, n_kv_heads: int, *, n: int = 5, seed: int = 0, is_causal: bool = False
) -> Agreement:
    """Run a grouped layer beside tied MHA, untied MHA and PyTorch's own grouped attention.

    Args:
        seed: For x and all weights.

    Returns:
        Theory: GQA with as many key/value heads as query heads is MHA exactly, MQA is MHA whose heads are all tied.

    Raises:
        ValueError: d_model above MAX_RUN_D_MODEL, n that is not from 1 to MAX_RUN_N, sizes that do not divide.

    Example:
        >>> [check_sharing(12, 6, n_kv_heads).to_tied for n_kv_heads in (6, 2, 1)]
        [0.0, 0.0, 0.0]
    """
    if d_model > MAX_RUN_D_MODEL or not 1 <= n <= MAX_RUN_N:
        raise ValueError(
            f"d_model must be at most {MAX_RUN_D_MODEL} and n from 1 to {MAX_RUN_N}, got {d_model} and n={n}"
        )
    generator = torch.Generator().manual_seed(seed)
    grouped, tied = (
        MultiHeadAttention(d_model, n_heads, heads, generator=generator, dtype=torch.float64)
        for heads in (n_kv_heads, n_heads)
    )
    full = {name: _draw_eighths(tied.get_parameter(name).shape, generator) for name in PROJECTIONS}
    first = {name: w[:, : grouped.get_parameter(name).shape[-1]] for name, w in full.items()}
    x = _draw_eighths((1, n, d_model), generator)
    allowed = causal(n) if is_causal else None
    group_size = n_heads // n_kv_heads
    repeated = {name: tie_columns(first[name], n_kv_heads, group_size) for name in ("w_k", "w_v")}
    with torch.no_grad():
        grouped.load_state_dict(first)
        trace = grouped(x, allowed=allowed)
        tied.load_state_dict(first | repeated)
        tied_out = tied(x, allowed=allowed).out
        tied.load_state_dict(full)
        untied_out = tied(x, allowed=allowed).out
        torch_out = F.scaled_dot_product_attention(
            trace.q_heads, trace.k_heads, trace.v_heads, is_causal=is_causal, enable_gqa=True
        )
    return Agreement(
        n_heads=n_heads,
        n_kv_heads=n_kv_heads,
        to_tied=_largest(trace.out - tied_out),
        to_torch=_largest(trace.attention.out - torch_out),
        to_untied=_largest(trace.out - untied_out),
        cached_bytes=trace.k_heads.nbytes + trace.v_heads.nbytes,
    )


def tie_columns(
    w: Float[Tensor, "d_model H_kv_d_k"], n_kv_heads: int, group_size: int
) -> Float[Tensor, "d_model H_kv_d_k*{group_size}"]:
    """Give each query head its own copy of the columns of the key/value head that it reads.

    Example:
        >>> tie_columns(torch.tensor([[1.0, 2.0, 3.0, 4.0]]), 2, 2).tolist()
        [[1.0, 2.0, 1.0, 2.0, 3.0, 4.0, 3.0, 4.0]]
    """
    heads = w.T.unflatten(0, (n_kv_heads, -1))
    return repeat_heads(heads, group_size).flatten(0, 1).T


def _draw_eighths(shape: tuple[int, ...], generator: torch.Generator) -> Float[Tensor, "..."]:
    """Draw multiples of 1/8 within ±1: what is multiplied and added of them stays exact."""
    return torch.randint(-8, 9, shape, generator=generator).double() / 8


def _largest(difference: Float[Tensor, "..."]) -> float:
    return float(difference.abs().max())
