"""fio: the load engine that applies any mix of I/O, and prints histograms of what it saw.

declare.py reads what the user wrote (job.py knows the two texts, varied.py lists in it), demand.py
says what the job needs, command.py how it is run and its requests are written down,
result.py reads the output and combine.py puts the results of several jobs together.

Source:
    fio 3.33 and 3.41-git: HOWTO, init.c, options.c, stat.c.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from iosonde.loads.fio import command, declare, demand, result, varied
from iosonde.loads.fio.command import recorded
from iosonde.records.load import Demand, Load, LoadCommand, LoadResult, RawOutput, Target
from iosonde.records.stack import Json, Scalar


class Fio:
    """See `iosonde.loads.load.LoadEngine`."""

    name: ClassVar[str] = "fio"
    parser_version: ClassVar[int] = 2

    def declare(self, spec: str | Mapping[str, Json], *, name: str, where: str) -> Load:
        """See `LoadEngine.declare`."""
        return declare.declare(spec, name=name, where=where)

    def lists(
        self, spec: str | Mapping[str, Json], *, name: str, where: str
    ) -> Mapping[str, tuple[str, ...]]:
        """See `VariedEngine.lists`."""
        return declare.lists(spec, name=name, where=where)

    def point(
        self, spec: str | Mapping[str, Json], chosen: Mapping[str, str], *, name: str, where: str
    ) -> Load:
        """See `VariedEngine.point`."""
        return declare.declare(spec, name=name, where=where, chosen=chosen)

    def coordinate(self, option: str, value: str, *, where: str) -> Scalar:
        """See `VariedEngine.coordinate`."""
        return varied.coordinate(option, value, where=where)

    def in_flight(self, load: Load) -> int | None:
        """See `VariedEngine.in_flight`."""
        return varied.in_flight(load)

    def adjust(self, load: Load, options: Mapping[str, Json], *, where: str) -> Load:
        """See `LoadEngine.adjust`."""
        return declare.adjust(load, options, where=where)

    def demand(self, load: Load) -> Demand:
        """See `LoadEngine.demand`."""
        return demand.demand(load)

    def command(
        self, load: Load, target: Target, *, directory: str, seconds: float | None
    ) -> LoadCommand:
        """See `LoadEngine.command`."""
        return command.command(load, target, directory=directory, seconds=seconds)

    def recorded(self, load: Load, command: LoadCommand, *, directory: str) -> LoadCommand:
        """See `Recording.recorded`."""
        return recorded(load, command, directory=directory)

    def parse(self, raw: RawOutput) -> LoadResult:
        """See `LoadEngine.parse`."""
        return result.moved(result.parse(raw))
