"""The two devices of a cache of device-mapper as it stands on a host."""

from __future__ import annotations

from typing import Protocol

from iosonde.layers.layer import BlockDevice, Scene
from iosonde.records.stack import Scalar


class OfTwoDevices(Protocol):
    """What a table says of a cache, whichever its kind: devices as "MAJOR:MINOR"."""

    @property
    def cache(self) -> str:
        """The fast one."""
        ...

    @property
    def origin(self) -> str:
        """The slow one."""
        ...


def cache_devices(
    scene: Scene, table: OfTwoDevices | None
) -> tuple[BlockDevice | None, dict[str, Scalar]]:
    """The fast device, None where it is not known, and the paths of both as facts."""
    cache = scene.with_number(table.cache) if table else None
    origin = scene.with_number(table.origin) if table else None
    if cache is None or origin is None:
        return cache, {}
    return cache, {"cache_device": cache.path, "origin_device": origin.path}
