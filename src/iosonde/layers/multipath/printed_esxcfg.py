"""ESXi's older tools: rows of `esxcfg-scsidevs -c` and `-m`, and `vmkfstools -P` of a file system.

Source: outputs of ESX 4.0 to ESXi 8.0: esxcfg-scsidevs -c (size in MB of 1024 × 1024 bytes), -m (a
partition of VMFS, its console device, its UUID, which extent it is, the datastore's name);
vmkfstools -P (bytes beside counts of blocks; with -h sizes in units of 1024), of VMFS and vfat.
"""

from __future__ import annotations

import re

from typing_extensions import override

from iosonde import units
from iosonde.layers.multipath.printed_esxi import esxi_prompt
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor
from iosonde.text.reader import Items, StateOutput, close_lines

_HEAD = re.compile(r"\s*Device UID\s+Device Type\s+Console Device\s+Size\s+Multipath Plugin")
_ID = r"[a-z][a-z0-9]{1,8}\.\S{3,200}"
_DEVICE = re.compile(
    rf"\s*(?P<id>{_ID})\s+(?P<type>[A-Z][A-Za-z-]{{2,20}}(?: [A-Z][a-z]{{2,12}}){{0,2}})\s+"
    r"(?P<path>/vmfs/devices/\S{3,240}|N/A)\s+(?P<size>\d{1,12})MB\s+(?P<plugin>[A-Z][\w/-]{1,20})"
    r"\s+(?P<display>\S.{0,200})$"
)
_EXTENT = re.compile(
    rf"\s*(?P<id>{_ID}):(?P<partition>\d{{1,3}})\s+/vmfs/devices/\S{{3,240}}\s+"
    r"(?P<uuid>[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{12})\s+(?P<extent>\d{1,4})\s+"
    r"(?P<volume>\S.{0,100})$"
)


class EsxcfgScsidevs(StateOutput):
    tool = "esxcfg-scsidevs"
    anchors = ("Device UID  ", "/vmfs/devices/disks/")
    commands = ("esxcfg-scsidevs",)
    reach = 3
    nothing = "its first row is not whole"
    beginnings = (_HEAD, _EXTENT)

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        prompt = esxi_prompt(cursor, first, prompt)
        last, subjects = first, list[PrintedSubject]()
        devices = _HEAD.match(cursor.line(first))
        for index, line in close_lines(cursor, first + bool(devices)):
            if devices and (row := _DEVICE.match(line)):
                size = int(row["size"]) * units.MIB
                values: dict[str, Scalar] = {
                    "device_type": row["type"], "size": size, "console_device": row["path"],
                    "multipath_plugin": row["plugin"], "display_name": row["display"].strip(),
                }  # fmt: skip
                subjects.append(PrintedSubject("disk", row["id"], values, prompt.host))
            elif not devices and (row := _EXTENT.match(line)):
                values = {
                    "device": row["id"], "partition": int(row["partition"]), "uuid": row["uuid"],
                    "extent": int(row["extent"]),
                }  # fmt: skip
                name = row["volume"].strip()
                subjects.append(PrintedSubject("vmfs", name, values, prompt.host))
            else:
                break
            last = index
        return last, subjects


# ── vmkfstools -P ───────────────────────────────────────────────────────────────────────────────

_TITLE = re.compile(
    r"\s*(?P<type>[A-Za-z]{3,8})-(?P<version>\d{1,2}\.\d{1,3})(?: \(Raw Major Version: \d{1,3}\))? "
    r"file system spanning (?P<count>\d{1,3}) partitions\.\s*$"
)
_LABEL = re.compile(r"\s*File system label \(if any\):(?: (?P<label>\S.{0,100}))?$")
_LINE = re.compile(r"\s*(?P<name>Mode|UUID|Is Native Snapshot Capable): (?P<value>\S.{0,100})$")
_BLOCKS = re.compile(
    r"\s*Capacity (?P<size>\d{1,18}) \(\d{1,18} file blocks \* (?P<block>\d{1,9})\), "
    r"(?P<free>\d{1,18}) \(\d{1,18} blocks\) avail"
)
_SIZE = r"\d{1,9}(?:\.\d)? (?:bytes|[KMGTP]B)"
_ROUNDED = re.compile(
    rf"\s*Capacity (?P<size>{_SIZE}), (?P<free>{_SIZE}) available, file block size "
    rf"(?P<block>{_SIZE})\b"
)
_PART = re.compile(rf"\s+(?P<part>{_ID}:\d{{1,3}})$")
_OTHER = re.compile(r"\s*(?:Disk Block Size: |Partitions spanned \(on |[A-Z][\w ()/%]{3,40}: )")


def _bytes(text: str) -> int:
    """A size as it was printed, in bytes; those with a unit were rounded."""
    if text.isdecimal():
        return int(text)
    return round(units.printed(text.replace(" ", "").replace("bytes", ""), binary=True)[0])


class Vmkfstools(StateOutput):
    tool = "vmkfstools -P"
    anchors = (" file system spanning ",)
    commands = ("vmkfstools",)
    reach = 3
    nothing = "its capacity is cut off"
    beginning = _TITLE

    @override
    def items(self, cursor: TextCursor, first: int, prompt: Prompt) -> Items:
        prompt = esxi_prompt(cursor, first, prompt)
        title = self.first_line(cursor, first)
        values: dict[str, Scalar] = {"type": title["type"], "version": title["version"]}
        last, parts = first, list[str]()
        for index, line in close_lines(cursor, first + 1, 60):
            if label := _LABEL.match(line):
                values |= {"volume": label["label"].strip()} if label["label"] else {}
            elif row := _LINE.match(line):
                values[row["name"].lower().replace(" ", "_")] = row["value"].strip()
            elif size := _BLOCKS.match(line) or _ROUNDED.match(line):
                names = {"size": "size", "free": "available", "block": "file_block_size"}
                values |= {name: _bytes(size[group]) for group, name in names.items()}
            elif part := _PART.match(line):
                parts.append(part["part"])
            elif not _OTHER.match(line):
                break
            last = index
        if parts:
            values["partitions"] = " ".join(parts)
        name = str(values.get("volume") or values.get("uuid") or "")
        whole = "size" in values and name
        return last, [PrintedSubject("vmfs", name, values, prompt.host)] if whole else ()
