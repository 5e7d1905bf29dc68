"""What a cache of bcache holds is in use; the cached device that it offers is not, for that."""

from __future__ import annotations

from pathlib import Path

from iosonde.change.family import Family, FamilyMember
from iosonde.change.in_use import _holders
from iosonde.hosts.local import LocalHost


async def reasons(device: Path) -> list[str]:
    family = Family((FamilyMember(device.name, "1:1", str(device), ""),))
    return [use.reason async for use in _holders(LocalHost(), f"/dev/{device.name}", family)]


async def test_only_what_bcache_stands_on_is_held(tmp_path: Path) -> None:
    origin, cached = tmp_path / "vdb", tmp_path / "bcache0"
    (origin / "bcache").mkdir(parents=True)
    cached.mkdir()
    (cached / "bcache").symlink_to(origin / "bcache")
    assert await reasons(origin) == ["held by bcache"]
    assert await reasons(cached) == []
