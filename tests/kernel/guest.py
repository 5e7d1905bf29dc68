"""Runs a pytest file on Debian's stock kernel: a QEMU guest over this machine's own files.

The guest sees the root file system of this machine read-only (9p) under a tmpfs overlay, has
empty disks of its own and no network. Emulated (TCG): no KVM is needed, and no figure of speed
means anything. The kernel is unpacked, never installed.

Source: qemu(1) (-virtfs, -device virtio-blk-pci,serial=); Linux
Documentation/driver-api/early-userspace/buffer-format.rst (initramfs); modules.dep(5).
"""

from __future__ import annotations

import fcntl
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
CACHE = ROOT / "target" / "guest-kernel"
SERIAL = "iosonde-guest-"
"""How the serial of every disk of a guest begins; a letter follows."""

_EARLY = ("virtio_pci", "virtio_blk", "9p", "9pnet_virtio", "overlay")
_ENDED = "guest-command-ended:"
_INIT = """\
#!/bin/sh
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
while read -r module; do insmod "/modules/$module"; done < /order
mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=512000,cache=loose host /host
mount -t tmpfs over /over; mkdir /over/upper /over/work
mount -t overlay -o lowerdir=/host,upperdir=/over/upper,workdir=/over/work root /root
for own in proc sys dev; do mount --move /$own /root/$own; done
mkdir -p /root/dev/shm /root/dev/pts /root/lib/modules
mount --bind "/host$(cat /tree)" /root/lib/modules
for empty in run tmp dev/shm; do mount -t tmpfs own /root/$empty; done
repository=$(cat /repository)  # which may lie below one of these
if [ ! -d "/root$repository" ]; then
    mkdir -p "/root$repository" && mount --bind "/host$repository" "/root$repository"
fi
mount -t devpts devpts /root/dev/pts
cp /command /root/run/command
exec switch_root /root /bin/sh /run/command
"""
# Process 1 itself changes the root: the kernel's calls of modprobe follow it.


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command in the guest ended. `status` is None where the guest never came so far."""

    status: int | None
    output: str


def tool(*argv: str | Path, cwd: Path | None = None) -> bytes:
    """What a tool of the host prints.

    Raises:
        RuntimeError: it failed; with what it said.
    """
    done = subprocess.run(
        list(map(str, argv)), cwd=cwd, capture_output=True, check=False, timeout=240
    )
    if done.returncode:
        raise RuntimeError(f"{shlex.join(map(str, argv))}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def kernel() -> Path:
    """Directory with `boot` and `lib/modules` of Debian's kernel, fetched where it is not yet.

    The process that comes second waits for the first: two workers ask for it at once.
    """
    tree = CACHE / "tree"
    CACHE.parent.mkdir(exist_ok=True)
    with CACHE.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not tree.exists():
            _fetch(tree)
    return tree


def _fetch(tree: Path) -> None:
    shutil.rmtree(CACHE, ignore_errors=True)
    unpacked = CACHE / "unpacking"
    unpacked.mkdir(parents=True)
    printed = tool("apt-cache", "depends", "linux-image-amd64").decode()
    package = re.search(r"Depends: (linux-image-\d\S+)", printed)
    if package is None:
        raise RuntimeError(f"linux-image-amd64 names no kernel package: {printed!r}")
    tool("apt-get", "download", package[1], cwd=CACHE)
    (archive,) = CACHE.glob("*.deb")
    tool("dpkg-deb", "--extract", archive, unpacked)
    archive.unlink()
    tool("depmod", "-b", unpacked, _version(unpacked))
    unpacked.rename(tree)


def _version(tree: Path) -> str:
    (modules,) = (tree / "lib" / "modules").iterdir()
    return modules.name


def _with_dependencies(modules: Path) -> list[str]:
    """Paths of the early modules, each behind what it needs."""
    needs = {}
    for line in (modules / "modules.dep").read_text().splitlines():
        path, _, rest = line.partition(":")
        needs[Path(path).name.split(".")[0].replace("-", "_")] = [*rest.split()[::-1], path]
    return list(dict.fromkeys(path for name in _EARLY for path in needs[name]))


def _initramfs(tree: Path, command: str, place: Path) -> Path:
    root = place / "initramfs"
    for name in ("bin", "proc", "sys", "dev", "host", "over", "root", "modules"):
        (root / name).mkdir(parents=True)
    busybox = shutil.which("busybox")
    if busybox is None:
        raise RuntimeError("busybox is missing: install busybox-static")
    shutil.copy(busybox, root / "bin" / "busybox")
    for applet in ("sh", "mount", "mkdir", "insmod", "cat", "switch_root", "cp"):
        (root / "bin" / applet).symlink_to("busybox")
    modules = tree / "lib" / "modules" / _version(tree)
    paths = _with_dependencies(modules)
    for path in paths:
        shutil.copy(modules / path, root / "modules")
    (root / "order").write_text("".join(f"{Path(path).name}\n" for path in paths))
    (root / "tree").write_text(str(modules.parent))
    (root / "repository").write_text(str(ROOT))
    (root / "command").write_text(command)
    (root / "init").write_text(_INIT)
    (root / "init").chmod(0o755)
    names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
    packed = subprocess.run(
        [busybox, "cpio", "-o", "-H", "newc"],
        cwd=root, input=names.encode(), capture_output=True, check=True, timeout=60,
    )  # fmt: skip
    image = place / "initramfs.cpio"
    image.write_bytes(packed.stdout)
    return image


def run_in_guest(
    argv: Sequence[str], *, disks: int, size: int = 2**30, patience: float = 480
) -> Ran:
    """Boot a guest, run a command there in the repository's directory, power off.

    Args:
        argv: the command.
        disks: how many empty virtio disks it gets, with serials SERIAL + "a", "b" …
        size: of each disk, bytes; the files are sparse.
        patience: seconds after which the guest is stopped.
    """
    tree = kernel()
    command = (
        "export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root\n"
        "export PYTHONDONTWRITEBYTECODE=1 LC_ALL=C.UTF-8\n"
        "mkdir -p /etc/mdadm && echo 'AUTO -all' > /etc/mdadm/mdadm.conf\n"  # else udev assembles
        "modprobe -a md_mod dm_mod\n"  # mdadm and dmsetup ask for no module by these names
        "/lib/systemd/systemd-udevd --daemon\n"
        "udevadm trigger --action=add --subsystem-match=block && udevadm settle --timeout=30\n"
        f"cd {shlex.quote(str(ROOT))} && {shlex.join(argv)} < /dev/null\n"
        f"echo {_ENDED}$?; sleep 0.5; echo o > /proc/sysrq-trigger; sleep 60\n"
    )
    with tempfile.TemporaryDirectory(prefix="iosonde-guest-") as directory:
        place = Path(directory)
        drives = []
        for letter in "abcdefghijklmnop"[:disks]:
            image = place / f"disk-{letter}"
            with image.open("wb") as file:
                file.truncate(size)
            drives += [
                "-drive", f"if=none,id={letter},file={image},format=raw,cache=unsafe",
                "-device", f"virtio-blk-pci,drive={letter},serial={SERIAL}{letter}",
            ]  # fmt: skip
        machine = [
            "qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2",
            "-m", "1024", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
            "-nic", "none", "-serial", "stdio",
            "-kernel", str(tree / "boot" / f"vmlinuz-{_version(tree)}"),
            "-initrd", str(_initramfs(tree, command, place)),
            "-append", "console=ttyS0 loglevel=1 panic=-1 mitigations=off random.trust_cpu=on",
            "-virtfs", "local,path=/,mount_tag=host,security_model=none,readonly=on,"
            "multidevs=remap",
            *drives,
        ]  # fmt: skip
        try:
            done = subprocess.run(
                machine, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, check=False, timeout=patience,
            )  # fmt: skip
            said = done.stdout
        except subprocess.TimeoutExpired as late:
            said = (late.stdout or b"") + f"\nstopped after {patience:g} s\n".encode()
    output = said.decode(errors="replace").replace("\r\n", "\n")
    ended = re.search(rf"^{_ENDED}(\d+)$", output, re.MULTILINE)
    return Ran(int(ended[1]) if ended else None, output)


def pytest_in_guest(file: Path, *, disks: int) -> Ran:
    """Run a file of tests in the guest, by this interpreter.

    Args:
        file: inside the repository.
        disks: as in `run_in_guest`.
    """
    return run_in_guest(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=",
         "--color=no", str(file)],
        disks=disks,
    )  # fmt: skip
