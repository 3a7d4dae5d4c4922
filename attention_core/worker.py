"""A process that runs long work for another one: `python -m attention_core.worker`.

It reads what to run from its standard input, runs it, and writes each result to its standard output as soon as it is
there; both ends are this project's own. When its input ends, because the other process did, it ends too.
"""

import os
import pickle
import sys
from collections.abc import Callable, Iterable
from typing import BinaryIO

# Fewer than there are, so that what else runs on the machine still gets a turn.
N_THREADS = max(1, (os.cpu_count() or 1) - 1)


def serve(asked: BinaryIO, answered: BinaryIO) -> None:
    """Run what comes in until nothing more does.

    Args:
        asked: Pickled pairs of a function that gives an iterable, and its arguments.
        answered: Gets pickled pairs: "item" and each result, then "end" and None, or "error" and its words.
    """

    def say(kind: str, value: object) -> None:
        pickle.dump((kind, value), answered)
        answered.flush()

    while True:
        try:
            work, arguments = pickle.load(asked)
        except EOFError:
            return
        try:
            _run(work, arguments, say)
        except BrokenPipeError:
            return
        except Exception as error:  # whatever it is, the other process shows it
            say("error", f"{type(error).__name__}: {error}")
        else:
            say("end", None)


def _run(
    work: Callable[..., Iterable[object]], arguments: tuple[object, ...], say: Callable[[str, object], None]
) -> None:
    for item in work(*arguments):
        say("item", item)


def main() -> None:
    """Serve on the standard streams; what is printed goes to the error stream."""
    import torch

    answered, sys.stdout = sys.stdout.buffer, sys.stderr
    torch.set_num_threads(N_THREADS)
    serve(sys.stdin.buffer, answered)


if __name__ == "__main__":
    main()
