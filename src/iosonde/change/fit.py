"""Whether a declared stack fits on the real disks that it names, asked before anything is built."""

from __future__ import annotations

import asyncio
import posixpath
from collections.abc import Mapping

from iosonde import kerneltext
from iosonde.errors import IosondeError
from iosonde.hosts.host import Host
from iosonde.layers.site import DriveDeclared
from iosonde.stack.checks import check_sizes
from iosonde.stack.file import DeclaredStack
from iosonde.units import SECTOR


async def require_fit(stack: DeclaredStack, hosts: Mapping[str, Host]) -> None:
    """Refuse what does not fit; see `check_sizes`.

    Args:
        stack: as declared.
        hosts: opened, by their names in the stack.

    Raises:
        UsageError: of the first layer that does not fit.
    """
    paths = {
        site.name: (hosts[site.host], site.declared.path)
        for site in stack.sites
        if isinstance(site.declared, DriveDeclared) and site.declared.path and not site.in_lab
    }
    sizes = await asyncio.gather(*(_size_of(*place) for place in paths.values()))
    check_sizes(stack.sites, {name: size for name, size in zip(paths, sizes, strict=True) if size})


async def _size_of(host: Host, path: str) -> int | None:
    """Bytes of a block device; None where there is none, which is said when its turn comes."""
    try:
        name = posixpath.basename(await host.resolve(path))
        text = kerneltext.decoded(await host.read(f"/sys/class/block/{name}/size")).strip()
    except IosondeError:
        return None
    return int(text) * SECTOR if text.isdecimal() else None
