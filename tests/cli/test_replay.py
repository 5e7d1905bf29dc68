"""`iosonde trace replay` with its real program, against what strace and the kernel saw."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import numpy as np
import pytest

from iosonde.trace.replay import ReplayOptions, read_requests
from iosonde.verbs.schema import schema
from tests.cli.conftest import COMMAND, Ended
from tests.loop.devices import loop_device

if TYPE_CHECKING:
    from numpy.typing import NDArray

Iosonde = Callable[..., Ended]
HEAD = "fio version 3 iolog\n0 /d add\n0 /d open\n"
_CALL = re.compile(
    r"(?P<time>\d+\.\d+) (?P<op>preadv2?|pwritev2?)\(\d+, .*iov_len=(?P<length>\d+)\}\], 1, "
    r"(?P<offset>\d+)"
)
_ERROR = 0.01
"""Seconds between the program's clock and strace's, of most requests on a busy machine."""


def trace(path: Path, gaps: list[float], *, writes: bool = True) -> Path:
    """A trace with a request after each gap (seconds)."""
    lines, at = [], 1
    for number, gap in enumerate(gaps):
        at += round(gap * 1e6)
        op = "write" if writes and number % 3 == 1 else "read"
        lines.append(f"{at} /d {op} {number * 37 % 256 * 4096} {4096 * (1 + number % 2)}\n")
    path.write_text(HEAD + "".join(lines))
    return path


@pytest.mark.slow
def test_the_system_calls_are_the_requests_of_the_trace(tmp_path: Path) -> None:
    gaps = [0.0] * 12 + [0.2] + [0.0] * 6 + [0.05] * 6 + [0.2, 0.0, 0.0]
    asked = read_requests(ReplayOptions(str(trace(tmp_path / "t.iolog", gaps))))
    (tmp_path / "asked").write_bytes(asked.packed())
    (tmp_path / "file").write_bytes(bytes(2 << 20))
    program = str(files("iosonde.loads.replay").joinpath("submit.py"))
    subprocess.run(
        ["strace", "-ff", "-ttt", "-o", "calls", "-e", "trace=preadv,preadv2,pwritev,pwritev2",
         sys.executable, program, "asked", "file", "result", "32", "0"],
        cwd=tmp_path, check=True, timeout=60,
    )  # fmt: skip
    calls = [match for log in tmp_path.glob("calls.*") for line in log.read_text().splitlines()
             if (match := _CALL.search(line))]  # fmt: skip
    seen = sorted(
        (call["op"][1] == "w", int(call["offset"]), int(call["length"])) for call in calls
    )
    wanted = zip((asked.ops == 1).tolist(), asked.offsets.tolist(), asked.lengths.tolist(),
                 strict=True)  # fmt: skip
    assert seen == sorted(wanted)
    issued = {int(call["offset"]): float(call["time"]) for call in calls}
    times = np.array([issued[at] for at in asked.offsets.tolist()])
    measured = asked.times / 1e9 + late(tmp_path / "result", len(asked))
    apart = np.abs(times - measured - np.median(times - measured))
    assert np.quantile(apart, 0.8) < _ERROR, "lateness as the program measured it is that of strace"
    assert np.diff(measured).max() > 0.1, "the pauses of the trace are kept"


def late(result: Path, count: int) -> NDArray[np.float64]:
    """How late each request was, in seconds, by the program's own result."""
    rest = result.read_bytes().partition(b"\n")[2]
    return np.frombuffer(rest, "<i8", count) / 1e9


@pytest.mark.slow
@pytest.mark.root
def test_a_device_is_written_only_if_named_and_as_the_kernel_counts(
    iosonde: Iosonde, tmp_path: Path
) -> None:
    path = trace(tmp_path / "t.iolog", [0.002] * 90)
    with loop_device(tmp_path / "disk", 4 << 20) as device:
        Path(device).write_bytes(b"iosonde test" * 64)

        def written() -> tuple[int, int]:
            fields = Path(f"/sys/block/{Path(device).name}/stat").read_text().split()
            return int(fields[4]), int(fields[6]) * 512

        refused = iosonde("trace", "replay", str(path), "--target", device)
        assert refused.status == 3, refused.stderr
        before = written()
        done = iosonde("trace", "replay", str(path), "--target", device, "--destroy", device,
                       "--in-container", "--json")  # fmt: skip
        after = written()
    answer = json.loads(done.stdout)
    jsonschema.validate(answer, schema("replay"))
    assert (answer["requests"], answer["reads"], answer["writes"]) == (90, 60, 30)
    bytes_written = sum(4096 * (1 + number % 2) for number in range(90) if number % 3 == 1)
    assert (after[0] - before[0], after[1] - before[1]) == (30, bytes_written)
    assert answer["length"] == pytest.approx(0.178)


@pytest.mark.slow
def test_a_rate_beyond_the_target_lags_and_says_so(iosonde: Iosonde, tmp_path: Path) -> None:
    lines = [f"{1 + number // 40} /d read {number * 4096 % (1 << 20)} 131072\n"
             for number in range(8000)]  # fmt: skip
    (tmp_path / "fast.iolog").write_text(HEAD + "".join(lines))
    done = iosonde("trace", "replay", "fast.iolog", "--target", ".", "--in-flight", "2")
    assert done.status == 1, done.stderr
    assert "behind at the end" in done.stdout.splitlines()[0]
    assert "the trace's rate was not kept" in done.stdout
    slow = trace(tmp_path / "slow.iolog", [0.01] * 20)
    kept = iosonde("trace", "replay", str(slow), "--target", ".", "--json")
    answer = json.loads(kept.stdout)
    if answer["kept_up"]:  # a machine that stands still for 10 ms has not kept the rate either
        assert (kept.status, answer["faults"]) == (0, [])


@pytest.mark.slow
def test_ctrl_c_ends_it_and_leaves_nothing(environment: Mapping[str, str], tmp_path: Path) -> None:
    path = trace(tmp_path / "long.iolog", [0.5] * 100)
    place = tmp_path / "place"
    place.mkdir()
    process = subprocess.Popen(
        [*COMMAND, "trace", "replay", str(path), "--target", str(place)], env=dict(environment),
        cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip
    end = time.monotonic() + 60
    while not programs(place) and time.monotonic() < end:
        time.sleep(0.1)
    assert programs(place)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 130, said
    assert b"iosonde run --resume" in said
    assert (programs(place), list(place.iterdir())) == ([], [])


def programs(place: Path) -> list[str]:
    """The processes that have a file below a place open and run the program."""
    names = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            opened = {str(path.readlink()) for path in (line.parent / "fd").iterdir()}
            if b"submit.py" in line.read_bytes() and any(str(place) in name for name in opened):
                names.append(line.parent.name)
        except OSError:
            continue
    return names


def test_wrong_use_is_one_sentence(iosonde: Iosonde, tmp_path: Path) -> None:
    path = str(trace(tmp_path / "t.iolog", [0.001] * 9))
    for wrong in (
        ["trace", "replay", path, "--target", ".", "--speed", "0"],
        ["trace", "replay", "-", "--target", "."],
        ["trace", "--json", "replay", path],
    ):
        done = iosonde(*wrong, "--json")
        assert done.status == 2, (wrong, done.stdout)
        jsonschema.validate(json.loads(done.stdout), schema("error"))


def test_what_does_not_fit_is_refused_before_anything_is_laid_out(
    iosonde: Iosonde, tmp_path: Path
) -> None:
    lines = [f"{at} /d read {at << 20} 4096\n" for at in range(9)]
    (tmp_path / "wide.iolog").write_text(HEAD + "".join(lines))
    argv = ("replay", "wide.iolog", "--target", ".", "--dry-run", "--size")
    refused = iosonde(*argv, "4m")
    assert refused.status == 2
    assert "lie beyond the target's end" in refused.stderr
    assert iosonde(*argv, "16m").status == 0
    assert iosonde(*argv, "4m", "--fit", "wrap").status == 0


def test_what_it_would_run_is_shown(iosonde: Iosonde, tmp_path: Path) -> None:
    path = trace(tmp_path / "t.iolog", [0.001] * 9)
    done = iosonde("replay", str(path), "--target", ".", "--in-flight", "7", "--dry-run")
    assert "DIRECTORY/replayed.bin 7 1" in done.stdout
    assert {place.name for place in tmp_path.glob("*")} <= {path.name, "store.sqlite"}
