"""What a user declares of a virtual drive, and the arithmetic of its strips."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from iosonde.layers.hwraid.facts import data_disks
from iosonde.layers.site import Declared, Names, Site, Size
from iosonde.units import KIB

_MEGARAID_DRIVE = re.compile(r"\d{1,5}:\d{1,4}")
_SMART_ARRAY_DRIVE = re.compile(r"[0-9]{1,2}[A-Z]{1,2}:\d{1,3}:\d{1,3}|\d{1,3}:\d{1,3}:\d{1,3}")
_FEWEST = {0: 1, 1: 2, 5: 3, 6: 3, 10: 4, 50: 6, 60: 6}
_MOST_SPANS = 8  # StorCLI reference manual, add vd
_NAME = 15  # letters that MegaRAID keeps of a name (MR_LD_PROPERTIES, 16 bytes with the NUL)
_POLICIES = ("write_policy", "read_ahead", "io_policy", "disk_cache", "cache_ratio")
_ONLY_MEGARAID = ("read_ahead", "io_policy")


class HwraidDeclared(Declared):
    """A virtual drive of a hardware RAID controller, on all of some physical drives.

    `drives` as the controller's tool writes them: "252:0" (enclosure:slot) for storcli and perccli,
    "1I:1:1" (port:box:bay) for ssacli; that also tells which tool it is. `controller` is the number
    of a MegaRAID or PERC controller, the slot of a Smart Array. `strip_size` is bytes on one drive
    before the next one's turn; `spans` the parts that RAID 10, 50 and 60 stripe over. Policies that
    are left out stay as the controller has them. `cache_ratio` is the share for reads in per cent;
    on a Smart Array it and `disk_cache` hold for all of the controller. `drive_size` is bytes of
    each drive: only `predict` asks for it.
    """

    kind: Literal["hwraid"] = "hwraid"
    unsafe: ClassVar[Mapping[str, tuple[str | int | bool, ...]]] = {
        "level": (0,),
        "disk_cache": ("enabled",),
    }
    unread: ClassVar[Mapping[str, str]] = {
        "spans": "controllers' listings tell the level, not always how it is divided"
    }
    immaterial: ClassVar[Mapping[str, str]] = {
        "drive_size": "only `predict` asks for it",
        **dict.fromkeys(_POLICIES, "`up` sets it on a drive that stands as well"),
    }
    controller: int = Field(default=0, ge=0, le=255)
    drives: Names = Field(min_length=1)
    level: Literal[0, 1, 5, 6, 10, 50, 60]
    strip_size: Size = 256 * KIB
    spans: int | None = Field(default=None, ge=2, le=_MOST_SPANS)
    write_policy: Literal["write_back", "write_through"] | None = None
    read_ahead: bool | None = None
    io_policy: Literal["direct", "cached"] | None = None
    disk_cache: Literal["default", "enabled", "disabled"] | None = None
    cache_ratio: int | None = Field(default=None, ge=0, le=100)
    drive_size: Size | None = Field(default=None, gt=0)

    @model_validator(mode="after")
    def _can_be(self) -> HwraidDeclared:
        if self.of:
            raise ValueError("a virtual drive stands on no other layer: name its `drives`")
        if len(set(self.drives)) < len(self.drives):
            raise ValueError("a drive is named twice")
        if not self.is_megaraid and not all(map(_SMART_ARRAY_DRIVE.fullmatch, self.drives)):
            raise ValueError(
                'drives are written "252:0" (storcli, perccli) or "1I:1:1" (ssacli), all alike'
            )
        if self.strip_size not in {KIB << power for power in range(3, 11)}:
            raise ValueError("`strip_size` is a power of two from 8 KiB to 1 MiB")
        self._check_policies()
        self._check_number()
        return self

    def _check_policies(self) -> None:
        if self.is_megaraid and self.cache_ratio is not None:
            raise ValueError("`cache_ratio` is for a Smart Array; a MegaRAID has none")
        if not self.is_megaraid:
            for name in _ONLY_MEGARAID:
                if getattr(self, name) is not None:
                    raise ValueError(f"a Smart Array has no `{name}`")

    def _check_number(self) -> None:
        number, fewest = len(self.drives), _FEWEST[self.level]
        if number < fewest:
            raise ValueError(f"RAID {self.level} needs {fewest} drives and has {number}")
        if self.level == 1 and number % 2:
            raise ValueError(f"RAID 1 mirrors drives two by two, and there are {number}")
        if self.spans and self.level not in {10, 50, 60}:
            raise ValueError(f"RAID {self.level} has no `spans`")
        if self.level not in {10, 50, 60}:
            return
        spans = self.parts
        each = 2 if self.level == 10 else 3
        uneven = self.level == 10 and spans and number // spans % 2
        if not spans or number % spans or number // spans < each or uneven:
            raise ValueError(
                f"{number} drives cannot be divided into the spans of RAID {self.level}"
            )

    @property
    def is_megaraid(self) -> bool:
        """Whether its drives are written as storcli and perccli write them."""
        return all(map(_MEGARAID_DRIVE.fullmatch, self.drives))

    @property
    def parts(self) -> int:
        """Spans that it stripes over; 1 where the level has none, 0 where none fits.

        RAID 10 has mirrors of two as far as eight spans suffice.
        """
        if self.level not in {10, 50, 60}:
            return 1
        if self.spans:
            return self.spans
        if self.level != 10:
            return 2
        number = len(self.drives)
        fitting = (n for n in range(_MOST_SPANS, 1, -1) if number % n == 0 and number // n % 2 == 0)
        return next(fitting, 0)


def striping(declared: HwraidDeclared) -> tuple[int, int] | None:
    """Strip in bytes and drives that hold data; None where one alone does."""
    if declared.level == 1:
        return None
    data = data_disks(f"raid{declared.level}", len(declared.drives), declared.parts)
    return (declared.strip_size, data) if data and data > 1 else None


def name_of(site: Site) -> str:
    """The name that the virtual drive has on its controller: its label, cut where that is long.

    A controller keeps 15 letters; what a cut takes away is told apart by five signs.
    """
    label = site.label
    if len(label) <= _NAME:
        return label
    return f"{label[: _NAME - 6]}-{site.uuid('hwraid')[:5]}"


def strip_kib(declared: HwraidDeclared) -> int:
    """Strip in KiB, as both tools take it."""
    return declared.strip_size // KIB
