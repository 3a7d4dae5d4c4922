"""One mask in the four ways that libraries write it, and back, without guessing where two readings are possible."""

import math
from typing import Literal, get_args

import torch
from jaxtyping import Bool, Num, Shaped
from torch import Tensor

from attention_core.steps import HALF, WIDE

# allowed: bool, True = may see. blocked: bool, True = may not. additive: 0 = may see, −∞ = may not, added to the
# scores. binary: numbers, 1 = may see, 0 = may not.
Convention = Literal["allowed", "blocked", "additive", "binary"]
CONVENTIONS: tuple[str, ...] = get_args(Convention)

_FLOATS = WIDE | HALF
_INTEGERS = frozenset({torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64})
_TYPES = {
    "allowed": frozenset({torch.bool}),
    "blocked": frozenset({torch.bool}),
    "additive": _FLOATS,
    "binary": _FLOATS | _INTEGERS,
}
_DEFAULT_TYPE = {
    "allowed": torch.bool,
    "blocked": torch.bool,
    "additive": torch.float32,
    "binary": torch.float32,
}


class MaskValueError(ValueError):
    """Say that a tensor is no mask in a convention, because of one of its values.

    Attributes:
        convention: The convention it was read in; None where none fits.
        place: Indices of the first such value.
        value: What stands there.
    """

    def __init__(self, convention: str | None, place: tuple[int, ...], value: float | int) -> None:
        holds = {"additive": "0 and −inf alone; other floats are a bias", "binary": "0 and 1 alone"}
        rule = holds.get(convention, "0 and −inf, or 0 and 1")
        super().__init__(f"a mask ({convention or 'of numbers'}) holds {rule}, got {value} at {place}")
        self.convention = convention
        self.place = place
        self.value = value


class AmbiguousMaskError(ValueError):
    """Say that a tensor is a mask in two conventions, which mean different things by its numbers.

    Attributes:
        readings: Both conventions. `read_mask` takes a mask as "binary" or as "blocked" (integers: 1 may not be seen);
            0 and 1 read as "additive" hide nothing: they are a bias, and it refuses 1.
    """

    def __init__(self, readings: tuple[str, str], dtype: torch.dtype) -> None:
        meanings = {
            "binary": "binary (1 = may see, 0 = may not)",
            "additive": "additive (0 and 1 are added to the scores, and every key is seen)",
            "blocked": "blocked (1 = may not see, 0 = may)",
        }
        first, second = (meanings[reading] for reading in readings)
        super().__init__(f"0 and 1 of {dtype} can be read as {first} or as {second}: say which")
        self.readings = readings


def write_mask(
    allowed: Bool[Tensor, "..."], convention: Convention, dtype: torch.dtype | None = None
) -> Shaped[Tensor, "..."]:
    """Write a mask in one of the conventions.

        blocked = ¬allowed;  additive = 0 where allowed, else −∞;  binary = 1 where allowed, else 0

    Args:
        allowed: True where query n may see key m.
        dtype: None means bool for allowed and blocked, float32 for additive and binary.

    Returns:
        A new tensor. Additive masks are selected and never multiplied: 0 · −∞ is NaN.

    Raises:
        ValueError: an unknown convention or a type it cannot be written in, a mask that is not bool.

    Example:
        >>> [write_mask(torch.tensor([True, False]), convention).tolist() for convention in CONVENTIONS]
        [[True, False], [False, True], [0.0, -inf], [1.0, 0.0]]

    Names: allowed is `attn_mask` of scaled_dot_product_attention, blocked is `attn_mask` and `key_padding_mask` of
        nn.MultiheadAttention, additive is either of them as floats, binary is `attention_mask` of Hugging Face.
    """
    _check_type(allowed, "allowed")
    _check_convention(convention)
    dtype = _DEFAULT_TYPE[convention] if dtype is None else dtype
    if dtype not in _TYPES[convention]:
        raise ValueError(f"{convention} can be written in {_names(_TYPES[convention])}, got {dtype}")
    if convention == "allowed":
        return allowed.clone()
    if convention == "blocked":
        return ~allowed
    if convention == "binary":
        return allowed.to(dtype)
    return torch.zeros_like(allowed, dtype=dtype).masked_fill(~allowed, -math.inf)


def read_mask(mask: Shaped[Tensor, "..."], convention: Convention) -> Bool[Tensor, "..."]:
    """Read a mask whose convention is known.

    Args:
        mask: bool in allowed; bool, or integers 0 and 1, in blocked; 0 and −∞ in additive; 0 and 1 in binary.

    Returns:
        True where query n may see key m, of the mask's shape.

    Raises:
        MaskValueError: a value that the convention has not, with its place. A large negative number is not −∞: rows
            without any key tell the two apart.
        ValueError: an unknown convention or a type it is not written in.

    Example:
        >>> read_mask(torch.tensor([0.0, -math.inf]), "additive").tolist()
        [True, False]
        >>> read_mask(torch.tensor([1, 0]), "blocked").tolist()
        [False, True]
    """
    _check_convention(convention)
    _check_type(mask, convention)
    if convention == "allowed":
        return mask.clone()
    if mask.dtype == torch.bool:
        return ~mask
    sees = mask == (0 if convention in ("additive", "blocked") else 1)
    hides = mask == {"additive": -math.inf, "blocked": 1, "binary": 0}[convention]
    known = sees | hides
    if not bool(known.all()):
        raise _value_error(mask, known, convention)
    return sees


def guess_convention(mask: Shaped[Tensor, "..."]) -> Convention:
    """Tell a mask's convention from its type and values, and refuse where two are possible.

    Returns:
        - allowed for bool, as scaled_dot_product_attention, flex_attention and this core read it. Nothing in a
          bool tensor tells whether it was made for nn.MultiheadAttention, which reads it the other way round.
        - additive for floats of 0 and −∞, and for no number at all.

    Raises:
        AmbiguousMaskError: 0/1 floats (binary or additive) and 0/1 integers (binary or blocked). Floats of 0 alone
            are among them: read as binary they hide every key, read as additive none. So are floats of 1 alone,
            although every key is seen through either.
        MaskValueError: another number, with its place.
        ValueError: a type that no convention is written in.

    Example:
        >>> guess_convention(torch.tensor([0.0, -math.inf]))
        'additive'
        >>> guess_convention(torch.tensor([0.0, 1.0]))
        Traceback (most recent call last):
        attention_core.conventions.AmbiguousMaskError: 0 and 1 of torch.float32 can be read as binary (1 = may see, \
0 = may not) or as additive (0 and 1 are added to the scores, and every key is seen): say which
    """
    if mask.dtype == torch.bool:
        return "allowed"
    if mask.dtype not in _FLOATS | _INTEGERS:
        raise ValueError(f"a mask is bool or of {_names(_FLOATS | _INTEGERS)}, got {mask.dtype}")
    is_float = mask.is_floating_point()
    is_zero, is_one, is_hidden = mask == 0, mask == 1, mask == -math.inf
    if is_float and bool((is_zero | is_hidden).all()) and (bool(is_hidden.any()) or mask.numel() == 0):
        return "additive"
    if bool((is_zero | is_one).all()):
        raise AmbiguousMaskError(("binary", "additive" if is_float else "blocked"), mask.dtype)
    # Beside −∞ a 1 is as foreign as any other number.
    raise _value_error(mask, is_zero | (is_hidden if bool(is_hidden.any()) else is_one), None)


def read_unlabelled_mask(mask: Shaped[Tensor, "..."]) -> Bool[Tensor, "..."]:
    """Read a mask that does not say its convention, where only one is possible.

    Raises:
        AmbiguousMaskError: 0/1 floats and 0/1 integers.
        MaskValueError: a value that no convention has, with its place.
        ValueError: a type that no convention is written in.

    Example:
        >>> read_unlabelled_mask(torch.tensor([0.0, -math.inf])).tolist()
        [True, False]
    """
    return read_mask(mask, guess_convention(mask))


def _value_error(
    mask: Num[Tensor, "..."], known: Bool[Tensor, "..."], convention: str | None
) -> MaskValueError:
    """Name the first value that is not known."""
    place = tuple((~known).nonzero()[0].tolist())
    return MaskValueError(convention, place, mask[place].item())


def _check_convention(convention: str) -> None:
    """Refuse a convention that nobody knows."""
    if convention not in CONVENTIONS:
        raise ValueError(f"conventions are {CONVENTIONS}, got {convention!r}")


def _check_type(mask: Shaped[Tensor, "..."], convention: str) -> None:
    """Refuse a tensor of a type that its convention is not written in."""
    types = _TYPES[convention] | (_INTEGERS if convention == "blocked" else frozenset())
    if mask.dtype not in types:
        raise ValueError(f"{convention} is read from {_names(types)}, got {mask.dtype}")


def _names(types: frozenset[torch.dtype]) -> str:
    """List types in an order that stays."""
    return ", ".join(sorted(str(dtype) for dtype in types))
