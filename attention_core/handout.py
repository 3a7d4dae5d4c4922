"""The shape ledger as a handout: a table for a spreadsheet, and a page of text that can be printed."""

import csv
import io
from collections.abc import Mapping, Sequence

from attention_core.ledger import UNCOUNTED, Ledger, Row

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
    "own_bytes",
    "parameters",
    "flops",
    "line",
)
# What a printed page has room for.
PRINTED = ("step", "symbol", "axes", "shape", "strides", "own_bytes", "parameters", "flops", "line")
_CODE = frozenset({"symbol", "axes", "shape", "strides", "dtype", "line"})
# Where one of these begins a cell, a spreadsheet computes what follows.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def write_ledger_csv(
    ledger: Ledger, words: Mapping[str, str] | None = None, notes: Sequence[str] = (), link: str = ""
) -> str:
    """Write a ledger as CSV, a step a line, with the totals in the last one.

    Args:
        words: What to write for a column, a step, total, yes or no, not_counted, where it is to be another word.
        notes: What is said below the table, a line each.
        link: Where the ledger comes from; the last line.

    Returns:
        Shapes stand in brackets, so that no spreadsheet reads one as a number. A cell that it would compute, which
        only words can hold, gets an apostrophe in front. A total is the sum of its column.

    Example:
        >>> from attention_core.ledger import PRESETS, build_ledger
        >>> write_ledger_csv(build_ledger(PRESETS["notes"].sizes)).splitlines()[2]
        'q,Q,"[B, N, h·d_k]","[2, 5, 12]","[60, 12, 1]",yes,,float32,120,480,480,144,2880,q = x @ w_q'

    Source: OWASP, CSV injection, for the apostrophe.
    """
    text = io.StringIO()
    said = words or {}
    rows = [[row[name] for name in COLUMNS] for row in _table(ledger, said)]
    csv.writer(text, lineterminator="\n").writerows(
        [_inert(cell) for cell in cells] for cells in [*rows, *([note] for note in (*notes, link) if note)]
    )
    return text.getvalue()


def write_ledger_markdown(
    ledger: Ledger,
    words: Mapping[str, str] | None = None,
    title: str = "",
    notes: Sequence[str] = (),
    link: str = "",
) -> str:
    """Write a ledger as a table in Markdown of the columns that fit on paper; symbols and lines of code are set as code.

    Args:
        words: As in write_ledger_csv.
        title: Stands over the table.
        notes: What is said below the table, a paragraph each.
        link: Where the ledger comes from, an address that holds no space and no angle bracket.

    Example:
        >>> from attention_core.ledger import PRESETS, build_ledger
        >>> write_ledger_markdown(build_ledger(PRESETS["notes"].sizes)).splitlines()[-1]
        '| total |  |  |  |  | 5160 | 576 | 13920 |  |'
    """
    heading, *rows = _table(ledger, words or {})
    lines = [[_plain(heading[name]) for name in PRINTED], ["---"] * len(PRINTED)]
    lines += [[_set(name, row[name]) for name in PRINTED] for row in rows]
    table = "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
    above = f"# {_plain(title)}\n\n" if title else ""
    below = [*(_plain(note) for note in notes), *([f"<{link}>"] if link else [])]
    return above + table + "".join(f"\n{text}\n" for text in below)


def _table(ledger: Ledger, words: Mapping[str, str]) -> list[dict[str, str]]:
    """Write every cell, by its column: the columns' names, the rows, the totals."""

    def say(word: str) -> str:
        return words.get(word, word)

    def cells(row: Row) -> dict[str, str]:
        step = row.step
        return {
            "step": say(step.name),
            "symbol": step.symbol,
            "axes": f"[{', '.join(step.axes)}]",
            "shape": str(list(row.shape)),
            "strides": str(list(row.strides)),
            "is_contiguous": say("yes" if row.is_contiguous else "no"),
            "shares_with": ledger.row(row.shares_with).step.symbol if row.shares_with else "",
            "dtype": row.dtype,
            "elements": str(row.elements),
            "bytes": str(row.bytes),
            "own_bytes": str(row.own_bytes),
            "parameters": str(row.parameters),
            "flops": say("not_counted") if step.name in UNCOUNTED else str(row.flops),
            "line": step.line,
        }

    totals = dict.fromkeys(COLUMNS, "") | {
        "step": say("total"),
        "own_bytes": str(ledger.activation_bytes),
        "parameters": str(ledger.parameters),
        "flops": str(ledger.flops),
    }
    return [{name: say(name) for name in COLUMNS}, *map(cells, ledger.rows), totals]


def _set(name: str, cell: str) -> str:
    """Set one cell in Markdown."""
    return f"`{cell}`" if cell and name in _CODE else _plain(cell)


def _inert(cell: str) -> str:
    """Keep a spreadsheet from computing a cell."""
    return f"'{cell}" if cell.lstrip(" ").startswith(_FORMULA_STARTS) else cell


def _plain(cell: str) -> str:
    r"""Keep a word from ending its cell, its row or being set as anything but text."""
    for sign in "\\|`*_<>[]":
        cell = cell.replace(sign, f"\\{sign}")
    return " ".join(cell.split())
