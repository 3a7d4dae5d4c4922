"""Attentions other than the dense one, one a file: each with its cost in `attention_core.cost`."""

from collections.abc import Callable

from attention_core.variants.linear import attend_linear
from attention_core.variants.window import attend_window

VARIANTS: dict[str, Callable[..., object]] = {"window": attend_window, "linear": attend_linear}
