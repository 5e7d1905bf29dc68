"""`zpool history` and `zpool events`: counted as they stand in the samples."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import PrintedCounters
from tests.mangle import counters, mangled, read

PLACE = Path(__file__).parents[3] / "outputs" / "zfs-composed"
HISTORY, EVENTS = ((PLACE / name).read_text() for name in ("history.txt", "events.txt"))
VERBOSE = """# zpool events -v
TIME                           CLASS
Mar  5 2024 10:11:13.003456789 ereport.fs.zfs.io
        class = "ereport.fs.zfs.io"
        detector = (embedded nvlist)
                version = 0x0
                scheme = "zfs"
        (end detector)
        pool = "tank"
        vdev_path = "/dev/sdb1"
        zio_err = 0x5
        time = 0x65e6f0a1 0x353e0e

"""


def counted(text: str, tool: str) -> list[PrintedCounters]:
    return [each for each in counters(text) if each.tool == tool]


def test_commands_of_each_pool() -> None:
    tank, back = counted(HISTORY, "zpool history")
    assert (tank.name, tank.host, back.name, back.host) == ("tank", "nas", "back", "nas")
    assert (tank.values["commands"], back.values["commands"]) == (3, 2)
    assert back.values["internal_records"] == 1
    assert (tank.values["first"], tank.values["last"]) == (
        "2024-01-05 10:11:12", "2024-03-05 10:12:00",
    )  # fmt: skip
    assert str(tank.values["last_commands"]).endswith("zpool scrub tank']")


def test_a_command_that_was_folded() -> None:
    disks = " ".join(f"/dev/disk/by-id/ata-DISK_{number}" for number in range(4))
    text = (
        f"History for 'tank':\n2024-01-05.10:11:12 zpool create tank raidz2 {disks}\n"
        "/dev/disk/by-id/ata-DISK_9\n2024-01-05.10:12:00 zpool scrub tank\n"
    )
    (tank,) = counted(text, "zpool history")
    assert tank.values["last_commands"] == [
        f"2024-01-05 10:11:12 zpool create tank raidz2 {disks} /dev/disk/by-id/ata-DISK_9",
        "2024-01-05 10:12:00 zpool scrub tank",
    ]


def test_events_by_their_class() -> None:
    (events,) = counted(EVENTS, "zpool events")
    assert events.host == "nas"
    assert events.values == {
        "sysevent.fs.zfs.config_sync": 1, "ereport.fs.zfs.checksum": 2,
        "first": "2024-03-05 10:11:12", "last": "2024-03-15 10:11:14",
    }  # fmt: skip
    (scripted,) = counted(
        EVENTS.replace("TIME                           CLASS\n", "").replace(
            " ereport", "\tereport"
        ),
        "zpool events",
    )
    assert scripted.values == events.values


def test_what_an_event_is_about() -> None:
    (events,) = counted(VERBOSE, "zpool events")
    assert (events.name, events.values["vdev_paths"]) == ("tank", ["/dev/sdb1"])
    assert (events.values["errors"], events.values["ereport.fs.zfs.io"]) == (["0x5"], 1)


def test_torn_copies_count_no_more() -> None:
    for shape, text in mangled(HISTORY, wraps=False):
        assert all(
            int(str(each.values["commands"])) <= 3 for each in counted(text, "zpool history")
        ), shape


@pytest.mark.parametrize(
    "text",
    ["History for 'tank': it was made in 2019.\n", "I saw an ereport.fs.zfs.checksum at 10:11.\n"],
)
def test_what_looks_alike(text: str) -> None:
    assert all(each.tool not in {"zpool history", "zpool events"} for each in read(text))
