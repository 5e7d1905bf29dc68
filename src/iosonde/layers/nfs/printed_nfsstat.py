"""nfsstat -s, -c and -l: calls and operations of an NFS server and a client.

Its tables hold rows of names, each with a row of figures below; operations have their share in
percent. The values have the names of the lines of /proc/net/rpc/nfsd that they come from.

Source: nfs-utils 2.6.2, utils/nfsstat/nfsstat.c, print_numbers() and print_callstats().
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from typing_extensions import override

from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput
from iosonde.text.torn import torn_words

_HEAD = re.compile(
    r"\s*(?P<side>Server|Client)\s+(?P<what>rpc stats|packet stats|reply cache|file handle cache"
    r"|read ahead cache(?: \(raparms\))?|io stats|thread stats|nfs v[234](?: operations)?):?\s*$"
)
_LISTED = re.compile(
    r"\s*nfs v(?P<version>[234])\s+(?P<side>server|client|servop)\s+(?P<name>[\w-]{1,24}):\s+"
    r"(?P<count>\d{1,20})\s*$"
)
_FIGURES = re.compile(r"[\d\s%]+$")
_NAMES = re.compile(r"\s*[a-z0-9_][a-z0-9_%-]*(?: +[a-z0-9_%][a-z0-9_%-]*)*\s*$")
_RULE = re.compile(r"[-\s]+$")
_LINES = {"rpc stats": "rpc", "packet stats": "net", "reply cache": "rc", "io stats": "io",
          "file handle cache": "fh", "read ahead cache": "ra", "thread stats": "th",
          "read ahead cache (raparms)": "ra", "nfs v2": "proc2", "nfs v3": "proc3",
          "nfs v4": "proc4", "nfs v4 operations": "proc4ops"}  # fmt: skip
_CALLS = {"calls": "calls", "badcalls": "bad_calls", "badfmt": "bad_format",
          "badauth": "bad_auth", "badclnt": "bad_client", "retrans": "retransmissions",
          "authrefrsh": "auth_refreshes"}  # fmt: skip
_KINDS = {"Server": "nfsd", "server": "nfsd", "servop": "nfsd", "Client": "nfs", "client": "nfs"}


@dataclass
class _Table:
    """One table as far as it was read: rows of names and rows of figures, as they stand."""

    names: list[str] = field(default_factory=list)
    figures: list[str] = field(default_factory=list)
    values: dict[str, Json] = field(default_factory=dict)

    def close(self) -> None:
        """Takes the row of names with the row of figures below it."""
        if not self.names or not self.figures:
            return
        shares = "".join(self.figures).count("%")
        if shares:
            names = torn_words(self.names, shares)
            figures = [word.rstrip("%") for word in torn_words(self.figures, 2 * shares)][::2]
        else:
            names = " ".join(self.names).split()
            figures = torn_words(self.figures, len(names))
        if len(names) != len(figures):
            raise Unreadable(f"{len(names)} names have {len(figures)} figures")
        named = zip(names, figures, strict=True)
        self.values |= {_CALLS.get(name, name): int(figure) for name, figure in named}
        self.names, self.figures = [], []


class Nfsstat(StateOutput):
    tool = "nfsstat"
    anchors = (
        "Server rpc stats:", "Client rpc stats:", "Server nfs v", "Client nfs v",
        "Server packet stats:", "nfs v3 server ", "nfs v4 server ", "nfs v4 servop ",
        "nfs v3 client ", "nfs v4 client ",
    )  # fmt: skip

    commands = ("nfsstat", "mountstats")
    reach = 4
    nothing = "no figures follow"
    beginnings = (_HEAD, _LISTED)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        listed = _LISTED.match(cursor.line(first))
        tables, last = _list(cursor, first) if listed else _tables(cursor, first)
        return last, [
            self.counted(kind, "", values, prompt) for kind, values in tables.items() if values
        ]


def _list(cursor: TextCursor, first: int) -> tuple[dict[str, dict[str, Json]], int]:
    """The list of nfsstat -l: one operation per line, those that never happened left out."""
    tables: dict[str, dict[str, Json]] = {}
    last = first
    for index, line in lines(cursor, first, 400):
        if match := _LISTED.match(line):
            name = "proc4ops" if match["side"] == "servop" else f"proc{match['version']}"
            values = tables.setdefault(_KINDS[match["side"]], {}).setdefault(name, {})
            if match["name"] == "total":
                tables[_KINDS[match["side"]]][f"{name}_total"] = int(match["count"])
            elif isinstance(values, dict):
                values[match["name"]] = int(match["count"])
            last = index
        elif (line and not _RULE.match(line)) or index > last + 4:
            break
    return tables, last


def _tables(cursor: TextCursor, first: int) -> tuple[dict[str, dict[str, Json]], int]:
    tables: dict[str, dict[str, Json]] = {}
    table, last = _Table(), first
    for index, line in _rows(cursor, first):
        if head := _HEAD.match(line):
            table.close()
            table, of_kind = _Table(), tables.setdefault(_KINDS[head["side"]], {})
            if _LINES[head["what"]] in of_kind:
                break  # the next output
            of_kind[_LINES[head["what"]]] = table.values
        elif _FIGURES.match(line) and table.names:
            table.figures.append(line)
            last = index
        elif _NAMES.match(line):
            if table.figures:
                table.close()
            if len(table.names) > 2:
                break
            table.names.append(line)
        else:
            break
    table.close()
    return tables, last


def _rows(cursor: TextCursor, first: int) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, up to a longer gap."""
    blank = 0
    for index, line in lines(cursor, first, 400):
        blank = 0 if line.strip() else blank + 1
        if blank > 3:
            return
        if not blank:
            yield index, line
