"""LVM's reports in JSON: the same values as the tables of the same volumes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, subjects_in

PLACE = Path(__file__).parents[3] / "outputs" / "lvm-2.03.16"


def text(name: str) -> str:
    return (PLACE / name).read_text()


def values_of(given: str) -> dict[tuple[str, str], dict[str, Scalar]]:
    return {(subject.kind, subject.name): dict(subject.values) for subject in subjects_in(given)}


@pytest.mark.parametrize(
    ("table", "report"),
    [
        ("lvs-bytes.txt", "lvs.json"),
        ("lvs-stripes.txt", "lvs.json"),
        ("lvs-segments.txt", "lvs.json"),
        ("lvs.txt", "lvs.json"),
        ("vgs-v.txt", "vgs-v.json"),
        ("pvs-start.txt", "pvs-start.json"),
    ],
)
def test_reports_say_what_tables_say(table: str, report: str) -> None:
    asked = "# lvs --units b --nosuffix --reportformat json\n" if report == "lvs.json" else ""
    printed, reported = values_of(text(table)), values_of(asked + text(report))
    assert printed.keys() == reported.keys()
    for thing, values in printed.items():
        for fact in values.keys() & reported[thing].keys() - {"used"}:
            assert reported[thing][fact] == values[fact], (thing, fact)
        assert values.keys() - {"below", "ssize", "pe_ranges"} <= reported[thing].keys()


def test_a_full_report_joins_volumes_with_their_segments() -> None:
    values = values_of(text("fullreport.json"))
    table = values_of(text("lvs-stripes.txt"))
    for name in ("mapper/my--vg-r5", "mapper/my--vg-striped"):
        volume = values["lvm", name]
        expected = table["lvm", name]
        assert {fact: volume[fact] for fact in expected} == expected
    assert values["lvm", "mapper/my--vg-striped"]["below"] == "ubda ubdb"
    assert values["lvm_pv", "ubda"]["volume_group"] == "my-vg"
    assert values["lvm_pv", "ubda"]["device_size"] == 160 * 2**20
    assert values["lvm_group", "my-vg"]["extent_size"] == 4 * 2**20


@pytest.mark.parametrize("name", ["lvs.json", "vgs-v.json", "pvs-start.json", "fullreport.json"])
def test_every_shape(name: str) -> None:
    expected = values_of(text(name))
    assert expected
    for shape, changed in mangled(text(name)):
        assert values_of(changed) == expected, shape


def test_numbers_of_json_std_are_read_as_their_texts() -> None:
    """Lists are lists there, numbers are numbers, and null is nothing."""
    row = {"lv_name": "a", "vg_name": "v", "lv_attr": "twi-aotz--", "data_percent": 12.5,
           "metadata_percent": 3.0, "lv_size": "4.00g", "lv_tags": ["x", "y"],
           "origin": None}  # fmt: skip
    report = json.dumps({"report": [{"lv": [row]}], "log": []})
    values = values_of(report)["lvm", "mapper/v-a"]
    assert (values["full"], values["metadata_full"]) == (0.125, 0.03)
    assert (values["size"], values["lv_tags"]) == (4 * 2**30, "x,y")
    assert "origin" not in values


@pytest.mark.parametrize(
    ("command", "size", "expected"),
    [
        ("", "1.50", None),
        ("", "4194304", None),
        ("lvs --units b --nosuffix --reportformat json", "4194304", 4194304),
        ("lvs --units m --nosuffix --reportformat json", "1.50", 3 * 2**19),
        ("lvs --units s --nosuffix --reportformat json", "2048", 2**20),
        ("lvs --units h --nosuffix --reportformat json", "2048", None),
        ("lvs --units G --reportformat json", "0.50G", 5 * 10**8),
    ],
)
def test_a_size_without_a_unit_has_that_of_the_command(
    command: str, size: str, expected: int | None
) -> None:
    document = json.dumps({"report": [{"lv": [{"lv_name": "a", "vg_name": "v", "lv_size": size}]}]})
    text = f"# {command}\n{document}\n" if command else document
    assert values_of(text)["lvm", "mapper/v-a"].get("size") == expected


def test_a_report_that_is_cut_off_says_what_is_whole() -> None:
    whole = text("lvs.json").split("\n")
    items = read("\n".join(whole[:6]) + "\n" + whole[6][:40])
    (reason,) = [item.reason for item in items if isinstance(item, Unread)]
    assert reason == "it is cut off here"
    cut = values_of("\n".join(whole[:6]) + "\n" + whole[6][:40])
    assert [name for _, name in cut] == ["mapper/my--vg-pool", "mapper/my--vg-r1"]


@pytest.mark.parametrize(
    "document",
    [
        {"report": [{"sales": [{"lv_name": "a"}]}]},
        {"report": "lv"},
        {"name": "report", "lv": []},
    ],
)
def test_other_reports_are_not_lvm_s(document: object) -> None:
    assert read(json.dumps(document)) == []


def test_a_report_without_volumes_says_so() -> None:
    (item,) = read('{"report": [{"lv": []}]}')
    assert isinstance(item, Unread)
    assert item.reason == "no volume follows"
