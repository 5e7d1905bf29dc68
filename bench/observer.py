"""What observing costs: CPU of a core against iostat and sar, and fio's IOPS with it on and off.

All watch the same seconds of the same machine, started together: idle, then while fio reads. The
observer does what `iosonde run` has it do each second, the live line included. CPU time is what the
kernel accounts to each process and its children, from /proc/PID/task/*/schedstat in nanoseconds,
without start-up. For a host over ssh it is that of the server on the host, not of the client.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from bench.figures import ROUNDS, medians
from iosonde.errors import LoadFailed
from iosonde.records.bench import BenchFigure
from tests import sshd

_WATCH = """
import asyncio, sys
from iosonde.hosts import open_host
from iosonde.monitors.observer import Observer
async def main(address, device):
    async with Observer(await open_host(address), devices=(device,)) as observer:
        while True:
            await asyncio.sleep(1.0)
            observer.live(device), observer.background()
asyncio.run(main(*sys.argv[1:]))
"""
_PARSE = """
import asyncio, json, sys, time
from iosonde.hosts.local import LocalHost
from iosonde.monitors.observer import Observer
async def main(device, readings):
    async with Observer(LocalHost(), devices=(device,), interval=0.02) as observer:
        while True:
            await asyncio.sleep(0.2)
            observer.live(device)
            kept = sum(map(len, observer._packed))
            if len(observer._packed) * 64 >= readings:
                break
    begin = time.process_time()
    series = observer.series()
    count = len(series[0].times)
    print(json.dumps([(time.process_time() - begin) / count, kept / len(observer._packed) / 64]))
asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""
_PEERS = {
    "iostat -x 1": ["iostat", "-x", "1"],
    "sar -d 1": ["sar", "-d", "1"],
    "sar -A 1": ["sar", "-A", "1"],
}
_T_7 = 2.365  # 97.5 % point of Student's t with 7 degrees of freedom: 8 pairs
_PAIRS = 8


def _cpu(pid: int) -> float:
    """CPU seconds of all threads of a process and its children; of one that just ended none."""
    total = 0.0
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            children = (task / "children").read_text().split()
            total += int((task / "schedstat").read_text().split()[0]) / 1e9
            total += sum(_cpu(int(child)) for child in children)
    except (FileNotFoundError, ProcessLookupError):
        pass
    return total


@contextmanager
def _started(argv: list[str], home: Path | None = None) -> Iterator[int]:
    """A process that goes on until the block ends; yields its pid."""
    environment = {**os.environ, "HOME": str(home)} if home else None
    child = subprocess.Popen(argv, stdout=subprocess.DEVNULL, env=environment)
    try:
        yield child.pid
    finally:
        child.terminate()
        child.wait()


def _shares(seconds: float, device: str, busy: Path | None) -> dict[str, float]:
    """Share of a core that each watcher takes, all at once; `busy`: while fio reads that file."""
    with ExitStack() as stack:
        enter = stack.enter_context
        box = enter(sshd.server(Path(enter(tempfile.TemporaryDirectory()))))
        watch = [sys.executable, "-c", _WATCH]
        pids = {"local": enter(_started([*watch, "local", device]))}
        enter(_started([*watch, box.address, device], home=box.home))
        pids["over ssh"] = box.pid
        pids |= {name: enter(_started(argv)) for name, argv in _PEERS.items()}
        if busy:
            enter(_started(_fio(busy, round(seconds) + 30)))
        time.sleep(3)
        begin = time.monotonic()
        before = {name: _cpu(pid) for name, pid in pids.items()}
        time.sleep(seconds)
        spent = {name: _cpu(pid) - before[name] for name, pid in pids.items()}
        passed = time.monotonic() - begin
    return {name: cpu / passed for name, cpu in spent.items()}


def _fio(file: Path, seconds: int) -> list[str]:
    """4 KiB random reads at depth 8 of one job, past the page cache."""
    return [
        "fio", "--name=o", f"--filename={file}", "--rw=randread", "--bs=4k", "--direct=1",
        "--ioengine=libaio", "--iodepth=8", "--time_based", f"--runtime={seconds}",
        "--output-format=json", "--readonly",
    ]  # fmt: skip


def _iops(file: Path, seconds: int, device: str, *, observed: bool) -> float:
    with ExitStack() as stack:
        if observed:
            watch = [sys.executable, "-c", _WATCH, "local", device]
            stack.enter_context(_started(watch))
        time.sleep(0.7)
        done = subprocess.run(_fio(file, seconds), check=False, capture_output=True, text=True)
    if done.returncode:
        raise LoadFailed(
            f"fio cannot read past the page cache: {done.stderr.strip()}",
            where=str(file),
            hint="start the benchmark on another file system",
        )
    job: dict[str, Any] = json.loads(done.stdout)["jobs"][0]
    return float(job["read"]["iops"])


def _kept(file: Path, device: str, *, quick: bool) -> BenchFigure:
    """The IOPS of fio with the observer as a share of those without, pairs in changing order."""
    seconds, pairs = (1, 1) if quick else (5, _PAIRS)
    ratios = []
    for number in range(pairs):
        order = (True, False) if number % 2 else (False, True)
        seen = {flag: _iops(file, seconds, device, observed=flag) for flag in order}
        ratios.append(seen[True] / seen[False])
    mean = statistics.mean(ratios)
    interval = None
    if pairs == _PAIRS:
        half = _T_7 * statistics.stdev(ratios) / pairs**0.5
        interval = (mean - half, mean + half)
    return BenchFigure("observer.iops kept", mean, "fraction", "fio alone", mean, interval)


def _afterwards(device: str, *, quick: bool) -> list[BenchFigure]:
    """What is parsed when the load is over, and what is kept until then, of each reading."""
    argv = [sys.executable, "-c", _PARSE, device, "64" if quick else "192"]
    rounds = []
    for _ in range(1 if quick else ROUNDS):
        done = subprocess.run(argv, check=True, capture_output=True, text=True)
        rounds.append(dict(zip(("parse", "kept"), json.loads(done.stdout), strict=True)))
    median = medians(rounds)
    return [
        BenchFigure("observer.parsing a reading, afterwards", median["parse"], "s"),
        BenchFigure("observer.memory of a reading", median["kept"], "B"),
    ]


def _disk(path: Path) -> str:
    """Kernel name of the device a path lies on."""
    number = path.stat().st_dev
    return Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}").resolve().name


def run(*, quick: bool) -> list[BenchFigure]:
    """Cost idle and under fio; IOPS with and without; what is left for afterwards."""
    figures = []
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix="bench-") as place:
        file, device = Path(place) / "scratch", _disk(Path(place))
        with file.open("wb") as out:
            out.write(os.urandom(64 * 2**20))
            os.fsync(out.fileno())  # else writing it back would load what is to be idle
        for state, busy in (("idle", None), ("under fio", file)):
            count, seconds = (1, 3) if quick else (ROUNDS, 15)
            share = medians([_shares(seconds, device, busy) for _ in range(count)])
            figures += [
                BenchFigure(f"observer.cores {where}, {state}", share[where], "fraction",
                       f"{peer} ({share[peer]:.3%})", share[peer] / share[where])
                for where in ("local", "over ssh") for peer in _PEERS
            ]  # fmt: skip
        figures.append(_kept(file, device, quick=quick))
        figures += _afterwards(device, quick=quick)
    return figures
