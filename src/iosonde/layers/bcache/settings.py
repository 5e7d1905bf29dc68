r"""Files of bcache in sysfs that hold a size; the address is the path.

bcache prints "4.0M" and takes no fraction: a size is read as whole bytes, the smallest that would
be printed so. What is not a power of 1024 is therefore known to one place.

Source: Linux Documentation/admin-guide/bcache.rst; drivers/md/bcache/util.c, bch_hprint (cuts
after one place) and STRTO_H (whole numbers with a suffix).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from typing_extensions import override

from iosonde.hosts.host import Host
from iosonde.layers.bcache.facts import whole_bytes
from iosonde.settings.mechanism import ReadValues
from iosonde.settings.sysfs import Sysfs

# As `whole_bytes` on the host.
_BYTES = (
    '{ n = index("kMGTPE", substr($1, length($1))); v = int($1 * 10 + 0.5); '
    "v = n ? int((v * 1024 + 9) / 10) : v / 10; "
    'while (n-- > 1) v *= 1024; printf "%.0f\\n", v }'
)


class BcacheSettings(Sysfs):
    """Sizes of bcache: read and set otherwise than the rest of sysfs, kept like it."""

    name = "bcache"

    @override
    async def get(self, host: Host, addresses: Sequence[str]) -> ReadValues:
        values = await super().get(host, addresses)
        return {
            address: whole_bytes(value) if isinstance(value, str | int) else value
            for address, value in values.items()
        }

    @override
    async def offered(self, host: Host, addresses: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        del host, addresses
        return {}

    @override
    def look(self, address: str) -> tuple[str, ...]:
        return ("awk", _BYTES, address)
