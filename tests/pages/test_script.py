"""The script "Reproduce in Python" prints the page's numbers with torch alone."""

import json
import subprocess
import sys
from collections.abc import Mapping

import pytest
import torch

from dashboard.panels.qkv.fields import qkv_fields
from dashboard.panels.qkv.model import Model, build
from dashboard.panels.qkv.script import script_of

PRINTED = ("x", "q", "k", "v", "scores", "scaled", "masked", "weights", "out", "projected")
EDITS = {("x", 1, 0): -2.5, ("w_q", 0, 2): 1e-7, ("w_v", 5, 3): 3.0, ("w_o", 0, 0): 0.1, ("w_k", 40, 0): 9.0}
STATES = {
    "own, no positions": {"positions": "none"},
    "own, sinusoidal, odd width": {"positions": "sinusoidal", "d_model": 7, "seed": 9999},
    "own, learned, wide": {"positions": "learned", "d_model": 64, "d_k": 64, "d_v": 33, "seed": 12},
    "own, causal, smallest": {"causal": True, "d_model": 1, "d_k": 1, "d_v": 1},
    "own, edited, some edits outside": {"edit_own": EDITS, "causal": True},
    "own, emoji, quotes, surrogate": {"text": 'it\'s "x" \\n {a} %d 👩‍👩‍👧 e\u0301 猫 $5 `b` \ud800 cat'},
    "e1": {"source": "e1"},
    "e1, causal, edited": {"source": "e1", "causal": True, "edit_e1": {("q", 0, 1): 0.3, ("v", 2, 0): -1.0}},
    "e2, edited": {"source": "e2", "edit_e2": {("w_k", 3, 1): 0.31}},
    "e3, causal has no effect": {"source": "e3", "causal": True, "edit_e3": {("scaled", 0, 0): 1.9}},
}


class Values(dict):
    """A lesson's values without a session."""

    language = "en"


def values_of(changed: Mapping[str, object]) -> Values:
    defaults = {name: field.default for name, field in qkv_fields("en").items()}
    assert changed.keys() <= defaults.keys()
    return Values(defaults | dict(changed))


def run_script(script: str, folder) -> dict[str, torch.Tensor]:
    """What a script prints, by name; it runs in an empty folder, without this repository."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", script], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    printed = {}
    for line in done.stdout.splitlines():
        name, matrix = line.split(" ", 1)
        printed[name] = torch.tensor(
            json.loads(matrix.replace("inf", "Infinity").replace("nan", "NaN")), dtype=torch.float64
        )
    return printed


def largest_difference(printed: Mapping[str, torch.Tensor], model: Model) -> float:
    """How far the printed numbers are from the page's, over all matrices the page has."""
    expected = {name: model.matrix(name) for name in PRINTED if model.matrix(name) is not None}
    assert printed.keys() == expected.keys()
    gaps = [0.0]
    for name, matrix in expected.items():
        assert printed[name].shape == matrix.shape, name
        hidden = matrix.isinf()
        assert torch.equal(printed[name].isinf(), hidden), name
        if not hidden.all():
            gaps.append(float((printed[name] - matrix)[~hidden].abs().max()))
    return max(gaps)


@pytest.mark.parametrize("name", STATES)
def test_the_script_prints_every_number_of_the_page(name: str, tmp_path) -> None:
    state = values_of(STATES[name])
    model = build(state)
    script = script_of(state, model)
    assert not {"attention_core", "dashboard", "streamlit", "numpy"} & set(script.split())
    assert largest_difference(run_script(script, tmp_path), model) <= 1e-12


@pytest.mark.parametrize(
    ("sound", "faulty"),
    [
        ("math.sqrt(q.shape[1])", "math.sqrt(x.shape[1])"),
        ("x[1, 0] = -2.5\n", "x[1, 0] = -2.5000001\n"),
        (".triu(1)", ".triu(2)"),
    ],
)
def test_a_planted_fault_in_a_script_is_seen(sound: str, faulty: str, tmp_path) -> None:
    state = values_of(STATES["own, edited, some edits outside"])
    model = build(state)
    script = script_of(state, model)
    assert sound in script
    try:
        gap = largest_difference(run_script(script.replace(sound, faulty), tmp_path), model)
    except AssertionError:
        return
    assert gap > 1e-9


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_page_shows_the_script_of_its_present_state(open_page, language: str) -> None:
    at = open_page("qkv", lang=language, d_k="3", causal="1", edit_own="x.1.1_2", text="a b c")
    at.button(key="open.script.qkv").click().run()
    assert not at.exception
    state = values_of({"d_k": 3, "causal": True, "edit_own": {("x", 0, 0): 2.0}, "text": "a b c"})
    assert [code.value for code in at.code] == [script_of(state, build(state)).rstrip()]
