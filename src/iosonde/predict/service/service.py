"""What every model of a device answers: how long it is busy with an I/O, and how sure that is."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Protocol, TypeAlias

from iosonde import units
from iosonde.errors import UsageError


@dataclass(frozen=True, slots=True)
class Access:
    """I/Os of one request to one device, next to one another.

    Args:
        write: or read.
        count: I/Os.
        size: bytes of all of them.
        jump: they do not begin where the I/Os before ended.
        again: they overwrite what the same request has just read there.
        place: where the head is afterwards, bytes; those of mirrors are alike. −1: nobody asks.
    """

    write: bool
    count: int
    size: int
    jump: bool = True
    again: bool = False
    place: int = -1


class ServiceModel(Protocol):
    """A device that works on one access after the other.

    `buffer` is how many bytes of writes it takes before it has written them: 0 without a write
    cache. `burst` is for how many seconds of idleness one that is merely held to a rate makes up
    afterwards: 0 for one that works. `rotates`: the kernel takes it for a rotating disk. `covers`
    says in a few words what lies between `slow` and `fast`.
    """

    @property
    def buffer(self) -> int:
        """Bytes."""

    @property
    def burst(self) -> float:
        """Seconds."""

    @property
    def rotates(self) -> bool:
        """As /sys/block/*/queue/rotational has it."""

    @property
    def covers(self) -> str:
        """What the slow and the fast device leave open; empty where they are the same."""

    def seconds(self, access: Access, queue: int, chance: Random) -> tuple[float, float]:
        """How long the device is busy, and what passes besides until the answer is there.

        Args:
            access: what is asked.
            queue: accesses at the device, this one among them.
            chance: for what is left to it.
        """

    def slow(self) -> ServiceModel:
        """The slowest device of which the same figures could be told."""
        return self

    def fast(self) -> ServiceModel:
        """The fastest one."""
        return self

    def over(self, span: float) -> ServiceModel:
        """The device where the load keeps to a fraction of its space (0 to 1)."""
        del span
        return self


Figures: TypeAlias = Mapping[str, str]
"""What a model is written with: key → value."""


@dataclass(frozen=True, slots=True)
class ModelSource:
    """Where a model is written ("--device d1", "layer d1"), and the store that is asked."""

    where: str
    store: str | None = None


Read: TypeAlias = Callable[[Figures, ModelSource], ServiceModel]
"""How a model is made of what is written."""

_LINE_RATE = re.compile(r"(\d+(?:\.\d+)?)\s*([MG])bit(?:/s)?")


def parse_rate(text: str, where: str) -> float:
    """Bytes a second from "215 MB/s" (10⁶, as data sheets have it), "200 MiB/s", or "10 Gbit/s".

    Raises:
        UsageError: it is none.
    """
    if match := _LINE_RATE.fullmatch(text.strip()):
        return float(match[1]) * {"M": 1e6, "G": 1e9}[match[2]] / 8
    plain = text.strip().removesuffix("/s").strip()
    if plain.endswith(("MB", "GB")):
        number, factor = plain[:-2].strip(), 1e6 if plain[-2] == "M" else 1e9
        if re.fullmatch(r"\d+(\.\d+)?", number):
            return float(number) * factor
    return float(units.parse_bytes(plain, where=where))


class Keys:
    """The keys of a model as they are read; what is left over is a mistake.

    Raises:
        UsageError: from each method: a key is missing, or has no such value.
    """

    def __init__(self, figures: Figures, where: str) -> None:
        self._figures = dict(figures)
        self._where = where

    def _take(self, key: str, default: str | None) -> str:
        text = self._figures.pop(key, default)
        if text is None:
            raise UsageError(f"the model lacks {key}", where=self._where, hint=f"add {key}=…")
        return text

    def seconds(self, key: str, default: str | None = None) -> float:
        """A time."""
        return units.parse_seconds(self._take(key, default), where=f"{self._where}, {key}")

    def size(self, key: str, default: str | None = None) -> int:
        """Bytes."""
        return units.parse_bytes(self._take(key, default), where=f"{self._where}, {key}")

    def rate(self, key: str, default: str | None = None) -> float:
        """Bytes a second; 0 where the default is "0"."""
        return parse_rate(self._take(key, default), f"{self._where}, {key}")

    def share(self, key: str, default: str | None = None) -> float:
        """A fraction below 1."""
        fraction = units.parse_fraction(self._take(key, default), where=f"{self._where}, {key}")
        if not 0 <= fraction < 1:
            raise UsageError(f"{key} is a share below 100 %", where=self._where)
        return fraction

    def number(self, key: str, default: str | None = None) -> float:
        """A number, k and M as factors of 1000."""
        text = self._take(key, default).strip()
        match = re.fullmatch(r"(\d+(?:\.\d+)?)([kM]?)", text)
        if not match:
            raise UsageError(f"{key} is a number, not {text!r}", where=self._where)
        return float(match[1]) * {"": 1, "k": 1e3, "M": 1e6}[match[2]]

    def word(self, key: str, default: str | None = None) -> str:
        """A text."""
        return self._take(key, default)

    def end(self) -> None:
        """Nothing may be left."""
        if self._figures:
            names = ", ".join(sorted(self._figures))
            raise UsageError(f"the model has no {names}", where=self._where)


def positive(**figures: float) -> None:
    """Each figure is above 0.

    Raises:
        UsageError: one is not.
    """
    for name, value in figures.items():
        if not value > 0:
            raise UsageError(f"{name} of a device is above 0, not {value:g}")
