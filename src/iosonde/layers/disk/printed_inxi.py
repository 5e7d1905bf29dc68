"""inxi's sections of drives, partitions and RAID.

Source: inxi 3.3, drive_data, partition_data and raid_data: `key: value` in a row, wrapped at the
width of the terminal under the section's word; sizes are powers of 1024 where their unit says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, flow, lines
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput

_HEAD = re.compile(r"\s*(?P<section>Drives|Partition|RAID):(?:\s+(?=\S)|\s*$)")
_BARE = re.compile(r"\s*(?:Drives|Partition|RAID):\s*$")
_SECTION = re.compile(r"\s*[A-Z][A-Za-z/]{2,14}:(?:\s|$)")
_LONG = 60  # characters of a line that a mail may have broken, or a URL's end
_KEY = re.compile(r"(?<!\S)(?P<key>Local Storage|HDD Total Size|[A-Za-z][\w.-]{1,24}):(?= |$)")
_OWN = re.compile(r"\s+\S|ID-\d+: |[a-z][\w-]{1,20}: ")
_THING = re.compile(r"(?:ID|Device|Hardware)-\d+$")
_SIZE = re.compile(r"\d+(?:\.\d+)? [KMGTPE]?i?B(?![\w/])")
_NAMES = {"fs": "fstype", "dev": "device", "rev": "firmware"}
_MOST = 400


class Inxi(StateOutput):
    tool = "inxi"
    anchors = (
        "Local Storage:", "Partition: ID-1:", "RAID:      Device-1:", "RAID: Device-1:",
        "HDD Total Size:", "RAID:      Hardware-1:", "ID-1:",
    )  # fmt: skip
    commands = ("inxi",)
    reach = 4
    nothing = "it names no drive"
    beginning = _HEAD

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """The section's word may stand in a line of its own."""
        if _BARE.match(cursor.line(cursor.at - 1)):
            return cursor.at - 1
        return super().begin(cursor)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last = first
        for index, line in lines(cursor, first + 1, _MOST):
            broken = len(cursor.line(index - 1)) >= _LONG and not _SECTION.match(line)
            if index > last + 2 or (line and not broken and not _OWN.match(line)):
                break
            last = index if line else last
        text = flow(cursor, first, last).partition(" Message: ")[0]
        head = _HEAD.match(text)
        section = head["section"] if head else ""
        return last, _things(section, text[head.end() if head else 0 :].strip(), prompt.host)


def _things(section: str, text: str, host: str) -> Iterator[PrintedSubject]:
    """The drives, partitions or arrays; what is said of all of them is the host's."""
    keys = list(_KEY.finditer(text))
    whole: dict[str, str] = {}
    things: list[tuple[str, dict[str, str]]] = []
    group = ""
    for key, after in zip(keys, [*keys[1:], None], strict=True):
        value = text[key.end() : after.start() if after else None].strip()
        label = key["key"]
        if _THING.match(label):
            things.append((value, {}))
            group = ""
        elif not value:
            group = f"{label} "  # "block-size: physical: 512 B logical: 512 B"
        else:
            pairs = things[-1][1] if things else whole
            pairs.setdefault(group + label if group else label, value)
            group = group if label in {"physical", "raw", "usable", "total"} else ""
    if whole:
        yield PrintedSubject("host", "", _values(whole, "storage_"), host)
    kind = {"Drives": "disk", "Partition": "filesystem", "RAID": "array"}.get(section, "disk")
    for name, pairs in things:
        yield PrintedSubject(kind, name.removeprefix("/dev/"), _values(pairs), host)


def _values(pairs: dict[str, str], prefix: str = "") -> dict[str, Scalar]:
    values: dict[str, Scalar] = {}
    for label, value in as_labelled(pairs).items():
        name = _NAMES.get(label, label)
        size = _SIZE.match(value) if isinstance(value, str) else None
        exact = round(units.printed(size[0].replace(" ", ""), binary=True)[0]) if size else value
        values[prefix + name.removeprefix("local_storage_")] = exact
    return values
