"""Several traces at once: the same as one after the other, by threads and by a cluster."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from iosonde.errors import UsageError
from iosonde.records.trace import Description
from iosonde.trace.describe import describe
from iosonde.trace.read import TraceSource, sources
from iosonde.trace.several import by_dask, by_threads
from tests.cli.conftest import COMMAND
from tests.unit.trace.sample import FORMATS, requests, text

_CLUSTER = """
from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
    ) as cluster:
        print(cluster.scheduler_address, len(cluster.workers), flush=True)
        input()
"""


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    names = []
    for number in range(8):
        path = tmp_path / f"trace-{number}"
        path.write_bytes(text(sorted(FORMATS)[number % 7], requests(500, seed=number)))
        names.append(str(path))
    return names


def work(source: TraceSource, go_on: Callable[[], bool]) -> Description:
    return describe(source, go_on=go_on)


def test_an_interrupted_thread_ends_the_others(files: list[str]) -> None:
    asked = []

    def interrupted(source: TraceSource, go_on: Callable[[], bool]) -> int:
        if source.name == files[0]:
            raise KeyboardInterrupt
        while go_on():
            time.sleep(0.01)
        asked.append(source)
        return 0

    with pytest.raises(KeyboardInterrupt):
        by_threads(interrupted, sources(files), threads=2)
    assert len(asked) <= 2


def test_a_reading_ends_when_it_is_told_to(files: list[str]) -> None:
    with pytest.raises(KeyboardInterrupt):
        describe(sources(files)[0], go_on=lambda: False)


def test_threads_change_nothing(files: list[str]) -> None:
    given = sources(files)
    alone = [describe(source) for source in given]
    assert by_threads(work, given, threads=4) == alone
    assert by_threads(work, given, threads=1) == alone


def test_an_error_of_one_is_raised(files: list[str]) -> None:
    Path(files[3]).write_text("no trace\n")
    with pytest.raises(UsageError, match="known format"):
        by_threads(work, sources(files), threads=3)


def test_without_dask_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match="not installed") as refused:
        by_dask(str, ["x"], address="tcp://127.0.0.1:1")
    assert "iosonde[dask]" in refused.value.hint


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="needs Dask, of the extra `dask`"
)
def test_a_cluster_of_two_workers_says_the_same(files: list[str], tmp_path: Path) -> None:
    script = tmp_path / "cluster.py"
    script.write_text(_CLUSTER)
    with subprocess.Popen(
        [sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as cluster:
        assert cluster.stdout is not None
        try:
            address, workers = cluster.stdout.readline().split()
            assert workers == "2"
            alone, together = (
                subprocess.run(
                    [*COMMAND, "trace", "describe", *files, "--json", *options],
                    check=True, capture_output=True, timeout=100,
                ).stdout
                for options in ([], ["--dask", address])
            )  # fmt: skip
        finally:
            cluster.communicate("\n", timeout=60)
    assert json.loads(together) == json.loads(alone)
