"""A picture of the split: numbers small enough to follow, run through the layer's own functions, a colour a head."""

from dataclasses import replace
from functools import lru_cache

from torch import Tensor

from attention_core.experiments.reshape_faults import hand_literal
from attention_core.multi_head import cut_width, turn_heads
from dashboard.grid import grid_part, thumbnail
from dashboard.grid.bench import Area, Part
from dashboard.number_table import grid_labels, with_texts
from dashboard.text import Language
from dashboard.text import head_ledger as words

# Two colours from the middle of both halves of the diverging scale.
COLOURS, REACH = (-1.0, 1.0), 2.5


@lru_cache(maxsize=2)
def split_parts(language: Language) -> dict[str, tuple[Area, Part]]:
    """Describe a few queries before the split, each column in the colour of its head, and their heads after it."""
    q = hand_literal()[0][0]
    heads = turn_heads(cut_width(q, len(COLOURS)))
    head_of = {number: head for head, one in enumerate(heads.tolist()) for row in one for number in row}
    places = [(head, position) for head in range(len(heads)) for position in range(len(q))]
    rows = [words.SPLIT_ROW.say(language, head=head + 1, position=position + 1) for head, position in places]
    before = words.SPLIT_BEFORE.say(language, last=int(q.max()))
    after = words.SPLIT_AFTER.say(language)
    return {
        "split.before": ("below", coloured(q, head_of, before, None, words.POSITION.say(language), language)),
        "split.after": (
            "below",
            coloured(heads.flatten(0, 1), head_of, after, rows, words.SPLIT.say(language), language),
        ),
    }


def coloured(
    numbers: Tensor,
    head_of: dict[float, int],
    title: str,
    rows: list[str] | None,
    row: str,
    language: Language,
) -> Part:
    """Describe whole numbers in the colours of their heads; the colours are no scale, and no legend tells them."""
    cells = numbers.tolist()
    part = grid_part(
        [[COLOURS[head_of[number]] for number in line] for line in cells],
        title=title,
        labels=replace(grid_labels(language, "row", "column"), row=row),
        row_labels=rows,
        role="q",
        scale="diverging",
        domain=REACH,
    )
    texts = [[str(int(number)) for number in line] for line in cells]
    part = thumbnail(with_texts(part, texts, texts))
    return replace(part, data={**part.data, "ends": []})
