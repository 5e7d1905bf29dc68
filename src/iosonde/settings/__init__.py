"""The mechanisms by which a setting is read and written, one file each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde.registry import Table

if TYPE_CHECKING:
    from iosonde.settings.mechanism import Mechanism

MECHANISMS: Table[type[Mechanism]] = Table(
    "mechanism of a setting",
    {
        "bcache": "iosonde.layers.bcache.settings:BcacheSettings",
        "cpufreq": "iosonde.settings.cpufreq:Cpufreq",
        "drbd": "iosonde.layers.drbd.settings:DrbdSettings",
        "dmtable": "iosonde.layers.dm.settings:Dmtable",
        "ethtool": "iosonde.settings.ethtool:Ethtool",
        "exports": "iosonde.layers.nfs.settings_exports:Exports",
        "hwraid": "iosonde.layers.hwraid.settings:HwraidSettings",
        "iscsiadm": "iosonde.layers.iscsi.settings:Iscsiadm",
        "irq": "iosonde.settings.irq:Irq",
        "modparam": "iosonde.settings.modparam:Modparam",
        "nfsd": "iosonde.layers.nfs.settings:NfsdSettings",
        "remount": "iosonde.settings.remount:Remount",
        "service": "iosonde.settings.service:ServiceMechanism",
        "sysctl": "iosonde.settings.sysctl:Sysctl",
        "sysfs": "iosonde.settings.sysfs:Sysfs",
        "tuned": "iosonde.settings.tuned:Tuned",
    },
)
