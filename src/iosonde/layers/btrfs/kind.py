"""btrfs: a file system over one or several devices, with RAID of its own.

`data_profile` and `metadata_profile` say how chunks are spread: single, dup, raid0, raid1, raid10
…; while a balance converts them there are two.

Source: btrfs(5); Linux fs/btrfs/sysfs.c: /sys/fs/btrfs/UUID with devices/, allocation/KIND/PROFILE,
devinfo/ID/missing (5.6), devinfo/ID/error_stats (5.14). Everybody may read them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from typing_extensions import override

from iosonde import kerneltext
from iosonde.layers._kernel_log.events import Trouble, TroubleText
from iosonde.layers._mounts.options import options_of
from iosonde.layers._mounts.traits import FileSystemCheck
from iosonde.layers._names import fstypes_of
from iosonde.layers.layer import (
    BlockDevice,
    Described,
    Layer,
    Mount,
    Scene,
    mounted_layers,
)
from iosonde.records.stack import Gap, Scalar, StackLayer

_PLACE = "/sys/fs/btrfs"
_SIZES = {"nodesize": "node_size", "sectorsize": "block_size"}


def profiles(paths: Iterable[str], kind: str) -> str | None:
    """The profiles of "data" or "metadata", from the paths allocation/KIND/PROFILE/total_bytes."""
    used = [path.split("/")[-2] for path in paths if f"/allocation/{kind}/" in path]
    return ", ".join(sorted(used)) or None


def device_errors(text: str) -> int:
    """The sum of a device's error_stats: reads, writes, flushes, corruptions, generations."""
    rows = [line.split() for line in kerneltext.lines(text)]
    return sum(int(row[1]) for row in rows if len(row) == 2 and row[1].isdecimal())


def hazards_of(options: Mapping[str, Scalar], missing: int, errors: int) -> tuple[str, ...]:
    """Words for what is wrong.

    Args:
        options: the super options of its mount.
        missing: devices that are not there.
        errors: what all devices counted since it was last reset.
    """
    hazards = ["degraded"] if missing or options.get("degraded") else []
    if errors:
        hazards.append(f"{errors} device errors")
    return (*hazards, "no barriers") if options.get("nobarrier") else tuple(hazards)


class Btrfs(Layer):
    """See `iosonde.layers.layer.Layer`."""

    kind = "btrfs"
    settings = ()
    # btrfs-check(8) says why nobody should begin with --repair
    fsck = FileSystemCheck("btrfs check", {"check": ("error(s) found",)})
    troubles: ClassVar[Mapping[Trouble, TroubleText]] = {
        "member": TroubleText(
            "member-failed", "error",
            "the file system is mounted, if at all, without it.",
            "see `btrfs filesystem show`; bring the device back, or mount with `-o degraded` and "
            "`btrfs replace` it",
            "`btrfs filesystem show` lists all devices; `btrfs scrub` finds no errors",
        ),
        "recovered": TroubleText(
            "corrected-reads", "note",
            "a copy could not be read, or was wrong; it was written anew from another.",
            "`btrfs scrub` the file system, and see which device goes on counting (`btrfs device "
            "stats`): it may be about to fail",
            "a scrub finds none",
        ),
    }  # fmt: skip

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """One layer a file system, wherever it is mounted."""
        return await mounted_layers(scene, self.kind, fstypes_of(self.kind), _describe)


async def _describe(scene: Scene, mount: Mount, device: BlockDevice | None) -> Described:
    members = await scene.host.glob(f"{_PLACE}/*/devices/*")
    mine = next((path for path in members if device and path.endswith(f"/{device.name}")), None)
    if mine is None:
        what = f"devices of {mount.mount_point}"
        scene.gaps.append(Gap(scene.host.name, what, f"nothing of it in {_PLACE}"))
        return Described({})
    place = mine.rpartition("/devices/")[0]
    names = [path.rpartition("/")[2].replace("!", "/")
             for path in members if path.startswith(f"{place}/devices/")]  # fmt: skip
    allocations = await scene.host.glob(f"{place}/allocation/*/*/total_bytes")
    absent = await scene.host.glob(f"{place}/devinfo/*/missing")
    errors = await scene.host.glob(f"{place}/devinfo/*/error_stats")
    sizes = [f"{place}/{name}" for name in (*_SIZES, "checksum")]
    texts = await scene.texts([*sizes, *absent, *errors])
    facts: dict[str, Scalar] = {
        "data_profile": profiles(allocations, "data"),
        "metadata_profile": profiles(allocations, "metadata"),
        "devices": len(names),
        "checksum": texts.get(f"{place}/checksum", "").split(" ")[0] or None,
    }
    for name, fact in _SIZES.items():
        text = texts.get(f"{place}/{name}", "")
        facts[fact] = int(text) if text.isdecimal() else None
    gone = sum(texts.get(path) == "1" for path in absent)
    count = sum(device_errors(texts.get(path, "")) for path in errors)
    return Described(
        {name: value for name, value in facts.items() if value is not None},
        hazards_of(options_of(mount.super_options), gone, count),
        tuple(name for name in names if name in scene.devices),
    )
