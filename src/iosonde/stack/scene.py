"""What a host's kernel says of all its block devices and mounts, read once for all layers.

The devices are those of lsblk (its columns differ over the years, so that each is optional); what
stands on what comes from sysfs, which also knows holders that lsblk does not follow.

Source: lsblk(8) of util-linux 2.23–2.40; proc(5) for mountinfo and swaps; Linux
Documentation/ABI/stable/sysfs-block.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from iosonde.errors import IosondeError
from iosonde.hosts.host import Host
from iosonde.hosts.packages import install_hint
from iosonde.kerneltext import decoded, fields, lines, unescape
from iosonde.layers._lsblk import device_type, parse_lsblk_json, parse_lsblk_pairs
from iosonde.layers.layer import BlockDevice, Mount, Scene
from iosonde.records.stack import Gap, Scalar
from iosonde.units import SECTOR

LSBLK = ("lsblk", "--json", "--bytes", "--output-all")
# util-linux before 2.27 has no JSON, before 2.24 no --output-all (Enterprise Linux 7: 2.23).
LSBLK_PAIRS = (
    "lsblk", "--pairs", "--bytes", "--output",
    "NAME,KNAME,MAJ:MIN,FSTYPE,LABEL,UUID,RO,RM,MODEL,SIZE,ALIGNMENT,MIN-IO,OPT-IO,PHY-SEC,"
    "LOG-SEC,ROTA,SCHED,RQ-SIZE,TYPE,PKNAME",
)  # fmt: skip

MOUNTINFO = "/proc/self/mountinfo"
SWAPS = "/proc/swaps"
STATUS = "/proc/self/status"
QUEUES = "/sys/block/*/queue/*"
SLAVES = "/sys/class/block/*/slaves/*"
HOLDERS = "/sys/class/block/*/holders/*"
SIZES = "/sys/class/block/*/size"
PARTITIONS = "/sys/block/*/*/partition"

_AS_ROOT = "run as root"
_REFUSED_TO_ROOT = "refused to root too, as in a container: run on the host itself"
_EFFECTIVE_USER = re.compile(r"^Uid:\s+\d+\s+(\d+)", re.MULTILINE)


def parse_mountinfo(text: str) -> tuple[Mount, ...]:
    """The mounts in the order they were made; lines that are cut short are left out."""
    mounts = []
    for line in lines(text):
        fields = line.split(" ")
        if "-" not in fields[6:]:
            continue
        dash = fields.index("-", 6)
        rest = fields[dash + 1 :]
        if len(rest) < 2:
            continue
        mounts.append(
            Mount(
                mount_point=unescape(fields[4]),
                source=unescape(rest[1]),
                fstype=rest[0],
                number=fields[2],
                root=unescape(fields[3]),
                options=tuple(fields[5].split(",")),
                super_options=tuple(unescape(rest[2]).split(",")) if len(rest) > 2 else (),
            )
        )
    return tuple(mounts)


def parse_swaps(text: str) -> tuple[str, ...]:
    """The paths in /proc/swaps, its heading left out."""
    return tuple(unescape(fields(line)[0]) for line in lines(text)[1:] if fields(line))


def kernel_directory(name: str) -> str:
    """The device's directory in sysfs, where "/" of its name is "!" (cciss/c0d0)."""
    return "/sys/class/block/" + name.replace("/", "!")


async def _lsblk(host: Host, gaps: list[Gap]) -> dict[str, dict[str, Scalar]]:
    """What lsblk says, by the newest way this host's lsblk understands; sysfs's word without."""
    done = await host.run(LSBLK, check=False)
    if done.stdout.strip():
        try:
            return parse_lsblk_json(decoded(done.stdout))
        except ValueError as problem:
            gaps.append(Gap(host.name, "lsblk", str(problem)))
    if done.status != 127:
        pairs = await host.run(LSBLK_PAIRS, check=False)
        if pairs.stdout.strip():
            return parse_lsblk_pairs(decoded(pairs.stdout))
    reason = "no lsblk" if done.status == 127 else "lsblk prints nothing that can be read"
    remedy = await install_hint(host, "util-linux") if done.status == 127 else ""
    gaps.append(Gap(host.name, "types, models and signatures of devices", reason, remedy))
    return await _from_sysfs(host)


async def _from_sysfs(host: Host) -> dict[str, dict[str, Scalar]]:
    """Names, sizes and types from sysfs alone, as lsblk derives them."""
    disk_of = {}
    for path in await host.glob(PARTITIONS):
        *_, disk, name, _ = path.split("/")
        disk_of[name] = disk
    places = [path.removesuffix("/size") for path in await host.glob(SIZES)]
    names = ("size", "dev", "md/level", "dm/name", "dm/uuid")
    files = await host.read_many([f"{place}/{name}" for place in places for name in names])
    columns: dict[str, dict[str, Scalar]] = {}
    for place in places:
        texts = {}
        for name in names:
            content = files.get(f"{place}/{name}")
            texts[name] = decoded(content).strip() if isinstance(content, bytes) else ""
        kernel = place.rpartition("/")[2]
        if not texts["size"].isdecimal() or int(texts["size"]) == 0:
            continue
        columns[kernel.replace("!", "/")] = {
            "name": texts["dm/name"] or kernel.replace("!", "/"),
            "maj:min": texts["dev"],
            "size": int(texts["size"]) * SECTOR,
            "type": "part" if kernel in disk_of else device_type(kernel, texts),
            "pkname": disk_of.get(kernel, "").replace("!", "/") or None,
        }
    return columns


def _links(paths: Iterable[str]) -> dict[str, list[str]]:
    """Device → what its slaves (or holders) directory lists."""
    links: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        *_, device, _, other = path.split("/")
        links[device.replace("!", "/")].append(other.replace("!", "/"))
    return links


def _path(name: str, columns: Mapping[str, Scalar]) -> str:
    """The node to open. lsblk prints it since 2.33; device-mapper names live in /dev/mapper."""
    path = columns.get("path")
    if path:
        return str(path)
    if name.startswith("dm-") and columns.get("name"):
        return f"/dev/mapper/{str(columns['name']).split(' ')[0]}"
    return f"/dev/{name}"


def _below(name: str, columns: Mapping[str, Scalar], slaves: Mapping[str, list[str]]) -> list[str]:
    """What a device stands on: the disk of a partition, else its slaves."""
    parent = columns.get("pkname")
    if columns.get("type") == "part" and parent:
        return [str(parent)]
    return slaves.get(name, [])


async def _queues(
    host: Host, names: Collection[str], wanted: Sequence[str] | None
) -> dict[str, dict[str, str]]:
    """Disk → name → text of its queue directory; what only root may read is left out."""
    if wanted is None:
        paths = await host.glob(QUEUES)
    else:
        disks = [name.replace("/", "!") for name in names]
        paths = tuple(f"/sys/block/{disk}/queue/{name}" for disk in disks for name in wanted)
    places = {}
    for path in paths:
        *_, device, _, name = path.split("/")
        if device.replace("!", "/") in names:  # unused loop devices would be most of it
            places[path] = (device.replace("!", "/"), name)
    queues: dict[str, dict[str, str]] = defaultdict(dict)
    for path, content in (await host.read_many(tuple(places))).items():
        if isinstance(content, bytes):
            device, name = places[path]
            queues[device][name] = decoded(content).strip()
    return queues


async def _starts(
    host: Host, columns: Mapping[str, Mapping[str, Scalar]]
) -> dict[str, dict[str, Scalar]]:
    """Where each partition starts on its disk, in 512-byte units, as sysfs says."""
    parts = [name for name, row in columns.items() if row.get("type") == "part"]
    files = await host.read_many([f"{kernel_directory(name)}/start" for name in parts])
    starts: dict[str, dict[str, Scalar]] = {}
    for name in parts:
        content = files.get(f"{kernel_directory(name)}/start")
        if isinstance(content, bytes) and content.strip().isdigit():
            starts[name] = {"start": int(content)}
    return starts


async def read_devices(
    host: Host, gaps: list[Gap], queue: Sequence[str] | None = None
) -> dict[str, BlockDevice]:
    """All block devices of a host by kernel name, in lsblk's order; see `read_scene`."""
    rows = await _lsblk(host, gaps)
    slaves = _links(await host.glob(SLAVES))
    holders = _links(await host.glob(HOLDERS))
    if unlisted := [name for name in slaves if name not in rows]:
        # lsblk starts from disks: what stands on one that was pulled out is not in its list.
        derived = await _from_sysfs(host)
        rows |= {name: derived[name] for name in unlisted if name in derived}
    queues = await _queues(host, rows, queue)
    starts = await _starts(host, rows)
    devices = {}
    for name, columns in rows.items():
        below = _below(name, columns, slaves)
        disk = below[0] if columns.get("type") == "part" and below else name
        size = columns.get("size")
        devices[name] = BlockDevice(
            name=name,
            path=_path(name, columns),
            number=str(columns.get("maj:min") or ""),
            type=str(columns.get("type") or ""),
            size=size if isinstance(size, int) else 0,
            below=tuple(below),
            above=tuple(holders.get(name, ())),
            lsblk={**columns, **starts.get(name, {})},
            queue=queues.get(disk, {}),
            sysfs=kernel_directory(name),
        )
    return devices


async def _text(host: Host, path: str, gaps: list[Gap]) -> str:
    try:
        return decoded(await host.read(path))
    except IosondeError as problem:
        gaps.append(Gap(host.name, path, problem.message, problem.hint))
        return ""


async def _note_hidden_signatures(
    host: Host, devices: Mapping[str, BlockDevice], gaps: list[Gap]
) -> None:
    """Where udev keeps no database (containers), lsblk sees signatures only as root."""
    if not devices or any(device.lsblk.get("fstype") for device in devices.values()):
        return
    if await _is_root(host, gaps) is False:
        reason = "without udev's database only root sees them"
        gaps.append(Gap(host.name, "file system signatures", reason, _AS_ROOT))


async def _is_root(host: Host, gaps: list[Gap]) -> bool | None:
    """Whether commands run as root there; None: its kernel does not say."""
    match = _EFFECTIVE_USER.search(await _text(host, STATUS, gaps))
    return match[1] == "0" if match else None


async def with_reasons(host: Host, gaps: Sequence[Gap]) -> tuple[Gap, ...]:
    """Gaps of which those that root has do not advise to be root.

    Source: devices of a container (Linux, Documentation/admin-guide/cgroup-v1/devices.rst) and
    lockdown (kernel_lockdown(7)) give EPERM to root too.
    """
    denied = [gap for gap in gaps if gap.remedy == _AS_ROOT]
    if not denied or not await _is_root(host, []):
        return tuple(gaps)
    return tuple(replace(gap, remedy=_REFUSED_TO_ROOT) if gap in denied else gap for gap in gaps)


async def read_scene(host: Host, queue: Sequence[str] | None = None) -> Scene:
    """The scene of a host. What cannot be read becomes a gap of it.

    Args:
        host: whose.
        queue: names of the files of devices' queues that are read; None: all, some fifty a device.
    """
    gaps: list[Gap] = []
    devices = await read_devices(host, gaps, queue)
    await _note_hidden_signatures(host, devices, gaps)
    return Scene(
        host=host,
        devices=devices,
        mounts=parse_mountinfo(await _text(host, MOUNTINFO, gaps)),
        swaps=parse_swaps(await _text(host, SWAPS, gaps)),
        gaps=gaps,
    )
