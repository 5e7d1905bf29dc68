"""`service drbd status` and `drbd-overview`: a volume for each row."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.stack import Scalar
from tests.mangle import mangled, states

TEXT = (Path(__file__).parents[3] / "outputs" / "drbd-composed" / "status.txt").read_text()


def volumes(text: str) -> dict[tuple[str, str], dict[str, Scalar]]:
    return {
        (state.host, s.name): dict(s.values)
        for state in states(text) for s in state.subjects if s.name
    }  # fmt: skip


def test_both_tables_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        by_name = volumes(given)
        assert len(by_name) == 5, (shape, by_name)
        target = by_name["alpha", "drbd0"]
        assert (target["connection"], target["disk_state"]) == ("SyncTarget", "Inconsistent")
        assert (target["role"], target["peer_role"]) == ("Secondary", "Primary"), shape
        assert (target["sync_share"], target["sync_left"]) == (0.415, 1200128 * 1024)
        web = by_name["alpha", "drbd1"]
        assert (web["resource"], web["mounted"], web["fstype"]) == ("web", "/srv/web", "xfs")
        assert "sync_share" not in web
        assert by_name["beta", "drbd0"]["sync_total"] == 2051584 * 1024
        assert by_name["beta", "drbd1"]["connection"] == "WFConnection"
        assert by_name["beta", "drbd2"] == {"resource": "old", "volume": 0, "configured": False}


def test_a_share_is_given_to_no_volume_where_two_are_made_alike() -> None:
    two = """m:res  cs  ro  ds  p  mounted  fstype
... sync'ed: 41.5% (1200128/2051584)K
0:a  SyncTarget  Secondary/Primary  Inconsistent/UpToDate  C
1:b  SyncTarget  Secondary/Primary  Inconsistent/UpToDate  C
"""
    assert all("sync_share" not in values for values in volumes(two).values())
    assert len(volumes(two)) == 2


def test_what_looks_alike() -> None:
    assert volumes("   Connected Primary/Secondary UpToDate/UpToDate\n") == {}
    assert volumes("12:30 Connected as Primary/Secondary, both UpToDate/UpToDate\n") == {}
    assert volumes("0:r0/0  Connected(2*) Primar/Second UpToDa/UpToDate\n") == {}


def test_what_the_overview_repeats_from_df() -> None:
    row = "  0:pond  Connected Primary/Secondary UpToDate/UpToDate C r{} /srv xfs 20G 1.5G 19G 8%\n"
    for dashes in ("-----", "—–"):  # as a page prints them
        (values,) = volumes(row.format(dashes)).values()
        assert (values["fs_size"], values["fs_free"]) == (20 << 30, 19 << 30)
        assert (values["fs_used"], values["fs_use"]) == (3 << 29, 0.08)
        assert values["io_flags"] == "r-----"
    (values,) = volumes(row.format("-----").replace(" 20G 1.5G 19G 8%", "")).values()
    assert (values["mounted"], "fs_size" in values) == ("/srv", False)
