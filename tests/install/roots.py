"""Root file systems of other distributions, made by mmdebstrap, and commands in them.

A root is entered in namespaces of its own: no network, own mounts, own processes. Another machine
than this one is a guest of the lab (tests/lab/test_arm64.py).
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from iosonde.lab.architecture import architecture
from iosonde.lab.recipe import source

UBUNTU = frozenset({"noble"})
KEYRING = Path(
    os.environ.get("IOSONDE_UBUNTU_KEYRING", "/usr/share/keyrings/ubuntu-archive-keyring.gpg")
)
"""What Ubuntu's archive is signed with: of its package ubuntu-keyring, or a copy."""
OWN = architecture().name


@dataclass(frozen=True)
class Root:
    """A root file system of one suite of Debian or Ubuntu."""

    suite: str
    folder: Path

    @cached_property
    def path(self) -> Path:
        """Where it stands."""
        return self.folder / self.suite

    def make(self, packages: list[str]) -> None:
        """Unpack and configure it, without recommended packages.

        Debian comes from where this system's packages do, Ubuntu from where mmdebstrap knows it.
        """
        if self.suite in UBUNTU:
            place = [
                f"--keyring={KEYRING}",
                "--components=main,universe",
                self.suite,
                str(self.path),
            ]
        else:
            place = [self.suite, str(self.path), source().uri]
        argv = [
            "mmdebstrap", "--quiet", "--variant=minbase",
            f"--include={','.join(packages)}", "--dpkgopt=path-exclude=/usr/share/doc/*", *place,
        ]  # fmt: skip
        self._inside(argv, seconds=1500)

    def run(
        self, *argv: str, environment: dict[str, str] | None = None, seconds: float = 600
    ) -> subprocess.CompletedProcess[str]:
        """A command in it; its output is kept, its failure is not raised."""
        given = {"PATH": "/root/.local/bin:/usr/bin:/usr/sbin", "HOME": "/root",
                 "LC_ALL": "C.UTF-8", "COLUMNS": "80", **(environment or {})}  # fmt: skip
        enter = [
            "sh", "-euc",
            'mount --rbind /sys "$0/sys"; mount --rbind /dev "$0/dev"; '
            'mount -t proc proc "$0/proc"; cd "$0"; root=$0; shift 0; exec chroot "$root" "$@"',
            str(self.path), "env", "-i", "--chdir=/root", *(f"{k}={v}" for k, v in given.items()),
            *argv,
        ]  # fmt: skip
        return self._inside(enter, check=False, seconds=seconds, own=["--pid", "--fork", "--net"])

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def _inside(
        self, argv: list[str], *, seconds: float, check: bool = True, own: list[str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        argv = ["unshare", "--mount", "--kill-child", "--fork", *(own or []), *argv]
        process = subprocess.run(
            argv, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
            errors="replace", timeout=seconds, check=False,
        )  # fmt: skip
        assert not check or process.returncode == 0, f"{argv}: {process.stderr[-3000:]}"
        return process
