"""Settings of layers that only a stack has, by each of their mechanisms, on real kernels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab.conftest import good, running, ssh

pytestmark = [pytest.mark.lab, pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(1200)]

NAME = "sset"
STACK = """\
stack: sset
hosts:
  a: {lab: {memory: 512 MiB}}
  b: {lab: {memory: 512 MiB}}
layers:
  da: {kind: disk, host: a, size: 128 MiB}
  db: {kind: disk, host: b, size: 128 MiB}
  fa: {kind: disk, host: a, size: 64 MiB}
  ga: {kind: disk, host: a, size: 128 MiB}
  ha: {kind: disk, host: a, size: 64 MiB}
  ia: {kind: disk, host: a, size: 64 MiB}
  ja: {kind: disk, host: a, size: 96 MiB}
  ka: {kind: disk, host: a, size: 64 MiB}
  eb: {kind: disk, host: b, size: 128 MiB}
  fb: {kind: disk, host: b, size: 64 MiB}
  gb: {kind: disk, host: b, size: 64 MiB}
  r0: {kind: drbd, of: [da, db], primary: a, net: {max-buffers: 4000}, assume_clean: true}
  dc: {kind: dm_cache, of: [ga, fa], mode: writethrough}
  wc: {kind: dm_writecache, of: [ja, ha]}
  bc: {kind: bcache, of: [ka, ia], bucket_size: 64 KiB}
  t1: {kind: iscsi_target, of: eb}
  i1: {kind: iscsi, of: t1, host: a}
  n1: {kind: nvmeof_target, of: fb}
  m1: {kind: nvmeof, of: n1, host: a}
  x1: {kind: ext4, of: gb, mount: /srv/x}
  s1: {kind: nfs_server, of: x1}
  c1: {kind: nfs, of: s1, host: a, mount: /mnt/n}
"""
DRBD = "$(ls /sys/block | grep drbd)"
ON_A = {
    "sset-dc.mode": "writeback", "sset-dc.policy": "cleaner", "sset-wc.high_watermark": "70",
    "sset-wc.low_watermark": "20", "sset-wc.autocommit_blocks": "1024",
    "bcache0.sequential_cutoff": "1048576", "bcache0.cache_mode": "writearound",
    "nvme0n1.iopolicy": "round-robin", "nvme0n1.fast_io_fail_tmo": "5",
    "/mnt/n.read_ahead_kb": "1024", "eth1.mtu": "4200", "sda.session_queue_depth": "64",
}  # fmt: skip
OF_DRBD = {
    "max-buffers": "8000", "al-extents": "3833", "protocol": "A", "disk-flushes": "no",
    "sndbuf-size": "524288",
}  # fmt: skip
STATE_A = (
    "dmsetup table | sed 's/ high_watermark 50 low_watermark 45//;s/ autocommit_blocks 65536//;"
    "s/4096 [0-9]*/4096/'; drbdsetup show; cat /sys/block/bcache0/bcache/sequential_cutoff "
    "/sys/block/bcache0/bcache/cache_mode /sys/class/nvme-subsystem/*/iopolicy "
    "/sys/class/nvme/nvme0/fast_io_fail_tmo /sys/class/net/eth1/mtu; "
    "iscsiadm -m node -T $(cat /sys/class/iscsi_session/*/targetname) | grep queue_depth"
)
ON_B = {"sync": "async", "wdelay": "no_wdelay", "max_block_size": "131072", "threads": "12"}
STATE_B = "cat /var/lib/nfs/etab /proc/fs/nfsd/threads /proc/fs/nfsd/max_block_size"


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    file = tmp_path_factory.mktemp("sset") / "stack.yaml"
    file.write_text(STACK)
    with running(NAME, file):
        good("up", file, "--rehearse", timeout=900)
        yield file


def test_settings_of_layers_are_set_and_put_back(stack: Path) -> None:
    drbd = ssh(NAME, "a", f"echo {DRBD}").strip()
    new = {**ON_A, **{f"{drbd}.{name}": value for name, value in OF_DRBD.items()}}
    before = ssh(NAME, "a", STATE_A)
    arguments = [f"{name}={value}" for name, value in new.items()]
    document = good(
        "set", "--host", f"lab:{NAME}/a", "--json", "--confirm", "300", *arguments
    ).document
    states = {change["name"].partition(":")[2]: change for change in document["changes"]}
    for name, value in new.items():
        if name in states:
            assert (states[name]["state"], states[name]["after"]) == ("changed", value)
    assert len([change for change in document["changes"] if change["state"] == "changed"]) == len(
        new
    )
    now = ssh(NAME, "a", STATE_A)
    for shown in (
        "writeback cleaner", "high_watermark 70 low_watermark 20", "max-buffers     \t8000",
        "al-extents      \t3833", "1.0M", "[writearound]", "round-robin", "4200",
        "node.session.queue_depth = 64",
    ):  # fmt: skip
        assert shown in now, shown
    good("rollback", f"lab:{NAME}/a")
    assert ssh(NAME, "a", STATE_A) == before


def test_an_nfs_server_and_its_exports(stack: Path) -> None:
    before = ssh(NAME, "b", STATE_B)
    arguments = [f"nfs_server:/srv/x.{name}={value}" for name, value in ON_B.items()]
    good("set", "--host", f"lab:{NAME}/b", "--confirm", "300", *arguments)
    now = ssh(NAME, "b", STATE_B).splitlines()
    assert all("async" in row and "no_wdelay" in row for row in now[:-2])
    assert now[-2:] == ["12", "131072"]
    ssh(NAME, "a", "dd if=/dev/zero of=/mnt/n/x bs=64k count=4 conv=fsync status=none")
    good("rollback", f"lab:{NAME}/b")
    assert ssh(NAME, "b", STATE_B) == before


def test_options_of_drbd_and_exports_are_kept_in_their_files(stack: Path) -> None:
    drbd = ssh(NAME, "a", f"echo {DRBD}").strip()
    files = "cat /etc/drbd.d/*.res; drbdadm dump sset-r0"
    before = ssh(NAME, "a", files)
    good("set", "--host", f"lab:{NAME}/a", f"{drbd}.max-buffers=8000", f"{drbd}.al-extents=3833")
    good("persist", f"lab:{NAME}/a")
    assert "max-buffers      8000" in ssh(NAME, "a", "drbdadm dump sset-r0")
    assert ssh(NAME, "a", "drbdadm --dry-run adjust sset-r0") == ""
    good("persist", f"lab:{NAME}/a", "--undo")
    assert ssh(NAME, "a", files) == before
    good("rollback", f"lab:{NAME}/a")
    exports = ssh(NAME, "b", "cat /etc/exports.d/*")
    good("set", "--host", f"lab:{NAME}/b", "nfs_server:/srv/x.sync=async")
    good("persist", f"lab:{NAME}/b")
    ssh(NAME, "b", "exportfs -r")
    assert "async" in ssh(NAME, "b", "cat /var/lib/nfs/etab")
    good("persist", f"lab:{NAME}/b", "--undo")
    assert ssh(NAME, "b", "cat /etc/exports.d/*") == exports
    good("rollback", f"lab:{NAME}/b")
