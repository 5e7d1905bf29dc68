"""DRBD: /proc/drbd of 8.x and the files of resources; option.sh reads `drbdsetup show` of 8.4.

Source: DRBD 8.4, drbd_proc.c, drbd_seq_show() (ns, nr, dw, dr, oos in KiB; 8.0 to 8.2 say `st:`
where later ones say `ro:`), drbd_strings.c; drbdsetup(8) of 8.4, show; drbd.conf(5).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from iosonde.layers._commands.versions import PackageVersion
from iosonde.layers._mounts.traits import CarriedContent
from iosonde.records.printed import without_none
from iosonde.records.stack import Scalar
from iosonde.units import KIB, clock_seconds

_DISK = (
    "Diskless|Attaching|Detaching|Failed|Negotiating|Inconsistent|Outdated|DUnknown|Consistent|"
    "UpToDate"
)
_BEGINS = re.compile(r"^[^\S\n]*(?=\d{1,7}: ?cs:)", re.MULTILINE)
_VOLUME = re.compile(
    rf"(?P<minor>\d+):cs:(?P<cs>\w+?)(?:ro|st):(?P<role>\w+)/(?P<peer>\w+?)ds:(?P<disk>{_DISK})/"
    rf"(?P<far>{_DISK})(?P<protocol>[ABC])?(?P<flags>[r-][a-z-]{{3,6}}(?=ns:))?"
)
_COUNT = re.compile(r"(ns|nr|dw|dr|al|bm|lo|pe|ua|ap|ep|oos):(\d+)")
_SYNCED = re.compile(r"sync'ed:([\d.]+)%")
_FINISH = re.compile(r"finish:(\d{1,4}:\d\d:\d\d)(?=speed)")
_WANT = re.compile(r"want:([\d,]+)K/sec")
_LEFT = re.compile(r"sync'ed:[\d.]+%\((\d+)/(\d+)\)(K|M)")
_ORDERING = re.compile(r"wo:([bfdn])(?=oos:|\[|act_log|resync|$)")
_SPEED = re.compile(r"speed:([\d,]+)\(([\d,]+)\)(?:want:[\d,]+)?K/sec")
_KIBS = frozenset({"ns", "nr", "dw", "dr", "oos", "size", "read", "written", "received", "sent",
                   "out-of-sync"})  # fmt: skip


@dataclass(frozen=True, slots=True)
class DrbdVolume:
    """A volume in /proc/drbd: its states and what it counted, amounts in bytes.

    `synced` is the share in sync of a resync, `speed` its bytes a second; None where there is none.
    """

    minor: int
    states: dict[str, Scalar]
    counters: dict[str, int]
    synced: float | None
    speed: int | None


def amount(name: str, figure: int) -> int:
    """A counter by DRBD's name for it; what it counts in KiB as bytes."""
    return figure * KIB if name in _KIBS else figure


def parse_volumes(text: str) -> Iterator[DrbdVolume]:
    """The volumes in /proc/drbd of 8.x; blanks and line ends do not matter within one."""
    for part in _BEGINS.split(text)[1:]:
        packed = "".join(part.split())
        volume = _VOLUME.match(packed)
        if volume is None:
            continue
        counters = {name: amount(name, int(value)) for name, value in _COUNT.findall(packed)}
        share, speed = _SYNCED.search(packed), _SPEED.search(packed)
        ordering = _ORDERING.search(packed)
        states: dict[str, Scalar] = {
            "connection": volume["cs"], "role": volume["role"], "peer_role": volume["peer"],
            "disk_state": volume["disk"], "peer_disk_state": volume["far"],
            "protocol": volume["protocol"], "io_flags": volume["flags"],
            "write_ordering": ordering[1] if ordering else None, "out_of_sync": counters.get("oos"),
            **_resync(packed),
        }  # fmt: skip
        yield DrbdVolume(
            int(volume["minor"]),
            without_none(states),
            counters,
            float(share[1]) / 100 if share else None,
            int(speed[1].replace(",", "")) * KIB if speed else None,
        )


def _resync(packed: str) -> dict[str, Scalar]:
    """Seconds to the end of a resync, its speed since it began and as wanted, and its bytes."""
    finish, want, left = _FINISH.search(packed), _WANT.search(packed), _LEFT.search(packed)
    values: dict[str, Scalar] = {}
    if speed := _SPEED.search(packed):
        values["sync_speed_average"] = int(speed[2].replace(",", "")) * KIB
    if finish:
        values["sync_time_left"] = clock_seconds(finish[1])
    if want:
        values["sync_speed_wanted"] = int(want[1].replace(",", "")) * KIB
    if left:
        unit = KIB if left[3] == "K" else KIB * KIB
        values |= {"sync_left": int(left[1]) * unit, "sync_total": int(left[2]) * unit}
    return values


def names_device(text: str, device: str) -> bool:
    """Whether a file of drbd.conf(5) has the resource of a device ("drbd1")."""
    minor = device.removeprefix("drbd")
    return bool(re.search(rf"\bdevice\s+[^;]*(?:/dev/drbd|minor\s+){minor}\s*[;m{{]", text))


def options_in(text: str, section: str) -> dict[str, str]:
    """The options of one section of a resource's file."""
    options: dict[str, str] = {}
    for part in re.findall(rf"^[^\S\n]*{section}\s*\{{([^}}]*)\}}", text, re.MULTILINE):
        plain = re.sub(r"#.*", "", part)
        options |= dict(re.findall(r"([\w-]+)\s+([^;]+?)\s*;", plain))
    return options


LOWER_DEVICE = CarriedContent(
    what="is the lower device of DRBD",
    instead="mount /dev/drbdN on the node where it is primary (`drbdadm status`), never the device "
    "below",
)

VERSION = PackageVersion(
    {
        "drbd-utils": r"DRBDADM_VERSION=(?P<version>\d[\d.]{2,20})",
        "drbd": r"DRBD_KERNEL_VERSION=(?P<version>\d[\d.]{2,20})",
    },
    anchors=("DRBDADM_VERSION=", "DRBD_KERNEL_VERSION="),
    commands=("drbdadm",),
)
"""Source: drbd-utils 9.22, drbdadm --version."""
