"""File systems as they are found on real loop devices."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.hosts.local import LocalHost
from iosonde.stack.discover import discover
from iosonde.stack.model import layers_under
from tests.loop.devices import loop_device, mounted, tool

pytestmark = [pytest.mark.root]


async def test_an_ext4_with_a_stripe_and_a_journal_of_data(tmp_path: Path) -> None:
    with loop_device(tmp_path / "disk", 64 * 2**20) as device:
        tool("mkfs.ext4", "-q", "-F", "-b", "1024", "-E", "stride=64,stripe_width=192", device)
        with mounted(device, tmp_path / "at", "-o", "data=journal,noatime") as place:
            capture = await discover([LocalHost()])
            layers = layers_under(capture, "local", str(place / "file"))
    top = layers[0]
    assert (top.kind, top.mount, top.device) == ("ext4", str(place), device)
    assert top.facts["journal_mode"] == "journal"
    assert top.facts["block_size"] == 1024
    assert top.facts["stripe_width"] == 192 * 1024
    assert top.settings["noatime"] is True
    assert [layer.kind for layer in layers[1:2]] == ["loop"]


async def test_a_file_in_memory_lies_on_no_disk(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    tool("mount", "-t", "tmpfs", "-o", "size=1m", "none", tmp_path / "memory")
    try:
        capture = await discover([LocalHost()])
    finally:
        tool("umount", tmp_path / "memory")
    (only,) = layers_under(capture, "local", str(tmp_path / "memory" / "file"))
    assert only.facts["in_memory"] is True
