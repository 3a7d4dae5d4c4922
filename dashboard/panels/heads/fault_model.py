"""From the lesson's values to heads that are reshaped in each way, run once for all visitors."""

import math
from dataclasses import dataclass

import torch

from attention_core.experiments.reshape_faults import FAULTS, Way, WayRecord, compare_faults
from dashboard.cached import shared
from dashboard.controls import State

SHOWN: tuple[Way, ...] = ("right", *FAULTS, "viewed_both_ways")


@dataclass(frozen=True)
class Setting:
    """Sizes and seed, as the caches take them."""

    batch: int
    n: int
    d_model: int
    n_heads: int
    seed: int


def setting_of(state: State) -> Setting:
    """Read the sizes and the seed; the number of heads must be legal."""
    return Setting(*(state[f"faults_{name}"] for name in ("batch", "n", "d_model", "h", "seed")))


# Of the largest sizes some 200 KiB.
@shared(64)
def records_of(setting: Setting) -> tuple[WayRecord, ...]:
    """Run each way that the page shows."""
    return _compare(setting, SHOWN)


@shared(64)
def infinite_of(setting: Setting) -> WayRecord:
    """Run softmax over the heads with −∞ for hidden scores."""
    (record,) = _compare(setting, ("softmax_over_heads",), penalty=-math.inf)
    return record


def _compare(setting: Setting, ways: tuple[Way, ...], **filled: float) -> tuple[WayRecord, ...]:
    return compare_faults(
        batch=setting.batch,
        n=setting.n,
        d_model=setting.d_model,
        n_heads=setting.n_heads,
        generator=torch.Generator().manual_seed(setting.seed),
        ways=ways,
        **filled,
    )
