"""The settings of a measurement: what is asked for, whether it fits, and what would."""

from dataclasses import dataclass

import streamlit as st

from attention_core.experiments.timed_kernels import Plan, Prediction, largest_length, predict
from attention_core.kernel_readings import fitting_lengths
from attention_core.sizes import DTYPE_NAMES
from dashboard import cached, controls
from dashboard.controls import State
from dashboard.number_format import BINARY, in_units, significant
from dashboard.panels.complexity.measured import joined, settings_fields
from dashboard.text import complexity as lesson_words
from dashboard.text import complexity_measure as words

# Less than the queue allows, for what is foreseen may be passed.
MOST = Prediction(seconds=60.0, peak_bytes=2 * 2**30)
FIELDS = (
    "kernels",
    "lengths",
    "dtype",
    "mask",
    "backward",
    "heads",
    "d_k",
    "sequences",
    "repeats",
    "width",
)
BOX_WIDTH, LIST_WIDTH = 130, 150


@dataclass(frozen=True)
class Wish:
    """What the controls ask for.

    Attributes:
        plan: None where no kernel or no length is chosen.
        foreseen: What it would take.
    """

    plan: Plan | None
    foreseen: Prediction | None

    @property
    def is_legal(self) -> bool:
        """Tell whether it may be run."""
        return self.foreseen is not None and not self.foreseen.exceeds(MOST)


def read_wish(state: State) -> Wish:
    """Read the controls and foresee what they ask for."""
    if not state["kernels"] or not state["lengths"]:
        return Wish(None, None)
    plan = plan_of(state)
    return Wish(plan, predict(plan, cached.rates_of(plan.dtype, plan.device)))


def plan_of(state: State) -> Plan:
    """Put the settings together; where no kernel or length is chosen, with the first ones."""
    return Plan(
        kernels=state["kernels"] or Plan.kernels,
        lengths=tuple(map(int, state["lengths"])) or Plan.lengths,
        batch=state["sequences"],
        n_heads=state["heads"],
        d_k=state["d_k"],
        dtype=state["dtype"],
        device=state["device"],
        mask=state["mask"],
        with_backward=state["backward"],
        # Of a window alone; else it would make another plan of the same measurement.
        width=state["width"] if "window" in state["kernels"] else Plan.width,
        repeats=state["repeats"],
    )


def ask(state: State, wish: Wish) -> None:
    """Offer the settings; under them, what is wrong with them and what would be legal."""
    controls.choose_some(state, "kernels", words.KERNELS, words.KERNELS_HELP, words.NAMES)
    lengths = {option: f"{int(option):,}" for option in state.fields["lengths"].options}
    controls.choose_some(state, "lengths", words.LENGTHS, words.LENGTHS_HELP, lengths)
    label = words.FURTHER.say(state.language, **settings_fields(plan_of(state), state.language))
    with controls.disclosure(label, "measure.further") as is_open:
        if is_open:
            ask_further(state)
    say_wish(state, wish)


def ask_further(state: State) -> None:
    """Offer what is folded away at first."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        lists = {"in_sidebar": True, "width": LIST_WIDTH}
        dtypes = {dtype: dtype for dtype in DTYPE_NAMES}
        controls.choose(state, "dtype", words.DTYPE, words.DTYPE_HELP, dtypes, **lists)
        controls.choose(state, "mask", words.MASK, words.MASK_HELP, words.MASKS, **lists)
        box = {"width": BOX_WIDTH}
        controls.whole_number(state, "heads", words.HEADS, words.HEADS_HELP, **box)
        controls.whole_number(state, "d_k", words.D_K, words.D_K_HELP, **box)
        controls.whole_number(state, "sequences", words.SEQUENCES, words.SEQUENCES_HELP, **box)
        controls.whole_number(state, "repeats", words.REPEATS, words.REPEATS_HELP, **box)
        if "window" in state["kernels"]:
            controls.whole_number(state, "width", lesson_words.WIDTH, lesson_words.WIDTH_HELP, **box)
        controls.toggle(state, "backward", words.BACKWARD, words.BACKWARD_HELP)


def say_wish(state: State, wish: Wish) -> None:
    """Say what is foreseen, or why this is refused, with the nearest that is not."""
    language = state.language
    if wish.plan is None:
        say_nothing_chosen(state)
    elif wish.is_legal:
        seconds, memory = significant(wish.foreseen.seconds), in_memory(wish.foreseen.peak_bytes)
        st.caption(words.FORESEEN.say(language, seconds=seconds, memory=memory))
    else:
        refuse(state, wish.plan, wish.foreseen)


def say_nothing_chosen(state: State) -> None:
    """Say that something has to be chosen, and offer the first choice."""
    language = state.language
    between = lesson_words.BETWEEN.say(language)
    if not state["kernels"]:
        st.error(words.NO_KERNELS.say(language))
        first = state.fields["kernels"].default
        names = between.join(words.NAMES[kernel].say(language) for kernel in first)
        label = words.TAKE_KERNELS.say(language, names=names)
        controls.button(label, "measure.take.kernels", state.put, "kernels", first)
    if not state["lengths"]:
        st.error(words.NO_LENGTHS.say(language))
        first = state.fields["lengths"].default
        label = words.TAKE_LENGTHS.say(language, lengths=between.join(f"{int(n):,}" for n in first))
        controls.button(label, "measure.take.lengths", state.put, "lengths", first)


def refuse(state: State, plan: Plan, foreseen: Prediction) -> None:
    """Name the limits that are passed, and offer the lengths that stay within them."""
    language, rates = state.language, cached.rates_of(plan.dtype, plan.device)
    said = []
    if foreseen.seconds > MOST.seconds:
        seconds = significant(foreseen.seconds)
        said.append(words.TOO_LONG.say(language, seconds=seconds, most=f"{MOST.seconds:g}"))
    if foreseen.peak_bytes > MOST.peak_bytes:
        memory, most = in_memory(foreseen.peak_bytes), in_memory(MOST.peak_bytes)
        said.append(words.TOO_LARGE.say(language, memory=memory, most=most))
    kept, alone = fitting_lengths(plan, rates, MOST), largest_length(plan, rates, MOST)
    if kept:
        said.append(words.LARGEST.say(language, n=f"{alone:,}"))
    else:
        said.append(words.NOTHING_FITS.say(language, n=f"{min(plan.lengths):,}"))
    st.error(joined(said, language))
    if kept:
        label = words.TAKE_UP_TO.say(language, n=f"{kept[-1]:,}")
        controls.button(label, "measure.take.up_to", state.put, "lengths", tuple(map(str, kept)))
    else:
        controls.button(words.TAKE_FIRST.say(language), "measure.take.first", state.reset, FIELDS)


def in_memory(count: int) -> str:
    """Write bytes in the unit of which they hold one."""
    return in_units(count, BINARY)
