"""Which host an OSD stands below in a tree of the CRUSH map.

OSDs that are in no bucket stand at the end, outside of all of them, with a weight of 0; others may
stand below a rack or the root. What tells them from those of the last host is how far their names
are indented.

Source: Ceph 10 to 18, crush/CrushTreeDumper.h (Dumper::next(): roots first, then
`OSDTreePlainDumper` dumps what is not touched as `Item(osd, 0, 0, 0)`: no parent, no depth, no
weight), osd/OSDMap.cc (OSDTreePlainDumper: four blanks for each depth); Ceph 0.48 to 0.80,
osd/OSDMap.cc (print_tree(): a tab for each depth).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_APART = re.compile(r"  |\t")


@dataclass(frozen=True, slots=True)
class TreePlace:
    """The bucket above a row: its name if it is a host, and the column at which it is named."""

    host: str = ""
    column: int | None = None

    def host_of(self, weight: str, column: int | None) -> str:
        """The host of an OSD; empty where it has none, or where nothing shows that it has one.

        Args:
            weight: as printed.
            column: at which the OSD is named; None where its line does not show how deep it stands.
        """
        if column is not None and self.column is not None:
            return self.host if column > self.column else ""
        return self.host if any(figure in weight for figure in "123456789") else ""


def column_of(line: str, text: str) -> int | None:
    """The column at which a text stands in a line; None where blanks no longer show that."""
    place = line.expandtabs().find(text)
    return place if place >= 0 and _APART.search(line.strip()) else None
