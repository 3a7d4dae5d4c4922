"""A small transformer that learns: a table of word vectors, positions, layers, and a logit for every word."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attention_core.embedding import generator_for
from attention_core.layers import EPS, FFN_FACTOR, Block, FeedForward, Stack, StackTrace, normalise
from attention_core.masks import causal
from attention_core.multi_head import MultiHeadAttention, merge_heads, split_heads
from attention_core.positions import no_positions, sinusoidal
from attention_core.steps import drop
from attention_core.training.recipe import Recipe

# Of word and position vectors before training, so that the first norm and not the drawing decides their length.
START = 0.5


@dataclass(frozen=True, eq=False)
class ModelTrace:
    """Hold what a model made of its tokens."""

    stack: StackTrace
    logits: Float[Tensor, "*B N vocab"]


class TokenModel(nn.Module):
    """Read tokens, give each position a logit for every word.

        x = table[tokens] + places,  logits = norm(stack(x)) w_out + b_out

    Args:
        recipe: What it is built of. Weights are drawn by its seed and their own names: two models that differ in one
            thing begin with the same numbers wherever they have the same matrix.
        n: The most positions that it reads.

    Raises:
        ValueError: no word, or no position.

    Example:
        >>> model = TokenModel(Recipe("recall", d_model=8), n_words=5, n=7)
        >>> tuple(model(torch.zeros(2, 3, dtype=torch.long)).shape)
        (2, 3, 5)

    Source: Vaswani et al. 2017, section 3, the encoder (or, causal, the decoder alone); the last norm as in Xiong et al. 2020.
    """

    table: Float[Tensor, "vocab d_model"]
    places: Float[Tensor, "N d_model"]
    gain: Float[Tensor, " d_model"]
    shift: Float[Tensor, " d_model"]
    w_out: Float[Tensor, "d_model vocab"]
    b_out: Float[Tensor, " vocab"]

    def __init__(self, recipe: Recipe, n_words: int, n: int) -> None:
        super().__init__()
        if min(n_words, n) < 1:
            raise ValueError(
                f"a model has at least one word and one position, got n_words={n_words} and n={n}"
            )
        self.recipe, d_model = recipe, recipe.d_model
        self.table = nn.Parameter(_draw("table", recipe.seed, (n_words, d_model), START))
        self._place(n)
        self.stack = Stack([_draw_block(recipe, layer) for layer in range(recipe.n_layers)])
        self.gain, self.shift = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model))
        self.w_out = nn.Parameter(_draw("w_out", recipe.seed, (d_model, n_words), d_model**-0.5))
        self.b_out = nn.Parameter(torch.zeros(n_words))
        self.register_buffer("allowed", causal(n) if recipe.is_causal else None, persistent=False)

    def _place(self, n: int) -> None:
        """Make the positions' vectors; they learn only where that is asked."""
        kind, d_model = self.recipe.positions, self.recipe.d_model
        if kind == "learned":
            self.places = nn.Parameter(_draw("places", self.recipe.seed, (n, d_model), START))
        else:
            places = sinusoidal if kind == "sinusoidal" else no_positions
            self.register_buffer("places", places(n, d_model, dtype=torch.float32), persistent=False)

    def forward(
        self, tokens: Int[Tensor, "*B N"], generator: torch.Generator | None = None
    ) -> Float[Tensor, "*B N vocab"]:
        """Give the logits and keep no step: what training runs.

        Args:
            generator: Where dropout's randomness comes from; needed in training mode with a dropout_p.

        Raises:
            ValueError: more tokens than there are positions.
        """
        x, allowed = self._begin(tokens)
        for block in self.stack.blocks:
            x = _run_block(block, x, allowed, generator)
        x = F.layer_norm(x, x.shape[-1:], self.gain, self.shift, EPS)
        return torch.addmm(self.b_out, x.flatten(0, -2), self.w_out).view(*x.shape[:-1], -1)

    def trace(self, tokens: Int[Tensor, "*B N"]) -> ModelTrace:
        """Give the same logits with every step on the way, without dropout and without gradients.

        Raises:
            ValueError: more tokens than there are positions.
        """
        was_training = self.training
        with torch.no_grad():
            x, allowed = self._begin(tokens)
            stack = self.eval().stack(x, allowed=allowed)
            logits = normalise(stack.vectors[-1], self.gain, self.shift) @ self.w_out + self.b_out
        self.train(was_training)
        return ModelTrace(stack, logits)

    def _begin(
        self, tokens: Int[Tensor, "*B N"]
    ) -> tuple[Float[Tensor, "*B N d_model"], Bool[Tensor, "N N"] | None]:
        """Look the tokens up, add the positions; give the mask too."""
        n, most = tokens.shape[-1], len(self.places)
        if n > most:
            raise ValueError(f"the model reads at most {most} tokens, got {n}")
        allowed = None if self.allowed is None else self.allowed[:n, :n]
        return F.embedding(tokens, self.table) + self.places[:n], allowed


def _run_block(
    block: Block,
    x: Float[Tensor, "*B N d_model"],
    allowed: Bool[Tensor, "N N"] | None,
    generator: torch.Generator | None,
) -> Float[Tensor, "*B N d_model"]:
    """Run a layer without its record: the same parts in the same order, by PyTorch's own kernels."""
    attended = _run_attention(block.attention, _norm_if(block, "pre", x, 1), allowed, generator)
    x = _norm_if(block, "post", x + attended if block.has_residual else attended, 1)
    if block.feed_forward is None:
        return x
    fed = _run_feed_forward(block.feed_forward, _norm_if(block, "pre", x, 2))
    return _norm_if(block, "post", x + fed if block.has_residual else fed, 2)


def _norm_if(
    block: Block, where: str, x: Float[Tensor, "*B N d_model"], part: int
) -> Float[Tensor, "*B N d_model"]:
    """Normalise where the block's norm stands there."""
    if block.norm != where:
        return x
    gain, shift = (block.get_parameter(f"{name}_{part}") for name in ("gain", "shift"))
    return F.layer_norm(x, x.shape[-1:], gain, shift, block.eps)


def _run_attention(
    attention: MultiHeadAttention,
    x: Float[Tensor, "*B N d_model"],
    allowed: Bool[Tensor, "N N"] | None,
    generator: torch.Generator | None,
) -> Float[Tensor, "*B N d_model"]:
    """Attend in all heads by the fused kernel; with dropout, whose fused form draws from a global seed, step by step."""
    joint = x @ torch.cat([attention.w_q, attention.w_k, attention.w_v], dim=-1)
    q, k, v = (split_heads(part, attention.n_heads) for part in joint.chunk(3, dim=-1))
    if not (attention.training and attention.dropout_p):
        heads = F.scaled_dot_product_attention(q, k, v, is_causal=allowed is not None, scale=attention.scale)
        return merge_heads(heads) @ attention.w_o
    if generator is None:
        raise ValueError(f"dropout_p={attention.dropout_p} needs a generator, got None")
    masked = q * attention.scale @ k.transpose(-2, -1)
    if allowed is not None:
        masked = masked.masked_fill(~allowed, -torch.inf)
    weights = drop(masked.softmax(dim=-1), attention.dropout_p, generator)
    return merge_heads(weights @ v) @ attention.w_o


def _run_feed_forward(part: FeedForward, x: Float[Tensor, "*B N d_model"]) -> Float[Tensor, "*B N d_model"]:
    hidden = torch.addmm(part.b_1, x.flatten(0, -2), part.w_1)
    return torch.addmm(part.b_2, F.gelu(hidden), part.w_2).view(x.shape)


def _draw(name: str, seed: int, shape: tuple[int, ...], spread: float) -> Float[Tensor, "..."]:
    """Draw normal numbers of the name's own."""
    return torch.randn(shape, generator=generator_for(f"{seed}\0model\0{name}")) * spread


def _draw_block(recipe: Recipe, layer: int) -> Block:
    """Draw one layer."""
    d_model, seed, suffix = recipe.d_model, recipe.seed, f" of layer {layer}"
    d_ff, spread = FFN_FACTOR * d_model, d_model**-0.5
    attention = MultiHeadAttention(
        d_model,
        recipe.n_heads,
        generator=torch.Generator(),
        dropout_p=recipe.dropout_p,
        scale=recipe.scale,
    )
    shape = (d_model, d_model)
    attention.load_state_dict(
        {w: _draw(w + suffix, seed, shape, spread) for w in ("w_q", "w_k", "w_v", "w_o")}
    )
    w_1 = _draw("w_1" + suffix, seed, (d_model, d_ff), spread)
    w_2 = _draw("w_2" + suffix, seed, (d_ff, d_model), d_ff**-0.5)
    feed_forward = FeedForward(w_1, torch.zeros(d_ff), w_2, torch.zeros(d_model), "gelu")
    return Block(
        attention,
        feed_forward if recipe.has_ffn else None,
        norm=recipe.norm,
        has_residual=recipe.has_residual,
    )
