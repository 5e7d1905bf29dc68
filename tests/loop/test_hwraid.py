"""`iosonde up` and `down` of virtual drives, by fakes of the controllers' tools (tests/fakes)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from iosonde.change.journal import FOLDER
from iosonde.hosts.local import LocalHost
from iosonde.layers.hwraid.kind import Hwraid
from iosonde.stack.scene import read_scene
from tests.cli.conftest import COMMAND
from tests.fakes.controller import new_state
from tests.loop.devices import killed_at_command, tool

pytestmark = [pytest.mark.root, pytest.mark.slow]

MEGARAID = ("storcli64", ["252:0", "252:1", "252:2", "252:10"])
SMART_ARRAY = ("ssacli", ["1I:1:1", "1I:1:2", "1I:1:3", "1I:1:4"])


class Controller:
    """A host with one controller, and a stack with one virtual drive on it."""

    def __init__(self, place: Path, make: tuple[str, list[str]], **more: Any) -> None:
        self.tool, self.drives = make
        self.place, self.name = place, f"t{os.getpid()}"
        self.file = place / "stack.yaml"
        new_state(place, self.drives, self.tool, **more)

    def declare(self, keys: str, *, name: str = "", above: str = "") -> None:
        """Write the stack file."""
        self.file.write_text(
            f"stack: {name or self.name}\nhosts: {{here: {{at: local}}}}\nlayers:\n"
            f"  r: {{kind: hwraid, {keys}}}\n{above}"
        )

    @property
    def environment(self) -> dict[str, str]:
        """With the fake in the path, and no other tool of a controller."""
        path = f"{self.place / 'bin'}:{Path(sys.executable).parent}:/usr/sbin:/usr/bin:/sbin:/bin"
        return {**os.environ, "PATH": path}

    def run(self, verb: str, *options: str) -> subprocess.CompletedProcess[str]:
        """A verb of iosonde on the stack."""
        return subprocess.run(
            [*COMMAND, verb, str(self.file), *options], env=self.environment,
            capture_output=True, text=True, check=False, timeout=100,
        )  # fmt: skip

    def states(self, verb: str) -> list[str]:
        """The states of the steps of a verb that succeeds."""
        done = self.run(verb, "--json")
        assert done.returncode == 0, done.stdout + done.stderr
        return [step["state"] for step in json.loads(done.stdout)["steps"]]

    def ask(self, *arguments: str) -> str:
        """What the tool itself says."""
        return subprocess.run(
            [str(self.place / "bin" / self.tool), *arguments],
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip

    @property
    def volumes(self) -> dict[str, Any]:
        """The virtual drives that there are, by name."""
        state = json.loads((self.place / "state.json").read_text())
        return {volume["name"]: volume for volume in state["volumes"].values()}

    def left(self) -> list[str]:
        """What still stands of the stack."""
        names = ["volume"] * any(name.startswith(self.name) for name in self.volumes)
        if str(self.place) in tool("losetup", "--all"):
            names.append("device")
        folder = Path(f"/var/lib/iosonde/hwraid/{self.name}-r")
        names += ["folder"] * folder.exists()
        return names + ["record"] * Path(f"{FOLDER}/{self.name}").exists()

    def killed(self, verb: str, after: int) -> bool:
        """Kill -9 as soon as that many commands were announced; False where it ended before."""
        call = [*COMMAND, verb, str(self.file), "--trace"]
        return killed_at_command(call, after, environment=self.environment)

    def remove(self) -> None:
        """Take away whatever a failed test left."""
        self.run("down")
        for image in self.place.glob("*.img"):
            for device in tool("losetup", "-n", "-O", "NAME", "-j", image).split():
                tool("losetup", "--detach", device)


@pytest.fixture
def controllers(tmp_path: Path) -> Iterator[Any]:
    made: list[Controller] = []

    def make(which: tuple[str, list[str]], **more: Any) -> Controller:
        made.append(Controller(tmp_path, which, **more))
        return made[-1]

    yield make
    for controller in made:
        controller.remove()


def three(make: tuple[str, list[str]], more: str = "") -> str:
    return f"drives: {json.dumps(make[1][:3])}, level: 5, strip_size: 64 KiB{more}"


@pytest.mark.parametrize("make", [MEGARAID, SMART_ARRAY], ids=lambda make: make[0])
def test_up_twice_down_twice(controllers: Any, make: tuple[str, list[str]]) -> None:
    entry = controllers(make)
    entry.declare(three(make, ", write_policy: write_through, disk_cache: enabled"))
    assert set(entry.states("up")) == {"done"}
    volume = entry.volumes[f"{entry.name}-r"]
    assert (volume["level"], volume["strip"], volume["drives"]) == (5, 64, make[1][:3])
    assert entry.left() == ["volume", "device", "folder", "record"]
    again = entry.states("up")
    assert again.count("done") == 1, "the script is put there each time, nothing else"
    assert set(again) == {"done", "unchanged"}
    assert set(entry.states("down")) == {"removed"}
    assert entry.left() == []
    assert entry.states("down") == []


def test_policies_are_set_set_again_and_those_of_others_put_back(controllers: Any) -> None:
    record = controllers(MEGARAID)
    policies = ", write_policy: write_through, read_ahead: false, io_policy: cached"
    record.ask("/c0", "add", "vd", "type=raid5", "drives=252:0,252:1,252:2", "strip=64",
            f"name={record.name}-r", "wb", "ra", "direct")  # fmt: skip
    record.declare(three(MEGARAID, policies))
    assert record.states("up") == ["done", "done", "found", "done"]

    def now() -> tuple[str, str, str]:
        volume = record.volumes[f"{record.name}-r"]
        return volume["wrcache"], volume["rdcache"], volume["iopolicy"]

    assert now() == ("wt", "nora", "cached")
    record.ask("/c0/v0", "set", "rdcache=ra")
    assert record.states("up")[-1] == "done"
    assert now() == ("wt", "nora", "cached")
    record.declare(three(MEGARAID, policies.replace("cached", "direct")))
    assert record.states("up")[-1] == "done"
    assert now() == ("wt", "nora", "direct")
    record.declare(three(MEGARAID, policies))
    assert record.run("down").returncode == 0
    assert now() == ("wb", "ra", "direct"), "as they were before; iosonde did not make the drive"
    record.ask("/c0/v0", "del", "force")


def test_a_smart_array_of_gen10_needs_a_usage_and_gets_its_ratio_back(controllers: Any) -> None:
    record = controllers(SMART_ARRAY, gen10=True, drivewritecache="default", ratio=10)
    record.declare(three(SMART_ARRAY, ", disk_cache: disabled, cache_ratio: 75"))
    assert set(record.states("up")) == {"done"}
    state = json.loads((record.place / "state.json").read_text())
    assert (state["ratio"], state["drivewritecache"]) == (75, "disable")
    assert set(record.states("down")) == {"removed"}
    state = json.loads((record.place / "state.json").read_text())
    assert (state["ratio"], state["drivewritecache"]) == (10, "default")


@pytest.mark.parametrize("make", [MEGARAID, SMART_ARRAY], ids=lambda make: make[0])
def test_drives_of_another_virtual_drive_are_refused(
    controllers: Any, make: tuple[str, list[str]]
) -> None:
    record = controllers(make)
    if record.tool == "storcli64":
        record.ask("/c0", "add", "vd", "type=raid1", "name=data", "drives=252:1,252:2")
    else:
        record.ask("ctrl", "slot=0", "create", "type=ld", "drives=1I:1:2,1I:1:3", "raid=1",
                "logicaldrivelabel=data", "forced")  # fmt: skip
    before = record.volumes
    record.declare(three(make))
    refused = record.run("up")
    assert refused.returncode == 3, refused.stderr
    assert f"drive {make[1][1]} belongs to" in refused.stderr
    assert "(data)" in refused.stderr
    assert record.run("down").returncode == 0
    assert record.volumes == before
    assert record.left() == ["device"]
    record.place.joinpath("state.json").write_text(
        json.dumps({**json.loads((record.place / "state.json").read_text()), "volumes": {}})
    )


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"252:1": "JBOD"}, "drive 252:1 is a disk of its own"),
        ({"252:0": "GHS"}, "drive 252:0 is GHS"),
        ({"252:2": "foreign"}, "drive 252:2 has a foreign configuration"),
    ],
)
def test_drives_that_are_not_free_are_refused(
    controllers: Any, state: dict[str, str], message: str
) -> None:
    record = controllers(MEGARAID, marks=state)
    record.declare(three(MEGARAID))
    refused = record.run("up")
    assert (refused.returncode, message in refused.stderr) == (3, True), refused.stderr
    assert record.run("down").returncode == 0
    assert record.left() == []


def test_a_missing_drive_controller_or_tool_is_said(controllers: Any) -> None:
    record = controllers(MEGARAID)
    record.declare('drives: ["252:0", "252:77"], level: 1')
    assert "drive 252:77 is not there" in record.run("up").stderr
    record.declare('drives: ["252:0", "252:1"], level: 1, controller: 5')
    ended = record.run("up")
    assert (ended.returncode, "controller 5: Controller not found" in ended.stderr) == (4, True)
    record.declare('drives: ["1I:1:1", "1I:1:2"], level: 1')
    ended = record.run("up")
    assert (ended.returncode, "ssacli is not installed" in ended.stderr) == (4, True)
    assert record.run("down").returncode == 0
    assert record.left() == []


def test_one_of_the_same_name_and_another_shape_is_left_alone(controllers: Any) -> None:
    record = controllers(MEGARAID, old=True)  # a version that ends with 0 whatever happened
    record.ask("/c0", "add", "vd", "type=raid5", "drives=252:0,252:1,252:2", "strip=256",
            f"name={record.name}-r")  # fmt: skip
    record.declare(three(MEGARAID))
    refused = record.run("up")
    assert (refused.returncode, "strip 256 KiB" in refused.stderr) == (3, True), refused.stderr
    assert record.run("down").returncode == 0
    assert list(record.volumes) == [f"{record.name}-r"]
    record.ask("/c0/v0", "del", "force")


def test_one_that_others_replaced_is_neither_made_anew_nor_taken_away(controllers: Any) -> None:
    record = controllers(MEGARAID, old=True)
    record.declare(three(MEGARAID, ", write_policy: write_back"))
    assert set(record.states("up")) == {"done"}
    record.ask("/c0/v0", "del", "force")
    gone = record.run("up")
    assert (gone.returncode, "is not there any more" in gone.stderr) == (4, True), gone.stderr
    assert record.volumes == {}
    record.ask("/c0", "add", "vd", "type=raid1", "name=others", "drives=252:1,252:2")
    assert record.run("up").returncode == 3
    assert record.run("down").returncode == 0
    assert list(record.volumes) == ["others"]
    assert record.left() == ["device"]
    record.ask("/c0/v1", "del", "force")


def test_one_in_use_is_not_taken_away(controllers: Any, tmp_path: Path) -> None:
    record = controllers(MEGARAID)
    record.declare(three(MEGARAID))
    assert record.run("up").returncode == 0
    device = record.volumes[f"{record.name}-r"]["device"]
    tool("mkfs.ext4", "-q", device)
    (tmp_path / "mnt").mkdir()
    tool("mount", device, tmp_path / "mnt")
    try:
        refused = record.run("down")
        assert (refused.returncode, device in refused.stderr) == (3, True), refused.stderr
        assert list(record.volumes) == [f"{record.name}-r"]
    finally:
        tool("umount", tmp_path / "mnt")
    refused = record.run("down")
    assert (refused.returncode, "ext4" in refused.stderr) == (3, True), "made by others"
    tool("wipefs", "--all", device)
    assert record.run("down").returncode == 0
    assert record.left() == []


def test_a_file_system_aligns_to_its_stripes(controllers: Any, tmp_path: Path) -> None:
    record = controllers(MEGARAID)
    mount = tmp_path / "mnt"
    record.declare(three(MEGARAID), above=f"  fs: {{kind: ext4, of: r, mount: {mount}}}\n")
    up = record.run("up")
    assert up.returncode == 0, up.stderr
    message = tool("dumpe2fs", "-h", record.volumes[f"{record.name}-r"]["device"])
    assert "RAID stride:              16" in message
    assert "RAID stripe width:        32" in message
    assert record.run("down").returncode == 0
    assert record.left() == []


async def test_what_was_built_is_found(controllers: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    record = controllers(MEGARAID, battery="Failed")
    record.declare(three(MEGARAID, ", write_policy: write_back"))
    assert record.run("up").returncode == 0
    monkeypatch.setenv("PATH", record.environment["PATH"])
    (layer,) = await Hwraid().discover(await read_scene(WithDriver()))
    assert layer.device == record.volumes[f"{record.name}-r"]["device"]
    values = {"raid_level": "raid5", "disks": 3, "data_disks": 2, "strip_size": 65536,
            "stripe_width": 131072, "write_policy": "write_through", "battery": "failed",
            "write_policy_initial": "write_back", "disk_cache": "default"}  # fmt: skip
    assert {name: layer.facts.get(name) for name in values} == values
    assert layer.hazards == ("battery failed", "write-back suspended")


class WithDriver(LocalHost):
    """This machine, as if it had a MegaRAID."""

    async def read_many(self, paths: Any) -> Any:
        values = dict(await super().read_many(paths))
        path = "/sys/module/megaraid_sas/version"
        return {**values, path: b"07\n"} if path in values else values


# Every kill takes a controller minutes.
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("make", "stride"),
    [
        pytest.param(MEGARAID, 7, id="storcli64-some"),
        pytest.param(MEGARAID, 1, id="storcli64", marks=pytest.mark.long),
        pytest.param(SMART_ARRAY, 1, id="ssacli", marks=pytest.mark.long),
    ],
)
def test_killed_between_any_two_commands_it_can_be_finished_or_taken_away(
    controllers: Any, make: tuple[str, list[str]], stride: int
) -> None:
    record = controllers(make)
    record.declare(three(make, ", write_policy: write_through"))
    after = 0
    while record.killed("up", after):
        if after % 2:
            up = record.run("up")
            assert up.returncode == 0, f"after {after} commands: {up.stderr}"
            assert list(record.volumes) == [f"{record.name}-r"], f"after {after} commands"
        down = record.run("down")
        assert down.returncode == 0, f"after {after} commands: {down.stderr}"
        assert record.left() == [], f"after {after} commands"
        after += stride
    assert after > 8
    assert "volume" in record.left()
    after = 0
    while record.killed("down", after):
        down = record.run("down")
        assert down.returncode == 0, f"down after {after} commands: {down.stderr}"
        assert record.left() == [], f"down after {after} commands"
        assert record.run("up").returncode == 0
        after += max(2, stride)  # the fake controller has letters for 26 volumes
    assert after > 5
    assert record.left() == []
