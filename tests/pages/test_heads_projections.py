"""Claim H5 as it stands on the page: one W^Q equals h small ones, exactly in a fixed order and by rounding else."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from attention_core.components import DTYPES
from attention_core.experiments.one_projection import (
    FORMS,
    compare_orders,
    compare_projections,
    draw_projection,
)
from dashboard.grid.picture import PLAIN
from dashboard.number_format import significant
from dashboard.panels.heads.projections import Setting, pick_head
from dashboard.text import LANGUAGES
from dashboard.text import head_projections as words
from dashboard.text import heads as head_words
from tests.pages.reading import dangers, drawings, levels, numbers, told, wrong_language


@pytest.fixture
def opened(look_at):
    def open_it(language="en", *, is_touched=False, **fields):
        named = {f"projections_{name}": value for name, value in ({"dtype": "float64"} | fields).items()}
        return look_at("heads", is_touched=is_touched, lang=language, view="projections", **named)

    return open_it


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def records(dtype: str = "float64", **sizes: int) -> dict:
    found = compare_projections(**sizes, generator=seeded(), dtypes=(dtype,))
    return {record.form: record for record in found}


def cells(at) -> dict[str, list[str]]:
    table = drawings(at)["forms"]
    rows = np.array(table["texts"]).reshape(table["sides"]).tolist()
    return dict(zip(FORMS, rows, strict=True))


def answer_of(at) -> str:
    return drawings(at)["answer"]["lines"][0]["pieces"][0]["text"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_H5_a_fixed_order_gives_exactly_0_in_every_type(opened, dtype: str) -> None:
    at = opened(dtype=dtype)
    # 12 products for the large matrix, and 12 for each of three heads; 12 · 12 parameters either way.
    assert cells(at)["fixed_order"] == ["0", "0", "0", "0", "12", "36", "144", "144"]
    said = words.FIXED.say("en", different=0, all=60, difference="0")
    assert said in told(at)


@pytest.mark.parametrize("dtype", DTYPES)
def test_H5_the_table_holds_what_the_core_measured(opened, dtype: str) -> None:
    at = opened(dtype=dtype)
    for form, record in records(dtype).items():
        row = cells(at)[form]
        assert row[:2] == [significant(record.difference), significant(record.relative_difference)]
        assert float(row[2]) == pytest.approx(record.difference / record.step, rel=0.01)
        assert row[3:] == [
            str(one)
            for one in (
                record.n_different,
                record.big.n_products,
                record.small.n_products,
                record.big.n_parameters,
                record.small.n_parameters,
            )
        ]
    assert [row[4:6] for row in cells(at).values()] == [["1", "3"], ["1", "1"], ["1", "1"], ["12", "36"]]
    assert drawings(at)["forms"]["footer"] == ["4", "4", "12", "4"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_H5_matmul_is_said_in_steps_of_the_type_or_not_to_differ(opened, language: str) -> None:
    for dtype in DTYPES:
        record, at = records(dtype)["matmul"], opened(language, dtype=dtype)
        if record.n_different:
            said = words.MATMUL.say(
                language,
                different=record.n_different,
                all=60,
                difference=significant(record.difference),
                steps=f"{record.difference / record.step:.3g}",
                bound=significant(record.bound),
            )
        else:
            said = words.MATMUL_SAME.say(language)
        assert said in "\n".join(told(at))
        x, w_q = (one.to(DTYPES[dtype]) for one in draw_projection(5, 12, seeded()))
        once = (x.float() @ w_q.float()).to(x.dtype).equal(x @ w_q)
        is_said = words.ROUNDED_ONCE.say(language, dtype=dtype) in "\n".join(told(at))
        assert is_said == (once and dtype in ("bfloat16", "float16") and not record.n_different)
        assert not wrong_language(at, language)
        assert not list(dangers(at))


def test_H5_einsum_made_the_one_product_again(opened) -> None:
    at, record = opened(), records()["einsum"]
    assert record.small.widths == (12,)
    expected = words.EINSUM_STILL if record.n_different else words.EINSUM_ONE
    fields = {"made": 12, "difference": significant(record.difference), "d_h": 4}
    assert expected.say("en", **{name: fields[name] for name in expected.fields("en")}) in told(at)


def test_H5_x_times_one_head_of_either_matrix_gives_the_same_numbers(opened) -> None:
    drawn = drawings(opened(head=2))
    x, w_q = draw_projection(5, 12, seeded())
    assert numbers(drawn["x"]).tolist() == x.tolist()
    assert numbers(drawn["w.big"]).tolist() == w_q.tolist()
    assert numbers(drawn["w.small"]).tolist() == w_q[:, 4:8].tolist()
    for name in ("q.big", "q.small"):
        assert np.allclose(numbers(drawn[name]), (x @ w_q)[:, 4:8], rtol=1e-13, atol=1e-14)
    assert drawn["q.big"]["texts"] == drawn["q.small"]["texts"], "equal numbers are seen"
    apart = numbers(drawn["q.big"]) - numbers(drawn["q.small"])
    assert numbers(drawn["apart"]).tolist() == apart.tolist()
    assert [drawn[name]["ends"] for name in ("w.big", "q.big")] == [
        drawn[name]["ends"] for name in ("w.small", "q.small")
    ]


def test_H5_of_the_large_matrix_the_heads_own_columns_are_coloured(opened) -> None:
    for fields, own in (({"head": 2}, range(4, 8)), ({"d_model": 32, "h": 8, "head": 3}, range(8, 12))):
        drawn = drawings(opened(**fields))
        big, d_h = drawn["w.big"], len(own)
        is_plain = levels(big) == PLAIN
        width = big["columns"]
        assert [bool(column.all()) for column in is_plain.T] == [place not in own for place in range(width)]
        assert not is_plain[:, own.start : own.stop].any()
        assert (levels(drawn["w.small"]) == levels(big)[:, own.start : own.stop]).all()
        assert big["column_names"] == [f"h{place // d_h + 1}" for place in range(width)]
        assert not big["marked"]


def test_H5_parameters_are_equal_and_the_order_matters_in_float16(opened) -> None:
    answer = answer_of(opened())
    assert answer.startswith("As many: 12 · 12 = 144 and 3 · (12 · 4) = 144. It does matter")
    x, w_q = draw_projection(5, 12, seeded())
    for name, dtype in DTYPES.items():
        orders = compare_orders(x.to(dtype), w_q.to(dtype))
        assert orders.n_different > 0
        assert f"{name} {orders.n_different} ({significant(orders.difference)})" in answer


def test_H5_two_products_have_no_order(opened) -> None:
    for d_model, h in ((1, 1), (2, 1), (2, 2)):
        assert words.TOO_SHORT.en in answer_of(opened(d_model=d_model, h=h))
    assert words.SAME_SUMS_ONE.en in told(opened(d_model=2, h=1))


@pytest.mark.parametrize("language", LANGUAGES)
def test_H5_heads_that_do_not_fit_are_named_and_the_nearest_offered(opened, language: str) -> None:
    at = opened(language, h=5, head=5, is_touched=True)
    (error,) = [element.value for element in at.error]
    assert "12 ÷ 5" in error
    assert "forms" not in drawings(at)
    assert not wrong_language(at, language)
    at.button(key="take.projections_h.4").click().run()
    assert not at.error
    assert (numbers(drawings(at)["w.small"]) == numbers(drawings(at)["w.big"])[:, 9:]).all()


@pytest.mark.parametrize("language", LANGUAGES)
def test_H5_a_head_that_there_is_not_is_moved_to_the_last_and_comes_back(opened, language: str) -> None:
    at = opened(language, h=1, head=3, is_touched=True)
    moved = head_words.HEAD_MOVED.say(language, given=3, used=1)
    assert moved in told(at)
    at.slider(key="heads.projections_h").set_value(4).run()
    assert moved not in told(at)
    assert (numbers(drawings(at)["w.small"]) == numbers(drawings(at)["w.big"])[:, 6:9]).all()


def test_H5_a_column_of_the_large_matrix_picks_its_head(opened) -> None:
    picked: dict[str, int] = {}
    state, setting = SimpleNamespace(put=picked.__setitem__), Setting(5, 12, 3, 0, "float64")
    for column in range(12):
        pick_head(state, setting, 7, column)
        assert picked == {"projections_head": 1 + column // 4}
    drawn = drawings(opened())
    assert [name for name, part in drawn.items() if part.get("is_pickable")] == ["w.big"]


def test_H5_extremes_and_bad_links_are_shown(opened) -> None:
    for fields, sides in (
        ({"d_model": 32, "h": 16, "n": 16, "dtype": "float16", "seed": 9999, "head": 16}, [16, 2]),
        ({"d_model": 1, "h": 1, "n": 1}, [1, 1]),
        ({"d_model": "🐱", "h": "<b>", "n": 10**9, "dtype": "$", "head": "nan"}, [16, 4]),
    ):
        at = opened(**fields)
        assert drawings(at)["apart"]["sides"] == sides
        assert not list(dangers(at))
    assert len(at.warning) == 5


def test_H5_the_code_that_ran_is_on_the_page(opened) -> None:
    at = opened(is_touched=True)
    at.session_state["is_open:open.source"] = True
    at.run()
    assert not at.exception
    for name in ("def project_each", "def add_in_order", "def compare_orders"):
        assert name in at.code[-1].value


def test_H5_controls_change_the_picture_and_the_link(opened) -> None:
    at = opened(is_touched=True)
    at.slider(key="heads.projections_h").set_value(2).run()
    at.slider(key="heads.projections_n").set_value(4).run()
    query = drawings(at)["address"]["query"]
    assert "projections_h=2" in query
    assert "projections_n=4" in query
    assert drawings(at)["apart"]["sides"][0] == 4
