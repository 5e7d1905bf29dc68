"""VDO: `vdo status` of the VDO manager, `vdostats` as a table and with --verbose.

Source: vdo 6.2 and 8.2: man/vdo.8 and man/vdostats.8, utils/vdo/vdostats.c (process_stats(): used
are the blocks of data and of overhead; KiB, with `--human-readable` one letter, of 1000 with
`--si`), utils/vdo/vdoStatsWriter.c; sizes of the manager's YAML have letters for prefixes of 1024.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedCounters, PrintedSubject, without_none
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor, joined, prompt_in
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput, close_lines, close_pairs

_FIRST = re.compile(r"\s*VDO status:\s*$")
_SECTIONS = frozenset({"VDO status", "Kernel module", "Version information", "Configuration",
                       "VDOs", "VDO statistics"})  # fmt: skip
_OF_MODULE = {"Kernel module": "module", "Version information": "", "Configuration": "config"}
"""What the manager says beside its volumes: section → what its names begin with."""
_PAIR = re.compile(r"\s*(?P<label>[A-Za-z\d][\w /%-]{1,60}?) ?:(?: (?P<value>\S.{0,300})?)?$")
_NAME = re.compile(r"\s*(?P<name>[A-Za-z][\w.+-]{0,127}):\s*$")
_DEVICE = re.compile(r"\s*(?P<name>(?:/dev/)?[A-Za-z][\w./+:-]{0,127}?) ?:\s*$")
_SIZE = re.compile(r"(\d{1,18}(?:\.\d{1,9})?)([BKMGTPE])")
_LETTERS = "BKMGTPE"
_SIZED = frozenset({"Block map cache size", "Logical size", "Physical size", "Read cache size",
                    "Slab size", "Max discard size"})  # fmt: skip
_TIMES = re.compile(r"'(?P<text>[^']{1,60})'")
_STATISTICS = 250


class VdoStatus(StateOutput):
    tool = "vdo status"
    anchors = ("VDO status:",)
    commands = ("vdo",)
    reach = 3
    nothing = "its volumes are cut off"
    beginning = _FIRST

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last, host, name, section = first, prompt.host, "", ""
        volumes: dict[str, dict[str, str]] = {}
        module: dict[str, str] = {}
        statistics: dict[str, dict[str, str]] = {}
        for index, line in close_lines(cursor, first, 4000):
            pair, named = _PAIR.match(line), _NAME.match(line)
            device = _DEVICE.match(line) if section == "VDO statistics" else None
            if (not pair and not device) or prompt_in(line):
                break
            last = index
            label = pair["label"].strip() if pair else ""
            value = (pair["value"] or "").strip() if pair else ""
            if label in _SECTIONS:
                section = label
            elif label == "Node" and section == "VDO status":
                host = host or value
            elif section == "VDO statistics" and device and not value and "/" in device["name"]:
                statistics[name] = {}
            elif section in {"VDOs", "VDO statistics"} and named and not value:
                name, section = named["name"], "VDOs"
                volumes[name] = {}
            elif section == "VDO statistics" and name in statistics:
                statistics[name][label] = value
            elif name:
                volumes[name][label] = value
            elif value and section in _OF_MODULE:
                module[f"{_OF_MODULE[section]} {label}".strip()] = value.strip("'")
        prompt = prompt._replace(host=host)
        own = [PrintedSubject("dm", "kvdo", {"target": "vdo", **as_labelled(module)}, host)]
        return last, [*(own if module else ()), *self._things(volumes, statistics, prompt)]

    def _things(
        self,
        volumes: Mapping[str, Mapping[str, str]],
        statistics: Mapping[str, Mapping[str, str]],
        prompt: Prompt,
    ) -> Iterator[PrintedSubject | PrintedCounters]:
        for name, pairs in volumes.items():
            counts = statistics.get(name, {})
            values = {"target": "vdo", **_settings(pairs), **_room(counts)}
            if len(values) > 1:
                yield PrintedSubject("dm", f"mapper/{name}", values, prompt.host)
            if counts:
                yield self.counted("dm", f"mapper/{name}", _counts(counts), prompt)


def _settings(pairs: Mapping[str, str]) -> dict[str, Scalar]:
    """What is set, by its labels in snake case; sizes in bytes."""
    sizes = {label: _bytes(text) for label, text in pairs.items() if label in _SIZED}
    plain = {label: quoted["text"] if (quoted := _TIMES.fullmatch(text)) else text
             for label, text in pairs.items() if sizes.get(label) is None}  # fmt: skip
    values = as_labelled(plain, {"Storage device"}) | without_none(
        {label.lower().replace(" ", "_"): size for label, size in sizes.items()}
    )
    device = pairs.get("Storage device", "")
    return values | ({"below": device.removeprefix("/dev/")} if device else {})


def _bytes(text: str, base: int = units.KIB) -> int | None:
    match = _SIZE.fullmatch(text)
    return round(float(match[1]) * base ** _LETTERS.index(match[2])) if match else None


def _room(counts: Mapping[str, str]) -> dict[str, Scalar]:
    """How much of the storage is used; nothing where a figure of it is missing."""
    names = ("block size", "physical blocks", "data blocks used", "overhead blocks used")
    figures = [int(counts[name]) for name in names if counts.get(name, "").isdecimal()]
    if len(figures) < len(names) or not figures[1]:
        return {}
    block, physical, data, overhead = figures
    mode = counts.get("operating mode")
    return {
        **({"operating_mode": mode} if mode else {}),
        "physical_size": physical * block, "used": (data + overhead) * block,
        "used_share": (data + overhead) / physical,
    }  # fmt: skip


def _counts(counts: Mapping[str, str]) -> dict[str, Json]:
    values: dict[str, Json] = {}
    for name, value in list(as_labelled(counts).items())[:_STATISTICS]:
        number = re.fullmatch(r"-?\d{1,18}\.\d{1,12}", str(value))
        values[name] = float(number[0]) if number else value
    return values


class VdoStatistics(StateOutput):
    tool = "vdostats"
    anchors = ("data blocks used  ", "data blocks used :")
    commands = ("vdostats",)
    reach = 3
    nothing = "its figures are cut off"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in range(cursor.at - 1, max(cursor.at - 9, -1), -1):
            line = cursor.line(index)
            if _DEVICE.match(line):
                return index
            if line and not _PAIR.match(line):
                break
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = _DEVICE.match(cursor.line(first))
        counts, last = close_pairs(cursor, first + 1, _count, _STATISTICS * 2)
        name = head["name"].removeprefix("/dev/") if head else ""
        items: list[PrintedSubject | PrintedCounters] = []
        if room := _room(counts):
            items.append(PrintedSubject("dm", name, {"target": "vdo", **room}, prompt.host))
        if counts:
            items.append(self.counted("dm", name, _counts(counts), prompt))
        return last, items


def _count(line: str) -> tuple[str, str] | None:
    pair = _PAIR.match(line)
    return (pair["label"].strip(), pair["value"].strip()) if pair and pair["value"] else None


_HEAD = re.compile(
    r"\s*Device\s+(?P<unit>1K-blocks|Size)\s+Used\s+Available\s+Use%\s+Space\s+saving%\s*$"
)
_NUMBER = r"\d{1,19}|\d{1,6}\.\d[BKMGTP]"
_ROW = re.compile(
    rf"(?P<name>/?[A-Za-z][\w./+:-]{{0,127}})\s+(?P<size>{_NUMBER})\s+(?P<used>{_NUMBER}|N/A)\s+"
    rf"(?P<free>{_NUMBER}|N/A)\s+(?P<share>\d{{1,3}}%|N/A)\s+(?P<saved>-?\d{{1,3}}%|N/A)(?!\S)"
)


class VdoTable(StateOutput):
    tool = "vdostats"
    anchors = ("Space saving%", "saving%")
    commands = ("vdostats",)
    reach = 3
    nothing = "no device follows its head"
    beginning = _HEAD

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows, last = list[re.Match[str]](), first
        for index, _ in close_lines(cursor, first + 1, 400):
            row = _ROW.fullmatch(joined(cursor, last + 1, index).strip())
            if row:
                rows.append(row)
                last = index
            elif index > last + 3:
                break
        base = 1000 if "--si" in prompt.command else units.KIB
        return last, [
            PrintedSubject("dm", row["name"].removeprefix("/dev/"), _of_row(row, base), prompt.host)
            for row in rows
        ]


def _of_row(row: re.Match[str], base: int) -> dict[str, Scalar]:
    """The sizes of a row in bytes, and its shares."""

    def size(text: str) -> int | None:
        return int(text) * units.KIB if text.isdecimal() else _bytes(text, base)

    def share(text: str) -> float | None:
        return int(text[:-1]) / 100 if text.endswith("%") else None

    return without_none({
        "target": "vdo", "physical_size": size(row["size"]), "used": size(row["used"]),
        "available": size(row["free"]), "used_share": share(row["share"]),
        "saved_share": share(row["saved"]),
    })  # fmt: skip
