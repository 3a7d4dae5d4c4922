"""Positions cut into equal pieces, and each piece put beside its neighbours: scores of near pairs without the others."""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core.patterns import Pattern
from attention_core.steps import check_tensors, mix, score, widen

# Of the pieces that are weighed together. What is larger than some megabytes the C library asks of the system anew at
# every step and gives back; touching fresh memory then takes longer than the products (measured; see benchmarks.variants).
SCORES_AT_ONCE = 2**22


def cut(x: Float[Tensor, "*B N d_v"], size: int) -> Float[Tensor, "*B chunks width d_v"]:
    """Cut positions into pieces; the last is filled with zeros.

    Example:
        >>> cut(torch.tensor([[1.0], [2.0], [3.0]]), 2).squeeze(-1).tolist()
        [[1.0, 2.0], [3.0, 0.0]]
    """
    filled = F.pad(x, (0, 0, 0, -x.shape[-2] % size))
    return filled.unflatten(-2, (filled.shape[-2] // size, size))


def join(pieces: Float[Tensor, "*B chunks width d_v"], n: int) -> Float[Tensor, "*B N d_v"]:
    """Put pieces behind each other again, without what the last was filled with.

    Example:
        >>> join(cut(torch.tensor([[1.0], [2.0], [3.0]]), 2), 3).flatten().tolist()
        [1.0, 2.0, 3.0]
    """
    return pieces.flatten(-3, -2)[..., :n, :]


@dataclass(frozen=True)
class Pieces:
    """A text cut into equal pieces, each of which stands between its neighbours: no other pair gets a score.

    Attributes:
        n: Positions in the text.
        size: Positions in a piece; the last one is filled.
        after: Pieces behind each that it sees; one in front it always does.
    """

    n: int
    size: int
    after: int

    @property
    def n_pairs(self) -> int:
        """Count the scores that are computed in one head, filling among them.

            ⌈n / size⌉ · size · (2 + after) · size

        Example:
            >>> cut_near(12, 3, is_causal=True).n_pairs
            72
        """
        return self.n_pieces * self.size**2 * (2 + self.after)

    @property
    def n_pieces(self) -> int:
        """Count the pieces."""
        return -(-self.n // self.size)

    def beside(self, x: Float[Tensor, "*B N d_v"]) -> Float[Tensor, "*B chunks span d_v"]:
        """Put each piece between its neighbours; where there is none stand zeros.

        Example:
            >>> cut_near(2, 1, is_causal=True).beside(torch.tensor([[1.0], [2.0]])).squeeze(-1).tolist()
            [[0.0, 1.0], [1.0, 2.0]]
        """
        return self._put_beside(self._fill(x), range(self.n_pieces))

    def _fill(self, x: Float[Tensor, "*B N d_v"]) -> Float[Tensor, "*B chunks width d_v"]:
        """Cut, with pieces of zeros where the first and the last have no neighbour."""
        return F.pad(cut(x, self.size), (0, 0, 0, 0, 1, self.after))

    def _put_beside(
        self, filled: Float[Tensor, "*B chunks width d_v"], batch: range
    ) -> Float[Tensor, "*B _ span d_v"]:
        """Put some of the pieces between their neighbours."""
        starts = range(2 + self.after)
        return torch.cat([filled[..., batch.start + i : batch.stop + i, :, :] for i in starts], dim=-2)

    def positions(self, device: torch.device | None = None) -> Int[Tensor, "chunks width"]:
        """Say which position stands where once they are cut; those from n on are filling.

        Example:
            >>> cut_near(3, 2, is_causal=True).positions().tolist()
            [[0, 1], [2, 3]]
        """
        return torch.arange(self.n_pieces * self.size, device=device).view(self.n_pieces, self.size)

    def beside_positions(self, device: torch.device | None = None) -> Int[Tensor, "chunks span"]:
        """Say the same of pieces between their neighbours; those below 0 and from n on are filling.

        Example:
            >>> cut_near(3, 2, is_causal=True).beside_positions().tolist()
            [[-2, -1, 0, 1], [0, 1, 2, 3]]
        """
        start = torch.arange(self.n_pieces, device=device)[:, None] * self.size
        return start + torch.arange(-self.size, self.size * (1 + self.after), device=device)

    def attend(
        self,
        q: Float[Tensor, "*B N d_k"],
        k: Float[Tensor, "*B N d_k"],
        v: Float[Tensor, "*B N d_v"],
        allowed: Bool[Tensor, "..."],
    ) -> tuple[Float[Tensor, "*B chunks width span"], Float[Tensor, "*B N d_v"]]:
        """Weigh the keys beside each piece and mix their values, so many pieces at once as SCORES_AT_ONCE.

        Args:
            allowed: Of the pairs that stand together, broadcast to the weights but for the pieces: one for each.

        Returns:
            Weights and outputs.
        """
        queries, keys, values = cut(q, self.size), self._fill(k), self._fill(v)
        weights, out = [], []
        for batch in self._batches(q.shape[:-2].numel()):
            near = self._put_beside(keys, batch), self._put_beside(values, batch)
            some = (..., slice(batch.start, batch.stop), slice(None), slice(None))
            weights.append(weigh_pieces(queries[some], near[0], allowed[some]))
            out.append(mix(weights[-1], near[1]))
        return _behind(weights), join(_behind(out), self.n)

    def _batches(self, n_heads: int) -> list[range]:
        """Part the pieces, first ones first; at least one batch, which may be empty."""
        at_once = max(1, SCORES_AT_ONCE // max(1, n_heads * self.size**2 * (2 + self.after)))
        starts = range(0, max(1, self.n_pieces), at_once)
        return [range(start, min(start + at_once, self.n_pieces)) for start in starts]


def cut_near(n: int, width: int, *, is_causal: bool) -> Pieces:
    """Cut a text so that all keys nearer than width stand beside a query: pieces as wide as that, or as the text.

    Example:
        >>> cut_near(5, 9, is_causal=False)
        Pieces(n=5, size=5, after=1)
    """
    return Pieces(n, max(1, min(width, n)), 0 if is_causal else 1)


def _behind(batches: list[Float[Tensor, "*B _ width d_v"]]) -> Float[Tensor, "*B chunks width d_v"]:
    """Put batches of pieces behind each other again."""
    return batches[0] if len(batches) == 1 else torch.cat(batches, dim=-3)


def allow_pairs(
    rule: Pattern, query: Int[Tensor, "*B width"], key: Int[Tensor, "*B span"], n: int
) -> Bool[Tensor, "*B width span"]:
    """Ask a rule for the pairs that stand together; filling sees nothing and is not seen.

    Args:
        n: Positions; 0 to n − 1 are real.

    Example:
        >>> from attention_core.patterns import causal
        >>> pieces = cut_near(3, 2, is_causal=True)
        >>> allow_pairs(causal(), pieces.positions(), pieces.beside_positions(), 3).int().tolist()
        [[[0, 0, 1, 0], [0, 0, 1, 1]], [[1, 1, 1, 0], [0, 0, 0, 0]]]
    """
    query, key = query[..., :, None], key[..., None, :]
    return rule(query, key) & (key >= 0) & (key < n) & (query < n)


def weigh_pieces(
    q: Float[Tensor, "*B width d_k"], k: Float[Tensor, "*B span d_k"], allowed: Bool[Tensor, "*#B width span"]
) -> Float[Tensor, "*B width span"]:
    """Weigh the keys beside each piece, and keep no step before the weights: long sequences are what pieces are for.

        weights[n, m] = softmax over the allowed pairs of q_n · k_m / √d_k

    Returns:
        Weights in the queries' type, computed in float32 where that is half precision; a row sums to 1, or to
            exactly 0 where it may see no key.

    Raises:
        ValueError: a width of 0, by which 1/√d_k is not defined.

    Example:
        >>> weigh_pieces(torch.zeros(1, 1), torch.zeros(3, 1), torch.tensor([[True, True, False]])).tolist()
        [[0.5, 0.5, 0.0]]

    Cost: 2 · pieces · width · span · d_k FLOPs.
    """
    wide_q, wide_k = widen(q, k)
    # Queries are scaled, not the many more scores, and these are masked in place: memory is what long texts wait for.
    masked = score(wide_q * q.shape[-1] ** -0.5, wide_k).masked_fill_(~allowed, -math.inf)
    sees_nothing = ~allowed.any(dim=-1, keepdim=True)
    if not sees_nothing.any():
        return masked.softmax(dim=-1).to(q.dtype)
    return masked.masked_fill_(sees_nothing, 0.0).softmax(dim=-1).masked_fill(sees_nothing, 0.0).to(q.dtype)


def check_self_attention(
    q: Float[Tensor, "..."], k: Float[Tensor, "..."], v: Float[Tensor, "..."]
) -> tuple[int, torch.device]:
    """Refuse q, k and v that are not of the same positions and heads; give how many positions there are, and where.

    Raises:
        ValueError: shapes that do not fit, types that differ, other numbers of heads or of positions.

    Example:
        >>> check_self_attention(torch.zeros(5, 3), torch.zeros(5, 3), torch.zeros(5, 1))
        (5, device(type='cpu'))
    """
    check_tensors(q, k, v)
    if q.shape[:-2] != k.shape[:-2]:
        raise ValueError(
            f"q, k and v must have the same leading axes, got {tuple(q.shape[:-2])} and {tuple(k.shape[:-2])}"
        )
    if q.shape[-2] != k.shape[-2]:
        raise ValueError(
            f"there must be as many keys and values as queries, "
            f"got {q.shape[-2]}, {k.shape[-2]} and {v.shape[-2]}"
        )
    return q.shape[-2], q.device
