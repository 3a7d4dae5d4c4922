"""What the view of shared heads says in sentences, and what it asks."""

from collections.abc import Sequence

import torch

from attention_core.components import DTYPES
from attention_core.experiments.shared_heads import HeadSharing, longest_context
from dashboard.cached import agreement_of
from dashboard.controls import State
from dashboard.number_format import BINARY, in_units, significant
from dashboard.text import Language
from dashboard.text import head_shared as words

MEMORY = 16 * 2**30
# Of the small layers that are run on real numbers.
CHECK_D_K, CHECK_N = 2, 5
MOST_NAMED = 12


def readings(rows: Sequence[HeadSharing], chosen: HeadSharing, state: State) -> list[str]:
    """Say who reads whom, what is saved and what stays, which layer this one equals, and what is not shown."""
    language = state.language
    return [
        *say_reads(chosen, language),
        *say_cost(rows[0], chosen, state),
        *say_equal(chosen, language),
        words.QUALITY.say(language),
    ]


def say_reads(chosen: HeadSharing, language: Language) -> list[str]:
    """List the key/value heads that are read, counted from 1; of groups, also the list that a wrong repeat gives."""
    group = chosen.n_heads // chosen.n_kv_heads
    fields = {"h": chosen.n_heads, "group": group, "reads": listed([head + 1 for head in chosen.reads])}
    said = words.READS[chosen.kind].say(language, **fields)
    if chosen.kind != "GQA":
        return [said]
    tiled = (torch.arange(chosen.n_kv_heads) + 1).repeat(group).tolist()
    return [said, words.TILED.say(language, tiled=listed(tiled))]


def say_cost(full: HeadSharing, chosen: HeadSharing, state: State) -> list[str]:
    """Say what one token and the whole context take, how much less that is than with MHA, and what stays."""
    language = state.language
    cost = words.COST.say(
        language,
        layers=state["shared_layers"],
        kv=chosen.n_kv_heads,
        d_k=chosen.d_k,
        size=DTYPES[state["shared_dtype"]].itemsize,
        token=f"{chosen.token_bytes:,}",
        n=f"{state['shared_n']:,}",
        cache=binary(chosen.cache_bytes, language),
    )
    before = f"{full.n_kv_parameters:,}"
    if chosen.kind == "MHA":
        return [cost, words.SAVES_NOTHING.say(language, before=before)]
    saves = words.SAVES.say(
        language,
        cache=binary(full.cache_bytes, language),
        ratio=chosen.ratio,
        before=before,
        after=f"{chosen.n_kv_parameters:,}",
    )
    return [cost, saves]


def say_equal(chosen: HeadSharing, language: Language) -> list[str]:
    """Say how far a small layer that shares alike lies from the one that it should equal; MHA is that one itself."""
    text, h = words.EQUAL.get(chosen.kind), chosen.n_heads
    if text is None:
        return []
    agreement = agreement_of(CHECK_D_K * h, h, chosen.n_kv_heads, CHECK_N)
    numbers = {"tied": significant(agreement.to_tied), "untied": significant(agreement.to_untied)}
    return [text.say(language, d_model=CHECK_D_K * h, h=h, n=CHECK_N, **numbers)]


def question(rows: Sequence[HeadSharing], chosen: HeadSharing, language: Language) -> str:
    """Ask how long a context fits into a cache."""
    memory, other = binary(MEMORY, language), compared_with(rows, chosen)
    if other is None:
        return words.QUESTION_ALONE.say(language, memory=memory)
    return words.QUESTION.say(language, memory=memory, kv=other.n_kv_heads)


def answer(rows: Sequence[HeadSharing], chosen: HeadSharing, state: State) -> str:
    """Count the tokens that fit, with MHA and with fewer key/value heads."""
    language, other = state.language, compared_with(rows, chosen)
    each = [
        words.FITS.say(
            language,
            kind=row.kind,
            kv=row.n_kv_heads,
            token=f"{row.token_bytes:,}",
            tokens=f"{longest_context(row.token_bytes, MEMORY):,}",
        )
        for row in (rows[0], other)
        if row is not None
    ]
    joined = words.JOIN.say(language).join(each)
    fields = {"memory": binary(MEMORY, language), "layers": state["shared_layers"]}
    return words.ANSWER.say(language, each=joined, **fields)


def compared_with(rows: Sequence[HeadSharing], chosen: HeadSharing) -> HeadSharing | None:
    """Give the layer that MHA is compared with: the chosen one, or MQA where MHA is chosen; None for one head."""
    other = rows[-1] if chosen.kind == "MHA" else chosen
    return None if other.kind == "MHA" else other


def listed(heads: Sequence[int]) -> str:
    """Write a list of heads; of a long one its beginning and its end.

    Example:
        >>> listed((0, 0, 1, 1)), listed(tuple(range(32)))
        ('0, 0, 1, 1', '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, …, 31')
    """
    texts = [str(head) for head in heads]
    return ", ".join(texts if len(texts) <= MOST_NAMED else [*texts[: MOST_NAMED - 2], "…", texts[-1]])


def by_times(shape: Sequence[int]) -> str:
    """Write a shape."""
    return " × ".join(map(str, shape))


def binary(n_bytes: int, language: Language) -> str:
    """Write a number of bytes in the largest binary unit that it reaches.

    Example:
        >>> binary(2**30, "en"), binary(131_072, "en"), binary(640, "en")
        ('1.00 GiB', '128 KiB', '640 bytes')
    """
    return in_units(n_bytes, BINARY) or words.BYTES.say(language, n=n_bytes)
