"""Claim H9: shapes, parameters and cache of shared key/value heads, who reads whom, and the layers that must agree."""

from fractions import Fraction

import pytest
import torch

from attention_core.components import DTYPES
from attention_core.experiments import shared_heads
from attention_core.experiments.shared_heads import (
    check_sharing,
    compare_sharing,
    find_reads,
    kind_of,
    legal_kv_heads,
    longest_context,
    share_heads,
    tie_columns,
)
from attention_core.multi_head import MultiHeadAttention


def test_H9_cache_of_a_large_model_by_hand():
    def cached(n_kv_heads=8, dtype="bfloat16", **sizes):
        return share_heads(4096, 32, n_kv_heads, n_layers=32, dtype=dtype, **sizes)

    assert cached().token_bytes == cached().cache_bytes == 131_072
    assert cached(n=8192).cache_bytes == 2**30
    assert cached(32).cache_bytes == 4 * 131_072
    assert cached(n=3, batch=5).cache_bytes == 15 * 131_072
    assert cached(n=3, batch=5).token_bytes == 131_072
    assert cached(dtype="float32").cache_bytes == 2 * 131_072
    assert [cached(n_kv_heads, n=3, batch=5).ratio for n_kv_heads in (32, 8, 1)] == [
        1,
        Fraction(1, 4),
        Fraction(1, 32),
    ]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n_kv_heads", [6, 3, 2, 1])
def test_H9_cache_is_what_the_tensors_of_a_layer_take(dtype, n_kv_heads):
    options = {"generator": torch.Generator().manual_seed(0), "dtype": DTYPES[dtype]}
    layer = MultiHeadAttention(12, 6, n_kv_heads, **options)
    trace = layer(torch.zeros(2, 7, 12, dtype=DTYPES[dtype]))
    counted = trace.k_heads.nbytes + trace.v_heads.nbytes
    assert counted == share_heads(12, 6, n_kv_heads, n=7, batch=2, dtype=dtype).cache_bytes


def test_H9_table_of_a_large_model():
    table = compare_sharing(4096, 32, n_layers=32, n=8192)
    assert [(row.kind, row.n_kv_heads) for row in table] == [
        ("MHA", 32),
        *(("GQA", n) for n in (16, 8, 4, 2)),
        ("MQA", 1),
    ]
    assert all(row.d_k == 128 and row.n_heads == 32 for row in table)
    assert [row.ratio for row in table] == [Fraction(1, 2**i) for i in range(6)]
    grouped = table[2]
    assert grouped.shapes == {
        "w_q": (4096, 4096),
        "w_k": (4096, 1024),
        "w_v": (4096, 1024),
        "w_o": (4096, 4096),
    }
    assert (grouped.token_bytes, grouped.cache_bytes) == (131_072, 2**30)
    assert (grouped.n_parameters, grouped.n_kv_parameters) == (41_943_040, 8_388_608)


def test_H9_a_cache_of_16_gib_holds_so_many_tokens():
    # 2^34 / 2^17; 2^34 / 2^19 where every query head has its own.
    assert longest_context(131_072, 16 * 2**30) == 131_072
    assert longest_context(4 * 131_072, 16 * 2**30) == 32_768
    assert [longest_context(3, memory) for memory in (0, 2, 3, 5, 6)] == [0, 0, 1, 1, 2]


def test_H9_gpt2_small_has_the_parameters_of_its_four_matrices():
    (full, *_, single) = compare_sharing(768, 12)
    assert full.n_parameters == 4 * 768**2 == 2_359_296
    assert single.n_parameters == 2 * 768**2 + 2 * 768 * 64


def test_H9_fewer_key_heads_save_parameters_and_cache():
    full, half, one = compare_sharing(8, 4, n_layers=3, n=5, batch=2, dtype="float32")
    assert [s.shapes["w_v"] for s in (full, half, one)] == [(8, 8), (8, 4), (8, 2)]
    assert [s.n_parameters for s in (full, half, one)] == [256, 192, 160]
    assert [s.token_bytes for s in (full, half, one)] == [192, 96, 48]
    assert [s.cache_bytes for s in (full, half, one)] == [1920, 960, 480]
    assert half.reads == (0, 0, 1, 1)


@pytest.mark.parametrize("n_kv_heads", [6, 3, 2, 1])
def test_H9_shapes_and_parameters_are_those_of_a_real_layer(n_kv_heads):
    row = share_heads(24, 6, n_kv_heads)
    layer = MultiHeadAttention(24, 6, n_kv_heads, generator=torch.Generator())
    assert row.shapes == {name: tuple(w.shape) for name, w in layer.named_parameters()}
    assert row.n_parameters == sum(w.numel() for w in layer.parameters())
    assert row.n_kv_parameters == layer.w_k.numel() + layer.w_v.numel() == 2 * 24 * 4 * n_kv_heads


def test_H9_who_reads_whom():
    assert find_reads(4, 2) == (0, 0, 1, 1)
    assert find_reads(4, 4) == (0, 1, 2, 3)
    assert find_reads(4, 1) == (0, 0, 0, 0)
    for n_heads in (1, 6, 7, 12):
        for n_kv_heads in legal_kv_heads(n_heads):
            expected = tuple(h // (n_heads // n_kv_heads) for h in range(n_heads))
            assert find_reads(n_heads, n_kv_heads) == expected
            assert share_heads(84, n_heads, n_kv_heads).reads == expected


def test_H9_values_of_one_head_reach_the_query_heads_that_read_it():
    layer = MultiHeadAttention(8, 4, 2, generator=torch.Generator().manual_seed(0))
    x = torch.randn(1, 5, 8, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        before = layer(x).attention.out
        layer.w_v[:, 2:] += 100
        moved = (layer(x).attention.out - before).abs().amax(dim=(0, 2, 3)) > 0
    readers = [head for head, kv_head in enumerate(find_reads(4, 2)) if kv_head == 1]
    assert moved.nonzero().flatten().tolist() == readers == [2, 3]


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("n_kv_heads", [6, 3, 2, 1])
def test_H9_a_grouped_layer_is_full_attention_with_tied_heads(n_kv_heads, seed, is_causal):
    agreement = check_sharing(24, 6, n_kv_heads, n=7, seed=seed, is_causal=is_causal)
    assert agreement.to_tied == 0
    assert agreement.to_torch < 1e-14
    assert (agreement.to_untied == 0) == (n_kv_heads == 6)
    assert agreement.cached_bytes == share_heads(24, 6, n_kv_heads, n=7, dtype="float64").cache_bytes
    assert agreement.cached_bytes == 2 * n_kv_heads * 7 * 4 * 8


@pytest.mark.parametrize(
    ("d_model", "n_heads", "n_kv_heads", "n"), [(4, 1, 1, 1), (4, 2, 1, 1), (512, 8, 2, 64)]
)
def test_H9_the_smallest_and_the_largest_layers_agree(d_model, n_heads, n_kv_heads, n):
    agreement = check_sharing(d_model, n_heads, n_kv_heads, n=n)
    assert agreement.to_tied == 0
    assert agreement.to_torch < 1e-13
    assert agreement.cached_bytes == 2 * n_kv_heads * n * (d_model // n_heads) * 8


def test_H9_a_mask_is_laid_only_where_it_is_asked_for():
    free, causal = (check_sharing(24, 6, 2, is_causal=is_causal) for is_causal in (False, True))
    assert check_sharing(24, 6, 2) == free
    assert free.to_untied != causal.to_untied


def test_H9_heads_tied_in_tiles_would_be_seen(monkeypatch):
    assert tie_columns(torch.tensor([[1.0, 2.0]]), 2, 2).tolist() == [[1, 1, 2, 2]]
    monkeypatch.setattr(
        shared_heads, "tie_columns", lambda w, n_kv_heads, group_size: w.repeat(1, group_size)
    )
    assert check_sharing(24, 6, 2).to_tied > 0.01
    assert check_sharing(24, 6, 1).to_tied == 0


def test_H9_another_order_of_heads_would_be_seen_beside_torch(monkeypatch):
    from attention_core import multi_head

    tiled = lambda x, group_size: x.repeat(1, group_size, 1, 1)  # noqa: E731
    monkeypatch.setattr(multi_head, "repeat_heads", tiled)
    assert check_sharing(24, 6, 2).to_torch > 0.01


def test_legal_numbers_of_heads():
    assert legal_kv_heads(1) == (1,)
    assert legal_kv_heads(7) == (7, 1)
    assert legal_kv_heads(32) == (32, 16, 8, 4, 2, 1)
    assert [kind_of(4, n) for n in (4, 2, 1)] == ["MHA", "GQA", "MQA"]
    assert kind_of(1, 1) == "MHA"


@pytest.mark.parametrize(
    ("call", "rule"),
    [
        (lambda: legal_kv_heads(0), "from 1 to 1024, got 0"),
        (lambda: legal_kv_heads(10**9), "from 1 to 1024, got 1000000000"),
        (lambda: find_reads(10**12, 1), "from 1 to 1024, got 1000000000000"),
        (lambda: find_reads(4, 0), "n_heads=4 and n_kv_heads=0"),
        (lambda: find_reads(4, 3), "n_heads=4 and n_kv_heads=3"),
        (lambda: share_heads(10, 4, 2), "d_model=10 and n_heads=4"),
        (lambda: share_heads(12, 4, 3), "n_heads=4 and n_kv_heads=3"),
        (lambda: share_heads(12, 4, 0), "n_kv_heads must be at least 1, got 0"),
        (lambda: share_heads(2**20, 4, 2), "d_model must be at most 65536, got 1048576"),
        (lambda: share_heads(12, 4, 2, n=0), "n must be at least 1, got 0"),
        (lambda: share_heads(12, 4, 2, n_layers=-1), "n_layers must lie within 1 and 1024, got -1"),
        (lambda: share_heads(12, 4, 2, n=2**20 + 1), "n must be at most 1048576, got 1048577"),
        (lambda: longest_context(0, 5), "got 0 and 5"),
        (lambda: longest_context(1, -1), "got 1 and -1"),
        (lambda: check_sharing(1024, 4, 2), "at most 512 and n from 1 to 64, got 1024"),
        (lambda: check_sharing(12, 4, 2, n=65), "n=65"),
        (lambda: check_sharing(12, 4, 3), "n_heads=4 and n_kv_heads=3"),
    ],
)
def test_what_cannot_be_shared_is_refused(unchecked, call, rule):
    with pytest.raises(ValueError, match=rule):
        call()
