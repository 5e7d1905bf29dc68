"""What bench.sh and nench.sh of VPS forums say of disks: three runs of dd, and ioping's sums.

bench.sh prints dd's own rate, of prefixes of 1000 and with two or three digits; its average takes
a GB for 1024 MB and is left out. nench.sh turns the rate into MiB/s.

Source: teddysun/across, bench.sh, io_test(); n-st/nench, nench.sh, dd_benchmark() and its calls of
ioping (-R: random reads; -RL: sequential ones); ioping 1.3, ioping.c, print_statistics().
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Output, TextCursor, lines

_RUN = re.compile(
    r"^\W*(?:I/O speed ?\(\d(?:st|nd|rd|th) run\) *: *|\d(?:st|nd|rd|th) run: +)"
    r"(?P<rate>\d[\d.]{0,15}) ?(?P<unit>[kKMGT]i?)B/s\s*$", re.IGNORECASE,
)  # fmt: skip
_TITLE = re.compile(r"^\W*dd: sequential write speed\s*$")
_IOPING = re.compile(r"^\W*ioping: (?P<what>seek rate|sequential read speed)\s*$")
_AVERAGE = re.compile(
    r"^\W*(?:I/O speed ?\(average\) *:|Average I/O speed *:|average: )", re.IGNORECASE
)
_SEEK = re.compile(
    r"min/avg/max/mdev = " + r" / ".join(
        rf"(?P<{name}>\d[\d.]{{0,15}}) (?P<{name}_unit>ns|us|ms|s|min)"
        for name in ("min", "mean", "max", "stdev")
    )
)  # fmt: skip
_READ = re.compile(
    r"generated [\d.]{1,15} ?[kMG]? requests in .{1,20}, .{1,20}, "
    r"(?P<iops>[\d.]{1,15} ?[kMG]?) iops, (?P<rate>[\d.]{1,15} ?[KMGT]?i?B)/s"
)
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}


class BenchSh(Output):
    tool = "bench.sh"
    anchors = (
        "I/O Speed(1st run)", "I/O speed(1st run)", "I/O Speed (1st run)", "I/O speed (1st run)",
        "dd: sequential write speed",
    )  # fmt: skip
    beginnings = (_RUN, _TITLE)

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        last, rates = first, list[tuple[float, float]]()
        for index, line in lines(cursor, first, 16):
            if run := _RUN.match(line):
                rates.append(units.printed(run["rate"] + run["unit"]))
                last = index
            elif _AVERAGE.match(line):
                last = index
            elif line and not _TITLE.match(line):
                break
        if not rates:
            raise Unreadable("no speed follows")
        name = "write.bandwidth"
        trial = PrintedTrial(
            tool=self.tool,
            loops=tuple(LoadResult.of({name: rate}) for rate, _ in rates),
            label="dd",
            options={"rw": "write", "iodepth": 1, "numjobs": 1, "end_fsync": True},
            steps={name: max(step for _, step in rates)},
        )
        return OutputReading(first, last, trials=(trial,))


class NenchIoping(Output):
    tool = "ioping"
    anchors = ("ioping: seek rate", "ioping: sequential read speed")
    beginning = _IOPING

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        title = _IOPING.match(cursor.line(first))
        for index, line in lines(cursor, first + 1, 4):
            if not line:
                continue
            metrics, steps = dict[str, float](), dict[str, float]()
            for name, (value, step) in _figures(line):
                metrics[f"read.{name}"], steps[f"read.{name}"] = value, step
            if not metrics or not title:
                break
            options: dict[str, Scalar] = {
                "rw": "randread" if title["what"] == "seek rate" else "read",
                "iodepth": 1, "numjobs": 1,
            }  # fmt: skip
            trial = PrintedTrial(
                tool=self.tool,
                loops=(LoadResult.of(metrics),),
                label=title["what"],
                options=options,
                steps=steps,
            )
            return OutputReading(first, index, trials=(trial,))
        raise Unreadable("no figures follow")


def _figures(line: str) -> Iterator[tuple[str, tuple[float, float]]]:
    """Metrics of reads in one of ioping's last lines."""
    if seek := _SEEK.search(line):
        for name in ("min", "mean", "max", "stdev"):
            value, step = units.printed(seek[name])
            scale = _SECONDS[seek[f"{name}_unit"]]
            yield f"latency.{name}", (value * scale, step * scale)
    elif read := _READ.search(line):
        yield "iops", units.printed(read["iops"].replace(" ", ""))
        yield "bandwidth", units.printed(read["rate"].replace(" ", ""), binary=True)
