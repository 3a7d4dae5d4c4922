"""Follow one head from its inputs to its output, whichever stage the inputs belong to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.embedding import embed, projection
from attention_core.masks import causal
from attention_core.positions import learned, no_positions, sinusoidal
from attention_core.steps import mask_scores, mix, scaled_dot_product_attention, weigh
from attention_core.trace import SingleHeadTrace

Positions = Literal["none", "sinusoidal", "learned"]


@dataclass(frozen=True, eq=False)
class Edited:
    """A matrix after a reader's edits.

    Attributes:
        dormant: Cells of edits that lie outside the matrix; they wait until it grows again.
    """

    matrix: Float[Tensor, "..."]
    dormant: tuple[tuple[int, int], ...]


def trace_single_head(
    given: Mapping[str, Float[Tensor, "..."]], *, is_causal: bool = False, scale: float | None = None
) -> SingleHeadTrace:
    """Run one head from whatever is given, down to its output.

    Args:
        given: Matrices by their field names in the trace. One of these sets, the first that is complete:
            x with w_q, w_k, w_v; embedding and position with the same (x is their sum); q, k, v; scaled
            and v. w_o may come with either of the first two.
        scale: What scores are multiplied by; None means 1/√d_k. Not used where scaled is given.

    Raises:
        ValueError: no set is complete, or the widths do not fit.

    Example:
        >>> import torch
        >>> trace = trace_single_head({"scaled": torch.zeros(1, 2), "v": torch.tensor([[1.0], [3.0]])})
        >>> trace.out.tolist(), trace.scores
        ([[2.0]], None)
    """
    names = set(given)
    if {"w_q", "w_k", "w_v"} <= names and ("x" in names or {"embedding", "position"} <= names):
        inputs = {name: given.get(name) for name in ("embedding", "position", "x", "w_o")}
        return trace_from_inputs(
            given["w_q"], given["w_k"], given["w_v"], **inputs, is_causal=is_causal, scale=scale
        )
    if {"q", "k", "v"} <= names:
        return trace_from_qkv(given["q"], given["k"], given["v"], is_causal=is_causal, scale=scale)
    if {"scaled", "v"} <= names:
        return trace_from_scaled(given["scaled"], given["v"], is_causal=is_causal)
    raise ValueError(
        "given must hold x (or embedding and position) with w_q, w_k and w_v, or q, k and v, "
        f"or scaled and v; got {sorted(names)}"
    )


def trace_from_inputs(
    w_q: Float[Tensor, "d_model d_k"],
    w_k: Float[Tensor, "d_model d_k"],
    w_v: Float[Tensor, "d_model d_v"],
    *,
    embedding: Float[Tensor, "N d_model"] | None = None,
    position: Float[Tensor, "N d_model"] | None = None,
    x: Float[Tensor, "N d_model"] | None = None,
    w_o: Float[Tensor, "d_v d_model"] | None = None,
    is_causal: bool = False,
    scale: float | None = None,
) -> SingleHeadTrace:
    """Run one head from its input vectors.

        x = embedding + position,  q = x w_q,  k = x w_k,  v = x w_v,  projected = out w_o

    Args:
        x: None for the sum. Where it is given as well, it counts, so that its cells can be edited.
        w_o: None leaves projected out.
        scale: What scores are multiplied by; None means 1/√d_k.

    Raises:
        ValueError: neither x nor embedding and position are given, or a width does not fit.
    """
    if x is None:
        if embedding is None or position is None:
            raise ValueError("x, or embedding and position, must be given; got neither")
        x = embedding + position
    for name, w in (("w_q", w_q), ("w_k", w_k), ("w_v", w_v)):
        if w.shape[0] != x.shape[-1]:
            raise ValueError(
                f"{name} must have as many rows as x has columns: {w.shape[0]} and {x.shape[-1]}"
            )
    below = trace_from_qkv(x @ w_q, x @ w_k, x @ w_v, is_causal=is_causal, scale=scale)
    inputs = {"embedding": embedding, "position": position, "x": x, "w_q": w_q, "w_k": w_k, "w_v": w_v}
    projected = None if w_o is None else below.out @ w_o
    return SingleHeadTrace(**{**vars(below), **inputs, "w_o": w_o, "projected": projected})


def trace_from_qkv(
    q: Float[Tensor, "N d_k"],
    k: Float[Tensor, "M d_k"],
    v: Float[Tensor, "M d_v"],
    *,
    is_causal: bool = False,
    scale: float | None = None,
) -> SingleHeadTrace:
    """Run one head from its queries, keys and values.

    Args:
        q: With q = k = v = x this is attention without parameters.
        scale: What scores are multiplied by; None means 1/√d_k.
    """
    allowed = _allowed(q.shape[0], k.shape[0], is_causal)
    attention = scaled_dot_product_attention(q, k, v, allowed=allowed, scale=scale)
    return SingleHeadTrace(
        **_nothing_before("q"),
        q=q,
        k=k,
        v=v,
        scores=attention.scores,
        scaled=attention.scaled,
        masked=attention.masked,
        weights=attention.weights,
        out=attention.out,
        allowed=allowed,
        scale=q.shape[-1] ** -0.5 if scale is None else scale,
    )


def trace_from_scaled(
    scaled: Float[Tensor, "N M"], v: Float[Tensor, "M d_v"], *, is_causal: bool = False
) -> SingleHeadTrace:
    """Run the second half of one head: from scaled scores and values."""
    allowed = _allowed(*scaled.shape, is_causal)
    weights = weigh(scaled, allowed)
    return SingleHeadTrace(
        **_nothing_before("scaled"),
        v=v,
        scaled=scaled,
        masked=mask_scores(scaled, allowed),
        weights=weights,
        out=mix(weights, v),
        allowed=allowed,
    )


def own_sentence(
    tokens: Sequence[str], *, seed: int, d_model: int, d_k: int, d_v: int, positions: Positions
) -> dict[str, Float[Tensor, "..."]]:
    """Draw the matrices a reader's own sentence starts from, ready for `trace_single_head`.

    Returns:
        embedding, position, x, w_q, w_k, w_v, w_o. A word keeps its embedding in any sentence; a larger width
        keeps the embedding's numbers, and a larger d_k or d_v the projections' columns.

    Raises:
        ValueError: a width that is not from 1 to MAX_WIDTH, or an unknown kind of positions.
    """
    embedding = embed(tokens, seed, d_model)
    position = draw_position(positions, len(tokens), d_model, seed).to(embedding.dtype)
    return {
        "embedding": embedding,
        "position": position,
        "x": embedding + position,
        **draw_matrices(seed=seed, d_model=d_model, d_k=d_k, d_v=d_v),
    }


def draw_matrices(
    *, seed: int, d_model: int, d_k: int, d_v: int, layer: int = 0
) -> dict[str, Float[Tensor, "..."]]:
    """Draw the four weight matrices of one head.

    Args:
        layer: Each layer has numbers of its own.

    Returns:
        w_q, w_k, w_v, w_o, which depend on no sentence.

    Raises:
        ValueError: a width that is not from 1 to MAX_WIDTH.

    Example:
        >>> {name: tuple(w.shape) for name, w in draw_matrices(seed=0, d_model=5, d_k=3, d_v=2).items()}
        {'w_q': (5, 3), 'w_k': (5, 3), 'w_v': (5, 2), 'w_o': (2, 5)}
    """
    suffix = f" of layer {layer}" if layer else ""
    shapes = {"w_q": (d_model, d_k), "w_k": (d_model, d_k), "w_v": (d_model, d_v), "w_o": (d_v, d_model)}
    return {name: projection(name + suffix, seed, *shape) for name, shape in shapes.items()}


def draw_position(positions: Positions, n: int, d_model: int, seed: int) -> Float[Tensor, "N d_model"]:
    """Give what is added to the embedding of n tokens.

    Args:
        seed: For learned positions, the only ones that are drawn.

    Raises:
        ValueError: an unknown kind of positions.
    """
    if positions == "none":
        return no_positions(n, d_model)
    if positions == "sinusoidal":
        return sinusoidal(n, d_model)
    if positions == "learned":
        return learned(n, d_model, seed)
    raise ValueError(f"positions must be none, sinusoidal or learned, got {positions!r}")


def apply_edits(matrix: Float[Tensor, "..."], edits: Mapping[tuple[int, int], float]) -> Edited:
    """Write a reader's numbers over the cells of a matrix.

    Args:
        edits: Value by row and column, counted from 0; a negative one is outside.

    Returns:
        A new matrix, and the edits that found no cell. Nothing raises.

    Example:
        >>> import torch
        >>> edited = apply_edits(torch.zeros(1, 2), {(0, 1): 5.0, (3, 0): 7.0})
        >>> edited.matrix.tolist(), edited.dormant
        ([[0.0, 5.0]], ((3, 0),))
    """
    matrix = matrix.clone()
    rows, columns = matrix.shape
    dormant = []
    for (row, column), value in edits.items():
        if 0 <= row < rows and 0 <= column < columns:
            matrix[row, column] = value
        else:
            dormant.append((row, column))
    return Edited(matrix, tuple(dormant))


def _allowed(n_queries: int, n_keys: int, is_causal: bool) -> Bool[Tensor, "N M"] | None:
    return causal(n_queries, n_keys) if is_causal else None


def _nothing_before(stage: Literal["q", "scaled"]) -> dict[str, None]:
    """Name the fields that a pass which begins at this stage does not have, w_o's end of it included."""
    absent = ["embedding", "position", "x", "w_q", "w_k", "w_v", "w_o", "projected"]
    if stage == "scaled":
        absent += ["q", "k", "scores", "scale"]
    return dict.fromkeys(absent)
