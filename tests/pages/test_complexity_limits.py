"""Claims C1 and C4 as limits: how long a sequence can be within a memory and a speed, to the last position."""

import pytest

from attention_core.cost import MOST_N, VARIANTS, Setting, count, largest_n
from dashboard.number_format import significant
from dashboard.panels.complexity.limits import PRESETS, RAN, limits_part
from dashboard.text import LANGUAGES
from dashboard.text import complexity as lesson_words
from dashboard.text import complexity_limits as words
from tests.pages.reading import CHINESE, dangers, drawings, labels, told, wrong_language

GIB, TERA = 2**30, 10**12
FIRST = Setting(n=1, d_model=512, n_heads=8)
COLUMNS = [*words.COLUMNS]


@pytest.fixture
def opened(look_at):
    def open_it(language="en", *, is_touched=False, **query):
        at = look_at("complexity", is_touched=is_touched, lang=language, view="limits", **query)
        assert not list(dangers(at))
        assert not wrong_language(at, language)
        return at

    return open_it


def table(at, what="texts") -> dict[str, dict[str, str]]:
    """The table by variant and column."""
    shown = drawings(at)["limits"]
    wide = shown["sides"][1]
    rows = [shown[what][place * wide : (place + 1) * wide] for place in range(len(VARIANTS))]
    return {name: dict(zip(COLUMNS, row, strict=True)) for name, row in zip(VARIANTS, rows, strict=True)}


def said(at) -> str:
    return "\n".join(told(at))


def budgets(memory: int, speed: int) -> dict[str, int]:
    return {"score_bytes": memory, "kept_bytes": memory, "flops": speed}


@pytest.mark.parametrize("language", LANGUAGES)
def test_C1_every_cell_is_the_largest_n_of_the_core(opened, language: str) -> None:
    at, given = opened(language), budgets(16 * GIB, TERA)
    for name, row in table(at).items():
        for quantity, text in row.items():
            n = largest_n(name, quantity, FIRST, given[quantity])
            assert text == (words.NO_BOUND.say(language) if n == MOST_N else f"{n:,}")
    assert table(at)["fused"]["score_bytes"] == words.NO_BOUND.say(language)


def test_C1_limits_worked_by_hand(opened) -> None:
    # One head 1 wide, 1 byte a number: scores are 3·N² bytes; with 3 · 2^30 bytes N = 2^15.
    one = {"d_model": "1", "h": "1", "bytes": "1", "memory": "3"}
    at = opened(**one)
    assert table(at)["full"]["score_bytes"] == "32,768"
    assert "N = 32,768 takes 3,221,225,472 bytes, within 3,221,225,472" in said(at)
    assert f"N = 32,769 takes {3 * 32_769**2:,}, too many" in said(at)
    # Llama-like: 131,072 bytes a token, so 2^30 bytes hold 8192.
    llama = {"d_model": "4096", "h": "32", "h_kv": "8", "layers": "32", "bytes": "2", "memory": "1"}
    at = opened(**llama)
    assert table(at)["cached"]["kept_bytes"] == "8,192"
    assert "131,072" in said(at)
    # 4·N² + 8·N FLOPs at d_model = 1: within 10^12, (N + 1)² ≤ 2.5·10^11 + 1.
    assert table(opened(**one, speed="1"))["full"]["flops"] == "499,999"
    assert 4 * 499_999**2 + 8 * 499_999 <= 10**12 < 4 * 500_000**2 + 8 * 500_000


@pytest.mark.parametrize("language", LANGUAGES)
def test_C1_one_position_more_is_too_many(opened, language: str) -> None:
    given = budgets(16 * GIB, TERA)
    for name in ("full", "window", "cached", "fused"):
        lines = told(opened(language, variant=name))
        for quantity, column in words.COLUMNS.items():
            n = largest_n(name, quantity, FIRST, given[quantity])
            here = [count(name, quantity, Setting(n=size, d_model=512, n_heads=8)) for size in (n, n + 1)]
            line = next(one for one in lines if one.startswith(column.say(language)))
            if n == MOST_N:
                assert line == words.EDGE_ZERO.say(language, column=column.say(language), at=0)
                continue
            assert here[0] <= given[quantity] < here[1]
            for number in (n, n + 1, *here, given[quantity]):
                assert f"{number:,}" in line


@pytest.mark.parametrize("language", LANGUAGES)
def test_C4_chunks_lengthen_what_memory_allows_and_not_what_time_allows(opened, language: str) -> None:
    at, row = opened(language), table(opened(language))
    full, fused = (row[name]["kept_bytes"] for name in ("full", "fused"))
    times = int(fused.replace(",", "")) / int(full.replace(",", ""))
    memory = words.MEMORY_BINDS.say(language, full=full, fused=fused, times=significant(times))
    assert memory in told(at)
    assert times > 50
    assert row["full"]["flops"] == row["fused"]["flops"]
    timed = {name: row[name]["flops"] for name in ("full", "fused", "window")}
    assert words.TIME_BINDS.say(language, **timed, w="128") in told(at)


@pytest.mark.parametrize("language", LANGUAGES)
def test_C4_twice_the_budget_is_worth_root_2_or_2(opened, language: str) -> None:
    for name, worth in (("full", "1.41"), ("window", "2.00")):
        text = said(opened(language, variant=name))
        n = [largest_n(name, "score_bytes", FIRST, times * 16 * GIB) for times in (1, 2)]
        column = words.COLUMNS["score_bytes"].say(language)
        fields = {"column": column, "before": f"{n[0]:,}", "after": f"{n[1]:,}"}
        assert words.ANSWER.say(language, **fields, times=worth) in text
    unbound = said(opened(language, variant="linear"))
    column = words.COLUMNS["score_bytes"].say(language)
    assert words.ANSWER_UNBOUND.say(language, column=column) in unbound


@pytest.mark.parametrize("language", LANGUAGES)
def test_C1_machines_fill_the_boxes_with_the_numbers_on_their_buttons(opened, language: str) -> None:
    at = opened(language, is_touched=True)
    for name, (memory, speed) in PRESETS.items():
        label = words.PRESETS[name].say(language, memory=f"{memory:,}", speed=f"{speed:,}")
        button = at.button(key=f"limits.{name}")
        assert button.label == label
        button.click().run()
        assert at.number_input(key="complexity.memory").value == memory
        assert at.number_input(key="complexity.speed").value == speed
        found = largest_n("full", "flops", FIRST, speed * TERA)
        assert table(at)["full"]["flops"] == f"{found:,}"
        assert f"{memory * GIB:,}" in said(at)
    at.number_input(key="complexity.memory").set_value(0.5).run()
    assert f"{GIB // 2:,}" in said(at)


@pytest.mark.parametrize("language", LANGUAGES)
def test_C1_the_sizes_are_those_of_the_growth_view_and_n_is_not_asked_for(opened, language: str) -> None:
    at = opened(language, n="abc", d_model="64", h="4", is_touched=True)
    assert not at.error
    assert "complexity.n" not in [box.key for box in at.text_input]
    at.button_group(key="complexity.view").set_value("growth").run()
    assert at.text_input(key="complexity.n").value == "abc"
    assert at.text_input(key="complexity.d_model").value == "64"
    assert len(at.error) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_C1_illegal_sizes_and_links(opened, language: str) -> None:
    at = opened(language, h="7", h_kv="2")
    assert len(at.error) == 2
    assert "limits" not in drawings(at)
    assert [button for button in at.button if button.key and button.key.startswith("complexity.take")]
    at = opened(language, memory="nan", speed="-1", bytes="<b>", variant="$x$", layers="1e99")
    assert len(at.warning) == 5
    assert "limits" in drawings(at)
    assert lesson_words.NOTE.say(language) in told(at)
    if language == "en":
        english = [*told(at), *labels(at), *drawings(at)["limits"]["column_names"]]
        assert not [text for text in english if CHINESE.search(text)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_C1_extremes(opened, language: str) -> None:
    huge = {"d_model": "65536", "h": "1024", "batch": "256", "layers": "1024", "bytes": "8"}
    at = opened(language, **huge, memory="0.001", speed="0.001")
    assert {row["kept_bytes"] for row in table(at).values()} == {"0"}
    column = words.COLUMNS["kept_bytes"].say(language)
    assert any(line.startswith(column) and "1,073,741" in line for line in told(at))
    tiny = dict.fromkeys(("d_model", "h", "batch", "layers", "bytes", "width", "block", "rank"), "1")
    at = opened(language, **tiny, memory="100000", speed="100000")
    assert table(at)["full"]["score_bytes"] == f"{int((10**5 * GIB / 3) ** 0.5):,}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_C4_where_chunks_or_a_window_gain_nothing_it_is_not_said_that_they_do(opened, language: str) -> None:
    at = opened(language, d_model="1024", h="16", layers="1024", memory="0.02", width="65536")
    row = table(at)
    assert row["full"]["kept_bytes"] == row["fused"]["kept_bytes"] == "1"
    assert words.MEMORY_ALIKE.say(language, full="1", fused="1") in told(at)
    timed = {name: row[name]["flops"] for name in ("full", "fused", "window")}
    ends = {name: int(text.replace(",", "")) for name, text in timed.items()}
    assert ends["window"] < ends["full"]
    short = words.TIME_BINDS.say(language, **timed, w="65,536") + words.WINDOW_SHORT.say(language)
    assert short in told(at)
    assert words.WINDOW_SHORT.say(language) not in said(opened(language))


@pytest.mark.parametrize("language", LANGUAGES)
def test_C1_it_is_said_what_each_column_holds_for_storing_scores_ends_before_all_that_is_kept(
    opened, language: str
) -> None:
    at = opened(language)
    assert words.ABOUT.say(language) in told(at)
    ends = [int(table(at)["full"][column].replace(",", "")) for column in ("score_bytes", "kept_bytes")]
    assert ends[0] < ends[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_reset_gives_back_the_first_machine_too(opened, language: str) -> None:
    at = opened(language, is_touched=True, memory="3", speed="7", d_model="64")
    at.button(key="reset.complexity").click().run()
    assert [at.number_input(key=f"complexity.{name}").value for name in ("memory", "speed")] == [16, 1]
    assert at.text_input(key="complexity.d_model").value == "512"


class Values(dict):
    """Values of a page without a page."""

    language = "en"

    def put(self, name, value) -> None:
        self[name] = value


def test_C1_picking_a_row_shows_where_its_n_ends_and_the_code_is_shown(opened) -> None:
    state = Values(variant="full", memory=16.0, speed=1.0)
    for row, name in enumerate(VARIANTS):
        limits_part(state, FIRST, budgets(16 * GIB, TERA)).hear("pick", {"row": row, "column": 1})
        assert state["variant"] == name
    at = opened(is_touched=True)
    at.button(key="open.source").click().run()
    assert all(f"def {function.__name__}(" in at.code[0].value for function in RAN)
