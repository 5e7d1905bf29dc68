"""hdparm's timings as people paste them.

hdparm.c: the speed is in MiB/s with two decimals, so that half of its last digit is 0.005 MiB/s.
"""

from __future__ import annotations

import pytest

from iosonde.records.printed import PrintedTrial, Unread
from iosonde.text.document import of_bytes
from iosonde.text.find import find
from tests.mangle import trials

MIB = 2**20
PAIR = """
/dev/sda:
 Timing cached reads:   24000 MB in  2.00 seconds = 12000.50 MB/sec
 Timing buffered disk reads: 540 MB in  3.01 seconds = 179.25 MB/sec
"""


def _trials(text: str) -> list[PrintedTrial]:
    outputs = list(find(of_bytes("t", text.encode())))
    assert not any(isinstance(output, Unread) for output in outputs), outputs
    return [
        trial for output in outputs if not isinstance(output, Unread) for trial in output.trials
    ]


def test_memory_and_disk_of_one_run_are_one_trial() -> None:
    [trial] = _trials(PAIR)
    assert trial.target == "/dev/sda"
    assert trial.loops[0].metrics == {
        "cached_read.bandwidth": 12000.50 * MIB, "buffered_read.bandwidth": 179.25 * MIB,
    }  # fmt: skip
    assert trial.steps == pytest.approx(dict.fromkeys(trial.loops[0].metrics, 0.005 * MIB))
    assert trial.elapsed == pytest.approx((5.01,))
    assert trial.options == {"direct": False}


def test_a_second_timing_of_a_kind_begins_another_run() -> None:
    trials = _trials(PAIR + PAIR.replace("179.25", "180.75").replace("\n/dev/sda:\n", ""))
    assert [trial.loops[0].metrics["buffered_read.bandwidth"] for trial in trials] == [
        179.25 * MIB, 180.75 * MIB,
    ]  # fmt: skip
    assert {trial.target for trial in trials} == {"/dev/sda"}


def test_each_disk_has_its_own_and_the_command_that_names_it() -> None:
    other = PAIR.replace("sda", "sdb").replace("179.25", "90.50")
    first, second = _trials("# hdparm -tT /dev/sda" + PAIR + other)
    assert (first.target, second.target) == ("/dev/sda", "/dev/sdb")
    assert first.command == "hdparm -tT /dev/sda"
    assert second.command == ""
    both = _trials("# hdparm -tT /dev/sd[ab]" + PAIR + other)
    assert [trial.command for trial in both] == ["hdparm -tT /dev/sd[ab]"] * 2


def test_direct_reads_are_told_from_buffered_ones() -> None:
    direct = PAIR.replace("cached reads", "O_DIRECT cached reads").replace(
        "buffered disk reads", "O_DIRECT disk reads"
    )
    [trial] = _trials(direct)
    assert trial.options == {"direct": True}
    mixed = PAIR + " Timing O_DIRECT disk reads: 600 MB in  3.00 seconds = 200.00 MB/sec\n"
    assert [trial.options["direct"] for trial in _trials(mixed)] == [False, True]


@pytest.mark.parametrize("at", [30, 40, 57])
def test_a_timing_that_was_broken_is_whole_again(at: int) -> None:
    line = PAIR.splitlines()[3]
    [trial] = _trials(PAIR.replace(line, line[:at] + "\n" + line[at:]))
    assert trial.loops[0].metrics["buffered_read.bandwidth"] == 179.25 * MIB


def test_a_timing_without_its_speed_is_said_to_be_unread() -> None:
    cut = PAIR.replace("seconds = 12000.50 MB/sec", "")
    outputs = list(find(of_bytes("t", cut.encode())))
    trials = [
        trial for output in outputs if not isinstance(output, Unread) for trial in output.trials
    ]
    assert [sorted(trial.loops[0].metrics) for trial in trials] == [["buffered_read.bandwidth"]]
    assert [output.reason for output in outputs if isinstance(output, Unread)] == [
        "no speed follows"
    ]
    alone = find(of_bytes("t", b" Timing cached reads:   24000 MB in  2.00 seconds ="))
    assert [output.reason for output in alone if isinstance(output, Unread)] == ["no speed follows"]


@pytest.mark.parametrize("after", ["", "Hmm.. suspicious results: probably not enough memory.\n"])
def test_reads_of_the_buffer_cache_are_cached_ones(after: str) -> None:
    """As hdparm 4 wrote them, with the speed right behind the sign."""
    old = (
        "/dev/hdq:\n Timing buffer-cache reads:   256 MB in  0.80 seconds =320.00 MB/sec\n"
        f" Timing buffered disk reads:  64 MB in  2.50 seconds = 25.60 MB/sec\n{after}\n"
    )
    assert [(trial.target, trial.loops[0].metrics) for trial in _trials(old * 2)] == [
        ("/dev/hdq", {"cached_read.bandwidth": 320 * MIB, "buffered_read.bandwidth": 25.6 * MIB})
    ] * 2
    assert (
        _trials("Timing buffer-cache reads says how fast the memory is: 256 MB in a second\n") == []
    )


def test_the_kibibytes_of_busybox() -> None:
    text = "~ # hdparm -t /dev/mmcblk7\n/dev/mmcblk7:\n Timing buffered disk reads:   60 MB in  "
    (trial,) = trials(text + "0.40 seconds = 153600 kB/s\n")
    assert trial.loops[0].metrics == {"buffered_read.bandwidth": 60 / 0.4 * 2**20}
    assert not trials(text + "0.40 seconds = 153600 k/s\n")


def test_how_much_was_read_in_how_long() -> None:
    (trial,) = trials(
        "/dev/sdq:\n Timing cached reads:   17800 MB in  2.00 seconds = 8900.00 MB/sec\n"
        " Timing buffered disk reads: 306 MB in  3.00 seconds = 102.00 MB/sec\n"
    )
    assert trial.details == {
        "cached_read": {"bytes": 17800 << 20, "seconds": 2.0},
        "buffered_read": {"bytes": 306 << 20, "seconds": 3.0},
    }
    for name, part in trial.details.items():  # amount over time is the rate beside it
        assert isinstance(part, dict)
        rate = trial.loops[0].metrics[f"{name}.bandwidth"]
        assert part["bytes"] / part["seconds"] == pytest.approx(rate)  # type: ignore[operator]


def test_reads_at_an_offset_say_where() -> None:
    text = (
        "/dev/sdq:\n Timing buffered disk reads (offset 100 GB): 512 MB in  3.20 seconds = 160.00 MB/sec\n"  # noqa: E501
        "\n/dev/sdq:\n Timing buffered disk reads (offset 200 GB): 256 MB in  3.20 seconds =  80.00 MB/sec\n"  # noqa: E501
    )
    near, far = trials(text)
    assert near.loops[0].metrics == {"buffered_read.bandwidth": 512 / 3.2 * 2**20}
    assert near.details["buffered_read"] == {
        "bytes": 512 << 20, "seconds": 3.2, "offset": 100 << 30,
    }  # fmt: skip
    assert far.loops[0].metrics == {"buffered_read.bandwidth": 80 * 2**20}
    assert near.target == far.target == "/dev/sdq"


def test_a_complaint_between_the_device_and_its_timing() -> None:
    text = (
        "[ann@mini ~]$ sudo hdparm -t /dev/nvme0n1\n\n/dev/nvme0n1:\n"
        " HDIO_DRIVE_CMD(identify) failed: Inappropriate ioctl for device\n"
        " Timing buffered disk reads: 5960 MB in  3.00 seconds = 1986.22 MB/sec\n"
    )
    (trial,) = trials(text)
    assert (trial.target, trial.host) == ("/dev/nvme0n1", "mini")
    assert trial.command == "sudo hdparm -t /dev/nvme0n1"
