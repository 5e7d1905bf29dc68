"""fio: the load engine that applies any mix of I/O, and prints histograms of what it saw.

declare.py reads what the user wrote (job.py knows the two texts, varied.py lists in it), demand.py
says what the job needs, command.py how it is run and its requests are written down,
result.py reads the output and combine.py puts the results of several jobs together.

Source:
    fio 3.33 and 3.41-git: HOWTO, init.c, options.c, stat.c.
"""

from __future__ import annotations

from collections.abc import Mapping

from typing_extensions import override

from iosonde.loads.fio import command, declare, demand, result, varied
from iosonde.loads.fio.command import recorded
from iosonde.loads.load import LoadEngine, RecordingEngine
from iosonde.loads.matrix import VariedEngine
from iosonde.records.load import Demand, Load, LoadCommand, LoadResult, RawOutput, Target
from iosonde.records.stack import Json, Scalar


class Fio(LoadEngine, VariedEngine, RecordingEngine):
    """See `iosonde.loads.load.LoadEngine`."""

    name = "fio"
    parser_version = 2

    @override
    def declare(self, spec: str | Mapping[str, Json], *, name: str, where: str) -> Load:
        return declare.declare(spec, name=name, where=where)

    @override
    def lists(
        self, spec: str | Mapping[str, Json], *, name: str, where: str
    ) -> Mapping[str, tuple[str, ...]]:
        return declare.lists(spec, name=name, where=where)

    @override
    def point(
        self, spec: str | Mapping[str, Json], chosen: Mapping[str, str], *, name: str, where: str
    ) -> Load:
        return declare.declare(spec, name=name, where=where, chosen=chosen)

    @override
    def coordinate(self, option: str, value: str, *, where: str) -> Scalar:
        return varied.coordinate(option, value, where=where)

    @override
    def in_flight(self, load: Load) -> int | None:
        return varied.in_flight(load)

    @override
    def adjust(self, load: Load, options: Mapping[str, Json], *, where: str) -> Load:
        return declare.adjust(load, options, where=where)

    @override
    def demand(self, load: Load) -> Demand:
        return demand.demand(load)

    @override
    def command(
        self, load: Load, target: Target, *, directory: str, seconds: float | None
    ) -> LoadCommand:
        return command.command(load, target, directory=directory, seconds=seconds)

    @override
    def recorded(self, load: Load, command: LoadCommand, *, directory: str) -> LoadCommand:
        return recorded(load, command, directory=directory)

    @override
    def parse(self, raw: RawOutput) -> LoadResult:
        return result.moved(result.parse(raw))
