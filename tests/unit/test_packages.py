"""Hints name the package manager of the host's distribution."""

from __future__ import annotations

import pytest

from iosonde.hosts.packages import install_command, install_hint, installer
from tests.empty_host import EmptyHost

# ID and ID_LIKE as the distributions' own packages have them.
RELEASES = {
    'NAME="Debian GNU/Linux"\nID=debian\n': "apt-get install",
    "ID=ubuntu\nID_LIKE=debian\n": "apt-get install",
    'NAME="Rocky Linux"\nID="rocky"\nID_LIKE="rhel centos fedora"\n': "dnf install",
    'ID="almalinux"\nID_LIKE="rhel centos fedora"\n': "dnf install",
    'ID="ol"\nID_LIKE="fedora"\n': "dnf install",
    'ID="sles"\nID_LIKE="suse"\n': "zypper install",
    'ID="opensuse-leap"\nID_LIKE="suse opensuse"\n': "zypper install",
    "NAME='Arch Linux'\nID=arch\n": "pacman -S",
    "ID=manjaro\nID_LIKE=arch\n": "pacman -S",
    'NAME="Alpine Linux"\nID=alpine\n': "apk add",
    "NAME=Fedora\nID=fedora\n": "dnf install",
    'ID="rhel"\nID_LIKE="fedora"\n': "dnf install",
    'ID="centos"\nID_LIKE="rhel fedora"\n': "dnf install",
    'ID="amzn"\nID_LIKE="fedora"\n': "dnf install",
    'ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\n': "zypper install",
    'ID="sle-micro"\nID_LIKE="suse"\n': "zypper install",
    "ID=raspbian\nID_LIKE=debian\n": "apt-get install",
    'ID=linuxmint\nID_LIKE="ubuntu debian"\n': "apt-get install",
    "ID=archarm\nID_LIKE=arch\n": "pacman -S",
    "ID=postmarketos\nID_LIKE=alpine\n": "apk add",
}


@pytest.mark.parametrize("text", RELEASES)
def test_each_distribution_has_its_own(text: str) -> None:
    assert installer(text) == RELEASES[text]


@pytest.mark.parametrize(
    "text",
    ["", "ID=nosuch\n", "NAME=debian\n", 'ID="debian\n', "VERSION_ID=debian\nID=\n", "\0\x1b[31m"],
)
def test_what_is_not_known_is_not_guessed(text: str) -> None:
    assert installer(text) is None


async def test_a_host_without_the_file_gets_a_sentence() -> None:
    assert await install_hint(EmptyHost(), "fio") == "install fio there"


@pytest.mark.parametrize(
    ("text", "package", "command"),
    [
        ("ID=debian\n", "iozone", "apt-get install iozone3"),
        ("ID=fedora\n", "iozone", "dnf install iozone"),
        ("ID=debian\n", "openssh-client", "apt-get install openssh-client"),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"\n', "openssh-client",
         "dnf install openssh-clients"),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"\n', "iproute2", "dnf install iproute"),
        ('ID="sles"\nID_LIKE="suse"\n', "iproute2", "zypper install iproute2"),
        ("ID=arch\n", "openssh-client", "pacman -S openssh"),
        ("ID=alpine\n", "dmsetup", "apk add device-mapper"),
        ("ID=alpine\n", "fio", "apk add fio"),
    ],
)  # fmt: skip
def test_a_package_is_named_as_its_distribution_names_it(
    text: str, package: str, command: str
) -> None:
    assert install_command(text, package) == command


def test_several_packages_are_one_command() -> None:
    assert install_command("ID=arch\n", "e2fsprogs", "busybox-static") == (
        "pacman -S e2fsprogs busybox"
    )
    assert install_command("", "e2fsprogs") is None
