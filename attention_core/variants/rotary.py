"""Rotary positions: queries and keys are turned by their positions, so that scores hang on the distance."""

from dataclasses import dataclass
from typing import Literal, get_args

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attention_core.steps import check_tensors, scaled_dot_product_attention
from attention_core.trace import AttentionTrace

# half: number i turns with number i + d_k/2. interleaved: number 2i with number 2i + 1. A model is trained with one.
Pairing = Literal["half", "interleaved"]
PAIRINGS: tuple[Pairing, ...] = get_args(Pairing)
BASE = 10_000.0


@dataclass(frozen=True, eq=False)
class RotaryTrace:
    """What attention with rotary positions leaves behind: queries and keys as they are compared."""

    turned_q: Float[Tensor, "*B_q N d_k"]
    turned_k: Float[Tensor, "*B_k M d_k"]
    attention: AttentionTrace

    @property
    def out(self) -> Float[Tensor, "*B_q N d_v"]:
        """Give what each query gathered."""
        return self.attention.out


def attend_rotary(
    q: Float[Tensor, "*B_q N d_k"],
    k: Float[Tensor, "*B_k M d_k"],
    v: Float[Tensor, "*B_k M d_v"],
    *,
    pairing: Pairing = "half",
    base: float | int = BASE,
    offset: int | None = None,
    allowed: Bool[Tensor, "*#B_q #N #M"] | None = None,
) -> RotaryTrace:
    """Turn queries and keys by their positions, then attend as ever; values stay as they are.

        scores[n, m] = rotate(q_n, n + offset) · rotate(k_m, m)

    Args:
        offset: Position of the first query among the keys. None means M − N, as in `masks.causal`.
        allowed: True where query n may see key m. None allows every pair.

    Returns:
        The same when all positions are moved by the same number.

    Raises:
        ValueError: an odd width, an unknown pairing, a base that is not above 0, shapes that do not fit.

    Example:
        >>> one = torch.ones(2, 2)
        >>> [round(score, 4) for score in attend_rotary(one, one, one).attention.scores[0].tolist()]
        [2.0, 1.0806]

    Cost: 2·N·M·(d_k + d_v) FLOPs for each head; turning takes 3·d_k a position, which is not counted.
    Source: Su et al. 2021 (RoFormer), equations 15 and 34 (interleaved); half: Black et al. 2022 (GPT-NeoX).
    """
    check_tensors(q, k, v)
    offset = k.shape[-2] - q.shape[-2] if offset is None else offset
    n_queries, n_keys = q.shape[-2], k.shape[-2]
    turned_q = rotate(q, torch.arange(n_queries, device=q.device) + offset, pairing=pairing, base=base)
    turned_k = rotate(k, torch.arange(n_keys, device=k.device), pairing=pairing, base=base)
    return RotaryTrace(
        turned_q, turned_k, scaled_dot_product_attention(turned_q, turned_k, v, allowed=allowed)
    )


def rotate(
    x: Float[Tensor, "*B N d_k"],
    positions: Int[Tensor, " N"],
    *,
    pairing: Pairing = "half",
    base: float | int = BASE,
) -> Float[Tensor, "*B N d_k"]:
    """Turn each pair of numbers by the position times an angle of its own.

        angle of pair i = position / base^(2i / d_k)

    Returns:
        Vectors as long as they were.

    Raises:
        ValueError: an odd width, an unknown pairing, a base that is not above 0, other positions than vectors.

    Example:
        >>> x = torch.tensor([[1.0, 2.0]])
        >>> rotate(x, torch.tensor([0])).tolist()
        [[1.0, 2.0]]
        >>> [round(number, 4) for number in rotate(x, torch.tensor([1]))[0].tolist()]
        [-1.1426, 1.9221]

    Names: half is `rotate_half` in transformers; torchtune and ONNX's `interleaved` name both.
    Source: Su et al. 2021, equation 34; base 10 000 as in its section 3.3.
    """
    d_k = x.shape[-1]
    if pairing not in PAIRINGS:
        raise ValueError(f"pairings are {' or '.join(PAIRINGS)}, got {pairing}")
    if d_k % 2:
        raise ValueError(f"numbers turn in pairs: the width must be even, got {d_k}")
    if not base > 0:
        raise ValueError(f"base must be above 0, got {base}")
    if positions.shape != x.shape[-2:-1]:
        raise ValueError(
            f"each vector needs one position, got {x.shape[-2]} and positions {tuple(positions.shape)}"
        )
    pair = torch.arange(d_k // 2, dtype=torch.float64)
    angle = positions.cpu()[:, None].double() / base ** (2 * pair / max(d_k, 1))
    # Angles are exact to the last far position only in float64, which some devices lack.
    cos, sin = (wave.to(x.dtype).to(x.device) for wave in (angle.cos(), angle.sin()))
    if pairing == "half":
        first, second = x.chunk(2, dim=-1)
        return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)
    first, second = x[..., 0::2], x[..., 1::2]
    return torch.stack([first * cos - second * sin, first * sin + second * cos], dim=-1).flatten(-2)
