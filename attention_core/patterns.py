"""Masks as rules: a function of two positions says who sees whom, whatever the number of queries and keys."""

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from types import MappingProxyType

import torch
from jaxtyping import Bool, Int
from torch import Tensor

MAX_SIDE = 2048  # most queries, and most keys, of a mask that is built, measured, read or written whole
LARGEST_INTEGER = 2**63 - 1
HASH_BITS = 31  # a product of two such words fits in a signed integer of 64 bits
HASH_WORD = 2**HASH_BITS - 1

Rule = Callable[[Int[Tensor, "..."], Int[Tensor, "..."]], Bool[Tensor, "..."]]
MaskMod = Callable[
    [Int[Tensor, "..."], Int[Tensor, "..."], Int[Tensor, "..."], Int[Tensor, "..."]], Bool[Tensor, "..."]
]


@dataclass(frozen=True)
class Pattern:
    """Hold a rule that says of a query's and a key's position whether the one may see the other.

    Two rules join to a third: `&` lets a pair pass where both do, `|` where one does, `~` where it does not.

    Attributes:
        allows: Takes positions of queries and of keys, integers that broadcast against each other. Keys count from
            0; queries that stand before the first key are negative.

    Example:
        >>> (window(2) & causal()).build(3).int().tolist()
        [[1, 0, 0], [1, 1, 0], [0, 1, 1]]
    """

    allows: Rule

    def __call__(self, query: Int[Tensor, "..."], key: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        """Ask for these positions.

        Example:
            >>> bool(causal()(torch.tensor(2), torch.tensor(3)))
            False
        """
        return self.allows(query, key)

    def build(
        self,
        n_queries: int,
        n_keys: int | None = None,
        offset: int | None = None,
        *,
        device: torch.device | str | None = None,
    ) -> Bool[Tensor, "N M"]:
        """Ask for every pair.

            allowed[n, m] = allows(n + offset, m)

        Args:
            n_keys: None for as many keys as queries.
            offset: Position of the first query among the keys. None means M − N: the last query stands at the
                last key, as in decoding with cached keys.

        Raises:
            ValueError: a negative count, or one above MAX_SIDE.

        Example:
            >>> block(2).build(3).int().tolist()
            [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
        """
        check_side(*count_sides(n_queries, n_keys))
        return self.allows(*place_sides(n_queries, n_keys, offset, device))

    def mask_mod(self, offset: int = 0) -> MaskMod:
        """Give the rule the form that flex_attention asks for.

        Args:
            offset: Position of the first query among the keys. flex_attention counts both from 0.

        Example:
            >>> bool(causal().mask_mod(offset=3)(None, None, torch.tensor(0), torch.tensor(3)))
            True

        Source: PyTorch, torch.nn.attention.flex_attention: mask_mod(b, h, q_idx, kv_idx), True = may see.
        """
        return lambda b, h, q_idx, kv_idx: self.allows(q_idx + offset, kv_idx)

    def __and__(self, other: "Pattern") -> "Pattern":
        """Let a pair pass where both rules do."""
        return Pattern(lambda query, key: self.allows(query, key) & other.allows(query, key))

    def __or__(self, other: "Pattern") -> "Pattern":
        """Let a pair pass where at least one of the rules does."""
        return Pattern(lambda query, key: self.allows(query, key) | other.allows(query, key))

    def __invert__(self) -> "Pattern":
        """Let a pair pass where the rule does not."""
        return Pattern(lambda query, key: ~self.allows(query, key))


def full() -> Pattern:
    """Let every query see every key.

    Example:
        >>> full().build(1, 3).tolist()
        [[True, True, True]]
    """
    return Pattern(lambda query, key: torch.ones_like(query + key, dtype=torch.bool))


def causal() -> Pattern:
    """Hide the future: a query sees the keys up to its own position.

        key ≤ query

    Example:
        >>> causal().build(4).sum().item()
        10

    Source: Vaswani et al. 2017, section 3.2.3.
    """
    return Pattern(lambda query, key: key <= query)


def window(width: int, *, is_causal: bool = False) -> Pattern:
    """Let a query see only the keys near its own position.

        |key − query| < width,  and key ≤ query where causal

    Args:
        width: How many keys to one side, the query's own position counted. 1 is only itself.
        is_causal: Hides the side of the future.

    Raises:
        ValueError: a width below 1.

    Example:
        >>> window(3, is_causal=True).build(6).sum(dim=-1).tolist()
        [1, 2, 3, 3, 3, 3]

    Names: ONNX's `left_window_size`, flash-attn's `window_size` do not count the query itself: width − 1.
    Source: Beltagy et al. 2020, section 3.1.
    """
    _check_whole("width counts the query itself and", "width", width, 1)
    return _past_of(Pattern(lambda query, key: (key - query).abs() < width), is_causal)


def banded(below: int, above: int) -> Pattern:
    """Let a query see a band around the diagonal, with its own number of keys on each side.

        −below ≤ key − query ≤ above

    Args:
        below: How many keys before its own position. The query itself is not counted, and always seen.
        above: How many keys after it.

    Raises:
        ValueError: a negative number of keys.

    Example:
        >>> banded(0, 1).build(3).int().tolist()
        [[1, 1, 0], [0, 1, 1], [0, 0, 1]]

    Names: flash-attn's `window_size=(left, right)`; LAPACK's sub- and superdiagonals of a band matrix.
    """
    _check_whole("below", "below", below, 0)
    _check_whole("above", "above", above, 0)
    return Pattern(lambda query, key: (key - query >= -below) & (key - query <= above))


def block(size: int, *, is_causal: bool = False) -> Pattern:
    """Cut the positions into equal blocks and let a query see its own block alone.

        ⌊key / size⌋ = ⌊query / size⌋,  and key ≤ query where causal

    Args:
        size: Positions in a block; the last block may be shorter.

    Raises:
        ValueError: a size below 1.

    Example:
        >>> block(2).build(5).sum(dim=-1).tolist()
        [2, 2, 2, 2, 1]

    Source: Qiu et al. 2020 (blockwise attention), section 3.1, with each block its own partner.
    """
    _check_whole("size", "size", size, 1)
    return _past_of(Pattern(lambda query, key: key // size == query // size), is_causal)


def dilated(width: int, dilation: int, *, is_causal: bool = False) -> Pattern:
    """Spread a window: let a query see every dilation-th key, as many as the window is wide.

        |key − query| < width · dilation  and dilation divides key − query,  and key ≤ query where causal

    Args:
        width: How many keys to one side, the query itself counted.
        dilation: Steps from one key to the next; 1 is the plain window.

    Raises:
        ValueError: a width or a dilation below 1.

    Example:
        >>> dilated(2, 3).build(1, 7, offset=3).int().tolist()
        [[1, 0, 0, 1, 0, 0, 1]]

    Source: Beltagy et al. 2020, section 3.1, dilated sliding window.
    """
    _check_whole("width counts the query itself and", "width", width, 1)
    _check_whole("dilation", "dilation", dilation, 1)

    def allows(query: Int[Tensor, "..."], key: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        distance = (key - query).abs()
        # Dividing the distance, not multiplying the width: their product may pass 64 bits.
        return (distance % dilation == 0) & (distance // dilation < width)

    return _past_of(Pattern(allows), is_causal)


def strided(stride: int, *, is_causal: bool = True) -> Pattern:
    """Let a query see its last few keys and every stride-th key before them.

        |key − query| < stride  or stride divides key − query,  and key ≤ query where causal

    Args:
        stride: Keys in the local window, the query itself counted, and steps between the far ones.
        is_causal: As the source has it.

    Raises:
        ValueError: a stride below 1.

    Example:
        >>> strided(3).build(8)[7].int().tolist()
        [0, 1, 0, 0, 1, 1, 1, 1]

    Source: Child et al. 2019 (Sparse Transformer), section 4.3, strided attention. There two heads or steps
        share the parts; here one mask holds both. The source's window also counts the key stride steps back,
        which the other part has anyway.
    """
    _check_whole("stride", "stride", stride, 1)

    def allows(query: Int[Tensor, "..."], key: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        distance = (key - query).abs()
        return (distance < stride) | (distance % stride == 0)

    return _past_of(Pattern(allows), is_causal)


def prefix(length: int) -> Pattern:
    """Show the first keys to every query, and hide the future behind them.

        key < length  or key ≤ query

    Args:
        length: Keys in the prefix; 0 is the causal mask.

    Raises:
        ValueError: a negative length.

    Example:
        >>> prefix(2).build(3).int().tolist()
        [[1, 1, 0], [1, 1, 0], [1, 1, 1]]

    Source: Raffel et al. 2020 (T5), section 3.2.1, causal with prefix.
    """
    _check_whole("length", "length", length, 0)
    return Pattern(lambda query, key: (key < length) | (key <= query))


def global_tokens(count: int) -> Pattern:
    """Let the first positions see everything and be seen by everybody; the others see only them.

        0 ≤ query < count  or 0 ≤ key < count

    Args:
        count: Positions that are global; 0 allows nothing.

    Returns:
        A rule made to be joined with a window: `window(3) | global_tokens(1)`. Alone it leaves a query that is
            not global without itself.

    Raises:
        ValueError: a negative count.

    Example:
        >>> (window(1) | global_tokens(1)).build(3).int().tolist()
        [[1, 1, 1], [1, 1, 0], [1, 0, 1]]

    Source: Beltagy et al. 2020, section 3.1, global attention.
    """
    _check_whole("count", "count", count, 0)

    def is_global(position: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        return (position >= 0) & (position < count)

    return Pattern(lambda query, key: is_global(query) | is_global(key))


def random(share: float | int, seed: int) -> Pattern:
    """Let each pair pass by chance, and each position see itself.

        hash(seed, query, key) < share · 2³¹  or key = query

    Args:
        share: Chance of a pair that is not on the diagonal.
        seed: Another seed draws another mask.

    Returns:
        A rule that draws nothing: a pair's fate hangs on the seed and its two positions alone, so a larger mask
            holds the smaller one in its corner.

    Raises:
        ValueError: a share outside 0 and 1 or a negative seed.

    Example:
        >>> small, large = random(0.5, seed=1).build(3), random(0.5, seed=1).build(5)
        >>> torch.equal(small, large[:3, :3])
        True

    Source: Zaheer et al. 2020 (BigBird), section 2, random attention. There each query draws the same number of
        keys; here each pair is drawn by itself, so that rows differ.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"share must lie within 0 and 1, got {share}")
    _check_whole("seed", "seed", seed, 0)
    start = int(_scramble(torch.tensor(seed & HASH_WORD)) ^ (seed >> HASH_BITS) & HASH_WORD)
    bound = round(share * 2**HASH_BITS)

    def allows(query: Int[Tensor, "..."], key: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        by_query = _scramble(start ^ (query.long() & HASH_WORD))
        return (_scramble(by_query ^ (key.long() & HASH_WORD)) < bound) | (key == query)

    return Pattern(allows)


def patches(height: int, width: int, radius: int) -> Pattern:
    """Let each patch of an image see the square of patches around it.

        |row(key) − row(query)| ≤ radius  and |column(key) − column(query)| ≤ radius

    Args:
        height: Rows of patches.
        width: Patches in a row; positions run row by row.
        radius: Patches to each side, the query itself not counted: a square of (2·radius + 1)².

    Returns:
        A rule by which a position outside the image neither sees nor is seen. No square reaches over an edge to
            the next row.

    Raises:
        ValueError: a height or a width below 1 or a negative radius.

    Example:
        >>> patches(3, 3, 1).build(9).sum(dim=-1).tolist()
        [4, 6, 4, 6, 9, 6, 4, 6, 4]

    Source: Ramachandran et al. 2019, section 2.2: a neighbourhood of k × k pixels, k = 2·radius + 1.
    """
    _check_whole("height", "height", height, 1)
    _check_whole("width", "width", width, 1)
    _check_whole("radius", "radius", radius, 0)

    def lies_inside(position: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        return (position >= 0) & (position // width < height)

    def allows(query: Int[Tensor, "..."], key: Int[Tensor, "..."]) -> Bool[Tensor, "..."]:
        rows = (key // width - query // width).abs()
        columns = (key % width - query % width).abs()
        return (rows <= radius) & (columns <= radius) & lies_inside(query) & lies_inside(key)

    return Pattern(allows)


@dataclass(frozen=True)
class Parameter:
    """A number or a switch that a rule is made with, and the range a reader may choose from, both ends in it."""

    name: str
    default: bool | int | float
    lowest: bool | int | float
    highest: bool | int | float


@dataclass(frozen=True)
class Choice:
    """A kind of rule and what it is made with, in the order of the controls."""

    constructor: Callable[..., Pattern]
    parameters: tuple[Parameter, ...] = ()

    def make(self, **values: bool | int | float) -> Pattern:
        """Make the rule, with the default for what is not given.

        Raises:
            ValueError: a parameter that this kind has not, or a value out of its range.

        Example:
            >>> PATTERNS["block"].make(size=1).build(2).int().tolist()
            [[1, 0], [0, 1]]
        """
        ranges = {parameter.name: parameter for parameter in self.parameters}
        unknown = sorted(set(values) - set(ranges))
        if unknown:
            raise ValueError(f"known parameters are {sorted(ranges)}, got {unknown}")
        for name, value in values.items():
            lowest, highest = ranges[name].lowest, ranges[name].highest
            if not lowest <= value <= highest:
                raise ValueError(f"{name} must lie within {lowest} and {highest}, got {value}")
        return self.constructor(**{name: values.get(name, ranges[name].default) for name in ranges})


def _switch(*, default: bool) -> Parameter:
    """Offer the choice between both sides and the past alone."""
    return Parameter("is_causal", default, False, True)


PATTERNS: MappingProxyType[str, Choice] = MappingProxyType(
    {
        "full": Choice(full),
        "causal": Choice(causal),
        "window": Choice(window, (Parameter("width", 3, 1, MAX_SIDE), _switch(default=True))),
        "banded": Choice(banded, (Parameter("below", 2, 0, MAX_SIDE), Parameter("above", 1, 0, MAX_SIDE))),
        "block": Choice(block, (Parameter("size", 4, 1, MAX_SIDE), _switch(default=False))),
        "dilated": Choice(
            dilated,
            (
                Parameter("width", 3, 1, MAX_SIDE),
                Parameter("dilation", 2, 1, MAX_SIDE),
                _switch(default=False),
            ),
        ),
        "strided": Choice(strided, (Parameter("stride", 4, 1, MAX_SIDE), _switch(default=True))),
        "prefix": Choice(prefix, (Parameter("length", 4, 0, MAX_SIDE),)),
        "global_tokens": Choice(global_tokens, (Parameter("count", 1, 0, MAX_SIDE),)),
        "random": Choice(random, (Parameter("share", 0.25, 0.0, 1.0), Parameter("seed", 0, 0, HASH_WORD))),
        "patches": Choice(
            patches,
            (
                Parameter("height", 4, 1, MAX_SIDE),
                Parameter("width", 4, 1, MAX_SIDE),
                Parameter("radius", 1, 0, MAX_SIDE),
            ),
        ),
    }
)


def count_sides(n_queries: int, n_keys: int | None) -> tuple[int, int]:
    """Fill in as many keys as queries and refuse what cannot be counted.

    Raises:
        ValueError: a negative count.

    Example:
        >>> count_sides(3, None)
        (3, 3)
    """
    n_keys = n_queries if n_keys is None else n_keys
    if n_queries < 0 or n_keys < 0:
        raise ValueError(f"counts must not be negative, got n_queries={n_queries} and n_keys={n_keys}")
    return n_queries, n_keys


def check_side(n_queries: int, n_keys: int) -> None:
    """Refuse a mask that is too large to be held whole.

    Raises:
        ValueError: more queries or keys than MAX_SIDE.
    """
    if max(n_queries, n_keys) > MAX_SIDE:
        raise ValueError(
            f"a mask may have at most MAX_SIDE={MAX_SIDE} queries and keys, "
            f"got n_queries={n_queries} and n_keys={n_keys}"
        )


def place_sides(
    n_queries: int, n_keys: int | None, offset: int | None, device: torch.device | str | None = None
) -> tuple[Int[Tensor, "N 1"], Int[Tensor, "1 M"]]:
    """Give every query and every key its position, ready to be compared pair by pair.

    Args:
        n_keys: None for as many keys as queries.
        offset: Position of the first query among the keys; None means M − N.

    Raises:
        ValueError: a negative count.

    Example:
        >>> query, key = place_sides(2, 3, None)
        >>> query.tolist(), key.tolist()
        ([[1], [2]], [[0, 1, 2]])
    """
    n_queries, n_keys = count_sides(n_queries, n_keys)
    offset = n_keys - n_queries if offset is None else offset
    query = torch.arange(n_queries, device=device) + offset
    return query[:, None], torch.arange(n_keys, device=device)[None]


def _past_of(both_sides: Pattern, is_causal: bool) -> Pattern:
    """Cut the future off where it is to be hidden."""
    return both_sides & causal() if is_causal else both_sides


def _scramble(word: Int[Tensor, "..."]) -> Int[Tensor, "..."]:
    """Spread every bit of a word over all of its bits; different words stay different.

    Shifts and multipliers are lowbias32's (Wellons 2018), cut to words of 31 bits: their products then fit in a
    signed integer of 64.
    """
    word = (word ^ (word >> 16)) * 0x7FEB352D & HASH_WORD
    word = (word ^ (word >> 15)) * 0x046CA68B & HASH_WORD
    return word ^ (word >> 16)


def _check_whole(subject: str, name: str, value: int, lowest: int) -> None:
    """Refuse what is no whole number, or one out of its range."""
    if not isinstance(value, Integral):
        raise ValueError(f"{name} must be a whole number, got {value!r}")
    if value < lowest:
        raise ValueError(f"{subject} must be at least {lowest}, got {value}")
    if value > LARGEST_INTEGER:
        raise ValueError(f"{name} must be at most {LARGEST_INTEGER}, got {value}")
