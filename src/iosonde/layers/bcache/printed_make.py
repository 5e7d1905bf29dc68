"""What make-bcache prints of the devices it formats, and `bcache show`: which device serves which.

Source: bcache-tools 1.0.8, make-bcache.c (write_sb(): "UUID:", "nbuckets:", "block_size:" in
sectors of 512 bytes); bcache-tools 1.1, make.c ("Name", "Label", "Type", "block_size_in_sectors:")
and bcache.c (show_bdevs(), show_bdevs_detail()).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.kerneltext import UUID
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, before, close_lines

_LINE = re.compile(
    rf"\s*(?:(?P<uuid>UUID|Set UUID):\s+(?P<id>{UUID})|"
    r"(?P<name>version|nbuckets|block_size|bucket_size|data_offset|nr_in_set|nr_this_dev|"
    r"first_bucket)(?P<sectors>_in_sectors)?:\s+(?P<figure>\d{1,18}))\s*$"
)
_TOP = re.compile(r"\s*(?P<label>Name|Label|Type)(?:\s+(?P<value>\S.{0,80}?))?\s*$")
_IN_SECTORS = frozenset({"block_size", "bucket_size", "data_offset"})
_OTHER = {"version": "superblock_version", "nbuckets": "buckets"}
_DEVICE = re.compile(r"(?<!\S)/dev/(?P<name>[\w/.-]{1,60})")
_FLAG = re.compile(r"(?<!\S)-(?P<role>[BC])(?!\S)|(?<!\S)--(?P<long>bdev|cache)(?!\S)")
_SHOWN = re.compile(
    rf"\s*/dev/(?P<name>\S{{1,60}})\s+(?:(?P<uuid>{UUID})\s+(?P<set_uuid>{UUID})\s+)?"
    r"(?P<version>\d{1,2}) \((?P<role>data|cache|unknown)\)\s+(?P<state>[a-z][a-z ()]{2,30}?)\s+"
    rf"(?P<bcache>bcache\d{{1,4}}|N/A)\s+(?P<attached>/dev/\S{{1,60}}|N/A|Alone|-)"
    rf"(?:\s+(?P<attached_set>{UUID}|N/A|-))?\s*$"
)
_SHOWN_HEAD = re.compile(r"\s*Name\s+(?:Uuid\s+Cset_Uuid\s+)?Type\s+State\s+Bname\s+AttachToDev")
_NONE = frozenset({"N/A", "-"})


class MakeBcache(StateOutput):
    tool = "make-bcache"
    anchors = ("Set UUID:",)
    commands = ("make-bcache", "bcache")
    reach = 6

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        above = before(cursor, cursor.at)
        match = _LINE.match(cursor.line(above))
        below = [_LINE.match(cursor.line(cursor.at + step)) for step in (1, 2)]
        is_next = any(line is not None and line["name"] == "version" for line in below)
        if not is_next or match is None or match["uuid"] != "UUID":
            return None
        first = above
        while _TOP.match(cursor.line(before(cursor, first))):
            first = before(cursor, first)
        return first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        devices: list[dict[str, Scalar]] = []
        last, top = first, dict[str, str]()
        for index, line in close_lines(cursor, first, 200):
            match, label = _LINE.match(line), _TOP.match(line)
            if match:
                if match["uuid"] == "UUID":
                    devices.append({name.lower(): text for name, text in top.items() if text})
                    top = {}
                _put(devices[-1], match)
                last = index
            elif label:
                top[label["label"]] = label["value"] or ""
            else:
                break
        names = _named(prompt.command)
        subjects: list[PrintedSubject] = []
        for device in devices:
            role = "cache" if "buckets" in device else "backing" if "data_offset" in device else ""
            device.pop("type", None)
            name = str(device.pop("name", "")).removeprefix("/dev/")
            ordered = names.get(role, [])
            name = name or (ordered.pop(0) if ordered else str(device["uuid"]))
            values: dict[str, Scalar] = {"role": role} if role else {}
            subjects.append(PrintedSubject("bcache", name, {**values, **device}, prompt.host))
        return last, subjects


def _put(device: dict[str, Scalar], match: re.Match[str]) -> None:
    """Puts what a line says under the names that bcache-super-show's figures have."""
    if match["uuid"]:
        device["uuid" if match["uuid"] == "UUID" else "set_uuid"] = match["id"]
        return
    name, figure = match["name"], int(match["figure"])
    device[_OTHER.get(name, name)] = figure * units.SECTOR if name in _IN_SECTORS else figure


def _named(command: str) -> dict[str, list[str]]:
    """The devices that a command names, by role; none where it does not say the role of each."""
    names: dict[str, list[str]] = {"backing": [], "cache": []}
    role = ""
    for word in command.split(" "):
        if flag := _FLAG.fullmatch(word):
            role = "backing" if flag["role"] == "B" or flag["long"] == "bdev" else "cache"
        elif (device := _DEVICE.fullmatch(word)) and role:
            names[role].append(device["name"])
    return names


class BcacheShow(StateOutput):
    tool = "bcache show"
    anchors = ("AttachToDev", " (data)", " (cache)", "\t1 (data)")
    commands = ("bcache",)
    reach = 3
    nothing = "no row is whole"
    beginnings = (_SHOWN_HEAD, _SHOWN)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        subjects: list[PrintedSubject] = []
        last = first
        for index, line in close_lines(cursor, first, 400):
            row = _SHOWN.match(line)
            if row:
                values: dict[str, Scalar] = {
                    name: text for name, text in row.groupdict().items()
                    if text and text not in _NONE and name not in {"name", "version", "role"}
                }  # fmt: skip
                role = "backing" if row["role"] == "data" else row["role"]
                values = {"role": role, "superblock_version": int(row["version"]), **values}
                subjects.append(PrintedSubject("bcache", row["name"], values, prompt.host))
            elif not _SHOWN_HEAD.match(line):
                break
            last = index
        return last, subjects
