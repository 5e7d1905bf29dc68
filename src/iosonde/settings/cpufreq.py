"""How the CPUs choose their clock; the address is the name of a file of cpufreq's policies.

Each group of CPUs has a policy of its own. Where all agree the value is one word, else a word for
each in the order of their numbers, so that a mixture is put back as it was.

Source: Linux Documentation/admin-guide/pm/cpufreq.rst (scaling_governor,
scaling_available_governors), intel_pstate.rst (energy_performance_preference);
udev(7), RUN and "$$".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from typing_extensions import override

from iosonde import kerneltext
from iosonde.hosts.host import Host
from iosonde.settings.mechanism import Mechanism, PersistentLine, ReadValues, looked, texts
from iosonde.settings.udev_rules import FILE, RELOAD

_FOLDER = "/sys/devices/system/cpu/cpufreq/"
_OFFERS = {
    "scaling_governor": "scaling_available_governors",
    "energy_performance_preference": "energy_performance_available_preferences",
}
_EACH = 'ls -d "$1"policy* 2>/dev/null | sort -V'
_LOOK = (
    f'all=$(for one in $({_EACH}); do cat $one/$2; done) && [ -n "$all" ] || exit 1; '
    'one=$(echo "$all" | sort -u); [ "$(echo "$one" | wc -l)" = 1 ] && echo "$one" || echo $all'
)
# $3… are the words; the last one is for all policies that are left.
_CHANGE = (
    f'place=$1 name=$2; all=$({_EACH}); [ -n "$all" ] || exit 1; set -- $3; '
    'for one in $all; do echo "$1" >"$one/$name" || exit 1; [ $# -eq 1 ] || shift; done'
)
# A command, not ATTR: the driver may be a module that udev loads for this very event, and there is
# no file before. udev runs commands in the order of the rules, so the module's load comes first
# (systemd, 80-drivers.rules). udev replaces %p by the CPU's path.
_AT_BOOT = "'cd /sys%p/cpufreq && echo $$1 >$$0'"


class Cpufreq(Mechanism):
    """See `iosonde.settings.mechanism.Mechanism`."""

    name = "cpufreq"
    files = (FILE,)

    @override
    async def get(self, host: Host, addresses: Sequence[str]) -> ReadValues:
        there = await host.glob(f"{_FOLDER}policy*") if addresses else ()
        return await looked(host, self, addresses) if there else {}

    @override
    async def offered(self, host: Host, addresses: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """What the first policy offers; their drivers are the same."""
        first = sorted(await host.glob(f"{_FOLDER}policy*"))[:1] if addresses else []
        paths = {f"{policy}/{_OFFERS[name]}": name for policy in first for name in addresses}
        contents = await texts(host, list(paths))
        return {paths[path]: tuple(text.split()) for path, text in contents.items() if text.split()}

    @override
    def look(self, address: str) -> tuple[str, ...]:
        return ("sh", "-c", _LOOK, "sh", _FOLDER, address)

    @override
    def change(self, address: str, value: str) -> tuple[str, ...]:
        return ("sh", "-c", _CHANGE, "sh", _FOLDER, address, value)

    @override
    async def keep(self, host: Host, address: str, value: str) -> PersistentLine:
        """A rule of udev that writes it for each CPU that appears."""
        del host
        key = f'ACTION=="add", SUBSYSTEM=="cpu", RUN+="/bin/sh -c {_AT_BOOT} {address} '
        note = "tuned, cpupower or power-profiles-daemon may set it again after udev"
        return PersistentLine(
            FILE, key, f'{key}{value.split(maxsplit=1)[0]}"', then=RELOAD, note=note
        )

    @override
    async def kept(self, host: Host, addresses: Sequence[str]) -> Mapping[str, str]:
        """Of rules, iosonde reads its own."""
        text = (await texts(host, [FILE])).get(FILE, "") if addresses else ""
        kept = {}
        for address in addresses:
            key = f'SUBSYSTEM=="cpu", RUN+="/bin/sh -c {_AT_BOOT} {address} '
            for line in kerneltext.lines(text):
                if key in line:
                    kept[address] = line.partition(key)[2].rstrip('"')
        return kept
