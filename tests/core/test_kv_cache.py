"""Decoding with a cache (C5): the rows of one whole pass, whatever the cache, the chunk, the window and the heads."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from attention_core import masks
from attention_core.cost import Setting, count
from attention_core.experiments.decoding import measure_decoding
from attention_core.kv_cache import KVCache, decode, decode_step
from attention_core.multi_head import MultiHeadAttention
from attention_core.positions import sinusoidal

B, N, D_MODEL = 2, 13, 24


def layer_of(n_heads: int = 4, n_kv_heads: int | None = None, **kind) -> MultiHeadAttention:
    return MultiHeadAttention(
        D_MODEL,
        n_heads,
        n_kv_heads,
        generator=torch.Generator().manual_seed(0),
        use_bias=True,
        **{"dtype": torch.float64} | kind,
    ).requires_grad_(False)


def text(n: int = N) -> torch.Tensor:
    tokens = torch.randn(B, n, D_MODEL, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    return tokens + sinusoidal(n, D_MODEL)


def close(a, b) -> bool:
    return float((a - b).abs().max()) < 1e-10


@pytest.mark.parametrize("chunk", [1, 2, 5, N, N + 1])
@pytest.mark.parametrize("n_kv_heads", [4, 2, 1])
@pytest.mark.parametrize("capacity", [None, N, 2 * N])
def test_C5_decoding_gives_the_rows_of_one_causal_pass(capacity, n_kv_heads, chunk):
    layer, x = layer_of(n_kv_heads=n_kv_heads), text()
    rows = torch.cat(list(decode(layer, x, KVCache(capacity), chunk=chunk)), dim=-2)
    assert close(rows, layer(x, allowed=masks.causal(N, N)).out)


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, N])
@pytest.mark.parametrize("width", [1, 2, 4, N, N + 3])
@pytest.mark.parametrize("extra", [0, 2])
def test_C5_a_rolling_cache_keeps_all_that_a_window_needs(extra, width, chunk):
    layer, x = layer_of(n_kv_heads=2), text()
    whole = layer(x, allowed=masks.window(N, N, width, is_causal=True)).out
    for cache in (KVCache(width + extra, is_rolling=True), KVCache()):
        rows = torch.cat(list(decode(layer, x, cache, chunk=chunk, width=width)), dim=-2)
        assert close(rows, whole)
        assert cache.n_seen == N
    assert KVCache(4).n_stored == 0


def test_C5_bytes_of_a_cache_are_those_by_formula():
    layer = layer_of(n_kv_heads=2, dtype=torch.float32)
    setting = Setting(n=N, d_model=D_MODEL, n_heads=4, n_kv_heads=2, batch=B)
    for cache in (KVCache(), KVCache(N)):
        list(decode(layer, text().float(), cache))
        assert cache.nbytes == count("cached", "kept_bytes", setting)
    rolling = KVCache(3, is_rolling=True)
    list(decode(layer, text().float(), rolling, width=3))
    assert (rolling.nbytes, rolling.n_stored) == (3 * cache.nbytes // N, 3)


def test_C5_one_new_token_sees_every_key_and_not_the_first_alone():
    # Queries and keys of 0 weigh alike; a mask aligned at the top left would give [3, 0].
    layer = MultiHeadAttention(2, 1, generator=torch.Generator(), dtype=torch.float64).requires_grad_(False)
    layer.w_q.zero_()
    layer.w_k.zero_()
    layer.w_v.copy_(torch.eye(2))
    layer.w_o.copy_(torch.eye(2))
    cache = KVCache()
    decode_step(layer, torch.tensor([[3.0, 0.0], [0.0, 3.0]], dtype=torch.float64), cache)
    row = decode_step(layer, torch.tensor([[6.0, 6.0]], dtype=torch.float64), cache)
    assert row.tolist() == [[3.0, 3.0]]


def test_C5_positions_go_on_and_do_not_start_again():
    assert sinusoidal(4, 4)[3].tolist() == pytest.approx([0.14112, -0.989992, 0.029996, 0.99955], abs=1e-5)
    found = measure_decoding(9, d_model=8, n_heads=2, dtype=torch.float64)
    assert max(found.difference, found.to_whole) < 1e-10 < 1e-2 < found.restarted


@pytest.mark.parametrize(("width", "is_rolling"), [(None, False), (3, False), (3, True), (50, True)])
def test_C5_the_experiment_writes_the_same_text_with_and_without_a_cache(width, is_rolling):
    found = measure_decoding(
        11, d_model=16, n_heads=4, n_kv_heads=2, width=width, is_rolling=is_rolling, dtype=torch.float64
    )
    assert max(found.difference, found.to_whole) < 1e-10
    assert len(found.cached_s) == len(found.recomputed_s) == 11
    assert min(found.cached_s + found.recomputed_s) > 0
    stored = min(width, 11) if is_rolling else 11
    assert found.cache_bytes == 2 * 2 * 4 * 8 * stored


def test_C5_recomputing_multiplies_more_and_more():
    layer, x = layer_of(), text()
    with FlopCounterMode(display=False) as counter:
        list(decode(layer, x, KVCache()))
    setting = [Setting(n=n, d_model=D_MODEL, n_heads=4, batch=B) for n in range(1, N + 1)]
    assert counter.get_total_flops() == sum(count("cached", "flops", one) for one in setting)
    again = sum(count("full", "flops", one) for one in setting)
    assert again > 6 * counter.get_total_flops()


def test_what_a_cache_cannot_take_is_refused():
    layer = layer_of()
    with pytest.raises(ValueError, match="room for 3 tokens, got 2 more after 2"):
        list(decode(layer, text(), KVCache(3), chunk=2))
    with pytest.raises(ValueError, match="capacity must be at least 1, got 0"):
        KVCache(0)
    with pytest.raises(ValueError, match="a rolling cache needs a capacity"):
        KVCache(is_rolling=True)
    with pytest.raises(
        ValueError, match="rolling cache of 3 tokens needs a window of at most as many, got width=4"
    ):
        decode_step(layer, text(1), KVCache(3, is_rolling=True), width=4)
    with pytest.raises(ValueError, match="chunk must be at least 1, got 0"):
        list(decode(layer, text(), KVCache(), chunk=0))
    with pytest.raises(ValueError, match="n must be from 1 to 1024 and d_model from 1 to 1024, got 0 and 4"):
        measure_decoding(0, d_model=4, n_heads=2)
    with pytest.raises(ValueError, match="a rolling cache needs a window"):
        measure_decoding(4, d_model=4, n_heads=2, is_rolling=True)
