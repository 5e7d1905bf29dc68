"""The mechanisms by which a setting is read and written, one file each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde.registry import Table

if TYPE_CHECKING:
    from iosonde.settings.mechanism import Mechanism

MECHANISMS: Table[type[Mechanism]] = Table(
    "mechanism of a setting",
    {
        "bcache": "iosonde.settings.bcache:Bcache",
        "cpufreq": "iosonde.settings.cpufreq:Cpufreq",
        "drbd": "iosonde.settings.drbd:Drbd",
        "dmtable": "iosonde.settings.dmtable:Dmtable",
        "ethtool": "iosonde.settings.ethtool:Ethtool",
        "exports": "iosonde.settings.exports:Exports",
        "hwraid": "iosonde.settings.hwraid:Hwraid",
        "iscsiadm": "iosonde.settings.iscsiadm:Iscsiadm",
        "irq": "iosonde.settings.irq:Irq",
        "modparam": "iosonde.settings.modparam:Modparam",
        "nfsd": "iosonde.settings.nfsd:Nfsd",
        "remount": "iosonde.settings.remount:Remount",
        "service": "iosonde.settings.service:Service",
        "sysctl": "iosonde.settings.sysctl:Sysctl",
        "sysfs": "iosonde.settings.sysfs:Sysfs",
        "tuned": "iosonde.settings.tuned:Tuned",
    },
)
