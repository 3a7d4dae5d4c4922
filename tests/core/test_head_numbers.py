"""Claims H1 to H9: no part of the heads lesson draws from the generator that all share, or depends on it."""

from collections.abc import Callable
from dataclasses import fields, is_dataclass

import pytest
import torch
from torch import nn

from attention_core.drill import draw_drill
from attention_core.experiments.growth import grow
from attention_core.experiments.head_facts import attend_sentence
from attention_core.experiments.head_output import compare_w_o
from attention_core.experiments.initial_weights import (
    bin_weights,
    compare_storage,
    measure_starts,
    time_products,
)
from attention_core.experiments.one_projection import compare_projections
from attention_core.experiments.reshape_faults import compare_faults
from attention_core.experiments.shared_heads import check_sharing
from attention_core.experiments.weight_dropout import (
    average_draws,
    compare_modes,
    compare_with_torch,
    draw_once,
    show_trap,
)
from attention_core.ledger import build_ledger
from attention_core.multi_head import MultiHeadAttention
from attention_core.sizes import Sizes


def seeded() -> torch.Generator:
    return torch.Generator().manual_seed(5)


def randn(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=seeded(), dtype=torch.float64)


THEIRS = nn.MultiheadAttention(12, 3)
ALIKE = torch.full((1, 4), 0.25)
CALLS: dict[str, Callable[[], object]] = {
    "layer": lambda: dict(MultiHeadAttention(12, 3, generator=seeded(), use_bias=True).state_dict()),
    "copied layer": lambda: dict(MultiHeadAttention.from_torch(THEIRS).state_dict()),
    "ledger": lambda: build_ledger(Sizes(2, 5, 12, 3), "cpu"),
    "drill": lambda: draw_drill(3, 4),
    "H3": lambda: attend_sentence(("a", "b"), seed=5, d_model=6, n_heads=2, positions="learned"),
    "W^O": lambda: compare_w_o(randn(3, 5, 4), randn(12, 12)),
    "H4": lambda: compare_faults(generator=seeded()),
    "H5": lambda: compare_projections(generator=seeded()),
    "H6": lambda: measure_starts([6], n=3, trials=2),
    "H6 bins": lambda: bin_weights("linear", 6, n_bins=4),
    "H6 storage": lambda: compare_storage(5, 3),
    "H6 times": lambda: time_products([8], n=3, repeats=2)[0].largest_difference,
    "H7 once": lambda: draw_once(ALIKE, 0.5),
    "H7 mean": lambda: average_draws(ALIKE, 0.5, (1, 10)),
    "H7 modes": lambda: compare_modes(randn(5, 12), 3, 0.5),
    "H7 torch": lambda: compare_with_torch(randn(5, 4), randn(5, 4), randn(5, 4), 0.5, draws=10),
    "H7 trap": lambda: show_trap(randn(5, 4), randn(5, 4), randn(5, 4), 0.5),
    "H8": lambda: grow(randn(3, 12), *[randn(12, 12)] * 4, n_heads=3),
    "H9": lambda: check_sharing(12, 6, 2),
}


def same(first: object, second: object) -> bool:
    """Compare two results number by number, whatever records they are kept in."""
    if isinstance(first, torch.Tensor):
        return bool(((first == second) | (first.isnan() & second.isnan())).all())
    if is_dataclass(first):
        return all(same(getattr(first, field.name), getattr(second, field.name)) for field in fields(first))
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    if isinstance(first, tuple):
        return len(first) == len(second) and all(map(same, first, second))
    return first == second


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_numbers_are_the_same_whatever_others_drew_and_nothing_is_drawn_from_theirs(call):
    found = []
    with torch.random.fork_rng(devices=[]):
        for seed in (1, 2):
            torch.manual_seed(seed)
            before = torch.get_rng_state()
            found.append(call())
            assert torch.equal(before, torch.get_rng_state())
    assert same(*found)
