"""A batch of ten settings, cut off or struck by a loss of power at every single command.

The host ends with all old or all confirmed values, every time. Nothing is shared with the host but
the connection that is lost, so this is asked of the library, command by command.
"""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import Callable, Iterator

import pytest

from iosonde.change.settings_journal import JOURNAL, SCRIPT, parse_journal
from iosonde.change.tentative import WantedSetting
from iosonde.hosts import open_host
from iosonde.lab.spec import DiskSpec, LabSpec, NodeSpec
from iosonde.lab.up import up
from iosonde.stack.settable import find, settable
from iosonde.units import MIB
from tests.cli.conftest import COMMAND
from tests.interrupted_host import change_interrupted
from tests.lab.conftest import good, iosonde, ssh

pytestmark = [
    pytest.mark.lab, pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(5400),
]  # fmt: skip

NAME = "test-kills"
NODE = f"lab:{NAME}/n1"
CONFIRM = 30  # seconds: an emulated node on a busy machine is slow
NEW = {
    "vdd.nr_requests": "64", "vdd.scheduler": "none", "vdd.read_ahead_kb": "512",
    "vdd.nomerges": "2", "vm.dirty_bytes": "33554432", "vm.swappiness": "10",
    "net.ipv4.tcp_rmem": "4096 87380 4194304", "eth1.mtu": "4200", "eth1.tx_queue_len": "500",
    "/mnt/d1.atime": "noatime",
}  # fmt: skip
MOUNTED = "mkdir -p /mnt/d1 && mount /dev/disk/by-id/virtio-d1 /mnt/d1"
# The process of sshd that serves the connection over which the lock is held.
CUT = (
    f"pid=$(pgrep -o -f '{SCRIPT} [h]old'); "
    "until grep -q sshd /proc/$pid/comm; do pid=$(ps -o ppid= -p $pid | tr -d ' '); done; "
    "kill -9 $pid"
)
STATE = (
    "cd /sys/block/vdd/queue; cat scheduler nr_requests read_ahead_kb nomerges wbt_lat_usec; "
    "cd /proc/sys/vm; cat dirty_bytes dirty_ratio swappiness; cat ../net/ipv4/tcp_rmem; "
    "cat /sys/class/net/eth1/mtu /sys/class/net/eth1/tx_queue_len; grep /mnt/d1 /proc/mounts"
)


@pytest.fixture(scope="module")
def node() -> Iterator[None]:
    iosonde("lab", "down", NAME)
    disks = (DiskSpec("lab-state", 128 * MIB), DiskSpec("d1", 64 * MIB), DiskSpec("d2", 64 * MIB))
    asyncio.run(up(LabSpec(NAME, (NodeSpec("n1", disks=disks),)), lambda _, __: None))
    try:
        ssh(NAME, "n1", f"mkfs.ext4 -q /dev/disk/by-id/virtio-d1 && {MOUNTED}")
        yield
    finally:
        good("lab", "down", NAME)


async def _tool(*arguments: str) -> None:
    process = await asyncio.create_subprocess_exec(
        *COMMAND, *arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    await process.wait()


async def _wanted() -> list[WantedSetting]:
    host = await open_host(NODE)
    try:
        settables = await settable(host)
        return [WantedSetting(find(settables, name), value) for name, value in NEW.items()]
    finally:
        await host.close()


def state() -> list[str]:
    return ssh(NAME, "n1", STATE).splitlines()


def last() -> tuple[int, str]:
    """The last batch and its state."""
    batches = parse_journal(ssh(NAME, "n1", f"cat {JOURNAL} || true"))
    number = max(batches, default=0)
    return number, batches[number].state if batches else ""


def settled() -> str:
    limit = time.monotonic() + CONFIRM + 60
    while last()[1] == "open" and time.monotonic() < limit:
        time.sleep(1)
    return last()[1]


def _confirmed(now: list[str]) -> bool:
    return now[1] == "64" and now[7] == "10" and now[9] == "4200" and "noatime" in now[-1]


def _steps(
    *arguments: str, booted: Callable[[], None] | None = None, confirm: float = CONFIRM
) -> list[str]:
    """Strike at one command after the other until none is left; what became of each batch."""
    before, ends, at, fell = state(), [], 0, True
    wanted = asyncio.run(_wanted())
    while fell:
        at += 1
        first = last()[0]
        fell, said = asyncio.run(
            change_interrupted(NODE, wanted, at, lambda: _tool(*arguments), confirm)
        )
        if fell and booted:
            booted()
            assert state() == before, f"command {at}: {said}"
            ssh(NAME, "n1", f"[ ! -e {SCRIPT} ] || sh {SCRIPT} settle")
        end = settled() if last()[0] > first else "none"
        now = state()
        if end == "confirmed" and not (fell and booted):
            assert _confirmed(now), f"command {at}: {said}: {now}"
        else:
            assert end in {"none", "restored", "lost", "open"}, f"command {at}: {end}"
            assert now == before, f"command {at}: {end}: {said}: {now}"
        ssh(NAME, "n1", f"[ ! -e {SCRIPT} ] || sh {SCRIPT}")
        assert state() == before, f"command {at}"
        ends.append(end)
    assert not said, f"command {at}: {said}"
    return ends


def test_a_connection_that_is_cut_at_any_command_leaves_all_old_or_all_confirmed(
    node: None,
) -> None:
    ends = _steps("lab", "ssh", "--name", NAME, "n1", "--", CUT)
    assert len(ends) > 20
    assert ends[-1] == "confirmed"
    assert ends.count("restored") >= 10


def _start() -> None:
    good("lab", "start", "n1", "--name", NAME)
    ssh(NAME, "n1", f"udevadm settle; mountpoint -q /mnt/d1 || {{ {MOUNTED}; }}")


def test_a_loss_of_power_at_any_command_leaves_all_old(node: None) -> None:
    # No timer outlives the power, so it may be one that the batch that nothing strikes never meets.
    ends = _steps("lab", "kill", "n1", "--name", NAME, booted=_start, confirm=600)
    assert len(ends) > 20
    assert ends.count("lost") >= 10
