"""Claims that training shows: two runs that differ in one thing, and what decides whether the claim holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from attention_core.training.checkpoint import load_run
from attention_core.training.generate import share_known, write_on
from attention_core.training.loop import StepRecord
from attention_core.training.recipe import Recipe
from attention_core.training.tasks import text_of

# reaches: the first run gets GOAL of the held-out answers right. sooner: and the second does not, or needs LATER times as
# many steps. apart: the first's held-out loss ends below LOW, the second's above HIGH. keeps: what the first gains on held-out
# examples it loses on those it trains on. leaks: the second's loss falls below half of the first's, and it writes worse.
Rule = Literal["reaches", "sooner", "apart", "keeps", "leaks"]
GOAL, LATER = 0.99, 1.5
LOW, HIGH = 0.1, 1.0
N_WRITTEN = 60


@dataclass(frozen=True)
class Lesson:
    """A claim as an experiment.

    Attributes:
        second: What the first is compared with; None where it stands alone.
    """

    first: Recipe
    second: Recipe | None
    n_steps: int
    rule: Rule
    goal: float = GOAL


@dataclass(frozen=True)
class Verdict:
    """What two runs say of a claim.

    Attributes:
        first, second: The numbers that decide: steps to the goal, or a held-out loss, or a loss, by the rule; None where
            the goal was never reached, or there is no second run.
        known: Of "leaks": how much of what each wrote is like the text; empty of the others.
    """

    holds: bool
    first: float | int | None
    second: float | int | None
    known: tuple[float, ...] = ()


_REVERSE = Recipe("reverse", n_layers=1, n_heads=1, has_ffn=False, is_causal=False, batch=32)
_WIDE = replace(_REVERSE, d_model=256)
_PAIR = Recipe("pair", n_layers=1, has_ffn=False, is_causal=False)
_RECALL = Recipe("recall")
_TEXT = Recipe("text_en", batch=32)
LESSONS: Mapping[str, Lesson] = MappingProxyType(
    {
        "T1": Lesson(Recipe("pronoun_zh", is_causal=False), None, 300, "reaches"),
        "S7": Lesson(_WIDE, replace(_WIDE, divisor="one"), 100, "sooner"),
        "M7": Lesson(_TEXT, replace(_TEXT, is_causal=False), 250, "leaks"),
        "T4": Lesson(_RECALL, replace(_RECALL, n_layers=1), 400, "apart"),
        "H1": Lesson(replace(_PAIR, n_heads=2), replace(_PAIR, n_heads=1), 300, "sooner", goal=0.9),
        "P6": Lesson(_REVERSE, replace(_REVERSE, positions="none"), 100, "sooner"),
        "T6": Lesson(replace(_TEXT, dropout_p=0.3), _TEXT, 250, "keeps"),
    }
)


def steps_to(records: Sequence[StepRecord], goal: float) -> int | None:
    """Count the steps until a run first gets so many of the held-out answers right; None where it never does.

    Example:
        >>> at = dict(loss=0.0, accuracy=0.0, gradient_norms=(), held_out_loss=0.0, is_finite=True)
        >>> records = [StepRecord(step=10, held_out_accuracy=0.5, **at), StepRecord(step=20, held_out_accuracy=1.0, **at)]
        >>> steps_to(records, 0.9), steps_to(records[:1], 0.9)
        (20, None)
    """
    return next(
        (x.step for x in records if x.held_out_accuracy is not None and x.held_out_accuracy >= goal), None
    )


def judge(
    lesson: Lesson,
    first: Sequence[StepRecord],
    second: Sequence[StepRecord] = (),
    written: Sequence[bytes] = (),
) -> Verdict:
    """Say whether two runs show what the lesson claims.

    Args:
        first, second: Their records; of more than the lesson's steps those up to there count.
        written: Both runs as files, for "leaks".

    Raises:
        ValueError: runs that are not through: one needs all of the lesson's steps, or an end by its loss.
    """
    first, second = (
        [record for record in records if record.step <= lesson.n_steps] for records in (first, second)
    )
    for records in (first, *([] if lesson.second is None else [second])):
        if not records or (records[-1].step < lesson.n_steps and records[-1].is_finite):
            done = records[-1].step if records else 0
            raise ValueError(f"a run needs {lesson.n_steps} steps to be judged, got {done}")
    if lesson.rule == "leaks":
        return _judge_leak(first, second, written)
    if lesson.rule in ("apart", "keeps"):
        return _judge_losses(lesson.rule, first, second)
    reached = steps_to(first, lesson.goal)
    if lesson.rule == "reaches":
        return Verdict(reached is not None, reached, None)
    later = steps_to(second, lesson.goal)
    holds = reached is not None and (later is None or later >= LATER * reached)
    return Verdict(holds, reached, later)


def _judge_losses(rule: Rule, first: Sequence[StepRecord], second: Sequence[StepRecord]) -> Verdict:
    """Compare the last losses on held-out examples; a run whose loss is no number has none."""
    one, other = (_last_tested(records) for records in (first, second))
    if one is None or other is None:
        return Verdict(False, one, other)
    if rule == "apart":
        return Verdict(one < LOW and other > HIGH, one, other)
    return Verdict(one < other and first[-1].loss > second[-1].loss, one, other)


def _last_tested(records: Sequence[StepRecord]) -> float | None:
    return next((x.held_out_loss for x in reversed(records) if x.held_out_loss is not None), None)


def _judge_leak(
    first: Sequence[StepRecord], second: Sequence[StepRecord], written: Sequence[bytes]
) -> Verdict:
    """Let both write on after the text's first letters, and compare what they write with the text."""
    known = tuple(measure_writing(one) for one in written)
    one, other = first[-1].loss, second[-1].loss
    holds = len(known) == 2 and other < one / 2 and known[1] < known[0]
    return Verdict(holds, one, other, known)


def measure_writing(written: bytes) -> float:
    """Let a character model write, and measure how much of it is like its text: `share_known`.

    Raises:
        ValueError: a file that is no run, or a run of another task.
    """
    run = load_run(written)
    text = text_of(run.recipe)
    if not text:
        raise ValueError(f"the task must be a text, got {run.recipe.task}")
    begun = text[:3]
    tokens = [run.task.vocab.index(character) for character in begun]
    said = "".join(run.task.vocab[token] for token in write_on(run.model, tokens, N_WRITTEN))
    return share_known(begun + said, text)
