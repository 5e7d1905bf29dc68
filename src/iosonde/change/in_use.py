"""Whether a device is used by anything the kernel or a process can show, and the evidence.

Devices are compared by number, never by name (peers that compare names with mtab are deceived by
every symbolic link). What has claimed a device without showing up here (DRBD, an older bcache) is
found by the exclusive open of hold.py.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass

from iosonde.change.family import Family, Member
from iosonde.change.node import look_at
from iosonde.errors import IosondeError, Refused
from iosonde.hosts.host import Host

_EXPORTS = {
    # LIO: drivers/target/target_core_iblock.c, attribute udev_path of each backstore
    "exported over iSCSI (LIO)": "/sys/kernel/config/target/core/iblock_*/*/udev_path",
    # nvmet: drivers/nvme/target/configfs.c
    "exported over NVMe-oF": "/sys/kernel/config/nvmet/subsystems/*/namespaces/*/device_path",
}
_BACKING = "/sys/block/loop*/loop/backing_file"
_ESCAPE = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class Use:
    """One way in which a device is used. `evidence` is where it was read, and what stood there."""

    reason: str
    evidence: str


async def uses(host: Host, path: str, family: Family, *, ours: str = "") -> tuple[Use, ...]:
    """All uses of a family of devices that can be seen.

    Args:
        host: where it is.
        path: of the target, for messages.
        family: the target and what shares its blocks.
        ours: a word on the command line of iosonde's own process that holds the device.

    Raises:
        Refused: something that must be looked at cannot be.
    """
    finders = (_mounts, _swaps, _holders, _loops, _exports)
    found = [use for find in finders for use in [one async for one in find(host, path, family)]]
    found += [one async for one in _openers(host, path, family, ours)]
    return tuple(found)


def _said(reason: str, member: Member) -> str:
    return f"{reason} ({member.relation} {member.name})" if member.relation else reason


async def _mounts(host: Host, path: str, family: Family) -> AsyncIterator[Use]:
    """In every mount namespace that has a process. Field 3 is the device (proc_pid_mountinfo(5)).

    File systems with a device number of their own (btrfs, overlay) are found by their source.
    """
    done = await host.run(
        ["find", "/proc", "-mindepth", "2", "-maxdepth", "2", "-path", "/proc/[0-9]*/mountinfo",
         "-exec", "grep", "-s", "-H", "-e", " - ", "{}", "+"],
        check=False,
    )  # fmt: skip
    lines = done.stdout.decode(errors="replace").splitlines()
    if not lines:
        raise Refused(
            "the mounts of this host cannot be read", where=path, evidence="/proc/*/mountinfo"
        )
    by_source: dict[str, str] = {}
    told: set[str] = set()
    for line in lines:
        file, _, rest = line.partition(":")
        number, point = rest.split()[2], _plain(rest.split()[4])
        source = _plain(rest.split(" - ", 1)[1].split()[1])
        member = family.member(number)
        if member is not None and point not in told:
            told.add(point)
            yield Use(_said(f"mounted at {point}", member), f"{file}: {rest.strip()}")
        elif source.startswith("/"):
            by_source.setdefault(source, f"{file}: {rest.strip()}")
    for source, node in (await look_at(host, list(by_source))).items():
        member = family.member(node.number) if node.kind == "device" else None
        if member is not None and not told:
            yield Use(_said("mounted", member), by_source[source])


def _plain(field: str) -> str:
    """Octal escapes of /proc undone."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 8)), field)


async def _read(host: Host, path: str, file: str) -> str:
    """A file without which nothing can be said.

    Raises:
        Refused: it cannot be read.
    """
    try:
        return (await host.read(file)).decode(errors="replace")
    except IosondeError as problem:
        raise Refused(
            f"{file} cannot be read, so the use of the device cannot be checked",
            where=path,
            evidence=str(problem),
        ) from None


async def _swaps(host: Host, path: str, family: Family) -> AsyncIterator[Use]:
    lines = {
        _plain(line.split()[0]): line
        for line in (await _read(host, path, "/proc/swaps")).splitlines()[1:]
        if line.strip()
    }
    for name, node in (await look_at(host, list(lines))).items():
        member = family.member(node.number) if node.kind == "device" else None
        if member is not None:
            yield Use(_said("used as swap", member), f"/proc/swaps: {lines[name]}")


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


async def _named_in(host: Host, family: Family, pattern: str, reason: str) -> AsyncIterator[Use]:
    """Sysfs or configfs attributes that hold the path of a device."""
    for file in await host.glob(pattern):
        try:
            named = (await host.read(file)).decode(errors="replace").strip()
        except IosondeError:
            continue  # gone since the glob: a loop device was detached
        for node in (await look_at(host, [named])).values() if named.startswith("/") else ():
            member = family.member(node.number) if node.kind == "device" else None
            if member is not None:
                yield Use(_said(reason.format(file.split("/")[3]), member), f"{file}: {named}")


async def _loops(host: Host, path: str, family: Family) -> AsyncIterator[Use]:
    del path
    async for use in _named_in(host, family, _BACKING, "held by {} as its backing file"):
        yield use


async def _exports(host: Host, path: str, family: Family) -> AsyncIterator[Use]:
    del path
    for reason, pattern in _EXPORTS.items():
        async for use in _named_in(host, family, pattern, reason):
            yield use


async def _openers(host: Host, path: str, family: Family, ours: str) -> AsyncIterator[Use]:
    """Processes with an open descriptor, by device number: all of /proc/PID/fd (needs root)."""
    found = await _descriptors(host)
    if not found:
        raise Refused(
            "the open files of this host's processes cannot be read",
            where=path,
            evidence="/proc/*/fd",
        )
    pids = {pid: family.member(number) for number, pid in found if family.member(number)}
    for pid, member in pids.items():
        words = await _command(host, pid)
        if member is None or not words or (ours and ours in words):
            continue
        command = " ".join(words).strip() or f"process {pid}"
        yield Use(_said(f"open in process {pid}", member), f"/proc/{pid}/fd: {command}")


async def _descriptors(host: Host) -> list[tuple[str, str]]:
    """Device number ("" for what is no block device) and process of every open file."""
    done = await host.run(
        ["find", "/proc", "-mindepth", "3", "-maxdepth", "3", "-path", "/proc/[0-9]*/fd/*",
         "-exec", "stat", "-L", "-c", "%t:%T|%n|%F", "{}", "+"],
        check=False,
    )  # fmt: skip
    found = []
    for line in done.stdout.decode(errors="replace").splitlines():
        number, file, kind = line.split("|")
        parts = number.split(":") if kind == "block special file" else []
        found.append((":".join(str(int(part, 16)) for part in parts), file.split("/")[2]))
    return found


async def _command(host: Host, pid: str) -> list[str]:
    """A process's arguments; none where it has ended since, or is one of the kernel's."""
    try:
        return (await host.read(f"/proc/{pid}/cmdline")).decode(errors="replace").split("\0")
    except IosondeError:
        return []


async def holder_is_open(host: Host, path: str, token: str) -> bool:
    """Whether a process with `token` among its arguments has the device at `path` open."""
    node = (await look_at(host, [path])).get(path)
    for number, pid in await _descriptors(host):
        if node is not None and number == node.number and token in await _command(host, pid):
            return True
    return False
