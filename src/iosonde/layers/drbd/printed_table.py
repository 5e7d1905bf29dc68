"""What `service drbd status` and `drbd-overview` print: a row for each volume.

A subject is a volume, as in printed.py. The share that is in sync stands in a line of its own,
which the init script sorts above all rows: it is given to a volume only where one volume alone is
made alike. What `drbd-overview` repeats from df stands behind the type of the file system: its
size, what is used and free of it, and the share, or the user of the device in place of all these.

Source: drbd-utils 8.4 and 9.22, scripts/drbd (drbd_pretty_status(): "m:res cs ro ds p mounted
fstype" through `column -t`, "... ... sync'ed:" of /proc/drbd's lines), scripts/drbd-overview.pl
(MINOR:RESOURCE/VOLUME, the states, the protocol and flags of 8.x, what is mounted);
drbd_strings.c (the names of the states).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_rows, top_of_own
from iosonde.units import KIB, MIB, printed

_SYNCING = "SyncSource|SyncTarget|PausedSyncS|PausedSyncT|VerifyS|VerifyT"
_LINKS = (
    "Connected|WFConnection|StandAlone|Disconnecting|Unconnected|Timeout|BrokenPipe|NetworkFailure"
    "|ProtocolError|TearDown|WFReportParams|StartingSyncS|StartingSyncT|WFBitMapS|WFBitMapT"
    f"|WFSyncUUID|Ahead|Behind|{_SYNCING}"
)
_ROLE = "Primary|Secondary|Unknown"
_DISK = (
    "Diskless|Attaching|Detaching|Failed|Negotiating|Inconsistent|Outdated|DUnknown|Consistent"
    "|UpToDate"
)
_ROW = re.compile(
    r"\s*(?P<minor>\d{1,7}):(?P<resource>[A-Za-z_][\w.-]{0,79})(?:/(?P<volume>\d{1,5}))?"
    rf"(?:\^\^\S{{1,80}})?\s+(?:(?P<off>Unconfigured)|(?P<link>{_LINKS}))(?![\w(*])(?P<rest>[^\n]*)$"
)
_DF = r"\d{1,7}(?:[.,]\d)?[KMGTPE]?"
_STATES = re.compile(
    rf"\s+(?P<role>{_ROLE})/(?P<peer>{_ROLE})\s+(?P<disk>{_DISK})/(?P<far>{_DISK})(?![\w(*])"
    r"(?:\s+(?P<protocol>[ABC])(?!\S))?(?:\s+(?P<flags>[rs][a-z—–-]{2,6})(?!\S))?"
    r"(?:\s+(?P<mounted>/\S{0,200})\s+(?P<fstype>[a-z][\w.]{1,20})(?!\S)"
    rf"(?:\s+(?P<size>{_DF})\s+(?P<used>{_DF})\s+(?P<free>{_DF})\s+(?P<share>\d{{1,3}})%(?!\S))?)?"
)
_HEAD = re.compile(r"\s*m:res\s+cs\s+(?:ro|st)\s+ds\s+p\s+mounted(?:\s+fstype)?\s*$")
_SYNCED = re.compile(
    r"\s*(?:\.{3}\s+)*+(?:\[[=>.]{1,60}\]\s*)?sync'ed:\s*(?P<share>\d{1,3}(?:\.\d{1,3})?)%"
    r"(?:\s*\((?P<left>\d{1,16})/(?P<total>\d{1,16})\)(?P<unit>[KM]))?"
)
_OTHER = re.compile(r"\s*(?:\.{3}\s|fstype\s*$)")
_MOST = 400


class DrbdTable(StateOutput):
    tool = "drbd"
    anchors = ("m:res ", "/UpToDate", "/DUnknown", "/Inconsistent", "/Outdated", "Unconfigured")
    commands = ("service", "init.d/drbd", "rcdrbd", "drbd-overview", "watch")
    reach = 14
    looks_above = True
    nothing = "no volume follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at)
        if not _HEAD.match(line) and not _ROW.match(line):
            return None
        return top_of_own(cursor, _is_own, most=40)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        lines, last = close_rows(
            cursor, first, lambda line: line if _is_own(line) else None, _MOST, no_prompts=True
        )
        return last, _subjects(lines, prompt.host)


def _is_own(line: str) -> bool:
    return any(form.match(line) for form in (_ROW, _HEAD, _SYNCED, _OTHER))


def _subjects(lines: list[str], host: str) -> Iterator[PrintedSubject]:
    """A subject for each row, with what the lines of syncs say of it."""
    rows = [row for line in lines if (row := _ROW.match(line))]
    synced = [match for line in lines if (match := _SYNCED.match(line))]
    syncing = [row for row in rows if re.fullmatch(_SYNCING, row["link"] or "")]
    only = syncing[0] if len(syncing) == len(synced) == 1 else None
    for row in rows:
        values = _of_row(row)
        if row is only:
            values |= _of_sync(synced[0])
        yield PrintedSubject("drbd", f"drbd{row['minor']}", values, host)


def _of_row(row: re.Match[str]) -> dict[str, Scalar]:
    """Resource, states and place of a volume."""
    values: dict[str, Scalar] = {
        "resource": row["resource"], "volume": int(row["volume"]) if row["volume"] else None,
        "connection": row["link"], "configured": False if row["off"] else None,
    }  # fmt: skip
    if states := _STATES.match(row["rest"]):
        values |= {
            "role": states["role"], "peer_role": states["peer"],
            "disk_state": states["disk"], "peer_disk_state": states["far"],
            "protocol": states["protocol"], "io_flags": _dashed(states["flags"]),
            "mounted": states["mounted"], "fstype": states["fstype"],
        }  # fmt: skip
        if states["size"]:
            values |= {
                name: round(printed(states[part].replace(",", "."), binary=True)[0])
                for name, part in (("fs_size", "size"), ("fs_used", "used"), ("fs_free", "free"))
            }
            values["fs_use"] = int(states["share"]) / 100
    return without_none(values)


def _dashed(flags: str | None) -> str | None:
    """The flags of a volume with the signs that a page made one dash of."""
    return flags.replace("—", "---").replace("–", "--") if flags else None


def _of_sync(match: re.Match[str]) -> dict[str, Scalar]:
    """The share in sync, and the bytes that are left and of all."""
    values: dict[str, Scalar] = {"sync_share": round(float(match["share"]) / 100, 6)}
    if match["left"]:
        unit = KIB if match["unit"] == "K" else MIB
        values |= {"sync_left": int(match["left"]) * unit, "sync_total": int(match["total"]) * unit}
    return values
