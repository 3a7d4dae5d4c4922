"""What the pictures of heads say in sentences; the first part holds for weights of any origin."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from attention_core.experiments.head_facts import (
    HeadFacts,
    compare_heads,
    join_heads,
    name_by_place,
    read_heads,
    summarise_over_heads,
)
from dashboard.controls import State
from dashboard.frame import asked_and_measured, asked_parts
from dashboard.number_format import significant
from dashboard.panels.heads.head_pictures import Enlarged, HeadsSeen, Parts, balanced
from dashboard.panels.heads.own_heads import own_heads
from dashboard.text import Language
from dashboard.text import head_heads as words

# Heads that differ by less are said to be alike: what is left is rounding, in float32 too.
ALIKE = 1e-6
MORE_SEEDS = 10


@lru_cache(maxsize=16)
def readings(seen: HeadsSeen, shown: Enlarged, language: Language) -> tuple[str, ...]:
    """Say how heads compare, which of them could be named by where they look, and what all heads as one hide."""
    alone = say_nothing_to_compare(seen, language)
    joined = [] if shown.over == "each" else [say_joined(seen, shown, language)]
    if alone is not None:
        return (alone, *joined)
    looks = in_a_row([say_back(seen, language), say_self(seen, language)], language)
    return (looks, say_apart(seen, language), say_names(seen, language), *joined)


def say_nothing_to_compare(seen: HeadsSeen, language: Language) -> str | None:
    """Say why heads cannot be compared, where they cannot."""
    first, alike = seen.facts.by_head[0], seen.uniform.by_head[0]
    back = balanced(first.distance_back)
    own = {"back": significant(back), "most": significant(first.on_self)}
    if len(seen.tokens) == 1:
        return words.ONE_TOKEN.say(language)
    if seen.n_heads == 1:
        fields = {
            "alike_back": significant(balanced(alike.distance_back)),
            "alike_self": significant(alike.on_self),
        }
        said = [words.ONE_HEAD.say(language, **own, **fields)]
        return in_a_row([*said, words.MINUS.say(language)] if back < 0 else said, language)
    far = float(compare_heads(seen.facts).max())
    if far < ALIKE:
        return words.NO_DIFFERENCE.say(language, **own, h=seen.n_heads, far=significant(far))
    return None


def leaders(numbers: Sequence[float]) -> list[int]:
    """Give the places of the largest number, all of them where several are alike.

    Example:
        >>> leaders([0.5, 2.0, 2.0]), leaders([1.0])
        ([1, 2], [0])
    """
    most = max(numbers)
    return [place for place, number in enumerate(numbers) if most - number < ALIKE]


def say_heads(heads: Sequence[int], language: Language) -> str:
    """Name heads: "head 2", "heads 1, 3", "no head"."""
    if not heads:
        return words.NO_HEAD.say(language)
    names = words.JOIN.say(language).join(str(head + 1) for head in heads)
    return (words.HEADS_ONE if len(heads) == 1 else words.HEADS_SEVERAL).say(language, names=names)


def places_back(facts: HeadFacts) -> list[float]:
    """Give how far back each head looks, 0 where ahead and back cancel."""
    return [balanced(head.distance_back) for head in facts.by_head]


def ends_of(numbers: Sequence[float], most: str, language: Language) -> dict[str, str]:
    """Name the heads with the largest and with the smallest number, and both numbers."""
    return {
        "heads": say_heads(leaders(numbers), language),
        most: significant(max(numbers)),
        "others": say_heads(leaders([-number for number in numbers]), language),
        "least": significant(min(numbers)),
    }


def say_back(seen: HeadsSeen, language: Language) -> str:
    """Name the head that looks farthest back, the one that does least, and what the mask alone brings."""
    back = places_back(seen.facts)
    if max(back) - min(back) < ALIKE:
        said = [words.SAME_BACK.say(language, h=seen.n_heads, back=significant(back[0]))]
    else:
        text = words.FARTHEST if max(back) > 0 else words.AHEAD
        said = [text.say(language, **ends_of(back, "back", language))]
    if min(back) < 0:
        said.append(words.MINUS.say(language))
    if seen.allowed is not None:
        alike = significant(seen.uniform.by_head[0].distance_back)
        said.append(words.ALIKE_BACK.say(language, alike=alike))
    return in_a_row(said, language)


def in_a_row(said: Sequence[str], language: Language) -> str:
    """Put sentences one after the other."""
    return ("" if language == "zh" else " ").join(said)


def say_self(seen: HeadsSeen, language: Language) -> str:
    """Name the head that looks most at the query itself, and the one that does least."""
    own = [head.on_self for head in seen.facts.by_head]
    alike = significant(seen.uniform.by_head[0].on_self)
    if max(own) - min(own) < ALIKE:
        return words.SAME_SELF.say(language, h=seen.n_heads, most=significant(own[0]), alike=alike)
    return words.ON_SELF.say(language, **ends_of(own, "most", language), alike=alike)


def say_apart(seen: HeadsSeen, language: Language) -> str:
    """Name the two heads that lie farthest apart, and the two that lie closest."""
    apart = compare_heads(seen.facts).tolist()
    pairs = {(g, h): apart[g][h] for g in range(seen.n_heads) for h in range(g + 1, seen.n_heads)}
    far, near = max(pairs, key=pairs.__getitem__), min(pairs, key=pairs.__getitem__)
    if seen.n_heads == 2:
        return words.APART_TWO.say(language, far=significant(pairs[far]))
    if pairs[far] - pairs[near] < ALIKE:
        return words.SAME_APART.say(language, far=significant(pairs[far]))
    names = [words.AND.say(language).join(str(head + 1) for head in pair) for pair in (far, near)]
    return words.APART.say(
        language,
        far_pair=names[0],
        far=significant(pairs[far]),
        near_pair=names[1],
        near=significant(pairs[near]),
    )


def say_names(seen: HeadsSeen, language: Language) -> str:
    """Say which heads give most of their weight to one place, by which they could be named, and how many do not."""
    named = [
        words.NAMED.say(
            language,
            head=head.head + 1,
            place=words.PLACES[place].say(language),
            share=significant(getattr(head, place)),
        )
        for head in seen.facts.by_head
        if (place := name_by_place(head, seen.uniform.by_head[0])) is not None
    ]
    if not named:
        return words.NO_NAMES.say(language, h=seen.n_heads)
    names, rest = words.SEMICOLON.say(language).join(named), seen.n_heads - len(named)
    return words.NAMES[rest > 0].say(language, names=names, rest=rest, h=seen.n_heads)


def say_joined(seen: HeadsSeen, shown: Enlarged, language: Language) -> str:
    """Say what all heads as one hide."""
    joined = join_heads(seen.facts.weights, shown.over)
    if shown.over == "max" and float(joined.row_sums.max()) < 1 + ALIKE:
        return words.MAX_SAME.say(language)
    if shown.over == "max":
        low, high = (significant(float(end)) for end in joined.row_sums.aminmax())
        return words.MAX.say(language, low=low, high=high, h=seen.n_heads)
    entropy = read_heads(joined.weights[None], seen.allowed).by_head[0].entropy
    own = summarise_over_heads(seen.facts, "mean")["entropy"]
    return words.MEAN.say(language, joined=significant(entropy), own=significant(own))


def question_parts(state: State, seen: HeadsSeen) -> Parts:
    """Ask whether a head keeps its place with other seeds; the answer runs them, once the reader wants it."""
    language = state.language
    if len(seen.tokens) == 1 or seen.n_heads == 1:
        alike = seen.uniform.by_head[0]
        answer = words.ANSWER_ALIKE.say(
            language,
            back=significant(balanced(alike.distance_back)),
            most=significant(alike.on_self),
            mask=words.MASKS[seen.allowed is not None].say(language),
        )
        return asked_parts(words.QUESTION_ALIKE.say(language), answer, language)
    question = words.QUESTION.say(language, more=MORE_SEEDS)
    return asked_and_measured("heads", question, lambda: say_seeds(state), language)


def say_seeds(state: State) -> str:
    """Count which head looks farthest back with each of the next seeds."""
    language: Language = state.language
    seeds = range(state["seed"] + 1, state["seed"] + 1 + MORE_SEEDS)
    counts: Counter[tuple[int, ...]] = Counter()
    for seed in seeds:
        back = places_back(own_heads(state, seed).facts)
        counts[tuple(leaders(back)) if max(back) > 0 else ()] += 1
    each = [
        (words.COUNT if count > 1 else words.COUNT_ONE).say(
            language, heads=say_heads(heads, language), count=count
        )
        for heads, count in sorted(counts.items())
    ]
    counted = words.SEMICOLON.say(language).join(each)
    return words.ANSWER.say(language, first=seeds[0], last=seeds[-1], counts=counted)
