"""Lay one query and the keys into a plane in which their dot products can be read off."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Plane:
    """Hold the arrows of one query and all keys in two dimensions.

    Attributes:
        is_exact: The plane is the space of the vectors itself; else it is a projection along the query.
        kept: Share of the keys' squared length that the plane shows, from 0 to 1.
    """

    query: Float[Tensor, " _"]
    keys: Float[Tensor, "M _"]
    is_exact: bool
    kept: float


def query_plane(q: Float[Tensor, " d_k"], k: Float[Tensor, "M d_k"]) -> Plane:
    """Choose the plane that shows how a query meets the keys.

        d_k ≤ 2: the coordinates themselves
        d_k > 2: first axis along q, second along what is longest of the keys beside it

    Returns:
        In a projection a key's first coordinate times |q| is still exactly q·k; only what stands at right angles to
        the plane is lost. A zero query leaves both axes to the keys.

    Example:
        >>> plane = query_plane(torch.tensor([2.0, 0.0, 0.0]), torch.tensor([[3.0, 0.0, 4.0]]))
        >>> plane.query.tolist(), plane.keys.abs().tolist(), plane.is_exact
        ([2.0, 0.0], [[3.0, 4.0]], False)

    Source: our own choice; the second axis is the first principal direction of the keys' rest, without centring.
    """
    d_k = q.shape[-1]
    if d_k <= 2:
        pad = (0, 2 - d_k)
        return Plane(torch.nn.functional.pad(q, pad), torch.nn.functional.pad(k, pad), True, 1.0)
    length = q.norm()
    first = q / length if length > 0 else _longest_direction(k)
    rest = k - (k @ first)[:, None] * first
    second = _longest_direction(rest)
    axes = torch.stack([first, second], dim=-1)
    keys, whole = k @ axes, k.square().sum()
    kept = float(keys.square().sum() / whole) if whole > 0 else 1.0
    return Plane(q @ axes, keys, False, kept)


def _longest_direction(rows: Float[Tensor, "M d_k"]) -> Float[Tensor, " d_k"]:
    """Find the unit vector along which rows are longest; its largest component is positive, so that it stays put."""
    if rows.numel() == 0 or not rows.any():
        return torch.zeros(rows.shape[-1], dtype=rows.dtype)
    direction = torch.linalg.svd(rows, full_matrices=False).Vh[0]
    return direction * direction[direction.abs().argmax()].sign()
