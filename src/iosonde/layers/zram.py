"""zram: a compressed disk in memory, most often swap. It stands on nothing.

Source: Linux Documentation/admin-guide/blockdev/zram.rst.
"""

from __future__ import annotations

from typing_extensions import override

from iosonde import kerneltext
from iosonde.layers.layer import Layer, LayerSetting, Scene, queue_settings
from iosonde.records.stack import Scalar, StackLayer

# Fields of mm_stat by their place, all in bytes but the last ones; older kernels print fewer.
_MM_STAT = ("original_size", "compressed_size", "memory_used", "memory_limit", "memory_peak")


def parse_mm_stat(text: str) -> dict[str, Scalar]:
    """The sizes in mm_stat, bytes; a limit of 0 means none and is left out."""
    figures = [int(word) for word in text.split() if word.lstrip("-").isdecimal()]
    values: dict[str, Scalar] = dict(zip(_MM_STAT, figures, strict=False))
    if values.get("memory_limit") == 0:
        del values["memory_limit"]
    return values


class Zram(Layer):
    """See `iosonde.layers.layer.Layer`."""

    kind = "zram"
    settings = (
        LayerSetting(
            "comp_algorithm", "sysfs", "/sys/block/{name}/comp_algorithm", needs="rebuild",
            why_not="zram takes it only before its size is set",
        ),
        *queue_settings("read_ahead_kb", "nomerges"),
    )  # fmt: skip
    can_break = False

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        """A zram device of no size is not set up: left out."""
        devices = [
            device
            for device in scene.devices.values()
            if device.name.startswith("zram") and device.size > 0
        ]
        files = await scene.host.read_many([f"{device.sysfs}/mm_stat" for device in devices])
        layers = []
        for device in devices:
            content = files.get(f"{device.sysfs}/mm_stat")
            text = kerneltext.decoded(content) if isinstance(content, bytes) else ""
            layers.append(scene.device_layer(self.kind, device, facts=parse_mm_stat(text)))
        return tuple(layers)
