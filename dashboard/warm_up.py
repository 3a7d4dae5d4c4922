"""What the server does before its first visitor, so that nobody waits for it."""


def run() -> None:
    """Import what pages need, compute one sentence, measure the default sweeps, compile one chart of each kind."""
    import pandas  # noqa: F401

    from attention_core.device import list_devices
    from attention_core.ledger import PRESETS, build_ledger
    from attention_core.single_head import own_sentence, trace_single_head
    from dashboard.cached import rates_of
    from dashboard.panels.complexity import views as cost_views  # noqa: F401
    from dashboard.panels.heads import initial_model
    from dashboard.panels.heads import views as head_views  # noqa: F401
    from dashboard.panels.layers import first_sight
    from dashboard.panels.layers import views as layer_views  # noqa: F401
    from dashboard.panels.masks import views as mask_views  # noqa: F401
    from dashboard.panels.qkv import views  # noqa: F401
    from dashboard.panels.scaling import views as scaling_views  # noqa: F401
    from dashboard.panels.scaling.model import measure_defaults
    from dashboard.panels.variants import encoder_chart, error
    from dashboard.panels.variants import views as variant_views  # noqa: F401

    list_devices()  # where there is a GPU, the first question takes it a second
    given = own_sentence(("a", "b"), seed=0, d_model=4, d_k=2, d_v=2, positions="sinusoidal")
    trace_single_head(given, is_causal=True)
    rates_of("float32", "cpu")
    _compile_charts()
    measure_defaults()
    initial_model.measure_defaults()
    error.prepare()
    encoder_chart.measure_defaults()
    first_sight.measure_defaults()
    build_ledger(PRESETS["notes"].sizes)  # the first product on the meta device imports half of PyTorch


def _compile_charts() -> None:
    """Compile one chart of each kind."""
    from dashboard.charts.bars import weight_bars
    from dashboard.charts.costs import cost_lines
    from dashboard.charts.decoding import token_times
    from dashboard.charts.depths import depth_lines
    from dashboard.charts.dressed import dressed_arrows, word_paths
    from dashboard.charts.errors import error_lines
    from dashboard.charts.histogram import histogram
    from dashboard.charts.layers import layer_lines
    from dashboard.charts.measured import measured_points
    from dashboard.charts.plane import arrows
    from dashboard.charts.recall import recall_lines
    from dashboard.charts.starts import start_lines
    from dashboard.charts.sweep import sweep_lines
    from dashboard.charts.temperature import temperature_curves
    from dashboard.charts.timings import timing_lines
    from dashboard.charts.variance import variance_lines

    weight_bars("key", "weights", 2)
    arrows("x", "y", "query", "key", "#000000", "#ffffff")
    timing_lines("n", "time", "form", ("a", "b"))
    histogram("score", "share", "measured", "normal")
    variance_lines("d_k", "variance", "median", "theory")
    sweep_lines("d_k", "meter", "divisor", ("a", "b"), "guess", 1.0)
    temperature_curves("T", "share", ("a", "b", "c"), 0.01, 1000.0)
    layer_lines("layer", "meter", ("a", "b", "c"), "", is_share=True)
    start_lines("d_model", "meter", ("a", "b"), is_share=False)
    cost_lines("N", "FLOPs", (("a", 0), ("b", 1)), (1, 10), is_wide=True)
    measured_points("N", "ms", "kernel", "formula", (("a", 0), ("b", 1)), (1, 10), is_wide=True)
    error_lines("size", "error", "line", "yours", "zeros", (("a", 0), ("b", 1)))
    recall_lines("N", "share", "theory", ("a", "b"), ("c", "d"), 256)
    token_times("t", "µs", "way", ("a", "b"), 256, is_wide=True)
    depth_lines("layer", "cosine", ("a", "b"), top=1)
    dressed_arrows("x", "y", ("a", "b"), ("#000000", "#ffffff"))
    word_paths("x", "y", ("a", "b"))
