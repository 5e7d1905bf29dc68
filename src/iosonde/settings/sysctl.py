"""Kernel parameters of /proc/sys; the address is the dotted name ("vm.dirty_ratio").

Several figures in one parameter (net.ipv4.tcp_rmem) are one text, separated by single blanks. They
are kept in a file of /etc/sysctl.d, which sorts after those of the distribution.

Source: sysctl(8), "SYSTEM FILE PRECEDENCE"; sysctl.d(5); Linux
Documentation/admin-guide/sysctl/vm.rst.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from typing_extensions import override

from iosonde.hosts.host import Host
from iosonde.settings.mechanism import ParameterFiles, PersistentLine, drop_ins, texts

FILE = "/etc/sysctl.d/99-zz-iosonde.conf"
# A file hides those of the same name in the folders after its own.
_FOLDERS = ("/etc/sysctl.d", "/run/sysctl.d", "/usr/local/lib/sysctl.d", "/usr/lib/sysctl.d")
_LAST = "/etc/sysctl.conf"
_LINE = re.compile(r"^[^\S\n]*-?([\w./-]+)\s*=\s*(.*?)\s*$", re.MULTILINE)


def parameter_path(name: str) -> str:
    """The file of a parameter. As in sysctl(8), "/" stands for a dot inside one component."""
    return "/proc/sys/" + name.translate(str.maketrans("./", "/."))


def parse_configuration(text: str) -> dict[str, str]:
    """Name → value of one file of sysctl.d; names with slashes for dots are turned round."""
    values = {}
    for name, value in _LINE.findall(text):
        slash, dot = name.find("/"), name.find(".")
        turned = slash >= 0 and (dot < 0 or slash < dot)  # the first separator decides
        key = name.translate(str.maketrans("/.", "./")) if turned else name
        values[key] = " ".join(value.split())
    return values


class Sysctl(ParameterFiles):
    """See `iosonde.settings.mechanism.Mechanism`."""

    name = "sysctl"
    files = (FILE,)

    @override
    def path(self, address: str) -> str:
        return parameter_path(address)

    @override
    async def offered(self, host: Host, addresses: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """/proc/sys/net lists congestion controls, and nothing else."""
        listed = {
            name: name.replace("congestion_control", "available_congestion_control")
            for name in addresses
            if name.endswith(".tcp_congestion_control")
        }
        contents = await texts(host, [parameter_path(parameter) for parameter in listed.values()])
        return {
            name: tuple(contents[parameter_path(other)].split())
            for name, other in listed.items()
            if parameter_path(other) in contents
        }

    @override
    async def keep(self, host: Host, address: str, value: str) -> PersistentLine:
        """/etc/sysctl.conf is read after all others: it is looked into."""
        last = parse_configuration((await texts(host, [_LAST])).get(_LAST, ""))
        note = ""
        if address in last and last[address] != value:
            note = f"{_LAST} sets it to {last[address]} and is read later; take that line out"
        return PersistentLine(FILE, f"{address} =", f"{address} = {value}", note=note)

    @override
    async def kept(self, host: Host, addresses: Sequence[str]) -> Mapping[str, str]:
        if not addresses:
            return {}
        order = await drop_ins(host, _FOLDERS)
        contents = await texts(host, [*order, _LAST])
        values: dict[str, str] = {}
        for path in (*order, _LAST):
            values |= parse_configuration(contents.get(path, ""))
        return {name: values[name] for name in addresses if name in values}
