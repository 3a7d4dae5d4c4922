"""What the pictures of the output say in sentences, and what is asked."""

from collections.abc import Sequence

from attention_core.experiments.head_output import HeadOutput
from dashboard.frame import asked_parts
from dashboard.number_format import significant
from dashboard.panels.heads.head_readings import in_a_row, leaders, say_heads
from dashboard.panels.heads.output_pictures import Parts
from dashboard.text import Language
from dashboard.text import head_output as words


def readings(found: HeadOutput, off: int | None, language: Language) -> list[str]:
    """Say that contributions sum to the output, what this W^O does, what the missing head changes, who of several pulls."""
    said = [say_sum(found, language), SAY_KIND[found.kind](found, language)]
    if found.pulls is None:
        return said
    if off is not None:
        gone = found.ablations[off]
        said.append(
            words.OFF_NOW.say(
                language,
                head=off + 1,
                largest=significant(gone.largest_change),
                relative=significant(gone.relative_change),
            )
        )
    return [*said, say_pulls(found, language)] if len(found.norms) > 1 else said


def why_apart(difference: float, language: Language) -> str:
    """Say what a difference that theory does not have comes from, where there is one."""
    return words.ROUNDING.say(language) if difference else ""


def say_sum(found: HeadOutput, language: Language) -> str:
    """Say that the contributions sum to the output."""
    n_heads, (rows, d_model) = len(found.norms), found.w_o.shape
    fields = {
        "apart": significant(found.sum_difference),
        "why": why_apart(found.sum_difference, language),
    }
    if n_heads == 1:
        return words.SUM_ONE.say(language, **fields)
    return words.SUM.say(language, **fields, width=rows // n_heads, d_model=d_model, h=n_heads)


def say_own(found: HeadOutput, language: Language) -> str:
    """Say how many columns a head reaches."""
    d_model = found.w_o.shape[1]
    if len(found.norms) == 1:
        return (words.OWN_ONE if d_model > 1 else words.OWN_NUMBER).say(language, d_model=d_model)
    least = min(gone.n_columns for gone in found.ablations)
    if least == d_model:
        return words.OWN_ALL.say(language, d_model=d_model)
    return words.OWN.say(language, d_model=d_model, least=least)


def say_zero(found: HeadOutput, language: Language) -> str:
    """Say that nothing comes through."""
    return words.ZERO.say(language, most=significant(float(found.out.abs().max())))


def say_identity(found: HeadOutput, language: Language) -> str:
    """Name the columns that each head moves."""
    columns = [stretches(gone.by_column.nonzero().flatten().tolist()) for gone in found.ablations]
    if len(columns) == 1:
        return words.IDENTITY_ONE.say(language, columns=columns[0])
    blocks = [
        words.BLOCK.say(language, head=head, columns=moved) for head, moved in enumerate(columns, start=1)
    ]
    return words.IDENTITY.say(language, blocks=words.SEMICOLON.say(language).join(blocks))


SAY_KIND = {"own": say_own, "zero": say_zero, "identity": say_identity}


def stretches(places: Sequence[int]) -> str:
    """Write places from 0 as stretches of numbers from 1.

    Example:
        >>> stretches([0, 1, 2, 5]), stretches([3]), stretches([])
        ('1–3, 6', '4', '–')
    """
    starts = [place for place in places if place - 1 not in places]
    ends = [place for place in places if place + 1 not in places]
    pairs = zip(starts, ends, strict=True)
    return ", ".join(f"{a + 1}" if a == b else f"{a + 1}–{b + 1}" for a, b in pairs) or "–"


def say_pulls(found: HeadOutput, language: Language) -> str:
    """Name which of several heads pull most and least, and whether contributions cancel."""
    pulls = found.pulls.tolist()
    said = [
        words.PULL.say(
            language,
            heads=say_heads(leaders(pulls), language),
            most=significant(max(pulls)),
            others=say_heads(leaders([-pull for pull in pulls]), language),
            least=significant(min(pulls)),
        )
    ]
    if min(pulls) < 0:
        said.append(words.AGAINST.say(language))
    return in_a_row(said, language)


def say_norms(found: HeadOutput, language: Language) -> tuple[str, str]:
    """Say how the contributions' norms make the output's, after the question that this answers."""
    out = significant(float(found.out.norm()))
    if found.kind == "identity":
        root = significant(float(found.norms.norm()))
        return words.WHY_SQUARES.say(language), words.SUM_OF_SQUARES.say(language, root=root, out=out)
    norms = significant(float(found.norms.sum()))
    return words.WHY.say(language), words.SUM_OF_NORMS.say(language, norms=norms, out=out)


def deeper(found: HeadOutput, language: Language) -> tuple[str, list[str]]:
    """Give what a reader may unfold: how lengths add up, where there are several, and what training changes."""
    trained = words.TRAINED.say(language)
    if found.pulls is None or len(found.norms) == 1:
        return words.WHY_TRAINED.say(language), [trained]
    question, norms = say_norms(found, language)
    return question, [norms, trained]


def question_parts(found: HeadOutput, language: Language) -> Parts:
    """Ask whether the longest contribution is missed most."""
    return asked_parts(words.QUESTION.say(language), say_answer(found, language), language)


def say_answer(found: HeadOutput, language: Language) -> str:
    """Answer by length and by the largest number."""
    norms, largest = found.norms.tolist(), [gone.largest_change for gone in found.ablations]
    longest, mover = leaders(norms), leaders(largest)
    first = found.ablations[longest[0]]
    fields = {"norm": significant(max(norms))}
    if found.shares is None:
        return words.ANSWER_ZERO.say(language, **fields, largest=significant(max(largest)))
    if len(norms) == 1:
        return words.ANSWER_ONE.say(language, **fields, relative=significant(first.relative_change))
    return words.ANSWER.say(
        language,
        **fields,
        longest=say_heads(longest, language),
        change=significant(float(first.change.norm())),
        verdict=(words.YES_HERE if longest == mover else words.NOT_HERE).say(language),
        mover=say_heads(mover, language),
        largest=significant(max(largest)),
    )
