"""The script that prints the lesson's numbers with torch alone."""

from attention_core.embedding import MAX_WIDTH
from attention_core.examples import EXAMPLES
from attention_core.experiments.equivariance import shuffle
from attention_core.positions import BLOCK
from attention_core.tokens import check_text, tokenize
from dashboard.controls import State
from dashboard.panels.qkv.model import Model

SHOW = """

def show(name, matrix):
    print(name, *torch.atleast_1d(matrix).tolist(), sep="\\n    ")

"""

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
FUTURE = "future = torch.ones_like(scaled, dtype=torch.bool).triu(1)"
MASK = 'scaled.masked_fill(future, float("-inf"))'

SECOND = """second_x = second_embedding + position


def attend(x):
    weights = weigh(x @ w_q @ (x @ w_k).T, d_k)
    return weights, weights @ (x @ w_v) @ w_o


second_weights, second_projected = attend(second_x)
show("second.weights", second_weights)
show("second.projected", second_projected)"""
SHARED = """
# Words of both sentences, first with first: their places, and how far apart embeddings, x and projected are
pairs, waiting = [], list(second)
for one, token in enumerate(tokens):
    if token in waiting:
        other = waiting.index(token)
        pairs.append((one, other))
        waiting[other] = None
stages = ((embedding, second_embedding), (x, second_x), (projected, second_projected))
apart = [[float((a[one] - b[other]).norm()) for a, b in stages] for one, other in pairs]
distances = torch.tensor(apart, dtype=torch.float64)
show("shared.places", torch.tensor(pairs) + 1)
show("shared.distances", distances)

# The word that enters most alike, layer by layer: each layer adds attention's output, with matrices of its own
nearest = min(range(len(pairs)), key=lambda i: (distances[i, 1].item(), -distances[i, 2].item()))
one, other = pairs[nearest]
layers = []
for layer in range(1, 6):
    layers.append((x[one] - second_x[other]).norm())
    x, second_x = x + attend(x)[1], second_x + attend(second_x)[1]
    w_q, w_k = [weight(f"{name} of layer {layer}", d_model, d_k) for name in ("w_q", "w_k")]
    w_v, w_o = weight(f"w_v of layer {layer}", d_model, d_v), weight(f"w_o of layer {layer}", d_v, d_model)
show("shared.layers", torch.stack(layers))"""
SHUFFLED = """shuffled_weights = weigh(shuffled_x @ w_q @ (shuffled_x @ w_k).T, d_k)
show("shuffle.moved", moved)
show("shuffle.weights", shuffled_weights)
show("shuffle.difference", shuffled_weights - moved)
show("shuffle.largest", (shuffled_weights - moved).abs().max())"""
PLAIN = """
# Without W: q = k = v = x
plain_scores = x @ x.T
plain_weights = weigh(plain_scores, x.shape[1])
show("plain.scores", plain_scores)
show("plain.weights", plain_weights)

# The largest asymmetry of the scores, without and with W, and the largest difference of the weights
show("plain.asymmetry", torch.stack([(table - table.T).abs().max() for table in (plain_scores, scores)]))
show("plain.difference", (plain_weights - weights).abs().max())"""
REACH = """by_matmul = weigh(q @ k.T, d_k) @ v
moved = weigh(changed @ k.T, d_k) @ v - by_matmul
show("reach.attention", moved.abs().amax(dim=1))


def scan(rows):
    state, states = torch.zeros_like(rows[0]), []
    for row in rows:
        state = torch.tanh(row @ w_x + state @ w_h)
        states.append(state)
    return torch.stack(states)


generator = torch.Generator().manual_seed(seed)
w_x = torch.randn(d_k, d_k, generator=generator, dtype=torch.float64) / math.sqrt(d_k)
w_h = torch.randn(d_k, d_k, generator=generator, dtype=torch.float64) / math.sqrt(d_k)
show("reach.rnn", (scan(changed) - scan(q)).abs().amax(dim=1))

# The same output as a loop over the queries and as einsum: the largest difference from the matrix product
loop_weights = weigh(torch.stack([(k * query).sum(dim=1) for query in q]), d_k)
by_loop = torch.stack([(row[:, None] * v).sum(dim=0) for row in loop_weights])
by_einsum = torch.einsum("nm,md->nd", weigh(torch.einsum("nd,md->nm", q, k), d_k), v)
show("forms.loop", (by_loop - by_matmul).abs().max())
show("forms.einsum", (by_einsum - by_matmul).abs().max())"""

_PRINTED = (
    *("embedding", "position", "x", "w_q", "w_k", "w_v", "q", "k", "v"),
    *("scores", "scaled", "masked", "weights", "out", "w_o", "projected"),
)


def script_of(state: State, model: Model) -> str:
    """Write a script that prints every matrix of the model and then the view's own numbers, in full precision.

    It prints a name on a line of its own, and below it the rows, one a line.
    """
    is_masked = model.trace.allowed is not None
    body = _own_inputs(state) if model.source == "own" else _hand_made_inputs(model.source)
    parts = [SHOW, *body, *_edits(model), "", "# The pipeline"]
    if model.source in {"own", "e2"}:
        parts.append(PROJECT)
    if model.source != "e3":
        parts.append(SCORE)
    if is_masked:
        parts += [FUTURE, f"masked = {MASK}"]
    parts += [f"weights = {'masked' if is_masked else 'scaled'}.softmax(dim=-1)", "out = weights @ v"]
    if model.source == "own":
        parts.append("projected = out @ w_o")
    for name in _PRINTED:
        if model.matrix(name) is not None and (name != "masked" or is_masked):
            parts.append(f'show("{name}", {name})')
    section = _SECTIONS[state["view"]](state, model) if state["view"] in _SECTIONS else []
    if section:
        parts += [_weigh(is_masked), *section]
    script = "\n".join([*parts, ""])
    needed = [f"import {module}\n" for module in ("hashlib", "math") if f"{module}." in script]
    return "".join([*needed, "\n" if needed else "", "import torch\n", script])


def _own_inputs(state: State) -> list[str]:
    tokens = tokenize(state["text"])
    return [
        f"tokens = {list(tokens)!a}",
        f"n, seed, d_model, d_k, d_v = {len(tokens)}, {state['seed']}, {state['d_model']}, {state['d_k']}, "
        f"{state['d_v']}",
        "",
        DRAW,
        _embedding("embedding", "tokens"),
        POSITION_LINES[state["positions"]],
        "x = embedding + position",
        'w_q, w_k, w_v = weight("w_q", d_model, d_k), weight("w_k", d_model, d_k), weight("w_v", d_model, d_v)',
        'w_o = weight("w_o", d_v, d_model)',
    ]


def _embedding(name: str, tokens: str) -> str:
    return (
        f'{name} = torch.stack([draw(f"{{seed}}\\0{{token}}", {MAX_WIDTH})[:d_model] for token in {tokens}])'
    )


def _hand_made_inputs(source: str) -> list[str]:
    return [
        f"{name} = torch.tensor({[list(row) for row in matrix]}, dtype=torch.float64)"
        for name, matrix in EXAMPLES[source].given
    ]


def _edits(model: Model) -> list[str]:
    return [
        f"{name}[{row}, {column}] = {value!r}"
        for (name, row, column), value in model.edits.items()
        if (name, row, column) not in model.dormant
    ]


def _weigh(is_masked: bool) -> str:
    """Define the function by which every section weighs scores of its own, masked like the pipeline's."""
    mask = [f"    {FUTURE}", f"    scaled = {MASK}"] if is_masked else []
    return "\n".join(
        [
            "\n\ndef weigh(scores, width):",
            "    scaled = scores / math.sqrt(width)",
            *mask,
            "    return scaled.softmax(dim=-1)\n",
        ]
    )


def _sentences(state: State, model: Model) -> list[str]:
    """Send the second sentence through the same matrices, and compare the words that both hold."""
    if model.source != "own" or check_text(state["text2"]) is not None:
        return []
    second = tokenize(state["text2"])
    parts = [
        "\n# The second sentence through the same matrices; edits of x belong to the first",
        f"second = {list(second)!a}",
        f"n = {len(second)}",
        _embedding("second_embedding", "second"),
        POSITION_LINES[state["positions"]],
        SECOND,
    ]
    return parts if set(second).isdisjoint(tokenize(state["text"])) else [*parts, SHARED]


def _shuffle(state: State, model: Model) -> list[str]:
    """Move the weights, and compute them again for the shuffled words."""
    n = len(model.queries)
    if model.source != "own" or n < 2:
        return []
    order = shuffle(n, state["order"])
    edits = [
        f"shuffled_x[{order.index(row)}, {column}] = {value!r}"
        for (row, column), value in model.edits_of("x").items()
    ]
    return [
        "\n# Shuffled words: the weights moved along, and the weights computed again",
        f"order = {list(order)}",
        "moved = weights[order][:, order]",
        "shuffled_x = embedding[order] + position",
        *(["# An edited cell of x keeps its number and moves with its word"] if edits else []),
        *edits,
        SHUFFLED,
    ]


def _plain(state: State, model: Model) -> list[str]:
    """Weigh x by itself, where there is an x."""
    return [] if model.trace.x is None else [PLAIN]


def _loops(state: State, model: Model) -> list[str]:
    """Change one query, where there are queries, and write the same output in other forms."""
    if model.trace.q is None:
        return []
    changed = min(state["query"], len(model.queries)) - 1
    return [
        "\n# One query changed: how far each row of attention's output moves, and each state of an RNN",
        *([] if model.source == "own" else [f"seed, d_k = {state['seed']}, q.shape[1]"]),
        "changed = q.clone()",
        f"changed[{changed}] += 1",
        REACH,
    ]


_SECTIONS = {"sentences": _sentences, "shuffle": _shuffle, "plain": _plain, "loops": _loops}
