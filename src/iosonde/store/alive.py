"""Locks beside a store in a file: who runs a run holds one, so that another container can tell."""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path

from iosonde.errors import Refused
from iosonde.private_folder import make_private
from iosonde.records.run import RunState
from iosonde.store.owner import hold_lock, is_gone, lock_is_free

_ID = re.compile(r"[a-z0-9]+")


class RunLocks:
    """The locks in `STORE.running`, a file for each run; none where the store is no file.

    Without one, nobody in another PID namespace takes a run for interrupted.

    Args:
        file: the store; None: it is no file.
    """

    def __init__(self, file: str | None) -> None:
        self._folder = Path(f"{file}.running") if file else None
        self._held: dict[str, int] = {}

    def hold(self, run: str) -> None:
        """Hold the lock of a run until it is released, or this process ends."""
        if self._folder is None or run in self._held:
            return
        with contextlib.suppress(OSError, Refused):  # a place of others; see the class
            self._held[run] = hold_lock(make_private(self._folder) / run)

    def runs(self) -> tuple[str, ...]:
        """The runs whose locks are held."""
        return tuple(self._held)

    def is_free(self, run: str) -> bool:
        """Whether the lock of a run is there, and nobody holds it."""
        return (
            self._folder is not None
            and _ID.fullmatch(run) is not None
            and lock_is_free(self._folder / run)
        )

    def state(self, run: str, stored: str, owner: str) -> RunState:
        """How a run stands: one whose process is gone without a word was interrupted."""
        state = RunState(stored)
        if state is RunState.RUNNING and is_gone(owner, let_go=lambda: self.is_free(run)):
            return RunState.INTERRUPTED
        return state

    def release(self, run: str) -> None:
        """The run has ended."""
        if self._folder is None or _ID.fullmatch(run) is None:
            return
        with contextlib.suppress(OSError):
            (self._folder / run).unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # others run
            self._folder.rmdir()
        if (descriptor := self._held.pop(run, None)) is not None:
            os.close(descriptor)

    def close(self) -> None:
        """Hold none any more."""
        while self._held:
            os.close(self._held.popitem()[1])
