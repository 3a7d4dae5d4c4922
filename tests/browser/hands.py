"""What a reader does on the lab's pages and what they then see, for the browser tests of several files."""

from playwright.sync_api import Locator, Page

GRIDS_JS = (
    "sections => sections.map(one => [...one.querySelectorAll('tbody td')].map(cell => cell.innerText))"
)
FOCUS_JS = """() => {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return [active.getAttribute('role'), active.getAttribute('aria-label') ?? ''];
}"""


def part(page: Page, name: str) -> Locator:
    """A part of the bench: "strip", "result", "cell", "input.w_q", "steps"."""
    return page.locator(f'[data-part="{name}"]')


def said(page: Page, name: str) -> str:
    """The text that a part shows; `inner_text` of its host does not see into the shadow root."""
    return part(page, name).evaluate(
        "host => [...host.shadowRoot.children].map(one => one.innerText).join('\\n')"
    )


def cell(page: Page, name: str, row: int, column: int) -> Locator:
    """A cell of a part that is a grid; row and column count from 1, as readers do."""
    return part(page, name).locator(f"tbody tr:nth-child({row}) td[tabindex]").nth(column - 1)


def stage(page: Page, stage_id: str) -> Locator:
    return part(page, "strip").locator(f'button[data-id="{stage_id}"]')


def numbers(page: Page) -> list[list[str]]:
    """Every cell text of every grid on the page, in order."""
    return page.locator("section.grid").evaluate_all(GRIDS_JS)


def sentence_box(page: Page) -> Locator:
    return page.locator('[data-testid="stMain"] [data-testid="stTextInput"] input').first


def focus(page: Page) -> tuple[str | None, str]:
    """Role and name of what has the focus, inside shadow roots too."""
    role, name = page.evaluate(FOCUS_JS)
    return role, name


def assert_sound(page: Page) -> None:
    """No exception box, no dialog about a page that is not there, no half-drawn page."""
    assert page.get_by_test_id("stException").count() == 0
    assert page.get_by_text("page not found", exact=False).count() == 0
    assert page.get_by_role("heading", level=1).count() == 1


def assert_nothing_hangs_over(page: Page, view: str, width: int) -> None:
    """No part is wider than the window, and no button is cut off in a box of its own that scrolls."""
    main = page.get_by_test_id("stMain")
    assert main.evaluate("main => main.scrollWidth - main.clientWidth") <= 0, view
    # A row of buttons that does not fit scrolls inside its own box, where nobody looks for the last one.
    rights = main.locator('[data-testid="stButtonGroup"] button').evaluate_all(
        "buttons => buttons.map(button => button.getBoundingClientRect().right)"
    )
    assert max(rights) <= width, view
