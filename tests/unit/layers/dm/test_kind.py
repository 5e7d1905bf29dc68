"""LVM, dm-crypt, multipath and the rest of device-mapper: parsers, and the composed hosts."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iosonde.layers.dm.facts import Target, kind_of, parse_targets, table_facts
from iosonde.layers.dm.kind import table_hazards
from iosonde.layers.dm_crypt.facts import read_table
from iosonde.layers.lvm.kind import (
    LVS,
    LVS_OLD,
    PVS,
    rows,
    split_uuid,
    volume_facts,
    volume_hazards,
)
from iosonde.layers.multipath import Path, path_hazards, paths_of
from iosonde.layers.multipath import table_facts as map_facts
from iosonde.stack.discover import discover
from tests.recordings.nvme_crypt import nvme_crypt
from tests.recordings.san_multipath import san_multipath
from tests.recordings.sata_md_lvm import sata_md_lvm


def test_the_uuid_of_a_device_names_its_volume_and_its_role() -> None:
    group, volume = "g" * 32, "v" * 32
    assert split_uuid(f"LVM-{group}{volume}") == (volume, "")
    assert split_uuid(f"LVM-{group}{volume}-tpool") == (volume, "tpool")


def test_a_row_of_lvs() -> None:
    row = {"vg_name": "vg0", "segtype": "striped", "stripes": "3", "stripe_size": "65536",
           "lv_attr": "-wi-ao----", "data_percent": "", "copy_percent": ""}  # fmt: skip
    assert volume_facts([row]) == {
        "volume_group": "vg0", "segment_type": "striped", "stripes": 3, "chunk_size": 65536,
        "data_members": 3, "stripe_width": 3 * 65536,
    }  # fmt: skip
    more = {**row, "segtype": "linear", "stripes": "1", "stripe_size": "0"}
    assert volume_facts([row, more])["segment_type"] == "striped, linear"
    assert volume_facts([]) == {}
    assert volume_hazards(row) == ()


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"lv_attr": "twi-aotz--", "data_percent": "95.30"}, ("95% full",)),
        ({"lv_attr": "twi-aotz--", "data_percent": "40.00"}, ()),
        ({"lv_attr": "rwi-aor-p-", "copy_percent": "100.00"}, ("degraded", "partial")),
        ({"lv_attr": "-wi-a---p-"}, ("partial",)),
        ({"lv_attr": "rwi-aor---", "copy_percent": "31.25"}, ("resync 31%",)),
        (
            {"lv_attr": "rwi-aor---", "copy_percent": "50.00", "raid_sync_action": "check"},
            ("check 50%",),
        ),
        ({"lv_attr": "rwi-aor---", "copy_percent": "100.00", "raid_sync_action": "idle"}, ()),
        ({"lv_attr": "swi-a-s---", "data_percent": "91.00"}, ("91% full",)),
        (
            {"lv_attr": "twi-aotzD-", "metadata_percent": "93.00"},
            ("out of space", "metadata 93% full"),
        ),
        ({"lv_attr": "Vwi-aotzF-"}, ("failed",)),
        ({}, ()),
    ],
)
def test_what_is_wrong_with_a_volume(row: dict[str, str], words: tuple[str, ...]) -> None:
    assert volume_hazards(row) == words


@given(st.binary(max_size=60) | st.sampled_from([b"[]", b"1", b'{"report": [1]}', b"null"]))
def test_a_report_that_is_none_has_no_rows(report: bytes) -> None:
    assert rows(report, "lv") == []


async def test_the_volumes_of_a_file_server_with_and_without_lvm2() -> None:
    machine = sata_md_lvm()
    lone = await discover([machine.host()])
    volumes = {one.device: one for one in lone.layers if one.kind == "lvm"}
    assert set(volumes) == {f"/dev/mapper/vg0-{name}" for name in ("root", "swap", "srv")}
    assert any("lvs" in gap.what for gap in lone.gaps)
    row = {"lv_name": "srv", "vg_name": "vg0", "lv_uuid": f"{'srv':x<32}",
           "segtype": "linear", "stripes": "1", "lv_attr": "-wi-ao----"}  # fmt: skip
    machine.command(*LVS, stdout=json.dumps({"report": [{"lv": [row]}]}))
    pv = {"pv_name": "/dev/md1", "vg_name": "vg0", "pe_start": "3145728"}
    machine.command(*PVS, stdout=json.dumps({"report": [{"pv": [pv]}]}))
    full = await discover([machine.host()])
    srv = next(one for one in full.layers if one.id.endswith("vg0-srv"))
    assert srv.facts["segment_type"] == "linear"
    assert srv.facts["data_offset"] == 3 * 2**20
    assert srv.below == ("filer/md:md1",)
    assert not any("lvs" in gap.what or "pvs" in gap.what for gap in full.gaps)
    mounted = next(one for one in full.layers if one.mount == "/srv")
    assert (mounted.kind, mounted.facts["stripe_unit"]) == ("xfs", 1024 * 512)


async def test_an_lvs_that_lacks_the_newer_fields_is_asked_for_the_older_ones() -> None:
    machine = sata_md_lvm()
    machine.command(*LVS, status=5, stderr="  Unrecognised field: data_stripes")
    row = {"lv_uuid": f"{'root':x<32}", "segtype": "striped", "stripes": "2", "vg_name": "vg0",
           "stripe_size": "65536"}  # fmt: skip
    machine.command(*LVS_OLD, stdout=json.dumps({"report": [{"lv": [row]}]}))
    capture = await discover([machine.host()])
    root = next(one for one in capture.layers if one.id.endswith("lvm:vg0-root"))
    assert root.facts["stripe_width"] == 2 * 65536
    assert not any("lvs" in gap.what for gap in capture.gaps)


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
    crypt = [one for one in capture.layers if one.kind == "dm_crypt"]
    assert crypt
    assert all(str(one.facts["format"]).startswith("LUKS") for one in crypt)
    assert any("device-mapper" in gap.what and "dmsetup" in gap.remedy for gap in capture.gaps)


async def test_a_map_over_four_paths() -> None:
    capture = await discover([san_multipath().host()])
    maps = [one for one in capture.layers if one.kind == "multipath"]
    assert maps
    assert all(one.facts["paths"] == len(one.below) >= 2 for one in maps)
    assert all("scheduler" not in one.settings or one.settings["scheduler"] for one in maps)
    assert not [one for one in capture.layers if one.kind == "dm"]


def _targets(table: str) -> tuple[Target, ...]:
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


def test_tables() -> None:
    assert table_facts(_targets("x: 0 409600 striped 2 128 8:1 0 8:2 0\n")) == {
        "target": "striped", "segments": 1, "stripes": 2, "chunk_size": 65536,
        "stripe_width": 131072,
    }  # fmt: skip
    mixed = _targets("x: 0 10 linear 8:1 0\nx: 10 10 error \n")
    assert table_facts(mixed)["target"] == "linear, error"
    assert table_hazards(mixed) == ("gives errors only",)
    assert table_facts(()) == {}
    assert parse_targets("No devices found\n") == {}
    assert parse_targets("a b: c: 0 8 zero \n") == {"a b: c": (Target(0, 8, "zero", ()),)}


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
