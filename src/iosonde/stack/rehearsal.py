"""The lab in which a declared stack stands: its hosts as nodes, its disks as virtual disks."""

from __future__ import annotations

from iosonde.lab.spec import DiskSpec, LabSpec, NodeSpec, limits_like, memory_disk
from iosonde.layers.guest.machine import GuestDeclared, device_options, export_port
from iosonde.layers.site import DriveDeclared, Site
from iosonde.stack.file import DeclaredStack


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
        elif isinstance(site.declared, GuestDeclared):
            disks[site.host].append(_guest_disk(site, site.declared, stack.guests[site.name]))
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


def _guest_disk(site: Site, declared: GuestDeclared, host: str) -> DiskSpec:
    """What the host of a guest exports for it."""
    return DiskSpec(
        site.name,
        source=f"nbd:{host}:{export_port(site)}/{site.label}",
        bus=declared.disk,
        cache=declared.cache,
        options=device_options(declared),
    )
