"""QEMU's monitor: `info block` and `info blockstats`.

A disk's cache has the name that QEMU and libvirt give this mode in their settings. Counters have
the names that virsh prints them under; times are seconds.

Source: QEMU 1.5 to 9, block/monitor/block-hmp-cmds.c (print_block_info(), hmp_info_blockstats();
before 5.0 hmp.c), qapi/block-core.json (BlockDeviceIoStatus: ok, failed, nospace); qemu(1), -drive
cache (none: writeback and direct; directsync: direct; unsafe: flushes are ignored).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from typing_extensions import override

from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines, close_rows, nearest

_DISK = re.compile(
    r"\s*(?P<name>[\w#<>/.-]{1,100})(?: \((?P<node>#?[\w.-]{1,60})\))?: "
    r"(?:(?P<path>\S.{0,400}?) \((?P<format>[\w-]{2,20})"
    r"(?P<flags>(?:, (?:read-only|encrypted)){0,2})\)|\[not inserted\])$"
)
_PAIR = re.compile(
    r"\s*(?P<label>Attached to|I/O status|Removable device|Cache mode|Backing file|Detect zeroes|"
    r"I/O throttling|Images): +(?P<value>\S.{0,400})$"
)
_BACKING = re.compile(r"(?P<path>\S.{0,390}?)(?: \(chain depth: (?P<depth>\d{1,4})\))?$")
_LIMIT = re.compile(r"\b(?P<what>bps|iops)(?:_(?P<way>rd|wr))?=(?P<figure>\d{1,18})\b")
_WAYS = {None: "", "rd": "read_", "wr": "write_"}
_CACHES = {
    "writeback": "writeback", "writeback, direct": "none", "writethrough": "writethrough",
    "writethrough, direct": "directsync", "writeback, ignore flushes": "unsafe",
}  # fmt: skip
_ERRORS = {"failed": "unspecified error", "nospace": "no space"}


class QemuBlocks(StateOutput):
    tool = "info block"
    anchors = ("Cache mode: ", "Attached to: ")
    commands = ("qm", "virsh")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _PAIR.match(cursor.line(cursor.at)):
            return None
        return nearest(cursor, 8, _DISK.match, between=_PAIR.match)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        disks: list[tuple[str, dict[str, Scalar]]] = []
        last = first
        for index, line in close_lines(cursor, first, gap=2):
            if disk := _DISK.match(line):
                disks.append((disk["name"], _inserted(disk)))
            elif pair := _PAIR.match(line):
                disks[-1][1].update(_labelled(pair["label"], pair["value"].strip()))
            else:
                break
            last = index
        return last, [PrintedSubject("guest", *disk, prompt.host) for disk in disks]


def _inserted(disk: re.Match[str]) -> dict[str, Scalar]:
    if not disk["path"]:
        return {"inserted": False}
    values: dict[str, Scalar] = {"path": disk["path"], "format": disk["format"]}
    if "read-only" in disk["flags"]:
        values["read_only"] = True
    return values


def _labelled(label: str, text: str) -> dict[str, Scalar]:
    """What a line below a disk says of it."""
    if label == "Cache mode":
        return {"cache": _CACHES[text]} if text in _CACHES else {"cache_mode": text}
    if label == "I/O status":
        return {"error": _ERRORS[text]} if text in _ERRORS else {"io_status": text}
    if label == "Backing file" and (backing := _BACKING.match(text)):
        depth = backing["depth"]
        return {"backing_file": backing["path"]} | ({"chain_depth": int(depth)} if depth else {})
    if label == "I/O throttling":
        return {
            f"limit_{_WAYS[limit['way']]}{'bandwidth' if limit['what'] == 'bps' else 'iops'}":
            int(limit["figure"]) for limit in _LIMIT.finditer(text) if int(limit["figure"])
        }  # fmt: skip
    return {label.lower().replace(" ", "_"): text}


_COUNTS = re.compile(r"\s*(?P<name>[\w#/.-]{1,100}):(?P<counts>(?: [a-z_]{3,40}=\d{1,20}){4,40})$")
_NAMES: Mapping[str, str] = {
    "rd_operations": "rd_req", "wr_operations": "wr_req", "rd_total_time_ns": "rd_total_times",
    "wr_total_time_ns": "wr_total_times", "flush_total_time_ns": "flush_total_times",
}  # fmt: skip


class QemuBlockCounts(StateOutput):
    tool = "info blockstats"
    anchors = (" rd_operations=", " wr_operations=")
    commands = ("qm", "virsh")
    reach = 3
    beginning = _COUNTS

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        disks: list[PrintedCounters] = []
        rows, last = close_rows(cursor, first, _COUNTS.match)
        for row in rows:
            values: dict[str, Json] = {}
            for pair in row["counts"].split(" ")[1:]:
                key, _, figure = pair.partition("=")
                name = _NAMES.get(key, key.removesuffix("_ns"))
                values[name] = int(figure) / 1e9 if key.endswith("_ns") else int(figure)
            disks.append(self.counted("guest", row["name"], values, prompt))
        return last, disks
