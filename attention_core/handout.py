"""The shape ledger as a handout: a table for a spreadsheet, and one for a text."""

import csv
import io
from collections.abc import Mapping

from attention_core.ledger import Ledger, Row

COLUMNS = (
    "step",
    "symbol",
    "axes",
    "shape",
    "strides",
    "is_contiguous",
    "shares_with",
    "dtype",
    "elements",
    "bytes",
    "parameters",
    "flops",
    "line",
)
# Where one of these begins a cell, a spreadsheet computes what follows.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def write_ledger_csv(ledger: Ledger, words: Mapping[str, str] | None = None) -> str:
    """Write a ledger as CSV, a step a line, with the totals in the last one.

    Args:
        words: What to write for a column, a step, total, yes or no, where it is to be another word.

    Returns:
        Shapes stand in brackets, so that no spreadsheet reads one as a number. A cell that it would compute, which
        only words can hold, gets an apostrophe in front.

    Example:
        >>> from attention_core.ledger import PRESETS, build_ledger
        >>> write_ledger_csv(build_ledger(PRESETS["notes"].sizes)).splitlines()[2]
        'q,Q,"[B, N, h·d_k]","[2, 5, 12]","[60, 12, 1]",yes,,float32,120,480,144,2880,q = x @ w_q'

    Source: OWASP, CSV injection, for the apostrophe.
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(
        [_inert(cell) for cell in cells] for cells in _table(ledger, words or {})
    )
    return text.getvalue()


def write_ledger_markdown(ledger: Ledger, words: Mapping[str, str] | None = None) -> str:
    """Write a ledger as a table in Markdown; names and lines of code are set as code.

    Args:
        words: As in write_ledger_csv.

    Example:
        >>> from attention_core.ledger import PRESETS, build_ledger
        >>> write_ledger_markdown(build_ledger(PRESETS["notes"].sizes)).splitlines()[-1][:34]
        '| total |  |  |  |  |  |  |  |  | '
    """
    heading, *rows = _table(ledger, words or {})
    code = {COLUMNS.index(name) for name in ("symbol", "axes", "shape", "strides", "dtype", "line")}
    lines = [[_plain(cell) for cell in heading], ["---"] * len(COLUMNS)]
    lines += [[f"`{c}`" if c and i in code else _plain(c) for i, c in enumerate(cells)] for cells in rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _table(ledger: Ledger, words: Mapping[str, str]) -> list[list[str]]:
    """Write every cell: the columns' names, the rows, the totals."""

    def say(word: str) -> str:
        return words.get(word, word)

    def cells(row: Row) -> list[str]:
        step = row.step
        texts = [say(step.name), step.symbol, f"[{', '.join(step.axes)}]", str(list(row.shape))]
        texts += [str(list(row.strides)), say("yes" if row.is_contiguous else "no")]
        texts += [say(row.shares_with) if row.shares_with else "", row.dtype]
        counts = (row.elements, row.bytes, row.parameters, row.flops)
        return [*texts, *map(str, counts), step.line]

    totals = dict.fromkeys(COLUMNS, "") | {
        "step": say("total"),
        "bytes": str(ledger.activation_bytes),
        "parameters": str(ledger.parameters),
        "flops": str(ledger.flops),
    }
    return [[say(name) for name in COLUMNS], *map(cells, ledger.rows), list(totals.values())]


def _inert(cell: str) -> str:
    """Keep a spreadsheet from computing a cell."""
    return f"'{cell}" if cell.lstrip(" ").startswith(_FORMULA_STARTS) else cell


def _plain(cell: str) -> str:
    r"""Keep a word from ending its cell, its row or being set as anything but text."""
    for sign in "\\|`*_<>[]":
        cell = cell.replace(sign, f"\\{sign}")
    return " ".join(cell.split())
