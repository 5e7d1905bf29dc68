"""Runs one reader on damaged samples for some time and keeps what goes wrong."""

from __future__ import annotations

import hashlib
import random
import resource
import signal
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from iosonde.errors import IosondeError
from tests.fuzz.mutate import damaged
from tests.fuzz.readers import Reader

_SLOW = 2.0
"""Seconds of a processor that an input may take."""
_MEMORY = 4 << 30
_KEPT = 64  # inputs that took the longest, from which others are made


class TooSlow(BaseException):
    """An input took longer than it may."""


@dataclass
class Outcome:
    """What came of a reader. `findings`: what went wrong, once each, with an input that does it."""

    name: str
    executions: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    findings: dict[str, bytes] = field(default_factory=dict)


def fuzz(reader: Reader, seconds: float, *, seed: int) -> Outcome:
    """Damage samples until the time is over.

    Args:
        reader: to try.
        seconds: of the clock.
        seed: the same one tries the same inputs in the same order.
    """
    noise = random.Random(seed)
    outcome, interesting = Outcome(reader.name), list(reader.samples)
    begun = time.monotonic()
    while (spent := time.monotonic() - begun) < seconds:
        data = damaged(noise.choice(interesting), reader.samples, noise)
        problem, took = attempt(reader, data)
        outcome.executions += 1
        if problem:
            outcome.findings.setdefault(problem, data)
        elif took > max(outcome.slowest, 0.02) and len(interesting) < len(reader.samples) + _KEPT:
            interesting.append(data)  # what is slow may be made slower
        outcome.slowest = max(outcome.slowest, took)
    outcome.seconds = spent
    return outcome


def attempt(reader: Reader, data: bytes) -> tuple[str, float]:
    """What goes wrong with an input, empty for nothing, and how long it took (s of a processor)."""
    before = signal.signal(signal.SIGVTALRM, _too_slow)
    signal.setitimer(signal.ITIMER_VIRTUAL, _SLOW)
    begun = time.process_time()
    problem = ""
    try:
        reader.read(data)
    except IosondeError:
        pass
    except TooSlow as slow:
        problem = f"slow: {_place(slow)}"
    except Exception as wrong:
        if not isinstance(wrong, reader.expected):
            problem = f"{type(wrong).__name__}: {_place(wrong)}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return problem, time.process_time() - begun


def smaller(reader: Reader, data: bytes, problem: str, seconds: float = 20.0) -> bytes:
    """An input of the same problem with what is not needed taken out."""
    end, size = time.monotonic() + seconds, max(len(data) // 2, 1)
    while size and time.monotonic() < end:
        start = 0
        while start < len(data) and time.monotonic() < end:
            shorter = data[:start] + data[start + size :]
            if attempt(reader, shorter)[0] == problem:
                data = shorter
            else:
                start += size
        size //= 2
    return data


def keep(outcome: Outcome, folder: Path) -> list[Path]:
    """Write the inputs of findings to files."""
    paths = []
    for problem, data in outcome.findings.items():
        digest = hashlib.sha256(problem.encode()).hexdigest()[:8]
        path = folder / f"{outcome.name.replace(' ', '-').replace('/', '-')}.{digest}"
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        paths.append(path)
    return paths


def hold_memory() -> None:
    """An input that takes the memory of the machine is a MemoryError instead."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def _too_slow(_number: int, _frame: FrameType | None) -> None:
    raise TooSlow


def _place(problem: BaseException) -> str:
    """Where it was raised: the last line of iosonde's own that is on the way."""
    frames = [
        frame
        for frame in traceback.extract_tb(problem.__traceback__)
        if "/iosonde/" in frame.filename
    ]
    if not frames:
        return "outside"
    last = frames[-1]
    return f"{last.filename.rpartition('/iosonde/')[2]}:{last.lineno} {last.name}"
