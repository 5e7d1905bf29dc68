"""Settings of no layer that every layer feels: dirty limits, reclaim, the CPU's governor.

Source: Linux Documentation/admin-guide/sysctl/vm.rst; admin-guide/pm/cpufreq.rst.
"""

from __future__ import annotations

from collections.abc import Mapping

from iosonde.errors import IosondeError
from iosonde.hosts.host import Host
from iosonde.records import Gap, Scalar
from iosonde.settings import MECHANISMS

SYSCTLS = (
    "vm.dirty_background_bytes",
    "vm.dirty_background_ratio",
    "vm.dirty_bytes",
    "vm.dirty_expire_centisecs",
    "vm.dirty_ratio",
    "vm.dirty_writeback_centisecs",
    "vm.swappiness",
    "vm.vfs_cache_pressure",
)
GOVERNORS = "/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor"


async def read_host_wide(host: Host) -> tuple[Mapping[str, Scalar], tuple[Gap, ...]]:
    """The host-wide settings of a host.

    Returns:
        Name without the host ("vm.dirty_ratio", "cpu.governor") → value, None where a right is
        missing; and what could not be read. A virtual machine without cpufreq has no governor.
    """
    found = dict(await MECHANISMS.load("sysctl")().get(host, SYSCTLS))
    files = await host.glob(GOVERNORS)
    governors = await MECHANISMS.load("sysfs")().get(host, files) if files else {}
    words = sorted({str(word) for word in governors.values() if isinstance(word, str)})
    if words:
        found["cpu.governor"] = ", ".join(words)
    values: dict[str, Scalar] = {}
    gaps: list[Gap] = []
    for name, value in found.items():
        if isinstance(value, IosondeError):
            gaps.append(Gap(host.name, name, value.message, value.hint))
            values[name] = None
        else:
            values[name] = value
    return values, tuple(gaps)
