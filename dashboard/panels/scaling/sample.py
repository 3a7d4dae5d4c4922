"""One sample query's scores and weights, before and after scaling."""

import math
from dataclasses import replace

import numpy as np

from attention_core.experiments.scaling import SampleRow, draw_sample_row
from dashboard.controls import State
from dashboard.grid import compact, grid_part
from dashboard.grid.bench import Area, Part
from dashboard.grid.lines import Line, lines_part, prose
from dashboard.number_format import significant
from dashboard.number_table import grid_labels
from dashboard.panels.scaling.model import Sampling, divisor_names
from dashboard.text import scaling as words

MOST_DRAWN = 12
# Beyond this no float64 holds e to that power.
LARGEST_EXPONENT = 700

Sample = tuple[SampleRow, list[int]]


def draw_sample(state: State, sampling: Sampling, d_k: int) -> Sample:
    """Draw one query and its keys, weighed without a divisor and with the chosen one; keys in the order of scores."""
    row = draw_sample_row(
        d_k,
        n_keys=sampling.n_keys,
        seed=sampling.seed,
        components=sampling.components,
        divisors=("none", state["divisor"]),
        n_heads=sampling.n_heads,
        temperature=sampling.temperature,
        dtype=sampling.dtype,
        device=sampling.device,
    )
    scores = row.scores.double().nan_to_num(nan=-math.inf).tolist()
    return row, sorted(range(len(scores)), key=lambda m: -scores[m])


def sample_parts(state: State, sampling: Sampling, sample: Sample) -> dict[str, tuple[Area, Part]]:
    """Describe the row: its scores in numbers, its weights as bars, for the keys with the highest scores."""
    language, (row, order) = state.language, sample
    shown, divisor = order[:MOST_DRAWN], divisor_names(sampling, language)[row.divisors[1]]
    scores = np.stack([row.scores.double().numpy(), row.scaled[1].double().numpy()])[:, shown]
    rows = [words.SAMPLE_UNSCALED.say(language), words.SAMPLE_SCALED.say(language, divisor=divisor)]
    labels = grid_labels(language, "row", "key")
    named = {"row_labels": rows, "column_labels": [str(m + 1) for m in shown]}
    compared = grid_part(
        scores,
        title=words.SAMPLE_SCORES.say(language),
        labels=replace(labels, value=words.SAMPLE_SCORE.say(language)),
        role="scores",
        scale="diverging",
        **named,
    )
    weighed = grid_part(
        row.weights.double().numpy()[:, shown],
        title=words.SAMPLE_WEIGHTS.say(language),
        labels=replace(labels, value=words.SAMPLE_WEIGHT.say(language)),
        role="weights",
        scale="sequential",
        is_bars=True,
        **named,
    )
    said = [Line(prose(text), "prose") for text in say_sample(state, sample, divisor)]
    badge = Line(prose(words.SAMPLE_NOTE.say(language, seed=sampling.seed, dtype=sampling.dtype)), "note")
    return {
        "sample.weights": ("below", compact(weighed)),
        "sample.said": ("below", lines_part(words.SAMPLE_WEIGHTS.say(language), [badge, *said])),
        "sample.scores": ("below", compact(compared)),
    }


def say_sample(state: State, sample: Sample, divisor: str) -> list[str]:
    """Say how far apart the two best keys are, and what is not drawn."""
    language, (row, order) = state.language, sample
    lost = int((~row.scores.double().isfinite()).sum())
    if bool(row.weights[0].isnan().any()):
        return [words.SAMPLE_LOST.say(language, dtype=state["dtype"], lost=lost)]
    if bool(row.weights[1].isnan().any()):
        lost = int((~row.scaled[1].isfinite()).sum())
        return [words.SAMPLE_DIVIDED_LOST.say(language, dtype=state["dtype"], divisor=divisor, lost=lost)]
    if lost:
        return [words.SAMPLE_SUNK.say(language, dtype=state["dtype"], lost=lost)]
    first, second = order[:2]
    gap = float(row.scores[first].double() - row.scores[second].double())
    if gap == 0:
        return [words.SAMPLE_TIE.say(language), *say_rest(state, sample)]
    before, after = (ratio(gap / number) for number in row.divided_by)
    told = {"gap": significant(gap), "before": before, "after": after}
    return [words.SAMPLE_SEE.say(language, **told, divisor=divisor), *say_rest(state, sample)]


def say_rest(state: State, sample: Sample) -> list[str]:
    """Say what weight the keys have that are not drawn, if any are not."""
    row, order = sample
    if len(order) <= MOST_DRAWN:
        return []
    before, after = (
        significant(float(row.weights[side].double()[order[MOST_DRAWN:]].sum())) for side in (0, 1)
    )
    counts = {"shown": MOST_DRAWN, "others": len(order) - MOST_DRAWN}
    return [words.SAMPLE_MORE.say(state.language, **counts, before=before, after=after)]


def ratio(gap: float) -> str:
    """Write e to the power of a gap, which may be larger than any number held."""
    return significant(math.exp(gap)) if gap < LARGEST_EXPONENT else f"(> e^{LARGEST_EXPONENT})"
