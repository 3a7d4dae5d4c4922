"""Copyable code: a mask in one convention, turned into what a call takes, and the call. It runs with torch alone."""

from attention_core.conventions import Convention
from attention_core.experiments.mask_feeds import Call, values_of
from dashboard.panels.masks.typed_mask import Rows

WRITTEN = {
    "allowed": ("False", "True"),
    "blocked": ("True", "False"),
    "additive": ("-inf", "0.0"),
    "binary": ("0.0", "1.0"),
}
# What each call takes, the type of mask that says most first.
TAKES: dict[Call, tuple[Convention, ...]] = {
    "sdpa": ("allowed", "additive"),
    "mha": ("blocked", "additive"),
    "mha_padding": ("blocked", "additive"),
    "core": ("allowed",),
    "core_bias": ("additive",),
}
ALLOWED = {"allowed": "mask", "blocked": "~mask", "additive": "mask == 0", "binary": "mask == 1"}
BLOCKED = {"allowed": "~mask", "blocked": "mask", "additive": "mask == -inf", "binary": "mask == 0"}
# By call: its lines, with the mask already in the right convention.
LINES = {
    "sdpa": "out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)",
    "mha": "out = mha(q, k, v, attn_mask=mask)[0]",
    "mha_padding": "out = mha(q, k, v, key_padding_mask=mask[0])[0]",
    "core": "out = scaled_dot_product_attention(q, k, v, allowed=mask).out",
    "core_bias": "out = scaled_dot_product_attention(q, k, v, bias=mask).out",
}
MODULE = """
mha = torch.nn.MultiheadAttention(2, 1, bias=False)
with torch.no_grad():
    mha.in_proj_weight.copy_(torch.eye(2).repeat(3, 1))
    mha.out_proj.weight.copy_(torch.eye(2))
"""


def target_of(convention: Convention, call: Call) -> Convention:
    """Say in which convention a call is best given a mask: its own where the call takes that.

    Example:
        >>> target_of("additive", "mha"), target_of("binary", "mha"), target_of("blocked", "core_bias")
        ('additive', 'blocked', 'additive')
    """
    takes = TAKES[call]
    return convention if convention in takes else takes[0]


def conversion(convention: Convention, target: Convention) -> str:
    """Write the line that turns a mask from one convention into another; empty where they are the same.

    Example:
        >>> conversion("blocked", "allowed"), conversion("binary", "additive")
        ('mask = ~mask', 'mask = torch.zeros(mask.shape).masked_fill(mask == 0, -inf)')
    """
    if convention == target:
        return ""
    if target == "allowed":
        return f"mask = {ALLOWED[convention]}"
    if target == "blocked":
        return f"mask = {BLOCKED[convention]}"
    return f"mask = torch.zeros(mask.shape).masked_fill({BLOCKED[convention]}, -inf)"


def snippet(rows: Rows, convention: Convention, call: Call) -> str:
    """Write the code for one mask, the convention it comes in, and the call it goes to."""
    words = WRITTEN[convention]
    told = [f"[{', '.join(words[cell] for cell in row)}]" for row in rows]
    imports = {"sdpa": "import torch.nn.functional as F\n"}.get(call, "")
    if call.startswith("core"):
        imports = "from attention_core.steps import scaled_dot_product_attention\n"
    lines = [
        f"q, k = torch.zeros({len(rows)}, 2), torch.zeros({len(rows[0])}, 2)",
        f"v = torch.tensor({values_of(len(rows[0])).tolist()})",
        *([MODULE] if call.startswith("mha") else []),
        f"mask = torch.tensor([{', '.join(told)}])",
        conversion(convention, target_of(convention, call)),
        LINES[call],
    ]
    body = "\n".join(line for line in lines if line)
    infinity = "from torch import inf\n" if "inf" in body else ""
    return f"import torch\n{imports}{infinity}\n{body}"
