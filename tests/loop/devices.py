"""Loop devices of the tests' own: made on scratch files, and always taken away again."""

from __future__ import annotations

import errno
import fcntl
import itertools
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

MIB = 1024**2
_COUNT = itertools.count()
_LOOP_CTL_REMOVE = 0x4C81  # linux/loop.h


def tool(*argv: str | Path) -> str:
    """What a tool prints; its failure fails the test.

    A device or mount may be busy for a moment, because somebody lists all of them just then: that
    is tried again.
    """
    end = time.monotonic() + 10
    while True:
        done = subprocess.run(list(map(str, argv)), capture_output=True, check=False, timeout=60)
        busy = any(word in done.stderr for word in (b"busy", b"in use"))
        if done.returncode == 0 or not busy or time.monotonic() > end:
            break
        time.sleep(0.05)
    assert done.returncode == 0, f"{argv}: {done.stderr.decode()}"
    return done.stdout.decode().strip()


def killed_at_command(
    call: Sequence[str],
    after: int,
    *,
    since: str = "",
    environment: Mapping[str, str] | None = None,
) -> bool:
    """Kill -9 a call with --trace once it announced so many commands; False where it ended before.

    Args:
        call: whose standard error announces commands ("+ …").
        after: how many.
        since: counted from the one after that which has these words; empty: from the first.
        environment: of the call; None: that of the tests.
    """
    process = subprocess.Popen(
        call, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    seen = -1 if since else 0
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("+ ") and (seen >= 0 or since in line):
            seen += 1
        if seen > after:
            os.kill(process.pid, signal.SIGKILL)
            break
    process.stderr.read()
    process.stderr.close()
    return process.wait() == -signal.SIGKILL


def own_number() -> str:
    """The path of a loop device that is not there yet, and is this process's alone.

    `losetup --find` takes the lowest number that is free, so it leaves such a one alone also while
    it is detached.
    """
    while True:
        number = 1024 + os.getpid() % 2048 * 16 + next(_COUNT) % 16
        if not Path(f"/sys/block/loop{number}").exists():
            return f"/dev/loop{number}"


@contextmanager
def loop_device(image: Path, size: int, *options: str) -> Iterator[str]:
    """A loop device of its own number on a new sparse file of that many bytes; its path.

    It is removed from the kernel at the end, and what its queue was set to with it.

    Args:
        image: file to make.
        size: bytes.
        options: further options of losetup ("--direct-io=on", "--sector-size", "4096").
    """
    with image.open("wb") as file:
        file.truncate(size)
    device = own_number()
    tool("losetup", *options, device, image)
    try:
        yield device
    finally:
        tool("losetup", "--detach", device)
        remove(device)
        image.unlink()


def remove(device: str) -> None:
    """Remove a detached loop device from the kernel.

    Raises:
        OSError: somebody had it open for ten seconds.
    """
    number, end = int(device.removeprefix("/dev/loop")), time.monotonic() + 10
    with Path("/dev/loop-control").open("rb") as control:
        while True:
            try:
                fcntl.ioctl(control, _LOOP_CTL_REMOVE, number)
            except OSError as error:
                if error.errno != errno.EBUSY or time.monotonic() > end:
                    raise
                time.sleep(0.05)
            else:
                return


@contextmanager
def partitions(device: str, *spans: tuple[int, int]) -> Iterator[list[str]]:
    """Partitions told to the kernel, without a table on the device; their paths.

    The kernel need not know any partition table for this (`CONFIG_MSDOS_PARTITION`).

    Args:
        device: the loop device.
        spans: first sector and count of each, in units of 512 bytes.
    """
    made = []
    try:
        for number, (first, count) in enumerate(spans, start=1):
            tool("addpart", device, str(number), str(first), str(count))
            made.append(f"{device}p{number}")
        for path in made:
            _wait_for(Path(path))
        yield made
    finally:
        for number in range(1, len(made) + 1):
            tool("delpart", device, str(number))


def _wait_for(node: Path) -> None:
    end = time.monotonic() + 10
    while not node.exists():
        assert time.monotonic() < end, f"{node} did not appear"
        time.sleep(0.05)


@contextmanager
def mounted(device: str, place: Path, *options: str) -> Iterator[Path]:
    """A device mounted at a new directory."""
    place.mkdir()
    tool("mount", *options, device, place)
    try:
        yield place
    finally:
        tool("umount", place)


@contextmanager
def swapped_on(device: str) -> Iterator[None]:
    """A device used as swap."""
    tool("mkswap", device)
    tool("swapon", device)
    try:
        yield
    finally:
        tool("swapoff", device)
