"""A reader's own sentence for the pronoun: known words are found, everything else is named and refused."""

import pytest

from attention_core.tokens import MAX_CHARACTERS
from attention_core.training.own_sentence import SentenceFault, read_sentence
from attention_core.training.tasks.pronoun import CHINESE, ENGLISH, build_pronoun

N_ZH, N_EN = build_pronoun(CHINESE).n, build_pronoun(ENGLISH).n


@pytest.mark.parametrize(
    ("words", "longest", "separator"), [(CHINESE, N_ZH, ""), (CHINESE, N_ZH, " "), (ENGLISH, N_EN, " ")]
)
def test_T1_every_sentence_of_the_task_is_read_as_it_was_written(words, longest, separator):
    task = build_pronoun(words)
    for tokens in task.hold_out().tokens[::37]:
        sentence = task.say(tokens)
        assert read_sentence(separator.join(sentence), words, longest) == sentence


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The CAT did not climb the wall because it was too steep.", 12),
        ("it was too high, the cat?", 6),
        ("it", 1),
        ("it!!!", 1),
    ],
)
def test_large_letters_and_signs_do_not_matter(text, found):
    assert len(read_sentence(text, ENGLISH, N_EN)) == found


@pytest.mark.parametrize(
    ("text", "words", "unknown"),
    [
        ("小猫没有跳上飞机，因为它太贵了", CHINESE, ("飞机", "贵")),
        ("the cats climb it", ENGLISH, ("cats",)),
        ("it <b>it</b>", ENGLISH, ("<b>", "</b>")),
        ("it $x$ it $x$", ENGLISH, ("$x$",)),
        ("它🐱它", CHINESE, ("🐱",)),
        ("itit", ENGLISH, ("itit",)),
    ],
)
def test_what_the_model_never_learnt_is_named_once(text, words, unknown):
    assert read_sentence(text, words, 64) == SentenceFault("unknown", unknown=unknown)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", SentenceFault("no_pronoun", value=0, limit=1)),
        (" \n", SentenceFault("no_pronoun", value=0, limit=1)),
        ("小猫没有跳上桌子", SentenceFault("no_pronoun", value=0, limit=1)),
        ("它太累了，它太高了", SentenceFault("many_pronouns", value=2, limit=1)),
        ("小猫" * 11, SentenceFault("too_long", value=11, limit=N_ZH)),
        ("猫" * (MAX_CHARACTERS + 1), SentenceFault("too_many_characters", value=513, limit=512)),
    ],
)
def test_other_faults_name_both_numbers(text, fault):
    assert read_sentence(text, CHINESE, N_ZH) == fault


def test_the_longest_text_is_cut_soon():
    assert isinstance(read_sentence("ab " * 170, ENGLISH, N_EN), SentenceFault)
