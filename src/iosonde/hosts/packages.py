"""The command that installs a package on a host, by the name of its distribution.

Source: os-release(5): ID, and ID_LIKE for what a distribution is derived from.
"""

from __future__ import annotations

import shlex

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
_ELSEWHERE = ", or name its directory in secure_path there by `visudo`"


async def install_hint(host: Host, package: str) -> str:
    """How a package is installed on a host; where that is not known, that it is to be."""
    try:
        text = kerneltext.decoded(await host.read(_FILE))
    except IosondeError:
        text = ""
    command = installer(text)
    hint = f"{command} {package}" if command else f"install {package} there"
    return hint + (_ELSEWHERE if host.become == "sudo" else "")


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
