"""Several attentions side by side: split the width into heads, attend in each, merge, project."""

import torch
from jaxtyping import Bool, Float, Shaped
from torch import Tensor, nn

from attention_core.steps import repeat_heads, scaled_dot_product_attention
from attention_core.trace import MultiHeadTrace


def split_heads(x: Float[Tensor, "*B N d_model"], n_heads: int) -> Float[Tensor, "*B H N d_k"]:
    """Cut the width into equal parts and give each head its part of every position.

        heads[h, n, i] = x[n, h · d_k + i],  d_k = d_model / n_heads

    Returns:
        A view of x, with the heads before the positions.

    Raises:
        ValueError: a width that n_heads does not divide.

    Example:
        >>> split_heads(torch.tensor([[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]]), 2).tolist()
        [[[0.0, 1.0], [4.0, 5.0]], [[2.0, 3.0], [6.0, 7.0]]]

    Source: Vaswani et al. 2017, section 3.2.2.
    """
    return turn_heads(cut_width(x, n_heads))


def cut_width(x: Float[Tensor, "*B N d_model"], n_heads: int) -> Float[Tensor, "*B N H d_k"]:
    """Cut the width into equal parts; the first half of splitting.

        cut[n, h, i] = x[n, h · d_k + i],  d_k = d_model / n_heads

    Returns:
        A view of x, with the positions still before the heads.

    Raises:
        ValueError: a width that n_heads does not divide.

    Example:
        >>> cut_width(torch.tensor([[0.0, 1.0, 2.0, 3.0]]), 2).tolist()
        [[[0.0, 1.0], [2.0, 3.0]]]
    """
    if n_heads < 1 or x.shape[-1] % n_heads:
        raise ValueError(
            f"the width must be a multiple of n_heads, got d_model={x.shape[-1]}, n_heads={n_heads}"
        )
    return x.unflatten(-1, (n_heads, x.shape[-1] // n_heads))


def turn_heads(x: Float[Tensor, "*B N H d_k"]) -> Float[Tensor, "*B H N d_k"]:
    """Put heads before positions, or positions before heads again: half of splitting, and half of merging.

    Returns:
        A view of x.

    Example:
        >>> turn_heads(torch.tensor([[[0.0], [1.0]], [[2.0], [3.0]]])).flatten().tolist()
        [0.0, 2.0, 1.0, 3.0]
    """
    return x.transpose(-3, -2)


def merge_heads(heads: Float[Tensor, "*B H N d_v"]) -> Float[Tensor, "*B N H*d_v"]:
    """Put the heads' outputs side by side again; the inverse of splitting.

        merged[n, h · d_v + i] = heads[h, n, i]

    Example:
        >>> merge_heads(torch.tensor([[[0.0, 1.0], [4.0, 5.0]], [[2.0, 3.0], [6.0, 7.0]]])).tolist()
        [[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]]

    Source: Vaswani et al. 2017, section 3.2.2.
    """
    return join_width(turn_heads(heads))


def join_width(turned: Float[Tensor, "*B N H d_v"]) -> Float[Tensor, "*B N H*d_v"]:
    """Make one width of the heads' parts; the second half of merging.

        joined[n, h · d_v + i] = turned[n, h, i]

    Example:
        >>> join_width(torch.tensor([[[0.0, 1.0], [2.0, 3.0]]])).tolist()
        [[0.0, 1.0, 2.0, 3.0]]
    """
    *_, n_heads, d_v = turned.shape
    return turned.reshape(*turned.shape[:-2], n_heads * d_v)  # view would refuse: turning changed the strides


class MultiHeadAttention(nn.Module):
    """Project to queries, keys and values, attend in several heads, merge them and project back.

        out = merge(attention(split(x_q w_q), split(x_k w_k), split(x_v w_v))) w_o

    Each head reads all of x: it is the projections that are split. Weights multiply from the right. Batches come
    first: positions are the last axis but one.

    Args:
        n_kv_heads: Heads of keys and values, a divisor of n_heads. None: as many as n_heads.
        d_k: Width of one head's queries and keys. None: d_model / n_heads.
        d_v: Width of one head's values. None: d_k.
        d_model_k: Width of what keys are projected from. None: d_model.
        d_model_v: Width of what values are projected from. None: d_model_k.
        dropout_p: Chance that an attention weight is dropped, in training mode only.
        scale: What scores are multiplied by. None: 1/√d_k.
        use_bias: Adds a vector after each of the four projections.
        generator: Where the initial weights come from: uniform within ±1/√(rows), biases too, as in nn.Linear.
        device: Where the weights lie. On "meta" they have shapes and no numbers, and take no memory.

    Raises:
        ValueError: sizes below 1 or that do not divide, a dropout_p outside 0 to 1.

    Example:
        >>> layer = MultiHeadAttention(12, 3, generator=torch.Generator().manual_seed(0))
        >>> trace = layer(torch.zeros(2, 5, 12))
        >>> tuple(trace.q_heads.shape), tuple(trace.attention.weights.shape), tuple(trace.out.shape)
        ((2, 3, 5, 4), (2, 3, 5, 5), (2, 5, 12))

    Names: n_kv_heads = 1 is multi-query attention, 1 < n_kv_heads < n_heads grouped-query attention. d_model_k and
        d_model_v are nn.MultiheadAttention's kdim and vdim.
    Source: Vaswani et al. 2017, section 3.2.2; Shazeer 2019; Ainslie et al. 2023, section 2.2.
    """

    w_q: Float[Tensor, "d_model H_d_k"]
    w_k: Float[Tensor, "d_model_k H_kv_d_k"]
    w_v: Float[Tensor, "d_model_v H_kv_d_v"]
    w_o: Float[Tensor, "H_d_v d_model"]
    b_q: Float[Tensor, " H_d_k"] | None
    b_k: Float[Tensor, " H_kv_d_k"] | None
    b_v: Float[Tensor, " H_kv_d_v"] | None
    b_o: Float[Tensor, " d_model"] | None

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        n_kv_heads: int | None = None,
        *,
        generator: torch.Generator,
        d_k: int | None = None,
        d_v: int | None = None,
        d_model_k: int | None = None,
        d_model_v: int | None = None,
        dropout_p: float | int = 0.0,
        scale: float | int | None = None,
        use_bias: bool = False,
        dtype: torch.dtype | None = None,
        device: torch.device | str | None = None,
    ) -> None:
        super().__init__()
        n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
        _check_heads(d_model, n_heads, n_kv_heads, d_k)
        d_k = d_model // n_heads if d_k is None else d_k
        d_v = d_k if d_v is None else d_v
        d_model_k = d_model if d_model_k is None else d_model_k
        d_model_v = d_model_k if d_model_v is None else d_model_v
        _check_widths(d_k=d_k, d_v=d_v, d_model_k=d_model_k, d_model_v=d_model_v)
        if not 0 <= dropout_p <= 1:
            raise ValueError(f"dropout_p must lie within 0 and 1, got {dropout_p}")
        self.n_heads, self.n_kv_heads, self.dropout_p, self.scale = n_heads, n_kv_heads, dropout_p, scale
        shapes = {
            "q": (d_model, n_heads * d_k),
            "k": (d_model_k, n_kv_heads * d_k),
            "v": (d_model_v, n_kv_heads * d_v),
            "o": (n_heads * d_v, d_model),
        }
        kind = {"dtype": dtype, "device": device}
        for name, (rows, columns) in shapes.items():
            w = _uniform(torch.empty(rows, columns, **kind), rows, generator)
            self.register_parameter(f"w_{name}", w)
            b = _uniform(torch.empty(columns, **kind), rows, generator) if use_bias else None
            self.register_parameter(f"b_{name}", b)

    @classmethod
    def from_torch(cls, module: nn.MultiheadAttention) -> "MultiHeadAttention":
        """Copy PyTorch's layer: the same weights, dropout and mode give the same output.

        Args:
            module: Its inputs are batch first here, whatever its own batch_first says.

        Returns:
            A layer with its own copy of the weights, transposed: PyTorch multiplies by them from the left.

        Raises:
            ValueError: a layer with add_bias_kv or add_zero_attn, which add keys of their own.

        Example:
            >>> theirs = nn.MultiheadAttention(6, 2, batch_first=True)
            >>> x = torch.ones(1, 3, 6)
            >>> torch.allclose(MultiHeadAttention.from_torch(theirs)(x).out, theirs(x, x, x)[0])
            True
        """
        if module.bias_k is not None or module.add_zero_attn:
            raise ValueError(
                "a layer that adds keys of its own has no counterpart, got "
                f"add_bias_kv={module.bias_k is not None} and add_zero_attn={module.add_zero_attn}"
            )
        ours = cls(
            module.embed_dim,
            module.num_heads,
            generator=torch.Generator(),
            d_model_k=module.kdim,
            d_model_v=module.vdim,
            dropout_p=module.dropout,
            use_bias=module.in_proj_bias is not None,
            dtype=module.out_proj.weight.dtype,
        ).to(module.out_proj.weight.device)
        if module.in_proj_weight is not None:
            w_q, w_k, w_v = module.in_proj_weight.chunk(3)
        else:
            w_q, w_k, w_v = module.q_proj_weight, module.k_proj_weight, module.v_proj_weight
        theirs = {"w_q": w_q.T, "w_k": w_k.T, "w_v": w_v.T, "w_o": module.out_proj.weight.T}
        if module.in_proj_bias is not None:
            theirs |= dict(zip(("b_q", "b_k", "b_v"), module.in_proj_bias.chunk(3), strict=True))
            theirs["b_o"] = module.out_proj.bias
        ours.load_state_dict(theirs)
        return ours.train(module.training)

    def forward(
        self,
        x_q: Float[Tensor, "*B N d_model"],
        x_kv: Float[Tensor, "*B M d_model_k"] | None = None,
        x_v: Float[Tensor, "*B M d_model_v"] | None = None,
        *,
        allowed: Bool[Tensor, "..."] | None = None,
        bias: Float[Tensor, "..."] | None = None,
        generator: torch.Generator | None = None,
    ) -> MultiHeadTrace:
        """Attend from x_q to x_kv, and record every step.

        Args:
            x_kv: What keys and values are projected from. None: x_q, self-attention.
            x_v: What values are projected from, where it is not what keys are.
            allowed: True where query n may see key m: one mask for all, with two axes, or one with every axis of
                the scores, heads before queries, each of full size or 1. None allows every pair.
            bias: Added to the scaled scores; the same axes.
            generator: Where dropout's randomness comes from; needed in training mode with a dropout_p.

        Returns:
            The trace. A query that may see no key gets b_o, or zeros without bias.

        Raises:
            ValueError: shapes or types that do not fit, dropout without a generator.
        """
        x_kv = x_q if x_kv is None else x_kv
        x_v = x_kv if x_v is None else x_v
        for name, x, weight in (("x_q", x_q, self.w_q), ("x_kv", x_kv, self.w_k), ("x_v", x_v, self.w_v)):
            _check_input(name, x, weight)
        for name, mask in (("allowed", allowed), ("bias", bias)):
            _check_axes(name, mask, x_q.ndim + 1)
        q = project(x_q, self.w_q, self.b_q)
        k = project(x_kv, self.w_k, self.b_k)
        v = project(x_v, self.w_v, self.b_v)
        cut = (cut_width(q, self.n_heads), cut_width(k, self.n_kv_heads), cut_width(v, self.n_kv_heads))
        q_heads, k_heads, v_heads = heads = tuple(map(turn_heads, cut))
        repeated = (self._repeat(k_heads), self._repeat(v_heads))
        attention = scaled_dot_product_attention(
            q_heads,
            *repeated,
            allowed=allowed,
            bias=bias,
            scale=self.scale,
            dropout_p=self.dropout_p if self.training else 0.0,
            generator=generator,
        )
        turned = turn_heads(attention.out)
        merged = join_width(turned)
        out = project(merged, self.w_o, self.b_o)
        return MultiHeadTrace(
            x_q, x_kv, x_v, q, k, v, *cut, *heads, *repeated, attention, turned, merged, out
        )

    def _repeat(self, heads: Float[Tensor, "*B H_kv M d_k"]) -> Float[Tensor, "*B H M d_k"]:
        """Give each query head a key/value head; those that have one each already are left as they are."""
        group_size = self.n_heads // self.n_kv_heads
        return heads if group_size == 1 else repeat_heads(heads, group_size)


def _uniform(x: Float[Tensor, "..."], n_inputs: int, generator: torch.Generator) -> nn.Parameter:
    """Make a parameter of numbers within ±1/√n_inputs."""
    bound = n_inputs**-0.5
    return nn.Parameter(nn.init.uniform_(x, -bound, bound, generator=generator))


def project(
    x: Float[Tensor, "*B N d_model"], w: Float[Tensor, "d_model d_k"], b: Float[Tensor, " d_k"] | None
) -> Float[Tensor, "*B N d_k"]:
    """Multiply by a weight from the right and add the layer's b, where it has one."""
    return x @ w if b is None else x @ w + b


def _check_heads(d_model: int, n_heads: int, n_kv_heads: int, d_k: int | None) -> None:
    """Refuse sizes that do not divide, before any tensor is made."""
    if min(d_model, n_heads, n_kv_heads) < 1:
        raise ValueError(
            f"sizes must be at least 1, got d_model={d_model}, n_heads={n_heads} and n_kv_heads={n_kv_heads}"
        )
    if d_k is None and d_model % n_heads:
        raise ValueError(
            f"d_model must be a multiple of n_heads where d_k is not given, "
            f"got d_model={d_model} and n_heads={n_heads}"
        )
    if n_heads % n_kv_heads:
        raise ValueError(
            f"n_heads must be a multiple of n_kv_heads, got n_heads={n_heads} and n_kv_heads={n_kv_heads}"
        )


def _check_widths(**widths: int) -> None:
    """Refuse widths below 1."""
    if min(widths.values()) < 1:
        named = ", ".join(f"{name}={width}" for name, width in widths.items())
        raise ValueError(f"widths must be at least 1, got {named}")


def _check_input(name: str, x: Float[Tensor, "..."], weight: Float[Tensor, "d_model d_k"]) -> None:
    """Refuse an input that the weight cannot multiply."""
    if not isinstance(x, Tensor):
        raise ValueError(f"{name} must be a torch.Tensor, got {type(x).__name__}")
    if x.ndim < 2 or x.shape[-1] != weight.shape[0]:
        raise ValueError(
            f"{name} must have positions and a width of {weight.shape[0]}, got shape {tuple(x.shape)}"
        )
    if x.dtype != weight.dtype:
        raise ValueError(f"{name} must have the type of the weights, {weight.dtype}, got {x.dtype}")
    if x.device != weight.device:
        raise ValueError(f"{name} must be where the weights are, on {weight.device}, got {x.device}")


def _check_axes(name: str, mask: Shaped[Tensor, "..."] | None, n_axes: int) -> None:
    """Refuse a mask whose first axis could be taken for heads or for the batch."""
    if isinstance(mask, Tensor) and mask.ndim not in (2, n_axes):
        raise ValueError(
            f"{name} must have two axes, queries and keys, or all {n_axes} of the scores, heads before queries: "
            f"got {mask.ndim} in shape {tuple(mask.shape)}"
        )
