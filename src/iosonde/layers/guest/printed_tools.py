"""What qemu-img and Proxmox's qm and pct say of disks of virtual machines and containers.

Source:
    QEMU block/qapi.c (bdrv_image_info_dump: the exact size in
    brackets); Proxmox VE qm.conf(5) and pct.conf(5) (VOLUME,KEY=VALUE…; K, M, G and T of size
    binary; memory and swap in MiB) and
    qemu-server PVE/QemuServer.pm, print_drive_commandline_full (mbps times 1024 * 1024).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from typing_extensions import override

from iosonde import units
from iosonde.records.printed import PrintedSubject, Unreadable
from iosonde.records.stack import Scalar
from iosonde.text.cursor import Prompt, TextCursor, lines, prompt_in
from iosonde.text.reader import StateOutput, start_of

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
_VOLUME = re.compile(
    r"\s*(?:rootfs|mp\d{1,3}): (?P<path>[\w./-]{1,120}:[^,\s]{1,200}|/[^,\s]{1,200})"
    r"(?P<options>(?:,[\w-]+=[^,\s]{1,80})*)\s*$"
)
_PCT = re.compile(
    r"\s*+(?:arch|cmode|console|cores|cpulimit|cpuunits|debug|description|dev\d{1,3}|features|"
    r"hookscript|hostname|lock|lxc\.[\w.]{1,40}|memory|mp\d{1,3}|nameserver|net\d{1,2}|onboot|"
    r"ostype|parent|protection|rootfs|searchdomain|startup|swap|tags|template|timezone|tty|"
    r"unprivileged|unused\d{1,3}): ?\S"
)
_PCT_OWN = re.compile(r"\s*+(?:arch|hostname|ostype|swap|unprivileged): ")
_QM_COUNT = re.compile(r"\d{1,12}")
_PLAIN = re.compile(r"\d{1,9}(?:\.\d{1,3})?")
_QM_SIZE = re.compile(r"\d{1,9}(?:\.\d{1,3})?[KMGT]?")


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
    elif key in {
        "cluster_size",
        "file format",
        "backing file",
        "compat",
        "preallocation",
        "refcount bits",
        "compression type",
    }:
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


class PctConfig(StateOutput):
    """A container of Proxmox: its volumes by where it mounts them."""

    tool = "pct config"
    anchors = ("rootfs: ",)
    commands = ("pct", "cat")
    reach = 3

    @override
    def begin(self, cursor: TextCursor) -> int | None:
        if not _VOLUME.match(cursor.line(cursor.at)):
            return None
        first = start_of(cursor, _PCT.match, most=60)
        return first if any(map(_PCT_OWN.match, cursor.block(first, 40))) else None

    @override
    def items(
        self, cursor: TextCursor, first: int, prompt: Prompt
    ) -> tuple[int, Iterable[PrintedSubject]]:
        subjects: list[PrintedSubject] = []
        container: dict[str, Scalar] = {}
        last = first
        for index, line in lines(cursor, first, 100):
            if not _PCT.match(line):
                break
            last = index
            key, _, text = line.strip().partition(":")
            text = text.strip()
            if volume := _VOLUME.match(line):
                values = _qm_disk(volume["path"], volume["options"])
                subjects.append(PrintedSubject("guest", key, values, prompt.host))
            elif key in {"memory", "swap", "cores"} and _QM_COUNT.fullmatch(text):
                container[key] = int(text) * (1 if key == "cores" else units.MIB)
            elif key in {"arch", "hostname", "ostype", "features"}:
                container[key] = text
            elif key == "unprivileged":
                container[key] = text == "1"
        return last, [*subjects, PrintedSubject("guest", "container", container, prompt.host)]


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
