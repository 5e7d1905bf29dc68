"""What import says first of settings and counters. Oracle: the lines as people sum them up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from iosonde.printed_summary import (
    all_said,
    counters_in_short,
    messages_said,
    settings_said,
    values_said,
)
from iosonde.records.printed import PrintedState, PrintedSubject
from iosonde.records.stack import Json, Scalar
from tests.cli.conftest import Ended

Run = Callable[..., Ended]
MDSTAT = """$ cat /proc/mdstat
Personalities : [raid1]
md0 : active raid1 sdb1[1] sda1[0](F)
      1046528 blocks super 1.2 [2/1] [_U]

unused devices: <none>
"""


def state(*subjects: tuple[str, str, Mapping[str, Scalar]]) -> PrintedState:
    return PrintedState("tool", tuple(PrintedSubject(*subject) for subject in subjects))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        # What tells most comes first, whatever the tool's order; ids last, and then not at all.
        (
            {"uuid": "1:2", "size": 1 << 30, "level": "raid5", "events": 7, "array_state": "clean"},
            ("array state clean", "level raid5", "size 1 GiB"),
        ),
        ({"layout": 2, "events": 39795}, ("layout 2", "events 39795")),
        # A value that another one holds is not said twice; a number is.
        ({"state": "clean, degraded", "array_state": "clean"}, ("state clean, degraded",)),
        # smartctl's JSON has the verdict beside the text's.
        ({"health": "PASSED", "health_passed": True, "model": "EX 1"},
         ("health PASSED", "model EX 1")),
        ({"health": "FAILED", "health_passed": False}, ("health FAILED", "health not passed")),
        ({"read_errors": 0, "write_errors": 0}, ("read errors 0", "write errors 0")),
        ({"read_only": False, "trim": True}, ("no read only", "trim")),
        ({"used_share": 0.93, "used": 930, "size": 1000},
         ("used share 93 %", "size 1000 B", "used 930 B")),
        # Copies of a pool, pages of a cache and a table of the network are no bytes.
        ({"size": 3, "stripe_cache_size": 4096, "net.x.max_size": 2048},
         ("size 3", "stripe cache size 4096", "net.x.max size 2048")),
        ({"degraded": 0, "missing": 0, "layout": 2}, ("layout 2",)),
        ({"degraded": 1, "layout": 2}, ("degraded 1", "layout 2")),
        # A sentence is none of the first values, but the only one is shortened.
        ({"status": "x" * 60, "events": 7}, ("events 7",)),
        ({"status": "x" * 60}, ("status " + "x" * 39 + "…",)),
        ({"uuid": "1:2"}, ()),
        ({"rotation_rate": None, "vendor": ""}, ()),
    ],
)  # fmt: skip
def test_what_tells_most_is_said_first(values: dict[str, Scalar], said: tuple[str, ...]) -> None:
    assert tuple(values_said(values)) == said


def test_of_several_devices_the_fullest_the_first_or_how_many() -> None:
    pool = ("zpool", "tank", {"state": "DEGRADED"})
    disks = [("zpool_device", name, {"state": "ONLINE"}) for name in ("sda", "sdb")]
    assert settings_said(state(pool, *disks)) == "tank: state DEGRADED, 2 more settings"
    assert settings_said(state(*disks)) == "2 settings"
    part = ("partition", "sda1", {"size": 5})
    assert settings_said(state(*disks, part)) == ("2 × zpool_device, 1 × partition, 3 settings")
    mounts = [("filesystem", name, {"used_share": share}) for name, share in
              (("/", 0.4), ("/srv", 0.97), ("/tmp", 0.1))]  # fmt: skip
    assert settings_said(state(*mounts)) == "/srv: used share 97 %, 2 more settings"
    assert settings_said(state()) == "0 settings"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"memory_total": 2**30, "swap_used": 0}, "memory total 1 GiB, swap used 0"),
        (
            {"size": 8.0, "read.iops": 0.0, "write.iops": 10.0, "write.latency": 0.002},
            "write 10 IOPS, write.latency 2 ms, size 8, 1 more counter",
        ),
        ({"latency.mean": 0.002, "tps": 5.5}, "tps 5.5, latency.mean 2 ms"),
        ({"rows": [1, 2]}, "1 counter"),
        ({}, "0 counters"),
    ],
)
def test_counters_in_short(values: dict[str, Json], said: str) -> None:
    assert counters_in_short(values) == said


def test_every_value_is_said_with_its_unit() -> None:
    values: dict[str, Json] = {
        "chunk_size": 65536, "ratio": 1 / 3, "cpu_idle": 0.5, "cores": [{"core": 1}, {"core": 2}],
        "empty": [], "names": ["a"], "by": {"a": 1},
    }  # fmt: skip
    assert all_said(values) == (
        "chunk size 64 KiB, ratio 0.333333, cpu idle 50 %, cores [core 1], … (2), empty [],"
        " names a, by [a 1]"
    )


def test_the_first_lines_of_a_text_of_settings(iosonde: Run, tmp_path: Path) -> None:
    text = tmp_path / "mail.txt"
    text.write_text(MDSTAT)
    ended = iosonde("import", "--dry-run", str(text))
    finding, answer, counts = ended.stdout.split("\n")[:3]
    assert finding.startswith("1 error; degraded: md0")
    assert answer.startswith(
        "mdstat: md0: array state active, level raid1, faulty sda1, degraded 1, raid disks 2 (lines"
    )
    assert counts == "1 settings snapshot found"
    assert "level raid1" in ended.stdout.split("lines", 2)[2]
    assert "\nmd0: " not in ended.stdout


def test_verbose_lists_every_setting(iosonde: Run, tmp_path: Path) -> None:
    text = tmp_path / "mail.txt"
    text.write_text(MDSTAT)
    said = " ".join(iosonde("import", "--dry-run", "-v", str(text)).stdout.split())
    assert "metadata version 1.2" in said
    assert "below sdb1 sda1, faulty sda1" in said


def test_a_control_character_is_made_visible(iosonde: Run, tmp_path: Path) -> None:
    text = tmp_path / "mail.txt"
    text.write_text(MDSTAT.replace("sdb1", "sd\x1b[31mb1"))
    assert "\x1b[31m" not in iosonde("import", "--dry-run", "-v", str(text)).stdout


def test_of_several_devices_the_failed_is_said_unless_a_sum_stands_above_them() -> None:
    values: Mapping[str, Scalar] = {"state": "ready", "size": 1 << 30}
    drives = [("disk", f"ch{number}", values) for number in (1, 2)]
    failed: tuple[str, str, Mapping[str, Scalar]] = ("disk", "ch3", {"state": "failed"})
    assert settings_said(state(*drives)) == "4 settings"
    assert settings_said(state(*drives, failed)).startswith("ch3: state failed, ")
    controller = ("controller", "c1", {"state": "optimal"})
    assert settings_said(state(controller, *drives, failed)).startswith("ch3: state failed")
    assert settings_said(state(controller, *drives)).startswith("c1: state optimal")
    pool = ("zfs", "tank", {"health": "DEGRADED"})
    assert settings_said(state(pool, *drives, failed)).startswith("tank: health DEGRADED")


@pytest.mark.parametrize(("values", "said"), [
    ({"levels": {"error": 1}, "entries": [{"level": "error", "message": "Error syncing pod",
                                          "err": "back-off 5m0s", "pod": "prod/db-0"}]},
     "1 message: Error syncing pod: back-off 5m0s"),
    ({"entries": [{"level": "info", "message": "Started"},
                  {"level": "error", "message": "Mount failed"},
                  {"level": "error", "message": "Mount failed again"}]},
     "3 messages, 2 of them error: Mount failed"),
    ({"entries": [{"level": "info", "message": "Started"}, {"level": "info", "message": "Ready"}]},
     "2 messages: Started"),
    ({"messages": ["EXT4-fs (sdq3): 17 orphan inodes deleted"]},
     "1 message: EXT4-fs (sdq3): 17 orphan inodes deleted"),
    ({"messages": ["nvme0: I/O 5 QID 1 timeout, aborting", "nvme0: Disabling device",
                   "nvme nvme0: Removing after probe failure status: -19"]},
     "3 messages: nvme nvme0: Removing after probe failure status: -19"),
    ({"messages": ["ata2: hard resetting link", "sdc: rw=0", "I/O error, dev sdc, sector 8"]},
     "3 messages: I/O error, dev sdc, sector 8"),
    ({"messages": ["bdev /dev/sdb1 errs: wr 0, corrupt 3", "mounted read-write"]},  # counts only
     "2 messages: bdev /dev/sdb1 errs: wr 0, corrupt 3"),
    ({"messages": 12}, ""),
    ({"reads": 12}, ""),
])  # fmt: skip
def test_messages_said(values: dict[str, Json], said: str) -> None:
    assert messages_said(values) == said


def test_names_of_options_are_as_they_are_called() -> None:
    said = all_said(
        {"_netdev": True, "no_wdelay": False, "no_root_squash": True, "chunk_size": 512}
    )
    assert said.startswith("_netdev, wdelay, no root squash, ")
