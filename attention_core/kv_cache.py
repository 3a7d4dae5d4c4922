"""Decoding token by token: keys and values of the past are kept, and a new token asks them alone."""

from collections.abc import Iterator

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attention_core import patterns
from attention_core.multi_head import MultiHeadAttention, merge_heads, project, split_heads
from attention_core.steps import repeat_heads, scaled_dot_product_attention


class KVCache:
    """The keys and values of one layer, for the tokens so far.

    Without a capacity the cache grows: each step copies everything into a larger tensor. With one it lies there from
    the first token on and is filled. Rolling, it keeps the last `capacity` tokens and writes over the oldest.

    Raises:
        ValueError: a capacity below 1, or a rolling cache without one.

    Example:
        >>> cache = KVCache(capacity=2, is_rolling=True)
        >>> for n in range(3):
        ...     k, v, positions = cache.append(torch.full((1, 1, 1), float(n)), torch.zeros(1, 1, 1))
        >>> k.flatten().tolist(), positions.tolist(), cache.n_seen
        ([2.0, 1.0], [2, 1], 3)

    Source: Shazeer 2019, section 2.4 (incremental decoding); Beltagy et al. 2020, section 3.1 for why a window needs no
        older keys.
    """

    def __init__(self, capacity: int | None = None, *, is_rolling: bool = False) -> None:
        if capacity is not None and capacity < 1:
            raise ValueError(f"capacity must be at least 1, got {capacity}")
        if is_rolling and capacity is None:
            raise ValueError("a rolling cache needs a capacity, got None")
        self.capacity, self.is_rolling = capacity, is_rolling
        self.n_seen = 0
        self._k: Float[Tensor, "*B H_kv M d_k"] | None = None
        self._v: Float[Tensor, "*B H_kv M d_v"] | None = None

    @property
    def n_stored(self) -> int:
        """Count the tokens that are kept."""
        return min(self.n_seen, self.capacity) if self.is_rolling and self.capacity else self.n_seen

    @property
    def nbytes(self) -> int:
        """Count the bytes that lie there, filled or not."""
        return sum(x.nbytes for x in (self._k, self._v) if x is not None)

    def append(
        self, k: Float[Tensor, "*B H_kv N d_k"], v: Float[Tensor, "*B H_kv N d_v"]
    ) -> tuple[Float[Tensor, "*B H_kv M d_k"], Float[Tensor, "*B H_kv M d_v"], Int[Tensor, " M"]]:
        """Take in new tokens.

        Returns:
            The keys and values that they may look at, their own among them, and the place of each in the text. A view
            of the cache where it can be: the next append may write over it.

        Raises:
            ValueError: more tokens than there is room for.
        """
        n_new, first = k.shape[-2], self.n_seen
        if self.is_rolling:
            return self._roll(k, v)
        if self.capacity is None:
            self._k = k if self._k is None else torch.cat([self._k, k], dim=-2)
            self._v = v if self._v is None else torch.cat([self._v, v], dim=-2)
        else:
            if first + n_new > self.capacity:
                raise ValueError(
                    f"the cache has room for {self.capacity} tokens, got {n_new} more after {first}"
                )
            self._make_room(k, v)
            self._k[..., first : first + n_new, :] = k
            self._v[..., first : first + n_new, :] = v
        self.n_seen += n_new
        positions = torch.arange(self.n_seen, device=k.device)
        return self._k[..., : self.n_seen, :], self._v[..., : self.n_seen, :], positions

    def _make_room(self, k: Float[Tensor, "*B H_kv N d_k"], v: Float[Tensor, "*B H_kv N d_v"]) -> None:
        if self._k is None:
            self._k, self._v = (x.new_zeros(*x.shape[:-2], self.capacity, x.shape[-1]) for x in (k, v))

    def _roll(
        self, k: Float[Tensor, "*B H_kv N d_k"], v: Float[Tensor, "*B H_kv N d_v"]
    ) -> tuple[Float[Tensor, "*B H_kv M d_k"], Float[Tensor, "*B H_kv M d_v"], Int[Tensor, " M"]]:
        """Write over the oldest; several tokens at once also see what they are about to push out."""
        self._make_room(k, v)
        n_new, first, n_old = k.shape[-2], self.n_seen, self.n_stored
        old = torch.arange(first - n_old, first, device=k.device)
        new = torch.arange(first, first + n_new, device=k.device)
        if n_new > 1:
            past_k, past_v = (x[..., old % self.capacity, :] for x in (self._k, self._v))
            seen = torch.cat([past_k, k], dim=-2), torch.cat([past_v, v], dim=-2), torch.cat([old, new])
        kept = min(n_new, self.capacity)
        slots = new[-kept:] % self.capacity
        self._k[..., slots, :], self._v[..., slots, :] = k[..., -kept:, :], v[..., -kept:, :]
        self.n_seen += n_new
        if n_new > 1:
            return seen
        places = torch.arange(self.n_stored, device=k.device)
        positions = first - (first - places) % self.capacity
        return self._k[..., : self.n_stored, :], self._v[..., : self.n_stored, :], positions


def decode_step(
    layer: MultiHeadAttention, x: Float[Tensor, "*B N d_model"], cache: KVCache, *, width: int | None = None
) -> Float[Tensor, "*B N d_model"]:
    """Run a layer on new tokens that see those in the cache and, of each other, the earlier ones.

    Args:
        x: One token or several, positions added already: token n of the text bears position n, not 0 again.
        width: Of a causal window, the query itself counted. None: the whole past.

    Returns:
        The rows that one pass over the whole text gives at these tokens.

    Raises:
        ValueError: a rolling cache that keeps less than the window needs, or no room left.

    Example:
        >>> layer = MultiHeadAttention(4, 2, generator=torch.Generator().manual_seed(0))
        >>> cache = KVCache()
        >>> [tuple(decode_step(layer, torch.zeros(1, n, 4), cache).shape) for n in (3, 1)], cache.n_seen
        ([(1, 3, 4), (1, 1, 4)], 4)

    Cost: for one token 4 · B · H · M · d_k FLOPs and its own four projections, where a whole pass takes M times both.
    """
    if cache.is_rolling and (width is None or width > (cache.capacity or 0)):
        raise ValueError(
            f"a rolling cache of {cache.capacity} tokens needs a window of at most as many, got width={width}"
        )
    first = cache.n_seen
    q = split_heads(project(x, layer.w_q, layer.b_q), layer.n_heads)
    k_new = split_heads(project(x, layer.w_k, layer.b_k), layer.n_kv_heads)
    v_new = split_heads(project(x, layer.w_v, layer.b_v), layer.n_kv_heads)
    k, v, keys = cache.append(k_new, v_new)
    queries = torch.arange(first, first + x.shape[-2], device=x.device)
    rule = patterns.causal() if width is None else patterns.window(width, is_causal=True)
    group_size = layer.n_heads // layer.n_kv_heads
    if group_size > 1:
        k, v = repeat_heads(k, group_size), repeat_heads(v, group_size)
    attention = scaled_dot_product_attention(q, k, v, allowed=rule(queries[:, None], keys[None]))
    return project(merge_heads(attention.out), layer.w_o, layer.b_o)


def decode(
    layer: MultiHeadAttention,
    x: Float[Tensor, "*B N d_model"],
    cache: KVCache,
    *,
    chunk: int = 1,
    width: int | None = None,
) -> Iterator[Float[Tensor, "*B N_new d_model"]]:
    """Run a layer over a text, so many tokens at a time.

    Returns:
        The rows of each step, in order.

    Raises:
        ValueError: a chunk below 1, and as decode_step.

    Example:
        >>> layer = MultiHeadAttention(4, 2, generator=torch.Generator().manual_seed(0))
        >>> [rows.shape[-2] for rows in decode(layer, torch.zeros(5, 4), KVCache(capacity=5), chunk=2)]
        [2, 2, 1]
    """
    if chunk < 1:
        raise ValueError(f"chunk must be at least 1, got {chunk}")
    for start in range(0, x.shape[-2], chunk):
        yield decode_step(layer, x[..., start : start + chunk, :], cache, width=width)
