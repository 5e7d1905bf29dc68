"""Controllers, virtual and physical drives as storcli and perccli print them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from iosonde.records.printed import PrintedSubject, Unread
from iosonde.text.document import of_bytes
from iosonde.text.find import FoundOutput, find
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "storcli-7"
ALL = (PLACE / "show-all.txt").read_text()
VOLUMES = (PLACE / "vall-show-all.txt").read_text()
AS_JSON = (PLACE / "vall-show-all.json").read_text()
GIB = 1 << 30


def subjects(text: str) -> dict[tuple[str, str], PrintedSubject]:
    return {
        (subject.kind, subject.name): subject
        for state in states(text)
        for subject in state.subjects
    }


def test_the_controller_its_cache_and_its_battery() -> None:
    (state,) = states(ALL)
    assert state.host == "store1"
    assert state.command == "storcli64 /c0 show all"
    values = subjects(ALL)["controller", "c0"].values
    named = {
        "model": "AVAGO MegaRAID SAS 9361-8i", "firmware": "4.680.00-8519", "cache_size": GIB,
        "battery": "failed", "serial": "SK00000001", "sas_address": "500605b000000001",
        "firmware_package_build": "24.21.0-0126", "controller_status": "Needs Attention",
        "driver_version": "07.714.04.00-rc1", "bbu": "Yes", "bbu_status": 4,
        "rebuild_rate": "30 %", "interrupt_throttle_active_count": 16,
        "interrupt_throttle_completion": "50 us", "cache_flush_interval": "4s",
        "predictive_fail_poll_interval": "300 sec", "physical_drives": 12,
        "battery_model": "BBU", "battery_temperature": "39C",
        "battery_retention_time": "0 hour(s)",
    }  # fmt: skip
    assert {name: values[name] for name in named} == named
    assert not values.keys() & {"status", "description", "cli_version", "model_state"}


def test_virtual_drives_with_their_cache_policy() -> None:
    first, second = subjects(ALL)["hwraid", "c0/v0"].values, subjects(ALL)["hwraid", "c0/v1"].values
    assert first["raid_level"] == "raid6"
    assert (first["disks"], first["data_disks"]) == (10, 8)
    assert first["state"] == "partially degraded"
    assert first["write_policy"] == "write_back_always"
    assert first["read_ahead"] is True
    assert first["io_policy"] == "direct"
    assert first["disk_cache"] == "enabled"
    assert second["write_policy"] == "write_through"
    assert second["read_ahead"] is False
    assert second["disk_cache"] == "disabled"
    assert second["size"] == round(446.102 * GIB)
    assert (first["name"], first["access"], first["consistent"]) == ("data", "RW", True)
    assert (second["consistent"], second["scheduled_consistency_check"]) == (False, False)
    assert "name" not in second


def test_physical_drives() -> None:
    drives = [name for kind, name in subjects(ALL) if kind == "disk"]
    assert drives == [f"c0/e252/s{slot}" for slot in range(12)]
    values = subjects(ALL)["disk", "c0/e252/s1"].values
    assert values["state"] == "offline"
    assert values["rotational"] is True
    assert values["transport"] == "sas"
    assert values["model"] == "ST2000NX0433"
    assert subjects(ALL)["disk", "c0/e252/s11"].values["model"] == "INTEL SSDSC2KB48"


def test_properties_of_volumes_name_their_device() -> None:
    values = subjects(VOLUMES)["hwraid", "sdb"].values
    assert values["volume"] == "c0/v0"
    assert values["strip_size"] == 256 * 1024
    assert values["size"] == 31248613376 * 512
    assert values["write_policy_initial"] == "write_back"
    assert values["active_operations"] == "None"
    assert subjects(VOLUMES)["hwraid", "sda"].values["disk_cache"] == "default"


def test_json_says_the_same_as_text() -> None:
    assert subjects(AS_JSON) == subjects(VOLUMES)
    rows = json.loads(AS_JSON)["Controllers"][0]["Response Data"]
    assert (
        rows["VD1 Properties"]["Number of Blocks"] * 512
        == (subjects(AS_JSON)["hwraid", "sda"].values["size"])
    )


def test_a_drive_has_the_number_that_the_controller_gives_it() -> None:
    drives = {
        name: subject for (kind, name), subject in subjects(VOLUMES).items() if kind == "disk"
    }
    rows = json.loads(AS_JSON)["Controllers"][0]["Response Data"]
    members = [row for part in rows.values() if isinstance(part, list)
               for row in part if "EID:Slt" in row]  # fmt: skip
    assert members
    for row in members:
        enclosure, slot = row["EID:Slt"].split(":")
        assert drives[f"c0/e{enclosure}/s{slot}"].values["device_id"] == row["DID"]


def test_details_of_a_drive() -> None:
    values = subjects((PLACE / "drive.txt").read_text())["disk", "c0/e252/s8"].values
    assert values["serial"] == "S460A1B2"
    assert values["firmware"] == "NS02"
    assert values["write_cache"] == "write back"
    assert values["media_errors"] == 3
    assert values["predicted_failures"] == 1
    assert (values["wwn"], values["manufacturer_id"]) == ("5000C500A1B2C3D4", "SEAGATE")
    assert (values["link_speed"], values["spin_state"]) == ("12.0Gb/s", "up")
    assert values["raw_size"] == "1.819 TB [0xe8e088b0 Sectors]"
    assert "nand_vendor" not in values


DEGRADED = """\
CLI Version = 007.2007.0000.0000 Feb 11, 2022
Controller = 0

TOPOLOGY :
========

DG Arr Row EID:Slot DID Type  State BT      Size PDC  PI SED DS3  FSpace TR
 0 -   -   -        -   RAID5 Dgrd  N   1.744 TB dflt N  N   none N      N
 0 0   -   -        -   RAID5 Dgrd  N   1.744 TB dflt N  N   none N      N
 0 0   0   252:0    0   DRIVE Onln  N 893.750 GB dflt N  N   none -      N
 0 0   1   252:1    1   DRIVE Onln  N 893.750 GB dflt N  N   none -      N
 0 0   2   -        -   DRIVE Msng  - 893.750 GB -    -  -   -    -      N
 0 -   -   252:4    4   DRIVE DHS   -  893.750 GB -   -  -   -    -      N

DG/VD TYPE  State Access Consist Cache Cac sCC     Size Name
0/239 RAID5 Dgrd  RW     No      RWBD  -   OFF 1.744 TB os

EID:Slt DID State DG       Size Intf Med SED PI SeSz Model   Sp Type
252:0     0 Onln   0 893.750 GB SATA SSD N   N  512B ACME960 U  -
252:1     1 Onln   0 893.750 GB SATA SSD N   N  512B ACME960 U  -
252:4     4 DHS    0 893.750 GB SATA SSD N   N  512B ACME960 U  -

BBU_Info :
========

---------------------------------------------------------------------
Model State   RetentionTime Temp Mode MfgDate    Next Learn
---------------------------------------------------------------------
BBU   Optimal 0 hour(s)     31C  -    2021/08/27 2023/08/08  06:20:14
---------------------------------------------------------------------
"""


def test_a_missing_drive_counts_and_a_spare_does_not() -> None:
    things = subjects(DEGRADED)
    volume = things["hwraid", "c0/v239"].values
    assert (volume["disks"], volume["data_disks"]) == (3, 2)
    assert things["controller", "c0"].values["battery"] == "ok"
    assert ("disk", "c0/e252/s4") in things
    without = DEGRADED.partition("TOPOLOGY")[0] + "DG/VD" + DEGRADED.partition("DG/VD")[2]
    assert "disks" not in subjects(without)["hwraid", "c0/v239"].values
    whole = subjects(without.replace("Dgrd", "Optl"))["hwraid", "c0/v239"].values
    assert whole["disks"] == 2  # the members that are shown


LARGE_SECTORS = """\
CLI Version = 007.1017.0000.0000 May 10, 2019
Controller = 0

DG/VD TYPE  State Access Consist Cache Cac sCC     Size Name
0/0   RAID1 Optl  RW     Yes     NRWBD -   ON  3.637 TB data

EID:Slt DID State DG     Size Intf Med SED PI SeSz Model      Sp
252:0     8 Onln   0 3.637 TB SAS  HDD N   N  4 KB ACME0004TB U
252:1     9 Onln   0 3.637 TB SAS  HDD N   N  4 KB ACME0004TB U

VD0 Properties :
==============
Strip Size = 256 KB
Number of Blocks = 976494592
"""


def test_drives_with_sectors_of_4_kib() -> None:
    """Their rows have a blank in the column SeSz, and a volume counts blocks of such sectors."""
    things = subjects(LARGE_SECTORS)
    assert things["disk", "c0/e252/s1"].values["logical_block_size"] == 4096
    assert things["hwraid", "c0/v0"].values["size"] == 976494592 * 4096
    small = subjects(LARGE_SECTORS.replace("976494592", str(976494592 * 8)))
    assert small["hwraid", "c0/v0"].values["size"] == 976494592 * 4096
    alone = subjects(LARGE_SECTORS.partition("DG/VD")[0] + "VD0 Properties :" +
                     LARGE_SECTORS.partition("VD0 Properties :")[2])  # fmt: skip
    values = alone["hwraid", "c0/v0"].values
    assert "size" not in values  # nothing says how large the blocks are
    assert values["number_of_blocks"] == 976494592


def test_the_overview_of_all_controllers() -> None:
    printed_subjects = subjects((PLACE / "overview.txt").read_text())
    assert printed_subjects["controller", "c0"].values["battery"] == "failed"
    assert printed_subjects["controller", "c1"].values == {
        "model": "SAS3508", "battery": "ok", "ports": 8, "physical_drives": 2, "drive_groups": 1,
        "drive_groups_not_optimal": 0, "virtual_drives": 1, "virtual_drives_not_optimal": 0,
        "scheduled_patrol_read": "On", "emergency_spare": "Y", "health": "Opt",
    }  # fmt: skip
    assert printed_subjects["controller", "c0"].values["health"] == "NdAtn"
    assert printed_subjects["controller", "c1"].host == "store1"


@pytest.mark.parametrize("text", [ALL, VOLUMES, AS_JSON], ids=["all", "volumes", "json"])
def test_it_survives_what_happens_to_pasted_text(text: str) -> None:
    expected = subjects(text)
    for name, mangling in mangled(text):
        printed_subjects = subjects(mangling)
        assert {key: dict(subject.values) for key, subject in printed_subjects.items()} == {
            key: dict(subject.values) for key, subject in expected.items()
        }, name


def test_what_follows_a_prompt_is_not_swallowed() -> None:
    printed_states = states(f"{ALL}root@store1:~# storcli64 /c0/vall show all\n{VOLUMES}")
    assert [state.command for state in printed_states] == [
        "storcli64 /c0 show all",
        "storcli64 /c0/vall show all",
    ]


def test_a_controller_that_is_not_there_is_unread() -> None:
    text = "CLI Version = 007.1211.0000.0000 Nov 07, 2019\nStatus = Failure\nDescription = None\n"
    (unread,) = read(text)
    assert isinstance(unread, Unread)
    assert "no controller" in unread.reason


def test_the_cachevault_alone_as_a_list_of_properties() -> None:
    text = (PLACE / "cv.txt").read_text()
    assert subjects(text)["controller", "c0"].values == {
        "battery": "ok", "battery_type": "CVPM02", "battery_temperature": "28 C",
        "nvcache_state": "OK", "replacement_required": "No", "learn_cycle_active": "No",
    }  # fmt: skip
    failed = text.replace("Optimal", "Failed ")
    assert subjects(failed)["controller", "c0"].values["battery"] == "failed"


def test_a_learn_cycle_counts_in_text_and_json() -> None:
    text = (PLACE / "cv.txt").read_text().replace("Active               No", "Active Yes")
    assert subjects(text)["controller", "c0"].values["battery"] == "learning"
    rows = [{"Property": "Type", "Value": "CVPM02"}, {"Property": "State", "Value": "Optimal"}]
    state = [{"Property": "Learn Cycle Active", "Value": "Yes"}]
    said = {"Cachevault_Info": rows, "Firmware_Status": state}
    status = {"CLI Version": "007.1211", "Controller": 3, "Status": "Success"}
    answer = {"Controllers": [{"Command Status": status, "Response Data": said}]}
    whole = json.dumps(answer, indent=1)
    assert subjects(whole)["controller", "c3"].values["battery"] == "learning"
    done = whole.replace("Yes", "No")
    assert subjects(done)["controller", "c3"].values["battery"] == "ok"


def test_a_broken_output_is_told_once() -> None:
    assert len(read("DG/VD TYPE  State Access\n" * 500)) == 1


def test_broken_json_is_unread() -> None:
    (unread,) = read(AS_JSON[: len(AS_JSON) // 2])
    assert isinstance(unread, Unread)
    assert unread.reason.startswith("it is cut off")


def test_a_heading_ends_it() -> None:
    """What stands under the next heading belongs to another output, however alike it looks."""
    after = (PLACE.parent / "megacli-8" / "adpallinfo.txt").read_text()
    names = [
        output.tool
        for output in find(of_bytes("a", f"{ALL}\n\n## Ticket 2\n\n{after}\n".encode()))
        if isinstance(output, FoundOutput)
    ]
    assert names == ["storcli", "MegaCli"]


def test_drives_of_a_topology_without_their_own_table() -> None:
    text = (
        "TOPOLOGY :\n========\n\n"
        "DG Arr Row EID:Slot DID Type  State BT     Size PDC  PI SED DS3  FSpace TR\n"
        "--------------------------------------------------------------------------\n"
        " 0 -   -   -        -   RAID5 Dgrd  N  1.000 TB dsbl N  N   dflt N      N\n"
        " 0 0   -   -        -   RAID5 Dgrd  N  1.000 TB dsbl N  N   dflt N      N\n"
        " 0 0   0   252:0    9   DRIVE Onln  N  512.0 GB dsbl N  N   dflt -      N\n"
        " 0 0   1   252:4    11  DRIVE Rbld  N  512.0 GB dsbl N  N   dflt -      N\n"
        "--------------------------------------------------------------------------\n"
    )
    drives = {s.name: s.values for state in states(text) for s in state.subjects}
    assert drives["c0/e252/s0"]["state"] == "online"
    assert drives["c0/e252/s4"]["state"] == "rebuild"
    assert drives["c0/e252/s4"]["drive_group"] == "0"


def test_the_overview_without_its_heading_and_a_model_without_blanks() -> None:
    (state,) = states(
        "root@u:~# storcli show\n"
        "-------------------------------------------------------------------------------------\n"
        "Ctl Model                      Ports PDs DGs DNOpt VDs VNOpt BBU sPR DS  EHS ASOs Hlth\n"
        "-------------------------------------------------------------------------------------\n"
        "  0 Intel(R)RAIDModuleRMS25CB080    8  12  12     1  12     1 Opt On  1&2 Y     4 NdAtn\n"
        "-------------------------------------------------------------------------------------\n"
    )
    (controller,) = state.subjects
    assert controller.values["model"] == "Intel(R)RAIDModuleRMS25CB080"
    assert controller.values["drive_groups_not_optimal"] == 1


TOPOLOGY = """TOPOLOGY :
========

-----------------------------------------------------------------------------
DG Arr Row EID:Slot DID Type  State BT      Size PDC  PI SED DS3  FSpace TR
-----------------------------------------------------------------------------
 0 -   -   -        -   RAID1 Dgrd  N  10.913 TB dflt N  N   dflt N      N
 0 0   -   -        -   RAID1 Dgrd  N  10.913 TB dflt N  N   dflt N      N
 0 0   0   8:0      13  DRIVE Rbld  Y  10.913 TB dflt N  N   dflt -      N
 0 0   1   8:1      9   DRIVE Onln  N  10.913 TB dflt N  N   dflt -      N
-----------------------------------------------------------------------------
"""


def test_a_drive_group_without_its_virtual_drive() -> None:
    said = subjects(TOPOLOGY)
    group = said["hwraid", "c0/dg0"].values
    assert (group["state"], group["raid_level"], group["disks"]) == ("degraded", "raid1", 2)
    assert group["size"] == round(10.913 * (1 << 40))
    assert said["disk", "c0/e8/s0"].values["state"] == "rebuild"
    assert not any(kind == "hwraid" and "/dg" in name for kind, name in subjects(ALL))


def test_a_command_that_shows_nothing_answers() -> None:
    head = "CLI Version = 007.1705.0000.0000 Mar 31, 2021\nController = 1\n"
    done = subjects(f"{head}Status = Success\nDescription = Delete VD succeeded\n")
    assert done["controller", "c1"].values["answer"] == "Success"
    assert done["controller", "c1"].values["description"] == "Delete VD succeeded"
    table = (
        "Detailed Status :\n===============\n\n-----------------------------\n"
        "VD Status ErrCd ErrMsg\n-----------------------------\n"
        " 4 Failed   255 VD not found\n-----------------------------\n"
    )
    failed = subjects(f"{head}Status = Failure\nDescription = None\n\n{table}")
    values = failed["controller", "c1"].values
    assert (values["answer"], values["error"], values["error_code"]) == (
        "Failure", "VD not found", 255,
    )  # fmt: skip
    assert "description" not in values
