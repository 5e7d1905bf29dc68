"""The mechanisms by which a setting is read and written, one file each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde.registry import Table

if TYPE_CHECKING:
    from iosonde.settings.mechanism import Mechanism

MECHANISMS: Table[type[Mechanism]] = Table(
    "mechanism of a setting",
    {
        "ethtool": "iosonde.settings.ethtool:Ethtool",
        "modparam": "iosonde.settings.modparam:Modparam",
        "nfsd": "iosonde.settings.nfsd:Nfsd",
        "remount": "iosonde.settings.remount:Remount",
        "sysctl": "iosonde.settings.sysctl:Sysctl",
        "sysfs": "iosonde.settings.sysfs:Sysfs",
    },
)
