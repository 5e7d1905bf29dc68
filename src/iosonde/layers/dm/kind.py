"""The devices of device-mapper that no other kind knows.

Source: Linux Documentation/admin-guide/device-mapper; dmsetup(8).
"""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override

from iosonde.layers._mapper.devices import mapped
from iosonde.layers._mapper.facts import MapperTarget, table_facts
from iosonde.layers.layer import Layer, Scene, queue_settings
from iosonde.records.stack import StackLayer

_BROKEN = {"error": "gives errors only", "flakey": "made to fail", "delay": "slowed down"}


def table_hazards(targets: Sequence[MapperTarget]) -> tuple[str, ...]:
    """Targets that exist to do harm: somebody is testing with them."""
    return tuple(
        dict.fromkeys(_BROKEN[target.name] for target in targets if target.name in _BROKEN)
    )


class Dm(Layer):
    """See `iosonde.layers.layer.Layer`."""

    kind = "dm"
    passes_through = True
    aligns_requests = False
    settings = queue_settings("read_ahead_kb", "max_sectors_kb")

    @override
    async def discover(self, scene: Scene) -> tuple[StackLayer, ...]:
        return tuple(
            device.layer(
                scene, self.kind, table_facts(device.targets), table_hazards(device.targets)
            )
            for device in await mapped(scene)
            if device.kind == self.kind
        )
