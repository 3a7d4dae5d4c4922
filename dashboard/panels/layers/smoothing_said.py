"""What the measurement of likeness says, and no more than that."""

from attention_core.experiments.smoothing import Smoothing
from attention_core.layers import NORMS, Norm
from dashboard.cached import smoothing_of
from dashboard.controls import State
from dashboard.number_format import significant
from dashboard.panels.layers.model import design_of, tokens_of
from dashboard.text import layers as lesson_words
from dashboard.text import layers_smoothing as words

# Means that differ by less are called equal.
ALIKE = 1e-6


def measured(state: State, norm: Norm) -> tuple[Smoothing, Smoothing]:
    """Measure the stack of the sidebar with one norm, without a residual and with it."""
    return smoothing_of(
        tokens_of(state["text"]),
        design_of(state, norm=norm, has_residual=True),
        state["seed"],
        state["positions"],
        is_causal=state["is_causal"],
    )


def readings(state: State, both: tuple[Smoothing, Smoothing]) -> list[str]:
    """Say where both stacks end, whether the residual slowed it, and whether it went on all the same."""
    language, n = state.language, state["n_layers"]
    without, having = both
    bare = having.cosines[0].mean
    if len(set(tokens_of(state["text"]))) == 1 and state["positions"] == "none":
        return [words.ALL_SAME.say(language)]
    ends = {
        name: significant(value)
        for kind, record in (("without", without), ("having", having))
        for name, value in (
            (kind, record.cosines[-1].mean),
            (f"{kind}_low", record.cosine_ends[-1][0]),
            (f"{kind}_high", record.cosine_ends[-1][1]),
        )
    }
    rise = having.cosines[-1].mean - bare
    is_slower = without.cosines[-1].mean - having.cosines[-1].mean > ALIKE
    own = {
        name: significant(record.own_shares[-1].mean)
        for name, record in (("without", without), ("having", having))
    }
    return [
        words.LAST.say(language, n=n, bare=significant(bare), **ends),
        (words.SLOWER if is_slower else words.NOT_SLOWER).say(language),
        (words.GOES_ON if rise > ALIKE else words.NO_RISE).say(language, n=n, rise=significant(abs(rise))),
        words.OWN.say(language, **own),
        words.WHY.say(language),
    ]


def question(state: State) -> str:
    """Ask which norm keeps tokens apart."""
    return words.QUESTION.say(state.language, n=state["n_layers"])


def answer(state: State) -> str:
    """Measure the stack with a residual under each norm."""
    language = state.language
    found = {norm: measured(state, norm)[1] for norm in NORMS}
    names = {norm: lesson_words.NORM_SAID[norm].say(language) for norm in NORMS}
    means = {norm: record.cosines[-1].mean for norm, record in found.items()}
    join = lesson_words.JOIN.say(language)
    each = join.join(
        words.EACH.say(language, norm=names[norm], mean=significant(mean)) for norm, mean in means.items()
    )
    least, following = sorted(means.values())[:2]
    if following - least < ALIKE:
        return words.ANSWER_TIED.say(language, each=each)
    spreads = join.join(
        words.SPREAD.say(
            language,
            norm=names[norm],
            **dict(zip(("low", "high"), map(significant, record.cosine_ends[-1]), strict=True)),
        )
        for norm, record in found.items()
    )
    best = names[min(means, key=means.__getitem__)]
    return words.ANSWER.say(language, each=each, best=best, spreads=spreads)
