"""What rollout says beside what was measured, its counterexample and its limit."""

from attention_core.experiments.rollout import RolloutCheck, Silence, rank_agreement
from dashboard.cached import rollouts_of
from dashboard.controls import State
from dashboard.grid.lines import word
from dashboard.number_format import significant
from dashboard.panels.layers.model import design_of, tokens_of
from dashboard.panels.layers.replacement import one_token
from dashboard.text import layers_rollout as words


def silence_of(state: State) -> Silence:
    """Give the reader's way to silence attention; heads cancel in pairs, so an odd number needs the other one."""
    return "zero_values" if state["h"] % 2 else state["rollout_silence"]


def checks_of(state: State, silence: Silence | None = None) -> tuple[RolloutCheck, ...]:
    """Run the check for every token of the sentence."""
    return rollouts_of(
        tokens_of(state["text"]),
        design_of(state),
        state["seed"],
        one_token(state["rollout_word"]),
        state["positions"],
        is_causal=state["is_causal"],
        silence=silence,
    )


def shares_of(check: RolloutCheck) -> list[float]:
    """Bring the measured changes to shares that sum to 1; zeros where nothing changed."""
    total = float(check.effects.sum())
    return [effect / total if total else 0.0 for effect in check.effects.tolist()]


def named(state: State, place: int) -> str:
    """Name a token by place and word, marked as the reader's own."""
    return word(f"{place + 1} {tokens_of(state['text'])[place]}")


def readings(state: State, drawn: RolloutCheck, silent: RolloutCheck) -> list[str]:
    """Say what rollout is, how well it agrees, where it fails, and what it leaves out."""
    language = state.language
    half = words.HALVES[state["has_residual"]].say(language)
    told = [words.WHAT.say(language, half=half, n=state["n_layers"]), *say_agreement(state, drawn)]
    replacement = one_token(state["rollout_word"])
    if replacement in tokens_of(state["text"]):
        told.append(words.SELF_REPLACED.say(language, word=word(replacement)))
    return [*told, say_silent(state, silent), words.LIMIT.say(language)]


def say_agreement(state: State, drawn: RolloutCheck) -> list[str]:
    """Name the word that each puts first, and say how far the orders agree."""
    language, found = state.language, rank_agreement(drawn)
    if not found.places:
        return [words.ALONE.say(language, token=named(state, drawn.query))]
    first = max(found.places, key=lambda place: float(drawn.shares[place]))
    second = max(found.places, key=lambda place: float(drawn.effects[place]))
    fields = {"first": named(state, first), "share": significant(float(drawn.shares[first]))}
    if found.coefficient is None:
        return [words.NO_ORDER.say(language)]
    rho = words.AGREE.say(language, n=len(found.places), rho=significant(found.coefficient))
    if first == second:
        return [words.TOP_SAME.say(language, **fields), rho]
    return [words.TOP_APART.say(language, **fields, second=named(state, second)), rho]


def say_silent(state: State, silent: RolloutCheck) -> str:
    """Say what rollout still hands out where attention carries nothing, and what replacing then changes."""
    language, token = state.language, named(state, silent.query)
    others = [place for place in range(len(silent.shares)) if place != silent.query]
    share = sum(float(silent.shares[place]) for place in others)
    if share == 0:
        return words.SILENT_ALONE.say(language, token=token)
    most = max(float(silent.effects[place]) for place in others)
    fields = {
        "way": words.WAYS[silent.silence].say(language),
        "share": significant(share),
        "token": token,
    }
    if most == 0:
        return words.SILENT.say(language, **fields)
    return words.SILENT_ROUNDING.say(language, **fields, most=significant(most))


def answer(state: State) -> str:
    """Say how well the orders agree over all tokens of the sentence."""
    language = state.language
    agreed = {check.query: rank_agreement(check).coefficient for check in checks_of(state)}
    found = {query: coefficient for query, coefficient in agreed.items() if coefficient is not None}
    if not found:
        return words.ANSWER_NONE.say(language)
    best, worst = max(found, key=found.__getitem__), min(found, key=found.__getitem__)
    ends = {"best": named(state, best), "most": significant(found[best])}
    if len(found) == 1:
        return words.ANSWER_ONE.say(language, **ends)
    return words.ANSWER.say(
        language,
        n=len(found),
        mean=significant(sum(found.values()) / len(found)),
        worst=named(state, worst),
        least=significant(found[worst]),
        **ends,
    )
