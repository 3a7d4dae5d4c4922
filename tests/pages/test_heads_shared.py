"""Claim H9 as it stands on the page: shared heads of keys and values, who reads which, and what the cache saves."""

import numpy as np
import pytest
import torch

from attention_core.components import DTYPES
from attention_core.experiments.shared_heads import check_sharing, compare_sharing
from attention_core.ledger import PRESETS, list_steps
from attention_core.multi_head import MultiHeadAttention
from attention_core.steps import repeat_heads
from dashboard.number_format import significant
from dashboard.panels.heads import shared as view
from dashboard.panels.heads.ledger_said import joined
from dashboard.panels.heads.shared import OFFERED
from dashboard.text import LANGUAGES
from dashboard.text import head_shared as words
from dashboard.text import heads as lesson_words
from tests.pages.reading import dangers, drawings, numbers, told, wrong_language

SMALL = {
    "shared_d_model": "16",
    "shared_h": "4",
    "shared_h_kv": "2",
    "shared_n": "8",
    "shared_layers": "1",
    "shared_dtype": "float32",
}


@pytest.fixture
def opened(look_at):
    def open_it(language="en", *, is_touched=False, **query):
        named = {f"shared_{name}": value for name, value in query.items()}
        return look_at("heads", is_touched=is_touched, lang=language, view="shared", **named)

    return open_it


def small(opened, language="en", **query):
    return opened(language, **{k.removeprefix("shared_"): v for k, v in (SMALL | query).items()})


def table(at, what="texts"):
    """The rows of the table, each begun by its kind."""
    shown = drawings(at)["sharings"]
    wide = shown["sides"][1]
    cells = [shown[what][start : start + wide] for start in range(0, len(shown[what]), wide)]
    return [[kind, *row] for kind, row in zip(shown["row_names"], cells, strict=True)]


def chosen(at):
    """The row that is picked, from 0; None where none is."""
    shown = drawings(at)["sharings"]
    return shown["picked"] if shown["picked"] is None else shown["picked"] // shown["sides"][1]


def said(at):
    return "\n".join(told(at))


def test_H9_a_table_like_llama_has_the_bytes_worked_by_hand(opened) -> None:
    at = opened()
    # 2 · 32 layers · 8 heads · 128 wide · 2 bytes; at 8192 tokens 2^30; MHA four times both.
    assert table(at) == [
        ["MHA", "32", "4096 × 4096", "4096 × 4096", "67,108,864", "524,288", "4.00 GiB", "1"],
        ["GQA", "16", "4096 × 4096", "4096 × 2048", "50,331,648", "262,144", "2.00 GiB", "1/2"],
        ["GQA", "8", "4096 × 4096", "4096 × 1024", "41,943,040", "131,072", "1.00 GiB", "1/4"],
        ["GQA", "4", "4096 × 4096", "4096 × 512", "37,748,736", "65,536", "512 MiB", "1/8"],
        ["GQA", "2", "4096 × 4096", "4096 × 256", "35,651,584", "32,768", "256 MiB", "1/16"],
        ["MQA", "1", "4096 × 4096", "4096 × 128", "34,603,008", "16,384", "128 MiB", "1/32"],
    ]
    assert chosen(at) == 2
    in_full = ["GQA", "8", "4096 × 4096", "4096 × 1024", "41943040", "131072", "1073741824 bytes", "1/4"]
    assert table(at, "exact")[2] == in_full
    assert "2 · 32 · 8 · 128 · 2 = 131,072 bytes" in said(at)
    assert 2 * 32 * 8 * 128 * 2 == 131_072


def test_H9_four_query_heads_read_0_0_1_1(opened) -> None:
    at = small(opened)
    assert numbers(drawings(at)["reads"]).tolist() == [[1, 0], [1, 0], [0, 1], [0, 1]]
    assert "(1, 1, 2, 2)" in said(at), "counted from 1, as the picture counts"
    assert "(1, 2, 1, 2)" in said(at), "what repeat would read"
    assert numbers(drawings(small(opened, shared_h_kv="1"))["reads"]).tolist() == [[1]] * 4
    full = small(opened, shared_h_kv="4")
    assert np.array_equal(numbers(drawings(full)["reads"]), np.eye(4))
    assert "(1, 2, 3, 4)" in said(full)


def test_H9_the_cache_on_the_page_is_that_of_real_tensors(opened) -> None:
    for dtype in ("float32", "float16"):
        layer = MultiHeadAttention(16, 4, 2, generator=torch.Generator(), dtype=DTYPES[dtype])
        trace = layer(torch.zeros(1, 8, 16, dtype=DTYPES[dtype]))
        real = trace.k_heads.nbytes + trace.v_heads.nbytes
        row = table(small(opened, shared_dtype=dtype))[1]
        assert row[5:7] == [f"{real // 8:,}", f"{real:,} bytes"]
        assert row[4] == f"{sum(w.numel() for w in layer.parameters()):,}"
        assert row[2:4] == [" × ".join(map(str, w.shape)) for w in (layer.w_q, layer.w_k)]


class Kept(dict):
    """Values of a page without a page."""

    language = "en"

    def put(self, name, value) -> None:
        self[name] = value


def test_H9_picking_a_row_takes_its_number_of_key_value_heads() -> None:
    state = Kept(shared_n=8, shared_h_kv=7)
    part = view.sharings_part(state, compare_sharing(24, 12))
    assert part.data["picked"] is None, "7 is no row"
    for row, kv in enumerate((12, 6, 4, 3, 2, 1)):
        part.hear("pick", {"row": row, "column": 6})
        assert state["shared_h_kv"] == kv
    for wild in ({"row": 6, "column": 0}, {"row": -1, "column": 0}, 3, None):
        part.hear("pick", wild)
    assert state["shared_h_kv"] == 1
    assert view.sharings_part(state, compare_sharing(24, 12)).data["picked"] == 5 * len(words.COLUMNS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_H9_layers_that_must_agree_differ_by_0(opened, language: str) -> None:
    for kv, kind in ((4, "MHA"), (2, "GQA"), (1, "MQA")):
        text = said(small(opened, language, shared_h_kv=str(kv)))
        found = check_sharing(8, 4, kv, n=5)
        assert found.to_tied == 0
        assert (found.to_untied == 0) == (kind == "MHA")
        fields = {"d_model": 8, "h": 4, "n": 5, "tied": "0", "untied": significant(found.to_untied)}
        told_equal = [words.EQUAL[one].say(language, **fields) in text for one in words.EQUAL]
        assert told_equal == [one == kind for one in words.EQUAL], "MHA is what the others are compared with"
        assert words.QUALITY.say(language) in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_H9_what_is_saved_and_what_stays_is_said(opened, language: str) -> None:
    text = said(opened(language))
    full, _, own, *_ = compare_sharing(4096, 32, n_layers=32, n=8192, dtype="bfloat16")
    saved = {"ratio": "1/4", "before": f"{full.n_kv_parameters:,}", "after": f"{own.n_kv_parameters:,}"}
    assert words.SAVES.say(language, cache="4.00 GiB", **saved) in text
    assert own.shapes["w_q"] == full.shapes["w_q"]
    assert own.shapes["w_o"] == full.shapes["w_o"], "as is said"
    whole = said(small(opened, language, shared_h_kv="4"))
    assert words.SAVES_NOTHING.say(language, before="512") in whole
    assert "repeat_interleave" not in whole


@pytest.mark.parametrize("language", LANGUAGES)
def test_H9_how_long_a_context_fits_into_16_gib(opened, language: str) -> None:
    at = opened(language)
    # 2^34 bytes over 2^19 and 2^17 bytes a token.
    rows = (("MHA", 32, "524,288", "32,768"), ("GQA", 8, "131,072", "131,072"))
    for kind, kv, token, tokens in rows:
        assert words.FITS.say(language, kind=kind, kv=kv, token=token, tokens=tokens) in told(at)[-1]
    assert words.QUESTION.say(language, memory="16.0 GiB", kv=8) in told(at)
    full = small(opened, language, shared_h_kv="4")
    assert words.QUESTION.say(language, memory="16.0 GiB", kv=1) in told(full), "MHA is asked beside MQA"
    alone = small(opened, language, shared_h="1", shared_h_kv="1")
    assert words.QUESTION_ALONE.say(language, memory="16.0 GiB") in told(alone)
    assert told(alone)[-1].count("MHA") == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_H2_an_h_that_does_not_divide_is_named_and_nothing_is_computed(opened, language: str) -> None:
    at = opened(language, d_model=12, h=5, h_kv=5, is_touched=True)
    assert [e.value for e in at.error] == [lesson_words.H_DIVIDES.say(language, h=5, d_model=12, rest=2)]
    assert not wrong_language(at, language)
    assert not {"reads", "sharings"} & drawings(at).keys()
    offered = [button.key.split(".")[-2:] for button in at.button if "divide" in button.key]
    assert offered == [["d_model", "10"], ["d_model", "15"], ["n_heads", "4"], ["n_heads", "6"]]
    at.button(key="shared.heads_divide_width.d_model.15").click().run()
    assert not at.error
    assert table(at)[0][:2] == ["MHA", "5"]
    assert chosen(at) == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_H2_an_h_kv_that_does_not_divide_is_named_beside_what_is_legal(opened, language: str) -> None:
    at = opened(language, d_model=12, h=6, h_kv=4, is_touched=True)
    tail = words.NONE_TAKEN.say(language)
    assert [e.value for e in at.error] == [
        joined(words.KV_DIVIDES.say(language, h=6, kv=4, rest=2), tail, language)
    ]
    assert [row[1] for row in table(at)] == ["6", "3", "2", "1"]
    assert chosen(at) is None
    assert "reads" not in drawings(at)
    at.button(key="shared.kv_heads_divide_heads.n_kv_heads.3").click().run()
    assert not at.error
    assert drawings(at)["reads"]["sides"] == [6, 3]
    both = opened(language, d_model=12, h=8, h_kv=6)
    assert "sharings" not in drawings(both)
    assert not [e.value for e in both.error if tail in e.value], "no table to speak of"
    labels = [button.label for button in both.button if button.key.startswith("shared.heads_divide")]
    asked = (("d_model", 8), ("d_model", 16), ("h", 6), ("h", 12))
    partly, enough = lesson_words.TAKE_PARTLY, lesson_words.TAKE_VALUE
    assert labels == [
        (enough if name == "h" else partly).say(language, name=name, value=value) for name, value in asked
    ], "6 is no divisor of 8: another width is not enough"
    many = opened(language, d_model=12, h=2, h_kv=4)
    said_many = joined(words.KV_TOO_MANY.say(language, h=2, kv=4), tail, language)
    assert [e.value for e in many.error] == [said_many]


def test_H9_presets_set_every_size(opened) -> None:
    at = opened(is_touched=True, d_model=12, h=5, h_kv=3)
    for name, preset in OFFERED.items():
        at.button(key=f"shared.{name}").click().run()
        assert not at.exception
        assert not at.error
        sizes = preset.sizes
        assert drawings(at)["reads"]["sides"] == [sizes.n_heads, sizes.kv_heads]
        assert table(at)[0][2] == f"{sizes.d_model} × {sizes.d_model}"
        assert table(at)[chosen(at)][1] == str(sizes.kv_heads)
    assert OFFERED["llama3_8b"] == PRESETS["llama3_8b"]
    at.select_slider(key="heads.shared_h_kv").set_value(1).run()
    assert drawings(at)["reads"]["sides"] == [32, 1]
    assert drawings(at)["reads"]["mode"] == "pixels", "32 rows of numbers would scroll in a frame"
    assert drawings(small(opened, shared_h="16", shared_h_kv="4"))["reads"]["mode"] == "cells"
    assert table(at)[chosen(at)][:2] == ["MQA", "1"]


def test_H9_the_code_repeats_heads_as_the_layer_does(opened) -> None:
    at = small(opened)
    lines = [step.line for step in list_steps(OFFERED["small"].sizes) if "repeat_interleave" in step.line]
    assert at.code[0].value.strip() == "\n".join(lines)
    heads = torch.arange(4.0).reshape(1, 2, 2, 1)
    made = {"k_heads": heads, "v_heads": heads, "h": 4, "h_kv": 2}
    exec(at.code[0].value, made)
    assert torch.equal(made["k_repeated"], repeat_heads(heads, 2))
    assert not small(opened, shared_h_kv="4").code


def test_H9_extremes_and_hostile_links(opened) -> None:
    largest = {"d_model": 65536, "h": 128, "h_kv": 128, "n": 2**20, "layers": 1024, "dtype": "float64"}
    at = opened(**largest)
    # 2 · 1024 · 65536 · 8 bytes a token, 2^20 tokens.
    assert table(at)[0][5:7] == ["1,073,741,824", "1.00 PiB"]
    assert drawings(at)["reads"]["mode"] != "cells"
    least = opened(**dict.fromkeys(("d_model", "h", "h_kv", "n", "layers"), 1))
    assert table(least)[0][:2] == ["MHA", "1"]
    assert chosen(least) == 0
    for given in ({"h": "<b>", "n": "🐱", "dtype": "$x$"}, {"d_model": -5, "h": "9e99", "layers": "nan"}):
        at = opened("zh", **given)
        assert not list(dangers(at))
        assert not wrong_language(at, "zh")
