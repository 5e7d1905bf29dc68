"""AoE: a block device in Ethernet frames, exported by vblade, imported by the kernel's driver.

A target is known by shelf and slot. Each request becomes frames of as many whole sectors as the MTU
leaves room for: see layers/aoe/facts.py.

Source: AoE (ATA over Ethernet), revision 11, Coraid; vblade(8); aoe-discover(8), aoe-interfaces(8);
Linux Documentation/admin-guide/aoe (6.1), drivers/block/aoe/aoeblk.c (sysfs: state, mac, netif,
payload).
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from pydantic import Field
from typing_extensions import override

from iosonde import kerneltext
from iosonde.hosts.host import Host
from iosonde.layers.aoe.facts import aoe_frame, aoe_frame_payload
from iosonde.layers.layer import (
    Layer,
    LayerSetting,
    NetworkCrossing,
    Scene,
    TargetLoss,
    made_with,
    queue_settings,
)
from iosonde.layers.site import Builds, Compared, Compares, Declared, Site
from iosonde.layers.step import Check, Step, run
from iosonde.records.stack import Scalar, StackLayer

_SHELVES = 4000
_INTERFACE = (
    'ip -o address show to "$1" | '
    '{ read -r _ name _ || { echo "no interface has $1" >&2; exit 1; }; echo "$name"; }'
)
# AoE counts in sectors of 512 bytes, and so do the initiators' requests.
_SECTORS = (
    'unit=$(blockdev --getss "$1"); test "$unit" = 512 || '
    '{ echo "$1 takes I/O in units of $unit bytes, and AoE asks in units of 512:'
    ' give the layer below blocks of 512 bytes" >&2; exit 1; }'
)
# vblade has no pid file: its own command line tells it from others.
_VBLADES = (
    "for pid in $(pidof vblade); do "
    'tr "\\0" " " < "/proc/$pid/cmdline" | grep -qF -e "$1" && echo "$pid"; done | grep .'
)


class AoeTargetDeclared(Declared):
    """An export of the block device below on the interface of the storage network.

    `interface` is found by the host's address where it is left out; `buffers` is how many requests
    vblade holds; `mtu` is set on that interface, and put back by `down`.
    """

    unread: ClassVar[Mapping[str, str]] = {
        "buffers": "vblade tells it to nobody but in its command line, whose form is not fixed"
    }

    kind: Literal["aoe_target"] = "aoe_target"
    shelf: int | None = Field(default=None, ge=0, le=65534)
    slot: int = Field(default=0, ge=0, le=254)
    interface: str = Field(default="", pattern=r"^[\w.-]*$")
    buffers: int | None = Field(default=None, ge=1, le=1024)
    mtu: int | None = Field(default=None, ge=576, le=9600)


class AoeInitiatorDeclared(Declared):
    """The import of the target below. `mtu` as with the target: both ends must have it."""

    kind: Literal["aoe"] = "aoe"
    interface: str = Field(default="", pattern=r"^[\w.-]*$")
    mtu: int | None = Field(default=None, ge=576, le=9600)


def shelf_of(site: Site) -> int:
    """The target's shelf: the declared one, else one that follows from its name."""
    declared = site.declared_as(AoeTargetDeclared)
    if declared.shelf is not None:
        return declared.shelf
    return zlib.crc32(site.label.encode()) % _SHELVES


def _name(site: Site) -> str:
    """As the driver calls it: eSHELF.SLOT."""
    return f"e{shelf_of(site)}.{site.declared_as(AoeTargetDeclared).slot}"


def _on_interface(script: str, site: Site, interface: str, *more: str) -> tuple[str, ...]:
    """A constant script with $1 the interface: the declared one, or the one with the address."""
    if interface:
        return ("sh", "-ec", script, "sh", interface, *more)
    find = f'name=$({_INTERFACE}); shift; set -- "$name" "$@"\n{script}'
    return ("sh", "-ec", find, "sh", site.address(site.host), *more)


_KEEP = "/run/iosonde-mtu"


def _mtu(site: Site, interface: str, mtu: int | None) -> tuple[Step, ...]:
    """Sets an interface's MTU and remembers the old one."""
    if mtu is None:
        return ()
    set_it = (
        f'[ -e "{_KEEP}-$1" ] || cat "/sys/class/net/$1/mtu" > "{_KEEP}-$1"; '
        'ip link set dev "$1" mtu "$2"'
    )
    back = (
        f'[ -e "{_KEEP}-$1" ] || exit 0; ip link set dev "$1" mtu "$(cat "{_KEEP}-$1")"; '
        f'rm "{_KEEP}-$1"'
    )
    there = f'[ -e "{_KEEP}-$1" ] && grep -qx "$2" "/sys/class/net/$1/mtu"'
    return (
        Step(
            f"set the MTU to {mtu}",
            (run(*_on_interface(set_it, site, interface, str(mtu))),),
            Check(_on_interface(there, site, interface, str(mtu))),
            (run(*_on_interface(back, site, interface)),),
            shared=True,
        ),
    )


class AoeTarget(Layer, Builds, Compares):
    """See `iosonde.layers.layer.Layer` and `iosonde.layers.site.Builds`."""

    kind = "aoe_target"
    settings = ()
    declaration = AoeTargetDeclared
    probe = ""

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """A layer for each vblade that runs."""
        done = await scene.host.run(["ps", "-C", "vblade", "-o", "args="], check=False)
        layers = []
        for command in parse_vblades(kerneltext.decoded(done.stdout)):
            device = None
            if command["file"].startswith("/dev/"):
                real = await scene.host.run(["readlink", "-f", command["file"]], check=False)
                device = scene.device_at(kerneltext.decoded(real.stdout).removesuffix("\n"))
            name = f"e{command['shelf']}.{command['slot']}"
            facts: dict[str, Scalar] = {
                "shelf": int(command["shelf"]), "slot": int(command["slot"]),
                "interface": command["interface"],
            }  # fmt: skip
            mtu = f"/sys/class/net/{command['interface']}/mtu"
            text = (await scene.texts([mtu])).get(mtu, "")
            if text.isdecimal():
                facts |= {"mtu": int(text), "frame_payload": aoe_frame_payload(int(text))}
            layers.append(scene.exported(self.kind, name, device, facts=facts))
        return tuple(layers)

    @override
    def plan(self, site: Site) -> tuple[Step, ...]:
        """Vblade opens the device directly (-d), past the page cache."""
        declared = site.declared_as(AoeTargetDeclared)
        shelf, slot, device = str(shelf_of(site)), str(declared.slot), site.only.device
        buffers = f"-b {declared.buffers} " if declared.buffers else ""
        start = (
            f'setsid vblade -d {buffers}"$2" "$3" "$1" "$4" </dev/null >/dev/null 2>&1 & sleep 0.3'
        )
        mark = f" {shelf} {slot} "
        return (
            *_mtu(site, declared.interface, declared.mtu),
            Step(
                f"export {device} as {_name(site)}",
                (
                    run("sh", "-c", _SECTORS, "sh", device),
                    run(*_on_interface(start, site, declared.interface, shelf, slot, device)),
                ),
                Check(("sh", "-c", _VBLADES, "sh", mark)),
                (run("sh", "-c", f"kill $({_VBLADES})", "sh", mark, may_fail=True),),
            ),
        )

    @override
    def compare(self, site: Site, layer: StackLayer) -> tuple[Compared, ...]:
        declared = site.declared_as(AoeTargetDeclared)
        return (Compared("interface", declared.interface or None, layer.facts.get("interface")),)

    @override
    async def place(self, host: Host, site: Site) -> str | None:
        """Shelf and slot."""
        del host
        return _name(site)


class AoeInitiator(Layer, Builds, Compares):
    """See `iosonde.layers.layer.Layer` and `iosonde.layers.site.Builds`."""

    kind = "aoe"
    crossing = NetworkCrossing(frame=aoe_frame)
    settings = (
        *queue_settings("read_ahead_kb", "nr_requests", "max_sectors_kb", "scheduler"),
        LayerSetting("aoe_maxout", "modparam", "aoe.aoe_maxout", low=1, risk="stall"),
        LayerSetting("aoe_deadsecs", "modparam", "aoe.aoe_deadsecs", "s", low=0),
        *made_with(
            "frame_payload",
            units={"frame_payload": "B"},
            needs="reconnect",
            why="it follows from the MTUs on the way: set those of the interfaces on both hosts, "
            "then `aoe-revalidate`",
        ),
    )
    stands_on = "aoe_target"
    # drivers/block/aoe/aoeblk.c, aoedisk_show_state(): "up" or "down", either with ",kickme" or
    # ",closewait"; aoe.rst
    target_loss = TargetLoss(
        lambda state: state.split(",")[0] == "up",
        "I/O fails once the target was silent for aoe_deadsecs",
        "`aoe-revalidate` asks the target again; one that was silent too long needs it",
    )
    named_alike = ("shelf", "slot")
    declaration = AoeInitiatorDeclared
    probe = "device"

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        layers = []
        for device in scene.devices.values():
            match = re.fullmatch(r"etherd[/!]e(\d+)\.(\d+)", device.name)
            if not match:
                continue
            names = ("state", "netif", "payload", "firmware-version")
            texts = await scene.texts([f"{device.sysfs}/{name}" for name in names])
            answers = {path.rsplit("/", 1)[1]: text for path, text in texts.items()}
            facts: dict[str, Scalar] = {
                "shelf": int(match[1]), "slot": int(match[2]), "interface": answers.get("netif"),
                "frame_payload": int(answers["payload"]) if "payload" in answers else None,
                "state": answers.get("state"),
            }  # fmt: skip
            up = str(answers.get("state", "up")).startswith("up")
            layers.append(
                scene.device_layer(
                    self.kind,
                    device,
                    name=f"e{match[1]}.{match[2]}",
                    facts={name: value for name, value in facts.items() if value is not None},
                    hazards=() if up else (str(answers.get("state")),),
                )
            )
        return tuple(layers)

    @override
    def plan(self, site: Site) -> tuple[Step, ...]:
        """The driver keeps a target until it is told to forget it."""
        declared, target = site.declared_as(AoeInitiatorDeclared), site.only
        if not isinstance(target.declared, AoeTargetDeclared):
            raise site.wrong("an AoE initiator stands `of` a layer of kind aoe_target")
        name = _name(target)
        path = f"/dev/etherd/{name}"
        # The driver finds targets by itself as soon as it is loaded: the mark tells that we asked.
        find = (
            'modprobe aoe; echo "$1" > /sys/module/aoe/parameters/aoe_iflist; '
            'aoe-discover; : > "$2"'
        )
        mark = f"/run/iosonde-aoe-{name}"
        return (
            *_mtu(site, declared.interface, declared.mtu),
            Step(
                f"find {name} of {target.host}",
                (run(*_on_interface(find, site, declared.interface, mark)),),
                Check(("sh", "-c", 'test -e "$1" && test -b "$2"', "sh", mark, path)),
                (run("aoe-flush", name, may_fail=True), run("rm", "-f", mark)),
            ),
        )

    @override
    def compare(self, site: Site, layer: StackLayer) -> tuple[Compared, ...]:
        declared = site.declared_as(AoeInitiatorDeclared)
        return (Compared("interface", declared.interface or None, layer.facts.get("interface")),)

    @override
    async def place(self, host: Host, site: Site) -> str | None:
        path = f"/dev/etherd/{_name(site.only)}"
        done = await host.run(["test", "-b", path], check=False)
        return None if done.status else path

    def check(self, own: Sequence[Site], _room: Mapping[str, int | None]) -> None:
        """Both ends take frames of the same size."""
        for site in own:
            near = site.declared_as(AoeInitiatorDeclared)
            far = site.below[0].declared if site.below else None
            if not isinstance(far, AoeTargetDeclared) or None in {near.mtu, far.mtu}:
                continue
            if near.mtu != far.mtu:
                raise site.wrong(
                    f"mtu: it has {near.mtu} and the target {site.below[0].name} {far.mtu}, so "
                    "frames of the longer are dropped",
                    hint="declare the same MTU at both ends",
                )


_VBLADE = re.compile(
    r"vblade(?: -\w(?: \d+)?)*? (?P<shelf>\d+) (?P<slot>\d+) (?P<interface>\S+) (?P<file>\S+)"
)


def parse_vblades(text: str) -> list[dict[str, str]]:
    """Shelf, slot, interface and file of each vblade, from their command lines."""
    return [match.groupdict() for match in _VBLADE.finditer(text)]
