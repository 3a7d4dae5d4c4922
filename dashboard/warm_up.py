"""What the server does before its first visitor, so that nobody waits for imports."""


def run() -> None:
    """Import what pages need and compute one sentence."""
    import altair  # noqa: F401
    import pandas  # noqa: F401

    from attention_core.single_head import own_sentence, trace_single_head
    from dashboard.panels.qkv import pipeline  # noqa: F401

    given = own_sentence(("a", "b"), seed=0, d_model=4, d_k=2, d_v=2, positions="sinusoidal")
    trace_single_head(given, is_causal=True)
