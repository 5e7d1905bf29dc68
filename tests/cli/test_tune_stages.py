"""`iosonde tune` with stages that are measured each at its own layer: a loop device and ext4.

A second disk stands beside them, which no layer is on: its setting goes with that of the first.
"""

from __future__ import annotations

import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_tune import LOOP, Iosonde, start, tuned, until

pytestmark = LOOP

STACK = """\
stack: stairs{number}
hosts: {{here: {{at: local}}}}
layers:
  disk: {{kind: disk, file: {image}, size: 256 MiB}}
  other: {{kind: disk, file: {image}.other, size: 16 MiB}}
  fs: {{kind: ext4, of: disk, mount: {mount}}}
"""
STUDY = """\
study: stairs
stack: stairs.yaml
at: [disk, fs]
load: {fio: fio --name writes --ioengine libaio --direct 1 --rw randwrite --bs 4k --iodepth 16
  --size 8m}
vary:
  disk.nomerges: {values: [0, 2], also: other.nomerges}
  fs.atime: [relatime, noatime]
goal: {maximise: write.iops, margin: 20%}
strategy: staged
budget: 24 s
loop: 0.3 s
settle: 0.2 s
"""


class Stairs:
    """The study with its stack, and what may be left of them."""

    def __init__(self, home: Path) -> None:
        self.home, self.image, self.mount = home, home / "disk.img", home / "mnt"
        self.study = home / "study.yaml"
        self.stack = home / "stairs.yaml"
        # the name is the journal's: two tests' stacks are two
        number = abs(hash(home)) % 10**8
        self.stack.write_text(STACK.format(number=number, image=self.image, mount=self.mount))
        self.study.write_text(STUDY)

    def gone(self) -> bool:
        mounts = Path("/proc/self/mounts").read_text()
        return not list(self.home.glob("disk.img*")) and str(self.mount) not in mounts


@pytest.fixture
def stairs(tmp_path: Path) -> Stairs:
    return Stairs(tmp_path)


def places(document: Any) -> dict[str, set[str]]:
    """Place → the settings that differ among the candidates that were measured there."""
    groups: dict[str, set[str]] = {}
    for at in {candidate["at"] for candidate in document["candidates"]}:
        here = [
            candidate["settings"] for candidate in document["candidates"] if candidate["at"] == at
        ]
        groups[at] = {name for name in here[0] if len({record[name] for record in here}) > 1}
    return groups


def test_the_disk_is_measured_bare_and_the_file_system_on_it(
    iosonde: Iosonde, stairs: Stairs
) -> None:
    plan = iosonde("tune", str(stairs.study), "--dry-run").stdout
    assert "2 stages: disk 2 at disk, fs 2 at fs" in plan
    document = tuned(iosonde("tune", str(stairs.study), "--json", timeout=200))
    assert places(document) == {"disk": {"disk.nomerges"}, "fs": {"fs.atime"}}
    assert {(candidate["stage"], candidate["at"]) for candidate in document["candidates"]} == {
        ("disk", "disk"), ("fs", "fs")
    }  # fmt: skip
    assert stairs.gone()
    (run,) = iosonde("list", "--json").json["runs"]
    targets = {trial["target"] for trial in run["trials"] if "writes@disk" in trial["id"]}
    assert all(path.startswith("/dev/loop") for path in targets), targets
    targets = {trial["target"] for trial in run["trials"] if "writes@fs" in trial["id"]}
    assert all(path.startswith(f"{stairs.mount}/") for path in targets), targets
    report = stairs.home / "report.html"
    assert iosonde("report", document["id"], "--output", str(report)).status == 0
    assert "Measured at disk" in report.read_text()


@pytest.mark.parametrize(
    ("place", "number"),
    [
        pytest.param("fs", signal.SIGINT, marks=pytest.mark.long),
        ("fs", signal.SIGKILL),
        pytest.param("disk", signal.SIGKILL, marks=pytest.mark.long),
    ],
)
def test_what_is_interrupted_at_a_place_goes_on_there(
    iosonde: Iosonde,
    stairs: Stairs,
    environment: Mapping[str, str],
    place: str,
    number: signal.Signals,
) -> None:
    """Of a killed controller the stack stands on, as far as that place; it is built anew."""
    running = start(environment, stairs.home, str(stairs.study))
    until(running, f", at {place})", times=3)
    running.send_signal(number)
    running.communicate(timeout=60)
    assert running.returncode == (130 if number is signal.SIGINT else -number)
    assert stairs.gone() is (number is signal.SIGINT)
    document = tuned(iosonde("tune", "--resume", "--json", timeout=200))
    assert document["state"] == "finished"
    assert set(places(document)) == {"disk", "fs"}
    assert document["measurements"] > 3
    assert stairs.gone()


def test_what_stands_already_is_not_taken_away_for_it(iosonde: Iosonde, stairs: Stairs) -> None:
    assert iosonde("up", str(stairs.stack)).status == 0
    try:
        kept = stairs.mount / "kept"
        kept.write_text("precious")
        ended = iosonde("tune", str(stairs.study))
        assert ended.status == 3, ended.stderr
        assert "fs stands on disk already" in ended.stderr
        assert kept.read_text() == "precious"
    finally:
        assert iosonde("down", str(stairs.stack)).status == 0
    assert stairs.gone()


def test_a_stage_above_all_places_is_told_with_its_line(iosonde: Iosonde, tmp_path: Path) -> None:
    stacks = Path(__file__).parents[2] / "examples/stacks"
    text = (stacks / "anvil-tune.yaml").read_text()
    lines = text.replace("[ra, r0, lv, vm, fs]", "[ra, r0]").splitlines()
    study = tmp_path / "study.yaml"
    study.write_text("\n".join(lines).replace("anvil.yaml", str(stacks / "anvil.yaml")))
    line = next(at for at, name in enumerate(lines, 1) if "lv.read_ahead_kb" in name)
    ended = iosonde("tune", str(study), "--dry-run")
    assert ended.status == 2, ended.stderr
    assert f"study.yaml:{line}: lv is measured nowhere: of the places ra, r0" in ended.stderr
