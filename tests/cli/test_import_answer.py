"""The first lines of `iosonde import`: what the results say, the worst finding, the counts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from iosonde.cli.import_answer import (
    ResultRanges,
    TrialFigure,
    counters_said,
    counts_sentence,
    findings_sentence,
)
from iosonde.records.finding import Finding
from iosonde.verbs.imported_records import ImportCounts
from tests.cli.conftest import Ended

Run = Callable[..., Ended]
HDPARM = " Timing buffered disk reads: {} MB in  3.00 seconds = {} MB/sec\n"


def figure(
    mean: float, label: str = "Disk", *, metric: str = "read.iops", load: str = "rw=randread",
    host: str = "",
) -> TrialFigure:  # fmt: skip
    unit = "s" if metric.endswith("p99") else "1/s"
    return TrialFigure("fio", metric, unit, mean, label, host, "1–9", (load,), (load, "bs=4096"))


def said(*figures: TrialFigure) -> str:
    ranges = ResultRanges()
    ranges.add(figures)
    return ranges.sentence()


@pytest.mark.parametrize(
    ("figures", "sentence"),
    [
        ((), ""),
        ((figure(9780),), "fio: read 9,780 IOPS in “Disk” (lines 1–9)"),
        (
            (figure(9780), figure(12_000, "RAID", host="n1"), figure(10_000)),
            "fio: read 9,780 … 12,000 IOPS in 3 trials, highest in “RAID” on n1 (lines 1–9)",
        ),
        ((figure(9780), figure(9781, "RAID")), "fio: read 9,780 IOPS in each of 2 trials"),
        (
            (figure(0.002, metric="sync.latency.p99"), figure(0.004, metric="sync.latency.p99")),
            "fio: sync.latency.p99 2 … 4 ms in 2 trials, lowest in “Disk” (lines 1–9)",
        ),
        (
            (figure(100), figure(90_000, load="rw=read")),  # no range over both
            "fio: read 100 IOPS in “Disk” (lines 1–9); fio: read 90,000 IOPS in “Disk” (lines 1–9)",
        ),
        (
            (figure(5), figure(7), figure(9, load="rw=read"), figure(3, load="rw=rw")),
            "fio: read 5 … 7 IOPS in 2 trials, highest in “Disk” (lines 1–9); fio: read 9 IOPS"
            " in “Disk” (lines 1–9); 1 more of other loads or tools",
        ),
    ],
)  # fmt: skip
def test_ranges_are_of_alike_loads(figures: tuple[TrialFigure, ...], sentence: str) -> None:
    assert said(*figures) == sentence


def test_of_a_mixed_load_both_directions_are_said() -> None:
    mixed = [figure(774)._replace(beside=702.0), figure(936)._replace(beside=888.0)]
    assert said(*mixed) == (
        "fio: read 774 … 936 IOPS, write 702 … 888 IOPS in 2 trials, highest in “Disk” (lines 1–9)"
    )
    assert said(mixed[0]) == "fio: read 774 IOPS, write 702 IOPS in “Disk” (lines 1–9)"
    assert "write" not in said(mixed[0], figure(936))  # one of them only reads


def test_loads_that_differ_in_size_are_counted() -> None:
    large = figure(12)._replace(load=("rw=randread", "bs=1048576"))
    assert "in 2 trials of 2 loads, highest in" in said(figure(100), large)


def test_a_few_loads_that_are_each_measured_again_are_said_each() -> None:
    small, large = (("rw=randread", f"bs={size}") for size in ("4k", "1m"))
    before, after = (
        [figure(mean, label)._replace(load=load) for load, mean in ((small, many), (large, few))]
        for label, many, few in (("before", 1000, 90), ("after", 1500, 91))
    )
    ranges = ResultRanges()
    ranges.add([*before, *after])
    assert ranges.sentence() == (
        "fio: read (rw=randread, bs=4k) 1,000 IOPS in “before” (lines 1–9),"
        " 1,500 IOPS in “after” (lines 1–9): the highest 1.5 × the lowest;"
        " fio: read (rw=randread, bs=1m) 90 IOPS in “before” (lines 1–9),"
        " 91 IOPS in “after” (lines 1–9)"
    )
    assert ranges.sentence() == ranges.sentence()
    assert "in 3 trials of 2 loads" in said(*before, after[0])  # one of them only once
    depths = [figure(at)._replace(load=(f"iodepth={at % 5}",)) for at in range(1, 11)]
    assert said(*depths).startswith("fio: read 1 … 10 IOPS in 10 trials of 5 loads")  # a row


def test_results_that_have_names_are_said_each_while_they_are_few() -> None:
    named = [figure(100 + at, f"disk {at}") for at in range(5)]
    assert said(*named[:2]) == (
        "fio: read 100 IOPS in “disk 0” (lines 1–9), 101 IOPS in “disk 1” (lines 1–9)"
    )
    assert said(*named) == "fio: read 100 … 104 IOPS in 5 trials, highest in “disk 4” (lines 1–9)"
    assert "in 2 trials" in said(named[0], figure(200, "disk 0"))  # which of the two is not known
    mixed = [each._replace(beside=7.0) for each in named[:2]]
    assert said(*mixed).startswith("fio: read 100 IOPS, write 7 IOPS, in “disk 0”")


def noted(mean: float, note: str = "", **others: str) -> TrialFigure:
    named = figure(mean, "fio")._replace(note=note, lines=f"{mean:.0f}–{mean + 1:.0f}")
    return named._replace(**others)  # type: ignore[arg-type]


def test_results_below_a_line_of_their_author_are_of_its_set_up_until_the_next() -> None:
    runs = [noted(100), noted(110), noted(150, "With the cache"), noted(160), noted(90, "Without")]
    assert said(*runs, noted(95)) == (
        "fio: read 100 … 110 IOPS in 2 trials first (lines 100–111),"
        " 150 … 160 IOPS in 2 trials after “With the cache” (lines 150–161),"
        " 90 … 95 IOPS in 2 trials after “Without” (lines 90–96): the highest 1.78 × the lowest"
    )
    assert "in 5 trials, highest in" in said(*runs)  # of one set-up there is one run less
    below_heading = noted(95, label="Other disk")  # what holds there is not known
    assert "after “Without”" not in said(runs[0], runs[1], runs[4], below_heading)
    many = [noted(100 + at, f"Step {at}") for at in range(5)]
    assert said(*many).startswith("fio: read 100 … 104 IOPS in 5 trials, highest in")


def test_what_stands_above_a_result_is_cut_where_it_is_long() -> None:
    assert "after “" + "x" * 59 + "…”" in said(noted(100), noted(200, "x" * 80))


def test_results_without_a_heading_are_told_apart_by_their_jobs_or_targets() -> None:
    jobs = [noted(100, own_label="seq"), noted(200, own_label="rand")]
    assert said(*jobs) == (
        "fio: read 100 IOPS in “seq” (lines 100–101), 200 IOPS in “rand” (lines 200–201):"
        " the highest 2 × the lowest"
    )
    targets = [noted(100, target="/srv/a"), noted(200, target="/srv/b")]
    assert "100 IOPS in “/srv/a” (lines 100–101), 200 IOPS in “/srv/b”" in said(*targets)
    headed = [noted(100, label="Old", note="Again"), noted(200, label="New")]
    assert "in “Old” (lines 100–101), 200 IOPS in “New”" in said(*headed)


def test_each_of_two_disks_has_its_range_where_both_ran_the_same_loads() -> None:
    ranges = [
        figure(mean, disk)._replace(load=(f"bs={size}",))
        for disk, means in (("SSD", (300, 500)), ("HDD", (3, 200)))
        for size, mean in enumerate(means)
    ]
    more = [*ranges, *(each._replace(load=(*each.load, "iodepth=8")) for each in ranges)]
    assert said(*more) == (
        "fio: read 300 … 500 IOPS in 4 trials in “SSD” (lines 1–9),"
        " 3 … 200 IOPS in 4 trials in “HDD” (lines 1–9)"  # a ratio over several loads says nothing
    )
    assert "highest in" in said(*more[:-1])  # one load of the second is missing


def test_a_ratio_is_said_where_it_is_more_than_a_little() -> None:
    assert "×" not in said(figure(100, "a"), figure(109, "b"))
    assert said(figure(100, "a"), figure(2859, "b")).endswith(": the highest 29 × the lowest")
    sizes = [figure(100, "a"), figure(900, "b")._replace(load=("rw=randread", "bs=1048576"))]
    assert "×" not in said(*sizes)  # of two loads
    unknown = [each._replace(load=()) for each in (figure(100, "a"), figure(900, "b"))]
    assert "×" not in said(*unknown)


def test_two_rules_that_object_are_both_said_shortly() -> None:
    lacks = "md0 (RAID 5) lacks 1 of its 3 members: the next loss may take data with it."
    failed = "Requests to sdq ended with errors: 7 reads and 8 writes: see the log."
    findings = [
        Finding("degraded", "error", "md0", lacks), Finding("io-errors", "error", "sdq", failed),
        Finding("ranking", "note", "page", "An order nobody can claim."),
    ]  # fmt: skip
    assert findings_sentence(findings) == (
        "2 errors, 1 note; the worst, degraded: md0 (RAID 5) lacks 1 of its 3 members;"
        " io-errors: sdq: Requests to sdq ended with errors: 7 reads and 8 writes"
    )
    assert findings_sentence([findings[0], findings[2]]).endswith("data with it.")  # only a note
    again = Finding("degraded", "error", "md1", lacks)
    assert findings_sentence([findings[0], again]).startswith("2 errors; the worst, degraded: md0")


def test_the_worst_finding_is_said_whatever_its_place() -> None:
    note = Finding("ranking", "note", "page", "An order nobody can claim.")
    error = Finding("degraded", "error", "md0", "md0 lacks a member.")
    assert findings_sentence([note]) == "1 note; ranking: page: An order nobody can claim."
    assert findings_sentence([note, error]) == (
        "1 error, 1 note; the worst, degraded: md0 lacks a member."
    )


def test_a_long_message_ends_with_a_clause() -> None:
    message = f"{'a' * 120} is true, {'b' * 60} is not; {'c' * 60}."
    sentence = findings_sentence([Finding("rule", "error", "", message)])
    assert sentence.endswith("b is not …")
    unbroken = findings_sentence([Finding("rule", "error", "", "x" * 300)])
    assert unbroken == f"1 error; rule: {'x' * 200} …"


def test_counts_are_of_what_there_is() -> None:
    counts = ImportCounts(outputs=3, trials=1, states=2, unread=1)
    assert counts_sentence(counts, ["a.txt"]) == (
        "1 trial, 2 settings snapshots found in a.txt; 1 could not be read"
    )
    assert counts_sentence(ImportCounts(unread=2), []) == "nothing found; 2 could not be read"


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_a_page_is_answered_in_its_first_lines(
    iosonde: Run, tmp_path: Path, options: tuple[str, ...]
) -> None:
    (tmp_path / "page.md").write_text(
        "# One disk\n\n/dev/sda:\n"
        + HDPARM.format(300, "100.00")
        + "\n# Array\n\n/dev/md0:\n"
        + HDPARM.format(900, "300.00")
        + "\n```\nPersonalities : [raid6] [raid5] [raid4]\n"
        "md0 : active raid5 sdc[3] sdb[1]\n"
        "      204800 blocks super 1.2 level 5, 64k chunk, algorithm 2 [3/2] [_UU]\n```\n"
    )
    done = iosonde("import", "page.md", *options)
    assert done.status == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == (
        "hdparm: buffered read 100 MiB/s in “One disk” (lines 3–4),"
        " 300 MiB/s in “Array” (lines 8–9)"
    )
    assert lines[1].startswith("1 error; degraded: md0 (RAID 5) lacks 1 of its 3 members")
    assert lines[2].startswith("2 trials, 1 settings snapshot found")


def test_a_page_without_findings_has_no_line_of_them(iosonde: Run, tmp_path: Path) -> None:
    (tmp_path / "pair.txt").write_text("/dev/sda:\n" + HDPARM.format(300, "100.00"))
    lines = iosonde("import", "pair.txt").stdout.splitlines()
    assert lines[0] == "hdparm: buffered read 100 MiB/s in “/dev/sda” (lines 1–2)"
    assert lines[1] == "1 trial found in pair.txt"


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"p99": 99e-6, "p50": 8e-6, "clat.min": 1e-6}, "p99 99 µs, p50 8 µs"),
        ({"real": 73.8, "user": 0.558, "sys": 11.1}, "real 73.8 s, user 558 ms"),
        ({"iops": 210.0, "latency.mean": 4.7e-3}, "latency mean 4.70 ms, 210 IOPS"),
        ({"user": 12}, ""),
        (
            {"latency.sum": 10.0, "latency.mean": 0.032, "latency.max": 0.04},
            "latency mean 32 ms, latency max 40 ms",
        ),
        (
            {"events_per_second": 1618.3, "latency.mean": 62e-5},
            "1,618 events/s, latency mean 620 µs",
        ),
        ({"iops": "210", "rows": []}, ""),
        ({"tps": 4664.15, "Files/s": 20}, "4,664 transactions/s"),
        (
            {"tps": 8218.14, "latency.sum": 1e3, "latency.mean": 12e-3},
            "8,218 transactions/s, latency mean 12 ms",
        ),
        ({"events_per_second": 279.75, "latency.mean": 3e-3}, "280 events/s, latency mean 3 ms"),
        (
            {"operations_per_second": 7e6, "bandwidth": 2.0**20, "latency.mean": 1e-6},
            "1 MiB/s, latency mean 1 µs",
        ),
        (
            {
                "metrics": [
                    {"metric": "idle", "means": [9.0, 8.0]},
                    {"metric": "fio.iops", "means": [100.0, 99.0, 88.0]},
                ]
            },
            "fio.iops 100 → 88 (-12.0 %)",
        ),
        ({"metrics": [{"metric": "idle", "means": [0.0, 8.0]}]}, "idle 0 → 8"),
        ({"metrics": [{"metric": "idle", "means": [9.0]}]}, ""),  # nothing is compared
        ({"metrics": [7, 8]}, ""),
    ],
)
def test_counters_of_a_benchmark_say_their_figures(
    values: dict[str, object], sentence: str
) -> None:
    assert counters_said(values) == sentence  # type: ignore[arg-type]


def test_a_text_of_states_with_a_single_result_begins_with_the_states(
    iosonde: Run, tmp_path: Path
) -> None:
    array = "```\nPersonalities : [raid1]\nmd{0} : active raid1 sdb{0}[1] sda{0}[0]\n"
    array += "      1046528 blocks super 1.2 [2/2] [UU]\n\nunused devices: <none>\n```\n\n"
    result = "/dev/sda:\n" + HDPARM.format(300, "100.00")
    text = tmp_path / "arrays.md"
    text.write_text("".join(array.format(number) for number in range(4)) + result)
    lines = iosonde("import", "arrays.md", "--dry-run").stdout.splitlines()
    assert lines[0].startswith(
        "mdstat: md0: array state active, level raid1, raid disks 2, size 1022 MiB, working slots ["
    )
    assert lines[1].startswith("hdparm: buffered read 100 MiB/s")
    text.write_text("".join(array.format(number) for number in range(3)) + result)  # the near miss
    lines = iosonde("import", "arrays.md", "--dry-run").stdout.splitlines()
    assert lines[0].startswith("hdparm: buffered read 100 MiB/s")
