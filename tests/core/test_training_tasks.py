"""Tasks: what they ask has one right answer, and what is held out is never drawn."""

import pytest
import torch

from attention_core.training.examples import Examples, share_right
from attention_core.training.tasks import TASKS
from attention_core.training.tasks.pronoun import CHINESE, ENGLISH, build_pronoun, is_held_out, refers_to
from attention_core.training.tasks.recall import build_recall

every_task = pytest.mark.parametrize("name", TASKS)


def drawn(name: str, n_examples: int = 400, seed: int = 0) -> Examples:
    return TASKS[name]().draw(n_examples, torch.Generator().manual_seed(seed))


def rows(examples: Examples) -> set[tuple[int, ...]]:
    return {tuple(row) for row in examples.tokens.tolist()}


@every_task
def test_examples_have_the_tasks_length_and_words_and_each_asks_something(name):
    task = TASKS[name]()
    for examples in (drawn(name), task.hold_out()):
        assert examples.tokens.shape[1] == task.n
        assert examples.counted.any(dim=1).all()
        for places in (examples.tokens, examples.targets):
            assert 0 <= places.min() <= places.max() < len(task.vocab)
    assert len(set(task.vocab)) == len(task.vocab)


@every_task
def test_the_same_seed_draws_the_same_and_another_something_else(name):
    assert torch.equal(drawn(name).tokens, drawn(name).tokens)
    assert not torch.equal(drawn(name).tokens, drawn(name, seed=1).tokens)
    assert torch.equal(TASKS[name]().hold_out().tokens, TASKS[name]().hold_out().tokens)


@every_task
def test_T1_what_is_held_out_is_never_drawn(name):
    assert not rows(drawn(name, 4000)) & rows(TASKS[name]().hold_out())


@pytest.mark.parametrize("words", [CHINESE, ENGLISH], ids=["zh", "en"])
def test_T1_half_of_the_combinations_are_held_out_and_every_word_is_trained_on(words):
    task = build_pronoun(words)
    trained = task.draw(20_000, torch.Generator().manual_seed(0))
    counts = [
        is_held_out(words, animal, thing, adjective)
        for animal in words.animals
        for thing in words.things
        for adjective in words.adjectives
    ]
    assert sum(counts) * 2 == len(counts)
    assert set(trained.tokens.unique().tolist()) == set(range(len(task.vocab)))
    n_orders, n_verbs = len(words.orders), len(words.verbs)
    assert len(rows(trained)) == len(task.hold_out()) == sum(counts) * n_orders * n_verbs


@pytest.mark.parametrize("words", [CHINESE, ENGLISH], ids=["zh", "en"])
def test_T1_the_answer_stands_at_the_pronoun_and_only_the_adjective_tells_it(words):
    task = build_pronoun(words)
    examples = task.hold_out()
    assert examples.counted.sum(dim=1).unique().tolist() == [1]
    for tokens, targets, counted in zip(examples.tokens, examples.targets, examples.counted, strict=True):
        sentence = task.say(tokens)
        (at,) = counted.nonzero().flatten().tolist()
        (animal,), (thing,), (adjective,) = (
            [word for word in sentence if word in group]
            for group in (words.animals, words.things, words.adjectives)
        )
        assert sentence[at] == words.pronoun
        assert task.vocab[targets[at]] == refers_to(words, animal, thing, adjective)
        assert is_held_out(words, animal, thing, adjective)


def test_T1_the_claims_own_sentence_is_one_of_the_task():
    sentences = {
        "".join(build_pronoun(CHINESE).say(tokens)) for tokens in build_pronoun(CHINESE).hold_out().tokens
    }
    assert "小猫没有跳上桌子，因为它太累了" in sentences


def test_T4_each_key_comes_twice_and_the_answer_is_what_followed_it_the_first_time():
    task = build_recall()
    examples = task.draw(50, torch.Generator().manual_seed(0))
    for tokens, targets, counted in zip(examples.tokens, examples.targets, examples.counted, strict=True):
        sentence = task.say(tokens)
        first = dict(zip(sentence[0:12:2], sentence[1:12:2], strict=True))
        assert len(first) == 6
        asked = counted.nonzero().flatten().tolist()
        assert asked == [12, 14, 16, 18, 20, 22]
        assert sorted(sentence[at] for at in asked) == sorted(first)
        assert [task.vocab[targets[at]] for at in asked] == [first[sentence[at]] for at in asked]


def test_T4_more_pairs_than_keys_are_refused():
    with pytest.raises(ValueError, match="1 to 3 pairs, as many as keys, got 4"):
        build_recall(n_keys=3, n_pairs=4)


def test_an_answer_that_is_no_number_is_not_right():
    one = torch.ones(1, 2, dtype=torch.long)
    examples = Examples(one, one, one.bool())
    logits = torch.tensor([[[0.0, 1.0], [float("nan"), 1.0]]])
    assert share_right(logits, examples) == 0.5
