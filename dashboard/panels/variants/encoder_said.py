"""What is said of a decoder that reads an encoder, at the present step and of the whole sentence."""

from functools import lru_cache, partial

from attention_core.experiments.bottleneck import (
    CODE_WIDTH,
    Bottleneck,
    ReadOut,
    count_steps,
    crosstalk_variance,
    hidden_by_causal,
    last_word,
    read_sentence,
)
from attention_core.experiments.recall import expected_recall, longest_recalled
from dashboard.controls import State
from dashboard.frame import asked_and_measured
from dashboard.grid.bench import Part
from dashboard.grid.lines import Line, Piece, lines_part, prose, word
from dashboard.number_format import significant
from dashboard.panels.variants.encoder_parts import Parts, Shown
from dashboard.text import Language
from dashboard.text import variant_encoder as words

WIDTHS_ASKED = (2, 4, 8, 16, 32, 64)
FLOAT64_BITS = 64


def say_sum(shown: Shown) -> Part:
    """Say what both ways read right up to the present step, and what is handed on."""
    found, language, n_steps = shown.found, shown.language, shown.step + 1
    n, d_model = found.states.shape
    said = words.SUM.say(
        language,
        steps=n_steps,
        fixed=sum(found.fixed.is_right[:n_steps]),
        attended=sum(found.attended.is_right[:n_steps]),
        n=n,
        d=d_model,
        all=n * d_model,
    )
    return lines_part(words.SAID.say(language), [Line(prose(said), "prose")], has_own_row=True)


def step_part(shown: Shown, seed: int) -> Part:
    """Say what happens at the present step, and where the numbers come from."""
    said = say_heading(shown), *say_step(shown), words.HOW_FIXED.say(shown.language)
    lines = [Line(prose(text), "prose") for text in said]
    note = words.NOTE.say(shown.language, seed=seed)
    return lines_part(words.STEP_SAID.say(shown.language), [*lines, Line(prose(note), "note")])


@lru_cache(maxsize=32)
def why_part(shown: Shown, keep: float) -> Part:
    """Say why both ways read as they do."""
    label = words.WHY.say(shown.language)
    lines = [Line(prose(text), "prose") for text in readings(shown, keep)]
    return lines_part(label, [Line([Piece(label)], "heading"), *lines])


def readings(shown: Shown, keep: float) -> list[str]:
    """Say where the cross-talk comes from, what distance costs, what theory foresees, and what is not hidden."""
    found, language = shown.found, shown.language
    texts = [say_crosstalk(shown, keep)]
    if len(found.tokens) > 1:
        texts.append(say_keep(found, keep, language))
    return [*texts, *say_path(shown), say_theory(found, keep, language), say_causal(found, language)]


def say_heading(shown: Shown) -> str:
    """Name the step, its place and its word."""
    fields = {"step": shown.step + 1, "place": shown.found.places[shown.step] + 1}
    return words.HEADING.say(shown.language, **fields, word=word(shown.wanted[-1]))


def say_step(shown: Shown) -> list[str]:
    """Say what both ways read at the present step."""
    found, language, step = shown.found, shown.language, shown.step
    if len(found.vocabulary) == 1:
        return [words.ONLY_WORD.say(language, word=word(found.vocabulary[0]))]
    weight = significant(float(found.attention.weights[step, found.places[step]]))
    return [
        words.FIXED[found.fixed.is_right[step]].say(language, **fields_of(found.fixed, shown)),
        words.ATTENDED[found.attended.is_right[step]].say(
            language, **fields_of(found.attended, shown), weight=weight
        ),
    ]


def fields_of(out: ReadOut, shown: Shown) -> dict[str, str]:
    """Give the word that was read and the wanted one with their cosines; where they are one, the next best."""
    found, step = shown.found, shown.step
    wanted = found.wanted[step]
    cosines = out.cosines[step].tolist()
    best = max((place for place in range(len(cosines)) if place != wanted), key=cosines.__getitem__)
    return {
        "read": word(found.vocabulary[out.read[step]]),
        "wanted": word(found.vocabulary[wanted]),
        "own": significant(cosines[wanted]),
        "other": word(found.vocabulary[best]),
        "next": significant(cosines[best]),
    }


def say_crosstalk(shown: Shown, keep: float) -> str:
    """Say how strong the cross-talk is, beside theory."""
    found, language = shown.found, shown.language
    n = len(found.tokens)
    if n == 1:
        return words.NOTHING_ELSE.say(language)
    others = words.OTHERS_ONE if n == 2 else words.OTHERS_SEVERAL
    said = words.CROSSTALK.say(
        language,
        others=others.say(language, **({} if n == 2 else {"n": n - 1})),
        now=significant(found.crosstalk[shown.step]),
        rms=significant(found.crosstalk_rms),
        formula=(words.FORMULA_KEEPS if keep == 1 else words.FORMULA_FADES).say(language),
        expected=significant(found.expected_rms),
    )
    is_repeated = len(found.vocabulary) < n
    return joined(said, words.REPEATED.say(language), language) if is_repeated else said


def joined(first: str, second: str, language: Language) -> str:
    """Put two sentences one after the other."""
    return first + ("" if language == "zh" else " ") + second


def say_keep(found: Bottleneck, keep: float, language: Language) -> str:
    """Say whether distance costs anything in this encoder."""
    n, d_model = found.states.shape
    if keep == 1:
        return words.KEEPS.say(language, n=n, d=d_model)
    spread = crosstalk_variance(n, d_model, keep).sqrt().tolist()
    ends = {"first": significant(spread[0]), "last": significant(spread[-1])}
    return words.FADES.say(language, keep=f"{keep:g}", **ends)


def say_path(shown: Shown) -> list[str]:
    """Say how many recurrent steps lie between reading a word and writing it."""
    found, language, step = shown.found, shown.language, shown.step
    between = found.n_steps_between
    fields = {
        "word": word(shown.wanted[-1]),
        "place": found.places[step] + 1,
        "step": step + 1,
        "between": between[step],
        "least": min(between),
        "most": max(between),
    }
    if min(between) == max(between):
        return [words.PATH_ALIKE.say(language, between=between[step])]
    said = words.PATH.say(language, **fields)
    verb, n = last_word(found.tokens), len(found.tokens)
    if found.places[:2] == (0, verb) and verb > 1:
        both = {"short": count_steps(n, verb, 1), "long": count_steps(n, 1, verb)}
        more = words.BOTH_WAYS.say(language, word=word(found.tokens[verb]), **both)
        return [said, more]
    return [said]


def say_theory(found: Bottleneck, keep: float, language: Language) -> str:
    """Say up to which length theory foresees words to come back, and what it foresees here."""
    n, d_model = found.states.shape
    reach = [longest_recalled(d_model, share, keep) for share in (0.95, 0.5)]
    most, half = (
        words.WORDS_ONE.say(language) if one == 1 else words.WORDS_SEVERAL.say(language, n=one)
        for one in reach
    )
    return words.THEORY.say(
        language,
        d=d_model,
        most=most,
        half=half,
        n=n,
        expected=f"{expected_recall(n, d_model, keep):.0%}",
        share=f"{found.fixed.share_right:.0%}",
    )


def say_causal(found: Bottleneck, language: Language) -> str:
    """Say why no causal mask stands between decoder and encoder, and what it would do."""
    hidden, n = hidden_by_causal(found.places), len(found.tokens)
    if not hidden:
        return words.CAUSAL_HARMLESS.say(language, n=n)
    counts = {"hidden": len(hidden), "steps": len(found.places), "right": found.causal.n_right}
    return words.CAUSAL.say(language, n=n, **counts)


@lru_cache(maxsize=32)
def made_by_hand(found: Bottleneck, language: Language) -> Part:
    """Say what of this is made by hand, under a label that unfolds it."""
    n, d_model = found.states.shape
    room, needed = d_model * FLOAT64_BITS, found.n_bits
    said = words.MADE_ROOM.say(
        language,
        d=d_model,
        room=room,
        vocab=len(found.vocabulary),
        n=n,
        needed=significant(needed),
        verdict=(words.ROOM_ENOUGH if needed <= room else words.ROOM_SHORT).say(language),
    )
    texts = [words.MADE_ENCODER.say(language), words.MADE_ATTENTION.say(language, code=CODE_WIDTH), said]
    lines = [Line(prose(text), "prose") for text in texts]
    return lines_part(words.MADE.say(language), lines, is_folded=True)


def question_parts(state: State, found: Bottleneck) -> Parts:
    """Ask which width each way needs; the answer reads the sentence at each, once the reader wants it."""
    answer = partial(say_widths, state, found)
    return asked_and_measured("encoder", words.QUESTION.say(state.language), answer, state.language)


def say_widths(state: State, found: Bottleneck) -> str:
    """Count what both ways read right at each width."""
    language = state.language
    settings = {
        "seed": state["encoder_seed"],
        "sharpness": state["encoder_sharpness"],
        "keep": state["encoder_keep"],
    }
    at = {
        width: read_sentence(found.tokens, state["encoder_order"], d_model=width, **settings)
        for width in WIDTHS_ASKED
    }
    each = [
        words.ANSWER_EACH.say(language, d=width, fixed=one.fixed.n_right, attended=one.attended.n_right)
        for width, one in at.items()
    ]
    verdicts = {}
    for way in words.ALL_AT:
        widths = [str(width) for width, one in at.items() if all(getattr(one, way).is_right)]
        said = words.JOIN.say(language).join(widths)
        verdicts[way] = (
            words.ALL_AT[way].say(language, widths=said) if widths else words.ALL_NOWHERE[way].say(language)
        )
    return words.ANSWER.say(
        language, steps=len(found.places), each=words.SEMICOLON.say(language).join(each), **verdicts
    )
