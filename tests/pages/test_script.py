"""The script "Reproduce in Python" prints the page's numbers with torch alone."""

import math
import subprocess
import sys
from collections.abc import Mapping, Sequence

import pytest
import torch
from torch import Tensor

from attention_core.experiments.equivariance import shuffle
from attention_core.experiments.independence import differences_of_forms, measure_reach
from attention_core.experiments.reuse import (
    clearest_word,
    compare_traces,
    compare_with_simplified,
    distances_by_layer,
)
from attention_core.single_head import apply_edits, own_sentence, trace_single_head
from attention_core.tokens import tokenize
from attention_core.trace import SingleHeadTrace
from dashboard.panels.qkv.fields import qkv_fields
from dashboard.panels.qkv.model import Model, build
from dashboard.panels.qkv.script import script_of
from tests.pages.reading import read_printed

PRINTED = (
    *("embedding", "position", "x", "w_q", "w_k", "w_v", "q", "k", "v"),
    *("scores", "scaled", "masked", "weights", "out", "w_o", "projected"),
)
MATRICES = ("w_q", "w_k", "w_v", "w_o")
EDITS = {("x", 1, 0): -2.5, ("w_q", 0, 2): 1e-7, ("w_v", 5, 3): 3.0, ("w_o", 0, 0): 0.1, ("w_k", 40, 0): 9.0}
MORE_EDITS = EDITS | {("x", 0, 3): 1.5, ("x", 3, 2): -0.7, ("x", 60, 0): 2.0}
HOSTILE = 'it\'s "x" \\n {a} %d """ \'\'\' # \u2028 👩‍👩‍👧 e\u0301 猫 $5 `b` \ud800 cat'
STATES = {
    "own, no positions": {"positions": "none"},
    "own, sinusoidal, odd width": {"positions": "sinusoidal", "d_model": 7, "seed": 9999},
    "own, learned, wide": {"positions": "learned", "d_model": 64, "d_k": 64, "d_v": 33, "seed": 12},
    "own, causal, smallest": {"causal": True, "d_model": 1, "d_k": 1, "d_v": 1},
    "own, edited, some edits outside": {"edit_own": EDITS, "causal": True, "view": "query"},
    "own, emoji, quotes, surrogate": {"text": HOSTILE},
    "e1": {"source": "e1"},
    "e1, causal, edited": {"source": "e1", "causal": True, "edit_e1": {("q", 0, 1): 0.3, ("v", 2, 0): -1.0}},
    "e2, edited": {"source": "e2", "edit_e2": {("w_k", 3, 1): 0.31}},
    "e3, causal has no effect": {"source": "e3", "causal": True, "edit_e3": {("scaled", 0, 0): 1.9}},
    "sentences": {"view": "sentences"},
    "sentences, edited, repeated words": {
        "view": "sentences",
        "causal": True,
        "edit_own": MORE_EDITS,
        "text": "a b a c a b",
        "text2": "c a a d b b a a",
    },
    "sentences, learned, narrow": {
        "view": "sentences",
        "positions": "learned",
        "d_k": 1,
        "seed": 31,
    },
    "sentences, one token, no positions": {
        "view": "sentences",
        "positions": "none",
        "text": "a",
        "text2": "b a",
    },
    "sentences, hostile": {"view": "sentences", "text": HOSTILE, "text2": HOSTILE[::-1], "d_v": 7},
    "sentences, no shared word": {"view": "sentences", "text2": "x y z"},
    "sentences, second not legal": {"view": "sentences", "text2": " "},
    "sentences, e1": {"view": "sentences", "source": "e1"},
    "shuffle": {"view": "shuffle", "positions": "none"},
    "shuffle, edited, repeated words": {
        "view": "shuffle",
        "causal": True,
        "edit_own": MORE_EDITS,
        "text": "a b a c a b",
        "order": 3,
    },
    "shuffle, learned": {"view": "shuffle", "positions": "learned", "d_k": 1, "order": 9999, "seed": 4},
    "shuffle, hostile": {"view": "shuffle", "text": HOSTILE},
    "shuffle, one token": {"view": "shuffle", "text": "a"},
    "shuffle, e2": {"view": "shuffle", "source": "e2"},
    "plain": {"view": "plain"},
    "plain, causal, edited": {"view": "plain", "causal": True, "edit_own": MORE_EDITS, "d_model": 9},
    "plain, one token": {"view": "plain", "text": "a", "d_model": 1, "d_k": 1},
    "plain, e1": {"view": "plain", "source": "e1"},
    "plain, e2, causal": {"view": "plain", "source": "e2", "causal": True, "edit_e2": {("x", 3, 1): 0.31}},
    "loops": {"view": "loops", "seed": 77},
    "loops, causal, edited": {"view": "loops", "causal": True, "edit_own": MORE_EDITS, "query": 64},
    "loops, causal, early query": {"view": "loops", "causal": True, "query": 3},
    "loops, one token": {"view": "loops", "text": "a", "d_k": 1, "d_v": 1},
    "loops, e1": {"view": "loops", "source": "e1", "causal": True, "query": 3, "edit_e1": {("q", 0, 1): 0.3}},
    "loops, e2": {"view": "loops", "source": "e2", "seed": 5},
    "loops, e3": {"view": "loops", "source": "e3"},
}


class Values(dict):
    """A lesson's values without a session."""

    language = "en"


def values_of(changed: Mapping[str, object]) -> Values:
    defaults = {name: field.default for name, field in qkv_fields("en").items()}
    assert changed.keys() <= defaults.keys()
    return Values(defaults | dict(changed))


def own_trace(
    state: Values, tokens: Sequence[str], edited: Sequence[str] = ("x", *MATRICES), **given: Tensor
) -> SingleHeadTrace:
    """One pass, made from the core's own pieces."""
    sizes = {name: state[name] for name in ("seed", "d_model", "d_k", "d_v", "positions")}
    inputs = own_sentence(tokens, **sizes) | given
    for name in edited:
        cells = {(row, column): value for (at, row, column), value in state["edit_own"].items() if at == name}
        inputs[name] = apply_edits(inputs[name], cells).matrix
    return trace_single_head(inputs, is_causal=state["causal"])


def sentences_numbers(state: Values, model: Model) -> dict[str, object]:
    if state["source"] != "own" or not state["text2"].strip():
        return {}
    first, second = tokenize(state["text"]), tokenize(state["text2"])
    pair = compare_traces(own_trace(state, first), own_trace(state, second, MATRICES), first, second)
    expected = {"second.weights": pair.second.weights, "second.projected": pair.second.projected}
    if not pair.shared_words:
        return expected
    # The word that the page tells about: the first of those that enter most alike.
    word = clearest_word(pair.shared_words)
    layers = distances_by_layer(
        pair.first, pair.second, word.first_place, word.second_place, seed=state["seed"]
    )
    return expected | {
        "shared.places": [[word.first_place + 1, word.second_place + 1] for word in pair.shared_words],
        "shared.distances": [
            [word.bare_distance, word.input_distance, word.dressed_distance] for word in pair.shared_words
        ],
        "shared.layers": layers,
    }


def shuffle_numbers(state: Values, model: Model) -> dict[str, object]:
    tokens = tokenize(state["text"])
    if state["source"] != "own" or len(tokens) < 2:
        return {}
    order = list(shuffle(len(tokens), state["order"]))
    original = own_trace(state, tokens)
    x = own_trace(state, [tokens[place] for place in order], MATRICES).x.clone()
    for (name, row, column), value in state["edit_own"].items():
        if name == "x" and row < x.shape[0] and column < x.shape[1]:
            x[order.index(row), column] = value
    weights = own_trace(state, tokens, MATRICES, x=x).weights
    moved = original.weights[order][:, order]
    return {
        "shuffle.moved": moved,
        "shuffle.weights": weights,
        "shuffle.difference": weights - moved,
        "shuffle.largest": [float((weights - moved).abs().max())],
    }


def plain_numbers(state: Values, model: Model) -> dict[str, object]:
    if model.trace.x is None:
        return {}
    given = {name: model.matrix(name) for name in ("x", "w_q", "w_k", "w_v")}
    pair = compare_with_simplified(given, is_causal=state["causal"])
    return {
        "plain.scores": pair.simplified.scores,
        "plain.weights": pair.simplified.weights,
        "plain.asymmetry": [pair.simplified_asymmetry, pair.trainable_asymmetry],
        "plain.difference": [pair.weights_difference],
    }


def loops_numbers(state: Values, model: Model) -> dict[str, object]:
    trace = model.trace
    if trace.q is None:
        return {}
    changed = min(state["query"], len(model.queries)) - 1
    reach = measure_reach(trace.q, trace.k, trace.v, changed, allowed=trace.allowed, seed=state["seed"])
    forms = differences_of_forms(trace.q, trace.k, trace.v, trace.allowed)
    return {
        "reach.attention": reach.attention,
        "reach.rnn": reach.rnn,
        **{f"forms.{form}": [difference] for form, difference in forms.items()},
    }


NUMBERS_OF = {
    "sentences": sentences_numbers,
    "shuffle": shuffle_numbers,
    "plain": plain_numbers,
    "loops": loops_numbers,
}


def expected_numbers(state: Values, model: Model) -> dict[str, Tensor]:
    """The matrices that the page has, and what the present view adds to them."""
    names = [name for name in PRINTED if model.matrix(name) is not None]
    if model.trace.allowed is None:
        names.remove("masked")
    expected = {name: model.matrix(name) for name in names}
    if state["view"] in NUMBERS_OF:
        expected |= NUMBERS_OF[state["view"]](state, model)
    return {name: torch.as_tensor(values, dtype=torch.float64) for name, values in expected.items()}


def as_tensors(printed: Mapping[str, list]) -> dict[str, Tensor]:
    return {name: torch.tensor(rows, dtype=torch.float64) for name, rows in printed.items()}


def largest_difference(printed: Mapping[str, Tensor], expected: Mapping[str, Tensor]) -> float:
    """How far the printed numbers are from the page's; infinite where names, shapes or −∞ differ."""
    if list(printed) != list(expected):
        return math.inf
    gaps = [0.0]
    for name, matrix in expected.items():
        hidden = matrix.isinf()
        if printed[name].shape != matrix.shape or not torch.equal(printed[name].isinf(), hidden):
            return math.inf
        if not hidden.all():
            gaps.append(float((printed[name] - matrix)[~hidden].abs().max()))
    return max(gaps)


@pytest.mark.parametrize("name", STATES)
def test_the_script_prints_every_number_of_the_page(name: str, run_script) -> None:
    state = values_of(STATES[name])
    model = build(state)
    script = script_of(state, model)
    assert script.isascii()
    assert not {"attention_core", "dashboard", "streamlit", "numpy"} & set(script.split())
    assert ("masked" in script.replace("masked_fill", "")) == (model.trace.allowed is not None)
    expected = expected_numbers(state, model)
    assert largest_difference(as_tensors(run_script(script)), expected) <= 1e-12


def test_a_downloaded_script_runs_by_itself(tmp_path) -> None:
    state = values_of(STATES["sentences, hostile"])
    model = build(state)
    file = tmp_path / "qkv.py"
    file.write_bytes(script_of(state, model).encode())
    done = subprocess.run(
        [sys.executable, "-I", str(file)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert largest_difference(as_tensors(read_printed(done.stdout)), expected_numbers(state, model)) <= 1e-12


def test_the_states_reach_every_section() -> None:
    reached = {name for changed in STATES.values() for name in expected_of(changed)}
    assert reached >= {
        *PRINTED,
        *(
            "second.weights",
            "shared.layers",
            "shuffle.difference",
            "plain.scores",
            "reach.rnn",
            "forms.einsum",
        ),
    }


def expected_of(changed: Mapping[str, object]) -> dict[str, Tensor]:
    state = values_of(changed)
    return expected_numbers(state, build(state))


PLANTED = (
    ("own, edited, some edits outside", "math.sqrt(q.shape[1])", "math.sqrt(x.shape[1])"),
    ("own, edited, some edits outside", "x[1, 0] = -2.5\n", "x[1, 0] = -2.5000001\n"),
    ("own, edited, some edits outside", ".triu(1)", ".triu(2)"),
    ("sentences, edited, repeated words", "\n    future =", "\n    future = ~"),
    ("sentences, edited, repeated words", "second_x = second_embedding", "second_x = 0 * second_embedding"),
    ("sentences, edited, repeated words", "\nsecond_x = ", "\nsecond_embedding[1, 0] = -2.5\nsecond_x = "),
    ("sentences, edited, repeated words", "waiting[other] = None", "pass"),
    ("sentences, edited, repeated words", "of layer {layer}", "of layer 1"),
    ("sentences, edited, repeated words", "(distances[i, 1].item()", "(-distances[i, 1].item()"),
    ("shuffle, edited, repeated words", "order = [", "order = [0, 1, 2, 3, 4, 5] or ["),
    ("shuffle, edited, repeated words", "embedding[order] + position", "(embedding + position)[order]"),
    ("shuffle, edited, repeated words", "shuffled_x[{moved}, 0] = -2.5\n", "shuffled_x[1, 0] = -2.5\n"),
    ("plain, causal, edited", "weigh(plain_scores, x.shape[1])", "weigh(plain_scores, d_k)"),
    ("plain, causal, edited", "plain_scores = x @ x.T", "plain_scores = embedding @ embedding.T"),
    ("loops, causal, edited", "changed[7] += 1", "changed[6] += 1"),
    ("loops, causal, early query", "\n    scaled = scaled.masked_fill", "\n    scaled.masked_fill"),
    ("loops, causal, edited", "manual_seed(seed)", "manual_seed(seed + 1)"),
    ("loops, causal, edited", '"nm,md->nd"', '"mn,md->nd"'),
)


@pytest.mark.parametrize(("name", "sound", "faulty"), PLANTED)
def test_a_planted_fault_in_a_script_is_seen(name: str, sound: str, faulty: str, run_script) -> None:
    state = values_of(STATES[name])
    model = build(state)
    script = script_of(state, model)
    sound = sound.replace("{moved}", str(shuffle(len(model.queries), state["order"]).index(1)))
    assert sound in script
    printed = as_tensors(run_script(script.replace(sound, faulty)))
    assert largest_difference(printed, expected_numbers(state, model)) > 1e-9


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("view", ["pipeline", "shuffle"])
def test_the_page_shows_the_script_of_its_present_state(open_page, view: str, language: str) -> None:
    at = open_page("qkv", lang=language, view=view, d_k="3", causal="1", edit_own="x.1.1_2", text="a b c")
    at.button(key="open.script.qkv").click().run()
    assert not at.exception
    state = values_of(
        {"view": view, "d_k": 3, "causal": True, "edit_own": {("x", 0, 0): 2.0}, "text": "a b c"}
    )
    assert [code.value for code in at.code] == [script_of(state, build(state)).rstrip()]
