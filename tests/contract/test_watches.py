"""What every watch of a host's files does, here and over a real sshd."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import time
from itertools import pairwise
from pathlib import Path

import pytest

from iosonde.hosts import open_host
from iosonde.hosts.host import FilesSnapshot, FilesWatch, Host
from tests import sshd
from tests.contract.conftest import until


class Seen:
    """The readings of a watch so far."""

    def __init__(self, watch: FilesWatch) -> None:
        self._watch = watch
        self.readings: list[FilesSnapshot] = []

    def take(self) -> list[FilesSnapshot]:
        """With those that came since."""
        self.readings += self._watch.take()
        return self.readings

    async def more(self, count: int) -> None:
        """Wait until that many have come since now."""
        wanted = len(self.take()) + count
        assert await until(lambda: len(self.take()) >= wanted, seconds=60)


@pytest.mark.parametrize("size", [0, 1, 2047, 2048, 4096, 70_000, 200_000])
async def test_files_are_read_whole_again_and_again(host: Host, tmp_path: Path, size: int) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"a" * size)
    watch = await host.watch((str(file),), 0.05)
    readings = Seen(watch)
    await readings.more(2)
    file.write_bytes(b"b" * (size // 2))  # the same file, shorter
    await readings.more(2)  # the first of them may have begun before
    await watch.close()
    seen = [reading.files[str(file)] for reading in readings.take()]
    assert seen[0] == b"a" * size
    assert seen[-1] == b"b" * (size // 2)
    assert not watch.take()


async def test_files_of_the_kernel_are_read_to_their_end(host: Host) -> None:
    """/proc/crypto comes in several pieces."""
    paths = ("/proc/crypto", "/proc/diskstats", "/proc/filesystems")
    watch = await host.watch(paths, 0.1)
    readings = Seen(watch)
    await readings.more(1)
    await watch.close()
    files = readings.take()[0].files
    assert files["/proc/crypto"] == Path("/proc/crypto").read_bytes()
    assert len(files["/proc/crypto"]) > 2048
    assert files["/proc/filesystems"] == Path("/proc/filesystems").read_bytes()
    names = [line.split()[2] for line in Path("/proc/diskstats").read_bytes().splitlines()]
    assert [line.split()[2] for line in files["/proc/diskstats"].splitlines()] == names


async def test_what_is_not_there_is_left_out(host: Host, tmp_path: Path) -> None:
    # A directory opens, and cannot be read.
    watch = await host.watch((str(tmp_path / "none"), "/proc/uptime", str(tmp_path)), 0.05)
    readings = Seen(watch)
    await readings.more(2)
    await watch.close()
    assert all(set(reading.files) == {"/proc/uptime"} for reading in readings.take())


async def test_a_clock_that_is_set_does_not_falsify_rates(
    box: sshd.Sshd, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel's uptime is the second view; it is Python's clock that is moved, so over ssh."""
    monkeypatch.setenv("HOME", str(box.home))
    host = await open_host(box.address)
    watch = await host.watch(("/proc/uptime",), 0.1)
    seen = Seen(watch)
    await seen.more(2)
    true = time.time
    monkeypatch.setattr(time, "time", lambda: true() + 3600)
    await seen.more(3)
    await watch.close()
    readings = seen.take()
    assert abs(readings[0].time - true()) < 30
    for before, after in pairwise(readings):
        up = [float(snapshot.files["/proc/uptime"].split()[0]) for snapshot in (before, after)]
        moved = after.time - before.time
        assert moved == pytest.approx(up[1] - up[0], abs=0.5)  # between the two looks, if busy
    await host.close()


def holders(path: Path) -> int:
    """How many descriptors of all processes stand for a file."""
    number = 0
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            number += link.readlink() == path
        except OSError:
            continue
    return number


async def test_nothing_stays_open(host: Host, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"a")
    watch = await host.watch((str(file),), 0.05)
    await Seen(watch).more(1)
    assert holders(file) == 1
    await watch.close()
    assert await until(lambda: holders(file) == 0)  # over ssh the reader ends a little later


def ended(pid: int) -> None:
    """Wait for the end of a process, whoever began it."""
    with contextlib.suppress(ProcessLookupError):
        descriptor = os.pidfd_open(pid)
        select.select([descriptor], [], [], 60)
        os.close(descriptor)


ANCESTORS = """
pid=$$
while [ "$pid" -gt 1 ]; do
    read -r name < "/proc/$pid/comm" && echo "$pid $name"
    while read -r key value; do
        case $key in PPid:) pid=$value ;; esac
    done < "/proc/$pid/status"
done
"""


async def test_a_server_that_dies_ends_the_readings_and_nothing_else(
    box: sshd.Sshd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(box.home))
    host = await open_host(box.address)
    kin = (await host.run(["sh", "-c", ANCESTORS])).stdout.decode().splitlines()
    server = next(int(line.split()[0]) for line in kin if "sshd" in line)
    watch = await host.watch(("/proc/uptime",), 0.05)
    await Seen(watch).more(2)
    os.kill(server, signal.SIGKILL)  # sshd's process of this connection
    await asyncio.to_thread(ended, server)
    await asyncio.sleep(0.3)
    watch.take()
    await asyncio.sleep(0.2)
    assert not watch.take()
    await watch.close()
    await host.close()
