"""`gmirror status`. Oracle: geom.c, std_status(): a row for each array, then its components."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

TEXT = (Path(__file__).parents[3] / "outputs/freebsd-composed/gmirror.txt").read_text()


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {thing.name: dict(thing.values) for state in states(text) for thing in state.subjects}


def test_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        assert things(given) == {
            "mirror/sys": {
                "type": "mirror", "state": "DEGRADED", "members": "ada2, ada3",
                "ada2_state": "ACTIVE", "ada3_state": "SYNCHRONIZING", "ada3_synchronised": 0.41,
            },
            "mirror/journal": {
                "type": "mirror", "state": "COMPLETE", "members": "da4p2, da5p2",
                "da4p2_state": "ACTIVE", "da5p2_state": "ACTIVE",
            },
            "raid/r1": {
                "type": "raid", "state": "OPTIMAL", "members": "ada6, ada7",
                "ada6_state": "ACTIVE (ACTIVE)", "ada7_state": "ACTIVE (ACTIVE)",
            },
        }, shape  # fmt: skip


def test_what_looks_like_it() -> None:
    table = "Name  Status  Components\nwebshop  RUNNING  frontend\n"
    assert things(table) == {}
    assert "no array" in str(read("Name  Status  Components\n"))
