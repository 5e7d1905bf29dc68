"""Which host an OSD stands below in a tree of the CRUSH map.

OSDs that are in no bucket stand at the end, outside of all of them, with a weight of 0: what tells
them from the last host's is how far their names are indented.

Source: Ceph 10 to 18, crush/CrushTreeDumper.h (Dumper::next(): roots first, then
`OSDTreePlainDumper` dumps what is not touched as `Item(osd, 0, 0, 0)`: no parent, no depth, no
weight), osd/OSDMap.cc (OSDTreePlainDumper: four blanks for each depth); Ceph 0.48 to 0.80,
osd/OSDMap.cc (print_tree(): a tab for each depth).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TreePlace:
    """The bucket above a row: its name if it is a host, and the column at which it is named."""

    host: str = ""
    column: int | None = None

    def host_of(self, weight: str, column: int | None) -> str:
        """The host of an OSD; empty where it has none, or where nothing shows that it has one.

        Args:
            weight: as printed.
            column: at which the OSD is named; None where its line is broken.
        """
        if not self.host or any(figure in weight for figure in "123456789"):
            return self.host
        is_below = column is not None and self.column is not None and column > self.column
        return self.host if is_below else ""


def column_of(line: str, text: str) -> int | None:
    """The column at which a text stands in a line; None where it does not."""
    place = line.expandtabs().find(text)
    return None if place < 0 else place
