"""The weights of each layer and head: all heads of a layer small, one large down to one weight, all layers in numbers (P8)."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial

import streamlit as st

from attention_core.experiments.head_facts import read_heads, read_uniform, summarise_over_heads
from attention_core.explain import explain
from attention_core.layers import DressedSentence, dress, trace_layer_head
from attention_core.single_head import SingleHeadTrace
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import asked_parts, source
from dashboard.grid import compact, grid_part
from dashboard.grid.bench import Part, show_bench
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.number_format import significant
from dashboard.number_table import grid_labels
from dashboard.panels.heads.head_pictures import (
    Enlarged,
    Hands,
    HeadsSeen,
    Parts,
    large_part,
    see_heads,
    small_part,
    stretched_reach,
)
from dashboard.panels.heads.legal import has_legal_heads
from dashboard.panels.heads.weight_said import Along, pick_pair, picked_pair, weight_parts
from dashboard.panels.layers.model import own_stack, provenance
from dashboard.panels.layers.script import offer_script
from dashboard.text import head_heads as head_words
from dashboard.text import layers as lesson_words
from dashboard.text import layers_attention as words
from dashboard.text.heads import HEAD_MOVED

LAYER_WIDTH, HEAD_WIDTH = 220, 200
# Entropies that differ by less are called equal.
ALIKE = 1e-6
RAN = [dress, trace_layer_head, read_heads, read_uniform, summarise_over_heads, explain]


@controls.fragment
def attention(state: State) -> bool:
    """Ask for layer and head; show the layer's heads, one large, its picked weight, and all layers in numbers."""
    if not has_legal_heads(state):
        return False
    controls_place = st.container()  # filled last: see controls.fragment
    sentence = own_stack(state)
    state.narrow("attention_layer", state["n_layers"])
    state.narrow("attention_head", state["h"])
    seen = seen_layers(sentence)[state["attention_layer"] - 1]
    reach = stretched_reach(seen) if state["attention_stretch"] else 1.0
    pair = picked_pair(state, len(sentence.tokens))
    shown = Enlarged("each", state["attention_head"] - 1, reach, pair)
    parts: Parts = {
        "address": ("top", controls.address_part(state)),
        "note": ("top", note_part(state, reach)),
        **layer_parts(state, sentence, seen, shown),
        "overview": ("right", overview_part(state, sentence)),
        "said": ("right", said_part(state, sentence, seen)),
        **question_parts(state, sentence),
    }
    show_bench("bench.attention", parts)
    with controls_place:
        ask(state)
    offer_script(state)
    source(RAN, state.language)
    return True


@lru_cache(maxsize=4)
def seen_layers(sentence: DressedSentence) -> tuple[HeadsSeen, ...]:
    """Read what the heads of every layer look at; the same objects for the same sentence, so that parts are found again."""
    return tuple(see_heads(sentence.tokens, weights, sentence.allowed) for weights in sentence.trace.weights)


@lru_cache(maxsize=16)
def _traced(sentence: DressedSentence, layer: int, head: int) -> SingleHeadTrace:
    return trace_layer_head(sentence, layer, head)


def ask(state: State) -> None:
    """Ask for the layer, the head, and the colours."""
    with st.container(horizontal=True):
        layer = words.LAYER, words.LAYER_HELP
        controls.slider(state, "attention_layer", *layer, highest=state["n_layers"], width=LAYER_WIDTH)
        head, narrowed = (words.HEAD, words.HEAD_HELP), {"highest": state["h"], "moved": HEAD_MOVED}
        controls.slider(state, "attention_head", *head, **narrowed, width=HEAD_WIDTH)
        controls.toggle(state, "attention_stretch", head_words.STRETCH, head_words.STRETCH_HELP)


def note_part(state: State, reach: float) -> Part:
    """Say where the numbers come from, and where colours end."""
    note = provenance(state)
    if state["attention_stretch"]:
        stretched = head_words.STRETCHED.say(state.language, reach=significant(reach), share="98%")
        note = f"{note} · {stretched}"
    label = lesson_words.WHERE_FROM.say(state.language)
    return lines_part(label, [Line(prose(note), "note")], has_own_row=True)


def layer_parts(state: State, sentence: DressedSentence, seen: HeadsSeen, shown: Enlarged) -> Parts:
    """Describe all heads of the layer small, the chosen one large, and how its picked weight came about."""
    language, layer, head = state.language, state["attention_layer"], state["attention_head"]
    hands = Hands(lambda at: state.put("attention_head", at + 1), partial(pick_pair, state))
    small: Parts = {
        f"head.{at}": ("top", small_part(seen, shown, at, hands, language)) for at in range(seen.n_heads)
    }
    large = large_part(seen, shown, hands, language)
    titled = replace(large, data={**large.data, "title": words.LARGE.say(language, layer=layer, head=head)})
    row, column = shown.pair
    weights = sentence.trace.weights[:, head - 1, row, column].tolist()
    names = [lesson_words.LAYER_NAME.say(language, layer=at) for at in range(1, len(weights) + 1)]
    lead = words.IN_LAYERS.say(language, head=head)
    along = Along(lead, names, weights, lambda at: state.put("attention_layer", at + 1))
    trace = _traced(sentence, layer - 1, head - 1)
    name = words.NAME.say(language, layer=layer, head=head)
    return small | {
        "large": ("left", titled),
        **weight_parts(state, trace, sentence.tokens, name, along),
    }


def entropies(sentence: DressedSentence) -> list[list[float]]:
    """Give the mean entropy of each head's rows, layer by layer."""
    return [[head.entropy for head in seen.facts.by_head] for seen in seen_layers(sentence)]


def even_entropy(sentence: DressedSentence) -> float:
    """Give the entropy of weights that are shared equally."""
    return seen_layers(sentence)[0].uniform.by_head[0].entropy


def overview_part(state: State, sentence: DressedSentence) -> Part:
    """Describe all layers and heads in one number each; picking one shows its weights."""
    language = state.language

    def pick(row: int, column: int) -> None:
        state.put("attention_layer", row + 1)
        state.put("attention_head", column + 1)

    labels = replace(
        grid_labels(language, "layer", "column"),
        column=words.HEAD_COLUMN.say(language),
        value=words.ENTROPY.say(language),
        keys=words.OVERVIEW_KEYS.say(language),
    )
    part = grid_part(
        entropies(sentence),
        title=words.OVERVIEW.say(language),
        labels=labels,
        scale="sequential",
        domain=even_entropy(sentence) or 1.0,
        picked=(state["attention_layer"] - 1, state["attention_head"] - 1),
        on_pick=pick,
    )
    return compact(part)


def said_part(state: State, sentence: DressedSentence, seen: HeadsSeen) -> Part:
    """Say what the layer reads, how even the chosen head is, and that nothing was learnt."""
    language, layer, head = state.language, state["attention_layer"], state["attention_head"]
    normed = words.NORMED[state["norm"] == "pre"].say(language)
    reads = words.READS["bare" if layer == 1 else "dressed"]
    fields = {"norm": normed} | ({} if layer == 1 else {"layer": layer, "before": layer - 1})
    told = [reads.say(language, **fields), words.X_IS.say(language, norm=normed)]
    if len(sentence.tokens) == 1:
        told.append(words.ONE_TOKEN.say(language))
    else:
        own, even = seen.facts.by_head[head - 1].entropy, seen.uniform.by_head[0].entropy
        numbers = {"own": significant(own), "even": significant(even)}
        told += [words.EVEN.say(language, head=head, **numbers), words.RANDOM.say(language)]
    return lines_part(lesson_words.SAID.say(language), [Line(prose(text), "prose") for text in told])


def question_parts(state: State, sentence: DressedSentence) -> Parts:
    """Ask which layer spreads its weights most evenly."""
    language = state.language
    means = [summarise_over_heads(seen.facts, "mean")["entropy"] for seen in seen_layers(sentence)]
    return asked_parts(words.QUESTION.say(language), answer(means, even_entropy(sentence), state), language)


def answer(means: Sequence[float], even: float, state: State) -> str:
    """Name the layers with the largest and with the smallest entropy, where they differ."""
    language, most, least = state.language, max(means), min(means)
    numbers = {"most": significant(most), "even": significant(even)}
    if len(means) == 1:
        return words.ANSWER_ONE.say(language, **numbers)
    if most - least < ALIKE:
        return words.ANSWER[False].say(language, **numbers)
    ends = {"layer": means.index(most) + 1, "other": means.index(least) + 1, "least": significant(least)}
    return words.ANSWER[True].say(language, **numbers, **ends)
