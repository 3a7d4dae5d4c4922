"""Pictures and numbers of the heads of one attention, wherever its weights come from: drawn, trained or edited."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from torch import Tensor

from attention_core.experiments.head_facts import (
    METERS,
    HeadFacts,
    join_heads,
    read_heads,
    read_uniform,
    summarise_over_heads,
)
from dashboard.grid import compact, grid_part, thumbnail
from dashboard.grid.bench import Area, Part
from dashboard.number_format import NOTHING, significant
from dashboard.number_table import grid_labels, table_part
from dashboard.text import Language
from dashboard.text import head_heads as words

Parts = dict[str, tuple[Area, Part]]

# As many queries in all heads together whose numbers stand beside each other in one row of the page.
MOST_WITH_NUMBERS = 14
# A distance below this is what rounding leaves where looking back and looking ahead cancel.
ROUNDING = 1e-12
# Where colours are stretched, at least this share of the weights lies within the scale; what is larger has the end's colour.
WITHIN = 0.98


@dataclass(frozen=True, eq=False)
class HeadsSeen:
    """Several heads on one sentence.

    Attributes:
        allowed: One mask for all heads.
        uniform: The facts of a head that weighs alike all keys it may see.
    """

    tokens: Sequence[str]
    allowed: Tensor | None
    facts: HeadFacts
    uniform: HeadFacts

    @property
    def n_heads(self) -> int:
        """Count the heads."""
        return len(self.facts.weights)


@dataclass(frozen=True)
class Enlarged:
    """What is drawn large: one head, counted from 0, or all heads as one.

    Attributes:
        reach: The weight at the end of the scale of every picture.
        pair: The query and the key whose weight is open; None for none.
    """

    over: str
    head: int
    reach: float = 1.0
    pair: tuple[int, int] | None = None


@dataclass(frozen=True)
class Hands:
    """Who hears what a reader does with the pictures.

    Attributes:
        head: Called with the head, from 0, whose small picture was picked.
        pair: Called with the query and the key that were picked in the large picture.
    """

    head: Callable[[int], None]
    pair: Callable[[int, int], None]


def see_heads(tokens: Sequence[str], weights: Tensor, allowed: Tensor | None) -> HeadsSeen:
    """Read what heads look at from their weights, after softmax."""
    facts = read_heads(weights.detach().cpu(), allowed)
    return HeadsSeen(tokens, allowed, facts, read_uniform(len(tokens), allowed))


def head_parts(seen: HeadsSeen, shown: Enlarged, hands: Hands | None, language: Language) -> Parts:
    """Describe all heads small, one of them or all as one large, and the numbers of both; without hands to look at."""
    small: Parts = {
        f"head.{head}": ("top", small_part(seen, shown, head, hands, language))
        for head in range(seen.n_heads)
    }
    return small | {
        "large": ("left", large_part(seen, shown, hands, language)),
        "numbers": ("below", numbers_part(seen, language)),
        "queries": ("below", queries_part(seen, shown, language)),
    }


def stretched_reach(seen: HeadsSeen) -> float:
    """Give the least weight that nearly all weights of all heads do not exceed; 1 where that is 0."""
    weights = seen.facts.weights
    seen_pairs = weights if seen.allowed is None else weights[:, seen.allowed]
    return float(seen_pairs.flatten().quantile(WITHIN, interpolation="higher")) or 1.0


def joined_weights(seen: HeadsSeen, shown: Enlarged) -> Tensor:
    """Give the weights that are drawn large; what is drawn for `max` are none."""
    weights = seen.facts.weights
    return weights[shown.head] if shown.over == "each" else join_heads(weights, shown.over).weights


def hidden_pairs(seen: HeadsSeen) -> np.ndarray | None:
    """Say which pairs the mask hides."""
    return None if seen.allowed is None else (~seen.allowed).numpy()


def small_part(
    seen: HeadsSeen,
    shown: Enlarged,
    head: int,
    hands: Hands | None,
    language: Language,
) -> Part:
    """Describe one head as one of many, the open pair marked in each."""
    is_large = (shown.over, shown.head) == ("each", head)
    part = _small_part(
        seen, head, shown.reach, shown.pair, language, is_large=is_large, is_pickable=hands is not None
    )
    return part if hands is None else replace(part, receivers={"pick": lambda _cell: hands.head(head)})


@lru_cache(maxsize=64)
def _small_part(
    seen: HeadsSeen,
    head: int,
    reach: float,
    pair: tuple[int, int] | None,
    language: Language,
    *,
    is_large: bool,
    is_pickable: bool,
) -> Part:
    """Draw one head small; numbers stand in its cells where all heads fit into one row so. Nobody hears of it."""
    part = grid_part(
        seen.facts.weights[head].numpy(),
        title=words.HEAD_TITLE.say(language, mark="▸ " if is_large else "", head=head + 1),
        labels=replace(grid_labels(language, "query", "key"), value=words.WEIGHT.say(language)),
        row_labels=seen.tokens,
        column_labels=seen.tokens,
        role="weights",
        scale="sequential",
        domain=reach,
        masked=hidden_pairs(seen),
        marked=[pair] if pair else (),
        on_pick=_unheard if is_pickable else None,
        has_numbers=seen.n_heads * len(seen.tokens) <= MOST_WITH_NUMBERS,
    )
    return thumbnail(part)


def _unheard(_row: int, _column: int) -> None:
    """Stand for somebody who hears of a pick."""


def large_part(seen: HeadsSeen, shown: Enlarged, hands: Hands | None, language: Language) -> Part:
    """Describe what is drawn large, with the sum of each row."""
    weights = joined_weights(seen, shown)
    value = words.WEIGHT_OF_ANY if shown.over == "max" else words.WEIGHT
    fields = {"head": shown.head + 1} if shown.over == "each" else {"h": seen.n_heads}
    part = grid_part(
        weights.numpy(),
        title=words.LARGE[shown.over].say(language, **fields),
        labels=replace(grid_labels(language, "query", "key"), value=value.say(language)),
        row_labels=seen.tokens,
        column_labels=seen.tokens,
        role="weights",
        scale="sequential",
        domain=shown.reach,
        masked=hidden_pairs(seen),
        picked=shown.pair,
        on_pick=None if hands is None else hands.pair,
        footer=[significant(total) for total in weights.sum(dim=-1).tolist()],
    )
    return compact(part)


@lru_cache(maxsize=16)
def numbers_part(seen: HeadsSeen, language: Language) -> Part:
    """Describe the table with a row for each head, then their mean, then what equal weights give."""
    meters = [meter for meter in METERS if getattr(seen.uniform.by_head[0], meter) is not None]
    rows = [[getattr(head, meter) for meter in meters] for head in seen.facts.by_head]
    names = [words.HEAD_NAME.say(language, head=head + 1) for head in range(seen.n_heads)]
    if seen.n_heads > 1:
        means = summarise_over_heads(seen.facts, "mean")
        rows.append([means[meter] for meter in meters])
        names.append(words.MEAN_ROW.say(language))
    rows.append([getattr(seen.uniform.by_head[0], meter) for meter in meters])
    names.append(words.ALIKE_ROW.say(language))
    return table_of(rows, words.NUMBERS.say(language), names, [*meters], language)


@lru_cache(maxsize=16)
def queries_part(seen: HeadsSeen, shown: Enlarged, language: Language) -> Part:
    """Describe the table with a row for each query of what is drawn large."""
    fields = {"head": shown.head + 1} if shown.over == "each" else {}
    title = words.QUERIES[shown.over].say(language, **fields)
    weights = joined_weights(seen, shown)
    if shown.over == "max":
        sums = [[total] for total in weights.sum(dim=-1).tolist()]
        columns = [words.ROW_SUM.say(language)]
        return table_part(sums, title, language, rows=seen.tokens, columns=columns, row="query")
    by_query = seen.facts.by_query[shown.head]
    if shown.over == "mean":
        by_query = read_heads(weights[None], seen.allowed).by_query[0]
    is_there = ~by_query.isnan().all(dim=0)
    meters = [meter for meter, has_number in zip(METERS, is_there.tolist(), strict=True) if has_number]
    return table_of(by_query[:, is_there].tolist(), title, seen.tokens, meters, language, row="query")


def balanced(distance_back: float) -> float:
    """Give 0 where looking back and ahead cancel up to rounding.

    Example:
        >>> balanced(5e-17), balanced(-0.25)
        (0.0, -0.25)
    """
    return 0.0 if abs(distance_back) < ROUNDING else distance_back


def table_of(
    rows: Sequence[Sequence[float | None]],
    title: str,
    names: Sequence[str],
    meters: Sequence[str],
    language: Language,
    row: str = "row",
) -> Part:
    """Describe meters, one a column; where there is no number a dash stands."""
    values = [
        [
            float("nan") if value is None else balanced(value) if meter == "distance_back" else value
            for meter, value in zip(meters, each, strict=True)
        ]
        for each in rows
    ]
    columns = [words.METERS[meter].say(language) for meter in meters]
    part = table_part(values, title, language, rows=names, columns=columns, row=row)
    texts = [NOTHING if text == "NaN" else text for text in part.data.get("texts", ())]
    return replace(part, data={**part.data, "texts": texts})
