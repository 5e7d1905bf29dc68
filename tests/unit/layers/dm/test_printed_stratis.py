"""Tables of Stratis. Oracle: what is used and free is the whole."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from tests.mangle import mangled, subjects_in, unread_in

TEXT = (Path(__file__).parents[3] / "outputs" / "stratis-composed" / "lists.txt").read_text()


def test_pools_file_systems_and_devices() -> None:
    pool, filesystem, device = subjects_in(TEXT, "stratis")
    assert (pool.kind, pool.name, pool.host) == ("stratis_pool", "p1", "heron")
    sizes = cast("dict[str, int]", pool.values)
    assert sizes["used"] + sizes["free"] == pytest.approx(sizes["size"], rel=1e-2)
    flags = ("has_cache", "encrypted", "overprovisioning")
    assert [pool.values[name] for name in flags] == [False, False, True]
    assert filesystem.values == {
        "pool": "p1", "size": 1 << 40, "used": 546 << 20, "free": round(1023.47 * 2**30),
        "device": "stratis/p1/fs1", "created": "Oct 05 2023 09:25",
    }  # fmt: skip
    assert (device.name, device.values["stratis_tier"]) == ("sdb", "data")


def test_an_old_head_and_alerts() -> None:
    text = (
        "Name                     Total Physical   Properties                     UUID   Alerts\n"
        "p1   1.82 TiB / 5.30 GiB / 1.81 TiB      Ca, Cr,~Op   "
        "398925ee-6efa-4fe1-bc0f-9cd13e3da8d7   WS001\n"
    )
    (pool,) = subjects_in(text, "stratis")
    assert (pool.values["has_cache"], pool.values["overprovisioning"]) == (True, False)
    assert pool.values["alerts"] == "WS001"


def test_a_head_without_rows_says_nothing() -> None:
    text = TEXT.split("\n")[1] + "\nnothing here\n"
    assert not subjects_in(text, "stratis")
    assert unread_in(text)


@pytest.mark.parametrize(
    ("shape", "text"), list(mangled(TEXT, wraps=False)), ids=lambda each: each[:20]
)
def test_mangled(shape: str, text: str) -> None:
    assert subjects_in(text, "stratis")[:2] == subjects_in(TEXT, "stratis")[:2], shape
    assert len(subjects_in(text, "stratis")) == 3
