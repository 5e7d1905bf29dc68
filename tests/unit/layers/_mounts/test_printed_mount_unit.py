"""Units of systemd that mount."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import Unread
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "files-composed"
TEXT = (PLACE / "mount-unit.txt").read_text()


def test_a_unit_in_every_shape() -> None:
    for shape, given in mangled(TEXT):
        (state,) = states(given)
        mount, unit = state.subjects
        assert (mount.kind, mount.name, mount.values["logbufs"]) == ("xfs", "/srv/media", "8"), (
            shape
        )
        assert unit.values["After"] == "network-online.target"


def test_swap_and_a_mount_whose_type_is_not_said() -> None:
    (state,) = states("[Swap]\nWhat=/dev/vg0/swap\nOptions=pri=5\n")
    assert [(each.kind, each.name) for each in state.subjects] == [
        ("swap", "vg0/swap"), ("unit", "/dev/vg0/swap"),
    ]  # fmt: skip
    (state,) = states("[Mount]\nWhat=/dev/vg0/a\nWhere=/a\n")
    assert [each.kind for each in state.subjects] == ["unit"]


def test_what_is_no_unit_that_mounts() -> None:
    (entry,) = read("[Unit]\nDescription=x\n\n[Mount]\n\n[Install]\n")
    assert isinstance(entry, Unread)
    assert not read("[Unit]\nDescription=x\n\n[Service]\nExecStart=/bin/true\n")
