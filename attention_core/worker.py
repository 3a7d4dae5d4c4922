"""A process that runs long work for another one: `python -m attention_core.worker`.

It reads what to run from its standard input, runs it, and writes each result to its standard output as soon as it is
there. Both are lines of JSON: a request names a function of a fixed table, and nobody loads anything but plain values. When
its input ends, because the other process did, it ends at once, whatever it is at.
"""

import inspect
import json
import os
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, is_dataclass
from queue import SimpleQueue
from typing import Any, BinaryIO, TypeVar

# Fewer than there are, so that what else runs on the machine still gets a turn.
N_THREADS = max(1, (os.cpu_count() or 1) - 1)
Work = Callable[..., Iterable[object]]
Request = tuple[Work, dict[str, object]]
Record = TypeVar("Record")
Say = Callable[[str, object], None]


def write_request(work: Work, arguments: tuple[object, ...]) -> bytes:
    """Write what to run as one line.

    Args:
        arguments: Plain values, tuples of them, and records of both.

    Raises:
        TypeError: arguments that the function does not take, or that are something else.

    Example:
        >>> write_request(write_request, (1, 2)).decode().strip()
        '{"module": "attention_core.worker", "function": "write_request", "arguments": {"work": 1, "arguments": 2}}'
    """
    given = inspect.signature(work).bind(*arguments).arguments
    asked = {"module": work.__module__, "function": work.__qualname__, "arguments": given}
    return json.dumps(asked, default=_fields_of).encode() + b"\n"


def read_request(line: bytes, table: Iterable[Work]) -> Request:
    """Look a request up among the functions that may be asked for.

    Returns:
        The function and its arguments by name; one that is annotated with the class of a record is made one.

    Raises:
        ValueError: a line that is no request, a function that is not in the table, or what a record says of its fields.
        TypeError: arguments that the function or a record does not take.

    Example:
        >>> read_request(b'{"module": "os", "function": "abort", "arguments": {}}', [read_request])
        Traceback (most recent call last):
        ValueError: work is one of attention_core.worker.read_request, got os.abort
    """
    match json.loads(line):
        case {"module": str(module), "function": str(function), "arguments": dict(arguments)}:
            asked = f"{module}.{function}"
        case _:
            raise ValueError("a request names module, function and arguments")
    named = {f"{work.__module__}.{work.__qualname__}": work for work in table}
    if asked not in named:
        raise ValueError(f"work is one of {', '.join(named)}, got {asked}")
    work, takes = named[asked], inspect.signature(named[asked])
    takes.bind(**arguments)
    return work, {name: _read(takes.parameters[name].annotation, value) for name, value in arguments.items()}


def read_fields(record: Callable[..., Record], fields: Mapping[str, object]) -> Record:
    """Make a record of its fields as they came; what came as a list was a tuple.

    Example:
        >>> read_fields(dict, {"sizes": [1, [2, 3]]})
        {'sizes': (1, (2, 3))}
    """
    return record(**{name: _frozen(value) for name, value in fields.items()})


def _read(kind: object, value: Any) -> object:
    is_record = isinstance(kind, type) and is_dataclass(kind)
    return read_fields(kind, dict(value)) if is_record else _frozen(value)


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def serve(
    asked: BinaryIO,
    answered: BinaryIO,
    table: Iterable[Work],
    describe: Callable[[], object],
    at_end: Callable[[], object] = lambda: None,
) -> None:
    """Run what comes in until nothing more does.

    Args:
        asked: What to run, as `write_request` writes it.
        answered: Gets pairs as lines of JSON: "begun" and the machine, "item" and each result, then "end" and None, or
            "error" and its words. A record comes as its fields.
        table: The functions that may be asked for; each gives an iterable.
        describe: Gives the machine.
        at_end: Called as soon as the input has ended, while work may still run.
    """

    def say(kind: str, value: object) -> None:
        answered.write(json.dumps((kind, value), default=_fields_of).encode() + b"\n")
        answered.flush()

    requests: SimpleQueue[Request | Exception | None] = SimpleQueue()
    threading.Thread(target=_listen, args=(asked, tuple(table), requests, at_end), daemon=True).start()
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
    asked: BinaryIO,
    table: tuple[Work, ...],
    requests: "SimpleQueue[Request | Exception | None]",
    at_end: Callable[[], object],
) -> None:
    """Read requests while work runs, so that the end of the input is seen then too."""
    for line in iter(asked.readline, b""):
        try:
            requests.put(read_request(line, table))
        except Exception as error:
            requests.put(error)
    requests.put(None)
    at_end()


def _run(request: Request | Exception, say: Say, describe: Callable[[], object]) -> None:
    if isinstance(request, Exception):
        raise request
    work, arguments = request
    say("begun", describe())
    for item in work(**arguments):
        say("item", item)


def _fields_of(value: Any) -> dict[str, object]:
    """Give a record's fields, for JSON."""
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    raise TypeError(f"records and plain values are sent, got {type(value).__name__}")


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

    from attention_core.device import describe_machine, peak_bytes
    from attention_core.experiments import LONG_WORK

    torch.set_num_threads(N_THREADS)
    peak_bytes(lambda: None)  # the profiler takes a second to start
    serve(sys.stdin.buffer, answered, LONG_WORK, describe_machine, at_end=end_now)


if __name__ == "__main__":
    main()
