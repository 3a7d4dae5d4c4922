"""Runs as bytes: they go on to the last digit, and what strangers send is refused before anything is made of it."""

import json
import struct

import pytest
import torch
from safetensors.torch import load, save

from attention_core.training import checkpoint
from attention_core.training.checkpoint import load_run, save_run
from attention_core.training.loop import Run
from attention_core.training.recipe import Recipe

SMALL = {"d_model": 8, "n_heads": 2, "batch": 4}


def started(**fields) -> Run:
    run = Run(Recipe("recall", **(SMALL | fields)))
    list(run.go(5))
    return run


def rewritten(written: bytes, *, about=None, tensors=None, form: str = checkpoint.FORMAT) -> bytes:
    """Write a run again with another recipe, other tensors, another format."""
    length = struct.unpack("<Q", written[:8])[0]
    known = json.loads(json.loads(written[8 : 8 + length])["__metadata__"]["run"])
    changed = load(written) | (tensors or {})
    kept = {name: x for name, x in changed.items() if x is not None}
    return save(kept, {"format": form, "run": json.dumps(known | (about or {}))})


@pytest.mark.parametrize(
    "fields", [{}, {"optimiser": "sgd"}, {"optimiser": "adamw", "dropout_p": 0.3}, {"positions": "none"}]
)
def test_a_run_that_was_written_down_goes_on_as_if_it_had_not_been(fields):
    run = started(**fields)
    again = load_run(save_run(run))
    assert again.recipe == run.recipe
    assert list(again.go(12)) == list(run.go(12))


def test_a_run_of_no_steps_can_be_written_down():
    run = Run(Recipe("recall", **SMALL))
    assert list(load_run(save_run(run)).go(3)) == list(run.go(3))


def test_weights_alone_give_the_same_model():
    run = started()
    written = save_run(run, weights_only=True)
    again = load_run(written)
    assert len(written) < len(save_run(run)) / 2
    assert again.step == 5
    for name, p in run.model.named_parameters():
        assert torch.equal(p, again.model.get_parameter(name))


def test_the_largest_run_is_within_the_limit():
    run = Run(Recipe("recall", n_layers=4, d_model=256, n_heads=1, batch=1))
    list(run.go(1))
    assert len(save_run(run)) <= checkpoint.MOST_BYTES


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"hello",
        b"\x80\x04K\x01.",
        b"\xff" * 64,
        struct.pack("<Q", 2) + b"{}",
        struct.pack("<Q", 2**63) + b"{}",
        struct.pack("<Q", 4) + b"null",
        struct.pack("<Q", 40_000) + b"[" * 40_000,
        save({"x": torch.zeros(1)}),
        save({"x": torch.zeros(1)}, {"format": "pt", "run": "{}"}),
        save({"x": torch.zeros(1)}, {"format": checkpoint.FORMAT, "run": "[]"}),
        save({"x": torch.zeros(1)}, {"format": checkpoint.FORMAT, "run": "{"}),
    ],
)
def test_what_is_no_run_is_refused(sent):
    with pytest.raises(ValueError, match="a run is a safetensors file with metadata"):
        load_run(sent)


def test_a_run_that_is_cut_off_is_refused():
    with pytest.raises(ValueError, match="cannot be read"):
        load_run(save_run(started())[:-1])


def test_what_is_too_large_is_refused_unread(monkeypatch):
    monkeypatch.setattr(checkpoint, "MOST_BYTES", 100)
    with pytest.raises(ValueError, match="at most 100 bytes, got 101"):
        load_run(b"x" * 101)


RECIPE = {"task": "recall", "n_layers": 2} | SMALL


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({"about": {"recipe": None}}, "a recipe has the fields"),
        ({"about": {"recipe": {"task": "recall"}}}, "a recipe has the fields"),
        ({"about": {"step": -1}}, "step must be a whole number"),
        ({"about": {"step": True}}, "step must be a whole number"),
        ({"about": {"step": 1e9}}, "step must be a whole number"),
        ({"tensors": {"model.table": None}}, "model.table is missing"),
        (
            {"tensors": {"model.table": torch.zeros(3, 8)}},
            r"of shape \(24, 8\), got torch.float32 of \(3, 8\)",
        ),
        ({"tensors": {"model.w_out": torch.zeros(8, 24).double()}}, "must be torch.float32"),
        (
            {"tensors": {"draws": torch.zeros(5056, dtype=torch.uint8)}},
            "draws must be the state of a generator",
        ),
        ({"tensors": {"optimiser.0.exp_avg": torch.zeros(1)}}, r"optimiser\.0\.exp_avg must be"),
    ],
)
def test_a_run_with_other_fields_or_tensors_is_refused_with_the_rule(changed, rule, unchecked):
    with pytest.raises(ValueError, match=rule):
        load_run(rewritten(save_run(started()), **changed))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("task", ["recall"]),
        ("task", "juggling"),
        ("d_model", 10**9),
        ("d_model", "8"),
        ("n_layers", 1e300),
        ("learning_rate", float("nan")),
        ("is_causal", 1),
        ("seed", None),
    ],
)
def test_a_recipe_that_somebody_made_up_is_refused(field, value, unchecked):
    run = started()
    recipe = {**{name: getattr(run.recipe, name) for name in run.recipe.__dataclass_fields__}, field: value}
    with pytest.raises(ValueError, match=field):
        load_run(rewritten(save_run(run), about={"recipe": recipe}))
