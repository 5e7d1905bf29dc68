"""Reads a drive's own log of its health on a live host, and its PCIe link.

Source: smartctl(8) and nvme-smart-log(1); smartctl's exit status is a bit mask, of which all but
the first two bits speak of the drive, not of the reading; Linux
Documentation/ABI/testing/sysfs-bus-pci (current_link_speed, max_link_width).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from iosonde import kerneltext
from iosonde.errors import IosondeError
from iosonde.hosts.host import Host
from iosonde.layers.disk.facts_health import health_of_nvme, health_of_smartctl
from iosonde.layers.disk.printed_lspci import lane_rate
from iosonde.records.stack import Scalar

_TELLING = frozenset({"nvme", "sata", "ata", "sas"})
"""Transports whose drives are asked; many USB bridges answer SMART commands by a reset."""
_SMARTCTL = ("smartctl", "--json", "--health", "--attributes", "--info", "--log=devstat")
_NVME = ("nvme", "smart-log", "--output-format=json")
_PATIENCE = 20.0  # seconds; a drive answers within milliseconds
_LINK = ("current_link_speed", "current_link_width", "max_link_speed", "max_link_width")
_SPEED = re.compile(r"(\d{1,3}(?:\.\d)?) GT/s")


async def read_health(host: Host, device: str, transport: str) -> dict[str, Scalar]:
    """What a drive says of its health now, and how its PCIe link is.

    Args:
        host: that has it.
        device: its path.
        transport: how it is attached.

    Returns:
        Empty where it keeps no log, the tool is missing, or this user may not ask.
    """
    if transport not in _TELLING:
        return {}
    values: dict[str, Scalar] = {}
    if transport == "nvme":
        values = await _asked(host, (*_NVME, device), health_of_nvme)
    if not values:
        values = await _asked(host, (*_SMARTCTL, device), health_of_smartctl)
    return {**values, **(await _pcie(host, device) if transport == "nvme" else {})}


async def _asked(
    host: Host, argv: tuple[str, ...], read: Callable[[bytes], dict[str, Scalar]]
) -> dict[str, Scalar]:
    """What a tool's JSON says; nothing where it fails, or prints something else."""
    try:
        done = await host.run(argv, timeout=_PATIENCE, check=False)
        return read(done.stdout)
    except (IosondeError, ValueError):
        return {}


async def _pcie(host: Host, device: str) -> Mapping[str, Scalar]:
    """The link of an NVMe drive, by the names of printed_lspci.py."""
    name = device.removeprefix("/dev/").replace("/", "!")
    paths = [f"/sys/block/{name}/device/device/{file}" for file in _LINK]
    files = await host.read_many(paths)
    texts = [
        kerneltext.decoded(content).strip()
        for path in paths if isinstance(content := files.get(path), bytes)
    ]  # fmt: skip
    return pcie_link(*texts) if len(texts) == len(paths) else {}


def pcie_link(speed: str, width: str, most_speed: str, most_width: str) -> dict[str, Scalar]:
    """A link as sysfs has it; empty where a figure is none ("Unknown", "255")."""
    values: dict[str, Scalar] = {}
    for ending, gigatransfers, lanes in (("", speed, width), ("_max", most_speed, most_width)):
        rate = _SPEED.match(gigatransfers)
        if not rate or not re.fullmatch(r"\d{1,2}", lanes) or not 0 < int(lanes) <= 32:
            return {}
        values[f"link_speed{ending}"] = float(rate[1]) * 1e9
        values[f"link_width{ending}"] = int(lanes)
        values[f"bandwidth{ending}"] = round(lane_rate(float(rate[1])) * int(lanes))
    return values
