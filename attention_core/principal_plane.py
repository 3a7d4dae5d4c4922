"""The plane in which vectors differ most, fitted once for all of them, and how much of their differences it shows."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

SIDES = 2
TIE = 1e-6  # components this near to the largest count as equally large, so that rounding never turns a picture round


@dataclass(frozen=True, eq=False)
class PrincipalPlane:
    """A plane through the mean of vectors.

    Attributes:
        centre: The mean; it is drawn at 0, 0.
        axes: Columns, each of length 1, or zeros where the vectors do not differ along a further direction.
        shares: What each axis shows of the whole variance; 0 where the axis is zeros.
        kept: What both show: 1 where nothing is lost, also where all vectors are equal.
    """

    centre: Float[Tensor, " d_model"]
    axes: Float[Tensor, "d_model 2"]
    shares: tuple[float, float]
    kept: float

    def place(self, vectors: Float[Tensor, "*B d_model"]) -> Float[Tensor, "*B 2"]:
        """Give vectors, whether the plane was fitted to them or not, their places in it.

            placed = (vectors − centre) axes

        Example:
            >>> fit_plane(torch.tensor([[1.0, 0.0, 0.0], [3.0, 0.0, 0.0]])).place(torch.tensor([5.0, 7.0, 7.0])).tolist()
            [3.0, 0.0]
        """
        return (vectors - self.centre) @ self.axes

    def share_of(self, vectors: Float[Tensor, "*B d_model"]) -> float:
        """Say how much the plane shows of how far these vectors lie from its centre.

            Σ |placed|² / Σ |vectors − centre|²,  1 where all lie at the centre

        Example:
            >>> plane = fit_plane(torch.tensor([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]))
            >>> plane.share_of(torch.tensor([[3.0, 4.0, 0.0]])), plane.share_of(torch.zeros(1, 3))
            (0.36, 1.0)
        """
        whole = float((vectors - self.centre).double().square().sum())
        return float(self.place(vectors).double().square().sum()) / whole if whole else 1.0


def fit_plane(vectors: Float[Tensor, "*B d_model"]) -> PrincipalPlane:
    """Choose the plane along which vectors lie furthest apart.

        axes = the two right singular vectors of vectors − mean with the largest singular values σ
        shares = σ² / Σ σ²

    Args:
        vectors: All that the picture will show, in any leading axes, bare and dressed ones together: fitted once,
            the plane stays where it is while a reader goes from layer to layer.

    Returns:
        A plane whose picture does not turn round: of each axis the largest component is positive, the first of them
        where several are as large. What differs by no more than rounding counts as equal.

    Raises:
        ValueError: no vector, no width, or a number that is not finite.

    Example:
        >>> plane = fit_plane(torch.tensor([[0.0, 0.0], [0.0, 2.0], [0.0, 4.0]]))
        >>> plane.axes.tolist(), plane.shares, plane.kept
        ([[0.0, 0.0], [1.0, 0.0]], (1.0, 0.0), 1.0)

    Source: Pearson 1901 (principal components). The signs are our choice.
    """
    rows = vectors.reshape(-1, vectors.shape[-1]) if vectors.numel() else vectors.new_empty(0, 1)
    if not rows.numel():
        raise ValueError(f"there must be at least 1 vector of width 1, got shape {tuple(vectors.shape)}")
    if not bool(rows.isfinite().all()):
        raise ValueError(f"all numbers must be finite, got {int((~rows.isfinite()).sum())} that are not")
    centre = rows.mean(dim=0)
    _, lengths, directions = torch.linalg.svd(rows - centre, full_matrices=False)
    noise = max(rows.shape) * torch.finfo(rows.dtype).eps * float(rows.norm())
    variances = torch.where(lengths > noise, lengths, 0.0).square()
    whole = float(variances.sum())
    axes, shares = torch.zeros(rows.shape[-1], SIDES, dtype=rows.dtype, device=rows.device), [0.0, 0.0]
    for side in range(min(SIDES, len(variances))):
        if variances[side] > 0:
            axes[:, side] = _turned(directions[side])
            shares[side] = float(variances[side]) / whole
    return PrincipalPlane(centre, axes, (shares[0], shares[1]), sum(shares) if whole else 1.0)


def _turned(direction: Float[Tensor, " d_model"]) -> Float[Tensor, " d_model"]:
    """Choose of a direction and its opposite the one whose first largest component is positive."""
    size = direction.abs()
    leading = int((size >= size.max() * (1 - TIE)).nonzero()[0])
    return direction * direction[leading].sign()
