"""The whole space of settings by Dask: the same as by one process."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from iosonde.errors import HostFailed
from iosonde.predict.search import search
from iosonde.predict.what_if import SettingValues
from iosonde.trace import several
from tests.cli.conftest import COMMAND
from tests.cluster import two_workers
from tests.unit.predict.test_against import question

LOAD = "fio --name=x --rw=randwrite --bs=4k --direct=1 --iodepth=32 --ioengine=libaio"


@pytest.mark.parametrize("dask", ["local", "tcp://127.0.0.1:1"])
@pytest.mark.slow
def test_dask_here_and_nowhere(tmp_path: Path, dask: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    changes = [
        SettingValues("r", "level", ("6", "10", "0", "5")),
        SettingValues("r", "chunk_size", ("16k", "1m")),
    ]
    if dask == "local":
        combinations = search(question(tmp_path), changes, dask=dask)
        assert combinations == search(question(tmp_path), changes, workers=1)
        return
    monkeypatch.setattr(several, "_CONNECT", "1s")
    with pytest.raises(HostFailed, match="no Dask scheduler answers"):
        search(question(tmp_path), changes, dask=dask)


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_cluster_of_two_workers_ranks_the_same(tmp_path: Path) -> None:
    """More combinations than one task has, and some that cannot be."""
    pytest.importorskip("distributed")
    asked = question(tmp_path)
    changes = [
        SettingValues("r", "level", ("0", "3", "5", "6", "10")),
        SettingValues("r", "chunk_size", ("16k", "64k", "256k", "1m")),
    ]
    alone = search(asked, changes, workers=1)
    with two_workers(tmp_path) as address:
        shared = search(asked, changes, dask=address)
        arguments = ["--stack", str(asked.stack), "--load", LOAD, "--set", "r.level=5,6,10"]
        done = [
            subprocess.run(
                [*COMMAND, "predict", *arguments, "--search", "--json", *more],
                check=True, capture_output=True, timeout=200,
            ).stdout
            for more in ([], ["--dask", address])
        ]  # fmt: skip
    assert len(shared) == 20
    assert shared == alone
    assert json.loads(done[0]) == json.loads(done[1])


def test_without_workers_nothing_waits(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=0, processes=True, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        pytest.raises(HostFailed, match="no workers"),
    ):
        search(
            question(tmp_path),
            [SettingValues("r", "level", ("5",))],
            dask=cluster.scheduler_address,
        )
