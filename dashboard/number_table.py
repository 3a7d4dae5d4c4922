"""Numbers and texts in a grid that belong to no pipeline: different quantities side by side, one a column."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from dashboard.grid import GridLabels, compact, grid_part
from dashboard.grid.bench import Part, show_part
from dashboard.text import Language, Text
from dashboard.text import grid as words


@lru_cache(maxsize=16)
def grid_labels(language: Language, row: str, column: str) -> GridLabels:
    """Give the words of a grid whose rows and columns are named by the texts of these names."""
    say = {
        name.lower(): getattr(text, language) for name, text in vars(words).items() if isinstance(text, Text)
    }
    return GridLabels(
        row=say[row],
        column=say[column],
        masked=say["masked"],
        dead_row=say["dead"],
        edited=say["edited"],
        marked=say["marked"],
        keys=say["keys"],
        edit_keys=say["edit_keys"],
        edit=say["edit"],
        empty=say["empty"],
        about=say["about"],
        pooled=say["pooled"],
        download_png=say["png"],
        download_csv=say["csv"],
        footer=say["sum"],
    )


def table_part(
    values: Sequence[Sequence[float]],
    title: str,
    language: Language,
    *,
    rows: Sequence[str] | int,
    columns: Sequence[str],
    row: str = "row",
    verdicts: Sequence[str] | None = None,
    verdict: str = "",
) -> Part:
    """Describe a table for a bench; it scrolls in its own frame on a phone.

    Args:
        rows: Their names, or how many there are of rows that their numbers name.
        row: The name of the text that says what a row is.
        verdicts: One text a row, at its end, under the heading `verdict`.
    """
    n_rows = rows if isinstance(rows, int) else len(rows)
    return grid_part(
        np.asarray(values, dtype=np.float64).reshape(n_rows, len(columns)),
        title=title,
        labels=replace(grid_labels(language, row, "column"), footer=verdict),
        row_labels=None if isinstance(rows, int) else rows,
        column_labels=columns,
        footer=verdicts,
    )


def with_texts(part: Part, texts: Sequence[Sequence[str]], exact: Sequence[Sequence[str]]) -> Part:
    """Write other texts into the cells of a grid, where numbers to three digits would not do.

    Args:
        texts: What stands in the cells, row by row.
        exact: What is said of them and stands in a file: a count without the separators of its thousands.
    """
    flat = {
        name: [text for row in rows for text in row] for name, rows in (("texts", texts), ("exact", exact))
    }
    return replace(part, data={**part.data, **flat})


def show_table(
    values: Sequence[Sequence[float]], title: str, language: Language, *, key: str, **described: Any
) -> None:
    """Show a table by itself.

    Args:
        key: Names the table in the session.
        described: As `table_part` takes them.
    """
    show_part(key, compact(table_part(values, title, language, **described)))
