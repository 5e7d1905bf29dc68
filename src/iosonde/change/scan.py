"""What a host's kernel shows of its block devices, mounts and open files, read in one go.

The reading is done on the host by a program of its own, in Perl (essential on Debian) or Python,
whichever is there: thousands of processes are gone through in a fraction of the time that find(1)
and stat(1) take, and only system calls tell what a loop device really stands on (ioctl_loop, whose
backing file's name may lie) and which threads have a table of descriptors of their own (kcmp(2)).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from iosonde.errors import Refused
from iosonde.hosts.host import Host
from iosonde.hosts.packages import install_hint
from iosonde.kerneltext import decoded, lines
from iosonde.scripts import source

_INTERPRETERS = (("perl", "-e", "scan_host.pl"), ("python3", "-c", "scan_host.py"))
_NOT_FOUND = 127
_PTRACE = 1 << 19  # CAP_SYS_PTRACE, include/uapi/linux/capability.h
# PROC_PID_INIT_INO and PROC_USER_INIT_INO, include/linux/proc_ns.h
_INITIAL = ("pid:[4026531836]", "user:[4026531837]")


@dataclass(frozen=True, slots=True)
class ScannedDevice:
    """One block device; `start` and `size` in bytes, `disk` the number of a partition's disk."""

    name: str
    number: str
    disk: str
    start: int
    size: int


@dataclass(frozen=True, slots=True)
class Backing:
    """What a loop device stands on: a file (`image`, "DEVICE:INODE") or a block `device`.

    `offset` bytes into it.
    """

    image: str
    device: str
    offset: int


@dataclass(frozen=True, slots=True)
class ScannedDevices:
    """All block devices of a host by number.

    `loops` are those that are attached, None where it cannot be read to what; `slaves` what a
    device of md or device-mapper stands on. `unseen` says what of the host cannot be seen from
    here, empty where everything can.
    """

    all: Mapping[str, ScannedDevice] = field(default_factory=dict)
    loops: Mapping[str, Backing | None] = field(default_factory=dict)
    slaves: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unseen: str = ""


@dataclass(frozen=True, slots=True)
class Opener:
    """A process that has a block device or the image of a loop device.

    `how` is open, mapped or registered,
    `key` the device's number, or "DEVICE:INODE" of the image.
    """

    pid: str
    how: str
    key: str


@dataclass(frozen=True, slots=True)
class Seen:
    """Who uses what.

    `mounts`: lines of mountinfo, each with the process it was read from;
    `in_flight`: descriptors of Unix sockets (process, descriptor) with unreceived descriptors.
    """

    mounts: tuple[tuple[str, str], ...]
    openers: tuple[Opener, ...]
    in_flight: tuple[tuple[str, str], ...]


async def scan(host: Host, path: str) -> tuple[ScannedDevices, Seen]:
    """The block devices of a host, and who uses them and the images of its loop devices.

    In one go: a second program would have to be started, and would see another moment.

    Raises:
        Refused: they cannot be read; `path` is the target, for the message.
    """
    rows = await _scanned(host, path)
    return _devices(rows), _seen(rows)


def _devices(rows: Sequence[Sequence[str]]) -> ScannedDevices:
    devices: dict[str, ScannedDevice] = {}
    loops: dict[str, Backing | None] = {}
    slaves: dict[str, tuple[str, ...]] = {}
    unseen = "/proc/self cannot be read"
    for kind, *rest in rows:
        if kind == "device":
            name, number, disk, start, size = rest
            parent = disk if disk != "-" else ""
            devices[number] = ScannedDevice(name, number, parent, int(start), int(size))
        elif kind == "slave":
            slaves[rest[0]] = (*slaves.get(rest[0], ()), rest[1])
        elif kind == "backing":
            loops[rest[0]] = _backing(rest[1:])
        elif kind == "view":
            unseen = _unseen(rest)
    return ScannedDevices(devices, loops, slaves, unseen)


def _seen(rows: Sequence[Sequence[str]]) -> Seen:
    mounts: list[tuple[str, str]] = []
    openers: list[Opener] = []
    in_flight: list[tuple[str, str]] = []
    for kind, *rest in rows:
        if kind == "mount":
            mounts.append((rest[0], " ".join(rest[1:])))
        elif kind == "flight":
            in_flight.append((rest[0], rest[1]))
        elif kind in {"open", "mapped", "registered"}:
            openers.append(Opener(rest[0], kind, rest[2]))
    return Seen(tuple(mounts), tuple(openers), tuple(in_flight))


def _backing(rest: Sequence[str]) -> Backing | None:
    """lo_device, lo_inode, lo_rdevice, lo_offset, lo_sizelimit of struct loop_info64."""
    if rest == ["?"]:
        return None
    device, inode, node, offset, _ = map(int, rest)
    return Backing(f"{device}:{inode}", number_of(node) if node else "", offset)


def number_of(device: int) -> str:
    """Major and minor, "8:16", of a number as the kernel gives it (new_encode_dev, kdev_t.h)."""
    major = (device >> 8) & 0xFFF
    return f"{major}:{(device & 0xFF) | ((device >> 12) & 0xFFF00)}"


def _unseen(view: Sequence[str]) -> str:
    """Why others' files cannot be seen, from namespaces ("-": the kernel has none) and CapEff."""
    *spaces, capabilities = view
    if any(space not in {own, "-"} for space, own in zip(spaces, _INITIAL, strict=True)):
        return f"{', '.join(spaces)}: these are not the host's own namespaces"
    if capabilities == "-" or not int(capabilities, 16) & _PTRACE:
        return f"CapEff {capabilities}: without CAP_SYS_PTRACE others' open files are hidden"
    return ""


async def _scanned(host: Host, path: str) -> list[list[str]]:
    """The lines of the program on the host, cut at blanks.

    It goes as an argument: input of a command costs an ssh host a directory and a file.
    """
    complaint = ""
    for command, flag, program in _INTERPRETERS:
        argv = [command, flag, source("iosonde.change", program)]
        done = await host.run(argv, check=False)
        rows = lines(decoded(done.stdout))
        if done.status == 0 and rows and rows[-1] == "end":
            return [row.split(" ") for row in rows]
        if done.status != _NOT_FOUND:
            complaint = decoded(done.stderr).strip() or f"{command}: exit status {done.status}"
    raise Refused(
        "what uses the device cannot be read"
        + ("" if complaint else ": the host has neither perl nor python3"),
        where=path,
        evidence=complaint or "neither command is there",
        hint="" if complaint else await install_hint(host, "perl"),
    )
