"""What LVM reports of volumes, and discovery with and without its tools."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iosonde.layers.lvm.facts import (
    LVS,
    LVS_OLD,
    PVS,
    parse_report,
    split_uuid,
    volume_facts,
    volume_hazards,
)
from iosonde.stack.discover import discover
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
    ("row", "arguments"),
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
def test_what_is_wrong_with_a_volume(row: dict[str, str], arguments: tuple[str, ...]) -> None:
    assert volume_hazards(row) == arguments


@given(st.binary(max_size=60) | st.sampled_from([b"[]", b"1", b'{"report": [1]}', b"null"]))
def test_a_report_that_is_none_has_no_rows(report: bytes) -> None:
    assert parse_report(report, "lv") == []


async def test_the_volumes_of_a_file_server_with_and_without_lvm2() -> None:
    machine = sata_md_lvm()
    lone = await discover([machine.host()])
    volumes = {layer.device: layer for layer in lone.layers if layer.kind == "lvm"}
    assert set(volumes) == {f"/dev/mapper/vg0-{name}" for name in ("root", "swap", "srv")}
    assert any("lvs" in gap.what for gap in lone.gaps)
    row = {"lv_name": "srv", "vg_name": "vg0", "lv_uuid": f"{'srv':x<32}",
           "segtype": "linear", "stripes": "1", "lv_attr": "-wi-ao----"}  # fmt: skip
    machine.command(*LVS, stdout=json.dumps({"report": [{"lv": [row]}]}))
    pv = {"pv_name": "/dev/md1", "vg_name": "vg0", "pe_start": "3145728"}
    machine.command(*PVS, stdout=json.dumps({"report": [{"pv": [pv]}]}))
    full = await discover([machine.host()])
    srv = next(layer for layer in full.layers if layer.id.endswith("vg0-srv"))
    assert srv.facts["segment_type"] == "linear"
    assert srv.facts["data_offset"] == 3 * 2**20
    assert srv.below == ("filer/md:md1",)
    assert not any("lvs" in gap.what or "pvs" in gap.what for gap in full.gaps)
    mounted = next(layer for layer in full.layers if layer.mount == "/srv")
    assert (mounted.kind, mounted.facts["stripe_unit"]) == ("xfs", 1024 * 512)


async def test_an_lvs_that_lacks_the_newer_fields_is_asked_for_the_older_ones() -> None:
    machine = sata_md_lvm()
    machine.command(*LVS, status=5, stderr="  Unrecognised field: data_stripes")
    row = {"lv_uuid": f"{'root':x<32}", "segtype": "striped", "stripes": "2", "vg_name": "vg0",
           "stripe_size": "65536"}  # fmt: skip
    machine.command(*LVS_OLD, stdout=json.dumps({"report": [{"lv": [row]}]}))
    capture = await discover([machine.host()])
    root = next(layer for layer in capture.layers if layer.id.endswith("lvm:vg0-root"))
    assert root.facts["stripe_width"] == 2 * 65536
    assert not any("lvs" in gap.what for gap in capture.gaps)
