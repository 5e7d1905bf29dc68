"""`ceph fs status`: the ranks of a file system, its clients, its pools, and the daemons that wait.

Source: Ceph 14 to 19, pybind/mgr/status/module.py (handle_fs_status(): "NAME - N clients"; columns
"RANK", "STATE", "MDS", "ACTIVITY", "DNS", "INOS", since 16 "DIRS" and "CAPS"; "Reqs: N /s", of a
standby-replay "Evts: N /s"; a failed rank has nothing more; up to 14 tables with bars);
pybind/mgr/mgr_util.py (format_dimless(): prefixes of 1000; format_bytes(): of 1024).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import takewhile

from typing_extensions import override

from iosonde import kerneltext, units
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, nearest
from iosonde.text.torn import joined_match, joinings

_FS = re.compile(r"\s*(?P<name>[\w.-]{1,100}) - (?P<clients>\d{1,9}) clients?\s*$")
_RANK_HEAD = re.compile(
    r"[\s|]*rank[\s|]+state[\s|]+mds[\s|]+activity[\s|]+dns[\s|]+inos"
    r"(?P<more>[\s|]+dirs[\s|]+caps)?[\s|]*$",
    re.IGNORECASE,
)
_POOL_HEAD = re.compile(r"[\s|]*pool[\s|]+type[\s|]+used[\s|]+avail[\s|]*$", re.IGNORECASE)
_STANDBY_HEAD = re.compile(r"[\s|]*standby mds[\s|]*$", re.IGNORECASE)
_RANK_HEAD_BEGUN = re.compile(r"[\s|]*rank[\s|]+state[\s|]+mds\b", re.IGNORECASE)
_RANK_BEGUN = re.compile(r"[\s|]*\d{1,4}(?:-s)?[\s|]+[a-z][a-z-]{3,30}(?:\(laggy\))?(?:[\s|]|$)")
_NUMBER = r"\d{1,9}(?:\.\d{1,3})?[kMGTPE]?"
_RANK = re.compile(
    r"\s*(?P<rank>\d{1,4})(?P<replay>-s)?\s+(?P<state>[a-z][a-z-]{3,30}(?:\(laggy\))?)"
    r"(?:\s+(?P<mds>(?!Reqs:|Evts:)[A-Za-z][\w.-]{0,100}|\d[\w.-]{0,100}[A-Za-z][\w.-]{0,60}))?"
    rf"(?:\s+(?P<what>Reqs|Evts):\s{{0,12}}(?P<rate>{_NUMBER}) ?/s)?"
    rf"(?P<figures>(?:\s+{_NUMBER}){{2,4}})\s*$"
)
_FAILED = re.compile(r"\s*(?P<rank>\d{1,4})\s+(?P<state>failed)\s*$")
_POOL = re.compile(
    rf"\s*(?P<name>\S{{1,120}})\s+(?P<type>metadata|data)\s+(?P<used>{_NUMBER})\s+"
    rf"(?P<available>{_NUMBER})\s*$"
)
_NAME = re.compile(r"[\s|]*(?P<name>[\w][\w.-]{0,120})[\s|]*$")
_RULE = re.compile(r"[\s+=-]{4,}$")
_VERSION = re.compile(r"\s*MDS version: ceph version (?P<version>\d[\w.~+-]{2,40})")
_ENDS = re.compile(r".*\)\s*$")
_COLUMNS = ("dentries", "inodes", "directories", "caps")
_MOST = 2000


class CephFsStatus(StateOutput):
    tool = "ceph fs status"
    anchors = (
        "MDS version: ceph", "STANDBY MDS", "Standby MDS", "  ACTIVITY ", " Activity  ",
    )  # fmt: skip
    commands = ("ceph", "microceph.ceph")
    reach = 3
    nothing = "no rank of a file system follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        top = nearest(cursor, 80, _FS.match)
        while top is not None and top > 0:
            above = next((at for at in range(top - 1, max(top - 80, -1), -1)
                          if _FS.match(cursor.line(at))), None)  # fmt: skip
            if above is None or any(prompt_in(cursor.line(at)) for at in range(above, top)):
                break
            top = above
        return nearest(cursor, 30, _RANK_HEAD_BEGUN.match) if top is None else top

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        rows = list(takewhile(lambda row: row[0] == first or not prompt_in(row[1]),
                              close_lines(cursor, first, _MOST, gap=2)))  # fmt: skip
        reading = _Reading(prompt.host)
        at = 0
        while at < len(rows) and (count := reading.take([line for _, line in rows[at : at + 4]])):
            at += count
        last = rows[max(at - 1, 0)][0]
        if reading.torn:
            raise Unreadable("a rank's row is not whole", last)
        return last, reading.subjects()


class _Reading:
    """What was read so far, and the table that is open."""

    def __init__(self, host: str) -> None:
        self._host = host
        self._systems: dict[str, dict[str, Scalar]] = {}
        self._daemons: dict[str, dict[str, Scalar]] = {}
        self._pools: dict[str, dict[str, Scalar]] = {}
        self._system, self._table, self._columns = "", "", 2
        self._standby: list[str] = []
        self.torn = False
        """A row that begins like a rank's has not as many figures as the head has names."""

    def take(self, lines: list[str]) -> int:
        """How many lines belong to what begins in the first; 0 where nothing of it does."""
        line = lines[0]
        whole = next((at for at, text in enumerate(lines) if at and _begins(text)), len(lines))
        if version := _VERSION.match(line):
            for values in self._systems.values():
                values["mds_version"] = version["version"]
            below = lines[1] if len(lines) > 1 else ""
            return 1 if _ENDS.match(line) or not _ENDS.match(below) else 2
        if _RANK_HEAD_BEGUN.match(line):
            return self._head(lines[:whole])
        if self._opens(line) or _RULE.fullmatch(line):
            return 1
        if self._table == "ranks":
            return self._rank([text.replace("|", " ") for text in lines[:whole]])
        return self._row(line.replace("|", " "))

    def _opens(self, line: str) -> bool:
        """Whether a line begins a file system, its pools or the daemons that wait."""
        if system := _FS.match(line):
            self._system, self._table = system["name"], ""
            self._systems[self._system] = {"clients": int(system["clients"])}
        elif _POOL_HEAD.match(line):
            self._table = "pools"
        elif _STANDBY_HEAD.match(line):
            self._table = "standby"
        else:
            return False
        return True

    def _head(self, parts: list[str]) -> int:
        for count in range(len(parts), 0, -1):
            if head := joined_match(_RANK_HEAD, parts[:count]):
                self._table, self._columns = "ranks", 4 if head["more"] else 2
                return count
        return 0

    def _row(self, text: str) -> int:
        if self._table == "pools" and (pool := _POOL.match(text)):
            self._pools[pool["name"]] = {
                "type": pool["type"], "used": _size(pool["used"]),
                "available": _size(pool["available"]),
                **({"file_system": self._system} if self._system else {}),
            }  # fmt: skip
            return 1
        if self._table == "standby" and (name := _NAME.match(text)):
            self._standby.append(name["name"])
            self._daemons[f"mds.{name['name']}"] = {"state": "standby"}
            return 1
        return 0

    def _rank(self, parts: list[str]) -> int:
        if failed := _FAILED.match(parts[0]):
            self._daemons[f"{self._system}:{failed['rank']}"] = self._of_rank(failed)
            return 1
        for count in range(len(parts), 0, -1):
            for text in joinings(parts[:count]):
                row = _RANK.match(text)
                figures = kerneltext.fields(row["figures"]) if row else []
                if row and len(figures) == self._columns:
                    self._put(row, figures)
                    return count
        self.torn = self.torn or bool(_RANK_BEGUN.match(parts[0]))
        return 0

    def _put(self, row: re.Match[str], figures: list[str]) -> None:
        values = self._of_rank(row)
        if row["rate"]:
            what = "request_rate" if row["what"] == "Reqs" else "event_rate"
            values[what] = _count(row["rate"])
        values |= dict(zip(_COLUMNS, map(_count, figures), strict=False))
        name = f"mds.{row['mds']}" if row["mds"] else f"{self._system}:{row['rank']}"
        self._daemons[name] = values

    def _of_rank(self, row: re.Match[str]) -> dict[str, Scalar]:
        values: dict[str, Scalar] = {"rank": int(row["rank"]), "state": row["state"]}
        system = self._systems.setdefault(self._system, {})
        if not row.groupdict().get("replay"):
            kind = "active" if row["state"] == "active" else "not_active"
            system[f"ranks_{kind}"] = int(str(system.get(f"ranks_{kind}", 0))) + 1
        return values | ({"file_system": self._system} if self._system else {})

    def subjects(self) -> list[PrintedSubject]:
        """Everything that was read; nothing where no rank was."""
        if not any("ranks_active" in v or "ranks_not_active" in v for v in self._systems.values()):
            return []
        for values in self._systems.values():
            if self._standby:
                values["standby"] = ",".join(self._standby)
        kinds: tuple[tuple[str, Mapping[str, dict[str, Scalar]]], ...] = (
            ("ceph_fs", self._systems), ("mds", self._daemons), ("ceph_pool", self._pools),
        )  # fmt: skip
        return [
            PrintedSubject(kind, name, values, self._host)
            for kind, things in kinds
            for name, values in things.items()
        ]


def _begins(line: str) -> bool:
    """Whether a line is no rest of the one above it: a row, a heading, a rule."""
    return any(
        pattern.match(line)
        for pattern in (_RANK_BEGUN, _RANK_HEAD_BEGUN, _POOL_HEAD, _STANDBY_HEAD, _RULE, _FS,
                        _VERSION)
    )  # fmt: skip


def _count(text: str) -> int:
    return round(units.printed(text, binary=False)[0])


def _size(text: str) -> int:
    return round(units.printed(text, binary=True)[0])
