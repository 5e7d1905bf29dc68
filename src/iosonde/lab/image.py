"""The image that all nodes share: made once from Debian's packages, then found in the cache.

A directory of the cache named for the recipe's hash: `root.ext4` (read-only, no journal), `kernel`,
`initramfs`, `key` and `host_key` with their public halves. It is made under another name and
renamed when complete, so that what a crash leaves is never taken for an image.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from iosonde import kerneltext, units
from iosonde.config import config_value
from iosonde.errors import HostFailed
from iosonde.hosts.packages import install_here
from iosonde.lab import recipe
from iosonde.lab.architecture import Architecture, architecture
from iosonde.lab.initramfs import initramfs
from iosonde.lab.kernel import unpacked
from iosonde.lab.release import archives, require_suites
from iosonde.private_folder import make_private, require_private
from iosonde.scripts import program

Tell = Callable[[str, float | None], None]
"""Told what is being done, and which share of it is done where that is known."""

_TREE_SIZE = 900 * units.MIB  # of the archive, as measured once: only for the progress shown
_ROOM = 160 * units.MIB  # left free on the image
_PATIENCE = 1800.0
_UMASK = 0o022  # of what builds the nodes' file system, whose files all their users read
_WATCH = 2.0  # seconds between two looks at how far it is


@dataclass(frozen=True, slots=True)
class Image:
    """Files of an image; `key` is the private ssh key that all its nodes accept.

    `suite` is its release (release.py); "" is that of the machine it was made on.
    """

    directory: Path
    kernel: Path
    initramfs: Path
    root: Path
    key: Path
    host_key: Path
    architecture: Architecture = field(default_factory=architecture)
    suite: str = ""


def base() -> Path:
    """Where the lab keeps everything: images and running labs.

    What is read there is run: kernels, command lines of nodes.

    Raises:
        Refused: another user could change it.
    """
    return require_private(Path(str(config_value("lab").value)))


def _nobody(what: str, share: float | None) -> None:
    """Tells nobody."""


async def image(tell: Tell = _nobody, of: Architecture | None = None, suite: str = "") -> Image:
    """The image of today's recipe, made where the cache has none.

    Args:
        tell: told what is being done.
        of: the architecture of its nodes; None: this machine's own.
        suite: the release of its nodes; "": this machine's own.

    Raises:
        UsageError: the archive of this machine's packages has no such release.
        HostFailed: a tool is missing, packages cannot be fetched, or the disk is full.
    """
    of = of or architecture()
    place = _place(of, suite)
    if suite and not place.exists():
        own = await asyncio.to_thread(recipe.source)
        if own.suite == suite:
            suite, place = "", _place(of, "")
        else:
            await asyncio.to_thread(require_suites, archives(own, suite), own)
    if not place.exists():
        make_private(base())
        make_private(place.parent)
        await asyncio.to_thread(_lock_and_make, place, of, suite, asyncio.get_running_loop(), tell)
    return Image(
        place, place / "kernel", place / "initramfs", place / "root.ext4", place / "key",
        place / "host_key.pub", of, suite,
    )  # fmt: skip


def _place(of: Architecture, suite: str) -> Path:
    return base() / "images" / recipe.digest(of, suite)


def _lock_and_make(
    place: Path, of: Architecture, suite: str, loop: asyncio.AbstractEventLoop, tell: Tell
) -> None:
    with _only_builder(place.parent):
        for rest in place.parent.glob("making-*"):
            shutil.rmtree(rest, ignore_errors=True)
        if not place.exists():

            def report(what: str, share: float | None) -> None:
                loop.call_soon_threadsafe(tell, what, share)

            _make(place, of, suite, report)


@contextlib.contextmanager
def _only_builder(folder: Path) -> Iterator[None]:
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _make(place: Path, of: Architecture, suite: str, tell: Tell) -> None:
    began = time.monotonic()
    _require(
        "mmdebstrap", "mkfs.ext4", "ssh-keygen", "tar",
        *(["busybox"] if of.is_own else ["depmod"]),
    )  # fmt: skip
    new = Path(tempfile.mkdtemp(prefix="making-", dir=place.parent))
    try:
        for key in ("key", "host_key"):
            _run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "lab", "-f", str(new / key)])
        for name in recipe.scripts_of(of):
            (new / name).write_bytes(recipe.boot_file(name))
            (new / name).chmod(0o755)
        _unpack(new, of, suite, tell)
        _files(new, of, tell)
        size = sum(file.stat().st_blocks * units.SECTOR for file in new.iterdir())
        new.rename(place)
        took = units.show_seconds(time.monotonic() - began)
        tell(f"image made: {units.show_bytes(size)} in {took}", 1.0)
    finally:
        shutil.rmtree(new, ignore_errors=True)


_TREE = program("iosonde.lab", "tree.sh")


def _unpack(new: Path, of: Architecture, suite: str, tell: Tell) -> None:
    """Fetches and unpacks the packages and makes the file system of them.

    As root, or in a user namespace of its own, where owners of files are right too.
    """
    packages = recipe.source()
    archive = new / "tree.tar"
    tell(f"fetching {len(recipe.packages_of(of))} packages and what they need", 0.0)
    _run(
        _apart(*recipe.unpack_argv(packages, of, str(archive), suite)),
        cwd=new,
        watching=rising(
            lambda: _share(new), lambda share: tell("fetching and unpacking packages", share)
        ),
    )
    tell("making the file system", None)
    _run(_as_root("sh", "-c", _TREE, "sh", str(_ROOM // units.MIB)), cwd=new)


def _apart(*argv: str) -> list[str]:
    """A command whose mounts nobody else sees and which end with it.

    Whoever is root shares them otherwise: what looks into the folder meanwhile (`_share`) keeps
    /proc in it busy, and what removes it walks into what is still mounted.
    """
    return list(argv) if os.geteuid() else ["unshare", "--mount", *argv]


def _as_root(*argv: str) -> list[str]:
    """A command as root, or as one in a user namespace of its own."""
    return ["unshare", "--map-root-user", "--map-auto", *argv] if os.geteuid() else list(argv)


def rising(
    look: Callable[[], float | None], tell: Callable[[float | None], None]
) -> Callable[[], None]:
    """What looks how far it is and tells the most it has seen: what was fetched is removed again.

    Args:
        look: gives a share from 0 to 1; None: not known.
        tell: told it.
    """
    most: float | None = None

    def watch() -> None:
        nonlocal most
        most = max((share for share in (most, look()) if share is not None), default=None)
        tell(most)

    return watch


def _share(folder: Path) -> float | None:
    """How much of what is to be unpacked has been written."""
    done = subprocess.run(
        ["du", "--summarize", "--block-size=1", str(folder)],
        capture_output=True, text=True, check=False,
    ).stdout  # fmt: skip
    return min(int(done.split()[0]) / _TREE_SIZE, 0.99) if done else None


def _files(new: Path, of: Architecture, tell: Tell) -> None:
    tell("unpacking the kernel", None)
    (packed,) = (new / "tree" / "boot").glob("vmlinuz-*")
    whole = packed.read_bytes()
    (new / "kernel").write_bytes(unpacked(whole) or whole)
    busybox = shutil.which("busybox") if of.is_own else new / "tree/bin/busybox"
    (modules,) = (new / "tree" / "lib" / "modules").iterdir()
    (new / "initramfs").write_bytes(initramfs(modules, Path(busybox or "")))
    _run(_as_root("rm", "-rf", "tree"), cwd=new)


_PACKAGES = {
    "mkfs.ext4": "e2fsprogs", "ssh-keygen": "openssh-client", "busybox": "busybox-static",
    "depmod": "kmod",
}  # fmt: skip
"""Tool → its package in Debian, where that has another name."""


def _require(*tools: str) -> None:
    missing = [tool for tool in tools if not shutil.which(tool, path=_path())]
    if missing:
        raise HostFailed(
            f"the lab's image cannot be made without {', '.join(missing)}",
            where="local",
            hint=install_here(*dict.fromkeys(_PACKAGES.get(tool, tool) for tool in missing)),
        )


def _path() -> str:
    return f"{os.environ.get('PATH', '')}:/usr/local/sbin:/usr/sbin:/sbin"


def _run(
    argv: Sequence[str], *, cwd: Path | None = None, watching: Callable[[], None] | None = None
) -> None:
    """Run a tool to its end, calling `watching` now and then.

    Raises:
        HostFailed: it failed; with the last it said.
    """
    own = {"TMPDIR": str(cwd)} if cwd else {}
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            argv, cwd=cwd, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
            env={**os.environ, **own, "PATH": _path(), "LC_ALL": "C.UTF-8"}, umask=_UMASK,
        )  # fmt: skip
        end = time.monotonic() + _PATIENCE
        try:
            while process.poll() is None and time.monotonic() < end:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(_WATCH)
                if watching:
                    watching()
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
        if process.returncode:
            said.seek(0)
            lines = kerneltext.lines(kerneltext.decoded(said.read()).strip()) or ["nothing"]
            errors = [line for line in lines if line.startswith("E:")] or lines
            raise HostFailed(
                f"{argv[0]} ended with status {process.returncode}: {errors[-1]}",
                where="local",
                hint="the lab's image could not be made; look at the network and the free space",
            )
