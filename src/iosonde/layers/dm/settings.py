"""Words of a device-mapper table that may change while it is in use; the address is "DEVICE WORD".

DEVICE is the kernel's name ("dm-3"). A new table is loaded beside the one in force, and takes its
place between two requests (dmsetup(8), reload and resume): what the kernel refuses changes nothing.

Which words a table may have is said by the targets of `layers.TARGETS`.
"""

from __future__ import annotations

from typing_extensions import override

from iosonde.layers import TARGETS
from iosonde.scripts import program
from iosonde.settings.mechanism import Scripted, Unkept


class Dmtable(Scripted, Unkept):
    """See `iosonde.settings.mechanism.Mechanism`."""

    name = "dmtable"
    unkept = "device-mapper keeps no table over a reboot: who makes it at boot must say so"
    remedy = "of a declared stack: `iosonde up STACK --set LAYER.KEY=VALUE`"
    looking = program("iosonde.layers", "dm/read.sh")
    changing = program("iosonde.layers", "dm/change.sh")

    @override
    def arguments(self, address: str) -> tuple[str, ...]:
        device, _, word = address.partition(" ")
        targets = [TARGETS.load(name) for name in TARGETS]
        default = next(
            (str(target.defaults[word]) for target in targets if word in target.defaults), "-"
        )
        return device, word, default, "|".join(mode for target in targets for mode in target.modes)

    @override
    def device(self, address: str) -> str:
        """The kernel counts disks."""
        return f"/sys/block/{address.partition(' ')[0]}/diskseq"
