"""The law of the house: who may import whom, what a file may hold, and that every table lists every file once.

Each rule takes one module and yields its faults as sentences. The rules run over every source file of the
repository, and over small sources with a planted fault, so that a rule which has gone blind is seen too.
"""

import ast
import importlib
import importlib.metadata
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("attention_core", "dashboard", "pages", "tests", "benchmarks", "deploy")
STANDARD = sys.stdlib_module_names

# Our own modules that a module may import, by the longest prefix that fits its name. Arrows are never reversed.
MAY_IMPORT_OURS = {
    "app": {"dashboard", "attention_core"},
    "pages": {"dashboard", "attention_core"},
    "dashboard": {"dashboard", "attention_core"},
    "dashboard.charts": {"dashboard.charts", "dashboard.roles", "dashboard.number_format"},
    "dashboard.text": {"dashboard.text"},
    "dashboard.number_format": set(),
    "attention_core": {"attention_core"},
    "attention_core.axes": set(),
    "attention_core.reference": set(),
    "attention_core.reference_scores": {"attention_core.reference"},
    "attention_core.cost": set(),
    "tests": {"app", "attention_core", "benchmarks", "dashboard", "tests"},
    "benchmarks": {"app", "attention_core", "benchmarks", "dashboard", "tests"},
    "benchmarks.bare": set(),
}
# What else a module may import besides the standard library; None: whatever is installed.
MAY_IMPORT_OTHERS = {
    "app": {"streamlit", "starlette", "torch"},
    "pages": {"streamlit"},
    "dashboard": {"numpy", "pandas"},
    "dashboard.cached": {"streamlit", "numpy", "pandas", "torch"},
    "dashboard.charts": {"altair", "numpy", "pandas", "pyarrow"},
    "dashboard.controls": {"streamlit"},
    "dashboard.frame": {"streamlit", "pandas"},
    "dashboard.grid": {"streamlit", "numpy"},
    "dashboard.main": {"streamlit"},
    "dashboard.panels": {"streamlit", "numpy", "pandas", "torch"},
    "dashboard.runs": {"streamlit"},
    "dashboard.training_pool": {"distributed", "loky"},
    "dashboard.text": set(),
    "dashboard.warm_up": {"altair", "numpy", "pandas", "torch"},
    "attention_core": {"torch", "jaxtyping"},
    "attention_core.tokens": {"torch", "jaxtyping", "regex"},
    "attention_core.training.checkpoint": {"torch", "jaxtyping", "safetensors"},
    "attention_core.reference": set(),
    "attention_core.reference_scores": set(),
    "attention_core.cost": set(),
    "tests": None,
    "benchmarks": None,
}
# The core in layers: what stands further left never imports what stands further right.
CORE_LAYERS = (
    {"axes", "trace"},
    {"steps", "masks", "positions"},
    {"multi_head", "single_head"},
    {"variants", "kv_cache", "layers"},
    {"experiments", "training"},
)

BANNED_MODULES = {"utils", "util", "helpers", "helper", "common", "misc"}
BANNED_NAMES = {"attn", "att", "sim", "pattern", "dots", "omega", "context_vec", "mask_value", "tmp", "foo2"}
BANNED_AXES = {"T", "S", "L"}
MAX_PAGE_LINES = 100
MAX_FUNCTION_LINES = 40
CHINESE = re.compile(r"[\u3400-\u9fff\uf900-\ufaff，。；：、？！（）《》]")
# Functions of `st` whose first argument a reader sees.
SPEAKING = re.compile(
    "title|header|subheader|markdown|write|caption|text|button|slider|select_slider|selectbox|multiselect|radio"
    "|pills|segmented_control|toggle|checkbox|text_input|text_area|number_input|expander|popover|dialog|info|warning"
    "|error|success|toast|spinner|metric|link_button|download_button|page_link|badge|progress|status"
)
# What is no word in such an argument: formulas, tags, and Streamlit's own directives.
NO_WORDS = re.compile(r"\$[^$]*\$|<[^>]*>|&\w+;|:[\w/-]+(?=\[|:)|%\(\w+\)\w|`[^`]*`")
# What of torch belongs to devices; torch.set_default_device would move every visitor's tensors.
OF_DEVICES = re.compile(
    r"torch\.(cuda|xpu|mps|accelerator|version|set_default_device|backends\.(cuda|mps))\b.*"
)
# What makes code of data.
RUNNING_MODULES = {
    "pickle",
    "cPickle",
    "_pickle",
    "cloudpickle",
    "dill",
    "joblib",
    "shelve",
    "marshal",
    "runpy",
    "code",
}
RUNNING_NAMES = {"eval", "exec", "compile", "__import__", "pickle", "marshal"}
DRAWS_AT_RANDOM = {"rand", "randn", "randint", "randperm", "normal", "bernoulli", "multinomial", "poisson"}


@dataclass(frozen=True)
class Module:
    name: str
    source: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.source)

    @property
    def root(self) -> str:
        return self.name.split(".")[0]


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def source_files() -> list[Path]:
    return [ROOT / "app.py", *(path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py")))]


@cache
def all_modules() -> tuple[Module, ...]:
    """Read once a test run, so that a tree is parsed once for all rules."""
    return tuple(Module(module_name(path), path.read_text(encoding="utf-8")) for path in source_files())


def lies_in(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def allowed_for(name: str, table: Mapping[str, set[str] | None]) -> set[str] | None:
    """The entry of the longest prefix of a module's name."""
    parts = name.split(".")
    prefixes = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((table[prefix] for prefix in prefixes if prefix in table), set())


def imported(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every module that a source imports, in functions too, with the line; `from a import b` names a.b."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, f"{node.module or ''}.{alias.name}") for alias in node.names)


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def comments(source: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


# Rules


def follows_the_direction_of_imports(module: Module) -> Iterator[str]:
    ours = allowed_for(module.name, MAY_IMPORT_OURS)
    roots = {"app", *FOLDERS}
    for line, name in imported(module.tree):
        if name.split(".")[0] in roots and not any(lies_in(name, package) for package in ours):
            yield f"{module.name}:{line} imports {name}, allowed are {sorted(ours)}"


def imports_only_the_packages_it_may(module: Module) -> Iterator[str]:
    others = allowed_for(module.name, MAY_IMPORT_OTHERS)
    ours = {"app", *FOLDERS}
    for line, name in imported(module.tree):
        package = name.split(".")[0]
        if others is not None and package not in ours | others | STANDARD:
            yield f"{module.name}:{line} imports {package}, allowed are {sorted(others)} and the standard library"


def imports_by_absolute_names_without_discovery(module: Module) -> Iterator[str]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            yield f"{module.name}:{node.lineno} imports by a relative name"
    if module.root not in ("tests", "benchmarks"):
        for line, name in imported(module.tree):
            if name.split(".")[0] in ("importlib", "pkgutil"):
                yield f"{module.name}:{line} imports {name}: tables are written out, nothing is discovered"


def keeps_the_layers_of_the_core(module: Module) -> Iterator[str]:
    def layer(name: str) -> int | None:
        part = name.split(".")[1] if lies_in(name, "attention_core") and "." in name else ""
        return next((number for number, names in enumerate(CORE_LAYERS) if part in names), None)

    own = layer(module.name)
    for line, name in imported(module.tree):
        other = layer(name)
        if own is not None and other is not None and other > own:
            yield f"{module.name}:{line} imports {name}, which stands above it"


def evaluates_its_annotations(module: Module) -> Iterator[str]:
    if module.root == "attention_core":
        for line, name in imported(module.tree):
            if name == "__future__.annotations":
                yield f"{module.name}:{line} turns its shapes into text that nothing checks"


def has_a_name_that_says_something(module: Module) -> Iterator[str]:
    if BANNED_MODULES & set(module.name.split(".")):
        yield f"{module.name}: a module is named for its idea"


def is_a_thin_page(module: Module) -> Iterator[str]:
    if module.root != "pages":
        return
    n_lines = len(module.source.splitlines())
    if n_lines > MAX_PAGE_LINES:
        yield f"{module.name} has {n_lines} lines, allowed are {MAX_PAGE_LINES}"
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield f"{module.name}:{node.lineno} defines {node.name}; a page composes"
    for line, name in imported(module.tree):
        if name.split(".")[0] in ("math", "cmath", "statistics", "random"):
            yield f"{module.name}:{line} imports {name}: mathematics lives in the core"


def has_short_functions(module: Module) -> Iterator[str]:
    for function in functions(module.tree):
        n_lines = function.end_lineno - function.lineno + 1
        if ast.get_docstring(function, clean=False) is not None:
            docstring = function.body[0]
            n_lines -= docstring.end_lineno - docstring.lineno + 1
        if n_lines > MAX_FUNCTION_LINES:
            name = f"{module.name}.{function.name}"
            yield f"{name} has {n_lines} lines without its docstring, allowed are {MAX_FUNCTION_LINES}"


def uses_the_names_of_the_house(module: Module) -> Iterator[str]:
    if module.root != "attention_core":
        return
    for node in ast.walk(module.tree):
        is_new_name = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        name = node.id if is_new_name else node.arg if isinstance(node, ast.arg) else ""
        if name in BANNED_NAMES | BANNED_AXES:
            yield f"{module.name}:{node.lineno} uses the name {name}"


def keeps_quiet(module: Module) -> Iterator[str]:
    if module.root not in ("attention_core", "dashboard", "pages"):
        return
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            yield f"{module.name}:{node.lineno} prints"


def draws_only_from_a_generator_it_was_given(module: Module) -> Iterator[str]:
    if module.root != "attention_core":
        return
    for node in ast.walk(module.tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        is_torch = isinstance(node.func.value, ast.Name) and node.func.value.id == "torch"
        is_given = any(keyword.arg == "generator" for keyword in node.keywords)
        # Generator.manual_seed seeds one generator; torch.manual_seed seeds everybody's.
        if is_torch and (
            node.func.attr == "manual_seed" or (node.func.attr in DRAWS_AT_RANDOM and not is_given)
        ):
            yield f"{module.name}:{node.lineno} torch.{node.func.attr} touches the generator that all share"


def leaves_devices_to_one_module(module: Module) -> Iterator[str]:
    """Only attention_core.device asks torch what there is; a panel hands on the kind that its state holds."""
    if module.root in ("tests", "benchmarks") or module.name == "attention_core.device":
        return
    for line, name in imported(module.tree):
        if OF_DEVICES.fullmatch(name):
            yield f"{module.name}:{line} imports {name}"
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Attribute) and OF_DEVICES.fullmatch(ast.unparse(node)):
            yield f"{module.name}:{node.lineno} asks {ast.unparse(node)}"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "cuda":
            yield f"{module.name}:{node.lineno} moves a tensor to CUDA whatever the reader chose"
        is_kind = isinstance(node, ast.Constant) and node.value in ("cuda", "mps", "xpu")
        if is_kind and module.root in ("pages", "dashboard") and module.name != "dashboard.controls":
            yield f"{module.name}:{node.lineno} names the device {node.value}"


def runs_nothing_that_came_as_data(module: Module) -> Iterator[str]:
    """What comes from outside is plain values: nothing is unpickled, no text is run as a program."""
    if module.root not in ("app", "attention_core", "dashboard", "pages"):
        return
    for line, name in imported(module.tree):
        if RUNNING_MODULES & set(name.split(".")):
            yield f"{module.name}:{line} imports {name}"
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Name) and node.id in RUNNING_NAMES:
            yield f"{module.name}:{node.lineno} names {node.id}"
        is_name = isinstance(node, ast.Attribute | ast.keyword)
        name = node.attr if isinstance(node, ast.Attribute) else node.arg if is_name else None
        is_builtin = isinstance(node, ast.Attribute) and ast.unparse(node.value) in (
            "builtins",
            "__builtins__",
        )
        if is_name and ("pickle" in (name or "") or (is_builtin and name in RUNNING_NAMES)):
            yield f"{module.name}:{node.value.lineno} names {name}"
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "torch.load":
            yield f"{module.name}:{node.lineno} loads what torch pickled"


def comments_in_english_and_say_why(module: Module) -> Iterator[str]:
    for line, comment in comments(module.source):
        if CHINESE.search(comment):
            yield f"{module.name}:{line} comments in Chinese"
        if re.search(r"^#\s*[-=#*~]{3,}", comment):
            yield f"{module.name}:{line} draws a banner"
        if re.search(r"\b(TODO|FIXME|XXX)\b(?!.*#\d+)", comment):
            yield f"{module.name}:{line} leaves work without the number of an issue"


def keeps_chinese_in_texts(module: Module) -> Iterator[str]:
    """In pages and dashboard/ Chinese stands in Text(zh=…), in dashboard/text, and in the examples of docstrings."""
    if module.root not in ("pages", "dashboard") or lies_in(module.name, "dashboard.text"):
        return
    spoken = [node for node in ast.walk(module.tree) if is_call_of(node, "Text")]
    documented = [node for node in ast.walk(module.tree) if isinstance(node, ast.Expr)]
    excused = {id(child) for node in spoken + documented if node for child in words_of(node)}
    for node in ast.walk(module.tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if is_text and id(node) not in excused and CHINESE.search(node.value):
            yield f"{module.name}:{node.lineno} has Chinese outside a Text: {node.value[:20]!r}"


def is_call_of(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def words_of(node: ast.AST) -> Iterator[ast.AST]:
    """The constants that a Text call holds, or a docstring."""
    if isinstance(node, ast.Expr):
        return iter([node.value] if isinstance(node.value, ast.Constant) else [])
    return ast.walk(node)


def says_nothing_in_one_language_alone(module: Module) -> Iterator[str]:
    """A literal with words in it, given to a function of Streamlit that shows it, is text in one language."""
    if module.root not in ("pages", "dashboard"):
        return
    for node in ast.walk(module.tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if not SPEAKING.fullmatch(node.func.attr) or not node.args:
            continue
        given = node.args[0]
        pieces = given.values if isinstance(given, ast.JoinedStr) else [given]
        text = "".join(p.value for p in pieces if isinstance(p, ast.Constant) and isinstance(p.value, str))
        if re.search(r"[^\W\d_]{2,}", NO_WORDS.sub("", text)):
            yield f"{module.name}:{node.lineno} says {text[:30]!r} itself, instead of a Text"


RULES = (
    follows_the_direction_of_imports,
    imports_only_the_packages_it_may,
    imports_by_absolute_names_without_discovery,
    keeps_the_layers_of_the_core,
    evaluates_its_annotations,
    has_a_name_that_says_something,
    is_a_thin_page,
    has_short_functions,
    uses_the_names_of_the_house,
    keeps_quiet,
    draws_only_from_a_generator_it_was_given,
    leaves_devices_to_one_module,
    runs_nothing_that_came_as_data,
    comments_in_english_and_say_why,
    keeps_chinese_in_texts,
    says_nothing_in_one_language_alone,
)
Rule = Callable[[Module], Iterator[str]]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_every_module_of_the_repository(rule: Rule) -> None:
    faults = [fault for module in all_modules() for fault in rule(module)]
    assert not faults, "\n".join(faults)


LONG = "\n".join(["def long():", '    """Not counted."""', *["    x = 1"] * MAX_FUNCTION_LINES])
SHORT = LONG.replace('    """Not counted."""', '    """Not counted,\n\n    not at all.\n    """', 1)
PLANTED = (
    (follows_the_direction_of_imports, "attention_core.steps", "from dashboard import number_format"),
    (follows_the_direction_of_imports, "attention_core.reference", "from attention_core import steps"),
    (follows_the_direction_of_imports, "attention_core.reference", "import attention_core.steps as steps"),
    (follows_the_direction_of_imports, "dashboard.controls", "from pages import qkv"),
    (follows_the_direction_of_imports, "dashboard.frame", "def late():\n    import app"),
    (follows_the_direction_of_imports, "dashboard.charts.bars", "from dashboard.text import Text"),
    (follows_the_direction_of_imports, "dashboard.charts.bars", "from dashboard import text"),
    (follows_the_direction_of_imports, "dashboard.text.qkv", "from dashboard.catalog import LESSONS"),
    (imports_only_the_packages_it_may, "attention_core.masks", "import streamlit as st"),
    (imports_only_the_packages_it_may, "attention_core.masks", "import numpy as np"),
    (imports_only_the_packages_it_may, "attention_core.masks", "import regex"),
    (imports_only_the_packages_it_may, "attention_core.training.loop", "import safetensors"),
    (imports_only_the_packages_it_may, "dashboard.charts.bars", "from torch import Tensor"),
    (imports_only_the_packages_it_may, "dashboard.catalog", "import streamlit"),
    (imports_only_the_packages_it_may, "dashboard.text.start", "import pandas"),
    (imports_only_the_packages_it_may, "pages.qkv", "import torch"),
    (imports_only_the_packages_it_may, "dashboard.panels.qkv", "import altair"),
    (imports_by_absolute_names_without_discovery, "dashboard.grid", "from . import palette"),
    (imports_by_absolute_names_without_discovery, "attention_core.variants", "import pkgutil"),
    (
        keeps_the_layers_of_the_core,
        "attention_core.steps",
        "from attention_core.multi_head import split_heads",
    ),
    (keeps_the_layers_of_the_core, "attention_core.trace", "from attention_core import steps"),
    (keeps_the_layers_of_the_core, "attention_core.variants.linear", "import attention_core.training.loop"),
    (evaluates_its_annotations, "attention_core.steps", "from __future__ import annotations"),
    (has_a_name_that_says_something, "dashboard.panels.utils", ""),
    (is_a_thin_page, "pages.qkv", "def show():\n    pass"),
    (is_a_thin_page, "pages.qkv", "class State:\n    pass"),
    (is_a_thin_page, "pages.qkv", "import math"),
    (is_a_thin_page, "pages.qkv", "x = 1\n" * (MAX_PAGE_LINES + 1)),
    (has_short_functions, "benchmarks.core", LONG),
    (uses_the_names_of_the_house, "attention_core.steps", "attn = 1"),
    (uses_the_names_of_the_house, "attention_core.steps", "def f(mask_value): ..."),
    (uses_the_names_of_the_house, "attention_core.steps", "B, T = 2, 3"),
    (keeps_quiet, "attention_core.steps", "print(1)"),
    (draws_only_from_a_generator_it_was_given, "attention_core.positions", "import torch\ntorch.randn(2, 3)"),
    (
        draws_only_from_a_generator_it_was_given,
        "attention_core.positions",
        "import torch\ntorch.manual_seed(0)",
    ),
    (leaves_devices_to_one_module, "dashboard.panels.scaling.model", "torch.cuda.is_available()"),
    (leaves_devices_to_one_module, "dashboard.panels.scaling.model", "from torch import cuda"),
    (leaves_devices_to_one_module, "dashboard.panels.scaling.model", 'plan = Plan(device="cuda")'),
    (leaves_devices_to_one_module, "pages.scaling", "import torch.backends.mps"),
    (leaves_devices_to_one_module, "attention_core.steps", "q.cuda()"),
    (leaves_devices_to_one_module, "attention_core.steps", 'torch.set_default_device("meta")'),
    (runs_nothing_that_came_as_data, "attention_core.worker", "import pickle"),
    (runs_nothing_that_came_as_data, "attention_core.worker", "from pickle import loads as read"),
    (runs_nothing_that_came_as_data, "dashboard.runs", "import marshal as m"),
    (runs_nothing_that_came_as_data, "dashboard.link", 'eval("1")'),
    (runs_nothing_that_came_as_data, "dashboard.link", "run = exec"),
    (runs_nothing_that_came_as_data, "dashboard.link", 'import builtins\nbuiltins.eval("1")'),
    (runs_nothing_that_came_as_data, "pages.qkv", '__import__("os")'),
    (runs_nothing_that_came_as_data, "dashboard.cached", "pd.read_pickle(path)"),
    (runs_nothing_that_came_as_data, "dashboard.cached", "np.load(path, allow_pickle=True)"),
    (runs_nothing_that_came_as_data, "attention_core.steps", "torch.load(path)"),
    (comments_in_english_and_say_why, "tests.core.test_steps", "# 掩码"),
    (comments_in_english_and_say_why, "app", "# -------- imports"),
    (comments_in_english_and_say_why, "app", "# TODO speed"),
    (keeps_chinese_in_texts, "pages.qkv", 'title = "查询"'),
    (keeps_chinese_in_texts, "dashboard.controls", 'f"{1}，"'),
    (says_nothing_in_one_language_alone, "pages.qkv", 'st.title("Queries")'),
    (says_nothing_in_one_language_alone, "dashboard.panels.qkv", 'st.caption(f"{1} tokens")'),
    (says_nothing_in_one_language_alone, "dashboard.panels.qkv", 'column.button("重置")'),
)
INNOCENT = (
    (
        follows_the_direction_of_imports,
        "attention_core.steps",
        "from attention_core.trace import AttentionTrace",
    ),
    (follows_the_direction_of_imports, "pages.qkv", "from dashboard.panels import qkv"),
    (imports_only_the_packages_it_may, "attention_core.tokens", "import regex"),
    (imports_only_the_packages_it_may, "dashboard.charts.bars", "import altair as alt"),
    (imports_only_the_packages_it_may, "tests.core.test_onnx", "import onnx"),
    (keeps_the_layers_of_the_core, "attention_core.multi_head", "from attention_core.steps import score"),
    (is_a_thin_page, "pages.qkv", 'import streamlit as st\n\nst.write("")'),
    (has_short_functions, "benchmarks.core", SHORT.replace("    x = 1\n", "", 1)),
    (uses_the_names_of_the_house, "attention_core.steps", "*_, N, d_k = q.shape\nx = q.T"),
    (
        draws_only_from_a_generator_it_was_given,
        "attention_core.positions",
        "torch.randn(2, generator=source)",
    ),
    (
        draws_only_from_a_generator_it_was_given,
        "attention_core.positions",
        "torch.Generator().manual_seed(0)",
    ),
    (leaves_devices_to_one_module, "attention_core.device", "torch.cuda.empty_cache()"),
    (
        leaves_devices_to_one_module,
        "dashboard.panels.scaling.model",
        'x.to(state["device"])\ntorch.__version__',
    ),
    (runs_nothing_that_came_as_data, "attention_core.steps", "import re\nre.compile('x')\nlayer.eval()"),
    (runs_nothing_that_came_as_data, "tests.core.test_steps", 'exec("1")'),
    (comments_in_english_and_say_why, "app", "# TODO speed, #12"),
    (keeps_chinese_in_texts, "pages.qkv", 'Text(zh="查询", en="query")'),
    (keeps_chinese_in_texts, "dashboard.text.qkv", 'title = "查询"'),
    (says_nothing_in_one_language_alone, "pages.qkv", "st.title(words.TITLE.say(language))"),
    (says_nothing_in_one_language_alone, "pages.qkv", 'st.markdown(r"$\\sqrt{d_k}$")\nst.write(f"**{x}**")'),
)


@pytest.mark.parametrize(("rule", "name", "source"), PLANTED)
def test_a_planted_fault_is_found(rule: Rule, name: str, source: str) -> None:
    assert list(rule(Module(name, source)))


@pytest.mark.parametrize(("rule", "name", "source"), INNOCENT)
def test_what_is_allowed_is_no_fault(rule: Rule, name: str, source: str) -> None:
    assert not list(rule(Module(name, source)))


def test_every_rule_has_a_planted_fault() -> None:
    assert {rule for rule, _, _ in PLANTED} == set(RULES)


# The repository as a whole


def import_graph(modules: list[Module]) -> dict[str, set[str]]:
    """Which of our modules each of our modules imports; importing a module imports its packages too."""
    names = {module.name for module in modules}

    def nearest(name: str) -> str | None:
        while name and name not in names:
            name = name.rpartition(".")[0]
        return name or None

    return {
        module.name: {nearest(name) for _, name in imported(module.tree)} - {None, module.name}
        for module in modules
    }


def first_cycle(graph: Mapping[str, set[str]]) -> list[str]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_no_module_imports_itself_through_others() -> None:
    assert not first_cycle(import_graph(all_modules()))


def test_a_planted_cycle_is_found() -> None:
    planted = [Module("a", "import b.c"), Module("b", ""), Module("b.c", "from a import x")]
    assert first_cycle(import_graph(planted))


def shadowed(names: set[str]) -> set[str]:
    """The names that a standard or installed module bears already."""
    ours = {"app", *FOLDERS}
    return names & (set(STANDARD) | set(importlib.metadata.packages_distributions()) - ours)


def test_no_module_of_the_dashboard_hides_an_installed_one() -> None:
    # dashboard/ comes first on sys.path, because the script of every visit lies in it.
    files = {path.stem for path in (ROOT / "dashboard").glob("*.py")} - {"__init__"}
    folders = {path.name for path in (ROOT / "dashboard").iterdir() if path.is_dir()}
    assert not shadowed(files | folders)


def test_a_planted_name_of_an_installed_module_is_found() -> None:
    assert shadowed({"token", "regex", "catalog"}) == {"token", "regex"}


def folder_names(folder: Path) -> Counter[str]:
    return Counter(path.stem for path in folder.glob("*.py") if path.stem != "__init__")


def test_the_catalogue_lists_every_page_once() -> None:
    from dashboard.catalog import LESSONS

    assert Counter(Path(lesson.file).stem for lesson in LESSONS) == folder_names(ROOT / "pages")
    assert all((ROOT / "dashboard" / lesson.file).is_file() for lesson in LESSONS)
    assert len({lesson.slug for lesson in LESSONS}) == len(LESSONS)
    assert [lesson.slug for lesson in LESSONS].count("") == 1


def test_every_lesson_has_its_text_module() -> None:
    from dashboard.catalog import LESSONS

    assert {Path(lesson.file).stem for lesson in LESSONS} <= set(folder_names(ROOT / "dashboard" / "text"))


TABLES = (("attention_core.variants", "VARIANTS"), ("attention_core.experiments", "EXPERIMENTS"))


@pytest.mark.parametrize(("package", "table"), TABLES)
def test_a_table_of_the_core_lists_every_module(package: str, table: str) -> None:
    folder = ROOT / package.replace(".", "/")
    if not folder.is_dir():
        pytest.skip(f"{package} is not built yet")
    listed = getattr(importlib.import_module(package), table).values()
    modules = {function.__module__.removeprefix(f"{package}.") for function in listed}
    assert modules == set(folder_names(folder))


def test_what_pages_run_in_the_process_for_long_work_is_what_it_takes():
    from attention_core.experiments import LONG_WORK

    tasks = [
        node.args[0].id
        for module in all_modules()
        if module.root == "dashboard"
        for node in ast.walk(module.tree)
        if is_call_of(node, "Task")
    ]
    assert sorted(tasks) == sorted(work.__name__ for work in LONG_WORK)
