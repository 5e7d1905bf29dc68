"""A real sshd of the tests' own, on loopback with keys of its own, gone when they end."""

from __future__ import annotations

import getpass
import os
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tests.ports import free_port

_PATIENCE = 60.0  # seconds until a server listens


@dataclass(frozen=True)
class Sshd:
    """How to reach it: HOME holds the .ssh directory in which `address` is known."""

    address: str
    home: Path
    port: int
    pid: int


def _key(path: Path) -> str:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    return path.with_suffix(".pub").read_text().strip()


def configure(directory: Path, name: str = "box") -> Sshd:
    """Keys and files of a server that does not run yet; `name` is a Host of its .ssh/config."""
    port = free_port()
    ssh = directory / ".ssh"
    ssh.mkdir(mode=0o700)
    host_key = _key(directory / "host_key")
    user_key = _key(ssh / "id_ed25519")
    (directory / "authorized").write_text(user_key + "\n")
    (ssh / "known_hosts").write_text(f"[127.0.0.1]:{port} {host_key}\n")
    (ssh / "config").write_text(
        f"Host {name}\n  HostName 127.0.0.1\n  Port {port}\n  User {getpass.getuser()}\n"
        f"  IdentityFile {ssh}/id_ed25519\n  UserKnownHostsFile {ssh}/known_hosts\n"
    )
    (directory / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {directory}/host_key\n"
        f"AuthorizedKeysFile {directory}/authorized\nPidFile none\nStrictModes no\nUsePAM no\n"
        "PermitRootLogin prohibit-password\nPasswordAuthentication no\nMaxSessions 10\n"
        "MaxStartups 100\nSubsystem sftp internal-sftp\n"
        # A shell within a shell, so that bash does not read the user's own .bashrc (shell.c).
        "SetEnv SHLVL=2\n"
    )
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    return Sshd(name, directory, port, 0)


def start(box: Sshd, within: Sequence[str] = ()) -> subprocess.Popen[bytes]:
    """Start a configured server; `within` is a command that runs the one that follows it."""
    config = str(box.home / "sshd_config")
    with (box.home / "sshd.log").open("wb") as log:
        sshd = subprocess.Popen([*within, "/usr/sbin/sshd", "-D", "-e", "-f", config], stderr=log)
    _wait(box.port, sshd, box.home)
    return sshd


@contextmanager
def server(directory: Path, name: str = "box") -> Iterator[Sshd]:
    """A server as long as the block lasts."""
    box = configure(directory, name)
    sshd = start(box)
    try:
        yield replace(box, pid=sshd.pid)
    finally:
        sshd.terminate()
        sshd.wait(10)


def _wait(port: int, sshd: subprocess.Popen[bytes], directory: Path) -> None:
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert sshd.poll() is None, (directory / "sshd.log").read_text()
        time.sleep(0.05)
    raise AssertionError((directory / "sshd.log").read_text())
