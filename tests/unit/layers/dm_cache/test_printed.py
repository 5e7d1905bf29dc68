"""dm-cache in `dmsetup table` and `dmsetup status`."""

from __future__ import annotations

from pathlib import Path

from iosonde.records.printed import PrintedCounters, PrintedSubject
from tests.mangle import counters, states

REAL = Path(__file__).parents[3] / "outputs" / "dmsetup-1.02.185"
TABLE = (REAL / "table.txt").read_text()
STATUS = (REAL / "status.txt").read_text()


def subject(text: str) -> PrintedSubject:
    (printed_subject,) = [
        each for state in states(text) for each in state.subjects if each.name == "cached"
    ]
    return printed_subject


def test_what_a_table_says() -> None:
    assert subject(TABLE).kind == "dm_cache"
    assert subject(TABLE).values == {
        "block_size": 64 << 10, "mode": "writeback", "policy": "smq", "size": 102400000,
        "metadata_device": "254:2", "cache_device": "254:1", "origin_device": "254:0",
        "lines": "0 200000 cache 254:2 254:1 254:0 128 1 writeback smq 0",
    }  # fmt: skip


def test_what_a_status_says_and_counts() -> None:
    assert subject(STATUS).values == {
        "block_size": 64 << 10, "mode": "writeback", "policy": "smq", "dirty_blocks": 0,
        "metadata_used_share": 8 / 1024, "migration_threshold": 1 << 20, "cache_blocks": 512,
        "used_share": 1.0, "dirty_share": 0.0, "size": 102400000,
        "lines": "0 200000 cache 8 8/1024 128 512/512 6006 3194 3005 1595 0 512 0 2 writeback "
                 "no_discard_passdown 2 migration_threshold 2048 smq 0 rw -",
    }  # fmt: skip
    (counted,) = [counter for counter in counters(STATUS) if counter.name == "cached"]
    assert counted == PrintedCounters(
        "dm-cache", "dm_cache", "cached",
        {"read_hits": 6006, "read_misses": 3194, "write_hits": 3005, "write_misses": 1595,
         "demotions": 0, "promotions": 512},
    )  # fmt: skip


def test_one_device_is_named_by_its_command() -> None:
    line = STATUS.split("\n")[0].partition(": ")[2]
    text = f"[root@db1 ~]# dmsetup status --target cache /dev/mapper/cached\n{line}\n"
    assert subject(text).host == ""
    (counter,) = counters(text)
    assert (counter.name, counter.host, counter.values["promotions"]) == ("cached", "db1", 512)
