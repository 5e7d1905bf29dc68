"""Rows of `zfs list`, `zpool list` and `zpool get` without heads: compared by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import states, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "zfs-composed" / "rows.txt").read_text()
TIB, GIB = 1 << 40, 1 << 30


def test_rows_below_their_commands() -> None:
    assert [(each.kind, each.name, each.values) for each in subjects_in(TEXT)] == [
        ("dataset", "tank/data", {
            "used": round(1.2 * TIB), "available": round(2.4 * TIB), "referenced": round(1.2 * TIB),
            "mount": "/tank/data",
        }),
        ("dataset", "tank/data/vm", {
            "used": 220 * GIB, "available": round(2.4 * TIB), "referenced": 220 * GIB,
            "mount": "/tank/data/vm",
        }),
        ("dataset", "tank/data", {"used": round(1.2 * TIB), "compression": "lz4"}),
        ("dataset", "tank/data/vm", {"used": 220 * GIB, "compression": False}),
        ("dataset", "tank/data@monday", {"used": 16 << 10, "referenced": round(1.2 * TIB)}),
        ("zpool", "tank", {
            "size": round(5.45 * TIB), "allocated": round(1.42 * TIB), "free": round(4.03 * TIB),
            "fragmentation": 0.03, "full": 0.26, "dedup_ratio": 1.0, "state": "ONLINE",
        }),
        ("zpool", "tank", {
            "autoexpand": True, "autoexpand_source": "local", "ashift": 12,
            "ashift_source": "local",
        }),
    ]  # fmt: skip
    assert {state.host for state in states(TEXT)} == {"nas"}


@pytest.mark.parametrize("text", [
    "$ zfs list | awk '{print $1}'\ntank/data 1T 2T 1T /tank\n",
    "$ zfs list -H | wc -l\n12\n", "$ zfs list -H\nno datasets available\n",
    "see what zfs list | grep x\nsays of it 1 2 3 4\n",
    "$ zpool list -H tank\nsome 1 words 2 here\n",
])  # fmt: skip
def test_what_is_no_row(text: str) -> None:
    assert not states(text)


def test_a_status_whose_author_left_out_the_heading_of_its_table() -> None:
    text = (
        "# zpool status\n  pool: tank\nstate: DEGRADED\n     NAME    STATE     READ WRITE CKSUM\n"
        "        tank    DEGRADED     0     0     0\n          sda   ONLINE       0     0     0\n"
        "          sdb   FAULTED      6     0     0  too many errors\n"
    )
    values_of = {each.name: each.values for each in subjects_in(text, "zpool status")}
    assert values_of["tank"]["state"] == "DEGRADED"
    assert (values_of["sdb"]["state"], values_of["sdb"]["read_errors"]) == ("FAULTED", 6)
