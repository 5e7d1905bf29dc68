"""Logs of Ceph's daemons, and the cluster's log as they pass it on: requests that wait, checks.

What stands in the form of `ceph -w` reads `printed_log.py`.

Source: Ceph 12 to 18, log/Log.cc and log/Entry.h (time, thread in hexadecimal, level), common/
LogClient.cc ("log_channel(%s) log [%s] : %s"), common/LogEntry.cc; `slow_ops.py` for the messages.
"""

from __future__ import annotations

import re
from typing import TypeAlias

from typing_extensions import override

from iosonde.layers.ceph.printed_log import is_entry
from iosonde.layers.ceph.slow_ops import SLOW, SlowOps, event_of
from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.log_lines import log_prefix
from iosonde.text.reader import Items, StateOutput, close_messages

_STAMP = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.:+Z-]{0,20}"
_OWN = re.compile(
    rf"(?:debug )?(?P<time>{_STAMP}) {{1,4}}[\da-f]{{8,16}} {{1,4}}(?P<level>-?\d{{1,2}}) {{1,4}}"
)
"""What a daemon writes before a message, also where journald has its own before that."""
_BY_ROOK = re.compile(rf"\s*{_STAMP} [A-Z] \| [\w.-]{{1,60}}: (?=\d{{4}}-)")
"""What Rook's operator writes before a line of a daemon. Source: coreos/pkg, capnslog."""
_ERROR = re.compile(r"(?P<error>[^\n]{4,600})$")
"""A message of the level -1, of which the daemons say what failed (common/dout.h, lderr())."""
_CHANNEL = re.compile(r"(?:log_channel\(cluster\) log|cluster) \[(?:INF|WRN|ERR)\](?: :)? ")
_NAMED = re.compile(
    r"(?P<name>(?:osd|mon|mds|mgr)\.[\w.-]{1,60}) \d{1,12} (?=get_health|heartbeat)"
)
_MOST = 5000
_KEPT = 20  # messages
_LONGEST = 300  # characters of one


_Message: TypeAlias = tuple[tuple[str, re.Match[str], str, tuple[str, str]], int]
"""The counter of a message, what it says, its daemon, host and time; and index of its line."""


class CephDaemonLog(StateOutput):
    tool = "ceph log"
    anchors = (
        " slow ops, oldest ", "slow request ", " slow requests", "slow operation observed for ",
        "check: no reply from ", "' had timed out after ", "Health check failed: ",
        "Health check update: ", "Health check cleared: ",
        " -1 bluestore", " -1 bluefs", " -1 bdev", " -1 rocksdb", " -1 osd.", " -1 OSD::",
        " -1 mon.", " -1 monclient", " -1 auth", " -1 filestore", " -1 journal", " ** ERROR: ",
        " -1 unable to ", " -1 failed to ", " -1 mgr", " -1 mds.",
    )  # fmt: skip
    commands = ("journalctl", "grep", "tail", "cat", "less", "zgrep", "podman", "docker")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _event(cursor, cursor.at) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        is_over = False

        def message(cursor: TextCursor, index: int) -> _Message | None:
            """The message of a line, up to the next command: it may be of another daemon."""
            nonlocal is_over
            event = None if is_over else _event(cursor, index)
            is_over |= event is None and prompt_in(cursor.line(index)) is not None
            return event

        events, last = close_messages(cursor, first, message, _MOST)
        things: dict[str, dict[str, Json]] = {}
        slow: dict[str, SlowOps] = {}
        host = prompt.host
        for counter, match, source, (own_host, at) in events:
            host = host or own_host
            _add(things.setdefault(source, {}), counter, match, at)
            slow.setdefault(source, SlowOps()).add(counter, match)
        for source, ops in slow.items():
            things[source] |= ops.values()
        where = Prompt(prompt.command, host)
        return last, [self.counted("ceph", name, values, where) for name, values in things.items()]


def _event(cursor: TextCursor, index: int) -> _Message | None:
    """The message of a line, with what stands before all lines or without it."""
    said = _of_line(cursor.stamped(index)) or _of_line(cursor.line(index))
    return (said, index) if said else None


def _of_line(line: str) -> tuple[str, re.Match[str], str, tuple[str, str]] | None:
    """What a line says; None where it is no such message.

    A message alone, without what a daemon writes before it, must be one of a check.
    """
    if is_entry(line):
        return None
    line = _BY_ROOK.sub("", line)
    host, at, text = "", "", line.strip()
    is_logged, level = False, ""
    if prefix := log_prefix(line):
        if prefix.program and not re.match(r"ceph|[\da-f]{8}|conmon|bash", prefix.program):
            return None
        host, at, text = prefix.host, prefix.clock, line[prefix.end :].strip()
        is_logged, level = True, prefix.program.rpartition(" ")[2]
    if own := _OWN.match(text):
        at, text, is_logged, level = own["time"], text[own.end() :], True, own["level"]
    named = _NAMED.match(text)
    if channel := _CHANNEL.match(text):
        text, is_logged = text[channel.end() :], True
    event = event_of(text)
    if event is None and level == "-1" and (error := _ERROR.match(text.strip())):
        event = ("errors", error)
    if event is None or not (is_logged or text.startswith("Health check ")):
        return None
    return (*event, named["name"] if named else "", (host, at))


def _add(values: dict[str, Json], counter: str, match: re.Match[str], at: str) -> None:
    count = values.get(counter)
    values[counter] = (count if isinstance(count, int) else 0) + 1
    if at and counter in SLOW:
        values.setdefault("first", at)
        values["last"] = at
    messages = values.setdefault("messages", [])
    if isinstance(messages, list):
        messages[_KEPT - 1 :] = [match.string.strip()[:_LONGEST]]
