"""Attentions other than the dense one, one a file: each with its cost in `attention_core.cost` or beside it."""

from collections.abc import Callable

from attention_core.variants.additive import attend_additive
from attention_core.variants.alibi import attend_alibi
from attention_core.variants.block import attend_block
from attention_core.variants.cosine import attend_cosine
from attention_core.variants.dilated import attend_dilated
from attention_core.variants.dot_product import attend_dot
from attention_core.variants.global_window import attend_global_window
from attention_core.variants.linear import attend_linear
from attention_core.variants.low_rank import attend_low_rank
from attention_core.variants.multiplicative import attend_multiplicative
from attention_core.variants.rotary import attend_rotary
from attention_core.variants.sink import attend_sink
from attention_core.variants.strided import attend_strided
from attention_core.variants.window import attend_window

VARIANTS: dict[str, Callable[..., object]] = {
    "dot_product": attend_dot,
    "additive": attend_additive,
    "multiplicative": attend_multiplicative,
    "cosine": attend_cosine,
    "alibi": attend_alibi,
    "rotary": attend_rotary,
    "sink": attend_sink,
    "window": attend_window,
    "dilated": attend_dilated,
    "block": attend_block,
    "strided": attend_strided,
    "global_window": attend_global_window,
    "linear": attend_linear,
    "low_rank": attend_low_rank,
}
