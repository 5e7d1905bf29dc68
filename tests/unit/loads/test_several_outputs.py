"""Several results of one tool in a row: each of them, each with what belongs to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.loads.iozone import metrics_of
from iosonde.loads.iozone.figures import read_figures
from tests.mangle import mangled, trials, unread_in

CACHED = " Timing cached reads:   17586 MB in  1.99 seconds = 8837.11 MB/sec"
DISK = " Timing buffered disk reads: 552 MB in  3.01 seconds = {} MB/sec"
SUM = "1073741824 bytes (1.1 GB, 1.0 GiB) copied, {} s, 210 MB/s"
COPY = "1024+0 records in\n1024+0 records out\n" + SUM
IOZONE = Path(__file__).parents[2] / "outputs" / "iozone-3.489"


def _disks(text: str) -> list[tuple[str, str, list[str]]]:
    return [(trial.target, trial.command, list(trial.loops[0].metrics)) for trial in trials(text)]


def test_each_disk_of_hdparm_has_its_own_trial() -> None:
    text = f"# hdparm -t /dev/sda /dev/sdb\n\n/dev/sda:\n{DISK.format('183.39')}\n\n/dev/sdb:\n"
    text += f"{DISK.format('200.00')}\n"
    assert [trial.loops[0].metrics["buffered_read.bandwidth"] for trial in trials(text)] == [
        183.39 * 2**20, 200.0 * 2**20,
    ]  # fmt: skip
    asked = "hdparm -t /dev/sda /dev/sdb"
    assert _disks(text) == [
        ("/dev/sda", asked, ["buffered_read.bandwidth"]),
        ("/dev/sdb", asked, ["buffered_read.bandwidth"]),
    ]


def test_timings_of_two_disks_are_no_pair() -> None:
    text = f"/dev/sda:\n{DISK.format('183.39')}\n\n/dev/sdb:\n{CACHED}\n"
    assert _disks(text) == [
        ("/dev/sda", "", ["buffered_read.bandwidth"]),
        ("/dev/sdb", "", ["cached_read.bandwidth"]),
    ]


def test_a_pair_stays_one_trial() -> None:
    pair = f"/dev/sda:\n{CACHED}\n{DISK.format('183.39')}"
    for shape, text in mangled(pair):
        (trial,) = trials(text)
        assert list(trial.loops[0].metrics) == [
            "cached_read.bandwidth", "buffered_read.bandwidth",
        ], shape  # fmt: skip
        assert trial.elapsed == (5.0,)


def test_runs_at_one_disk_are_all_kept() -> None:
    rates = ("183.39", "183.72", "184.05")
    text = "/dev/sda:\n" + "\n".join(map(DISK.format, rates))
    assert [
        (trial.target, trial.loops[0].metrics["buffered_read.bandwidth"]) for trial in trials(text)
    ] == [("/dev/sda", float(rate) * 2**20) for rate in rates]


def test_a_command_for_another_disk_is_not_taken() -> None:
    text = f"# hdparm -t /dev/sda\n\n/dev/sda:\n{DISK.format('9.00')}\n/dev/sdb:\n{CACHED}\n"
    assert [command for _, command, _ in _disks(text)] == ["hdparm -t /dev/sda", ""]


def test_a_disk_without_a_speed_between_others_is_listed() -> None:
    text = (
        f"/dev/sda:\n{DISK.format('183.39')}\n\n/dev/sdb:\n"
        " Timing buffered disk reads: read() hit EOF - device too small\n\n"
        f"/dev/sdc:\n{DISK.format('184.00')}\n"
    )
    assert [trial.target for trial in trials(text)] == ["/dev/sda", "/dev/sdc"]
    (unread,) = unread_in(text)
    assert (unread.place.first_line, unread.reason) == (5, "no speed follows")


def _copies(text: str) -> list[tuple[str, str, float]]:
    return [(trial.target, *next(iter(trial.loops[0].metrics.items()))) for trial in trials(text)]


def test_each_result_of_dd_is_kept() -> None:
    times = ("5.12345", "5.2", "5.30001")
    rates = [("", "copy.bandwidth", 2**30 / float(time)) for time in times]
    assert _copies("\n".join(map(SUM.format, times))) == rates
    assert _copies("\n".join(map(COPY.format, times))) == rates
    timed = "\n\nreal\t0m5.126s\nuser\t0m0.004s\nsys\t0m1.200s\n"
    assert _copies(timed.join(map(COPY.format, times))) == rates


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("dd if=/dev/sdb of=/dev/null bs=1M", ("/dev/sdb", "read.bandwidth")),
        ("dd if=/dev/sdb bs=1M > /dev/null", ("/dev/sdb", "read.bandwidth")),
        ("sudo dd if=/dev/sdb bs=1M | wc -c", ("/dev/sdb", "read.bandwidth")),
        ("dd if=/dev/zero of=/mnt/a bs=1M", ("/mnt/a", "write.bandwidth")),
        ("cat image | dd of=/dev/sdb bs=1M", ("/dev/sdb", "write.bandwidth")),
        ("dd if=/dev/sdb of=/mnt/a bs=1M", ("", "copy.bandwidth")),
        ("dd if=/dev/zero of=/dev/null bs=1M", ("", "copy.bandwidth")),
        ("mdadm --add /dev/md0 /dev/sdb", ("", "copy.bandwidth")),
    ],
)
def test_dd_says_what_was_read_and_what_was_written(
    command: str, expected: tuple[str, str]
) -> None:
    (copied,) = _copies(f"# {command}\n{COPY.format('5.12345')}\n")
    assert copied[:2] == expected


def test_results_of_one_command_have_its_direction() -> None:
    three = "\n".join(COPY.format(time) for time in ("5.1", "5.2", "5.3"))
    loop = f"$ for i in 1 2 3; do dd if=/dev/sdb of=/dev/null bs=1M; done\n{three}\n"
    assert [copied[:2] for copied in _copies(loop)] == [("/dev/sdb", "read.bandwidth")] * 3
    two = f"$ dd if=/dev/zero of=/mnt/a; dd if=/mnt/a of=/dev/null\n{COPY.format(5)}\n"
    two += COPY.format(2)
    assert [copied[:2] for copied in _copies(two)] == [
        ("/mnt/a", "write.bandwidth"), ("/mnt/a", "read.bandwidth"),
    ]  # fmt: skip


def test_what_dd_says_while_it_goes_on_is_no_result() -> None:
    command = "$ dd if=/dev/sdb of=/dev/null bs=1M count=1024"
    progress = (
        "524288000 bytes (524 MB, 500 MiB) copied, 1 s, 524 MB/s\r"
        "943718400 bytes (944 MB, 900 MiB) copied, 2 s, 472 MB/s\n"
    )
    signal = (
        "512+0 records in\n512+0 records out\n536870912 bytes (537 MB) copied, 1.2 s, 447 MB/s\n"
    )
    for before in (progress, signal):
        text = f"{command}\n{before}{COPY.format('2.5')}\n"
        assert _copies(text) == [("/dev/sdb", "read.bandwidth", 2**30 / 2.5)]
    two = f"{signal}{COPY.format('2.5')}\n"  # without the command these may be two runs
    assert len(_copies(two)) == 2


def test_iozone_with_more_and_more_processes_gives_each_number() -> None:
    text = (IOZONE / "range.txt").read_text()
    rows = trials(text)
    assert [row.options["numjobs"] for row in rows] == [1, 2, 3]
    assert [row.loops[0].metrics["write.bandwidth"] for row in rows] == pytest.approx([
        2844715.25 * 1024, 2612819.50 * 1024, 3287708.62 * 1024,
    ])  # fmt: skip
    assert metrics_of(read_figures(text))[0]["reread.t3.bandwidth"] == 5446963.06 * 1024
    report = read_figures(text[text.index('"Throughput') :])
    assert [row.values for row in report] == [row.values for row in read_figures(text)]
    assert [row.processes for row in report] == [None] * 3  # its head is not there


def test_blocks_of_three_throughput_tests_are_three_rows() -> None:
    text = (IOZONE / "throughput.txt").read_text()
    blocks = text[text.index("\tChildren see") : text.index("iozone test complete")]
    (row,) = read_figures(blocks)
    assert [figure.values for figure in read_figures(blocks * 3)] == [row.values] * 3


def test_tables_and_reports_of_iozone_without_their_titles_are_apart() -> None:
    text = (IOZONE / "automatic.txt").read_text()
    cut = text[text.index("Command line used") :]
    assert len(trials(cut * 3)) == 3 * len(trials(text))
    report = text[text.index('"Writer report"') : text.index("iozone test complete")]
    rows = read_figures(report)
    assert [figure.values for figure in read_figures(report * 2)] == [
        figure.values for figure in rows
    ] * 2
