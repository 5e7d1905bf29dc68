"""The layer technologies, one folder each, or one file while that is enough.

A folder's files have fixed names: `kind` (how it is declared, found and built), `facts` (constants
and the only parsers of its tools' text), `settings` (a mechanism of its own), `sampled` (what of it
is read while a load runs), `printed` (its tools' output in any text), `findings` (rules about it),
`ledger` (what it makes of I/Os). Its `__init__` has the rows of its readers, rules and messages of
the kernel. What several technologies share lies in folders that begin with an underscore.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde.registry import Table, in_folders

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from iosonde.layers._backing import Backing
    from iosonde.layers._caches.counted import CacheCounters
    from iosonde.layers._caches.frames import RequestFrames
    from iosonde.layers._commands.configuration import SettingsFile
    from iosonde.layers._commands.versions import PackageVersion
    from iosonde.layers._kernel_log.events import KernelMessage
    from iosonde.layers._ledger.rule import Accounting
    from iosonde.layers._mapper.facts import DmTarget
    from iosonde.layers._mounts.facts import MountValues
    from iosonde.layers._mounts.traits import CarriedContent
    from iosonde.layers.layer import Layer
    from iosonde.layers.site import DiskExport
    from iosonde.records.evidence import Rule
    from iosonde.text.cursor import Output

LAYERS: Table[type[Layer]] = Table(
    "layer kind",
    {
        "aoe": "iosonde.layers.aoe.kind:AoeInitiator",
        "aoe_target": "iosonde.layers.aoe.kind:AoeTarget",
        "bcache": "iosonde.layers.bcache.kind:Bcache",
        "btrfs": "iosonde.layers.btrfs.kind:Btrfs",
        "disk": "iosonde.layers.disk.kind:Disk",
        "dm": "iosonde.layers.dm.kind:Dm",
        "dm_cache": "iosonde.layers.dm_cache.kind:DmCache",
        "dm_crypt": "iosonde.layers.dm_crypt.kind:DmCrypt",
        "dm_writecache": "iosonde.layers.dm_writecache.kind:DmWritecache",
        "drbd": "iosonde.layers.drbd.kind:Drbd",
        "ext4": "iosonde.layers.ext4.kind:Ext4",
        "filesystem": "iosonde.layers.filesystem:FileSystem",
        "flashcache": "iosonde.layers.flashcache.kind:Flashcache",
        "guest": "iosonde.layers.guest.machine:Guest",
        "hwraid": "iosonde.layers.hwraid.kind:Hwraid",
        "iscsi": "iosonde.layers.iscsi.initiator:IscsiInitiator",
        "iscsi_target": "iosonde.layers.iscsi.target:IscsiTarget",
        "link": "iosonde.layers.link.kind:Link",
        "loop": "iosonde.layers.loop:LoopDevice",
        "lvm": "iosonde.layers.lvm.kind:Lvm",
        "md": "iosonde.layers.md.kind:Md",
        "multipath": "iosonde.layers.multipath.kind:Multipath",
        "nbd": "iosonde.layers.nbd.kind:Nbd",
        "nbd_server": "iosonde.layers.nbd.kind:NbdServer",
        "nfs": "iosonde.layers.nfs.kind:Nfs",
        "nfs_server": "iosonde.layers.nfs.kind:NfsServer",
        "nvmeof": "iosonde.layers.nvmeof.initiator:NvmeofInitiator",
        "nvmeof_target": "iosonde.layers.nvmeof.target:NvmeofTarget",
        "partition": "iosonde.layers.partition.kind:Partition",
        "xfs": "iosonde.layers.xfs.kind:Xfs",
        "zram": "iosonde.layers.zram:Zram",
    },
    group="iosonde.layers",
)

FOLDERS = (
    "_caches", "_commands", "_kernel_log", "_mounts", "_raid", "_rules", "_storage_arrays", "aoe",
    "bcache", "btrfs", "ceph", "disk", "dm", "dm_cache", "dm_crypt", "dm_writecache", "drbd",
    "ext4", "flashcache", "gluster", "guest", "hwraid", "iscsi", "link", "lvm", "md", "multipath",
    "nbd", "nfs", "nvmeof", "partition", "xfs", "zfs",
)  # fmt: skip
"""Folders that have rows of their own: in `OUTPUTS`, `RULES` and `KERNEL_MESSAGES` of each."""

OUTPUTS: Table[type[Output]] = Table(
    "output of a layer", in_folders("iosonde.layers", FOLDERS, "OUTPUTS")
)
"""What tools and files print of layers; `iosonde import` reads it wherever it stands."""

FSTYPES = {
    "btrfs": "btrfs",
    "ext2": "ext4", "ext3": "ext4", "ext4": "ext4",
    "nfs": "nfs", "nfs4": "nfs",
    "xfs": "xfs",
}  # fmt: skip
"""Types of mounts, as /proc/self/mountinfo has them → kind of the layers that they are."""

MOUNTS: Table[MountValues] = Table(
    "mount of another host's files",
    {
        "nfs": "iosonde.layers.nfs.facts:mount_values",
        "nfs4": "iosonde.layers.nfs.facts:mount_values",
    },
)
"""What the source and the options of mounts of a type say, as states of its kind.

The first is the type of one that does not say it."""

CARRIED: Table[CarriedContent] = Table(
    "type of what a device carries",
    {
        "BitLocker": "iosonde.layers.dm_crypt.facts:BITLOCKER",
        "LVM2_member": "iosonde.layers.lvm.facts:PHYSICAL_VOLUME",
        "VMFS_volume_member": "iosonde.layers.multipath.facts:DATASTORE",
        "bcache": "iosonde.layers.bcache.facts:LOWER_DEVICE",
        "crypto_LUKS": "iosonde.layers.dm_crypt.facts:LUKS",
        "drbd": "iosonde.layers.drbd.facts:LOWER_DEVICE",
        "ext2": "iosonde.layers.ext4.facts:CONTENT",
        "ext3": "iosonde.layers.ext4.facts:CONTENT",
        "ext4": "iosonde.layers.ext4.facts:CONTENT",
        "linux_raid_member": "iosonde.layers.md.facts:MEMBER",
        "mpath_member": "iosonde.layers.multipath.facts:PATH",
        "swap": "iosonde.layers._mounts.facts:SWAP_SPACE",
        "xfs": "iosonde.layers.xfs.facts:CONTENT",
        "zfs_member": "iosonde.layers.zfs.facts:MEMBER",
    },
)
"""What rules must know of what lies on a device, by the type that blkid gives it.

Source: util-linux 2.38, libblkid/src/superblocks.
"""

MODULES = {
    "bcache": ("bcache",), "btrfs": ("btrfs",), "dm": ("dm_", "dm-"), "drbd": ("drbd",),
    "ext4": ("ext4",), "iscsi": ("iscsi",), "loop": ("loop",), "md": ("md_", "md-", "raid"),
    "nbd": ("nbd",), "nfs": ("nfs", "lockd", "sunrpc"), "xfs": ("xfs",), "zram": ("zram",),
}  # fmt: skip
"""Kind of layer → how the names of its modules of the kernel begin."""

DEVICE_TYPES = {
    "": "disk",
    "crypt": "dm_crypt",
    "dm": "dm", "dmraid": "dm",
    "linear": "md", "md": "md", "raid": "md",
    "loop": "loop",
    "lvm": "lvm",
    "mpath": "multipath",
    "part": "partition",
    "stratis": "dm", "vdo": "dm",
}  # fmt: skip
"""Type of a device that lsblk prints, without a number behind it → kind of layer.

The empty one is what no other is."""

DEVICE_NAMES = {
    r"dm-\w+": "dm",
    r"md(?:[\d_]\w*|[A-Za-z])": "md",
}
"""The kernel's names of devices, of which a text may leave the number open → kind of layer."""

DEVICE_NUMBERS: Mapping[str, Collection[int]] = {
    "sd": {8, *range(65, 72), *range(128, 136), 259}, "hd": {3, 22, 33, 34}, "sr": {11},
    "xvd": {202}, "mmcblk": {179, 259}, "nvme": {259}, "md": {9, 259}, "loop": {7, 259},
    "ram": {1}, "vd": range(240, 260), "dm-": range(240, 260), "zd": {230}, "nbd": {43},
    "drbd": {147}, "zram": range(240, 260),
}  # fmt: skip
"""How the kernel's names of devices begin → their drivers' numbers; from 240 on as they come.

Source: Linux, Documentation/admin-guide/devices.txt.
"""

DEVICE_FOLDERS = frozenset({"block", "disk", "drbd", "mapper", "md"})
"""Folders of /dev with links to devices by other names; no groups of volumes."""

HIDDEN_COPIES = {"lvm": r"_[rm]image_\d+"}
"""Kind → how its hidden devices are named at the end of which one may be lost: halves, members."""

TRANSPORTS = {
    "vd": "virtio", "nvme": "nvme", "xvd": "xen", "nbd": "nbd", "rbd": "rbd", "mmcblk": "mmc",
    "drbd": "drbd", "pmem": "pmem", "ram": "ram", "etherd/": "aoe", "fd": "floppy", "sr": "ata",
}  # fmt: skip
"""How the kernel's names of devices begin → what such a device is attached by.

Source: Linux Documentation/admin-guide/devices.txt; lsblk(8), column TRAN, which leaves these out
(virtio before 2.38, all of them in part).
"""

TRANSPORT_WORDS = {"ata": "sata", "iqn": "iscsi", "pcie": "nvme"}
"""What lsscsi and nvme-cli call a transport → what lsblk calls it, where that is another word."""

BACKINGS: Mapping[str, Backing] = {
    "sata": "drive", "sas": "drive", "usb": "drive", "spi": "drive", "mmc": "drive",
    "iscsi": "lun", "fc": "lun", "fcoe": "lun", "srp": "lun", "iser": "lun", "virtio": "virtual",
    "tcp": "namespace", "rdma": "namespace",
}  # fmt: skip
"""Transport of a disk → what is behind it."""

NVME_KINDS = {"pcie": "disk", "": "nvmeof"}
"""Transport of a controller of NVMe → kind of layer; the empty one is what no other is."""

ESXI_LABELS = {"TargetPortalGroupTag": "iscsi", "Netstack Instance": "link"}
"""Label that esxcli prints of one kind of layer alone → that kind."""

NO_PLATTERS = frozenset({"aoe", "nbd", "nvme", "rbd", "virtio", "xen"})
"""Transports of devices that the kernel may call rotating: it does so of every virtio disk."""

MEMBERS = {"lvm_pv": "lvm", "md_member": "md"}
"""What a device that belongs to a layer is printed as by itself → kind of that layer."""

UUID_PREFIXES = {
    "": "dm",
    "CRYPT-": "dm_crypt",
    "CRYPT-INTEGRITY": "dm",
    "CRYPT-SUBDEV": "dm",
    "CRYPT-VERITY": "dm",
    "DMRAID-": "dm",
    "LVM-": "lvm",
    "mpath-": "multipath",
    "part": "partition",
}
"""How uuids of device-mapper begin → kind of the layer whose tools give them.

Of several the longest counts; the empty one is of what no other tool made."""

TARGETS: Table[DmTarget] = Table(
    "target of device-mapper",
    {
        "cache": "iosonde.layers.dm_cache.facts:TARGET",
        "crypt": "iosonde.layers.dm_crypt.facts:TARGET",
        "flashcache": "iosonde.layers.flashcache.facts:TARGET",
        "flashcache-wt": "iosonde.layers.flashcache.facts:TARGET",
        "multipath": "iosonde.layers.multipath.facts:TARGET",
        "writecache": "iosonde.layers.dm_writecache.facts:TARGET",
    },
)
"""Those of a technology; what stands in no row is read by _mapper/facts.py."""

RULES: Table[tuple[Rule, ...]] = Table(
    "rule about layers", in_folders("iosonde.layers", FOLDERS, "RULES")
)

CACHES: Table[CacheCounters] = Table(
    "cache that counts",
    {
        "dm_cache": "iosonde.layers.dm_cache.findings:COUNTERS",
        "bcache": "iosonde.layers.bcache.findings:COUNTERS",
        "dm_writecache": "iosonde.layers.dm_writecache.findings:COUNTERS",
        "flashcache": "iosonde.layers.flashcache.findings:COUNTERS",
    },
)
"""What the counters of each kind of cache mean, for the rules about all of them."""

EXPORTS: Table[DiskExport] = Table(
    "way of a disk to a machine", {"nbd": "iosonde.layers.nbd.kind:EXPORT"}
)
"""How a virtual machine gets a device of another host as its disk; the first is taken."""

SETTINGS_FILES: Table[SettingsFile] = Table(
    "file of settings", {"nfs": "iosonde.layers.nfs.variables:SETTINGS_FILE"}
)
"""What a file holds whose lines set variables → what is known of it."""

VERSIONS: Table[PackageVersion] = Table(
    "package that says its version",
    {
        "btrfs-progs": "iosonde.layers.btrfs.printed_progs:VERSION",
        "drbd-utils": "iosonde.layers.drbd.facts:VERSION",
        "e2fsprogs": "iosonde.layers.ext4.facts:VERSION",
        "lvm2": "iosonde.layers.lvm.facts:VERSION",
        "mdadm": "iosonde.layers.md.facts_mdadm:VERSION",
        "nvme-cli": "iosonde.layers.disk.printed_nvme_id:VERSION",
        "open-iscsi": "iosonde.layers.iscsi.printed_node:VERSION",
        "quota": "iosonde.layers._mounts.printed_quota:VERSION",
        "xfsprogs": "iosonde.layers.xfs.facts:VERSION",
        "zfs": "iosonde.layers.zfs.facts:VERSION",
    },
)
"""How the tools of a package say which version they are."""

FRAMES: Table[RequestFrames] = Table(
    "protocol that cuts requests into frames",
    {"aoe": "iosonde.layers.aoe.frames:FRAMES"},
)
"""What a protocol's frames make of requests, for rules about the sizes of requests."""

KERNEL_MESSAGES: Table[tuple[KernelMessage, ...]] = Table(
    "messages of the kernel", in_folders("iosonde.layers", FOLDERS, "KERNEL_MESSAGES")
)
"""What the kernel's log says of a technology."""

LEDGERS: Table[Accounting] = Table(
    "layer in the ledger",
    {
        "aoe": "iosonde.layers.aoe.ledger:ACCOUNTING",
        "aoe_target": "iosonde.layers.aoe.ledger:TARGET",
        "bcache": "iosonde.layers.bcache.ledger:ACCOUNTING",
        "disk": "iosonde.layers.disk.ledger:ACCOUNTING",
        "dm": "iosonde.layers.dm.ledger:ACCOUNTING",
        "dm_cache": "iosonde.layers.dm_cache.ledger:ACCOUNTING",
        "dm_crypt": "iosonde.layers.dm_crypt.ledger:ACCOUNTING",
        "dm_writecache": "iosonde.layers.dm_writecache.ledger:ACCOUNTING",
        "drbd": "iosonde.layers.drbd.ledger:ACCOUNTING",
        "ext4": "iosonde.layers.ext4.ledger:ACCOUNTING",
        "filesystem": "iosonde.layers._mounts.ledger:ACCOUNTING",
        "guest": "iosonde.layers.guest.ledger:ACCOUNTING",
        "hwraid": "iosonde.layers.hwraid.ledger:ACCOUNTING",
        "iscsi": "iosonde.layers.iscsi.ledger:ACCOUNTING",
        "iscsi_target": "iosonde.layers.iscsi.ledger:TARGET",
        "lvm": "iosonde.layers.lvm.ledger:ACCOUNTING",
        "md": "iosonde.layers.md.ledger:ACCOUNTING",
        "nbd": "iosonde.layers.nbd.ledger:ACCOUNTING",
        "nbd_server": "iosonde.layers.nbd.ledger:TARGET",
        "nfs": "iosonde.layers.nfs.ledger:ACCOUNTING",
        "nfs_server": "iosonde.layers.nfs.ledger:SERVER",
        "nvmeof": "iosonde.layers.nvmeof.ledger:ACCOUNTING",
        "nvmeof_target": "iosonde.layers.nvmeof.ledger:TARGET",
        "partition": "iosonde.layers.partition.ledger:ACCOUNTING",
        "xfs": "iosonde.layers.xfs.ledger:ACCOUNTING",
    },
)
