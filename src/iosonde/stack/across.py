"""Links layers of different hosts: what is imported stands on what the other host exports.

Each kind names the same thing on both sides: an NVMe-oF subsystem its qualified name, an iSCSI
target its own, AoE shelf and slot, NBD the export, NFS the server's address and directory, a
guest's disk its serial number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from iosonde.records import Scalar, StackLayer

_EXPORTS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "nvmeof": ("nvmeof_target", ("nqn",)),
    "iscsi": ("iscsi_target", ("iqn",)),
    "aoe": ("aoe_target", ("shelf", "slot")),
    "nbd": ("nbd_server", ("export",)),
}
IMPORTED = frozenset({*_EXPORTS, "nfs", "drbd", "guest"})
"""Kinds that may stand on a layer of another host."""
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


def across(
    layers: Sequence[StackLayer], addresses: Mapping[str, Sequence[str]]
) -> tuple[StackLayer, ...]:
    """The layers, with what each imports added to its `below`.

    Args:
        layers: of all hosts.
        addresses: of each host's interfaces, by its name.
    """
    exported: dict[tuple[str, tuple[Scalar, ...]], list[StackLayer]] = {}
    for layer in layers:
        for kind, names in dict(_EXPORTS.values()).items():
            if layer.kind == kind:
                exported.setdefault((kind, _key(layer, names)), []).append(layer)
    return tuple(
        replace(layer, below=(*layer.below, *_imported(layer, layers, exported, addresses)))
        for layer in layers
    )


def _key(layer: StackLayer, names: Sequence[str]) -> tuple[Scalar, ...]:
    return tuple(layer.facts.get(name) for name in names)


def _imported(
    layer: StackLayer,
    layers: Sequence[StackLayer],
    exported: Mapping[tuple[str, tuple[Scalar, ...]], Sequence[StackLayer]],
    addresses: Mapping[str, Sequence[str]],
) -> tuple[str, ...]:
    """Ids of what a layer imports; empty where that host was not looked at."""
    if layer.kind in _EXPORTS:
        kind, names = _EXPORTS[layer.kind]
        key = _key(layer, names)
        found = exported.get((kind, key), ()) if None not in key else ()
        return tuple(one.id for one in found)
    if layer.kind == "disk":
        return _of_guest(layer, layers)
    if layer.kind == "nfs":
        return _served(layer, layers, addresses)
    if layer.kind == "drbd" and layer.facts.get("role") == "Primary":
        return tuple(
            one.id
            for one in layers
            if one.kind == "drbd" and one.host != layer.host and one.device == layer.device
        )
    return ()


def _of_guest(layer: StackLayer, layers: Sequence[StackLayer]) -> tuple[str, ...]:
    """What a virtual machine's disk is on its host, where one disk there has its serial."""
    serial = layer.facts.get("serial")
    found = [
        one.id for one in layers
        if one.kind == "guest" and serial and one.facts.get("serial") == serial
        and one.host != layer.host
    ]  # fmt: skip
    return tuple(found) if len(found) == 1 else ()


def _served(
    layer: StackLayer, layers: Sequence[StackLayer], addresses: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    """The export that a mount shows; NFS 4 may show the only one as its root."""
    address = str(layer.facts.get("address") or layer.facts.get("server"))
    hosts = {name for name, some in addresses.items() if address in some}
    if address in _LOOPBACK:
        hosts = {layer.host}
    served = [one for one in layers if one.kind == "nfs_server" and one.host in hosts]
    exact = [one for one in served if one.facts.get("export") == layer.facts.get("export")]
    return tuple(one.id for one in exact or (served if len(served) == 1 else []))
