"""Files of Ceph's kernel client in /sys/kernel/debug/ceph: metrics, osdc, mdsc, caps, mds_sessions.

Source: Linux 6.12, fs/ceph/debugfs.c (metrics_latency_show(), metrics_size_show(),
metrics_caps_show(), metrics_file_show(), mdsc_show(), caps_show(), mds_sessions_show()) and
net/ceph/debugfs.c (osdc_show(): "REQUESTS %d homeless %d", dump_request(), "LINGER REQUESTS",
"BACKOFFS"). Latencies are in microseconds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from typing_extensions import override

from iosonde.kerneltext import fields
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor, joined, lines, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines, end_of, nearest

_INODES = re.compile(
    r"\s*(?P<name>opened files|pinned i_caps|opened inodes)\s+/ total inodes\s+"
    r"(?P<count>\d{1,15}) / (?P<total>\d{1,15})\s*$"
)
_HEAD = re.compile(
    r"\s*item\s+total\s+(?:\w{3,10}\((?:us|bytes)\)|miss)(?:\s|$)|\s*session\s+caps\s+miss"
)
_METRIC = re.compile(
    r"\s*(?:read|write|metadata|copyfrom|d_lease|caps|-{5,90}=?|\d[\d.\s]{0,200}|stdev\(us\)"
    r"|total_sz\(bytes\)|max_\w+\(\w+\)|item|session|---.*)(?:\s|$)"
)
_NUMBER = re.compile(r"\d{1,19}(?:\.\d{1,3})?$")
_MICROSECONDS = 1e6
_REQUESTS = re.compile(r"\s*REQUESTS (?P<requests>\d{1,9}) homeless (?P<homeless>\d{1,9})\s*$")
_REQUEST = re.compile(
    r"\s*(?P<tid>\d{1,20})\s+osd(?P<osd>-?\d{1,6})\s+\d{1,19}\.[0-9a-f]{1,8}\s+"
    r"\d{1,19}\.[0-9a-f]{1,8}(?:s[0-9a-f])?\s+\[[\d,-]{0,80}\]/-?\d{1,6}\s+\[[\d,-]{0,80}\]/-?\d{1,6}"
    r"\s+e(?P<epoch>\d{1,9})\s+(?P<object>\S{1,200})\s+0x[0-9a-f]{1,8}(?P<paused>\s+P)?\s+\d{1,6}"
    r"(?:\s+(?P<ops>\S{1,120}))?\s*$"
)
_LINGER = re.compile(r"\s*(?:LINGER REQUESTS|BACKOFFS)\s*$")
_MDS = re.compile(
    r"\s*(?P<tid>\d{1,19})\s+(?P<mds>mds-?\d{1,4}|\(no request\)|\(no session\))\s+"
    r"(?P<op>[a-z_]{3,20})(?P<unsafe>\s+\(unsafe\))?(?:\s+#[0-9a-f]{1,16}.{0,400}|\s+\S.{0,400})?$"
)
_CAPS_ROW = re.compile(r"\s*0x[0-9a-f]{1,16}\s+(?:\d{1,4}\s+)?[-p]\w{0,20}(?:\s+[-p]\w{0,20})?\s*$")
_CAPS = re.compile(r"\s*(?P<name>total|avail|used|reserved|min)\s+(?P<count>\d{1,12})\s*$")
_CAPS_HEAD = re.compile(r"\s*ino\s+(?:mds\s+)?issued\s+implemented\s*$")
_SESSION = re.compile(r"\s*mds\.(?P<mds>\d{1,4}) (?P<state>[a-z]{3,14})\s*$")
_MOST = 5000


class CephMetrics(StateOutput):
    tool = "ceph metrics"
    anchors = (
        "avg_lat(us)", "avg_sz(bytes)", " / total inodes", "total           miss",
    )  # fmt: skip
    commands = ("cat", "head", "tail")
    reach = 3
    nothing = "no row is whole"
    beginnings = (_HEAD, _INODES)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        last = end_of(
            cursor, first, lambda line: any(p.match(line) for p in (_HEAD, _METRIC, _INODES)), gap=4
        )
        values: dict[str, Json] = {}
        parts: list[str] = []
        for line in joined(cursor, first, last).split("\n"):
            if inodes := _INODES.match(line):
                values[inodes["name"].replace(" ", "_")] = int(inodes["count"])
                values["total_inodes"] = int(inodes["total"])
            else:
                parts += fields(line)
        values |= _tables(parts)
        return last, [self.counted("ceph", "", values, prompt)] if values else []


class CephOsdRequests(StateOutput):
    tool = "ceph osdc"
    anchors = (" homeless ",)
    commands = ("cat", "head", "tail")
    reach = 3
    beginning = _REQUESTS

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = self.first_line(cursor, first)
        values: dict[str, Json] = {name: int(count) for name, count in head.groupdict().items()}
        osds, operations = dict[str, int](), dict[str, int]()
        last, lingers, paused = first, False, 0
        for index, line in lines(cursor, first + 1, _MOST):
            row = _REQUEST.match(line)
            if row and not lingers:
                osds[f"osd.{row['osd']}"] = osds.get(f"osd.{row['osd']}", 0) + 1
                operations[row["ops"] or ""] = operations.get(row["ops"] or "", 0) + 1
                paused += row["paused"] is not None
            elif _LINGER.match(line):
                lingers = True
            elif (line and row is None) or index > last + 1:
                break
            last = index if line else last
        values |= {"paused": paused} if paused else {}
        if osds:
            values |= {"by_osd": {**osds}, "by_operation": {**operations}}
        return last, [self.counted("ceph", "", values, prompt)]


class CephMdsRequests(StateOutput):
    tool = "ceph mdsc"
    anchors = ("/mdsc",)
    commands = ("cat", "head", "tail")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        below = (cursor.at + 1, cursor.at + 2)
        return next((row for row in below if _MDS.match(cursor.line(row))), None)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        operations: dict[str, int] = {}
        places: dict[str, int] = {}
        last, unsafe, oldest = first, 0, 0
        for index, line in close_lines(cursor, first, _MOST):
            row = _MDS.match(line)
            if row is None:
                break
            operations[row["op"]] = operations.get(row["op"], 0) + 1
            places[row["mds"]] = places.get(row["mds"], 0) + 1
            unsafe += row["unsafe"] is not None
            oldest = min(oldest or int(row["tid"]), int(row["tid"]))
            last = index
        values: dict[str, Json] = {
            "requests": sum(operations.values()), "unsafe": unsafe, "oldest_tid": oldest,
            "by_operation": {**operations}, "by_mds": {**places},
        }  # fmt: skip
        return last, [self.counted("ceph", "", values, prompt)]


class CephCaps(StateOutput):
    tool = "ceph caps"
    anchors = ("issued  ", "reserved\t", "reserved  ")
    commands = ("cat", "head", "tail")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not _CAPS_HEAD.match(line) and not _CAPS.match(line):
            return None
        first = nearest(cursor, 14, lambda above: above.strip().startswith("total"))
        match = _CAPS.match(cursor.line(first)) if first is not None else None
        return first if match else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Json] = {}
        last, listed = first, 0
        for index, line in lines(cursor, first, _MOST):
            caps = _CAPS.match(line)
            if index > last + 4 or (caps and caps["name"] in values):
                break
            if caps:
                values[caps["name"]] = int(caps["count"])
            elif _CAPS_ROW.match(line):
                listed += 1
            elif line and not _CAPS_HEAD.match(line) and not line.strip().startswith("----"):
                break
            last = index if line else last
        if not {"total", "used", "reserved"} <= values.keys():
            raise Unreadable("total, used and reserved are not all there", last)
        values |= {"listed": listed} if listed else {}
        return last, [self.counted("ceph", "", values, prompt)]


class CephMdsSessions(StateOutput):
    tool = "ceph mds_sessions"
    anchors = ("global_id ", "global\\_id ")
    commands = ("cat", "head", "tail")
    reach = 3
    beginning = re.compile(r"\s*global_id \d{1,15}\s*$")

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values: dict[str, Scalar] = {"global_id": int(fields(cursor.line(first))[1])}
        last = first
        for index, line in lines(cursor, first + 1, 300):
            named = re.match(r'\s*name "(?P<name>[^"]{0,80})"\s*$', line)
            session = _SESSION.match(line)
            if named:
                values["name"] = named["name"]
            elif session:
                values[f"mds_{session['mds']}"] = session["state"]
            elif line or index > last + 1 or prompt_in(line):
                break
            last = index if line else last
        if last == first:
            raise Unreadable("neither a name nor a session follows", last)
        return last, [PrintedSubject("ceph", "", values, prompt.host)]


def _tables(parts: Sequence[str]) -> dict[str, Json]:
    """The tables of the metrics from their words, wherever their lines were broken."""
    tables: dict[str, Json] = {}
    columns: list[str] = []
    rows: dict[str, Json] = {}
    at = 0
    while at < len(parts):
        part = parts[at]
        at += 1
        if part == "item" or parts[at - 1 : at + 1] == ["session", "caps"]:
            columns, rows = [], {}
            while at < len(parts) and not parts[at].startswith("--") and len(columns) < 8:
                columns.append(parts[at])
                at += 1
            tables["sessions" if part == "session" else _name(columns)] = rows
        elif not part.startswith("-") and (part.isidentifier() or "caps" in columns):
            numbers = parts[at : at + len(columns)]
            if columns and len(numbers) == len(columns) and all(map(_NUMBER.match, numbers)):
                rows[part] = {
                    column.partition("(")[0]: _figure(column, number)
                    for column, number in zip(columns, numbers, strict=True)
                }
                at += len(columns)
            else:
                break
    return {name: rows for name, rows in tables.items() if rows}


def _name(columns: Sequence[str]) -> str:
    """What the table of such columns is about."""
    head = " ".join(columns)
    return "latency" if "_lat(" in head else "size" if "_sz(" in head else "cache"


def _figure(column: str, text: str) -> int | float:
    """A cell: times in seconds."""
    number = float(text) if "." in text else int(text)
    return number / _MICROSECONDS if column.endswith("(us)") else number
