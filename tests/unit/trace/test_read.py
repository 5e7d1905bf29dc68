"""Traces as Python sees them: every format, files of processors, damage."""

from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path

import pytest

from iosonde.errors import UsageError
from iosonde.predict.recorded import Recorded, is_trace
from iosonde.trace.read import OPS, formats, open_trace, sources
from tests.unit.trace.sample import FORMATS, RESOLUTION, requests, text


@pytest.mark.parametrize("fmt", sorted(FORMATS))
@pytest.mark.parametrize("packed", [False, True])
def test_all_formats_give_the_same_requests(fmt: str, packed: bool, tmp_path: Path) -> None:
    made = requests(3000)
    content = text(fmt, made)
    path = tmp_path / "any"
    path.write_bytes(gzip.compress(content) if packed else content)
    trace = open_trace(str(path))
    rows = [
        (int(time) // 1000, OPS[op], int(offset), int(length))
        for batch in trace.batches(100)
        for time, op, offset, length in zip(
            batch.times, batch.ops, batch.offsets, batch.lengths, strict=True
        )
    ]
    tick = RESOLUTION.get(fmt, 1)
    assert rows == [
        (request.time // tick * tick, request.op, request.offset, request.length)
        for request in made
    ]
    assert trace.format == fmt
    assert trace.damage.count == 0


def test_the_table_of_formats_is_the_core_s() -> None:
    assert set(formats()) == {*FORMATS, "blktrace"}


def test_files_of_the_processors_of_a_device_are_one_trace(tmp_path: Path) -> None:
    names = [str(tmp_path / f"sda.blktrace.{cpu}") for cpu in (10, 2)]
    for name in [*names, str(tmp_path / "sdb.blktrace.0"), str(tmp_path / "other.csv")]:
        Path(name).touch()
    base = str(tmp_path / "sda")
    assert [source.paths for source in sources([base])] == [(names[1], names[0])]
    assert [source.paths for source in sources([base + ".blktrace"])] == [(names[1], names[0])]
    given = sources([*names, str(tmp_path / "other.csv"), str(tmp_path / "sdb.blktrace.0")])
    assert [trace_source.paths for trace_source in given] == [
        tuple(names), (str(tmp_path / "other.csv"),), (str(tmp_path / "sdb.blktrace.0"),),
    ]  # fmt: skip


def test_a_pipe_is_as_good_as_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    content = text("msr", requests(20_000))
    writer = threading.Thread(target=lambda: pipe.write_bytes(content))
    writer.start()
    trace = open_trace(str(pipe))
    assert sum(len(batch) for batch in trace.batches(500)) == 20_000
    writer.join()


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "empty"), (b"hello\nworld\n", "known format"), (b"7, 1, 0, 512\n" * 3, "log_offset")],
)
def test_what_is_no_trace_is_told(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=message):
        open_trace(str(path))


def test_a_wrong_name_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        open_trace(str(tmp_path / "none"))
    with pytest.raises(UsageError, match="directory"):
        open_trace(str(tmp_path))
    (tmp_path / "x").write_bytes(text("msr", requests(3)))
    with pytest.raises(UsageError, match=r"known: .*blkparse"):
        open_trace(str(tmp_path / "x"), fmt="spc")
    with pytest.raises(UsageError, match="not an event"):
        open_trace(str(tmp_path / "x"), event="G")


def test_a_pasted_command_line_is_no_trace() -> None:
    assert not is_trace(Path("fio --name=x " + "--rw=randwrite " * 400))
    assert not is_trace(Path("latency"))


def test_a_trace_as_a_load_comes_part_by_part(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(
        b"fio version 3 iolog\n1 a write 0 4096\n2 a trim 0 4096\n3 b read 512 512\n4 b sync 0 0\n"
    )
    recorded = Recorded(path)
    for _ in range(2):  # it can be read again
        (part,) = recorded.parts()
        assert part.ops.tolist() == [1, 0, 2]
        assert part.offsets.tolist() == [0, 512, 0]
        assert len(recorded) == 2
        assert len(recorded.notes) == 2
