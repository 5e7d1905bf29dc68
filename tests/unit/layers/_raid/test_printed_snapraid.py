"""snapraid.conf. Oracle: its own lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs/files-composed/snapraid.conf.txt").read_text()


def test_disks_parities_and_lists() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        array, *disks = subjects_in(given, "snapraid.conf")
        assert array.values == {
            "block_size": "256", "1_parity": "/mnt/parity1/snapraid.parity",
            "2_parity": "/mnt/parity2/a.parity,/mnt/parity3/b.parity", "autosave": "500",
            "content": "/var/snapraid.content, /mnt/oak/snapraid.content",
            "disks": 2, "filters": 2, "below": "/mnt/oak /mnt/elm/",
        }, shape  # fmt: skip
        assert [(disk.name, disk.values["folder"]) for disk in disks] == [
            ("d1", "/mnt/oak"), ("d2", "/mnt/elm/"),
        ], shape  # fmt: skip


@pytest.mark.parametrize("text", [
    "parity /mnt/p is what it computes.\ndata d1 is on /mnt/oak\n",
    "parity /mnt/parity1/snapraid.parity\ncontent /var/snapraid.content\n",
    "data d1 /mnt/oak\ndata d2 /mnt/elm\n",
    "Self test...\n100% parity, content and data\n",
])  # fmt: skip
def test_what_looks_alike(text: str) -> None:
    assert not subjects_in(text, "snapraid.conf")
