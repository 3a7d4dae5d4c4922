"""Claim S5: weights all alike, weights all on one key and a gradient that is gone have causes, and cures that work."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from attention_core.components import MAX_BYTES, NUMBER_BYTES
from attention_core.device import CPU, Kind
from attention_core.experiments.scaling import DIVISORS, Divisor, divided_by
from attention_core.multi_head import merge_heads, split_heads
from attention_core.sharpness import entropy, jacobian_norm, largest_weight
from attention_core.steps import scaled_dot_product_attention
from attention_core.trace import AttentionTrace

Init = Literal["xavier", "tiny", "huge"]
Symptom = Literal["uniform", "one_hot", "gradient_gone"]

# Times the standard deviation of Xavier.
INIT_FACTORS: dict[Init, float] = {"xavier": 1.0, "tiny": 0.02, "huge": 10.0}
LAYER_NORM_EPSILON = 1e-5
# Of each factor a reader may set; eight layers of such numbers stay within float64.
SMALLEST, LARGEST = 1e-6, 1e6

# Where a symptom begins: our choice, well apart from what healthy stacks show.
UNIFORM_SHARE = 0.99
ONE_HOT_WEIGHT = 0.9
ONE_HOT_ROWS = 1 / 3
GONE_SHARE = 1e-3
# Which meter shows which symptom, and from where on.
THRESHOLDS: dict[str, tuple[Symptom, float]] = {
    "entropy_share": ("uniform", UNIFORM_SHARE),
    "one_hot_rows": ("one_hot", ONE_HOT_ROWS),
    "x_gradient": ("gradient_gone", GONE_SHARE),
    "q_gradient": ("gradient_gone", GONE_SHARE),
}


def bytes_of_stack(n_layers: int, n: int, d_model: int, n_heads: int) -> int:
    """Bound the memory of a pass: the matrices and their gradients, the rows and what softmax keeps."""
    numbers = 12 * d_model**2 + 8 * n_heads * n**2 + 24 * n * d_model
    return n_layers * numbers * NUMBER_BYTES


def _nearest(n: int, d_model: int, n_heads: int) -> str:
    """Name the largest number of layers that fits, or where not even one does, the largest width."""
    one = bytes_of_stack(1, n, d_model, n_heads)
    if one <= MAX_BYTES:
        return f"n_layers={MAX_BYTES // one}"
    widths = range(n_heads, min(d_model, 4096), n_heads)
    fitting = [width for width in widths if bytes_of_stack(1, n, width, n_heads) <= MAX_BYTES]
    return f"n_layers=1 with d_model={fitting[-1]}" if fitting else "a smaller n"


@dataclass(frozen=True)
class Setup:
    """A stack of attention layers, healthy as it stands.

    Attributes:
        init: Xavier draws w_q, w_k, w_v and w_o with variance 2 / (rows + columns).
        embedding_std: Of the components of the input vectors.
        key_factor: All keys are multiplied by it.
        standout: The first token's input vector is multiplied by it.
        temperature: The scaled scores are divided by it, whatever the divisor is.
        has_layer_norm: Before each layer, without trainable numbers.
        has_residual: x + layer(x), else layer(x).
    """

    init: Init = "xavier"
    embedding_std: float | int = 1.0
    key_factor: float | int = 1.0
    standout: float | int = 1.0
    divisor: Divisor = "sqrt_d_k"
    temperature: float | int = 1.0
    has_layer_norm: bool = True
    has_residual: bool = True
    n_layers: int = 6
    n: int = 16
    d_model: int = 256
    n_heads: int = 4

    def __post_init__(self) -> None:
        divisors = tuple(name for name in DIVISORS if name != "temperature")
        for name, choices in (("init", tuple(INIT_FACTORS)), ("divisor", divisors)):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}, got {getattr(self, name)}")
        for name in ("embedding_std", "key_factor", "standout", "temperature"):
            if not SMALLEST <= getattr(self, name) <= LARGEST:
                raise ValueError(
                    f"{name} must be from {SMALLEST:g} to {LARGEST:g}, got {getattr(self, name):g}"
                )
        if not 1 <= self.n_layers <= 8 or self.n < 2 or self.n_heads < 1:
            raise ValueError(
                "n_layers must be from 1 to 8, n at least 2 and n_heads at least 1, "
                f"got {self.n_layers}, {self.n} and {self.n_heads}"
            )
        if self.d_model < self.n_heads or self.d_model % self.n_heads:
            raise ValueError(f"d_model must be a multiple of n_heads, got {self.d_model} and {self.n_heads}")
        needed = bytes_of_stack(self.n_layers, self.n, self.d_model, self.n_heads)
        if needed > MAX_BYTES:
            raise ValueError(
                f"the stack must need at most {MAX_BYTES} bytes, got {needed}; "
                f"the nearest that fits is {_nearest(self.n, self.d_model, self.n_heads)}"
            )


@dataclass(frozen=True)
class LayerMeters:
    """What one layer shows; means over its heads and queries where there are several.

    Attributes:
        entropy_share: Entropy / log(n): 1 where all keys get the same.
        one_hot_rows: Share of rows whose largest weight is above ONE_HOT_WEIGHT.
        scaled_std: Of the scores as softmax gets them.
        x_rms: Root mean square of the numbers that enter the layer.
        token_spread: How far the vectors that enter lie from their mean, as a share of their length: 0 where all
            tokens have become one.
        q_norm: Length of a query; k_norm of a key, largest_k_norm of the longest.
        x_gradient: Norm of the loss's gradient by what enters the layer, over that by what leaves the stack.
        q_gradient: Norm of the gradient by w_q over that by w_v: what learning where to look gets beside
            learning what to take.
    """

    largest_weight: float
    entropy_share: float
    one_hot_rows: float
    jacobian_norm: float
    scaled_std: float
    x_rms: float
    token_spread: float
    q_norm: float
    k_norm: float
    largest_k_norm: float
    x_gradient: float
    q_gradient: float

    @property
    def symptoms(self) -> tuple[Symptom, ...]:
        """Name the symptoms of this layer alone."""
        return symptoms_of((self,))


METERS = tuple(field.name for field in fields(LayerMeters))


@dataclass(frozen=True)
class Sign:
    """A meter that shows a symptom, in the layer where it is worst.

    Attributes:
        layer: Counted from 1; the first of several that are equally bad.
    """

    meter: str
    symptom: Symptom
    threshold: float
    layer: int
    value: float
    is_there: bool


@dataclass(frozen=True)
class CheckUp:
    """The meters of a stack after one forward and one backward pass, and what they say.

    Attributes:
        uniform_weight: Largest weight of a uniform row, 1/n: no row can be below.
        divisor: What the scores were divided by, the temperature included.
        symptoms: uniform: in some layer entropy_share is above UNIFORM_SHARE. one_hot: in some layer one_hot_rows
            is ONE_HOT_ROWS or more. gradient_gone: in some layer x_gradient or q_gradient is below GONE_SHARE.
    """

    setup: Setup
    layers: tuple[LayerMeters, ...]
    uniform_weight: float
    divisor: float
    symptoms: tuple[Symptom, ...]


@dataclass(frozen=True)
class Cause:
    """One fault in an otherwise healthy stack, what it does, and what undoes it.

    Attributes:
        cures: Names in CURES.
        also: What it shows beside its main symptom, in a stack as deep as `setup` says.
    """

    setup: Setup
    symptom: Symptom
    cures: tuple[str, ...]
    also: tuple[Symptom, ...] = ()

    @property
    def symptoms(self) -> tuple[Symptom, ...]:
        """Name all symptoms, the main one first."""
        return (self.symptom, *self.also)


_GONE: tuple[Symptom, ...] = ("gradient_gone",)
CAUSES: dict[str, Cause] = {
    "tiny_init": Cause(Setup(init="tiny"), "uniform", ("xavier",), _GONE),
    "huge_init": Cause(Setup(init="huge"), "one_hot", ("xavier",)),
    # A layer norm alone does not help here: what a layer adds is then large beside x and nearly the same for all
    # tokens, so the next layer finds them alike.
    "small_embeddings": Cause(Setup(embedding_std=0.02, has_layer_norm=False), "uniform", ("norms",), _GONE),
    # How deep a stack must be before the gradient is gone too depends on the draws; eight layers always are.
    "large_embeddings": Cause(
        Setup(embedding_std=10.0, has_layer_norm=False), "one_hot", ("layer_norm",), _GONE
    ),
    "small_keys": Cause(Setup(key_factor=0.02), "uniform", ("norms",)),
    "large_keys": Cause(Setup(key_factor=30.0), "one_hot", ("norms",)),
    "standing_out": Cause(Setup(standout=100.0, has_layer_norm=False), "one_hot", ("layer_norm",), _GONE),
    "no_divisor": Cause(Setup(divisor="none"), "one_hot", ("scale",)),
    "divisor_d_k": Cause(Setup(divisor="d_k"), "uniform", ("scale",)),
    "too_hot": Cause(Setup(temperature=30.0), "uniform", ("temperature",)),
    "too_cold": Cause(Setup(temperature=0.03), "one_hot", ("temperature",)),
    "depth_without_residual": Cause(Setup(has_residual=False), "gradient_gone", ("residual",), ("uniform",)),
}
# The patient that stands for each symptom, by its cause.
PATIENTS: dict[Symptom, str] = {
    "uniform": "tiny_init",
    "one_hot": "no_divisor",
    "gradient_gone": "depth_without_residual",
}
CURES: dict[str, dict[str, object]] = {
    "xavier": {"init": "xavier"},
    "scale": {"divisor": "sqrt_d_k"},
    "layer_norm": {"has_layer_norm": True},
    "temperature": {"temperature": 1.0},
    "residual": {"has_residual": True},
    "norms": {"key_factor": 1.0, "embedding_std": 1.0, "standout": 1.0},
}


def causes_of(symptom: Symptom) -> tuple[str, ...]:
    """Name the causes that show a symptom: those whose main one it is first.

    Example:
        >>> causes_of("gradient_gone")[:2]
        ('depth_without_residual', 'tiny_init')
    """
    shown = [name for name, cause in CAUSES.items() if symptom in cause.symptoms]
    return tuple(sorted(shown, key=lambda name: CAUSES[name].symptom != symptom))


def divisor_of(setup: Setup) -> float:
    """Give what a stack divides its scores by, the temperature included.

    Example:
        >>> [divisor_of(CAUSES[name].setup) for name in ("no_divisor", "divisor_d_k", "too_hot")]
        [1.0, 64.0, 240.0]
    """
    d_k = setup.d_model // setup.n_heads
    return divided_by(setup.divisor, d_k, n_heads=setup.n_heads) * setup.temperature


def cure(setup: Setup, cures: Sequence[str]) -> Setup:
    """Apply cures by their names in CURES; what they do not touch stays.

    Raises:
        ValueError: a name that is none.
    """
    for name in cures:
        if name not in CURES:
            raise ValueError(f"a cure must be one of {', '.join(CURES)}, got {name}")
        setup = replace(setup, **CURES[name])
    return setup


def check_up(setup: Setup | None = None, *, seed: int = 0, device: Kind = CPU) -> CheckUp:
    """Send drawn vectors through a stack and a loss's gradient back, and read the meters of every layer.

        L = Σ c · x_last

    Args:
        setup: None for the healthy one.
        seed: For vectors, matrices and c. Setups of the same sizes get the same draws, enlarged or not, so that
            a cure is seen on the patient that was ill.

    Returns:
        Meters and symptoms. Theory: healthy scaled scores spread by about 1. Smaller factors make the weights
        alike, larger ones one-hot; without residual sums every layer averages the tokens until all are one.

    Source: Xavier: Glorot and Bengio 2010, eq. (16). Layer norm before the layer: Xiong et al. 2020. Tokens that
        become one: Dong, Cordonnier and Loukas 2021. The loss is our choice: c, normal, is the gradient that
        enters from above. No feed-forward part, so that only attention is examined.
    """
    setup = setup or Setup()
    x, layers, c = draw_stack(setup, seed, device)
    entered, traces, keys = run_stack(x, layers, setup)
    loss = (c * entered[-1]).sum()
    wanted = entered + [matrices[side] for matrices in layers for side in (0, 2)]
    gradients = torch.autograd.grad(loss, wanted)
    by_x, by_w = gradients[: len(entered)], gradients[len(entered) :]
    meters = tuple(
        _read_layer(
            entered[layer].detach(),
            traces[layer],
            keys[layer],
            _share(by_x[layer], by_x[-1]),
            _share(by_w[2 * layer], by_w[2 * layer + 1]),
        )
        for layer in range(setup.n_layers)
    )
    return CheckUp(setup, meters, 1 / setup.n, divisor_of(setup), symptoms_of(meters))


def draw_stack(
    setup: Setup, seed: int, device: Kind = CPU
) -> tuple[
    Float[Tensor, "N d_model"], list[tuple[Float[Tensor, "d_model d_model"], ...]], Float[Tensor, "N d_model"]
]:
    """Draw the input vectors, each layer's w_q, w_k, w_v and w_o, and the gradient that enters from above."""
    generator = torch.Generator().manual_seed(seed)

    def randn(*shape: int) -> Float[Tensor, "..."]:
        # On the processor, so that every device gets the same numbers.
        return torch.randn(*shape, generator=generator, dtype=torch.float64).to(device)

    x, c = (randn(setup.n, setup.d_model) for _ in range(2))
    x = x * setup.embedding_std
    x[0] *= setup.standout
    std = INIT_FACTORS[setup.init] * math.sqrt(2 / (2 * setup.d_model))
    layers = [randn(4, setup.d_model, setup.d_model) * std for _ in range(setup.n_layers)]
    return x.requires_grad_(), [tuple(w.requires_grad_() for w in matrices) for matrices in layers], c


def run_stack(
    x: Float[Tensor, "N d_model"], layers: Sequence[Sequence[Float[Tensor, "d_model d_model"]]], setup: Setup
) -> tuple[
    list[Float[Tensor, "N d_model"]], list[AttentionTrace], list[tuple[Float[Tensor, "H N d_k"], ...]]
]:
    """Send x through all layers.

    Returns:
        What enters each layer and what leaves the last; the traces; q and k of each layer.
    """
    entered, traces, keys = [x], [], []
    for matrices in layers:
        trace, qk, out = _run_layer(entered[-1], matrices, setup)
        traces.append(trace)
        keys.append(qk)
        entered.append(entered[-1] + out if setup.has_residual else out)
    return entered, traces, keys


def _run_layer(
    x: Float[Tensor, "N d_model"], matrices: Sequence[Float[Tensor, "d_model d_model"]], setup: Setup
) -> tuple[AttentionTrace, tuple[Float[Tensor, "H N d_k"], ...], Float[Tensor, "N d_model"]]:
    w_q, w_k, w_v, w_o = matrices
    inner = x
    if setup.has_layer_norm:
        inner = torch.nn.functional.layer_norm(x, x.shape[-1:], eps=LAYER_NORM_EPSILON)
    q, k, v = (split_heads(inner @ w, setup.n_heads) for w in (w_q, w_k, w_v))
    k = k * setup.key_factor
    trace = scaled_dot_product_attention(q, k, v, scale=1 / divisor_of(setup))
    return trace, (q.detach(), k.detach()), merge_heads(trace.out) @ w_o


def _read_layer(
    x: Float[Tensor, "N d_model"],
    trace: AttentionTrace,
    qk: tuple[Float[Tensor, "H N d_k"], ...],
    x_gradient: float,
    q_gradient: float,
) -> LayerMeters:
    weights, (q, k) = trace.weights.detach(), qk
    largest = largest_weight(weights)
    return LayerMeters(
        largest_weight=float(largest.mean()),
        entropy_share=float(entropy(weights).mean()) / math.log(weights.shape[-1]),
        one_hot_rows=float((largest > ONE_HOT_WEIGHT).double().mean()),
        jacobian_norm=float(jacobian_norm(weights).mean()),
        scaled_std=float(trace.scaled.detach().std()),
        x_rms=float(x.square().mean().sqrt()),
        token_spread=_share(x - x.mean(dim=0), x),
        q_norm=float(q.norm(dim=-1).mean()),
        k_norm=float(k.norm(dim=-1).mean()),
        largest_k_norm=float(k.norm(dim=-1).max()),
        x_gradient=x_gradient,
        q_gradient=q_gradient,
    )


def signs_of(layers: Sequence[LayerMeters]) -> tuple[Sign, ...]:
    """Find for each meter of THRESHOLDS the layer in which it is worst."""
    signs = []
    for meter, (symptom, threshold) in THRESHOLDS.items():
        values = [getattr(layer, meter) for layer in layers]
        value = min(values) if symptom == "gradient_gone" else max(values)
        is_there = {
            "uniform": value > threshold,
            "one_hot": value >= threshold,
            "gradient_gone": value < threshold,
        }[symptom]
        signs.append(Sign(meter, symptom, threshold, values.index(value) + 1, value, is_there))
    return tuple(signs)


def symptoms_of(layers: Sequence[LayerMeters]) -> tuple[Symptom, ...]:
    """Name the symptoms that a stack shows, or one layer of it."""
    return tuple(dict.fromkeys(sign.symptom for sign in signs_of(layers) if sign.is_there))


def _share(part: Float[Tensor, "..."], whole: Float[Tensor, "..."]) -> float:
    """Divide two norms; nothing of nothing is nothing."""
    return float(part.norm() / whole.norm()) if bool(whole.any()) else 0.0
