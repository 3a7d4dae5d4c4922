"""The table of all attentions on the reader's sentence; picking a row puts it beside full attention."""

from dataclasses import replace

from attention_core.variant_runs import KINDS, NAMES, WITHOUT_WEIGHTS, Name
from dashboard.controls import State
from dashboard.grid import by_rows, compact, grid_part
from dashboard.grid.bench import Part
from dashboard.number_format import NOTHING, significant
from dashboard.number_table import grid_labels, with_texts
from dashboard.panels.variants.compare_model import Summary, inputs_of, summaries
from dashboard.text import Language
from dashboard.text import variant_compare as words
from dashboard.text import variants as lesson_words


def variants_part(state: State) -> Part:
    """Describe every attention, one a row: what it computes and what it is, what it sees, what it costs, how far off it is."""
    language, found = state.language, summaries(state)
    both = [cells(name, found[name], language) for name in NAMES]
    columns = [text.say(language) for text in words.COLUMNS]
    title = words.TABLE.say(
        language, n=inputs_of(state).n, mask=words.MASKS[state["is_causal"]].say(language)
    )
    part = grid_part(
        [[0.0] * len(columns) for _ in NAMES],
        title=title,
        labels=replace(
            grid_labels(language, "row", "column"),
            row=words.ATTENTION.say(language),
            keys=words.PICK_KEYS.say(language),
        ),
        row_labels=[lesson_words.NAMES[name].say(language) for name in NAMES],
        column_labels=columns,
        picked=(NAMES.index(state["b"]), 0),
        on_pick=lambda row, _column: state.put("b", NAMES[row]),
    )
    texts, exact = ([one[place] for one in both] for place in (0, 1))
    return by_rows(compact(with_texts(part, texts, exact)))


def cells(name: Name, found: Summary | None, language: Language) -> tuple[list[str], list[str]]:
    """Write one row: as it stands in cells, and in full; dashes where the variant cannot run."""
    kind = KINDS[name]
    has_weights = words.IN_PIECES if kind == "exact" else words.YES
    has_weights = words.NO if name in WITHOUT_WEIGHTS else has_weights
    said = [text.say(language) for text in (words.COMPUTES[name], words.KINDS[kind], has_weights)]
    if found is None:
        return [*said, *[NOTHING] * 4], [*said, *[NOTHING] * 4]
    counts = found.n_seen, found.n_scores, found.flops
    short = [*(f"{count:,}" for count in counts), significant(found.error)]
    full = [*map(str, counts), NOTHING if found.error is None else repr(found.error)]
    return [*said, *short], [*said, *full]
