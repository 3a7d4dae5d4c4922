"""Claim M8: a mask is a buffer: it moves and is saved with its module, but no optimiser changes it."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from jaxtyping import Bool, Float, Shaped
from torch import Tensor, nn

from attention_core.components import DTYPES, DTypeName
from attention_core.masks import causal
from attention_core.steps import scaled_dot_product_attention

Keeping = Literal["buffer", "unsaved_buffer", "float_buffer", "attribute", "parameter"]
KEEPINGS: tuple[Keeping, ...] = get_args(Keeping)
Kept = Literal["parameter", "buffer", "attribute"]
# A place other than the CPU that every machine has: it holds shapes and types, no numbers.
OTHER_DEVICE = "meta"
MASK = "mask"


@dataclass(frozen=True)
class Watched:
    """One tensor of a module, before and after one step of the optimiser and two moves.

    Attributes:
        kind: How the module keeps it; an attribute is known to Python alone.
        has_gradient: The loss's gradient has reached it; largest_gradient is its largest entry in size, else 0.
        is_changed: The step gave it other numbers; largest_change says by how much.
        is_saved: It stands in state_dict().
        dtype_after: Its type once the module has gone through .to(dtype).
        device_after: Its place once the module has gone through .to(OTHER_DEVICE).
    """

    name: str
    kind: Kept
    shape: tuple[int, ...]
    dtype: str
    requires_grad: bool
    has_gradient: bool
    largest_gradient: float
    is_changed: bool
    largest_change: float
    is_saved: bool
    dtype_after: str
    device_after: str


@dataclass(frozen=True)
class StepRecord:
    """What a module's tensors went through.

    Attributes:
        tensors: Parameters, then buffers, then the mask where it is an attribute.
        loss: Before the step and after it.
        mask_before: As the module keeps it, −∞ where a float hides a pair; mask_after is that after the step.
        state_dict: The names that are saved.
        fails_on_device: What torch says when the module runs on OTHER_DEVICE; None where it runs.
        fails_on_load: What torch says when its state_dict is loaded into a module for one token more, whose mask
            has another size; None where that works.
    """

    keeping: Keeping
    tensors: tuple[Watched, ...]
    loss: tuple[float, float]
    mask_before: tuple[tuple[float, ...], ...]
    mask_after: tuple[tuple[float, ...], ...]
    state_dict: tuple[str, ...]
    fails_on_device: str | None
    fails_on_load: str | None

    @property
    def mask(self) -> Watched:
        """Pick the mask out of the tensors."""
        return next(watched for watched in self.tensors if watched.name == MASK)

    @property
    def hidden_before(self) -> tuple[tuple[bool, ...], ...]:
        """Say which pairs the mask hid before the step."""
        return _hidden(self.mask_before, is_bool=self.mask.dtype == "bool")

    @property
    def hidden_after(self) -> tuple[tuple[bool, ...], ...]:
        """Say which pairs the mask hides after the step."""
        return _hidden(self.mask_after, is_bool=self.mask.dtype == "bool")


class CausalSelfAttention(nn.Module):
    """One causal head that keeps its mask in one of several ways.

    out = softmax(x w_q (x w_k)ᵀ / √d_model, over the allowed keys) x w_v w_o
    """

    def __init__(
        self, n: int, d_model: int, generator: torch.Generator, keep: Callable[[nn.Module, int], None]
    ) -> None:
        super().__init__()
        for name in ("w_q", "w_k", "w_v", "w_o"):
            w = torch.randn(d_model, d_model, generator=generator) * d_model**-0.5
            setattr(self, name, nn.Parameter(w))
        keep(self, n)

    def forward(self, x: Float[Tensor, "N d_model"]) -> Float[Tensor, "N d_model"]:
        """Attend; a mask that is a float is added."""
        q, k, v = x @ self.w_q, x @ self.w_k, x @ self.w_v
        if self.mask.dtype == torch.bool:
            trace = scaled_dot_product_attention(q, k, v, allowed=self.mask)
        else:
            trace = scaled_dot_product_attention(q, k, v, bias=self.mask)
        return trace.out @ self.w_o


def keep_as_buffer(module: nn.Module, n: int) -> None:
    """Keep the mask as it should be: it moves with the module and is saved."""
    module.register_buffer(MASK, causal(n))


def keep_as_unsaved_buffer(module: nn.Module, n: int) -> None:
    """Keep the mask out of the state_dict too: it can be built again for any length."""
    module.register_buffer(MASK, causal(n), persistent=False)


def keep_as_float_buffer(module: nn.Module, n: int) -> None:
    """Keep what is added to the scores; being a float, it changes its type with the module."""
    module.register_buffer(MASK, _as_bias(causal(n)))


def keep_as_attribute(module: nn.Module, n: int) -> None:
    """Keep the mask where the module does not look: it stays behind when the module moves."""
    module.mask = causal(n)


def keep_as_parameter(module: nn.Module, n: int) -> None:
    """Keep the mask as something to be learnt. Wrong: the optimiser changes it."""
    module.mask = nn.Parameter(_as_bias(causal(n)))


KEEPS: dict[Keeping, Callable[[nn.Module, int], None]] = {
    "buffer": keep_as_buffer,
    "unsaved_buffer": keep_as_unsaved_buffer,
    "float_buffer": keep_as_float_buffer,
    "attribute": keep_as_attribute,
    "parameter": keep_as_parameter,
}


def watch_step(
    seed: int = 0,
    dtype_after: DTypeName = "float16",
    keeping: Keeping = "buffer",
    *,
    n: int = 4,
    d_model: int = 8,
    learning_rate: float = 0.5,
) -> StepRecord:
    """Train a causal head for one step, move it, and list what happened to each of its tensors.

        L = mean (out − target)²,  w ← w − learning_rate · ∂L/∂w

    Args:
        seed: For matrices, x and target.
        dtype_after: What .to(dtype) is called with, on a copy.

    Returns:
        Theory: the optimiser changes parameters alone; .to(device) moves parameters and buffers; .to(dtype)
        changes those that are floats, so a bool mask stays bool; state_dict holds parameters and the buffers
        that are to be saved.

    Raises:
        ValueError: a keeping that is none, or sizes below 1.

    Example:
        >>> [watch_step(keeping=keeping).mask.is_changed for keeping in ("buffer", "parameter")]
        [False, True]
        >>> watch_step(dtype_after="float16").mask.dtype_after
        'bool'

    Source: the reference of torch.nn.Module.register_buffer; moving to the meta device, which needs no second
        device, is our choice.
    """
    if keeping not in KEEPS:
        raise ValueError(f"keeping must be one of {', '.join(KEEPS)}, got {keeping}")
    if n < 1 or d_model < 1:
        raise ValueError(f"n and d_model must be at least 1, got {n} and {d_model}")
    generator = torch.Generator().manual_seed(seed)
    module = CausalSelfAttention(n, d_model, generator, KEEPS[keeping])
    x, target = (torch.randn(n, d_model, generator=generator) for _ in range(2))
    before = {name: tensor.detach().clone() for name, (_, tensor) in _tensors(module).items()}
    losses = _step(module, x, target, learning_rate)
    cast = copy.deepcopy(module).to(DTYPES[dtype_after])
    moved = copy.deepcopy(module).to(OTHER_DEVICE)
    longer = CausalSelfAttention(n + 1, d_model, generator, KEEPS[keeping])
    return StepRecord(
        keeping=keeping,
        tensors=tuple(_watch(name, module, before[name], cast, moved) for name in before),
        loss=losses,
        mask_before=_as_rows(before[MASK]),
        mask_after=_as_rows(module.mask.detach()),
        state_dict=tuple(module.state_dict()),
        fails_on_device=_failure(lambda: moved(x.to(OTHER_DEVICE))),
        fails_on_load=_failure(lambda: longer.load_state_dict(module.state_dict())),
    )


def _step(
    module: nn.Module, x: Float[Tensor, "N d_model"], target: Float[Tensor, "N d_model"], learning_rate: float
) -> tuple[float, float]:
    """Take one step; give the loss before and after it."""

    def measure() -> Float[Tensor, ""]:
        return (module(x) - target).square().mean()

    loss = measure()
    loss.backward()
    torch.optim.SGD(module.parameters(), lr=learning_rate).step()
    with torch.no_grad():
        return float(loss), float(measure())


def _tensors(module: nn.Module) -> dict[str, tuple[Kept, Shaped[Tensor, "..."]]]:
    """Name every tensor of a module and how it keeps it."""
    groups = (
        ("parameter", module.named_parameters()),
        ("buffer", module.named_buffers()),
        ("attribute", vars(module).items()),
    )
    return {
        name: (kind, value) for kind, group in groups for name, value in group if isinstance(value, Tensor)
    }


def _watch(
    name: str, module: nn.Module, before: Shaped[Tensor, "..."], cast: nn.Module, moved: nn.Module
) -> Watched:
    kind, after = _tensors(module)[name]
    # −∞ stays −∞, which is no change; subtracting would say NaN.
    is_other = after.detach() != before
    change = (after.detach().double() - before.double())[is_other].abs()
    return Watched(
        name=name,
        kind=kind,
        shape=tuple(after.shape),
        dtype=_name(after),
        requires_grad=after.requires_grad,
        has_gradient=after.grad is not None,
        largest_gradient=0.0 if after.grad is None else float(after.grad.abs().max()),
        is_changed=bool(is_other.any()),
        largest_change=float(change.max()) if change.numel() else 0.0,
        is_saved=name in module.state_dict(),
        dtype_after=_name(_tensors(cast)[name][1]),
        device_after=_tensors(moved)[name][1].device.type,
    )


def _as_bias(allowed: Bool[Tensor, "N M"]) -> Float[Tensor, "N M"]:
    return torch.where(allowed, 0.0, -torch.inf)


def _hidden(rows: tuple[tuple[float, ...], ...], *, is_bool: bool) -> tuple[tuple[bool, ...], ...]:
    shut = 0.0 if is_bool else -torch.inf
    return tuple(tuple(number == shut for number in row) for row in rows)


def _as_rows(mask: Shaped[Tensor, "N M"]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(number) for number in row) for row in mask.tolist())


def _name(x: Shaped[Tensor, "..."]) -> str:
    return str(x.dtype).removeprefix("torch.")


def _failure(run: Callable[[], object]) -> str | None:
    """Run, and give what torch says where it refuses."""
    try:
        run()
    except (RuntimeError, ValueError) as error:
        return str(error)
    return None
