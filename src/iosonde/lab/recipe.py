"""What a node's image is made of, and where its packages come from.

Source: mmdebstrap(1); apt-get(8), indextargets.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
from importlib.resources import files

from iosonde import kerneltext
from iosonde.errors import HostFailed
from iosonde.lab.architecture import Architecture
from iosonde.lab.initramfs import APPLETS, EARLY
from iosonde.lab.release import PackageSource, archives, kernel_pocket

PACKAGES = (
    "mdadm", "lvm2", "thin-provisioning-tools", "dmsetup", "bcache-tools",
    "nfs-kernel-server", "nfs-common", "rpcbind", "drbd-utils", "targetcli-fb", "dbus",
    "open-iscsi", "nvme-cli", "vblade", "aoetools", "nbd-server", "nbd-client", "rdma-core",
    "fio", "hdparm", "iozone3", "sysstat", "blktrace", "xfsprogs", "e2fsprogs", "fdisk", "ethtool",
    "iproute2", "iputils-ping", "kmod", "udev", "procps", "openssh-server",
)  # fmt: skip
"""What every image has, beside the kernel of its architecture."""
_LEFT_OUT = ("man", "doc", "locale", "info")
_BOOT = ("init", "node", "customize")
_MERGED = "/usr/share/mmdebstrap/hooks/merged-usr"


def parse_targets(text: str) -> PackageSource | None:
    """The main archive of Debian among apt's index targets, "ORIGIN|CODENAME|URI|COMPONENT" lines.

    Updates and security archives have a dash in their code names and are left out: an image lives
    for the lab alone.
    """
    parts: dict[tuple[str, str], list[str]] = {}
    for line in kerneltext.lines(text):
        origin, codename, uri, component = [*line.split("|"), "", "", ""][:4]
        if origin == "Debian" and re.fullmatch(r"[a-z]+", codename):
            parts.setdefault((codename, uri), []).append(component)
    for (codename, uri), components in parts.items():
        if "main" in components:
            return PackageSource(codename, uri, ("main", "non-free"))
    return None


def source() -> PackageSource:
    """Where this machine's own packages come from.

    Raises:
        HostFailed: this is no Debian, or apt knows no archive yet.
    """
    form = "$(ORIGIN)|$(CODENAME)|$(REPO_URI)|$(COMPONENT)"
    argv = ["apt-get", "indextargets", "--format", form, "Created-By: Packages"]
    try:
        listed = subprocess.run(
            argv, capture_output=True, text=True, check=False, timeout=60
        ).stdout
    except FileNotFoundError:
        listed = ""
    if (packages := parse_targets(listed)) is None:
        raise HostFailed(
            "the lab's image is made of Debian's packages, and apt names no archive of Debian here",
            where="apt-get indextargets",
            hint="run `apt-get update`; on another system, build the image on a Debian and copy "
            "the cache directory",
        )
    return packages


def packages_of(architecture: Architecture, suite: str = "") -> tuple[str, ...]:
    """Packages of an image; its own busybox where the initramfs cannot have this machine's.

    `suite` is the release (release.py); "" is that of this machine.
    """
    foreign = () if architecture.is_own else ("?essential", "busybox-static")
    pocket = kernel_pocket(suite)
    kernel = f"{architecture.kernel}/{pocket}" if pocket else architecture.kernel
    return (kernel, *PACKAGES, *foreign)


def scripts_of(architecture: Architecture) -> tuple[str, ...]:
    """Scripts that an image is made with, or has."""
    return _BOOT if architecture.is_own else (*_BOOT, "extracted")


def unpack_argv(
    own: PackageSource, architecture: Architecture, tree: str, suite: str = ""
) -> list[str]:
    """The command that makes a tar archive of the root file system.

    Args:
        own: where this machine's packages come from.
        architecture: of the nodes.
        tree: the archive's path.
        suite: the release; "": this machine's.

    Packages of another architecture are unpacked alone, since their scripts do not run here:
    boot/extracted does what of these a node needs.
    """
    foreign = [
        "--variant=extract", f"--architectures={architecture.name}", f"--hook-dir={_MERGED}",
    ]  # fmt: skip
    release, *pockets = archives(own, suite)
    components = " ".join(release.components)
    lines = [f"deb {more.uri} {more.suite} {components}" for more in (release, *pockets)]
    excluded = [f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in _LEFT_OUT]
    return [
        "mmdebstrap",
        *(["--variant=minbase"] if architecture.is_own else foreign),
        f"--components={','.join(release.components)}",
        f"--include={','.join(packages_of(architecture, suite))}",
        *excluded,
        "--format=tar",
        release.suite,
        tree,
        *(lines if pockets else [release.uri]),
    ]


def boot_file(name: str) -> bytes:
    """A script that comes along."""
    return (files("iosonde.lab") / "boot" / name).read_bytes()


def digest(architecture: Architecture, suite: str = "") -> str:
    """What an image is cached under: changes with release, packages and every script."""
    release = [suite] if suite else []
    whole = hashlib.sha256(" ".join([*release, *packages_of(architecture, suite)]).encode())
    for name in scripts_of(architecture):
        whole.update(boot_file(name))
    whole.update(" ".join((*EARLY, *APPLETS)).encode())
    return whole.hexdigest()[:16]
