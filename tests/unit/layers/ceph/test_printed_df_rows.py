"""Rows of `ceph osd df`. Oracle: their sums, and the reader of the whole table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.mangle import mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "ceph-composed" / "osd-df-rows.txt").read_text()
HEAD = (
    "ID CLASS WEIGHT  REWEIGHT SIZE    RAW USE DATA    OMAP    META    AVAIL   %USE  VAR  PGS "
    "STATUS"
)
GIB = 1 << 30


def _things(text: str, tool: str = "ceph osd df") -> dict[str, dict[str, Any]]:
    return {subject.name: dict(subject.values) for subject in subjects_in(text, tool)}


def test_the_sums() -> None:
    things = _things(TEXT)
    cluster = things.pop("ceph")
    assert sum(osd["used"] for osd in things.values()) == cluster["used"] == 980 * GIB
    assert sum(osd["omap"] for osd in things.values()) == cluster["omap"] == 128 << 10
    for osd in things.values():
        assert osd["used"] + osd["available"] == osd["size"]
        assert osd["full"] == pytest.approx(osd["used"] / osd["size"], abs=0.0001)
        assert osd["variance"] == pytest.approx(osd["full"] / cluster["full"], abs=0.005)
    variances = [osd["variance"] for osd in things.values()]
    assert (cluster["variance_min"], cluster["variance_max"]) == (min(variances), max(variances))
    assert cluster["full_deviation"] == 0.0107


def test_as_the_table_with_its_head() -> None:
    rows = TEXT.split("\n")[1:3]
    whole = _things("\n".join([HEAD, *rows, ""]), "ceph osd")
    assert whole.keys() == {"osd.0", "osd.1"}
    part = _things("\n".join([*rows, ""]))
    for name, values in whole.items():
        shared = values.keys() & part[name].keys() - {"full"}
        assert len(shared) >= 10
        assert {key: part[name][key] for key in shared} == {key: values[key] for key in shared}


@pytest.mark.parametrize(
    ("row", "size", "used"),
    [
        (" 3 1.00000  1.00000  931G  500G  431G 53.70 1.02  90", 931 * GIB, 500 * GIB),
        ("3   ssd 0.43649  0.95001 447 GiB 100 GiB 347 GiB 22.37 0.50 30 osd.3", 447 * GIB,
         100 * GIB),
    ],
)  # fmt: skip
def test_other_releases(row: str, size: int, used: int) -> None:
    osd = _things(f"{row}\n")["osd.3"]
    assert (osd["size"], osd["used"]) == (size, used)


@pytest.mark.parametrize(
    "text",
    [
        " 3 1.00000  1.00000  931G  500G  431G 93.70 1.02  90\n",
        " 3   hdd 0.90970 osd.3  up  1.00000 1.00000\n",
        "TOTAL 10 GiB 5 GiB 5 GiB\n",
        "my hdd is 931 GiB, of which 500 GiB are used\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not _things(text)


def test_every_shape() -> None:
    for shape, changed in mangled(TEXT, wraps=False):
        assert _things(changed) == _things(TEXT), shape
