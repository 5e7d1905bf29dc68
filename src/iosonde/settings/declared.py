"""How a setting is declared: where it is, what it may be, and what changing it costs.

Source: Linux Documentation/ABI/stable/sysfs-block; block/elevator.c (6.x), elevator_switch(): a
scheduler begins with a depth of its own; block/mq-deadline.c, dd_depth_updated(): async_depth
follows nr_requests; block/bfq-iosched.c, bfq_init_queue(): bfq switches
write-back throttling off. The schedulers' own settings: block/mq-deadline.c, block/kyber-iosched.c,
block/bfq-iosched.c (6.x), Documentation/block/deadline-iosched.rst, bfq-iosched.rst.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

Needs = Literal["nothing", "remount", "reconnect", "restart", "rebuild"]
Risk = Literal["none", "stall", "cut"]


@dataclass(frozen=True, slots=True)
class LayerSetting:
    """A setting that a layer offers: its name and the mechanism that reads and writes it.

    `mechanism` is a row of settings.MECHANISMS; `address` what that mechanism needs, with `{name}`
    standing for the device's kernel name ("/sys/block/{name}/queue/scheduler"), `{mount}` for where
    it is mounted and `{FACT}` for a fact of the layer; `unit` as in units.show; `former` are the
    addresses it had on older kernels, newest first. Where neither exists on a host, the layer lacks
    the setting.

    `choices` or `low` and `high` say what it may be, where the host itself does not; a limit is a
    figure or an address of the same mechanism. `needs` is what must happen for a change to take
    effect, `risk` what a wrong value can do at once: stall I/O, or cut the connection. `unsafe` are
    values that trade safety of data for speed. `disturbs` names settings of the same layer that the
    kernel changes along with this one. `renamed` are words of older kernels and what they are
    called now. `discovered` says that the layer's own discovery reads it, `apart`
    that discovery shows it in another form, so that it is read for `iosonde settings` alone.
    `lasts`: the host itself keeps it over a reboot, as a controller does and a node record. One of
    no mechanism ("") is a fact of the layer that only `needs` changes; `why_not` says why iosonde
    does not set it.
    """

    name: str
    mechanism: str
    address: str
    unit: str = ""
    former: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    low: int | str | None = None
    high: int | str | None = None
    needs: Needs = "nothing"
    risk: Risk = "none"
    unsafe: tuple[str, ...] = ()
    disturbs: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    discovered: bool = False
    apart: bool = False
    lasts: bool = False
    why_not: str = ""


_QUEUE = "/sys/block/{name}/queue/"
_TUNABLES = (
    # mq-deadline
    ("read_expire", "ms"), ("write_expire", "ms"), ("writes_starved", ""), ("front_merges", ""),
    ("fifo_batch", ""), ("async_depth", ""), ("prio_aging_expire", "ms"),
    # kyber
    ("read_lat_nsec", "ns"), ("write_lat_nsec", "ns"),
    # bfq
    ("fifo_expire_sync", "ms"), ("fifo_expire_async", "ms"), ("back_seek_max", "KiB"),
    ("back_seek_penalty", ""), ("slice_idle", "ms"), ("slice_idle_us", "µs"), ("max_budget", ""),
    ("timeout_sync", "ms"), ("strict_guarantees", ""), ("low_latency", ""),
)  # fmt: skip
_SCHEDULER = tuple(
    LayerSetting(name, "sysfs", f"{_QUEUE}iosched/{name}", unit, low=0, apart=True)
    for name, unit in _TUNABLES
)
_COMMON = {
    setting.name: setting
    for setting in (
        LayerSetting(
            "scheduler", "sysfs", _QUEUE, risk="stall",
            disturbs=("nr_requests", "wbt_lat_usec", *(name for name, _ in _TUNABLES)),
            renamed=(("noop", "none"), ("deadline", "mq-deadline"), ("cfq", "bfq")),
        ),
        LayerSetting(
            "nr_requests", "sysfs", _QUEUE, low=1, risk="stall", disturbs=("async_depth",)
        ),
        LayerSetting("rq_affinity", "sysfs", _QUEUE, choices=("0", "1", "2")),
        LayerSetting("nomerges", "sysfs", _QUEUE, choices=("0", "1", "2")),
        LayerSetting("read_ahead_kb", "sysfs", _QUEUE, "KiB", low=0),
        LayerSetting(
            "max_sectors_kb", "sysfs", _QUEUE, "KiB", low=4, high=_QUEUE + "max_hw_sectors_kb"
        ),
        LayerSetting("wbt_lat_usec", "sysfs", _QUEUE, "µs", low=-1),
        LayerSetting("io_poll", "sysfs", _QUEUE, choices=("0", "1"), apart=True),
        LayerSetting("add_random", "sysfs", _QUEUE, choices=("0", "1")),
        LayerSetting("iostats", "sysfs", _QUEUE, choices=("0", "1")),
        LayerSetting(
            "write_cache", "sysfs", _QUEUE, choices=("write back", "write through"),
            unsafe=("write through",),
        ),
    )
}  # fmt: skip


def queue_settings(*names: str) -> tuple[LayerSetting, ...]:
    """Settings of a block device's queue, by the names of their files in sysfs.

    With the scheduler come the settings of the one that is chosen.
    """
    own = tuple(
        replace(_COMMON.get(name, LayerSetting(name, "sysfs", _QUEUE)), address=_QUEUE + name)
        for name in names
    )
    return (*own, *_SCHEDULER) if "scheduler" in names else own


def made_with(
    *names: str, units: Mapping[str, str] | None = None, needs: Needs = "rebuild", why: str = ""
) -> tuple[LayerSetting, ...]:
    """What a layer was made with, by the names of its facts: shown, and changed by `up` alone.

    `why` takes the place of the usual reason, which is that all data are lost.
    """
    usual = "it is fixed when the layer is made: `iosonde up STACK --set LAYER.{}=VALUE` makes it"
    return tuple(
        LayerSetting(
            name, "", "", (units or {}).get(name, ""), needs=needs, discovered=True, apart=True,
            why_not=why or usual.format(name) + " anew, which loses its data",
        )
        for name in names
    )  # fmt: skip


def mount_settings(*names: str) -> tuple[LayerSetting, ...]:
    """Mount options that a remount changes; those of the mechanism `remount`."""
    settings = (
        LayerSetting("atime", "remount", "", choices=("noatime", "relatime", "strictatime")),
        LayerSetting("lazytime", "remount", "", choices=("on", "off")),
        LayerSetting("barrier", "remount", "", choices=("on", "off"), unsafe=("off",)),
        LayerSetting("discard", "remount", "", choices=("on", "off")),
        LayerSetting("commit", "remount", "", "s", low=1, high=900),
    )
    return tuple(
        replace(setting, address=setting.name + " {mount}", needs="remount", apart=True)
        for setting in settings
        if setting.name in names
    )


def network_settings() -> tuple[LayerSetting, ...]:
    """Settings of a network interface, which the fact `interface` names."""
    place = "/sys/class/net/{interface}/"
    features = ("tso", "gso", "gro", "lro", "rx_checksum", "tx_checksum")
    adaptive = ("adaptive_rx", "adaptive_tx")
    figures = ("rx_usecs", "rx_frames", "tx_usecs", "tx_frames", "rx_ring", "tx_ring")
    return (
        LayerSetting("mtu", "sysfs", place + "mtu", "B", low=68, high=65535, risk="cut"),
        LayerSetting("tx_queue_len", "sysfs", place + "tx_queue_len", low=0),
        *(
            LayerSetting(
                name,
                "ethtool",
                "{interface} " + name,
                choices=("on", "off"),
                risk="cut",
                discovered=True,
            )
            for name in (*features, *adaptive)
        ),
        *(
            LayerSetting(
                name,
                "ethtool",
                "{interface} " + name,
                low=0,
                risk="cut",
                discovered=True,
                high=f"{{interface}} {name}_max" if name.endswith("ring") else None,
            )
            for name in figures
        ),
        LayerSetting("irq_cpus", "irq", "{interface}", apart=True),
    )
