"""A run as bytes, and a run out of bytes that anybody may have written: safetensors alone, nothing is executed."""

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

import torch
from jaxtyping import Shaped
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from attention_core.training.loop import Run
from attention_core.training.recipe import Recipe

FORMAT = "attention-lab-run-1"
# Of the largest run there is: weights, two moments of each, and some names.
MOST_BYTES = 48 * 2**20
MOST_HEADER_BYTES = 2**18
MOST_STEPS = 10**9

Tensors = dict[str, Shaped[Tensor, "..."]]


def save_run(run: Run, *, weights_only: bool = False) -> bytes:
    """Write a run down.

    Args:
        weights_only: Leaves out what only the next step needs: the optimiser's memory and the state of the draws.

    Returns:
        safetensors, with the recipe and the number of steps as JSON in its metadata.
    """
    tensors: Tensors = {f"model.{name}": p.detach() for name, p in run.model.named_parameters()}
    if not weights_only:
        tensors["draws"] = run.generator.get_state()
        for place, kept in run.optimiser.state_dict()["state"].items():
            tensors |= {f"optimiser.{place}.{name}": x for name, x in kept.items() if x is not None}
    about = json.dumps({"recipe": asdict(run.recipe), "step": run.step})
    return save({name: x.contiguous() for name, x in tensors.items()}, {"format": FORMAT, "run": about})


def load_run(written: bytes) -> Run:
    """Read a run, as it was to the last digit.

    Args:
        written: Whatever somebody sent.

    Returns:
        A run that goes on where it stood; from weights alone it starts with fresh memory and fresh draws.

    Raises:
        ValueError: what is no run of this lab, is too large, or has other tensors than its recipe asks for.

    Example:
        >>> load_run(b"hello")
        Traceback (most recent call last):
        ValueError: a run is a safetensors file with metadata, got 5 bytes that are none
    """
    if len(written) > MOST_BYTES:
        raise ValueError(f"a run has at most {MOST_BYTES} bytes, got {len(written)}")
    about = _read_about(written)
    try:
        tensors = load(written)
    except SafetensorError as error:
        raise ValueError(f"a run is a safetensors file, got one that cannot be read: {error}") from error
    run = Run(_read_recipe(about.get("recipe")))
    _put_weights(run, tensors)
    step = about.get("step")
    if type(step) is not int or not 0 <= step <= MOST_STEPS:
        raise ValueError(f"step must be a whole number from 0 to {MOST_STEPS}, got {step!r:.80}")
    run.step = step
    if "draws" in tensors:
        _put_memory(run, tensors)
    return run


def _read_about(written: bytes) -> dict[str, Any]:
    """Read the metadata, which stand as JSON behind their own length."""
    length = int.from_bytes(written[:8], "little")
    none = ValueError(f"a run is a safetensors file with metadata, got {len(written)} bytes that are none")
    if len(written) < 8 or not 2 <= length <= min(MOST_HEADER_BYTES, len(written) - 8):
        raise none
    try:
        header = json.loads(written[8 : 8 + length])
        metadata = header["__metadata__"]
        about = json.loads(metadata["run"]) if metadata["format"] == FORMAT else None
    except (ValueError, TypeError, KeyError, RecursionError):
        raise none from None
    if not isinstance(about, dict):
        raise none
    return about


def _read_recipe(given: object) -> Recipe:
    """Make a recipe of fields that may be anything."""
    names = {field.name for field in fields(Recipe)}
    if not isinstance(given, dict) or set(given) != names:
        raise ValueError(f"a recipe has the fields {', '.join(sorted(names))}")
    return Recipe(**given)


def _put_weights(run: Run, tensors: Mapping[str, Shaped[Tensor, "..."]]) -> None:
    """Take the weights over, once all are there and none has another shape or type."""
    with torch.no_grad():
        for name, p in run.model.named_parameters():
            p.copy_(_checked(tensors, f"model.{name}", p))


def _put_memory(run: Run, tensors: Mapping[str, Shaped[Tensor, "..."]]) -> None:
    """Take over the optimiser's memory and the state of the draws."""
    draws = _checked(tensors, "draws", run.generator.get_state())
    try:
        run.generator.set_state(draws)
    except RuntimeError as error:
        raise ValueError("draws must be the state of a generator, got other bytes") from error
    state: dict[int, Tensors] = {}
    for place, p in enumerate(run.model.parameters()):
        prefix = f"optimiser.{place}."
        kept = {name.removeprefix(prefix) for name in tensors if name.startswith(prefix)}
        for name in kept & {"exp_avg", "exp_avg_sq", "momentum_buffer"}:
            state.setdefault(place, {})[name] = _checked(tensors, prefix + name, p)
        if "step" in kept:
            state.setdefault(place, {})["step"] = _checked(tensors, prefix + "step", torch.tensor(0.0))
    groups = run.optimiser.state_dict()["param_groups"]
    run.optimiser.load_state_dict({"state": state, "param_groups": groups})


def _checked(
    tensors: Mapping[str, Shaped[Tensor, "..."]], name: str, like: Shaped[Tensor, "..."]
) -> Shaped[Tensor, "..."]:
    """Give a tensor that has the shape and the type it must have."""
    found = tensors.get(name)
    if found is None:
        raise ValueError(f"{name} is missing")
    if found.shape != like.shape or found.dtype != like.dtype:
        raise ValueError(
            f"{name} must be {like.dtype} of shape {tuple(like.shape)}, got {found.dtype} of {tuple(found.shape)}"
        )
    return found
