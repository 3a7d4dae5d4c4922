"""From the lesson's values to its numbers."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from attention_core.examples import EXAMPLES, matrices
from attention_core.single_head import Positions, apply_edits, own_sentence, trace_single_head
from attention_core.tokens import tokenize
from attention_core.trace import SingleHeadTrace
from dashboard.controls import State
from dashboard.panels.qkv.fields import STAGES
from dashboard.text import qkv as words

INPUTS_OF = {
    "embedding": (),
    "position": (),
    "x": ("embedding", "position"),
    "q": ("x", "w_q"),
    "k": ("x", "w_k"),
    "v": ("x", "w_v"),
    "scores": ("q", "k"),
    "scaled": ("scores",),
    "masked": ("scaled",),
    "weights": ("masked",),
    "out": ("weights", "v"),
    "projected": ("out", "w_o"),
}
STAGE_SHOWING = {"w_q": "q", "w_k": "k", "w_v": "v", "w_o": "projected"}
KEY_COLUMNS = frozenset({"scores", "scaled", "masked", "weights"})


@dataclass(frozen=True, eq=False)
class Model:
    """All numbers of the lesson for one state.

    edits: The reader's cells of the present source, by matrix, row and column from 0.
    dormant: Those of them that lie outside the present matrices.
    """

    source: str
    queries: tuple[str, ...]
    keys: tuple[str, ...]
    trace: SingleHeadTrace
    edits: Mapping[tuple[str, int, int], float]
    dormant: tuple[tuple[str, int, int], ...]

    def matrix(self, name: str) -> Tensor | None:
        """Give a matrix of the trace; None where this source does not have it."""
        return getattr(self.trace, name)

    @property
    def stages(self) -> tuple[str, ...]:
        """Name the stages this source has; masked only where something is masked."""
        has_mask = self.trace.allowed is not None
        return tuple(
            name for name in STAGES if self.matrix(name) is not None and (name != "masked" or has_mask)
        )

    @property
    def hidden(self) -> np.ndarray | None:
        """Mark the pairs that the mask hides; None without a mask."""
        return None if self.trace.allowed is None else ~self.trace.allowed.numpy()

    def inputs_of(self, stage: str) -> tuple[str, ...]:
        """Name the matrices a stage is made from, as far as they are shown."""
        if stage == "weights" and self.trace.allowed is None:
            return ("scaled",)
        return tuple(name for name in INPUTS_OF[stage] if self.matrix(name) is not None)

    def edited_in(self, name: str) -> frozenset[tuple[int, int]]:
        """Name the cells of a matrix that carry the reader's number."""
        return frozenset(self.edits_of(name))

    def edits_of(self, name: str) -> dict[tuple[int, int], float]:
        """Give the reader's numbers in a matrix by row and column, those without a cell left out."""
        return {
            (row, column): value
            for (matrix, row, column), value in self.edits.items()
            if matrix == name and (matrix, row, column) not in self.dormant
        }


def build(state: State) -> Model:
    """Compute the lesson's numbers for the present source."""
    source = state["source"]
    if source == "own":
        tokens = tokenize(state["text"])
        return _trace(state, own_matrices(state, tokens), tokens, tokens, "own")
    example = EXAMPLES[source]
    queries, keys = (
        tuple(words.EXAMPLE_WORDS[word].say(state.language) for word in word_ids)
        for word_ids in (example.query_ids, example.key_ids)
    )
    return _trace(state, matrices(example), queries, keys, source)


def from_tokens(state: State, tokens: tuple[str, ...]) -> Model:
    """Send other words through the reader's W; edits of X belong to the first sentence and stay out."""
    return _trace(state, own_matrices(state, tokens), tokens, tokens, "own", skipped="x")


def own_matrices(
    state: State, tokens: tuple[str, ...], positions: Positions | None = None
) -> dict[str, Tensor]:
    """Draw the matrices of a sentence with the lesson's sizes, and its positions unless others are asked for."""
    sizes = {name: state[name] for name in ("seed", "d_model", "d_k", "d_v")}
    return own_sentence(tokens, **sizes, positions=positions or state["positions"])


def matrices_of(model: Model) -> dict[str, Tensor]:
    """Give the weight matrices that a model has, the reader's edits included."""
    names = ("w_q", "w_k", "w_v", "w_o")
    return {name: model.matrix(name) for name in names if model.matrix(name) is not None}


def _trace(
    state: State,
    given: dict[str, Tensor],
    queries: tuple[str, ...],
    keys: tuple[str, ...],
    source: str,
    skipped: str | None = None,
) -> Model:
    edits = state[f"edit_{source}"]
    dormant: list[tuple[str, int, int]] = []
    for name in {name for name, _, _ in edits} - {skipped}:
        cells = {(row, column): value for (matrix, row, column), value in edits.items() if matrix == name}
        edited = apply_edits(given[name], cells)
        given[name] = edited.matrix
        dormant += [(name, row, column) for row, column in edited.dormant]
    is_causal = state["causal"] and source != "e3"
    trace = trace_single_head(given, is_causal=is_causal)
    return Model(source, queries, keys, trace, edits, tuple(dormant))
