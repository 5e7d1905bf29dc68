"""Tracers of calls, their counts, and of locks, stacks and read-ahead.

Oracle: sums and means that agree with the rows.
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from iosonde.records.printed import PrintedCounters, Unread
from tests.mangle import counters, mangled, read

OUTPUTS = Path(__file__).parents[2] / "outputs" / "tracers-composed"
CALLS, COUNTS, HISTOGRAMS = (
    (OUTPUTS / f"{name}.txt").read_text() for name in ("calls", "counts", "histograms")
)


def _of(text: str, tool: str) -> list[PrintedCounters]:
    return counters(text, tool)


def _rows(row: PrintedCounters, name: str) -> list[dict[str, object]]:
    return cast("list[dict[str, object]]", row.values[name])


def test_who_syncs() -> None:
    bcc, bpftrace = _of(CALLS, "syncsnoop")
    assert bcc.values["calls"] == {"fdatasync": 2, "fsync": 1}
    assert _rows(bcc, "processes")[0] == {"process": "etcd server", "calls": 2}
    assert [event["time"] for event in _rows(bcc, "events")] == [5000.000001, 5000.25, 5001]
    assert bpftrace.values["calls"] == {"sync": 1, "sync_file_range": 1}
    assert _rows(bpftrace, "events")[1]["pid"] == 4101


def test_flushes_of_each_array() -> None:
    five, six = _of(CALLS, "mdflush")
    assert [(row.kind, row.name, row.values["flushes"]) for row in (five, six)] == [
        ("md", "md5", 2), ("md", "md6", 1),
    ]  # fmt: skip
    assert _rows(five, "processes") == [{"process": "kworker/0:1H", "pid": 501, "flushes": 2}]


def test_paths_that_were_opened_or_not_there() -> None:
    opened, stated = _of(CALLS, "opensnoop")
    assert (opened.values["call"], stated.values["call"]) == ("open", "stat")
    assert opened.values["errors"] == {"errno 2": 1, "errno 24": 1}
    assert [event["path"] for event in _rows(opened, "failed")] == [
        "/srv/www/a b.html", "/srv/www/c.html",
    ]  # fmt: skip
    assert opened.values["paths"] == ["/etc/crontab"]
    assert stated.values["calls"] == 2
    assert stated.values["paths"] == ["/usr/bin/fio"]


def test_names_that_the_directory_cache_lacked() -> None:
    (row,) = _of(CALLS, "dcsnoop")
    assert (row.values["lookups"], row.values["misses"]) == (1, 2)
    assert row.values["missed_files"] == ["share/new name"]
    only_missed = CALLS.replace("0.000100    4400   find             R usr/share\n", "")
    (row,) = _of(only_missed, "dcsnoop")
    assert "lookups" not in row.values


def test_files_that_lived_shortly_and_mounts() -> None:
    (files,), (mounts,) = _of(CALLS, "filelife"), _of(CALLS, "mountsnoop")
    assert files.values["ages"] == [0.25, 90]
    assert _rows(files, "events")[1]["file"] == "#sql-temp 1.ibd"
    refused, done = _rows(mounts, "events")
    assert (refused["result"], done["result"]) == ("-EACCES", "0")
    assert refused["call"] == 'mount("nas:/vol", "/mnt/vol", "nfs", 0x0, "vers=4.2")'


def test_counts_of_each_interval_and_of_functions_with_one_name() -> None:
    first, second, vfs, calls, processes = _of(COUNTS, "funccount")
    assert first.values["counts"] == {"bio_init": 5, "bio_put": 12 + 3}
    assert second.values["counts"] == {"bio_init": 7}
    assert vfs.values["counts"] == {"vfs_rename": 4, "vfs_read": 90210}
    assert calls.values["counts"] == {"pread64": 40, "[unknown: 425]": 2}
    assert calls.values["seconds"] == {"pread64": 0.0800005, "[unknown: 425]": 1e-4}
    assert _rows(processes, "processes") == [
        {"pid": 5100, "process": "io worker", "count": 250, "seconds": 0.50025}
    ]


def test_waits_for_locks_are_in_seconds() -> None:
    waited, held, libbpf = _of(COUNTS, "klockstat")
    for row, name in ((waited, "waited"), (held, "held"), (libbpf, "waited")):
        (lock,) = cast("list[dict[str, float]]", row.values[name])
        assert lock["total"] == pytest.approx(lock["mean"] * lock["count"])
        assert lock["mean"] < lock["max"] < lock["total"]
    assert _rows(waited, "waited")[0]["max"] == 4e-6
    assert _rows(libbpf, "waited")[0]["max"] == 2.5e-3


def test_waits_for_a_processor() -> None:
    (row,) = _of(COUNTS, "runqslower")
    assert (row.values["threshold"], row.values["latencies"]) == (0.005, [0.0125, 0.006])
    assert _rows(row, "slowest")[1]["process"] == "kworker/1:1H"


def test_maps_of_bpftrace() -> None:
    stat, own = _of(COUNTS, "bpftrace")
    assert stat.values["maps"] == [
        {"time": "14:15:16", "vfs_open": 8, "vfs_read": 1600},
        {"time": "14:15:17", "vfs_read": 1700},
    ]
    assert own.values["maps"] == [{"io[dd, 8388624]": 410, "io[jbd2/sdb1-8, 8388624]": 3}]


def test_pages_of_read_ahead() -> None:
    bcc, libbpf, *_ = counters(HISTOGRAMS)
    assert bcc.values["age_distribution"] == [[0, 1e-3, 40], [2e-3, 3e-3, 10]]
    assert (bcc.values["used_pages"], bcc.values["unused_pages"]) == (50, 77)
    used, unused = (cast("int", libbpf.values[name]) for name in ("used_pages", "unused_pages"))
    assert libbpf.values["total_pages"] == used + unused
    assert not any("requests" in row.values for row in (bcc, libbpf))


def test_sizes_end_where_the_next_begins() -> None:
    (row,) = _of(HISTOGRAMS, "bitesize")
    assert row.values["size_distribution"] == [
        [0, 4096, 5], [4096, 32768, 90], [32768, None, 7],
    ]  # fmt: skip
    assert row.values["requests"] == 102


def test_latencies_below_a_stack() -> None:
    row = counters(HISTOGRAMS)[-1]
    assert row.values["latency_distribution"] == [
        [pytest.approx(128e-6), pytest.approx(256e-6), 3],
        [pytest.approx(256e-6), pytest.approx(512e-6), 13],
    ]
    stack = cast("list[str]", row.values["stack"])
    assert (stack[0], stack[-1], len(stack)) == ("blk_account_io_start+1", "kjournald2+166", 4)


@pytest.mark.parametrize("part", [
    part for whole in (CALLS, COUNTS, HISTOGRAMS) for part in f"\n{whole}".split("\n# ")[1:]
])  # fmt: skip
def test_every_shape(part: str) -> None:
    text = f"# {part}".rstrip()
    expected = [(row.tool, row.name, dict(row.values)) for row in counters(text)]
    assert expected
    for shape, changed in mangled(text, wraps=False):
        rows = [(row.tool, row.name, dict(row.values)) for row in counters(changed)]
        assert rows == expected, shape


@pytest.mark.parametrize("head", [
    "FUNC                                    COUNT\n",
    "TIME     COMM             TID           LAT(us)\nnobody waited\n",
    "PID    COMM               FD ERR PATH\n",
])  # fmt: skip
def test_a_head_alone_is_unread(head: str) -> None:
    (entry,) = read(head)
    assert isinstance(entry, Unread)


@pytest.mark.parametrize("text", [
    "The column AGE(s) of filelife is in seconds, LAT(us) of runqslower in microseconds.\n",
    "Attaching probes... is what bpftrace says first\n",
    "Attaching 2 probes...\nhello from BEGIN\n@[a]: 5\n",
    "PLAYER      COUNT\nsmith           5\n",
    "TIME PID COMM DEVICE SIZE\n11:00:00 5 a md0 6\n",
])  # fmt: skip
def test_prose_and_other_tables(text: str) -> None:
    assert counters(text) == []
