"""syncsnoop, mdflush, opensnoop, statsnoop, dcsnoop, filelife, mountsnoop: who called what.

Source: bcc, tools of these names and libbpf-tools; bpftrace, tools/syncsnoop.bt, mdflush.bt,
opensnoop.bt, statsnoop.bt: rows of one event, below a head. ERR is an errno, 0 for none; in dcsnoop
T is R for a lookup, which only -a shows, and M for one that missed; AGE(s) is how long a file was
there that was deleted.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import ClassVar

from typing_extensions import override

from iosonde.layers._names import kind_by_name
from iosonde.monitors import _traced_rows as traced
from iosonde.records.printed import PrintedCounters
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput

_CELLS = {
    "TIME": traced.CLOCK, "TIME(s)": traced.SECONDS, "UID": traced.WHOLE, "PID": traced.SIGNED,
    "TID": traced.WHOLE, "PPID": traced.WHOLE, "COMM": traced.COMM, "PCOMM": traced.COMM,
    "CALL": r"[a-z_]{3,20}", "EVENT": r"[\w:]{3,80}", "DEVICE": traced.WORD, "FD": r"-?\d{1,9}",
    "ERR": r"\d{1,4}", "FLAGS": r"[0-7]{8}", "MODE": r"[0-7]{4}|n/a", "SYSCALL": r"\w{3,16}",
    "PATH": r"(?:\S.{0,4095})?", "T": "[RM]", "FILE": traced.TEXT, "AGE(s)": r"\d{1,9}\.\d{1,3}",
    "MNT_NS": traced.WHOLE,
}  # fmt: skip
_MOUNT = r"[a-z_]{4,16}\(.{0,4000}\) = -?\w{1,20}"


def _heads(*heads: str) -> tuple[list[str], ...]:
    return tuple(head.split() for head in heads)


class _Snoop(StateOutput):
    """A table with one event a line."""

    heads: ClassVar[tuple[list[str], ...]]
    cells: ClassVar[Mapping[str, str]] = _CELLS
    nothing = "no event follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if cursor.line(cursor.at).split() in self.heads else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = cursor.line(first).split()
        last, rows = first, list[dict[str, str]]()
        for index, row in traced.rows_below(cursor, first, head, self.cells):
            last = index
            rows.append(row)
        return last, self.summed_up(rows, prompt) if rows else []

    @abstractmethod
    def summed_up(self, rows: Sequence[Mapping[str, str]], prompt: Prompt) -> list[PrintedCounters]:
        """What the rows say."""


def _event(row: Mapping[str, str], **more: Json) -> Json:
    """When an event was, and whose; more of it."""
    time: dict[str, Json] = {}
    if "TIME" in row:
        time["time"] = row["TIME"]
    elif "TIME(s)" in row:
        time["time"] = float(row["TIME(s)"])
    number: dict[str, Json] = {"pid": int(row["PID"])} if "PID" in row else {}
    return {**time, "process": row["COMM"], **number, **more}


def _by_process(rows: Sequence[Mapping[str, str]], name: str) -> list[Json]:
    """How often each process stands in rows, the most frequent first."""
    counts = Counter((row["COMM"], row.get("PID")) for row in rows)
    return [
        {"process": process, **({"pid": int(pid)} if pid else {}), name: count}
        for (process, pid), count in counts.most_common()
    ]


class Syncsnoop(_Snoop):
    tool = "syncsnoop"
    anchors = ("COMM             CALL", "COMM             EVENT")
    commands = (
        "syncsnoop", "syncsnoop-bpfcc", "syncsnoop.py", "syncsnoop.bt",
    )  # fmt: skip
    heads = _heads("TIME(s) COMM CALL", "TIME PID COMM EVENT")

    @override
    def summed_up(self, rows: Sequence[Mapping[str, str]], prompt: Prompt) -> list[PrintedCounters]:
        events: list[Json] = []
        calls = Counter[str]()
        for row in rows:
            event = row.get("CALL") or row["EVENT"].rpartition("sys_enter_")[2]
            calls[event] += 1
            events.append(_event(row, call=event))
        values: dict[str, Json] = {
            "calls": {**calls}, "processes": _by_process(rows, "calls"),
            "events": events[: traced.KEPT],
        }  # fmt: skip
        return [self.counted("host", "", values, prompt)]


class Mdflush(_Snoop):
    tool = "mdflush"
    anchors = ("COMM             DEVICE",)
    commands = ("mdflush", "mdflush-bpfcc", "mdflush.py", "mdflush.bt")
    heads = _heads("TIME PID COMM DEVICE")

    @override
    def summed_up(self, rows: Sequence[Mapping[str, str]], prompt: Prompt) -> list[PrintedCounters]:
        counters = []
        for device in dict.fromkeys(row["DEVICE"] for row in rows):
            own = [row for row in rows if row["DEVICE"] == device]
            values: dict[str, Json] = {
                "flushes": len(own), "processes": _by_process(own, "flushes"),
                "events": [_event(row) for row in own[: traced.KEPT]],
            }  # fmt: skip
            counters.append(self.counted(kind_by_name(device), device, values, prompt))
        return counters


class Opensnoop(_Snoop):
    """Also statsnoop's; `call` says which where it is known."""

    tool = "opensnoop"
    anchors = (" ERR PATH", " ERR  PATH", "MODE PATH", " ERR FLAGS",
                                          " ERR SYSCALL", "SYSCALL      PATH")  # fmt: skip
    commands = tuple(
        f"{name}{ending}"
        for name in ("opensnoop", "statsnoop")
        for ending in ("", "-bpfcc", ".py", ".bt", "-perf")
    )
    optional: ClassVar[frozenset[str]] = frozenset(
        {"TIME", "TIME(s)", "UID", "FD", "FLAGS", "MODE", "SYSCALL"}
    )

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        head = cursor.line(cursor.at).split()
        needed = ["PID", "COMM", "ERR", "PATH"]
        ordered = [name for name in head if name not in self.optional] == needed
        return cursor.at if ordered and len(set(head)) == len(head) else None

    @override
    def summed_up(self, rows: Sequence[Mapping[str, str]], prompt: Prompt) -> list[PrintedCounters]:
        failed = [row for row in rows if row["ERR"] != "0"]
        call = re.search(r"(open|stat)snoop", prompt.command)
        values: dict[str, Json] = {"call": call[1]} if call else {}
        values |= {
            "calls": len(rows), "processes": _by_process(rows, "calls"),
            "errors": {f"errno {code}": count
                       for code, count in Counter(row["ERR"] for row in failed).items()},
            "failed": [
                _event(row, errno=int(row["ERR"]), path=row["PATH"])
                for row in failed[: traced.KEPT]
            ],
            "paths": [path for path, _ in Counter(
                row["PATH"] for row in rows if row["ERR"] == "0" and row["PATH"]
            ).most_common(traced.KEPT)],
        }  # fmt: skip
        if not any(row["PATH"] for row in rows):
            return []
        return [self.counted("host", "", values, prompt)]


class Dcsnoop(_Snoop):
    tool = "dcsnoop"
    anchors = (" T FILE",)
    commands = ("dcsnoop", "dcsnoop-bpfcc", "dcsnoop.py", "dcsnoop.bt")
    heads = _heads("TIME(s) PID COMM T FILE", "TIME PID COMM T FILE")
    cells: ClassVar[Mapping[str, str]] = {**_CELLS, "TIME": traced.WHOLE}

    @override
    def summed_up(self, rows: Sequence[Mapping[str, str]], prompt: Prompt) -> list[PrintedCounters]:
        missed = [row for row in rows if row["T"] == "M"]
        lookups = [row for row in rows if row["T"] == "R"]
        values: dict[str, Json] = {
            **({"lookups": len(lookups)} if lookups else {}), "misses": len(missed),
            "processes": _by_process(missed, "misses"),
            "missed_files": [
                name for name, _ in Counter(row["FILE"] for row in missed).most_common(traced.KEPT)
            ],
        }  # fmt: skip
        return [self.counted("host", "", values, prompt)]


class Filelife(_Snoop):
    tool = "filelife"
    anchors = ("AGE(s)",)
    commands = ("filelife", "filelife-bpfcc", "filelife.py")
    heads = _heads("TIME PID COMM AGE(s) FILE")

    @override
    def summed_up(self, rows: Sequence[Mapping[str, str]], prompt: Prompt) -> list[PrintedCounters]:
        values: dict[str, Json] = {
            "deleted": len(rows), "ages": [float(row["AGE(s)"]) for row in rows],
            "processes": _by_process(rows, "deleted"),
            "events": [
                _event(row, age=float(row["AGE(s)"]), file=row["FILE"])
                for row in rows[: traced.KEPT]
            ],
        }  # fmt: skip
        return [self.counted("host", "", values, prompt)]


class Mountsnoop(_Snoop):
    tool = "mountsnoop"
    anchors = ("NS      CALL",)
    commands = ("mountsnoop", "mountsnoop-bpfcc", "mountsnoop.py")
    heads = _heads(
        "COMM PID TID MNT_NS CALL", "COMM PID TID PCOMM PPID MNT_NS CALL",
        "TIME COMM PID TID MNT_NS CALL",
    )  # fmt: skip
    cells: ClassVar[Mapping[str, str]] = {**_CELLS, "CALL": _MOUNT}

    @override
    def summed_up(self, rows: Sequence[Mapping[str, str]], prompt: Prompt) -> list[PrintedCounters]:
        events: list[Json] = []
        for row in rows[: traced.KEPT]:
            call, _, result = row["CALL"].rpartition(" = ")
            events.append(_event(row, call=call, result=result))
        return [self.counted("host", "", {"calls": len(rows), "events": events}, prompt)]
