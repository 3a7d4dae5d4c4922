"""Where runs are trained: a process for each slot, or, by one setting, a Dask cluster. Both speak as concurrent.futures do."""

import os
from concurrent.futures import Executor
from typing import Protocol

from loky.backend import get_context
from loky.process_executor import ProcessPoolExecutor

from attention_core.training.pool_worker import prepare_worker

DASK_SETTING = "ATTENTION_LAB_DASK"


class Pool(Protocol):
    """Slots, each of which runs one call at a time.

    Attributes:
        n_slots: How many run at once.
    """

    n_slots: int

    def executor(self, slot: int) -> Executor:
        """Give a slot's executor."""

    def renew(self, slot: int) -> None:
        """Put a slot's executor away, because it has broken; the next call gets another."""

    def close(self) -> None:
        """End everything; what runs is a piece of a fraction of a second."""


class LocalPool:
    """One process a slot, each in an executor of its own: where one dies, the others do not hear of it.

    Args:
        n_slots: None for one a core.
    """

    def __init__(self, n_slots: int | None = None) -> None:
        self.n_slots = n_slots or os.cpu_count() or 1
        self._executors: dict[int, ProcessPoolExecutor] = {}

    def executor(self, slot: int) -> Executor:
        """Give a slot's executor; its process starts with its first call."""
        if slot not in self._executors:
            # A new process that imports what it is asked for and no more. A copy of a server with threads is not safe, and the
            # standard library's other ways run the main module again, which for Streamlit is the page's own script.
            self._executors[slot] = ProcessPoolExecutor(
                1, context=get_context("loky"), initializer=prepare_worker
            )
        return self._executors[slot]

    def renew(self, slot: int) -> None:
        """Put a slot's executor away, because it has broken; the next call gets another."""
        executor = self._executors.pop(slot, None)
        if executor is not None:
            executor.shutdown(wait=False, kill_workers=True)

    def close(self) -> None:
        """End everything; what runs is a piece of a fraction of a second."""
        while self._executors:
            self._executors.popitem()[1].shutdown(kill_workers=True)


class DaskPool:
    """A Dask cluster; its scheduler says which machine takes a piece, and gives it to another where one dies.

    Args:
        address: Of the scheduler: tcp://….
        n_slots: None for as many as the cluster has threads at present.
    """

    def __init__(self, address: str, n_slots: int | None = None) -> None:
        from distributed import Client  # only who sets the address needs it

        self._client = Client(address, set_as_default=False, name="attention-lab")
        self.n_slots = n_slots or max(1, sum(self._client.nthreads().values()))
        # A piece takes and returns its run's state and draws no random number but by it: trying again is the same.
        self._executor = self._client.get_executor(pure=False, retries=2)

    def executor(self, slot: int) -> Executor:
        """Give the cluster's executor, the same for every slot."""
        return self._executor

    def renew(self, slot: int) -> None:
        """Do nothing: the scheduler knows its workers."""

    def close(self) -> None:
        """Cancel what runs and leave the cluster as it is."""
        self._executor.shutdown(wait=False)
        self._client.close()


def make_pool() -> Pool:
    """Make the pool that the server's setting asks for."""
    address = os.environ.get(DASK_SETTING, "")
    return DaskPool(address) if address else LocalPool()
