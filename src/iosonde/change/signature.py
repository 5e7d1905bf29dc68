"""What a device carries, as wipefs and blkid tell it: file system, RAID, partition table."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from iosonde import kerneltext
from iosonde.change.node import look
from iosonde.change.scan import ScannedDevice
from iosonde.errors import Refused
from iosonde.hosts.host import Host
from iosonde.hosts.packages import install_hint
from iosonde.kerneltext import decoded, fields, lines

_NOTHING_FOUND, _SEVERAL_FOUND = 2, 8  # exit statuses of blkid(8) --probe
_COMES_WITH = {"PMBR": "gpt"}  # a GPT is always guarded by a protective MBR (UEFI 5.2.3)
_SECTOR = 512  # bytes; what partx(8) counts in, whatever the device's logical blocks are


@dataclass(frozen=True, slots=True)
class Carried:
    """The types found on a device and in its partitions; `places` says which partition has what.

    `own` are those of the device itself.
    """

    types: frozenset[str]
    places: tuple[str, ...] = ()
    own: frozenset[str] = frozenset()


async def carried(host: Host, path: str, partitions: Sequence[ScannedDevice]) -> Carried:
    """Everything that is lost with a device: its own signatures and those in its partitions.

    Partitions in its table that the kernel does not know (it may not read that kind of table) are
    looked at by their offset.

    Args:
        host: where it is.
        path: of the device.
        partitions: of the device, that the kernel knows.

    Raises:
        Refused: the tools are missing, or cannot read the device.
    """
    own = await signatures(host, path)
    spans = {(partition.start, partition.size): partition for partition in partitions}
    listed = await _table(host, path) if own else []
    looked = await asyncio.gather(
        *(_in_partition(host, path, partition) for partition in partitions),
        *(_at_offset(host, path, *span) for span in listed if span not in spans),
    )
    places = tuple(f"{place} has {', '.join(types)}" for place, types in looked if types)
    every = frozenset(own).union(*(types for _, types in looked))
    return Carried(every, places, frozenset(own))


async def _in_partition(
    host: Host, path: str, partition: ScannedDevice
) -> tuple[str, tuple[str, ...]]:
    name = partition.name.replace("!", "/")  # as the kernel writes it (drivers/base/core.c)
    node = await look(host, f"/dev/{name}")
    if node is None or node.number != partition.number:
        place, types = await _at_offset(host, path, partition.start, partition.size)
        return place if types else name, types
    return name, await signatures(host, node.path)


async def _at_offset(host: Host, path: str, start: int, size: int) -> tuple[str, tuple[str, ...]]:
    types = await _by_blkid(host, path, "--offset", str(start), "--size", str(size))
    return f"the partition at byte {start}", tuple(sorted(types))


async def _table(host: Host, path: str) -> list[tuple[int, int]]:
    """Start and size in bytes of each partition in the device's table; none where it has none."""
    argv = ["partx", "--raw", "--noheadings", "--output", "START,SECTORS", "--", path]
    done = await host.run(argv, check=False)
    if done.status != 0 and b"failed to read partition table" not in done.stderr:
        raise await _unread(host, "partx", path, done.status, done.stderr)
    rows = [fields(line) for line in lines(decoded(done.stdout))]
    return [(int(row[0]) * _SECTOR, int(row[1]) * _SECTOR) for row in rows if len(row) == 2]


async def signatures(host: Host, path: str) -> tuple[str, ...]:
    """The types found on a device, such as ("ext4",); empty where there is none.

    Raises:
        Refused: the tools are missing, or cannot read the device.
    """
    by_both = await asyncio.gather(_by_wipefs(host, path), _by_blkid(host, path))
    types = frozenset().union(*by_both)
    return tuple(sorted(kind for kind in types if _COMES_WITH.get(kind) not in types))


async def _by_wipefs(host: Host, path: str) -> set[str]:
    argv = ["wipefs", "--no-act", "--noheadings", "--output", "TYPE", "--", path]
    done = await host.run(argv, check=False)
    if done.status != 0:
        raise await _unread(host, "wipefs", path, done.status, done.stderr)
    return {line.strip() for line in lines(decoded(done.stdout)) if line.strip()}


async def _by_blkid(host: Host, path: str, *part: str) -> set[str]:
    # No other tag: a label is text of whoever wrote the device.
    argv = ["blkid", "--probe", "--output", "export", "-s", "TYPE", "-s", "PTTYPE",
            *part, "--", path]  # fmt: skip
    done = await host.run(argv, check=False)
    if done.status == _SEVERAL_FOUND:
        return {"ambivalent"}
    if done.status not in {0, _NOTHING_FOUND}:
        raise await _unread(host, "blkid", path, done.status, done.stderr)
    pairs = dict(line.split("=", 1) for line in lines(decoded(done.stdout)) if "=" in line)
    return {pairs[key] for key in ("TYPE", "PTTYPE") if key in pairs}


async def _unread(host: Host, tool: str, path: str, status: int, complaint: bytes) -> Refused:
    hint = await install_hint(host, "util-linux") if status == 127 else ""
    return Refused(
        f"{tool} could not say what the device carries",
        where=path,
        hint=hint,
        evidence=kerneltext.decoded(complaint).strip() or f"exit status {status}",
    )
