"""What every test needs. Imports nothing of attention_core: the shape checker must hook it first."""

import os
from collections.abc import Iterator
from functools import cache

import pytest
from streamlit.components.v2 import manifest_scanner

# A thread of torch for each process, and for the servers that it starts: where every processor runs tests,
# more threads wait for one another, and some files took five times as long.
os.environ.setdefault("OMP_NUM_THREADS", "1")


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
