"""The file of rules by which udev sets what is kept of devices, and how a rule names an interface.

The kernel calls a new interface eth0, and udev renames it while it handles its `add` event: the
rules of that event see the old name as KERNEL, and the name that it will have as NAME. The rename
then arrives as an event of its own, `move`, with the new name as KERNEL. An interface that keeps
its name has no `move`. So a rule for the interface that is called enp3s0 now has to match both
events, and one for eth0 must leave out what is only about to be renamed.

Source: udev(7), KERNEL, NAME, "|"; systemd 252, 80-net-setup-link.rules and src/udev/udev-event.c,
rename_netif(); Linux lib/kobject.c, kobject_rename(), KOBJ_MOVE; Linux
Documentation/ABI/testing/sysfs-class-net, name_assign_type.
"""

from __future__ import annotations

from iosonde import kerneltext
from iosonde.errors import IosondeError
from iosonde.hosts.host import Host

FILE = "/etc/udev/rules.d/99-zz-iosonde.rules"
RELOAD = (("udevadm", "control", "--reload"),)
_ENUMERATED = "1"  # NET_NAME_ENUM of name_assign_type: the kernel's own eth0, eth1, …
_SET_AFTER = "networkd, NetworkManager or ifupdown may set the interface again after udev"
ONLY_THE_NAME = "nothing but the kernel's name tells this device, and that may change"


def interface_match(name: str) -> str:
    """The part of a rule that says which interface it is for, by the name that it has now."""
    return f'ACTION=="add|move", SUBSYSTEM=="net", KERNEL=="{name}", NAME=="|{name}"'


async def interface_note(host: Host, name: str) -> str:
    """What the user should know of a rule for an interface."""
    path = f"/sys/class/net/{name}/name_assign_type"
    content = (await host.read_many([path])).get(path)
    if isinstance(content, IosondeError) or content is None:
        return _SET_AFTER
    counted = kerneltext.decoded(content).strip() == _ENUMERATED
    return f"{ONLY_THE_NAME}; {_SET_AFTER}" if counted else _SET_AFTER
