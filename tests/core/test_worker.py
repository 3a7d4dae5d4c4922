"""What the process for long work takes: lines that name a function of its table, and nothing else."""

import io
import json
import threading

import pytest

from attention_core.experiments import LONG_WORK
from attention_core.experiments.decoding import DecodingPlan, write_in_stretches
from attention_core.experiments.timed_kernels import Plan, measure_plan
from attention_core.worker import read_request, serve, write_request

PLANS = (
    (write_in_stretches, DecodingPlan(n=9, d_model=8, n_heads=2, width=3, cache="rolling", dtype="bfloat16")),
    (measure_plan, Plan(kernels=("math", "window"), lengths=(8, 16), mask="causal", with_backward=True)),
)


@pytest.mark.parametrize(("work", "plan"), PLANS)
def test_a_plan_arrives_as_it_was_sent(work, plan) -> None:
    line = write_request(work, (plan,))
    assert line.count(b"\n") == 1
    assert read_request(line, LONG_WORK) == (work, {"plan": plan})


def asked(module: str, function: str, **arguments: object) -> str:
    return json.dumps({"module": module, "function": function, "arguments": arguments})


REFUSED = (
    (asked("os", "system", command="exit 1"), "ValueError: work is one of"),
    (asked("builtins", "eval", source="1"), "ValueError: work is one of"),
    (asked("attention_core.experiments.decoding", "measure_decoding", n=2), "ValueError: work is one of"),
    (
        asked("attention_core.experiments.decoding", "write_in_stretches.__init__"),
        "ValueError: work is one of",
    ),
    (
        asked("attention_core.experiments", "decoding.write_in_stretches", plan={}, other=1),
        "TypeError: got an unexp",
    ),
    (asked("attention_core.experiments.decoding", "write_in_stretches"), "TypeError: missing a required"),
    (
        asked("attention_core.experiments.decoding", "write_in_stretches", plan={"n": 0}),
        "ValueError: n must be from 1",
    ),
    (
        asked("attention_core.experiments.decoding", "write_in_stretches", plan={"__class__": "os"}),
        "TypeError: DecodingPlan.__init__",
    ),
    (asked("attention_core.experiments.decoding", "write_in_stretches", plan=1), "TypeError: 'int'"),
    ("[]", "ValueError: a request names"),
    ('{"module": ["os"], "function": "system", "arguments": {}}', "ValueError: a request names"),
    ("gASVHwAAAAAAAACMBXBvc2l4lIwGc3lzdGVtlJOUjARleGl0lIWUUpQu", "JSONDecodeError: "),
    ("[" * 100_000, "RecursionError: "),
    ("\x80", "JSONDecodeError: "),
)


@pytest.mark.parametrize(("line", "said"), REFUSED, ids=range(len(REFUSED)))
def test_a_line_that_names_anything_else_is_refused_in_words_and_the_next_one_runs(
    unchecked, line: str, said: str
) -> None:
    after = write_request(write_in_stretches, (DecodingPlan(n=1, d_model=2, n_heads=1),))
    answered, ended = io.BytesIO(), threading.Event()
    serve(io.BytesIO(line.encode() + b"\n" + after), answered, LONG_WORK, lambda: "here", ended.set)
    answers = [json.loads(one) for one in answered.getvalue().splitlines()]
    assert [kind for kind, _ in answers] == ["error", "begun", "item", "end"]
    assert answers[0][1].startswith(said)
    assert ended.is_set()
