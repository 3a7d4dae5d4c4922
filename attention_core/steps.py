"""Attention step by step: score, scale, cap, mask, weigh, mix; and all of them in one call."""

import math
from typing import NoReturn

import torch
from jaxtyping import Bool, Float, Shaped
from torch import Tensor

from attention_core.trace import AttentionTrace

WIDE = frozenset({torch.float64, torch.float32})
HALF = frozenset({torch.bfloat16, torch.float16})


def score(q: Float[Tensor, "*B N d_k"], k: Float[Tensor, "*B M d_k"]) -> Float[Tensor, "*B N M"]:
    """Compare each query with each key.

        scores[n, m] = Σ q[n, i] · k[m, i]

    Returns:
        Scores that grow with alignment and with length; as many columns as keys.

    Example:
        >>> score(torch.tensor([[1.0, 2.0]]), torch.tensor([[1.0, 0.0], [3.0, 1.0]])).tolist()
        [[1.0, 5.0]]

    Cost: 2·N·M·d_k FLOPs.
    Source: Vaswani et al. 2017, eq. (1).
    """
    return q @ k.transpose(-2, -1)


def scale_scores(scores: Float[Tensor, "*B N M"], scale: float | int) -> Float[Tensor, "*B N M"]:
    """Multiply every score by one factor.

        scaled = scores · scale

    Args:
        scale: 1/√d_k undoes the growth of the scores' spread with the width of the keys.

    Example:
        >>> scale_scores(torch.tensor([[4.0, -2.0]]), 0.5).tolist()
        [[2.0, -1.0]]

    Source: Vaswani et al. 2017, section 3.2.1.
    """
    return scores * scale


def cap_scores(scaled: Float[Tensor, "*B N M"], softcap: float | int | None) -> Float[Tensor, "*B N M"]:
    """Bend large scores so that none passes a bound.

        capped = softcap · tanh(scaled / softcap)

    Args:
        softcap: The bound, above 0. None leaves the scores as they are.

    Returns:
        Scores within ±softcap, nearly unchanged where they are small beside it.

    Example:
        >>> cap_scores(torch.tensor([[0.0, 1000.0, -1000.0]]), 5.0).tolist()
        [[0.0, 5.0, -5.0]]

    Source: Gemma Team 2024 (Gemma 2), section 2.
    """
    if softcap is None:
        return scaled
    return (scaled / softcap).tanh() * softcap


def visible_pairs(
    allowed: Bool[Tensor, "*#B #N #M"] | None, bias: Float[Tensor, "*#B #N #M"] | None
) -> Bool[Tensor, "*#B #N #M"] | None:
    """Say which query sees which key, once the mask and the −∞ of the bias are both counted.

    Returns:
        True where neither hides the key. None where there is no mask and no bias.

    Example:
        >>> bias = torch.tensor([[0.0, -math.inf, 3.0]])
        >>> visible_pairs(torch.tensor([[True, True, False]]), bias).tolist()
        [[True, False, False]]
    """
    if bias is None:
        return allowed
    unhidden = bias != -math.inf
    return unhidden if allowed is None else allowed & unhidden


def mask_scores(
    scaled: Float[Tensor, "*B N M"],
    allowed: Bool[Tensor, "*#B #N #M"] | None = None,
    bias: Float[Tensor, "*#B #N #M"] | None = None,
) -> Float[Tensor, "*B N M"]:
    """Add the bias, then hide what a query may not see.

        masked[n, m] = scaled[n, m] + bias[n, m]  where allowed[n, m],  else −∞

    Args:
        allowed: True where query n may see key m. None allows every pair.
        bias: Added to the scores; −∞ hides a pair as the mask does.

    Returns:
        Scores with −∞ wherever a pair is hidden, whatever the score was. No gradient passes a hidden pair.

    Example:
        >>> mask_scores(torch.tensor([[1.0, 2.0]]), torch.tensor([[True, False]])).tolist()
        [[1.0, -inf]]

    Source: Vaswani et al. 2017, section 3.2.3. Filling instead of adding −∞ is our choice: ∞ − ∞ is NaN.
    """
    if bias is not None:
        scaled = scaled + bias
        allowed = visible_pairs(allowed, bias)
    if allowed is None:
        return scaled
    return scaled.masked_fill(~allowed, -math.inf)


def weigh(
    scaled: Float[Tensor, "*B N M"],
    allowed: Bool[Tensor, "*#B #N #M"] | None = None,
) -> Float[Tensor, "*B N M"]:
    """Turn each query's scores into weights over the keys it may see.

        weights[n, m] = exp(scaled[n, m]) / Σ exp(scaled[n, j]),  j over the allowed keys

    Args:
        scaled: Scores already divided by √d_k.
        allowed: True where query n may see key m. None allows every pair.

    Returns:
        Weights in [0, 1]. A row sums to 1, or to exactly 0 when its query may see no key.

    Example:
        >>> weigh(torch.zeros(1, 3), torch.tensor([[True, True, False]])).tolist()
        [[0.5, 0.5, 0.0]]

    Source: Vaswani et al. 2017, eq. (1). The all-zero row is our choice: softmax alone gives NaN.
    """
    return softmax_rows(mask_scores(scaled, allowed), allowed)


def softmax_rows(
    masked: Float[Tensor, "*B N M"],
    allowed: Bool[Tensor, "*#B #N #M"] | None = None,
) -> Float[Tensor, "*B N M"]:
    """Turn scores that are masked already into weights, with zeros for a query that sees nothing.

        weights[n, m] = exp(masked[n, m]) / Σ exp(masked[n, j])

    Args:
        masked: Scores with −∞ where a pair is hidden.
        allowed: The mask that hid them; it tells which rows are empty. None: no row is.

    Returns:
        Weights in [0, 1]. A row sums to 1, or to exactly 0 when its query may see no key; the gradient of such
            a row is 0 too.

    Example:
        >>> nothing = torch.full((1, 2), -math.inf)
        >>> softmax_rows(nothing, torch.tensor([[False, False]])).tolist()
        [[0.0, 0.0]]
    """
    if allowed is None:
        return masked.softmax(dim=-1)
    sees_nothing = ~allowed.any(dim=-1, keepdim=True)
    if masked.requires_grad:
        # Softmax of nothing but −∞ is NaN. The fill after it keeps that out of the weights, but not out of
        # the gradient of masked.
        masked = masked.masked_fill(sees_nothing, 0.0)
    return masked.softmax(dim=-1).masked_fill(sees_nothing, 0.0)


def drop(
    weights: Float[Tensor, "*B N M"], dropout_p: float | int, generator: torch.Generator
) -> Float[Tensor, "*B N M"]:
    """Set each weight to zero with one probability and enlarge the others to keep their mean.

        dropped[n, m] = 0  with probability dropout_p,  else weights[n, m] / (1 − dropout_p)

    Args:
        generator: Where the randomness comes from, on the weights' device.

    Returns:
        Weights whose rows need not sum to 1; only their expectation does. All zero for dropout_p = 1.

    Example:
        >>> drop(torch.ones(1, 4), 0.5, torch.Generator().manual_seed(1)).unique().tolist()
        [0.0, 2.0]

    Source: Srivastava et al. 2014, section 10, last paragraph: enlarged in training, not shrunk after it.
    """
    if dropout_p == 1:
        return weights * 0.0
    chance = torch.rand(weights.shape, generator=generator, device=weights.device)
    return weights.masked_fill(chance < dropout_p, 0.0) / (1 - dropout_p)


def mix(weights: Float[Tensor, "*B N M"], v: Float[Tensor, "*B M d_v"]) -> Float[Tensor, "*B N d_v"]:
    """Blend the values in the proportions of the weights.

        out[n, i] = Σ weights[n, m] · v[m, i]

    Returns:
        One blend for each query; zeros for a query whose weights are zero. A NaN or ∞ in a hidden value still
        reaches every query, since 0 · ∞ is NaN.

    Example:
        >>> mix(torch.tensor([[0.25, 0.75]]), torch.tensor([[4.0], [8.0]])).tolist()
        [[7.0]]

    Cost: 2·N·M·d_v FLOPs.
    Source: Vaswani et al. 2017, eq. (1).
    """
    return weights @ v


def repeat_heads(
    x: Float[Tensor, "*B H_kv M d_k"], group_size: int
) -> Float[Tensor, "*B H_kv*{group_size} M d_k"]:
    """Give each key/value head to a group of query heads that stand side by side.

    Returns:
        Heads in the order 0, 0, 1, 1, …: query head h reads key/value head h // group_size.

    Example:
        >>> repeat_heads(torch.tensor([[[1.0]], [[2.0]]]), 2).flatten().tolist()
        [1.0, 1.0, 2.0, 2.0]

    Source: Ainslie et al. 2023, section 2.2.
    """
    return x.repeat_interleave(group_size, dim=-3)


def scaled_dot_product_attention(
    q: Float[Tensor, "*B_q N d_k"],
    k: Float[Tensor, "*B_k M d_k"],
    v: Float[Tensor, "*B_k M d_v"],
    *,
    allowed: Bool[Tensor, "*#B_q #N #M"] | None = None,
    bias: Float[Tensor, "*#B_q #N #M"] | None = None,
    scale: float | int | None = None,
    softcap: float | int | None = None,
    dropout_p: float | int = 0.0,
    generator: torch.Generator | None = None,
) -> AttentionTrace:
    """Let each query gather the values of the keys it matches, and record every step.

        out = softmax(softcap(q kᵀ · scale) + bias, over the allowed keys) v

    Args:
        q: Any number of leading axes, the same in k and v. With four axes or more, k and v may have fewer
            heads (axis −3): each then serves a group of query heads that stand side by side.
        allowed: True where query n may see key m. None allows every pair.
        bias: Added to the scaled scores, after softcap; may hold −∞, which hides a pair, not +∞.
        scale: None means 1/√d_k.
        softcap: Bound for the scaled scores; None for no bound.
        dropout_p: Chance that a weight is dropped before the values are mixed; 0 outside training.
        generator: Where dropout's randomness comes from.

    Returns:
        The trace. A query that may see no key has zeros as weights and out, and passes no gradient. A score too
        large for its type is ±∞ in the trace; where it is +∞ the weights and out of its row are NaN, as ∞ − ∞ is.

    Raises:
        ValueError: shapes that do not fit, types that differ, a mask that is not bool, a number out of its
            range, dropout without a generator.

    Example:
        >>> q = k = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
        >>> trace = scaled_dot_product_attention(q, k, torch.tensor([[2.0], [4.0]]), scale=math.log(3))
        >>> [[round(weight, 4) for weight in row] for row in trace.weights.tolist()]
        [[0.75, 0.25], [0.25, 0.75]]
        >>> [round(value, 4) for value in trace.out.flatten().tolist()]
        [2.5, 3.5]

    Cost: 2·N·M·(d_k + d_v) FLOPs for each head, softmax, scale and mask not counted; the record keeps four
        N × M tensors for each, five with dropout.
    Names: `allowed` is `attn_mask` as bool in PyTorch and ONNX, `bias` is `attn_mask` as float.
    Source: Vaswani et al. 2017, eq. (1); grouped heads: Ainslie et al. 2023, section 2.2. Zeros for a query
        without keys are our choice, as they are PyTorch's, ONNX's and flash-attn's.
    """
    group_size, shape = check_tensors(q, k, v)
    dtype = q.dtype
    if allowed is not None:
        check_mask("allowed", allowed, torch.bool, shape, q)
    if bias is not None:
        check_mask("bias", bias, dtype, shape, q)
    scale = _check_numbers(q, scale, softcap, dropout_p, generator)
    is_half = dtype in HALF
    if is_half:
        q, k = q.float(), k.float()
    if group_size != 1:
        k, v = repeat_heads(k, group_size), repeat_heads(v, group_size)
    scores = score(q, k)
    scaled = cap_scores(scale_scores(scores, scale), softcap)
    visible = visible_pairs(allowed, bias)
    masked = mask_scores(scaled, visible, bias)
    weights = softmax_rows(masked, visible)
    if is_half:
        weights = weights.to(dtype)
    dropped = drop(weights, dropout_p, generator) if dropout_p else None
    out = mix(weights if dropped is None else dropped, v)
    return AttentionTrace(scores, scaled, masked, weights, out, dropped)


def check_tensors(
    q: Float[Tensor, "..."], k: Float[Tensor, "..."], v: Float[Tensor, "..."]
) -> tuple[int, tuple[int, ...]]:
    """Refuse q, k and v that do not fit; give the query heads per key/value head and the shape of the scores.

    Raises:
        ValueError: shapes that do not fit, types or devices that differ.

    Example:
        >>> check_tensors(torch.zeros(1, 4, 5, 3), torch.zeros(1, 2, 7, 3), torch.zeros(1, 2, 7, 1))
        (2, (1, 4, 5, 7))
    """
    try:
        *lead_q, n_queries, d_k = q.shape
        *lead_k, n_keys, width_k = k.shape
        *lead_v, n_values, _ = v.shape
        fits = d_k == width_k and n_keys == n_values and lead_k == lead_v
        fits = fits and (dtype := q.dtype) is k.dtype is v.dtype and (dtype in WIDE or dtype in HALF)
        fits = fits and q.device == k.device == v.device
    except (AttributeError, TypeError, ValueError):
        fits = False
    if not fits:
        _refuse_tensors(q, k, v)
    group_size = 1 if lead_q == lead_k else _group_size(lead_q, lead_k)
    return group_size, (*lead_q, n_queries, n_keys)


def _group_size(lead_q: list[int], lead_k: list[int]) -> int:
    """Count the query heads per key/value head, where the leading axes differ in the heads alone."""
    if len(lead_q) != len(lead_k) or len(lead_q) < 2 or lead_q[:-1] != lead_k[:-1]:
        raise ValueError(
            "q, k and v must have the same leading axes; only heads, the last leading axis of at least two, "
            f"may be fewer in k and v: got {lead_q} in q and {lead_k} in k"
        )
    n_heads, n_kv_heads = lead_q[-1], lead_k[-1]
    if n_kv_heads == 0 or n_heads == 0 or n_heads % n_kv_heads:
        raise ValueError(
            f"query heads must be a multiple of key/value heads, got {n_heads} query heads "
            f"and {n_kv_heads} key/value heads"
        )
    return n_heads // n_kv_heads


def _refuse_tensors(q: Float[Tensor, "..."], k: Float[Tensor, "..."], v: Float[Tensor, "..."]) -> NoReturn:
    """Say which rule q, k and v break."""
    for name, x in (("q", q), ("k", k), ("v", v)):
        if not isinstance(x, Tensor):
            raise ValueError(f"{name} must be a torch.Tensor, got {type(x).__name__}")
        if x.ndim < 2:
            raise ValueError(f"{name} needs at least two axes, positions and width, got {tuple(x.shape)}")
        if x.dtype not in WIDE | HALF:
            raise ValueError(f"{name} must be float64, float32, bfloat16 or float16, got {x.dtype}")
    for name, x in (("k", k), ("v", v)):
        if x.dtype != q.dtype:
            raise ValueError(f"q and {name} must have one type, got {q.dtype} and {x.dtype}")
        if x.device != q.device:
            raise ValueError(f"q and {name} must be on one device, got {q.device} and {x.device}")
    if q.shape[-1] != k.shape[-1]:
        raise ValueError(f"q and k must have one width, got {q.shape[-1]} and {k.shape[-1]}")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"each key needs one value, got {k.shape[-2]} keys and {v.shape[-2]} values")
    raise ValueError(
        f"k and v must have the same leading axes, got {tuple(k.shape[:-2])} and {tuple(v.shape[:-2])}"
    )


def widen(
    q: Float[Tensor, "*B_q N d_k"], k: Float[Tensor, "*B_k M d_k"]
) -> tuple[Float[Tensor, "*B_q N d_k"], Float[Tensor, "*B_k M d_k"]]:
    """Make queries and keys ready to be scored and divided by √d_k: float32 where they are half precision.

    Raises:
        ValueError: a width of 0, by which 1/√d_k is not defined.

    Example:
        >>> widen(*torch.ones(2, 1, 3, dtype=torch.float16))[0].dtype
        torch.float32
    """
    if not q.shape[-1]:
        raise ValueError(f"1/√d_k needs d_k ≥ 1, got d_k={q.shape[-1]} and {k.shape[-1]}")
    wide_q, wide_k = (x.float() if x.dtype in HALF else x for x in (q, k))
    return wide_q, wide_k


def check_mask(
    name: str,
    mask: Shaped[Tensor, "..."],
    dtype: torch.dtype,
    target: tuple[int, ...],
    q: Float[Tensor, "..."],
) -> None:
    """Refuse a mask or bias of another type or place than it must have, or that does not broadcast to target.

    Raises:
        ValueError: the rule that was broken, with what was given.
    """
    if not isinstance(mask, Tensor):
        raise ValueError(f"{name} must be a torch.Tensor of {dtype}, got {type(mask).__name__}")
    if mask.dtype is not dtype:
        rule = "True = may see; floats to add are bias" if name == "allowed" else "as q is"
        raise ValueError(f"{name} must be {dtype}, {rule}, got {mask.dtype}")
    if mask.device != q.device:
        raise ValueError(f"q and {name} must be on one device, got {q.device} and {mask.device}")
    shape = mask.shape
    n_axes = len(shape)
    if n_axes >= 2 and shape == target[-n_axes:]:
        return  # the common case, decided fast
    fits = 2 <= n_axes <= len(target)
    if not fits or any(size not in (1, target[axis - n_axes]) for axis, size in enumerate(shape)):
        raise ValueError(
            f"{name} needs at least two axes and must broadcast to the scores, "
            f"got shape {tuple(shape)} for scores of {target}"
        )


def check_parameter(
    name: str,
    parameter: Shaped[Tensor, "..."],
    axes: str,
    shape: tuple[int, ...],
    q: Float[Tensor, "..."],
) -> None:
    """Refuse a parameter of another shape, type or place than the queries ask for.

    Args:
        axes: What the sizes of its shape are, in words.

    Raises:
        ValueError: the rule that was broken, with what was asked for and what was given.
    """
    if not isinstance(parameter, Tensor):
        raise ValueError(f"{name} must be a torch.Tensor, got {type(parameter).__name__}")
    if parameter.shape != shape:
        raise ValueError(f"{name} must be {axes}, {tuple(shape)}, got {tuple(parameter.shape)}")
    if parameter.dtype != q.dtype or parameter.device != q.device:
        raise ValueError(
            f"q and {name} must have one type and device, got {q.dtype} on {q.device} "
            f"and {parameter.dtype} on {parameter.device}"
        )


def _check_numbers(
    q: Float[Tensor, "..."],
    scale: float | int | None,
    softcap: float | int | None,
    dropout_p: float | int,
    generator: torch.Generator | None,
) -> float | int:
    """Refuse numbers out of their range, and give back the scale to use."""
    if softcap is not None and not 0 < softcap < math.inf:
        raise ValueError(f"softcap must be above 0 and finite, got {softcap}")
    if dropout_p:
        if not 0 <= dropout_p <= 1:
            raise ValueError(f"dropout_p must lie within 0 and 1, got {dropout_p}")
        if generator is None:
            raise ValueError(f"dropout_p={dropout_p} needs a generator, got None")
    if scale is not None:
        if not -math.inf < scale < math.inf:
            raise ValueError(f"scale must be finite, got {scale}")
        return scale
    if q.shape[-1] == 0:
        raise ValueError(
            f"scale=None means 1/√d_k and needs d_k ≥ 1, got d_k={q.shape[-1]} and scale={scale}"
        )
    return q.shape[-1] ** -0.5
