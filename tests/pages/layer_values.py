"""What the tests of the layers lesson share: a page opened, its sentence dressed by the core, its parts in hand."""

from collections.abc import Callable

from attention_core.layers import Design, DressedSentence, dress
from attention_core.masks import causal
from attention_core.tokens import tokenize
from tests.pages.reading import drawings

LONG = " ".join(f"w{place}" for place in range(64))


def design_of(at, **changed: object) -> Design:
    """The design that the page's values name."""
    state = at.session_state["lesson:layers"]
    sizes = {name: state[name] for name in ("n_layers", "d_model", "norm", "has_ffn", "has_residual")}
    return Design(n_heads=state["h"], **{**sizes, **changed})


def dressed(at, text: str = "text", *, positions: str | None = None, **changed: object) -> DressedSentence:
    """The page's sentence through the page's stack, made anew by the core."""
    state = at.session_state["lesson:layers"]
    tokens = tokenize(state[text])
    allowed = causal(len(tokens)) if state["is_causal"] else None
    where = positions or state["positions"]
    return dress(tokens, design_of(at, **changed), seed=state["seed"], positions=where, allowed=allowed)


def lines_of(at, name: str) -> list[str]:
    """The lines of one part as texts."""
    return ["".join(piece["text"] for piece in line["pieces"]) for line in drawings(at)[name]["lines"]]


def parts_of(monkeypatch, module) -> dict:
    """The parts of a view as Python holds them, so that a test can do what a browser would."""
    held: dict = {}
    show: Callable = module.show_bench

    def hold(key: str, described: dict) -> None:
        held.clear()
        held.update(described)
        show(key, described)

    monkeypatch.setattr(module, "show_bench", hold)
    return held
