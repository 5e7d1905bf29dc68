"""The stack of a recorded host in the core: the layers that its files describe.

What the files do not say of a layer ends the way down there, in a sentence. Nothing is declared, so
that there is nothing to vary and no device has a model.
"""

from __future__ import annotations

from collections.abc import Sequence

from iosonde.errors import UsageError
from iosonde.hosts import open_host
from iosonde.hosts.host import Host
from iosonde.layers._ledger.look import Look
from iosonde.layers.layer import kernel_name
from iosonde.measure.counting import counting_of
from iosonde.predict.discovered import DiscoveredModel, discovered_model
from iosonde.records.load import Target, TargetKind
from iosonde.records.stack import Capture, StackLayer
from iosonde.stack.discover import discover
from iosonde.stack.model import Stack, mount_points

_NAMED = 6  # layers that an error lists


async def model_of_described(name: str, at: str) -> tuple[DiscoveredModel, tuple[str, ...]]:
    """The stack of a recorded host below a layer, and what is to be said of the choice.

    Args:
        name: of the host, as `open_host` takes it.
        at: the layer: its id, mount point, device or kernel's name; empty: the only top.

    Raises:
        UsageError: nothing describes a host, no such layer, several that could be meant.
    """
    host = await open_host(name)
    try:
        capture = await discover((host,))
        layer, notes = _device(capture, _chosen(capture, at, name))
        target = Target(host.name, layer.device or "", TargetKind.DEVICE)
        counting = await counting_of(capture, (host,), target)
    finally:
        await host.close()
    model = discovered_model(Look(Stack(capture.layers).under(layer), counting.facts))
    if model.model.size <= 0:
        raise UsageError(f"the size of {layer.id} is not recorded", where=name)
    return model, (*notes, *model.uncovered)


async def ask_facts(capture: Capture, hosts: Sequence[Host]) -> None:
    """Ask hosts what a prediction needs to know of each device, so that a recording has it."""
    for layer in capture.layers:
        if kernel_name(layer):
            target = Target(layer.host, layer.device or "", TargetKind.DEVICE)
            await counting_of(capture, hosts, target)


def _names(layer: StackLayer) -> tuple[str, ...]:
    return (
        *mount_points(layer), layer.device or "", kernel_name(layer), layer.id,
        layer.id.partition("/")[2], layer.id.rpartition(":")[2],
    )  # fmt: skip


def _chosen(capture: Capture, at: str, name: str) -> StackLayer:
    stack = Stack(capture.layers)
    tops = [layer for layer in stack.roots() if layer.below or kernel_name(layer)]
    if not at and len(tops) == 1:
        return tops[0]
    for place in range(len(_names(capture.layers[0]))) if at and capture.layers else ():
        for layer in capture.layers:
            names = _names(layer)
            if place < len(names) and names[place] == at:
                return layer
    listed = [layer.mount or layer.device or layer.id for layer in tops]
    more = f" and {len(listed) - _NAMED} more" if len(listed) > _NAMED else ""
    few = ", ".join(listed[:_NAMED]) + more
    raise UsageError(
        f"there is no layer {at!r}; the tops are {few}" if at
        else f"the load could be applied to any of {few}",
        where=name, hint="say which with --at",
    )  # fmt: skip


def _device(capture: Capture, layer: StackLayer) -> tuple[StackLayer, tuple[str, ...]]:
    """The device that a load is applied to: below a mounted file system the one it stands on."""
    below = Stack(capture.layers).below(layer)
    if kernel_name(layer) or len(below) != 1:
        if not kernel_name(layer):
            raise UsageError(
                f"{layer.id} stands on {len(below)} devices", hint="name one of them with --at"
            )
        return layer, ()
    note = (
        f"the load is applied to {below[0].device or below[0].id} below {layer.mount or layer.id}: "
        "where a file lies and what the file system writes of its own is not recorded"
    )
    lower, notes = _device(capture, below[0])
    return lower, (note, *notes)
