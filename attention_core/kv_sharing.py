"""Shared heads of keys and values: how many are made few, and what decoding keeps of a run, counted in its ledger."""

from jaxtyping import Float
from torch import Tensor

from attention_core.ledger import Ledger

MAX_LAYERS = 1024


def cache_bytes(ledger: Ledger, n_layers: int) -> int:
    """Count the keys and values that decoding keeps of all positions and sequences, in all layers.

        cache = n_layers · (bytes of k_heads + bytes of v_heads)

    Raises:
        ValueError: n_layers that is not from 1 to MAX_LAYERS.

    Example:
        >>> from attention_core.ledger import PRESETS, build_ledger
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
        >>> from attention_core.ledger import PRESETS, build_ledger
        >>> cache_token_bytes(build_ledger(PRESETS["llama3_8b"].sizes), 32)
        131072
    """
    return cache_bytes(ledger, n_layers) // (ledger.sizes.batch * ledger.sizes.n)


def pool_heads(x: Float[Tensor, "*B H N d_k"], n_kv_heads: int) -> Float[Tensor, "*B H_kv N d_k"]:
    """Make fewer heads of keys or values of many: the mean over each group of neighbours.

    Returns:
        What projections give whose matrices were averaged in the same way; x itself where no head is shared.

    Raises:
        ValueError: n_kv_heads that does not divide the heads there are.

    Example:
        >>> import torch
        >>> pool_heads(torch.tensor([[[1.0]], [[3.0]], [[5.0]], [[5.0]]]), 2).flatten().tolist()
        [2.0, 5.0]

    Source: Ainslie et al. 2023, section 2.1, mean pooling; there training goes on afterwards.
    """
    n_heads = x.shape[-3]
    if n_kv_heads < 1 or n_heads % n_kv_heads:
        raise ValueError(f"n_kv_heads must divide the heads, got {n_kv_heads} and {n_heads}")
    if n_kv_heads == n_heads:
        return x
    return x.unflatten(-3, (n_kv_heads, n_heads // n_kv_heads)).mean(dim=-3)
