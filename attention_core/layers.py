"""Blocks on one another: attention and a feed-forward part, each with its residual and its norm, layer after layer."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from attention_core.embedding import MAX_WIDTH, embed, projection
from attention_core.multi_head import MultiHeadAttention
from attention_core.single_head import Positions, draw_position
from attention_core.tokens import MAX_TOKENS
from attention_core.trace import MultiHeadTrace, SingleHeadTrace

# pre: each part reads a normalised copy. post: what each part leaves is normalised. none: no norm at all.
Norm = Literal["pre", "post", "none"]
NORMS: tuple[Norm, ...] = get_args(Norm)
Activation = Literal["gelu", "relu"]
ACTIVATIONS: tuple[Activation, ...] = get_args(Activation)
MAX_LAYERS = 12
FFN_FACTOR = 4  # d_ff / d_model
EPS = 1e-5


@dataclass(frozen=True)
class Design:
    """Say what a stack is built of.

    Attributes:
        norm: Where the norms stand. With "pre" no norm follows the last layer: vectors are shown as layers leave them.
        has_ffn: A feed-forward part, FFN_FACTOR · d_model wide, after each attention.
        has_residual: Each part adds its input to its output.

    Raises:
        ValueError: n_layers outside 1 and MAX_LAYERS, d_model outside 1 and MAX_WIDTH, n_heads that does not divide
            it, an unknown norm or activation.

    Example:
        >>> Design(n_layers=2, d_model=6, n_heads=3).d_k
        2
    """

    n_layers: int = 4
    d_model: int = 16
    n_heads: int = 2
    norm: Norm = "pre"
    has_ffn: bool = True
    activation: Activation = "gelu"
    has_residual: bool = True

    def __post_init__(self) -> None:
        for name, highest in (("n_layers", MAX_LAYERS), ("d_model", MAX_WIDTH), ("n_heads", self.d_model)):
            value = getattr(self, name)
            if not isinstance(value, int) or not 1 <= value <= highest:
                raise ValueError(f"{name} must be a whole number from 1 to {highest}, got {value}")
        if self.d_model % self.n_heads:
            raise ValueError(
                f"d_model must be a multiple of n_heads, got d_model={self.d_model} and n_heads={self.n_heads}"
            )
        for name, known in (("norm", NORMS), ("activation", ACTIVATIONS)):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, got {getattr(self, name)!r}")

    @property
    def d_k(self) -> int:
        """Width of one head's queries, keys and values."""
        return self.d_model // self.n_heads


@dataclass(frozen=True, eq=False)
class FeedForwardTrace:
    """Hold every intermediate of one feed-forward part."""

    hidden: Float[Tensor, "*B N d_ff"]
    active: Float[Tensor, "*B N d_ff"]  # after the activation
    out: Float[Tensor, "*B N d_model"]


@dataclass(frozen=True, eq=False)
class BlockTrace:
    """Hold every intermediate of one layer.

    Attributes:
        read: What attention reads: x, or its norm where the norm stands before.
        middle: What the attention part leaves, residual and norm included.
        middle_read: What the feed-forward part reads; None without one, as feed_forward.
        out: What the layer leaves; the same object as middle without a feed-forward part.
    """

    x: Float[Tensor, "*B N d_model"]
    read: Float[Tensor, "*B N d_model"]
    attention: MultiHeadTrace
    middle: Float[Tensor, "*B N d_model"]
    middle_read: Float[Tensor, "*B N d_model"] | None
    feed_forward: FeedForwardTrace | None
    out: Float[Tensor, "*B N d_model"]


@dataclass(frozen=True, eq=False)
class StackTrace:
    """Hold what a stack made of its input, layer by layer.

    Attributes:
        vectors: What enters, and what each layer leaves: depth 0 is bare, depth n is dressed by n layers.
        attention_out: What attention adds, before residual and norm.
        ffn_out: The same of the feed-forward part; None without one.
    """

    blocks: tuple[BlockTrace, ...]
    vectors: Float[Tensor, "depths *B N d_model"]
    weights: Float[Tensor, "layers *B H N N"]
    attention_out: Float[Tensor, "layers *B N d_model"]
    ffn_out: Float[Tensor, "layers *B N d_model"] | None


def normalise(
    x: Float[Tensor, "*B d_model"],
    gain: Float[Tensor, " d_model"],
    shift: Float[Tensor, " d_model"],
    eps: float = EPS,
) -> Float[Tensor, "*B d_model"]:
    """Bring each vector to mean 0 and variance 1, then stretch and shift it as learnt.

        out = (x − mean(x)) / √(var(x) + eps) · gain + shift,  var divides by d_model

    Returns:
        shift where all numbers of a vector are equal.

    Example:
        >>> normalise(torch.tensor([1.0, 3.0]), torch.tensor([2.0, 2.0]), torch.tensor([0.0, 1.0]), eps=0.0).tolist()
        [-2.0, 3.0]

    Names: layer normalisation, nn.LayerNorm.
    Source: Ba et al. 2016, eq. (3) and (4); eps stands where PyTorch has it.
    """
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return centred / (variance + eps).sqrt() * gain + shift


class FeedForward(nn.Module):
    """Transform each position by itself, through a wider layer.

        out = activation(x w_1 + b_1) w_2 + b_2

    Raises:
        ValueError: an unknown activation.

    Example:
        >>> one = torch.eye(1)
        >>> part = FeedForward(one, torch.zeros(1), 2 * one, torch.ones(1), "relu")
        >>> part(torch.tensor([[-3.0], [3.0]])).out.tolist()
        [[1.0], [7.0]]

    Source: Vaswani et al. 2017, eq. (2), with ReLU; GELU is Hendrycks & Gimpel 2016, with the exact Φ.
    """

    w_1: Float[Tensor, "d_model d_ff"]
    b_1: Float[Tensor, " d_ff"]
    w_2: Float[Tensor, "d_ff d_model"]
    b_2: Float[Tensor, " d_model"]

    def __init__(
        self,
        w_1: Float[Tensor, "d_model d_ff"],
        b_1: Float[Tensor, " d_ff"],
        w_2: Float[Tensor, "d_ff d_model"],
        b_2: Float[Tensor, " d_model"],
        activation: Activation,
    ) -> None:
        super().__init__()
        if activation not in ACTIVATIONS:
            raise ValueError(f"activation must be one of {', '.join(ACTIVATIONS)}, got {activation!r}")
        self.activation = activation
        for name, start in (("w_1", w_1), ("b_1", b_1), ("w_2", w_2), ("b_2", b_2)):
            self.register_parameter(name, nn.Parameter(start.detach().clone()))

    def forward(self, x: Float[Tensor, "*B N d_model"]) -> FeedForwardTrace:
        """Transform each position, and record every step."""
        hidden = x @ self.w_1 + self.b_1
        active = F.gelu(hidden) if self.activation == "gelu" else F.relu(hidden)
        return FeedForwardTrace(hidden, active, active @ self.w_2 + self.b_2)


class Block(nn.Module):
    """One layer: attention, then perhaps a feed-forward part, each with its residual and its norm.

        pre:  x + part(norm(x))      post:  norm(x + part(x))      none:  x + part(x)

    Without residual the sum's `x +` falls away.

    Args:
        feed_forward: None leaves the part out.

    Raises:
        ValueError: an unknown norm.

    Example:
        >>> attention = MultiHeadAttention(6, 2, generator=torch.Generator().manual_seed(0))
        >>> trace = Block(attention, None, norm="post", has_residual=True)(torch.eye(5, 6))
        >>> bool(trace.out.mean(dim=-1).abs().max() < 1e-6), trace.out is trace.middle
        (True, True)

    Source: Vaswani et al. 2017, section 3.1 (post); Xiong et al. 2020, figure 1 (pre).
    """

    gain_1: Float[Tensor, " d_model"]
    shift_1: Float[Tensor, " d_model"]
    gain_2: Float[Tensor, " d_model"]
    shift_2: Float[Tensor, " d_model"]

    def __init__(
        self,
        attention: MultiHeadAttention,
        feed_forward: FeedForward | None,
        *,
        norm: Norm,
        has_residual: bool,
        eps: float = EPS,
    ) -> None:
        super().__init__()
        if norm not in NORMS:
            raise ValueError(f"norm must be one of {', '.join(NORMS)}, got {norm!r}")
        self.attention, self.feed_forward = attention, feed_forward
        self.norm, self.has_residual, self.eps = norm, has_residual, eps
        n_parts = 0 if norm == "none" else 1 if feed_forward is None else 2
        for part in range(1, n_parts + 1):
            start = attention.w_q.detach()[:, 0]
            self.register_parameter(f"gain_{part}", nn.Parameter(torch.ones_like(start)))
            self.register_parameter(f"shift_{part}", nn.Parameter(torch.zeros_like(start)))

    @classmethod
    def from_torch(cls, module: nn.TransformerEncoderLayer) -> "Block":
        """Copy PyTorch's layer: the same weights give the same output.

        Args:
            module: Its inputs are batch first here, whatever its own batch_first says.

        Returns:
            A layer with its own copy of the weights, and without dropout.

        Raises:
            ValueError: dropout in training mode, or an activation that is neither relu nor the exact gelu.

        Example:
            >>> theirs = nn.TransformerEncoderLayer(6, 2, 12, dropout=0.0, batch_first=True)
            >>> x = torch.ones(1, 3, 6)
            >>> torch.allclose(Block.from_torch(theirs)(x).out, theirs(x), atol=1e-6)
            True
        """
        if module.training and module.dropout.p:
            raise ValueError(f"dropout has no counterpart in training mode, got dropout={module.dropout.p}")
        names = {F.relu: "relu", F.gelu: "gelu"}
        if module.activation not in names:
            raise ValueError(f"the activation must be {' or '.join(names.values())}, got {module.activation}")
        first, second = module.linear1, module.linear2
        biases = [_or_zeros(linear.bias, linear.weight[:, 0]) for linear in (first, second)]
        feed_forward = FeedForward(
            first.weight.T, biases[0], second.weight.T, biases[1], names[module.activation]
        )
        ours = cls(
            MultiHeadAttention.from_torch(module.self_attn),
            feed_forward,
            norm="pre" if module.norm_first else "post",
            has_residual=True,
            eps=module.norm1.eps,
        )
        with torch.no_grad():
            for part, theirs in ((1, module.norm1), (2, module.norm2)):
                ours.get_parameter(f"gain_{part}").copy_(theirs.weight)
                ours.get_parameter(f"shift_{part}").copy_(_or_zeros(theirs.bias, theirs.weight))
        return ours.train(module.training)

    def forward(
        self, x: Float[Tensor, "*B N d_model"], *, allowed: Bool[Tensor, "..."] | None = None
    ) -> BlockTrace:
        """Run the layer, and record every step.

        Args:
            allowed: As for MultiHeadAttention.
        """
        read = self._before(x, 1)
        attention = self.attention(read, allowed=allowed)
        middle = self._after(x, attention.out, 1)
        if self.feed_forward is None:
            return BlockTrace(x, read, attention, middle, None, None, middle)
        middle_read = self._before(middle, 2)
        feed_forward = self.feed_forward(middle_read)
        out = self._after(middle, feed_forward.out, 2)
        return BlockTrace(x, read, attention, middle, middle_read, feed_forward, out)

    def _before(self, x: Float[Tensor, "*B N d_model"], part: int) -> Float[Tensor, "*B N d_model"]:
        return self._normalise(x, part) if self.norm == "pre" else x

    def _after(
        self, x: Float[Tensor, "*B N d_model"], out: Float[Tensor, "*B N d_model"], part: int
    ) -> Float[Tensor, "*B N d_model"]:
        total = x + out if self.has_residual else out
        return self._normalise(total, part) if self.norm == "post" else total

    def _normalise(self, x: Float[Tensor, "*B N d_model"], part: int) -> Float[Tensor, "*B N d_model"]:
        gain, shift = (self.get_parameter(f"{name}_{part}") for name in ("gain", "shift"))
        return normalise(x, gain, shift, self.eps)


class Stack(nn.Module):
    """Layers on one another: each reads what the one below leaves.

    Raises:
        ValueError: no layer, or more than MAX_LAYERS.

    Example:
        >>> stack = draw_stack(Design(n_layers=3, d_model=6, n_heads=2), seed=0)
        >>> trace = stack(torch.eye(5, 6, dtype=torch.float64))
        >>> tuple(trace.vectors.shape), tuple(trace.weights.shape)
        ((4, 5, 6), (3, 2, 5, 5))
    """

    def __init__(self, blocks: Sequence[Block]) -> None:
        super().__init__()
        if not 1 <= len(blocks) <= MAX_LAYERS:
            raise ValueError(f"there must be 1 to {MAX_LAYERS} layers, got {len(blocks)}")
        self.blocks = nn.ModuleList(blocks)

    def forward(
        self, x: Float[Tensor, "*B N d_model"], *, allowed: Bool[Tensor, "..."] | None = None
    ) -> StackTrace:
        """Run all layers, and record every step.

        Args:
            allowed: The mask of every layer, as for MultiHeadAttention.
        """
        traces: list[BlockTrace] = []
        for block in self.blocks:
            traces.append(block(traces[-1].out if traces else x, allowed=allowed))
        fed = [trace.feed_forward.out for trace in traces if trace.feed_forward is not None]
        return StackTrace(
            blocks=tuple(traces),
            vectors=torch.stack([x, *(trace.out for trace in traces)]),
            weights=torch.stack([trace.attention.attention.weights for trace in traces]),
            attention_out=torch.stack([trace.attention.out for trace in traces]),
            ffn_out=torch.stack(fed) if fed else None,
        )


@dataclass(frozen=True, eq=False)
class DressedSentence:
    """A sentence's vectors on their way through a stack that is drawn at random: nothing here has learnt anything.

    Attributes:
        embedding: What a word is alone.
        position: Zeros where order is not encoded.
    """

    tokens: tuple[str, ...]
    design: Design
    seed: int
    embedding: Float[Tensor, "N d_model"]
    position: Float[Tensor, "N d_model"]
    allowed: Bool[Tensor, "N N"] | None
    trace: StackTrace


def draw_stack(design: Design, seed: int) -> Stack:
    """Draw the weights of a stack.

    Returns:
        float64. A layer's numbers depend on the seed and its own number alone, whatever the number of layers; a
        head's do not depend on the number of heads, but for w_o's factor 1/√n_heads. The heads of the first layer
        are those that `attend_sentence` draws. Gains are 1, shifts and biases 0.

    Example:
        >>> few, many = (draw_stack(Design(n_layers=n, d_model=6), seed=0) for n in (4, 12))
        >>> torch.equal(few.blocks[3].attention.w_q, many.blocks[3].attention.w_q)
        True

    Source: our own choice; the variance is that of `projection`, 1/rows.
    """
    return Stack([_draw_block(design, seed, layer) for layer in range(design.n_layers)])


def dress(
    tokens: Sequence[str],
    design: Design,
    *,
    seed: int,
    positions: Positions = "sinusoidal",
    allowed: Bool[Tensor, "N N"] | None = None,
) -> DressedSentence:
    """Send a reader's sentence through a stack, without gradients.

        x = embedding + position,  x of the next layer = what the layer leaves

    Args:
        seed: For the words, the positions where they are learned, and the weights.
        allowed: The mask of every layer.

    Raises:
        ValueError: too many tokens, an unknown kind of positions, or a mask that does not fit.

    Example:
        >>> found = dress(("the", "cat", "ran"), Design(n_layers=2, d_model=6), seed=0)
        >>> tuple(found.trace.vectors.shape), bool((found.trace.vectors[0] == found.embedding + found.position).all())
        ((3, 3, 6), True)
    """
    n = len(tokens)
    if n > MAX_TOKENS:
        raise ValueError(f"a sentence has at most {MAX_TOKENS} tokens, got {n}")
    if allowed is not None and allowed.shape != (n, n):
        raise ValueError(f"the mask must have {n} queries and keys, got {tuple(allowed.shape)}")
    embedding = embed(tokens, seed, design.d_model)
    position = draw_position(positions, n, design.d_model, seed)
    with torch.no_grad():
        trace = _kept_stack(design, seed)(embedding + position, allowed=allowed)
    return DressedSentence(tuple(tokens), design, seed, embedding, position, allowed, trace)


def run_layer(sentence: DressedSentence, layer: int, x: Float[Tensor, "N d_model"]) -> BlockTrace:
    """Send other vectors through one of the layers that dressed a sentence, under the same mask.

    Args:
        layer: From 0.

    Raises:
        ValueError: a layer that there is not.

    Example:
        >>> found = dress(("the", "cat"), Design(n_layers=2, d_model=6), seed=0)
        >>> torch.equal(run_layer(found, 1, found.trace.vectors[1]).out, found.trace.vectors[2])
        True
    """
    _check_layer(sentence, layer)
    with torch.no_grad():
        return _kept_stack(sentence.design, sentence.seed).blocks[layer](x, allowed=sentence.allowed)


def trace_layer_head(sentence: DressedSentence, layer: int, head: int) -> SingleHeadTrace:
    """Follow one head of one layer from what it reads to its output, so that each of its weights can be explained.

    Args:
        layer: From 0, as head.

    Returns:
        The numbers of the stack's own trace. x is what the layer's attention reads: a normalised copy where the norm
        stands before. projected is what this head adds to the layer's attention.

    Raises:
        ValueError: a layer or a head that there is not.

    Example:
        >>> found = dress(("the", "cat"), Design(n_layers=2, d_model=6), seed=0)
        >>> torch.equal(trace_layer_head(found, 1, 0).weights, found.trace.weights[1, 0])
        True
    """
    _check_layer(sentence, layer)
    design, traced = sentence.design, sentence.trace.blocks[layer]
    if not 0 <= head < design.n_heads:
        raise ValueError(f"head must be from 0 to {design.n_heads - 1}, got {head}")
    made, own = _kept_stack(design, sentence.seed).blocks[layer].attention, traced.attention
    columns = slice(head * design.d_k, (head + 1) * design.d_k)
    w_q, w_k, w_v = (w.detach()[:, columns] for w in (made.w_q, made.w_k, made.w_v))
    w_o, steps = made.w_o.detach()[columns], own.attention
    return SingleHeadTrace(
        embedding=None,
        position=None,
        x=traced.read,
        w_q=w_q,
        w_k=w_k,
        w_v=w_v,
        q=own.q_heads[head],
        k=own.k_heads[head],
        v=own.v_heads[head],
        scores=steps.scores[head],
        scaled=steps.scaled[head],
        masked=steps.masked[head],
        weights=steps.weights[head],
        out=steps.out[head],
        w_o=w_o,
        projected=steps.out[head] @ w_o,
        allowed=sentence.allowed,
        scale=design.d_k**-0.5,
    )


def _check_layer(sentence: DressedSentence, layer: int) -> None:
    """Refuse a layer that did not dress the sentence."""
    if not 0 <= layer < sentence.design.n_layers:
        raise ValueError(f"layer must be from 0 to {sentence.design.n_layers - 1}, got {layer}")


# Drawing takes some ten times as long as running. Callers never see a kept stack, only what it makes of their words.
@lru_cache(maxsize=4)
def _kept_stack(design: Design, seed: int) -> Stack:
    return draw_stack(design, seed)


def _draw_block(design: Design, seed: int, layer: int) -> Block:
    """Draw one layer; of head 0 and layer 0 the names are those of the single head."""
    d_model, d_k, n_heads = design.d_model, design.d_k, design.n_heads
    kind = {"generator": torch.Generator(), "dtype": torch.float64}
    attention = MultiHeadAttention(d_model, n_heads, **kind)
    names = [f" of head {head}" if head else "" for head in range(n_heads)]
    suffix = f" of layer {layer}" if layer else ""
    drawn = {
        w: torch.cat([projection(w + name + suffix, seed, d_model, d_k) for name in names], dim=-1)
        for w in ("w_q", "w_k", "w_v")
    }
    rows = [projection("w_o" + name + suffix, seed, d_k, d_model) for name in names]
    attention.load_state_dict(drawn | {"w_o": torch.cat(rows) / n_heads**0.5})
    feed_forward = _draw_feed_forward(design, seed, suffix) if design.has_ffn else None
    return Block(attention, feed_forward, norm=design.norm, has_residual=design.has_residual)


def _draw_feed_forward(design: Design, seed: int, suffix: str) -> FeedForward:
    """Draw the wide matrices in squares: `projection` has at most MAX_WIDTH rows and columns."""
    d_model = design.d_model
    w_1, w_2 = (
        [projection(f"{w} part {part}{suffix}", seed, d_model, d_model) for part in range(FFN_FACTOR)]
        for w in ("w_1", "w_2")
    )
    b_1, b_2 = (torch.zeros(width, dtype=torch.float64) for width in (FFN_FACTOR * d_model, d_model))
    return FeedForward(torch.cat(w_1, dim=-1), b_1, torch.cat(w_2) / FFN_FACTOR**0.5, b_2, design.activation)


def _or_zeros(bias: Float[Tensor, " d_k"] | None, like: Float[Tensor, " d_k"]) -> Float[Tensor, " d_k"]:
    return torch.zeros_like(like) if bias is None else bias
