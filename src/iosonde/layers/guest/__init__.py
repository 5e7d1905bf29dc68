"""Virtual machines of QEMU whose disk is a layer.

    machine.py       what is declared, and the steps that start and end a machine
    command_line.py  the disks in a command line of QEMU
    discovery.py     the machines that run on a host

Source: qemu(1) 7.2; more in the files.
"""

from iosonde.layers.guest.discovery import ASK_ADDRESS, ASK_PORT
from iosonde.layers.guest.machine import (
    EXPORT_ADDRESS,
    Guest,
    GuestDeclared,
    device_options,
    export_port,
)

__all__ = [
    "ASK_ADDRESS",
    "ASK_PORT",
    "EXPORT_ADDRESS",
    "Guest",
    "GuestDeclared",
    "device_options",
    "export_port",
]
