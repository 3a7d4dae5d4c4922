"""Four statements of published notes beside what is measured."""

import math
from dataclasses import replace

import streamlit as st
import torch
from torch import Tensor

from attention_core.examples import GPT2_SIZES
from attention_core.experiments.overflow import RUNS
from attention_core.experiments.scaling import DIVISORS, Saturation, draw_sample_row
from attention_core.sharpness import jacobian_norm
from dashboard import controls
from dashboard.controls import State
from dashboard.frame import source
from dashboard.number_format import significant
from dashboard.panels.scaling.fields import WIDEST
from dashboard.panels.scaling.model import Sampling, sampling_of, saturation_of
from dashboard.panels.scaling.settings import say_measured, width
from dashboard.text import Text
from dashboard.text import scaling as words

FEW_KEYS, MANY_KEYS = 16, 512
# 512 wide keys are many numbers: the wider, the fewer trials.
FEWEST_TRIALS, MOST_TRIALS, NUMBERS = 32, 1000, 8_000_000


@controls.fragment
def textbook(state: State) -> None:
    """Check each statement at the reader's width."""
    language = state.language
    st.markdown(words.TEXTBOOK.say(language))
    d_k = width(state)
    sampling = replace(sampling_of(state.defaults()), seed=state["seed"])
    checks = (
        (words.KEY_WIDTH_SAID, check_key_width(state, sampling)),
        (words.NAN_SAID, check_nan(state)),
        (words.STABLE_SAID, check_stable(state, sampling, d_k)),
        (words.LENGTH_SAID, check_length(state, sampling, d_k)),
    )
    for said, found in checks:
        st.markdown(state_and_check(state, said, found))
    st.caption(say_measured(state, sampling))
    source([*RUNS.values(), jacobian_norm], language)


def state_and_check(state: State, said: Text, found: str) -> str:
    """Set a statement beside what is found."""
    language = state.language
    statement = words.TEXTBOOK_SAYS.say(language, said=said.say(language))
    return f"{statement}  \n{words.TEXTBOOK_FOUND.say(language, found=found)}"


def unscaled(sampling: Sampling, d_k: int) -> Saturation:
    """Measure one width without a divisor."""
    return saturation_of(sampling, d_k)[DIVISORS.index("none")]


def check_key_width(state: State, sampling: Sampling) -> str:
    """How wide a key of GPT-2 is."""
    sizes = [f"{name} {d_model} / {h} = {d_model // h}" for name, (d_model, h) in GPT2_SIZES.items()]
    of_head, of_notes = (unscaled(sampling, d_k) for d_k in (64, 1024))
    return words.KEY_WIDTH_FOUND.say(
        state.language,
        sizes=words.LIST_COMMA.say(state.language).join(sizes),
        std_64=significant(of_head.scaled_std),
        expected_64=significant(of_head.expected_std),
        std_1024=significant(of_notes.scaled_std),
        expected_1024=significant(of_notes.expected_std),
    )


def check_nan(state: State) -> str:
    """Where NaN comes from."""
    row, nothing = torch.tensor([1e4, 0.0]), torch.full((2,), -math.inf)
    return words.NAN_FOUND.say(
        state.language,
        softmax=listed(row.softmax(dim=-1)),
        log=listed(row.log_softmax(dim=-1).exp()),
        naive=listed(RUNS["naive"](row)["weights"]),
        nothing=listed(nothing.softmax(dim=-1)),
        nothing_log=listed(nothing.log_softmax(dim=-1).exp()),
    )


def check_stable(state: State, sampling: Sampling, d_k: int) -> str:
    """Whether another way of computing softmax saves the gradient, and whether a divisor does."""
    language, scores = state.language, draw_sample_row(d_k, seed=state["seed"]).scores
    norms = {
        form: significant(float(jacobian_norm(RUNS[form](scores)["weights"]))) for form in ("shifted", "log")
    }
    by_name = dict(zip(DIVISORS, saturation_of(sampling, d_k), strict=True))
    none, root = (by_name[name].jacobian_norm.mean for name in ("none", "sqrt_d_k"))
    text = words.STABLE_SCALED if none < root else words.STABLE_NOT_YET
    means = {"none": significant(none), "root": significant(root)}
    found = words.STABLE_FOUND.say(language, d_k=d_k, **norms)
    return f"{found} {text.say(language, trials=sampling.trials, **means)}"


def trials_at(d_k: int) -> int:
    """Say how many trials are drawn of many keys of one width."""
    return max(FEWEST_TRIALS, min(MOST_TRIALS, NUMBERS // ((MANY_KEYS + 1) * d_k)))


def check_length(state: State, sampling: Sampling, d_k: int) -> str:
    """Whether scores grow with the number of keys."""
    trials = trials_at(d_k)
    few = replace(sampling, trials=trials)
    wide = 16 * d_k if 16 * d_k <= WIDEST else d_k // 16
    short, long = (unscaled(replace(few, n_keys=n), d_k) for n in (FEW_KEYS, MANY_KEYS))
    return words.LENGTH_FOUND.say(
        state.language,
        d_k=d_k,
        short=significant(short.scaled_std),
        long=significant(long.scaled_std),
        wide=wide,
        expected=significant(short.expected_std),
        wider=significant(unscaled(few, wide).scaled_std),
        trials=trials,
        short_top=significant(short.largest_weight.mean),
        long_top=significant(long.largest_weight.mean),
    )


def listed(numbers: Tensor) -> str:
    """Write a few numbers in a row."""
    return f"[{', '.join(map(significant, numbers.tolist()))}]"
