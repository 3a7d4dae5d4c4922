"""The definitions as plain loops over plain numbers: slow, short, and what everything faster is held against.

A matrix is a list of rows, a row a list of numbers. No library is used.
"""

import math
from typing import NamedTuple

Row = list[float]
Matrix = list[Row]
Mask = list[list[bool]]


class Steps(NamedTuple):
    """Hold every matrix of one attention."""

    scores: Matrix
    scaled: Matrix
    masked: Matrix
    weights: Matrix
    out: Matrix


def dot(a: Row, b: Row) -> float:
    """Multiply two rows number by number and add up.

    Example:
        >>> dot([1.0, 2.0], [3.0, 4.0])
        11.0
    """
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


def product(a: Matrix, b: Matrix) -> Matrix:
    """Multiply two matrices: each row of a meets each column of b.

    Example:
        >>> product([[1.0, 2.0]], [[1.0, 0.0], [0.0, 10.0]])
        [[1.0, 20.0]]
    """
    return [[dot(row, [b[i][j] for i in range(len(b))]) for j in range(len(b[0]))] for row in a]


def score(q: Matrix, k: Matrix) -> Matrix:
    """Compare each query with each key.

    Example:
        >>> score([[1.0, 2.0]], [[1.0, 0.0], [3.0, 1.0]])
        [[1.0, 5.0]]
    """
    return [[dot(query, key) for key in k] for query in q]


def scale_score(score: float, scale: float, softcap: float | None) -> float:
    """Scale one score and, where there is a bound, bend it below the bound.

    Example:
        >>> scale_score(4.0, 0.5, None), scale_score(1e9, 1.0, 5.0)
        (2.0, 5.0)
    """
    if softcap is None:
        return score * scale
    return softcap * math.tanh(score * scale / softcap)


def mask_score(scaled: float, is_allowed: bool, bias: float) -> float:
    """Add the bias to one score, or hide the score.

    Example:
        >>> mask_score(2.0, True, 0.5), mask_score(2.0, False, 0.5), mask_score(2.0, True, -math.inf)
        (2.5, -inf, -inf)
    """
    if not is_allowed or bias == -math.inf:
        return -math.inf
    return scaled + bias


def softmax(masked: Row) -> Row:
    """Turn one row of scores into weights.

    Returns:
        Weights that sum to 1; zeros where every score is hidden.

    Example:
        >>> softmax([0.0, -math.inf, 0.0]), softmax([-math.inf, -math.inf])
        ([0.5, 0.0, 0.5], [0.0, 0.0])
    """
    largest = -math.inf
    for number in masked:
        largest = max(largest, number)
    if largest == -math.inf:
        return [0.0 for _ in masked]
    exponentials = [math.exp(number - largest) for number in masked]  # subtracting keeps exp from overflowing
    total = 0.0
    for number in exponentials:
        total += number
    return [number / total for number in exponentials]


def mix(weights: Row, v: Matrix) -> Row:
    """Blend the values in the proportions of one query's weights.

    Example:
        >>> mix([0.25, 0.75], [[4.0], [8.0]])
        [7.0]
    """
    blend = [0.0 for _ in v[0]] if v else []
    for m in range(len(v)):
        for i in range(len(v[m])):
            blend[i] += weights[m] * v[m][i]
    return blend


def attention(
    q: Matrix,
    k: Matrix,
    v: Matrix,
    *,
    allowed: Mask | None = None,
    bias: Matrix | None = None,
    scale: float | None = None,
    softcap: float | None = None,
) -> Steps:
    """Let each query gather the values of the keys it matches, one query and one key at a time.

    Args:
        allowed: True where a query may see a key. None allows every pair.
        bias: Added to the scaled scores. None adds nothing.
        scale: None means 1/√d_k.
        softcap: Bound for the scaled scores. None for no bound.

    Example:
        >>> attention([[0.0]], [[1.0], [2.0]], [[4.0], [8.0]]).out
        [[6.0]]
    """
    scores = score(q, k)
    scaled, masked, weights, out = [], [], [], []
    for n in range(len(q)):
        scale_n = 1 / math.sqrt(len(q[n])) if scale is None else scale
        scaled.append([scale_score(number, scale_n, softcap) for number in scores[n]])
        row = []
        for m in range(len(k)):
            is_allowed = True if allowed is None else allowed[n][m]
            row.append(mask_score(scaled[n][m], is_allowed, 0.0 if bias is None else bias[n][m]))
        masked.append(row)
        weights.append(softmax(row))
        out.append(mix(weights[n], v))
    return Steps(scores, scaled, masked, weights, out)


def linear_attention(phi_q: Matrix, phi_k: Matrix, v: Matrix, is_causal: bool) -> Matrix:
    """Weigh values by products of features, each row divided by its sum; zeros where that is 0.

    Example:
        >>> linear_attention([[1.0], [1.0]], [[1.0], [1.0]], [[2.0], [10.0]], True)
        [[2.0], [6.0]]
    """
    rows = []
    for n in range(len(phi_q)):
        seen = range(n + 1) if is_causal else range(len(phi_k))
        products = [dot(phi_q[n], phi_k[m]) for m in seen]
        total = sum(products)
        rows.append(mix([each / total if total else 0.0 for each in products], [v[m] for m in seen]))
    return rows


def columns(x: Matrix, start: int, width: int) -> Matrix:
    """Cut some neighbouring columns out of a matrix: one head's part.

    Example:
        >>> columns([[0.0, 1.0, 2.0, 3.0]], 2, 2)
        [[2.0, 3.0]]
    """
    return [[row[start + i] for i in range(width)] for row in x]


def multi_head(
    x_q: Matrix,
    x_kv: Matrix,
    w_q: Matrix,
    w_k: Matrix,
    w_v: Matrix,
    w_o: Matrix,
    *,
    n_heads: int,
    n_kv_heads: int,
    allowed: Mask | None = None,
) -> Matrix:
    """Attend in several heads, each with its own columns of the projections, and project the lot.

    Example:
        >>> one = [[1.0, 0.0], [0.0, 1.0]]
        >>> multi_head([[0.0, 0.0]], [[2.0, 4.0]], one, one, one, one, n_heads=2, n_kv_heads=2)
        [[2.0, 4.0]]
    """
    q, k, v = product(x_q, w_q), product(x_kv, w_k), product(x_kv, w_v)
    d_k, d_v = len(w_q[0]) // n_heads, len(w_v[0]) // n_kv_heads
    merged = [[] for _ in x_q]
    for head in range(n_heads):
        kv_head = head // (n_heads // n_kv_heads)
        q_head = columns(q, head * d_k, d_k)
        k_head, v_head = columns(k, kv_head * d_k, d_k), columns(v, kv_head * d_v, d_v)
        out = attention(q_head, k_head, v_head, allowed=allowed).out
        for n in range(len(x_q)):
            merged[n] = merged[n] + out[n]
    return product(merged, w_o)


def causal(n_queries: int, n_keys: int, offset: int) -> Mask:
    """Hide the keys after each query's own position.

    Example:
        >>> causal(2, 3, 1)
        [[True, True, False], [True, True, True]]
    """
    return [[m <= n + offset for m in range(n_keys)] for n in range(n_queries)]


def window(n_queries: int, n_keys: int, width: int, offset: int, is_causal: bool) -> Mask:
    """Hide the keys that are width or more steps away, and the later ones where causal.

    Example:
        >>> window(1, 4, 2, 1, False), window(1, 4, 2, 1, True)
        ([[True, True, True, False]], [[True, True, False, False]])
    """
    mask = []
    for n in range(n_queries):
        first = n + offset - (width - 1)
        last = n + offset if is_causal else n + offset + (width - 1)
        mask.append([first <= m <= last for m in range(n_keys)])
    return mask


def sinusoidal(n: int, d_model: int) -> Matrix:
    """Mark each position by sines and cosines of ever longer waves.

    Example:
        >>> sinusoidal(1, 3)
        [[0.0, 1.0, 0.0]]
    """
    table = []
    for position in range(n):
        row = []
        for column in range(d_model):
            angle = position / 10_000 ** (2 * (column // 2) / d_model)
            row.append(math.sin(angle) if column % 2 == 0 else math.cos(angle))
        table.append(row)
    return table
