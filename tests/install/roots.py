"""Root file systems of other distributions, made by mmdebstrap, and commands in them.

A root is entered in namespaces of its own: no network, own mounts, own processes. Another machine
than this one is a guest of the lab (tests/lab/test_arm64.py).
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from iosonde.lab.architecture import architecture
from iosonde.lab.recipe import source

UBUNTU = frozenset({"noble"})
_KEYRING = "80a36b0a6de2f69f49d2df75ef473ccde121e9e190b9ea01d20a4f63778d5c31"
"""SHA-256 of the keyring in ubuntu-keyring 2023.11.28.1, which holds the archive's key of 2018,
F6EC B376 2474 EDA9 D21B 7022 8719 20D1 991B C93C."""
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
                f"--keyring={self._keyring()}",
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

    def _keyring(self) -> Path:
        """What Ubuntu's archive is signed with, out of its own package: Debian has none of it.

        Nothing has vouched for that package yet; the keyring in it is held against its hash.
        """
        unpacked = self.folder / "keyring"
        argv = [
            "mmdebstrap", "--quiet", "--variant=extract", "--include=ubuntu-keyring",
            '--aptopt=Acquire::AllowInsecureRepositories "true"',
            '--aptopt=APT::Get::AllowUnauthenticated "true"', self.suite, str(unpacked),
        ]  # fmt: skip
        self._inside(argv, seconds=300)
        keyring = unpacked / "usr/share/keyrings/ubuntu-archive-keyring.gpg"
        assert hashlib.sha256(keyring.read_bytes()).hexdigest() == _KEYRING
        return keyring

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
