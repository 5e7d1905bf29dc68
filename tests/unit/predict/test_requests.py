"""The requests that are reckoned with are those that fio makes: held against its own record."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from iosonde.errors import UsageError
from iosonde.loads.named import declare_load
from iosonde.predict.requests import FLUSH, READ, WRITE, Requests, durable, of_lines, of_load
from iosonde.records.load import Load

KIB, MIB = 1024, 2**20
SPAN = MIB


def load_of(message: str) -> Load:
    return declare_load(f"fio --name=x --direct=1 {message}", where="test", directory=Path())


def reckoned(message: str, count: int = 1000, span: int = SPAN) -> Requests:
    return of_load(load_of(message), count, span)


def noted(directory: Path, message: str) -> Requests:
    """What fio itself writes down, on a file of 1 MiB."""
    fio = shutil.which("fio")
    assert fio, "fio is not installed"
    target, log = directory / "target", directory / "log"
    with target.open("wb") as file:
        file.truncate(SPAN)
    argv = [fio, "--name=x", f"--filename={target}", "--ioengine=psync", *message.split(),
            f"--write_iolog={log}", "--output=/dev/null"]  # fmt: skip
    subprocess.run(argv, check=True, capture_output=True, cwd=directory, timeout=60)
    return of_lines(iter(log.read_text().splitlines()), "log")


def rows(made: Requests) -> list[tuple[int, int, int]]:
    columns = made.ops.tolist(), made.offsets.tolist(), made.lengths.tolist()
    return list(zip(*columns, strict=True))


@pytest.mark.parametrize(
    "message",
    [
        "--rw=write --bs=4k",
        "--rw=write:124k --bs=4k",  # to the end of the target, and again, until all bytes are done
        "--rw=write:124k --bs=4k --size=512k",  # to the end of its room, once
        "--rw=read:124k --bs=4k --size=512k --offset=64k",
        "--rw=write:124k --bs=4k --number_ios=20",
        "--rw=write:124k --bs=4k --io_size=100k",
        "--rw=write:-8k --bs=4k --number_ios=8",
        "--rw=write --bs=4k --size=64k --number_ios=100",
        "--rw=write --bs=4k --size=64k --number_ios=10",
        "--rw=write --bs=4k --size=64k --offset=64k --number_ios=40",
        "--rw=write --bs=4k --size=64k --io_size=128k",
        "--rw=write --bs=4k --size=64k --io_size=32k",
        "--rw=read --bs=4k --size=64k --loops=2",
        "--rw=read --bs=4k --size=64k --loops=2 --number_ios=4",
        "--rw=write --bs=12k --size=64k",
        "--rw=write --bs=4k --size=50%",
        "--rw=write --bs=4k --ba=64k --size=64k",  # it means nothing where nothing is random
    ],
)
def test_sequential_requests_are_those_of_fio(tmp_path: Path, message: str) -> None:
    # A load without a size ends with its target; so that `predict` has not to go through a disk,
    # that is asked for.
    assert rows(reckoned(message if "size" in message else f"{message} --size=1m")) == rows(
        noted(tmp_path, message)
    )


@pytest.mark.parametrize(
    ("message", "grain"),
    [
        ("--rw=randwrite --bs=4k --size=64k", 4),
        ("--rw=randwrite --bs=4k --size=64k --number_ios=100", 4),
        ("--rw=randwrite --bs=4k --size=64k --number_ios=10", 4),
        ("--rw=randwrite --bs=4k --size=64k --norandommap", 4),
        ("--rw=randwrite --bs=4k --ba=64k --number_ios=40", 64),
        ("--rw=randread --bs=4k --blockalign=64k --size=128k", 64),
        ("--rw=randwrite --bs=4k --ba=512 --number_ios=200", 0.5),
        ("--rw=randread --bs=16k --ba=4k --number_ios=200", 4),
    ],
)
def test_random_requests_are_as_many_on_the_same_grid(
    tmp_path: Path, message: str, grain: float
) -> None:
    made, real = reckoned(message), noted(tmp_path, message)
    assert len(made) == len(real)
    assert made.lengths.tolist() == real.lengths.tolist()
    unit = int(grain * KIB)
    for requests in (made, real):
        assert not (requests.offsets % unit).any()
        assert (requests.offsets % (2 * unit)).any()
    once = {len(set(requests.offsets.tolist())) == len(requests) for requests in (made, real)}
    assert len(once) == 1, "each block once, or not"
    ends = [int((requests.offsets + requests.lengths).max()) for requests in (made, real)]
    assert max(ends) <= SPAN


@pytest.mark.parametrize(("more", "step"), [("", 4 * KIB), (" --rw_sequencer=identical", 0)])
def test_runs_of_a_random_load(tmp_path: Path, more: str, step: int) -> None:
    message = f"--rw=randread:4 --bs=4k --number_ios=64{more}"
    for requests in (reckoned(message), noted(tmp_path, message)):
        offsets = requests.offsets.astype(np.int64)
        steps = np.diff(offsets)
        assert len(requests) == 64
        inside = np.arange(1, 64) % 4 != 0
        assert (steps[inside] == step).all()
        assert (steps[~inside] != step).any()


def test_mixed_requests_go_on_each_in_its_own_way(tmp_path: Path) -> None:
    message = "--rw=rw --bs=4k --size=64k"
    for requests in (reckoned(message), noted(tmp_path, message)):
        assert len(requests) == 16
        for way in (READ, WRITE):
            own = requests.offsets[requests.ops == way].tolist()
            assert own == [4 * KIB * number for number in range(len(own))]


def test_writes_of_a_mixed_load_lie_on_their_own_grid(tmp_path: Path) -> None:
    message = "--rw=randrw --bs=4k,64k --number_ios=12"
    for requests in (reckoned(message), noted(tmp_path, message)):
        assert not (requests.offsets[requests.ops == WRITE] % (64 * KIB)).any()
        assert (requests.offsets[requests.ops == READ] % (64 * KIB)).any()


@pytest.mark.parametrize(
    ("message", "flushes"),
    [("--sync=1", 16), ("--sync=dsync", 16), ("--sync=0", 0), ("--fsync=4", 4), ("", 0)],
)
def test_a_write_that_is_durable_brings_a_flush(message: str, flushes: int) -> None:
    made = reckoned(f"--rw=write --bs=4k --size=64k {message}")
    assert int((made.ops == FLUSH).sum()) == flushes
    if flushes == 16:
        assert made.ops.tolist() == [WRITE, FLUSH] * 16
    assert int((reckoned(f"--rw=read --bs=4k --size=64k {message}").ops == FLUSH).sum()) == 0


def test_what_is_written_down_of_a_durable_load_gets_its_flushes(tmp_path: Path) -> None:
    message = "--rw=write --bs=4k --size=64k --sync=1"
    real = noted(tmp_path, message)
    assert not (real.ops == FLUSH).any()
    assert rows(durable(load_of(message), real)) == rows(reckoned(message))
    assert rows(durable(load_of("--rw=write --bs=4k --size=64k"), real)) == rows(real)


@pytest.mark.parametrize(
    ("message", "count"),
    [
        ("--rw=randread --bs=4k --size=64k --time_based --runtime=10 --number_ios=10", 1000),
        ("--rw=randread --bs=4k --runtime=10", 1000),
        ("--rw=randread --bs=4k --size=64k --runtime=10", 1000),  # by size or time: nobody knows
        ("--rw=randread --bs=4k --runtime=10 --number_ios=10", 10),
        ("--rw=randread --bs=4k", 1000),  # a whole disk: asked for
        ("--rw=randread --bs=4k --size=64k", 16),
        ("--rw=randread --bs=4k --size=64k --numjobs=3", 48),
        ("--rw=randread --bs=4k --number_ios=200 --numjobs=3", 600),
        ("--rw=randread --bs=4k --numjobs=4", 1000),
    ],
)
def test_where_a_load_ends(message: str, count: int) -> None:
    assert len(reckoned(message)) == count


def test_a_load_of_a_run_has_as_many_as_were_counted() -> None:
    """Study seconds make a load that ends by size one that ends by time."""
    made = of_load(load_of("--rw=randread --bs=4k --size=64k"), 400, SPAN, exactly=True)
    assert len(made) == 400


def test_of_a_huge_load_the_first_requests_are_gone_through() -> None:
    made = reckoned("--rw=write --bs=4k --size=8g", span=2**34)
    assert len(made) == 2**20
    assert "its first 1,048,576 requests" in made.notes[0]
    assert reckoned("--rw=write --bs=4k --size=4g", span=2**34).notes == ()


@pytest.mark.parametrize("message", ["--rw=randread:x", "--bs=4k-8k", "--bssplit=4k/50:8k/50"])
def test_what_is_not_understood_is_refused(message: str) -> None:
    with pytest.raises(UsageError):
        reckoned(f"--bs=4k {message}" if "rw" in message else message)
