"""What iostat shows of disks that are slow or busy beside others, and what it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.verbs.explain import explain

HEAD = "Device            r/s     w/s     rkB/s     wkB/s r_await w_await aqu-sz  %util\n"
ARRAY = (
    "Personalities : [raid6] [raid5] [raid4]\n"
    "md0 : active raid5 sdb1[0] sdc1[1] sdd1[2] sde1[4]\n"
    "      5860147200 blocks super 1.2 level 5, 512k chunk, algorithm 2 [4/4] [UUUU]\n\n"
)
TOP = "$ iostat -x -y 5\nLinux 6.1.0 (n1) \t03/02/2025 \t_x86_64_\t(16 CPU)\n\n"
Row = tuple[str, float, float, float, float]


def _report(*rows: Row) -> str:
    """A report; of each disk its name, writes a second, their await in ms, the queue, the util."""
    return HEAD + "".join(
        f"{name:8} {0:10.2f} {writes:8.2f} {0:9.2f} {writes * 64:9.2f} {0:7.2f} {wait:7.2f} "
        f"{queue:6.2f} {util:6.2f}\n"
        for name, writes, wait, queue, util in rows
    )  # fmt: skip


PEERS: tuple[Row, ...] = (("sdb", 45, 9.2, 0.5, 22), ("sdc", 44, 9, 0.5, 21))
SLOW: Row = ("sdd", 45, 412, 20, 100)
CALM: Row = ("sdd", 45, 9.5, 0.5, 22)


def _findings(tmp_path: Path, text: str) -> list[tuple[str, str, str]]:
    (tmp_path / "text").write_text(text)
    findings = explain(str(tmp_path / "text")).findings
    return [(finding.rule, finding.subject, finding.message) for finding in findings]


def test_a_member_that_is_slower_than_its_peers(tmp_path: Path) -> None:
    report = _report(("sda", 12, 1.2, 0, 1), *PEERS, SLOW, ("sde", 46, 9.5, 0.5, 22))
    ((rule, subject, message),) = _findings(tmp_path, TOP + report)
    assert (rule, subject) == ("slow-disk", "n1: sdd")
    assert "A request of sdd takes 412 ms, one of its 3 peers" in message
    assert "at most 9.50 ms: what is spread over them waits" in message
    ((_, _, message),) = _findings(tmp_path, f"{TOP}{report}\n{ARRAY}")
    assert message.endswith("md0 waits for it.")


def test_one_slow_report_of_three_is_none(tmp_path: Path) -> None:
    slow, calm = _report(*PEERS, SLOW), _report(*PEERS, CALM)
    assert _findings(tmp_path, f"{TOP}{calm}\n{slow}\n{calm}") == []
    ((_, _, message),) = _findings(tmp_path, f"{TOP}{slow}\n{slow}\n{calm}")
    assert "(median of 3 reports)" in message


def test_the_report_since_boot_is_left_out_beside_others(tmp_path: Path) -> None:
    slow, calm = _report(*PEERS, SLOW), _report(*PEERS, CALM)
    since_boot = TOP.replace(" -y", "")
    assert _findings(tmp_path, f"{since_boot}{slow}\n{calm}") == []
    ((_, _, message),) = _findings(tmp_path, since_boot + slow)
    assert "(on average since the host was started)" in message


@pytest.mark.parametrize(("top", "is_since_boot"), [
    ("$ iostat -x 5\n", False),  # any of many
    ("$ iostat -d sdb sdc sdd -x 1 10\n", False),
    ("$ iostat -x\n", True),
    ("$ iostat -x 5 1\n", True),
    ("$ iostat -x 5\nLinux 6.1.0 (n1) \t03/02/2025 \t_x86_64_\t(16 CPU)\n\n", True),
    ("$ iostat -xy 5\nLinux 6.1.0 (n1) \t03/02/2025 \t_x86_64_\t(16 CPU)\n\n", False),
    ("$ uname -a\nLinux n1 6.1.0 #1 SMP\n$ iostat -x 5\n", False),
])  # fmt: skip
def test_a_single_report_of_many_may_be_any(tmp_path: Path, top: str, is_since_boot: bool) -> None:
    ((_, _, message),) = _findings(tmp_path, top + _report(*PEERS, SLOW))
    assert ("since the host was started" in message) is is_since_boot


@pytest.mark.parametrize("rows", [
    (*PEERS, ("sdd", 450, 412, 20, 100)),  # it gets far more
    (PEERS[0], SLOW),  # a single peer
    (*PEERS, ("sdd", 45, 30, 1, 60)),  # not so much longer
    (("nvme0n1", 900, 0.1, 0, 9), ("nvme1n1", 900, 0.1, 0, 9), ("nvme2n1", 900, 2, 1, 30)),
    (*PEERS, SLOW, ("sde", 45, 390, 20, 100)),  # two of four: another kind of disk
])  # fmt: skip
def test_no_slow_member(tmp_path: Path, rows: tuple[Row, ...]) -> None:
    assert not [f for f in _findings(tmp_path, TOP + _report(*rows)) if f[0] == "slow-disk"]


def test_a_disk_that_alone_is_busy(tmp_path: Path) -> None:
    rows: tuple[Row, ...] = (("sda", 150, 412, 62, 100), ("sdb", 3, 2, 0, 1), ("sdc", 0, 0, 0, 0))
    above: Row = ("dm-0", 150, 412, 62, 100)
    ((rule, subject, message),) = _findings(tmp_path, TOP + _report(*rows, above))
    assert (rule, subject) == ("busy-disk", "n1: sda")
    assert "in flight 100 % of the time, 62 on average, and each took 412 ms at 150 " in message
    assert "the 2 other disks had some for at most 1 % of it" in message


@pytest.mark.parametrize("rows", [
    (("nvme0n1", 90_000, 0.1, 12, 100), ("sda", 0, 0, 0, 0)),  # busy, and quick
    (("sda", 150, 412, 62, 100),),  # the only one
    (("sda", 150, 412, 62, 100), ("sdb", 140, 300, 50, 96)),  # both
    (("sda", 150, 412, 62, 60), ("sdb", 0, 0, 0, 0)),
])  # fmt: skip
def test_no_busy_disk(tmp_path: Path, rows: tuple[Row, ...]) -> None:
    assert _findings(tmp_path, TOP + _report(*rows)) == []
