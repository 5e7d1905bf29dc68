"""Rules about command lines that somebody wrote down: what they would do if they were run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from iosonde import units
from iosonde.errors import ToolRefuses, UsageError
from iosonde.loads import LOADS
from iosonde.records.evidence import CommandEvidence, EvidenceSet, Rule
from iosonde.records.finding import Evidence, Finding
from iosonde.records.load import Demand

if TYPE_CHECKING:
    from iosonde.loads.fio.files import Buffered, SharedFile

_FILLED_IN = re.compile(r"=[\"']?(?:\{[\w.]{1,40}\}|\{\{|<[\w .-]{1,40}>|\[[A-Z_]{2,40}\])")
"""A place that is left for a value: `--size={size}` in a program, `--filename=<device>`."""
_TIMES = 4
"""A file of so many times the memory is hardly cached."""
_GREAT = 128 * units.GIB
"""Memory that hosts hardly exceed, where nothing says how much one has."""
_SHOWN = 60
_DIRECT = {
    "fio": "Add --direct=1 (O_DIRECT).",
    "iozone": "Add -I (O_DIRECT){flush}; -p purges the processor's caches, not the page cache.",
}


def _refused(case: EvidenceSet) -> Iterable[Finding]:
    ran = {(trial.source, trial.tool, trial.command) for trial in case.trials}
    for asked in case.commands:
        if asked.tool not in LOADS or (asked.source, asked.tool, asked.command) in ran:
            continue
        if _FILLED_IN.search(asked.command):
            continue  # a program or a reader puts something there before it is run
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
    groups: dict[tuple[str, str], list[tuple[CommandEvidence, Buffered]]] = {}
    for asked, demand in _declared(case):
        part = None if demand.direct or demand.device_only else _cached_part(asked, demand)
        if part is None or not part.size or not (part.reads or part.flushed):
            continue
        if (asked.source, asked.tool) not in judged and not _outgrows(case, asked, part):
            groups.setdefault((asked.source, asked.tool), []).append((asked, part))
    for (source, tool), some in groups.items():
        sizes = sorted({part.size for _, part in some})
        span = " … ".join(units.show_bytes(size) for size in dict.fromkeys((sizes[0], sizes[-1])))
        yield Finding(
            rule="page-cache",
            severity="warning",
            subject=f"{tool} in {source}",
            message=(
                f"As written, {tool} goes through the page cache in {len(some)} command"
                f"{'s' * (len(some) > 1)}, with files of {span} in all: "
                f"{_effects([part for _, part in some])}."
            ),
            evidence=tuple(
                Evidence(f"size of the files of `{_cut(asked.command)}`", part.size, "B",
                         asked.where)
                for asked, part in some
            ),
            remedy=_remedy(tool, [part for _, part in some]),
            confirm="the same load with direct I/O; the disks' own counters (iostat -x) meanwhile",
        )  # fmt: skip


def _remedy(tool: str, parts: Sequence[Buffered]) -> str:
    usual = "Use direct I/O, or files of several times the memory."
    flush = ", or -e and -c so that flush and close are timed at least"
    return _DIRECT.get(tool, usual).format(flush=flush * any(part.flushed for part in parts))


def _cached_part(asked: CommandEvidence, demand: Demand) -> Buffered | None:
    """What of a load goes through the page cache."""
    from iosonde.loads.fio.files import Buffered, buffered  # with the whole engine
    from iosonde.loads.fio.text_figures import sections_of

    if asked.tool == "fio":
        return buffered(sections_of(asked.command))
    if demand.size is None:
        return None
    reads = any("read" in name or "mixed" in name for name in demand.directions)
    writes = any("write" in name or "mixed" in name for name in demand.directions)
    is_behind = writes and not demand.flushes
    return Buffered(demand.size, reads, frozenset({""} if is_behind else ()))


def _effects(parts: Sequence[Buffered]) -> str:
    """What the page cache does to the figures: to those of reads, and to those of writes."""
    effects = []
    if any(part.reads for part in parts):
        effects.append("whatever of them memory holds is read there and not from the disks")
    flushed = {kind for part in parts for kind in part.flushed}
    if flushed:
        writes = "writes count as done before they reach the disks"
        if "" not in flushed and "end" not in flushed:
            writes += ", up to the next fsync"
        elif flushed == {"end"}:
            writes = (
                "while it runs, the latency and IOPS of writes can be those of memory, and only "
                "the mean over the whole time holds the flush at its end"
            )
        effects.append(writes)
    return ", and ".join(effects)


def _declared(case: EvidenceSet) -> Iterator[tuple[CommandEvidence, Demand]]:
    """The commands that an engine takes, and what they need."""
    for asked in case.commands:
        if asked.tool in LOADS:
            engine = LOADS.load(asked.tool)()
            try:
                load = engine.declare(asked.command, name=asked.tool, where="")
                yield asked, engine.demand(load)
            except UsageError:
                continue


def _outgrows(case: EvidenceSet, asked: CommandEvidence, part: Buffered) -> bool:
    """Whether a file is so large that it leaves memory; of what is written some stays behind."""
    if part.size >= _TIMES * _GREAT and not part.flushed:
        return True
    for state in case.with_value("memory"):
        memory = state.values["memory"]
        if state.source == asked.source and asked.host in {"", state.host}:
            return isinstance(memory, int) and part.size >= _TIMES * memory
    return False


def _cut(command: str) -> str:
    return command if len(command) <= _SHOWN else command[: _SHOWN - 1] + "…"


def _shared_file(case: EvidenceSet) -> Iterable[Finding]:
    """Several jobs that write one and the same file at the same time."""
    groups: dict[tuple[str, str], Finding] = {}
    for asked, _ in _declared(case):
        if asked.tool != "fio":
            continue
        from iosonde.loads.fio.files import shared_files  # with the whole engine
        from iosonde.loads.fio.text_figures import sections_of

        files = shared_files(sections_of(asked.command))
        if not files:
            continue
        largest = max(files, key=lambda file: file.count)
        others = [file for file in files if file is not largest]
        again = f" for {units.show_seconds(largest.seconds)}" if largest.seconds else ""
        whole = units.show_bytes(largest.count * largest.size)
        beside = f" So do the {' and the '.join(_jobs(file) for file in others)}." * bool(others)
        finding = Finding(
            rule="shared-file",
            severity="note",
            subject=asked.where,
            message=(
                f"The {_jobs(largest)} write the same file of {units.show_bytes(largest.size)}"
                f"{again}, not {whole}: they overwrite each other's blocks, and a write-back cache "
                f"takes in what comes again before it is written to the disks.{beside}"
            ),
            evidence=(
                Evidence("size of the file", largest.size, "B", asked.where),
                Evidence("jobs", largest.count, "", asked.where),
            ),
            remedy="Give each job its own file (--directory instead of --filename) or its own part "
            "(--offset_increment), and make the whole several times the controller's cache.",
            confirm="a lower rate with files of their own",
        )
        before = groups.get((asked.source, finding.message))
        evidence = before.evidence if before else ()
        groups[asked.source, finding.message] = replace(
            before or finding, evidence=(*evidence, *finding.evidence)
        )
    yield from groups.values()


def _jobs(file: SharedFile) -> str:
    """`4 jobs`; `32 jobs of “a” and “b”` where the load has other sections as well."""
    if file.whole_load:
        return f"{file.count} jobs"
    names = list(file.jobs)
    listed = " and ".join([", ".join(f"“{name}”" for name in names[:-1])] * (len(names) > 1)
                          + [f"“{names[-1]}”"])  # fmt: skip
    return f"{file.count} jobs of {listed}"


RULES = (
    Rule(
        name="page-cache",
        about="fio, iozone",
        says="Command lines that go through the page cache with files that memory may hold.",
        source="fio HOWTO, direct, end_fsync, rwmixread; iozone(1), -I, -e, -c, -p",
        find=_buffered,
    ),
    Rule(
        name="shared-file",
        about="fio",
        says="Jobs that write one file together, whose size is then that of all.",
        source="fio HOWTO, filename, numjobs, size, stonewall, rwmixread",
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
