"""From the lesson's values to the sentence on its way through the stack."""

from functools import lru_cache

from attention_core.experiments.dressing import LaidOut, lay_out
from attention_core.layers import Design, DressedSentence, Norm, dress
from attention_core.masks import causal
from attention_core.single_head import Positions
from attention_core.tokens import tokenize
from dashboard.controls import State
from dashboard.grid.picture import visible
from dashboard.number_format import significant
from dashboard.text import Language
from dashboard.text import layers as words


def design_of(state: State, *, norm: Norm | None = None, has_residual: bool | None = None) -> Design:
    """Give the design of the sidebar, or one that differs from it in something."""
    return Design(
        n_layers=state["n_layers"],
        d_model=state["d_model"],
        n_heads=state["h"],
        norm=norm or state["norm"],
        has_ffn=state["has_ffn"],
        has_residual=state["has_residual"] if has_residual is None else has_residual,
    )


@lru_cache(maxsize=16)
def tokens_of(text: str) -> tuple[str, ...]:
    """Cut a text once."""
    return tokenize(text)


def own_stack(
    state: State, text: str = "text", *, has_residual: bool | None = None, positions: Positions | None = None
) -> DressedSentence:
    """Send the reader's sentence through the stack of the sidebar, or through one that differs in something.

    Args:
        text: The field that holds the sentence.
    """
    design = design_of(state, has_residual=has_residual)
    where = positions or state["positions"]
    return _dressed(tokens_of(state[text]), design, state["seed"], where, state["is_causal"])


# Of 64 tokens, 12 layers and 8 heads one holds some 20 MiB. Nobody writes into it.
@lru_cache(maxsize=4)
def _dressed(
    tokens: tuple[str, ...], design: Design, seed: int, positions: Positions, is_causal: bool
) -> DressedSentence:
    allowed = causal(len(tokens)) if is_causal else None
    return dress(tokens, design, seed=seed, positions=positions, allowed=allowed)


@lru_cache(maxsize=4)
def laid_out(*sentences: DressedSentence) -> LaidOut:
    """Lay sentences into their plane; the plane is fitted once to all their layers."""
    return lay_out(*sentences)


def names_of(tokens: tuple[str, ...]) -> list[str]:
    """Name tokens by place and word, so that repeated words stay apart."""
    return [f"{place} {visible(token)}" for place, token in enumerate(tokens, 1)]


def provenance(state: State, *, has_both: bool = False) -> str:
    """Say where the numbers of a view come from.

    Args:
        has_both: The view has stacks with a residual and without.
    """
    language: Language = state.language
    residual = words.BOTH_RESIDUALS if has_both else words.RESIDUAL_SAID[state["has_residual"]]
    named = {
        "layers": words.N_LAYERS[state["n_layers"] == 1].say(language, n=state["n_layers"]),
        "norm": words.NORM_SAID[state["norm"]].say(language),
        "residual": residual.say(language),
        "ffn": words.FFN_SAID[state["has_ffn"]].say(language),
        "positions": words.POSITIONS_SAID[state["positions"]].say(language),
        "mask": words.MASKS_SAID[state["is_causal"]].say(language),
    }
    sizes = {name: state[name] for name in ("seed", "d_model", "h")}
    return words.NOTE.say(language, **named, **sizes)


def percent(share: float) -> str:
    """Write a share in percent, to three digits.

    Example:
        >>> percent(0.5437), percent(1.0)
        ('54.4%', '100%')
    """
    return f"{significant(100 * share)}%"
