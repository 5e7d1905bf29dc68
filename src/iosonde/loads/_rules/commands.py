"""Rules about command lines that somebody wrote down: what they would do if they were run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from iosonde import units
from iosonde.errors import ToolRefuses, UsageError
from iosonde.loads import LOADS
from iosonde.records.evidence import CommandEvidence, EvidenceSet, Rule
from iosonde.records.finding import Evidence, Finding
from iosonde.records.load import Demand, Load
from iosonde.records.stack import Scalar

_ONE_FILE = re.compile(r"\s--?filename[= ][^\s:]+(?:\s|$)")
_PARTS = "offset_increment"
_TIMES = 4
"""A file of so many times the memory is hardly cached."""
_SHOWN = 60
_DIRECT = {
    "fio": "Add --direct=1 (O_DIRECT).",
    "iozone": "Add -I (O_DIRECT), or -e and -c so that flush and close are timed at least; -p "
    "purges the processor's caches, not the page cache.",
}


def _refused(case: EvidenceSet) -> Iterable[Finding]:
    ran = {(trial.source, trial.tool, trial.command) for trial in case.trials}
    for asked in case.commands:
        if asked.tool not in LOADS or (asked.source, asked.tool, asked.command) in ran:
            continue
        try:
            LOADS.load(asked.tool)().declare(asked.command, name=asked.tool, where="")
        except UsageError as problem:
            if not isinstance(problem, ToolRefuses):
                continue  # what iosonde alone does not take may well have been run
            yield Finding(
                rule="refused-load",
                severity="warning",
                subject=asked.where,
                message=f"The command as it is written cannot have been run: {problem.message}.",
                evidence=(Evidence("command", asked.command, "", asked.where),),
                remedy=problem.hint and f"{problem.hint} Write down the command that was run.",
                confirm=f"run it: {asked.tool} says so itself",
            )


def _buffered(case: EvidenceSet) -> Iterable[Finding]:
    """Commands that go through the page cache, where no figures of theirs show how much."""
    judged = {(trial.source, trial.tool) for trial in case.trials if trial.device_io}
    groups: dict[tuple[str, str], list[tuple[CommandEvidence, int]]] = {}
    for asked, _, demand in _declared(case):
        if demand.direct or demand.device_only or not demand.size:
            continue
        if (asked.source, asked.tool) not in judged and not _outgrows(case, asked, demand.size):
            groups.setdefault((asked.source, asked.tool), []).append((asked, demand.size))
    for (source, tool), some in groups.items():
        sizes = sorted({size for _, size in some})
        span = " … ".join(units.show_bytes(size) for size in dict.fromkeys((sizes[0], sizes[-1])))
        yield Finding(
            rule="page-cache",
            severity="warning",
            subject=f"{tool} in {source}",
            message=(
                f"As written, {tool} goes through the page cache in {len(some)} command"
                f"{'s' * (len(some) > 1)}, with files of {span} in all: whatever of them memory "
                "holds is read there and not from the disks, and writes count as done before they "
                "reach them."
            ),
            evidence=tuple(
                Evidence(f"size of the files of `{_cut(asked.command)}`", size, "B", asked.where)
                for asked, size in some
            ),
            remedy=_DIRECT.get(tool, "Use direct I/O, or files of several times the memory."),
            confirm="the same load with direct I/O; the disks' own counters (iostat -x) meanwhile",
        )


def _declared(case: EvidenceSet) -> Iterator[tuple[CommandEvidence, Load, Demand]]:
    """The commands that an engine takes, and what they need."""
    for asked in case.commands:
        if asked.tool in LOADS:
            engine = LOADS.load(asked.tool)()
            try:
                load = engine.declare(asked.command, name=asked.tool, where="")
                yield asked, load, engine.demand(load)
            except UsageError:
                continue


def _outgrows(case: EvidenceSet, asked: CommandEvidence, size: int) -> bool:
    """Whether memory is known and so small that a file of a size leaves it."""
    for state in case.with_value("memory"):
        memory = state.values["memory"]
        if state.source == asked.source and asked.host in {"", state.host}:
            return isinstance(memory, int) and size >= _TIMES * memory
    return False


def _cut(command: str) -> str:
    return command if len(command) <= _SHOWN else command[: _SHOWN - 1] + "…"


def _options(load: Load) -> Mapping[str, Scalar]:
    """Those of fio, by names that can be compared."""
    if load.engine != "fio":
        return {}
    from iosonde.loads.fio.compared_options import compared_options  # with the whole engine

    return compared_options(load)


def _shared_file(case: EvidenceSet) -> Iterable[Finding]:
    """Several jobs that write one and the same file."""
    for asked, load, demand in _declared(case):
        options = _options(load)
        jobs, size = options.get("numjobs"), options.get("size")
        if not isinstance(jobs, int) or not isinstance(size, int) or jobs < 2:
            continue
        if not demand.writes or not _ONE_FILE.search(asked.command) or _PARTS in asked.command:
            continue
        shown, whole = units.show_bytes(size), units.show_bytes(jobs * size)
        again = f" for {units.show_seconds(demand.seconds)}" if options.get("time_based") and (
            demand.seconds) else ""  # fmt: skip
        yield Finding(
            rule="shared-file",
            severity="note",
            subject=asked.where,
            message=(
                f"The {jobs} jobs write the same file of {shown}{again}, not {whole}: they "
                "overwrite each other's blocks, and a write-back cache takes in what comes again "
                "before it is written to the disks."
            ),
            evidence=(
                Evidence("size of the file", size, "B", asked.where),
                Evidence("jobs", jobs, "", asked.where),
            ),
            remedy="Give each job its own file (--directory instead of --filename) or its own part "
            "(--offset_increment), and make the whole several times the controller's cache.",
            confirm="a lower rate with files of their own",
        )


RULES = (
    Rule(
        name="page-cache",
        about="fio, iozone",
        says="Command lines that go through the page cache with files that memory may hold.",
        source="fio HOWTO, direct; iozone(1), -I, -e, -c, -p",
        find=_buffered,
    ),
    Rule(
        name="shared-file",
        about="fio",
        says="Jobs that write one file together, whose size is then that of all.",
        source="fio HOWTO, filename, numjobs, size",
        find=_shared_file,
    ),
    Rule(
        name="refused-load",
        about="fio, iozone, hdparm",
        says="A command line that its own tool refuses, so that nobody can repeat the measurement.",
        source="the option tables of the tools (fio HOWTO; iozone.c; hdparm(8))",
        find=_refused,
    ),
)
