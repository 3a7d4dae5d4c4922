"""Linear attention: a feature map in the place of softmax, so that keys and values can be summed up beforehand."""

from dataclasses import dataclass
from typing import Literal, get_args

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

# elu: elu(x) + 1, above 0 everywhere. relu: 0 for half of all numbers; a query without positive features sees nothing.
Feature = Literal["elu", "relu"]
FEATURES: tuple[Feature, ...] = get_args(Feature)
CHUNK = 64


@dataclass(frozen=True, eq=False)
class LinearTrace:
    """What linear attention leaves behind: no weights of N × M, but a state.

    Attributes:
        phi_q: Features of the queries, 0 or more.
        state: Σ_m φ(k_m) v_mᵀ over all keys.
        key_sum: Σ_m φ(k_m) over all keys.
        normaliser: φ(q_n) · Σ_m φ(k_m) over the keys that query n sees.
    """

    phi_q: Float[Tensor, "*B N d_phi"]
    phi_k: Float[Tensor, "*B M d_phi"]
    state: Float[Tensor, "*B d_phi d_v"]
    key_sum: Float[Tensor, "*B d_phi"]
    normaliser: Float[Tensor, "*B N"]
    out: Float[Tensor, "*B N d_v"]


def map_features(x: Float[Tensor, "*B d_k"], feature: Feature = "elu") -> Float[Tensor, "*B d_phi"]:
    """Make numbers of which products are weights: 0 or more.

    Raises:
        ValueError: an unknown feature.

    Example:
        >>> [map_features(torch.tensor([[-100.0, 0.0, 2.0]]), feature).tolist() for feature in FEATURES]
        [[[0.0, 1.0, 3.0]], [[0.0, 0.0, 2.0]]]

    Source: Katharopoulos et al. 2020, section 3.4 (elu + 1).
    """
    if feature not in FEATURES:
        raise ValueError(f"features are {' or '.join(FEATURES)}, got {feature}")
    return F.elu(x) + 1 if feature == "elu" else F.relu(x)


def attend_linear(
    q: Float[Tensor, "*B N d_k"],
    k: Float[Tensor, "*B M d_k"],
    v: Float[Tensor, "*B M d_v"],
    *,
    feature: Feature = "elu",
    is_causal: bool = False,
) -> LinearTrace:
    """Weigh values by products of features, keys and values summed up first.

        out_n = φ(q_n) Σ_m φ(k_m) v_mᵀ / φ(q_n) · Σ_m φ(k_m),  m ≤ n where causal

    Args:
        is_causal: Query n sees keys 0 to n; in chunks of CHUNK positions.

    Returns:
        out of zeros where the normaliser is 0: that query sees nothing.

    Raises:
        ValueError: an unknown feature; causal with another number of keys than queries.

    Example:
        >>> one = torch.ones(3, 1)
        >>> attend_linear(one, one, torch.tensor([[2.0], [10.0], [51.0]]), is_causal=True).out.flatten().tolist()
        [2.0, 6.0, 21.0]

    Cost: 2 · B · H · M · d_phi · d_v FLOPs for the state and as many for the outputs, whatever N · M is.
    Source: Katharopoulos et al. 2020, equations 5 and 9.
    """
    phi_q, phi_k = map_features(q, feature), map_features(k, feature)
    state, key_sum = phi_k.transpose(-2, -1) @ v, phi_k.sum(dim=-2)
    if is_causal:
        weighted, normaliser = _scan(phi_q, phi_k, v)
    else:
        weighted = phi_q @ state
        normaliser = (phi_q @ key_sum[..., None])[..., 0]
    return LinearTrace(phi_q, phi_k, state, key_sum, normaliser, _divide(weighted, normaliser))


def step_linear(
    q: Float[Tensor, "*B d_k"],
    k: Float[Tensor, "*B d_k"],
    v: Float[Tensor, "*B d_v"],
    state: Float[Tensor, "*B d_phi d_v"],
    key_sum: Float[Tensor, "*B d_phi"],
    *,
    feature: Feature = "elu",
) -> tuple[Float[Tensor, "*B d_v"], Float[Tensor, "*B d_phi d_v"], Float[Tensor, "*B d_phi"]]:
    """Take in one more token: linear attention as a recurrent network.

        state += φ(k) vᵀ,  key_sum += φ(k),  out = φ(q) state / φ(q) · key_sum

    Returns:
        The output at this token, the new state and the new sum of keys; what was given is left as it is.

    Raises:
        ValueError: an unknown feature.

    Example:
        >>> out, state, key_sum = step_linear(*torch.ones(3, 1), torch.zeros(1, 1), torch.zeros(1))
        >>> out.tolist(), state.tolist(), key_sum.tolist()
        ([1.0], [[2.0]], [2.0])

    Source: Katharopoulos et al. 2020, equations 16 to 20.
    """
    phi_q, phi_k = map_features(q, feature), map_features(k, feature)
    state = state + phi_k[..., None] * v[..., None, :]
    key_sum = key_sum + phi_k
    weighted = (phi_q[..., None, :] @ state)[..., 0, :]
    return _divide(weighted, (phi_q * key_sum).sum(dim=-1)), state, key_sum


def count_flops(n: int, d_phi: int, d_v: int, *, is_causal: bool = False) -> int:
    """Count the FLOPs of one head's products over as many keys as queries.

        2 · N · d_phi · d_v for the state; then 2 · N · d_phi · (d_v + 1), or where causal, for chunks of c positions,
        2 · c · (c · d_phi + (c + 2 · d_phi) · (d_v + 1)) each

    Returns:
        A multiply-add as 2; feature maps are not counted.

    Example:
        >>> count_flops(3, 2, 5), count_flops(3, 2, 5, is_causal=True)
        (132, 348)
    """
    state = 2 * n * d_phi * d_v
    if not is_causal:
        return state + 2 * n * d_phi * (d_v + 1)
    whole, rest = divmod(n, CHUNK)
    lengths = [CHUNK] * whole + [rest] * bool(rest)
    return state + sum(2 * c * (c * d_phi + (c + 2 * d_phi) * (d_v + 1)) for c in lengths)


def _scan(
    phi_q: Float[Tensor, "*B N d_phi"], phi_k: Float[Tensor, "*B M d_phi"], v: Float[Tensor, "*B M d_v"]
) -> tuple[Float[Tensor, "*B N d_v"], Float[Tensor, "*B N"]]:
    """Sum up what stands before a chunk in the state; inside it, take the pairs one by one."""
    if phi_q.shape[-2] != phi_k.shape[-2]:
        raise ValueError(
            f"causal needs as many keys as queries, got {phi_q.shape[-2]} queries and {phi_k.shape[-2]} keys"
        )
    # The sum of keys is the state of a value that is always 1.
    valued = torch.cat([v, torch.ones_like(v[..., :1])], dim=-1)
    state = valued.new_zeros(*phi_k.shape[:-2], phi_k.shape[-1], valued.shape[-1])
    rows = []
    for start in range(0, phi_q.shape[-2], CHUNK):
        queries, keys, values = (x[..., start : start + CHUNK, :] for x in (phi_q, phi_k, valued))
        rows.append(queries @ state + (queries @ keys.transpose(-2, -1)).tril() @ values)
        state = state + keys.transpose(-2, -1) @ values
    summed = torch.cat(rows, dim=-2) if rows else valued
    return summed[..., :-1], summed[..., -1]


def _divide(weighted: Float[Tensor, "*B d_v"], normaliser: Float[Tensor, "*B"]) -> Float[Tensor, "*B d_v"]:
    """Divide by the normaliser; 0 where there is nothing to divide."""
    sees_nothing = (normaliser == 0)[..., None]
    return (weighted / normaliser[..., None].masked_fill(sees_nothing, 1.0)).masked_fill(sees_nothing, 0.0)
