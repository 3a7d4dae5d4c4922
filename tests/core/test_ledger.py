"""The ledger: its rows against the lines they print, real runs, hand-worked literals and PyTorch's own counter."""

import csv
import io
import re
from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close
from torch.utils.flop_counter import FlopCounterMode

from attention_core import kv_sharing
from attention_core.handout import COLUMNS, PRINTED, write_ledger_csv, write_ledger_markdown
from attention_core.ledger import PRESETS, UNCOUNTED, build_ledger, list_steps
from attention_core.multi_head import MultiHeadAttention
from attention_core.sizes import MAX_BATCH, MAX_HEADS, MAX_N, MAX_WIDTH, Sizes

NOTES = PRESETS["notes"].sizes
SMALL = {
    "notes": NOTES,
    "grouped, with bias": Sizes(2, 5, 24, 6, 3, use_bias=True, dtype="float64"),
    "one key head": Sizes(3, 7, 10, 2, 1),
    "one head": Sizes(2, 5, 7, 1),
    "one position": Sizes(2, 1, 12, 3),
    "heads of width 1": Sizes(1, 5, 3, 3),
    "all ones": Sizes(1, 1, 1, 1, 1, use_bias=True),
    "bfloat16": Sizes(2, 5, 24, 6, 2, use_bias=True, dtype="bfloat16"),
    "float16": Sizes(2, 5, 12, 3, dtype="float16"),
}
small = pytest.mark.parametrize("sizes", SMALL.values(), ids=SMALL.keys())


def layer_of(sizes: Sizes, device: str = "cpu") -> MultiHeadAttention:
    return MultiHeadAttention(
        sizes.d_model,
        sizes.n_heads,
        sizes.n_kv_heads,
        generator=torch.Generator().manual_seed(0),
        use_bias=sizes.use_bias,
        dtype=getattr(torch, sizes.dtype),
        device=device,
    )


def numbers_of(sizes: Sizes) -> dict[str, int]:
    h, h_kv = sizes.n_heads, sizes.kv_heads
    d_k = sizes.d_model // h if h else 0
    known = {"B": sizes.batch, "N": sizes.n, "d_model": sizes.d_model, "h": h, "h_kv": h_kv, "d_k": d_k}
    return known | {"h·d_k": h * d_k, "h_kv·d_k": h_kv * d_k}


def run_lines(sizes: Sizes, weights: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Run the lines of the ledger one after another, as a reader would."""
    known = {"torch": torch, "dtype": getattr(torch, sizes.dtype)} | numbers_of(sizes) | weights
    with torch.no_grad():
        for step in list_steps(sizes):
            exec(step.line, known)
    return {step.name: known[step.name] for step in list_steps(sizes)}


# What the rows say


def test_H1_shapes_of_the_check_in_the_notes():
    ledger = build_ledger(NOTES)
    shapes = {row.step.name: row.shape for row in ledger.rows}
    assert shapes == {
        **dict.fromkeys(("x", "q", "k", "v", "merged", "out"), (2, 5, 12)),
        **dict.fromkeys(("q_cut", "k_cut", "v_cut", "turned"), (2, 5, 3, 4)),
        **dict.fromkeys(("q_heads", "k_heads", "v_heads", "out_heads"), (2, 3, 5, 4)),
        **dict.fromkeys(("scores", "scaled", "weights"), (2, 3, 5, 5)),
    }
    assert list(shapes)[:2] == ["x", "q"]
    assert list(shapes)[-7:] == ["scores", "scaled", "weights", "out_heads", "turned", "merged", "out"]
    assert ledger.d_k == 4


def test_H1_symbols_are_those_of_the_notes():
    symbols = " ".join(step.symbol for step in list_steps(NOTES))
    assert symbols == "X Q K V Q_cut K_cut V_cut Q_h K_h V_h S S/√d_k A O_h O_cut O Y"


def test_H1_split_is_a_view_and_a_transpose_and_merging_has_to_copy():
    ledger = build_ledger(NOTES)
    seen = {row.step.name: (row.strides, row.is_contiguous, row.shares_with) for row in ledger.rows}
    assert seen["q"] == ((60, 12, 1), True, None)
    assert seen["q_cut"] == ((60, 12, 4, 1), True, "q")
    assert seen["q_heads"] == ((60, 4, 12, 1), False, "q")
    assert seen["v_heads"] == ((60, 4, 12, 1), False, "v")
    assert seen["turned"] == ((60, 4, 20, 1), False, "out_heads")
    assert seen["merged"] == ((60, 12, 1), True, None)


@small
def test_meta_tensors_give_the_rows_that_real_ones_give(sizes):
    dry, real = build_ledger(sizes), build_ledger(sizes, "cpu")
    assert dry.rows == real.rows
    assert replace(dry, device="cpu") == real


def test_rows_are_read_from_a_run_of_the_layer_on_the_device_that_is_asked_for():
    seen = []
    hook = torch.nn.modules.module.register_module_forward_hook(
        lambda layer, inputs, trace: seen.append((type(layer), inputs[0].device.type, trace.out.device.type))
    )
    try:
        build_ledger(NOTES)
        build_ledger(NOTES, "cpu")
    finally:
        hook.remove()
    on_meta, on_cpu = (MultiHeadAttention, "meta", "meta"), (MultiHeadAttention, "cpu", "cpu")
    assert seen == [on_meta, on_meta, on_cpu]  # a real run is measured on meta first


@small
def test_every_printed_line_makes_the_tensor_of_its_row(sizes):
    layer = layer_of(sizes)
    made = run_lines(sizes, dict(layer.named_parameters()))
    rows = build_ledger(sizes).rows
    for row in rows:
        x = made[row.step.name]
        assert (tuple(x.shape), x.stride(), x.is_contiguous()) == (row.shape, row.strides, row.is_contiguous)
        assert (str(x.dtype), x.numel(), x.nbytes) == (f"torch.{row.dtype}", row.elements, row.bytes)
        owner = next(other for other in rows if made[other.step.name].data_ptr() == x.data_ptr())
        assert (row.shares_with or row.step.name) == owner.step.name
    assert_close(made["out"], layer(made["x"]).out.detach(), rtol=0, atol=0)


@small
def test_shapes_are_what_their_symbols_say(sizes):
    for row in build_ledger(sizes).rows:
        assert row.shape == tuple(numbers_of(sizes)[axis] for axis in row.step.axes)


def test_half_precision_keeps_scores_in_float32():
    ledger = build_ledger(replace(NOTES, dtype="bfloat16"))
    wide = {row.step.name for row in ledger.rows if row.dtype == "float32"}
    assert wide == {"scores", "scaled"}
    assert ledger.row("weights").bytes * 2 == ledger.row("scores").bytes == 600


def test_heads_are_repeated_only_where_they_are_shared():
    names = [step.name for step in list_steps(Sizes(2, 5, 12, 6, 2))]
    assert names.index("v_heads") < names.index("k_repeated") < names.index("scores")
    assert "k_repeated" not in [step.name for step in list_steps(Sizes(2, 5, 12, 6, 6))]
    with pytest.raises(ValueError, match=r"rows are x, q, .*got k_repeated"):
        build_ledger(NOTES).row("k_repeated")


# What they come to


def test_H1_parameters_of_gpt2_small():
    preset = PRESETS["gpt2_small"]
    ledger = build_ledger(preset.sizes)
    assert ledger.parameters == 4 * 768**2 + 4 * 768 == 2_362_368
    assert preset.n_layers * ledger.parameters == 28_348_416
    assert ledger.row("scores").shape == (1, 12, 1024, 1024)


def test_presets_have_the_sizes_of_their_models():
    bert, llama = PRESETS["bert_base"], PRESETS["llama3_8b"]
    assert build_ledger(bert.sizes).parameters == 2_362_368
    assert [PRESETS[name].sizes.dtype for name in ("gpt2_small", "bert_base")] == ["float32"] * 2
    assert (bert.n_layers, build_ledger(bert.sizes).row("q_heads").shape) == (12, (1, 12, 512, 64))
    ledger = build_ledger(llama.sizes)
    assert (llama.n_layers, ledger.row("k_heads").shape) == (32, (1, 8, 8192, 128))
    assert ledger.parameters == 2 * 4096**2 + 2 * 4096 * 1024


@small
def test_rows_add_up_to_the_layer(sizes):
    ledger, layer = build_ledger(sizes), layer_of(sizes)
    parameters = list(layer.parameters())
    assert sum(row.parameters for row in ledger.rows) == sum(p.numel() for p in parameters)
    assert ledger.parameters == sum(p.numel() for p in parameters)
    assert ledger.parameter_bytes == sum(p.nbytes for p in parameters)


@pytest.mark.parametrize("sizes", [*SMALL.values(), *(preset.sizes for preset in PRESETS.values())])
def test_flops_are_those_that_torch_counts(sizes):
    layer = layer_of(sizes, "meta")
    x = torch.zeros(sizes.batch, sizes.n, sizes.d_model, dtype=getattr(torch, sizes.dtype), device="meta")
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        layer(x)
    ledger = build_ledger(sizes)
    assert ledger.flops == sum(row.flops for row in ledger.rows) == counter.get_total_flops()


def test_flops_and_bytes_worked_by_hand():
    ledger = build_ledger(Sizes(1, 1024, 512, 8))
    assert ledger.row("scores").flops == ledger.row("out_heads").flops == 1_073_741_824
    assert sum(ledger.row(name).flops for name in ("q", "k", "v", "out")) == 2_147_483_648
    assert ledger.row("scores").bytes == 33_554_432
    assert build_ledger(Sizes(1, 1024, 512, 8, dtype="float64")).row("scores").bytes == 67_108_864


def test_memory_is_counted_once_whoever_looks_at_it():
    # x, q, k, v, out_heads, merged, out of 120 numbers; scores, scaled, weights of 150; no view.
    assert build_ledger(NOTES).activation_bytes == 4 * (7 * 120 + 3 * 150) == 5160
    # One head: turning and merging copy nothing.
    one = build_ledger(Sizes(2, 5, 7, 1))
    assert one.row("merged").shares_with == "out_heads"
    assert one.activation_bytes == 4 * (6 * 70 + 3 * 50)


# H9: the cache of keys and values


def test_H9_cache_of_llama():
    ledger = build_ledger(PRESETS["llama3_8b"].sizes)
    assert kv_sharing.cache_token_bytes(ledger, 32) == 2 * 32 * 8 * 128 * 2 == 131_072
    assert kv_sharing.cache_bytes(ledger, 32) == 2**30
    full = build_ledger(replace(PRESETS["llama3_8b"].sizes, n_kv_heads=None))
    assert kv_sharing.cache_token_bytes(full, 32) == 4 * 131_072


def test_H9_cache_is_as_large_as_the_keys_and_values_of_a_real_run():
    sizes = SMALL["bfloat16"]
    trace = layer_of(sizes)(torch.ones(2, 5, 24, dtype=torch.bfloat16))
    real = trace.k_heads.contiguous().nbytes + trace.v_heads.contiguous().nbytes
    assert kv_sharing.cache_bytes(build_ledger(sizes), 3) == 3 * real
    assert kv_sharing.cache_token_bytes(build_ledger(sizes), 3) == 3 * real // (2 * 5)


def test_cache_takes_as_many_layers_as_are_allowed():
    most = kv_sharing.MAX_LAYERS
    assert kv_sharing.cache_token_bytes(build_ledger(NOTES), most) == 1024 * 2 * 12 * 4


@pytest.mark.parametrize("n_layers", [0, -1, kv_sharing.MAX_LAYERS + 1])
def test_cache_refuses_layers_that_are_none(n_layers):
    with pytest.raises(ValueError, match=rf"1 and 1024, got {n_layers}"):
        kv_sharing.cache_bytes(build_ledger(NOTES), n_layers)


# Bounds


def test_the_largest_sizes_run_without_memory():
    ledger = build_ledger(Sizes(MAX_BATCH, MAX_N, MAX_WIDTH, MAX_HEADS, dtype="float64"))
    assert ledger.row("scores").elements == MAX_BATCH * MAX_HEADS * MAX_N**2 == 2**58
    assert ledger.row("scores").flops == 2 * 2**58 * 64


def test_a_real_run_that_would_take_much_is_refused():
    with pytest.raises(ValueError, match=r"\d+ bytes are more than MAX_REAL_BYTES=67108864"):
        build_ledger(PRESETS["gpt2_small"].sizes, "cpu")
    # Four matrices alone take all that there is, 4 · 2048² · 4 bytes; then six rows of 2048 and three of 1024.
    with pytest.raises(ValueError, match=f"^{2**26 + 4 * (6 * 2048 + 3 * 1024)} bytes are more"):
        build_ledger(Sizes(1, 1, 2048, 1024), "cpu")


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        (Sizes(2, 5, 12, 5), "d_model=12 and n_heads=5"),
        (Sizes(2, 5, 12, 6, 4), "n_heads=6 and n_kv_heads=4"),
        (Sizes(2, 5, 12, 0), "n_heads must be at least 1, got 0"),
        (Sizes(0, 5, 12, 5), "batch must be at least 1, got 0; n_heads must divide"),
        (Sizes(2, MAX_N + 1, 12, 3), "n must be at most 1048576, got 1048577"),
    ],
)
def test_H2_nothing_is_computed_with_illegal_sizes(sizes, message):
    with pytest.raises(ValueError, match=message):
        build_ledger(sizes)


# Handouts


def test_csv_holds_every_row_and_the_totals():
    ledger = build_ledger(SMALL["bfloat16"])  # whose scores are float32
    heading, *rows, total = csv.reader(io.StringIO(write_ledger_csv(ledger)))
    assert tuple(heading) == COLUMNS
    for row, cells in zip(ledger.rows, rows, strict=True):
        step, counted = row.step, (row.elements, row.bytes, row.own_bytes, row.parameters)
        assert dict(zip(COLUMNS, cells, strict=True)) == {
            "step": step.name,
            "symbol": step.symbol,
            "axes": f"[{', '.join(step.axes)}]",
            "shape": str(list(row.shape)),
            "strides": str(list(row.strides)),
            "is_contiguous": "yes" if row.is_contiguous else "no",
            "shares_with": ledger.row(row.shares_with).step.symbol if row.shares_with else "",
            "dtype": row.dtype,
            "line": step.line,
            "flops": "not_counted" if step.name in UNCOUNTED else str(row.flops),
            **dict(zip(("elements", "bytes", "own_bytes", "parameters"), map(str, counted), strict=True)),
        }
    read = dict(zip(COLUMNS, total, strict=True))
    assert (read["step"], read["parameters"]) == ("total", str(ledger.parameters))
    assert (read["own_bytes"], read["flops"]) == (str(ledger.activation_bytes), str(ledger.flops))
    for name in ("own_bytes", "parameters"):
        column = [int(dict(zip(COLUMNS, cells, strict=True))[name]) for cells in rows]
        assert sum(column) == int(read[name]), "a total is the sum of its column"


@pytest.mark.parametrize("sizes", [*SMALL.values(), *(preset.sizes for preset in PRESETS.values())])
def test_parameters_and_flops_come_of_the_inner_width(sizes):
    for row in build_ledger(sizes).rows:
        width, inner = row.shape[-1], row.inner or 0
        assert row.flops == 2 * row.elements * inner
        bias = width if sizes.use_bias else 0
        assert row.parameters in {0, inner * width + bias}
        assert (row.inner is None) == (row.step.name not in {"q", "k", "v", "scores", "out_heads", "out"})
        assert not (row.step.name in UNCOUNTED and row.inner)


def test_what_is_said_of_a_handout_stands_around_the_table():
    ledger, notes = build_ledger(NOTES), ("B = 2", "=1+1")
    link = "http://lab/heads?ledger_h=3"
    *table, first, second, last = csv.reader(io.StringIO(write_ledger_csv(ledger, notes=notes, link=link)))
    assert last == [link]
    assert table == list(csv.reader(io.StringIO(write_ledger_csv(ledger))))
    assert (first, second) == (["B = 2"], ["'=1+1"])
    text = write_ledger_markdown(ledger, title="A <b> ledger", notes=notes, link=link)
    assert text == f"# A \\<b\\> ledger\n\n{write_ledger_markdown(ledger)}\nB = 2\n\n=1+1\n\n<{link}>\n"


@pytest.mark.parametrize("preset", PRESETS)
def test_no_cell_of_a_ledger_is_a_formula(preset):
    text = write_ledger_csv(build_ledger(PRESETS[preset].sizes))
    cells = [cell for cells in csv.reader(io.StringIO(text)) for cell in cells]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "'", "\t", "\r"))]


@pytest.mark.parametrize("word", ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "\t=1", "＝1"])
def test_words_that_a_spreadsheet_would_compute_are_made_inert(word):
    text = write_ledger_csv(build_ledger(NOTES), {"q": word, "flops": word, "yes": word})
    cells = [cell for cells in csv.reader(io.StringIO(text)) for cell in cells]
    assert f"'{word}" in cells
    assert word not in cells


def test_words_of_another_language_take_the_place_of_names():
    words = {"step": "步骤", "q": "查询", "yes": "是", "total": "合计", "x": "输入"}
    text = write_ledger_csv(build_ledger(NOTES), words)
    heading, x, q, _, _, q_cut, *_, total = csv.reader(io.StringIO(text))
    assert q_cut[COLUMNS.index("shares_with")] == "Q"
    assert (heading[0], x[0], q[0], total[0]) == ("步骤", "输入", "查询", "合计")
    assert q[COLUMNS.index("is_contiguous")] == "是"


def test_markdown_has_a_cell_for_every_column_whatever_the_words():
    ledger = build_ledger(SMALL["grouped, with bias"])
    text = write_ledger_markdown(ledger, {"q": "a|b\nc", "step": "`x`", "total": "<b>", "x": "*a*_b_"})
    lines = text.splitlines()
    assert len(lines) == len(ledger.rows) + 3
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {len(PRINTED) + 1}
    assert lines[2].startswith("| \\*a\\*\\_b\\_ |")
    assert lines[3].startswith("| a\\|b c |")
    assert lines[0].startswith("| \\`x\\` |")
    assert lines[-1].startswith("| \\<b\\> |")
    q_heads = "[B, h, N, d_k]` | `[2, 6, 5, 4]` | `[120, 4, 24, 1]` | 0 | 0 | 0 |"
    assert lines[9] == f"| q\\_heads | `Q_h` | `{q_heads} `q_heads = q_cut.transpose(1, 2)` |"
    assert lines[-1].endswith(" | 22560 | 1800 | 39360 |  |")
    assert "`q = x @ w_q + b_q`" in lines[3]
