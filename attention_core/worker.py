"""A process that runs long work for another one: `python -m attention_core.worker`.

It reads what to run from its standard input, runs it, and writes each result to its standard output as soon as it is
there, as a line of JSON: whoever reads the answers loads nothing but plain values. When its input ends, because the other
process did, it ends at once, whatever it is at.
"""

import base64
import json
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import asdict, is_dataclass
from queue import SimpleQueue
from typing import Any, BinaryIO

# Fewer than there are, so that what else runs on the machine still gets a turn.
N_THREADS = max(1, (os.cpu_count() or 1) - 1)
Request = tuple[Callable[..., Iterable[object]], tuple[object, ...]]
Say = Callable[[str, object], None]


def write_request(work: Callable[..., Iterable[object]], arguments: tuple[object, ...]) -> bytes:
    """Write what to run as one line.

    Raises:
        Exception: whatever pickle says of work or arguments that cannot be sent.

    Example:
        >>> write_request(range, (3,)).endswith(b"\\n")
        True
    """
    return base64.b64encode(pickle.dumps((work, arguments))) + b"\n"


def serve(
    asked: BinaryIO,
    answered: BinaryIO,
    describe: Callable[[], object],
    at_end: Callable[[], object] = lambda: None,
) -> None:
    """Run what comes in until nothing more does.

    Args:
        asked: Pairs of a function that gives an iterable, and its arguments, as `write_request` writes them; only the process
            that started this one can write there.
        answered: Gets pairs as lines of JSON: "begun" and the machine, "item" and each result, then "end" and None, or
            "error" and its words. A record comes as its fields.
        describe: Gives the machine.
        at_end: Called as soon as the input has ended, while work may still run.
    """

    def say(kind: str, value: object) -> None:
        answered.write(json.dumps((kind, value), default=_fields_of).encode() + b"\n")
        answered.flush()

    requests: SimpleQueue[Request | Exception | None] = SimpleQueue()
    threading.Thread(target=_listen, args=(asked, requests, at_end), daemon=True).start()
    while (request := requests.get()) is not None:
        try:
            _run(request, say, describe)
        except BrokenPipeError:
            return
        except Exception as error:  # whatever it is, the other process shows it
            say("error", f"{type(error).__name__}: {error}")
        else:
            say("end", None)


def _listen(
    asked: BinaryIO, requests: "SimpleQueue[Request | Exception | None]", at_end: Callable[[], object]
) -> None:
    """Read requests while work runs, so that the end of the input is seen then too."""
    for line in iter(asked.readline, b""):
        try:
            requests.put(pickle.loads(base64.b64decode(line)))  # by the process that started this one
        except Exception as error:
            requests.put(error)
    requests.put(None)
    at_end()


def _run(request: Request | Exception, say: Say, describe: Callable[[], object]) -> None:
    if isinstance(request, Exception):
        raise request
    work, arguments = request
    say("begun", describe())
    for item in work(*arguments):
        say("item", item)


def _fields_of(value: Any) -> dict[str, object]:
    """Give a record's fields, for JSON."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    raise TypeError(f"results are records or plain values, got {type(value).__name__}")


def take_output() -> BinaryIO:
    """Keep the standard output for answers; what libraries print goes to the error stream from now on."""
    answered = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return answered


def end_now() -> None:
    """End this process, whatever it is at."""
    os._exit(0)


def main() -> None:
    """Serve on the standard streams, with everything loaded that the first to ask would wait for else."""
    answered = take_output()

    import torch

    import attention_core.experiments  # noqa: F401
    from attention_core.device import describe_machine, peak_bytes

    torch.set_num_threads(N_THREADS)
    peak_bytes(lambda: None)  # the profiler takes a second to start
    serve(sys.stdin.buffer, answered, describe_machine, at_end=end_now)


if __name__ == "__main__":
    main()
