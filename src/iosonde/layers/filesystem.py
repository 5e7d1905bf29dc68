"""Every other local file system: FAT, NTFS, F2FS, ZFS …, and those in memory.

tmpfs and overlays are layers too, because what lies on them never reaches the disk that holds `/`.
File systems that only show the kernel's state (proc, sysfs, cgroup …) are none: nobody puts load
on them.

Source: filesystems(5); Linux Documentation/filesystems/tmpfs.rst, overlayfs.rst.
"""

from __future__ import annotations

from typing_extensions import override

from iosonde.layers import LAYERS
from iosonde.layers._names import fstypes_of
from iosonde.layers.layer import (
    BlockDevice,
    Described,
    Layer,
    Mount,
    Scene,
    mounted_layers,
)
from iosonde.records.stack import Scalar, StackLayer

_IN_MEMORY = {"tmpfs", "ramfs"}
_STACKED = {"overlay"}


class FileSystem(Layer):
    """See `iosonde.layers.layer.Layer`."""

    kind = "filesystem"
    settings = ()
    can_break = False

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """One layer a file system, wherever it is mounted."""
        of_others = {fstype for kind in LAYERS for fstype in fstypes_of(kind)}
        wanted = tuple(
            dict.fromkeys(
                mount.fstype
                for mount in scene.mounts
                if mount.fstype not in of_others
                and (mount.fstype in _IN_MEMORY | _STACKED or scene.device_of(mount) is not None)
            )
        )
        return await mounted_layers(scene, self.kind, wanted, _describe)


async def _describe(_: Scene, mount: Mount, __: BlockDevice | None) -> Described:
    facts: dict[str, Scalar] = {"fstype": mount.fstype}
    if mount.fstype in _IN_MEMORY:
        facts["in_memory"] = True
    return Described(facts)
