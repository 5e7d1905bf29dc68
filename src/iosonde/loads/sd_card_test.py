"""Raspberry Pi OS's SD Card Speed Test: fio's terse lines of its jobs, cut to five fields.

The fields are the job, KiB/s and IOPS of reads, KiB/s and IOPS of writes. The first job makes the
file that the others go over, which is another thing than a write to it: it is no trial. What
follows the lines repeats three of the figures against the targets of application class A1.

Source: raspberrypi-ui/agnostics, data/sdtest.sh (`cut -f 3,7,8,48,49`) and data/sd_bench.fio for
the jobs; fio 3.33, stat.c, show_ddir_status_terse(): bandwidth in KiB/s.
"""

from __future__ import annotations

import re
from dataclasses import replace

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Output, TextCursor, lines

_JOBS: dict[str, dict[str, Scalar]] = {
    "seq-write": {"rw": "write"}, "seq-read": {"rw": "read"},
    "rand-4k-write": {"rw": "randwrite", "bs": 4096},
    "rand-4k-read": {"rw": "randread", "bs": 4096},
}  # fmt: skip
"""What each job does; the blocks of the sequential ones grew from 512 KiB to 4 MiB."""
_ROW = re.compile(
    rf"\s*(?P<job>prepare-file|{'|'.join(_JOBS)});(?P<read>\d{{1,12}};\d{{1,12}});"
    r"(?P<write>\d{1,12};\d{1,12})\s*$"
)
_RUN = re.compile(r"\s*Run (?P<run>\d)\s*$")
_VERDICT = re.compile(
    r"\s*(?P<what>Sequential write|Random write|Random read) speed (?P<figure>\d{1,12})"
    r"(?: (?:k[bB]/s|KB/sec|IOPS))? \(target (?P<target>\d{1,9})\) - (?P<verdict>PASS|FAIL)\s*$"
)
_MOST = 24


class SdCardTest(Output):
    tool = "SD card test"
    anchors = (
        "seq-write;", "seq-read;", "rand-4k-write;", "rand-4k-read;"
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        at = cursor.at
        if not _ROW.match(cursor.line(at)):
            return None
        for index in range(at - 1, max(at - 12, -1), -1):
            line = cursor.line(index)
            if _RUN.match(line):
                return index
            if line and not _ROW.match(line):
                break
            at = index if line else at
        return at

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        matches = _of_one_run(cursor, first)
        label = next((f"run {match['run']} " for _, match in matches if match.re is _RUN), "")
        rows = [match for _, match in matches if match.re is _ROW]
        trials = [trial for row in rows for trial in _trials(self.tool, row, label)]
        if not trials:
            raise Unreadable("every job has zeros only", matches[-1][0])
        details: dict[str, Json] = {
            row["job"]: row["write"] for row in rows if row["job"] not in _JOBS
        }
        verdicts: dict[str, Json] = {
            match["what"].lower(): match["verdict"] for _, match in matches if match.re is _VERDICT
        }
        if verdicts:
            details["targets"] = verdicts
        trials[0] = replace(trials[0], details=details)
        return OutputReading(first, matches[-1][0], trials=tuple(trials))


def _of_one_run(cursor: TextCursor, first: int) -> list[tuple[int, re.Match[str]]]:
    """Index and match of each line of a run: it ends where a job or a number comes again."""
    matches: list[tuple[int, re.Match[str]]] = []
    jobs = set[str]()
    for index, line in lines(cursor, first, _MOST):
        if not line:
            continue
        match = _ROW.match(line) or _VERDICT.match(line) or _RUN.match(line)
        ended = bool(matches) and matches[-1][1].re is _VERDICT
        if not match or (match.re is _RUN and matches) or (match.re is _ROW and ended):
            break
        if match.re is _ROW:
            if match["job"] in jobs:
                break
            jobs.add(match["job"])
        matches.append((index, match))
    return matches


def _trials(tool: str, row: re.Match[str], label: str) -> list[PrintedTrial]:
    """The direction of a job that has figures; one of zeros did nothing."""
    if row["job"] not in _JOBS:
        return []
    trials: list[PrintedTrial] = []
    for way in ("read", "write"):
        kib, iops = map(int, row[way].split(";"))
        if not kib and not iops:
            continue
        metrics = {f"{way}.bandwidth": float(kib * units.KIB), f"{way}.iops": float(iops)}
        trials.append(PrintedTrial(
            tool=tool,
            loops=(LoadResult.of(metrics),),
            label=f"{label}{row['job']}",
            options={**_JOBS[row["job"]], "iodepth": 4, "direct": True, "ioengine": "libaio"},
            steps={f"{way}.bandwidth": float(units.KIB), f"{way}.iops": 1.0},  # both are cut
        ))  # fmt: skip
    return trials
