"""VDO's tools. Oracle: what vdostats.c computes of the same blocks, by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from iosonde.units import GIB, KIB, MIB
from tests.mangle import counters, mangled, states, subjects_in

TIB = 1024 * GIB
PLACE = Path(__file__).parents[3] / "outputs" / "vdo-composed"


def _text(name: str) -> str:
    return (PLACE / name).read_text()


def _things(text: str) -> dict[str, dict[str, Any]]:
    return {subject.name: dict(subject.values) for subject in subjects_in(text)}


@pytest.mark.parametrize("name", ["status.txt", "statistics.txt", "table.txt", "table-si.txt"])
def test_every_shape(name: str) -> None:
    expected = _things(_text(name))
    counted = [counter.values for counter in counters(_text(name))]
    assert expected
    for shape, changed in mangled(_text(name)):
        assert _things(changed) == expected, shape
        assert [counter.values for counter in counters(changed)] == counted, shape


def test_volumes_of_the_manager() -> None:
    things = _things(_text("status.txt"))
    assert list(things) == ["kvdo", "mapper/archive", "mapper/scratch"]
    archive = things["mapper/archive"]
    assert (archive["logical_size"], archive["physical_size"]) == (20 * TIB, 3900 * GIB)
    assert (archive["block_map_cache_size"], archive["slab_size"]) == (256 * MIB, 32 * GIB)
    assert archive["used"] == (951268113 + 11403125) * 4096
    assert archive["used_share"] == pytest.approx(0.9416, abs=1e-4)
    assert (archive["below"], archive["deduplication"]) == ("mapper/mpathc", "enabled")
    assert things["mapper/scratch"] == {
        "target": "vdo", "activate": "enabled", "logical_size": 466771896 * KIB, "below": "sdh",
    }  # fmt: skip
    (counted,) = counters(_text("status.txt"))
    assert counted.values["bios_in_read"] == 914402
    assert counted.values["write_amplification_ratio"] == 1.04
    assert counted.host == "backup4.example.net"


def test_the_module_is_said_where_somebody_left_the_volumes_out() -> None:
    text = (
        "VDO status:\n  Date: '2020-09-03 10:52:32+08:00'\n  Node: oak.example.net\n"
        "Kernel module:\n  Loaded: true\n  Name: kvdo\n  Version information:\n"
        "    kvdo version: 6.2.2.117\nConfiguration:\n  File: /etc/vdoconf.yml\n"
        "  Last modified: '2020-09-03 10:51:04'\nVDOs:\n  vdo1:\n...\n"
    )
    (state,) = states(text)
    assert state.subjects[0].host == "oak.example.net"
    assert _things(text) == {"kvdo": {
        "target": "vdo", "module_loaded": "true", "module_name": "kvdo",
        "kvdo_version": "6.2.2.117", "config_file": "/etc/vdoconf.yml",
        "config_last_modified": "2020-09-03 10:51:04",
    }}  # fmt: skip
    assert not states("VDO status:\n  Date: '2020-09-03 10:52:32+08:00'\n")


def test_verbose_statistics() -> None:
    assert _things(_text("statistics.txt"))["vdo7"] == {
        "target": "vdo", "physical_size": GIB, "used": 96 * MIB, "used_share": 0.09375,
    }  # fmt: skip
    (counted,) = counters(_text("statistics.txt"))
    assert (counted.values["used_percent"], counted.values["bios_in_read"]) == (9, 118)


def test_tables() -> None:
    things = _things(_text("table.txt"))
    assert things["vdo-mail"] == {
        "target": "vdo", "physical_size": 1048576000 * KIB, "used": 996147200 * KIB,
        "available": 52428800 * KIB, "used_share": 0.95, "saved_share": 0.43,
    }  # fmt: skip
    assert things["vdo-new"] == {"target": "vdo", "physical_size": 524288000 * KIB}
    assert _things(_text("table-si.txt"))["vdo-mail"]["used"] == 512500000000
    without = _text("table-si.txt").replace(" --si", "")
    assert _things(without)["vdo-mail"]["physical_size"] == TIB


@pytest.mark.parametrize(
    "text",
    ["Filesystem     1K-blocks      Used Available Use% Mounted on\n/dev/vda1 4 2 2 50% /\n",
     "The VDO status: it is fine.\n", "data blocks used  : many\n"],
)  # fmt: skip
def test_what_looks_alike(text: str) -> None:
    assert not [state for state in states(text) if state.tool.startswith("vdo")]
