"""What the checks say of each way of reshaping: the table, the sentences, the question."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from attention_core.experiments.reshape_faults import (
    TOLERANCE,
    Way,
    WayRecord,
    hand_literal,
    take_round_trips,
)
from dashboard.frame import asked_parts
from dashboard.grid import verdicts_first
from dashboard.grid.bench import Area, Part
from dashboard.number_format import significant
from dashboard.number_table import table_part
from dashboard.panels.heads.fault_model import Setting, infinite_of
from dashboard.text import Language
from dashboard.text import head_faults as words

# In the order of the table's columns; the last looks at no output.
CHECKS = ("leak", "reach", "items", "literal", "sums", "trip")
WITHOUT_NUMBER = frozenset({"literal", "trip"})


def is_caught(record: WayRecord, check: str) -> bool:
    """Tell whether a check fails; the round trip is a check like the others."""
    return not record.passes_round_trip if check == "trip" else record.caught[check]


def number_of(record: WayRecord, check: str) -> float:
    """Give what a check measured; 1 for one that only says yes or no, and says no."""
    return {
        "leak": record.leak,
        "reach": record.n_unreached,
        "items": record.mixing,
        "literal": not record.literal,
        "sums": record.sums_difference,
        "trip": not record.passes_round_trip,
    }[check]


def checks_part(records: Sequence[WayRecord], language: Language) -> Part:
    """Describe the table: a row for each way, what each check measured, and whether that caught it."""
    values = [
        [record.out_difference, *(float(number_of(record, check)) for check in CHECKS)] for record in records
    ]
    part = table_part(
        values,
        words.TABLE.say(language),
        language,
        rows=[name_of(record.way, language) for record in records],
        columns=[words.CHECKS[name].say(language) for name in ("difference", *CHECKS)],
        verdicts=[say_shape(record, language) for record in records],
        verdict=words.SHAPE.say(language),
    )
    texts = [
        text
        for record, row in zip(records, values, strict=True)
        for text in (significant(row[0]), *(cell_text(record, check, language) for check in CHECKS))
    ]
    exact = [
        text if place % len(values[0]) and CHECKS[place % len(values[0]) - 1] in WITHOUT_NUMBER else number
        for place, (text, number) in enumerate(zip(texts, part.data["exact"], strict=True))
    ]
    marked = [
        row * len(values[0]) + column
        for row, record in enumerate(records)
        for column, check in enumerate(CHECKS, start=1)
        if is_caught(record, check)
    ]
    own = {
        **part.data["words"],
        "row": words.WAY_ROW.say(language),
        "column": words.CHECK_COLUMN.say(language),
    }
    own["marked"] = words.CAUGHT_FRAME.say(language)
    return verdicts_first(
        replace(part, data={**part.data, "texts": texts, "exact": exact, "marked": marked, "words": own})
    )


def name_of(way: Way, language: Language) -> str:
    """Name a way, the right one too."""
    return words.WAYS.get(way, words.RIGHT).say(language)


def say_shape(record: WayRecord, language: Language) -> str:
    """Write the shape, and whether that gives the fault away."""
    if record.way == "right":
        return f"{list(record.shape)}"
    verdict = words.MISSED if record.has_right_shape else words.CAUGHT
    return f"{list(record.shape)} {verdict.say(language)}"


def cell_text(record: WayRecord, check: str, language: Language) -> str:
    """Write whether a check catches a way, and what it measured where that is a number."""
    verdict = words.CAUGHT if is_caught(record, check) else words.MISSED
    if record.way == "right" and not is_caught(record, check):
        verdict = words.PASSES
    return verdict.say(language) + ("" if check in WITHOUT_NUMBER else f" {written(record, check)}")


def written(record: WayRecord, check: str) -> str:
    """Write what a check measured; pairs are counted."""
    number = number_of(record, check)
    return str(number) if check == "reach" else significant(number)


def say_fault(record: WayRecord, setting: Setting, language: Language) -> list[str]:
    """Say what differs, why, and what hides it; which checks see it stands in the table."""
    said = [say_difference(record, setting, language)]
    if not any(is_caught(record, check) for check in CHECKS):
        said.append(words.CATCHES_NOT.say(language))
    opening = words.WHY if record.out_difference > TOLERANCE else words.WHY_ELSEWHERE
    said.append(words.WHYS[record.way].say(language, opening=opening.say(language)))
    if record.way == "softmax_over_heads":
        said.append(say_infinite(setting, language))
    return [*said, say_round_trips(language), words.SIZES.say(language)]


def say_difference(record: WayRecord, setting: Setting, language: Language) -> str:
    """Say how far the numbers of the first item and of the batch lie apart, or that and why they do not."""
    shape, apart = f"{list(record.shape)}", significant(record.out_difference)
    if record.out_difference > TOLERANCE:
        return words.DIFFERS.say(language, shape=shape, first=significant(record.first_difference), all=apart)
    ones = harmless_sizes(record.way, setting)
    return words.HARMLESS.say(language, shape=shape, all=apart, sizes=words.BETWEEN.say(language).join(ones))


def harmless_sizes(way: Way, setting: Setting) -> list[str]:
    """Name the sizes of 1 that leave a fault nothing to put out of order."""
    sizes = {"B": setting.batch, "N": setting.n, "h": setting.n_heads}
    matters = {"heads_before_batch": "Bh"}.get(way, "Nh")
    return [f"{letter} = 1" for letter in matters if sizes[letter] == 1]


def say_infinite(setting: Setting, language: Language) -> str:
    """Say what −∞ in place of −1e9 does to softmax over the heads, run just now on the same numbers."""
    record = infinite_of(setting)
    if not record.n_nan:
        return words.INFINITE_NONE.say(language)
    return words.INFINITE.say(language, nan=record.n_nan, all=record.out.numel())


def say_round_trips(language: Language) -> str:
    """Say what comes back from one view, and from both."""
    x, heads = hand_literal()
    trips = take_round_trips(x, heads.shape[1])[1:4]
    by_merge, by_split, both = (words.COMES_BACK[trip.is_identity].say(language) for trip in trips)
    return words.ROUND_TRIPS.say(language, split=by_split, merge=by_merge, both=both)


def question_parts(records: Sequence[WayRecord], language: Language) -> dict[str, tuple[Area, Part]]:
    """Ask which two checks are enough; the answer is counted from the records."""
    wrong = [record for record in records if record.way != "right"]
    escaped = [record.way for record in wrong if not any(is_caught(record, check) for check in CHECKS)]
    between = words.BETWEEN.say(language)
    if escaped:
        answer = words.ANSWER_NONE.say(language, ways=between.join(name_of(way, language) for way in escaped))
    else:
        pairs = [
            words.PAIR.say(
                language, one=words.NAMES[one].say(language), other=words.NAMES[other].say(language)
            )
            for one, other in combinations(CHECKS, 2)
            if all(is_caught(record, one) or is_caught(record, other) for record in wrong)
        ]
        answer = words.ANSWER.say(language, pairs=words.BETWEEN_PAIRS.say(language).join(pairs))
    return asked_parts(words.QUESTION.say(language), answer, language)
