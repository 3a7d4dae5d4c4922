"""Claim M6: a mask decides how far a word reaches in one layer, and each further layer carries it as far again."""

from collections.abc import Sequence
from dataclasses import dataclass

from jaxtyping import Bool, Float
from torch import Tensor

from attention_core.layers import Design, dress
from attention_core.mask_facts import layers_until
from attention_core.masks import full
from attention_core.single_head import Positions


@dataclass(frozen=True, eq=False)
class ChangedWord:
    """How one word's change spreads through layers.

    Attributes:
        changes: |change| of each token's vector at each depth.
        first_depths: The depth at which each token first changes: 0 is the word itself, None is not within the stack.
        predicted: The same as the mask alone foretells it, by chains of queries that see keys.
        reach_back: How many places before the furthest token that changed the word stands; 0 where none follows it.
    """

    changed: int
    changes: Float[Tensor, "depths N"]
    first_depths: tuple[int | None, ...]
    predicted: tuple[int | None, ...]
    reach_back: int

    @property
    def agrees(self) -> bool:
        """The mask foretold every depth."""
        return self.first_depths == self.predicted


def change_word(
    tokens: Sequence[str],
    changed: int,
    replacement: str,
    design: Design,
    *,
    seed: int,
    positions: Positions = "none",
    allowed: Bool[Tensor, "N N"] | None = None,
) -> ChangedWord:
    """Put another word in one place, and find at which layer each token first notices.

        with a causal window of w:  token n first changes in layer ⌈(n − changed) / (w − 1)⌉

    Args:
        allowed: The mask of every layer; None: every token sees every other.

    Returns:
        Changes are exact: 0 where no number moved at all. What the mask rules out never moves; what it allows may
        stay where numbers happen to be equal, as with the norm of a single number, which is always its shift.

    Raises:
        ValueError: a place outside the sentence, or the word that stands there already.

    Example:
        >>> from attention_core.masks import window
        >>> found = change_word(
        ...     ("a", "b", "c", "d", "e"), 0, "z", Design(n_layers=2), seed=0, allowed=window(5, 5, 2, is_causal=True)
        ... )
        >>> found.first_depths, found.reach_back, found.agrees
        ((0, 1, 2, None, None), 2, True)

    Source: Beltagy et al. 2020, section 3.1, receptive field of layers of windows.
    """
    n = len(tokens)
    if not 0 <= changed < n:
        raise ValueError(f"changed must be from 0 to {n - 1}, got {changed}")
    if tokens[changed] == replacement:
        raise ValueError(
            f"the replacement must be another word than {tokens[changed]!r}, got {replacement!r}"
        )
    others = [*tokens[:changed], replacement, *tokens[changed + 1 :]]
    before, after = (
        dress(words, design, seed=seed, positions=positions, allowed=allowed).trace.vectors
        for words in (tokens, others)
    )
    has_moved = (before != after).any(dim=-1)
    first_depths = tuple(int(column.int().argmax()) if column.any() else None for column in has_moved.T)
    seen = full(n) if allowed is None else allowed
    predicted = tuple(0 if place == changed else _within(design, seen, place, changed) for place in range(n))
    furthest = max(place for place in range(n) if first_depths[place] is not None or place == changed)
    changes = (after - before).norm(dim=-1)
    return ChangedWord(changed, changes, first_depths, predicted, max(furthest - changed, 0))


def _within(design: Design, allowed: Bool[Tensor, "N N"], query: int, key: int) -> int | None:
    """Count the layers after which a query may notice a key; None where the stack has not as many."""
    found = layers_until(allowed, query, key, has_residual=design.has_residual)
    return None if found is None or found > design.n_layers else found
