"""The controls of the comparison: which attentions, which head, and what the chosen ones can be set by."""

from collections.abc import Callable, Mapping

import streamlit as st

from attention_core.experiments.shared_heads import legal_kv_heads
from dashboard import controls
from dashboard.controls import State
from dashboard.panels.variants.compare_model import SETTINGS, SLOTS, Slot
from dashboard.panels.variants.fields import NONE
from dashboard.text import Text
from dashboard.text import variant_compare as words
from dashboard.text import variants as lesson_words
from dashboard.text.heads import HEAD_MOVED

SLOT_WIDTH, HEAD_WIDTH, BOX_WIDTH, LIST_WIDTH, DECIMAL_WIDTH = 165, 100, 125, 125, 155
LABELS = {"a": words.SLOT_A, "b": words.SLOT_B, "c": words.SLOT_C}
WHOLE: Mapping[str, tuple[Text, Text]] = {
    "width": (words.WIDTH, words.WIDTH_HELP),
    "dilation": (words.DILATION, words.DILATION_HELP),
    "block": (words.BLOCK, words.BLOCK_HELP),
    "stride": (words.STRIDE, words.STRIDE_HELP),
    "n_global": (words.GLOBAL, words.GLOBAL_HELP),
    "d_a": (words.D_A, words.D_A_HELP),
}
# Whose range the sentence or the heads narrow.
NARROWED: Mapping[str, tuple[Text, Text]] = {
    "rank": (words.RANK, words.RANK_HELP),
    "d_q": (words.D_Q, words.D_Q_HELP),
}
LISTS: Mapping[str, tuple[Text, Text, Mapping[str, Text]]] = {
    "feature": (words.FEATURE, words.FEATURE_HELP, words.FEATURES),
    "mixture": (words.MIXTURE, words.MIXTURE_HELP, words.MIXTURES),
    "slopes": (words.SLOPES, words.SLOPES_HELP, words.SLOPES_OPTIONS),
    "pairing": (words.PAIRING, words.PAIRING_HELP, words.PAIRINGS),
}
DECIMALS: Mapping[str, tuple[Text, Text, float]] = {
    "sink": (words.SINK, words.SINK_HELP, 0.5),
    "temperature": (words.TEMPERATURE, words.TEMPERATURE_HELP, 0.1),
    "base": (words.BASE, words.BASE_HELP, 1000.0),
}


def ask(state: State, n_tokens: int) -> None:
    """Ask which attentions to compare, in which head, and for their settings."""
    names = lesson_words.NAMES
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        for slot in SLOTS:
            options = names if slot != "c" else {NONE: words.NO_SLOT, **names}
            labels = LABELS[slot], words.SLOT_HELP, options
            controls.choose(state, slot, *labels, in_sidebar=True, width=SLOT_WIDTH)
        if state["h"] > 1:
            narrowed = {"highest": state["h"], "moved": HEAD_MOVED}
            controls.slider(state, "head", words.HEAD, words.HEAD_HELP, width=HEAD_WIDTH, **narrowed)
        for field in asked_fields(state):
            ask_setting(state, field, n_tokens)


def asked_fields(state: State) -> list[str]:
    """List the settings of the chosen variants, each once; those that can change nothing are left away."""
    chosen = [state[slot] for slot in SLOTS if state[slot] != NONE]
    wanted = dict.fromkeys(field for name in chosen for field in SETTINGS.get(name, ()))
    d_k, h = state["d_model"] // state["h"], state["h"]
    has_effect = {
        "slopes": h & (h - 1) != 0,  # for powers of two both lists are the same
        "pairing": d_k > 2,
        "base": d_k > 2,  # the first pair turns by one radian a position, whatever the base
        "h_kv": h > 1,
        "d_q": d_k > 1,
    }
    return [field for field in wanted if has_effect.get(field, True)]


def ask_setting(state: State, field: str, n_tokens: int) -> None:
    """Ask for one setting."""
    if field in WHOLE:
        controls.whole_number(state, field, *WHOLE[field], width=BOX_WIDTH)
    elif field in LISTS:
        controls.choose(state, field, *LISTS[field], in_sidebar=True, width=LIST_WIDTH)
    elif field in DECIMALS:
        controls.decimal(state, field, *DECIMALS[field], width=DECIMAL_WIDTH)
    elif field in NARROWED:
        highest = n_tokens if field == "rank" else state["d_model"] // state["h"]
        controls.slider(state, field, *NARROWED[field], highest=highest, width=BOX_WIDTH)
    else:
        stops = legal_kv_heads(state["h"])
        controls.steps(state, field, words.KV_HEADS, words.KV_HEADS_HELP, stops, width=BOX_WIDTH)


def narrow(state: State, n_tokens: int) -> None:
    """Move numbers into what the sentence and the heads allow, before they are used."""
    state.narrow("head", state["h"])
    state.narrow("rank", n_tokens)
    state.narrow("d_q", state["d_model"] // state["h"])


def say_refusal(state: State, slot: Slot) -> None:
    """Name the rule that a variant breaks here, and offer what is nearest and legal."""
    refusal, language = slot.refusal, state.language
    values = dict(zip(("first", "second"), refusal.values, strict=False))
    st.error(words.REFUSED[refusal.rule].say(language, slot=slot.letter, **values))
    with st.container(horizontal=True, gap="small"):
        for field, value in OFFERS[refusal.rule](state):
            label = (
                words.NO_CAUSAL.say(language)
                if field == "is_causal"
                else words.TAKE.say(language, name=field, value=value)
            )
            controls.button(label, f"take.{slot.letter}.{field}.{value}", state.put, field, value)


def offer_widths(state: State) -> list[tuple[str, int]]:
    """List the nearest d_model that give heads of an even width."""
    double = 2 * state["h"]
    below = state["d_model"] // double * double
    highest = state.fields["d_model"].highest
    return [("d_model", value) for value in (below, below + double) if 0 < value <= highest]


def offer_kv_heads(state: State) -> list[tuple[str, int]]:
    """List the nearest numbers of key/value heads that divide h."""
    legal, given = sorted(legal_kv_heads(state["h"])), state["h_kv"]
    below = [kv for kv in legal if kv < given][-1:]
    above = [kv for kv in legal if kv > given][:1]
    return [("h_kv", kv) for kv in (*below, *above)]


OFFERS: Mapping[str, Callable[[State], list[tuple[str, int]]]] = {
    "even_width": offer_widths,
    "no_causal_form": lambda _state: [("is_causal", False)],
    "kv_heads_divide": offer_kv_heads,
}
