"""A campaign whose device is gone when it is to go on."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from tests.cli.test_tune import LOOP, Iosonde, Queue, queue, start, tuned, until
from tests.loop.devices import tool

__all__ = ["queue"]
pytestmark = LOOP


def test_a_device_that_is_gone_is_named_and_the_campaign_goes_on_when_it_is_back(
    iosonde: Iosonde, queue: Queue, tmp_path: Path, environment: dict[str, str]
) -> None:
    before = queue.state()
    process = start(environment, tmp_path, str(queue.study(tmp_path, depth_only=True)))
    until(process, " left (", times=5)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    tool("losetup", "--detach", queue.device)
    try:
        ended = iosonde("tune", "--resume")
    finally:
        tool("losetup", "--direct-io=on", queue.device, tmp_path / "image")
    assert ended.status == 4
    assert f"{queue.name}.nr_requests" in ended.stderr
    assert "is a device gone?" in ended.stderr, ended.stderr
    document = tuned(iosonde("tune", "--resume", "--json", timeout=350))
    assert document["winner"]["confirmed"]
    assert document["measurements"] > 5
    assert queue.state() == before
