"""snapraid.conf: which disks SnapRAID protects, by which parity, and where it keeps its lists.

Source: SnapRAID 12, snapraid.1 ("7 Configuration") and cmdline/state.c, state_config(): `parity`,
`2-parity` to `6-parity` (`q-parity` before 6.0) name a file, since 11.0 several between commas;
`data` was `disk` before 8.0.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput

_PARITY = re.compile(
    r"\s*(?P<level>(?:[1-6]-|[qrz]-)?parity)\s{1,20}(?P<files>(?:/|[A-Z]:\\)\S.{0,300}?)\s*$"
)
_DATA = re.compile(
    r"\s*(?:data|disk)\s{1,20}(?P<name>[\w.-]{1,60})\s{1,20}"
    r"(?P<folder>(?:/|[A-Z]:\\)\S{0,200}|/)\s*$"
)
_CONTENT = re.compile(r"\s*content\s{1,20}(?P<file>(?:/|[A-Z]:\\)\S.{0,300}?)\s*$")
_OPTION = re.compile(
    r"\s*(?P<name>(?:block|hash)_?size|autosave|pool|share|smartctl|nohidden|temp_limit)"
    r"(?:\s{1,20}(?P<value>\S.{0,200}?))?\s*$"
)
_FILTER = re.compile(r"\s*(?:ex|in)clude\s{1,20}\S")
_MOST = 400
_GAP = 3  # blank lines


def _is_own(line: str) -> bool:
    return any(form.match(line) for form in (_PARITY, _DATA, _CONTENT, _OPTION, _FILTER))


class SnapraidConf(StateOutput):
    tool = "snapraid.conf"
    anchors = ("parity /", "parity\t", "content /", "content\t", "-parity ", "snapraid.content")
    commands = ("cat", "less", "vi", "vim", "nano", "tee")
    reach = 6
    about = "snapraid"
    nothing = "it names no data or no parity"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _is_own(cursor.line(cursor.at)):
            return None
        first = cursor.at
        for index in range(cursor.at - 1, max(cursor.at - _MOST, 0) - 1, -1):
            line = cursor.line(index)
            if _is_own(line):
                first = index
            elif line and not line.lstrip().startswith("#"):
                break
        below = cursor.block(first, _MOST)
        return first if all(any(map(form.match, below)) for form in (_PARITY, _DATA)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        array: dict[str, Scalar] = {}
        contents, disks = list[str](), dict[str, str]()
        last = seen = first
        filters = 0
        for index, line in lines(cursor, first, _MOST):
            if parity := _PARITY.match(line):
                array[parity["level"].replace("-", "_")] = parity["files"]
            elif data := _DATA.match(line):
                disks[data["name"]] = data["folder"]
            elif content := _CONTENT.match(line):
                contents.append(content["file"])
            elif option := _OPTION.match(line):
                array[option["name"]] = option["value"] or True
            elif _FILTER.match(line):
                filters += 1
            elif (line and not line.lstrip().startswith("#")) or index > seen + _GAP:
                break
            seen = index if line else seen
            last = index if _is_own(line) else last
        if not disks or not any("parity" in name for name in array):
            return last, []
        values: dict[str, Scalar] = {
            **array, "content": ", ".join(contents), "disks": len(disks),
            "filters": filters, "below": " ".join(disks.values()),
        }  # fmt: skip
        own = [
            PrintedSubject("snapraid_disk", name, {"folder": folder}, prompt.host)
            for name, folder in disks.items()
        ]
        return last, [PrintedSubject("snapraid", "", values, prompt.host), *own]
