"""`systool -b scsi -v` and `systool -c fc_host -v`: SCSI devices and ports of FC in sysfs.

Source: sysfsutils 2.1, cmd/systool.c (show_device(): `  Device = "H:C:T:L"`, show_class_device():
`  Class Device = "NAME"`, `    NAME = "VALUE"`, the names in 20 columns, below it the device that
the class is of, farther in); Linux drivers/scsi/scsi_sysfs.c: counters are hexadecimal, timeouts in
seconds; drivers/scsi/scsi_transport_fc.c: attributes of a port of Fibre Channel.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from typing_extensions import override

from iosonde.records.printed import PrintedCounters, PrintedSubject
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt
from iosonde.text.reader import HeadedOutput

_HEAD = re.compile(
    r'\s*(?:Device = "(?P<hctl>\d{1,5}:\d{1,5}:\d{1,5}:\d{1,20})"'
    r'|Class Device = "(?P<port>host\d{1,5})")\s*$'
)
_BELOW = re.compile(r'\s*Device = "(?P<name>[a-z]{1,8}\d{1,5})"\s*$')
"""The adapter that a port is of."""
_PAIR = re.compile(
    r'\s*(?P<name>(?:Class )?Device path|[a-z]\w{1,40})\s*= "(?P<value>[^"]{0,200})"?\s*$'
)
_METHOD = re.compile(r"\s*[a-z]\w{1,40}\s*=\s*(?:<?store method only>?)?\s*$")
_CLOSED = re.compile(r'\s*"\s*$')
"""The end of a value that ends with a new line."""
_EVENT = re.compile(r'\s*[A-Z][A-Z_]{1,30}=\S{0,120}?"?\s*$')
_NAMES = {"rev": "firmware", "Device path": "path", "Class Device path": "path"}
_COUNTS = frozenset({"iorequest_cnt", "iodone_cnt", "ioerr_cnt", "iotmo_cnt"})


class Systool(HeadedOutput):
    tool = "systool"
    anchors = ('  Device = "', 'Class Device = "host')
    commands = ("systool",)
    reach = 6
    beginning = _HEAD
    nothing = "no attribute follows a device"

    @override
    def goes_on(self, line: str, above: list[str]) -> bool:
        forms = (_PAIR, _METHOD, _EVENT, _BELOW, _CLOSED)
        return any(form.match(line) for form in forms)

    @override
    def block(self, text: str, prompt: Prompt) -> Iterator[PrintedSubject | PrintedCounters]:
        first, *rest = text.split("\n")
        head = _HEAD.match(first)
        below = next((at for at, line in enumerate(rest) if _BELOW.match(line)), len(rest))
        facts: dict[str, Scalar] = {}
        counts: dict[str, Json] = {}
        for pair in filter(None, map(_PAIR.match, rest[:below])):
            name, value = pair["name"], pair["value"].strip()
            if name in _COUNTS and re.fullmatch(r"0x[0-9a-f]{1,15}", value):
                counts[name] = int(value, 16)
            elif value and name != "uevent":
                facts[_NAMES.get(name, name)] = (
                    int(value) if re.fullmatch(r"0|[1-9]\d{0,17}", value) else value
                )
        if head and head["port"]:
            if "port_state" in facts:  # else a host of another class
                yield PrintedSubject("fc_host", head["port"], facts, prompt.host)
            return
        if head and facts:
            yield PrintedSubject("disk", head["hctl"], facts, prompt.host)
        if head and counts:
            yield self.counted("disk", head["hctl"], counts, prompt)
