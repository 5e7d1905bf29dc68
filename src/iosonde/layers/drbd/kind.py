"""DRBD: a block device kept the same on two hosts.

Protocol C acknowledges a write when both have it on their disks, B when the other has received it,
A when it is in the own send buffer. The two sides tell who they are by their addresses, so that no
host has to bear a certain name. Metadata lie at the end of the device (`internal`).

Source: drbd.conf(5), drbdadm(8), drbdsetup(8) of drbd-utils 9.22 for DRBD 8.4 and 9; Linux
drivers/block/drbd/drbd_proc.c (6.1, /proc/drbd), drbd_debugfs.c.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator
from typing_extensions import override

from iosonde.hosts.host import Host
from iosonde.layers.drbd.facts import parse_volumes
from iosonde.layers.layer import (
    Everything,
    Layer,
    LayerSetting,
    NetworkCrossing,
    Scene,
    queue_settings,
)
from iosonde.layers.site import Builds, Declared, Homed, Site
from iosonde.layers.step import (
    Check,
    Command,
    Step,
    UndoSubject,
    exists,
    file,
    modules,
    run,
    wipe,
)
from iosonde.records.printed import without_none
from iosonde.records.stack import Scalar, StackLayer

_NET = frozenset({
    "max-buffers", "max-epoch-size", "sndbuf-size", "rcvbuf-size", "unplug-watermark", "timeout",
    "ping-int", "ping-timeout", "connect-int", "ko-count", "verify-alg", "csums-alg",
    "data-integrity-alg", "cram-hmac-alg", "after-sb-0pri", "after-sb-1pri", "after-sb-2pri",
    "rr-conflict", "allow-two-primaries", "tcp-cork", "on-congestion", "congestion-fill",
    "congestion-extents", "use-rle",
})  # fmt: skip
_DISK = frozenset({
    "al-extents", "al-updates", "disk-barrier", "disk-flushes", "disk-drain", "md-flushes",
    "on-io-error", "resync-rate", "c-plan-ahead", "c-delay-target", "c-fill-target",
    "c-max-rate", "c-min-rate", "read-balancing", "resync-after", "rs-discard-granularity",
    "disk-timeout",
})  # fmt: skip
_WAIT = 60


class DrbdDeclared(Declared):
    """A resource on two layers of two hosts, in `of`; it is used on `primary`.

    `net` and `disk` hold options of these sections of drbd.conf(5) as they are written there.
    `assume_clean` leaves out the first resync: right only where both sides hold the same, as new
    disks of zeros do.
    """

    kind: Literal["drbd"] = "drbd"
    unsafe: ClassVar[Mapping[str, tuple[str | int | bool, ...]]] = {
        "protocol": ("A", "B"),
        **{
            f"disk.{name}": ("no", False) for name in ("disk-barrier", "disk-flushes", "md-flushes")
        },
    }
    immaterial: ClassVar[Mapping[str, str]] = {
        "assume_clean": "it leaves out the first resync, of which nothing stays"
    }
    primary: str = ""
    protocol: Literal["A", "B", "C"] = "C"
    net: dict[str, str | int | bool] = Field(default_factory=dict)
    disk: dict[str, str | int | bool] = Field(default_factory=dict)
    minor: int | None = Field(default=None, ge=0, le=1048575)
    port: int | None = Field(default=None, ge=1, le=65535)
    assume_clean: bool = False

    @model_validator(mode="after")
    def _check_options(self) -> DrbdDeclared:
        for section, options, names in (("net", self.net, _NET), ("disk", self.disk, _DISK)):
            for name in options:
                if name not in names:
                    raise ValueError(f"there is no option {name!r} in the section {section}")
        return self


def minor_of(site: Site) -> int:
    """Its number, N of /dev/drbdN: the declared one, else one that follows from its name."""
    declared = site.declared_as(DrbdDeclared)
    return declared.minor if declared.minor is not None else zlib.crc32(site.label.encode()) % 200


def _written(options: Mapping[str, str | int | bool]) -> str:
    switches = {True: "yes", False: "no"}
    return "".join(
        f"    {name} {switches[value] if isinstance(value, bool) else value};\n"
        for name, value in options.items()
    )


def resource_file(site: Site) -> str:
    """The text of the resource's file (drbd.conf(5))."""
    declared, minor = site.declared_as(DrbdDeclared), minor_of(site)
    port = declared.port or 7700 + minor
    sides = "".join(
        f"  floating {site.address(lower.host)}:{port} {{\n"
        f"    device /dev/drbd{minor} minor {minor};\n"
        f"    disk {lower.device};\n    meta-disk internal;\n  }}\n"
        for lower in site.below
    )
    return (
        f"# made by iosonde for the stack {site.stack}\nresource {site.label} {{\n"
        f"  net {{\n    protocol {declared.protocol};\n{_written(declared.net)}  }}\n"
        f"  disk {{\n{_written(declared.disk)}  }}\n{sides}}}\n"
    )


# Name → unit, limits (linux/drbd_limits.h).
_FIGURES: Mapping[str, Mapping[str, tuple[str, int, int]]] = {
    "net": {
        "max-buffers": ("pages", 32, 131072), "max-epoch-size": ("", 1, 20000),
        "unplug-watermark": ("", 1, 131072), "ko-count": ("", 0, 200),
        "ping-int": ("s", 1, 120), "timeout": ("0.1 s", 1, 600),
    },
    "disk": {
        "al-extents": ("4 MiB", 67, 65534), "c-plan-ahead": ("0.1 s", 0, 300),
        "c-delay-target": ("0.1 s", 1, 100),
    },
}  # fmt: skip
_SIZES = ("c-fill-target", "c-max-rate", "c-min-rate", "resync-rate")
_SWITCHES = ("disk-barrier", "disk-flushes", "disk-drain", "md-flushes")
_BALANCING = ("prefer-local", "prefer-remote", "round-robin", "least-pending")


def _option(section: str, name: str, unit: str = "", **more: Any) -> LayerSetting:
    address = f"{{name}} {section} {name}"
    return LayerSetting(name, "drbd", address, unit, risk="stall", apart=True, **more)


def _options() -> tuple[LayerSetting, ...]:
    """What drbdsetup changes of a resource that is up; buffers of TCP count from a connect on."""
    buffers = ("sndbuf-size", "rcvbuf-size")
    return (
        _option("net", "protocol", choices=("A", "B", "C"), unsafe=("A", "B")),
        *(
            _option(section, name, unit, low=low, high=high)
            for section, some in _FIGURES.items()
            for name, (unit, low, high) in some.items()
        ),
        *(_option("net", name, "B", low=0, high=10485760, needs="reconnect") for name in buffers),
        _option("net", "tcp-cork", choices=("yes", "no")),
        _option("disk", "al-updates", choices=("yes", "no")),
        *(
            _option("disk", name, choices=("yes", "no"), unsafe=("no",) * (name in _SWITCHES[1:]))
            for name in _SWITCHES
        ),
        *(_option("disk", name) for name in _SIZES),
        _option("disk", "read-balancing", choices=_BALANCING),
    )


class Drbd(Layer, Homed, Builds):
    """See `iosonde.layers.layer.Layer` and `iosonde.layers.site.Builds`."""

    kind = "drbd"
    crossing = NetworkCrossing(reads=False)  # it reads its own copy
    settings = (*_options(), *queue_settings("read_ahead_kb", "max_sectors_kb", "write_cache"))
    fixed_settings = (
        "reconnect",
        "it is an option of the resource's file: change it, then `drbdadm adjust`",
    )
    declaration = DrbdDeclared
    probe = "device"

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """DRBD 9 has no states in /proc/drbd: there they stay unknown."""
        text = (await scene.texts(["/proc/drbd"])).get("/proc/drbd", "")
        volumes = {volume.minor: volume for volume in parse_volumes(text)}
        layers = []
        for device in scene.devices.values():
            if not re.fullmatch(r"drbd\d+", device.name):
                continue
            volume = volumes.get(int(device.name.removeprefix("drbd")))
            facts = without_none({**volume.states, "synced": volume.synced}) if volume else {}
            backing = await scene.host.glob(f"/sys/block/*/holders/{device.name}")
            below = [path.split("/")[3] for path in backing]
            layers.append(
                scene.device_layer(
                    self.kind,
                    device,
                    below=tuple(scene.on_device(name) for name in below),
                    facts=facts,
                    hazards=hazards_of(facts),
                )
            )
        return tuple(layers)

    def imports(self, layer: StackLayer, everything: Everything) -> tuple[str, ...]:
        """The other node's half, which a primary writes to as well."""
        if layer.facts.get("role") != "Primary":
            return ()
        return tuple(
            other.id for other in everything.layers
            if other.kind == self.kind and other.host != layer.host and other.device == layer.device
        )  # fmt: skip

    @override
    def home(self, declared: Any, below: tuple[Site, ...]) -> str:
        """The primary, by default the host of the first side."""
        return str(declared.primary or (below[0].host if below else ""))

    @override
    def plan(self, site: Site) -> tuple[Step, ...]:
        hosts = [lower.host for lower in site.below]
        if len(hosts) != 2 or hosts[0] == hosts[1]:
            raise site.wrong("DRBD stands `of` two layers, on two hosts")
        if site.host not in hosts:
            raise site.wrong(f"`primary` is one of {' and '.join(hosts)}, not {site.host}")
        steps: list[Step] = []
        for lower in site.below:
            steps += _side(site, lower)
        return (*steps, *_first_data(site))

    @override
    async def place(self, host: Host, site: Site) -> str | None:
        """The device on the primary."""
        path = f"/dev/drbd{minor_of(site)}"
        done = await host.run(["test", "-b", path], check=False)
        return None if done.status else path


def _side(site: Site, side: Site) -> list[Step]:
    """What is done on one of the two hosts: configuration, metadata, attached and connecting."""
    name, minor = site.label, minor_of(site)
    text = resource_file(site)
    configured = file(f"/etc/drbd.d/{name}.res", text, "write the resource's file")
    steps = [
        modules("drbd"),
        configured,
        Step(
            f"make metadata on {side.device}",
            (run("drbdadm", "create-md", "--force", name, timeout=120.0),),
            Check(("drbdadm", "get-gi", name)),
            (
                run("drbdadm", "down", name, timeout=_WAIT, may_fail=True),
                wipe("wipefs", "--all", "--types", "drbd", side.device),
            ),
            destroys=(side.device,),
        ),
        Step(
            "attach and connect",
            (run("drbdadm", "up", name, timeout=_WAIT),),
            exists(f"/sys/block/drbd{minor}"),
            (run("drbdadm", "down", name, timeout=_WAIT),),
        ),
    ]
    return [replace(step, host=side.host) for step in steps]


_UP_TO_DATE = 'case "$(drbdadm dstate "$1")" in UpToDate/*) ;; *) exit 1 ;; esac'
_PRIMARY = 'case "$(drbdadm role "$1")" in Primary*) ;; *) exit 1 ;; esac'
_CONNECTED = (
    'n=0; until [ "$(drbdadm cstate "$1")" = Connected ]; do n=$((n + 1)); '
    '[ $n -lt 300 ] || { echo "the other side does not answer" >&2; exit 1; }; sleep 0.2; done'
)


def _first_data(site: Site) -> tuple[Step, ...]:
    """Whose data count, and who is primary."""
    name = site.label
    declared = site.declared_as(DrbdDeclared)
    if declared.assume_clean:
        does = "declare both sides the same"
        first: tuple[Command, ...] = (
            run("sh", "-c", _CONNECTED, "sh", name, timeout=_WAIT * 2),
            run("drbdadm", "new-current-uuid", "--clear-bitmap", f"{name}/0"),
        )
    else:
        does = f"take the data of {site.host}"
        first = (run("drbdadm", "primary", "--force", name),)
    return (
        # Once it has data nothing may declare it the same again: a lost side then resyncs.
        Step(does, first, Check(("sh", "-c", _UP_TO_DATE, "sh", name)), again=(run("true"),)),
        Step(
            "make it primary",
            (run("drbdadm", "primary", name),),
            Check(("sh", "-c", _PRIMARY, "sh", name)),
            (run("drbdadm", "secondary", name),),
            touches=(UndoSubject("device", f"/dev/drbd{minor_of(site)}", given="kept"),),
        ),
    )


def hazards_of(facts: Mapping[str, Scalar]) -> tuple[str, ...]:
    """Words for what is wrong with a resource."""
    hazards = []
    connection = facts.get("connection")
    if connection == "StandAlone":
        hazards.append("stand-alone")
    elif connection in {"WFConnection", "Timeout", "BrokenPipe", "NetworkFailure", "Unconnected"}:
        hazards.append("peer lost")
    share = facts.get("synced")
    if isinstance(share, float):
        hazards.append(f"resync {share:.0%}")
    for name, whose in (("disk_state", ""), ("peer_disk_state", "peer ")):
        if facts.get(name) in {"Inconsistent", "Diskless", "Failed", "Outdated"}:
            hazards.append(f"{whose}{str(facts[name]).lower()}")
    return tuple(hazards)
