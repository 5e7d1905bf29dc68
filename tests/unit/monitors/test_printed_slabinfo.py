"""/proc/slabinfo. Oracle: a cache has as many objects as its slabs hold."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from iosonde.records.printed import Unread
from tests.mangle import counters, mangled, read

TEXT = (Path(__file__).parents[2] / "outputs" / "tracers-composed" / "slabinfo.txt").read_text()


def test_objects_fill_their_slabs() -> None:
    (row,) = counters(TEXT)
    caches = cast("list[dict[str, int]]", row.values["kernel_caches"])
    assert [str(cache["name"]) for cache in caches] == ["xfs_inode", "dentry", "bio-192"]
    for cache in caches:
        assert cache["objects"] == cache["slabs"] * cache["objects_per_slab"] >= cache["active"]
        held = cache["objects_per_slab"] * cache["object_size"]
        assert held <= cache["pages_per_slab"] * 4096 < held + cache["object_size"]


def test_every_shape() -> None:
    expected = [dict(row.values) for row in counters(TEXT)]
    for shape, changed in mangled(TEXT.rstrip(), wraps=False):
        assert [dict(row.values) for row in counters(changed)] == expected, shape


def test_a_broken_row_ends_it() -> None:
    (row,) = counters(TEXT.replace("dentry            200000 210000", "dentry            200000"))
    caches = cast("list[object]", row.values["kernel_caches"])
    assert len(caches) == 1


def test_a_head_alone_is_unread() -> None:
    (entry,) = read("\n".join(TEXT.splitlines()[1:3]))
    assert isinstance(entry, Unread)


@pytest.mark.parametrize("text", [
    "See <objsize> and <objperslab> in /proc/slabinfo.\n",
    "dentry            200000 210000    192   21    1\n",
])  # fmt: skip
def test_prose(text: str) -> None:
    assert counters(text) == []
