"""/etc/default/grub. Oracle: what a shell makes of its lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs/files-composed/grub.txt").read_text()
TOOL = "/etc/default/grub"


def test_keys_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        things = [dict(s.values) for s in subjects_in(given, TOOL)]
        values = {name: value for thing in things for name, value in thing.items()}
        assert values == {
            "grub_default": 0, "grub_timeout": 5,
            "grub_cmdline_linux_default": "quiet elevator=mq-deadline zfs.zfs_arc_max=8589934592",
            "grub_cmdline_linux": "transparent_hugepage=never",
        }, shape  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "Set GRUB_CMDLINE_LINUX=quiet in the file.\n",
        "# GRUB_TIMEOUT=5\n",
        'GRUB_CMDLINE_LINUX="quiet\n',
        "GRUB_TIMEOUT=\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert subjects_in(text, TOOL) == []
