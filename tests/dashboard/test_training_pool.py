"""Where runs are trained: processes that end with their server, and a real Dask scheduler with a real worker."""

import os
import socket
import subprocess
import sys
import time
import types
from collections.abc import Iterator
from concurrent.futures import Executor
from pathlib import Path

import pytest

from attention_core.training.chunk import go_on
from attention_core.training.loop import Run
from attention_core.training.recipe import Recipe
from dashboard.trainer import Trainer
from dashboard.training_pool import DASK_SETTING, DaskPool, LocalPool, make_pool

ROOT = Path(__file__).parents[2]
RECIPE = Recipe("copy", n_layers=1, d_model=8, batch=4)
LONG_S = 60.0


def processes_of(executor: Executor) -> list[int]:
    return [process.pid for process in executor._processes.values()]


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_each_slot_is_a_process_of_its_own_that_ends_with_the_pool():
    pool = LocalPool(2)
    pieces = [pool.executor(slot).submit(go_on, RECIPE, None, 1, LONG_S) for slot in range(2)]
    assert pieces[0].result(LONG_S).records == pieces[1].result(LONG_S).records
    pids = [pid for slot in range(2) for pid in processes_of(pool.executor(slot))]
    assert len(set(pids)) == 2
    pool.close()
    assert not any(map(is_running, pids))


def test_a_process_does_not_run_what_the_server_runs_as_its_main_script(tmp_path, monkeypatch):
    """Streamlit puts the page's script in the place of the main module while it runs."""
    script = tmp_path / "page.py"
    script.write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()", encoding="utf-8")
    page = types.ModuleType("__main__")
    page.__file__ = str(script)
    monkeypatch.setitem(sys.modules, "__main__", page)
    pool = LocalPool(1)
    assert len(pool.executor(0).submit(go_on, RECIPE, None, 1, LONG_S).result(LONG_S).records) == 1
    pool.close()
    assert not (tmp_path / "ran").exists()


def test_processes_end_where_their_server_is_killed():
    program = (
        "import sys, time\n"
        "from attention_core.training.chunk import go_on\n"
        "from attention_core.training.recipe import Recipe\n"
        "from dashboard.training_pool import LocalPool\n"
        "if __name__ == '__main__':\n"
        "    executor = LocalPool(1).executor(0)\n"
        "    executor.submit(go_on, Recipe('copy', n_layers=1, d_model=8, batch=4), None, 1, 9).result()\n"
        "    print(*executor._processes, flush=True)\n"
        "    time.sleep(600)\n"
    )
    server = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    with server:
        pid = int(server.stdout.readline())
        assert is_running(pid)
        server.kill()
    ends = time.monotonic() + LONG_S
    while is_running(pid):
        assert time.monotonic() < ends
        time.sleep(0.1)


def test_without_the_setting_runs_stay_on_this_machine(monkeypatch):
    monkeypatch.delenv(DASK_SETTING, raising=False)
    pool = make_pool()
    assert isinstance(pool, LocalPool)
    assert pool.n_slots == os.cpu_count()


@pytest.fixture
def address() -> Iterator[str]:
    """A scheduler and a worker in processes of their own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    port = address.rsplit(":", 1)[1]
    cli = [sys.executable, "-m", "distributed.cli.dask_"]
    quiet = {"cwd": ROOT, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    quiet["env"] = os.environ | {"PYTHONPATH": str(ROOT)}
    scheduler = [*cli[:2], f"{cli[2]}scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard"]
    worker = [*cli[:2], f"{cli[2]}worker", address, "--nthreads", "1", "--no-dashboard", "--no-nanny"]
    started = [subprocess.Popen(command, **quiet) for command in (scheduler, worker)]
    yield address
    for process in reversed(started):
        process.terminate()
        process.wait(timeout=30)


def test_by_one_setting_runs_go_to_a_dask_cluster_and_are_the_same(address, monkeypatch):
    monkeypatch.setenv(DASK_SETTING, address)
    pool = make_pool()
    assert isinstance(pool, DaskPool)
    trainer = Trainer(pool, lambda owner: True)
    number = trainer.start("ann", 0, RECIPE).number
    trainer.go(number, "ann", 20)
    ends = time.monotonic() + LONG_S
    while trainer.look(number, "ann").state in ("waiting", "running"):
        assert time.monotonic() < ends
        time.sleep(0.02)
    run = trainer.look(number, "ann")
    assert run.error == ""
    expected = list(Run(RECIPE).go(20))
    assert [record.step for record in run.records] == list(range(1, 21))
    assert [record.loss for record in run.records] == pytest.approx([x.loss for x in expected], abs=1e-4)
    trainer.close()
