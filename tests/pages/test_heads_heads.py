"""What each head looks at, as it stands on the page: the core's numbers, hand-worked ones, and weights from elsewhere."""

import re

import numpy as np
import pytest
import torch

from attention_core.experiments.head_facts import METERS, attend_sentence, compare_heads
from attention_core.masks import causal
from attention_core.tokens import tokenize
from dashboard.grid.bench import show_bench
from dashboard.grid.picture import levels as levels_of
from dashboard.number_format import significant
from dashboard.panels.heads import heads as view
from dashboard.panels.heads.head_pictures import Enlarged, head_parts, see_heads
from dashboard.panels.heads.head_readings import readings
from dashboard.text import LANGUAGES
from dashboard.text import head_heads as words
from dashboard.text import heads as head_words
from tests.pages.reading import (
    dangers,
    drawings,
    hidden,
    labels,
    levels,
    numbers,
    sentences,
    told,
    wrong_language,
)

LONG = " ".join(f"w{place}" for place in range(64))
SEVERAL = re.compile(r"(?<![\w.−–])1 (?:other )?(?:heads|tokens|places|queries|rows|seeds)\b")


def opened(open_page, language: str = "en", **query: object):
    at = open_page(
        "heads", lang=language, view="heads", **{name: str(value) for name, value in query.items()}
    )
    assert not at.exception
    return at


def core_of(at, **changed):
    state = at.session_state["lesson:heads"] | changed
    return attend_sentence(
        tokenize(state["text"]),
        seed=state["seed"],
        d_model=state["d_model"],
        n_heads=state["h"],
        positions=state["positions"],
        is_causal=state["is_causal"],
    )


def answer_of(at) -> str:
    return "".join(piece["text"] for line in drawings(at)["answer"]["lines"] for piece in line["pieces"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_H3_every_head_is_drawn_and_its_numbers_are_the_cores(open_page, language: str) -> None:
    at = opened(open_page, language, h=4, is_causal=1, heads_head=2)
    found, drawn = core_of(at), drawings(at)
    weights = found.attention.weights.numpy()
    above = ~causal(weights.shape[-1]).numpy()
    for head in range(4):
        picture = drawn[f"head.{head}"]
        assert (picture["mode"], picture["title"]) == (
            "pixels",
            words.HEAD_TITLE.say(language, mark="▸ " if head == 1 else "", head=head + 1),
        )
        assert np.array_equal(levels(picture), levels_of(weights[head], "sequential", 1.0, above))
    assert np.array_equal(numbers(drawn["large"]), weights[1])
    assert np.array_equal(hidden(drawn["large"]), above)
    assert set(drawn["large"]["footer"]) == {"1.00"}
    table = numbers(drawn["numbers"])
    expected = [[getattr(head, meter) for meter in METERS] for head in found.facts.by_head]
    assert np.array_equal(table[:4], expected)
    assert np.allclose(table[4], np.mean(expected, axis=0))
    assert np.array_equal(table[5], [getattr(found.uniform.by_head[0], meter) for meter in METERS])
    assert np.array_equal(numbers(drawn["queries"]), found.facts.by_query[1], equal_nan=True)
    assert not wrong_language(at, language)
    assert not list(dangers(at))


def test_H3_equal_weights_and_the_first_query_are_what_a_hand_works_out(open_page) -> None:
    drawn = drawings(opened(open_page, text="a b c", is_causal=1))
    # Rows 1; ½ ½; ⅓ ⅓ ⅓: entropies 0, ln 2, ln 3; places back 0, ½, 1; on itself 1, ½, ⅓.
    expected = [(np.log(2) + np.log(3)) / 3, 0.5, 0.5, 11 / 18, 11 / 18, 5 / 12]
    assert np.allclose(numbers(drawn["numbers"])[-1], expected)
    assert drawn["numbers"]["row_names"][-1] == words.ALIKE_ROW.en
    first = numbers(drawn["queries"])[0]
    assert first[:5].tolist() == [0, 0, 0, 1, 1]
    assert np.isnan(first[5])
    assert drawn["queries"]["texts"][5] == "–"


@pytest.mark.parametrize("language", LANGUAGES)
def test_H3_sentences_name_the_heads_that_the_table_shows(open_page, language: str) -> None:
    for query in (
        {"h": 2},
        {"h": 6, "is_causal": 1},
        {"seed": 5, "h": 3},
        {"h": 3, "text": "a b", "seed": 9},
    ):
        at = opened(open_page, language, **query)
        table, said = numbers(drawings(at)["numbers"]), "\n".join(told(at))
        n_heads = at.session_state["lesson:heads"]["h"]
        back, own = table[:n_heads, 1], table[:n_heads, 3]
        text = words.FARTHEST if back.max() > 0 else words.AHEAD
        assert text.say(language, **ends(back, "back", language)) in said
        assert (words.MINUS.say(language) in said) == (back.min() < 0)
        fields = ends(own, "most", language) | {"alike": significant(table[-1, 3])}
        assert words.ON_SELF.say(language, **fields) in said
        apart = compare_heads(core_of(at).facts).numpy()
        pairs = apart[np.triu_indices(n_heads, 1)]
        for end in (pairs.max(), pairs.min()):
            assert significant(end) in said
        assert words.RANDOM.say(language, seed=at.session_state["lesson:heads"]["seed"]) in said
        assert words.TRAINED.say(language) in said


def ends(values: np.ndarray, most: str, language: str) -> dict[str, str]:
    first, last = (
        words.HEADS_ONE.say(language, names=str(place + 1)) for place in (values.argmax(), values.argmin())
    )
    return {
        "heads": first,
        most: significant(values.max()),
        "others": last,
        "least": significant(values.min()),
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_H3_heads_are_averaged_only_where_it_is_said(open_page, language: str) -> None:
    at = opened(open_page, language, heads_over="mean", h=3)
    weights, drawn = core_of(at).attention.weights, drawings(at)
    assert np.allclose(numbers(drawn["large"]), weights.mean(dim=0), atol=1e-15)
    assert drawn["large"]["title"] == words.LARGE["mean"].say(language, h=3)
    assert not any(drawn[f"head.{head}"]["title"].startswith("▸") for head in range(3))
    entropy = -(weights.mean(dim=0) * weights.mean(dim=0).log()).sum(dim=-1).mean()
    own = -(weights * weights.log()).sum(dim=-1).mean()
    assert entropy > own
    fields = {"joined": significant(float(entropy)), "own": significant(float(own))}
    assert words.MEAN.say(language, **fields) in told(at)
    assert labels(at).count(words.HEAD.say(language)) == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_H3_the_largest_of_all_heads_shows_row_sums_and_has_no_entropy(open_page, language: str) -> None:
    at = opened(open_page, language, heads_over="max", h=4)
    largest, drawn = core_of(at).attention.weights.amax(dim=0), drawings(at)
    sums = largest.sum(dim=-1).numpy()
    assert sums.min() > 1.01
    assert np.array_equal(numbers(drawn["large"]), largest)
    assert drawn["large"]["footer"] == [significant(total) for total in sums]
    assert np.array_equal(numbers(drawn["queries"])[:, 0], sums)
    assert drawn["queries"]["column_names"] == [words.ROW_SUM.say(language)]
    low, high = significant(sums.min()), significant(sums.max())
    assert words.MAX.say(language, low=low, high=high, h=4) in told(at)


def test_H3_a_picked_head_is_drawn_large_and_stands_in_the_link(open_page, monkeypatch) -> None:
    shown = {}

    def show(key: str, parts: dict) -> None:
        shown.update(parts)
        show_bench(key, parts)

    monkeypatch.setattr(view, "show_bench", show)
    at = opened(open_page, heads_over="max", h=3)
    weights = core_of(at).attention.weights.numpy()
    shown["head.2"][1].hear("pick", {"row": 1, "column": 0})
    at.run()
    assert np.array_equal(numbers(drawings(at)["large"]), weights[2])
    assert {"heads_head=3"} <= set(drawings(at)["address"]["query"].split("&"))
    assert at.session_state["lesson:heads"]["heads_over"] == "each"
    at.slider(key="heads.heads_head").set_value(2).run()
    assert np.array_equal(numbers(drawings(at)["large"]), weights[1])


def test_H3_fewer_heads_than_the_link_names_move_it_and_say_so(open_page) -> None:
    at = opened(open_page, h=3, heads_head=9)
    assert head_words.HEAD_MOVED.say("en", given=9, used=3) in sentences(at)
    assert np.array_equal(numbers(drawings(at)["large"]), core_of(at).attention.weights[2])
    at.slider(key="heads.h").set_value(12).run()
    assert np.array_equal(numbers(drawings(at)["large"]), core_of(at).attention.weights[8])
    assert head_words.HEAD_MOVED.say("en", given=9, used=9) not in sentences(at)


def test_H3_stretched_colours_hold_nearly_all_weights(open_page) -> None:
    for query in ({"h": 4}, {"h": 3, "text": LONG, "is_causal": 1}):
        at = opened(open_page, heads_stretch=1, **query)
        weights, is_causal = core_of(at).attention.weights.numpy(), "is_causal" in query
        above = ~causal(weights.shape[-1]).numpy() if is_causal else np.zeros(weights.shape[1:], dtype=bool)
        reach = np.quantile(weights[:, ~above], 0.98)
        for head, weight in enumerate(weights):
            drawn = drawings(at)[f"head.{head}"]
            assert np.array_equal(levels(drawn), levels_of(weight, "sequential", reach, above))
            assert drawn["ends"][-1] == significant(reach)
        assert words.STRETCHED.say("en", reach=significant(reach), share="98%") in told(at)[0]
    one_hot = see_heads(("a",) * 64, torch.eye(64)[None], None)
    assert view.stretched_reach(one_hot) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_H3_where_nothing_can_be_compared_it_is_said_why(open_page, language: str) -> None:
    cases = (
        ({"text": "a", "h": 3}, words.ONE_TOKEN.say(language)),
        (
            {"text": "a a a", "positions": "none"},
            words.NO_DIFFERENCE.say(language, h=3, far="0", back="0", most="0.333"),
        ),
    )
    for query, expected in cases:
        at = opened(open_page, language, **query)
        assert expected in told(at)
    at = opened(open_page, language, h=1, is_causal=1)
    head, alike = core_of(at).facts.by_head[0], core_of(at).uniform.by_head[0]
    fields = {"back": head.distance_back, "most": head.on_self}
    fields |= {"alike_back": alike.distance_back, "alike_self": alike.on_self}
    said = {name: significant(value) for name, value in fields.items()}
    assert words.ONE_HEAD.say(language, **said) in told(at)
    answer = words.ANSWER_ALIKE.say(
        language, back=said["alike_back"], most=said["alike_self"], mask=words.MASKS[True].say(language)
    )
    assert answer_of(at) == answer


@pytest.mark.parametrize("language", LANGUAGES)
def test_H3_other_seeds_are_run_once_the_answer_is_open(open_page, language: str) -> None:
    at = opened(open_page, language, h=3)
    assert drawings(at)["answer"]["lines"] == []
    at.session_state["is_open:answer:heads"] = True
    at.run()
    first = [
        int(np.argmax([head.distance_back for head in core_of(at, seed=seed).facts.by_head]))
        for seed in range(1, 11)
    ]
    assert len(set(first)) > 1
    counts = [
        words.COUNT.say(
            language, heads=words.HEADS_ONE.say(language, names=str(head + 1)), count=first.count(head)
        )
        for head in sorted(set(first))
    ]
    counted = words.JOIN.say(language).join(counts)
    assert answer_of(at) == words.ANSWER.say(language, first=1, last=10, counts=counted)


@pytest.mark.parametrize("language", LANGUAGES)
def test_H2_heads_that_cannot_be_are_refused_and_the_nearest_offered(open_page, language: str) -> None:
    at = opened(open_page, language, h=5)
    assert "large" not in drawings(at)
    at.button(key="take.h.6").click().run()
    assert drawings(at)["large"]["title"] == words.LARGE["each"].say(language, head=1)
    assert not wrong_language(at, language)


def test_H3_hostile_texts_and_links_open_and_the_message_stays_small(open_page) -> None:
    for query in (
        {"text": "🐱 <b>x</b> $a$ `c` %s \u202e", "h": 4},
        {"text": LONG, "h": 16, "d_model": 64, "is_causal": 1},
        {"text": "w " * 32, "h": 16, "d_model": 64, "heads_over": "mean"},
        {"heads_head": "🐱", "heads_over": "sum", "heads_stretch": "2"},
        {"heads_head": "-9" * 20, "h": 1, "d_model": 1},
    ):
        at = opened(open_page, **query)
        assert drawings(at)["large"]["rows"] == len(core_of(at).tokens)
        assert not list(dangers(at))
        assert [line for line in told(at) if SEVERAL.search(line)] == []
        sent = [element.proto.json for element in at.get("bidi_component")]
        assert max(map(len, sent[1:])) < 400_000
    assert "\u202e" not in "".join(told(at))


def test_H3_weights_from_elsewhere_go_through_the_same_pictures() -> None:
    """Trained weights will come as float32 with a gradient; these are made by hand."""
    stays, back = [[1.0, 0.0, 0.0], [0, 1, 0], [0, 0, 1]], [[1.0, 0, 0], [1, 0, 0], [0, 1, 0]]
    weights = torch.tensor([stays, back, stays], requires_grad=True)
    seen = see_heads(("a", "b", "c"), weights, causal(3))
    parts = head_parts(seen, Enlarged("each", 1), None, "en")
    assert {"head.0", "head.1", "head.2", "large", "numbers", "queries"} == parts.keys()
    assert numbers(parts["large"][1].data).tolist() == back
    assert not parts["head.0"][1].data["is_pickable"]
    said = readings(seen, Enlarged("each", 1), "en")
    assert said[0].startswith(
        "Farthest back: head 2, by 0.667 places on average; least far back: heads 1, 3, by 0."
    )
    assert said[1].startswith("Most on itself: heads 1, 3, with 1.00")
    assert "heads 1 and 2, by 0.667; closest: heads 1 and 3, by 0." in said[2]
    mean = readings(seen, Enlarged("mean", 0), "en")[-1]
    assert words.MEAN.say("en", joined=significant(2 * (np.log(3) - 2 / 3 * np.log(2)) / 3), own="0") == mean
