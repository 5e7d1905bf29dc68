"""A device through a text. Oracle: what its owner would call the same device, and a change."""

from __future__ import annotations

import pytest

from iosonde.printed_answer import OutputAnswer
from iosonde.printed_moment import of_counters, of_state
from iosonde.printed_names import device_key
from iosonde.records.printed import PrintedCounters, PrintedState, PrintedSubject
from iosonde.records.stack import Scalar

GIB = 1 << 30


def shown(
    name: str, tool: str = "lsblk", *, kind: str = "disk", host: str = "", command: str = "",
    **values: Scalar,
) -> PrintedState:  # fmt: skip
    return PrintedState(tool, (PrintedSubject(kind, name, values),), host, command)


def said(*outputs: PrintedState | PrintedCounters) -> str:
    answer = OutputAnswer()
    for line, output in enumerate(outputs, 1):
        if isinstance(output, PrintedState):
            answer.add([of_state(output, str(line))])
        else:
            answer.add([of_counters(output, str(line))])
    return answer.sentence()


def test_what_several_tools_say_of_a_device_is_said_together() -> None:
    detail = shown("md5", "mdadm", kind="md", state="clean", level="raid5")
    status = shown("/dev/md5", "mdstat", kind="md", array_state="active", raid_disks=3)
    assert said(detail, status) == (
        "mdadm, mdstat: md5: state clean, level raid5, raid disks 3 (lines 1, 2)"
    )
    other = shown("md6", "mdstat", kind="md", raid_disks=3)  # the near miss: another device
    assert said(detail, other).startswith("mdadm: md5: state clean, level raid5 (lines 1); mdstat")


def test_the_largest_size_between_is_said_though_it_ended_as_it_began() -> None:
    sizes = [shown("vg/home", "lvs", kind="lvm", size=size * GIB) for size in (8, 11, 9, 8)]
    assert said(*sizes) == (
        "lvs: vg/home: size 8 GiB (lines 1), then size 11 GiB (lines 2), then size 8 GiB (lines 4)"
    )


def test_sizes_that_two_tools_round_otherwise_are_no_change() -> None:
    exact, rounded = shown("sdq", size=2000 * GIB), shown("sdq", "df", size=1990 * GIB)
    assert ", then " not in said(exact, rounded)
    grown = shown("sdq", size=2990 * GIB)
    assert ", then size 2.92 TiB (lines 3)" in said(exact, rounded, grown)


def test_a_change_shows_though_another_tool_said_the_value_first() -> None:
    first = shown("vg/home", "lvdisplay", kind="lvm", size=8 * GIB)
    small, large = (shown("vg/home", "lvs", kind="lvm", size=size * GIB) for size in (8, 11))
    assert said(first, small, large) == (
        "lvdisplay, lvs: vg/home: size 8 GiB (lines 1), then size 11 GiB (lines 3)"
    )


def test_a_disk_that_is_smaller_later_is_another_of_this_name() -> None:
    large, small = (shown("sdq1", start=1, size=size * GIB) for size in (500, 30))
    assert (
        said(large, small)
        == "lsblk: sdq1: size 500 GiB (lines 1); lsblk: sdq1: size 30 GiB (lines 2)"
    )
    arrays = [shown("md5", kind="md", raid_disks=3, size=size * GIB) for size in (500, 30)]
    assert ", then " not in said(*arrays)
    volumes = [shown("vg/home", kind="lvm", size=size * GIB) for size in (500, 30)]
    assert said(*volumes) == "lsblk: vg/home: size 500 GiB (lines 1), then size 30 GiB (lines 2)"


@pytest.mark.parametrize("name", ["model", "serial_number"])
def test_another_model_is_another_disk_of_this_name(name: str) -> None:
    first = shown("sdq", "smartctl", size=GIB, **{name: "AB-1"})
    other = shown("sdq", "smartctl", size=2 * GIB, **{name: "CD-2"})
    assert ", then " not in said(first, other)
    again = shown("sdq", "smartctl", size=2 * GIB, **{name: "AB-1"})
    assert ", then size 2 GiB" in said(first, again)


def test_the_disk_of_a_second_host_is_not_that_of_the_first() -> None:
    first = shown("sdq", host="n1", size=2 * GIB)
    assert said(first, shown("sdq", host="n2", size=9 * GIB)) == (
        "lsblk: sdq on n1: size 2 GiB (lines 1); lsblk: sdq on n2: size 9 GiB (lines 2)"
    )
    unnamed = shown("sdq", size=9 * GIB)
    assert "; lsblk: sdq: size 9 GiB (lines 2)" in said(first, unnamed)  # nor of which is known
    status = shown("sdq", "smartctl", health="FAILING")  # what says no other size is of it
    assert "sdq on n1: health FAILING, size 2 GiB (lines 1, 2)" in said(first, status)


def test_a_trouble_that_another_tool_says_begins_and_ends() -> None:
    clean = shown("md5", "mdadm", kind="md", state="clean", level="raid5")
    degraded = shown("md5", "mdstat", kind="md", degraded=1)
    whole = shown("md5", "mdstat", kind="md", degraded=0, array_state="active")
    assert said(clean, degraded, whole) == (
        "mdadm, mdstat: md5: state clean, level raid5 (lines 1), then degraded 1 (lines 2),"
        " then array state active (lines 3)"
    )
    assert "then degraded" not in said(clean, whole)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("/dev/vg/home", "mapper/vg-home"),
        ("vg/new-home", "/dev/mapper/vg-new--home"),
        ("/dev/md5", "md5"),
    ],
)
def test_names_of_the_same_device(name: str, other: str) -> None:
    assert device_key(name) == device_key(other)


@pytest.mark.parametrize("name", ["/srv", "/srv/data", "tank/data/old", "sdq1", "a/"])
def test_names_that_stay_as_they_are(name: str) -> None:
    assert device_key(name) == name


def test_a_volume_that_is_named_without_its_group_is_not_said_again() -> None:
    made = shown("home", "lvcreate", kind="lvm", created=True)
    listed = shown("mapper/vg-home", "lvs", kind="lvm", size=GIB)
    assert said(made, listed) == "lvs: vg-home: size 1 GiB (lines 2)"
    twins = shown("mapper/old-home", "lvs", kind="lvm", size=GIB)  # of which it is, nobody knows
    assert "lvcreate: home: lvm made" in said(made, listed, twins)


@pytest.mark.parametrize(
    ("command", "is_made"),
    [
        ("mkfs.ext4 /dev/sdq1", True),
        ("sudo mkfs -t xfs /dev/sdq1", True),
        ("zpool create tank sdq1", True),
        ("mdadm --create /dev/md5 sdq1", True),
        ("mkdir /srv && lsblk", False),
        ("lsblk --created", False),
    ],
)
def test_what_a_command_makes(command: str, *, is_made: bool) -> None:
    plain = shown("sda", "lsblk", size=GIB)
    made = shown("sdq1", "tool", kind="ext4", size=GIB, command=command)
    assert said(plain, made).startswith("tool: sdq1: size 1 GiB, ext4 made") is is_made


def test_a_list_below_a_command_that_makes_something_is_not_what_it_made() -> None:
    disks = tuple(PrintedSubject("disk", name, {"size": GIB}) for name in ("sdp", "sdq"))
    listed = PrintedState("lsblk", disks, command="mkfs.xfs /dev/sdq && lsblk")
    assert "made" not in said(listed)


def test_what_else_was_made_is_named() -> None:
    made = [shown(f"pv{at}", "pvcreate", kind="lvm_pv", created=True) for at in range(5)]
    assert said(*made, shown("sda", size=GIB)).endswith("; also made or changed: pv3, pv4; 1 more")
    nobody = shown("3f2a55ce-1bc2-4c1f-9d6e-0123456789ab", "x", kind="btrfs", created=True)
    assert "3f2a55ce" not in said(*made, nobody)


def test_a_device_is_followed_by_what_stands_on_it() -> None:
    array = shown("md5", "mdadm", kind="md", state="clean", level="raid5")
    other = shown("/home", "df", kind="filesystem", device="/dev/sda2", used_share=0.7)
    stands = shown("/srv", "df", kind="filesystem", device="/dev/md5p1", used_share=0.1)
    assert "; df: /srv: used share 10 %" in said(array, other, stands)
    beside = shown("/srv", "df", kind="filesystem", device="/dev/md50", used_share=0.1)
    assert "; df: /home: used share 70 %" in said(array, other, beside)


def test_a_little_more_data_is_no_change_of_a_device() -> None:
    made = shown("tank", "zpool", kind="pool", state="ONLINE")
    shares = (0.10, 0.12, 0.45)
    little, more, much = (
        shown("/srv", "df", kind="filesystem", device="tank", used_share=share) for share in shares
    )
    assert said(made, little, more).startswith("zpool: tank")
    assert said(made, little, much).startswith("df: /srv: used share 10 % (lines 2), then used")


def test_a_file_system_that_was_emptied_has_changed() -> None:
    made = shown("tank", "zpool", kind="pool", state="ONLINE")
    full, emptied = (
        shown("/srv", "df", kind="filesystem", device="tank", used_share=share)
        for share in (0.83, 0.17)
    )
    assert said(made, full, emptied).startswith("df: /srv: used share 83 % (lines 2), then used")


def test_devices_without_names_are_counted_with_the_range_of_their_figure() -> None:
    drives = [shown("", "smartctl", non_medium_error_count=count) for count in (3, 0, 48)]
    assert said(*drives) == (
        "smartctl: 3 × disk: non medium error count 0 … 48, highest in lines 3"
    )
    assert said(*drives[1:2]) == "smartctl: disk: non medium error count 0 (lines 1)"
    assert said(drives[1], drives[1]) == "smartctl: 2 × disk: non medium error count 0 each"


def pool(*members: tuple[str, dict[str, Scalar]]) -> PrintedState:
    devices = tuple(PrintedSubject("member", name, values) for name, values in members)
    return PrintedState("zpool", (PrintedSubject("pool", "tank", {"state": "ONLINE"}), *devices))


def test_what_a_pool_consists_of_is_said_and_that_a_disk_was_replaced() -> None:
    group: tuple[str, dict[str, Scalar]] = ("mirror-0", {"group": True})
    before = pool(group, ("sdp", {}), ("sdq", {}), ("sdr", {"use": "logs"}))
    after = pool(group, ("sdp", {}), ("sdz", {}))
    assert said(before, after) == (
        "zpool: tank: state ONLINE, of mirror-0 sdp sdq logs sdr (lines 1),"
        " then of mirror-0 sdp sdz (lines 2)"
    )
    many = pool(group, *((f"sd{letter}", {}) for letter in "abcdefgh"))
    assert said(many) == "zpool: tank: state ONLINE, of 8 × member (lines 1)"


def test_what_stands_above_a_volume_is_no_part_of_it() -> None:
    controller = PrintedSubject("controller", "c0", {"model": "X"})
    volume = PrintedSubject("volume", "v0", {"state": "optimal"})
    assert said(PrintedState("ctl", (controller, volume))) == "ctl: v0: state optimal (lines 1)"
    volumes = (volume, PrintedSubject("volume", "v1", {"state": "optimal"}))
    drive = PrintedSubject("drive", "d0", {"state": "online"})  # of which of them is not known
    assert "of d0" not in said(PrintedState("ctl", (*volumes, drive)))


def test_a_refused_mount_is_trouble() -> None:
    refused = shown("/srv", "mount", kind="filesystem", mount_error="wrong fs type")
    disk = shown("sdq", size=GIB, state="running")
    assert said(disk, refused).startswith("mount: /srv: mount error wrong fs type (lines 2)")
    counted = shown("/srv", "mount", kind="filesystem", error=0)
    assert said(disk, counted).startswith("lsblk: sdq")


def test_an_idle_device_and_the_host_are_said_last() -> None:
    idle, busy = (
        PrintedCounters("iostat", "disk", name, {"read.iops": rate})
        for name, rate in (("sdp", 0.0), ("sdq", 4.0))
    )
    memory = PrintedCounters("free", "memory", "", {"memory_used": GIB})
    assert said(idle, memory, busy).startswith("iostat: sdq: read 4 IOPS (lines 3); ")
    assert said(idle, memory).startswith("iostat: sdp")


def test_a_variable_of_a_script_and_a_snapshot_are_no_device_that_a_text_is_about() -> None:
    looped = shown("sdq$i", "mke2fs", kind="ext4", size=GIB)
    assert said(looped, shown("sda", size=GIB)) == "lsblk: sda: size 1 GiB (lines 2)"
    snapshot = shown("tank/a@old", "zfs list", kind="dataset", used=GIB)
    data = shown("tank/a", "zfs list", kind="dataset", used=GIB)
    assert said(snapshot, data).startswith("zfs list: tank/a: used 1 GiB (lines 2)")


def test_the_devices_of_two_files_are_not_the_same() -> None:
    answer = OutputAnswer()
    for file, degraded in (("/tmp/a.txt", 1), ("/tmp/b.txt", 0)):
        array = shown("md5", "mdstat", kind="md", level="raid1", degraded=degraded)
        answer.add([of_state(array, "7", file)])
    assert answer.sentence() == (
        "mdstat: md5: level raid1, degraded 1 (lines 7) in a.txt;"
        " mdstat: md5: level raid1 (lines 7) in b.txt"
    )


def file_systems(*shares: float) -> PrintedState:
    rows = (
        PrintedSubject("filesystem", f"/srv/{at}", {"device": f"/dev/sd{at}", "used_share": share})
        for at, share in enumerate(shares)
    )
    return PrintedState("df", tuple(rows))


def test_of_a_long_list_it_is_said_that_the_first_is_the_fullest() -> None:
    assert said(file_systems(0.2, 0.5, 0.6, 0.3)).startswith(
        "df: /srv/2: used share 60 % (lines 1), the fullest of 4; "
    )
    assert "fullest" not in said(file_systems(0.2, 0.5, 0.6))  # these are few
    spoken = PrintedCounters("log", "host", "", {"messages": ["/dev/sd1 mounted", "/dev/sd1 ok"]})
    assert said(file_systems(0.2, 0.5, 0.6, 0.3), spoken).startswith(
        "df: /srv/1: used share 50 % (lines 1); "  # it is not the fullest
    )
    later = said(file_systems(0.2, 0.5, 0.6, 0.3), file_systems(0.2, 0.5, 0.8, 0.3))
    assert "then used share 80 % (lines 2); " in later  # nor is that what it tells


def test_a_changed_count_of_a_tree_is_said_after_what_was_made() -> None:
    tree = [shown("block", "targetcli", kind="tree", objects=count) for count in (0, 2)]
    made = shown("iqn.x", "targetcli messages", kind="target", login=True, created=True)
    assert said(tree[0], made, tree[1]).startswith("targetcli messages: iqn.x: login, target made")
    sizes = [shown("vg/home", "lvs", kind="lvm", size=size * GIB) for size in (1, 2)]
    assert said(sizes[0], made, sizes[1]).startswith("lvs: vg/home: size 1 GiB (lines 1), then")
