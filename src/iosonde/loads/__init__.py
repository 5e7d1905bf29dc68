"""The load engines. `fio_log` is none: it reads the logs that fio writes beside its output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde.registry import Table

if TYPE_CHECKING:
    from iosonde.loads.fleet import Fleet
    from iosonde.loads.load import LoadEngine

LOADS: Table[type[LoadEngine]] = Table(
    "load engine",
    {
        "fio": "iosonde.loads.fio:Fio",
        "hdparm": "iosonde.loads.hdparm:Hdparm",
        "iozone": "iosonde.loads.iozone:Iozone",
    },
)

FLEETS: Table[type[Fleet]] = Table(
    "load engine that starts itself on several hosts", {"fio": "iosonde.loads.fio.fleet:FioFleet"}
)
