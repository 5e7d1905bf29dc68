"""smartd's lines in a system's log or in its mail: what a drive's health has come to.

The last line about a figure stands. Messages that name no figure of a drive are passed over.

Source: smartmontools 7.3, smartd.cpp (check_pending, check_attribute, CheckTemperature,
do_disable_standby_check, "FAILED SMART self-check", "%s error count increased from %d to %d");
smartd_warning.sh.in: its mail quotes the message.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_messages

_DEVICE = re.compile(
    r"(?:(?P<host>[A-Za-z][\w.-]{0,62}) )?(?:smartd(?:\[\d{1,10}\])?: )?"
    r"Device: /dev/(?P<name>[\w/.-]{1,40})(?: \[[\w ,/+-]{1,40}\])?, (?P<message>\S.*)$"
)
_FIGURES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(\d{1,12}) Currently unreadable \(pending\) sectors"), "pending_sectors"),
    (re.compile(r"(\d{1,12}) Total offline uncorrectable sectors", re.IGNORECASE),
     "uncorrectable_sectors"),
    (re.compile(r"(\d{1,12}) Offline uncorrectable sectors"), "uncorrectable_sectors"),
    (re.compile(r"ATA error count increased from \d{1,12} to (\d{1,12})"), "ata_errors"),
    (re.compile(r"Self-Test Log error count increased from \d{1,9} to (\d{1,9})"),
     "self_test_errors"),
    (re.compile(r"number of Error Log entries increased from \d{1,12} to (\d{1,12})"),
     "error_log_entries"),
    (re.compile(r"initial Temperature is (\d{1,3}) Celsius"), "temperature"),
    (re.compile(r"Temperature changed [+-]\d{1,3} Celsius to (\d{1,3}) Celsius"), "temperature"),
    (re.compile(r"Temperature (\d{1,3}) Celsius reached"), "temperature"),
    (re.compile(r"(No more) Currently unreadable \(pending\) sectors"), "pending_sectors"),
    (re.compile(r"(No more) Offline uncorrectable sectors"), "uncorrectable_sectors"),
)  # fmt: skip
_INFO = re.compile(
    r"\s*(?:Device info:\s*)?(?P<model>[A-Za-z0-9][^,]{1,60}), S/N:(?P<serial>[\w-]{3,40})"
    r"(?:, WWN:(?P<wwn>[\w-]{3,40}))?(?:, FW:(?P<firmware>[\w.-]{1,20}))?"
    r"(?:, (?P<size>\d[\d.,]{0,8} [kMGTP]B))?\s*$"
)
_FAILED = "FAILED SMART self-check"
_RAW = re.compile(
    r"SMART (?:Prefailure|Usage) Attribute: \d{1,3} (?P<name>[A-Z][\w-]{2,40}) changed from "
    r"\d{1,3}(?: \[Raw \d{1,19}[^\]]{0,40}\])? to \d{1,3} \[Raw (?P<raw>\d{1,19})"
)
_APART = 3  # lines of others that may stand between two of smartd's
_MOST = 2000
_LONGEST = 160


class Smartd(StateOutput):
    tool = "smartd"
    anchors = (
        "Currently unreadable (pending)", "ffline uncorrectable sectors", "FAILED SMART self-check",
        "rror count increased from", "Error Log entries increased", "initial Temperature is",
        "Celsius to ", "Celsius reached", "SMART Prefailure Attribute", "SMART Usage Attribute",
    )  # fmt: skip
    commands = ("journalctl", "grep", "tail", "cat", "less")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _event(cursor, cursor.at) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        drives: dict[str, dict[str, Scalar]] = {}
        host = prompt.host
        messages, last = close_messages(cursor, first, _message, _MOST, apart=_APART)
        for name, named, values in messages:
            host = host or named
            drives.setdefault(name, {}).update(values)
        return last, [PrintedSubject("disk", name, values, host) for name, values in drives.items()]


def _event(cursor: TextCursor, index: int) -> tuple[str, str, dict[str, Scalar], int] | None:
    """Drive, host, figures and index of the last line of a message; None where none begins."""
    line = cursor.stamped(index)
    match = _DEVICE.search(line)
    if not match:
        return None
    after = cursor.stamped(index + 1)
    wrapped = f"{match['message']} {after.strip()}" if len(line) > 50 and after else ""
    for text, last in ((match["message"], index), (wrapped, index + 1)):
        if text and (values := _figures(text)) and not (last > index and "Device: " in after):
            host = match["host"] or ""
            message = text[:_LONGEST].rstrip()
            return match["name"], host, {**values, "message": message}, last
    return None


def _message(
    cursor: TextCursor, index: int
) -> tuple[tuple[str, str, dict[str, Scalar]], int] | None:
    """Drive, host and figures of a message with what is said of the drive; its last line."""
    event = _event(cursor, index)
    if event is None:
        return None
    name, host, values, last = event
    info, last = _info(cursor, last)
    return (name, host, values | info), last


def _info(cursor: TextCursor, last: int) -> tuple[dict[str, Scalar], int]:
    """What a mail says of the drive behind its message, and index of the last line of that."""
    for index in range(last + 1, last + 1 + _APART):
        if cursor.stamped(index).strip() in {"", "Device info:"}:
            continue
        match = _INFO.match(cursor.stamped(index))
        if match is None:
            break
        named: dict[str, Scalar] = {name: text for name, text in match.groupdict().items() if text}
        if match["size"]:
            named["size"] = round(units.printed(match["size"])[0])
        return named, index
    return {}, last


def _figures(message: str) -> dict[str, Scalar]:
    if message.startswith(_FAILED):
        return {"health_passed": False}
    if attribute := _RAW.match(message):
        return {attribute["name"].lower(): int(attribute["raw"])}
    for pattern, name in _FIGURES:
        if figure := pattern.match(message):
            return {name: int(figure[1]) if figure[1].isdecimal() else 0}
    return {}
