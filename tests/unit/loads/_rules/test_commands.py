"""Command lines: refused, through the page cache, several jobs in one file."""

from __future__ import annotations

import pytest

from iosonde.loads._rules.commands import RULES
from iosonde.records.evidence import CommandEvidence, EvidenceSet, StateEvidence
from tests.unit.explain.cases import findings_named, trial

GIB = 2**30


def findings(command: str) -> list[str]:
    case = EvidenceSet(commands=(CommandEvidence("fio", command, "", "page:3", "page"),))
    return [
        f"{finding.message} {finding.remedy}"
        for finding in findings_named(RULES, case, "refused-load")
    ]


def test_a_misspelt_option_is_named_with_the_one_meant() -> None:
    (said,) = findings("fio -name=a -rw=randwrite -bs=4k -size=1g -runtime=60 -timebased")
    assert "timebased" in said
    assert "time_based" in said


def test_a_command_that_runs_is_not_objected_to() -> None:
    assert findings("fio --name=a --rw=randwrite --bs=4k --size=1g --runtime=60 --time_based") == []


def test_commands_through_the_page_cache_are_one_warning() -> None:
    case = EvidenceSet(
        commands=tuple(
            CommandEvidence(
                "iozone", f"iozone -s {size} -r 64k -i 0 -i 1 -f /data/x", "", where, "page"
            )
            for size, where in (("2g", "page:3"), ("1g", "page:5"))
        )
    )
    (said,) = findings_named(RULES, case, "page-cache")
    assert "in 2 commands, with files of 1 GiB … 2 GiB in all" in said.message
    assert "-I (O_DIRECT)" in said.remedy


@pytest.mark.parametrize(
    "command",
    ["iozone -I -s 2g -r 64k -i 0 -f /data/x", "fio --name=a --rw=read --size=1g --direct=1"],
)
def test_direct_commands_go_past_it(command: str) -> None:
    asked = CommandEvidence(command.partition(" ")[0], command, "", "page:3", "page")
    assert findings_named(RULES, EvidenceSet(commands=(asked,))) == []


def test_files_of_many_times_the_memory_outgrow_it() -> None:
    asked = CommandEvidence("fio", "fio --name=a --rw=read --size=64g", "", "page:3", "page")
    small = StateEvidence("host", "", "", {"memory": 8 * GIB}, "page:1", "page")
    large = StateEvidence("host", "", "", {"memory": 32 * GIB}, "page:1", "page")
    assert findings_named(RULES, EvidenceSet(commands=(asked,), states=(small,))) == []
    assert len(findings_named(RULES, EvidenceSet(commands=(asked,), states=(large,)))) == 1


def test_commands_whose_figures_are_there_are_judged_by_those() -> None:
    asked = CommandEvidence("fio", "fio --name=a --rw=write --size=1g", "", "page:3", "page")
    measured = trial({"write.iops": [1e3]}, device_io={"sda": {"writes": 1e5}})
    assert findings_named(RULES, EvidenceSet(commands=(asked,), trials=(measured,))) == []


@pytest.mark.parametrize(
    ("options", "alarms"),
    [
        ("--filename=/data/x --numjobs=4 --rw=randwrite", 1),
        ("--directory=/data --numjobs=4 --rw=randwrite", 0),
        ("--filename=/data/x --numjobs=4 --rw=randwrite --offset_increment=2g", 0),
        ("--filename=/data/x --numjobs=1 --rw=randwrite", 0),
        ("--filename=/data/x --numjobs=4 --rw=randread", 0),
        ("--filename=/data/x --numjobs=4 --rw=randrw --rwmixread=99", 1),
        ("--filename=/data/x --numjobs=4 --rw=randrw --rwmixread=100", 0),
        ("--filename=/data/x --numjobs=4 --rw=rw --rwmixwrite=0", 0),
    ],
)
def test_jobs_that_write_one_file(options: str, alarms: int) -> None:
    command = f"fio --name=a {options} --size=2g --direct=1 --time_based --runtime=30"
    said = findings_named(
        RULES, EvidenceSet(commands=(CommandEvidence("fio", command, "", "page:3", "page"),))
    )
    assert len(said) == alarms
    for finding in said:
        assert "4 jobs write the same file of 2 GiB for 30 s, not 8 GiB" in finding.message


SECTIONS = (
    "fio --ioengine=libaio --direct=1 --size=16g --filename=/opt/x --runtime=60 {} --name=r "
    "--rw=randread --numjobs=8 --name=w --rw=randwrite --name=w8 --rw=randwrite --numjobs=8 "
    "--name=w32 --rw=randwrite --numjobs=32"
)


def shared(command: str) -> list[str]:
    asked = CommandEvidence("fio", command, "", "page:3", "page")
    return [
        finding.message
        for finding in findings_named(RULES, EvidenceSet(commands=(asked,)), "shared-file")
    ]


def test_only_jobs_that_write_at_the_same_time_share_a_file() -> None:
    (said,) = shared(SECTIONS.format("--stonewall"))
    assert said.startswith("The 32 jobs of “w32” write the same file of 16 GiB, not 512 GiB")
    assert said.endswith("So do the 8 jobs of “w8”.")


def test_sections_that_run_together_write_one_file_together() -> None:
    (said,) = shared(SECTIONS.format(""))
    assert said.startswith("The 41 jobs of “w”, “w8” and “w32” write the same file of 16 GiB")


def test_sections_one_after_another_share_nothing() -> None:
    assert shared("fio --size=1g --filename=/x --stonewall --name=a --rw=write --name=b --rw=write"
                  " --name=c --rw=read --numjobs=8") == []  # fmt: skip


@pytest.mark.parametrize(
    ("options", "size"),
    [
        ("--size=256m --numjobs=16 --rw=randwrite", "4 GiB"),
        ("--size=256m --numjobs=16 --rw=randwrite --filename=/data/x", "256 MiB"),
        ("--size=256m --rw=randwrite", "256 MiB"),
        ("--size=256m --rw=write --name=b --size=1g --rw=read --numjobs=2", "2.25 GiB"),
        ("--size=256m --rw=write --name=b --size=1g --rw=read --direct=1", "256 MiB"),
    ],
)
def test_jobs_with_a_file_each_need_that_of_all(options: str, size: str) -> None:
    asked = CommandEvidence("fio", f"fio --name=a {options}", "", "page:3", "page")
    (said,) = findings_named(RULES, EvidenceSet(commands=(asked,)), "page-cache")
    assert f"with files of {size} in all" in said.message


READ, WRITTEN, FLUSH = "is read there", "count as done before they reach", "holds the flush"


@pytest.mark.parametrize(
    ("options", "effects"),
    [
        ("--rw=randwrite", {WRITTEN}),
        ("--rw=randread", {READ}),
        ("--rw=randread --end_fsync=1", {READ}),
        ("--rw=randrw", {READ, WRITTEN}),
        ("--rw=randrw --rwmixread=100", {READ}),
        ("--rw=randrw --sync=1", {READ}),
        ("--rw=randwrite --end_fsync=1", {FLUSH}),
        ("--rw=write --fsync_on_close=1", {FLUSH}),
        ("--rw=write --end_fsync=0", {WRITTEN}),
        ("--rw=randwrite --fsync=32", {WRITTEN, "up to the next fsync"}),
    ],
)
def test_what_the_page_cache_does_depends_on_the_load(options: str, effects: set[str]) -> None:
    asked = CommandEvidence("fio", f"fio --name=a --size=1g {options}", "", "page:3", "page")
    (said,) = findings_named(RULES, EvidenceSet(commands=(asked,)), "page-cache")
    every = (READ, WRITTEN, FLUSH, "up to the next fsync")
    assert {effect for effect in every if effect in said.message} == effects


@pytest.mark.parametrize(
    "command",
    [
        "iozone -a -s 1g /data/x",  # getopt(3) passes over what is no option
        "iozone -i 0 -X times.txt -s 1g",
        "fio --name=a --ioengine=rbd --rw=read --size=1g",
        "fio --name=a --rw=read --size=1g --filename=/dev/sdb:/dev/sdc",
        "hdparm -I /dev/sda",
    ],
)
def test_what_iosonde_alone_does_not_take_may_have_been_run(command: str) -> None:
    asked = CommandEvidence(command.partition(" ")[0], command, "", "page:3", "page")
    assert findings_named(RULES, EvidenceSet(commands=(asked,)), "refused-load") == []


@pytest.mark.parametrize(
    "command", ["iozone -a -s 1g -%", "fio --name=a --rw=read --size=1x", "iozone -a -s"]
)
def test_what_the_tool_refuses_was_not_run_unless_its_output_is_there(command: str) -> None:
    asked = CommandEvidence(command.partition(" ")[0], command, "", "page:3", "page")
    assert len(findings_named(RULES, EvidenceSet(commands=(asked,)), "refused-load")) == 1
    ran = trial({"read.iops": [1e3]}, command=command, tool=asked.tool)
    assert (
        findings_named(RULES, EvidenceSet(commands=(asked,), trials=(ran,)), "refused-load") == []
    )


@pytest.mark.parametrize(("size", "alarms"), [("{size}", 0), ("<size>", 0), ("1q", 1)])
def test_a_place_left_for_a_value_is_not_refused(size: str, alarms: int) -> None:
    assert len(findings(f"fio --name=a --rw=write --size={size}")) == alarms


@pytest.mark.parametrize(("command", "alarms"), [
    ("iozone -c -e -i 0 -s 1g -r 64k -f /data/x", 0),
    ("iozone -o -i 0 -s 1g -r 64k -f /data/x", 0),
    ("iozone -c -e -i 0 -i 1 -s 1g -r 64k -f /data/x", 1),
    ("iozone -i 0 -s 1g -r 64k -f /data/x", 1),
])  # fmt: skip
def test_iozone_that_times_the_flush(command: str, alarms: int) -> None:
    asked = CommandEvidence("iozone", command, "", "page:3", "page")
    every = findings_named(RULES, EvidenceSet(commands=(asked,)), "page-cache")
    assert len(every) == alarms
    for finding in every:
        assert ("or -e and -c" in finding.remedy) == ("-e" not in command)


@pytest.mark.parametrize(("options", "alarms"), [
    ("--rw=randread --size=1000g", 0), ("--rw=randread --size=100g", 1),
    ("--rw=randwrite --size=1000g", 1),
])  # fmt: skip
def test_reads_of_what_no_memory_holds(options: str, alarms: int) -> None:
    asked = CommandEvidence("fio", f"fio --name=a {options}", "", "page:3", "page")
    assert len(findings_named(RULES, EvidenceSet(commands=(asked,)), "page-cache")) == alarms


def test_the_same_command_at_several_places_is_said_once() -> None:
    commands = tuple(
        CommandEvidence("fio", f"fio --name=a --filename=/x --rw=write --size={size} --numjobs=4 "
                        "--direct=1", "", f"page:{line}", "page")
        for line, size in ((3, "1g"), (9, "1g"), (12, "2g"))
    )  # fmt: skip
    first, other = findings_named(RULES, EvidenceSet(commands=commands), "shared-file")
    assert [figure.where for figure in first.evidence] == ["page:3", "page:3", "page:9", "page:9"]
    assert (first.subject, other.subject) == ("page:3", "page:12")


@pytest.mark.parametrize(("options", "alarms"), [("-v", 0), ("-h", 0), ("-a -J", 1)])
def test_what_shows_the_version_runs_nothing(options: str, alarms: int) -> None:
    asked = CommandEvidence("iozone", f"iozone {options}", "", "page:3", "page")
    assert len(findings_named(RULES, EvidenceSet(commands=(asked,)), "refused-load")) == alarms
