"""`geom disk list` and its like for three other classes, compared by hand with the sample."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.stack import Scalar
from tests.mangle import mangled, states

TEXT = (Path(__file__).parents[3] / "outputs/freebsd-composed/geom-list.txt").read_text()


def things(text: str) -> list[tuple[str, str, dict[str, Scalar]]]:
    return [
        (thing.kind, thing.name, dict(thing.values))
        for state in states(text) for thing in state.subjects
    ]  # fmt: skip


def test_every_class_in_every_shape() -> None:
    for shape, given in mangled(TEXT, wraps=False):
        assert things(given) == [
            ("disk", "nda0", {
                "size": 500107862016, "logical_block_size": 512, "model": "Example NV500",
                "serial": "71AF0001", "wwn": "00080d0200123456", "rotational": False,
            }),
            ("disk", "ada1", {
                "size": 4000787030016, "logical_block_size": 512, "stripe_size": 4096,
                "model": "EXAMPLE HD4000", "serial": "00417", "rotational": True,
                "rotation_rate": 5400,
            }),
            ("disk", "ada1", {
                "size": 4000787030016, "logical_block_size": 512, "stripe_size": 4096,
                "partition_table": "gpt", "partition_table_state": "corrupt",
            }),
            ("partition", "ada1p1", {
                "size": 4000785092608, "logical_block_size": 512, "stripe_size": 4096,
                "type": "freebsd-zfs", "first_sector": 128, "last_sector": 7814033535,
                "partition_uuid": "3b1ce3c1-0f5f-11ee-8d27-0cc47a000001",
            }),
            ("geom", "ada1p1.eli", {
                "state": "ACTIVE", "cipher": "AES-XTS", "key_bits": 256,
                "crypto": "accelerated software", "flags": "BOOT", "members": "ada1p1",
                "size": 4000785088512, "logical_block_size": 4096,
            }),
            ("geom", "mirror/sys", {
                "state": "DEGRADED", "components": 2, "balance": "load", "members": "ada2, ada3",
                "ada2_state": "ACTIVE", "ada3_state": "SYNCHRONIZING", "size": 120034123264,
                "logical_block_size": 512,
            }),
        ], shape  # fmt: skip


def test_a_name_alone() -> None:
    assert not states("Geom name: ada0\n\nand so on\n")
