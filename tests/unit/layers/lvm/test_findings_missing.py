"""Groups that lack physical volumes: whatever output tells it, and what shows them whole again."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.layers.lvm import findings_missing
from iosonde.records.finding import Finding
from tests.mangle import mangled, subjects_in
from tests.unit.explain.cases import case_of, findings_named

TEXT = (Path(__file__).parents[3] / "outputs" / "lvm-2.03.16" / "missing.txt").read_text()
UUID = "8aSbhA-VfKn-xK1t-b1kk-3hTc-1KhV-pSyR7Q"
MESSAGE = f"  WARNING: Couldn't find device with uuid {UUID}.\n"
PVS = (
    "# pvs\n{}  PV         VG   Fmt  Attr PSize   PFree \n"
    "  /dev/sda2  vg00 lvm2 a--  99.00g 10.00g\n"
)
VGS = "# vgs\n  VG   #PV #LV #SN Attr   VSize   VFree \n  vg00   2   3   0 {} 298.99g 10.00g\n"
DISPLAY = """# vgdisplay
  --- Volume group ---
  VG Name               vg00
  Cur PV                2
  Act PV                {}
  VG Size               298.99 GiB
  PE Size               4.00 MiB
"""


def said(text: str) -> list[Finding]:
    return findings_named(findings_missing.RULES, case_of(text))


def test_a_group_whose_second_disk_is_gone_is_told_once() -> None:
    (finding,) = said(TEXT)
    assert finding.subject == "srv: vg00"
    assert f"LVM finds no device for them ({UUID})" in finding.message
    assert "vgreduce --removemissing vg00" in finding.remedy
    assert "lvmdevices" in finding.remedy


@pytest.mark.parametrize(
    "text",
    [
        PVS.format(MESSAGE),
        PVS.format("") + "  [unknown]  vg00 lvm2 a-m  99.00g     0 \n",
        PVS.format("").replace("a--", "a- ") + "  unknown device vg00 lvm2 a-  99.00g     0 \n",
        VGS.format("wz-pn-"),
        DISPLAY.format(1),
        f"  There are 1 physical volumes missing.\n{VGS.format('wz-pn-')}",
        VGS.format("wz--n-") + PVS.format(MESSAGE),  # it was whole before
    ],
)
def test_every_output_that_tells_it(text: str) -> None:
    (finding,) = said(text)
    assert finding.rule == "degraded"
    assert "--removemissing" in finding.remedy


def test_a_device_that_is_there_again_is_taken_in_and_not_removed() -> None:
    (finding,) = said(PVS.format("") + "  /dev/sdb1  vg00 lvm2 a-m  99.00g     0 \n")
    assert "sdb1" in finding.message
    assert "vgextend --restoremissing vg00" in finding.remedy
    assert "removemissing" not in finding.remedy


@pytest.mark.parametrize(
    "text",
    [
        PVS.format(""),
        VGS.format("wz--n-"),
        VGS.format("wzx-n-"),  # exported
        DISPLAY.format(2),
        PVS.format(MESSAGE) + VGS.format("wz--n-"),  # mended further down
        f"{PVS.format(MESSAGE)}# vgreduce --removemissing vg00\n"
        "  Wrote out consistent volume group vg00.\n",
    ],
)
def test_groups_that_are_whole(text: str) -> None:
    assert said(text) == []


def test_of_several_groups_no_uuid_is_said_to_be_of_each() -> None:
    (finding,) = said(
        PVS.format(MESSAGE) + VGS.format("wz-pn-") + "  back   2   3   0 wz-pn- 298.99g 10.00g\n"
    )
    assert finding.message.startswith("vg00, back lack physical volumes: LVM finds no device for")
    assert UUID not in finding.message


def test_a_volume_that_is_made_again_under_its_old_uuid() -> None:
    made = f'# pvcreate --uuid "{UUID}" --restorefile /etc/lvm/archive/vg00_00001.vg /dev/sdc\n'
    text = f'{made}{MESSAGE}  Physical volume "/dev/sdc" successfully created.\n'
    assert said(text) == []
    assert said(text.replace(f'--uuid "{UUID}" ', "")) != []


def test_what_a_volume_stands_on_that_is_missing_is_no_other_volume() -> None:
    below = {
        subject.name: subject.values.get("below")
        for subject in subjects_in(TEXT)
        if subject.kind == "lvm"
    }
    assert below["mapper/vg00-data_rimage_1"] == "[unknown]"
    assert below["mapper/vg00-root"] == "sda2"


def test_torn_copies_tell_the_same_group() -> None:
    for _, torn in mangled(TEXT):
        assert {finding.subject.rpartition(" ")[2] for finding in said(torn)} == {"vg00"}
