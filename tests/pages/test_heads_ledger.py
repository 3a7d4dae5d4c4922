"""The shape ledger as it stands on the page (H1), and sizes that are not legal (H2)."""

import csv
import io
import re
from itertools import product

import pytest
import torch
from torch import nn

from attention_core.ledger import PRESETS, UNCOUNTED, build_ledger
from attention_core.sizes import Sizes
from dashboard.panels.heads import ledger as view
from dashboard.panels.heads.fields import head_fields
from dashboard.panels.heads.ledger_said import (
    LEADS_TO,
    family_of,
    joined,
    note_part,
    picked_part,
    program,
    said_part,
    say_memory,
    say_parameters,
    say_uneven,
)
from dashboard.panels.heads.ledger_sizes import FIELDS
from dashboard.panels.heads.legal import SIGNS
from dashboard.text import LANGUAGES
from dashboard.text import head_ledger as words
from dashboard.text import heads as head_words
from tests.pages.reading import dangers, drawings, hidden, labels, levels, told, wrong_language

COLUMNS = list(words.COLUMNS)
GPT2 = {"ledger_batch": "1", "ledger_n": "1024", "ledger_d_model": "768", "ledger_h": "12"}
GPT2 |= {"ledger_bias": "1", "ledger_layers": "12"}
LLAMA = {"ledger_batch": "1", "ledger_n": "8192", "ledger_d_model": "4096", "ledger_h": "32"}
LLAMA |= {"ledger_h_kv": "8", "ledger_layers": "32", "ledger_dtype": "bfloat16"}


@pytest.fixture
def opened(look_at):
    return lambda language="en", **query: look_at("heads", lang=language, view="ledger", **query)


def table(at) -> dict[str, dict[str, str]]:
    """The texts of the ledger, by symbol and column."""
    shown = drawings(at)["ledger"]
    symbols = [name.split(" · ")[0] for name in shown["row_names"]]
    wide = len(COLUMNS)
    cells = [shown["texts"][start : start + wide] for start in range(0, len(shown["texts"]), wide)]
    return {symbol: dict(zip(COLUMNS, row, strict=True)) for symbol, row in zip(symbols, cells, strict=True)}


def totals(at) -> dict[str, list[str]]:
    shown = drawings(at)["totals"]
    wide = shown["sides"][1]
    return {
        name: shown["texts"][place * wide : (place + 1) * wide] for place, name in enumerate(words.TOTAL_ROWS)
    }


def control(at, key):
    boxes = (*at.text_input, *at.number_input, *at.button, *at.selectbox, *at.toggle)
    return next(box for box in boxes if box.key == key)


class Values(dict):
    """The values of an opened page, as a view's actions see them."""

    language = "en"
    fields = head_fields("en")
    put = dict.__setitem__


def state_of(at) -> Values:
    """The values that an action may change; the page shows them at its next run."""
    values = Values()
    kept = at.session_state["lesson:heads"]
    values.update(kept)
    values.put = kept.__setitem__
    return values


def errors(at) -> list[str]:
    return [element.value for element in at.error]


def choices(at) -> list[str]:
    return [button.label for button in at.button if button.key.startswith("ledger.take.")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_H1_shapes_at_each_step_are_those_worked_by_hand(opened, language: str) -> None:
    at = opened(language)
    rows = table(at)
    by_hand = {
        "X": ("[2, 5, 12]", "[60, 12, 1]", "120", "480", "0", "0"),
        "Q": ("[2, 5, 12]", "[60, 12, 1]", "120", "480", "144", "2,880"),
        "Q_cut": ("[2, 5, 3, 4]", "[60, 12, 4, 1]", "120", "480", "0", "0"),
        "Q_h": ("[2, 3, 5, 4]", "[60, 4, 12, 1]", "120", "480", "0", "0"),
        "S": ("[2, 3, 5, 5]", "[75, 25, 5, 1]", "150", "600", "0", "1,200"),
        "O_h": ("[2, 3, 5, 4]", "[60, 20, 4, 1]", "120", "480", "0", "1,200"),
        "O_cut": ("[2, 5, 3, 4]", "[60, 4, 20, 1]", "120", "480", "0", "0"),
        "O": ("[2, 5, 12]", "[60, 12, 1]", "120", "480", "0", "0"),
        "Y": ("[2, 5, 12]", "[60, 12, 1]", "120", "480", "144", "2,880"),
    }
    names = ("shape", "strides", "elements", "bytes", "parameters", "flops")
    for symbol, expected in by_hand.items():
        assert tuple(rows[symbol][name] for name in names) == expected, symbol
    no = words.NO.say(language)
    uneven = [symbol for symbol, row in rows.items() if row["is_contiguous"] == no]
    assert uneven == ["Q_h", "K_h", "V_h", "O_cut"]
    assert rows["K_h"]["axes"] == "[B, h_kv, N, d_k]"
    assert torch.__version__ in "\n".join(told(at))
    assert not wrong_language(at, language)
    assert not list(dangers(at))


def test_H1_every_cell_is_what_the_core_read_from_the_run(opened) -> None:
    for query, name in (({}, "notes"), (GPT2, "gpt2_small"), (LLAMA, "llama3_8b")):
        made = build_ledger(PRESETS[name].sizes)
        rows = table(opened(**query))
        assert list(rows) == [row.step.symbol for row in made.rows]
        for row in made.rows:
            shown = rows[row.step.symbol]
            assert shown["axes"] == f"[{', '.join(row.step.axes)}]"
            assert (shown["shape"], shown["strides"]) == (str(list(row.shape)), str(list(row.strides)))
            assert shown["is_contiguous"] == ("yes" if row.is_contiguous else "no")
            counts = [f"{count:,}" for count in (row.elements, row.bytes, row.parameters, row.flops)]
            if row.step.name in UNCOUNTED:
                counts[-1] = words.NOT_COUNTED.en
            assert [shown[column] for column in COLUMNS[4:]] == counts


@pytest.mark.parametrize("language", LANGUAGES)
def test_H1_the_order_to_remember_stands_over_the_table_with_its_shapes(opened, language: str) -> None:
    said = told(opened(language))[0]
    turned, cut = "[2, 3, 5, 4]", "[2, 5, 3, 4]"
    for before, after in (("[2, 5, 12]", cut), (cut, turned), (turned, cut), (cut, "[2, 5, 12]")):
        place = said.index(before)
        said = said[place + len(before) :]
        assert after in said
    assert "W^O" in said


def test_H1_presets_bring_the_parameters_and_the_cache_of_known_models(opened) -> None:
    at = opened(is_touched=True)
    by_hand = {
        "gpt2_small": {"parameters": ["2,362,368", "28,348,416"], "cache_token": ["6,144", "73,728"]},
        "bert_base": {"parameters": ["2,362,368", "28,348,416"], "cache": ["3,145,728", "37,748,736"]},
        "llama3_8b": {"parameters": ["41,943,040", "1,342,177,280"], "cache_token": ["4,096", "131,072"]},
        "notes": {"parameters": ["576"], "cache_token": ["96"], "cache": ["960"], "flops": ["13,920"]},
    }
    for name, expected in by_hand.items():
        control(at, f"ledger.preset.{name}").click().run()
        shown = totals(at)
        assert {row: shown[row] for row in expected} == expected, name
        assert (words.PRESETS[name].en in drawings(at)["ledger"]["title"]) == (name != "notes")
        for size, field in FIELDS.items():
            wanted = getattr(PRESETS[name].sizes, size)
            assert control(at, f"heads.{field}").value == ("" if wanted is None else str(wanted))
    either = opened(**GPT2 | {"ledger_n": "10"})
    assert "GPT-2 small or BERT base" in drawings(either)["ledger"]["title"]
    assert totals(opened(**LLAMA))["cache"] == ["33,554,432", "1,073,741,824"]
    exact = drawings(opened(**LLAMA))["totals"]["exact"]
    assert exact[-2:] == ["33554432", "1073741824"], (
        "without separators: a file's reader takes it as a number"
    )
    abouts = ["1.34 G", "2.50 GiB", "655 GiB", "57.2 T", "128 KiB", "1.00 GiB"]
    assert drawings(opened(**LLAMA))["totals"]["footer"] == abouts


def test_H1_parameters_are_those_of_torch(opened) -> None:
    for width, heads, bias in ((768, 12, True), (12, 3, False)):
        layer = nn.MultiheadAttention(width, heads, bias=bias, device="meta")
        own = sum(parameter.numel() for parameter in layer.parameters())
        at = opened(**GPT2) if bias else opened()
        assert totals(at)["parameters"][0] == f"{own:,}"
        (line,) = [text for text in told(at) if "numel()" in text]
        assert f"counts {own:,}: equal" in line


def test_H1_a_count_that_differs_from_the_layers_own_is_said_so() -> None:
    made = build_ledger(PRESETS["notes"].sizes)
    object.__setattr__(made, "parameters", 577)
    assert "counts 577: not equal" in say_parameters(made, "en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_H1_the_picked_row_shows_its_line_and_whose_memory_it_looks_at(opened, language: str) -> None:
    lines = "\n".join(told(opened(language, ledger_row="k_heads")))
    assert "k_heads = k_cut.transpose(1, 2)" in lines
    assert words.SHARES.say(language, owner="K", bytes="480") in lines
    lines = "\n".join(told(opened(language, ledger_row="merged")))
    assert "merged = turned.reshape(B, N, h * d_k)" in lines
    assert words.OWNS.say(language, bytes="480") in lines
    shown = drawings(opened(language, ledger_row="merged"))
    assert shown["ledger"]["picked"] == 15 * len(COLUMNS)
    assert shown["ledger"]["is_by_rows"], "all of the row is framed"
    assert list(shown).index("picked") < list(shown).index("ledger"), "it is read where it is seen"


@pytest.mark.parametrize("language", LANGUAGES)
def test_H1_the_picked_row_writes_out_how_its_numbers_come_about(opened, language: str) -> None:
    lines = "\n".join(told(opened(language, ledger_row="q")))
    assert "2 · 5 · 12 = 120" in lines
    assert words.PARAMETERS_OF.say(language, inner=12, width=12, all="144") in lines
    assert words.FLOPS_OF.say(language, elements="120", inner=12, all="2,880") in lines
    assert "2 · 1 · 3 · 4 · 4 = 96" in lines, "the cache of a token"
    lines = "\n".join(told(opened(language, ledger_row="weights")))
    assert words.FLOPS_NOT_COUNTED.say(language) in lines
    lines = "\n".join(told(opened(language, **GPT2, ledger_row="out")))
    assert words.PARAMETERS_WITH_BIAS.say(language, inner=768, width=768, all="590,592") in lines


@pytest.mark.parametrize("language", LANGUAGES)
def test_H1_a_row_leads_on_to_the_view_that_answers_its_question(opened, language: str) -> None:
    at = opened(language, **LLAMA, ledger_row="k_repeated")
    assert words.LINKS["shared"].say(language) in "\n".join(told(at))
    made = build_ledger(PRESETS["llama3_8b"].sizes)
    for row in made.rows:
        view = LEADS_TO.get(family_of(row.step.name))
        followed = []
        part = picked_part(made, row.step, 0, language, followed.append)
        links = [
            (line, place)
            for line, shown in enumerate(part.data["lines"])
            for place, piece in enumerate(shown["pieces"])
            if piece.get("is_link")
        ]
        assert (view is None) == (row.step.name == "x") == (not links)
        for link in links:
            part.hear("pick", [*link])
        part.hear("pick", [0, 0])
        assert followed == [view] * len(links)


def test_H1_shared_heads_open_at_the_sizes_of_the_ledger(opened) -> None:
    at = opened(is_touched=True, **GPT2)
    view.follow(state_of(at), view.Asked(PRESETS["gpt2_small"].sizes, (), ()), "shared")
    at.run()
    assert not at.exception
    shown = drawings(at)["sharings"]
    assert (shown["texts"][1], shown["sides"][0]) == ("768 × 768", 6), "12 has six divisors"
    wide = opened(is_touched=True, ledger_d_model="1024", ledger_h="256")
    view.follow(state_of(wide), view.Asked(Sizes(2, 5, 1024, 256), (), ()), "shared")
    wide.run()
    assert not wide.exception
    assert drawings(wide)["sharings"]["texts"][1] == "4096 × 4096", "more heads than that view takes"


@pytest.mark.parametrize("language", LANGUAGES)
def test_H1_the_split_is_shown_on_a_few_numbers_in_the_colours_of_their_heads(opened, language: str) -> None:
    shown = drawings(opened(language))
    before, after = (levels(shown[f"split.{name}"]) for name in ("before", "after"))
    assert shown["split.before"]["texts"] == [str(number) for number in range(8)]
    assert shown["split.after"]["texts"] == list("01452367"), "worked by hand: head 1, then head 2"
    one, two = before[0, 0], before[0, -1]
    assert before.tolist() == [[one, one, two, two]] * 2
    assert after.tolist() == [[one, one]] * 2 + [[two, two]] * 2
    assert one != two
    assert not shown["split.before"]["ends"], "colours are heads and no scale"


def test_H1_a_row_that_is_not_there_gives_way_to_the_one_read_in_its_place(opened) -> None:
    assert "k_heads = k_cut" in "\n".join(told(opened(ledger_row="k_repeated")))
    assert "k_repeated = k_heads.repeat" in "\n".join(told(opened(**LLAMA, ledger_row="k_repeated")))


def test_H1_flops_and_bytes_are_those_worked_by_hand(opened) -> None:
    sizes = {"ledger_batch": "1", "ledger_n": "1024", "ledger_d_model": "512", "ledger_h": "8"}
    at = opened(**sizes)
    rows = table(at)
    # Two FLOPs for each of 8 · 1024² · 64 multiply-adds; four projections of 1024 · 512².
    assert [rows[symbol]["flops"] for symbol in ("S", "O_h")] == ["1,073,741,824"] * 2
    assert "the four projections 2,147,483,648 (" in "\n".join(told(at))
    kept = ("S", "S/√d_k", "A")
    assert [rows[symbol]["bytes"] for symbol in kept] == ["33,554,432"] * 3, "three copies by hand"
    wide = table(opened(**sizes, ledger_dtype="float64"))
    assert [wide[symbol]["bytes"] for symbol in kept] == ["67,108,864"] * 3


class Kept(dict):
    """Values of a page without a page."""

    language = "en"

    def put(self, name, value) -> None:
        self[name] = value


def test_H1_picking_any_cell_explains_its_row() -> None:
    state, sizes = Kept(ledger_layers=1), PRESETS["notes"].sizes
    made = build_ledger(sizes)
    steps = [row.step for row in made.rows]
    part = view.ledger_part(state, view.Asked(sizes, (), ()), made, steps, 0)
    part.hear("pick", {"row": 14, "column": 3})
    assert state["ledger_row"] == "turned"
    for wild in ({"row": 99, "column": 0}, {"row": -1, "column": 0}, "turned", None):
        part.hear("pick", wild)
    assert state["ledger_row"] == "turned"


@pytest.mark.parametrize("language", LANGUAGES)
def test_H1_the_question_names_the_rows_that_are_not_contiguous(opened, language: str) -> None:
    answer = drawings(opened(language))["answer"]["lines"][0]["pieces"][0]["text"]
    rows = words.BETWEEN.say(language).join(["Q_h", "K_h", "V_h", "O_cut"])
    fields = {"row": "Q_h", "strides": "[60, 4, 12, 1]", "even": "[60, 20, 4, 1]"}
    copies = words.ANSWER_COPIES.say(language, turned="O_cut", bytes="480")
    assert answer == joined(words.ANSWER.say(language, rows=rows, **fields), copies, language)
    for sizes in (Sizes(2, 1, 12, 3), Sizes(2, 5, 12, 1)):
        made = build_ledger(sizes)
        assert made.row("merged").shares_with == "out_heads", "nothing is copied"
        fields = {"h": sizes.n_heads, "n": sizes.n}
        assert say_uneven(made, language) == words.ANSWER_NONE.say(language, **fields)
    narrow = say_uneven(build_ledger(Sizes(2, 5, 3, 3)), language)
    shares = {"d_k": 1, "merged": "O", "owner": "O_h", "strides": "[15, 1, 5]"}
    assert narrow.endswith(words.ANSWER_SHARES.say(language, **shares)), "single numbers need no copy"
    one_key_head = say_uneven(build_ledger(Sizes(2, 5, 12, 3, 1)), "en")
    assert one_key_head.startswith("Q_h, O_cut. ")


def test_H1_what_is_said_agrees_with_the_numbers_at_every_size() -> None:
    kinds = set()
    for n, heads, kv, bias, dtype in product(
        (1, 4, 7), (1, 3, 12), (1, None), (True, False), ("float16", "float32")
    ):
        made = build_ledger(Sizes(2, n, 12, heads, kv, bias, dtype))
        scores, x = made.row("scores").elements, made.row("x").elements
        kind = "larger" if scores > x else "smaller" if scores < x else "as many"
        kinds.add(kind)
        assert kind in say_memory(made, "en")
        assert (n > made.d_k) == ("is above" in say_memory(made, "en"))
        assert say_parameters(made, "en").count(": equal") == 1
        is_shared = made.sizes.kv_heads < heads
        assert is_shared == ("fewer" in say_parameters(made, "en"))
        copies = "reshape copies" in say_uneven(made, "en")
        is_uneven = any(not row.is_contiguous for row in made.rows)
        assert copies == (is_uneven and made.row("merged").shares_with is None)
        assert ("None here" in say_uneven(made, "en")) == (not is_uneven)
        assert not re.search(r"\b1 (numbers|bytes|tokens|rows)\b", " ".join(all_said(made)))
    assert kinds == {"larger", "smaller", "as many"}
    assert "= 1; in X, B·N·d_model = 1: as many" in say_memory(build_ledger(Sizes(1, 1, 1, 1)), "en")


def all_said(made) -> list[str]:
    """Every sentence about one ledger."""
    lines = [*said_part(made, 1, "en").data["lines"], *note_part(None, made, "en").data["lines"]]
    return ["".join(piece["text"] for piece in line["pieces"]) for line in lines]


def test_H1_the_script_makes_the_shapes_of_the_table() -> None:
    for name, preset in PRESETS.items():
        made, names = build_ledger(preset.sizes), {}
        try:
            exec(program(preset.sizes), names)
        finally:
            torch.set_default_device(None)
        for row in made.rows:
            tensor = names[row.step.name]
            found = (tuple(tensor.shape), tensor.stride(), str(tensor.dtype), tensor.is_contiguous())
            wanted = (row.shape, row.strides, f"torch.{row.dtype}", row.is_contiguous)
            assert found == wanted, (name, row.step.name)


@pytest.mark.parametrize("language", LANGUAGES)
def test_H1_the_handouts_hold_the_table_in_the_readers_words(open_page, monkeypatch, language: str) -> None:
    offered = {}

    def take(label, data, *, file_name, **_) -> None:
        offered[file_name] = (label, data)

    monkeypatch.setattr(view.st, "download_button", take)
    assert not open_page("heads", lang=language, view="ledger").exception
    assert set(offered) == {"shape-ledger.csv", "shape-ledger.md"}
    assert [label for label, _ in offered.values()] == [words.CSV.say(language), words.MARKDOWN.say(language)]
    made = offered["shape-ledger.csv"][1]()
    assert made.startswith(b"\xef\xbb\xbf")
    *rows, title, sizes, own, _counted, link = csv.reader(io.StringIO(made.decode("utf-8-sig")))
    assert title == [words.TABLE.say(language)]
    assert sizes[0].startswith("B = 2")
    assert torch.__version__ in sizes[0]
    assert own == [words.HANDOUT_BYTES.say(language)]
    assert link[0].endswith(f"?lang={language}"), "the link that brings these sizes back"
    assert rows[0] == [words.HANDOUT_COLUMNS[name].say(language) for name in view_columns()]
    assert rows[8][:5] == [
        words.STEPS["q_heads"].say(language),
        "Q_h",
        "[B, h, N, d_k]",
        "[2, 3, 5, 4]",
        "[60, 4, 12, 1]",
    ]
    assert rows[8][5:7] == [words.NO.say(language), "Q"]
    assert rows[8][-1] == "q_heads = q_cut.transpose(1, 2)"
    assert rows[-1][0] == words.HANDOUT_COLUMNS["total"].say(language)
    assert rows[-1][-4:-1] == ["5160", "576", "13920"]
    markdown = offered["shape-ledger.md"][1]().decode()
    assert "`q_heads = q_cut.transpose(1, 2)`" in markdown
    assert markdown.startswith(f"# {words.TABLE.say(language)}\n")
    assert markdown.count("\n|") == len(rows) + 1
    assert "B = 2" in markdown
    assert markdown.endswith(f"?lang={language}>\n")


def view_columns() -> list[str]:
    from attention_core.handout import COLUMNS as names

    return list(names)


@pytest.mark.parametrize("language", LANGUAGES)
def test_H2_heads_that_do_not_divide_the_width_are_marked_with_legal_neighbours(
    opened, language: str
) -> None:
    at = opened(language, is_touched=True, ledger_h="5")
    (error,) = errors(at)
    assert words.FAULTS["heads_divide_width"].say(language, first=12, second=5, rest=2) in error
    assert words.BREAKS_AT.say(language, place=5, symbol="Q_cut") in error
    assert choices(at) == [
        head_words.TAKE_VALUE.say(language, name=name, value=value)
        for name, value in (("d_model", 10), ("d_model", 15), ("h", 4), ("h", 6))
    ]
    marked = [label for label in labels(at) if label.startswith("⚠")]
    assert marked == [words.BOXES[name][1].say(language) for name in ("d_model", "n_heads")]
    assert control(at, "heads.ledger_h").value == "5", "what was typed stays"
    assert not wrong_language(at, language)
    control(at, "ledger.take.0.n_heads.6").click().run()
    assert not errors(at)
    assert control(at, "heads.ledger_h").value == "6"
    assert table(at)["Q_h"]["shape"] == "[2, 6, 5, 2]"


def test_H2_the_ledger_shows_where_it_breaks_and_nothing_is_computed(opened) -> None:
    broken = {
        "Q_cut": {"ledger_h": "5"},
        "K_rep": {"ledger_h_kv": "2"},
        "X": {"ledger_batch": "0"},
        "K_cut": {"ledger_h_kv": "-1"},
    }
    for symbol, query in broken.items():
        at = opened(**query)
        shown, rows = drawings(at)["ledger"], table(at)
        place = list(rows).index(symbol)
        assert hidden(shown).all(axis=1).tolist() == [row >= place for row in range(len(rows))]
        assert shown["refused"][0] == place * len(COLUMNS) + 1
        assert symbol in shown["refused"][1]
        for row in rows.values():
            assert row["axes"].startswith("[B, ")
            assert [row[column] for column in COLUMNS[1:]] == ["–"] * (len(COLUMNS) - 1)
        assert "totals" not in drawings(at)
        assert not at.code
        assert not at.get("download_button")
        assert words.NOTE_BROKEN.en in told(at)


def test_H2_rules_name_both_values(opened) -> None:
    found = {
        "h_kv has to divide h: 3 ÷ 2 leaves 1": {"ledger_h_kv": "2"},
        "h has to be at least 1; 0 was given": {"ledger_h": "0"},
        "h has to be at least 1; −3 was given": {"ledger_h": "-3"},
        "h may be at most 1,024 here; 1,000,000,000 was given": {"ledger_h": "1000000000"},
        "N has to be a whole number; `abc` was given": {"ledger_n": "abc"},
        "B has to be a whole number; `∅` was given": {"ledger_batch": ""},
        "d_model has to be a whole number; `12.5` was given": {"ledger_d_model": "12.5"},
    }
    for text, query in found.items():
        (error,) = errors(opened(**query))
        assert error.startswith(text), error
        assert choices(opened(**query))


def test_H2_a_width_of_5_is_not_cut_into_2_heads(opened) -> None:
    at = opened(ledger_d_model="5", ledger_h="2")
    assert errors(at)[0].startswith("h has to divide d_model: 5 ÷ 2 leaves 1")
    assert choices(at) == [f"Take {choice}" for choice in ("d_model = 4", "d_model = 6", "h = 1", "h = 5")]


def test_H2_several_faults_stand_side_by_side_and_a_choice_that_is_not_enough_says_so(opened) -> None:
    at = opened(is_touched=True, ledger_batch="x", ledger_h="5")
    assert len(errors(at)) == 2
    assert head_words.TAKE_PARTLY.en % {"name": "B", "value": 1} in choices(at)
    control(at, "ledger.take.0.batch.1").click().run()
    assert len(errors(at)) == 1
    assert control(at, "heads.ledger_h").value == "5"


def test_H2_every_offered_value_is_legal(open_page, opened) -> None:
    at = opened(ledger_h="7", ledger_d_model="12")
    offered = [key for key in (button.key for button in at.button) if key.startswith("ledger.take.")]
    assert len(offered) == 4
    for key in offered:
        name, value = key.split(".")[-2:]
        sizes = {"d_model": 12, "n_heads": 7} | {name: int(value)}
        assert sizes["d_model"] % sizes["n_heads"] == 0
        assert SIGNS[name] in next(button.label for button in at.button if button.key == key)


HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "$5 and $6",
    "`a` **b** [x](y)",
    "😀",
    "‮12",
    "9" * 300,
    "9" * 5000,
    "-" + "9" * 39,
    "1e9",
    "10**9",
    "nan",
    "1_000",
)


def test_H2_whatever_is_typed_is_marked_and_kept(opened) -> None:
    at, fields = opened(is_touched=True), list(FIELDS.values())
    for start in range(0, len(HOSTILE), len(fields)):
        typed = dict(zip(fields, HOSTILE[start : start + len(fields)], strict=False))
        for field, text in typed.items():
            control(at, f"heads.{field}").set_value(text)
        at.run()
        assert not at.exception, typed
        assert len(errors(at)) >= len(typed), typed
        assert not list(dangers(at)), typed
        assert all(len(error) < 400 for error in errors(at))
        assert {field: control(at, f"heads.{field}").value for field in typed} == typed
    control(at, "ledger.preset.notes").click().run()
    assert not errors(at)


def test_H2_a_readers_marks_stay_in_the_sentence_under_the_table(opened) -> None:
    for typed, shown in (("a`b", "a`b"), ("``", "``"), ("", "∅"), (" ", "␠"), ("$x$", "$x$")):
        refused = drawings(opened(ledger_n=typed))["ledger"]["refused"][1]
        assert refused == f"N has to be a whole number; {shown} was given. It breaks at row 1, X."


def test_H2_what_is_offered_is_near_the_number_that_was_typed(opened) -> None:
    near = {
        "12.4": [12],
        "13.4": [12, 15],
        "1e3": [999, 1002],
        "-0.5": [3],
        "1e9": [65535],
        "x": [3],
        "9e999": [3],
    }
    for typed, values in near.items():
        wanted = [head_words.TAKE_VALUE.say("en", name="d_model", value=value) for value in values]
        assert choices(opened(ledger_d_model=typed)) == wanted, typed


def test_H2_full_width_digits_and_spaces_are_read(opened) -> None:
    assert table(opened(ledger_h=" ４ "))["Q_h"]["shape"] == "[2, 4, 5, 3]"


@pytest.mark.parametrize("language", LANGUAGES)
def test_H2_a_malformed_link_opens_with_what_it_says_marked(opened, language: str) -> None:
    wild = {
        "ledger_h": "NaN",
        "ledger_h_kv": "-",
        "ledger_layers": "0",
        "ledger_dtype": "int8",
        "ledger_row": "zz",
    }
    at = opened(language, **wild)
    assert len(errors(at)) == 2
    assert len(at.warning) == 3
    assert not wrong_language(at, language)


def test_H1_extremes_run(opened) -> None:
    one = opened(ledger_batch="1", ledger_n="1", ledger_d_model="1", ledger_h="1")
    assert table(one)["S"]["shape"] == "[1, 1, 1, 1]"
    largest = {"ledger_batch": "256", "ledger_n": "1048576", "ledger_d_model": "65536", "ledger_h": "1024"}
    at = opened(**largest, ledger_layers="1024", ledger_dtype="float64")
    assert table(at)["S"]["elements"] == f"{2**58:,}"
    assert table(at)["S"]["bytes"] == f"{2**61:,}"
    # 1024 layers of three S of 2^61 bytes each, and little else: 6 · 2^70.
    assert drawings(at)["totals"]["footer"][2] == "6.00 ZiB"
