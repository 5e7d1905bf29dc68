"""dm-crypt: its table. Nothing here looks at the key.

Source: Linux Documentation/admin-guide/device-mapper/dm-crypt.rst (table: cipher, key, IV offset,
device, offset in sectors, then the number of optional parameters and these; for the key `dmsetup
table` prints zeros or the name of a key ring).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from iosonde.layers._mapper.facts import DEVICE, DmTarget, MapperTarget, TargetFacts, counted
from iosonde.layers._mounts.traits import CarriedContent
from iosonde.records.stack import Scalar
from iosonde.units import SECTOR

_SECTOR_SIZE = "sector_size:"


@dataclass(frozen=True, slots=True)
class CryptTable:
    """How a device is encrypted: what it stands on, where its data begin there, bytes."""

    cipher: str
    device: str
    data_offset: int
    parameters: tuple[str, ...]

    def facts(self) -> dict[str, Scalar]:
        """What does not name a device."""
        sizes = [parameter for parameter in self.parameters if parameter.startswith(_SECTOR_SIZE)]
        flags = " ".join(parameter for parameter in self.parameters if parameter not in sizes)
        return {
            "cipher": self.cipher,
            "data_offset": self.data_offset,
            "sector_size": int(sizes[0].removeprefix(_SECTOR_SIZE)) if sizes else SECTOR,
            **({"flags": flags} if flags else {}),
        }


def read_table(arguments: Sequence[str]) -> CryptTable | None:
    """The arguments of a crypt target; None where they are not whole."""
    if len(arguments) < 5 or not DEVICE.match(arguments[3]) or not arguments[4].isdecimal():
        return None
    parameters = tuple(arguments[6:])
    if len(arguments) > 5 and counted(arguments[5:]) != parameters:
        return None
    return CryptTable(arguments[0], arguments[3], int(arguments[4]) * SECTOR, parameters)


def read_target(target: MapperTarget) -> TargetFacts | None:
    """A line of the crypt target; its status has no arguments."""
    if not target.arguments:
        return TargetFacts("dm_crypt", {})
    table = read_table(target.arguments)
    if table is None:
        return None
    return TargetFacts("dm_crypt", {**table.facts(), "device": table.device})


TARGET = DmTarget("dm_crypt", read_target, secret=1)

LUKS = CarriedContent(
    what="is encrypted with LUKS",
    instead="`cryptsetup open {device} NAME`, then mount /dev/mapper/NAME",
    new_uuid="`cryptsetup luksUUID --uuid $(uuidgen)` of the copy, closed",
)
BITLOCKER = CarriedContent(
    what="is encrypted with BitLocker",
    instead="`cryptsetup open --type bitlk {device} NAME`, then mount /dev/mapper/NAME",
)
