"""The only caches: arguments are plain values, every one is bounded."""

import platform
from dataclasses import dataclass
from datetime import UTC, datetime

import streamlit as st
import torch

from attention_core.experiments.independence import FormTiming, measure_independence

TIMED_LENGTHS = (4, 8, 16, 32, 64, 128, 256)
TIMED_REPEATS = 15


@dataclass(frozen=True)
class Measured:
    """Records of a measurement with where and when it was made."""

    records: tuple[FormTiming, ...]
    when: str
    machine: str
    torch_version: str


@st.cache_data(max_entries=16, ttl=3600, show_spinner=False)
def measured_forms(d_k: int) -> Measured:
    """Time loop, matmul, einsum and RNN once for all visitors of this server and hour."""
    records = measure_independence(TIMED_LENGTHS, d_k=d_k, repeats=TIMED_REPEATS)
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return Measured(records, when, f"{platform.system()} {platform.machine()}", torch.__version__)
