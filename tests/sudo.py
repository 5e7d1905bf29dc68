"""A real sshd and the real sudo for a plain user of the tests' own, in a mount namespace.

The users, groups and sudoers that they read are files of the tests, mounted over those of this
system in the namespace alone, so nothing of the system is changed.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests import sshd

USER = "sounder"
ALL = f"{USER} ALL=(ALL) NOPASSWD: ALL\n"
_NUMBER = 64100  # no user of this system has it
_MOUNT = """
while [ "$1" != -- ]; do mount --bind "$1" "$2"; shift 2; done
shift
exec "$@"
"""


@dataclass(frozen=True)
class SudoBox:
    """A server on which USER can log in; `sudoers` may be written anew at any time."""

    sshd: sshd.Sshd
    sudoers: Path


@contextmanager
def server(directory: Path, over: Mapping[str, Path] | None = None) -> Iterator[SudoBox]:
    """A server as long as the block lasts, whose sudoers lets USER do everything.

    Args:
        directory: its keys and files.
        over: what is mounted over which path beside them.
    """
    if shutil.which("sudo") is None:
        pytest.skip("needs sudo")
    etc = directory / "etc"
    etc.mkdir()
    for name, line in (
        ("passwd", f"{USER}:x:{_NUMBER}:{_NUMBER}::/:/bin/sh\n"),
        ("group", f"{USER}:x:{_NUMBER}:\n"),
        ("shadow", f"{USER}:*:20000:0:99999:7:::\n"),
    ):
        (etc / name).write_text(Path("/etc", name).read_text() + line)
    (etc / "shadow").chmod(0o600)
    sudoers = etc / "sudoers"
    allow(sudoers, ALL)
    box = sshd.configure(directory)
    config = directory / ".ssh/config"
    text = config.read_text()
    config.write_text(
        "\n".join(
            f"  User {USER}" if line.startswith("  User ") else line for line in text.split("\n")
        )
    )
    for readable in (directory, *directory.parents):  # sshd reads authorized keys as USER
        if not readable.stat().st_mode & 0o001:
            readable.chmod(readable.stat().st_mode | 0o001)
    mounts = {f"/etc/{name}": etc / name for name in ("passwd", "group", "shadow", "sudoers")}
    pairs = [
        str(part) for there, here in {**mounts, **(over or {})}.items() for part in (here, there)
    ]
    process = sshd.start(box, ["unshare", "--mount", "sh", "-euc", _MOUNT, "sh", *pairs, "--"])
    try:
        yield SudoBox(replace(box, pid=process.pid), sudoers)
    finally:
        process.terminate()
        process.wait(10)


def allow(sudoers: Path, text: str) -> None:
    """Write a sudoers file in place, as the namespace has it mounted."""
    sudoers.touch(mode=0o440)
    sudoers.write_text(f"Defaults env_reset, use_pty\nroot ALL=(ALL) ALL\n{text}")
