"""Run by pytest inside a guest of tools/uml/run: `down` on arrays, volumes and caches.

The guest's disks are /dev/ubda … /dev/ubdd, all of them the test's own. They have no serial number:
after a restart nothing but their content tells them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from iosonde.change.journal import FOLDER, STATE

COMMAND = [sys.executable, "-c", "from iosonde.cli.main import main; main()"]
A, B, C, D = (f"/dev/ubd{letter}" for letter in "abcd")
DESTROY = [f"--destroy={disk}" for disk in (A, B, C, D)]
ARRAY = "  r: {kind: md, level: 1, of: [a, b], assume_clean: true}\n"
FILE_SYSTEM = "  fs: {kind: ext4, of: v, mount: /tmp/mnt}\n"
FULL = f"{ARRAY}  v: {{kind: lvm, of: [r, c]}}\n{FILE_SYSTEM}"
NAME = "un"


def tool(*argv: str) -> str:
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, f"{argv}: {done.stdout}{done.stderr}"
    return done.stdout


class Stack:
    """A stack on the disks of the guest."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "stack.yaml"
        self.record = Path(FOLDER) / NAME

    def declare(self, layers: str) -> None:
        disks = "".join(
            f"  {name}: {{kind: disk, host: here, path: {path}}}\n"
            for name, path in zip("abcd", (A, B, C, D), strict=True)
        )
        text = f"stack: {NAME}\nhosts: {{here: {{at: local}}}}\nlayers:\n{disks}{layers}"
        self.file.write_text(text)

    def run(self, verb: str, *options: str, status: int = 0) -> str:
        environment = {**os.environ, "PATH": f"/run:{os.environ['PATH']}", "COLUMNS": "200"}
        done = subprocess.run(
            [*COMMAND, verb, str(self.file), *options],
            env=environment, capture_output=True, text=True, check=False, timeout=240,
        )  # fmt: skip
        assert done.returncode == status, done.stdout + done.stderr
        return " ".join(done.stderr.split())

    def up(self, layers: str) -> None:
        self.declare(layers)
        self.run("up", *DESTROY)

    def down(self) -> None:
        self.run("down")
        assert not self.record.exists()
        for disk in (A, B, C, D):
            assert tool("wipefs", "--no-act", disk) == "", disk
        assert tool("dmsetup", "ls").strip() == "No devices found"
        assert "active" not in Path("/proc/mdstat").read_text()

    def of_another_boot(self) -> None:
        """The record as it is after a restart."""
        earlier = '"boot": "00000000-0000-4000-8000-000000000000"'
        self.record.write_text(re.sub(r'"boot": "[^"]+"', earlier, self.record.read_text()))


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    if not Path(STATE, "guest").exists():  # the guest sees this machine's tree read-only
        tool("mount", "-t", "tmpfs", "tmpfs", "/var/lib")
        Path(STATE, "guest").mkdir(parents=True, mode=0o700)
        Path(STATE).chmod(0o700)
        Path("/dev/md").mkdir(mode=0o755, exist_ok=True)  # as udev makes it
    yield Stack(tmp_path)
    for command in ("umount /tmp/mnt", "dmsetup remove_all", "mdadm --stop --scan"):
        subprocess.run(command.split(), capture_output=True, check=False)
    for disk in (A, B, C, D):
        subprocess.run(["wipefs", "-qaf", disk], check=False)
        subprocess.run(["dd", "if=/dev/zero", f"of={disk}", "bs=1M", "count=4", "status=none"],
                       check=False)  # fmt: skip
    Path(FOLDER, NAME).unlink(missing_ok=True)


def uuid_of_array() -> str:
    return tool("mdadm", "--detail", "--export", "/dev/md/un-r").split("MD_UUID=")[1].split()[0]


def test_after_a_restart_the_array_has_another_name(stack: Stack) -> None:
    stack.up(FULL)
    stack.run("up")
    tool("umount", "/tmp/mnt")
    tool("vgchange", "-an", "un-v")
    tool("mdadm", "--stop", "/dev/md/un-r")
    tool("mdadm", "--assemble", "--run", "/dev/md99", A, B)
    stack.of_another_boot()
    stack.down()


def test_an_array_of_the_same_name_is_left_running(stack: Stack) -> None:
    stack.up(ARRAY)
    tool("mdadm", "--stop", "/dev/md/un-r")
    tool("mdadm", "--create", "/dev/md/un-r", "--run", "--level=1", "--raid-devices=2",
         "--metadata=1.2", "--assume-clean", C, D)  # fmt: skip
    foreign = uuid_of_array()
    said = stack.run("down", status=3)
    assert foreign in said
    assert uuid_of_array() == foreign
    tool("mdadm", "--stop", "/dev/md/un-r")
    tool("mdadm", "--zero-superblock", C, D)
    stack.down()


def test_a_group_of_the_same_name_on_the_same_disks_is_kept(stack: Stack) -> None:
    stack.up("  v: {kind: lvm, of: [c, d]}\n")
    tool("vgremove", "-q", "-y", "un-v")
    tool("vgcreate", "-q", "un-v", C, D)
    tool("lvcreate", "-q", "-y", "-n", "v", "-L", "16m", "un-v")
    before = tool("lvs", "--noheadings", "-o", "vg_uuid,lv_uuid", "un-v")
    said = stack.run("down", status=3)
    assert tool("lvs", "--noheadings", "-o", "vg_uuid,lv_uuid", "un-v") == before
    assert before.split()[0] in said or "LVM-" in said
    tool("vgremove", "-q", "-y", "un-v")
    stack.run("down")


def test_what_the_user_put_on_a_volume_is_not_thrown_away(stack: Stack) -> None:
    stack.up("  v: {kind: lvm, of: c}\n")
    tool("mkfs.ext4", "-q", "/dev/un-v/v")
    assert "carries ext4" in stack.run("down", status=3)
    tool("wipefs", "-a", "/dev/un-v/v")
    stack.down()


def test_an_array_in_need_and_members_that_nobody_assembled(stack: Stack) -> None:
    stack.up(ARRAY)
    tool("mdadm", "/dev/md/un-r", "--fail", B)
    stack.down()
    stack.up(ARRAY)
    tool("mdadm", "--stop", "/dev/md/un-r")
    stack.of_another_boot()
    stack.down()


@pytest.mark.parametrize("kind", ["dm_cache, mode: writeback", "dm_writecache"])
def test_caches(stack: Stack, kind: str) -> None:
    stack.up(f"  v: {{kind: {kind}, of: [a, b]}}\n{FILE_SYSTEM}")
    Path("/tmp/mnt/kept").write_text("data")
    stack.down()


@pytest.mark.skipif(not shutil.which("sfdisk"), reason="needs sfdisk of Debian's fdisk")
def test_partitions_of_others(stack: Stack) -> None:
    two = "".join(
        f"  p{number}: {{kind: partition, of: a, number: {number}, start: {start} MiB, "
        "size: 16 MiB}\n"
        for number, start in ((1, 1), (2, 20))
    )
    stack.up(two)
    stack.down()
    stack.up(two)
    subprocess.run(
        ["sfdisk", "-q", "--append", A], input="start=40MiB, size=8MiB\n", text=True, check=True
    )
    said = stack.run("down", status=3)
    assert "partitions that others made" in said
    assert "start=       81920" in tool("sfdisk", "--dump", A)
    subprocess.run(["sfdisk", "-q", A], input="label: gpt\n", text=True, check=True)
    before = tool("sfdisk", "--dump", A)
    theirs = before.split("label-id: ")[1].split()[0].lower()
    assert f"gpt {theirs}" in stack.run("down", status=3)
    assert tool("sfdisk", "--dump", A) == before
    tool("wipefs", "-a", A)
    stack.down()
