"""A judge nobody here wrote: the onnx package's own cases of its Attention operator."""

from collections import Counter

import pytest
import torch
from torch.testing import assert_close

from tests.core import onnx_adapter

CASES, LEFT_OUT = onnx_adapter.collect()
TOLERANCE = {
    torch.float32: {"rtol": 1e-5, "atol": 1e-6},
    torch.float16: {
        "rtol": 2e-3,
        "atol": 1e-3,
    },  # onnx computes every step in the half type, we only the last
    torch.bfloat16: {"rtol": 1e-2, "atol": 1e-2},
}


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_onnx_case(case):
    found = onnx_adapter.run(case)
    assert found.keys() == case.expected.keys()
    for name, expected in case.expected.items():
        assert_close(
            found[name], expected, **TOLERANCE[case.dtype], msg=lambda text, name=name: f"{name}: {text}"
        )


def test_every_case_runs_but_those_that_only_repeat_another():
    """The count moves with onnx: whoever updates it looks at what is new."""
    assert len(CASES) == 93
    assert Counter(LEFT_OUT.values()) == {"the operator written out in others: same inputs, same outputs": 93}
    assert {name.split("_expanded")[0] for name in LEFT_OUT} == {case.name for case in CASES}


def test_the_cases_cover_what_the_core_offers():
    inputs = Counter(name for case in CASES for name in case.inputs)
    attributes = Counter(
        name for case in CASES for name, value in case.attributes.items() if value not in (0, -1)
    )
    types = Counter(str(case.dtype) for case in CASES)
    assert min(inputs["attn_mask"], inputs["past_key"], inputs["nonpad_kv_seqlen"]) >= 10
    assert min(attributes["is_causal"], attributes["q_num_heads"], attributes["softcap"]) >= 10
    assert attributes["left_window_size"] >= 5
    assert types.keys() == {"torch.float32", "torch.float16", "torch.bfloat16"}
    assert sum(case.inputs["Q"].shape[1] != case.inputs["K"].shape[1] for case in CASES) >= 10
    assert sum(case.inputs["K"].shape[-1] != case.inputs["V"].shape[-1] for case in CASES) >= 10
