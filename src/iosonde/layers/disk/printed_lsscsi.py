"""lsscsi: SCSI devices and NVMe namespaces with maker, model, revision and node; with any options.

Source: lsscsi 0.32, src/lsscsi.c (one_sdev_entry: "[H:C:T:L]", the type in 8 columns, vendor in 8,
model in 16, revision in 4, with -t the address of its port in their place; with -w or -u its name;
then the node, with -d its number in brackets; -i its id, -g the generic node, -p how it protects
data, -s its size, -v below it its directory; of NVMe "[N:D:C:NSID]" and the model alone;
longer_sdev_entry: -l, -L).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import ClassVar

from typing_extensions import override

from iosonde import units
from iosonde.layers import TRANSPORT_WORDS
from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines
from iosonde.text.labels import as_labelled
from iosonde.text.reader import Items, StateOutput, start_of_own

_NUMBER = r"(?:\s{0,4}\[\d{1,5}:\d{1,8}\])?"
_ROW = re.compile(
    r"\s*\[(?P<hctl>(?:N:)?\d{1,5}:\d{1,5}:-?\d{1,5}(?::\d{1,20})?)\]\s+"
    r"(?P<type>no dev|type\?{3}|[a-z][a-z/]{1,8})\s+"
    rf"(?P<about>\S.{{0,160}}?)\s+(?P<node>/dev/[\w/-]{{1,40}}|-){_NUMBER}"
    r"(?:\s+(?:(?P<id>[0-9a-f]{16,33})|-(?=\s+/dev/)))?"
    rf"(?:\s+(?P<generic>/dev/sg\d{{1,5}}){_NUMBER})?"
    r"(?:\s+(?P<protection>DIF/Type\d\S{0,20}|-(?=\s+[-\d])))?"
    r"(?:\s+(?P<size>\d{1,6}(?:\.\d{1,3})?[kKMGTP]i?B|-))?\s*$"
)
_MAJ_MIN = re.compile(r"/dev/[\w/-]{1,40}\s{0,4}\[(?P<number>\d{1,5}:\d{1,8})\]")
_NAMED = re.compile(r"\s+(?P<name>0x[0-9a-f]{16}|(?:eui\.|naa\.|t10\.)?[0-9a-f]{16,32})$")
_LONG = re.compile(r"\s{1,8}(?:[a-z_]{2,30}=\S{1,60}\s*){1,12}$")
"""What -l and -L print below a device."""
_DIR = re.compile(
    r"\s{1,8}(?:dir: /sys/\S{1,120}(?:\s{1,4}\[/sys/[^\s\]]{1,300}\])?|\[/sys/[^\s\]]{1,300}\])\s*$"
)
"""What -v prints below a device, in one line or, as a mail broke it, in two."""
_PAIR = re.compile(r"([a-z_]{2,30})=(\S{1,60})")
_MADE = re.compile(r"(?P<vendor>\S.{0,7}?)\s+(?P<model>\S.*?)\s+(?P<revision>\S{1,8})$")
_TRANSPORT = re.compile(r"(?P<bus>sas|sata|ata|fc|iqn|usb|spi|srp|pcie)[:.]?\S*$")
_NONE = frozenset({"no dev", "type???"})
_MOST = 4000


class Lsscsi(StateOutput):
    tool = "lsscsi"
    anchors = (
        "]    disk ", "]  disk ", "] disk ", "]   disk ", "]\tdisk", "]    cd/dvd ", "]    tape ",
        "]    mediumx ", "]    enclosu ", "]    storage ",
    )  # fmt: skip
    holds: ClassVar[re.Pattern[bytes]] = re.compile(rb"\d:-?\d")  # a log also says "] disk"
    commands = ("lsscsi",)
    nothing = "no device is in it"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        return start_of_own(cursor, _ROW.match, most=80)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        disks: list[PrintedSubject] = []
        last = first
        for index, line in lines(cursor, first, _MOST):
            row = _ROW.match(line)
            if row is None:
                if index == last + 1 and _DIR.match(line):
                    last = index
                elif disks and index == last + 1 and _LONG.match(line):
                    pairs = dict(_PAIR.findall(line))
                    if "type" in pairs:  # the standard's number
                        pairs["scsi_type"] = pairs.pop("type")
                    more = as_labelled(pairs)
                    disks[-1] = replace(disks[-1], values=more | dict(disks[-1].values))
                    last = index
                elif line or index > last + 1:
                    break
                continue
            last = index
            if row["type"] in _NONE:
                continue
            node = row["node"].removeprefix("/dev/")
            name = node if node != "-" else row["hctl"]  # no driver took it
            disks.append(PrintedSubject("disk", name, _facts(row), prompt.host))
        return last, disks


def _facts(row: re.Match[str]) -> dict[str, Scalar]:
    about = row["about"].strip()
    size = row["size"] if row["size"] and row["size"] != "-" else None
    number = _MAJ_MIN.search(row[0])
    zoned = row["type"] == "zbc"  # of SPC's peripheral device types: a host-managed zoned disk
    values: dict[str, Scalar] = {
        "hctl": row["hctl"], "type": row["type"] if row["type"] != "disk" else None,
        "zoned": "host-managed" if zoned else None,
        "size": round(units.printed(size)[0]) if size else None,
        "maj_min": number["number"] if number else None, "scsi_id": row["id"],
        "generic": row["generic"],
        "protection": row["protection"] if row["protection"] != "-" else None,
    }  # fmt: skip
    if transport := _TRANSPORT.match(about):
        bus = transport["bus"]
        values["transport"] = TRANSPORT_WORDS.get(bus, bus)
        values["address"] = about if bus == "iqn" else about.partition(":")[2] or None
        return without_none(values)
    if named := _NAMED.search(about):
        values["wwn"] = named["name"]
        about = about[: named.start()].rstrip()
    if row["hctl"].startswith("N:"):
        values |= {"model": about.partition("__")[0].strip(), "transport": "nvme"}
    elif made := _MADE.match(about):
        values |= {
            "vendor": made["vendor"], "model": made["model"].strip(), "firmware": made["revision"],
        }  # fmt: skip
    return without_none(values)
