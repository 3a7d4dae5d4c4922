"""What every test needs. Imports nothing of attention_core: the shape checker must hook it first."""

from collections.abc import Iterator
from functools import cache

import pytest
from streamlit.components.v2 import manifest_scanner


@pytest.fixture(scope="session", autouse=True)
def _packages_read_once() -> Iterator[None]:
    """Every `AppTest` reads the metadata of all installed packages, which took longer than its pages did.

    They stay as they are while the tests run, so each process reads them once.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests)
        )
        yield
