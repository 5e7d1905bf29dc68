"""The lab in which a declared stack stands: its hosts as nodes, its disks as virtual disks."""

from __future__ import annotations

from iosonde.lab.spec import DiskSpec, LabSpec, NodeSpec, limits_like, memory_disk
from iosonde.layers.site import DriveDeclared, Hosting
from iosonde.stack.file import DeclaredStack, builder


def lab_of(stack: DeclaredStack) -> LabSpec:
    """Nodes in the order of the hosts, each with its disks; guests last, with the host of each.

    Raises:
        UsageError: a disk is like none that is known.
    """
    disks: dict[str, list[DiskSpec]] = {name: [] for name in stack.hosts}
    for site in stack.sites:
        if isinstance(site.declared, DriveDeclared):
            disk = site.declared
            limits = limits_like(disk.like, disk.iops, disk.bandwidth)
            disks[site.host].append(DiskSpec(site.name, disk.size, limits))
        elif isinstance(made := builder(site.kind), Hosting):
            exported = made.lab_disk(site, stack.guests[site.name])
            disks[site.host].append(DiskSpec(site.name, **exported))
    for name, entry in stack.hosts.items():
        if entry.lab.remembers:
            disks[name].append(memory_disk())
    nodes = tuple(
        NodeSpec(
            name, entry.lab.memory, entry.lab.cpus, tuple(disks[name]), stack.guests.get(name, "")
        )
        for name, entry in stack.hosts.items()
    )
    return LabSpec(stack.name, nodes, stack.mtu)
