"""`findmnt -J` with any columns: what is mounted, each file system with those below it.

Source: util-linux 2.25 to 2.40, misc-utils/findmnt.c (add_line(), "filesystems", "target",
"source", "fstype", "options") and libsmartcols/src/print-json.c ("children").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from typing_extensions import override

from iosonde.layers._mounts.facts_findmnt import column_of, fit, mount_of
from iosonde.records.printed import PrintedSubject
from iosonde.text.cursor import Prompt
from iosonde.text.json_output import JsonOutput, objects

_DEEPEST = 50


class FindmntJson(JsonOutput):
    tool = "mount"
    anchors = ('"filesystems"',)
    commands = ("findmnt",)
    reach = 3
    nothing = "it lists no file system that stores anything"
    head = re.compile(
        r'\{\s*"filesystems"\s*:\s*\[\s*\{\s*"(?:target|source|fstype|size|maj:min)"\s*:'
    )

    @override
    def things(self, value: Any, prompt: Prompt) -> Iterable[PrintedSubject]:
        for row in _rows(value.get("filesystems")):
            cells = {
                column_of(name): str(value)
                for name, value in row.items()
                if isinstance(value, str | int) and not isinstance(value, bool)
            }
            if "TARGET" in cells and fit(cells):
                mount = mount_of(cells, prompt.host)
                if mount is not None:
                    yield mount


def _rows(rows: object, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """The file systems from the top down."""
    for row in objects(rows):
        yield row
        if depth < _DEEPEST:
            yield from _rows(row.get("children"), depth + 1)
