"""What the view of decoding says by formula: one step opened, what the cache holds, what grows how."""

from dataclasses import replace
from fractions import Fraction

from attention_core.cost import Term, crossing, list_terms
from attention_core.cost_lines import collect_terms, times_doubled, write_sum
from attention_core.decode_cost import (
    Step,
    Writing,
    cache_bytes,
    cache_term,
    list_slots,
    look_at_step,
    step_flops,
    text_cost,
)
from dashboard.controls import State
from dashboard.grid import compact, grid_part
from dashboard.grid.bench import Area, Part
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.number_format import BINARY, NOTHING, in_units, significant
from dashboard.number_table import grid_labels, with_texts
from dashboard.text import Language
from dashboard.text import complexity as lesson_words
from dashboard.text import complexity_decoding as words

# A cache of more slots is not drawn.
MOST_SLOTS = 64


def shape(*sizes: int) -> str:
    """Write a shape."""
    return "(" + ", ".join(map(str, sizes)) + ")"


def numbers_of(term: Term) -> str:
    """Write the factors of a term as numbers."""
    return " · ".join(f"{factor.value:,}" for factor in term.factors)


def step_part(state: State, writing: Writing) -> Part:
    """Open the step of one token: keys asked, what is written, shapes, FLOPs both ways."""
    language, step = state.language, look_at_step(writing, state["token"])
    title = words.STEP.say(language, t=f"{step.token:,}")
    said = [
        say_asked(step, language),
        say_written(writing, step, language),
        say_shapes(writing, step, language),
        say_shapes_again(writing, step, language),
        say_flops(writing, step, language, has_cache=True),
        say_flops(writing, step, language, has_cache=False),
    ]
    return lines_part(title, [Line(prose(title), "heading"), *(Line(prose(text), "prose") for text in said)])


def slots_part(writing: Writing, token: int, language: Language) -> dict[str, tuple[Area, Part]]:
    """Draw whose key and value lies in each slot after a step; nothing where there are too many slots."""
    if (token if writing.cache == "growing" else writing.n_slots) > MOST_SLOTS:
        return {}
    step, slots = look_at_step(writing, token), list_slots(writing, token)
    part = grid_part(
        [[float(held or 0) for held in slots]],
        title=words.SLOTS.say(language, t=f"{token:,}"),
        labels=replace(
            grid_labels(language, "row", "column"),
            row=words.SLOTS_ROW.say(language),
            column=words.SLOT.say(language),
            masked=words.NOT_ASKED.say(language),
            marked=words.JUST_WRITTEN.say(language),
        ),
        row_labels=["K, V"],
        masked=[[held is None or held < step.first_seen for held in slots]],
        marked={(0, step.slot)},
    )
    texts = [[NOTHING if held is None else str(held) for held in slots]]
    return {"slots": ("below", compact(with_texts(part, texts, texts)))}


def say_asked(step: Step, language: Language) -> str:
    """Say which keys the token asks, and which of them a window hides."""
    if step.n_asked == 1:
        return words.SEES_ONE.say(language)
    fields = {
        "asked": f"{step.n_asked:,}",
        "first": f"{step.first_seen:,}",
        "t": f"{step.token:,}",
    }
    if step.n_asked == step.n_seen:
        return words.SEES_ALL.say(language, **fields)
    hidden = {"hidden": f"{step.n_asked - step.n_seen:,}", "seen": f"{step.n_seen:,}"}
    return words.SEES_SOME.say(language, **fields, **hidden)


def say_written(writing: Writing, step: Step, language: Language) -> str:
    """Say what goes into the cache and where."""
    kv, d_k = writing.setting.kv_heads, writing.setting.d_k
    new, slots = shape(kv, 1, d_k), {"slot": f"{step.slot + 1:,}", "slots": f"{writing.n_slots:,}"}
    if writing.cache == "growing":
        grown = {"before": shape(kv, step.token - 1, d_k), "after": shape(kv, step.token, d_k)}
        return words.WROTE["growing"].say(language, new=new, **grown)
    after = shape(kv, writing.n_slots, d_k)
    if step.pushed_out is not None:
        pushed = f"{step.pushed_out:,}"
        return words.WROTE["over"].say(language, new=new, after=after, pushed=pushed, **slots)
    return words.WROTE[writing.cache].say(language, new=new, after=after, **slots)


def say_shapes(writing: Writing, step: Step, language: Language) -> str:
    """Write the shapes of one step with the cache."""
    setting = writing.setting
    return words.SHAPES.say(
        language,
        x=shape(1, setting.d_model),
        q=shape(setting.n_heads, 1, setting.d_k),
        read=shape(setting.kv_heads, step.n_asked, setting.d_k),
        scores=shape(setting.n_heads, 1, step.n_asked),
    )


def say_shapes_again(writing: Writing, step: Step, language: Language) -> str:
    """Write the shapes of the pass that is made without a cache."""
    setting, token = writing.setting, step.token
    scores = shape(setting.n_heads, token, token)
    return words.SHAPES_AGAIN.say(language, x=shape(token, setting.d_model), scores=scores)


def say_flops(writing: Writing, step: Step, language: Language, *, has_cache: bool) -> str:
    """Write the FLOPs of the step as a formula and as a number."""
    n = step.n_asked if has_cache else step.token
    setting = replace(writing.setting, n=n)
    terms = list_terms("cached" if has_cache else "full", "flops", setting)
    return words.STEP_FLOPS.say(
        language,
        way=words.WAYS[has_cache].say(language),
        formula=write_sum(collect_terms(terms, setting)),
        value=f"{step_flops(writing, step.token, has_cache=has_cache):,}",
        meaning=(words.N_IS_KEYS if has_cache else words.N_IS_TOKENS).say(language, n=f"{n:,}"),
    )


def cache_part(writing: Writing, language: Language) -> Part:
    """Write out the bytes of the cache, and what rolling and shared heads make of them."""
    held, term = cache_bytes(writing), cache_term(writing)
    readable = in_units(held, BINARY)
    about = words.ABOUT.say(language, readable=readable) if readable else ""
    title = words.HELD.say(language, bytes=f"{held:,}", about=about)
    factors = lesson_words.JOIN.say(language).join(
        words.FACTORS[factor.symbol].say(language) for factor in term.factors
    )
    formula = {"formula": term.formula, "numbers": numbers_of(term), "value": f"{term.value:,}"}
    said = [words.HELD_FORMULA.say(language, **formula), factors, say_rolling(writing, language)]
    said += say_shared(writing, language)
    return lines_part(title, [Line(prose(title), "heading"), *(Line(prose(text), "prose") for text in said)])


def say_rolling(writing: Writing, language: Language) -> str:
    """Say what a rolling cache saves or would save, and what it needs."""
    n, width = writing.setting.n, writing.width
    if width is None:
        return words.ROLLING_NEEDS.say(language)
    if width >= n:
        return words.ROLLING_SAVES_NOTHING.say(language, w=f"{width:,}", n=f"{n:,}")
    whole, kept = (cache_bytes(replace(writing, cache=cache)) for cache in ("reserved", "rolling"))
    fields = {"w": f"{width:,}", "saved": f"{whole - kept:,}"}
    if writing.cache == "rolling":
        times = significant(Fraction(whole, kept))
        return words.ROLLING_SAVES.say(language, **fields, whole=f"{whole:,}", times=times)
    return words.ROLLING_WOULD_SAVE.say(language, **fields, kept=f"{kept:,}")


def say_shared(writing: Writing, language: Language) -> list[str]:
    """Say what heads that share keys and values save."""
    setting = writing.setting
    if setting.kv_heads == setting.n_heads:
        return []
    alone = cache_bytes(replace(writing, setting=replace(setting, n_kv_heads=None)))
    fields = {"h": f"{setting.n_heads:,}", "all": f"{alone:,}"}
    fields["times"] = significant(Fraction(alone, cache_bytes(writing)))
    if setting.kv_heads == 1:
        return [words.SHARED_ONE.say(language, **fields)]
    return [words.SHARED.say(language, kv=f"{setting.kv_heads:,}", **fields)]


def readings(state: State, writing: Writing) -> list[str]:
    """Compare both ways over the whole text, and from its middle to its end."""
    language, n = state.language, writing.setting.n
    cached, again = (text_cost(writing, "flops", has_cache=has_cache) for has_cache in (True, False))
    if n == 1:
        return [words.TOTAL_ONE.say(language, cached=f"{cached:,}")]
    times = significant(Fraction(again, cached))
    said = [words.TOTAL.say(language, n=f"{n:,}", cached=f"{cached:,}", again=f"{again:,}", times=times)]
    half, is_rolling = n // 2, writing.cache == "rolling"
    grown = {
        name: significant(factor(writing, half, 2 * half, has_cache=name == "cached"))
        for name in ("cached", "again")
    }
    far = {
        "cached_far": significant(1 if is_rolling else doubled_far("cached", writing)),
        "again_far": significant(doubled_far("full", writing)),
        "cached_power": (words.POWER_NONE if is_rolling else words.POWER_T).say(language),
    }
    said.append(words.GROWS.say(language, half=f"{half:,}", last=f"{2 * half:,}", **grown, **far))
    equal_at = crossing(writing.setting)
    if 2 * half < equal_at:
        said.append(words.PROJECTIONS_FIRST.say(language, crossing=f"{int(equal_at):,}"))
    return said


def doubled_far(variant: str, writing: Writing) -> float:
    """Say by what factor the FLOPs of one token grow as the text doubles far out; 1 with a rolling cache."""
    return float(times_doubled(variant, "flops", writing.setting, "n", from_far=True) or 1)


def factor(writing: Writing, before: int, after: int, *, has_cache: bool) -> Fraction:
    """Say how many times as many FLOPs one token takes as another."""
    return Fraction(
        step_flops(writing, after, has_cache=has_cache), step_flops(writing, before, has_cache=has_cache)
    )


def question(writing: Writing, language: Language) -> str:
    """Ask what a text twice as long takes."""
    n = writing.setting.n
    return words.QUESTION.say(language, n=f"{n:,}", twice=f"{2 * n:,}")


def answer(writing: Writing, language: Language) -> str:
    """Double the text."""
    n = writing.setting.n
    longer = replace(writing, setting=replace(writing.setting, n=2 * n))
    before, after = cache_bytes(writing), cache_bytes(longer)
    fields = {"before": f"{before:,}", "after": f"{after:,}", "times": significant(Fraction(after, before))}
    if after == before:
        said = [words.ANSWER_SAME.say(language, before=fields["before"], w=f"{writing.width:,}")]
    else:
        said = [words.ANSWER_CACHE.say(language, **fields)]
    for has_cache, way in words.WAYS.items():
        costs = [step_flops(longer, token, has_cache=has_cache) for token in (n, 2 * n)]
        said.append(
            words.ANSWER_STEP.say(
                language,
                way=way.say(language),
                before=f"{costs[0]:,}",
                after=f"{costs[1]:,}",
                times=significant(Fraction(costs[1], costs[0])),
            )
        )
    return ("" if language == "zh" else " ").join(said)
