"""Recording with a blktrace that is a script: what is asked first, what is left, what is told."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from iosonde.errors import FileMissing, HostFailed, Refused, UsageError
from iosonde.hosts import open_host
from iosonde.trace.read import open_trace
from iosonde.trace.record import RecordedTrace, record
from tests.unit.trace.kernel import write_blktrace
from tests.unit.trace.sample import requests

# One after the other: what is left behind is looked for in a folder that all share.
pytestmark = pytest.mark.xdist_group("trace-record")

MOUNTED = {"/proc/self/mounts": b"none /sys/kernel/debug debugfs rw 0 0\n"}
FREE = {"/sys/class/block/sdb/trace/enable": b"0\n"}

# As blktrace: -d DEVICE -w SECONDS -D DIRECTORY -o NAME.
_SCRIPT = """#!/bin/sh
[ "$1" = -V ] && exit 0
while [ $# -gt 1 ]; do
    case $1 in -w) seconds=$2;; -D) out=$2;; esac; shift
done
cp {made}/sdb.blktrace.* "$out"
: > "$out/sdb.blktrace.2"
trap 'exit 0' TERM
{work}
echo "  Total:                  1500 events (dropped {dropped}),     70 KiB data"
"""


class Pretended:
    """This machine, with a disk sdb."""

    def __init__(self, host: Any, files: Mapping[str, bytes]) -> None:
        self._host = host
        self._files = files
        self.name = "pretended"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._host, name)

    async def resolve(self, path: str) -> str:
        if path not in {"/dev/sdb", "/etc/passwd"}:
            raise FileMissing("none", where=path)
        return path

    async def glob(self, pattern: str) -> tuple[str, ...]:
        if pattern.startswith("/sys/class/block/"):
            return (pattern,) if pattern.endswith("/sdb") else ()
        names: tuple[str, ...] = await self._host.glob(pattern)
        return names

    async def read(self, path: str) -> bytes:
        if path.startswith(("/sys/", "/proc/")):
            if path not in self._files:
                raise FileMissing("none", where=path)
            return self._files[path]
        content: bytes = await self._host.read(path)
        return content


@pytest.fixture
def blktrace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    made = tmp_path / "made"
    made.mkdir()
    write_blktrace(made, requests(300))
    bin_ = tmp_path / "bin"
    bin_.mkdir()

    def put(work: str = "", dropped: int = 0) -> None:
        script = bin_ / "blktrace"
        script.write_text(_SCRIPT.format(made=made, work=work, dropped=dropped))
        script.chmod(0o755)

    put()
    monkeypatch.setenv("PATH", f"{bin_}:{os.environ['PATH']}")
    return put


def recorded(
    directory: Path, files: Mapping[str, bytes] | None = None, device: str = "/dev/sdb", **more: Any
) -> RecordedTrace:
    async def do() -> RecordedTrace:
        host = await open_host("local")
        try:
            pretended: Any = Pretended(host, {**MOUNTED, **FREE} if files is None else files)
            return await record(pretended, device, seconds=1, directory=directory, **more)
        finally:
            await host.close()

    return asyncio.run(do())


def leftovers() -> set[str]:
    return {path.name for path in Path("/dev/shm").glob("iosonde-trace.*")}


def test_what_blktrace_wrote_is_here_and_nowhere_else(blktrace: Any, tmp_path: Path) -> None:
    before = leftovers()
    done = recorded(tmp_path / "out")
    assert [file.name for file in done.files] == ["sdb.blktrace.0", "sdb.blktrace.1"]
    assert (done.dropped, done.cut, done.device) == (0, False, "/dev/sdb")
    assert sum(len(batch) for batch in open_trace(str(done.path)).batches()) == 300
    assert leftovers() == before
    with pytest.raises(UsageError, match="recording already"):
        recorded(tmp_path / "out")


def test_what_was_dropped_is_told(blktrace: Any, tmp_path: Path) -> None:
    blktrace(dropped=17)
    assert recorded(tmp_path).dropped == 17


def test_it_ends_early_when_its_memory_is_full(blktrace: Any, tmp_path: Path) -> None:
    blktrace(work="sleep 30 & wait $!")
    done = recorded(tmp_path, limit=4096)
    assert done.cut
    assert len(done.files) == 2


def test_a_blktrace_that_fails_is_told_in_its_words(blktrace: Any, tmp_path: Path) -> None:
    before = leftovers()
    blktrace(work="echo 'BLKTRACESETUP: Operation not permitted' >&2; exit 1")
    with pytest.raises(HostFailed, match=r"blktrace failed: .*Operation not permitted"):
        recorded(tmp_path)
    blktrace(work="echo 'Invalid path /dev/sdb specified: 13/Permission denied' >&2; exit 1")
    with pytest.raises(HostFailed, match="13/Permission denied") as failed:
        recorded(tmp_path)
    assert "run as root" in failed.value.hint
    assert leftovers() == before


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("Thread 1 failed open /sys/kernel/debug/block/sdb/trace1: 1/Operation not permitted",
         "/sys/kernel/security/lockdown"),
        ("Thread 1 failed open /sys/kernel/debug/block/sdb/trace1: 24/Too many open files",
         "no I/O in that time"),
    ],
)  # fmt: skip
def test_where_nothing_is_recorded_the_hint_is_about_what_blktrace_said(
    blktrace: Any, tmp_path: Path, said: str, hint: str
) -> None:
    blktrace(work=f'rm "$out"/*; echo "{said}" >&2; exit 0')
    with pytest.raises(HostFailed, match="blktrace recorded nothing: Thread 1 failed") as failed:
        recorded(tmp_path)
    assert hint in failed.value.hint


@pytest.mark.parametrize(
    ("files", "error", "message"),
    [
        ({**MOUNTED}, HostFailed, "CONFIG_BLK_DEV_IO_TRACE"),
        (
            {**MOUNTED, "/sys/class/block/sdb/trace/enable": b"1\n"},
            Refused,
            "blktrace -d /dev/sdb -k",
        ),
        (
            {**FREE, "/proc/self/mounts": b"none /sys sysfs rw 0 0\n"},
            HostFailed,
            "mount -t debugfs",
        ),
    ],
)
def test_what_is_missing_is_told_with_what_helps(
    blktrace: Any, tmp_path: Path, files: dict[str, bytes], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as raised:
        recorded(tmp_path, files)
    assert message in str(raised.value)


@pytest.mark.parametrize("device", ["/dev/none", "/etc/passwd"])
def test_only_a_block_device_is_recorded(blktrace: Any, tmp_path: Path, device: str) -> None:
    with pytest.raises(UsageError, match="device"):
        recorded(tmp_path, device=device)
