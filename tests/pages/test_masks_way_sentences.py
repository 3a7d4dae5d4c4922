"""Claim M3: what is said of a leak agrees with how far the outputs beside it moved, whatever is changed and where."""

import math
import re
from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np
import pytest
import torch

from attention_core.batch import draw_batch
from attention_core.components import DTYPES
from attention_core.experiments.masking import ROUNDING, Leak, attend_by, measure_leak
from dashboard.panels.masks.way_leaks import ALL, CHANGE_OF, outcome, say_leaks
from dashboard.panels.masks.way_reasons import TORCH, reasons
from dashboard.panels.masks.way_setting import PATTERN_OF, Setting
from dashboard.text import Text
from dashboard.text import mask_ways as words
from tests.pages.reading import told

NAMES = {text.en: way for way, text in (words.WAYS | words.KERNELS).items()}
NAMED = "“[^”]*”(?:, “[^”]*”)*"


@cache
def setting_of(n: int, mask: str, dtype: str, width: int = 4) -> Setting:
    tokens = tuple("abcde"[:n])
    batch = draw_batch((tokens,), d_model=6, seed=0, d_k=width, d_v=2, positions="sinusoidal")
    q, k, v = (x[0] for x in (batch.q, batch.k, batch.v))
    return Setting(tokens, q, k, v, PATTERN_OF[mask].build(n), "zero", dtype, 0, "en")


def attended(way: str, setting: Setting, k: torch.Tensor, v: torch.Tensor) -> np.ndarray:
    return attend_by(way)(setting.q.to(k.dtype), k, v, setting.allowed).double().numpy()


def moved_by_hand(setting: Setting, key: int, change: str, part: str) -> dict[str, np.ndarray | None]:
    """How far each hidden output moved: "was" where it was NaN already; None where torch refuses."""
    k, v = (x.to(DTYPES[setting.dtype]) for x in (setting.k, setting.v))
    new_k, new_v = k.clone(), v.clone()
    for x, is_changed in ((new_k, part != "v"), (new_v, part != "k")):
        if is_changed:
            x[key] += torch.tensor(CHANGE_OF[change], dtype=torch.float64).to(x.dtype)
    hidden = (~setting.allowed[:, key]).nonzero().flatten().tolist()
    table: dict = {}
    for way in ALL:
        try:
            before, after = attended(way, setting, k, v), attended(way, setting, new_k, new_v)
        except RuntimeError:
            table[way] = None
            continue
        rows = {n: np.abs(after[n] - before[n]).max() for n in hidden}
        table[way] = {n: "was" if np.isnan(before[n]).any() else row for n, row in rows.items()}
    return table


def matches(text: Text, said: str) -> list[dict[str, str]]:
    """Where a sentence stands in what is said, and what it cites."""
    pattern = re.escape(text.en)
    for name in text.fields("en"):
        kinds = {"d": r"\d+", "s": NAMED if name == "names" else ".*?"}
        for kind, shape in kinds.items():
            pattern = pattern.replace(re.escape(f"%({name}){kind}"), f"(?P<{name}>{shape})", 1)
            pattern = pattern.replace(re.escape(f"%({name}){kind}"), f"(?P={name})")
    return [found.groupdict() for found in re.finditer(pattern, said)]


def ways_in(text: Text, said: str) -> set[str]:
    """The ways that a sentence names."""
    cited = [name for found in matches(text, said) for name in re.findall("“(.*?)”", found["names"])]
    return {NAMES[name] for name in cited}


def says_of(setting: Setting, leaks: list[Leak], change: str) -> str:
    """All that is said of what leaks."""
    return "\n".join([*say_leaks({"way_change": change}, setting, leaks), *reasons(setting, leaks)])


def facts_of(table: dict, size: float, dtype: str) -> dict[str, set[str]]:
    """Sort the ways by their numbers, each set computed from them alone."""
    bound = ROUNDING * torch.finfo(DTYPES[dtype]).eps * size
    rows = {way: [x for x in row.values() if x != "was"] for way, row in table.items() if row is not None}
    return {
        "leaking": {way for way, row in rows.items() if any(not x <= bound for x in row)},
        "still": {way for way, row in rows.items() if row and not any(x != 0 for x in row)},
        "unmeasured": {way for way, row in rows.items() if not row},
        "was_nan": {way for way, row in rows.items() if len(row) < len(table[way])},
        "infinite": {way for way, row in rows.items() if math.inf in row},
        "finite": {way for way, row in rows.items() if any(map(math.isfinite, row))},
    }


def wrong_names(said: str, facts: dict[str, set[str]]) -> Iterator[str]:
    """Sentences that name a way which did something else."""
    for text in (words.WHO_LEAKS, words.ADDED_LEAKS, words.MULTIPLIED, words.BLIND_LEAKS):
        if not ways_in(text, said) <= facts["leaking"]:
            yield text.en
    for text in (words.FILLED, words.ADDED_HOLDS):
        if not ways_in(text, said) <= facts["still"]:
            yield text.en
    if ways_in(words.SAY_WAS_NAN, said) != facts["was_nan"]:
        yield words.SAY_WAS_NAN.en
    if not ways_in(words.VALUE_INF, said) <= facts["infinite"]:
        yield words.VALUE_INF.en
    if matches(words.VALUE_NAN, said) and facts["finite"]:
        yield words.VALUE_NAN.en


def wrong_counts(said: str, facts: dict[str, set[str]], scores: list[float]) -> Iterator[str]:
    """Sentences that count the ways, or the scores, otherwise than they are."""
    (see,) = matches(words.LEAK_SEE, said)
    unmeasured = len(facts["unmeasured"])
    if (int(see["still"]), int(see["leaking"])) != (len(facts["still"]), len(facts["leaking"])):
        yield words.LEAK_SEE.en
    kinds = ("still", "rounding", "leaking", "refused")
    if sum(int(see[kind]) for kind in kinds) + unmeasured != len(ALL):
        yield "a way is counted twice, or not at all"
    alike = [int(found["ways"]) for found in matches(words.ALL_WERE_NAN, said)]
    if alike != [unmeasured] * bool(unmeasured):
        yield words.ALL_WERE_NAN.en
    counts = {"minus": scores.count(-math.inf), "plus": scores.count(math.inf), "hidden": len(scores)}
    for found in matches(words.KEY_INF, said):
        if any(int(found[name]) != count for name, count in counts.items()):
            yield words.KEY_INF.en
    torch_leaks = len(facts["leaking"] & set(TORCH))
    if any(int(found["found"]) != torch_leaks for found in matches(words.BY_TORCH, said)):
        yield words.BY_TORCH.en


def wrong_outcomes(setting: Setting, leaks: list[Leak], facts: dict[str, set[str]]) -> Iterator[str]:
    """Words at the end of a row that its numbers do not bear out."""
    for leak in leaks:
        text = outcome(leak, setting)
        is_said = {
            "unmeasured": text == words.WAS_NAN.en,
            "still": words.STILL.en in text,
            "leaking": text.startswith("leaks"),
        }
        if any((leak.way in facts[kind]) != said for kind, said in is_said.items()):
            yield f"{leak.way}: {text}"


def contradictions(setting: Setting, key: int, change: str, part: str) -> list[str]:
    """Name the sentences that the numbers do not bear out."""
    table = moved_by_hand(setting, key, change, part)
    asked = {"key": key, "change": CHANGE_OF[change], "part": part}
    tensors = (setting.q, setting.k, setting.v, setting.allowed)
    leaks = [measure_leak(*tensors, way, setting.dtype, **asked) for way in ALL]
    said = says_of(setting, leaks, change)
    facts = facts_of(table, float(setting.v.abs().max()), setting.dtype)
    hidden = (~setting.allowed[:, key]).nonzero().flatten().tolist()
    with np.errstate(invalid="ignore"):
        scores = [float((query * math.inf).sum()) for query in setting.q.numpy()[hidden]]
    found = [
        *wrong_names(said, facts),
        *wrong_counts(said, facts, scores),
        *wrong_outcomes(setting, leaks, facts),
    ]
    found += [
        f"{way}: not of a blind query"
        for way, row in table.items()
        for n in row or ()
        if row[n] == "was" and n not in setting.blind
    ]
    where = f"token {key + 1}, {change}, {part}: {said} {table}"
    return [f"{one} | {where}" for one in found]


# A count, and a word that fits more than one alone; of the ways and of the question's keys there are always several.
PLURAL = re.compile(r"%\((?!ways|n_hidden)\w+\)d (?:(?!this)[a-z]+s|are|have|leak|move|hold)\b")


def test_M3_no_count_stands_before_a_plural() -> None:
    asked = (words.QUESTION, words.ANSWER)
    texts = [text for text in vars(words).values() if isinstance(text, Text) and text not in asked]
    texts += [text for group in vars(words).values() if isinstance(group, dict) for text in group.values()]
    said = [text.en for text in texts if isinstance(text, Text)]
    assert len(said) > 80
    assert [text for text in said if PLURAL.search(text)] == []


CASES = [
    (5, "causal", "float64", 4, 4),
    (5, "future", "float64", 4, 0),
    (5, "future", "float64", 4, 4),
    (5, "future", "float64", 1, 1),
    (5, "others", "float16", 4, 2),
    (2, "future", "float16", 4, 0),
    (1, "others", "float64", 4, 0),
]


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """Small products: a second thread only waits where the processor is shared."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.parametrize(("n", "mask", "dtype", "width", "key"), CASES)
def test_M3_no_sentence_of_a_leak_contradicts_its_numbers(
    n: int, mask: str, dtype: str, width: int, key: int
) -> None:
    setting = setting_of(n, mask, dtype, width)
    for change, part in product(CHANGE_OF, words.PARTS):
        assert not contradictions(setting, key, change, part)


def test_M3_calls_of_torch_whose_output_was_nan_before_are_not_counted_as_sound(open_page) -> None:
    query = {"text": "a", "way_mask": "future", "way_key": "1", "way_change": "nan", "way_part": "v"}
    at = open_page("masks", lang="en", view="ways", way_dtype="float32", **query)
    assert any("of those that can be measured: 3 of 3." in text for text in told(at))
