"""sg_inq, sg_readcap and pages of sg_vpd: what a SCSI device says of itself.

Source: sg3_utils 1.47, sg_inq.c ("standard INQUIRY:"), sg_readcap.c ("Read Capacity results:"),
sg_vpd.c and sg_vpd_common.c (Block limits: in blocks; Block device
characteristics; Logical block provisioning; Device Identification, decode_dev_ids()); SBC-4.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from typing_extensions import override

from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, flow, prompt_in
from iosonde.text.labels import as_labelled
from iosonde.text.reader import StateOutput, end_of

_HEADS = (
    "standard INQUIRY:", "Read Capacity results:", "Block limits VPD page",
    "Block device characteristics VPD page", "Logical block provisioning VPD page",
    "Device Identification VPD page",
)  # fmt: skip
_OWN = re.compile(
    r"\s*+(?:\[?\w[\w -]{0,60}=\w|\[[A-Z]|length=|Vendor identification:|Product |Hence:|"
    r"Unit serial number:|Logical block|Last LBA=|Lowest aligned|Device size:|Protection: |"
    r"[A-Z][\w ,()/-]{3,90}: |Non-rotating medium|Maximum |Optimal |"
    r"Version Descriptors:|\[?PQual=|(?:Addressed logical unit|Target (?:port|device)[^:]{0,40}):|"
    r"designator type: |0x[0-9a-f]{8,32}\s*$|vendor (?:id|specific): |\[0x[0-9a-f]{16,32}\]\s*$|"
    r"transport: |(?:Relative target port|Target port group|Logical unit group): |SCSI name string|"
    r"(?:iqn|naa|eui)\.\S{3,200}\s*$)"
)
_PART = re.compile(r" {2,8}|, |[\[\]():] ?")
_FLAG = re.compile(r"(?P<name>\w[\w ]{0,44})=(?P<value>0x[0-9a-f]{1,16}|\d{1,20})(?!\w)")
_LABEL = re.compile(r"^\s*(?P<name>[A-Z][\w ,()/-]{3,90}?): (?P<value>[^=\n]{1,80})$", re.MULTILINE)
_READ = frozenset({
    "RMB", "prot_en", "lbpme", "so physical block length", "Logical block length",
    "Lowest aligned LBA", "Device size",
    "Nominal rotation rate", "Optimal transfer length", "Optimal transfer length granularity",
    "Maximum transfer length", "Maximum unmap LBA count", "Optimal unmap granularity",
    "Vendor identification", "Product identification", "Product revision level",
    "Unit serial number", "Peripheral device type", "Target port", "Addressed logical unit",
})  # fmt: skip
_DESIGNATORS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("naa", re.compile(r"type: NAA, {1,2}code set: Binary\s+0x([0-9a-f]{16,32})(?![0-9a-f])")),
    ("eui", re.compile(r"type: EUI-64 based, {1,2}code set: Binary\s+0x([0-9a-f]{16,32})")),
    ("vendor_id", re.compile(r"vendor id: (\S{1,8})")),
    ("vendor_specific", re.compile(r"vendor specific: (\S{1,80})")),
    ("relative_target_port", re.compile(r"Relative target port: 0x([0-9a-f]{1,4})")),
    ("target_port_group", re.compile(r"Target port group: 0x([0-9a-f]{1,4})")),
)
_FIGURES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern))
    for name, pattern in (
        ("size", r"Device size: (\d{1,20}) bytes"),
        ("logical_block_size", r"Logical block length=(\d{1,8}) bytes"),
        ("physical_block_size", r"so physical block length=(\d{1,8}) bytes"),
        ("lowest_aligned_block", r"Lowest aligned LBA=(\d{1,8})"),
        ("rotation_rate", r"Nominal rotation rate: (\d{1,6}) rpm"),
        ("optimal_transfer_blocks", r"Optimal transfer length: (\d{1,10})"),
        ("transfer_granularity_blocks", r"Optimal transfer length granularity: (\d{1,10})"),
        ("max_transfer_blocks", r"Maximum transfer length: (\d{1,10})"),
        ("max_unmap_blocks", r"Maximum unmap LBA count: (\d{1,10})"),
        ("unmap_granularity_blocks", r"Optimal unmap granularity: (\d{1,10})"),
    )
)
_NAMES: Mapping[str, re.Pattern[str]] = {
    "vendor": re.compile(r"Vendor identification: (\S.{0,8}?)\s*$", re.MULTILINE),
    "model": re.compile(r"Product identification: (\S.{0,40}?)\s*$", re.MULTILINE),
    "firmware": re.compile(r"Product revision level: (\S{1,8})"),
    "serial": re.compile(r"Unit serial number: (\S.{0,40}?)\s*$", re.MULTILINE),
    "peripheral_type": re.compile(
        r"Peripheral device type: ([a-z][\w /-]{1,40}?)(?:\]|\s*$)", re.MULTILINE
    ),
}
_SWITCHES = {
    "provisioning": r"lbpme=([01])",
    "protection": r"prot_en=([01])",
    "removable": r"RMB=([01])",
}
_DEVICE = re.compile(r"/dev/([\w/.-]{1,40})")
_MOST = 60


class ScsiPages(StateOutput):
    tool = "sg3_utils"
    anchors = _HEADS
    commands = ("sg_inq", "sg_readcap", "sg_vpd")
    reach = 4
    nothing = "none of its figures is there"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        line = cursor.line(cursor.at).strip()
        return cursor.at if line.startswith(_HEADS) and line.endswith(":") else None

    @override
    def items(
        self, cursor: TextCursor, first: int, prompt: Prompt
    ) -> tuple[int, Iterable[PrintedSubject]]:
        last = end_of(
            cursor, first, lambda line: _OWN.match(line) and not prompt_in(line),
            gap=1, most=_MOST + 1,
        )  # fmt: skip
        text = "\n".join(cursor.line(at) for at in range(first + 1, last + 1))
        values = _values(text, flow(cursor, first, last))
        device = _DEVICE.findall(prompt.command)
        name = device[-1] if device else ""
        return last, [PrintedSubject("disk", name, values, prompt.host)] if values else []


def _values(text: str, flowing: str) -> dict[str, Scalar]:
    values = _figures(flowing)
    for name, pattern in _NAMES.items():
        if match := pattern.search(text):
            values[name] = match[1].strip()
    for name, expression in _SWITCHES.items():
        if match := re.search(expression, flowing):
            values[name] = match[1] == "1"
    if "designator type: " in flowing:
        return values | _designators(flowing)
    return {**as_labelled(_pairs(text), _READ), **values}


def _figures(flowing: str) -> dict[str, Scalar]:
    """Sizes and limits, and whether the disk rotates."""
    values: dict[str, Scalar] = {}
    for name, pattern in _FIGURES:
        if match := pattern.search(flowing):
            values[name] = int(match[1])
    if "Maximum unmap LBA count: -1 [unbounded]" in flowing:
        values["max_unmap_blocks"] = "unbounded"
    if "physical block exponent=0" in flowing and "logical_block_size" in values:
        values["physical_block_size"] = values["logical_block_size"]
    if rate := values.get("rotation_rate"):
        values["rotational"] = bool(rate)
    elif "Non-rotating medium" in flowing:
        values["rotational"] = False
    return values


def _designators(flowing: str) -> dict[str, Scalar]:
    """By what names the device is known: its own and its port's."""
    values: dict[str, Scalar] = {}
    for name, pattern in _DESIGNATORS:
        if match := pattern.search(flowing):
            values[name] = int(match[1], 16) if name.startswith(("rel", "target")) else match[1]
    return values


def _pairs(text: str) -> dict[str, str]:
    """All that stands before an equals sign or a colon, with its value."""
    parts = (part for line in text.split("\n") for part in _PART.split(line))
    pairs = {flag["name"]: flag["value"] for part in parts if (flag := _FLAG.match(part.strip()))}
    return pairs | {match["name"]: match["value"].strip() for match in _LABEL.finditer(text)}
