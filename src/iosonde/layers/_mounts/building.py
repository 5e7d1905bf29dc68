"""Making a file system on the layer below and mounting it: the same steps for every local kind.

Source: blkid(8), findmnt(8), mount(8), wipefs(8).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from pydantic import Field

from iosonde.hosts.host import Host
from iosonde.layers.site import Declared, Site
from iosonde.layers.step import Check, Step, UndoSubject, run, wipe


class Mounted(Declared):
    """What every declared file system has.

    `mount` is the directory, made where it is missing; `options` go to mount(8) as they are.
    """

    unread: ClassVar[Mapping[str, str]] = {
        "options": "the kernel shows them in other words, and leaves out its defaults"
    }
    mount: str = Field(pattern=r"^/[^\s]+$")
    options: tuple[str, ...] = ()


def mounting(
    site: Site, fstype: str, mkfs: Sequence[str], options: Sequence[str]
) -> tuple[Step, ...]:
    """Steps that make a file system and mount it.

    Args:
        site: of the file system.
        fstype: as blkid and mount call it.
        mkfs: argument list without the device.
        options: of mount.
    """
    declared = site.declared_as(Mounted)
    device = site.only.device
    return (
        Step(
            f"make {'an' if fstype[0] in 'aeiox' else 'a'} {fstype} file system",
            (run(*mkfs, device, timeout=600.0),),
            Check(
                ("blkid", "--probe", "--match-tag", "TYPE", "--output", "value", device), (fstype,)
            ),
            (wipe("wipefs", "--all", "--types", fstype, device),),
            destroys=(device,),
        ),
        *mount_only(declared.mount, device, fstype, options),
    )


def mount_only(
    point: str, source: str, fstype: str, options: Sequence[str], *, timeout: float = 60.0
) -> tuple[Step, ...]:
    """Steps that make the mount point and mount there what exists already."""
    flags = ("--options", ",".join(options)) if options else ()
    return (
        Step(
            f"make the directory {point}",
            (run("mkdir", "-p", point),),
            Check(("test", "-d", point)),
            (run("rmdir", point, may_fail=True),),
            shared=True,
        ),
        Step(
            f"mount it at {point}",
            (run("mount", "--types", fstype, *flags, source, point, timeout=timeout),),
            Check(
                ("findmnt", "--noheadings", "--output", "FSTYPE", "--mountpoint", point),
                (fstype[:3],),
            ),
            (run("umount", point, timeout=timeout),),
            touches=(UndoSubject("mount", point),),
        ),
    )


async def mounted_at(host: Host, point: str) -> str | None:
    """The mount point, None where nothing is mounted there."""
    done = await host.run(["findmnt", "--noheadings", "--mountpoint", point], check=False)
    return None if done.status else point
