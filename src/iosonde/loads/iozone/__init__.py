"""iozone: file system tests by record size, one stream or several at once.

Its files stand beside the scratch file and are named for it; iozone removes and makes them anew
between its tests, and iosonde removes what is left when the loop is over.

Metrics are named for the test (`write.bandwidth`, `random_read.bandwidth` …; with -O `.iops`);
with several record sizes the size stands in between (`write.4k.bandwidth`). `TEST.cpu` is the CPU
utilisation that -+u prints, in cores.

Source:
    iozone 3.489, iozone.c.
"""

from __future__ import annotations

from collections.abc import Mapping

from typing_extensions import override

from iosonde import kerneltext, units
from iosonde.errors import LoadFailed, UsageError
from iosonde.loads.iozone.arguments import IozoneArguments, of_spec, read_arguments
from iosonde.loads.iozone.figures import IozoneRow, directions, read_figures
from iosonde.loads.load import LoadEngine
from iosonde.records.load import (
    Demand,
    Load,
    LoadCommand,
    LoadResult,
    RawOutput,
    Target,
    TargetKind,
)
from iosonde.records.stack import Json

_HOURS = 24 * 3600.0


class Iozone(LoadEngine):
    """See `iosonde.loads.load.LoadEngine`. The spec is `{"arguments": ["-i", "0", …]}`."""

    name = "iozone"
    parser_version = 1

    @override
    def declare(self, spec: str | Mapping[str, Json], *, name: str, where: str) -> Load:
        if isinstance(spec, Mapping):
            arguments = spec.get("arguments")
            if not isinstance(arguments, list):
                raise UsageError("an iozone load needs its `arguments` as a list", where=where)
            asked = read_arguments(" ".join(f"'{word}'" for word in arguments), where=where)
        else:
            asked = read_arguments(spec, where=where)
        if not asked.tests and not asked.has("-a"):
            raise UsageError(
                "the iozone command names no test", where=where,
                hint="-i 0 -i 1 writes and reads, -i 2 is random; -a does everything",
            )  # fmt: skip
        return Load(
            "iozone", name, {"arguments": list(asked.as_arguments()), "notes": list(asked.notes)}
        )

    @override
    def adjust(self, load: Load, options: Mapping[str, Json], *, where: str) -> Load:
        """`size` and `bs` in iozone's own way of writing them."""
        asked = of_spec(load.spec)
        names = {"size": "-s", "bs": "-r", "record": "-r", "processes": "-t"}
        pairs = list(asked.options)
        for option, value in options.items():
            flag = names.get(option)
            if flag is None:
                raise UsageError(
                    f"iozone has no option {option!r} that can be changed here", where=where,
                    hint=f"known: {', '.join(names)}",
                )  # fmt: skip
            pairs = [pair for pair in pairs if pair[0] != flag] + [(flag, str(value))]
        arguments = [word for name, value in pairs for word in (name, value) if word is not None]
        again = self.declare({"arguments": list(arguments)}, name=load.name, where=where)
        return Load(again.engine, load.name, again.spec, load.about)

    @override
    def demand(self, load: Load) -> Demand:
        """The size is of all files together."""
        asked = of_spec(load.spec)
        return Demand(
            reads=True,
            writes=True,
            size=asked.size * (asked.processes or 1),
            seconds=None,
            direct=asked.has("-I"),
            flushes=asked.has("-e") or asked.has("-o"),
            tools=("iozone",),
            own_files=True,
            directions=directions(asked.tests),
        )

    @override
    def command(
        self, load: Load, target: Target, *, directory: str, seconds: float | None
    ) -> LoadCommand:
        """Iozone decides itself how long it works.

        Raises:
            UsageError: the target is a device.
        """
        del directory, seconds
        if target.kind is not TargetKind.FILE:
            raise UsageError("iozone measures file systems: give a directory", where=target.path)
        asked = of_spec(load.spec)
        beside = tuple(f"{target.path}.{number}" for number in range(1, (asked.processes or 1) + 1))
        files = ["-F", *beside] if asked.processes else ["-f", *beside]
        return LoadCommand(("iozone", *asked.as_arguments(), *files), timeout=_HOURS, beside=beside)

    @override
    def parse(self, raw: RawOutput) -> LoadResult:
        text = raw.stdout.decode(errors="replace")
        asked = _used(text)
        rows = read_figures(text, asked.tests if asked else (), ops=bool(asked and asked.has("-O")))
        metrics, kinds = metrics_of(rows)
        if not metrics or raw.status != 0:
            said = raw.stderr.decode(errors="replace").strip() or text.strip() or "nothing"
            last = kerneltext.lines(said)[-1]
            raise LoadFailed(
                f"iozone ended with status {raw.status} and gave no result: {last}",
                hint="is there room for its files, and may this user write there?",
            )
        return LoadResult(metrics=metrics, units=kinds, tool_version=version_of(text))


def _used(text: str) -> IozoneArguments | None:
    """The command line that iozone printed."""
    _, separator, rest = text.partition("Command line used:")
    if not separator:
        return None
    try:
        return read_arguments(rest.split("\n", 1)[0], where="")
    except UsageError:
        return None


def version_of(text: str) -> str:
    """`3.489`; empty where it is not printed."""
    return text.partition("$Revision:")[2].partition("$")[0].strip()


def metrics_of(rows: tuple[IozoneRow, ...]) -> tuple[dict[str, float], dict[str, str]]:
    """Metrics of all rows, named apart where there are several, and their units."""
    metrics: dict[str, float] = {}
    kinds: dict[str, str] = {}
    sizes, records = {row.size for row in rows}, {row.record for row in rows}
    counts = {row.processes for row in rows}
    for row in rows:
        tag = f".{_short(row.size)}" if len(sizes) > 1 else ""
        tag += f".{_short(row.record)}" if len(records) > 1 else ""
        tag += f".t{row.processes}" if len(counts) > 1 and row.processes else ""
        kind, unit = ("iops", "1/s") if row.ops else ("bandwidth", "B/s")
        for test, value in row.values.items():
            metrics[f"{test}{tag}.{kind}"], kinds[f"{test}{tag}.{kind}"] = value, unit
        for test, value in row.cpu.items():
            metrics[f"{test}{tag}.cpu"], kinds[f"{test}{tag}.cpu"] = value, "cores"
    return metrics, kinds


def _short(size: int | None) -> str:
    """`4k`, `1m`, as iozone's users write it."""
    if size is None:
        return "?"
    for scale, letter in ((units.GIB, "g"), (units.MIB, "m"), (units.KIB, "k")):
        if size % scale == 0 and size:
            return f"{size // scale}{letter}"
    return str(size)
