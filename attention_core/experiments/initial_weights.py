"""Claim H6: nn.Linear stores the transpose and starts small enough; a bare nn.Parameter(torch.rand) does not."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attention_core.components import generator_for
from attention_core.device import CPU, Kind
from attention_core.estimate import Estimate, estimate
from attention_core.experiments.independence import Comparison, judge_ratios
from attention_core.measure import Timing, time_each_s
from attention_core.multi_head import split_heads
from attention_core.sharpness import entropy, jacobian_norm, largest_weight
from attention_core.steps import scaled_dot_product_attention

# linear: what nn.Linear does. rand: a bare nn.Parameter(torch.rand). The others: torch's functions of that name.
Start = Literal["linear", "rand", "xavier_uniform", "kaiming_uniform"]
STARTS: tuple[Start, ...] = get_args(Start)
Form = Literal["linear", "matmul"]
# What nn.Linear passes to kaiming_uniform_ as the slope of a leaky ReLU.
LINEAR_A = math.sqrt(5)
D_MODELS = (64, 128, 256, 512, 1024)
MAX_D_MODEL = 1024
MAX_N = 64
MAX_TRIALS = 64
MAX_REPEATS = 1000
MAX_BINS = 1000
# What stays in a processor's cache is counted fastest.
COUNTED_AT_ONCE = 2**15
# Softmax that answers less than this to its scores has stopped learning: all alike it would be √(N−1)/N.
DEAD = 1e-6
METERS = ("largest_weight", "entropy_share", "jacobian_norm", "dead_share", "w_q_gradient", "x_gradient")


@dataclass(frozen=True)
class Spread:
    """What theory says of initial weights that are uniform.

    Attributes:
        lower: No weight is below; none is above upper.
    """

    lower: float
    upper: float
    mean: float
    std: float


@dataclass(frozen=True)
class InitialWeights:
    """One way to start, at one width, and what attention makes of it.

    Attributes:
        lowest: The smallest initial weight of w_q and w_k over all trials; highest, mean and std are of the same.
        expected: Of each weight.
        scaled_std: Root mean square of q·k/√d_k over pairs of different tokens, whose mean is 0 by theory.
        expected_scaled_std: Root of the same mean square, over weights and inputs.
        largest_weight: Of a row of attention weights, as are entropy_share (1 is uniform) and jacobian_norm.
        dead_share: Share of queries whose softmax answers to its scores by less than DEAD.
        w_q_gradient: Norm of ∂L/∂w_q; x_gradient of ∂L/∂x. Both pass through softmax alone, since the values are
            no function of x here.
    """

    start: Start
    d_model: int
    lowest: float
    highest: float
    mean: float
    std: float
    expected: Spread
    scaled_std: Estimate
    expected_scaled_std: float
    largest_weight: Estimate
    entropy_share: Estimate
    jacobian_norm: Estimate
    dead_share: Estimate
    w_q_gradient: Estimate
    x_gradient: Estimate


@dataclass(frozen=True)
class WeightBin:
    """One bar of a histogram of initial weights, and theory's part of it.

    Attributes:
        share: Of all weights of the matrix, as is expected_share.
    """

    lower: float
    upper: float
    share: float
    expected_share: float


@dataclass(frozen=True)
class Storage:
    """How nn.Linear keeps its weight, and what a product with it must look like.

    Attributes:
        linear_shape: Of nn.Linear's weight: outputs first.
        parameter_shape: Of a matrix that is multiplied from the right: inputs first.
        difference: Largest |linear(x) − x @ weight.T|.
        untransposed_error: What torch says to x @ weight; None where it raises nothing, as for a square weight.
        untransposed_difference: Largest |linear(x) − x @ weight|; None where that raises.
    """

    linear_shape: tuple[int, ...]
    parameter_shape: tuple[int, ...]
    difference: float
    untransposed_error: str | None
    untransposed_difference: float | None


@dataclass(frozen=True)
class ProductTiming:
    """The same product by nn.Linear and by x @ w, timed in turns.

    Attributes:
        timings: linear, then matmul.
        comparison: linear's time over matmul's; its n is how many rows x has.
        largest_difference: Between both products.
    """

    d_model: int
    timings: dict[Form, Timing]
    comparison: Comparison
    largest_difference: float


def start_linear(n_inputs: int, n_outputs: int, generator: torch.Generator) -> Float[Tensor, "_ _"]:
    """Start as nn.Linear does, from a generator of its own: nn.Linear would draw from the one that all share."""
    linear = nn.utils.skip_init(nn.Linear, n_inputs, n_outputs, bias=False)
    return nn.init.kaiming_uniform_(linear.weight, a=LINEAR_A, generator=generator).detach().T


def start_rand(n_inputs: int, n_outputs: int, generator: torch.Generator) -> Float[Tensor, "_ _"]:
    """Start as nn.Parameter(torch.rand(n_inputs, n_outputs)) does: from 0 to 1, whatever the width."""
    return nn.Parameter(torch.rand(n_inputs, n_outputs, generator=generator)).detach()


def start_xavier_uniform(n_inputs: int, n_outputs: int, generator: torch.Generator) -> Float[Tensor, "_ _"]:
    """Start by Xavier's (Glorot's) rule: as much spread for what goes forward as for the gradient."""
    return nn.init.xavier_uniform_(torch.empty(n_outputs, n_inputs), generator=generator).T


def start_kaiming_uniform(n_inputs: int, n_outputs: int, generator: torch.Generator) -> Float[Tensor, "_ _"]:
    """Start by Kaiming's (He's) rule with a = 0, for layers before a ReLU, which halves the variance."""
    return nn.init.kaiming_uniform_(torch.empty(n_outputs, n_inputs), a=0, generator=generator).T


# Each gives a float32 matrix to be multiplied from the right. Torch's functions take a weight with its outputs first:
# on one with its inputs first Kaiming's would count the outputs.
STARTS_BY: dict[Start, Callable[[int, int, torch.Generator], Float[Tensor, "_ _"]]] = {
    "linear": start_linear,
    "rand": start_rand,
    "xavier_uniform": start_xavier_uniform,
    "kaiming_uniform": start_kaiming_uniform,
}


def expected_spread(start: Start, n_inputs: int, n_outputs: int) -> Spread:
    """Say within which bounds initial weights are uniform.

        rand 0 to 1;  the others ±b: linear b = 1/√n_inputs, xavier_uniform b = √(6/(n_inputs + n_outputs)),
        kaiming_uniform b = √(6/n_inputs);  std = (upper − lower)/√12

    Raises:
        ValueError: a start that is none, or a size below 1.

    Example:
        >>> [round(expected_spread(start, 64, 64).upper, 4) for start in STARTS]
        [0.125, 1.0, 0.2165, 0.3062]

    Source: Glorot and Bengio 2010, eq. (16); He et al. 2015, eq. (10). nn.Linear calls kaiming_uniform_ with a = √5:
        b = √(6/((1 + a²)·n_inputs)) = 1/√n_inputs, which is neither's rule.
    """
    _check_starts([start])
    if min(n_inputs, n_outputs) < 1:
        raise ValueError(f"sizes must be at least 1, got n_inputs={n_inputs} and n_outputs={n_outputs}")
    bound = {
        "linear": n_inputs**-0.5,
        "rand": 1.0,
        "xavier_uniform": math.sqrt(6 / (n_inputs + n_outputs)),
        "kaiming_uniform": math.sqrt(6 / n_inputs),
    }[start]
    lower = 0.0 if start == "rand" else -bound
    return Spread(lower, bound, (lower + bound) / 2, (bound - lower) / math.sqrt(12))


def expected_scaled_std(spread: Spread, d_model: int, d_k: int) -> float:
    """Give the root mean square of q·k/√d_k for tokens that are standard normal and differ.

        d_model · √((σ² + μ²)² + (d_k − 1)·μ⁴)

    Over weights of mean μ and standard deviation σ, E[q_i·q_j] is d_model·(σ² + μ²) for i = j and d_model·μ² else, and
    the same for k; E[(q·k)²] sums their products over all i and j.

    Returns:
        Without a mean d_model·σ²: 1/3 for nn.Linear at any width, where a mean makes it grow with d_model·√d_k.

    Example:
        >>> [round(expected_scaled_std(expected_spread(start, 64, 64), 64, 64), 2) for start in STARTS]
        [0.33, 128.78, 1.0, 2.0]

    Source: derived here, from independent weights and inputs.
    """
    square, mean = spread.std**2 + spread.mean**2, spread.mean
    return d_model * math.sqrt(square**2 + (d_k - 1) * mean**4)


def measure_starts(
    d_models: Sequence[int] = D_MODELS,
    starts: Sequence[Start] = STARTS,
    *,
    n: int = 16,
    n_heads: int = 1,
    trials: int = 8,
    seed: int = 0,
    device: Kind = CPU,
) -> tuple[InitialWeights, ...]:
    """Attend from standard normal tokens with w_q and w_k as each way starts them.

        L = Σ out · g,  out = softmax(x w_q (x w_k)ᵀ / √d_k) v,  x, v and g standard normal

    Args:
        n: Tokens.
        n_heads: Heads that the projections are split into; the matrices stay d_model × d_model.
        trials: Draws of x, v, g and both matrices. All ways get the same x, v, g and the same uniform numbers, placed
            within their own bounds.

    Returns:
        One record for each width and way, widths first. Theory: spread and scores as `expected_spread` and
        `expected_scaled_std` say.

    Raises:
        ValueError: a way that is none, a width above MAX_D_MODEL or that n_heads does not divide, n from 2 to MAX_N or
            trials from 2 to MAX_TRIALS broken.

    Example:
        >>> [record.largest_weight.median > 0.9 for record in measure_starts([64], ["linear", "rand"])]
        [False, True]

    Cost: 12·n·d_model² FLOPs a trial and way for the projections, gradients included.
    """
    _check_starts(starts)
    _check_sizes(d_models, n, n_heads, trials)
    return tuple(
        _measure(start, d_model, n, n_heads, trials, seed, device) for d_model in d_models for start in starts
    )


def bin_weights(start: Start, d_model: int, *, n_bins: int = 40, seed: int = 0) -> tuple[WeightBin, ...]:
    """Count the weights of one matrix, d_model × d_model, in bins of equal width between its bounds.

    Returns:
        Bins from left to right, and a tenth as many to each side, which theory leaves empty. Shares sum to 1.

    Raises:
        ValueError: a start that is none, a width that is not from 1 to MAX_D_MODEL, or bins that are not from 1 to MAX_BINS.

    Example:
        >>> bins = bin_weights("linear", 64, n_bins=10)
        >>> len(bins), bins[0].share, bins[0].expected_share, abs(bins[5].share - 0.1) < 0.01
        (12, 0.0, 0.0, True)
    """
    _check_starts([start])
    _check_sizes([d_model], 2, 1, 2)
    if not 1 <= n_bins <= MAX_BINS:
        raise ValueError(f"n_bins must be from 1 to {MAX_BINS}, got {n_bins}")
    weights = STARTS_BY[start](d_model, d_model, generator_for(seed, d_model)).flatten()
    spread, beside = expected_spread(start, d_model, d_model), max(1, n_bins // 10)
    width = (spread.upper - spread.lower) / n_bins
    counts = sum(_count(chunk, spread, n_bins, beside) for chunk in weights.split(COUNTED_AT_ONCE)).tolist()
    return tuple(
        WeightBin(
            spread.lower + width * place,
            spread.lower + width * (place + 1),
            counts[place + beside] / weights.numel(),
            1 / n_bins if 0 <= place < n_bins else 0.0,
        )
        for place in range(-beside, n_bins + beside)
    )


def _count(weights: Float[Tensor, " _"], spread: Spread, n_bins: int, beside: int) -> Int[Tensor, " _"]:
    """Count weights in bins between the bounds and in some to each side, the outermost of which take what is beyond."""
    exact, width = weights.double(), (spread.upper - spread.lower) / n_bins
    # A float32 may lie on a bound or a rounding beyond it: it belongs to the bin inside.
    slack = 1e-6 * spread.upper
    is_inside = (exact >= spread.lower - slack) & (exact <= spread.upper + slack)
    places = ((exact - spread.lower) / width).floor().long()
    places = torch.where(is_inside, places.clamp(0, n_bins - 1), places.clamp(-beside, n_bins + beside - 1))
    return torch.bincount(places + beside, minlength=n_bins + 2 * beside)


def compare_storage(n_inputs: int, n_outputs: int, *, n: int = 4, seed: int = 0) -> Storage:
    """Multiply by nn.Linear, by its weight's transpose, and by its weight as it is stored.

    Returns:
        Theory: linear(x) is x @ weight.T. Untransposed a weight that is not square raises, and a square one gives
        other numbers without a word.

    Raises:
        ValueError: a size that is not from 1 to MAX_D_MODEL.

    Example:
        >>> storage = compare_storage(5, 3)
        >>> storage.linear_shape, storage.parameter_shape, storage.untransposed_error is not None
        ((3, 5), (5, 3), True)
    """
    if not (min(n_inputs, n_outputs, n) >= 1 and max(n_inputs, n_outputs, n) <= MAX_D_MODEL):
        raise ValueError(
            f"sizes must be from 1 to {MAX_D_MODEL}, got n_inputs={n_inputs}, n_outputs={n_outputs} and n={n}"
        )
    generator = torch.Generator().manual_seed(seed)
    w = start_linear(n_inputs, n_outputs, generator).double()
    linear, x = _linear_with(w), torch.randn(n, n_inputs, generator=generator, dtype=torch.float64)
    out, weight = linear(x).detach(), linear.weight.detach()
    try:
        error, difference = None, _largest(out - x @ weight)
    except RuntimeError as refusal:
        error, difference = str(refusal), None
    return Storage(tuple(weight.shape), tuple(w.shape), _largest(out - x @ weight.T), error, difference)


def time_products(
    d_models: Sequence[int] = D_MODELS,
    *,
    n: int = 64,
    repeats: int = 15,
    seed: int = 0,
    device: Kind = CPU,
) -> tuple[ProductTiming, ...]:
    """Time nn.Linear against x @ w with the same numbers: is Linear faster?

    Returns:
        One record for each width, without gradients. Both call the same product, so most differences are none; what a
        call of a module costs beside it shows at small widths.

    Raises:
        ValueError: a width or n that is not from 1 to MAX_D_MODEL, or repeats that are not from 2 to MAX_REPEATS.

    Cost: 2·n·d_model² FLOPs a product, both made repeats + 1 times.
    """
    if not (min(*d_models, n, n) >= 1 and max(*d_models, n, n) <= MAX_D_MODEL):
        raise ValueError(f"widths and n must be from 1 to {MAX_D_MODEL}, got {tuple(d_models)} and n={n}")
    if not 2 <= repeats <= MAX_REPEATS:
        raise ValueError(f"repeats must be from 2 to {MAX_REPEATS}, got {repeats}")
    return tuple(_time(d_model, n, repeats, seed, device) for d_model in d_models)


def _check_starts(starts: Sequence[Start]) -> None:
    for start in starts:
        if start not in STARTS:
            raise ValueError(f"start must be one of {', '.join(STARTS)}, got {start}")


def _check_sizes(d_models: Sequence[int], n: int, n_heads: int, trials: int) -> None:
    """Refuse sizes before anything is drawn."""
    for d_model in d_models:
        if not 1 <= d_model <= MAX_D_MODEL:
            raise ValueError(f"d_model must be from 1 to {MAX_D_MODEL}, got {d_model}")
        if n_heads < 1 or d_model % n_heads:
            raise ValueError(
                f"d_model must be a multiple of n_heads, got d_model={d_model} and n_heads={n_heads}"
            )
    for name, value, most in (("n", n, MAX_N), ("trials", trials, MAX_TRIALS)):
        if not 2 <= value <= most:
            raise ValueError(f"{name} must be from 2 to {most}, got {value}")


def _measure(
    start: Start, d_model: int, n: int, n_heads: int, trials: int, seed: int, device: Kind
) -> InitialWeights:
    """Measure one way at one width, trial by trial. All is drawn on the processor, the same for every device."""
    generator, rows, squares, drawn = generator_for(seed, d_model), [], [], []
    for _ in range(trials):
        x, v, g = torch.randn(3, n, d_model, generator=generator).to(device)
        w_q, w_k = (STARTS_BY[start](d_model, d_model, generator).to(device) for _ in range(2))
        drawn += [_describe(w_q), _describe(w_k)]
        square, row = _attend(x, v, g, w_q, w_k, n_heads)
        squares.append(square)
        rows.append(row)
    lowest, highest, mean, mean_square = torch.stack(drawn).cpu().unbind(dim=-1)
    expected = expected_spread(start, d_model, d_model)
    meters = dict(zip(METERS, torch.stack(rows).cpu().unbind(dim=-1), strict=True))
    return InitialWeights(
        start=start,
        d_model=d_model,
        lowest=float(lowest.min()),
        highest=float(highest.max()),
        mean=float(mean.mean()),
        std=math.sqrt(float(mean_square.mean() - mean.mean() ** 2)),
        expected=expected,
        scaled_std=estimate(torch.stack(squares).cpu().sqrt()),
        expected_scaled_std=expected_scaled_std(expected, d_model, d_model // n_heads),
        **{name: estimate(meter) for name, meter in meters.items()},
    )


def _describe(w: Float[Tensor, "d_model d_model"]) -> Float[Tensor, "4"]:
    """Give the lowest number, the highest, the mean and the mean square."""
    variance, mean = torch.var_mean(w, correction=0)
    return torch.stack([*w.aminmax(), mean, variance + mean**2]).double()


def _attend(
    x: Float[Tensor, "N d_model"],
    v: Float[Tensor, "N d_model"],
    g: Float[Tensor, "N d_model"],
    w_q: Float[Tensor, "d_model d_model"],
    w_k: Float[Tensor, "d_model d_model"],
    n_heads: int,
) -> tuple[Float[Tensor, ""], Float[Tensor, " meters"]]:
    """Attend once; give the mean square of the scaled scores of different tokens, and the meters."""
    x, w_q = x.clone().requires_grad_(), w_q.detach().requires_grad_()
    # From the projections on float64, so that what is left of a dying gradient is no rounding.
    q, k, v, g = (split_heads(matrix.double(), n_heads) for matrix in (x @ w_q, x @ w_k, v, g))
    trace = scaled_dot_product_attention(q, k, v)
    by_w_q, by_x = torch.autograd.grad((trace.out * g).sum(), (w_q, x))
    scaled, weights = trace.scaled.detach(), trace.weights.detach()
    is_other = ~torch.eye(x.shape[0], dtype=torch.bool, device=x.device)
    norms = jacobian_norm(weights)
    meters = (
        largest_weight(weights).mean(),
        entropy(weights).mean() / math.log(x.shape[0]),
        norms.mean(),
        (norms < DEAD).double().mean(),
        by_w_q.double().norm(),
        by_x.double().norm(),
    )
    return scaled[:, is_other].square().mean(), torch.stack(meters)


def _linear_with(w: Float[Tensor, "d_model d_k"]) -> nn.Linear:
    """Make an nn.Linear that multiplies by w; nothing is drawn for it."""
    linear = nn.utils.skip_init(nn.Linear, *w.shape, bias=False, dtype=w.dtype, device=w.device)
    linear.weight.data.copy_(w.T)
    return linear


def _time(d_model: int, n: int, repeats: int, seed: int, device: Kind) -> ProductTiming:
    generator = generator_for(seed, d_model)
    x = torch.randn(n, d_model, generator=generator).to(device)
    w = start_linear(d_model, d_model, generator).contiguous().to(device)
    linear = _linear_with(w)
    with torch.no_grad():
        forms = {"linear": lambda: linear(x), "matmul": lambda: x @ w}
        timed = time_each_s(list(forms.values()), repeats=repeats, device=device)
        timings = dict(zip(forms, timed, strict=True))
        difference = _largest(linear(x) - x @ w)
    pairs = zip(timings["linear"].runs_s, timings["matmul"].runs_s, strict=True)
    return ProductTiming(
        d_model, timings, judge_ratios(n, [mine / other for mine, other in pairs]), difference
    )


def _largest(difference: Float[Tensor, "..."]) -> float:
    return float(difference.abs().max())
