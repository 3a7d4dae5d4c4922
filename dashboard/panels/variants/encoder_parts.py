"""The pictures of a decoder that reads an encoder, up to the present step."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from attention_core.experiments.bottleneck import Bottleneck, ReadOut
from dashboard.grid import by_rows, compact, grid_part
from dashboard.grid.bench import Area, Part
from dashboard.number_format import exact, significant
from dashboard.number_table import grid_labels, with_texts
from dashboard.text import Language
from dashboard.text import variant_encoder as words

Parts = dict[str, tuple[Area, Part]]


@dataclass(frozen=True)
class Shown:
    """A sentence and the step, counted from 0, up to which it is read."""

    found: Bottleneck
    step: int
    language: Language

    @property
    def wanted(self) -> tuple[str, ...]:
        """Name the words that were wanted up to the present step."""
        return tuple(self.found.vocabulary[word] for word in self.found.wanted[: self.step + 1])


def pictures(shown: Shown, go_to: Callable[[int], None]) -> Parts:
    """Describe the weights, the cosines of the present step, and what both ways read up to it.

    Args:
        go_to: Called with the step, from 0, that the reader picked.
    """
    return {
        "weights": ("left", weights_part(shown, go_to)),
        "cosines": ("left", cosines_part(shown)),
        "read": ("below", read_part(shown, go_to)),
    }


def marked(out: ReadOut, step: int, found: Bottleneck, language: Language) -> str:
    """Name the word that a step read, with a sign for right or wrong."""
    text = words.RIGHT if out.is_right[step] else words.WRONG
    return text.say(language, word=found.vocabulary[out.read[step]])


def weights_part(shown: Shown, go_to: Callable[[int], None]) -> Part:
    """Describe the weights of the steps so far over all states, and what each step reads by them."""
    found, language, n_rows = shown.found, shown.language, shown.step + 1
    labels = replace(
        grid_labels(language, "query", "key"),
        row=words.STEP_AXIS.say(language),
        column=words.STATE_AXIS.say(language),
        value=words.WEIGHT.say(language),
        keys=words.PICK_KEYS.say(language),
        footer=words.READS.say(language),
    )
    part = grid_part(
        found.attention.weights[:n_rows].numpy(),
        title=words.WEIGHTS.say(language, rows=n_rows, columns=len(found.tokens)),
        labels=labels,
        row_labels=shown.wanted,
        column_labels=found.tokens,
        role="weights",
        scale="sequential",
        picked=(shown.step, found.places[shown.step]),
        on_pick=lambda row, _column: go_to(row),
        footer=[marked(found.attended, step, found, language) for step in range(n_rows)],
    )
    return by_rows(compact(part))


def cosines_part(shown: Shown) -> Part:
    """Describe the cosines of both ways with each word of the sentence, at the present step."""
    found, language, step = shown.found, shown.language, shown.step
    ways = {"fixed": found.fixed, "attended": found.attended}
    names = [
        words.WANTED.say(language, word=word) if place == found.wanted[step] else word
        for place, word in enumerate(found.vocabulary)
    ]
    part = grid_part(
        np.stack([way.cosines[step].numpy() for way in ways.values()]),
        title=words.COSINES.say(language, step=step + 1),
        labels=replace(
            grid_labels(language, "row", "column"),
            column=words.WORD_AXIS.say(language),
            value=words.COSINE.say(language),
            footer=words.READS.say(language),
        ),
        row_labels=[words.WAYS[name].say(language) for name in ways],
        column_labels=names,
        scale="diverging",
        domain=1.0,
        footer=[marked(way, step, found, language) for way in ways.values()],
    )
    return compact(part)


def read_part(shown: Shown, go_to: Callable[[int], None]) -> Part:
    """Describe what each step so far reads in both ways, with its cross-talk and the recurrent steps behind it."""
    found, language, n_rows = shown.found, shown.language, shown.step + 1
    columns = [text.say(language) for text in words.READ_COLUMNS.values()]
    texts, full = [], []
    for step in range(n_rows):
        both = [marked(way, step, found, language) for way in (found.fixed, found.attended)]
        crosstalk, between = found.crosstalk[step], str(found.n_steps_between[step])
        texts.append([*both, significant(crosstalk), between])
        full.append([*both, exact(crosstalk), between])
    part = grid_part(
        [[0.0] * len(columns) for _ in range(n_rows)],
        title=words.READ.say(language),
        labels=replace(
            grid_labels(language, "row", "column"),
            row=words.STEP_AXIS.say(language),
            keys=words.PICK_KEYS.say(language),
        ),
        row_labels=shown.wanted,
        column_labels=columns,
        picked=(shown.step, 0),
        on_pick=lambda row, _column: go_to(row),
    )
    return by_rows(compact(with_texts(part, texts, full)))


def vectors_part(shown: Shown) -> Part:
    """Describe the directions of the word that is wanted, of what is handed on, and of what both ways have in hand."""
    found, language, step = shown.found, shown.language, shown.step
    names = [text.say(language) for text in words.VECTOR_ROWS]
    part = grid_part(
        found.directions(step).numpy(),
        title=words.VECTORS.say(language, step=step + 1, word=shown.wanted[-1]),
        labels=replace(
            grid_labels(language, "row", "column"),
            column=words.NUMBER_AXIS.say(language),
            value=words.VECTOR_VALUE.say(language),
        ),
        row_labels=names,
        scale="diverging",
        domain=1.0,
    )
    return compact(part)
