"""/proc/scsi/scsi: the SCSI devices of a host.

Source: Linux drivers/scsi/scsi_proc.c, proc_print_scsidevice(): "Host: scsi%d Channel: %02d Id: …"
and two lines with vendor, model, revision, type and level of the standard.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.text.cursor import Prompt
from iosonde.text.reader import HeadedOutput

_HEAD = re.compile(
    r"\s*Host: scsi(?P<host>\d{1,5}) Channel: (?P<channel>\d{1,3}) Id: (?P<id>\d{1,5})"
    r" Lun: (?P<lun>\d{1,20})\s*$"
)
_VENDOR = re.compile(
    r"\s*Vendor: (?P<vendor>.{0,20}?)\s+Model: (?P<model>.{1,40}?)\s+Rev: ?(?P<rev>.{0,8})$"
)
_TYPE = re.compile(
    r"\s*Type:\s+(?P<type>\S.{0,30}?)\s+ANSI\s+SCSI revision: ?(?P<level>\w{1,4})\s*$"
)


class ScsiList(HeadedOutput):
    tool = "/proc/scsi/scsi"
    anchors = ("Host: scsi",)
    commands = ("cat",)
    reach = 4
    about = "scsi"
    beginning = _HEAD
    nothing = "no maker follows a device"

    @override
    def goes_on(self, line: str, above: list[str]) -> bool:
        return bool(_VENDOR.match(line) or _TYPE.match(line))

    @override
    def block(self, text: str, prompt: Prompt) -> Iterator[PrintedSubject]:
        first, *rest = text.split("\n")
        head = _HEAD.match(first)
        made = next(filter(None, map(_VENDOR.match, rest)), None)
        type_ = next(filter(None, map(_TYPE.match, rest)), None)
        if not head or not made:
            return
        name = ":".join(str(int(head[part])) for part in ("host", "channel", "id", "lun"))
        values = {"vendor": made["vendor"], "model": made["model"], "revision": made["rev"].strip()}
        if type_:
            values["type"] = type_["type"]
        yield PrintedSubject("disk", name, dict(values), prompt.host)
