"""Mount options changed by a remount on a real file system, from any value to any other."""

from __future__ import annotations

import subprocess
from itertools import permutations
from pathlib import Path

import pytest

from iosonde.hosts.local import LocalHost
from iosonde.settings.remount import CHOICES, Remount
from tests.loop.devices import loop_device, mounted, tool

pytestmark = [pytest.mark.root]


def looked(mechanism: Remount, address: str) -> str:
    completed = subprocess.run(mechanism.look(address), capture_output=True, text=True, check=True)
    return completed.stdout.strip()


@pytest.mark.parametrize("name", ["atime", "lazytime", "barrier", "discard"])
async def test_every_value_follows_every_other(tmp_path: Path, name: str) -> None:
    """As the host itself and as the controller read it back; fstab does not know the mount."""
    mechanism = Remount()
    with loop_device(tmp_path / "disk", 64 * 2**20) as device:
        tool("mkfs.ext4", "-q", "-F", device)
        with mounted(device, tmp_path / "at") as place:
            address = f"{name} {place}"
            for before, after in permutations(CHOICES[name], 2):
                for value in (before, after):
                    tool(*mechanism.change(address, value))
                    shown = await mechanism.get(LocalHost(), [address])
                    assert (looked(mechanism, address), shown[address]) == (value, value)
