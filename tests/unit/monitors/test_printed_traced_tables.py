"""cachestat, dcstat, vfsstat, biopattern, biolatpcts, writeback, biotop, cachetop, filetop.

Oracle: shares that follow from the counts beside them.
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from iosonde.records.printed import Unread
from tests.mangle import counters, mangled, read

OUTPUTS = Path(__file__).parents[2] / "outputs" / "tracers-composed"
RATES, DISKS, TOPS = ((OUTPUTS / f"{name}.txt").read_text() for name in ("rates", "disks", "tops"))


def _figures(values: object) -> list[float]:
    return cast("list[float]", values)


def test_hits_of_the_page_cache() -> None:
    bcc, perf_tools, *_ = counters(RATES)
    for row in (bcc, perf_tools):
        pages = zip(*(_figures(row.values[name]) for name in ("hits", "misses")), strict=True)
        for (hits, misses), ratio in zip(pages, _figures(row.values["hit_ratio"]), strict=True):
            assert (ratio or 0) == pytest.approx(hits / max(hits + misses, 1))
    assert bcc.values["page_cache"] == [2 * 2**30, 2**30 * 2 + 2**20, 2**30 * 2 + 2**20]
    assert (bcc.values["interval"], perf_tools.values["interval"]) == (10, 1)
    assert perf_tools.values["hit_ratio"] == [0.75, None]
    assert perf_tools.values["time"] == ["07:01:02", "07:01:03"]


def test_rates_of_directory_cache_and_vfs() -> None:
    _, _, names, calls = counters(RATES)
    refs, misses = _figures(names.values["refs/s"]), _figures(names.values["miss/s"])
    assert names.values["hit_ratio"] == [1 - misses[0] / refs[0], None]
    assert names.values["time"] == ["15:16:17", "15:16:18"]
    assert calls.values["fsync/s"] == [11, 12]
    assert [calls.values[f"{name}/s"] for name in ("create", "unlink", "mkdir", "rmdir")] == [
        [3, 4], [2, 5], [1, 6], [0, 7],
    ]  # fmt: skip


def test_patterns_of_each_disk() -> None:
    sde, nvme, *_ = counters(DISKS)
    assert [(row.kind, row.name) for row in (sde, nvme)] == [("disk", "sde"), ("disk", "nvme2n1")]
    shares = zip(_figures(sde.values["random"]), _figures(sde.values["sequential"]), strict=True)
    assert [sum(pair) for pair in shares] == [1, 1]
    assert sde.values["bytes"] == [6400 * 1024, 25 * 2**20]
    assert (nvme.values["requests"], nvme.values["time"]) == ([10], ["20:00:01"])


def test_percentiles_are_in_seconds() -> None:
    table, fields = counters(DISKS, "biolatpcts")
    assert (table.name, fields.name) == ("sde", "sdf")
    assert table.values == {
        "read.latency_percentiles": {"50": 455e-6, "99.9": 9.5e-3, "100": 15e-3},
        "write.latency_percentiles": {"50": 1.5e-3, "99.9": 0.25, "100": 1.2},
        "discard.latency_percentiles": {"50": None, "99.9": None, "100": None},
        "flush.latency_percentiles": {"50": 25e-6, "99.9": 3.5e-3, "100": 3.5e-3},
    }
    assert fields.values["write.latency_percentiles"] == {"50": 15e-6, "100": 0.25}
    assert fields.values["flush.latency_percentiles"] == {"50": None, "100": None}


def test_writeback_by_device_and_reason() -> None:
    disk, btrfs = counters(DISKS, "writeback")
    assert [(row.kind, row.name) for row in (disk, btrfs)] == [("disk", "8:64"), ("bdi", "btrfs-1")]
    assert disk.values["background.latencies"] == [1.2505]
    assert disk.values["unknown.latencies"] == [0.003]
    assert disk.values["periodic.times"] == ["04:05:09"]
    assert btrfs.values["sync.writebacks"] == 1
    assert not any("pages" in name for name in disk.values)


def test_processes_by_disk() -> None:
    sde, other, *_ = counters(TOPS)
    assert (sde.name, other.name) == ("sde", "259:3")
    reader, writer = cast("list[dict[str, object]]", sde.values["processes"])
    assert (reader["process"], reader["way"], reader["bytes"]) == ("tar cvf", "read", 32 * 2**20)
    assert (writer["requests"], writer["latency"]) == (12, 0.0125)
    (old,) = cast("list[dict[str, object]]", other.values["processes"])
    assert old["bytes"] == 512


def test_processes_by_page_and_file() -> None:
    *_, load, pages, files = counters(TOPS)
    assert (load.values["time"], load.values["load_average"]) == ("21:22:23", [1.5, 1.25, 1])
    assert files.values["load_average"] == [0.5, 0.4, 0.3]
    assert (pages.values["buffers"], pages.values["page_cache"]) == (32 * 2**20, 900 * 2**20)
    browser, copy = cast("list[dict[str, float]]", pages.values["processes"])
    assert str(browser["process"]) == "Web Content"
    assert browser["write_hit_ratio"] == 0.05
    assert copy["read_hit_ratio"] == copy["hits"] / (copy["hits"] + copy["misses"])
    table, socket = cast("list[dict[str, object]]", files.values["files"])
    assert (table["file"], table["type"], table["write.bytes"]) == ("ibdata 1", "regular", 327680)
    assert (socket["type"], socket["read.operations"]) == ("socket", 3)


@pytest.mark.parametrize("text", [
    *(f"#{part}" for whole in (RATES, DISKS, TOPS) for part in f"\n{whole}".split("\n#")[1:])
])  # fmt: skip
def test_every_shape(text: str) -> None:
    expected = [(row.name, dict(row.values)) for row in counters(text)]
    assert expected
    for shape, changed in mangled(text.rstrip(), wraps=False):
        assert [(row.name, dict(row.values)) for row in counters(changed)] == expected, shape


def test_a_table_without_its_command_says_no_interval() -> None:
    (row,) = counters(RATES.split("\n\n")[0].partition("\n")[2])
    assert row.values["hits"] == [300, 0, 45]
    assert "interval" not in row.values


@pytest.mark.parametrize("head", [
    "    HITS   MISSES  DIRTIES HITRATIO   BUFFERS_MB  CACHED_MB\n",
    "TIME      DISK     %RND  %SEQ    COUNT     KBYTES\nnone today\n",
    "TID     COMM             READS  WRITES R_Kb    W_Kb    T FILE\n",
    "TIME      DEVICE   PAGES    REASON           ms\n",
])  # fmt: skip
def test_a_head_alone_is_unread(head: str) -> None:
    (entry,) = read(head)
    assert isinstance(entry, Unread)


@pytest.mark.parametrize("text", [
    "The columns %RND and %SEQ of biopattern are shares.\n",
    "discard   off\n",
    "sde  50  99\nread  5us 6us\ndiscard 5us\n",
    '{"read": {"50": "fast"}, "write": {}, "discard": {}, "flush": {}}\n',
    '{"read": {"iops": 5.0}, "write": {"iops": 6.0}}\n',
    "HITS MISSES DIRTIES EVICTIONS BUFFERS_MB\n1 2 3 4 5\n",
])  # fmt: skip
def test_prose_and_other_tables(text: str) -> None:
    assert counters(text) == []


def test_a_histogram_is_of_what_the_line_above_names() -> None:
    rows = (
        "     Kbytes              : count     distribution\n"
        "         4 -> 7          : 6        |***|\n"
    )
    first, second, third = counters(
        f"Process Name = 'dd'\n{rows}\nBucket ptr = 7\n{rows}\nThese are all of them:\n\n{rows}"
    )
    assert first.values["of"] == "Process Name = 'dd'"
    assert second.values["of"] == "Bucket ptr = 7"
    assert "of" not in third.values
