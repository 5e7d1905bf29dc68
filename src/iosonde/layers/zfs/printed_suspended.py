"""What is said of pools of ZFS in one line: commands refused by a suspended one, TrueNAS' alerts.

Source: OpenZFS 2.2, lib/libzfs/libzfs_util.c (zfs_common_error() and zpool_common_error(): EAGAIN
is "pool I/O is currently suspended"), lib/libzfs/libzfs_pool.c, zpool_get_errlog(); TrueNAS 24.10,
src/middlewared/middlewared/alert/source/volume_status.py, VolumeStatusAlertClass.
"""

from __future__ import annotations

import re
from dataclasses import replace

from typing_extensions import override

from iosonde.layers.zfs.facts import STATES, SUSPENDED
from iosonde.records.printed import PrintedSubject
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_rows

_POOL = r"(?P<pool>[A-Za-z][\w.:-]{0,80})"
_REFUSED = re.compile(
    rf".{{0,120}}?\b(?:cannot|could not|unable to) "
    rf"(?P<refused>[a-z]{{3,20}}(?: [a-z]{{2,20}}){{0,3}}) "
    rf"'{_POOL}(?:[/@#][^']{{0,200}})?': {SUSPENDED}"
)
_NAMELESS = re.compile(rf"\s{{0,20}}errors: List of errors unavailable: {SUSPENDED}\.?$")
_ALERT = re.compile(
    rf"[^A-Za-z\d]{{0,12}}Pool '?{_POOL}'? state is (?P<state>{'|'.join(STATES)}): "
    r"(?P<status>\S.{10,400})"
)


class ZpoolComplaints(StateOutput):
    tool = "zpool status"
    anchors = (SUSPENDED, *(f" state is {state}: " for state in STATES[:7]))
    commands = ("zpool", "zfs")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return cursor.at if _said(cursor.line(cursor.at)) else None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        subjects, last = close_rows(cursor, first, _said, 40)
        return last, [replace(subject, host=prompt.host) for subject in subjects]


def _said(line: str) -> PrintedSubject | None:
    if SUSPENDED in line:
        if match := _REFUSED.match(line):
            facts = {"errors": SUSPENDED, "refused": match["refused"]}
            return PrintedSubject("zpool", match["pool"], facts)
        return PrintedSubject("zpool", "", {"errors": SUSPENDED}) if _NAMELESS.match(line) else None
    if match := _ALERT.match(line):
        return PrintedSubject(
            "zpool", match["pool"], {"state": match["state"], "status": match["status"].strip()}
        )
    return None
