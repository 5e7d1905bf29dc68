"""What xfs_repair -v says beside its phases: caches, memory, the log, times; and its sentences.

Source: xfsprogs 6.1, repair/xfs_repair.c (main(): "block cache size set to %d entries", "max_mem =
%lu, icount = …" in KiB), repair/phase2.c (zero_log(): "zero_log: head block %lld tail block
%lld", "using external log on %s"), repair/progress.c (summary_report(), duration()).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from iosonde import units
from iosonde.kerneltext import fields
from iosonde.records.stack import Json

_N = r"\d{1,19}"
_CACHE = re.compile(rf"\s*- block cache size set to (?P<cache_entries>{_N}) entries\s*$")
_REPORTS = re.compile(rf"\s*- reporting progress in intervals of (?P<length>{_N} [a-z]{{4,8}})\s*$")
_MEMORY = re.compile(
    rf"\s*- max_mem = (?P<max_memory>{_N}), icount = (?P<inodes>{_N}), "
    rf"imem = (?P<inode_memory>{_N}), dblock = (?P<data_blocks>{_N}), dmem = (?P<data_memory>{_N})"
    r"\s*$"
)
_LOG = re.compile(
    rf"\s*zero_log: head block (?P<log_head_block>{_N}) tail block (?P<log_tail_block>{_N})\s*$"
)
_EXTERNAL = re.compile(r"\s*Phase 2 - using external log on (?P<external_log>/\S{1,160})\s*$")
_SUMMARY = re.compile(
    r"\s*XFS_REPAIR Summary\s+(?P<date>[A-Z][a-z]{2} [A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d \d{4})"
    r"\s*$"
)
_HEAD = re.compile(r"\s*Phase\s+Start\s+End\s+Duration\s*$")
_TIME = r"\d\d/\d\d \d\d:\d\d:\d\d"
_LENGTH = r"\d{1,6} [a-z]{3,8}(?:, \d{1,6} [a-z]{3,8}){0,4}"
_PHASE = re.compile(
    rf"\s*Phase (?P<phase>[1-7]):\s+(?P<start>{_TIME})\s+(?P<end>{_TIME})"
    rf"(?:\s+(?P<duration>{_LENGTH}))?\s*$"
)
_SKIPPED = re.compile(r"\s*Phase [1-7]:\s+Skipped\s*$")
_TOTAL = re.compile(rf"\s*Total run time:\s*(?P<length>{_LENGTH})?\s*$")
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
_KIB = frozenset({"max_memory", "inode_memory", "data_memory"})
_FORMS = (_CACHE, _REPORTS, _MEMORY, _LOG, _SUMMARY, _HEAD, _PHASE, _SKIPPED, _TOTAL)
_SENTENCE = re.compile(
    r"\s*+(?!- |Phase \d)(?=[^\d\n]{0,160}\d)(?:\S{1,60} ){0,20}?"
    r"(?:d?inodes?|ino|blocks?|agno|ag|agf|agi|extents?|entry|attribute|superblock|directory|btree"
    r"|nblocks|[an]?nextents|link)\b"
)
_KEPT = 200


def is_figure(line: str) -> bool:
    """Whether a line has one of these figures."""
    return any(form.match(line) for form in _FORMS)


def repair_figures(texts: Iterable[str]) -> dict[str, Json]:
    """The figures in the lines of an output: bytes, seconds, blocks; dates as printed."""
    values: dict[str, Json] = {}
    phases: list[Json] = []
    for line in texts:
        for form in (_CACHE, _MEMORY, _LOG):
            if match := form.match(line):
                values |= {
                    name: int(text) * (units.KIB if name in _KIB else 1)
                    for name, text in match.groupdict().items()
                }
        if external := _EXTERNAL.match(line):
            values["external_log"] = external["external_log"]
        elif interval := _REPORTS.match(line):
            values["report_interval"] = _seconds(interval["length"])
        elif summary := _SUMMARY.match(line):
            values["date"] = summary["date"]
        elif phase := _PHASE.match(line):
            length = {"duration": _seconds(phase["duration"])} if phase["duration"] else {}
            times = {"start": phase["start"], "end": phase["end"], **length}
            phases.append({"phase": int(phase["phase"]), **times})
        elif (total := _TOTAL.match(line)) and total["length"]:
            values["run_time"] = _seconds(total["length"])
    return values | ({"phases": phases} if phases else {})


def sentences(texts: Iterable[str]) -> dict[str, Json]:
    """What it says of inodes and blocks with figures, in its own words."""
    kept: list[Json] = [*_sentences(texts)]
    return {"messages": kept[:_KEPT]} if kept else {}


def _sentences(texts: Iterable[str]) -> Iterator[str]:
    for line in texts:
        if not is_figure(line) and _SENTENCE.match(line):
            yield " ".join(fields(line))


def _seconds(text: str) -> int:
    """A time such as "1 hour, 2 minutes, 3 seconds"."""
    parts = (fields(part) for part in text.split(", "))
    return sum(int(count) * _SECONDS.get(unit.removesuffix("s"), 0) for count, unit in parts)
