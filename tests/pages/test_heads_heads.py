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
from dashboard.panels.qkv.explanation import in_parentheses
from dashboard.text import LANGUAGES
from dashboard.text import head_heads as words
from dashboard.text import qkv as qkv_words
from dashboard.text import weights as weight_words
from dashboard.text.heads import HEAD_MOVED
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
        assert len(drawings(at)["said"]["lines"]) == 4, "three or four short sentences beside the pictures"


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


@pytest.fixture
def shown(monkeypatch) -> dict:
    """The parts of the page as Python holds them, so that a test can do what a browser would."""
    parts: dict = {}

    def show(key: str, described: dict) -> None:
        parts.clear()
        parts.update(described)
        show_bench(key, described)

    monkeypatch.setattr(view, "show_bench", show)
    return parts


def arithmetic(at) -> list[str]:
    return ["".join(piece["text"] for piece in line["pieces"]) for line in drawings(at)["weight"]["lines"]]


@pytest.mark.parametrize("language", LANGUAGES)
def test_H3_a_picked_weight_opens_down_to_its_multiplications(open_page, shown, language: str) -> None:
    words_said = {"text": "the dog saw a big cat", "h": 3, "heads_head": 2}
    at = opened(open_page, language, cell="1.1", is_causal=1, **words_said)
    shown["large"][1].hear("pick", {"row": 4, "column": 2})
    at.run()
    found = core_of(at)
    q, k = found.x @ found.w_q[1], found.x @ found.w_k[1]
    score = float(q[4] @ k[2])
    said = arithmetic(at)
    assert "cell=5.3" in drawings(at)["address"]["query"].split("&")
    assert all(name in said[0] for name in ("5 big", "3 saw", words.HEAD_NAME.say(language, head=2)))
    assert said[4].startswith("scores[5, 3]=")
    assert said[4].endswith(f"= {significant(score)}")
    factors = [piece for piece in drawings(at)["weight"]["lines"][4]["pieces"] if "cell" in piece]
    expected = [(f"q[5, {j}]", f"k[3, {j}]") for j in range(1, 5)]
    assert [piece["cell"] for piece in factors] == [name for pair in expected for name in pair]
    scaled = f"{in_parentheses(score)}/ 2.00= {significant(score / 2)}"
    assert said[3] == f"scaled[5, 3]={scaled}"
    weight = float(found.attention.weights[1, 4, 2])
    assert said[2].startswith("weights[5, 3]=exp(")
    assert said[2].endswith(f"= {significant(weight)}")
    assert drawings(at)["large"]["picked"] == 4 * 6 + 2
    assert all(drawings(at)[f"head.{head}"]["marked"] == [4 * 6 + 2] for head in range(3))
    everywhere = [significant(float(number)) for number in found.attention.weights[:, 4, 2]]
    assert [piece["text"] for piece in drawings(at)["weight"]["lines"][1]["pieces"][1:]] == everywhere
    assert not wrong_language(at, language)


def test_H3_a_factor_of_a_score_opens_its_products_and_a_number_of_another_head_goes_there(
    open_page, shown
) -> None:
    at = opened(open_page, h=3, cell="2.6")
    k_place = next(
        place
        for place, piece in enumerate(drawings(at)["weight"]["lines"][4]["pieces"])
        if piece.get("cell") == "k[6, 1]"
    )
    shown["weight"][1].hear("pick", [4, k_place])
    at.run()
    found = core_of(at)
    said = arithmetic(at)
    assert said[5].startswith("k[6, 1]=")
    assert said[5].endswith(f"= {significant(float(found.x[5] @ found.w_k[0, :, 0]))}")
    assert said[5].count("×") == 12
    shown["weight"][1].hear("pick", [1, 3])
    at.run()
    assert at.session_state["lesson:heads"]["heads_head"] == 3
    assert "head 3" in arithmetic(at)[0]
    shown["softmax"][1].hear("unfold", True)
    at.run()
    terms = drawings(at)["softmax"]["lines"]
    assert len(terms) == 6
    total = sum(float(piece["text"].split("= ")[-1]) for line in terms for piece in line["pieces"][-1:])
    assert total == pytest.approx(1, abs=0.01)
    shown["softmax"][1].hear("pick", [3, 2])
    at.run()
    assert at.session_state["lesson:heads"]["cell"] == (1, 3)


def test_H3_a_weight_of_all_heads_as_one_opens_to_those_of_the_heads(open_page, shown) -> None:
    for over, sign in (("mean", "sum ÷ 3 ="), ("max", "the largest:")):
        at = opened(open_page, h=3, heads_over=over, cell="3.2")
        weights = core_of(at).attention.weights[:, 2, 1]
        joined = weights.mean() if over == "mean" else weights.max()
        *_, last = drawings(at)["weight"]["lines"]
        texts = [piece["text"] for piece in last["pieces"]]
        numbers_said = [significant(float(number)) for number in weights]
        assert texts[1:] == [*numbers_said, sign, significant(float(joined))]
        assert "softmax" not in drawings(at)
        shown["weight"][1].hear("pick", [len(drawings(at)["weight"]["lines"]) - 1, 2])
        at.run()
        state = at.session_state["lesson:heads"]
        assert (state["heads_over"], state["heads_head"]) == ("each", 2)


@pytest.mark.parametrize("language", LANGUAGES)
def test_H3_a_hidden_weight_says_the_mask_and_a_pair_that_is_not_there_moves(
    open_page, language: str
) -> None:
    hidden_said = weight_words.HIDDEN.say(language)
    assert hidden_said in arithmetic(opened(open_page, language, cell="1.3", is_causal=1))
    assert hidden_said not in arithmetic(opened(open_page, language, cell="1.3"))
    at = opened(open_page, language, text="a b", cell="5.9")
    moved = qkv_words.CELL_MOVED.say(language, row=5, column=9)
    assert arithmetic(at)[1] == moved
    assert drawings(at)["large"]["picked"] == 3
    assert moved not in arithmetic(opened(open_page, language, text="a b", cell="2.2"))
    assert "picked" in drawings(opened(open_page, language, text="a"))["large"]


def test_H3_fewer_heads_than_the_link_names_move_it_and_say_so(open_page) -> None:
    at = opened(open_page, h=3, heads_head=9)
    assert HEAD_MOVED.say("en", given=9, used=3) in sentences(at)
    assert np.array_equal(numbers(drawings(at)["large"]), core_of(at).attention.weights[2])
    at.slider(key="heads.h").set_value(12).run()
    assert np.array_equal(numbers(drawings(at)["large"]), core_of(at).attention.weights[8])
    assert HEAD_MOVED.say("en", given=9, used=9) not in sentences(at)


@pytest.mark.parametrize(
    ("view", "heads"), [("heads", "h"), ("growth", "h"), ("dropout", "h"), ("projections", "projections_h")]
)
def test_a_head_that_is_not_there_is_named_in_every_view_and_comes_back(
    open_page, view: str, heads: str
) -> None:
    chosen = f"{view}_head"
    at = open_page("heads", lang="en", view=view, **{heads: "1", chosen: "5"})
    for n_heads, head in ((1, 1), (3, 3), (6, 5)):
        if n_heads > 1:
            at.run()  # a part that ran alone is all that AppTest then knows of the page
            at.slider(key=f"heads.{heads}").set_value(n_heads).run()
        assert not at.exception
        assert at.session_state["lesson:heads"][chosen] == head
        moved = HEAD_MOVED.say("en", given=5, used=head)
        assert (moved in [*sentences(at), *told(at)]) == (head < 5), n_heads


def test_H3_stretched_colours_hold_nearly_all_weights(open_page) -> None:
    for query in ({"h": 4}, {"h": 3, "text": LONG, "is_causal": 1}):
        at = opened(open_page, heads_stretch=1, **query)
        weights, is_causal = core_of(at).attention.weights.numpy(), "is_causal" in query
        above = ~causal(weights.shape[-1]).numpy() if is_causal else np.zeros(weights.shape[1:], dtype=bool)
        seen = np.sort(weights[:, ~above].ravel())
        reach = next(weight for weight in seen if np.mean(seen <= weight) >= 0.98)
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
def test_H3_where_all_heads_look_back_alike_none_is_called_the_farthest(open_page, language: str) -> None:
    # Read backwards the sentence is the same: whatever a head gives ahead it gives back, up to rounding.
    at = opened(open_page, language, text="a b b a", positions="none", h=2, d_model=2, seed=7)
    assert np.array_equal(numbers(drawings(at)["numbers"])[:2, 1], [0, 0])
    assert words.SAME_BACK.say(language, h=2, back="0") in "\n".join(told(at))
    assert words.MINUS.say(language) not in "".join(told(at))
    at.session_state["is_open:answer:heads"] = True
    at.run()
    assert words.COUNT.say(language, heads=words.NO_HEAD.say(language), count=10) in answer_of(at)


def test_H3_heads_that_do_not_differ_in_something_are_said_to_be_alike_in_it() -> None:
    rows = torch.eye(4)
    weights = torch.stack([rows.roll(turn, dims=1) for turn in (1, 2, 3)])
    said = "\n".join(readings(see_heads(tuple("abcd"), weights, None), Enlarged("each", 0), "en"))
    assert words.SAME_SELF.say("en", h=3, most="0", alike="0.250") in said
    assert words.SAME_APART.say("en", far="1.00") in said


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "query", [{}, {"is_causal": 1}, {"h": 4, "is_causal": 1, "seed": 3}, {"h": 2, "text": "a b", "seed": 4}]
)
def test_H3_heads_are_named_by_place_where_the_table_bears_it_out(
    open_page, language: str, query: dict
) -> None:
    at = opened(open_page, language, **query)
    table, said = numbers(drawings(at)["numbers"]), "\n".join(told(at))
    n_heads = at.session_state["lesson:heads"]["h"]
    columns = {"on_self": 3, "on_first": 4, "on_previous": 5}
    named = []
    for head in range(n_heads):
        shares = {place: table[head, column] for place, column in columns.items()}
        place = max(
            columns,
            key=lambda place: shares[place] * (shares[place] > max(0.5, table[-1, columns[place]])),
        )
        if shares[place] > max(0.5, table[-1, columns[place]]):
            fields = {"place": words.PLACES[place].say(language), "share": significant(shares[place])}
            named.append(words.NAMED.say(language, head=head + 1, **fields))
    rest, names = n_heads - len(named), words.SEMICOLON.say(language).join(named)
    text = words.NAMES[rest > 0] if named else words.NO_NAMES
    assert text.say(language, names=names, rest=rest, h=n_heads) in said


def test_H3_what_trained_heads_were_found_to_follow_and_where_the_likeness_to_filters_ends() -> None:
    found = {
        "zh": ("动词找主语", "代词", "相近或相反", "前一个词", "括号", "说不出", "卷积", "现算"),
        "en": (
            "verb to its subject",
            "pronoun",
            "like or opposite",
            "word just before",
            "bracket",
            "nobody can say",
            "convolution",
            "computes its weights",
        ),
    }
    for language in LANGUAGES:
        said = words.TRAINED.say(language) + words.FILTERS.say(language)
        assert [piece for piece in found[language] if piece not in said] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_H3_other_seeds_are_run_once_the_answer_is_open(open_page, language: str) -> None:
    at = opened(open_page, language, h=3)
    assert drawings(at)["answer"]["lines"] == []
    at.session_state["is_open:answer:heads"] = True
    at.run()
    first = []
    for seed in range(1, 11):
        back = [head.distance_back for head in core_of(at, seed=seed).facts.by_head]
        first.append(int(np.argmax(back)) if max(back) > 0 else -1)
    assert {-1, 0, 1} < set(first), "no head looks back, or one or another does"
    named = {head: words.HEADS_ONE.say(language, names=str(head + 1)) for head in set(first)}
    named[-1] = words.NO_HEAD.say(language)
    assert 1 in {first.count(head) for head in set(first)}, "one of them once"
    counts = [
        (words.COUNT if first.count(head) > 1 else words.COUNT_ONE).say(
            language, heads=named[head], count=first.count(head)
        )
        for head in sorted(set(first))
    ]
    counted = words.SEMICOLON.say(language).join(counts)
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
    assert said[0].startswith("Farthest back on average: head 2, by 0.667 places; least: heads 1, 3, by 0.")
    assert "Most on itself: heads 1, 3, with 1.00" in said[0]
    assert said[1] == words.APART.say("en", far_pair="1 and 2", far="0.667", near_pair="1 and 3", near="0")
    mean = readings(seen, Enlarged("mean", 0), "en")[-1]
    assert words.MEAN.say("en", joined=significant(2 * (np.log(3) - 2 / 3 * np.log(2)) / 3), own="0") == mean
