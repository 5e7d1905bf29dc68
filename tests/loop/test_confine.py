"""A load with less memory than its file: what it read is not all in the page cache afterwards."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from iosonde.errors import HostFailed
from iosonde.hosts.local import LocalHost
from iosonde.measure.confine import limited
from iosonde.units import MIB

pytestmark = [pytest.mark.root]
FILE, MEMORY = 96 * MIB, 32 * MIB


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file"
    path.write_bytes(os.urandom(MIB) * (FILE // MIB))
    subprocess.run(["sync", str(path)], check=True)
    return path


def forget(path: Path) -> None:
    with path.open("rb") as opened:
        os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def cached(path: Path) -> int:
    """Bytes of a file that are in the page cache (fincore(1))."""
    completed = subprocess.run(
        ["fincore", "--bytes", "--noheadings", "--output", "RES", str(path)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return int(completed.stdout)


async def read_all(path: Path, memory: int | None) -> int:
    host = LocalHost()
    forget(path)
    async with limited(host, memory) as prefix:
        await host.run([*prefix, "cat", str(path)])
        return cached(path)


async def test_the_page_cache_counts(file: Path) -> None:
    assert MEMORY < await read_all(file, None) <= FILE  # the host may need some pages itself
    assert 0 < await read_all(file, MEMORY) <= MEMORY


async def test_the_group_is_gone_afterwards_whatever_happened() -> None:
    host = LocalHost()
    groups: list[str] = []

    async def fails() -> None:
        async with limited(host, MEMORY) as prefix:
            groups.append(prefix[-1])
            assert Path(prefix[-1]).is_dir()
            await host.run([*prefix, "false"])

    with pytest.raises(HostFailed):
        await fails()
    assert not Path(groups[0]).exists()
