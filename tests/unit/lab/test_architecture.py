"""Nodes of another architecture: QEMU's and Debian's names, and where a program of QEMU is."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from iosonde.errors import HostFailed, UsageError
from iosonde.lab.architecture import ARCHITECTURES, architecture, qemu
from iosonde.lab.image import Image
from iosonde.lab.machine import NodeLocation, node_arguments
from iosonde.lab.recipe import digest, packages_of, unpack_argv
from iosonde.lab.release import PackageSource
from iosonde.lab.spec import DiskSpec, NodeSpec

ARM64, AMD64 = ARCHITECTURES["arm64"], ARCHITECTURES["amd64"]
ARCHIVE = PackageSource("bookworm", "http://d/", ("main",))
PLACE = NodeLocation(Path("/r/lab/n1"), 1, 2201, Path("/r/lab/port-1"))


@pytest.fixture
def on_amd64(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")


def image(of: str) -> Image:
    here = Path("/i")
    return Image(
        here, here / "kernel", here / "ram", here / "root.ext4", here / "key", here / "host",
        ARCHITECTURES[of],
    )  # fmt: skip


def test_the_name_of_uname_is_understood_and_none_is_this_machines(on_amd64: None) -> None:
    assert architecture("arm64") is architecture("aarch64") is ARM64
    assert architecture() is AMD64
    for wrong in ("riscv64", "arm", "ARM64"):
        with pytest.raises(UsageError, match="amd64, arm64"):
            architecture(wrong)


def test_an_arm_node_is_of_another_machine_with_the_same_disks() -> None:
    node = NodeSpec("n1", disks=(DiskSpec("a"),))
    argv = {
        of: node_arguments(node, image(of), PLACE, accel="tcg", mtu=9000, peers=[])
        for of in ARCHITECTURES
    }
    arm, intel = argv["arm64"], argv["amd64"]
    assert arm[0] == "qemu-system-aarch64"
    assert arm[arm.index("-machine") + 1].startswith("virt,")
    assert "console=ttyAMA0" in arm[arm.index("-append") + 1].split()
    assert "console=ttyS0" in intel[intel.index("-append") + 1].split()
    assert arm[arm.index("-blockdev") :] == intel[intel.index("-blockdev") :]


def test_an_image_has_the_kernel_of_its_nodes_and_a_busybox_that_runs_there(
    on_amd64: None,
) -> None:
    assert packages_of(AMD64)[0] == "linux-image-amd64"
    assert "busybox-static" not in packages_of(AMD64)
    assert {"linux-image-arm64", "busybox-static"} <= set(packages_of(ARM64))
    assert digest(AMD64) != digest(ARM64)
    assert {"--architectures=arm64", "--variant=extract"} <= set(
        unpack_argv(ARCHIVE, ARM64, "/t.tar")
    )
    assert not any("--architectures" in word for word in unpack_argv(ARCHIVE, AMD64, "/t.tar"))


def program(directory: Path, name: str) -> None:
    file = directory / name
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)


def test_qemu_is_taken_by_the_names_of_other_distributions(
    on_amd64: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("iosonde.lab.architecture._OTHER_PLACES", ("qemu-kvm", f"{tmp_path}/x/kvm"))
    with pytest.raises(HostFailed, match="qemu-system-x86_64 is not installed"):
        qemu(AMD64)
    (tmp_path / "x").mkdir()
    program(tmp_path, "x/kvm")
    assert qemu(AMD64) == f"{tmp_path}/x/kvm"  # RHEL: /usr/libexec/qemu-kvm
    program(tmp_path, "qemu-kvm")
    assert qemu(AMD64) == "qemu-kvm"
    with pytest.raises(HostFailed, match="qemu-system-aarch64 is not installed"):
        qemu(ARM64)  # by KVM of this machine alone
    program(tmp_path, "qemu-system-x86_64")
    assert qemu(AMD64) == "qemu-system-x86_64"
