"""Stands between a load that writes and whatever it would destroy. docs/use/guard.md says how.

Asked once before a trial, and again by hold.py immediately before every loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from iosonde.change.family import Family, family_of
from iosonde.change.in_use import Use, uses
from iosonde.change.node import Node, look
from iosonde.change.scratch import is_ours
from iosonde.change.signature import signatures
from iosonde.errors import Refused, UsageError
from iosonde.hosts.host import Host
from iosonde.records import Target, TargetKind

_PATIENCE = (0.2, 0.5, 1.0)
"""Seconds to wait for a passing opener: udev probes a device whenever a writer closes it."""


@dataclass(frozen=True, slots=True)
class Permission:
    """One `--destroy DEVICE[=SIGNATURE,…]`: this device, with just these signatures."""

    path: str
    signatures: frozenset[str]


def parse_destroy(options: Sequence[str]) -> tuple[Permission, ...]:
    """What `--destroy` names.

    Args:
        options: "/dev/sdx" or "/dev/sdx=ext4" or "/dev/sdx=gpt,LVM2_member".

    Raises:
        UsageError: no absolute path, or an empty signature.
    """
    permissions = []
    for option in options:
        path, equals, named = option.partition("=")
        words = [word.strip() for word in named.split(",")] if equals else []
        if not path.startswith("/") or not all(words):
            raise UsageError(
                f"{option!r} names no device to destroy",
                where="--destroy",
                hint="write /dev/sdx, or /dev/sdx=ext4 where it carries that signature",
            )
        permissions.append(Permission(path, frozenset(words)))
    return tuple(permissions)


async def check_target(
    host: Host, path: str, *, writes: bool, permissions: Sequence[Permission], ours: str = ""
) -> Target:
    """Whether a load may run at a path.

    Args:
        host: where the path is.
        path: absolute.
        writes: whether the load writes or trims; reading needs no permission.
        permissions: what the user allowed to be destroyed.
        ours: a word on the command line of our own process that holds the device open.

    Returns:
        The target, its path behind symbolic links.

    Raises:
        Refused: it may not, or what decides it cannot be read; with reason and evidence.
    """
    node = await look(host, path)
    if node is None:
        raise Refused(
            "there is nothing at this path",
            where=path,
            evidence=f"stat on {host.name}",
            hint="a device that is gone would become a plain file" if path.startswith("/dev/")
            else "",
        )  # fmt: skip
    real = await host.resolve(path)
    if node.kind == "device":
        if writes:
            await _check_device(host, path, real, node, permissions, ours)
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
    real: str,
    node: Node,
    permissions: Sequence[Permission],
    ours: str,
) -> None:
    """Every reason against writing to a device, the gravest first."""
    await _require_root(host, path)
    family = await family_of(host, path, node.number)
    found = await _lasting_uses(host, path, family, ours)
    if found:
        reasons = "; ".join(dict.fromkeys(use.reason for use in found))
        raise Refused(f"in use: {reasons}", where=path, evidence=found[0].evidence)
    await _check_state(host, path, family)
    permission = await _permission(host, path, node, permissions)
    carried = set(await signatures(host, real))
    if permission is None:
        what = f"it carries {', '.join(sorted(carried))}" if carried else "it looks empty"
        named = f"{path}={','.join(sorted(carried))}" if carried else path
        raise Refused(
            f"writing to this device would destroy what is on it ({what})",
            where=path,
            evidence="wipefs --no-act and blkid --probe",
            hint=f"if that is meant: --destroy {named}",
        )
    if carried - permission.signatures:
        raise Refused(
            f"it carries {', '.join(sorted(carried))}, which --destroy does not name",
            where=path,
            evidence="wipefs --no-act and blkid --probe",
            hint=f"if that is meant: --destroy {path}={','.join(sorted(carried))}",
        )
    if permission.signatures - carried:
        missing = ", ".join(sorted(permission.signatures - carried))
        raise Refused(
            f"--destroy names {missing}, but the device does not carry it: is it the right one?",
            where=path,
            evidence=f"found: {', '.join(sorted(carried)) or 'no signature'}",
        )


async def _lasting_uses(host: Host, path: str, family: Family, ours: str) -> tuple[Use, ...]:
    """Uses that are still there after a moment's patience with passing openers."""
    found = await uses(host, path, family, ours=ours)
    for pause in _PATIENCE:
        if not found or any(not use.reason.startswith("open in") for use in found):
            return found
        await asyncio.sleep(pause)
        found = await uses(host, path, family, ours=ours)
    return found


async def _require_root(host: Host, path: str) -> None:
    """Other users' open files and mounts are hidden from plain users (proc(5))."""
    user = (await host.run(["id", "-u"])).stdout.strip()
    if user != b"0":
        raise Refused(
            "only root can see whether a device is in use, so only root may write to one",
            where=path,
            evidence=f"user id {user.decode()}",
            hint="run iosonde as root, or measure a scratch file",
        )


async def _check_state(host: Host, path: str, family: Family) -> None:
    itself = family.members[0]
    if (await host.read(f"{itself.sysfs}/ro")).strip() != b"0":
        raise Refused("the device is read-only", where=path, evidence=f"{itself.sysfs}/ro: 1")
    if (await host.read(f"{itself.sysfs}/size")).strip() == b"0":
        raise Refused("the device has no size", where=path, evidence=f"{itself.sysfs}/size: 0")


async def _permission(
    host: Host, path: str, node: Node, permissions: Sequence[Permission]
) -> Permission | None:
    """The permission that names just this device, by whatever name."""
    for permission in permissions:
        if permission.path == path:
            return permission
        named = await look(host, permission.path)
        if named is not None and named.kind == "device" and named.number == node.number:
            return permission
    return None
