"""The cache of keys and values: what decoding keeps of a layer's run, counted in its ledger."""

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
