"""`diskutil info` of macOS: a disk, a partition or a volume, by its labels.

Sizes are exact: they stand in bytes beside the rounded ones. What has no name of discovery's is
kept by its label.

Source: outputs of OS X 10.6 to macOS 14 in public notes and parsers of it (the program itself is
not open); man page diskutil(8), verb info. SMART Status: Verified, Failing, Not Supported.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput, close_lines

_FIRST = re.compile(r"\s*Device Identifier:\s+(?P<name>disk\d{1,3}(?:s\d{1,3}){0,3})\s*$")
_PAIR = re.compile(
    r"\s*(?P<label>[A-Z][A-Za-z0-9 /().-]{2,40}?):(?:\s+(?P<value>\S.{0,300}?))?\s*$"
)
_BETWEEN = re.compile(r"\s*\*{5,}\s*$")
_BYTES = re.compile(r"\((?P<bytes>\d{1,19}) Bytes\)")
_COUNT = re.compile(r"(?P<count>\d{1,9}) Bytes$")
_ABSENT = ("Not applicable", "Not Supported", "None", "No (")
_SIZES = {
    "Disk Size": "size", "Total Size": "size", "Container Free Space": "container_available",
    "Container Total Space": "container_size", "Volume Free Space": "available",
    "Volume Total Space": "volume_size", "Volume Used Space": "used",
}  # fmt: skip
_BLOCKS = {"Device Block Size": "logical_block_size", "Allocation Block Size": "cluster_size"}
_TEXTS = {
    "Device / Media Name": "model", "Volume Name": "label", "Mount Point": "mount_point",
    "Type (Bundle)": "type", "Partition Type": "partition_type", "Protocol": "transport",
    "Part of Whole": "disk",
}  # fmt: skip
_SWITCHES = {"Yes": True, "No": False}
_HEALTH = {"Verified": True, "Failing": False}
_READ = frozenset({
    *_SIZES, *_BLOCKS, *_TEXTS, "Device Identifier", "Whole", "SMART Status", "Solid State",
})  # fmt: skip
_LEAST = 4


class DiskutilInfo(StateOutput):
    tool = "diskutil info"
    anchors = ("Device Identifier:",)
    commands = ("diskutil",)
    reach = 3
    nothing = "too little of it is there"
    beginning = _FIRST

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        devices: list[tuple[str, dict[str, str]]] = []
        last = first
        for index, line in close_lines(cursor, first, 20_000, gap=3):
            if own := _FIRST.match(line):
                devices.append((own["name"], {}))
            elif prompt_in(line) or not (pair := _PAIR.match(line)):
                if not _BETWEEN.match(line):
                    break
            elif pair["label"] in devices[-1][1]:
                break
            else:
                devices[-1][1][pair["label"]] = pair["value"] or ""
            last = index
        return last, [
            _subject(name, pairs, prompt.host) for name, pairs in devices if len(pairs) >= _LEAST
        ]


def _subject(name: str, pairs: Mapping[str, str], host: str) -> PrintedSubject:
    said = {label: text for label, text in pairs.items() if not text.startswith(_ABSENT)}
    values = as_labelled(said, _READ)
    for key, value in values.items():
        if isinstance(value, str) and value in _SWITCHES:
            values[key] = _SWITCHES[value]
    for label, own in _SIZES.items():
        if size := _BYTES.search(said.get(label, "")):
            values[own] = int(size["bytes"])
    for label, own in _BLOCKS.items():
        if count := _COUNT.match(said.get(label, "")):
            values[own] = int(count["count"])
    values |= {own: said[label] for label, own in _TEXTS.items() if said.get(label)}
    if said.get("Solid State") == "Yes":
        values["rotational"] = False
    if (health := said.get("SMART Status", "")) in _HEALTH:
        values["health_passed"] = _HEALTH[health]
    whole = pairs.get("Whole") == "Yes" or "s" not in name.removeprefix("disk")
    if whole:
        values.pop("disk", None)
    return PrintedSubject("disk" if whole else "partition", name, values, host)
