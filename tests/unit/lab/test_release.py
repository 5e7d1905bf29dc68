"""Nodes of another release: what their image is made of, and releases that an archive lacks."""

from __future__ import annotations

import asyncio
import json
import lzma
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from iosonde.errors import UsageError
from iosonde.lab import image as making
from iosonde.lab import recipe
from iosonde.lab.architecture import ARCHITECTURES
from iosonde.lab.initramfs import initramfs
from iosonde.lab.recipe import digest, packages_of, unpack_argv
from iosonde.lab.release import PackageSource, archives, require_suites
from iosonde.lab.spec import LabSpec, NodeSpec, checked
from iosonde.lab.state import Lab, find

AMD64, ARM64 = ARCHITECTURES["amd64"], ARCHITECTURES["arm64"]


def archive(root: Path, *suites: str) -> PackageSource:
    """An archive in a directory, as apt's method "file" has it, of a machine with bookworm."""
    for suite in suites:
        folder = root / "dists" / suite
        folder.mkdir(parents=True)
        (folder / "InRelease").write_text(f"Suite: {suite}\n")
    return PackageSource("bookworm", f"file:{root}/", ("main", "non-free"))


def lab_of(suite: str) -> LabSpec:
    return LabSpec("lab", (NodeSpec("n1"),), suite=suite)


@pytest.fixture(autouse=True)
def _own_lab(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("IOSONDE_LAB", str(tmp_path / "lab"))


def test_a_release_comes_from_this_machines_archive_with_the_suite_exchanged() -> None:
    own = PackageSource("bookworm", "http://d/", ("main", "non-free"))
    argv = unpack_argv(own, AMD64, "/t.tar", "trixie")
    assert argv[-3:] == ["trixie", "/t.tar", "http://d/"]
    assert "--components=main,non-free" in argv
    assert unpack_argv(own, AMD64, "/t.tar")[-3:] == ["bookworm", "/t.tar", "http://d/"]


def test_of_a_backports_pocket_the_kernel_alone_is_taken() -> None:
    own = PackageSource("trixie", "http://d/", ("main", "non-free"))
    argv = unpack_argv(own, ARM64, "/t.tar", "bookworm-backports")
    assert argv[-4:] == [
        "bookworm", "/t.tar", "deb http://d/ bookworm main non-free",
        "deb http://d/ bookworm-backports main non-free",
    ]  # fmt: skip
    kernel, *rest = packages_of(ARM64, "bookworm-backports")
    assert kernel == "linux-image-arm64/bookworm-backports"
    assert tuple(rest) == packages_of(ARM64)[1:]
    assert packages_of(ARM64, "trixie") == packages_of(ARM64)


def test_each_release_has_an_image_of_its_own_and_this_machines_keeps_its() -> None:
    suites = ("", "trixie", "bookworm", "bookworm-backports")
    assert len({digest(AMD64, suite) for suite in suites}) == len(suites)
    assert digest(AMD64, "") == digest(AMD64)
    assert digest(AMD64, "trixie") != digest(ARM64, "trixie")


@pytest.mark.parametrize(
    "name", ["Trixie", "13", "trixie bookworm", "../x", "-x", "a;b", "é", "a\n"]
)
def test_what_no_release_is_called_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="not a name of a release"):
        checked(lab_of(name))
    for fine in ("", "sid", "bookworm-backports", "a1"):
        assert checked(lab_of(fine)).suite == fine


def apt_helper() -> bool:
    return Path("/usr/lib/apt/apt-helper").exists()


@pytest.mark.skipif(not apt_helper(), reason="needs apt")
def test_a_release_that_the_archive_lacks_is_refused_before_anything_is_laid_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = archive(tmp_path / "archive", "bookworm", "trixie", "bookworm-backports")
    monkeypatch.setattr(recipe, "source", lambda: own)
    for suite, lacks in (
        ("woody", "woody"), ("trixie-backports", "trixie-backports"), ("trixi", "trixi"),
        ("woody-backports", "woody"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=f"has no release '{lacks}'") as refused:
            asyncio.run(making.image(of=AMD64, suite=suite))
        assert f"file:{tmp_path}/archive/dists/" in str(refused.value.hint)
        assert "bookworm" in str(refused.value.hint)
    assert not (tmp_path / "lab").exists()
    for suite in ("trixie", "bookworm-backports"):
        require_suites(archives(own, suite), own)


@pytest.mark.slow
@pytest.mark.skipif(not apt_helper(), reason="needs apt")
def test_an_archive_that_does_not_answer_is_not_said_to_lack_a_release() -> None:
    own = PackageSource("bookworm", "http://127.0.0.1:9/", ("main",))
    require_suites((replace(own, suite="trixie"),), own)


def test_this_machines_release_by_its_name_is_the_image_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = PackageSource("bookworm", f"file:{tmp_path}/none/", ("main",))
    monkeypatch.setattr(recipe, "source", lambda: own)
    (tmp_path / "lab").mkdir(mode=0o700)
    (tmp_path / "lab" / "images" / digest(AMD64)).mkdir(parents=True)
    made = asyncio.run(making.image(of=AMD64, suite="bookworm"))
    assert (made.suite, made.directory.name) == ("", digest(AMD64))


def test_a_lab_remembers_its_release(tmp_path: Path) -> None:
    (tmp_path / "lab").mkdir(mode=0o700)
    lab = Lab("old", "/i", "tcg", False, (), (), "amd64", "trixie").keep()
    assert find("old").suite == "trixie"
    state = lab.directory / "lab.json"
    before = json.loads(state.read_text())
    del before["suite"]  # as earlier versions wrote it
    state.write_text(json.dumps(before))
    assert find("old").suite == ""


def test_packed_modules_come_along_plain(tmp_path: Path) -> None:
    """Packed by xz(1), as the kernel's `make modules_install` has it from Debian 13 on."""
    names = ("virtio_pci", "virtio_blk", "ext4", "crc32c_generic", "overlay")
    for name in names:
        (tmp_path / f"{name}.ko").write_bytes(b"body of " + name.encode())
    packed = [str(tmp_path / f"{name}.ko") for name in names[1:]]
    subprocess.run(["xz", "--check=crc32", "--lzma2=dict=1MiB", *packed], check=True)
    deps = "".join(f"{name}.ko.xz:\n" for name in names[1:]) + "virtio_pci.ko:\n"
    (tmp_path / "modules.dep").write_text(deps)
    (tmp_path / "modules.builtin").write_text("")
    whole = initramfs(tmp_path, tmp_path / "virtio_pci.ko")
    for name in names:
        assert b"body of " + name.encode() in whole
        assert f"modules/{name}.ko\0".encode() in whole
        assert f"{name}.ko\n".encode() in whole
    assert b".ko.xz" not in whole
    (tmp_path / "ext4.ko.xz").write_bytes(b"cut")
    with pytest.raises(lzma.LZMAError):
        initramfs(tmp_path, tmp_path / "virtio_pci.ko")


@pytest.mark.root
def test_mounts_of_what_unpacks_packages_are_its_own(tmp_path: Path) -> None:
    """mmdebstrap mounts /proc in what it makes; as root it did so for everybody."""
    script = 'mount -t tmpfs own "$0" && touch "$0/inside" && cp /proc/mounts "$0/../seen"'
    (tmp_path / "place").mkdir()
    argv = ["sh", "-euc", script, str(tmp_path / "place")]
    subprocess.run(making._apart(*argv), check=True)
    assert f"own {tmp_path}/place tmpfs" in (tmp_path / "seen").read_text()
    assert f"{tmp_path}/place" not in Path("/proc/mounts").read_text()
    assert not (tmp_path / "place" / "inside").exists()
