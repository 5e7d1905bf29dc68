"""mount and df of the BSDs and macOS. Oracle: the samples' own rows, split at their blanks."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers._mounts.printed_mount_bsd import BsdMount
from iosonde.records.printed import PrintedSubject
from tests.mangle import mangled, subjects_in

PLACE = Path(__file__).parents[3] / "outputs" / "mount-composed"
FREE, MAC, OPEN, DF_MAC, DF_FREE = (
    (PLACE / f"{name}.txt").read_text()
    for name in ("freebsd", "macos", "openbsd", "df-macos", "df-freebsd")
)


def _seen(text: str) -> list[tuple[str, str, dict[str, object]]]:
    return [(each.kind, each.name, dict(each.values)) for each in subjects_in(text)]


def _by_point(text: str) -> dict[str, PrintedSubject]:
    return {each.name: each for each in subjects_in(text)}


def test_mounts_with_their_options() -> None:
    assert _seen(FREE) == [
        ("ufs", "/", {"device": "/dev/ada0p2", "local": True, "journaled_soft_updates": True}),
        ("zfs", "/usr/home", {"device": "zroot/usr/home", "local": True, "nfsv4acls": True}),
        ("nfs", "/mnt", {"device": "192.0.2.9:/export", "read_only": True}),
    ]
    assert _by_point(MAC)["/Volumes/share"].values["mounted_by"] == "user"
    assert set(_by_point(MAC)) == {"/", "/Volumes/share"}
    assert [mount[:2] for mount in _seen(OPEN)] == [("ffs", "/"), ("ffs", "/home")]


def test_df_with_columns_of_inodes() -> None:
    root = _by_point(DF_MAC)["/"].values
    assert (root["size"], root["used"], root["available"]) == (460 << 30, 10 << 30, 300 << 30)
    assert (root["used_share"], root["inodes_used"], root["inodes_used_share"]) == (0.04, 404000, 0)
    assert "map auto_home" in {each.values["device"] for each in subjects_in(DF_MAC)}
    cells = DF_FREE.splitlines()[-1].split()
    values = _by_point(DF_FREE)["/"].values
    assert values["size"] == int(cells[1]) * 1024
    assert (values["inodes_used"], values["inodes_free"]) == (int(cells[5]), int(cells[6]))


@pytest.mark.parametrize("text", [FREE, MAC, OPEN, DF_MAC, DF_FREE])
def test_every_shape(text: str) -> None:
    for shape, changed in mangled(text, wraps=False):
        assert _seen(changed) == _seen(text), shape


@pytest.mark.parametrize("text", [
    "We have it on /srv (zfs, which is slow).\n",
    "/dev/sda1 on / type ext4 (rw,relatime)\n",
    "notes on zfs (ufs, too)\n",
])  # fmt: skip
def test_what_is_no_mount_of_bsd(text: str) -> None:
    assert not subjects_in(text, BsdMount.tool)


def test_a_row_of_df_in_a_list() -> None:
    text = "Full:\n\n- /dev/sda1 20G 18G 2.0G 90% /\n* `/dev/sdb1 1.8T 900G 850G 52% /srv`\n"
    assert [each.name for each in subjects_in(text)] == ["/", "/srv"]


@pytest.mark.parametrize("row", [
    "- /dev/sda1 20G 18G 2G 40% /",  # the share is another one
    "- /dev/sda1 20G 30G 2G 94% /",  # more than there is
    "- /dev/sda1 20 18 2 90% /",  # of what?
    "- sda1 20G 18G 2G 90% /",
    "see /dev/sda1 20G 18G 2G 90% / there",
])  # fmt: skip
def test_what_is_no_row_of_df(row: str) -> None:
    assert not subjects_in(f"Disks:\n\n{row}\n", "df")
