"""Words of a device-mapper table that may change while it is in use; the address is "DEVICE WORD".

DEVICE is the kernel's name ("dm-3"). A new table is loaded beside the one in force, and takes its
place between two requests (dmsetup(8), reload and resume): what the kernel refuses changes nothing.

Source: Linux Documentation/admin-guide/device-mapper/cache.rst, writecache.rst; drivers/md/
dm-cache-target.c (the default mode is writeback), dm-writecache.c (HIGH_WATERMARK, LOW_WATERMARK,
AUTOCOMMIT_BLOCKS_SSD, AUTOCOMMIT_MSEC).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from iosonde.errors import IosondeError, Refused
from iosonde.hosts.host import Host
from iosonde.records import Scalar
from iosonde.settings.mechanism import Kept, looked

DEFAULTS = {
    "high_watermark": "50", "low_watermark": "45", "writeback_jobs": "0",
    "autocommit_blocks": "65536", "autocommit_time": "1000",
}  # fmt: skip
"""Options of dm-writecache, and what counts where the table has none."""
_MODES = "writeback|writethrough|passthrough"
# Cache: 0 LENGTH cache META FAST SLOW BLOCK n FEATURE… POLICY n ARGUMENT…
_CACHE_LOOK = (
    'p = 9 + $8; if (w == "policy") print $p; else { m = "writeback"; '
    f"for (i = 9; i < p; i++) if ($i ~ /^({_MODES})$/) m = $i; print m }} "
)
_CACHE_CHANGE = (
    'p = 9 + $8; n = 0; f = ""; for (i = 9; i < p; i++) '
    f'if (!(w == "mode" && $i ~ /^({_MODES})$/)) {{ f = f " " $i; n++ }} '
    'if (w == "mode") { f = f " " v; n++ } '
    'r = ""; if (w == "policy") r = v " 0"; else '
    'for (i = p; i <= NF; i++) r = r (i > p ? " " : "") $i; '
    "print $1, $2, $3, $4, $5, $6, $7, n f, r "
)
# Writecache: 0 LENGTH writecache s SLOW FAST BLOCK n OPTION…
_WRITE_LOOK = "v = d; for (i = 9; i < NF; i++) if ($i == w) v = $(i + 1); print v "
_WRITE_CHANGE = (
    "done = 0; for (i = 9; i < NF; i++) if ($i == w) { $(i + 1) = v; done = 1 } "
    'if (!done) { $8 += 2; $0 = $0 " " w " " v } print '
)
_TABLE = 'name=$(cat "/sys/block/$1/dm/name") && table=$(dmsetup table "$name") && '


def _script(cache: str, writecache: str) -> str:
    return (
        f'{_TABLE}new=$(echo "$table" | awk -v w="$2" -v v="$3" -v d="$4" '
        f'\'$3 == "cache" {{ {cache}}} $3 == "writecache" {{ {writecache}}}\') && '
        '[ -n "$new" ] && '
    )


_LOOK = _script(_CACHE_LOOK, _WRITE_LOOK) + 'echo "$new"'
_CHANGE = (
    _script(_CACHE_CHANGE, _WRITE_CHANGE)
    + 'dmsetup reload "$name" --table "$new" && dmsetup resume "$name"'
)


class Dmtable:
    """See `iosonde.settings.mechanism.Mechanism`."""

    name: ClassVar[str] = "dmtable"
    files: ClassVar[tuple[str, ...]] = ()

    async def get(
        self, host: Host, addresses: Sequence[str]
    ) -> Mapping[str, Scalar | IosondeError]:
        """See `Mechanism.get`."""
        return await looked(host, self, addresses)

    async def offered(self, host: Host, addresses: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """See `Mechanism.offered`; a table does not tell."""
        del host, addresses
        return {}

    def look(self, address: str) -> tuple[str, ...]:
        """See `Mechanism.look`."""
        device, _, word = address.partition(" ")
        return ("sh", "-c", _LOOK, "sh", device, word, "-", DEFAULTS.get(word, "-"))

    def change(self, address: str, value: str) -> tuple[str, ...]:
        """See `Mechanism.change`."""
        device, _, word = address.partition(" ")
        return ("sh", "-c", _CHANGE, "sh", device, word, value, "-")

    def device(self, address: str) -> str:
        """See `Mechanism.device`: the kernel counts disks."""
        return f"/sys/block/{address.partition(' ')[0]}/diskseq"

    async def keep(self, host: Host, address: str, value: str) -> Kept:
        """See `Mechanism.keep`."""
        del host, value
        raise Refused(
            "device-mapper keeps no table over a reboot: who makes it at boot must say so",
            where=address,
            hint="of a declared stack: `iosonde up STACK --set LAYER.KEY=VALUE`",
        )

    def without(self, text: str) -> str:
        """See `Mechanism.without`."""
        return text

    async def kept(self, host: Host, addresses: Sequence[str]) -> Mapping[str, str]:
        """See `Mechanism.kept`."""
        del host, addresses
        return {}
