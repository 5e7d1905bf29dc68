"""`pvesm status`. Oracle: pvesm.pm: KiB, and the share that it prints of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import mangled, states

TEXT = (Path(__file__).parents[3] / "outputs/pvesm-composed/status.txt").read_text()


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def test_storages_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        named = things(given)
        assert list(named) == ["backup", "local", "local-lvm", "old"], shape
        pool = named["local-lvm"]
        assert (pool["type"], pool["state"]) == ("lvmthin", "active"), shape
        assert pool["size"] == 833396736 * 1024, shape
        assert int(str(pool["used"])) + int(str(pool["available"])) == pool["size"], shape
        assert int(str(pool["used"])) / int(str(pool["size"])) == pytest.approx(0.6144, abs=5e-5)
        assert named["backup"] == {"type": "nfs", "state": "inactive"}, shape
        assert named["old"]["state"] == "disabled", shape


def test_the_head_of_9_and_a_row_that_lost_digits() -> None:
    head, *rest = TEXT.split("\n")[1:]
    for name in ("Total", "Used", "Available"):
        head = head.replace(name, f"{name} (KiB)")
    assert things("\n".join([head, *rest])) == things(TEXT)
    assert list(things(TEXT.replace("512000000", "51200000"))) == ["backup", "local"]


def test_what_is_none() -> None:
    assert things("Name  Type     Status  of a storage\nlocal dir active 1 1 1 1.00%\n") == {}
