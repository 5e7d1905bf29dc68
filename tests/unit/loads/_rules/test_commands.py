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
