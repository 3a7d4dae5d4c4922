"""Claims C1 and C4 as they stand on the page: costs by formula, their slopes, and what changes an exponent."""

import itertools
import math
import random
import re
from fractions import Fraction

import pytest

from attention_core.cost import AXES, QUANTITIES, VARIANTS, Setting, count, intensity, list_terms
from attention_core.cost_lines import MEASURES, list_stops, slope
from dashboard.number_format import significant
from dashboard.panels.complexity.growth import RAN, costs_part
from dashboard.panels.complexity.growth_said import answer, readings
from dashboard.text import LANGUAGES
from dashboard.text import complexity as lesson_words
from dashboard.text import complexity_growth as words
from tests.pages.reading import (
    CHINESE,
    charts,
    dangers,
    drawings,
    labels,
    sentences,
    told,
    wrong_language,
)

# 1024 positions, 512 wide, 8 heads: the sizes that were worked by hand.
KNOWN = {"n": "1024", "d_model": "512", "h": "8"}
AT_KNOWN = Setting(n=1024, d_model=512, n_heads=8)
FIRST = Setting(n=4096, d_model=512, n_heads=8)


@pytest.fixture
def opened(look_at):
    def open_it(language="en", *, is_touched=False, **query):
        at = look_at("complexity", is_touched=is_touched, lang=language, **query)
        assert not list(dangers(at))
        assert not wrong_language(at, language)
        return at

    return open_it


def table(at, what="texts") -> dict[str, list[str]]:
    """The rows of the table by variant."""
    shown = drawings(at)["costs"]
    wide = shown["sides"][1]
    return {name: shown[what][place * wide : (place + 1) * wide] for place, name in enumerate(VARIANTS)}


def control(at, kind: str, name: str):
    return getattr(at, kind)(key=f"complexity.{name}")


def said(at) -> str:
    return "\n".join(told(at))


def test_C1_the_figures_worked_by_hand_stand_in_the_formula(opened) -> None:
    text = said(opened(**KNOWN))
    # 2 · 1024² · 512 for each product, 8 · 1024 · 512² for the projections.
    assert text.count("= 1,073,741,824") == 2
    assert "scores QKᵀ: 2·B·h·N²·d_k·layers = 2 · 1 · 8 · 1,048,576 · 64 · 1 = 1,073,741,824" in text
    assert text.count("= 536,870,912") == 4
    assert "computation = 4,294,967,296 FLOPs" in text
    assert "layers·B·(8·N·d_model² + 4·N²·d_model)" in text
    kept = said(opened(**KNOWN, measure="score_bytes"))
    # 8 heads · 1024² · 4 bytes, in three copies.
    assert kept.count("= 33,554,432") == 3
    assert table(opened(**KNOWN, measure="score_bytes"))["full"][:2] == ["100,663,296", "96.0 MiB"]
    assert table(opened(**KNOWN, measure="score_bytes"))["fused"][0] == "0"


@pytest.mark.parametrize("language", LANGUAGES)
def test_C1_a_hundred_times_the_tokens_is_ten_thousand_times_the_scores(opened, language: str) -> None:
    text = said(opened(language, **KNOWN, batch="2", layers="3"))
    for number in ("1,000,000 = 10⁶", "10,000,000,000 = 10¹⁰", "10,000", "48,000,000", "480,000,000,000"):
        assert number in text
    assert 2 * 8 * 3 * 1000**2 == 48_000_000


@pytest.mark.parametrize("language", LANGUAGES)
def test_C1_projections_and_products_cross_at_twice_the_width(opened, language: str) -> None:
    at = opened(language)
    fields = {"crossing": "1,024", "n": "4,096", "ratio": "4.00"}
    assert words.CROSSING.say(language, **fields) in told(at)
    (frame, alt), *_ = charts(at)
    marks = frame[frame["mark"].notna()]
    assert marks["size"].tolist() == [4096, 1024]
    mark = words.CROSSING_MARK.say(language, n="1,024")
    assert words.CROSSING_ALT.say(language) in alt
    assert marks["mark"].tolist()[1] == mark
    parts = {name: frame[frame["variant"] == text.say(language)] for name, text in words.PARTS.items()}
    for name, line in parts.items():
        for n, cost in zip(line["size"], line["cost"], strict=True):
            assert cost == (8 * n * 512**2 if name == "projections" else 4 * n**2 * 512)
    assert [line[line["size"] == 1024]["cost"].item() for line in parts.values()] == [8 * 1024 * 512**2] * 2
    for other in ({"measure": "score_bytes"}, {"axis": "batch"}, {"lines": "window,linear"}):
        (bare, _), *_ = charts(opened(language, **other))
        assert len(bare["mark"].dropna()) == 1
        assert not set(bare["variant"]) & {text.say(language) for text in words.PARTS.values()}
    shared = opened(language, h_kv="2")
    # 4·d² + 4·d²/4 a position against 4·N·d.
    at_640 = {"kv": 2, "crossing": "640", "twice": "1,024", "n": "4,096", "ratio": "6.40"}
    assert words.CROSSING_SHARED.say(language, **at_640) in told(shared)


@pytest.mark.parametrize("measure", MEASURES)
def test_C1_every_cell_is_the_cores(opened, measure: str) -> None:
    at = opened(measure=measure)
    for name, row in table(at).items():
        if measure == "intensity":
            assert row[0] == significant(float(intensity(name, FIRST)), 4)
            assert Fraction(table(at, "exact")[name][0]) == intensity(name, FIRST)
            continue
        assert row[0] == f"{count(name, measure, FIRST):,}"
        assert table(at, "exact")[name][0] == str(count(name, measure, FIRST))
        assert row[2] == significant(slope(name, measure, FIRST, "n"))
        assert row[3] == significant(slope(name, measure, FIRST, "n", from_far=True))
    unit = words.UNITS[measure].en
    assert all(unit in text for text in (drawings(at)["costs"]["title"], charts(at)[0][1]))


@pytest.mark.parametrize("axis", AXES)
def test_C1_lines_go_through_the_cores_values_at_legal_sizes(opened, axis: str) -> None:
    at = opened(axis=axis, measure="kept_bytes", lines=",".join(VARIANTS))
    ((frame, alt),) = charts(at)
    lines = frame[frame["mark"].isna()]
    assert set(lines["variant"]) == {text.en for text in lesson_words.VARIANTS.values()}
    stops = list_stops(FIRST, axis)
    for name, text in lesson_words.VARIANTS.items():
        line = lines[lines["variant"] == text.en]
        drawn = [int(size) for size in line["size"]]
        assert {stops[0], stops[-1], getattr(FIRST, axis)} <= {*drawn} <= {*stops}
        assert len(drawn) >= len(stops) / 2
        for size, cost, point in zip(drawn, line["cost"], line["said"], strict=True):
            here = Setting(**{"n": 4096, "d_model": 512, "n_heads": 8, axis: size})
            sizes = f"{words.SIGNS[axis].en} = {size:,}"
            assert point == f"{text.en} · {sizes} · {count(name, 'kept_bytes', here):,} bytes"
            assert cost == float(count(name, "kept_bytes", here))
        assert text.en in alt
    assert frame["size"].iloc[len(lines)] == getattr(FIRST, axis)


@pytest.mark.parametrize("language", LANGUAGES)
def test_C4_a_fixed_share_keeps_the_exponent_and_a_fixed_number_changes_it(opened, language: str) -> None:
    at = opened(language, **KNOWN)
    fixed = {"full": "1,048,576", "useful": "524,800", "share": "0.500", "useful_slope": "2.00"}
    assert words.FIXED.say(language, **fixed, w="128", window_slope="1.00") in told(at)
    far = {name: row[3] for name, row in table(at).items()}
    square = {"full", "causal", "causal_useful", "fused"}
    assert far == {name: "2.00" if name in square else "1.00" for name in VARIANTS}
    groups = [
        words.ONE_GROUP.say(
            language,
            slope=steep,
            names=lesson_words.BETWEEN.say(language).join(
                text.say(language)
                for name, text in lesson_words.VARIANTS.items()
                if (name in square) == (steep == "2.00")
            ),
        )
        for steep in ("2.00", "1.00")
    ]
    assert any(all(group in line for group in groups) for line in told(at))


@pytest.mark.parametrize("language", LANGUAGES)
def test_C4_chunks_save_memory_and_no_flops(opened, language: str) -> None:
    numbers = {
        f"{name}_{sign}": f"{count(name, quantity, AT_KNOWN):,}"
        for name in ("full", "fused")
        for sign, quantity in zip(("flops", "scores", "kept", "moved"), QUANTITIES, strict=False)
    }
    assert numbers["full_flops"] == numbers["fused_flops"] == "4,294,967,296"
    assert numbers["fused_scores"] == "0"
    at = opened(language, **KNOWN)
    assert words.CHUNKS.say(language, **numbers) in told(at)
    # 5 · N · d_model · 4 bytes around, and h · N² · 4 of weights against h · N · 4 of sums.
    assert int(numbers["full_kept"].replace(",", "")) == 5 * 1024 * 512 * 4 + 8 * 1024**2 * 4
    assert int(numbers["fused_kept"].replace(",", "")) == 5 * 1024 * 512 * 4 + 8 * 1024 * 4


@pytest.mark.parametrize("language", LANGUAGES)
def test_C4_lines_that_coincide_or_have_no_place_are_named(opened, language: str) -> None:
    names = {name: text.say(language) for name, text in lesson_words.VARIANTS.items()}
    join = lesson_words.BETWEEN.say(language)
    at = opened(language, lines="full,causal,fused,window")
    alike = join.join(names[name] for name in ("full", "causal", "fused"))
    assert words.ON_ONE_ANOTHER.say(language, names=alike) in told(at)
    at = opened(language, measure="score_bytes", lines="full,fused,linear")
    zero = join.join(names[name] for name in ("fused", "linear"))
    assert words.NO_PLACE_FOR_ZERO.say(language, names=zero) in told(at)
    ((frame, _),) = charts(at)
    assert frame[frame["variant"] == names["fused"]]["cost"].isna().all()
    assert frame[frame["variant"] == names["full"]]["cost"].notna().all()


@pytest.mark.parametrize("language", LANGUAGES)
def test_C1_every_factor_of_every_formula_is_named(opened, language: str) -> None:
    for name, measure in itertools.product(VARIANTS, ("flops", "moved_bytes")):
        text = said(opened(language, variant=name, measure=measure, n="100", h_kv="4"))
        here = Setting(n=100, d_model=512, n_heads=8, n_kv_heads=4)
        for term in list_terms(name, measure, here):
            numbers = " · ".join(f"{factor.value:,}" for factor in term.factors)
            assert f"{term.formula} = {numbers} = {term.value:,}" in text
            for factor in term.factors:
                written = (
                    factor.symbol if factor.symbol.isdecimal() else f"{factor.symbol} = {factor.value:,}"
                )
                bracket = "（" if language == "zh" else " ("
                assert f"{written}{bracket}" in text
    assert "w = 100" in said(opened(language, variant="window", measure="flops", n="100", h_kv="4"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_C1_the_answer_is_computed(opened, language: str) -> None:
    text = said(opened(language, **KNOWN))
    fields = {"before": "4,294,967,296", "after": "12,884,901,888", "unit": "FLOPs"}
    once = words.ANSWER.say(language, **fields, times="3.00", slope=significant(math.log2(3)))
    assert once in text
    assert words.ANSWER_FAR.say(language, times="4.00", slope="2.00") in text
    same = said(opened(language, measure="parameters"))
    unit = words.UNITS["parameters"].say(language)
    assert words.ANSWER_SAME.say(language, value=f"{4 * 512**2:,}", unit=unit) in same
    assert words.ANSWER_FAR.say(language, times="1.00", slope="0") not in same
    settles = said(opened(language, measure="intensity", axis="batch", variant="cached"))
    assert words.ANSWER_SETTLES.say(language) in settles
    zero = said(opened(language, measure="score_bytes", variant="fused"))
    assert words.ANSWER_ZERO.say(language) in zero
    odd = said(opened(language, axis="n_heads", d_model="24"))
    assert words.ANSWER_NO_DOUBLE.say(language, twice="16", d_model="24") in odd
    assert words.HEADS_ALIKE.say(language) in odd


@pytest.mark.parametrize("language", LANGUAGES)
def test_C1_it_is_said_that_these_are_formulas_and_what_counts(opened, language: str) -> None:
    at = opened(language)
    assert lesson_words.NOTE.say(language) in told(at)
    assert words.ABOUT["flops"].say(language) in told(at)
    if language == "en":
        english = [*told(at), *labels(at), *drawings(at)["costs"]["column_names"], charts(at)[0][1]]
        assert not [text for text in english if CHINESE.search(text)]


def test_C1_controls_change_what_they_say(opened) -> None:
    at = opened(is_touched=True)
    control(at, "button_group", "lines").set_value(["window", "full"]).run().run()
    assert at.session_state["lesson:complexity"]["lines"] == ("full", "window")
    parts = {text.en for text in words.PARTS.values()}
    assert set(charts(at)[0][0]["variant"].dropna()) == {"full", "window", *parts}
    control(at, "selectbox", "measure").set_value("parameters").run().run()
    assert table(at)["full"][0] == f"{4 * 512**2:,}"
    control(at, "selectbox", "axis").set_value("n_layers").run().run()
    assert charts(at)[0][0]["size"].max() == 1024
    control(at, "text_input", "n").set_value("2048").run().run()
    control(at, "number_input", "layers").set_value(2).run().run()
    assert table(at)["full"][0] == f"{2 * 4 * 512**2:,}"
    control(at, "button_group", "lines").set_value([]).run().run()
    assert not at.exception
    assert words.NO_LINES.en in charts(at)[0][1]
    assert words.NO_LINES_SAID.en in told(at)
    assert words.NO_LINES_SAID.en in sentences(at), "beside the empty chart too"
    at.button(key="reset.complexity").click().run()
    assert at.session_state["lesson:complexity"]["n"] == "4096"


def test_C1_the_numbers_of_the_chart_are_offered_as_a_table_and_the_code_is_shown(opened) -> None:
    at = opened(is_touched=True, lines="full,window", measure="score_bytes")
    at.button(key="open.table.costs").click().run()
    frame = at.dataframe[0].value
    assert list(frame.columns) == ["N", "full", "window"]
    here = [Setting(n=int(n), d_model=512, n_heads=8) for n in frame["N"]]
    assert frame["full"].tolist() == [str(count("full", "score_bytes", one)) for one in here]
    at.button(key="open.source").click().run()
    assert all(f"def {function.__name__}(" in at.code[0].value for function in RAN)


@pytest.mark.parametrize("language", LANGUAGES)
def test_C1_illegal_sizes_are_named_with_legal_ones_nearby(opened, language: str) -> None:
    at = opened(language, is_touched=True, h="7", n="12.5", h_kv="3")
    errors = [element.value for element in at.error]
    assert len(errors) == 3
    assert all(number in errors[1] for number in ("512", "7"))
    assert "12.5" in errors[0]
    assert not charts(at)
    assert control(at, "text_input", "n").value == "12.5"
    offered = [button.label for button in at.button if re.search(r"= \d+", button.label)]
    assert any("n = 12" in label.lower() for label in offered)
    for _ in range(4):
        button = next((one for one in at.button if one.key and one.key.startswith("complexity.take")), None)
        if button is None:
            break
        button.click().run()
        assert not at.exception
    assert not at.error
    assert charts(at)


@pytest.mark.parametrize("language", LANGUAGES)
def test_C1_whatever_the_link_holds(opened, language: str) -> None:
    at = opened(language, n="<b>", d_model="$x$", h="-3", h_kv="0", batch="1e99", is_touched=True)
    assert len(at.error) == 5
    at = opened(language, measure="<i>", axis="T", lines="full,x", variant="none", layers="0", bytes="3")
    assert len(at.warning) == 6
    assert charts(at)
    at = opened(language, width="1e99", block="nan", dilation="-1", rank="🐱")
    assert len(at.warning) == 4


@pytest.mark.parametrize("axis", AXES)
def test_C1_extremes(opened, axis: str) -> None:
    most = {"n": str(2**20), "d_model": "65536", "h": "1024", "batch": "256", "layers": "1024", "bytes": "8"}
    largest = Setting(2**20, 65536, 1024, batch=256, n_layers=1024, element_bytes=8)
    least = dict.fromkeys(("n", "d_model", "h", "batch", "layers", "width", "block", "dilation", "rank"), "1")
    for measure in ("score_bytes", "intensity"):
        at = opened(axis=axis, measure=measure, lines=",".join(VARIANTS), **most)
        assert "nan" not in said(at).lower()
        opened(axis=axis, measure=measure, lines=",".join(VARIANTS), **least)
    assert table(opened(axis=axis, measure="score_bytes", lines=",".join(VARIANTS), **most))["full"][0] == (
        f"{count('full', 'score_bytes', largest):,}"
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_size_that_changes_leaves_the_chart_as_it_is_but_for_its_numbers(opened, language: str) -> None:
    at = opened(language, is_touched=True)

    def made_of() -> tuple[str, str]:
        (chart,) = [element.proto for element in at.get("vega_lite_chart")]
        return chart.spec, chart.alt

    before, numbers = made_of(), charts(at)[0][0]
    at.button(key="open.sizes").click().run()
    for name, value in (("n", "1000"), ("d_model", "1024"), ("batch", "2")):
        control(at, "text_input", name).set_value(value).run()
        assert made_of() == before, "else the browser makes it anew, which takes it several times as long"
        assert not charts(at)[0][0].equals(numbers)


class Values(dict):
    """Values of a page without a page."""

    language = "en"

    def put(self, name, value) -> None:
        self[name] = value


def test_C1_picking_a_row_explains_its_variant(opened) -> None:
    names = [*VARIANTS]
    state = Values(measure="flops", axis="n", variant="full")
    for row, name in enumerate(names):
        costs_part(state, FIRST).hear("pick", {"row": row, "column": 2})
        assert state["variant"] == name
        assert costs_part(state, FIRST).data["picked"] == row * len(words.COLUMNS)
    for wild in ({"row": len(names), "column": 0}, {"row": -1, "column": 0}, 3, None):
        costs_part(state, FIRST).hear("pick", wild)
    assert state["variant"] == names[-1]
    at = opened(variant="linear")
    assert lesson_words.MEANINGS["linear"].en in told(at)


def any_setting(rng: random.Random) -> Setting:
    """Legal sizes, the least and the largest among them."""
    heads = rng.choice([1, 2, 3, 8, 16, 1024])
    return Setting(
        n=rng.choice([1, 2, 3, 4, 100, 4096, 2**20, rng.randrange(1, 5000)]),
        d_model=heads * 2 ** rng.randrange(7),
        n_heads=heads,
        batch=rng.choice([1, 2, 256]),
        n_kv_heads=rng.choice([None, 1, heads]),
        n_layers=rng.choice([1, 3, 1024]),
        element_bytes=rng.choice([1, 2, 4, 8]),
        width=rng.choice([1, 100, 65536]),
        block=rng.choice([1, 7, 65536]),
        dilation=rng.choice([1, 9, 65536]),
        rank=rng.choice([1, 64, 65536]),
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_C1_C4_sentences_agree_with_the_numbers_at_any_setting(language: str) -> None:
    rng, short = random.Random(6), words.CHUNKS_SHORT.say(language)
    for _ in range(60):
        setting = any_setting(rng)
        state = Values(measure=rng.choice(MEASURES), axis=rng.choice(AXES), variant=rng.choice([*VARIANTS]))
        state.language, state["lines"] = language, tuple(name for name in VARIANTS if rng.random() < 0.4)
        text = "\n".join(readings(state, setting))
        kept = [count(name, "kept_bytes", setting) for name in ("full", "fused")]
        assert (short in text) == (kept[1] >= kept[0])
        assert not re.search(r"nan|None|= 1 (keys|pairs)", text)
        answered = answer(state, setting)
        for times, steep in re.findall(r"log₂ ([\d.e−]*\d) = (−?[\d.]+(?:e−?\d+)?)(?!\d)", answered):
            worked_out = math.log2(float(times.replace("−", "-")))
            assert significant(worked_out) == steep.rstrip("."), answered
        assert "1.00 倍，指数" not in answered
        assert ": 1.00 times" not in answered


@pytest.mark.parametrize("language", LANGUAGES)
def test_C4_of_so_short_a_text_chunks_do_not_save_what_is_kept(opened, language: str) -> None:
    for query, is_short in (({"n": "2", "bytes": "2"}, True), ({"n": "3", "bytes": "2"}, False)):
        assert (words.CHUNKS_SHORT.say(language) in said(opened(language, **query))) == is_short


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_box_keeps_its_place_when_its_number_is_refused(opened, language: str) -> None:
    at = opened(language, is_touched=True)

    def place(node, wanted) -> tuple[int, ...] | None:
        for number, child in getattr(node, "children", {}).items():
            below = () if child is wanted else place(child, wanted)
            if below is not None:
                return (number, *below)
        return None

    before = place(at.main, control(at, "text_input", "n"))
    assert len(before) > 1
    control(at, "text_input", "n").set_value("x").run()
    assert len(at.error) == 1
    assert place(at.main, control(at, "text_input", "n")) == before
