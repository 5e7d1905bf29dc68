"""Reads what may be a bomb in a process of its own, with little memory and little time.

A PDF or an HTML page is read by code of others, which limits its input in some ways and not in all:
a few hundred bytes can ask for any amount of work. The kernel ends the process that does too much.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeVar

from iosonde import limits
from iosonde.errors import UsageError
from iosonde.workers import follow

Made = TypeVar("Made")
_FIXED = "give the text itself, without what is around it"


def confined(work: Callable[[bytes, str], Made], data: bytes, *, name: str, what: str) -> Made:
    """What a function makes of some bytes, made in a process with limits.

    Args:
        work: given the bytes and their name; what it returns can be pickled.
        data: the bytes.
        name: of their file.
        what: they are, for messages: "this PDF".

    Raises:
        UsageError: the function's own; it took more memory or time than limits.py allows, or did
            not survive.
    """
    context = get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(
        target=_in_child, args=(work, data, name, sender, receiver, os.getpid())
    )
    child.start()
    sender.close()
    try:
        ended, made = receiver.recv()
    except EOFError:
        child.join()
        ended, made = child.exitcode, None
    finally:
        receiver.close()
        child.kill()
        child.join()
    if ended is None:
        return made  # type: ignore[no-any-return]
    if isinstance(ended, UsageError):
        raise ended
    raise UsageError(_reason(ended, what), where=name, hint=_FIXED)


def _reason(ended: object, what: str) -> str:
    if ended == _MEMORY:
        return (
            f"reading {what} takes more than {limits.shown(limits.READER_MEMORY)} of memory, "
            "the limit"
        )
    if ended in {-signal.SIGXCPU, -signal.SIGKILL}:  # the soft limit, the hard one
        return f"reading {what} takes more than {limits.READER_SECONDS} s of a processor, the limit"
    return f"{what} cannot be read: its reader ended with {ended}"


_MEMORY = "memory"


def _in_child(
    work: Callable[[bytes, str], object],
    data: bytes,
    name: str,
    sender: Connection,
    receiver: Connection,
    parent: int,
) -> None:
    follow(parent)
    receiver.close()
    seconds = limits.READER_SECONDS
    _lower(resource.RLIMIT_CPU, seconds, seconds + 2)
    _lower(resource.RLIMIT_CORE, 0, 0)
    memory = _address_space() + limits.READER_MEMORY
    _lower(resource.RLIMIT_AS, memory, memory)
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    with contextlib.suppress(BrokenPipeError):
        try:
            sender.send((None, work(data, name)))
        except UsageError as problem:
            sender.send((problem, None))
        except MemoryError:
            sender.send((_MEMORY, None))
        except Exception as problem:
            sender.send((f"{type(problem).__name__}: {problem}", None))


def _lower(which: int, soft: int, hard: int) -> None:
    """Lower a limit; one that is lower already stays."""
    most = resource.getrlimit(which)[1]
    if most != resource.RLIM_INFINITY:
        soft, hard = min(soft, most), min(hard, most)
    resource.setrlimit(which, (soft, hard))


def _address_space() -> int:
    """Bytes of address space this process has. Source: proc(5), /proc/pid/statm, in pages."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
