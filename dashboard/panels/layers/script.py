"""The script that prints the lesson's numbers with torch alone."""

from attention_core.embedding import MAX_WIDTH
from attention_core.experiments.reuse import shared_places
from attention_core.layers import EPS, FFN_FACTOR
from attention_core.positions import BLOCK
from attention_core.tokens import check_text
from dashboard.cached import SMOOTHING_SEEDS
from dashboard.controls import State
from dashboard.frame import reproduce
from dashboard.panels.layers.model import tokens_of
from dashboard.panels.layers.replacement import one_token
from dashboard.text import layers_script as words

BEGIN = f"""

def show(name, matrix):
    print(name, *torch.atleast_1d(torch.as_tensor(matrix)).tolist(), sep="\\n    ")


def draw(text, *shape):
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    generator = torch.Generator().manual_seed(int.from_bytes(digest[:8], "big") & (2**63 - 1))
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def weight(name, rows, columns, seed):
    return draw(f"{{seed}}\\0weight\\0{{name}}", {MAX_WIDTH}, {MAX_WIDTH})[:rows, :columns] / math.sqrt(rows)


def embed(words, seed):
    return torch.stack([draw(f"{{seed}}\\0{{word}}", {MAX_WIDTH})[:d_model] for word in words])

"""

POSITION_LINES = {
    "none": "    return torch.zeros(n, d_model, dtype=torch.float64)",
    "sinusoidal": """    angle = torch.arange(n, dtype=torch.float64)[:, None] / 10_000 ** (
        2 * (torch.arange(d_model, dtype=torch.float64) // 2) / d_model
    )
    return torch.where(torch.arange(d_model) % 2 == 0, angle.sin(), angle.cos())""",
    "learned": f"""    width = -(-d_model // {BLOCK}) * {BLOCK}
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(n, width, generator=generator, dtype=torch.float64)[:, :d_model]""",
}

STACK = f"""

def normalise(x):
    centred = x - x.mean(dim=-1, keepdim=True)
    return centred / (centred.square().mean(dim=-1, keepdim=True) + {EPS}).sqrt()


def draw_layer(layer, seed):
    end = f" of layer {{layer}}" if layer else ""
    heads = [f" of head {{head}}{{end}}" if head else end for head in range(h)]
    d_k = d_model // h
    made = {{w: [weight(w + head, d_model, d_k, seed) for head in heads] for w in ("w_q", "w_k", "w_v")}}
    made["w_o"] = [weight("w_o" + head, d_k, d_model, seed) / h**0.5 for head in heads]
    parts = range({FFN_FACTOR})
    made["w_1"] = torch.cat([weight(f"w_1 part {{part}}{{end}}", d_model, d_model, seed) for part in parts], dim=1)
    made["w_2"] = torch.cat([weight(f"w_2 part {{part}}{{end}}", d_model, d_model, seed) for part in parts]) / {FFN_FACTOR}**0.5
    return made


def run(x, allowed, layers, has_residual=has_residual):
    vectors, weights = [x], []
    for made in layers:
        read, added, seen = normalise(x) if norm == "pre" else x, 0, []
        for w_q, w_k, w_v, w_o in zip(made["w_q"], made["w_k"], made["w_v"], made["w_o"]):
            scaled = read @ w_q @ (read @ w_k).T / math.sqrt(d_model // h)
            seen.append(scaled.masked_fill(~allowed, float("-inf")).softmax(dim=-1))
            added = added + seen[-1] @ (read @ w_v) @ w_o
        weights.append(torch.stack(seen))
        x = x + added if has_residual else added
        x = normalise(x) if norm == "post" else x
        if has_ffn:
            read = normalise(x) if norm == "pre" else x
            added = F.gelu(read @ made["w_1"]) @ made["w_2"]
            x = x + added if has_residual else added
            x = normalise(x) if norm == "post" else x
        vectors.append(x)
    return torch.stack(vectors), torch.stack(weights)


def mask(n):
    every = torch.ones(n, n, dtype=torch.bool)
    return every.tril() if is_causal else every


layers = [draw_layer(layer, seed) for layer in range(n_layers)]
n = len(tokens)
position = positions(n, seed)
x = embed(tokens, seed) + position
vectors, weights = run(x, mask(n), layers)
for depth, rows in enumerate(vectors):
    show(f"vectors.{{depth}}", rows)
for layer, heads in enumerate(weights, 1):
    for head, rows in enumerate(heads, 1):
        show(f"weights.{{layer}}.{{head}}", rows)
show("distances", (vectors - vectors[:1]).norm(dim=-1))
show("cosines", F.cosine_similarity(vectors, vectors[:1], dim=-1, eps=0.0 if vectors.all() else 1e-12))
"""

SMOOTHING = f"""
# The same layers without a residual and with one, over several seeds: mean cosine of all pairs, and own share
for name, has in (("without", False), ("with", True)):
    cosines, shares = [], []
    for one in range(seed, seed + {SMOOTHING_SEEDS}):
        drawn = [draw_layer(layer, one) for layer in range(n_layers)]
        found, _ = run(embed(tokens, one) + positions(n, one), mask(n), drawn, has)
        unit = F.normalize(found, dim=-1)
        pairs = unit @ unit.transpose(1, 2)
        cosines.append([((p.sum() - p.trace()) / max(n * (n - 1), 1)).item() for p in pairs])
        own = found - found.mean(dim=1, keepdim=True)
        shares.append((own.norm(dim=(1, 2)) / found.norm(dim=(1, 2))).tolist())
    show(f"smoothing.{{name}}.cosines", torch.tensor(cosines, dtype=torch.float64).mean(dim=0))
    show(f"smoothing.{{name}}.own_shares", torch.tensor(shares, dtype=torch.float64).mean(dim=0))
"""

ROLLOUT = """
# Rollout of the query, and what replacing each word really changes there
rolled = torch.eye(n, dtype=torch.float64)
for heads in weights:
    mixing = heads.mean(dim=0)
    rolled = (0.5 * mixing + 0.5 * torch.eye(n, dtype=torch.float64) if has_residual else mixing) @ rolled
effects = []
for place in range(n):
    changed = x.clone()
    changed[place] = embed([replacement], seed)[0] + position[place]
    moved = run(changed, mask(n), layers)[0][-1, query] - vectors[-1, query]
    effects.append((moved.norm() / vectors[-1, query].norm()).item())
show("rollout.shares", rolled[query])
show("rollout.effects", torch.tensor(effects, dtype=torch.float64))
"""

TWICE = """
# The same word in the second sentence
m = len(second)
others = run(embed(second, seed) + positions(m, seed), mask(m), layers)[0][:, second_place]
own = vectors[:, first_place]
show("twice.distances", (own - others).norm(dim=-1))
show("twice.cosines", F.cosine_similarity(own, others, dim=-1, eps=1e-12))
"""

FAR = """
# One word replaced, with a mask of its own: how far each token moves, layer by layer
place = torch.arange(n)
allowed = mask(n)
if width is not None:
    allowed = allowed & ((place[:, None] - place[None, :]).abs() < width)
others = list(tokens)
others[changed] = replacement
before, after = (run(embed(words, seed) + position, allowed, layers)[0] for words in (tokens, others))
show("far.changes", (after - before).norm(dim=-1))
"""


def offer_script(state: State) -> None:
    """Offer the script of the present state in a window."""
    language = state.language
    reproduce(lambda: script_of(state), "layers", language, words.HELP.say(language))


def script_of(state: State) -> str:
    """Write a script that prints every vector and weight of the stack, and then the view's own numbers.

    It prints a name on a line of its own, and below it the rows, one a line.
    """
    sizes = {
        "seed": state["seed"],
        "n_layers": state["n_layers"],
        "d_model": state["d_model"],
        "h": state["h"],
    }
    design = [f"{name} = {value!r}" for name, value in sizes.items()]
    design += [f"{name} = {state[name]!r}" for name in ("norm", "has_residual", "has_ffn", "is_causal")]
    head = ["import hashlib", "import math", "", "import torch", "import torch.nn.functional as F"]
    tokens = f"tokens = {list(tokens_of(state['text']))!a}"
    drawn = [BEGIN, "def positions(n, seed):", POSITION_LINES[state["positions"]], STACK]
    return "\n".join([*head, "", tokens, *design, *drawn, *_own(state)])


def _own(state: State) -> list[str]:
    """Write what the present view adds, where it has something to show."""
    view, n = state["view"], len(tokens_of(state["text"]))
    if view == "smoothing" and n > 1:
        return [SMOOTHING]
    if view == "rollout" and (replacement := one_token(state["rollout_word"])):
        query = min(state["rollout_query"], n) - 1
        return [f"query, replacement = {query}, {replacement!a}", ROLLOUT]
    if view == "twice" and check_text(state["twice_text"]) is None:
        second = tokens_of(state["twice_text"])
        pairs = shared_places(tokens_of(state["text"]), second)
        if pairs:
            first, other = pairs[min(state["twice_place"], len(pairs)) - 1]
            given = f"second, first_place, second_place = {list(second)!a}, {first}, {other}"
            return [given, TWICE]
    if view == "far" and (replacement := one_token(state["far_word"])):
        changed = min(state["far_changed"], n) - 1
        width = state["far_width"] if state["far_has_window"] else None
        if replacement != tokens_of(state["text"])[changed]:
            return [f"changed, replacement, width = {changed}, {replacement!a}, {width}", FAR]
    return []
