"""/proc/net/rpc/nfsd and /proc/net/rpc/nfs: what an NFS server and a client did since they started.

Source: as in `facts.py`. `th` holds the number of threads, how often the last idle one was taken,
and the seconds during which 10–20 %, 20–30 % … 90–100 % and all of them were busy (fs/nfsd/nfssvc.c
of 2.6.27, update_thread_usage()); all but the first are 0 since 2.6.30, as is `ra` since 5.12. A
procN line begins with the number of its figures.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from typing_extensions import override

from iosonde.layers.nfs.facts import rpc_values
from iosonde.records.printed import (
    OutputReading,
    PrintedCounters,
    PrintedState,
    PrintedSubject,
    Unreadable,
)
from iosonde.text.cursor import Output, TextCursor, command_before, lines
from iosonde.text.torn import torn_words

_NAMES = "rc|fh|io|th|ra|net|rpc|proc2|proc3|proc4ops|proc4|wdeleg_getattr"
_NAMED = re.compile(rf"(?:^|(?<=\s))({_NAMES})(?=\s+\d)")
_LINE = re.compile(rf"\s*(?:{_NAMES})(?:\s+\d+(?:\.\d+)?){{2,}}")
_ON = re.compile(r"[\d.\s]+=?$")
_COUNTS = {"rc": (3,), "fh": (5,), "io": (2,), "th": (12,), "ra": (12,), "net": (4,),
           "rpc": (5, 3), "wdeleg_getattr": (1,)}  # fmt: skip


@dataclass
class _Group:
    """One line of the file, as many lines as it may go over now."""

    name: str
    first: int
    last: int
    parts: list[str] = field(default_factory=list)

    def expected(self) -> tuple[int, ...]:
        """How many figures may follow the name."""
        if self.name in _COUNTS:
            return _COUNTS[self.name]
        number = self.parts[0].split()[0]
        return (int(number) + 1,) if number.isdecimal() and len(number) < 4 else ()

    def is_full(self) -> bool:
        """Whether no further figure can belong to it."""
        return len(" ".join(self.parts).split()) >= max(self.expected(), default=0)

    def add(self, part: str) -> None:
        """Takes a line that goes on with it; after a soft break of mail it goes on at once."""
        if self.parts[-1].endswith("="):
            self.parts[-1] = self.parts[-1][:-1] + part
        else:
            self.parts.append(part)

    def figures(self) -> list[str] | None:
        """Its figures; None where they are not as many as there must be."""
        for count in self.expected():
            figures = torn_words(self.parts, count)
            if len(figures) == count:
                return figures
        return None


class NfsdOutput(Output):
    tool = "nfsd"
    anchors = (
        "proc3 22 ", "proc2 18 ", "proc4 2 ", "proc4ops ", "fh 0 0 0 0 0", "rc 0 ", "net 0 0 0 0",
        "proc4 4", "proc4 5", "proc4 6",
        *(f"th {digit}" for digit in range(1, 10)),
    )  # fmt: skip

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _LINE.match(cursor.line(cursor.at)):
            return None
        first = cursor.at
        for index in range(cursor.at - 1, max(cursor.at - 30, -1), -1):
            line = cursor.line(index)
            if _LINE.match(line):
                first = index
            elif line and not _ON.match(line):
                break
        return first

    @override
    def read(self, cursor: TextCursor, first: int) -> OutputReading:
        groups = _groups(cursor, first)
        by_label: dict[str, list[str]] = {}
        unread: list[tuple[int, int, str]] = []
        for group in groups:
            if (figures := group.figures()) is not None:
                by_label[group.name] = figures
            else:
                unread.append((group.first, group.last, _miscounted(group)))
        if not by_label:
            raise Unreadable("no line has the figures it must have")
        server = not ({"rc", "fh", "io", "th", "ra"}.isdisjoint(by_label)) or len(
            by_label.get("rpc", ())
        ) == max(_COUNTS["rpc"])
        kind = "nfsd" if server or "proc4ops" in by_label else "nfs"
        readers = ("cat", "grep", "head", "less", "more")
        begin, prompt = command_before(cursor, first, readers, reach=4, about="/rpc/nfs")
        threads = int(by_label["th"][0]) if "th" in by_label else None
        state = PrintedState(
            self.tool, (PrintedSubject("nfsd", "", {"threads": threads}, prompt.host),), prompt.host
        )
        counters = PrintedCounters(
            tool=self.tool,
            kind=kind,
            name="",
            values={name: rpc_values(name, figures, kind) for name, figures in by_label.items()},
            host=prompt.host,
            command=prompt.command,
        )
        return OutputReading(
            begin,
            groups[-1].last,
            counters=(counters,),
            states=(state,) if threads is not None else (),
            unread=tuple(unread),
        )


def _groups(cursor: TextCursor, first: int) -> list[_Group]:
    """The lines of the file from index `first` on."""
    groups: list[_Group] = []
    blank = 0
    for index, line in lines(cursor, first, 60):
        if not line.strip():
            blank += 1
            if blank > 1:
                break
            continue
        starts = [match.start() for match in _NAMED.finditer(line)]
        before = line[: starts[0]] if starts else line
        if before.strip():
            if not groups or not _ON.match(before) or groups[-1].is_full():
                break
            groups[-1].add(before)
            groups[-1].last = index
        for start, end in zip(starts, [*starts[1:], len(line)], strict=False):
            name, _, rest = line[start:end].partition(" ")
            if any(group.name == name for group in groups):
                return groups
            groups.append(_Group(name, index, index, [rest]))
        blank = 0
    return groups


def _miscounted(group: _Group) -> str:
    there = len(" ".join(group.parts).split())
    counts = " or ".join(map(str, group.expected()))
    if group.name in _COUNTS:
        return f"{group.name} has {there} figures, not {counts}"
    return f"{group.name} says that {int(counts or 1) - 1} figures follow; {there - 1} do"
