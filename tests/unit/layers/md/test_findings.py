"""Arrays of md that lack members, work for themselves, or stand still."""

from __future__ import annotations

from typing import Any

import pytest

from iosonde.layers.md import findings as md_findings
from iosonde.records.evidence import EvidenceSet, StateEvidence
from iosonde.records.stack import Scalar
from tests.unit.explain.cases import case_of, findings_named, trial

RAID5: dict[str, Scalar] = {
    "level": "raid5", "raid_disks": 5, "chunk_size": 65536, "data_members": 4,
    "stripe_width": 262144, "sync_action": "idle", "degraded": 0,
}  # fmt: skip


def array(values: dict[str, Scalar]) -> StateEvidence:
    return StateEvidence("md", "md0", "n1", values, "n1/md:md0", "page")


def test_arrays_that_lack_members_or_work_for_themselves() -> None:
    values: dict[str, Scalar] = {
        **RAID5, "degraded": 1, "sync_action": "recover", "sync_share": 0.1, "faulty": "sdc",
    }  # fmt: skip
    case = EvidenceSet(states=(array(values),))
    (lacking,) = findings_named(md_findings.RULES, case)
    assert (lacking.rule, lacking.severity) == ("degraded", "error")
    assert "md0 (RAID 5) lacks 1 of its 5 members" in lacking.message
    assert lacking.evidence[1].value == "sdc"
    assert lacking.remedy.startswith("a recovery onto a spare is under way (10 % done)")
    alone = EvidenceSet(states=(array({**values, "sync_action": "idle"}),))
    (lacking,) = findings_named(md_findings.RULES, alone)
    assert lacking.remedy.startswith("`mdadm /dev/md0 --add NEW`")
    assert findings_named(md_findings.RULES, EvidenceSet(states=(array(RAID5),)), "degraded") == []


@pytest.mark.parametrize(
    ("values", "left"),
    [
        ({"level": "raid5"}, "the next loss may take data"),
        ({"level": "raid6"}, "one more may be lost"),
        ({"level": "raid1", "raid_disks": 2}, "the next loss may take data"),
        ({"level": "raid1", "raid_disks": 4}, "2 more may be lost"),
        ({"level": "raid10", "layout": 0x103}, "one more may be lost"),
    ],
)
def test_a_degraded_array_says_what_it_still_stands(values: dict[str, Any], left: str) -> None:
    case = EvidenceSet(states=(array({**RAID5, **values, "degraded": 1}),))
    (lacking,) = findings_named(md_findings.RULES, case, "degraded")
    assert left in lacking.message


@pytest.mark.parametrize(("level", "missing", "is_broken"), [
    ("raid5", 1, False), ("raid5", 2, True), ("raid6", 2, False), ("raid6", 3, True),
    ("raid10", 2, False), ("raid1", 2, False),
])  # fmt: skip
def test_an_array_that_lacks_too_many_is_said_not_to_run(
    level: str, missing: int, is_broken: bool
) -> None:
    values = {**RAID5, "level": level, "raid_disks": 12, "degraded": missing}
    (lacking,) = findings_named(md_findings.RULES, EvidenceSet(states=(array(values),)), "degraded")
    assert ("more than its level stands" in lacking.message) == is_broken
    assert ("--add" in lacking.remedy) != is_broken


@pytest.mark.parametrize(("layout", "slots", "lost"), [
    (0x102, "UU__", "2, 3"), (0x102, "_UU_", ""), (0x102, "U_U_", ""), (0x102, "U__", "1, 2"),
    (0x201, "_UU_", "0, 3"), (0x201, "U_U_", ""), (0x103, "___UUU", "0, 1, 2"),
])  # fmt: skip
def test_a_mirror_without_any_of_its_copies_is_not_to_be_rebuilt(
    layout: int, slots: str, lost: str
) -> None:
    values = {
        **RAID5, "level": "raid10", "layout": layout, "raid_disks": len(slots),
        "degraded": slots.count("_"),
        "working_slots": f"[{len(slots)}/{slots.count('U')}] [{slots}]",
    }  # fmt: skip
    (lacking,) = findings_named(md_findings.RULES, EvidenceSet(states=(array(values),)), "degraded")
    assert (f"(places {lost}): what they hold has no copy left" in lacking.message) == bool(lost)
    assert ("--add" in lacking.remedy) != bool(lost)


def test_a_superblock_speaks_of_the_array_and_not_of_its_member() -> None:
    member = StateEvidence(
        "md", "sdb2", "", {**RAID5, "degraded": 1, "magic": "a92b4efc"}, "page:1-30", "page"
    )
    (finding,) = findings_named(md_findings.RULES, EvidenceSet(states=(member,)), "degraded")
    assert "By its superblock, the array of sdb2 (RAID 5) lacks 1 of its 5" in finding.message
    assert "/dev/ARRAY --add" in finding.remedy


def test_an_array_without_an_active_member_is_said_not_to_run() -> None:
    """As `mdadm -D` shows one that is "active, FAILED, Not Started"."""
    values: dict[str, Scalar] = {"degraded": 4, "active_members": 0, "below": "sdc sda sdd"}
    (lacking,) = findings_named(md_findings.RULES, EvidenceSet(states=(array(values),)), "degraded")
    assert "it does not run" in lacking.message
    assert "--add" not in lacking.remedy


def test_of_an_array_whose_level_is_not_shown_nothing_is_claimed() -> None:
    values: dict[str, Scalar] = {"degraded": 1, "active_members": 3}
    (lacking,) = findings_named(md_findings.RULES, EvidenceSet(states=(array(values),)), "degraded")
    assert "its level, which is not shown" in lacking.message
    assert "--add" not in lacking.remedy
    case = EvidenceSet(states=(array({**RAID5, **values}),))
    (lacking,) = findings_named(md_findings.RULES, case, "degraded")
    assert "--add" in lacking.remedy


@pytest.mark.parametrize("action", ["idle", "frozen", None, ""])
def test_idle_arrays_are_left_in_peace(action: Scalar) -> None:
    assert (
        findings_named(
            md_findings.RULES, EvidenceSet(states=(array({**RAID5, "sync_action": action}),))
        )
        == []
    )


MDSTAT = """
```
$ cat /proc/mdstat
Personalities : [raid1]
md0 : active (auto-read-only) raid1 sdb1[1] sda1[0]
      1047552 blocks super 1.2 [2/2] [UU]
      \tresync={}

unused devices: <none>
```
"""


@pytest.mark.parametrize(("word", "stuck"), [("PENDING", 1), ("DELAYED", 0)])
def test_a_resync_that_waits_takes_no_bandwidth(word: str, stuck: int) -> None:
    case = case_of(MDSTAT.format(word))
    assert next(case.of_kind("md")).values["sync_waits"] == word.lower()
    said = findings_named(md_findings.RULES, case, "resync-stuck")
    assert len(said) == stuck
    assert all("mdadm --readwrite /dev/md0" in finding.remedy for finding in said)
    assert findings_named(md_findings.RULES, case, "degraded") == []


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"sync_action": "frozen", "degraded": 1}, "frozen"),
        ({"sync_action": "frozen", "degraded": 0}, ""),
        ({"sync_action": "recover", "sync_share": 0.1, "sync_speed": 0}, "without end"),
        ({"sync_action": "recover", "sync_share": 0.1, "sync_speed": 10**6, "size": 4 << 40},
         "for 46 days more"),
        ({"sync_action": "check", "sync_share": 0.1, "sync_speed": 10**6, "size": 4 << 40},
         "until it is done it takes bandwidth from all else"),
        ({"sync_action": "recover", "sync_share": 0.1, "sync_speed": 10**8, "size": 4 << 40}, ""),
    ],
)  # fmt: skip
def test_a_resync_that_cannot_end(values: dict[str, Scalar], message: str) -> None:
    state = StateEvidence("md", "md0", "n1", values, "page:1", "page")
    said = findings_named(md_findings.RULES, EvidenceSet(states=(state,)), "resync-stuck")
    assert [message in finding.message for finding in said] == [True] * bool(message)


NOT_STARTED = """
[root@db1 ~]# mdadm -D /dev/md125
/dev/md125:
         Container : /dev/md/imsm0, member 0
      Raid Devices : 4
     Total Devices : 3

             State : active, FAILED, Not Started
    Active Devices : 3
   Working Devices : 3
    Failed Devices : 0
     Spare Devices : 0

              UUID : 11111111:22222222:33333333:44444444
    Number   Major   Minor   RaidDevice State
       -       0        0        0      removed
       -       0        0        1      removed
       -       0        0        2      removed
       -       0        0        3      removed

       -       8       32        0      sync   /dev/sdc
       -       8        0        1      sync   /dev/sda
       -       8       48        3      sync   /dev/sdd
"""


def test_an_array_that_mdadm_calls_failed_is_said_not_to_run() -> None:
    """mdadm shows no level of it; it says FAILED where enough() of util.c finds too few."""
    case = case_of(NOT_STARTED)
    (state,) = case.of_kind("md")
    assert (state.name, state.values["degraded"]) == ("md125", 1)
    (lacking,) = findings_named(md_findings.RULES, case, "degraded")
    assert "mdadm calls it failed" in lacking.message
    assert "--add" not in lacking.remedy
    degraded = NOT_STARTED.replace("active, FAILED, Not Started", "clean, degraded")
    (lacking,) = findings_named(md_findings.RULES, case_of(degraded), "degraded")
    assert "mdadm calls it failed" not in lacking.message


@pytest.mark.parametrize(
    ("level", "reads", "rebuild"),
    [
        ("raid1", "reads of what is gone go to a copy that is left", "reads its copies on other"),
        (
            "raid10",
            "reads of what is gone go to a copy that is left",
            "reads its copies on other",
        ),
        ("raid4", "reads of what is gone are computed from all others", "reads all other members"),
        ("raid6", "reads of what is gone are computed from all others", "reads all other members"),
    ],
)
def test_only_parity_is_computed(level: str, reads: str, rebuild: str) -> None:
    values: dict[str, Scalar] = {"level": level, "raid_disks": 4, "degraded": 1}
    (lacking,) = findings_named(md_findings.RULES, EvidenceSet(states=(array(values),)))
    assert reads in lacking.message
    assert rebuild in lacking.remedy


STARTED = "mdadm: Defaulting to version 1.2 metadata\nmdadm: array /dev/md1 started.\n"
ROWS = (
    "Number   Major   Minor   RaidDevice State\n"
    "   0       8       16        0      active sync   /dev/sdb\n"
    "   -       0        0        1      removed\n"
)
ONE_LEFT = (
    "Personalities : [raid1]\n{} : active raid1 sdb[0]\n"
    "      507904 blocks super 1.2 [2/1] [U_]\n\nunused devices: <none>\n"
)


def lacking(text: str) -> list[str]:
    return [
        finding.message for finding in findings_named(md_findings.RULES, case_of(text), "degraded")
    ]


@pytest.mark.parametrize("command", [
    "mdadm --create /dev/md1 --level=raid1 --raid-devices=2 /dev/sdb /dev/sdc",
    "sudo mdadm -C -v /dev/md1 -l 1 -n 2 /dev/sdb /dev/sdc",
    "mdadm --create --verbose --level=mirror --raid-devices=2 /dev/md1 /dev/sdb /dev/sdc",
])  # fmt: skip
def test_the_level_that_an_array_was_created_with_is_known(command: str) -> None:
    (message,) = lacking(f"$ {command}\n{STARTED}\n$ mdadm --detail /dev/md1\n{ROWS}")
    assert message.startswith("md1 (RAID 1) lacks 1 of its 2 members")


@pytest.mark.parametrize("command", [
    "mdadm --create /dev/md2 --level=raid1 --raid-devices=2 /dev/sdb /dev/sdc",  # another array
    "mdadm --create /dev/md1 /dev/sdb /dev/sdc",
    "mdadm --assemble /dev/md1 --level=raid1 /dev/sdb /dev/sdc",
])  # fmt: skip
def test_no_level_is_taken_from_another_command(command: str) -> None:
    (message,) = lacking(f"$ {command}\n{STARTED}\n$ mdadm --detail /dev/md1\n{ROWS}")
    assert "its level, which is not shown" in message


def test_a_table_without_its_head_is_of_the_array_with_its_members() -> None:
    (message,) = lacking(f"$ cat /proc/mdstat\n{ONE_LEFT.format('md0')}\n-----\n\n{ROWS}")
    assert message.startswith("md0 (RAID 1) lacks 1 of its 2 members")
    whole = (
        ONE_LEFT.format("md0")
        .replace("sdb[0]", "sdb[0] sdc[1]")
        .replace("[2/1] [U_]", "[2/2] [UU]")
    )
    (message,) = lacking(f"$ cat /proc/mdstat\n{whole}\n-----\n\n{ROWS}")
    assert message.startswith("md0 (RAID 1) lacks 1 of its 2 members")


def test_a_table_of_other_members_is_of_another_array() -> None:
    messages = lacking(
        f"$ cat /proc/mdstat\n{ONE_LEFT.format('md0')}\n-----\n\n"
        + ROWS.replace("/dev/sdb", "/dev/sdx")
    )
    assert len(messages) == 2
    assert any(message.startswith("unnamed md lacks") for message in messages)


def at(place: str, values: dict[str, Scalar]) -> StateEvidence:
    return StateEvidence("md", "md0", "n1", {**RAID5, **values}, place, "page")


@pytest.mark.parametrize("action", ["check", "resync", "reshape", "repair"])
def test_an_array_that_works_for_itself_lacks_nothing(action: str) -> None:
    """A note in a text that measures nothing, and a warning where it does, or of a host."""
    work: dict[str, Scalar] = {"sync_action": action, "sync_share": 0.4}
    printed = EvidenceSet(states=(at("page:3-5", work),))
    (finding,) = findings_named(md_findings.RULES, printed)
    assert (finding.rule, finding.severity) == ("background-work", "note")
    measured = EvidenceSet(trials=(trial({"read.iops": [9.0]}),), states=printed.states)
    assert [each.severity for each in findings_named(md_findings.RULES, measured)] == ["warning"]
    live = EvidenceSet(states=(at("n1/md:md0", work),))
    assert [each.severity for each in findings_named(md_findings.RULES, live)] == ["warning"]


def test_what_the_next_command_prints_is_no_part_of_an_array() -> None:
    detail = (
        "[root@elm ~]# mdadm -D /dev/md4\n/dev/md4:\n           Version : 1.2\n"
        "        Raid Level : raid1\n      Raid Devices : 2\n     Total Devices : 1\n"
        "    Active Devices : 1\n\n    Number   Major   Minor   RaidDevice State\n"
        "       0       8       17        0      active sync   /dev/sdb1\n"
        "       -       0        0        1      removed\n"
    )
    stat = (
        "[root@elm ~]# cat /proc/mdstat\nPersonalities : [raid1]\nmd4 : active raid1 sdb1[0]\n"
        "      1046528 blocks super 1.2 [2/1] [U_]\n\nunused devices: <none>\n"
    )
    case = case_of(detail + stat)
    assert [(state.host, state.name) for state in case.of_kind("md")] == [("elm", "md4")] * 2
    assert len(findings_named(md_findings.RULES, case, "degraded")) == 1


def test_work_whose_speed_is_not_printed() -> None:
    values: dict[str, Scalar] = {"sync_action": "recover", "sync_share": 0.0, "degraded": 1}
    assert findings_named(md_findings.RULES, EvidenceSet(states=(array(RAID5 | values),)))
