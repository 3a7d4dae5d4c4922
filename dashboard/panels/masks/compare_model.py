"""What the comparison of masks shows: one sentence of the batch under each mask that its role can have."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations

from attention_core.batch import PAD, Batch
from attention_core.experiments.mask_columns import (
    KINDS,
    Column,
    Difference,
    Kind,
    compare_masks,
    difference,
)
from attention_core.tokens import check_text, tokenize
from dashboard.controls import State
from dashboard.panels.masks.model import batch_of, drawn, sentences_of

FLAGS: dict[Kind, str] = {kind: f"compare_{kind}" for kind in KINDS}
# Nothing is written when the source is read, so a causal mask has no place there.
WITHOUT_CAUSAL: tuple[Kind, ...] = ("none", "padding")
MORE_FILLER = 3


@dataclass(frozen=True, eq=False)
class Compared:
    """One sentence under several masks.

    Attributes:
        place: Which sentence of the batch, from 0; in cross-attention the source.
        count: Sentences of the batch.
        columns: Under every mask that is offered, whether shown or not.
        found: The differences that were asked for.
    """

    place: int
    count: int
    queries: Sequence[str]
    keys: Sequence[str]
    real_keys: int
    columns: dict[Kind, Column]
    found: dict[tuple[Kind, Kind], Difference] = field(default_factory=dict)

    def apart(self, first: Kind, second: Kind) -> Difference:
        """Subtract one column from another, once."""
        pair = first, second
        if pair not in self.found:
            self.found[pair] = difference(self.columns[first], self.columns[second])
        return self.found[pair]

    @property
    def filler(self) -> int:
        """How many keys are filler."""
        return len(self.keys) - self.real_keys

    @property
    def padded_queries(self) -> int:
        """How many queries are filler."""
        return int(self.columns["none"].is_padded.sum())


def offered(state: State) -> tuple[Kind, ...]:
    """Name the masks that the role can have."""
    return WITHOUT_CAUSAL if state["compare_role"] == "cross" else KINDS


def target_of(state: State) -> tuple[str, ...] | None:
    """Give the target sentence's tokens; None where it cannot be shown or the role has none."""
    text = state["compare_target"]
    return tokenize(text) if state["compare_role"] == "cross" and check_text(text) is None else None


def compared(state: State, place: int) -> Compared:
    """Attend with one sentence of the batch."""
    return attend(state, batch_of(state), place)


def with_more_filler(state: State, now: Compared) -> Compared:
    """Attend with the same sentence in a batch that has a longer one besides."""
    own = sentences_of(state)[now.place]
    longer = (PAD,) * (len(now.keys) + MORE_FILLER)
    return attend(state, drawn(state, (own, longer)), 0)


def attend(state: State, batch: Batch, place: int) -> Compared:
    """Attend with one sentence of a batch under each mask, its own tokens asking or the target's."""
    target = target_of(state)
    return _attend(batch, None if target is None else drawn(state, (target,)), place, offered(state))


# The steps are looked at in turns, and sentences back and forth.
@lru_cache(maxsize=8)
def _attend(batch: Batch, asking: Batch | None, place: int, kinds: tuple[Kind, ...]) -> Compared:
    one, lengths = slice(place, place + 1), batch.lengths[place : place + 1]
    columns = compare_masks(
        batch.q[one] if asking is None else asking.q,
        batch.k[one],
        batch.v[one],
        lengths,
        kinds,
        lengths_of_queries=None if asking is None else asking.lengths,
    )
    return Compared(
        place=place,
        count=len(batch.tokens),
        queries=batch.tokens[place] if asking is None else asking.tokens[0],
        keys=batch.tokens[place],
        real_keys=lengths[0],
        columns={column.kind: column for column in columns},
    )


def farthest(now: Compared, shown: Sequence[Column]) -> list[Difference]:
    """Find the two columns shown whose weights differ most: several pairs where they tie, none without a second one."""
    found = [now.apart(first.kind, second.kind) for first, second in combinations(shown, 2)]
    most = max((one.largest_weight for one in found), default=0.0)
    return [one for one in found if one.largest_weight == most]
