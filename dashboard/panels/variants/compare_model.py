"""What the reader's settings ask for, and each attention on them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from attention_core.variant_runs import (
    KINDS,
    NAMES,
    Choices,
    Inputs,
    Name,
    Refusal,
    VariantRun,
    attend_densely,
    count_flops,
    count_scores,
    find_refusal,
    relative_error,
    run_variant,
)
from dashboard.controls import State
from dashboard.panels.heads.own_heads import own_heads
from dashboard.panels.variants.fields import NONE

SLOTS = ("a", "b", "c")
# What each variant can be set by, besides the sentence and the heads.
SETTINGS: Mapping[Name, tuple[str, ...]] = {
    "window": ("width",),
    "dilated": ("width", "dilation"),
    "block": ("block",),
    "strided": ("stride",),
    "global_window": ("width", "n_global"),
    "linear": ("feature",),
    "low_rank": ("rank", "mixture"),
    "grouped": ("h_kv",),
    "sink": ("sink",),
    "cosine": ("temperature",),
    "alibi": ("slopes",),
    "rotary": ("pairing", "base"),
    "additive": ("d_a", "d_q"),
    "multiplicative": ("d_q",),
}


@dataclass(frozen=True)
class Slot:
    """One place of the comparison.

    Attributes:
        letter: "A", "B" or "C".
        run: None where the variant cannot run here, which `refusal` says.
    """

    letter: str
    name: Name
    run: VariantRun | None
    refusal: Refusal | None


@dataclass(frozen=True, eq=False)
class Compared:
    """What the comparison shows.

    Attributes:
        full: Full attention, whether or not it is chosen: errors are against it.
    """

    tokens: tuple[str, ...]
    head: int
    full: VariantRun
    slots: tuple[Slot, ...]

    def runs(self) -> Iterator[tuple[Slot, VariantRun]]:
        """List the slots that could run, with what they gave."""
        for slot in self.slots:
            if slot.run is not None:
                yield slot, slot.run

    @property
    def first(self) -> VariantRun | None:
        """Give what differences are taken from."""
        return self.slots[0].run


@dataclass(frozen=True)
class Summary:
    """One variant on the reader's sentence, in numbers.

    Attributes:
        error: Of its outputs against full attention's; None where that has none.
        apart: The largest difference from dense attention with the same pairs; None but for exact variants.
    """

    n_seen: int
    n_scores: int
    flops: int
    error: float | None
    apart: float | None


def inputs_of(state: State) -> Inputs:
    """Give q, k and v of every head of the reader's sentence."""
    return _inputs(own_heads(state), state["is_causal"])


@lru_cache(maxsize=8)
def _inputs(found: object, is_causal: bool) -> Inputs:
    """Give the same object for the same sentence, so that what ran on it is found again."""
    return Inputs(*(found.x @ w for w in (found.w_q, found.w_k, found.w_v)), is_causal)


def choices_of(state: State) -> Choices:
    """Give the settings of all variants, within what the sentence allows."""
    n_tokens, d_k = inputs_of(state).q.shape[-2:]
    return Choices(
        width=state["width"],
        dilation=state["dilation"],
        block=state["block"],
        stride=state["stride"],
        n_global=state["n_global"],
        feature=state["feature"],
        rank=min(state["rank"], n_tokens),
        mixture=state["mixture"],
        n_kv_heads=state["h_kv"],
        sink=float(state["sink"]),
        temperature=float(state["temperature"]),
        slopes=state["slopes"],
        pairing=state["pairing"],
        base=float(state["base"]),
        d_a=state["d_a"],
        d_q=min(state["d_q"], d_k),
        seed=state["seed"],
    )


def compared(state: State) -> Compared:
    """Run what is chosen."""
    inputs, choices = inputs_of(state), choices_of(state)
    slots = []
    for slot in SLOTS:
        name = state[slot]
        if name != NONE:
            refusal = find_refusal(name, inputs, choices)
            run = ran(name, inputs, choices) if refusal is None else None
            slots.append(Slot(slot.upper(), name, run, refusal))
    tokens = own_heads(state).tokens
    return Compared(tokens, state["head"] - 1, ran("full", inputs, choices), tuple(slots))


def ran(name: Name, inputs: Inputs, choices: Choices) -> VariantRun:
    """Run one variant; what it does not use of the choices does not count."""
    return _ran(name, inputs, reduced(name, choices))


# One holds up to some ten megabytes, of 64 tokens and 16 heads.
@lru_cache(maxsize=12)
def _ran(name: Name, inputs: Inputs, choices: Choices) -> VariantRun:
    return run_variant(name, inputs, choices)


def reduced(name: Name, choices: Choices) -> Choices:
    """Leave the choices that a variant does not use at their defaults.

    Example:
        >>> reduced("block", Choices(block=5, width=7))
        Choices(width=2, dilation=2, block=5, stride=2, n_global=1, feature='elu', rank=3, mixture='pooled', \
n_kv_heads=1, sink=0.0, temperature=1.0, slopes='program', pairing='half', base=10000.0, d_a=8, d_q=64, seed=0)
    """
    fields = {"h_kv": "n_kv_heads"}
    used = [fields.get(field, field) for field in SETTINGS.get(name, ())]
    if name in ("additive", "multiplicative", "low_rank"):
        used.append("seed")
    return Choices(**{field: getattr(choices, field) for field in used})


# All of these together are some kilobytes.
@lru_cache(maxsize=512)
def _summed(name: Name, inputs: Inputs, choices: Choices) -> Summary | None:
    if find_refusal(name, inputs, choices) is not None:
        return None
    run, full = run_variant(name, inputs, choices), ran("full", inputs, choices)
    dense = attend_densely(run).out if KINDS[name] == "exact" else None
    return Summary(
        n_seen=run.n_seen,
        n_scores=count_scores(name, inputs.n, choices, is_causal=inputs.is_causal),
        flops=count_flops(name, inputs, choices),
        error=relative_error(run.out, full.out),
        apart=None if dense is None else float((run.out - dense).abs().max()),
    )


def summary(name: Name, inputs: Inputs, choices: Choices) -> Summary | None:
    """Say in numbers what a variant gives on the sentence; None where it cannot run."""
    return _summed(name, inputs, reduced(name, choices))


def summaries(state: State) -> Mapping[Name, Summary | None]:
    """Say it of every variant."""
    inputs, choices = inputs_of(state), choices_of(state)
    return {name: summary(name, inputs, choices) for name in NAMES}
