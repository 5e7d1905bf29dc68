"""XFS.

`stripe_unit` and `stripe_width` are in bytes; mount options count them in 512-byte units (sunit,
swidth), mkfs as su and sw, xfs_info in blocks of the file system. A mount option wins over what
mkfs wrote; where neither has them, the file system was made without.

Source: xfs(5); xfs_info(8), which needs no root for a mounted file system; fs/xfs/xfs_super.c,
xfs_fs_show_options(): sunit and swidth in basic blocks of 512.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field
from typing_extensions import override

from iosonde import kerneltext
from iosonde.hosts.host import Host
from iosonde.layers._mounts.building import Mounted, mounted_at, mounting
from iosonde.layers._mounts.options import options_of
from iosonde.layers._names import fstypes_of
from iosonde.layers._raid.traits import StripeHints
from iosonde.layers.layer import (
    BlockDevice,
    Described,
    Layer,
    Mount,
    Scene,
    mounted_layers,
)
from iosonde.layers.site import Builds, Compared, Compares, Site, Size, Sized
from iosonde.layers.step import Step
from iosonde.layers.xfs.facts import geometry_facts, stripe_of_options, stripe_remedy
from iosonde.records.stack import Scalar, StackLayer
from iosonde.settings.declared import made_with, mount_settings
from iosonde.units import GIB, MIB, SECTOR, parse_bytes, show_bytes


def stripe_facts(super_options: tuple[str, ...]) -> dict[str, Scalar]:
    """Stripe unit, stripe width and log buffer size in bytes, those that are there."""
    options = options_of(super_options)
    facts: dict[str, Scalar] = {}
    for option, fact in (("sunit", "stripe_unit"), ("swidth", "stripe_width")):
        if str(options.get(option, "")).isdecimal():
            facts[fact] = int(str(options[option])) * SECTOR
    if size := options.get("logbsize"):
        facts["log_buffer_size"] = parse_bytes(str(size))
    return facts


def mount_hazards(super_options: tuple[str, ...]) -> tuple[str, ...]:
    """`nobarrier` (until kernel 4.19) leaves data in the disk's volatile cache after fsync."""
    return ("no barriers",) if options_of(super_options).get("nobarrier") else ()


class XfsDeclared(Mounted):
    """An XFS on the layer below.

    `su` (bytes) and `sw` (data members) are taken from the striping below unless they are given;
    `su: 0` makes it without. A log of `log_size` must fit into one of `agcount` allocation groups.
    """

    kind: Literal["xfs"] = "xfs"
    su: Size | None = None
    sw: int | None = None
    log_size: Size | None = None
    agcount: int | None = Field(default=None, ge=1)


_BLOCK = 4096
_LEAST = 16 * MIB  # of an allocation group (XFS_AG_MIN_BYTES)
_AG_HEADERS = 8 * _BLOCK  # at least: superblock, free lists and roots of the trees


def _most_groups(size: int) -> int:
    """How many allocation groups mkfs.xfs makes of a striped device of some bytes."""
    for power, least in ((5, 512 * GIB), (4, 8 * GIB), (3, 128 * MIB), (2, 64 * MIB)):
        if size > least:
            return 1 << power
    return 1


def striped(site: Site) -> tuple[int | None, int | None]:
    """`su` in bytes and `sw` that it is made with; None where mkfs.xfs asks the device."""
    declared = site.declared_as(XfsDeclared)
    if declared.su is None and site.only.stripe:
        return site.only.stripe
    return declared.su, declared.sw


def make_xfs(site: Site) -> list[str]:
    """The argument list of mkfs.xfs, without the device (mkfs.xfs(8))."""
    declared = site.declared_as(XfsDeclared)
    su, sw = striped(site)
    argv = ["mkfs.xfs", "-q", "-K"]
    if su and sw:
        argv += ["-d", f"su={su},sw={sw}"]
    elif su is not None or sw is not None:
        if su:
            raise site.wrong("`su` and `sw` are given together")
        argv += ["-d", "noalign"]
    if declared.agcount:
        argv += ["-d", f"agcount={declared.agcount}"]
    if declared.log_size:
        argv += ["-l", f"size={declared.log_size}"]
    return argv


class Xfs(Layer, Builds, Sized, Compares):
    """See `iosonde.layers.layer.Layer` and `iosonde.layers.site.Builds`."""

    kind = "xfs"
    stripe_hints = StripeHints("allocation_groups", stripe_remedy, stripe_of_options)
    declaration = XfsDeclared
    probe = "mount"
    settings = (
        *mount_settings("atime", "lazytime"),
        *made_with(
            "block_size", "stripe_unit", "stripe_width", "allocation_groups", "log_size",
            units=dict.fromkeys(("block_size", "stripe_unit", "stripe_width", "log_size"), "B"),
        ),
    )  # fmt: skip
    can_break = False

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """One layer a file system, wherever it is mounted."""
        return await mounted_layers(scene, self.kind, fstypes_of(self.kind), _describe)

    @override
    def plan(self, site: Site) -> tuple[Step, ...]:
        declared = site.declared_as(XfsDeclared)
        return mounting(site, "xfs", make_xfs(site), declared.options)

    @override
    def room(self, site: Site, below: Sequence[int | None]) -> int | None:
        """A log lies within one allocation group.

        Source: mkfs/xfs_mkfs.c, calculate_log_size() and calc_default_ag_geometry(); since
        xfsprogs 5.19 validate_supported() refuses less than 300 MiB, older ones 16 MiB.
        """
        declared, size = site.declared_as(XfsDeclared), below[0]
        su, sw = striped(site)
        if su and su % _BLOCK:
            raise site.wrong(f"su: {show_bytes(su)} is no multiple of blocks of 4 KiB")
        if size is None:
            return None
        least = 300 * MIB if site.in_lab else 16 * MIB
        if size < least:
            raise site.wrong(
                f"{site.only.name} has {show_bytes(size)}, and mkfs.xfs makes no file system on "
                f"less than {show_bytes(least)}"
            )
        groups = declared.agcount or (_most_groups(size) if su and sw else min(4, size // _LEAST))
        log = declared.log_size or 0
        if log > size // groups - _AG_HEADERS:
            given = "" if declared.agcount else ", since mkfs.xfs makes so many"
            raise site.wrong(
                f"log_size: a log of {show_bytes(log)} does not fit into one of {groups} "
                f"allocation groups of {show_bytes(size // groups)}{given}",
                hint="declare a smaller `log_size`, or fewer groups with `agcount`",
            )
        return size

    @override
    def compare(self, site: Site, layer: StackLayer) -> tuple[Compared, ...]:
        """What xfs_info does not tell of a file system it has not."""
        declared, facts = site.declared_as(XfsDeclared), layer.facts
        read = "block_size" in facts
        unit, width = facts.get("stripe_unit"), facts.get("stripe_width")
        members = width // unit if isinstance(unit, int) and isinstance(width, int) else 0
        su, sw = striped(site)
        return (
            Compared("su", su, (unit or 0) if read else None, "B"),
            Compared("sw", sw, members if read else None),
            Compared("log_size", declared.log_size, facts.get("log_size"), "B"),
            Compared("agcount", declared.agcount, facts.get("allocation_groups")),
        )

    @override
    async def place(self, host: Host, site: Site) -> str | None:
        return await mounted_at(host, site.declared_as(XfsDeclared).mount)


async def _describe(scene: Scene, mount: Mount, _: BlockDevice | None) -> Described:
    done = await scene.host.run(["xfs_info", mount.mount_point], check=False)
    text = kerneltext.decoded(done.stdout) if done.status == 0 else ""
    geometry = geometry_facts(text)
    if not geometry:
        await scene.miss(f"geometry of {mount.mount_point}", done, "xfsprogs")
    facts = {**geometry, **stripe_facts(mount.super_options)}
    return Described(facts, mount_hazards(mount.super_options))
