"""Tables whose rows can be picked."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from dashboard.grid import by_rows, compact, grid_part
from dashboard.grid.bench import Part
from dashboard.number_table import grid_labels
from dashboard.text import Language


def picked_rows(
    values: Sequence[Sequence[float]],
    title: str,
    language: Language,
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    keys: str,
    picked: int,
    on_pick: Callable[[int], None],
) -> Part:
    """Describe numbers of tokens, a row a token, one of which is picked.

    Args:
        keys: Says what a pick does.
        on_pick: Called with the row, from 0.
    """
    part = grid_part(
        values,
        title=title,
        labels=replace(grid_labels(language, "token", "column"), keys=keys),
        row_labels=rows,
        column_labels=columns,
        picked=(picked, 0),
        on_pick=lambda row, _column: on_pick(row),
    )
    return by_rows(compact(part))
