"""Imports stand on exports of other hosts, where both name the same thing."""

from __future__ import annotations

from iosonde.records.stack import Scalar, StackLayer
from iosonde.stack.across import across


def layer(kind: str, host: str, name: str, **facts: Scalar) -> StackLayer:
    return StackLayer(f"{host}/{kind}:{name}", kind, host, name, None, facts=facts)


def below(*layers: StackLayer, **addresses: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    return {
        stack_layer.id: stack_layer.below
        for stack_layer in across(layers, addresses)
        if stack_layer.below
    }


def test_each_kind_of_export_is_found_by_its_own_name() -> None:
    groups = below(
        layer("nvmeof_target", "s1", "x/1", nqn="nqn.a"),
        layer("nvmeof_target", "s2", "y/1", nqn="nqn.b"),
        layer("nvmeof", "c", "nvme0n1", nqn="nqn.b"),
        layer("iscsi_target", "s1", "i/0", iqn="iqn.a"),
        layer("iscsi", "c", "sda", iqn="iqn.a"),
        layer("aoe_target", "s1", "e1.0", shelf=1, slot=0),
        layer("aoe", "c", "e1.0", shelf=1, slot=0),
        layer("aoe", "c", "e1.1", shelf=1, slot=1),
        layer("nbd_server", "s1", "e", export="e"),
        layer("nbd", "c", "nbd0", export="e"),
        layer("nbd", "c", "nbd1"),
    )
    assert groups == {
        "c/nvmeof:nvme0n1": ("s2/nvmeof_target:y/1",),
        "c/iscsi:sda": ("s1/iscsi_target:i/0",),
        "c/aoe:e1.0": ("s1/aoe_target:e1.0",),
        "c/nbd:nbd0": ("s1/nbd_server:e",),
    }


def test_the_disk_of_a_guest_is_found_by_its_serial_where_one_alone_has_it() -> None:
    assert below(
        layer("guest", "s1", "web/data", serial="web"),
        layer("guest", "s1", "a/data", serial="twice"),
        layer("guest", "s2", "b/data", serial="twice"),
        layer("disk", "web", "vda", serial="web"),
        layer("disk", "s1", "sda", serial="web"),
        layer("disk", "a", "vda", serial="twice"),
        layer("disk", "web", "vdb"),
    ) == {"web/disk:vda": ("s1/guest:web/data",)}


def test_a_mount_finds_its_export_by_address_and_directory() -> None:
    exports = [
        layer("nfs_server", "s1", "/a", export="/a"), layer("nfs_server", "s1", "/b", export="/b"),
        layer("nfs_server", "s2", "/a", export="/a"),
    ]  # fmt: skip
    mounts = [
        layer("nfs", "c", "/m", address="10.0.0.2", export="/a"),
        layer("nfs", "s1", "/l", address="127.0.0.1", export="/b"),
        layer("nfs", "c", "/v4", address="10.0.0.2", export="/"),
        layer("nfs", "c", "/many", address="10.0.0.1", export="/"),
    ]
    groups = below(*exports, *mounts, s1=("10.0.0.1",), s2=("10.0.0.2",))
    assert groups == {
        "c/nfs:/m": ("s2/nfs_server:/a",),
        "s1/nfs:/l": ("s1/nfs_server:/b",),
        "c/nfs:/v4": ("s2/nfs_server:/a",),
    }


def test_a_primary_stands_on_its_secondary_and_not_the_other_way() -> None:
    groups = below(
        layer("drbd", "s1", "/dev/drbd3", role="Primary"),
        layer("drbd", "s2", "/dev/drbd3", role="Secondary"),
        layer("drbd", "s2", "/dev/drbd4", role="Secondary"),
    )
    assert groups == {"s1/drbd:/dev/drbd3": ("s2/drbd:/dev/drbd3",)}
