"""Replays on another host over the real sshd, resumed, compared and explained."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import sshd
from tests.cli.conftest import COMMAND, Ended
from tests.cli.test_replay import programs, trace

Iosonde = Callable[..., Ended]
pytestmark = pytest.mark.slow


def test_a_replay_on_another_host_is_resumed_compared_and_explained(
    iosonde: Iosonde, environment: dict[str, str], tmp_path: Path
) -> None:
    path, place = trace(tmp_path / "t.iolog", [0.02] * 60), tmp_path / "place"
    place.mkdir()
    with sshd.server(tmp_path, name="box"):
        row = ("trace", "replay", str(path), "--target", f"box:{place}", "--loops", "3")
        process = subprocess.Popen(
            [*COMMAND, *row], env=environment, cwd=tmp_path, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        end = time.monotonic() + 60
        while not programs(place) and time.monotonic() < end:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1]
        assert process.returncode == 130, said
        assert list(place.iterdir()) == []
        resumed = iosonde("run", "--resume")
        assert resumed.status == 0, resumed.stderr
        run = json.loads(iosonde("export", "last", "--format", "json").stdout)
        (trial,) = run["trials"]
        assert trial["host"] == "box"
        assert len(trial["metrics"]["arrival.error.p99"]["loops"]) == 3
        assert list(place.iterdir()) == []
        again = iosonde(*row)
        assert again.status in {0, 1}, again.stderr  # 1: a busy machine lags
    second = json.loads(iosonde("export", "last", "--format", "json").stdout)
    compared = iosonde("compare", run["id"], second["id"], "--json")
    metrics = {verdict["metric"] for verdict in compared.json["verdicts"]}
    assert {"read.latency.p99", "write.latency.p99", "arrival.error.p99"} <= metrics
    explained = iosonde("explain", run["id"], "--json").json
    assert explained["recognised"] >= 1
    assert iosonde("report", run["id"], "-o", "page.html").status == 0
    page = (tmp_path / "page.html").read_text()
    assert "rate was kept" in page or "rate was not kept" in page
