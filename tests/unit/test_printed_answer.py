"""Which states and counters of a text are said first. Oracle: what its reader has to know first."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from iosonde.printed_answer import OutputAnswer
from iosonde.printed_moment import of_counters, of_state
from iosonde.printed_order import Telling, counters_telling, state_telling
from iosonde.records.printed import PrintedCounters, PrintedState, PrintedSubject
from iosonde.records.stack import Json, Scalar

Subject = tuple[str, str, Mapping[str, Scalar]]
WHOLE: Subject = ("md", "md0", {"state": "clean", "level": "raid5", "events": 7})
DEGRADED: Subject = ("md", "md0", {"state": "clean, degraded", "level": "raid5"})


def state(*subjects: Subject, tool: str = "tool") -> PrintedState:
    return PrintedState(tool, tuple(PrintedSubject(*subject) for subject in subjects))


def counters(values: Mapping[str, Json], name: str = "sda", kind: str = "disk") -> PrintedCounters:
    return PrintedCounters("iostat", kind, name, values)


def said_of(shown: PrintedState) -> str:
    """What is said of the first device of a state alone."""
    return sentence(shown).partition(": ")[2].partition(" (lines")[0]


def sentence(*outputs: PrintedState | PrintedCounters) -> str:
    answer = OutputAnswer()
    for line, output in enumerate(outputs, 1):
        if isinstance(output, PrintedState):
            answer.add([of_state(output, str(line))])
        else:
            answer.add([of_counters(output, str(line))])
    return answer.sentence()


@pytest.mark.parametrize(
    ("subject", "telling"),
    [
        (DEGRADED, Telling.TROUBLE),
        (("md", "md0", {"degraded": 1, "level": "raid5"}), Telling.TROUBLE),
        (("md", "md0", {"degraded": 0, "level": "raid5"}), Telling.SIZE),
        (WHOLE, Telling.CONDITION),
        (("disk", "sda", {"health_passed": False}), Telling.TROUBLE),
        (("disk", "sda", {"health_passed": True}), Telling.CONDITION),
        (("filesystem", "/", {"used_share": 0.97}), Telling.TROUBLE),
        (("filesystem", "/", {"used_share": 0.5}), Telling.MEASURED),
        (("filesystem", "/mnt", {"used_share": 1.0, "device": "/dev/loop0"}), Telling.MEASURED),
        (("filesystem", "/mnt", {"used_share": 1.0, "device": "/dev/sr0"}), Telling.MEASURED),
        (("filesystem", "/mnt", {"used_share": 1.0, "device": "/dev/sda1"}), Telling.TROUBLE),
        (("squashfs", "/rom", {"used_share": 1.0, "read_only": True}), Telling.MEASURED),
        (("disk", "sda", {"size": 5, "model": "X"}), Telling.SIZE),
        (("group", "vg", {"size": 5, "status": "resizable"}), Telling.SIZE),
        (("group", "vg", {"size": 5, "status": "partial"}), Telling.CONDITION),
        (("mount", "/", {"noatime": True}), Telling.OPTION),
        (("package", "fio", {"state": "ii", "version": "3.33"}), Telling.SURROUNDINGS),
        (("host", "", {"kernel_release": "6.1"}), Telling.SURROUNDINGS),
    ],
)  # fmt: skip
def test_what_a_state_is_about(subject: Subject, telling: Telling) -> None:
    assert state_telling(state(subject)) is telling


def test_the_most_telling_subject_counts_and_nothing_is_surroundings() -> None:
    assert state_telling(state(("host", "", {}), DEGRADED)) is Telling.TROUBLE
    assert state_telling(state()) is Telling.SURROUNDINGS


@pytest.mark.parametrize(
    ("values", "kind", "telling"),
    [
        ({"iops": 5.0}, "disk", Telling.MEASURED),
        ({"memory_free": 5}, "memory", Telling.SIZE),
        ({"messages": ["ata1: hard resetting link"]}, "disk", Telling.TROUBLE),
        ({"messages": ["chunk size defaults to 64K"]}, "host", Telling.OPTION),  # no fault
        ({"messages": ["a preset"]}, "host", Telling.OPTION),  # no reset
        ({"messages": [{"level": "error", "message": "x"}]}, "host", Telling.TROUBLE),
        ({"messages": [{"level": "info", "message": "failed"}]}, "host", Telling.OPTION),
        ({"owner": "anna", "acl": ["user::rwx"]}, "file", Telling.SURROUNDINGS),
        ({"ceph.dir.rbytes": 4096}, "file", Telling.MEASURED),
    ],
)
def test_what_counters_are_about(values: Mapping[str, Json], kind: str, telling: Telling) -> None:
    assert counters_telling(counters(values, kind=kind)) is telling


def test_trouble_comes_before_sizes_and_what_the_host_is() -> None:
    host = state(("host", "", {"kernel_release": "6.1"}), tool="uname")
    disk = state(("disk", "sda", {"size": 1 << 30}), tool="lsblk")
    assert sentence(host, disk, state(DEGRADED, tool="mdadm")) == (
        "mdadm: md0: state clean, degraded, level raid5 (lines 3); lsblk: sda: size 1 GiB (lines 2)"
    )


def test_a_device_that_is_shown_again_is_said_once_with_what_became_of_it() -> None:
    assert sentence(state(WHOLE), state(DEGRADED)) == (
        "tool: md0: state clean, level raid5 (lines 1), then state clean, degraded (lines 2)"
    )
    assert sentence(state(WHOLE), state(WHOLE)) == "tool: md0: state clean, level raid5 (lines 1)"


def test_the_fullest_moment_between_the_first_and_the_last_is_said() -> None:
    shares = (0.24, 0.34, 0.3, 0.24)
    shown = [state(("filesystem", "/", {"used_share": share}), tool="df") for share in shares]
    assert sentence(*shown) == (
        "df: /: used share 24 % (lines 1), then used share 34 % (lines 2),"
        " then used share 24 % (lines 4)"
    )


def test_the_worst_moment_is_said_though_all_ended_well() -> None:
    tank: list[PrintedState] = [
        state(("zpool", "tank", {"state": health}), tool="zpool status")
        for health in ("ONLINE", "DEGRADED", "ONLINE")
    ]
    assert sentence(*tank) == (
        "zpool status: tank: state ONLINE (lines 1), then state DEGRADED (lines 2),"
        " then state ONLINE (lines 3)"
    )


def test_of_a_device_that_grew_its_sizes_are_said_and_what_stayed_only_once() -> None:
    small, grown = (
        state(
            ("lvm", "vg/lv", {"state": "active", "fstype": "ext4", "vers": "1", "size": size << 30})
        )
        for size in (1, 3)
    )
    assert sentence(small, grown) == (
        "tool: vg/lv: state active, fstype ext4, vers 1, size 1 GiB (lines 1),"
        " then size 3 GiB (lines 2)"
    )
    moved = state(("disk", "sda", {"size": 1 << 30, "serial_number": "b"}))  # no value of weight
    assert sentence(state(("disk", "sda", {"size": 1 << 30, "serial_number": "a"})), moved) == (
        "tool: sda: size 1 GiB (lines 1)"
    )


def test_a_trouble_that_is_said_no_more_has_ended_and_a_new_condition_is_none() -> None:
    listed = state(("target", "iqn.x", {"iqn": "iqn.x", "server": "::1"}))
    session = state(("target", "iqn.x", {"iqn": "iqn.x", "login": True}))
    assert sentence(listed, session) == "tool: iqn.x: login, server ::1 (lines 1, 2)"
    degraded = state(("md", "md0", {"degraded": 1, "level": "raid1"}))
    whole = state(("md", "md0", {"degraded": 0, "level": "raid1", "size": 1 << 30}))
    assert sentence(degraded, whole) == (
        "tool: md0: level raid1, degraded 1 (lines 1), then level raid1, size 1 GiB (lines 2)"
    )


def test_what_changed_comes_before_what_stayed() -> None:
    still = state(("lvm", "vg/root", {"size": 1 << 30}), tool="lvs")
    moments = [state(("lvm", "vg/srv", {"size": size}), tool="lvs") for size in (1 << 30, 2 << 30)]
    assert sentence(still, *moments).startswith(
        "lvs: vg/srv: size 1 GiB (lines 2), then size 2 GiB"
    )


def file_systems(**devices: tuple[str, float]) -> PrintedState:
    rows: list[Subject] = [
        ("filesystem", f"/{place.removeprefix('root')}", {"device": device, "used_share": share})
        for place, (device, share) in devices.items()
    ]
    return state(*rows, tool="df")


def test_a_file_system_is_spoken_of_with_the_device_that_it_stands_on() -> None:
    shown = file_systems(root=("/dev/sda2", 0.5), boot=("/dev/sda1", 0.3), nfs=("/dev/sdb1", 0.01))
    made = counters({"messages": ["Creating journal", "/dev/sdb1 done"]}, "", "host")
    assert sentence(shown, made).startswith("df: /nfs: used share 1 % (lines 1)")
    alone = file_systems(root=("/dev/sda2", 0.5), boot=("/dev/sda1", 0.3))
    assert sentence(alone).startswith("df: /: used share 50 %")  # the fullest, else
    booted = counters({"messages": ["/dev/sda1: clean"]}, "", "host")
    assert sentence(alone, booted).startswith("df: /: used share 50 %")  # no text is about /boot


def test_a_moment_that_does_not_show_the_chosen_device_is_not_said_of_it() -> None:
    first = file_systems(root=("/dev/sda2", 0.5), nfs=("/dev/sdb1", 0.01))
    made = counters({"messages": ["/dev/sdb1 done"]}, "", "host")
    fuller, later = (file_systems(root=("/dev/sda2", share)) for share in (0.6, 0.49))
    said = sentence(first, made, fuller)  # the fullest moment does not show it
    assert said.startswith("df: /: used share 50 % (lines 1), then used share 60 % (lines 3)")
    assert sentence(first, made, made, later).startswith("df: /nfs: used share 1 % (lines 1); ")


def test_why_a_health_is_bad_is_said_and_another_sentence_is_not() -> None:
    reasons = "1 host is down; " * 20
    values = {"health": "WARN", "health_checks": reasons, "status": "the cluster has seen " * 9}
    text = said_of(state(("cluster", "c", values)))
    assert text.startswith("c: health WARN, health checks 1 host is down; 1 host")
    assert text.endswith("…")
    assert len(text) < 150


def test_counters_do_not_hide_the_state_of_the_same_device() -> None:
    counted = PrintedCounters("tool", "md", "md0", {"ns": 7})
    assert sentence(state(WHOLE), counted) == (
        "tool: md0: state clean, level raid5 (lines 1); tool: md0: ns 7 (lines 2)"
    )


def test_what_the_host_is_is_said_where_nothing_else_is() -> None:
    host = state(("host", "", {"kernel_release": "6.1"}), tool="uname")
    assert sentence(host) == "uname: host: kernel release 6.1 (lines 1)"
    assert "uname" not in sentence(host, state(("mount", "/", {"noatime": True})))


def test_arrays_tell_more_than_the_controller_above_them() -> None:
    controller: Subject = ("controller", "c0", {"model": "H730"})
    volumes: list[Subject] = [("hwraid", f"v{at}", {"state": "optimal"}) for at in (0, 1)]
    assert said_of(state(controller, *volumes)) == "v0, v1: state optimal"
    assert said_of(state(controller)) == "c0: model H730"


def test_two_hosts_are_no_two_moments() -> None:
    both = [
        PrintedState("drbd", (PrintedSubject("drbd", "r0", {"role": role}),), host)
        for role, host in (("Primary", "n1"), ("Secondary", "n2"))
    ]
    assert sentence(*both) == (
        "drbd: r0 on n1: role Primary (lines 1); drbd: r0 on n2: role Secondary (lines 2)"
    )


def test_the_busiest_device_is_said_first_with_how_busy_it_is() -> None:
    idle = counters({"read.iops": 900.0, "util": 0.02, "await": 0.001}, "sda")
    busy = counters({"read.iops": 90.0, "util": 0.99, "await": 0.12, "report": 1}, "sdb")
    assert sentence(idle, busy).startswith(
        "iostat: sdb: util 99 %, await 120 ms, read 90 IOPS (lines 2); iostat: sda: "
    )


def test_devices_that_are_alike_are_said_together() -> None:
    disks: list[Subject] = [
        ("disk", f"sd{letter}", {"state": "online", "size": ord(letter) << 30}) for letter in "abcd"
    ]
    answer = said_of(state(*disks))
    assert answer == "sda, sdb, sdc and 1 more: state online"
    arrays = state(("md", "md0", {"level": "raid5"}), ("md", "md1", {"level": "raid1"}))
    assert sentence(arrays) == "tool: md0: level raid5 (lines 1); tool: md1: level raid1 (lines 1)"
    same = said_of(state(("disk", "a", {"x": 1}), ("disk", "b", {"x": 1, "y": 2})))
    assert same == "a, b: x 1"


def disk(name: str, **values: Scalar) -> Subject:
    return "disk", name, {"size": 1 << 30, **values}


def test_of_devices_that_tell_alike_the_one_that_most_outputs_speak_of_is_said() -> None:
    listed = state(disk("sda"), disk("sdb"), disk("sdc"), tool="lsblk")
    made = counters({"messages": ["volume group made on /dev/sdb"]}, "", "host")
    assert sentence(listed, made) == (
        "lsblk: sdb: size 1 GiB (lines 1);"
        " iostat: 1 message: volume group made on /dev/sdb (lines 2); 2 more"
    )
    assert sentence(listed).startswith("lsblk: sda, sdb, sdc: size 1 GiB")  # no more of one
    both = counters({"messages": ["/dev/sda is a member", "/dev/sdb is a member"]}, "", "host")
    assert sentence(listed, both).startswith("lsblk: sda, sdb: size 1 GiB")  # of both of them
    elsewhere = counters({"messages": ["wrote /srv/dev-sdb"]}, "", "host")  # no device
    assert sentence(listed, elsewhere).startswith("lsblk: sda, sdb, sdc: size")


def test_a_device_without_a_name_is_not_said_alone_by_the_name_of_its_kind() -> None:
    nameless = state(("disk", "", {"size": 1 << 30}), ("disk", "sda", {"size": 1 << 30}))
    spoken = counters({"messages": ["/dev/disk is no device", "/dev/disk again"]}, "", "host")
    assert sentence(nameless, spoken, spoken).startswith("tool: sda: size 1 GiB (lines 1); iostat")


def test_a_partition_speaks_for_its_disk_and_is_not_said_instead() -> None:
    listed = state(disk("sda"), ("partition", "sda1", {"size": 9 << 20}), disk("sdb"), tool="lsblk")
    mounted = state(("mount", "/boot", {"device": "/dev/sda1"}), tool="mount")
    assert sentence(listed, mounted).startswith("lsblk: sda: size 1 GiB")
    numbered = state(disk("sd"), disk("sd1x"), disk("other"), tool="lsblk")  # no part of it
    assert sentence(
        numbered, state(("mount", "/", {"device": "/dev/sd1x"}), tool="mount")
    ).startswith("lsblk: sd1x: size")


def test_a_device_in_trouble_is_said_before_any_other_and_once() -> None:
    whole: Subject = ("md", "md1", {"state": "clean", "level": "raid1"})
    again = state(DEGRADED, tool="mdstat")
    other = state(("md", "md2", {"state": "degraded"}), tool="mdstat")
    said = sentence(state(whole, tool="x"), state(DEGRADED), again, other)
    assert said.startswith("tool, mdstat: md0: state clean, degraded, level raid5 (lines 2); ")
    assert "; mdstat: md2: state degraded (lines 4); 1 more" in said


def test_members_that_failed_are_said_with_the_pool() -> None:
    members: list[Subject] = [
        ("member", "mirror-0", {"state": "DEGRADED", "group": True}),
        ("member", "sdb", {"state": "ONLINE"}),
        *(("member", f"sd{letter}", {"state": "FAULTED"}) for letter in "cde"),
    ]
    pool: Subject = ("pool", "tank", {"state": "DEGRADED", "health": "DEGRADED"})
    assert said_of(state(pool, *members)) == (
        "tank: health DEGRADED, sdc FAULTED, sdd FAULTED, 1 more"
    )
    odd: Subject = ("member", "sdb", {"state": "FAULTED\x1b[2J " + "x" * 500})
    text = said_of(state(pool, odd))
    assert "\x1b" not in text
    assert len(text) < 100
    sound: Subject = ("pool", "tank", {"state": "ONLINE"})
    assert (
        said_of(state(sound, ("member", "sdb", {"state": "ONLINE"})))
        == "tank: state ONLINE, of sdb"
    )


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        (("md", "md0", {"level": "raid5", "events": 7}), "md0: level raid5"),
        (("smartctl", "", {"level": 3}), "smartctl: level 3"),
        (("mount", "/srv", {"noatime": True}), "/srv: noatime"),  # nothing that tells more
    ],
)
def test_a_single_device_is_named(subject: Subject, text: str) -> None:
    assert said_of(state(subject)) == text


def test_what_has_nothing_to_say_is_left_out() -> None:
    assert sentence(state(("disk", "sda", {"uuid": "1:2"})), state(WHOLE)).startswith("tool: md0")
    assert sentence(state()) == ""
