"""One sentence from a fixed vector and by attention (V6): orders, the encoder against loops, hand values, limits."""

import itertools
import math

import pytest
import torch
from torch.testing import assert_close

from attention_core.embedding import token_vector
from attention_core.experiments.bottleneck import (
    CODE_WIDTH,
    ORDERS,
    attend_places,
    count_steps,
    crosstalk_variance,
    encode,
    hidden_by_causal,
    last_word,
    make_order,
    orthogonal,
    read_nearest,
    read_sentence,
    unroll,
)

WORDS = ("she", "yesterday", "in", "our", "park", "the", "old", "dog", "saw")
B, N, M, D_MODEL = 2, 3, 5, 7


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def read(tokens=WORDS, order="verb_forward", **changed):
    return read_sentence(tokens, order, **({"seed": 0, "d_model": 8} | changed))


@pytest.mark.parametrize("n", range(1, 9))
def test_V6_orders_name_each_place_once_and_both_ways_of_the_verb_undo_each_other(n):
    tokens = tuple(f"w{place}" for place in range(n))
    places = {order: make_order(tokens, order) for order in ORDERS}
    for order in set(ORDERS) - {"every_second"}:
        assert sorted(places[order]) == list(range(n))
    assert places["every_second"] == tuple(range(0, n, 2))
    forward, back = places["verb_forward"], places["verb_back"]
    assert [forward[place] for place in back] == list(range(n))
    if n > 2:
        assert forward[1] == n - 1
        assert back[-1] == 1
    else:
        assert forward == back == places["copy"]


def test_V6_signs_at_the_end_stay_there_when_the_verb_moves():
    german = ("sie", "den", "Hund", "sah", ".", "”")
    assert make_order(german, "verb_forward") == (0, 3, 1, 2, 4, 5)
    assert make_order(german, "verb_back") == (0, 2, 3, 1, 4, 5)
    assert (last_word(german), last_word(("😀", "$")), last_word(("看见", "。"))) == (3, 1, 0)


def test_V6_the_encoder_agrees_with_loops_and_its_last_state_holds_every_word_turned():
    words, turn, keep = random(M, D_MODEL), orthogonal(random(D_MODEL, D_MODEL, seed=1)), 0.8
    state, expected = [0.0] * D_MODEL, []
    for row in words.tolist():
        turned = [sum(state[i] * float(turn[i, j]) for i in range(D_MODEL)) for j in range(D_MODEL)]
        state = [keep * a + b for a, b in zip(turned, row, strict=True)]
        expected.append(state)
    states = encode(words, turn, keep)
    assert_close(states, torch.tensor(expected, dtype=torch.float64), rtol=1e-12, atol=1e-12)
    last = sum(keep ** (M - 1 - m) * words[m] @ torch.linalg.matrix_power(turn, M - 1 - m) for m in range(M))
    assert_close(states[-1], last, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("keep", [1.0, 0.6])
def test_V6_a_word_alone_in_the_state_comes_back_as_it_was(keep):
    turn = orthogonal(random(B, D_MODEL, D_MODEL))
    for place in range(M):
        alone = torch.zeros(B, M, D_MODEL, dtype=torch.float64)
        alone[:, place] = random(B, D_MODEL, seed=2)
        back = unroll(encode(alone, turn, keep)[:, -1:], turn, M, keep)
        assert back.shape == (B, 1, M, D_MODEL)
        assert_close(back[:, 0, place], alone[:, place], rtol=1e-11, atol=1e-11)


def test_V6_the_inverse_of_the_drawn_matrix_is_its_transpose_and_no_sign_is_preferred():
    matrices = orthogonal(random(400, 3, 3))
    assert_close(matrices @ matrices.mT, torch.eye(3, dtype=torch.float64).expand(400, 3, 3))
    assert float(matrices.mean(dim=0).abs().max()) < 4 / math.sqrt(3 * 400)
    share = float((torch.linalg.det(matrices) > 0).double().mean())
    assert abs(share - 0.5) < 0.1, "as many turns as reflections"


def test_V6_the_cross_talk_is_the_product_of_the_wanted_word_with_all_others():
    found = read(keep=0.9)
    n = len(WORDS)
    words = torch.stack([token_vector(word, 0, 8) for word in WORDS])
    words = words / words.norm(dim=-1, keepdim=True)
    assert_close(found.words, words)
    turn_back = found.fixed.vectors[0] - words[0]
    assert found.crosstalk[0] == pytest.approx(float(turn_back @ words[0]), abs=1e-12)
    variance = [
        sum(0.9 ** (2 * (m - k)) for k in range(n) if k != m) / 8 for m in make_order(WORDS, "verb_forward")
    ]
    assert found.expected_variance == pytest.approx(variance, rel=1e-12)
    assert found.crosstalk_rms == pytest.approx(math.sqrt(sum(c * c for c in found.crosstalk) / n))
    assert found.expected_rms == pytest.approx(math.sqrt(sum(variance) / n))


def test_V6_the_variance_of_the_cross_talk_over_seeds_is_that_of_theory():
    seeds = range(60)
    for keep in (1.0, 0.8):
        squares = torch.tensor(
            [[c * c for c in read(order="copy", seed=seed, keep=keep).crosstalk] for seed in seeds]
        )
        expected = crosstalk_variance(len(WORDS), 8, keep)
        error = squares.std(dim=0) / math.sqrt(len(seeds))
        assert ((squares.mean(dim=0) - expected).abs() < 4 * error).all(), keep


def test_V6_weights_are_the_softmax_of_the_codes_products_and_fall_with_distance():
    words, sharpness = random(M, D_MODEL), 3.0
    trace = attend_places(words, (4, 0), sharpness)
    for row, place in enumerate((4, 0)):
        scores = []
        for m in range(M):
            angles = [(place - m) / 10_000 ** (2 * i / CODE_WIDTH) for i in range(CODE_WIDTH // 2)]
            scores.append(sharpness * sum(map(math.cos, angles)) / math.sqrt(CODE_WIDTH))
        total = sum(map(math.exp, scores))
        expected = [math.exp(score) / total for score in scores]
        assert trace.weights[row].tolist() == pytest.approx(expected, rel=1e-9)
    assert trace.weights.shape == (2, M), "queries need not be as many as keys"
    assert (trace.weights[1].diff() < 0).all()


def test_V6_by_attention_every_word_comes_back_in_every_order_and_from_the_fixed_vector_it_does_not():
    for order, seed in itertools.product(ORDERS, range(4)):
        found = read(order=order, seed=seed)
        assert all(found.attended.is_right)
        assert [found.vocabulary[word] for word in found.attended.read] == [WORDS[m] for m in found.places]
    shares = [read(order="copy", seed=seed).fixed.share_right for seed in range(20)]
    assert sum(shares) / 20 < 0.5


def test_V6_without_sharpness_all_places_weigh_alike_and_every_step_reads_one_word():
    found = read(sharpness=0)
    assert_close(found.attention.weights, torch.full((9, 9), 1 / 9, dtype=torch.float64))
    assert len(set(found.attended.read)) == 1


def test_V6_a_causal_mask_towards_the_encoder_hides_what_stands_later():
    found = read(order="reverse")
    assert hidden_by_causal(found.places) == (0, 1, 2, 3)
    assert [found.causal.is_right[step] for step in (4, 5, 6, 7, 8)] == [True] * 5
    assert found.causal.n_right == 5
    assert hidden_by_causal(make_order(WORDS, "copy")) == ()
    assert read(order="copy").causal.read == read(order="copy").attended.read


def test_V6_steps_between_reading_and_writing_are_counted_along_the_chain():
    for order in ORDERS:
        found = read(order=order)
        chain = [("read", m) for m in range(9)] + [("write", step) for step in range(len(found.places))]
        expected = [
            chain.index(("write", step)) - chain.index(("read", m)) for step, m in enumerate(found.places)
        ]
        assert list(found.n_steps_between) == expected
    assert (count_steps(9, 8, 1), count_steps(9, 1, 8)) == (2, 16)


def test_V6_directions_have_length_1_and_their_products_are_the_cosines_of_the_wanted_word():
    found = read(keep=0.5)
    for step, word in enumerate(found.wanted):
        rows = found.directions(step)
        assert_close(rows.norm(dim=-1), torch.ones(4, dtype=torch.float64))
        cosines = torch.stack([found.fixed.cosines[step, word], found.attended.cosines[step, word]])
        assert_close(rows[2:] @ rows[0], cosines)
        assert float(rows[1] @ found.states[-1]) == pytest.approx(float(found.states[-1].norm()))


def test_V6_repeated_words_are_one_word_of_the_vocabulary():
    found = read(("the", "dog", "the", "cat"), "reverse", d_model=64)
    assert found.vocabulary == ("the", "dog", "cat")
    assert found.wanted == (2, 0, 1, 0)
    assert found.words.shape == (3, 64)
    assert found.attended.read == found.wanted
    assert found.n_bits == pytest.approx(4 * math.log2(3))


def test_V6_one_token_has_no_cross_talk_and_cannot_be_misread():
    for tokens in (("dog",), ("dog", "dog", "dog")):
        found = read(tokens, "reverse", d_model=2)
        assert found.fixed.n_right == found.attended.n_right == len(tokens)
    assert read(("dog",)).crosstalk == pytest.approx((0.0,), abs=1e-12)
    assert read(("dog",)).expected_rms == 0


def test_V6_the_word_with_the_largest_cosine_is_read_whatever_the_lengths():
    words = torch.tensor([[10.0, 0.0], [0.1, 0.1]], dtype=torch.float64)
    found = read_nearest(torch.tensor([[2.0, 1.9], [5.0, 1.0]], dtype=torch.float64), words, (1, 1))
    assert found.read == (1, 0)
    assert found.is_right == (True, False)
    assert found.n_right == 1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"tokens": ()}, "at least 1 token, got 0"),
        ({"order": "shuffled"}, "got 'shuffled'"),
        ({"d_model": 1}, "at least 2, got 1"),
        ({"d_model": 65}, "from 1 to 64, got 65"),
        ({"sharpness": math.nan}, "got nan"),
        ({"sharpness": -1.0}, "got -1.0"),
        ({"keep": 0.4}, "from 0.5 to 1, got 0.4"),
        ({"keep": 1.5}, "got 1.5"),
    ],
)
def test_V6_what_cannot_be_read_is_refused(unchecked, changed, message):
    with pytest.raises(ValueError, match=message):
        read(**changed)
