"""The simulation is held against a real loop device: the same moments, and the same ends."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from iosonde.change.settings_journal import FOLDER, JOURNAL, SCRIPT
from iosonde.change.settings_lock import locked
from iosonde.change.tentative import WantedSetting, change
from iosonde.hosts import open_host
from iosonde.hosts.host import Completed, Host
from iosonde.stack.settable import find, settable
from tests.loop.devices import MIB, loop_device, tool
from tests.loop.queues import USUAL, Devices
from tests.simulation.host import Gone
from tests.simulation.moments import MOMENTS, SCENE, Seen, kinds, name_of
from tests.simulation.scenes import SETS

pytestmark = [
    pytest.mark.root, pytest.mark.slow, pytest.mark.real, pytest.mark.xdist_group("settings"),
]  # fmt: skip
CONFIRM = 15.0  # seconds: all commands of a change, where others work


@pytest.fixture
def device(tmp_path: Path) -> Iterator[Devices]:
    there = Path(FOLDER).exists()
    with loop_device(tmp_path / "image", 16 * MIB) as path:
        made = Devices(path)
        made.reset()
        yield made
        if Path(SCRIPT).exists():
            tool("sh", SCRIPT)
        made.reset()
    if not there:
        for name in ("journal", "rollback", "lock", "owner", "busy", "since"):
            Path(FOLDER, name).unlink(missing_ok=True)


@pytest.fixture(scope="module")
def simulated() -> dict[str, list[Seen]]:
    argv = [sys.executable, "-m", "tests.simulation.moments"]
    said = subprocess.run(argv, stdout=subprocess.PIPE, check=True, timeout=100).stdout
    groups: dict[str, list[Seen]] = json.loads(said)
    return groups


class _Dying:
    """A host that its controller has no more to do with as soon as a command has ended there."""

    def __init__(self, host: Host, moment: str) -> None:
        self._host, self._moment = host, moment

    def __getattr__(self, name: str) -> Any:
        return getattr(self._host, name)

    async def run(self, argv: Sequence[str], **more: Any) -> Completed:
        """See `Host.run`."""
        if not self._moment:
            raise Gone
        done = await self._host.run(argv, **more)
        if name_of(argv) == self._moment:
            self._moment = ""
            raise Gone
        return done


async def _struck(device: Devices, moment: str) -> None:
    host = await open_host("local")
    try:
        settables = await settable(host)
        wanted = [
            WantedSetting(find(settables, name.replace("sda", device.names[0])), value)
            for name, value in SETS[SCENE].items()
        ]
        dying: Any = _Dying(host, moment)
        async with locked(dying, "a test") as journal:
            await change(dying, journal, wanted, owner="a test", confirm=CONFIRM)
    except Gone:
        pass
    finally:
        await host.close()


def _seen(device: Devices) -> Seen:
    values = [device.value(name.replace("sda", device.names[0])) for name in SETS[SCENE]]
    return {"settings": values, "journal": kinds(Path(JOURNAL).read_text())}


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_real_device_ends_as_the_simulated_one(
    device: Devices, simulated: dict[str, list[Seen]], moment: str
) -> None:
    assert {USUAL[name.partition(".")[2]] for name in SETS[SCENE]} == {"128", "0"}
    asyncio.run(_struck(device, moment))
    assert _seen(device) == simulated[moment][0]
    end = time.monotonic() + CONFIRM + 20
    while _seen(device) != simulated[moment][1] and time.monotonic() < end:
        time.sleep(0.2)
    assert _seen(device) == simulated[moment][1]
    tool("sh", SCRIPT)
    assert _seen(device) == simulated[moment][2]
