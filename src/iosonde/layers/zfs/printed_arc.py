"""`arc_summary`: what ZFS keeps in memory, how often it is hit, and the module's parameters.

Source: OpenZFS 2.0 to 2.3, cmd/arc_summary (prt_1, prt_i1, prt_2, prt_i2: a label, a share, a
figure; f_bytes: prefixes of 1024; f_hits: of 1000; f_perc: "< 0.1 %" and "n/a"), and its
arc_summary2, as that of ZFS on Linux 0.6 and 0.7 and of FreeBSD.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput

_FIGURE = (
    r"(?:(?P<share>< 0\.1|\d{1,6}(?:\.\d{1,2})?) ?%|(?P<ratio>\d{1,6}:\d{1,3})|n/a)?\s*+"
    r"(?P<figure>\d{1,20}(?:\.\d{1,2})?)?\s*+(?P<unit>[KMGTPEZ]iB|Bytes|[kKMGTPEmbt]\b)?"
)
_ROW = re.compile(
    rf"(?P<label>[A-Z][\w ,()+/-]{{1,60}}?):?(?P<second> \([A-Za-z ]+\))?\s*+{_FIGURE}$"
)
_HEAD = re.compile(r"(?P<label>[A-Z][\w ,()+/-]{1,60}):(?:\s+\(?(?P<state>[A-Z]{4,12})\)?)?$")
_TUNABLE = re.compile(r"(?P<name>[a-z][a-z0-9]*_\w{1,60})\s+(?P<value>\S{1,100})$")
_RULE = re.compile(r"-{20,}$")
_TITLE = re.compile(
    r"ZFS Subsystem Report\b|(?:Linux|FreeBSD) \d|Machine: (?P<host>[\w.-]{1,64}) \(|Page:"
)
_ANCHOR = re.compile(
    r"\s*(?:ZFS Subsystem Report\b|ARC [A-Za-z]|Cache hits by|L2ARC |L2 ARC |DMU |VDEV cache"
    r"|ZFS Tunables?|Tunables:)"
)
_REST = re.compile(
    r"(?:\d[\d.]*\s*)?(?:[KMGTPEZ]iB|Bytes)$|\d[\d.]*[kMGTPE]?$|\d[\d.]+-\d+$|HEALTHY$"
)
"""What a mail broke off of a row, or of the lines above them."""
_SKIPPED = re.compile(r"L2ARC not detected|VDEV cache disabled|.{1,40}, skipping section")
_MILLIONS = {"m": "M", "b": "G", "t": "T"}
_APART = re.compile(r"[^a-z0-9]+")


class ArcSummary(StateOutput):
    tool = "arc_summary"
    anchors = (
        "ZFS Subsystem Report", "ARC status:", "ARC Summary:", "ARC size (current):", "ARC Size:",
        "ARC misc:", "ARC Misc:", "ARC total accesses", "ARC Total accesses", "ARC hash breakdown",
        "ARC structural breakdown", "L2ARC status:", "L2ARC size (adaptive)", "L2 ARC Size:",
        "Cache hits by cache type", "ZFS Tunable", "ARC Efficiency:",
    )  # fmt: skip
    commands = (
        "arc_summary", "arc_summary.py", "arc_summary3", "arc_summary.pl", "zarcsummary",
    )  # fmt: skip
    reach = 5
    nothing = "no figure stands below its head"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not _ANCHOR.match(line) or not _is_own(line.strip()):
            return None
        return cursor.at

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        report = _Report(prompt.host)
        last = first
        margin = _margin(cursor.line(first))
        flat = all(_margin(line) == margin for line in cursor.block(first, 12) if line)
        for index, line in lines(cursor, first, 1200):
            text = line.strip()
            if index > last + 4 or prompt_in(line):
                break
            if not text or (index == last and index > first):
                continue
            end = index
            if _REST.match(after := cursor.line(index + 1).strip()):
                text, end = f"{text} {after}", index + 1
            outer = bool(_ANCHOR.match(text)) if flat else _margin(line) <= margin
            if not report.take(text, outer=outer):
                break
            last = end
        return last, self._things(report, Prompt(prompt.command, report.host))

    def _things(
        self, report: _Report, prompt: Prompt
    ) -> Iterator[PrintedCounters | PrintedSubject]:
        for section, values in report.sections.items():
            if values:
                yield self.counted("zfs", section, values, prompt)
        if report.tunables:
            yield PrintedSubject("module", "zfs", report.tunables, prompt.host)


@dataclass(slots=True)
class _Report:
    """What the lines so far say."""

    host: str
    section: str = ""
    sections: dict[str, dict[str, Json]] = field(default_factory=dict)
    tunables: dict[str, Scalar] = field(default_factory=dict)

    def take(self, text: str, *, outer: bool) -> bool:
        """Files a line, which stands at the margin or below a section; False where it is none."""
        if title := _TITLE.match(text):
            self.host = self.host or title["host"] or ""
        elif tunable := _TUNABLE.match(text):
            value = tunable["value"]
            number = value.isdecimal() and len(value) < 20
            self.tunables[tunable["name"]] = int(value) if number else value
        elif head := _HEAD.match(text):
            self.section = _name(head["label"])
            if head["state"]:
                self.sections.setdefault(self.section, {})["state"] = head["state"]
        elif row := _ROW.match(text):
            self.section = _name(row["label"]) if outer else self.section
            own = self.sections.setdefault(self.section, {})
            own.update(_figures("" if outer else _name(row["label"]), row))
        else:
            return bool(_RULE.match(text) or _SKIPPED.match(text))
        return True


def _is_own(text: str) -> bool:
    return bool(_TITLE.match(text) or _ROW.match(text) or _HEAD.match(text))


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())


def _name(label: str) -> str:
    return _APART.sub("_", label.lower()).strip("_")


def _figures(name: str, row: re.Match[str]) -> Iterator[tuple[str, Json]]:
    """The figure and the share of a row; of a row that begins a section they are the whole."""
    own = f"{name}." if name else ""
    if row["share"] and row["share"][0] != "<":
        yield f"{own}share", round(float(row["share"]) / 100, 6)
    if row["figure"] is None:
        return
    unit = row["unit"] or ""
    if unit == "Bytes":
        value: Json = int(float(row["figure"]))
    elif unit:
        prefix = _MILLIONS.get(unit, unit.removesuffix("B"))
        value = round(units.printed(f"{row['figure']}{prefix}")[0])
    else:
        value = float(row["figure"]) if "." in row["figure"] else int(row["figure"])
    yield name or "total", value
