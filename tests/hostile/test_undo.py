"""`down` undoes what `up` made, known again by its identity, whatever has its name meanwhile.

A restart of the host is played by detaching loop devices and attaching other images to the same
numbers: names are given anew, and nothing else of what `up` did is left in the kernel.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from iosonde.change.identity import CHANGED, guarded, read
from iosonde.change.journal import FOLDER
from iosonde.hosts.local import LocalHost
from iosonde.layers.step import UndoSubject
from tests.hostile.conftest import COMMAND
from tests.loop.devices import MIB, own_number, remove, tool

OLD_DETACH = 'losetup --noheadings --output NAME --associated "$1" | xargs -r losetup --detach'
pytestmark = pytest.mark.root
# `losetup --find` with the numbers of the test alone: nobody else gets one that is detached.
_LOSETUP = """\
#!/bin/sh
[ "$1" = --find ] || exec {losetup} "$@"
for number in {numbers}; do [ -e "/sys/block/$number/loop" ] || break; done
exec {losetup} "$2" "/dev/$number" "$3"
"""


def attached(image: Path) -> list[str]:
    """The loop devices of an image."""
    listed = tool("losetup", "--noheadings", "--output", "NAME", "--associated", image)
    return listed.split()


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


class Stack:
    """A disk that is a file, and an ext4 on it; and images of somebody else."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.image, self.mount = folder / "d.img", folder / "mnt"
        self.file = folder / "stack.yaml"
        self.name = f"u{os.getpid()}"
        self.record = Path(f"{FOLDER}/{self.name}")
        self.file.write_text(
            f"stack: {self.name}\nhosts: {{here: {{at: local}}}}\nlayers:\n"
            f"  d: {{kind: disk, file: {self.image}, size: 32 MiB}}\n"
            f"  fs: {{kind: ext4, of: d, mount: {self.mount}}}\n"
        )
        self.foreign: list[Path] = []
        self.devices = [own_number(), own_number()]
        shim = folder / "bin" / "losetup"
        shim.parent.mkdir()
        numbers = " ".join(path.removeprefix("/dev/") for path in self.devices)
        shim.write_text(_LOSETUP.format(losetup=shutil.which("losetup"), numbers=numbers))
        shim.chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{shim.parent}:{os.environ['PATH']}"}

    def call(self, verb: str, *options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, verb, str(self.file), *options], env=self.environment,
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip

    def up(self) -> str:
        """Build it; the loop device of its disk."""
        done = self.call("up")
        assert done.returncode == 0, done.stderr
        (device,) = attached(self.image)
        return device

    def down(self) -> None:
        done = self.call("down")
        assert done.returncode == 0, done.stderr

    def refused(self) -> str:
        """What `down` says where it must not go on."""
        done = self.call("down")
        assert done.returncode == 3, done.stdout + done.stderr
        return " ".join(done.stderr.split())

    def restarted(self) -> None:
        """What a restart takes away: mount and loop device; and another boot is recorded."""
        if self.mount.is_mount():
            tool("umount", self.mount)
        for device in attached(self.image):
            tool("losetup", "--detach", device)
        earlier = "00000000-0000-4000-8000-000000000000"
        self.record.write_text(
            re.sub(r'"boot": "[^"]+"', f'"boot": "{earlier}"', self.record.read_text())
        )

    def somebody(self, device: str, *mkfs: str) -> Path:
        """Somebody else's image with a file system, attached under a name."""
        image = self.folder / f"foreign{len(self.foreign)}.img"
        with image.open("wb") as file:
            file.truncate(32 * MIB)
        tool(*(mkfs or ("mkfs.ext4", "-q", "-F")), image)
        self.foreign.append(image)
        if device:
            tool("losetup", device, image)
        return image

    def left(self) -> list[str]:
        names = ["image"] * self.image.exists() + ["loop device"] * bool(attached(self.image))
        names += ["mount"] * self.mount.is_mount() + ["directory"] * self.mount.exists()
        return names + ["record"] * self.record.exists()


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    made = Stack(tmp_path)
    try:
        yield made
    finally:
        while made.mount.is_mount():
            tool("umount", made.mount)
        for image in (made.image, *made.foreign):
            for device in attached(image) if image.exists() else ():
                tool("losetup", "--detach", device)
        for device in made.devices:
            if Path(device).exists():
                remove(device)
        made.record.unlink(missing_ok=True)


def test_a_file_system_of_somebody_else_under_the_old_name_is_not_touched(stack: Stack) -> None:
    device = stack.up()
    stack.restarted()
    foreign = stack.somebody(device)
    before = digest(foreign)
    said = stack.refused()
    assert digest(foreign) == before
    assert attached(foreign) == [device]
    assert device in said
    assert "ext4" in said
    assert str(foreign) in said, "the evidence tells what stands there now"
    assert str(stack.image) in said, "and what was expected"
    assert "by hand" in said
    assert stack.image.exists(), "what it stood on is kept"
    tool("losetup", "--detach", device)
    stack.down()
    assert stack.left() == []
    assert digest(foreign) == before


def test_the_same_disk_under_another_name_is_followed(stack: Stack) -> None:
    device = stack.up()
    stack.restarted()
    foreign = stack.somebody(device)
    before = digest(foreign)
    done = stack.call("up")  # attaches it under a number that is free
    assert done.returncode == 0, done.stderr
    assert attached(stack.image) != [device]
    stack.down()
    assert stack.left() == []
    assert digest(foreign) == before
    assert attached(foreign) == [device]


def test_a_loop_device_that_others_attached_to_the_image_is_theirs(stack: Stack) -> None:
    device = stack.up()
    second = tool("losetup", "--find", "--show", "--read-only", stack.image)
    said = stack.refused()
    assert attached(stack.image) == [second], said
    assert second in said
    assert stack.image.exists(), "an image that others use is not removed"
    assert not stack.mount.exists()
    tool("losetup", "--detach", second)
    stack.down()
    assert stack.left() == []
    assert device


def test_an_image_that_was_replaced_is_not_removed(stack: Stack) -> None:
    stack.up()
    stack.restarted()
    stack.image.rename(stack.folder / "moved")
    stack.image.write_bytes(b"not yours")
    said = stack.refused()
    assert stack.image.read_bytes() == b"not yours"
    assert str(stack.image) in said
    stack.image.unlink()
    stack.down()
    assert stack.left() == []


def test_a_file_system_that_others_made_in_its_place_is_not_wiped(stack: Stack) -> None:
    device = stack.up()
    tool("umount", stack.mount)
    tool("mkfs.ext4", "-q", "-F", device)
    before = digest(stack.image)
    said = stack.refused()
    assert digest(stack.image) == before
    assert "ext4" in said
    tool("wipefs", "--all", device)
    stack.down()
    assert stack.left() == []


def test_another_mount_at_the_same_place_is_not_unmounted(stack: Stack) -> None:
    stack.up()
    foreign = stack.somebody("")
    tool("umount", stack.mount)
    other = tool("losetup", "--find", "--show", foreign)
    tool("mount", other, stack.mount)
    said = stack.refused()
    assert stack.mount.is_mount()
    assert str(stack.mount) in said
    tool("umount", stack.mount)
    stack.down()
    assert stack.left() == []


def test_what_is_mounted_elsewhere_is_not_wiped(stack: Stack) -> None:
    device = stack.up()
    elsewhere = stack.folder / "elsewhere"
    elsewhere.mkdir()
    tool("mount", device, elsewhere)
    try:
        said = stack.refused()
        assert f"mounted at {elsewhere}" in said
        assert "TYPE=ext4" in tool("blkid", "--probe", "--output", "export", device)
    finally:
        tool("umount", elsewhere)
    stack.down()
    assert stack.left() == []


def test_the_users_own_file_system_on_a_bare_disk_is_not_thrown_away(stack: Stack) -> None:
    text = stack.file.read_text()
    stack.file.write_text("".join(line for line in text.splitlines(True) if "fs:" not in line))
    device = stack.up()
    tool("mkfs.ext4", "-q", "-F", device)
    before = digest(stack.image)
    said = stack.refused()
    assert digest(stack.image) == before
    assert "ext4" in said
    tool("wipefs", "--all", stack.image)
    stack.down()
    assert stack.left() == []


def test_a_step_that_a_kill_cut_short_is_not_undone_on_another_disk(stack: Stack) -> None:
    device = stack.up()
    lines = stack.record.read_text().splitlines(keepends=True)
    made = next(i for i, line in enumerate(lines) if "an ext4 file system" in line)
    stack.record.write_text("".join(lines[: made + 1]))  # begun, and nothing said after it
    stack.restarted()
    foreign = stack.somebody(device)
    before = digest(foreign)
    said = stack.refused()
    assert digest(foreign) == before
    assert device in said
    stack.up()  # what is half made is made anew, on its own disk
    stack.down()
    stack.mount.rmdir()  # the step that made it was cut off the record
    assert stack.left() == []
    assert digest(foreign) == before


def test_a_step_that_a_kill_cut_short_is_undone_on_its_own_disk(stack: Stack) -> None:
    stack.up()
    lines = stack.record.read_text().splitlines(keepends=True)
    made = next(i for i, line in enumerate(lines) if "an ext4 file system" in line)
    stack.record.write_text("".join(lines[: made + 1]))
    tool("umount", stack.mount)
    stack.down()
    stack.mount.rmdir()
    assert stack.left() == []


def test_a_record_of_an_older_version_destroys_nothing(stack: Stack) -> None:
    device = stack.up()
    older = []
    for line in stack.record.read_text().splitlines():
        entry = json.loads(line)
        for key in ("subjects", "before", "after", "boot"):
            entry.pop(key, None)
        for command in entry.get("undo", ()):
            command.pop("wipes", None)
            if command["argv"][:2] == ["losetup", "--detach"]:
                command["argv"] = ["sh", "-c", OLD_DETACH, "sh", str(stack.image)]
        older.append(json.dumps(entry) + "\n")
    stack.record.write_text("".join(older))
    said = stack.refused()
    assert "older" in said
    assert "by hand" in said
    assert not stack.mount.is_mount(), "what destroys nothing goes on"
    assert "TYPE=ext4" in tool("blkid", "--probe", "--output", "export", device)
    tool("wipefs", "--all", device)
    assert stack.image.exists()
    stack.refused()  # the image is next
    stack.image.unlink()
    stack.down()
    assert stack.left() == []


def test_up_goes_on_with_nothing_that_has_only_the_name(stack: Stack) -> None:
    device = stack.up()
    tool("umount", stack.mount)
    tool("mkfs.ext4", "-q", "-F", device)
    before = digest(stack.image)
    done = stack.call("up")
    assert done.returncode == 3, done.stderr
    assert not stack.mount.is_mount()
    assert digest(stack.image) == before
    tool("wipefs", "--all", device)
    stack.down()
    assert stack.left() == []


async def test_a_disk_that_is_exchanged_after_it_was_looked_at_ends_the_command(
    stack: Stack,
) -> None:
    device = stack.devices[0]
    stack.somebody(device)
    subject = UndoSubject("device", device)
    (seen,) = await read(LocalHost(), [subject])
    tool("losetup", "--detach", device)
    other = stack.somebody(device)
    before = digest(other)
    wipes = guarded([(subject, seen)], ("wipefs", "--all", device))
    done = await LocalHost().run(wipes, check=False)
    assert done.status == CHANGED
    assert str(other) in done.stderr.decode()
    assert digest(other) == before


async def test_while_the_command_runs_nobody_gets_the_number_of_the_disk(stack: Stack) -> None:
    device = stack.devices[0]
    mine, other = stack.somebody(device), stack.somebody("")
    subject = UndoSubject("device", device)
    (seen,) = await read(LocalHost(), [subject])
    before = digest(other)
    exchange = 'losetup --detach "$1"; losetup "$1" "$2" && exit 9; exec wipefs --all "$1"'
    argv = guarded([(subject, seen)], ("sh", "-c", exchange, "sh", device, str(other)))
    done = await LocalHost().run(argv, check=False)
    assert done.status == 0, done.stderr.decode()
    assert digest(other) == before
    assert "ext4" not in tool("wipefs", "--no-act", mine)
