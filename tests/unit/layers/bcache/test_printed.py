"""bcache by its files in sysfs, by bcache-super-show and by bcache-status."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import PrintedCounters, PrintedSubject
from tests.mangle import counters, mangled, subjects_in, unread_in

PLACE = Path(__file__).parents[3] / "outputs" / "bcache-6.1"
DEVICE = (PLACE / "device.txt").read_text()
TOTAL = (PLACE / "stats_total.txt").read_text()
CACHE = (PLACE / "cache.txt").read_text()
RELATIVE = (PLACE / "relative.txt").read_text()
HEADS = (PLACE / "tail.txt").read_text()
SUPER_CACHE = (PLACE / "super-cache.txt").read_text()
SUPER_BACKING = (PLACE / "super-backing.txt").read_text()
STATUS = (PLACE / "status.txt").read_text()
SET = "4819e76f-7db5-47ca-a8e2-54cbae45125a"
COUNTS = {
    "cache_hits": 2129, "cache_misses": 2320, "cache_hit_ratio": 47, "cache_bypass_hits": 3,
    "cache_bypass_misses": 1008, "cache_miss_collisions": 0, "bypassed": round(13.7 * 2**20),
}  # fmt: skip


def subjects(text: str) -> dict[str, PrintedSubject]:
    return {subject.name: subject for subject in subjects_in(text)}


def counted(text: str) -> dict[str, PrintedCounters]:
    return {counter.name: counter for counter in counters(text)}


def test_settings_and_state_of_a_device() -> None:
    (subject,) = subjects(DEVICE).values()
    assert (subject.kind, subject.name) == ("bcache", "bcache0")
    assert subject.values == {
        "state": "dirty", "mode": "writeback", "dirty": 13 * 2**19, "backing_device": "ubdk",
        "sequential_cutoff": 4 << 20, "stripe_size": 1 << 40, "readahead_cache_policy": "all",
        "io_errors": 0, "writeback_delay": 30, "writeback_percent": 10, "writeback_running": True,
            "running": True,
        "writeback_metadata": True, "partial_stripes_expensive": False, "writeback_rate": 4096,
        "writeback_target": 60 << 20, "writeback_proportional": -round(1.3 * 2**20),
        "writeback_integral": 0, "writeback_change": 0, "writeback_next_io": -22.57,
    }  # fmt: skip


def test_counters_since_registration_and_of_a_while() -> None:
    assert counted(TOTAL)["bcache0"].values == COUNTS
    beside = counted(RELATIVE)[""].values
    assert {name: value for name, value in beside.items() if name in COUNTS} == COUNTS
    while_ = beside["stats_five_minute"]
    assert isinstance(while_, dict)
    assert while_["cache_hits"] == 2062


def test_the_same_by_head_and_by_grep() -> None:
    assert counted(HEADS) == counted(TOTAL)


def test_the_cache_itself() -> None:
    printed_subjects = subjects(CACHE)
    assert printed_subjects["bcache0"].values["bucket_size"] == 512 << 10
    assert printed_subjects["bcache0"].values["available_share"] == 0.97
    values = printed_subjects[SET].values
    assert (values["dirty_share"], values["unused_share"]) == (0.01, 0.96)
    assert values["cache_replacement_policy"] == "lru"
    assert values["written"] == round(15.5 * 2**20)


def test_one_file_by_cat() -> None:
    text = (
        "root@db1:~# cat /sys/block/bcache0/bcache/cache_mode\n"
        "writethrough [writeback] writearound none\n"
        "root@db1:~# cat /sys/block/bcache0/bcache/stats_total/cache_hits\n12345\n"
        "root@db1:~# cat /sys/block/bcache0/bcache/detach\n"
        "root@db1:~# echo 0 > /sys/block/bcache0/bcache/sequential_cutoff\n"
    )
    assert subjects(text)["bcache0"].values["mode"] == "writeback"
    (counter,) = counters(text)
    assert (counter.host, counter.values) == ("db1", {"cache_hits": 12345})


def test_superblocks() -> None:
    text = f"# bcache-super-show /dev/ubdj\n{SUPER_CACHE}"
    assert subjects(text)["ubdj"].values == {
        "role": "cache", "block_size": 4096, "bucket_size": 512 << 10,
        "cache_size": 1227776 * 512, "cache_replacement_policy": "lru", "discard": False,
        "uuid": "6020542e-09cc-4295-8aa4-40637e91fbdd", "set_uuid": SET, "sb_magic": "ok",
        "sb_first_sector": "8 [match]", "sb_csum": "67EC37681E4399A7 [match]",
        "dev_cache_first_sector": 1024, "dev_cache_total_sectors": 1024 + 1227776,
        "dev_cache_ordered": "yes", "dev_cache_pos": 0, "sb_version": "3 [cache device]",
        "dev_cache_replacement": "0 [lru]",
    }  # fmt: skip
    (backing,) = subjects(SUPER_BACKING).values()
    assert (backing.values["role"], backing.values["mode"]) == ("backing", "writeback")
    assert (backing.values["state"], backing.values["data_offset"]) == ("dirty", 8192)


def test_the_status_of_set_device_and_cache() -> None:
    printed_subjects = subjects(STATUS)
    assert set(printed_subjects) == {SET, "bcache0", "ubdj"}
    assert printed_subjects[SET].values["available_share"] == 0.97
    assert printed_subjects["bcache0"].values["sequential_cutoff"] == 4 << 20
    assert printed_subjects["bcache0"].values["state"] == "dirty"
    assert printed_subjects["ubdj"].values["discard"] is False
    expected = {name: COUNTS[name] for name in COUNTS if name in counted(STATUS)[SET].values}
    assert len(expected) == 6
    expected["cache_bypass_hit_ratio"] = 0  # the kernel has no such file
    assert counted(STATUS)[SET].values == counted(STATUS)["bcache0"].values == expected


def test_the_status_of_a_later_version() -> None:
    text = (
        "--- bcache ---\n"
        "Device                      ? (?)\n"
        "UUID                        6f1c2a9e-3b5d-4d7e-8a90-1b2c3d4e5f60\n"
        "Block Size                  0.50KiB\n"
        "Congested?                  False\n"
        "Total Cache Size            64.00GiB\n"
        "Total Cache Used            16.00GiB\t(25%)\n"
        "Total Cache Unused          48.00GiB\t(75%)\n"
        "Dirty Data                  0.50KiB\t(0%)\n"
        "Cache Mode                  (Unknown)\n"
        "Total Bypassed              0B\n"
    )
    (part,) = subjects(text).values()
    assert part.name == "6f1c2a9e-3b5d-4d7e-8a90-1b2c3d4e5f60"
    values = part.values
    assert values["block_size"] == values["dirty"] == 512
    assert values["cache_size"] == 64 << 30
    assert (values["cache_used"], values["cache_unused"]) == (16 << 30, 48 << 30)
    assert (values["unused_share"], values["congested"]) == (0.75, False)
    assert "mode" not in values


@pytest.mark.parametrize(
    "text",
    [DEVICE, TOTAL, CACHE, RELATIVE, HEADS, SUPER_CACHE, SUPER_BACKING, STATUS],
    ids=["device", "total", "cache", "relative", "heads", "super", "backing", "status"],
)
def test_in_whatever_shape(text: str) -> None:
    expected = {subject.name: subject.values for subject in subjects(text).values()}
    counts = [counter.values for counter in counters(text)]
    assert expected or counts
    for name, shape in mangled(text):
        values_by_name = {subject.name: subject.values for subject in subjects(shape).values()}
        assert values_by_name == expected, name
        assert [counter.values for counter in counters(shape)] == counts, name


def test_prose_and_commands_are_none() -> None:
    text = (
        "Look at /sys/block/bcache0/bcache/stats_total/ and at /sys/fs/bcache/ for more.\n"
        "echo writeback > /sys/block/bcache0/bcache/cache_mode\n\ncset.uuid of it\n"
    )
    assert [subject for subject in subjects_in(text) if subject.kind == "bcache"] == []
    assert not unread_in(text)


def test_a_path_that_a_mail_broke_behind_cat() -> None:
    place = "/sys/fs/bcache/9820f407-457a-46e3-abc0-f2214d39b64c/bdev0/stats_total"
    text = (
        f"> root@db1:~# cat\n> {place}/bypassed\n> 2.8G\n"
        f"> root@db1:~# cat\n> {place}/cache_hits\n> 233\n"
    )
    counted = {name: value for row in counters(text) for name, value in row.values.items()}
    assert 233 in counted.values()
    whole = {
        name: value
        for row in counters(text.replace("cat\n> /", "cat /"))
        for name, value in row.values.items()
    }
    assert counted == whole
    assert not counters(f"the file\n{place}/cache_hits\n233\n")


STATUS_2 = """$ bcache-status -s
--- bcache ---
Device                      /dev/bcache0 (252:0)
UUID                        c9cd8259-3cee-42ff-a8ec-e11193c09b7e
Total Cache Size            200.00GiB
Total Cache Used            10.00GiB     (5%)
Total Cache Unused          190.00GiB   (95%)
Dirty Data                  2.00GiB     (1%)
Total Hits                  186    (93%)
Total Misses                14
"""


def test_shares_in_brackets_and_a_device_that_is_not_known() -> None:
    (subject,) = subjects(STATUS_2).values()
    values = subject.values
    size = int(str(values["cache_size"]))
    assert values["used_share"] == int(str(values["cache_used"])) / size
    assert values["dirty_share"] == int(str(values["dirty"])) / size
    assert (values["device"], values["device_number"]) == ("bcache0", "252:0")
    (count,) = counters(STATUS_2)
    assert count.values["cache_hit_ratio"] == 100 * 186 // (186 + 14)
    (unknown,) = subjects(STATUS_2.replace("/dev/bcache0 (252:0)", "? (?)")).values()
    assert "device" not in unknown.values


def test_the_rate_of_writeback_by_cat() -> None:
    text = (
        "# cat /sys/block/bcache0/bcache/writeback_rate_debug\nrate:\t\t4.0k/sec\ndirty:\t\t1.5G\n"
        "target:\t\t10.0G\nproportional:\t-224.0M\nintegral:\t0.0k\nchange:\t\t-1.0k/sec\n"
        "next io:\t1234ms\nThe rate: 9.0k/sec is low.\n"
    )
    assert dict(subjects(text)["bcache0"].values) == {
        "writeback_rate": 4096, "dirty": 3 << 29, "writeback_target": 10 << 30,
        "writeback_proportional": -224 << 20, "writeback_integral": 0, "writeback_change": -1024,
        "writeback_next_io": 1.234,
    }  # fmt: skip


def test_sentences_below_a_status_are_none_of_it() -> None:
    sentences = (
        "State of the device is dirty, I think.",
        "Size 20 does not look right to me.",
        "As you can see, the State is inconsistent and Cache Unused 12 GiB.",
    )
    for gap in ("", "\n"):
        for said in sentences:
            text = f"$ bcache-status\n{STATUS}{gap}{said}\nReadahead did not help.\n"
            assert subjects(text) == subjects(f"$ bcache-status\n{STATUS}"), said


def test_a_message_without_a_time_that_a_mail_broke_where_no_word_had_place() -> None:
    text = (
        "the device disappears afterwards logging:\n\n"
        "bcache: bch_cached_dev_error() stop bcache0: too many IO errors on\n"
        "backing device md0\n\nto the kernel log.\n"
    )
    (stopped,) = counters(text, "kernel log")
    assert (stopped.name, stopped.values["stopped_devices"]) == ("bcache0", 1)
    assert stopped.values["others"] == ["md0"]
    early = text.replace("bch_cached_dev_error() stop bcache0: ", "")  # nobody broke it there
    assert not counters(early, "kernel log")
