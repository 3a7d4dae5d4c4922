"""Claims M1 and M2 as they stand on the page: four masks side by side on the same scores."""

import numpy as np
import pytest

from attention_core.batch import draw_batch
from attention_core.experiments.mask_columns import KINDS, compare_masks, compute_column, difference
from dashboard.grid.picture import HIDDEN, PLAIN
from dashboard.number_format import significant
from dashboard.panels.masks import settings
from dashboard.text import LANGUAGES
from dashboard.text import mask_compare as words
from tests.pages.reading import dangers, drawings, hidden, labels, levels, numbers, told, wrong_language

SETTINGS = {"seed": 0, "d_model": 6, "d_k": 4, "d_v": 2, "positions": "sinusoidal"}
LONG, SHORT = ("the", "cat", "saw", "a", "dog"), ("it", "ran")
BATCH = {"text": " ".join(LONG), "more": " ".join(SHORT)}


@pytest.fixture
def opened(look_at):
    standard = {"view": "compare", "compare_stage": "weights", **BATCH}
    return lambda language="en", **query: look_at("masks", lang=language, **(standard | query))


def core(place=1, sentences=(LONG, SHORT)):
    batch = draw_batch(sentences, **SETTINGS)
    one = slice(place, place + 1)
    columns = compare_masks(batch.q[one], batch.k[one], batch.v[one], batch.lengths[one])
    return {column.kind: column for column in columns}


def grids(at):
    found = drawings(at)
    return {kind: found[f"column.{kind}"] for kind in KINDS if f"column.{kind}" in found}


def control(at, key):
    boxes = (*at.toggle, *at.slider, *at.button, *at.text_input, *at.selectbox)
    return next(box for box in boxes if box.key == key)


def title(kind, pairs, all_pairs, mark=""):
    return f"{mark}{words.KINDS[kind].en} · {pairs} of {all_pairs} allowed"


def test_M1_every_column_shows_the_numbers_of_the_core_at_every_step(opened) -> None:
    columns = core()
    for stage in ("allowed", "scaled", "masked", "weights", "out"):
        shown = grids(opened(compare_stage=stage))
        for kind, column in columns.items():
            source = columns["none"].masked if stage == "scaled" else getattr(column, stage)
            assert np.array_equal(numbers(shown[kind]), source[0].double().numpy()), (stage, kind)
            if stage in {"allowed", "masked", "weights"}:
                assert np.array_equal(hidden(shown[kind]), ~column.allowed[0].numpy())
        assert list(shown) == list(KINDS), "the columns stand in this order"


def test_M1_pairs_are_those_counted_by_hand(opened) -> None:
    at = opened(compare_role="decoder")
    # 5 places, 2 of them real: 25; 5·6/2; 5·2; 1+2+2+2+2. Of the two real queries 10, 3, 4, 3.
    by_hand = {"none": 25, "causal": 15, "padding": 10, "causal_padding": 9}
    for kind, pairs in by_hand.items():
        mark = "✓ " if kind == "causal_padding" else ""
        assert grids(at)[kind]["title"] == title(kind, pairs, 25, mark)
    assert drawings(at)["numbers"]["footer"] == ["25 (10)", "15 (3)", "10 (4)", "9 (3)"]
    full = grids(opened(compare_sentence="1", compare_stage="allowed"))
    assert numbers(full["causal"]).sum() == 5 * 6 / 2
    assert numbers(full["none"]).sum() == numbers(full["padding"]).sum() == 25


def test_M1_what_padding_hides_is_said_with_its_weight(opened) -> None:
    weights, padded = core()["none"].weights[0].numpy(), core()["padding"].weights[0].numpy()
    given = weights[:2, 2:].sum(axis=1)
    at = opened()
    (line,) = [text for text in told(at) if "3 here. Without it" in text]
    assert f"{significant(given.mean())} of their weight" in line
    assert f"{significant(given.max())} at most" in line
    assert not padded[:, 2:].any()
    assert line.endswith("with it the average is 0.")
    assert numbers(drawings(at)["numbers"])[0, 2] == pytest.approx(given.mean(), abs=1e-15)
    assert any("has no filler" in text for text in told(opened(compare_sentence="1")))


def test_M2_scores_become_masked_scores_become_triangular_weights_that_sum_to_1(opened) -> None:
    above = np.triu(np.ones((5, 5), dtype=bool), k=1)
    scaled = numbers(grids(opened(compare_sentence="1", compare_stage="scaled"))["causal"])
    masked = numbers(grids(opened(compare_sentence="1", compare_stage="masked"))["causal"])
    at = opened(compare_sentence="1")
    weights = numbers(grids(at)["causal"])
    assert np.isneginf(masked[above]).all()
    assert np.array_equal(masked[~above], scaled[~above])
    expected = np.exp(masked) / np.exp(masked).sum(axis=1, keepdims=True)
    assert np.allclose(weights, expected, rtol=0, atol=1e-12)
    assert not weights[above].any()
    assert grids(at)["causal"]["footer"] == ["1.00"] * 5
    (line,) = [text for text in told(at) if "diagonal=1" in text]
    assert "10 here, and leaves 5·(5+1)/2 = 15" in line
    without = numbers(grids(at)["none"])
    assert significant((without * above).sum(axis=1).mean()) in line
    assert "largest weight above the diagonal is 0:" in line


def test_M1_filler_queries_are_marked_and_left_out_of_the_means(opened) -> None:
    at, columns = opened(), core()
    shown = grids(at)
    assert shown["none"]["row_names"] == ["it", "ran", "<pad>", "<pad>", "<pad>"]
    assert {kind: grid["quiet"] for kind, grid in shown.items()} == {kind: [2, 3, 4] for kind in KINDS}
    assert (levels(shown["none"])[2:] == PLAIN).all()
    assert (levels(shown["none"])[:2] <= 250).all(), "rows that count have their colours"
    assert (levels(shown["padding"])[2:] == [[PLAIN, PLAIN, HIDDEN, HIDDEN, HIDDEN]] * 3).all()
    assert "Rows without colour: the query is filler" in " ".join(told(at))
    weights = columns["none"].weights[0].numpy()
    assert numbers(drawings(at)["numbers"])[0, 1] == pytest.approx(weights[:2].max(axis=1).mean(), abs=1e-15)
    picture = grids(opened(text="w " * 33))["none"]
    assert picture["mode"] != "cells"
    assert not picture["quiet"], "a pixel without colour would have no number"
    (line,) = [text for text in told(at) if "In the last rows" in text]
    assert "3 of them" in line
    assert "still sum to 1.00" in line
    whole = " ".join(told(opened(compare_sentence="1")))
    assert "In the last rows" not in whole
    assert "Rows without colour" not in whole
    assert "give later tokens 0" in whole
    assert "give later tokens, filler among them, 0" in " ".join(told(at))


def test_M1_a_sentence_behind_the_padding_mask_has_the_weights_it_has_alone(opened) -> None:
    padded = numbers(grids(opened())["padding"])[:2, :2]
    alone = numbers(grids(opened(text=" ".join(SHORT), more=""))["none"])
    assert np.allclose(padded, alone, rtol=0, atol=1e-12)
    assert not np.allclose(numbers(grids(opened())["none"])[:2, :2], alone, atol=0.01)


@pytest.mark.parametrize("other", ["none", "padding"])
def test_M1_differences_are_from_the_column_that_the_reader_chose(opened, other: str) -> None:
    columns = core()
    at = opened(compare_stage="difference", compare_with=other)
    table = numbers(drawings(at)["numbers"])
    for place, (kind, column) in enumerate(columns.items()):
        found = difference(columns[other], column)
        assert np.array_equal(numbers(grids(at)[kind]), found.weights[0].numpy())
        assert table[place, 3:].tolist() == [found.largest_weight, found.largest_out]
    assert not numbers(grids(at)[other]).any()
    if other == "padding":
        outputs = numbers(grids(opened(compare_stage="difference_out", compare_with=other))["causal"])
        assert np.array_equal(outputs, (columns["causal"].out - columns[other].out)[0].numpy())


def test_M1_the_largest_difference_is_between_the_columns_shown(opened) -> None:
    columns = core()
    found = difference(columns["none"], columns["padding"])
    at = opened(compare_causal="0", compare_causal_padding="0")
    assert list(grids(at)) == ["none", "padding"]
    (line,) = [text for text in told(at) if "farthest apart" in text]
    for expected in ("“no mask” and “padding”", *map(significant, (found.largest_weight, found.largest_out))):
        assert expected in line
    equal = opened(compare_causal="0", compare_causal_padding="0", compare_sentence="1")
    assert words.ALL_EQUAL.en in told(equal)


def test_M1_cross_attention_hides_the_filler_of_the_source(opened) -> None:
    batch, target = draw_batch((LONG, SHORT), **SETTINGS), draw_batch((("who", "ran", "off"),), **SETTINGS)
    column = compute_column(target.q, batch.k[1:], batch.v[1:], [2], "padding", lengths_of_queries=[3])
    at = opened(compare_role="cross", compare_target="who ran off")
    assert list(grids(at)) == ["none", "padding"]
    shown = grids(at)["padding"]
    assert np.array_equal(numbers(shown), column.weights[0].numpy())
    assert hidden(shown).tolist() == [[False, False, True, True, True]] * 3
    assert (shown["row_names"], shown["column_names"]) == (["who", "ran", "off"], [*SHORT, *["<pad>"] * 3])
    assert shown["title"] == title("padding", 6, 15, "✓ ")
    assert not shown["quiet"], "no query is filler"
    assert any("(queries: 3, keys: 5)" in text for text in told(at))
    assert "compare.compare_causal" not in [box.key for box in at.toggle]


def test_M1_two_queries_on_three_source_tokens_the_last_one_filler(opened) -> None:
    at = opened(text="a b c", more="x y", compare_role="cross", compare_target="u v", compare_stage="allowed")
    assert numbers(grids(at)["padding"]).tolist() == [[1, 1, 0], [1, 1, 0]]
    assert numbers(grids(at)["none"]).tolist() == [[1, 1, 1], [1, 1, 1]]


@pytest.mark.parametrize(("role", "kinds"), [("encoder", KINDS), ("cross", ("none", "padding"))])
def test_M1_the_question_is_answered_by_computing_with_more_filler(opened, role: str, kinds) -> None:
    def outs(filler):
        batch = draw_batch((SHORT, ("x",) * (2 + filler)), **SETTINGS)
        asking = draw_batch((("u", "v"),), **SETTINGS) if role == "cross" else batch
        return {
            kind: compute_column(
                asking.q[:1], batch.k[:1], batch.v[:1], [2], kind, lengths_of_queries=[2]
            ).out[0, :2]
            for kind in kinds
        }

    at = opened(is_touched=True, compare_role=role, compare_target="u v")
    assert not drawings(at)["answer"]["lines"], "folded, it is not measured"
    at.session_state["is_open:answer:compare"] = True
    answer = "".join(piece["text"] for piece in drawings(at.run())["answer"]["lines"][0]["pieces"])
    before, after = outs(3), outs(6)
    change = {kind: float((after[kind] - before[kind]).abs().max()) for kind in kinds}
    assert f"no mask {significant(change['none'])}" in answer
    assert change["none"] > 0.01
    assert change["padding"] < 1e-12
    assert f"padding {significant(change['padding'])}" in answer
    assert "6 tokens of filler instead of 3" in answer


def test_the_last_column_cannot_be_hidden(opened) -> None:
    at = opened(is_touched=True, compare_none="0", compare_causal="0", compare_causal_padding="0")
    assert list(grids(at)) == ["padding"]
    control(at, "masks.compare_padding").set_value(False).run()
    assert list(grids(at)) == ["padding"], "the one that an encoder needs"
    assert any("all switches are off" in box.value for box in at.info)
    control(at, "compare.all").click().run()
    assert list(grids(at)) == list(KINDS)
    assert not at.info


def test_a_sentence_of_the_batch_is_chosen_only_where_there_are_several(opened) -> None:
    at = opened(is_touched=True, more="it ran | go")
    slider = control(at, "masks.compare_sentence")
    assert (slider.min, slider.max, slider.value) == (1, 3, 2)
    slider.set_value(3).run()
    assert grids(at)["none"]["row_names"] == ["go", *["<pad>"] * 4]
    alone = opened(more="")
    assert not [box for box in alone.slider if box.key == "masks.compare_sentence"]
    assert grids(alone)["none"]["row_names"] == list(LONG)
    for more, place in (("it ran", 2), ("it ran | go", 3)):
        at.run()  # a part that ran alone is all that AppTest then knows of the page
        control(at, "masks.more").set_value(more).run()
        assert not at.exception
        assert at.session_state["lesson:masks"]["compare_sentence"] == place
    assert grids(at)["none"]["row_names"] == ["go", *["<pad>"] * 4]


def test_a_sentence_that_is_no_longer_there_is_named_and_comes_back(opened) -> None:
    at = opened(is_touched=True, more="it ran | go", compare_sentence="3")
    for more, place in (("it ran", 2), ("", 1), ("it ran | go", 3)):
        at.run()  # a part that ran alone is all that AppTest then knows of the page
        control(at, "masks.more").set_value(more).run()
        assert at.session_state["lesson:masks"]["compare_sentence"] == place
        moved = words.SENTENCE_MOVED.say("en", given=3, used=place)
        assert (moved in [caption.value for caption in at.caption]) == (place < 3)


HOSTILE = ("😀", "<b>x</b> $1$ `c`", "字" * 64, "\\", "%(n)s")


@pytest.mark.parametrize("language", LANGUAGES)
def test_extremes_and_hostile_sentences_and_links(opened, open_page, language: str) -> None:
    for place, text in enumerate(HOSTILE[:3]):
        more = " | ".join(HOSTILE[place:])
        role = "cross" if place else "encoder"
        at = opened(language, text=text, more=more, compare_role=role, compare_target=text)
        assert len(grids(at)) == (2 if place else 4)
        assert not [*dangers(at), *wrong_language(at, language)]
    bad = {"compare_stage": "x", "compare_sentence": "99", "compare_none": "yes", "compare_with": "<b>"}
    at = opened(language, **bad, compare_role="decode")
    assert list(grids(at)) == list(KINDS)
    assert len(at.warning) == 5
    assert not [*dangers(at), *wrong_language(at, language)]


def test_one_token_and_half_a_character(opened, open_page) -> None:
    one = opened(text="a", more="")
    assert {kind: numbers(grid).tolist() for kind, grid in grids(one).items()} == {
        kind: [[1]] for kind in KINDS
    }
    left = {"view": "compare", "compare_role": "cross", "compare_target": "a\ud800"}
    at = open_page("masks", lang="en", left_here=left)
    assert not at.exception
    assert len(grids(at)) == 2


def test_a_target_that_cannot_be_shown_names_its_rule_and_offers_the_nearest(opened) -> None:
    at = opened("zh", is_touched=True, compare_role="cross", compare_target="x " * 65)
    assert "65" in at.error[0].value
    assert "64" in at.error[0].value
    assert control(at, "masks.compare_target").value == "x " * 65
    assert not grids(at)
    control(at, "begin.compare_target").click().run()
    assert grids(at)["padding"]["sides"] == [64, 5]
    empty = opened(compare_role="cross", compare_target=" ")
    assert empty.info
    assert not grids(empty)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_view_speaks_the_language(opened, language: str) -> None:
    at = opened(language)
    assert {words.KINDS[kind].say(language) for kind in KINDS} <= set(labels(at))
    assert drawings(at)["column.padding"]["title"].startswith(f"✓ {words.KINDS['padding'].say(language)}")


def test_the_sidebar_runs_the_pictures_alone_and_the_page_where_there_are_none(opened, monkeypatch) -> None:
    runs = []
    at = opened(is_touched=True)
    further = settings.further
    monkeypatch.setattr(settings, "further", lambda state: (runs.append(state["d_k"]), further(state)))
    before = numbers(grids(at)["none"])
    control(at, "masks.d_k").set_value(9).run()
    assert runs == [], "the sentences do not depend on d_k"
    assert not np.array_equal(numbers(grids(at)["none"]), before)
    assert not at.exception
    assert drawings(at)["address"]["query"].count("d_k=9") == 1
    at = opened(is_touched=True, text="!")
    control(at, "masks.text").set_value("").run()
    runs.clear()
    control(at, "masks.d_k").set_value(9).run()
    assert (runs, list(at.exception)) == ([9], []), "no sentence, no pictures: the page runs"


def test_M1_masks_that_lie_equally_far_apart_are_all_named_and_outputs_are_those_of_them(opened) -> None:
    """With filler behind, a causal mask hides it too: both causal masks lie equally far from none."""
    (line,) = [text for text in told(opened()) if "farthest apart" in text]
    assert "“no mask” and “causal”; “no mask” and “causal + padding”." in line
    query = {"text": "d e c e", "more": "d c f", "seed": "12", "compare_causal_padding": "0"}
    batch = draw_batch((("d", "e", "c", "e"), ("d", "c", "f")), **SETTINGS | {"seed": 12})
    columns = compare_masks(batch.q[1:], batch.k[1:], batch.v[1:], batch.lengths[1:])
    found = {column.kind: difference(columns[0], column) for column in columns}
    assert found["causal"].largest_weight > found["padding"].largest_weight
    assert found["causal"].largest_out < found["padding"].largest_out, "weights and outputs disagree here"
    (line,) = [text for text in told(opened(**query)) if "farthest apart" in text]
    assert f"their outputs by up to {significant(found['causal'].largest_out)}." in line


def test_one_token_has_no_later_ones_and_a_mask_that_is_off_no_sign(opened) -> None:
    alone = told(opened(text="cat", more=""))
    assert words.CAUSAL_ONE.en in alone
    assert not any("–" in text or "triangular" in text for text in alone)
    assert any("it uses “padding” (✓)." in text for text in alone)
    assert any("it uses “padding”." in text for text in told(opened(compare_padding="0")))
    asked = opened(compare_role="cross", compare_target="x")
    assert any("queries from the target sentence: 1," in text for text in told(asked))
