"""Parameters of kernel modules that can be set while they run; the address is "MODULE.PARAMETER".

Source: Linux kernel/params.c, Documentation/admin-guide/kernel-parameters.rst ("-" and "_" in a
name are the same); modprobe.d(5), "options".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from typing_extensions import override

from iosonde.hosts.host import Host
from iosonde.settings.mechanism import ParameterFiles, PersistentLine, drop_ins, texts

FILE = "/etc/modprobe.d/zz-iosonde.conf"
_FOLDERS = (
    "/etc/modprobe.d", "/run/modprobe.d", "/usr/local/lib/modprobe.d", "/usr/lib/modprobe.d",
    "/lib/modprobe.d",
)  # fmt: skip
_OPTIONS = re.compile(r"^[^\S\n]*options\s+(\S+)\s+(.*?)\s*$", re.MULTILINE)
_COMMAND_LINE = "/proc/cmdline"


def parameter_path(address: str) -> str:
    """The file of a parameter in sysfs."""
    module, _, name = address.partition(".")
    return f"/sys/module/{module.replace('-', '_')}/parameters/{name}"


def parse_options(text: str) -> dict[str, str]:
    """MODULE.PARAMETER → value of one file of modprobe.d."""
    values = {}
    for module, rest in _OPTIONS.findall(text):
        for word in rest.split():
            name, _, value = word.partition("=")
            values[f"{module.replace('-', '_')}.{name}"] = value
    return values


class Modparam(ParameterFiles):
    """See `iosonde.settings.mechanism.Mechanism`."""

    name = "modparam"
    files = (FILE,)

    @override
    def path(self, address: str) -> str:
        return parameter_path(address)

    @override
    async def keep(self, host: Host, address: str, value: str) -> PersistentLine:
        """An option that modprobe gives the module."""
        module, _, name = address.partition(".")
        note = f"where the initramfs loads {module}, make that anew (update-initramfs, dracut)"
        if not await host.glob(f"/sys/module/{module}/initstate"):
            note = (
                f"{module} is built into the kernel: modprobe.d does not reach it; boot with "
                + (f"{module}.{name}={value}")
            )
        key = f"options {module} {name}="
        return PersistentLine(FILE, key, f"{key}{value}", note=note)

    @override
    async def kept(self, host: Host, addresses: Sequence[str]) -> Mapping[str, str]:
        """The kernel's command line counts for modules too."""
        if not addresses:
            return {}
        order = await drop_ins(host, _FOLDERS)
        contents = await texts(host, [*order, _COMMAND_LINE])
        values: dict[str, str] = {}
        for path in order:
            values |= parse_options(contents.get(path, ""))
        for word in contents.get(_COMMAND_LINE, "").split():
            name, equals, value = word.partition("=")
            if equals and "." in name:
                values[name.replace("-", "_")] = value
        return {name: values[name] for name in addresses if name in values}
