"""Which CPUs the interrupts of a network interface go to; the address is the interface.

The value is a list of CPUs ("0-3"), or one list for each interrupt in the order of their numbers
("0 1 2 3") where they differ.

Source: Linux Documentation/core-api/irq/irq-affinity.rst; proc(5); the numbers are the names in
`device/msi_irqs`, of a virtio device in that of the PCI function above it.
"""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override

from iosonde.errors import IosondeError
from iosonde.hosts.host import Host
from iosonde.settings.mechanism import ReadValues, Unkept, looked

# The first vector of a function is often for its configuration: it counts like the others.
_EACH = (
    'for place in "/sys/class/net/$1/device/msi_irqs" "/sys/class/net/$1/device/../msi_irqs"; do '
    '[ -d "$place" ] && { ls "$place" | sort -n; break; }; done'
)
_LOOK = (
    f"all=$(for one in $({_EACH}); do cat /proc/irq/$one/smp_affinity_list 2>/dev/null; done); "
    '[ -n "$all" ] || exit 1; one=$(echo "$all" | sort -u); '
    '[ "$(echo "$one" | wc -l)" = 1 ] && echo "$one" || echo $all'
)
_CHANGE = (
    f'all=$({_EACH}); [ -n "$all" ] || exit 1; set -- $2; for one in $all; do '
    '[ -e "/proc/irq/$one" ] || continue; '
    'echo "$1" >"/proc/irq/$one/smp_affinity_list" || exit 1; [ $# -eq 1 ] || shift; done'
)


class Irq(Unkept):
    """See `iosonde.settings.mechanism.Mechanism`."""

    name = "irq"
    unkept = "no file of the host says where interrupts go: irqbalance or a unit of your own does"

    @override
    async def get(self, host: Host, addresses: Sequence[str]) -> ReadValues:
        """A list of CPUs is a text even where it is one CPU."""
        values = await looked(host, self, addresses)
        return {
            address: value if isinstance(value, IosondeError) else str(value)
            for address, value in values.items()
        }

    @override
    def look(self, address: str) -> tuple[str, ...]:
        return ("sh", "-c", _LOOK, "sh", address)

    @override
    def change(self, address: str, value: str) -> tuple[str, ...]:
        return ("sh", "-c", _CHANGE, "sh", address, value)

    @override
    def device(self, address: str) -> str:
        """The kernel counts interfaces."""
        return f"/sys/class/net/{address}/ifindex"
