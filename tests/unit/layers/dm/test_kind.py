"""dm-crypt, multipath and the rest of device-mapper: parsers, and the composed hosts."""

from __future__ import annotations

from iosonde.layers._mapper.facts import MapperTarget, parse_targets
from iosonde.layers.dm.kind import table_hazards
from iosonde.layers.dm_crypt.facts import read_table
from iosonde.layers.multipath.facts import Path, paths_of
from iosonde.layers.multipath.facts import table_facts as map_facts
from iosonde.layers.multipath.kind import path_hazards
from iosonde.stack.discover import discover
from tests.recordings.nvme_crypt import nvme_crypt
from tests.recordings.san_multipath import san_multipath


def test_a_crypt_table_gives_all_but_the_key() -> None:
    table = (
        "x: 0 1953457152 crypt aes-xts-plain64 :64:logon:cryptsetup:5f-d0 0 259:3 32768 "
        "3 allow_discards sector_size:4096 no_read_workqueue\n"
    )
    (target,) = parse_targets(table)["x"]
    crypt = read_table(target.arguments)
    assert crypt is not None
    assert crypt.facts() == {
        "cipher": "aes-xts-plain64", "data_offset": 32768 * 512, "sector_size": 4096,
        "flags": "allow_discards no_read_workqueue",
    }  # fmt: skip
    assert "logon" not in str(crypt)
    assert read_table(["8:1", "0"]) is None


async def test_an_encrypted_workstation_and_its_gap() -> None:
    capture = await discover([nvme_crypt().host()])
    crypt = [layer for layer in capture.layers if layer.kind == "dm_crypt"]
    assert crypt
    assert all(str(stack_layer.facts["format"]).startswith("LUKS") for stack_layer in crypt)
    assert any("device-mapper" in gap.what and "dmsetup" in gap.remedy for gap in capture.gaps)


async def test_a_map_over_four_paths() -> None:
    capture = await discover([san_multipath().host()])
    maps = [layer for layer in capture.layers if layer.kind == "multipath"]
    assert maps
    assert all(map_.facts["paths"] == len(map_.below) >= 2 for map_ in maps)
    assert all("scheduler" not in map_.settings or map_.settings["scheduler"] for map_ in maps)
    assert not [layer for layer in capture.layers if layer.kind == "dm"]


def _targets(table: str) -> tuple[MapperTarget, ...]:
    return parse_targets(table)["x"]


def test_maps_and_their_paths() -> None:
    (table,) = _targets(
        "x: 0 65536 multipath 1 queue_if_no_path 1 alua 2 1 "
        "service-time 0 2 2 8:16 1 1 8:32 1 1 service-time 0 1 2 8:48 1 1"
    )
    assert map_facts(table.arguments) == {
        "features": "queue_if_no_path", "queue_if_no_path": True, "handler": "alua",
        "path_groups": 2, "path_selector": "service-time",
    }  # fmt: skip
    assert map_facts(()) == {}
    (status,) = _targets("x: 0 65536 multipath 2 1 0 0 2 1 A 0 2 2 8:16 A 0 0 1 8:32 F 3 0 1 "
                         "E 0 1 2 8:48 A 0 0 1")  # fmt: skip
    assert paths_of(status.arguments) == (
        Path("8:16", True, 0), Path("8:32", False, 3), Path("8:48", True, 0),
    )  # fmt: skip
    assert path_hazards({"sda": "running", "sdb": "offline"}, 2) == ("failed path sdb",)
    assert path_hazards({"sda": "running"}, 1) == ("one path",)


def test_targets_that_do_harm() -> None:
    mixed = _targets("x: 0 10 linear 8:1 0\nx: 10 10 error \n")
    assert table_hazards(mixed) == ("gives errors only",)
