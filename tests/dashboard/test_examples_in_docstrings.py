"""The examples in the dashboard's docstrings hold. (Pytest's own collection would run dashboard/main.py.)"""

import doctest
import importlib
import pkgutil

import pytest

import dashboard

MODULES = [
    module.name
    for module in pkgutil.walk_packages(dashboard.__path__, "dashboard.")
    if module.name != "dashboard.main"
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_hold(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_there_are_examples() -> None:
    finder = doctest.DocTestFinder(exclude_empty=True)
    assert (
        sum(bool(test.examples) for name in MODULES for test in finder.find(importlib.import_module(name)))
        > 8
    )
