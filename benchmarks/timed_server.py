"""Start Streamlit as its own command does, and write down what each run of the script takes from the processor.

python -m benchmarks.timed_server run app.py [streamlit options]

Each run, a fragment's too, adds a line to the file named in $TIMED_SERVER_LOG: how many seconds of the processor its
thread took, from Streamlit's call of the script to the end of what it does after it. A run that waits takes nothing
from other visitors.
"""

import os
import time
from pathlib import Path

from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.web.cli import main


def write_down_runs(log: Path) -> None:
    run_script = ScriptRunner._run_script

    def timed(runner: ScriptRunner, rerun_data: object) -> None:
        start = time.thread_time()
        try:
            run_script(runner, rerun_data)
        finally:
            with log.open("a") as lines:
                lines.write(f"{time.thread_time() - start:.6f}\n")

    ScriptRunner._run_script = timed


if __name__ == "__main__":
    write_down_runs(Path(os.environ["TIMED_SERVER_LOG"]))
    main(prog_name="streamlit")
