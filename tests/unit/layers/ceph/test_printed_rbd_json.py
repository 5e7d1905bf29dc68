"""JSON of `rbd info`, `ls -l` and `du`: the names and values that the texts have."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import mangled, states

PLACE = Path(__file__).parents[3] / "outputs" / "rbd-composed"


def things(text: str) -> dict[str, dict[str, Scalar]]:
    return {s.name: dict(s.values) for state in states(text) for s in state.subjects}


def of(name: str) -> dict[str, dict[str, Scalar]]:
    return things((PLACE / f"{name}.json").read_text())


def test_an_image_with_its_parent() -> None:
    image = of("info")["vm-31-disk-2"]
    assert image["size"] == 18432 * (1 << 22) == 77309411328
    assert (image["objects"], image["object_size"], image["order"]) == (18432, 4 << 20, 22)
    assert image["features"] == "layering, exclusive-lock, object-map"
    assert image["flags"] == "object map invalid"
    assert (image["parent"], image["overlap"]) == ("ponds/heron-base@gold", 32 << 30)
    assert image["parent_id"] == "22b8d4c1f07e"
    assert (image["stripe_unit"], image["stripe_count"]) == (65536, 16)
    assert image["snapshot_count"] == 3


def test_images_and_snapshots_that_are_listed() -> None:
    listed = of("images")
    assert listed["heron-base@gold"]["protected"] is True
    assert listed["heron-base@gold"]["snapshot_id"] == 14
    assert listed["vm-31-disk-2"]["parent"] == "ponds/heron-base@gold"
    assert listed["vm-31-disk-2"]["lock"] == "excl"
    assert listed["heron-base"]["size"] == 32 << 30


def test_use_and_its_sum() -> None:
    used = of("du")
    assert used["heron-base@gold"]["used"] == 5318377472
    assert used["vm-31-disk-2"]["provisioned"] == 77309411328
    assert used["<TOTAL>"] == {"provisioned": 111669149696, "used": 26793213952}


@pytest.mark.parametrize("name", ["info", "images", "du"])
def test_every_shape_and_without_a_command(name: str) -> None:
    text = (PLACE / f"{name}.json").read_text()
    expected = things(text)
    for shape, changed in mangled(text):
        assert things(changed) == expected, shape
    assert things(text.partition("\n")[2]) == expected


@pytest.mark.parametrize("text", [
    '{"images": [{"name": "nginx", "size": 3}]}\n', '[{"image": "nginx", "size": 3, "tag": "a"}]\n',
    '{"name": "a", "size": 3, "objects": 4, "order": 2}\n', 'see "provisioned_size"\n',
])  # fmt: skip
def test_what_looks_alike_is_none(text: str) -> None:
    assert not states(text)
