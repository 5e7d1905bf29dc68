"""lspci -vv of storage and network controllers: the PCIe link as it is, and as it could be.

Source: pciutils 3.x, ls-caps.c, cap_express_link(): LnkCap is what the device can, LnkSta what was
negotiated; since 3.6 "(ok)", "(downgraded)" or "(overdriven)" stand behind; lspci.c,
show_verbose() ("Subsystem: %s"). Payload per lane: PCI
Express Base Specification 6.0, 4.2: 8b/10b up to 5 GT/s, 128b/130b up to 32 GT/s, FLITs at 64 GT/s.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde.records.printed import PrintedSubject, without_none
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, compact, lines, prompt_in
from iosonde.text.reader import Items, StateOutput

_DEVICE = re.compile(
    r"^\s*(?P<slot>(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) (?P<kind>[A-Z][\w /-]{4,60}?)"
    r"(?: \[[0-9a-f]{4}\])?: (?P<model>\S.*)$"
)
_KINDS = (
    "Non-Volatile memory controller", "RAID bus controller", "Serial Attached SCSI controller",
    "SATA controller", "SCSI storage controller", "Mass storage controller", "Fibre Channel",
    "Ethernet controller", "Network controller", "Infiniband controller",
)  # fmt: skip
_LINK = re.compile(
    r"Lnk(?P<what>Cap|Sta):(?:Port#\d+,)?Speed(?P<speed>[\d.]{1,5})GT/s(?:\([a-z]+\))?,"
    r"Width[x*](?P<width>\d{1,2})"
)
_NODE = re.compile(r"NUMAnode:(\d{1,4})")
_DRIVER = re.compile(r"Kerneldriverinuse:([\w-]{1,24}?)(?:Kernelmodules|$)")
_PAYLOAD = re.compile(r"DevCtl:.{0,200}?MaxPayload(\d{2,5})bytes,MaxReadReq(\d{2,5})bytes")
_REVISION = re.compile(r" \(rev (?P<revision>[0-9a-f]{1,4})\)| \(prog-if .*\)$")
_SUBSYSTEM = re.compile(r"\s*Subsystem: (?P<subsystem>\S.{2,160}?)\s*$")
_LONG = 50  # characters of a line that a mail may have broken
_OWN = re.compile(r"^\s+\S|^\w[\w ]{1,24}:")


class LspciNvme(StateOutput):
    tool = "lspci"
    anchors = (
        "LnkSta:", "LnkCap:", "Non-Volatile memory controller", "RAID bus controller",
        "Serial Attached SCSI controller", "SATA controller", "SCSI storage controller",
        "Mass storage controller", "Fibre Channel",
    )  # fmt: skip

    commands = ("lspci",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        for index in range(cursor.at, -1, -1):
            line = cursor.line(index)
            device = _DEVICE.match(line)
            if device:
                return index if device["kind"].startswith(_KINDS) else None
            if index < cursor.at and prompt_in(line):
                return None
        return None

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        """One device."""
        device = _DEVICE.match(cursor.line(first))
        last = _end(cursor, first)
        text = compact(cursor, first, last)
        values = _values(text)
        if device:
            whole = _whole(cursor, first, device["model"])
            revision = _REVISION.search(whole)
            named: dict[str, Scalar] = {
                "class": device["kind"], "model": _REVISION.sub("", whole).strip(),
                "revision": revision["revision"] if revision else None,
                "subsystem": _subsystem(cursor, first, last),
            }  # fmt: skip
            values = without_none(named) | values
        slot = device["slot"] if device else ""
        return last, [PrintedSubject("pcie", slot, values, prompt.host)]


def _subsystem(cursor: TextCursor, first: int, last: int) -> str | None:
    """What the card or drive is that the device is on, by its maker; None where it is not said."""
    every = (_SUBSYSTEM.match(line) for line in cursor.block(first + 1, min(last - first, 4)))
    return next((match["subsystem"] for match in every if match), None)


def _whole(cursor: TextCursor, first: int, model: str) -> str:
    """What a device is called, with what a mail broke off it."""
    below = cursor.line(first + 1)
    torn = len(cursor.line(first)) > _LONG and below.strip() and not _REVISION.search(model)
    if not torn or _OWN.match(below) or _DEVICE.match(below) or prompt_in(below):
        return model
    return f"{model} {below}" if _REVISION.search(f" {below}") or "(rev" in model else model


def _end(cursor: TextCursor, first: int) -> int:
    """Index of the device's last line; a wrap leaves lines that look like nothing."""
    last, strange = first, 0
    for index, line in lines(cursor, first, 160):
        if index > first and (_DEVICE.match(line) or prompt_in(line) or index > last + 4):
            break
        if _OWN.match(line):
            last, strange = index, 0
        elif line and index > first:
            strange += 1
            if strange > 2:
                break
    return last


def _values(text: str) -> dict[str, Scalar]:
    links = {link["what"]: link for link in reversed(list(_LINK.finditer(text)))}
    node, driver, payload = _NODE.search(text), _DRIVER.search(text), _PAYLOAD.search(text)
    values: dict[str, Scalar] = {}
    for what, ending in (("Sta", ""), ("Cap", "_max")):
        link = links.get(what)
        if link:
            speed, width = float(link["speed"]), int(link["width"])
            values[f"link_speed{ending}"] = speed * 1e9  # transfers a second on each lane
            values[f"link_width{ending}"] = width
            values[f"bandwidth{ending}"] = round(lane_rate(speed) * width)
    return without_none(
        {
            **values,
            "numa_node": int(node[1]) if node else None,
            "driver": driver[1] if driver else None,
            "max_payload": int(payload[1]) if payload else None,
            "max_read_request": int(payload[2]) if payload else None,
        }
    )


def lane_rate(gigatransfers: float) -> float:
    """Bytes/s that one lane carries one way after its line code, before packet headers."""
    if gigatransfers <= 5:
        share = 8 / 10
    elif gigatransfers <= 32:
        share = 128 / 130
    else:
        share = 242 / 256
    return gigatransfers * 1e9 * share / 8
