"""CrystalDiskInfo's report as text: each drive of a Windows host, with its SMART attributes.

Its labels are English in every language; values and names of attributes are not. Raw values are
hexadecimal. GB of a size are powers of 1000, those of what the host wrote and read of 1024.

Source: CrystalDiskInfo 9.7, DiskInfoDlg.cpp and AtaSmart.cpp (not compared line by line); reports
of versions 6 to 9 in public repositories, of which one with the log page of its NVMe drive settles
what a GB of "Host Reads" is; NVM Express Base Specification 2.0, figure 207.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from typing_extensions import override

from iosonde import units
from iosonde.layers.disk.facts_health import health_of_log, health_of_table
from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines, top_of

_HEAD = re.compile(r"\s*CrystalDiskInfo (?P<version>\d[\w.]{0,20})(?: \S+)?\s+\(C\) 20\d\d")
_PAIR = re.compile(
    r"\s*+(?P<label># of Sectors|[A-Z][A-Za-z/. ]{2,30}?) : ?(?P<value>\S.{0,200}?)?\s*$"
)
_NAMES = {
    "Model": "model", "Firmware": "firmware", "Serial Number": "serial", "Disk Size": "size",
    "Buffer Size": "cache_size", "NV Cache Size": "nv_cache_size", "Queue Depth": "queue_depth",
    "# of Sectors": "sectors", "Rotation Rate": "rotation_rate", "Interface": "interface",
    "Major Version": "major_version", "Minor Version": "minor_version", "Standard": "standard",
    "Transfer Mode": "transfer_mode", "Power On Hours": "power_on_time",
    "Power On Count": "power_cycles", "Host Reads": "read", "Host Writes": "written",
    "NAND Writes": "nand_written", "Gbytes Erased": "erased", "Temperature": "temperature",
    "Wear Level Count": "wear_leveling_count", "Health Status": "health", "Features": "features",
    "APM Level": "apm_level", "AAM Level": "aam_level", "Drive Letter": "drive_letter",
    "Drive Map": "drive_letter", "Enclosure": "enclosure", "Volume": "volume",
    "Life": "life", "Temperature Sensor": "temperature_sensor",
}  # fmt: skip
_TELLING = ("Power On Hours", "Power On Count", "Health Status", "Transfer Mode")
_RULE = re.compile(r"\s*-{20,}\s*$")
_TITLE = re.compile(r"\s*-- (?:S\.M\.A\.R\.T\.|[A-Z][\w .]{3,40}) -{4,}\s*$")
_DRIVE = re.compile(r"\s*\((?P<number>\d{1,3})\) (?P<model>\S.{0,90}?)\s*$")
_LISTED = re.compile(r"\s*(?:\(\d{1,3}\) .{3,100} : [\d.]{1,9} [KMGTP]?B\b|[+-] \S).{0,100}$")
_COLUMNS = re.compile(r"\s*ID (?:Cur Wor Thr )?RawValues ?\(\d\) Attribute Name\s*$")
_ATTRIBUTE = re.compile(
    r"\s*(?P<id>[\dA-F]{2}) (?:(?P<value>[_ ]{0,2}\d{1,3}|---) (?P<worst>[_ ]{0,2}\d{1,3}|---) "
    r"(?P<threshold>[_ ]{0,2}\d{1,3}|---) )?(?P<raw>[\dA-F]{12,14})(?: (?P<name>\S.{0,80}?))?\s*$"
)
_DUMP = re.compile(
    r"\s*(?:[\dA-F]{3}:(?: [\dA-F]{2,4}){1,16}|(?:\+?[\dA-F] {1,4}){9,15}\+?[\dA-F])\s*$"
)
_FIGURE = re.compile(r"(?P<figure>\d{1,15}(?:[.,]\d{1,3})?)(?: ?(?P<unit>[KMGTP]?B))?(?!\w)")
_HEALTH = re.compile(r"(?P<word>[^\d()]{1,40}?)\s*\((?P<share>\d{1,3}) ?%\)")
_NO = frozenset({"----", "---", "N/A"})
_OF_NVME = {
    1: "critical_warning", 3: "avail_spare", 4: "spare_thresh", 5: "percent_used",
    11: "power_cycles", 12: "power_on_hours", 13: "unsafe_shutdowns",
    14: "media_errors", 15: "num_err_log_entries", 16: "warning_temp_time",
    17: "critical_comp_time",
}  # fmt: skip
"""Its own numbers of the figures of NVMe's log of health, by the names that nvme-cli gives them."""
_BINARY = frozenset({"read", "written", "nand_written", "erased", "cache_size"})
_TEXTS = frozenset({"model", "firmware", "serial", "standard", "drive_letter", "interface"})
_MOST = 6000


def _pair(line: str) -> re.Match[str] | None:
    match = _PAIR.match(line)
    return match if match and match["label"].strip() in _NAMES else None


def _is_own(line: str) -> bool:
    return bool(
        _pair(line) or _ATTRIBUTE.match(line) or _DUMP.match(line) or _RULE.match(line)
        or _TITLE.match(line) or _DRIVE.match(line) or _COLUMNS.match(line) or _LISTED.match(line)
    )  # fmt: skip


class CrystalDiskInfo(StateOutput):
    tool = "CrystalDiskInfo"
    anchors = ("CrystalDiskInfo ", *(f"{name} : " for name in _TELLING))
    commands = ()
    nothing = "no drive follows its head"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if _HEAD.match(line):
            return cursor.at - 1 if _RULE.match(cursor.line(cursor.at - 1)) else cursor.at
        if _pair(line) is None:
            return None
        first = top_of(cursor, _is_own, most=60)
        own = [match for each in cursor.block(first, 40) if (match := _pair(each))]
        labels = {match["label"].strip() for match in own}
        return first if labels >= {*_TELLING[:3], "Model"} else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        drives: list[list[str]] = []
        last, facts = first, dict[str, Scalar]()
        for index, line in close_lines(cursor, first, _MOST, gap=3):
            if head := _HEAD.match(line):
                facts["crystaldiskinfo_version"] = head["version"]
            pair = _pair(line)
            if pair and pair["label"] == "Model":
                drives.append([])
            if drives and not _is_own(line):
                break
            if not drives and index > first + _ABOVE:
                break
            if drives:
                drives[-1].append(line)
            last = index
        return last, [each for lines in drives for each in self._drive(lines, facts, prompt)]

    def _drive(
        self, lines: Sequence[str], facts: dict[str, Scalar], prompt: Prompt
    ) -> Iterator[PrintedSubject | PrintedCounters]:
        """What the lines of one drive say, and its attributes as they stand."""
        values = dict(facts)
        for pair in filter(None, map(_pair, lines)):
            name = _NAMES[pair["label"].strip()]
            values |= _said(name, pair["value"] or "")
        rows = [*filter(None, map(_ATTRIBUTE.match, lines))]
        values = _of_rows(rows) | values
        name = str(values.get("model", ""))
        yield PrintedSubject("disk", name, values, prompt.host)
        if rows:
            attributes: list[Json] = [_attribute(row) for row in rows]
            yield self.counted("disk", name, {"attributes": attributes}, prompt)


_ABOVE = 60  # lines of controllers and of the list of drives


def _said(name: str, text: str) -> dict[str, Scalar]:
    """What a value says: bytes, seconds, fractions, or the words that stand there."""
    if not text or text in _NO:
        return {}
    if name == "health" and (share := _HEALTH.match(text)):
        return {name: share["word"], "life_left": int(share["share"]) / 100}
    figure = None if name in _TEXTS else _FIGURE.match(text)
    if figure is None:
        return {name: text}
    if figure["unit"]:
        number = figure["figure"].replace(",", ".") + figure["unit"]
        return {name: round(units.printed(number, binary=name in _BINARY)[0])}
    if name == "power_on_time":
        return {name: int(float(figure["figure"].replace(",", ".")) * 3600)}
    is_count = name in {"power_cycles", "temperature", "sectors", "queue_depth"}
    return {name: int(figure["figure"]) if is_count and figure["figure"].isdecimal() else text}


def _of_rows(rows: Sequence[re.Match[str]]) -> dict[str, Scalar]:
    """The drive's health by its attributes: those of NVMe have neither value nor threshold."""
    if any(row["value"] for row in rows):
        return health_of_table((int(row["id"], 16), row["name"], _raw(row)) for row in rows)
    log = {
        name: _raw(row) for row in rows if (name := _OF_NVME.get(int(row["id"], 16)))
    }  # fmt: skip
    return health_of_log(log, kelvin=False) if len(log) > len(_OF_NVME) // 2 else {}


def _raw(row: re.Match[str]) -> int:
    return int(row["raw"], 16)


def _attribute(row: re.Match[str]) -> dict[str, Json]:
    numbers = {
        name: int(text) for name in ("value", "worst", "threshold")
        if (text := (row[name] or "").strip("_ -"))
    }  # fmt: skip
    return {"id": int(row["id"], 16), "name": row["name"] or "", **numbers, "raw": _raw(row)}
