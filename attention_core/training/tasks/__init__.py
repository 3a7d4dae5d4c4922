"""What small models learn, one task a file. The table is the only list of them."""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from attention_core.training.recipe import Recipe
from attention_core.training.tasks.brackets import build_brackets
from attention_core.training.tasks.pronoun import CHINESE, ENGLISH, build_pronoun
from attention_core.training.tasks.recall import build_recall
from attention_core.training.tasks.sequences import build_copy, build_pair, build_reverse, build_sort
from attention_core.training.tasks.task import Task
from attention_core.training.tasks.text import build_text
from attention_core.training.tasks.texts import CHINESE_TEXT, ENGLISH_TEXT

TEXTS: Mapping[str, str] = MappingProxyType({"text_zh": CHINESE_TEXT, "text_en": ENGLISH_TEXT})
# The task whose text the recipe brings itself.
OWN_TEXT = "own_text"
TASKS: Mapping[str, Callable[[], Task]] = MappingProxyType(
    {
        "pronoun_zh": partial(build_pronoun, CHINESE),
        "pronoun_en": partial(build_pronoun, ENGLISH),
        "recall": build_recall,
        "copy": build_copy,
        "reverse": build_reverse,
        "sort": build_sort,
        "pair": build_pair,
        "brackets": build_brackets,
        **{name: partial(build_text, text) for name, text in TEXTS.items()},
    }
)


def text_of(recipe: Recipe) -> str:
    """Give the text that a character model learns; empty for another task.

    Example:
        >>> text_of(Recipe("text_en"))[:7], text_of(Recipe("copy"))
        ('the cat', '')
    """
    return recipe.text if recipe.task == OWN_TEXT else TEXTS.get(recipe.task, "")


def task_of(recipe: Recipe) -> Task:
    """Make a recipe's task.

    Raises:
        ValueError: an unknown task, a text that makes none.

    Example:
        >>> task_of(Recipe("copy")).n
        16
    """
    if recipe.task == OWN_TEXT:
        return build_text(recipe.text)
    if recipe.task not in TASKS:
        raise ValueError(f"task must be one of {', '.join(TASKS)} and {OWN_TEXT}, got {recipe.task:.80}")
    return TASKS[recipe.task]()
