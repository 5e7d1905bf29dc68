"""ext2, ext3 and ext4, all served by the ext4 driver.

`stripe_unit`, `stripe_width` and `block_size` are in bytes; the superblock counts stride and stripe
width in blocks, the driver's option stripe too. With data=journal every block is written twice,
once to the journal.

Source: ext4(5); dumpe2fs(8); Linux Documentation/admin-guide/ext4.rst (mount options stripe, data,
barrier; errors_count in /sys/fs/ext4); fs/ext4/super.c prints only options that differ from the
superblock's defaults.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from typing_extensions import override

from iosonde import kerneltext
from iosonde.hosts.host import Host
from iosonde.layers._mounts.building import Mounted, mounted_at, mounting
from iosonde.layers._mounts.options import options_of
from iosonde.layers._mounts.traits import FileSystemCheck
from iosonde.layers._names import fstypes_of
from iosonde.layers._raid.traits import StripeHints
from iosonde.layers.ext4.facts import stripe_remedy, superblock_facts
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
from iosonde.records.stack import Scalar, StackLayer
from iosonde.settings.declared import made_with, mount_settings
from iosonde.units import MIB, show_bytes

_SOUND = frozenset({"clean", "not clean"})  # ext2 is "not clean" while it is mounted


def journal_mode(fstype: str, options: Mapping[str, Scalar]) -> str | None:
    """How data go through the journal: ordered unless said otherwise; ext2 has none."""
    if fstype == "ext2" or options.get("noload"):
        return None
    return str(options.get("data") or "ordered")


def hazards_of(state: str, errors: str, options: Mapping[str, Scalar]) -> tuple[str, ...]:
    """Words for a file system with errors, or without barriers.

    Args:
        state: the superblock's, "" where unknown.
        errors: the text of errors_count, "" where there is none.
        options: its super options.
    """
    bad = errors not in {"", "0"} or (state != "" and state not in _SOUND)
    hazards = ("needs fsck",) if bad else ()
    unsafe = options.get("nobarrier") or options.get("barrier") == "0"
    return (*hazards, "no barriers") if unsafe else hazards


class Ext4Declared(Mounted):
    """An ext4 or ext3 on the layer below.

    `journal` is how data go through it, or "none" for a file system without; stride and stripe
    width follow the striping below unless `align: false`.
    """

    kind: Literal["ext4"] = "ext4"
    unsafe: ClassVar[Mapping[str, tuple[str | int | bool, ...]]] = {
        "journal": ("writeback", "none")
    }
    version: Literal[3, 4] = 4
    journal: Literal["ordered", "writeback", "journal", "none"] = "ordered"
    journal_size: Size | None = None
    align: bool = True


_BLOCK = 4096


def striped(site: Site) -> tuple[int, int] | None:
    """Chunk in bytes and data members that it is aligned to; None without."""
    stripe = site.only.stripe if site.declared_as(Ext4Declared).align else None
    return stripe if stripe and stripe[0] % _BLOCK == 0 else None


def make_ext4(site: Site) -> list[str]:
    """The argument list of mke2fs, without the device (mke2fs(8)); 4 KiB blocks."""
    declared = site.declared_as(Ext4Declared)
    argv = ["mke2fs", "-q", "-F", "-t", f"ext{declared.version}", "-b", str(_BLOCK)]
    extended = ["nodiscard"]
    if stripe := striped(site):
        stride = stripe[0] // _BLOCK
        extended += [f"stride={stride}", f"stripe_width={stride * stripe[1]}"]
    if declared.version == 4:
        extended += ["lazy_itable_init=0", "lazy_journal_init=0"]
    argv += ["-E", ",".join(extended)]
    if declared.journal == "none":
        if declared.version == 3:
            raise site.wrong("ext3 is ext2 with a journal, so it has one")
        argv += ["-O", "^has_journal"]
    elif declared.journal_size:
        argv += ["-J", f"size={declared.journal_size // MIB}"]
    return argv


class Ext4(Layer, Builds, Sized, Compares):
    """See `iosonde.layers.layer.Layer` and `iosonde.layers.site.Builds`."""

    kind = "ext4"
    stripe_hints = StripeHints("superblock_state", stripe_remedy)
    fsck = FileSystemCheck("e2fsck -f", {"errors_remain": (True,), "run_manually": (True,)})
    declaration = Ext4Declared
    probe = "mount"
    settings = (
        *mount_settings("atime", "lazytime", "commit", "barrier", "discard"),
        *made_with(
            "block_size", "stripe_unit", "stripe_width", "journal_size",
            units=dict.fromkeys(("block_size", "stripe_unit", "stripe_width", "journal_size"), "B"),
        ),
        *made_with(
            "journal_mode", needs="remount",
            why="no remount changes how data are journalled: unmount, then mount with data=MODE",
        ),
    )  # fmt: skip

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """One layer a file system, wherever it is mounted."""
        return await mounted_layers(scene, self.kind, fstypes_of(self.kind), _describe)

    @override
    def plan(self, site: Site) -> tuple[Step, ...]:
        declared = site.declared_as(Ext4Declared)
        mode = () if declared.journal in {"none", "ordered"} else (f"data={declared.journal}",)
        fstype = f"ext{declared.version}"
        return mounting(site, fstype, make_ext4(site), (*mode, *declared.options))

    @override
    def room(self, site: Site, below: Sequence[int | None]) -> int | None:
        """A journal has 1024 blocks or more (mke2fs(8), -J size)."""
        declared, size = site.declared_as(Ext4Declared), below[0]
        journal = declared.journal_size
        if journal and journal < 1024 * _BLOCK:
            raise site.wrong(
                f"journal_size: {show_bytes(journal)} is too small: a journal has at least 4 MiB"
            )
        if journal and size and journal > size // 2:
            raise site.wrong(
                f"journal_size: {show_bytes(journal)} is more than half of {site.only.name}, which "
                f"has {show_bytes(size)}"
            )
        return size

    @override
    def compare(self, site: Site, layer: StackLayer) -> tuple[Compared, ...]:
        """Without a declared size mke2fs chooses that of the journal."""
        declared, facts = site.declared_as(Ext4Declared), layer.facts
        superblock = "superblock_state" in facts
        size = facts.get("journal_size")
        journal = facts.get("journal_mode") if size or not superblock else "none"
        wanted = (declared.journal_size or 0) // MIB * MIB
        stripe = striped(site)
        width = stripe[0] * stripe[1] if stripe else None
        fstype = facts.get("fstype")
        return (
            Compared("version", f"ext{declared.version}", fstype),
            Compared("journal", declared.journal, journal if superblock else None),
            Compared("journal_size", wanted or None, size, "B"),
            Compared("align", width, facts.get("stripe_width") or (0 if superblock else None), "B"),
        )

    @override
    async def place(self, host: Host, site: Site) -> str | None:
        return await mounted_at(host, site.declared_as(Ext4Declared).mount)


async def _describe(scene: Scene, mount: Mount, device: BlockDevice | None) -> Described:
    options = options_of(mount.super_options)
    facts: dict[str, Scalar] = {"fstype": mount.fstype}
    if mode := journal_mode(mount.fstype, options):
        facts["journal_mode"] = mode
    own = await _superblock(scene, mount, device)
    facts |= own or await _block_size(scene, mount)
    stripe, block = options.get("stripe"), facts.get("block_size")
    if stripe and str(stripe).isdecimal() and isinstance(block, int):
        facts["stripe_width"] = int(str(stripe)) * block
    count = f"/sys/fs/ext4/{device.name}/errors_count" if device else ""
    errors = (await scene.texts([count])).get(count, "") if count else ""
    return Described(facts, hazards_of(str(own.get("superblock_state", "")), errors, options))


async def _superblock(scene: Scene, mount: Mount, device: BlockDevice | None) -> dict[str, Scalar]:
    """What dumpe2fs reads from the device; a gap where it may not."""
    if device is None:
        return {}
    done = await scene.host.run(["dumpe2fs", "-h", device.path], check=False)
    facts = superblock_facts(kerneltext.decoded(done.stdout)) if done.status == 0 else {}
    if not facts:
        await scene.miss(f"superblock of {mount.mount_point}", done, "e2fsprogs")
    return facts


async def _block_size(scene: Scene, mount: Mount) -> dict[str, Scalar]:
    """The block size alone, which every user may know."""
    done = await scene.host.run(["stat", "-f", "-c", "%S", "--", mount.mount_point], check=False)
    text = kerneltext.decoded(done.stdout).strip()
    return {"block_size": int(text)} if done.status == 0 and text.isdecimal() else {}
