"""showmount -e and -a: what a server exports, and who has mounted it.

Source: nfs-utils 2.6.2, utils/showmount/showmount.c (main(): "Export list for %s:", "All mount
points on %s:", "Directories on %s:", "Hosts on %s:"; with -e the path in a column, then its clients
with commas between, or "(everyone)" where there are none; with -a "HOST:PATH").
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_rows

_HEAD = re.compile(
    r"\s*(?P<what>Export list for|All mount points on) (?P<server>[\w.:%\[\]-]{1,253}):\s*$"
)
_EXPORT = re.compile(
    r"\s*(?P<path>/\S{0,255})\s+(?P<clients>\(everyone\)|[\w.*?@/:\[\]-]{1,253}"
    r"(?:,[\w.*?@/:\[\]-]{1,253}){0,99})\s*$"
)
_MOUNTED = re.compile(
    r"\s*(?P<client>[\w.*-]{1,253}|\[?[\da-f:]{2,45}\]?):(?P<path>/\S{0,255})\s*$"
)


class Showmount(StateOutput):
    tool = "showmount"
    anchors = ("Export list for ", "All mount points on ")
    commands = ("showmount",)
    reach = 3
    beginning = _HEAD
    nothing = "its list is empty"

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = self.first_line(cursor, first)
        is_exports = head["what"].startswith("Export")
        named: dict[str, list[str]] = {}
        form = _EXPORT if is_exports else _MOUNTED
        rows, last = close_rows(cursor, first + 1, form.match)
        for row in rows:
            named.setdefault(row["path"], []).append(row["clients" if is_exports else "client"])
        fact = "clients" if is_exports else "mounted_by"
        return last, [
            PrintedSubject(
                "export",
                path,
                {fact: " ".join(clients), "server": head["server"]},
                head["server"],
            )
            for path, clients in named.items()
        ]
