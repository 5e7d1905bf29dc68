"""What tells a thing on a host from any other that ever has its name.

Kernel names are given anew: after a restart /dev/loop5 is somebody else's, and /dev/sdb may be
another disk. So what a step of `up` made or worked on is recorded with everything that tells it
from others, and `down` looks at that before it undoes the step.

Some of it outlives a restart: a disk's WWN or serial number, the UUID that device-mapper, md,
bcache or a partition table keeps, inode and time of birth of a loop device's file, the UUID of a
file system. The kernel's number of a disk (`diskseq`, since Linux 5.15) is never given twice, but
begins anew with each boot, so it counts within one boot alone.

Source: Linux Documentation/ABI/stable/sysfs-block (diskseq, loop), sysfs-class-scsi (wwid);
drivers/nvme/host/sysfs.c (wwid); drivers/block/virtio_blk.c (serial); drivers/md/dm-sysfs.c (uuid);
losetup(8) (BACK-INO); stat(1) (%W); blkid(8) (--probe); proc_pid_mountinfo(5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

from iosonde import kerneltext
from iosonde.errors import HostFailed
from iosonde.hosts.command import quote
from iosonde.hosts.host import Host
from iosonde.layers.step import UndoSubject
from iosonde.scripts import program, source

CHANGED = 77
"""Status of a guarded command that was not run, since a thing is another one now."""
UNREADABLE = "unreadable"
_PATIENCE = 60.0  # seconds for a host to answer, and for each device that may not any more
_PER_DEVICE = 50.0
_THIS_BOOT = ("diskseq", "disk.diskseq", "nbd.pid")
_NO_IDENTITY = frozenset({*_THIS_BOOT, "size", "loop.file"})
_TELLS_ALONE = frozenset({
    "wwid", "serial", "cid", "dm.uuid", "md.uuid", "bcache.uuid", "partuuid", "loop.born", "born",
    "output", "source",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Facts:
    """What one thing is, and what is on it, at one moment.

    Args:
        path: where it was then.
        boot: id of the host's boot (/proc/sys/kernel/random/boot_id).
        its: what it is; a key that the host cannot tell is not there.
        carries: type and UUID of what is on it, `pttype` and `ptuuid` of a partition table.
    """

    path: str
    boot: str
    its: Mapping[str, str] = field(default_factory=dict)
    carries: Mapping[str, str] = field(default_factory=dict)

    @property
    def readable(self) -> bool:
        """Whether it could be said what is on it."""
        return self.carries.get("type") != UNREADABLE

    @property
    def contents(self) -> frozenset[str]:
        """What is on it, each with its UUID: "ext4 b8c4f632-…"; nothing where nothing is known."""
        pairs = (("type", "uuid"), ("pttype", "ptuuid"))
        return frozenset(
            f"{self.carries[kind]} {self.carries.get(number, '')}".strip()
            for kind, number in pairs
            if kind in self.carries and self.readable
        )

    def __str__(self) -> str:
        facts = [f"{key} {value}" for key, value in self.its.items() if key != "size"]
        return f"{self.path} ({', '.join((*facts, *sorted(self.contents)))})"


class Likeness(Enum):
    """Whether two descriptions are of the same thing."""

    SAME = "same"
    OTHER = "other"
    ONLY_ITS_NAME = "only its name"


def likeness(recorded: Facts, now: Facts) -> Likeness:
    """Whether what stands there now is what was recorded.

    A difference in what lasts decides, whatever else is alike; then what tells a thing all alone;
    then, within one boot, the kernel's number; then what is on it.
    """
    both = recorded.its.keys() & now.its.keys()
    lasting = both - _NO_IDENTITY
    if any(recorded.its[key] != now.its[key] for key in lasting):
        return Likeness.OTHER
    if "partition" in both and recorded.its.get("size") != now.its.get("size"):
        return Likeness.OTHER
    if any(key.removeprefix("disk.") in _TELLS_ALONE for key in lasting):
        return Likeness.SAME
    if recorded.boot == now.boot:
        alike = same_kernel_object(recorded, now)
        return Likeness.SAME if alike else Likeness.OTHER
    if recorded.contents & now.contents:
        return Likeness.SAME
    return Likeness.ONLY_ITS_NAME


def same_kernel_object(recorded: Facts, now: Facts) -> bool:
    """Whether it is what the kernel attached then, and not only the same disk attached again."""
    return recorded.boot == now.boot and all(
        recorded.its[key] == now.its[key]
        for key in _THIS_BOOT
        if key in recorded.its and key in now.its
    )


def _call(verb: str, *arguments: str) -> tuple[str, ...]:
    return (
        "sh",
        "-c",
        program("iosonde.layers.md", "uuid.sh", then=source("iosonde.change", "identity.sh")),
        "iosonde-identity",
        verb,
        *arguments,
    )


async def boot_id(host: Host) -> str:
    """The id of the host's present boot."""
    return kerneltext.decoded((await host.run(_call("read"))).stdout).strip()


async def read(host: Host, subjects: Sequence[UndoSubject]) -> list[Facts]:
    """What things are now, in their order; without `its` where there is none.

    Raises:
        HostFailed: the host cannot say.
    """
    if not subjects:
        return []
    arguments = [
        word for subject in subjects for word in (subject.what, subject.name, _asked(subject))
    ]
    described = await _described(host, _call("read", *arguments), len(subjects))
    if len(described) != len(subjects):
        raise HostFailed("the host did not say what its devices are", where=host.name)
    return described


async def find(host: Host, recorded: Facts) -> list[Facts]:
    """The devices of a host that are what was recorded, under whatever names, and what they carry.

    A device that nothing but its content tells from others is looked for by udev's links.
    """
    hardware = await _described(host, _call("find"), 1)
    paths = [facts.path for facts in hardware if facts.its and _is(recorded, facts)]
    if not paths:
        names = {"by-uuid": "uuid", "by-partuuid": "partuuid"}
        traits = {**recorded.its, **recorded.carries}
        paths = [f"/dev/disk/{kind}/{traits[key]}" for kind, key in names.items() if key in traits]
    read_again = await read(host, [UndoSubject("device", path) for path in paths])
    alike = {facts.path: facts for facts in read_again if facts.its and _is(recorded, facts)}
    return list(alike.values())


def _is(recorded: Facts, now: Facts) -> bool:
    """Whether it is surely the recorded device; what has no number of the kernel never is."""
    if recorded.boot == now.boot and not any(
        key in now.its and key in recorded.its
        for key in (*_THIS_BOOT, *_TELLS_ALONE, *(f"disk.{key}" for key in _TELLS_ALONE))
    ):
        return False
    return likeness(recorded, now) is Likeness.SAME


async def _described(host: Host, argv: Sequence[str], count: int) -> list[Facts]:
    timeout = _PATIENCE + _PER_DEVICE * count
    text = kerneltext.decoded((await host.run(argv, timeout=timeout)).stdout)
    boot, _, rest = text.partition("\n")
    described: list[Facts] = []
    for line in rest.split("\n"):
        if line.startswith("@ "):
            its: dict[str, str] = {}
            carries: dict[str, str] = {}
            described.append(Facts(line[2:], boot, its, carries))
            section = its
        elif line == "=":
            section = carries
        elif line:
            key, _, value = line.partition("\t")
            section[key] = value
    return described


def guarded(things: Sequence[tuple[UndoSubject, Facts]], argv: Sequence[str]) -> tuple[str, ...]:
    """A command that runs only while things are what they were when they were looked at.

    It ends with `CHANGED` where one is another. Devices that the command does not take away are
    held open meanwhile, so that the kernel gives their numbers to no other.

    Args:
        things: each with what was seen of it; their paths are those that `argv` names.
        argv: the command.
    """
    arguments: list[str] = []
    for subject, facts in things:
        hold = subject.what == "file" or (
            subject.what == "device" and (subject.fleeting or not subject.given)
        )
        arguments += (subject.what, "hold" if hold else "-", facts.path, _asked(subject))
        arguments += (_text(facts.its), _text(facts.carries))
    return _call("run", str(len(things)), *arguments, *argv)


def _asked(subject: UndoSubject) -> str:
    return quote(subject.ask) if subject.ask else ""


def _text(traits: Mapping[str, str]) -> str:
    return "\n".join(f"{key}\t{value}" for key, value in traits.items())
