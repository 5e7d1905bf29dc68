"""A batch of settings on a host where root cannot log in: changed, and put back by the host itself.

Settings are queues of a real loop device; the host's state directory is one of the test's.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from iosonde.change.settings_journal import FOLDER, JOURNAL, SCRIPT, parse_journal
from iosonde.change.tentative import WantedSetting
from iosonde.hosts import open_host
from iosonde.stack.settable import find, settable
from tests import sudo
from tests.interrupted_host import change_interrupted
from tests.loop.devices import MIB, loop_device
from tests.loop.queues import Devices

pytestmark = [pytest.mark.root, pytest.mark.slow]

HOST = "sudo:box"
CONFIRM = 5.0  # seconds
NEVER = 10_000


@pytest.fixture
def devices(tmp_path: Path) -> Iterator[Devices]:
    with loop_device(tmp_path / "d1", 16 * MIB) as device:
        made = Devices(device)
        made.reset()
        yield made
        made.reset()


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[sudo.SudoBox]:
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    Path(FOLDER).mkdir(parents=True, exist_ok=True)
    with sudo.server(tmp_path, over={FOLDER: state}) as server:
        monkeypatch.setenv("HOME", str(server.sshd.home))
        yield server


def _run(box: sudo.SudoBox, *argv: str) -> str:
    """What a command prints that sees the host's own mounts."""
    enter = ("nsenter", "--mount", f"--target={box.sshd.pid}")
    return subprocess.run([*enter, *argv], capture_output=True, text=True, check=True).stdout


def _last(box: sudo.SudoBox) -> str:
    batches = parse_journal(_run(box, "cat", JOURNAL))
    return batches[max(batches)].state


async def _wanted(values: dict[str, str]) -> list[WantedSetting]:
    host = await open_host(HOST)
    try:
        all_of_it = await settable(host)
        return [WantedSetting(find(all_of_it, name), value) for name, value in values.items()]
    finally:
        await host.close()


def test_settings_are_changed_confirmed_and_put_back_by_the_host(
    box: sudo.SudoBox, devices: Devices
) -> None:
    (name,) = devices.names
    new = {f"{name}.read_ahead_kb": "512", f"{name}.nr_requests": "77"}
    before = devices.state()
    wanted = asyncio.run(_wanted(new))
    assert asyncio.run(change_interrupted(HOST, wanted, NEVER, _nothing, 60.0)) == (False, "")
    assert _last(box) == "confirmed"
    assert {key: devices.value(key) for key in new} == new
    assert _run(box, "stat", "-c", "%u", JOURNAL, SCRIPT).split() == ["0", "0"]
    _run(box, "sh", SCRIPT)
    assert devices.state() == before

    changed, at = False, 2

    async def cut() -> None:
        nonlocal changed
        changed = devices.state() != before
        if changed:
            for pid in (
                Path(f"/proc/{box.sshd.pid}/task/{box.sshd.pid}/children").read_text().split()
            ):
                os.kill(int(pid), signal.SIGKILL)

    while not changed:  # the first command after which something has changed
        at += 1
        fell, _ = asyncio.run(change_interrupted(HOST, wanted, at, cut, CONFIRM))
        assert fell
        if not changed:
            _run(box, "sh", SCRIPT)
    until = time.monotonic() + CONFIRM + 60
    while _last(box) == "open" and time.monotonic() < until:
        time.sleep(0.2)
    assert _last(box) == "restored"
    assert devices.state() == before


async def _nothing() -> None:
    """Strikes nothing."""
