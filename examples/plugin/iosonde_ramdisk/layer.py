"""Ramdisks of the kernel, /dev/ram0 and so on: memory that looks like a disk.

Source: Linux drivers/block/brd.c; Documentation/admin-guide/blockdev/ramdisk.rst.
"""

from __future__ import annotations

import re
from typing import ClassVar

from typing_extensions import override

from iosonde.layers.layer import Layer, LayerSetting, Scene, queue_settings
from iosonde.records.stack import StackLayer


class Ramdisk(Layer):
    """A ramdisk; it stands on nothing and loses its content with the power."""

    kind: ClassVar[str] = "ramdisk"
    settings: ClassVar[tuple[LayerSetting, ...]] = queue_settings("read_ahead_kb", "nomerges")
    can_break: ClassVar[bool] = False

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        return tuple(
            StackLayer(
                id=scene.identity(self.kind, device.name),
                kind=self.kind,
                host=scene.host.name,
                device=device.path,
                size=device.size,
            )
            for device in scene.devices.values()
            if re.fullmatch(r"ram\d+", device.name) and device.size > 0
        )
