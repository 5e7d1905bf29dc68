"""iostat and mpstat in JSON: the same figures as their tables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from iosonde.records.printed import Unread
from iosonde.records.stack import Json
from tests.mangle import counters, mangled, read

PLACE = Path(__file__).parents[2] / "outputs" / "sysstat-12.6"


def text(name: str) -> str:
    return (PLACE / name).read_text()


def values_of(given: str) -> dict[tuple[str, str, str, Json], dict[str, Json]]:
    return {
        (item.tool, item.kind, item.name, item.values.get("report")): dict(item.values)
        for item in counters(given)
    }


@pytest.mark.parametrize("name", ["iostat-x", "iostat-xm", "iostat-xs", "iostat-dk"])
def test_iostat_says_what_its_table_says(name: str) -> None:
    reported = values_of(text(f"{name}.json"))
    assert reported == values_of(text(f"{name}.txt"))
    assert ("iostat", "disk", "vda", 1) in reported


def test_mpstat_says_what_its_table_says() -> None:
    reported = values_of(text("mpstat.json"))
    printed = [
        (item.name, dict(item.values))
        for item in counters(text("mpstat.txt"))
        if item.values.get("time") == "09:55:29"
    ]
    assert [(name, values) for (_, _, name, _), values in reported.items()] == printed


@pytest.mark.parametrize("name", ["iostat-x", "iostat-dk", "mpstat"])
def test_every_shape(name: str) -> None:
    expected = values_of(text(f"{name}.json"))
    assert expected
    for shape, changed in mangled(text(f"{name}.json")):
        assert values_of(changed) == expected, shape


def report(disk: dict[str, object], **more: object) -> str:
    host = {"nodename": "n1", "sysname": "Linux", "number-of-cpus": 2, "date": "01/02/26", **more,
            "statistics": [{"disk": [disk]}]}  # fmt: skip
    return json.dumps({"sysstat": {"hosts": [host]}})


def test_a_host_is_named_and_gigabytes_are_of_1024() -> None:
    (item,) = counters(report({"disk_device": "sda", "rGB/s": 1.5, "util": 12.5}))
    assert item.host == "n1"
    assert item.values["read.bandwidth"] == 1.5 * 2**30
    assert item.values["util"] == 0.125
    assert item.values["since_boot"] is None


def test_a_command_says_whether_the_first_report_is_since_boot() -> None:
    document = report({"disk_device": "sda", "tps": 1.0})
    (item,) = counters(f"$ iostat -o JSON -y 1 1\n{document}\n")
    assert item.values["since_boot"] is False
    (item,) = counters(f"$ iostat -o JSON\n{document}\n")
    assert item.values["since_boot"] is True


def test_what_another_program_calls_sysstat_is_another_thing() -> None:
    assert read('{"sysstat": {"enabled": true, "history": 28}}') == []


def test_of_a_report_that_is_cut_off_whole_devices_are_read() -> None:
    lines = text("iostat-x.json").split("\n")
    items = read("\n".join(lines[:16]) + "\n" + lines[16][:60])
    assert [item.reason for item in items if isinstance(item, Unread)] == ["it is cut off here"]
    names = [item.name for item in counters("\n".join(lines[:16]) + "\n" + lines[16][:60])]
    assert names == ["", "loop0", "loop1", "loop2"]
