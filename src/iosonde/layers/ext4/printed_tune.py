"""What tune2fs says of the parameters that it sets.

Source: e2fsprogs 1.47, misc/tune2fs.c (main()): one line for each option, such as "Setting reserved
blocks percentage to %g%% (%llu blocks)".
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, top_of

_VERSION = re.compile(
    r"\s*tune2fs (?P<tune2fs_version>\d[\w.+~-]{1,30}) "
    r"\((?P<tune2fs_date>\d{1,2}-\w{3,9}-\d{4})\)\s*$"
)
_SHARE = re.compile(
    r"\s*Setting reserved blocks percentage to (?P<share>\d{1,2}(?:\.\d{1,6})?)% "
    r"\((?P<blocks>\d{1,19}) blocks\)\s*$"
)
_NAMES = {
    "maximal mount count": "max_mount_count", "current mount count": "mount_count",
    "reserved blocks gid": "reserved_gid", "reserved blocks uid": "reserved_uid",
    "reserved blocks count": "reserved_blocks", "interval between checks": "check_interval",
    "inode size": "inode_size", "stride size": "stride_blocks",
    "stripe width": "stripe_width_blocks", "error behavior": "error_behavior",
    "time filesystem last checked": "last_checked", "extended default mount options": "options",
}  # fmt: skip
_SET = re.compile(
    rf"\s*Setting (?P<what>{'|'.join(_NAMES)}) (?:to )?(?P<value>-?\d{{1,20}}|'[^'\n]{{1,80}}'"
    r"|[A-Z][a-z]{2} [A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d \d{4})(?: seconds)?\s*$"
)
_COMMAND = re.compile(r"\btune2fs\s.*?(?:/dev/)(?P<device>[\w/.:+-]{1,120})")


class Tune2fs(StateOutput):
    tool = "tune2fs"
    anchors = ("Setting reserved blocks ", *(f"Setting {name} " for name in _NAMES))
    commands = ("tune2fs",)
    reach = 4

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _is_set(cursor.line(cursor.at)):
            return None
        return top_of(cursor, lambda line: _is_set(line) or bool(_VERSION.match(line)), most=20)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Scalar] = {}
        last = first
        for index, line in close_lines(cursor, first, 30):
            version = _VERSION.match(line)
            if prompt_in(line) or not (version or _is_set(line)):
                break
            values |= version.groupdict() if version else _said(line)
            last = index
        device = _COMMAND.search(prompt.command)
        name = device["device"] if device else prompt.path
        return last, [PrintedSubject("ext4", name, values, prompt.host)]


def _is_set(line: str) -> bool:
    return bool(_SHARE.match(line) or _SET.match(line))


def _said(line: str) -> dict[str, Scalar]:
    if share := _SHARE.match(line):
        return {
            "reserved_share": round(float(share["share"]) / 100, 8),
            "reserved_blocks": int(share["blocks"]),
        }
    match = _SET.match(line)
    if match is None:
        return {}
    value = match["value"].strip("'")
    return {_NAMES[match["what"]]: int(value) if value.lstrip("-").isdecimal() else value}
