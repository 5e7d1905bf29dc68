"""ext4slower, xfsslower and their like, fsslower, fileslower: slow operations on files, summed up.

Source: bcc, tools/ext4slower.py, xfsslower.py, btrfsslower.py, f2fsslower.py, nfsslower.py,
zfsslower.py: TIME COMM PID T BYTES OFF_KB LAT(ms) FILENAME below "Tracing ... operations slower
than N ms", T one of R W O, S (fsync), for NFS also G (getattr) and C (commit); with -j
ENDTIME_us,TASK,PID,TYPE,BYTES,OFFSET_b,LATENCY_us,FILE; libbpf-tools/fsslower.c: the same with F
for fsync, LL_MAX for its size and ENDTIME_ns; tools/fileslower.py: TIME(s) COMM TID D BYTES
LAT(ms) FILENAME. BYTES is what the operation returned: an error is negative, or 2^64 less it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from typing_extensions import override

from iosonde.monitors import _traced_rows as traced
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput

_CELLS = {
    "TIME": traced.CLOCK, "TIME(s)": traced.SECONDS, "COMM": traced.COMM, "PID": traced.WHOLE,
    "TID": traced.WHOLE, "T": "[RWOSFGC]", "D": "[RW]", "BYTES": r"-?\d{1,20}|LL_MAX",
    "OFF_KB": traced.SIGNED, "LAT(ms)": traced.SECONDS, "FILENAME": traced.TEXT,
}  # fmt: skip
_HEADS = tuple(
    head.split()
    for head in (
        "TIME COMM PID T BYTES OFF_KB LAT(ms) FILENAME",
        "TIME(s) COMM TID D BYTES LAT(ms) FILENAME",
        "TIME(s) COMM PID D BYTES LAT(ms) FILENAME",
    )
)
_FIELDS = re.compile(r"\s*ENDTIME_(?P<unit>us|ns),TASK,PID,TYPE,BYTES,OFFSET_b,LATENCY_us,FILE\s*")
_RECORD = re.compile(
    r"\s*(?P<time>\d{1,20}),(?P<COMM>[^,]{1,24}),(?P<PID>\d{1,10}),(?P<T>[RWOSFGC]),"
    r"(?P<BYTES>-?\d{1,20}|LL_MAX),(?P<offset>-?\d{1,20}),(?P<latency>\d{1,15}),"
    r"(?P<FILENAME>\S.{0,4095}?)\s*"
)
_TITLE = re.compile(
    r"\s*Tracing (?:(?P<system>\w{2,16}) operations|sync read/writes)"
    r"(?: (?:that are )?slower than (?P<ms>\d{1,9}) ms)?(?: for \d{1,9} secs\.?)?[. ]{0,4}"
    r"(?:(?:Hit )?Ctrl-C to (?:end|quit)\.?)?\s*"
)
_COMMAND = re.compile(r"(?:^|[\s/])(?P<system>ext4|xfs|btrfs|f2fs|nfs|zfs)slower")
_OPERATIONS = {
    "R": "read", "W": "write", "O": "open", "S": "fsync", "F": "fsync", "G": "getattr",
    "C": "commit",
}  # fmt: skip
_SIGN = 2**63
_MOST = 5000
_NEAR = 3


class Fsslower(StateOutput):
    tool = "fsslower"
    anchors = ("LAT(ms) FILENAME", "TASK,PID,TYPE,BYTES")

    commands = tuple(
        f"{program}{ending}"
        for program in (
            "ext4slower",
            "xfsslower",
            "btrfsslower",
            "f2fsslower",
            "nfsslower",
            "zfsslower",
            "fileslower",
            "fsslower",
        )
        for ending in ("", "-bpfcc", ".py")
    )
    nothing = "no operation follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        """The line that says what is traced, else the head."""
        if not _is_head(cursor.line(cursor.at)):
            return None
        for index in range(cursor.at - 1, max(cursor.at - _NEAR, -1), -1):
            line = cursor.line(index)
            if line:
                return index if _TITLE.fullmatch(line) else cursor.at
        return cursor.at

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        head = next(
            (index for index in range(first, first + _NEAR) if _is_head(cursor.line(index))),
            first,
        )
        values: dict[str, Json] = {}
        if title := _TITLE.fullmatch(cursor.line(first)):
            values |= {"threshold": traced.scaled(title["ms"] or "0", -3)}
        command = _COMMAND.search(prompt.command)
        if system := (title and title["system"]) or (command and command["system"]):
            values["file_system"] = system.lower()
        events, last = list[dict[str, Json]](), head
        for index, event in _events(cursor, head):
            last = index
            events.append(event)
        if not events:
            return last, []
        return last, [self.counted("host", "", {**values, **_summed_up(events)}, prompt)]


def _is_head(line: str) -> bool:
    return line.split() in _HEADS or _FIELDS.fullmatch(line) is not None


def _events(cursor: TextCursor, first: int) -> Iterator[tuple[int, dict[str, Json]]]:
    """Indices and what the rows below a head say: times in seconds, sizes in bytes."""
    head = cursor.line(first)
    if (fields := _FIELDS.fullmatch(head)) is None:
        for index, row in traced.rows_below(cursor, first, head.split(), _CELLS):
            event: dict[str, Json] = {
                "time": row["TIME"] if "TIME" in row else float(row["TIME(s)"])
            }
            event |= _operation(row, row.get("T") or row["D"])
            if "OFF_KB" in row:
                event["offset"] = int(row["OFF_KB"]) * 1024
            yield index, event | {"latency": traced.scaled(row["LAT(ms)"], -3)}
        return
    exponent = -6 if fields["unit"] == "us" else -9
    for index, line in lines(cursor, first + 1, _MOST):
        record = _RECORD.fullmatch(line)
        if record is None:
            if line:
                return
            continue
        event = {"time": traced.scaled(record["time"], exponent)}
        event |= _operation(record.groupdict(), record["T"])
        event |= {"offset": int(record["offset"])}
        yield index, event | {"latency": traced.scaled(record["latency"], -6)}


def _operation(row: Mapping[str, str], letter: str) -> dict[str, Json]:
    """Who did what to which file, and how many bytes it was; an error has none."""
    event: dict[str, Json] = {
        "process": row["COMM"], "pid": int(row.get("PID") or row["TID"]),
        "operation": _OPERATIONS[letter], "file": row["FILENAME"],
    }  # fmt: skip
    if letter in "RW" and row["BYTES"] != "LL_MAX":
        size = int(row["BYTES"])
        if 0 <= size < _SIGN:
            event["bytes"] = size
        else:
            event["error"] = -size if size < 0 else 2 * _SIGN - size
    return event


def _summed_up(events: Sequence[dict[str, Json]]) -> dict[str, Json]:
    """Of each operation how many, how many bytes, and how long each took, in seconds."""
    counts: dict[str, int] = {}
    latencies: dict[str, list[Json]] = {}
    for event in events:
        of = event["operation"]
        added = {"operations": 1, "errors": 1 if "error" in event else 0}
        if "bytes" in event:
            added["bytes"] = int(str(event["bytes"]))
        for name, count in added.items():
            if count or name == "bytes":
                counts[f"{of}.{name}"] = counts.get(f"{of}.{name}", 0) + count
        latencies.setdefault(f"{of}.latencies", []).append(event["latency"])
    return {**counts, **latencies, "slowest": traced.slowest(events)}
