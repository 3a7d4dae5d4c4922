"""Both languages stand side by side, with the same fields and formulas; English holds no Chinese by accident."""

import ast
import importlib
import pkgutil
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import dashboard.text
from dashboard.text import Text
from dashboard.text.glossary import GLOSSARY

CHINESE = re.compile(r"[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]")
# English sentences that show Chinese words on purpose: as an example of text.
SHOWS_CHINESE = {"猫 追逐 老鼠"}


def texts() -> Iterator[tuple[str, Text]]:
    for module in pkgutil.iter_modules(dashboard.text.__path__):
        for name, value in vars(importlib.import_module(f"dashboard.text.{module.name}")).items():
            yield from within(f"{module.name}.{name}", value)


def within(name: str, value: object) -> Iterator[tuple[str, Text]]:
    if isinstance(value, Text):
        yield name, value
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from within(f"{name}[{key}]", one)
    elif isinstance(value, tuple):
        for place, one in enumerate(value):
            yield from within(f"{name}[{place}]", one)


ALL = list(texts()) + [(f"glossary.{term.term.en}", term.meaning) for term in GLOSSARY]
MODULES = sorted({name.partition(".")[0] for name, _ in ALL})


def test_there_are_texts_to_check() -> None:
    assert len(ALL) > 150


def failures(module: str, check: Callable[[Text], None]) -> list[str]:
    """What is wrong with the texts of a module: each that fails the check, with the sentence that it failed."""
    failed = []
    for name, text in ALL:
        if name.partition(".")[0] == module:
            try:
                check(text)
            except Exception as error:
                failed.append(f"{name}: {type(error).__name__}: {error}")
    return failed


def assert_formulas_agree(text: Text) -> None:
    english = text.en
    for shown in SHOWS_CHINESE:
        english = english.replace(shown, "")
    assert not CHINESE.search(english)
    assert text.zh.count("$") == text.en.count("$")
    assert text.zh.count("**") == text.en.count("**")
    assert text.zh.count("%%") == text.en.count("%%")


def assert_can_be_said(text: Text) -> None:
    numeric = set(re.findall(r"%\((\w+)\)[-+ 0#]*\d*(?:\.\d+)?[dfg]", text.en))
    fields = {field: 1 if field in numeric else "x" for field in text.fields("en")}
    for language in ("zh", "en"):
        assert text.say(language, **fields)


# A test for each module and not for each of the thousands of texts: those took longer to report than to check.
@pytest.mark.parametrize("module", MODULES)
def test_english_is_english_and_both_have_the_same_formulas(module: str) -> None:
    assert failures(module, assert_formulas_agree) == []


@pytest.mark.parametrize("module", MODULES)
def test_every_text_can_be_said_with_its_fields(module: str) -> None:
    assert failures(module, assert_can_be_said) == []


# Terms of the trade as they stand in English sentences, and the glossary's name for each.
OF_THE_TRADE = {
    "<pad>": "padding, filler",
    "filler": "padding, filler",
    "causal mask": "causal mask",
    "additive": "additive mask",
    "blind": "blind row",
    "NaN": "NaN, not a number",
    "SDPA": "SDPA",
    "parameter": "parameter",
    "buffer": "buffer",
    "state_dict": "state_dict",
    "cached": "KV cache",
    "can reach": "receptive field, reach",
    "entropy": "entropy",
    "residual": "residual",
    "FLOPs": "FLOPs",
    "intensity": "arithmetic intensity",
    "MHA": "MHA",
    "GQA": "GQA",
    "MQA": "MQA",
    "W^O": "output projection",
    "stride": "stride",
    "contiguous": "contiguous",
    "dropout": "dropout",
    "Xavier": "Xavier init",
    "Kaiming": "Kaiming init",
    "merge": "split, merge",
    "tanh": "additive attention",
    "ALiBi": "ALiBi",
    "sink": "attention sink",
    "relative error": "relative error",
    "pre-norm": "pre-norm, post-norm",
    "feed-forward": "feed-forward part",
    "grow alike": "over-smoothing",
    "rollout": "attention rollout",
    "principal axis": "principal axis",
    "rank correlation": "rank correlation",
}


@pytest.mark.parametrize("term", OF_THE_TRADE)
def test_terms_of_the_trade_that_pages_use_are_in_the_glossary(term: str) -> None:
    assert any(term in text.en for _, text in texts()), "a term that no page uses any more"
    assert OF_THE_TRADE[term] in [entry.term.en for entry in GLOSSARY]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_no_term_stands_in_the_glossary_twice(language: str) -> None:
    names = [entry.term.say(language) for entry in GLOSSARY]
    assert [name for name, times in Counter(names).items() if times > 1] == []
    assert not [entry.term.en for entry in GLOSSARY if CHINESE.search(entry.term.en)]


@pytest.mark.parametrize(("zh", "en"), [("", "a"), ("a", " "), ("%(n)d", "%(m)d"), ("a", "%(n)d")])
def test_a_text_without_both_languages_cannot_be_made(zh: str, en: str) -> None:
    with pytest.raises(ValueError, match=r"both languages|names the fields"):
        Text(zh=zh, en=en)


@pytest.mark.parametrize(
    "path", sorted(Path(dashboard.text.__file__).parent.glob("*.py")), ids=lambda path: path.stem
)
def test_no_text_is_given_twice_under_one_name(path: Path) -> None:
    names = [
        target.id
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    assert [name for name, times in Counter(names).items() if times > 1] == []
