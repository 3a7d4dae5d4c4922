"""The weights of each layer and head on the page: the stack's own numbers, opened down to their multiplications (P8)."""

import numpy as np
import pytest

from attention_core.experiments.head_facts import read_heads
from attention_core.layers import trace_layer_head
from dashboard.number_format import significant
from dashboard.panels.layers import attention as view
from dashboard.panels.qkv.explanation import in_parentheses
from dashboard.text import LANGUAGES
from dashboard.text import layers as lesson_words
from dashboard.text import layers_attention as words
from dashboard.text import weights as weight_words
from tests.pages.layer_values import LONG, dressed, lines_of, parts_of
from tests.pages.reading import dangers, drawings, hidden, numbers, told, wrong_language


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("is_causal", [0, 1])
def test_P8_every_head_of_a_layer_is_drawn_with_the_stacks_weights(
    look_at, language: str, is_causal: int
) -> None:
    query = {"view": "attention", "attention_layer": 3, "attention_head": 2, "is_causal": is_causal}
    at = look_at("layers", lang=language, **query)
    sentence, drawn = dressed(at), drawings(at)
    assert np.array_equal(numbers(drawn["large"]), sentence.trace.weights[2, 1])
    assert drawn["large"]["title"] == words.LARGE.say(language, layer=3, head=2)
    assert hidden(drawn["large"]).any() == bool(is_causal)
    assert {"head.0", "head.1"} <= drawn.keys()
    overview = numbers(drawn["overview"])
    entropies = [
        [head.entropy for head in read_heads(one, sentence.allowed).by_head] for one in sentence.trace.weights
    ]
    assert np.allclose(overview, entropies, atol=1e-12)
    assert drawn["overview"]["picked"] == 2 * 2 + 1
    assert not wrong_language(at, language)
    assert not list(dangers(at))


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_P8_a_picked_weight_opens_down_to_what_the_layer_reads(look_at, monkeypatch, norm: str) -> None:
    parts = parts_of(monkeypatch, view)
    query = {"view": "attention", "attention_layer": 2, "attention_head": 1, "norm": norm}
    at = look_at("layers", is_touched=True, lang="en", **query)
    parts["large"][1].hear("pick", {"row": 4, "column": 2})
    at.run()
    sentence = dressed(at)
    trace, said = trace_layer_head(sentence, 1, 0), lines_of(at, "weight")
    score = float(trace.q[4] @ trace.k[2])
    assert said[0] == weight_words.WHOSE.say(
        "en", query="5 river", key="3 of", name=words.NAME.say("en", layer=2, head=1)
    )
    along = [significant(float(number)) for number in sentence.trace.weights[:, 0, 4, 2]]
    pieces = drawings(at)["weight"]["lines"][1]["pieces"]
    assert [piece["text"] for piece in pieces] == [words.IN_LAYERS.say("en", head=1), *along]
    assert said[2].endswith(f"= {significant(float(sentence.trace.weights[1, 0, 4, 2]))}")
    assert said[3] == f"scaled[5, 3]={in_parentheses(score)}/ 2.83= {significant(score / 8**0.5)}"
    assert said[4].endswith(f"= {significant(score)}")
    parts["weight"][1].hear("pick", [4, 2])
    at.run()
    opened = lines_of(at, "weight")[5]
    assert opened.startswith("q[5, 1]=")
    read = sentence.trace.blocks[1].read[4]
    assert opened.endswith(f"= {significant(float(read @ trace.w_q[:, 0]))}")


def test_P8_a_number_of_another_layer_and_a_cell_of_the_overview_lead_there(look_at, monkeypatch) -> None:
    parts = parts_of(monkeypatch, view)
    at = look_at("layers", is_touched=True, lang="en", view="attention")
    parts["weight"][1].hear("pick", [1, 3])
    at.run()
    assert at.session_state["lesson:layers"]["attention_layer"] == 3
    parts["overview"][1].hear("pick", {"row": 3, "column": 1})
    at.run()
    assert {"attention_layer=4", "attention_head=2"} <= set(drawings(at)["address"]["query"].split("&"))
    parts["head.0"][1].hear("pick", {"row": 0, "column": 0})
    at.run()
    assert np.array_equal(numbers(drawings(at)["large"]), dressed(at).trace.weights[3, 0])


@pytest.mark.parametrize("language", LANGUAGES)
def test_P8_what_a_layer_reads_is_said_by_its_place_and_the_norm(look_at, language: str) -> None:
    for layer, norm in ((1, "pre"), (3, "post")):
        at = look_at("layers", lang=language, view="attention", attention_layer=layer, norm=norm)
        normed = words.NORMED[norm == "pre"].say(language)
        fields = {"norm": normed} | ({} if layer == 1 else {"layer": 3, "before": 2})
        assert words.READS["bare" if layer == 1 else "dressed"].say(language, **fields) in told(at)
    single = look_at("layers", lang=language, view="attention", text="a")
    assert words.ONE_TOKEN.say(language) in told(single)


@pytest.mark.parametrize("language", LANGUAGES)
def test_P8_the_answer_names_the_layer_with_the_most_even_weights(look_at, language: str) -> None:
    at = look_at("layers", lang=language, view="attention")
    means = numbers(drawings(at)["overview"]).mean(axis=1)
    even = significant(float(np.log(6)))
    most, least = int(means.argmax()), int(means.argmin())
    fields = {"layer": most + 1, "most": significant(means[most]), "other": (most and least + 1) or least + 1}
    expected = words.ANSWER[True].say(language, **fields, least=significant(means[least]), even=even)
    assert lines_of(at, "answer") == [expected]
    alike = look_at("layers", lang=language, view="attention", text="a a a", positions="none")
    tied = words.ANSWER[False].say(language, most=significant(np.log(3)), even=significant(np.log(3)))
    assert lines_of(alike, "answer") == [tied]
    one = look_at("layers", lang=language, view="attention", n_layers=1)
    only = significant(numbers(drawings(one)["overview"]).mean())
    assert lines_of(one, "answer") == [words.ANSWER_ONE.say(language, most=only, even=even)]


def test_the_most_layers_heads_and_tokens_stay_small_on_the_wire(look_at) -> None:
    query = {"view": "attention", "text": LONG, "n_layers": 12, "h": 8, "d_model": 64, "attention_stretch": 1}
    at = look_at("layers", lang="en", **query)
    assert drawings(at)["overview"]["sides"] == [12, 8]
    assert max(len(element.proto.json) for element in at.get("bidi_component")[1:]) < 400_000
    assert lesson_words.LAYER_NAME.say("en", layer=12) in lines_text(at)


def lines_text(at) -> str:
    return "\n".join(piece.get("cell", "") for piece in drawings(at)["weight"]["lines"][1]["pieces"])
