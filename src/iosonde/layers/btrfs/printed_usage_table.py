"""`btrfs filesystem usage -T`: what each device has of each type of block groups, as a table.

The facts have the names of the list that the command prints without -T; the size of a device and
its slack are in the table alone.

Source: btrfs-progs 6.17, cmds/filesystem-usage.c, _cmd_filesystem_usage_tabular(): types above
profiles, a row for each device, then "Total" and "Used"; "-" is nothing. Total and Slack since 6.0.
"""

from __future__ import annotations

import re
from typing import ClassVar

from typing_extensions import override

from iosonde.kerneltext import fields
from iosonde.layers.btrfs.printed import group_name, mount_point, size_in_bytes
from iosonde.records.printed import PrintedSubject, Unreadable, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput

_TYPES = re.compile(r"\s*(?:(?:Data\+Metadata|Data|Metadata|System)(?:\s+|$)){1,9}$")
_HEAD = re.compile(
    r"\s*Id +Path\s+(?P<profiles>(?:(?:single|DUP|RAID\w{1,4})\s+){1,9})"
    r"(?P<rest>Unallocated(?:\s+Total)?(?:\s+Slack)?)\s*$"
)
_ROW = re.compile(
    r"\s*(?:(?P<id>\d{1,6}) +(?P<path>/\S{1,120}|missing|<missing disk>)|(?P<sum>Total|Used))"
    r"(?P<cells>(?:\s+(?:-|-?\d[\d.]{0,20}(?:[KMGTPE]i?B|[kKMGTPE]B|B)?)){1,12})\s*$"
)
_RULE = re.compile(r"\s*-+(?:\s+-+){3,12}\s*$")
_REST = {"Unallocated": "unallocated", "Total": "size", "Slack": "slack"}
_MOST = 400


class BtrfsUsageTable(StateOutput):
    tool = "btrfs filesystem usage"
    anchors = ("Id Path ", "Id  Path ")
    commands = ("btrfs",)
    reach = 30
    looks_above: ClassVar[bool] = True  # the command stands above what `BtrfsUsage` reads
    nothing = "its rows are cut off"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        above = cursor.line(cursor.at - 1)
        return (
            cursor.at - 1 if _HEAD.match(cursor.line(cursor.at)) and _TYPES.match(above) else None
        )

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = _HEAD.match(cursor.line(first + 1))
        types = fields(cursor.line(first))
        profiles = fields(head["profiles"]) if head else []
        if head is None or len(types) != len(profiles):
            raise Unreadable("its types and profiles are not as many", first + 1)
        facts: dict[str, Scalar] = {}
        groups: list[str] = []
        for type_, profile in zip(types, profiles, strict=True):
            groups.append(group_name(type_, profile, facts))
            facts[f"{groups[-1]}_profile"] = profile.lower()
        names = [*groups, *(_REST[name] for name in fields(head["rest"]))]
        last, devices = first + 1, list[str]()
        for index, line in lines(cursor, first + 2, _MOST):
            row = _ROW.match(line)
            cells = fields(row["cells"]) if row else []
            if row and len(cells) in {len(names), len(groups)}:
                if row["path"]:
                    devices.append(row["path"])
                facts |= _cells(row, dict(zip(names, cells, strict=False)))
            elif not _RULE.match(line):
                break
            last = index
        if not devices:
            return last, []
        facts["below"] = " ".join(
            path.removeprefix("/dev/") for path in devices if path.startswith("/")
        )
        if any(not path.startswith("/") for path in devices):
            facts["devices_missing"] = True
        return last, [PrintedSubject("btrfs", mount_point(prompt), facts, prompt.host)]


def _cells(row: re.Match[str], cells: dict[str, str]) -> dict[str, Scalar]:
    """A row's sizes: of a device, or of all of them as the list says them above the devices."""
    if row["sum"] == "Used":
        return without_none({f"{name}_used": size_in_bytes(text) for name, text in cells.items()})
    if row["sum"]:
        ends = {name: name if name in _REST.values() else f"{name}_total" for name in cells}
        return without_none({ends[name]: size_in_bytes(text) for name, text in cells.items()})
    device = row["path"].removeprefix("/dev/")
    if not row["path"].startswith("/"):
        device = f"missing_{row['id']}"
    return without_none({f"{name}_{device}": size_in_bytes(text) for name, text in cells.items()})
