"""Claim C5: with a cache each new token asks the past once; without one the whole past is computed again."""

import time
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.kv_cache import KVCache, decode_step
from attention_core.masks import causal, window
from attention_core.multi_head import MultiHeadAttention
from attention_core.positions import sinusoidal

MAX_N = 1024
MAX_WIDTH = 1024


@dataclass(frozen=True)
class Decoding:
    """One text written token by token, three times.

    Attributes:
        cached_s: Of each token, with a cache.
        recomputed_s: Of each token, with a pass over all tokens so far.
        difference: The largest distance between the two outputs of a token: rounding.
        to_whole: The largest distance of the cached outputs from one causal pass over the whole text: rounding.
        restarted: The same where every token is given position 0, a fault of real caches.
        cache_bytes: Of the keys and values that lie there at the end.
    """

    n: int
    cached_s: tuple[float, ...]
    recomputed_s: tuple[float, ...]
    difference: float
    to_whole: float
    restarted: float
    cache_bytes: int

    @property
    def speedup(self) -> float:
        """Say how many times longer recomputing took, all tokens together."""
        return sum(self.recomputed_s) / sum(self.cached_s)


def measure_decoding(
    n: int,
    *,
    d_model: int = 256,
    n_heads: int = 4,
    n_kv_heads: int | None = None,
    width: int | None = None,
    is_rolling: bool = False,
    dtype: torch.dtype = torch.float32,
    seed: int = 0,
) -> Decoding:
    """Write a text of random tokens with a cache and without.

    Args:
        n: Tokens.
        width: Of a causal window, the query itself counted. None: the whole past.
        is_rolling: Keep no more than the window needs.

    Returns:
        Theory: the same outputs; a token with a cache costs in proportion to the tokens before it, without one to
        their square.

    Raises:
        ValueError: a size outside its bounds, sizes that do not divide, a rolling cache without a window.

    Example:
        >>> found = measure_decoding(5, d_model=8, n_heads=2, dtype=torch.float64)
        >>> len(found.cached_s), found.difference < 1e-12, found.restarted > 0.01, found.cache_bytes
        (5, True, True, 640)

    Source: Shazeer 2019, section 2.4.
    """
    _check(n, d_model, width, is_rolling=is_rolling)
    generator = torch.Generator().manual_seed(seed)
    layer = MultiHeadAttention(d_model, n_heads, n_kv_heads, generator=generator, dtype=dtype)
    tokens = torch.randn(n, d_model, generator=generator, dtype=dtype)
    positions = sinusoidal(n, d_model, dtype=dtype)
    x = tokens + positions

    def empty() -> KVCache:
        return KVCache(min(width, n), is_rolling=True) if is_rolling and width else KVCache(n)

    with torch.no_grad():
        cache = empty()
        cached, cached_s = _write(layer, x, cache, width)
        recomputed, recomputed_s = _recompute(layer, x, width)
        restarted, _ = _write(layer, tokens + positions[:1], empty(), width)
        whole = layer(x, allowed=_mask(n, width)).out
    return Decoding(
        n=n,
        cached_s=cached_s,
        recomputed_s=recomputed_s,
        difference=float((cached - recomputed).abs().max()),
        to_whole=float((cached - whole).abs().max()),
        restarted=float((restarted - whole).abs().max()),
        cache_bytes=cache.nbytes,
    )


def _check(n: int, d_model: int, width: int | None, *, is_rolling: bool) -> None:
    """Refuse what would take too long, and a rolling cache without a window."""
    if not 1 <= n <= MAX_N or not 1 <= d_model <= MAX_WIDTH:
        raise ValueError(
            f"n must be from 1 to {MAX_N} and d_model from 1 to {MAX_WIDTH}, got {n} and {d_model}"
        )
    if is_rolling and width is None:
        raise ValueError("a rolling cache needs a window, got width=None")


def _mask(n: int, width: int | None) -> Bool[Tensor, "N N"]:
    return causal(n, n) if width is None else window(n, n, width, is_causal=True)


def _write(
    layer: MultiHeadAttention, x: Float[Tensor, "N d_model"], cache: KVCache, width: int | None
) -> tuple[Float[Tensor, "N d_model"], tuple[float, ...]]:
    """Decode with a cache, and time each token."""
    rows, seconds = [], []
    for token in x.split(1):
        started = time.perf_counter()
        rows.append(decode_step(layer, token, cache, width=None if width is None else min(width, len(x))))
        seconds.append(time.perf_counter() - started)
    return torch.cat(rows), tuple(seconds)


def _recompute(
    layer: MultiHeadAttention, x: Float[Tensor, "N d_model"], width: int | None
) -> tuple[Float[Tensor, "N d_model"], tuple[float, ...]]:
    """Run the layer anew on all tokens so far for each token, and time it."""
    rows, seconds = [], []
    for n in range(1, len(x) + 1):
        allowed = _mask(n, width)
        started = time.perf_counter()
        rows.append(layer(x[:n], allowed=allowed).out[-1:])
        seconds.append(time.perf_counter() - started)
    return torch.cat(rows), tuple(seconds)
