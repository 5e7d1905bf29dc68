"""What the tools of RAID controllers say on a host, and the block device of each virtual drive.

Their output is read by the files facts_* beside this one, which also read it in tickets and wikis.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from iosonde import kerneltext
from iosonde.hosts.host import Completed
from iosonde.layers.hwraid.facts_megacli import parse_megacli
from iosonde.layers.hwraid.facts_ssacli import parse_ssacli
from iosonde.layers.hwraid.facts_storcli import parse_storcli
from iosonde.layers.layer import BlockDevice, Scene
from iosonde.records.printed import PrintedSubject
from iosonde.records.stack import Gap, Scalar

MEGARAID = ("storcli64", "storcli", "perccli64", "perccli")
SMART_ARRAY = ("ssacli", "hpssacli", "hpacucli")
_MEGACLI = ("MegaCli64", "MegaCli", "megacli")
PLACES = {
    "storcli64": ("/opt/MegaRAID/storcli/storcli64",),
    "storcli": ("/opt/MegaRAID/storcli/storcli",),
    "perccli64": ("/opt/MegaRAID/perccli/perccli64",),
    "perccli": ("/opt/MegaRAID/perccli/perccli",),
    "MegaCli64": ("/opt/MegaRAID/MegaCli/MegaCli64",),
    "MegaCli": ("/opt/MegaRAID/MegaCli/MegaCli",),
    "ssacli": ("/opt/smartstorageadmin/ssacli/bin/ssacli",),
    "hpssacli": ("/opt/hp/hpssacli/bld/hpssacli", "/opt/hp/hpssacli/bin/hpssacli"),
    "hpacucli": ("/opt/compaq/hpacucli/bld/hpacucli",),
}
"""Where the makers' packages put a tool that is not in the path."""


def called(names: Iterable[str]) -> tuple[str, ...]:
    """What a tool may be called by, its name first, then the places of the makers' packages."""
    every = tuple(names)
    return (*every, *(place for name in every for place in PLACES.get(name, ())))


Parse: TypeAlias = Callable[[str, str], Iterator[PrintedSubject]]


@dataclass(frozen=True, slots=True)
class Maker:
    """One make of controllers.

    Args:
        name: as people call it.
        drivers: of the kernel, of which a host with such a controller has one.
        ways: tools that tell the same, the best first: names, what to ask, and how that is read.
        remedy: where no tool is there.
    """

    name: str
    drivers: tuple[str, ...]
    ways: tuple[tuple[tuple[str, ...], tuple[tuple[str, ...], ...], Parse], ...]
    remedy: str


_STORCLI = (("/call", "show", "all"), ("/call/vall", "show", "all"))
_MEGA = (
    ("-LDInfo", "-Lall", "-aALL", "-NoLog"), ("-AdpAllInfo", "-aALL", "-NoLog"),
    ("-AdpBbuCmd", "-aALL", "-NoLog"),
)  # fmt: skip
MAKERS = (
    Maker(
        "a MegaRAID or PERC controller",
        ("megaraid_sas",),
        ((MEGARAID, _STORCLI, parse_storcli), (_MEGACLI, _MEGA, parse_megacli)),
        "install storcli or perccli",
    ),
    Maker(
        "a Smart Array controller",
        ("hpsa", "smartpqi", "cciss"),
        ((SMART_ARRAY, (("ctrl", "all", "show", "config", "detail"),), parse_ssacli),),
        "install ssacli",
    ),
)
# Names the tools that there are, and the drivers that have a device.
_WHICH = (
    'for one; do case "$one" in driver:*) ls -d /sys/bus/pci/drivers/"${one#driver:}"/*:*:* '
    '>/dev/null 2>&1 && echo "$one";; *) command -v "$one" 2>/dev/null;; esac; done; true'
)
_NONE = re.compile(
    rb"(?i)no controller|controllers? (?:found|detected) *[:=]? *0|no .{0,30}detected"
)
_DENIED = re.compile(
    r"permission|root privilege|must be root|superuser|administrator", re.IGNORECASE
)
_PATIENCE = 120.0  # seconds; a controller with a hundred drives takes its time


@dataclass(frozen=True, slots=True)
class Volume:
    """One virtual drive: what is known of it, of its controller, and its block device."""

    values: Mapping[str, Scalar]
    controller: Mapping[str, Scalar]
    device: BlockDevice


async def volumes(scene: Scene) -> tuple[Volume, ...]:
    """The virtual drives of a host; what could not be read becomes a gap of the scene.

    Where no driver of such controllers is loaded, nothing is asked but that.
    """
    versions = {
        f"/sys/module/{driver}/version": maker for maker in MAKERS for driver in maker.drivers
    }
    loaded = [versions[path] for path in await scene.texts(list(versions))]
    makers = list({maker.name: maker for maker in loaded}.values())
    drives: list[Volume] = []
    for maker in makers:
        drives += await _of_maker(scene, maker)
    return tuple(drives)


def which(maker: Maker) -> tuple[str, ...]:
    """The question which of a make's tools there are, and which of its drivers have a device."""
    named = [name for names, _, _ in maker.ways for name in called(names)]
    return ("sh", "-c", _WHICH, "sh", *named, *(f"driver:{driver}" for driver in maker.drivers))


async def _of_maker(scene: Scene, maker: Maker) -> list[Volume]:
    asked = await scene.host.run(which(maker), check=False)
    answers = kerneltext.decoded(asked.stdout).split()
    present = [word for word in answers if not word.startswith("driver:")]
    if not present:
        if answers:
            what = f"virtual drives of {maker.name}"
            scene.gaps.append(
                Gap(scene.host.name, what, "none of its tools is there", maker.remedy)
            )
        return []
    failed: Completed | None = None
    for names, questions, parse in maker.ways:
        tools = [path for path in present if path.rpartition("/")[2] in names]
        for tool in dict.fromkeys(tools):
            done = [
                await scene.host.run([tool, *question], timeout=_PATIENCE, check=False)
                for question in questions
            ]
            texts = [kerneltext.decoded(answer.stdout) for answer in done]
            subjects = [subject for text in texts for subject in parse(text, "")]
            if subjects:
                return await _placed(scene, maker, subjects, tool)
            failed = failed or next((answer for answer in done if _tells(answer)), None)
    if failed:
        _miss(scene, maker, failed)
    return []


def _tells(done: Completed) -> bool:
    """Whether a tool failed, other than by finding no controller. Some end with 0 all the same."""
    said = done.stdout + done.stderr
    return (done.status != 0 or b"Status = Failure" in said) and not _NONE.search(said)


def _miss(scene: Scene, maker: Maker, done: Completed) -> None:
    said = kerneltext.decoded(done.stderr or done.stdout).strip()
    lines = [line.strip() for line in kerneltext.lines(said) if line.strip()]
    described = re.search(r"^[^\S\n]*Description = (.+)$", said, re.MULTILINE)
    reason = described[1] if described else lines[0] if lines else f"status {done.status}"
    remedy = "run as root" if _DENIED.search(said) else ""
    tool = done.argv[0].rpartition("/")[2]
    what = f"virtual drives of {maker.name}"
    scene.gaps.append(Gap(scene.host.name, what, f"{tool}: {reason}", remedy))


# ── the block device of a virtual drive ───────────────────────────────────────────────────────

_ROUNDED = 0.01  # sizes are printed with three digits or more
_HCTL = re.compile(r"(\d+):(\d+):(\d+):(\d+)")


async def _placed(
    scene: Scene, maker: Maker, subjects: Sequence[PrintedSubject], tool: str
) -> list[Volume]:
    """The virtual drives whose block device can be told; a gap for each other one.

    `tool` sets the policies of those whose identifier is known.
    """
    controllers: dict[str, dict[str, Scalar]] = {}
    volumes: dict[str, dict[str, Scalar]] = {}
    names: dict[str, str] = {}
    for subject in subjects:
        if subject.kind == "controller":
            controllers.setdefault(subject.name, {}).update(subject.values)
        elif subject.kind == "hwraid":
            volume = str(subject.values.get("volume") or subject.name)
            volumes.setdefault(volume, {}).update(subject.values)
            if subject.name != volume:
                names[volume] = f"/dev/{subject.name}"
    hosts = await _scsi_hosts(scene, maker) if volumes.keys() - names.keys() else []
    drives = []
    for volume, values in volumes.items():
        device = (
            scene.device_at(names.get(volume, ""))
            or _with_identifier(scene, str(values.get("identifier") or ""))
            or _at_address(scene, hosts, volume, values.get("size"))
        )
        if device is None:
            reason = "which block device it is cannot be told"
            scene.gaps.append(Gap(scene.host.name, f"virtual drive {volume}", reason))
            continue
        if "identifier" in values:
            values["tool"] = tool
        owner = controllers.get(str(values.get("controller")), {})
        drives.append(Volume(values, owner, device))
    return drives


def _with_identifier(scene: Scene, identity: str) -> BlockDevice | None:
    """The disk whose World Wide Name is an identifier: "0x600605b…" (lsblk(8), WWN).

    All of it: the virtual drives of one controller have its first half in common.
    """
    for device in scene.devices.values():
        name = str(device.lsblk.get("wwn") or "").lower().removeprefix("0x").removeprefix("naa.")
        if identity and device.type != "part" and name == identity:
            return device
    return None


async def _scsi_hosts(scene: Scene, maker: Maker) -> list[str]:
    """Numbers of the SCSI hosts of a make of controllers, in their order."""
    paths = await scene.host.glob("/sys/class/scsi_host/host*/proc_name")
    texts = await scene.texts(list(paths))
    own = [path.split("/")[4] for path, text in texts.items() if text in maker.drivers]
    return sorted((name.removeprefix("host") for name in own), key=int)


def _at_address(
    scene: Scene, hosts: Sequence[str], volume: str, size: Scalar
) -> BlockDevice | None:
    """The disk of MegaRAID's virtual drive "c0/v3" by its SCSI address, HOST:2:3:0.

    Channels 0 and 1 are physical drives, those from 2 on virtual ones, 128 to a channel
    (MEGASAS_MAX_PD_CHANNELS, MEGASAS_MAX_DEV_PER_CHANNEL in megaraid_sas.h). That controllers are
    numbered as their SCSI hosts is likely, not sure: one of another size is not taken.
    """
    named = re.fullmatch(r"c(\d+)/v(\d+)", volume)
    if named is None or int(named[1]) >= len(hosts):
        return None
    for device in scene.devices.values():
        address = _HCTL.fullmatch(str(device.lsblk.get("hctl") or ""))
        if address and device.type == "disk" and address[1] == hosts[int(named[1])]:
            channel, target = int(address[2]), int(address[3])
            like = isinstance(size, int) and abs(device.size - size) <= size * _ROUNDED
            if channel >= 2 and (channel - 2) * 128 + target == int(named[2]) and like:
                return device
    return None
