"""What a load engine can do whose tool starts itself on several hosts at once.

A server of the tool waits on each host; one client on the controller hands each its job and lets
all begin together. Like an engine, a fleet executes nothing: measure/fleet.py does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

from iosonde.records.load import Load, LoadCommand, RawOutput, Target

SOCKET = "server.sock"
"""Name of a server's unix socket in the directory that is its own."""


class Fleet(Protocol):
    """How a tool is run on several hosts at once."""

    version: ClassVar[tuple[str, ...]]
    """The command that prints the tool's version."""

    def line(self, said: str) -> str:
        """The version line in what `version` printed; client and servers must be of the same.

        Raises:
            LoadFailed: there is no version in it.
        """
        ...

    def check(self, load: Load, *, where: str) -> None:
        """Look whether the load can be run this way.

        Raises:
            UsageError: it asks for something that the tool does only by itself.
        """
        ...

    def server(self, load: Load, *, directory: str) -> tuple[str, ...]:
        """The command of a server that listens at DIRECTORY/server.sock until it is ended.

        Args:
            load: what it will be asked for; a load that only reads gets a server that only reads.
            directory: of its host, ours alone.
        """
        ...

    def client(
        self, load: Load, targets: Sequence[Target], *, directory: str, seconds: float | None
    ) -> LoadCommand:
        """How one loop is run from the controller at all targets.

        Args:
            load: as declared.
            targets: one for each server, which is reached at the unix socket DIRECTORY/0, /1, …
            directory: of the controller, ours alone.
            seconds: length of the loop; None: as the load says.
        """
        ...

    def split(self, raw: RawOutput, count: int) -> tuple[RawOutput | None, ...]:
        """What the client brought from each server, as the engine's `parse` reads it.

        None for a server that gave no result.
        """
        ...

    def complaints(self, raw: RawOutput) -> str:
        """What the client said beside its result, in one line; empty where it said nothing."""
        ...
