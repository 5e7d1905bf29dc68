"""Composes a host that nobody here has: its /sys, /proc and the outputs of its tools.

A `Machine` is described as an administrator would (disks, partitions, what stands on what) and
gives a `Host` that answers as that machine would. Whatever it was not told does not exist there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from iosonde.errors import CommandFailed, FileMissing, IosondeError
from iosonde.hosts.host import Completed
from iosonde.hosts.local import LocalHost
from iosonde.records.stack import Json
from iosonde.stack.scene import LSBLK

GIB = 1024**3

# Columns of `lsblk --output-all` that are worth a place here, by util-linux.
_OLD = (
    "name", "kname", "maj:min", "fstype", "mountpoint", "label", "uuid", "ra", "ro", "rm",
    "model", "serial", "size", "state", "alignment", "min-io", "opt-io", "phy-sec", "log-sec",
    "rota", "sched", "rq-size", "type", "wwn", "pkname", "hctl", "tran", "subsystems", "rev",
    "vendor",
)  # fmt: skip
_NEW = (*_OLD, "path", "fsver", "mountpoints", "pttype", "parttypename", "partlabel", "start")


@dataclass
class Device:
    """One block device of a composed machine: its columns of lsblk and its children there."""

    columns: dict[str, Json]
    children: list[str] = field(default_factory=list)


class Machine:
    """A host put together piece by piece.

    Args:
        name: of the host.
        kernel: its release.
        cpus: how many are online.
        memory: bytes.
        old_lsblk: util-linux before 2.33 prints strings only, and no paths.
    """

    def __init__(
        self, name: str, kernel: str, *, cpus: int, memory: int, old_lsblk: bool = False
    ) -> None:
        self.name = name
        self.files: dict[str, bytes] = {}
        self.places: set[str] = set()
        self.commands: dict[tuple[str, ...], tuple[int, str, str]] = {}
        self.devices: dict[str, Device] = {}
        self.tops: list[str] = []
        self._old = old_lsblk
        self._mounts: list[str] = []
        self.file("/proc/sys/kernel/osrelease", kernel)
        self.file("/proc/self/status", "Name:\tcat\nUid:\t0\t0\t0\t0")
        self.file("/sys/devices/system/cpu/online", f"0-{cpus - 1}")
        self.file("/proc/meminfo", f"MemTotal:       {memory // 1024} kB\nMemFree: 1 kB")
        self.file("/proc/swaps", "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority")
        for parameter, value in {
            "dirty_background_bytes": 0, "dirty_background_ratio": 10, "dirty_bytes": 0,
            "dirty_expire_centisecs": 3000, "dirty_ratio": 20,
            "dirty_writeback_centisecs": 500, "swappiness": 60, "vfs_cache_pressure": 100,
        }.items():  # fmt: skip
            self.file(f"/proc/sys/vm/{parameter}", str(value))

    def file(self, path: str, text: str) -> None:
        """A file with a line break at its end, as the kernel writes them."""
        self.files[path] = (text + "\n").encode()

    def command(self, *argv: str, stdout: str = "", stderr: str = "", status: int = 0) -> None:
        """What a command prints."""
        self.commands[argv] = (status, stdout, stderr)

    def block(
        self,
        name: str,
        number: str,
        type_: str,
        size: int,
        /,
        *on: str,
        queue: Mapping[str, str | int] | None = None,
        **columns: Json,
    ) -> None:
        """A disk, or a device that stands on others (their holders and its slaves follow)."""
        place = f"/sys/class/block/{name}"
        self._add(name, number, type_, size, on, columns)
        for key, value in (queue or {}).items():
            self.file(f"/sys/block/{name}/queue/{key}", str(value))
        for below in on:
            self.places.add(f"{place}/slaves/{below}")
            self.places.add(f"/sys/class/block/{below}/holders/{name}")
        self.file(f"{place}/alignment_offset", "0")

    def part(self, name: str, number: str, on: str, start: int, size: int, **columns: Json) -> None:
        """A partition; `start` in units of 512 bytes, `size` in bytes."""
        self._add(name, number, "part", size, (on,), {"start": start, **columns})
        self.file(f"/sys/class/block/{name}/start", str(start))
        self.file(f"/sys/block/{on}/{name}/partition", name[-1])

    def _add(
        self,
        name: str,
        number: str,
        type_: str,
        size: int,
        on: Sequence[str],
        columns: Mapping[str, Json],
    ) -> None:
        values: dict[str, Json] = {
            "name": name, "kname": name, "path": f"/dev/{name}", "maj:min": number, "size": size,
            "type": type_, "ro": False, "rm": False, "rota": False, "pkname": None,
        }  # fmt: skip
        values |= {key.replace("_", "-"): value for key, value in columns.items()}
        self.devices[name] = Device(values)
        self.file(f"/sys/class/block/{name}/size", str(size // 512))
        self.file(f"/sys/class/block/{name}/dev", number)
        if not on:
            self.tops.append(name)
        for below in on:
            self.devices[below].children.append(name)

    def mount(self, line: str) -> None:
        """A line of /proc/self/mountinfo."""
        self._mounts.append(line)
        self.file("/proc/self/mountinfo", "\n".join(self._mounts))

    def swap(self, path: str, size: int) -> None:
        """A line of /proc/swaps."""
        text = self.files["/proc/swaps"].decode().rstrip("\n")
        self.file("/proc/swaps", f"{text}\n{path:<40}partition\t{size // 1024}\t0\t-2")

    def lsblk(self) -> str:
        """What `lsblk --json --bytes --output-all` prints here."""

        def node(name: str, parent: str | None) -> Json:
            device = self.devices[name]
            shown: dict[str, Json] = {}
            for key in _OLD if self._old else _NEW:
                value = device.columns.get(key)
                if key == "pkname":
                    value = parent
                if self._old and value is not None:
                    value = str(int(value)) if isinstance(value, bool) else str(value)
                shown[key] = value
            if device.children:
                shown["children"] = [node(child, name) for child in device.children]
            return shown

        return json.dumps({"blockdevices": [node(name, None) for name in self.tops]}, indent=1)

    def host(self) -> LocalHost:
        """The machine as a host."""
        self.command(*LSBLK, stdout=self.lsblk())
        return _ComposedHost(self)


class _ComposedHost(LocalHost):
    """See `iosonde.hosts.host.Host`."""

    def __init__(self, machine: Machine) -> None:
        self.name = machine.name
        self._machine = machine

    async def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        timeout: float | None = 60.0,
        check: bool = True,
    ) -> Completed:
        key = tuple(argv)
        missing = (127, "", "command not found")
        status, out, complaint = self._machine.commands.get(key, missing)
        if check and status != 0:
            raise CommandFailed(self.name, key, status, out.encode(), complaint.encode())
        return Completed(key, status, out.encode(), complaint.encode(), 0.01)

    async def read(self, path: str) -> bytes:
        content = self._machine.files.get(path)
        if content is None:
            # /sys/block/NAME and /sys/class/block/NAME are the same directory.
            other = path.replace("/sys/block/", "/sys/class/block/")
            content = self._machine.files.get(other)
        if content is None and path.startswith("/sys/class/block/"):
            content = self._machine.files.get(path.replace("/sys/class/block/", "/sys/block/"))
        if content is None:
            raise FileMissing(f"{path}: No such file or directory", where=self.name)
        return content

    async def read_many(self, paths: Sequence[str]) -> Mapping[str, bytes | IosondeError]:
        values: dict[str, bytes | IosondeError] = {}
        for path in paths:
            try:
                values[path] = await self.read(path)
            except IosondeError as problem:
                values[path] = problem
        return values

    async def glob(self, pattern: str) -> tuple[str, ...]:
        names = self._machine.places | set(self._machine.files)
        depth = pattern.count("/")
        cut = {"/".join(path.split("/")[: depth + 1]) for path in names if path.count("/") >= depth}
        return tuple(
            sorted(
                path
                for path in cut
                if all(
                    fnmatchcase(word, form)
                    for word, form in zip(path.split("/"), pattern.split("/"), strict=True)
                )
            )
        )

    async def resolve(self, path: str) -> str:
        if path in self._machine.files or path in self._machine.places:
            return path
        raise FileMissing(f"{path}: No such file or directory", where=self.name)
