"""`mpclaim -s -d` of Windows: disks with several paths, and the paths of one.

Source: Microsoft, mpclaim (Windows Server 2008 R2 to 2022): policies FOO (fail over only), RR,
RRWS (round robin with subset), LQD (least queue depth), WP (weighted paths), LB (least blocks); its
outputs in MPIO guides: "MPIO Disk0: 04 Paths, Round Robin, Symmetric Access", states of paths
Active/Optimized, Active/Unoptimized, Standby, Unavailable, Failed.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, prompt_in
from iosonde.text.reader import Items, StateOutput, close_lines

_HEAD = re.compile(r"\s*MPIO Disk\s+System Disk\s+LB Policy\s+DSM Name\s*$")
_ROW = re.compile(
    r"\s*(?P<name>MPIO Disk\d{1,4})\s+Disk (?P<disk>\d{1,4})\s+(?P<policy>[A-Z]{2,5})\s+"
    r"(?P<dsm>\S.{1,80})$"
)
_DISK = re.compile(
    r"\s*(?P<name>MPIO Disk\d{1,4}): (?P<paths>\d{1,3}) Paths, (?P<policy>[A-Z][A-Za-z ]{2,40}), "
    r"(?P<access>[A-Z][A-Za-z ]{2,40})$"
)
_DSM = re.compile(r"\s*Controlling DSM: (?P<dsm>\S.{1,80})$")
_SERIAL = re.compile(r"\s*SN: (?P<serial>[\w-]{4,64})$")
_PATH = re.compile(
    r"\s*(?P<id>[0-9A-Fa-f]{16})\s+(?P<state>[A-Z][A-Za-z]{3,20}(?:/[A-Z][A-Za-z]{3,20})?)\s+"
    r"(?P<address>\d{3}(?:\|\d{3}){3})\s+(?P<weight>\d{1,9})\s*$"
)
_OTHER = re.compile(
    r"\s*+(?:-{20,}|Supported Load Balance Policies: |Path ID\s+State\s+SCSI Address|\* |"
    r"(?:Adapter|Controller): |\w[\w ]{1,39}: )"
)


class Mpclaim(StateOutput):
    tool = "mpclaim"
    anchors = ("MPIO Disk",)
    commands = ("mpclaim",)
    reach = 5
    nothing = "no disk follows its head"
    beginnings = (_HEAD, _DISK)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        read = _table if _HEAD.match(cursor.line(first)) else _paths
        return read(cursor, first, prompt)


def _table(cursor: TextCursor, first: int, prompt: Prompt) -> Items:
    last, subjects = first, list[PrintedSubject]()
    for index, line in close_lines(cursor, first + 1):
        if row := _ROW.match(line):
            values: dict[str, Scalar] = {
                "disk": f"PhysicalDrive{row['disk']}", "policy": row["policy"], "dsm": row["dsm"]
            }  # fmt: skip
            subjects.append(PrintedSubject("multipath", row["name"], values, prompt.host))
        elif not _OTHER.match(line) or prompt_in(line):
            break
        last = index
    return last, subjects


def _paths(cursor: TextCursor, first: int, prompt: Prompt) -> Items:
    """A disk and its paths; those that are not all there are not counted."""
    disk = _DISK.match(cursor.line(first))
    values: dict[str, Scalar] = {}
    last, states = first, dict[str, str]()
    for index, line in close_lines(cursor, first + 1, gap=2):
        if path := _PATH.match(line):
            states[path["id"]] = path["state"]
        elif own := _DSM.match(line) or _SERIAL.match(line):
            values |= own.groupdict()
        elif not _OTHER.match(line) or prompt_in(line):
            break
        last = index
    if disk is None:
        return last, ()
    values |= {"paths": int(disk["paths"]), "policy": disk["policy"], "access": disk["access"]}
    if len(states) == int(disk["paths"]):
        failed = [name for name, state in states.items() if state == "Failed"]
        values["failed_paths"] = len(failed)
        values["path_states"] = ", ".join(f"{name} {state}" for name, state in states.items())
        values |= {"failed": " ".join(failed)} if failed else {}
    return last, [PrintedSubject("multipath", disk["name"], values, prompt.host)]
