"""Whether a device is used by anything the kernel or a process can show, and the evidence.

Devices are compared by number, never by name (peers that compare names with mtab are deceived by
every symbolic link), image files by device and inode. What has claimed a device without showing up
here (DRBD, an older bcache) is found by the exclusive open of hold.py.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

from iosonde.change.family import Family, FamilyMember
from iosonde.change.node import FileNode, look_at
from iosonde.change.scan import Opener, Seen
from iosonde.errors import IosondeError, Refused
from iosonde.hosts.host import Host
from iosonde.kerneltext import decoded, fields, lines, unescape

_LIO = "exported over iSCSI (LIO)"
_NAMED = (
    # LIO: drivers/target/target_core_configfs.c, udev_path of each backstore of any kind
    (_LIO, "/sys/kernel/config/target/core/*/*/udev_path"),
    # nvmet: drivers/nvme/target/configfs.c
    ("exported over NVMe-oF", "/sys/kernel/config/nvmet/subsystems/*/namespaces/*/device_path"),
    # drivers/usb/gadget/function/f_mass_storage.c
    ("exported over USB",
     "/sys/kernel/config/usb_gadget/*/functions/mass_storage.*/lun.*/file"),
)  # fmt: skip
_LIO_INFO = "/sys/kernel/config/target/core/*/*/info"
"""What a backstore really opened, whatever its udev_path says: drivers/target/target_core_file.c,
"… File: NAME  Size: …"; target_core_iblock.c, "… Major: 8 Minor: 16  CLAIMED: IBLOCK"."""
_LIO_NUMBER = re.compile(r"Major: (\d+) Minor: (\d+)")


@dataclass(frozen=True, slots=True)
class Use:
    """One way in which a device is used. `evidence` is where it was read, and what stood there.

    `passing`: it may be over in a moment, as the probing of udev is.
    """

    reason: str
    evidence: str
    passing: bool = False


async def uses(
    host: Host, path: str, family: Family, seen: Seen, *, ours: str = ""
) -> tuple[Use, ...]:
    """All uses of a family of devices that can be seen.

    Args:
        host: where it is.
        path: of the target, for messages.
        family: the target and what shares its blocks.
        seen: who uses what there.
        ours: a word on the command line of iosonde's own process that holds the device.

    Raises:
        Refused: something that must be looked at cannot be.
    """
    if not seen.mounts:
        raise Refused(
            "the mounts of this host cannot be read", where=path, evidence="/proc/*/mountinfo"
        )
    finders = (
        _mounts(host, family, seen),
        _swaps(host, path, family),
        _holders(host, path, family),
        _exports(host, family),
        _openers(host, family, seen, ours),
        _uncounted(host, family, seen, ours),
    )
    # Beside each other: a host may be far. What goes wrong is told in their order.
    results = await asyncio.gather(*map(_listed, finders), return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return tuple(
        use for result in results if not isinstance(result, BaseException) for use in result
    )


async def _listed(finder: AsyncIterator[Use]) -> list[Use]:
    return [use async for use in finder]


def _said(reason: str, member: FamilyMember) -> str:
    return f"{reason} ({member.relation} {member.name})" if member.relation else reason


def _by_node(family: Family, node: FileNode, reason: str, evidence: str) -> Iterator[Use]:
    """The use of what a name leads to, where that is a member or its image file."""
    member = family.member(node.number) if node.kind == "device" else None
    if member is not None:
        yield Use(_said(reason, member), evidence)
    elif node.kind == "file" and node.file in family.images:
        yield Use(f"{reason} (its image {node.path})", evidence)


async def _mounts(host: Host, family: Family, seen: Seen) -> AsyncIterator[Use]:
    """In every mount namespace that has a process. Field 3 is the device (proc_pid_mountinfo(5)).

    File systems with a device number of their own (btrfs, overlay) are found by their source.
    """
    by_source: dict[str, str] = {}
    reported: set[str] = set()
    for place, line in seen.mounts:
        evidence = f"{place}/mountinfo: {line.strip()}"
        mount, _, origin = line.partition(" - ")
        number, point = mount.split(" ")[2], unescape(mount.split(" ")[4])
        source = unescape(origin.split(" ")[1])
        member = family.member(number)
        if member is not None and point not in reported:
            reported.add(point)
            yield Use(_said(f"mounted at {point}", member), evidence)
        elif source.startswith("/"):
            by_source.setdefault(source, evidence)
    for source, node in (await look_at(host, list(by_source))).items():
        for use in _by_node(family, node, "mounted", by_source[source]) if not reported else ():
            yield use


async def _read(host: Host, path: str, file: str) -> str:
    """A file without which nothing can be said.

    Raises:
        Refused: it cannot be read.
    """
    try:
        return decoded(await host.read(file))
    except IosondeError as problem:
        raise Refused(
            f"{file} cannot be read, so the use of the device cannot be checked",
            where=path,
            evidence=str(problem),
        ) from None


async def _swaps(host: Host, path: str, family: Family) -> AsyncIterator[Use]:
    swaps = {
        unescape(fields(line)[0]): line
        for line in lines(await _read(host, path, "/proc/swaps"))[1:]
        if fields(line)
    }
    for name, node in (await look_at(host, list(swaps))).items():
        for use in _by_node(family, node, "used as swap", f"/proc/swaps: {swaps[name]}"):
            yield use


async def _holders(host: Host, path: str, family: Family) -> AsyncIterator[Use]:
    del path
    for member in family.members:
        for holder in await host.glob(f"{member.sysfs}/holders/*"):
            name = holder.rsplit("/", 1)[1]
            yield Use(_said(f"held by {name}", member), holder)
        for mark in await host.glob(f"{member.sysfs}/bcache"):
            if await host.resolve(mark) != mark:
                continue  # of a cached device itself: it leads to what that stands on
            yield Use(_said("held by bcache", member), mark)

    for loop, backing in family.backed:
        if (under := family.member(backing)) is not None:
            evidence = f"LOOP_GET_STATUS64 of {loop}: lo_rdevice {backing}"
            yield Use(_said(f"held by {loop} as its backing file", under), evidence)


async def _exports(host: Host, family: Family) -> AsyncIterator[Use]:
    """Attributes of sysfs and configfs that hold the name of a device or of an image file."""
    named: dict[str, tuple[str, str]] = {}
    for reason, pattern in _NAMED:
        for file in await host.glob(pattern):
            name = (await _if_there(host, file)).removesuffix("\n")
            named.setdefault(name, (reason, f"{file}: {name}"))
    for file in await host.glob(_LIO_INFO):
        shown = await _if_there(host, file)
        name = shown.partition("File: ")[2].rpartition("  Size: ")[0]
        named.setdefault(name, (_LIO, f"{file}: {name}"))
        number = _LIO_NUMBER.search(shown)
        member = family.member(f"{number[1]}:{number[2]}") if number else None
        if member is not None:
            yield Use(_said(_LIO, member), f"{file}: {shown.strip()}")
    names = [name for name in named if name.startswith("/")]
    for name, node in (await look_at(host, names)).items():
        for use in _by_node(family, node, *named[name]):
            yield use


async def _if_there(host: Host, file: str) -> str:
    """An attribute, empty where it has gone since it was listed."""
    try:
        return decoded(await host.read(file))
    except IosondeError:
        return ""


async def _openers(host: Host, family: Family, seen: Seen, ours: str) -> AsyncIterator[Use]:
    """Processes that have a member or its image: descriptors of every table, mappings, io_uring."""
    reported: set[tuple[str, str]] = set()
    for opener in seen.openers:
        member = family.member(opener.key)
        if (member is None and opener.key not in family.images) or (
            opener.pid,
            opener.key,
        ) in reported:
            continue
        reported.add((opener.pid, opener.key))
        argv = await _command(host, opener.pid)
        if not argv or (ours and ours in argv):
            continue
        reason = f"{'mapped' if opener.how == 'mapped' else 'open'} in process {opener.pid}"
        reason = _said(reason, member) if member else f"its image is {reason}"
        yield Use(reason, f"{_where(opener)}: {_shown(argv, opener.pid)}", passing=True)
    for pid, descriptor in seen.in_flight:
        argv = await _command(host, pid)
        if argv and not (ours and ours in argv):
            yield Use(
                f"descriptors are on their way to process {pid}, and may be of this device",
                f"/proc/{pid}/fdinfo/{descriptor}: scm_fds: {_shown(argv, pid)}",
                passing=True,
            )


def _where(opener: Opener) -> str:
    """Where it was seen."""
    place = {"open": "task/*/fd", "mapped": "map_files", "registered": "fdinfo (io_uring)"}
    return f"/proc/{opener.pid}/{place[opener.how]}"


def _shown(argv: list[str], pid: str) -> str:
    """A command line; of an argument that is a program (`perl -e …`) the first line alone."""
    first = (word.partition("\n") for word in argv)
    return " ".join(line + " …" * bool(more) for line, more, _ in first).strip() or f"process {pid}"


async def _uncounted(host: Host, family: Family, seen: Seen, ours: str) -> AsyncIterator[Use]:
    """More openers than can be seen: device-mapper alone counts them (dmsetup(8), info).

    It counts opens, not descriptors: what iosonde's own processes have is one open that they share
    (keeper/), so it is taken for one.
    """
    for member in family.members:
        if not await host.glob(f"{member.sysfs}/dm"):
            continue
        major, minor = member.number.split(":")
        argv = ["dmsetup", "info", "-c", "--noheadings", "-o", "open", "-j", major, "-m", minor]
        done = await host.run(argv, check=False)
        count = decoded(done.stdout).strip()
        shown = await _opens(host, seen, member.number, ours)
        if count.isdigit() and int(count) > shown:
            evidence = f"dmsetup info: open {count}; in processes {shown}"
            yield Use(_said("open where no process shows it", member), evidence, passing=True)


async def _opens(host: Host, seen: Seen, number: str, ours: str) -> int:
    """How many opens of a device the processes account for."""
    pids = [opener.pid for opener in seen.openers if opener.key == number]
    own = [pid for pid in dict.fromkeys(pids) if ours and ours in await _command(host, pid)]
    return sum(pid not in own for pid in pids) + bool(own)


async def _command(host: Host, pid: str) -> list[str]:
    """A process's arguments; none where it has ended since, or is one of the kernel's."""
    try:
        return decoded(await host.read(f"/proc/{pid}/cmdline")).split("\0")
    except IosondeError:
        return []
