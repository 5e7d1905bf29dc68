"""A host as a support tool collected it: its stack from files that other programs copied.

What `discover` asks is answered from the collection: files by their paths, commands by what they
printed. What was not collected as asked is derived from what says the same: the list of devices
from any form of lsblk, exact sizes from /proc/partitions, mounts from /proc/mounts or mount, the
kernel's version from uname. What nothing says is a gap of the stack, as on a live host.

Source: proc(5) for partitions, mounts and mountinfo; mount(8) for its listing.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator, Mapping, Sequence

from typing_extensions import override

from iosonde import kerneltext
from iosonde.errors import CommandFailed, FileMissing, HostFailed, UsageError
from iosonde.hosts.command import quote
from iosonde.hosts.host import Completed
from iosonde.hosts.still import StillHost
from iosonde.layers._lsblk import MAPPER_TYPES, listed_devices
from iosonde.records.stack import Scalar
from iosonde.stack.scene import LSBLK, MOUNTINFO
from iosonde.text.collected import CollectedFiles, mangled, read_collected
from iosonde.units import KIB, SECTOR

_MOUNTED = re.compile(
    r"(?P<source>.+?) on (?P<point>/.*?) type (?P<type>\S+) \((?P<options>[^)]*)\)"
)
_RELEASE = re.compile(r"(?:Linux \S+|Linux version) (?P<release>\d+\.\d+\S*)")
_SYSCTL = re.compile(r"([a-z][\w.-]*) = (.*)")
_ONLINE = re.compile(r"^On-line CPU\(s\) list:\s*([\d,-]+)", re.MULTILINE)
_CPU = re.compile(r"^processor\s*:", re.MULTILINE)
_DIGITS = 20  # of a number of 64 bits
_NO_NUMBER = "0:0"

Rows = list[dict[str, Scalar]]


class CollectedHost(StillHost):
    """A host that a directory or an archive describes. Nothing can be changed or started."""

    kind = "a collection of outputs"

    def __init__(self, files: CollectedFiles) -> None:
        self.name = files.name
        self._files = files

    @override
    async def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout: float | None = 60.0,
        check: bool = True,
    ) -> Completed:
        del stdin, timeout
        text = self._files.output(" ".join(argv))
        if text is not None:
            return Completed(tuple(argv), 0, text, b"", 0.0)
        said = f"{argv[0]}: `{quote(argv)}` is not among the collected outputs\n"
        complaint = kerneltext.encoded(said)
        if check:
            raise CommandFailed(self.name, tuple(argv), 1, b"", complaint)
        return Completed(tuple(argv), 1, b"", complaint, 0.0)

    @override
    async def read(self, path: str) -> bytes:
        content = self._files.read(path)
        if content is not None:
            return content
        if path in self._files.problems:
            raise HostFailed(f"{path} {self._files.problems[path]}", where=self.name)
        raise FileMissing(f"{path} is not among the collected files", where=self.name)

    @override
    async def glob(self, pattern: str) -> tuple[str, ...]:
        return self._files.glob(pattern)

    @override
    async def resolve(self, path: str) -> str:
        return self._files.resolve(path)


async def open_collected(name: str) -> CollectedHost:
    """The host that a directory or a tar archive of collected outputs describes.

    Raises:
        UsageError: it is neither, is damaged, or nothing in it lists block devices.
    """
    files = await asyncio.to_thread(read_collected, name)
    rows = _devices(files)
    if not rows:
        raise UsageError(
            "describes no host: neither an output of lsblk nor copies of /sys/class/block are in "
            "it, so its block devices are not known",
            where=name,
            hint="collect `lsblk -O -P`, /proc/self/mountinfo, /proc/partitions and "
            "/sys/block/*/queue, or run sosreport",
        )
    _add_devices(files, rows)
    _add_mounts(files, rows)
    _add_kernel(files)
    return CollectedHost(files)


# ── devices ──────────────────────────────────────────────────────────────────────────────────


def _devices(files: CollectedFiles) -> Rows:
    """What lsblk lists, by the output that says most of each device; sysfs where none is there."""
    best: Rows = []
    for content in files.outputs_of("lsblk"):
        try:
            rows = listed_devices(kerneltext.decoded(content))
        except ValueError:
            continue
        rows = [row for row in rows if row.get("name") and row.get("maj:min") and row.get("type")]
        if len(rows[0]) * len(rows) > len(best[0]) * len(best) if rows and best else rows:
            best = rows
    return best or [
        {"kname": path.split("/")[4].replace("!", "/")}
        for path in files.glob("/sys/class/block/*/size")
    ]


def _add_devices(files: CollectedFiles, rows: Rows) -> None:
    """Put what lsblk says where `discover` looks for it: its JSON, and links between devices."""
    if "name" not in rows[0]:
        return  # all is in sysfs
    sizes = {row["name"]: int(row["blocks"]) * KIB for row in _partitions(files)}
    _link_devices(files, rows)
    linked = bool(files.glob("/sys/class/block/*/slaves/*"))
    nodes: dict[str, dict[str, Scalar]] = {}
    for row in rows:
        kernel = str(row.get("kname") or row["name"])
        place = files.resolve(f"/sys/class/block/{kernel.replace('/', '!')}")
        sectors = (files.read(f"{place}/size") or b"").strip()
        if sectors.isdigit() and len(sectors) <= _DIGITS:
            row["size"] = int(sectors) * SECTOR
        elif kernel in sizes:
            row["size"] = sizes[kernel]
        nodes.setdefault(kernel, row)
        if kernel.startswith("dm-") and str(row["type"]) in MAPPER_TYPES:
            for name, text in (("name", row["name"]), ("uuid", MAPPER_TYPES[str(row["type"])])):
                files.add(f"{place}/dm/{name}", kerneltext.encoded(f"{text}\n"))
        parent = str(row.get("pkname") or "").replace("/", "!")
        if files.read(f"{place}/dev") is None:
            files.add(f"{place}/dev", kerneltext.encoded(f"{row['maj:min']}\n"))
        if parent and row["type"] != "part" and not linked:
            files.add(f"{place}/slaves/{parent}", b"")
            lower = files.resolve(f"/sys/class/block/{parent}")
            files.add(f"{lower}/holders/{kernel.replace('/', '!')}", b"")
    document = json.dumps({"blockdevices": list(nodes.values())}, ensure_ascii=True)
    files.outputs[mangled(" ".join(LSBLK))] = document.encode()


def _link_devices(files: CollectedFiles, rows: Rows) -> None:
    """Join the two places of a device in sysfs, of which tools copy either."""
    for row in rows:
        kernel = str(row.get("kname") or row["name"]).replace("/", "!")
        device = f"/sys/class/block/{kernel}"
        disk = f"/sys/block/{kernel}"
        if row["type"] == "part":
            disk = f"/sys/block/{str(row.get('pkname') or '').replace('/', '!')}/{kernel}"
        if not files.exists(device):
            files.add_link(device, disk)
        elif row["type"] != "part" and not files.exists(disk):
            files.add_link(disk, device)


def _partitions(files: CollectedFiles) -> Iterator[Mapping[str, str]]:
    """The lines of /proc/partitions: number, KiB, name."""
    text = kerneltext.decoded(files.read("/proc/partitions") or b"")
    for line in kerneltext.lines(text):
        cells = kerneltext.fields(line)
        sized = len(cells) == 4 and cells[2].isdecimal() and len(cells[2]) <= _DIGITS
        if sized and cells[0].isdecimal():
            yield {"number": f"{cells[0]}:{cells[1]}", "blocks": cells[2], "name": cells[3]}


# ── mounts ───────────────────────────────────────────────────────────────────────────────────


def _add_mounts(files: CollectedFiles, rows: Rows) -> None:
    """/proc/self/mountinfo, from another process's, from /proc/mounts, or from mount's listing."""
    if files.read(MOUNTINFO) is not None:
        return
    for path in ("/proc/1/mountinfo", *files.glob("/proc/[0-9]*/mountinfo")):
        content = files.read(path)
        if content is not None:
            files.add(MOUNTINFO, content)
            return
    numbers: dict[str, str] = {}
    for row in rows:
        number = str(row.get("maj:min"))
        for name in (row.get("name"), row.get("kname")):
            numbers[f"/dev/{name}"] = numbers[f"/dev/mapper/{name}"] = number
    mounts = [*_mounts_of_proc(files)] or [*_mounts_of_listing(files)]
    lines = [
        f"{place} 1 {numbers.get(kerneltext.unescape(source), _NO_NUMBER)} / {point} {options} - "
        f"{kind} {source} {options}"
        for place, (source, point, kind, options) in enumerate(mounts, 1)
    ]
    if lines:
        files.add(MOUNTINFO, kerneltext.encoded("\n".join(lines) + "\n"))


_Row = tuple[str, str, str, str]


def _mounts_of_proc(files: CollectedFiles) -> Iterator[_Row]:
    content = files.read("/proc/mounts") or files.read("/proc/self/mounts") or b""
    for line in kerneltext.lines(kerneltext.decoded(content)):
        cells = kerneltext.fields(line)
        if len(cells) >= 4 and cells[1].startswith("/"):
            yield cells[0], cells[1], cells[2], cells[3]


def _mounts_of_listing(files: CollectedFiles) -> Iterator[_Row]:
    content = files.output("mount -l") or files.output("mount") or b""
    for line in kerneltext.lines(kerneltext.decoded(content)):
        if match := _MOUNTED.match(line):
            source, point = (_escaped(match[name]) for name in ("source", "point"))
            yield source, point, match["type"], _escaped(match["options"])


def _escaped(text: str) -> str:
    """A field as mountinfo has it: proc(5), blanks in octal."""
    return text.replace("\\", "\\134").replace(" ", "\\040").replace("\t", "\\011")


# ── the kernel ───────────────────────────────────────────────────────────────────────────────


def _add_kernel(files: CollectedFiles) -> None:
    """Files below /proc/sys from sysctl's listing, the kernel's version from uname, the CPUs."""
    for line in kerneltext.lines(kerneltext.decoded(files.output("sysctl -a") or b"")):
        if match := _SYSCTL.fullmatch(line):
            value = kerneltext.encoded(match[2] + "\n")
            files.add(f"/proc/sys/{match[1].replace('.', '/')}", value)
    for content in (files.output("uname -a"), files.output("uname"), files.read("/proc/version")):
        if match := _RELEASE.match(kerneltext.decoded(content or b"")):
            files.add("/proc/sys/kernel/osrelease", kerneltext.encoded(f"{match['release']}\n"))
    cpus = len(_CPU.findall(kerneltext.decoded(files.read("/proc/cpuinfo") or b"")))
    if match := _ONLINE.search(kerneltext.decoded(files.output("lscpu") or b"")):
        files.add("/sys/devices/system/cpu/online", f"{match[1]}\n".encode())
    elif cpus:
        files.add("/sys/devices/system/cpu/online", f"0-{cpus - 1}\n".encode())
