"""Tables of device-mapper, and the kind of layer that a device is."""

from __future__ import annotations

import pytest

from iosonde.layers._mapper.facts import MapperTarget, kind_of, parse_targets, table_facts


def _targets(table: str) -> tuple[MapperTarget, ...]:
    return parse_targets(table)["x"]


def test_tables() -> None:
    assert table_facts(_targets("x: 0 409600 striped 2 128 8:1 0 8:2 0\n")) == {
        "target": "striped", "segments": 1, "stripes": 2, "chunk_size": 65536,
        "stripe_width": 131072,
    }  # fmt: skip
    mixed = _targets("x: 0 10 linear 8:1 0\nx: 10 10 error \n")
    assert table_facts(mixed)["target"] == "linear, error"
    assert table_facts(()) == {}
    assert parse_targets("No devices found\n") == {}
    assert parse_targets("a b: c: 0 8 zero \n") == {"a b: c": (MapperTarget(0, 8, "zero", ()),)}


@pytest.mark.parametrize(
    ("uuid", "targets", "kind"),
    [
        ("LVM-x", ["cache"], "lvm"),
        ("part1-mpath-3600", ["linear"], "partition"),
        ("", ["cache"], "dm_cache"),
        ("CRYPT-LUKS2-x", ["crypt"], "dm_crypt"),
        ("CRYPT-LUKS2-x", ["crypt", "linear"], "dm"),
        ("CRYPT-LUKS2-x", [], "dm_crypt"),
        ("CRYPT-VERITY-x", [], "dm"),
        ("CRYPT-SUBDEV-x", ["integrity"], "dm"),
        ("mpath-3600", [], "multipath"),
        ("", ["flashcache-wt"], "flashcache"),
        ("", [], "dm"),
    ],
)
def test_the_kind_of_a_device(uuid: str, targets: list[str], kind: str) -> None:
    assert kind_of(uuid, targets) == kind
