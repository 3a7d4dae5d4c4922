"""How a process that trains for a server begins: one thread of torch, and an end when the server ends."""

import os
import threading
import time

import torch

LOOK_EVERY_S = 1.0


def prepare_worker() -> None:
    """Make this process one that takes pieces of runs.

    One thread: the same recipe gives the same run to the last digit, and as many run side by side as there are cores.
    A server that is killed cannot tell its processes to end, so each looks whether its parent is still the same.
    """
    torch.set_num_threads(1)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_EVERY_S)
    os._exit(0)
