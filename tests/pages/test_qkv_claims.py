"""The claims P1 to P8 and the examples E1 to E3 as they stand on the page, against the core and the notes."""

import numpy as np
import pytest

from attention_core.experiments.equivariance import measure_equivariance, shuffle
from attention_core.experiments.reuse import compare_traces, compare_with_simplified, distances_by_layer
from attention_core.single_head import own_sentence, trace_from_qkv, trace_single_head
from attention_core.tokens import tokenize
from dashboard.number_format import significant
from dashboard.text import LANGUAGES
from dashboard.text import qkv as words
from tests.pages.reading import drawings, hidden, numbers, sentences, table_rows, wrong_language

TEXT = "the cat saw the dog"
SIZES = {"seed": 3, "d_model": 5, "d_k": 3, "d_v": 2, "positions": "sinusoidal"}
STAGES = ("embedding", "position", "x", "q", "k", "v", "scores", "scaled", "weights", "out", "projected")


def query_of(**changed: object) -> dict[str, str]:
    return {"lang": "en", "text": TEXT} | {name: str(value) for name, value in (SIZES | changed).items()}


def core(text: str = TEXT, *, is_causal: bool = False, **changed: object):
    return trace_single_head(own_sentence(tokenize(text), **(SIZES | changed)), is_causal=is_causal)


def shown(at, key: str = "result") -> np.ndarray:
    return numbers(drawings(at)[key])


def pieces(drawing: dict) -> str:
    return " ".join(piece["text"] for line in drawing["lines"] for piece in line["pieces"])


# P1 to P4: the pipeline


def test_p1_words_become_rows_of_e_plus_positions_which_is_x(open_page) -> None:
    stages = {stage: open_page("qkv", **query_of(stage=stage)) for stage in ("embedding", "position", "x")}
    matrices = {stage: shown(at) for stage, at in stages.items()}
    given = own_sentence(tokenize(TEXT), **SIZES)
    for stage in ("embedding", "position"):
        assert np.array_equal(matrices[stage], given[stage].numpy())
    assert np.array_equal(matrices["embedding"][0], matrices["embedding"][3]), "the same word, the same row"
    assert np.array_equal(matrices["x"], matrices["embedding"] + matrices["position"])
    assert drawings(stages["x"])["result"]["row_names"] == list(tokenize(TEXT))
    table = shown(stages["embedding"], "input.table")
    assert np.array_equal(table[[0, 1, 2, 0, 3]], matrices["embedding"]), (
        "ids count words by first appearance"
    )


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("stage", [*STAGES, "masked"])
def test_p2_every_stage_shows_the_cores_numbers_and_its_shape(open_page, stage: str, causal: bool) -> None:
    if stage == "masked" and not causal:
        return
    drawn = drawings(open_page("qkv", **query_of(stage=stage, causal=int(causal))))
    expected = getattr(core(is_causal=causal), stage).numpy()
    assert np.array_equal(numbers(drawn["result"]), expected)
    shapes = {one["id"]: one["shape"] for one in drawn["strip"]["stages"]}
    assert shapes[stage] == f"{expected.shape[0]} × {expected.shape[1]}"
    assert shapes["projected"] == shapes["x"], "the output has X's shape"
    assert ("masked" in shapes) == causal
    for name, drawing in drawn.items():
        if name.startswith("input.") and name != "input.table":
            assert np.array_equal(numbers(drawing), getattr(core(is_causal=causal), name[6:]).numpy())


@pytest.mark.parametrize("language", LANGUAGES)
def test_p2_a_picked_cell_opens_its_arithmetic_down_to_the_inputs(open_page, language: str) -> None:
    query = query_of(stage="out", cell="2.1") | {"lang": language}
    assert drawings(open_page("qkv", **query))["steps"]["lines"] == [], "what is folded away is not sent"
    drawn = drawings(open_page("qkv", left_here={"open.steps": True}, **query))
    trace = core()
    line = pieces(drawn["cell"])
    for m in range(5):
        for value in (trace.weights[1, m], trace.v[m, 0]):
            assert significant(float(value)).lstrip("−") in line
    assert significant(float(trace.out[1, 0])) in line
    named = {p["cell"] for at in drawn["steps"]["lines"] for p in at["pieces"] if "cell" in p}
    assert {name.split("[")[0] for name in named} >= {"out", "weights", "scaled", "scores", "q", "x"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("causal", [False, True])
def test_p3_one_query_meets_every_key_and_mixes_the_values(open_page, language: str, causal: bool) -> None:
    at = open_page("qkv", **query_of(view="query", query=3, causal=int(causal)) | {"lang": language})
    trace = core(is_causal=causal)
    terms = shown(at, "grid.terms").T
    q, k = trace.q[2], trace.k
    exponentials = (trace.masked[2] - trace.masked[2].max()).exp()
    cosines = (k @ q) / (k.norm(dim=1) * q.norm())
    masked = [trace.masked[2]] if causal else []
    expected = [
        *(k.norm(dim=1), cosines, trace.scores[2], trace.scaled[2]),
        *(*masked, exponentials, trace.weights[2]),
    ]
    for column, values in zip(terms, expected, strict=True):
        assert np.allclose(column, values.numpy(), rtol=0, atol=1e-12)
    contributions = shown(at, "grid.mix")
    assert np.allclose(contributions, (trace.weights[2][:, None] * trace.v).numpy(), atol=1e-15)
    assert np.allclose(contributions.sum(axis=0), shown(at, "grid.mixed")[0], atol=1e-12)
    assert len(at.get("vega_lite_chart")) == 2


def test_p3_the_score_grows_with_length_at_the_same_alignment(open_page) -> None:
    short = shown(open_page("qkv", lang="en", source="e1", stage="scores", edit_e1="k.1.1_1"))
    long = shown(open_page("qkv", lang="en", source="e1", stage="scores", edit_e1="k.1.1_3"))
    assert (short[0, 0], long[0, 0]) == (1.0, 3.0)


@pytest.mark.parametrize("causal", [False, True])
def test_p4_each_row_of_weights_sums_to_one_and_says_so(open_page, causal: bool) -> None:
    drawing = drawings(open_page("qkv", **query_of(stage="weights", causal=int(causal))))["result"]
    assert np.allclose(numbers(drawing).sum(axis=1), 1, atol=1e-12)
    assert drawing["footer"] == ["1.00"] * 5


# P5 to P8: the other views


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("causal", [False, True])
def test_p5_a_changed_query_moves_its_own_row_of_attention_and_all_later_states(
    open_page, language: str, causal: bool
) -> None:
    at = open_page("qkv", **query_of(view="loops", query=3, causal=int(causal)) | {"lang": language})
    attention, rnn = shown(at, "grid.reach").T
    assert np.flatnonzero(attention).tolist() == [2]
    assert np.flatnonzero(rnn).tolist() == [2, 3, 4]
    trace = core(is_causal=causal)
    q = trace.q.clone()
    q[2] += 1
    moved = trace_from_qkv(q, trace.k, trace.v, is_causal=causal).out - trace.out
    assert attention[2] == pytest.approx(float(moved.abs().max()), abs=1e-12)
    rows = 3 if causal else 5
    assert words.ANSWER_INPUT.say(language, rows=rows) in sentences(at)


@pytest.mark.parametrize("language", LANGUAGES)
def test_p5_loop_matmul_and_einsum_are_equal_and_timed(open_page, language: str) -> None:
    at = open_page("qkv", lang=language, view="loops")
    at.button(key="measure.forms").click().run()
    at.run()
    assert not at.exception
    said = "\n".join(sentences(at))
    assert any(verdict.say(language) in said for verdict in words.VERDICTS.values())
    assert len(at.get("vega_lite_chart")) == 1


@pytest.mark.parametrize(
    ("positions", "causal", "is_equal"),
    [("none", False, True), ("none", True, False), ("sinusoidal", False, False), ("learned", True, False)],
)
def test_p6_shuffling_only_permutes_until_positions_or_the_mask_are_on(
    open_page, positions: str, causal: bool, is_equal: bool
) -> None:
    query = query_of(view="shuffle", order=4, positions=positions, causal=int(causal))
    for language in LANGUAGES:
        at = open_page("qkv", **query | {"lang": language})
        order = list(shuffle(5, 4))
        tokens = tokenize(TEXT)
        moved = core(is_causal=causal, positions=positions).weights[order][:, order].numpy()
        again = core(" ".join(tokens[place] for place in order), is_causal=causal, positions=positions)
        assert np.array_equal(shown(at, "grid.shuffle.0"), moved)
        assert np.array_equal(shown(at, "grid.shuffle.1"), again.weights.numpy())
        assert (np.abs(shown(at, "grid.shuffle.2")).max() < 1e-12) == is_equal
        verdict = words.SHUFFLE_VERDICT_SAME if is_equal else words.SHUFFLE_VERDICT_OTHER
        said = verdict.say(
            language,
            positions=words.POSITION_NAMES[positions].say(language),
            causal=(words.ON if causal else words.OFF).say(language),
            weights=significant(float(np.abs(again.weights.numpy() - moved).max())),
            output="%OUTPUT%",
        ).split("%OUTPUT%")[0]
        assert any(sentence.startswith(said) for sentence in sentences(at))
        for place in range(3):
            assert hidden(drawings(at)[f"grid.shuffle.{place}"]).any() == causal


def test_p6_an_edited_x_moves_with_its_word_and_the_verdict_agrees_with_the_table(open_page) -> None:
    query = query_of(view="shuffle", order=4, positions="none", edit_own="x.1.1_5~w_q.1.1_9")
    at = open_page("qkv", **query)
    assert np.abs(shown(at, "grid.shuffle.2")).max() < 1e-12
    assert shown(at, "grid.settings")[0].max() < 1e-12
    assert any("only moves rows and columns" in said for said in sentences(at))
    plain = open_page("qkv", **query | {"edit_own": ""})
    assert not np.allclose(shown(at, "grid.settings")[1:], shown(plain, "grid.settings")[1:])


@pytest.mark.parametrize("language", LANGUAGES)
def test_p7_two_sentences_share_w_and_differ_in_a(open_page, language: str) -> None:
    at = open_page("qkv", **query_of(view="sentences", text2="a dog ran") | {"lang": language})
    assert np.array_equal(shown(at, "grid.sentence.0"), core().weights.numpy())
    assert np.array_equal(shown(at, "grid.sentence.1"), core("a dog ran").weights.numpy())
    assert words.SAME_W.say(language, w="0") in sentences(at)


def test_p7_the_w_that_both_share_can_be_looked_at_and_has_no_cell_that_does_nothing(open_page) -> None:
    at = open_page("qkv", **query_of(view="sentences", text2="a dog ran"))
    at.button(key="open.shared_w").click().run()
    drawn = drawings(at)
    for name in ("w_q", "w_k", "w_v", "w_o"):
        assert np.array_equal(numbers(drawn[name]), getattr(core(), name).numpy())
        assert (drawn[name]["is_pickable"], drawn[name]["is_editable"]) == (False, False)


def test_a_pick_waits_for_a_second_click_only_where_that_would_edit_a_cell_of_another_stage(
    open_page,
) -> None:
    waits = {}
    for stage in ("weights", "q"):
        drawn = drawings(open_page("qkv", **query_of(stage=stage)))
        waits |= {name: drawing["leads_away"] for name, drawing in drawn.items() if "leads_away" in drawing}
        assert not waits.pop("result")
    assert waits == {"input.scaled": False, "input.x": True, "input.w_q": False}


@pytest.mark.parametrize("positions", ["none", "learned"])
def test_p8_the_same_word_is_bare_alike_and_dressed_differently(open_page, positions: str) -> None:
    second = "a dog ran"
    at = open_page("qkv", **query_of(view="sentences", text2=second, positions=positions))
    one, other = core(positions=positions), core(second, positions=positions)
    (word,) = compare_traces(one, other, tokenize(TEXT), tokenize(second)).shared_words
    assert word.bare_distance == 0 < word.dressed_distance
    assert (word.input_distance == 0) == (positions == "none")
    distances = (word.bare_distance, word.input_distance, word.dressed_distance)
    assert shown(at, "grid.shared")[0].tolist()[-3:] == list(distances)
    layers = distances_by_layer(one, other, 4, 1, seed=SIZES["seed"])
    said = words.LAYERS_DISTANCE.say("en", token="`dog`", distances=" → ".join(map(significant, layers)))
    assert said in sentences(at)


def test_attention_without_w_is_symmetric_before_softmax_and_with_w_it_is_not(open_page) -> None:
    at = open_page("qkv", **query_of(view="plain"))
    pair = compare_with_simplified(own_sentence(tokenize(TEXT), **SIZES))
    plain, trained = shown(at, "grid.plain.simplified.scores"), shown(at, "grid.plain.trainable.scores")
    assert np.allclose(plain, pair.simplified.scores.numpy(), atol=1e-12)
    assert np.allclose(plain, plain.T, atol=1e-12)
    assert not np.allclose(trained, trained.T, atol=1e-3)


@pytest.mark.parametrize("language", LANGUAGES)
def test_p8_a_word_that_sees_the_same_in_both_sentences_is_said_to_stay_alike(
    open_page, language: str
) -> None:
    query = query_of(view="sentences", text2="the bird", causal=1) | {"lang": language}
    ending = getattr(words.DRESSED_ALIKE, language).rsplit("%(dressed)s", 1)[1]
    assert any(said.endswith(ending) for said in sentences(open_page("qkv", **query)))
    assert not any(said.endswith(ending) for said in sentences(open_page("qkv", **query | {"causal": "0"})))


@pytest.mark.parametrize("language", LANGUAGES)
def test_p4_the_question_about_the_ratio_of_two_weights_is_answered_from_the_row(open_page, language) -> None:
    drawn = drawings(open_page("qkv", **query_of(stage="out", cell="5.1") | {"lang": language}))
    trace = core()
    weights = trace.weights[4]
    ends = [int(weights.argmax()), int(weights.argmin())]
    high, low = trace.scaled[4][ends].tolist()
    ratio = significant(float(weights.max() / weights.min()))
    assert significant(float(np.exp(high - low))) == ratio
    places = [f"{place + 1} {tokenize(TEXT)[place]}" for place in ends]
    asked, said = pieces(drawn["question"]), pieces(drawn["answer"])
    assert all(text in asked for text in ("5 dog", *places, ratio))
    assert all(text in said for text in (*map(significant, (high, low, high - low)), ratio))


def test_p4_where_all_weights_are_equal_there_is_no_ratio_to_ask_about(open_page) -> None:
    drawn = drawings(open_page("qkv", **query_of(cell="1.1", causal=1)))
    assert "question" not in drawn
    assert "question" in drawings(open_page("qkv", **query_of(cell="2.1", causal=1)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_p6_p7_p8_the_questions_are_answered_by_the_core(open_page, language: str) -> None:
    asked = {"lang": language, "text2": "a dog ran"}
    tokens = tokenize(TEXT)
    given = own_sentence(tokens, **SIZES)
    w = {name: given[name] for name in ("w_q", "w_k", "w_v", "w_o")}
    (masked,) = (
        record
        for record in measure_equivariance(given["embedding"], w, shuffle(5, 4), seed=SIZES["seed"])
        if record.positions == "none" and record.is_causal
    )
    answer = words.ANSWER_MASK.say(language, n=5, difference=significant(masked.weights_difference))
    assert answer in sentences(open_page("qkv", **query_of(view="shuffle", order=4) | asked))
    pair = compare_with_simplified(own_sentence(tokens, **SIZES))
    own = {
        name: sum(int(row.argmax()) == n for n, row in enumerate(trace.weights))
        for name, trace in (("plain", pair.simplified), ("trainable", pair.trainable))
    }
    assert words.ANSWER_SELF.say(language, **own) in sentences(
        open_page("qkv", **query_of(view="plain") | asked)
    )
    one, other = core(positions="none"), core("a dog ran", positions="none")
    (word,) = compare_traces(one, other, tokens, tokenize("a dog ran")).shared_words
    answer = words.ANSWER_POSITIONS.say(
        language, bare="0", input="0", dressed=significant(word.dressed_distance)
    )
    assert answer in sentences(open_page("qkv", **query_of(view="sentences") | asked))


# E1 to E3: the numbers of the notes


def example(open_page, source: str, stage: str, **query: str) -> np.ndarray:
    shown_in = [
        shown(open_page("qkv", lang=language, source=source, stage=stage, **query)) for language in LANGUAGES
    ]
    assert np.array_equal(*shown_in)
    return shown_in[0]


E1 = {
    "scores": [[1, 0, 1], None, None],
    "scaled": [[0.707, 0, 0.707], None, None],
    "weights": [[0.401, 0.198, 0.401], None, [0.248, 0.248, 0.504]],
    "out": [[0.602, 0.398], [0.398, 0.602], [0.5, 0.5]],
}
E1_CAUSAL = {
    "weights": [[1, 0, 0], [0.330, 0.670, 0], None],
    "out": [None, [0.330, 0.670], None],
}
E2 = {
    "q": [[0.14, 0.69], [0.71, -0.22], [0.26, -0.26]],
    "k": [[-0.45, 0.85], [0.09, -0.48], [0.76, -0.21]],
    "v": [[0.99, -0.28], [-0.20, -0.47], [-0.43, 0.57]],
    "scores": [[0.5235, -0.3186, -0.0385], None, None],
    "weights": [[0.4498, 0.2480, 0.3023], None, None],
    "out": [[0.2657, -0.0702], None, None],
}
E3 = {"weights": [[0.786, 0.039, 0.175]], "out": [[0.055, 0.223]]}


@pytest.mark.parametrize(
    ("source", "query", "printed"),
    [("e1", {}, E1), ("e1", {"causal": "1"}, E1_CAUSAL), ("e2", {}, E2), ("e3", {}, E3)],
    ids=["E1", "E1 causal", "E2", "E3"],
)
def test_the_presets_give_the_right_numbers_of_the_notes(open_page, source, query, printed) -> None:
    decimals = {"e1": 3, "e2": 2, "e3": 3}[source]
    for stage, rows in printed.items():
        places = 4 if source == "e2" and stage not in "qkv" else decimals
        values = example(open_page, source, stage, **query)
        for row, expected in zip(values, rows, strict=True):
            if expected is not None:
                # The notes bend one digit of row C (.504) so that the rounded row adds up to 1.
                unit = 0.52 if (source, stage) == ("e1", "weights") else 0.5
                assert np.abs(row - expected).max() <= unit * 10**-places + 1e-9, stage


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_textbook_view_marks_the_wrong_numbers_and_only_those(open_page, language: str) -> None:
    at = open_page("qkv", lang=language, view="textbook")
    tables = [rows for text in at.markdown if len(rows := table_rows(text.value)) > 4]
    assert len(tables) == 3
    slip, carried = (words.TEXTBOOK_VERDICTS[kind].say(language) for kind in ("slip", "carried"))
    wrong = [{row[0]: row[1:] for row in rows[1:] if row[1] in (slip, carried)} for rows in tables]
    assert wrong[0] == {}
    q_wrong = {cell for cell in wrong[1] if "q[" in cell}
    assert q_wrong == {f"`q[{row}, {column}]`" for row in (2, 3) for column in (1, 2)}, "only Q1 is right"
    assert wrong[2]["`weights[1, 1]`"][1:3] == ["0.70", "0.786"]
    assert wrong[2]["`out[1, 1]`"][0] == carried


# Edits


def edited(open_page, language: str = "en", typed: str = "2.5", **query: str):
    at = open_page("qkv", **query_of(stage="w_q", cell="1.2") | query | {"lang": language})
    at.text_input(key="edit.w_q.0.1").set_value(typed).run()
    return at.run()


@pytest.mark.parametrize(("typed", "value"), [("2.5", 2.5), (" −1e1 ", -10.0), ("0", 0.0)])
def test_an_edit_changes_every_later_stage(open_page, typed: str, value: float) -> None:
    at = edited(open_page, typed=typed)
    assert not at.exception
    assert not at.error
    given = own_sentence(tokenize(TEXT), **SIZES)
    given["w_q"] = given["w_q"].clone()
    given["w_q"][0, 1] = value
    expected = trace_single_head(given)
    for stage in ("q", "scores", "scaled", "weights", "out", "projected"):
        at.session_state["lesson:qkv"]["stage"] = stage
        at.run()
        assert np.array_equal(shown(at), getattr(expected, stage).numpy())
        assert not np.array_equal(shown(at), getattr(core(), stage).numpy())
    at.session_state["lesson:qkv"]["stage"] = "k"
    assert np.array_equal(shown(at.run()), core().k.numpy())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("typed", ["abc", "", "nan", "1e7", "<img src=x onerror=alert(1)>", "$5 and $6", "٣"])
def test_what_is_no_number_is_refused_in_place_and_kept(open_page, language: str, typed: str) -> None:
    at = edited(open_page, language, typed)
    assert not at.exception
    assert len(at.error) == 1
    assert wrong_language(at, language) == []
    assert at.text_input(key="edit.w_q.0.1").value == typed
    assert drawings(at)["input.w_q"]["refused"] is not None
    assert np.array_equal(shown(at), core().q.numpy())
    at.text_input(key="edit.w_q.0.1").set_value("1").run()
    at.run()
    assert not at.error
    assert drawings(at)["input.w_q"]["refused"] is None


def test_a_refused_number_stays_with_its_own_source(open_page) -> None:
    at = edited(open_page, typed="abc")
    at.selectbox(key="qkv.source").select("e2").run()
    assert not at.exception
    assert not at.error
    assert drawings(at)["input.w_q"]["refused"] is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_too_many_edits_are_refused_and_those_before_stay(open_page, language: str) -> None:
    cells = [f"x.{row}.{column}_1" for row in range(1, 65) for column in range(1, 65)]
    many = "~".join(cells)[:2040].rsplit("~", 1)[0]
    at = edited(open_page, language, "0.123456789", edit_own=many)
    assert not at.exception
    assert not at.warning
    assert words.TOO_MANY_EDITS.say(language, given="", cell="`W^Q[1, 2]`", value="")[:6] in at.error[0].value
    assert wrong_language(at, language) == []
    assert len(at.session_state["lesson:qkv"]["edit_own"]) == len(many.split("~"))
    assert at.text_input(key="edit.w_q.0.1").value == "0.123456789"


@pytest.mark.parametrize("key", ["restore.cell", "restore.all"])
def test_a_restored_cell_has_its_first_number_again(open_page, key: str) -> None:
    at = edited(open_page)
    assert drawings(at)["input.w_q"]["edited"] == [1]
    at.button(key=key).click().run()
    at.run()
    assert np.array_equal(shown(at), core().q.numpy())
    assert drawings(at)["input.w_q"]["edited"] == []
    assert at.session_state["lesson:qkv"]["edit_own"] == {}


def test_restoring_one_cell_leaves_the_others(open_page) -> None:
    at = edited(open_page, edit_own="w_q.1.2_9~w_k.1.1_3")
    at.button(key="restore.cell").click().run()
    assert at.session_state["lesson:qkv"]["edit_own"] == {("w_k", 0, 0): 3.0}


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_edit_outside_the_matrix_is_told_and_counts_again_when_it_fits(open_page, language: str) -> None:
    at = open_page("qkv", **query_of(stage="w_q", edit_own="w_q.1.9_2") | {"lang": language})
    assert not at.exception
    assert words.DORMANT.say(language, n=1) in [caption.value for caption in at.caption]
    assert np.array_equal(shown(at), core().q.numpy())
    at.slider(key="qkv.d_k").set_value(9).run()
    at.run()
    assert words.DORMANT.say(language, n=1) not in [caption.value for caption in at.caption]
    assert shown(at, "input.w_q")[0, 8] == 2.0
