"""The alphabet of shapes: every tensor in a signature or a record has one, in names that AXES explains."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import jaxtyping
import pytest
import torch

from attention_core.axes import AXES
from attention_core.steps import score

CORE = Path(__file__).parents[2] / "attention_core"
MODULES = sorted(CORE.rglob("*.py"))
KINDS = {"Float", "Bool", "Int", "Integer", "Shaped", "Num", "UInt", "Complex"}
Function = ast.FunctionDef | ast.AsyncFunctionDef


def shapes(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Find every shape, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in KINDS:
            _, shape = node.slice.elts
            yield node.lineno, shape.value


def axis_names(shape: str) -> set[str]:
    """Take the names out of a shape; markers, numbers, signs and {arguments} are no names."""
    return set(re.findall(r"[A-Za-z]\w*", re.sub(r"\{.*?\}", "", shape)))


def annotations(tree: ast.AST) -> Iterator[ast.expr]:
    """Find everything that says of what type an argument, a result or a field is."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.arg, ast.AnnAssign)) and node.annotation is not None:
            yield node.annotation
        if isinstance(node, Function) and node.returns is not None:
            yield node.returns


def bare_tensors(tree: ast.AST) -> list[int]:
    """Give the lines of annotations with a Tensor that has no shape."""
    lines = []
    for annotation in annotations(tree):
        shaped = {
            id(node.slice.elts[0])
            for node in ast.walk(annotation)
            if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple)
            if isinstance(node.value, ast.Name) and node.value.id in KINDS
        }
        for node in ast.walk(annotation):
            name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", None)
            if name == "Tensor" and id(node) not in shaped:
                lines.append(node.lineno)
    return lines


def untyped(tree: ast.AST) -> list[str]:
    """Name the arguments and functions that do not say their type; lambdas and self are excused."""
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, Function):
            continue
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [extra for extra in (arguments.vararg, arguments.kwarg) if extra is not None]
        for argument in every:
            if argument.annotation is None and argument.arg not in ("self", "cls"):
                found.append(f"{node.name}({argument.arg}), line {node.lineno}")
        if node.returns is None:
            found.append(f"{node.name} -> ?, line {node.lineno}")
    return found


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.fixture(params=MODULES, ids=[str(path.relative_to(CORE)) for path in MODULES])
def module(request: pytest.FixtureRequest) -> ast.Module:
    return parsed(request.param)


def test_every_axis_name_is_explained(module):
    unknown = {
        f"line {line}: {name}" for line, shape in shapes(module) for name in axis_names(shape) - AXES.keys()
    }
    assert not unknown


def test_no_tensor_is_without_a_shape(module):
    assert not bare_tensors(module)


def test_every_argument_and_result_has_a_type(module):
    assert not untyped(module)


def test_annotations_are_not_postponed(module):
    postponed = [
        node.lineno
        for node in ast.walk(module)
        if isinstance(node, ast.ImportFrom) and node.module == "__future__"
    ]
    assert not postponed


def test_the_modules_are_found_and_have_shapes():
    assert CORE / "steps.py" in MODULES
    assert len(list(shapes(parsed(CORE / "steps.py")))) > 20


def test_every_axis_has_a_meaning_and_most_are_in_use():
    used = {name for path in MODULES for _, shape in shapes(parsed(path)) for name in axis_names(shape)}
    assert all(meaning.strip() for meaning in AXES.values())
    assert {"B", "B_q", "B_k", "H", "H_kv", "N", "M", "d_model", "d_k", "d_v"} <= used


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ('def f(x: Float[Tensor, "*B N d"]) -> None: ...', {"d"}),
        ('class R:\n    x: Float[Tensor, "*#B #T 3"] | None', {"T"}),
        ('def f(x: Float[Tensor, "H*d_v {width} ..."]) -> Bool[Tensor, " L"]: ...', {"L"}),
    ],
)
def test_the_checker_finds_an_unexplained_axis(source, names):
    tree = ast.parse(source)
    assert {name for _, shape in shapes(tree) for name in axis_names(shape)} - AXES.keys() == names


@pytest.mark.parametrize(
    "source",
    [
        "def f(x: Tensor) -> None: ...",
        "def f(x: torch.Tensor | None) -> None: ...",
        "def f() -> tuple[Tensor, ...]: ...",
        "class R:\n    x: Mapping[str, Tensor]",
    ],
)
def test_the_checker_finds_a_bare_tensor(source):
    assert bare_tensors(ast.parse(source))


def test_the_checker_passes_a_shaped_tensor():
    assert not bare_tensors(ast.parse('def f(x: dict[str, Float[Tensor, "N M"]]) -> None: ...'))


@pytest.mark.parametrize("source", ["def f(x) -> None: ...", "def f(x: int): ...", "def f(*x) -> None: ..."])
def test_the_checker_finds_what_has_no_type(source):
    assert untyped(ast.parse(source))


def test_the_shape_checker_is_on_in_tests():
    with pytest.raises(jaxtyping.TypeCheckError):
        score(torch.zeros(5, 11), torch.zeros(7, 13))
