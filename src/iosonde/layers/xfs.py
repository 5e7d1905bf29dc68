"""XFS.

`stripe_unit` and `stripe_width` are in bytes; mount options count them in 512-byte units (sunit,
swidth), mkfs as su and sw, xfs_info in blocks of the file system. A mount option wins over what
mkfs wrote; where neither has them, the file system was made without.

Source: xfs(5); xfs_info(8), which needs no root for a mounted file system; fs/xfs/xfs_super.c,
xfs_fs_show_options(): sunit and swidth in basic blocks of 512.
"""

from __future__ import annotations

import re
from typing import ClassVar, Literal

from pydantic import Field

from iosonde.hosts.host import Host
from iosonde.layers.layer import (
    BlockDevice,
    Described,
    LayerSetting,
    Mount,
    Scene,
    mounted_layers,
    options_of,
)
from iosonde.layers.mounting import Mounted, mounted_at, mounting
from iosonde.layers.site import Declared, Site, Size
from iosonde.layers.step import Step
from iosonde.records import Scalar, StackLayer
from iosonde.settings.declared import made_with, mount_settings
from iosonde.units import SECTOR, parse_bytes

_PAIR = re.compile(r"([\w-]+)=([\w./-]+)")


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


def parse_sections(text: str) -> dict[str, dict[str, str]]:
    """Section → key → text, from what xfs_info prints.

    A section goes on over lines that begin with "="; its first word, if any, is its `place`:
    "log =internal log  bsize=4096 …".
    """
    found: dict[str, dict[str, str]] = {}
    section = ""
    for line in text.splitlines():
        head, equals, rest = line.partition("=")
        if not equals:
            continue
        section = head.strip() or section
        pairs = found.setdefault(section, {})
        if rest[:1].strip():
            pairs["place"] = rest.split()[0]
        pairs.update(_PAIR.findall(rest))
    return found


def geometry_facts(text: str) -> dict[str, Scalar]:
    """Block size, stripe, allocation groups and log from `xfs_info`. Sizes in bytes."""
    sections = parse_sections(text)
    data, log = sections.get("data", {}), sections.get("log", {})
    meta = sections.get("meta-data", {})
    block = _figure(data.get("bsize"))
    if not block:
        return {}
    facts: dict[str, Scalar] = {
        "block_size": block,
        "sector_size": _figure(meta.get("sectsz")),
        "stripe_unit": (_figure(data.get("sunit")) or 0) * block or None,
        "stripe_width": (_figure(data.get("swidth")) or 0) * block or None,
        "allocation_groups": _figure(meta.get("agcount")),
        "log": log.get("place"),
        "log_size": (_figure(log.get("blocks")) or 0) * (_figure(log.get("bsize")) or 0) or None,
    }
    return {name: value for name, value in facts.items() if value is not None}


def _figure(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() else None


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


def make_xfs(site: Site) -> list[str]:
    """The argument list of mkfs.xfs, without the device (mkfs.xfs(8))."""
    declared = site.declared_as(XfsDeclared)
    su, sw = declared.su, declared.sw
    if su is None and site.only.stripe:
        su, sw = site.only.stripe
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


class Xfs:
    """See `iosonde.layers.layer.Layer` and `iosonde.layers.site.Builds`."""

    kind: ClassVar[str] = "xfs"
    declaration: ClassVar[type[Declared]] = XfsDeclared
    probe: ClassVar[str] = "mount"
    settings: ClassVar[tuple[LayerSetting, ...]] = (
        *mount_settings("atime", "lazytime"),
        *made_with(
            "block_size", "stripe_unit", "stripe_width", "allocation_groups", "log_size",
            units=dict.fromkeys(("block_size", "stripe_unit", "stripe_width", "log_size"), "B"),
        ),
    )  # fmt: skip

    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """See `Layer.discover`; one layer a file system, wherever it is mounted."""
        return await mounted_layers(scene, self.kind, ("xfs",), _describe)

    def plan(self, site: Site) -> tuple[Step, ...]:
        """See `Builds.plan`."""
        declared = site.declared_as(XfsDeclared)
        return mounting(site, "xfs", make_xfs(site), declared.options)

    async def place(self, host: Host, site: Site) -> str | None:
        """See `Builds.place`."""
        return await mounted_at(host, site.declared_as(XfsDeclared).mount)


async def _describe(scene: Scene, mount: Mount, _: BlockDevice | None) -> Described:
    done = await scene.host.run(["xfs_info", mount.mount_point], check=False)
    text = done.stdout.decode(errors="replace") if done.status == 0 else ""
    geometry = geometry_facts(text)
    if not geometry:
        scene.miss(f"geometry of {mount.mount_point}", done, "xfsprogs")
    facts = {**geometry, **stripe_facts(mount.super_options)}
    return Described(facts, mount_hazards(mount.super_options))
