"""The script that prints the scaling lesson's numbers with torch alone; it computes on the CPU."""

from attention_core.components import (
    BYTES_A_COMPONENT,
    BYTES_A_KEY,
    CHUNK_BYTES,
    DTYPES,
    KURTOSIS,
    ZERO_SHARE,
    Components,
    Distribution,
)
from attention_core.experiments.clinic import (
    INIT_FACTORS,
    LAYER_NORM_EPSILON,
    ONE_HOT_WEIGHT,
    Setup,
    cure,
)
from attention_core.experiments.scaling import DIVISORS, Divisor
from dashboard.controls import State
from dashboard.panels.scaling.guess import has_guessed
from dashboard.panels.scaling.model import Sampling, sampling_of, widths_of
from dashboard.panels.scaling.patient import admitted_of, cures_of
from dashboard.panels.scaling.rows import row_of

HAS_SCRIPT = frozenset({"variance", "saturation", "temperature", "overflow", "clinic"})

SHOW = """

def show(name, *rows):
    print(name, *rows, sep="\\n    ")
"""

Z: dict[Distribution, str] = {
    "normal": "    return torch.randn(shape, generator=generator)",
    "uniform": "    return (torch.rand(shape, generator=generator) - 0.5) * math.sqrt(12)",
    "signs": "    return (torch.rand(shape, generator=generator) < 0.5).float() * 2 - 1",
    "sparse": f"""    is_drawn = torch.rand(shape, generator=generator) >= {ZERO_SHARE!r}
    return is_drawn.float() * torch.randn(shape, generator=generator) / math.sqrt(1 - {ZERO_SHARE!r})""",
}
MIXED = "    k = (k * math.sqrt(1 - rho**2)).add(q[:, None], alpha=rho)"
COPIED = """    is_copied = torch.rand(k.shape, generator=generator) < abs(rho)
    k = torch.where(is_copied, math.copysign(1, rho) * q[:, None], k)"""
PLACED = "    q, k = q.double() * std_q + mean_q, k.double() * std_k + mean_k"
GRADIENT = ", torch.randn(trials, n_keys, generator=generator).double()"
CHUNKS = f"""

# A few trials at a time, as many as the page takes: the size of a piece decides which numbers are drawn
def pieces(d_k, seed):
    generator = torch.Generator().manual_seed(seed * 1_000_003 + d_k)
    size = max(1, {CHUNK_BYTES} // ((n_keys + 1) * d_k * {BYTES_A_COMPONENT} + n_keys * {BYTES_A_KEY}))
    for start in range(0, trials, size):
        yield draw(min(size, trials - start), d_k, generator)
"""

ESTIMATE = "    return x.mean().item(), (x.std() / math.sqrt(len(x))).item()"
FINITE = "    x = x[x.isfinite()]  # trials that overflowed are left out\n"
MEDIAN = ", middle(x)"
MIDDLE = """

def middle(x):
    return x.double().quantile(0.5).item() if len(x) else math.nan
"""
IS_FINITE = "[scores.isfinite()]"

MEASURE = """

def measure(d_k, seed):
    scores = [(q[:, None] @ k.transpose(-2, -1)).flatten() for q, k in pieces(d_k, seed)]
    scores = torch.cat(scores).double()
    n = len(scores{finite})
    squares = (scores - scores{finite}.mean()).square() * (n / max(n - 1, 1))
    spread = estimate(squares)
    return estimate(scores), spread if n > 2 else (spread[0], math.nan){lost}


mean, variance{and_lost} = measure({d_k}, seeds[0])
expected_mean, expected_variance = theory({d_k})
show("mean of q.k, standard error, theory", *mean, expected_mean)
show("variance of q.k, standard error, theory", *variance, expected_variance)
{show_lost}
rows = []
for d_k in widths:
    runs = [measure(d_k, seed) for seed in seeds]
    rows.append([d_k, theory(d_k)[1], *(run[1][0] for run in runs){sum_lost}])
show("d_k, variance in theory, variance for each seed{and_count}", *rows)
"""

JACOBIAN = """

# The largest weight is kept apart: near one-hot the plain sums cancel to nothing but rounding
def jacobian_norm(weights):
    top, index = weights.max(dim=-1, keepdim=True)
    others = weights.scatter(-1, index, 0.0)
    squares, top_2 = others.square(), top.squeeze(-1).square()
    rest, rest_2, rest_3 = others.sum(dim=-1), squares.sum(dim=-1), (squares * others).sum(dim=-1)
    inner = rest_2 * (1 + rest_2 + top_2) - 2 * rest_3 + top_2 * (rest.square() + rest_2)
    return inner.clamp(min=0).sqrt()
"""
BACKWARD = """

# g, the gradient by the weights, is counted from the largest weight's: the same result, with less rounding
def scores_gradient(weights, g):
    g = g.expand_as(weights)
    g = g - g.gather(-1, weights.argmax(dim=-1, keepdim=True))
    return weights * (g - (weights * g).sum(dim=-1, keepdim=True))
"""

WEIGH = """

def divisors(d_k):
    return [{numbers}]


def weigh(q, k, numbers):
    scores = (q[:, None] @ k.transpose(-2, -1)).squeeze(1)
    scaled = torch.stack([scores / number for number in numbers], dim=1)
    return scores, scaled, scaled.softmax(dim=-1)
"""
READ = """

# Six meters for each trial and each divisor
def read(q, k, g, numbers):
    scores, _, weights = weigh(q, k, numbers)
{to_double}    entropy = torch.special.entr(weights).sum(dim=-1)
    by_scores = scores_gradient(weights, g[:, None]) / torch.tensor(numbers, dtype=torch.float64)[:, None]
    meters = {{
        "largest_weight": weights.amax(dim=-1),
        "entropy_share": entropy / math.log(n_keys),
        "effective_keys": entropy.exp(),
        "jacobian_norm": jacobian_norm(weights),
        "q_gradient": (by_scores @ k).norm(dim=-1),
        "k_gradient": by_scores.norm(dim=-1) * q.norm(dim=-1, keepdim=True),
    }}
    return scores, meters


tables = {{}}
for d_k in widths:
    numbers = divisors(d_k)
    runs = [read(q, k, g, numbers) for q, k, g in pieces(d_k, seed)]
    scores = torch.cat([run[0] for run in runs]){double}
    meters = {{name: torch.cat([run[1][name] for run in runs]) for name in runs[0][1]}}
    std, expected_std = scores{finite}.std().item(), math.sqrt(theory(d_k)[1])
    rows = {{
        "divided_by": numbers,
        "scaled_std": [std / number for number in numbers],
        "expected_std": [expected_std / number for number in numbers],
{count_rows}    }}
    for name, meter in meters.items():
        estimates = zip(*(estimate(column) for column in meter.T.contiguous()))
        for kind, values in zip(("mean", "standard_error", "median"), estimates):
            rows[f"{{name}}.{{kind}}"] = list(values)
    for name, row in rows.items():
        tables.setdefault(name, []).append(row)

# A row for each width, a column for each divisor
show("d_k", *widths)
for name, table in tables.items():
    show(name, *table)

# One query and its keys, without a divisor and with the chosen one
d_k = {d_k}
q, k, _ = draw(1, d_k, torch.Generator().manual_seed(seed * 1_000_003 + d_k))
scores, scaled, weights = weigh(q, k, [1.0, divisors(d_k)[{chosen}]])
show("sample.scores", *scores[0].tolist())
show("sample.scaled", *scaled[0].tolist())
show("sample.weights", *weights[0].tolist())
"""
COUNT_ROWS = """        "infinite_scores": [int(scores.isinf().sum())],
        "nan_scores": [int(scores.isnan().sum())],
        "lost_trials": meters["largest_weight"].isnan().sum(dim=0).tolist(),
"""
NUMBERS: dict[Divisor, str] = {
    "none": "1.0",
    "sqrt_d_k": "math.sqrt(d_k)",
    "d_k": "float(d_k)",
    "sqrt_d_model": "math.sqrt(n_heads * d_k)",
    "temperature": "temperature",
}

TEMPERATURE = """
shifted = (scores - scores.max()) / temperature
weights = shifted.softmax(dim=-1)
entropy = torch.special.entr(weights).sum(dim=-1)

# The loss is the weight of the largest score, the first of equal ones
g = torch.zeros_like(scores)
g[scores.tolist().index(scores.max().item())] = 1
gradient = scores_gradient(weights, g) / temperature

show("weights", *weights.tolist())
show("largest_weight", weights.max().item())
show("entropy", entropy.item())
show("effective_keys", math.exp(entropy))
show("jacobian_norm", jacobian_norm(weights).item())
show("gradient", *gradient.tolist())
show("gradient_norm", gradient.norm().item())
"""

FORMS = """

def naive(scores):
    exps = scores.exp()
    total = exps.sum(dim=-1, keepdim=True)
    return {"scores": scores, "exps": exps, "total": total, "weights": exps / total}


def shifted(scores):
    shifted = scores - scores.amax(dim=-1, keepdim=True)
    exps = shifted.exp()
    total = exps.sum(dim=-1, keepdim=True)
    return {"scores": scores, "shifted": shifted, "exps": exps, "total": total, "weights": exps / total}


def log(scores):
    log_weights = scores.log_softmax(dim=-1)
    return {"scores": scores, "log_weights": log_weights, "weights": log_weights.exp()}


for dtype in dtypes:
    for form in (naive, shifted, log):
        for step, numbers in form(scores.to(dtype)).items():
            show(f"{dtype} {form.__name__} {step}", *numbers.tolist())
    show(f"{dtype} log of the largest number", math.log(torch.finfo(dtype).max))

# One scaled score: divided after the product, and q divided before it
for dtype in dtypes:
    of_q, of_k = q.to(dtype), q.to(dtype)
    score = of_q @ of_k
    show(f"{dtype} q.k", score.item())
    show(f"{dtype} divided after", (score / root).item())
    show(f"{dtype} divided before", ((of_q / root) @ of_k).item())
"""

RANDN = """

def randn(*shape):
    return torch.randn(*shape, generator=generator, dtype=torch.float64)
"""
SPLIT = """

def split_heads(x):
    return x.unflatten(-1, (n_heads, d_k)).transpose(-3, -2)
"""
BACK = """
loss = (c * x).sum()
by_x = torch.autograd.grad(loss, entered, retain_graph=True)
by_w_q = torch.autograd.grad(loss, [layer[0] for layer in layers], retain_graph=True)
by_w_v = torch.autograd.grad(loss, [layer[2] for layer in layers])
for layer, meters in enumerate(records):
    meters["x_gradient"] = by_x[layer].norm() / by_x[-1].norm()
    meters["q_gradient"] = by_w_q[layer].norm() / by_w_v[layer].norm()

# One number a layer
for name in records[0]:
    show(name, *(meters[name].item() for meters in records))
"""
LAYER_METERS = f"""    largest, entropy = weights.amax(dim=-1), torch.special.entr(weights).sum(dim=-1)
    records.append(
        {{
            "largest_weight": largest.mean(),
            "entropy_share": entropy.mean() / math.log(n),
            "one_hot_rows": (largest > {ONE_HOT_WEIGHT!r}).double().mean(),
            "jacobian_norm": jacobian_norm(weights).mean(),
            "scaled_std": scaled.std(),
            "x_rms": x.square().mean().sqrt(),
            "token_spread": (x - x.mean(dim=0)).norm() / x.norm(),
            "q_norm": q.norm(dim=-1).mean(),
            "k_norm": k.norm(dim=-1).mean(),
            "largest_k_norm": k.norm(dim=-1).max(),
        }}
    )"""


def script_of(state: State) -> str:
    """Write a script that prints the present view's numbers in full precision; none for a view outside HAS_SCRIPT.

    It prints a name on a line of its own, and below it the rows, one a line.
    """
    if state["view"] not in HAS_SCRIPT:
        return ""
    script = _SCRIPTS[state["view"]](state)
    imports = "import math\n\nimport torch\n" if "math." in script else "import torch\n"
    return f"{imports}\n{script}"


def _variance(state: State) -> str:
    """Draw at the reader's width, then at every width for every seed."""
    sampling = sampling_of(state)
    loses = _may_overflow(sampling)
    header = [
        f"trials, n_keys, seeds = {sampling.trials}, 1, {list(sampling.seeds)}",
        f"widths = {list(widths_of(state))}",
    ]
    measured = MEASURE.format(
        d_k=state["d_k"],
        finite=IS_FINITE if loses else "",
        lost=", int((~scores.isfinite()).sum())" if loses else "",
        and_lost=", lost" if loses else "",
        show_lost='show("scores that overflowed", lost)\n' if loses else "",
        sum_lost=", sum(run[2] for run in runs)" if loses else "",
        and_count=", scores that overflowed" if loses else "",
    )
    return _sampled(sampling, header, measured)


def _saturation(state: State) -> str:
    """Read the meters of every divisor at every width that the page shows, then weigh the sample row."""
    sampling = sampling_of(state)
    loses, is_double = _may_overflow(sampling), sampling.dtype == "float64"
    # Before the guess the page shows the reader's own width alone.
    widths = list(widths_of(state)) if has_guessed(state) else [state["d_k"]]
    header = [
        f"trials, n_keys, seed = {sampling.trials}, {sampling.n_keys}, {sampling.seed}",
        f"n_heads, temperature = {sampling.n_heads}, {sampling.temperature!r}",
        f"widths = {widths}",
    ]
    read = READ.format(
        to_double="" if is_double else "    q, k, weights = q.double(), k.double(), weights.double()\n",
        double="" if is_double else ".double()",
        finite=IS_FINITE if loses else "",
        count_rows=COUNT_ROWS if loses else "",
        d_k=state["d_k"],
        chosen=DIVISORS.index(state["divisor"]),
    )
    weighed = WEIGH.format(numbers=", ".join(NUMBERS[name] for name in DIVISORS))
    return _sampled(sampling, header, weighed + JACOBIAN + BACKWARD + read, GRADIENT, MEDIAN)


def _sampled(
    sampling: Sampling, header: list[str], measured: str, gradient: str = "", median: str = ""
) -> str:
    """Join what both sampled views draw with what they measure."""
    c, parts = sampling.components, [*header, f"dtype = {DTYPES[sampling.dtype]}"]
    if _is_placed(c):
        parts.append(f"mean_q, std_q, mean_k, std_k = {c.mean_q!r}, {c.std_q!r}, {c.mean_k!r}, {c.std_k!r}")
    if c.correlation:
        parts.append(f"rho = {c.correlation!r}")
    parts += [SHOW, "\ndef components(shape, generator):", Z[c.distribution], "\n"]
    parts += [
        "def draw(trials, d_k, generator):",
        "    q, k = components((trials, d_k), generator), components((trials, n_keys, d_k), generator)",
    ]
    if c.correlation:
        parts.append(MIXED if c.distribution == "normal" else COPIED)
    if _is_placed(c):
        parts.append(PLACED)
    parts.append(f"    return q.to(dtype), k.to(dtype){gradient}")
    finite = FINITE if _may_overflow(sampling) else ""
    estimate = f"{MIDDLE if median else ''}\n\ndef estimate(x):\n{finite}{ESTIMATE}{median}\n"
    return "\n".join(parts) + "\n" + CHUNKS + _theory(c) + estimate + measured


def _may_overflow(sampling: Sampling) -> bool:
    """Say whether a number could be too large for its type; the fields' bounds rule that out for all but one."""
    return sampling.dtype == "float16"


def _is_placed(c: Components) -> bool:
    return (c.mean_q, c.std_q, c.mean_k, c.std_k) != (0, 1, 0, 1)


def _theory(c: Components) -> str:
    """Write the mean and the variance of q·k, with the terms that are not 0."""
    if c.distribution == "normal":
        product = "1 + rho**2"
    else:
        product = f"1 + abs(rho) * ({KURTOSIS[c.distribution]!r} - 1) - rho**2"
    single = "(mean_q * std_k) ** 2 + (mean_k * std_q) ** 2"
    if _is_placed(c) and c.correlation:
        mean = "mean_q * mean_k + rho * std_q * std_k"
        lines = [
            f"    product = {product}",
            f"    variance = {single} + 2 * rho * mean_q * mean_k * std_q * std_k",
            "    variance += (std_q * std_k) ** 2 * product",
            f"    return d_k * ({mean}), max(0.0, d_k * variance)",
        ]
    elif _is_placed(c):
        lines = [
            f"    variance = {single} + (std_q * std_k) ** 2",
            "    return d_k * (mean_q * mean_k), d_k * variance",
        ]
    elif c.correlation:
        lines = [f"    return d_k * rho, d_k * ({product})"]
    else:
        lines = ["    return 0.0, float(d_k)"]
    return "\n".join(["\n", "# Mean and variance of q.k", "def theory(d_k):", *lines, ""])


def _temperature(state: State) -> str:
    """Weigh the typed row at the reader's temperature."""
    header = [
        f"scores = torch.tensor({list(row_of(state, 'row'))}, dtype=torch.float64)",
        f"temperature = {state['temperature']!r}",
    ]
    return "\n".join([*header, SHOW]) + JACOBIAN + BACKWARD + "\n" + TEMPERATURE


def _overflow(state: State) -> str:
    """Run softmax in three ways on the typed scores, and scale one score in both orders, in every type."""
    header = [
        f"scores = torch.tensor({list(row_of(state, 'scores'))}, dtype=torch.float64)",
        f"q = torch.full(({state['d_k']},), {float(state['size'])!r}, dtype=torch.float64)  # k is the same",
        f"root = math.sqrt({state['d_k']})",
        f"dtypes = {', '.join(map(str, DTYPES.values()))}",
    ]
    return "\n".join([*header, SHOW]) + FORMS


def _clinic(state: State) -> str:
    """Draw the stack, run it and its gradient, and read every layer."""
    setup = cure(admitted_of(state), cures_of(state))
    draw = ["", "# What enters, the loss's gradient by what leaves, and each layer's w_q, w_k, w_v and w_o"]
    draw.append("x, c = randn(n, d_model), randn(n, d_model)")
    if setup.embedding_std != 1:
        draw.append(f"x = x * {setup.embedding_std!r}")
    if setup.standout != 1:
        draw.append(f"x[0] *= {setup.standout!r}")
    factor = INIT_FACTORS[setup.init]
    times = "" if factor == 1 else f"{factor!r} * "
    draw += [
        f"std = {times}math.sqrt(2 / (d_model + d_model))",
        "layers = [[w.requires_grad_() for w in randn(4, d_model, d_model) * std] for _ in range(n_layers)]",
        "",
        "x.requires_grad_()",
        "entered, records = [x], []",
        "for w_q, w_k, w_v, w_o in layers:",
        *_layer(setup),
        LAYER_METERS,
        "    x = x + out" if setup.has_residual else "    x = out",
        "    entered.append(x)",
    ]
    hot = "" if setup.temperature == 1 else f" * {setup.temperature!r}"
    header = [
        f"n, d_model, n_heads, n_layers = {setup.n}, {setup.d_model}, {setup.n_heads}, {setup.n_layers}",
        "d_k = d_model // n_heads",
        f"divisor = {NUMBERS[setup.divisor]}{hot}",
        f"generator = torch.Generator().manual_seed({state['seed']})",
        SHOW,
    ]
    return "\n".join(header) + RANDN + SPLIT + JACOBIAN + "\n" + "\n".join(draw) + "\n" + BACK


def _layer(setup: Setup) -> list[str]:
    """Write one layer, with the parts that it has."""
    norm = f"torch.nn.functional.layer_norm(x, (d_model,), eps={LAYER_NORM_EPSILON!r})"
    enlarged = "" if setup.key_factor == 1 else f" * {setup.key_factor!r}"
    return [
        f"    inner = {norm if setup.has_layer_norm else 'x'}",
        f"    q, k, v = split_heads(inner @ w_q), split_heads(inner @ w_k){enlarged}, split_heads(inner @ w_v)",
        "    scaled = q @ k.transpose(-2, -1) * (1 / divisor)",
        "    weights = scaled.softmax(dim=-1)",
        "    out = (weights @ v).transpose(-3, -2).reshape(n, d_model) @ w_o",
    ]


_SCRIPTS = {
    "variance": _variance,
    "saturation": _saturation,
    "temperature": _temperature,
    "overflow": _overflow,
    "clinic": _clinic,
}
