"""What the shape ledger says: the order of the steps, one row, the totals read, a question, and the run as a script."""

import torch

from attention_core.kv_sharing import cache_bytes, cache_token_bytes
from attention_core.ledger import Ledger, Row, Step, list_steps
from attention_core.sizes import Sizes
from dashboard.frame import asked_parts
from dashboard.grid.bench import Area, Part
from dashboard.grid.lines import Line, lines_part, prose, word
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


def meaning_of(name: str, language: Language) -> str:
    """Say what a step does."""
    family = "project" if name in {"q", "k", "v"} else name
    for ending in ("cut", "heads", "repeated"):
        if name.endswith(f"_{ending}") and name != "out_heads":
            family = ending
    return words.MEANINGS[family].say(language)


def note_part(asked: Asked, made: Ledger | None, language: Language) -> Part:
    """Say where the shapes come from, and the order to remember."""
    if made is None:
        return lines_part(words.SAID.say(language), [Line(prose(words.NOTE_BROKEN.say(language)), "note")])
    order = words.ORDER.say(language, **{field: shape_of(made.row(name)) for field, name in ORDER.items()})
    notes = words.NOTE.say(language, version=torch.__version__), words.NOTE_STRIDES.say(language)
    lines = [Line(prose(order), "prose"), *(Line(prose(note), "note") for note in notes)]
    return lines_part(words.SAID.say(language), lines)


def picked_part(asked: Asked, made: Ledger | None, step: Step, place: int, language: Language) -> Part:
    """Explain one row: its line of code, what it does, its shape and its memory."""
    names = {"place": place + 1, "symbol": step.symbol, "name": words.STEPS[step.name].say(language)}
    title = words.PICKED.say(language, **names)
    said = [words.LINE.say(language, line=word(step.line)), meaning_of(step.name, language)]
    said.append(say_shape(step, made and made.rows[place], made, language))
    lines = [Line(prose(title), "heading"), *(Line(prose(text), "prose") for text in said)]
    return lines_part(title, lines)


def say_shape(step: Step, row: Row | None, made: Ledger | None, language: Language) -> str:
    """Say a row's shape, its strides and whose memory it looks at; symbols alone where nothing ran."""
    axes = f"[{', '.join(step.axes)}]"
    if row is None or made is None:
        return words.SHAPE_SYMBOLS.say(language, axes=axes)
    contiguous = words.IS_CONTIGUOUS if row.is_contiguous else words.NOT_CONTIGUOUS
    said = words.SHAPE.say(
        language,
        axes=axes,
        shape=shape_of(row),
        dtype=row.dtype,
        strides=str(list(row.strides)),
        contiguous=contiguous.say(language),
    )
    if row.shares_with is None:
        memory = words.OWNS.say(language, bytes=f"{row.bytes:,}")
    else:
        memory = words.SHARES.say(language, owner=made.row(row.shares_with).step.symbol)
    return joined(said, memory, language)


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
    said = words.CACHE[n_layers > 1].say(
        language,
        token=f"{cache_token_bytes(made, n_layers):,}",
        positions=f"{made.sizes.batch * made.sizes.n:,}",
        all=f"{cache_bytes(made, n_layers):,}",
        **({"layers": n_layers} if n_layers > 1 else {}),
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
