"""etcd's log: how often it waited long for its disk, and the longest of these waits.

Only what speaks of waiting is counted; other lines of the log may stand between.

Source: etcd 3.5, server/storage/wal/wal.go, sync() ("slow fdatasync" above 1 s), server/etcdserver/
txn/util.go, WarnOfExpensiveRequest() ("apply request took too long" above 100 ms), raft.go ("leader
failed to send out heartbeat on time"); 3.3, wal/wal.go ("sync duration of %v, expected less than
%v"), etcdserver/util.go ("… took too long (%v) to execute") and raft.go ("failed to send out
heartbeat on time (exceeded the %v timeout for %v)"); Go, time.Duration.String() ("1m2.5s").
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines

_TIME = r"(?P<time>(?:\d{1,4}h)?(?:\d{1,2}m)?\d{1,6}(?:\.\d{1,9})?(?:s|ms|µs|us))"
_WAITS = {
    "slow_fsync": (
        re.compile(rf'"msg":"slow fdatasync","took":"{_TIME}"'),
        re.compile(rf"wal: sync duration of {_TIME}, expected less than "),
    ),
    "slow_request": (
        re.compile(rf'"msg":"apply request took too long","took":"{_TIME}"'),
        re.compile(rf"etcdserver: .{{0,2000}}took too long \({_TIME}\) to execute"),
    ),
    "late_heartbeat": (
        re.compile(
            r'"msg":"leader failed to send out heartbeat on time;[^"]{1,120}"'
            rf'.{{0,200}}"exceeded-duration":"{_TIME}"'
        ),
        re.compile(
            r"etcdserver: failed to send out heartbeat on time \(exceeded the \S{1,12} timeout"
            rf" for {_TIME}"
        ),
    ),
}
_OWN = re.compile(
    r'(?:\{"level":"(?:debug|info|warn|error|fatal|panic)","ts":"?\d'
    r"|\b[DINWEC] \| [a-z][\w/-]{1,40}: )"
)
_PART = re.compile(r"(?P<n>\d{1,6}(?:\.\d{1,9})?)(?P<unit>h|ms|m|µs|us|s)")
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "µs": 1e-6, "us": 1e-6}
_MOST = 100_000


class EtcdLog(StateOutput):
    tool = "etcd log"
    anchors = (
        "slow fdatasync", "sync duration of ", "apply request took too long",
        "took too long (", "send out heartbeat on time",
    )  # fmt: skip
    commands = ("kubectl", "journalctl", "crictl", "docker", "podman", "cat", "grep", "oc")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _wait(cursor.line(cursor.at)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        waits, last = dict[str, list[float]](), first
        for index, line in close_lines(cursor, first, _MOST, gap=2):
            if wait := _wait(line):
                waits.setdefault(wait[0], []).append(wait[1])
            elif prompt_in(line) or not _OWN.search(line):
                break
            last = index
        values: dict[str, Json] = {}
        for name, times in waits.items():
            values |= {f"{name}s": len(times), f"{name}.max": max(times)}
        return last, [self.counted("host", "", values, prompt)]


def _wait(line: str) -> tuple[str, float] | None:
    """What a line says that etcd waited for, and how many seconds; None where it is none."""
    for name, forms in _WAITS.items():
        for form in forms:
            if match := form.search(line):
                return name, _seconds(match["time"])
    return None


def _seconds(text: str) -> float:
    parts = _PART.finditer(text)
    return round(sum(float(part["n"]) * _SECONDS[part["unit"]] for part in parts), 9)
