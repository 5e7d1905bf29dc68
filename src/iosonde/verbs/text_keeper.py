"""Keeps what texts hold in the store: a run for each file, directory or archive."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from iosonde.records.run import Run, RunState
from iosonde.records.stack import Json
from iosonde.store.owner import this_process

if TYPE_CHECKING:
    from iosonde.store.packed import Packed
    from iosonde.store.store import Store

_BATCH = 200  # trials, and what is beside them, that one transaction holds


class TextKeeper:
    """Puts what is found into the store in batches; a text that is there already is not doubled.

    Args:
        name: of the file, directory or archive; "-" is standard input.
        digest: SHA-256 of what it holds.
        store: to keep it in.
        again: also where the store has the same text already.
    """

    def __init__(self, name: str, digest: str, store: Store, *, again: bool) -> None:
        self._store, self._name, self._digest = store, name, digest
        self.there = None if again else store.imported(self._digest)
        self._run: Run | None = None
        self._packed: list[Packed] = []
        self._waiting = 0  # trials, and what is beside them, in these

    def add(self, packed: Packed) -> None:
        """An output, or what could not be read."""
        self._packed.append(packed)
        self._waiting += len(packed)
        if self._waiting >= _BATCH:
            self._flush()

    def end(self) -> str | None:
        """The run in the store; None where nothing was found."""
        if self.there:
            return self.there
        if self._packed:
            self._flush()
        if self._run is not None:
            self._store.finish(self._run.id, RunState.FINISHED)
        return self._run.id if self._run else None

    def give_up(self) -> None:
        """The text could not be read to its end: what was found until then is kept as a failure."""
        if self._run is not None:
            self._store.finish(self._run.id, RunState.FAILED)

    def _flush(self) -> None:
        if self._run is None:
            name = self._name
            plan: dict[str, Json] = {"import": name, "sha256": self._digest}
            study = "standard input" if name == "-" else name.rstrip("/").rsplit("/", 1)[-1]
            self._run = self._store.begin(study, plan, created=time.time(), owner=this_process())
        self._store.add_imported(self._run.id, self._packed)
        self._packed, self._waiting = [], 0
