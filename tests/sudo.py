"""A real sshd and the real sudo and doas for a plain user of the tests, in a mount namespace.

The users, groups, sudoers and doas.conf that they read are files of the tests, mounted over those
of this system in the namespace alone, so nothing of the system is changed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests import sshd

USER = "sounder"
ALL = f"{USER} ALL=(ALL) NOPASSWD: ALL\n"
DOAS_ALL = f"permit nopass {USER} as root\n"
_AUTHORIZED = "/etc/iosonde-authorized"  # which USER may read, whoever closes directories above
NUMBER = 64100 + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
"""No user of this system has it, nor USER of a test that another worker runs meanwhile."""
_MOUNT = """
mount -t overlay -o "lowerdir=$1:/etc" overlay /etc  # with files to mount over
shift
while [ "$1" != -- ]; do mount --bind "$1" "$2"; shift 2; done
shift
exec "$@"
"""


@dataclass(frozen=True)
class SudoBox:
    """A server on which USER can log in; what sudo and doas read may be written at any time."""

    sshd: sshd.Sshd
    sudoers: Path
    doas_conf: Path


@contextmanager
def server(directory: Path, over: Mapping[str, Path] | None = None) -> Iterator[SudoBox]:
    """A server as long as the block lasts, whose sudoers and doas.conf let USER do everything.

    Args:
        directory: its keys and files.
        over: what is mounted over which path beside them.
    """
    if shutil.which("sudo") is None:
        pytest.skip("needs sudo")
    etc = directory / "etc"
    etc.mkdir()
    for name, line in (
        ("passwd", f"{USER}:x:{NUMBER}:{NUMBER}::/:/bin/sh\n"),
        ("group", f"{USER}:x:{NUMBER}:\n"),
        ("shadow", f"{USER}:*:20000:0:99999:7:::\n"),
    ):
        (etc / name).write_text(Path("/etc", name).read_text() + line)
    (etc / "shadow").chmod(0o600)
    sudoers = etc / "sudoers"
    allow(sudoers, ALL)
    doas_conf = etc / "doas.conf"
    doas_conf.write_text(DOAS_ALL)
    box = sshd.configure(directory)
    config = directory / ".ssh/config"
    text = config.read_text()
    config.write_text(
        "\n".join(
            f"  User {USER}" if line.startswith("  User ") else line for line in text.split("\n")
        )
    )
    settings = directory / "sshd_config"
    settings.write_text(settings.read_text().replace(f"{directory}/authorized", _AUTHORIZED))
    names = ("passwd", "group", "shadow", "sudoers", "doas.conf")
    mounts = {f"/etc/{name}": etc / name for name in names}
    mounts[_AUTHORIZED] = directory / "authorized"
    empty = directory / "empty"
    empty.mkdir(mode=0o755)
    for place in ("/etc/doas.conf", _AUTHORIZED):
        (empty / Path(place).name).touch()
    pairs = [
        str(part) for there, here in {**mounts, **(over or {})}.items() for part in (here, there)
    ]
    process = sshd.start(
        box, ["unshare", "--mount", "sh", "-euc", _MOUNT, "sh", str(empty), *pairs, "--"]
    )
    try:
        yield SudoBox(replace(box, pid=process.pid), sudoers, doas_conf)
    finally:
        process.terminate()
        process.wait(10)


def allow(sudoers: Path, text: str) -> None:
    """Write a sudoers file in place, as the namespace has it mounted."""
    sudoers.touch(mode=0o440)
    sudoers.write_text(f"Defaults env_reset, use_pty\nroot ALL=(ALL) ALL\n{text}")
