"""What holds for every view of the lesson on other attentions."""

import pytest

from dashboard.text import LANGUAGES
from dashboard.text.variants import VIEWS
from tests.pages.reading import dangers, drawings, wrong_language


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_opens_in_both_languages_and_draws_something(look_at, view: str, language: str) -> None:
    at = look_at("variants", lang=language, view=view)
    assert drawings(at)
    assert not list(dangers(at))
    assert not wrong_language(at, language)
