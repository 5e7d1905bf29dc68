"""Quota groups of btrfs. Oracle: the rows, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, read, subjects_in, unread_in

TEXT = (Path(__file__).parents[3] / "outputs" / "btrfs-composed" / "qgroups.txt").read_text()


def test_three_forms_in_every_shape() -> None:
    for shape, text in mangled(TEXT, wraps=False):
        groups = subjects_in(text, "btrfs qgroup show")
        assert [(group.name, dict(group.values)) for group in groups] == [
            ("0/5", {"referenced": 16384, "exclusive": 16384}),
            ("0/257", {
                "referenced": 3 << 29, "exclusive": 1 << 29, "max_referenced": 5 << 30,
                "parents": "1/100",
            }),
            ("0/5", {"referenced": 16384, "exclusive": 16384, "path": "<toplevel>"}),
            ("0/259", {"referenced": round(1.2 * 2**30), "exclusive": 0, "path": "mail of all"}),
            ("0/260", {"referenced": 1234567890, "exclusive": 16384}),
        ], shape  # fmt: skip


def test_a_head_alone_and_what_looks_like_it() -> None:
    (entry,) = unread_in("qgroupid         rfer         excl\n\nHello\n")
    assert "no group follows" in str(entry)


@pytest.mark.parametrize("text", [
    "The qgroupid of a subvolume is 0/257 and its rfer is 5\n",
    "0/257  1.50GiB  512.00MiB\n",
])  # fmt: skip
def test_what_looks_like_it(text: str) -> None:
    assert not read(text)
