"""`iosonde up` and `down` on real loop devices, killed between any two commands."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from iosonde.change.journal import FOLDER, LOCKS
from tests.cli.conftest import COMMAND
from tests.loop.devices import MIB, killed_at_command, tool

pytestmark = [pytest.mark.root, pytest.mark.slow]


class Stack:
    """A stack of a loop device and an XFS, and what is left of it."""

    def __init__(self, directory: Path, name: str) -> None:
        self.image, self.mount = directory / "d.img", directory / "mnt"
        self.file = directory / "stack.yaml"
        self.name = name
        self.file.write_text(
            f"stack: {name}\nhosts: {{here: {{at: local}}}}\nlayers:\n"
            f"  d: {{kind: disk, file: {self.image}, size: 320 MiB}}\n"
            f"  fs: {{kind: xfs, of: d, mount: {self.mount}}}\n"
        )

    def run(self, verb: str, *options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, verb, str(self.file), *options],
            capture_output=True, text=True, check=False, timeout=100,
        )  # fmt: skip

    def killed(self, verb: str, after: int) -> bool:
        """Kill -9 as soon as that many commands were announced; False where it ended before."""
        return killed_at_command([*COMMAND, verb, str(self.file), "--trace"], after)

    def left(self) -> list[str]:
        """What still stands of it."""
        names = []
        if self.image.exists():
            names.append("file")
        if str(self.image) in tool("losetup", "--all"):
            names.append("loop device")
        if str(self.mount) in Path("/proc/mounts").read_text():
            names.append("mount")
        if self.mount.exists():
            names.append("directory")
        if Path(f"{FOLDER}/{self.name}").exists():
            names.append("record")
        if Path(f"{LOCKS}/iosonde-{self.name}.lock").exists():
            names.append("lock")
        return names


@pytest.fixture
def stack(tmp_path: Path) -> Stack:
    return Stack(tmp_path, f"t{os.getpid()}")


def states(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done.stdout + done.stderr
    return [step["state"] for step in json.loads(done.stdout)["steps"]]


def test_up_twice_down_twice(stack: Stack) -> None:
    assert set(states(stack.run("up", "--json"))) == {"done"}
    assert stack.left() == ["file", "loop device", "mount", "directory", "record", "lock"]
    (stack.mount / "kept").write_text("data")
    assert set(states(stack.run("up", "--json"))) == {"unchanged"}
    assert (stack.mount / "kept").read_text() == "data"
    assert set(states(stack.run("down", "--json"))) == {"removed"}
    assert stack.left() == []
    assert states(stack.run("down", "--json")) == []


def test_what_was_there_before_is_neither_destroyed_nor_removed(stack: Stack) -> None:
    stack.mount.mkdir()
    with stack.image.open("wb") as file:
        file.truncate(320 * MIB)
    refused = stack.run("up")
    assert refused.returncode == 3
    assert "--destroy" in refused.stderr
    assert stack.run("down").returncode == 0
    assert stack.left() == ["file", "directory"]


def test_a_device_that_carries_something_is_refused(stack: Stack) -> None:
    with stack.image.open("wb") as file:
        file.truncate(320 * MIB)
    tool("mkfs.ext4", "-q", "-F", stack.image)
    before = stack.image.read_bytes()[:65536]
    refused = stack.run("up")
    assert refused.returncode == 3
    assert "ext4" in refused.stderr
    assert stack.run("down").returncode == 0
    assert stack.image.read_bytes()[:65536] == before


def test_what_stands_is_compared_with_what_is_declared(stack: Stack) -> None:
    """The short twin of tests/uml/unequal.py, on what needs no other kernel."""
    assert stack.run("up").returncode == 0
    try:
        same = stack.run("up", "--set", f"d.size={320 * MIB}", "--json")  # in another spelling
        assert set(states(same)) == {"unchanged"}
        other = stack.run("up", "--set", "d.size=400 MiB")
        assert other.returncode == 3
        said = " ".join(other.stderr.split())
        assert "size is declared 400 MiB and built with 320 MiB" in said
    finally:
        assert stack.run("down").returncode == 0
    assert stack.left() == []


def test_a_load_that_would_write_below_what_stands_is_no_run(stack: Stack, tmp_path: Path) -> None:
    assert stack.run("up").returncode == 0
    study = tmp_path / "study.yaml"
    load = "fio --name=w --rw=write --bs=64k --size=8m --direct=1"
    study.write_text(f"study: below\nstack: {stack.file}\nat: [d]\nloads: [{{fio: '{load}'}}]\n")
    store = tmp_path / "store.db"
    try:
        refused = subprocess.run(
            [*COMMAND, "run", str(study), "--store", str(store)],
            capture_output=True, text=True, check=False, timeout=100,
        )  # fmt: skip
        assert refused.returncode == 3
        assert "fs stands on d already" in refused.stderr
        assert "run" not in refused.stdout
        assert "1 trial" not in refused.stderr
        assert str(stack.mount) in Path("/proc/mounts").read_text()
    finally:
        assert stack.run("down").returncode == 0


@pytest.mark.parametrize(
    ("of_up", "of_down"),
    [
        pytest.param(5, 11, id="some", marks=pytest.mark.timeout(600)),
        pytest.param(1, 1, id="every", marks=[pytest.mark.long, pytest.mark.timeout(3600)]),
    ],
)
def test_killed_between_any_two_commands_it_can_be_finished_or_taken_away(
    stack: Stack, of_up: int, of_down: int
) -> None:
    """Killed at each so many commands of `up` and of `down`, most of which only look."""
    after = 0
    while stack.killed("up", after):
        if after % 2:
            assert stack.run("up").returncode == 0, f"after {after} commands"
            assert str(stack.mount) in Path("/proc/mounts").read_text()
        down = stack.run("down")
        assert down.returncode == 0, f"after {after} commands: {down.stderr}"
        assert stack.left() == [], f"after {after} commands"
        after += of_up
    assert after > 20
    assert "mount" in stack.left()
    after = 0
    while stack.killed("down", after):
        down = stack.run("down")
        assert down.returncode == 0, f"down after {after} commands: {down.stderr}"
        assert stack.left() == []
        assert stack.run("up").returncode == 0
        after += of_down
    assert after > 5
    assert stack.left() == []
