"""The process for long work, slow to start: `python -m tests.dashboard.slow_worker`."""

import sys
import time

from attention_core.worker import end_now, serve, take_output
from tests.dashboard.light_worker import MACHINE, WORK

if __name__ == "__main__":
    time.sleep(1.5)
    serve(sys.stdin.buffer, take_output(), WORK, lambda: MACHINE, at_end=end_now)
