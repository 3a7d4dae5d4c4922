"""What 它, or it, refers to: the animal that was too tired or the thing that was too high.

The sentence tells it only by its last adjective. Combinations of animal, thing and adjective are split like a chessboard:
every word is trained on, and half of the combinations never are.
"""

from dataclasses import dataclass
from functools import cache
from itertools import product

import torch

from attention_core.training.examples import Examples
from attention_core.training.tasks.task import Task


@dataclass(frozen=True)
class Words:
    """The words of one language, and how a sentence is put together of them.

    Attributes:
        of_animal: What only an animal can be too much of; of_thing: what only a thing can be.
        orders: Sentences as places to fill: "animal", "verb", "thing", "adjective"; all else stands as it is. The pronoun
            stands in each once.
    """

    pronoun: str
    animals: tuple[str, ...]
    verbs: tuple[str, ...]
    things: tuple[str, ...]
    of_animal: tuple[str, ...]
    of_thing: tuple[str, ...]
    orders: tuple[str, ...]

    @property
    def adjectives(self) -> tuple[str, ...]:
        """All of them, the animals' first."""
        return self.of_animal + self.of_thing

    @property
    def vocab(self) -> tuple[str, ...]:
        """Every word once."""
        fixed = [word for order in self.orders for word in order.split() if word not in PLACES]
        words = (*self.animals, *self.verbs, *self.things, *self.adjectives, *fixed)
        return tuple(dict.fromkeys(words))


PLACES = ("animal", "verb", "thing", "adjective")
CHINESE = Words(
    pronoun="它",
    animals=("小猫", "小狗", "兔子", "猴子", "松鼠", "狐狸"),
    verbs=("跳上", "爬上", "翻过"),
    things=("桌子", "椅子", "石头", "箱子", "围墙", "书架"),
    of_animal=("累", "困", "饿", "懒", "胖"),
    of_thing=("高", "滑", "陡", "烫", "晃"),
    orders=(
        "animal 没有 verb thing ， 因为 它 太 adjective 了",
        "因为 它 太 adjective 了 ， animal 没有 verb thing",
    ),
)
ENGLISH = Words(
    pronoun="it",
    animals=("cat", "dog", "rabbit", "monkey", "squirrel", "fox"),
    verbs=("climb", "mount", "cross"),
    things=("table", "chair", "rock", "box", "wall", "shelf"),
    of_animal=("tired", "sleepy", "hungry", "lazy", "fat"),
    of_thing=("high", "slippery", "steep", "hot", "wobbly"),
    orders=(
        "the animal did not verb the thing because it was too adjective",
        "because it was too adjective the animal did not verb the thing",
    ),
)


def build_pronoun(words: Words) -> Task:
    """Make the task: say at the pronoun which of the two words before or behind it stands for."""
    trained, held_out = _split(words)

    def draw(n_examples: int, generator: torch.Generator) -> Examples:
        return trained.take(torch.randint(len(trained), (n_examples,), generator=generator))

    return Task(
        words.vocab, len(words.orders[0].split()), is_causal=False, draw=draw, hold_out=lambda: held_out
    )


def refers_to(words: Words, animal: str, thing: str, adjective: str) -> str:
    """Say which of the two the pronoun stands for.

    Example:
        >>> refers_to(CHINESE, "小猫", "桌子", "累"), refers_to(CHINESE, "小猫", "桌子", "高")
        ('小猫', '桌子')
    """
    return animal if adjective in words.of_animal else thing


def is_held_out(words: Words, animal: str, thing: str, adjective: str) -> bool:
    """Say whether a combination is never trained on, in whatever order and with whatever verb.

    Example:
        >>> is_held_out(CHINESE, "小猫", "桌子", "累"), is_held_out(CHINESE, "小猫", "桌子", "困")
        (True, False)
    """
    places = words.animals.index(animal), words.things.index(thing), words.adjectives.index(adjective)
    return sum(places) % 2 == 0


@cache
def _split(words: Words) -> tuple[Examples, Examples]:
    """Write every sentence, those to train on and those that are held out."""
    groups: tuple[list, list] = ([], [])
    for animal, thing, adjective in product(words.animals, words.things, words.adjectives):
        group = groups[is_held_out(words, animal, thing, adjective)]
        answer = refers_to(words, animal, thing, adjective)
        for verb, order in product(words.verbs, words.orders):
            filled = dict(zip(PLACES, (animal, verb, thing, adjective), strict=True))
            group.append(([filled.get(word, word) for word in order.split()], answer))
    return tuple(_examples(words, group) for group in groups)


def _examples(words: Words, sentences: list[tuple[list[str], str]]) -> Examples:
    """Turn sentences into places in the vocabulary; the answer counts at the pronoun alone."""
    place = {word: at for at, word in enumerate(words.vocab)}
    tokens = torch.tensor([[place[word] for word in sentence] for sentence, _ in sentences])
    answers = torch.tensor([place[answer] for _, answer in sentences])
    counted = tokens == place[words.pronoun]
    return Examples(tokens, torch.where(counted, answers[:, None], 0), counted)
