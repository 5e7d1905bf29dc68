"""A real sshd in a root of its own that holds busybox and nothing else, as small systems are.

It stands for Alpine, whose shell and tools are busybox's too: ash, no bash, perl or python. The C
library is this system's, and so is the sshd.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests import sshd

_ENTER = """
root=$1 home=$2; shift 2
mkdir -p "$root$home"
mount --bind "$home" "$root$home"
for place in proc sys dev; do mount --rbind "/$place" "$root/$place"; done
exec chroot "$root" "$@"
"""
_ALPINE = 'NAME="Alpine Linux"\nID=alpine\nVERSION_ID=3.20.3\nPRETTY_NAME="Alpine Linux v3.20"\n'


def make_root(root: Path, programs: Sequence[str] = ()) -> None:
    """A root with busybox's applets, sshd, and some programs of this system with what they load."""
    busybox = shutil.which("busybox")
    if busybox is None:
        pytest.skip("needs busybox")
    for place in ("bin", "etc", "root", "run/sshd", "tmp", "proc", "sys", "dev", "usr/bin"):
        (root / place).mkdir(parents=True)
    (root / "tmp").chmod(0o1777)
    for path in (busybox, "/usr/sbin/sshd", *programs):
        _bring(root, path)
    if busybox != "/bin/busybox":
        shutil.copy(busybox, root / "bin/busybox")
    listed = subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True)
    for applet in listed.stdout.split():
        if not (root / "bin" / applet).exists():
            (root / "bin" / applet).symlink_to("busybox")
    (root / "etc/passwd").write_text(
        "root:x:0:0:root:/root:/bin/sh\nsshd:x:100:65534::/run/sshd:/bin/false\n"
    )
    (root / "etc/group").write_text("root:x:0:\nnogroup:x:65534:\n")
    (root / "etc/os-release").write_text(_ALPINE)


def _bring(root: Path, path: str) -> None:
    """A program or library of this system at the same path, with the libraries that it loads."""
    if (root / path[1:]).exists():
        return
    (root / path[1:]).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(path, root / path[1:])
    loads = subprocess.run(["ldd", path], capture_output=True, text=True, check=False).stdout
    for word in loads.split():
        if word.startswith("/"):
            _bring(root, word)


@contextmanager
def server(directory: Path, programs: Sequence[str] = ()) -> Iterator[sshd.Sshd]:
    """A server as long as the block lasts; the root is `directory`/root."""
    root = directory / "root"
    make_root(root, programs)
    made = sshd.configure(directory)
    settings = directory / "sshd_config"
    settings.write_text(settings.read_text().replace("SetEnv SHLVL=2\n", ""))
    enter = ["unshare", "--mount", "sh", "-euc", _ENTER, "sh", str(root), str(directory)]
    process = sshd.start(made, enter)
    try:
        yield replace(made, pid=process.pid)
    finally:
        process.terminate()
        process.wait(10)
