"""Settings of no layer that every layer feels: dirty limits, reclaim, the CPU's governor, sockets.

Source: Linux Documentation/admin-guide/sysctl/vm.rst (a dirty limit in bytes and its twin in
percent exclude each other: writing one sets the other to 0), admin-guide/sysctl/net.rst,
networking/ip-sysctl.rst; admin-guide/pm/cpufreq.rst.
"""

from __future__ import annotations

from collections.abc import Mapping

from iosonde.errors import IosondeError
from iosonde.hosts.host import Host
from iosonde.records.stack import Gap, Scalar
from iosonde.settings import MECHANISMS
from iosonde.settings.declared import LayerSetting
from iosonde.settings.service import UNITS

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
_TWINS = {"bytes": "ratio", "ratio": "bytes"}


def _dirty(name: str) -> LayerSetting:
    """A dirty limit, and the twin that it sets to 0."""
    stem, _, last = name.rpartition("_")
    twin = (f"{stem}_{_TWINS[last]}",) if last in _TWINS else ()
    high = 100 if last == "ratio" else None
    unit = {"ratio": "%", "bytes": "B"}.get(last, "")
    return LayerSetting(name, "sysctl", name, unit, low=0, high=high, disturbs=twin)


DECLARED: tuple[LayerSetting, ...] = (
    *(_dirty(name) for name in SYSCTLS if "dirty" in name),
    LayerSetting("vm.swappiness", "sysctl", "vm.swappiness", low=0, high=200),
    LayerSetting("vm.vfs_cache_pressure", "sysctl", "vm.vfs_cache_pressure", low=0),
    *(
        LayerSetting(name, "sysctl", name, "B", low=2048)
        for name in ("net.core.rmem_default", "net.core.rmem_max", "net.core.wmem_default",
                     "net.core.wmem_max")
    ),
    LayerSetting("net.core.netdev_max_backlog", "sysctl", "net.core.netdev_max_backlog", low=1),
    LayerSetting("net.core.somaxconn", "sysctl", "net.core.somaxconn", low=1),
    LayerSetting("net.core.busy_poll", "sysctl", "net.core.busy_poll", "µs", low=0),
    LayerSetting("net.core.busy_read", "sysctl", "net.core.busy_read", "µs", low=0),
    LayerSetting("net.ipv4.tcp_rmem", "sysctl", "net.ipv4.tcp_rmem", "B"),
    LayerSetting("net.ipv4.tcp_wmem", "sysctl", "net.ipv4.tcp_wmem", "B"),
    LayerSetting("net.ipv4.tcp_congestion_control", "sysctl", "net.ipv4.tcp_congestion_control"),
    LayerSetting("net.ipv4.tcp_low_latency", "sysctl", "net.ipv4.tcp_low_latency", low=0, high=1),
    *(
        LayerSetting(f"net.ipv4.{name}", "sysctl", f"net.ipv4.{name}", low=0, high=1)
        for name in ("tcp_sack", "tcp_slow_start_after_idle", "tcp_window_scaling")
    ),
    LayerSetting("fs.aio-max-nr", "sysctl", "fs.aio-max-nr", low=1),
    LayerSetting("cpu.governor", "cpufreq", "scaling_governor"),
    LayerSetting("cpu.energy_preference", "cpufreq", "energy_performance_preference"),
    LayerSetting(
        "tuned.profile", "tuned", "profile", lasts=True,
        disturbs=("cpu.governor", "cpu.energy_preference", *SYSCTLS),
    ),
    *(LayerSetting(unit, "service", unit, choices=("running", "stopped")) for unit in UNITS),
)  # fmt: skip


async def read_host_wide(host: Host) -> tuple[Mapping[str, Scalar], tuple[Gap, ...]]:
    """The host-wide settings of a host.

    Returns:
        Name without the host ("vm.dirty_ratio", "cpu.governor") → value, None where a right is
        missing; and what could not be read. A virtual machine without cpufreq has no governor.
    """
    sysctls = dict(await MECHANISMS.load("sysctl")().get(host, SYSCTLS))
    files = await host.glob(GOVERNORS)
    governors = await MECHANISMS.load("sysfs")().get(host, files) if files else {}
    names = sorted({str(word) for word in governors.values() if isinstance(word, str)})
    if names:
        sysctls["cpu.governor"] = ", ".join(names)
    values: dict[str, Scalar] = {}
    gaps: list[Gap] = []
    for name, value in sysctls.items():
        if isinstance(value, IosondeError):
            gaps.append(Gap(host.name, name, value.message, value.hint))
            values[name] = None
        else:
            values[name] = value
    return values, tuple(gaps)
