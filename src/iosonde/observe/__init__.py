"""The samplers: what is read from each host once a second while a load runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iosonde.registry import Table

if TYPE_CHECKING:
    from iosonde.observe.sampler import Sampler

SAMPLERS: Table[type[Sampler]] = Table(
    "sampler",
    {
        "diskstats": "iosonde.observe.diskstats:Diskstats",
        "cpu": "iosonde.observe.cpu:Cpu",
        "link": "iosonde.observe.link:Link",
        "pressure": "iosonde.observe.pressure:Pressure",
        "memory": "iosonde.observe.memory:Memory",
        "nfsd": "iosonde.observe.nfsd:Nfsd",
        "resync": "iosonde.observe.resync:Resync",
    },
)
