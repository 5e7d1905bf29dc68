"""What virsh, qemu-img and Proxmox's qm say of disks of virtual machines.

Source:
    libvirt tools/virsh-domain-monitor.c (domblkinfo: bytes; domblkstat: "%s %s %lld", times in
    nanoseconds; domblklist: columns); QEMU block/qapi.c (bdrv_image_info_dump: the exact size in
    brackets); Proxmox VE qm.conf(5) (VOLUME,KEY=VALUE…; K, M, G and T of size binary) and
    qemu-server PVE/QemuServer.pm, print_drive_commandline_full (mbps times 1024 * 1024).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedCounters, PrintedSubject, Unreadable
from iosonde.records.stack import Json, Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import StateOutput, start_of

_LIST = re.compile(r"\s*Target\s+Source\s*$")
_RULE = re.compile(r"\s*-{8,}\s*$")
_LISTED = re.compile(r"\s*(?P<name>(?:[vshx]v?d|fd)[a-z]{1,3}\d{0,3})\s+(?P<path>\S.{0,400}?)\s*$")
_INFO = re.compile(
    r"\s*(?P<name>Capacity|Allocation|Physical):\s+(?P<value>\d[\d.]{0,20}(?: [KMGT]iB)?)\s*$"
)
_STAT = re.compile(
    r"\s*(?:(?P<device>[a-z]{2,4}\d{0,2}) )?(?P<name>(?:rd|wr|flush)_(?:req|bytes|operations|"
    r"total_times)|errs) (?P<value>-?\d{1,19})\s*$"
)
_ASKED = re.compile(
    r"domblk(?:info|stat)\s+(?:--\S+\s+)*(?P<guest>\S+)\s+(?:--device\s+)?(?P<device>\S+)"
)
_IMAGE = re.compile(r"\s*image: (?P<path>\S.{0,300}?)\s*$")
_ITEM = re.compile(r"\s*(?P<key>[a-z][\w ]{2,40}?): (?P<value>\S.{0,300}?)\s*$")
_BYTES = re.compile(r"\((\d{1,19}) bytes\)")
_DISK = re.compile(
    r"\s*(?P<name>(?:scsi|virtio|sata|ide|efidisk|tpmstate)\d{1,2}): "
    r"(?P<path>[\w./-]{1,120}:[^,\s]{1,200}|/dev/[^,\s]{1,200})(?P<options>(?:,[\w-]+=[^,\s]{1,80})*)\s*$"
)
_QM = re.compile(
    r"\s*+(?:agent|args|balloon|bios|boot|bootdisk|cores|cpu|cpuunits|description|efidisk0|hotplug|"
    r"ide\d|kvm|machine|memory|meta|name|net\d{1,2}|numa\d?|onboot|ostype|parent|protection|"
    r"sata\d|scsi\d{1,2}|scsihw|smbios1|sockets|startup|tags|tablet|tpmstate0|unused\d|vga|"
    r"virtio\d{1,2}|vmgenid|serial\d|hostpci\d|usb\d|vcpus|lock|template): ?\S"
)
_QM_COUNT = re.compile(r"\d{1,12}")
_PLAIN = re.compile(r"\d{1,9}(?:\.\d{1,3})?")
_QM_SIZE = re.compile(r"\d{1,9}(?:\.\d{1,3})?[KMGT]?")


class VirshDisks(StateOutput):
    tool = "virsh domblklist"
    anchors = ("Source",)
    commands = ("virsh",)
    reach = 3
    nothing = "no disk follows"

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        below = (cursor.line(cursor.at + step) for step in (1, 2))
        is_head = _LIST.match(cursor.line(cursor.at)) and any(map(_RULE.match, below))
        return cursor.at if is_head else None

    @override
    def items(
        self, cursor: TextCursor, first: int, prompt: Prompt
    ) -> tuple[int, Iterable[PrintedSubject]]:
        disks: list[PrintedSubject] = []
        last = first
        for index, line in lines(cursor, first + 1, 200):
            match = _LISTED.match(line)
            if prompt_in(line) or index > last + 2 or not (match or _RULE.match(line) or not line):
                break
            if match:
                path = {"path": match["path"]} if match["path"] != "-" else {}
                disks.append(PrintedSubject("guest", match["name"], path, prompt.host))
                last = index
        return last, disks


class VirshInfo(StateOutput):
    tool = "virsh domblkinfo"
    anchors = ("Allocation: ",)
    commands = ("virsh",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        above = _INFO.match(cursor.line(cursor.at - 1))
        own = _INFO.match(cursor.line(cursor.at))
        return cursor.at - 1 if own and above and above["name"] == "Capacity" else None

    @override
    def items(
        self, cursor: TextCursor, first: int, prompt: Prompt
    ) -> tuple[int, Iterable[PrintedSubject]]:
        values: dict[str, Scalar] = {}
        last = first
        for index, line in lines(cursor, first, 3):
            if match := _INFO.match(line):
                name = {"Capacity": "size"}.get(match["name"], match["name"].lower())
                values[name] = round(units.printed(match["value"].replace(" ", ""))[0])
                last = index
        asked = _ASKED.search(prompt.command)
        name = asked["device"] if asked else "disk"
        return last, (PrintedSubject("guest", name, values, prompt.host),)


class VirshCounts(StateOutput):
    tool = "virsh domblkstat"
    anchors = ("rd_req ", "wr_req ", "flush_operations ")
    commands = ("virsh",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _STAT.match(cursor.line(cursor.at)):
            return None
        return start_of(cursor, _STAT.match)

    @override
    def items(
        self, cursor: TextCursor, first: int, prompt: Prompt
    ) -> tuple[int, Iterable[PrintedCounters]]:
        values: dict[str, Json] = {}
        last, device = first, ""
        for index, line in lines(cursor, first, 20):
            match = _STAT.match(line)
            if not match or match["name"] in values:
                break
            figure = int(match["value"])
            values[match["name"]] = figure / 1e9 if "times" in match["name"] else figure
            device, last = match["device"] or device, index
        asked = _ASKED.search(prompt.command)
        name = device or (asked["device"] if asked else "disk")
        return last, (self.counted("guest", name, values, prompt),)


class QemuImage(StateOutput):
    tool = "qemu-img info"
    anchors = ("file format: ",)
    commands = ("qemu-img",)
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        is_image = _IMAGE.match(cursor.line(cursor.at - 1))
        return cursor.at - 1 if is_image else None

    @override
    def items(
        self, cursor: TextCursor, first: int, prompt: Prompt
    ) -> tuple[int, Iterable[PrintedSubject]]:
        values: dict[str, Scalar] = {}
        head = _IMAGE.match(cursor.line(first))
        last = first
        for index, line in lines(cursor, first + 1, 40):
            match = _ITEM.match(line)
            if prompt_in(line) or not (match or line.rstrip().endswith(":")):
                break
            last = index
            if match:
                _of_image(values, match["key"].strip(), match["value"])
        if head is None or "size" not in values:
            raise Unreadable("its virtual size is cut off", last)
        return last, (PrintedSubject("guest", head["path"], values, prompt.host),)


def _of_image(values: dict[str, Scalar], key: str, text: str) -> None:
    if key == "virtual size" and (exact := _BYTES.search(text)):
        values["size"] = int(exact[1])
    elif key == "disk size":
        values["allocation"] = round(units.printed(text.replace(" ", ""), binary=True)[0])
    elif key in {"cluster_size", "file format", "backing file", "compat", "preallocation"}:
        name = {"file format": "format"}.get(key, key.replace(" ", "_"))
        values[name] = int(text) if text.isdecimal() else text.partition(" (actual")[0]
    elif key in {"lazy refcounts", "corrupt", "encrypted", "extended l2"}:
        values[key.replace(" ", "_")] = text in {"true", "yes"}


class QmConfig(StateOutput):
    tool = "qm config"
    anchors = (
        *(f"{bus}{number}: " for bus in ("scsi", "virtio", "sata", "ide") for number in range(4)),
    )
    commands = ("qm", "cat")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _DISK.match(cursor.line(cursor.at)):
            return None
        return start_of(cursor, _QM.match)

    @override
    def items(
        self, cursor: TextCursor, first: int, prompt: Prompt
    ) -> tuple[int, Iterable[PrintedSubject]]:
        disks: list[PrintedSubject] = []
        machine: dict[str, Scalar] = {}
        last = first
        for index, line in lines(cursor, first, 100):
            if not _QM.match(line):
                break
            last = index
            if disk := _DISK.match(line):
                values = _qm_disk(disk["path"], disk["options"])
                disks.append(PrintedSubject("guest", disk["name"], values, prompt.host))
                continue
            key, _, text = line.strip().partition(":")
            if key in {"scsihw", "name", "cpu", "machine", "bios", "ostype"}:
                machine[key] = text.strip()
            elif key in {"cores", "sockets", "memory"} and text.strip().isdecimal():
                machine[key] = int(text) * (units.MIB if key == "memory" else 1)
        if machine:
            disks.append(PrintedSubject("guest", "machine", machine, prompt.host))
        return last, disks


def _qm_disk(path: str, text: str) -> dict[str, Scalar]:
    values: dict[str, Scalar] = {"path": path}
    for part in text.strip(",").split(","):
        key, equals, value = part.partition("=")
        if key == "size" and _QM_SIZE.fullmatch(value):
            values["size"] = round(units.printed(value, binary=True)[0])
        elif key in {"iothread", "ssd", "ro"}:
            values[key] = value in {"1", "on", "yes"}
        elif key in {"mbps", "mbps_rd", "mbps_wr"} and _PLAIN.fullmatch(value):
            way = {"mbps": "", "mbps_rd": "read_", "mbps_wr": "write_"}[key]
            values[f"limit_{way}bandwidth"] = float(value) * units.MIB
        elif equals:
            values[key] = int(value) if _QM_COUNT.fullmatch(value) else value
    return values
