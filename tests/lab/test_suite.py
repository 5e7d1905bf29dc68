"""Nodes of a newer release of Debian: another kernel, other tools. What is shown, set, measured.

The oracle is the node itself: its uname, its os-release, its files in sysfs.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from tests.lab.conftest import good, iosonde, running, ssh

pytestmark = [pytest.mark.lab, pytest.mark.slow, pytest.mark.long, pytest.mark.timeout(2700)]

NAME = "test-suite"
SUITE, KERNEL = "trixie", "6.12."
NODE = f"lab:{NAME}/n1"


@pytest.fixture(scope="module")
def newer() -> Iterator[str]:
    """A node n1 of the newer release with two disks, one of them to be measured."""
    if shutil.which("mmdebstrap") is None:
        pytest.skip("needs mmdebstrap")
    iosonde("lab", "down", NAME)
    options = ("--name", NAME, "--disks", "2", "--size", "256 MiB", "--memory", "512 MiB")
    good("lab", "up", "--suite", SUITE, *options, timeout=2400)
    try:
        yield NAME
    finally:
        good("lab", "down", NAME)


def device(lab: str, disk: str) -> str:
    """The kernel's name of a disk."""
    return ssh(lab, "n1", "readlink", "-f", f"/dev/disk/by-id/virtio-{disk}").strip()


def test_its_kernel_is_another_than_the_default_nodes(newer: str) -> None:
    kernel = ssh(newer, "n1", "uname", "-r").strip()
    assert kernel.startswith(KERNEL)
    with running("test-suite-own", "--name", "test-suite-own") as own:
        assert ssh(own, "n1", "uname", "-r").strip() != kernel
        listed = {
            lab["name"]: lab["suite"] for lab in good("lab", "list", "--json").document["labs"]
        }
        assert (listed[newer], listed[own]) == (SUITE, "")
    assert f"VERSION_CODENAME={SUITE}" in ssh(newer, "n1", "cat", "/etc/os-release")


def test_it_is_shown(newer: str) -> None:
    shown = good("show", NODE, "--json").document
    sizes = {layer["device"]: layer["size"] for layer in shown["layers"] if layer["kind"] == "disk"}
    assert sizes[device(newer, "d1")] == sizes[device(newer, "d2")] == 256 * 2**20


def test_a_scheduler_is_set_and_put_back(newer: str) -> None:
    disk = device(newer, "d1").removeprefix("/dev/")
    file = f"/sys/block/{disk}/queue/scheduler"
    before = ssh(newer, "n1", "cat", file).strip()
    wanted = "none" if "[none]" not in before else "mq-deadline"
    good("set", "--host", NODE, "--confirm", "600", f"{disk}.scheduler={wanted}")
    assert f"[{wanted}]" in ssh(newer, "n1", "cat", file)
    good("rollback", NODE)
    assert ssh(newer, "n1", "cat", file).strip() == before


def test_a_disk_is_measured_and_the_run_explained(newer: str) -> None:
    disk = device(newer, "d2")
    study = ("--load", "latency", "--size", "16m", "--seconds", "1", "--loops", "2")
    done = good("run", *study, "--target", f"{NODE}:{disk}", "--destroy", disk, "--json").document
    (trial,) = done["trials"]
    assert len(trial["metrics"]["read.iops"]["loops"]) == 2
    for what in ("last", NODE):
        explained = iosonde("explain", what, "--json")
        assert explained.status in {0, 1}, explained.err
        assert explained.document["schema"].startswith("iosonde.explain/")


def test_it_boots_the_same_kernel_after_a_loss_of_power(newer: str) -> None:
    before = ssh(newer, "n1", "cat", "/proc/version")
    good("lab", "kill", "n1", "--name", newer)
    good("lab", "start", "n1", "--name", newer)
    assert ssh(newer, "n1", "cat", "/proc/version") == before


def test_a_release_that_the_archive_lacks_leaves_nothing(newer: str) -> None:
    refused = iosonde("lab", "up", "--suite", "no-such-release", "--name", "test-suite-none")
    assert refused.status == 2
    assert "has no release 'no-such-release'" in refused.err
    labs = good("lab", "list", "--json").document["labs"]
    assert "test-suite-none" not in {lab["name"] for lab in labs}
