"""What a user names as input is a file or a pipe; anything else is one sentence, and no waiting."""

from __future__ import annotations

import os
import pty
import socket
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from iosonde.errors import UsageError
from iosonde.inputs import input_path, open_input
from iosonde.loads.named import declare_load
from iosonde.measure.study import read_study
from iosonde.stack.file import read_stack
from iosonde.tune.campaign.declare import read_tune
from iosonde.tune.search.prior import read_prior
from tests.hostile.conftest import COMMAND
from tests.hostile.test_output_files import PRINTED

STUDY = "study: x\ntargets: [.]\nloads: [latency]\n"


def read_all(path: Path) -> None:
    with open_input(path) as file:
        file.read()


def read_by_the_core(path: Path) -> None:
    with input_path(path) as opened:
        Path(opened).read_bytes()


def read_load(path: Path) -> None:
    declare_load(str(path), where="--load", directory=Path())


READERS: list[Callable[[Path], object]] = [
    read_all, read_by_the_core, read_study, read_tune, read_stack, read_prior,
]  # fmt: skip


@pytest.mark.parametrize("read", READERS, ids=lambda record: record.__name__)
def test_what_is_no_file_is_refused_in_one_sentence_and_at_once(
    read: Callable[[Path], object], tmp_path: Path
) -> None:
    (tmp_path / "directory").mkdir()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        for place, kind in (
            ("/dev/zero", "a character device"), ("/dev/full", "a character device"),
            (tmp_path / "socket", "a socket"), (tmp_path / "directory", "a directory"),
        ):  # fmt: skip
            with pytest.raises(UsageError, match=f"is {kind}") as raised:
                read(Path(place))
            assert str(place) in raised.value.where
    with pytest.raises(UsageError):
        read(tmp_path / "none")


@pytest.mark.root
@pytest.mark.parametrize("read", READERS, ids=lambda record: record.__name__)
def test_a_block_device_is_not_read(
    read: Callable[[Path], object], device: str, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(device)
    for place in (Path(device), tmp_path / "link"):
        with pytest.raises(UsageError, match="is a block device"):
            read(place)


@pytest.mark.parametrize("suffix", [".fio", ".yaml"])
def test_a_load_in_a_file_that_is_none_is_refused(suffix: str, tmp_path: Path) -> None:
    link = tmp_path / f"load{suffix}"
    link.symlink_to("/dev/zero")
    with pytest.raises(UsageError, match="is a character device"):
        read_load(link)


@pytest.mark.root
def test_a_device_is_looked_at_without_being_opened(tmp_path: Path) -> None:
    """A device without a driver cannot be opened; that it is one is said all the same."""
    node = tmp_path / "node"
    os.mknod(node, 0o600 | 0o020000, os.makedev(240, 250))  # 240: for local use (devices.txt)
    with pytest.raises(UsageError, match="is a character device"), open_input(node):
        pass


# What looks alike and is right.


@pytest.mark.parametrize(
    "command",
    [
        '"$@" import --dry-run <(cat printed)',
        'cat printed | "$@" import --dry-run -',
        'cat printed | "$@" import --dry-run /dev/stdin',
        '"$@" import --dry-run - <printed',
        '"$@" import --dry-run /dev/fd/3 3<printed',
        '"$@" import --dry-run /proc/self/fd/3 3< <(cat printed)',
        '"$@" explain link',
        'mkfifo f; cat printed >f & "$@" import --dry-run f',
    ],
)
def test_pipes_and_links_are_read(
    command: str, environment: Mapping[str, str], tmp_path: Path
) -> None:
    (tmp_path / "printed").write_text(PRINTED)
    (tmp_path / "link").symlink_to("printed")
    done = subprocess.run(
        ["bash", "-c", command, "bash", *COMMAND], env=dict(environment), cwd=tmp_path,
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert b"1 trial" in done.stdout


def test_a_study_may_come_through_a_pipe(tmp_path: Path) -> None:
    there, here = os.pipe()
    os.write(here, STUDY.encode())
    os.close(here)
    assert read_study(Path(f"/proc/self/fd/{there}")).study == "x"
    os.close(there)


def test_a_terminal_and_the_null_device_are_inputs() -> None:
    with open_input("/dev/null") as file:
        assert file.read() == b""
    ours, theirs = pty.openpty()
    try:
        os.write(ours, b"pasted\n\x04")
        with open_input(os.ttyname(theirs)) as file:
            assert file.read() == b"pasted\n"
    finally:
        os.close(ours)
        os.close(theirs)
