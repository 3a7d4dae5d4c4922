"""What several core tests need. Imports nothing of attention_core: the shape checker must hook it first."""

from collections.abc import Iterator

import jaxtyping
import pytest


@pytest.fixture
def unchecked() -> Iterator[None]:
    """Switch the shape checker off, so that the core's own refusals are what a test meets, as users do."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)
