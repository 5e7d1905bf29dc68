"""`zpool upgrade`: features compared by hand with the sample."""

from __future__ import annotations

from pathlib import Path

from tests.mangle import states

TEXT = (Path(__file__).parents[3] / "outputs" / "zfs-composed" / "upgrade.txt").read_text()


def test_features_that_are_lacking_and_enabled() -> None:
    lacking, enabled = [state for state in states(TEXT) if state.tool == "zpool upgrade"]
    assert [(each.name, each.values) for each in lacking.subjects] == [
        ("tank", {"disabled_features": "blake3, head_errlog"}),
        ("back", {"disabled_features": "zstd_compress"}),
    ]
    assert [(each.name, each.values) for each in enabled.subjects] == [
        ("tank", {"enabled_features": "blake3, head_errlog"}),
    ]


def test_a_head_without_pools() -> None:
    assert not states("POOL  FEATURE\n---------------\n\nthat is all\n")
