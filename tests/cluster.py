"""A real Dask cluster on loopback: a scheduler and two workers, each a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

_DASK = [sys.executable, "-m", "dask"]
_PATIENCE = 100.0  # seconds until the scheduler has said where it is


@contextmanager
def two_workers(directory: Path) -> Iterator[str]:
    """The address of its scheduler."""
    path = directory / "scheduler.json"
    scheduler = ["scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    worker = [
        "worker",
        "--host",
        "127.0.0.1",
        "--nworkers",
        "1",
        "--nthreads",
        "1",
        "--no-dashboard",
    ]
    with ExitStack() as ends:
        for arguments in (scheduler, worker, worker):
            process = subprocess.Popen(
                [*_DASK, *arguments, "--scheduler-file", str(path)], cwd=directory,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )  # fmt: skip
            ends.callback(process.wait, 60)
            ends.callback(process.terminate)
        address = _address(path)
        _wait_for_workers(address)
        yield address


def _address(path: Path) -> str:
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        if path.exists() and (text := path.read_text(encoding="utf-8")):
            return str(json.loads(text)["address"])
        time.sleep(0.1)
    raise TimeoutError("the Dask scheduler did not begin")


def _wait_for_workers(address: str) -> None:
    from distributed import Client

    with Client(address, timeout=f"{_PATIENCE}s", set_as_default=False) as client:
        client.wait_for_workers(2, timeout=_PATIENCE)
