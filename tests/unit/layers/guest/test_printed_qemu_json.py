"""`qemu-img --output=json`: images, what a check counted, and extents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.mangle import counters, mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "guests-composed"
INFO = (PLACE / "qemu-img-info.json").read_text()
MAP = (PLACE / "qemu-img-map.json").read_text()


def image(text: str) -> tuple[str, dict[str, object]]:
    ((subject,),) = (state.subjects for state in states(text))
    return subject.name, dict(subject.values)


def test_an_image_has_the_names_that_the_text_has() -> None:
    name, values = image(INFO)
    assert name == "/srv/images/heron.qcow2"
    assert values["size"] == 40 << 30
    assert values["allocation"] == 7419023360
    assert (values["format"], values["compat"], values["cluster_size"]) == ("qcow2", "1.1", 65536)
    assert (values["backing_file"], values["backing_format"]) == ("pond.qcow2", "qcow2")
    assert values["lazy_refcounts"] is True
    assert values["corrupt"] is False
    assert values["dirty"] is False


def test_snapshots_and_the_file_below_are_kept_as_tables() -> None:
    (kept,) = counters(INFO)
    tables: dict[str, Any] = dict(kept.values)
    assert [row["vm-state-size"] for row in tables["snapshots"]] == [318767104]
    assert [row["info"]["virtual-size"] for row in tables["children"]] == [7420313600]


def test_each_image_of_a_chain() -> None:
    chain = """[
    {
        "virtual-size": 1073741824, "filename": "top.qcow2", "format": "qcow2",
        "actual-size": 200704, "full-backing-filename": "base.raw", "dirty-flag": false
    },
    {
        "virtual-size": 1073741824, "filename": "base.raw", "format": "raw",
        "actual-size": 880640000, "dirty-flag": false
    }
]
"""
    subjects = [subject for state in states(chain) for subject in state.subjects]
    assert [(each.name, each.values["allocation"]) for each in subjects] == [
        ("top.qcow2", 200704), ("base.raw", 880640000),
    ]  # fmt: skip


def test_a_check_counts() -> None:
    (counted,) = counters((PLACE / "qemu-img-check.json").read_text())
    assert counted.name == "reed.qcow2"
    assert (counted.values["corruptions"], counted.values["leaks"]) == (2, 7)
    assert counted.values["image_end_offset"] == 5309595648
    assert counted.values["fragmented_clusters"] == 1204


def test_extents_and_their_sums() -> None:
    (counted,) = counters(MAP)
    assert counted.name == "reed.qcow2"
    assert counted.values["data_bytes"] == 1048576 + 4194304
    assert counted.values["zero_bytes"] == 16777216
    assert counted.values["present_bytes"] == 5242880
    values: dict[str, Any] = dict(counted.values)
    assert values["extents"] == len(values["table"]) == 3
    assert values["table"][1]["offset"] == 5242880


def test_the_image_of_a_map_is_the_one_that_its_command_names() -> None:
    extents = '[{"start": 0, "length": 65536, "depth": 0, "zero": false, "data": true}]\n'
    for command, name in (
        ("", ""), ("# qemu-img map --output=json fern.qcow2 | jq -c\n", "fern.qcow2"),
        ("# qemu-img map -U --output json /srv/oak.img > extents.json\n", "/srv/oak.img"),
    ):  # fmt: skip
        assert [counted.name for counted in counters(command + extents)] == [name], command


def test_every_shape_and_without_a_command() -> None:
    expected = image(INFO)
    for shape, changed in mangled(INFO):
        assert image(changed) == expected, shape
    assert image(INFO.partition("\n")[2]) == expected


def test_what_is_cut_off_is_said_to_be_broken() -> None:
    *_, entry = read(MAP[: MAP.index('"offset": 5242880')])
    assert getattr(entry, "reason", "") == "it is cut off here"


@pytest.mark.parametrize("text", [
    '{"virtual-size": 3, "name": "of no image"}\n',
    'The key "virtual-size" is in bytes, "check-errors" counts.\n',
    '[{"start": 1, "depth": 3}]\n',
    '{"check-errors": "none"}\n',
])  # fmt: skip
def test_what_looks_alike_is_none(text: str) -> None:
    assert not states(text)
    assert not counters(text)
