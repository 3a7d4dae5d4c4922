"""Give tokens and projections their random numbers: the same ones for the same seed and name, everywhere."""

import hashlib
import math
from collections.abc import Sequence
from functools import lru_cache

import torch
from jaxtyping import Float
from torch import Tensor

MAX_WIDTH = 64


def token_vector(token: str, seed: int, d_model: int) -> Float[Tensor, " d_model"]:
    """Draw the embedding of one token.

    Returns:
        A row of standard normal float64 numbers that depends on the seed and the token's text alone, not on
        the sentence, the language of the page or the process. A wider row begins with the narrower one's.

    Raises:
        ValueError: d_model is not from 1 to MAX_WIDTH.

    Example:
        >>> bool((token_vector("cat", 0, 8)[:3] == token_vector("cat", 0, 3)).all())
        True

    Source: our own choice. A trained model looks the row up in a table that it has learnt; hashing the text
        gives every possible token a row without a table.
    """
    _check_width("d_model", d_model)
    return _token_block(token, seed)[:d_model].clone()


def embed(tokens: Sequence[str], seed: int, d_model: int) -> Float[Tensor, "N d_model"]:
    """Look up the row of each token.

        embedding[n] = token_vector(tokens[n])

    Returns:
        Equal tokens have equal rows; no tokens give zero rows.

    Raises:
        ValueError: d_model is not from 1 to MAX_WIDTH.

    Example:
        >>> bool((embed(("the", "cat", "the"), 0, 4)[0] == embed(("the",), 0, 4)[0]).all())
        True
    """
    _check_width("d_model", d_model)
    if not tokens:
        return torch.empty(0, d_model, dtype=torch.float64)
    return torch.stack([_token_block(token, seed) for token in tokens])[:, :d_model].clone()


def projection(name: str, seed: int, rows: int, columns: int) -> Float[Tensor, "_ _"]:
    """Draw one weight matrix, to be multiplied from the right: `x @ w`.

        w[i, j] = normal(0, 1) / √rows

    Args:
        name: Which matrix ("w_q", "w_k", "w_v", "w_o"): each name has numbers of its own.

    Returns:
        A float64 matrix whose products with unit-variance rows have unit variance again. More columns keep
        those that were there; more rows keep them up to the factor 1/√rows.

    Raises:
        ValueError: rows or columns is not from 1 to MAX_WIDTH.

    Source: the variance 1/fan_in is LeCun's (1998, "Efficient BackProp", §4.6); the seeding is our own.
    """
    _check_width("rows", rows)
    _check_width("columns", columns)
    return _projection_block(name, seed)[:rows, :columns] / math.sqrt(rows)


def _check_width(name: str, width: int) -> None:
    if not 1 <= width <= MAX_WIDTH:
        raise ValueError(f"{name} must be from 1 to {MAX_WIDTH}, got {width}")


# Callers never see a cached block itself, only copies.
@lru_cache(maxsize=512)
def _token_block(token: str, seed: int) -> Float[Tensor, " d_model"]:
    return torch.randn(MAX_WIDTH, generator=generator_for(f"{seed}\0{token}"), dtype=torch.float64)


# A stack of the most layers and heads has 480 of them, at 32 KiB: one with other norms or fewer layers finds them again.
@lru_cache(maxsize=512)
def _projection_block(name: str, seed: int) -> Float[Tensor, "_ _"]:
    generator = generator_for(f"{seed}\0weight\0{name}")
    return torch.randn(MAX_WIDTH, MAX_WIDTH, generator=generator, dtype=torch.float64)


def generator_for(text: str) -> torch.Generator:
    """Seed a generator from a text, the same in every process (Python's own hash is salted)."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest[:8]) & (2**63 - 1))
