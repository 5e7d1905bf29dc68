"""Failures that the author of a text brought about, or mended: notes, and not faults of a host."""

from __future__ import annotations

import pytest

from iosonde.explain.judge import findings
from iosonde.records.finding import Finding
from tests.unit.explain.cases import case_of

WHOLE = """$ cat /proc/mdstat
Personalities : [raid1]
md5 : active raid1 vdc1[1] vdb1[0]
      1046528 blocks super 1.2 [2/2] [UU]

unused devices: <none>
"""
LACKING = """$ cat /proc/mdstat
Personalities : [raid1]
md5 : active raid1 vdb1[0]
      1046528 blocks super 1.2 [2/1] [U_]

unused devices: <none>
"""
FAILED = "$ mdadm --manage /dev/md5 --fail /dev/vdc1\nmdadm: set /dev/vdc1 faulty in /dev/md5\n"
ERRORS = (
    "[ 9041.100000] blk_update_request: I/O error, dev vdc, sector 2048 op 0x0:(READ)\n"
    "[ 9041.200000] Buffer I/O error on dev vdc1, logical block 0, async page read\n"
)


def degraded(*parts: str) -> Finding:
    """What is said of the array of a text."""
    (finding,) = (
        finding for finding in findings(case_of("\nthen\n\n".join(parts)))
        if finding.rule == "degraded"
    )  # fmt: skip
    return finding


@pytest.mark.parametrize("command", [
    FAILED, "$ mdadm /dev/md5 -f /dev/vdc1\n", "$ sudo mdadm --fail /dev/md5 /dev/vdc1\n",
    "Now `mdadm /dev/md5 --set-faulty /dev/vdc1` takes a half away.\n",
])  # fmt: skip
def test_a_member_that_its_author_failed(command: str) -> None:
    finding = degraded(WHOLE, command, LACKING)
    assert finding.severity == "note"
    assert finding.message.endswith("` above brought it about.")
    assert "lacks 1 of its 2 members" in finding.message


@pytest.mark.parametrize("parts", [
    (WHOLE, LACKING),
    (WHOLE, LACKING, FAILED),
    (WHOLE, FAILED.replace("md5", "md7"), LACKING),
    (LACKING, FAILED, LACKING),
    (ERRORS, FAILED, LACKING),
    ("$ mdadm --assemble --force /dev/md5 /dev/vdb1\n", LACKING),
    ("We simulate the weather of the next week.\n", LACKING),
    ("Two drives failed simultaneously.\n", LACKING),
])  # fmt: skip
def test_a_member_that_was_lost(parts: tuple[str, ...]) -> None:
    """Not named, below, of another array, missing before, failing by itself, or no failure."""
    assert degraded(*parts).severity == "error"


def test_an_array_that_is_whole_again_below() -> None:
    case = case_of("\nthen\n\n".join([WHOLE, FAILED, LACKING, WHOLE]))
    assert [finding for finding in findings(case) if finding.rule == "degraded"] == []


@pytest.mark.parametrize("sentence", [
    "Let us simulate the failure of a drive.", "## Simulating disk failure",
    "模拟磁盘故障", "Имитируем отказ диска:", "## Resimuler une panne",
])  # fmt: skip
def test_a_sentence_that_says_so(sentence: str) -> None:
    finding = degraded(WHOLE, f"{sentence}\n", LACKING)
    assert finding.severity == "note"
    assert finding.message.endswith("It was brought about to try this out, as the text says above.")


def test_a_sentence_far_above() -> None:
    assert degraded("We simulate a failure.\n", "word\n" * 60, LACKING).severity == "error"


FULL = """$ df -h /srv/mail
Filesystem                Size  Used Avail Use% Mounted on
/dev/mapper/vg0-mail      493G  468G     0 100% /srv/mail
"""


@pytest.mark.parametrize(("below", "severity"), [
    ("$ resize2fs /dev/vg0/mail\n", "note"),
    ("$ lvextend -L +100G -r /dev/mapper/vg0-mail\n", "note"),
    ("$ xfs_growfs /srv/mail\n", "note"),
    ("$ resize2fs /dev/vg0/home\n", "error"),
    ("", "error"),
])  # fmt: skip
def test_a_file_system_that_is_enlarged_further_down(below: str, severity: str) -> None:
    (finding,) = (
        finding for finding in findings(case_of(FULL + "\n" + below))
        if finding.rule == "out-of-space"
    )  # fmt: skip
    assert finding.severity == severity


@pytest.mark.parametrize(("volume", "severity"), [("vg-0/mail", "note"), ("vg/0-mail", "error")])
def test_dashes_of_a_volume_are_not_those_between_its_names(volume: str, severity: str) -> None:
    full = FULL.replace("vg0-mail ", "vg--0-mail")
    below = f"\n$ lvextend -L +100G -r /dev/{volume}\n"
    (finding,) = (
        each for each in findings(case_of(full + below)) if each.rule == "out-of-space"
    )  # fmt: skip
    assert finding.severity == severity


@pytest.mark.parametrize(("above", "severity"), [
    ("$ dd if=/dev/zero of=/srv/mail/big bs=4M count=2500\n", "note"),
    ("$ fallocate -l 20G /srv/mail/big\n", "note"),
    ("$ dd if=/dev/zero of=/srv/home/big bs=4M count=2500\n", "error"),
    ("$ dd if=/dev/sdb of=/srv/mail/image bs=4M\n", "error"),
])  # fmt: skip
def test_a_file_system_that_is_filled_above(above: str, severity: str) -> None:
    (finding,) = (
        finding for finding in findings(case_of(above + "\n" + FULL))
        if finding.rule == "out-of-space"
    )  # fmt: skip
    assert finding.severity == severity


@pytest.mark.parametrize(("device", "count"), [("sdX", 0), ("sd[a-z]", 0), ("sdx", 1)])
def test_a_form_of_a_disk_s_name_is_of_no_disk(device: str, count: int) -> None:
    text = f"$ echo noop > /sys/block/{device}/queue/scheduler\n"
    assert len([each for each in findings(case_of(text)) if each.rule == "scheduler"]) == count


def test_names_that_are_left_to_be_filled_in() -> None:
    """What stands under such a name shows a form, and is of no host."""
    peer = "Number of Peers: 1\n\nHostname: {}\nUuid: 4ab7b1c0-7c1a-4b0a-9c7b-0f9d1b2c3d4e\n" \
           "State: Peer Rejected (Connected)\n"  # fmt: skip
    for name, count in (("oak", 1), ("<hostname>", 0)):
        assert len(findings(case_of(f"$ gluster peer status\n{peer.format(name)}"))) == count
