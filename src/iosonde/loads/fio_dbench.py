"""The summary of `dbench`, the image that measures a persistent volume of Kubernetes by fio.

Each pair is of two runs of fio, one of reads and one of writes, but for the mixed one. Requests a
second, bandwidth, latency and sequential bandwidth are of four different loads; images that were
made of it have other sizes of requests, so none is said. The script takes the average latency out
of fio's output without its unit, and says "usec": where fio gave milliseconds the figure is far too
small for a volume, and is kept as printed.

Source: leeliu/dbench fec457b, docker-entrypoint.sh: "Random Read/Write IOPS:
$READ_IOPS_VAL/$WRITE_IOPS_VAL. BW: $READ_BW_VAL / $WRITE_BW_VAL", "Average Latency (usec)
Read/Write: …", "Sequential Read/Write: … / …", "Mixed Random Read/Write IOPS: …"; the README's own
sample. fio 3, stat.c, usec_to_msec().
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Output, TextCursor, command_before, lines
from iosonde.text.reader import nearest

_N = r"\d{1,9}(?:\.\d{1,4})?[kM]?"
_BW = r"\d{1,9}(?:\.\d{1,4})?[kKMGT]?i?B/s"
_TITLE = re.compile(r"\s*= Dbench Summary =\s*$")
_BAR = re.compile(r"\s*={6,}\s*$")
_RANDOM = re.compile(
    rf"\s*Random Read/Write IOPS: (?P<read>{_N})?/(?P<write>{_N})?\.(?: BW: (?P<read_bw>{_BW})? / "
    rf"(?P<write_bw>{_BW})?)?\s*$"
)
_LATENCY = re.compile(
    r"\s*Average Latency \(usec\) Read/Write: (?P<read>\d{1,9}(?:\.\d{1,4})?)?"
    r"/(?P<write>\d{1,9}(?:\.\d{1,4})?)?\s*$"
)
_SEQUENTIAL = re.compile(rf"\s*Sequential Read/Write: (?P<read>{_BW})? ?/ ?(?P<write>{_BW})?\s*$")
_MIXED = re.compile(rf"\s*Mixed Random Read/Write IOPS: (?P<read>{_N})?/(?P<write>{_N})?\s*$")
_ROWS = (_RANDOM, _LATENCY, _SEQUENTIAL, _MIXED)
_FIGURES = (
    (_RANDOM, "", "random {}", "rand", "iops", 1.0),
    (_RANDOM, "_bw", "random {} bandwidth", "rand", "bandwidth", 1.0),
    (_LATENCY, "", "random {} latency", "rand", "latency.mean", 1e-6),
    (_SEQUENTIAL, "", "sequential {}", "", "bandwidth", 1.0),
)
"""Of a line: which of its groups, what the load is called, and what the figure is."""
_LEAST_LATENCY = 30.0  # µs: less is no volume's, four requests under way
_MOST = 12
_WAYS = ("read", "write")


class FioDbench(Output):
    tool = "dbench (fio)"
    anchors = (
        "= Dbench Summary =", "Random Read/Write IOPS: ", "Average Latency (usec) Read/Write: ",
        "Sequential Read/Write: ",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _TITLE.match(line):
            return cursor.at
        if not any(row.match(line) for row in _ROWS):
            return None
        title = nearest(cursor, _MOST, _TITLE.match)
        return cursor.at if title is None else title

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        rows: dict[re.Pattern[str], re.Match[str]] = {}
        last = first
        for index, line in lines(cursor, first, _MOST):
            row = next((match for form in _ROWS if (match := form.match(line))), None)
            if row is not None and row.re not in rows:
                rows[row.re], last = row, index
            elif row is not None or (line and not (_TITLE.match(line) or _BAR.match(line))):
                break
        trials = tuple(_trials(rows))
        if not trials:
            raise Unreadable("no figure follows", last)
        host = command_before(cursor, first, ("kubectl",), about="logs")[1].host
        return OutputReading(first, last, trials=tuple(
            PrintedTrial(
                tool=self.tool, loops=(LoadResult.of(metrics),), label=label, host=host,
                options={"rw": mode}, steps=steps, details=details,
            )
            for label, mode, metrics, steps, details in trials
        ))  # fmt: skip


_Trial = tuple[str, str, dict[str, float], dict[str, float], dict[str, Json]]


def _trials(rows: dict[re.Pattern[str], re.Match[str]]) -> Iterator[_Trial]:
    """Label, mode, metrics, half of their last digits, and what is kept as printed."""
    for form, group, label, prefix, metric, scale in _FIGURES:
        for way in _WAYS if form in rows else ():
            text = rows[form][f"{way}{group}"]
            if form is not _LATENCY or (text and float(text) >= _LEAST_LATENCY):
                name, mode = f"{way}.{metric}", f"{prefix}{way}"
                yield from _of_figure(label.format(way), mode, name, text, scale)
    if mixed := rows.get(_MIXED):
        both = [part for way in _WAYS for part in _of_figure("", "", f"{way}.iops", mixed[way])]
        metrics = {name: value for part in both for name, value in part[2].items()}
        steps = {name: step for part in both for name, step in part[3].items()}
        if metrics:
            yield "mixed random reads and writes", "randrw", metrics, steps, {}


def _of_figure(
    label: str, mode: str, metric: str, text: str | None, scale: float = 1.0
) -> Iterator[_Trial]:
    """A trial of one figure; nothing where fio's output had none."""
    if text:
        value, step = units.printed(text)
        yield label, mode, {metric: value * scale}, {metric: step * scale}, {"printed": text}
