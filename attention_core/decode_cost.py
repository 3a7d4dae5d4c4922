"""What writing token by token costs, by formula: keys that are stored and asked, FLOPs of one token and of a text."""

from dataclasses import dataclass, replace
from math import comb
from typing import Literal, get_args

from attention_core.cost import Factor, Quantity, Setting, Term, count

# reserved: room for the whole text lies there from the first token on. growing: each step copies all into a larger one.
CacheKind = Literal["reserved", "growing", "rolling"]
CACHE_KINDS: tuple[CacheKind, ...] = get_args(CacheKind)


@dataclass(frozen=True)
class Writing:
    """A text that is written token by token.

    Attributes:
        setting: n is the length of the text; its width is not asked for.
        width: Of a causal window, the query itself counted. None: the whole past.
        cache: How keys and values are kept.

    Raises:
        ValueError: a width below 1, or a rolling cache without a window.
    """

    setting: Setting
    width: int | None = None
    cache: CacheKind = "reserved"

    def __post_init__(self) -> None:
        if self.width is not None and self.width < 1:
            raise ValueError(f"width counts the query itself and must be at least 1, got {self.width}")
        if self.cache == "rolling" and self.width is None:
            raise ValueError("a rolling cache needs a window, got width=None")

    @property
    def n_slots(self) -> int:
        """Count the tokens whose keys and values the cache holds at the end."""
        is_rolling = self.cache == "rolling" and self.width is not None
        return min(self.width, self.setting.n) if is_rolling else self.setting.n


@dataclass(frozen=True)
class Step:
    """What one new token does to the cache; tokens are counted from 1, slots from 0.

    Attributes:
        n_asked: Keys whose scores are computed; hidden ones among them where a window hides what is still stored.
        first_seen: The first token that the new one may see; it sees all from there to itself.
        slot: Where its own key and value are written.
        pushed_out: The token that lay there; None where none did.
    """

    token: int
    n_asked: int
    first_seen: int
    slot: int
    pushed_out: int | None

    @property
    def n_seen(self) -> int:
        """Count the keys that may have a weight, its own among them."""
        return self.token - self.first_seen + 1


def look_at_step(writing: Writing, token: int) -> Step:
    """Say what the step of one token reads and writes.

    Raises:
        ValueError: a token outside the text.

    Example:
        >>> text = Writing(Setting(n=9, d_model=8, n_heads=2), width=3, cache="rolling")
        >>> look_at_step(text, 5)
        Step(token=5, n_asked=3, first_seen=3, slot=1, pushed_out=2)
    """
    if not 1 <= token <= writing.setting.n:
        raise ValueError(f"token must be from 1 to {writing.setting.n}, got {token}")
    is_rolling = writing.cache == "rolling"
    first_seen = 1 if writing.width is None else max(1, token - writing.width + 1)
    is_full = is_rolling and token > writing.n_slots
    return Step(
        token=token,
        n_asked=min(token, writing.n_slots) if is_rolling else token,
        first_seen=first_seen,
        slot=(token - 1) % writing.n_slots if is_rolling else token - 1,
        pushed_out=token - writing.n_slots if is_full else None,
    )


def list_slots(writing: Writing, token: int) -> tuple[int | None, ...]:
    """Say whose key and value lies in each slot after the step of a token; None where none does yet.

    Example:
        >>> list_slots(Writing(Setting(n=9, d_model=8, n_heads=2), width=3, cache="rolling"), 5)
        (4, 5, 3)
        >>> list_slots(Writing(Setting(n=4, d_model=8, n_heads=2)), 2)
        (1, 2, None, None)
    """
    n_slots = writing.n_slots
    if writing.cache == "growing":
        return tuple(range(1, token + 1))
    rounds, filled = divmod(token, n_slots)
    held = [n_slots * (rounds if slot < filled else rounds - 1) + slot + 1 for slot in range(n_slots)]
    return tuple(one if one >= 1 else None for one in held)


def step_flops(writing: Writing, token: int, *, has_cache: bool) -> int:
    """Count the FLOPs of one new token, of all layers.

    Args:
        has_cache: False: the whole pass over all tokens so far is made again; a window's mask hides scores that are
            computed all the same.

    Example:
        >>> text = Writing(Setting(n=4, d_model=2, n_heads=1))
        >>> [step_flops(text, token, has_cache=True) for token in (1, 2, 4)]
        [40, 48, 64]
        >>> [step_flops(text, token, has_cache=False) for token in (1, 2, 4)]
        [40, 96, 256]
    """
    n = look_at_step(writing, token).n_asked if has_cache else token
    return count("cached" if has_cache else "full", "flops", replace(writing.setting, n=n))


def text_cost(writing: Writing, quantity: Quantity, *, has_cache: bool) -> int:
    """Add up a quantity over all tokens of a text.

    Example:
        >>> text = Writing(Setting(n=4, d_model=2, n_heads=1))
        >>> [text_cost(text, "flops", has_cache=has_cache) for has_cache in (True, False)]
        [208, 560]
    """
    n, setting = writing.setting.n, writing.setting
    if not has_cache:
        return _summed("full", quantity, setting, n)
    filled = writing.n_slots
    full = count("cached", quantity, replace(setting, n=filled))
    return _summed("cached", quantity, setting, filled) + (n - filled) * full


def _summed(variant: str, quantity: Quantity, setting: Setting, n: int) -> int:
    """Add up a polynomial of degree two or less over 1 … n, exactly, by its differences (Newton)."""
    one, two, three = (count(variant, quantity, replace(setting, n=size)) for size in (1, 2, 3))
    return n * one + comb(n, 2) * (two - one) + comb(n, 3) * (three - 2 * two + one)


def cache_term(writing: Writing) -> Term:
    """Write the bytes of the cache at the end of the text as one product.

    Returns:
        Of keys and values, as wide as each other; w in place of N where a rolling cache has no room for the whole text.

    Example:
        >>> rolling = Writing(Setting(n=9, d_model=8, n_heads=2), width=3, cache="rolling")
        >>> cache_term(rolling).formula, cache_term(rolling).value
        ('2·layers·B·h_kv·d_k·w·e', 192)
    """
    setting, n_slots = writing.setting, writing.n_slots
    values = {
        "2": 2,
        "layers": setting.n_layers,
        "B": setting.batch,
        "h_kv": setting.kv_heads,
        "d_k": setting.d_k,
        "N" if n_slots == setting.n else "w": n_slots,
        "e": setting.element_bytes,
    }
    return Term("cache", tuple(Factor(symbol, value) for symbol, value in values.items()))


def cache_bytes(writing: Writing) -> int:
    """Count the bytes of the cache at the end of the text.

    Example:
        >>> cache_bytes(Writing(Setting(n=8192, d_model=4096, n_heads=32, n_kv_heads=8, n_layers=32, element_bytes=2)))
        1073741824
    """
    return cache_term(writing).value


def list_places(n: int) -> tuple[int, ...]:
    """List the tokens of a text at which it has doubled: 1, 2, 4 … and its last.

    Example:
        >>> list_places(6), list_places(1)
        ((1, 2, 4, 6), (1,))
    """
    return tuple(sorted({*(2**power for power in range(n.bit_length())), n}))
