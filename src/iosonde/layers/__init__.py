"""The layer technologies, one folder each, or one file while that is enough.

A folder's files have fixed names: `kind` (how it is declared, found and built), `facts` (constants
and the only parsers of its tools' text), `settings` (a mechanism of its own), `printed` (its tools'
output in any text), `findings` (rules about it), `ledger` (what it makes of I/Os). What several
technologies share lies in folders that begin with an underscore.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde.registry import Table

if TYPE_CHECKING:
    from iosonde.layers._caches.counted import CacheCounters
    from iosonde.layers._kernel_log.events import KernelMessage
    from iosonde.layers._ledger.rule import Accounting
    from iosonde.layers.dm.facts import DmTarget
    from iosonde.layers.layer import Layer
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

OUTPUTS: Table[type[Output]] = Table(
    "output of a layer",
    {
        "arcconf": "iosonde.layers.hwraid.printed_arcconf:Arcconf",
        "bcache": "iosonde.layers.bcache.printed:BcacheOutput",
        "bcache_tools": "iosonde.layers.bcache.printed_tools:BcacheTools",
        "blkid": "iosonde.layers.disk.printed_blkid:Blkid",
        "btrfs_balance": "iosonde.layers.btrfs.printed:BtrfsBalance",
        "btrfs_devices": "iosonde.layers.btrfs.printed_devices:BtrfsDevices",
        "btrfs_df": "iosonde.layers.btrfs.printed:BtrfsDf",
        "btrfs_mkfs": "iosonde.layers.btrfs.printed_progs:MkfsBtrfs",
        "btrfs_old_scrub": "iosonde.layers.btrfs.printed_progs:BtrfsOldScrub",
        "btrfs_scrub": "iosonde.layers.btrfs.printed:BtrfsScrub",
        "btrfs_show": "iosonde.layers.btrfs.printed:BtrfsShow",
        "btrfs_stats": "iosonde.layers.btrfs.printed:BtrfsStats",
        "btrfs_transid": "iosonde.layers.btrfs.printed_progs:BtrfsTransid",
        "btrfs_usage": "iosonde.layers.btrfs.printed:BtrfsUsage",
        "ceph": "iosonde.layers.ceph.printed:CephStatus",
        "ceph_df": "iosonde.layers.ceph.printed_tables:CephDf",
        "ceph_health": "iosonde.layers.ceph.printed:CephHealth",
        "ceph_osds": "iosonde.layers.ceph.printed_tables:CephOsds",
        "cryptsetup": "iosonde.layers.dm_crypt.printed:CryptsetupStatus",
        "df": "iosonde.layers._mounts.printed_df:Df",
        "dm_cache": "iosonde.layers.dm_cache.printed:DmCacheOutput",
        "dm_writecache": "iosonde.layers.dm_writecache.printed:DmWritecacheOutput",
        "dmsetup": "iosonde.layers.dm.printed:Dmsetup",
        "dmsetup_info": "iosonde.layers.dm.printed_info:DmsetupInfo",
        "drbd": "iosonde.layers.drbd.printed:DrbdOutput",
        "drbd_events": "iosonde.layers.drbd.printed_events:DrbdEvents",
        "dumpe2fs": "iosonde.layers.ext4.printed:Superblock",
        "ethtool": "iosonde.layers.link.printed_ethtool:EthtoolOutput",
        "ethtool_stats": "iosonde.layers.link.printed_ethtool_stats:EthtoolStatistics",
        "exports": "iosonde.layers.nfs.printed_exports:ExportsOutput",
        "ext_size": "iosonde.layers.ext4.printed_resize:ExtSize",
        "filefrag": "iosonde.layers._mounts.printed_filefrag:Filefrag",
        "flashcache": "iosonde.layers.flashcache.printed:FlashcacheOutput",
        "fstab": "iosonde.layers._mounts.printed_fstab:Fstab",
        "hdparm_settings": "iosonde.layers.disk.printed_hdparm:HdparmSettings",
        "ifconfig": "iosonde.layers.link.printed_ifconfig:Ifconfig",
        "inxi": "iosonde.layers.disk.printed_inxi:Inxi",
        "ip_link": "iosonde.layers.link.printed_ip:IpLink",
        "iscsi_sessions": "iosonde.layers.iscsi.printed_session:IscsiSessions",
        "kernel_log": "iosonde.layers._kernel_log.printed:KernelLog",
        "libvirt_disks": "iosonde.layers.guest.printed:LibvirtDisks",
        "lsblk": "iosonde.layers.disk.printed_lsblk:Lsblk",
        "lsblk_json": "iosonde.layers.disk.printed_lsblk_json:LsblkJson",
        "lsblk_rows": "iosonde.layers.disk.printed_lsblk_rows:LsblkRows",
        "lshw": "iosonde.layers.disk.printed_lshw:Lshw",
        "lspci_nvme": "iosonde.layers.disk.printed_lspci:LspciNvme",
        "lsscsi": "iosonde.layers.disk.printed_lsscsi:Lsscsi",
        "lvm": "iosonde.layers.lvm.printed:LvmOutput",
        "lvm_display": "iosonde.layers.lvm.printed_display:LvmDisplay",
        "lvmcache_stats": "iosonde.layers.dm_cache.printed_stats:LvmcacheStats",
        "mdadm": "iosonde.layers.md.printed:Mdadm",
        "mdadm_events": "iosonde.layers.md.printed_events:MdadmEvents",
        "mdadm_scan": "iosonde.layers.md.printed_scan:MdadmScan",
        "mdstat": "iosonde.layers.md.printed:Mdstat",
        "megacli": "iosonde.layers.hwraid.printed:MegaCli",
        "mount": "iosonde.layers._mounts.printed_mount:MountOutput",
        "mount_complaint": "iosonde.layers._mounts.printed_complaint:MountComplaint",
        "mountstats": "iosonde.layers.nfs.printed_mountstats:Mountstats",
        "multipath": "iosonde.layers.multipath.printed:MultipathOutput",
        "multipath_paths": "iosonde.layers.multipath.printed_paths:MultipathPaths",
        "multipathd": "iosonde.layers.multipath.printed_paths:MultipathdLog",
        "nfsd": "iosonde.layers.nfs.printed_nfsd:NfsdOutput",
        "nfsiostat": "iosonde.layers.nfs.printed_nfsiostat:NfsIostat",
        "nfsstat": "iosonde.layers.nfs.printed_nfsstat:Nfsstat",
        "nvme_id": "iosonde.layers.disk.printed_nvme_id:NvmeIdentify",
        "nvme_list": "iosonde.layers.nvmeof.printed:NvmeList",
        "nvme_smart": "iosonde.layers.disk.printed_health:NvmeSmartLog",
        "nvmetcli": "iosonde.layers.nvmeof.printed_nvmetcli:Nvmetcli",
        "partitions": "iosonde.layers.partition.printed:PartitionTable",
        "pool_stats": "iosonde.layers.nfs.printed_pool_stats:PoolStats",
        "qemu_drives": "iosonde.layers.guest.printed:QemuDrives",
        "qemu_image": "iosonde.layers.guest.printed_tools:QemuImage",
        "qm_config": "iosonde.layers.guest.printed_tools:QmConfig",
        "queue_files": "iosonde.layers.disk.printed_queue:QueueFiles",
        "raid_words": "iosonde.layers._raid.printed:RaidWords",
        "rbd_info": "iosonde.layers.ceph.printed_rbd:RbdInfo",
        "sas_ircu": "iosonde.layers.hwraid.printed_sas_ircu:SasIrcu",
        "scsi_pages": "iosonde.layers.disk.printed_scsi:ScsiPages",
        "shell_settings": "iosonde.layers._commands.printed:ShellSettings",
        "smart_scan": "iosonde.layers.disk.printed_smart_scan:SmartScan",
        "smartctl": "iosonde.layers.disk.printed_health:Smartctl",
        "smartd": "iosonde.layers.disk.printed_smartd:Smartd",
        "ssacli": "iosonde.layers.hwraid.printed:Ssacli",
        "storcli": "iosonde.layers.hwraid.printed:Storcli",
        "sysctl": "iosonde.layers._commands.printed_sysctl:SysctlOutput",
        "sysfs": "iosonde.layers._commands.printed_sysfs:SysfsFiles",
        "targetcli": "iosonde.layers.iscsi.printed_targetcli:Targetcli",
        "tgtadm": "iosonde.layers.iscsi.printed_tgt:Tgtadm",
        "tuned": "iosonde.layers._commands.printed_tuned:TunedProfile",
        "uname": "iosonde.layers._commands.printed_uname:Uname",
        "tw_cli": "iosonde.layers.hwraid.printed_tw_cli:TwCli",
        "udev_info": "iosonde.layers.disk.printed_udev:UdevInfo",
        "virsh_counts": "iosonde.layers.guest.printed_tools:VirshCounts",
        "virsh_disks": "iosonde.layers.guest.printed_tools:VirshDisks",
        "virsh_info": "iosonde.layers.guest.printed_tools:VirshInfo",
        "xfs_info": "iosonde.layers.xfs.printed:XfsInfo",
        "xfs_repair": "iosonde.layers.xfs.printed_repair:XfsRepair",
        "zed": "iosonde.layers.zfs.printed_events:ZedEvents",
        "zfs_get": "iosonde.layers.zfs.printed_tables:ZfsGet",
        "zfs_list": "iosonde.layers.zfs.printed_tables:ZfsList",
        "zpool_iostat": "iosonde.layers.zfs.printed_tables:ZpoolIostat",
        "zpool_line": "iosonde.layers.zfs.printed:ZpoolLine",
        "zpool_list": "iosonde.layers.zfs.printed_tables:ZpoolList",
        "zpool_status": "iosonde.layers.zfs.printed:ZpoolStatus",
    },
)
"""What tools and files print of layers; `iosonde import` reads it wherever it stands."""

UUID_PREFIXES = {
    "CRYPT-": "dm_crypt",
    "CRYPT-INTEGRITY": "dm",
    "CRYPT-SUBDEV": "dm",
    "CRYPT-VERITY": "dm",
    "LVM-": "lvm",
    "mpath-": "multipath",
    "part": "partition",
}
"""How uuids of device-mapper begin → kind of the layer whose tools give them."""

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
"""Those of a technology; what stands in no row is read by dm/facts.py."""

RULES: Table[tuple[Rule, ...]] = Table(
    "rule about layers",
    {
        "alignment": "iosonde.layers._rules.alignment:RULES",
        "caches": "iosonde.layers._caches.findings:RULES",
        "ceph": "iosonde.layers.ceph.findings:RULES",
        "controller": "iosonde.layers.hwraid.findings:RULES",
        "dirty_limits": "iosonde.layers._rules.dirty_limits:RULES",
        "drbd": "iosonde.layers.drbd.findings:RULES",
        "error_target": "iosonde.layers.dm.findings:RULES",
        "capsules": "iosonde.layers.nvmeof.findings:RULES",
        "dm_cache": "iosonde.layers.dm_cache.findings:RULES",
        "dm_writecache": "iosonde.layers.dm_writecache.findings:RULES",
        "frames": "iosonde.layers.aoe.findings:RULES",
        "health": "iosonde.layers.disk.findings_health:RULES",
        "hit_rates": "iosonde.layers._caches.findings_hits:RULES",
        "journal": "iosonde.layers.ext4.findings:RULES",
        "kernel_log": "iosonde.layers._kernel_log.findings:RULES",
        "link": "iosonde.layers.link.findings:RULES",
        "lvm_raid": "iosonde.layers.lvm.findings:RULES",
        "misspelt": "iosonde.layers._rules.misspelt:RULES",
        "mtus": "iosonde.layers._rules.mtus:RULES",
        "multipath": "iosonde.layers.multipath.findings:RULES",
        "iscsi_rounds": "iosonde.layers.iscsi.findings:RULES",
        "nfs": "iosonde.layers.nfs.findings:RULES",
        "nfs_calls": "iosonde.layers.nfs.findings_calls:RULES",
        "nfsd": "iosonde.layers.nfs.findings_server:RULES",
        "queue": "iosonde.layers.disk.findings:RULES",
        "raid": "iosonde.layers._raid.findings:RULES",
        "resync": "iosonde.layers.md.findings:RULES",
        "space": "iosonde.layers.lvm.findings_space:RULES",
        "targets": "iosonde.layers._rules.targets:RULES",
        "zfs": "iosonde.layers.zfs.findings:RULES",
    },
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

KERNEL_MESSAGES: Table[tuple[KernelMessage, ...]] = Table(
    "messages of the kernel",
    {
        "bcache": "iosonde.layers.bcache.kernel_log:MESSAGES",
        "btrfs": "iosonde.layers.btrfs.kernel_log:MESSAGES",
        "disk": "iosonde.layers.disk.kernel_log:MESSAGES",
        "ata": "iosonde.layers.disk.kernel_log_ata:MESSAGES",
        "scsi": "iosonde.layers.disk.kernel_log_scsi:MESSAGES",
        "adapters": "iosonde.layers.disk.kernel_log_adapters:MESSAGES",
        "dm": "iosonde.layers.dm.kernel_log:MESSAGES",
        "drbd": "iosonde.layers.drbd.kernel_log:MESSAGES",
        "nvme": "iosonde.layers.disk.kernel_log_nvme:MESSAGES",
        "ext4": "iosonde.layers.ext4.kernel_log:MESSAGES",
        "host": "iosonde.layers._kernel_log.host:MESSAGES",
        "md": "iosonde.layers.md.kernel_log:MESSAGES",
        "nfs": "iosonde.layers.nfs.kernel_log:MESSAGES",
        "xfs": "iosonde.layers.xfs.kernel_log:MESSAGES",
    },
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
