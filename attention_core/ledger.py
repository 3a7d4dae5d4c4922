"""The shape ledger: every step of a multi-head attention, read from the tensors of the layer that ran."""

from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.multi_head import MultiHeadAttention
from attention_core.sizes import Sizes, refuse_faults
from attention_core.steps import HALF
from attention_core.trace import MultiHeadTrace

Device = Literal["meta", "cpu"]
# What may be really run: weights and activations together.
MAX_REAL_BYTES = 2**26
# Steps that compute and whose FLOPs are not counted.
UNCOUNTED = frozenset({"scaled", "weights"})


@dataclass(frozen=True)
class Step:
    """One step, whatever the sizes.

    Attributes:
        name: Also the name that line gives the tensor; as in MultiHeadTrace where it has one.
        symbol: As notes write it.
        axes: Its shape in symbols: B, N, d_model, h, h_kv, d_k, h·d_k, h_kv·d_k.
        line: The line of PyTorch that makes it from the tensors above, the sizes, dtype and the weights.
    """

    name: str
    symbol: str
    axes: tuple[str, ...]
    line: str


@dataclass(frozen=True)
class Row:
    """One step as it ran.

    Attributes:
        dtype: Scores of half precision are float32.
        bytes: Of all its elements.
        shares_with: The first row whose memory this one looks at in another way; None: it has memory of its own.
        parameters: Numbers that were learnt and are used here.
        flops: A multiply-add as 2. Of products only: added vectors, scaling and softmax count as 0, as elsewhere.
        inner: How many multiply-adds make each number of a product; None: it is none.
    """

    step: Step
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    is_contiguous: bool
    dtype: str
    elements: int
    bytes: int
    shares_with: str | None
    parameters: int
    flops: int
    inner: int | None

    @property
    def own_bytes(self) -> int:
        """The bytes of memory of its own: what looks at another row's has none."""
        return self.bytes if self.shares_with is None else 0


@dataclass(frozen=True)
class Ledger:
    """All steps of one layer and what they come to.

    Attributes:
        d_k: Width of one head, as it came out.
        parameters: Of the layer, counted there.
        activation_bytes: Of the rows that have memory of their own, x among them. Not counted: the float32 copies
            of q and k that half precision takes in passing.
        device: "meta": shapes without numbers.
    """

    sizes: Sizes
    d_k: int
    rows: tuple[Row, ...]
    parameters: int
    parameter_bytes: int
    activation_bytes: int
    flops: int
    device: Device

    def row(self, name: str) -> Row:
        """Give the row of a step.

        Raises:
            ValueError: no such row; heads that have a key each are not repeated.
        """
        for row in self.rows:
            if row.step.name == name:
                return row
        raise ValueError(f"the rows are {', '.join(row.step.name for row in self.rows)}; got {name}")


@dataclass(frozen=True)
class Preset:
    """Sizes of the attention of a known model.

    Source: notes: the sizes that claim H1 is checked by. gpt2_small: Radford et al. 2019, table 2, first line, and
        the released hparams.json (n_ctx 1024, n_head 12). bert_base: Devlin et al. 2019, section 3 (L=12, H=768,
        A=12) and A.2 (512 positions). llama3_8b: Llama Team 2024 (The Llama 3 Herd of Models), table 3, and section
        3.4.1 (8192 positions before the context was made longer).
    """

    sizes: Sizes
    n_layers: int


PRESETS: dict[str, Preset] = {
    "notes": Preset(Sizes(batch=2, n=5, d_model=12, n_heads=3), n_layers=1),
    "gpt2_small": Preset(Sizes(batch=1, n=1024, d_model=768, n_heads=12, use_bias=True), n_layers=12),
    "bert_base": Preset(Sizes(batch=1, n=512, d_model=768, n_heads=12, use_bias=True), n_layers=12),
    "llama3_8b": Preset(
        Sizes(batch=1, n=8192, d_model=4096, n_heads=32, n_kv_heads=8, dtype="bfloat16"), n_layers=32
    ),
}


def list_steps(sizes: Sizes) -> tuple[Step, ...]:
    """Name the steps, in order; sizes may be illegal, only what they ask for counts.

    Returns:
        Steps without numbers. Heads are repeated only where n_kv_heads is not n_heads.

    Example:
        >>> [step.name for step in list_steps(Sizes(batch=2, n=5, d_model=12, n_heads=3))[:6]]
        ['x', 'q', 'k', 'v', 'q_cut', 'k_cut']
    """
    is_grouped, is_half = sizes.kv_heads != sizes.n_heads, getattr(torch, sizes.dtype) in HALF
    keys, values = ("k_repeated", "v_repeated") if is_grouped else ("k_heads", "v_heads")
    wide, narrow = (".float()", ".to(x.dtype)") if is_half else ("", "")

    def project(name: str, source: str) -> str:
        return f"{source} @ w_{name}" + (f" + b_{name}" if sizes.use_bias else "")

    heads = (("q", "h"), ("k", "h_kv"), ("v", "h_kv"))
    made = [("x", "X", "B N d_model", "torch.randn(B, N, d_model, dtype=dtype)")]
    made += [(x, x.upper(), f"B N {h}·d_k", project(x, "x")) for x, h in heads]
    made += [(f"{x}_cut", f"{x.upper()}_cut", f"B N {h} d_k", f"{x}.view(B, N, {h}, d_k)") for x, h in heads]
    made += [(f"{x}_heads", f"{x.upper()}_h", f"B {h} N d_k", f"{x}_cut.transpose(1, 2)") for x, h in heads]
    if is_grouped:
        repeat = "_heads.repeat_interleave(h // h_kv, dim=1)"
        made += [(f"{x}_repeated", f"{x.upper()}_rep", "B h N d_k", x + repeat) for x in ("k", "v")]
    made += [
        ("scores", "S", "B h N N", f"q_heads{wide} @ {keys}{wide}.transpose(-2, -1)"),
        ("scaled", "S/√d_k", "B h N N", "scores * d_k**-0.5"),
        ("weights", "A", "B h N N", f"scaled.softmax(dim=-1){narrow}"),
        ("out_heads", "O_h", "B h N d_k", f"weights @ {values}"),
        ("turned", "O_cut", "B N h d_k", "out_heads.transpose(1, 2)"),
        ("merged", "O", "B N h·d_k", "turned.reshape(B, N, h * d_k)"),
        ("out", "Y", "B N d_model", project("o", "merged")),
    ]
    return tuple(
        Step(name, symbol, tuple(axes.split()), f"{name} = {line}") for name, symbol, axes, line in made
    )


def build_ledger(sizes: Sizes, device: Device = "meta") -> Ledger:
    """Run a layer of these sizes and write down every tensor.

    Args:
        device: "meta" runs the same code on tensors that have shapes and no numbers, whatever they would take. "cpu"
            runs it with zeros.

    Returns:
        Rows in the order of the run.

    Raises:
        ValueError: sizes that break a rule, or more than MAX_REAL_BYTES to be really run.

    Example:
        >>> ledger = build_ledger(PRESETS["notes"].sizes)
        >>> [ledger.row(name).shape for name in ("x", "q_heads", "scores", "out_heads", "merged")]
        [(2, 5, 12), (2, 3, 5, 4), (2, 3, 5, 5), (2, 3, 5, 4), (2, 5, 12)]

    Cost: on "meta" that of the calls alone, a few milliseconds.
    """
    refuse_faults(sizes)
    if device == "cpu":
        dry = build_ledger(sizes)
        if (needed := dry.activation_bytes + dry.parameter_bytes) > MAX_REAL_BYTES:
            raise ValueError(f"{needed} bytes are more than MAX_REAL_BYTES={MAX_REAL_BYTES}: run it on meta")
    kind = {"dtype": getattr(torch, sizes.dtype), "device": device}
    layer = MultiHeadAttention(
        sizes.d_model,
        sizes.n_heads,
        sizes.n_kv_heads,
        generator=torch.Generator(),
        use_bias=sizes.use_bias,
        **kind,
    )
    with torch.no_grad():
        trace = layer(torch.zeros(sizes.batch, sizes.n, sizes.d_model, **kind))
    rows = _read_rows(list_steps(sizes), trace, layer)
    return Ledger(
        sizes=sizes,
        d_k=trace.q_heads.shape[-1],
        rows=rows,
        parameters=sum(parameter.numel() for parameter in layer.parameters()),
        parameter_bytes=sum(parameter.nbytes for parameter in layer.parameters()),
        activation_bytes=sum(row.own_bytes for row in rows),
        flops=sum(row.flops for row in rows),
        device=device,
    )


def _tensors_of(trace: MultiHeadTrace) -> dict[str, Float[Tensor, "..."]]:
    """Give the tensors of a run by the names of the steps."""
    attention = trace.attention
    parts = {"scores": attention.scores, "scaled": attention.scaled, "weights": attention.weights}
    return {**vars(trace), "x": trace.x_q, **parts, "out_heads": attention.out}


def _read_rows(steps: tuple[Step, ...], trace: MultiHeadTrace, layer: MultiHeadAttention) -> tuple[Row, ...]:
    """Read what each step left behind."""
    tensors = _tensors_of(trace)
    products = {"q": "x", "k": "x", "v": "x", "scores": "q_heads", "out_heads": "weights", "out": "merged"}
    projections = {"q": "q", "k": "k", "v": "v", "out": "o"}
    learnt = dict(layer.named_parameters())
    # A storage is one object for all tensors that look at it; on meta it has no address to tell it by.
    owners: dict[torch.UntypedStorage, str] = {}
    rows = []
    for step in steps:
        x = tensors[step.name]
        owner = owners.setdefault(x.untyped_storage(), step.name)
        used = [f"{kind}_{projections.get(step.name)}" for kind in "wb"]
        inner = tensors[products[step.name]].shape[-1] if step.name in products else None
        rows.append(
            Row(
                step=step,
                shape=tuple(x.shape),
                strides=x.stride(),
                is_contiguous=x.is_contiguous(),
                dtype=str(x.dtype).removeprefix("torch."),
                elements=x.numel(),
                bytes=x.nbytes,
                shares_with=None if owner == step.name else owner,
                parameters=sum(learnt[name].numel() for name in used if name in learnt),
                flops=2 * x.numel() * (inner or 0),
                inner=inner,
            )
        )
    return tuple(rows)
