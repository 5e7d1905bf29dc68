"""lsscsi: SCSI devices and NVMe namespaces with maker, model, revision and node; also -s and -t.

Source: lsscsi 0.32, src/lsscsi.c (one_sdev_entry: "[H:C:T:L]", the type in 8 columns, vendor in 8,
model in 16, revision in 4, then the node; of NVMe "[N:D:C:NSID]" and the model alone).
"""

from __future__ import annotations

import re
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.reader import Items, StateOutput, start_of

_ROW = re.compile(
    r"\s*\[(?P<hctl>(?:N:)?\d{1,5}:\d{1,5}:-?\d{1,5}(?::\d{1,20})?)\]\s+"
    r"(?P<type>no dev|type\?{3}|[a-z][a-z/]{1,8})\s+"
    r"(?P<about>\S.{0,80}?)\s+(?P<node>/dev/[\w/-]{1,40}|-)"
    r"(?:\s+(?P<generic>/dev/sg\d{1,5}))?(?:\s+(?P<size>\d{1,6}(?:\.\d{1,3})?[kKMGTP]i?B|-))?\s*$"
)
_MADE = re.compile(r"(?P<vendor>\S.{0,7}?)\s+(?P<model>\S.*?)\s+(?P<revision>\S{1,8})$")
_TRANSPORT = re.compile(r"(?P<bus>sas|sata|ata|fc|iqn|usb|spi|srp|pcie)[:.]?\S*$")
_MOST = 4000


class Lsscsi(StateOutput):
    tool = "lsscsi"
    anchors = ("]    disk ", "]  disk ", "] disk ", "]   disk ", "]\tdisk")
    holds: ClassVar[re.Pattern[bytes]] = re.compile(rb"\d:-?\d")  # a log also says "] disk"
    commands = ("lsscsi",)
    nothing = "no disk is in it"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _ROW.match(cursor.line(cursor.at)):
            return None
        return start_of(cursor, _ROW.match, most=80)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        disks: list[PrintedSubject] = []
        last = first
        for index, line in lines(cursor, first, _MOST):
            row = _ROW.match(line)
            if row is None:
                if line or index > last + 1:
                    break
                continue
            last = index
            if row["type"] in {"disk", "zbc"}:
                node = row["node"].removeprefix("/dev/")
                name = node if node != "-" else row["hctl"]  # no driver took it
                disks.append(PrintedSubject("disk", name, _facts(row), prompt.host))
        return last, disks


def _facts(row: re.Match[str]) -> dict[str, Scalar]:
    about = row["about"].strip()
    size = row["size"] if row["size"] and row["size"] != "-" else None
    values: dict[str, Scalar] = {
        "hctl": row["hctl"],
        "size": round(units.printed(size)[0]) if size else None,
    }
    if transport := _TRANSPORT.match(about):
        bus = transport["bus"]
        values["transport"] = {"iqn": "iscsi", "ata": "sata", "pcie": "nvme"}.get(bus, bus)
    elif row["hctl"].startswith("N:"):
        values |= {"model": about.partition("__")[0].strip(), "transport": "nvme"}
    elif made := _MADE.match(about):
        values |= {
            "vendor": made["vendor"], "model": made["model"].strip(), "firmware": made["revision"],
        }  # fmt: skip
    return without_none(values)
