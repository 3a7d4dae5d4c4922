"""What the plane and the cosines say in sentences, the image and its limit, and what is asked."""

from functools import partial

from attention_core.experiments.dressing import (
    cosines_to_bare,
    distances_to_bare,
    heaviest_keys,
    moved_if_weighed_again,
)
from attention_core.layers import DressedSentence
from dashboard.controls import State
from dashboard.frame import asked_and_measured
from dashboard.grid.bench import Area, Part
from dashboard.grid.lines import Line, lines_part, prose, word
from dashboard.number_format import significant
from dashboard.panels.layers.model import laid_out, own_stack, percent
from dashboard.text import Language
from dashboard.text import layers as lesson_words
from dashboard.text import layers_stack as words

# So many keys are named; the others are added up.
MOST_NAMED = 4
# Numbers that differ by less are called equal: what is left is rounding.
ALIKE = 1e-9
# What stands open of the page; no link holds it.
IMAGE = "open.image"


def name(sentence: DressedSentence, place: int) -> str:
    """Name a token by place and word, marked as the reader's own."""
    return word(f"{place + 1} {sentence.tokens[place]}")


def readings(state: State, sentence: DressedSentence) -> list[str]:
    """Say what became of the token, whom it took from, who moved most, and how much the plane shows."""
    depth, place, language = state["stack_layer"], state["stack_token"] - 1, state.language
    token = name(sentence, place)
    if not depth:
        return [words.AT_BARE.say(language, token=token), say_kept(state, sentence)]
    vectors = sentence.trace.vectors[:, place]
    moved = words.MOVED.say(
        language,
        layer=depth,
        token=token,
        distance=significant(float((vectors[depth] - vectors[0]).norm())),
        cosine=significant(float(cosines_to_bare(sentence.trace.vectors)[depth, place])),
        before=significant(float(vectors[0].norm())),
        after=significant(float(vectors[depth].norm())),
    )
    return [
        moved,
        say_took(sentence, depth, place, language),
        *say_farthest(sentence, depth, language),
        say_kept(state, sentence),
    ]


def say_took(sentence: DressedSentence, depth: int, place: int, language: Language) -> str:
    """Say whom a token's weights went to in the layer that was passed last."""
    keys, h = heaviest_keys(sentence, depth - 1, place), sentence.design.n_heads
    if len(keys) == 1:
        return words.TOOK_ITSELF.say(language, layer=depth)
    named = [
        words.KEY.say(language, token=name(sentence, key), share=significant(share))
        for key, share in keys[:MOST_NAMED]
    ]
    rest = keys[MOST_NAMED:]
    if len(rest) == 1:
        key, share = rest[0]
        named.append(words.KEY.say(language, token=name(sentence, key), share=significant(share)))
    elif rest:
        share = significant(sum(share for _, share in rest))
        named.append(words.REST.say(language, n=len(rest), share=share))
    keys_said = lesson_words.JOIN.say(language).join(named)
    return words.TOOK[h > 1].say(language, layer=depth, h=h, keys=keys_said)


def say_farthest(sentence: DressedSentence, depth: int, language: Language) -> list[str]:
    """Name the token farthest from its bare vector and the one nearest to it, where they differ."""
    distances = distances_to_bare(sentence.trace.vectors)[depth].tolist()
    far, near = max(distances), min(distances)
    if far - near < ALIKE:
        return []
    ends = {"most": name(sentence, distances.index(far)), "far": significant(far)}
    ends |= {"least": name(sentence, distances.index(near)), "near": significant(near)}
    return [words.FARTHEST.say(language, **ends)]


def say_kept(state: State, sentence: DressedSentence) -> str:
    """Say how much the plane shows of all layers, and of this one."""
    found, depth = laid_out(sentence), state["stack_layer"]
    first, second = found.plane.shares
    return words.KEPT.say(
        state.language,
        n=sentence.design.n_layers + 1,
        kept=percent(found.plane.kept),
        first=percent(first),
        second=percent(second),
        layer=depth,
        own=percent(found.shares[depth]),
    )


def image_part(state: State, sentence: DressedSentence) -> Part:
    """Describe the image on demand: its number takes a pass through a layer."""
    is_open = bool(state.values.get(IMAGE))
    lines = image_lines(state, sentence) if is_open else []
    unfold = partial(state.values.__setitem__, IMAGE)
    label = words.IMAGE.say(state.language)
    return lines_part(label, lines, is_folded=True, on_unfold=unfold, is_open=is_open)


def image_lines(state: State, sentence: DressedSentence) -> list[Line]:
    """Tell the image and its limit, with what the layer would weigh if it weighed its own output."""
    language, place = state.language, state["stack_token"] - 1
    layer = max(state["stack_layer"], 1)
    moved = moved_if_weighed_again(sentence, layer - 1, place)
    text = words.IMAGE_COMPUTED if moved > ALIKE else words.IMAGE_ALONE
    token = name(sentence, place)
    computed = text.say(language, layer=layer, token=token, moved=significant(moved if moved > ALIKE else 0))
    told = [text.say(language) for text in words.IMAGE_LINES]
    return [Line(prose(said), "prose") for said in [*told, computed]]


def question_parts(state: State, sentence: DressedSentence) -> dict[str, tuple[Area, Part]]:
    """Ask what the residual does to this token; the answer runs the other stack, once the reader wants it."""
    token, n = name(sentence, state["stack_token"] - 1), sentence.design.n_layers
    question = words.QUESTION[state["has_residual"]].say(state.language, token=token, n=n)
    return asked_and_measured("stack", question, lambda: answer(state), state.language)


def answer(state: State) -> str:
    """Compare the token's last cosine with a residual and without."""
    language, place = state.language, state["stack_token"] - 1
    having, without = (
        float(cosines_to_bare(own_stack(state, has_residual=has).trace.vectors)[-1, place])
        for has in (True, False)
    )
    gap = having - without
    kind = "equal" if abs(gap) < ALIKE else "larger" if gap > 0 else "smaller"
    verdict = words.VERDICTS[kind].say(language)
    cosines = {"having": significant(having), "without": significant(without)}
    return words.ANSWER.say(language, **cosines, verdict=verdict)
