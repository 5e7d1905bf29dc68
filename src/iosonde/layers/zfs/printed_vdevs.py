"""Why zpool refuses the devices of a pool: `invalid vdev specification`, and what is on each.

Source: OpenZFS 2.2, cmd/zpool/zpool_vdev.c, vdev_error() ("invalid vdev specification", "use '-f'
to override the following errors:" or "the following errors must be manually repaired:");
check_file(), check_slice(), check_error() of os/freebsd and os/linux ("%s is part of %s pool '%s'",
"%s contains a filesystem of type '%s'", "%s is in use and contains a %s filesystem.",
"%s does not contain an EFI label but it may contain partition", "information in the MBR.");
check_replication() ("mismatched replication level: …").
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines

_HEAD = re.compile(r"\s*invalid vdev specification\s*$")
_WAY = re.compile(
    r"\s*(?:(?P<force>use '-f' to override the following errors)"
    r"|the following errors must be manually repaired):\s*$"
)
_DEVICE = r"\s*(?P<device>/\S{1,200}|[a-z][\w.-]{1,60})"
_POOL = re.compile(
    rf"{_DEVICE} is part of (?P<state>active|exported|potentially active|unknown|spare) pool "
    r"'(?P<pool>[^'\s]{1,120})'\.?\s*$"
)
_SYSTEM = re.compile(
    rf"{_DEVICE} (?:contains a filesystem of type '(?P<type>[\w.-]{{2,30}})'"
    r"|is in use and contains an? (?P<used>[\w.-]{2,30}) filesystem\.?)\s*$"
)
_LABEL = re.compile(rf"{_DEVICE} does not contain an EFI label but it may contain partition\s*$")
_REST = re.compile(r"\s*information in the MBR\.\s*$")
_LEVEL = re.compile(r"\s*mismatched replication level: (?P<why>\S.{3,160}?)\s*$")
_MOST = 60


class ZpoolVdevs(StateOutput):
    tool = "zpool"
    answers = True
    anchors = ("invalid vdev specification",)
    commands = ("zpool",)
    reach = 20
    beginning = _HEAD

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        pool: dict[str, Scalar] = {"failed": "use devices", "reason": "invalid vdev specification"}
        subjects: list[PrintedSubject] = []
        last = first
        for index, line in close_lines(cursor, first + 1, _MOST):
            if way := _WAY.match(line):
                pool["may_be_forced"] = way["force"] is not None
            elif level := _LEVEL.match(line):
                pool["reason"] = f"mismatched replication level: {level['why']}"
            elif said := _on_device(line):
                name, values = said
                subjects.append(PrintedSubject("disk", name, values, prompt.host))
            elif not _REST.match(line):
                break
            last = index
        return last, [PrintedSubject("zpool", "", pool, prompt.host), *subjects]


def _on_device(line: str) -> tuple[str, dict[str, Scalar]] | None:
    """What a device holds, by which it is refused."""
    if match := _POOL.match(line):
        values: dict[str, Scalar] = {"part_of_pool": match["pool"], "pool_state": match["state"]}
    elif match := _SYSTEM.match(line):
        values = {"signature": match["type"] or match["used"], "in_use": match["used"] is not None}
    elif match := _LABEL.match(line):
        values = {"partition_table": "unknown"}
    else:
        return None
    return match["device"].removeprefix("/dev/"), values
