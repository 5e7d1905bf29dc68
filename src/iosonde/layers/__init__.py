"""The layer technologies, one file each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde.registry import Table

if TYPE_CHECKING:
    from iosonde.layers.layer import Layer

LAYERS: Table[type[Layer]] = Table(
    "layer kind",
    {
        "aoe": "iosonde.layers.aoe:AoeInitiator",
        "aoe_target": "iosonde.layers.aoe:AoeTarget",
        "bcache": "iosonde.layers.bcache:Bcache",
        "btrfs": "iosonde.layers.btrfs:Btrfs",
        "disk": "iosonde.layers.disk:Disk",
        "dm": "iosonde.layers.dm:Dm",
        "dm_cache": "iosonde.layers.dm_cache:DmCache",
        "dm_crypt": "iosonde.layers.dm_crypt:DmCrypt",
        "dm_writecache": "iosonde.layers.dm_writecache:DmWritecache",
        "drbd": "iosonde.layers.drbd:Drbd",
        "ext4": "iosonde.layers.ext4:Ext4",
        "filesystem": "iosonde.layers.filesystem:FileSystem",
        "flashcache": "iosonde.layers.flashcache:Flashcache",
        "guest": "iosonde.layers.guest:Guest",
        "hwraid": "iosonde.layers.hwraid:Hwraid",
        "iscsi": "iosonde.layers.iscsi:IscsiInitiator",
        "iscsi_target": "iosonde.layers.iscsi:IscsiTarget",
        "link": "iosonde.layers.link:Link",
        "loop": "iosonde.layers.loop:Loop",
        "lvm": "iosonde.layers.lvm:Lvm",
        "md": "iosonde.layers.md:Md",
        "multipath": "iosonde.layers.multipath:Multipath",
        "nbd": "iosonde.layers.nbd:Nbd",
        "nbd_server": "iosonde.layers.nbd:NbdServer",
        "nfs": "iosonde.layers.nfs:Nfs",
        "nfs_server": "iosonde.layers.nfs:NfsServer",
        "nvmeof": "iosonde.layers.nvmeof:NvmeofInitiator",
        "nvmeof_target": "iosonde.layers.nvmeof:NvmeofTarget",
        "partition": "iosonde.layers.partition:Partition",
        "xfs": "iosonde.layers.xfs:Xfs",
        "zram": "iosonde.layers.zram:Zram",
    },
)
