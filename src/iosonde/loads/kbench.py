"""The summary that Longhorn's kbench prints of its runs of fio: random and sequential, both ways.

Source: longhorn/kbench, fio/common_func.sh, parse_fio.sh: IOPS, KiB/s and ns of reads and writes
with marks of thousands; a quick mode leaves out the lines it did not measure.
"""

from __future__ import annotations

import re
from typing import ClassVar

from typing_extensions import override

from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.text.cursor import Output, TextCursor, lines, prompt_in

_TITLE = re.compile(r"^\s*FIO Benchmark Summary\s*$")
_GROUP = re.compile(
    r"^\s*(?P<what>IOPS|Bandwidth in KiB/sec|Latency in ns) \(Read/Write\)"
    r"(?: with CPU idleness)?\s*$"
)
_ROW = re.compile(
    r"^\s*(?P<how>Random|Sequential):\s+(?P<read>\d[\d,]{0,18}) / (?P<write>\d[\d,]{0,18})\s*$"
)
_OWN = re.compile(r"^\s*(?:={5,}|For: |CPU Idleness|Size: |Quick Mode: |-+|\s*CPU Idleness: )")
_FOR = re.compile(r"^\s*For: (?P<name>\S{1,64})")
_METRICS = {
    "IOPS": ("iops", "1/s", 1.0), "Bandwidth in KiB/sec": ("bandwidth", "B/s", 1024.0),
    "Latency in ns": ("latency.mean", "s", 1e-9),
}  # fmt: skip
_MOST = 60


class Kbench(Output):
    """See `iosonde.text.cursor.Output`."""

    tool: ClassVar[str] = "kbench"
    anchors: ClassVar[tuple[str, ...]] = ("FIO Benchmark Summary", "(Read/Write)")

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at) or ""
        return cursor.at if _TITLE.match(line) or _GROUP.match(line) else None

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        metrics: dict[tuple[str, str], dict[str, float]] = {}
        last, group, name = first, "", ""
        for index, line in lines(cursor, first, _MOST):
            if (index > first and _TITLE.match(line)) or prompt_in(line) or index > last + 8:
                break
            if match := _GROUP.match(line):
                group, last = match["what"], index
            elif (match := _ROW.match(line)) and group:
                metric, _, scale = _METRICS[group]
                for way in ("read", "write"):
                    value = int(match[way].replace(",", "")) * scale
                    metrics.setdefault((match["how"], way), {})[f"{way}.{metric}"] = value
                last = index
            elif match := _FOR.match(line):
                name, last = match["name"], index
            elif line and not _OWN.match(line) and not _TITLE.match(line):
                break
        if not metrics:
            raise Unreadable("no figures follow", last)
        trials = tuple(
            PrintedTrial(
                tool=self.tool,
                loops=(LoadResult(metrics=figures, units=_units(figures)),),
                label=f"{name} {how.lower()} {way}".strip(),
                options={"rw": f"rand{way}" if how == "Random" else way},
                steps=dict.fromkeys(figures, 0.0) | _steps(figures),
            )
            for (how, way), figures in metrics.items()
        )
        return OutputReading(first, last, trials=trials)


def _units(figures: dict[str, float]) -> dict[str, str]:
    return {
        f"{way}.{metric}": unit
        for metric, unit, _ in _METRICS.values()
        for way in ("read", "write")
        if f"{way}.{metric}" in figures
    }


def _steps(figures: dict[str, float]) -> dict[str, float]:
    """Of each figure: it was cut to a whole one of its unit."""
    return {
        f"{way}.{metric}": scale
        for metric, _, scale in _METRICS.values()
        for way in ("read", "write")
        if f"{way}.{metric}" in figures
    }
