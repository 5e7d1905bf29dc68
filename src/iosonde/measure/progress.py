"""What a run tells whoever watches it. The command line draws it, tests collect it."""

from __future__ import annotations

from typing import Protocol

from iosonde.records.run import Loop


class Progress(Protocol):
    """Told in the order things happen; `trial` is the trial's id. No method may block."""

    def begins(self, run: str, trials: int, loops: int | None) -> None:
        """A run begins (or goes on): its id, its trials, loops of each (None: until precise)."""
        ...

    def preparing(self, trial: str, what: str) -> None:
        """Something is done before the loops: "laying out 2 GiB", "waiting for md0: resync"."""
        ...

    def loop_begins(self, trial: str, index: int, seconds: float | None) -> None:
        """Loop `index` (from 0) starts; it should take `seconds`."""
        ...

    def live(
        self, trial: str, iops: float | None, bandwidth: float | None, background: tuple[str, ...]
    ) -> None:
        """The observer's last second: I/Os a second and bytes a second at the devices below."""
        ...

    def loop_ended(self, trial: str, loop: Loop) -> None:
        """A loop is finished and stored."""
        ...

    def ends_at(self, moment: float | None) -> None:
        """The estimated end, epoch seconds; None while nothing is known."""
        ...

    def warn(self, trial: str, sentence: str) -> None:
        """Something the user should know, though the run goes on."""
        ...
