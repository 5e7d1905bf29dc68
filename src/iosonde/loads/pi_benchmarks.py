"""The table at the end of the storage test of pibenchmarks.com: hdparm, dd, fio and iozone.

The script writes units of its own behind the figures that it cuts out of what the tools print:
hdparm's MB are MiB, and KB of fio and iozone are KiB. Behind dd's figure it writes MB/s whatever dd
wrote there: of less than ten, which may be GB/s, nothing is concluded.

Source: TheRemote/PiBenchmarks, Storage.sh: its last printf lines, and the commands above them;
hdparm 9.65, hdparm.c, time_device(); fio 3.33, stat.c, show_thread_status_terse().
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

_HEAD = re.compile(r"\s*Category\s{2,40}Test\s{2,40}Result\s*$")
_ROW = re.compile(
    r"\s*(?P<tool>HDParm|DD|FIO|IOZone)\s{1,40}"
    r"(?P<test>Disk Read|Cached Disk Read|Disk Write|4k (?:random )?(?:read|write))\s{1,40}"
    r"(?P<figure>\d{1,12}(?:\.\d{1,3})?) "
    r"(?:(?P<unit>MB/s|KB/s)|IOPS \((?P<kib>\d{1,12}) KB/s\))\s*$"
)
_SCORE = re.compile(r"\s*Score: (?P<score>\d{1,9})\s*$")
_MEBI = {"HDParm"}
_LEAST_DD = 10.0  # dd writes two figures or more: what is less may be of GB
_MOST = 40
_OPTIONS: dict[str, dict[str, Scalar]] = {
    "FIO": {"bs": 4096, "iodepth": 64, "ioengine": "libaio", "direct": True},
    "IOZone": {"bs": 4096, "iodepth": 1, "direct": True},
    "DD": {"bs": 4096, "iodepth": 1, "end_fsync": True},
    "HDParm": {"iodepth": 1},
}


class PiBenchmarks(Output):
    tool = "pibenchmarks"
    anchors = (
        "Cached Disk Read", "4k random read ", "4k random write ", "HDParm   ", "IOZone   ",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        at = cursor.at
        if not _ROW.match(cursor.line(at)):
            return None
        for index in range(at, max(at - 3, -1), -1):
            if _HEAD.match(cursor.line(index)):
                return index
        return at

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        trials: list[PrintedTrial] = []
        details: dict[str, Json] = {}
        last = first
        for index, line in lines(cursor, first, _MOST):
            if row := _ROW.match(line):
                trial = _trial(row)
                if trial is None:
                    details[f"{row['tool']} {row['test']}"] = line[row.start("figure") :].strip()
                else:
                    trials.append(trial)
            elif score := _SCORE.match(line):
                details["score"] = int(score["score"])
            elif line and not _HEAD.match(line):
                break
            if line:
                last = index
        if not trials:
            raise Unreadable("no row from which something can be concluded follows", last)
        trials[0] = replace(trials[0], details=details)
        return OutputReading(first, last, trials=tuple(trials))


def _trial(row: re.Match[str]) -> PrintedTrial | None:
    """One row; None of reads from the page cache, and where dd's unit is not known."""
    tool, test, figure = row["tool"], row["test"], float(row["figure"])
    if test == "Cached Disk Read" or (tool == "DD" and figure < _LEAST_DD):
        return None
    way = "write" if test.lower().endswith("write") else "read"
    value, step = units.printed(row["figure"])
    if row["kib"]:
        metrics = {f"{way}.iops": value, f"{way}.bandwidth": float(row["kib"]) * units.KIB}
        steps = {f"{way}.iops": 0.5, f"{way}.bandwidth": 0.5 * units.KIB}
    else:
        scale = units.KIB if row["unit"] == "KB/s" else 1e6
        scale = units.MIB if tool in _MEBI else scale
        metrics = {f"{way}.bandwidth": value * scale}
        steps = {f"{way}.bandwidth": step * scale}
    return PrintedTrial(
        tool=PiBenchmarks.tool,
        loops=(LoadResult.of(metrics),),
        label=f"{tool} {test}",
        options={"rw": f"rand{way}" if "random" in test else way, **_OPTIONS[tool]},
        steps=steps,
    )
