"""What small models learn, one task a file. The table is the only list of them."""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from attention_core.training.tasks.pronoun import CHINESE, ENGLISH, build_pronoun
from attention_core.training.tasks.recall import build_recall
from attention_core.training.tasks.task import Task

TASKS: Mapping[str, Callable[[], Task]] = MappingProxyType(
    {
        "pronoun_zh": partial(build_pronoun, CHINESE),
        "pronoun_en": partial(build_pronoun, ENGLISH),
        "recall": build_recall,
    }
)
