"""Lines of iscsid in a system's log: connections that were lost or came back, logins refused.

Source: open-iscsi 2.1, usr/initiator.c (iscsi_login_rsp_status() and conn_error(): "connection%d:%d
login rejected: initiator error - target not found (%02x/%02x)", in older ones "conn %d "; "Kernel
reported iSCSI connection %d:%d error (%d - %s) state (%d)", where state 3 is logged in
(initiator.h, iscsi_conn_state_e); "Nop-out timedout after"; "is operational after recovery"),
usr/io.c ("connect to %s:%s failed (%s)"), usr/login.c ("Login authentication failed with target ").
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.stack import Json
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.log_lines import log_prefix
from iosonde.text.reader import Items, StateOutput, close_messages

_ID = r"(?P<name>\d{1,6}:\d{1,4})"
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("lost_connections", re.compile(
        rf"Kernel reported iSCSI connection {_ID} error \((?P<codes>\d{{1,5}})(?: - "
        r"(?P<errors>[A-Z_]{5,50})[^)]{0,120})?\) state \(3\)")),
    ("reported_errors", re.compile(
        rf"Kernel reported iSCSI connection {_ID} error \((?P<codes>\d{{1,5}})")),
    ("silent_targets", re.compile(
        rf"Nop-out timedout after (?P<ping_seconds>\d{{1,6}}) seconds on connection {_ID}")),
    ("recoveries", re.compile(rf"connection{_ID} is operational after recovery")),
    ("operational", re.compile(
        rf"Connection{_ID} to \[target: (?P<targets>\S{{5,230}}), portal: [^\]]{{3,120}}\] through "
        r"\[[^\]]{3,90}\] is operational now")),
    ("refused_logins", re.compile(
        rf"(?:connection{_ID} |conn \d{{1,4}} |session \d{{1,6}} )login rejected: "
        r"(?P<reasons>[A-Za-z][^()]{3,80}?)(?: \([\da-f]{2}/[\da-f]{2}\).{0,40})?$")),
    ("refused_logins", re.compile(
        r"(?P<reasons>Login authentication failed) with target (?P<targets>\S{5,230})")),
    ("failed_connects", re.compile(
        r"connect to (?P<portals>\S{3,90}:\d{1,5}) failed \((?P<reasons>[^)]{3,80})\)")),
)  # fmt: skip
_TROUBLES = frozenset({"lost_connections", "silent_targets", "refused_logins", "failed_connects"})
_MOST = 2000
_LISTED = 12
_KEPT = 20  # messages


class IscsidLog(StateOutput):
    tool = "iscsid"
    anchors = (
        "Kernel reported iSCSI connection ", "Nop-out timedout after ", "login rejected: ",
        " is operational after recovery", "Login authentication failed with target ",
    )  # fmt: skip
    commands = ("journalctl", "grep", "tail", "cat", "less")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _event(cursor, cursor.at) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        things: dict[str, dict[str, Json]] = {}
        host = prompt.host
        events, last = close_messages(cursor, first, _event, _MOST)
        for counter, match, named, at in events:
            host = host or named
            connection = match.groupdict().get("name")
            _add(things.setdefault(f"connection{connection}" if connection else "", {}),
                 counter, match, at)  # fmt: skip
        where = Prompt(prompt.command, host)
        return last, [self.counted("iscsi", name, values, where) for name, values in things.items()]


def _event(
    cursor: TextCursor, index: int
) -> tuple[tuple[str, re.Match[str], str, str], int] | None:
    """The counter of a line, what it says, the host and the time before it; and its index."""
    line = cursor.stamped(index)
    prefix = log_prefix(line)
    text = line[prefix.end :] if prefix else line.strip().removeprefix("iscsid: ")
    if prefix and prefix.program.partition("[")[0] not in {"iscsid", "iscsistart"}:
        return None
    for counter, form in _FORMS:
        if match := form.match(text.strip()):
            host, at = (prefix.host, prefix.clock) if prefix else ("", "")
            return (counter, match, host, at), index
    return None


def _add(values: dict[str, Json], counter: str, match: re.Match[str], at: str) -> None:
    count = values.get(counter)
    values[counter] = (count if isinstance(count, int) else 0) + 1
    if at and counter in _TROUBLES:
        values.setdefault("first", at)
        values["last"] = at
    groups = {name: text for name, text in match.groupdict().items() if name != "name" and text}
    for name, text in (*groups.items(), ("messages", match[0])):
        listed = values.setdefault(name, [])
        value: Json = int(text) if text.isdecimal() else text
        if isinstance(listed, list) and value not in listed:
            listed[(_KEPT if name == "messages" else _LISTED) - 1 :] = [value]
