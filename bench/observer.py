"""What observing costs: CPU of a core against iostat and sar, and fio's IOPS with it on and off.

All watch the same seconds of the same machine, started together. CPU time is what the kernel
accounts to each process, from /proc/PID/schedstat in nanoseconds, without start-up: from a second
after the start to the end.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

_SCRIPT = """
import asyncio
from iosonde.hosts.local import LocalHost
from iosonde.observe.observer import Observer
async def main():
    async with Observer(LocalHost()):
        await asyncio.sleep(3600)
asyncio.run(main())
"""
_PEERS = {"iostat -x 1": ["iostat", "-x", "1"], "sar -A 1": ["sar", "-A", "1"]}


def _cpu(pid: int) -> float:
    """CPU seconds of all threads of a process and its children."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        total += int((task / "schedstat").read_text().split()[0])
        for child in (task / "children").read_text().split():
            total += round(_cpu(int(child)) * 1e9)
    return total / 1e9


def _shares(seconds: float) -> dict[str, float]:
    """Share of a core that each watcher takes, all at once."""
    commands = {"iosonde": [sys.executable, "-c", _SCRIPT], **_PEERS}
    watchers = {
        name: subprocess.Popen(argv, stdout=subprocess.DEVNULL) for name, argv in commands.items()
    }
    try:
        time.sleep(3)
        begin = time.monotonic()
        before = {name: _cpu(watcher.pid) for name, watcher in watchers.items()}
        time.sleep(seconds)
        spent = {name: _cpu(watcher.pid) - before[name] for name, watcher in watchers.items()}
        passed = time.monotonic() - begin
    finally:
        for watcher in watchers.values():
            watcher.terminate()
            watcher.wait()
    return {name: cpu / passed for name, cpu in spent.items()}


def _iops(file: Path, seconds: int, *, observed: bool) -> float:
    """4 KiB random reads at depth 8 of one job, past the page cache."""
    watcher = subprocess.Popen([sys.executable, "-c", _SCRIPT]) if observed else None
    try:
        time.sleep(0.7)
        done = subprocess.run(
            ["fio", "--name=o", f"--filename={file}", "--rw=randread", "--bs=4k", "--direct=1",
             "--ioengine=libaio", "--iodepth=8", "--time_based", f"--runtime={seconds}",
             "--output-format=json", "--readonly"],
            check=True, capture_output=True,
        )  # fmt: skip
    finally:
        if watcher is not None:
            watcher.terminate()
            watcher.wait()
    iops: float = json.loads(done.stdout)["jobs"][0]["read"]["iops"]
    return iops


def run(*, quick: bool) -> list[dict[str, Any]]:
    """Cost idle; then IOPS with and without, in turns."""
    rounds = [_shares(3 if quick else 20) for _ in range(1 if quick else 3)]
    mine = statistics.median(one["iosonde"] for one in rounds)
    figures: list[dict[str, Any]] = []
    for peer in _PEERS:
        theirs = statistics.median(one[peer] for one in rounds)
        figures.append(
            {"name": "observer.share of a core", "value": mine, "unit": "fraction",
             "against": f"{peer} ({theirs:.3%})", "ratio": theirs / mine}
        )  # fmt: skip
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix="bench-") as place:
        file = Path(place) / "scratch"
        file.write_bytes(os.urandom(64 * 2**20))
        seconds, pairs = (1, 1) if quick else (5, 8)
        ratios = []
        for number in range(pairs):
            order = (True, False) if number % 2 else (False, True)
            seen = {observed: _iops(file, seconds, observed=observed) for observed in order}
            ratios.append(seen[True] / seen[False])
    spread = statistics.stdev(ratios) / len(ratios) ** 0.5 if len(ratios) > 1 else None
    words = "fio alone" if spread is None else f"fio alone (standard error {spread:.2%})"
    figures.append(
        {"name": "observer.iops kept", "value": statistics.mean(ratios), "unit": "fraction",
         "against": words, "ratio": statistics.mean(ratios)}
    )  # fmt: skip
    return figures
