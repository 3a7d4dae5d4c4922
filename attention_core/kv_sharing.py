"""Query heads that share key/value heads: who reads which, and what parameters and cache that saves."""

from dataclasses import dataclass, replace
from typing import Literal

import torch

from attention_core.ledger import Ledger, build_ledger
from attention_core.sizes import Sizes, refuse_faults
from attention_core.steps import repeat_heads

MAX_LAYERS = 1024


@dataclass(frozen=True)
class Sharing:
    """Queries that share key/value heads, and what that saves.

    Attributes:
        kind: Every query head has one of its own, a group shares one, or all do.
        kv_head_of_each: The key/value head that each query head reads.
        cache_token_bytes: Keys and values that one position leaves behind, in all layers.
        cache_bytes: The same of all positions and sequences.
    """

    kind: Literal["multi_head", "grouped_query", "multi_query"]
    n_kv_heads: int
    kv_head_of_each: tuple[int, ...]
    k_shape: tuple[int, ...]
    parameters: int
    cache_token_bytes: int
    cache_bytes: int


def cache_bytes(ledger: Ledger, n_layers: int) -> int:
    """Count the keys and values that decoding keeps of all positions and sequences, in all layers.

        cache = n_layers · (bytes of k_heads + bytes of v_heads)

    Raises:
        ValueError: n_layers that is not from 1 to MAX_LAYERS.

    Example:
        >>> from attention_core.ledger import PRESETS
        >>> cache_bytes(build_ledger(PRESETS["llama3_8b"].sizes), 32) == 2**30
        True

    Source: Shazeer 2019, section 2.4.1: what decoding has to read again at every step.
    """
    if not 1 <= n_layers <= MAX_LAYERS:
        raise ValueError(f"n_layers must lie within 1 and {MAX_LAYERS}, got {n_layers}")
    return n_layers * (ledger.row("k_heads").bytes + ledger.row("v_heads").bytes)


def cache_token_bytes(ledger: Ledger, n_layers: int) -> int:
    """Count the keys and values that one position of one sequence leaves behind, in all layers.

    Example:
        >>> from attention_core.ledger import PRESETS
        >>> cache_token_bytes(build_ledger(PRESETS["llama3_8b"].sizes), 32)
        131072
    """
    return cache_bytes(ledger, n_layers) // (ledger.sizes.batch * ledger.sizes.n)


def kv_head_of_each(n_heads: int, n_kv_heads: int) -> tuple[int, ...]:
    """Say which key/value head each query head reads.

    Raises:
        ValueError: n_kv_heads that does not divide n_heads.

    Example:
        >>> kv_head_of_each(4, 2)
        (0, 0, 1, 1)
    """
    refuse_faults(Sizes(batch=1, n=1, d_model=n_heads, n_heads=n_heads, n_kv_heads=n_kv_heads))
    numbers = torch.arange(n_kv_heads, dtype=torch.float64)[:, None, None]
    return tuple(int(number) for number in repeat_heads(numbers, n_heads // n_kv_heads).flatten())


def compare_sharing(sizes: Sizes, n_layers: int) -> tuple[Sharing, ...]:
    """Measure the same layer with every number of key/value heads that divides its query heads.

    Returns:
        From as many as query heads down to one.

    Raises:
        ValueError: as for build_ledger and cache_bytes.

    Example:
        >>> four = Sizes(batch=1, n=5, d_model=8, n_heads=4)
        >>> [(one.kind, one.n_kv_heads, one.cache_token_bytes) for one in compare_sharing(four, n_layers=1)]
        [('multi_head', 4, 64), ('grouped_query', 2, 32), ('multi_query', 1, 16)]

    Source: Shazeer 2019; Ainslie et al. 2023, section 2.2.
    """
    refuse_faults(replace(sizes, n_kv_heads=None))
    compared = []
    for n_kv_heads in (count for count in range(sizes.n_heads, 0, -1) if sizes.n_heads % count == 0):
        ledger = build_ledger(replace(sizes, n_kv_heads=n_kv_heads))
        is_own = n_kv_heads == sizes.n_heads
        compared.append(
            Sharing(
                kind="multi_head" if is_own else "multi_query" if n_kv_heads == 1 else "grouped_query",
                n_kv_heads=n_kv_heads,
                kv_head_of_each=kv_head_of_each(sizes.n_heads, n_kv_heads),
                k_shape=ledger.row("k_heads").shape,
                parameters=ledger.parameters,
                cache_token_bytes=cache_token_bytes(ledger, n_layers),
                cache_bytes=cache_bytes(ledger, n_layers),
            )
        )
    return tuple(compared)
