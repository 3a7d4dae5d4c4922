"""What the measuring view says: the growth of memory, how exact, how fast, what torch chooses, a question."""

from attention_core.components import spacing_at
from attention_core.device import CPU
from attention_core.experiments.timed_kernels import BACKENDS, Absent, count_moved, probe_side
from attention_core.kernel_readings import (
    extrapolate,
    fit_growth,
    foresee_seconds,
    speed_ups,
)
from dashboard.grid.lines import word
from dashboard.number_format import significant
from dashboard.panels.complexity.measured import Measured, in_shown, joined, listed, name_of, valued, where
from dashboard.text import Language
from dashboard.text import complexity_measure as words

# Kernels that compute the definition itself, in another order of steps.
SAME = ("traced", *BACKENDS)
FUSED = ("flash", "efficient")
# So many times the spacing of the numbers passes for rounding: a row adds up as many products as it is long.
ROUNDING = 64


def readings(measured: Measured, language: Language) -> list[str]:
    """Say what the numbers show; a sentence that they do not suffice for is left away."""
    said = [
        *say_growth(measured, language),
        *say_exact(measured, language),
        *say_speed(measured, language),
        *say_beyond(measured, language),
        *say_moved(measured, language),
        *say_chosen(measured, language),
    ]
    return said + [say_absent(measured, one, language) for one in _each_once(measured.absent)]


def say_growth(measured: Measured, language: Language) -> list[str]:
    """Compare the peaks of the two longest lengths, for each kernel that has both."""
    if len(measured.lengths) < 2:
        return []
    first, last = measured.lengths[-2:]
    both = {
        kernel: [measured.read(kernel, n, "memory") for n in (first, last)] for kernel in measured.kernels
    }
    times = {kernel: after / before for kernel, (before, after) in both.items() if before and after}
    if not times:
        return []
    told = [
        words.KERNEL_TIMES.say(language, kernel=name_of(kernel, language), times=significant(value))
        for kernel, value in times.items()
    ]
    longer = last / first
    fields = {"first": f"{first:,}", "last": f"{last:,}", "longer": f"{longer:g}", "square": f"{longer**2:g}"}
    return [words.GREW.say(language, **fields, kernels=listed(told, language))]


def say_exact(measured: Measured, language: Language) -> list[str]:
    """Compare outputs with the definition in float64; what computes something else is said apart."""
    compared = [point for point in measured.points if point.difference is not None]
    largest = {
        kernel: max(point.difference for point in compared if point.kernel == kernel)
        for kernel in measured.kernels
        if any(point.kernel == kernel for point in compared)
    }
    same = {kernel: value for kernel, value in largest.items() if kernel in SAME}
    others = {kernel: value for kernel, value in largest.items() if kernel not in SAME}
    dtype, said = measured.plan.dtype, []
    if same:
        longest = max(point.n for point in compared)
        fields = {"n": f"{longest:,}", "dtype": dtype, "eps": significant(spacing_at(1, dtype))}
        said.append(words.EXACT.say(language, **fields, kernels=valued(same, language)))
    fused = [value for kernel, value in same.items() if kernel in FUSED]
    if fused and max(fused) <= ROUNDING * spacing_at(1, dtype):
        said.append(words.EXACT_FUSED.say(language))
    if others:
        said.append(words.OTHERS_DIFFER.say(language, kernels=valued(others, language)))
    return said


def say_speed(measured: Measured, language: Language) -> list[str]:
    """Compare with the definition at the longest length at which it was measured."""
    times = speed_ups(measured.points)
    if not times:
        return [words.NO_BASE.say(language)]
    longest = max(n for _, n in times)
    others = {kernel: value for (kernel, n), value in times.items() if n == longest and kernel != "traced"}
    if not others:
        return []
    base = significant(measured.read("traced", longest, "time"))
    said = words.FASTER.say(language, n=f"{longest:,}", base=base, kernels=valued(others, language))
    return [joined([said, words.FASTER_WHERE[measured.plan.device != CPU].say(language)], language)]


def say_beyond(measured: Measured, language: Language) -> list[str]:
    """Compare time with the formula's at the longest length."""
    if not measured.points:
        return []
    n = measured.lengths[-1]
    times = {
        point.kernel: point.median_s / foresee_seconds(point.kernel, measured.setting(n), measured.rates)
        for point in measured.points
        if point.n == n
    }
    fields = {"n": f"{n:,}", "kernels": valued(times, language)}
    if measured.plan.with_backward:
        return [words.BEYOND_BACKWARD.say(language, **fields)]
    is_below = min(times.values()) < 1
    side = probe_side(measured.plan.device)
    why = words.BELOW_WHY.say(language, side=side) if is_below else words.BEYOND_WHY.say(language)
    return [joined([words.BEYOND.say(language, **fields), why], language)]


def say_moved(measured: Measured, language: Language) -> list[str]:
    """Compare by formula what the two ways move."""
    if not measured.points:
        return []
    n = measured.lengths[-1]
    full, fused = (count_moved(kernel, measured.setting(n)) for kernel in ("traced", "flash"))
    fields = {"n": f"{n:,}", "full": f"{full:,}", "fused": f"{fused:,}"}
    return [words.MOVED.say(language, **fields, times=significant(full / fused))]


def say_chosen(measured: Measured, language: Language) -> list[str]:
    """Say what torch chooses by itself, and which of its kernels cannot run."""
    chosen = measured.chosen
    if chosen is None:
        return []
    cases = [
        words.CASE.say(language, mask=words.MASKS[mask].say(language), kernel=name_of(kernel, language))
        for mask, kernel in chosen.by_mask
    ]
    said = words.CHOSEN.say(
        language,
        plain=name_of(chosen.plain, language),
        masks=listed(cases, language),
        dropout=name_of(chosen.with_dropout, language),
        learnt=name_of(chosen.with_learnt_mask, language),
    )
    told = {one.kernel for one in measured.absent if not one.is_full}
    ruled_out = [
        words.RULED_OUT.say(language, kernel=name_of(kernel, language), said=word(reason))
        for kernel, reason in chosen.reasons
        if kernel not in told
    ]
    return [said, *ruled_out]


def say_absent(measured: Measured, one: Absent, language: Language) -> str:
    """Say why a kernel was not measured."""
    if one.is_full:
        fields = {"n": f"{one.n:,}", "device": where(measured.plan.device), "said": word(one.reason)}
        reason = words.REASON_FULL.say(language, **fields)
    elif one.kernel == "linear" and measured.plan.mask == "explicit":
        reason = words.REASON_LINEAR.say(language)
    else:
        reason = words.REASON_TORCH.say(language, said=word(one.reason))
    return words.ABSENT.say(language, kernel=name_of(one.kernel, language), reason=reason)


def _each_once(absent: tuple[Absent, ...]) -> list[Absent]:
    return list({(one.kernel, one.is_full and one.n): one for one in absent}.values())


def question(measured: Measured, language: Language) -> str:
    """Ask for the next doubling."""
    return words.QUESTION.say(language, n=f"{2 * measured.lengths[-1]:,}")


def answer(measured: Measured, language: Language) -> str | None:
    """Go on with the fitted powers; None where fewer than two lengths are there."""
    told, n = [], 2 * measured.lengths[-1]
    for kernel in measured.kernels:
        fits = {
            meter: fit_growth(kernel, meter, measured.points, measured.plan) for meter in ("time", "memory")
        }
        found = {meter: in_shown(extrapolate(fit, n), meter) for meter, fit in fits.items()}
        if found["time"] is None:
            continue
        fields = {"kernel": name_of(kernel, language), "seconds": significant(found["time"])}
        if found["memory"] is None:
            told.append(words.ANSWER_TIME.say(language, **fields))
        else:
            told.append(words.ANSWER_ONE.say(language, **fields, memory=significant(found["memory"])))
    return words.ANSWER.say(language, n=f"{n:,}", kernels=listed(told, language)) if told else None
