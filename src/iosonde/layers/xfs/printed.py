"""`xfs_info`, and what mkfs.xfs and xfs_growfs print: the geometry of an XFS.

xfs_growfs prints it as it was before, and then to how many blocks it has grown.

Source: xfsprogs 6.1, libfrog/fsgeom.c (xfs_report_geom); growfs/xfs_growfs.c.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.layers.xfs.facts import geometry_facts, parse_sections
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, joined, lines, prompt_in
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput

_HEAD = re.compile(r"\s*meta-data ?=(?P<device>\S+)(?:\s|$)")
_OWN = re.compile(r"\s*+(?:data|naming|log|realtime)?\s*=|\s*+\w[\w-]* ?=\d|[\w=, -]+ blks$")
_BLOCKS = re.compile(r"^\s*data\s*=[^=\n]*bsize=\d+\s+blocks=(\d{1,18})\b", re.MULTILINE)
_FEATURE = re.compile(
    r"(?<![\w-])(crc|finobt|sparse|rmapbt|reflink|bigtime|inobtcount|nrext64|ftype|lazy-count)=([01])\b"
)
_GROUP_SIZE = re.compile(r"\bagsize=(\d{1,18})\b")
_NAMED = {
    "meta-data": {"agcount", "agsize", "sectsz", "crc", "finobt", "sparse", "rmapbt", "reflink",
                  "bigtime", "inobtcount", "nrext64"},
    "data": {"bsize", "blocks", "sunit", "swidth"},
    "naming": {"ftype"},
    "log": {"blocks", "lazy-count", "lazy_count"},
}  # fmt: skip
_GROWN = re.compile(r"\s*data blocks changed from (?P<before>\d{1,18}) to (?P<after>\d{1,18})\s*$")
_MOUNT = re.compile(r"xfs_(?:info|growfs)\s+(?:-\S+ )*(/(?!dev/)\S*)")


class XfsInfo(StateOutput):
    tool = "xfs_info"
    anchors = ("meta-data=", "meta-data =")
    commands = ("xfs_info", "mkfs.xfs", "xfs_growfs")
    beginning = _HEAD

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last = first
        for index, line in lines(cursor, first + 1, 60):
            if line and (not _OWN.match(line) or prompt_in(line) or _HEAD.match(line)):
                break
            if index > last + 2:
                break
            last = index if line else last
            if line.lstrip().startswith("realtime"):
                break
        below = last + (1 if cursor.line(last + 1) else 2)
        grown = _GROWN.match(cursor.line(below))
        head = self.first_line(cursor, first)
        text = joined(cursor, first, last)
        facts: dict[str, Scalar] = geometry_facts(text)
        if facts and (blocks := _BLOCKS.search(text)):
            facts["blocks"] = int(blocks[1])
        if facts and grown:
            facts["blocks_grown_to"] = int(grown["after"])
            last = below
        if facts and (size := _GROUP_SIZE.search(text)):
            facts["allocation_group_size"] = int(size[1]) * int(str(facts.get("block_size", 1)))
        features = {name.replace("-", "_"): on == "1" for name, on in _FEATURE.findall(text)}
        if not facts:
            raise Unreadable("the line of its data section is missing", last)
        mount = _MOUNT.search(prompt.command)
        device = head["device"]
        name = mount[1] if mount else device.removeprefix("/dev/")
        values = {"device": device, **facts, **features, **_others(text)}
        return last, [PrintedSubject("xfs", name, values, prompt.host)]


class XfsGrown(StateOutput):
    """The last line of xfs_growfs, where the rest of what it prints was left out."""

    tool = "xfs_growfs"
    anchors = ("data blocks changed from ",)
    commands = ("xfs_growfs",)
    reach = 6
    beginning = _GROWN

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        grown = self.first_line(cursor, first)
        mount = _MOUNT.search(prompt.command)
        values = {"blocks": int(grown["before"]), "blocks_grown_to": int(grown["after"])}
        name = mount[1] if mount else prompt.path
        return first, [PrintedSubject("xfs", name, values, prompt.host)]


def _others(text: str) -> dict[str, Scalar]:
    """What each section says that has no name of discovery's: by its word, and by the section's.

    The section is not named for those of the file system itself, which stand first.
    """
    values: dict[str, Scalar] = {}
    for section, pairs in parse_sections(text).items():
        prefix = "" if section in {"", "meta-data"} else f"{section} "
        own = {f"{prefix}{name}": value for name, value in pairs.items() if value[0].isdigit()}
        values |= as_labelled(own, {prefix + name for name in _NAMED.get(section, ())})
    return values
