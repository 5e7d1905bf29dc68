"""What tools and files say of layers, one file per output; `iosonde import` reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde.registry import Table

if TYPE_CHECKING:
    from iosonde.passage import Output

OUTPUTS: Table[type[Output]] = Table(
    "output of a layer",
    {
        "bcache": "iosonde.layers.outputs.bcache:Bcache",
        "bcache_tools": "iosonde.layers.outputs.bcache_tools:BcacheTools",
        "df": "iosonde.layers.outputs.df:Df",
        "diskstats": "iosonde.layers.outputs.diskstats:Diskstats",
        "dm_cache": "iosonde.layers.outputs.dm_cache:DmCache",
        "dm_writecache": "iosonde.layers.outputs.dm_writecache:DmWritecache",
        "dmsetup": "iosonde.layers.outputs.dmsetup:Dmsetup",
        "dmsetup_info": "iosonde.layers.outputs.dmsetup_info:DmsetupInfo",
        "drbd": "iosonde.layers.outputs.drbd:Drbd",
        "ethtool": "iosonde.layers.outputs.ethtool:Ethtool",
        "exports": "iosonde.layers.outputs.exports:Exports",
        "flashcache": "iosonde.layers.outputs.flashcache:Flashcache",
        "fstab": "iosonde.layers.outputs.fstab:Fstab",
        "ifconfig": "iosonde.layers.outputs.ifconfig:Ifconfig",
        "interrupts": "iosonde.layers.outputs.interrupts:Interrupts",
        "iostat": "iosonde.layers.outputs.iostat:Iostat",
        "iotop": "iosonde.layers.outputs.iotop:Iotop",
        "ip_link": "iosonde.layers.outputs.ip_link:IpLink",
        "lsblk": "iosonde.layers.outputs.lsblk:Lsblk",
        "lsblk_json": "iosonde.layers.outputs.lsblk_json:LsblkJson",
        "lspci_nvme": "iosonde.layers.outputs.lspci_nvme:LspciNvme",
        "lvm": "iosonde.layers.outputs.lvm:Lvm",
        "mdadm": "iosonde.layers.outputs.mdadm:Mdadm",
        "mdstat": "iosonde.layers.outputs.mdstat:Mdstat",
        "megacli": "iosonde.layers.outputs.megacli:MegaCli",
        "mount": "iosonde.layers.outputs.mount:Mount",
        "mountstats": "iosonde.layers.outputs.mountstats:Mountstats",
        "nfsd": "iosonde.layers.outputs.nfsd:Nfsd",
        "nfsstat": "iosonde.layers.outputs.nfsstat:Nfsstat",
        "nvme_list": "iosonde.layers.outputs.nvme_list:NvmeList",
        "pool_stats": "iosonde.layers.outputs.pool_stats:PoolStats",
        "raid_words": "iosonde.layers.outputs.raid_words:RaidWords",
        "sar_disk": "iosonde.layers.outputs.sar_disk:SarDisk",
        "shell_settings": "iosonde.layers.outputs.shell_settings:ShellSettings",
        "ssacli": "iosonde.layers.outputs.ssacli:Ssacli",
        "storcli": "iosonde.layers.outputs.storcli:Storcli",
        "sysctl": "iosonde.layers.outputs.sysctl:Sysctl",
        "vmstat": "iosonde.layers.outputs.vmstat:Vmstat",
    },
)
