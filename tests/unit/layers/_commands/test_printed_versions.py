"""Versions, distribution and the kernel's parameters. Oracle: the real tools, and the shell."""

from __future__ import annotations

import platform
import shutil
import subprocess
from pathlib import Path

import pytest

from iosonde.records.stack import Scalar
from tests.mangle import mangled, subjects_in

TEXT = (Path(__file__).parents[3] / "outputs" / "hosts-composed" / "versions.txt").read_text()


def values(text: str) -> dict[str, Scalar]:
    """Everything that is said of the host and its kernel."""
    return {name: value for subject in subjects_in(text) for name, value in subject.values.items()}


def test_all_of_a_host() -> None:
    said = values(TEXT)
    assert said["distribution_id"] == "debian"
    assert said["distribution_version"] == "12"
    assert said["scsi_mod.use_blk_mq"] == "1"
    assert said["console"] == "ttyS0,115200n8"
    assert said["quiet"] is True
    assert said["BOOT_IMAGE"] == "/boot/vmlinuz-6.1.0-28-amd64"
    assert (said["mdadm"], said["btrfs-progs"], said["xfsprogs"]) == ("4.2", "6.2", "6.1.0")
    assert (said["lvm2"], said["dm-driver"]) == ("2.03.16(2)", "4.47.0")
    assert (said["zfs"], said["zfs-kmod"]) == ("2.2.3-1", "2.2.3-1")


@pytest.mark.parametrize(("shape", "text"), [*mangled(TEXT, wraps=False)])
def test_in_any_shape(shape: str, text: str) -> None:
    assert values(text) == values(TEXT), shape


def test_a_command_line_that_a_mail_broke() -> None:
    broken = TEXT.replace(" scsi_mod", "\nscsi_mod")
    assert values(broken) == values(TEXT)


@pytest.mark.parametrize(("tool", "argument"), [("mdadm", "--version"), ("mke2fs", "-V")])
def test_the_real_tools(tool: str, argument: str) -> None:
    if not (path := shutil.which(tool, path="/usr/sbin:/sbin:/usr/bin")):
        pytest.skip(f"needs {tool}")
    ended = subprocess.run([path, argument], check=False, capture_output=True, text=True)
    printed = ended.stdout + ended.stderr
    (version,) = values(printed).values()
    assert str(version) in printed
    assert str(version)[0].isdigit()


def test_what_a_distribution_is_like() -> None:
    said = values('PRETTY_NAME="Frob 7"\nID=frob\nID_LIKE="ubuntu debian"\n')
    assert said["distribution_like"] == "ubuntu debian"


def test_the_distribution_as_python_reads_it() -> None:
    release = Path("/etc/os-release")
    if not release.exists():
        pytest.skip("needs /etc/os-release")
    said = values(release.read_text())
    assert said["distribution_id"] == platform.freedesktop_os_release()["ID"]
    assert said["distribution_name"] == platform.freedesktop_os_release()["PRETTY_NAME"]


@pytest.mark.parametrize("text", [
    "I use btrfs-progs v6.2 and it hangs\n", "zfs-discuss is the list\n", "NAME=disk1\n",
    "AVAILABLE=       PRIORITY=\nAVAILABLE_PRETTY=      SEAT_ID=\n",
    "see mdadm - v4.2\n", "the BOOT_IMAGE=/vmlinuz is old\n",
])  # fmt: skip
def test_what_looks_alike(text: str) -> None:
    assert values(text) == {}


def test_btrfs_with_what_it_was_built_with_and_above_other_lines() -> None:
    text = "$ btrfs --version\nbtrfs-progs v6.6.3\n{}\n"
    said = values(text.format("-EXPERIMENTAL -INJECT -STATIC +LZO +ZSTD +UDEV CRYPTO=libgcrypt"))
    assert (said["btrfs-progs"], said["btrfs_progs"]) == ("6.6.3", "v6.6.3")
    assert str(said["btrfs_progs_features"]).split()[-1] == "CRYPTO=libgcrypt"
    assert values(text.format("the kernel is of Debian"))["btrfs-progs"] == "6.6.3"
    assert not values(text.format("leaf 30523392 items of it cannot be read"))


def test_the_version_of_quota() -> None:
    (host,) = subjects_in("# quota --version\nQuota utilities version 4.06.\n")
    assert host.values == {"quota": "4.06"}
    assert not subjects_in("Quota utilities version 4.06 is old\n")
