"""Run the cases that the onnx package ships for its Attention operator through our attention.

The operator's semantics are translated, never changed: heads side by side are split, a past is put before the keys,
masks, windows and lengths become one bool mask, a float mask becomes the bias.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import onnx
import torch
from onnx.backend.test.case import node as node_cases
from onnx.backend.test.case.test_case import TestCase

from attention_core import masks
from attention_core.multi_head import merge_heads, split_heads
from attention_core.steps import scaled_dot_product_attention
from attention_core.trace import AttentionTrace

# Every attribute the cases use. softmax_precision is known and not followed: softmax runs in float32 or wider anyway.
KNOWN = {
    "scale",
    "softcap",
    "is_causal",
    "q_num_heads",
    "kv_num_heads",
    "left_window_size",
    "right_window_size",
}
KNOWN |= {"qk_matmul_output_mode", "softmax_precision"}
QK_OUTPUT = ("scaled", "scaled", "masked", "weights")  # what mode 0, 1, 2, 3 of the fourth output shows


@dataclass(frozen=True)
class Case:
    """Hold one case: the operator's inputs and expected outputs by name, and its attributes."""

    name: str
    inputs: dict[str, torch.Tensor]
    expected: dict[str, torch.Tensor]
    attributes: dict[str, float]

    @property
    def dtype(self) -> torch.dtype:
        return self.inputs["Q"].dtype


def collect() -> tuple[list[Case], dict[str, str]]:
    """Build every Attention case in memory.

    Returns:
        The cases that apply, and for each other the reason why it does not.
    """
    before = node_cases._TargetOpType
    node_cases._TargetOpType = "Attention"  # keeps the module from building the cases of what it imports
    try:
        from onnx.backend.test.case.node import attention  # noqa: F401  importing builds the cases
    finally:
        node_cases._TargetOpType = before
    cases, left_out = [], {}
    for test in node_cases._NodeTestCases:
        (node, *others) = test.model.graph.node
        if others or node.op_type != "Attention":
            if "attention" in test.name:
                left_out[test.name] = "the operator written out in others: same inputs, same outputs"
            continue
        cases.append(_case(test, node))
    return cases, left_out


def run(case: Case) -> dict[str, torch.Tensor]:
    """Compute every output that the case expects."""
    inputs, attributes = case.inputs, case.attributes
    assert attributes.keys() <= KNOWN, attributes.keys() - KNOWN
    q, k, v = inputs["Q"], inputs["K"], inputs["V"]
    is_flat = q.ndim == 3
    if is_flat:
        q = split_heads(q, int(attributes["q_num_heads"]))
        k, v = (split_heads(x, int(attributes["kv_num_heads"])) for x in (k, v))
    if "past_key" in inputs:
        k = torch.cat([inputs["past_key"], k], dim=-2)
        v = torch.cat([inputs["past_value"], v], dim=-2)
    n, m = q.shape[-2], k.shape[-2]
    allowed, bias = _mask(inputs.get("attn_mask"), m)
    hidden = [mask for mask in (allowed, *_structure(case, n, m)) if mask is not None]
    trace = scaled_dot_product_attention(
        q,
        k,
        v,
        allowed=masks.both(*hidden) if hidden else None,
        bias=bias,
        scale=attributes.get("scale"),
        softcap=attributes.get("softcap") or None,
    )
    return _outputs(case, trace, k, v, is_flat)


def _case(test: TestCase, node: onnx.NodeProto) -> Case:
    """Name the inputs, which a test keeps in order without those left out."""
    given, wanted = test.data_sets[0]
    inputs = [name for name in node.input if name]
    outputs = [name for name in node.output if name]
    return Case(
        test.name,
        {name: _tensor(x) for name, x in zip(inputs, given, strict=True)},
        {name: _tensor(x) for name, x in zip(outputs, wanted, strict=True)},
        {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute},
    )


def _tensor(x: np.ndarray) -> torch.Tensor:
    """Turn an array into a tensor; numpy knows bfloat16 only through a type that torch does not read."""
    if x.dtype.name == "bfloat16":
        return torch.from_numpy(x.view(np.int16).copy()).view(torch.bfloat16)
    return torch.from_numpy(np.array(x))


def _mask(mask: torch.Tensor | None, m: int) -> tuple[torch.Tensor | None, torch.Tensor | None]:
    """Tell a bool mask from a bias; give both two axes, and hide the keys a short one does not mention."""
    if mask is None:
        return None, None
    is_bool = mask.dtype == torch.bool
    mask = torch.atleast_2d(mask)
    missing = m - mask.shape[-1]
    if missing > 0 and mask.shape[-1] > 1:
        mask = torch.nn.functional.pad(mask, (0, missing), value=False if is_bool else float("-inf"))
    return (mask, None) if is_bool else (None, mask)


def _structure(case: Case, n: int, m: int) -> list[torch.Tensor]:
    """Make the masks that follow from lengths and attributes.

    The first query stands behind the past, or so that the last one stands at the last key that is no filler.
    """
    lengths = case.inputs.get("nonpad_kv_seqlen")
    batch = case.inputs["Q"].shape[0]
    if lengths is not None:
        offsets = (lengths - n).tolist()
    else:
        past = case.inputs["past_key"].shape[-2] if "past_key" in case.inputs else 0
        offsets = [past] * batch
    found = [] if lengths is None else [masks.padding(lengths[:, None], m)]
    if case.attributes.get("is_causal"):
        found.append(_each(offsets, lambda offset: masks.causal(n, m, offset)))
    left = case.attributes.get("left_window_size", -1)
    right = case.attributes.get("right_window_size", -1)
    if left >= 0 and right >= 0:
        # A causal window that ends `right` keys later reaches as far on both sides.
        found.append(
            _each(offsets, lambda at: masks.window(n, m, left + right + 1, at + right, is_causal=True))
        )
    elif left >= 0:
        found.append(
            _each(
                offsets,
                lambda at: masks.either(
                    masks.window(n, m, left + 1, at, is_causal=True), ~masks.causal(n, m, at)
                ),
            )
        )
    elif right >= 0:
        found.append(_each(offsets, lambda offset: masks.causal(n, m, offset + right)))
    return found


def _each(offsets: list[int], make: Callable[[int], torch.Tensor]) -> torch.Tensor:
    """Make one mask for each sequence, with an axis for heads."""
    return torch.stack([make(offset) for offset in offsets])[:, None]


def _outputs(
    case: Case, trace: AttentionTrace, k: torch.Tensor, v: torch.Tensor, is_flat: bool
) -> dict[str, torch.Tensor]:
    """Name our results as the operator does."""
    shown = QK_OUTPUT[case.attributes.get("qk_matmul_output_mode", 0)]
    found = {
        "Y": merge_heads(trace.out) if is_flat else trace.out,
        "present_key": k,
        "present_value": v,
        "qk_matmul_output": getattr(trace, shown).to(case.dtype),
    }
    return {name: found[name] for name in case.expected}
