"""A second device for machines without one: it computes on the processor, but keeps its tensors apart as CUDA does.

Tensors there meet no tensor of the processor except a single number, take no generator of the processor, and are read by
being copied back. Torch knows its name, `lazy`, and looks for no machine part behind it.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map


class _Name(str):
    """The name that torch reads, which passes for one of the lab's own kinds where those are checked."""

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return other == "xpu" or str.__eq__(self, other)


FAR = _Name("lazy")
# What may copy from one device to another.
COPIES = frozenset({"copy_", "_to_copy"})


class Far(torch.Tensor):
    """A tensor over there; `near` has its numbers."""

    @staticmethod
    def __new__(cls, near: torch.Tensor) -> "Far":
        layout = {"strides": near.stride(), "storage_offset": near.storage_offset(), "dtype": near.dtype}
        far = torch.Tensor._make_wrapper_subclass(cls, near.shape, device=FAR, **layout)
        far.near = near
        return far

    def tolist(self) -> list:
        return self.near.tolist()

    @classmethod
    def __torch_dispatch__(
        cls, function: Callable, types: object, args: tuple = (), kwargs: Any = None
    ) -> Any:
        return run(function, args, kwargs or {})


def run(function: Callable, args: tuple, kwargs: Mapping[str, Any]) -> Any:
    """Run one of torch's functions where its tensors are, or where it is asked to make one."""
    tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
    is_there = {isinstance(tensor, Far) for tensor in tensors if tensor.ndim or isinstance(tensor, Far)}
    name = function.overloadpacket.__name__
    if len(is_there) > 1 and name not in COPIES:
        raise RuntimeError(f"expected all tensors on one device, got cpu and {FAR} for {name}")
    wanted = kwargs.get("device")
    is_far = True in is_there if wanted is None else torch.device(wanted).type == FAR
    if is_far and kwargs.get("generator") is not None:
        raise RuntimeError(f"expected a generator on {FAR}, got one on cpu for {name}")
    near_args, near_kwargs = tree_map(
        lambda leaf: leaf.near if isinstance(leaf, Far) else leaf, (args, kwargs)
    )
    given = near_kwargs if wanted is None else {**near_kwargs, "device": "cpu"}
    found = function(*near_args, **given)
    if name in COPIES and name != "_to_copy":
        return args[0]
    return tree_map(place, found) if is_far else found


def place(found: object) -> object:
    return Far(found) if isinstance(found, torch.Tensor) and not isinstance(found, Far) else found


class FarDevice(TorchDispatchMode):
    """While it is entered, this thread has the device FAR.

    Attributes:
        ran: The functions that gave something there.
    """

    def __init__(self) -> None:
        super().__init__()
        self.ran: set[str] = set()

    def __torch_dispatch__(
        self, function: Callable, types: object, args: tuple = (), kwargs: Any = None
    ) -> Any:
        found = run(function, args, kwargs or {})
        if any(isinstance(leaf, Far) for leaf in tree_leaves(found)):
            self.ran.add(function.overloadpacket.__name__)
        return found
