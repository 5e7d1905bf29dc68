"""DDF metadata. Oracle: RAID 5 of n disks holds n - 1 of them, and one disk a line of the table."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mangle import folded, mangled, subjects_in

OUTPUTS = Path(__file__).parents[3] / "outputs" / "mdadm-ddf-composed"
TEXT, SCAN = ((OUTPUTS / f"{name}.txt").read_text() for name in ("examine", "scan"))
WRAPPED = """\
       VD GUID[0] : 4C534920:20202020:1000005B:10009270:411B88D1:BD45C505
                   (LSI      08/12/14 10:12:17)
          unit[0] : 0
         state[0] : Optimal, Consistent
          Name[0] :
  Raid Devices[0] : 16 (15@0K 16@0K 17@0K 18@0K 19@0K 20@0K 21@0K 22@0K 23@0K
24@0K 25@0K 26@0K 27@0K 28@0K 29@0K 30@0K)
    Chunk Size[0] : 512 sectors
    Raid Level[0] : RAID1E
   Secondary Position[0] : 1 of 2
"""


def _things(text: str, tool: str = "mdadm DDF") -> list[tuple[str, str, dict[str, object]]]:
    return [
        (subject.kind, subject.name, dict(subject.values)) for subject in subjects_in(text, tool)
    ]


def test_container_volumes_and_disks() -> None:
    (_, name, container), (_, volume_name, volume), *disks = _things(TEXT)
    assert (name, container["metadata"], container["seq"]) == ("sda", "ddf", "00000017")
    assert (volume_name, volume["level"], volume["raid_disks"]) == ("vd0", "raid5", 4)
    assert volume["chunk_size"] == 128 * 512
    assert volume["array_size"] == 3 * 1464320 * 1024
    assert volume["state"] == "Degraded, Consistent"
    assert len(disks) == container["physical_disks"] == 4
    assert container["virtual_disks"] == 1
    assert {disk["size"] for _, _, disk in disks} == {volume["device_size"]}
    assert [name for _, name, _ in disks] == ["sda", "sdb", "3f8e4f5c", "sdd"]
    assert disks[2][2]["state"] == "Offline, Failed, Missing"
    assert disks[3][2]["type"] == "Global-Spare"


def test_members_that_a_mail_broke() -> None:
    ((_, name, volume),) = _things(WRAPPED)
    assert (name, volume["raid_disks"], volume["secondary_position"]) == ("VD0", 16, "1 of 2")
    assert len(str(volume["members"]).split(" ")) == 16


def test_older_lists_of_disks() -> None:
    ((_, name, disk),) = _things(
        " Physical Disks : 1\n      PD GUID[0] : 41544120:20202020:FFFFFFFF\n"
        "          ref[0] : 1d8e4f5a\n         mode[0] : active\n        state[0] : Online\n"
        "   Avail Size[0] : 976762 K\n"
    )[1:]  # fmt: skip
    assert (name, disk["size"], disk["state"]) == ("1d8e4f5a", 976762 << 10, "Online")


def test_containers_of_scan() -> None:
    container, volume, array = _things(SCAN, "mdadm --scan")
    assert container[2] == {"metadata": "ddf", "uuid": "1b8e4f5a:2c8e4f5b:3d8e4f5c:4e8e4f5d"}
    assert (volume[2]["container"], volume[2]["member"]) == (container[2]["uuid"], 0)
    assert (array[1], array[2]["devices"]) == ("md0", "/dev/sda1,/dev/sdb1")


@pytest.mark.parametrize(
    "text",
    [
        "The Container GUID : is what I do not know\n",
        "state[0] : Optimal\n",
        "Type/State of the disks\n",
        "Name[0] : x\n",
    ],
)
def test_what_looks_alike(text: str) -> None:
    assert not [thing for thing in _things(text) if thing[0] != "md_member"]


def test_every_shape() -> None:
    expected = _things(TEXT)
    for shape, changed in mangled(TEXT, wraps=False):
        assert _things(changed) == expected, shape
    assert _things(folded(TEXT, 72)) == expected
