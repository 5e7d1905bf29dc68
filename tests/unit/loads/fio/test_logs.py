"""fio's logs as the core reads them, held against a reading line by line of the same real files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest

from iosonde import _core
from iosonde.errors import UsageError
from iosonde.loads.fio.logs import LogKind, read_fio_log

LOGS = Path(__file__).parents[3] / "outputs" / "fio-3.33-logs"
SAMPLES = sorted(path.name for path in LOGS.glob("*.1.log") if "hist" not in path.name)


def rows(name: str) -> list[list[int]]:
    lines = (LOGS / name).read_text().splitlines()
    return [[int(word, 0) for word in line.split(", ")] for line in lines]


@pytest.mark.parametrize("name", SAMPLES)
def test_counts_sums_and_seconds_of_real_logs(name: str) -> None:
    scale = 1024 if "_bw" in name else 1 if "_iops" in name else 1e-9
    log = read_fio_log(LOGS / name, strict=True)
    offsets = len(rows(name)[0]) == 6
    assert (log.lines, log.bad_lines, log.offsets) == (len(rows(name)), 0, offsets)
    for number, direction in enumerate(("read", "write")):
        mine = [row for row in rows(name) if row[2] == number]
        figures = log.directions[direction]
        assert figures.values is not None
        values = [row[1] * scale for row in mine]
        assert figures.count == len(mine)
        assert figures.values.mean == pytest.approx(np.mean(values))
        assert (figures.values.min, figures.values.max) == pytest.approx((min(values), max(values)))
        assert (figures.first, figures.last) == pytest.approx((mine[0][0] / 1e3, mine[-1][0] / 1e3))
        for q in (0, 0.5, 0.9, 0.99, 1):
            exact = np.quantile(values, q, method="inverted_cdf")
            assert figures.values.quantile(q) == pytest.approx(exact, rel=0.008)
        seconds: dict[int, list[float]] = defaultdict(list)
        for row, value in zip(mine, values, strict=True):
            seconds[row[0] // 1000].append(value)
        assert list(figures.series.time) == sorted(seconds)
        assert list(figures.series.count) == [
            len(readings) for _, readings in sorted(seconds.items())
        ]
        assert figures.series.mean is not None
        assert figures.series.mean == pytest.approx(
            [np.mean(x) for _, x in sorted(seconds.items())]
        )


def test_sizes_and_the_grid_of_a_real_log() -> None:
    log = read_fio_log(LOGS / "offset_lat.1.log")
    mine = [row for row in rows("offset_lat.1.log") if row[2] == 0]
    figures = log.directions["read"]
    assert {size_figures.size: size_figures.count for size_figures in figures.sizes} == Counter(
        row[3] for row in mine
    )
    off = [row for row in mine if row[3] % 4096 or row[4] % 4096]
    assert figures.off_grid == pytest.approx(len(off) / len(mine))
    assert figures.bytes == sum(row[3] for row in mine)
    for size in figures.sizes:
        values = [row[1] * 1e-9 for row in mine if row[3] == size.size]
        assert size.values is not None
        assert size.values.count.sum() == len(values)
        exact = np.quantile(values, 0.5, method="inverted_cdf")
        assert size.values.quantile(0.5) == pytest.approx(exact, rel=0.008)


def test_averaged_logs_have_neither_sizes_nor_grid() -> None:
    log = read_fio_log(LOGS / "window_lat.1.log")
    assert log.averaged
    assert log.directions["read"].bytes is None
    assert log.directions["read"].off_grid is None
    assert log.directions["read"].sizes == ()
    assert log.directions["read"].series.bytes is None


def test_kinds_units_and_times() -> None:
    assert read_fio_log(LOGS / "offset_bw.1.log").kind is LogKind.BANDWIDTH
    assert read_fio_log(LOGS / "offset_iops.1.log").kind is LogKind.IOPS
    old = read_fio_log(LOGS / "offset_lat.1.log", latency_unit="us").directions["read"].values
    new = read_fio_log(LOGS / "offset_lat.1.log").directions["read"].values
    assert old is not None
    assert new is not None
    assert old.mean == pytest.approx(1000 * new.mean)
    epoch = read_fio_log(LOGS / "epoch_lat.1.log").directions["read"]
    assert epoch.series.time[0] > 1.7e9


def test_traces_of_both_versions_say_the_same() -> None:
    third, second = (read_fio_log(LOGS / f"mixed.iolog{n}", strict=True) for n in (3, 2))
    assert (third.kind, third.variant, second.variant) == (LogKind.TRACE, "iolog3", "iolog2")
    assert third.events == second.events
    assert third.events["sync"] == (LOGS / "mixed.iolog3").read_text().count(" sync ")
    for direction in ("read", "write"):
        lines = (LOGS / "mixed.iolog3").read_text().count(f" {direction} ")
        assert third.directions[direction].count == second.directions[direction].count == lines
    assert third.directions["read"].values is None


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_threads_do_not_change_the_figures(tmp_path: Path, threads: int) -> None:
    text = (LOGS / "unaligned_lat.1.log").read_text() * 600
    (tmp_path / "x_lat.log").write_text(text)
    figures, many = (_core.read_fio_log(tmp_path / "x_lat.log", threads=n) for n in (1, threads))
    for direction in ("read", "write"):
        assert figures.series(direction) == many.series(direction)
        assert figures.sizes(direction) == many.sizes(direction)
        assert figures.histograms(direction) == many.histograms(direction)


def test_strict_names_the_line_and_lenient_counts_it(tmp_path: Path) -> None:
    good = "1, 5000, 0, 4096, 8192, 0\n"
    log = tmp_path / "cut_lat.1.log"
    log.write_bytes((good * 41).encode() + b"2, 5\0\0\0\n" + (good * 5).encode() + b"3, 50")
    with pytest.raises(UsageError) as refused:
        read_fio_log(log, strict=True)
    assert refused.value.where == f"{log}:42"
    assert refused.value.message == "the line holds NUL bytes, expected text"
    read = read_fio_log(log)
    assert (read.lines, read.bad_lines, read.directions["read"].count) == (48, 2, 46)
    assert [bad.line for bad in read.bad] == [42, 48]


def test_what_cannot_be_read_is_told_in_a_sentence(tmp_path: Path) -> None:
    for path, message in (
        (tmp_path, "is a directory"),
        (tmp_path / "none", "No such file"),
        (LOGS / "hist_clat_hist.1.log", "histogram log"),
        (LOGS / "SOURCE", "neither a log nor a trace"),
    ):
        with pytest.raises(UsageError, match=message):
            read_fio_log(path)
    with pytest.raises(UsageError, match="not a variant"):
        read_fio_log(LOGS / "plain_lat.1.log", variant="time")
    with pytest.raises(UsageError, match="is not a unit"):
        read_fio_log(LOGS / "plain_lat.1.log", latency_unit="ms")


def test_a_pipe_is_read_as_a_file_is(tmp_path: Path) -> None:
    pipe = tmp_path / "x_lat.log"
    os.mkfifo(pipe)
    text = (LOGS / "offset_lat.1.log").read_bytes() * 50
    writer = threading.Thread(target=pipe.write_bytes, args=(text,))
    writer.start()
    log = read_fio_log(pipe, strict=True)
    writer.join()
    assert log.lines == text.count(b"\n")


def test_ctrl_c_ends_the_reading_of_a_silent_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "silent_lat.log"
    os.mkfifo(pipe)
    script = (
        "import sys; from iosonde import _core; print('up', flush=True);"
        "_core.read_fio_log(sys.argv[1])"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(pipe)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == b"up\n"
        with pytest.raises(subprocess.TimeoutExpired):
            reader.wait(0.3)
        reader.send_signal(signal.SIGINT)
        _, complaint = reader.communicate(timeout=60)
    assert b"KeyboardInterrupt" in complaint


@pytest.mark.parametrize(
    ("options", "variant"),
    [
        ((), "time,value,ddir,bs,prio"),
        (("--log_offset=1",), "time,value,ddir,bs,offset,prio"),
        (("--log_prio=1",), "time,value,ddir,bs,prio"),
        (("--log_avg_msec=10", "--log_offset=1"), "time,value,ddir,bs,offset,prio"),
    ],
)
def test_logs_written_now_by_this_hosts_fio(
    tmp_path: Path, options: tuple[str, ...], variant: str
) -> None:
    argv = ["fio", "--name=x", "--filename=x", "--size=4m", "--rw=randrw", "--bs=4k",
            "--rate_iops=4000", "--output-format=json", "--write_lat_log=x", *options]  # fmt: skip
    subprocess.run(argv, cwd=tmp_path, check=True, capture_output=True, timeout=60)
    log = read_fio_log(tmp_path / "x_lat.1.log", strict=True)
    assert log.variant == variant
    if not log.averaged:
        assert sum(direction.count for direction in log.directions.values()) == 1024
