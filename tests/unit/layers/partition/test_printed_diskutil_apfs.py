"""`diskutil apfs list`. Oracle: what is used and free is the container, whose store is as large."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from tests.mangle import mangled, subjects_in

PLACE = Path(__file__).parents[3] / "outputs" / "macos-composed"
TEXT = (PLACE / "diskutil-apfs.txt").read_text()
TOOL = "diskutil apfs list"


def test_a_container_its_store_and_its_volumes() -> None:
    things = subjects_in(TEXT, TOOL)
    assert [(thing.kind, thing.name) for thing in things] == [
        ("disk", "disk1"), ("partition", "disk0s2"), ("partition", "disk1s1"),
        ("partition", "disk1s2"),
    ]  # fmt: skip
    container, store, first, second = (cast("dict[str, int]", thing.values) for thing in things)
    assert container["used"] + container["free"] == container["size"] == store["size"]
    assert first["used"] + second["used"] <= container["used"]
    assert things[1].values["container"] == things[2].values["disk"] == "disk1"
    assert things[2].values["mount_point"] == "/"
    assert "mount_point" not in things[3].values
    assert things[3].values["role"] == "Recovery"


@pytest.mark.parametrize(("shape", "text"), list(mangled(TEXT)), ids=lambda each: each[:20])
def test_mangled(shape: str, text: str) -> None:
    given = subjects_in(text, TOOL)
    assert [thing.name for thing in given] == [thing.name for thing in subjects_in(TEXT, TOOL)]
    assert [thing.values.get("size") for thing in given[:2]] == [500068036608] * 2, shape
    assert [thing.values.get("used") for thing in given[2:]] == [321234567890, 21111111011], shape
