"""`losetup -J`: loop devices with the columns that were asked for.

Source: util-linux 2.27 to 2.40, sys-utils/losetup.c (show_table(), "loopdevices"); before 2.33 all
values are texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from typing_extensions import override

from iosonde.layers._commands.printed_block_tools import LOOP_COLUMNS, LOOP_FLAGS
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt
from iosonde.text.json_output import JsonOutput, objects

_DELETED = " (deleted)"


class LosetupJson(JsonOutput):
    tool = "losetup"
    anchors = ('"loopdevices"',)
    commands = ("losetup",)
    reach = 3
    nothing = "no loop device follows"
    head = re.compile(r'\{\s*"loopdevices"\s*:\s*\[')

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterable[PrintedSubject]:
        for row in objects(value.get("loopdevices")):
            name = str(row.get("name") or "").removeprefix("/dev/")
            if name:
                yield PrintedSubject("loop", name, _facts(row), prompt.host)


def _facts(row: Mapping[str, Any]) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {}
    for column, name in LOOP_COLUMNS.items():
        value = row.get(column.lower())
        text = str(value) if value is not None else ""
        if column == "BACK-FILE" and text:
            values[name] = text.removesuffix(_DELETED)
        elif column in LOOP_FLAGS and text:
            values[name] = text in {"1", "True"}
        elif text.isdecimal() and (int(text) or column != "SIZELIMIT"):  # 0: none
            values[name] = int(text)
    if str(row.get("back-file") or "").endswith(_DELETED):
        values["backing_file_deleted"] = True
    return values
