"""The script "Reproduce in Python" prints the layers' numbers with torch alone."""

import math

import pytest
import torch

from attention_core import masks
from attention_core.experiments.changed_word import change_word
from attention_core.experiments.dressing import cosines_to_bare, distances_to_bare, follow_word
from attention_core.experiments.reuse import shared_places
from attention_core.experiments.rollout import check_rollout
from attention_core.experiments.smoothing import measure_smoothing
from attention_core.layers import Design, dress
from attention_core.tokens import tokenize
from dashboard.panels.layers.fields import layer_fields
from dashboard.panels.layers.script import script_of

HOSTILE = 'it\'s "x" \\n {a} %d """ \'\'\' # 👩‍👩‍👧 é 猫 $5 `b` \ud800 cat'
STATES = {
    "stack": {},
    "post, learned, causal, three heads": {
        "norm": "post",
        "positions": "learned",
        "is_causal": True,
        "d_model": 9,
        "h": 3,
        "seed": 9999,
    },
    "no norm, no residual, no feed-forward": {
        "norm": "none",
        "has_residual": False,
        "has_ffn": False,
        "positions": "none",
    },
    "hostile text, smallest": {"text": HOSTILE, "d_model": 1, "h": 1, "n_layers": 1, "norm": "none"},
    "smoothing": {"view": "smoothing", "is_causal": True, "seed": 4, "n_layers": 3},
    "smoothing, one token": {"view": "smoothing", "text": "a"},
    "rollout": {"view": "rollout", "rollout_query": 5, "rollout_word": "owl"},
    "rollout, no residual, query beyond": {"view": "rollout", "has_residual": False, "rollout_query": 60},
    "rollout, no word": {"view": "rollout", "rollout_word": "two words"},
    "twice": {"view": "twice", "seed": 3},
    "twice, other places": {"view": "twice", "text": "a b", "twice_text": "b a a", "twice_place": 9},
    "twice, nothing shared": {"view": "twice", "twice_text": "x y"},
    "twice, not legal": {"view": "twice", "twice_text": " "},
    "far": {"view": "far", "far_width": 3},
    "far, causal, no window": {"view": "far", "far_has_window": False, "is_causal": True, "far_changed": 3},
    "far, same word": {"view": "far", "far_word": "the"},
}


class Values(dict):
    """A lesson's values without a session."""

    language = "en"


def values_of(changed: dict) -> Values:
    defaults = {name: field.default for name, field in layer_fields("en").items()}
    assert changed.keys() <= defaults.keys()
    return Values(defaults | changed)


def mask_of(state: Values, n: int) -> torch.Tensor | None:
    return masks.causal(n) if state["is_causal"] else None


def expected_of(state: Values) -> dict[str, torch.Tensor]:
    """What the core gives for the same values."""
    sizes = {name: state[name] for name in ("n_layers", "d_model", "norm", "has_ffn", "has_residual")}
    design, tokens = Design(n_heads=state["h"], **sizes), tokenize(state["text"])
    given = {"seed": state["seed"], "positions": state["positions"]}
    trace = dress(tokens, design, **given, allowed=mask_of(state, len(tokens))).trace
    expected = {f"vectors.{depth}": rows for depth, rows in enumerate(trace.vectors)}
    expected |= {
        f"weights.{layer}.{head}": rows
        for layer, heads in enumerate(trace.weights, 1)
        for head, rows in enumerate(heads, 1)
    }
    expected |= {"distances": distances_to_bare(trace.vectors), "cosines": cosines_to_bare(trace.vectors)}
    if state["view"] in OWN:
        expected |= OWN[state["view"]](state, tokens, design, given)
    return {name: torch.as_tensor(rows, dtype=torch.float64) for name, rows in expected.items()}


def smoothing_numbers(state: Values, tokens: tuple[str, ...], design: Design, given: dict) -> dict:
    if len(tokens) == 1:
        return {}
    seeds, allowed = range(state["seed"], state["seed"] + 8), mask_of(state, len(tokens))
    both = measure_smoothing(tokens, design, seeds=seeds, positions=state["positions"], allowed=allowed)
    return {
        f"smoothing.{name}.{meter}": [one.mean for one in getattr(record, meter)]
        for name, record in zip(("without", "with"), both, strict=True)
        for meter in ("cosines", "own_shares")
    }


def rollout_numbers(state: Values, tokens: tuple[str, ...], design: Design, given: dict) -> dict:
    word, n = state["rollout_word"], len(tokens)
    if len(tokenize(word)) != 1:
        return {}
    query = min(state["rollout_query"], n) - 1
    allowed = mask_of(state, n)
    found = check_rollout(tokens, design, **given, query=query, replacement=word, allowed=allowed)
    return {"rollout.shares": found.shares, "rollout.effects": found.effects}


def twice_numbers(state: Values, tokens: tuple[str, ...], design: Design, given: dict) -> dict:
    second = tokenize(state["twice_text"])
    pairs = shared_places(tokens, second)
    if not pairs:
        return {}
    both = [dress(one, design, **given, allowed=mask_of(state, len(one))) for one in (tokens, second)]
    followed = follow_word(*both, *pairs[min(state["twice_place"], len(pairs)) - 1])
    return {"twice.distances": followed.distances, "twice.cosines": followed.cosines}


def far_numbers(state: Values, tokens: tuple[str, ...], design: Design, given: dict) -> dict:
    n, changed, word = len(tokens), state["far_changed"] - 1, state["far_word"]
    if word == tokens[changed]:
        return {}
    allowed = masks.causal(n) if state["is_causal"] else masks.full(n)
    if state["far_has_window"]:
        allowed = allowed & masks.window(n, n, state["far_width"])
    return {"far.changes": change_word(tokens, changed, word, design, **given, allowed=allowed).changes}


OWN = {
    "smoothing": smoothing_numbers,
    "rollout": rollout_numbers,
    "twice": twice_numbers,
    "far": far_numbers,
}


def largest_difference(printed: dict, expected: dict[str, torch.Tensor]) -> float:
    """How far the printed numbers are from the page's; infinite where names or shapes differ."""
    if list(printed) != list(expected):
        return math.inf
    gaps = [0.0]
    for name, rows in expected.items():
        found = torch.tensor(printed[name], dtype=torch.float64)
        if found.shape != rows.shape:
            return math.inf
        gaps.append(float((found - rows).abs().max() / (1 + rows.abs().max())))
    return max(gaps)


@pytest.mark.parametrize("name", STATES)
def test_P8_the_script_prints_every_number_of_the_view(name: str, run_script) -> None:
    state = values_of(STATES[name])
    script = script_of(state)
    assert script.isascii()
    assert not {"attention_core", "dashboard", "streamlit", "numpy"} & set(script.split())
    assert largest_difference(run_script(script), expected_of(state)) <= 1e-11


def test_the_states_reach_every_section() -> None:
    reached = {name for changed in STATES.values() for name in expected_of(values_of(changed))}
    own = {"smoothing.with.cosines", "rollout.effects", "twice.distances", "far.changes"}
    assert own <= reached


PLANTED = (
    ("stack", "/ h**0.5", "/ h"),
    ("stack", 'norm == "pre" else x, 0, []', 'norm == "post" else x, 0, []'),
    ("post, learned, causal, three heads", "every.tril()", "every.tril(1)"),
    ("rollout", "0.5 * mixing + 0.5", "0.4 * mixing + 0.6"),
    ("twice", "[0][:, second_place]", "[0][:, 0]"),
    ("far", "].abs() < width".replace("]", ")"), ").abs() <= width"),
    ("smoothing", "mask(n), drawn, has)", "mask(n), drawn, True)"),
)


@pytest.mark.parametrize(("name", "sound", "faulty"), PLANTED)
def test_a_planted_fault_in_a_script_is_seen(name: str, sound: str, faulty: str, run_script) -> None:
    state = values_of(STATES[name])
    script = script_of(state)
    assert sound in script
    assert largest_difference(run_script(script.replace(sound, faulty)), expected_of(state)) > 1e-9


def test_the_page_shows_the_script_of_its_present_state(look_at) -> None:
    at = look_at("layers", is_touched=True, lang="en", view="far", far_width=3)
    at.button(key="open.script.layers").click().run()
    assert not at.exception
    state = values_of({"view": "far", "far_width": 3})
    assert [code.value for code in at.code] == [script_of(state).rstrip()]
