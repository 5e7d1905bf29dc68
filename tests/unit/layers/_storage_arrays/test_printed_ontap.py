"""ONTAP's tables. Oracle: the count below each, and the share that agrees with its sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import mangled, states, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs/ontap-composed/tables.txt").read_text()


def test_every_row_in_every_shape() -> None:
    counts = [int(line.split()[0]) for line in TEXT.split("\n") if "displayed." in line]
    for shape, given in mangled(TEXT, wraps=False):
        tables = [state for state in states(given) if state.tool == "ontap"]
        assert [len(table.subjects) for table in tables] == counts, shape
        assert {table.host for table in tables} == {"cluster1"}, shape


def test_shares_agree_with_sizes() -> None:
    shares = 0
    for thing in subjects_in(TEXT, "ontap"):
        values = thing.values
        share, size, left = (values.get(n) for n in ("used_share", "size", "available"))
        if isinstance(share, float) and isinstance(size, int) and isinstance(left, int):
            snapshots = 0.31 if thing.name in {"cluster1-01:vol0", "aggr0_cluster1_01"} else 0.01
            assert abs(1 - left / size - share) < snapshots, thing.name
            shares += 1
    assert shares > 6


def test_cells_that_went_on_below_or_moved() -> None:
    things = {(s.kind, s.name): s.values for s in subjects_in(TEXT, "ontap")}
    root = things["storage_pool", "aggr0_cluster1_01"]
    assert (root["node"], root["raid_level"], root["raid_status"]) == (
        "cluster1-filer-01", "raid_dp", "normal",
    )  # fmt: skip
    assert things["storage_volume", "svm1:logs"]["aggregate"] == "aggr_with_a_long_name"
    assert things["array_drive", "1.0.1"]["container"] == "aggr0_cluster1_01, aggr1"
    assert things["array_drive", "1.0.1"]["owner"] == "cluster1-01"
    mirror = things["replication", "svm_dr:trident_pvc_213d8964_dec7"]
    assert mirror["source"] == "svm1:trident_pvc_3926023c_2e5e_4150"
    assert things["logical_interface", "cluster1:node1_mgmt"]["port"] == "e0M"


def test_what_is_not_printed_is_left_out() -> None:
    things = {(s.kind, s.name): s.values for s in subjects_in(TEXT, "ontap")}
    assert not {"used_share", "available"} & things["storage_volume", "svm1:old"].keys()
    assert not {"size", "used_share"} & things["storage_pool", "aggr3"].keys()


@pytest.mark.parametrize(
    "text",
    [
        TEXT.split("\n")[15] + "\nnothing\n",
        "The columns Available Used% say how full it is\n",
        "Vserver Volume Available Used%\n------- ------ --------- -----\nsvm1 v 1GB 0%\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not subjects_in(text, "ontap")
