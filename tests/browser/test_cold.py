"""Every page as the very first visit of a process that nobody has visited yet (issue: cold deep links)."""

import pytest

from tests.browser.hands import assert_sound, numbers


def test_the_start_page_opens_as_the_first_visit_of_a_cold_server(cold_server, visit):
    page = visit(cold_server())
    assert_sound(page)
    assert page.get_by_role("heading", level=1).inner_text() == "Attention Lab"
    assert page.locator("html").get_attribute("lang") == "en"


@pytest.mark.parametrize(
    ("query", "title", "d_k"),
    [
        ("lang=zh&d_k=7", "查询、键、值：一步一步看注意力", "7"),
        (
            "lang=en&d_k=99999&cell=900.900&stage=q&view=none",
            "Query, key, value: attention step by step",
            "64",
        ),
    ],
    ids=["chinese", "out of range"],
)
def test_a_deep_link_opens_the_lesson_as_the_first_visit_of_a_cold_server(
    cold_server, visit, query, title, d_k
):
    page = visit(f"{cold_server()}/qkv?{query}")
    assert_sound(page)
    assert page.get_by_role("heading", level=1).inner_text() == title
    assert page.get_by_role("slider").first.input_value() == d_k
    assert len(numbers(page)) >= 2
    assert all(map(all, numbers(page)))
    warnings = page.get_by_test_id("stAlert")
    assert warnings.count() == (3 if "99999" in query else 0)
