"""dbench and tbench: what a file server's mix of operations reached, as counters of the host.

Source: dbench 4.00, dbench.c, sig_alarm() (the mean rate so far, each second), show_one_latency()
(milliseconds) and main(): MB are 10⁶ bytes.
Authors mark rows with asterisks before them.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import Unreadable
from iosonde.records.stack import Json
from iosonde.text.cursor import REACH, Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import Items, StateOutput

_N = r"\d{1,9}(?:\.\d{1,6})?"
_SUM = re.compile(
    rf"^\s*(?:# ?)?Throughput (?P<rate>{_N}) MB/sec"
    r"(?P<sync>(?: \(sync (?:open|dirs)\)){0,2})"
    r"(?: +(?P<clients>\d{1,6}) (?:clients|procs)"
    rf"(?: +(?P<procs>\d{{1,6}}) procs +max_latency=(?P<most>{_N}) ms)?)?\s*$"
)
_SECOND = re.compile(
    rf"^\s*(?P<clients>\d{{1,6}})\s+(?P<operations>\d{{1,12}})\s+(?P<rate>{_N}) MB/sec\s+"
    rf"(?P<phase>warmup|execute)\s+(?P<at>\d{{1,6}}) sec(?:\s+latency (?P<latency>{_N}) ms)?\s*$"
)
_VERSION = re.compile(r"^\s*dbench version (?P<version>\d[\w.]{0,15})")
_RUNNING = re.compile(
    r"^\s*Running for (?P<seconds>\d{1,9}) seconds with load '(?P<load>[^']{1,200})'"
    r"(?: and minimum warmup (?P<warmup>\d{1,9}) secs)?"
)
_HEAD = re.compile(r"^\s*Operation\s+Count\s+AvgLat\s+MaxLat\s*$")
_OPERATION = re.compile(
    rf"^\s*(?:\*{{1,3}}\s+)?(?P<name>[A-Z]\w{{1,30}})\s+(?P<count>\d{{1,12}})\s+(?P<mean>{_N})\s+(?P<max>{_N})\s*$"
)
_OWN = re.compile(
    r"^\s*(?:dbench version |Running for \d|failed to create barrier|\d+ of \d+ processes prepared"
    r"|releasing clients|\d+\s+cleanup\s+\d+ sec|-{20,}\s*$)"
)
_MOST = 4000
_BLANKS = 2


class Dbench(StateOutput):
    tool = "dbench"
    anchors = (
        "Throughput ", "MB/sec  execute", "MB/sec  warmup", "AvgLat    MaxLat", "dbench version ",
    )  # fmt: skip
    commands = ("dbench", "tbench")
    reach = 60

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not any(form.match(line) for form in (_SUM, _SECOND, _HEAD, _OWN)):
            return None
        first = cursor.at
        for index in range(first - 1, max(first - REACH, 0) - 1, -1):
            if not _OWN.match(cursor.line(index)):
                break
            first = index
        return first

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        values = dict[str, Json]()
        rows: dict[str, list[dict[str, Json]]] = {"warmup": [], "execute": []}
        last = first
        for index, line in lines(cursor, first, _MOST):
            if total := _SUM.match(line):
                if total["clients"] is None and not (total["sync"] or prompt.command or values):
                    raise Unreadable("the number of its clients is cut off")
                values |= _sum(total)
                last = index
                break
            if second := _SECOND.match(line):
                rows[second["phase"]].append(_second(second))
            elif said := _said(line):
                values |= said
            elif line and (prompt_in(line) or not (_HEAD.match(line) or _OWN.match(line))):
                break
            if index - last > _BLANKS:
                break
            last = index if line else last
        if rows["execute"]:
            values.setdefault("clients", rows["execute"][-1]["clients"])
            values["bandwidth.so_far"] = [row["bandwidth"] for row in rows["execute"]]
        values |= {f"{phase}.intervals": [*listed] for phase, listed in rows.items() if listed}
        if not values.keys() - _OF_HEAD:
            raise Unreadable("its figures are cut off", last)
        return last, [self.counted("host", "", values, prompt)]


_OF_HEAD = {"version", "seconds", "load", "warmup_seconds", "warmup.intervals"}


def _said(line: str) -> dict[str, Json]:
    """What a line of the head says, or of the table of operations."""
    if head := _VERSION.match(line) or _RUNNING.match(line):
        return _of_head(head)
    operation = _OPERATION.match(line)
    return _operation(operation) if operation else {}


def _of_head(head: re.Match[str]) -> dict[str, Json]:
    """The version, or how long it runs with what load."""
    if "version" in head.groupdict():
        return {"version": head["version"]}
    values: dict[str, Json] = {"seconds": int(head["seconds"]), "load": head["load"]}
    return {**values, "warmup_seconds": int(head["warmup"])} if head["warmup"] else values


def _second(row: re.Match[str]) -> dict[str, Json]:
    """How far the run had come: operations so far and their mean rate, the latency of a second."""
    values: dict[str, Json] = {
        "seconds": int(row["at"]), "clients": int(row["clients"]),
        "operations": int(row["operations"]), "bandwidth": float(row["rate"]) * 1e6,
    }  # fmt: skip
    return {**values, "latency": float(row["latency"]) / 1e3} if row["latency"] else values


def _sum(total: re.Match[str]) -> dict[str, Json]:
    values: dict[str, Json] = {"bandwidth": float(total["rate"]) * 1e6}
    if total["sync"].strip():
        values["sync"] = total["sync"].replace("(sync ", "").replace(")", ",").strip(" ,")
    if total["procs"]:
        values["processes"] = int(total["procs"])
    if total["clients"]:
        values["clients"] = int(total["clients"])
    if total["most"]:
        values["latency.max"] = float(total["most"]) / 1e3
    return values


def _operation(row: re.Match[str]) -> dict[str, Json]:
    """How often an operation was done, and its mean and longest time in seconds."""
    name = row["name"]
    return {
        f"{name}.count": int(row["count"]), f"{name}.latency.mean": float(row["mean"]) / 1e3,
        f"{name}.latency.max": float(row["max"]) / 1e3,
    }  # fmt: skip
