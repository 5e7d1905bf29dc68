"""Root file systems of other distributions and machines, made by mmdebstrap, and commands in them.

A root is entered in namespaces of its own: no network, own mounts, own processes. One of another
machine runs by qemu-user, which is registered in a user namespace (binfmt_misc, Linux 6.7), so that
this system is left as it is.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from iosonde.lab.recipe import source

_ELF = {
    # e_machine of elf.h; the mask passes over the ABI and the kind of file, as qemu's own does.
    "arm64": (
        rb"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00",
        rb"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff",
        "qemu-aarch64-static",
    ),
}
EMULATORS = {machine: name for machine, (_, _, name) in _ELF.items()}
UBUNTU = frozenset({"noble"})
KEYRING = Path(
    os.environ.get("IOSONDE_UBUNTU_KEYRING", "/usr/share/keyrings/ubuntu-archive-keyring.gpg")
)
"""What Ubuntu's archive is signed with: of its package ubuntu-keyring, or a copy."""
OWN = {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]


@dataclass(frozen=True)
class Root:
    """A root file system of one suite of Debian or Ubuntu for one machine."""

    suite: str
    machine: str
    folder: Path

    @cached_property
    def path(self) -> Path:
        """Where it stands."""
        return self.folder / f"{self.suite}-{self.machine}"

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
            "mmdebstrap", "--quiet", "--variant=minbase", "--skip=check/qemu",
            f"--architectures={self.machine}",
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
        if self.machine != OWN:
            magic, mask, name = _ELF[self.machine]
            emulator = shutil.which(name)
            assert emulator is not None, f"needs {name}"
            rule = rb":%s:M::%s:%s:%s:F" % (self.machine.encode(), magic, mask, emulator.encode())
            register = (
                "read -r go; mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc; "
                'printf %s "$0" >/proc/sys/fs/binfmt_misc/register; exec "$@" </dev/null'
            )
            argv = ["unshare", "--user", "--mount", "sh", "-euc", register, rule.decode(), *argv]
        with subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            encoding="utf-8", errors="replace",
        ) as process:  # fmt: skip
            try:
                if self.machine != OWN:
                    _map_all_users(process.pid)
                out, error = process.communicate("\n", timeout=seconds)
            except BaseException:
                process.kill()
                raise
        assert not check or process.returncode == 0, f"{argv}: {error[-3000:]}"
        return subprocess.CompletedProcess(argv, process.returncode, out, error)


def _map_all_users(process: int) -> None:
    """Give a process that enters a user namespace this system's users, root included."""
    outside = Path("/proc/self/ns/user").readlink()
    until = time.monotonic() + 10
    while Path(f"/proc/{process}/ns/user").readlink() == outside:
        assert time.monotonic() < until, "no user namespace"
        time.sleep(0.01)
    for name in ("uid_map", "gid_map"):
        Path(f"/proc/{process}/{name}").write_text("0 0 65536\n", encoding="ascii")
