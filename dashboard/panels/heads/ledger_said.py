"""What the shape ledger says: the order of the steps, one row, the totals read, a question, and the run as a script."""

from collections.abc import Callable

import torch

from attention_core.kv_sharing import cache_bytes, cache_token_bytes
from attention_core.ledger import UNCOUNTED, Ledger, Row, Step, list_steps
from attention_core.sizes import Sizes
from dashboard.frame import asked_parts
from dashboard.grid.bench import Area, Part
from dashboard.grid.lines import Line, Piece, lines_part, prose, word
from dashboard.number_format import significant
from dashboard.panels.heads.ledger_sizes import Asked
from dashboard.text import Language
from dashboard.text import head_ledger as words

PROJECTIONS, PRODUCTS = ("q", "k", "v", "out"), ("scores", "out_heads")
# The rows whose shapes tell the order of the steps, by the field of the sentence.
ORDER = {
    "q": "q",
    "cut": "q_cut",
    "heads": "q_heads",
    "weights": "weights",
    "out": "out_heads",
    "turned": "turned",
    "merged": "merged",
    "y": "out",
}
# The view that a step leads on to; of steps that q, k and v share, by their common name.
LEADS_TO = {
    "q": "projections",
    **dict.fromkeys(("k", "v", "repeated"), "shared"),
    **dict.fromkeys(("cut", "heads", "turned", "merged"), "faults"),
    **dict.fromkeys(("scores", "scaled", "weights", "out_heads"), "heads"),
    "out": "output",
}
PROGRAM = """import torch

torch.set_default_device("meta")
B, N, d_model, h, h_kv = {batch}, {n}, {d_model}, {n_heads}, {kv_heads}
dtype, d_k = torch.{dtype}, d_model // h
w_q, w_o = torch.randn(d_model, h * d_k, dtype=dtype), torch.randn(h * d_k, d_model, dtype=dtype)
w_k, w_v = torch.randn(2, d_model, h_kv * d_k, dtype=dtype)
{biases}
{lines}
"""
BIASES = """b_q, b_o = torch.zeros(h * d_k, dtype=dtype), torch.zeros(d_model, dtype=dtype)
b_k, b_v = torch.zeros(2, h_kv * d_k, dtype=dtype)
"""


def shape_of(row: Row) -> str:
    """Write a shape as torch prints it."""
    return str(list(row.shape))


def family_of(name: str) -> str:
    """Name what a step does, whichever of q, k and v it does it to.

    Example:
        >>> family_of("k_cut"), family_of("out_heads")
        ('cut', 'out_heads')
    """
    ending = name.rpartition("_")[2]
    return ending if ending in {"cut", "heads", "repeated"} and name != "out_heads" else name


def meaning_of(name: str, language: Language) -> str:
    """Say what a step does."""
    family = "project" if name in {"q", "k", "v"} else family_of(name)
    return words.MEANINGS[family].say(language)


def note_part(asked: Asked, made: Ledger | None, language: Language) -> Part:
    """Say how wide a head is, and the order to remember."""
    if made is None:
        return lines_part(words.SAID.say(language), [Line(prose(words.NOTE_BROKEN.say(language)), "note")])
    sizes = made.sizes
    fields = {"d_model": sizes.d_model, "h": sizes.n_heads, "d_k": made.d_k, "kv": sizes.kv_heads}
    width = words.WIDTH.say(language, **fields)
    order = words.ORDER.say(language, **{field: shape_of(made.row(name)) for field, name in ORDER.items()})
    line = Line(prose(joined(width, order, language)), "prose")
    return lines_part(words.SAID.say(language), [line], has_own_row=True)


def facts_part(language: Language) -> Part:
    """Say where the shapes come from, and what strides and FLOPs are."""
    notes = words.NOTE.say(language, version=torch.__version__), words.NOTE_STRIDES.say(language)
    return lines_part(
        words.SAID.say(language), [Line(prose(note), "note") for note in notes], has_own_row=True
    )


def picked_part(
    made: Ledger | None, step: Step, place: int, language: Language, on_follow: Callable[[str], None]
) -> Part:
    """Explain one row: its line of code, what it does, how its numbers come about, and where it leads on.

    Args:
        on_follow: Called with the view that the reader wants to go on to.
    """
    names = {"place": place + 1, "symbol": step.symbol, "name": words.STEPS[step.name].say(language)}
    title = words.PICKED.say(language, **names, line=word(step.line))
    if made is None:
        axes = f"[{', '.join(step.axes)}]"
        counts = words.SHAPE_SYMBOLS.say(language, axes=axes)
    else:
        counts = say_counts(made, made.rows[place], language)
    meaning, view = meaning_of(step.name, language), LEADS_TO.get(family_of(step.name))
    last = prose(counts)
    if view is not None:
        last += [Piece(" "), Piece(words.LINKS[view].say(language), is_link=True)]
    lines = [Line(prose(title), "heading"), Line(prose(meaning), "prose"), Line(last, "prose")]
    return lines_part(step.symbol, lines, lambda _line, _place: on_follow(view) if view else None)


def say_counts(made: Ledger, row: Row, language: Language) -> str:
    """Write out how a row's elements, bytes, parameters and FLOPs come about."""
    count = {"sides": " · ".join(map(str, row.shape)), "elements": f"{row.elements:,}", "dtype": row.dtype}
    said = [words.COUNT.say(language, **count, size=row.bytes // row.elements)]
    if row.shares_with is None:
        said.append(words.OWNS.say(language, bytes=f"{row.bytes:,}"))
    else:
        owner = made.row(row.shares_with).step.symbol
        said.append(words.SHARES.say(language, bytes=f"{row.bytes:,}", owner=owner))
    if row.parameters:
        text = words.PARAMETERS_WITH_BIAS if made.sizes.use_bias else words.PARAMETERS_OF
        said.append(text.say(language, inner=row.inner, width=row.shape[-1], all=f"{row.parameters:,}"))
    if row.inner is not None:
        said.append(
            words.FLOPS_OF.say(language, elements=f"{row.elements:,}", inner=row.inner, all=f"{row.flops:,}")
        )
    elif row.step.name in UNCOUNTED:
        said.append(words.FLOPS_NOT_COUNTED.say(language))
    return ("" if language == "zh" else " ").join(said)


def joined(first: str, second: str, language: Language) -> str:
    """Set two sentences one after the other."""
    return f"{first}{'' if language == 'zh' else ' '}{second}"


def said_part(made: Ledger, n_layers: int, language: Language) -> Part:
    """Say what the numbers of the table come to."""
    texts = [
        say_parameters(made, language),
        say_memory(made, language),
        say_flops(made, language),
        say_cache(made, n_layers, language),
        words.WHY.say(language),
    ]
    units = Line(prose(words.NOTE_UNITS.say(language)), "note")
    return lines_part(words.SAID.say(language), [units, *(Line(prose(text), "prose") for text in texts)])


def say_parameters(made: Ledger, language: Language) -> str:
    """Say in which rows parameters sit, and check their sum against the layer's own count."""
    rows = [row for row in made.rows if row.parameters]
    total = sum(row.parameters for row in rows)
    said = words.PARAMETERS.say(
        language,
        rows=words.BETWEEN.say(language).join(f"{row.step.symbol} {row.parameters:,}" for row in rows),
        sum=f"{total:,}",
        own=f"{made.parameters:,}",
        verdict=(words.AGREES if total == made.parameters else words.DIFFERS).say(language),
    )
    narrow, wide = made.row("k").shape[-1], made.row("q").shape[-1]
    if narrow == wide:
        return joined(said, words.OWN_HEADS.say(language), language)
    return joined(said, words.SHARED_HEADS.say(language, narrow=f"{narrow:,}", wide=f"{wide:,}"), language)


def say_memory(made: Ledger, language: Language) -> str:
    """Compare the scores with the input."""
    scores, x = made.row("scores").elements, made.row("x").elements
    kind = "equal" if scores == x else "larger" if scores > x else "smaller"
    fields = {"scores": f"{scores:,}", "x": f"{x:,}", "n": f"{made.sizes.n:,}", "d_k": f"{made.d_k:,}"}
    return words.MEMORY[kind].say(language, **fields)


def say_flops(made: Ledger, language: Language) -> str:
    """Say what the projections and what the products inside heads take."""
    projections, products = (sum(made.row(name).flops for name in names) for names in (PROJECTIONS, PRODUCTS))
    return words.FLOPS.say(
        language,
        all=f"{made.flops:,}",
        projections=f"{projections:,}",
        share=significant(100 * projections / made.flops),
        products=f"{products:,}",
        rest=significant(100 * products / made.flops),
    )


def say_cache(made: Ledger, n_layers: int, language: Language) -> str:
    """Say what decoding keeps, in all layers, and what sharing heads saves."""
    keys = made.row("k_heads")
    said = words.CACHE.say(
        language,
        layers=n_layers,
        kv=made.sizes.kv_heads,
        d_k=made.d_k,
        size=keys.bytes // keys.elements,
        token=f"{cache_token_bytes(made, n_layers):,}",
        positions=f"{made.sizes.batch * made.sizes.n:,}",
        all=f"{cache_bytes(made, n_layers):,}",
    )
    times = made.sizes.n_heads // made.sizes.kv_heads
    if times == 1:
        return said
    return joined(said, words.CACHE_SHARED.say(language, times=times), language)


def question_parts(asked: Asked, made: Ledger | None, language: Language) -> dict[str, tuple[Area, Part]]:
    """Ask which rows are not contiguous, or why the break comes where it comes; read from the run."""
    if made is None:
        step = list_steps(asked.sizes)[asked.broken_at or 0]
        answer = words.ANSWERS_BROKEN[step.name].say(language)
        return asked_parts(words.QUESTION_BROKEN.say(language), answer, language)
    return asked_parts(words.QUESTION.say(language), say_uneven(made, language), language)


def say_uneven(made: Ledger, language: Language) -> str:
    """Name the rows that are not contiguous, why, and what the merge copies."""
    uneven = [row for row in made.rows if not row.is_contiguous]
    if not uneven:
        return words.ANSWER_NONE.say(language, h=made.sizes.n_heads, n=made.sizes.n)
    first = uneven[0]
    even = torch.empty(first.shape, device="meta").stride()
    said = words.ANSWER.say(
        language,
        rows=words.BETWEEN.say(language).join(row.step.symbol for row in uneven),
        row=first.step.symbol,
        strides=str(list(first.strides)),
        even=str(list(even)),
    )
    return joined(said, say_merge(made, language), language)


def say_merge(made: Ledger, language: Language) -> str:
    """Say what merging heads that stand apart in memory copies; single numbers need no copy."""
    merged = made.row("merged")
    if merged.shares_with is None:
        turned = made.row("turned").step.symbol
        return words.ANSWER_COPIES.say(language, turned=turned, bytes=f"{merged.bytes:,}")
    return words.ANSWER_SHARES.say(
        language,
        d_k=made.d_k,
        merged=merged.step.symbol,
        owner=made.row(merged.shares_with).step.symbol,
        strides=str(list(merged.strides)),
    )


def program(sizes: Sizes) -> str:
    """Write the run as a script that needs torch alone."""
    return PROGRAM.format(
        **{name: getattr(sizes, name) for name in ("batch", "n", "d_model", "n_heads", "kv_heads", "dtype")},
        biases=BIASES if sizes.use_bias else "",
        lines="\n".join(step.line for step in list_steps(sizes)),
    )
