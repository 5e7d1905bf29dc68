"""fstests. Oracle: the sums that it prints itself, and the samples' rows counted by grep."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.mangle import counters, folded, mangled

OUTPUTS = Path(__file__).parents[2] / "outputs" / "monitors-composed"
FS, SECTIONS = ((OUTPUTS / f"{name}.txt").read_text() for name in ("fstests", "fstests-sections"))


def _values(text: str) -> list[dict[str, object]]:
    return [dict(row.values) for row in counters(text, "fstests")]


def test_the_counts_are_those_of_the_summary() -> None:
    (suite,) = _values(FS)
    failed, ran = map(int, re.findall(r"Failed (\d+) of (\d+) tests", FS)[0])
    assert (suite["failed"], suite["tests"]) == (failed, ran)
    assert sum(int(str(suite[name])) for name in ("passed", "failed", "not_run")) == ran
    assert suite["failures"] == ["xfs/051"]
    assert suite["seconds"] == {"generic/042": 3, "generic/043": 13}
    assert suite["seconds_before"] == {"generic/042": 2, "xfs/051": 18}
    assert suite["exit_statuses"] == {"xfs/051": 1}
    assert suite["not_run_because"] == {
        "generic/507": "file system doesn't support chattr +AsSu"
    }  # fmt: skip


def test_what_was_tested() -> None:
    (suite,) = _values(FS)
    assert suite["fstyp"] == "xfs (debug)"
    assert suite["mkfs_options"] == "-f -bsize=4096 /dev/sdz4"
    (alone,) = _values(FS.partition("\n\n")[0])
    assert "passed" not in alone


def test_lines_about_what_is_tested_that_a_mail_broke_are_whole() -> None:
    broken = FS.replace(
        "-- /dev/sdz4 /mnt", "-- -o\ncontext=system_u:object_r:root_t:s0 -o\nrw /mnt"
    ).replace("SMP Mon", "SMP\nMon")
    (suite,) = _values(broken)
    assert suite["mount_options"] == "-o context=system_u:object_r:root_t:s0 -o rw /mnt/scratch"
    assert str(suite["platform"]).endswith("#4 SMP Mon Mar 1 05:42:06 CST 2024")
    assert suite["passed"] == 2


def test_each_section_once_though_it_is_summed_up_at_the_end() -> None:
    plain, small = _values(SECTIONS)
    assert plain["section"], small["section"] == ("plain", "small")
    counts = ("tests", "passed", "failed", "not_run", "expunged")
    assert [plain.get(name) for name in counts] == [5, 2, 2, 1, 1]
    assert [small.get(name) for name in counts] == [2, 2, 0, 0, None]
    assert plain["failures"] == ["generic/019", "generic/035"]
    assert plain["seconds"] == {"ext4/001": 5, "generic/003": 9}
    assert small["seconds"] == {"ext4/001": 7, "generic/003": 8}


def test_lines_of_tests_without_a_head() -> None:
    rows = "\n".join(
        re.findall(r"^(?:ext4|generic)/\d.*", SECTIONS.partition("Ran:")[0], re.MULTILINE)
    )
    (suite,) = _values(f"On the way it prints\n\n{rows}\n\nand more.\n")
    assert [suite[name] for name in ("passed", "failed", "not_run", "expunged")] == [2, 2, 1, 1]
    assert "tests" not in suite


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("generic/475 533s ...  558s", {"passed": 1}),
        ("xfs/001 3s", {"passed": 1}),
        ("xfs/002\t\t3s", {"passed": 1}),
        ("generic/475 12s ... [failed, exit status 1]- output mismatch (see /r/475.out.bad)",
         {"failed": 1, "failures": ["generic/475"], "exit_statuses": {"generic/475": 1}}),
        ("btrfs/142 1s ... - output mismatch (see results//btrfs/142.out.b", {"failed": 1}),
        ("generic/003 16s ... _check_xfs_filesystem: filesystem on /dev/sdz is inconsistent (c)",
         {"failed": 1, "seconds_before": {"generic/003": 16}}),
        ("overlay/012       [not run] xfs_io falloc failed", {"not_run": 1}),
        ("generic/019 7s ...\t[10:20:30] [10:20:38] 8s", {"seconds": {"generic/019": 8}}),
        ("generic/475 aggregate results across 10 runs: pass=9 (90.0%), fail=1 (10.0%)",
         {"runs": {"generic/475": {"all": 10, "pass": 9, "fail": 1}}}),
        ("Passed all 9 tests", {"tests": 9, "failed": 0}),
        ("Failed 2 of 9 tests", {"tests": 9, "failed": 2}),
        ("Ran: xfs/001 xfs/002\nNot run: xfs/002\nPassed all 2 tests",
         {"tests": 2, "passed": 1, "failed": 0, "not_run": 1}),
        ("Ran: xfs/001 xfs/002 xfs/003\nFailures: xfs/002\nFailed 1 of 3 tests",
         {"tests": 3, "passed": 2, "failed": 1, "failures": ["xfs/002"]}),
        ("Failures: xfs/002 generic/388", {"failed": 2, "failures": ["xfs/002", "generic/388"]}),
    ],
)  # fmt: skip
def test_a_part_alone(line: str, expected: dict[str, object]) -> None:
    (suite,) = _values(f"It ends so:\n\n{line}\n\nWhat now?\n")
    assert {name: suite.get(name) for name in expected} == expected


def test_a_list_that_a_mail_broke() -> None:
    tests = [f"generic/{number:03}" for number in range(1, 40)]
    text = f"Ran: {' '.join(tests)}\nFailures: {' '.join(tests[:20])}\nFailed 20 of 39 tests\n"
    for broken in (folded(text, 72), text.replace("generic/020", "gene\nric/020", 1)):
        (suite,) = _values(broken)
        assert (suite["passed"], suite["failed"], suite["failures"]) == (19, 20, tests[:20])


def test_what_a_cut_took_away_is_not_counted() -> None:
    """The first tests stand above what was pasted: how many of them passed is not known."""
    tail = SECTIONS.partition("generic/019 61s")[2].partition("Ran:")[0]
    (suite,) = _values(
        f"generic/019 61s{tail}Failures: generic/019 generic/035\nFailed 2 of 5 tests\n"
    )
    assert "passed" not in suite
    assert (suite["failed"], suite["tests"]) == (2, 5)


def test_output_of_a_test_between_its_name_and_its_result() -> None:
    text = (
        "FSTYP         -- ext3\n\ngeneric/472 103s ...    [05:31:22]QA output created by 472\n"
        "too long swap\nswapon: Invalid argument\n"
        "  [05:32:15]- output mismatch (see\n/tmp/results//generic/472.out.bad)\n"
        "Ran: generic/472\nFailures: generic/472\nFailed 1 of 1 tests\n"
    )
    (suite,) = _values(text)
    assert (suite["failed"], suite["tests"], suite["failures"]) == (1, 1, ["generic/472"])


def test_a_reason_that_a_mail_broke() -> None:
    text = (
        "xfs/001        [not run] the scratch device has no realtime volume,\n"
        "which this test cannot do without\nxfs/002 2s ...  3s\nPassed all 2 tests\n"
    )
    (suite,) = _values(text)
    assert [suite[name] for name in ("tests", "passed", "not_run")] == [2, 1, 1]
    assert suite["not_run_because"] == {
        "xfs/001": "the scratch device has no realtime volume, which this test cannot do without"
    }


def test_a_listing_is_no_result() -> None:
    (suite,) = _values("# ./check -n -g soak\nFSTYP         -- xfs\n\ngeneric/521\ngeneric/522\n")
    assert suite == {"fstyp": "xfs", "listed": ["generic/521", "generic/522"]}


@pytest.mark.parametrize(
    "text",
    [
        "generic/042 fails on most of our machines\n",
        "We know FSTYP and PLATFORM -- both are set\n",
        "$ ./check generic/475\n",
        " tests/generic/475     | 12 +++++++++---\n tests/generic/475.out |  2 +-\n",
        "generic/001 auto quick\ngeneric/002 auto metadata\n",
        "The worst are generic/475 and\ngeneric/388 12s in all runs\n",
        "Failures: generic/475, and others that I forgot\n",
        "Failed 1 of 3 tests that I made up\n",
        "--- a/tests/xfs/001\n+++ b/tests/xfs/001\n",
        "ext4/032 (and indeed this is the test)\n",
    ],
)
def test_words_about_tests_are_no_results(text: str) -> None:
    assert not _values(text)


@pytest.mark.parametrize("text", [FS, SECTIONS])
def test_every_shape(text: str) -> None:
    expected = _values(text)
    for shape, changed in mangled(text):
        got = _values(changed)
        if shape.startswith("cut"):  # a blank or none where a date was cut
            for suite, whole in zip(got, expected, strict=True):
                suite["platform"], suite["not_run_because"] = (
                    whole["platform"],
                    whole.get("not_run_because"),
                )
                if suite["not_run_because"] is None:
                    del suite["not_run_because"]
        assert got == expected, shape
