"""/proc/mdstat and mdadm: two views of the same arrays, as they stood at the same moment."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from iosonde.layers.md.facts import array_facts
from iosonde.records.stack import Scalar
from tests.mangle import mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs" / "md-6.1"
KIB = 1024


def text(name: str) -> str:
    return (PLACE / name).read_text()


def values_of(given: str) -> dict[str, dict[str, Scalar]]:
    return {
        subject.name: dict(subject.values) for state in states(given) for subject in state.subjects
    }


@pytest.mark.parametrize("name", ["md0", "md1", "md3"])
def test_mdstat_and_mdadm_agree(name: str) -> None:
    stat, detail = (
        values_of(text("mdstat-busy.txt"))[name],
        values_of(text(f"detail-{name}.txt"))[name],
    )
    shared = stat.keys() & detail.keys() - {"array_state", "sync_share", "below", "layout"}
    assert {"level", "raid_disks", "size", "degraded", "metadata_version"} <= shared
    for fact in shared:
        assert stat[fact] == detail[fact], fact
    assert set(str(stat["below"]).split()) == set(str(detail["below"]).split())
    assert stat.get("sync_share", 0.0) == pytest.approx(detail.get("sync_share", 0.0), abs=0.01)


def test_the_facts_are_those_of_sysfs() -> None:
    """What discovery makes of the same array's attributes."""
    values_by_name = values_of(text("mdstat-busy.txt"))
    facts = array_facts(
        {"level": "raid10", "raid_disks": "4", "degraded": "1", "chunk_size": "65536",
         "layout": "258", "sync_action": "resync", "metadata_version": "1.2",
         "bitmap/location": "+8", "bitmap/chunksize": str(65536 * KIB)}
    )  # fmt: skip
    assert facts == {key: values_by_name["md1"][key] for key in facts}


def test_work_in_the_background_has_its_share_and_speed() -> None:
    values_by_name = values_of(text("mdstat-busy.txt"))
    assert (values_by_name["md0"]["sync_action"], values_by_name["md0"]["sync_share"]) == (
        "resync",
        0.053,
    )
    assert values_by_name["md0"]["sync_speed"] == 2901 * KIB
    assert "sync_action" not in values_by_name["md3"]
    assert (values_by_name["md1"]["faulty"], values_by_name["md3"]["spares"]) == ("ubdm", "ubdp")


@pytest.mark.parametrize(
    ("line", "action", "share"),
    [
        ("[==>....]  recovery = 12.6% (37043392/292945152) finish=127.5min speed=33440K/sec",
         "recover", 0.126),
        ("[>....]  check =  0.1% (1/1000) finish=9.9min speed=1K/sec", "check", 0.001),
        ("\tresync=DELAYED", "resync", None),
        ("      recovery=PENDING", "recover", None),
    ],
)  # fmt: skip
def test_words_for_work(line: str, action: str, share: float | None) -> None:
    values = values_of(
        "md1 : active raid5 sdc1[3] sdb1[1] sda1[0]\n"
        f"      1953260544 blocks level 5, 64k chunk, algorithm 2 [3/3] [UUU]\n      {line}\n"
    )["md1"]
    assert (values["sync_action"], values.get("sync_share")) == (action, share)


def test_arrays_that_stand_still_and_names_of_all_kinds() -> None:
    values_by_name = values_of(
        "md_d0 : active (auto-read-only) raid0 nvme1n1p2[1] cciss!c0d1[0]\n"
        "      976511488 blocks super external:/md127/0 512k chunks\n\n"
        "md127 : inactive sdb[1](S) sda[0](S)\n      6306 blocks super external:imsm\n"
    )
    assert values_by_name["md_d0"] == {
        "level": "raid0", "raid_disks": 2, "size": 976511488 * KIB, "array_state": "auto-read-only",
        "chunk_size": 512 * KIB, "data_members": 2, "stripe_width": KIB * KIB,
        "metadata_version": "external:/md127/0", "below": "nvme1n1p2 cciss/c0d1",
        "head": "active (auto-read-only) raid0 nvme1n1p2[1] cciss!c0d1[0] 976511488 blocks",
    }  # fmt: skip
    assert values_by_name["md127"]["array_state"] == "inactive"
    assert "level" not in values_by_name["md127"]


def test_members_tell_where_data_begin() -> None:
    values_by_name = values_of(text("examine.txt"))
    assert [values_by_name[name]["data_offset"] for name in ("ubde", "ubdj")] == [2048 * 512] * 2
    assert values_by_name["ubdj"]["data_members"] == 2


@pytest.mark.parametrize("state", ["clean, reshaping", "active, checking", "clean, recovering"])
def test_mdadm_names_the_work_without_a_share(state: str) -> None:
    given = text("detail-md3.txt").replace("State : clean", f"State : {state}")
    values = {"reshaping": "reshape", "checking": "check", "recovering": "recover"}
    assert values_of(given)["md3"]["sync_action"] == values[state.rsplit(maxsplit=1)[-1]]


def test_the_room_of_a_member_is_in_bytes() -> None:
    """Oracle: mdadm's own sectors, of 512 bytes."""
    rooms = re.findall(r"Avail Dev Size : (\d+) sectors", text("examine.txt"))
    members = values_of(text("examine.txt")).values()
    assert [values["avail_dev_size"] for values in members] == [int(room) * 512 for room in rooms]


def test_the_state_in_the_words_of_mdadm() -> None:
    detail, examined = (
        values_of(text("detail-md3.txt"))["md3"],
        values_of(text("examine.txt"))["ubde"],
    )
    assert detail["state"] == "clean"
    assert str(examined["members_state"]).startswith("A")


@pytest.mark.parametrize("name", sorted(path.name for path in PLACE.glob("*.txt")))
def test_every_shape(name: str) -> None:
    expected = values_of(text(name))
    assert expected
    for shape, changed in mangled(text(name)):
        assert values_of(changed) == expected, shape


def test_the_place_and_state_of_each_member() -> None:
    detail = values_of(text("detail-md1.txt"))["md1"]
    assert detail["member_states"] == (
        "0 ubdj active sync set-A; 1 ubdk active sync set-B; 2 ubdl active sync set-A; 3 removed; "
        "- ubdm faulty"
    )
    old = re.sub(r"       -( +0 +0 +3 +removed)", r"       3\1", text("detail-md1.txt"))
    assert old != text("detail-md1.txt")
    assert values_of(old)["md1"]["member_states"] == detail["member_states"]
    assert str(detail["member_devices"]).startswith("0 98:144 ubdj; 1 98:160 ubdk; ")
    assert (detail["layout_name"], detail["layout"]) == ("near=2", 0x102)


def test_members_of_an_array_that_is_not_active() -> None:
    detail = values_of(
        "/dev/md7:\n           Version : 1.2\n        Raid Level : raid1\n"
        "     Total Devices : 2\n       Persistence : Superblock is persistent\n\n"
        "     Used Dev Size : 18446744073709551615\n"
        "             State : inactive\n   Working Devices : 2\n\n"
        "    Number   Major   Minor   RaidDevice\n\n"
        "       -       8       17        -        /dev/sdq1\n"
        "       -       8       33        -        /dev/sdr1\n"
    )["md7"]
    assert (detail["below"], detail["array_state"]) == ("sdq1 sdr1", "inactive")
    assert detail["member_states"] == "- sdq1; - sdr1"
    assert detail["used_dev_size"] == "18446744073709551615"
    assert "used_size" not in detail, "md says that it knows none"
    assert not detail.keys() & {"spares", "faulty", "rebuilding"}


def test_which_places_are_empty_and_of_whom() -> None:
    printed = values_of(
        "md7 : active raid1 sdq1[2](W) sdr1[0]\n      4192256 blocks super 1.2 [3/2] [U_U]\n"
        "      [=>...]  recovery =  7.5% (314419/4192256) finish=12.5min speed=5000K/sec\n"
        "      bitmap: 3/16 pages [12KB], 65536KB chunk\n"
    )["md7"]
    assert printed["head"] == "active raid1 sdq1[2](W) sdr1[0] 4192256 blocks"
    assert printed["working_slots"] == "[3/2] [U_U]"
    assert printed["bitmap_pages"] == "3/16 pages [12KB]"
    assert printed["sync_time_left"] == 750


@pytest.mark.parametrize("given", [
    "Personalities : [raid1]\nread_ahead 1024 sectors\n"  # Linux 2.4
    "md7 : active raid1 sdq1[1] sdr1[0]\n4192256 blocks [2/2] [UU]\n",
    "Personalities : [raid1] read_ahead 1024 sectors md7 : active raid1 sdq1[1] sdr1[0] "
    "4192256 blocks [2/2] [UU] unused devices: <none>\n",
    "> Personalities : [linear] [raid0] [raid1] [raid6]\n> [multipath]\n"
    "> md7 : active raid1 sdq1[1] sdr1[0]\n>   4192256 blocks super 1.2 [2/2] [UU]\n",
    "+Personalities : [raid1]\n+\n+md7 : active raid1 sdq1[1] sdr1[0]\n+\n"
    "+     4192256 blocks [2/2] [UU]\n+\n+\n+unused devices: <none>\n",
])  # fmt: skip
def test_forms_of_old_kernels_and_of_pages(given: str) -> None:
    assert values_of(given)["md7"]["size"] == 4192256 * KIB


def test_the_name_above_what_mdadm_says_is_none_of_mdstat() -> None:
    whole = (
        "Personalities : [raid1]\nmd0 : active raid1 sdb1[1] sda1[0]\n"
        "      1046528 blocks super 1.2 [2/2] [UU]\n\n"
        "/dev/md0:\n           Version : 1.2\n        Raid Level : raid1\n"
        "      Raid Devices : 2\n             State : clean\n    Active Devices : 2\n"
    )
    assert [[subject.name for subject in state.subjects] for state in states(whole)] == [
        ["md0"], ["md0"],
    ]  # fmt: skip


def test_a_sentence_about_an_array_is_none() -> None:
    assert values_of("Personalities : what mdstat begins with; md7 : active since Monday.\n") == {}


MEMBER = """/dev/sdq1:
          Magic : a92b4efc
        Version : 1.2
    Feature Map : 0x45
     Array UUID : 00112233:44556677:8899aabb:ccddeeff
     Raid Level : raid5
   Raid Devices : 5

 Avail Dev Size : 4194304 sectors (2.00 GiB 2.15 GB)
     Array Size : 8388608{unit} (8.00 GiB 8.59 GB)
  Used Dev Size : 4194304{sectors} (2.00 GiB 2.15 GB)
    Data Offset : 2048 sectors
          State : clean

  Reshape pos'n : 1048576 (1024.00 MiB 1073.74 MB)
  Delta Devices : 1 (4->5)
       Checksum : 37ac3c04 - correct
         Events : 78714

     Chunk Size : 512K
    Device Role : Active device 0
    Array State : AA.A. ('A' == active, '.' == missing, 'R' ==
 replacing)
"""


@pytest.mark.parametrize(("unit", "sectors"), [("", ""), (" KiB", " sectors")])
def test_a_member_that_is_reshaped_is_read_to_its_end(unit: str, sectors: str) -> None:
    text = MEMBER.format(unit=unit, sectors=sectors)
    two = states(text + text.replace("sdq1", "sdr1").replace("78714", "78712"))
    first, second = (state.subjects[0] for state in two)
    assert (first.name, second.name) == ("sdq1", "sdr1")
    assert (first.values["events"], second.values["events"]) == (78714, 78712)
    assert first.values["array_size"] == 8 << 30
    assert first.values["used_size"] == 2 << 30
    assert first.values["delta_devices"] == "1 (4->5)"
    assert first.values["members_state"] == "AA.A."


def test_sizes_of_many_terabytes_are_in_tebibytes() -> None:
    """As mdadm prints an array of twelve disks of 20 TB."""
    text = (
        MEMBER.format(unit=" KiB", sectors=" sectors")
        .replace("8388608 KiB (8.00 GiB 8.59 GB)", "195316910080 KiB (181.90 TiB 200.00 TB)")
        .replace("4194304 sectors (2.00 GiB 2.15 GB)", "39063382016 sectors (18.19 TiB 20.00 TB)")
    )
    values = states(text)[0].subjects[0].values
    assert values["array_size"] == 195_316_910_080 * 1024
    assert values["used_size"] == 39_063_382_016 * 512


def test_a_size_whose_units_disagree_is_not_converted() -> None:
    text = MEMBER.format(unit="", sectors="").replace("8.00 GiB", "5.00 GiB")
    assert "array_size" not in states(text)[0].subjects[0].values


IMSM = """/dev/sdq:
          Magic : Intel Raid ISM Cfg Sig.

[vol0]:
       Subarray : 0
           UUID : 00112233:44556677:8899aabb:ccddeeff
     RAID Level : 5
        Members : 4
    Failed disk : 2
     Array Size : 6291456 (3.00 GiB 3.22 GB)
   Per Dev Size : 2097152 (1024.00 MiB 1073.74 MB)
     Chunk Size : 128 KiB
      Map State : degraded

[vol1]:
       Subarray : 1
     RAID Level : 1
        Members : 2
      Map State : normal
"""


def test_volumes_of_firmware_are_told_apart() -> None:
    volumes = {s.name: s.values for state in states(IMSM) for s in state.subjects}
    assert volumes["vol0"]["level"] == "raid5"
    assert volumes["vol0"]["array_size"] == 3 << 30
    assert volumes["vol0"]["map_state"] == "degraded"
    assert volumes["vol1"]["level"] == "raid1"
    assert "array_size" not in volumes["vol1"]


def test_an_array_whose_lines_were_filled_as_a_paragraph() -> None:
    text = (
        "# cat /proc/mdstat Personalities : [raid6]\n[raid5] [raid4] [linear] md127 :\n"
        "active raid5 sdh[4] sdg[7] sdf[6] 2093056 blocks\nsuper 1.2 level 5, 512k chunk,\n"
        "algorithm 2 [3/3] [UUU]\n"
    )
    (array,) = states(text)[0].subjects
    assert (array.name, array.values["level"]) == ("md127", "raid5")
    assert states(text.replace("active raid5", "some raid5")) == []


def test_a_host_without_arrays_says_so() -> None:
    (host,) = states("Personalities : [raid1] [raid6]\nunused devices: <none>\n")[0].subjects
    assert (host.kind, host.values) == ("host", {"md_arrays": 0})
    (broken,) = states(
        "Personalities : [raid1] [raid6]\n[raid4] [raid10]\nunused devices: <none>\n"
    )
    assert broken.subjects == (host,)
    (spare,) = states("Personalities : [raid1]\nunused devices: sdq sdr1\n")[0].subjects
    assert spare.values == {"md_arrays": 0, "md_unused_devices": "sdq sdr1"}
    assert states("Personalities : [raid1]\nand no array\nunused devices: <none>\n") == []
    assert states("Personalities : [raid1] [raid6]\n") == []


def test_the_file_of_old_kernels_is_read_once() -> None:
    given = (
        "$ cat /proc/mdstat\n"
        "    Personalities : [raid5]\n"
        "    read_ahead 1024 sectors\n"
        "    md0 : active raid5 sdc1[2] sdb1[1] sda1[0]\n"
        "        4120448 blocks level 5, 32k chunk, algorithm 3 [3/3] [UUU]\n\n"
        "    unused devices: <none>\n"
    )
    for shape, shown in mangled(given):
        outputs = read(shown)
        assert [type(each).__name__ for each in outputs] == ["FoundOutput"], shape
        assert values_of(shown)["md0"]["size"] == 4120448 * KIB, shape


def test_what_a_mail_broke_off_a_line_is_a_part_of_it() -> None:
    text = (
        "/dev/sdq1:\n          Magic : a92b4efc\n     Raid Level : raid5\n   Raid Devices : 4\n"
        "  Bad Block Log : 512 entries available at offset 40 sectors - bad\nblocks present.\n"
        "         Events : 10080\n"
    )
    (state,) = states(text)
    (member,) = state.subjects
    assert member.values["bad_block_log"] == (
        "512 entries available at offset 40 sectors - bad blocks present."
    )
    assert member.values["events"] == 10080
    (state,) = states(text.replace(" at offset 40 sectors - bad", ""))
    assert state.subjects[0].values["bad_block_log"] == "512 entries available"
