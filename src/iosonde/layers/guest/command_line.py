"""The disks in a command line of QEMU, as people, libvirt and Proxmox write it.

Source: qemu(1) 7.2 (-drive, -blockdev, -device, -name); QEMU util/keyval.c and util/qemu-option.c
(",," is a comma); libvirt src/qemu/qemu_command.c (JSON after -blockdev and -device).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from iosonde.exact import from_json
from iosonde.records.stack import Scalar

_BUSES = (
    ("virtio-blk", "virtio-blk"), ("scsi-", "scsi"), ("ide-", "ide"), ("nvme", "nvme"),
    ("usb-storage", "usb"),
)  # fmt: skip
_DEPTH = 8  # filters between a device and its file


@dataclass(frozen=True, slots=True)
class GuestDisk:
    """A disk of a running machine.

    `guest` its name, `drive` the disk's id or node name, `path` of what holds it (empty: something
    on a network), `bus` ("virtio-blk", "virtio-scsi", "scsi", "ide" …), `cache` QEMU's name of the
    mode, `aio` and `serial` as given (empty: not), `iothread` whether one of its own serves it,
    `queues` None where QEMU chooses.
    """

    guest: str
    drive: str
    path: str
    bus: str
    cache: str
    aio: str
    iothread: bool
    queues: int | None
    serial: str

    def facts(self) -> dict[str, Scalar]:
        """What a layer says of it."""
        facts: dict[str, Scalar] = {
            "guest": self.guest, "bus": self.bus, "cache": self.cache, "aio": self.aio or "threads",
            "iothread": self.iothread, "queues": self.queues, "serial": self.serial or None,
        }  # fmt: skip
        return {name: value for name, value in facts.items() if value is not None}


def options(text: str, first: str = "") -> dict[str, str]:
    """One argument of QEMU as a mapping; nested JSON keys are joined by dots.

    Args:
        text: "KEY=VALUE,…" or a JSON object.
        first: the key of a leading word without "=" ("driver" of -device).
    """
    if text.startswith("{"):
        try:
            return _flat(from_json(text))
        except ValueError:
            return {}
    values: dict[str, str] = {}
    for number, part in enumerate(text.replace(",,", "\0").split(",")):
        key, equals, value = part.replace("\0", ",").partition("=")
        if not equals:
            key, value = (first, key) if number == 0 and first else (key, "on")
        values[key] = value
    return values


def _flat(value: Mapping[str, object], prefix: str = "") -> dict[str, str]:
    flat: dict[str, str] = {}
    for key, nested in value.items():
        if isinstance(nested, dict):
            flat |= _flat(nested, f"{prefix}{key}.")
        elif isinstance(nested, bool):
            flat[prefix + key] = "on" if nested else "off"
        else:
            flat[prefix + key] = str(nested)
    return flat


def _arguments(argv: Sequence[str], name: str) -> list[str]:
    return [value for flag, value in pairwise(argv) if flag.lstrip("-") == name]


def disks_of(argv: Sequence[str]) -> tuple[GuestDisk, ...]:
    """The disks of a machine that have a file or a device below, in the order of the command line.

    Args:
        argv: QEMU's argument list, as /proc/PID/cmdline has it.
    """
    names = [options(argument, "guest").get("guest", "") for argument in _arguments(argv, "name")]
    guest = (names or [""])[-1] or "unnamed"
    devices = [options(argument, "driver") for argument in _arguments(argv, "device")]
    controllers = {device["id"]: device for device in devices if "id" in device}
    drives = _drives(argv)
    nodes = {node["node-name"]: node for node in map(options, _arguments(argv, "blockdev"))
             if "node-name" in node}  # fmt: skip
    disks = []
    for device in devices:
        bus = next(
            (word for start, word in _BUSES if device.get("driver", "").startswith(start)), ""
        )
        if not bus or "drive" not in device:
            continue
        controller = controllers.get(device.get("bus", "").partition(".")[0], {})
        virtio_scsi = controller.get("driver", "").startswith("virtio-scsi")
        source = drives.get(device["drive"]) or _leaf(nodes, device["drive"])
        if bus == "scsi" and virtio_scsi:
            whole = {**controller, **device}
            disks.append(_disk(guest, device["drive"], "virtio-scsi", whole, source))
        else:
            disks.append(_disk(guest, device["drive"], bus, device, source))
    for name, drive in drives.items():
        if drive.get("if") == "virtio":
            disks.append(_disk(guest, name, "virtio-blk", {}, drive))
    return tuple(disk for disk in disks if disk.path)


def _drives(argv: Sequence[str]) -> dict[str, dict[str, str]]:
    """All -drive by their ids; those without get the name QEMU gives them."""
    drives: dict[str, dict[str, str]] = {}
    for drive in map(options, _arguments(argv, "drive")):
        if drive.get("media") != "cdrom":
            name = drive.get("id") or f"{drive.get('if', 'ide')}{drive.get('index', len(drives))}"
            drives[name] = drive
    return drives


def _leaf(nodes: Mapping[str, dict[str, str]], name: str) -> dict[str, str]:
    """A block node with what it has from those below it, down to the one that holds the data."""
    merged: dict[str, str] = {}
    for _ in range(_DEPTH):
        node = nodes.get(name, {})
        merged = {
            **node,
            **merged,
            **{key: node[key] for key in ("filename", "aio") if key in node},
        }
        if "file" not in node:
            break
        name = node["file"]
    return merged


def _disk(
    guest: str, drive: str, bus: str, device: Mapping[str, str], source: Mapping[str, str]
) -> GuestDisk:
    queues = device.get("num-queues") or device.get("num_queues") or ""
    return GuestDisk(
        guest=guest,
        drive=drive,
        path=source.get("filename") or source.get("file.filename") or source.get("file", ""),
        bus=bus,
        cache=_cache(device, source),
        aio=source.get("aio") or source.get("file.aio", ""),
        iothread="iothread" in device,
        queues=int(queues) if queues.isdecimal() else None,
        serial=device.get("serial") or source.get("serial", ""),
    )


def _cache(device: Mapping[str, str], source: Mapping[str, str]) -> str:
    """QEMU's name of a cache mode, from its three switches (qemu(1), -drive cache=)."""
    if "cache" in source:
        return source["cache"]
    if source.get("cache.no-flush") == "on":
        return "unsafe"
    direct, write_back = source.get("cache.direct") == "on", device.get("write-cache") != "off"
    return {
        (True, True): "none", (True, False): "directsync",
        (False, True): "writeback", (False, False): "writethrough",
    }[direct, write_back]  # fmt: skip
