"""Links layers of different hosts: what is imported stands on what the other host exports.

Most kinds name the same thing on both sides, by facts that are `named_alike`: an NVMe-oF subsystem
its qualified name, AoE shelf and slot. Others look for it themselves (`Imports`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from iosonde.layers import LAYERS
from iosonde.layers.layer import Everything, Imports
from iosonde.records.stack import Scalar, StackLayer


def across(
    layers: Sequence[StackLayer], addresses: Mapping[str, Sequence[str]]
) -> tuple[StackLayer, ...]:
    """The layers, with what each imports added to its `below`.

    Args:
        layers: of all hosts.
        addresses: of the interfaces of hosts that are `reached_by_address`, by their names.
    """
    kinds = {layer.kind: LAYERS.load(layer.kind)() for layer in layers}
    names = {kind.stands_on: kind.named_alike for kind in kinds.values() if kind.named_alike}
    exported: dict[tuple[str, tuple[Scalar, ...]], list[str]] = {}
    for layer in layers:
        if layer.kind in names:
            key = _values(layer, names[layer.kind])
            exported.setdefault((layer.kind, key), []).append(layer.id)
    everything, linked = Everything(layers, addresses), []
    for layer in layers:
        kind = kinds[layer.kind]
        key = _values(layer, kind.named_alike)
        alike = exported.get((kind.stands_on, key), ()) if None not in key else ()
        more = kind.imports(layer, everything) if isinstance(kind, Imports) else ()
        linked.append(replace(layer, below=(*layer.below, *alike, *more)))
    return tuple(linked)


def _values(layer: StackLayer, names: Sequence[str]) -> tuple[Scalar, ...]:
    return tuple(layer.facts.get(name) for name in names)
