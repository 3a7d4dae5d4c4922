"""Claim H7: dropout takes attention weights away in training alone; on average over many draws it takes nothing."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Literal

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from attention_core.multi_head import MultiHeadAttention
from attention_core.steps import drop, scaled_dot_product_attention

DROPOUT_PS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
DRAWS = (1, 10, 100, 1000)
MAX_DRAWS = 10_000
# Numbers that one call draws; AT_ONCE draws are held at a time.
MAX_NUMBERS = 2**25
AT_ONCE = 100
Caller = Literal["careless", "careful"]

_SHARED_GENERATOR = Lock()


@dataclass(frozen=True, eq=False)
class OneDraw:
    """Weights before and after dropout, once.

    Attributes:
        row_sums: Of dropped: 1 on average, and a row's own number in each draw.
        expected_row_std: How far a row's sum strays from 1, by theory: √(p/(1−p)·Σ weights²).
        n_weights: Weights above 0; those that a mask hid cannot be dropped.
        n_dropped: Those that the draw set to 0; dropout_p of them on average.
        dropped_share: n_dropped / n_weights; None where every weight is 0.
    """

    dropout_p: float
    weights: Float[Tensor, "*B N M"]
    dropped: Float[Tensor, "*B N M"]
    row_sums: Float[Tensor, "*B N"]
    expected_row_std: Float[Tensor, "*B N"]
    n_weights: int
    n_dropped: int

    @property
    def dropped_share(self) -> float | None:
        """Divide what was dropped by what could be."""
        return self.n_dropped / self.n_weights if self.n_weights else None

    @property
    def kept_factor(self) -> float:
        """Give what a weight that is kept is multiplied by: 1/(1 − p)."""
        return 1 / (1 - self.dropout_p)


@dataclass(frozen=True, eq=False)
class MeanOfDraws:
    """The mean of many dropped weights beside the weights that were not dropped.

    Attributes:
        mean: Of the first `draws` draws.
        largest_deviation: Largest |mean − weights|; rms_deviation is the root mean square of all of them.
        expected_rms: √(p/(1−p) · mean of weights² / draws): the same root by theory.
        largest_std: Standard deviation of the mean of the largest weight, which strays most.
    """

    draws: int
    mean: Float[Tensor, "*B N M"]
    largest_deviation: float
    rms_deviation: float
    expected_rms: float
    largest_std: float


@dataclass(frozen=True)
class Modes:
    """One layer with dropout in training and in eval mode, beside the same layer without dropout.

    Attributes:
        eval_twice: Largest difference between two outputs in eval mode; theory 0.
        eval_to_undropped: From eval to the layer without dropout; theory 0.
        train_twice: Between two outputs in training mode.
        train_to_undropped: From training to the layer without dropout.
        weights_before_dropout: From the weights in training, before any is dropped, to those in eval; theory 0.
        train_row_sums: Of the weights after dropout, head by head; eval_row_sums of those in eval mode.
        takes_numbers_in_eval: Eval mode drew from the generator; theory: it does not.
    """

    dropout_p: float
    eval_twice: float
    eval_to_undropped: float
    train_twice: float
    train_to_undropped: float
    weights_before_dropout: float
    train_row_sums: tuple[tuple[float, ...], ...]
    eval_row_sums: tuple[tuple[float, ...], ...]
    takes_numbers_in_eval: bool


@dataclass(frozen=True)
class TorchDropout:
    """PyTorch's function with dropout_p beside the core's weights without dropout.

    Attributes:
        largest_deviation: From the mean over draws to the undropped weights; as rms_deviation, expected_rms and
            largest_std it is what MeanOfDraws says. core is that of the core's own dropout.
        dropped_share: Over all draws.
        out_deviation: Largest difference of the mean output to the output without dropout.
        without_dropout: The same with dropout_p = 0.0, where nothing is drawn: rounding.
    """

    dropout_p: float
    torch: MeanOfDraws
    core: MeanOfDraws
    dropped_share: float
    out_deviation: float
    without_dropout: float


@dataclass(frozen=True)
class EvalTrap:
    """What a module around PyTorch's function does in eval mode.

    Attributes:
        eval_twice: Largest difference of two outputs in eval mode; not 0 where it still drops.
        eval_to_undropped: Of the first to the output without dropout.
        train_twice: Of two outputs in training mode.
    """

    caller: Caller
    dropout_p: float
    eval_twice: float
    eval_to_undropped: float
    train_twice: float


class Careless(nn.Module):
    """Hand dropout_p to PyTorch's function in either mode. Wrong: the function does not know of modes."""

    def __init__(self, dropout_p: float | int) -> None:
        super().__init__()
        self.dropout_p = dropout_p

    def forward(
        self, q: Float[Tensor, "*B N d_k"], k: Float[Tensor, "*B M d_k"], v: Float[Tensor, "*B M d_v"]
    ) -> Float[Tensor, "*B N d_v"]:
        """Attend, and drop in eval mode too."""
        return F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout_p)


class Careful(nn.Module):
    """Hand dropout_p to PyTorch's function in training mode alone."""

    def __init__(self, dropout_p: float | int) -> None:
        super().__init__()
        self.dropout_p = dropout_p

    def forward(
        self, q: Float[Tensor, "*B N d_k"], k: Float[Tensor, "*B M d_k"], v: Float[Tensor, "*B M d_v"]
    ) -> Float[Tensor, "*B N d_v"]:
        """Attend, and drop while training."""
        return F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout_p if self.training else 0.0)


CALLERS: dict[Caller, Callable[[float], nn.Module]] = {"careless": Careless, "careful": Careful}


def draw_once(weights: Float[Tensor, "*B N M"], dropout_p: float | int, *, seed: int = 0) -> OneDraw:
    """Drop weights once.

    Args:
        seed: The same seed gives the same chances whatever dropout_p is: a larger one drops what a smaller one did,
            and more.

    Returns:
        Theory: each weight is 0 with probability p, else weight/(1 − p), so a row sums to 1 on average only.

    Raises:
        ValueError: dropout_p that is not from 0 to below 1.

    Example:
        >>> draw = draw_once(torch.full((1, 4), 0.25), 0.5)
        >>> draw.dropped.unique().tolist(), draw.row_sums.tolist(), draw.dropped_share
        ([0.0, 0.5], [0.5], 0.75)

    Source: Srivastava et al. 2014, section 10. The variance of a kept-or-dropped weight w is w²·p/(1 − p).
    """
    _check_p(dropout_p)
    dropped = drop(weights, dropout_p, torch.Generator().manual_seed(seed))
    is_weight = weights > 0
    return OneDraw(
        dropout_p=float(dropout_p),
        weights=weights,
        dropped=dropped,
        row_sums=dropped.sum(dim=-1),
        expected_row_std=(_variance_factor(dropout_p) * weights.square().sum(dim=-1)).sqrt(),
        n_weights=int(is_weight.sum()),
        n_dropped=int((is_weight & (dropped == 0)).sum()),
    )


def sweep_dropout(
    weights: Float[Tensor, "*B N M"], dropout_ps: Sequence[float | int] = DROPOUT_PS, *, seed: int = 0
) -> tuple[OneDraw, ...]:
    """Drop the same weights with several probabilities, each by the same chances.

    Raises:
        ValueError: as for draw_once.
    """
    return tuple(draw_once(weights, dropout_p, seed=seed) for dropout_p in dropout_ps)


def average_draws(
    weights: Float[Tensor, "*B N M"],
    dropout_p: float | int,
    draws: Sequence[int] = DRAWS,
    *,
    seed: int = 0,
) -> tuple[MeanOfDraws, ...]:
    """Average dropped weights over ever more draws; each mean takes the draws of those before it along.

    Args:
        draws: Ascending.

    Returns:
        One record for each number of draws. Theory: deviations shrink like 1/√draws.

    Raises:
        ValueError: dropout_p that is not from 0 to below 1; numbers of draws that do not ascend from 1 to MAX_DRAWS, or
            need more than MAX_NUMBERS numbers.

    Example:
        >>> one, many = average_draws(torch.full((1, 4), 0.25), 0.5, (1, 1000))
        >>> one.largest_deviation, many.largest_deviation < 0.03, one.expected_rms
        (0.25, True, 0.25)
    """
    generator = torch.Generator().manual_seed(seed)

    def dropped(n: int) -> Float[Tensor, "..."]:
        return drop(weights.double().expand(n, *weights.shape), dropout_p, generator)

    return _average(dropped, weights, dropout_p, draws)


def compare_modes(
    x: Float[Tensor, "N d_model"], n_heads: int, dropout_p: float | int, *, seed: int = 0
) -> Modes:
    """Run a layer with dropout twice in training and twice in eval mode, and once without dropout.

    Args:
        seed: For the layer's weights and what it drops.

    Raises:
        ValueError: dropout_p that is not from 0 to below 1, a width that n_heads does not divide.

    Example:
        >>> x = torch.randn(4, 6, generator=torch.Generator().manual_seed(0))
        >>> modes = compare_modes(x, 2, 0.5)
        >>> modes.eval_twice, modes.eval_to_undropped, modes.train_twice > 0, modes.takes_numbers_in_eval
        (0.0, 0.0, True, False)
    """
    _check_p(dropout_p)
    layer, undropped = (
        MultiHeadAttention(
            x.shape[-1], n_heads, generator=torch.Generator().manual_seed(seed), dropout_p=p, dtype=x.dtype
        )
        for p in (dropout_p, 0.0)
    )
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        plain = undropped(x)
        trained, trained_again = (layer.train()(x, generator=generator) for _ in range(2))
        before = generator.get_state()
        judged, judged_again = (layer.eval()(x, generator=generator) for _ in range(2))
    last = trained.attention.weights if trained.attention.dropped is None else trained.attention.dropped
    return Modes(
        dropout_p=float(dropout_p),
        eval_twice=_largest(judged.out - judged_again.out),
        eval_to_undropped=_largest(judged.out - plain.out),
        train_twice=_largest(trained.out - trained_again.out),
        train_to_undropped=_largest(trained.out - plain.out),
        weights_before_dropout=_largest(trained.attention.weights - judged.attention.weights),
        train_row_sums=_rows(last.sum(dim=-1)),
        eval_row_sums=_rows(judged.attention.weights.sum(dim=-1)),
        takes_numbers_in_eval=not torch.equal(before, generator.get_state()),
    )


def compare_with_torch(
    q: Float[Tensor, "N d_k"],
    k: Float[Tensor, "M d_k"],
    v: Float[Tensor, "M d_v"],
    dropout_p: float | int,
    *,
    draws: int = 1000,
    seed: int = 0,
) -> TorchDropout:
    """Average what F.scaled_dot_product_attention drops, and compare with the undropped weights of the core.

    PyTorch's function gives no weights; with the identity for values, its output is the weights.

    Raises:
        ValueError: dropout_p that is not from 0 to below 1, draws as for average_draws.

    Example:
        >>> zeros, v = torch.zeros(3, 2, dtype=torch.float64), torch.ones(3, 1, dtype=torch.float64)
        >>> record = compare_with_torch(zeros, zeros, v, 0.25, draws=400)
        >>> record.torch.largest_deviation < 5 * record.torch.largest_std, round(record.dropped_share, 1)
        (True, 0.2)
    """
    generator = torch.Generator().manual_seed(seed)
    trace = scaled_dot_product_attention(q, k, v)
    identity = torch.eye(k.shape[-2], dtype=v.dtype)
    zeros = []

    def dropped(n: int) -> Float[Tensor, "..."]:
        sides = (x.expand(n, 1, *x.shape) for x in (q, k, identity))
        chunk = _from_generator(generator, lambda: Careless(dropout_p)(*sides)).squeeze(1)
        zeros.append(int((chunk == 0).sum()))
        return chunk

    (mean,) = _average(dropped, trace.weights, dropout_p, [draws])
    out = mean.mean.to(v.dtype) @ v
    plain = F.scaled_dot_product_attention(q[None, None], k[None, None], v[None, None], dropout_p=0.0)
    return TorchDropout(
        dropout_p=float(dropout_p),
        torch=mean,
        core=average_draws(trace.weights, dropout_p, [draws], seed=seed)[0],
        dropped_share=sum(zeros) / (draws * trace.weights.numel()),
        out_deviation=_largest(out - trace.out),
        without_dropout=_largest(plain[0, 0] - trace.out),
    )


def show_trap(
    q: Float[Tensor, "N d_k"],
    k: Float[Tensor, "M d_k"],
    v: Float[Tensor, "M d_v"],
    dropout_p: float | int,
    *,
    seed: int = 0,
) -> tuple[EvalTrap, ...]:
    """Call PyTorch's function from a careless and from a careful module, in both modes.

    Returns:
        careless, then careful. Theory: in eval mode careless still drops, careful gives one output each time.

    Raises:
        ValueError: dropout_p that is not from 0 to below 1.

    Example:
        >>> zeros, v = torch.zeros(8, 2), torch.arange(8.0)[:, None]
        >>> [trap.eval_twice > 0 for trap in show_trap(zeros, zeros, v, 0.5)]
        [True, False]

    Source: the reference of torch.nn.functional.scaled_dot_product_attention, which says so in a warning.
    """
    _check_p(dropout_p)
    sides = tuple(x[None, None] for x in (q, k, v))
    plain = F.scaled_dot_product_attention(*sides, dropout_p=0.0)

    def run_twice(module: nn.Module, generator: torch.Generator) -> list[Float[Tensor, "1 1 N d_v"]]:
        return [_from_generator(generator, lambda: module(*sides)) for _ in range(2)]

    traps = []
    for caller, make in CALLERS.items():
        module, generator = make(dropout_p), torch.Generator().manual_seed(seed)
        training = run_twice(module.train(), generator)
        judging = run_twice(module.eval(), generator)
        traps.append(
            EvalTrap(
                caller,
                float(dropout_p),
                eval_twice=_largest(judging[0] - judging[1]),
                eval_to_undropped=_largest(judging[0] - plain),
                train_twice=_largest(training[0] - training[1]),
            )
        )
    return tuple(traps)


def _from_generator(
    generator: torch.Generator, run: Callable[[], Float[Tensor, "..."]]
) -> Float[Tensor, "..."]:
    """Run what draws from the generator that all share, on one's own numbers, and leave the shared one as it was."""
    with _SHARED_GENERATOR, torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.set_rng_state(generator.get_state())
        result = run()
        generator.set_state(torch.get_rng_state())
    return result


def _average(
    dropped: Callable[[int], Float[Tensor, "..."]],
    weights: Float[Tensor, "*B N M"],
    dropout_p: float | int,
    draws: Sequence[int],
) -> tuple[MeanOfDraws, ...]:
    """Sum draws, some at a time, and stop at each number that is asked for."""
    _check_p(dropout_p)
    _check_draws(draws, weights.numel())
    exact = weights.double()
    factor, total, done, records = _variance_factor(dropout_p), torch.zeros_like(exact), 0, []
    for n in draws:
        while done < n:
            chunk = dropped(min(AT_ONCE, n - done))
            total, done = total + chunk.double().sum(dim=0), done + len(chunk)
        mean = total / n
        deviation = (mean - exact).abs()
        records.append(
            MeanOfDraws(
                draws=n,
                mean=mean,
                largest_deviation=float(deviation.max()),
                rms_deviation=float(deviation.square().mean().sqrt()),
                expected_rms=math.sqrt(factor * float(exact.square().mean()) / n),
                largest_std=float(exact.max()) * math.sqrt(factor / n),
            )
        )
    return tuple(records)


def _variance_factor(dropout_p: float | int) -> float:
    """Give the variance of a dropped weight of 1: 1/(1 − p) with probability 1 − p, else 0."""
    return dropout_p / (1 - dropout_p)


def _check_p(dropout_p: float | int) -> None:
    if not 0 <= dropout_p < 1:
        raise ValueError(f"dropout_p must be from 0 to below 1, where nothing would be left, got {dropout_p}")


def _check_draws(draws: Sequence[int], n_weights: int) -> None:
    if not draws or list(draws) != sorted(set(draws)) or draws[0] < 1 or draws[-1] > MAX_DRAWS:
        raise ValueError(f"draws must ascend from 1 to at most {MAX_DRAWS}, got {tuple(draws)}")
    if n_weights < 1:
        raise ValueError(f"there must be weights to drop, got {n_weights}")
    if draws[-1] * n_weights > MAX_NUMBERS:
        raise ValueError(
            f"draws times weights must be at most {MAX_NUMBERS}, got {draws[-1]} draws of {n_weights} weights"
        )


def _rows(x: Float[Tensor, "H N"]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in x.tolist())


def _largest(difference: Float[Tensor, "..."]) -> float:
    return float(difference.abs().max())
