"""Tasks: what they ask has one right answer, and what is held out is never drawn."""

import pytest
import torch

from attention_core.training.examples import Examples, share_right
from attention_core.training.generate import share_known, write_on
from attention_core.training.model import TokenModel
from attention_core.training.recipe import Recipe
from attention_core.training.tasks import OWN_TEXT, TASKS, task_of
from attention_core.training.tasks.brackets import draw_nested, is_nested
from attention_core.training.tasks.kept_back import draw_split
from attention_core.training.tasks.pronoun import CHINESE, ENGLISH, build_pronoun, is_held_out, refers_to
from attention_core.training.tasks.recall import build_recall
from attention_core.training.tasks.sequences import N_LETTERS
from attention_core.training.tasks.text import MOST_CHARACTERS, MOST_WORDS, N, build_text

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


@pytest.mark.parametrize("name", [name for name in TASKS if not name.startswith("text")])
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


def told(name: str) -> list[tuple[tuple[str, ...], list[tuple[int, str]]]]:
    """Give examples in words: what is read, and what should be said where."""
    task, examples = TASKS[name](), drawn(name, 20)
    answers = [
        [(at, task.vocab[targets[at]]) for at in counted.nonzero().flatten().tolist()]
        for targets, counted in zip(examples.targets, examples.counted, strict=True)
    ]
    return [(task.say(tokens), answer) for tokens, answer in zip(examples.tokens, answers, strict=True)]


def test_copy_asks_for_the_letters_before_the_sign_one_by_one():
    for read, answers in told("copy"):
        letters = read[:N_LETTERS]
        assert read[N_LETTERS] == ">"
        assert answers == [(N_LETTERS + at, letter) for at, letter in enumerate(letters)]
        assert read[N_LETTERS + 1 :] == letters[:-1]


def test_P6_reverse_and_sort_ask_for_what_stands_elsewhere():
    for read, answers in told("reverse"):
        assert [letter for _, letter in answers] == list(reversed(read))
    for read, answers in told("sort"):
        assert [letter for _, letter in answers] == sorted(read)


def test_H1_pair_asks_for_two_letters_at_once():
    for read, answers in told("pair"):
        assert answers == [(at, read[at - 1] + read[at - 3]) for at in range(3, N_LETTERS)]


def test_brackets_are_nested_and_each_that_closes_is_asked_for():
    partner = {")": "(", "]": "[", "}": "{"}
    for read, answers in told("brackets"):
        whole = [*read, answers[-1][1]]
        assert [(at, whole[at + 1]) for at in range(len(read)) if whole[at + 1] in partner] == answers
        assert is_nested(["([{)]}".index(bracket) for bracket in whole])
    lengths = {tuple((row < 3).tolist()) for row in draw_nested(200, torch.Generator().manual_seed(0))}
    assert len(lengths) > 20  # many shapes, not one


@pytest.mark.parametrize(
    ("row", "holds"), [([], True), ([3], False), ([0, 4], False), ([0, 3, 1], False), ([2, 5, 1, 4], True)]
)
def test_nesting_is_judged_by_kind_and_order(row, holds):
    assert is_nested(row) is holds


@pytest.mark.parametrize("name", ["text_zh", "text_en"])
def test_texts_ask_for_every_next_character_and_keep_their_end_back(name):
    task, examples = TASKS[name](), drawn(name, 20)
    assert examples.counted.all()
    assert torch.equal(examples.tokens[:, 1:], examples.targets[:, :-1])
    held_out = "".join(task.say(task.hold_out().tokens[0]))
    trained = {"".join(task.say(row)) for row in drawn(name, 4000).tokens}
    assert not any(held_out in row or row in held_out for row in trained)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", "a text has from 250 to 20000 characters, got 0"),
        ("a" * 249, "got 249"),
        ("a" * (MOST_CHARACTERS + 1), "got 20001"),
        (
            "".join(map(chr, range(0x4E00, 0x4E00 + MOST_WORDS + 1))),
            "at most 512 different characters, got 513",
        ),
    ],
)
def test_texts_that_make_no_task_are_refused(text, rule):
    with pytest.raises(ValueError, match=rule):
        build_text(text)


def test_the_shortest_text_makes_a_task_with_something_on_both_sides():
    task = build_text("ab" * 125)
    assert len(task.hold_out()) == 1
    assert task.draw(3, torch.Generator()).tokens.shape == (3, N)


def test_a_recipe_brings_its_own_text():
    assert task_of(Recipe(OWN_TEXT, text="xyz" * 100)).vocab == ("x", "y", "z")


def test_what_is_hardly_ever_drawn_ends_the_search():
    with pytest.raises(ValueError, match="1000 draws gave 0 sequences of 1"):
        draw_split(lambda n, generator: torch.zeros(n, 3, dtype=torch.long), 1, torch.Generator())


# Writing on


def echo() -> TokenModel:
    """A model that says the token it has read last."""
    model = TokenModel(
        Recipe("copy", d_model=4, n_heads=1, n_layers=1, has_ffn=False, positions="none"), 4, 3
    )
    with torch.no_grad():
        model.table.copy_(torch.eye(4))
        model.w_out.copy_(9 * torch.eye(4))
        model.stack.blocks[0].attention.w_o.zero_()
    return model


def test_M7_writing_on_reads_what_it_wrote_and_no_more_than_it_has_positions():
    assert write_on(echo(), (1, 2), 6) == (2,) * 6
    assert write_on(echo(), (1,), 0) == ()


def test_M7_draws_repeat_with_their_seed():
    first, again, other = (
        write_on(echo(), (1,), 40, temperature=9, generator=torch.Generator().manual_seed(seed))
        for seed in (0, 0, 1)
    )
    assert first == again != other


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (((), 1), "a token to go on after"),
        (((1,), 513), "within 0 and 512, got 513"),
        (((1,), 1, -1.0), r"must not be negative, and finite, got -1\.0"),
        (((1,), 1, 1.0), r"temperature=1\.0 needs a generator"),
    ],
)
def test_writing_on_refuses_what_it_cannot(arguments, rule):
    tokens, n_new, *temperature = arguments
    with pytest.raises(ValueError, match=rule):
        write_on(echo(), tokens, n_new, temperature=temperature[0] if temperature else 0)


def test_M7_what_is_known_of_a_text():
    assert share_known("abcd", "xabcdx") == 1
    assert share_known("abce", "xabcdx") == 0
    assert share_known("abc", "abc") == 0
