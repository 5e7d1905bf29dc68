"""What every load engine can do. An engine turns a declaration into a command and reads its output.

An engine executes nothing and opens no file: measure/ runs what `command` returns on a host and
hands what came out to `parse`, now or years later.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Protocol, runtime_checkable

from iosonde.errors import LoadFailed
from iosonde.records.load import Demand, Load, LoadCommand, LoadResult, RawOutput, Target
from iosonde.records.stack import Json


class LoadEngine(Protocol):
    """One tool that applies load."""

    name: ClassVar[str]
    parser_version: ClassVar[int]
    """Raised whenever `parse` reads more or better: stored beside raw output."""

    def declare(self, spec: str | Mapping[str, Json], *, name: str, where: str) -> Load:
        """A load from what the user wrote: a pasted command line, a job file's text or a mapping.

        Args:
            spec: the user's words.
            name: name of the load where the spec has none.
            where: file and line, or option, for messages.

        Raises:
            UsageError: it cannot be understood, or names an option that iosonde must set itself.
        """
        ...

    def adjust(self, load: Load, options: Mapping[str, Json], *, where: str) -> Load:
        """The same load with some of the tool's options changed.

        Raises:
            UsageError: it has no such option, or one that iosonde must set itself.
        """
        ...

    def demand(self, load: Load) -> Demand:
        """What the load needs and does."""
        ...

    def command(
        self, load: Load, target: Target, *, directory: str, seconds: float | None
    ) -> LoadCommand:
        """How one loop of the load is run at a target.

        Args:
            load: as declared.
            target: scratch file or device; the file exists and is laid out.
            directory: of the host, ours alone, for job files and outputs of this loop.
            seconds: length of the loop; None: as the load says.
        """
        ...

    def parse(self, raw: RawOutput) -> LoadResult:
        """What the output says.

        Raises:
            LoadFailed: there is no result in it; the message quotes what the tool complained.
        """
        ...


def result_of(engine: LoadEngine, raw: RawOutput) -> LoadResult:
    """What a load's output says; one that no reader is prepared for is a failed loop, no crash.

    Raises:
        LoadFailed: there is no result in it.
    """
    try:
        return engine.parse(raw)
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError,
            RecursionError) as problem:  # fmt: skip
        raise LoadFailed(
            f"the load printed what cannot be read ({type(problem).__name__}: {problem})"
        ) from None


REQUESTS = "requests.iolog"
"""Name of the file with a loop's requests, as fio writes them (`write_iolog`)."""

REPLAYED = "requests.bin"
"""Name of the file with the requests that a loop is to issue, in its directory."""


@runtime_checkable
class ReplayingEngine(Protocol):
    """An engine that issues requests made ready elsewhere, from the file `REPLAYED`."""

    def replays(self, load: Load) -> Mapping[str, Json]:
        """What they are made of: see `iosonde.trace.replay.packed_again`."""
        ...

    def programs(self) -> Mapping[str, bytes]:
        """What it runs on the host, by the name of the file in the loop's directory."""
        ...


@runtime_checkable
class RecordingEngine(Protocol):
    """An engine that can also write down which requests it makes."""

    def recorded(self, load: Load, command: LoadCommand, *, directory: str) -> LoadCommand:
        """The command of a loop, with its requests among the outputs as `REQUESTS`.

        Args:
            load: as declared.
            command: as `LoadEngine.command` made it.
            directory: of the host, that of `command`.

        Returns:
            The command as it was where the requests cannot be told apart.
        """
        ...
