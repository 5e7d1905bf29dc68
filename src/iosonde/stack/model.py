"""The stack as a graph: which layer stands on which, and what lies under a path.

Edges point down: from a file system to the device it is on, from an array to its members.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from posixpath import normpath

from iosonde import kerneltext
from iosonde.layers.layer import kernel_name
from iosonde.records.stack import Capture, Scalar, StackLayer


class Stack:
    """The layers of a capture with their edges both ways.

    Args:
        layers: in the order they are to be shown; an id in `below` without a layer is no edge.
    """

    def __init__(self, layers: Iterable[StackLayer]) -> None:
        self.layers = {layer.id: layer for layer in layers}
        self._above: dict[str, list[str]] = {identity: [] for identity in self.layers}
        for layer in self.layers.values():
            for under in layer.below:
                if under in self._above:
                    self._above[under].append(layer.id)

    def below(self, layer: StackLayer) -> tuple[StackLayer, ...]:
        """What a layer stands on directly."""
        return tuple(self.layers[identity] for identity in layer.below if identity in self.layers)

    def above(self, layer: StackLayer) -> tuple[StackLayer, ...]:
        """What stands on a layer directly."""
        return tuple(self.layers[identity] for identity in self._above[layer.id])

    def roots(self) -> tuple[StackLayer, ...]:
        """The layers nothing stands on: mounts in the order of their paths, then devices."""
        tops = [layer for layer in self.layers.values() if not self._above[layer.id]]
        return tuple(sorted(tops, key=lambda layer: (layer.mount is None, layer.mount or "")))

    def under(self, layer: StackLayer) -> tuple[StackLayer, ...]:
        """The layer itself and all below it, top first, each once."""
        visited: dict[str, StackLayer] = {}  # a ring (a loop device on its own file) ends here too

        def descend(lower: StackLayer) -> None:
            if lower.id not in visited:
                visited[lower.id] = lower
                for under in self.below(lower):
                    descend(under)

        descend(layer)
        return tuple(visited.values())

    def provider(self, host: str, path: str) -> StackLayer | None:
        """The layer that provides a block device: not the file system that stands on it.

        `path` may be the device's own (/dev/mapper/vg-lv) or the kernel's (/dev/dm-0).
        """
        named = [
            layer
            for layer in self.layers.values()
            if layer.host == host
            and path in {layer.device, f"/dev/{layer.facts.get('kernel_name')}"}
        ]
        for layer in named:
            if not any(other.id in layer.below for other in named):
                return layer
        return None

    def holder(self, host: str, path: str) -> StackLayer | None:
        """The file system whose mount holds a path: the longest mount point that is part of it."""
        fitting = [
            layer
            for layer in self.layers.values()
            if layer.host == host and any(_holds(point, path) for point in mount_points(layer))
        ]
        return max(
            fitting,
            key=lambda layer: max(len(at) for at in mount_points(layer) if _holds(at, path)),
            default=None,
        )


def mount_points(layer: StackLayer) -> tuple[str, ...]:
    """All places where a layer is mounted: `mount`, then what its fact `mounts` adds by lines."""
    more = kerneltext.lines(str(layer.facts.get("mounts") or ""))
    return tuple(dict.fromkeys([*([layer.mount] if layer.mount else []), *more]))


def _holds(point: str, path: str) -> bool:
    """Whether a mount holds a path; /dev is the kernel's own, whatever holds `/`."""
    if path.startswith("/dev/") and not point.startswith("/dev"):
        return False
    return path == point or path.startswith(point.rstrip("/") + "/")


def layers_under(capture: Capture, host: str, path: str) -> tuple[StackLayer, ...]:
    """The layers a path stands on, top first: those to observe while it is under load.

    Args:
        capture: of that host.
        host: name of the host, as in the capture.
        path: absolute, behind symbolic links (`Host.resolve`): a block device, a mount point, or
            a file or directory, which need not exist yet.

    Returns:
        Empty where the path is on nothing that was found.
    """
    stack = Stack(capture.layers)
    plain = normpath(path)
    top = stack.provider(host, plain) or stack.holder(host, plain)
    return stack.under(top) if top else ()


def devices_under(capture: Capture, host: str, path: str) -> tuple[str, ...]:
    """Kernel names of the block devices a path stands on, top first, as /proc/diskstats has them.

    A volume is "dm-2" there, not "vg0-srv"; file systems and network mounts are no devices.
    """
    names = (kernel_name(layer) for layer in layers_under(capture, host, path))
    return tuple(name for name in names if name)


def settings_under(capture: Capture, host: str, path: str) -> dict[str, Scalar]:
    """The settings of what a path stands on, or of all layers where that was not found.

    See `layers_under` and `capture_settings`.
    """
    layers = layers_under(capture, host, path) or capture.layers
    return capture_settings(replace(capture, layers=layers))


def capture_settings(capture: Capture) -> dict[str, Scalar]:
    """All settings of a capture as one object: "LAYER.SETTING", and "HOST.NAME" of no layer."""
    settings = {
        f"{layer.id}.{name}": value
        for layer in capture.layers
        for name, value in layer.settings.items()
    }
    return {**settings, **capture.host_wide}
