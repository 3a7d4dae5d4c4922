"""The script of the scaling lesson prints the page's numbers with torch alone."""

import math
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace

import pytest
import torch
from torch import Tensor

from attention_core.components import (
    DISTRIBUTIONS,
    DTYPES,
    Components,
    draw_queries_and_keys,
    generator_for,
    trials_a_chunk,
)
from attention_core.experiments.clinic import CAUSES, CURES, PATIENTS, LayerMeters, Setup, check_up, cure
from attention_core.experiments.dot_products import measure_dot_products, sweep_variance
from attention_core.experiments.overflow import (
    measure_exp_limits,
    measure_scale_order,
    measure_softmaxes,
)
from attention_core.experiments.scaling import DIVISORS, METERS, draw_sample_row, sweep_divisors
from attention_core.experiments.temperature import measure_temperatures
from dashboard.panels.scaling.fields import scaling_fields
from dashboard.panels.scaling.model import SEED_STEP, sampling_of, widths_of
from dashboard.panels.scaling.script import HAS_SCRIPT, script_of
from dashboard.text import scaling as words
from tests.pages.reading import read_printed

FEW = {"trials": 60, "seeds": 2, "reach": "64"}
PLACED = {"mean_q": 0.3, "mean_k": -0.5, "std_q": 1.5, "std_k": 0.7}
SHOWN = {"view": "saturation", "guess": "shown"} | FEW
HUGE = {"dtype": "float16", "std_q": 40.0, "std_k": 30.0}


def ill_with(cause: str) -> dict[str, object]:
    """The clinic's values for the patient that has this cause."""
    return {"view": "clinic", "patient": CAUSES[cause].symptom, "cause": cause}


STATES: dict[str, dict[str, object]] = {
    "variance": {"trials": 150, "seeds": 3},
    "variance, uniform, mixed width": FEW | {"distribution": "uniform", "d_k": 77, "seed": 9999},
    "variance, signs, placed": FEW | PLACED | {"distribution": "signs"},
    "variance, sparse, copied": FEW | {"distribution": "sparse", "correlation": 0.4},
    "variance, mixed, placed": FEW | PLACED | {"correlation": -0.6},
    "variance, mixed to the end": FEW | {"correlation": 1.0},
    "variance, signs copied until nothing varies": FEW
    | {
        "distribution": "signs",
        "correlation": -1.0,
        "mean_q": 0.2,
        "mean_k": 0.2,
        "std_q": 0.3,
        "std_k": 0.3,
    },
    "variance, float32": FEW | {"dtype": "float32", "mean_q": 2.0},
    "variance, bfloat16, constant q": FEW | {"dtype": "bfloat16", "std_q": 0.0},
    "variance, float16": FEW | {"dtype": "float16"},
    "variance, float16, some overflow": FEW | HUGE | {"reach": "1024", "d_k": 2000},
    "variance, float16, all overflow": FEW | {"dtype": "float16", "mean_q": 1000.0, "mean_k": 1000.0},
    "variance, widest, fewest trials": {"trials": 2, "seeds": 1, "reach": "4096", "d_k": 4095},
    "saturation": {"view": "saturation", "guess": "largest_weight.rises", "trials": 100, "reach": "1024"},
    "saturation, not guessed": {"view": "saturation", "guess": "none", "trials": 40, "d_k": 100},
    "saturation, several pieces": SHOWN | {"d_k": 1024, "n": 16, "trials": 40},
    "saturation, most keys": SHOWN | {"d_k": 63, "n": 512, "trials": 7, "divisor": "temperature"},
    "saturation, two keys, none": SHOWN | {"n": 2, "divisor": "none", "temperature": 0.01, "heads": 1},
    "saturation, uniform, placed": SHOWN | PLACED | {"distribution": "uniform", "heads": 3},
    "saturation, signs, copied, placed": SHOWN | PLACED | {"distribution": "signs", "correlation": -0.3},
    "saturation, sparse": SHOWN | {"distribution": "sparse", "d_k": 5, "divisor": "d_k"},
    "saturation, mixed": SHOWN | {"correlation": 0.8, "seed": 31, "divisor": "sqrt_d_model"},
    "saturation, float32": SHOWN | {"dtype": "float32", "temperature": 2.5, "divisor": "temperature"},
    "saturation, bfloat16": SHOWN | {"dtype": "bfloat16", "d_k": 33},
    "saturation, float16, some overflow": SHOWN | HUGE | {"reach": "1024", "d_k": 512},
    "saturation, float16, all overflow": SHOWN
    | PLACED
    | {"dtype": "float16", "mean_q": 800.0, "mean_k": 900.0},
    "temperature": {"view": "temperature"},
    "temperature, cold": {"view": "temperature", "temperature": 0.01},
    "temperature, equal ones": {"view": "temperature", "row": " 1e3 -2,5.5;1000\uff0c\uff1b0\u3001-0.0 ,"},
    "temperature, one key": {"view": "temperature", "row": "-7", "temperature": 1000.0},
    "temperature, beyond float64": {"view": "temperature", "row": "1e308, -1e308, 9e307", "temperature": 0.5},
    "temperature, not a number": {"view": "temperature", "row": '0, __import__("os").abort(), """'},
    "temperature, nothing typed": {"view": "temperature", "row": " "},
    "temperature, not finite": {"view": "temperature", "row": "1, inf"},
    "overflow": {"view": "overflow"},
    "overflow, not scores": {"view": "overflow", "scores": "nan"},
    "overflow, low": {"view": "overflow", "scores": "-1000, -1001, -1e5, 3e38", "size": 300.0, "d_k": 77},
    "overflow, beyond all": {"view": "overflow", "scores": "1e308 -1e308 0.1", "size": 1e6, "d_k": 4096},
    "overflow, many": {"view": "overflow", "scores": "0.37 " * 90, "size": 0.0, "d_k": 1},
    "clinic": {"view": "clinic"},
    **{f"clinic, {cause}": ill_with(cause) | {"layers": 2, "seed": 7} for cause in CAUSES},
    "clinic, healthy": ill_with("huge_init") | {"ill": False, "layers": 1},
    "clinic, deep": ill_with("depth_without_residual") | {"layers": 8, "seed": 9999},
    **{
        f"clinic, {cure} on {cause}": ill_with(cause) | {"layers": 3, f"cure_{cure}": True}
        for cause, cure in (
            ("huge_init", "xavier"),
            ("no_divisor", "scale"),
            ("standing_out", "layer_norm"),
            ("too_cold", "temperature"),
            ("depth_without_residual", "residual"),
            ("large_keys", "norms"),
            ("small_embeddings", "norms"),
            ("small_embeddings", "layer_norm"),
        )
    },
}
READ_AS = {
    "temperature": [32.0, 0.0, 0.0],
    "temperature, cold": [32.0, 0.0, 0.0],
    "temperature, equal ones": [1000.0, -2.0, 5.5, 1000.0, 0.0, 0.0],
    "temperature, one key": [-7.0, 0.0],
    "temperature, beyond float64": [1e6, -1e6, 1e6],
    "temperature, not a number": [0.0, 0.0],
    "temperature, nothing typed": [32.0, 0.0, 0.0],
    "temperature, not finite": [1.0, 0.0],
    "overflow": [151.29, 150.29],
    "overflow, not scores": [151.29, 150.29],
    "overflow, low": [-1000.0, -1001.0, -1e5, 1e38],
    "overflow, beyond all": [1e38, -1e38, 0.1],
    "overflow, many": [0.37] * 64,
}


class Values(dict):
    """A lesson's values without a session."""

    language = "en"
    fields = scaling_fields("en")


def values_of(name: str) -> Values:
    defaults = {field_name: field.default for field_name, field in scaling_fields("en").items()}
    assert STATES[name].keys() <= defaults.keys()
    return Values(defaults | STATES[name])


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """As many as the server and the scripts' process have: another number adds up in another order."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def variance_numbers(state: Values, name: str) -> dict[str, list]:
    sampling = sampling_of(state)
    drawn = {"trials": state["trials"], "components": sampling.components, "dtype": state["dtype"]}
    here = measure_dot_products(state["d_k"], seed=state["seed"], **drawn)
    seeds = [state["seed"] + SEED_STEP * repeat for repeat in range(state["seeds"])]
    sweep = sweep_variance(widths_of(state), seeds=seeds, **drawn)
    is_half = state["dtype"] == "float16"
    mean, variance = here.mean, here.variance
    return {
        "mean of q.k, standard error, theory": [mean.mean, mean.standard_error, here.expected_mean],
        "variance of q.k, standard error, theory": [
            variance.mean,
            variance.standard_error,
            here.expected_variance,
        ],
        **({"scores that overflowed": [here.overflowed]} if is_half else {}),
        "d_k, variance in theory, variance for each seed" + (", scores that overflowed" if is_half else ""): [
            [
                at.d_k,
                at.expected_variance,
                *(v.mean for v in at.variances),
                *([at.overflowed] if is_half else []),
            ]
            for at in sweep
        ],
    }


def saturation_numbers(state: Values, name: str) -> dict[str, list]:
    sampling = sampling_of(state)
    drawn = {"n_keys": state["n"], "seed": state["seed"], "components": sampling.components}
    drawn |= {"dtype": state["dtype"], "n_heads": state["heads"], "temperature": state["temperature"]}
    widths = [state["d_k"]] if state["guess"] == "none" else widths_of(state)
    records = sweep_divisors(widths, trials=state["trials"], **drawn)
    at_widths = [records[start : start + 5] for start in range(0, len(records), 5)]
    row = draw_sample_row(state["d_k"], divisors=("none", state["divisor"]), **drawn)

    def table(read: Callable) -> list[list]:
        return [[read(record) for record in at] for at in at_widths]

    expected = {"d_k": [at[0].d_k for at in at_widths]}
    for field in ("divided_by", "scaled_std", "expected_std"):
        expected[field] = table(lambda record, field=field: getattr(record, field))
    if state["dtype"] == "float16":
        for count in ("infinite_scores", "nan_scores"):
            expected[count] = [[getattr(at[0].overflow, count)] for at in at_widths]
        expected["lost_trials"] = table(lambda record: record.overflow.trials)
    for meter in METERS:
        for kind in ("mean", "standard_error", "median"):
            expected[f"{meter}.{kind}"] = table(
                lambda record, meter=meter, kind=kind: getattr(getattr(record, meter), kind)
            )
    return expected | {f"sample.{step}": getattr(row, step) for step in ("scores", "scaled", "weights")}


def temperature_numbers(state: Values, name: str) -> dict[str, list]:
    (record,) = measure_temperatures(READ_AS[name], [state["temperature"]])
    steps = (
        "weights",
        "largest_weight",
        "entropy",
        "effective_keys",
        "jacobian_norm",
        "gradient",
        "gradient_norm",
    )
    return {step: getattr(record, step) for step in steps}


def overflow_numbers(state: Values, name: str) -> dict[str, list]:
    expected = {}
    limits = {limit.dtype: limit.expected for limit in measure_exp_limits()}
    for run in measure_softmaxes(READ_AS[name]):
        expected |= {f"torch.{run.dtype} {run.form} {step}": values for step, values in run.steps.items()}
        if run.form == "log":
            expected[f"torch.{run.dtype} log of the largest number"] = limits[run.dtype]
    side = [state["size"]] * state["d_k"]
    for order in measure_scale_order(side, side):
        expected[f"torch.{order.dtype} q.k"] = order.score
        expected[f"torch.{order.dtype} divided after"] = order.scaled_after
        expected[f"torch.{order.dtype} divided before"] = order.scaled_before
    return expected


def clinic_numbers(state: Values, name: str) -> dict[str, list]:
    cause = state["cause"] if state["cause"] in CAUSES else PATIENTS[state["patient"]]
    setup = CAUSES[cause].setup if state["ill"] else Setup()
    setup = replace(cure(setup, [name for name in CURES if state[f"cure_{name}"]]), n_layers=state["layers"])
    layers = check_up(setup, seed=state["seed"]).layers
    return {field.name: [getattr(layer, field.name) for layer in layers] for field in fields(LayerMeters)}


NUMBERS_OF = {
    "variance": variance_numbers,
    "saturation": saturation_numbers,
    "temperature": temperature_numbers,
    "overflow": overflow_numbers,
    "clinic": clinic_numbers,
}


def as_tensor(numbers: object) -> Tensor:
    """Numbers in float64, None as NaN."""

    def filled(value: object) -> object:
        return (
            [filled(item) for item in value]
            if isinstance(value, list | tuple)
            else math.nan
            if value is None
            else value
        )

    numbers = numbers if isinstance(numbers, Tensor) else torch.tensor(filled(numbers), dtype=torch.float64)
    return torch.atleast_1d(numbers.double())


def largest_difference(printed: Mapping[str, list], expected: Mapping[str, object]) -> float:
    """How far the printed numbers are from the page's, each as a share of itself; infinite where they are others."""
    if list(printed) != list(expected):
        return math.inf
    gaps = [0.0]
    for name in expected:
        ours, theirs = as_tensor(printed[name]), as_tensor(expected[name])
        if ours.shape != theirs.shape:
            return math.inf
        differs = (ours != theirs) & ~(ours.isnan() & theirs.isnan())
        if differs.any():
            share = (ours - theirs).abs() / theirs.abs()
            gaps.append(float(share[differs].nan_to_num(nan=math.inf, posinf=math.inf).max()))
    return max(gaps)


def expected_numbers(name: str) -> dict[str, object]:
    state = values_of(name)
    return NUMBERS_OF[state["view"]](state, name)


@pytest.mark.parametrize("name", STATES)
def test_the_script_prints_every_number_of_the_page(name: str, run_script) -> None:
    script = script_of(values_of(name))
    assert script.isascii()
    assert not {"attention_core", "dashboard", "streamlit", "numpy", "jaxtyping"} & set(script.split())
    assert max(map(len, script.splitlines())) <= 110 or "scores = torch.tensor" in script
    assert largest_difference(run_script(script), expected_numbers(name)) <= 1e-12


def test_the_script_runs_in_a_process_of_its_own(tmp_path) -> None:
    name = "variance, sparse, copied"
    file = tmp_path / "scaling.py"
    file.write_bytes(script_of(values_of(name)).encode())
    done = subprocess.run(
        [sys.executable, "-I", str(file)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert largest_difference(read_printed(done.stdout), expected_numbers(name)) <= 1e-12


def test_every_view_with_a_script_is_reached_and_the_others_have_none() -> None:
    assert {values_of(name)["view"] for name in STATES} == HAS_SCRIPT
    for view in words.VIEWS.keys() - HAS_SCRIPT:
        assert script_of(Values(values_of("variance") | {"view": view})) == ""


def test_the_states_reach_every_type_distribution_and_divisor() -> None:
    for field, choices in (("dtype", DTYPES), ("divisor", DIVISORS), ("cause", CAUSES)):
        assert {values_of(name)[field] for name in STATES} >= set(choices)
    drawn = {(values_of(name)["view"], values_of(name)["distribution"]) for name in STATES}
    distributions = scaling_fields("en")["distribution"].options
    assert drawn >= {(view, name) for view in ("variance", "saturation") for name in distributions}
    assert {cure for cure in CURES if any(STATES[name].get(f"cure_{cure}") for name in STATES)} == set(CURES)


def test_the_states_draw_in_several_pieces_and_overflow_in_every_way() -> None:
    assert trials_a_chunk(16, 1024) < STATES["saturation, several pieces"]["trials"]
    assert trials_a_chunk(1, 1024) < STATES["variance"]["trials"]
    some = variance_numbers(values_of("variance, float16, some overflow"), "")["scores that overflowed"][0]
    assert 0 < some < FEW["trials"]
    everything = variance_numbers(values_of("variance, float16, all overflow"), "")
    assert everything["scores that overflowed"] == [FEW["trials"]]
    assert everything["mean of q.k, standard error, theory"][:2] == [None, None]
    lost = expected_numbers("saturation, float16, some overflow")
    assert as_tensor(lost["infinite_scores"]).sum() > 0
    partly = as_tensor(lost["lost_trials"])
    assert ((partly > 0) & (partly < FEW["trials"])).any()
    most = as_tensor(expected_numbers("saturation, float16, all overflow")["lost_trials"])
    assert (most == FEW["trials"]).any()


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_no_component_is_too_large_for_a_type_within_the_bounds_of_the_fields(distribution: str) -> None:
    components = Components(distribution, 1000.0, -1000.0, 1000.0, 1000.0)
    sizes = {"trials": 50, "n_keys": 50, "d_k": 64, "generator": generator_for(0, 64), "dtype": "float16"}
    assert all(x.abs().max() < 32_000 for x in draw_queries_and_keys(components, **sizes))


def test_a_short_setting_makes_a_short_script() -> None:
    longest = {"variance": 65, "saturation": 125, "temperature": 55, "overflow": 60, "clinic": 90}
    for view, most in longest.items():
        script = script_of(Values(values_of("variance") | {"view": view}))
        assert len(script.splitlines()) <= most
        for spared in ("rho", "mean_q", "isfinite", "isinf", "torch.rand("):
            assert spared not in script


PLANTED = (
    ("variance", "seed * 1_000_003 + d_k", "seed * 1_000_003"),
    ("variance", "d_k * 56", "d_k * 55"),
    ("variance", "(scores - scores.mean()).square()", "scores.square()"),
    ("variance", "[0, 10007,", "[0, 10008,"),
    ("variance, uniform, mixed width", "math.sqrt(12)", "math.sqrt(3)"),
    ("variance, signs, placed", "k.double() * std_k + mean_k", "k.double() * std_k"),
    ("variance, signs, placed", "(mean_k * std_q) ** 2", "(mean_k * std_k) ** 2"),
    ("variance, sparse, copied", "< abs(rho)", "< 1 - abs(rho)"),
    ("variance, sparse, copied", "1 + abs(rho) *", "1 + rho**2 *"),
    ("variance, mixed, placed", "rho * std_q * std_k), max", "std_q * std_k), max"),
    ("variance, mixed, placed", "alpha=rho", "alpha=-rho"),
    ("variance, float32", "dtype = torch.float32", "dtype = torch.float64"),
    ("variance, float16, some overflow", "    x = x[x.isfinite()]", "    x = x.nan_to_num()"),
    ("saturation", "(weights * g).sum", "g.sum"),
    ("saturation", "entropy / math.log(n_keys)", "entropy / math.log2(n_keys)"),
    ("saturation", "math.sqrt(n_heads * d_k)", "math.sqrt(d_k)"),
    ("saturation", " / torch.tensor(numbers", " * torch.tensor(numbers"),
    ("saturation", "divisors(d_k)[1]]", "divisors(d_k)[2]]"),
    ("saturation, most keys", "n_keys * 1024", "n_keys"),
    ("saturation, bfloat16", "weights.double()", "weights"),
    ("saturation, float16, some overflow", "scores[scores.isfinite()].std", "scores.nan_to_num().std"),
    ("saturation, float16, some overflow", ".isnan().sum(dim=0)", ".isnan().sum(dim=1)"),
    ("saturation, several pieces", "for start in range(0, trials, size):", "for start in (0,):"),
    ("temperature", " / temperature\n\nshow", "\n\nshow"),
    ("temperature", "- 2 * rest_3", "- rest_3"),
    ("temperature, equal ones", "scores.tolist().index(scores.max().item())", "3"),
    ("overflow", "scores - scores.amax(dim=-1, keepdim=True)", "scores"),
    ("overflow, low", "scores.log_softmax(dim=-1)", "scores.softmax(dim=-1).log()"),
    ("overflow", "(of_q / root) @ of_k", "of_q @ of_k / root"),
    ("clinic", "std = 0.02 * ", "std = 0.2 * "),
    ("clinic, standing_out", "x[0] *= 100.0", "x[1] *= 100.0"),
    ("clinic, large_keys", " * 30.0", ""),
    ("clinic, too_hot", " * 30.0", ""),
    ("clinic, no_divisor", "divisor = 1.0", "divisor = math.sqrt(d_k)"),
    ("clinic, depth_without_residual", "    x = out", "    x = x + out"),
    ("clinic, small_embeddings", "inner = x", "inner = torch.nn.functional.layer_norm(x, (d_model,))"),
    ("clinic", "[layer[0] for layer in layers]", "[layer[1] for layer in layers]"),
)


@pytest.mark.parametrize(("name", "sound", "faulty"), PLANTED)
def test_a_planted_fault_in_a_script_is_seen(name: str, sound: str, faulty: str, run_script) -> None:
    script = script_of(values_of(name))
    assert sound in script
    assert largest_difference(run_script(script.replace(sound, faulty)), expected_numbers(name)) > 1e-9
