"""How `tools/corpus.py` judges an import against what was written down by reading."""

from __future__ import annotations

from typing import Any

import pytest

from tools.corpus import TRUTHS, is_held_back, judged

OUTPUT: dict[str, Any] = {
    "tool": "fio", "line": 10, "last": 20,
    "figures": [
        {"name": "read.iops", "value": 81_200, "step": 50},
        {"name": "scheduler", "value": "mq-deadline", "step": 0},
    ],
}  # fmt: skip


def _record(first: int, last: int, iops: float, scheduler: str = "[mq-deadline] none") -> Any:
    return {
        "tool": "fio", "source": {"first_line": first, "last_line": last},
        "metrics": {"read.iops": {"mean": iops, "median": iops, "loops": [iops]}},
        "details": {"queue": {"scheduler": scheduler}},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("imported", "outcome"),
    [
        ({"trials": [_record(9, 20, 81_249.0)]}, "right"),
        ({"trials": [_record(12, 14, 81_151.0)]}, "right"),
        ({"trials": [_record(9, 20, 81_300.0)]}, "wrong"),
        ({"trials": [_record(9, 20, 81_200.0, "none")]}, "partly"),
        ({"trials": [_record(1, 9, 81_200.0)]}, "lost"),
        ({"trials": [_record(30, 40, 81_200.0)]}, "lost"),
        ({"trials": [_record(9, 13, 999.0), _record(14, 20, 81_200.0)]}, "right"),
        ({"unread": [{"source": {"first_line": 11, "last_line": 12}, "reason": "cut"}]}, "unread"),
        ({}, "lost"),
    ],
)
def test_an_output_is_judged_by_its_lines_and_figures(imported: Any, outcome: str) -> None:
    assert judged("0a1b2c3d4e5f", OUTPUT, 10, 20, 30, imported).outcome == outcome


def test_a_record_that_begins_with_the_next_output_is_not_this_one_s() -> None:
    imported = {"trials": [_record(18, 30, 81_200.0)]}
    assert judged("0a1b2c3d4e5f", OUTPUT, 10, 20, 18, imported).outcome == "lost"
    assert judged("0a1b2c3d4e5f", OUTPUT, 10, 20, 19, imported).outcome == "right"


def _state(values: Any) -> Any:
    subject = {"kind": "ext4", "name": "/srv", "values": values}
    return {"captures": [{"tool": "t", "source": {"first_line": 1, "last_line": 9},
                          "subjects": [subject]}]}  # fmt: skip


@pytest.mark.parametrize(
    ("truth", "values", "outcome"),
    [
        ("rw,relatime,stripe=128", {"rw": True, "relatime": True, "stripe": "128"}, "right"),
        ("rw,relatime,stripe=128", {"rw": True, "relatime": True, "stripe": "64"}, "partly"),
        ("compress=zstd:9,rw", {"compress": "zstd:9", "rw": True}, "right"),
        ("compress=zstd:9,rw", {"compress": "zstd:3", "rw": True}, "partly"),
        ("role:Primary", {"peer_role": "Primary"}, "right"),
        ("role:Primary", {"disk_state": "Primary"}, "partly"),
        ("crc=0", {"crc": False}, "right"),
        ("crc=1", {"crc": False}, "partly"),
        ("(558.9 GB, RAID 1, OK)",
         {"size": 600114305434, "level": "raid1", "state": "optimal"}, "right"),
        ("(558.9 GB, RAID 5, OK)",
         {"size": 600114305434, "level": "raid1", "state": "optimal"}, "partly"),
        ("off", {"compression": False}, "right"),
        ("off", {"compression": True}, "partly"),
        ("4096 sectors", {"offset": 2097152}, "right"),
        ("1.00x", {"dedup": 1.0}, "right"),
        ("0x04", {"warning": 4}, "right"),
        ("512K chunks", {"chunk": 524288}, "right"),
        ("UpToDate/Inconsistent", {"a": "UpToDate", "b": "Inconsistent"}, "right"),
        (1582212, {"free": 1582212 * 4096, "block_size": 4096}, "right"),
        (1582212, {"free": 1582212 * 2048, "block_size": 4096}, "partly"),
        (256, {"read_ahead_kb": 128}, "right"),
        (1024000, {"dev.raid.speed_limit_min": 1000}, "right"),
        (1024000, {"dev.raid.speed_other": 1000}, "partly"),
        ("5.1min", {"left": 306.0}, "right"),
        ("5.1min", {"left": 316.0}, "partly"),
        ("0:13:04", {"time": 784}, "right"),
        ("0m6.804s", {"real": 6.804}, "right"),
        ("12 Hours 54 Minutes", {"left": 46440}, "right"),
        ("12 Hours 54 Minutes", {"left": 43200}, "partly"),
        ("93.6%", {"used": 0.936}, "right"),
        ("93.6%", {"used": 0.937}, "partly"),
        ("v4.4-13-ge0df6c4c", {"mdadm": "4.4-13-ge0df6c4c"}, "right"),
        ("v4.4", {"mdadm": "4.4.1"}, "partly"),
        ("pid 1184 is running", {"said": "pid  1184 is running..."}, "right"),
        ("1 up", {"osds_up": 1}, "right"),
        ("1 up", {"osds_in": 1, "osds_up": 0}, "partly"),
        ("3 daemons, quorum a,b,c", {"monitors": 3, "quorum": "a,b,c"}, "right"),
        (2, {"errors": 1024}, "partly"),
    ],
)  # fmt: skip
def test_what_is_said_in_another_unit_or_part_by_part(
    truth: Any, values: Any, outcome: str
) -> None:
    output = {"tool": "t", "line": 1, "last": 9, "figures": [{"name": "x", "value": truth}]}
    assert judged("0a1b2c3d4e5f", output, 1, 9, 30, _state(values)).outcome == outcome


def _outcome(subject: str, values: Any, value: str, name: str = "x") -> str:
    """Of a figure that was written down, of a state of one thing."""
    state = _state(values)
    state["captures"][0]["subjects"][0]["name"] = subject
    output = {"tool": "t", "line": 1, "last": 9, "figures": [{"name": name, "value": value}]}
    return judged("0a1b2c3d4e5f", output, 1, 9, 30, state).outcome


@pytest.mark.parametrize(
    ("truth", "name", "values", "other"),
    [
        ("Disk /dev/sdb doesn't contain a valid partition table", "sdb",
         {"message": "doesn't contain a valid partition table"}, {"message": "is full"}),
        ("Created a new partition 2 of type 'Linux' and of size 50 GiB.", "sdb2",
         {"type": "Linux", "size": 50 << 30}, {"type": "Linux", "size": 5 << 30}),
        ("Partition /dev/sdb1 is being used. Are you sure you want to continue?", "sdb1",
         {"in_use": True}, {"in_use": False}),
        ("recovering journal", "md0", {"journal_recovered": True}, {"journal_recovered": False}),
        ("osdmap e3: 12 osds: 8 up, 12 in", "osdmap",
         {"epoch": 3, "osds": 12, "osds_up": 8, "osds_in": 12},
         {"epoch": 3, "osds": 12, "osds_up": 12, "osds_in": 12}),
        ("75 active+clean", "pgmap", {"pgs_active+clean": 75}, {"pgs_peering": 75}),
        ("prio=10 status=enabled", "m", {"group_priorities": "50, 10",
         "group_states": "active, enabled"}, {"group_priorities": "10, 50",
         "group_states": "active, enabled"}),
        ("System, DUP", "", {"system_profile": "dup"}, {"data_profile": "dup"}),
        ("0:29:47", "", {"scrub_time": 1787}, {"scrub_time": 1847}),
        ("tcp: [1]", "", {"transport": "tcp", "session": 1}, {"transport": "tcp", "session": 2}),
    ],
)  # fmt: skip
def test_a_message_is_said_by_values_of_one_thing(
    truth: str, name: str, values: Any, other: Any
) -> None:
    assert _outcome(name, values, truth) == "right"
    assert _outcome(name, other, truth) == "partly"
    if "/dev/" in truth:
        assert _outcome("sdz", values, truth) == "partly"


def test_a_column_that_is_true_is_a_state() -> None:
    assert _outcome("c", {"state": "online"}, "true", "Is Online") == "right"
    assert _outcome("c", {"state": "offline"}, "true", "Is Online") == "partly"


def test_no_document_is_there_twice() -> None:
    """Found by their lines alone: the parser of YAML takes a quarter of a minute."""
    ids = [
        line
        for file in sorted(TRUTHS.glob("*.yaml"))
        for line in file.read_text().splitlines()
        if line.startswith("id:")
    ]
    assert len(ids) > 800
    assert len(set(ids)) == len(ids)


def test_a_third_is_held_back_until_it_was_opened() -> None:
    keys = [f"{number:012x}" for number in range(30)]
    held = [key for key in keys if is_held_back({"key": key})]
    assert len(held) == 10
    assert not any(is_held_back({"key": key, "opened": "2026-11"}) for key in held)
