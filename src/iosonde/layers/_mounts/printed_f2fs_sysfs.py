"""/sys/fs/f2fs/DEVICE: what a mounted f2fs counts and how it is set, by grep or one file by cat.

Values have the files' own names: blocks and segments are counts, lifetime_write_kbytes is in units
of 1024 bytes.

Source: Linux 6.12 fs/f2fs/sysfs.c (f2fs_attrs, sec_entries_* and compr_* attributes) and
Documentation/ABI/testing/sysfs-fs-f2fs; grep(1) (FILE:LINE where several files are named).
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_rows, top_of_own

_FILE = r"/sys/fs/f2fs/(?P<device>[\w.!-]{1,60})/(?P<name>[a-z][\w/]{1,60})"
_ROW = re.compile(rf"\s{{0,40}}{_FILE}: {{0,4}}(?P<value>\S.{{0,200}})$")
_SHOWN = re.compile(rf"(?:sudo )?cat {_FILE}$")
_VALUE = re.compile(r"\s{0,40}(?P<value>[\w(][\w ,./():\[\]-]{0,200})$")
_WHOLE = re.compile(r"\d{1,19}")


class F2fsSysfs(StateOutput):
    tool = "/sys/fs/f2fs"
    anchors = ("/sys/fs/f2fs/",)
    commands = ("grep", "cat", "tail", "head")
    reach = 2

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        prompt = prompt_in(line)
        if prompt is None:
            return top_of_own(cursor, _ROW.match)
        if not _SHOWN.match(prompt.command):
            return None
        below, further = cursor.line(cursor.at + 1), cursor.line(cursor.at + 2)
        if _VALUE.match(below) and not prompt_in(below):
            return cursor.at + 1
        return cursor.at + 2 if not below and _WHOLE.fullmatch(further.strip()) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        shown, value = _SHOWN.match(prompt.command), _VALUE.match(cursor.line(first))
        if shown and value:
            facts = {shown["name"].replace("/", "."): _typed(value["value"])}
            return first, [PrintedSubject("f2fs", shown["device"], facts, prompt.host)]
        rows, last = close_rows(cursor, first, _ROW.match, no_prompts=True)
        devices: dict[str, dict[str, Scalar]] = {}
        for row in rows:
            facts = devices.setdefault(row["device"], {})
            facts.setdefault(row["name"].replace("/", "."), _typed(row["value"]))
        return last, [
            PrintedSubject("f2fs", name, facts, prompt.host) for name, facts in devices.items()
        ]


def _typed(text: str) -> Scalar:
    value = text.strip()
    return int(value) if _WHOLE.fullmatch(value) else value
