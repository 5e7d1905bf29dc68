"""Settings of real hosts: changed, killed at many steps, kept over a reboot, put back."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator

import pytest

from iosonde.change.settings_journal import JOURNAL, SCRIPT, SettingsBatch, parse_journal
from iosonde.hosts.command import quote
from iosonde.lab.spec import DiskSpec, LabSpec, NodeSpec
from iosonde.lab.up import up
from iosonde.units import MIB
from tests.lab.conftest import good, iosonde, ssh, started

pytestmark = [pytest.mark.lab, pytest.mark.slow, pytest.mark.timeout(1200)]

NAME = "test-settings"
CLIENT, SERVER = f"lab:{NAME}/n1", f"lab:{NAME}/n2"
CONFIRM = 40  # seconds: an emulated node on a busy machine is slow
NEW = {
    "vdd.nr_requests": "64", "vdd.scheduler": "none", "vdd.read_ahead_kb": "512",
    "vm.dirty_bytes": "33554432", "vm.swappiness": "10", "net.ipv4.tcp_rmem": "4096 87380 4194304",
    "eth1.mtu": "4200", "eth1.gro": "off", "/mnt/d1.atime": "noatime", "/mnt/d1.commit": "30",
}  # fmt: skip
SERVE = (
    "mkfs.ext4 -q /dev/disk/by-id/virtio-d1 && mkdir -p /srv/x /run/rpc_pipefs /etc/exports.d && "
    "mount /dev/disk/by-id/virtio-d1 /srv/x && modprobe nfsd && "
    "mount -t nfsd nfsd /proc/fs/nfsd && mount -t rpc_pipefs sunrpc /run/rpc_pipefs && "
    "rpcbind -w && rpc.mountd && "
    "echo '/srv/x *(rw,sync,no_subtree_check,fsid=0)' > /etc/exports.d/x.exports && "
    "exportfs -ra && rpc.nfsd 4"
)
MOUNT = (
    "mkfs.ext4 -q /dev/disk/by-id/virtio-d1 && mkdir -p /mnt/d1 /mnt/n && "
    "echo '/dev/disk/by-id/virtio-d1 /mnt/d1 ext4 defaults 0 0' >> /etc/fstab && mount /mnt/d1"
)
IMPORT = "modprobe nfs && mount -t nfs -o vers=4.2 10.9.0.2:/ /mnt/n"
# What systemd would do at boot: nodes of the lab have none.
BOOTED = f"sysctl --system >/dev/null; mount /mnt/d1; {IMPORT}"


@pytest.fixture(scope="module")
def pair() -> Iterator[None]:
    iosonde("lab", "down", NAME)
    disks = (DiskSpec("lab-state", 128 * MIB), DiskSpec("d1", 64 * MIB), DiskSpec("d2", 64 * MIB))
    nodes = (NodeSpec("n1", disks=disks), NodeSpec("n2", disks=disks[1:2]))
    asyncio.run(up(LabSpec(NAME, nodes), lambda _, __: None))
    try:
        ssh(NAME, "n2", f"{SERVE}")
        ssh(NAME, "n1", f"{MOUNT} && {IMPORT}")
        yield
    finally:
        good("lab", "down", NAME)


def state() -> dict[int, str]:
    """The ten settings and those they disturb, as the node itself shows them."""
    message = ssh(
        NAME, "n1",
        "cd /sys/block/vdd/queue; cat scheduler nr_requests read_ahead_kb wbt_lat_usec; "
        "cd /proc/sys/vm; cat dirty_bytes dirty_ratio swappiness; cat ../net/ipv4/tcp_rmem; "
        "cat /sys/class/net/eth1/mtu; ethtool -k eth1 | grep ^generic-receive; "
        "grep /mnt/d1 /proc/mounts",
    )  # fmt: skip
    return dict(enumerate(message.splitlines()))


def journal() -> dict[int, SettingsBatch]:
    return parse_journal(ssh(NAME, "n1", f"cat {JOURNAL} || true"))


def assignments() -> list[str]:
    return [f"{name}={value}" for name, value in NEW.items()]


def changing(
    stop: str, then: Callable[[subprocess.Popen[str]], object], confirm: int = CONFIRM
) -> tuple[int, str]:
    """Run `set`, and do something as soon as a command that holds a text is announced."""
    options = ("--host", CLIENT, "--trace", "--confirm", str(confirm))
    with started("set", *options, *assignments(), stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        said, done = [], False
        for line in process.stderr:
            said.append(line)
            if not done and line.startswith("+ ") and stop in line:
                done = True
                then(process)
        assert done, f"{stop!r} never came: {''.join(said)[-2000:]}"
        return process.wait(), "".join(said)


def settled(number: int) -> str:
    limit = time.monotonic() + CONFIRM + 180  # an emulated node beside other nodes
    while True:
        batch = journal().get(number)
        state = batch.state if batch else ""
        if state != "open" or time.monotonic() > limit:
            return state
        time.sleep(1)


def kill(process: subprocess.Popen[str]) -> None:
    os.kill(process.pid, signal.SIGKILL)


@pytest.mark.long
def test_what_is_set_is_read_back_and_put_back(pair: None) -> None:
    before = state()
    document = good("set", "--host", CLIENT, "--json", "--confirm", "600", *assignments()).document[
        "changes"
    ]
    states = {record["name"]: record["state"] for record in document}
    assert states["vm.dirty_ratio"] == "beside"
    assert [record["state"] for record in document].count("changed") == 10
    now = state()
    assert all(now[key] != before[key] for key in now if before[key] != "75000")
    good("rollback", CLIENT)
    assert state() == before


@pytest.mark.long
def test_threads_of_the_server(pair: None) -> None:
    good("set", "--host", SERVER, "nfs_server:/srv/x.threads=16")
    assert ssh(NAME, "n2", "cat /proc/fs/nfsd/threads").strip() == "16"
    good("persist", SERVER)
    assert ssh(NAME, "n2", "nfsconf --get nfsd threads").strip() == "16"
    good("persist", SERVER, "--undo")
    assert ssh(NAME, "n2", "nfsconf --get nfsd threads || true").strip() != "16"
    good("rollback", SERVER)
    assert ssh(NAME, "n2", "cat /proc/fs/nfsd/threads").strip() == "4"


@pytest.mark.parametrize(
    "stop",
    [
        *(pytest.param(choice, marks=pytest.mark.long)
          for choice in ("rollback begin", "rollback arm", "scheduler none", "nr_requests 64",
                      "mtu 4200", "gro off", "atime", "commit=30", "head -c",
                      "rollback confirm")),
        "swappiness 10",
    ],
)  # fmt: skip
def test_a_controller_that_is_killed_leaves_all_old_or_all_confirmed(pair: None, stop: str) -> None:
    before, number = state(), max(journal(), default=0) + 1
    status, _ = changing(stop, kill)
    assert status == -signal.SIGKILL
    end = settled(number)
    assert end in {"", "open", "restored", "confirmed"}
    if end == "confirmed":
        assert stop == "rollback confirm"
        good("rollback", CLIENT)
    elif end == "open":
        assert stop == "rollback arm"  # journalled, nothing changed, nobody watches yet
    assert state() == before


@pytest.mark.long
def test_a_connection_that_is_cut_is_waited_for_by_the_host_alone(pair: None) -> None:
    before, number = state(), max(journal(), default=0) + 1
    cut = (
        "pid=$(pgrep -o -f 'rollback [h]old'); "
        "until grep -q sshd /proc/$pid/comm; do pid=$(ps -o ppid= -p $pid | tr -d ' '); done; "
        "kill -9 $pid"
    )
    status, said = changing("swappiness 10", lambda _: ssh(NAME, "n1", cut))
    assert status == 4
    assert "by itself" in said
    assert settled(number) == "restored"
    assert state() == before


# As by a switch that carries no long frames: those from 1024 bytes on are lost. At 900 all pass.
NARROW = (
    "ethtool -K eth0 tso off gso off && ip link set eth0 mtu 900 && ip route flush cache && "
    "tc qdisc add dev eth0 root handle 1: prio && tc filter add dev eth0 parent 1: protocol ip "
    "prio 1 u32 match u16 0x0400 0x0400 at 2 action drop"
)
WIDE = "tc qdisc del dev eth0 root; ip link set eth0 mtu 1500; ethtool -K eth0 tso on gso on; true"


def test_an_mtu_that_cuts_the_connection_is_put_back_by_the_host_alone(pair: None) -> None:
    number = max(journal(), default=0) + 1
    ssh(NAME, "n1", NARROW)
    try:
        ended = iosonde("set", "--host", CLIENT, "eth0.mtu=1500", "--confirm", str(CONFIRM))
        assert ended.status == 4
        assert settled(number) == "restored"
        assert ssh(NAME, "n1", "cat /sys/class/net/eth0/mtu").strip() == "900"
    finally:
        ssh(NAME, "n1", WIDE)


@pytest.mark.long
def test_what_is_kept_outlives_a_power_failure_and_what_is_not_does_not(pair: None) -> None:
    before = state()
    good("set", "--host", CLIENT, *assignments())
    changed = state()
    shown = good("persist", CLIENT, "--diff").out
    assert 'ENV{ID_SERIAL}=="d2", ATTR{queue/scheduler}="none"' in shown
    document = good("persist", CLIENT, "--study", "night", "--json").document
    assert len(document["settings"]) == 10
    assert json.loads(good("rollback", CLIENT, "--json").out)["settings"] == []
    good("set", "--host", CLIENT, "vdd.nomerges=2", "vm.vfs_cache_pressure=50")
    ssh(NAME, "n1", "sync")
    good("lab", "kill", "n1", "--name", NAME)
    good("lab", "start", "n1", "--name", NAME)
    ssh(NAME, "n1", f"udevadm settle; {BOOTED}")
    assert state() == changed
    rest = ssh(NAME, "n1", "cat /sys/block/vdd/queue/nomerges /proc/sys/vm/vfs_cache_pressure")
    assert rest.split() == ["0", "100"]
    assert "ended with the last boot" in good("rollback", CLIENT).out
    assert [batch.state for batch in journal().values()][-2:] == ["kept", "lost"]
    good("persist", CLIENT, "--undo")
    good("lab", "kill", "n1", "--name", NAME)
    good("lab", "start", "n1", "--name", NAME)
    ssh(NAME, "n1", f"udevadm settle; {BOOTED}")
    assert state() == before
    ssh(NAME, "n1", "test ! -e /etc/udev/rules.d/99-zz-iosonde.rules")


# What happens at a boot once udev runs: the driver finds the interface, the kernel calls it ethN,
# and udev renames it. The lab's first process has it up before udev begins, which forbids that.
FOUND_ANEW = (
    "umount /mnt/n; one=$(ls -d /sys/class/net/{name}/device/driver) && "
    "device=$(basename $(readlink -f /sys/class/net/{name}/device)) && "
    "driver=$(readlink -f $one) && echo $device >$driver/unbind && echo $device >$driver/bind && "
    "udevadm settle && until ip address add 10.9.0.1/24 dev lan0; do sleep 0.2; done && "
    "ip link set lan0 up && {imported}"
)
LINK = "[Match]\nMACAddress={address}\n[Link]\nName=lan0\n"


@pytest.mark.long
def test_what_is_kept_of_an_interface_that_udev_renames_outlives_a_boot(pair: None) -> None:
    address = ssh(NAME, "n1", "cat /sys/class/net/eth1/address").strip()
    ssh(
        NAME,
        "n1",
        f"printf {quote((LINK.format(address=address),))} "
        f">/etc/systemd/network/10-lan.link; {FOUND_ANEW.format(name='eth1', imported=IMPORT)}",
    )
    look = "cat /sys/class/net/lan0/mtu; ethtool -k lan0 | grep ^generic-receive"
    good("set", "--host", CLIENT, "lan0.mtu=4200", "lan0.gro=off")
    changed = ssh(NAME, "n1", look)
    assert changed.split() == ["4200", "generic-receive-offload:", "off"]
    good("persist", CLIENT)
    ssh(NAME, "n1", "sync")
    good("lab", "kill", "n1", "--name", NAME)
    good("lab", "start", "n1", "--name", NAME)
    assert ssh(NAME, "n1", "udevadm settle; cat /sys/class/net/eth1/mtu").strip() == "9000"
    ssh(NAME, "n1", FOUND_ANEW.format(name="eth1", imported="true"))
    assert ssh(NAME, "n1", look) == changed
    good("persist", CLIENT, "--undo")
    ssh(NAME, "n1", "rm /etc/systemd/network/10-lan.link; sync")
    good("lab", "kill", "n1", "--name", NAME)
    good("lab", "start", "n1", "--name", NAME)
    ssh(NAME, "n1", f"udevadm settle; {BOOTED}")


def test_a_host_that_loses_its_power_in_the_midst_has_all_old_values(pair: None) -> None:
    before, number = state(), max(journal(), default=0) + 1
    # Nobody waits for its end here: a busy machine may take longer than the others' to come so far.
    status, _ = changing("mtu 4200", lambda _: good("lab", "kill", "n1", "--name", NAME), 160)
    assert status == 4
    good("lab", "start", "n1", "--name", NAME)
    ssh(NAME, "n1", f"udevadm settle; {BOOTED}")
    assert state() == before
    assert journal()[number].state == "open"
    assert "ended with the last boot" in good("rollback", CLIENT).out
    assert journal()[number].state == "lost"
    assert "restored" not in ssh(NAME, "n1", f"sh {SCRIPT} list")
