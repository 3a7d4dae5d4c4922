"""The parts of a bench in a real browser: strip, lines, fold, address."""

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

BED = Path(__file__).with_name("grid_bed") / "bench_bed.py"
HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def bed(request, tmp_path_factory):
    """The address of one server of the test bed."""
    house = request.config.pluginmanager.get_plugin(str(Path(__file__).with_name("conftest.py")))
    with house.running_server(BED, tmp_path_factory.mktemp("bench_bed") / "bed.log") as started:
        yield started.url


@pytest.fixture
def page(bed, visit):
    return visit(f"{bed}/?embed=true")


def said(page, word):
    return page.locator('[data-testid="stText"]').filter(has_text=f"{word}:").inner_text()


def radios(page):
    return page.get_by_role("radiogroup", name="stages").get_by_role("radio")


def state_of(page, attribute):
    return radios(page).evaluate_all(f"buttons => buttons.map(button => button.getAttribute('{attribute}'))")


def focused_stage(page):
    return page.evaluate(
        """() => {
          let active = document.activeElement;
          while (active?.shadowRoot) active = active.shadowRoot.activeElement;
          return active?.dataset.id ?? null;
        }"""
    )


def fold(page):
    return page.locator("details")


def test_a_strip_is_a_group_of_which_one_stage_is_checked_and_can_be_tabbed_to(page):
    assert state_of(page, "aria-checked") == ["true", "false", "false"]
    assert state_of(page, "tabindex") == ["0", "-1", "-1"]
    assert state_of(page, "aria-label") == ["queries 2 × 3", "keys 2 × 3", "weights 2 × 2"]
    assert page.get_by_text("by hand", exact=True).is_visible()


def test_arrow_keys_walk_along_the_strip_without_choosing(page):
    radios(page).first.focus()
    for key, stage in [
        ("ArrowRight", "k"),
        ("ArrowDown", "weights"),
        ("ArrowRight", "q"),
        ("ArrowLeft", "weights"),
        ("ArrowUp", "k"),
        ("Home", "q"),
        ("End", "weights"),
    ]:
        page.keyboard.press(key)
        assert focused_stage(page) == stage, key
    assert state_of(page, "aria-checked") == ["true", "false", "false"]
    assert said(page, "runs") == "runs: 1"


@pytest.mark.parametrize("key", ["Enter", " "])
def test_enter_and_space_choose_the_focused_stage_and_the_focus_stays(page, settle, key):
    radios(page).first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press(key)
    settle(page)
    assert said(page, "chosen") == "chosen: k"
    assert state_of(page, "aria-checked") == ["false", "true", "false"]
    assert state_of(page, "tabindex") == ["-1", "0", "-1"]
    assert focused_stage(page) == "k"


def test_a_click_chooses_a_stage_and_on_the_chosen_one_does_nothing(page, settle):
    radios(page).nth(2).click()
    settle(page)
    assert (said(page, "chosen"), said(page, "runs")) == ("chosen: weights", "runs: 2")
    radios(page).nth(2).click()
    settle(page)
    assert said(page, "runs") == "runs: 2"


def test_a_part_that_is_gone_leaves_the_bench_and_the_others_stay_the_same_elements(page, settle):
    grid = page.locator("section.grid")
    grid.evaluate("grid => { grid.kept = true; }")
    assert fold(page).count() == 1
    radios(page).nth(2).click()
    settle(page)
    assert fold(page).count() == 0
    assert grid.evaluate("grid => grid.kept")
    radios(page).nth(0).click()
    settle(page)
    assert fold(page).count() == 1


def test_the_button_of_a_number_picks_the_cell_in_which_it_stands(page, settle):
    lines = page.get_by_role("group", name="arithmetic")
    assert lines.get_by_role("button").evaluate_all(
        "all => all.map(one => one.getAttribute('aria-label'))"
    ) == [
        "q[1, 2] = −1.00",
        "q[2, 3] = 1.50",
    ]
    lines.get_by_role("button", name="q[2, 3] = 1.50").click()
    settle(page)
    assert said(page, "picked") == "picked: (1, 2)"
    picked = page.locator('section.grid td[aria-selected="true"]')
    assert picked.count() == 1
    assert picked.inner_text() == "1.50"
    lines.get_by_role("button", name="q[1, 2] = −1.00").focus()
    page.keyboard.press("Enter")
    settle(page)
    assert said(page, "picked") == "picked: (0, 1)"


def test_a_cell_of_a_grid_on_a_bench_is_picked_like_any_other(page, settle):
    page.locator("section.grid tbody tr:nth-child(2) td:nth-of-type(1)").click()
    settle(page)
    assert said(page, "picked") == "picked: (1, 0)"


def test_hostile_words_stand_on_a_strip_and_in_lines_as_they_were_typed(page):
    assert radios(page).nth(1).locator("b").inner_text() == HOSTILE
    assert page.get_by_role("group", name="arithmetic").locator("code").inner_text() == HOSTILE
    assert page.locator(".bench img").count() == 0
    symbol = page.get_by_role("group", name="arithmetic").locator(".symbol")
    assert symbol.inner_html() == "q<sub>n,j</sub>"


def test_a_fold_draws_its_lines_only_while_it_is_open(page, settle):
    lines = fold(page).locator(".lines")
    assert lines.count() == 0
    fold(page).locator("summary").click()
    lines.wait_for()
    assert "step of q" in lines.inner_text()
    radios(page).nth(1).click()
    settle(page)
    assert fold(page).evaluate("fold => fold.open")
    assert "step of k" in lines.inner_text()
    fold(page).locator("summary").click()
    radios(page).nth(0).click()
    settle(page)
    assert "step of k" in lines.text_content()
    fold(page).locator("summary").press("Enter")
    settle(page)
    assert "step of q" in lines.inner_text()


def test_a_number_in_a_fold_picks_its_cell_too(page, settle):
    fold(page).locator("summary").click()
    fold(page).get_by_role("button", name="q[2, 1] = 3.00").click()
    settle(page)
    assert said(page, "picked") == "picked: (1, 0)"
    assert fold(page).evaluate("fold => fold.open")


def test_the_address_follows_without_entries_in_the_history_and_keeps_how_the_page_is_embedded(page, settle):
    before = page.evaluate("history.length")
    for place, stage in [(1, "k"), (2, "weights"), (0, "q")]:
        radios(page).nth(place).click()
        settle(page)
        page.wait_for_url(f"**stage={stage}&**")
        assert parse_qs(urlsplit(page.url).query) == {
            "stage": [stage],
            "text": ["猫 & <b>"],
            "embed": ["true"],
        }
    assert page.evaluate("history.length") == before


def test_an_address_that_comes_late_does_not_replace_a_newer_one(page, settle):
    page.wait_for_url("**stage=q&**")
    page.evaluate(
        """() => {
          const draw = (number, query, slug = "") => globalThis.attentionLabGrid.draw(
            {parentElement: document.createElement('div'), data: {kind: 'address', number, query, slug}});
          draw(90, 'n=new');
          draw(80, 'n=old');
        }"""
    )
    page.wait_for_url("**n=new**")
    page.evaluate(
        """() => globalThis.attentionLabGrid.draw({parentElement: document.createElement('div'),
             data: {kind: 'address', number: 91, query: 'n=other', slug: 'another-page'}})"""
    )
    page.wait_for_timeout(400)
    assert parse_qs(urlsplit(page.url).query)["n"] == ["new"]


def test_a_matrix_that_stands_as_it_did_is_not_drawn_again_and_its_cells_still_answer(page, settle):
    page.locator('[data-part="result"]').evaluate(
        """host => {
          window.written = 0;
          const watch = new MutationObserver((records) => { window.written += records.length; });
          watch.observe(host.shadowRoot, {subtree: true, childList: true, attributes: true, characterData: true});
        }"""
    )
    radios(page).nth(1).click()
    settle(page)
    assert said(page, "chosen") == "chosen: k"
    assert page.evaluate("window.written") == 0
    page.get_by_role("gridcell", name="row 2 · column 3").click()
    settle(page)
    assert said(page, "picked") == "picked: (1, 2)"
    assert page.evaluate("window.written") > 0
