"""What an attention layer costs, by formula: FLOPs, bytes and parameters as exact integers, every factor named."""

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, get_args

Quantity = Literal["flops", "score_bytes", "kept_bytes", "moved_bytes", "parameters"]
QUANTITIES: tuple[Quantity, ...] = get_args(Quantity)
Axis = Literal["n", "d_model", "n_heads", "batch", "n_layers"]
AXES: tuple[Axis, ...] = get_args(Axis)
PROJECTIONS = ("q", "k", "v", "out")
# Beyond this no number of positions is looked for.
MOST_N = 2**60


@dataclass(frozen=True)
class Setting:
    """A stack of equal attention layers on sequences of equal length.

    Attributes:
        n: Positions, of queries and of keys. With a cache: keys stored, the new token's own among them.
        n_kv_heads: None: as many as n_heads.
        d_v: Width of one head's values. None: d_model / n_heads, as queries and keys always have.
        element_bytes: Of every number: 8 in float64, 4 in float32, 2 in half precision.
        width: Keys of a window or of a dilated window, the query itself counted.
        block: Positions of a block.
        dilation: Steps from one key of a dilated window to the next.
        rank: Keys that low-rank attention makes of all keys.

    Raises:
        ValueError: a size below 1, n_heads that does not divide d_model, n_kv_heads that does not divide n_heads.
    """

    n: int
    d_model: int
    n_heads: int
    batch: int = 1
    n_kv_heads: int | None = None
    d_v: int | None = None
    n_layers: int = 1
    element_bytes: int = 4
    width: int = 128
    block: int = 128
    dilation: int = 4
    rank: int = 128

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None and value < 1:
                raise ValueError(f"{name} must be at least 1, got {value}")
        if self.d_model % self.n_heads:
            raise ValueError(
                f"n_heads must divide d_model, got d_model={self.d_model} and n_heads={self.n_heads}"
            )
        if self.n_heads % self.kv_heads:
            raise ValueError(
                f"n_kv_heads must divide n_heads, got n_heads={self.n_heads} and n_kv_heads={self.n_kv_heads}"
            )

    @property
    def kv_heads(self) -> int:
        """Heads of keys and values, counted."""
        return self.n_heads if self.n_kv_heads is None else self.n_kv_heads

    @property
    def d_k(self) -> int:
        """Width of one head's queries and keys."""
        return self.d_model // self.n_heads


@dataclass(frozen=True)
class Factor:
    """One factor of a formula: its symbol and its value."""

    symbol: str
    value: int


@dataclass(frozen=True)
class Term:
    """One summand of a formula.

    Attributes:
        name: The tensor that is made, moved or kept, as in MultiHeadTrace where it has a name there.
    """

    name: str
    factors: tuple[Factor, ...]

    @property
    def value(self) -> int:
        """Multiply."""
        return math.prod(factor.value for factor in self.factors)

    @property
    def formula(self) -> str:
        """Write the product in symbols: `2·B·h·N²·d_k`."""
        return "·".join(factor.symbol for factor in self.factors)


@dataclass(frozen=True)
class Variant:
    """One way to attend, as formulas.

    Attributes:
        computed: Pairs of a query and a key whose score is computed, in one head of one sequence. None: no pair is.
        useful: Those among them that may have a weight.
        formulas: Of each quantity, the summands by name: symbols of factors, P for the computed pairs. All hold for
            one layer.
    """

    computed: Callable[[Setting], Factor] | None
    useful: Callable[[Setting], Factor] | None
    formulas: Mapping[Quantity, Mapping[str, str]]


def _whole(setting: Setting) -> Factor:
    return Factor("N²", setting.n**2)


def _past(setting: Setting) -> Factor:
    return Factor("N(N+1)/2", setting.n * (setting.n + 1) // 2)


def _spread(n: int, width: int, dilation: int) -> int:
    """Count the pairs of a causal window whose keys lie dilation steps apart.

    Σ_n min(width, ⌊n / dilation⌋ + 1)
    """
    short = min(n, (width - 1) * dilation)  # queries that have fewer keys behind them
    rounds, rest = divmod(short, dilation)
    return dilation * rounds * (rounds + 1) // 2 + rest * (rounds + 1) + (n - short) * width


def _window(setting: Setting) -> Factor:
    return Factor("(w·N−w(w−1)/2)", _spread(setting.n, min(setting.width, setting.n), 1))


def _chunks(setting: Setting) -> Factor:
    width = min(setting.width, setting.n)
    return Factor("⌈N/w⌉·2·w²", math.ceil(setting.n / width) * 2 * width**2)


def _dilated(setting: Setting) -> Factor:
    return Factor("Σ min(w,⌊n/s⌋+1)", _spread(setting.n, setting.width, setting.dilation))


def _blocks(setting: Setting) -> Factor:
    full, rest = divmod(setting.n, setting.block)
    symbol = "(⌊N/b⌋·b²+(N mod b)²)" if rest else "N·b"
    return Factor(symbol, full * setting.block**2 + rest**2)


def _ranked(setting: Setting) -> Factor:
    return Factor("N·r", setting.n * setting.rank)


def _newest(setting: Setting) -> Factor:
    return Factor("N", setting.n)


_PARAMETERS = {
    "w_q": "d_model h d_k",
    "w_k": "d_model h_kv d_k",
    "w_v": "d_model h_kv d_v",
    "w_o": "h d_v d_model",
}
_FLOPS = {
    "q": "2 B N d_model h d_k",
    "k": "2 B N d_model h_kv d_k",
    "v": "2 B N d_model h_kv d_v",
    "scores": "2 B h P d_k",
    "out_heads": "2 B h P d_v",
    "out": "2 B N h d_v d_model",
}
_SCORES = dict.fromkeys(("scores", "scaled", "weights"), "B h P e")
_KEPT_AROUND = {
    "x": "B N d_model e",
    "q": "B h N d_k e",
    "k": "B h N d_k e",
    "v": "B h N d_v e",
    "merged": "B N h d_v e",
}
_KEPT = {**_KEPT_AROUND, "weights": "B h P e"}
# Each step reads what it needs from main memory and writes what it makes; weights are read once.
_MOVED_AROUND = {
    "x": "3 B N d_model e",  # by three projections
    "out": "B N d_model e",
    "w_q": "d_model h d_k e",
    "w_k": "d_model h_kv d_k e",
    "w_v": "d_model h_kv d_v e",
    "w_o": "h d_v d_model e",
    "q": "2 B N h d_k e",
    "k": "2 B N h_kv d_k e",
    "v": "2 B N h_kv d_v e",
    "out_heads": "2 B N h d_v e",
}
# scores written and read, scaled written and read, weights written and read.
_MOVED = {**_MOVED_AROUND, **dict.fromkeys(("scores", "scaled", "weights"), "2 B h P e")}


def _pairwise(
    computed: Callable[[Setting], Factor], useful: Callable[[Setting], Factor] | None = None
) -> Variant:
    """Describe attention step by step over some of the pairs."""
    formulas: dict[Quantity, Mapping[str, str]] = {
        "flops": _FLOPS,
        "score_bytes": _SCORES,
        "kept_bytes": _KEPT,
        "moved_bytes": _MOVED,
        "parameters": _PARAMETERS,
    }
    return Variant(computed, useful or computed, formulas)


_FUSED = Variant(
    _whole,
    _whole,
    {
        "flops": _FLOPS,
        "score_bytes": {},
        "kept_bytes": {**_KEPT_AROUND, "logsumexp": "4 B h N"},
        "moved_bytes": {**_MOVED_AROUND, "logsumexp": "4 B h N"},
        "parameters": _PARAMETERS,
    },
)
_LINEAR = Variant(
    None,
    None,
    {
        "flops": {name: _FLOPS[name] for name in PROJECTIONS}
        | {"state": "2 B h N d_k d_v", "out_heads": "2 B h N d_k d_v", "normaliser": "2 B h N d_k"},
        "score_bytes": {},
        "kept_bytes": {
            **_KEPT_AROUND,
            "phi_q": "B h N d_k e",
            "phi_k": "B h N d_k e",
            "state": "B h d_k d_v e",
            "normaliser": "B h N e",
        },
        "moved_bytes": {
            **_MOVED_AROUND,
            "phi_q": "3 B h N d_k e",  # written, read for out_heads and for the normaliser
            "phi_k": "3 B h N d_k e",
            "state": "2 B h d_k d_v e",
            "normaliser": "2 B h N e",
        },
        "parameters": _PARAMETERS,
    },
)
_LOW_RANK = Variant(
    _ranked,
    _ranked,
    {
        "flops": {**_FLOPS, "k_short": "2 B h_kv r N d_k", "v_short": "2 B h_kv r N d_v"},
        "score_bytes": _SCORES,
        "kept_bytes": {**_KEPT, "k_short": "B h r d_k e", "v_short": "B h r d_v e"},
        "moved_bytes": {
            **_MOVED,
            "w_short": "2 r N e",
            "k_short": "2 B h_kv r d_k e",
            "v_short": "2 B h_kv r d_v e",
        },
        "parameters": {**_PARAMETERS, "w_short": "2 N r"},
    },
)
_CACHED = Variant(
    _newest,
    _newest,
    {
        "flops": {
            "q": "2 B d_model h d_k",
            "k": "2 B d_model h_kv d_k",
            "v": "2 B d_model h_kv d_v",
            "scores": "2 B h P d_k",
            "out_heads": "2 B h P d_v",
            "out": "2 B h d_v d_model",
        },
        "score_bytes": _SCORES,
        "kept_bytes": {"k_cache": "B h_kv N d_k e", "v_cache": "B h_kv N d_v e"},
        "moved_bytes": {
            **{name: _MOVED_AROUND[name] for name in ("w_q", "w_k", "w_v", "w_o")},
            "x": "3 B d_model e",
            "out": "B d_model e",
            "q": "2 B h d_k e",
            "k_cache": "B h_kv N d_k e",
            "v_cache": "B h_kv N d_v e",
            "out_heads": "2 B h d_v e",
            **dict.fromkeys(("scores", "scaled", "weights"), "2 B h P e"),
        },
        "parameters": _PARAMETERS,
    },
)

# full, causal: the mask hides scores that were computed. causal_useful: what is left of them. fused: no score is ever
# stored. window: in chunks as wide as the window, each against itself and the one before. cached: one new token.
VARIANTS: Mapping[str, Variant] = MappingProxyType(
    {
        "full": _pairwise(_whole),
        "causal": _pairwise(_whole, _past),
        "causal_useful": _pairwise(_past),
        "fused": _FUSED,
        "window": _pairwise(_chunks, _window),
        "block": _pairwise(_blocks),
        "dilated": _pairwise(_dilated),
        "linear": _LINEAR,
        "low_rank": _LOW_RANK,
        "cached": _CACHED,
    }
)


def list_terms(variant: str, quantity: Quantity, setting: Setting) -> tuple[Term, ...]:
    """Write a quantity of a variant as a sum of products.

    Returns:
        Whole numbers of FLOPs, bytes or parameters, of all layers. FLOPs of matrix products, a multiply-add as 2;
        scaling, masks, softmax, feature maps and added vectors count as 0. score_bytes: all copies of scores that are
        kept side by side when every step is kept. kept_bytes: what the backward pass needs of the forward pass, or what the
        cache holds. moved_bytes: every step reads its inputs from main memory and writes its output there.

    Raises:
        ValueError: an unknown variant or quantity.

    Example:
        >>> terms = list_terms("full", "flops", Setting(n=1024, d_model=512, n_heads=8))
        >>> [(term.formula, term.value) for term in terms if term.name == "scores"]
        [('2·B·h·N²·d_k·layers', 1073741824)]

    Source: Vaswani et al. 2017, table 1 (full, linear in N as restricted); Dao et al. 2022, section 3.1 (fused);
        Katharopoulos et al. 2020, section 3.2 (linear); Wang et al. 2020, section 4 (low rank, E and F shared by heads);
        Beltagy et al. 2020, section 3.1 (window, dilated; computed in chunks).
    """
    products, computed = _products(variant, quantity), VARIANTS[variant].computed
    named = {symbol: Factor(symbol, value) for symbol, value in _sizes(setting).items()}
    if computed is not None:
        named["P"] = computed(setting)
    return tuple(
        Term(name, tuple(named.get(symbol) or Factor(symbol, int(symbol)) for symbol in symbols))
        for name, symbols in products.items()
    )


@lru_cache(maxsize=64)
def _products(variant: str, quantity: Quantity) -> Mapping[str, tuple[str, ...]]:
    """Split each summand of a formula into the symbols of its factors."""
    if variant not in VARIANTS:
        raise ValueError(f"variant must be one of {', '.join(VARIANTS)}, got {variant}")
    if quantity not in QUANTITIES:
        raise ValueError(f"quantity must be one of {', '.join(QUANTITIES)}, got {quantity}")
    formulas = VARIANTS[variant].formulas[quantity]
    return {name: (*formula.split(), "layers") for name, formula in formulas.items()}


def _sizes(setting: Setting) -> dict[str, int]:
    """Name the sizes as formulas do."""
    return {
        "B": setting.batch,
        "N": setting.n,
        "d_model": setting.d_model,
        "h": setting.n_heads,
        "h_kv": setting.kv_heads,
        "d_k": setting.d_k,
        "d_v": setting.d_k if setting.d_v is None else setting.d_v,
        "r": setting.rank,
        "e": setting.element_bytes,
        "layers": setting.n_layers,
    }


def count(variant: str, quantity: Quantity, setting: Setting) -> int:
    """Add up a quantity of a variant.

    Example:
        >>> count("full", "score_bytes", Setting(n=1024, d_model=512, n_heads=8)) // 3
        33554432
        >>> gqa = Setting(n=1, d_model=4096, n_heads=32, n_kv_heads=8, n_layers=32, element_bytes=2)
        >>> count("cached", "kept_bytes", gqa)
        131072
    """
    # As list_terms does, without the names: a page counts some hundred times a run.
    products, computed = _products(variant, quantity), VARIANTS[variant].computed
    sizes = _sizes(setting)
    if computed is not None:
        sizes["P"] = computed(setting).value
    return sum(
        math.prod(sizes[symbol] if symbol in sizes else int(symbol) for symbol in symbols)
        for symbols in products.values()
    )


def intensity(variant: str, setting: Setting) -> Fraction:
    """Say how many FLOPs a byte that is moved is used for.

    Example:
        >>> sizes = Setting(n=4096, d_model=64, n_heads=1)
        >>> [round(float(intensity(variant, sizes))) for variant in ("full", "fused")]
        [11, 350]

    Source: Williams et al. 2009 (roofline), arithmetic intensity.
    """
    return Fraction(count(variant, "flops", setting), count(variant, "moved_bytes", setting))


def split_flops(setting: Setting) -> tuple[int, int]:
    """Divide the FLOPs of full attention between its four projections and its two products.

    Example:
        >>> split_flops(Setting(n=1024, d_model=512, n_heads=8))
        (2147483648, 2147483648)
    """
    values = {term.name: term.value for term in list_terms("full", "flops", setting)}
    projections = sum(values[name] for name in PROJECTIONS)
    return projections, sum(values.values()) - projections


def crossing(setting: Setting) -> Fraction:
    """Find the N at which the products of full attention take as many FLOPs as its four projections.

        8·N·d² = 4·N²·d  at  N = 2·d

    Returns:
        2 · d_model where all heads have keys and values of their own and d_v = d_k; less where they share.

    Example:
        >>> crossing(Setting(n=1, d_model=512, n_heads=8))
        Fraction(1024, 1)
    """
    return Fraction(*split_flops(replace(setting, n=1)))


def largest_n(variant: str, quantity: Quantity, setting: Setting, budget: int) -> int:
    """Find the largest N whose quantity is within a budget.

    Returns:
        0 where N = 1 is too much already; MOST_N where no N that is looked at is.

    Example:
        >>> largest_n("full", "score_bytes", Setting(n=1, d_model=64, n_heads=1), 12 * 1000**2)
        1000
    """
    return bisect_right(
        range(1, MOST_N + 1), budget, key=lambda n: count(variant, quantity, replace(setting, n=n))
    )
