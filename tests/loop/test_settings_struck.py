"""A batch of ten settings, cut off or struck by a loss of power at every single command.

The host is an sshd in namespaces of its own: its processes end all at once, its journal lies on a
file system of its own, of which a loss of power leaves what was on the disk, and the kernel's
boot_id is another one after it. Its settings are queues of real loop devices.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from iosonde.change.settings_journal import FOLDER, JOURNAL, SCRIPT, parse_journal
from iosonde.change.tentative import WantedSetting
from iosonde.hosts import open_host
from iosonde.stack.settable import find, settable
from tests import sshd
from tests.interrupted_host import change_interrupted
from tests.loop.devices import MIB, loop_device, tool
from tests.loop.queues import Devices

pytestmark = [
    pytest.mark.root, pytest.mark.slow,
    pytest.mark.timeout(1200),
]  # fmt: skip

# What lies between the commands that are struck is simulated (tests/simulation). An odd stride
# strikes before a command and within one by turns.
STRIDES = pytest.mark.parametrize(
    "stride", [pytest.param(7, marks=pytest.mark.real), pytest.param(1, marks=pytest.mark.long)]
)
CONFIRM = 10.0  # seconds: a busy machine takes some for the whole batch
_WITHIN = (
    'mount -o loop "$1" "$3" && mount --bind "$2" /proc/sys/kernel/random/boot_id && shift 3 && '
    'exec "$@"'
)


class Box:
    """The host: started, cut off, struck by a loss of power."""

    def __init__(self, place: Path, devices: Devices) -> None:
        self.place, self.devices = place, devices
        self.ssh = sshd.configure(place)
        self.image = place / "disk0"
        with self.image.open("wb") as file:
            file.truncate(8 * MIB)
        tool("mkfs.ext4", "-q", self.image)
        Path(FOLDER).mkdir(parents=True, exist_ok=True)
        self.boots = 0
        self.start()

    def start(self) -> None:
        """Boot it: its settings are the kernel's."""
        self.devices.reset()
        boot = self.place / "boot_id"
        boot.write_text(f"{uuid.uuid4()}\n")
        self.boots += 1
        self.process = sshd.start(
            self.ssh,
            ("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c",
             _WITHIN, "sh", str(self.image), str(boot), FOLDER),
        )  # fmt: skip

    @property
    def first(self) -> int:
        """The server's process, as seen from here."""
        return int(Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text())

    def run(self, *arguments: str) -> str:
        """What a command in the host's namespaces prints."""
        enter = ("nsenter", "--target", str(self.first), "--mount", "--pid")
        return subprocess.run(
            [*enter, *arguments], capture_output=True, text=True, check=True, timeout=60
        ).stdout

    async def cut(self) -> None:
        """All connections end; what runs on the host runs on."""
        children = Path(f"/proc/{self.first}/task/{self.first}/children").read_text()
        for pid in children.split():
            if b"sshd" in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(int(pid), signal.SIGKILL)

    async def lose_power(self) -> None:
        """What has not come to the disk is lost; then it is booted again."""
        after = self.place / f"disk{self.boots}"
        shutil.copyfile(self.image, after)
        self.process.kill()
        self.process.wait(10)
        self.image = after

    def journal(self) -> str:
        return self.run("sh", "-c", f"[ ! -e {JOURNAL} ] || cat {JOURNAL}")

    def last(self) -> tuple[int, str]:
        batches = parse_journal(self.journal())
        number = max(batches, default=0)
        return number, batches[number].state if batches else ""


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Box]:
    with ExitStack() as stack:
        names = [stack.enter_context(loop_device(tmp_path / f"d{n}", 16 * MIB)) for n in "12"]
        devices = Devices(*names)
        made = Box(tmp_path, devices)
        monkeypatch.setenv("HOME", str(made.ssh.home))
        yield made
        made.process.kill()
        made.process.wait(10)
        devices.reset()


async def _wanted(box: Box) -> list[WantedSetting]:
    host = await open_host(box.ssh.address)
    try:
        settables = await settable(host)
        return [
            WantedSetting(find(settables, name), value) for name, value in box.devices.ten().items()
        ]
    finally:
        await host.close()


def _settled(box: Box) -> str:
    end = time.monotonic() + CONFIRM + 30
    while box.last()[1] == "open" and time.monotonic() < end:
        time.sleep(0.2)
    return box.last()[1]


@STRIDES
def test_cut_off_at_any_command_all_are_old_or_all_are_confirmed(box: Box, stride: int) -> None:
    wanted, before, new = asyncio.run(_wanted(box)), box.devices.state(), box.devices.ten()
    ends, partly, at, fell = [], 0, 0, True
    while fell:
        at += stride
        first = box.last()[0]
        fell, said = asyncio.run(change_interrupted(box.ssh.address, wanted, at, box.cut, CONFIRM))
        now = box.devices.state()
        partly += now != before and any(now[name] != value for name, value in new.items())
        end = _settled(box) if box.last()[0] > first else "none"
        now = box.devices.state()
        if end == "confirmed":
            assert {name: now[name] for name in new} == new, f"command {at}: {said}"
        else:  # "open": in the journal, and nobody watched yet
            assert end in {"none", "open", "restored"}, f"command {at}: {said}"
            assert now == before, f"command {at}: {end}: {said}"
        box.run("sh", SCRIPT)
        assert box.devices.state() == before, f"command {at}"
        ends.append(end)
    assert at > 25
    assert ends.count("restored") >= 12 // stride
    done = asyncio.run(change_interrupted(box.ssh.address, wanted, at + 99, box.cut, 60.0))
    assert done == (False, "")
    assert box.last()[1] == "confirmed"
    now = box.devices.state()
    assert {name: now[name] for name in new} == new
    box.run("sh", SCRIPT)
    assert partly >= 5 // stride


@STRIDES
def test_after_a_loss_of_power_at_any_command_all_are_old_and_the_journal_says_so(
    box: Box, stride: int
) -> None:
    wanted, before = asyncio.run(_wanted(box)), box.devices.state()
    ends, at, fell = [], 0, True
    while fell:
        at += stride
        first = box.last()[0]
        fell, said = asyncio.run(
            change_interrupted(box.ssh.address, wanted, at, box.lose_power, CONFIRM)
        )
        if fell:
            assert box.process.poll() is not None
            box.start()
            assert box.devices.state() == before
            box.run("sh", "-c", f"[ ! -e {SCRIPT} ] || sh {SCRIPT} settle")
        else:
            box.run("sh", SCRIPT)
        number, end = box.last()
        ends.append(end if number > first else "none")
        assert ends[-1] in {"none", "lost", "restored"} if fell else ends[-1] == "restored"
        assert box.devices.state() == before, f"command {at}: {said}"
        assert box.run("sh", "-c", f"[ ! -e {SCRIPT} ] || sh {SCRIPT} list") == ""
    assert at > 25
    assert ends.count("lost") >= 12 // stride
