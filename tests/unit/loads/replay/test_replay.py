"""What the submitting program does, and what is read of its result."""

from __future__ import annotations

import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from iosonde.errors import LoadFailed, UsageError
from iosonde.loads.load import REPLAYED
from iosonde.loads.replay import RESULT, Replay
from iosonde.records.load import RawOutput
from iosonde.statistics.lateness import lags

Column = list[int]


def requests(
    times: Column, offsets: Column, lengths: Column, ops: Column, *, moved: int = 0
) -> bytes:
    columns = zip((times, offsets, lengths, ops), ("<u8", "<u8", "<u4", "u1"), strict=True)
    packed = b"".join(np.array(values, kind).tobytes() for values, kind in columns)
    return b"iosonde requests 1 %d %d 0\n" % (len(ops), moved) + packed


def replayed(late: Column, took: Column, errors: Column) -> bytes:
    columns = zip((late, took, errors), ("<i8", "<i8", "<u2"), strict=True)
    packed = b"".join(np.array(values, kind).tobytes() for values, kind in columns)
    return b"iosonde replayed 1 %d\n" % len(late) + packed


def raw(asked: bytes, done: bytes, status: int = 0, said: bytes = b"") -> RawOutput:
    return RawOutput(status, b"", said, {REPLAYED: asked, RESULT: done})


def test_the_program_writes_where_the_trace_says(tmp_path: Path) -> None:
    target, asked, result = tmp_path / "file", tmp_path / "asked", tmp_path / "result"
    target.write_bytes(bytes(64 * 1024))
    writes = [4096, 20480, 61440]
    asked.write_bytes(
        requests([0, 0, 5_000_000, 6_000_000, 6_000_000], [*writes, 0, 1 << 20],
                 [4096, 8192, 4096, 4096, 4096], [1, 1, 1, 0, 0])
    )  # fmt: skip
    program = files("iosonde.loads.replay").joinpath("submit.py")
    subprocess.run(
        [sys.executable, str(program), asked, target, result, "4", "0"], check=True, timeout=20
    )
    content = target.read_bytes()
    written = [at for at in range(0, len(content), 4096) if any(content[at : at + 4096])]
    assert written == [4096, 20480, 24576, 61440]
    assert len(content) == 64 * 1024
    replay = Replay().parse(raw(asked.read_bytes(), result.read_bytes()))
    assert dict(replay.issued) == {"read": 1, "write": 3}
    faults = [fault for fault in replay.faults if "rate was not kept" not in fault]  # busy machine
    assert faults == ["1 of 5 requests failed: Input/output error"]  # beyond the file's end
    assert replay.metrics["elapsed"] >= 0.006


def test_figures_are_those_of_the_columns() -> None:
    times = [0, 1_000_000_000, 2_000_000_000, 4_000_000_000]
    done = replayed([0, 0, 5_000_000, 0], [1_000_000, 3_000_000, 2_000_000, 7_000_000], [0] * 4)
    replay = Replay().parse(raw(requests(times, [0] * 4, [4096] * 4, [0, 0, 1, 2]), done))
    elapsed = 4.007
    assert replay.metrics["elapsed"] == pytest.approx(elapsed)
    assert replay.metrics["read.iops"] == pytest.approx(2 / elapsed)
    assert replay.metrics["write.bandwidth"] == pytest.approx(4096 / elapsed)
    assert replay.metrics["read.latency.mean"] == pytest.approx(0.002)
    assert replay.metrics["sync.latency.p99"] == pytest.approx(0.007)
    assert "sync.bandwidth" not in replay.metrics
    assert replay.metrics["arrival.error.max"] == pytest.approx(0.005)
    assert replay.histograms["read"].counts == (1, 1)
    assert set(replay.units) == set(replay.metrics)
    assert replay.faults == ()


@pytest.mark.parametrize(("late", "lagging"), [(9_000_000, False), (11_000_000, True)])
def test_a_lag_at_the_end_is_said(late: int, *, lagging: bool) -> None:
    times = [number * 1_000_000 for number in range(200)]
    done = replayed([0] * 198 + [late] * 2, [1000] * 200, [0] * 200)
    replay = Replay().parse(raw(requests(times, [0] * 200, [512] * 200, [0] * 200), done))
    assert replay.metrics["arrival.lag"] == pytest.approx(late / 1e9)
    assert any("rate was not kept" in fault for fault in replay.faults) is lagging
    assert lags(late / 1e9, 0.2) is lagging
    assert not lags(late / 1e9, 60.0)


def test_full_speed_has_no_times_to_keep() -> None:
    done = replayed([50_000_000] * 2, [1000] * 2, [0] * 2)
    replay = Replay().parse(raw(requests([0, 0], [0, 0], [512, 512], [0, 0], moved=1), done))
    assert not [name for name in replay.metrics if name.startswith("arrival")]
    assert replay.faults == ("1 of 2 requests were moved to lie within the target",)


def test_nothing_succeeded() -> None:
    asked = requests([0, 1], [0, 512], [512, 512], [0, 0])
    with pytest.raises(LoadFailed, match="Invalid argument") as problem:
        Replay().parse(raw(asked, replayed([0, 0], [9, 9], [22, 22])))
    assert "--align" in problem.value.hint


@pytest.mark.parametrize("cut", [0, 5, 30])
def test_a_torn_result_is_no_result(cut: int) -> None:
    asked, done = requests([0], [0], [512], [0]), replayed([0], [9], [0])
    with pytest.raises(LoadFailed):
        Replay().parse(raw(asked, done[:cut]))
    with pytest.raises(LoadFailed):
        Replay().parse(raw(asked[:cut], done))
    with pytest.raises(LoadFailed, match="status 1: No such file"):
        Replay().parse(raw(asked, b"", 1, b"x\nNo such file\n"))


def test_a_study_cannot_declare_one() -> None:
    with pytest.raises(UsageError, match="a verb of its own"):
        Replay().declare({"trace": "x"}, name="x", where="study.yaml")
