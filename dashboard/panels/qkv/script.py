"""The script that prints the lesson's numbers with torch alone."""

from attention_core.embedding import MAX_WIDTH
from attention_core.examples import EXAMPLES
from attention_core.positions import BLOCK
from attention_core.tokens import tokenize
from dashboard.controls import State
from dashboard.panels.qkv.model import Model

DRAW = f"""
def draw(name, *shape):
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
    generator = torch.Generator().manual_seed(int.from_bytes(digest[:8], "big") & (2**63 - 1))
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def weight(name, rows, columns):
    return draw(f"{{seed}}\\0weight\\0{{name}}", {MAX_WIDTH}, {MAX_WIDTH})[:rows, :columns] / math.sqrt(rows)

"""

POSITION_LINES = {
    "none": "position = torch.zeros(n, d_model, dtype=torch.float64)",
    "sinusoidal": """place = torch.arange(n, dtype=torch.float64)[:, None]
angle = place / 10_000 ** (2 * (torch.arange(d_model, dtype=torch.float64) // 2) / d_model)
position = torch.where(torch.arange(d_model) % 2 == 0, angle.sin(), angle.cos())""",
    "learned": f"""width = -(-d_model // {BLOCK}) * {BLOCK}
position = torch.randn(n, width, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)[:, :d_model]""",
}

PROJECT = """q, k, v = x @ w_q, x @ w_k, x @ w_v"""
SCORE = """scores = q @ k.T
scaled = scores / math.sqrt(q.shape[1])"""
ATTEND = """weights = masked.softmax(dim=-1)
out = weights @ v"""


def script_of(state: State, model: Model) -> str:
    """Write a script that prints every matrix of the model, in full precision, one a line."""
    names = [name for name in _PRINTED if model.matrix(name) is not None]
    body = _own_inputs(state) if model.source == "own" else _hand_made_inputs(model.source)
    parts = ["import hashlib", "import math", "", "import torch", *body, *_edits(model)]
    if model.source in {"own", "e2"}:
        parts.append(PROJECT)
    if model.source != "e3":
        parts.append(SCORE)
    parts.append("masked = scaled")
    if model.trace.allowed is not None:
        parts.append("future = torch.ones_like(scaled, dtype=torch.bool).triu(1)")
        parts.append('masked = scaled.masked_fill(future, float("-inf"))')
    parts.append(ATTEND)
    if model.source == "own":
        parts.append("projected = out @ w_o")
    shown = ", ".join(f'"{name}": {name}' for name in names)
    parts += ["", f"for name, matrix in {{{shown}}}.items():", "    print(name, matrix.tolist())", ""]
    script = "\n".join(parts)
    return script if "hashlib." in script else script.replace("import hashlib\n", "")


_PRINTED = ("x", "q", "k", "v", "scores", "scaled", "masked", "weights", "out", "projected")


def _own_inputs(state: State) -> list[str]:
    tokens = tokenize(state["text"])
    return [
        "",
        f"tokens = {list(tokens)!a}",
        f"n, seed, d_model, d_k, d_v = {len(tokens)}, {state['seed']}, {state['d_model']}, {state['d_k']}, "
        f"{state['d_v']}",
        "",
        DRAW,
        f'embedding = torch.stack([draw(f"{{seed}}\\0{{token}}", {MAX_WIDTH})[:d_model] for token in tokens])',
        POSITION_LINES[state["positions"]],
        "x = embedding + position",
        'w_q, w_k, w_v = weight("w_q", d_model, d_k), weight("w_k", d_model, d_k), weight("w_v", d_model, d_v)',
        'w_o = weight("w_o", d_v, d_model)',
    ]


def _hand_made_inputs(source: str) -> list[str]:
    return [
        "",
        *(
            f"{name} = torch.tensor({[list(row) for row in matrix]}, dtype=torch.float64)"
            for name, matrix in EXAMPLES[source].given
        ),
    ]


def _edits(model: Model) -> list[str]:
    return [
        f"{name}[{row}, {column}] = {value!r}"
        for (name, row, column), value in model.edits.items()
        if (name, row, column) not in model.dormant
    ]
