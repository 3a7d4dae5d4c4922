"""The weights that the lab ships: small, learnt, of a seed that anybody can train again, and looked at on held-out sentences."""

import pytest
import torch
from torch.testing import assert_close

from attention_core.training.model import TokenModel
from attention_core.training.recipe import Recipe
from attention_core.training.referents import measure_referents
from attention_core.training.shipping import (
    FOLDER,
    SHIPPED,
    WORDS,
    load_shipped,
    shown_examples,
    train_shipped,
)
from attention_core.training.tasks.pronoun import CHINESE, build_pronoun

every = pytest.mark.parametrize("name", SHIPPED)


@every
def test_T1_what_is_shipped_answers_what_it_never_saw_and_is_small(name):
    run = load_shipped(name)
    _, accuracy = run.test()
    assert accuracy >= 0.99
    assert (FOLDER / f"{name}.safetensors").stat().st_size < 2**20


@every
def test_T1_trained_again_from_its_seed_it_is_the_same_to_rounding(name):
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    again = train_shipped(SHIPPED[name])
    torch.set_num_threads(threads)
    tokens = again.task.hold_out().tokens[:50]
    assert again.test()[1] >= 0.99
    chances = [run.model.trace(tokens).logits.softmax(dim=-1) for run in (load_shipped(name), again)]
    assert_close(*chances, rtol=0, atol=1e-2)


@every
def test_T1_the_sentences_shown_differ_in_one_word_and_both_are_held_out(name):
    words = WORDS[name]
    examples = shown_examples(words)
    assert (examples.tokens[0] != examples.tokens[1]).sum() == 1
    held_out = {tuple(row) for row in build_pronoun(words).hold_out().tokens.tolist()}
    assert {tuple(row) for row in examples.tokens.tolist()} <= held_out


@every
def test_T1_the_pronouns_weights_move_from_the_animal_to_the_thing_with_one_word(name):
    run, words = load_shipped(name), WORDS[name]
    layer, head = measure_referents(run.model, words, run.task.hold_out()).best_head
    examples = shown_examples(words)
    trace = run.model.trace(examples.tokens)
    answers = [(words.animals[0], words.things[0]), (words.things[0], words.animals[0])]
    for place, (referent, other) in enumerate(answers):
        sentence = run.task.say(examples.tokens[place])
        at = sentence.index(words.pronoun)
        weights = dict(zip(sentence, trace.stack.weights[layer, place, head, at].tolist(), strict=True))
        assert run.task.vocab[trace.logits[place, at].argmax()] == referent
        assert weights[referent] > 0.8
        assert weights[other] < 0.1


def test_T1_referents_by_hand():
    task = build_pronoun(CHINESE)
    model = TokenModel(Recipe("pronoun_zh", is_causal=False, d_model=8, n_layers=1), len(task.vocab), task.n)
    examples = shown_examples(CHINESE)
    weights = model.trace(examples.tokens).stack.weights[0]
    found = measure_referents(model, CHINESE, examples)
    at, animal, thing = 6, 0, 3
    right = (weights[0, :, at, animal] + weights[1, :, at, thing]) / 2
    wrong = (weights[0, :, at, thing] + weights[1, :, at, animal]) / 2
    assert_close(found.right[0], right)
    assert_close(found.wrong[0], wrong)
    assert found.gap(found.best_head) == float((right - wrong).max())


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="shipped are pronoun_zh, pronoun_en, got cat"):
        load_shipped("cat")
