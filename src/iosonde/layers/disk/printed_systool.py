"""`systool -b scsi -v`: the attributes of SCSI devices in sysfs.

Source: sysfsutils 2.1, cmd/systool.c (show_device(): `  Device = "H:C:T:L"`, `    NAME = "VALUE"`,
the names in 20 columns); Linux drivers/scsi/scsi_sysfs.c: counters are hexadecimal, timeouts in
seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt
from iosonde.text.reader import HeadedOutput

_HEAD = re.compile(r'\s*Device = "(?P<hctl>\d{1,5}:\d{1,5}:\d{1,5}:\d{1,20})"\s*$')
_PAIR = re.compile(r'\s*(?P<name>Device path|[a-z]\w{1,40})\s*= "(?P<value>[^"]{0,200})"?\s*$')
_METHOD = re.compile(r"\s*[a-z]\w{1,40}\s*= <store method only>\s*$")
_EVENT = re.compile(r'\s*[A-Z][A-Z_]{1,30}=\S{0,120}?"?\s*$')
_NAMES = {"rev": "firmware", "Device path": "path"}
_COUNTS = frozenset({"iorequest_cnt", "iodone_cnt", "ioerr_cnt", "iotmo_cnt"})


class Systool(HeadedOutput):
    tool = "systool"
    anchors = ('  Device = "',)
    commands = ("systool",)
    reach = 6
    beginning = _HEAD
    nothing = "no attribute follows a device"

    @override
    def is_head(self, line: str) -> bool:
        return bool(_HEAD.match(line))

    @override
    def goes_on(self, line: str, above: list[str]) -> bool:
        return bool(_PAIR.match(line) or _METHOD.match(line) or _EVENT.match(line))

    @override
    def block(self, text: str, prompt: Prompt) -> Iterator[PrintedSubject | PrintedCounters]:
        first, *rest = text.split("\n")
        head = _HEAD.match(first)
        facts: dict[str, Scalar] = {}
        counts: dict[str, Json] = {}
        for pair in filter(None, map(_PAIR.match, rest)):
            name, value = pair["name"], pair["value"].strip()
            if name in _COUNTS and re.fullmatch(r"0x[0-9a-f]{1,15}", value):
                counts[name] = int(value, 16)
            elif value and name != "uevent":
                facts[_NAMES.get(name, name)] = (
                    int(value) if re.fullmatch(r"0|[1-9]\d{0,17}", value) else value
                )
        if head and facts:
            yield PrintedSubject("disk", head["hctl"], facts, prompt.host)
        if head and counts:
            yield self.counted("disk", head["hctl"], counts, prompt)
