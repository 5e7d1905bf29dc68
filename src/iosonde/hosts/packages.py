"""The command that installs a package on a host, by the name of its distribution.

Source: os-release(5): ID, and ID_LIKE for what a distribution is derived from; names of packages:
the distributions' own lists of them.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

from iosonde import kerneltext
from iosonde.errors import IosondeError
from iosonde.hosts.host import Host
from iosonde.kerneltext import fields

_FILE = "/etc/os-release"
_INSTALL = {
    "debian": "apt-get install", "ubuntu": "apt-get install", "fedora": "dnf install",
    "rhel": "dnf install", "centos": "dnf install", "suse": "zypper install",
    "opensuse": "zypper install", "sles": "zypper install", "arch": "pacman -S",
    "alpine": "apk add", "gentoo": "emerge",
}  # fmt: skip
"""Distribution, or what it is like → what a package's name follows."""
_NAMES: Mapping[str, Mapping[str, str]] = {
    "apt-get install": {"iozone": "iozone3"},
    "dnf install": {
        "busybox-static": "busybox", "dmsetup": "device-mapper", "iproute2": "iproute",
        "openssh-client": "openssh-clients", "qemu-system-x86": "qemu-kvm",
        "qemu-system-arm": "qemu-system-aarch64",
    },
    "zypper install": {
        "dmsetup": "device-mapper", "openssh-client": "openssh-clients",
        "qemu-system-x86": "qemu-x86", "qemu-system-arm": "qemu-arm",
    },
    "pacman -S": {
        "busybox-static": "busybox", "dmsetup": "device-mapper", "openssh-client": "openssh",
        "python3": "python", "qemu-system-arm": "qemu-system-aarch64",
    },
    "apk add": {
        "dmsetup": "device-mapper", "qemu-system-x86": "qemu-system-x86_64",
        "qemu-system-arm": "qemu-system-aarch64",
    },
}  # fmt: skip
"""What installs → Debian's name of a package, or a program's → its own name, where that differs."""
_ELSEWHERE = ", or name its directory in secure_path there by `visudo`"


async def install_hint(host: Host, package: str) -> str:
    """How a package is installed on a host; where that is not known, that it is to be."""
    try:
        text = kerneltext.decoded(await host.read(_FILE))
    except IosondeError:
        text = ""
    hint = install_command(text, package) or f"install {package} there"
    return hint + (_ELSEWHERE if host.become == "sudo" else "")


def install_here(*packages: str) -> str:
    """How packages are installed on this machine; where that is not known, that they are to be."""
    try:
        text = kerneltext.decoded(Path(_FILE).read_bytes())
    except OSError:
        text = ""
    return install_command(text, *packages) or f"install {', '.join(packages)}"


def install_command(text: str, *packages: str) -> str | None:
    """What installs packages.

    Args:
        text: the content of os-release.
        packages: by Debian's names.

    Returns:
        None: the distribution is not known.
    """
    if (command := installer(text)) is None:
        return None
    names = _NAMES.get(command, {})
    return " ".join((command, *(names.get(package, package) for package in packages)))


def installer(text: str) -> str | None:
    """What installs packages, by the content of os-release; None: not known."""
    fields = dict(line.partition("=")[::2] for line in kerneltext.lines(text) if "=" in line)
    for key in ("ID", "ID_LIKE"):
        for name in _lowered_fields(fields.get(key, "")):
            # opensuse-leap and opensuse-tumbleweed
            if command := _INSTALL.get(name) or _INSTALL.get(name.partition("-")[0]):
                return command
    return None


def _lowered_fields(value: str) -> list[str]:
    try:
        return fields(" ".join(shlex.split(value)).lower())
    except ValueError:  # an open quote
        return []
