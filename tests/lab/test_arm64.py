"""An arm64 guest of the lab, emulated: a stack of layers, and the wheel with its first verbs.

In it the README's line of uv installs from a disk that holds the wheels (the wheel for aarch64 of
`dist/`, IOSONDE_DIST, or one that is built).
"""

from __future__ import annotations

import asyncio
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from iosonde.lab.architecture import architecture
from iosonde.lab.spec import DiskSpec, LabSpec, NodeSpec
from iosonde.lab.state import take_down
from iosonde.lab.up import up
from iosonde.units import GIB, MIB
from tests.cli.conftest import COMMAND
from tests.install.test_clean_roots import PYTHONS, fetch, first_verbs, place_uv, wheel
from tests.lab.conftest import good

pytestmark = [pytest.mark.lab, pytest.mark.slow, pytest.mark.long, pytest.mark.root]

NAME = "test-arm64"
ARM64 = architecture("arm64")
SUITE = "bookworm"


def disk(directory: Path) -> Path:
    """A file system with the wheels, and uv beside them."""
    tree, file = directory / "tree", directory / "wheels.ext4"
    wheels = tree / "wheels"
    wheels.mkdir(parents=True)
    fetch(wheels, f"{wheel('arm64')}[report]", "arm64", PYTHONS[SUITE])
    place_uv(wheels, tree / "uv", tree / "uv.toml")
    size = sum(part.stat().st_size for part in tree.rglob("*")) // MIB + 64
    subprocess.run(
        ["mke2fs", "-q", "-t", "ext4", "-d", str(tree), str(file), f"{size}M"],
        check=True, env={"PATH": "/usr/sbin:/sbin:/usr/bin:/bin"},
    )  # fmt: skip
    shutil.rmtree(tree)
    return file


@pytest.fixture(scope="module")
def guest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of a lab of one node, n1, with the wheels and an empty disk."""
    if shutil.which(ARM64.qemu) is None:
        pytest.skip(f"needs {ARM64.qemu}")
    source = str(disk(tmp_path_factory.mktemp("arm64")))
    disks = (DiskSpec("wheels", source=source), DiskSpec("d1", 256 * MIB))
    node = NodeSpec("n1", 3 * GIB, 2, disks)
    take_down(NAME)
    try:
        asyncio.run(up(LabSpec(NAME, (node,), arch="arm64"), lambda what, share: None))
        yield NAME
    finally:
        take_down(NAME)


def inside(*argv: str, seconds: float = 900) -> subprocess.CompletedProcess[str]:
    """A command on the node, by ssh."""
    ssh = [*COMMAND, "lab", "ssh", "--name", NAME, "n1", "--", shlex.join(argv)]
    return subprocess.run(
        ssh, capture_output=True, text=True, check=False, timeout=seconds, stdin=subprocess.DEVNULL
    )


def test_the_node_is_an_arm64_host_like_any_other(guest: str) -> None:
    assert inside("uname", "-m").stdout.strip() == ARM64.uname
    shown = good("show", f"lab:{guest}/n1", "--json").document
    disks = {layer["device"]: layer["size"] for layer in shown["layers"] if layer["kind"] == "disk"}
    assert 256 * MIB in disks.values()
    (lab,) = [lab for lab in good("lab", "list", "--json").document["labs"] if lab["name"] == guest]
    assert (lab["arch"], lab["accel"]) == ("arm64", "tcg")


def test_it_is_measured_from_here(guest: str) -> None:
    study = ("--load", "latency", "--size", "16m", "--seconds", "1", "--loops", "2")
    device = inside("readlink", "-f", "/dev/disk/by-id/virtio-d1").stdout.strip()
    assert device.startswith("/dev/vd")
    target = f"lab:{guest}/n1:{device}"
    done = good("run", *study, "--target", target, "--destroy", device, "--json")
    (trial,) = done.document["trials"]
    assert len(trial["metrics"]["read.iops"]["loops"]) == 2


def test_the_wheel_is_installed_in_it_and_the_first_verbs_work(guest: str) -> None:
    prepare = (
        "mkdir -p /mnt/w /etc/uv && mount -o ro /dev/disk/by-id/virtio-wheels /mnt/w && "
        "ln -sfn /mnt/w/wheels /wheels && cp /mnt/w/uv.toml /etc/uv/ && "
        "! command -v cc gcc clang rustc cargo"
    )
    done = inside("sh", "-euc", prepare)
    assert done.returncode == 0, done.stderr
    done = inside("/mnt/w/uv", "tool", "install", "iosonde[report]", seconds=2400)
    assert done.returncode == 0, done.stderr
    first_verbs(inside, "/root/.local/bin/iosonde")
