"""The summary that Longhorn's kbench prints of its runs of fio: random and sequential, both ways.

Requests a second, bandwidth and latency are those of three loads. A mode that measures one
direction leaves the others blank.

Source: longhorn/kbench 63924c9, fio/parse.sh, cmp_parse.sh and func.sh: IOPS, KiB/s and ns of reads
and writes with marks of thousands, cut to whole ones; "Change" is against the first volume, in per
cent, of the idle CPUs in points. Of 2021, README.md: SIZE and QUICK MODE.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from typing_extensions import override

from iosonde import units
from iosonde.records.load import LoadResult
from iosonde.records.printed import OutputReading, PrintedTrial, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Output, TextCursor, lines, prompt_in
from iosonde.text.reader import nearest

_TITLE = re.compile(r"^\s*FIO Benchmark (?:Compar(?:sion|ison) )?Summary\s*$")
_GROUP = re.compile(
    r"^\s*(?P<what>IOPS|Bandwidth in KiB/sec|Latency in ns) \(Read/Write\)"
    r"(?: with CPU idleness)?\s*$"
)
_PAIR = r"(?:\d[\d,]{0,18})? / ?(?:\d[\d,]{0,18})?"
_SHARE = r"-?\d{1,7}(?:\.\d{1,2})?%"
_ROW = re.compile(
    rf"^\s*(?P<how>Random|Sequential):\s+(?P<first>{_PAIR})(?:\s+vs\s+(?P<second>{_PAIR})\s+:"
    rf"\s+(?P<change>{_SHARE} / {_SHARE}))?\s*$"
)
_IDLE = re.compile(
    r"^\s*CPU Idleness:\s+(?P<first>\d{1,3})%(?:\s+vs\s+(?P<second>\d{1,3})%\s+:\s+"
    r"(?P<change>-?\d{1,3})%)?\s*$"
)
_OWN = re.compile(r"^\s*(?:={5,}|CPU Idleness|-+\s*$|\S{1,80}\s+vs\s+\S{1,80}\s+:\s+Change\s*$)")
_FOR = re.compile(r"^\s*For: (?P<name>\S{1,80})(?: vs (?P<second>\S{1,80}))?\s*$")
_FACT = re.compile(
    r"^\s*(?P<name>CPU Idleness Profiling|Size|SIZE|Mode|Quick Mode|QUICK MODE): "
    r"(?P<value>\S{1,40})\s*$"
)
_METRICS = {
    "IOPS": ("iops", "1/s", 1.0), "Bandwidth in KiB/sec": ("bandwidth", "B/s", 1024.0),
    "Latency in ns": ("latency.mean", "s", 1e-9),
}  # fmt: skip
_BYTES = re.compile(r"\d{1,9}[kKmMgGtT]?i?")
_MOST = 60


@dataclass(slots=True)
class _Sheet:
    """What is read of one summary: figures by volume (0 and 1), kind of load and direction."""

    names: list[str] = field(default_factory=lambda: ["", ""])
    facts: dict[str, Json] = field(default_factory=dict)
    metrics: dict[tuple[int, str, str], dict[str, float]] = field(default_factory=dict)
    changes: dict[tuple[str, str], dict[str, Json]] = field(default_factory=dict)
    idle: tuple[dict[str, Json], dict[str, Json]] = field(default_factory=lambda: ({}, {}))
    idle_changes: dict[str, Json] = field(default_factory=dict)
    size: int = 0

    def take(self, line: str, group: str) -> bool:
        """Whether a line, below the head of a group, says something; it is taken then."""
        if match := _ROW.match(line):
            if group:
                self._row(match, _METRICS[group])
            return bool(group)
        if (match := _IDLE.match(line)) and group:
            name = _METRICS[group][0].removesuffix(".mean")
            self.idle[0][name] = int(match["first"]) / 100
            if match["second"]:
                self.idle[1][name] = int(match["second"]) / 100
                self.idle_changes[name] = int(match["change"]) / 100
        elif match := _FOR.match(line):
            self.names = [match["name"], match["second"] or ""]
        elif match := _FACT.match(line):
            name, value = match["name"].lower().replace(" ", "_"), match["value"]
            if name == "size" and _BYTES.fullmatch(value):
                self.size = units.parse_bytes(value)
            else:
                self.facts[name] = value.lower()
        else:
            return False
        return True

    def _row(self, match: re.Match[str], metric: tuple[str, str, float]) -> None:
        name, _, scale = metric
        for at, cells in enumerate((match["first"], match["second"] or "")):
            for way, text in zip(("read", "write"), cells.split("/"), strict=False):
                if digits := text.strip().replace(",", ""):
                    key = (at, match["how"], way)
                    self.metrics.setdefault(key, {})[f"{way}.{name}"] = int(digits) * scale
        for way, share in zip(("read", "write"), (match["change"] or "").split("/"), strict=False):
            if share:
                change = round(float(share.strip().rstrip("%")) / 100, 6)
                self.changes.setdefault((match["how"], way), {})[name] = change

    def trials(self) -> Iterator[PrintedTrial]:
        """A trial of each volume, kind of load and direction."""
        for (at, how, way), figures in self.metrics.items():
            details: dict[str, Json] = dict(self.facts)
            if self.idle[at]:
                details["cpu_idle"] = dict(self.idle[at])
            if at and (change := self.changes.get((how, way))):
                if self.idle_changes:
                    change = {**change, "cpu_idle": dict(self.idle_changes)}
                details[f"change against {self.names[0] or 'the first'}"] = change
            options: dict[str, Scalar] = {"rw": f"rand{way}" if how == "Random" else way}
            yield PrintedTrial(
                tool=Kbench.tool,
                loops=(LoadResult(metrics=figures, units=_units(figures)),),
                label=f"{self.names[at]} {how.lower()} {way}".strip(),
                options=options | ({"size": self.size} if self.size else {}),
                steps=dict.fromkeys(figures, 0.0) | _steps(figures),
                details=details,
            )


class Kbench(Output):
    tool = "kbench"
    anchors = (
        "FIO Benchmark Summary", "FIO Benchmark Compar", "(Read/Write)",
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not _TITLE.match(line) and not _GROUP.match(line):
            return None
        return nearest(cursor, _MOST, _TITLE.match) if _own_above(cursor) else cursor.at

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        sheet, last, group = _Sheet(), first, ""
        for index, line in lines(cursor, first, _MOST):
            if (index > first and _TITLE.match(line)) or prompt_in(line) or index > last + 8:
                break
            if match := _GROUP.match(line):
                group, last = match["what"], index
            elif sheet.take(line, group):
                last = index
            elif line and not _OWN.match(line) and not _TITLE.match(line):
                break
        if not sheet.metrics:
            raise Unreadable("no figures follow", last)
        return OutputReading(first, last, trials=tuple(sheet.trials()))


def _own_above(cursor: TextCursor) -> bool:
    """Whether the lines from the title down to the anchor's all belong to one summary."""
    first = nearest(cursor, _MOST, _TITLE.match)
    if first is None:
        return False
    own = (_OWN, _TITLE, _GROUP, _ROW, _IDLE, _FOR, _FACT)
    between = (cursor.line(index) for index in range(first, cursor.at))
    return all(not line or any(pattern.match(line) for pattern in own) for line in between)


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
