"""Kernel parameters of /proc/sys; the address is the dotted name ("vm.dirty_ratio").

Several figures in one parameter (net.ipv4.tcp_rmem) are one text, separated by single blanks.

Source: sysctl(8); Linux Documentation/admin-guide/sysctl/vm.rst.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from iosonde.errors import IosondeError, PermissionMissing
from iosonde.hosts.host import Host
from iosonde.records import Scalar


def parameter_path(name: str) -> str:
    """The file of a parameter. As in sysctl(8), "/" stands for a dot inside one component."""
    return "/proc/sys/" + name.translate(str.maketrans("./", "/."))


def parse_parameter(text: str) -> Scalar:
    """An integer where it is one, else the words separated by single blanks."""
    words = " ".join(text.split())
    return int(words) if words.removeprefix("-").isdecimal() else words


class Sysctl:
    """See `iosonde.settings.mechanism.Mechanism`."""

    name: ClassVar[str] = "sysctl"

    async def get(
        self, host: Host, addresses: Sequence[str]
    ) -> Mapping[str, Scalar | IosondeError]:
        """See `Mechanism.get`."""
        files = await host.read_many([parameter_path(address) for address in addresses])
        values: dict[str, Scalar | IosondeError] = {}
        for address in addresses:
            content = files.get(parameter_path(address))
            if isinstance(content, bytes):
                values[address] = parse_parameter(content.decode(errors="replace"))
            elif isinstance(content, PermissionMissing):
                values[address] = content
        return values
