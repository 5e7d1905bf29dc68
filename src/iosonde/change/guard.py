"""Stands between a load that writes and whatever it would destroy. docs/use/guard.md says how.

Asked once before anything begins, and again by hold.py immediately before every loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from iosonde import kerneltext
from iosonde.change.family import Family, family_of
from iosonde.change.in_use import Use, uses
from iosonde.change.keeper import Opened
from iosonde.change.node import FileNode, look
from iosonde.change.scan import Seen, scan
from iosonde.change.scratch import is_ours
from iosonde.change.sharing import asked_once
from iosonde.change.signature import carried
from iosonde.errors import Refused, UsageError
from iosonde.hosts.host import Host
from iosonde.kerneltext import decoded
from iosonde.records.load import Target, TargetKind

_PATIENCE = (0.2, 0.5, 1.0)
"""Seconds to wait for a passing opener: udev probes a device whenever a writer closes it."""


@dataclass(frozen=True, slots=True)
class Permission:
    """One `--destroy DEVICE[=SIGNATURE,…]`: this device, with just these signatures."""

    path: str
    signatures: frozenset[str]
    compared: bool = False
    """Whether what the device itself carries was compared otherwise (undo.py): then `signatures`
    are those of its partitions."""
    verified: set[tuple[str, str, str]] = field(default_factory=set, compare=False, repr=False)
    """Devices (host, number, diskseq) that were seen to carry all that is named, in this process:
    the first loop destroys it, so the second does not find it any more."""


IN_CONTAINER = Permission("", frozenset())
"""`--in-container`: names no device, but lets one be written to where not all can be seen."""


def parse_destroy(options: Sequence[str], *, in_container: bool = False) -> tuple[Permission, ...]:
    """What `--destroy` names.

    Args:
        options: "/dev/sdx" or "/dev/sdx=ext4" or "/dev/sdx=gpt,LVM2_member".
        in_container: whether `--in-container` stands beside it.

    Raises:
        UsageError: no absolute path, or an empty signature.
    """
    permissions = [IN_CONTAINER] if in_container else []
    for option in options:
        path, equals, named = option.partition("=")
        signatures = [word.strip() for word in named.split(",")] if equals else []
        if not path.startswith("/") or not all(signatures):
            host, colon, device = option.rpartition(":/")
            raise UsageError(
                f"{option!r} names no device to destroy",
                where="--destroy",
                hint=f"without the host: --destroy /{device}"
                if host and colon
                else "write /dev/sdx, or /dev/sdx=ext4 where it carries that signature",
            )
        permissions.append(Permission(path, frozenset(signatures)))
    return tuple(permissions)


async def check_target(
    host: Host,
    path: str,
    *,
    writes: bool,
    permissions: Sequence[Permission],
    ours: str = "",
    opened: Opened | None = None,
) -> Target:
    """Whether a load may run at a path, or at what was opened there.

    Args:
        host: where the path is.
        path: absolute.
        writes: whether the load writes or trims; reading needs no permission.
        permissions: what the user allowed to be destroyed.
        ours: a word on the command line of our own process that holds the device open.
        opened: the descriptor that is examined; None: what the path leads to now, which another
            may change until it is opened.

    Returns:
        The target, its path behind symbolic links.

    Raises:
        Refused: it may not, or what decides it cannot be read; with reason and evidence.
    """
    node = opened.node if opened else await look(host, path)
    if node is None:
        raise Refused(
            "there is nothing at this path",
            where=path,
            evidence=f"stat on {host.name}",
            hint="a device that is gone would become a plain file" if path.startswith("/dev/")
            else "",
        )  # fmt: skip
    real = opened.path if opened else await host.resolve(path)
    if node.kind == "device":
        if writes:
            probed = opened.seen_at if opened else real
            await _check_device(host, path, probed, node, permissions, ours)
        return Target(host.name, real, TargetKind.DEVICE)
    if node.kind == "file":
        if writes and not await is_ours(host, path):
            raise Refused(
                "this file was not made by iosonde, so it is not written to",
                where=path,
                evidence="it carries no mark of a scratch file",
                hint="give a path that does not exist yet, or a directory",
            )
        return Target(host.name, real, TargetKind.FILE)
    raise Refused(
        f"this is a {node.kind}, neither a block device nor a plain file",
        where=path,
        evidence=f"stat on {host.name}",
    )


async def _check_device(
    host: Host,
    path: str,
    probed: str,
    node: FileNode,
    permissions: Sequence[Permission],
    ours: str,
) -> None:
    """Every reason against writing to a device, the gravest first."""
    await _require_root(host, path)
    devices, seen = await scan(host, path)
    family = await family_of(host, path, node.number, devices)
    _require_whole_view(path, family, permissions)
    lasting = await _lasting_uses(host, path, family, seen, ours)
    if lasting:
        reasons = "; ".join(dict.fromkeys(use.reason for use in lasting))
        raise Refused(f"in use: {reasons}", where=path, evidence=lasting[0].evidence)
    await _check_state(host, path, family)
    permission = await permission_for(host, path, node, permissions)
    await _check_signatures(host, path, probed, family, permission)


async def _check_signatures(
    host: Host, path: str, probed: str, family: Family, permission: Permission | None
) -> None:
    """Whether the permission names all that the device and its partitions carry, and no more."""
    content = await carried(host, probed, family.partitions)
    types = ", ".join(sorted(content.types))
    hint = f"if that is meant: --destroy {path}"
    hint += f"={','.join(sorted(content.types))}" if content.types else ""
    evidence = "; ".join(["wipefs --no-act and blkid --probe", *content.places])
    if permission is None:
        what = f"it carries {types}" if types else "it looks empty"
        raise Refused(
            f"writing to this device would destroy what is on it ({what})",
            where=path,
            evidence=evidence,
            hint=hint,
        )
    allowed = permission.signatures | (content.own if permission.compared else frozenset())
    if unnamed := content.types - allowed:
        raise Refused(
            f"it carries {', '.join(sorted(unnamed))}, which --destroy does not name",
            where=path,
            evidence=evidence,
            hint=hint,
        )
    sequence = await _sequence(host, family)
    if missing := permission.signatures - content.types:
        if sequence in permission.verified:
            return
        raise Refused(
            f"--destroy names {', '.join(sorted(missing))}, but the device does not carry it: "
            "is it the right one?",
            where=path,
            evidence=f"found: {types or 'no signature'}",
        )
    permission.verified.add(sequence)


async def _sequence(host: Host, family: Family) -> tuple[str, str, str]:
    """What tells the target from any other device of this boot (diskseq, Linux 5.15)."""
    itself = family.members[0]
    for place in (itself.sysfs, itself.sysfs.rpartition("/")[0]):  # a partition: of its disk
        for file in await host.glob(f"{place}/diskseq"):
            return host.name, itself.number, decoded(await host.read(file)).strip()
    return host.name, itself.number, ""


def _require_whole_view(path: str, family: Family, permissions: Sequence[Permission]) -> None:
    """Refuse where not every process of the host, nor every loop device, can be seen.

    In a container others may have the device open, mounted or as swap without showing up in /proc.
    """
    if IN_CONTAINER in permissions:
        return
    if family.unseen:
        raise Refused(
            "iosonde sees a part of this host alone, as in a container, so it cannot know who else "
            "uses the device",
            where=path,
            evidence=family.unseen,
            hint="run it on the host itself, or add --in-container if nobody outside uses it",
        )
    if family.unread:
        raise Refused(
            f"what {', '.join(family.unread)} stands on cannot be read, and it may be this device",
            where=path,
            evidence=f"ioctl LOOP_GET_STATUS64 on /dev/{family.unread[0]}",
            hint="make its node in /dev, or add --in-container if it is another",
        )


async def _lasting_uses(
    host: Host, path: str, family: Family, seen: Seen, ours: str
) -> tuple[Use, ...]:
    """Uses that are still there after a moment's patience with passing openers."""
    lasting = await uses(host, path, family, seen, ours=ours)
    for pause in _PATIENCE:
        if not lasting or any(not use.passing for use in lasting):
            return lasting
        await asyncio.sleep(pause)
        _, seen = await scan(host, path)
        lasting = await uses(host, path, family, seen, ours=ours)
    return lasting


async def _require_root(host: Host, path: str) -> None:
    """Other users' open files and mounts are hidden from plain users (proc(5))."""
    user = (await asked_once(host, ["id", "-u"])).stdout.strip()
    if user != b"0":
        raise Refused(
            "only root can see whether a device is in use, so only root may write to one",
            where=path,
            evidence=f"user id {kerneltext.decoded(user)}",
            hint="run iosonde as root, or measure a scratch file",
        )


async def _check_state(host: Host, path: str, family: Family) -> None:
    itself = family.members[0]
    if (await host.read(f"{itself.sysfs}/ro")).strip() != b"0":
        raise Refused("the device is read-only", where=path, evidence=f"{itself.sysfs}/ro: 1")
    if (await host.read(f"{itself.sysfs}/size")).strip() == b"0":
        raise Refused("the device has no size", where=path, evidence=f"{itself.sysfs}/size: 0")


async def permission_for(
    host: Host, path: str, node: FileNode, permissions: Sequence[Permission]
) -> Permission | None:
    """The permission that names just this device, by whatever name."""
    named_so = next((permission for permission in permissions if permission.path == path), None)
    if named_so is not None:
        return named_so
    for permission in permissions:
        if not permission.path:
            continue
        named = await look(host, permission.path)
        if named is not None and named.kind == "device" and named.number == node.number:
            return permission
    return None
