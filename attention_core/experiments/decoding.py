"""Claim C5: with a cache each new token asks the past once; without one the whole past is computed again."""

import statistics
import time
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.components import DTYPES, spacing_at
from attention_core.cost import Setting
from attention_core.decode_cost import CACHE_KINDS, CacheKind, Writing, text_cost
from attention_core.kv_cache import KVCache, decode_step
from attention_core.masks import causal, window
from attention_core.measure import Timing
from attention_core.multi_head import MultiHeadAttention
from attention_core.positions import sinusoidal
from attention_core.sizes import DTYPE_NAMES, DType

MAX_N = 1024
MAX_WIDTH = 1024
# Of all the passes of a text without a cache, in one layer: about half a minute on one slow core, and less memory than
# a browser takes. Products in float16 are many times slower than the others on a processor.
MOST_FLOPS: dict[DType, int] = {
    "float64": 5 * 10**11,
    "float32": 5 * 10**11,
    "bfloat16": 5 * 10**11,
    "float16": 2 * 10**10,
}
MOST_SCORES = 15 * 10**8
# A text comes in so many pieces at most.
MAX_STRETCHES = 32
# So many distances between neighbouring numbers count as rounding; outputs are of the size of 1. In half precision
# sums are made in float32 and rounded at their end.
ROUNDINGS: dict[DType, int] = {"float64": 32, "float32": 32, "bfloat16": 4, "float16": 4}
Rule = Literal["n", "d_model", "flops", "scores"]


@dataclass(frozen=True)
class DecodingPlan:
    """A text of random tokens that one layer is to write: one sequence.

    Attributes:
        n: Tokens.
        width: Of a causal window, the query itself counted. None: the whole past.
        cache: How keys and values are kept; rolling keeps no more than the window needs.

    Raises:
        ValueError: a size outside its bounds, sizes that do not divide, a rolling cache without a window, more than may
            be computed.
    """

    n: int = 256
    d_model: int = 256
    n_heads: int = 4
    n_kv_heads: int | None = None
    width: int | None = None
    cache: CacheKind = "reserved"
    dtype: DType = "float32"
    seed: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.n <= MAX_N or not 1 <= self.d_model <= MAX_WIDTH:
            raise ValueError(
                f"n must be from 1 to {MAX_N} and d_model from 1 to {MAX_WIDTH}, got {self.n} and {self.d_model}"
            )
        if self.cache not in CACHE_KINDS or self.dtype not in DTYPE_NAMES:
            raise ValueError(
                f"cache is one of {', '.join(CACHE_KINDS)} and dtype one of {', '.join(DTYPE_NAMES)}, "
                f"got {self.cache} and {self.dtype}"
            )
        excess = find_excess(self.writing, self.dtype)
        if excess is not None:
            raise ValueError(f"{excess.rule} must be at most {excess.most}, got {excess.value}")

    @property
    def writing(self) -> Writing:
        """The same text for the formulas."""
        setting = Setting(
            n=self.n,
            d_model=self.d_model,
            n_heads=self.n_heads,
            n_kv_heads=self.n_kv_heads,
            element_bytes=bytes_of(self.dtype),
        )
        return Writing(setting, self.width, self.cache)


@dataclass(frozen=True)
class Excess:
    """A bound that a text breaks.

    Attributes:
        rule: The size, or what recomputing it all would take: FLOPs, or scores of all passes and heads.
        nearest: The largest length that breaks no bound; for d_model the largest width that h divides.
    """

    rule: Rule
    value: int
    most: int
    nearest: int


@dataclass(frozen=True)
class Stretch:
    """Some tokens in a row, each written three times: with a cache, without, and with a fault.

    Attributes:
        n_before: Tokens before the first of them; 0 for a text from its beginning.
        cached_s: Of each token, with a cache.
        recomputed_s: Of each token, with a pass over all tokens so far.
        difference: The largest distance between the two outputs of a token: rounding.
        to_whole: The largest distance of the cached outputs from one causal pass over the whole text: rounding.
        restarted: The same where every token is given position 0, a fault of real caches.
        cache_bytes: Of the keys and values that lie there after the last of them.
    """

    n_before: int
    cached_s: tuple[float, ...]
    recomputed_s: tuple[float, ...]
    difference: float
    to_whole: float
    restarted: float
    cache_bytes: int

    @property
    def n(self) -> int:
        """Count the tokens."""
        return len(self.cached_s)

    @property
    def speedup(self) -> float:
        """Say how many times longer recomputing took, all tokens together."""
        return sum(self.recomputed_s) / sum(self.cached_s)


@dataclass(frozen=True)
class Octave:
    """The tokens from one doubling of the text to the next; both times are medians, with their ends."""

    first: int
    last: int
    cached: Timing
    recomputed: Timing

    @property
    def middle(self) -> float:
        """The place of the median token."""
        return (self.first + self.last) / 2


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
) -> Stretch:
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
    plan = DecodingPlan(
        n=n,
        d_model=d_model,
        n_heads=n_heads,
        n_kv_heads=n_kv_heads,
        width=width,
        cache="rolling" if is_rolling else "reserved",
        dtype=str(dtype).removeprefix("torch."),
        seed=seed,
    )
    return collect(tuple(write_in_stretches(plan)))


def write_in_stretches(plan: DecodingPlan) -> Iterator[Stretch]:
    """Write a text piece by piece, so that its first tokens can be seen while the others are still to come.

    Returns:
        At most MAX_STRETCHES stretches, in order. Stop asking and nothing more is written.

    Example:
        >>> [len(found.cached_s) for found in write_in_stretches(DecodingPlan(n=70, d_model=8, n_heads=2))][:2]
        [3, 3]
    """
    generator = torch.Generator().manual_seed(plan.seed)
    kind = {"dtype": DTYPES[plan.dtype]}
    layer = MultiHeadAttention(plan.d_model, plan.n_heads, plan.n_kv_heads, generator=generator, **kind)
    layer.requires_grad_(False)  # not no_grad, which would hold for the caller between two stretches
    tokens = torch.randn(plan.n, plan.d_model, generator=generator, **kind)
    positions = sinusoidal(plan.n, plan.d_model, **kind)
    x, faulty = tokens + positions, tokens + positions[:1]
    whole = layer(x, allowed=_mask(plan.n, plan.width)).out
    # What the first calls make ready is not a cost of the first tokens.
    few = range(min(4, plan.n))
    _write(layer, x, few, _empty_cache(plan), plan.width)
    _recompute(layer, x, few, plan.width)
    cache, other = (_empty_cache(plan) for _ in range(2))
    size = -(-plan.n // MAX_STRETCHES)
    for start in range(0, plan.n, size):
        places = range(start, min(start + size, plan.n))
        cached, cached_s = _write(layer, x, places, cache, plan.width)
        recomputed, recomputed_s = _recompute(layer, x, places, plan.width)
        restarted, _ = _write(layer, faulty, places, other, plan.width)
        right = whole[start : places.stop]
        yield Stretch(
            n_before=start,
            cached_s=cached_s,
            recomputed_s=recomputed_s,
            difference=_distance(cached, recomputed),
            to_whole=_distance(cached, right),
            restarted=_distance(restarted, right),
            cache_bytes=cache.nbytes,
        )


def collect(stretches: Sequence[Stretch]) -> Stretch:
    """Put stretches that follow one another together.

    Raises:
        ValueError: no stretch.

    Example:
        >>> parts = tuple(write_in_stretches(DecodingPlan(n=70, d_model=8, n_heads=2)))
        >>> collect(parts[:2]).n, collect(parts).n
        (6, 70)
    """
    if not stretches:
        raise ValueError("there must be at least 1 stretch, got 0")
    return Stretch(
        n_before=stretches[0].n_before,
        cached_s=tuple(seconds for part in stretches for seconds in part.cached_s),
        recomputed_s=tuple(seconds for part in stretches for seconds in part.recomputed_s),
        difference=max(part.difference for part in stretches),
        to_whole=max(part.to_whole for part in stretches),
        restarted=max(part.restarted for part in stretches),
        cache_bytes=stretches[-1].cache_bytes,
    )


def list_octaves(found: Stretch) -> tuple[Octave, ...]:
    """Summarise the time of a token from one doubling of the text to the next.

    Example:
        >>> five = Stretch(0, (1.0, 2.0, 3.0, 4.0, 5.0), (2.0,) * 5, 0.0, 0.0, 0.0, 0)
        >>> [(octave.first, octave.last, octave.cached.median_s) for octave in list_octaves(five)]
        [(1, 1, 1.0), (2, 3, 2.5), (4, 5, 4.5)]
    """
    octaves, first = [], 1
    while first <= found.n:
        last = min(2 * first - 1, found.n)
        both = (_summary(seconds[first - 1 : last]) for seconds in (found.cached_s, found.recomputed_s))
        octaves.append(Octave(first, last, *both))
        first = 2 * first
    return tuple(octaves)


def bytes_of(dtype: DType) -> int:
    """Say how many bytes a number takes.

    Example:
        >>> bytes_of("bfloat16")
        2
    """
    return DTYPES[dtype].itemsize


def is_rounding(difference: float, dtype: DType) -> bool:
    """Say whether outputs may differ by so much because their sums were made in another order.

    Example:
        >>> is_rounding(1e-6, "float32"), is_rounding(1e-6, "float64")
        (True, False)
    """
    return difference <= ROUNDINGS[dtype] * spacing_at(1, dtype)


def written_part(plan: DecodingPlan, found: Stretch) -> Writing:
    """Give the text for the formulas of what was written: a cache that grows is as long as the text by then."""
    writing = plan.writing
    n = found.n if plan.cache == "growing" else plan.n
    return replace(writing, setting=replace(writing.setting, n=n))


def find_excess(writing: Writing, dtype: DType = "float32") -> Excess | None:
    """Say what makes a text too much to write here, so that it can be refused before it begins; None where nothing does.

    Example:
        >>> find_excess(Writing(Setting(n=5000, d_model=64, n_heads=4)))
        Excess(rule='n', value=5000, most=1024, nearest=1024)
        >>> find_excess(Writing(Setting(n=1024, d_model=64, n_heads=8))).rule
        'scores'
    """
    setting = writing.setting
    if setting.d_model > MAX_WIDTH:
        nearest = MAX_WIDTH // setting.n_heads * setting.n_heads
        return Excess("d_model", setting.d_model, MAX_WIDTH, nearest)
    found = _broken(writing, dtype)
    if found is None:
        return None
    fits = bisect_left(
        range(1, MAX_N + 1),
        True,
        key=lambda n: _broken(replace(writing, setting=replace(setting, n=n)), dtype) is not None,
    )
    return Excess(*found, nearest=max(1, fits))


def _broken(writing: Writing, dtype: DType) -> tuple[Rule, int, int] | None:
    """Name the first bound that a length breaks, what it would take, and the bound."""
    n, n_heads = writing.setting.n, writing.setting.n_heads
    flops = text_cost(writing, "flops", has_cache=False)
    scores = n_heads * n * (n + 1) * (2 * n + 1) // 6
    every: tuple[tuple[Rule, int, int], ...] = (
        ("n", n, MAX_N),
        ("flops", flops, MOST_FLOPS[dtype]),
        ("scores", scores, MOST_SCORES),
    )
    return next((one for one in every if one[1] > one[2]), None)


def _summary(seconds: Sequence[float]) -> Timing:
    return Timing(statistics.median(seconds), min(seconds), max(seconds), len(seconds), tuple(seconds))


def _distance(a: Float[Tensor, "N d_model"], b: Float[Tensor, "N d_model"]) -> float:
    return float((a.double() - b.double()).abs().max())


def _empty_cache(plan: DecodingPlan) -> KVCache:
    if plan.cache == "growing":
        return KVCache()
    return KVCache(plan.writing.n_slots, is_rolling=plan.cache == "rolling")


def _mask(n: int, width: int | None) -> Bool[Tensor, "N N"]:
    return causal(n, n) if width is None else window(n, n, width, is_causal=True)


def _write(
    layer: MultiHeadAttention,
    x: Float[Tensor, "N d_model"],
    places: range,
    cache: KVCache,
    width: int | None,
) -> tuple[Float[Tensor, "N_new d_model"], tuple[float, ...]]:
    """Decode the tokens at these places with a cache, and time each."""
    width = None if width is None else min(width, len(x))
    rows, seconds = [], []
    for place in places:
        started = time.perf_counter()
        rows.append(decode_step(layer, x[place : place + 1], cache, width=width))
        seconds.append(time.perf_counter() - started)
    return torch.cat(rows), tuple(seconds)


def _recompute(
    layer: MultiHeadAttention, x: Float[Tensor, "N d_model"], places: range, width: int | None
) -> tuple[Float[Tensor, "N_new d_model"], tuple[float, ...]]:
    """Run the layer anew on all tokens so far for each of these tokens, and time it."""
    rows, seconds = [], []
    for place in places:
        allowed = _mask(place + 1, width)
        started = time.perf_counter()
        rows.append(layer(x[: place + 1], allowed=allowed).out[-1:])
        seconds.append(time.perf_counter() - started)
    return torch.cat(rows), tuple(seconds)
