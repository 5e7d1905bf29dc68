"""Which labs run: a directory each, whose `lab.json` is there from before anything is started."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from iosonde.errors import HostFailed, UsageError
from iosonde.lab.image import base
from iosonde.private_folder import make_private

_GRACE = 5.0


@dataclass(frozen=True, slots=True)
class LabNode:
    """A node of a running lab. `disks` are the names of its disks; `host` is that of a guest."""

    name: str
    number: int
    port: int
    disks: tuple[str, ...]
    command: tuple[str, ...]
    host: str = ""

    @property
    def address(self) -> str:
        """On the lab's private network."""
        return f"10.9.0.{self.number}"


@dataclass(frozen=True, slots=True)
class Lab:
    """A lab on this machine. `image` is the directory of what it booted, `accel` "kvm" or "tcg".

    `arch` is the architecture of its nodes, `suite` their release of Debian, "" where it is that of
    the machine the image was made on.
    """

    name: str
    image: str
    accel: str
    complete: bool
    switch: tuple[str, ...]
    nodes: tuple[LabNode, ...]
    arch: str = ""
    suite: str = ""

    @property
    def directory(self) -> Path:
        """Where all its files are."""
        return base() / "running" / self.name

    def node(self, name: str) -> LabNode:
        """A node by its name.

        Raises:
            UsageError: there is none.
        """
        for node in self.nodes:
            if node.name == name:
                return node
        names = ", ".join(node.name for node in self.nodes)
        raise UsageError(f"the lab {self.name} has no node {name!r}; it has {names}")

    def pid(self, what: str) -> int | None:
        """The process of a node or of "switch", None where it does not run."""
        with contextlib.suppress(OSError, ValueError):
            pid = int((self.directory / f"{what}.pid").read_text())
            if _is_ours(pid, self.directory):
                return pid
        return None

    def keep(self) -> Lab:
        """Write it down; returns itself."""
        make_private(self.directory)
        new = self.directory / "lab.json.new"
        new.write_text(json.dumps(asdict(self)))
        new.rename(self.directory / "lab.json")
        return self

    def completed(self) -> Lab:
        """The same, now standing whole."""
        return replace(self, complete=True).keep()


def _is_ours(pid: int, directory: Path) -> bool:
    """Whether a process is a QEMU of a lab: a number may have been given to another since."""
    try:
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return str(directory).encode() in arguments


class NodeOff(HostFailed):
    """A node of a lab has no power."""


def labs() -> Iterator[Lab]:
    """All labs, those that a crash left half-way too."""
    for file in sorted((base() / "running").glob("*/lab.json")):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            yield _read(file)


def find(name: str) -> Lab:
    """A lab by its name.

    Raises:
        UsageError: there is none.
    """
    for lab in labs():
        if lab.name == name:
            return lab
    names = ", ".join(lab.name for lab in labs()) or "none"
    raise UsageError(
        f"there is no lab {name!r}; running: {names}",
        hint="`iosonde lab up STACK` starts that of a stack file, --nodes one without",
    )


def _read(file: Path) -> Lab:
    whole = json.loads(file.read_text())
    nodes = tuple(
        LabNode(
            row["name"], row["number"], row["port"], tuple(row["disks"]), tuple(row["command"]),
            row.get("host", ""),
        )
        for row in whole["nodes"]
    )  # fmt: skip
    return Lab(
        whole["name"], whole["image"], whole["accel"], whole["complete"], tuple(whole["switch"]),
        nodes, whole.get("arch", ""), whole.get("suite", ""),
    )  # fmt: skip


def end(lab: Lab, what: str) -> bool:
    """End a node's or the switch's process at once, as a power cut does. False: it did not run."""
    pid = lab.pid(what)
    if pid is None:
        return False
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    limit = time.monotonic() + _GRACE
    while _is_ours(pid, lab.directory) and time.monotonic() < limit:
        with contextlib.suppress(ChildProcessError):  # it may be a child of ours
            os.waitpid(pid, os.WNOHANG)
        time.sleep(0.01)
    (lab.directory / f"{what}.pid").unlink(missing_ok=True)
    return True


def take_down(name: str) -> bool:
    """End all processes of a lab and remove its files; False where there is no such lab."""
    directory = base() / "running" / name
    if not directory.exists():
        return False
    for lab in labs():
        if lab.name == name:
            for node in lab.nodes:
                end(lab, node.name)
            end(lab, "switch")
    shutil.rmtree(directory, ignore_errors=True)
    return True
