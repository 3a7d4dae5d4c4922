"""Frozen records that hold every tensor of one call, in the order they come about."""

from dataclasses import dataclass

from jaxtyping import Bool, Float
from torch import Tensor


@dataclass(frozen=True, eq=False)
class AttentionTrace:
    """Hold every intermediate of one scaled dot-product attention.

    For float16 and bfloat16 inputs scores, scaled and masked are float32; weights and out are of their type.
    A tensor that a step left as it was is the same object as the one before it.
    """

    scores: Float[Tensor, "*B N M"]
    scaled: Float[Tensor, "*B N M"]  # after scale and, where there is one, softcap
    masked: Float[Tensor, "*B N M"]  # −∞ where a query may not see a key
    weights: Float[Tensor, "*B N M"]  # before dropout
    out: Float[Tensor, "*B N d_v"]
    dropped: Float[Tensor, "*B N M"] | None = (
        None  # weights after dropout, which made out; None without dropout
    )


@dataclass(frozen=True, eq=False)
class MultiHeadTrace:
    """Hold every intermediate of one multi-head attention, from its inputs to its output."""

    x_q: Float[Tensor, "*B N d_model"]
    x_k: Float[Tensor, "*B M d_model_k"]
    x_v: Float[Tensor, "*B M d_model_v"]
    q: Float[Tensor, "*B N H_d_k"]  # projected, all heads side by side
    k: Float[Tensor, "*B M H_kv_d_k"]
    v: Float[Tensor, "*B M H_kv_d_v"]
    q_cut: Float[Tensor, "*B N H d_k"]  # the width cut into heads, positions still first
    k_cut: Float[Tensor, "*B M H_kv d_k"]
    v_cut: Float[Tensor, "*B M H_kv d_v"]
    q_heads: Float[Tensor, "*B H N d_k"]
    k_heads: Float[Tensor, "*B H_kv M d_k"]  # before they are repeated for the query heads
    v_heads: Float[Tensor, "*B H_kv M d_v"]
    k_repeated: Float[Tensor, "*B H M d_k"]  # the same object as k_heads where each query head has its own
    v_repeated: Float[Tensor, "*B H M d_v"]
    attention: AttentionTrace
    turned: Float[Tensor, "*B N H d_v"]  # positions first again
    merged: Float[Tensor, "*B N H_d_v"]
    out: Float[Tensor, "*B N d_model"]


@dataclass(frozen=True, eq=False)
class SingleHeadTrace:
    """Hold every matrix of one single-head pass, in the order of the pipeline.

    A field is None where the pass began further down: with q, k and v given there is no x, and so on.

    Attributes:
        position: What is added to the embedding; zeros where order is not encoded.
        x: What the projections read; as given, else embedding + position.
        projected: out · w_o, which has x's shape again.
        allowed: True where a query may see a key; None where every pair is allowed.
        scale: What the scores were multiplied by; None where the pass began with scaled.
    """

    embedding: Float[Tensor, "N d_model"] | None
    position: Float[Tensor, "N d_model"] | None
    x: Float[Tensor, "N d_model"] | None
    w_q: Float[Tensor, "d_model d_k"] | None
    w_k: Float[Tensor, "d_model d_k"] | None
    w_v: Float[Tensor, "d_model d_v"] | None
    q: Float[Tensor, "N d_k"] | None
    k: Float[Tensor, "M d_k"] | None
    v: Float[Tensor, "M d_v"]
    scores: Float[Tensor, "N M"] | None
    scaled: Float[Tensor, "N M"]
    masked: Float[Tensor, "N M"]
    weights: Float[Tensor, "N M"]
    out: Float[Tensor, "N d_v"]
    w_o: Float[Tensor, "d_v d_model"] | None
    projected: Float[Tensor, "N d_model"] | None
    allowed: Bool[Tensor, "N M"] | None
    scale: float | None
