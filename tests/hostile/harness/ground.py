"""Where a run writes, and what lies around it that must never change."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.loop.devices import MIB, tool

_WINDOW = 16 * MIB
_BESIDE = ("data.bak", ".data.iosonde.bak", "iosonde-scratch.CANARY00", "dat", "data2", "kills.0.0")


@dataclass
class Ground:
    """A target and its canaries.

    Args:
        folder: holds the image or the scratch file.
        target: device or path that the run is given.
        device: whether it is a device.
        canaries: path → what it was; of the image the bytes outside the window.
    """

    folder: Path
    target: str
    device: bool
    canaries: dict[Path, str] = field(default_factory=dict)

    def changed(self) -> list[str]:
        """The canaries that are not as they were."""
        return [path.name for path, was in self.canaries.items() if _seen(path) != was]

    def strangers(self) -> list[str]:
        """Files that were not there at the beginning."""
        return sorted(path.name for path in self.folder.iterdir() if path not in self.canaries)

    def claimed(self) -> int | None:
        """A descriptor with the kernel's exclusive claim on the device; None: somebody has it."""
        with contextlib.suppress(OSError):
            return os.open(self.target, os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC)
        return None

    def written(self) -> str:
        """A digest of what the target holds."""
        with open(self.target, "rb") as file:  # noqa: PTH123 - a device as well
            return hashlib.file_digest(file, "blake2b").hexdigest()


def _seen(path: Path) -> str:
    """Content, size, inode and times of a file; of an image, of what surrounds the window."""
    try:
        status = path.lstat()
        if path.name != "image":
            message = f"{status.st_ino} {status.st_size} {status.st_mtime_ns} {status.st_mode}"
            return f"{message} {hashlib.blake2b(path.read_bytes()).hexdigest()}"
        with path.open("rb") as file:
            before = hashlib.blake2b(file.read(_WINDOW))
            file.seek(2 * _WINDOW)
            before.update(file.read())
    except OSError as problem:
        return f"gone: {problem}"
    return f"{status.st_ino} {status.st_size} {before.hexdigest()}"


def _beside(folder: Path) -> None:
    for name in _BESIDE:
        (folder / name).write_bytes(os.urandom(64 * 1024))


@contextmanager
def on_device(folder: Path) -> Iterator[Ground]:
    """A loop device that shows the middle third of an image of random bytes."""
    folder.mkdir()
    image = folder / "image"
    image.write_bytes(os.urandom(_WINDOW) + bytes(_WINDOW) + os.urandom(_WINDOW))
    _beside(folder)
    device = tool(
        "losetup", "--find", "--show", "--offset", str(_WINDOW), "--sizelimit", str(_WINDOW), image
    )
    try:
        yield Ground(folder, device, True, {path: _seen(path) for path in folder.iterdir()})
    finally:
        tool("losetup", "--detach", device)


@contextmanager
def on_file(folder: Path) -> Iterator[Ground]:
    """A scratch file to be made among other files."""
    folder.mkdir()
    _beside(folder)
    yield Ground(
        folder, str(folder / "data"), False, {path: _seen(path) for path in folder.iterdir()}
    )
