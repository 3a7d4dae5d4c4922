"""Other ways to score and to choose keys, as plain loops over plain numbers; `attention_core.reference` has the rest."""

import math

from attention_core.reference import Matrix, Row, dot, mask_score, mix


def additive_score(query: Row, key: Row, w_q: Matrix, w_k: Matrix, w_score: Row) -> float:
    """Add a query and a key in a width of their own, bend the sum, and weigh its numbers.

    Example:
        >>> round(additive_score([0.0], [math.atanh(0.5)], [[1.0]], [[1.0]], [4.0]), 12)
        2.0
    """
    total = 0.0
    for j in range(len(w_score)):
        inside = dot(query, [row[j] for row in w_q]) + dot(key, [row[j] for row in w_k])
        total += w_score[j] * math.tanh(inside)
    return total


def multiplicative_score(query: Row, key: Row, w: Matrix) -> float:
    """Multiply each number of a query with each of a key, weighted.

    Example:
        >>> multiplicative_score([2.0], [1.0, 3.0], [[10.0, 1.0]])
        26.0
    """
    total = 0.0
    for i in range(len(query)):
        for j in range(len(key)):
            total += query[i] * w[i][j] * key[j]
    return total


def cosine(query: Row, key: Row) -> float:
    """Compare directions alone; 0 where one of the two has none.

    Example:
        >>> cosine([3.0, 4.0], [4.0, 3.0]), cosine([0.0], [1.0])
        (0.96, 0.0)
    """
    lengths = math.hypot(*query) * math.hypot(*key)
    return dot(query, key) / lengths if lengths else 0.0


def softmax_with_sink(masked: Row, sink: float) -> Row:
    """Turn scores into weights beside one more score that has no value to give.

    Example:
        >>> softmax_with_sink([0.0, -math.inf, 0.0], math.log(2.0)), softmax_with_sink([], 0.0)
        ([0.25, 0.0, 0.25], [])
    """
    largest = sink
    for number in masked:
        largest = max(largest, number)
    if largest == -math.inf:
        return [0.0 for _ in masked]
    total = math.exp(sink - largest)
    for number in masked:
        total += math.exp(number - largest)
    return [math.exp(number - largest) / total for number in masked]


def gather(
    scaled: Matrix, v: Matrix, allowed: list[list[bool]] | None = None, sink: float = -math.inf
) -> Matrix:
    """Blend the values by whatever scores there are.

    Args:
        sink: A score without a value; −∞ for none.

    Example:
        >>> gather([[0.0, 0.0]], [[1.0], [3.0]]), gather([[0.0]], [[3.0]], sink=0.0)
        ([[2.0]], [[1.5]])
    """
    rows = []
    for n in range(len(scaled)):
        masked = []
        for m in range(len(v)):
            masked.append(mask_score(scaled[n][m], allowed is None or allowed[n][m], 0.0))
        rows.append(mix(softmax_with_sink(masked, sink), v))
    return rows


def alibi_slopes(n_heads: int) -> Row:
    """List each head's slope: powers of two, and between them every other slope of twice as many heads.

    Example:
        >>> alibi_slopes(3)
        [0.0625, 0.00390625, 0.25]
    """
    power = 1
    while 2 * power <= n_heads:
        power = 2 * power
    slopes = [2 ** (-8 * (head + 1) / power) for head in range(power)]
    for head in range(n_heads - power):
        slopes.append(2 ** (-8 * (2 * head + 1) / (2 * power)))
    return slopes


def alibi_bias(n_queries: int, n_keys: int, slope: float, offset: int) -> Matrix:
    """Take off a score what a key's distance costs.

    Example:
        >>> alibi_bias(1, 3, 0.5, 2)
        [[-1.0, -0.5, 0.0]]
    """
    return [[slope * -abs(n + offset - m) for m in range(n_keys)] for n in range(n_queries)]


def rotate(row: Row, position: int, is_interleaved: bool) -> Row:
    """Turn each pair of numbers by an angle that grows with the position, the first pair fastest.

    Example:
        >>> rotate([1.0, 2.0], 0, True)
        [1.0, 2.0]
    """
    half = len(row) // 2
    turned = list(row)
    for i in range(half):
        first, second = (2 * i, 2 * i + 1) if is_interleaved else (i, i + half)
        angle = position / 10_000 ** (2 * i / len(row))
        turned[first] = row[first] * math.cos(angle) - row[second] * math.sin(angle)
        turned[second] = row[first] * math.sin(angle) + row[second] * math.cos(angle)
    return turned


def block_keys(n: int, n_keys: int, size: int) -> list[int]:
    """List the keys of a query's own block.

    Example:
        >>> block_keys(4, 6, 3)
        [3, 4, 5]
    """
    start = n - n % size
    return [m for m in range(start, start + size) if m < n_keys]


def dilated_keys(n: int, n_keys: int, width: int, dilation: int) -> list[int]:
    """Walk from a query to both sides in equal steps and list the keys that are met.

    Example:
        >>> dilated_keys(3, 7, 2, 3)
        [0, 3, 6]
    """
    met = [n + step * dilation for step in range(1 - width, width)]
    return [m for m in met if 0 <= m < n_keys]


def strided_keys(n: int, n_keys: int, stride: int) -> list[int]:
    """List the keys nearer than a stride, and those a whole number of strides away.

    Example:
        >>> strided_keys(0, 7, 3)
        [0, 1, 2, 3, 6]
    """
    near = set(range(n - stride + 1, n + stride))
    far = set(range(n, -1, -stride)) | set(range(n, n_keys, stride))
    return [m for m in sorted(near | far) if 0 <= m < n_keys]


def global_window_keys(n: int, n_keys: int, width: int, n_global: int) -> list[int]:
    """List the first keys and the near ones; all of them for a query that is one of the first.

    Example:
        >>> global_window_keys(4, 6, 2, 1), global_window_keys(0, 3, 2, 1)
        ([0, 3, 4, 5], [0, 1, 2])
    """
    if n < n_global:
        return list(range(n_keys))
    return sorted({m for m in [*range(n_global), *range(n - width + 1, n + width)] if 0 <= m < n_keys})


def sparse_attention(q: Matrix, k: Matrix, v: Matrix, seen: list[list[int]]) -> Matrix:
    """Let each query gather the values of the keys on its list; there are no other pairs.

    Example:
        >>> sparse_attention([[0.0], [0.0]], [[0.0], [0.0]], [[2.0], [4.0]], [[0], [0, 1]])
        [[2.0], [3.0]]
    """
    rows = []
    for n in range(len(q)):
        scaled = [dot(q[n], k[m]) / math.sqrt(len(q[n])) for m in seen[n]]
        rows.append(mix(softmax_with_sink(scaled, -math.inf), [v[m] for m in seen[n]]))
    return rows
