"""df of Data ONTAP. Oracle: sums of the sizes that it prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs/ontap-composed/seven-mode.txt").read_text()


def test_volumes_and_their_snapshots_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        things = {(s.kind, s.name): s.values for s in subjects_in(given, "ontap df")}
        assert len(things) == 5, shape
        root = things["storage_volume", "vol0"]
        assert (root["snapshot_reserve"], root["snapshot_used"]) == (42 << 20, 54 << 20), shape
        assert root["used_share"] == 0.17, shape
        assert things["storage_volume", "heron"]["snapshot_used"] == 12 << 30, shape
        pool = things["storage_pool", "aggr0"]
        assert int(str(pool["used"])) + int(str(pool["available"])) == pool["size"], shape
        assert things["storage_volume", "svm1:dumps"]["available"] == 0, shape
        long = things["storage_volume", "svm1:trident_qtree_pool_sc08_4_CZGYFIQXXL"]
        assert long["size"] == 8 << 30, shape


@pytest.mark.parametrize(
    "text",
    [
        "Filesystem     1K-blocks    Used Available Use% Mounted on\n/dev/sda1 10 5 5 50% /\n",
        "Filesystem              kbytes       used      avail capacity Mounted on\n"
        "/dev/disk3s3s1       971350180  944099444   27250736      98% / \n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not subjects_in(text, "ontap df")
