"""flashcache: counters by dmsetup and by /proc, configuration, request sizes; 1.0 to 3.1."""

from __future__ import annotations

from pathlib import Path

import pytest

from iosonde.records.printed import PrintedCounters, PrintedSubject, Unread
from tests.mangle import counters, mangled, read, states

PLACE = Path(__file__).parents[3] / "outputs"
STATUS = (PLACE / "flashcache-2-page" / "status.txt").read_text()
TABLE = (PLACE / "flashcache-2-page" / "table.txt").read_text()
NEWER = (PLACE / "flashcache-composed" / "status-3.1.txt").read_text()
PROC = (PLACE / "flashcache-composed" / "stats-3.1.txt").read_text()
AROUND = (PLACE / "flashcache-composed" / "around.txt").read_text()
FIRST = (PLACE / "flashcache-composed" / "table-1.0.txt").read_text()
THROUGH = (PLACE / "flashcache-composed" / "table-3.1.txt").read_text()
OLD_THROUGH = (PLACE / "flashcache-composed" / "wt.txt").read_text()


def counted(text: str) -> PrintedCounters:
    (counter,) = counters(text)
    return counter


def configured(text: str) -> PrintedSubject:
    ((subject,),) = [state.subjects for state in states(text)]
    return subject


def test_counters_of_a_device_are_those_printed() -> None:
    counter = counted(STATUS)
    assert (counter.tool, counter.kind, counter.name, counter.host) == (
        "flashcache", "flashcache", "cachedev", "storage",
    )  # fmt: skip
    assert counter.command == "dmsetup status cachedev"
    assert counter.values == {
        "reads": 85485411, "writes": 379006540,
        "read hits": 12699803, "read hit percent": 14,
        "write hits": 11805678, "write hit percent": 3,
        "dirty write hits": 4984319, "dirty write hit percent": 1,
        "replacement": 144261, "write replacement": 111410,
        "write invalidates": 2928039, "read invalidates": 8099007,
        "pending enqueues": 2688311, "pending inval": 1374832,
        "metadata dirties": 11227058, "metadata cleans": 11238715,
        "metadata batch": 3317915, "metadata ssd writes": 19147858,
        "cleanings": 11238715, "fallow cleanings": 6258765,
        "no room": 27, "front merge": 1919923, "back merge": 1058070,
        "disk reads": 72786438, "disk writes": 374046436,
        "ssd reads": 23938518, "ssd writes": 42752696,
        "uncached reads": 65392976, "uncached writes": 362807723, "uncached IO requeue": 13388,
        "uncached sequential reads": 0, "uncached sequential writes": 0,
        "pid_adds": 0, "pid_dels": 0, "pid_drops": 0, "pid_expiry": 0,
    }  # fmt: skip


def test_configuration_and_sizes_of_requests() -> None:
    subject = configured(TABLE)
    assert (subject.kind, subject.name) == ("flashcache", "cachedev")
    values = dict(subject.values)
    assert values.pop("used_share") == pytest.approx(0.2495, abs=1e-4)
    assert values.pop("dirty_share") == pytest.approx(0.0025, abs=1e-4)
    assert values == {
        "mode": "writeback", "block_size": 4096, "metadata_block_size": 4096,
        "sequential_cutoff": 0, "cache_device": "sda", "disk_device": "md2",
        "cache_size": 57018 << 20, "associativity": 512, "cache_blocks": 14596608,
        "cached_blocks": 3642185, "dirty_blocks": 36601, "queued": 0,
        "size": 2930294784 * 512,
    }  # fmt: skip
    counter = counted(TABLE)
    assert (counter.kind, counter.name) == ("flashcache", "cachedev")
    assert counter.values == {
        "size_histogram": {
            "512": 117531108, "1024": 61124866, "1536": 83563623, "2048": 89738119,
            "2560": 43968876, "3072": 51713913, "3584": 83726471, "4096": 41667452,
        }
    }  # fmt: skip


def test_both_after_one_another_are_two_outputs() -> None:
    outputs = read(f"{STATUS}\nAnd again:\n{TABLE}\nThe end (4096) of it.\n")
    assert len(outputs) == 2
    assert not any(isinstance(output, Unread) for output in outputs)


def test_what_newer_versions_add() -> None:
    values = counted(NEWER).values
    assert counted(NEWER).name == "fc_data"
    assert values["disk read errors"] == 0
    assert values["lru demotions"] == 60
    assert values["IO Latency Histogram"] == {
        "< 250 usecs": 3100000, "< 500 usecs": 200000, "> 10 msecs": 700000,
    }  # fmt: skip


def test_proc_says_the_same_as_dmsetup() -> None:
    by_proc, by_dmsetup = counted(PROC), counted(NEWER).values
    assert by_proc.name == "sdc+md0"
    assert len(by_proc.values) == PROC.count("=")
    assert all(by_dmsetup[name] == value for name, value in by_proc.values.items())


def test_a_cache_around_which_writes_go() -> None:
    values = counted(AROUND).values
    assert (values["invalidates"], values["uncached writes"]) == (3, 1000)
    assert "write hits" not in values


def test_the_first_version_knows_one_mode_and_does_not_name_it() -> None:
    values = configured(FIRST).values
    assert (values["mode"], values["block_size"], values["queued"]) == ("writeback", 4096, 3)
    assert values["dirty_share"] == 0.05
    assert counted(FIRST).values["size_histogram"] == {
        "512": 12, "1024": 20, "4096": 903123, "16384": 4,
    }  # fmt: skip


def test_a_cache_that_writes_through() -> None:
    subject = configured(THROUGH)
    assert subject.name == "fc_thru"
    assert subject.values["mode"] == "writethrough"
    assert subject.values["block_size"] == 8192
    assert subject.values["disk_device"] == "vg0/data"
    assert subject.values["disk_associativity"] == 256 << 10
    assert "dirty_share" not in subject.values
    assert counted(OLD_THROUGH).values["cache hits"] == 60000


@pytest.mark.parametrize(
    "text",
    [STATUS, TABLE, NEWER, PROC, AROUND, FIRST, THROUGH, OLD_THROUGH],
    ids=["status", "table", "newer", "proc", "around", "first", "through", "old through"],
)
def test_in_whatever_shape(text: str) -> None:
    expected = ([counter.values for counter in counters(text)], states(text))
    assert expected[0]
    for name, shape in mangled(text):
        pair = ([counter.values for counter in counters(shape)], states(shape))
        assert pair[0] == expected[0], name
        kept = [[subject.values for subject in state.subjects] for state in pair[1]]
        assert kept == [[subject.values for subject in state.subjects] for state in expected[1]], (
            name
        )


def test_without_its_first_line() -> None:
    rest = STATUS.partition("stats:\n")[2]
    assert counted(rest).values == counted(STATUS).values
    assert counted(rest).name == ""


def test_the_histogram_cut_at_any_column() -> None:
    sizes = counted(TABLE).values
    line = next(word for word in TABLE.split("\n") if word.startswith("Size Hist"))
    for column in range(12, len(line)):
        cut = TABLE.replace(line, f"{line[:column]}\n{line[column:]}")
        assert counted(cut).values == sizes, line[column - 5 : column + 5]


def test_two_devices_are_two_sets_of_counters() -> None:
    other = NEWER.replace("fc_data", "fc_logs").replace("db1# dmsetup status\n", "")
    assert [counter.name for counter in counters(NEWER + other)] == ["fc_data", "fc_logs"]


def test_prose_is_none() -> None:
    assert read("The uncached reads(1) and the Size Hist: of flashcache conf: are explained.") == []


def test_a_head_without_figures_is_named() -> None:
    (output,) = read("0 100 flashcache stats:\n\nThat was all.\n")
    assert isinstance(output, Unread)
    assert output.reason == "no counters follow"
