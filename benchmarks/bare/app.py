"""The least app to compare the lab with: the same server, the same imports, one slider and one chart."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st


@asynccontextmanager
async def warm(_app: st.App) -> AsyncIterator[None]:
    """Import what the first visit needs before the server answers, as the lab does."""
    import altair  # noqa: F401
    import pandas  # noqa: F401
    import torch

    torch.set_num_threads(1)
    gc.collect()
    gc.freeze()
    yield


app = st.App(Path(__file__).parent / "main.py", lifespan=warm)
