"""How Ctrl-C, a polite kill and a closed terminal end a verb: once, cleanly, and never half.

One handler answers SIGINT, SIGTERM and SIGHUP for all verbs. The first signal asks for a clean end.
Those that come while iosonde cleans up are counted and break nothing; the third one, some seconds
after the first, ends the process at once and says what is left behind.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import threading
import time
import warnings
from collections.abc import Callable, Coroutine, Iterator
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

if TYPE_CHECKING:
    import asyncio
    from types import FrameType


T = TypeVar("T")


_CURSOR = "\x1b[?25h"  # DECTCEM: the cursor is seen again (ECMA-48 private mode 25)
FINAL_PAUSE = 5.0
"""Seconds after the first signal from which a third one ends iosonde without further cleaning."""
_SETTLES = 3.0  # seconds for commands that nobody waits for any more
_KEEPS = "iosonde-holds-"  # of a keeper, which ends the load and cleans up when we are gone
_ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(BaseException):
    """A signal asked iosonde to end, and what was begun has been cleaned up.

    Args:
        number: of the signal.
        advice: what the user may do next; empty: nothing in particular.
    """

    def __init__(self, number: int, advice: str = "") -> None:
        super().__init__(number)
        self.number = number
        self.advice = advice
        self.run = ""
        """Id of a run that can go on."""

    @property
    def exit_code(self) -> int:
        """What shells show of a command that a signal ended: 130, 143 or 129."""
        return 128 + self.number


class _Signals:
    """The one handler of this process, and what it does now.

    Until a verb begins nothing is made, so a signal ends the process at once. Then the first one
    raises `Interrupted`, or cancels the task where an event loop runs; the others are counted.
    """

    def __init__(self) -> None:
        self.process = 0
        self.working = False
        self.first = 0
        self.count = 0
        self.since = 0.0
        self.looping = False
        self.speaker: Callable[[str], None] | None = None
        self.cancel: Callable[[], object] | None = None

    def handle(self, number: int, _frame: FrameType | None) -> None:
        """What Python calls, in the main thread, between two of its instructions."""
        if os.getpid() != self.process or not self.working:  # a forked worker, or nothing begun
            os._exit(128 + number)
        self.count += 1
        if self.count == 1:
            self.first, self.since = number, time.monotonic()
            _hush()
            if self.cancel is not None:
                self.cancel()
            elif not self.looping:
                raise Interrupted(number)
        elif self.count == 2:
            speak = self.speaker or say
            speak(
                "cleaning up; a third signal ends this at once, from "
                f"{FINAL_PAUSE:g} s after the first on, and says what is left behind"
            )
        elif time.monotonic() - self.since >= FINAL_PAUSE:
            self.give_up()

    def give_up(self) -> NoReturn:
        """End at once, and say what nobody will clean up now."""
        from iosonde.hosts.cleaning import leftovers
        from iosonde.hosts.kin import below, kill

        kill(below(os.getpid(), but=_KEEPS))
        left = leftovers()
        if self.speaker is not None:
            say(_CURSOR)
        say("ended at once; " + ("left behind, each with the command that takes it away there:"
                                  if left else "nothing is known to be left behind"))  # fmt: skip
        for line in left:
            say(f"  {line}")
        os._exit(128 + self.first)

    def forget(self) -> None:
        """A signal that came too late to end anything: the next one is the first again."""
        self.first = self.count = 0


_signals = _Signals()


def speak_through(speaker: Callable[[str], None] | None) -> None:
    """Have whoever draws on the terminal show what the handler says, while it draws.

    Args:
        speaker: keeps the sentence for its next picture; None: nobody draws any more.
    """
    _signals.speaker = speaker


def say(line: str) -> None:
    """Write a line on standard error, be it closed: Python's own files may be in use just now."""
    with contextlib.suppress(OSError):
        os.write(2, f"{line}\n".encode())


def _hush() -> None:
    """What libraries log and warn of from now on is the interruption's own noise.

    SQLAlchemy logs it with a traceback, Python warns of coroutines that were not begun yet.
    """
    warnings.simplefilter("ignore")
    if (logging := sys.modules.get("logging")) is not None:
        logging.disable()


def _ignored(problem: sys.UnraisableHookArgs) -> None:
    """An `Interrupted` that Python cannot raise, as in a finalizer, is tried again a moment later.

    Source: sys.unraisablehook of the Python documentation.
    """
    if isinstance(problem.exc_value, Interrupted):
        number = problem.exc_value.number
        _signals.forget()
        threading.Timer(0.01, os.kill, (os.getpid(), number)).start()
    else:
        sys.__unraisablehook__(problem)


def take_signals() -> None:
    """Answer Ctrl-C, a polite kill and a closed terminal from now on; for `main` alone.

    What is ignored, as after nohup, stays so.
    """
    _signals.process = os.getpid()
    for number in _ENDS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _signals.handle)
    sys.unraisablehook = _ignored


def begin_work() -> None:
    """From now on something may have to be cleaned up, so the first signal asks for a clean end."""
    _signals.working = True


def end_work() -> None:
    """All is done: signals are ignored until Python has ended, a moment later.

    It would set those that have a handler to their defaults first (Modules/signalmodule.c,
    _PySignal_Fini), and the exit code of work that is done would be lost.
    """
    for number in _ENDS:
        signal.signal(number, signal.SIG_IGN)


def asked() -> int:
    """The first signal that asked for the end; 0: none did."""
    return _signals.first


def run_async(doing: Coroutine[Any, Any, T], advice: Callable[[], str] | str = "") -> T:
    """Run a coroutine to its end; the first signal cancels it, once, whatever else comes.

    A signal that comes when it has nothing left to await changes nothing: its result is returned.
    In a notebook, whose own event loop runs already, it runs in a thread beside it.

    Args:
        doing: what to run; it cleans up when it is cancelled.
        advice: what the user may do next when it was interrupted; asked for then.

    Raises:
        Interrupted: it was cancelled by a signal, and has cleaned up.
    """
    import asyncio

    with contextlib.suppress(RuntimeError):
        asyncio.get_running_loop()
        return _run_beside(doing, advice)
    _signals.looping = True

    async def watched() -> T:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine runs in a task
        with _woken() as loop:
            _signals.cancel = lambda: loop.call_soon_threadsafe(task.cancel)
            if asked():  # before there was anything to cancel
                doing.close()
                raise asyncio.CancelledError
            try:
                return await doing
            finally:
                _signals.cancel = None
                await _settled()

    try:
        with asyncio.Runner() as runner:
            result = runner.run(watched())
        _signals.forget()
    except asyncio.CancelledError:
        if not asked():
            raise
        hint = advice if isinstance(advice, str) else advice()
        raise Interrupted(asked(), hint) from None
    else:
        return result
    finally:
        _signals.looping = False


def _run_beside(doing: Coroutine[Any, Any, T], advice: Callable[[], str] | str) -> T:
    """Run it in a thread and wait for it; Ctrl-C cancels it, and it cleans up."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(run_async, doing, advice)
        try:
            return running.result()
        except KeyboardInterrupt:
            if _signals.cancel is not None:
                _signals.cancel()
            raise


async def _settled() -> None:
    """Wait for what was left running, before the loop is closed and all of it is cancelled.

    The start of a process that is cancelled by that may wait for ever (CPython 3.11,
    Lib/asyncio/unix_events.py, _make_subprocess_transport: it awaits the end of what has none).
    """
    import asyncio

    if others := asyncio.all_tasks() - {asyncio.current_task()}:
        await asyncio.wait(others, timeout=_SETTLES)


@contextlib.contextmanager
def _woken() -> Iterator[asyncio.AbstractEventLoop]:
    """The running loop, which a signal wakes: Python's handlers wait until it does something.

    Source: signal.set_wakeup_fd of the Python documentation.
    """
    import asyncio

    loop = asyncio.get_running_loop()
    if threading.current_thread() is not threading.main_thread():  # Python handles none there
        yield loop
        return
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        theirs.setblocking(False)
        loop.add_reader(ours, ours.recv, 4096)
        before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
        try:
            yield loop
        finally:
            signal.set_wakeup_fd(before)
            loop.remove_reader(ours)
