"""LVM, dm-crypt, multipath and the rest of device-mapper: parsers, and the composed hosts."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iosonde.layers.dm import table_facts
from iosonde.layers.dm_crypt import crypt_facts
from iosonde.layers.lvm import LVS, PVS, mapper_name, rows, volume_facts, volume_hazards
from iosonde.layers.multipath import selector_of
from iosonde.stack.discover import discover
from tests.recordings.nvme_crypt import nvme_crypt
from tests.recordings.san_multipath import san_multipath
from tests.recordings.sata_md_lvm import sata_md_lvm


def test_names_of_volumes_in_dev_mapper() -> None:
    assert mapper_name("vg0", "root") == "vg0-root"
    assert mapper_name("my-vg", "a-b") == "my--vg-a--b"
    assert mapper_name("vg0", "[pool_tdata]") == "vg0-pool_tdata"


def test_a_row_of_lvs() -> None:
    row = {"vg_name": "vg0", "segtype": "striped", "stripes": "3", "stripe_size": "65536",
           "lv_attr": "-wi-ao----", "data_percent": "", "copy_percent": ""}  # fmt: skip
    assert volume_facts(row) == {
        "volume_group": "vg0", "segment_type": "striped", "stripes": 3, "chunk_size": 65536,
    }  # fmt: skip
    assert volume_hazards(row) == ()


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"lv_attr": "twi-aotz--", "data_percent": "95.30"}, ("95% full",)),
        ({"lv_attr": "twi-aotz--", "data_percent": "40.00"}, ()),
        ({"lv_attr": "rwi-aor-p-", "copy_percent": "100.00"}, ("partial",)),
        ({"lv_attr": "rwi-aor---", "copy_percent": "31.25"}, ("resync 31%",)),
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
    row = {"lv_name": "srv", "vg_name": "vg0", "segtype": "linear", "stripes": "1",
           "stripe_size": "0", "lv_attr": "-wi-ao----"}  # fmt: skip
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


def test_a_crypt_table_gives_all_but_the_key() -> None:
    table = (
        "0 1953457152 crypt aes-xts-plain64 :64:logon:cryptsetup:5f-d0 0 259:3 32768 "
        "3 allow_discards sector_size:4096 no_read_workqueue\n"
    )
    facts = crypt_facts(table)
    assert facts == {
        "cipher": "aes-xts-plain64", "data_offset": 32768 * 512, "sector_size": 4096,
        "flags": "allow_discards no_read_workqueue",
    }  # fmt: skip
    assert "logon" not in str(facts)
    assert crypt_facts("0 1 linear 8:1 0") == {}


async def test_an_encrypted_workstation_and_its_gap() -> None:
    capture = await discover([nvme_crypt().host()])
    crypt = [one for one in capture.layers if one.kind == "dm_crypt"]
    assert crypt
    assert all(str(one.facts["format"]).startswith("LUKS") for one in crypt)
    assert any("cipher" in gap.what and "root" in gap.remedy for gap in capture.gaps)


async def test_a_map_over_four_paths() -> None:
    capture = await discover([san_multipath().host()])
    maps = [one for one in capture.layers if one.kind == "multipath"]
    assert maps
    assert all(one.facts["paths"] == len(one.below) >= 2 for one in maps)
    assert all("scheduler" not in one.settings or one.settings["scheduler"] for one in maps)
    assert not [one for one in capture.layers if one.kind == "dm"]


def test_selectors_and_tables() -> None:
    table = "0 209715200 multipath 1 queue_if_no_path 0 1 1 service-time 0 2 2 8:16 1 1 8:32 1 1"
    assert selector_of(table) == "service-time"
    assert selector_of("") is None
    assert table_facts("0 409600 striped 2 128 8:1 0 8:2 0\n") == {
        "target": "striped", "segments": 1, "stripes": 2, "chunk_size": 65536,
    }  # fmt: skip
    assert table_facts("0 10 linear 8:1 0\n10 10 error\n")["target"] == "linear, error"
    assert table_facts("") == {}
