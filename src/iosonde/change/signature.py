"""What a device carries, as wipefs and blkid tell it: file system, RAID, partition table."""

from __future__ import annotations

from iosonde.errors import Refused
from iosonde.hosts.host import Host

_NOTHING_FOUND, _SEVERAL_FOUND = 2, 8  # exit statuses of blkid(8) --probe
_COMES_WITH = {"PMBR": "gpt"}  # a GPT is always guarded by a protective MBR (UEFI 5.2.3)


async def signatures(host: Host, path: str) -> tuple[str, ...]:
    """The types found on a device, such as ("ext4",); empty where there is none.

    Raises:
        Refused: the tools are missing, or cannot read the device.
    """
    found = {*await _by_wipefs(host, path), *await _by_blkid(host, path)}
    return tuple(sorted(one for one in found if _COMES_WITH.get(one) not in found))


async def _by_wipefs(host: Host, path: str) -> set[str]:
    argv = ["wipefs", "--no-act", "--noheadings", "--output", "TYPE", "--", path]
    done = await host.run(argv, check=False)
    if done.status != 0:
        raise _unread("wipefs", path, done.status, done.stderr)
    return {line.strip() for line in done.stdout.decode().splitlines() if line.strip()}


async def _by_blkid(host: Host, path: str) -> set[str]:
    argv = ["blkid", "--probe", "--output", "export", "--", path]
    done = await host.run(argv, check=False)
    if done.status == _SEVERAL_FOUND:
        return {"ambivalent"}
    if done.status not in {0, _NOTHING_FOUND}:
        raise _unread("blkid", path, done.status, done.stderr)
    pairs = dict(line.split("=", 1) for line in done.stdout.decode().splitlines() if "=" in line)
    return {pairs[key] for key in ("TYPE", "PTTYPE") if key in pairs}


def _unread(tool: str, path: str, status: int, complaint: bytes) -> Refused:
    hint = f"install util-linux, which has {tool}" if status == 127 else ""
    return Refused(
        f"{tool} could not say what the device carries",
        where=path,
        hint=hint,
        evidence=complaint.decode(errors="replace").strip() or f"exit status {status}",
    )
