"""Pictures and numbers of what each head adds to the output, wherever heads and W^O come from."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from attention_core.experiments.head_output import HeadOutput
from dashboard.grid import GridLabels, compact, grid_part, thumbnail
from dashboard.grid.bench import Area, Part
from dashboard.grid.picture import half_width
from dashboard.number_format import NOTHING
from dashboard.number_table import grid_labels, table_part
from dashboard.text import Language, Text
from dashboard.text import head_output as words

Parts = dict[str, tuple[Area, Part]]

# Columns whose numbers can stand beside each other.
MOST_WITH_NUMBERS = 16


def output_parts(
    tokens: Sequence[str],
    found: HeadOutput,
    off: int | None,
    on_pick: Callable[[int], None],
    language: Language,
) -> Parts:
    """Describe W^O, each head's contribution, the output with and without a head, and the numbers.

    Args:
        off: The head that is switched off, from 0; None for none.
        on_pick: Called with the head whose contribution was picked.
    """
    reach = half_width(torch.cat([found.contributions, found.out[None]]).numpy())
    parts: Parts = {"w_o": ("top", matrix_part(found, language))}
    for head, contribution in enumerate(found.contributions):
        labels = output_labels(words.OUTPUT, language)
        part = grid_part(
            contribution.numpy(),
            title=words.CONTRIBUTION[head == off].say(language, head=head + 1),
            labels=labels,
            row_labels=tokens,
            role="out",
            scale="diverging",
            domain=reach,
            on_pick=lambda _row, _column, head=head: on_pick(head),
            has_numbers=False,
        )
        parts[f"contribution.{head}"] = ("top", thumbnail(part))
    return parts | {
        **result_parts(tokens, found, off, reach, language),
        "reach": ("below", reach_part(found, language)),
        "numbers": ("below", numbers_part(found, language)),
    }


def output_labels(value: Text, language: Language) -> GridLabels:
    """Give the words of a picture with a row a token and a column a number of its output."""
    return replace(grid_labels(language, "token", "column"), value=value.say(language))


def head_names(found: HeadOutput, language: Language) -> list[str]:
    """Name the heads."""
    return [words.HEAD_NAME.say(language, head=head + 1) for head in range(len(found.norms))]


def matrix_part(found: HeadOutput, language: Language) -> Part:
    """Describe W^O small; the rows bear the names of the heads they belong to."""
    width = len(found.w_o) // len(found.norms)
    part = grid_part(
        found.w_o.numpy(),
        symbol="W^O",
        title=words.MATRIX.say(language),
        labels=replace(
            grid_labels(language, "row", "column"),
            row=words.MATRIX_ROW.say(language),
            value=words.MATRIX_VALUE.say(language),
        ),
        row_labels=[name for name in head_names(found, language) for _ in range(width)],
        scale="diverging",
        has_numbers=False,
    )
    return thumbnail(part)


def result_parts(
    tokens: Sequence[str], found: HeadOutput, off: int | None, reach: float, language: Language
) -> Parts:
    """Describe the output; without a head also what is left of it and, large, the difference."""

    def picture(values: Tensor, title: str, value: Text, role: str, *, is_small: bool) -> Part:
        part = grid_part(
            values.numpy(),
            title=title,
            labels=output_labels(value, language),
            row_labels=tokens,
            role=role,
            scale="diverging",
            domain=reach,
            has_numbers=not is_small,
        )
        return thumbnail(part) if is_small else compact(part)

    whole, title = words.OUTPUT, words.OUT.say(language)
    if off is None:
        return {"large": ("top", picture(found.out, title, whole, "out", is_small=False))}
    without, apart = (text.say(language, head=off + 1) for text in (words.WITHOUT, words.CHANGE))
    gone = found.ablations[off]
    return {
        "out": ("top", picture(found.out, title, whole, "out", is_small=True)),
        "without": ("top", picture(gone.out, without, whole, "out", is_small=True)),
        "large": (
            "top",
            picture(gone.change, apart, words.DIFFERENCE, "difference", is_small=False),
        ),
    }


def reach_part(found: HeadOutput, language: Language) -> Part:
    """Describe how far each column of the output moves without each head."""
    moves = torch.stack([each.by_column for each in found.ablations]).numpy()
    part = grid_part(
        moves,
        title=words.REACH.say(language),
        labels=replace(
            grid_labels(language, "row", "column"),
            row=words.MATRIX_ROW.say(language),
            value=words.MOVE.say(language),
        ),
        role="difference",
        scale="sequential",
        domain=half_width(moves),
        has_numbers=moves.shape[1] <= MOST_WITH_NUMBERS,
    )
    return compact(part)


def numbers_part(found: HeadOutput, language: Language) -> Part:
    """Describe the table with a row for each head; a dash where there is no number."""
    nothing = torch.full_like(found.norms, torch.nan)
    shares = nothing if found.shares is None else found.shares
    pulls = nothing if found.pulls is None else found.pulls
    rows = [
        [
            float(found.norms[head]),
            float(shares[head]),
            float(pulls[head]),
            gone.largest_change,
            float("nan") if gone.relative_change is None else gone.relative_change,
            gone.n_columns,
            gone.difference,
        ]
        for head, gone in enumerate(found.ablations)
    ]
    part = table_part(
        rows,
        words.TABLE.say(language),
        language,
        rows=head_names(found, language),
        columns=[text.say(language) for text in words.COLUMNS],
    )
    texts = [NOTHING if text == "NaN" else text for text in part.data["texts"]]
    for head, gone in enumerate(found.ablations):
        texts[head * len(words.COLUMNS) + 5] = str(gone.n_columns)
    return replace(part, data={**part.data, "texts": texts})
